//! Access groups: accesses (*touches*) that may be done together.
//!
//! The touches of a group are of one kind, in one block, under one mask, and lie a known number of bytes apart. Loads are
//! done where the first of them stands, and stores where the last one does; so nothing that they would pass may access the
//! same cells.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::touch::Touch;
use ir::effects::Effects;
use ir::entities::{Op, Value};
use ir::ops::Effect;
use ir::program::Kernel;

/// The distance, in multiples of the bytes that all lanes touch, beyond which accesses gain nothing from each other.
const FARTHEST: i128 = 16;

/// The most groups of one array that others may still join. The oldest one ends when there are more, so that the time for a block
/// does not grow with the square of its accesses.
const MOST_OPEN: usize = 64;

/// The most stores that a load may be done ahead of.
const MOST_PASSED: usize = 256;

/// Touches that may be done together, in the order of the program.
#[derive(Debug, Clone)]
pub(super) struct AccessGroup {
    pub(super) members: Vec<Rc<Touch>>,
    /// Loads of cells between those that are stored, which are stored again as they were loaded.
    pub(super) kept: Vec<Rc<Touch>>,
    /// The bytes at which the first and the last of their cells start, behind what is shared.
    bounds: (i128, i128),
}

impl AccessGroup {
    /// The group of one touch.
    pub(super) fn of(touch: Rc<Touch>) -> AccessGroup {
        AccessGroup { bounds: touch.bounds, members: vec![touch], kept: Vec::new() }
    }

    /// A group of stores that keeps what some loads have loaded.
    pub(super) fn keeping(mut self, kept: Vec<Rc<Touch>>) -> AccessGroup {
        let reach = |(from, to): (i128, i128), load: &Rc<Touch>| (from.min(load.bounds.0), to.max(load.bounds.1));
        self.bounds = kept.iter().fold(self.bounds, reach);
        self.kept = kept;
        self
    }

    /// All accesses whose cells are loaded or stored, the members first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Rc<Touch>> {
        self.members.iter().chain(&self.kept)
    }

    /// Adds a touch of the same kind.
    fn push(&mut self, touch: Rc<Touch>) {
        let (first, last) = touch.bounds;
        self.bounds = (self.bounds.0.min(first), self.bounds.1.max(last));
        self.members.push(touch);
    }

    /// Says whether a cell of a touch is a cell of one of them, as far as is known.
    fn meets(&self, kernel: &Kernel, touch: &Touch) -> bool {
        let own = &self.members[0];
        // Most groups lie elsewhere, which their bounds tell without a look at each member.
        let (first, last) = touch.bounds;
        let is_elsewhere = own.root == touch.root
            && own.shared == touch.shared
            && (last + touch.elem.bytes() as i128 <= self.bounds.0 || self.bounds.1 + self.bytes() <= first);
        !is_elsewhere && self.members.iter().any(|member| member.meets(kernel, touch))
    }

    /// The op in whose place all of them are done.
    pub(super) fn place(&self) -> Op {
        let place = if self.stores() { self.members.last() } else { self.members.first() };
        place.expect("a group has members").op
    }

    /// Tells if the members are stores.
    pub(super) fn stores(&self) -> bool {
        self.members[0].stores
    }

    /// The bytes of a cell.
    pub(super) fn bytes(&self) -> i128 {
        self.members[0].elem.bytes() as i128
    }

    /// The byte at which the first of the cells starts, behind what is shared.
    pub(super) fn least(&self) -> i128 {
        self.bounds.0
    }

    /// The cell of each lane, from the first of the cells on.
    pub(super) fn cells(&self, member: &Touch) -> Vec<usize> {
        let least = self.least();
        member.each.iter().map(|each| ((each - least) / self.bytes()) as usize).collect()
    }

    /// Says whether a touch is of the same kind.
    fn is_like(&self, touch: &Touch) -> bool {
        let kind = |touch: &Touch| (touch.root, touch.stores, touch.mask, touch.lanes, touch.elem.bytes());
        let is_bool = |touch: &Touch| touch.elem == ir::Elem::Bool;
        let first = &self.members[0];
        if kind(first) != kind(touch) || is_bool(first) != is_bool(touch) || first.shared != touch.shared {
            return false;
        }
        let bytes = self.bytes();
        let distance = touch.each[0] - first.each[0];
        distance == 0 || distance.abs() <= FARTHEST * bytes * i128::from(first.lanes) && distance % bytes == 0
    }
}

/// A group that others may still join.
#[derive(Debug)]
struct Open {
    group: AccessGroup,
    /// The number of stores before it was opened: loads that meet one of those behind cannot join.
    n_stores_before: usize,
    /// The number of groups that were opened before.
    number: usize,
    residues: Residues,
    moved: MovedStores,
}

/// The stores that stand in front of a group of loads and are done behind it, since another store joined theirs: a load that meets one
/// of them stays where it is.
#[derive(Debug, Default)]
struct MovedStores {
    /// The groups of these stores, by their numbers.
    groups: Vec<usize>,
    stores: Vec<Rc<Touch>>,
}

impl MovedStores {
    /// Another store joins a group, whose members so far are these. Those that joined behind the loads were noted as stores there.
    fn push(&mut self, group: usize, members: &[Rc<Touch>]) {
        if !self.groups.contains(&group) {
            self.groups.push(group);
            self.stores.extend_from_slice(members);
        }
    }

    /// Says whether a cell of a touch is a cell of one of the stores, as far as is known.
    fn meets(&self, kernel: &Kernel, touch: &Touch) -> bool {
        self.stores.iter().any(|store| store.meets(kernel, touch))
    }
}

/// The places at which the members of a group lie within the step that they all make from lane to lane. The fields of a struct are a
/// group whose members lie between each other, so that their bounds say nothing, and yet no two of them meet.
#[derive(Debug)]
struct Residues {
    /// The step, as long as all members make the same one.
    step: Option<i128>,
    starts: BTreeSet<i128>,
}

impl Residues {
    fn of(touch: &Touch) -> Residues {
        let mut residues = Residues { step: touch.step, starts: BTreeSet::new() };
        residues.push(touch);
        residues
    }

    fn push(&mut self, touch: &Touch) {
        match self.step.filter(|_| self.step == touch.step) {
            Some(step) => _ = self.starts.insert(touch.each[0].rem_euclid(step)),
            None => self.step = None,
        }
    }

    /// Says whether a touch that makes the same step lies between the members, the cells of which have `bytes`.
    fn leave_out(&self, touch: &Touch, bytes: i128) -> bool {
        let Some(step) = self.step.filter(|_| self.step == touch.step) else { return false };
        let start = touch.each[0].rem_euclid(step);
        let (from, to) = (start - bytes + 1, start + touch.elem.bytes() as i128);
        // Steps follow each other, so the members lie there once more a step ahead, and a step behind.
        [-step, 0, step].into_iter().all(|by| self.starts.range(from + by..to + by).next().is_none())
    }
}

/// The groups of a block, as its ops are met one after the other.
#[derive(Debug, Default)]
pub(super) struct AccessGroups {
    /// Open groups by the array that they touch: only those of one array, or of two that may overlap, have to do with each other.
    open: FxHashMap<Value, Vec<Open>>,
    stores: Stores,
    n_opened: usize,
    closed: Vec<AccessGroup>,
}

/// The stores of a block so far, by the array that they touch, each with its number among all.
#[derive(Debug, Default)]
struct Stores {
    of_arrays: FxHashMap<Value, Vec<(usize, Rc<Touch>)>>,
    n_stores: usize,
}

impl Stores {
    fn push(&mut self, touch: Rc<Touch>) {
        self.of_arrays.entry(touch.root).or_default().push((self.n_stores, touch));
        self.n_stores += 1;
    }

    /// The number of the last store, from a number on, that meets a touch.
    fn last_met(&self, from: usize, kernel: &Kernel, touch: &Touch) -> Option<usize> {
        let of_arrays = arrays_met(kernel, touch.root).into_iter().filter_map(|array| self.of_arrays.get(&array));
        let last = of_arrays.filter_map(|stores| {
            let since = &stores[stores.partition_point(|(known, _)| *known < from)..];
            since.iter().rev().find(|(_, store)| store.meets(kernel, touch)).map(|(number, _)| *number)
        });
        last.max()
    }
}

impl AccessGroups {
    /// The next op of the block, and the touch that it is, if it is one.
    pub(super) fn meet(&mut self, kernel: &Kernel, effects: &Effects, op: Op, touch: Option<Touch>) {
        let Some(touch) = touch.map(Rc::new) else { return self.pass(kernel, effects, op) };
        let arrays = arrays_met(kernel, touch.root);
        let n_stores = self.stores.n_stores;
        self.close(&arrays, |open| !open.group.stores() && n_stores - open.n_stores_before > MOST_PASSED);
        let joined = if touch.joins { self.joined(kernel, &touch) } else { None };
        // Stores are done where the last of their group stands, so an access to their cells closes it. Loads are done where the first
        // of theirs stands: a store behind that keeps others out that would load from its cells, and no more.
        self.close(&arrays, |open| open.group.stores() && Some(open.number) != joined && open.meets(kernel, &touch));
        if let Some(joined) = joined.filter(|_| touch.stores) {
            self.moves_down(&arrays, joined);
        }
        for array in &arrays {
            for open in self.open.get_mut(array).into_iter().flatten() {
                if Some(open.number) == joined {
                    open.residues.push(&touch);
                    open.group.push(touch.clone());
                }
            }
        }
        if touch.stores {
            self.stores.push(touch.clone());
        }
        if joined.is_none() && touch.joins {
            let (root, number) = (touch.root, self.n_opened);
            self.n_opened += 1;
            let residues = Residues::of(&touch);
            let group = AccessGroup::of(touch);
            let n_stores_before = self.stores.n_stores;
            let open = self.open.entry(root).or_default();
            open.push(Open { group, n_stores_before, number, residues, moved: MovedStores::default() });
            if open.len() > MOST_OPEN {
                self.closed.push(open.remove(0).group);
            }
        }
    }

    /// A group of stores gets another member, in whose place all of them are done: behind the loads of groups that were opened since.
    fn moves_down(&mut self, arrays: &[Value], number: usize) {
        let all = || arrays.iter().filter_map(|array| self.open.get(array)).flatten();
        let Some(members) = all().find(|open| open.number == number).map(|open| open.group.members.clone()) else {
            return;
        };
        for array in arrays {
            let open = self.open.get_mut(array).into_iter().flatten();
            let loads = open.filter(|open| !open.group.stores() && open.number > number);
            loads.for_each(|open| open.moved.push(number, &members));
        }
    }

    /// The number of the first group that a touch may join. The last store that meets a load decides that for all groups of loads: only
    /// those that were opened behind it are left.
    fn joined(&self, kernel: &Kernel, touch: &Touch) -> Option<usize> {
        let like = || self.open.get(&touch.root).into_iter().flatten().filter(|open| open.group.is_like(touch));
        if touch.stores {
            return like().filter(|open| !open.meets(kernel, touch)).map(|open| open.number).min();
        }
        let oldest = like().map(|open| open.n_stores_before).min()?;
        let met = self.stores.last_met(oldest, kernel, touch);
        let is_free =
            |open: &&Open| met.is_none_or(|met| met < open.n_stores_before) && !open.moved.meets(kernel, touch);
        like().filter(is_free).map(|open| open.number).min()
    }

    /// An op of which it is not known what it touches: it ends all that it may meet.
    fn pass(&mut self, kernel: &Kernel, effects: &Effects, op: Op) {
        let data = &kernel.ops[op];
        let own;
        let touched = match effects.effect(op) {
            Effect::Pure | Effect::Fails => return,
            _ if data.code.is_control() => effects.touched_inside(op),
            effect => {
                own = [(kernel.root(data.operands[0]), effect == Effect::Writes)];
                &own
            }
        };
        let mut arrays: Vec<Value> = touched.iter().flat_map(|&(array, _)| arrays_met(kernel, array)).collect();
        arrays.sort_unstable();
        arrays.dedup();
        self.close(&arrays, |open| {
            let first = &open.group.members[0];
            touched.iter().any(|&(array, stores)| (stores || first.stores) && kernel.may_overlap(array, first.root))
        });
    }

    fn close(&mut self, arrays: &[Value], mut ends: impl FnMut(&Open) -> bool) {
        let mut closed: Vec<Open> = Vec::new();
        for array in arrays {
            if let Some(open) = self.open.get_mut(array) {
                closed.extend(open.extract_if(.., |open| ends(open)));
            }
        }
        closed.sort_by_key(|open| open.number);
        self.closed.extend(closed.into_iter().map(|open| open.group));
    }

    /// All groups of the block.
    pub(super) fn finish(mut self) -> Vec<AccessGroup> {
        let arrays: Vec<Value> = self.open.keys().copied().collect();
        self.close(&arrays, |_| true);
        self.closed
    }
}

/// The arrays that may share a cell with one: itself, and those that may overlap it.
fn arrays_met(kernel: &Kernel, array: Value) -> SmallVec<[Value; 2]> {
    let others = kernel.marks.alias.iter().filter_map(|&(a, b)| match array {
        _ if a == array => Some(b),
        _ if b == array => Some(a),
        _ => None,
    });
    let mut arrays: SmallVec<[Value; 2]> = std::iter::once(array).chain(others).collect();
    arrays.sort_unstable();
    arrays.dedup();
    arrays
}

impl Open {
    /// Says whether a cell of a touch is a cell of a member, as far as is known.
    fn meets(&self, kernel: &Kernel, touch: &Touch) -> bool {
        let own = &self.group.members[0];
        let is_alike = own.root == touch.root && own.shared == touch.shared;
        !(is_alike && self.residues.leave_out(touch, self.group.bytes())) && self.group.meets(kernel, touch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Elem;
    use ir::entities::Entity;

    fn touch(elem: Elem, start: i128, step: i128) -> Touch {
        let each: Vec<i128> = (0..4).map(|lane| start + lane * step).collect();
        Touch {
            op: Op::new(0),
            root: Value::new(0),
            stores: true,
            is_settled: false,
            joins: true,
            elem,
            lanes: 4,
            mask: None,
            stored: None,
            shared: Rc::default(),
            bounds: (each.iter().min().copied().unwrap_or(0), each.iter().max().copied().unwrap_or(0)),
            step: Some(step.abs()).filter(|step| *step != 0),
            each,
            along: None,
        }
    }

    #[test]
    fn members_are_left_out_only_if_none_meets() {
        let kernel = Kernel::new("k");
        let (mut n_left_out, mut n_met) = (0, 0);
        for step in [-24, -12, 0, 4, 12, 24] {
            for (own, other) in [(Elem::F32, Elem::F32), (Elem::F32, Elem::F64), (Elem::F64, Elem::F32)] {
                let members: Vec<Touch> = [0, 44].into_iter().map(|start| touch(own, start, step)).collect();
                let mut residues = Residues::of(&members[0]);
                residues.push(&members[1]);
                for start in -30..60 {
                    for other_step in [step, 8] {
                        let other = touch(other, start, other_step);
                        let meets = members.iter().any(|member| member.meets(&kernel, &other));
                        let is_left_out = residues.leave_out(&other, own.bytes() as i128);
                        assert!(!(meets && is_left_out), "{start} by {other_step}, and members by {step}");
                        (n_left_out, n_met) = (n_left_out + usize::from(is_left_out), n_met + usize::from(meets));
                    }
                }
            }
        }
        assert!(n_left_out > 100 && n_met > 100, "{n_left_out} left out, {n_met} met");
    }
}
