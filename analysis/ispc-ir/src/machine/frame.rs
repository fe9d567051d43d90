//! A call of a function: registers, local variables, the lanes that are on.

use std::rc::Rc;

use super::{DEEPEST_CALL, GangFault, GangMachine, NO_BODY, OUT_OF_FUEL};
use crate::module::{GangFunction, GangInst, GangReg, JumpId};
use crate::types::GangType;

/// Where ops go on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GoOn {
    /// With the next one.
    Next,
    /// At a label.
    At(JumpId),
}

/// The lanes that have left for the end of a loop or `switch`, or for its step.
#[derive(Clone, Copy, Default)]
pub(super) struct LanesLeft {
    pub(super) broken: u64,
    pub(super) continued: u64,
}

pub(super) struct CallFrame<'m> {
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
}

impl CallFrame<'_> {
    pub(super) fn ty(&self, reg: GangReg) -> GangType {
        self.function.regs[reg.0 as usize]
    }

    pub(super) fn numbers(&self, reg: GangReg) -> &[u64] {
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
    pub(super) fn lanes_where(&self, reg: GangReg) -> u64 {
        let numbers = self.numbers(reg);
        if !self.ty(reg).is_varying {
            return if numbers[0] != 0 { self.mask } else { 0 };
        }
        let holds = numbers.iter().enumerate().fold(0, |bits, (lane, number)| bits | u64::from(*number != 0) << lane);
        holds & self.mask
    }
}

impl<'m> GangMachine<'m> {
    /// Calls a function for some lanes.
    pub(super) fn call(&mut self, index: usize, args: &[Vec<u64>], mask: u64) -> Result<Vec<Vec<u64>>, GangFault> {
        let module = self.module;
        let function = &module.functions[index];
        let fault =
            |message: &str| GangFault { function: function.name.clone(), ..GangFault::nowhere(message.to_owned()) };
        if function.is_external {
            return Err(fault(NO_BODY));
        }
        if self.depth >= DEEPEST_CALL {
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
        };
        for slot in &function.slots {
            let address = self.memory.allocate(&slot.name, slot.bytes).map_err(|message| fault(&message))?;
            frame.slots.push(address);
        }
        for (param, arg) in function.params.iter().zip(args) {
            let start = frame.offsets[param.0 as usize] as usize;
            frame.regs[start..start + arg.len()].copy_from_slice(arg);
        }
        self.depth += 1;
        let ran = self.block(&mut frame, &function.body);
        self.depth -= 1;
        for address in frame.slots.iter().chain(&frame.locals) {
            self.memory.drop_local(*address);
        }
        ran?;
        Ok(frame.given)
    }

    /// Runs ops for the lanes that are on, up to where none is.
    pub(super) fn block(&mut self, frame: &mut CallFrame<'m>, block: &'m [GangInst]) -> Result<GoOn, GangFault> {
        for inst in block {
            if frame.mask == 0 {
                break;
            }
            if self.fuel == 0 {
                return Err(fault_at(frame, inst, OUT_OF_FUEL, 0));
            }
            self.fuel -= 1;
            self.ticks += 1;
            match self.statement(frame, inst)? {
                GoOn::Next => {}
                at => return Ok(at),
            }
        }
        Ok(GoOn::Next)
    }
}

/// A fault at an op.
pub(super) fn fault_at(frame: &CallFrame<'_>, inst: &GangInst, message: &str, lanes: u64) -> GangFault {
    GangFault { message: message.to_owned(), place: inst.place, function: frame.function.name.clone(), lanes }
}
