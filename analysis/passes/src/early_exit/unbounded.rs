//! A `while` without a bound as a loop that counts, in front of it.
//!
//! ```text
//! while text[i] != 0:              while go, i = lo < n, lo:           counts, as far as `text` reaches
//!     i += 1                           goes_on = text[i] != 0
//!                                      next: i + 1, goes_on and i + 1 < n
//!                                  while text[i] != 0:                 as it was, from where that ends
//!                                      i += 1
//! ```
//!
//! The loop that counts is there for blocks to be made of it. It goes then, and the `while` as it was runs what the blocks have left: there a
//! cell that does not exist, a number that is too large or an iteration without an end come about as in the program.

use rustc_hash::FxHashMap;

use super::body::side;
use super::has_lanes;
use crate::Context;
use facts::access::declared_size;
use facts::counting::{self, Counting, Index, index_of_while};
use ir::builder::Builder;
use ir::copy::Copied;
use ir::entities::{Op, Region, Value};
use ir::forest::is_loop;
use ir::ops::Code;
use ir::program::{Def, Kernel, Marks, Values};
use ir::scalar::Scalar;

/// The loops without a bound that may get blocks: they carry an index, no loop is inside of them, and none around them has lanes.
pub(super) fn candidates(kernel: &Kernel, context: &mut Context) -> Vec<Op> {
    let mut whiles = Vec::new();
    kernel.walk(kernel.body, &mut |_, op| {
        if kernel.ops[op].code == Code::While && !marks(kernel, op).counts && index_of_while(kernel, op).is_some() {
            whiles.push(op);
        }
    });
    whiles.retain(|&op| {
        let mut is_innermost = true;
        kernel.walk_inside(op, &mut |inner| is_innermost &= !is_loop(kernel.ops[inner].code));
        is_innermost
    });
    if whiles.is_empty() {
        return whiles;
    }
    let (found, choice) = (context.loops(kernel), context.choice(kernel));
    let is_in_lanes = |op: Op| kernel.ops[op].code == Code::Foreach || has_lanes(&found, &choice, op);
    whiles.retain(|&op| !found.forest.around(op).any(is_in_lanes));
    whiles
}

fn marks(kernel: &Kernel, op: Op) -> Marks {
    kernel.control(op).map(|control| control.marks.clone()).unwrap_or_default()
}

/// A `while` without a bound, and the loop that counts in front of it.
pub(super) struct Unbounded {
    pub(super) counted: Op,
    original: Op,
    home: Region,
}

impl Unbounded {
    /// Puts the loop that counts before a `while`; `None` if it cannot be one, and then the kernel computes what it did.
    /// `home` is the region in which it stands.
    pub(super) fn write(kernel: &mut Kernel, op: Op, home: Region) -> Option<Unbounded> {
        let data = kernel.ops[op].clone();
        let Index { number, step } = index_of_while(kernel, op)?;
        let (test, body) = (data.regions[0], data.regions[1]);
        let args = kernel.regions[test].args.clone();
        let flag = flag(kernel, op);
        let elem = kernel.ty(args[number]).data_elem().filter(|elem| elem.is_integer())?;
        if step < 0 && !elem.is_signed() {
            return None;
        }
        let others: Vec<usize> =
            (0..args.len()).filter(|&other| other != number && flag.is_none_or(|(flag, _)| other != flag)).collect();

        let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
        b.set_origin(data.origin);
        let (lo, upwards) = (data.operands[number], step > 0);
        let hi = bound(&mut b, op, args[number], upwards);
        let by = b.constant(Scalar::wrap(elem, step));
        let before = if upwards { Code::Lt } else { Code::Gt };
        let starts = b.op(before, &[lo, hi]);
        let name = |b: &Builder, value: Value| b.kernel().values[value].name.as_deref().unwrap_or("x").to_owned();
        let mut inits = vec![(name(&b, args[number]), lo), ("go".to_owned(), starts)];
        inits.extend(others.iter().map(|&other| (name(&b, args[other]), data.operands[other])));
        let inits: Vec<(&str, Value)> = inits.iter().map(|(name, init)| (name.as_str(), *init)).collect();
        let new_args = b.open_while(&inits);
        *b.marks() = Marks { counts: true, ..marks(b.kernel(), op) };
        b.next_block(&[new_args[1]]);
        let mut copied = Copied::default();
        copied.insert(args[number], new_args[0]);
        copied.extend(others.iter().zip(&new_args[2..]).map(|(&other, &new)| (args[other], new)));
        let yes = b.constant(Scalar::Bool(true));
        copied.extend(flag.map(|(flag, _)| (args[flag], yes)));
        let at = |copied: &Copied, value: Value| copied.get(&value).copied().unwrap_or(value);
        // While the flag holds, its test asks what stands behind that.
        let asked = flag.map(|(_, asked)| asked);
        copy_ops(&mut b, test, asked, &mut copied);
        let region = asked.map_or(test, |asked| b.kernel().ops[asked].regions[0]);
        if asked.is_some() {
            copy_ops(&mut b, region, None, &mut copied);
        }
        let condition = at(&copied, b.kernel().regions[region].yields[0]);
        let always = b.kernel().as_const(condition) == Some(Scalar::Bool(true));
        if !always {
            b.open_if(condition);
        }
        copy_ops(&mut b, body, None, &mut copied);
        let yields = b.kernel().regions[body].yields.clone();
        let goes_on = flag.map_or(yes, |(flag, _)| at(&copied, yields[flag]));
        let moved = at(&copied, yields[number]);
        let own = others.iter().map(|&other| at(&copied, yields[other]));
        let mut ends: Values = [goes_on, moved].into_iter().chain(own).collect();
        if !always {
            b.next_block(&ends);
            let no = b.constant(Scalar::Bool(false));
            let stays: Values = [no, new_args[0]].into_iter().chain(new_args[2..].iter().copied()).collect();
            ends = b.close(&stays);
        }
        let next = b.op(Code::WrappingAdd, &[new_args[0], by]);
        let (moves, inside) = (b.op(before, &[new_args[0], next]), b.op(before, &[next, hi]));
        let on = b.op(Code::And, &[moves, inside]);
        let on = b.op(Code::And, &[ends[0], on]);
        let yields: Values = [next, on].into_iter().chain(ends[2..].iter().copied()).collect();
        let results = b.close(&yields);
        let outermost = b.block();
        let counted = *b.kernel().regions[outermost].ops.last().expect("the loop that was closed");
        let (new, block) = b.detach();
        *kernel = new;
        if !follows_count(kernel, counted, ends[1], new_args[0], step) {
            return None;
        }
        for (&other, &end) in others.iter().zip(&results[2..]) {
            kernel.ops[op].operands[other] = end;
        }
        kernel.ops[op].operands[number] = results[0];
        let written = std::mem::take(&mut kernel.regions[block].ops);
        let ops = &mut kernel.regions[home].ops;
        let place = ops.iter().position(|&other| other == op).expect("the block lists the loop");
        ops.splice(place..place, written);
        Some(Unbounded { counted, original: op, home })
    }

    /// Takes the loop that counts out again: the `while` starts from where it would have started.
    pub(super) fn remove(&self, kernel: &mut Kernel) {
        let starts = kernel.ops[self.counted].operands.clone();
        let results = kernel.ops[self.counted].results.clone();
        for (number, start) in kernel.ops[self.original].operands.clone().into_iter().enumerate() {
            if let Some(carried) = results.iter().position(|&result| result == start) {
                kernel.ops[self.original].operands[number] = starts[carried];
            }
        }
        kernel.regions[self.home].ops.retain(|&op| op != self.counted);
    }
}

/// The flag by which a `while` with a `break` goes on, by number, and the branch of its test that asks for it first.
fn flag(kernel: &Kernel, op: Op) -> Option<(usize, Op)> {
    let test = &kernel.regions[kernel.ops[op].regions[0]];
    let op = kernel.def_op(*test.yields.first()?)?;
    let asked = &kernel.ops[op];
    let otherwise = kernel.regions[*asked.regions.get(1).filter(|_| asked.code == Code::If)?].yields.first()?;
    let is_never = kernel.as_const(*otherwise) == Some(Scalar::Bool(false));
    let flag = test.args.iter().position(|arg| Some(arg) == asked.operands.first()).filter(|_| is_never)?;
    Some((flag, op))
}

/// The bound up to which a `while` may count: where the array ends that it goes through, if that is known as a number of the index's type;
/// else where the index's type ends.
fn bound(b: &mut Builder, op: Op, index: Value, upwards: bool) -> Value {
    let kernel = b.kernel();
    let elem = kernel.ty(index).data_elem().expect("an index is a number");
    let range = facts::ValueRange::of(elem).map_or((0, 0), |range| (range.lo, range.hi));
    if !upwards {
        return b.constant(Scalar::wrap(elem, -1));
    }
    let mut size = None;
    kernel.walk_inside(op, &mut |inner| {
        let data = &kernel.ops[inner];
        let dim = data.operands.iter().skip(1).position(|&subscript| subscript == index);
        if let Some(dim) = dim.filter(|_| data.code == Code::Load && size.is_none()) {
            size = declared_size(kernel, kernel.root(data.operands[0]), dim);
        }
    });
    let constant = size.as_ref().and_then(|size| size.as_constant()).filter(|size| *size <= range.1);
    if let Some(constant) = constant {
        return b.constant(Scalar::wrap(elem, constant));
    }
    let value = size.as_ref().and_then(|size| {
        let values = size.values();
        let only = *values.first().filter(|_| values.len() == 1)?;
        let is_plain = facts::Form::value(only) == *size && kernel.ty(only) == kernel.ty(index);
        is_plain.then_some(only)
    });
    value.unwrap_or_else(|| b.constant(Scalar::wrap(elem, range.1)))
}

fn copy_ops(b: &mut Builder, region: Region, but: Option<Op>, copied: &mut Copied) {
    for op in b.kernel().regions[region].ops.clone().into_iter().filter(|op| Some(*op) != but) {
        b.copy(op, copied);
    }
}

/// Says whether the program's index is the count in the next iteration, wherever the loop goes on.
fn follows_count(kernel: &Kernel, counted: Op, mut moved: Value, count: Value, by: i128) -> bool {
    let known: FxHashMap<Value, bool> = match Counting::of(kernel, counted) {
        Some(range) => range.known(kernel, counted),
        None => return false,
    };
    while let Def::Result(op, number) = kernel.values[moved].def
        && kernel.ops[op].code == Code::If
        && let Some(side) = side(kernel, op, &known)
    {
        moved = kernel.regions[side].yields[number as usize];
    }
    let is_direct = kernel.def_op(moved).is_some_and(|op| kernel.ops[op].code != Code::If);
    is_direct && counting::step(kernel, moved, count) == Some(by)
}
