//! Errors of `use` lines.

use report::spelling;
use report::{ItemKey, TextRange};

use super::CheckCode;
use crate::finding::{Edit, Finding};

/// The reasons why a `use` takes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UseFailure {
    /// No file of that name is known.
    Unknown,
    /// The other file uses this one, directly or by way of others.
    Circle,
}

pub fn use_circle(at: TextRange, path: &str) -> Finding {
    let message = format!("`{path}` uses this file, directly or by way of others, so this `use` closes a circle");
    Finding::error(CheckCode::UseCircle, at, message)
        .with_help("move what both need to a file of its own, and use that in both")
}

/// `file_name`: the file that the path names, where the file with the `use` has a place; `libraries`: the names of all libraries.
pub fn unknown_file(at: TextRange, path: &str, file_name: Option<&str>, libraries: &[&str]) -> Finding {
    let shown = file_name.map(|name| name.rsplit_once('/').map_or(name, |(_, last)| last));
    let is_one_name = path.chars().all(|c| c.is_alphanumeric() || c == '_');
    let place = match (shown, is_one_name) {
        (Some(file), true) => format!("there is no file `{file}` beside this one, and no library `{path}`"),
        (Some(_), false) => format!("there is no file `{}` from this one on", path_of(path)),
        (None, true) => {
            format!("there is no library `{path}`, and this text is in no file that others could stand beside")
        }
        (None, false) => "this text is in no file that others could stand beside".to_owned(),
    };
    let finding = Finding::error(CheckCode::UnknownFile, at, place);
    match spelling::closest(path, libraries).filter(|_| is_one_name) {
        Some(meant) => finding
            .with_help(format!("did you mean `{meant}`?"))
            .with_fix(format!("write `{meant}`"), Edit::Replace(at, meant.to_owned())),
        None if is_one_name => finding.with_help(format!("the libraries are {}", listed(libraries))),
        None => finding.with_help(
            "`use shared.filters` is `shared/filters.lane`; each dot in front but the first goes up one folder",
        ),
    }
}

/// The name of a type that a library has.
pub fn type_of_library(at: TextRange, name: &str, library: &str) -> Finding {
    of_library(unknown_type_here(at, name), name, library)
}

/// The name of a type that a file beside this one has.
pub fn type_of_file(at: TextRange, name: &str, file: &str) -> Finding {
    of_file(unknown_type_here(at, name), name, file)
}

fn unknown_type_here(at: TextRange, name: &str) -> Finding {
    Finding::error(CheckCode::UnknownType, at, format!("there is no type `{name}` here"))
}

/// A finding about a name that stands for nothing in the file, and that a file beside it has.
pub fn of_file(finding: Finding, name: &str, file: &str) -> Finding {
    finding
        .with_help(format!("`{file}.lane` has it"))
        .with_fix(format!("write `use {file}: {name}`"), Edit::ItemAbove(format!("use {file}: {name}\n")))
}

/// A finding about a name that stands for nothing in the file, and that a library has.
pub fn of_library(finding: Finding, name: &str, library: &str) -> Finding {
    finding
        .with_help(format!("the library `{library}` has it"))
        .with_fix(format!("write `use {library}: {name}`"), Edit::ItemAbove(format!("use {library}: {name}\n")))
}

fn path_of(path: &str) -> String {
    let parts = path.trim_start_matches('.');
    let n_up = (path.len() - parts.len()).saturating_sub(1);
    format!("{}{}.lane", "../".repeat(n_up), parts.replace('.', "/"))
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

pub fn used_twice(at: TextRange, path: &str) -> Finding {
    Finding::error(CheckCode::DuplicateName, at, format!("`{path}` is used above already"))
        .with_fix("remove the line", Edit::RemoveLine(at))
}

pub fn name_taken_twice(at: TextRange, name: &str) -> Finding {
    Finding::error(CheckCode::DuplicateName, at, format!("this `use` names `{name}` twice"))
        .with_help("remove one of the two")
}

pub fn use_of_kernel(at: TextRange, name: &str) -> Finding {
    Finding::error(CheckCode::UnknownName, at, format!("`{name}` is a kernel, which is called from outside alone"))
        .with_help("move what both need to a `fn`, and use that")
}

/// `names`: what the other file has for others.
pub fn unknown_in_file<'k>(at: TextRange, name: &str, path: &str, names: impl Iterator<Item = &'k ItemKey>) -> Finding {
    let names: Vec<&str> = names.map(|key| &*key.name).collect();
    let finding = Finding::error(CheckCode::UnknownName, at, format!("`{path}` has nothing of the name `{name}`"));
    match spelling::closest(name, &names) {
        Some(meant) => finding
            .with_help(format!("did you mean `{meant}`?"))
            .with_fix(format!("write `{meant}`"), Edit::Replace(at, meant.to_owned())),
        None if names.is_empty() => finding.with_help("it has no `fn`, `struct`, `enum` or `const` at all"),
        None => finding.with_help(format!("it has {}", listed(&names[..names.len().min(8)]))),
    }
}

pub fn name_of_two_files(at: TextRange, name: &str, path: &str, other: &str) -> Finding {
    Finding::error(CheckCode::DuplicateName, at, format!("`{name}` is in `{other}` and in `{path}`"))
        .with_help(format!("say which names are meant: `use {path}: …` takes no others"))
}

pub fn struct_of_two_files(at: TextRange, name: &str, path: &str) -> Finding {
    let message = format!("`{path}` brings a struct `{name}`, and another one of that name is here already");
    Finding::error(CheckCode::DuplicateName, at, message)
        .with_help("in files that work together a struct's name is one type: rename one of the two")
}

/// `error`: the message of the first error in the other file.
pub fn used_file_fails(at: TextRange, path: &str, error: &str) -> Finding {
    Finding::error(CheckCode::UsedFileFails, at, format!("`{path}` has errors, so what it gives cannot be relied on"))
        .with_help(format!("the first: {error}"))
}
