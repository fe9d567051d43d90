//! The command from the outside: arguments and files in, output and exit code out.

#[path = "../support/mod.rs"]
mod support;

mod callers;
mod checking;
mod comparing;
mod counting;
mod debugging;
mod explaining;
mod exploring;
mod faster;
mod formatting;
mod ispc;
mod ispc_code;
mod ispc_explaining;
mod learning;
mod lowering;
mod native;
mod pipes;
mod projects;
mod running;
mod spilling;
#[cfg(unix)]
mod terminals;
mod testing;
mod usage;
mod using;

use std::io::Read;
use std::process::Stdio;

use expect_test::{Expect, expect};
use support::{Folder, command, has_llvm, root, run};

const BROKEN: &str = "kernel a(x, n)\n    x[0] = n\n";
const WHOLE: &str = "kernel a(x, n):\n    x[0] = n\n";

/// Runs the command in a folder with the given files.
fn check(files: &[(&str, &str)], args: &[&str], expected: Expect) {
    expected.assert_eq(&Folder::new(files).run(args).to_string());
}

/// Runs the command with the given standard input.
fn check_stdin(stdin: &str, args: &[&str], expected: Expect) {
    expected.assert_eq(&run(Folder::new(&[]).path(), args, stdin).to_string());
}
