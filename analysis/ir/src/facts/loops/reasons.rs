//! Verdicts: all that stands against a loop's iterations as lanes.

use std::collections::HashSet;

use super::carried::{MAX_ALIKE, Uses};
use super::order::Order;
use super::{Carried, Fix, Part, Reason, Role, Verdict};
use crate::entities::{Op, Value};
use crate::facts::dependence::{Dependence, Dependences, Doubt, Kind, Nest};
use crate::ops::Code;
use crate::program::Kernel;
use crate::scalar::Fold;
use crate::types::Elem;

/// A code, and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeRow {
    /// The code.
    pub code: &'static str,
    /// What it means, as a sentence about the loop.
    pub meaning: &'static str,
    /// Whether a loop that has it cannot run as lanes; for what is carried, unless it has a form there.
    pub blocks: bool,
}

/// Defines [`CODES`].
macro_rules! codes {
    ($($code:literal $blocks:ident $meaning:literal;)*) => {
        /// The codes of all reasons.
        pub const CODES: &[CodeRow] = &[$(CodeRow { code: $code, meaning: $meaning, blocks: codes!(@ $blocks) },)*];
    };
    (@ blocks) => { true };
    (@ notes) => { false };
}

codes! {
    "loop-carried-flow" blocks "an iteration reads what an earlier one has written, and would read it too early";
    "loop-carried-anti" blocks "an iteration overwrites what an earlier one reads, and would do so too early";
    "loop-carried-output" blocks "an iteration overwrites what an earlier one has written, and would be overwritten by it";
    "data-dependent-cell" blocks "whether iterations touch one cell depends on data";
    "non-linear-cell" blocks "whether iterations touch one cell cannot be said of subscripts that are not linear";
    "dependence-too-hard" blocks "whether iterations touch one cell would take too long to find out";
    "too-many-accesses" blocks "an array has more accesses than are compared with each other";
    "arrays-may-overlap" notes "two arrays may overlap, and one of them is written; a test at run time says whether they do";
    "histogram" blocks "iterations update cells that data chooses, perhaps one cell several times";
    "distance-limits-lanes" notes "iterations that need each other lie a few apart, and no more lanes than that can run together";
    "statements-reordered" notes "the statements can run as lanes in another order";
    "iterations-collide" blocks "two iterations of a `foreach` touch one cell, and one of them writes it";
    "iterations-may-collide" notes "two iterations of a `foreach` may touch one cell; that they do not is the programmer's word";
    "induction" blocks "a value is changed by the same amount in each iteration";
    "ordered-float-sum" blocks "a sum of floats keeps the order of its terms";
    "ordered-float-product" blocks "a product of floats keeps the order of its factors";
    "sum-in-fixed-order" notes "a sum of floats in the fixed order that lanes can keep";
    "product-in-fixed-order" notes "a product of floats in the fixed order that lanes can keep";
    "sum" blocks "a sum over all iterations";
    "product" blocks "a product over all iterations";
    "minimum" blocks "the least of all iterations";
    "maximum" blocks "the greatest of all iterations";
    "bitwise-and" blocks "the bits that are set in all iterations";
    "bitwise-or" blocks "the bits that are set in any iteration";
    "bitwise-xor" blocks "the bits that are set in an odd number of iterations";
    "all-of" blocks "whether a condition holds in all iterations";
    "any-of" blocks "whether a condition holds in any iteration";
    "position-of-minimum" blocks "where the least is found";
    "position-of-maximum" blocks "where the greatest is found";
    "find-first" blocks "the first iteration in which a condition holds";
    "find-last" blocks "the last iteration in which a condition holds";
    "prefix-sum" blocks "a running total, or a running least or the like, is used in each iteration";
    "compress" blocks "some iterations store to the next cell";
    "expand" blocks "some iterations load from the next cell";
    "previous-value" blocks "an iteration uses what the one before has computed";
    "linear-recurrence" blocks "a value is multiplied and added to in each iteration";
    "recurrence" blocks "each iteration computes a value from what it was in the one before";
    "early-exit" blocks "an iteration may be the last one";
    "unknown-trip-count" blocks "how many iterations there are is only known when they are done";
    "not-understood" blocks "something in it was not understood";
    "temporary-array" blocks "each iteration has an array of its own";
    "nested-foreach" blocks "a `foreach` inside takes the lanes";
}

fn blocks(code: &str) -> bool {
    CODES.iter().find(|row| row.code == code).is_none_or(|row| row.blocks)
}

/// A reason by its code.
fn reason(code: &'static str, message: Vec<Part>, places: Vec<Op>) -> Reason {
    Reason { code, message, places, fixes: Vec::new(), dependence: None, blocks: blocks(code) }
}

/// The verdict about a loop.
pub(super) fn verdict(nest: &Nest<'_>, uses: &Uses, dependences: &Dependences, op: Op, carried: &[Carried]) -> Verdict {
    let mut judge = Judge {
        nest,
        uses,
        dependences,
        op,
        verdict: Verdict {
            is_vector: true,
            max_lanes: None,
            is_reordered: false,
            is_tested: false,
            reasons: Vec::new(),
        },
        known: HashSet::new(),
    };
    judge.control();
    judge.inside();
    carried.iter().for_each(|value| judge.carried(carried, value));
    judge.joined();
    if nest.kernel.ops[op].code == Code::Foreach {
        judge.collisions()
    } else {
        judge.meetings()
    }
    judge.unseen();
    let mut verdict = judge.verdict;
    // Where the value before cannot be had, what computes it is to blame.
    verdict.reasons.sort_by_key(|reason| (!reason.blocks, reason.code == "previous-value"));
    verdict.is_vector = verdict.reasons.iter().all(|reason| !reason.blocks);
    verdict
}

struct Judge<'n, 'k> {
    nest: &'n Nest<'k>,
    uses: &'n Uses,
    dependences: &'n Dependences,
    op: Op,
    verdict: Verdict,
    /// The codes and places of its reasons.
    known: HashSet<(&'static str, Vec<Op>)>,
}

impl<'k> Judge<'_, 'k> {
    fn kernel(&self) -> &'k Kernel {
        self.nest.kernel
    }

    fn add(&mut self, reason: Reason) {
        if self.known.insert((reason.code, reason.places.clone())) {
            self.verdict.reasons.push(reason);
        } else if reason.blocks {
            // One op may make two values, of which one has a form in lanes.
            let same = |known: &&mut Reason| (known.code, &known.places) == (reason.code, &reason.places);
            self.verdict.reasons.iter_mut().filter(same).for_each(|known| known.blocks = true);
        }
    }

    /// How the loop ends.
    fn control(&mut self) {
        let kernel = self.kernel();
        let data = &kernel.ops[self.op];
        if data.code == Code::While {
            let test = kernel.regions[data.regions[0]].yields[0];
            let leaves = kernel.regions[data.regions[0]].args.contains(&test);
            let code = if leaves { "early-exit" } else { "unknown-trip-count" };
            self.add(reason(code, vec![Part::Text("it goes on while"), Part::Value(test)], vec![self.op]));
        }
    }

    /// Ops that cannot be in lanes.
    fn inside(&mut self) {
        let kernel = self.kernel();
        let mut found = Vec::new();
        // Lanes that run together go through what is inside by themselves.
        let together = kernel.lanes_of_foreach(self.op).is_some();
        for &region in &kernel.ops[self.op].regions {
            kernel.walk(region, &mut |_, inner| {
                let code = match kernel.ops[inner].code {
                    Code::Unknown => "not-understood",
                    Code::Temp | Code::Foreach if together => return,
                    Code::Temp => "temporary-array",
                    Code::Foreach => "nested-foreach",
                    _ => return,
                };
                found.push(reason(code, Vec::new(), vec![inner]));
            });
        }
        found.into_iter().for_each(|reason| self.add(reason));
    }

    // What is carried.

    fn carried(&mut self, all: &[Carried], value: &Carried) {
        let elem = self.kernel().ty(value.arg).data_elem();
        let Some(code) = code_of(all, value.role, elem) else { return };
        let mut places = vec![self.op];
        places.extend(self.maker(value.arg));
        let mut reason = reason(code, vec![Part::Value(value.arg)], places);
        if matches!(value.role, Role::Reduction { conditional: true, .. }) {
            reason.message.push(Part::Text("in those where a condition holds"));
        }
        reason.blocks = value.form.is_none();
        if matches!(code, "ordered-float-sum" | "ordered-float-product") {
            reason.fixes.push(Fix::Reassoc(self.op));
        }
        self.add(reason);
    }

    /// What the loop joins in the order that the language fixes, which lanes keep.
    fn joined(&mut self) {
        let kernel = self.kernel();
        let data = &kernel.ops[self.op];
        let folds = kernel.control(self.op).map_or(&[][..], |control| &control.reductions);
        let yields = &kernel.regions[data.regions[0]].yields;
        for (n, &fold) in folds.iter().rev().enumerate() {
            let (result, next) = (data.results[data.results.len() - 1 - n], yields[yields.len() - 1 - n]);
            let elem = kernel.ty(result).data_elem();
            let code = match code_of_fold(fold, elem) {
                "ordered-float-sum" => "sum-in-fixed-order",
                "ordered-float-product" => "product-in-fixed-order",
                code => code,
            };
            let mut reason = reason(code, vec![Part::Value(result)], vec![self.op]);
            reason.places.extend(kernel.def_op(next));
            reason.blocks = false;
            self.add(reason);
        }
    }

    /// The op that makes what the loop yields for an argument.
    fn maker(&self, arg: Value) -> Option<Op> {
        let kernel = self.kernel();
        let data = &kernel.ops[self.op];
        let args = &kernel.regions[data.regions[0]].args;
        let number = args.iter().position(|&other| other == arg)? - kernel.n_ranges(self.op);
        kernel.def_op(kernel.regions[*data.regions.last()?].yields[number])
    }

    // Cells.

    fn meetings(&mut self) {
        let dependences = self.dependences;
        let wrong: Vec<(usize, &Dependence, i128)> = dependences
            .carried_by(self.op)
            .filter_map(|(number, dependence)| Some((number, dependence, self.limit(dependence)?)))
            .collect();
        if wrong.is_empty() {
            return;
        }
        let body = *self.kernel().ops[self.op].regions.last().expect("a loop has a body");
        // Whether arrays overlap is tested before the loop, and then it is known here.
        let order = Order::of(self.nest, self.uses, dependences, self.op, true);
        for (number, dependence, limit) in wrong {
            if dependence.is_overlap() {
                self.verdict.is_tested = true;
                let reason = self.met("arrays-may-overlap", number, dependence);
                self.add(reason);
            } else if !order.is_knotted(self.nest, body, dependence.source, dependence.sink) {
                self.verdict.is_reordered = true;
                let mut reason = self.met("statements-reordered", number, dependence);
                reason.blocks = false;
                self.add(reason);
            } else if limit > 1 {
                let most = self.verdict.max_lanes.map_or(limit, |most| most.min(limit));
                self.verdict.max_lanes = Some(most);
                let mut reason = self.met("distance-limits-lanes", number, dependence);
                reason.message.extend([Part::Text("so at most this many lanes run together:"), Part::Number(limit)]);
                self.add(reason);
            } else {
                let code = self.code_of_meeting(dependence);
                let reason = self.met(code, number, dependence);
                self.add(reason);
            }
        }
    }

    /// For a dependence that lanes would break, how many lanes do not.
    fn limit(&self, dependence: &Dependence) -> Option<i128> {
        let meeting = &dependence.meeting;
        // The stores of one op are done in the order of the lanes.
        let is_kept = dependence.source == dependence.sink
            || self.nest.order[dependence.source] < self.nest.order[dependence.sink];
        let level = meeting.least_level.filter(|_| !is_kept);
        match (level, meeting.least_ahead) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn code_of_meeting(&self, dependence: &Dependence) -> &'static str {
        if self.is_update(dependence) {
            return "histogram";
        }
        match dependence.meeting.doubts.first() {
            None => match dependence.kind {
                Kind::Flow => "loop-carried-flow",
                Kind::Anti => "loop-carried-anti",
                Kind::Output => "loop-carried-output",
            },
            Some(Doubt::Data(_)) => "data-dependent-cell",
            Some(Doubt::NotLinear(_) | Doubt::Product) => "non-linear-cell",
            Some(Doubt::TooHard) => "dependence-too-hard",
            Some(Doubt::Overlap) => "arrays-may-overlap",
        }
    }

    /// Whether source and sink are the load and the store of one cell that data chooses.
    fn is_update(&self, dependence: &Dependence) -> bool {
        let kernel = self.kernel();
        let (source, sink) = (&kernel.ops[dependence.source], &kernel.ops[dependence.sink]);
        let by_data = matches!(dependence.meeting.doubts.first(), Some(Doubt::Data(_)));
        let one_of_each = source.code != sink.code;
        let rank = usize::from(kernel.ty(source.operands[0]).rank());
        let same = |n: usize| same_cell(kernel, source.operands[n], sink.operands[n], MAX_ALIKE);
        by_data && one_of_each && source.operands[0] == sink.operands[0] && (1..=rank).all(same)
    }

    /// A reason that is a dependence.
    fn met(&self, code: &'static str, number: usize, dependence: &Dependence) -> Reason {
        let verb = |op: Op| Part::Text(if self.kernel().ops[op].code == Code::Store { "writes" } else { "reads" });
        let mut message = Vec::new();
        if let Some(witness) = &dependence.meeting.witness {
            let cell = || Part::Cell(dependence.array, witness.cell.clone());
            message.extend([Part::Iteration(witness.source.clone()), verb(dependence.source), cell()]);
            message.extend([Part::Iteration(witness.sink.clone()), verb(dependence.sink), cell()]);
        }
        for doubt in &dependence.meeting.doubts {
            if let Doubt::Data(value) | Doubt::NotLinear(value) = doubt {
                message.extend([Part::Text("if"), Part::Value(*value), Part::Text("is so")]);
            }
        }
        let mut reason = reason(code, message, vec![dependence.source, dependence.sink]);
        reason.dependence = Some(number);
        reason.fixes = match dependence.meeting.doubts.first() {
            Some(Doubt::Overlap) => {
                let root = |op: Op| self.kernel().root(self.kernel().ops[op].operands[0]);
                vec![Fix::NoAlias(root(dependence.source), root(dependence.sink))]
            }
            Some(_) if code != "histogram" && self.kernel().ops[self.op].code == Code::For => {
                vec![Fix::Foreach(self.op)]
            }
            _ => Vec::new(),
        };
        reason
    }

    /// Iterations of a `foreach` that touch one cell.
    fn collisions(&mut self) {
        let dependences = self.dependences;
        for (number, dependence) in dependences.carried_by(self.op) {
            let code = if dependence.meeting.is_universal { "iterations-collide" } else { "iterations-may-collide" };
            let reason = self.met(code, number, dependence);
            // They are two iterations that collide, whichever of them comes first: the pair is named once.
            let mut pair = reason.places.clone();
            pair.sort();
            if self.known.insert((code, pair)) {
                self.verdict.reasons.push(reason);
            }
        }
    }

    /// Arrays that the loop writes and that were not looked at.
    fn unseen(&mut self) {
        let levels = self.nest.levels_of(self.op);
        let outermost = levels.first().map_or(self.op, |level| level.op);
        for &(array, _) in self.dependences.unseen.iter().filter(|&&(_, within)| within == outermost) {
            let mut stores = self.nest.accesses.iter().filter(|access| access.is_store && access.root == array);
            let inside = |op: Op| self.nest.levels_of(op).iter().any(|level| level.op == self.op);
            if let Some(store) = stores.find(|access| inside(access.op)) {
                let place = store.op;
                self.add(reason("too-many-accesses", vec![Part::Value(array)], vec![place]));
            }
        }
    }
}

/// Whether two subscripts are computed alike, loads included: those of one statement are.
fn same_cell(kernel: &Kernel, a: Value, b: Value, depth: usize) -> bool {
    if a == b || depth == 0 {
        return a == b;
    }
    let (Some(x), Some(y)) = (kernel.def_op(a), kernel.def_op(b)) else { return false };
    let (x, y) = (&kernel.ops[x], &kernel.ops[y]);
    let alike = x.code == y.code && x.attr == y.attr && x.operands.len() == y.operands.len();
    let repeats = x.code.is_elementwise() || x.code == Code::Load;
    alike && repeats && x.operands.iter().zip(&y.operands).all(|(&a, &b)| same_cell(kernel, a, b, depth - 1))
}

/// The code of a role; `None` for what stands against nothing.
fn code_of(all: &[Carried], role: Role, elem: Option<Elem>) -> Option<&'static str> {
    Some(match role {
        Role::Unchanged | Role::Exit => return None,
        // The other value of the same loop has the code that matters, too.
        Role::Position { of, .. } if of >= all.len() => return None,
        Role::Induction => "induction",
        Role::Reduction { fold, .. } => code_of_fold(fold, elem),
        Role::Scan(_) => "prefix-sum",
        Role::Position { fold: Fold::Min, .. } => "position-of-minimum",
        Role::Position { .. } => "position-of-maximum",
        Role::First => "find-first",
        Role::Last => "find-last",
        Role::Compress => "compress",
        Role::Expand => "expand",
        Role::Previous => "previous-value",
        Role::LinearRecurrence => "linear-recurrence",
        Role::Recurrence => "recurrence",
    })
}

/// The code of what an operator joins.
fn code_of_fold(fold: Fold, elem: Option<Elem>) -> &'static str {
    let is_float = elem.is_some_and(Elem::is_float);
    let is_bool = elem == Some(Elem::Bool);
    match fold {
        Fold::Add if is_float => "ordered-float-sum",
        Fold::Mul if is_float => "ordered-float-product",
        Fold::Add => "sum",
        Fold::Mul => "product",
        Fold::Min => "minimum",
        Fold::Max => "maximum",
        Fold::And if is_bool => "all-of",
        Fold::Or if is_bool => "any-of",
        Fold::And => "bitwise-and",
        Fold::Or => "bitwise-or",
        Fold::Xor => "bitwise-xor",
    }
}
