# The extension in a real VS Code, which code-server shows to a Chromium without a screen. Keeps pictures in artefacts/.
source "$(dirname "$0")/support.sh"
need_debian chromium chromium
need_server
[[ -s $editors/vscode/lanescope.vsix ]] || skip "the extension is not packaged (npm run package in editors/vscode)"
cd "$tests"
# It runs on one version of Node and no other, so it gets that from the registry too.
PATH=$tests/node/node_modules/node/bin:$PATH
if [[ ${INSTALL-} == 1 && ! -d node_modules/code-server ]]; then
    need_debian npm npm
    # One of its parts is built here, against Kerberos.
    apt-get install -y --no-install-recommends libkrb5-dev
    npm install --prefix node --no-save --no-package-lock --no-audit --no-fund node@24
    npm install --no-package-lock --no-audit --no-fund
fi
[[ -d node_modules/code-server ]] || skip "code-server is not installed (editors/test --install vscode)"

mkdir -p artefacts "$scratch/work" "$scratch/data/User" "$scratch/data/Machine"
cp vscode.lane "$scratch/work/kernel.lane"
for n in 1 2 3 4 5; do cp vscode.lane "$scratch/work/five-$n.lane"; done
touch "$scratch/work/typed.lane" "$scratch/work/fresh.lane"
cp "$repository/examples/particles.lane" "$repository/examples/color_by_number.lane" "$scratch/work"
# A folder from somewhere, whose settings name a program that was never asked for.
mkdir -p "$scratch/strange/.vscode"
cp vscode.lane "$scratch/strange/kernel.lane"
printf '#!/bin/sh\ntouch "%s/was-started"\n' "$scratch" >"$scratch/strange/program"
chmod +x "$scratch/strange/program"
echo "{ \"lanescope.server.path\": \"$scratch/strange/program\" }" >"$scratch/strange/.vscode/settings.json"
cat >"$scratch/data/User/settings.json" <<JSON
{
    "security.workspace.trust.enabled": false,
    "workbench.startupEditor": "none",
    "workbench.colorTheme": "Default Light Modern",
    "editor.minimap.enabled": false,
    "editor.fontSize": 13,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "editor.glyphMargin": false,
    "telemetry.telemetryLevel": "off"
}
JSON
# So that the server can be made to end, its process is known.
cat >"$scratch/lanescope" <<SH
#!/bin/sh
echo \$\$ >"$scratch/pid"
exec "$lanescope" "\$@"
SH
chmod +x "$scratch/lanescope"
# Where a program is, is a setting of the machine that it runs on.
echo "{ \"lanescope.server.path\": \"$scratch/lanescope\" }" >"$scratch/data/Machine/settings.json"
server=(node node_modules/code-server/out/node/entry.js --user-data-dir "$scratch/data" --extensions-dir "$scratch/extensions")
export HOME=$scratch
"${server[@]}" --install-extension "$editors/vscode/lanescope.vsix" >/dev/null
port=$((20000 + RANDOM % 20000))
"${server[@]}" --auth none --bind-addr "127.0.0.1:$port" --disable-telemetry --disable-update-check >"$scratch/log" 2>&1 &
code_server=$!
clean_up() {
    kill $code_server 2>/dev/null
    wait $code_server 2>/dev/null
    # Its own processes may still write while they leave.
    for _ in 1 2 3 4 5 6; do
        ! rm -rf "$scratch" 2>/dev/null || break
        sleep 0.5
    done
}
trap clean_up EXIT
echo "pictures are in $tests/artefacts"
timeout 500 node vscode.mjs "http://127.0.0.1:$port/?folder=$scratch/work" "$scratch/work" artefacts "$scratch" || {
    tail -n 20 "$scratch/log"
    find "$scratch/data/logs" -name 'Lanescope*.log' -exec tail -n 50 {} +
    exit 1
}
