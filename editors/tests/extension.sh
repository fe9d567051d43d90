# The VS Code extension by itself: its types, its parts, its grammars, its package.
source "$(dirname "$0")/support.sh"
need_debian npm npm
cd "$editors/vscode"
if [[ ${INSTALL-} == 1 ]]; then
    npm ci --ignore-scripts --no-audit --no-fund
fi
[[ -d node_modules ]] || skip "the extension's packages are not installed (npm ci in editors/vscode)"
# Where there is a binary, the snippets are checked with it.
LANESCOPE=$(need_lanescope >/dev/null && echo "$lanescope" || true)
export LANESCOPE
npm test --silent
npm run --silent package
test -s lanescope.vsix
