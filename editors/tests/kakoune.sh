# Kakoune: the file type, the server's option, the indentation while typing, and not a word of complaint; then the words of a
# view, and the real server in kakoune-lsp's hands, which crates.io has.
source "$(dirname "$0")/support.sh"
need_debian kak kakoune

cat >"$scratch/run.kak" <<KAK
# kakoune-lsp declares this option.
declare-option str lsp_servers
source $editors/kakoune/lane.kak
edit $scratch/typed.lane
execute-keys -with-hooks 'i## What it does.<ret>## and how<ret>kernel f(a, n):<ret>for i in range(n):  # all<ret>if a[i] <gt> 0:<ret>a[i] = 0<ret>pass<ret>a[0] = 1<esc>'
write
echo -to-file $scratch/seen "%opt{filetype} %opt{lsp_servers}"
edit $scratch/a.laneir
echo -to-file $scratch/seen-ir %opt{filetype}
buffer *debug*
write! $scratch/debug
quit! 0
KAK
HOME=$scratch timeout 60 kak -ui dummy -e "source $scratch/run.kak" </dev/null
expect "$(cat "$scratch/seen")" 'lane ' '[lanescope]' 'command = "lanescope"' 'args = ["lsp"]'
expect "$(cat "$scratch/seen-ir")" laneir
cat >"$scratch/wanted.lane" <<'LANE'
## What it does.
## and how
kernel f(a, n):
    for i in range(n):  # all
        if a[i] > 0:
            a[i] = 0
            pass
        a[0] = 1
LANE
diff "$scratch/wanted.lane" "$scratch/typed.lane"
if grep -n 'lane' "$scratch/debug"; then
    echo "Kakoune complains of lane.kak"
    exit 1
fi

need_server
mkdir -p "$scratch/bin" "$scratch/work/.git"
ln -s "$lanescope" "$scratch/bin/lanescope"

# A view as the server writes it, whose words are shown in a box. The box is what Kakoune tells a user interface that is another program.
views=$scratch/lanescope-views-a
mkdir "$views"
sed 's/volumes/volume/' "$tests/neovim.lane" >"$scratch/work/right.lane"
for stage in typed sequential vector; do
    "$lanescope" lower "$scratch/work/right.lane" --stage "$stage" >"$views/scale.$stage.lane-ir"
done
printf '\tvmulps %%ymm2, %%ymm3, %%ymm3\n' >"$views/scale.asm.s"
# explained VIEW COMMANDS: what <ret> tells of the word in a view that these commands lead to.
explained() {
    mkfifo "$scratch/keys"
    HOME=$scratch PATH=$scratch/bin:$PATH timeout 60 kak -n -ui json -e "source $editors/kakoune/lane.kak; edit $views/$1; $2" \
        <"$scratch/keys" >"$scratch/screen" 2>&1 &
    exec 3>"$scratch/keys"
    printf '%s\n' '{"jsonrpc":"2.0","method":"resize","params":[24,80]}' '{"jsonrpc":"2.0","method":"keys","params":["<ret>"]}' >&3
    for _ in {1..100}; do
        ! grep -q -e info_show -e 'nothing to say' "$scratch/screen" || break
        sleep 0.1
    done
    printf '%s\n' '{"jsonrpc":"2.0","method":"keys","params":[":quit! 0<ret>"]}' >&3
    exec 3>&-
    wait
    rm "$scratch/keys"
    grep -e info_show -e 'nothing to say' "$scratch/screen" | head -n 1 || true
}
expect "$(explained scale.sequential.lane-ir 'execute-keys /for<ret><semicolon>')" info_show 'one after the other'
expect "$(explained scale.vector.lane-ir 'set-option global lane_target neon; execute-keys /masked_load<ret><semicolon>')" info_show 'neon: about'
expect "$(explained scale.asm.s 'set-option global lane_target avx2')" info_show multiplies
expect "$(explained scale.typed.lane-ir 'execute-keys /for<ret><semicolon>')" 'nothing to say of this word'

client=$tests/kakoune-lsp
if [[ ${INSTALL-} == 1 && ! -x $client/bin/kak-lsp ]]; then
    CARGO_TARGET_DIR=$scratch/target cargo install --quiet --debug --locked --root "$client" kak-lsp@18.1.3
fi
[[ -x $client/bin/kak-lsp ]] || skip "the server in kakoune-lsp's hands, and nothing before: it is not installed (editors/test --install kakoune)"
cp "$tests/neovim.lane" "$scratch/work/kernel.lane"
cat >"$scratch/server.kak" <<KAK
evaluate-commands %sh{ kak-lsp }
source $editors/kakoune/lane.kak
lsp-enable
edit $scratch/work/kernel.lane
KAK
export HOME=$scratch XDG_RUNTIME_DIR=$scratch XDG_CONFIG_HOME=$scratch/config PATH=$scratch/bin:$client/bin:$PATH
session=lanescope-$$
timeout 60 kak -ui dummy -s "$session" -e "source $scratch/server.kak" </dev/null &
# Has the one client do something with the kernel.
tell() {
    echo "try %{ evaluate-commands -client client0 %{ buffer $scratch/work/kernel.lane; $1 } }" | kak -p "$session" 2>/dev/null
}
# eventually VALUE WORD: at some time the word stands in what Kakoune says that the value is.
eventually() {
    for _ in {1..300}; do
        : >"$scratch/found"
        tell "echo -to-file $scratch/found $1" && sleep 0.1
        ! grep -qF -- "$2" "$scratch/found" || return 0
    done
    expect "$(cat "$scratch/found")" "$2"
}
eventually '%opt{lsp_inline_diagnostics}' '8.45,8.51|DiagnosticError'
tell 'lsp-inlay-hints-enable buffer'
tell 'execute-keys gg/twice<ret>n; lsp-definition'
eventually '%val{cursor_line}' 2
eventually '%opt{lsp_inlay_hints}' '{InlayHint}: f32'
tell 'execute-keys gg/loud<ret>; lsp-rename gain'
tell 'execute-keys \%'
eventually '%val{selection}' '* gain * volumes'
tell 'execute-keys gg/gain<ret>; lsp-hover-buffer'
for _ in {1..100}; do
    echo "try %{ evaluate-commands -buffer *hover* %{ execute-keys \\%; echo -to-file $scratch/hover %val{selection} } }" | kak -p "$session"
    sleep 0.1
    ! grep -qs 'gain: f32' "$scratch/hover" || break
done
expect "$(cat "$scratch/hover")" 'gain: f32'
echo kill! 0 | kak -p "$session"
wait
