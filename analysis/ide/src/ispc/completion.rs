//! The names and words that could be typed at a place: what is declared there, macros, keywords; behind `.` and `->` members; behind `#`
//! directives; in an `#include` headers.

use queries::db::File;
use queries::ispc::kinds::Kind;
use queries::ispc::names::DeclKind;
use queries::ispc::tree::NodeKind;
use queries::ispc::typing::layers::Member;
use queries::ispc::typing::ty::{Count, TypeKind};
use queries::ispc::typing::{function_at, library};
use queries::ispc::units::{FileId, Token, Unit};
use queries::ispc::{config, is_ispc, known_files, text, unit};
use report::{TextRange, TextSize};
use rustc_hash::FxHashSet;

use super::variability::written;

/// An entry of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IspcCandidate {
    /// The text that is shown and inserted.
    pub label: String,
    /// The kind of thing that it stands for.
    pub kind: CandidateKind,
    /// A declaration as it is written.
    pub detail: Option<String>,
    /// The range that is replaced: the word at the cursor.
    pub replace: TextRange,
}

/// The kind of thing that a completion stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum CandidateKind {
    Variable,
    Member,
    Function,
    Type,
    Enumerator,
    Macro,
    Keyword,
    Directive,
    Header,
}

const DIRECTIVES: &[&str] =
    &["include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning", "pragma"];

/// Returns the completions that fit a place, nearest first.
pub fn completion(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<IspcCandidate> {
    let whole = file.text(db);
    let Some(before) = whole.get(..usize::from(offset)) else { return Vec::new() };
    let line = before.rsplit('\n').next().unwrap_or_default();
    if let Some(written) = include(line) {
        return headers(db, file, offset, written);
    }
    if is_in_comment_or_text(db, file, offset) {
        return Vec::new();
    }
    let part = |char: char| char.is_alphanumeric() || char == '_';
    let in_front = before.trim_end_matches(part);
    let behind = whole[usize::from(offset)..].find(|char| !part(char)).unwrap_or(whole.len() - before.len());
    let replace = TextRange::new(TextSize::of(in_front), offset + TextSize::new(behind as u32));
    if whole[replace].starts_with(|first: char| first.is_ascii_digit()) {
        return Vec::new();
    }
    if line.trim_start().strip_prefix('#').is_some_and(|rest| rest.trim_start().chars().all(part)) {
        return words(DIRECTIVES.iter().copied(), CandidateKind::Directive, replace);
    }
    let unit = unit(db, file);
    let is_member = in_front.trim_end().ends_with("->") || is_behind_dot(in_front);
    let of_type = is_member.then(|| members_of_type(db, file, unit, replace)).flatten();
    let mut found = match of_type {
        Some(members) => members,
        None if is_member => members(unit, replace),
        None => names(unit, replace),
    };
    let mut seen = FxHashSet::default();
    found.retain(|candidate| seen.insert(candidate.label.clone()));
    found
}

fn is_behind_dot(text: &str) -> bool {
    let text = text.trim_end();
    // The dot of a number is none.
    text.strip_suffix('.').is_some_and(|rest| {
        let word = rest.rsplit(|char: char| !char.is_alphanumeric() && char != '_').next().unwrap_or_default();
        !rest.ends_with('.') && !word.starts_with(|first: char| first.is_ascii_digit())
    })
}

/// The part of the name of a header that is written, if the line up to the cursor is an `#include`.
fn include(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let written = rest.strip_prefix(['"', '<'])?;
    (!written.contains(['"', '>'])).then_some(written)
}

fn is_in_comment_or_text(db: &dyn salsa::Database, file: File, offset: TextSize) -> bool {
    let tokens = text(db, file);
    let at = u32::from(offset);
    let Some(index) = tokens.tokens.partition_point(|token| token.start < at).checked_sub(1) else { return false };
    let (range, kind) = (tokens.range(index), tokens.tokens[index].kind);
    let written = tokens.token_text(index);
    let is_inside = (at as usize) < range.end;
    match kind {
        Kind::LineComment => true,
        Kind::BlockComment => is_inside || !written.ends_with("*/"),
        Kind::Str => is_inside || written.len() < 2 || !written.ends_with('"'),
        Kind::Char => is_inside,
        _ => false,
    }
}

/// The headers that are known, by the names under which this file could include them: without the folders that are written already.
fn headers(db: &dyn salsa::Database, file: File, offset: TextSize, written: &str) -> Vec<IspcCandidate> {
    let own = ispc_folder(file.name(db));
    let folders = std::iter::once(own).chain(config(db, file).include_folders.iter().map(String::as_str));
    let folders: Vec<String> = folders.map(|folder| format!("{}/", folder.trim_end_matches('/'))).collect();
    let typed = written.rsplit_once('/').map_or("", |(folder, _)| folder);
    let word = written.rsplit('/').next().unwrap_or_default();
    let replace = TextRange::new(offset - TextSize::of(word), offset);
    let mut names: Vec<String> = Vec::new();
    for other in known_files(db).into_iter().filter(|other| *other != file && is_ispc(other.name(db))) {
        let name = folders.iter().find_map(|folder| other.name(db).strip_prefix(folder.as_str()));
        let rest = name.and_then(|name| match typed {
            "" => Some(name),
            typed => name.strip_prefix(typed)?.strip_prefix('/'),
        });
        names.extend(rest.map(str::to_owned));
    }
    names.sort_unstable();
    words(names.iter().map(String::as_str), CandidateKind::Header, replace)
}

fn ispc_folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn words<'w>(words: impl Iterator<Item = &'w str>, kind: CandidateKind, replace: TextRange) -> Vec<IspcCandidate> {
    words.map(|word| IspcCandidate { label: word.to_owned(), kind, detail: None, replace }).collect()
}

/// The members of the struct or short vector in front of the `.` or `->`, if its type is known.
fn members_of_type(
    db: &dyn salsa::Database,
    file: File,
    unit: &Unit,
    replace: TextRange,
) -> Option<Vec<IspcCandidate>> {
    let own = unit.tokens.from(unit.first_own as usize).enumerate();
    let in_front = own.filter(|(_, token)| {
        let is_here = token.place.file == FileId::MAIN && token.is(Token::WRITTEN) && token.kind != Kind::End;
        is_here && token.place.end <= u32::from(replace.start())
    });
    let dot = unit.first_own + in_front.last()?.0 as u32;
    let member = unit.tree.around(dot).find(|node| unit.tree.nodes[*node].kind == NodeKind::Member)?;
    let base = *unit.tree.children(member).first()?;
    let function = function_at(db, file, dot)?;
    let layer = &function.types.layer;
    let whole = layer.target(function.ty(base)?);
    let of = match layer.kind(whole) {
        TypeKind::Pointer(to, _) => *to,
        _ => whole,
    };
    match layer.kind(of) {
        TypeKind::Struct(of, _) => {
            let members = layer.members(*of)?.iter();
            let member = |member: &Member| {
                let decl = function.decl(member.entity);
                decl.map(|decl| declared(unit, decl, replace))
            };
            Some(members.filter_map(member).collect())
        }
        TypeKind::Vector(element, Count::Known(count)) => {
            let letters = ["x", "y", "z", "w"].into_iter().take(*count as usize);
            let found = words(letters, CandidateKind::Member, replace).into_iter();
            Some(found.map(|it| IspcCandidate { detail: Some(layer.show(*element)), ..it }).collect())
        }
        _ => None,
    }
}

/// The members of all structs, where no type tells whose are meant.
fn members(unit: &Unit, replace: TextRange) -> Vec<IspcCandidate> {
    let of_ispc = |token: u32| unit.tokens[token as usize].place.file == FileId::PREDEFINED;
    let fields = unit.names.decls.iter().enumerate();
    let fields = fields.filter(|(_, decl)| decl.kind == DeclKind::Field && !of_ispc(decl.token));
    let mut found: Vec<_> = fields.map(|(number, _)| declared(unit, number as u32, replace)).collect();
    found.sort_by(|a, b| a.label.cmp(&b.label));
    found
}

/// The declarations that a place can use, then macros and keywords.
fn names(unit: &Unit, replace: TextRange) -> Vec<IspcCandidate> {
    let at = u32::from(replace.start());
    let is_behind = |token: &Token| token.place.file == FileId::MAIN && token.place.start >= at;
    let own = unit.first_own as usize;
    let token = unit.tokens.from(own).position(is_behind).map_or(unit.tokens.len(), |index| own + index) as u32;
    let decls = (0..unit.names.decls.len()).rev().map(|number| (number, &unit.names.decls[number]));
    let visible = decls.filter(|(_, decl)| {
        let is_name = !matches!(decl.kind, DeclKind::Field | DeclKind::Label);
        // The token at the cursor is the first that is behind it, so a scope that ends there still holds it.
        is_name && decl.scope.0 < token && token <= decl.scope.1
    });
    let visible = visible.map(|(number, _)| declared(unit, number as u32, replace));
    let mut found: Vec<IspcCandidate> = visible.filter(|it| is_word(&it.label)).collect();
    found.extend(of_library(replace));
    let macros = unit.macros.iter().filter(|it| !it.is_built_in);
    found.extend(macros.map(|it| IspcCandidate {
        label: unit.interner.text(it.name).to_owned(),
        kind: CandidateKind::Macro,
        detail: unit.text(it.place.file).get(it.place.range()).and_then(|text| text.lines().next()).map(str::to_owned),
        replace,
    }));
    let keywords = Kind::KEYWORDS.iter().map(|(_, text)| *text).filter(|text| !text.starts_with("__"));
    found.extend(words(keywords, CandidateKind::Keyword, replace));
    found
}

/// The functions of the library, once each.
fn of_library(replace: TextRange) -> Vec<IspcCandidate> {
    let unit = &library::library().unit;
    let mut seen = FxHashSet::default();
    let decls = unit.names.decls.iter().enumerate();
    let functions = decls.filter(|(_, decl)| decl.kind == DeclKind::Function && seen.insert(decl.name));
    functions.map(|(number, _)| declared(unit, number as u32, replace)).collect()
}

fn is_word(label: &str) -> bool {
    !label.is_empty() && !label.starts_with("operator")
}

fn declared(unit: &Unit, number: u32, replace: TextRange) -> IspcCandidate {
    let decl = &unit.names.decls[number as usize];
    let kind = match decl.kind {
        DeclKind::Function => CandidateKind::Function,
        DeclKind::Struct | DeclKind::Enum | DeclKind::Typedef | DeclKind::TemplateParam => CandidateKind::Type,
        DeclKind::Field => CandidateKind::Member,
        DeclKind::Enumerator => CandidateKind::Enumerator,
        DeclKind::Global | DeclKind::Param | DeclKind::Local | DeclKind::Label => CandidateKind::Variable,
    };
    let has_detail = !matches!(decl.kind, DeclKind::Struct | DeclKind::Enum | DeclKind::Enumerator);
    IspcCandidate {
        label: unit.interner.text(decl.name).to_owned(),
        kind,
        detail: has_detail.then(|| written(unit, number)),
        replace,
    }
}
