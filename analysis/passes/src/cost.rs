//! The costs of loops and of accesses, by the [table](ir::target::Costs) of a target. Every number that a pass weighs is from
//! there.
//!
//! Costs rank alternatives against each other, such as which loop of a nest takes the lanes; they do not predict times.
//! An op counts once for each iteration around it, with [`USUAL_TRIPS`] for a range of unknown length. A vector op
//! counts for each register that it fills, and a vectorised loop has fewer iterations by the number of its lanes. A
//! load or store counts for what it takes to put its lanes together, and for the *lines* of memory that it touches:
//! neighbouring cells share a line, so it matters along which loop an array is walked.
//!
//! ```text
//! for i in range(n):
//!     for j in range(n):
//!         b[j, i] = a[j, i]     along j each access is a gather; along i it is contiguous, and i inside is better still
//! ```

mod accesses;
mod repeats;
mod work;

pub(crate) use accesses::AccessCosts;

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use work::Work;

use crate::by_depth::FactsByDepth;
use crate::memory::number_of_cells;
use crate::rows;
use crate::same::is_same;
use facts::counting::Counting;
use facts::loops::{Carried, CarriedRole, LaneForm, Loops, Turns, split_constant};
use facts::{Class, Facts, Flow, Shape};
use ir::entities::{Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::Kernel;
use ir::running::{LEVELS, RunningKind};
use ir::scalar::{Fold, Scalar};
use ir::target::picks::Picked;
use ir::target::{Costs, Masks, Target};
use ir::types::Elem;

/// The number of iterations that a loop is assumed to have if its range is not known.
pub const USUAL_TRIPS: u64 = 64;

/// The ops that a division of integers by a constant takes.
const BY_CONSTANT: u64 = 6;

/// The bytes of a line of memory.
const LINE: u64 = 64;

/// Facts relative to loops.
enum Relative<'k> {
    /// To each that may have lanes.
    All(Arc<FactsByDepth>),
    /// To one whose iterations are lanes.
    One(Op, &'k Facts),
}

/// The instructions by which lanes compute a value of each other by halves: in each step, and once. Choices count as sums.
#[derive(Debug, Clone, Copy)]
struct Halving {
    shuffles: (u64, u64),
    sums: (u64, u64),
    most_steps: u64,
}

impl Halving {
    /// The instructions for a carried value.
    fn of(value: &Carried, elem: Elem, target: &Target) -> Option<Halving> {
        let most = u64::from(u16::BITS);
        // A product of integers takes several instructions on most targets, but for those of 16 bits.
        let product = match elem.bytes() {
            _ if elem.is_float() => 1,
            1 => 3,
            2 => 1,
            8 if target.masks == Masks::Lanes => 6,
            _ => 2,
        };
        let (shuffles, sums, most_steps) = match (value.form?, value.role) {
            // A shuffle and a maximum for each step, the pick, the choices, and what is handed on.
            (LaneForm::Held, _) => ((1, 3), (1, 5), most),
            (LaneForm::Scanned, CarriedRole::Scan(Fold::Mul)) => ((1, 3), (1 + product, 2 * product), most),
            (LaneForm::Scanned, CarriedRole::LinearRecurrence | CarriedRole::Recurrence) => {
                ((2, 4), (3 + 2 * product, 2 + 2 * product), most)
            }
            (LaneForm::Scanned, _) => ((1, 3), (2, 4), most),
            (LaneForm::Blocks, CarriedRole::Blocks { kind, leads: true }) => match kind {
                RunningKind::Sum | RunningKind::Product => ((1, 1), (2, 2), LEVELS as u64),
                RunningKind::Linear => ((2, 2), (5, 4), LEVELS as u64),
                // Half of what both values take, with factors that are the same in all iterations.
                RunningKind::Pair => ((1, 1), (5, 8), LEVELS as u64),
            },
            _ => return None,
        };
        Some(Halving { shuffles, sums, most_steps })
    }
}

/// The instructions for one of the parts of what runs on, iteration by iteration. All parts together take as many as the levels of a block
/// need for a sum and two choices each, and a linear recurrence for two products more; of two values, twelve products and eight sums.
pub(crate) fn running_part(kind: RunningKind) -> u64 {
    let of_level = match kind {
        RunningKind::Sum | RunningKind::Product => 4,
        RunningKind::Linear => 7,
        RunningKind::Pair => 32,
    };
    (of_level * LEVELS as u64 + 4) / (1 + kind.n_carried() as u64)
}

/// The accesses inside of a loop whose cells lie side by side, in one row, for those lanes that come there: their last subscript counts
/// these, perhaps from another number on.
fn packed(kernel: &Kernel, facts: &Facts, op: Op, carried: &[Carried]) -> FxHashSet<Op> {
    let counts = |subscript: Value| {
        let is_count = |value: &&Carried| matches!(value.role, CarriedRole::Compress | CarriedRole::Expand);
        let (count, _) = split_constant(kernel, subscript);
        carried.iter().filter(is_count).any(|value| value.arg == count)
    };
    let mut packed = FxHashSet::default();
    if !carried.iter().any(|value| counts(value.arg)) {
        return packed;
    }
    kernel.walk_inside(op, &mut |inner| {
        let data = &kernel.ops[inner];
        if !matches!(data.code, Code::Load | Code::Store) {
            return;
        }
        let rank = usize::from(kernel.ty(data.operands[0]).rank());
        if let Some((&last, others)) = data.operands[1..=rank].split_last()
            && counts(last)
            && others.iter().all(|&other| facts.shape(other).is_uniform())
        {
            packed.insert(inner);
        }
    });
    packed
}

/// Counts the costs of a scalar kernel's loops.
pub struct Counter<'k> {
    kernel: &'k Kernel,
    target: &'k Target,
    facts: Relative<'k>,
    /// The accesses whose cells lie side by side for those lanes that come there, by the loop whose iterations are lanes.
    packed: FxHashMap<Op, FxHashSet<Op>>,
    /// What lanes do one after the other, by the loop.
    turns: FxHashMap<Op, Arc<Turns>>,
    /// The values that lanes compute of each other by halves, by the loop.
    halving: FxHashMap<Op, Vec<(Halving, Elem)>>,
    /// The loads of cells that were loaded shortly before, found when the first load is counted.
    repeated: OnceCell<FxHashSet<Op>>,
    /// The loops as trees, where costs depend on loops around.
    forest: Option<Arc<LoopForest>>,
}

impl<'k> Counter<'k> {
    /// A counter for a kernel and its facts, on a target.
    pub(crate) fn new(kernel: &'k Kernel, known: &Loops, facts: Arc<FactsByDepth>, target: &'k Target) -> Counter<'k> {
        let turns = known.list.iter().filter_map(|known| Some((known.op, known.turns.clone()?))).collect();
        let packed = known.list.iter().filter_map(|known| {
            let packed = packed(kernel, facts.of(kernel, known.op)?, known.op, &known.carried);
            (!packed.is_empty()).then_some((known.op, packed))
        });
        let packed = packed.collect();
        let of = |value: &Carried| {
            let elem = kernel.ty(value.arg).data_elem()?;
            Some((Halving::of(value, elem, target)?, elem))
        };
        let halving = known.list.iter().map(|known| (known.op, known.carried.iter().filter_map(of).collect()));
        let halving = halving.collect();
        let (repeated, forest) = (OnceCell::new(), Some(known.forest.clone()));
        Counter { kernel, target, facts: Relative::All(facts), packed, turns, halving, repeated, forest }
    }

    /// A counter for what is inside of a loop whose iterations are lanes, on a target.
    pub fn in_lanes_of(
        kernel: &'k Kernel,
        target: &'k Target,
        facts: &'k Facts,
        op: Op,
        carried: &[Carried],
    ) -> Counter<'k> {
        let packed = FxHashMap::from_iter([(op, packed(kernel, facts, op, carried))]);
        let (turns, halving, repeated) = (FxHashMap::default(), FxHashMap::default(), OnceCell::new());
        Counter { kernel, target, facts: Relative::One(op, facts), packed, turns, halving, repeated, forest: None }
    }

    /// Says whether the cells of an access lie side by side for those lanes of a loop that come there.
    fn is_packed(&self, lanes: Op, op: Op) -> bool {
        self.packed.get(&lanes).is_some_and(|packed| packed.contains(&op))
    }

    /// The costs of blocks inside of a loop whose iterations run as so many lanes.
    pub fn inside_of_lanes(&self, op: Op, lanes: u16) -> Option<BlockCosts<'_, 'k>> {
        let lanes = Lanes { op, facts: self.facts_of(op)?, count: u64::from(lanes.max(1)) };
        Some(BlockCosts { op, walk: Walk { lanes: Some(lanes), blocks: Some(RefCell::default()), ..self.walk() } })
    }

    /// The facts of a loop whose iterations are the lanes.
    pub fn facts_of(&self, op: Op) -> Option<&Facts> {
        match &self.facts {
            Relative::All(facts) => facts.of(self.kernel, op),
            Relative::One(one, facts) => (*one == op).then_some(*facts),
        }
    }

    /// A walk that adds the costs of ops in order.
    fn walk(&self) -> Walk<'_, 'k> {
        Walk { counter: self, lanes: None, known: None, blocks: None, repeated: None, beside: None }
    }

    /// Returns the cost of a loop that runs in order, given the costs of some loops inside.
    pub fn in_order(&self, op: Op, known: &FxHashMap<Op, u64>) -> u64 {
        Walk { known: Some(known), ..self.walk() }.loop_(op, None)
    }

    /// Returns the cost of each of some parts of a `for` loop, as a loop of its own behind those of the parts before it, that runs in order.
    pub(crate) fn in_order_of_parts(&self, op: Op, parts: &[&[Op]]) -> Vec<u64> {
        let region = self.kernel.ops[op].regions[0];
        let repeated = repeats::of_parts(self.kernel, op, parts);
        let cost = |(part, repeated): (&&[Op], &FxHashSet<Op>)| {
            let walk = Walk { repeated: Some(repeated), ..self.walk() };
            let inside: Work = part.iter().map(|&inner| walk.op(region, inner, Some(op))).sum();
            trips(self.kernel, op).saturating_mul((inside + Work::branches(unit(self.target.costs.branch))).sum())
        };
        parts.iter().zip(&repeated).map(cost).collect()
    }

    /// Returns the cost of a `for` loop whose iterations run as so many lanes.
    pub fn in_lanes(&self, op: Op, lanes: u16) -> Option<u64> {
        let facts = self.facts_of(op)?;
        let lanes = Some(Lanes { op, facts, count: u64::from(lanes.max(1)) });
        Some(Walk { lanes, ..self.walk() }.loop_(op, None))
    }

    /// Returns the time of a loop with its iterations as so many lanes, and in order, where resources work beside each other and all cells
    /// are in the cache. [`in_lanes`](Counter::in_lanes) and [`in_order`](Counter::in_order) add the costs of all ops: that is dearer than it
    /// is for ops of many kinds, which an iteration in order has, and right for gathers, which keep one resource busy.
    pub(crate) fn side_by_side(&self, op: Op, lanes: u16) -> Option<(u64, u64)> {
        let facts = self.facts_of(op)?;
        let time = |lanes: Option<Lanes<'_>>| Walk { lanes, beside: Some(facts), ..self.walk() }.loop_(op, None);
        Some((time(Some(Lanes { op, facts, count: u64::from(lanes.max(1)) })), time(None)))
    }

    /// Says whether lanes of a loop would have cells that do not lie side by side.
    pub(crate) fn has_scattered_cells(&self, op: Op) -> bool {
        let Some(facts) = self.facts_of(op) else { return false };
        let mut has_some = false;
        self.kernel.walk_inside(op, &mut |inner| {
            let class = facts.access(inner).map(|access| access.class);
            has_some |= matches!(class, Some(Class::Strided | Class::Gather | Class::Scatter));
        });
        has_some
    }

    /// Returns the number of lanes that a loop gets by the widest cells that it touches.
    pub fn usual_lanes(&self, op: Op) -> u16 {
        let widest = self.facts_of(op).and_then(|facts| facts.widest_cells(self.kernel, op));
        lanes_for_trips(self.kernel, op, self.target.lanes_for(widest.unwrap_or(4).max(1) as usize))
    }

    /// Says whether a load is of a cell that was loaded shortly before, so that it is not loaded again.
    fn is_repeated(&self, op: Op) -> bool {
        let repeated = self.repeated.get_or_init(|| match &self.facts {
            Relative::All(_) => repeats::of_block(self.kernel, self.kernel.body),
            Relative::One(one, _) => {
                let regions = &self.kernel.ops[*one].regions;
                regions.iter().flat_map(|&region| repeats::of_block(self.kernel, region)).collect()
            }
        });
        repeated.contains(&op)
    }

    /// From one iteration of a loop to the next, how many bytes an access moves; a line's worth if that is not known.
    fn moves(&self, op: Op, along: Option<Op>) -> u64 {
        let Some(facts) = along.and_then(|along| self.facts_of(along)) else { return LINE };
        let Some(access) = facts.access(op) else { return LINE };
        match (access.stride_in_bytes(), &access.shape) {
            (Some(bytes), _) => (bytes.unsigned_abs() as u64).min(LINE),
            (None, Shape::Repeated(_) | Shape::Periodic(_)) => access.bytes as u64,
            _ => LINE,
        }
    }
}

/// The iterations of the longest of some ranges that data says, in those of a range: as many as where each length up to twice the mean
/// is as frequent as any other.
const LONGEST: u64 = 2;

/// The cells of the longest records of which all are loaded or stored at once.
const MOST_CELLS: u64 = 64;

/// Of so many branches by data one is not foreseen.
const MISSED: u64 = 4;

/// What a line of neighbouring lanes costs more that does not follow the one before, in bytes of a line: no processor loads it ahead.
const JUMP: u64 = LINE / 4;

/// The share of its cost that a line has to which the loop around comes back.
const REVISITED: u64 = 4;

/// Returns what a group of lanes takes in a loop that each leaves at a time of its own, in hundredths of what one lane takes: where every
/// iteration is left with the same probability, the last of `lanes` lanes stays 1 + 1/2 + 1/3 + … times as long as a lane does.
fn waiting(lanes: u64) -> u64 {
    (1..=lanes).map(|place| 100 / place).sum()
}

/// The lanes that a walk counts for.
struct Lanes<'c> {
    op: Op,
    facts: &'c Facts,
    count: u64,
}

/// The costs of blocks inside of one loop, each counted once.
pub struct BlockCosts<'c, 'k> {
    op: Op,
    walk: Walk<'c, 'k>,
}

impl BlockCosts<'_, '_> {
    /// Returns the cost of a block for one iteration of the loop, as if all cells that it touches outside of loops were in the cache.
    pub fn block_in_cache(&self, block: Region) -> u64 {
        self.walk.region(block, Some(self.op)).in_cache().sum()
    }

    /// Returns the cost of the lines that an access outside of loops inside touches, for one iteration of the loop.
    pub fn lines(&self, block: Region, access: Op) -> u64 {
        self.walk.op(block, access, Some(self.op)).of_lines()
    }
}

/// The costs of blocks that were counted, each by the innermost loop around it.
type CountedBlocks = RefCell<FxHashMap<(Region, Option<Op>), Work>>;

struct Walk<'c, 'k> {
    counter: &'c Counter<'k>,
    lanes: Option<Lanes<'c>>,
    /// The costs of some loops, which are not counted.
    known: Option<&'c FxHashMap<Op, u64>>,
    /// Those known so far, if several blocks are asked for, of which some are inside of others.
    blocks: Option<CountedBlocks>,
    /// The loads that cost nothing where part of a loop stands alone.
    repeated: Option<&'c FxHashSet<Op>>,
    /// The facts that say which values are the same in all iterations, where the time counts in which resources work beside each other, and
    /// not the sum of all.
    beside: Option<&'c Facts>,
}

impl Walk<'_, '_> {
    fn loop_(&self, op: Op, along: Option<Op>) -> u64 {
        if let Some(&known) = self.known.and_then(|known| known.get(&op)) {
            return known;
        }
        let kernel = self.counter.kernel;
        let trips = match &self.lanes {
            Some(lanes) if lanes.op == op => trips(kernel, op).div_ceil(lanes.count),
            _ => trips(kernel, op),
        };
        let data = &kernel.ops[op];
        // Lanes that leave it at times of their own wait for the last one.
        let left_apart = self
            .lanes
            .as_ref()
            .filter(|_| data.code == Code::While && self.varies(kernel.regions[data.regions[0]].yields[0]));
        let trips = match left_apart {
            Some(lanes) => trips.saturating_mul(waiting(lanes.count)) / 100,
            None if self.is_as_long_as_data_says(op) => trips.saturating_mul(LONGEST),
            None => trips,
        };
        // A `while` has no index along which an array could be walked.
        let along = if data.code == Code::While { along } else { Some(op) };
        let inside: Work = data.regions.iter().map(|&region| self.region(region, along)).sum();
        let inside = inside.without(self.counting(op, along)) + self.halving(op);
        let inside = inside + Work::branches(self.unit(self.counter.target.costs.branch));
        let each = match self.turns(op) {
            Some((lanes, turns)) => self.with_turns(lanes, turns, inside.sum()),
            None if self.beside.is_some() => inside.time(),
            None => inside.sum(),
        };
        trips.saturating_mul(each)
    }

    fn is_repeated(&self, op: Op) -> bool {
        self.repeated.map_or_else(|| self.counter.is_repeated(op), |repeated| repeated.contains(&op))
    }

    /// Says whether each lane has a range of its own, the bounds of which are data.
    fn is_as_long_as_data_says(&self, op: Op) -> bool {
        let Some(lanes) = self.lanes.as_ref().filter(|lanes| lanes.op != op) else { return false };
        let kernel = self.counter.kernel;
        let bounds = kernel.ops[op].operands.iter().take(3 * kernel.n_ranges(op));
        bounds.map(|&bound| lanes.facts.shape(bound)).any(|shape| *shape == Shape::Arbitrary)
    }

    /// The cost of the ops by which a loop counts that may be left early: those of a loop that just counts are not counted, either.
    fn counting(&self, op: Op, along: Option<Op>) -> Work {
        let kernel = self.counter.kernel;
        if Counting::of(kernel, op).is_none() {
            return Work::default();
        }
        let body = kernel.ops[op].regions[1];
        let [next, goes] = [0, 1].map(|number| kernel.def_op(kernel.regions[body].yields[number]));
        let in_range = goes.and_then(|goes| kernel.def_op(kernel.ops[goes].operands[1]));
        let parts = in_range.filter(|&op| kernel.ops[op].code == Code::And);
        let parts = parts.into_iter().flat_map(|op| &kernel.ops[op].operands).filter_map(|&part| kernel.def_op(part));
        let counting = next.into_iter().chain(goes).chain(in_range).chain(parts);
        counting.map(|op| self.op(body, op, along)).sum()
    }

    /// The cost of computing values of each other by halves, if that loop has the lanes.
    fn halving(&self, op: Op) -> Work {
        let Some(lanes) = self.lanes.as_ref().filter(|lanes| lanes.op == op) else { return Work::default() };
        let costs = &self.counter.target.costs;
        let steps = u64::from(lanes.count.next_power_of_two().trailing_zeros());
        let cost = |(halving, elem): &(Halving, Elem)| {
            let steps = steps.min(halving.most_steps);
            let n = |(each, once): (u64, u64)| steps * each + once;
            let n_registers = registers(self.counter.target, lanes.count, elem.bytes() as u64);
            Work::shuffles(n(halving.shuffles) * self.unit(costs.shuffle) * n_registers)
                + Work::arithmetic(n(halving.sums) * self.unit(costs.arithmetic) * n_registers)
        };
        self.counter.halving.get(&op).into_iter().flatten().map(cost).sum()
    }

    /// What the lanes of a loop do one after the other, if that loop has the lanes.
    fn turns(&self, op: Op) -> Option<(&Lanes<'_>, &Turns)> {
        let lanes = self.lanes.as_ref().filter(|lanes| lanes.op == op)?;
        Some((lanes, self.counter.turns.get(&op)?))
    }

    /// The cost of a group in which lanes do something one after the other: each lane's turn, what it takes out of vectors, and
    /// what is put together again. The time of a group is not less than what its lanes have to wait for each other.
    fn with_turns(&self, lanes: &Lanes<'_>, turns: &Turns, together: u64) -> u64 {
        let kernel = self.counter.kernel;
        let costs = &self.counter.target.costs;
        let moved = turns.needs.iter().filter(|&&value| self.varies(value)).count() + turns.seen.len();
        let alone = self.counter.walk();
        let chain = turns.chain.iter().map(|&op| alone.op(kernel.body, op, None)).sum::<Work>().sum();
        let turn = chain.saturating_add(moved as u64 * self.unit(costs.shuffle));
        let waiting = latency(kernel, turns, costs);
        together.saturating_add(turn.saturating_mul(lanes.count)).max(waiting.saturating_mul(lanes.count))
    }

    /// Returns the cost of a block; `along` is the innermost loop around it.
    fn region(&self, region: Region, along: Option<Op>) -> Work {
        let known = self.blocks.as_ref().and_then(|blocks| blocks.borrow().get(&(region, along)).copied());
        if let Some(cost) = known {
            return cost;
        }
        let ops = &self.counter.kernel.regions[region].ops;
        let cost: Work = ops.iter().map(|&op| self.op(region, op, along)).sum();
        if let Some(blocks) = &self.blocks {
            blocks.borrow_mut().insert((region, along), cost);
        }
        cost
    }

    fn op(&self, region: Region, op: Op, along: Option<Op>) -> Work {
        let kernel = self.counter.kernel;
        // What lanes do one after the other is counted with the loop.
        let takes_turns =
            |lanes: &Lanes<'_>| self.counter.turns.get(&lanes.op).is_some_and(|it| it.chain.contains(&op));
        if self.lanes.as_ref().is_some_and(takes_turns) {
            return Work::default();
        }
        let costs = &self.counter.target.costs;
        let data = &kernel.ops[op];
        let work = match data.code {
            Code::For | Code::Foreach | Code::While => Work::inside(self.loop_(op, along)),
            Code::If => {
                let sides: Work = data.regions.iter().map(|&side| self.region(side, along)).sum();
                // Lanes that part go through both sides.
                let sides = if self.varies(data.operands[0]) { sides } else { sides.half() };
                sides + Work::branches(self.unit(costs.branch)) + self.missed(op)
            }
            Code::Load if self.is_repeated(op) => Work::default(),
            Code::Load | Code::Store => self.access(region, op, along),
            // Ops that make views and subscripts are part of the addresses of accesses.
            Code::Row | Code::Slice | Code::Field | Code::Size | Code::Index => Work::default(),
            Code::Div | Code::FloorDiv | Code::Rem | Code::Sqrt | Code::Rsqrt | Code::Rcp => {
                let is_integer = self.elem(op).is_some_and(Elem::is_integer);
                if is_integer && data.operands.get(1).is_some_and(|&by| kernel.as_const(by).is_some()) {
                    // Shifts, or a multiplication and shifts.
                    return Work::arithmetic(self.registers(op) * BY_CONSTANT * self.unit(costs.arithmetic));
                }
                // No target has a vector division of integers.
                let each = if is_integer { self.in_parts(op) } else { self.registers(op) };
                let is_one = !is_integer && data.results.iter().all(|&result| !self.varies(result));
                Work::divisions(each.saturating_mul(self.unit(if is_one { costs.divide_one } else { costs.divide })))
            }
            code if let Some(kind) = code.as_running() => match self.lanes.as_ref().map(|lanes| lanes.op) {
                // What lanes do of it together is counted with the loop.
                Some(own) if kernel.regions[region].ops.contains(&op) && kernel.ops[own].regions.contains(&region) => {
                    Work::default()
                }
                _ => Work::arithmetic(
                    self.registers(op).saturating_mul(running_part(kind) * self.unit(costs.arithmetic)),
                ),
            },
            code if code.as_atomic().is_some() => {
                let lanes = self.lanes.as_ref().map_or(1, |lanes| lanes.count);
                Work::stores(lanes.saturating_mul(self.unit(costs.scatter_lane) * 4))
            }
            _ if let Some(cost) = self.of_single_values(op) => Work::arithmetic(self.unit(cost)),
            _ => Work::arithmetic(self.registers(op).saturating_mul(self.unit(costs.arithmetic))),
        };
        work + Work::arithmetic(self.conversions(op))
    }

    /// The cost of an op on single values, where times are counted.
    fn of_single_values(&self, op: Op) -> Option<u16> {
        let kernel = self.counter.kernel;
        let mut values = kernel.ops[op].operands.iter().chain(&kernel.ops[op].results);
        if self.beside.is_none() || values.clone().any(|&value| self.varies(value)) {
            return None;
        }
        let costs = &self.counter.target.costs;
        let has_floats = values.any(|&value| kernel.ty(value).data_elem().is_some_and(Elem::is_float));
        Some(if has_floats { costs.one_float } else { costs.one_integer })
    }

    /// The time of branches that are not foreseen, where the iterations of a loop are done in order and data says which way an `if` goes.
    /// Sides that do nothing but compute values become choices.
    fn missed(&self, op: Op) -> Work {
        let kernel = self.counter.kernel;
        let Some(facts) = self.beside.filter(|_| self.lanes.is_none()) else { return Work::default() };
        let mut computes = true;
        kernel.walk_inside(op, &mut |inner| computes &= kernel.ops[inner].code.is_elementwise());
        match computes || facts.shape(kernel.ops[op].operands[0]).is_uniform() {
            true => Work::default(),
            false => Work::inside(self.unit(self.counter.target.costs.missed_branch) / MISSED),
        }
    }

    /// The ops that convert the operands and the result of one on floats of two bytes, which is computed in `f32`.
    fn conversions(&self, op: Op) -> u64 {
        let kernel = self.counter.kernel;
        let data = &kernel.ops[op];
        let values = data.operands.iter().chain(&data.results);
        let moves =
            matches!(data.code, Code::Select | Code::Bitcast | Code::Neg | Code::Abs | Code::Load | Code::Store);
        if moves || !data.code.is_elementwise() {
            return 0;
        }
        let steps = |elem| match elem {
            Some(Elem::F16) if self.counter.target.halves => 2,
            Some(Elem::F16) => 14,
            Some(Elem::Bf16) => 3,
            _ => 0,
        };
        let steps: u64 = values.map(|&value| steps(kernel.ty(value).data_elem())).sum();
        // Each fills as many registers as `f32` does.
        if steps == 0 { 0 } else { (steps + 1) * self.registers(op) * self.unit(self.counter.target.costs.arithmetic) }
    }

    fn unit(&self, cost: u16) -> u64 {
        unit(cost)
    }

    fn varies(&self, value: Value) -> bool {
        self.lanes.as_ref().is_some_and(|lanes| !lanes.facts.shape(value).is_uniform())
    }

    fn elem(&self, op: Op) -> Option<Elem> {
        let kernel = self.counter.kernel;
        kernel.ops[op].results.first().and_then(|&result| kernel.ty(result).data_elem())
    }

    /// Returns the number of registers that an op fills: one for a uniform value, and for an integer that steps from
    /// lane to lane, which is kept as its first lane's.
    fn registers(&self, op: Op) -> u64 {
        let (Some(lanes), Some(elem)) = (&self.lanes, self.elem(op)) else { return 1 };
        let shape = lanes.facts.shape(self.counter.kernel.ops[op].results[0]);
        match shape {
            Shape::Uniform => 1,
            Shape::Linear(_) if elem.is_integer() => 1,
            _ => registers(self.counter.target, lanes.count, elem.bytes() as u64),
        }
    }

    /// Returns how many times an op runs that is done lane by lane.
    fn in_parts(&self, op: Op) -> u64 {
        match &self.lanes {
            Some(lanes) if self.varies(self.counter.kernel.ops[op].results[0]) => lanes.count,
            _ => 1,
        }
    }

    /// The cost of a line that an access touches. Where each lane has a line of its own, and the loop around moves over cells in that
    /// line, the lines are near when it comes back to them.
    fn line(&self, op: Op, along: Option<Op>) -> u64 {
        let counter = self.counter;
        let line = u64::from(counter.target.costs.line);
        let own = along.filter(|&along| self.lanes.as_ref().is_some_and(|lanes| lanes.op == along));
        let around = own.zip(counter.forest.as_ref()).and_then(|(along, forest)| forest.parent(along));
        let further = around.map_or(LINE, |around| counter.moves(op, Some(around)));
        match further < LINE && counter.moves(op, along) == LINE {
            true => (line / REVISITED + line * further / LINE).min(line),
            false => line,
        }
    }

    /// The time of an access by lanes, for each of which it is a cell of its own, where the memory pass knows a better way than a
    /// gather or scatter: cells that lie so near each other that all in between are accessed as well, and tables that are held in registers.
    fn near(&self, op: Op, lanes: &Lanes<'_>) -> Option<Work> {
        let target = self.counter.target;
        let access = lanes.facts.access(op).filter(|_| self.beside.is_some())?;
        let costs = &target.costs;
        let filled = registers(target, lanes.count, access.bytes as u64);
        if access.class == Class::Gather {
            return self.of_table(op, lanes).map(Work::shuffles);
        }
        let stride = access.stride_in_bytes()?.unsigned_abs() as u64 / access.bytes as u64;
        // Accesses to other cells of the same records share what is loaded and stored.
        let n_members = lanes.facts.alike(access);
        if stride > MOST_CELLS || n_members == 1 && stride > u64::from(target.widest_stride) {
            return None;
        }
        let (each, mask) = if access.stores { (costs.store, costs.masked_store) } else { (costs.load, 0) };
        let accessed = filled * stride * self.unit(each + mask) / n_members;
        let shuffles = match access.stores {
            true => filled * stride * (n_members - 1).max(1) / n_members,
            false => filled * (stride.max(2) - 1),
        };
        let accessed = if access.stores { Work::stores(accessed) } else { Work::loads(accessed) };
        Some(accessed + Work::shuffles(shuffles * self.unit(costs.shuffle)))
    }

    /// The time of a load out of a row of few cells, wherever in it each lane's cell is, if an instruction picks it there.
    fn of_table(&self, op: Op, lanes: &Lanes<'_>) -> Option<u64> {
        let (kernel, target) = (self.counter.kernel, self.counter.target);
        let data = &kernel.ops[op];
        let rank = usize::from(kernel.ty(data.operands[0]).rank());
        let (&last, others) = data.operands[1..=rank].split_last()?;
        let elem = self.elem(op)?;
        let range = lanes.facts.ranges[last].filter(|_| !others.iter().any(|&other| self.varies(other)))?;
        let n_cells = number_of_cells(elem, (range.lo, range.hi))?;
        let picked = Picked::new(target, elem, n_cells.next_power_of_two() as u16, lanes.count as u16);
        let cost = picked.by_instruction(target)?.cost(target);
        (cost < picked.cost_in_memory(target)).then_some(u64::from(cost) * LINE)
    }

    /// The cost of a load by which each lane goes along a row of its own, cell after cell of a loop inside of the lanes' one, in which
    /// nothing is stored to that array: parts of all rows are loaded at once then.
    fn by_rows(&self, op: Op, along: Op, lanes: &Lanes<'_>, bytes: u64) -> Option<u64> {
        let kernel = self.counter.kernel;
        // Lanes with ranges of their own go through a loop under masks.
        let bounds = kernel.ops[along].operands.iter().take(3);
        let is_inside = along != lanes.op
            && kernel.ops[along].code == Code::For
            && bounds.map(|&bound| lanes.facts.shape(bound)).all(Shape::is_uniform);
        if !is_inside || self.counter.moves(op, Some(along)) != bytes {
            return None;
        }
        let round = rows::cost_of_round(self.counter.target, bytes as usize, lanes.count as usize)?;
        let root = kernel.root(kernel.ops[op].operands[0]);
        let stored = ir::effects::written(kernel, kernel.ops[along].regions[0]);
        let is_kept = !stored.iter().any(|&stored| kernel.may_overlap(stored, root));
        is_kept.then(|| self.unit(1) * u64::from(round) * bytes / rows::PART as u64)
    }

    fn access(&self, region: Region, op: Op, along: Option<Op>) -> Work {
        let costs = &self.counter.target.costs;
        let stores = self.counter.kernel.ops[op].code == Code::Store;
        let plain = self.unit(if stores { costs.store } else { costs.load });
        let moved = self.counter.moves(op, along);
        let line = if self.beside.is_some() { 0 } else { self.line(op, along) };
        let in_lanes = self.lanes.as_ref().and_then(|lanes| Some((lanes, lanes.facts.access(op)?)));
        let moves = |cost: u64| if stores { Work::stores(cost) } else { Work::loads(cost) };
        let Some((lanes, access)) = in_lanes else { return moves(plain) + Work::lines(moved * line) };
        let n = lanes.count;
        let filled = registers(self.counter.target, n, access.bytes as u64);
        let each = if stores { costs.scatter_lane } else { costs.gather_lane };
        let put_together = match access.class {
            Class::Strided | Class::Interleaved | Class::Gather if let Some(near) = self.near(op, lanes) => {
                let scattered = Work::scattered(self.unit(each) * n);
                if near.sum() < scattered.sum() { near } else { scattered }
            }
            Class::Broadcast | Class::UniformStore => moves(plain),
            Class::Contiguous => moves(plain * filled),
            Class::Reversed | Class::Repeated | Class::Periodic | Class::Interleaved => {
                moves(plain * filled) + Work::shuffles(self.unit(costs.shuffle) * filled)
            }
            _ if self.counter.is_packed(lanes.op, op) => {
                moves(plain * filled) + Work::shuffles(self.unit(costs.shuffle) * filled)
            }
            Class::Strided | Class::Gather | Class::Scatter => {
                let is_meant = !stores && lanes.facts.flows[region] != Flow::Divergent;
                let along = along.filter(|_| is_meant);
                along
                    .and_then(|along| self.by_rows(op, along, lanes, access.bytes as u64))
                    .map_or(Work::scattered(self.unit(each) * n), Work::shuffles)
            }
        };
        let is_divergent = lanes.facts.flows[region] == Flow::Divergent;
        // Of a side that may be skipped it is not known yet if its stores keep their masks: those of both sides often become one.
        let keeps_mask = stores && matches!(self.counter.facts, Relative::All(_));
        let of_mask = if keeps_mask { costs.masked_store } else { costs.masked };
        let masked = if is_divergent { self.unit(of_mask) * filled } else { 0 };
        // The lanes lie over some lines. If they walk on along themselves, all of those are new ones.
        let span = match self.counter.is_packed(lanes.op, op) {
            true => n * access.bytes as u64,
            false => n * self.counter.moves(op, Some(lanes.op)),
        };
        // A cell that all lanes share lies in a line, too, and along another loop the next one may lie in another line.
        let lines = match along == Some(lanes.op) {
            true => span,
            false if moved == LINE && access.class == Class::Contiguous => span.div_ceil(LINE).max(1) * (LINE + JUMP),
            false => span.div_ceil(LINE).max(1) * moved,
        };
        put_together + moves(masked) + Work::lines(lines * line)
    }
}

/// Returns the time from what an iteration is handed to what it hands on.
pub(crate) fn latency(kernel: &Kernel, turns: &Turns, costs: &Costs) -> u64 {
    let mut ready: FxHashMap<Value, u64> = FxHashMap::default();
    for &op in &turns.chain {
        let inputs = kernel.inputs(op);
        let start = inputs.iter().filter_map(|value| ready.get(value)).max().copied().unwrap_or(0);
        let mut own = latency_of(kernel, op, costs);
        kernel.walk_inside(op, &mut |inner| own += latency_of(kernel, inner, costs));
        ready.extend(kernel.ops[op].results.iter().map(|&result| (result, start + own)));
    }
    ready.values().max().copied().unwrap_or(0)
}

/// Returns the time from the operands of an op to its results.
pub(crate) fn latency_of(kernel: &Kernel, op: Op, costs: &Costs) -> u64 {
    let data = &kernel.ops[op];
    let is_float = data.results.iter().any(|&result| kernel.ty(result).data_elem().is_some_and(Elem::is_float));
    let of_float = unit(costs.latency);
    match data.code {
        Code::Div | Code::FloorDiv | Code::Rem | Code::Sqrt | Code::Rsqrt | Code::Rcp => 3 * of_float,
        Code::Load | Code::If => of_float,
        Code::Select | Code::Index | Code::Bitcast => of_float / 4,
        Code::Mul | Code::WrappingMul => of_float,
        _ if is_float => of_float,
        _ => of_float / 4,
    }
}

/// Converts a target's cost to the unit of this count: shares of a line, of which the least is one byte's.
pub fn unit(cost: u16) -> u64 {
    u64::from(cost) * LINE
}

/// Returns the number of registers that a vector of some lanes and bytes per lane fills.
fn registers(target: &Target, lanes: u64, bytes: u64) -> u64 {
    (lanes * bytes).div_ceil(u64::from(target.register_bytes).max(bytes)).max(1)
}

/// Returns the number of iterations of a loop, [`USUAL_TRIPS`] for each range of which it is not known.
pub(crate) fn trips(kernel: &Kernel, op: Op) -> u64 {
    let data = &kernel.ops[op];
    let ranges = data.operands.chunks(3).take(kernel.n_ranges(op));
    let counts = ranges.map(|range| known_trips(kernel, range).unwrap_or(USUAL_TRIPS)).collect::<Vec<u64>>();
    if counts.is_empty() { USUAL_TRIPS } else { counts.into_iter().fold(1, u64::saturating_mul) }
}

/// Returns the number of iterations of a range of constants.
fn known_trips(kernel: &Kernel, range: &[Value]) -> Option<u64> {
    let number = |at: usize| kernel.as_const(range[at]).and_then(Scalar::wide);
    trips_of(number(1)? - number(0)?, number(2)?)
}

/// Returns the number of iterations of a loop, where that is the same whenever it runs.
pub(crate) fn trips_if_known(kernel: &Kernel, op: Op) -> Option<u64> {
    let range = kernel.ops[op].operands.get(..3).filter(|_| kernel.n_ranges(op) == 1)?;
    known_trips(kernel, range).or_else(|| trips_from_value(kernel, range))
}

/// Returns the number of iterations of a range from a value to a constant more.
fn trips_from_value(kernel: &Kernel, range: &[Value]) -> Option<u64> {
    let number = |value: Value| kernel.as_const(value).and_then(Scalar::wide);
    let &[start, stop, step] = range else { return None };
    let sum = &kernel.ops[kernel.def_op(stop).filter(|_| number(start).is_none())?];
    let &[a, b] = sum.operands.get(..2).filter(|_| matches!(sum.code, Code::Add | Code::WrappingAdd))? else {
        return None;
    };
    let more = match (number(a), number(b)) {
        (_, Some(more)) if is_same(kernel, a, start) => more,
        (Some(more), _) if is_same(kernel, b, start) => more,
        _ => return None,
    };
    trips_of(more, number(step)?)
}

/// Returns the number of steps on a way.
fn trips_of(way: i128, step: i128) -> Option<u64> {
    let (way, step) = if step > 0 { (way, step) } else { (-way, -step) };
    u64::try_from((way.max(0) + step - 1).checked_div(step)?).ok()
}

/// Returns the number of lanes for a loop, of those that registers have room for: no more than make one group of all its iterations, if it is
/// known how many these are.
pub(crate) fn lanes_for_trips(kernel: &Kernel, op: Op, lanes: u16) -> u16 {
    let trips = trips_if_known(kernel, op).and_then(|trips| u16::try_from(trips).ok());
    trips.and_then(u16::checked_next_power_of_two).map_or(lanes, |enough| lanes.min(enough.max(2)))
}
