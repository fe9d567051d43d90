//! A run that is stepped through, forth and back.
//!
//! A [`Stepping`] moves a machine from op to op. Whoever moves it says where to stop; it never stops between an op and the end of
//! a block, where nothing is to be seen. Between two ops it shows the variables in scope, each with its latest value, and the cells
//! that were touched on the way.

use std::ops::Range;
use std::sync::Arc;

pub use ir::interp::{Cell, Reg, View};
use ir::interp::{Event, Machine, MachineStatus, NextStep};
use ir::{CellType, Kernel, Op, Origin, Scalar, Type, Value};
use report::TextRange;
use rustc_hash::FxHashSet;

use super::{Inputs, NotRun, ResultArray, RunFailure, arrays_of, failure};

/// The number of steps that can be taken back at least, once there were so many.
const REMEMBERED: usize = if cfg!(test) { 20_000 } else { 2_000_000 };

/// The number of touched cells that are remembered at least, once there were so many.
const MOST_TOUCHED: usize = 100_000;

/// The number of steps between two questions whether the run is to be interrupted.
const POLL: u64 = 4096;

/// A kernel at some stage, in the midst of its run.
pub struct Stepping {
    machine: Machine,
    kernel: Arc<Kernel>,
    inputs: Inputs,
    touched: Vec<CellTouch>,
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

impl Stepping {
    /// Starts a run, before its first op.
    pub fn new(kernel: Arc<Kernel>, inputs: Inputs) -> Result<Stepping, NotRun> {
        let mut machine = Machine::new(kernel.clone(), inputs.clone()).map_err(NotRun::Unfit)?;
        machine.record();
        machine.watch();
        Ok(Stepping { machine, kernel, inputs, touched: Vec::new() })
    }

    /// Returns the kernel that is run.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
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

    /// Returns the error that ended the run. `place` maps the origin of an op to a place in the file.
    pub fn failure(&self, place: &dyn Fn(Origin) -> Option<TextRange>) -> Option<RunFailure> {
        match self.machine.status() {
            MachineStatus::Failed(error) => Some(failure(error, place(error.origin))),
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
            n_steps += 1;
            if self.next_op().is_some() && is_there(self) {
                return Halt::Reached;
            }
        }
    }

    fn step(&mut self) {
        if self.machine.undoable() >= 2 * REMEMBERED {
            self.machine.forget(REMEMBERED);
        }
        self.machine.step();
        let touched = self.machine.events().iter().filter_map(|event| match *event {
            Event::Touched { lane, memory, byte, write, .. } => {
                Some(CellTouch { lane, at: (memory, byte), is_write: write })
            }
            _ => None,
        });
        self.touched.extend(touched);
        if self.touched.len() > 2 * MOST_TOUCHED {
            self.touched.drain(..MOST_TOUCHED);
        }
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

#[cfg(test)]
mod tests;
