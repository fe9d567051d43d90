//! Statements: which lanes run which block.

use super::frame::{CallFrame, GoOn, LanesLeft, fault_at};
use super::{GangFault, GangMachine};
use crate::module::{CallTarget, GangBlock, GangInst, GangReg, JumpId, TextPlace};
use crate::op::{GangOp, SwitchCase};

impl<'m> GangMachine<'m> {
    pub(super) fn statement(&mut self, frame: &mut CallFrame<'m>, inst: &'m GangInst) -> Result<GoOn, GangFault> {
        self.statement_here(frame, inst).map_err(|mut fault| {
            // What is found between ops stands at the statement.
            if fault.place == TextPlace::default() && fault.function == frame.function.name {
                fault.place = inst.place;
            }
            fault
        })
    }

    fn statement_here(&mut self, frame: &mut CallFrame<'m>, inst: &'m GangInst) -> Result<GoOn, GangFault> {
        match &inst.op {
            GangOp::If(condition, yes, no) => return self.branch(frame, *condition, yes, no),
            GangOp::Loop { id, test, body, step, again } => {
                return self.rounds(frame, *id, test.as_ref(), body, step, *again);
            }
            GangOp::Switch { id, value, cases } => return self.switch(frame, *id, *value, cases),
            GangOp::AllLanes(body) => {
                let before = frame.mask;
                frame.mask = self.all_lanes();
                let went = self.block(frame, body)?;
                frame.mask = before;
                return Ok(went);
            }
            GangOp::EachLane { id, lane, body } => return self.each_lane(frame, *id, *lane, body),
            GangOp::EachValue { id, over, value, body } => return self.each_value(frame, *id, *over, *value, body),
            GangOp::Labelled(blocks) => return self.labelled(frame, blocks),
            GangOp::Break(id) => {
                frame.left[id.0 as usize].broken |= frame.mask;
                frame.mask = 0;
            }
            GangOp::Continue(id) => {
                frame.left[id.0 as usize].continued |= frame.mask;
                frame.mask = 0;
            }
            GangOp::Goto(id) => return Ok(GoOn::At(*id)),
            GangOp::Return(values) => {
                for (nth, value) in values.iter().enumerate() {
                    for lane in 0..frame.given[nth].len() {
                        if frame.given[nth].len() == 1 || frame.mask >> lane & 1 == 1 {
                            frame.given[nth][lane] = frame.number(*value, lane);
                        }
                    }
                }
                frame.mask = 0;
            }
            GangOp::Call(target, args) => self.call_op(frame, inst, target, args)?,
            GangOp::Launch { target, counts, args } => self.launch(frame, inst, target, counts, args)?,
            _ => self.plain(frame, inst)?,
        }
        Ok(GoOn::Next)
    }

    fn branch(
        &mut self,
        frame: &mut CallFrame<'m>,
        condition: GangReg,
        yes: &'m GangBlock,
        no: &'m GangBlock,
    ) -> Result<GoOn, GangFault> {
        let taken = frame.lanes_where(condition);
        let mut other = frame.mask & !taken;
        frame.mask = taken;
        if taken != 0 {
            match self.block(frame, yes)? {
                GoOn::Next => {}
                at if other == 0 => return Ok(at),
                _ => return Err(self.parted(frame)),
            }
        }
        let taken = frame.mask;
        frame.mask = other;
        if other != 0 {
            match self.block(frame, no)? {
                GoOn::Next => {}
                at if taken == 0 => return Ok(at),
                _ => return Err(self.parted(frame)),
            }
            other = frame.mask;
        }
        frame.mask = taken | other;
        Ok(GoOn::Next)
    }

    fn parted(&self, frame: &CallFrame<'m>) -> GangFault {
        let mut fault = GangFault::nowhere("jumps by `goto` with some of its lanes alone".to_owned());
        (fault.function, fault.lanes) = (frame.function.name.clone(), frame.mask);
        fault
    }

    fn rounds(
        &mut self,
        frame: &mut CallFrame<'m>,
        id: JumpId,
        test: Option<&'m (GangBlock, GangReg)>,
        body: &'m GangBlock,
        step: &'m GangBlock,
        again: Option<GangReg>,
    ) -> Result<GoOn, GangFault> {
        let id = id.0 as usize;
        let outer = std::mem::take(&mut frame.left[id]);
        let mut done = 0;
        while frame.mask != 0 {
            if let Some((block, holds)) = test {
                self.block(frame, block)?;
                let stay = frame.lanes_where(*holds);
                done |= frame.mask & !stay;
                frame.mask = stay;
                if stay == 0 {
                    break;
                }
            }
            self.spend(frame)?;
            frame.left[id].continued = 0;
            match self.block(frame, body)? {
                GoOn::Next => {}
                at if done | frame.left[id].broken | frame.left[id].continued == 0 => return Ok(at),
                // Lanes that wait behind the loop, or for its next round, do not jump with the others.
                _ => return Err(self.parted(frame)),
            }
            frame.mask |= frame.left[id].continued;
            self.block(frame, step)?;
            if let Some(again) = again {
                let stay = frame.lanes_where(again);
                done |= frame.mask & !stay;
                frame.mask = stay;
            }
        }
        frame.mask = done | frame.left[id].broken;
        frame.left[id] = outer;
        Ok(GoOn::Next)
    }

    /// A round costs something, even if nothing is in it.
    fn spend(&mut self, frame: &CallFrame<'m>) -> Result<(), GangFault> {
        match self.fuel.checked_sub(1) {
            Some(fuel) => self.fuel = fuel,
            None => {
                let mut fault = GangFault::nowhere(super::OUT_OF_FUEL.to_owned());
                fault.function = frame.function.name.clone();
                return Err(fault);
            }
        }
        Ok(())
    }

    fn switch(
        &mut self,
        frame: &mut CallFrame<'m>,
        id: JumpId,
        value: GangReg,
        cases: &'m [SwitchCase],
    ) -> Result<GoOn, GangFault> {
        let entry = frame.mask;
        let ty = frame.ty(value).number;
        let lanes_of = |frame: &CallFrame<'m>, wanted: i64| {
            let is_it = |lane: &u32| {
                let number = super::number::whole(frame.number(value, *lane as usize), ty);
                number == super::number::whole(super::number::wrapped(wanted.into(), ty), ty)
            };
            (0..self.module.lanes).filter(is_it).fold(0u64, |bits, lane| bits | 1 << lane) & entry
        };
        let mut starts = vec![0; cases.len()];
        let (mut named, mut default) = (0, None);
        for (nth, case) in cases.iter().enumerate() {
            for value in &case.values {
                match value {
                    Some(value) => {
                        let lanes = lanes_of(frame, *value) & !named;
                        starts[nth] |= lanes;
                        named |= lanes;
                    }
                    None => default = Some(nth),
                }
            }
        }
        let others = entry & !named;
        if let Some(nth) = default {
            starts[nth] |= others;
        }
        let outer = std::mem::take(&mut frame.left[id.0 as usize]);
        frame.mask = 0;
        let mut waiting = entry;
        for (case, start) in cases.iter().zip(starts) {
            frame.mask |= start;
            waiting &= !start;
            match self.block(frame, &case.block)? {
                GoOn::Next => {}
                at if waiting | frame.left[id.0 as usize].broken == 0 => return Ok(at),
                _ => return Err(self.parted(frame)),
            }
        }
        frame.mask |= frame.left[id.0 as usize].broken;
        if default.is_none() {
            frame.mask |= others;
        }
        frame.left[id.0 as usize] = outer;
        Ok(GoOn::Next)
    }

    fn each_lane(
        &mut self,
        frame: &mut CallFrame<'m>,
        id: JumpId,
        lane: GangReg,
        body: &'m GangBlock,
    ) -> Result<GoOn, GangFault> {
        let entry = frame.mask;
        for nth in 0..self.module.lanes {
            if entry >> nth & 1 == 1 {
                frame.mask = 1 << nth;
                frame.set(lane, 0, nth.into());
                self.spend(frame)?;
                self.block(frame, body)?;
            }
        }
        frame.left[id.0 as usize] = LanesLeft::default();
        frame.mask = entry;
        Ok(GoOn::Next)
    }

    fn each_value(
        &mut self,
        frame: &mut CallFrame<'m>,
        id: JumpId,
        over: GangReg,
        value: GangReg,
        body: &'m GangBlock,
    ) -> Result<GoOn, GangFault> {
        let entry = frame.mask;
        let mut waiting = entry;
        let numbers = frame.numbers(over).to_vec();
        while waiting != 0 {
            let first = waiting.trailing_zeros() as usize;
            let number = numbers[first.min(numbers.len() - 1)];
            let same =
                (0..numbers.len()).filter(|lane| numbers[*lane] == number).fold(0u64, |bits, lane| bits | 1 << lane);
            let same = if numbers.len() == 1 { waiting } else { same & waiting };
            waiting &= !same;
            frame.mask = same;
            frame.set(value, 0, number);
            self.spend(frame)?;
            self.block(frame, body)?;
        }
        frame.left[id.0 as usize] = LanesLeft::default();
        frame.mask = entry;
        Ok(GoOn::Next)
    }

    fn labelled(&mut self, frame: &mut CallFrame<'m>, blocks: &'m [(JumpId, GangBlock)]) -> Result<GoOn, GangFault> {
        let entry = frame.mask;
        let mut nth = 0;
        while let Some((_, block)) = blocks.get(nth) {
            self.spend(frame)?;
            nth = match self.block(frame, block)? {
                GoOn::Next => nth + 1,
                GoOn::At(id) => match blocks.iter().position(|(label, _)| *label == id) {
                    Some(to) => {
                        // All lanes that were on have jumped together.
                        if frame.mask == 0 {
                            frame.mask = entry;
                        }
                        to
                    }
                    None => return Ok(GoOn::At(id)),
                },
            };
        }
        Ok(GoOn::Next)
    }

    fn args(&self, frame: &CallFrame<'m>, args: &[GangReg]) -> Vec<Vec<u64>> {
        args.iter().map(|arg| frame.numbers(*arg).to_vec()).collect()
    }

    fn call_op(
        &mut self,
        frame: &mut CallFrame<'m>,
        inst: &'m GangInst,
        target: &CallTarget,
        args: &[GangReg],
    ) -> Result<(), GangFault> {
        let arg_regs = args;
        let args = self.args(frame, args);
        let mask = frame.mask;
        match target {
            CallTarget::Known(index) => {
                let given = self.call(*index, &args, mask).map_err(|fault| fault.called_at(frame, inst))?;
                self.take(frame, inst, &given, mask);
            }
            CallTarget::Address(address, _) => {
                let addresses = frame.numbers(*address).to_vec();
                let mut waiting = mask;
                while waiting != 0 {
                    let first = waiting.trailing_zeros() as usize;
                    let wanted = addresses[first.min(addresses.len() - 1)];
                    let same = (0..addresses.len()).filter(|lane| addresses[*lane] == wanted);
                    let same = same.fold(0u64, |bits, lane| bits | 1 << lane);
                    let same = if addresses.len() == 1 { waiting } else { same & waiting };
                    waiting &= !same;
                    let index = self.function_of(frame, inst, wanted, same, arg_regs)?;
                    let given = self.call(index, &args, same).map_err(|fault| fault.called_at(frame, inst))?;
                    self.take(frame, inst, &given, same);
                }
            }
        }
        Ok(())
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

    /// Takes what a call gave into its results.
    fn take(&self, frame: &mut CallFrame<'m>, inst: &GangInst, given: &[Vec<u64>], mask: u64) {
        for (reg, numbers) in inst.results.iter().zip(given) {
            let n = frame.numbers(*reg).len();
            for lane in (0..n).filter(|lane| n == 1 || mask >> lane & 1 == 1) {
                frame.set(*reg, lane, numbers[lane.min(numbers.len() - 1)]);
            }
        }
    }

    fn launch(
        &mut self,
        frame: &mut CallFrame<'m>,
        inst: &'m GangInst,
        target: &CallTarget,
        counts: &[GangReg; 3],
        args: &[GangReg],
    ) -> Result<(), GangFault> {
        let arg_regs = args;
        let args = self.args(frame, args);
        let counts = counts.map(|count| frame.uniform(count));
        let all = self.all_lanes();
        let index = match target {
            CallTarget::Known(index) => *index,
            CallTarget::Address(address, _) => {
                self.function_of(frame, inst, frame.uniform(*address), frame.mask, arg_regs)?
            }
        };
        let outer = self.task;
        for z in 0..counts[2] {
            for y in 0..counts[1] {
                for x in 0..counts[0] {
                    self.task = ([x, y, z], counts);
                    self.call(index, &args, all).map_err(|fault| fault.called_at(frame, inst))?;
                }
            }
        }
        self.task = outer;
        Ok(())
    }
}

impl GangFault {
    /// A fault without a place of its own stands at the call.
    fn called_at(self, frame: &CallFrame<'_>, inst: &GangInst) -> GangFault {
        if self.place != TextPlace::default() {
            return self;
        }
        let message = format!("calls `{}`, which {}", self.function, self.message);
        fault_at(frame, inst, &message, self.lanes)
    }
}
