//! Statements: which lanes run which block, and what comes behind its end.
//!
//! A statement opens a block and says, as a [`Then`], what its end leads to. Nothing here calls itself for what is nested, so a run
//! can stand between any two ops.

use super::frame::{CallFrame, LanesLeft};
use super::{GangFault, GangMachine};
use crate::module::{GangBlock, GangInst, GangReg, JumpId};
use crate::op::{GangOp, SwitchCase};

/// What comes behind the end of a block.
#[derive(Clone)]
pub(super) enum Then<'m> {
    /// The function's end.
    Return,
    /// The second block of an `if`, for these lanes.
    Otherwise(&'m GangBlock, u64),
    /// The end of an `if`, to which these lanes have come by the first block.
    Join(u64),
    /// The body of a loop, for lanes in which its test holds.
    AfterTest(LoopRun<'m>),
    /// The step of a loop.
    AfterBody(LoopRun<'m>),
    /// The next round of a loop.
    AfterStep(LoopRun<'m>),
    /// The next case of a `switch`.
    AfterCase(SwitchRun<'m>),
    /// The lanes that were on in front.
    Restore(u64),
    /// The next lane.
    AfterLane(EachLaneRun<'m>),
    /// The lanes of the next value.
    AfterValue(EachValueRun<'m>),
    /// The block behind this one, of those with labels.
    AfterLabel(LabelledRun<'m>),
}

impl Then<'_> {
    /// The round of the loop that the block is of, from 0, or the lane.
    pub(super) fn round(&self) -> Option<u64> {
        match self {
            Then::AfterTest(run) => Some(run.n_rounds),
            Then::AfterBody(run) | Then::AfterStep(run) => Some(run.n_rounds - 1),
            Then::AfterLane(run) => Some(u64::from(run.lane)),
            Then::AfterValue(run) => Some(run.n_rounds - 1),
            _ => None,
        }
    }
}

/// A loop that runs.
#[derive(Clone)]
pub(super) struct LoopRun<'m> {
    id: JumpId,
    test: Option<&'m (GangBlock, GangReg)>,
    body: &'m GangBlock,
    step: &'m GangBlock,
    again: Option<GangReg>,
    /// The lanes that had left a run of the same loop around this one.
    outer: LanesLeft,
    /// The lanes in which a test did not hold.
    done: u64,
    /// The rounds that have begun.
    n_rounds: u64,
}

/// A `switch` that runs.
#[derive(Clone)]
pub(super) struct SwitchRun<'m> {
    id: JumpId,
    cases: &'m [SwitchCase],
    /// The lanes that start at each case.
    starts: Vec<u64>,
    /// The number of the case that comes next.
    next: usize,
    /// The lanes whose case is yet to come.
    waiting: u64,
    /// The lanes that have no case.
    others: u64,
    outer: LanesLeft,
}

/// A block that runs for one lane after the other.
#[derive(Clone)]
pub(super) struct EachLaneRun<'m> {
    id: JumpId,
    reg: GangReg,
    body: &'m GangBlock,
    entry: u64,
    lane: u32,
}

/// A block that runs for the lanes of each value.
#[derive(Clone)]
pub(super) struct EachValueRun<'m> {
    id: JumpId,
    reg: GangReg,
    body: &'m GangBlock,
    numbers: Vec<u64>,
    entry: u64,
    waiting: u64,
    n_rounds: u64,
}

/// Blocks with labels that run.
#[derive(Clone)]
pub(super) struct LabelledRun<'m> {
    blocks: &'m [(JumpId, GangBlock)],
    entry: u64,
    next: usize,
}

/// What an op leads to.
pub(super) enum AfterOp<'m> {
    /// The next op of the function.
    Next,
    /// A function that it calls.
    Call(Box<CallFrame<'m>>),
}

impl<'m> GangMachine<'m> {
    /// Runs an op or begins a statement.
    pub(super) fn statement(
        &mut self,
        frame: &mut CallFrame<'m>,
        inst: &'m GangInst,
    ) -> Result<AfterOp<'m>, GangFault> {
        match &inst.op {
            GangOp::If(condition, yes, no) => {
                let taken = frame.lanes_where(*condition);
                let then = Then::Otherwise(no, frame.mask & !taken);
                frame.mask = taken;
                frame.open(inst, yes, then);
            }
            GangOp::Loop { id, test, body, step, again } => {
                let outer = std::mem::take(&mut frame.left[id.0 as usize]);
                let (id, test, again) = (*id, test.as_ref(), *again);
                let run = LoopRun { id, test, body, step, again, outer, done: 0, n_rounds: 0 };
                self.round(frame, inst, run)?;
            }
            GangOp::Switch { id, value, cases } => {
                let run = self.started_switch(frame, *id, *value, cases);
                frame.mask = 0;
                next_case(frame, inst, run);
            }
            GangOp::AllLanes(body) => {
                let before = frame.mask;
                frame.mask = self.all_lanes();
                frame.open(inst, body, Then::Restore(before));
            }
            GangOp::EachLane { id, lane, body } => {
                let run = EachLaneRun { id: *id, reg: *lane, body, entry: frame.mask, lane: 0 };
                self.next_lane(frame, inst, run)?;
            }
            GangOp::EachValue { id, over, value, body } => {
                let (numbers, entry) = (frame.numbers(*over).to_vec(), frame.mask);
                let run = EachValueRun { id: *id, reg: *value, body, numbers, entry, waiting: entry, n_rounds: 0 };
                self.next_value(frame, inst, run)?;
            }
            GangOp::Labelled(blocks) => {
                let run = LabelledRun { blocks, entry: frame.mask, next: 0 };
                self.next_labelled(frame, inst, run)?;
            }
            GangOp::Break(id) => {
                frame.left[id.0 as usize].broken |= frame.mask;
                frame.mask = 0;
            }
            GangOp::Continue(id) => {
                frame.left[id.0 as usize].continued |= frame.mask;
                frame.mask = 0;
            }
            GangOp::Goto(id) => self.jump(frame, *id)?,
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
            GangOp::Call(target, args) => return self.call_op(frame, inst, target, args),
            GangOp::Launch { target, counts, args } => return self.launch(frame, inst, target, counts, args),
            _ => self.plain(frame, inst)?,
        }
        Ok(AfterOp::Next)
    }

    /// Goes on behind blocks that have ended, up to an op that some lane runs, or the end of the function.
    pub(super) fn settle(&mut self, frame: &mut CallFrame<'m>) -> Result<(), GangFault> {
        while let Some(open) = frame.open.last() {
            if frame.mask != 0 && open.next < open.block.len() {
                break;
            }
            let Some(ended) = frame.open.pop() else { break };
            let Some(of) = ended.of else { break };
            self.go_on(frame, of, ended.then).map_err(|fault| fault.or_at(frame, of))?;
        }
        Ok(())
    }

    /// Goes on behind the end of a statement's block.
    fn go_on(&mut self, frame: &mut CallFrame<'m>, of: &'m GangInst, then: Then<'m>) -> Result<(), GangFault> {
        match then {
            Then::Return => {}
            Then::Otherwise(no, other) => {
                let taken = std::mem::replace(&mut frame.mask, other);
                match other {
                    0 => frame.mask = taken,
                    _ => frame.open(of, no, Then::Join(taken)),
                }
            }
            Then::Join(taken) => frame.mask |= taken,
            Then::AfterTest(mut run) => {
                if let Some((_, holds)) = run.test {
                    run.stay(frame, *holds);
                }
                match frame.mask {
                    0 => run.end(frame),
                    _ => self.body(frame, of, run)?,
                }
            }
            Then::AfterBody(run) => {
                frame.mask |= frame.left[run.id.0 as usize].continued;
                let step = run.step;
                frame.open(of, step, Then::AfterStep(run));
            }
            Then::AfterStep(mut run) => {
                if let Some(again) = run.again {
                    run.stay(frame, again);
                }
                self.round(frame, of, run)?;
            }
            Then::AfterCase(run) => next_case(frame, of, run),
            Then::Restore(before) => frame.mask = before,
            Then::AfterLane(mut run) => {
                run.lane += 1;
                self.next_lane(frame, of, run)?;
            }
            Then::AfterValue(run) => self.next_value(frame, of, run)?,
            Then::AfterLabel(run) => self.next_labelled(frame, of, run)?,
        }
        Ok(())
    }

    /// Begins a round of a loop, or ends the loop.
    fn round(&mut self, frame: &mut CallFrame<'m>, of: &'m GangInst, run: LoopRun<'m>) -> Result<(), GangFault> {
        match run.test {
            _ if frame.mask == 0 => run.end(frame),
            Some((block, _)) => frame.open(of, block, Then::AfterTest(run)),
            None => self.body(frame, of, run)?,
        }
        Ok(())
    }

    fn body(&mut self, frame: &mut CallFrame<'m>, of: &'m GangInst, mut run: LoopRun<'m>) -> Result<(), GangFault> {
        self.spend(frame)?;
        frame.left[run.id.0 as usize].continued = 0;
        run.n_rounds += 1;
        let body = run.body;
        frame.open(of, body, Then::AfterBody(run));
        Ok(())
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

    fn started_switch(
        &self,
        frame: &mut CallFrame<'m>,
        id: JumpId,
        value: GangReg,
        cases: &'m [SwitchCase],
    ) -> SwitchRun<'m> {
        let entry = frame.mask;
        let ty = frame.ty(value).number;
        let lanes_of = |wanted: i64| {
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
                        let lanes = lanes_of(*value) & !named;
                        starts[nth] |= lanes;
                        named |= lanes;
                    }
                    None => default = Some(nth),
                }
            }
        }
        let mut others = entry & !named;
        if let Some(nth) = default {
            starts[nth] |= others;
            others = 0;
        }
        let outer = std::mem::take(&mut frame.left[id.0 as usize]);
        SwitchRun { id, cases, starts, next: 0, waiting: entry, others, outer }
    }

    fn next_lane(
        &mut self,
        frame: &mut CallFrame<'m>,
        of: &'m GangInst,
        mut run: EachLaneRun<'m>,
    ) -> Result<(), GangFault> {
        let is_on = |lane: u32| run.entry >> lane & 1 == 1;
        match (run.lane..self.module.lanes).find(|lane| is_on(*lane)) {
            Some(lane) => {
                run.lane = lane;
                frame.mask = 1 << lane;
                frame.set(run.reg, 0, lane.into());
                self.spend(frame)?;
                let body = run.body;
                frame.open(of, body, Then::AfterLane(run));
            }
            None => {
                frame.left[run.id.0 as usize] = LanesLeft::default();
                frame.mask = run.entry;
            }
        }
        Ok(())
    }

    fn next_value(
        &mut self,
        frame: &mut CallFrame<'m>,
        of: &'m GangInst,
        mut run: EachValueRun<'m>,
    ) -> Result<(), GangFault> {
        if run.waiting == 0 {
            frame.left[run.id.0 as usize] = LanesLeft::default();
            frame.mask = run.entry;
            return Ok(());
        }
        let (number, same) = first_alike(&run.numbers, run.waiting);
        run.waiting &= !same;
        run.n_rounds += 1;
        frame.mask = same;
        frame.set(run.reg, 0, number);
        self.spend(frame)?;
        let body = run.body;
        frame.open(of, body, Then::AfterValue(run));
        Ok(())
    }

    fn next_labelled(
        &mut self,
        frame: &mut CallFrame<'m>,
        of: &'m GangInst,
        mut run: LabelledRun<'m>,
    ) -> Result<(), GangFault> {
        if let Some((_, block)) = run.blocks.get(run.next) {
            self.spend(frame)?;
            run.next += 1;
            frame.open(of, block, Then::AfterLabel(run));
        }
        Ok(())
    }

    /// Leaves the blocks around a `goto` up to the one that has its label.
    fn jump(&mut self, frame: &mut CallFrame<'m>, to: JumpId) -> Result<(), GangFault> {
        while let Some(left) = frame.open.pop() {
            let Some(of) = left.of else { break };
            let waiting = match left.then {
                Then::Return => 0,
                Then::Otherwise(_, other) => other,
                Then::Join(taken) => taken,
                // Lanes that wait behind the loop, or for its next round, do not jump with the others.
                Then::AfterBody(run) => {
                    let LanesLeft { broken, continued } = frame.left[run.id.0 as usize];
                    run.done | broken | continued
                }
                Then::AfterCase(run) => run.waiting | frame.left[run.id.0 as usize].broken,
                Then::Restore(before) => {
                    frame.mask = before;
                    0
                }
                Then::AfterLabel(mut run) => match run.blocks.iter().position(|(label, _)| *label == to) {
                    Some(nth) => {
                        // All lanes that were on have jumped together.
                        if frame.mask == 0 {
                            frame.mask = run.entry;
                        }
                        run.next = nth;
                        return self.next_labelled(frame, of, run).map_err(|fault| fault.or_at(frame, of));
                    }
                    None => 0,
                },
                // No jump leads out of these.
                then @ (Then::AfterTest(_) | Then::AfterStep(_) | Then::AfterLane(_) | Then::AfterValue(_)) => {
                    return self.go_on(frame, of, then).map_err(|fault| fault.or_at(frame, of));
                }
            };
            if waiting != 0 {
                let mut fault = GangFault::nowhere("jumps by `goto` with some of its lanes alone".to_owned());
                (fault.function, fault.lanes) = (frame.function.name.clone(), frame.mask);
                return Err(fault.or_at(frame, of));
            }
        }
        Ok(())
    }
}

impl LoopRun<'_> {
    /// Lanes in which a test does not hold are done.
    fn stay(&mut self, frame: &mut CallFrame<'_>, holds: GangReg) {
        let stay = frame.lanes_where(holds);
        self.done |= frame.mask & !stay;
        frame.mask = stay;
    }

    fn end(self, frame: &mut CallFrame<'_>) {
        let id = self.id.0 as usize;
        frame.mask = self.done | frame.left[id].broken;
        frame.left[id] = self.outer;
    }
}

/// Begins the next case of a `switch`, or ends the `switch`.
fn next_case<'m>(frame: &mut CallFrame<'m>, of: &'m GangInst, mut run: SwitchRun<'m>) {
    let id = run.id.0 as usize;
    let Some(case) = run.cases.get(run.next) else {
        frame.mask |= frame.left[id].broken | run.others;
        frame.left[id] = run.outer;
        return;
    };
    let start = run.starts[run.next];
    frame.mask |= start;
    run.waiting &= !start;
    run.next += 1;
    frame.open(of, &case.block, Then::AfterCase(run));
}

/// The number of the first of some lanes, and those of them that have the same. A uniform number has one for all.
pub(super) fn first_alike(numbers: &[u64], lanes: u64) -> (u64, u64) {
    let first = lanes.trailing_zeros() as usize;
    let number = numbers[first.min(numbers.len() - 1)];
    let same = (0..numbers.len()).filter(|lane| numbers[*lane] == number).fold(0u64, |bits, lane| bits | 1 << lane);
    (number, if numbers.len() == 1 { lanes } else { same & lanes })
}
