//! Values that iterations replace under a condition, and use: each lane has that of the last lane up to it in which the condition holds.
//!
//! ```text
//! if b[i] > 0.0:              let takes = (active & (y > 0.0))
//!     s = c[i]                let from = greatest of select(takes, lane_id, -1) up to each lane
//! a[i] = s * c[i]             let s_1 = select((from >= 0), lookup(x, from), s)
//! ```
//!
//! The greatest numbers are found in as many steps as the number of lanes has bits. A group hands its last lane's value on in all lanes;
//! what the next group waits for is one choice, since it is made of `from` and `x`, and not of the value that came in.

use super::Lowerer;
use facts::loops::{Held, LaneForm};
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::Attr;
use ir::scalar::Scalar;
use ir::types::Elem;

impl Lowerer<'_> {
    /// Finds the choices of the values that take this form.
    pub(super) fn find_held(&mut self, op: Op) {
        let numbers = (0..self.carried.len()).filter(|&number| self.carried[number].form == Some(LaneForm::Held));
        let numbers: Vec<usize> = numbers.collect();
        let slicer = self.slicer(op);
        let held: Vec<(usize, Held)> =
            numbers.into_iter().filter_map(|number| Some((number, Held::of(&slicer, number)?))).collect();
        self.held = held;
    }

    /// Gives lanes what lanes before them put in a value's place, behind the op that chooses.
    pub(super) fn hold(&mut self, op: Op) {
        let here: Vec<(usize, Held)> = self.held.iter().copied().filter(|(_, held)| held.choice == op).collect();
        for (number, held) in here {
            self.hold_one(number, held);
        }
    }

    fn hold_one(&mut self, number: usize, held: Held) {
        // Lanes that take the branch together have one value each, or the one from before.
        if self.facts.shape(held.condition).is_uniform() {
            return;
        }
        let before = self.at(self.carried[number].arg);
        let chosen = self.at(held.next);
        let chosen = self.in_lanes(chosen);
        let condition = self.at(held.condition);
        let condition = self.in_lanes(condition);
        let condition = if held.when { condition } else { self.b.op(Code::Not, &[condition]) };
        let takes = self.b.op(Code::And, &[self.mask, condition]);
        let from = self.last_up_to(takes, self.elem(before));
        let nothing = self.b.constant(Scalar::zero(self.elem(from)));
        let some = self.b.op(Code::Ge, &[from, nothing]);
        let new = self.without(chosen, before);
        let found = self.b.op(Code::Lookup, &[new, from]);
        let value = self.b.op(Code::Select, &[some, found, before]);
        let last = Attr::Pattern((0..self.lanes).map(|_| self.lanes - 1).collect());
        let [from, found] = [from, found].map(|it| self.b.op_with(Code::Permute, last.clone(), &[it]));
        let some = self.b.op(Code::Ge, &[from, nothing]);
        let next = self.b.op(Code::Select, &[some, found, before]);
        self.stand_for(&[held.next], &[value]);
        self.held_on.insert(number, next);
    }

    /// Of a choice between new values and the one from before, the new ones.
    fn without(&self, chosen: Value, before: Value) -> Value {
        let choice = self.kernel().def_op(chosen).map(|op| &self.kernel().ops[op]).filter(|it| it.code == Code::Select);
        let sides = choice.map(|choice| [choice.operands[1], choice.operands[2]]);
        let new = sides.and_then(|[a, b]| match (a == before, b == before) {
            (false, true) => Some(a),
            (true, false) => Some(b),
            _ => None,
        });
        new.filter(|&new| self.is_in_lanes(new)).unwrap_or(chosen)
    }

    /// The number of the last lane up to each in which a mask is on; -1 where there is none. Numbers are as wide as what is picked by them,
    /// but no wider than every target compares.
    fn last_up_to(&mut self, mask: Value, picked: Elem) -> Value {
        let elem = match picked.bytes() {
            1 if self.lanes <= 128 && picked != Elem::Bool => Elem::I8,
            2 => Elem::I16,
            _ => Elem::I32,
        };
        let lane = self.b.op_with(Code::LaneId, Attr::Lanes(self.lanes), &[]);
        let lane = if elem == Elem::I32 { lane } else { self.b.op_with(Code::Cast, Attr::Elem(elem), &[lane]) };
        let none = self.b.constant(Scalar::wrap(elem, -1));
        let mut last = self.b.op(Code::Select, &[mask, lane, none]);
        let mut distance = 1;
        while distance < self.lanes {
            // The first lanes, which have none so far before them, may ask the first one twice.
            let pattern = (0..self.lanes).map(|lane| lane.saturating_sub(distance)).collect();
            let moved = self.b.op_with(Code::Permute, Attr::Pattern(pattern), &[last]);
            last = self.b.op(Code::Max, &[last, moved]);
            distance *= 2;
        }
        self.b.name(last, "from")
    }

    /// What a group hands on of a value, in all lanes.
    pub(super) fn held_on(&mut self, number: usize, next: Value) -> Value {
        if let Some(&next) = self.held_on.get(&number) {
            return next;
        }
        let next = self.at(next);
        let next = self.last(next);
        self.in_lanes(next)
    }
}
