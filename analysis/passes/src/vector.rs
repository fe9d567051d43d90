//! Vectorisation: a loop whose iterations may run together becomes a `vector_for`. Varying values become vectors, and
//! all loads and stores are under the mask of the active lanes.
//!
//! Uniform values stay scalar. Uniform control flow stays as it is; where lanes diverge, both sides are computed under
//! masks and their results are chosen lane by lane (`control`). Loads and stores become masked ones where neighbouring
//! lanes touch neighbouring cells, and gathers and scatters elsewhere; a later stage finds better forms for those
//! (`memory`).
//!
//! Carried values take the form that is known for them (`carried`, `scans`, `scanned`, `running`, `held`, `fallback`, `turns`).
//!
//! Vector arithmetic never stops the program, and an inactive lane touches nothing. Scalar ops do stop it, so they run
//! only where at least one lane is active: a side that no lane takes is branched around if a scalar op in it may fail,
//! or if it costs more than the branch (`skip`).

mod carried;
mod control;
mod eligible;
mod fallback;
mod held;
mod memory;
mod running;
mod scanned;
mod scans;
mod skip;
#[cfg(test)]
mod tests;
mod turns;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::choice;
use super::verdicts::clear;
use crate::{Context, checks};
use facts::loops::{Carried, Held, LaneForm, Turns};
use facts::{Facts, Form};
use ir::builder::Builder;
use ir::entities::{Entity, EntityVec, Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::{Code, Sharing};
use ir::program::{Attr, Kernel, Marks, Values};
use ir::scalar::Scalar;
use ir::target::Masks;
use ir::types::{Elem, Type};
use ir::typing;
use ir::typing::OperandRole;
use ir::uses::Uses;

pub(crate) use eligible::refusals;
pub use eligible::{Refusal, refusal};

/// Gives lanes to the loops that may run as lanes; says whether there are any.
pub fn vector(kernel: &mut Kernel, context: &mut Context) -> bool {
    // Facts are about kernels in which nothing is vectorised yet.
    if kernel.lanes.is_some() {
        return false;
    }
    let verdicts = context.loops(kernel);
    let choice = context.choice(kernel);
    let facts = context.facts(kernel);
    let taken = taken(kernel, context);
    let in_lanes: FxHashSet<Op> = taken.iter().map(|(op, _)| *op).collect();
    for (op, percent) in choice::too_dear(&verdicts.forest, &choice, |op| in_lanes.contains(&op)) {
        context.outcomes.stays_for_cost(kernel, op, percent);
    }
    let Some(&(_, lanes)) = taken.first() else { return false };
    choice::record(kernel, &verdicts.forest, &choice, context);
    kernel.lanes = Some(lanes);
    let uses = context.uses(kernel);
    let mut new = EntityVec::filled(kernel.values.len(), None);
    // No loop that is taken stands in another one, so all keep their places until it is their turn.
    let forest = &verdicts.forest;
    for (op, lanes) in taken {
        let (region, body) = (forest.region_of(op), kernel.ops[op].regions[0]);
        clear(kernel, op);
        // Sizes of which each lane has its own are compared in lanes.
        kernel.walk_inside(op, &mut |inner| {
            let data = &kernel.ops[inner];
            let differ = data.operands.iter().any(|&size| !facts.shape(size).is_uniform());
            if data.code == Code::AssertSize && differ {
                context.decide(checks::assumed(kernel, inner));
            }
        });
        let known = verdicts.of(op);
        let carried = known.map_or(&[][..], |known| &known.carried);
        let chain = known.and_then(|known| known.turns.clone());
        let width = Width { lanes, masks: context.options.target.masks };
        let mut skipped = skip::sides(kernel, &facts, carried, op, lanes, context);
        skip::needing_a_lane(kernel, &facts, body, &mut skipped);
        let together = skip::Together::find(kernel, &facts, op);
        skipped.extend(together.sides);
        let branches = Branches { skipped, unmasked: together.unmasked };
        let (made, results) =
            Lowerer::run(kernel, &facts, (&uses, forest), (&unchanged(&facts, carried), chain), branches, op, width);
        kernel.ops[op].results.iter().zip(results).for_each(|(&old, result)| new[old] = Some(result));
        let ops = &mut kernel.regions[region].ops;
        let place = ops.iter().position(|&other| other == op).expect("the block lists the loop");
        ops.splice(place..=place, made);
    }
    // Facts are about values as they were, so results go over to others when no loop is left to look at.
    kernel.replace_uses(&new);
    record(kernel, context);
    true
}

/// The loops that may run as lanes and are to, with the number of their lanes, in order. None is inside of another.
pub(crate) fn taken(kernel: &Kernel, context: &mut Context) -> Vec<(Op, u16)> {
    let (verdicts, choice, facts) = (context.loops(kernel), context.choice(kernel), context.facts(kernel));
    let taken = choice.loops.iter().filter(|&&op| refusal(kernel, &facts, &verdicts, op).is_none());
    taken.map(|&op| (op, eligible::lanes(kernel, &facts, &verdicts, op, context.options))).collect()
}

/// Records which loops got lanes, and what is done in them.
fn record(kernel: &Kernel, context: &mut Context) {
    kernel.walk(kernel.body, &mut |_, op| {
        let data = &kernel.ops[op];
        let has_lanes = |&value: &Value| kernel.ty(value).lanes().is_some();
        if data.operands.iter().any(has_lanes) || data.results.iter().any(has_lanes) {
            context.outcomes.is_done_in_lanes(kernel, op);
        }
        if data.code == Code::VectorFor
            && let Some(lanes) = kernel.control(op).and_then(|control| control.width)
        {
            context.outcomes.got_lanes(kernel, op, lanes);
        }
    });
}

/// Carried values, where facts know better than the role: one that is the same in all iterations stays what it was before
/// the loop, however often nothing is added to it. Parts of it would be no such value. What groups and chains hand on stays whole.
fn unchanged(facts: &Facts, carried: &[Carried]) -> Vec<Carried> {
    let form = |value: &Carried| match !matches!(value.form, Some(LaneForm::Group | LaneForm::InTurn))
        && facts.shape(value.arg).is_uniform()
    {
        true => Some(LaneForm::Same),
        false => value.form,
    };
    carried.iter().map(|value| Carried { form: form(value), ..*value }).collect()
}

/// The lanes that a loop gets, and the form of masks on them.
#[derive(Clone, Copy)]
struct Width {
    lanes: u16,
    masks: Masks,
}

/// How branches are rebuilt at which lanes may part.
struct Branches {
    /// The sides that are branched around if no lane takes them.
    skipped: FxHashSet<Region>,
    /// The branches that are tested for all lanes taking one side.
    unmasked: FxHashSet<Op>,
}

/// Rebuilds one loop as a vector loop.
struct Lowerer<'f> {
    facts: &'f Facts,
    /// The users of the values of the kernel as it was.
    uses: &'f Uses,
    /// The loops of the kernel as it was.
    forest: &'f LoopForest,
    /// The values that the loop carries.
    carried: &'f [Carried],
    /// What lanes compute one after the other.
    chain: Option<Arc<Turns>>,
    /// The sides of branches that no lane may take and that a branch skips in that case: because they need an active lane to run, or
    /// cost too much to run for none.
    skipped: FxHashSet<Region>,
    /// The branches whose sides are computed without masks as well.
    unmasked: FxHashSet<Op>,
    b: Builder,
    lanes: u16,
    masks: Masks,
    /// The replacement of each value of the loop's body; a value from outside stands for itself.
    new: FxHashMap<Value, Value>,
    /// The mask of the active lanes.
    mask: Value,
    /// True if perhaps no lane is active, so that scalar ops must not stop the program.
    perhaps_none: bool,
    /// Ops whose integers wrap: the partial sums of lanes are other numbers than the program's and may overflow.
    wraps: FxHashSet<Op>,
    /// Ops that are not rebuilt at their place: they are not vectorised at all, or were before.
    left_out: FxHashSet<Op>,
    /// The conditions under which lanes are active, outermost first, and whether they hold or fail.
    under: Vec<(Value, bool)>,
    /// The counts of lanes for which a condition holds, each with that condition and the count before the group.
    packs: FxHashMap<Value, (Value, Value)>,
    /// The values that lanes make in a branch that they enter, by the branch's result, with its condition.
    entered: FxHashMap<Value, (Value, Value)>,
    /// Arrays in which each lane has cells of its own.
    own: FxHashSet<Value>,
    /// What a group hands on of the values that its lanes compute one after the other, once they have done so.
    turns: Option<FxHashMap<usize, Value>>,
    /// The choices of values that iterations replace under a condition, by the number of the value.
    held: Vec<(usize, Held)>,
    /// What a group hands on of those values, in all lanes.
    held_on: FxHashMap<usize, Value>,
    /// The values that a group hands on of those that its lanes have computed of each other, by their numbers.
    scanned_on: FxHashMap<usize, Value>,
    /// The parts of what runs on by blocks, by the value in front of the block as the loop carries it.
    blocks: FxHashMap<Value, Vec<Value>>,
    /// The number of tests for coherence around the present place.
    n_tests: usize,
}

impl<'f> Lowerer<'f> {
    /// The ops that stand for the loop, and the values that stand for its results.
    fn run(
        kernel: &mut Kernel,
        facts: &'f Facts,
        (uses, forest): (&'f Uses, &'f LoopForest),
        (carried, chain): (&'f [Carried], Option<Arc<Turns>>),
        branches: Branches,
        op: Op,
        width: Width,
    ) -> (Vec<Op>, Values) {
        let old = std::mem::replace(kernel, Kernel::new(""));
        let mut lowerer = Lowerer {
            facts,
            uses,
            forest,
            carried,
            chain,
            skipped: branches.skipped,
            unmasked: branches.unmasked,
            b: Builder::detached(old),
            lanes: width.lanes,
            masks: width.masks,
            new: FxHashMap::default(),
            mask: Value::new(0),
            perhaps_none: false,
            wraps: FxHashSet::default(),
            left_out: FxHashSet::default(),
            under: Vec::new(),
            packs: FxHashMap::default(),
            entered: FxHashMap::default(),
            own: FxHashSet::default(),
            turns: None,
            held: Vec::new(),
            held_on: FxHashMap::default(),
            scanned_on: FxHashMap::default(),
            blocks: FxHashMap::default(),
            n_tests: 0,
        };
        let results = lowerer.lane_loop(op);
        let (new, region) = lowerer.b.detach();
        *kernel = new;
        (std::mem::take(&mut kernel.regions[region].ops), results)
    }

    fn kernel(&self) -> &Kernel {
        self.b.kernel()
    }

    /// Rebuilds the loop itself: of several indices the last one is vectorised, inside of scalar loops over the others.
    fn lane_loop(&mut self, op: Op) -> Values {
        let data = self.kernel().ops[op].clone();
        let region = data.regions[0];
        let args = self.kernel().regions[region].args.clone();
        let n_ranges = self.kernel().n_ranges(op);
        self.b.set_origin(data.origin);
        // A nest of several ranges carries values only if its lanes run together: those that each group hands on to the next.
        let mut starts: Values = data.operands[3 * n_ranges..].into();
        let names: Vec<String> = args[n_ranges..].iter().map(|&arg| self.name_of(arg)).collect();
        for n in 0..n_ranges - 1 {
            let name = self.name_of(args[n]);
            let range = [data.operands[3 * n], data.operands[3 * n + 1], data.operands[3 * n + 2]];
            let carried: Vec<_> = names.iter().map(String::as_str).zip(starts.iter().copied()).collect();
            let opened = self.b.open_for(&name, range, &carried);
            self.new.insert(args[n], opened[0]);
            starts = opened[1..].into();
        }
        let last = &data.operands[3 * (n_ranges - 1)..];
        let (lo, hi, step) = (last[0], last[1], last[2]);
        let (base, ways) = self.open_carrying(op, [lo, hi, step], &starts);
        self.find_held(op);
        if let (Some(control), Some(old)) = (self.b.control_mut(), data.attr.as_control()) {
            control.marks = Marks { in_turn: false, any_order: false, tiled: false, ..old.marks.clone() };
        }
        let index = self.b.op_with(Code::LaneIndex, Attr::Lanes(self.lanes), &[base, step]);
        let name = self.name_of(args[n_ranges - 1]);
        self.b.name(index, &name);
        self.new.insert(args[n_ranges - 1], index);
        self.mask = self.before_end(index, hi, step);
        self.b.name(self.mask, "active");
        self.start_carried(op, &ways);
        self.body(region, &ways);
        let mut results = self.close_carrying(op, &ways);
        for _ in 1..n_ranges {
            results = self.b.close(&results);
        }
        self.stand_for(&data.results, &results);
        results
    }

    /// The lanes whose index the range still has.
    fn before_end(&mut self, index: Value, hi: Value, step: Value) -> Value {
        match self.kernel().as_const(step).and_then(Scalar::wide) {
            Some(step) if step > 0 => self.b.op(Code::Lt, &[index, hi]),
            Some(_) => self.b.op(Code::Gt, &[index, hi]),
            None => {
                let upwards = self.is_upwards(step);
                let (below, above) = (self.b.op(Code::Lt, &[index, hi]), self.b.op(Code::Gt, &[index, hi]));
                self.b.op(Code::Select, &[upwards, below, above])
            }
        }
    }

    fn is_upwards(&mut self, step: Value) -> Value {
        let elem = self.elem(step);
        let zero = self.b.constant(Scalar::zero(elem));
        self.b.op(Code::Gt, &[step, zero])
    }

    fn elem(&self, value: Value) -> Elem {
        self.kernel().ty(value).data_elem().unwrap_or(Elem::Bool)
    }

    fn name_of(&self, value: Value) -> String {
        self.kernel().values[value].name.as_deref().unwrap_or("i").to_owned()
    }

    /// The replacement of a value.
    fn at(&self, old: Value) -> Value {
        self.new.get(&old).copied().unwrap_or(old)
    }

    fn is_in_lanes(&self, new: Value) -> bool {
        self.kernel().ty(new).lanes().is_some()
    }

    /// Returns a value as a vector; a scalar is splatted.
    fn in_lanes(&mut self, new: Value) -> Value {
        match self.is_in_lanes(new) {
            true => new,
            false => self.b.op_with(Code::Splat, Attr::Lanes(self.lanes), &[new]),
        }
    }

    /// The scalar of a value that is the same in all active lanes.
    fn scalar(&mut self, new: Value) -> Value {
        if !self.is_in_lanes(new) {
            return new;
        }
        let mut first = self.b.op(Code::FirstOn, &[self.mask]);
        let mut new = new;
        if self.perhaps_none {
            // Without an active lane any lane will do, if its element is defined.
            let nothing = self.b.constant(Scalar::zero(self.elem(new)));
            new = self.b.op(Code::Select, &[self.mask, new, nothing]);
            let last = self.b.constant(Scalar::I32(i32::from(self.lanes) - 1));
            first = self.b.op(Code::Min, &[first, last]);
        }
        self.b.op(Code::Extract, &[new, first])
    }

    /// A value that is known to be the same in all lanes, as a scalar.
    fn uniform(&mut self, old: Value) -> Value {
        let known = self.facts.values[old].exact_form().and_then(Form::as_constant);
        match (known, self.kernel().ty(old).data_elem()) {
            (Some(known), Some(elem)) if elem.is_integer() => self.b.constant(Scalar::wrap(elem, known)),
            (Some(known), Some(Elem::Bool)) => self.b.constant(Scalar::Bool(known != 0)),
            _ => {
                let new = self.at(old);
                self.scalar(new)
            }
        }
    }

    /// Returns the replacement of a value: a scalar if it is uniform, else a vector.
    fn as_it_varies(&mut self, old: Value) -> Value {
        match self.facts.shape(old).is_uniform() {
            true => self.uniform(old),
            false => {
                let new = self.at(old);
                self.in_lanes(new)
            }
        }
    }

    fn region(&mut self, region: Region) {
        for op in self.kernel().regions[region].ops.clone() {
            if !self.left_out.contains(&op) {
                self.one(op);
            }
        }
    }

    /// Rebuilds one op, with the origin of the old one.
    fn one(&mut self, op: Op) {
        let origin = self.kernel().ops[op].origin;
        let outer = self.b.set_origin(origin);
        self.op(op);
        self.hold(op);
        self.b.set_origin(outer);
    }

    fn op(&mut self, op: Op) {
        match self.kernel().ops[op].code {
            Code::If => self.branch(op),
            Code::While => self.while_loop(op),
            Code::For => self.inner_loop(op),
            Code::Load => self.load(op),
            Code::Store => self.store(op),
            Code::Assert => self.assert(op),
            Code::AssertSize => self.assert_size(op),
            Code::AssertSome => self.assert_some(op),
            Code::LaneId => self.lane_id(op),
            Code::Temp => self.temporary(op),
            code if code.asks_lanes() => self.asking(op),
            code if let Some(kind) = code.as_running() => self.running_part(op, kind),
            code if code.as_atomic().is_some() => self.atomic(op),
            Code::Prefetch => self.prefetch(op),
            _ => self.same(op),
        }
    }

    /// Rebuilds an op as the same one on vectors.
    fn same(&mut self, op: Op) {
        let data = self.kernel().ops[op].clone();
        let operands: Values = data.operands.iter().map(|&value| self.at(value)).collect();
        let alone = !operands.iter().any(|&value| self.is_in_lanes(value));
        let code = match wrapping(data.code) {
            // Overflow is an error only for an active lane; without one, the wrapped sum is as good.
            Some(code) if self.elem(data.results[0]).is_integer() => {
                let may_wrap = (self.perhaps_none && alone) || self.wraps.contains(&op);
                if may_wrap { code } else { data.code }
            }
            _ => data.code,
        };
        let made = self.b.push(code, data.attr, &operands);
        let results = self.kernel().ops[made].results.clone();
        self.stand_for(&data.results, &results);
    }

    /// Checks that sizes are the same in all active lanes.
    fn assert_size(&mut self, op: Op) {
        let operands = self.kernel().ops[op].operands.clone();
        let [a, b] = [self.at(operands[0]), self.at(operands[1])];
        if !self.is_in_lanes(a) && !self.is_in_lanes(b) {
            return self.same(op);
        }
        let [a, b] = [a, b].map(|size| self.b.op(Code::Index, &[size]));
        let differs = self.b.op(Code::Ne, &[a, b]);
        let differs = self.b.op(Code::And, &[self.mask, differs]);
        let holds = self.b.op(Code::None, &[differs]);
        self.b.push(Code::Assert, Attr::None, &[holds]);
    }

    /// Rebuilds a check that there is an element: in lanes, of all active ones at once.
    fn assert_some(&mut self, op: Op) {
        let size = self.at(self.kernel().ops[op].operands[0]);
        if !self.is_in_lanes(size) {
            return self.same(op);
        }
        let size = self.b.op(Code::Index, &[size]);
        let zero = self.b.constant(Scalar::I64(0));
        let misses = self.b.op(Code::Le, &[size, zero]);
        let misses = self.b.op(Code::And, &[self.mask, misses]);
        let holds = self.b.op(Code::None, &[misses]);
        self.b.push(Code::Assert, Attr::None, &[holds]);
    }

    /// Rebuilds the op that gives each lane its number.
    fn lane_id(&mut self, op: Op) {
        let result = self.kernel().ops[op].results[0];
        let lanes = self.b.op_with(Code::LaneId, Attr::Lanes(self.lanes), &[]);
        self.stand_for(&[result], &[lanes]);
    }

    /// Rebuilds an op that computes its result from several lanes: it asks the active ones.
    fn asking(&mut self, op: Op) {
        if self.kernel().ops[op].code == Code::FirstOf {
            return self.first_of(op);
        }
        let data = self.kernel().ops[op].clone();
        let types: Vec<Type> = data.operands.iter().map(|&value| self.kernel().ty(value)).collect();
        let roles = typing::roles(data.code, &types).expect("a verified op");
        let mut operands = Values::new();
        for (n, &value) in data.operands.iter().enumerate() {
            let new = self.at(value);
            operands.push(match roles[n] {
                OperandRole::Data(_, _, Sharing::Shared) | OperandRole::Stored(_) => self.in_lanes(new),
                // Lanes have to agree on where cells lie side by side.
                OperandRole::Index(_) => self.scalar(new),
                _ => new,
            });
        }
        operands.push(self.mask);
        let made = self.b.push(data.code, data.attr, &operands);
        let results = self.kernel().ops[made].results.clone();
        self.stand_for(&data.results, &results);
    }

    /// The value that all lanes have behind a block that some of them enter: what they made there, if there was one.
    fn first_of(&mut self, op: Op) {
        let data = self.kernel().ops[op].clone();
        let (x, y, condition) = (data.operands[0], data.operands[1], data.operands[2]);
        let new = self.at(x);
        if self.facts.shape(x).is_uniform() {
            let new = self.scalar(new);
            return self.stand_for(&data.results, &[new]);
        }
        let takes = self.at(condition);
        let takes = self.in_lanes(takes);
        let takes = self.b.op(Code::And, &[self.mask, takes]);
        let made = match self.entered.get(&x) {
            // A scalar that the branch makes when no lane enters it is not used: `some` is false then.
            Some(&(made, of)) if of == condition && !self.is_in_lanes(made) => made,
            _ => {
                let nothing = self.b.constant(Scalar::zero(self.elem(x)));
                let new = self.in_lanes(new);
                let safe = self.b.op(Code::Select, &[takes, new, nothing]);
                let first = self.b.op(Code::FirstOn, &[takes]);
                let last = self.b.constant(Scalar::I32(i32::from(self.lanes) - 1));
                let first = self.b.op(Code::Min, &[first, last]);
                self.b.op(Code::Extract, &[safe, first])
            }
        };
        let old = self.at(y);
        let old = self.scalar(old);
        let some = self.b.op(Code::Any, &[takes]);
        let new = self.b.op(Code::Select, &[some, made, old]);
        self.stand_for(&data.results, &[new]);
    }

    /// Notes what stands for some values, and gives those their names.
    fn stand_for(&mut self, old: &[Value], new: &[Value]) {
        for (&old, &new) in old.iter().zip(new) {
            self.new.insert(old, new);
            let is_new = self.kernel().values[new].name.is_none() && self.kernel().as_const(new).is_none();
            if let Some(name) = self.kernel().values[old].name.clone().filter(|_| is_new) {
                self.b.name(new, &name);
            }
        }
    }

    /// Asserts in the lanes that are active.
    fn assert(&mut self, op: Op) {
        let condition = self.at(self.kernel().ops[op].operands[0]);
        let holds = match self.is_in_lanes(condition) {
            true => {
                let fails = self.b.op(Code::Not, &[condition]);
                let fails = self.b.op(Code::And, &[self.mask, fails]);
                self.b.op(Code::None, &[fails])
            }
            false => condition,
        };
        self.b.push(Code::Assert, Attr::None, &[holds]);
    }
}

/// The op that gives the same where nothing overflows, and never fails.
pub(super) fn wrapping(code: Code) -> Option<Code> {
    match code {
        Code::Add => Some(Code::WrappingAdd),
        Code::Sub => Some(Code::WrappingSub),
        Code::Mul => Some(Code::WrappingMul),
        _ => None,
    }
}

/// The operands of a load or store, by what they are for.
struct Operands {
    view: Value,
    subscripts: SmallVec<[Value; 4]>,
    stored: Option<Value>,
}
