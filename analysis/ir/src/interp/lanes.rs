//! Ops that work across lanes.

use std::sync::Arc;

use super::data::{Cell, Reg, on};
use super::machine::Machine;
use super::{ErrorKind, Run};
use crate::entities::{Op, Value};
use crate::ops::Code;
use crate::program::Attr;
use crate::scalar::{self, Fold, Scalar};
use crate::types::Elem;

impl Machine {
    /// The result of an op that makes lanes, or makes something of several.
    pub(super) fn lane_op(&mut self, op: Op) -> Run<Reg> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        if data.code.asks_lanes() {
            return self.asking_op(op);
        }
        let together = self.active().map_or(0, |active| active.len());
        let lanes = kernel.ty(data.results[0]).lanes().map_or(together, usize::from);
        let cells = |cell: &dyn Fn(usize) -> Cell| Reg::Lanes((0..lanes).map(cell).collect());
        let lane_of = |value: Value, lane: usize| self.reg(value).lane(lane).cloned().expect("a lane of a verified op");
        let side_by_side = |operands: &[Value]| -> Vec<Cell> {
            let lanes = |&x: &Value| (0..kernel.ty(x).lanes().unwrap_or(0)).map(move |lane| (x, lane));
            operands.iter().flat_map(lanes).map(|(x, lane)| lane_of(x, lane.into())).collect()
        };
        Ok(match (data.code, &data.operands[..]) {
            (Code::LaneId, _) => cells(&|lane| Cell::Data(Scalar::I32(lane as i32))),
            (Code::LaneIndex, &[base, step]) => {
                let (elem, base, step) = (self.scalar(base, None).elem(), self.wide(base, None), self.wide(step, None));
                cells(&|lane| Cell::Data(Scalar::saturate(elem, base + step * lane as i128)))
            }
            (Code::ActiveLanes, &[base, bound]) => {
                let (base, bound) = (self.wide(base, None), self.wide(bound, None));
                cells(&|lane| Cell::Data(Scalar::Bool(base + (lane as i128) < bound)))
            }
            (Code::Splat, &[x]) => cells(&|_| lane_of(x, 0)),
            (Code::Pack, operands) => cells(&|lane| lane_of(operands[lane], 0)),
            (Code::Extract, &[x, lane]) => {
                let wanted = self.wide(lane, None);
                let of_x = kernel.ty(x).lanes().map_or(0, usize::from);
                match usize::try_from(wanted).ok().filter(|&lane| lane < of_x) {
                    Some(lane) => self.in_lane(x, lane)?.into(),
                    None => return Err(self.error(op, None, ErrorKind::NoSuchLane(wanted))),
                }
            }
            (Code::Regroup, operands) => {
                let parts = side_by_side(operands);
                let from = kernel.ty(operands[0]).data_elem().map_or(1, Elem::bytes);
                let to = kernel.ty(data.results[0]).data_elem().unwrap_or(Elem::U8);
                cells(&|lane| {
                    let mut bits = 0;
                    for byte in 0..to.bytes() {
                        let at = lane * to.bytes() + byte;
                        match &parts[at / from] {
                            Cell::Data(part) => bits |= (part.bits() >> (8 * (at % from)) & 0xff) << (8 * byte),
                            nothing => return nothing.clone(),
                        }
                    }
                    Cell::Data(Scalar::from_bits(to, bits))
                })
            }
            (Code::Sad, &[x, y]) => {
                let to = kernel.ty(data.results[0]).data_elem().unwrap_or(Elem::U64);
                let difference = |byte: usize| match (lane_of(x, byte), lane_of(y, byte)) {
                    (Cell::Data(x), Cell::Data(y)) => Ok(x.bits().abs_diff(y.bits())),
                    (Cell::Data(_), nothing) | (nothing, _) => Err(nothing),
                };
                cells(&|lane| {
                    let bytes = lane * to.bytes()..(lane + 1) * to.bytes();
                    match bytes.map(difference).sum::<Result<u64, Cell>>() {
                        Ok(sum) => Cell::Data(Scalar::from_bits(to, sum)),
                        Err(nothing) => nothing,
                    }
                })
            }
            (Code::Permute, operands) => {
                let side_by_side = side_by_side(operands);
                let Attr::Pattern(pattern) = &data.attr else { panic!("{op}: a permutation says {:?}", data.attr) };
                cells(&|lane| side_by_side[usize::from(pattern[lane])].clone())
            }
            (Code::Lookup, &[table, numbers]) => {
                let of_table = i128::from(kernel.ty(table).lanes().unwrap_or(1));
                cells(&|lane| match lane_of(numbers, lane) {
                    Cell::Data(k) => lane_of(table, k.wide().unwrap_or_default().rem_euclid(of_table) as usize),
                    nothing => nothing,
                })
            }
            (Code::Reverse, &[x]) => cells(&|lane| lane_of(x, lanes - 1 - lane)),
            (code, operands) => self.fold_in_order(op, code, operands)?.into(),
        })
    }

    /// The result of an op that asks lanes.
    fn asking_op(&mut self, op: Op) -> Run<Reg> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let asked = self.asked(op)?;
        let x = data.operands[0];
        Ok(match data.code {
            Code::Rotate | Code::Shuffle => {
                let lanes = asked.len();
                self.cells_of(op, &asked, |machine, lane| {
                    let k = machine.in_lane(data.operands[1], lane)?.wide().unwrap_or_default();
                    let around = data.code == Code::Rotate;
                    let from = if around { (lane as i128 + k).rem_euclid(lanes as i128) } else { k };
                    let kind = match usize::try_from(from).ok().filter(|&from| from < lanes) {
                        Some(from) if asked[from] => return machine.in_lane(x, from),
                        Some(_) => ErrorKind::LaneNotActive(from),
                        None => ErrorKind::NoSuchLane(from),
                    };
                    Err(machine.error(op, Some(lane as u16), kind))
                })?
            }
            Code::FirstOf => {
                let (y, m) = (data.operands[1], data.operands[2]);
                let takes = |&lane: &usize| self.scalar(m, Some(lane as u16)).is_true();
                let from = on(&asked).find(takes).map(|lane| (x, lane));
                let (from, lane) = from.or(on(&asked).next().map(|lane| (y, lane))).unwrap_or((y, 0));
                self.in_lane(from, lane)?.into()
            }
            Code::ScanAdd => self.scan(op, x, &asked)?,
            Code::Any | Code::All | Code::None | Code::CountOn | Code::FirstOn | Code::LastOn => {
                self.vote(data.code, x, &asked)?.into()
            }
            code => self.reduce(op, code, x, &asked)?.into(),
        })
    }

    /// The lanes that an op asks: those that its mask says, or all; without lanes, those that are active.
    fn asked(&mut self, op: Op) -> Run<Arc<[bool]>> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let lanes = data.operands.iter().find_map(|&value| kernel.ty(value).lanes());
        match (lanes, self.active()) {
            (None, Some(active)) => Ok(active),
            (lanes, _) => {
                let mask = data.operands.get(data.code.row().slots.len() - 1).copied();
                Ok(self.active_lanes(op, mask, lanes.unwrap_or(1))?.into())
            }
        }
    }

    /// Returns the results of the lanes. In a vector op, a lane that fails is marked and the others get theirs; where
    /// lanes run together, the first active lane that fails stops the program.
    fn cells_of(&self, op: Op, active: &[bool], mut cell: impl FnMut(&Machine, usize) -> Run<Scalar>) -> Run<Reg> {
        let result = self.kernel().ops[op].results[0];
        let in_lanes = self.kernel().ty(result).lanes().is_some();
        let mut cells = vec![Cell::Off; active.len()];
        for (lane, slot) in cells.iter_mut().enumerate().filter(|(lane, _)| in_lanes || active[*lane]) {
            *slot = match cell(self, lane) {
                Ok(scalar) => Cell::Data(scalar),
                Err(error) if in_lanes => Cell::Failed(error),
                Err(error) => return Err(error),
            };
        }
        Ok(Reg::Lanes(cells.into()))
    }

    fn vote(&self, code: Code, condition: Value, asked: &[bool]) -> Run<Scalar> {
        let mut votes = vec![false; asked.len()];
        for lane in on(asked) {
            votes[lane] = self.in_lane(condition, lane)?.is_true();
        }
        let count = on(&votes).count();
        Ok(match code {
            Code::Any => Scalar::Bool(count > 0),
            Code::All => Scalar::Bool(count == on(asked).count()),
            Code::None => Scalar::Bool(count == 0),
            Code::CountOn => Scalar::I32(count as i32),
            Code::LastOn => Scalar::I32(on(&votes).last().map_or(-1, |lane| lane as i32)),
            _ => Scalar::I32(on(&votes).next().unwrap_or(votes.len()) as i32),
        })
    }

    /// The lanes that are asked, joined in the fixed order.
    fn reduce(&self, op: Op, code: Code, x: Value, asked: &[bool]) -> Run<Scalar> {
        let fold = match code {
            Code::ReduceAdd => Fold::Add,
            Code::ReduceMul => Fold::Mul,
            Code::ReduceMin => Fold::Min,
            Code::ReduceMax => Fold::Max,
            Code::ReduceAnd => Fold::And,
            Code::ReduceOr => Fold::Or,
            Code::ReduceXor => Fold::Xor,
            other => panic!("{op}: the interpreter has no rule for `{}`", other.row().name),
        };
        let mut elements = vec![None; asked.len()];
        for lane in on(asked) {
            elements[lane] = Some(self.in_lane(x, lane)?);
        }
        let elem = self.kernel().ty(x).data_elem().expect("data");
        let joined = scalar::join_lanes(fold, elements).map(|total| total.unwrap_or(fold.identity(elem)));
        joined.map_err(|fault| self.error(op, self.each_lane()[0], ErrorKind::Arithmetic(fault)))
    }

    /// Returns for each lane the sum of the lanes before it.
    fn scan(&self, op: Op, x: Value, asked: &[bool]) -> Run<Reg> {
        let zero = Scalar::zero(self.kernel().ty(x).data_elem().expect("data"));
        let mut sum = Ok(zero);
        self.cells_of(op, asked, |machine, lane| {
            if !asked[lane] {
                return Ok(zero);
            }
            let before = sum.clone();
            sum = sum.clone().and_then(|sum| {
                let added = scalar::add(sum, machine.in_lane(x, lane)?);
                added.map_err(|fault| machine.error(op, Some(lane as u16), ErrorKind::Arithmetic(fault)))
            });
            before
        })
    }

    /// A scalar, and then all active lanes in their order.
    fn fold_in_order(&mut self, op: Op, code: Code, operands: &[Value]) -> Run<Scalar> {
        let fold = match code {
            Code::FoldAdd => Fold::Add,
            Code::FoldMul => Fold::Mul,
            Code::FoldMin => Fold::Min,
            Code::FoldMax => Fold::Max,
            other => panic!("{op}: the interpreter has no rule for `{}`", other.row().name),
        };
        let x = operands[1];
        let lanes = self.kernel().ty(x).lanes().unwrap_or(1);
        let active = self.active_lanes(op, operands.get(2).copied(), lanes)?;
        let mut total = self.scalar(operands[0], None);
        for lane in on(&active) {
            let joined = fold.join(total, self.in_lane(x, lane)?);
            total = joined.map_err(|fault| self.error(op, None, ErrorKind::Arithmetic(fault)))?;
        }
        Ok(total)
    }
}
