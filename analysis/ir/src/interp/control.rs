//! Control ops: opening regions, going around, and handing out results.

use std::collections::HashMap;
use std::sync::Arc;

use super::data::{Cell, Reg};
use super::machine::{Frame, Machine, Position, Round, Status, Steps, Touch, Undo};
use super::{ErrorKind, Run};
use crate::entities::{Op, Region, Value};
use crate::ops::Code;
use crate::program::Kernel;
use crate::scalar::{self, Fold, Scalar};

impl Steps {
    /// The indices from `lo` while they are before `hi`; behind it, for a negative step. `None` for a step of 0.
    pub(super) fn new(lo: i128, hi: i128, step: i128) -> Option<Steps> {
        let span = if step > 0 { hi - lo } else { lo - hi };
        let count = match step {
            0 => return None,
            _ if span <= 0 => 0,
            _ => (span as u128).div_ceil(step.unsigned_abs()),
        };
        Some(Steps { lo, step, count })
    }

    /// The index with this number.
    fn index(&self, number: u128) -> i128 {
        self.lo + self.step * number as i128
    }
}

impl Round {
    /// The number that each range has reached in an iteration; the last range is the fastest.
    fn numbers(&self, iteration: u128) -> Vec<u128> {
        let mut rest = iteration;
        let mut numbers: Vec<u128> = Vec::with_capacity(self.ranges.len());
        for range in self.ranges.iter().rev() {
            numbers.push(rest % range.count.max(1));
            rest /= range.count.max(1);
        }
        numbers.reverse();
        numbers
    }

    /// The indices of an iteration.
    pub(super) fn indices(&self, iteration: u128) -> Vec<i128> {
        let numbers = self.numbers(iteration);
        self.ranges.iter().zip(numbers).map(|(range, number)| range.index(number)).collect()
    }
}

/// The lanes that an iteration of a loop is for: 1, unless it is a `vector_for`.
fn width(kernel: &Kernel, op: Op) -> u128 {
    kernel.control(op).and_then(|control| control.width).map_or(1, u128::from)
}

impl Machine {
    /// Starts the control op at the innermost frame.
    pub(super) fn start_control(&mut self, op: Op) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        match data.code {
            Code::If => {
                let taken = if self.scalar(data.operands[0]).is_true() { 0 } else { 1 };
                self.open(op, data.regions[taken], None);
            }
            Code::While => {
                self.carry(&data.operands, &kernel.regions[data.regions[0]].args);
                self.open(op, data.regions[0], None);
            }
            _ => self.start_loop(op)?,
        }
        Ok(())
    }

    fn open(&mut self, op: Op, region: Region, round: Option<Box<Round>>) {
        self.push_frame(Frame { op: Some(op), at: Position { region, next: 0, iteration: 0 }, round });
    }

    /// Gives values those of others, all at once.
    fn carry(&mut self, from: &[Value], to: &[Value]) {
        let regs: Vec<Reg> = from.iter().map(|&value| self.reg(value).clone()).collect();
        for (&value, reg) in to.iter().zip(regs) {
            self.set(value, reg);
        }
    }

    fn start_loop(&mut self, op: Op) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let n_ranges = kernel.n_ranges(op);
        let (ranges, inits) = data.operands.split_at(3 * n_ranges);
        let mut steps = Vec::with_capacity(n_ranges);
        for range in ranges.chunks(3) {
            let range = Steps::new(self.wide(range[0]), self.wide(range[1]), self.wide(range[2]));
            steps.push(range.ok_or_else(|| self.error(op, None, ErrorKind::ZeroStep))?);
        }
        let mut count: u128 = steps.iter().map(|range| range.count).fold(1, u128::saturating_mul);
        count = count.div_ceil(width(&kernel, op));
        if count == 0 {
            self.carry(inits, &data.results);
            self.advance();
            return Ok(());
        }
        let reductions = kernel.control(op).map_or(&[][..], |control| &control.reductions[..]);
        let carried = inits.len() - reductions.len();
        let starts = inits[carried..].iter().map(|&init| self.scalar(init));
        let partials = reductions.iter().zip(starts).map(|(fold, start)| start_partials(*fold, start)).collect();
        let round = Round { ranges: steps, count, partials, touched: HashMap::new() };
        let region = data.regions[0];
        self.open(op, region, Some(Box::new(round)));
        self.carry(&inits[..carried], &kernel.regions[region].args[n_ranges..]);
        self.set_indices(&kernel, op);
        Ok(())
    }

    /// Gives the arguments of the innermost loop the indices of its iteration.
    fn set_indices(&mut self, kernel: &Kernel, op: Op) {
        let Some(frame) = self.state.frames.last() else { return };
        let Some(round) = &frame.round else { return };
        let indices = round.indices(frame.at.iteration * width(kernel, op));
        let args = &kernel.regions[frame.at.region].args;
        for (&arg, index) in args.iter().zip(indices) {
            if let Some(elem) = kernel.ty(arg).data_elem() {
                self.set(arg, Scalar::wrap(elem, index).into());
            }
        }
    }

    /// Ends the region of the innermost frame.
    pub(super) fn end_region(&mut self, region: Region) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let yields = &kernel.regions[region].yields;
        let Some(op) = self.state.frames.last().and_then(|frame| frame.op) else {
            let result = yields.first().map(|&value| self.scalar(value));
            self.state.status = Status::Done(result);
            return Ok(());
        };
        match kernel.ops[op].code {
            Code::If => {
                self.carry(yields, &kernel.ops[op].results);
                self.close();
            }
            Code::While => self.end_while(op, region, yields),
            _ => self.end_iteration(op, region, yields)?,
        }
        Ok(())
    }

    /// Leaves the innermost frame; the one around it goes on behind the control op.
    fn close(&mut self) {
        self.pop_frame();
        self.advance();
    }

    fn end_while(&mut self, op: Op, region: Region, yields: &[Value]) {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let args = &kernel.regions[data.regions[0]].args;
        let iteration = self.state.frames.last().map_or(0, |frame| frame.at.iteration);
        if region == data.regions[1] {
            self.carry(yields, args);
            self.move_to(Position { region: data.regions[0], next: 0, iteration: iteration + 1 });
        } else if self.scalar(yields[0]).is_true() {
            self.move_to(Position { region: data.regions[1], next: 0, iteration });
        } else {
            self.carry(args, &data.results);
            self.close();
        }
    }

    fn end_iteration(&mut self, op: Op, region: Region, yields: &[Value]) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let reductions = kernel.control(op).map_or(&[][..], |control| &control.reductions[..]);
        let n_carried = yields.len() - reductions.len();
        let (carried, contributed) = yields.split_at(n_carried);
        for (number, (fold, &value)) in reductions.iter().zip(contributed).enumerate() {
            self.contribute(op, number, *fold, value)?;
        }
        let Some(frame) = self.state.frames.last() else { return Ok(()) };
        let (iteration, count) = (frame.at.iteration, frame.round.as_ref().map_or(0, |round| round.count));
        if iteration + 1 < count {
            self.carry(carried, &kernel.regions[region].args[kernel.n_ranges(op)..]);
            self.move_to(Position { region, next: 0, iteration: iteration + 1 });
            self.set_indices(&kernel, op);
            return Ok(());
        }
        let data = &kernel.ops[op];
        self.carry(carried, &data.results[..n_carried]);
        for (number, fold) in reductions.iter().enumerate() {
            let init = self.scalar(data.operands[data.operands.len() - reductions.len() + number]);
            let joined = self.join_partials(op, number, *fold, init)?;
            self.set(data.results[n_carried + number], joined.into());
        }
        self.close();
        Ok(())
    }

    /// Joins what an iteration yields to a reduction's partial results.
    fn contribute(&mut self, op: Op, reduction: usize, fold: Fold, value: Value) -> Run<()> {
        let width = width(self.kernel(), op);
        let lanes = if self.kernel().ty(value).lanes().is_some() { width } else { 1 };
        for lane in 0..lanes {
            let element = self.in_lane(value, lane as usize)?;
            let Some(frame) = self.state.frames.last_mut() else { break };
            let number = frame.at.iteration * width + lane;
            let Some(round) = frame.round.as_mut() else { break };
            let partials = &mut round.partials[reduction];
            let partial = (number % partials.len() as u128) as usize;
            let old = partials[partial];
            match fold.join(old, element) {
                Ok(joined) => partials[partial] = joined,
                Err(fault) => return Err(self.error(op, None, ErrorKind::Arithmetic(fault))),
            }
            self.log(|| Undo::Partial { reduction, partial, old });
        }
        Ok(())
    }

    fn join_partials(&self, op: Op, reduction: usize, fold: Fold, init: Scalar) -> Run<Scalar> {
        let round = self.state.frames.last().and_then(|frame| frame.round.as_ref());
        let partials = round.map_or(Vec::new(), |round| round.partials[reduction].clone());
        let joined = match fold.partials(init.elem()) {
            Some(_) => scalar::join_halving(fold, partials).and_then(|total| fold.join(init, total)),
            None => Ok(partials[0]),
        };
        joined.map_err(|fault| self.error(op, None, ErrorKind::Arithmetic(fault)))
    }

    /// The index of each open loop, outermost first; that of the lane in the innermost `vector_for`.
    pub(super) fn iteration_of_lane(&self, lane: Option<u16>) -> Vec<i128> {
        let kernel = self.kernel();
        let loops = self.state.frames.iter().filter_map(|frame| Some((frame, frame.round.as_ref()?, frame.op?)));
        let innermost = self
            .state
            .frames
            .iter()
            .rposition(|frame| frame.op.is_some_and(|op| kernel.ops[op].code == Code::VectorFor));
        let innermost = innermost.map(|number| &self.state.frames[number]);
        loops
            .flat_map(|(frame, round, op)| {
                let own_lane = lane.filter(|_| innermost.is_some_and(|inner| std::ptr::eq(inner, frame)));
                round.indices_from(frame.at.iteration * width(kernel, op), own_lane.map_or(0, u128::from))
            })
            .collect()
    }

    /// Notes in every open `foreach` that a cell was touched; an error if another iteration minds.
    pub(super) fn touch(
        &mut self,
        op: Op,
        lane: Option<u16>,
        cell: (usize, usize),
        root: Value,
        write: bool,
    ) -> Run<()> {
        for number in 0..self.state.frames.len() {
            let frame = &mut self.state.frames[number];
            let is_foreach = frame.op.is_some_and(|op| self.kernel.ops[op].code == Code::Foreach);
            let Some(round) = frame.round.as_mut().filter(|_| is_foreach) else { continue };
            let now = frame.at.iteration;
            let old = round.touched.get(&cell).copied();
            let touch = old.unwrap_or_default();
            let other = touch.other(now, write);
            let new = touch.with(now, write);
            if old != Some(new) {
                round.touched.insert(cell, new);
                self.log(|| Undo::Touched { frame: number, cell, old });
            }
            if let Some(other) = other {
                return Err(self.collision(op, lane, number, (other, now), cell, root));
            }
        }
        Ok(())
    }

    fn collision(
        &self,
        op: Op,
        lane: Option<u16>,
        frame: usize,
        (first, second): (u128, u128),
        (_, byte): (usize, usize),
        root: Value,
    ) -> Arc<super::RunError> {
        let indices = |iteration| self.state.frames[frame].round.as_ref().map_or(Vec::new(), |r| r.indices(iteration));
        let Reg::One(Cell::View(view)) = self.reg(root) else { panic!("{root} is no view") };
        let mut rest = byte as i64 - view.start;
        let cell = view.dims.iter().map(|dim| {
            let index = rest / dim.stride.max(1);
            rest -= index * dim.stride;
            index
        });
        let kind = ErrorKind::Collision {
            array: self.array_name(view),
            cell: cell.collect(),
            first: indices(first),
            second: indices(second),
        };
        self.error(op, lane, kind)
    }
}

impl Round {
    /// The indices of an iteration, the last one of them `more` steps further.
    fn indices_from(&self, iteration: u128, more: u128) -> Vec<i128> {
        let mut indices = self.indices(iteration);
        if let (Some(last), Some(range)) = (indices.last_mut(), self.ranges.last()) {
            *last += range.step * more as i128;
        }
        indices
    }
}

impl Touch {
    /// An iteration that minds if this one touches the cell.
    fn other(self, now: u128, write: bool) -> Option<u128> {
        let readers = self.readers.into_iter().flatten().filter(|_| write);
        self.writer.into_iter().chain(readers).find(|&iteration| iteration != now)
    }

    /// What is known after this iteration has touched it.
    fn with(mut self, now: u128, write: bool) -> Touch {
        if write {
            self.writer = Some(now);
        } else if !self.readers.contains(&Some(now)) {
            let free = if self.readers[0].is_none() { 0 } else { 1 };
            self.readers[free] = Some(now);
        }
        self
    }
}

/// What a reduction starts from: the identity in each partial result where its order is fixed, and the initial
/// value, which then joins last; else the initial value itself.
fn start_partials(fold: Fold, start: Scalar) -> Vec<Scalar> {
    match fold.partials(start.elem()) {
        Some(partials) => vec![fold.identity(start.elem()); partials],
        None => vec![start],
    }
}
