//! Ranges: the bounds of an integer, as far as types, constants and the bounds of loops tell.
//!
//! They are what makes a form exact: a sum of unsigned numbers is their mathematical sum only where it cannot wrap, and
//! a truncating division rounds down only where what it divides is not negative.

use crate::ops::Code;
use crate::scalar::Scalar;
use crate::types::Elem;

/// The least and greatest value that an integer may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueRange {
    /// The least value.
    pub lo: i128,
    /// The greatest; not below the least.
    pub hi: i128,
}

impl ValueRange {
    /// Returns the range of a type; `None` for a type that is no integer.
    pub fn of(elem: Elem) -> Option<ValueRange> {
        elem.integer_range().map(|(lo, hi)| ValueRange { lo, hi })
    }

    /// Returns the range of one value; `None` if it is no integer.
    pub fn exactly(scalar: Scalar) -> Option<ValueRange> {
        scalar.wide().map(|value| ValueRange { lo: value, hi: value })
    }

    /// Bounds in any order; those that are no range give nothing.
    pub fn new(lo: i128, hi: i128) -> Option<ValueRange> {
        (lo <= hi).then_some(ValueRange { lo, hi })
    }

    /// Says whether it has no negative value.
    pub fn is_natural(self) -> bool {
        self.lo >= 0
    }

    /// Says whether all of it lies in the other.
    pub fn is_in(self, other: ValueRange) -> bool {
        other.lo <= self.lo && self.hi <= other.hi
    }

    /// The intersection. Where it is empty, the code is never reached with such values, and any range is right.
    pub fn meet(self, other: ValueRange) -> ValueRange {
        ValueRange::new(self.lo.max(other.lo), self.hi.min(other.hi)).unwrap_or(other)
    }

    /// The least range around both.
    pub fn join(self, other: ValueRange) -> ValueRange {
        ValueRange { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The sums; `None` where they are out of all bounds.
    pub fn added(self, other: ValueRange) -> Option<ValueRange> {
        ValueRange::new(self.lo.checked_add(other.lo)?, self.hi.checked_add(other.hi)?)
    }

    /// Returns the range of the products; `None` if it overflows.
    pub fn multiplied(self, other: ValueRange) -> Option<ValueRange> {
        self.corners(other, i128::checked_mul)
    }

    /// The range of an op that grows or falls with each of its operands.
    fn corners(self, other: ValueRange, join: fn(i128, i128) -> Option<i128>) -> Option<ValueRange> {
        let (a, b) = (self, other);
        let all = [join(a.lo, b.lo)?, join(a.lo, b.hi)?, join(a.hi, b.lo)?, join(a.hi, b.hi)?];
        ValueRange::new(*all.iter().min()?, *all.iter().max()?)
    }

    /// Returns the range of the negated integers.
    pub fn negated(self) -> ValueRange {
        ValueRange { lo: -self.hi, hi: -self.lo }
    }

    /// Returns the range of the magnitudes.
    pub fn magnitude(self) -> ValueRange {
        let hi = self.hi.max(-self.lo);
        match () {
            _ if self.lo >= 0 => self,
            _ if self.hi <= 0 => self.negated(),
            _ => ValueRange { lo: 0, hi },
        }
    }

    /// The mathematical result of an op on values of two ranges, where it is known to be a range.
    pub fn apply(code: Code, a: ValueRange, b: ValueRange) -> Option<ValueRange> {
        let corners = |join| a.corners(b, join);
        match code {
            Code::Add | Code::WrappingAdd => corners(i128::checked_add),
            Code::Sub | Code::WrappingSub => corners(i128::checked_sub),
            Code::Mul | Code::WrappingMul => corners(i128::checked_mul),
            Code::Min => ValueRange::new(a.lo.min(b.lo), a.hi.min(b.hi)),
            Code::Max => ValueRange::new(a.lo.max(b.lo), a.hi.max(b.hi)),
            Code::Div if b.lo > 0 || b.hi < 0 => corners(i128::checked_div),
            Code::FloorDiv if b.lo > 0 => corners(|a, b| Some(a.div_euclid(b))),
            Code::FloorDiv if b.hi < 0 => ValueRange::apply(code, a.negated(), b.negated()),
            // The sign of what divides is of no matter.
            Code::Rem if b.hi < 0 => ValueRange::apply(code, a, b.negated()),
            Code::Rem if b.lo > 0 && a.is_natural() => ValueRange::new(0, a.hi.min(b.hi - 1)),
            Code::Rem if b.lo > 0 => ValueRange::new(-(b.hi - 1), b.hi - 1),
            // Bits can only be taken away from a number that is not negative.
            Code::And if a.is_natural() && b.is_natural() => ValueRange::new(0, a.hi.min(b.hi)),
            Code::And if a.is_natural() => ValueRange::new(0, a.hi),
            Code::And if b.is_natural() => ValueRange::new(0, b.hi),
            Code::Or | Code::Xor if a.is_natural() && b.is_natural() => {
                let bits = 128 - a.hi.max(b.hi).leading_zeros();
                ValueRange::new(0, (1 << bits.min(126)) - 1)
            }
            Code::Shl if (0..64).contains(&b.lo) && b.hi < 64 => corners(|a, b| a.checked_mul(1 << b)),
            Code::Shr if (0..64).contains(&b.lo) && b.hi < 64 => corners(|a, b| Some(a >> b)),
            _ => None,
        }
    }
}
