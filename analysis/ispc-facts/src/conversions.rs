//! Values as those of other types.

use ispc_types::ty::{Atomic, Ty, TypeKind};

use crate::flow::Flow;
use crate::shape::LaneValue;

impl Flow<'_> {
    pub(crate) fn is_unsigned(&self, ty: Ty) -> bool {
        use Atomic::*;
        matches!(self.layer.kind(ty), TypeKind::Atomic(Bool | Uint8 | Uint16 | Uint32 | Uint64, _) | TypeKind::Enum(..))
    }

    pub(crate) fn is_real(&self, ty: Ty) -> bool {
        matches!(self.layer.kind(ty), TypeKind::Atomic(atomic, _) if atomic.is_float())
    }

    pub(crate) fn atomic(&self, ty: Ty) -> Option<Atomic> {
        match self.layer.kind(ty) {
            TypeKind::Atomic(atomic, _) => Some(*atomic),
            TypeKind::Enum(..) => Some(Atomic::Uint32),
            _ => None,
        }
    }

    /// A value without a number that its type cannot hold.
    pub(crate) fn fitted(&self, value: LaneValue, ty: Ty) -> LaneValue {
        let is_unsigned = self.is_unsigned(ty);
        let Some((least, most)) = self.atomic(ty).and_then(range_of) else {
            return LaneValue { value: None, is_nonneg: value.is_nonneg || is_unsigned, ..value };
        };
        let number = value.value.filter(|number| (least..=most).contains(number));
        LaneValue { value: number, is_nonneg: value.is_nonneg || is_unsigned, ..value }
    }

    /// A value as one of another type.
    pub(crate) fn converted(&mut self, node: usize, value: LaneValue, from: Ty, to: Ty) -> LaneValue {
        let to = self.layer.target(to);
        if matches!(self.layer.kind(from), TypeKind::Array(..)) {
            return value;
        }
        let (Some(old), Some(new)) = (self.atomic(from), self.atomic(to)) else {
            // Pointers and whole numbers of their size keep their bytes.
            let is_row = |ty: Ty| match self.layer.kind(ty) {
                TypeKind::Pointer(..) => true,
                TypeKind::Atomic(atomic, _) => matches!(atomic, Atomic::Int64 | Atomic::Uint64),
                _ => false,
            };
            let kept = if is_row(from) && is_row(to) { value } else { value.with(&LaneValue::UNIFORM) };
            return self.in_a_row(node, &[value], LaneValue { value: None, ..kept });
        };
        if old == new {
            return value;
        }
        // A row of narrow numbers may start again in the middle, which a wider type would show.
        let bits = |atomic: Atomic| crate::layout::bytes_of(atomic).unwrap_or(4);
        let keeps_row = old.is_int() && new.is_int() && (bits(old) >= bits(new) || bits(old) >= 4);
        let kept = if keeps_row { value } else { value.with(&LaneValue::UNIFORM) };
        let number = value.value.filter(|_| new.is_int() && old.is_int());
        let is_unsigned = |atomic: Atomic| self.unsigned_atomic(atomic);
        let is_nonneg = value.is_nonneg
            && old != Atomic::Bool
            && (bits(new) > bits(old) || (bits(new) == bits(old) && !is_unsigned(old)))
            || old == Atomic::Bool;
        let found = self.fitted(LaneValue { value: number, is_nonneg, ..kept }, to);
        self.in_a_row(node, &[value], found)
    }

    fn unsigned_atomic(&self, atomic: Atomic) -> bool {
        matches!(atomic, Atomic::Bool | Atomic::Uint8 | Atomic::Uint16 | Atomic::Uint32 | Atomic::Uint64)
    }

    /// A conversion that no node stands for.
    pub(crate) fn converted_aside(&mut self, value: LaneValue, from: Ty, to: Ty) -> LaneValue {
        let (Some(old), Some(new)) = (self.atomic(from), self.atomic(to)) else { return value };
        let bits = |atomic: Atomic| crate::layout::bytes_of(atomic).unwrap_or(4);
        let keeps_row = old == new || (old.is_int() && new.is_int() && bits(old) >= 4);
        let kept = if keeps_row { value } else { value.with(&LaneValue::UNIFORM) };
        let number = value.value.filter(|_| new.is_int());
        let keeps_sign = bits(new) > bits(old) || (bits(new) == bits(old) && !self.unsigned_atomic(old));
        let is_nonneg = value.is_nonneg && new.is_int() && (old == new || keeps_sign);
        self.fitted(LaneValue { value: number, is_nonneg, ..kept }, to)
    }
}

/// The numbers that a type can hold.
fn range_of(atomic: Atomic) -> Option<(i128, i128)> {
    use Atomic::*;
    let bits = match atomic {
        Int8 | Uint8 => 8,
        Int16 | Uint16 => 16,
        Int32 | Uint32 => 32,
        Int64 | Uint64 => 64,
        _ => return None,
    };
    Some(match atomic {
        Int8 | Int16 | Int32 | Int64 => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (0, (1 << bits) - 1),
    })
}
