//! Conversions without a cast, and the common type of two operands.

use crate::layer::Layer;
use crate::ty::{Atomic, Count, Lanes, Ty, TypeKind};

/// The reason why a value cannot become one of another type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// One value a lane where all lanes have one.
    VaryingToUniform,
    /// `const` would be lost.
    LosesConst,
    /// The types are of different kinds.
    OtherKind,
}

/// Facts about a value beside its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Known {
    /// The whole number zero, or `NULL`.
    pub(crate) is_zero: bool,
    /// True if the value is known when the file is compiled.
    pub(crate) is_constant: bool,
}

impl Layer {
    /// Converts a value to a type, as an assignment, an initializer, an argument or a `return` does.
    pub(crate) fn convert(&mut self, from: Ty, to: Ty, known: Known) -> Result<(), Refusal> {
        if from == to || self.is_open(from) || self.is_open(to) {
            return Ok(());
        }
        if known.is_zero && matches!(self.kind(self.target(to)), TypeKind::Pointer(..)) {
            return Ok(());
        }
        if let TypeKind::Reference(to) = *self.kind(to) {
            return self.bind_reference(from, to);
        }
        let from = self.target(from);
        self.convert_value(from, to)
    }

    /// A reference takes what has the very type that it refers to.
    fn bind_reference(&mut self, from: Ty, to: Ty) -> Result<(), Refusal> {
        let from = self.target(from);
        if self.is_varying(from) && self.is_uniform(to) {
            return Err(Refusal::VaryingToUniform);
        }
        if let (TypeKind::Array(of, _), TypeKind::Array(to, _)) = (self.kind(from).clone(), self.kind(to).clone())
            && self.is_alike(of, to)
        {
            return Ok(());
        }
        if !self.is_alike(from, to) {
            return Err(Refusal::OtherKind);
        }
        if self.is_const(from) && !self.is_const(to) { Err(Refusal::LosesConst) } else { Ok(()) }
    }

    fn convert_value(&mut self, from: Ty, to: Ty) -> Result<(), Refusal> {
        let (from_kind, to_kind) = (self.kind(from).clone(), self.kind(to).clone());
        match (&from_kind, &to_kind) {
            (TypeKind::Atomic(Atomic::Void, _), _) | (_, TypeKind::Atomic(Atomic::Void, _)) => {
                return Err(Refusal::OtherKind);
            }
            (TypeKind::Function(..), TypeKind::Pointer(of, _)) => {
                let is_same = self.is_void(*of) || self.is_alike(from, *of);
                return if is_same { Ok(()) } else { Err(Refusal::OtherKind) };
            }
            (TypeKind::Function(..), _) | (_, TypeKind::Function(..)) => return Err(Refusal::OtherKind),
            (TypeKind::Array(of, _), TypeKind::Pointer(to, _)) => {
                let is_same = self.is_void(*to) || self.is_alike(*of, *to);
                return if is_same { Ok(()) } else { Err(Refusal::OtherKind) };
            }
            _ => {}
        }
        if self.is_uniform(to) && self.is_varying(from) {
            return Err(Refusal::VaryingToUniform);
        }
        let is_fine = match (&from_kind, &to_kind) {
            (TypeKind::Pointer(..), TypeKind::Atomic(Atomic::Bool, _)) => true,
            (TypeKind::Pointer(of, _), TypeKind::Pointer(to, _)) => {
                if self.is_void(*to) && self.is_const(*of) && !self.is_const(*to) {
                    return Err(Refusal::LosesConst);
                }
                // What is stored in groups is pointed to by its group and the place in that.
                let is_group = |layer: &Layer| matches!(layer.lanes(*to), Some(Lanes::Soa(_)));
                let is_same_struct = match (self.kind(*of), self.kind(*to)) {
                    (TypeKind::Struct(of, _), TypeKind::Struct(to, _)) => of == to,
                    _ => false,
                };
                self.is_void(*to) || self.is_alike(*of, *to) || (is_group(self) && is_same_struct)
            }
            (TypeKind::Array(of, _), TypeKind::Array(to, _)) => self.is_alike(*of, *to),
            (TypeKind::Vector(_, of), TypeKind::Vector(_, to)) => of == to,
            (TypeKind::Struct(of, _), TypeKind::Struct(to, _)) => of == to,
            (TypeKind::Enum(of, _), TypeKind::Enum(to, _)) => of == to,
            (TypeKind::Enum(..) | TypeKind::Atomic(..), TypeKind::Atomic(..) | TypeKind::Vector(..)) => true,
            _ => false,
        };
        if is_fine { Ok(()) } else { Err(Refusal::OtherKind) }
    }

    pub(crate) fn is_void(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TypeKind::Atomic(Atomic::Void, _))
    }

    /// The type in which two operands meet; none if there is no such type.
    pub(crate) fn general(&mut self, one: Ty, other: Ty, force_varying: bool) -> Option<Ty> {
        let (mut one, mut other) = (self.target(one), self.target(other));
        if self.is_open(one) || self.is_open(other) {
            return Some(Ty::UNKNOWN);
        }
        for ty in [&mut one, &mut other] {
            if matches!(self.kind(*ty), TypeKind::Function(..)) {
                *ty = self.pointer(*ty, Lanes::Uniform);
            }
        }
        if self.is_varying(one) || self.is_varying(other) || force_varying {
            one = self.with_lanes(one, Lanes::Varying);
            other = self.with_lanes(other, Lanes::Varying);
        }
        if one == other {
            return Some(one);
        }
        if self.is_alike(one, other) {
            return Some(self.with_const(one, false));
        }
        let (one_kind, other_kind) = (self.kind(one).clone(), self.kind(other).clone());
        match (one_kind, other_kind) {
            (TypeKind::Pointer(of, _), TypeKind::Pointer(..)) if self.is_void(of) => Some(other),
            (TypeKind::Pointer(..), TypeKind::Pointer(of, _)) if self.is_void(of) => Some(one),
            (TypeKind::Vector(a, n), TypeKind::Vector(b, m)) if n == m => self.general_vector(a, b, n, force_varying),
            (TypeKind::Vector(a, n), TypeKind::Atomic(..) | TypeKind::Enum(..)) => {
                self.general_vector(a, other, n, force_varying)
            }
            (TypeKind::Atomic(..) | TypeKind::Enum(..), TypeKind::Vector(b, n)) => {
                self.general_vector(one, b, n, force_varying)
            }
            (TypeKind::Enum(_, lanes), TypeKind::Enum(..)) => Some(self.atomic(Atomic::Uint32, lanes)),
            (TypeKind::Enum(..), TypeKind::Atomic(..)) => Some(self.with_const(other, false)),
            (TypeKind::Atomic(..), TypeKind::Enum(..)) => Some(self.with_const(one, false)),
            (TypeKind::Atomic(a, _), TypeKind::Atomic(b, _)) if a != Atomic::Void && b != Atomic::Void => {
                let more = if a >= b { one } else { other };
                Some(self.with_const(more, false))
            }
            _ => None,
        }
    }

    fn general_vector(&mut self, one: Ty, other: Ty, count: Count, force_varying: bool) -> Option<Ty> {
        let of = self.general(one, other, force_varying)?;
        Some(self.make(TypeKind::Vector(of, count)))
    }

    /// The truth values of a comparison of values of a type.
    pub(crate) fn truth_of(&mut self, ty: Ty) -> Ty {
        let lanes = if self.is_varying(ty) { Lanes::Varying } else { Lanes::Uniform };
        let truth = self.atomic(Atomic::Bool, lanes);
        match *self.kind(ty) {
            TypeKind::Vector(_, count) => self.make(TypeKind::Vector(truth, count)),
            _ => truth,
        }
    }

    /// Returns true if a number becomes one of a wider type, as overloads count it.
    pub(crate) fn widens(&self, from: Ty, to: Ty) -> bool {
        use Atomic::*;
        let (TypeKind::Atomic(from, own), TypeKind::Atomic(to, others)) = (self.kind(from), self.kind(to)) else {
            return false;
        };
        if own != others {
            return false;
        }
        match from {
            Bool => true,
            Int8 | Uint8 => *to != Bool,
            Int16 | Uint16 => !matches!(to, Bool | Int8 | Uint8),
            Int32 | Uint32 => matches!(to, Int32 | Uint32 | Int64 | Uint64),
            Float16 => matches!(to, Float | Double),
            Float => *to == Double,
            Int64 | Uint64 => matches!(to, Int64 | Uint64),
            Double | Void => false,
        }
    }
}
