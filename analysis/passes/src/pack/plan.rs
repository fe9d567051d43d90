//! The decision: which trees of bundles are kept, by cost, and the order in which everything is done then.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

use super::block::{Address, Block, Cell};
use super::bundles::{Bundle, BundleId, Bundles, Kind};
use super::operations::{is_packable, other_of_pair, registers, scalar_cost, vector_cost};
use super::search::{Found, Search};
use ir::entities::Value;
use ir::ops::Code;
use ir::target::{Family, Target};
use ir::types::Elem;
use ir::uses::{Use, Uses};

/// A tree that was looked at, and what it costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tried {
    /// The ops that it starts at, by their numbers in the block, in the order of their lanes.
    pub(super) seeds: Vec<usize>,
    /// The lanes of its widest vector.
    width: usize,
    /// Where it starts.
    pub(super) start: Start,
    /// The cost of the block's ops without it, and with it.
    pub(super) costs: (u32, u32),
    /// True if no order of the ops lets it be done.
    pub(super) is_cyclic: bool,
    /// True if it stands in a loop and does not save enough there.
    pub(super) waits: bool,
    /// The number of vector ops that it adds.
    pub(super) n_vectors: usize,
}

impl Tried {
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// True if the tree is kept.
    pub(super) fn is_kept(&self) -> bool {
        !self.is_cyclic && !self.waits && self.costs.1 < self.costs.0
    }
}

/// The ops that a tree starts at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// Stores to neighbouring cells.
    Stores,
    /// Those that make what a loop hands on.
    Carried,
    /// Those that make values that are computed alike.
    Alike,
}

/// A step of a block whose bundles are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The op with this number, as it is.
    Op(usize),
    /// The op of a bundle.
    Bundle(BundleId),
}

/// The bundles of a block that pay.
pub(super) struct Plan<'b, 'k> {
    pub(super) bundles: Bundles<'b, 'k>,
    /// The trees that were looked at, the kept ones and those that would cost more; of the same stores the widest.
    pub(super) tried: Vec<Tried>,
    /// All that the block does, in order.
    pub(super) steps: Vec<Step>,
    /// The scalars that have to be there besides vectors.
    pub(super) needed: FxHashSet<Value>,
}

impl<'b, 'k> Plan<'b, 'k> {
    /// The plan of a block; `None` where nothing is packed or was worth a try.
    pub(super) fn of(block: &'b Block<'k>, target: &'static Target, uses: &'b Uses) -> Option<Plan<'b, 'k>> {
        let runs = runs_of_stores(block, target);
        let carried = kinds_of_carried(block, target);
        if runs.is_empty() && carried.is_empty() {
            return None;
        }
        let planner = Planner { block, target, uses, most: usize::MAX, begins_alike: false };
        let Found { bundles, tried, .. } = Search { planner, runs, carried }.best();
        let steps = planner.schedule(&bundles)?;
        let needed = planner.needed(&bundles);
        Some(Plan { bundles, tried, steps, needed })
    }

    /// Says whether anything is packed.
    pub(super) fn packs(&self) -> bool {
        self.tried.iter().any(Tried::is_kept)
    }
}

/// Half of the bytes of a cache line.
const HALF_LINE: usize = 32;

/// The number of shuffles of two vectors each that pick lanes out of several. Columns of as many rows as a row has lanes share most of
/// theirs with the other columns.
fn n_shuffles(n_from: usize, pattern: &[u16]) -> u32 {
    let firsts = pattern.iter().step_by(n_from).copied();
    let of_columns = firsts.clone().flat_map(|first| (0..n_from).map(move |row| first + (row * n_from) as u16));
    let are_columns = firsts.clone().all(|first| usize::from(first) < n_from) && of_columns.eq(pattern.iter().copied());
    if n_from >= 4 && n_from.is_power_of_two() && are_columns {
        let n_columns = (pattern.len() / n_from) as u32;
        return n_columns * (n_from.ilog2() + 1) - 1;
    }
    (n_from as u32).max(2) - 1
}

/// The numbers of lanes that vectors may have, the most first: powers of two, and three where elements are as large as floats are.
fn widths(widest: usize, elem: Elem) -> impl Iterator<Item = usize> {
    let widths = (0..=widest.max(1).ilog2()).rev().map(|log| 1 << log).filter(|&width| width > 1);
    let three = (widest >= 3 && elem.bytes() >= 4).then_some(3);
    let (wider, narrower): (Vec<usize>, Vec<usize>) = widths.partition(|&width| width > 3);
    wider.into_iter().chain(three).chain(narrower)
}

/// The number of vector ops among some bundles.
fn n_vectors(bundles: &[Bundle]) -> usize {
    bundles.iter().filter(|bundle| matches!(bundle.kind, Kind::Same { .. } | Kind::Two { .. })).count()
}

/// The stores to neighbouring cells, at least two each, in the order of their cells.
fn runs_of_stores(block: &Block, target: &Target) -> Vec<Vec<usize>> {
    let mut stores: Vec<(usize, Elem, i128, usize)> = Vec::new();
    for (number, cell) in block.cells.iter().enumerate() {
        if let Some(cell) = cell.filter(|cell| cell.stores && cell.elem != Elem::Bool) {
            stores.push((cell.base, cell.elem, cell.at, number));
        }
    }
    // Of several stores to one cell the last one counts: an earlier one is seen by who loads in between.
    stores.sort_unstable();
    let mut last: Vec<(usize, Elem, i128, usize)> = Vec::new();
    for store in stores {
        match last.last_mut() {
            Some(known) if (known.0, known.1, known.2) == (store.0, store.1, store.2) => *known = store,
            _ => last.push(store),
        }
    }
    let follows = |a: &(usize, Elem, i128, usize), b: &(usize, Elem, i128, usize)| {
        (a.0, a.1) == (b.0, b.1) && b.2 - a.2 == a.1.bytes() as i128
    };
    let runs = last.chunk_by(follows).filter(|run| run.len() > 1 && target.lanes_for(run[0].1.bytes()) > 1);
    let mut runs: Vec<Vec<usize>> = runs.map(|run| run.iter().map(|store| store.3).collect()).collect();
    runs.sort_by_key(|run| run.iter().copied().min());
    runs
}

/// The values of one type that a loop carries and hands on by ops that go together, by position in the block's list; at least two each.
pub(super) fn kinds_of_carried(block: &Block, target: &Target) -> Vec<Vec<usize>> {
    let kernel = block.kernel;
    let mut kinds: Vec<((Elem, Code), Vec<usize>)> = Vec::new();
    for (position, carried) in block.carried.iter().enumerate() {
        let Some(elem) = kernel.ty(carried.arg).data_elem().filter(|elem| *elem != Elem::Bool) else { continue };
        let Some(maker) = block.maker(carried.next) else { continue };
        let code = kernel.ops[block.ops[maker]].code;
        if target.lanes_for(elem.bytes()) < 2 || !is_packable(kernel, block.ops[maker], target) {
            continue;
        }
        let goes = |kind: &Code| *kind == code || other_of_pair(*kind) == Some(code);
        match kinds.iter_mut().find(|((other, kind), _)| *other == elem && goes(kind)) {
            Some((_, kind)) => kind.push(position),
            None => kinds.push(((elem, code), vec![position])),
        }
    }
    kinds.into_iter().map(|(_, kind)| kind).filter(|kind| kind.len() > 1).collect()
}

/// Chooses trees of bundles by what the block costs with them.
#[derive(Clone, Copy)]
pub(super) struct Planner<'b, 'k> {
    pub(super) block: &'b Block<'k>,
    pub(super) target: &'static Target,
    pub(super) uses: &'b Uses,
    /// The most lanes of a vector.
    pub(super) most: usize,
    /// True if values that are computed alike are vectors first: what is stored is picked from these.
    pub(super) begins_alike: bool,
}

impl Planner<'_, '_> {
    /// Packs what the loop carries, the widest vectors first, and the stores of runs with it: all together, since one may use what another one
    /// carries, else those that pay alone. Says whether any of it is kept; only then the runs are done.
    pub(super) fn choose_carried(
        &self,
        bundles: &mut Bundles,
        (kinds, runs): (&[Vec<usize>], &[Vec<usize>]),
        cost: &mut u32,
        tried: &mut Vec<Tried>,
    ) -> bool {
        let block = self.block;
        let lanes_of = |position: usize| {
            let elem = block.kernel.ty(block.carried[position].arg).data_elem();
            usize::from(self.target.lanes_for(elem.map_or(1, Elem::bytes)))
        };
        let widest = |kind: &Vec<usize>| 1_usize << lanes_of(kind[0]).min(kind.len()).ilog2();
        let mut most = kinds.iter().map(widest).max().unwrap_or(0).min(self.most);
        let mut told: Option<Tried> = None;
        while most > 1 {
            let groups = kinds.iter().flat_map(|kind| kind.chunks_exact(most.min(widest(kind))).map(<[usize]>::to_vec));
            let mut groups: Vec<Vec<usize>> = groups.collect();
            for is_last in [false, true] {
                let mark = bundles.mark();
                let (one, of_runs) = self.attempt_carried(bundles, &groups, runs, *cost);
                if one.is_kept() {
                    *cost = one.costs.1;
                    tried.push(one);
                    tried.extend(of_runs);
                    return true;
                }
                told = told.or(Some(one));
                if is_last || groups.len() == 1 {
                    break;
                }
                groups.retain(|group| {
                    let (one, _) = self.attempt_carried(bundles, std::slice::from_ref(group), runs, *cost);
                    bundles.back_to(mark);
                    one.is_kept()
                });
                if groups.is_empty() {
                    break;
                }
            }
            most /= 2;
        }
        tried.extend(told);
        false
    }

    /// Adds the trees of some groups of what the loop carries, and those of stores that pay then; takes all back unless they pay together.
    fn attempt_carried(
        &self,
        bundles: &mut Bundles,
        groups: &[Vec<usize>],
        runs: &[Vec<usize>],
        cost: u32,
    ) -> (Tried, Vec<Tried>) {
        let block = self.block;
        let mark = bundles.mark();
        bundles.carried_trees(groups);
        let (mut now, mut of_runs) = (self.cost(bundles), Vec::new());
        self.choose_runs(bundles, runs, &mut now, &mut of_runs);
        let makers = groups.iter().flatten().filter_map(|&position| block.maker(block.carried[position].next));
        let one = Tried { start: Start::Carried, ..self.judged(bundles, mark, makers.collect(), cost) };
        // The block without any of them is what all are compared with.
        of_runs.iter_mut().filter(|run| run.is_kept()).for_each(|run| run.costs = one.costs);
        if !one.is_kept() {
            bundles.back_to(mark);
        }
        (one, of_runs)
    }

    /// Packs values that are computed alike, and then the stores of runs, whatever it costs; it is the greatest number if it cannot be done.
    pub(super) fn choose_alike(
        &self,
        bundles: &mut Bundles,
        alike: &[Vec<Value>],
        runs: &[Vec<usize>],
        cost: &mut u32,
        tried: &mut Vec<Tried>,
    ) {
        let block = self.block;
        let before = *cost;
        for group in alike {
            let elem = block.kernel.ty(group[0]).data_elem().expect("values are computed");
            let most = usize::from(self.target.lanes_for(elem.bytes())).min(self.most);
            let mut left = &group[..];
            while left.len() > 1 && most > 1 {
                let (values, others) = left.split_at(1 << most.min(left.len()).ilog2());
                left = others;
                let mark = bundles.mark();
                if !bundles.values(values) {
                    continue;
                }
                let makers = values.iter().filter_map(|&value| block.maker(value)).collect();
                let one = Tried { start: Start::Alike, ..self.judged(bundles, mark, makers, *cost) };
                if self.schedule(bundles).is_none() {
                    bundles.back_to(mark);
                    continue;
                }
                tried.push(one);
            }
        }
        let mut now = self.cost(bundles);
        self.choose_runs(bundles, runs, &mut now, tried);
        let (saved, paid) = self.at_best(bundles, 0);
        if (block.in_loop && 2 * paid > saved) || self.schedule(bundles).is_none() {
            *cost = u32::MAX;
            return;
        }
        // They only pay together, and all are compared with the block without any of them.
        for one in tried.iter_mut() {
            if one.start == Start::Alike || one.is_kept() {
                (one.costs, one.waits, one.is_cyclic) = ((before, now), false, false);
            } else {
                one.costs = (now, now + one.costs.1.saturating_sub(one.costs.0));
            }
        }
        *cost = now;
    }

    /// Packs the stores of runs: each group that pays alone, then those that only pay together, since they need the same values.
    pub(super) fn choose_runs(
        &self,
        bundles: &mut Bundles,
        runs: &[Vec<usize>],
        cost: &mut u32,
        tried: &mut Vec<Tried>,
    ) {
        let mut left = Vec::new();
        runs.iter().for_each(|run| self.choose(bundles, run, cost, tried, &mut left));
        let mut widths: Vec<usize> = left.iter().map(Vec::len).collect();
        widths.sort_unstable_by_key(|&width| Reverse(width));
        widths.dedup();
        for width in widths {
            let is_packed = |store: &usize| tried.iter().any(|one| one.is_kept() && one.seeds.contains(store));
            let of_width = left.iter().filter(|group| group.len() == width && !group.iter().any(is_packed));
            let groups: Vec<&[usize]> = of_width.map(Vec::as_slice).collect();
            if groups.len() > 1 {
                self.choose_together(bundles, &groups, cost, tried);
            }
        }
    }

    /// Packs groups of stores if all of them together pay.
    fn choose_together(&self, bundles: &mut Bundles, groups: &[&[usize]], cost: &mut u32, tried: &mut Vec<Tried>) {
        let mark = bundles.mark();
        let mut ends = Vec::new();
        for stores in groups {
            if bundles.tree(stores).is_none() {
                return bundles.back_to(mark);
            }
            ends.push(bundles.mark());
        }
        let all = self.judged(bundles, mark, groups.concat(), *cost);
        if !all.is_kept() {
            return bundles.back_to(mark);
        }
        *cost = all.costs.1;
        tried.retain(|one| one.is_kept() || !one.seeds.iter().any(|store| all.seeds.contains(store)));
        let mut start = mark;
        for (stores, end) in groups.iter().zip(ends) {
            let of_group = &bundles.list[start..end];
            let width = of_group.iter().map(Bundle::width).max().unwrap_or(0);
            tried.push(Tried { seeds: stores.to_vec(), width, n_vectors: n_vectors(of_group), ..all.clone() });
            start = end;
        }
    }

    /// Packs the stores of a run, the widest vectors first; adds the groups that do not pay to those that are left.
    fn choose(
        &self,
        bundles: &mut Bundles,
        run: &[usize],
        cost: &mut u32,
        tried: &mut Vec<Tried>,
        left: &mut Vec<Vec<usize>>,
    ) {
        let cell = self.block.cells[run[0]].expect("a store to a known cell");
        let widest = usize::from(self.target.lanes_for(cell.elem.bytes())).min(run.len()).min(self.most);
        let mut is_packed = vec![false; run.len()];
        let mut is_told = vec![false; run.len()];
        for width in widths(widest, cell.elem) {
            let mut start = 0;
            while start + width <= run.len() {
                if is_packed[start..start + width].contains(&true) {
                    start += 1;
                    continue;
                }
                let stores = &run[start..start + width];
                let Some(one) = self.attempt(bundles, stores, *cost) else {
                    start += width;
                    continue;
                };
                if one.is_kept() {
                    *cost = one.costs.1;
                    is_packed[start..start + width].fill(true);
                    tried.push(one);
                } else {
                    left.push(stores.to_vec());
                    if !is_told[start..start + width].contains(&true) {
                        is_told[start..start + width].fill(true);
                        tried.push(one);
                    }
                }
                start += width;
            }
        }
        // A narrower tree that is kept makes up for a wider one that was not.
        let packed: FxHashSet<usize> =
            run.iter().zip(&is_packed).filter(|(_, packed)| **packed).map(|(n, _)| *n).collect();
        tried.retain(|one| one.is_kept() || !one.seeds.iter().any(|store| packed.contains(store)));
    }

    /// Adds a tree, and takes it back unless it pays.
    fn attempt(&self, bundles: &mut Bundles, stores: &[usize], cost: u32) -> Option<Tried> {
        if !self.block.can_be_one(stores) {
            return None;
        }
        let mark = bundles.mark();
        bundles.tree(stores)?;
        let one = self.judged(bundles, mark, stores.to_vec(), cost);
        if !one.is_kept() {
            bundles.back_to(mark);
        }
        Some(one)
    }

    /// Says what the trees since a mark cost, and whether there is an order for them.
    fn judged(&self, bundles: &Bundles, mark: usize, seeds: Vec<usize>, cost: u32) -> Tried {
        // Scalars that are taken out of vectors, and loads that stay, only add to this.
        let (saved, paid) = self.at_best(bundles, mark);
        let pays = paid < saved || self.begins_alike;
        let with = if pays { self.cost(bundles) } else { cost + (paid - saved) };
        // Costs are of throughput. Where iterations wait for each other, a vector's way through shuffles may be the longer one.
        let waits = self.block.in_loop && 2 * paid > saved && !self.begins_alike;
        let n_vectors = n_vectors(&bundles.list[mark..]);
        let width = bundles.list[mark..].iter().map(Bundle::width).max().unwrap_or(0);
        let mut one =
            Tried { seeds, width, start: Start::Stores, costs: (cost, with), is_cyclic: false, waits, n_vectors };
        if one.is_kept() {
            one.is_cyclic = self.schedule(bundles).is_none();
        }
        one
    }

    /// The cost of the scalar ops that the bundles since a mark stand for, and of the bundles.
    fn at_best(&self, bundles: &Bundles, mark: usize) -> (u32, u32) {
        let block = self.block;
        let new = &bundles.list[mark..];
        let ops: FxHashSet<usize> = new.iter().flat_map(|bundle| bundle.ops()).copied().collect();
        let saved = ops.iter().map(|&number| scalar_cost(block.kernel, block.ops[number], self.target)).sum();
        (saved, new.iter().map(|bundle| self.bundle_cost(bundle)).sum())
    }

    /// The scalars that have to be there besides vectors.
    fn needed(&self, bundles: &Bundles) -> FxHashSet<Value> {
        let block = self.block;
        let kernel = block.kernel;
        let mut needed: FxHashSet<Value> = FxHashSet::default();
        for bundle in &bundles.list {
            needed.extend(bundle.scalars());
            if let Kind::Load { ops } | Kind::Store { ops, .. } = &bundle.kind {
                match block.address(ops) {
                    Some(Address::Of(operands)) => needed.extend(operands),
                    Some(Address::InArray(root, _, start)) => {
                        needed.insert(root);
                        start.visit_values(&mut |value| needed.extend([value]));
                    }
                    None => {}
                }
            }
        }
        for (number, &op) in block.ops.iter().enumerate() {
            if bundles.of_op.contains_key(&number) {
                continue;
            }
            let is_loaded_at_once = bundles.loads_at_once(number);
            if !is_loaded_at_once {
                needed.extend(kernel.inputs(op));
            }
        }
        needed.extend(self.yielded(bundles));
        // What a load stands for is needed, too, if the scalar is; so its operands are.
        for (number, &op) in block.ops.iter().enumerate().rev() {
            let Some(&result) = kernel.ops[op].results.first() else { continue };
            let is_used_elsewhere = self.uses.users(result).iter().any(|user| match user {
                Use::Operand(user, _) => !block.numbers.contains_key(user),
                Use::Yield(region) => *region != block.region,
            });
            if is_used_elsewhere {
                needed.insert(result);
            }
            if bundles.loads_at_once(number) && needed.contains(&result) {
                needed.extend(&kernel.ops[op].operands);
            }
        }
        needed
    }

    /// The scalars that the block's region yields; those that a vector is handed on for aside.
    fn yielded(&self, bundles: &Bundles) -> Vec<Value> {
        let yields = &self.block.kernel.regions[self.block.region].yields;
        let in_vectors = bundles.list.iter().flat_map(|bundle| match &bundle.kind {
            Kind::Next { numbers, .. } => &numbers[..],
            _ => &[],
        });
        let in_vectors: FxHashSet<usize> = in_vectors.copied().collect();
        let others = yields.iter().enumerate().filter(|(number, _)| !in_vectors.contains(number));
        others.map(|(_, &value)| value).collect()
    }

    /// The cost of all ops of the block, scalars and vectors.
    pub(super) fn cost(&self, bundles: &Bundles) -> u32 {
        let block = self.block;
        let kernel = block.kernel;
        let needed = self.needed(bundles);
        let mut total = 0;
        for (number, &op) in block.ops.iter().enumerate() {
            let result = kernel.ops[op].results.first();
            let is_needed = result.is_some_and(|result| needed.contains(result));
            if let Some(&(_, lane)) = bundles.of_op.get(&number) {
                total += if is_needed { self.extraction(result, lane) } else { 0 };
            } else if !bundles.loads_at_once(number) || is_needed {
                total += scalar_cost(kernel, op, self.target);
            }
        }
        for (arg, &(_, lane)) in &bundles.of_arg {
            total += if needed.contains(arg) { self.extraction(Some(arg), lane) } else { 0 };
        }
        total + bundles.list.iter().map(|bundle| self.bundle_cost(bundle)).sum::<u32>()
    }

    /// The cost of taking a lane out of a vector.
    fn extraction(&self, result: Option<&Value>, lane: usize) -> u32 {
        let costs = &self.target.costs;
        let elem = result.and_then(|&result| self.block.kernel.ty(result).data_elem());
        match elem {
            Some(elem) if elem.is_float() && lane == 0 => 0,
            Some(elem) if elem.is_float() => costs.shuffle.into(),
            _ => u32::from(costs.shuffle) + u32::from(costs.arithmetic),
        }
    }

    fn bundle_cost(&self, bundle: &Bundle) -> u32 {
        let block = self.block;
        let (kernel, costs) = (block.kernel, &self.target.costs);
        let width = bundle.width();
        // What is half a cache line or more mostly lies in two of them: arrays begin anywhere.
        let of_access = |number: usize| {
            let bytes = block.cells[number].map_or(1, |cell: Cell| cell.elem.bytes());
            registers(self.target, width, bytes).max((width * bytes / HALF_LINE) as u32)
        };
        let elem = bundle.lanes.first().and_then(|&value| kernel.ty(value).data_elem());
        let filled = registers(self.target, width, elem.map_or(1, Elem::bytes));
        match &bundle.kind {
            Kind::Same { ops, .. } => vector_cost(kernel, block.ops[ops[0]], width, self.target),
            Kind::Two { ops, .. } => {
                let one = vector_cost(kernel, block.ops[ops[0]], width, self.target);
                let subtracts_first = |(lane, &number): (usize, &usize)| {
                    (kernel.ops[block.ops[number]].code == Code::Sub) == (lane % 2 == 0)
                };
                let is_one = self.target.family == Family::X86
                    && elem.is_some_and(Elem::is_float)
                    && ops.iter().enumerate().all(subtracts_first);
                if is_one { one } else { 2 * one + filled * u32::from(costs.arithmetic) }
            }
            // Three cells are two and one.
            Kind::Load { .. } if width == 3 => 2 * u32::from(costs.load) + u32::from(costs.shuffle),
            Kind::Store { .. } if width == 3 => 2 * u32::from(costs.store) + u32::from(costs.shuffle),
            Kind::Load { ops } => of_access(ops[0]) * u32::from(costs.load),
            Kind::Store { ops, .. } => of_access(ops[0]) * u32::from(costs.store),
            // The loop carries it in a register.
            Kind::Carried | Kind::Next { .. } => 0,
            Kind::Picked { from, pattern } => n_shuffles(from.len(), pattern) * filled * u32::from(costs.shuffle),
            // What is there before a loop is spread before it.
            Kind::Splat if block.in_loop && block.is_from_outside(bundle.lanes[0]) => 0,
            Kind::Splat if kernel.as_const(bundle.lanes[0]).is_some() => costs.load.into(),
            // A scalar that was loaded is spread by the load.
            Kind::Splat if block.loaded(bundle.lanes[0]).is_some() => costs.load.into(),
            Kind::Splat => costs.shuffle.into(),
            Kind::Together => {
                let n_scalars = bundle.lanes.iter().filter(|value| kernel.as_const(**value).is_none()).count() as u32;
                if n_scalars == 0 {
                    return costs.load.into();
                }
                let is_float = elem.is_some_and(Elem::is_float);
                let n_moved = if is_float && n_scalars == width as u32 { n_scalars - 1 } else { n_scalars };
                n_moved * u32::from(costs.shuffle) + if n_scalars < width as u32 { u32::from(costs.load) } else { 0 }
            }
        }
    }

    /// All ops and bundles in an order in which each comes behind what it waits for; nothing if there is none.
    fn schedule(&self, bundles: &Bundles) -> Option<Vec<Step>> {
        let block = self.block;
        let n_ops = block.ops.len();
        let n_nodes = n_ops + bundles.list.len();
        // An op that a bundle computes or stores is done there.
        let node_of = |number: usize| bundles.of_op.get(&number).map_or(number, |(id, _)| n_ops + id);
        let mut waits: Vec<Vec<usize>> = vec![Vec::new(); n_nodes];
        for (number, earlier) in block.waits.iter().enumerate() {
            let node = node_of(number);
            waits[node].extend(earlier.iter().map(|&number| node_of(number)));
        }
        for (id, bundle) in bundles.list.iter().enumerate() {
            let own = &mut waits[n_ops + id];
            own.extend(bundle.inputs().iter().map(|input| n_ops + input));
            own.extend(bundle.scalars().iter().filter_map(|&value| block.maker(value)).map(node_of));
            if let Kind::Load { ops } = &bundle.kind {
                own.extend(ops.iter().flat_map(|&number| &block.waits[number]).map(|&number| node_of(number)));
            }
        }
        // Vectors that the loop carries are there first, and with them the scalars that are taken out.
        let is_carried = |id: &usize| matches!(bundles.list[*id].kind, Kind::Carried);
        let carried: Vec<usize> = (0..bundles.list.len()).filter(is_carried).map(|id| n_ops + id).collect();
        let is_done_in_bundle = |node: usize| node < n_ops && bundles.of_op.contains_key(&node);
        let others = waits.iter_mut().enumerate();
        for (_, own) in others.filter(|(node, _)| !carried.contains(node) && !is_done_in_bundle(*node)) {
            own.extend(&carried);
        }
        // A store that waits for a load waits for the vector with that load, too.
        for (id, bundle) in bundles.list.iter().enumerate() {
            let Kind::Load { ops } = &bundle.kind else { continue };
            for (number, earlier) in block.waits.iter().enumerate() {
                let is_store = block.cells[number].is_none_or(|cell| cell.stores);
                if is_store && earlier.iter().any(|number| ops.contains(number)) {
                    waits[node_of(number)].push(n_ops + id);
                }
            }
        }
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); n_nodes];
        let mut n_waits = vec![0_usize; n_nodes];
        for (node, earlier) in waits.iter_mut().enumerate() {
            earlier.sort_unstable();
            earlier.dedup();
            if earlier.binary_search(&node).is_ok() {
                return None;
            }
            n_waits[node] = earlier.len();
            earlier.iter().for_each(|&earlier| users[earlier].push(node));
        }
        // Of those that can be done the one comes first that stood first; a bundle stands where its last op did.
        let mut places = Vec::with_capacity(n_nodes);
        places.extend((0..n_ops).map(|number| (number, number)));
        for (id, bundle) in bundles.list.iter().enumerate() {
            let inputs = bundle.inputs().iter().map(|&input| places[n_ops + input].0);
            let scalars = bundle.scalars().iter().filter_map(|&value| block.maker(value));
            let last = bundle.ops().iter().copied().chain(inputs).chain(scalars).max().unwrap_or(0);
            places.push((last, n_ops + id));
        }
        let mut ready: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
        let n_real = (0..n_nodes).filter(|&node| !is_done_in_bundle(node)).count();
        for node in (0..n_nodes).filter(|&node| n_waits[node] == 0 && !is_done_in_bundle(node)) {
            ready.push(Reverse(places[node]));
        }
        let mut steps = Vec::with_capacity(n_real);
        while let Some(Reverse((_, node))) = ready.pop() {
            steps.push(if node < n_ops { Step::Op(node) } else { Step::Bundle(node - n_ops) });
            for &user in &users[node] {
                n_waits[user] -= 1;
                if n_waits[user] == 0 {
                    ready.push(Reverse(places[user]));
                }
            }
        }
        (steps.len() == n_real).then_some(steps)
    }
}
