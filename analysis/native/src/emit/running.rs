//! Values that run on from iteration to iteration in the language's fixed order, iteration by iteration.

use ir::running::{Running, RunningKind, RunningMath};
use ir::{Attr, Elem, Op};

use super::function::{Function, RunningParts};
use super::values::{Ty, Unit, Val};

impl Function<'_> {
    /// Writes an op that computes a part of what runs on. All parts are computed where the first of them stands.
    pub(super) fn running(&mut self, op: Op, kind: RunningKind) {
        let data = &self.kernel.ops[op];
        let (result, part) = match data.attr {
            Attr::Number(part) => (data.results[0], part as usize),
            _ => return,
        };
        let is_here = |made: &RunningParts| made.operands == data.operands && made.block == self.block();
        if !self.running.as_ref().is_some_and(is_here) {
            let lanes = self.kernel.ty(result).lanes();
            let number = self.get(data.operands[0]);
            let operands: Vec<Val> = data.operands[1..].iter().map(|&value| self.get_in(value, lanes)).collect();
            let elem = self.elem(result);
            // Values are numbered, as the arithmetic copies them.
            let numbers: Vec<usize> = (0..operands.len()).collect();
            let Some(running) = Running::of(kind, &numbers) else { return };
            let mut steps = Steps { function: self, elem, number, values: operands };
            let parts = kind.parts(&mut steps, &running);
            let parts = parts.into_iter().map(|number| steps.values[number].clone()).collect();
            self.running = Some(RunningParts { operands: data.operands.clone(), block: self.block(), parts });
        }
        let val = self.running.as_ref().map(|made| made.parts[part].clone());
        val.into_iter().for_each(|val| self.set(result, val));
    }
}

/// The instructions for one iteration, or one in each lane.
struct Steps<'f, 'k> {
    function: &'f mut Function<'k>,
    elem: Elem,
    /// The number of the iteration.
    number: Val,
    /// The values so far.
    values: Vec<Val>,
}

impl Steps<'_, '_> {
    fn joined(&mut self, name: &str, a: usize, b: usize) -> usize {
        let function = &mut *self.function;
        let [mut a, mut b] = [a, b].map(|number| self.values[number].clone());
        if self.elem.is_half() {
            [a, b] = [a, b].map(|half| function.as_float(self.elem, &half));
        }
        let contract = function.contract();
        let mut joined = function.make("joined", a.ty, format!("{name}{contract} {a}, {}", b.text));
        if self.elem.is_half() {
            joined = function.as_half(self.elem, &joined);
        }
        self.pushed(joined)
    }

    fn pushed(&mut self, value: Val) -> usize {
        self.values.push(value);
        self.values.len() - 1
    }
}

impl RunningMath for Steps<'_, '_> {
    type Number = usize;

    fn add(&mut self, a: usize, b: usize) -> usize {
        self.joined("fadd", a, b)
    }

    fn mul(&mut self, a: usize, b: usize) -> usize {
        self.joined("fmul", a, b)
    }

    fn where_bits(&mut self, mask: u16, a: usize, b: usize) -> usize {
        if mask == 0 {
            return a;
        }
        let function = &mut *self.function;
        let bits = function.with_number("and", &self.number, mask.into());
        let mask = function.in_lanes(Val::int(bits.ty.unit, mask.into()), bits.ty.lanes);
        let flag: Ty = bits.ty.with(Unit::Int(1));
        let has = function.make("has", flag, format!("icmp eq {bits}, {}", mask.text));
        let [a, b] = [a, b].map(|number| self.values[number].clone());
        let chosen = function.make("chosen", a.ty, format!("select {has}, {a}, {b}"));
        self.pushed(chosen)
    }
}
