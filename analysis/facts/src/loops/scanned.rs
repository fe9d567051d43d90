//! Values that iterations use as they go, and that the lanes of a group can compute of each other by halves: running minima and maxima,
//! running products of integers, and their linear recurrences, and what bits have come to.
//!
//! The order of such steps may be joined in any way without a change of the result: integers wrap, and of what is compared the
//! same one is chosen, as long as nothing is NaN.

use std::collections::BTreeSet;

use super::CarriedRole;
use super::lanes::{Slice, Slicer};
use ir::entities::Value;
use ir::linear::{LinearForm, LinearOp, LinearSide};
use ir::ops::Code;
use ir::program::{Def, Kernel};
use ir::scalar::{Fold, Scalar};
use ir::types::Elem;

/// The number of ops that lead from one value to the next at most, where that is linear.
const MOST_OPS: usize = 8;

/// The step from a value to the next one, where lanes can join steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scanned {
    /// The least or greatest so far.
    Extreme(Extreme),
    /// An integer that is multiplied, and perhaps added to.
    Linear(LinearForm<Value>),
    /// Bits that are joined to.
    Bits(Bits),
}

/// What an iteration joins to bits, or to a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits {
    /// `and`, `or` or `xor`.
    pub code: Code,
    /// What is joined.
    pub other: Value,
    /// True if the opposite of that is.
    pub is_opposite: bool,
}

impl Bits {
    /// What leads from a carried value to the next: bits that are joined to it, or a condition in which it becomes true, false, or its
    /// opposite.
    fn of(kernel: &Kernel, slice: &Slice, arg: Value, next: Value) -> Option<Bits> {
        let is_free = |value: &Value| !slice.values.contains(value);
        let made = &kernel.ops[kernel.def_op(next)?];
        if let (Code::And | Code::Or | Code::Xor, &[a, b]) = (made.code, &made.operands[..]) {
            let other = if a == arg { b } else { a };
            let is_step = (a == arg || b == arg) && is_free(&other);
            return is_step.then_some(Bits { code: made.code, other, is_opposite: false });
        }
        if kernel.ty(arg).data_elem() != Some(Elem::Bool) {
            return None;
        }
        let (condition, sides) = choice(kernel, next)?;
        let (holds, fails) = (sides[0], sides[1]);
        if !is_free(&condition) || fails != arg {
            return None;
        }
        let (code, is_opposite) = match kernel.as_const(holds) {
            Some(Scalar::Bool(true)) => (Code::Or, false),
            Some(Scalar::Bool(false)) => (Code::And, true),
            _ => {
                let opposite = kernel.def_op(holds).map(|op| &kernel.ops[op])?;
                (opposite.code == Code::Not && opposite.operands[0] == arg).then_some((Code::Xor, false))?
            }
        };
        Some(Bits { code, other: condition, is_opposite })
    }
}

/// The choice between the extreme so far and a new number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extreme {
    /// The new number.
    pub other: Value,
    /// `min` or `max`, or the comparison by which the choice is made.
    pub code: Code,
    /// True if the extreme so far is the first operand.
    pub is_first: bool,
    /// True if the new number is chosen where the comparison holds.
    pub takes_where_true: bool,
}

impl Extreme {
    /// The choice by which a reduction to the least or greatest number, by its own number, gets its next value, if that is a single one.
    pub fn of(slicer: &Slicer<'_>, number: usize, role: CarriedRole) -> Option<Extreme> {
        let body = &slicer.kernel.regions[slicer.body];
        let arg = body.args[slicer.kernel.n_ranges(slicer.op) + number];
        let is_extreme = matches!(role, CarriedRole::Reduction { fold: Fold::Min | Fold::Max, .. });
        is_extreme.then(|| extreme(slicer, arg, body.yields[number])).flatten()
    }

    /// Says whether the new number is chosen where it is a NaN, which compares as neither.
    pub fn takes_nan(&self) -> bool {
        match self.code {
            // `min(a, b)` is `a if a < b else b`.
            Code::Min | Code::Max => self.is_first,
            _ => !self.takes_where_true,
        }
    }

    /// The same choice, where it is made in those iterations alone for which a condition, that does not depend on the value, is true, or
    /// false.
    pub fn under_condition(
        slicer: &Slicer<'_>,
        number: usize,
        role: CarriedRole,
    ) -> Option<(Extreme, Option<(Value, bool)>)> {
        if let Some(extreme) = Extreme::of(slicer, number, role) {
            return Some((extreme, None));
        }
        let kernel = slicer.kernel;
        let body = &kernel.regions[slicer.body];
        let (arg, next) = (body.args[kernel.n_ranges(slicer.op) + number], body.yields[number]);
        let (condition, [holds, fails]) = choice(kernel, next)?;
        let (when, made) = match (holds == arg, fails == arg) {
            (false, true) => (true, holds),
            (true, false) => (false, fails),
            _ => return None,
        };
        let is_free = !slicer.slice(&BTreeSet::from([number])).values.contains(&condition);
        let is_extreme = matches!(role, CarriedRole::Reduction { fold: Fold::Min | Fold::Max, .. });
        Some((extreme(slicer, arg, made).filter(|_| is_free && is_extreme)?, Some((condition, when))))
    }
}

/// The condition of a choice and its sides.
fn choice(kernel: &Kernel, value: Value) -> Option<(Value, [Value; 2])> {
    let Def::Result(op, result) = kernel.values[value].def else { return None };
    let data = &kernel.ops[op];
    let sides = match data.code {
        Code::Select => [data.operands[1], data.operands[2]],
        Code::If => [0, 1].map(|side: usize| kernel.regions[data.regions[side]].yields[result as usize]),
        _ => return None,
    };
    Some((data.operands[0], sides))
}

impl Scanned {
    /// The step of a carried value, by its number.
    pub fn of(slicer: &Slicer<'_>, number: usize, role: CarriedRole) -> Option<Scanned> {
        let kernel = slicer.kernel;
        let body = &kernel.regions[slicer.body];
        let (arg, next) = (body.args[kernel.n_ranges(slicer.op) + number], body.yields[number]);
        let elem = kernel.ty(arg).data_elem()?;
        let slice = || slicer.slice(&BTreeSet::from([number]));
        match role {
            CarriedRole::Scan(Fold::Min | Fold::Max) => extreme(slicer, arg, next).map(Scanned::Extreme),
            // What nobody uses as it goes has a form that costs less.
            CarriedRole::Reduction { fold: Fold::Min | Fold::Max, conditional: false } if slice().acts => {
                extreme(slicer, arg, next).map(Scanned::Extreme)
            }
            CarriedRole::Scan(Fold::And | Fold::Or | Fold::Xor) => {
                Bits::of(kernel, &slice(), arg, next).map(Scanned::Bits)
            }
            CarriedRole::Reduction { fold: Fold::And | Fold::Or | Fold::Xor, .. } if slice().acts => {
                Bits::of(kernel, &slice(), arg, next).map(Scanned::Bits)
            }
            CarriedRole::Recurrence if elem == Elem::Bool => Bits::of(kernel, &slice(), arg, next).map(Scanned::Bits),
            CarriedRole::Scan(Fold::Mul) | CarriedRole::LinearRecurrence | CarriedRole::Recurrence
                if elem.is_integer() =>
            {
                let mut parts = Parts { slicer, slice: &slice(), arg, n_left: MOST_OPS };
                // Where a condition decides about the factor, which is 0 or 1 as a rule, products cost more than the order.
                match parts.side(next)? {
                    LinearSide::Of(linear) if linear.factor().is_some_and(|it| !it.has_choice()) => {
                        Some(Scanned::Linear(linear))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The values that the step is made of, which lanes have to know first.
    pub fn needs(&self) -> Vec<Value> {
        match self {
            Scanned::Extreme(extreme) => vec![extreme.other],
            Scanned::Bits(bits) => vec![bits.other],
            Scanned::Linear(linear) => {
                let mut needs = Vec::new();
                for formula in linear.factor().into_iter().chain(&linear.term) {
                    formula.for_each_leaf(&mut |&leaf| needs.push(leaf));
                }
                needs
            }
        }
    }
}

fn extreme(slicer: &Slicer<'_>, arg: Value, next: Value) -> Option<Extreme> {
    let kernel = slicer.kernel;
    let other_of = |operands: &[Value]| match *operands {
        [a, b] if a == arg && b != arg => Some((b, true)),
        [a, b] if b == arg && a != arg => Some((a, false)),
        _ => None,
    };
    let made = &kernel.ops[kernel.def_op(next)?];
    if matches!(made.code, Code::Min | Code::Max) {
        let (other, is_first) = other_of(&made.operands)?;
        return Some(Extreme { other, code: made.code, is_first, takes_where_true: true });
    }
    let (condition, sides) = choice(kernel, next)?;
    let compared = &kernel.ops[kernel.def_op(condition)?];
    if !matches!(compared.code, Code::Lt | Code::Le | Code::Gt | Code::Ge) {
        return None;
    }
    // The number that is compared is the one that is chosen: the value's role says so.
    let (other, is_first) = other_of(&compared.operands)?;
    let takes_where_true = match sides.map(|side| side == arg) {
        [false, true] => true,
        [true, false] => false,
        _ => return None,
    };
    Some(Extreme { other, code: compared.code, is_first, takes_where_true })
}

/// Takes the ops apart that lead to a value.
struct Parts<'s, 'k> {
    slicer: &'s Slicer<'k>,
    slice: &'s Slice,
    arg: Value,
    n_left: usize,
}

impl Parts<'_, '_> {
    fn side(&mut self, value: Value) -> Option<LinearSide<Value>> {
        if value == self.arg {
            return Some(LinearSide::Of(LinearForm::variable(0)));
        }
        if !self.slice.values.contains(&value) {
            return Some(LinearSide::Other(value));
        }
        self.n_left = self.n_left.checked_sub(1)?;
        let kernel = self.slicer.kernel;
        let Def::Result(op, result) = kernel.values[value].def else { return None };
        let data = &kernel.ops[op];
        let operator = match data.code {
            Code::Add | Code::WrappingAdd => LinearOp::Add,
            Code::Sub | Code::WrappingSub => LinearOp::Sub,
            Code::Mul | Code::WrappingMul => LinearOp::Mul,
            Code::Select | Code::If if !self.slice.values.contains(&data.operands[0]) => {
                // What a branch computes of the value is arithmetic that wraps here, so all lanes may do it.
                let sides = match data.code {
                    Code::If => [0, 1].map(|side| kernel.regions[data.regions[side]].yields[result as usize]),
                    _ => [data.operands[1], data.operands[2]],
                };
                let (a, b) = (self.side(sides[0])?, self.side(sides[1])?);
                return Some(LinearSide::Of(LinearForm::chosen(data.operands[0], a, b)));
            }
            Code::Neg => {
                let LinearSide::Of(linear) = self.side(data.operands[0])? else { return None };
                return Some(LinearSide::Of(linear.negated()));
            }
            _ => return None,
        };
        let (a, b) = (self.side(data.operands[0])?, self.side(data.operands[1])?);
        LinearForm::combined(operator, a, b).map(LinearSide::Of)
    }
}
