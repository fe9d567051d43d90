//! The thing that a name in a file stands for.

use queries::db::File;
use queries::ispc::kinds::Kind;
use queries::ispc::units::{FileId, SourcePlace, Unit};
use queries::ispc::{text, unit};
use report::{TextRange, TextSize};

use super::range_of;
use super::typed::declaration_at;

/// The thing that a name stands for, by its numbers in the unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IspcSymbol {
    /// Declarations: of a function all overloads and prototypes, of a member that of its struct, or those of all structs where its type is not
    /// known.
    Declared(Vec<u32>),
    /// A macro's definition.
    Macro(u32),
    /// An `#include`.
    Include(usize),
}

/// A name in a file, and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPlace {
    /// The name.
    pub range: TextRange,
    /// The thing.
    pub symbol: IspcSymbol,
    /// The token of the unit that it became, if one of those was looked at.
    pub token: Option<u32>,
}

/// The thing that the name at a place stands for.
pub fn symbol_at(db: &dyn salsa::Database, file: File, offset: TextSize) -> Option<NamedPlace> {
    let unit = unit(db, file);
    let at = u32::from(offset);
    let is_here = |place: SourcePlace| place.touches(FileId::MAIN, at);
    if let Some(number) = unit.includes.iter().position(|include| is_here(include.place)) {
        let range = range_of(unit.includes[number].place);
        return Some(NamedPlace { range, symbol: IspcSymbol::Include(number), token: None });
    }
    let place = name_at(db, file, offset)?;
    let range = range_of(place);
    let defined = unit.macros.iter().position(|it| it.name_place == place && !it.is_built_in);
    let used = unit.macro_uses.iter().find(|it| it.place == place).map(|it| it.of);
    if let Some(of) = defined.map(|number| number as u32).or(used) {
        return Some(NamedPlace { range, symbol: IspcSymbol::Macro(of), token: None });
    }
    let tokens = (unit.first_own..unit.tokens.len() as u32).filter(|token| unit.tokens[*token as usize].place == place);
    let mut meanings = tokens.filter_map(|token| Some((token, declared(db, file, unit, token)?)));
    let (token, decls) = meanings.next()?;
    Some(NamedPlace { range, symbol: IspcSymbol::Declared(decls), token: Some(token) })
}

/// The name that an offset touches: it may end there.
fn name_at(db: &dyn salsa::Database, file: File, offset: TextSize) -> Option<SourcePlace> {
    let tokens = text(db, file);
    let at = u32::from(offset);
    let behind = tokens.tokens.partition_point(|token| token.start <= at);
    let is_name = |index: &usize| {
        let range = tokens.range(*index);
        tokens.tokens[*index].kind == Kind::Name && (range.start..=range.end).contains(&(at as usize))
    };
    let index = [behind.checked_sub(1), behind.checked_sub(2)].into_iter().flatten().find(is_name)?;
    let range = tokens.range(index);
    Some(SourcePlace { file: FileId::MAIN, start: range.start as u32, end: range.end as u32 })
}

/// The declarations that a token of a unit stands for, or is the name of.
fn declared(db: &dyn salsa::Database, file: File, unit: &Unit, token: u32) -> Option<Vec<u32>> {
    let names = &unit.names;
    if let Some(at) = names.uses.find_by_key(&token, |it| it.token) {
        return Some(names.same(names.uses[at].decl));
    }
    if let Some(decl) = names.declared_at(token) {
        return Some(names.same(decl));
    }
    if names.members.find_by_key(&token, |it| *it).is_some() {
        if let Some(decl) = declaration_at(db, file, token) {
            return Some(vec![decl]);
        }
        let fields: Vec<u32> = names.fields(unit.tokens[token as usize].name).collect();
        return (!fields.is_empty()).then_some(fields);
    }
    None
}
