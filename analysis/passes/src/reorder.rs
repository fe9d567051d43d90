//! Order: a loop whose iterations could run as lanes if its statements stood in another order gets that order.
//!
//! Lanes run a statement for all iterations before the next statement. A statement that reads what another one has
//! written in an earlier iteration has to stand behind it for that, wherever it stood:
//!
//! ```text
//! for i in range(1, 29):              for i in range(1, 29):
//!     a[i] = b[i - 1] + c[i]              b[i] = c[i] * 2
//!     b[i] = c[i] * 2                     a[i] = b[i - 1] + c[i]
//! ```
//!
//! Nothing more is done than before, so this never costs anything.

use crate::Context;
use crate::decision::{Decision, Said};
use facts::loops::{Loop, Orders, Verdict};
use ir::codes::ReasonCode;
use ir::entities::Op;
use ir::ops::Code;
use ir::program::Kernel;

/// The number of dependences for which a loop's new order is explained; a long loop has ten thousands.
const MOST_TOLD: usize = 40;

/// Puts the statements of loops in an order that can run as lanes; says whether it changed any.
pub fn reorder(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let found = context.loops(kernel);
    let mut changed = false;
    let choice = context.choice(kernel);
    let known = choice.loops.iter().filter_map(|&op| found.of(op));
    let wanted: Vec<&Loop> =
        known.filter(|known| is_to_be_ordered(&known.verdict) && kernel.ops[known.op].code == Code::For).collect();
    if wanted.is_empty() {
        return false;
    }
    let orders = Orders::new(kernel, &found, context.uses(kernel));
    let orders: Vec<Vec<Op>> = wanted.iter().map(|known| orders.for_lanes(known.op).ops()).collect();
    for (known, ops) in wanted.into_iter().zip(orders) {
        let op = known.op;
        let body = kernel.ops[op].regions[0];
        if kernel.regions[body].ops == ops {
            continue;
        }
        let reordered = known.verdict.reasons.iter().filter(|reason| reason.code == ReasonCode::StatementsReordered);
        for reason in reordered.take(MOST_TOLD) {
            let mut because: Vec<Said> =
                reason.message(kernel, &found.dependences).iter().map(|part| Said::part(kernel, part)).collect();
            // The first of the two iterations takes three parts of the sentence.
            because.insert(because.len().min(3), ",".into());
            context.decide(Decision::taken(kernel.ops[op].origin, ReasonCode::StatementsReordered, because));
        }
        changed = true;
        kernel.regions[body].ops = ops;
    }
    changed
}

/// Says whether the iterations of a loop can be lanes, if the order is another one. Where arrays overlap, no other one will do.
fn is_to_be_ordered(verdict: &Verdict) -> bool {
    verdict.is_vector && verdict.is_reordered && !verdict.is_tested
}
