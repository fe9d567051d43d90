//! IspcHover: a declaration as it is written, what it is to the lanes, and its author's comment; of a macro its definition, and what it becomes here.

use queries::db::File;
use queries::ispc::kinds::Kind;
use queries::ispc::names::DeclKind;
use queries::ispc::typing::body::Call;
use queries::ispc::typing::declared::library_types;
use queries::ispc::typing::layers::Entity;
use queries::ispc::typing::overload::{self, Candidate, Fit};
use queries::ispc::typing::ty::TypeKind;
use queries::ispc::typing::{TypedFunction, function_at, wholes};
use queries::ispc::unit;
use queries::ispc::units::{FileId, SourcePlace, Token, Unit};
use report::{TextRange, TextSize};

use super::facts::known_at;
use super::symbol::{IspcSymbol, NamedPlace, symbol_at};
use super::typed::{expression_at, is_of_library, library_comment, of_library, overload_at, same_function};
use super::variability::{Variability, is_pointer, variability, written};
use super::{file_name, range_of};

/// The most overloads, and bytes of an expansion, that are shown.
const MOST_HEADS: usize = 8;
const MOST_BYTES: usize = 2_000;
/// The most overloads of which a call says why they are not called.
const MOST_OTHERS: usize = 5;

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
    let Some(named) = symbol_at(db, file, offset) else { return typed_hover(db, file, offset) };
    let sections = match &named.symbol {
        IspcSymbol::Include(number) => {
            let target = unit.includes[*number].target?;
            vec![format!("`{}`", unit.path(target))]
        }
        IspcSymbol::Macro(of) => of_macro(unit, &named, *of),
        IspcSymbol::Declared(decls) => of_declared(db, file, unit, &named, decls),
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

fn of_declared(db: &dyn salsa::Database, file: File, unit: &Unit, named: &NamedPlace, decls: &[u32]) -> Vec<String> {
    let names = &unit.names;
    let is_function = decls.iter().all(|decl| names.decls[*decl as usize].kind == DeclKind::Function);
    let of_call = named.token.filter(|_| is_function).and_then(|token| of_call(db, file, token));
    if let Some((_, entity)) = named.token.and_then(|token| called(db, file, token))
        && is_of_library(entity)
    {
        // The unit has functions of this name, and one of the library's is called.
        return of_library_function(entity).into_iter().chain(of_call).collect();
    }
    let overload = named.token.filter(|_| is_function).and_then(|token| overload_at(db, file, unit, token));
    let one: Vec<u32>;
    let decls = match overload {
        Some(decl) if of_call.is_some() => {
            one = same_function(db, file, decl);
            &one[..]
        }
        _ => decls,
    };
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
    sections.extend(named.token.filter(|_| !is_function).and_then(|token| of_expression(db, file, token)));
    sections.extend(named.token.and_then(|token| of_declared_variable(db, file, unit, token)));
    sections.extend(of_call);
    if n_more > 0 {
        sections.push(format!("And {n_more} more overloads."));
    }
    let place_of = |decl: u32| unit.place_of(names.head(decl));
    let with_comment = std::iter::once(shown).chain(decls.iter().copied());
    sections.extend(with_comment.filter_map(place_of).find_map(|place| comment(unit, place)));
    sections.extend(place_of(shown).and_then(|place| elsewhere(unit, place)));
    sections
}

/// The call whose function's name is at a token, and that function.
fn called(db: &dyn salsa::Database, file: File, token: u32) -> Option<(TypedFunction<'_>, Entity)> {
    let function = function_at(db, file, token)?;
    Some((function, function.meaning(token)?))
}

/// With which types a function is called at its name, and why the others of its name are not.
fn of_call(db: &dyn salsa::Database, file: File, token: u32) -> Option<String> {
    let function = function_at(db, file, token)?;
    let own = token - function.first().0;
    let call = function.types.calls.iter().find(|call| call.token == own)?;
    let layer = &function.types.layer;
    let given: Vec<String> = call.arguments.iter().map(|ty| format!("`{}`", layer.show(*ty))).collect();
    let given = if given.is_empty() { "nothing".to_owned() } else { given.join(", ") };
    let chosen = call.chosen?;
    let TypeKind::Function(gives, _) = layer.kind(call.candidates[chosen].ty) else { return None };
    let mut text = format!("Called here with {given}; gives `{}`.", layer.show(*gives));
    let mut others: Vec<_> = call.candidates.iter().enumerate().filter(|(index, _)| *index != chosen).collect();
    let n_others = others.len();
    // Those that come nearest first.
    others.sort_by_key(|(_, candidate)| match candidate.fit {
        Fit::Costs(cost) => (0, cost),
        Fit::Argument(index, _) => (1, u64::MAX - index as u64),
        Fit::Template => (2, 0),
        Fit::Count => (3, 0),
    });
    others.truncate(MOST_OTHERS);
    if n_others > 0 {
        text += "\n\nOf the others:";
    }
    for (_, candidate) in others {
        let shown = wholes::signature(layer, candidate.entity);
        text += &format!("\n- `{shown}`: {}", why_not(function, call, candidate, &call.candidates[chosen]));
    }
    if n_others > MOST_OTHERS {
        text += &format!("\n- and {} more", n_others - MOST_OTHERS);
    }
    Some(text)
}

/// Why a candidate is not the one that is called.
fn why_not(function: TypedFunction<'_>, call: &Call, candidate: &Candidate, chosen: &Candidate) -> String {
    let layer = &function.types.layer;
    if !matches!(candidate.fit, Fit::Costs(_)) {
        return overload::why(layer, candidate, |index| layer.show(call.arguments[index]));
    }
    let worse = candidate.cost.iter().zip(&chosen.cost).position(|(cost, least)| cost > least);
    let takes = |of: &Candidate, index: usize| match layer.kind(of.ty) {
        TypeKind::Function(_, takes) => layer.show(takes[index]),
        _ => String::new(),
    };
    match worse {
        Some(index) => {
            let (given, wanted) = (layer.show(call.arguments[index]), takes(candidate, index));
            format!(
                "a `{given}` would have to become a `{wanted}`, which counts for more than `{}`",
                takes(chosen, index)
            )
        }
        None => "fits as well, and is a template".to_owned(),
    }
}

/// A function of the library: its declaration and comment.
fn of_library_function(entity: Entity) -> Vec<String> {
    let layer = &library_types().layer;
    let mut sections = vec![code(&wholes::signature(layer, entity))];
    sections.extend(library_comment(entity));
    sections.push("Of the standard library.".to_owned());
    sections
}

/// The hover of what is no declaration of the unit: a function of the library, or an expression, at its operator or bracket.
fn typed_hover(db: &dyn salsa::Database, file: File, offset: TextSize) -> Option<IspcHover> {
    let unit = unit(db, file);
    let touches = |token: &Token| token.place.touches(FileId::MAIN, u32::from(offset)) && token.kind != Kind::End;
    let own = unit.tokens.from(unit.first_own as usize).enumerate();
    let at: Vec<u32> =
        own.filter(|(_, token)| touches(token)).map(|(index, _)| unit.first_own + index as u32).collect();
    // Of two tokens that meet here the name counts, else the one behind.
    let is_name = |token: &&u32| unit.tokens[**token as usize].kind == Kind::Name;
    let token = *at.iter().find(is_name).or(at.last())?;
    let range = range_of(unit.tokens[token as usize].place);
    if unit.tokens[token as usize].kind == Kind::Name {
        let name = unit.token_text(&unit.tokens[token as usize]).into_owned();
        let chosen = called(db, file, token).map(|(_, entity)| entity).filter(|entity| is_of_library(*entity));
        let overloads = of_library(&name);
        let shown = chosen.or(overloads.first().copied());
        if let Some(entity) = shown {
            let mut sections = of_library_function(entity);
            if chosen.is_none() && overloads.len() > 1 {
                sections.push(format!("And {} more overloads.", overloads.len() - 1));
            }
            sections.extend(of_call(db, file, token));
            return Some(IspcHover { range, text: sections.join("\n\n") });
        }
    }
    let text = of_expression(db, file, token)?;
    let (function, node, _) = expression_at(db, file, token)?;
    let place = unit.place_of(function.unit.tree.tokens(node)).filter(|place| place.file == FileId::MAIN);
    let sections: Vec<String> = std::iter::once(text).chain(of_call(db, file, token)).collect();
    Some(IspcHover { range: place.map_or(range, range_of), text: sections.join("\n\n") })
}

/// The type of the expression that a token belongs to, and what becomes of its value.
fn of_expression(db: &dyn salsa::Database, file: File, token: u32) -> Option<String> {
    let (function, node, ty) = expression_at(db, file, token)?;
    let tree = &function.unit.tree;
    let written = shortened(&function.unit.text_of(tree.tokens(node)).replace('\n', " "));
    let mut text = format!("`{written}` is a `{}`", function.types.layer.show(ty));
    let own = (node - function.first().1) as u32;
    if function.types.spread.contains(&own) {
        text += ", copied to all lanes here";
    }
    text.push('.');
    // A variable that is set stands inside of its assignment.
    let around = tree.around(token).take(3).map(|node| node.wrapping_sub(function.first().1) as u32);
    let assigned = around.filter_map(|node| function.types.under_varying.iter().find(|(assign, _)| *assign == node));
    if let Some((_, condition)) = assigned.into_iter().next() {
        let condition = function.unit.text_of(tree.tokens(*condition as usize + function.first().1));
        text += &format!(
            " It is set under the condition `{}`, which varies: all lanes see the new value if one lane gets here.",
            shortened(&condition)
        );
    }
    let Some(known) = known_at(db, file, token) else { return Some(text) };
    let told: Vec<String> = known.of_node(node).into_iter().chain(known.mask_at(token)).collect();
    let could = meaning_of_name(&function, token).and_then(|entity| known.could_be_uniform(entity));
    let all = std::iter::once(text).chain(told).chain(could);
    Some(all.collect::<Vec<_>>().join("\n\n"))
}

/// The variable that a name stands for.
fn meaning_of_name(function: &TypedFunction<'_>, token: u32) -> Option<Entity> {
    let uses = &function.unit.names.uses;
    let at = uses.find_by_key(&token, |it| it.token)?;
    function.entity(uses[at].decl)
}

/// Why the variable that a token declares could be `uniform`.
fn of_declared_variable(db: &dyn salsa::Database, file: File, unit: &Unit, token: u32) -> Option<String> {
    let decl = unit.names.declared_at(token)?;
    let known = known_at(db, file, token)?;
    known.could_be_uniform(known.function.entity(decl)?)
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
