# Kakoune: the file type, the server's option, the indentation while typing, and not a word of complaint.
source "$(dirname "$0")/support.sh"
need_debian kak kakoune

cat >"$scratch/run.kak" <<KAK
# kakoune-lsp declares this option.
declare-option str lsp_servers
source $editors/kakoune/lane.kak
edit $scratch/typed.lane
execute-keys -with-hooks 'i## What it does.<ret>and how<ret><backspace><backspace><backspace>kernel f(a, n):<ret>for i in range(n):  # all<ret>if a[i] <gt> 0:<ret>a[i] = 0<ret>pass<ret>a[0] = 1<esc>'
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
