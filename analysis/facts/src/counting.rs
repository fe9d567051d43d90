//! Counting loops with early exits: a `for` with a `break` in it is a `while` that carries the index first, and then
//! the flag by which it goes on.
//!
//! ```text
//! while go, i = lo < hi, lo:         test
//!     ...
//!     goes_on = ...                  apart from the range
//!     next = i + step
//!     next: next, goes_on and next < hi
//! ```

use rustc_hash::FxHashMap;

use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Def, Kernel};
use ir::scalar::Scalar;

/// The range of a loop that counts, and what ends it before that does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counting {
    /// The carried index, an argument of the loop.
    pub index: Value,
    /// The carried flag by which the loop goes on.
    pub goes: Value,
    /// The start of the range.
    pub lo: Value,
    /// The end of the range, which the index does not reach.
    pub hi: Value,
    /// The step of the index, a constant.
    pub step: Value,
    /// True if the step is positive.
    pub upwards: bool,
    /// The bool that is false in the iteration that leaves the loop before the end of its range.
    pub goes_on: Value,
}

impl Counting {
    /// Reads a loop as a counting one; `None` if it does not count, or if no iteration may leave it early.
    pub fn of(kernel: &Kernel, op: Op) -> Option<Counting> {
        kernel.control(op).filter(|control| control.marks.counts)?;
        let data = &kernel.ops[op];
        let [test, body] = data.regions.as_slice() else { return None };
        let (test, body) = (&kernel.regions[*test], &kernel.regions[*body]);
        let (index, goes, lo) = (*test.args.first()?, *test.args.get(1)?, *data.operands.first()?);
        let made = |value: Value| kernel.def_op(value).map(|op| &kernel.ops[op]);
        let starts = made(*data.operands.get(1)?)?;
        let upwards = starts.code == Code::Lt;
        if !matches!(starts.code, Code::Lt | Code::Gt) || starts.operands[0] != lo {
            return None;
        }
        let hi = starts.operands[1];
        let next = made(body.yields[0]).filter(|next| next.code == Code::WrappingAdd && next.operands[0] == index)?;
        let step = next.operands[1];
        kernel.as_const(step).and_then(Scalar::wide).filter(|&step| step != 0 && (step > 0) == upwards)?;
        let goes_on = made(body.yields[1]).filter(|goes| goes.code == Code::And)?.operands[0];
        let is_plain = test.ops.is_empty() && test.yields.first() == Some(&goes);
        (is_plain && kernel.def_op(goes_on).is_some()).then_some(Counting {
            index,
            goes,
            lo,
            hi,
            step,
            upwards,
            goes_on,
        })
    }

    /// The conditions that are known in an iteration that goes on, as far as branches tell: which way they go.
    pub fn known(&self, kernel: &Kernel, op: Op) -> FxHashMap<Value, bool> {
        known_where(kernel, kernel.ops[op].regions[1], self.goes_on, true)
    }
}

/// The conditions that are known where a bool of a block is true, or false, as far as branches tell: which way they go.
pub fn known_where(kernel: &Kernel, block: Region, value: Value, holds: bool) -> FxHashMap<Value, bool> {
    let mut known = FxHashMap::default();
    let mut open = vec![(block, value, holds)];
    while let Some((region, value, holds)) = open.pop() {
        let Def::Result(maker, number) = kernel.values[value].def else { continue };
        // A value is followed only in the block that makes it.
        if !kernel.regions[region].ops.contains(&maker) || known.insert(value, holds).is_some() {
            continue;
        }
        let data = &kernel.ops[maker];
        match data.code {
            Code::Not => open.push((region, data.operands[0], !holds)),
            Code::And if holds => open.extend(data.operands.iter().map(|&part| (region, part, true))),
            Code::Or if !holds => open.extend(data.operands.iter().map(|&part| (region, part, false))),
            Code::If => {
                let yields = |side: usize| kernel.regions[data.regions[side]].yields[number as usize];
                let never = |side: usize| kernel.as_const(yields(side)) == Some(Scalar::Bool(!holds));
                match (never(0), never(1)) {
                    (true, false) => open.push((region, data.operands[0], false)),
                    (false, true) => open.push((region, data.operands[0], true)),
                    _ => {}
                }
                open.extend((0..2).filter(|&side| !never(side)).map(|side| (data.regions[side], yields(side), holds)));
            }
            _ => {}
        }
    }
    known
}

/// A carried value of a loop that changes by a constant where the loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Index {
    /// Its number among what the loop carries.
    pub number: usize,
    /// The constant.
    pub step: i128,
}

/// The index of a `while` without a bound: the first carried value that a load of its test or body takes as a subscript and that changes by a constant.
pub fn index_of_while(kernel: &Kernel, op: Op) -> Option<Index> {
    let [test, body] = kernel.ops[op].regions[..] else { return None };
    let args = &kernel.regions[test].args;
    let yields = &kernel.regions[body].yields;
    let moved = |number: &usize| Some(Index { number: *number, step: step(kernel, yields[*number], args[*number])? });
    let mut subscripts = Vec::new();
    kernel.walk_inside(op, &mut |inner| {
        if kernel.ops[inner].code == Code::Load {
            subscripts.extend(kernel.ops[inner].operands[1..].iter().copied());
        }
    });
    let of_load = |subscript: Value| args.iter().position(|&arg| arg == subscript);
    let mut numbers = subscripts.into_iter().filter_map(of_load);
    numbers.find_map(|number| moved(&number))
}

/// The constant by which a value differs from another one; branches that hand the other one on are left out.
pub fn step(kernel: &Kernel, value: Value, from: Value) -> Option<i128> {
    let Def::Result(op, number) = kernel.values[value].def else { return None };
    let data = &kernel.ops[op];
    let by = |value: Value| kernel.as_const(value).and_then(Scalar::wide).filter(|by| *by != 0);
    match data.code {
        Code::Add | Code::WrappingAdd if data.operands[0] == from => by(data.operands[1]),
        Code::Add | Code::WrappingAdd if data.operands[1] == from => by(data.operands[0]),
        Code::Sub | Code::WrappingSub if data.operands[0] == from => Some(-by(data.operands[1])?),
        Code::If => {
            let yields = data.regions.iter().map(|&region| kernel.regions[region].yields[number as usize]);
            let mut moved = yields.filter(|&yielded| yielded != from);
            let only = moved.next().filter(|_| moved.next().is_none())?;
            step(kernel, only, from)
        }
        _ => None,
    }
}
