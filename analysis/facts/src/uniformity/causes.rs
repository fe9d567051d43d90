//! The shortest way from each value that varies to a cause.
//!
//! The walk that finds shapes notes the first operand that varies. That may be the value itself, as the loop carries it (a sum
//! varies because of the sum), or the longer one of two ways. Which operand is nearest to a cause is known only once all values
//! have one.

use ir::entities::{EntityVec, Value};
use ir::ops::Code;
use ir::program::{Def, Kernel};

use crate::{Facts, VaryingReason};

/// The most rounds over all values. A way through loops takes one for each loop that carries it back.
const MAX_ROUNDS: usize = 8;

/// Lets each value that varies because of an operand name the operand that is nearest to a cause.
pub(super) fn shorten(kernel: &Kernel, facts: &mut Facts) {
    let mut distances: EntityVec<Value, Option<u32>> = EntityVec::filled(kernel.values.len(), None);
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for value in kernel.values.keys() {
            let Some(cause) = facts.values[value].cause else { continue };
            let mut best: Option<(u32, Option<Value>)> = match cause.value {
                None => Some((0, None)),
                Some(first) => distances[first].map(|distance| (distance + 1, Some(first))),
            };
            if matches!(cause.reason, VaryingReason::Operand | VaryingReason::Carried) {
                others(kernel, value, &mut |other| {
                    let is_nearer = |distance: &u32| best.is_none_or(|(known, _)| distance + 1 < known);
                    if let Some(distance) = distances[other].filter(is_nearer) {
                        best = Some((distance + 1, Some(other)));
                    }
                });
            }
            let Some((distance, nearest)) = best else { continue };
            if distances[value].is_none_or(|known| distance < known) {
                distances[value] = Some(distance);
                changed = true;
                if let Some(cause) = &mut facts.values[value].cause {
                    cause.value = nearest;
                }
            }
        }
        if !changed {
            break;
        }
    }
}

/// Calls a function with each value that another one may have from: an operand, or what a block yields for it.
fn others(kernel: &Kernel, value: Value, each: &mut impl FnMut(Value)) {
    match kernel.values[value].def {
        Def::Result(op, number) => {
            let data = &kernel.ops[op];
            if data.code.is_elementwise() {
                data.operands.iter().copied().for_each(&mut *each);
            }
            if data.code == Code::If {
                let yields =
                    data.regions.iter().filter_map(|&region| kernel.regions[region].yields.get(number as usize));
                yields.copied().for_each(each);
            }
        }
        Def::Arg(..) | Def::Param(_) | Def::Const(_) => {}
    }
}
