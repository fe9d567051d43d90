//! The things on this machine that Lanescope works with, what is missing of them, and what to do about it.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use native::protocol::{CompiledForm, Outcome, Spec};
use queries::run::{Argument, DataSource};
use queries::stages::Options;
use queries::stages::target::{TARGETS, Target};
use serde::Serialize;

use crate::document::Document;
use crate::machine_code;
use crate::running;

/// The state of one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// There, and working.
    Fine,
    /// Not there; most works without it.
    Missing,
    /// Something that native code needs is not there, or does not work.
    Broken,
}

/// One thing that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Name of the thing.
    pub name: &'static str,
    /// Its state.
    pub state: State,
    /// The thing that was found, or the consequence of its absence.
    pub found: String,
    /// The way out, if there is anything to do.
    pub advice: Option<String>,
}

impl Finding {
    fn fine(name: &'static str, found: String) -> Finding {
        Finding { name, state: State::Fine, found, advice: None }
    }
}

/// A kernel whose run tells that native code is made and run.
const SAMPLE: &str =
    "kernel sum(a, n) -> f32:\n    total = 0.0\n    for i in range(n):\n        total += a[i]\n    return total\n";

/// Time limit of the sample's run.
const PATIENCE: Duration = Duration::from_secs(20);

/// Examines this program, LLVM, the targets, native code, and the compiler of C.
pub fn examine() -> Vec<Finding> {
    let program = env::current_exe().map_or_else(|_| "this program".to_owned(), |path| path.display().to_string());
    let mut findings = vec![Finding::fine("lanescope", format!("{}, {program}", env!("CARGO_PKG_VERSION")))];
    match machine_code::hello() {
        Ok(Outcome::Hello { version: (major, minor, patch), library, host }) => {
            findings.push(Finding::fine("LLVM", format!("{major}.{minor}.{patch}, {library}")));
            let row = native::host::row();
            findings.push(Finding::fine("this machine", format!("{} ({})", row.name, host.cpu)));
            findings.push(native_code(row));
            findings.push(targets());
        }
        other => {
            let found = "none that can be used: assembly, native runs, benchmarks and object files are not to be had; all else works";
            let advice = match other {
                Err(trouble) => trouble,
                Ok(_) => "the worker gave no answer; type: lanescope targets".to_owned(),
            };
            findings.push(Finding {
                name: "LLVM",
                state: State::Broken,
                found: found.to_owned(),
                advice: Some(advice),
            });
        }
    }
    findings.push(c_compiler());
    findings
}

/// Makes and runs native code for this machine.
fn native_code(row: &'static Target) -> Finding {
    match sample_sum(row) {
        Ok(sum) if sum == "28.0" => Finding::fine("native code", "is made and runs".to_owned()),
        Ok(sum) => broken(format!("gives {sum} where 28.0 is right")),
        Err(why) => broken(why),
    }
}

fn broken(found: String) -> Finding {
    let advice = "use another LLVM: set LANESCOPE_LLVM to the path of a libLLVM, version 19 or newer".to_owned();
    Finding { name: "native code", state: State::Broken, found, advice: Some(advice) }
}

/// Runs the sample natively, and returns its result.
fn sample_sum(row: &'static Target) -> Result<String, String> {
    let options = Options { target: row, ..Options::default() };
    let document = Document::new("sample.lane", SAMPLE).made_for(&[options]);
    let item = document.items().first().copied().ok_or("the sample has no kernel")?;
    let given = [("a", DataSource::Ramp(8)), ("n", DataSource::Number("8".to_owned()))];
    let given = given.map(|(name, source)| Argument { name: name.to_owned(), source });
    let client = machine_code::client()?;
    let machine = native::host::tuned(row);
    let ask = |job, memory: &[u8]| client.ask(job, memory).wait(PATIENCE);
    let ran = running::natively(&document, item, &given, options, &machine, None, ask);
    let ran = ran.map_err(|why| why.to_string())?.map_err(|failure| failure.to_string())?;
    Ok(ran.result.map_or_else(|| "nothing".to_owned(), |result| result.to_string()))
}

/// Makes assembly for each target, for LLVM may have been built without some.
fn targets() -> Finding {
    let makes = |target: &&Target| assembly(target).is_ok();
    let (made, not_made): (Vec<&Target>, Vec<&Target>) = TARGETS.iter().partition(makes);
    let names = |targets: &[&Target]| targets.iter().map(|target| target.name).collect::<Vec<_>>().join(" ");
    match &not_made[..] {
        [] => Finding::fine("targets", names(&made)),
        not_made => Finding {
            name: "targets",
            state: State::Missing,
            found: format!("{}; no code can be made for {}", names(&made), names(not_made)),
            advice: Some("this LLVM was built without them; set LANESCOPE_LLVM to one that has them".to_owned()),
        },
    }
}

fn assembly(target: &Target) -> Result<(), String> {
    let ir = "define void @nothing() {\n  ret void\n}\n".to_owned();
    let answer = machine_code::client()?.compile(ir, Spec::of(target), CompiledForm::Assembly, PATIENCE);
    answer.map(|_| ()).map_err(|failure| failure.to_string())
}

/// A compiler of C, which callers of object files need.
fn c_compiler() -> Finding {
    let path = env::var_os("PATH").unwrap_or_default();
    match ["cc", "gcc", "clang"].into_iter().find_map(|name| program(&path, name)) {
        Some(compiler) => Finding::fine("C compiler", compiler.display().to_string()),
        None => Finding {
            name: "C compiler",
            state: State::Missing,
            found: "none: object files are written, but nothing here can link them".to_owned(),
            advice: Some("on Debian or Ubuntu, type: sudo apt install gcc".to_owned()),
        },
    }
}

/// The editors that there are set-ups for: program, name, and the folder of the set-up.
const EDITORS: &[(&str, &str, &str)] = &[
    ("code", "VS Code", "vscode"),
    ("codium", "VSCodium", "vscode"),
    ("nvim", "Neovim", "neovim"),
    ("vim", "Vim", "vim"),
    ("emacs", "Emacs", "emacs"),
    ("hx", "Helix", "helix"),
    ("kak", "Kakoune", "kakoune"),
    ("kate", "Kate", "kate"),
    ("subl", "Sublime Text", "sublime"),
    ("zed", "Zed", "zed"),
];

/// Finds the editors in the folders of a search path, and says where their set-ups are.
pub fn editors(path: &OsStr) -> Vec<Finding> {
    let found: Vec<_> = EDITORS.iter().filter(|(command, ..)| program(path, command).is_some()).collect();
    if found.is_empty() {
        let found =
            "none that is known is on the PATH; any client of the Language Server Protocol can start `lanescope lsp`";
        let advice = Some("editors/README.md says how to set up each editor".to_owned());
        return vec![Finding { name: "editor", state: State::Missing, found: found.to_owned(), advice }];
    }
    let row = |(_, name, folder): &&(&str, &str, &str)| Finding {
        name: "editor",
        state: State::Fine,
        found: format!("{name}; its set-up is in editors/{folder}"),
        advice: None,
    };
    found.iter().map(row).collect()
}

/// The first file of a name in the folders of a search path.
fn program(path: &OsStr, name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(path).map(|folder| folder.join(&file)).find(|file| file.is_file())
}
