//! Calls: of one function, of each function that lanes have the address of, and of tasks.

use super::frame::{CallFrame, CallPurpose, fault_at};
use super::statements::{AfterOp, first_alike};
use super::{GangFault, GangMachine};
use crate::module::{CallTarget, GangInst, GangReg, TextPlace};
use crate::op::GangOp;

impl<'m> GangMachine<'m> {
    pub(super) fn call_op(
        &mut self,
        frame: &mut CallFrame<'m>,
        inst: &'m GangInst,
        target: &'m CallTarget,
        args: &'m [GangReg],
    ) -> Result<AfterOp<'m>, GangFault> {
        match target {
            CallTarget::Known(index) => {
                let purpose = CallPurpose::Results { inst, lanes: frame.mask, waiting: 0 };
                self.called(frame, inst, *index, args, frame.mask, purpose)
            }
            CallTarget::Address(address, _) => self.call_first_alike(frame, inst, *address, args, frame.mask),
        }
    }

    /// Calls the function of the first of some lanes for those of them that have the same.
    fn call_first_alike(
        &mut self,
        frame: &mut CallFrame<'m>,
        inst: &'m GangInst,
        address: GangReg,
        args: &'m [GangReg],
        waiting: u64,
    ) -> Result<AfterOp<'m>, GangFault> {
        let (wanted, lanes) = first_alike(frame.numbers(address), waiting);
        let index = self.function_of(frame, inst, wanted, lanes, args)?;
        let purpose = CallPurpose::Results { inst, lanes, waiting: waiting & !lanes };
        self.called(frame, inst, index, args, lanes, purpose)
    }

    fn called(
        &mut self,
        frame: &CallFrame<'m>,
        inst: &'m GangInst,
        index: usize,
        args: &[GangReg],
        lanes: u64,
        purpose: CallPurpose<'m>,
    ) -> Result<AfterOp<'m>, GangFault> {
        let args: Vec<Vec<u64>> = args.iter().map(|arg| frame.numbers(*arg).to_vec()).collect();
        let called = self.frame(index, &args, lanes, purpose).map_err(|fault| fault.called_at(frame, inst))?;
        Ok(AfterOp::Call(Box::new(called)))
    }

    fn function_of(
        &self,
        frame: &CallFrame<'m>,
        inst: &GangInst,
        address: u64,
        lanes: u64,
        args: &[GangReg],
    ) -> Result<usize, GangFault> {
        let fault = |message: &str| Err(fault_at(frame, inst, message, lanes));
        let Some(index) = super::memory::function_at(address) else {
            return fault(if address == 0 { "calls a null pointer" } else { "calls what is no function" });
        };
        let Some(function) = self.module.functions.get(index) else { return fault("calls what is no function") };
        let takes = function.params.iter().map(|param| function.regs[param.0 as usize]);
        if !takes.eq(args.iter().map(|arg| frame.ty(*arg))) {
            return fault("calls a function that takes other arguments");
        }
        let gives = function.gives.iter().map(|ty| ty.number);
        if !gives.eq(inst.results.iter().map(|reg| frame.ty(*reg).number)) {
            return fault("calls a function that gives something else");
        }
        Ok(index)
    }

    pub(super) fn launch(
        &mut self,
        frame: &mut CallFrame<'m>,
        inst: &'m GangInst,
        target: &CallTarget,
        counts: &[GangReg; 3],
        args: &'m [GangReg],
    ) -> Result<AfterOp<'m>, GangFault> {
        let counts = counts.map(|count| frame.uniform(count));
        let index = match target {
            CallTarget::Known(index) => *index,
            CallTarget::Address(address, _) => {
                self.function_of(frame, inst, frame.uniform(*address), frame.mask, args)?
            }
        };
        let outer = std::mem::replace(&mut self.task, ([0; 3], counts));
        if counts.contains(&0) {
            self.task = outer;
            return Ok(AfterOp::Next);
        }
        let purpose = CallPurpose::Task { inst, index, counts, outer };
        self.called(frame, inst, index, args, self.all_lanes(), purpose)
    }

    /// Goes on in the caller behind the end of a call.
    pub(super) fn returned(
        &mut self,
        frame: &mut CallFrame<'m>,
        purpose: CallPurpose<'m>,
        given: &[Vec<u64>],
    ) -> Result<AfterOp<'m>, GangFault> {
        match purpose {
            CallPurpose::Run => Ok(AfterOp::Next),
            CallPurpose::Results { inst, lanes, waiting } => {
                take(frame, inst, given, lanes);
                match &inst.op {
                    GangOp::Call(CallTarget::Address(address, _), args) if waiting != 0 => {
                        self.call_first_alike(frame, inst, *address, args, waiting)
                    }
                    _ => Ok(AfterOp::Next),
                }
            }
            CallPurpose::Task { inst, index, counts, outer } => {
                let GangOp::Launch { args, .. } = &inst.op else { return Ok(AfterOp::Next) };
                for (number, count) in self.task.0.iter_mut().zip(counts) {
                    *number += 1;
                    if *number < count {
                        return self.called(frame, inst, index, args, self.all_lanes(), purpose);
                    }
                    *number = 0;
                }
                self.task = outer;
                Ok(AfterOp::Next)
            }
        }
    }
}

/// Takes what a call gave into the results of its op.
fn take(frame: &mut CallFrame<'_>, inst: &GangInst, given: &[Vec<u64>], lanes: u64) {
    for (reg, numbers) in inst.results.iter().zip(given) {
        let n = frame.numbers(*reg).len();
        for lane in (0..n).filter(|lane| n == 1 || lanes >> lane & 1 == 1) {
            frame.set(*reg, lane, numbers[lane.min(numbers.len() - 1)]);
        }
    }
}

impl GangFault {
    /// A fault without a place of its own stands at the call.
    pub(super) fn called_at(self, frame: &CallFrame<'_>, inst: &GangInst) -> GangFault {
        if self.place != TextPlace::default() {
            return self;
        }
        let message = format!("calls `{}`, which {}", self.function, self.message);
        fault_at(frame, inst, &message, self.lanes).or_at(frame, inst)
    }

    /// A fault of a function that has no place stands at an op of it, or at the innermost statement around that has a place.
    pub(super) fn or_at(mut self, frame: &CallFrame<'_>, inst: &GangInst) -> GangFault {
        if self.place == TextPlace::default() && self.function == frame.function.name {
            let around = frame.open.iter().rev().filter_map(|open| open.of).map(|of| of.place);
            let places = std::iter::once(inst.place).chain(around);
            self.place = places.into_iter().find(|place| *place != TextPlace::default()).unwrap_or_default();
        }
        self
    }
}
