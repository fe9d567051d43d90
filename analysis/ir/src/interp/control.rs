//! Control ops: opening regions, going around, and handing out results.

use std::collections::HashMap;
use std::sync::Arc;

use super::data::{Active, Cell, Reg, on};
use super::machine::{Frame, LaneState, LoopState, Machine, MachineStatus, Position, Steps};
use super::undo::Undo;
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

impl LaneState {
    /// The indices of an iteration; the last range is the fastest.
    pub(super) fn indices(&self, iteration: u128) -> Vec<i128> {
        let mut rest = iteration;
        let mut indices = Vec::with_capacity(self.ranges.len());
        for range in self.ranges.iter().rev() {
            let count = range.count.max(1);
            indices.push(range.index(rest % count));
            rest /= count;
        }
        indices.reverse();
        indices
    }

    /// The first iteration of a group of lanes along the last range, and how many of its lanes have one.
    fn group(&self, number: u128, lanes: u16) -> (u128, u128) {
        let row = self.ranges.last().map_or(1, |range| range.count).max(1);
        let of_row = row.div_ceil(lanes.into());
        let ahead = number % of_row * u128::from(lanes);
        (number / of_row * row + ahead, (row - ahead).min(lanes.into()))
    }
}

impl LoopState {
    /// Returns the state of a lane in the loop; where no lanes run together, there is one for all.
    pub(super) fn of(&self, lane: Option<u16>) -> &LaneState {
        lane.and_then(|lane| self.lanes.get(usize::from(lane))).unwrap_or(&self.lanes[0])
    }
}

/// The lanes that an iteration of a loop is for: 1, unless it is a `vector_for`.
fn width(kernel: &Kernel, op: Op) -> u128 {
    let is_vector = kernel.ops[op].code == Code::VectorFor;
    kernel.control(op).and_then(|control| control.width).filter(|_| is_vector).map_or(1, u128::from)
}

impl Machine {
    /// Starts the control op at the innermost frame.
    pub(super) fn start_control(&mut self, op: Op) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let active = self.active();
        match data.code {
            Code::If => {
                let (holds, on) = self.holding(data.operands[0]);
                let (taken, active) = if holds { (0, on) } else { (1, active) };
                self.open(op, data.regions[taken], None, active);
            }
            Code::While => {
                self.carry(&data.operands, &kernel.regions[data.regions[0]].args, &active);
                self.open(op, data.regions[0], None, active);
            }
            _ => self.start_loop(op)?,
        }
        Ok(())
    }

    /// Says whether a condition holds in some active lane, and in which of them.
    fn holding(&self, condition: Value) -> (bool, Active) {
        let Some(active) = self.active() else { return (self.scalar(condition, None).is_true(), None) };
        let holds = |(lane, on): (usize, &bool)| *on && self.scalar(condition, Some(lane as u16)).is_true();
        let on: Arc<[bool]> = active.iter().enumerate().map(holds).collect();
        (on.contains(&true), Some(on))
    }

    /// The lanes that came to the control op whose region is open.
    fn entered(&self) -> Active {
        self.state.frames.iter().rev().nth(1).and_then(|frame| frame.at.active.clone())
    }

    fn open(&mut self, op: Op, region: Region, loop_state: Option<Box<LoopState>>, active: Active) {
        self.push_frame(Frame { op: Some(op), at: Position { region, next: 0, iteration: 0, active }, loop_state });
    }

    /// Gives values those of others, all at once, in the lanes that are active.
    fn carry(&mut self, from: &[Value], to: &[Value], active: &Active) {
        self.carry_to(from, to, active, self.state.frames.len());
    }

    /// Gives what a group of lanes carries to the next one the values of its first lane, which every group has.
    fn carry_group(&mut self, from: &[Value], to: &[Value]) {
        let regs: Vec<Reg> = from.iter().map(|&value| Reg::One(Cell::Data(self.scalar(value, Some(0))))).collect();
        to.iter().zip(regs).for_each(|(&value, reg)| self.set(value, reg));
    }

    /// Gives the results of the control op whose region is open what is carried or yielded there.
    fn carry_out(&mut self, from: &[Value], to: &[Value], active: &Active) {
        self.carry_to(from, to, active, self.state.frames.len() - 1);
    }

    /// Gives values those of others, to be used where `depth` regions are open.
    fn carry_to(&mut self, from: &[Value], to: &[Value], active: &Active, depth: usize) {
        let regs: Vec<Reg> = from.iter().map(|&value| self.reg(value).clone()).collect();
        for (&value, reg) in to.iter().zip(regs) {
            let reg = if self.kernel.ty(value).is_view() { reg.outside(depth) } else { reg };
            let reg = match active {
                Some(active) => self.reg(value).updated(reg, active),
                None => reg,
            };
            self.set(value, reg);
        }
    }

    fn start_loop(&mut self, op: Op) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let entered = self.active();
        let mut lanes = vec![LaneState::default(); entered.as_ref().map_or(1, |active| active.len())];
        for lane in self.each_lane() {
            lanes[lane.map_or(0, usize::from)] = self.lane_state(op, lane)?;
        }
        let loop_state = LoopState { lanes, touched: HashMap::new() };
        let inits = &data.operands[kernel.n_head_operands(op)..];
        let (runs, active) = active_in(&kernel, op, &loop_state, &entered, 0);
        if !runs {
            match gathers(data.code) {
                true => self.finish_arrays(op, &entered, self.state.frames.len())?,
                false => self.carry(inits, &data.results, &entered),
            }
            self.advance();
            return Ok(());
        }
        let n_carried = inits.len() - reductions(&kernel, op).len();
        let region = data.regions[0];
        self.carry(&inits[..n_carried], &kernel.regions[region].args[kernel.n_head_args(op)..], &entered);
        self.open(op, region, Some(Box::new(loop_state)), active);
        self.start_iteration(op)
    }

    /// Computes the state in which a lane enters a loop.
    fn lane_state(&self, op: Op, lane: Option<u16>) -> Run<LaneState> {
        let kernel = self.kernel();
        let data = &kernel.ops[op];
        let (head, inits) = data.operands.split_at(kernel.n_head_operands(op));
        let mut steps = Vec::with_capacity(head.len().div_ceil(3));
        if data.code.is_over_elements() {
            let count = self.count_elements(op, lane, head)?;
            steps.extend(Steps::new(0, count.into(), 1));
        }
        for range in head.chunks(3).take(kernel.n_ranges(op)) {
            let [lo, hi, step] = [0, 1, 2].map(|part| self.wide(range[part], lane));
            steps.push(Steps::new(lo, hi, step).ok_or_else(|| self.error(op, lane, ErrorKind::ZeroStep))?);
        }
        let folds = reductions(kernel, op);
        let starts = &inits[inits.len() - folds.len()..];
        let partials = folds.iter().zip(starts).map(|(fold, &start)| self.start_partials(*fold, start, lane));
        let partials = partials.collect::<Run<_>>()?;
        let last = steps.last().map_or(1, |range| range.count);
        let rows = steps.iter().rev().skip(1).fold(1, |count: u128, range| count.saturating_mul(range.count));
        let together = kernel.lanes_of_foreach(op).map_or(1, u128::from);
        let count = rows.saturating_mul(last.div_ceil(together)).div_ceil(width(kernel, op));
        let made = if gathers(data.code) { vec![None; data.results.len()] } else { Vec::new() };
        Ok(LaneState { ranges: steps, count, partials, made })
    }

    /// The value or values that a reduction starts from: where its order is fixed, the identity in each partial result, with
    /// the initial value joined last; else the initial value itself. Partial results that are given are used as they are.
    fn start_partials(&self, fold: Fold, start: Value, lane: Option<u16>) -> Run<Vec<Scalar>> {
        if let Some(lanes) = self.kernel().ty(start).lanes() {
            return (0..usize::from(lanes)).map(|lane| self.in_lane(start, lane)).collect();
        }
        let start = self.scalar(start, lane);
        Ok(match fold.partials(start.elem()) {
            Some(partials) => vec![fold.identity(start.elem()); partials],
            None => vec![start],
        })
    }

    /// Gives the arguments of the innermost loop the indices or elements of its iteration.
    fn start_iteration(&mut self, op: Op) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        if !data.code.is_over_elements() {
            self.set_indices(op);
            return Ok(());
        }
        let args = &kernel.regions[data.regions[0]].args;
        for (&array, &arg) in data.operands[..kernel.n_arrays(op)].iter().zip(args) {
            self.make_each(arg, |machine, lane| machine.element(op, lane, array))?;
        }
        Ok(())
    }

    /// Gives the arguments of the innermost loop the indices of its iteration.
    fn set_indices(&mut self, op: Op) {
        let kernel = Arc::clone(&self.kernel);
        let Some(frame) = self.state.frames.last() else { return };
        let args = &kernel.regions[frame.at.region].args[..kernel.n_ranges(op)];
        let index = |arg: Value, index: i128| {
            let elem = kernel.ty(arg).data_elem().expect("an index is data");
            Cell::Data(Scalar::wrap(elem, index))
        };
        let Some(active) = &frame.at.active else {
            let indices = self.indices(frame, None);
            for (&arg, at) in args.iter().zip(indices) {
                self.set(arg, Reg::One(index(arg, at)));
            }
            return;
        };
        let mut cells = vec![vec![Cell::Off; active.len()]; args.len()];
        for lane in on(active) {
            for (number, at) in self.indices(frame, Some(lane as u16)).into_iter().enumerate() {
                cells[number][lane] = index(args[number], at);
            }
        }
        for (&arg, cells) in args.iter().zip(cells) {
            self.set(arg, Reg::Lanes(cells.into()));
        }
    }

    /// Ends the region of the innermost frame.
    pub(super) fn end_region(&mut self, region: Region) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let yields = &kernel.regions[region].yields;
        let Some(op) = self.state.frames.last().and_then(|frame| frame.op) else {
            let result = yields.first().map(|&value| self.scalar(value, None));
            self.state.status = MachineStatus::Done(result);
            return Ok(());
        };
        match kernel.ops[op].code {
            Code::If => self.end_branch(op, region, yields),
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

    fn end_branch(&mut self, op: Op, region: Region, yields: &[Value]) {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let active = self.active();
        self.carry_out(yields, &data.results, &active);
        let others = self.entered().zip(active).filter(|_| region == data.regions[0]);
        let others = others.map(|(entered, active)| -> Arc<[bool]> {
            entered.iter().zip(&*active).map(|(came, on)| *came && !on).collect()
        });
        match others.filter(|others| others.contains(&true)) {
            Some(others) => {
                self.move_to(Position { region: data.regions[1], next: 0, iteration: 0, active: Some(others) });
            }
            None => self.close(),
        }
    }

    fn end_while(&mut self, op: Op, region: Region, yields: &[Value]) {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let args = &kernel.regions[data.regions[0]].args;
        let iteration = self.state.frames.last().map_or(0, |frame| frame.at.iteration);
        if region == data.regions[1] {
            let active = self.active();
            self.carry(yields, args, &active);
            self.move_to(Position { region: data.regions[0], next: 0, iteration: iteration + 1, active });
            return;
        }
        let (holds, active) = self.holding(yields[0]);
        if holds {
            self.move_to(Position { region: data.regions[1], next: 0, iteration, active });
        } else {
            self.carry_out(args, &data.results, &self.entered());
            self.close();
        }
    }

    fn end_iteration(&mut self, op: Op, region: Region, yields: &[Value]) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let folds = reductions(&kernel, op);
        let (carried, contributed) = yields.split_at(yields.len() - folds.len());
        for (number, (fold, &value)) in folds.iter().zip(contributed).enumerate() {
            self.contribute(op, number, *fold, value)?;
        }
        if gathers(data.code) {
            for (number, &value) in carried.iter().enumerate() {
                self.each_lane().into_iter().try_for_each(|lane| self.keep(op, lane, number, value))?;
            }
        }
        let active = self.active();
        let args = &kernel.regions[region].args[kernel.n_head_args(op)..];
        match kernel.lanes_of_foreach(op) {
            Some(_) => self.carry_group(carried, args),
            None => self.carry(carried, args, &active),
        }
        let Some(frame) = self.state.frames.last() else { return Ok(()) };
        let Some(loop_state) = &frame.loop_state else { return Ok(()) };
        let iteration = frame.at.iteration + 1;
        let (goes_on, active) = active_in(&kernel, op, loop_state, &active, iteration);
        if goes_on {
            self.move_to(Position { region, next: 0, iteration, active });
            return self.start_iteration(op);
        }
        let entered = self.entered();
        match gathers(data.code) {
            true => self.finish_arrays(op, &entered, self.state.frames.len() - 1)?,
            false => self.carry_out(args, &data.results[..carried.len()], &entered),
        }
        self.finish_reductions(op, folds)?;
        self.close();
        Ok(())
    }

    /// Gives the results of reductions, which are a loop's last results.
    fn finish_reductions(&mut self, op: Op, folds: &[Fold]) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let entered = self.entered();
        for (number, fold) in folds.iter().enumerate() {
            let init = data.operands[data.operands.len() - folds.len() + number];
            let result = data.results[data.results.len() - folds.len() + number];
            let joined = match &entered {
                _ if kernel.ty(result).lanes().is_some() => self.given_partials(number),
                None => self.join_partials(op, None, number, *fold, init)?.into(),
                Some(active) => {
                    let mut cells = vec![Cell::Off; active.len()];
                    for lane in on(active) {
                        cells[lane] = Cell::Data(self.join_partials(op, Some(lane as u16), number, *fold, init)?);
                    }
                    Reg::Lanes(cells.into())
                }
            };
            self.set(result, joined);
        }
        Ok(())
    }

    /// A reduction's partial results, as they are.
    fn given_partials(&self, reduction: usize) -> Reg {
        let loop_state = self.state.frames.last().and_then(|frame| frame.loop_state.as_ref());
        let partials = loop_state.map_or(&[][..], |loop_state| &loop_state.lanes[0].partials[reduction]);
        Reg::Lanes(partials.iter().map(|&partial| Cell::Data(partial)).collect())
    }

    /// Joins what an iteration yields to a reduction's partial results.
    fn contribute(&mut self, op: Op, reduction: usize, fold: Fold, value: Value) -> Run<()> {
        let width = width(self.kernel(), op);
        let lanes = if self.kernel().ty(value).lanes().is_some() { width } else { 1 };
        for (own, lane) in self.each_lane().into_iter().flat_map(|own| (0..lanes).map(move |lane| (own, lane))) {
            let element = self.in_lane(value, own.map_or(lane as usize, usize::from))?;
            let Some(frame) = self.state.frames.last_mut() else { break };
            let number = frame.at.iteration * width + lane;
            let Some(loop_state) = frame.loop_state.as_mut() else { break };
            let position = own.map_or(0, usize::from);
            let partials = &mut loop_state.lanes[position].partials[reduction];
            let partial = (number % partials.len() as u128) as usize;
            let old = partials[partial];
            match fold.join(old, element) {
                Ok(joined) => partials[partial] = joined,
                Err(fault) => return Err(self.error(op, own, ErrorKind::Arithmetic(fault))),
            }
            self.log(|| Undo::Partial { lane: position, reduction, partial, old });
        }
        Ok(())
    }

    fn join_partials(&self, op: Op, lane: Option<u16>, reduction: usize, fold: Fold, init: Value) -> Run<Scalar> {
        let init = self.scalar(init, lane);
        let loop_state = self.state.frames.last().and_then(|frame| frame.loop_state.as_ref());
        let partials = loop_state.map_or(Vec::new(), |loop_state| loop_state.of(lane).partials[reduction].clone());
        let joined = match fold.partials(init.elem()) {
            Some(_) => scalar::join_halving(fold, partials).and_then(|total| fold.join(init, total)),
            None => Ok(partials[0]),
        };
        joined.map_err(|fault| self.error(op, lane, ErrorKind::Arithmetic(fault)))
    }

    /// The number of the iteration that a loop is at, in a lane.
    pub(super) fn iteration_number(&self, frame: &Frame, lane: Option<u16>) -> u128 {
        let (Some(op), Some(loop_state)) = (frame.op, &frame.loop_state) else { return 0 };
        match self.kernel().lanes_of_foreach(op) {
            Some(lanes) => loop_state.lanes[0].group(frame.at.iteration, lanes).0 + lane.map_or(0, u128::from),
            None => frame.at.iteration * width(self.kernel(), op),
        }
    }

    /// The indices that a loop is at, in a lane.
    fn indices(&self, frame: &Frame, lane: Option<u16>) -> Vec<i128> {
        let number = self.iteration_number(frame, lane);
        frame.loop_state.as_ref().map_or(Vec::new(), |loop_state| loop_state.of(lane).indices(number))
    }

    /// The index of each open loop, outermost first, in a lane: one of those that run together, or of the innermost
    /// `vector_for`.
    pub(super) fn iteration_of_lane(&self, lane: Option<u16>) -> Vec<i128> {
        let kernel = self.kernel();
        let frames = &self.state.frames;
        let lane = lane.or(self.each_lane()[0]);
        let code = |frame: &Frame| frame.op.map(|op| kernel.ops[op].code);
        let innermost = frames.iter().rposition(|frame| code(frame) == Some(Code::VectorFor));
        let mut iteration = Vec::new();
        for (number, frame) in frames.iter().enumerate() {
            // The elements that an op on whole arrays goes over are no iterations of the program.
            if code(frame).is_some_and(Code::is_over_elements) {
                continue;
            }
            iteration.extend(self.indices(frame, lane));
            if Some(number) == innermost
                && let (Some(base), Some(lane), Some(loop_state)) = (iteration.last_mut(), lane, &frame.loop_state)
            {
                *base += loop_state.lanes[0].ranges[0].step * i128::from(lane);
            }
            iteration.extend(self.counted(frame, lane));
        }
        iteration
    }

    /// The index of a `while` that counts.
    fn counted(&self, frame: &Frame, lane: Option<u16>) -> Option<i128> {
        let op = frame.op?;
        let index = self.kernel().control(op).filter(|control| control.marks.counts).map(|_| {
            let test = self.kernel().ops[op].regions[0];
            self.kernel().regions[test].args[0]
        });
        match self.reg(index?).lane(lane.map_or(0, usize::from)) {
            Some(Cell::Data(scalar)) => scalar.wide(),
            _ => None,
        }
    }
}

/// Says whether the results of a loop are arrays of all that its block yields.
fn gathers(code: Code) -> bool {
    matches!(code, Code::Map | Code::Scan)
}

/// Returns the operators that join a loop's last results.
fn reductions(kernel: &Kernel, op: Op) -> &[Fold] {
    kernel.control(op).map_or(&[], |control| &control.reductions)
}

/// Says whether some lane has a loop's iteration with this number, and which of `lanes` have.
fn active_in(kernel: &Kernel, op: Op, loop_state: &LoopState, lanes: &Active, iteration: u128) -> (bool, Active) {
    if let Some(width) = kernel.lanes_of_foreach(op) {
        let goes_on = iteration < loop_state.lanes[0].count;
        let (_, n_active) = loop_state.lanes[0].group(iteration, width);
        return (goes_on, Some((0..u128::from(width)).map(|lane| lane < n_active).collect()));
    }
    let Some(lanes) = lanes else { return (iteration < loop_state.lanes[0].count, None) };
    let has = |(lane, on): (usize, &bool)| *on && iteration < loop_state.lanes[lane].count;
    let active: Arc<[bool]> = lanes.iter().enumerate().map(has).collect();
    (active.contains(&true), Some(active))
}
