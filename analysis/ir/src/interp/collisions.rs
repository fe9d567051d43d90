//! Iterations of a `foreach` that are not independent: each cell that one touches is noted, until another minds.

use std::sync::Arc;

use super::data::Cell;
use super::machine::{Machine, Touch, Touched, Touching};
use super::undo::{OldTouch, Undo};
use super::{ErrorKind, Run, RunError};
use crate::entities::{Op, Value};
use crate::ops::Code;

/// The bits that the number of an iteration has for each loop but the first of one `foreach`.
const BITS_OF_LOOP: u32 = 40;

impl Machine {
    /// Notes in every open `foreach` that a cell was touched; an error if another iteration minds.
    pub(super) fn touch(
        &mut self,
        op: Op,
        lane: Option<u16>,
        cell: (usize, usize),
        root: Value,
        how: Touching,
    ) -> Run<()> {
        let Some(Cell::View(array)) = self.reg(root).lane(lane.map_or(0, usize::from)) else {
            panic!("{root} is no view")
        };
        // Lanes have a `foreach` each if it stands inside of the loop whose iterations they are; one around that is the same for all.
        let of_lanes = self.state.frames.iter().position(|frame| frame.op.is_some_and(|op| self.runs_lanes(op)));
        for number in array.depth..self.state.frames.len() {
            let frame = &self.state.frames[number];
            if frame.op.is_none_or(|op| self.kernel.ops[op].code != Code::Foreach) {
                continue;
            }
            // The loops of one `foreach` over several ranges have one number for all of their iterations.
            if self.is_nested_in_its_own(number) {
                continue;
            }
            let own = lane.filter(|_| of_lanes.is_some_and(|of_lanes| of_lanes < number));
            let touched = Touched { lane: own.unwrap_or(0), cell };
            let inner = self.inner_of(number);
            let now = self.iteration_number(frame, lane);
            let now = self.state.frames[number + 1..=number + inner]
                .iter()
                .fold(now, |now, frame| now << BITS_OF_LOOP | self.iteration_number(frame, lane));
            let Some(loop_state) = self.state.frames[number].loop_state.as_mut() else { continue };
            let old = loop_state.touched.get(&touched).copied();
            let touch = old.unwrap_or_default();
            let other = touch.other(now, how);
            let new = touch.with(now, how);
            if old != Some(new) {
                loop_state.touched.insert(touched, new);
                self.log(|| Undo::Touched(Box::new(OldTouch { frame: number, cell: touched, old })));
            }
            if let Some(other) = other {
                return Err(self.collision(op, lane, number, (other, now), cell, (root, how)));
            }
        }
        Ok(())
    }

    /// Says whether lanes are iterations of a loop.
    fn runs_lanes(&self, op: Op) -> bool {
        self.kernel.ops[op].code == Code::VectorFor || self.kernel.lanes_of_foreach(op).is_some()
    }

    /// The number of loops inside of a `foreach` that are of the same statement.
    fn inner_of(&self, number: usize) -> usize {
        let inside = number + 1..self.state.frames.len();
        inside.take_while(|&inner| self.is_nested_in_its_own(inner)).count()
    }

    /// Says whether the region of a loop is open directly inside of another loop of the same `foreach`.
    fn is_nested_in_its_own(&self, number: usize) -> bool {
        let origin = |number: usize| {
            let op = self.state.frames.get(number)?.op?;
            let data = &self.kernel.ops[op];
            let origin = self.kernel.origins[data.origin];
            (data.code == Code::Foreach && origin.place != 0).then_some(origin)
        };
        let of_foreach = |number: usize| {
            let op = self.state.frames.get(number)?.op?;
            self.kernel.control(op).filter(|_| self.kernel.ops[op].code == Code::Foreach)
        };
        if number == 0 {
            return false;
        }
        let is_nested = of_foreach(number).is_some_and(|control| control.marks.nested);
        is_nested && of_foreach(number - 1).is_some()
            || origin(number).is_some() && origin(number) == origin(number - 1)
    }

    fn collision(
        &self,
        op: Op,
        lane: Option<u16>,
        frame: usize,
        (first, second): (u128, u128),
        (_, byte): (usize, usize),
        (root, how): (Value, Touching),
    ) -> Arc<RunError> {
        let inner = self.inner_of(frame);
        let indices = |iteration: u128| {
            let mut indices = Vec::new();
            for (n, frame) in self.state.frames[frame..=frame + inner].iter().enumerate() {
                let own = iteration >> ((inner - n) as u32 * BITS_OF_LOOP);
                let own = if n == 0 { own } else { own & ((1 << BITS_OF_LOOP) - 1) };
                indices.extend(
                    frame.loop_state.as_ref().map_or(Vec::new(), |loop_state| loop_state.of(lane).indices(own)),
                );
            }
            indices
        };
        let Some(Cell::View(view)) = self.reg(root).lane(lane.map_or(0, usize::from)) else {
            panic!("{root} is no view")
        };
        // A row that a loop is at, or an array that it carries, is shown as the array that it is of.
        let whole = match self.reg(view.root).lane(lane.map_or(0, usize::from)) {
            Some(Cell::View(whole)) if whole.memory == view.memory => whole,
            _ => view,
        };
        let mut rest = byte as i64 - whole.start;
        let cell = whole.dims.iter().map(|dim| {
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
        self.error_of_part(op, lane, kind, usize::from(how == Touching::Reads))
    }
}

impl Touch {
    /// An iteration that minds if this one touches the cell.
    fn other(self, now: u128, how: Touching) -> Option<u128> {
        let readers = self.readers.into_iter().flatten().filter(|_| how != Touching::Reads);
        let joiners = self.joiners.into_iter().flatten().filter(|(code, _)| how != Touching::Joins(*code));
        let joiners = joiners.map(|(_, iteration)| iteration);
        self.writer.into_iter().chain(readers).chain(joiners).find(|&iteration| iteration != now)
    }

    /// The record of a cell after this iteration has touched it.
    fn with(mut self, now: u128, how: Touching) -> Touch {
        match how {
            Touching::Writes => self.writer = Some(now),
            Touching::Reads => note(&mut self.readers, now),
            Touching::Joins(code) => note(&mut self.joiners, (code, now)),
        }
        self
    }
}

/// Adds an entry to a list, unless it is there or the list is full.
fn note<T: Copy + PartialEq>(list: &mut [Option<T>; 2], entry: T) {
    if !list.contains(&Some(entry))
        && let Some(free) = list.iter_mut().find(|known| known.is_none())
    {
        *free = Some(entry);
    }
}
