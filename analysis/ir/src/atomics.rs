//! Atomic operations: the new content of a cell out of the old one and an operand, in a step that no other thread gets in between.

use crate::scalar;
use crate::scalar::Scalar;
use crate::types::{Elem, ElemSet};

/// The rule by which an atomic op makes the new content of a cell out of the old one and an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicRule {
    /// The sum; of integers its low bits.
    Add,
    /// The lesser one.
    Min,
    /// The greater one.
    Max,
    /// The bitwise and.
    And,
    /// The bitwise or.
    Or,
    /// The bitwise exclusive or.
    Xor,
    /// The operand.
    Exchange,
}

impl AtomicRule {
    /// Types of the cells that it works on.
    pub fn takes(self) -> ElemSet {
        match self {
            AtomicRule::Add | AtomicRule::Exchange => ElemSet::ATOMIC,
            _ => ElemSet::INTEGERS,
        }
    }

    /// The types of the cells that it works on, as messages name them.
    pub fn names(self) -> &'static str {
        match self {
            AtomicRule::Add | AtomicRule::Exchange => "integers, `f32` or `f64`",
            _ => "integers",
        }
    }

    /// The new content of a cell.
    pub fn apply(self, old: Scalar, operand: Scalar) -> Scalar {
        match self {
            AtomicRule::Add if old.elem().is_integer() => scalar::wrapping_add(old, operand),
            AtomicRule::Add => scalar::add(old, operand).unwrap_or(old),
            AtomicRule::Min => scalar::min(old, operand),
            AtomicRule::Max => scalar::max(old, operand),
            AtomicRule::And => scalar::and(old, operand),
            AtomicRule::Or => scalar::or(old, operand),
            AtomicRule::Xor => scalar::xor(old, operand),
            AtomicRule::Exchange => operand,
        }
    }

    /// Says whether operations by this rule on cells of a type give the same in any order.
    pub fn commutes(self, elem: Elem) -> bool {
        elem.is_integer() && self != AtomicRule::Exchange
    }
}
