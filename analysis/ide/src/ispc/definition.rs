//! Go to definition, and to declaration: of a function the body or the prototypes, of a macro its `#define`, of an `#include` the file.

use queries::db::File;
use queries::ispc::names::DeclKind;
use queries::ispc::unit;
use queries::ispc::units::{FileId, Unit};
use report::{TextRange, TextSize};

use super::references::other_units;
use super::symbol::{IspcSymbol, symbol_at};
use super::typed::{function_type, overload_at, same_function};
use super::{FileRange, file_of, range_of, site};
use crate::definition::DefinitionSite;

/// The places that an editor goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Functions with their bodies, variables with their values.
    Definitions,
    /// Prototypes, and what is `extern`; definitions where there is nothing else.
    Declarations,
}

/// The places where the name at a place is defined or declared. A function that this file knows by a prototype alone is looked for among
/// `files`, too.
pub fn definition(
    db: &dyn salsa::Database,
    files: &[File],
    file: File,
    offset: TextSize,
    wanted: Wanted,
) -> Vec<DefinitionSite> {
    let unit = unit(db, file);
    let Some(named) = symbol_at(db, file, offset) else { return Vec::new() };
    match named.symbol {
        IspcSymbol::Include(number) => {
            let target = unit.includes[number].target.and_then(|id| file_of(db, unit, id));
            let start = TextRange::default();
            target.map(|file| DefinitionSite { file, range: start, focus: start }).into_iter().collect()
        }
        IspcSymbol::Macro(of) => {
            let definition = &unit.macros[of as usize];
            let name = site(db, unit, definition.name_place);
            name.map(|name| DefinitionSite { file: name.file, range: range_of(definition.place), focus: name.range })
                .into_iter()
                .collect()
        }
        IspcSymbol::Declared(decls) => {
            let decls = of_overload(db, file, unit, named.token, decls);
            let (defined, declared) = parted(unit, &decls);
            match wanted {
                Wanted::Declarations if !declared.is_empty() => sites(db, unit, &declared),
                _ if !defined.is_empty() => sites(db, unit, &defined),
                Wanted::Declarations => sites(db, unit, &decls),
                Wanted::Definitions => {
                    let elsewhere = other_units(db, files, file, unit, &decls).into_iter();
                    let mut found: Vec<_> = elsewhere
                        .flat_map(|(of, others)| {
                            let unit = queries::ispc::unit(db, of);
                            let (defined, _) = parted(unit, &others);
                            let is_it =
                                |other: &u32| function_type(db, of, *other) == function_type(db, file, decls[0]);
                            let (same, rest): (Vec<u32>, Vec<u32>) = defined.into_iter().partition(is_it);
                            sites(db, unit, if same.is_empty() { &rest } else { &same })
                        })
                        .collect();
                    found.dedup();
                    if found.is_empty() { sites(db, unit, &decls) } else { found }
                }
            }
        }
    }
}

/// Of a function's declarations those of the overload that a token stands for, if types tell.
fn of_overload(db: &dyn salsa::Database, file: File, unit: &Unit, token: Option<u32>, decls: Vec<u32>) -> Vec<u32> {
    let is_function = decls.iter().all(|decl| unit.names.decls[*decl as usize].kind == DeclKind::Function);
    let overload = token.filter(|_| is_function).and_then(|token| overload_at(db, file, unit, token));
    match overload {
        Some(decl) => same_function(db, file, decl),
        None => decls,
    }
}

/// The names of headers in a file that were found, each with its file.
pub fn includes(db: &dyn salsa::Database, file: File) -> Vec<(TextRange, File)> {
    let unit = unit(db, file);
    let own = unit.includes.iter().filter(|include| include.place.file == FileId::MAIN);
    own.filter_map(|include| Some((range_of(include.place), file_of(db, unit, include.target?)?))).collect()
}

/// Definitions, and the declarations that are none.
fn parted(unit: &Unit, decls: &[u32]) -> (Vec<u32>, Vec<u32>) {
    decls.iter().partition(|decl| unit.names.decls[**decl as usize].is_definition)
}

fn sites(db: &dyn salsa::Database, unit: &Unit, decls: &[u32]) -> Vec<DefinitionSite> {
    let mut sites: Vec<_> = decls.iter().filter_map(|decl| declaration_site(db, unit, *decl)).collect();
    sites.dedup();
    sites
}

/// The place of a declaration: its name where that is spelled, and all of it where that is in the same file.
pub(super) fn declaration_site(db: &dyn salsa::Database, unit: &Unit, decl: u32) -> Option<DefinitionSite> {
    let decl = &unit.names.decls[decl as usize];
    let token = &unit.tokens[decl.token as usize];
    let spelled = if token.place.file == FileId::MADE { unit.place(token) } else { token.place };
    let FileRange { file, range: focus } = site(db, unit, spelled)?;
    let whole = unit.place_of(decl.head.0..decl.end.max(decl.head.1)).filter(|whole| whole.file == spelled.file);
    let range = whole.map(range_of).filter(|whole| whole.contains_range(focus)).unwrap_or(focus);
    Some(DefinitionSite { file, range, focus })
}
