//! The call hierarchy: the callers and callees of a function, of this very overload, over all units that know it.
//!
//! A function is known by the place of a name that declares it: units number what they declare each by itself, and one that stands in a
//! header is in all units that include that. Naming a function counts as calling it, as where a pointer to it is taken. Functions of the
//! library stand in no file, and are left out.

use queries::db::File;
use queries::ispc::kinds::Kind;
use queries::ispc::names::DeclKind;
use queries::ispc::typing::{TypedFunction, function_at};
use queries::ispc::unit;
use queries::ispc::units::{FileId, SourcePlace, Unit};
use report::{TextRange, TextSize};

use super::definition::declaration_site;
use super::references::{is_written, other_units};
use super::symbol::{IspcSymbol, symbol_at};
use super::typed::{function_type, overload_at, same_function};
use super::variability::written;
use super::{file_of, range_of};

/// A function that calls and is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IspcCallable {
    /// Its file.
    pub file: File,
    /// The name.
    pub name: String,
    /// The declaration as it is written, without its body.
    pub detail: String,
    /// The whole of it.
    pub range: TextRange,
    /// The name alone.
    pub focus: TextRange,
}

/// A function at one end of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IspcCall {
    /// The caller in an answer of [`callers`], the callee in one of [`callees`].
    pub item: IspcCallable,
    /// The places of the calls, all of them in the caller's file.
    pub places: Vec<TextRange>,
}

/// A function by its declarations in a unit.
struct InUnit {
    file: File,
    decls: Vec<u32>,
}

/// The function whose name is at a place: its body, wherever that is, or its declaration.
pub fn callable(db: &dyn salsa::Database, files: &[File], file: File, offset: TextSize) -> Option<IspcCallable> {
    let named = symbol_at(db, file, offset)?;
    let IspcSymbol::Declared(decls) = named.symbol else { return None };
    let own = unit(db, file);
    let token = named.token?;
    let decl = overload_at(db, file, own, token).or_else(|| decls.first().copied())?;
    if own.names.decls[decl as usize].kind != DeclKind::Function {
        return None;
    }
    item_of(db, files, &InUnit { file, decls: same_function(db, file, decl) })
}

/// The function whose name stands at a place, if one is declared there; else the one of this name that the file declares, since a client
/// shows items for long.
fn declared_at(db: &dyn salsa::Database, files: &[File], file: File, focus: TextSize, name: &str) -> Option<InUnit> {
    let own = std::iter::once(file).chain(files.iter().copied().filter(|other| *other != file));
    let path: &str = file.name(db);
    // A header is best read with what stands in front of it.
    let mut units: Vec<File> = own.filter(|of| *of == file || unit(db, *of).file_at(path).is_some()).collect();
    if units.len() > 1 && !path.ends_with(".ispc") {
        units.rotate_left(1);
    }
    let found = |at: Option<TextSize>| {
        units.iter().find_map(|of| {
            let unit = unit(db, *of);
            let id = unit.file_at(path)?;
            let is_it = |decl: &u32| {
                let data = &unit.names.decls[*decl as usize];
                let token = &unit.tokens[data.token as usize];
                data.kind == DeclKind::Function
                    && name_of(unit, *decl) == name
                    && token.place.file == id
                    && at.is_none_or(|at| token.place.touches(id, u32::from(at)))
            };
            let decl = (0..unit.names.decls.len() as u32).find(is_it)?;
            Some(InUnit { file: *of, decls: same_function(db, *of, decl) })
        })
    };
    found(Some(focus)).or_else(|| found(None))
}

/// The functions that call the one whose name is declared at a place.
pub fn callers(db: &dyn salsa::Database, files: &[File], file: File, focus: TextSize, name: &str) -> Vec<IspcCall> {
    let Some(function) = declared_at(db, files, file, focus, name) else { return Vec::new() };
    let mut calls = Vec::new();
    for InUnit { file, decls } in everywhere(db, files, function) {
        db.unwind_if_revision_cancelled();
        let unit = unit(db, file);
        for token in named_at(db, file, &decls) {
            let Some(caller) = function_at(db, file, token) else { continue };
            let Some(item) = item_in(db, unit, caller.place.decl) else { continue };
            add(db, &mut calls, item, place_in_caller(unit, token), unit);
        }
    }
    sorted(db, file, calls)
}

/// The functions that the one whose name is declared at a place calls, in the order of the first call of each.
pub fn callees(db: &dyn salsa::Database, files: &[File], file: File, focus: TextSize, name: &str) -> Vec<IspcCall> {
    let Some(function) = declared_at(db, files, file, focus, name) else { return Vec::new() };
    let mut calls: Vec<IspcCall> = Vec::new();
    // The body may be in another unit than the declaration.
    for InUnit { file, decls } in everywhere(db, files, function) {
        let unit = unit(db, file);
        let body = decls.iter().find(|decl| unit.names.decls[**decl as usize].is_definition);
        let body = body.and_then(|decl| function_at(db, file, unit.names.decls[*decl as usize].token));
        let Some(caller) = body else { continue };
        let Some(own) = item_in(db, unit, caller.place.decl) else { continue };
        for (token, decl) in called(db, file, &caller) {
            let callee = InUnit { file, decls: same_function(db, file, decl) };
            let Some(item) = item_of(db, files, &callee) else { continue };
            let place = place_in_caller(unit, token);
            if file_of(db, unit, place.file) != Some(own.file) {
                continue;
            }
            let place = range_of(place);
            match calls.iter_mut().find(|call| call.item == item) {
                Some(call) if call.places.contains(&place) => {}
                Some(call) => call.places.push(place),
                None => calls.push(IspcCall { item, places: vec![place] }),
            }
        }
        break;
    }
    calls
}

/// A function in each unit that knows it, its own first.
fn everywhere(db: &dyn salsa::Database, files: &[File], function: InUnit) -> Vec<InUnit> {
    let own = unit(db, function.file);
    let ty = function.decls.first().and_then(|decl| function_type(db, function.file, *decl));
    let others = other_units(db, files, function.file, own, &function.decls).into_iter();
    let others = others.filter_map(|(file, decls)| {
        // The units have all overloads of the name.
        let same = decls.iter().copied().find(|decl| function_type(db, file, *decl) == ty)?;
        Some(InUnit { file, decls: same_function(db, file, same) })
    });
    let others: Vec<InUnit> = others.collect();
    std::iter::once(function).chain(others).collect()
}

/// The tokens of a unit at which a function is named, or by an operator called.
fn named_at(db: &dyn salsa::Database, file: File, decls: &[u32]) -> Vec<u32> {
    let unit = unit(db, file);
    let Some(first) = decls.first().map(|decl| &unit.names.decls[*decl as usize]) else { return Vec::new() };
    if unit.tokens[first.token as usize].kind != Kind::Name || unit.interner.text(first.name).starts_with("operator") {
        let functions = queries::ispc::typing::all_places(db, file);
        let tokens = functions.into_iter().filter_map(|token| function_at(db, file, token));
        return tokens
            .flat_map(|function| called(db, file, &function))
            .filter(|(_, decl)| decls.contains(decl))
            .map(|(token, _)| token)
            .collect();
    }
    let is_named = |decl: u32| {
        let other = &unit.names.decls[decl as usize];
        other.name == first.name && other.kind == DeclKind::Function
    };
    let uses = unit.names.uses.iter().filter(|it| is_named(it.decl));
    let is_it = |token: &u32| overload_at(db, file, unit, *token).is_none_or(|decl| decls.contains(&decl));
    uses.map(|it| it.token).filter(is_it).collect()
}

/// The functions of the unit that a function names or calls by operators: the tokens, and their declarations.
fn called(db: &dyn salsa::Database, file: File, function: &TypedFunction<'_>) -> Vec<(u32, u32)> {
    let unit = function.unit;
    let tokens = unit.tree.tokens(function.place.node);
    let head = unit.names.decls[function.place.decl as usize].token;
    let is_function = |decl: &u32| unit.names.decls[*decl as usize].kind == DeclKind::Function;
    let first = unit.names.uses.first_behind(|it| it.token < tokens.start);
    let uses = unit.names.uses.from(first).take_while(|it| it.token < tokens.end && it.token != head);
    let named = uses.filter(|it| is_function(&it.decl));
    let named = named.map(|it| (it.token, overload_at(db, file, unit, it.token).unwrap_or(it.decl)));
    let mut all: Vec<(u32, u32)> = named.collect();
    let first = function.first().0;
    for call in &function.types.calls {
        let chosen = call.chosen.and_then(|chosen| function.decl(call.candidates[chosen].entity));
        all.extend(chosen.filter(is_function).map(|decl| (first + call.token, decl)));
    }
    all.sort_unstable();
    all.dedup_by_key(|(token, _)| *token);
    all
}

/// The place of a token in the text of who calls: that of a macro's call, if one brought it.
fn place_in_caller(unit: &Unit, token: u32) -> SourcePlace {
    let token = &unit.tokens[token as usize];
    if is_written(token) { token.place } else { unit.place(token) }
}

fn add(db: &dyn salsa::Database, calls: &mut Vec<IspcCall>, item: IspcCallable, place: SourcePlace, unit: &Unit) {
    if file_of(db, unit, place.file) != Some(item.file) {
        return;
    }
    let place = range_of(place);
    match calls.iter_mut().find(|call| (call.item.file, call.item.focus) == (item.file, item.focus)) {
        Some(call) if call.places.contains(&place) => {}
        Some(call) => call.places.push(place),
        None => calls.push(IspcCall { item, places: vec![place] }),
    }
}

/// Callers of the file that was asked about come first, then the others by their files.
fn sorted(db: &dyn salsa::Database, file: File, mut calls: Vec<IspcCall>) -> Vec<IspcCall> {
    calls.iter_mut().for_each(|call| call.places.sort_by_key(|place| place.start()));
    calls.sort_by_key(|call| (call.item.file != file, call.item.file.name(db).clone(), call.item.focus.start()));
    calls
}

/// A function as an item: its body, which may be in another unit, or its first declaration.
fn item_of(db: &dyn salsa::Database, files: &[File], function: &InUnit) -> Option<IspcCallable> {
    let own = unit(db, function.file);
    let defined =
        |unit: &Unit, decls: &[u32]| decls.iter().copied().find(|decl| unit.names.decls[*decl as usize].is_definition);
    if let Some(decl) = defined(own, &function.decls) {
        return item_in(db, own, decl);
    }
    let same = InUnit { file: function.file, decls: function.decls.clone() };
    let elsewhere = everywhere(db, files, same).into_iter().skip(1).find_map(|other| {
        let unit = unit(db, other.file);
        item_in(db, unit, defined(unit, &other.decls)?)
    });
    elsewhere.or_else(|| item_in(db, own, *function.decls.first()?))
}

/// The name of a function, of an operator with its sign.
fn name_of(unit: &Unit, decl: u32) -> String {
    let data = &unit.names.decls[decl as usize];
    let behind = data.token + 1..data.head.1;
    let sign = behind.take_while(|token| unit.tokens[*token as usize].kind != Kind::LParen);
    match unit.interner.text(data.name) {
        "operator" => {
            sign.fold("operator".to_owned(), |name, token| name + &unit.token_text(&unit.tokens[token as usize]))
        }
        name => name.to_owned(),
    }
}

fn item_in(db: &dyn salsa::Database, unit: &Unit, decl: u32) -> Option<IspcCallable> {
    let site = declaration_site(db, unit, decl)?;
    let data = &unit.names.decls[decl as usize];
    let is_text = !matches!(unit.tokens[data.token as usize].place.file, FileId::PREDEFINED);
    is_text.then(|| IspcCallable {
        file: site.file,
        name: name_of(unit, decl),
        detail: written(unit, decl),
        range: site.range,
        focus: site.focus,
    })
}
