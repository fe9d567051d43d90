//! Bundles: scalars that become the lanes of one vector, and the op that makes it of other bundles.
//!
//! A tree of bundles starts at stores to neighbouring cells, or at values that a loop carries, and follows operands to what makes them. Ops that do the same are
//! one vector op; loads of neighbouring cells are one load; loads of cells that lie near each other are picked out of vectors
//! that are loaded whole. Where lanes have nothing in common, scalars are put together.

use rustc_hash::FxHashMap;

use super::block::{Block, Carried, Cell};
use super::operations::{is_packable, other_of_pair};
use crate::cse::commutes;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{OpData, Values};
use ir::target::Target;
use ir::types::Elem;

/// The number of a bundle in its [`Bundles`].
pub(super) type BundleId = usize;

/// The most vectors that the lanes of one bundle are picked from.
const MOST_SOURCES: usize = 8;

/// The depth at which two values are compared to find out how well they go together.
const LOOK_AHEAD: u32 = 2;

/// Where a tree ends and scalars are put together, rather than all the operands of their ops: they may be computed alike elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) enum Cuts {
    /// Only where nothing else can be done.
    #[default]
    Nowhere,
    /// At sums and differences side by side.
    Pairs,
    /// At any op of several operands.
    Everywhere,
}

/// Scalars that become the lanes of a vector.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    /// The scalar of each lane; none for stores.
    pub(super) lanes: Vec<Value>,
    pub(super) kind: Kind,
}

/// The op that makes a bundle's vector.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// Ops of one code, by their numbers in the block.
    Same { ops: Vec<usize>, operands: Vec<BundleId> },
    /// Ops of two codes on the same operands: both vectors are made, and each lane takes the one that it is of.
    Two { ops: Vec<usize>, operands: Vec<BundleId> },
    /// Loads of neighbouring cells.
    Load { ops: Vec<usize> },
    /// Stores to neighbouring cells.
    Store { ops: Vec<usize>, stored: BundleId },
    /// Scalars that the loop carries, as one vector that it carries.
    Carried,
    /// The vector that the loop hands on to a carried one, in place of the scalars with these numbers.
    Next { numbers: Vec<usize>, carried: BundleId, handed_on: BundleId },
    /// Lanes of other bundles: numbers of lanes of all of them, side by side.
    Picked { from: Vec<BundleId>, pattern: Vec<u16> },
    /// One scalar in all lanes.
    Splat,
    /// Scalars put together.
    Together,
}

impl Bundle {
    /// The number of lanes.
    pub(super) fn width(&self) -> usize {
        match &self.kind {
            Kind::Store { ops, .. } => ops.len(),
            Kind::Next { numbers, .. } => numbers.len(),
            _ => self.lanes.len(),
        }
    }

    /// The bundles that it is made of.
    pub(super) fn inputs(&self) -> &[BundleId] {
        match &self.kind {
            Kind::Same { operands, .. } | Kind::Two { operands, .. } => operands,
            Kind::Store { stored, .. } => std::slice::from_ref(stored),
            Kind::Next { handed_on, .. } => std::slice::from_ref(handed_on),
            Kind::Picked { from, .. } => from,
            Kind::Load { .. } | Kind::Carried | Kind::Splat | Kind::Together => &[],
        }
    }

    /// The ops that it stands for, by their numbers in the block.
    pub(super) fn ops(&self) -> &[usize] {
        match &self.kind {
            Kind::Same { ops, .. } | Kind::Two { ops, .. } | Kind::Load { ops } | Kind::Store { ops, .. } => ops,
            Kind::Carried | Kind::Next { .. } | Kind::Picked { .. } | Kind::Splat | Kind::Together => &[],
        }
    }

    /// The scalars that have to be there for it.
    pub(super) fn scalars(&self) -> &[Value] {
        match self.kind {
            Kind::Splat => &self.lanes[..1],
            Kind::Together => &self.lanes,
            _ => &[],
        }
    }
}

/// The bundles of a block.
pub(super) struct Bundles<'b, 'k> {
    pub(super) block: &'b Block<'k>,
    target: &'static Target,
    cuts: Cuts,
    pub(super) list: Vec<Bundle>,
    /// The bundle of some lanes.
    of_lanes: FxHashMap<Vec<Value>, BundleId>,
    /// The bundle that computes or stores what an op does, and the lane. A load may be in several bundles, and stays where
    /// its scalar is needed.
    pub(super) of_op: FxHashMap<usize, (BundleId, usize)>,
    /// The bundle that a scalar of the loop is carried in, and the lane.
    pub(super) of_arg: FxHashMap<Value, (BundleId, usize)>,
    /// A bundle that loads what an op does.
    of_load: FxHashMap<usize, BundleId>,
    /// The loads of each base, by the place of their cells; `None` for a cell that is loaded several times.
    loads: FxHashMap<(usize, Elem), Loads>,
}

/// Loads from one base, by the bytes of their cells.
type Loads = Vec<(i128, Option<usize>)>;

impl<'b, 'k> Bundles<'b, 'k> {
    pub(super) fn new(block: &'b Block<'k>, target: &'static Target, cuts: Cuts) -> Bundles<'b, 'k> {
        let mut loads: FxHashMap<_, Loads> = FxHashMap::default();
        for (number, cell) in block.cells.iter().enumerate() {
            if let Some(cell) = cell.filter(|cell| !cell.stores) {
                loads.entry((cell.base, cell.elem)).or_default().push((cell.at, Some(number)));
            }
        }
        for list in loads.values_mut() {
            list.sort_unstable();
            let several: Vec<i128> =
                list.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].0).collect();
            list.iter_mut().filter(|(at, _)| several.binary_search(at).is_ok()).for_each(|(_, load)| *load = None);
            list.dedup();
        }
        Bundles {
            block,
            target,
            cuts,
            list: Vec::new(),
            of_lanes: FxHashMap::default(),
            of_op: FxHashMap::default(),
            of_arg: FxHashMap::default(),
            of_load: FxHashMap::default(),
            loads,
        }
    }

    /// The number of bundles so far, to go back to.
    pub(super) fn mark(&self) -> usize {
        self.list.len()
    }

    /// Takes back the bundles since a mark.
    pub(super) fn back_to(&mut self, mark: usize) {
        self.list.truncate(mark);
        self.of_lanes.retain(|_, id| *id < mark);
        self.of_op.retain(|_, (id, _)| *id < mark);
        self.of_arg.retain(|_, (id, _)| *id < mark);
        self.of_load.retain(|_, id| *id < mark);
    }

    /// Says whether an op is a load that some bundle does as well.
    pub(super) fn loads_at_once(&self, number: usize) -> bool {
        self.of_load.contains_key(&number)
    }

    /// The tree of stores to neighbouring cells, which are in no bundle yet.
    pub(super) fn tree(&mut self, stores: &[usize]) -> Option<BundleId> {
        let block = self.block;
        if !block.are_independent(stores) {
            return None;
        }
        let stored: Vec<Value> = stores.iter().map(|&number| *self.operands(number).last().expect("a value")).collect();
        let stored = self.grow(&stored);
        let id = self.add(Bundle { lanes: Vec::new(), kind: Kind::Store { ops: stores.to_vec(), stored } });
        Some(id)
    }

    /// The tree of values that are computed alike; says whether they are lanes of one vector then.
    pub(super) fn values(&mut self, values: &[Value]) -> bool {
        let mark = self.mark();
        let id = self.grow(values);
        let packs = id >= mark && matches!(self.list[id].kind, Kind::Same { .. });
        if !packs {
            self.back_to(mark);
        }
        packs
    }

    /// The trees of what a loop hands on, for some groups of what it carries, by position in the block's list.
    pub(super) fn carried_trees(&mut self, groups: &[Vec<usize>]) {
        let block = self.block;
        let values = |group: &Vec<usize>, which: fn(&Carried) -> Value| -> Vec<Value> {
            group.iter().map(|&position| which(&block.carried[position])).collect()
        };
        // All vectors are there before the first tree grows: one may use what another one carries.
        let carried: Vec<BundleId> = groups
            .iter()
            .map(|group| self.add(Bundle { lanes: values(group, |carried| carried.arg), kind: Kind::Carried }))
            .collect();
        for (group, carried) in groups.iter().zip(carried) {
            let handed_on = self.grow(&values(group, |carried| carried.next));
            let numbers = group.iter().map(|&position| block.carried[position].number).collect();
            self.add(Bundle { lanes: Vec::new(), kind: Kind::Next { numbers, carried, handed_on } });
        }
    }

    fn operands(&self, number: usize) -> &'k [Value] {
        &self.block.kernel.ops[self.block.ops[number]].operands
    }

    fn op(&self, number: usize) -> Op {
        self.block.ops[number]
    }

    fn add(&mut self, bundle: Bundle) -> BundleId {
        let id = self.list.len();
        let loads = matches!(bundle.kind, Kind::Load { .. });
        for (lane, &op) in bundle.ops().iter().enumerate() {
            if loads {
                self.of_load.entry(op).or_insert(id);
            } else {
                self.of_op.insert(op, (id, lane));
            }
        }
        if let Kind::Carried = bundle.kind {
            self.of_arg.extend(bundle.lanes.iter().enumerate().map(|(lane, &arg)| (arg, (id, lane))));
        }
        if !bundle.lanes.is_empty() {
            self.of_lanes.insert(bundle.lanes.clone(), id);
        }
        self.list.push(bundle);
        id
    }

    /// The bundle of some scalars, one for each lane.
    fn grow(&mut self, lanes: &[Value]) -> BundleId {
        if let Some(&known) = self.of_lanes.get(lanes) {
            return known;
        }
        let kernel = self.block.kernel;
        let is_splat = lanes.iter().all(|&value| value == lanes[0]);
        if (!is_splat || self.cuts != Cuts::Nowhere)
            && let Some(picked) = self.picked(lanes)
        {
            return picked;
        }
        if is_splat {
            return self.add(Bundle { lanes: lanes.to_vec(), kind: Kind::Splat });
        }
        let makers: Option<Vec<usize>> = lanes.iter().map(|&value| self.block.maker(value)).collect();
        let Some(makers) = makers else { return self.together(lanes) };
        if let Some(cells) = lanes.iter().map(|&value| self.block.loaded(value).copied()).collect::<Option<Vec<_>>>() {
            return self.load(lanes, &makers, &cells);
        }
        let codes: Vec<Code> = makers.iter().map(|&number| kernel.ops[self.op(number)].code).collect();
        let other = codes.iter().copied().find(|&code| code != codes[0]);
        let fits = match other {
            None => true,
            Some(other) => {
                other_of_pair(codes[0]) == Some(other) && codes.iter().all(|&code| code == codes[0] || code == other)
            }
        };
        if !fits || !self.go_together(&makers) {
            return self.together(lanes);
        }
        let columns = self.columns(&makers, &codes);
        let mark = self.mark();
        let operands: Vec<BundleId> = columns.iter().map(|column| self.grow(column)).collect();
        let are_apart = |&id: &BundleId| id >= mark && matches!(self.list[id].kind, Kind::Together);
        let may_be_cut = match self.cuts {
            Cuts::Nowhere => false,
            Cuts::Pairs => other.is_some(),
            Cuts::Everywhere => operands.len() > 1,
        };
        if may_be_cut && operands.iter().all(are_apart) {
            self.back_to(mark);
            return self.together(lanes);
        }
        // An operand may have taken one of the ops in, in another order.
        if makers.iter().any(|number| self.of_op.contains_key(number)) {
            return self.together(lanes);
        }
        let kind = match other {
            None => Kind::Same { ops: makers, operands },
            Some(_) => Kind::Two { ops: makers, operands },
        };
        self.add(Bundle { lanes: lanes.to_vec(), kind })
    }

    fn together(&mut self, lanes: &[Value]) -> BundleId {
        self.add(Bundle { lanes: lanes.to_vec(), kind: Kind::Together })
    }

    /// Says whether some ops can be one vector op, if their codes go together.
    fn go_together(&self, makers: &[usize]) -> bool {
        let kernel = self.block.kernel;
        let data = |number: usize| &kernel.ops[self.op(number)];
        let first = data(makers[0]);
        let is_like_first = |&number: &usize| {
            let other = data(number);
            let same_types = first.operands.iter().zip(&other.operands).all(|(&a, &b)| kernel.ty(a) == kernel.ty(b));
            let amount = |data: &OpData| data.operands.get(1).and_then(|&by| kernel.as_const(by));
            // Every target shifts all lanes by the same constant; by different ones only some do, and not lanes of two bytes.
            let bytes = kernel.ty(first.operands[0]).data_elem().map_or(1, Elem::bytes);
            let by_lane = bytes >= 4 && self.target.register_bytes >= 32;
            let same_shift = !matches!(first.code, Code::Shl | Code::Shr) || by_lane || amount(first) == amount(other);
            other.attr == first.attr && other.operands.len() == first.operands.len() && same_types && same_shift
        };
        makers.iter().all(|&number| is_packable(kernel, self.op(number), self.target))
            && makers.iter().all(is_like_first)
            && makers.iter().all(|number| !self.of_op.contains_key(number))
            && self.block.are_independent(makers)
    }

    /// The operands of some ops by position, each lane's in the order in which they go best with those of the lane before.
    fn columns(&self, makers: &[usize], codes: &[Code]) -> Vec<Vec<Value>> {
        let mut rows: Vec<Values> = Vec::with_capacity(makers.len());
        for (&number, &code) in makers.iter().zip(codes) {
            let mut row: Values = self.operands(number).into();
            if let (Some(before), [a, b], true) = (rows.last(), &row[..], commutes(code)) {
                // Of values that are known to be alike, what is far behind may be made in different ways.
                let depth = if self.cuts == Cuts::Nowhere { LOOK_AHEAD } else { 0 };
                let as_is = self.likeness(before[0], *a, depth) + self.likeness(before[1], *b, depth);
                let swapped = self.likeness(before[0], *b, depth) + self.likeness(before[1], *a, depth);
                if swapped > as_is {
                    row.swap(0, 1);
                }
            }
            rows.push(row);
        }
        (0..rows[0].len()).map(|position| rows.iter().map(|row| row[position]).collect()).collect()
    }

    /// A number that is the higher, the better two values go into neighbouring lanes.
    fn likeness(&self, a: Value, b: Value, depth: u32) -> u32 {
        let kernel = self.block.kernel;
        if a == b {
            return 3;
        }
        if kernel.as_const(a).is_some() && kernel.as_const(b).is_some() {
            return 3;
        }
        if let (Some(own), Some(other)) = (self.block.loaded(a), self.block.loaded(b)) {
            return match own.distance(other) {
                Some(1) => 5,
                Some(-4..=4) => 3,
                _ => 1,
            };
        }
        let (Some(one), Some(other)) = (self.block.maker(a), self.block.maker(b)) else { return 0 };
        let [one, other] = [one, other].map(|number| &kernel.ops[self.op(number)]);
        if one.code != other.code && other_of_pair(one.code) != Some(other.code) {
            return 0;
        }
        let own = if one.code == other.code { 2 } else { 1 };
        if depth == 0 || one.operands.len() != other.operands.len() {
            return own;
        }
        let pairs = |swap: bool| -> u32 {
            let n = one.operands.len();
            let partner = |number: usize| if swap { n - 1 - number } else { number };
            (0..n).map(|number| self.likeness(one.operands[number], other.operands[partner(number)], depth - 1)).sum()
        };
        own + if commutes(other.code) { pairs(false).max(pairs(true)) } else { pairs(false) }
    }

    /// Lanes that other bundles compute or carry, in another order.
    fn picked(&mut self, lanes: &[Value]) -> Option<BundleId> {
        let place = |value: &Value| {
            let of_op = || self.block.maker(*value).and_then(|number| self.of_op.get(&number));
            self.of_arg.get(value).or_else(of_op).copied()
        };
        let places: Option<Vec<(BundleId, usize)>> = lanes.iter().map(place).collect();
        self.pick(lanes, &places?)
    }

    /// Lanes that are picked from bundles, given the bundle and the lane there of each.
    fn pick(&mut self, lanes: &[Value], places: &[(BundleId, usize)]) -> Option<BundleId> {
        let mut from: Vec<BundleId> = places.iter().map(|(id, _)| *id).collect();
        from.sort_unstable();
        from.dedup();
        if from.len() > MOST_SOURCES {
            return None;
        }
        let mut starts = FxHashMap::default();
        let mut start = 0;
        for &id in &from {
            starts.insert(id, start);
            start += self.list[id].width();
        }
        let pattern = places.iter().map(|(id, lane)| (starts[id] + lane) as u16).collect();
        Some(self.add(Bundle { lanes: lanes.to_vec(), kind: Kind::Picked { from, pattern } }))
    }

    /// Loads: at once where their cells are neighbours, else out of vectors that are loaded at once.
    fn load(&mut self, lanes: &[Value], makers: &[usize], cells: &[Cell]) -> BundleId {
        let are_neighbours = cells.windows(2).all(|pair| pair[0].distance(&pair[1]) == Some(1));
        if are_neighbours && self.block.are_independent(makers) && self.block.can_be_one(makers) {
            return self.add(Bundle { lanes: lanes.to_vec(), kind: Kind::Load { ops: makers.to_vec() } });
        }
        let wholes: Option<Vec<(Vec<usize>, usize)>> =
            cells.iter().map(|cell| self.whole_around(cell, lanes.len())).collect();
        let Some(wholes) = wholes else { return self.together(lanes) };
        // The cell may be loaded by another op than this one, from before a store.
        if wholes.iter().zip(makers).any(|((whole, lane), maker)| whole[*lane] != *maker) {
            return self.together(lanes);
        }
        let mut different: Vec<&Vec<usize>> = wholes.iter().map(|(whole, _)| whole).collect();
        different.sort_unstable();
        different.dedup();
        if different.len() > MOST_SOURCES {
            return self.together(lanes);
        }
        let mark = self.mark();
        let places: Vec<(BundleId, usize)> = wholes
            .iter()
            .map(|(whole, lane)| {
                let values: Vec<Value> = whole.iter().map(|&number| self.block.result(number)).collect();
                let known = self.of_lanes.get(&values).copied();
                let id = known
                    .unwrap_or_else(|| self.add(Bundle { lanes: values, kind: Kind::Load { ops: whole.clone() } }));
                (id, *lane)
            })
            .collect();
        match self.pick(lanes, &places) {
            Some(picked) => picked,
            None => {
                self.back_to(mark);
                self.together(lanes)
            }
        }
    }

    /// The loads of as many neighbouring cells, among them a given one: of a run of neighbours that starts at its first cell, or
    /// ends at its last one. Also the place of the cell among them.
    fn whole_around(&self, cell: &Cell, width: usize) -> Option<(Vec<usize>, usize)> {
        let list = self.loads.get(&(cell.base, cell.elem))?;
        let bytes = cell.elem.bytes() as i128;
        let here = list.binary_search_by_key(&cell.at, |(at, _)| *at).ok()?;
        let is_next = |a: usize, b: usize| list[b].0 - list[a].0 == bytes && list[a].1.is_some() && list[b].1.is_some();
        let mut first = here;
        while first > 0 && is_next(first - 1, first) {
            first -= 1;
        }
        let mut last = here;
        while last + 1 < list.len() && is_next(last, last + 1) {
            last += 1;
        }
        let n_cells = last + 1 - first;
        if n_cells < width {
            return None;
        }
        let start = (first + (here - first) / width * width).min(last + 1 - width);
        let whole: Option<Vec<usize>> = list[start..start + width].iter().map(|(_, load)| *load).collect();
        let whole = whole.filter(|whole| self.block.are_independent(whole) && self.block.can_be_one(whole))?;
        Some((whole, here - start))
    }
}
