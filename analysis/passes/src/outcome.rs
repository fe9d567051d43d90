//! Outcomes: what became of each loop and each access, recorded by the pass that did it, when it did it.
//!
//! An outcome outlives the kernel it was recorded for, whose ops get other numbers with the next pass. So it is keyed by the
//! place that the op's origin names, which all stages share. One place may stand for several ops: a loop that was split, a body
//! that was unrolled, a main loop and its peeled tail. Each of them is counted, and a pass that drops one takes it out again, so
//! that at the last stage the counts are those of the kernel's ops (see [`Outcomes::differs_from`]).

use std::collections::{BTreeMap, BTreeSet};

use ir::entities::{Entity, Op, Origin};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::Kernel;

pub use report::lanes::AccessForm;

/// The outcomes of the loops and accesses of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcomes {
    /// The lanes of the loops at each place: of several parts, the fewest.
    lanes: BTreeMap<u32, u16>,
    /// The places with an op that was vectorised.
    in_lanes: BTreeSet<u32>,
    /// The number of ops that load, or store, at a place in each form; those that a main part leaves by themselves.
    accesses: BTreeMap<Counted, BTreeMap<AccessForm, u32>>,
    /// The places of accesses that one op does together, by the place that this op names. Beside each place stands whether it is in what a
    /// main part leaves.
    together: BTreeMap<(u32, bool), BTreeSet<(u32, bool)>>,
    /// The loads of cells that were in a register already.
    reused: BTreeSet<Counted>,
    /// The loops that may have lanes and have none because of what that would cost, in percent of the cost in order.
    dear: BTreeMap<u32, i128>,
    /// The loops that run as one with another loop, each with the place of that one.
    fused: BTreeMap<u32, u32>,
    /// The loops that were fused with each, some of which may run with another one by now.
    fused_with: BTreeMap<u32, Vec<u32>>,
    /// The places of arrays whose elements became values.
    in_registers: BTreeSet<u32>,
    /// The places of accesses to cells that a loop carries as values, which keep no iteration of it waiting any more.
    promoted: BTreeSet<u32>,
    /// The places of loops of which a part stays in order, once that is decided.
    in_order: Option<BTreeSet<u32>>,
    /// The places of branches that go one way in each of the loops that a loop was divided into.
    decided: BTreeSet<u32>,
    /// The places of stores and loads that are in order in each of the loops that theirs was divided into.
    divided: BTreeSet<[u32; 2]>,
    /// The places of stores in loops marked `@stream` that do not go past the cache, each with the reason.
    kept_in_cache: BTreeMap<u32, String>,
    /// The scratch memory that the caller passes, if there is any.
    scratch: Option<Scratch>,
}

/// The ops that are counted together: those at a place that load, or store, in main parts, or in what these leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Counted {
    place: u32,
    stores: bool,
    is_rest: bool,
}

impl Counted {
    /// `None` for an op that is no access.
    fn of(kernel: &Kernel, op: Op) -> Option<Counted> {
        let data = &kernel.ops[op];
        let origin = kernel.origins[data.origin];
        Some(Counted { place: origin.place, stores: stores(data.code)?, is_rest: origin.rest_of.is_some() })
    }
}

/// The scratch memory of a kernel. `P` is a place: the number that all stages share, or one of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scratch<P = u32> {
    /// All its bytes, as a formula of the parameters.
    pub bytes: String,
    /// The places of the arrays that lie there, each with its bytes.
    pub arrays: Vec<(P, String)>,
}

impl<P> Scratch<P> {
    /// Returns the memory with its places in other terms.
    pub fn placed<Q>(&self, place: impl Fn(&P) -> Q) -> Scratch<Q> {
        let arrays = self.arrays.iter().map(|(at, bytes)| (place(at), bytes.clone()));
        Scratch { bytes: self.bytes.clone(), arrays: arrays.collect() }
    }
}

impl Outcomes {
    /// Records that a loop was vectorised.
    pub(crate) fn got_lanes(&mut self, kernel: &Kernel, op: Op, lanes: u16) {
        let known = self.lanes.entry(place(kernel, op)).or_insert(lanes);
        *known = lanes.min(*known);
    }

    /// Records that a loop stays in order because lanes would cost more, by how many percent of the cost in order they would.
    pub(crate) fn stays_for_cost(&mut self, kernel: &Kernel, op: Op, percent: i128) {
        self.dear.insert(place(kernel, op), percent);
    }

    /// Records that a loop runs as one with another one from now on: what becomes of that one becomes of it.
    pub(crate) fn runs_with(&mut self, kernel: &Kernel, op: Op, with: Op) {
        let (from, to) = (place(kernel, op), place(kernel, with));
        if from != to {
            let mut moved = self.fused_with.remove(&from).unwrap_or_default();
            moved.retain(|of| self.fused.get(of) == Some(&from));
            moved.push(from);
            self.fused.extend(moved.iter().map(|&of| (of, to)));
            self.fused_with.entry(to).or_default().append(&mut moved);
        }
    }

    /// Returns the place of the loop that the one at a place runs as one with.
    pub fn runs_as(&self, place: u32) -> Option<u32> {
        self.fused.get(&place).copied()
    }

    /// Records that the elements of a new array are values.
    pub(crate) fn went_to_registers(&mut self, kernel: &Kernel, op: Op) {
        self.in_registers.insert(place(kernel, op));
    }

    /// Records that a new array takes memory, whatever became of others of its place.
    pub(crate) fn stays_in_memory(&mut self, kernel: &Kernel, op: Op) {
        self.in_registers.remove(&place(kernel, op));
    }

    /// Records that a loop in lanes carries the cell of these accesses as a value.
    pub(crate) fn were_promoted(&mut self, kernel: &Kernel, accesses: &[Op]) {
        self.promoted.extend(accesses.iter().map(|&op| place(kernel, op)));
    }

    /// Returns true if a loop in lanes carries the cell of the access at a place as a value.
    pub fn is_promoted(&self, place: u32) -> bool {
        self.promoted.contains(&place)
    }

    /// Records which loops stay in order, or are parts of loops that do so in this one.
    pub(crate) fn have_order(&mut self, kernel: &Kernel, loops: impl Iterator<Item = Op>) {
        self.in_order = Some(loops.map(|op| place(kernel, op)).collect());
    }

    /// Returns true if no part of the loop at a place stays in order, be it one of a loop that it was fused with.
    pub fn has_no_order(&self, place: u32) -> bool {
        let Some(in_order) = &self.in_order else { return false };
        let with_it = self.fused.iter().filter(|&(&own, &with)| own == place || with == place);
        !in_order.contains(&place) && !with_it.flat_map(|(own, with)| [own, with]).any(|other| in_order.contains(other))
    }

    /// Records that branches go one way in each of the loops that theirs was divided into.
    pub(crate) fn were_decided(&mut self, kernel: &Kernel, branches: &[Origin]) {
        self.decided.extend(branches.iter().map(|&branch| kernel.origins[branch].place));
    }

    /// Returns true if the branch at a place goes one way in each of the loops that its loop was divided into.
    pub fn is_decided(&self, place: u32) -> bool {
        self.decided.contains(&place)
    }

    /// Records that in none of the loops that theirs was divided into an iteration loads what an earlier one has stored.
    pub(crate) fn were_divided(&mut self, kernel: &Kernel, pairs: &[[Op; 2]]) {
        self.divided.extend(pairs.iter().map(|pair| pair.map(|op| place(kernel, op))));
    }

    /// Returns true if a loop was divided so that no iteration loads at the second place what an earlier one has stored at the first.
    pub fn are_divided(&self, store: u32, load: u32) -> bool {
        self.divided.contains(&[store, load])
    }

    /// Records why a store in a loop marked `@stream` does not go past the cache.
    pub(crate) fn stays_in_cache(&mut self, kernel: &Kernel, op: Op, why: String) {
        self.kept_in_cache.insert(place(kernel, op), why);
    }

    /// Returns the reason why the store at a place, in a loop marked `@stream`, does not go past the cache.
    pub fn kept_in_cache(&self, place: u32) -> &str {
        self.kept_in_cache.get(&place).map_or("its loop was written out as statements", String::as_str)
    }

    /// Returns true if the elements of the new array at a place became values, so that it takes no memory.
    pub fn has_registers(&self, place: u32) -> bool {
        self.in_registers.contains(&place)
    }

    /// Records that an op was vectorised.
    pub(crate) fn is_done_in_lanes(&mut self, kernel: &Kernel, op: Op) {
        self.in_lanes.insert(place(kernel, op));
    }

    /// An access is done in a form.
    pub(crate) fn took_form(&mut self, kernel: &Kernel, op: Op, form: AccessForm) {
        if let Some(counted) = Counted::of(kernel, op) {
            *self.accesses.entry(counted).or_default().entry(form).or_default() += 1;
        }
    }

    /// Records that the ops at the place of an access do several of them together.
    pub(crate) fn go_together(&mut self, kernel: &Kernel, at: Op, members: impl Iterator<Item = Op>) {
        let members = members.map(|op| place_of_part(kernel, op));
        self.together.entry(place_of_part(kernel, at)).or_default().extend(members);
    }

    /// Copies were made of ops, all of those in a list, and inside of them, that have a number from `n_before` on: the accesses among them are
    /// done in the form that their op says.
    pub(crate) fn were_copied(&mut self, kernel: &Kernel, n_before: usize, made: &[Op]) {
        let mut record = |op: Op| {
            let form = plain_form(kernel.ops[op].code).filter(|_| op.index() >= n_before);
            form.into_iter().for_each(|form| self.took_form(kernel, op, form));
        };
        for &op in made {
            record(op);
            kernel.walk_inside(op, &mut record);
        }
    }

    /// An access in this form is not done any more: its cells are known, or nothing comes to it.
    pub(crate) fn was_dropped(&mut self, kernel: &Kernel, op: Op) {
        let data = &kernel.ops[op];
        let known = Counted::of(kernel, op).and_then(|counted| self.accesses.get_mut(&counted));
        let counts = known.zip(plain_form(data.code)).and_then(|(forms, form)| forms.get_mut(&form));
        if let Some(count) = counts {
            *count = count.saturating_sub(1);
        }
    }

    /// A load in this form is not done any more, because its cells are in a register already.
    pub(crate) fn was_reused(&mut self, kernel: &Kernel, op: Op) {
        self.was_dropped(kernel, op);
        self.reused.extend(Counted::of(kernel, op));
    }

    /// The ops of a block, and what is inside of them, are not done any more.
    pub(crate) fn were_dropped(&mut self, kernel: &Kernel, ops: &[Op]) {
        ops.iter().for_each(|&op| self.was_dropped(kernel, op));
        // Accesses that go together have no op each: one is taken away at each place where there was any op, and at those that it stands for.
        let own: BTreeSet<(u32, bool)> = ops.iter().map(|&op| place_of_part(kernel, op)).collect();
        let mut places = own.clone();
        places.extend(own.iter().filter_map(|at| self.together.get(at)).flatten());
        for ((place, is_rest), stores) in places.into_iter().flat_map(|at| [(at, false), (at, true)]) {
            let forms = self.accesses.get_mut(&Counted { place, stores, is_rest });
            let together = |(form, _): &(&AccessForm, &mut u32)| {
                matches!(form, AccessForm::Grouped | AccessForm::Shuffled | AccessForm::LookedUp)
            };
            let counts = forms.into_iter().flatten().filter(together);
            counts.for_each(|(_, count)| *count = count.saturating_sub(1));
        }
    }

    /// Records the scratch memory that the kernel needs.
    pub(crate) fn needs_scratch(&mut self, kernel: &Kernel, arrays: Vec<(Op, String)>) {
        let arrays = arrays.into_iter().map(|(op, bytes)| (place(kernel, op), bytes)).collect();
        self.scratch = kernel.scratch_text().map(|bytes| Scratch { bytes, arrays });
    }

    /// Returns the scratch memory that the kernel needs; `None` if it needs none, or that is not known yet.
    pub fn scratch(&self) -> Option<&Scratch> {
        self.scratch.as_ref()
    }

    /// Returns the number of lanes of the loop at a place; `None` if it has none.
    pub fn lanes(&self, place: u32) -> Option<u16> {
        let of_fused = self.fused.get(&place).and_then(|with| self.lanes.get(with));
        self.lanes.get(&place).into_iter().chain(of_fused).min().copied()
    }

    /// Returns the cost of a loop with lanes, in percent of its cost in order, if it has none because of that.
    pub fn percent_with_lanes(&self, place: u32) -> Option<i128> {
        let own = self.dear.get(&place).or_else(|| self.dear.get(self.fused.get(&place)?));
        own.copied().filter(|_| self.lanes(place).is_none())
    }

    /// Returns the loops of a kernel at whose places a loop has lanes, in the order of the text.
    pub(crate) fn loops_in_lanes(&self, kernel: &Kernel, forest: &LoopForest) -> Vec<Op> {
        let has_lanes = |op: &Op| self.lanes(place(kernel, *op)).is_some();
        forest.loops().iter().copied().filter(has_lanes).collect()
    }

    /// Returns true if an op at a place was vectorised; of a loop that is split, a part of it.
    pub fn is_in_lanes(&self, place: u32) -> bool {
        self.in_lanes.contains(&place)
    }

    /// Returns the form of the vector load or store at a place: of several ops there, the one that costs most, where those of a main
    /// part count alone if there are any. `None` for an access of which nothing was recorded, because it is scalar, or was removed.
    pub fn form(&self, place: u32, stores: bool) -> Option<AccessForm> {
        let of_main_part = Counted { place, stores, is_rest: false };
        match self.form_of(of_main_part) {
            None if self.reused.contains(&of_main_part) => None,
            None => self.form_of(Counted { is_rest: true, ..of_main_part }),
            form => form,
        }
    }

    /// Returns the form that costs most at a place, in main parts and in what these leave: promises are about both.
    pub fn dearest_form(&self, place: u32, stores: bool) -> Option<AccessForm> {
        [false, true].into_iter().filter_map(|is_rest| self.form_of(Counted { place, stores, is_rest })).max()
    }

    /// The dearest form of the ops that are counted together.
    fn form_of(&self, counted: Counted) -> Option<AccessForm> {
        let forms = self.accesses.get(&counted)?;
        forms.iter().rfind(|(_, count)| **count > 0).map(|(form, _)| *form)
    }

    /// The places, and whether they store, at which the counts of gathers, scatters, and packed accesses are not those of a kernel
    /// at the last stage. Empty unless a pass forgot to record what it did.
    pub fn differs_from(&self, kernel: &Kernel) -> Vec<(u32, bool)> {
        let is_counted = |form: AccessForm| matches!(form, AccessForm::Scattered | AccessForm::Packed);
        let mut counts: BTreeMap<(Counted, AccessForm), i64> = BTreeMap::new();
        for (&counted, forms) in &self.accesses {
            for (&form, &count) in forms.iter().filter(|(form, _)| is_counted(**form)) {
                *counts.entry((counted, form)).or_default() += i64::from(count);
            }
        }
        kernel.walk(kernel.body, &mut |_, op| {
            let code = kernel.ops[op].code;
            let form = plain_form(code).filter(|form| is_counted(*form) && has_lanes(kernel, op));
            if let Some((form, counted)) = form.zip(Counted::of(kernel, op)) {
                *counts.entry((counted, form)).or_default() -= 1;
            }
        });
        let wrong = counts.into_iter().filter(|(_, count)| *count != 0);
        wrong.map(|((counted, _), _)| (counted.place, counted.stores)).collect()
    }
}

/// The place of an op, and whether it is in what a main part leaves.
fn place_of_part(kernel: &Kernel, op: Op) -> (u32, bool) {
    let origin = kernel.origins[kernel.ops[op].origin];
    (origin.place, origin.rest_of.is_some())
}

/// The place that an op came from.
fn place(kernel: &Kernel, op: Op) -> u32 {
    kernel.origins[kernel.ops[op].origin].place
}

/// Tells if an op has a vector operand or result. Lanes that run together without being vectors pack cells, too, one
/// after the other.
fn has_lanes(kernel: &Kernel, op: Op) -> bool {
    let data = &kernel.ops[op];
    data.operands.iter().chain(&data.results).any(|&value| kernel.ty(value).lanes().is_some())
}

/// Says whether an access stores; `None` for an op that is no access.
fn stores(code: Code) -> Option<bool> {
    match code {
        Code::Load | Code::VectorLoad | Code::MaskedLoad | Code::Gather | Code::ExpandLoad => Some(false),
        Code::Store | Code::VectorStore | Code::MaskedStore | Code::Scatter | Code::CompressStore => Some(true),
        _ => None,
    }
}

/// The form that an op says by itself.
pub(crate) fn plain_form(code: Code) -> Option<AccessForm> {
    match code {
        Code::Load | Code::Store => Some(AccessForm::OneCell),
        Code::VectorLoad | Code::MaskedLoad | Code::VectorStore | Code::MaskedStore => Some(AccessForm::Neighbours),
        Code::ExpandLoad | Code::CompressStore => Some(AccessForm::Packed),
        Code::Gather | Code::Scatter => Some(AccessForm::Scattered),
        _ => None,
    }
}
