//! Inputs, from paths to documents: files, folders, and `-` for standard input.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::document::Document;
use crate::ispc_files;

/// A source of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file, by its path.
    File(PathBuf),
}

impl Input {
    /// Returns the input for a path.
    pub fn of(path: &Path) -> Input {
        if path.as_os_str() == "-" { Input::Stdin } else { Input::File(path.to_owned()) }
    }

    /// Returns the name of the input in outputs.
    pub fn name(&self) -> String {
        match self {
            Input::Stdin => "<stdin>".to_owned(),
            Input::File(path) => path.display().to_string(),
        }
    }

    /// Returns true for a file of ISPC's, by its name.
    pub fn is_ispc(&self) -> bool {
        matches!(self, Input::File(path) if ispc_files::is_ispc(path))
    }

    /// Reads the document, or returns a sentence with the reason why that failed.
    pub fn read(&self) -> Result<Document, String> {
        let name = self.name();
        if self.is_ispc() {
            return Err(ispc_files::refusal(&name));
        }
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

/// Reads the text of a file of any language; else returns a sentence with the reason why that failed.
pub fn text_of(path: &Path) -> Result<String, String> {
    let text = fs::read(path).map_err(|error| reason(&error)).and_then(decode);
    text.map_err(|reason| format!("{}: {reason}", path.display()))
}

/// Decodes the bytes of a file, or returns the reason why they are no text.
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

/// Describes an error of the system in words that are equal on all systems.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "a folder, where one file is wanted".to_owned(),
        _ => error.to_string(),
    }
}

/// The inputs that a list of paths expands to.
#[derive(Debug, Default)]
pub struct Found {
    /// Each input once, sorted by name.
    pub inputs: Vec<Input>,
    /// Messages about folders that could not be listed.
    pub troubles: Vec<String>,
}

/// Expands folders to the `.lane` files in and below them.
pub fn find(paths: &[PathBuf]) -> Found {
    let mut found = Found::default();
    for path in paths {
        match Input::of(path) {
            Input::File(path) if path.is_dir() => {
                let n_before = (found.inputs.len(), found.troubles.len());
                walk(&path, &|name| name.extension().is_some_and(|ending| ending == "lane"), &mut found);
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

/// Parts paths into ISPC files and others. A folder gives its ISPC sources, and is one of the others as well, unless it has nothing else; headers
/// are read with the files that include them.
pub fn parted(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut of_ispc, mut others) = (Vec::new(), Vec::new());
    for path in paths {
        if ispc_files::is_ispc(path) && !path.is_dir() {
            of_ispc.push(path.clone());
            continue;
        }
        let mut sources = Found::default();
        if path.is_dir() {
            walk(path, &|name| name.extension().is_some_and(|ending| ending == "ispc"), &mut sources);
        }
        if sources.inputs.is_empty() || !find(std::slice::from_ref(path)).inputs.is_empty() {
            others.push(path.clone());
        }
        of_ispc.extend(sources.inputs.into_iter().map(|input| PathBuf::from(input.name())));
    }
    of_ispc.sort();
    of_ispc.dedup();
    (of_ispc, others)
}

/// Collects all wanted files in and below a folder. Hidden entries are skipped, and links to folders are not followed,
/// since they may form a cycle.
fn walk(folder: &Path, is_wanted: &dyn Fn(&Path) -> bool, found: &mut Found) {
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
            walk(&path, is_wanted, found);
        } else if is_wanted(&path) && path.is_file() {
            found.inputs.push(Input::File(path));
        }
    }
}
