//! Asked lanes: a choice that is the same in every lane that somebody asks is no choice.
//!
//! ```text
//! let c = (a > b)
//! select(c, (select(c, a, 0) - b), b)        a where it is asked, so (a - b)
//! ```
//!
//! A lane of a value is *asked* where something is made of it that counts. A `select` asks its sides in the lanes that take
//! them, a store what it stores in the lanes that store, and what works lane by lane asks as it is asked. What is said of the
//! lanes that are asked is a list of *answers*: conditions, and what each of them is in all of those lanes. Uses are met
//! before what they use, so that all is known of a value when the walk comes to what makes it.
//!
//! The lanes that nobody asks may get anything by this, failures too, because nothing in lanes stops there.

use smallvec::SmallVec;

use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::{Code, Gives, Shape, Slot};
use ir::program::{Kernel, Values};
use ir::types::Elem;

/// How far it is looked into how conditions are made of others.
const DEPTH: u32 = 8;

/// Takes the side that counts for choices between lanes.
pub fn demanded_lanes(kernel: &mut Kernel) -> bool {
    let asked = EntityVec::filled(kernel.values.len(), None);
    let mut finder = Finder { kernel, asked, changed: false };
    finder.region(finder.kernel.body);
    finder.changed
}

/// A fact of all lanes that are asked: a condition, and whether it is true or false there.
type Answers = SmallVec<[(Value, bool); 4]>;

struct Finder<'k> {
    kernel: &'k mut Kernel,
    /// For each value, what holds in its lanes that are asked; nothing as long as none is.
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

    /// A side of a branch, whose values are asked as the results are.
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
            // Nobody asks for it at all.
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

    /// For what stores in lanes, or joins them, under a mask: from which operand on only its lanes are asked (but of the mask
    /// itself), and the mask.
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

    /// Notes that a value is asked in lanes of which this is known; gives what is to be used in its place.
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

    /// The side that a choice takes in all lanes that are asked, if it is in lanes as well.
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
        let is_condition = self.kernel.ty(condition).data_elem() == Some(Elem::Bool);
        if !is_condition || answers.contains(&(condition, holds)) {
            return;
        }
        answers.push((condition, holds));
        let (code, operands) = self.made(condition);
        match (code, holds) {
            (Some(Code::Not), _) => self.add(answers, operands[0], !holds),
            (Some(Code::And), true) | (Some(Code::Or), false) => {
                operands.iter().for_each(|&part| self.add(answers, part, holds));
            }
            _ => {}
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

    /// How a condition is made of others.
    fn made(&self, condition: Value) -> (Option<Code>, Values) {
        let data = self.kernel.def_op(condition).map(|op| &self.kernel.ops[op]);
        data.map_or((None, Values::new()), |data| (Some(data.code), data.operands.clone()))
    }
}
