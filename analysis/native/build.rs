//! Notes where the toolchain is that builds this program: it has an LLVM, which is used when no other is found first.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=RUSTC");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).args(["--print", "sysroot"]).output();
    let sysroot = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    if let Some(sysroot) = sysroot {
        println!("cargo::rustc-env=LANESCOPE_BUILD_SYSROOT={}", sysroot.trim());
    }
}
