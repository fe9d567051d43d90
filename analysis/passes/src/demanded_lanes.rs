//! Demanded lanes: a `select` whose condition has one and the same value in every demanded lane is replaced by the side that
//! it takes.
//!
//! ```text
//! let c = (a > b)
//! select(c, (select(c, a, 0) - b), b)        a in the demanded lanes, so (a - b)
//! ```
//!
//! A lane of a value is *demanded* (`asked` in the code) where something that counts is computed from it. A `select` demands
//! its sides in the lanes that take them, a store demands the stored value in the lanes that store, and an op that works
//! lane by lane demands of its operands the lanes that are demanded of its result. The facts about the demanded lanes are a
//! list of *answers*: conditions, each with its value in all of those lanes. Uses are visited before definitions, so that
//! all demands on a value are known when the walk reaches the op that defines it.
//!
//! A lane that is not demanded may get any value by this, even one from an op that fails in scalar code: vector ops do
//! not stop the program.

use smallvec::SmallVec;

use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::{Code, Gives, Shape, Slot};
use ir::program::{Kernel, Values};
use ir::types::Elem;

/// The limit on the depth to which the parts of a condition are looked into.
const DEPTH: u32 = 8;

/// The limit on the number of answers that are kept for a value. What is given up is what was learnt first, farthest from it.
const MAX_ANSWERS: usize = 24;

/// Takes the side that counts for choices between lanes.
pub fn demanded_lanes(kernel: &mut Kernel) -> bool {
    let asked = EntityVec::filled(kernel.values.len(), None);
    let mut finder = Finder { kernel, asked, changed: false };
    finder.region(finder.kernel.body);
    finder.changed
}

/// The facts that hold in all demanded lanes: conditions, each with its value there.
type Answers = SmallVec<[(Value, bool); 4]>;

struct Finder<'k> {
    kernel: &'k mut Kernel,
    /// The facts that hold in the demanded lanes of each value; `None` as long as no lane is demanded.
    asked: EntityVec<Value, Option<Answers>>,
    changed: bool,
}

impl Finder<'_> {
    fn region(&mut self, region: Region) {
        let mut yields = std::mem::take(&mut self.kernel.regions[region].yields);
        yields.iter_mut().for_each(|value| *value = self.ask(*value, &Answers::new()));
        self.kernel.regions[region].yields = yields;
        self.ops(region);
    }

    fn ops(&mut self, region: Region) {
        for op in self.kernel.regions[region].ops.clone().into_iter().rev() {
            // The body of a `while` uses what its test makes, so the last region goes first.
            for inner in self.kernel.ops[op].regions.clone().into_iter().rev() {
                match self.kernel.ops[op].code {
                    Code::If => self.side(op, inner),
                    _ => self.region(inner),
                }
            }
            self.operands(op);
        }
    }

    /// Visits a side of a branch, whose values are demanded in the lanes in which the results are.
    fn side(&mut self, branch: Op, region: Region) {
        let results = self.kernel.ops[branch].results.clone();
        let mut yields = std::mem::take(&mut self.kernel.regions[region].yields);
        for (value, result) in yields.iter_mut().zip(results) {
            if let Some(answers) = self.asked[result].clone() {
                *value = self.ask(*value, &answers);
            }
        }
        self.kernel.regions[region].yields = yields;
        self.ops(region);
    }

    fn operands(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let mut operands = data.operands.clone();
        let is_in_lanes = |value: &Value| self.kernel.ty(*value).lanes().is_some();
        if !operands.iter().any(is_in_lanes) {
            return;
        }
        let is_elementwise = data.code.is_elementwise();
        let of_result = match is_elementwise {
            // No lane of the value is demanded.
            true if self.asked[data.results[0]].is_none() => return,
            true => self.asked[data.results[0]].clone().unwrap_or_default(),
            false => Answers::new(),
        };
        let of_mask = self.stored_or_joined(op);
        for number in 0..operands.len() {
            let mut answers = of_result.clone();
            match (self.kernel.ops[op].code, number) {
                (Code::Select, 1) => self.add(&mut answers, operands[0], true),
                (Code::Select, 2) => self.add(&mut answers, operands[0], false),
                // The first side alone decides where it is false, or true.
                (Code::And, 1) => self.add(&mut answers, operands[0], true),
                (Code::Or, 1) => self.add(&mut answers, operands[0], false),
                _ => {}
            }
            if let Some((_, mask)) = of_mask.filter(|(first, mask)| number >= *first && operands[number] != *mask) {
                self.add(&mut answers, mask, true);
            }
            operands[number] = self.ask(operands[number], &answers);
        }
        self.kernel.ops[op].operands = operands;
    }

    /// Returns, for an op that stores or joins lanes under a mask, the number of the first operand that is demanded in
    /// the mask's lanes alone (except for the mask itself), and the mask.
    fn stored_or_joined(&self, op: Op) -> Option<(usize, Value)> {
        let data = &self.kernel.ops[op];
        let row = data.code.row();
        let joins = matches!(row.gives, Gives::SameScalar | Gives::ScalarOf(_)) && row.slots.len() > 1;
        let n_cells = || 1 + usize::from(self.kernel.ty(data.operands[0]).rank());
        let (first, mask) = match row.slots {
            [Slot::View, _, Slot::Mask, Slot::StoredRest(..)] => (n_cells() + 1, n_cells()),
            [Slot::View, _, Slot::Stored(Shape::Both), ..] => (n_cells(), n_cells() + 1),
            [.., Slot::Asked | Slot::OptionalMask] if joins => (0, row.slots.len() - 1),
            _ => return None,
        };
        let mask = *data.operands.get(mask)?;
        self.kernel.ty(mask).lanes().map(|_| (first, mask))
    }

    /// Records that a value is demanded in the lanes in which these facts hold; returns the value to use in its place.
    fn ask(&mut self, mut value: Value, answers: &Answers) -> Value {
        if self.kernel.ty(value).lanes().is_none() {
            return value;
        }
        while let Some(side) = self.only_side(value, answers) {
            self.changed = true;
            value = side;
        }
        match &mut self.asked[value] {
            Some(known) => known.retain(|answer| answers.contains(answer)),
            unasked => *unasked = Some(answers.clone()),
        }
        value
    }

    /// Returns the side that a `select` takes in all demanded lanes, if its type is that of the `select`.
    fn only_side(&self, value: Value, answers: &Answers) -> Option<Value> {
        let data = &self.kernel.ops[self.kernel.def_op(value)?];
        let &[condition, then, otherwise] = data.operands.as_slice() else { return None };
        if data.code != Code::Select {
            return None;
        }
        let side = match condition {
            _ if answers.is_empty() => return None,
            _ if self.is(condition, true, answers, DEPTH) => then,
            _ if self.is(condition, false, answers, DEPTH) => otherwise,
            _ => return None,
        };
        (self.kernel.ty(side) == self.kernel.ty(value)).then_some(side)
    }

    /// Adds an answer, and those that follow from it.
    fn add(&self, answers: &mut Answers, condition: Value, holds: bool) {
        let before = answers.clone();
        if !self.add_all(answers, condition, holds) {
            *answers = before;
            self.add_last(answers, condition, holds);
        }
    }

    /// Adds an answer, and those that follow from it, unless they are too many; says whether they were added.
    fn add_all(&self, answers: &mut Answers, condition: Value, holds: bool) -> bool {
        let is_condition = self.kernel.ty(condition).data_elem() == Some(Elem::Bool);
        if !is_condition || answers.contains(&(condition, holds)) {
            return true;
        }
        if answers.len() == MAX_ANSWERS {
            return false;
        }
        answers.push((condition, holds));
        let (operands, hold) = self.parts(condition, holds);
        operands.iter().all(|&part| self.add_all(answers, part, hold))
    }

    /// Adds what follows from an answer as far as there is room. A condition may have thousands of parts, so those that would be given up
    /// are not looked at.
    fn add_last(&self, answers: &mut Answers, condition: Value, holds: bool) {
        let mut last = Answers::new();
        // Each condition comes up twice: before its parts, the last of which goes first, and behind them.
        let mut open = vec![(condition, holds, false)];
        while let Some((condition, holds, is_behind)) = open.pop().filter(|_| last.len() < MAX_ANSWERS) {
            if is_behind {
                if !last.contains(&(condition, holds)) {
                    last.push((condition, holds));
                }
            } else if self.kernel.ty(condition).data_elem() == Some(Elem::Bool) {
                open.push((condition, holds, true));
                let (operands, hold) = self.parts(condition, holds);
                open.extend(operands.iter().map(|&part| (part, hold, false)));
            }
        }
        answers.retain(|answer| !last.contains(answer));
        answers.extend(last.into_iter().rev());
        let n_given_up = answers.len().saturating_sub(MAX_ANSWERS);
        answers.drain(..n_given_up);
    }

    /// The conditions that an answer decides, and their value.
    fn parts(&self, condition: Value, holds: bool) -> (Values, bool) {
        let (code, operands) = self.made(condition);
        match (code, holds) {
            (Some(Code::Not), _) => (operands, !holds),
            (Some(Code::And), true) | (Some(Code::Or), false) => (operands, holds),
            _ => (Values::new(), holds),
        }
    }

    /// Says whether a condition is known to be true, or false, in all lanes with these answers.
    fn is(&self, condition: Value, holds: bool, answers: &Answers, depth: u32) -> bool {
        if answers.contains(&(condition, holds)) || depth == 0 {
            return depth > 0;
        }
        let (code, operands) = self.made(condition);
        let is = |&part: &Value, holds| self.is(part, holds, answers, depth - 1);
        match (code, holds) {
            (Some(Code::Not), _) => is(&operands[0], !holds),
            (Some(Code::And), true) | (Some(Code::Or), false) => operands.iter().all(|part| is(part, holds)),
            (Some(Code::And), false) | (Some(Code::Or), true) => operands.iter().any(|part| is(part, holds)),
            _ => false,
        }
    }

    /// Returns the op that computes a condition, with its operands.
    fn made(&self, condition: Value) -> (Option<Code>, Values) {
        let data = self.kernel.def_op(condition).map(|op| &self.kernel.ops[op]);
        data.map_or((None, Values::new()), |data| (Some(data.code), data.operands.clone()))
    }
}
