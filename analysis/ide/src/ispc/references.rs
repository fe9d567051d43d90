//! The places that name a thing, in the units of all files that know it.
//!
//! Units number what they declare each by itself, so one thing of two units is found by where its name stands: a function whose prototype
//! is in a header that both include.

use queries::db::File;
use queries::ispc::names::DeclKind;
use queries::ispc::unit;
use queries::ispc::units::{FileId, SourcePlace, Token, Unit};
use report::TextSize;
use rustc_hash::FxHashSet;

use super::symbol::{IspcSymbol, symbol_at};
use super::typed::members_named;
use super::{FileRange, site};

/// A place that names a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IspcReference {
    /// The name.
    pub site: FileRange,
    /// A declaration, a definition, or the `#define` of a macro.
    pub declares: bool,
}

/// The places that name what is at a place, in order: in the units of `file` and of those of `files` that know it.
pub fn references(db: &dyn salsa::Database, files: &[File], file: File, offset: TextSize) -> Vec<IspcReference> {
    let Some(named) = symbol_at(db, file, offset) else { return Vec::new() };
    let mut found: Vec<IspcReference> = Vec::new();
    for (of, symbol) in everywhere(db, files, file, &named.symbol) {
        let unit = unit(db, of);
        for (place, declares) in spelled(db, of, &symbol).into_iter().map(|it| (it.shown(unit), it.declares)) {
            found.extend(site(db, unit, place).map(|site| IspcReference { site, declares }));
        }
    }
    // The file that was asked about comes first, then the others by their paths.
    let key = |it: &IspcReference| (it.site.file != file, it.site.file.name(db).clone(), it.site.range.start());
    found.sort_by_key(key);
    found.dedup_by(|next, before| {
        before.declares |= next.declares && next.site == before.site;
        next.site == before.site
    });
    found
}

/// The places in the file itself that name what is at a place.
pub fn highlights(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<IspcReference> {
    let mut found = references(db, &[], file, offset);
    found.retain(|it| it.site.file == file);
    found
}

/// A place of a unit that spells the name of a thing.
pub(super) struct Spelled {
    /// Where it is spelled.
    pub(super) place: SourcePlace,
    pub(super) declares: bool,
    /// The token of the unit; none for the names of macros.
    pub(super) token: Option<u32>,
}

impl Spelled {
    /// The place for who reads the file.
    fn shown(&self, unit: &Unit) -> SourcePlace {
        match self.token {
            Some(token) if self.place.file == FileId::MADE => unit.place(&unit.tokens[token as usize]),
            _ => self.place,
        }
    }
}

/// The places of a unit that spell the name of a thing of that unit.
pub(super) fn spelled(db: &dyn salsa::Database, file: File, symbol: &IspcSymbol) -> Vec<Spelled> {
    let unit = unit(db, file);
    let of_token =
        |token: u32, declares| Spelled { place: unit.tokens[token as usize].place, declares, token: Some(token) };
    match symbol {
        IspcSymbol::Include(_) => Vec::new(),
        IspcSymbol::Macro(of) => {
            let definition = Spelled { place: unit.macros[*of as usize].name_place, declares: true, token: None };
            let uses = unit.macro_uses.iter().filter(|it| it.of == *of);
            let uses = uses.map(|it| Spelled { place: it.place, declares: false, token: None });
            std::iter::once(definition).chain(uses).collect()
        }
        IspcSymbol::Declared(decls) => {
            let wanted: FxHashSet<u32> = decls.iter().copied().collect();
            let names = &unit.names;
            let declared = decls.iter().map(|decl| of_token(names.decls[*decl as usize].token, true));
            let used = names.uses.iter().filter(|it| wanted.contains(&it.decl)).map(|it| of_token(it.token, false));
            let first = decls.first().map(|decl| &names.decls[*decl as usize]);
            let field = first.filter(|decl| decl.kind == DeclKind::Field).map(|decl| unit.interner.text(decl.name));
            let members = field.map_or_else(Vec::new, |name| members_named(db, file, name));
            // Where several structs' members are asked for, no type told whose it is.
            let is_it = |of: &Option<u32>| of.map_or(wanted.len() > 1, |of| wanted.contains(&of));
            let members = members.into_iter().filter(|(_, of)| is_it(of)).map(|(token, _)| of_token(token, false));
            declared.chain(used).chain(members).collect()
        }
    }
}

/// The thing in each unit that knows it, that of `file` first.
pub(super) fn everywhere(
    db: &dyn salsa::Database,
    files: &[File],
    file: File,
    symbol: &IspcSymbol,
) -> Vec<(File, IspcSymbol)> {
    let own = unit(db, file);
    let others: Vec<(File, IspcSymbol)> = match symbol {
        IspcSymbol::Include(_) => Vec::new(),
        IspcSymbol::Macro(of) => {
            let wanted = place_in(own, own.macros[*of as usize].name_place);
            let in_unit = |other: &File| {
                let unit = unit(db, *other);
                let number = unit.macros.iter().position(|it| place_in(unit, it.name_place) == wanted)?;
                Some((*other, IspcSymbol::Macro(number as u32)))
            };
            let others = files.iter().filter(|other| **other != file);
            others.inspect(|_| db.unwind_if_revision_cancelled()).filter_map(in_unit).collect()
        }
        IspcSymbol::Declared(decls) => {
            let others = other_units(db, files, file, own, decls).into_iter();
            others.map(|(of, decls)| (of, IspcSymbol::Declared(decls))).collect()
        }
    };
    std::iter::once((file, symbol.clone())).chain(others).collect()
}

/// The declarations that other units have of what this one declares.
pub(super) fn other_units(
    db: &dyn salsa::Database,
    files: &[File],
    file: File,
    own: &Unit,
    decls: &[u32],
) -> Vec<(File, Vec<u32>)> {
    let is_shared = |decl: &&u32| {
        let kind = own.names.decls[**decl as usize].kind;
        !matches!(kind, DeclKind::Local | DeclKind::Param | DeclKind::Label | DeclKind::TemplateParam)
    };
    let token = |unit: &Unit, decl: u32| unit.tokens[unit.names.decls[decl as usize].token as usize];
    let wanted: FxHashSet<(String, u32)> =
        decls.iter().filter(is_shared).filter_map(|decl| place_in(own, token(own, *decl).place)).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let in_unit = |other: &File| {
        db.unwind_if_revision_cancelled();
        let unit = unit(db, *other);
        // Most units have none of the files.
        let has_file = unit.files.iter().any(|it| wanted.iter().any(|(path, _)| **path == *it.file.path));
        let name = own.interner.text(own.names.decls[*decls.first()? as usize].name);
        let name = unit.interner.get(name).filter(|_| has_file)?;
        let mut numbers = 0..unit.names.decls.len() as u32;
        let first = numbers.find(|decl| {
            unit.names.decls[*decl as usize].name == name
                && place_in(unit, token(unit, *decl).place).is_some_and(|place| wanted.contains(&place))
        })?;
        Some((*other, unit.names.same(first)))
    };
    files.iter().filter(|other| **other != file).filter_map(in_unit).collect()
}

/// A place, by the path of its file.
fn place_in(unit: &Unit, place: SourcePlace) -> Option<(String, u32)> {
    let is_text = !matches!(place.file, FileId::MADE | FileId::PREDEFINED);
    is_text.then(|| (unit.path(place.file).to_owned(), place.start))
}

/// Returns true for a token that somebody wrote where it takes effect.
pub(super) fn is_written(token: &Token) -> bool {
    token.is(Token::WRITTEN) && token.place.file != FileId::MADE
}
