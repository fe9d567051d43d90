//! Search: a loop that may be left early goes in blocks, and asks of a whole block whether one of its iterations is the last
//! before it does any of them.
//!
//! ```text
//! for i in range(n):               while at least a block is left:
//!     if a[i] == 0:                    for i in range(at, at + 8):        asks: runs as lanes
//!         break                            leaves |= a[i] == 0
//!     b[i] = a[i]                      if not leaves:
//!                                          for i in range(at, at + 8):    works: runs as lanes
//!                                              b[i] = a[i]
//!                                  the loop as it was, from where the blocks end
//! ```
//!
//! What is asked is asked of iterations, too, that the program never comes to: those behind the one that leaves. So nothing
//! may be asked that fails. Sums wrap; a load is done where its cell is known to lie in its array, by the loop's range or
//! by a test, and an iteration whose cell does not counts as one that may leave. The loop as it was does the rest: the block
//! in which an iteration leaves, and what is less than a block. So whatever happens there happens as in the program.
//!
//! It is done only where both loops over a block can run as lanes, and no loop around this one takes them.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::vector::{homes, wrapping};
use super::{Context, copy};
use crate::builder::Builder;
use crate::decision::{Decision, Said};
use crate::entities::{Op, Region, Value};
use crate::facts::access::declared_size;
use crate::facts::dependence::Limits;
use crate::facts::form::Atom;
use crate::facts::loops::{self, Loops, Stores};
use crate::facts::{self, Facts, Form};
use crate::ops::{Code, Effect};
use crate::pipeline::Options;
use crate::program::{Attr, Def, Kernel, Marks, OpData, Size, Values};
use crate::scalar::Scalar;
use crate::types::Elem;

/// What its decisions are called: as the reason that they lift, or do not.
const CODE: &str = "early-exit";

/// Lets loops that may be left early go in blocks; says whether there are any.
pub fn search(kernel: &mut Kernel, context: &mut Context) -> bool {
    let candidates = if kernel.lanes.is_some() { Vec::new() } else { candidates(kernel) };
    if candidates.is_empty() {
        return false;
    }
    let found = context.loops(kernel);
    let facts = facts::facts(kernel, &[]);
    // Plans are made of loops apart from each other, so all keep their places.
    let homes = homes(kernel, &candidates);
    let around = in_lanes(kernel, &found);
    let mut plans = Vec::new();
    for op in candidates {
        let plan = match around.contains(&op) {
            true => Err(vec!["a loop around this one runs as lanes".into()]),
            false => Plan::of(kernel, &facts, homes[&op], op, context.options),
        };
        match plan {
            Ok(plan) => plans.push(plan),
            Err(why) => context.decide(Decision::left(kernel.ops[op].origin, CODE, why)),
        }
    }
    let runs = run_as_lanes(kernel, &plans);
    let mut changed = false;
    for (plan, runs) in plans.iter().zip(runs) {
        let origin = kernel.ops[plan.op].origin;
        if !runs {
            context.decide(Decision::left(origin, CODE, vec!["a block of iterations could not run as lanes".into()]));
            continue;
        }
        let because = vec![
            "whether one of".into(),
            i128::from(plan.block).into(),
            "iterations is the last one is asked before they are done".into(),
        ];
        context.decide(Decision::taken(origin, CODE, because));
        plan.apply(kernel);
        changed = true;
    }
    changed
}

/// Loops that count and may be left early, with no other such loop inside, outside of all that has lanes by its word.
fn candidates(kernel: &Kernel) -> Vec<Op> {
    fn collect(kernel: &Kernel, region: Region, found: &mut Vec<Op>) {
        for &op in &kernel.regions[region].ops {
            let data = &kernel.ops[op];
            if data.code == Code::Foreach {
                continue;
            }
            let start = found.len();
            data.regions.iter().for_each(|&inner| collect(kernel, inner, found));
            let counts = kernel.control(op).is_some_and(|control| control.marks.counts);
            if counts && found.len() == start {
                found.push(op);
            }
        }
    }
    let mut found = Vec::new();
    collect(kernel, kernel.body, &mut found);
    found
}

/// The ops inside of loops that can run as lanes.
fn in_lanes(kernel: &Kernel, found: &Loops) -> HashSet<Op> {
    fn collect(kernel: &Kernel, region: Region, found: &Loops, under: bool, all: &mut HashSet<Op>) {
        for &op in &kernel.regions[region].ops {
            if under {
                all.insert(op);
            }
            let under = under || found.of(op).is_some_and(|known| known.verdict.is_vector);
            kernel.ops[op].regions.iter().for_each(|&inner| collect(kernel, inner, found, under, all));
        }
    }
    let mut all = HashSet::new();
    collect(kernel, kernel.body, found, false, &mut all);
    all
}

/// For each plan, whether both of its loops over a block could run as lanes.
fn run_as_lanes(kernel: &Kernel, plans: &[Plan]) -> Vec<bool> {
    if plans.is_empty() {
        return Vec::new();
    }
    let mut trial = kernel.clone();
    let made: Vec<Vec<Op>> = plans.iter().map(|plan| plan.apply(&mut trial)).collect();
    let found = loops::loops(&trial, &Limits::default());
    let is_vector = |op: &Op| found.of(*op).is_some_and(|known| known.verdict.is_vector);
    made.iter().map(|loops| loops.iter().all(is_vector)).collect()
}

/// How a loop goes in blocks.
struct Plan {
    op: Op,
    /// The block that it stands in.
    home: Region,
    /// How many iterations a block has.
    block: u16,
    hi: Value,
    upwards: bool,
    step: Value,
    /// Whether the loop goes on, apart from its range.
    goes_on: Value,
    /// The conditions that are known where it does.
    known: HashMap<Value, bool>,
    /// What is carried and changes, by number.
    changing: Vec<usize>,
    /// What tells that it goes on.
    test: Needed,
    /// What the test takes of what iterations hand on, by number, and what makes that.
    handed_on: BTreeSet<usize>,
    next: Needed,
    /// What is done where no iteration leaves.
    work: Needed,
    /// The loads that are asked for, each with the dimensions in which its cell has to be tested.
    tested: HashMap<Op, Vec<usize>>,
}

/// Ops of a loop's body that something needs, with the values of them that it uses.
#[derive(Default)]
struct Needed {
    ops: HashSet<Op>,
    values: HashSet<Value>,
    /// What it takes of what the loop carries, by number.
    carried: BTreeSet<usize>,
}

impl Plan {
    /// Why not is words for a decision; none where nothing is to be said.
    fn of(kernel: &Kernel, facts: &Facts, home: Region, op: Op, options: &Options) -> Result<Plan, Vec<Said>> {
        let not = |words: &str| vec![words.into()];
        let Some(range) = Range::of(kernel, op) else { return Err(not("its range is none of single steps")) };
        let body = Body::of(kernel, op, range.goes_on);
        let block = lanes(kernel, facts, op, options);
        let most = kernel.ty(range.hi).data_elem().and_then(facts::Range::of).map_or(0, |range| range.hi);
        if block < 2 || i128::from(block) > most {
            return Err(not("there is no more than one lane"));
        }
        let mut test = Needed::default();
        let mut next = Needed::default();
        let first = || not("whether it goes on cannot be known before an iteration is done");
        body.test(range.goes_on, &HashMap::new(), &mut test).ok_or_else(first)?;
        let mut handed_on = BTreeSet::new();
        while let Some(&number) = test.carried.iter().chain(&next.carried).find(|number| !handed_on.contains(*number)) {
            handed_on.insert(number);
            body.test(body.yielded(number), &body.known, &mut next).ok_or_else(first)?;
        }
        handed_on.retain(|&number| body.changes(number));
        let mut tested = HashMap::new();
        for &load in test.ops.union(&next.ops).filter(|op| kernel.ops[**op].code == Code::Load) {
            let dims = body.to_be_tested(facts, &range, load).ok_or_else(|| {
                let array = Said::value(kernel, kernel.root(kernel.ops[load].operands[0]));
                vec![
                    "iterations behind the last one might load outside of".into(),
                    array,
                    "whose size is not known".into(),
                ]
            })?;
            tested.insert(load, dims);
        }
        let changing: Vec<usize> = (2..kernel.ops[op].results.len()).filter(|&number| body.changes(number)).collect();
        let mut work = Needed::default();
        body.done(kernel.ops[op].regions[1], &tested, &mut work);
        body.need(changing.iter().map(|&number| body.yielded(number)).collect(), &mut work);
        let Range { hi, upwards, step, goes_on } = range;
        Ok(Plan {
            op,
            home,
            block,
            hi,
            upwards,
            step,
            goes_on,
            known: body.known,
            changing,
            test,
            handed_on,
            next,
            work,
            tested,
        })
    }
}

/// The range of a loop that counts.
struct Range {
    hi: Value,
    upwards: bool,
    step: Value,
    /// Whether the loop goes on, apart from the range.
    goes_on: Value,
}

impl Range {
    /// `None` for another step than one up or down, and where the loop is not left early at all.
    fn of(kernel: &Kernel, op: Op) -> Option<Range> {
        let data = &kernel.ops[op];
        let [test, body] = data.regions.as_slice() else { return None };
        let (test, body) = (&kernel.regions[*test], &kernel.regions[*body]);
        let (index, lo) = (*test.args.first()?, *data.operands.first()?);
        let made = |value: Value| kernel.def_op(value).map(|op| &kernel.ops[op]);
        let starts = made(*data.operands.get(1)?)?;
        let upwards = starts.code == Code::Lt;
        if !matches!(starts.code, Code::Lt | Code::Gt) || starts.operands[0] != lo {
            return None;
        }
        let hi = starts.operands[1];
        let next = made(body.yields[0]).filter(|next| next.code == Code::WrappingAdd && next.operands[0] == index)?;
        let step = next.operands[1];
        let one = if upwards { 1 } else { -1 };
        kernel.as_const(step).and_then(Scalar::wide).filter(|&step| step == one)?;
        let goes_on = made(body.yields[1]).filter(|goes| goes.code == Code::And)?.operands[0];
        let is_plain = test.ops.is_empty() && test.yields.first() == test.args.get(1);
        (is_plain && kernel.def_op(goes_on).is_some()).then_some(Range { hi, upwards, step, goes_on })
    }
}

/// The ops inside of another one.
fn inside(kernel: &Kernel, op: Op) -> HashSet<Op> {
    let mut inside = HashSet::new();
    kernel.walk_inside(op, &mut |inner| {
        inside.insert(inner);
    });
    inside
}

/// As many iterations as lanes fill with the narrowest cells that the loop touches.
fn lanes(kernel: &Kernel, facts: &Facts, op: Op, options: &Options) -> u16 {
    let marked = kernel.control(op).and_then(|control| control.marks.lanes);
    marked.or(options.lanes).unwrap_or_else(|| {
        let inside = inside(kernel, op);
        let narrowest =
            inside.into_iter().filter_map(|op| facts.access(op)).map(|access| access.bytes).min().unwrap_or(4).max(1);
        options.target.lanes_for(narrowest as usize)
    })
}

/// The conditions that are known where a value is true, as far as branches tell: which way they go.
fn known(kernel: &Kernel, op: Op, value: Value) -> HashMap<Value, bool> {
    let body = kernel.ops[op].regions[1];
    let mut known = HashMap::new();
    let mut open = vec![(body, value, true)];
    while let Some((region, value, holds)) = open.pop() {
        let Def::Result(maker, number) = kernel.values[value].def else { continue };
        // Of what is made elsewhere nothing is known but in the block that needs it.
        if !kernel.regions[region].ops.contains(&maker) || known.insert(value, holds).is_some() {
            continue;
        }
        let data = &kernel.ops[maker];
        match data.code {
            Code::Not => open.push((region, data.operands[0], !holds)),
            Code::And if holds => open.extend(data.operands.iter().map(|&part| (region, part, true))),
            Code::Or if !holds => open.extend(data.operands.iter().map(|&part| (region, part, false))),
            Code::If => {
                let yields = |side: usize| kernel.regions[data.regions[side]].yields[number as usize];
                let never = |side: usize| kernel.as_const(yields(side)) == Some(Scalar::Bool(!holds));
                match (never(0), never(1)) {
                    (true, false) => open.push((region, data.operands[0], false)),
                    (false, true) => open.push((region, data.operands[0], true)),
                    _ => {}
                }
                open.extend((0..2).filter(|&side| !never(side)).map(|side| (data.regions[side], yields(side), holds)));
            }
            _ => {}
        }
    }
    known
}

/// The side of a branch that is taken where some conditions are known.
fn side(kernel: &Kernel, op: Op, known: &HashMap<Value, bool>) -> Option<Region> {
    let data = &kernel.ops[op];
    let condition = data.operands.first().filter(|_| data.code == Code::If)?;
    known.get(condition).map(|&holds| data.regions[usize::from(!holds)])
}

/// Whether a size, or a part of it, is not known.
fn has_own(size: &Size) -> bool {
    match size {
        Size::Own => true,
        Size::Constant(_) | Size::Param(_) => false,
        Size::Arithmetic(_, a, b) => has_own(a) || has_own(b),
    }
}

/// Whether an op can be done of anything: it does not fail, or it does not as an op that wraps.
fn never_fails(kernel: &Kernel, op: Op) -> bool {
    let data = &kernel.ops[op];
    let by = data.operands.get(1).and_then(|&by| kernel.as_const(by)?.wide());
    data.code.is_elementwise()
        && match data.code {
            Code::Div | Code::FloorDiv | Code::Rem => by.is_some_and(|by| by != 0 && by != -1),
            Code::Shl | Code::Shr => {
                let bits = kernel.ty(data.operands[0]).data_elem().map_or(0, |elem| 8 * elem.bytes() as i128);
                by.is_some_and(|by| (0..bits).contains(&by))
            }
            code => kernel.effect(op) == Effect::Pure || wrapping(code).is_some(),
        }
}

/// The body of a loop that is looked at.
struct Body<'k> {
    kernel: &'k Kernel,
    op: Op,
    inside: HashSet<Op>,
    known: HashMap<Value, bool>,
}

impl<'k> Body<'k> {
    fn of(kernel: &'k Kernel, op: Op, goes_on: Value) -> Body<'k> {
        Body { kernel, op, inside: inside(kernel, op), known: known(kernel, op, goes_on) }
    }

    /// The number of a value that the loop carries, apart from its index and what it tests.
    fn number(&self, value: Value) -> Option<usize> {
        let test = self.kernel.ops[self.op].regions[0];
        self.kernel.regions[test].args.iter().position(|&arg| arg == value).filter(|&number| number >= 2)
    }

    /// What the loop hands on.
    fn yielded(&self, number: usize) -> Value {
        self.kernel.regions[self.kernel.ops[self.op].regions[1]].yields[number]
    }

    /// The same where no iteration leaves, out of the branches that then go one way.
    fn next(&self, number: usize) -> Value {
        let mut value = self.yielded(number);
        while let Def::Result(op, number) = self.kernel.values[value].def
            && self.kernel.ops[op].code == Code::If
            && let Some(side) = side(self.kernel, op, &self.known)
        {
            value = self.kernel.regions[side].yields[number as usize];
        }
        value
    }

    fn changes(&self, number: usize) -> bool {
        let test = self.kernel.ops[self.op].regions[0];
        self.next(number) != self.kernel.regions[test].args[number]
    }

    /// What a value is made from, if the loop makes it and that has not been noted.
    fn parts(&self, value: Value, known: &HashMap<Value, bool>, needed: &mut Needed) -> Option<(Op, Vec<Value>)> {
        needed.carried.extend(self.number(value));
        let Def::Result(op, number) = self.kernel.values[value].def else { return None };
        if !self.inside.contains(&op) || !needed.values.insert(value) {
            return None;
        }
        needed.ops.insert(op);
        let data = &self.kernel.ops[op];
        let yielded = |side: Region| self.kernel.regions[side].yields[number as usize];
        let parts = match (data.code, side(self.kernel, op, known)) {
            (Code::If, Some(side)) => vec![yielded(side)],
            (Code::If, None) => data.regions.iter().map(|&side| yielded(side)).chain([data.operands[0]]).collect(),
            _ => self.kernel.inputs(op),
        };
        Some((op, parts))
    }

    /// Notes what a value needs; `None` if that cannot be had of iterations that the program does not come to.
    fn test(&self, value: Value, known: &HashMap<Value, bool>, needed: &mut Needed) -> Option<()> {
        let kernel = self.kernel;
        let stores = Stores::of(kernel, self.op);
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let Some((op, parts)) = self.parts(value, known, needed) else { continue };
            let data = &kernel.ops[op];
            let can_be_had = match data.code {
                Code::If | Code::Field | Code::Size => true,
                Code::Load => !stores.may_touch(kernel, kernel.root(data.operands[0])),
                _ => never_fails(kernel, op),
            };
            if !can_be_had {
                return None;
            }
            open.extend(parts);
        }
        Some(())
    }

    /// Notes what values need where no iteration leaves.
    fn need(&self, mut values: Vec<Value>, needed: &mut Needed) {
        while let Some(value) = values.pop() {
            values.extend(self.parts(value, &self.known, needed).map(|(_, parts)| parts).unwrap_or_default());
        }
    }

    /// Notes what is needed for all that a block does where no iteration leaves. What was asked for did not fail, so it is done
    /// again only for somebody who uses it.
    fn done(&self, region: Region, asked: &HashMap<Op, Vec<usize>>, needed: &mut Needed) {
        let kernel = self.kernel;
        for &op in &kernel.regions[region].ops {
            let data = &kernel.ops[op];
            if data.code == Code::If {
                let before = needed.ops.len();
                let taken = side(kernel, op, &self.known);
                match taken {
                    Some(side) => self.done(side, asked, needed),
                    None => data.regions.iter().for_each(|&side| self.done(side, asked, needed)),
                }
                if needed.ops.len() > before {
                    needed.ops.insert(op);
                    self.need(if taken.is_none() { vec![data.operands[0]] } else { Vec::new() }, needed);
                }
            } else if kernel.effect(op) != Effect::Pure && !data.code.is_elementwise() && !asked.contains_key(&op) {
                needed.ops.insert(op);
                needed.values.extend(&data.results);
                self.need(kernel.inputs(op), needed);
            }
        }
    }

    /// The dimensions in which a load's cell has to be tested, so that it lies in its array for all of the loop's range;
    /// `None` if its size is not known.
    fn to_be_tested(&self, facts: &Facts, range: &Range, load: Op) -> Option<Vec<usize>> {
        let kernel = self.kernel;
        let data = &kernel.ops[load];
        let (view, root) = (data.operands[0], kernel.root(data.operands[0]));
        let is_whole = view == root || kernel.def_op(view).is_some_and(|op| kernel.ops[op].code == Code::Field);
        let param = kernel.params.iter().find(|param| param.value == root);
        let is_sized = param.is_none_or(|param| !param.sizes.iter().any(has_own));
        let mut dims = Vec::new();
        for (dim, &subscript) in data.operands[1..].iter().enumerate() {
            if !(is_whole && self.lies_inside(facts, range, root, dim, subscript).is_some()) {
                dims.push(dim);
            }
        }
        (is_sized || dims.is_empty()).then_some(dims)
    }

    /// Something, if a subscript, which moves along with the index, is in range at both ends of the loop.
    fn lies_inside(&self, facts: &Facts, range: &Range, root: Value, dim: usize, subscript: Value) -> Option<()> {
        let kernel = self.kernel;
        let index = kernel.regions[kernel.ops[self.op].regions[0]].args[0];
        let form = |value: Value| facts.values[value].exact_form();
        let own = form(subscript)?;
        let times = own.terms().find(|(atoms, _)| *atoms == [Atom::Value(index)]).map_or(0, |(_, times)| times);
        let rest = own.sub(&Form::value(index).scale(times)?)?;
        if rest.values().contains(&index) {
            return None;
        }
        let one = Form::constant(if range.upwards { 1 } else { -1 });
        let at = |end: &Form| rest.add(&end.scale(times)?);
        let ends = [at(form(kernel.ops[self.op].operands[0])?)?, at(&form(range.hi)?.sub(&one)?)?];
        let [low, high] = if (times >= 0) == range.upwards { [0, 1] } else { [1, 0] };
        let below = declared_size(kernel, root, dim)?.sub(&ends[high])?.sub(&Form::constant(1))?;
        let is_natural = |form: &Form| form.as_constant().is_some_and(|constant| constant >= 0);
        (is_natural(&ends[low]) && is_natural(&below)).then_some(())
    }
}

impl Plan {
    /// Puts the blocks before the loop, which starts where they end; gives the loops over a block.
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        let data = kernel.ops[self.op].clone();
        let mut writer = Writer {
            plan: self,
            marks: Marks { counts: false, ..data.attr.as_control().map(|it| it.marks.clone()).unwrap_or_default() },
            args: kernel.regions[data.regions[0]].args.clone(),
            body: data.regions[1],
            starts: data.operands.clone(),
            b: Builder::detached(std::mem::replace(kernel, Kernel::new(""))),
            made: Vec::new(),
            new: HashMap::new(),
            outside: None,
        };
        writer.b.set_origin(data.origin);
        let starts = writer.blocks();
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
    /// What the source says about the loop.
    marks: Marks,
    /// What the loop has for its index, for whether it goes on, and for what it carries.
    args: Values,
    body: Region,
    starts: Values,
    b: Builder,
    /// The loops over a block.
    made: Vec<Op>,
    /// What stands for each value of the body.
    new: HashMap<Value, Value>,
    /// Whether a cell that was asked for lies outside of its array, in the block that is open.
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

    /// The loop over blocks; gives what the loop as it was starts from behind it.
    fn blocks(&mut self) -> Values {
        let changing = self.plan.changing.clone();
        let has_room = self.has_room(self.starts[0], self.starts[1]);
        let mut inits = vec![(self.name_of(self.args[0]), self.starts[0]), ("go".to_owned(), has_room)];
        inits.extend(changing.iter().map(|&number| (self.name_of(self.args[number]), self.starts[number])));
        let inits: Vec<(&str, Value)> = inits.iter().map(|(name, init)| (name.as_str(), *init)).collect();
        let around = self.b.open_while(&inits);
        self.b.next_block(&[around[1]]);
        let block = self.constant_of(around[0], self.plan.block.into());
        let end = self.b.op(if self.plan.upwards { Code::Add } else { Code::Sub }, &[around[0], block]);
        let range = [around[0], end, self.plan.step];
        let leaves = self.asks(range, &around[2..]);
        self.b.open_if(leaves);
        let no = self.bool(false);
        let stays: Values = [around[0], no].into_iter().chain(around[2..].iter().copied()).collect();
        self.b.next_block(&stays);
        let next = self.works(range, &around[2..]);
        let is_before = self.is_before_end(end);
        let has_room = self.has_room(end, is_before);
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

    /// Whether there are as many iterations from an index on as a block has.
    fn has_room(&mut self, at: Value, is_before: Value) -> Value {
        let (elem, hi) = (self.elem(at), self.plan.hi);
        let (from, to) = if self.plan.upwards { (at, hi) } else { (hi, at) };
        // The distance fits the unsigned type, whatever the ends are.
        let distance = self.b.op(Code::WrappingSub, &[to, from]);
        let distance = match elem.is_signed() {
            true => self.b.op_with(Code::Cast, Attr::Elem(elem.to_unsigned()), &[distance]),
            false => distance,
        };
        let block = self.constant_of(distance, self.plan.block.into());
        let fits = self.b.op(Code::Ge, &[distance, block]);
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
        self.block(self.body, &plan.test, &HashMap::new(), true);
        let goes_on = self.at(plan.goes_on);
        let mut leaves = self.not(goes_on);
        self.new = before;
        self.block(self.body, &plan.next, &plan.known, true);
        if let Some(outside) = self.outside.take() {
            leaves = self.b.op(Code::Or, &[outside, leaves]);
        }
        let leaves = self.b.op(Code::Or, &[args[1], leaves]);
        let next = numbers.iter().map(|&number| self.next(number));
        let next: Values = std::iter::once(leaves).chain(next).collect();
        self.close(&next)[0]
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

    /// What the loop hands on where no iteration leaves.
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
    fn block(&mut self, region: Region, needed: &Needed, known: &HashMap<Value, bool>, asks: bool) {
        for op in self.kernel().regions[region].ops.clone() {
            if needed.ops.contains(&op) {
                let outer = self.b.set_origin(self.kernel().ops[op].origin);
                self.op(op, needed, known, asks);
                self.b.set_origin(outer);
            }
        }
    }

    fn op(&mut self, op: Op, needed: &Needed, known: &HashMap<Value, bool>, asks: bool) {
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
            let copied = copy::op(self.b.kernel_mut(), op, &mut self.new);
            let block = self.b.block();
            self.b.kernel_mut().regions[block].ops.push(copied);
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
    fn branch(&mut self, op: Op, needed: &Needed, known: &HashMap<Value, bool>, asks: bool) {
        let data = self.kernel().ops[op].clone();
        let tests = asks
            && inside(self.kernel(), op)
                .iter()
                .any(|op| needed.ops.contains(op) && self.plan.tested.get(op).is_some_and(|dims| !dims.is_empty()));
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
