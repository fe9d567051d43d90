//! The files that a file uses: what its `use` lines name, and what is wrong with them.
//!
//! `use filters` is the file `filters.lane` beside the one that says so, `use shared.filters` the one in the folder `shared` beside it, and each dot in front
//! but the first goes up one folder. Where no such file is known, one name alone is that of a library, which comes with the program. A file sees what
//! it uses itself, and not what that uses in turn. Files that use each other in a circle would have no order to be understood in, so a `use`
//! that closes one is an error, and takes nothing.

use std::sync::Arc;

use report::{ItemKey, ItemKind, Severity};

use super::db::{File, Item, Known, file_items, parse};
use super::names::{file_names, is_shown, structs, visible_names};
use super::surface::use_line;
use hir::errors::{self, UseFailure};
use hir::finding::Finding;
use hir::{Name, UseLine};

/// A `use` of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedFile {
    /// What it says.
    pub line: UseLine,
    /// The file, unless it is not known or on a circle.
    pub file: Option<File>,
    /// Why nothing is taken, where there is no file.
    pub failure: Option<UseFailure>,
}

/// The `use` lines of a file, each with the file that it names.
#[salsa::tracked]
fn use_lines(db: &dyn salsa::Database, file: File) -> Arc<Vec<(UseLine, Option<File>)>> {
    let lines = file_items(db, file).iter().filter(|item| item.kind(db) == ItemKind::Use);
    Arc::new(
        lines.filter_map(|&item| use_line(db, item)).map(|line| (line.clone(), target(db, file, &line.path))).collect(),
    )
}

/// The paths of the files in and below the folder of a file, as a `use` in it has them.
pub fn files_beside(db: &dyn salsa::Database, file: File) -> Vec<String> {
    let Some((folder, _)) = file.name(db).rsplit_once('/') else { return Vec::new() };
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let others = Known::get(db).files(db).iter().filter(|(_, other)| **other != file);
    let below = others.filter_map(|(name, _)| name.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".lane"));
    let mut paths: Vec<String> =
        below.filter(|path| path.split('/').all(is_name)).map(|path| path.replace('/', ".")).collect();
    paths.sort_unstable();
    paths
}

/// The libraries, each with the comment at its top.
pub fn libraries(db: &dyn salsa::Database) -> impl Iterator<Item = (&'static str, Option<String>)> {
    Known::get(db).libraries(db).iter().map(|(name, file)| {
        let comment = file.text(db).lines().next().and_then(|line| line.strip_prefix("# "));
        (*name, comment.map(str::to_owned))
    })
}

/// The file that a path names.
pub fn target(db: &dyn salsa::Database, file: File, path: &str) -> Option<File> {
    let known = Known::get(db);
    let beside = file_named(file.name(db), path).and_then(|name| known.files(db).get(&*name).copied());
    beside.or_else(|| known.libraries(db).iter().find(|(name, _)| *name == path).map(|(_, library)| *library))
}

/// The name of the file that a path in another file names: of paths and of addresses. `None` where it would be outside of all folders.
pub fn file_named(name: &str, path: &str) -> Option<String> {
    let parts = path.trim_start_matches('.');
    let n_up = (path.len() - parts.len()).saturating_sub(1);
    let mut folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut up = String::new();
    for _ in 0..n_up {
        match folder.rsplit_once('/') {
            Some((around, last)) if !matches!(last, ".." | ".") && !last.is_empty() => folder = around,
            // A path that starts where the program runs.
            None if !matches!(folder, "" | "." | "..") && !name.starts_with('/') => folder = "",
            None if !name.starts_with('/') => up.push_str("../"),
            _ => return None,
        }
    }
    let is_root = folder.is_empty() && !name.starts_with('/');
    let folder = if is_root { String::new() } else { format!("{folder}/") };
    Some(format!("{folder}{up}{}.lane", parts.replace('.', "/")))
}

/// The files that a file uses, as its lines name them.
#[salsa::tracked]
pub fn used_files(db: &dyn salsa::Database, file: File) -> Arc<Vec<UsedFile>> {
    let lines = use_lines(db, file).iter().map(|(line, target)| {
        let failure = match target {
            None => Some(UseFailure::Unknown),
            Some(target) => reaches(db, *target, file).then_some(UseFailure::Circle),
        };
        UsedFile { line: line.clone(), file: target.filter(|_| failure.is_none()), failure }
    });
    Arc::new(lines.collect())
}

/// Says whether a file is another one, or uses it, directly or by way of others.
fn reaches(db: &dyn salsa::Database, from: File, to: File) -> bool {
    let mut seen = vec![from];
    let mut next = 0;
    while next < seen.len() {
        if seen[next] == to {
            return true;
        }
        for (_, target) in use_lines(db, seen[next]).iter() {
            seen.extend(target.filter(|target| !seen.contains(target)));
        }
        next += 1;
    }
    false
}

/// All files that a file uses, directly or by way of others, each once.
#[salsa::tracked]
pub fn all_used(db: &dyn salsa::Database, file: File) -> Arc<Vec<File>> {
    let mut all: Vec<File> = Vec::new();
    let mut waiting = vec![file];
    while let Some(from) = waiting.pop() {
        for used in used_files(db, from).iter().filter_map(|used| used.file) {
            if !all.contains(&used) {
                all.push(used);
                waiting.push(used);
            }
        }
    }
    Arc::new(all)
}

/// The place of a file and the files that it uses, for a copy of it in another database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The name of the file.
    pub name: Arc<str>,
    /// The names and texts of the files that it uses, but libraries, which every database has.
    pub used: Vec<(Arc<str>, Arc<str>)>,
}

impl Surroundings {
    /// The surroundings of a file.
    pub fn of(db: &dyn salsa::Database, file: File) -> Surroundings {
        let used = all_used(db, file).iter().filter(|used| !is_library(db, **used));
        let used = used.map(|used| (used.name(db).clone(), used.text(db).clone()));
        Surroundings { name: file.name(db).clone(), used: used.collect() }
    }

    /// The name of a copy in the same folder.
    pub fn beside(&self, name: &str) -> String {
        self.name.rsplit_once('/').map_or_else(|| name.to_owned(), |(folder, _)| format!("{folder}/{name}"))
    }
}

/// The names of files that a file, or one that it uses, names and that are not known, for whoever can read them. A library is known, but a file of its
/// name would come before it.
pub fn wanted(db: &dyn salsa::Database, file: File) -> Vec<String> {
    let mut wanted = Vec::new();
    for of in [file].iter().chain(all_used(db, file).iter()) {
        for (line, target) in use_lines(db, *of).iter() {
            if target.is_none_or(|target| is_library(db, target)) && !is_library(db, *of) {
                wanted.extend(file_named(of.name(db), &line.path));
            }
        }
    }
    wanted
}

/// The file that a `use` takes names of.
pub fn file_of_use<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<File> {
    let line = use_line(db, item)?;
    used_files(db, item.file(db)).iter().find(|used| used.line == line)?.file
}

/// The item that a name stands for among those that a `use` takes.
pub fn key_of_taken<'db>(db: &'db dyn salsa::Database, item: Item<'db>, name: &str) -> Option<&'db ItemKey> {
    file_names(db, file_of_use(db, item)?).get(name).filter(|key| is_shown(key))
}

/// The files of the libraries, in the order of their list.
pub fn library_files(db: &dyn salsa::Database) -> impl Iterator<Item = File> {
    Known::get(db).libraries(db).iter().map(|(_, library)| *library)
}

/// The file in the folder of another one that has an item of a name, of a kind that fits. One that uses the other is none: that would be a circle.
pub(super) fn file_beside_with(
    db: &dyn salsa::Database,
    file: File,
    name: &str,
    fits: &dyn Fn(ItemKind) -> bool,
) -> Option<Name> {
    if name.starts_with('_') {
        return None;
    }
    let paths = files_beside(db, file).into_iter().filter(|path| !path.contains('.'));
    let mut with_it = paths.filter(|path| {
        target(db, file, path).is_some_and(|beside| {
            let has_it = file_names(db, beside).get(name).is_some_and(|key| is_shown(key) && fits(key.kind));
            has_it && !all_used(db, beside).contains(&file)
        })
    });
    with_it.next().map(Name::from)
}

/// The library that has an item of a name, of a kind that fits.
pub(super) fn library_with(db: &dyn salsa::Database, name: &str, fits: &dyn Fn(ItemKind) -> bool) -> Option<Name> {
    if name.starts_with('_') {
        return None;
    }
    let has =
        |(_, file): &&(&str, File)| file_names(db, *file).get(name).is_some_and(|key| is_shown(key) && fits(key.kind));
    Known::get(db).libraries(db).iter().find(has).map(|(library, _)| Name::from(*library))
}

/// Says whether a file is a library's.
pub fn is_library(db: &dyn salsa::Database, file: File) -> bool {
    library_files(db).any(|library| library == file)
}

/// What a file has for others, in its order.
pub fn shown_names(db: &dyn salsa::Database, file: File) -> impl Iterator<Item = &ItemKey> {
    file_names(db, file).in_order.iter().filter(|key| key.nth == 0 && is_shown(key) && !key.name.starts_with('_'))
}

/// The files that have items of a file in sight: itself, and those among `files` that use it, directly or by way of others.
pub fn files_that_see(db: &dyn salsa::Database, files: &[File], file: File) -> Vec<File> {
    let uses_it = |other: &&File| **other != file && all_used(db, **other).contains(&file);
    std::iter::once(file).chain(files.iter().filter(uses_it).copied()).collect()
}

/// What is wrong with a `use`.
pub(super) fn findings<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Vec<Finding> {
    let file = item.file(db);
    let Some(line) = use_line(db, item) else { return Vec::new() };
    let used = used_files(db, file);
    // Two lines may say the same.
    let lines = file_items(db, file).iter().filter(|it| it.kind(db) == ItemKind::Use && use_line(db, **it).is_some());
    let Some(number) = lines.into_iter().position(|it| *it == item).filter(|&n| n < used.len()) else {
        return Vec::new();
    };
    let used = &used[..=number];
    let (own, before) = used.split_last().expect("the line is among them");
    let Some(target) = own.file else {
        let libraries: Vec<&str> = Known::get(db).libraries(db).iter().map(|(name, _)| *name).collect();
        let file_name = file_named(file.name(db), &line.path);
        return vec![match own.failure {
            Some(UseFailure::Circle) => errors::use_circle(line.at, &line.path),
            _ => errors::unknown_file(line.at, &line.path, file_name.as_deref(), &libraries),
        }];
    };
    let mut found = Vec::new();
    if before.iter().any(|earlier| earlier.file == Some(target) && earlier.line.names == line.names) {
        found.push(errors::used_twice(line.at, &line.path));
        return found;
    }
    let names = file_names(db, target);
    for (n, (name, at)) in line.names.iter().flatten().enumerate() {
        let is_again = line.names.iter().flatten().take(n).any(|(earlier, _)| earlier == name);
        match names.get(name) {
            _ if is_again => found.push(errors::name_taken_twice(*at, name)),
            Some(key) if is_shown(key) => {}
            Some(_) => found.push(errors::use_of_kernel(*at, name)),
            None => found.push(errors::unknown_in_file(
                *at,
                name,
                &line.path,
                names.in_order.iter().filter(|key| is_shown(key)),
            )),
        }
    }
    // A name that two files give is not one that anybody chose.
    let own_names = file_names(db, file);
    let taken =
        |name: &Name| names.get(name).is_some_and(is_shown) && line.takes(name) && own_names.get(name).is_none();
    let mut meets = before.iter().filter(|earlier| earlier.file.is_some_and(|of| of != target)).filter_map(|earlier| {
        let theirs = file_names(db, earlier.file?);
        let both =
            theirs.in_order.iter().find(|key| is_shown(key) && earlier.line.takes(&key.name) && taken(&key.name))?;
        Some((both.name.clone(), earlier.line.path.clone()))
    });
    if let Some((name, other)) = meets.next() {
        found.push(errors::name_of_two_files(line.at, &name, &line.path, &other));
    }
    // A type is told by its struct's name, so one name is one struct in all that works together.
    let mut seen = structs_of(db, file);
    for of in before.iter().filter_map(|earlier| earlier.file) {
        seen.extend(structs_of(db, of));
        all_used(db, of).iter().for_each(|of| seen.extend(structs_of(db, *of)));
    }
    let mut theirs = structs_of(db, target);
    all_used(db, target).iter().for_each(|of| theirs.extend(structs_of(db, *of)));
    let twice =
        theirs.iter().find(|theirs| seen.iter().any(|seen| seen.name(db) == theirs.name(db) && seen != *theirs));
    if let Some(twice) = twice {
        found.push(errors::struct_of_two_files(line.at, twice.name(db), &line.path));
    }
    if let Some(error) = first_error(db, target) {
        found.push(errors::used_file_fails(line.at, &line.path, &error));
    }
    found
}

/// The structs that a file has itself.
fn structs_of(db: &dyn salsa::Database, file: File) -> Vec<Item<'_>> {
    structs(db, file).iter().copied().filter(|item| item.file(db) == file).collect()
}

/// The message of the first error in a file.
fn first_error(db: &dyn salsa::Database, file: File) -> Option<String> {
    file_items(db, file).iter().find_map(|&item| {
        let of_syntax = parse(db, item).errors.iter().find(|error| error.severity == Severity::Error);
        let of_syntax = of_syntax.map(|error| error.message.clone());
        of_syntax.or_else(|| {
            let findings = super::check::findings(db, item);
            findings.iter().find(|finding| finding.severity == Severity::Error).map(|finding| finding.message.clone())
        })
    })
}

/// The texts of a file's `use` lines and of all files that it uses: whoever keeps answers about it compares them.
pub fn texts_used(db: &dyn salsa::Database, file: File) -> Vec<Arc<str>> {
    if use_lines(db, file).is_empty() {
        return Vec::new();
    }
    let lines = file_items(db, file).iter().filter(|item| item.kind(db) == ItemKind::Use);
    let lines = lines.map(|item| item.text(db).clone());
    lines.chain(all_used(db, file).iter().map(|of| of.text(db).clone())).collect()
}

/// Says whether a name comes from a file that is used.
pub fn comes_from_elsewhere(db: &dyn salsa::Database, file: File, name: &str) -> bool {
    file_names(db, file).get(name).is_none() && visible_names(db, file).get(name).is_some()
}
