//! A run that is stepped through, forth and back.
//!
//! A [`Stepping`] moves a machine from op to op. Whoever moves it says where to stop; it never stops between an op and the end of
//! a block, where nothing is to be seen. Between two ops it shows the variables in scope, each with its latest value, the cells
//! that were touched on the way, the lanes that run there ([`group`]), and what the next op will do ([`Stepping::peek`]). How
//! many lanes each op had is counted on the way ([`activity`]).

pub mod activity;
pub mod group;

use std::ops::Range;
use std::sync::Arc;

pub use ir::interp::{Cell, Reg, View};
use ir::interp::{Event, Machine, MachineStatus, NextStep, scalars_of};
use ir::{CellType, Elem, Kernel, Op, Origin, Scalar, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{FailurePlace, FailureSubject, Inputs, NotRun, ResultArray, RunFailure, arrays_of, failure};
use activity::Activity;

/// Limit on the steps that can be taken back at least, once there were so many.
const REMEMBERED: usize = if cfg!(test) { 20_000 } else { 2_000_000 };

/// The bytes that remembered steps may take, about; twice as many for a short while.
const REMEMBERED_BYTES: usize = 256 << 20;

/// The bytes that a step of a scalar kernel takes to be remembered, and those for each lane, about.
const STEP_BYTES: usize = 110;
const LANE_BYTES: usize = 16;

/// The number of touched cells that are remembered at least, once there were so many.
const MOST_TOUCHED: usize = 100_000;

/// The number of steps between two questions whether the run is to be interrupted.
const POLL: u64 = 4096;

/// A kernel at some stage, in the midst of its run.
pub struct Stepping {
    machine: Machine,
    kernel: Arc<Kernel>,
    inputs: Inputs,
    /// What errors name, by where the ops came from.
    subjects: FxHashMap<Origin, FailureSubject>,
    touched: Vec<CellTouch>,
    /// The number of steps that can be taken back at least, once there were so many.
    remembered: usize,
    /// The number of steps that lead to this place.
    n_steps: u64,
    activity: Activity,
}

/// The reasons why a movement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// The place was reached that was asked for.
    Reached,
    /// The run is over, well or with an error.
    Over,
    /// Nothing before this place is remembered, or it is the start.
    Start,
    /// The caller interrupted it.
    Interrupted,
}

/// A variable in scope.
#[derive(Debug, Clone)]
pub struct Variable {
    /// The name in the source, or the one that a pass gave it.
    pub name: Arc<str>,
    /// The value that it has now.
    pub value: Value,
    /// The type of the value.
    pub ty: Type,
}

/// A cell of memory that an op read or wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellTouch {
    /// The lane, where several run together.
    pub lane: Option<u16>,
    /// The number of the memory, and the byte in it.
    pub at: (usize, usize),
    /// True for a store.
    pub is_write: bool,
}

/// The effects that the next op is going to have.
#[derive(Debug, Clone, Default)]
pub struct Peek {
    /// The cells that it touches, in order.
    pub touched: Vec<CellTouch>,
    /// The lanes that are active in it, if it says so.
    pub active: Option<Vec<bool>>,
    /// The values that it makes.
    pub made: Vec<(Value, Reg)>,
    /// The error that it ends the run with.
    pub failure: Option<RunFailure>,
}

impl Stepping {
    /// Starts a run, before its first op. `subjects` is what errors name, by where the ops came from.
    pub fn new(
        kernel: Arc<Kernel>,
        inputs: Inputs,
        subjects: FxHashMap<Origin, FailureSubject>,
    ) -> Result<Stepping, NotRun> {
        let mut machine = Machine::new(kernel.clone(), inputs.clone()).map_err(NotRun::Unfit)?;
        machine.record();
        machine.watch();
        let lanes = kernel.values.iter().filter_map(|(_, data)| data.ty.lanes()).max().unwrap_or(0);
        let remembered = REMEMBERED_BYTES / (STEP_BYTES + LANE_BYTES * usize::from(lanes));
        Ok(Stepping {
            machine,
            kernel,
            inputs,
            subjects,
            touched: Vec::new(),
            remembered: remembered.min(REMEMBERED),
            n_steps: 0,
            activity: Activity::default(),
        })
    }

    /// Returns the kernel that is run.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Goes back to the start of the run, however far that is.
    pub fn restart(&mut self) {
        // The inputs fitted when the run was started, so they fit again.
        if let Ok(machine) = Machine::new(self.kernel.clone(), self.inputs.clone()) {
            self.machine = machine;
            self.machine.record();
            self.machine.watch();
            self.touched.clear();
            self.n_steps = 0;
        }
    }

    /// Returns the number of steps that lead to this place: ops, and ends of blocks.
    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }

    /// Returns how many lanes were active in ops that ran, as far as the run ever came.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }

    /// Returns the op that comes next; `None` at the end of a block, and when the run is over.
    pub fn next_op(&self) -> Option<Op> {
        match self.machine.place() {
            NextStep::Op(op) => Some(op),
            NextStep::End(_) | NextStep::Over => None,
        }
    }

    /// Returns true when the run has ended, well or with an error.
    pub fn is_over(&self) -> bool {
        self.machine.place() == NextStep::Over
    }

    /// Returns the kernel's result, when the run has ended with one.
    pub fn result(&self) -> Option<Scalar> {
        match self.machine.status() {
            MachineStatus::Done(result) => *result,
            MachineStatus::Running | MachineStatus::Failed(_) => None,
        }
    }

    /// Returns the error that ended the run, without its place in the file: the op has one.
    pub fn failure(&self) -> Option<RunFailure> {
        match self.machine.status() {
            MachineStatus::Failed(error) => {
                let place = FailurePlace { range: None, subject: self.subjects.get(&error.origin).cloned() };
                Some(failure(error, place))
            }
            MachineStatus::Running | MachineStatus::Done(_) => None,
        }
    }

    /// Returns the origin of the op that failed.
    pub fn failed_at(&self) -> Option<(Op, Origin)> {
        match self.machine.status() {
            MachineStatus::Failed(error) => Some((error.op, error.origin)),
            MachineStatus::Running | MachineStatus::Done(_) => None,
        }
    }

    /// Returns the arrays that the kernel writes, as they are now.
    pub fn written(&self) -> Vec<ResultArray> {
        arrays_of(&self.kernel, &self.inputs, self.machine.memory())
    }

    /// Returns the number of loops and branches that are open.
    pub fn depth(&self) -> usize {
        self.machine.open_regions().count()
    }

    /// Returns the index of each open loop, outermost first.
    pub fn iteration(&self) -> Vec<i128> {
        self.machine.iteration()
    }

    /// Says for each lane of a group whether it runs the innermost open block; `None` where no lanes run together.
    pub fn running_lanes(&self) -> Option<&[bool]> {
        self.machine.running_lanes()
    }

    /// Returns the cells that were touched since [`Stepping::forget_touched`]; of very many, the last.
    pub fn touched(&self) -> &[CellTouch] {
        &self.touched
    }

    /// Starts to collect touched cells anew.
    pub fn forget_touched(&mut self) {
        self.touched.clear();
    }

    /// Returns true if the last op made a condition that holds in some lanes and not in others.
    pub fn has_diverged(&self) -> bool {
        let is_on = |cell: &Cell| match cell {
            Cell::Data(Scalar::Bool(on)) => Some(*on),
            _ => None,
        };
        let is_mixed = |value: Value| match self.machine.reg(value) {
            Reg::Lanes(cells) => {
                let on: FxHashSet<bool> = cells.iter().filter_map(is_on).collect();
                on.len() == 2
            }
            Reg::Empty | Reg::One(_) => false,
        };
        self.machine.events().iter().any(|event| matches!(event, Event::Made(value) if is_mixed(*value)))
    }

    /// Moves on, by one op at least, to the first one for which `is_there` holds. `interrupted` is asked now and then.
    pub fn forward(
        &mut self,
        is_there: &mut dyn FnMut(&mut Stepping) -> bool,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Halt {
        let mut n_steps = 0;
        loop {
            if self.is_over() {
                return Halt::Over;
            }
            if n_steps % POLL == 0 && n_steps > 0 && interrupted() {
                return Halt::Interrupted;
            }
            self.step();
            n_steps += 1;
            if self.next_op().is_some() && is_there(self) {
                return Halt::Reached;
            }
        }
    }

    /// Moves back, by one op at least, to the first one for which `is_there` holds.
    pub fn back(
        &mut self,
        is_there: &mut dyn FnMut(&mut Stepping) -> bool,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Halt {
        let mut n_steps = 0;
        self.touched.clear();
        loop {
            if n_steps % POLL == 0 && n_steps > 0 && interrupted() {
                return Halt::Interrupted;
            }
            if !self.machine.undo() {
                return Halt::Start;
            }
            self.n_steps -= 1;
            n_steps += 1;
            if self.next_op().is_some() && is_there(self) {
                return Halt::Reached;
            }
        }
    }

    fn step(&mut self) {
        if self.machine.undoable() >= 2 * self.remembered {
            self.machine.forget(self.remembered);
        }
        self.machine.step();
        self.n_steps += 1;
        self.activity.count(self.n_steps, self.machine.events());
        self.touched.extend(touched_cells(self.machine.events()));
        if self.touched.len() > 2 * MOST_TOUCHED {
            self.touched.drain(..MOST_TOUCHED);
        }
    }

    /// Returns what the next op is going to do, by doing it and taking it back; `None` where no op is next, and of one on whole
    /// arrays, which may take long and touch very many cells.
    pub fn peek(&mut self) -> Option<Peek> {
        let op = self.next_op().filter(|&op| !self.kernel.is_of_whole_arrays(op))?;
        self.machine.step();
        let events = self.machine.events();
        let active = events.iter().find_map(|event| match event {
            Event::Active { lanes, .. } => Some(lanes.clone()),
            _ => None,
        });
        let results = &self.kernel.ops[op].results;
        let made = events.iter().filter_map(|event| match event {
            Event::Made(value) if results.contains(value) => Some((*value, self.machine.reg(*value).clone())),
            _ => None,
        });
        let failure = self.failure();
        let peek = Peek { touched: touched_cells(events).collect(), active, made: made.collect(), failure };
        self.machine.undo();
        Some(peek)
    }

    /// Returns the element at a byte of a memory, as it is now.
    pub fn element_at(&self, at: (usize, usize), elem: Elem) -> Option<Scalar> {
        let bytes = self.memory(at.0)?.get(at.1..at.1 + elem.bytes())?;
        scalars_of(bytes, elem).first().copied()
    }

    /// Returns the variables in scope, those of the outermost block first. A name that several values have stands for the latest.
    pub fn variables(&self) -> Vec<Variable> {
        let mut seen = FxHashSet::default();
        let mut variables = Vec::new();
        for open in self.machine.open_regions().rev() {
            let region = &self.kernel.regions[open.region];
            let results = region.ops[..open.next.min(region.ops.len())]
                .iter()
                .rev()
                .flat_map(|&op| self.kernel.ops[op].results.iter().rev());
            for &value in results.chain(region.args.iter().rev()) {
                self.add(value, &mut seen, &mut variables);
            }
        }
        for param in self.kernel.params.iter().rev() {
            self.add(param.value, &mut seen, &mut variables);
        }
        variables.reverse();
        variables
    }

    fn add(&self, value: Value, seen: &mut FxHashSet<Arc<str>>, variables: &mut Vec<Variable>) {
        let Some(name) = self.kernel.values[value].name.clone() else { return };
        if name.is_empty() || *self.machine.reg(value) == Reg::Empty || !seen.insert(name.clone()) {
            return;
        }
        variables.push(Variable { name, value, ty: self.kernel.ty(value) });
    }

    /// Returns what a value is now.
    pub fn reg(&self, value: Value) -> &Reg {
        self.machine.reg(value)
    }

    /// Returns the elements of some cells of an array; of structs, the fields of each.
    pub fn elements(&self, view: &View, item: CellType, cells: Range<usize>) -> Vec<Scalar> {
        self.machine.elements(view, item, cells)
    }

    /// Returns the bytes of a memory that arrays lie in, by its number.
    pub fn memory(&self, number: usize) -> Option<&[u8]> {
        self.machine.memory().get(number).map(Vec::as_slice)
    }
}

/// The cells that a step touched.
fn touched_cells(events: &[Event]) -> impl Iterator<Item = CellTouch> {
    events.iter().filter_map(|event| match *event {
        Event::Touched { lane, memory, byte, write, .. } => {
            Some(CellTouch { lane, at: (memory, byte), is_write: write })
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests;
