//! Types of atomic operations.

use super::Infer;
use crate::ExprId;
use crate::builtins::{Builtin, Means};
use crate::errors;
use crate::ty::Ty;

impl Infer<'_, '_> {
    /// The type of `atomic_add(a, i, x)` and its like: that of the element, which the value has, too.
    pub(super) fn atomic(&mut self, row: &Builtin, args: &[ExprId]) -> Ty {
        let Means::Atomic(rule, _) = row.means else { return Ty::Error };
        let element = self.elements(args[0]).map(|(element, _)| element);
        let at = self.expr(args[1]);
        let _ = self.integer(args[1], &at, "an index");
        let value = self.expr(args[2]);
        let Some(element) = element else { return Ty::Error };
        self.table.site = Some(args[0]);
        let shown = self.table.shallow(&element);
        if self.table.narrow(&element, rule.takes()).is_err() {
            let side = self.side(args[0], &shown, &Ty::Error);
            let expected = match &shown {
                Ty::Array(..) => "an array of one dimension: a row of this one, as in `a[i]`".to_owned(),
                _ => format!("an array of {}", rule.names()),
            };
            self.find(errors::builtin_argument(side, row.name, &expected, false));
            return Ty::Error;
        }
        self.fits(args[2], &value, &element, "an element of the array");
        element
    }
}
