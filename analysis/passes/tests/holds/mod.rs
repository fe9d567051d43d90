//! Facts held against runs: what a value or an address is said to be from lane to lane, it is in any iterations of the lane
//! loop that come to it together, and control is divergent where some of them do and others do not.
//!
//! Iterations come to an op together when they are in the same iterations of all loops inside of the lane loop. So what an
//! op makes is collected by those, over one whole run of the lane loop, and then looked at as a row of lanes: a promise
//! about any consecutive lanes holds in that row, with gaps where an iteration did not come there. Where lanes run together
//! already, in a `foreach` in lanes, a row is one group of them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use facts::counting::Counting;
use facts::{Access, Class, Facts, Flow, Shape};
use ir::interp::{Cell, Event, Inputs, Machine, MachineStatus, NextStep, Reg};
use ir::{Code, Def, Kernel, Op, Region, Scalar, Value};

/// More steps than any run that is looked at takes.
const FUEL: usize = 60_000;

/// What was looked at, and held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Held {
    /// Rows of several lanes about which something was said.
    pub(crate) rows: usize,
    /// Those of them that ran together.
    pub(crate) together: usize,
    /// Blocks to which some lanes came and others did not, as was said.
    pub(crate) parted: usize,
    /// Rows along loops that may be left early.
    pub(crate) leaving: usize,
}

impl std::ops::AddAssign for Held {
    fn add_assign(&mut self, other: Held) {
        self.rows += other.rows;
        self.together += other.together;
        self.parted += other.parted;
        self.leaving += other.leaving;
    }
}

/// Asks `check` about each number below `cases`, on all processors: what held, or else a number for which something did not,
/// and what.
pub(crate) fn each_case(
    seeds: Range<u64>,
    check: impl Fn(u64) -> Result<Held, String> + Sync,
) -> Result<Held, (u64, String)> {
    let (next, over) = (AtomicU64::new(seeds.start), AtomicBool::new(false));
    let work = || {
        let mut held = Held::default();
        while !over.load(Relaxed) {
            let seed = next.fetch_add(1, Relaxed);
            if seed >= seeds.end {
                break;
            }
            held += check(seed).map_err(|how| {
                over.store(true, Relaxed);
                (seed, how)
            })?;
        }
        Ok(held)
    };
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(work)).collect();
        let mut all = Held::default();
        for thread in threads {
            all += thread.join().expect("a thread that says what does not hold")?;
        }
        Ok(all)
    })
}

/// Runs a kernel; says what is not as the facts say, or else what was looked at.
pub(crate) fn broken_promise(kernel: &Kernel, facts: &Facts, inputs: &Inputs) -> Result<Held, String> {
    let machine = Machine::new(Arc::new(kernel.clone()), inputs.clone());
    let Ok(mut machine) = machine else { return Ok(Held::default()) };
    machine.watch();
    let mut cancel = CancelToken::new(kernel, facts);
    for _ in 0..FUEL {
        let before = machine.place();
        if before == NextStep::Over {
            break;
        }
        let came = lanes(&machine);
        machine.step();
        if matches!(machine.status(), MachineStatus::Failed(_)) {
            break;
        }
        let stay = lanes(&machine);
        cancel.moved(before, machine.place(), &stay)?;
        for event in machine.events() {
            match event {
                Event::Made(value) => cancel.made(*value, machine.reg(*value), &came, &stay)?,
                Event::Touched { op, lane, byte, write, .. } => cancel.touched(*op, *lane, *byte, *write),
                Event::Active { .. } => {}
            }
        }
    }
    cancel.is_cut_short = machine.place() != NextStep::Over || matches!(machine.status(), MachineStatus::Failed(_));
    cancel.leave_all()?;
    Ok(cancel.held)
}

/// The lanes that run together where a machine stands; one, without a number, where none do.
fn lanes(machine: &Machine) -> Vec<Option<u16>> {
    match machine.running_lanes() {
        Some(lanes) => (0..).zip(lanes).filter(|(_, on)| **on).map(|(lane, _)| Some(lane)).collect(),
        None => vec![None],
    }
}

/// A control op that is open.
struct Open {
    op: Op,
    region: Region,
    /// Which of its iterations it is in, or which group of them.
    iteration: u64,
}

/// What lanes came to or made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    Value(Value),
    Address(Op, bool),
    Block(Region),
}

/// What each lane made.
type Row = BTreeMap<u64, Scalar>;

struct CancelToken<'k> {
    kernel: &'k Kernel,
    facts: &'k Facts,
    home: HashMap<Op, Region>,
    parent: HashMap<Region, Op>,
    open: Vec<Open>,
    /// By what was made, and in which iterations of inner loops.
    rows: HashMap<(What, Vec<u64>), Row>,
    /// The run had an error, or took too long: the last lanes may not have come everywhere.
    is_cut_short: bool,
    held: Held,
}

impl<'k> CancelToken<'k> {
    fn new(kernel: &'k Kernel, facts: &'k Facts) -> CancelToken<'k> {
        let (mut home, mut parent) = (HashMap::new(), HashMap::new());
        kernel.walk(kernel.body, &mut |region, op| {
            home.insert(op, region);
            parent.extend(kernel.ops[op].regions.iter().map(|&inner| (inner, op)));
        });
        let (open, rows) = (Vec::new(), HashMap::new());
        CancelToken { kernel, facts, home, parent, open, rows, is_cut_short: false, held: Held::default() }
    }

    /// Follows the machine from one place to the next.
    fn moved(&mut self, before: NextStep, after: NextStep, lanes: &[Option<u16>]) -> Result<(), String> {
        let region = |place| match place {
            NextStep::Op(op) => Some(self.home[&op]),
            NextStep::End(region) => Some(region),
            NextStep::Over => None,
        };
        let Some(to) = region(after) else { return self.leave_all() };
        match before {
            // An op that opens a block: the next place is in it.
            NextStep::Op(op) if self.parent.get(&to) == Some(&op) => {
                self.open.push(Open { op, region: to, iteration: 0 });
            }
            NextStep::End(from) => {
                let Some(top) = self.open.last_mut().filter(|top| top.region == from) else { return Ok(()) };
                if self.parent.get(&to) != Some(&top.op) {
                    return self.leave();
                }
                let op = top.op;
                // Of several indices, lanes run along the last; and what runs together is a group.
                if self.facts.loops.contains(&op)
                    && (self.kernel.n_ranges(op) > 1 || self.kernel.lanes_of_foreach(op).is_some())
                {
                    self.look_at_rows()?;
                }
                let Some(top) = self.open.last_mut() else { return Ok(()) };
                // Another iteration starts with the first block.
                if self.kernel.ops[op].regions.first() == Some(&to) {
                    top.iteration += 1;
                }
                top.region = to;
            }
            _ => return Ok(()),
        }
        for &lane in lanes {
            self.collect(What::Block(to), lane, self.open.len(), Scalar::Bool(true));
        }
        Ok(())
    }

    fn leave(&mut self) -> Result<(), String> {
        match self.open.pop() {
            Some(closed) if self.facts.loops.contains(&closed.op) => self.look_at_rows(),
            _ => Ok(()),
        }
    }

    fn leave_all(&mut self) -> Result<(), String> {
        while !self.open.is_empty() {
            self.leave()?;
        }
        Ok(())
    }

    /// A value was made by the lanes that came to the step, or by those that stay behind it.
    fn made(&mut self, value: Value, reg: &Reg, came: &[Option<u16>], stay: &[Option<u16>]) -> Result<(), String> {
        let (lanes, depth) = match self.kernel.values[value].def {
            // What a loop carries is made for another iteration; behind the last one nobody reads it.
            Def::Arg(region, _) if self.open.last().is_none_or(|top| top.region != region) => return Ok(()),
            // Each side of a branch makes its results for the lanes that took it.
            Def::Result(op, _) => {
                let depth = self.open.iter().position(|open| open.op == op).unwrap_or(self.open.len());
                (if self.kernel.ops[op].code == Code::If { came } else { stay }, depth)
            }
            _ => (stay, self.open.len()),
        };
        for &lane in lanes {
            let Some(Cell::Data(scalar)) = reg.lane(lane.map_or(0, usize::from)) else { continue };
            if let (Some(range), Some(wide)) = (self.facts.ranges[value], scalar.wide())
                && scalar.elem().is_integer()
                && !(range.lo..=range.hi).contains(&wide)
            {
                return Err(format!("{value} is {wide}, which is not in {range:?}"));
            }
            self.collect(What::Value(value), lane, depth, *scalar);
        }
        Ok(())
    }

    fn touched(&mut self, op: Op, lane: Option<u16>, byte: usize, write: bool) {
        if matches!(self.kernel.ops[op].code, Code::Load | Code::Store) {
            self.collect(What::Address(op, write), lane, self.open.len(), Scalar::I64(byte as i64));
        }
    }

    /// Notes what a lane made, inside of so many of the open control ops.
    fn collect(&mut self, what: What, lane: Option<u16>, depth: usize, scalar: Scalar) {
        let lane_loop = self.open[..depth].iter().position(|open| self.facts.loops.contains(&open.op));
        let Some(lane_loop) = lane_loop else { return };
        let inner = self.open[lane_loop + 1..depth].iter().map(|open| open.iteration).collect();
        let open = &self.open[lane_loop];
        let lane = match (self.kernel.lanes_of_foreach(open.op), lane) {
            (Some(lanes), Some(lane)) => open.iteration * u64::from(lanes) + u64::from(lane),
            _ => open.iteration,
        };
        self.rows.entry((what, inner)).or_default().insert(lane, scalar);
    }

    fn look_at_rows(&mut self) -> Result<(), String> {
        let rows = std::mem::take(&mut self.rows);
        for ((what, inner), row) in &rows {
            let is_held = match what {
                What::Value(value) => holds(self.facts.shape(*value), row).then(|| self.facts.shape(*value)),
                What::Address(op, stores) => match self.facts.access(*op) {
                    Some(access) => {
                        let first = access
                            .group
                            .and_then(|group| rows.get(&(What::Address(group.first, *stores), inner.clone())));
                        // Of an array that each lane makes for itself the class is about how those of all lanes lie beside each other.
                        let is_own = self.kernel.def_op(access.root).is_some_and(|made| self.is_inside(made));
                        let lies = match is_own {
                            true => holds(&access.shape, row),
                            false => lie_as_said(self.facts, access, row, first),
                        };
                        lies.then_some(&access.shape)
                    }
                    None => continue,
                },
                What::Block(region) => {
                    self.look_at_control(*region, row, &rows)?;
                    continue;
                }
            };
            match is_held {
                Some(shape) if *shape != Shape::Arbitrary && row.len() > 1 => {
                    self.held.rows += 1;
                    self.held.together += usize::from(self.is_together());
                    self.held.leaving +=
                        usize::from(self.facts.loops.iter().any(|&op| self.kernel.ops[op].code == Code::While));
                }
                Some(_) => {}
                None => return Err(self.broken(what, row)),
            }
        }
        Ok(())
    }

    /// Whether an op stands in a loop whose iterations are lanes.
    fn is_inside(&self, op: Op) -> bool {
        let mut found = false;
        for &lane_loop in &self.facts.loops {
            self.kernel.walk_inside(lane_loop, &mut |inner| found |= inner == op);
        }
        found
    }

    /// Whether what is looked at ran in lanes.
    fn is_together(&self) -> bool {
        self.facts.loops.iter().any(|&op| self.kernel.lanes_of_foreach(op).is_some())
    }

    /// Lanes that came to a block that is not divergent are all lanes there are.
    fn look_at_control(
        &mut self,
        region: Region,
        came: &Row,
        rows: &HashMap<(What, Vec<u64>), Row>,
    ) -> Result<(), String> {
        let Some(lane_loop) = self.facts.lane_loops[region] else { return Err(format!("{region} has no lane loop")) };
        let blocks = &self.kernel.ops[lane_loop].regions;
        // Once more than its body, the test of a loop that may be left early is come to.
        let all = if blocks.first() == Some(&region) { blocks.first() } else { blocks.last() };
        let all = all.and_then(|&block| rows.get(&(What::Block(block), Vec::new())));
        let all = all.ok_or_else(|| format!("{region} without its loop"))?;
        // An iteration that was cut short has not come to all places yet; no lane has, where they run together. And the
        // one that leaves the loop does not come to where those do that go on.
        let is_together = self.kernel.lanes_of_foreach(lane_loop).is_some();
        let may_leave = self.kernel.ops[lane_loop].code == Code::While;
        let n_cut_short = match self.is_cut_short {
            true if is_together => all.len(),
            true => 1,
            false => usize::from(may_leave),
        };
        let missing = all.len() - came.len();
        match self.facts.flows[region] {
            Flow::Divergent => self.held.parted += usize::from(missing > n_cut_short),
            _ if missing > n_cut_short => {
                return Err(format!("not all lanes come to {region}: of {:?} only {:?}", all.keys(), came.keys()));
            }
            _ => {}
        }
        Ok(())
    }

    fn broken(&self, what: &What, row: &Row) -> String {
        match what {
            What::Value(value) => {
                let name = self.kernel.values[*value].name.as_deref().unwrap_or("a value");
                format!("{name} ({value}) is not {:?}: {row:?}", self.facts.shape(*value))
            }
            What::Address(op, _) => format!("not so: {:?}, but {row:?}", self.facts.access(*op)),
            What::Block(region) => format!("{region}: {row:?}"),
        }
    }
}

/// Whether the addresses of an access lie as its class says; those of the first access of its group are at hand.
fn lie_as_said(facts: &Facts, access: &Access, row: &Row, first: Option<&Row>) -> bool {
    let wide = || row.iter().filter_map(|(&lane, at)| Some((i128::from(lane), at.wide()?))).collect::<Vec<_>>();
    let of_class = match access.class {
        Class::Broadcast | Class::UniformStore => holds(&Shape::Uniform, row),
        Class::Contiguous => linear(&wide(), Some(access.bytes)),
        Class::Reversed => linear(&wide(), Some(-access.bytes)),
        Class::Strided | Class::Interleaved | Class::Repeated | Class::Periodic | Class::Gather | Class::Scatter => {
            true
        }
    };
    // The cells of a group lie beside each other, in each lane.
    let leader = access.group.and_then(|own| Some((own, facts.access(own.first)?.group?)));
    let beside = leader.zip(first).is_none_or(|((own, leader), first)| {
        let apart = (i128::from(own.cell) - i128::from(leader.cell)) * access.bytes;
        row.iter().all(|(lane, at)| match (at.wide(), first.get(lane).and_then(|first| first.wide())) {
            (Some(at), Some(first)) => at - first == apart,
            _ => true,
        })
    });
    holds(&access.shape, row) && of_class && beside
}

/// Whether a row is as a shape says.
fn holds(shape: &Shape, row: &Row) -> bool {
    let wide: Option<Vec<(i128, i128)>> =
        row.iter().map(|(&lane, scalar)| Some((i128::from(lane), scalar.wide()?))).collect();
    let truths = || row.values().map(|scalar| scalar.is_true());
    match shape {
        Shape::Arbitrary => true,
        Shape::Uniform => row.values().all(|scalar| same(*scalar, row.values().next().copied())),
        Shape::Linear(stride) => wide.is_some_and(|row| linear(&row, stride.as_constant())),
        Shape::Repeated(repeat) => (0..repeat.times).any(|offset| {
            let group = |lane: u64| (i128::from(lane) + offset).div_euclid(repeat.times);
            let mut groups: BTreeMap<i128, Scalar> = BTreeMap::new();
            let agree =
                row.iter().all(|(&lane, &scalar)| same(scalar, Some(*groups.entry(group(lane)).or_insert(scalar))));
            let step = repeat.step.as_ref().map(|step| step.as_constant());
            let steps =
                || groups.iter().map(|(&group, scalar)| Some((group, scalar.wide()?))).collect::<Option<Vec<_>>>();
            agree && step.is_none_or(|step| steps().is_some_and(|row| linear(&row, step)))
        }),
        Shape::Periodic(period) => {
            let mut known: HashMap<u64, Scalar> = HashMap::new();
            row.iter()
                .all(|(&lane, &scalar)| same(scalar, Some(*known.entry(lane % u64::from(*period)).or_insert(scalar))))
        }
        Shape::Prefix => truths().is_sorted_by(|a, b| a >= b),
        Shape::Suffix => truths().is_sorted(),
    }
}

/// Whether the numbers grow by the same amount from each place to the next, and by this one if it is known.
fn linear(row: &[(i128, i128)], stride: Option<i128>) -> bool {
    let steps = |stride: i128| row.windows(2).all(|pair| pair[1].1 - pair[0].1 == (pair[1].0 - pair[0].0) * stride);
    match (stride, row) {
        (Some(stride), _) => steps(stride),
        (None, [first, second, ..]) => {
            let (lanes, grown) = (second.0 - first.0, second.1 - first.1);
            grown % lanes == 0 && steps(grown / lanes)
        }
        _ => true,
    }
}

fn same(a: Scalar, b: Option<Scalar>) -> bool {
    b.is_some_and(|b| a.elem() == b.elem() && a.bits() == b.bits())
}

/// The loops that lanes run along or could: those that run in lanes already, and any that has none of them inside and stands
/// in none.
pub(crate) fn loops(kernel: &Kernel) -> Vec<Op> {
    let mut loops = Vec::new();
    collect(kernel, kernel.body, &mut loops);
    loops
}

/// Collects the loops of a block; says whether one in lanes is among them, or inside of them.
fn collect(kernel: &Kernel, region: Region, loops: &mut Vec<Op>) -> bool {
    let mut any = false;
    for &op in &kernel.regions[region].ops {
        if kernel.lanes_of_foreach(op).is_some() {
            loops.push(op);
            any = true;
            continue;
        }
        let inside = kernel.ops[op].regions.iter().fold(false, |any, &inner| any | collect(kernel, inner, loops));
        let is_loop = matches!(kernel.ops[op].code, Code::For | Code::Foreach) || Counting::of(kernel, op).is_some();
        if is_loop && !inside {
            loops.push(op);
        }
        any |= inside;
    }
    any
}
