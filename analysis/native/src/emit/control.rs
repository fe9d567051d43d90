//! Loops and branches as blocks.
//!
//! A loop is a guard, and a block that repeats while there is more: the form in which LLVM unrolls and schedules best.
//! Indices of up to 32 bits are counted in 64, where no bound is too close to the top: the counter is what addresses
//! are made of, and the index itself is cut out of it where it is used as a number. An index of 64 bits may end near the
//! top, so there the groups are counted.

use ir::{Code, Control, Elem, Fold, Op, Region, Scalar, Value};

use super::NotEmitted;
use super::function::Function;
use super::values::{Ty, Unit, Val};

/// The range of a loop, as `i64`.
struct Range {
    elem: Elem,
    lo: Val,
    hi: Val,
    step: Val,
    /// The step, if it is known.
    known: Option<i128>,
}

/// The entry into a loop.
struct Entered {
    /// The block that was left for it.
    before: String,
    /// The number of groups, where groups are counted.
    groups: Option<Val>,
}

/// The counter of a loop that is open.
struct Counter {
    /// The phi of the counter.
    val: Val,
    hole: String,
    kind: Counting,
}

/// The condition under which a loop is over.
enum Counting {
    /// The index goes up to a bound.
    Up { by: i128, bound: Val },
    /// The number of groups that are left falls to zero.
    Down,
}

/// The state of a reduction when its loop begins.
enum Start {
    /// The value itself, carried by a phi.
    Val(Val),
    /// Partial results on the stack, and their number.
    Stack(Val, u16),
}

/// A reduction of a loop: where its partial results are.
struct Partials {
    fold: Fold,
    elem: Elem,
    kind: PartialsKind,
}

enum PartialsKind {
    /// A vector with the lanes of the loop, carried by a phi.
    Carried(Val, String),
    /// An array on the stack with the partial results of the language's order; and the number of groups that have
    /// joined them.
    Stack { slot: Val, count: u16, number: Val, hole: String },
}

impl Function<'_> {
    /// Writes a loop or branch.
    pub(super) fn control(&mut self, op: Op) -> Result<(), NotEmitted> {
        if self.kernel.ops[op].code == Code::If {
            return self.branch(op);
        }
        let outer = self.enter_loop(op);
        self.loop_of(op)?;
        self.leave_loop(op, outer);
        Ok(())
    }

    fn loop_of(&mut self, op: Op) -> Result<(), NotEmitted> {
        match self.kernel.ops[op].code {
            Code::While => self.while_loop(op),
            Code::Foreach if self.kernel.lanes_of_foreach(op).is_some() => {
                Err(NotEmitted::new(self.kernel, op, "lanes that run together and were not put into vectors"))
            }
            Code::Foreach if self.kernel.ops[op].results.is_empty() => self.foreach(op, 0),
            _ => self.range_loop(op),
        }
    }

    fn branch(&mut self, op: Op) -> Result<(), NotEmitted> {
        let data = &self.kernel.ops[op];
        let condition = self.get(data.operands[0]);
        let [then, otherwise, end] = ["then", "else", "end_if"].map(|hint| self.label(hint));
        self.line(format!("br {condition}, label %{then}, label %{otherwise}"));
        let mut sides = Vec::new();
        for (label, &region) in [&then, &otherwise].into_iter().zip(&data.regions) {
            self.open_block(label);
            let yields = self.region(region)?;
            sides.push((yields, self.block()));
            self.line(format!("br label %{end}"));
        }
        self.open_block(&end);
        self.enter(op);
        for (number, &result) in data.results.iter().enumerate() {
            let [a, b] = [0, 1].map(|side| (&sides[side].0[number], sides[side].1.as_str()));
            let hint = self.hint(result, "chosen");
            let val = self.phi(&hint, a, b);
            self.set(result, val);
        }
        Ok(())
    }

    /// The name that a value gets.
    pub(super) fn hint(&self, value: Value, otherwise: &str) -> String {
        self.kernel.values[value].name.as_ref().map_or_else(|| otherwise.to_owned(), ToString::to_string)
    }

    fn while_loop(&mut self, op: Op) -> Result<(), NotEmitted> {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let (test, body) = (data.regions[0], data.regions[1]);
        let inits: Vec<Val> = data.operands.iter().map(|&value| self.get(value)).collect();
        let [head, inside, end] = ["while", "do", "end_while"].map(|hint| self.label(hint));
        let before = self.block();
        self.line(format!("br label %{head}"));
        self.open_block(&head);
        let holes = self.carry_in(&kernel.regions[test].args, &inits, &before);
        let args: Vec<Val> = kernel.regions[test].args.iter().map(|&arg| self.get(arg)).collect();
        let goes_on = self.region(test)?;
        self.enter(op);
        self.line(format!("br {}, label %{inside}, label %{end}", goes_on[0]));
        self.open_block(&inside);
        let yields = self.region(body)?;
        let latch = self.block();
        self.enter(op);
        self.line(format!("br label %{head}"));
        holes.iter().zip(&yields).for_each(|(hole, val)| self.close_phi(hole, val, &latch));
        self.open_block(&end);
        data.results.iter().zip(args).for_each(|(&result, arg)| self.set(result, arg));
        Ok(())
    }

    /// Opens a phi for each carried value; gives the holes that are left in them.
    fn carry_in(&mut self, args: &[Value], inits: &[Val], before: &str) -> Vec<String> {
        let mut holes = Vec::new();
        for (&arg, init) in args.iter().zip(inits) {
            let hint = self.hint(arg, "carried");
            let (val, hole) = self.open_phi(&hint, init, before);
            self.set(arg, val);
            holes.push(hole);
        }
        holes
    }

    /// The loops of a `foreach`, from one of its ranges on.
    fn foreach(&mut self, op: Op, number: usize) -> Result<(), NotEmitted> {
        let kernel = self.kernel;
        let region = kernel.ops[op].regions[0];
        let n_ranges = kernel.n_ranges(op);
        if number == n_ranges {
            return self.region(region).map(|_| ());
        }
        let range = self.range(&kernel.ops[op].operands[3 * number..]);
        let (body, end) = (self.label("for"), self.label("end_for"));
        let entered = self.guard(&range, 1, &body, &end);
        self.open_block(&body);
        let index = kernel.regions[region].args[number];
        let counter = self.open_counter(index, &range, 1, &entered);
        self.start_iteration(index, &range, 1, &entered, &counter);
        self.foreach(op, number + 1)?;
        self.enter(op);
        self.close_counter(&counter, &body, &end, false);
        self.open_block(&end);
        Ok(())
    }

    fn range_loop(&mut self, op: Op) -> Result<(), NotEmitted> {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let nothing = Control::default();
        let control = kernel.control(op).unwrap_or(&nothing);
        let width = control.width.unwrap_or(1);
        let range = self.range(&data.operands);
        let n_carried = data.operands.len() - 3 - control.reductions.len();
        let inits: Vec<Val> = data.operands[3..][..n_carried].iter().map(|&value| self.get(value)).collect();
        let region = data.regions[0];
        let starts = self.start_partials(op, control)?;
        let [body, end] = ["for", "end_for"].map(|hint| self.label(hint));
        let entered = self.guard(&range, width, &body, &end);
        let before = entered.before.clone();
        self.open_block(&body);
        let args = &kernel.regions[region].args;
        let counter = self.open_counter(args[0], &range, width, &entered);
        let holes = self.carry_in(&args[1..], &inits, &before);
        let partials = self.open_partials(op, control, &starts, &before);
        self.start_iteration(args[0], &range, width, &entered, &counter);
        let yields = self.region(region)?;
        self.enter(op);
        let joined: Vec<Val> =
            partials.iter().zip(&yields[n_carried..]).map(|(partials, val)| self.contribute(partials, val)).collect();
        let latch = self.block();
        let of_partials = partials.iter().map(|partials| match &partials.kind {
            PartialsKind::Carried(_, hole) | PartialsKind::Stack { hole, .. } => hole,
        });
        let rounds = holes.iter().zip(&yields).chain(of_partials.zip(&joined));
        self.close_counter(&counter, &body, &end, control.marks.rolled);
        rounds.for_each(|(hole, val)| self.close_phi(hole, val, &latch));
        self.open_block(&end);
        for (number, &result) in data.results.iter().take(n_carried).enumerate() {
            let hint = self.hint(result, "carried");
            let val = self.phi(&hint, (&inits[number], &before), (&yields[number], &latch));
            self.set(result, val);
        }
        let ends: Vec<Val> = starts
            .iter()
            .zip(&joined)
            .map(|(start, joined)| match start {
                Start::Val(start) => self.phi("partials", (start, &before), (joined, &latch)),
                Start::Stack(slot, _) => slot.clone(),
            })
            .collect();
        for (number, (partials, end)) in partials.iter().zip(&ends).enumerate() {
            let init = self.get(data.operands[3 + n_carried + number]);
            let total = self.join_partials(partials, end, &init);
            self.set(data.results[n_carried + number], total);
        }
        Ok(())
    }

    // The counter.

    fn range(&mut self, operands: &[Value]) -> Range {
        let elem = self.elem(operands[0]);
        let known = self.kernel.as_const(operands[2]).and_then(Scalar::wide);
        let [lo, hi, step] = [0, 1, 2].map(|number| self.exact(operands[number]));
        // A constant of 64 unsigned bits does not fit `i64`; its bits do.
        let bits = |value: Value, val: Val| match self.kernel.as_const(value) {
            Some(Scalar::U64(number)) => Val::i64(number as i64),
            _ => val,
        };
        let [lo, hi, step] =
            [(operands[0], lo), (operands[1], hi), (operands[2], step)].map(|(value, val)| bits(value, val));
        Range { elem, lo, hi, step, known }
    }

    /// Leaves to the body if there is something to do, else to the end.
    fn guard(&mut self, range: &Range, width: u16, body: &str, end: &str) -> Entered {
        let groups = range.counts_up(width).is_none().then(|| self.groups(range, width));
        let test = match &groups {
            Some(groups) => format!("icmp ne {groups}, 0"),
            None => format!("icmp slt {}, {}", range.lo, range.hi.text),
        };
        let some = self.make("some", Ty::I1, test);
        self.line(format!("br {some}, label %{body}, label %{end}"));
        Entered { before: self.block(), groups }
    }

    /// The number of groups of `width` indices in a range.
    fn groups(&mut self, range: &Range, width: u16) -> Val {
        let Range { elem, lo, hi, step, known } = range;
        let sign = if elem.is_signed() { "s" } else { "u" };
        let (some, span, magnitude) = match known {
            Some(known) => {
                let (a, b) = if *known > 0 { (lo, hi) } else { (hi, lo) };
                let some = self.make("some", Ty::I1, format!("icmp {sign}lt {a}, {}", b.text));
                (some, self.sub(b, a), Val::int(Unit::Int(64), known.abs()))
            }
            None => {
                let zero = if elem.is_signed() { "0" } else { "-1" };
                let predicate = if elem.is_signed() { "sgt" } else { "ne" };
                let up = self.make("up", Ty::I1, format!("icmp {predicate} {step}, {zero}"));
                let forth = self.make("forth", Ty::I1, format!("icmp {sign}lt {lo}, {}", hi.text));
                let back = self.make("back", Ty::I1, format!("icmp {sign}lt {hi}, {}", lo.text));
                let some = self.make("some", Ty::I1, format!("select {up}, {forth}, {back}"));
                let (rise, fall) = (self.sub(hi, lo), self.sub(lo, hi));
                let span = self.make("span", Ty::I64, format!("select {up}, {rise}, {fall}"));
                let negative = self.sub(&Val::i64(0), step);
                let magnitude = self.make("magnitude", Ty::I64, format!("select {up}, {step}, {negative}"));
                (some, span, magnitude)
            }
        };
        let last = self.sub(&span, &Val::i64(1));
        let last = self.make("last", Ty::I64, format!("udiv {last}, {}", magnitude.text));
        let last = self.make("last", Ty::I64, format!("udiv {last}, {width}"));
        // Not one more than fits: `last` is at most the whole range, and 0 stands for none.
        let groups = self.add(&last, &Val::i64(1));
        self.make("groups", Ty::I64, format!("select {some}, {groups}, i64 0"))
    }

    /// Opens the counter at the head of a loop.
    fn open_counter(&mut self, index: Value, range: &Range, width: u16, entered: &Entered) -> Counter {
        let before = &entered.before;
        if let Some(groups) = &entered.groups {
            let (val, hole) = self.open_phi("left", groups, before);
            return Counter { val, hole, kind: Counting::Down };
        }
        let hint = self.hint(index, "index");
        let wide = if range.elem == Elem::I64 { hint } else { format!("{hint}.wide") };
        let (val, hole) = self.open_phi(&wide, &range.lo, before);
        let by = range.counts_up(width).unwrap_or(1);
        Counter { val, hole, kind: Counting::Up { by, bound: range.hi.clone() } }
    }

    /// Gives a loop's index its value, behind all that the loop carries.
    fn start_iteration(&mut self, index: Value, range: &Range, width: u16, entered: &Entered, counter: &Counter) {
        let wide = match &entered.groups {
            None => counter.val.clone(),
            Some(groups) => {
                let done = self.sub(groups, &counter.val);
                let per_group = self.mul(&range.step, &Val::i64(width.into()));
                let distance = self.mul(&done, &per_group);
                self.add(&range.lo, &distance)
            }
        };
        self.set_loop_index(index, &wide, range);
    }

    /// Gives a loop's index its value, and keeps the wide form it came from.
    fn set_loop_index(&mut self, index: Value, wide: &Val, range: &Range) {
        let hint = self.hint(index, "index");
        self.set_index(index, &hint, wide, Unit::of(range.elem));
    }

    pub(super) fn set_index(&mut self, index: Value, hint: &str, wide: &Val, unit: Unit) {
        self.set_wide_index(index, wide.clone());
        let narrow = match unit {
            Unit::Int(64) => wide.clone(),
            unit => self.make(hint, Ty::one(unit), format!("trunc {wide} to {unit}")),
        };
        self.set(index, narrow);
    }

    /// Ends the body of a loop: back to its head, or on to its end. One that says so is not unrolled.
    fn close_counter(&mut self, counter: &Counter, body: &str, end: &str, rolled: bool) {
        let (next, again) = match &counter.kind {
            Counting::Up { by, bound } => {
                let next = self.make("next", Ty::I64, format!("add nsw {}, {by}", counter.val));
                let again = self.make("again", Ty::I1, format!("icmp slt {next}, {}", bound.text));
                (next, again)
            }
            Counting::Down => {
                let next = self.make("next", Ty::I64, format!("add {}, -1", counter.val));
                let again = self.make("again", Ty::I1, format!("icmp ne {next}, 0"));
                (next, again)
            }
        };
        let latch = self.block();
        let jump = format!("br {again}, label %{body}, label %{end}");
        if rolled {
            self.last_line(jump)
        } else {
            self.line(jump)
        }
        self.close_phi(&counter.hole, &next, &latch);
    }

    // Reductions.

    /// The state of each reduction when the loop begins: on the stack, where the order needs it.
    fn start_partials(&mut self, op: Op, control: &Control) -> Result<Vec<Start>, NotEmitted> {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let first = data.results.len() - control.reductions.len();
        let width = control.width.unwrap_or(1);
        let mut starts = Vec::new();
        for (number, &fold) in control.reductions.iter().enumerate() {
            let elem = self.elem(data.results[first + number]);
            let Some(count) = fold.partials(elem) else {
                let init = self.get(data.operands[3 + first + number]);
                starts.push(Start::Val(start_of(fold, elem, &init, width)));
                continue;
            };
            if count % usize::from(width) != 0 {
                let what = format!("{count} partial results in {width} lanes");
                return Err(NotEmitted::new(kernel, op, &what));
            }
            let given = data.operands[3 + first + number];
            let given = kernel.ty(given).lanes().map(|_| self.get(given));
            let partials = given.unwrap_or_else(|| identities(fold, elem, count as u16));
            starts.push(Start::Stack(self.partials_slot(&partials), count as u16));
        }
        Ok(starts)
    }

    /// Room for partial results, which hold these.
    fn partials_slot(&mut self, partials: &Val) -> Val {
        let align = ir::scratch::ALIGN;
        let slot = self.at_entry("partials", Ty::PTR, format!("alloca {}, align {align}", partials.ty));
        self.line(format!("store {partials}, {slot}, align {align}"));
        slot
    }

    fn open_partials(&mut self, op: Op, control: &Control, starts: &[Start], before: &str) -> Vec<Partials> {
        let data = &self.kernel.ops[op];
        let first = data.results.len() - control.reductions.len();
        let open = |(number, (&fold, start)): (usize, (&Fold, &Start))| {
            let elem = self.elem(data.results[first + number]);
            let kind = match start {
                Start::Stack(slot, count) => {
                    let (number, hole) = self.open_phi("number", &Val::i64(0), before);
                    PartialsKind::Stack { slot: slot.clone(), count: *count, number, hole }
                }
                Start::Val(start) => {
                    let (val, hole) = self.open_phi("partials", start, before);
                    PartialsKind::Carried(val, hole)
                }
            };
            Partials { fold, elem, kind }
        };
        control.reductions.iter().zip(starts).enumerate().map(open).collect()
    }

    /// Joins what an iteration yields; gives what goes round.
    fn contribute(&mut self, partials: &Partials, val: &Val) -> Val {
        let &Partials { fold, elem, .. } = partials;
        match &partials.kind {
            PartialsKind::Carried(total, _) if total.ty.lanes == val.ty.lanes => self.join(fold, elem, total, val),
            PartialsKind::Carried(total, _) => self.fold_in_order(fold, elem, total, val, None),
            PartialsKind::Stack { slot, count, number, .. } => {
                let groups = count / val.ty.lanes.unwrap_or(1);
                let place = self.make("place", Ty::I64, format!("and {number}, {}", groups - 1));
                let bytes = elem.bytes() as i64 * i64::from(val.ty.lanes.unwrap_or(1));
                let distance = self.mul(&place, &Val::i64(bytes));
                let at = self.step(slot, 1, &distance);
                let (ty, align) = (val.ty, elem.bytes());
                let old = self.make("partial", ty, format!("load {ty}, {at}, align {align}"));
                let new = self.join(fold, elem, &old, val);
                self.line(format!("store {new}, {at}, align {align}"));
                self.make("number", Ty::I64, format!("add {number}, 1"))
            }
        }
    }

    /// A reduction's result, from its partial results behind the loop.
    fn join_partials(&mut self, partials: &Partials, end: &Val, init: &Val) -> Val {
        let &Partials { fold, elem, .. } = partials;
        match &partials.kind {
            PartialsKind::Carried(..) if end.ty.lanes.is_some() => {
                let all = self.join_lanes(fold, elem, end);
                self.join(fold, elem, init, &all)
            }
            PartialsKind::Carried(..) => end.clone(),
            PartialsKind::Stack { slot, count, .. } => {
                let ty = Ty::lanes(Unit::of(elem), *count);
                let align = ir::scratch::ALIGN;
                let all = self.make("partials", ty, format!("load {ty}, {slot}, align {align}"));
                if init.ty.lanes.is_some() {
                    return all;
                }
                let total = self.join_lanes(fold, elem, &all);
                self.join(fold, elem, init, &total)
            }
        }
    }

    /// Writes a kernel's whole body.
    pub(super) fn body(&mut self, region: Region) -> Result<(), NotEmitted> {
        let yields = self.region(region)?;
        self.fence();
        match yields.first() {
            result if self.kernel.marks.checked => self.done(result),
            Some(result) => self.line(format!("ret {result}")),
            None => self.line("ret void"),
        }
        Ok(())
    }
}

/// The start of carried partial results. Integers are joined lane by lane, since no order of theirs can be told from
/// another, and the initial value joins at the end; floats keep their order, and start from it.
fn start_of(fold: Fold, elem: Elem, init: &Val, width: u16) -> Val {
    if width > 1 && !elem.is_float() { identities(fold, elem, width) } else { init.clone() }
}

/// Lanes that change nothing they are joined to.
fn identities(fold: Fold, elem: Elem, lanes: u16) -> Val {
    Val::scalar(fold.identity(elem)).splat(lanes)
}

impl Range {
    /// The distance that the counter goes in each round, if it is counted up to its bound without ever leaving 64 bits.
    fn counts_up(&self, width: u16) -> Option<i128> {
        let narrow = self.elem.bytes() < 8;
        match self.known {
            Some(1) if width == 1 && self.elem == Elem::I64 => Some(1),
            Some(step) if narrow && step > 0 => Some(step * i128::from(width)),
            _ => None,
        }
    }
}
