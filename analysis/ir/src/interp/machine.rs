//! The machine: its state, a step, and taking a step back.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::data::{Active, Cell, Reg, View, load, on};
use super::undo::Undo;
use super::{ErrorKind, Event, Inputs, Run, RunError};
use crate::entities::{Entity, EntityVec, Op, Origin, Region, Value};
use crate::ops::{Code, EffectRule};
use crate::program::{Def, Kernel};
use crate::scalar::Scalar;
use crate::shapes::{self, Shapes};
use crate::types::CellType;

/// A kernel that is being run.
#[derive(Debug, Clone)]
pub struct Machine {
    pub(super) kernel: Arc<Kernel>,
    /// The number of the scratch memory.
    pub(super) scratch: usize,
    /// The memory that each `temp` makes its array in, every time it runs; the memories of further lanes follow.
    pub(super) temporaries: HashMap<Op, usize>,
    /// The shapes of the kernel's arrays, if it works on whole ones; then what `temp` makes may be carried out of its block,
    /// and lies in a memory of its own, like every other new array.
    pub(super) shapes: Option<Arc<Shapes>>,
    pub(super) state: State,
    /// The undo log, if changes are recorded.
    log: Vec<Undo>,
    /// The length of the log before each step.
    steps: Vec<usize>,
    pub(super) recording: bool,
    watching: bool,
    events: Vec<Event>,
}

/// The complete state of a run between two steps.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    pub(super) values: EntityVec<Value, Reg>,
    pub(super) memory: Vec<Vec<u8>>,
    /// The bytes that the arrays take which were made in a memory of their own.
    pub(super) made_bytes: usize,
    /// The open regions, outermost first.
    pub(super) frames: Vec<Frame>,
    pub(super) status: MachineStatus,
}

/// The progress of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum MachineStatus {
    /// The machine can go on.
    Running,
    /// The run has ended, with the kernel's result if it has one.
    Done(Option<Scalar>),
    /// The program has an error.
    Failed(Arc<RunError>),
}

/// A frame: an open region with its position.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Frame {
    /// The control op it is of; `None` for the body.
    pub(super) op: Option<Op>,
    pub(super) at: Position,
    /// The state of a loop over ranges or elements while it runs.
    pub(super) loop_state: Option<Box<LoopState>>,
}

/// The position of a frame in its region.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Position {
    pub(super) region: Region,
    /// The number of the op that comes next.
    pub(super) next: usize,
    /// The number of the iteration; of a `foreach` whose lanes run together, that of the group.
    pub(super) iteration: u128,
    /// The lanes that run the region.
    pub(super) active: Active,
}

/// The state of a loop over ranges or elements while it runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LoopState {
    /// The state of each lane in the loop; one entry where no lanes run together around the loop.
    pub(super) lanes: Vec<LaneState>,
    /// `foreach`: who touched which cell.
    pub(super) touched: HashMap<Touched, Touch>,
}

/// The state of a lane in a loop: its ranges and partial results.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct LaneState {
    pub(super) ranges: Vec<Steps>,
    /// The number of iterations, or of groups of them.
    pub(super) count: u128,
    /// The partial results of each reduction.
    pub(super) partials: Vec<Vec<Scalar>>,
    /// The results of a `map` or `scan`, as soon as the first iteration has yielded.
    pub(super) made: Vec<Option<Arc<View>>>,
}

/// The indices of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Steps {
    pub(super) lo: i128,
    pub(super) step: i128,
    pub(super) count: u128,
}

/// A cell that a `foreach` has touched: by memory and byte, and by lane where each lane runs the loop by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Touched {
    pub(super) lane: u16,
    pub(super) cell: (usize, usize),
}

/// The iterations of a `foreach` that touched a cell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Touch {
    pub(super) writer: Option<u128>,
    /// Up to two different ones: more are not needed to find one that is not the writer.
    pub(super) readers: [Option<u128>; 2],
    /// Up to two different ones that joined something to the cell in any order, each with its op's code.
    pub(super) joiners: [Option<(Code, u128)>; 2],
}

/// The way in which an op touches a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touching {
    Reads,
    Writes,
    /// By an atomic op whose order is free: others with the same code do not mind.
    Joins(Code),
}

/// A region that is open while a machine stands between two steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenRegion {
    /// The control op that it is of; `None` for the kernel's body.
    pub op: Option<Op>,
    /// The region.
    pub region: Region,
    /// The number of the op in it that comes next, or that is open.
    pub next: usize,
    /// The number of the iteration, of a loop's block; of loops in lanes, that of the group.
    pub iteration: u128,
}

/// The place of the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// The op that runs next.
    Op(Op),
    /// The end of a region.
    End(Region),
    /// No step: the run is over.
    Over,
}

/// The limits at which [`Machine::run`] stops before the end.
pub struct Limits<'l> {
    /// The number of steps that the run may take.
    pub fuel: u64,
    /// The origins of the ops before which it stops.
    pub breakpoints: &'l HashSet<Origin>,
    /// The check that stops the run if it returns true; it is called every few hundred steps.
    pub cancelled: &'l mut dyn FnMut() -> bool,
}

/// The reason why [`Machine::run`] stopped.
#[derive(Debug, Clone, PartialEq)]
pub enum Stop {
    /// The run is over, well or with an error.
    Over,
    /// The fuel is used up.
    Fuel,
    /// The run was cancelled by its caller.
    Cancelled,
    /// The op is next, and came from a place with a breakpoint.
    Breakpoint(Op),
}

/// The most bytes of an array that the kernel makes, more than any that is interpreted has reason to ask for.
const MOST_BYTES: i128 = 1 << 28;

/// The bytes of cells that hold anything: no number that a program would start from.
pub(super) const UNSET: u8 = 0xA5;

/// The number of steps between two checks for a cancellation.
const POLL: u64 = 256;

impl Machine {
    /// A machine about to run a kernel, which has to be verified; else why the inputs do not fit it.
    pub fn new(kernel: Arc<Kernel>, inputs: Inputs) -> Result<Machine, String> {
        let started = inputs.check(&kernel)?;
        let mut values = EntityVec::filled(kernel.values.len(), Reg::Empty);
        for (value, data) in kernel.values.iter() {
            if let Def::Const(scalar) = data.def {
                values[value] = scalar.into();
            }
        }
        for (param, started) in kernel.params.iter().zip(started) {
            values[param.value] = match started {
                Ok(scalar) => scalar.into(),
                Err(view) => Reg::One(Cell::View(Arc::new(view))),
            };
        }
        let at = Position { region: kernel.body, next: 0, iteration: 0, active: None };
        let body = Frame { op: None, at, loop_state: None };
        let scratch_bytes = inputs.scratch_bytes(&kernel).filter(|bytes| *bytes as i128 <= MOST_BYTES).unwrap_or(0);
        let mut memory = inputs.memory;
        let mut temporaries = HashMap::new();
        make_room(&kernel, kernel.body, 1, &mut memory, &mut temporaries);
        let scratch = memory.len();
        memory.push(vec![UNSET; scratch_bytes as usize]);
        let state = State { values, memory, made_bytes: 0, frames: vec![body], status: MachineStatus::Running };
        let shapes = kernel.has_whole_arrays().then(|| Arc::new(shapes::of(&kernel)));
        Ok(Machine {
            kernel,
            scratch,
            temporaries,
            shapes,
            state,
            log: Vec::new(),
            steps: Vec::new(),
            recording: false,
            watching: false,
            events: Vec::new(),
        })
    }

    /// Records every change from now on, so that steps can be undone.
    pub fn record(&mut self) {
        self.recording = true;
    }

    /// Collects events from now on.
    pub fn watch(&mut self) {
        self.watching = true;
    }

    /// The effects of the last step, if the machine is watched.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the kernel that is run.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Returns the progress of the run.
    pub fn status(&self) -> &MachineStatus {
        &self.state.status
    }

    /// The pieces of memory that arrays lie in: those of the inputs, then those of temporaries, the scratch memory, and those of new arrays.
    pub fn memory(&self) -> &[Vec<u8>] {
        &self.state.memory
    }

    /// Returns the present contents of a value.
    pub fn reg(&self, value: Value) -> &Reg {
        &self.state.values[value]
    }

    /// The place of the next step.
    pub fn place(&self) -> NextStep {
        match (&self.state.status, self.state.frames.last()) {
            (MachineStatus::Running, Some(frame)) => {
                let ops = &self.kernel.regions[frame.at.region].ops;
                ops.get(frame.at.next).map_or(NextStep::End(frame.at.region), |&op| NextStep::Op(op))
            }
            _ => NextStep::Over,
        }
    }

    /// The index of each loop that is open, outermost first; that of the first active lane, where lanes run together.
    pub fn iteration(&self) -> Vec<i128> {
        self.iteration_of_lane(None)
    }

    /// The open regions, outermost first.
    pub fn open_regions(&self) -> impl DoubleEndedIterator<Item = OpenRegion> {
        self.state.frames.iter().map(|frame| OpenRegion {
            op: frame.op,
            region: frame.at.region,
            next: frame.at.next,
            iteration: frame.at.iteration,
        })
    }

    /// The elements of some cells of an array, in the order of its subscripts; of structs, the fields of each.
    pub fn elements(&self, view: &View, item: CellType, cells: std::ops::Range<usize>) -> Vec<Scalar> {
        let memory = &self.state.memory[view.memory];
        let starts = view.cells().skip(cells.start).take(cells.len());
        match item {
            CellType::Elem(elem) => starts.map(|at| load(memory, at, elem)).collect(),
            CellType::Struct(decl) => {
                let decl = &self.kernel.structs[decl];
                let leaves = |at: usize| decl.leaves().map(move |(offset, elem)| load(memory, at + offset, elem));
                starts.flat_map(leaves).collect()
            }
        }
    }

    /// Returns the number of steps that can be undone.
    pub fn undoable(&self) -> usize {
        self.steps.len()
    }

    /// Forgets how to undo all but the last steps, whose number is given.
    pub fn forget(&mut self, kept: usize) {
        let n_forgotten = self.steps.len().saturating_sub(kept);
        let from = self.steps.get(n_forgotten).copied().unwrap_or(self.log.len());
        self.log.drain(..from);
        self.steps.drain(..n_forgotten);
        self.steps.iter_mut().for_each(|step| *step -= from);
    }

    /// Does one op, or ends one region.
    pub fn step(&mut self) {
        self.events.clear();
        let place = self.place();
        if place == NextStep::Over {
            return;
        }
        if self.recording {
            self.steps.push(self.log.len());
        }
        let done = match place {
            NextStep::Op(op) => self.do_op(op),
            NextStep::End(region) => self.end_region(region),
            NextStep::Over => Ok(()),
        };
        if let Err(error) = done {
            self.state.status = MachineStatus::Failed(error);
        }
    }

    /// Takes the last step back; says whether there was one to take back.
    pub fn undo(&mut self) -> bool {
        let Some(len) = self.steps.pop() else { return false };
        while self.log.len() > len {
            if let Some(undo) = self.log.pop() {
                self.take_back(undo);
            }
        }
        self.state.status = MachineStatus::Running;
        self.events.clear();
        true
    }

    /// Goes on until the run is over or a limit stops it. At least one step is made.
    pub fn run(&mut self, limits: &mut Limits) -> Stop {
        let mut steps = 0;
        loop {
            let place = self.place();
            // An op on whole arrays may take as long as very many others.
            let is_long =
                matches!(place, NextStep::Op(op) if self.shapes.is_some() && self.kernel.is_of_whole_arrays(op));
            match place {
                NextStep::Over => return Stop::Over,
                NextStep::Op(op) if steps > 0 && limits.breakpoints.contains(&self.kernel.ops[op].origin) => {
                    return Stop::Breakpoint(op);
                }
                _ if steps == limits.fuel => return Stop::Fuel,
                _ if (is_long || steps % POLL == 0) && (limits.cancelled)() => return Stop::Cancelled,
                _ => {}
            }
            self.step();
            steps += 1;
        }
    }

    /// Goes on until the run is over or this many steps are made.
    pub fn run_for(&mut self, fuel: u64) -> Stop {
        self.run(&mut Limits { fuel, breakpoints: &HashSet::new(), cancelled: &mut || false })
    }

    /// An op at the innermost frame.
    fn do_op(&mut self, op: Op) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        if self.watching
            && let Some(active) = self.active()
        {
            self.note(|| Event::Active { op, lanes: active.to_vec() });
        }
        let code = kernel.ops[op].code;
        if code.is_control() {
            return self.start_control(op);
        }
        if code.is_elementwise() {
            self.elementwise(op)?
        } else {
            self.do_special(op)?
        }
        self.advance();
        Ok(())
    }

    /// An op that is neither control nor elementwise.
    fn do_special(&mut self, op: Op) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        match (data.code, data.code.row().effect) {
            (Code::Assert, _) => {
                let broken = self.each_lane().into_iter().find(|&lane| !self.scalar(data.operands[0], lane).is_true());
                broken.map_or(Ok(()), |lane| Err(self.error(op, lane, ErrorKind::AssertFailed)))
            }
            (Code::AssertSize, _) => {
                let sizes = |lane| (self.wide(data.operands[0], lane), self.wide(data.operands[1], lane));
                let broken = self.each_lane().into_iter().find(|&lane| sizes(lane).0 != sizes(lane).1);
                broken.map_or(Ok(()), |lane| {
                    let (a, b) = sizes(lane);
                    Err(self.error(op, lane, ErrorKind::SizesDiffer(a, b)))
                })
            }
            (Code::AssertSome, _) => {
                let broken = self.each_lane().into_iter().find(|&lane| self.wide(data.operands[0], lane) <= 0);
                broken.map_or(Ok(()), |lane| Err(self.error(op, lane, ErrorKind::AssertFailed)))
            }
            (Code::Unknown, _) => Err(self.error(op, self.each_lane()[0], ErrorKind::Unknown)),
            (Code::Temp | Code::Table | Code::Scratch, _) => {
                self.make_each(data.results[0], |machine, lane| machine.make_temporary(op, lane))
            }
            (Code::Iota | Code::Replicate | Code::Elements, _) => self.make_arrays(op),
            (Code::Assign, _) => self.assign(op),
            (Code::Row | Code::Slice | Code::Field | Code::Flat | Code::Size | Code::Overlap, _) => self.view_op(op),
            (Code::Prefetch | Code::PrefetchRow, _) => Ok(()),
            (_, EffectRule::Reads | EffectRule::Writes) => self.access(op),
            _ => {
                let made = self.lane_op(op)?;
                self.set(data.results[0], made);
                Ok(())
            }
        }
    }

    /// Says whether each lane of a group runs the innermost open region; `None` where no lanes run together.
    pub fn running_lanes(&self) -> Option<&[bool]> {
        self.state.frames.last()?.at.active.as_deref()
    }

    /// The lanes that run the innermost open region.
    pub(super) fn active(&self) -> Active {
        self.state.frames.last().and_then(|frame| frame.at.active.clone())
    }

    /// The active lanes one after the other; a single `None` where no lanes run together. There is always one.
    pub(super) fn each_lane(&self) -> SmallVec<[Option<u16>; 1]> {
        match self.active() {
            None => smallvec![None],
            Some(active) => on(&active).map(|lane| Some(lane as u16)).collect(),
        }
    }

    /// Gives a value what `cell` makes of it in each active lane, or once where no lanes run together.
    pub(super) fn make_each(
        &mut self,
        value: Value,
        mut cell: impl FnMut(&mut Machine, Option<u16>) -> Run<Cell>,
    ) -> Run<()> {
        let made = match self.active() {
            None => Reg::One(cell(self, None)?),
            Some(active) => {
                let mut cells = vec![Cell::Off; active.len()];
                for lane in on(&active) {
                    cells[lane] = cell(self, Some(lane as u16))?;
                }
                Reg::Lanes(cells.into())
            }
        };
        self.set(value, made);
        Ok(())
    }

    /// Notes how to take a change back.
    pub(super) fn log(&mut self, undo: impl FnOnce() -> Undo) {
        if self.recording {
            self.log.push(undo());
        }
    }

    /// Records an event, if the run is watched.
    pub(super) fn note(&mut self, event: impl FnOnce() -> Event) {
        if self.watching {
            self.events.push(event());
        }
    }

    /// Sets the contents of a value.
    pub(super) fn set(&mut self, value: Value, reg: Reg) {
        let old = std::mem::replace(&mut self.state.values[value], reg);
        self.log(|| Undo::Value(value, old));
        self.note(|| Event::Made(value));
    }

    /// Moves the innermost frame to a position.
    pub(super) fn move_to(&mut self, at: Position) {
        if let Some(frame) = self.state.frames.last_mut() {
            let old = std::mem::replace(&mut frame.at, at);
            self.log(|| Undo::Moved(Box::new(old)));
        }
    }

    /// Moves the innermost frame to its next op.
    pub(super) fn advance(&mut self) {
        if let Some(frame) = self.state.frames.last_mut() {
            frame.at.next += 1;
            self.log(|| Undo::Advanced);
        }
    }

    pub(super) fn push_frame(&mut self, frame: Frame) {
        self.state.frames.push(frame);
        self.log(|| Undo::Pushed);
    }

    pub(super) fn pop_frame(&mut self) {
        if let Some(frame) = self.state.frames.pop() {
            self.log(|| Undo::Popped(Box::new(frame)));
        }
    }

    /// A scalar operand, in one of the lanes that run together if some do. Verified kernels have one there.
    pub(super) fn scalar(&self, value: Value, lane: Option<u16>) -> Scalar {
        match self.reg(value).lane(lane.map_or(0, usize::from)) {
            Some(Cell::Data(scalar)) => *scalar,
            other => panic!("{value} is {other:?}, and no scalar"),
        }
    }

    /// The value of a scalar integer operand.
    pub(super) fn wide(&self, value: Value, lane: Option<u16>) -> i128 {
        self.scalar(value, lane).wide().unwrap_or_else(|| panic!("{value} is no integer"))
    }

    /// The element of an operand in an active lane.
    pub(super) fn in_lane(&self, value: Value, lane: usize) -> Run<Scalar> {
        match self.reg(value).lane(lane) {
            Some(Cell::Data(scalar)) => Ok(*scalar),
            Some(Cell::Failed(error)) => Err(Arc::clone(error)),
            other => panic!("{value} is {other:?} in lane {lane}"),
        }
    }

    /// Returns an error at an op. The lane is one of those that run together, or one of a vector op.
    pub(super) fn error(&self, op: Op, lane: Option<u16>, kind: ErrorKind) -> Arc<RunError> {
        self.error_of_part(op, lane, kind, 0)
    }

    /// An error that is about the operand with this number, which is shown if it is the part of an array that an assignment stores to or reads.
    pub(super) fn error_of_part(&self, op: Op, lane: Option<u16>, kind: ErrorKind, operand: usize) -> Arc<RunError> {
        let data = &self.kernel.ops[op];
        let made_by = |value: Value| self.kernel.def_op(value).map(|op| &self.kernel.ops[op]);
        let part = match data.operands.get(operand).and_then(|&part| made_by(part)) {
            Some(field) if field.code == Code::Field => made_by(field.operands[0]),
            part => part,
        };
        let origin = match part {
            Some(part) if data.code == Code::Assign && matches!(part.code, Code::Row | Code::Slice) => part.origin,
            _ => data.origin,
        };
        Arc::new(RunError { kind, op, origin, lane, iteration: self.iteration_of_lane(lane) })
    }

    /// The name of the array that a view is of.
    pub(super) fn array_name(&self, view: &View) -> crate::program::Name {
        let name = self.kernel.values[view.root].name.clone();
        name.unwrap_or_else(|| format!("_{}", view.root.index()).into())
    }

    /// Says whether another machine, of the same kernel, is in exactly the same state.
    pub fn is_at_same_moment(&self, other: &Machine) -> bool {
        self.state == other.state
    }
}

/// Gives each `temp` a memory, or one for each of the lanes that run together around it.
fn make_room(
    kernel: &Kernel,
    region: Region,
    lanes: usize,
    memory: &mut Vec<Vec<u8>>,
    temporaries: &mut HashMap<Op, usize>,
) {
    for &op in &kernel.regions[region].ops {
        if matches!(kernel.ops[op].code, Code::Temp | Code::Table) {
            temporaries.insert(op, memory.len());
            memory.resize(memory.len() + lanes, Vec::new());
        }
        let inside = kernel.lanes_of_foreach(op).map_or(lanes, usize::from);
        kernel.ops[op].regions.iter().for_each(|&inner| make_room(kernel, inner, inside, memory, temporaries));
    }
}
