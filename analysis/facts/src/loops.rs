//! Loops: the values that each one carries between iterations, and the verdict on running its iterations as lanes.
//!
//! A loop whose iterations run as lanes runs each op of its body for all lanes before the next op, and inner loops
//! iteration by iteration. Two things can prevent that. A loop may *carry* values from one iteration to the next. Each
//! has a [`CarriedRole`], and some roles have a form in lanes ([`LaneForm`]). And two iterations may touch the same cell (see
//! [`dependence`](super::dependence)) so that the op which has to come first would come later. If another order of the
//! statements prevents this, it is no obstacle (see [`Order`]); and if the iterations are at least `d` apart, `d` lanes
//! are no obstacle.
//!
//! A [`Verdict`] has *all* reasons, each with its code, the ops it is about, and what would lift it.

mod carried;
mod early;
mod held;
mod lanes;
mod order;
mod own;
mod reach;
mod reasons;
mod scanned;
#[cfg(test)]
mod tests;
mod turns;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use ir::codes::ReasonCode;
use ir::entities::{Op, Value};
use ir::forest::LoopForest;
use ir::ops::{Code, Effect};
use ir::program::Kernel;
use ir::running::RunningKind;
use ir::scalar::Fold;
use ir::uses::Uses;

use super::dependence::{DependenceLimits, Dependences, Doubt, Nest, Numbers, dependences_in};

pub use carried::split_constant;
pub use early::{Early, Stores, is_early};
pub use held::Held;
pub use lanes::{LaneForm, Slice, Slicer, SumStep, step};
pub use order::Order;
pub use own::is_own_of_lanes;
pub use scanned::{Bits, Extreme, Scanned};
pub use turns::Turns;

/// The role of a carried value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarriedRole {
    /// A value that no iteration changes.
    Unchanged,
    /// An induction: each iteration adds the same amount.
    Induction,
    /// A reduction: each iteration joins something to it, and nothing else sees the partial results.
    Reduction {
        /// The operator of the reduction.
        fold: Fold,
        /// True if only some iterations join something to it.
        conditional: bool,
    },
    /// A scan: a reduction whose partial results are used.
    Scan(Fold),
    /// The position of the least or greatest element, which the loop carries under the other number.
    Position {
        /// The number of the carried value that is the extreme.
        of: usize,
        /// The operator of the extreme: `Min` or `Max`.
        fold: Fold,
    },
    /// The value at the first iteration in which a condition holds.
    First,
    /// The value at the last iteration in which a condition holds.
    Last,
    /// The value at the last iteration so far in which a condition held, which iterations use.
    LastSoFar,
    /// A count of iterations that says where the next cell is stored.
    Compress,
    /// A count of iterations that says where the next cell is loaded from.
    Expand,
    /// A value that the iteration before computed, but not from its own one before.
    Previous,
    /// A linear recurrence: multiplied and added to.
    LinearRecurrence,
    /// A part of what runs on in the language's fixed order, by blocks of iterations.
    Blocks {
        /// The kind of value that runs on.
        kind: RunningKind,
        /// True for the value in front of a block, false for what is joined in it.
        leads: bool,
    },
    /// The flag by which the loop goes on.
    Exit,
    /// A recurrence of some other kind.
    Recurrence,
}

/// A value that a loop carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carried {
    /// The argument of the body.
    pub arg: Value,
    /// The way in which the loop changes it.
    pub role: CarriedRole,
    /// The form of the value in lanes; `None` if it has none.
    pub form: Option<LaneForm>,
}

/// A part of a message, to be put into words by the code that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessagePart {
    /// Literal words of the message.
    Text(&'static str),
    /// An integer, such as a distance.
    Number(i128),
    /// A value, by its name or expression.
    Value(Value),
    /// The iteration of a loop nest, outermost index first.
    Iteration(Numbers),
    /// A cell of an array.
    Cell(Value, Numbers),
}

/// A change that lifts a reason, or takes it on the programmer's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Remedy {
    /// `@reassoc` above the loop, which lets its sums be reordered.
    Reassoc(Op),
    /// `foreach` in place of `for`.
    Foreach(Op),
    /// `@alias` without these two arrays.
    NoAlias(Value, Value),
}

/// One reason for a verdict, with the changes that would lift it. A long loop has ten thousands of them, of which few are ever put
/// into words, so what a dependence says is not repeated here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictReason {
    /// The code of the reason, as `report` lists it.
    pub code: ReasonCode,
    /// The message besides the dependence that it is, in parts.
    pub details: Vec<MessagePart>,
    /// The ops it is about.
    pub places: Places,
    /// The change that would lift it.
    pub fix: Option<Remedy>,
    /// The dependence that it is, by its number.
    pub dependence: Option<usize>,
    /// True if it keeps the loop from running as lanes.
    pub blocks: bool,
}

/// The ops that a reason is about.
pub type Places = SmallVec<[Op; 2]>;

impl VerdictReason {
    /// The whole message, in parts.
    pub fn message(&self, kernel: &Kernel, dependences: &Dependences) -> Vec<MessagePart> {
        let mut message = Vec::new();
        let met = self.dependence.and_then(|number| dependences.list.get(number));
        if let Some((dependence, witness)) = met.and_then(|it| Some((it, it.meeting.witness.as_ref()?))) {
            let verb = |op: Op| MessagePart::Text(if kernel.effect(op) == Effect::Writes { "writes" } else { "reads" });
            let cell = || MessagePart::Cell(dependence.array, witness.cell.clone());
            message.extend([MessagePart::Iteration(witness.source.clone()), verb(dependence.source), cell()]);
            message.extend([MessagePart::Iteration(witness.sink.clone()), verb(dependence.sink), cell()]);
        }
        for doubt in met.iter().flat_map(|dependence| &dependence.meeting.doubts) {
            if let Doubt::Data(value) | Doubt::NotLinear(value) | Doubt::Guard(value) = doubt {
                message.extend([MessagePart::Text("if"), MessagePart::Value(*value), MessagePart::Text("is so")]);
            }
        }
        message.extend(self.details.iter().cloned());
        message
    }
}

/// The verdict on running a loop's iterations as lanes, with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// True if the iterations can run as lanes.
    pub is_vector: bool,
    /// The limit on the number of lanes that a dependence sets.
    pub max_lanes: Option<i128>,
    /// True if the statements have to be put in another order first.
    pub is_reordered: bool,
    /// True if the lanes need a runtime alias check before the loop.
    pub is_tested: bool,
    /// All reasons, those that block first.
    pub reasons: Vec<VerdictReason>,
}

/// The facts about a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// The op of the loop.
    pub op: Op,
    /// The values that it carries.
    pub carried: Vec<Carried>,
    /// What its lanes compute one after the other, if it is marked so and they can.
    pub turns: Option<Arc<Turns>>,
    /// The verdict on running its iterations as lanes.
    pub verdict: Verdict,
}

/// The loops of a scalar kernel, outer ones before inner ones, and the dependences that their verdicts rest on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loops {
    /// The facts about each loop, outer ones before inner ones.
    pub list: Vec<Loop>,
    /// The dependences between the accesses of the loops.
    pub dependences: Dependences,
    /// The loop forest of the kernel.
    pub forest: Arc<LoopForest>,
    /// The position of each loop in `list`.
    positions: FxHashMap<Op, usize>,
}

impl Loops {
    /// The facts about a loop.
    pub fn of(&self, op: Op) -> Option<&Loop> {
        self.positions.get(&op).map(|&position| &self.list[position])
    }
}

/// Orders of loop bodies' statements in which they can run as lanes, except within components.
#[derive(Debug)]
pub struct Orders<'k> {
    nest: Nest<'k>,
    uses: Arc<Uses>,
    dependences: &'k Dependences,
}

impl<'k> Orders<'k> {
    /// The orders for the loops of a kernel.
    pub fn new(kernel: &'k Kernel, found: &'k Loops, uses: Arc<Uses>) -> Orders<'k> {
        Orders { nest: Nest::new(kernel, found.forest.clone()), uses, dependences: &found.dependences }
    }

    /// The order of the statements of one loop, each of them whole.
    pub fn of(&self, op: Op) -> Order {
        Order::of(&self.nest, &self.uses, self.dependences, op)
    }

    /// The order in which the statements of one loop run as lanes if they can, loads before the stores that would spoil them.
    pub fn for_lanes(&self, op: Op) -> Order {
        Order::for_lanes(&self.nest, &self.uses, self.dependences, op, false)
    }
}

/// Returns true if a loop does nothing: there is nothing that lanes could do in it. Lowering makes such a loop where the step of a
/// range must be tested apart from the loop that counts by it.
pub fn is_empty(kernel: &Kernel, op: Op) -> bool {
    let data = &kernel.ops[op];
    matches!(data.code, Code::For | Code::Foreach)
        && data.results.is_empty()
        && data.regions.iter().all(|&region| kernel.regions[region].ops.is_empty())
}

/// The verdicts on all loops of a scalar kernel.
pub fn loops(kernel: &Kernel, limits: &DependenceLimits<'_>) -> Loops {
    loops_in(kernel, Arc::new(LoopForest::of(kernel)), &Uses::of(kernel), limits)
}

/// The verdicts on all loops of a scalar kernel of which the forest and the uses are known.
pub fn loops_in(kernel: &Kernel, forest: Arc<LoopForest>, uses: &Uses, limits: &DependenceLimits<'_>) -> Loops {
    judged(Nest::new(kernel, forest), uses, limits, |_| true)
}

/// The verdicts on some outermost loops of a scalar kernel, and on those inside of them, as [`loops_in`] has them; nothing else of the kernel
/// takes time, and none of the others' questions takes from what these may cost.
pub fn loops_among(
    kernel: &Kernel,
    forest: Arc<LoopForest>,
    uses: &Uses,
    asked: &[Op],
    limits: &DependenceLimits<'_>,
) -> Loops {
    let mut nest = Nest::new(kernel, forest.clone());
    let is_asked = |op: Op| asked.iter().any(|&outer| outer == op || forest.encloses(outer, op));
    nest.accesses.retain(|access| is_asked(access.op));
    judged(nest, uses, limits, is_asked)
}

/// The verdicts on those loops of a nest for which `is_asked` holds.
fn judged(nest: Nest<'_>, uses: &Uses, limits: &DependenceLimits<'_>, is_asked: impl Fn(Op) -> bool) -> Loops {
    let (kernel, forest) = (nest.kernel, nest.forest.clone());
    let dependences = dependences_in(&nest, limits);
    let asked = forest.loops().iter().filter(|&&op| is_asked(op) && !is_empty(kernel, op));
    let list = asked.map(|&op| {
        limits.cancel.check_cancelled();
        let mut carried = carried::of(&nest, uses, op);
        let forms = lanes::forms(&nest, uses, op, &carried);
        carried.iter_mut().zip(forms.list).for_each(|(value, form)| value.form = form);
        let verdict = reasons::verdict(&nest, uses, &dependences, op, &carried);
        Loop { op, carried, turns: forms.turns.map(Arc::new), verdict }
    });
    let list: Vec<Loop> = list.collect();
    let positions = list.iter().enumerate().map(|(position, known)| (known.op, position)).collect();
    Loops { list, dependences, forest, positions }
}
