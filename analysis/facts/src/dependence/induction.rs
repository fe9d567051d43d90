//! Inductions: what a loop carries and changes by the same amount in each iteration.

use rustc_hash::FxHashSet;

use super::nest::Nest;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Def, Kernel};
use ir::scalar::Scalar;

/// The amount by which an induction changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// A value that no iteration changes.
    Value(Value),
    /// A number, the sum of all that an iteration adds.
    Number(i128),
}

/// A carried value that is `start + step * k` (or `-`, if it falls) in iteration `k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Induction {
    pub(crate) start: Value,
    pub(crate) step: Amount,
    /// True if the step is subtracted.
    pub(crate) falls: bool,
    /// True if the step is added with an op that wraps.
    pub(crate) wraps: bool,
    /// True if the loop goes on only where the value did not wrap.
    pub(crate) is_guarded: bool,
}

/// Returns the induction that a loop's carried value with this number is, if it is one. The step may be added in several parts, and
/// in each branch of an `if`, as long as each way through an iteration adds the same number.
pub(crate) fn of(nest: &Nest<'_>, op: Op, number: usize) -> Option<Induction> {
    let kernel = nest.kernel;
    let data = &kernel.ops[op];
    let n_ranges = kernel.n_ranges(op);
    let arg = *kernel.regions[data.regions[0]].args.get(n_ranges + number)?;
    let body = *data.regions.last()?;
    let next = *kernel.regions[body].yields.get(number)?;
    let outside = |value: Value| nest.depth_of(value) <= nest.levels_of(op).len();
    let start = data.operands[3 * n_ranges + number];
    let (step, falls, wraps) = match by_one_op(kernel, arg, next) {
        Some((step, falls, wraps)) => (Amount::Value(step), falls, wraps),
        None => {
            let mut left = MAX_PARTS;
            let growth = Growth::of(kernel, arg, next, &mut left)?;
            let by = growth.always().filter(|by| *by != 0)?;
            (Amount::Number(by), false, growth.wraps)
        }
    };
    let (by, is_outside) = match step {
        Amount::Value(step) => (kernel.as_const(step).and_then(Scalar::wide), outside(step)),
        Amount::Number(by) => (Some(by), true),
    };
    let is_guarded = guarding(nest, op).iter().any(|&(code, a, b)| {
        let rises = by.is_some_and(|by| (by > 0) != falls);
        let (before, after) = if rises { (Code::Lt, Code::Gt) } else { (Code::Gt, Code::Lt) };
        (code, a, b) == (before, arg, next) || (code, a, b) == (after, next, arg)
    });
    is_outside.then_some(Induction { start, step, falls, wraps, is_guarded })
}

/// Returns what one op adds to a value or subtracts from it: the step, whether it is subtracted, and whether the op wraps.
fn by_one_op(kernel: &Kernel, arg: Value, next: Value) -> Option<(Value, bool, bool)> {
    let made = &kernel.ops[kernel.def_op(next)?];
    let (a, b) = (*made.operands.first()?, *made.operands.get(1)?);
    let (step, falls) = match made.code {
        Code::Add | Code::WrappingAdd if a == arg => (b, false),
        Code::Add | Code::WrappingAdd if b == arg => (a, false),
        Code::Sub | Code::WrappingSub if a == arg => (b, true),
        _ => return None,
    };
    Some((step, falls, matches!(made.code, Code::WrappingAdd | Code::WrappingSub)))
}

/// The most ops that are followed from a carried value's next to the value, on all ways through an iteration together: each branch
/// doubles the ways.
const MAX_PARTS: usize = 32;

/// Returns the least and the most that an iteration of a loop adds to a signed number that it carries under this number, if that is
/// known whatever way it goes through its branches.
pub(super) fn growth(kernel: &Kernel, op: Op, number: usize) -> Option<(i128, i128)> {
    let data = &kernel.ops[op];
    let arg = *kernel.regions[data.regions[0]].args.get(kernel.n_ranges(op) + number)?;
    let next = *kernel.regions[*data.regions.last()?].yields.get(number)?;
    kernel.ty(arg).data_elem().filter(|elem| elem.is_signed())?;
    let growth = Growth::of(kernel, arg, next, &mut { MAX_PARTS }).filter(|growth| !growth.wraps)?;
    Some((growth.least, growth.most))
}

/// The numbers by which the ways through an iteration change a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Growth {
    least: i128,
    most: i128,
    wraps: bool,
}

impl Growth {
    /// The number by which all ways change it.
    fn always(self) -> Option<i128> {
        (self.least == self.most).then_some(self.least)
    }

    /// Returns how far a value is from the argument; `None` if a way changes it by what is no constant.
    fn of(kernel: &Kernel, arg: Value, value: Value, left: &mut usize) -> Option<Growth> {
        if value == arg {
            return Some(Growth { least: 0, most: 0, wraps: false });
        }
        let Def::Result(op, number) = kernel.values[value].def else { return None };
        *left = left.checked_sub(1)?;
        let data = &kernel.ops[op];
        let number_of = |value: Value| kernel.as_const(value).and_then(Scalar::wide);
        let wraps = matches!(data.code, Code::WrappingAdd | Code::WrappingSub);
        let (from, by) = match data.code {
            Code::Add | Code::WrappingAdd => match (number_of(data.operands[0]), number_of(data.operands[1])) {
                (None, Some(by)) => (data.operands[0], by),
                (Some(by), None) => (data.operands[1], by),
                _ => return None,
            },
            Code::Sub | Code::WrappingSub => (data.operands[0], -number_of(data.operands[1])?),
            Code::If => {
                let mut side = |region: usize| {
                    Growth::of(kernel, arg, kernel.regions[data.regions[region]].yields[number as usize], left)
                };
                return Some(side(0)?.or(side(1)?));
            }
            Code::Select => {
                let mut side = |operand: usize| Growth::of(kernel, arg, data.operands[operand], left);
                return Some(side(1)?.or(side(2)?));
            }
            _ => return None,
        };
        let before = Growth::of(kernel, arg, from, left)?;
        let [least, most] = [before.least, before.most].map(|before| before.checked_add(by));
        Some(Growth { least: least?, most: most?, wraps: before.wraps || wraps })
    }

    /// What one of two ways does.
    fn or(self, other: Growth) -> Growth {
        Growth { least: self.least.min(other.least), most: self.most.max(other.most), wraps: self.wraps || other.wraps }
    }
}

/// Says whether a value is made by arithmetic alone, out of what loops count and carry, of parameters and constants: the program says
/// what it is, and no data does.
pub(super) fn is_arithmetic(nest: &Nest<'_>, value: Value) -> bool {
    let kernel = nest.kernel;
    let (mut open, mut seen) = (vec![value], FxHashSet::default());
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        if seen.len() > MAX_PARTS {
            return false;
        }
        match kernel.values[value].def {
            Def::Const(_) | Def::Param(_) => {}
            Def::Arg(region, number) => {
                let Some(op) = nest.forest.owner(region) else { return false };
                let (data, n_ranges, number) = (&kernel.ops[op], kernel.n_ranges(op), number as usize);
                let ends = match number.checked_sub(n_ranges) {
                    None => data.operands.get(3 * number).copied().into_iter().chain(None),
                    Some(carried) => {
                        let next = data.regions.last().and_then(|&body| kernel.regions[body].yields.get(carried));
                        data.operands.get(3 * n_ranges + carried).copied().into_iter().chain(next.copied())
                    }
                };
                open.extend(ends);
            }
            Def::Result(op, number) => {
                let data = &kernel.ops[op];
                match data.code {
                    Code::If => {
                        open.push(data.operands[0]);
                        open.extend(data.regions.iter().map(|&side| kernel.regions[side].yields[number as usize]));
                    }
                    // How often the loop goes round says what it gives, too.
                    Code::For | Code::Foreach => {
                        let n_ranges = kernel.n_ranges(op);
                        let (body, n_before) = (&kernel.regions[data.regions[0]], 3 * n_ranges);
                        // A result that is joined in a fixed order has no argument.
                        if body.args.len() <= n_ranges + number as usize {
                            return false;
                        }
                        open.extend(&data.operands[..n_before]);
                        open.extend([data.operands[n_before + number as usize], body.yields[number as usize]]);
                    }
                    code if code.is_elementwise() || code == Code::Index => open.extend(&data.operands),
                    _ => return false,
                }
            }
        }
    }
    true
}

/// Comparisons `value code bound` that hold in each iteration of a `while` which tests a flag it carries: what clears
/// the flag compares the next value of `value`, and so does what the flag starts as.
pub(super) fn guards(nest: &Nest<'_>, op: Op) -> Vec<(Code, Value, Value)> {
    let kernel = nest.kernel;
    let data = &kernel.ops[op];
    let (Some(flag), Some(&body)) = (flag(nest, op), data.regions.get(1)) else { return Vec::new() };
    let args = &kernel.regions[data.regions[0]].args;
    let first = data.operands[flag];
    let outside = |value: Value| nest.depth_of(value) <= nest.levels_of(op).len();
    let holds_first = |code: Code, start: Value, bound: Value| match (kernel.as_const(first), kernel.def_op(first)) {
        (Some(Scalar::Bool(true)), _) => match (kernel.as_const(start), kernel.as_const(bound)) {
            (Some(start), Some(bound)) => match code {
                Code::Lt => ir::scalar::lt(start, bound),
                _ => ir::scalar::lt(bound, start),
            },
            _ => false,
        },
        (_, Some(made)) => {
            let made = &kernel.ops[made];
            made.code == code && made.operands[..] == [start, bound]
        }
        _ => false,
    };
    let mut guards = Vec::new();
    for (code, next, bound) in guarding(nest, op) {
        let number = kernel.regions[body].yields.iter().position(|&value| value == next);
        let Some(number) = number.filter(|_| matches!(code, Code::Lt | Code::Gt) && outside(bound)) else { continue };
        if holds_first(code, data.operands[number], bound) {
            guards.push((code, args[number], bound));
        }
    }
    guards
}

/// The number of the flag that a `while` carries and tests.
fn flag(nest: &Nest<'_>, op: Op) -> Option<usize> {
    let kernel = nest.kernel;
    let data = &kernel.ops[op];
    if data.code != Code::While {
        return None;
    }
    let test = kernel.regions[data.regions[0]].yields[0];
    match kernel.values[test].def {
        Def::Arg(region, number) if region == data.regions[0] => Some(number as usize),
        _ => None,
    }
}

/// The comparisons that all have to hold for the flag of a `while` to stay set.
fn guarding(nest: &Nest<'_>, op: Op) -> Vec<(Code, Value, Value)> {
    let kernel = nest.kernel;
    let Some(flag) = flag(nest, op) else { return Vec::new() };
    let mut open = vec![kernel.regions[kernel.ops[op].regions[1]].yields[flag]];
    let mut found = Vec::new();
    while let Some(value) = open.pop() {
        let Some(made) = kernel.def_op(value) else { continue };
        let made = &kernel.ops[made];
        match made.code {
            Code::And => open.extend(&made.operands),
            Code::Lt | Code::Gt => found.push((made.code, made.operands[0], made.operands[1])),
            _ => {}
        }
    }
    found
}
