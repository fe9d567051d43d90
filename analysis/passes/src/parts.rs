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
//!
//! A kernel that gives a result is divided by blocks of iterations, each of which stores what it has come to; a third kernel joins that.

mod join;
mod regroup;

use facts::loops::Loops;
use ir::Effect;
use ir::builder::Builder;
use ir::effects::Effects;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, DimSize, Kernel, Name, Param};
use ir::scalar::{Fold, Scalar};
use ir::types::{Elem, Type};
use rustc_hash::FxHashSet;

use crate::dce::dce;

/// The end of the name of the kernel that runs a part.
pub const PART: &str = "_part";

/// The end of the name of the kernel that counts the iterations.
pub const ITERATIONS: &str = "_iterations";

/// The end of the name of the kernel that joins what parts have come to.
pub const JOIN: &str = "_join";

/// A loop whose iterations threads may divide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DividedLoop {
    /// The loop.
    pub op: Op,
    /// The blocks by which it is divided, if the kernel gives a result.
    pub blocks: Option<IterationBlocks>,
}

/// The blocks of iterations that each store what they have come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IterationBlocks {
    /// The number of iterations of each but the last.
    pub size: i64,
    /// What each of them stores, in the order of the loop's results.
    pub partials: Vec<PartialResult>,
    /// The ops of sums and products of integers, which wrap in a block.
    wraps: Vec<Op>,
}

impl IterationBlocks {
    /// Says whether results that are joined have the bits that the kernel gives in one piece: sums and products of floats have others, since
    /// each addition rounds.
    pub fn are_exact(&self) -> bool {
        let is_sum = |partial: &PartialResult| matches!(partial.by, JoinedBy::Fold(Fold::Add | Fold::Mul));
        !self.partials.iter().any(|partial| is_sum(partial) && partial.identity.elem().is_float())
    }
}

/// A value that each block of iterations computes a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartialResult {
    /// The number of the loop's result.
    pub number: usize,
    /// The join of what was joined so far and a block's.
    by: JoinedBy,
    /// The start of each block.
    pub identity: Scalar,
}

/// The way in which two partial results are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JoinedBy {
    /// By an operator.
    Fold(Fold),
    /// The latter one is taken if this comparison of it with the former holds.
    Choice(Code),
}

/// The reason why partial results of a value cannot be joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotJoined {
    /// A sum or product of floats in the order of the iterations.
    FloatSum,
    /// The least or greatest float, in a form that takes a NaN for it and forgets what came before.
    ForgetsAtNan,
    /// What is joined to a truth value is computed only as long as that does not decide.
    Late,
    /// Iterations use the value otherwise, or make another one of it than a reduction would.
    InOrder,
}

/// The reason why a kernel has no parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoParts {
    /// No loop stores to an array that is given to the kernel, or finds something of its result.
    NoLoop,
    /// Two loops find something of the result.
    Several(Op, Op),
    /// The loop of a kernel with a result hands on a value, by its number, that blocks of iterations cannot join.
    NotJoined(Op, usize, NotJoined),
    /// This op behind the loop reads an array that the loop has filled, and that each part has its own of.
    ReadBehind(Op, Value),
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
pub fn loop_of_parts(kernel: &Kernel, found: &Loops) -> Result<DividedLoop, NoParts> {
    let effects = Effects::of(kernel);
    let is_param = |array: Value| matches!(kernel.values[array].def, Def::Param(_));
    let op = outermost(kernel, &effects)?;
    if !matches!(kernel.ops[op].code, Code::For | Code::Foreach) {
        return Err(NoParts::NotCounted(op));
    }
    let stores = |op: &Op| effects.touched(kernel, *op).iter().any(|&(array, writes)| writes && is_param(array));
    let beside = kernel.regions[kernel.body].ops.iter().copied().find(|other| *other != op && stores(other));
    if let Some(other) = beside {
        return Err(NoParts::Beside(other));
    }
    if step(kernel, op).is_none() {
        return Err(NoParts::Step(op));
    }
    if kernel.lanes_of_foreach(op).is_some() {
        return Err(NoParts::Groups(op));
    }
    if kernel.result.is_none() && !kernel.ops[op].results.is_empty() {
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
    if kernel.result.is_none() {
        return Ok(DividedLoop { op, blocks: None });
    }
    let behind = kernel.regions[kernel.body].ops.iter().copied().skip_while(|&other| other != op).skip(1);
    for other in behind {
        let fills = |array: Value| own.iter().any(|&written| !is_param(written) && kernel.may_overlap(array, written));
        if let Some(&(array, _)) = effects.touched(kernel, other).iter().find(|(array, _)| fills(*array)) {
            return Err(NoParts::ReadBehind(other, array));
        }
    }
    let blocks = regroup::blocks(kernel, found, op).map_err(|(number, why)| NoParts::NotJoined(op, number, why))?;
    Ok(DividedLoop { op, blocks: Some(blocks) })
}

/// The op that stores to arrays that are given to the kernel; if none does, the loop that the result comes from.
fn outermost(kernel: &Kernel, effects: &Effects) -> Result<Op, NoParts> {
    let is_param = |array: Value| matches!(kernel.values[array].def, Def::Param(_));
    let stores = |op: &Op| effects.touched(kernel, *op).iter().any(|&(array, writes)| writes && is_param(array));
    let ops = || kernel.regions[kernel.body].ops.iter().copied();
    if let Some(op) = ops().find(stores) {
        return Ok(op);
    }
    let finds = |op: &Op| {
        let mut has_loop = ir::forest::is_loop(kernel.ops[*op].code);
        kernel.walk_inside(*op, &mut |inner| has_loop |= ir::forest::is_loop(kernel.ops[inner].code));
        has_loop && !kernel.ops[*op].results.is_empty()
    };
    let mut finding = ops().filter(|op| kernel.result.is_some() && finds(op));
    let op = finding.next().ok_or(NoParts::NoLoop)?;
    finding.next().map_or(Ok(op), |other| Err(NoParts::Several(op, other)))
}

/// The constant step of a loop's outermost range.
fn step(kernel: &Kernel, op: Op) -> Option<i64> {
    let step = kernel.as_const(kernel.ops[op].operands[2])?.wide()?;
    i64::try_from(step).ok().filter(|&step| step != 0 && step != i64::MIN)
}

/// The kernel that runs the iterations, or blocks of them, from `begin` to `end - 1` of the [loop](loop_of_parts) of a kernel, which are
/// numbered from 0; there may be fewer.
pub fn part(kernel: &Kernel, divided: &DividedLoop) -> Kernel {
    let op = divided.op;
    if let Some(blocks) = &divided.blocks {
        return join::part(kernel, op, blocks);
    }
    let mut part = named(kernel, PART);
    let bounds = add_bounds(&mut part);
    before(&mut part, op, |ranges| {
        let range = ranges.of_iterations(bounds);
        ranges.b.kernel_mut().ops[op].operands[..2].copy_from_slice(&range);
    });
    part
}

/// The kernel that joins what the [parts](part) of a kernel with a result have stored, and gives that result; and the numbers of the
/// parameters that it has of that kernel's, behind the arrays of partial results. `None` for a kernel without a result.
pub fn join(kernel: &Kernel, divided: &DividedLoop) -> Option<(Kernel, Vec<usize>)> {
    divided.blocks.as_ref().map(|blocks| join::join(kernel, divided.op, blocks))
}

/// The kernel that counts the iterations, or blocks of them, of the [loop](loop_of_parts) of a kernel, and the numbers of the parameters
/// that it has of that kernel's: all scalars, and the arrays that it needs for the count.
pub fn iterations(kernel: &Kernel, divided: &DividedLoop) -> (Kernel, Vec<usize>) {
    let op = divided.op;
    let mut counting = named(kernel, ITERATIONS);
    let mut count = None;
    before(&mut counting, op, |ranges| count = Some(ranges.divided(divided.blocks.as_ref())));
    let body = counting.body;
    let is_checked = |op: Op| matches!(counting.ops[op].code, Code::Assert | Code::AssertSize | Code::AssertSome);
    // Parts check what has to hold, so this has no other answer than the count. What stands behind the loop has no share in it.
    let ops = counting.regions[body].ops.iter().copied();
    let kept = ops.take_while(|&other| other != op).filter(|&other| !is_checked(other)).collect();
    counting.regions[body].ops = kept;
    counting.regions[body].yields = count.into_iter().collect();
    counting.result = Some(Elem::I64);
    dce(&mut counting);
    let kept = only_needed(&mut counting, &[]);
    (counting, kept)
}

/// Drops the array parameters that a kernel does not need, but for some; gives the numbers of those that stay.
fn only_needed(kernel: &mut Kernel, needed: &[Value]) -> Vec<usize> {
    let mut used: FxHashSet<Value> = needed.iter().copied().collect();
    kernel.walk(kernel.body, &mut |_, op| used.extend(&kernel.ops[op].operands));
    let is_kept = |param: &Param| !kernel.ty(param.value).is_view() || used.contains(&param.value);
    let kept: Vec<usize> = (0..kernel.params.len()).filter(|&number| is_kept(&kernel.params[number])).collect();
    kernel.params = kept.iter().map(|&number| kernel.params[number].clone()).collect();
    for (number, param) in kernel.params.iter().enumerate() {
        kernel.values[param.value].def = Def::Param(number as u32);
    }
    kernel.marks.alias.retain(|(a, b)| used.contains(a) && used.contains(b));
    kept
}

fn named(kernel: &Kernel, ending: &str) -> Kernel {
    let mut named = kernel.clone();
    named.name = format!("{}{ending}", kernel.name).into();
    named.marks.threads = false;
    named
}

/// Puts the ends of a part before all parameters.
fn add_bounds(kernel: &mut Kernel) -> [Value; 2] {
    let bounds = ["begin", "end"].map(|name| (name.into(), Type::scalar(Elem::I64), Vec::new()));
    let bounds = add_params(kernel, bounds.into());
    [bounds[0], bounds[1]]
}

/// Puts parameters before all others, with these names, types and sizes.
fn add_params(kernel: &mut Kernel, added: Vec<(Name, Type, Vec<DimSize>)>) -> Vec<Value> {
    for param in &kernel.params {
        if let Def::Param(number) = &mut kernel.values[param.value].def {
            *number += added.len() as u32;
        }
    }
    let mut values = Vec::new();
    for (number, (name, ty, sizes)) in added.into_iter().enumerate() {
        let name = free_name(kernel, &name);
        let value = kernel.add_value(ty, Def::Param(number as u32), Some(name));
        kernel.params.insert(number, Param { value, sizes });
        values.push(value);
    }
    values
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

    /// The range of the iterations from the first of two numbers to the one before the second, as far as there are such.
    fn of_iterations(&mut self, [begin, end]: [Value; 2]) -> [Value; 2] {
        let (low, high) = (self.begin_of(begin), self.begin_of(end));
        [self.within(low, self.start, Code::Max), self.within(high, self.stop, Code::Min)]
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

#[cfg(test)]
mod tests;
