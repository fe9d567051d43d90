//! What is built to measure with: a library of kernels for each target, and the programs in C.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::functions::{Function, Mode};

/// A target, the width of its registers in bytes, and what makes gcc use them.
struct Width {
    target: &'static str,
    bytes: usize,
    flags: &'static [&'static str],
}

/// The targets that are measured, as far as this machine runs them.
const WIDTHS: &[Width] = &[
    Width { target: "sse4", bytes: 16, flags: &["-msse4.2"] },
    Width { target: "avx2", bytes: 32, flags: &["-mavx2"] },
    Width { target: "avx512", bytes: 64, flags: &["-mavx512f"] },
];

/// A folder with programs and libraries, removed on drop.
pub(crate) struct Programs {
    folder: TempDir,
    targets: Vec<&'static Width>,
}

/// A shared library made of a function's kernels for a target.
pub(crate) struct Library {
    pub(crate) target: &'static str,
    pub(crate) path: PathBuf,
}

impl Programs {
    /// Takes all targets that this machine runs, or those that are named.
    pub(crate) fn new(wanted: &[String]) -> Result<Programs, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
        let runs = |width: &&Width| ir::target::find(width.target).is_some_and(native::host::runs);
        let is_wanted = |width: &&Width| wanted.is_empty() || wanted.iter().any(|name| name == width.target);
        let targets: Vec<_> = WIDTHS.iter().filter(runs).filter(is_wanted).collect();
        if targets.is_empty() {
            return Err("none of the wanted targets runs here: there are sse4, avx2 and avx512".to_owned());
        }
        Ok(Programs { folder, targets })
    }

    /// The folder of all that is built.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The names of the targets that are measured.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.targets.iter().map(|width| width.target)
    }

    /// Builds a program of `math/` from its C.
    pub(crate) fn c(&self, name: &str, flags: &[&str]) -> Result<PathBuf, String> {
        let made = self.folder.path().join(name);
        let mut command = Command::new("gcc");
        command.args(["-std=gnu17", "-fno-math-errno", "-fno-trapping-math"]).args(flags);
        command.arg(source(name)).arg("-o").arg(&made).args(["-ldl", "-lm", "-lpthread"]);
        run(&mut command).map(|()| made)
    }

    /// The loops that call vector functions of C libraries, for a target's registers.
    pub(crate) fn vector_calls(&self, target: &str) -> Result<PathBuf, String> {
        let width = WIDTHS.iter().find(|width| width.target == target).ok_or("no such target")?;
        let made = self.folder.path().join(format!("calls.{target}.so"));
        if !made.exists() {
            let mut command = Command::new("gcc");
            command
                .args(["-O2", "-shared", "-fPIC", "-Wno-psabi"])
                .args(width.flags)
                .arg(format!("-DBYTES={}", width.bytes));
            run(command.arg(source("vector_calls")).arg("-o").arg(&made))?;
        }
        Ok(made)
    }

    /// Builds the kernels of a function for all targets; none if the prelude has no text of it.
    pub(crate) fn libraries(&self, function: &Function, elem: &str) -> Result<Vec<Library>, String> {
        if !function.is_written(elem) {
            return Ok(Vec::new());
        }
        let text = self.text(function, elem, &Mode::ALL)?;
        let name = format!("{}_{elem}", function.name());
        self.targets.iter().map(|width| self.library(width.target, &text, &name)).collect()
    }

    /// Writes the kernels of a function in the given modes to a file, `NAME_TYPE.lane`.
    pub(crate) fn text(&self, function: &Function, elem: &str, modes: &[Mode]) -> Result<PathBuf, String> {
        let kernels: Vec<String> = modes.iter().map(|mode| function.kernel(elem, *mode)).collect();
        let path = self.folder.path().join(format!("{}_{elem}.lane", function.name()));
        fs::write(&path, kernels.join("\n")).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    /// Builds the objects of texts for a target, in a folder of its name.
    pub(crate) fn objects(&self, target: &str, texts: &[PathBuf]) -> Result<PathBuf, String> {
        let folder = self.folder.path().join(target);
        let mut build = Command::new(env!("CARGO_BIN_EXE_lanescope"));
        run(build.arg("build").args(texts).arg("-o").arg(&folder).args(["--target", target]))?;
        Ok(folder)
    }

    fn library(&self, target: &'static str, text: &Path, name: &str) -> Result<Library, String> {
        let folder = self.objects(target, &[text.to_owned()])?;
        let (object, path) = (folder.join(name).with_extension("o"), folder.join(name).with_extension("so"));
        run(Command::new("gcc").args(["-shared", "-w", "-o"]).arg(&path).arg(object).arg("-lm"))?;
        Ok(Library { target, path })
    }
}

/// A text in C of `math/`.
pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/math").join(name).with_extension("c")
}

/// Runs a command; if it fails, returns what it said.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    if output.status.success() { Ok(()) } else { Err(format!("{command:?}\n{said}")) }
}

/// The name of this machine's processor, as Linux tells it, with what tells it from others of that name.
pub(crate) fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let told = |key: &str| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|word| word.trim() == key))?;
        Some(line.split_once(": ")?.1.trim().to_owned())
    };
    let name = told("model name").unwrap_or_else(|| "an unnamed processor".to_owned());
    match (told("cpu family"), told("model")) {
        (Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
        _ => name,
    }
}
