//! A machine that runs programs: all lanes in lock step, each access and division checked.
//!
//! A run stops at the first fault of a lane that is on. Two lanes that store to one cell are no fault: the higher one stays, as in ispc.
//! Tasks run one behind the other where they are launched.

mod frame;
mod lanes;
mod memory;
mod number;
mod statements;

use crate::module::{GangModule, TextPlace};
pub use memory::GangMemory;
pub use number::{converted, narrowed, wide};

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
pub struct GangMachine<'m> {
    module: &'m GangModule,
    /// The memory.
    pub memory: GangMemory,
    /// All that was printed.
    pub printed: String,
    /// The stores by which lanes met, each once, when they did first.
    pub collisions: Vec<LaneCollision>,
    fuel: u64,
    globals: Vec<u64>,
    depth: usize,
    /// Of each function, where each register stands in a frame.
    offsets: Vec<std::rc::Rc<[u32]>>,
    /// The numbers of the task that runs: its index in each dimension, and the counts.
    task: ([u64; 3], [u64; 3]),
    ticks: u64,
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
            globals,
            depth: 0,
            offsets,
            task: ([0; 3], [1; 3]),
            ticks: 0,
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
        let all = self.all_lanes();
        self.call(function, args, all & lanes)
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
