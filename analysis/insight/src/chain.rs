//! Cause chains: for each step that varies, the step that made it vary.
//!
//! The walk goes through the source, not through values: from a name to where it got its value, from an expression to the
//! part of it that varies. Where a value has no place of its own (a flag, the inside of a `clamp`), the way goes on through
//! it unseen.

use std::sync::Arc;

use super::by_value::StepsByValue;
use super::{Step, StepCause};
use facts::{Facts, VaryingReason};
use ir::{Def, Kernel, Value};
use lowering::{Role, Written};

/// The most values without a place of their own that a chain passes through on the way to the next step.
const MAX_UNSEEN: usize = 64;

/// Fills in the causes of all steps that vary.
pub(super) fn fill(kernel: &Kernel, facts: &Facts, written: &[Written], steps: &mut [Step]) {
    let makes = |written: &Written| matches!(written.role, Role::Expression | Role::Definition);
    let makers = written.iter().zip(0..).filter(|(written, _)| makes(written)).map(|(written, n)| (written.value, n));
    let makers = StepsByValue::of(makers);
    let chain = Chain { kernel, facts, written, makers };
    for n in 0..steps.len() {
        if steps[n].is_uniform() {
            continue;
        }
        let cause = chain.cause(n, steps);
        steps[n].cause = cause;
        steps[n].ends = chain.end(n, steps);
        let reason = facts.values[written[n].value].cause.map_or(VaryingReason::Unknown, |cause| cause.reason);
        let is_variable = matches!(written[n].role, Role::Use | Role::Definition | Role::Later);
        steps[n].name = kernel.values[written[n].value].name.clone().filter(|_| is_variable);
        steps[n].is_arithmetic = written[n].role == Role::Expression && chain.is_arithmetic(written[n].value);
        steps[n].is_unknown = steps[n].cause.is_none() && reason == VaryingReason::Unknown;
    }
}

struct Chain<'f> {
    kernel: &'f Kernel,
    facts: &'f Facts,
    written: &'f [Written],
    /// The steps at which each value is computed or defined, in order.
    makers: StepsByValue,
}

impl Chain<'_> {
    fn cause(&self, n: usize, steps: &[Step]) -> Option<StepCause> {
        let value = self.written[n].value;
        if self.written[n].role != Role::Expression
            && let Some(step) = self.maker(value, n, steps)
        {
            return Some(StepCause { step, message: "its value, which varies", is_plain: true });
        }
        let mut at = value;
        for _ in 0..MAX_UNSEEN {
            let cause = self.facts.values[at].cause?;
            let next = cause.value?;
            if let Some(step) = self.place_of(next, n, steps) {
                let is_plain = cause.reason == VaryingReason::Operand;
                return Some(StepCause { step, message: message(cause.reason), is_plain });
            }
            at = next;
        }
        None
    }

    /// Returns true for the result of arithmetic, which varies as its operands do.
    fn is_arithmetic(&self, value: Value) -> bool {
        let Def::Result(op, _) = self.kernel.values[value].def else { return false };
        self.kernel.ops[op].code.is_elementwise()
    }

    /// Finds the step before step `n` at which a name got its value: an expression, preferably one of the same item, or else the
    /// header of the loop or function that defines the name.
    fn maker(&self, value: Value, n: usize, steps: &[Step]) -> Option<u32> {
        let makers = self.makers.get(value)?;
        let before = &makers[..makers.partition_point(|&maker| (maker as usize) < n)];
        let is_expression = |maker: &&u32| self.written[**maker as usize].role == Role::Expression;
        let here = |maker: &&u32| steps[**maker as usize].site.item == steps[n].site.item;
        let expressions = || before.iter().rev().filter(is_expression);
        let found = expressions().find(here).or_else(|| expressions().next());
        // Arguments and parameters have no expression that computes them, so their definition is their maker.
        let is_argument = matches!(self.kernel.values[value].def, Def::Arg(..) | Def::Param(_));
        let defined = || before.first().filter(|_| is_argument);
        found.or_else(defined).copied()
    }

    /// Finds the step of the value that made step `n` vary: a part of the expression there, or else the step that computed it.
    fn place_of(&self, value: Value, n: usize, steps: &[Step]) -> Option<u32> {
        let part = self.part(value, n, steps);
        // The index of the lane loop speaks for itself; the way to its header is no step.
        let is_index = self.facts.values[value].cause.is_some_and(|cause| cause.reason == VaryingReason::Iteration);
        let makers = self.makers.get(value).unwrap_or_default();
        if is_index {
            return makers.first().copied().or(part);
        }
        let before = &makers[..makers.partition_point(|&maker| (maker as usize) < n)];
        part.or_else(|| before.last().or_else(|| makers.first()).copied())
    }

    /// Finds the outermost subexpression of step `n` that has this value. Steps are in the order of evaluation, so parts come
    /// right before the whole.
    fn part(&self, value: Value, n: usize, steps: &[Step]) -> Option<u32> {
        let whole = steps[n].site;
        let mut found = None;
        for (m, step) in steps[..n].iter().enumerate().rev() {
            if step.site.item != whole.item {
                continue;
            }
            if !whole.at.contains_range(step.site.at) || step.site.at == whole.at {
                break;
            }
            if self.written[m].value == value && step.role != Role::Later {
                found = Some(m as u32);
                break;
            }
        }
        found
    }

    /// The words for a step that varies without a cause at another step; `None` for other steps.
    fn end(&self, n: usize, steps: &[Step]) -> Option<Arc<str>> {
        let value = self.written[n].value;
        let cause = self.facts.values[value].cause;
        if steps[n].cause.is_some() {
            return None;
        }
        let name = self.kernel.values[value].name.as_deref().unwrap_or("it");
        Some(match cause.map(|cause| cause.reason) {
            Some(VaryingReason::Iteration) => format!("lanes run along `{name}`").into(),
            Some(VaryingReason::LaneNumber) => "each lane has a number of its own".into(),
            Some(VaryingReason::Written) => "the loop writes this array".into(),
            Some(VaryingReason::Carried) => "each iteration hands it to the next".into(),
            Some(VaryingReason::Lanes) => "it comes from other lanes".into(),
            Some(VaryingReason::Unknown) | None => "nothing is known about it".into(),
            Some(reason) => message(reason).into(),
        })
    }
}

/// The words at a step that made another one vary, by the way in which it did.
fn message(reason: VaryingReason) -> &'static str {
    match reason {
        VaryingReason::Iteration | VaryingReason::LaneNumber => "which differs from lane to lane",
        VaryingReason::Operand => "computed from this, which varies",
        VaryingReason::Address => "loaded from where this says, which varies",
        VaryingReason::Written => "loaded from this array, which the loop writes",
        VaryingReason::Condition => "decided by this condition, which varies",
        VaryingReason::Leaves => "lanes leave the loop at different times, as this says",
        VaryingReason::Carried => "each iteration hands this to the next",
        VaryingReason::Lanes => "this comes from other lanes",
        VaryingReason::Unknown => "nothing is known about this",
    }
}
