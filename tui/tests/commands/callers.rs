//! The callers in `examples/callers`: each is built, if there is a compiler for it, and run, and all print the same
//! output.

use std::path::PathBuf;
use std::process::Command;

use super::*;

/// The expected output of a caller: the samples at half the volume.
const PRINTED: &str = "0.5\n-1\n0.25\n2\n-4\n";

/// Returns a folder with the kernel's object and header, if LLVM is available.
fn built() -> Option<Folder> {
    if !has_llvm() {
        return None;
    }
    let folder = Folder::new(&[]);
    let source = root().join("examples/scale_audio.lane");
    let build = folder.run(&["build", source.to_str().expect("UTF-8"), "-o", "."]);
    assert_eq!(build.code, Some(0), "{build}");
    Some(folder)
}

/// Returns the path of a caller's source.
fn caller(name: &str) -> PathBuf {
    root().join("examples/callers").join(name)
}

/// Returns the first of several programs that is available and runs with the given arguments; reports if there is none.
fn found(programs: &[&'static str], tried_with: &[&str]) -> Option<&'static str> {
    let works =
        |program: &&&str| Command::new(program).args(tried_with).output().is_ok_and(|output| output.status.success());
    let found = programs.iter().find(works).copied();
    if found.is_none() {
        eprintln!("skipped: {} {} does not work here", programs.join(" or "), tried_with.join(" "));
    }
    found
}

/// Returns the output of a command, which must succeed.
fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Builds a caller with a compiler that takes the arguments of C compilers, and runs it.
fn compiled(compilers: &[&'static str], source: &str) {
    let (Some(compiler), Some(folder)) = (found(compilers, &["--version"]), built()) else { return };
    let mut build = Command::new(compiler);
    build.current_dir(folder.path()).args(["-Wall", "-Wextra", "-Werror", "-I", "."]).arg(caller(source));
    printed(build.args(["scale_audio.o", "-o", "caller"]));
    assert_eq!(printed(&mut Command::new(folder.path().join("caller"))), PRINTED);
}

#[test]
fn c_calls_a_kernel() {
    compiled(&["cc", "gcc", "clang"], "scale_audio.c");
}

#[test]
fn cpp_calls_a_kernel() {
    compiled(&["c++", "g++", "clang++"], "scale_audio.cpp");
}

#[test]
fn rust_calls_a_kernel() {
    let (Some(rustc), Some(folder)) = (found(&["rustc"], &["--version"]), built()) else { return };
    let mut build = Command::new(rustc);
    build.current_dir(folder.path()).args(["--edition", "2024", "-D", "warnings"]).arg(caller("scale_audio.rs"));
    printed(build.args(["-C", "link-arg=scale_audio.o", "-o", "caller"]));
    assert_eq!(printed(&mut Command::new(folder.path().join("caller"))), PRINTED);
}

#[test]
fn python_calls_a_kernel() {
    let compiler = found(&["cc", "gcc", "clang"], &["--version"]);
    let python = found(&["python3", "/usr/bin/python3"], &["-c", "import numpy"]);
    let (Some(compiler), Some(python), Some(folder)) = (compiler, python, built()) else { return };
    let library = folder.path().join("scale_audio.so");
    let mut link = Command::new(compiler);
    printed(link.current_dir(folder.path()).args(["-shared", "scale_audio.o", "-o"]).arg(&library));
    assert_eq!(printed(Command::new(python).arg(caller("scale_audio.py")).arg(&library)), PRINTED);
}
