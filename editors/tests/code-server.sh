# VS Code, which code-server shows to a Chromium without a screen, with the extension installed. What sources this puts files
# into $scratch/work and plays a script with them.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
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
cat >"$scratch/data/User/settings.json" <<JSON
{
    "security.workspace.trust.enabled": false,
    "workbench.startupEditor": "none",
    "workbench.colorTheme": "Default Light Modern",
    "editor.minimap.enabled": false,
    "editor.fontSize": 13,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "editor.glyphMargin": false,
    "terminal.integrated.gpuAcceleration": "off",
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

# play SCRIPT: starts VS Code on the folder, and plays the script in it.
play() {
    local server=(node node_modules/code-server/out/node/entry.js --user-data-dir "$scratch/data" --extensions-dir "$scratch/extensions")
    export HOME=$scratch
    "${server[@]}" --install-extension "$editors/vscode/lanescope.vsix" >/dev/null
    local port=$((20000 + RANDOM % 20000))
    "${server[@]}" --auth none --bind-addr "127.0.0.1:$port" --disable-telemetry --disable-update-check >"$scratch/log" 2>&1 &
    code_server=$!
    trap stop_code_server EXIT
    for _ in {1..300}; do
        ! (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
        sleep 0.1
    done
    echo "pictures are in $tests/artefacts"
    timeout 500 node "$1" "http://127.0.0.1:$port/?folder=$scratch/work" "$scratch/work" artefacts "$scratch" || {
        tail -n 20 "$scratch/log"
        find "$scratch/data/logs" -name 'Lanescope*.log' -exec tail -n 50 {} +
        exit 1
    }
}

stop_code_server() {
    kill $code_server 2>/dev/null
    wait $code_server 2>/dev/null
    # Its own processes may still write while they leave.
    for _ in 1 2 3 4 5 6; do
        ! rm -rf "$scratch" 2>/dev/null || break
        sleep 0.5
    done
}
