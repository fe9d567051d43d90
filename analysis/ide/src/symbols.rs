//! The outline of a file, and the search for names in many.

use lane::tree::ast;
use lane::tree::ast::AstNode;
use lane::tree::{SyntaxKind, SyntaxNode};
use report::{ItemKind, TextRange, TextSize};

use queries::db::{File, Item, cut_file, parse};

/// An entry of a file's outline: an item, or a field of a struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSymbol {
    /// The name of the item or field.
    pub name: String,
    /// The kind of the item or field.
    pub kind: SymbolKind,
    /// The text behind the name: parameters and result, or a type, as written.
    pub detail: Option<String>,
    /// The range of the whole entry, with attributes and documentation.
    pub range: TextRange,
    /// The range of the name alone.
    pub focus: TextRange,
    /// The entries below it: the fields of a struct.
    pub children: Vec<DocumentSymbol>,
}

/// A named item that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceSymbol {
    /// The file it stands in.
    pub file: File,
    /// The name of the item.
    pub name: String,
    /// The kind of the item or field.
    pub kind: SymbolKind,
    /// The range of the whole item, with attributes and documentation.
    pub range: TextRange,
    /// The range of the name alone.
    pub focus: TextRange,
}

/// The kind of an item or field in an outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum SymbolKind {
    Kernel,
    Function,
    Struct,
    Field,
    Constant,
}

/// The items of a file that have a name, in order, with the fields of structs.
pub fn document_symbols(db: &dyn salsa::Database, file: File) -> Vec<DocumentSymbol> {
    let cut = cut_file(db, file);
    cut.items.iter().zip(&cut.starts).filter_map(|(&item, &start)| item_symbol(db, item, start)).collect()
}

/// The named items of files that a query matches, each with its score, best first. A query matches a name that has its letters in this order, in
/// any case; an empty one matches all.
pub fn workspace_symbols(
    db: &dyn salsa::Database,
    files: impl IntoIterator<Item = File>,
    query: &str,
) -> Vec<(i32, WorkspaceSymbol)> {
    let mut found = Vec::new();
    for file in files {
        db.unwind_if_revision_cancelled();
        let cut = cut_file(db, file);
        for (&item, &start) in cut.items.iter().zip(&cut.starts) {
            // The name at the item's first line is cheap to ask for. It is empty if the header is broken; then the tree
            // may know.
            let named = item.name(db);
            if !named.is_empty() && score(query, named).is_none() {
                continue;
            }
            let Some(symbol) = item_symbol(db, item, start) else { continue };
            let Some(score) = score(query, &symbol.name) else { continue };
            let DocumentSymbol { name, kind, range, focus, .. } = symbol;
            found.push((score, WorkspaceSymbol { file, name, kind, range, focus }));
        }
    }
    // Stable: of two equally good ones, the order of the files and in the file counts.
    found.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
    found
}

/// The entry of an item that starts at `start`, with the fields of a struct; `None` for one without a name.
pub fn item_symbol(db: &dyn salsa::Database, item: Item<'_>, start: TextSize) -> Option<DocumentSymbol> {
    let kind = match item.kind(db) {
        ItemKind::Kernel => SymbolKind::Kernel,
        ItemKind::Fn => SymbolKind::Function,
        ItemKind::Struct | ItemKind::Enum => SymbolKind::Struct,
        ItemKind::Const => SymbolKind::Constant,
        ItemKind::Preamble | ItemKind::Stray | ItemKind::Use => return None,
    };
    let item = ast::Item::cast(SyntaxNode::new_root(parse(db, item).green.clone()))?;
    let detail = match &item {
        ast::Item::Kernel(it) => match it.instance() {
            Some(instance) => Some(one_line(instance.syntax())),
            None => with_generics(it.generics(), header_detail(it.params(), it.result())),
        },
        ast::Item::Fn(it) => with_generics(it.generics(), header_detail(it.params(), it.result())),
        ast::Item::Const(it) => it.ty().map(|ty| one_line(ty.syntax())),
        ast::Item::Struct(_) | ast::Item::Enum(_) | ast::Item::Use(_) => None,
    };
    let fields = match &item {
        ast::Item::Struct(it) => it.body().into_iter().flat_map(|body| body.fields().collect::<Vec<_>>()).collect(),
        _ => Vec::new(),
    };
    let variants: Vec<_> = match &item {
        ast::Item::Enum(it) => it.body().into_iter().flat_map(|body| body.variants().collect::<Vec<_>>()).collect(),
        _ => Vec::new(),
    };
    let variants = variants.iter().filter_map(|variant| {
        let detail = variant.data().map(|data| one_line(data.syntax()));
        symbol(&variant.name()?, SymbolKind::Field, detail, variant.syntax(), start)
    });
    let children = fields.iter().filter_map(|field| {
        let detail = field.ty().map(|ty| one_line(ty.syntax()));
        symbol(&field.name()?, SymbolKind::Field, detail, field.syntax(), start)
    });
    let children = children.chain(variants).collect();
    Some(DocumentSymbol { children, ..symbol(&item.name()?, kind, detail, item.syntax(), start)? })
}

fn symbol(
    name: &ast::Name,
    kind: SymbolKind,
    detail: Option<String>,
    whole: &SyntaxNode,
    start: TextSize,
) -> Option<DocumentSymbol> {
    Some(DocumentSymbol {
        name: name.text()?,
        kind,
        detail,
        range: trimmed(whole) + start,
        focus: name.syntax().text_range() + start,
        children: Vec::new(),
    })
}

fn header_detail(params: Option<ast::ParamList>, result: Option<ast::RetType>) -> Option<String> {
    let params = params.filter(|params| params.close().is_some());
    let parts = [params.map(|params| one_line(params.syntax())), result.map(|result| one_line(result.syntax()))];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// A detail behind constant and type parameters.
fn with_generics(generics: Option<ast::GenericList>, detail: Option<String>) -> Option<String> {
    let Some(generics) = generics.filter(|generics| generics.close().is_some()) else { return detail };
    Some(one_line(generics.syntax()) + &detail.unwrap_or_default())
}

/// The node's text without comments and line breaks.
fn one_line(node: &SyntaxNode) -> String {
    let mut out = String::new();
    let mut gap = false;
    for token in node.descendants_with_tokens().filter_map(|element| element.into_token()) {
        if token.kind().is_between() {
            gap = true;
            continue;
        }
        let tight = out.is_empty() || out.ends_with(['(', '[']) || matches!(token.text(), ")" | "]" | ",");
        if gap && !tight {
            out.push(' ');
        }
        gap = false;
        out.push_str(token.text());
    }
    out
}

/// From a node's first token that is no white space to the last that means something.
pub(super) fn trimmed(node: &SyntaxNode) -> TextRange {
    let tokens = || node.descendants_with_tokens().filter_map(|element| element.into_token());
    let blank = |kind| matches!(kind, SyntaxKind::WHITESPACE | SyntaxKind::NEWLINE);
    let Some(first) = tokens().find(|token| !blank(token.kind())) else { return node.text_range() };
    let mut last = node.last_token();
    while let Some(token) = last.as_ref().filter(|token| token.kind().is_between()) {
        last = token.prev_token();
    }
    let start = first.text_range().start();
    let end = last.map_or(start, |last| last.text_range().end());
    TextRange::new(start, end.max(start))
}

/// Scores a name against a query; `None` when it does not match. A whole name is best, then its beginning, then the
/// beginnings of its words, then neighbouring letters; a short name is better than a long one.
pub(crate) fn score(query: &str, name: &str) -> Option<i32> {
    if name.is_empty() || query.is_empty() {
        return (!name.is_empty()).then_some(0);
    }
    let name: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
    let query: Vec<char> = query.chars().flat_map(char::to_lowercase).collect();
    let whole = match name.starts_with(&query) {
        true if name.len() == query.len() => 1000,
        true => 100,
        false => 0,
    };
    Some(whole + alignment(&query, &name)? - name.len() as i32)
}

/// The best way to find the letters of a query in a name, in order: one point system for all of the ways.
fn alignment(query: &[char], name: &[char]) -> Option<i32> {
    const STARTS_WORD: i32 = 8;
    const NEIGHBOUR: i32 = 4;
    // For each letter of the name, the points of the best way that ends with it; one letter of the query more each turn.
    let mut ends: Vec<Option<i32>> = Vec::new();
    for (n, wanted) in query.iter().enumerate() {
        let mut best_before = (n == 0).then_some(0);
        let mut next = Vec::with_capacity(name.len());
        for (at, letter) in name.iter().enumerate() {
            let starts_word = at == 0 || name[at - 1] == '_';
            let neighbour = at.checked_sub(1).and_then(|before| ends.get(before).copied().flatten());
            let reached = best_before.max(neighbour.map(|points| points + NEIGHBOUR));
            let points = if starts_word { STARTS_WORD } else { 0 };
            next.push(reached.filter(|_| letter == wanted).map(|reached| reached + points));
            best_before = best_before.max(ends.get(at).copied().flatten());
        }
        ends = next;
    }
    ends.into_iter().max().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        fn show(out: &mut String, text: &str, symbol: &DocumentSymbol, depth: usize) {
            let detail = symbol.detail.as_deref().unwrap_or("-");
            let pad = "  ".repeat(depth);
            assert_eq!(&text[symbol.focus], symbol.name);
            assert!(symbol.range.contains_range(symbol.focus));
            out.push_str(&format!("{pad}{:?} {} {detail} {:?}\n", symbol.kind, symbol.name, &text[symbol.range]));
            symbol.children.iter().for_each(|child| show(out, text, child, depth + 1));
        }
        let fixture = Fixture::new(text);
        let mut out = String::new();
        document_symbols(&fixture.db, fixture.file).iter().for_each(|symbol| show(&mut out, &fixture.text, symbol, 0));
        expected.assert_eq(&out);
    }

    fn check_search(text: &str, query: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let found = workspace_symbols(&fixture.db, [fixture.file], query);
        let names: Vec<_> = found.iter().map(|(_, symbol)| &*symbol.name).collect();
        expected.assert_eq(&names.join(" "));
    }

    #[test]
    fn items_with_their_headers() {
        check(
            "# a file\n\n## Doubles.\n@simd\nkernel twice(a: f32[n],  # in place\n    n) -> i32:\n    return n\n\n# below\nconst N: i32 = 4\nfn f(x): return x\n",
            expect![[r###"
                Kernel twice (a: f32[n], n) -> i32 "## Doubles.\n@simd\nkernel twice(a: f32[n],  # in place\n    n) -> i32:\n    return n"
                Constant N i32 "const N: i32 = 4"
                Function f (x) "fn f(x): return x"
            "###]],
        );
    }

    #[test]
    fn fields_are_children() {
        check(
            "struct P:\n    x: f32\n    y: i32  # second\n\nkernel k(p: P[n], n):\n    pass\n",
            expect![[r#"
            Struct P - "struct P:\n    x: f32\n    y: i32"
              Field x f32 "x: f32"
              Field y i32 "y: i32"
            Kernel k (p: P[n], n) "kernel k(p: P[n], n):\n    pass"
        "#]],
        );
    }

    #[test]
    fn what_has_no_name_is_left_out() {
        check(
            "kernel (a):\n    pass\nx = 1\nstruct\nfn g(",
            expect![[r#"
                Function g - "fn g("
            "#]],
        );
    }

    #[test]
    fn a_search_takes_letters_in_order_best_first() {
        let text = "kernel scale_audio(a):\n    pass\nkernel scan(a):\n    pass\nfn soft_clip_add(x): return x\nconst SC = 1\nstruct Scale:\n    x: f32\n";
        check_search(text, "sca", expect!["scan Scale scale_audio soft_clip_add"]);
        check_search(text, "sc", expect!["SC scan Scale scale_audio soft_clip_add"]);
        check_search(text, "SA", expect!["scale_audio scan soft_clip_add Scale"]);
        check_search(text, "", expect!["scale_audio scan soft_clip_add SC Scale"]);
        check_search(text, "xyz", expect![""]);
    }
}
