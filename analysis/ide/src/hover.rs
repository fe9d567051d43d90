//! Hover: the facts about the thing under the cursor, in Lane, then in a sentence or two, then in its author's words.
//!
//! A hover is a list of sections. The first describes the thing, wherever it is named; the last describes its use
//! *here*. Facts about the lanes of a value belong to the former (see `local`), facts about an access to the latter
//! (see `here`).

mod lanes;
mod statements;
mod words;

use ir::Scalar;
use lane::tree::ast;
use lane::tree::ast::AstNode;
use lane::tree::{SyntaxKind, SyntaxNode, SyntaxToken};
use report::{ItemKind, TextRange, TextSize};

use super::Located;
use super::definition::struct_key;
use super::explain::scratch_of;
use super::links;
use super::references::{ReferenceKind, kind_of, place};
use super::symbol::{Symbol, SymbolNames, expression_at, function_called, symbol_at};
use super::wording::{domain, item_docs, item_header, scalar_docs, source, taken_by_loops, without_marks};
use hir::builtins::{Attribute, AttributeArgs, BuiltinId, Means};
use hir::enums::members;
use hir::expand::OPEN;
use hir::finding::ItemKey;
use hir::infer;
use hir::infer::Inference;
use hir::ty;
use hir::ty::{Signature, Ty};
use hir::{Body, Expr, ExprId, LocalId, LocalKind, Name, Stmt};
use queries::db::{File, Item};
use queries::templates;

/// The answer to a hover: a text, the range that it is about, and its links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// The range of the file that the text is about.
    pub range: TextRange,
    /// The sections, in Markdown.
    pub text: String,
    /// The parts of that which lead somewhere, in order.
    pub links: Vec<HoverLink>,
}

/// A part of a hover that leads somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoverLink {
    /// The part, as a range of the hover's text.
    pub part: TextRange,
    /// The place that it leads to, in the file.
    pub target: TextSize,
}

/// The things that are shown beside a hover, and need not be said in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// The notes on performance at its place, as editors show them.
    Notes,
    /// The hover stands alone.
    Nothing,
}

/// Returns the hover at a place, with facts for the target that [questions are about](queries::db::made_for).
pub fn hover(db: &dyn salsa::Database, file: File, offset: TextSize, beside: Beside) -> Option<Hover> {
    let located = Located::at(db, file, offset)?;
    let token = located.token(offset)?;
    if token.kind() == SyntaxKind::DOC_COMMENT {
        let found = symbol_at(db, file, offset)?;
        let (text, links) = without_marks(&symbol_sections(db, file, &found.symbol)?.join("\n\n"));
        return Some(Hover { range: found.range, text, links });
    }
    let names = SymbolNames::new(db, &located);
    let word = domain(&token).map(|word| vec![lane(word.signature(2)), word.docs().to_owned()]);
    let (range, sections) = match names.symbol(&token) {
        Some(symbol) => {
            let mut sections = symbol_sections(db, file, &symbol)?;
            sections.extend(function_docs(db, &located, &token, &symbol));
            match located.dense(db, &token) {
                Some(at) if taken_by_loops(queries::lowered(db, located.item)).contains(&at) => {
                    let accesses = lanes::of_accesses(db, &located, at, beside);
                    sections.extend(accesses.first().map(|_| "Its elements, one by one:".to_owned()));
                    sections.extend(accesses);
                }
                at => sections.extend(at.and_then(|at| lanes::of_value(db, &located, at))),
            }
            sections.extend(lanes::of_loop(db, &located, &token, beside));
            sections.extend(here(db, &located, &names, (&token, &symbol), beside));
            (token.text_range(), sections)
        }
        None if let Some(sections) = word => (token.text_range(), sections),
        None if token.parent_ancestors().any(|node| node.kind() == SyntaxKind::USE_PATH) => {
            (token.text_range(), used_file(db, located.item)?)
        }
        None => match lanes::of_loop(db, &located, &token, beside) {
            Some(verdict) => (token.text_range(), vec![verdict]),
            None => statements::statement(db, &located, &names, &token, beside)
                .or_else(|| expression(db, &located, &token, beside))
                .or_else(|| Some((token.text_range(), vec![words::word(&token)?])))?,
        },
    };
    let (text, links) = without_marks(&sections.join("\n\n"));
    Some(Hover { range: range + located.start, text, links })
}

/// Describes the file that a `use` names: the comment at its top, and what it has for others.
fn used_file(db: &dyn salsa::Database, item: Item<'_>) -> Option<Vec<String>> {
    let file = queries::uses::file_of_use(db, item)?;
    let about = file.text(db).lines().next().and_then(|line| line.strip_prefix("# "));
    let items = queries::uses::shown_names(db, file).filter_map(|key| queries::item_of(db, file, key));
    let headers: Vec<String> = items.filter_map(|item| item_header(db, item)).collect();
    Some(about.map(str::to_owned).into_iter().chain([lane(&headers.join("\n"))]).collect())
}

/// Returns a Markdown section with a piece of Lane.
fn lane(code: &str) -> String {
    format!("```lane\n{code}\n```")
}

fn symbol_sections(db: &dyn salsa::Database, file: File, symbol: &Symbol) -> Option<Vec<String>> {
    match symbol {
        Symbol::Local(key, local) => Some(self::local(db, queries::item_of(db, file, key)?, *local)),
        Symbol::Item(key) => item(db, file, key),
        Symbol::Field(name, field) => self::field(db, file, name, field),
        Symbol::Builtin(builtin) => Some(self::builtin(*builtin)),
        Symbol::Scalar(scalar) => Some(vec![lane(scalar.name()), scalar_docs(*scalar)]),
        Symbol::Attribute(id) => Some(attribute(id.get())),
    }
}

// Locals.

fn local(db: &dyn salsa::Database, item: Item<'_>, local: LocalId) -> Vec<String> {
    let (body, inference) = (queries::body(db, item), queries::infer(db, item));
    let generic = body.generics.iter().position(|it| it.local == local);
    if let Some(number) = generic {
        return generic_param(db, item, number, local);
    }
    let value = constant_of(body, inference, local);
    let value = value.map(|value| format!(" = {}", infer::shown(value))).unwrap_or_default();
    let mut sections = vec![lane(&format!("{}{value}", hir::typed_local(body, inference, local)))];
    let sentences = [
        (body.locals[local].kind == LocalKind::Size)
            .then(|| "A size that each call brings with its arrays.".to_owned()),
        (body.locals[local].kind == LocalKind::Constant).then(|| {
            "The index of a `static for`: a constant in each iteration, of the type that is needed where it is used."
                .to_owned()
        }),
        inference.locals.get(local).and_then(|ty| generics(&inference.signature, &[ty])),
        defaulted(body, inference, local),
        not_there(db, item, inference.locals.get(local)),
        body.locals[local].updated.then(|| "Updated after its definition.".to_owned()),
    ];
    let sentences: Vec<_> = sentences.into_iter().flatten().collect();
    if !sentences.is_empty() {
        sections.push(sentences.join(" "));
    }
    sections
}

/// A constant or type parameter, with what stands for it in the instance that is shown.
fn generic_param(db: &dyn salsa::Database, item: Item<'_>, number: usize, local: LocalId) -> Vec<String> {
    let data = &queries::body(db, item).locals[local];
    let known = templates::argument(db, item, number).filter(|known| **known != *OPEN);
    let known = known.map(|known| format!(" = {known}")).unwrap_or_default();
    let code = match data.ty.as_ref().and_then(|ty| ty.name.as_ref()) {
        Some(ty) => format!("{}: const {ty}{known}", data.name),
        None => format!("{}{known}", data.name),
    };
    let what = if data.kind == LocalKind::Constant { "A constant parameter." } else { "A type parameter." };
    let mut sections = vec![lane(&code), what.to_owned()];
    sections.extend(instance_shown(db, item));
    sections
}

/// A sentence about a variable of a branch that the instance does not have.
fn not_there(db: &dyn salsa::Database, item: Item<'_>, ty: Option<&Ty>) -> Option<String> {
    let shown = templates::shown_as(db, item).filter(|_| ty.is_none())?;
    Some(format!("The instance `{shown}` does not have it."))
}

/// A sentence about the instance that an item with constant and type parameters is shown as, and its other ones.
fn instance_shown(db: &dyn salsa::Database, item: Item<'_>) -> Option<String> {
    let template = item.template(db).unwrap_or(item);
    if templates::generics(db, template).is_empty() {
        return None;
    }
    let named: Vec<_> = templates::instances_of(db, template).iter().map(|it| format!("`{}`", it.name(db))).collect();
    let named =
        if named.is_empty() { String::new() } else { format!(" Instances in this file: {}.", named.join(", ")) };
    Some(match templates::shown_as(db, item) {
        Some(shown) => format!("Shown as the instance `{shown}`.{named}"),
        None => format!("No instance is named, so its types are not known.{named}"),
    })
}

/// A default is worth a word, but not that of a size, which is never anything else.
fn defaulted(body: &Body, inference: &Inference, local: LocalId) -> Option<String> {
    if !inference.defaulted.contains(&local) || body.locals[local].kind == LocalKind::Size {
        return None;
    }
    let of_elements = matches!(inference.locals.get(local), Some(Ty::Array(..)));
    let what = if of_elements { "the elements' type" } else { "this type" };
    Some(format!("Inferred: nothing decides {what}, so it is the default."))
}

/// The value of a variable that has only ever one, if that is known.
fn constant_of(body: &Body, inference: &Inference, local: LocalId) -> Option<Scalar> {
    if body.locals[local].updated {
        return None;
    }
    let value = body.stmts.iter().find_map(|(_, stmt)| match stmt {
        Stmt::Define(defined, value) if *defined == local => Some(*value),
        _ => None,
    })?;
    inference.values.get(&value).copied()
}

/// Describes the generic types that occur in some types: the set that each of them ranges over.
fn generics(signature: &Signature, types: &[&Ty]) -> Option<String> {
    let mut found = Vec::new();
    types.iter().for_each(|ty| collect_generics(ty, &mut found));
    found.sort_unstable();
    found.dedup();
    let described = found.into_iter().map(|n| {
        let set = signature.generics.get(n as usize).copied().flatten();
        let name = Ty::Generic(n).display(&|_| String::new());
        format!("`{name}` is {}", set.map_or_else(|| "any type".to_owned(), ty::describe))
    });
    let described: Vec<_> = described.collect();
    (!described.is_empty()).then(|| format!("{}; each call has its own.", described.join(", ")))
}

fn collect_generics(ty: &Ty, found: &mut Vec<u32>) {
    match ty {
        Ty::Generic(n) => found.push(*n),
        Ty::Array(element, _) => collect_generics(element, found),
        Ty::Tuple(parts) => parts.iter().for_each(|part| collect_generics(part, found)),
        Ty::Fn(params, result) => {
            params.iter().for_each(|param| collect_generics(param, found));
            collect_generics(result, found);
        }
        _ => {}
    }
}

// Items and their fields.

fn item(db: &dyn salsa::Database, file: File, key: &ItemKey) -> Option<Vec<String>> {
    let written = queries::item_of(db, file, key)?;
    let item = queries::kernel_of(db, written);
    let code = match key.kind {
        ItemKind::Struct | ItemKind::Enum => {
            queries::typed(db, item).iter().map(|line| &*line.text).collect::<Vec<_>>().join("\n")
        }
        _ => match queries::const_table(db, item) {
            Some(table) => with_elements(&item_header(db, item)?, &table.cells),
            None => item_header(db, item)?,
        },
    };
    let signature = queries::signature(db, item);
    let types: Vec<_> = signature.params.iter().map(|(_, ty)| ty).chain(&signature.result).collect();
    let mut sections = vec![lane(&code)];
    sections.extend(generics(signature, &types));
    sections.extend(instance_shown(db, item));
    sections.extend(item_docs(db, written).or_else(|| item_docs(db, item)).map(|docs| links::marked(db, file, &docs)));
    if item.file(db) != file && item.file(db) != queries::prelude::file(db) {
        let of = item.file(db).name(db);
        sections.push(format!("From `{}`.", of.rsplit_once('/').map_or(&**of, |(_, last)| last)));
    }
    sections.extend(scratch_of(db, item).map(scratch));
    Some(sections)
}

/// The definition of a constant array with its first elements instead of what computes them.
fn with_elements(header: &str, cells: &[Scalar]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<_> = cells.iter().take(SHOWN).map(|&cell| infer::shown(cell)).collect();
    let more = if cells.len() > SHOWN { ", ..." } else { "" };
    let name = header.split_once(" = ").map_or(header, |(name, _)| name);
    format!("{name} = [{}{more}]", shown.join(", "))
}

/// Returns what the caller of a kernel has to know of its scratch memory.
fn scratch(bytes: &str) -> String {
    let aligned = if bytes.contains("aligned(") { "; `aligned(x)` is `x` rounded up to a multiple of 64" } else { "" };
    format!("Needs scratch memory, which the caller passes: `{bytes}` bytes{aligned}.")
}

fn field(db: &dyn salsa::Database, file: File, name: &Name, field: &Name) -> Option<Vec<String>> {
    let item = queries::item_of(db, file, &struct_key(db, file, name)?)?;
    // The data of a variant stand on its line.
    let own = field.split_once('.').map_or(&**field, |(variant, _)| variant);
    let (_, at) = members(queries::body(db, item)).into_iter().find(|(other, _)| **other == *own)?;
    let line = queries::typed(db, item).iter().find(|line| line.source == Some(at))?;
    let word = if item.kind(db) == ItemKind::Enum { "enum" } else { "struct" };
    Some(vec![lane(&format!("{word} {name}:\n{}", line.text))])
}

/// Returns what the prelude says of a function that has a text for each type: its bound, its special values, and what it costs.
fn function_docs(
    db: &dyn salsa::Database,
    located: &Located<'_>,
    token: &SyntaxToken,
    symbol: &Symbol,
) -> Option<String> {
    let Symbol::Builtin(builtin) = symbol else { return None };
    if !matches!(builtin.get().means, Means::ByType) {
        return None;
    }
    let function = function_called(db, located, token, *builtin)?;
    let target = queries::db::made_for(db).target.name;
    let cost = lane::prelude::cycles(function.name(db), target);
    let cost =
        cost.map(|cycles| format!("About {cycles} cycles for each element on `{target}`, as measured in a loop."));
    let sections: Vec<_> = item_docs(db, function).into_iter().chain(cost).collect();
    (!sections.is_empty()).then(|| sections.join("\n\n"))
}

// Names that no text defines: builtins, scalar types and attributes.

fn builtin(builtin: BuiltinId) -> Vec<String> {
    let row = builtin.get();
    let mut sections = vec![lane(row.signature), row.docs.to_owned()];
    match (row.crosses_lanes, row.takes_arrays) {
        (true, true) => sections.push("Only inside `foreach`, except with an array.".to_owned()),
        (true, false) => sections.push("Only inside `foreach`.".to_owned()),
        _ => {}
    }
    sections
}

fn attribute(attribute: &Attribute) -> Vec<String> {
    let mut place = format!("Stands {}", attribute.above.describe());
    if let AttributeArgs::Count(limit) = attribute.args {
        place += &format!("; `count` is from 1 to {limit}");
    }
    vec![lane(&attribute.signature()), attribute.docs.to_owned(), place + "."]
}

// The use of a name at the place itself.

/// The access or call that a name is at the head of.
fn here(
    db: &dyn salsa::Database,
    located: &Located<'_>,
    names: &SymbolNames<'_, '_>,
    (token, symbol): (&SyntaxToken, &Symbol),
    beside: Beside,
) -> Option<String> {
    let name = token.parent()?;
    let is_function = matches!(symbol, Symbol::Item(key) if key.kind == ItemKind::Fn);
    if is_function && name.parent().is_some_and(|around| around.kind() == SyntaxKind::INDEX_EXPR) {
        return None;
    }
    let (node, what) = match kind_of(db, names, token, symbol) {
        ReferenceKind::Call if !matches!(symbol, Symbol::Scalar(_)) => (name.parent()?, "This call:"),
        ReferenceKind::Read => (accessed(&name)?, "Loaded here:"),
        ReferenceKind::Write => (accessed(&name)?, "Stored here:"),
        ReferenceKind::Update => (accessed(&name)?, "Loaded and stored here:"),
        _ => return None,
    };
    let (_, expr) = expression_at(db, located, &node.last_token()?)?;
    let ty = queries::infer(db, located.item).exprs.get(expr)?;
    let what = match ty {
        Ty::Nothing | Ty::Error => return None,
        // A row or a slice is no more than named here.
        Ty::Array(..) if what == "Loaded here:" => "Here:",
        _ => what,
    };
    let mut section = format!("{what}\n{}", lane(&typed_expression(db, located.item, &node, expr)));
    for accessed in lanes::of_accesses(db, located, queries::lowered(db, located.item).map.exprs[expr], beside) {
        section += &format!("\n\n{accessed}");
    }
    Some(section)
}

/// The access that a name is the array or the field of.
fn accessed(name: &SyntaxNode) -> Option<SyntaxNode> {
    let mut place = place(name);
    while let Some(inner) = ast::ParenExpr::cast(place.clone()).and_then(|paren| paren.expr()) {
        place = inner.syntax().clone();
    }
    matches!(place.kind(), SyntaxKind::INDEX_EXPR | SyntaxKind::FIELD_EXPR).then_some(place)
}

/// The expression that an operator, a bracket or a literal belongs to.
fn expression(
    db: &dyn salsa::Database,
    located: &Located<'_>,
    token: &SyntaxToken,
    beside: Beside,
) -> Option<(TextRange, Vec<String>)> {
    let kind = token.kind();
    let word = matches!(
        kind,
        SyntaxKind::AND_KW
            | SyntaxKind::OR_KW
            | SyntaxKind::NOT_KW
            | SyntaxKind::IF_KW
            | SyntaxKind::ELSE_KW
            | SyntaxKind::TRUE_KW
            | SyntaxKind::FALSE_KW
    );
    let mark = kind.is_punctuation() && !matches!(kind, SyntaxKind::COMMA | SyntaxKind::COLON | SyntaxKind::SEMICOLON);
    let number = matches!(kind, SyntaxKind::INT | SyntaxKind::FLOAT | SyntaxKind::TEXT);
    if !(word || mark || number) {
        return None;
    }
    let (node, expr) = expression_at(db, located, token)?;
    if queries::infer(db, located.item).exprs.get(expr).is_none_or(|ty| matches!(ty, Ty::Error | Ty::Nothing)) {
        return None;
    }
    let at = queries::lowered(db, located.item).map.exprs[expr];
    let mut sections = vec![lane(&typed_expression(db, located.item, &node, expr))];
    sections.extend(rounding(db, located.item, expr));
    sections.extend(lanes::of_value(db, located, at));
    sections.extend(lanes::of_accesses(db, located, at, beside));
    Some((node.text_range(), sections))
}

/// Describes how arithmetic on floats of two bytes is rounded; `None` for any other expression.
fn rounding(db: &dyn salsa::Database, item: Item<'_>, expr: ExprId) -> Option<String> {
    let is_operator = matches!(queries::body(db, item).exprs[expr], Expr::Binary(..));
    let elem =
        queries::infer(db, item).exprs.get(expr)?.scalar().filter(|elem| elem.is_float() && elem.bytes() == 2)?;
    is_operator.then(|| {
        format!(
            "Computed as `f32` from the same values, and rounded to `{elem}`: to nearest, of two equally near to the even one, on every target. \
             A sum of many terms loses less in `f32`."
        )
    })
}

/// `samples[i]: f32`, with the value where that is known and is not what is written.
fn typed_expression(db: &dyn salsa::Database, item: Item<'_>, node: &SyntaxNode, expr: ExprId) -> String {
    let (body, inference) = (queries::body(db, item), queries::infer(db, item));
    let text = source(node);
    let ty = inference.exprs.get(expr).map_or("?".to_owned(), |ty| ty.display(&|atom| infer::atom_name(body, atom)));
    match inference.values.get(&expr).map(|value| infer::shown(*value)) {
        Some(value) if value != text => format!("{text}: {ty} = {value}"),
        _ => format!("{text}: {ty}"),
    }
}

#[cfg(test)]
mod tests;
