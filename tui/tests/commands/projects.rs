//! `lanescope new`: what it makes is built, tested and measured at once, by what each language has for that.

use std::path::Path;
use std::process::Command;

use super::*;

/// Runs a program in a folder, which calls the command under test; returns what it printed.
fn ran(folder: &Path, program: &str, args: &[&str]) -> String {
    let mut command = Command::new(program);
    command.current_dir(folder).args(args).env("LANESCOPE", env!("CARGO_BIN_EXE_lanescope"));
    // Of the package under test.
    command.env_remove("CARGO_TARGET_DIR").env("PYTHONDONTWRITEBYTECODE", "1");
    let output = command.output().unwrap_or_else(|error| panic!("{program}: {error}"));
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{program} {args:?}\n{stdout}\n{stderr}");
    stdout + &stderr
}

fn works(program: &str, args: &[&str]) -> bool {
    let works = Command::new(program).args(args).output().is_ok_and(|output| output.status.success());
    if !works {
        eprintln!("skipped: {program} {} does not work here", args.join(" "));
    }
    works
}

/// A new project, checked to be what was said.
fn project(caller: &str, expected: Expect) -> Folder {
    let folder = Folder::new(&[]);
    let made = folder.run(&["new", "my-mixer", "--caller", caller]);
    expected.assert_eq(&made.to_string());
    let checked = folder.run(&["check", "my-mixer/my_mixer.lane"]);
    assert_eq!(checked.code, Some(0), "{checked}");
    folder
}

#[test]
fn a_project_in_c_runs_at_once() {
    let folder = project(
        "c",
        expect![[r#"
        my-mixer/my_mixer.lane
        my-mixer/main.c
        my-mixer/Makefile
        my-mixer/README.md
        my-mixer/.gitignore

        Next:

          cd my-mixer
          lanescope my_mixer.lane
          make test
          make bench
        --- exit 0 ---
    "#]],
    );
    if has_llvm() && works("make", &["--version"]) && works("cc", &["--version"]) {
        let project = folder.path().join("my-mixer");
        let tested = ran(&project, "make", &["test"]);
        assert!(tested.contains("1 example passed") && tested.contains("mix: passed"), "{tested}");
        let measured = ran(&project, "make", &["bench"]);
        assert!(measured.contains("ns an element"), "{measured}");
    }
}

#[test]
fn a_project_in_cpp_runs_at_once() {
    let folder = project(
        "cpp",
        expect![[r#"
        my-mixer/my_mixer.lane
        my-mixer/main.cpp
        my-mixer/Makefile
        my-mixer/README.md
        my-mixer/.gitignore

        Next:

          cd my-mixer
          lanescope my_mixer.lane
          make test
          make bench
        --- exit 0 ---
    "#]],
    );
    if has_llvm() && works("make", &["--version"]) && works("c++", &["-std=c++20", "--version"]) {
        let project = folder.path().join("my-mixer");
        let tested = ran(&project, "make", &["test"]);
        assert!(tested.contains("1 example passed") && tested.contains("mix: passed"), "{tested}");
        let measured = ran(&project, "make", &["bench"]);
        assert!(measured.contains("ns an element"), "{measured}");
    }
}

#[test]
fn a_project_in_rust_runs_at_once() {
    let folder = project(
        "rust",
        expect![[r#"
        my-mixer/my_mixer.lane
        my-mixer/src/main.rs
        my-mixer/build.rs
        my-mixer/Cargo.toml
        my-mixer/README.md
        my-mixer/.gitignore

        Next:

          cd my-mixer
          lanescope my_mixer.lane
          cargo test
          cargo run --release
        --- exit 0 ---
    "#]],
    );
    if has_llvm() && works("cargo", &["--version"]) {
        let project = folder.path().join("my-mixer");
        let tested = ran(&project, "cargo", &["test", "--offline"]);
        assert!(tested.contains("tests::mixes ... ok"), "{tested}");
        let measured = ran(&project, "cargo", &["run", "--release", "--offline"]);
        assert!(measured.contains("ns an element"), "{measured}");
        // A kernel with a mistake is told where it is, and stops the build.
        folder.write("my-mixer/my_mixer.lane", "kernel mix(a: f32[n], n: i32)\n    a[0] = 1.0\n");
        let mut build = Command::new("cargo");
        build.args(["build", "--offline"]).current_dir(&project).env("LANESCOPE", env!("CARGO_BIN_EXE_lanescope"));
        let build = build.output().expect("Cargo");
        let told = String::from_utf8_lossy(&build.stderr);
        assert!(!build.status.success() && told.contains("expected `:` at the end of the `kernel` line"), "{told}");
    }
}

#[test]
fn a_project_in_python_runs_at_once() {
    let folder = project(
        "python",
        expect![[r#"
        my-mixer/my_mixer.lane
        my-mixer/build.py
        my-mixer/test_kernels.py
        my-mixer/bench.py
        my-mixer/README.md
        my-mixer/.gitignore

        Next:

          cd my-mixer
          lanescope my_mixer.lane
          python3 -m unittest
          python3 bench.py
        --- exit 0 ---
    "#]],
    );
    if has_llvm() && works("python3", &["-c", "import numpy"]) && works("cc", &["--version"]) {
        let project = folder.path().join("my-mixer");
        let tested = ran(&project, "python3", &["-m", "unittest"]);
        assert!(tested.contains("Ran 2 tests") && tested.contains("OK"), "{tested}");
        let measured = ran(&project, "python3", &["bench.py"]);
        assert!(measured.contains("my_mixer: ") && measured.contains("ns an element"), "{measured}");
    }
}

#[test]
fn a_project_takes_nothing_from_anybody() {
    let folder = Folder::new(&[("there/notes.txt", "mine\n"), ("a_file", "mine\n")]);
    for (name, why) in [
        ("there", "there: there are files already, which are kept: name another folder"),
        ("a_file", "a_file: "),
        ("3d", "3d: a name of kernels starts with a letter: name the folder otherwise"),
        ("..", "..: this has no name that the kernels could have: name a folder to make"),
    ] {
        let refused = folder.run(&["new", name]);
        assert_eq!(refused.code, Some(2), "{refused}");
        assert!(refused.stderr.contains(why), "{refused}");
    }
    let refused = folder.run(&["new", "numpy", "--caller", "python"]);
    assert!(refused.stderr.contains("`numpy` is the name of another module"), "{refused}");
    assert_eq!(folder.read("there/notes.txt"), "mine\n");
    // An empty folder is as good as none.
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    assert_eq!(folder.run(&["new", "empty"]).code, Some(0));
}
