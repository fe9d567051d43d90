//! Loops over cells as assignments to parts of whole arrays, and back: the text of each.
//!
//! ```text
//! for i in range(1, n):
//!     a[i] = b[i - 1] + c[i]            a[1:n] = b[1 - 1:n - 1] + c[1:n]
//! ```
//!
//! A whole assignment computes all of its right side before anything is stored, and the next one starts when all of that is done; a loop goes from cell
//! to cell. Whether both come to the same is a matter of dependences, which are not known here.

use report::TextRange;
use rustc_hash::FxHashSet;
use syntax::ast::{self, AstNode, Expr, Subscript};
use syntax::{SyntaxKind, SyntaxNode};

/// A loop that can be written as assignments to whole parts of arrays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopOverCells {
    /// The range of the loop's statement.
    pub range: TextRange,
    /// The header, up to its colon.
    pub header: TextRange,
    /// The range of each of its statements, in order.
    pub statements: Vec<TextRange>,
    /// The assignments that stand for them, one for each.
    pub assignments: Vec<String>,
}

/// An assignment to a part of an array that can be written as a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeAssignment {
    /// The range of the statement.
    pub range: TextRange,
    /// The header of the loop, and its one statement.
    pub text: [String; 2],
    /// The names that are used as they are: they have to be scalars.
    pub scalars: Vec<TextRange>,
}

/// Reads a `for` over a range, all statements of which assign to cells at the loop's index, as assignments to whole parts of arrays.
pub fn loop_over_cells(statement: &ast::ForStmt) -> Option<LoopOverCells> {
    let index = statement.index()?;
    let name = index.name()?.text()?;
    let Expr::CallExpr(range) = index.over()? else { return None };
    let is_plain =
        statement.for_word().is_some() && statement.static_word().is_none() && statement.attrs().next().is_none();
    if !is_plain || text(range.callee()?.syntax()) != "range" || has_comment(statement.syntax()) {
        return None;
    }
    let bounds: Vec<Expr> = range.args()?.args().collect();
    let bounds: Vec<String> = bounds.iter().map(|bound| text(bound.syntax())).collect();
    let [from, to] = match &bounds[..] {
        [to] => ["0".to_owned(), to.clone()],
        [from, to] => [from.clone(), to.clone()],
        _ => return None,
    };
    let body = statement.body()?;
    let mut found = LoopOverCells {
        range: code_range(statement.syntax()),
        header: TextRange::new(code_range(statement.syntax()).start(), index.syntax().text_range().end()),
        statements: Vec::new(),
        assignments: Vec::new(),
    };
    let slices = Slices { index: &name, from: &from, to: &to };
    for stmt in body.syntax().children() {
        let stmt = ast::AssignStmt::cast(stmt)?;
        let Expr::IndexExpr(target) = stmt.target()? else { return None };
        let (left, op, value) = (slices.cells(&target)?, stmt.op()?, stmt.value()?);
        if op.kind() == SyntaxKind::COLON_EQ {
            return None;
        }
        found.statements.push(code_range(stmt.syntax()));
        found.assignments.push(format!("{left} {} {}", op.text(), slices.value(value.syntax())?));
    }
    (!found.assignments.is_empty()).then_some(found)
}

/// Reads an assignment to a slice as a loop.
pub fn whole_assignment(statement: &ast::AssignStmt, item: &SyntaxNode) -> Option<WholeAssignment> {
    let Expr::IndexExpr(target) = statement.target()? else { return None };
    let (op, value) = (statement.op()?, statement.value()?);
    let slice = only_slice(&target)?;
    let (from, to) = (text(slice.lo()?.syntax()), text(slice.hi()?.syntax()));
    if has_comment(statement.syntax()) || op.kind() == SyntaxKind::COLON_EQ {
        return None;
    }
    let words: FxHashSet<String> = item
        .descendants_with_tokens()
        .filter_map(|it| it.into_token())
        .filter(|token| token.kind() == SyntaxKind::IDENT)
        .map(|token| token.text().to_owned())
        .collect();
    let index = ["i", "j", "k", "m", "at"].into_iter().find(|name| !words.contains(*name))?;
    let cells = Cells { index, from: &from, array: &base(&target)? };
    let left = cells.cell(&target)?;
    let mut scalars = Vec::new();
    let right = cells.value(value.syntax(), &mut scalars)?;
    let range = match from.as_str() {
        "0" => format!("range({to})"),
        _ => format!("range({from}, {to})"),
    };
    let text = [format!("for {index} in {range}:"), format!("{left} {} {right}", op.text())];
    Some(WholeAssignment { range: code_range(statement.syntax()), text, scalars })
}

/// The way from cells at a loop's index to slices.
struct Slices<'s> {
    index: &'s str,
    from: &'s str,
    to: &'s str,
}

impl Slices<'_> {
    /// An access to the cell at the index as one to all of them: one subscript is the index, or lies at a constant distance from it.
    fn cells(&self, access: &ast::IndexExpr) -> Option<String> {
        let array = base(access)?;
        let mut n_slices = 0;
        let mut subscripts = Vec::new();
        for subscript in access.indices()?.subscripts() {
            if matches!(subscript, Subscript::Slice(_)) {
                return None;
            }
            let node = subscript.syntax();
            if !mentions(node, self.index) {
                subscripts.push(text(node));
                continue;
            }
            n_slices += 1;
            let ahead = self.ahead(node)?;
            let bound = |bound: &str| moved(bound, &ahead);
            subscripts.push(format!("{}:{}", bound(self.from)?, bound(self.to)?));
        }
        (n_slices == 1).then(|| format!("{array}[{}]", subscripts.join(", ")))
    }

    /// The distance of a subscript from the index, with its sign; empty if it is the index.
    fn ahead(&self, subscript: &SyntaxNode) -> Option<String> {
        if text(subscript) == self.index {
            return Some(String::new());
        }
        let sum = ast::BinExpr::cast(subscript.clone())?;
        let (left, op, right) = (sum.lhs()?, sum.op()?, sum.rhs()?);
        let (left, right) = (left.syntax(), right.syntax());
        let is_simple = |node: &SyntaxNode| {
            matches!(node.kind(), SyntaxKind::LITERAL | SyntaxKind::NAME_REF | SyntaxKind::PAREN_EXPR)
                && !mentions(node, self.index)
        };
        match op.kind() {
            SyntaxKind::PLUS if text(left) == self.index && is_simple(right) => Some(format!("+ {}", text(right))),
            SyntaxKind::PLUS if text(right) == self.index && is_simple(left) => Some(format!("+ {}", text(left))),
            SyntaxKind::MINUS if text(left) == self.index && is_simple(right) => Some(format!("- {}", text(right))),
            _ => None,
        }
    }

    /// A value with slices in place of cells.
    fn value(&self, value: &SyntaxNode) -> Option<String> {
        let mut edits = Vec::new();
        self.find(value, &mut edits)?;
        Some(edited(value, edits))
    }

    fn find(&self, node: &SyntaxNode, edits: &mut Vec<(TextRange, String)>) -> Option<()> {
        if !mentions(node, self.index) {
            return Some(());
        }
        if let Some(access) = ast::IndexExpr::cast(node.clone()) {
            edits.push((code_range(node), self.cells(&access)?));
            return Some(());
        }
        let is_of_parts = matches!(
            node.kind(),
            SyntaxKind::BIN_EXPR
                | SyntaxKind::PAREN_EXPR
                | SyntaxKind::PREFIX_EXPR
                | SyntaxKind::CALL_EXPR
                | SyntaxKind::ARG_LIST
        );
        if !is_of_parts {
            return None;
        }
        node.children().try_for_each(|child| self.find(&child, edits))
    }
}

/// The way from slices to cells at a loop's index.
struct Cells<'s> {
    index: &'s str,
    /// The start of the slice that is assigned to.
    from: &'s str,
    /// The array that is assigned to.
    array: &'s str,
}

impl Cells<'_> {
    /// An access to a slice as one to a cell of it.
    fn cell(&self, access: &ast::IndexExpr) -> Option<String> {
        let slice = only_slice(access)?;
        let array = base(access)?;
        let at = text(slice.lo()?.syntax());
        let ahead = distance(self.from, &at)?;
        // Going up, a cell that the loop has changed already must not be read.
        if array == self.array && ahead.starts_with('-') {
            return None;
        }
        let at = if ahead.is_empty() { self.index.to_owned() } else { format!("{} {ahead}", self.index) };
        let subscripts = access.indices()?.subscripts().map(|subscript| match subscript {
            Subscript::Slice(_) => at.clone(),
            other => text(other.syntax()),
        });
        Some(format!("{array}[{}]", subscripts.collect::<Vec<_>>().join(", ")))
    }

    fn value(&self, value: &SyntaxNode, scalars: &mut Vec<TextRange>) -> Option<String> {
        let mut edits = Vec::new();
        self.find(value, &mut edits, scalars)?;
        Some(edited(value, edits))
    }

    fn find(
        &self,
        node: &SyntaxNode,
        edits: &mut Vec<(TextRange, String)>,
        scalars: &mut Vec<TextRange>,
    ) -> Option<()> {
        if let Some(access) = ast::IndexExpr::cast(node.clone()) {
            if only_slice(&access).is_some() {
                edits.push((code_range(node), self.cell(&access)?));
            } else {
                // A row is an array, and a cell of the array that is assigned to may be one that the loop has changed.
                scalars.push(code_range(node));
                (base(&access)? != self.array).then_some(())?;
            }
            return Some(());
        }
        match node.kind() {
            SyntaxKind::LITERAL => Some(()),
            SyntaxKind::NAME_REF => {
                scalars.push(code_range(node));
                Some(())
            }
            SyntaxKind::BIN_EXPR | SyntaxKind::PAREN_EXPR | SyntaxKind::PREFIX_EXPR => {
                node.children().try_for_each(|child| self.find(&child, edits, scalars))
            }
            _ => None,
        }
    }
}

/// The one slice among the subscripts of an access, if it has no step.
fn only_slice(access: &ast::IndexExpr) -> Option<ast::Slice> {
    let mut slices = access.indices()?.subscripts().filter_map(|subscript| match subscript {
        Subscript::Slice(slice) => Some(slice),
        _ => None,
    });
    slices.next().filter(|slice| slice.step().is_none() && slices.next().is_none())
}

/// The array of an access, which has a name.
pub(crate) fn base(access: &ast::IndexExpr) -> Option<String> {
    match access.base()? {
        Expr::NameRef(name) => name.text(),
        _ => None,
    }
}

/// A bound at a distance from another one; `None` where it would lie before the first cell.
fn moved(bound: &str, ahead: &str) -> Option<String> {
    let number = |text: &str| text.replace(['_', ' '], "").parse::<i64>().ok();
    if ahead.is_empty() {
        return Some(bound.to_owned());
    }
    // What binds less than a sum stays together.
    let binds_less = bound.contains(['&', '|', '^', '<', '>', '='])
        || [" if ", " or ", " and "].iter().any(|word| bound.contains(word));
    if binds_less {
        return Some(format!("({bound}) {ahead}"));
    }
    match (number(bound), number(ahead)) {
        (Some(bound), Some(ahead)) => Some(bound + ahead).filter(|sum| *sum >= 0).map(|sum| sum.to_string()),
        // What is taken away and added again: `n - 1` and one more.
        (None, Some(ahead)) => match bound.rsplit_once(" - ").and_then(|(rest, less)| Some((rest, number(less)?))) {
            Some((rest, less)) => Some(match ahead - less {
                0 => rest.to_owned(),
                sum if sum > 0 => format!("{rest} + {sum}"),
                sum => format!("{rest} - {}", -sum),
            }),
            None => Some(format!("{bound} {}", if ahead < 0 { format!("- {}", -ahead) } else { format!("+ {ahead}") })),
        },
        (Some(0), None) => ahead.strip_prefix("+ ").map(str::to_owned),
        _ => Some(format!("{bound} {ahead}")),
    }
}

/// The distance from one bound to another, with its sign; empty if they are equal.
fn distance(from: &str, to: &str) -> Option<String> {
    let number = |text: &str| text.replace('_', "").parse::<i64>().ok();
    if from == to {
        return Some(String::new());
    }
    if let (Some(from), Some(to)) = (number(from), number(to)) {
        return Some(if to < from { format!("- {}", from - to) } else { format!("+ {}", to - from) });
    }
    let rest = to.strip_prefix(from)?;
    let rest = rest.strip_prefix(' ')?;
    let is_sum = rest.strip_prefix("+ ").or_else(|| rest.strip_prefix("- ")).and_then(number).is_some();
    is_sum.then(|| rest.to_owned())
}

/// Says whether a name is used inside of a node.
pub(crate) fn mentions(node: &SyntaxNode, name: &str) -> bool {
    node.descendants().filter_map(ast::NameRef::cast).any(|used| used.text().as_deref() == Some(name))
}

pub(crate) fn has_comment(node: &SyntaxNode) -> bool {
    let tokens = node.descendants_with_tokens().filter_map(|it| it.into_token());
    tokens
        .skip_while(|token| token.kind() != SyntaxKind::FOR_KW && node.kind() == SyntaxKind::FOR_STMT)
        .any(|token| matches!(token.kind(), SyntaxKind::COMMENT | SyntaxKind::DOC_COMMENT))
}

/// The range of a node from its first to its last token that means something.
pub(crate) fn code_range(node: &SyntaxNode) -> TextRange {
    let means = |kind: SyntaxKind| !kind.is_trivia() && kind != SyntaxKind::NEWLINE;
    let mut tokens =
        node.descendants_with_tokens().filter_map(|it| it.into_token()).filter(|token| means(token.kind()));
    let Some(first) = tokens.next() else { return node.text_range() };
    let last = tokens.last().unwrap_or_else(|| first.clone());
    TextRange::new(first.text_range().start(), last.text_range().end())
}

/// The text of a node without what stands around it.
pub(crate) fn text(node: &SyntaxNode) -> String {
    edited(node, Vec::new())
}

/// The text of a node with some ranges replaced.
fn edited(node: &SyntaxNode, edits: Vec<(TextRange, String)>) -> String {
    let whole = code_range(node);
    let start = node.text_range().start();
    let all = node.text().to_string();
    let mut out = String::new();
    let mut at = whole.start();
    let part = |from, to| &all[usize::from(from - start)..usize::from(to - start)];
    for (range, new) in edits {
        out += part(at, range.start());
        out += &new;
        at = range.end();
    }
    out += part(at, whole.end());
    out
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use syntax::SyntaxNode;
    use syntax::ast::{self, AstNode};

    use super::{loop_over_cells, whole_assignment};

    fn root(body: &str) -> SyntaxNode {
        let text = format!("kernel k(a: f32[n], b: f32[n], c: f32[n, 4], n: i32, s: f32):\n{body}");
        SyntaxNode::new_root(crate::parse_item(report::ItemKind::Kernel, &text).green)
    }

    fn check_loop(body: &str, expect: Expect) {
        let root = root(body);
        let found = root.descendants().filter_map(ast::ForStmt::cast).filter_map(|it| loop_over_cells(&it));
        let found: Vec<String> = found.flat_map(|it| it.assignments).collect();
        expect.assert_eq(&found.join("\n"));
    }

    fn check_whole(body: &str, expect: Expect) {
        let root = root(body);
        let found = root.descendants().filter_map(ast::AssignStmt::cast).filter_map(|it| whole_assignment(&it, &root));
        let found: Vec<String> = found.map(|it| it.text.join("\n    ")).collect();
        expect.assert_eq(&found.join("\n"));
    }

    #[test]
    fn cells_at_the_index_are_slices() {
        check_loop(
            "    for i in range(30):\n        a[i] = b[i] + c[i, 2]\n",
            expect!["a[0:30] = b[0:30] + c[0:30, 2]"],
        );
        check_loop(
            "    for i in range(1, n - 1):\n        a[i] = (b[i - 1] + b[i + 1]) * s\n        b[1 + i] *= a[i]\n",
            expect![[r#"
                a[1:n - 1] = (b[0:n - 2] + b[2:n]) * s
                b[2:n] *= a[1:n - 1]"#]],
        );
        check_loop("    for i in range(n):\n        a[i + n] = sqrt(b[i])\n", expect!["a[n:n + n] = sqrt(b[0:n])"]);
    }

    #[test]
    fn what_is_no_slice_is_left() {
        for body in [
            // The index as a number, a subscript that is no sum, the diagonal, a cell of data's choice.
            "        a[i] = f32(i)\n",
            "        a[2 * i] = b[i]\n",
            "        c[i, i] = 1.0\n",
            "        a[i] = b[i32(a[i])]\n",
            // Anything but assignments to cells.
            "        let x = b[i]\n        a[i] = x\n",
            "        if s > 0.0:\n            a[i] = b[i]\n",
            "        a[0] = b[i]\n",
            "        # A comment that would be lost.\n        a[i] = b[i]\n",
        ] {
            check_loop(&format!("    for i in range(n):\n{body}"), expect![""]);
        }
        check_loop("    for i in range(0, n, 2):\n        a[i] = b[i]\n", expect![""]);
        check_loop("    for i in range(n):\n        a[i] = b[i - 1]\n", expect![""]);
        check_loop("    @simd\n    for i in range(n):\n        a[i] = b[i]\n", expect![""]);
    }

    #[test]
    fn slices_are_cells_at_an_index() {
        check_whole(
            "    a[0:30] = b[0:30] + c[0:30, 1]\n",
            expect![[r#"
            for i in range(30):
                a[i] = b[i] + c[i, 1]"#]],
        );
        check_whole(
            "    a[1:n] = b[0:n - 1] * s - b[2:n + 1]\n",
            expect![[r#"
            for i in range(1, n):
                a[i] = b[i - 1] * s - b[i + 1]"#]],
        );
        // What the loop has changed is not read again.
        check_whole("    a[1:n] = a[0:n - 1]\n", expect![""]);
        check_whole(
            "    a[0:n - 1] = a[1:n]\n",
            expect![[r#"
            for i in range(n - 1):
                a[i] = a[i + 1]"#]],
        );
        check_whole("    a[0:n:2] = b[0:n:2]\n", expect![""]);
        check_whole("    a[:] = b[:]\n", expect![""]);
        check_whole("    a[1:n] = b[1:n] + a[0]\n", expect![""]);
    }
}
