# The extension in a real VS Code. Keeps pictures in artefacts/.
source "$(dirname "$0")/code-server.sh"

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
play vscode.mjs
