//! The kinds of text that may stand at a place, as the parser sees it.

use lane::tree::ast;
use lane::tree::ast::AstNode;
use lane::tree::{SyntaxKind, SyntaxNode, SyntaxToken};

use crate::symbol::is_in_pattern;
use hir::builtins::{Above, Attribute, AttributeId};

/// The kind of text that may stand in place of the placeholder.
pub(super) enum Context {
    /// The name of an attribute, behind its `@`.
    Attribute(Above),
    /// An argument of an attribute.
    AttributeArgument(&'static Attribute),
    /// A type, or the rest of one.
    Type(TypeAt),
    /// A size in a type.
    Size,
    /// The name of a field, behind its dot.
    Field,
    /// The range that a loop goes over.
    Range,
    /// A pattern of a `match`.
    Pattern,
    /// The start of a line in the block of a `match`.
    Case(ast::MatchStmt),
    /// A new parameter of a kernel.
    Parameter(ast::ParamList),
    /// The start of a statement.
    Statement {
        /// An `if` stands above it, so an `elif` or `else` may follow.
        after_if: bool,
    },
    /// An expression.
    Value {
        /// A function that `map` or its like applies: it is named, not called.
        applied: bool,
    },
    /// Words that may follow a complete value, or a loop's index.
    Words(Vec<&'static str>),
}

/// The restrictions on a type at the placeholder.
#[derive(Clone, Copy)]
pub(super) struct TypeAt {
    /// `uniform` or `varying` stands before it.
    pub(super) promised: bool,
    /// Only scalars may stand there: in a constant, or as a kernel's result.
    pub(super) scalar: bool,
}

/// Returns the kind of text at the placeholder; `None` where a new name is being given, or nothing fits.
pub(super) fn context(token: &SyntaxToken) -> Option<Context> {
    let parent = token.parent()?;
    let above = parent.parent()?;
    if parent.kind() == SyntaxKind::NAME {
        return match above.kind() {
            SyntaxKind::ATTR => attribute(&above),
            SyntaxKind::PARAM => parameter(&above),
            _ => None,
        };
    }
    if let Some(previous) = operand_before(token) {
        return Some(Context::Words(words_behind(&previous)?));
    }
    if parent.kind() != SyntaxKind::NAME_REF {
        return None;
    }
    match above.kind() {
        SyntaxKind::TYPE => Some(Context::Type(type_at(&above))),
        SyntaxKind::FIELD_EXPR if follows(token, SyntaxKind::DOT) => Some(Context::Field),
        _ if is_in_pattern(&parent) => Some(Context::Pattern),
        SyntaxKind::ATTR_ARGS => attribute_argument(&above),
        SyntaxKind::LOOP_INDEX => Some(Context::Range),
        SyntaxKind::CALL_EXPR if is_child_of(&above, SyntaxKind::LOOP_INDEX) => Some(Context::Range),
        SyntaxKind::EXPR_STMT => statement(&above),
        SyntaxKind::ASSIGN_STMT if above.first_child().as_ref() == Some(&parent) => statement(&above),
        _ if parent.ancestors().any(|node| node.kind() == SyntaxKind::SIZE_LIST) => Some(Context::Size),
        _ if in_function(&parent) || parent.ancestors().any(|node| node.kind() == SyntaxKind::CONST) => {
            Some(Context::Value { applied: is_applied(&parent) })
        }
        _ => None,
    }
}

/// The token that means something before this one on its line.
fn before(token: &SyntaxToken) -> Option<SyntaxToken> {
    let mut tokens = std::iter::successors(token.prev_token(), |token| token.prev_token());
    tokens.find(|token| token.kind() != SyntaxKind::WHITESPACE)
}

fn follows(token: &SyntaxToken, kind: SyntaxKind) -> bool {
    before(token).is_some_and(|token| token.kind() == kind)
}

/// The token before this one, if a value, a type or a name ends with it, so that no other can start here.
fn operand_before(token: &SyntaxToken) -> Option<SyntaxToken> {
    use SyntaxKind::*;
    let ends = |kind| matches!(kind, IDENT | INT | FLOAT | TEXT | TRUE_KW | FALSE_KW | R_PAREN | R_BRACKET | R_BRACE);
    before(token).filter(|token| ends(token.kind()) && !starts_match(token))
}

/// The word of a `match` or a case, which a value or a pattern follows.
fn starts_match(token: &SyntaxToken) -> bool {
    let parent = token.parent().map(|parent| parent.kind());
    matches!(parent, Some(SyntaxKind::MATCH_STMT | SyntaxKind::MATCH_CASE)) && token.kind() == SyntaxKind::IDENT
}

/// The words that may follow what ends with this token.
fn words_behind(last: &SyntaxToken) -> Option<Vec<&'static str>> {
    let adjacent = last.next_token().is_some_and(|next| next.kind() != SyntaxKind::WHITESPACE);
    let parent = last.parent()?;
    if adjacent {
        return None;
    }
    if parent.kind() == SyntaxKind::NAME {
        let of_loop = |above: SyntaxNode| matches!(above.kind(), SyntaxKind::LOOP_INDEX | SyntaxKind::LOOP_PART);
        return parent.parent().is_some_and(of_loop).then(|| vec!["in"]);
    }
    let mut words = Vec::new();
    for node in parent.ancestors() {
        match node.kind() {
            SyntaxKind::COND_EXPR if !node.children_with_tokens().any(|part| part.kind() == SyntaxKind::ELSE_KW) => {
                words.push("else");
            }
            // Inside brackets, or a statement with a value: an expression it is.
            SyntaxKind::PAREN_EXPR | SyntaxKind::ARRAY_EXPR | SyntaxKind::ARG_LIST | SyntaxKind::INDEX_LIST
                if last.text_range().end() < node.text_range().end() =>
            {
                break;
            }
            SyntaxKind::LET_STMT
            | SyntaxKind::ASSIGN_STMT
            | SyntaxKind::RETURN_STMT
            | SyntaxKind::ASSERT_STMT
            | SyntaxKind::IF_STMT
            | SyntaxKind::ELIF_BRANCH
            | SyntaxKind::WHILE_STMT
            | SyntaxKind::MATCH_STMT
            | SyntaxKind::CONST => break,
            SyntaxKind::MATCH_CASE => return Some(vec!["if", "as"]),
            kind if ast::Expr::can_cast(kind) || matches!(kind, SyntaxKind::ARG_LIST | SyntaxKind::INDEX_LIST) => {}
            _ => return None,
        }
    }
    words.extend(["and", "or"]);
    if !words.contains(&"else") {
        words.push("if");
    }
    Some(words)
}

fn attribute(attr: &SyntaxNode) -> Option<Context> {
    let above = attr.parent()?;
    match above.kind() {
        SyntaxKind::STRUCT | SyntaxKind::ENUM | SyntaxKind::CONST => None,
        SyntaxKind::KERNEL | SyntaxKind::FN | SyntaxKind::STRAY => Some(Context::Attribute(Above::Item)),
        SyntaxKind::FOREACH_STMT if ast::ForeachStmt::cast(above.clone())?.indices().nth(1).is_some() => {
            Some(Context::Attribute(Above::Ranges))
        }
        // An attribute inside a body belongs to a loop, even while the loop is not yet written.
        _ => Some(Context::Attribute(Above::Loop)),
    }
}

fn attribute_argument(args: &SyntaxNode) -> Option<Context> {
    let name = ast::Attr::cast(args.parent()?)?.name()?.text()?;
    AttributeId::from_name(&name).map(|id| Context::AttributeArgument(id.get()))
}

fn type_at(ty: &SyntaxNode) -> TypeAt {
    let promised = |kind| matches!(kind, SyntaxKind::UNIFORM_KW | SyntaxKind::VARYING_KW);
    let above = ty.parent();
    let scalar = above.as_ref().is_some_and(|above| match above.kind() {
        SyntaxKind::CONST => true,
        SyntaxKind::RET_TYPE => above.parent().is_some_and(|item| item.kind() == SyntaxKind::KERNEL),
        _ => false,
    });
    TypeAt { promised: ty.children_with_tokens().any(|part| promised(part.kind())), scalar }
}

/// A parameter that has a name alone so far. The sizes of a kernel's arrays are parameters, too; those of a function come with its arrays.
fn parameter(param: &SyntaxNode) -> Option<Context> {
    let list = param.parent().and_then(ast::ParamList::cast)?;
    let is_new = ast::Param::cast(param.clone())?.ty().is_none();
    (is_new && is_child_of(list.syntax(), SyntaxKind::KERNEL)).then_some(Context::Parameter(list))
}

fn statement(stmt: &SyntaxNode) -> Option<Context> {
    if let Some(of) = stmt.parent().and_then(|block| block.parent()).and_then(ast::MatchStmt::cast) {
        return Some(Context::Case(of));
    }
    let above = stmt.prev_sibling();
    let after_if = above.is_some_and(|above| {
        let open = ast::IfStmt::cast(above).filter(|above| above.else_branch().is_none());
        open.is_some()
    });
    in_function(stmt).then_some(Context::Statement { after_if })
}

fn in_function(node: &SyntaxNode) -> bool {
    node.ancestors().any(|node| matches!(node.kind(), SyntaxKind::KERNEL | SyntaxKind::FN))
}

fn is_child_of(node: &SyntaxNode, kind: SyntaxKind) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == kind)
}

/// Tells if the node is the first argument of `map`, `reduce` or `scan`.
fn is_applied(node: &SyntaxNode) -> bool {
    let call = node.parent().filter(|list| list.kind() == SyntaxKind::ARG_LIST).and_then(|list| list.parent());
    let Some(call) = call.and_then(ast::CallExpr::cast) else { return false };
    let first = call.args().and_then(|args| args.args().next());
    let callee = match call.callee() {
        Some(ast::Expr::NameRef(name)) => name.text(),
        _ => None,
    };
    matches!(callee.as_deref(), Some("map" | "reduce" | "scan")) && first.is_some_and(|first| first.syntax() == node)
}
