//! Eligibility: the loops that can be vectorised, and the numbers of their lanes.

use crate::cost::lanes_for_trips;
use crate::pipeline::Options;
use facts::Facts;
use facts::loops::{LaneForm, Loops, is_own_of_lanes};
use ir::codes::ReasonCode;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::Kernel;

/// The reason why a loop is not vectorised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// The code of the reason.
    pub code: ReasonCode,
    /// The op that is the reason.
    pub op: Op,
    /// True if an earlier pass lifts it, unless it is too late for that.
    pub is_lifted: bool,
}

/// Returns the reason why a loop is not vectorised; `None` if it is.
pub fn refusal(kernel: &Kernel, facts: &Facts, loops: &Loops, op: Op) -> Option<Refusal> {
    refusals(kernel, facts, loops, op).into_iter().next()
}

/// Returns all reasons against a loop, the one to report first.
pub(crate) fn refusals(kernel: &Kernel, facts: &Facts, loops: &Loops, op: Op) -> Vec<Refusal> {
    let region = kernel.ops[op].regions[0];
    let mut found = Vec::new();
    kernel.walk(region, &mut |_, inner| {
        let data = &kernel.ops[inner];
        let reduces = kernel.control(inner).is_some_and(|control| !control.reductions.is_empty());
        let varies = |values: &[Value]| values.iter().any(|&value| !facts.shape(value).is_uniform());
        let code = match data.code {
            Code::Unknown => ReasonCode::NotUnderstood,
            Code::Foreach | Code::VectorFor => ReasonCode::NestedForeach,
            Code::Temp if !is_own_of_lanes(kernel, op, inner, |size| facts.shape(size).is_uniform()) => {
                ReasonCode::TemporaryArray
            }
            Code::CompressStore | Code::ExpandLoad if varies(&data.operands[..1]) => ReasonCode::PackedInRows,
            _ if reduces && varies(&data.results) => ReasonCode::ReductionInLanes,
            _ => return,
        };
        found.push(Refusal { code, op: inner, is_lifted: false });
    });
    let carries = !kernel.ops[op].results.is_empty() && kernel.lanes_of_foreach(op).is_none();
    if kernel.ops[op].code != Code::Foreach || carries {
        out_of_order(loops, op, &mut found);
    }
    found
}

/// Iterations of a `for` that meet, so that lanes would change their order.
fn out_of_order(loops: &Loops, op: Op, found: &mut Vec<Refusal>) {
    let Some(known) = loops.of(op) else {
        return found.push(Refusal { code: ReasonCode::NotUnderstood, op, is_lifted: false });
    };
    let reasons = known.verdict.reasons.iter().filter(|reason| reason.blocks || reason.code.is_lifted_by_a_pass());
    found.extend(reasons.map(|reason| {
        let op = reason.places.first().copied().unwrap_or(op);
        Refusal { code: reason.code, op, is_lifted: !reason.blocks }
    }));
}

/// Returns the number of lanes of a loop: the wanted number, limited by the distances of dependences.
pub(super) fn lanes(kernel: &Kernel, facts: &Facts, loops: &Loops, op: Op, options: &Options) -> u16 {
    // Lanes that run together exchange values, so their number is part of the program's meaning.
    if let Some(together) = kernel.lanes_of_foreach(op) {
        return together;
    }
    let mut wanted = in_order(kernel, op, wanted_lanes(kernel, facts, op, options));
    let carried = loops.of(op).map_or(&[][..], |known| &known.carried);
    if carried.iter().any(|value| value.form == Some(LaneForm::Blocks)) {
        // Groups of lanes halve blocks, or are several of these.
        wanted = 1 << wanted.max(1).ilog2();
    }
    let most = loops.of(op).and_then(|known| known.verdict.max_lanes).and_then(|most| u16::try_from(most).ok());
    // Half a register is of use where a third of one is not.
    most.filter(|&most| most < wanted).map_or(wanted, |most| 1 << most.max(1).ilog2())
}

/// Limits the lanes to the partial results of a reduction in fixed order: a power of two that divides their number.
fn in_order(kernel: &Kernel, op: Op, wanted: u16) -> u16 {
    let data = &kernel.ops[op];
    let folds = kernel.control(op).map_or(&[][..], |control| &control.reductions);
    let elem = |value: Value| kernel.ty(value).data_elem();
    let results = data.results.iter().rev().zip(folds.iter().rev());
    let partials = results.filter_map(|(&result, fold)| fold.partials(elem(result)?));
    let fewest = partials.min().and_then(|fewest| u16::try_from(fewest).ok());
    fewest.map_or(wanted, |fewest| 1 << wanted.clamp(1, fewest).ilog2())
}

/// The bytes of the widest cells that atomic ops in a loop touch.
fn widest_atomic(kernel: &Kernel, op: Op) -> Option<i128> {
    let mut widest = None;
    kernel.walk_inside(op, &mut |inner| {
        let data = &kernel.ops[inner];
        if data.code.as_atomic().is_some() {
            widest = widest.max(kernel.ty(data.operands[0]).elem().map(|elem| elem.bytes() as i128));
        }
    });
    widest
}

/// The lanes that somebody asks for, else those that fill a register with the widest cells that a loop touches, but no more than one group of
/// all iterations needs.
fn wanted_lanes(kernel: &Kernel, facts: &Facts, op: Op, options: &Options) -> u16 {
    let marks = kernel.control(op).map(|control| &control.marks);
    if let Some(lanes) = marks.and_then(|marks| marks.lanes) {
        return lanes;
    }
    if let Some(lanes) = options.lanes {
        return lanes;
    }
    let widest = facts.widest_cells(kernel, op);
    let widest = widest.max(widest_atomic(kernel, op)).unwrap_or(4).max(1);
    lanes_for_trips(kernel, op, options.target.lanes_for(widest as usize))
}
