//! Parts of a kernel, for threads: the loop whose iterations may be divided among them, and the two kernels that a caller
//! divides them with.
//!
//! ```text
//! kernel scale(a, n, by):                 kernel scale_part(begin, end, a, n, by):
//!     for i in range(n):                      for i in range(…):          iterations begin to end - 1, as far as there are such
//!         a[i] = a[i] * by                        a[i] = a[i] * by
//!
//!                                         kernel scale_iterations(n, by) -> i64:
//!                                             return n
//! ```
//!
//! However the iterations are divided, and in whatever order the parts run, every cell holds the same bits in the end: no iteration
//! touches a cell that another one writes, and none hands a value to the next. What stands before the loop runs in each part, so it
//! may write nothing but new arrays, and read nothing that the loop writes.

use facts::loops::Loops;
use ir::Effect;
use ir::builder::Builder;
use ir::effects::Effects;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel, Name, Param};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};
use rustc_hash::FxHashSet;

use crate::dce::dce;

/// The end of the name of the kernel that runs a part.
pub const PART: &str = "_part";

/// The end of the name of the kernel that counts the iterations.
pub const ITERATIONS: &str = "_iterations";

/// The reason why a kernel has no parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoParts {
    /// The kernel gives a result, which would have to be joined from those of the parts.
    Result,
    /// No loop stores to an array that is given to the kernel.
    NoLoop,
    /// Besides the loop, this op stores to arrays that are given to the kernel.
    Beside(Op),
    /// The op that stores is no loop over a range: a store by itself, a branch, a `while`.
    NotCounted(Op),
    /// The step of the loop is known only when it runs.
    Step(Op),
    /// The lanes of a group exchange values, so groups have to begin where they do.
    Groups(Op),
    /// Ops before the loop, this one first, read an array that the loop writes: parts would read what others have written.
    ReadBefore(Op, Value),
    /// An op of the loop stores in an order that the whole group or all iterations before have a share in.
    Ordered(Op),
    /// The loop hands on a value from one iteration to the next.
    Carries(Op),
    /// Two iterations touch one cell: the dependence with this number, which the loop carries.
    Depends(Op, usize),
    /// The accesses to this array are too many to be compared.
    TooMany(Op, Value),
}

/// The loop of a kernel at `sequential` whose iterations may be divided among threads. `found` are the facts about its loops.
pub fn loop_of_parts(kernel: &Kernel, found: &Loops) -> Result<Op, NoParts> {
    if kernel.result.is_some() {
        return Err(NoParts::Result);
    }
    let effects = Effects::of(kernel);
    let is_param = |array: Value| matches!(kernel.values[array].def, Def::Param(_));
    let stores = |op: &Op| effects.touched(kernel, *op).iter().any(|&(array, writes)| writes && is_param(array));
    let mut storing = kernel.regions[kernel.body].ops.iter().copied().filter(stores);
    let op = storing.next().ok_or(NoParts::NoLoop)?;
    if !matches!(kernel.ops[op].code, Code::For | Code::Foreach) {
        return Err(NoParts::NotCounted(op));
    }
    if let Some(other) = storing.next() {
        return Err(NoParts::Beside(other));
    }
    if step(kernel, op).is_none() {
        return Err(NoParts::Step(op));
    }
    if kernel.lanes_of_foreach(op).is_some() {
        return Err(NoParts::Groups(op));
    }
    if !kernel.ops[op].results.is_empty() {
        return Err(NoParts::Carries(op));
    }
    let mut ordered = None;
    kernel.walk_inside(op, &mut |inner| {
        let data = &kernel.ops[inner];
        // Atomic ops whose order nobody sees take place one by one, whichever thread they are of.
        let is_plain =
            !data.regions.is_empty() || matches!(data.code, Code::Store | Code::Temp) || data.attr == Attr::FreeOrder;
        if !is_plain && kernel.effect(inner) == Effect::Writes {
            ordered = ordered.or(Some(inner));
        }
    });
    if let Some(inner) = ordered {
        return Err(NoParts::Ordered(inner));
    }
    let own: Vec<Value> = effects.written_inside(op).collect();
    for &other in kernel.regions[kernel.body].ops.iter().take_while(|&&other| other != op) {
        let touched = effects.touched(kernel, other);
        let changes = |array: Value| own.iter().any(|&written| is_param(array) && kernel.may_overlap(array, written));
        if let Some(&(array, _)) = touched.iter().find(|(array, _)| changes(*array)) {
            return Err(NoParts::ReadBefore(other, array));
        }
    }
    // The iterations of a `foreach` are independent, or it is an error of the program.
    if kernel.ops[op].code == Code::For {
        if let Some((number, _)) = found.dependences.carried_by(op).next() {
            return Err(NoParts::Depends(op, number));
        }
        if let Some(&(array, _)) = found.dependences.unseen.iter().find(|(_, outermost)| *outermost == op) {
            return Err(NoParts::TooMany(op, array));
        }
    }
    Ok(op)
}

/// The constant step of a loop's outermost range.
fn step(kernel: &Kernel, op: Op) -> Option<i64> {
    let step = kernel.as_const(kernel.ops[op].operands[2])?.wide()?;
    i64::try_from(step).ok().filter(|&step| step != 0 && step != i64::MIN)
}

/// The kernel that runs the iterations from `begin` to `end - 1` of the [loop](loop_of_parts) of a kernel, which are numbered from 0;
/// there may be fewer.
pub fn part(kernel: &Kernel, op: Op) -> Kernel {
    let mut part = named(kernel, PART);
    let [begin, end] = add_bounds(&mut part);
    before(&mut part, op, |ranges| {
        let (low, high) = (ranges.begin_of(begin), ranges.begin_of(end));
        let low = ranges.within(low, ranges.start, Code::Max);
        let high = ranges.within(high, ranges.stop, Code::Min);
        let operands = &mut ranges.b.kernel_mut().ops[op].operands;
        (operands[0], operands[1]) = (low, high);
    });
    part
}

/// The kernel that counts the iterations of the [loop](loop_of_parts) of a kernel, and the numbers of the parameters that it has of that
/// kernel's: all scalars, and the arrays that it needs for the count.
pub fn iterations(kernel: &Kernel, op: Op) -> (Kernel, Vec<usize>) {
    let mut counting = named(kernel, ITERATIONS);
    let mut count = None;
    before(&mut counting, op, |ranges| count = Some(ranges.count));
    let body = counting.body;
    let is_checked = |op: Op| matches!(counting.ops[op].code, Code::Assert | Code::AssertSize | Code::AssertSome);
    // Parts check what has to hold, so this has no other answer than the count.
    let kept = counting.regions[body].ops.iter().copied().filter(|&other| other != op && !is_checked(other)).collect();
    counting.regions[body].ops = kept;
    counting.regions[body].yields = count.into_iter().collect();
    counting.result = Some(Elem::I64);
    dce(&mut counting);
    let mut used: FxHashSet<Value> = FxHashSet::default();
    counting.walk(body, &mut |_, op| used.extend(&counting.ops[op].operands));
    let is_kept = |param: &Param| !counting.ty(param.value).is_view() || used.contains(&param.value);
    let kept: Vec<usize> = (0..counting.params.len()).filter(|&number| is_kept(&counting.params[number])).collect();
    counting.params = kept.iter().map(|&number| counting.params[number].clone()).collect();
    for (number, param) in counting.params.iter().enumerate() {
        counting.values[param.value].def = Def::Param(number as u32);
    }
    counting.marks.alias.retain(|(a, b)| used.contains(a) && used.contains(b));
    (counting, kept)
}

fn named(kernel: &Kernel, ending: &str) -> Kernel {
    let mut named = kernel.clone();
    named.name = format!("{}{ending}", kernel.name).into();
    named.marks.threads = false;
    named
}

/// Puts two parameters before all others.
fn add_bounds(kernel: &mut Kernel) -> [Value; 2] {
    for param in &kernel.params {
        if let Def::Param(number) = &mut kernel.values[param.value].def {
            *number += 2;
        }
    }
    let bounds = [("begin", 0), ("end", 1)].map(|(name, number)| {
        let name = free_name(kernel, name);
        kernel.add_value(Type::scalar(Elem::I64), Def::Param(number), Some(name))
    });
    kernel.params.splice(0..0, bounds.map(|value| Param { value, sizes: Vec::new() }));
    bounds
}

/// A name that no parameter has.
fn free_name(kernel: &Kernel, name: &str) -> Name {
    let is_taken =
        |name: &str| kernel.params.iter().any(|param| kernel.values[param.value].name.as_deref() == Some(name));
    let mut name = name.to_owned();
    while is_taken(&name) {
        name.push('_');
    }
    name.into()
}

/// Writes ops in front of a loop.
fn before(kernel: &mut Kernel, op: Op, write: impl FnOnce(&mut Range)) {
    let mut builder = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
    builder.set_origin(builder.kernel().ops[op].origin);
    let mut range = Range::of(builder, op);
    write(&mut range);
    let (written, region) = range.b.detach();
    *kernel = written;
    let written = std::mem::take(&mut kernel.regions[region].ops);
    let body = &mut kernel.regions[kernel.body].ops;
    let at = body.iter().position(|&other| other == op).expect("the body lists the loop");
    body.splice(at..at, written);
}

/// The outermost range of a loop, and its iterations in 64 bits.
struct Range {
    b: Builder,
    elem: Elem,
    start: Value,
    stop: Value,
    step: i64,
    /// The start, in 64 bits.
    first: Value,
    /// The stop, in 64 bits.
    last: Value,
    /// The number of iterations.
    count: Value,
}

impl Range {
    fn of(mut b: Builder, op: Op) -> Range {
        let kernel = b.kernel();
        let (start, stop) = (kernel.ops[op].operands[0], kernel.ops[op].operands[1]);
        let step = step(kernel, op).expect("a loop of parts has a known step");
        let elem = kernel.ty(start).data_elem().unwrap_or(Elem::I64);
        let [first, last] = [start, stop].map(|value| b.op(Code::Index, &[value]));
        let [zero, size, round] = [0, step.abs(), step.abs() - 1].map(|number| b.constant(Scalar::I64(number)));
        let (low, high) = if step > 0 { (first, last) } else { (last, first) };
        let distance = b.op(Code::WrappingSub, &[high, low]);
        let mut count = distance;
        if step.abs() > 1 {
            let rounded = b.op(Code::WrappingAdd, &[distance, round]);
            count = b.op(Code::FloorDiv, &[rounded, size]);
        }
        let count = b.op(Code::Max, &[count, zero]);
        Range { b, elem, start, stop, step, first, last, count }
    }

    /// The index of an iteration; of the one behind the last where there is none of that number.
    fn begin_of(&mut self, iteration: Value) -> Value {
        let zero = self.b.constant(Scalar::I64(0));
        let some = self.b.op(Code::Max, &[iteration, zero]);
        let mut way = self.b.op(Code::Min, &[some, self.count]);
        if self.step != 1 {
            let step = self.b.constant(Scalar::I64(self.step));
            way = self.b.op(Code::WrappingMul, &[way, step]);
        }
        let index = self.b.op(Code::WrappingAdd, &[self.first, way]);
        // The index behind the last iteration may be wider than the loop's own type.
        let index = self.b.op(if self.step > 0 { Code::Min } else { Code::Max }, &[index, self.last]);
        match self.elem {
            Elem::I64 => index,
            elem => self.b.op_with(Code::Cast, Attr::Elem(elem), &[index]),
        }
    }

    /// An index that lies within the range, so that facts about the whole range hold in each part: not before its start (`Max`), not
    /// behind its end (`Min`).
    fn within(&mut self, index: Value, bound: Value, side: Code) -> Value {
        let side = match (self.step > 0, side) {
            (true, side) => side,
            (false, Code::Max) => Code::Min,
            (false, _) => Code::Max,
        };
        self.b.op(side, &[index, bound])
    }
}
