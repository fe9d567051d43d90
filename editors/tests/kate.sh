# Kate's definitions, in the very library that Kate colours with.
source "$(dirname "$0")/support.sh"
need_debian kate-syntax-highlighter libkf5syntaxhighlighting-tools

mkdir -p "$scratch/org.kde.syntax-highlighting/syntax"
cp "$editors"/kate/*.xml "$scratch/org.kde.syntax-highlighting/syntax/"
export XDG_DATA_HOME=$scratch

# What each part of a text is, as `line: attribute text`.
formats() {
    kate-syntax-highlighter --syntax-trace=format --output-format ansi256Colors --no-ansi-background "$1" 2>&1 | sed 's/\x1b\[[0-9;]*[mK]//g'
}

expect "$(kate-syntax-highlighter --list)" $'\nLane\nLane IR'
expect "$(formats "$tests/kernel.lane")" \
    $'## Turns the `volume` up or down.\n|            |       |\nDocumentation|       Documentation\n             |\n             Code' \
    $'@fast\n|\nAttribute' \
    $'Item   Name Normal    Type            Type' \
    $'    |        | |\n    Storage  Operator\n               |\n               Float' \
    $'    foreach i in range(n):\n|   |      |  | ||    |\nNormal     Normal|    Normal\n    |         | ||\n    Control   Control' \
    $'                 |\n                 Function' \
    $'Normal             Operator     Operator  Comment'
cat >"$scratch/a.laneir" <<'IR'
    let x = masked_load(a, i, active)
    out[i] = gather(b, x)
IR
expect "$(formats "$scratch/a.laneir")" 'Control|Memory' PerLane
