//! Lane operations: what lanes of one group learn of each other.

use std::rc::Rc;

use ir::interp::ErrorKind;
use ir::{Fold, Scalar, scalar};

use super::exprs::lane_number;
use super::machine::{Machine, Run, Value};
use super::places::{Cell, Touching, View};
use super::sizes::{n_elements, sizes_of};
use crate::ExprId;
use crate::builtins::{Builtin, BuiltinId, LaneSource, Means, Vote};

impl Machine<'_> {
    /// Evaluates `lane_id` and `LANES`.
    pub(super) fn lane_value(&mut self, id: ExprId, builtin: BuiltinId, active: &[usize]) -> Run<Vec<Value>> {
        let Some(width) = self.width else { return Err(self.no_meaning(id, active[0])) };
        match builtin.get().means {
            Means::LaneNumber => Ok(active.iter().map(|&lane| lane_number(lane as u32)).collect()),
            Means::LaneCount => Ok(vec![lane_number(width); active.len()]),
            _ => Err(self.no_meaning(id, active[0])),
        }
    }

    pub(super) fn lane_operation(
        &mut self,
        id: ExprId,
        row: &Builtin,
        args: &[ExprId],
        active: &[usize],
    ) -> Run<Vec<Value>> {
        let Some(width) = self.width else { return Err(self.no_meaning(id, active[0])) };
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
            _ => Err(self.no_meaning(id, active[0])),
        }
    }

    pub(super) fn scalars(&mut self, expr: ExprId, active: &[usize]) -> Run<Vec<Scalar>> {
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
            let kind = match active.iter().position(|&other| other as i128 == from) {
                Some(position) => return Ok(values[position].clone()),
                None if (0..i128::from(width)).contains(&from) => ErrorKind::LaneNotActive(from),
                None => ErrorKind::NoSuchLane(from),
            };
            Err(machine.fault(kind, machine.at(id), lane))
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
        match views_of(&values) {
            Some(rows) => self.store_rows(id, &arrays, &places, &rows, active)?,
            None => {
                let cells = self.cells(id, &arrays, &places, active)?;
                self.store(&cells, &values, id, active)?;
            }
        }
        Ok(vec![lane_number(active.len() as u32); active.len()])
    }

    fn expand_load(&mut self, id: ExprId, array: ExprId, at: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        let (arrays, places) = (self.expr(array, active)?, self.integers(at, active)?);
        if matches!(&arrays[0], Value::View(view) if view.dims.len() > 1) {
            let rows = self.rows_of_lanes(id, &arrays, &places, active)?;
            return self.each(active, |machine, n, lane| machine.copy(&rows[n], id, lane));
        }
        let cells = self.cells(id, &arrays, &places, active)?;
        self.load(&cells, id, active)
    }

    /// Stores the rows of the active lanes, which are as they were before, side by side.
    fn store_rows(
        &mut self,
        id: ExprId,
        arrays: &[Value],
        places: &[i128],
        rows: &[Rc<View>],
        active: &[usize],
    ) -> Run<()> {
        for ((array, row), &lane) in arrays.iter().zip(rows).zip(active) {
            let Value::View(array) = array else { return Err(self.no_meaning(id, lane)) };
            let wanted = sizes_of(&array.row(0));
            if wanted != sizes_of(row) {
                return Err(self.sizes_differ(&wanted, &sizes_of(row), id, lane));
            }
        }
        let copies = self.each(active, |machine, n, lane| machine.copy(&rows[n], id, lane))?;
        let into = self.rows_of_lanes(id, arrays, places, active)?;
        // The first cells are looked at before anything is stored: what collides there leaves all as it was.
        for (row, &lane) in into.iter().zip(active).filter(|(row, _)| n_elements(&sizes_of(row)) > 0) {
            self.touch(&Cell::in_order(row, 0), 0, Touching::Reads, id, lane)?;
        }
        self.store_all(&into, &copies, id, active)
    }

    /// The rows of the active lanes: side by side, from the place on that all of them agree on.
    fn rows_of_lanes(&mut self, id: ExprId, arrays: &[Value], places: &[i128], active: &[usize]) -> Run<Vec<Rc<View>>> {
        let Value::View(first) = &arrays[0] else { return Err(self.no_meaning(id, active[0])) };
        // Where rows have no cells there is nothing to be done, so nothing that is wrong.
        if n_elements(&sizes_of(&first.row(0))) == 0 {
            return Ok(active.iter().map(|_| Rc::new(first.row(0))).collect());
        }
        self.agreed(id, arrays, places, active)?;
        self.each(active, |machine, n, lane| {
            let index = machine.nth(id, first, places[0] + n as i128, lane)?;
            Ok(Rc::new(first.row(index)))
        })
    }

    /// The cells of the active lanes: side by side, from the place on that all of them agree on.
    fn cells(&mut self, id: ExprId, arrays: &[Value], places: &[i128], active: &[usize]) -> Run<Vec<Cell>> {
        let Value::View(first) = &arrays[0] else { return Err(self.no_meaning(id, active[0])) };
        self.agreed(id, arrays, places, active)?;
        self.each(active, |machine, n, lane| {
            let index = machine.nth(id, first, places[0] + n as i128, lane)?;
            Cell::nth(first, index.into()).ok_or_else(|| machine.no_meaning(id, lane))
        })
    }

    /// Finds out whether all active lanes start at one place.
    fn agreed(&self, id: ExprId, arrays: &[Value], places: &[i128], active: &[usize]) -> Run<()> {
        let Value::View(first) = &arrays[0] else { return Err(self.no_meaning(id, active[0])) };
        for (n, &lane) in active.iter().enumerate() {
            let same = matches!(&arrays[n], Value::View(view) if view == first) && places[n] == places[0];
            if !same {
                return Err(self.fault(ErrorKind::LanesDiffer, self.at(id), lane));
            }
        }
        Ok(())
    }

    /// An index of the first dimension.
    fn nth(&self, id: ExprId, view: &View, index: i128, lane: usize) -> Run<i64> {
        let size = view.dims[0].size;
        i64::try_from(index)
            .ok()
            .filter(|index| (0..size).contains(index))
            .ok_or_else(|| self.fault(ErrorKind::IndexOutOfRange { index, size }, self.at(id), lane))
    }
}

/// The arrays that values are, if they are such.
fn views_of(values: &[Value]) -> Option<Vec<Rc<View>>> {
    let view = |value: &Value| match value {
        Value::View(view) => Some(view.clone()),
        _ => None,
    };
    values.iter().map(view).collect()
}
