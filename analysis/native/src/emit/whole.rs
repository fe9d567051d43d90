//! Whole groups of a loop in lanes, several at a turn, before the loop goes on group by group with what is left.
//!
//! It serves two ends. What lanes join waits for itself when one group follows the other: several groups at a turn have
//! *parts* of their own to join into. (For sums in the language's fixed order these parts are the partial results, all
//! in registers, where one group at a time would have to find its own in memory.) And where every access says that
//! groups cannot meet, each op is written for all groups before the next op is, so that loads stand together, and
//! none waits for a store.
//!
//! Where lanes take every second cell or the like, turns leave an iteration for the rest of the loop: as there is always a next
//! cell then, the last of a group's loads can move on up to that one, and reaches back to none that the load before has.
//!
//! All lanes of a whole group are on: a test of the loop's own lanes against its bound is true in each.

use ir::{Control, Elem, Fold, Op, Value};

use super::NotEmitted;
use super::control::{Range, Start, identities};
use super::function::{Function, Values};
use super::turn::{Step, Turn};
use super::values::{Ty, Unit, Val};

/// What a loop is entered with; whole groups leave it as the rest of the loop is to find it.
pub(super) struct Entry<'a> {
    pub(super) op: Op,
    pub(super) control: &'a Control,
    /// It is what whole groups have left, and so less than one.
    pub(super) at_most_one: bool,
    pub(super) range: &'a mut Range,
    /// What is carried.
    pub(super) carried: &'a mut [Val],
    /// What each reduction is joined to.
    pub(super) joined: &'a mut [Start],
}

/// A value that goes round the turns.
struct Round {
    val: Val,
    hole: String,
}

/// What goes round the turns for one value: itself, or each of its parts.
struct Rounds {
    rounds: Vec<Round>,
    /// What parts are joined by.
    fold: Option<(Fold, Elem)>,
}

/// The loop over turns, while it is open.
struct Turns {
    /// Its blocks: the body, the one behind it, and where the rest of the loop begins.
    labels: [String; 3],
    /// The block that it was entered from.
    before: String,
    bound: Val,
    /// How far the index goes at each turn.
    by: i128,
    counter: Round,
    carried: Vec<Rounds>,
    joined: Vec<Rounds>,
}

impl Function<'_> {
    /// Does whole groups several at a turn, if that is of use; says whether it did.
    pub(super) fn whole_groups(&mut self, entry: &mut Entry<'_>) -> Result<bool, NotEmitted> {
        let width = entry.control.width.unwrap_or(1);
        if entry.at_most_one {
            return Ok(false);
        }
        let Some(by) = entry.range.counts_up(width) else { return Ok(false) };
        let Some(turn) = self.turn(entry, width, by) else { return Ok(false) };
        let kernel = self.kernel;
        let data = &kernel.ops[entry.op];
        let index = kernel.regions[data.regions[0]].args[0];
        let turns = self.open_turns(entry, &turn, by * i128::from(turn.groups));
        let mut groups = self.groups_of_values(entry, &turn, &turns.carried);
        for (number, values) in groups.iter_mut().enumerate() {
            let first = self.add(&turns.counter.val, &Val::int(Unit::Int(64), by * number as i128));
            self.with(values, |function| function.set_loop_index(index, &first, entry.range));
        }
        let outer = self.all_on.replace((index, data.operands[1]));
        let sums_of_pairs = std::mem::replace(&mut self.sums_of_pairs, turn.sums_of_pairs.clone());
        let moved = std::mem::replace(&mut self.moved, turn.moved.clone());
        let yields = self.bodies(entry.op, &turn, &mut groups)?;
        self.moved = moved;
        self.sums_of_pairs = sums_of_pairs;
        self.all_on = outer;
        self.enter(entry.op);
        let ends = self.close_turns(&turns, &yields);
        self.leave_turns(entry, &turns, &ends);
        Ok(true)
    }

    /// Opens the loop over turns.
    fn open_turns(&mut self, entry: &Entry<'_>, turn: &Turn, by: i128) -> Turns {
        let labels = ["whole", "ended", "rest"].map(|hint| self.label(hint));
        let lo = &entry.range.lo;
        let bound = self.end_of_turns(entry.range, by, !turn.moved.is_empty());
        let some = self.make("some", Ty::I1, format!("icmp sgt {bound}, {}", lo.text));
        self.line(format!("br {some}, label %{}, label %{}", labels[0], labels[2]));
        let before = self.block();
        self.open_block(&labels[0]);
        let (val, hole) = self.open_phi("turn", lo, &before);
        let carried = self.open_carried(entry, turn, &before);
        let joined = self.open_joined(entry, turn, &before);
        Turns { labels, before, bound, by, counter: Round { val, hole }, carried, joined }
    }

    /// Ends a turn: back for another, or on; gives what goes round, and is there at the end.
    fn close_turns(&mut self, turns: &Turns, yields: &[Vec<Val>]) -> Vec<Vec<Val>> {
        let ends = self.ends(&turns.carried, &turns.joined, yields);
        let next = self.make("next", Ty::I64, format!("add nsw {}, {}", turns.counter.val, turns.by));
        let again = self.make("again", Ty::I1, format!("icmp slt {next}, {}", turns.bound.text));
        let latch = self.block();
        self.last_line(format!("br {again}, label %{}, label %{}", turns.labels[0], turns.labels[1]));
        self.close_phi(&turns.counter.hole, &next, &latch);
        for (rounds, ends) in turns.carried.iter().chain(&turns.joined).zip(&ends) {
            rounds.rounds.iter().zip(ends).for_each(|(round, end)| self.close_phi(&round.hole, end, &latch));
        }
        ends
    }

    /// Leaves the rest of the loop what it starts from.
    fn leave_turns(&mut self, entry: &mut Entry<'_>, turns: &Turns, ends: &[Vec<Val>]) {
        let [_, ended, rest] = &turns.labels;
        self.open_block(ended);
        let (carried, joined) = ends.split_at(turns.carried.len());
        let carried: Vec<Val> =
            turns.carried.iter().zip(carried).map(|(rounds, ends)| self.join_parts(rounds, ends)).collect();
        let mut totals = Vec::new();
        for ((rounds, ends), start) in turns.joined.iter().zip(joined).zip(entry.joined.iter()) {
            match start {
                Start::Val(_) => totals.push(Some(self.join_parts(rounds, ends))),
                Start::Stack(slot, _) => {
                    self.put_partials(slot, ends);
                    totals.push(None);
                }
            }
        }
        self.line(format!("br label %{rest}"));
        self.open_block(rest);
        let mut either =
            |hint: &str, old: &mut Val, new: &Val| *old = self.phi(hint, (&old.clone(), &turns.before), (new, ended));
        either("from", &mut entry.range.lo, &turns.bound);
        entry.carried.iter_mut().zip(&carried).for_each(|(old, new)| either("carried", old, new));
        for (start, total) in entry.joined.iter_mut().zip(&totals) {
            if let (Start::Val(old), Some(new)) = (start, total) {
                either("partials", old, new);
            }
        }
    }

    /// Where whole turns end; perhaps so that something is left to do behind each of them.
    fn end_of_turns(&mut self, range: &Range, by: i128, leaves_some: bool) -> Val {
        let mut span = self.make("span", Ty::I64, format!("sub nsw {}, {}", range.hi, range.lo.text));
        if leaves_some {
            span = self.make("span", Ty::I64, format!("sub nsw {span}, 1"));
        }
        let span = self.make("span", Ty::I64, format!("call i64 @llvm.smax.i64({span}, i64 0)"));
        let turns = self.make("turns", Ty::I64, format!("udiv {span}, {by}"));
        let whole = self.make("whole", Ty::I64, format!("mul nuw nsw {turns}, {by}"));
        self.make("end", Ty::I64, format!("add nsw {}, {}", range.lo, whole.text))
    }

    /// What goes round for each carried value.
    fn open_carried(&mut self, entry: &Entry<'_>, turn: &Turn, before: &str) -> Vec<Rounds> {
        let kernel = self.kernel;
        let args = &kernel.regions[kernel.ops[entry.op].regions[0]].args[1..];
        let open = |((&arg, start), &fold): ((&Value, &Val), &Option<Fold>)| {
            let fold = fold.zip(kernel.ty(arg).data_elem());
            let hint = self.hint(arg, "carried");
            self.open_rounds(&hint, fold, start, turn.groups, before)
        };
        args.iter().zip(entry.carried.iter()).zip(&turn.parts).map(open).collect()
    }

    /// What goes round for each reduction: its partial results, or as many parts as there are groups.
    fn open_joined(&mut self, entry: &Entry<'_>, turn: &Turn, before: &str) -> Vec<Rounds> {
        let (kernel, width) = (self.kernel, entry.control.width.unwrap_or(1));
        let results = &kernel.ops[entry.op].results[entry.carried.len()..];
        let open = |((&result, start), &fold): ((&Value, &Start), &Fold)| {
            let elem = self.elem(result);
            match start {
                Start::Stack(_, count) => {
                    let identity = identities(fold, elem, width);
                    self.open_rounds("partials", Some((fold, elem)), &identity, count / width, before)
                }
                Start::Val(start) if start.ty.lanes.is_some() => {
                    self.open_rounds("partials", Some((fold, elem)), start, turn.groups, before)
                }
                // In the order in which elements come.
                Start::Val(start) => {
                    let rounds = self.open_rounds("total", None, start, 1, before);
                    Rounds { fold: Some((fold, elem)), ..rounds }
                }
            }
        };
        results.iter().zip(entry.joined.iter()).zip(&entry.control.reductions).map(open).collect()
    }

    /// A value that starts from `start`; or, if it is joined, parts, of which the others start from what changes nothing.
    fn open_rounds(
        &mut self,
        hint: &str,
        fold: Option<(Fold, Elem)>,
        start: &Val,
        groups: u16,
        before: &str,
    ) -> Rounds {
        let lanes = start.ty.lanes.unwrap_or(1);
        let n_more = if fold.is_some() { groups - 1 } else { 0 };
        let more = fold.map(|(fold, elem)| identities(fold, elem, lanes));
        let starts = [start].into_iter().chain(more.iter().cycle().take(n_more.into()));
        let rounds = starts.map(|start| {
            let (val, hole) = self.open_phi(hint, start, before);
            Round { val, hole }
        });
        Rounds { rounds: rounds.collect(), fold }
    }

    /// What the kernel's values are in each group of a turn, as it begins.
    fn groups_of_values(&mut self, entry: &Entry<'_>, turn: &Turn, carried: &[Rounds]) -> Vec<Values> {
        let kernel = self.kernel;
        let args = &kernel.regions[kernel.ops[entry.op].regions[0]].args[1..];
        let group = |number: usize| {
            let mut values = self.values.clone();
            for (&arg, rounds) in args.iter().zip(carried) {
                let round = rounds.rounds.get(number).unwrap_or(&rounds.rounds[0]);
                values.set(arg, round.val.clone());
            }
            values
        };
        (0..turn.groups.into()).map(group).collect()
    }

    /// Writes with the values of one group.
    fn with<T>(&mut self, values: &mut Values, write: impl FnOnce(&mut Self) -> T) -> T {
        std::mem::swap(&mut self.values, values);
        let written = write(self);
        std::mem::swap(&mut self.values, values);
        written
    }

    /// The body, for each group of a turn; gives what each yields.
    fn bodies(&mut self, op: Op, turn: &Turn, groups: &mut [Values]) -> Result<Vec<Vec<Val>>, NotEmitted> {
        let kernel = self.kernel;
        let region = kernel.ops[op].regions[0];
        let data = &kernel.regions[region];
        if turn.by_op {
            for step in &turn.steps {
                groups.iter_mut().try_for_each(|values| self.with(values, |function| function.step_of_group(step)))?;
            }
            let yields = |values: &mut Values| {
                self.with(values, |function| data.yields.iter().map(|&value| function.get(value)).collect())
            };
            return Ok(groups.iter_mut().map(yields).collect());
        }
        let mut all: Vec<Vec<Val>> = Vec::new();
        for values in groups {
            let handed_on = all.last().map_or(&[][..], Vec::as_slice);
            for ((&arg, fold), val) in data.args[1..].iter().zip(&turn.parts).zip(handed_on) {
                if fold.is_none() {
                    values.set(arg, val.clone());
                }
            }
            let yields = self.with(values, |function| {
                function.values.rows.clear();
                turn.steps.iter().try_for_each(|step| function.step_of_group(step))?;
                Ok(data.yields.iter().map(|&value| function.get(value)).collect())
            })?;
            all.push(yields);
        }
        Ok(all)
    }

    fn step_of_group(&mut self, step: &Step) -> Result<(), NotEmitted> {
        match *step {
            Step::Op(op) => self.op(op)?,
            Step::Is(value, other) => {
                let val = self.get(other);
                self.set(value, val);
            }
        }
        Ok(())
    }

    /// What goes round into the next turn: of what is carried, then of reductions.
    fn ends(&mut self, carried: &[Rounds], joined: &[Rounds], yields: &[Vec<Val>]) -> Vec<Vec<Val>> {
        let mut ends: Vec<Vec<Val>> = Vec::new();
        for (number, rounds) in carried.iter().enumerate() {
            let from = yields.len() - rounds.rounds.len();
            ends.push(yields[from..].iter().map(|yields| yields[number].clone()).collect());
        }
        for (number, Rounds { rounds, fold }) in joined.iter().enumerate() {
            let mut parts: Vec<Val> = rounds.iter().map(|round| round.val.clone()).collect();
            for (group, yields) in yields.iter().enumerate() {
                let (part, val) = (group % parts.len(), &yields[carried.len() + number]);
                parts[part] = match *fold {
                    Some((fold, elem)) if parts[part].ty.lanes == val.ty.lanes => {
                        self.join(fold, elem, &parts[part].clone(), val)
                    }
                    Some((fold, elem)) => self.fold_in_order(fold, elem, &parts[part].clone(), val, None),
                    None => val.clone(),
                };
            }
            ends.push(parts);
        }
        ends
    }

    /// Parts joined to one.
    fn join_parts(&mut self, rounds: &Rounds, ends: &[Val]) -> Val {
        let mut all = ends[0].clone();
        for end in &ends[1..] {
            if let Some((fold, elem)) = rounds.fold {
                all = self.join(fold, elem, &all, end);
            }
        }
        all
    }

    /// Puts partial results where the rest of the loop looks for them.
    fn put_partials(&mut self, slot: &Val, ends: &[Val]) {
        for (place, end) in ends.iter().enumerate() {
            let bytes = end.ty.unit.bytes() * i128::from(end.ty.lanes.unwrap_or(1));
            let at = self.step(slot, bytes, &Val::i64(place as i64));
            self.line(format!("store {end}, {at}, align {}", end.ty.unit.bytes()));
        }
    }
}
