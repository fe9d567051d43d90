# What the scripts beside this share. A step that cannot run here says why and ends with 77.
#
# `INSTALL=1` lets them install what they need, by package name; otherwise they take what there is.

set -euo pipefail

tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
editors=$(dirname "$tests")
repository=$(dirname "$editors")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

skip() {
    echo "skipped: $1"
    exit 77
}

# need_debian COMMAND PACKAGE…: a program, from Debian's packages of these names.
need_debian() {
    local command=$1
    shift
    if ! command -v "$command" >/dev/null && [[ ${INSTALL-} == 1 ]]; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
    fi
    command -v "$command" >/dev/null || skip "\`$command\` is not installed (Debian: apt-get install $*)"
}

# The `lanescope` to test, in the variable of that name.
need_lanescope() {
    local target=${CARGO_TARGET_DIR:-$repository/target}
    lanescope=${LANESCOPE:-}
    for candidate in "$target/debug/lanescope" "$target/release/lanescope"; do
        [[ -n $lanescope || ! -x $candidate ]] || lanescope=$candidate
    done
    [[ -x $lanescope ]] || skip "there is no \`lanescope\` in $target: build it first, or name one in LANESCOPE"
}

need_server() {
    need_lanescope
    "$lanescope" help lsp >/dev/null 2>&1 || skip "$lanescope has no language server"
}

# expect TEXT WORD…: every one of these stands in the text.
expect() {
    local text=$1
    shift
    for word in "$@"; do
        if [[ $text != *"$word"* ]]; then
            echo "expected: $word"
            echo "found:    $text"
            exit 1
        fi
    done
}
