//! A file together with those beside it that have the functions which it calls and only declares: for runs, which need all of a program.
//!
//! Programs of ISPC are compiled file by file and linked by names. Here the files that are missing are read behind the file itself, as if it
//! included them at its end, so that places in it stay what they are. That is the same program only if no name means one thing in one file and another in
//! the next: a `static` function or variable, or a macro. Where one does, the files are left apart and the reason is told.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use ispc::declared::declared_names;
use ispc::file::FileText;
use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::unit::{FileId, Unit};
use ispc_lowering::LoweredUnit;

use crate::ispc_running::lowered_for;

/// The most files that are read for one, one after the other.
const MOST: usize = 64;

/// A file with those that have what it calls.
pub struct LinkedUnit {
    /// The unit of all of them.
    pub unit: Unit,
    /// The reason why a file that has a function was left out.
    pub left_out: Option<String>,
}

/// Reads the `.ispc` files beside a file that define the functions which a function of it calls and no header does. `lanes` are those of
/// the unit, and `read` reads another text in the place of the file's.
pub fn with_others(unit: Unit, path: &Path, lanes: u32, name: &str, read: &dyn Fn(&str) -> Unit) -> LinkedUnit {
    let text = unit.text(FileId::MAIN).to_owned();
    let mut linked = LinkedUnit { unit, left_out: None };
    let mut others: Vec<PathBuf> = Vec::new();
    while others.len() < MOST {
        let wanted = missing(&lowered_for(&linked.unit, lanes, Some(name)));
        let found = if wanted.is_empty() { Vec::new() } else { definers(path, &wanted, &others) };
        if found.is_empty() {
            return linked;
        }
        others.extend(found);
        let names = others.iter().filter_map(|other| other.file_name());
        let includes = names.map(|name| format!("#include \"{}\"\n", name.to_string_lossy()));
        let whole = format!("{text}\n{}", includes.collect::<String>());
        let next = read(&whole);
        if let Some(why) = in_the_way(&next) {
            return LinkedUnit { left_out: Some(why), ..linked };
        }
        linked.unit = next;
    }
    linked
}

/// The functions that are called and that another program has, but for those of C.
fn missing(lowered: &LoweredUnit) -> HashSet<String> {
    let is_known = |name: &str| lowered.problems.iter().any(|problem| problem.function == name);
    let outside = lowered.module.functions.iter().filter(|function| function.is_external && !function.is_of_c);
    outside.map(|function| function.name.clone()).filter(|name| !is_known(name)).collect()
}

/// The files in the folder of a file that define one of these functions.
fn definers(path: &Path, wanted: &HashSet<String>, known: &[PathBuf]) -> Vec<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_other = |other: &PathBuf| {
        let is_source = other.extension().is_some_and(|ending| ending == "ispc");
        is_source && other.file_name() != path.file_name() && !known.contains(other)
    };
    let defines = |other: &PathBuf| {
        let Ok(text) = fs::read_to_string(other) else { return false };
        let text = FileText::new("", text);
        let functions = declared_names(&text).into_iter();
        let mut functions = functions.filter(|name| name.is_definition && name.kind == Some(DeclKind::Function));
        functions.any(|name| wanted.contains(&text.text[name.start as usize..name.end as usize]))
    };
    let others = entries.flatten().map(|entry| entry.path()).filter(is_other);
    let mut found: Vec<PathBuf> = others.filter(defines).collect();
    found.sort();
    found
}

/// The reason why the files of a unit are no program together, if they are none.
fn in_the_way(unit: &Unit) -> Option<String> {
    if let Some(problem) = unit.problems.iter().find(|problem| !problem.is_warning) {
        return Some(format!("{}: {}", unit.path(problem.place.file), problem.message));
    }
    let is_source = |file: FileId| unit.path(file).ends_with(".ispc");
    let meet = |name: &str, one: FileId, other: FileId| {
        let [one, other] = [one, other].map(|file| unit.path(file));
        format!("{one} and {other} both have a `{name}`, so they cannot be run together: give one of them another name")
    };
    // Functions with bodies and variables, by their names with types.
    let types = ispc_types::unit::declarations(unit, None);
    let mut seen: Vec<(String, FileId)> = Vec::new();
    for decl in unit.names.decls.iter().enumerate().filter(|(_, decl)| decl.is_definition && decl.within.is_none()) {
        let (number, decl) = decl;
        let file = unit.place(&unit.tokens[decl.token as usize]).file;
        let Some(entity) = types.entity(number as u32).filter(|_| is_source(file)) else { continue };
        let name = match decl.kind {
            DeclKind::Function => ispc_types::naming::with_types(&types.layer, entity),
            DeclKind::Global => unit.interner.text(decl.name).to_owned(),
            _ => continue,
        };
        if let Some((_, other)) = seen.iter().find(|(other, at)| *other == name && unit.path(*at) != unit.path(file)) {
            return Some(meet(&name, *other, file));
        }
        seen.push((name, file));
    }
    // A macro of one file that is a word of a file behind it.
    let sources = unit.files.iter().enumerate().map(|(number, file)| (FileId(number as u16), file));
    let sources: Vec<_> = sources.filter(|(number, _)| is_source(*number)).collect();
    for (number, file) in sources {
        let words = file.file.tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Name);
        let words: HashSet<&str> = words.map(|(index, _)| file.file.token_text(index)).collect();
        let foreign = unit.macros.iter().filter(|it| it.name_place.file < number && is_source(it.name_place.file));
        let used = foreign.map(|it| (it, unit.interner.text(it.name))).find(|(_, name)| words.contains(name));
        if let Some((it, name)) = used {
            return Some(meet(name, it.name_place.file, number));
        }
    }
    None
}
