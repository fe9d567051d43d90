//! Finding an LLVM to use: where one may be, in which order, and what is said when there is none.
//!
//! Rust's own toolchain carries LLVM as a shared library, so whoever built this program has one; a system's package
//! does as well. The order is: what `LANESCOPE_LLVM` names, the library beside this program, the toolchain of the
//! `rustc` on the PATH, the toolchain this program was built with, then the system's, newest first. The first that
//! opens and is new enough is taken.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::table::{Llvm, Problem};

/// The oldest LLVM with the textual form and the C functions that this package uses.
pub const OLDEST: u32 = 19;

/// The variable that names a library to use instead of searching.
pub const VARIABLE: &str = "LANESCOPE_LLVM";

/// The folders in which systems keep libraries.
const SYSTEM_FOLDERS: &[&str] = &[
    "/usr/lib",
    "/usr/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/local/lib",
    "/opt/homebrew/opt/llvm/lib",
    "/usr/local/opt/llvm/lib",
];

/// No LLVM could be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotFound {
    /// The libraries that were tried, each with the reason why it was rejected.
    pub tried: Vec<(PathBuf, String)>,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let todo = format!("install Rust's toolchain or `libllvm{OLDEST}` (or newer), or set {VARIABLE} to a libLLVM");
        match &self.tried[..] {
            [] => write!(f, "there is no LLVM on this machine, which native code is made by: {todo}"),
            [(path, why), ..] => write!(f, "no LLVM can be used: {} {why}; {todo}", path.display()),
        }
    }
}

impl std::error::Error for NotFound {}

/// The LLVM of this process, found once and kept.
pub fn llvm() -> Result<&'static Llvm, NotFound> {
    static FOUND: OnceLock<Result<Llvm, NotFound>> = OnceLock::new();
    FOUND.get_or_init(|| open_first(candidates())).as_ref().map_err(NotFound::clone)
}

/// Opens the first library that can be used.
fn open_first(candidates: impl IntoIterator<Item = PathBuf>) -> Result<Llvm, NotFound> {
    let mut tried = Vec::new();
    for path in candidates {
        match open(&path) {
            Ok(llvm) => return Ok(llvm),
            Err(why) => tried.push((path, why)),
        }
    }
    Err(NotFound { tried })
}

/// Opens a library, if it is an LLVM that is new enough.
fn open(path: &Path) -> Result<Llvm, String> {
    let llvm = Llvm::open(path).map_err(|problem| match problem {
        Problem::CannotOpen(why) => format!("cannot be opened ({why})"),
        Problem::IsOlder => format!("is an LLVM that is too old: {OLDEST} or newer is needed"),
        Problem::Lacks(function) => format!("is no LLVM of use: it lacks `{function}`"),
    })?;
    let (major, minor, patch) = llvm.version();
    if major < OLDEST {
        return Err(format!("is LLVM {major}.{minor}.{patch}, too old: {OLDEST} or newer is needed"));
    }
    Ok(llvm)
}

/// The paths of libraries that may be opened, best first.
fn candidates() -> Vec<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return vec![PathBuf::from(named)];
    }
    let mut found = Vec::new();
    let beside = env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_owned));
    beside.iter().for_each(|folder| found.extend(libraries_in(folder)));
    let sysroots = sysroot_on_path().into_iter().chain(option_env!("LANESCOPE_BUILD_SYSROOT").map(PathBuf::from));
    sysroots.for_each(|sysroot| found.extend(libraries_in(&sysroot.join("lib"))));
    let mut system: Vec<PathBuf> = SYSTEM_FOLDERS.iter().flat_map(|folder| libraries_in(Path::new(folder))).collect();
    system.extend(system_toolchains().iter().flat_map(|folder| libraries_in(folder)));
    system.sort_by_key(|path| std::cmp::Reverse(version_in(path)));
    found.extend(system);
    found
}

fn sysroot_on_path() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let sysroot = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(sysroot.trim()))
}

/// Returns the folders of LLVM's own packages: `/usr/lib/llvm-19/lib` and its like.
fn system_toolchains() -> Vec<PathBuf> {
    let entries = fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let named = |path: &PathBuf| path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("llvm-"));
    entries.filter(named).map(|path| path.join("lib")).collect()
}

/// The libraries in a folder that are LLVM by their names, newest first.
///
/// `libLLVM-22-rust-….so` in a Rust toolchain is a script for linkers, and says so by its few bytes.
fn libraries_in(folder: &Path) -> Vec<PathBuf> {
    const LARGER_THAN_A_SCRIPT: u64 = 1 << 16;
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries
        .filter(|path| path.file_name().and_then(OsStr::to_str).is_some_and(is_llvm))
        .filter(|path| fs::metadata(path).is_ok_and(|metadata| metadata.len() > LARGER_THAN_A_SCRIPT))
        .collect();
    found.sort_by_key(|path| std::cmp::Reverse(version_in(path)));
    found
}

fn is_llvm(name: &str) -> bool {
    let library = name.contains(".so") || name.ends_with(".dylib") || name.ends_with(".dll");
    library && (name.starts_with("libLLVM") || name.starts_with("LLVM-C"))
}

/// The first number in a file's name: LLVM's major version, in every naming there is.
fn version_in(path: &Path) -> u32 {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_libraries_and_versions() {
        let version = |name: &str| is_llvm(name).then(|| version_in(Path::new(name)));
        assert_eq!(version("libLLVM.so.22.1-rust-1.95.0-stable"), Some(22));
        assert_eq!(version("libLLVM-19.so"), Some(19));
        assert_eq!(version("libLLVM.so.19.1"), Some(19));
        assert_eq!(version("libLLVM.dylib"), Some(0));
        assert_eq!(version("libLTO.so.19"), None);
        assert_eq!(version("libLLVM.a"), None);
    }

    #[test]
    fn what_cannot_be_used_is_said_with_what_to_do() {
        let folder = env::temp_dir();
        let path = folder.join("no-such-libLLVM.so");
        let error = open_first([path]).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("no-such-libLLVM.so cannot be opened"), "{error}");
        assert!(error.contains("LANESCOPE_LLVM"), "{error}");
        // The system says why, and the path once.
        assert!(!error.contains("dlopen failed") && error.matches("no-such-libLLVM").count() == 1, "{error}");
        assert!(open_first([]).err().is_some_and(|error| error.to_string().starts_with("there is no LLVM")));
        // Any library that is no LLVM.
        assert!(Llvm::open(Path::new("libc.so.6")).is_err(), "libc is no LLVM");
    }

    #[test]
    fn an_llvm_that_does_not_tell_its_version_is_too_old() {
        let folder = tempfile::tempdir().expect("a folder");
        let [source, library] = ["old.c", "libLLVM-14.so"].map(|name| folder.path().join(name));
        fs::write(&source, "void *LLVMContextCreate(void) { return 0; }\n").expect("a file");
        let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
        if !made.is_ok_and(|status| status.success()) {
            return eprintln!("skipped: there is no C compiler");
        }
        let error = open_first([library]).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("is an LLVM that is too old: 19 or newer is needed"), "{error}");
    }
}
