//! The compilers of C that kernels are compared with, and their flags.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::run;

/// The compilers, each by its possible program names, best first.
const COMPILERS: &[&[&str]] = &[&["clang-19", "clang"], &["gcc"]];

/// Flags of both compilers for all kernels. Both may use registers of 512 bits, which they would not do by default, and assume what
/// changes no result.
pub(crate) const FLAGS: &[&str] =
    &["-O3", "-march=native", "-mprefer-vector-width=512", "-fPIC", "-fno-math-errno", "-fno-trapping-math", "-w"];

/// Floating-point flags under which a compiler may do what Lane does without an attribute.
pub(crate) const STRICT: &[&str] = &["-ffp-contract=off"];

/// Those for kernels under `@reassoc`.
pub(crate) const REASSOC: &[&str] = &["-ffp-contract=off", "-fassociative-math", "-fno-signed-zeros"];

/// Those for kernels under `@fast`.
pub(crate) const FAST: &[&str] = &["-ffast-math"];

/// Returns the names of those that are here, and says which are not.
pub(crate) fn found() -> Vec<&'static str> {
    let found: Vec<&str> =
        COMPILERS.iter().filter_map(|names| names.iter().copied().find(|name| is_there(name))).collect();
    if found.is_empty() {
        println!("there is neither clang nor gcc here, so there is nothing to compare with");
        return found;
    }
    let missing = COMPILERS.iter().filter(|names| names.iter().all(|name| !found.contains(name)));
    missing.for_each(|names| println!("without {}, which is not here", names[0]));
    found
}

/// Says whether a program can be started.
pub(crate) fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Builds a compiler's library of files, each with its floating-point flags.
pub(crate) fn theirs(compiler: &str, sources: &Path, files: &[(&str, &[&str])], folder: &Path) -> PathBuf {
    let objects: Vec<PathBuf> = files
        .iter()
        .map(|(file, floats)| {
            let object = folder.join(format!("{compiler}.{file}.o"));
            let source = sources.join(file).with_extension("c");
            run(Command::new(compiler).args(FLAGS).args(*floats).arg("-c").arg(source).arg("-o").arg(&object));
            object
        })
        .collect();
    link(compiler, folder, compiler, objects)
}

/// Makes a library of objects. `-ffast-math` must not be among the flags: the linker would disable subnormals for the whole process.
pub(crate) fn link(linker: &str, folder: &Path, name: &str, objects: impl IntoIterator<Item = PathBuf>) -> PathBuf {
    let library = folder.join(format!("{name}.so"));
    run(Command::new(linker).args(["-shared", "-w", "-o"]).arg(&library).args(objects).arg("-lm"));
    library
}
