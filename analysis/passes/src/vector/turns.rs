//! Values that lanes compute one after the other, in the program's order.
//!
//! ```text
//! s = s + a[i] * a[i]         let terms = (x * x)
//!                             let s_1 = (s + extract(terms, 0)), if lane 0 is active
//!                             let s_2 = (s_1 + extract(terms, 1)), if lane 1 is active
//!                             …
//! ```
//!
//! The lanes of a group are written one after the other, so that none of them has to be looked up by a number that is not known.
//! What the rest of the body uses of the chain is put together from them; so all of it is done before the first op that does.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Lowerer;
use super::carried::Ways;
use super::fallback::alone_value;
use facts::loops::Turns;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Kernel, Values};
use ir::scalar::Scalar;

/// The chain of a loop, and the values that it carries.
pub(super) struct InTurn {
    turns: Arc<Turns>,
    /// What the loop carries and hands on, by the number of the value.
    handed_on: Vec<(usize, Value, Value)>,
}

impl InTurn {
    /// The chain of a loop, with what it hands on.
    pub(super) fn of(kernel: &Kernel, op: Op, turns: Arc<Turns>) -> InTurn {
        let body = &kernel.regions[kernel.ops[op].regions[0]];
        let handed_on = turns.carried.iter().map(|&number| (number, body.args[1 + number], body.yields[number]));
        let handed_on = handed_on.collect();
        InTurn { turns, handed_on }
    }

    /// The ops that are not done by lanes together.
    pub(super) fn chain(&self) -> impl Iterator<Item = Op> {
        self.turns.chain.iter().copied()
    }

    /// Says whether an op uses something of the chain.
    fn is_used_by(&self, kernel: &Kernel, op: Op) -> bool {
        kernel.inputs(op).iter().any(|value| self.turns.values.contains(value))
    }
}

impl Lowerer<'_> {
    /// Rebuilds the body of a loop that takes the lanes, the chain before whatever uses it.
    pub(super) fn body(&mut self, region: Region, ways: &Ways) {
        let Some(turns) = ways.turns() else { return self.region(region) };
        for op in self.kernel().regions[region].ops.clone() {
            if self.left_out.contains(&op) {
                continue;
            }
            if self.turns.is_none() && turns.is_used_by(self.kernel(), op) {
                self.take_turns(turns, ways);
            }
            self.one(op);
        }
    }

    /// The values that a group hands on, by their numbers.
    pub(super) fn after_turns(&mut self, turns: &InTurn, ways: &Ways) -> FxHashMap<usize, Value> {
        if self.turns.is_none() {
            self.take_turns(turns, ways);
        }
        self.turns.take().unwrap_or_default()
    }

    /// Does the chain for one lane after the other, and notes what is handed on.
    fn take_turns(&mut self, turns: &InTurn, ways: &Ways) {
        for &op in &turns.turns.early {
            if self.left_out.insert(op) {
                self.one(op);
            }
        }
        let olds: Vec<Value> = turns.handed_on.iter().map(|(_, arg, _)| *arg).collect();
        let carried = turns.handed_on.iter().map(|&(number, arg, _)| ways.arg(number).unwrap_or(arg));
        let mut before: Values = carried.collect();
        let mut seen: Vec<Values> = vec![Values::new(); turns.turns.seen.len()];
        for lane in 0..self.lanes {
            let after = self.turn(turns, &olds, &before, lane);
            let (next, of_lane) = after.split_at(olds.len());
            seen.iter_mut().zip(of_lane).for_each(|(all, &own)| all.push(own));
            before = next.into();
        }
        for (&old, lanes) in turns.turns.seen.iter().zip(&seen) {
            let here = self.kernel().whole();
            let origin = self.kernel().def_op(old).map_or(here, |op| self.kernel().ops[op].origin);
            let outer = self.b.set_origin(origin);
            let name = self.kernel().values[old].name.clone();
            let together = match self.lanes {
                1 => self.in_lanes(lanes[0]),
                _ => self.b.op(Code::Pack, lanes),
            };
            if let Some(name) = name {
                self.b.name(together, &name);
            }
            self.new.insert(old, together);
            self.b.set_origin(outer);
        }
        let numbers = turns.handed_on.iter().map(|(number, _, _)| *number);
        self.turns = Some(numbers.zip(before).collect());
    }

    /// The chain for one lane, if it is active: what it hands on, and what others see of it.
    fn turn(&mut self, turns: &InTurn, olds: &[Value], before: &Values, lane: u16) -> Values {
        let number = self.b.constant(Scalar::I32(lane.into()));
        let is_active = self.b.op(Code::Extract, &[self.mask, number]);
        self.b.open_if(is_active);
        let mut alone: FxHashMap<Value, Value> = olds.iter().copied().zip(before.iter().copied()).collect();
        self.inputs_of_lane(&turns.turns.needs, number, &mut alone);
        for op in turns.chain() {
            self.alone(op, &mut alone);
        }
        let nexts = turns.handed_on.iter().map(|(_, _, next)| next);
        let done: Values = nexts.chain(&turns.turns.seen).map(|&value| alone_value(&alone, value)).collect();
        self.b.next_block(&done);
        let mut nothing = before.clone();
        for &value in &turns.turns.seen {
            let zero = self.b.constant(Scalar::zero(self.elem(value)));
            nothing.push(zero);
        }
        self.b.close(&nothing)
    }
}
