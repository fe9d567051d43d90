//! Another name, in all units that know the thing, unless that would change what a program means.
//!
//! Refused is what cannot be shown to be right: where a macro's body spells the name or makes it, where text that a condition leaves out
//! has the name, too, where a file must stay as it is, and where the new name is there already.

use std::fmt;

use queries::db::File;
use queries::ispc::kinds::Kind;
use queries::ispc::names::DeclKind;
use queries::ispc::units::{FileId, SourcePlace, Unit};
use queries::ispc::{lexer, text, unit};
use report::{TextEdit, TextRange, TextSize};

use super::references::{Spelled, everywhere, is_written, spelled};
use super::symbol::{IspcSymbol, NamedPlace, symbol_at};
use super::typed::members_named;
use super::{file_name, file_of, range_of};

/// The reason why something cannot be renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenameRefusal {
    /// There is no name at the place, or none that stands for anything.
    NothingHere,
    /// All others, told.
    Told(String),
}

impl fmt::Display for RenameRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RenameRefusal::NothingHere => write!(f, "there is no name here that could be changed"),
            RenameRefusal::Told(reason) => f.write_str(reason),
        }
    }
}

fn refused<T>(reason: impl Into<String>) -> Result<T, RenameRefusal> {
    Err(RenameRefusal::Told(reason.into()))
}

/// The name at a place, if it can be renamed, and how it is written now.
pub fn prepare_rename(
    db: &dyn salsa::Database,
    file: File,
    offset: TextSize,
) -> Result<(TextRange, String), RenameRefusal> {
    let named = symbol_at(db, file, offset).ok_or(RenameRefusal::NothingHere)?;
    let name = file.text(db)[named.range].to_owned();
    check_kind(unit(db, file), &named, &name)?;
    Ok((named.range, name))
}

/// The edits that give what is at a place another name, by files. `may_change` says which files are the user's.
pub fn rename(
    db: &dyn salsa::Database,
    files: &[File],
    file: File,
    offset: TextSize,
    new_name: &str,
    may_change: &dyn Fn(File) -> bool,
) -> Result<Vec<(File, Vec<TextEdit>)>, RenameRefusal> {
    let named = symbol_at(db, file, offset).ok_or(RenameRefusal::NothingHere)?;
    let name = file.text(db)[named.range].to_owned();
    check_kind(unit(db, file), &named, &name)?;
    check_name(new_name)?;
    let mut found: Vec<(File, TextRange)> = Vec::new();
    for (of, symbol) in everywhere(db, files, file, &named.symbol) {
        let unit = unit(db, of);
        check_conflict(db, of, unit, &symbol, &name, new_name)?;
        for it in spelled(db, of, &symbol) {
            found.push(place_to_change(db, unit, &it, &name, may_change)?);
        }
    }
    found.sort_by_key(|(file, range)| (file.name(db).clone(), range.start()));
    found.dedup();
    let mut edits: Vec<(File, Vec<TextEdit>)> = Vec::new();
    for (file, range) in found.into_iter().filter(|_| name != new_name) {
        let edit = TextEdit { range, text: new_name.to_owned() };
        match edits.last_mut() {
            Some((last, edits)) if *last == file => edits.push(edit),
            _ => edits.push((file, vec![edit])),
        }
    }
    Ok(edits)
}

fn check_kind(unit: &Unit, named: &NamedPlace, name: &str) -> Result<(), RenameRefusal> {
    match &named.symbol {
        IspcSymbol::Include(_) => Err(RenameRefusal::NothingHere),
        IspcSymbol::Macro(of) => {
            let definition = &unit.macros[*of as usize];
            let others = unit.macros.iter().filter(|it| it.name == definition.name).count() - 1;
            if definition.is_built_in || definition.name_place.file == FileId::PREDEFINED {
                return refused(format!("`{name}` is defined by ispc or outside of all files, so it stays as it is"));
            }
            if others > 0 {
                return refused(format!(
                    "`{name}` is defined {} times, and each definition has places of its own: rename them by hand",
                    others + 1
                ));
            }
            Ok(())
        }
        IspcSymbol::Declared(decls) => {
            let decl = &unit.names.decls[decls[0] as usize];
            if decl.kind == DeclKind::Field && decls.len() > 1 {
                return refused(format!(
                    "`{name}` is a member of a struct whose type is not known here: rename it by hand, or at its declaration"
                ));
            }
            if unit.tokens[decl.token as usize].place.file == FileId::PREDEFINED {
                return refused(format!("`{name}` is declared by ispc itself, so it stays as it is"));
            }
            if unit.interner.text(decl.name).starts_with("operator") {
                return refused("an operator has no name that could be changed");
            }
            Ok(())
        }
    }
}

fn check_name(name: &str) -> Result<(), RenameRefusal> {
    let tokens = lexer::lex(name);
    if tokens.len() != 1 || tokens[0].kind != Kind::Name {
        return refused(format!("`{name}` is not a name: write letters, digits and `_`, with no digit first"));
    }
    if Kind::of_name(name) != Kind::Name {
        return refused(format!("`{name}` is a reserved word"));
    }
    Ok(())
}

/// Refuses where a name would come to stand for something else, or where that cannot be known.
fn check_conflict(
    db: &dyn salsa::Database,
    of: File,
    unit: &Unit,
    symbol: &IspcSymbol,
    name: &str,
    new_name: &str,
) -> Result<(), RenameRefusal> {
    let (scopes, same) = match symbol {
        IspcSymbol::Declared(decls) => {
            let scope = |decl: &u32| unit.names.decls[*decl as usize].scope;
            (decls.iter().map(scope).collect(), decls.as_slice())
        }
        _ => (vec![(0, unit.tokens.len() as u32)], &[][..]),
    };
    let overlaps = |(start, end): (u32, u32)| scopes.iter().any(|scope: &(u32, u32)| start < scope.1 && scope.0 < end);
    let of_name = |name: &str| unit.interner.get(name);
    let is_field = same.first().is_some_and(|decl| unit.names.decls[*decl as usize].kind == DeclKind::Field);
    if is_field {
        check_members(db, of, unit, same[0], name, new_name)?;
        return check_left_out(db, unit, &scopes, name);
    }
    let taken = |place: Option<SourcePlace>| refused(format!("`{new_name}` is taken{}", told_place(unit, place)));
    if let Some(new) = of_name(new_name).filter(|_| new_name != name) {
        let definition = unit.macros.iter().find(|it| it.name == new && !it.is_built_in);
        if let Some(definition) = definition {
            return taken(Some(definition.name_place));
        }
        let decl =
            unit.names.decls.iter().find(|it| it.name == new && it.kind != DeclKind::Field && overlaps(it.scope));
        if let Some(decl) = decl {
            return taken(Some(unit.place(&unit.tokens[decl.token as usize])));
        }
        let is_new = |token: &&u32| unit.tokens[**token as usize].name == new && overlaps((**token, **token + 1));
        if let Some(token) = unit.names.unresolved.iter().find(is_new) {
            return taken(Some(unit.place(&unit.tokens[*token as usize])));
        }
    }
    // A type that has a second declaration under its name, as by `typedef struct S S`, is told by either.
    if let (Some(old), Some(&first)) = (of_name(name), same.first()) {
        let own = &unit.names.decls[first as usize];
        let others = unit.names.decls.iter().enumerate();
        let other = others.map(|(number, it)| (number as u32, it)).find(|(number, it)| {
            it.name == old && it.kind.is_type() && own.kind.is_type() && !same.contains(number) && overlaps(it.scope)
        });
        if let Some((_, other)) = other {
            let place = told_place(unit, Some(unit.place(&unit.tokens[other.token as usize])));
            return refused(format!("`{name}` is declared twice, as another kind of type{place}: rename both by hand"));
        }
    }
    check_left_out(db, unit, &scopes, name)
}

/// Refuses where the struct of a member has the new name already, or where a member of its name may be it or not.
fn check_members(
    db: &dyn salsa::Database,
    of: File,
    unit: &Unit,
    field: u32,
    name: &str,
    new_name: &str,
) -> Result<(), RenameRefusal> {
    let names = &unit.names;
    let unknown = members_named(db, of, name).into_iter().find(|(_, of)| of.is_none());
    if let Some((token, _)) = unknown {
        let place = told_place(unit, Some(unit.place(&unit.tokens[token as usize])));
        return refused(format!(
            "a member `{name}` also stands{place}, where the type does not tell whose it is: rename it by hand"
        ));
    }
    let new = unit.interner.get(new_name).filter(|_| new_name != name);
    let within = names.decls[field as usize].within;
    let taken = new.and_then(|new| names.fields(new).find(|other| names.decls[*other as usize].within == within));
    match taken {
        Some(other) => {
            let place = told_place(unit, Some(unit.place(&unit.tokens[names.decls[other as usize].token as usize])));
            refused(format!("`{new_name}` is taken{place}"))
        }
        None => Ok(()),
    }
}

/// Refuses where text that conditions leave out has the name: nobody knows what it stands for there.
fn check_left_out(
    db: &dyn salsa::Database,
    unit: &Unit,
    scopes: &[(u32, u32)],
    name: &str,
) -> Result<(), RenameRefusal> {
    for (index, of) in unit.files.iter().enumerate().filter(|(_, of)| !of.inactive.is_empty()) {
        let id = FileId(index as u16);
        let Some(file) = file_of(db, unit, id) else { continue };
        let tokens = text(db, file);
        for left_out in &of.inactive {
            let is_in_scope = scopes.iter().any(|scope| holds(unit, *scope, id, left_out.start));
            let first = tokens.tokens.partition_point(|token| token.start < left_out.start);
            let inside = (first..tokens.tokens.len()).take_while(|index| tokens.tokens[*index].start < left_out.end);
            let spelled = inside
                .filter(|_| is_in_scope)
                .find(|index| tokens.tokens[*index].kind == Kind::Name && tokens.token_text(*index) == name);
            if let Some(index) = spelled {
                let range = tokens.range(index);
                let place = SourcePlace { file: id, start: range.start as u32, end: range.end as u32 };
                let place = told_place(unit, Some(place));
                return refused(format!(
                    "`{name}` also stands in text that a condition leaves out{place}, where nobody knows what it means: rename it by hand"
                ));
            }
        }
    }
    Ok(())
}

/// Returns true if a place of a file may lie in a scope. A scope that ends with the unit holds all files.
fn holds(unit: &Unit, scope: (u32, u32), file: FileId, offset: u32) -> bool {
    if scope.1 as usize + 1 >= unit.tokens.len() {
        return true;
    }
    let place = |token: u32| unit.place(&unit.tokens[token as usize]);
    let (start, end) = (place(scope.0), place(scope.1));
    start.file == file && start.start <= offset && offset <= end.end
}

/// The place where a name is to be changed.
fn place_to_change(
    db: &dyn salsa::Database,
    unit: &Unit,
    spelled: &Spelled,
    name: &str,
    may_change: &dyn Fn(File) -> bool,
) -> Result<(File, TextRange), RenameRefusal> {
    if let Some(token) = spelled.token.map(|token| &unit.tokens[token as usize]).filter(|token| !is_written(token)) {
        let definition = unit.expansions_of(token).next().map(|it| &unit.macros[it.of as usize]);
        let of = definition.map_or(String::new(), |it| format!(" of the macro `{}`", unit.interner.text(it.name)));
        let place = told_place(unit, Some(unit.place(token)));
        let makes = if token.place.file == FileId::MADE { "makes" } else { "has" };
        return refused(format!("the body{of} {makes} the name `{name}`{place}: rename it by hand"));
    }
    let is_it = |range: TextRange, text: &str| text.get(std::ops::Range::<usize>::from(range)) == Some(name);
    match file_of(db, unit, spelled.place.file) {
        Some(file) if !is_it(range_of(spelled.place), file.text(db)) => {
            refused(format!("`{name}` is written over several lines: rename it by hand"))
        }
        Some(file) if may_change(file) => Ok((file, range_of(spelled.place))),
        _ => {
            let path = unit.path(spelled.place.file);
            refused(format!("`{name}` also stands in `{path}`, which is outside of the workspace and stays as it is"))
        }
    }
}

/// ` in line 3 of `a.isph``, or nothing for a place that is in no file.
fn told_place(unit: &Unit, place: Option<SourcePlace>) -> String {
    let place = place.filter(|place| !matches!(place.file, FileId::MADE | FileId::PREDEFINED));
    let Some(place) = place else { return String::new() };
    let before = unit.text(place.file).get(..place.start as usize).unwrap_or_default();
    format!(" in line {} of `{}`", before.matches('\n').count() + 1, file_name(unit.path(place.file)))
}
