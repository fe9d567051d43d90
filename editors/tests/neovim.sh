# Neovim, headless, against the real server: findings, hover, jump, rename, and a view that follows.
source "$(dirname "$0")/support.sh"
need_debian nvim neovim
need_server

export HOME=$scratch XDG_CONFIG_HOME=$scratch XDG_DATA_HOME=$scratch XDG_STATE_HOME=$scratch XDG_CACHE_HOME=$scratch
export LANESCOPE=$lanescope
cp "$tests/neovim.lane" "$scratch/kernel.lane"
cd "$scratch"
timeout 110 nvim --headless -u NONE -i NONE --cmd "set rtp^=$editors/vim,$editors/neovim" -S "$tests/neovim.lua" kernel.lane
