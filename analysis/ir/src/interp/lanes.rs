//! Ops that work across lanes.

use std::sync::Arc;

use super::data::{Cell, Reg};
use super::machine::Machine;
use super::{ErrorKind, Run};
use crate::entities::{Op, Value};
use crate::ops::Code;
use crate::program::Attr;
use crate::scalar::{self, Fold, Scalar};

impl Machine {
    /// The result of an op that works across lanes, or makes lanes or a scalar of them.
    pub(super) fn lane_op(&mut self, op: Op) -> Run<Reg> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let x = data.operands.first().copied();
        let lanes = kernel.ty(data.results[0]).lanes().map_or(0, usize::from);
        let of_x = x.and_then(|x| kernel.ty(x).lanes()).map_or(0, usize::from);
        let cells = |cell: &dyn Fn(usize) -> Cell| Reg::Lanes((0..lanes).map(cell).collect());
        let lane_of = |value: Value, lane: usize| self.reg(value).lane(lane).cloned().expect("a lane of a verified op");
        Ok(match (data.code, &data.operands[..]) {
            (Code::LaneId, _) => cells(&|lane| Cell::Data(Scalar::I32(lane as i32))),
            (Code::LaneIndex, &[base, step]) => {
                let (elem, base, step) = (self.scalar(base).elem(), self.wide(base), self.wide(step));
                cells(&|lane| Cell::Data(Scalar::saturate(elem, base + step * lane as i128)))
            }
            (Code::Splat, &[x]) => cells(&|_| lane_of(x, 0)),
            (Code::Pack, operands) => cells(&|lane| lane_of(operands[lane], 0)),
            (Code::Extract, &[x, lane]) => {
                let wanted = self.wide(lane);
                match usize::try_from(wanted).ok().filter(|&lane| lane < of_x) {
                    Some(lane) => self.in_lane(x, lane)?.into(),
                    None => return Err(self.error(op, None, ErrorKind::NoSuchLane(wanted))),
                }
            }
            (Code::Rotate, &[x, by]) => {
                let by = self.wide(by).rem_euclid(lanes as i128) as usize;
                cells(&|lane| lane_of(x, (lane + by) % lanes))
            }
            (Code::Shuffle, &[x, from]) => cells(&|lane| match self.in_lane(from, lane) {
                Ok(from) => self.shuffled(op, x, lane as u16, from.wide().unwrap_or_default(), of_x),
                Err(error) => Cell::Failed(error),
            }),
            (Code::Permute, operands) => {
                let side_by_side: Vec<Cell> = operands
                    .iter()
                    .flat_map(|&x| (0..kernel.ty(x).lanes().unwrap_or(0)).map(move |lane| (x, lane)))
                    .map(|(x, lane)| lane_of(x, lane.into()))
                    .collect();
                let Attr::Pattern(pattern) = &data.attr else { panic!("{op}: a permutation says {:?}", data.attr) };
                cells(&|lane| side_by_side[usize::from(pattern[lane])].clone())
            }
            (Code::Reverse, &[x]) => cells(&|lane| lane_of(x, lanes - 1 - lane)),
            (Code::Any | Code::All | Code::None | Code::CountOn | Code::FirstOn, &[mask]) => {
                let on = self.active_lanes(op, Some(mask), of_x as u16)?;
                let count = on.iter().filter(|on| **on).count();
                match data.code {
                    Code::Any => Scalar::Bool(count > 0),
                    Code::All => Scalar::Bool(count == on.len()),
                    Code::None => Scalar::Bool(count == 0),
                    Code::CountOn => Scalar::I32(count as i32),
                    _ => Scalar::I32(on.iter().position(|on| *on).unwrap_or(on.len()) as i32),
                }
                .into()
            }
            (Code::ScanAdd, &[x, ..]) => self.scan(op, x, data.operands.get(1).copied())?,
            (code, operands) => self.reduce(op, code, operands)?.into(),
        })
    }

    fn shuffled(&self, op: Op, x: Value, lane: u16, from: i128, lanes: usize) -> Cell {
        match usize::try_from(from).ok().filter(|&from| from < lanes) {
            Some(from) => self.reg(x).lane(from).cloned().expect("a lane that exists"),
            None => Cell::Failed(self.error(op, Some(lane), ErrorKind::NoSuchLane(from))),
        }
    }

    /// One element of all active lanes.
    fn reduce(&mut self, op: Op, code: Code, operands: &[Value]) -> Run<Scalar> {
        let (fold, in_order) = match code {
            Code::ReduceAdd => (Fold::Add, false),
            Code::ReduceMul => (Fold::Mul, false),
            Code::ReduceMin => (Fold::Min, false),
            Code::ReduceMax => (Fold::Max, false),
            Code::ReduceAnd => (Fold::And, false),
            Code::ReduceOr => (Fold::Or, false),
            Code::ReduceXor => (Fold::Xor, false),
            Code::FoldAdd => (Fold::Add, true),
            Code::FoldMul => (Fold::Mul, true),
            Code::FoldMin => (Fold::Min, true),
            Code::FoldMax => (Fold::Max, true),
            other => panic!("{op}: the interpreter has no rule for `{}`", other.row().name),
        };
        let (start, rest) = if in_order { (Some(operands[0]), &operands[1..]) } else { (None, operands) };
        let x = rest[0];
        let ty = self.kernel().ty(x);
        let lanes = ty.lanes().unwrap_or(1);
        let active = self.active_lanes(op, rest.get(1).copied(), lanes)?;
        let failed = |machine: &Machine, fault| machine.error(op, None, ErrorKind::Arithmetic(fault));
        if let Some(start) = start {
            let mut total = self.scalar(start);
            for (lane, _) in active.iter().enumerate().filter(|(_, active)| **active) {
                total = fold.join(total, self.in_lane(x, lane)?).map_err(|fault| failed(self, fault))?;
            }
            return Ok(total);
        }
        let elem = ty.data_elem().expect("data in lanes");
        let mut elements = vec![fold.identity(elem); usize::from(lanes).next_power_of_two()];
        for (lane, _) in active.iter().enumerate().filter(|(_, active)| **active) {
            elements[lane] = self.in_lane(x, lane)?;
        }
        scalar::join_halving(fold, elements).map_err(|fault| failed(self, fault))
    }

    /// The running sum of the active lanes.
    fn scan(&mut self, op: Op, x: Value, mask: Option<Value>) -> Run<Reg> {
        let ty = self.kernel().ty(x);
        let lanes = ty.lanes().unwrap_or(1);
        let active = self.active_lanes(op, mask, lanes)?;
        let mut total: Option<Cell> = None;
        let mut cells = Vec::with_capacity(active.len());
        for (lane, active) in active.into_iter().enumerate() {
            if !active {
                cells.push(Cell::Data(Scalar::zero(ty.data_elem().expect("data in lanes"))));
                continue;
            }
            let next = match (total, self.in_lane(x, lane)) {
                (Some(Cell::Failed(error)), _) | (_, Err(error)) => Cell::Failed(error),
                (Some(Cell::Data(total)), Ok(element)) => match scalar::add(total, element) {
                    Ok(sum) => Cell::Data(sum),
                    Err(fault) => Cell::Failed(self.error(op, Some(lane as u16), ErrorKind::Arithmetic(fault))),
                },
                (_, Ok(element)) => Cell::Data(element),
            };
            cells.push(next.clone());
            total = Some(next);
        }
        Ok(Reg::Lanes(cells.into()))
    }
}
