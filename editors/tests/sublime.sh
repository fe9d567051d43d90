# Sublime Text's definition, in `bat`, which colours by the same files.
source "$(dirname "$0")/support.sh"
need_debian batcat bat

mkdir -p "$scratch/config/syntaxes" "$scratch/cache"
cp "$editors/sublime/Lane.sublime-syntax" "$scratch/config/syntaxes/"
batcat cache --build --source "$scratch/config" --target "$scratch/cache" >/dev/null
export BAT_CACHE_PATH=$scratch/cache
expect "$(batcat --list-languages)" 'Lane:lane'
seen=$(batcat --color always --plain --theme ansi "$tests/kernel.lane")
# In this theme keywords are magenta, functions blue or cyan, numbers yellow and comments green.
colour() {
    printf '\e[%sm%s\e[0m' "$1" "$2"
}
expect "$seen" "$(colour 32 '`volume`')" "$(colour 35 kernel) $(colour 34 scale)" "$(colour 35 f32)" "$(colour 33 2.5)" \
    "$(colour 36 min)" "$(colour 32 '# as it was')" "$(colour 35 else):" \
    "$(colour 32 '# it')$(colour 36 "\\'")$(colour 32 s)$(colour 36 '\n')"
