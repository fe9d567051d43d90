# Kate's definitions, in the very library that Kate colours with; then Kate itself, without a screen, with the real server.
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
    $'Normal             Operator     Operator  Comment' \
    $'Normal     Operator Text\n            ||    |  | |\n            Normal|  Escape'
cat >"$scratch/a.laneir" <<'IR'
    let x = masked_load(a, i, active)
    out[i] = gather(b, x)
IR
expect "$(formats "$scratch/a.laneir")" 'Control|Memory' PerLane

# Kate asks once whether it may start a program, which is answered here beforehand. What it says to the server, and hears, is
# written down on the way.
need_debian kate kate dbus
need_server
mkdir -p "$scratch/bin" "$scratch/config/kate/lspclient"
cp "$editors/kate/settings.json" "$scratch/config/kate/lspclient/"
cp "$tests/neovim.lane" "$scratch/kernel.lane"
cat >"$scratch/bin/lanescope" <<SH
#!/bin/sh
tee "$scratch/said" | "$lanescope" "\$@" | tee "$scratch/heard"
SH
chmod +x "$scratch/bin/lanescope"
printf '[lspclient]\nAllowedServerCommandLines=%s lsp\n' "$scratch/bin/lanescope" >"$scratch/config/katerc"
export HOME=$scratch XDG_CONFIG_HOME=$scratch/config XDG_RUNTIME_DIR=$scratch QT_QPA_PLATFORM=offscreen
touch "$scratch/said" "$scratch/heard"
PATH=$scratch/bin:$PATH timeout 60 dbus-run-session kate --new --block "$scratch/kernel.lane" >"$scratch/log" 2>&1 &
for _ in {1..500}; do
    ! grep -q 'nothing here is called `volumes`' "$scratch/heard" || break
    sleep 0.1
done
expect "$(cat "$scratch/heard")" 'nothing here is called `volumes`'
expect "$(tr -d ' ' <"$scratch/said")" '"method":"textDocument/didOpen"' '"languageId":"lane"'
# `timeout` leads a group of processes, which Kate is one of; it takes its time to leave.
group=$!
for signal in TERM TERM KILL; do
    kill -$signal -- -$group 2>/dev/null || break
    sleep 2
done
