//! A machine that runs programs: all lanes in lock step, each access and division checked.
//!
//! A run stops at the first fault of a lane that is on. Two lanes that store to one cell are no fault: the higher one stays, as in ispc.
//! Tasks run one behind the other where they are launched.
//!
//! A run can also be made op by op, by [`GangMachine::begin`] and [`GangMachine::step`]. Between two ops the machine is a value: a copy of
//! it shares what neither has changed since, and goes on in the same way.

mod calls;
mod frame;
mod lanes;
mod memory;
mod number;
mod statements;

use std::rc::Rc;

use crate::module::{GangInst, GangModule, TextPlace};
pub use frame::CallFrame;
use frame::fault_at;
use frame::{CallPurpose, TaskNumbers};
pub use memory::{GangMemory, SeenMemory};
pub use number::{converted, narrowed, wide};
use statements::AfterOp;

/// The most lanes of a gang.
pub const MOST_LANES: u32 = 64;
/// The most calls in each other.
const DEEPEST_CALL: usize = 120;

/// The message of a fault that more fuel would put off.
pub const OUT_OF_FUEL: &str = "is not done after all the steps that a run may take";

/// The message of a fault at the call of a function without a body.
pub const NO_BODY: &str = "has no body here, and what another program has cannot be run";

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct MachineLimits {
    /// The most ops that run.
    pub fuel: u64,
}

/// The reason why a run stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GangFault {
    /// The fault in words, without the place: `divides by zero`.
    pub message: String,
    /// Where it stands.
    pub place: TextPlace,
    /// The function.
    pub function: String,
    /// The lanes that fail, as bits; none if it is not about lanes.
    pub lanes: u64,
}

impl GangFault {
    /// The lanes in words: `in lanes 1 and 3`, or nothing.
    pub fn lanes_in_words(&self) -> String {
        match self.lanes {
            0 => String::new(),
            lanes => format!("in {}", in_words(lanes)),
        }
    }
}

/// Lanes in words: `lane 3`, `lanes 1, 2 and 5`.
fn in_words(lanes: u64) -> String {
    let lanes: Vec<String> = (0..64).filter(|lane| lanes >> lane & 1 == 1).map(|lane| lane.to_string()).collect();
    match &lanes[..] {
        [] => "no lane".to_owned(),
        [one] => format!("lane {one}"),
        [front @ .., last] => format!("lanes {} and {last}", front.join(", ")),
    }
}

/// A store by which lanes put different numbers to one cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneCollision {
    /// Where it stands.
    pub place: TextPlace,
    /// The function.
    pub function: String,
    /// Lanes whose number is lost, and the one whose number stays, as bits.
    pub lanes: u64,
}

impl LaneCollision {
    /// The lanes in words: `lanes 0 and 2`.
    pub fn lanes_in_words(&self) -> String {
        in_words(self.lanes)
    }
}

/// The most stores whose collisions are kept.
const MOST_COLLISIONS: usize = 100;

/// A run of a program.
#[derive(Clone)]
pub struct GangMachine<'m> {
    module: &'m GangModule,
    /// The memory.
    pub memory: GangMemory,
    /// All that was printed.
    pub printed: String,
    /// The stores by which lanes met, each once, when they did first.
    pub collisions: Vec<LaneCollision>,
    fuel: u64,
    globals: Rc<[u64]>,
    /// Of each function, where each register stands in a frame.
    offsets: Rc<[Rc<[u32]>]>,
    task: TaskNumbers,
    ticks: u64,
    /// The calls in each other that run, outermost first.
    calls: Vec<CallFrame<'m>>,
    /// The results of a run that is over.
    given: Vec<Vec<u64>>,
}

impl<'m> GangMachine<'m> {
    /// A machine whose globals have their first values.
    pub fn new(module: &'m GangModule, limits: MachineLimits) -> Result<GangMachine<'m>, GangFault> {
        let mut memory = GangMemory::default();
        let mut globals = Vec::new();
        for global in &module.globals {
            globals.push(memory.allocate(&format!("`{}`", global.name), global.bytes).map_err(GangFault::nowhere)?);
        }
        let offsets = |regs: &[crate::types::GangType]| {
            let mut next = 0;
            let starts = regs.iter().map(|ty| {
                let start = next;
                next += if ty.is_varying { module.lanes } else { 1 };
                start
            });
            let mut starts: Vec<u32> = starts.collect();
            starts.push(next);
            starts.into()
        };
        let offsets = module.functions.iter().map(|function| offsets(&function.regs)).collect();
        let mut machine = GangMachine {
            module,
            memory,
            printed: String::new(),
            collisions: Vec::new(),
            fuel: limits.fuel,
            globals: globals.into(),
            offsets,
            task: ([0; 3], [1; 3]),
            ticks: 0,
            calls: Vec::new(),
            given: Vec::new(),
        };
        if let Some(start) = module.start {
            machine.run(start, &[])?;
        }
        Ok(machine)
    }

    /// Runs a function with all lanes on. Each argument has one number, or one a lane; so has what it gives.
    pub fn run(&mut self, function: usize, args: &[Vec<u64>]) -> Result<Vec<Vec<u64>>, GangFault> {
        self.run_in(function, args, u64::MAX)
    }

    /// Runs a function for some lanes, given as bits.
    pub fn run_in(&mut self, function: usize, args: &[Vec<u64>], lanes: u64) -> Result<Vec<Vec<u64>>, GangFault> {
        self.begin_in(function, args, lanes)?;
        self.go(u64::MAX)?;
        Ok(std::mem::take(&mut self.given))
    }

    /// Begins a run of a function with all lanes on, which stands in front of its first op.
    pub fn begin(&mut self, function: usize, args: &[Vec<u64>]) -> Result<(), GangFault> {
        self.begin_in(function, args, u64::MAX)
    }

    fn begin_in(&mut self, function: usize, args: &[Vec<u64>], lanes: u64) -> Result<(), GangFault> {
        let lanes = self.all_lanes() & lanes;
        self.calls.clear();
        let mut frame = self.frame(function, args, lanes, CallPurpose::Run)?;
        self.settle(&mut frame)?;
        self.calls.push(frame);
        self.leave()
    }

    /// Runs the next op. A run that has faulted is not to go on.
    pub fn step(&mut self) -> Result<(), GangFault> {
        self.go(1)
    }

    /// The calls in each other that run, outermost first; none where the run is over.
    pub fn calls(&self) -> &[CallFrame<'m>] {
        &self.calls
    }

    /// The results of a run that is over: each has one number, or one a lane.
    pub fn results(&self) -> &[Vec<u64>] {
        &self.given
    }

    /// Runs so many ops, or up to the end.
    fn go(&mut self, most: u64) -> Result<(), GangFault> {
        let Some(mut frame) = self.calls.pop() else { return Ok(()) };
        let mut left = most;
        let went = loop {
            let Some(inst) = frame.next_op().filter(|_| left > 0) else { break Ok(()) };
            left -= 1;
            match self.op(&mut frame, inst) {
                Ok(AfterOp::Next) => {}
                Ok(AfterOp::Call(called)) => self.calls.push(std::mem::replace(&mut frame, *called)),
                Err(fault) => break Err(fault),
            }
            if !frame.open.is_empty() {
                continue;
            }
            self.calls.push(frame);
            self.leave()?;
            match self.calls.pop() {
                Some(caller) => frame = caller,
                None => return Ok(()),
            }
        };
        let went = went.map_err(|fault| self.seen_by_callers(fault, &frame));
        self.calls.push(frame);
        went
    }

    /// Runs an op of a frame, and goes on behind the blocks that it ends.
    fn op(&mut self, frame: &mut CallFrame<'m>, inst: &'m GangInst) -> Result<AfterOp<'m>, GangFault> {
        if self.fuel == 0 {
            return Err(fault_at(frame, inst, OUT_OF_FUEL, 0).or_at(frame, inst));
        }
        self.fuel -= 1;
        self.ticks += 1;
        if let Some(open) = frame.open.last_mut() {
            open.next += 1;
        }
        let after = self.statement(frame, inst).map_err(|fault| fault.or_at(frame, inst))?;
        if let AfterOp::Call(mut called) = after {
            self.settle(&mut called)?;
            return Ok(AfterOp::Call(called));
        }
        self.settle(frame)?;
        Ok(after)
    }

    /// Leaves the innermost calls as long as they have ended.
    fn leave(&mut self) -> Result<(), GangFault> {
        while let Some(ended) = self.calls.pop_if(|frame| frame.open.is_empty()) {
            for address in ended.slots.iter().chain(&ended.locals) {
                self.memory.drop_local(*address);
            }
            let Some(mut frame) = self.calls.pop() else {
                self.given = ended.given;
                break;
            };
            let after = self.returned(&mut frame, ended.purpose, &ended.given);
            let went = after.and_then(|after| match after {
                AfterOp::Next => self.settle(&mut frame).map(|()| None),
                AfterOp::Call(mut called) => self.settle(&mut called).map(|()| Some(called)),
            });
            let went = went.map_err(|fault| self.seen_by_callers(fault, &frame));
            self.calls.push(frame);
            self.calls.extend(went?.map(|called| *called));
        }
        Ok(())
    }

    /// A fault in a call as its callers see it, unless it has a place. The calls are those around it.
    fn seen_by_callers(&self, mut fault: GangFault, of: &CallFrame<'m>) -> GangFault {
        let mut purpose = of.purpose;
        for caller in self.calls.iter().rev() {
            fault = match purpose {
                CallPurpose::Run => fault,
                CallPurpose::Results { inst, .. } | CallPurpose::Task { inst, .. } => fault.called_at(caller, inst),
            };
            purpose = caller.purpose;
        }
        fault
    }

    /// The program.
    pub fn module(&self) -> &'m GangModule {
        self.module
    }

    /// The address of a global, by its number.
    pub fn global_address(&self, global: usize) -> u64 {
        self.globals[global]
    }

    fn all_lanes(&self) -> u64 {
        u64::MAX >> (64 - self.module.lanes.clamp(1, MOST_LANES))
    }
}

impl GangFault {
    fn nowhere(message: String) -> GangFault {
        GangFault { message, place: TextPlace::default(), function: String::new(), lanes: 0 }
    }
}
