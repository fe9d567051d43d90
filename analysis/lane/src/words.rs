//! The words of a dense tree, and its text as a person writes it.

use report::TextRange;
use syntax::ast::{self, AstNode};
use syntax::{GreenNode, GreenNodeData, NodeOrToken, SyntaxKind, SyntaxNode};

use hir::{Name, UseLine};

/// What a `use` says; `None` for another item, or one without a path.
pub fn use_line(dense: &GreenNode) -> Option<UseLine> {
    let line = ast::Use::cast(SyntaxNode::new_root(dense.clone()))?;
    let path = line.path().filter(|path| path.parts().next().is_some())?;
    let named = |name: ast::NameRef| (Name::from(name.syntax().text().to_string()), name.syntax().text_range());
    Some(UseLine {
        path: Name::from(path.syntax().text().to_string()),
        at: path.syntax().text_range(),
        names: line.names().map(|names| names.names().map(named).collect()),
    })
}

/// The paths of the files that a text may use, found without a parse.
pub fn used_paths(text: &str) -> impl Iterator<Item = &str> {
    let paths = text.lines().filter_map(|line| line.strip_prefix("use ")?.split([':', '#']).next());
    paths.map(str::trim).filter(|path| !path.is_empty())
}

/// The text of a range of a dense tree, with spaces where a person writes them.
pub fn written(dense: &GreenNode, at: TextRange) -> String {
    written_in(&SyntaxNode::new_root(dense.clone()), at)
}

pub(super) fn written_in(root: &SyntaxNode, at: TextRange) -> String {
    let Some(at) = at.intersect(root.text_range()) else { return String::new() };
    let around = root.covering_element(at);
    let Some(around) = around.clone().into_node() else { return around.to_string() };
    let tokens = around.descendants_with_tokens().filter_map(|element| element.into_token());
    let mut out = String::new();
    let mut apart = false;
    for token in tokens.filter(|token| at.contains_range(token.text_range())) {
        let is_operator = token.parent().is_some_and(|parent| parent.kind() == SyntaxKind::BIN_EXPR);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let touches = out.ends_with(is_word) && token.text().starts_with(is_word);
        if !out.is_empty() && (apart || is_operator || touches) {
            out.push(' ');
        }
        out.push_str(token.text());
        apart = is_operator || token.kind() == SyntaxKind::COMMA;
    }
    out
}

/// Calls `visit` with each word of a tree that may be a name, and whether it is behind a dot.
pub fn for_each_name(tree: &GreenNodeData, visit: &mut impl FnMut(&str, bool)) {
    names_from(tree, &mut false, visit);
}

fn names_from(tree: &GreenNodeData, is_behind_dot: &mut bool, visit: &mut impl FnMut(&str, bool)) {
    for child in tree.children() {
        match child {
            NodeOrToken::Node(node) => names_from(node, is_behind_dot, visit),
            NodeOrToken::Token(token) => {
                let kind = SyntaxKind::from_raw(token.kind());
                if kind == SyntaxKind::IDENT {
                    visit(token.text(), *is_behind_dot);
                }
                *is_behind_dot = kind == SyntaxKind::DOT;
            }
        }
    }
}
