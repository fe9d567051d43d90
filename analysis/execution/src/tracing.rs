//! Traces of runs: the iterations that a run goes through and the accesses that it makes, in the order in which that happens.
//!
//! A place in a kernel is called by its *site*: the place that its op came from, and the calls that led there. Sites are the same at
//! all stages, so a [`SiteNumbers`] that two traces share lets one be held against the other: the order in which a stage does what
//! another one did in another order.

use std::sync::Arc;

use ir::interp::{Cell, Event, Machine, NextStep, OpenRegion, Reg};
use ir::{Code, Kernel, Op};
use rustc_hash::FxHashMap;

use super::{Inputs, NotRun};

/// Limit on the steps of a traced run.
const MAX_STEPS: u64 = 400_000;

/// Limit on the accesses and on the iterations of a trace.
const MAX_ENTRIES: usize = 20_000;

/// The number of steps between two questions whether the run is to be interrupted.
const POLL: u64 = 4096;

/// The numbers of sites.
#[derive(Debug, Default)]
pub struct SiteNumbers {
    numbers: FxHashMap<Vec<u32>, u32>,
}

impl SiteNumbers {
    /// Returns the number of the site that an op came from.
    pub fn of(&mut self, kernel: &Kernel, op: Op) -> u32 {
        let calls = std::iter::successors(Some(kernel.ops[op].origin), |&origin| kernel.origins[origin].call);
        let places = calls.map(|origin| kernel.origins[origin].place).collect();
        let next = self.numbers.len() as u32;
        *self.numbers.entry(places).or_insert(next)
    }
}

/// An index of a loop around a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TracedLevel {
    /// The site of the loop.
    pub site: u32,
    /// The number of the index, of a loop with several.
    pub number: u8,
    /// The index; `None` where the loop is in lanes and the step is not of one of them.
    pub index: Option<i128>,
    /// The distance of the indices of neighbouring lanes, and the number of lanes, of a loop in lanes.
    pub lanes: Option<(i128, u16)>,
}

/// A load or a store of one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedAccess {
    /// The site of the access.
    pub site: u32,
    /// The levels around it, outermost first.
    pub levels: Vec<TracedLevel>,
    /// The lane, where several run together.
    pub lane: Option<u16>,
    /// The number of the memory, and the byte in it.
    pub cell: (usize, usize),
    /// True for a store.
    pub is_write: bool,
    /// The step of the run: what is done together has the same.
    pub step: u64,
}

/// An iteration that a run begins, or a group of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedIteration {
    /// The levels, outermost first.
    pub levels: Vec<TracedLevel>,
    /// The step of the run.
    pub step: u64,
}

/// A run from its start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunTrace {
    /// The iterations, in the order in which they begin.
    pub iterations: Vec<TracedIteration>,
    /// The accesses, in the order in which they are made.
    pub accesses: Vec<TracedAccess>,
    /// True if the run is longer than a trace may be.
    pub is_cut: bool,
}

/// Runs a kernel on inputs and records what it does. An error of the program ends the trace.
pub fn trace(
    kernel: &Arc<Kernel>,
    inputs: &Inputs,
    sites: &mut SiteNumbers,
    cancelled: &mut dyn FnMut() -> bool,
) -> Result<RunTrace, NotRun> {
    let mut machine = Machine::new(kernel.clone(), inputs.clone()).map_err(NotRun::Unfit)?;
    machine.watch();
    let mut trace = RunTrace::default();
    let mut known: Vec<(Op, u128)> = Vec::new();
    let mut of_op: FxHashMap<Op, u32> = FxHashMap::default();
    let mut site = |op: Op| *of_op.entry(op).or_insert_with(|| sites.of(kernel, op));
    for step in 0..MAX_STEPS {
        if machine.place() == NextStep::Over {
            return Ok(trace);
        }
        if step % POLL == POLL - 1 && cancelled() {
            return Err(NotRun::Stopped("it was interrupted".to_owned()));
        }
        machine.step();
        let open: Vec<(Op, OpenRegion)> = open_loops(kernel, &machine);
        let position: Vec<(Op, u128)> = open.iter().map(|(op, region)| (*op, region.iteration)).collect();
        if position != known {
            // A loop that was left leaves the iterations around it where they were.
            let begins = !known.starts_with(&position);
            known = position;
            if begins {
                let levels = levels(kernel, &machine, &open, None, &mut site);
                trace.iterations.push(TracedIteration { levels, step });
            }
        }
        for event in machine.events() {
            if let Event::Touched { op, lane, memory, byte, write, .. } = *event {
                let levels = levels(kernel, &machine, &open, lane, &mut site);
                let cell = (memory, byte);
                trace.accesses.push(TracedAccess { site: site(op), levels, lane, cell, is_write: write, step });
            }
        }
        if trace.accesses.len().max(trace.iterations.len()) > MAX_ENTRIES {
            break;
        }
    }
    trace.is_cut = machine.place() != NextStep::Over;
    Ok(trace)
}

/// The loops whose blocks are open, outermost first. The condition of a `while` is no iteration of it.
fn open_loops(kernel: &Kernel, machine: &Machine) -> Vec<(Op, OpenRegion)> {
    let of_loop = |open: OpenRegion| {
        let op = open.op?;
        let data = &kernel.ops[op];
        let is_body = match data.code {
            Code::For | Code::Foreach | Code::VectorFor => true,
            Code::While => data.regions.last() == Some(&open.region),
            _ => false,
        };
        is_body.then_some((op, open))
    };
    machine.open_regions().filter_map(of_loop).collect()
}

/// The indices of open loops, as a lane has them.
fn levels(
    kernel: &Kernel,
    machine: &Machine,
    open: &[(Op, OpenRegion)],
    lane: Option<u16>,
    site: &mut dyn FnMut(Op) -> u32,
) -> Vec<TracedLevel> {
    let mut levels = Vec::with_capacity(open.len());
    for (op, region) in open {
        let data = &kernel.ops[*op];
        let site = site(*op);
        if data.code == Code::While {
            let index = i128::try_from(region.iteration).ok();
            levels.push(TracedLevel { site, number: 0, index, lanes: None });
            continue;
        }
        let width = kernel.control(*op).and_then(|control| control.width).filter(|_| data.code == Code::VectorFor);
        for number in 0..kernel.n_ranges(*op) {
            let arg = kernel.regions[region.region].args[number];
            let (index, lanes) = match (machine.reg(arg), width) {
                (Reg::One(Cell::Data(base)), Some(width)) => {
                    let step = data.operands.get(2).and_then(|step| machine.reg(*step).scalar()?.wide());
                    let own = lane.map(i128::from).and_then(|lane| Some(base.wide()? + step? * lane));
                    // Without a lane the first one's index stands for the group.
                    (own.or(base.wide().filter(|_| lane.is_none())), step.map(|step| (step, width)))
                }
                (Reg::One(Cell::Data(index)), None) => (index.wide(), None),
                (Reg::Lanes(cells), _) => {
                    let index = lane.and_then(|lane| match cells.get(usize::from(lane)) {
                        Some(Cell::Data(index)) => index.wide(),
                        _ => None,
                    });
                    (index, None)
                }
                _ => (None, None),
            };
            levels.push(TracedLevel { site, number: number as u8, index, lanes });
        }
    }
    levels
}

#[cfg(test)]
mod tests;
