//! Names of parameters before arguments that are literals: `mix(a, b, t=0.5)` says what `mix(a, b, 0.5)` does not.

use report::{ItemKind, TextEdit};

use super::{Hint, HintKind, Hints};
use hir::{Expr, ExprId, Name, UnaryOp};

impl Hints<'_, '_> {
    /// The names of what literals are given for, in calls of functions and structs that take several values.
    pub(super) fn arguments(&self) -> Vec<Hint> {
        let body = &self.lowered.body;
        let mut found: Vec<Hint> = Vec::new();
        if !self.options.arguments {
            return found;
        }
        for (_, expr) in body.exprs.iter() {
            let Expr::Call(callee, args) = expr else { continue };
            let bare = args.iter().position(|arg| body.arg_names.contains_key(arg)).unwrap_or(args.len());
            let literals = args[..bare].iter().enumerate().filter(|(_, arg)| self.is_literal(**arg));
            let literals: Vec<_> = literals.filter(|(_, arg)| self.is_in_range(**arg)).collect();
            if literals.is_empty() || args.len() < 2 {
                continue;
            }
            let names = self.names_of_params(*callee);
            for (n, arg) in literals {
                let Some(name) = names.get(n) else { continue };
                let at = self.located.range(self.db, self.lowered.map.exprs[*arg]);
                let text = format!("{name}=");
                // Behind an argument with a name all have one.
                let can_be_written = args[n + 1..].iter().all(|arg| body.arg_names.contains_key(arg));
                let edit = can_be_written
                    .then(|| TextEdit { range: report::TextRange::empty(at.start()), text: text.clone() });
                let tooltip = format!("`{name}` is given this value");
                found.push(Hint {
                    offset: at.start(),
                    text,
                    kind: HintKind::Argument,
                    tooltip,
                    edit,
                    links: Vec::new(),
                });
            }
        }
        // What a `static for` writes out stands in one place.
        found.sort_by_key(|hint| hint.offset);
        found.dedup_by_key(|hint| hint.offset);
        found
    }

    fn is_literal(&self, arg: ExprId) -> bool {
        match self.lowered.body.exprs[arg] {
            Expr::Literal(_) => true,
            Expr::Unary(UnaryOp::Neg | UnaryOp::Plus, inner) => self.is_literal(inner),
            _ => false,
        }
    }

    fn is_in_range(&self, arg: ExprId) -> bool {
        let at = self.located.range(self.db, self.lowered.map.exprs[arg]);
        !at.is_empty() && self.range.contains_inclusive(at.start())
    }

    /// The names of the values that a function, a struct or a variant takes, in order.
    fn names_of_params(&self, callee: ExprId) -> Vec<Name> {
        let body = &self.lowered.body;
        let named = |name: &Name| queries::named(self.db, self.located.item.file(self.db), name.clone());
        match &body.exprs[callee] {
            Expr::Item(ItemKind::Fn, name) => {
                let params = named(name).map(|of| queries::signature(self.db, of).params.iter());
                params.into_iter().flatten().map(|(name, _)| name.clone()).collect()
            }
            Expr::Item(ItemKind::Struct, name) => {
                let fields = named(name).map(|of| queries::struct_fields(self.db, of).iter());
                fields.into_iter().flatten().map(|(name, _)| name.clone()).collect()
            }
            Expr::Field(base, variant) => match &body.exprs[*base] {
                Expr::Item(ItemKind::Enum, name) => {
                    let variants = named(name).map(|of| queries::variants(self.db, of).iter());
                    let own = variants.into_iter().flatten().find(|own| own.name == *variant);
                    own.map(|own| own.data.clone()).unwrap_or_default()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}
