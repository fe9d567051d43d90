//! Sums that a loop computes one after the other, computed beside each other in the array that they are stored to: the text of it.
//!
//! ```text
//! for j in range(w):                       for j in range(w):
//!     let s = 0.0                              y[j] = 0.0
//!     for i in range(h):                   for i in range(h):
//!         s += m[i, j]                         for j in range(w):
//!     y[j] = s                                     y[j] += m[i, j]
//! ```
//!
//! Each sum has its terms in the order that it had. The right one goes along the rows of `m`, in the order of memory, and has `y` in between.

use report::TextRange;
use syntax::SyntaxKind;
use syntax::ast::{self, AstNode, Expr, Stmt};

use crate::whole_arrays::{base, code_range, has_comment, mentions, text};

/// A loop over sums, written the other way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SumsInArray {
    /// The range of the loop's statement.
    pub range: TextRange,
    /// The array that the sums are computed in.
    pub array: String,
    /// The lines that stand for it.
    pub lines: [String; 5],
}

/// Reads a `for` that computes a sum in a loop of its own and stores it, and does nothing else.
pub fn sums_in_array(statement: &ast::ForStmt) -> Option<SumsInArray> {
    let outer = Header::of(statement)?;
    let body: Vec<Stmt> = statement.body()?.stmts().collect();
    let [Stmt::LetStmt(first), Stmt::ForStmt(round), Stmt::AssignStmt(last)] = &body[..] else { return None };
    let inner = Header::of(round)?;
    let terms: Vec<Stmt> = round.body()?.stmts().collect();
    let [Stmt::AssignStmt(term)] = &terms[..] else { return None };
    if first.ty().is_some() || first.parts().next().is_some() || has_comment(statement.syntax()) {
        return None;
    }
    let (sum, start) = (first.name()?.text()?, first.value()?);
    let is_sum = |expr: Option<Expr>| matches!(expr, Some(Expr::NameRef(name)) if name.text() == Some(sum.clone()));
    let Some(Expr::IndexExpr(cell)) = last.target() else { return None };
    let (array, added) = (base(&cell)?, term.value()?);
    term.applied()?;
    let is_form = is_sum(term.target()) && is_sum(last.value()) && last.op()?.kind() == SyntaxKind::EQ;
    let stays = !mentions(added.syntax(), &sum)
        && !mentions(added.syntax(), &array)
        && !mentions(start.syntax(), &array)
        && !mentions(cell.syntax(), &inner.index)
        && !mentions(&inner.over, &outer.index)
        && !mentions(&inner.over, &sum)
        && !mentions(&inner.over, &array)
        && !mentions(&outer.over, &array)
        && cell.indices()?.subscripts().all(|it| !mentions(it.syntax(), &array));
    if !is_form || !stays {
        return None;
    }
    let (cell, op) = (text(cell.syntax()), term.op()?);
    Some(SumsInArray {
        range: code_range(statement.syntax()),
        array,
        lines: [
            outer.text.clone(),
            format!("    {cell} = {}", text(start.syntax())),
            inner.text,
            format!("    {}", outer.text),
            format!("        {cell} {} {}", op.text(), text(added.syntax())),
        ],
    })
}

/// The header of a plain `for` over a range.
struct Header {
    index: String,
    over: syntax::SyntaxNode,
    text: String,
}

impl Header {
    fn of(statement: &ast::ForStmt) -> Option<Header> {
        let index = statement.index()?;
        let name = index.name()?.text()?;
        let Expr::CallExpr(range) = index.over()? else { return None };
        let is_plain =
            statement.for_word().is_some() && statement.static_word().is_none() && statement.attrs().next().is_none();
        if !is_plain || text(range.callee()?.syntax()) != "range" {
            return None;
        }
        let text = format!("for {name} in {}:", text(range.syntax()));
        Some(Header { index: name.to_string(), over: range.syntax().clone(), text })
    }
}
