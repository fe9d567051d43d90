//! The shortest way from each value that varies to a cause.
//!
//! The walk that finds shapes notes the first operand that varies. That may be the value itself, as the loop carries it (a sum
//! varies because of the sum), or the longer one of two ways. Which operand is nearest to a cause is known only once all values
//! have one.
//!
//! Where all ways from what a loop carries lead back to it, as from a `j` that each iteration makes one more, that it is carried is
//! the cause.

use ir::entities::{EntityVec, Op, Value};
use ir::ops::Code;
use ir::program::{Def, Kernel};
use rustc_hash::FxHashMap;

use crate::{Facts, VaryingReason};

/// The most rounds over all values. A way through loops takes one for each loop that carries it back.
const MAX_ROUNDS: usize = 8;

/// Lets each value that varies because of an operand name the operand that is nearest to a cause.
pub(crate) fn shorten(kernel: &Kernel, facts: &mut Facts) {
    let mut starts = Starts::default();
    kernel.walk(kernel.body, &mut |_, op| starts.note(kernel, op));
    let mut distances: EntityVec<Value, Option<u32>> = EntityVec::filled(kernel.values.len(), None);
    nearest(kernel, facts, &starts, &mut distances);
    let mut circles = false;
    for value in kernel.values.keys().filter(|&value| distances[value].is_none()) {
        if let Some(cause) = facts.values[value].cause.as_mut().filter(|cause| cause.reason == VaryingReason::Carried) {
            cause.value = None;
            circles = true;
        }
    }
    if circles {
        nearest(kernel, facts, &starts, &mut distances);
    }
}

/// Goes over all values until none gets nearer to a cause.
fn nearest(kernel: &Kernel, facts: &mut Facts, starts: &Starts, distances: &mut EntityVec<Value, Option<u32>>) {
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for value in kernel.values.keys() {
            let Some(cause) = facts.values[value].cause else { continue };
            let mut best: Option<(u32, Option<Value>)> = match cause.value {
                None => Some((0, None)),
                Some(first) => distances[first].map(|distance| (distance + 1, Some(first))),
            };
            if matches!(cause.reason, VaryingReason::Operand | VaryingReason::Carried) {
                let mut look_at = |other: Value| {
                    let is_nearer = |distance: &u32| best.is_none_or(|(known, _)| distance + 1 < known);
                    if let Some(distance) = distances[other].filter(is_nearer) {
                        best = Some((distance + 1, Some(other)));
                    }
                };
                others(kernel, value, &mut look_at);
                starts.0.get(&value).copied().into_iter().for_each(look_at);
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

/// The values that arguments of inner loops start from, because of which they may vary.
#[derive(Default)]
struct Starts(FxHashMap<Value, Value>);

impl Starts {
    fn note(&mut self, kernel: &Kernel, op: Op) {
        let data = &kernel.ops[op];
        let first = match data.code {
            Code::While => 0,
            Code::For | Code::Foreach | Code::VectorFor => kernel.n_ranges(op),
            _ => return,
        };
        let args = kernel.regions[data.regions[0]].args.iter().skip(first);
        self.0.extend(args.copied().zip(data.operands.iter().skip(3 * first).copied()));
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
