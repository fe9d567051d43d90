//! The blocks of a loop, written before it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Plan;
use super::body::{Needed, side};
use crate::vector::wrapping;
use ir::builder::Builder;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel, Marks, OpData, Values};
use ir::scalar::Scalar;
use ir::types::Elem;

impl Plan {
    /// Puts the blocks before the loop, which starts where they end; gives the loops over a block.
    pub(super) fn write(&self, kernel: &mut Kernel) -> Vec<Op> {
        let data = kernel.ops[self.op].clone();
        let mut writer = Writer {
            plan: self,
            marks: Marks {
                counts: false,
                unroll: None,
                ..data.attr.as_control().map(|it| it.marks.clone()).unwrap_or_default()
            },
            args: kernel.regions[data.regions[0]].args.clone(),
            body: data.regions[1],
            starts: data.operands.clone(),
            b: Builder::detached(std::mem::replace(kernel, Kernel::new(""))),
            made: Vec::new(),
            new: FxHashMap::default(),
            testing: FxHashSet::default(),
            outside: None,
        };
        writer.b.set_origin(data.origin);
        if self.groups > 1 {
            writer.starts = writer.blocks(self.span * i128::from(self.groups));
        }
        let starts = writer.blocks(self.span);
        let made = writer.made;
        let (new, block) = writer.b.detach();
        *kernel = new;
        kernel.ops[self.op].operands = starts;
        let before = std::mem::take(&mut kernel.regions[block].ops);
        let ops = &mut kernel.regions[self.home].ops;
        let place = ops.iter().position(|&other| other == self.op).expect("the block lists the loop");
        ops.splice(place..place, before);
        made
    }
}

/// Writes the blocks of one loop.
struct Writer<'p> {
    plan: &'p Plan,
    /// The marks of the loop.
    marks: Marks,
    /// The arguments of the loop: its index, whether it goes on, and the carried values.
    args: Values,
    body: Region,
    starts: Values,
    b: Builder,
    /// The loops over a block.
    made: Vec<Op>,
    /// The replacement of each value of the body.
    new: FxHashMap<Value, Value>,
    /// The branches around loads that are tested in what is written.
    testing: FxHashSet<Op>,
    /// The bool that a cell that the test loads is outside of its array, in the block that is open.
    outside: Option<Value>,
}

impl Writer<'_> {
    fn kernel(&self) -> &Kernel {
        self.b.kernel()
    }

    fn at(&self, old: Value) -> Value {
        self.new.get(&old).copied().unwrap_or(old)
    }

    fn elem(&self, value: Value) -> Elem {
        self.kernel().ty(value).data_elem().unwrap_or(Elem::Bool)
    }

    fn bool(&mut self, value: bool) -> Value {
        self.b.constant(Scalar::Bool(value))
    }

    fn name_of(&self, value: Value) -> String {
        self.kernel().values[value].name.as_deref().unwrap_or("x").to_owned()
    }

    /// The loop over blocks of so many iterations' steps; gives what the loop as it was, or over shorter blocks, starts from behind it.
    fn blocks(&mut self, span: i128) -> Values {
        let changing = self.plan.changing.clone();
        let has_room = self.has_room(self.starts[0], self.starts[1], span);
        let mut inits = vec![(self.name_of(self.args[0]), self.starts[0]), ("go".to_owned(), has_room)];
        inits.extend(changing.iter().map(|&number| (self.name_of(self.args[number]), self.starts[number])));
        let inits: Vec<(&str, Value)> = inits.iter().map(|(name, init)| (name.as_str(), *init)).collect();
        let around = self.b.open_while(&inits);
        self.b.next_block(&[around[1]]);
        let far = self.constant_of(around[0], span);
        let end = self.b.op(if self.plan.upwards { Code::Add } else { Code::Sub }, &[around[0], far]);
        let range = [around[0], end, self.plan.step];
        let leaves = self.asks(range, &around[2..]);
        self.b.open_if(leaves);
        let no = self.bool(false);
        let stays: Values = [around[0], no].into_iter().chain(around[2..].iter().copied()).collect();
        self.b.next_block(&stays);
        let next = self.works(range, &around[2..]);
        let is_before = self.is_before_end(end);
        let has_room = self.has_room(end, is_before, span);
        let next: Values = [end, has_room].into_iter().chain(next).collect();
        let next = self.b.close(&next);
        let ends = self.b.close(&next);
        let mut starts = self.starts.clone();
        starts[0] = ends[0];
        starts[1] = self.is_before_end(ends[0]);
        for (&number, &end) in changing.iter().zip(&ends[2..]) {
            starts[number] = end;
        }
        starts
    }

    fn constant_of(&mut self, like: Value, number: i128) -> Value {
        let elem = self.elem(like);
        self.b.constant(Scalar::wrap(elem, number))
    }

    fn is_before_end(&mut self, at: Value) -> Value {
        self.b.op(if self.plan.upwards { Code::Lt } else { Code::Gt }, &[at, self.plan.hi])
    }

    /// Returns the bool that there are as many iterations from an index on as a block has. With steps of more than one, the
    /// last block may be refused though its last index is in range: so its end never lies behind the range's, and does not
    /// overflow.
    fn has_room(&mut self, at: Value, is_before: Value, span: i128) -> Value {
        let (elem, hi) = (self.elem(at), self.plan.hi);
        let (from, to) = if self.plan.upwards { (at, hi) } else { (hi, at) };
        // The distance fits the unsigned type, whatever the ends are.
        let distance = self.b.op(Code::WrappingSub, &[to, from]);
        let distance = match elem.is_signed() {
            true => self.b.op_with(Code::Cast, Attr::Elem(elem.to_unsigned()), &[distance]),
            false => distance,
        };
        let span = self.constant_of(distance, span);
        let fits = self.b.op(Code::Ge, &[distance, span]);
        self.b.op(Code::And, &[is_before, fits])
    }

    /// Opens a loop over a block that carries the values with these numbers.
    fn open(&mut self, range: [Value; 3], numbers: &[usize], around: &[Value], own: &[(&str, Value)]) -> Values {
        self.new.clear();
        for (&number, &value) in self.plan.changing.iter().zip(around) {
            self.new.insert(self.args[number], value);
        }
        for number in (2..self.args.len()).filter(|number| !self.plan.changing.contains(number)) {
            self.new.insert(self.args[number], self.starts[number]);
        }
        let inits: Vec<(String, Value)> =
            numbers.iter().map(|&number| (self.name_of(self.args[number]), self.at(self.args[number]))).collect();
        let named = inits.iter().map(|(name, init)| (name.as_str(), *init));
        let inits: Vec<(&str, Value)> = own.iter().copied().chain(named).collect();
        let index = self.name_of(self.args[0]);
        let args = self.b.open_for(&index, range, &inits);
        *self.b.marks() = self.marks.clone();
        let yes = self.bool(true);
        self.new.extend([(self.args[0], args[0]), (self.args[1], yes)]);
        for (&number, &arg) in numbers.iter().zip(&args[1 + own.len()..]) {
            self.new.insert(self.args[number], arg);
        }
        args
    }

    /// Closes a loop over a block.
    fn close(&mut self, yields: &[Value]) -> Values {
        let results = self.b.close(yields);
        let block = self.b.block();
        let closed = self.kernel().regions[block].ops.last().copied();
        self.made.extend(closed);
        results
    }

    /// Asks whether some iteration of a block may be the last one.
    fn asks(&mut self, range: [Value; 3], around: &[Value]) -> Value {
        let plan = self.plan;
        let numbers: Vec<usize> = plan.handed_on.iter().copied().collect();
        let no = self.bool(false);
        let args = self.open(range, &numbers, around, &[("leaves", no)]);
        let before = self.new.clone();
        self.note_testing(self.body, &plan.test);
        self.block(self.body, &plan.test, &FxHashMap::default(), true);
        let goes_on = self.at(plan.goes_on);
        let mut leaves = self.not(goes_on);
        self.new = before;
        self.testing.clear();
        self.note_testing(self.body, &plan.next);
        self.block(self.body, &plan.next, &plan.known, true);
        if let Some(outside) = self.outside.take() {
            leaves = self.b.op(Code::Or, &[outside, leaves]);
        }
        let leaves = self.b.op(Code::Or, &[args[1], leaves]);
        let next = numbers.iter().map(|&number| self.next(number));
        let next: Values = std::iter::once(leaves).chain(next).collect();
        self.close(&next)[0]
    }

    /// Notes the branches of a block around loads that are needed and have to be tested; says whether one of these stands in it.
    fn note_testing(&mut self, region: Region, needed: &Needed) -> bool {
        let mut any = false;
        for op in self.kernel().regions[region].ops.clone() {
            let mut inside = false;
            for side in self.kernel().ops[op].regions.clone() {
                inside |= self.note_testing(side, needed);
            }
            if inside {
                self.testing.insert(op);
            }
            let is_tested = self.plan.tested.get(&op).is_some_and(|dims| !dims.is_empty());
            any |= inside || is_tested && needed.ops.contains(&op);
        }
        any
    }

    /// The contrary of what was made last; of a contrary, what it was made from in its place.
    fn not(&mut self, value: Value) -> Value {
        let (kernel, block) = (self.kernel(), self.b.block());
        let last = kernel.regions[block].ops.last().copied().filter(|&op| kernel.def_op(value) == Some(op));
        match last.filter(|&op| kernel.ops[op].code == Code::Not) {
            Some(op) => {
                self.b.kernel_mut().regions[block].ops.pop();
                self.kernel().ops[op].operands[0]
            }
            None => self.b.op(Code::Not, &[value]),
        }
    }

    /// Returns the next value of a carried one if no iteration leaves.
    fn next(&self, number: usize) -> Value {
        self.at(self.kernel().regions[self.body].yields[number])
    }

    /// Does what a block does where no iteration leaves; gives what is carried on.
    fn works(&mut self, range: [Value; 3], around: &[Value]) -> Values {
        let plan = self.plan;
        if plan.work.ops.is_empty() && plan.changing.is_empty() {
            return Values::new();
        }
        self.open(range, &plan.changing, around, &[]);
        self.block(self.body, &plan.work, &plan.known, false);
        let next: Values = plan.changing.iter().map(|&number| self.next(number)).collect();
        self.close(&next)
    }

    /// The ops of a block that are needed; branches whose condition is known go one way.
    fn block(&mut self, region: Region, needed: &Needed, known: &FxHashMap<Value, bool>, asks: bool) {
        for op in self.kernel().regions[region].ops.clone() {
            if needed.ops.contains(&op) {
                let outer = self.b.set_origin(self.kernel().ops[op].origin);
                self.op(op, needed, known, asks);
                self.b.set_origin(outer);
            }
        }
    }

    fn op(&mut self, op: Op, needed: &Needed, known: &FxHashMap<Value, bool>, asks: bool) {
        let data = self.kernel().ops[op].clone();
        if data.code == Code::If {
            return match side(self.kernel(), op, known) {
                Some(side) => {
                    self.block(side, needed, known, asks);
                    let yields = self.kernel().regions[side].yields.clone();
                    let yields: Vec<Value> = yields.iter().map(|&value| self.at(value)).collect();
                    self.new.extend(data.results.iter().copied().zip(yields));
                }
                None => self.branch(op, needed, known, asks),
            };
        }
        if data.code.is_control() {
            self.b.copy(op, &mut self.new);
            return;
        }
        if let Some(&stored) = self.plan.forwarded.get(&op).filter(|_| asks) {
            self.new.insert(data.results[0], self.at(stored));
            return;
        }
        let operands: Values = data.operands.iter().map(|&value| self.at(value)).collect();
        let dims = self.plan.tested.get(&op).filter(|dims| asks && !dims.is_empty());
        if let Some(dims) = dims {
            let loaded = self.tested_load(&operands, dims);
            self.new.insert(data.results[0], loaded);
            return;
        }
        let is_integer = data.results.first().is_some_and(|&result| self.elem(result).is_integer());
        let code = wrapping(data.code).filter(|_| asks && is_integer).unwrap_or(data.code);
        let made = self.b.push(code, data.attr, &operands);
        let results = self.kernel().ops[made].results.clone();
        for (&old, &new) in data.results.iter().zip(&results) {
            self.new.insert(old, new);
            self.b.kernel_mut().values[new].name = self.kernel().values[old].name.clone();
        }
    }

    /// A branch, with those of its results that are needed, and with whether a cell lies outside if one is tested in it.
    fn branch(&mut self, op: Op, needed: &Needed, known: &FxHashMap<Value, bool>, asks: bool) {
        let data = self.kernel().ops[op].clone();
        let tests = asks && self.testing.contains(&op);
        let condition = self.at(data.operands[0]);
        if let Some((result, holds)) = self.says(&data, needed) {
            let said = if holds { condition } else { self.not(condition) };
            self.new.insert(result, said);
            return;
        }
        let around = self.outside.take();
        self.b.open_if(condition);
        let mut results = Values::new();
        for (n, &side) in data.regions.iter().enumerate() {
            self.block(side, needed, known, asks);
            let wanted = data.results.iter().enumerate().filter(|(_, result)| needed.values.contains(result));
            let wanted: Vec<usize> = wanted.map(|(number, _)| number).collect();
            let mut yields: Values =
                wanted.iter().map(|&number| self.at(self.kernel().regions[side].yields[number])).collect();
            let outside = self.outside.take();
            if tests {
                let no = self.bool(false);
                yields.push(outside.unwrap_or(no));
            }
            if n == 0 {
                self.b.next_block(&yields);
                continue;
            }
            results = self.b.close(&yields);
            self.new.extend(wanted.iter().map(|&number| data.results[number]).zip(results.iter().copied()));
        }
        self.outside = around;
        if let Some(&outside) = results.last().filter(|_| tests) {
            self.note(outside);
        }
    }

    /// The only result that is needed of a branch which but says that its condition holds, or does not.
    fn says(&self, branch: &OpData, needed: &Needed) -> Option<(Value, bool)> {
        let mut wanted = branch.results.iter().enumerate().filter(|(_, result)| needed.values.contains(result));
        let (number, &result) = wanted.next().filter(|_| wanted.next().is_none())?;
        let kernel = self.kernel();
        let does = |region: &Region| kernel.regions[*region].ops.iter().any(|op| needed.ops.contains(op));
        let yields = |n: usize| kernel.as_const(kernel.regions[branch.regions[n]].yields[number]);
        match (yields(0)?, yields(1)?) {
            (Scalar::Bool(a), Scalar::Bool(b)) if a != b && !branch.regions.iter().any(does) => Some((result, a)),
            _ => None,
        }
    }

    /// Notes that a cell lies outside where a condition holds.
    fn note(&mut self, outside: Value) {
        self.outside = Some(match self.outside {
            Some(before) => self.b.op(Code::Or, &[before, outside]),
            None => outside,
        });
    }

    /// A load that is only done if its cell lies in its array.
    fn tested_load(&mut self, operands: &Values, dims: &[usize]) -> Value {
        let elem = self.kernel().ty(operands[0]).elem().expect("a view of elements");
        let mut lies = None;
        for &dim in dims {
            let at = self.b.op(Code::Index, &[operands[1 + dim]]);
            let size = self.b.op_with(Code::Size, Attr::Number(dim as i64), &[operands[0]]);
            let zero = self.b.constant(Scalar::I64(0));
            let (behind, before) = (self.b.op(Code::Ge, &[at, zero]), self.b.op(Code::Lt, &[at, size]));
            let both = self.b.op(Code::And, &[behind, before]);
            lies = Some(match lies {
                Some(others) => self.b.op(Code::And, &[others, both]),
                None => both,
            });
        }
        let lies = lies.expect("a dimension to test");
        self.b.open_if(lies);
        let loaded = self.b.op(Code::Load, operands);
        let (no, yes) = (self.bool(false), self.bool(true));
        self.b.next_block(&[loaded, no]);
        let nothing = self.b.constant(Scalar::zero(elem));
        let results = self.b.close(&[nothing, yes]);
        self.note(results[1]);
        results[0]
    }
}
