//! Facts held against runs: what a value or an address is said to be from lane to lane, it is in any iterations of the lane
//! loop that come to it together.
//!
//! Iterations come to an op together when they are in the same iterations of all loops inside of the lane loop. So what an
//! op makes is collected by those, over one whole run of the lane loop, and then looked at as a row of lanes: a promise
//! about any consecutive lanes holds in that row, with gaps where an iteration did not come there.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use ir::facts::{Facts, Shape};
use ir::interp::{Event, Inputs, Machine, Place, Status};
use ir::{Code, Kernel, Op, Region, Scalar, Value};

/// More steps than any run that is looked at takes.
const FUEL: usize = 60_000;

/// Runs a kernel; says what is not as the facts say, or else how many promises were looked at.
pub(crate) fn broken_promise(kernel: &Kernel, facts: &Facts, inputs: &Inputs) -> Result<usize, String> {
    let machine = Machine::new(Arc::new(kernel.clone()), inputs.clone());
    let Ok(mut machine) = machine else { return Ok(0) };
    machine.watch();
    let mut watch = Watch::new(kernel, facts);
    for _ in 0..FUEL {
        let before = machine.place();
        if before == Place::Over {
            break;
        }
        machine.step();
        if matches!(machine.status(), Status::Failed(_)) {
            break;
        }
        watch.moved(before, machine.place())?;
        for event in machine.events() {
            match event {
                Event::Made(value) => watch.made(*value, machine.reg(*value).scalar())?,
                Event::Touched { op, byte, write, .. } => watch.touched(*op, *byte, *write)?,
                Event::Active { .. } => {}
            }
        }
    }
    watch.leave_all()?;
    Ok(watch.n_rows)
}

/// A control op that is open.
struct Open {
    op: Op,
    region: Region,
    /// Which of its iterations it is in.
    iteration: u64,
}

/// What was made: a value, or an address, by the iterations of inner loops.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum What {
    Value(Value),
    Address(Op, bool),
}

struct Watch<'k> {
    kernel: &'k Kernel,
    facts: &'k Facts,
    home: HashMap<Op, Region>,
    parent: HashMap<Region, Op>,
    open: Vec<Open>,
    /// Rows of lanes: for each lane what was made.
    rows: HashMap<(What, Vec<u64>), BTreeMap<u64, Scalar>>,
    n_rows: usize,
}

impl<'k> Watch<'k> {
    fn new(kernel: &'k Kernel, facts: &'k Facts) -> Watch<'k> {
        let (mut home, mut parent) = (HashMap::new(), HashMap::new());
        kernel.walk(kernel.body, &mut |region, op| {
            home.insert(op, region);
            parent.extend(kernel.ops[op].regions.iter().map(|&inner| (inner, op)));
        });
        Watch { kernel, facts, home, parent, open: Vec::new(), rows: HashMap::new(), n_rows: 0 }
    }

    /// Follows the machine from one place to the next.
    fn moved(&mut self, before: Place, after: Place) -> Result<(), String> {
        let region = |place| match place {
            Place::Op(op) => Some(self.home[&op]),
            Place::End(region) => Some(region),
            Place::Over => None,
        };
        let Some(to) = region(after) else { return self.leave_all() };
        match before {
            // An op that opens a block: the next place is in it.
            Place::Op(op) if self.parent.get(&to) == Some(&op) => {
                self.open.push(Open { op, region: to, iteration: 0 });
                Ok(())
            }
            Place::End(from) => {
                let Some(top) = self.open.last_mut().filter(|top| top.region == from) else { return Ok(()) };
                if self.parent.get(&to) != Some(&top.op) {
                    return self.leave();
                }
                // Another iteration starts with the first block.
                if self.kernel.ops[top.op].regions.first() == Some(&to) {
                    top.iteration += 1;
                }
                top.region = to;
                // Of several indices, lanes run along the last.
                let op = top.op;
                match self.facts.loops.contains(&op) && self.kernel.n_ranges(op) > 1 {
                    true => self.look_at_rows(),
                    false => Ok(()),
                }
            }
            _ => Ok(()),
        }
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

    fn made(&mut self, value: Value, scalar: Option<Scalar>) -> Result<(), String> {
        let Some(scalar) = scalar else { return Ok(()) };
        if let (Some(range), Some(wide)) = (self.facts.ranges[value], scalar.wide())
            && scalar.elem().is_integer()
            && !(range.lo..=range.hi).contains(&wide)
        {
            return Err(format!("{value} is {wide}, which is not in {range:?}"));
        }
        self.collect(What::Value(value), scalar);
        Ok(())
    }

    fn touched(&mut self, op: Op, byte: usize, write: bool) -> Result<(), String> {
        if matches!(self.kernel.ops[op].code, Code::Load | Code::Store) {
            self.collect(What::Address(op, write), Scalar::I64(byte as i64));
        }
        Ok(())
    }

    fn collect(&mut self, what: What, scalar: Scalar) {
        let lanes = self.open.iter().position(|open| self.facts.loops.contains(&open.op));
        let Some(lanes) = lanes else { return };
        let inner = self.open[lanes + 1..].iter().map(|open| open.iteration).collect();
        let lane = self.open[lanes].iteration;
        self.rows.entry((what, inner)).or_default().insert(lane, scalar);
    }

    fn look_at_rows(&mut self) -> Result<(), String> {
        for ((what, _), row) in std::mem::take(&mut self.rows) {
            let shape = match what {
                What::Value(value) => self.facts.shape(value),
                What::Address(op, _) => match self.facts.access(op) {
                    Some(access) => &access.shape,
                    None => continue,
                },
            };
            self.n_rows += usize::from(*shape != Shape::Arbitrary && row.len() > 1);
            if !holds(shape, &row) {
                let name = match &what {
                    What::Value(value) => {
                        self.kernel.values[*value].name.clone().unwrap_or_else(|| value.to_string().into())
                    }
                    What::Address(op, _) => format!("the address of {op:?}").into(),
                };
                return Err(format!("{name} ({what:?}) is not {shape:?}: {row:?}"));
            }
        }
        Ok(())
    }
}

/// Whether a row is as a shape says.
fn holds(shape: &Shape, row: &BTreeMap<u64, Scalar>) -> bool {
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
            let mut known: HashMap<i128, Scalar> = HashMap::new();
            row.iter()
                .all(|(&lane, &scalar)| same(scalar, Some(*known.entry(i128::from(lane) % period).or_insert(scalar))))
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

/// The loops that lanes could run along: any that is not run in lanes already, has none inside, and stands in none.
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
            any = true;
            continue;
        }
        let inside = kernel.ops[op].regions.iter().fold(false, |any, &inner| any | collect(kernel, inner, loops));
        if matches!(kernel.ops[op].code, Code::For | Code::Foreach) && !inside {
            loops.push(op);
        }
        any |= inside;
    }
    any
}
