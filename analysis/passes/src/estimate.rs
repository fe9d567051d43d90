//! Estimates: what a turn of each loop costs behind all passes, what it is bound by, and what it is for.
//!
//! The numbers are those of the [table](ir::target::Costs) that the passes decide by, so an estimate says what a choice was weighed by. It
//! foretells no time: it knows neither the caches nor how well a processor orders what it does. `docs/costs.md` tells how far it is
//! from what was measured.
//!
//! One loop of the source becomes several. The main part counts: not what it leaves, nor a version for arrays that overlap, unless
//! that is all there is. The parts that a loop was split into count together.
//!
//! - `ops`: the resource that an op keeps busy, and for how long
//! - `chain`: the longest carried chain

mod chain;
mod ops;

use std::collections::BTreeMap;

use ir::entities::{Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::Kernel;
use ir::scalar::Scalar;
use ir::target::Target;
use ir::types::Elem;
use report::lanes::{CostPart, LoopCost, OpCounts, Resource};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cost::{trips, unit};
use crate::turns::iterations_a_turn;

/// Inner loops of so many turns count with the loop around them.
const MOST_TURNS_INSIDE: u64 = 256;

/// Of the loops at one place, as where a loop around them was written out, so many are looked at.
const MOST_LOOPS: usize = 64;

/// The bytes of a line of memory.
const LINE: u64 = 64;

/// The costs of the loops of a kernel behind all passes, by the place that all stages share. `steps` are the steps of the source's loops, as
/// [`steps`](crate::turns::steps) finds them.
pub fn loop_costs(kernel: &Kernel, target: &Target, steps: &[(u32, i64)]) -> Vec<(u32, LoopCost<u32>)> {
    let estimator = Estimator { kernel, target, steps, forest: LoopForest::of(kernel), computed: computed(kernel) };
    let mut by_place: BTreeMap<u32, Vec<Op>> = BTreeMap::new();
    for &op in estimator.forest.loops() {
        by_place.entry(estimator.place(op)).or_default().push(op);
    }
    let cost = |(place, ops): (u32, Vec<Op>)| Some((place, estimator.main_parts(&ops)?));
    by_place.into_iter().filter_map(cost).collect()
}

struct Estimator<'k> {
    kernel: &'k Kernel,
    target: &'k Target,
    steps: &'k [(u32, i64)],
    forest: LoopForest,
    /// The values that are more than parts of addresses.
    computed: FxHashSet<Value>,
}

/// The work in a turn of one loop.
#[derive(Default)]
struct Turn {
    /// The time in quarters of a cycle that each place takes of each resource, for a kind of work.
    parts: BTreeMap<(Resource, &'static str, Option<u32>), f64>,
    counts: OpCounts,
    /// Bytes that are loaded and stored in turn, by the array.
    loaded: FxHashMap<Value, u64>,
    stored: FxHashMap<Value, u64>,
    is_around: bool,
    /// The place of the loop: one of that place inside is for a rare case.
    place: u32,
}

impl Estimator<'_> {
    fn place(&self, op: Op) -> u32 {
        self.kernel.origins[self.kernel.ops[op].origin].place
    }

    /// The place of an op in the kernel's own text: that of the call, for what was inlined.
    fn outer_place(&self, op: Op) -> u32 {
        let mut origin = &self.kernel.origins[self.kernel.ops[op].origin];
        while let Some(call) = origin.call {
            origin = &self.kernel.origins[call];
        }
        origin.place
    }

    /// The cost of the main parts among the loops at one place.
    fn main_parts(&self, ops: &[Op]) -> Option<LoopCost<u32>> {
        let ops = &ops[..ops.len().min(MOST_LOOPS)];
        let is_rest = |op: Op| self.kernel.origins[self.kernel.ops[op].origin].rest_of.is_some();
        // A loop that is left early runs in blocks: a loop of its place in each of its turns. One behind a branch is for a rare case.
        let is_block = |outer: Op, op: Op| self.kernel.ops[outer].regions.contains(&self.forest.region_of(op));
        let is_around = |op: Op| ops.iter().any(|&inner| self.forest.encloses(op, inner) && is_block(op, inner));
        let is_rare = |op: Op| ops.iter().any(|&outer| self.forest.encloses(outer, op) && !is_block(outer, op));
        let candidates: Vec<Op> = ops.iter().copied().filter(|&op| !is_around(op) && !is_rare(op)).collect();
        let main: Vec<Op> = candidates.iter().copied().filter(|&op| !is_rest(op)).collect();
        let candidates = if main.is_empty() { candidates } else { main };
        let first = candidates.iter().copied().rev().max_by_key(|&op| self.weight(op))?;
        let iterations = self.iterations(first);
        let mut turn = Turn::default();
        for op in self.beside(first, &candidates) {
            let times = iterations as f64 / self.iterations(op) as f64;
            self.turn(op, times, &mut turn);
        }
        Some(self.cost(turn, self.lanes(first), iterations))
    }

    /// The share of a loop's iterations that one of several loops does: as many turns as are known, and as many iterations a turn.
    fn weight(&self, op: Op) -> (u64, u64) {
        (self.trips(op), self.iterations(op))
    }

    /// The loops that a loop of the source was split into, of which one is the main part: those side by side that do all of its range.
    /// What goes on where another one ends is what that leaves, or the next part of the range.
    fn beside(&self, main: Op, candidates: &[Op]) -> Vec<Op> {
        let bounds = |op: Op| match self.kernel.n_ranges(op) {
            1 => self.kernel.ops[op].operands.get(..2).map(|bounds| (bounds[0], bounds[1])),
            _ => None,
        };
        let goes_on = |op: Op| {
            let ends_there = |other: Op| bounds(op).zip(bounds(other)).is_some_and(|(own, other)| own.0 == other.1);
            candidates.iter().any(|&other| other != op && ends_there(other))
        };
        let is_beside = |&op: &Op| {
            op == main
                || self.forest.region_of(op) == self.forest.region_of(main) && bounds(op).is_some() && !goes_on(op)
        };
        let any_goes_on = goes_on(main) || bounds(main).is_none();
        if any_goes_on { vec![main] } else { candidates.iter().copied().filter(is_beside).collect() }
    }

    /// The lanes that run along the loop or along one around it.
    fn lanes(&self, op: Op) -> u16 {
        let width = |op: Op| self.kernel.control(op).and_then(|control| control.width);
        std::iter::once(op).chain(self.forest.around(op)).find_map(width).unwrap_or(1)
    }

    /// The iterations of the source's loop that a turn does; one of each lane counts, where a loop around has the lanes.
    fn iterations(&self, op: Op) -> u64 {
        let mut places = Vec::new();
        let mut iterations: u64 = 1;
        for op in std::iter::once(op).chain(self.forest.around(op)) {
            if !places.contains(&self.place(op)) {
                places.push(self.place(op));
                iterations = iterations.saturating_mul(iterations_a_turn(self.kernel, op, self.steps));
            }
        }
        iterations.max(1)
    }

    /// The turns of a loop, as many as a range of unknown length is taken to have if they are not known.
    fn trips(&self, op: Op) -> u64 {
        trips(self.kernel, op)
    }

    fn known_trips(&self, op: Op) -> Option<u64> {
        let bounds = &self.kernel.ops[op].operands;
        let known = |&bound: &Value| self.kernel.as_const(bound).and_then(Scalar::wide).is_some();
        let n = 3 * self.kernel.n_ranges(op);
        let is_known = n > 0 && bounds[..n].iter().all(known);
        is_known.then(|| self.trips(op)).filter(|&trips| trips <= MOST_TURNS_INSIDE)
    }

    /// Adds what so many turns of a loop do.
    fn turn(&self, op: Op, times: f64, turn: &mut Turn) {
        turn.place = self.place(op);
        turn.add(Resource::Branches, "jump", None, times * f64::from(self.target.costs.branch));
        self.kernel.ops[op].regions.iter().for_each(|&region| self.region(region, times, turn));
        if let Some(chain) = chain::longest(self.kernel, self.target, op) {
            for (on_way, what, quarters) in chain {
                turn.add(Resource::Chain, what, Some(self.outer_place(on_way)), times * quarters);
            }
        }
    }

    /// Adds what a block does, each time that a turn comes there.
    fn region(&self, region: Region, times: f64, turn: &mut Turn) {
        for &op in &self.kernel.regions[region].ops {
            self.op(op, times, turn);
        }
    }

    fn op(&self, op: Op, times: f64, turn: &mut Turn) {
        let data = &self.kernel.ops[op];
        let place = Some(self.outer_place(op));
        match data.code {
            Code::If => {
                turn.add(Resource::Branches, "branch", place, times * f64::from(self.target.costs.branch));
                // One of the two sides is gone through.
                let is_empty = |&region: &Region| self.kernel.regions[region].ops.is_empty();
                let share =
                    if data.regions.iter().any(is_empty) { 0.5 } else { 1.0 / data.regions.len().max(1) as f64 };
                if is_for_nan(self.kernel, op) {
                    return self.region(data.regions[1], times, turn);
                }
                data.regions.iter().for_each(|&side| self.region(side, times * share, turn));
            }
            code if ir::forest::is_loop(code) => match self.known_trips(op) {
                Some(trips) => {
                    let times = times * trips as f64;
                    turn.add(Resource::Branches, "jump", place, times * f64::from(self.target.costs.branch));
                    data.regions.iter().for_each(|&region| self.region(region, times, turn));
                }
                None => turn.is_around |= self.place(op) != turn.place,
            },
            _ if self.is_address(op) => {}
            _ => {
                ops::busy(self.kernel, self.target, op, &mut |resource, what, quarters| {
                    turn.add(resource, what, place, times * quarters);
                });
                ops::count(self.kernel, op, &mut turn.counts);
                self.moved(op, turn);
            }
        }
    }

    /// Says whether an op computes nothing but parts of addresses, which accesses add up by themselves.
    fn is_address(&self, op: Op) -> bool {
        let data = &self.kernel.ops[op];
        is_index_arithmetic(self.kernel, op) && data.results.iter().all(|result| !self.computed.contains(result))
    }

    /// Adds the bytes of an access whose cells are neighbours.
    fn moved(&self, op: Op, turn: &mut Turn) {
        let data = &self.kernel.ops[op];
        let Some((stores, bytes)) = ops::neighbours(self.kernel, op) else { return };
        let of = if stores { &mut turn.stored } else { &mut turn.loaded };
        let known = of.entry(self.kernel.root(data.operands[0])).or_default();
        // Several loads of a group of lanes are of the same lines: `a[i - 1]`, `a[i]`.
        *known = (*known).max(bytes);
    }

    fn cost(&self, turn: Turn, lanes: u16, iterations: u64) -> LoopCost<u32> {
        let mut parts: Vec<CostPart<u32>> = turn
            .parts
            .into_iter()
            .map(|((resource, what, place), quarters)| CostPart {
                resource,
                what,
                place,
                quarters: quarters.round() as u64,
            })
            .filter(|part| part.quarters > 0)
            .collect();
        let busy = |parts: &[CostPart<u32>], resource| -> u64 {
            parts.iter().filter(|part| part.resource == resource).map(|part| part.quarters).sum()
        };
        let sums: FxHashMap<Resource, u64> = Resource::ALL.into_iter().map(|it| (it, busy(&parts, it))).collect();
        parts.sort_by_key(|part| {
            let reverse = std::cmp::Reverse;
            (reverse(sums[&part.resource]), part.resource, reverse(part.quarters), part.place, part.what)
        });
        let bound = parts.first().map_or(Resource::Branches, |part| part.resource);
        let groups = (iterations / u64::from(lanes.max(1))).max(1);
        // The groups of a turn lie side by side.
        let bytes: u64 = turn.loaded.values().chain(turn.stored.values()).map(|bytes| bytes * groups).sum();
        let from_memory = bytes * unit(self.target.costs.line) / unit(1) / LINE;
        let quarters = sums[&bound];
        LoopCost {
            lanes,
            iterations,
            bound,
            quarters,
            from_memory,
            parts,
            counts: turn.counts,
            is_around: turn.is_around,
        }
    }
}

/// The values of a kernel that are used for more than addresses.
fn computed(kernel: &Kernel) -> FxHashSet<Value> {
    let mut open: Vec<Value> = kernel.regions[kernel.body].yields.to_vec();
    kernel.walk(kernel.body, &mut |_, op| {
        let data = &kernel.ops[op];
        data.regions.iter().for_each(|&region| open.extend(&kernel.regions[region].yields));
        if !is_index_arithmetic(kernel, op) {
            let views = data.operands.first().filter(|&&first| kernel.ty(first).is_view());
            let n_address = views.map_or(0, |&view| 1 + usize::from(kernel.ty(view).rank()));
            open.extend(data.operands.iter().skip(n_address));
        }
    });
    let mut found = FxHashSet::default();
    while let Some(value) = open.pop() {
        if let Some(op) = kernel.def_op(value).filter(|&op| found.insert(value) && is_index_arithmetic(kernel, op)) {
            open.extend(&kernel.ops[op].operands);
        }
    }
    found
}

/// Says whether an op is arithmetic on single integers, or numbers lanes from one on.
fn is_index_arithmetic(kernel: &Kernel, op: Op) -> bool {
    let data = &kernel.ops[op];
    if data.code == Code::LaneIndex {
        return true;
    }
    let is_integer = |value: &Value| {
        let ty = kernel.ty(*value);
        ty.lanes().is_none() && ty.data_elem().is_some_and(Elem::is_integer)
    };
    let is_sum = matches!(
        data.code,
        Code::Add
            | Code::Sub
            | Code::Mul
            | Code::WrappingAdd
            | Code::WrappingSub
            | Code::WrappingMul
            | Code::Cast
            | Code::Index
            | Code::Advance
    );
    is_sum && data.operands.iter().chain(&data.results).all(is_integer)
}

impl Turn {
    fn add(&mut self, resource: Resource, what: &'static str, place: Option<u32>, quarters: f64) {
        if quarters > 0.0 {
            *self.parts.entry((resource, what, place)).or_default() += quarters;
        }
    }
}

/// Says whether the first side of a branch is for groups of lanes that have a NaN, which are rare.
fn is_for_nan(kernel: &Kernel, op: Op) -> bool {
    let mut open = vec![kernel.ops[op].operands[0]];
    while let Some(value) = open.pop() {
        let Some(made) = kernel.def_op(value) else { continue };
        let made = &kernel.ops[made];
        match made.code {
            Code::Isnan => return true,
            Code::Or => open.extend(&made.operands),
            Code::Any => open.extend(made.operands.first()),
            _ => {}
        }
    }
    false
}
