//! Legalisation: ops inside of lanes that run together get a vector form where they have none.
//!
//! A `foreach` whose lanes learn of each other is always vectorised, so every op in it needs a vector form:
//!
//! ```text
//! foreach j in range(m):                  for j in range(m):
//!     a[i, j] = x                             a[i, j] = x
//!
//! s = for j in range(m) reducing +:       let partials = temp(64)
//!     yield a[i, j]                       … each -0.0
//!                                         for j in range(m) with k = 0:
//!                                             partials[k & 63] = (partials[k & 63] + a[i, j])
//!                                             yield (k +% 1)
//!                                         … partials joined by halves
//!
//! compress_store(row(a, i), at, x)        row(a, i)[index(at) + scan_add(1)] = x
//! ```
//!
//! Iterations of an inner `foreach` are independent, so any order of them is allowed, and each lane takes them in the order
//! in which they come. The partial results of each lane lie in an array, of which each lane has its own; a sum of few iterations
//! is written out, in the order that its partial results are joined in. Where lanes cannot be proven to pack cells into the same row, each
//! lane counts those before it.

use super::Context;
use crate::decision::Decision;
use crate::unroll;
use facts::Facts;
use ir::builder::Builder;
use ir::codes::ReasonCode;
use ir::copy;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Control, Kernel, Marks, OpData, Values};
use ir::scalar::{Fold, Scalar};

/// Gives a vector form to the ops inside of lanes that run together; says whether there was any without one.
pub fn legalise(kernel: &mut Kernel, context: &mut Context) -> bool {
    let mut changed = false;
    // An op inside of one that is rewritten is found again in the result of the rewrite.
    while let Some((op, form)) = if kernel.lanes.is_none() { first(kernel, context) } else { None } {
        context.decide(Decision::taken(kernel.ops[op].origin, form.code(), vec![form.because().into()]));
        let region = context.forest(kernel).region_of(op);
        rewrite(kernel, region, op, form);
        context.forget();
        changed = true;
    }
    changed
}

/// The kinds of ops that have no vector form.
#[derive(Clone, Copy)]
enum Form {
    /// A `foreach` inside of the lanes.
    Foreach,
    /// A loop that joins each lane's own values in a fixed order.
    Reduction,
    /// Cells that are packed into what may be another row in each lane.
    Packed,
}

impl Form {
    /// The reason that would stand against lanes.
    fn code(self) -> ReasonCode {
        match self {
            Form::Foreach => ReasonCode::NestedForeach,
            Form::Reduction => ReasonCode::ReductionInLanes,
            Form::Packed => ReasonCode::PackedInRows,
        }
    }

    fn because(self) -> &'static str {
        match self {
            Form::Foreach => "each lane goes through all iterations of the inner loop",
            Form::Reduction => OWN_PARTIALS,
            Form::Packed => "each lane counts the lanes before it",
        }
    }
}

/// What a sum in the fixed order is in lanes that run along another loop.
pub(super) const OWN_PARTIALS: &str = "each lane has partial results of its own";

/// The most ops that a sum of few iterations is written out to.
const MOST_WRITTEN_OUT: usize = 512;

/// Returns the first op inside of lanes that run together that has no vector form yet.
fn first(kernel: &Kernel, context: &mut Context) -> Option<(Op, Form)> {
    let forest = context.forest(kernel);
    let together = forest.loops().iter().filter(|&&op| kernel.lanes_of_foreach(op).is_some());
    let mut inside: Vec<Op> = together.flat_map(|&op| forest.inside(op)).copied().collect();
    if let Some(&op) = inside.iter().find(|&&op| kernel.ops[op].code == Code::Foreach) {
        return Some((op, Form::Foreach));
    }
    inside.retain(|&op| is_reduction(kernel, op) || is_packed(kernel, op));
    if inside.is_empty() {
        return None;
    }
    let facts = facts::facts_of_values(kernel, &context.choice(kernel).loops);
    inside.into_iter().find_map(|op| match is_packed(kernel, op) {
        true => varies(&facts, &kernel.ops[op].operands[..1]).then_some((op, Form::Packed)),
        false => varies(&facts, &kernel.ops[op].results).then_some((op, Form::Reduction)),
    })
}

fn is_reduction(kernel: &Kernel, op: Op) -> bool {
    kernel.control(op).is_some_and(|control| !control.reductions.is_empty())
}

fn is_packed(kernel: &Kernel, op: Op) -> bool {
    matches!(kernel.ops[op].code, Code::CompressStore | Code::ExpandLoad)
}

fn varies(facts: &Facts, values: &[Value]) -> bool {
    values.iter().any(|&value| !facts.shape(value).is_uniform())
}

/// Gives a loop that joins something in the fixed order a form in which lanes along a loop around it do so as well, each for itself.
pub(super) fn reduce_in_each_lane(kernel: &mut Kernel, home: Region, op: Op) {
    rewrite(kernel, home, op, Form::Reduction);
}

/// The index in each iteration of a loop that joins something, if there are so few that it is written out: no partial result
/// is joined twice.
fn few_rounds(kernel: &Kernel, op: Op) -> Option<Vec<Scalar>> {
    let data = &kernel.ops[op];
    let folds = &kernel.control(op)?.reductions;
    let first = data.results.len() - folds.len();
    let elems = data.results[first..].iter().map(|&result| kernel.ty(result).data_elem());
    let fewest = folds.iter().zip(elems).map(|(fold, elem)| fold.partials(elem?)).min()??;
    let n_ops = kernel.count_inside(op);
    let rounds = unroll::known_rounds(kernel, op)?;
    (rounds.len() <= fewest && rounds.len() * n_ops <= MOST_WRITTEN_OUT).then_some(rounds)
}

/// Puts what an op becomes in its place.
fn rewrite(kernel: &mut Kernel, home: Region, op: Op, form: Form) {
    let mut new = EntityVec::filled(kernel.values.len(), None);
    let data = kernel.ops[op].clone();
    let rounds = if let Form::Reduction = form { few_rounds(kernel, op) } else { None };
    let mut writer = Writer { b: Builder::detached(std::mem::replace(kernel, Kernel::new(""))) };
    writer.b.set_origin(data.origin);
    let results = match form {
        Form::Foreach => writer.loops(op, &data),
        Form::Reduction => match rounds {
            Some(rounds) => writer.written_out(&data, &rounds),
            None => writer.reduction(&data),
        },
        Form::Packed => writer.packed(&data),
    };
    let (rewritten, region) = writer.b.detach();
    *kernel = rewritten;
    for (&old, result) in data.results.iter().zip(results) {
        super::replace(kernel, &mut new, old, result);
    }
    let made = std::mem::take(&mut kernel.regions[region].ops);
    let ops = &mut kernel.regions[home].ops;
    let place = ops.iter().position(|&other| other == op).expect("the block lists the op");
    ops.splice(place..=place, made);
    kernel.replace_uses(&new);
}

struct Writer {
    b: Builder,
}

impl Writer {
    fn kernel(&self) -> &Kernel {
        self.b.kernel()
    }

    fn name_of(&self, value: Value, otherwise: &str) -> String {
        self.kernel().values[value].name.as_deref().unwrap_or(otherwise).to_owned()
    }

    /// A loop over each range, one inside of the other.
    fn loops(&mut self, op: Op, data: &OpData) -> Values {
        let region = data.regions[0];
        let args = self.kernel().regions[region].args.clone();
        let mut copied = copy::Copied::default();
        let n_ranges = self.kernel().n_ranges(op);
        // Only a loop over one range carries or joins something.
        let (ranges, starts) = data.operands.split_at(3 * n_ranges);
        let names: Vec<String> = args[n_ranges..].iter().map(|&arg| self.name_of(arg, "carried")).collect();
        let (carried, joined) = starts.split_at(names.len());
        let carried: Vec<_> = names.iter().map(String::as_str).zip(carried.iter().copied()).collect();
        let folds = data.attr.as_control().map(|control| control.reductions.clone()).unwrap_or_default();
        let joined: Vec<_> = folds.into_iter().zip(joined.iter().copied()).collect();
        for (range, &arg) in ranges.chunks(3).zip(&args) {
            let name = self.name_of(arg, "i");
            let range = [range[0], range[1], range[2]];
            let opened = self.b.open_loop(Code::For, Control::default(), &name, range, &carried, &joined);
            copied.insert(arg, opened[0]);
            copied.extend(args[n_ranges..].iter().copied().zip(opened[1..].iter().copied()));
        }
        if let Some(marks) = self.kernel().control(op).map(|control| control.marks.clone()) {
            // Each lane goes through all iterations by itself.
            *self.b.marks() = Marks { tiled: false, ..marks };
        }
        let mut results = self.b.copy_block(region, &mut copied);
        for _ in 0..n_ranges {
            results = self.b.close(&results);
        }
        results
    }

    /// The loop with its partial results in arrays, and what they give.
    fn reduction(&mut self, data: &OpData) -> Values {
        let region = data.regions[0];
        let args = self.kernel().regions[region].args.clone();
        let control = data.attr.as_control().cloned().unwrap_or_default();
        let n_carried = args.len() - 1;
        let (carried, joined) = data.operands[3..].split_at(n_carried);
        let partials: Vec<Option<Partials>> =
            control.reductions.iter().zip(joined).map(|(&fold, &init)| self.partials(fold, init)).collect();
        let number = self.b.constant(Scalar::U32(0));
        let mut starts = vec![("number".to_owned(), number)];
        starts.extend(args[1..].iter().zip(carried).map(|(&arg, &init)| (self.name_of(arg, "carried"), init)));
        // A reduction without a fixed order is carried as one value.
        let plain = partials.iter().zip(joined).filter(|(partials, _)| partials.is_none());
        starts.extend(plain.map(|(_, &init)| ("total".to_owned(), init)));
        let named: Vec<(&str, Value)> = starts.iter().map(|(name, init)| (name.as_str(), *init)).collect();
        let index = self.name_of(args[0], "i");
        let range = [data.operands[0], data.operands[1], data.operands[2]];
        let opened = self.b.open_for(&index, range, &named);
        if let Some(own) = self.b.control_mut() {
            *own = Control { reductions: Vec::new(), ..control.clone() };
        }
        let mut copied = copy::Copied::default();
        copied.insert(args[0], opened[0]);
        copied.extend(args[1..].iter().copied().zip(opened[2..].iter().copied()));
        let yields = self.b.copy_block(region, &mut copied);
        let one = self.b.constant(Scalar::U32(1));
        let mut next: Values = std::iter::once(self.b.op(Code::WrappingAdd, &[opened[1], one])).collect();
        next.extend_from_slice(&yields[..n_carried]);
        let mut totals = opened[2 + n_carried..].iter();
        for ((partials, &fold), &value) in partials.iter().zip(&control.reductions).zip(&yields[n_carried..]) {
            match (partials, totals.as_slice().first()) {
                (Some(partials), _) => {
                    let last = self.b.constant(Scalar::U32(partials.count - 1));
                    let place = self.b.op(Code::And, &[opened[1], last]);
                    self.join_cell(partials, place, |_| value);
                }
                (None, Some(&total)) => {
                    totals.next();
                    next.push(self.b.op(code_of(fold), &[total, value]));
                }
                (None, None) => unreachable!("each reduction without partial results is carried"),
            }
        }
        let ends = self.b.close(&next);
        let mut results: Values = ends[1..=n_carried].into();
        let mut totals = ends[1 + n_carried..].iter();
        for (partials, &init) in partials.iter().zip(joined) {
            results.extend(match partials {
                Some(partials) => Some(self.total(partials, init)),
                None => totals.next().copied(),
            });
        }
        results
    }

    /// The iterations of a loop one after the other, each element of which is a partial result, and these joined by halves. A partial result
    /// without an element is left out: joining it would change nothing.
    fn written_out(&mut self, data: &OpData, rounds: &[Scalar]) -> Values {
        let region = data.regions[0];
        let args = self.kernel().regions[region].args.clone();
        let control = data.attr.as_control().cloned().unwrap_or_default();
        let (carried, joined) = data.operands[3..].split_at(args.len() - 1);
        let mut handed_on: Values = carried.into();
        let mut elements: Vec<Vec<Value>> = vec![Vec::new(); joined.len()];
        for &index in rounds {
            let mut copied = copy::Copied::default();
            let index = self.b.constant(index);
            copied.insert(args[0], index);
            copied.extend(args[1..].iter().copied().zip(handed_on));
            let yields = self.b.copy_block(region, &mut copied);
            for (elements, &element) in elements.iter_mut().zip(&yields[carried.len()..]) {
                elements.push(element);
            }
            handed_on = yields[..carried.len()].into();
        }
        let mut results = handed_on;
        for ((mut partials, fold), &init) in elements.into_iter().zip(control.reductions).zip(joined) {
            // Halves that are longer than this have no element in the upper one.
            let mut half = partials.len().next_power_of_two() / 2;
            while half > 0 {
                let upper = partials.split_off(half.min(partials.len()));
                for (lower, upper) in partials.iter_mut().zip(upper) {
                    *lower = self.b.op(code_of(fold), &[*lower, upper]);
                }
                half /= 2;
            }
            let total = partials.first().map(|&all| self.b.op(code_of(fold), &[init, all]));
            results.push(total.unwrap_or(init));
        }
        results
    }

    /// An array of as many partial results as the fixed order has, each of which changes nothing.
    fn partials(&mut self, fold: Fold, init: Value) -> Option<Partials> {
        let elem = self.kernel().ty(init).data_elem()?;
        let count = u32::try_from(fold.partials(elem)?).ok()?;
        let size = self.b.constant(Scalar::U32(count));
        let array = self.b.op_with(Code::Temp, Attr::Elem(elem), &[size]);
        self.b.name(array, "partials");
        let identity = self.b.constant(fold.identity(elem));
        let place = self.open_places(size);
        self.b.push(Code::Store, Attr::None, &[array, place, identity]);
        self.b.close(&[]);
        Some(Partials { array, count, fold })
    }

    /// Opens a loop over the first places of an array.
    fn open_places(&mut self, count: Value) -> Value {
        let [zero, one] = [0, 1].map(|number| self.b.constant(Scalar::U32(number)));
        self.b.open_for("place", [zero, count, one], &[])[0]
    }

    /// Joins something to a partial result.
    fn join_cell(&mut self, partials: &Partials, place: Value, value: impl FnOnce(&mut Self) -> Value) {
        let old = self.b.op(Code::Load, &[partials.array, place]);
        let value = value(self);
        let new = self.b.op(code_of(partials.fold), &[old, value]);
        self.b.push(Code::Store, Attr::None, &[partials.array, place, new]);
    }

    /// All partial results joined by halves, and joined to what the loop started from.
    fn total(&mut self, partials: &Partials, init: Value) -> Value {
        let mut half = partials.count / 2;
        while half > 0 {
            let count = self.b.constant(Scalar::U32(half));
            let place = self.open_places(count);
            self.join_cell(partials, place, |writer| {
                let other = writer.b.op(Code::Add, &[place, count]);
                writer.b.op(Code::Load, &[partials.array, other])
            });
            self.b.close(&[]);
            half /= 2;
        }
        let zero = self.b.constant(Scalar::U32(0));
        let all = self.b.op(Code::Load, &[partials.array, zero]);
        self.b.op(code_of(partials.fold), &[init, all])
    }

    /// A load or store of each lane's own cell, behind those of the active lanes before it.
    fn packed(&mut self, data: &OpData) -> Values {
        let rank = usize::from(self.kernel().ty(data.operands[0]).rank());
        let one = self.b.constant(Scalar::I64(1));
        let before = self.b.op(Code::ScanAdd, &[one]);
        let mut operands: Values = data.operands.clone();
        let start = self.b.op(Code::Index, &[operands[rank]]);
        operands[rank] = self.b.op(Code::Add, &[start, before]);
        if data.code == Code::CompressStore {
            self.b.push(Code::Store, Attr::None, &operands);
            return Values::new();
        }
        std::iter::once(self.b.op(Code::Load, &operands)).collect()
    }
}

/// The partial results of a reduction.
struct Partials {
    array: Value,
    count: u32,
    fold: Fold,
}

/// The op that joins two elements.
pub(crate) fn code_of(fold: Fold) -> Code {
    match fold {
        Fold::Add => Code::Add,
        Fold::Mul => Code::Mul,
        Fold::Min => Code::Min,
        Fold::Max => Code::Max,
        Fold::And => Code::And,
        Fold::Or => Code::Or,
        Fold::Xor => Code::Xor,
    }
}
