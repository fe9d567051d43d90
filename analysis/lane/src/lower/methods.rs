//! Methods of Rust's iterators in the header of a loop: `a.iter().rev().enumerate()`.
//!
//! Each chain of them has one finding, whose fix writes Lane's form, and is lowered as what was meant.

use syntax::ast::{self, AstNode};

use super::Lower;
use super::domains::Source;
use crate::words;
use hir::errors;

impl Lower<'_> {
    /// `a.iter().enumerate()` and the like, as Rust has them.
    pub(super) fn source_of_method(&mut self, call: &ast::CallExpr) -> Option<Source> {
        let at = call.syntax().text_range();
        let ours = ours_of_method(call)?;
        self.find(errors::domain_of_method(at, &ours.text));
        let mut sources = Vec::new();
        for array in ours.arrays {
            sources.push(Source::Array { array, backwards: false, at });
        }
        let source = if sources.len() > 1 { Source::Zip(sources, at) } else { sources.remove(0) };
        Some(if ours.numbered { Source::Enumerate(Box::new(source), None, at) } else { source })
    }
}

/// The form that Lane has for the methods of an iterator.
struct Ours {
    text: String,
    arrays: Vec<ast::Expr>,
    numbered: bool,
}

fn ours_of_method(call: &ast::CallExpr) -> Option<Ours> {
    let ast::Expr::FieldExpr(field) = call.callee()? else { return None };
    let (base, name) = (field.base()?, field.field()?.text()?);
    let args: Vec<_> = call.args()?.args().collect();
    let inner = match &base {
        ast::Expr::CallExpr(inner) => ours_of_method(inner),
        _ => None,
    };
    let written = |expr: &ast::Expr| words::written_in(expr.syntax(), expr.syntax().text_range());
    let of = |inner: Option<Ours>| {
        inner.unwrap_or_else(|| Ours { text: written(&base), arrays: vec![base.clone()], numbered: false })
    };
    match (&*name, &args[..]) {
        ("iter" | "iter_mut" | "into_iter" | "copied" | "cloned", []) => Some(of(inner)),
        ("enumerate", []) => {
            let of = of(inner);
            Some(Ours { text: format!("enumerate({})", of.text), numbered: true, ..of })
        }
        ("rev", []) => {
            let of = of(inner);
            Some(Ours { text: format!("reversed({})", of.text), ..of })
        }
        ("zip", [other]) => {
            let mut of = of(inner);
            let theirs = match other {
                ast::Expr::CallExpr(call) => ours_of_method(call),
                _ => None,
            };
            let theirs = theirs.map_or_else(|| written(other), |theirs| theirs.text);
            of.arrays.push(other.clone());
            Some(Ours { text: format!("zip({}, {theirs})", of.text), ..of })
        }
        _ => None,
    }
}
