//! A call that runs: its registers and local variables, the lanes that are on, and the blocks in each other that it stands in.

use std::rc::Rc;

use super::statements::Then;
use super::{DEEPEST_CALL, GangFault, GangMachine, NO_BODY};
use crate::module::{GangFunction, GangInst, GangReg, SlotId};
use crate::types::GangType;

/// The lanes that have left for the end of a loop or `switch`, or for its step.
#[derive(Clone, Copy, Default)]
pub(super) struct LanesLeft {
    pub(super) broken: u64,
    pub(super) continued: u64,
}

/// The numbers of the task that runs: its index in each dimension, and the counts.
pub(super) type TaskNumbers = ([u64; 3], [u64; 3]);

/// What a call's end leads to.
#[derive(Clone, Copy)]
pub(super) enum CallPurpose<'m> {
    /// The end of the run.
    Run,
    /// Results for the caller's op, for these lanes; then calls for the lanes that wait.
    Results { inst: &'m GangInst, lanes: u64, waiting: u64 },
    /// The next task that the caller's op launches. The numbers are those of the task that launches.
    Task { inst: &'m GangInst, index: usize, counts: [u64; 3], outer: TaskNumbers },
}

/// A block that runs.
#[derive(Clone)]
pub(super) struct OpenBlock<'m> {
    /// The statement that holds it; none for the function's body.
    pub(super) of: Option<&'m GangInst>,
    pub(super) block: &'m [GangInst],
    /// The number of the op that comes next.
    pub(super) next: usize,
    /// What comes behind its end.
    pub(super) then: Then<'m>,
}

/// A call that runs.
#[derive(Clone)]
pub struct CallFrame<'m> {
    pub(super) function: &'m GangFunction,
    pub(super) regs: Vec<u64>,
    pub(super) offsets: Rc<[u32]>,
    pub(super) slots: Vec<u64>,
    /// Memory that lasts up to the end of the call.
    pub(super) locals: Vec<u64>,
    pub(super) mask: u64,
    pub(super) left: Vec<LanesLeft>,
    /// The results, lane by lane.
    pub(super) given: Vec<Vec<u64>>,
    /// The blocks in each other that run, outermost first.
    pub(super) open: Vec<OpenBlock<'m>>,
    pub(super) purpose: CallPurpose<'m>,
}

impl<'m> CallFrame<'m> {
    /// The function.
    pub fn function(&self) -> &'m GangFunction {
        self.function
    }

    /// The lanes that are on, as bits.
    pub fn lanes_on(&self) -> u64 {
        self.mask
    }

    /// The op that comes next here; in a caller, the one behind the call.
    pub fn next_op(&self) -> Option<&'m GangInst> {
        let open = self.open.last()?;
        open.block.get(open.next)
    }

    /// The op that ran last in the innermost block: in a caller, the call.
    pub fn op_before(&self) -> Option<&'m GangInst> {
        let open = self.open.last()?;
        open.block.get(open.next.checked_sub(1)?)
    }

    /// The number of blocks in each other that it stands in.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// The rounds of the loops that it stands in, outermost first: each counts from 0, and a loop over lanes has the lane.
    pub fn rounds(&self) -> Vec<u64> {
        self.open.iter().filter_map(|open| open.then.round()).collect()
    }

    /// The address of a local variable.
    pub fn slot_address(&self, slot: SlotId) -> u64 {
        self.slots[slot.0 as usize]
    }

    pub(super) fn ty(&self, reg: GangReg) -> GangType {
        self.function.regs[reg.0 as usize]
    }

    /// A register's numbers: one, or one a lane.
    pub fn numbers(&self, reg: GangReg) -> &[u64] {
        let index = reg.0 as usize;
        &self.regs[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// A register's number in a lane.
    pub(super) fn number(&self, reg: GangReg, lane: usize) -> u64 {
        let numbers = self.numbers(reg);
        if numbers.len() == 1 { numbers[0] } else { numbers[lane] }
    }

    /// The number of a uniform register.
    pub(super) fn uniform(&self, reg: GangReg) -> u64 {
        self.numbers(reg)[0]
    }

    pub(super) fn set(&mut self, reg: GangReg, lane: usize, number: u64) {
        let start = self.offsets[reg.0 as usize] as usize;
        self.regs[start + lane] = number;
    }

    /// Sets a register by a function of each lane; lane 0 alone for a uniform one.
    pub(super) fn set_each(&mut self, reg: GangReg, of: impl Fn(&Self, usize) -> u64) {
        let n = self.numbers(reg).len();
        for lane in 0..n {
            let number = of(self, lane);
            self.set(reg, lane, number);
        }
    }

    /// The lanes that are on and in which a truth value holds; all that are on, or none, for a uniform one.
    pub fn lanes_where(&self, reg: GangReg) -> u64 {
        let numbers = self.numbers(reg);
        if !self.ty(reg).is_varying {
            return if numbers[0] != 0 { self.mask } else { 0 };
        }
        let holds = numbers.iter().enumerate().fold(0, |bits, (lane, number)| bits | u64::from(*number != 0) << lane);
        holds & self.mask
    }

    pub(super) fn open(&mut self, of: &'m GangInst, block: &'m [GangInst], then: Then<'m>) {
        self.open.push(OpenBlock { of: Some(of), block, next: 0, then });
    }
}

impl<'m> GangMachine<'m> {
    /// A call of a function for some lanes, in front of its first op.
    pub(super) fn frame(
        &mut self,
        index: usize,
        args: &[Vec<u64>],
        mask: u64,
        purpose: CallPurpose<'m>,
    ) -> Result<CallFrame<'m>, GangFault> {
        let module = self.module;
        let function = &module.functions[index];
        let fault =
            |message: &str| GangFault { function: function.name.clone(), ..GangFault::nowhere(message.to_owned()) };
        if function.is_external {
            return Err(fault(NO_BODY));
        }
        // The caller is not among the calls while its op runs.
        if self.calls.len() >= DEEPEST_CALL - 1 {
            return Err(fault("calls itself too many times in a row"));
        }
        let lanes = module.lanes as usize;
        let offsets = self.offsets[index].clone();
        let mut frame = CallFrame {
            function,
            regs: vec![0; offsets.last().map_or(0, |n| *n as usize)],
            offsets,
            slots: Vec::with_capacity(function.slots.len()),
            locals: Vec::new(),
            mask,
            left: vec![LanesLeft::default(); function.n_jumps as usize],
            given: function.gives.iter().map(|ty| vec![0; if ty.is_varying { lanes } else { 1 }]).collect(),
            open: vec![OpenBlock { of: None, block: &function.body, next: 0, then: Then::Return }],
            purpose,
        };
        for slot in &function.slots {
            let address = self.memory.allocate(&slot.name, slot.bytes).map_err(|message| fault(&message))?;
            frame.slots.push(address);
        }
        for (param, arg) in function.params.iter().zip(args) {
            let start = frame.offsets[param.0 as usize] as usize;
            frame.regs[start..start + arg.len()].copy_from_slice(arg);
        }
        Ok(frame)
    }
}

/// A fault at an op.
pub(super) fn fault_at(frame: &CallFrame<'_>, inst: &GangInst, message: &str, lanes: u64) -> GangFault {
    GangFault { message: message.to_owned(), place: inst.place, function: frame.function.name.clone(), lanes }
}
