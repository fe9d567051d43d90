# Zed's extension, against the library that Zed gives extensions: it is compiled as Zed would, though for this machine, where
# there is no target for WebAssembly. (Zed itself is in no registry.)
source "$(dirname "$0")/support.sh"
command -v cargo >/dev/null || skip "\`cargo\` is not installed"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$repository/target}/zed
triple=()
[[ ! -d $(rustc --print sysroot)/lib/rustlib/wasm32-wasip2 ]] || triple=(--target wasm32-wasip2)
RUSTFLAGS='-D warnings' cargo check --quiet --locked "${triple[@]}" --manifest-path "$editors/zed/Cargo.toml"
