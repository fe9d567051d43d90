# A first day with kernels in a real VS Code: one that is typed with mistakes, until it is fast. Keeps pictures in artefacts/.
source "$(dirname "$0")/code-server.sh"

touch "$scratch/work/loudness.lane"
play story.mjs
