//! The number of dimensions of each local, as its uses say.
//!
//! `a[i, j]` says that `a` has two, `a[i][j]` too, and `row = a[i]` followed by `row[j]` as well. This is read off the
//! body before inference, so that a name without a type is an array from its first use on.

use la_arena::ArenaMap;

use super::Env;
use crate::builtins::{Builtin, TypeRule};
use crate::ty::Ty;
use crate::{Body, Expr, ExprId, Literal, LocalId, Over, Stmt, Subscript};

/// The number of dimensions of each local that is used as an array.
pub(super) fn ranks(env: &dyn Env, body: &Body) -> ArenaMap<LocalId, u32> {
    let mut ranks = Ranks { env, body, of: ArenaMap::default() };
    // A rank can depend on that of a local further on (`row` above); each round settles one more link of such a chain.
    for _ in 0..=body.locals.len() {
        if !ranks.round() {
            break;
        }
    }
    ranks.of
}

/// No array that `length` is asked of has more dimensions by that alone.
const MAX_RANK: u32 = 16;

struct Ranks<'a> {
    env: &'a dyn Env,
    body: &'a Body,
    of: ArenaMap<LocalId, u32>,
}

impl Ranks<'_> {
    fn round(&mut self) -> bool {
        let mut changed = false;
        for (id, expr) in self.body.exprs.iter() {
            changed |= match expr {
                Expr::Index(..) => self.indexed(id, 0),
                Expr::Call(callee, args) => self.call(*callee, args),
                _ => false,
            };
        }
        for (_, stmt) in self.body.stmts.iter() {
            match stmt {
                Stmt::Define(local, value) => {
                    if let Some(&rank) = self.of.get(*local).filter(|rank| **rank > 0) {
                        changed |= self.at_least(*value, rank);
                    }
                }
                Stmt::Assign { target, op: None, value } => changed |= self.renamed(*target, *value),
                Stmt::For { index, over: Over::Elements(array), .. } if !self.counts(*index, *array) => {
                    let rows = self.of.get(*index).copied().unwrap_or(0);
                    changed |= self.at_least(*array, 1 + rows);
                }
                _ => {}
            }
        }
        changed
    }

    /// A name that stands for another array after `x = e` has as many dimensions as that.
    fn renamed(&mut self, target: ExprId, value: ExprId) -> bool {
        let Expr::Local(local) = self.body.exprs[target] else { return false };
        let rank_of = |expr: &Expr| match expr {
            Expr::Local(local) => self.of.get(*local).copied().unwrap_or(0),
            _ => 0,
        };
        let (own, other) = (rank_of(&self.body.exprs[target]), rank_of(&self.body.exprs[value]));
        let raised = other > 0 && self.raise(local, other);
        (own > 0 && self.at_least(value, own)) || raised
    }

    /// A `for` over a name that is a count by the looks of it: that, or what the loop makes of it, is a subscript.
    fn counts(&self, index: LocalId, over: ExprId) -> bool {
        let Expr::Local(over) = self.body.exprs[over] else { return false };
        let is_subscript =
            |expr: &ExprId| matches!(self.body.exprs[*expr], Expr::Local(local) if local == index || local == over);
        self.body.exprs.iter().any(|(_, expr)| match expr {
            Expr::Index(_, subscripts) => {
                subscripts.iter().any(|subscript| matches!(subscript, Subscript::At(at) if is_subscript(at)))
            }
            _ => false,
        })
    }

    /// The expression has at least this many dimensions.
    fn at_least(&mut self, expr: ExprId, rank: u32) -> bool {
        match &self.body.exprs[expr] {
            Expr::Local(local) => self.raise(*local, rank),
            Expr::Index(..) => self.indexed(expr, rank),
            _ => false,
        }
    }

    /// An access whose result has at least `left` dimensions.
    fn indexed(&mut self, expr: ExprId, left: u32) -> bool {
        let Expr::Index(base, subscripts) = &self.body.exprs[expr] else { return false };
        let n_slices =
            subscripts.iter().filter(|subscript| matches!(subscript, Subscript::Slice { .. })).count() as u32;
        self.at_least(*base, subscripts.len() as u32 + left.saturating_sub(n_slices))
    }

    fn call(&mut self, callee: ExprId, args: &[ExprId]) -> bool {
        let Expr::Builtin(builtin) = self.body.exprs[callee] else { return false };
        let (function, arrays) = match (builtin.get().shape, args) {
            (TypeRule::Map, [function, arrays @ ..]) => (Some(*function), arrays),
            (TypeRule::Reduce | TypeRule::Scan, [function, _, arrays @ ..]) => (Some(*function), arrays),
            (TypeRule::Zip, arrays) => (None, arrays),
            (TypeRule::Length, [array, dim]) => {
                let rank = match self.body.exprs[*dim] {
                    Expr::Literal(Literal::Int(n)) => u32::try_from(n).unwrap_or(0).saturating_add(1).min(MAX_RANK),
                    _ => 1,
                };
                return self.at_least(*array, rank);
            }
            (
                TypeRule::CompressStore
                | TypeRule::ExpandLoad
                | TypeRule::Atomic
                | TypeRule::Prefetch
                | TypeRule::Length,
                [array, ..],
            ) => (None, std::slice::from_ref(array)),
            (TypeRule::Function(_), args) => return self.call_of_prelude(builtin.get(), args),
            _ => return false,
        };
        let mut changed = false;
        for (n, &array) in arrays.iter().enumerate() {
            let rows = function.map_or(0, |function| self.param_rank(function, n));
            changed |= self.at_least(array, 1 + rows);
        }
        changed
    }

    /// A call of a function of the prelude: its parameters say which arguments are arrays.
    fn call_of_prelude(&mut self, row: &Builtin, args: &[ExprId]) -> bool {
        let Some(signature) = self.env.shown_of_prelude(row.name) else { return false };
        let mut changed = false;
        for (n, &arg) in args.iter().enumerate() {
            let own = self.body.arg_names.get(&arg);
            let param = own.map_or(Some(n), |own| row.params().position(|param| param == &**own));
            if let Some((_, Ty::Array(_, sizes))) = param.and_then(|n| signature.params.get(n)) {
                changed |= self.at_least(arg, sizes.len() as u32);
            }
        }
        changed
    }

    /// The number of dimensions of a lambda's parameter.
    fn param_rank(&self, function: ExprId, n: usize) -> u32 {
        let Expr::Lambda(params, _) = &self.body.exprs[function] else { return 0 };
        params.get(n).and_then(|&param| self.of.get(param)).copied().unwrap_or(0)
    }

    fn raise(&mut self, local: LocalId, rank: u32) -> bool {
        let raised = self.of.get(local).copied().unwrap_or(0) < rank;
        if raised {
            self.of.insert(local, rank);
        }
        raised
    }
}
