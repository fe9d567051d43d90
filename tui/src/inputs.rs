//! From the paths on the command line to documents: files, folders, and `-` for standard input.
//!
//! What cannot be read is said on standard error, and all else is still worked on.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::console::{Console, Outcome};
use crate::document::Document;

/// Something to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Input {
    /// The input that a path on the command line stands for.
    pub fn of(path: &Path) -> Input {
        if path.as_os_str() == "-" { Input::Stdin } else { Input::File(path.to_owned()) }
    }

    /// What outputs call it.
    pub fn name(&self) -> String {
        match self {
            Input::Stdin => "<stdin>".to_owned(),
            Input::File(path) => path.display().to_string(),
        }
    }

    /// Its text, or a sentence on why there is none.
    pub fn read(&self) -> Result<Document, String> {
        let name = self.name();
        let bytes = match self {
            Input::Stdin => {
                let mut bytes = Vec::new();
                io::stdin().read_to_end(&mut bytes).map(|_| bytes)
            }
            Input::File(path) => fs::read(path),
        };
        let text = bytes.map_err(|error| reason(&error)).and_then(decode);
        text.map(|text| Document::new(&name, text)).map_err(|reason| format!("{name}: {reason}"))
    }
}

/// The text of a file's bytes, or why they are none.
fn decode(bytes: Vec<u8>) -> Result<String, String> {
    if u32::try_from(bytes.len()).is_err() {
        return Err("larger than 4 GiB".to_owned());
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let utf16 = [&[0xff, 0xfe][..], &[0xfe, 0xff]].iter().any(|mark| error.as_bytes().starts_with(mark));
        let looks = if utf16 { " (it looks like UTF-16; save it as UTF-8)" } else { "" };
        format!("not UTF-8 text: line {line} has bytes that are no character{looks}")
    })
}

/// A system's error in words that stay the same on every system.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "a folder, where one file is wanted".to_owned(),
        _ => error.to_string(),
    }
}

/// The one file that a path names. Folders are refused when it is read.
pub fn one(path: &Path, console: &mut Console) -> io::Result<Option<Document>> {
    match Input::of(path).read() {
        Ok(document) => Ok(Some(document)),
        Err(message) => console.trouble(&message).map(|()| None),
    }
}

/// Does `work` on every document that the paths name, by name, with progress on a terminal. The worst outcome counts.
pub fn each(
    paths: &[PathBuf],
    verb: &str,
    console: &mut Console,
    mut work: impl FnMut(Document, &Input, &mut Console) -> io::Result<Outcome>,
) -> io::Result<Outcome> {
    let Found { inputs, troubles } = find(paths);
    let mut outcome = Outcome::Done;
    for message in troubles {
        console.trouble(&message)?;
        outcome = Outcome::Trouble;
    }
    for (n, input) in inputs.iter().enumerate() {
        console.progress(verb, n, inputs.len(), &input.name())?;
        outcome = outcome.max(match input.read() {
            Ok(document) => work(document, input, console)?,
            Err(message) => console.trouble(&message).map(|()| Outcome::Trouble)?,
        });
    }
    Ok(outcome)
}

/// What a list of paths leads to.
#[derive(Debug, Default)]
struct Found {
    /// Each input once, by name.
    inputs: Vec<Input>,
    /// What could not be looked into.
    troubles: Vec<String>,
}

fn find(paths: &[PathBuf]) -> Found {
    let mut found = Found::default();
    for path in paths {
        match Input::of(path) {
            Input::File(path) if path.is_dir() => {
                let n_before = (found.inputs.len(), found.troubles.len());
                walk(&path, &mut found);
                if n_before == (found.inputs.len(), found.troubles.len()) {
                    found.troubles.push(format!("{}: no `.lane` files in this folder", path.display()));
                }
            }
            input => found.inputs.push(input),
        }
    }
    let mut seen = BTreeSet::new();
    found.inputs.retain(|input| seen.insert(input.name()));
    found.inputs.sort_by_key(Input::name);
    found
}

/// All `.lane` files in and under a folder. Hidden ones are left alone, and links to folders are not followed: they may
/// lead in a circle.
fn walk(folder: &Path, found: &mut Found) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return found.troubles.push(format!("{}: {}", folder.display(), reason(&error))),
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if hidden {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "lane") && path.is_file() {
            found.inputs.push(Input::File(path));
        }
    }
}
