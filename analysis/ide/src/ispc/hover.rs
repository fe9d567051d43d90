//! IspcHover: a declaration as it is written, what it is to the lanes, and its author's comment; of a macro its definition, and what it becomes here.

use queries::db::File;
use queries::ispc::kinds::Kind;
use queries::ispc::names::DeclKind;
use queries::ispc::unit;
use queries::ispc::units::{FileId, SourcePlace, Unit};
use report::{TextRange, TextSize};

use super::symbol::{IspcSymbol, NamedPlace, symbol_at};
use super::variability::{Variability, is_pointer, variability, written};
use super::{file_name, range_of};

/// The most overloads, and bytes of an expansion, that are shown.
const MOST_HEADS: usize = 8;
const MOST_BYTES: usize = 2_000;

/// The answer to a hover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IspcHover {
    /// The name that it is about.
    pub range: TextRange,
    /// The text, in Markdown.
    pub text: String,
}

/// The hover of the name at a place.
pub fn hover(db: &dyn salsa::Database, file: File, offset: TextSize) -> Option<IspcHover> {
    let unit = unit(db, file);
    let named = symbol_at(db, file, offset)?;
    let sections = match &named.symbol {
        IspcSymbol::Include(number) => {
            let target = unit.includes[*number].target?;
            vec![format!("`{}`", unit.path(target))]
        }
        IspcSymbol::Macro(of) => of_macro(unit, &named, *of),
        IspcSymbol::Declared(decls) => of_declared(unit, &named, decls),
    };
    Some(IspcHover { range: named.range, text: sections.join("\n\n") })
}

fn code(text: &str) -> String {
    format!("```ispc\n{text}\n```")
}

fn of_macro(unit: &Unit, named: &NamedPlace, of: u32) -> Vec<String> {
    let definition = &unit.macros[of as usize];
    let written = unit.text(definition.place.file).get(definition.place.range()).unwrap_or_default();
    let mut sections = vec![code(&shortened(&format!("#define {written}")))];
    let here = unit.macro_uses.iter().find(|it| range_of(it.place) == named.range && it.place.file == FileId::MAIN);
    let expansion = here.and_then(|it| unit.expansions.get((it.expansion as usize).checked_sub(1)?));
    if let Some(expansion) = expansion {
        let becomes = unit.text_of(expansion.tokens.0..expansion.tokens.1);
        sections.push(match becomes.is_empty() {
            true => "Here it becomes nothing.".to_owned(),
            false => format!("Here it becomes\n{}", code(&shortened(&becomes))),
        });
    }
    sections.extend(comment(unit, definition.place));
    sections.extend(elsewhere(unit, definition.name_place));
    sections
}

fn of_declared(unit: &Unit, named: &NamedPlace, decls: &[u32]) -> Vec<String> {
    let names = &unit.names;
    // The declaration itself where the name is that of one, else the definition before prototypes.
    let own = named.token.and_then(|token| names.declared_at(token));
    let first = decls.iter().copied().find(|decl| names.decls[*decl as usize].is_definition);
    let shown = own.or(first).unwrap_or(decls[0]);
    let mut heads: Vec<String> = vec![head(unit, shown)];
    for head in decls.iter().map(|decl| head(unit, *decl)) {
        if !heads.iter().any(|other| is_same_head(other, &head)) {
            heads.push(head);
        }
    }
    let n_more = heads.len().saturating_sub(MOST_HEADS);
    heads.truncate(MOST_HEADS);
    let mut sections = vec![code(&heads.join("\n"))];
    sections.extend(about(unit, shown));
    if n_more > 0 {
        sections.push(format!("And {n_more} more overloads."));
    }
    let place_of = |decl: u32| unit.place_of(names.head(decl));
    let with_comment = std::iter::once(shown).chain(decls.iter().copied());
    sections.extend(with_comment.filter_map(place_of).find_map(|place| comment(unit, place)));
    sections.extend(place_of(shown).and_then(|place| elsewhere(unit, place)));
    sections
}

/// A prototype and the definition of one function are one overload.
fn is_same_head(one: &str, other: &str) -> bool {
    let plain = |head: &str| {
        let words = head.split_whitespace().filter(|word| !matches!(*word, "static" | "inline" | "extern" | "export"));
        words.collect::<String>()
    };
    plain(one) == plain(other)
}

/// A declaration without its body or value.
fn head(unit: &Unit, decl: u32) -> String {
    let it = &unit.names.decls[decl as usize];
    let mut text = written(unit, decl);
    // Its own hover shows the members of a struct and the values of an enumeration.
    if matches!(it.kind, DeclKind::Struct | DeclKind::Enum) {
        text = unit.text_of(it.head.0..it.end.max(it.head.1));
    }
    shortened(&text)
}

fn about(unit: &Unit, decl: u32) -> Option<String> {
    let it = &unit.names.decls[decl as usize];
    let mut word = it.kind.word().to_owned();
    word[..1].make_ascii_uppercase();
    let lanes = match (it.kind, variability(unit, decl)) {
        (DeclKind::Struct | DeclKind::Enum | DeclKind::Typedef | DeclKind::Label | DeclKind::TemplateParam, _) => "",
        (DeclKind::Function, Variability::Uniform) => "; gives one value for all lanes",
        (DeclKind::Function, Variability::Varying) => "; gives one value a lane",
        (DeclKind::Function, Variability::VaryingByDefault) => {
            "; gives one value a lane, since neither `uniform` nor `varying` is written"
        }
        (_, Variability::Uniform) if is_pointer(unit, decl) => "; the pointer is uniform: all lanes have the same",
        (_, Variability::Varying) if is_pointer(unit, decl) => "; the pointer is varying: each lane has its own",
        (_, Variability::VaryingByDefault) if is_pointer(unit, decl) => {
            "; the pointer is varying, since neither `uniform` nor `varying` is written behind its `*`"
        }
        (_, Variability::Uniform) => ", uniform: one value for all lanes",
        (_, Variability::Varying) => ", varying: one value a lane",
        (_, Variability::VaryingByDefault) => ", varying, since neither `uniform` nor `varying` is written",
        (_, Variability::OfStruct) => ", uniform or varying as its struct is",
        (_, Variability::Unknown) => "",
    };
    let within = it.within.filter(|_| matches!(it.kind, DeclKind::Field | DeclKind::Enumerator));
    let within = within.map(|within| unit.interner.text(unit.names.decls[within as usize].name));
    let of = within.filter(|name| !name.is_empty()).map_or(String::new(), |name| format!(" of `{name}`"));
    Some(format!("{word}{of}{lanes}."))
}

/// The file of a place that is not in the file that is looked at.
fn elsewhere(unit: &Unit, place: SourcePlace) -> Option<String> {
    let line =
        || unit.text(place.file).get(..place.start as usize).map_or(1, |before| before.matches('\n').count() + 1);
    match place.file {
        FileId::MAIN | FileId::MADE => None,
        FileId::PREDEFINED => Some("Defined by ispc, or where the file is compiled.".to_owned()),
        file => Some(format!("From `{}`, line {}.", file_name(unit.path(file)), line())),
    }
}

/// The comment in front of a place, on lines of its own, or behind it on its last line.
fn comment(unit: &Unit, place: SourcePlace) -> Option<String> {
    let tokens = &unit.files.get(usize::from(place.file.0))?.file;
    if place.file == FileId::MADE {
        return None;
    }
    let first = tokens.tokens.partition_point(|token| token.start < place.start);
    // In front of a macro's name stand `#` and `define`.
    let starts_line = |index: usize| {
        let before = &tokens.text[..tokens.range(index).start];
        before.rsplit('\n').next().is_some_and(|line| line.trim_start().chars().all(|char| char == '#' || char == ' '))
    };
    let mut at = first;
    while at > 0 && !starts_line(at) && tokens.tokens[at - 1].kind != Kind::Newline {
        at -= 1;
    }
    let mut lines: Vec<String> = Vec::new();
    let mut n_breaks = 0;
    for index in (0..at).rev() {
        match tokens.tokens[index].kind {
            Kind::Space => {}
            Kind::Hash if lines.is_empty() => {}
            Kind::Newline if n_breaks == 0 => n_breaks = 1,
            kind @ (Kind::LineComment | Kind::BlockComment) => {
                let is_alone =
                    tokens.text[..tokens.range(index).start].rsplit('\n').next().is_some_and(|it| it.trim().is_empty());
                if !is_alone || (kind == Kind::BlockComment && !lines.is_empty()) {
                    break;
                }
                lines.push(plain_comment(tokens.token_text(index)));
                n_breaks = 0;
                if kind == Kind::BlockComment {
                    break;
                }
            }
            _ => break,
        }
    }
    lines.reverse();
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text).or_else(|| behind(tokens, place))
}

/// The comment behind a place, on the same line.
fn behind(tokens: &queries::ispc::file::FileText, place: SourcePlace) -> Option<String> {
    let last = tokens.tokens.partition_point(|token| token.start < place.end);
    let rest = (last..tokens.tokens.len()).take_while(|index| tokens.tokens[*index].kind != Kind::Newline);
    let mut comments =
        rest.filter(|index| matches!(tokens.tokens[*index].kind, Kind::LineComment | Kind::BlockComment));
    let text = plain_comment(tokens.token_text(comments.next()?));
    (!text.is_empty()).then_some(text)
}

/// A comment without its marks.
fn plain_comment(comment: &str) -> String {
    if let Some(line) = comment.strip_prefix("//") {
        return line.trim_start_matches(['/', '!', '<']).trim().to_owned();
    }
    let inner = comment.trim_start_matches("/*").trim_start_matches(['*', '!', '<']).trim_end_matches("*/");
    let lines = inner.lines().map(|line| line.trim().trim_start_matches('*').trim());
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn shortened(text: &str) -> String {
    match text.char_indices().map(|(at, _)| at).find(|at| *at >= MOST_BYTES) {
        Some(end) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
