//! Lane operations: what lanes of one group learn of each other.

use ir::{Fold, RunCode, Scalar, scalar};

use super::exprs::lane_number;
use super::machine::{Machine, Run, Value};
use super::places::Cell;
use crate::ExprId;
use crate::builtins::{Builtin, BuiltinId, LaneSource, Means, Vote};

impl Machine<'_> {
    /// Evaluates `lane_id` and `LANES`.
    pub(super) fn lane_value(&mut self, id: ExprId, builtin: BuiltinId, active: &[usize]) -> Run<Vec<Value>> {
        let Some(width) = self.width else { return Err(self.not_yet(id, active[0])) };
        match builtin.get().means {
            Means::LaneNumber => Ok(active.iter().map(|&lane| lane_number(lane as u32)).collect()),
            Means::LaneCount => Ok(vec![lane_number(width); active.len()]),
            _ => Err(self.not_yet(id, active[0])),
        }
    }

    pub(super) fn lane_operation(
        &mut self,
        id: ExprId,
        row: &Builtin,
        args: &[ExprId],
        active: &[usize],
    ) -> Run<Vec<Value>> {
        let Some(width) = self.width else { return Err(self.not_yet(id, active[0])) };
        match (row.means, args) {
            (Means::Vote(vote, _), &[condition]) => {
                let (on, off) = self.split(condition, active)?;
                let answer = match vote {
                    Vote::Any => !on.is_empty(),
                    Vote::All => off.is_empty(),
                    Vote::None => on.is_empty(),
                };
                Ok(vec![Value::Scalar(answer.into()); active.len()])
            }
            (Means::PrefixSum(_), &[x]) => self.prefix_sums(id, x, active),
            (Means::Joined(fold, _), &[x]) => self.reduce_lanes(id, fold, x, active, width),
            (Means::Moved(from, _), &[x, which]) => self.move_lanes(id, from, x, which, active, width),
            (Means::CompressStore, &[array, at, x]) => self.compress_store(id, array, at, x, active),
            (Means::ExpandLoad, &[array, at]) => self.expand_load(id, array, at, active),
            _ => Err(self.not_yet(id, active[0])),
        }
    }

    fn scalars(&mut self, expr: ExprId, active: &[usize]) -> Run<Vec<Scalar>> {
        let values = self.expr(expr, active)?;
        values.iter().map(|value| self.scalar(value, expr)).collect()
    }

    fn prefix_sums(&mut self, id: ExprId, x: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        let values = self.scalars(x, active)?;
        let mut sum = Scalar::zero(values[0].elem());
        let mut sums = Vec::new();
        for (n, (&lane, &value)) in active.iter().zip(&values).enumerate() {
            sums.push(Value::Scalar(sum));
            // No lane sees the sum behind the last one, so it may not fail.
            if n + 1 < active.len() {
                sum = self.checked(scalar::add(sum, value), id, lane)?;
            }
        }
        Ok(sums)
    }

    fn reduce_lanes(&mut self, id: ExprId, fold: Fold, x: ExprId, active: &[usize], width: u32) -> Run<Vec<Value>> {
        let values = self.scalars(x, active)?;
        let mut lanes = vec![None; width as usize];
        for (&lane, &value) in active.iter().zip(&values) {
            lanes[lane] = Some(value);
        }
        let joined = scalar::join_lanes(fold, lanes).map(|total| total.unwrap_or(values[0]));
        let joined = self.checked(joined, id, active[0])?;
        Ok(vec![Value::Scalar(joined); active.len()])
    }

    /// Each lane's value is that of the lane it names.
    fn move_lanes(
        &mut self,
        id: ExprId,
        from: LaneSource,
        x: ExprId,
        which: ExprId,
        active: &[usize],
        width: u32,
    ) -> Run<Vec<Value>> {
        let values = self.expr(x, active)?;
        let named = self.integers(which, active)?;
        self.each(active, |machine, n, lane| {
            let from = match from {
                LaneSource::FurtherOn => (lane as i128 + named[n]).rem_euclid(width.into()),
                LaneSource::Named => named[n],
            };
            let (code, message) = match active.iter().position(|&other| other as i128 == from) {
                Some(position) => return Ok(values[position].clone()),
                None if (0..i128::from(width)).contains(&from) => {
                    (RunCode::LaneNotActive, format!("lane {from} is not active here"))
                }
                None => (RunCode::NoSuchLane, format!("there is no lane {from}: they are {width}, and the first is 0")),
            };
            Err(machine.error(code, machine.at(id), lane, message))
        })
    }

    fn compress_store(
        &mut self,
        id: ExprId,
        array: ExprId,
        at: ExprId,
        x: ExprId,
        active: &[usize],
    ) -> Run<Vec<Value>> {
        let (arrays, places) = (self.expr(array, active)?, self.integers(at, active)?);
        let values = self.expr(x, active)?;
        let cells = self.cells(id, &arrays, &places, active)?;
        self.store(&cells, &values, id, active)?;
        Ok(vec![lane_number(active.len() as u32); active.len()])
    }

    fn expand_load(&mut self, id: ExprId, array: ExprId, at: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        let (arrays, places) = (self.expr(array, active)?, self.integers(at, active)?);
        let cells = self.cells(id, &arrays, &places, active)?;
        self.load(&cells, id, active)
    }

    /// The cells of the active lanes: side by side, from the place on that all of them agree on.
    fn cells(&mut self, id: ExprId, arrays: &[Value], places: &[i128], active: &[usize]) -> Run<Vec<Cell>> {
        let Value::View(first) = &arrays[0] else { return Err(self.not_yet(id, active[0])) };
        for (n, &lane) in active.iter().enumerate() {
            let same = matches!(&arrays[n], Value::View(view) if view == first) && places[n] == places[0];
            if !same {
                let message = "lanes that are active here start at different places";
                return Err(self.error(RunCode::LanesDiffer, self.at(id), lane, message));
            }
        }
        self.each(active, |machine, n, lane| {
            let index = places[0] + n as i128;
            Cell::nth(first, index).ok_or_else(|| {
                let size = first.dims[0].size;
                let message = format!("index {index} is outside of the array here, which has size {size}");
                machine.error(RunCode::IndexOutOfRange, machine.at(id), lane, message)
            })
        })
    }
}
