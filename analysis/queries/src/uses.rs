//! The files that a file uses: what its `use` lines name, and what is wrong with them.
//!
//! `use filters` is the file `filters.lane` beside the one that says so, `use shared.filters` the one in the folder `shared` beside it, and each dot in front
//! but the first goes up one folder. Where no such file is known, one name alone is that of a library, which comes with the program. A file sees what
//! it uses itself, and not what that uses in turn. Files that use each other in a circle would have no order to be understood in, so a `use`
//! that closes one is an error, and takes nothing.

use std::sync::Arc;

use report::{ItemKey, ItemKind, Severity};
use rustc_hash::{FxHashMap, FxHashSet};

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
    let lines = use_lines(db, file);
    let around = match lines.is_empty() {
        true => FxHashSet::default(),
        false => on_circles(db, file),
    };
    let lines = lines.iter().map(|(line, target)| {
        let failure = match target {
            None => Some(UseFailure::Unknown),
            Some(target) => around.contains(target).then_some(UseFailure::Circle),
        };
        UsedFile { line: line.clone(), file: target.filter(|_| failure.is_none()), failure }
    });
    Arc::new(lines.collect())
}

/// The file itself and all that it uses and that use it in turn, directly or by way of others.
fn on_circles(db: &dyn salsa::Database, file: File) -> FxHashSet<File> {
    let mut users: FxHashMap<File, Vec<File>> = FxHashMap::default();
    let mut seen = FxHashSet::from_iter([file]);
    let mut open = vec![file];
    while let Some(user) = open.pop() {
        for target in use_lines(db, user).iter().filter_map(|(_, target)| *target) {
            users.entry(target).or_default().push(user);
            if seen.insert(target) {
                open.push(target);
            }
        }
    }
    let mut leading = FxHashSet::from_iter([file]);
    let mut open = vec![file];
    while let Some(target) = open.pop() {
        open.extend(users.get(&target).into_iter().flatten().copied().filter(|user| leading.insert(*user)));
    }
    leading
}

/// All files that a file uses, directly or by way of others, each once.
#[salsa::tracked]
pub fn all_used(db: &dyn salsa::Database, file: File) -> Arc<Vec<File>> {
    let mut all: Vec<File> = Vec::new();
    let mut seen: FxHashSet<File> = FxHashSet::default();
    let mut waiting = vec![file];
    while let Some(from) = waiting.pop() {
        for used in used_files(db, from).iter().filter_map(|used| used.file) {
            if seen.insert(used) {
                all.push(used);
                waiting.push(used);
            }
        }
    }
    Arc::new(all)
}

/// The files that use a file by a line of their own, among those that have names.
#[salsa::tracked]
fn users(db: &dyn salsa::Database) -> Arc<FxHashMap<File, Vec<File>>> {
    let mut users: FxHashMap<File, Vec<File>> = FxHashMap::default();
    for &file in Known::get(db).files(db).values().filter(|file| has_uses(db, **file)) {
        for used in used_files(db, file).iter().filter_map(|used| used.file) {
            users.entry(used).or_default().push(file);
        }
    }
    Arc::new(users)
}

/// Says whether a file may have a line with `use`: most have none, and need not be cut to know it.
#[salsa::tracked(returns(copy))]
fn has_uses(db: &dyn salsa::Database, file: File) -> bool {
    let text = file.text(db);
    text.starts_with("use ") || text.contains("\nuse ")
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

/// The names that the files in the folder of a file have for others, each with the file's path and its kind.
pub type NamesBeside = Vec<(String, Name, ItemKind)>;

/// The names among which [`file_beside_with`] looks.
#[salsa::tracked]
pub fn names_beside(db: &dyn salsa::Database, file: File) -> Arc<NamesBeside> {
    let mut names = NamesBeside::new();
    for path in files_beside(db, file).into_iter().filter(|path| !path.contains('.')) {
        let beside = target(db, file, &path).filter(|&beside| !all_used(db, beside).contains(&file));
        let keys = beside.map_or(&[][..], |beside| &file_names(db, beside).in_order);
        let shown = keys.iter().filter(|key| is_shown(key));
        names.extend(shown.map(|key| (path.clone(), key.name.clone(), key.kind)));
    }
    names.sort_unstable();
    Arc::new(names)
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
    let mut seeing = FxHashSet::from_iter([file]);
    let mut open = vec![file];
    while let Some(used) = open.pop() {
        open.extend(users(db).get(&used).into_iter().flatten().copied().filter(|user| seeing.insert(*user)));
    }
    let uses_it = |other: &&File| **other != file && seeing.contains(*other);
    std::iter::once(file).chain(files.iter().filter(uses_it).copied()).collect()
}

/// What is wrong with a `use`.
pub(super) fn findings<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Vec<Finding> {
    let file = item.file(db);
    // Two lines may say the same.
    let mut lines =
        file_items(db, file).iter().filter(|it| it.kind(db) == ItemKind::Use && use_line(db, **it).is_some());
    let number = lines.position(|it| *it == item);
    number.and_then(|number| findings_of_lines(db, file).get(number).cloned()).unwrap_or_default()
}

/// The findings of each `use` of a file.
#[salsa::tracked]
fn findings_of_lines(db: &dyn salsa::Database, file: File) -> Arc<Vec<Vec<Finding>>> {
    let used = used_files(db, file);
    let mut before = Before {
        db,
        file,
        used,
        lines_of: FxHashMap::default(),
        takers: FxHashMap::default(),
        structs: FxHashMap::default(),
    };
    before.sees(structs_of(db, file));
    Arc::new((0..used.len()).map(|number| before.findings(number)).collect())
}

/// The lines of a file with `use`, as they are gone through.
struct Before<'db> {
    db: &'db dyn salsa::Database,
    file: File,
    used: &'db [UsedFile],
    /// The numbers of the lines so far that name a file.
    lines_of: FxHashMap<File, Vec<usize>>,
    /// The numbers of the lines so far that take a name.
    takers: FxHashMap<Name, Vec<usize>>,
    /// The structs and enums so far, by name.
    structs: FxHashMap<Name, Vec<Item<'db>>>,
}

impl<'db> Before<'db> {
    fn sees(&mut self, structs: Vec<Item<'db>>) {
        for item in structs {
            let of_name = self.structs.entry(item.name(self.db).clone()).or_default();
            if !of_name.contains(&item) {
                of_name.push(item);
            }
        }
    }

    /// The findings of the next line.
    fn findings(&mut self, number: usize) -> Vec<Finding> {
        let (db, own) = (self.db, &self.used[number]);
        let line = &own.line;
        let Some(target) = own.file else {
            let libraries: Vec<&str> = Known::get(db).libraries(db).iter().map(|(name, _)| *name).collect();
            let file_name = file_named(self.file.name(db), &line.path);
            return vec![match own.failure {
                Some(UseFailure::Circle) => errors::use_circle(line.at, &line.path),
                _ => errors::unknown_file(line.at, &line.path, file_name.as_deref(), &libraries),
            }];
        };
        let same = self.lines_of.entry(target).or_default();
        let is_again = same.iter().any(|&earlier| self.used[earlier].line.names == line.names);
        same.push(number);
        let meeting = self.meeting(number, target);
        let mut theirs = structs_of(db, target);
        all_used(db, target).iter().for_each(|of| theirs.extend(structs_of(db, *of)));
        let is_other =
            |item: &Item<'db>| self.structs.get(item.name(db)).is_some_and(|seen| seen.iter().any(|seen| seen != item));
        let twice = theirs.iter().copied().find(is_other);
        self.sees(theirs);
        if is_again {
            return vec![errors::used_twice(line.at, &line.path)];
        }
        let mut found = named_findings(db, line, target);
        if let Some((name, other)) = meeting {
            found.push(errors::name_of_two_files(line.at, &name, &line.path, &other));
        }
        // A type is told by its struct's name, so one name is one struct in all that works together.
        if let Some(twice) = twice {
            found.push(errors::struct_of_two_files(line.at, twice.name(db), &line.path));
        }
        if let Some(error) = first_error(db, target) {
            found.push(errors::used_file_fails(line.at, &line.path, error));
        }
        found
    }

    /// A name that a line before gives, too, with the path there: it is not one that anybody chose.
    fn meeting(&mut self, number: usize, target: File) -> Option<(Name, Name)> {
        let (db, line) = (self.db, &self.used[number].line);
        let own_names = file_names(db, self.file);
        let names = file_names(db, target);
        let mut first: Option<usize> = None;
        let mut taken: FxHashSet<&Name> = FxHashSet::default();
        for key in names.in_order.iter().filter(|key| is_shown(key) && line.takes(&key.name)) {
            let takers = self.takers.entry(key.name.clone()).or_default();
            let other = takers.iter().copied().find(|&earlier| self.used[earlier].file != Some(target));
            if own_names.get(&key.name).is_none()
                && names.get(&key.name).is_some_and(is_shown)
                && let Some(other) = other
            {
                first = Some(first.map_or(other, |first| first.min(other)));
                taken.insert(&key.name);
            }
            takers.push(number);
        }
        let earlier = &self.used[first?];
        let theirs = &file_names(db, earlier.file?).in_order;
        let both =
            theirs.iter().find(|key| is_shown(key) && earlier.line.takes(&key.name) && taken.contains(&key.name))?;
        Some((both.name.clone(), earlier.line.path.clone()))
    }
}

/// The findings about the names of a line.
fn named_findings(db: &dyn salsa::Database, line: &UseLine, target: File) -> Vec<Finding> {
    let mut found = Vec::new();
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
    found
}

/// The structs that a file has itself.
fn structs_of(db: &dyn salsa::Database, file: File) -> Vec<Item<'_>> {
    structs(db, file).iter().copied().filter(|item| item.file(db) == file).collect()
}

/// The message of the first error in a file.
#[salsa::tracked]
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
