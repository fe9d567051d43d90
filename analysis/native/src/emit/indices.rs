//! Integers as addresses need them: in 64 bits, exact, and of lane 0 where lanes follow each other.
//!
//! A subscript is often a sum of a loop's index and something small, in 32 bits. The program's own sum may not
//! overflow, so the same sum in 64 bits gives the same number, and it is the form that addresses and loops' own
//! counters are in: nothing has to be extended in the loop. Unsigned sums may wrap, and are taken as they are.

use ir::{Attr, Code, Elem, Scalar, Value};

use super::function::Function;
use super::values::{Ty, Unit, Val};

/// The limit on the number of sums that are followed back; behind that a value is taken as it is.
const DEPTH: u32 = 8;

impl Function<'_> {
    /// The number that a scalar integer is, as `i64`.
    pub(super) fn exact(&mut self, value: Value) -> Val {
        self.exact_to(value, DEPTH)
    }

    fn exact_to(&mut self, value: Value, depth: u32) -> Val {
        let kernel = self.kernel;
        if let Some(wide) = self.wide_index(value) {
            return wide;
        }
        if let Some(number) = kernel.as_const(value).and_then(Scalar::wide) {
            return Val::i64(number.min(i64::MAX.into()) as i64);
        }
        let elem = self.elem(value);
        let op = kernel.def_op(value).filter(|_| depth > 0 && elem.is_signed() && elem != Elem::I64);
        if let Some(data) = op.map(|op| &kernel.ops[op]) {
            let name = match data.code {
                Code::Add => "add",
                Code::Sub => "sub",
                Code::Mul => "mul",
                _ => "",
            };
            if !name.is_empty() {
                // A constant is added: LLVM follows that from one iteration to the next, so that a cell that the iteration before
                // has stored stays in a register.
                let number =
                    kernel.as_const(data.operands[1]).and_then(Scalar::wide).and_then(|by| i64::try_from(by).ok());
                if let Some(by) = number.filter(|_| data.code == Code::Sub) {
                    let a = self.exact_to(data.operands[0], depth - 1);
                    return self.make("wide", Ty::I64, format!("add nsw {a}, {}", -by));
                }
                let [a, b] = [0, 1].map(|number| self.exact_to(data.operands[number], depth - 1));
                return self.make("wide", Ty::I64, format!("{name} nsw {a}, {}", b.text));
            }
        }
        let widened = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|data| depth > 0 && self.widens(data));
        if let Some(data) = widened {
            return self.exact_to(data.operands[0], depth - 1);
        }
        let val = self.get(value);
        self.extended(elem, &val)
    }

    /// True if an op gives the same integer in another type, whatever its value.
    pub(super) fn widens(&self, data: &ir::OpData) -> bool {
        let from = data.operands.first().and_then(|&value| self.kernel.ty(value).data_elem());
        let Some((from, (least, greatest))) = from.and_then(|from| Some((from, from.integer_range()?))) else {
            return false;
        };
        match (data.code, &data.attr) {
            (Code::Index, _) => from != Elem::U64,
            (Code::Cast, Attr::Elem(to)) => {
                to.integer_range().is_some_and(|(low, high)| low <= least && greatest <= high)
            }
            _ => false,
        }
    }

    /// An integer as `i64`, each lane for itself.
    pub(super) fn extended(&mut self, elem: Elem, val: &Val) -> Val {
        let ty = val.ty.with(Unit::Int(64));
        match elem {
            Elem::I64 | Elem::U64 => val.clone(),
            _ if elem.is_signed() => self.make("wide", ty, format!("sext {val} to {ty}")),
            _ => self.make("wide", ty, format!("zext {val} to {ty}")),
        }
    }

    /// Returns a subscript as `i64`, a vector if it is one.
    pub(super) fn subscript(&mut self, value: Value) -> Val {
        match self.kernel.ty(value).lanes() {
            None => self.exact(value),
            Some(_) => {
                let (elem, val) = (self.elem(value), self.get(value));
                self.extended(elem, &val)
            }
        }
    }

    /// Returns the subscript of lane 0 as `i64` (or the one that it would have, if it is inactive and lanes are
    /// `stride` apart).
    pub(super) fn lane_0(&mut self, value: Value, stride: i64, mask: Option<&Val>) -> Val {
        if let Some(val) = self.lane_0_of(value, DEPTH) {
            return val;
        }
        let (elem, val) = (self.elem(value), self.get(value));
        let Some(mask) = mask else {
            let first = self.make("first", Ty::one(val.ty.unit), format!("extractelement {val}, i64 0"));
            return self.extended(elem, &first);
        };
        // Lane 0 may hold anything, so the first active one tells where lane 0 would be.
        let lane = self.first_on(mask);
        let last = Val::i64(i64::from(mask.ty.lanes.unwrap_or(1)) - 1);
        let lane = self.make("lane", Ty::I64, format!("call i64 @llvm.umin.i64({lane}, {last})"));
        let first = self.make("first", Ty::one(val.ty.unit), format!("extractelement {val}, {lane}"));
        let first = self.extended(elem, &first);
        let before = self.mul(&lane, &Val::i64(stride));
        self.sub(&first, &before)
    }

    /// The subscript of lane 0, where it can be derived from the ops that compute the subscript.
    fn lane_0_of(&mut self, value: Value, depth: u32) -> Option<Val> {
        let kernel = self.kernel;
        if kernel.ty(value).lanes().is_none() {
            return Some(self.exact(value));
        }
        let data = &kernel.ops[kernel.def_op(value).filter(|_| depth > 0)?];
        let elem = self.elem(value);
        let operand = |number: usize| data.operands[number];
        match data.code {
            Code::LaneIndex | Code::Splat => Some(self.exact(operand(0))),
            Code::LaneId => Some(Val::i64(0)),
            // A wrapped sum in an inactive lane 0 would say nothing about the others.
            Code::Add | Code::Sub | Code::Mul if elem.is_signed() => {
                let a = self.lane_0_of(operand(0), depth - 1)?;
                let b = self.lane_0_of(operand(1), depth - 1)?;
                Some(match data.code {
                    Code::Add => self.add(&a, &b),
                    Code::Sub => self.sub(&a, &b),
                    _ => self.mul(&a, &b),
                })
            }
            _ if self.widens(data) => self.lane_0_of(operand(0), depth - 1),
            _ => None,
        }
    }

    /// The distance from lane to lane of a subscript that grows by the same number from each to the next.
    pub(super) fn lane_step(&mut self, value: Value) -> Option<Val> {
        self.lane_step_of(value, DEPTH)
    }

    fn lane_step_of(&mut self, value: Value, depth: u32) -> Option<Val> {
        let kernel = self.kernel;
        if kernel.ty(value).lanes().is_none() {
            return Some(Val::i64(0));
        }
        let data = &kernel.ops[kernel.def_op(value).filter(|_| depth > 0)?];
        let (a, b) = (data.operands.first().copied(), data.operands.get(1).copied());
        match data.code {
            Code::LaneIndex => Some(self.exact(b?)),
            Code::Splat => Some(Val::i64(0)),
            Code::LaneId => Some(Val::i64(1)),
            Code::Add | Code::Sub if self.elem(value).is_signed() => {
                let [a, b] = [self.lane_step_of(a?, depth - 1)?, self.lane_step_of(b?, depth - 1)?];
                Some(if data.code == Code::Add { self.add(&a, &b) } else { self.sub(&a, &b) })
            }
            Code::Mul if self.elem(value).is_signed() => {
                let is_one = |value: Value| kernel.ty(value).lanes().is_none();
                let (times, other) = if is_one(a?) { (a?, b?) } else { (b?, a?) };
                let step = self.lane_step_of(other, depth - 1).filter(|_| is_one(times))?;
                let times = self.exact(times);
                Some(self.mul(&step, &times))
            }
            _ if self.widens(data) => self.lane_step_of(a?, depth - 1),
            _ => None,
        }
    }

    /// The number of the first lane that is on, as `i64`; the number of lanes, if none is.
    pub(super) fn first_on(&mut self, mask: &Val) -> Val {
        let bits = self.mask_bits(mask);
        let ty = bits.ty;
        let first = self.make("first", ty, format!("call {ty} @llvm.cttz.{}({bits}, i1 false)", ty.suffix()));
        self.resized(&first, 64)
    }

    /// A mask as an integer, lane 0 lowest.
    pub(super) fn mask_bits(&mut self, mask: &Val) -> Val {
        let ty = Ty::one(Unit::Int(mask.ty.lanes.unwrap_or(1)));
        self.make("bits", ty, format!("bitcast {mask} to {ty}"))
    }

    /// An unsigned integer in so many bits.
    pub(super) fn resized(&mut self, val: &Val, bits: u16) -> Val {
        let ty = val.ty.with(Unit::Int(bits));
        match val.ty.unit {
            Unit::Int(own) if own < bits => self.make("wide", ty, format!("zext {val} to {ty}")),
            Unit::Int(own) if own > bits => self.make("narrow", ty, format!("trunc {val} to {ty}")),
            _ => val.clone(),
        }
    }
}
