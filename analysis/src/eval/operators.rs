//! Operators and functions of scalars, each by its rule in [`ir::scalar`].

use ir::scalar::{self, Checked};
use ir::{Elem, Scalar};

use crate::hir::{BinOp, UnaryOp};

/// `a op b`; `None` for an operator that has no rule.
pub(super) fn binary(op: BinOp, a: Scalar, b: Scalar) -> Option<Checked> {
    Some(match op {
        BinOp::Add => scalar::add(a, b),
        BinOp::Sub => scalar::sub(a, b),
        BinOp::Mul => scalar::mul(a, b),
        BinOp::Div => scalar::div(a, b),
        BinOp::FloorDiv => scalar::floor_div(a, b),
        BinOp::Rem => scalar::rem(a, b),
        BinOp::BitAnd => Ok(scalar::and(a, b)),
        BinOp::BitOr => Ok(scalar::or(a, b)),
        BinOp::BitXor => Ok(scalar::xor(a, b)),
        BinOp::Shl => scalar::shl(a, b),
        BinOp::Shr => scalar::shr(a, b),
        BinOp::Lt => Ok(scalar::lt(a, b).into()),
        BinOp::Le => Ok(scalar::le(a, b).into()),
        BinOp::Gt => Ok(scalar::lt(b, a).into()),
        BinOp::Ge => Ok(scalar::le(b, a).into()),
        BinOp::Eq => Ok(scalar::eq(a, b).into()),
        BinOp::Ne => Ok((!scalar::eq(a, b)).into()),
        // These two decide which of their sides is evaluated at all; a power has no rule yet.
        BinOp::And | BinOp::Or | BinOp::Pow => return None,
    })
}

/// `op a`.
pub(super) fn unary(op: UnaryOp, a: Scalar) -> Checked {
    match op {
        UnaryOp::Neg => scalar::neg(a),
        UnaryOp::Plus => Ok(a),
        UnaryOp::BitNot | UnaryOp::Not => Ok(scalar::not(a)),
    }
}

/// A function of scalars, applied to its arguments.
pub(super) type Function = fn(&[Scalar]) -> Checked;

/// The rule of a builtin that works on scalars alone; `None` for one that has no rule yet.
pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "min" => |x| Ok(scalar::min(x[0], x[1])),
        "max" => |x| Ok(scalar::max(x[0], x[1])),
        "abs" => |x| scalar::abs(x[0]),
        "sqrt" => |x| Ok(scalar::sqrt(x[0])),
        "rsqrt" => |x| Ok(scalar::rsqrt(x[0])),
        "rcp" => |x| Ok(scalar::rcp(x[0])),
        "floor" => |x| Ok(scalar::floor(x[0])),
        "ceil" => |x| Ok(scalar::ceil(x[0])),
        "round" => |x| Ok(scalar::round(x[0])),
        "trunc" => |x| Ok(scalar::trunc(x[0])),
        "fma" => |x| Ok(scalar::fma(x[0], x[1], x[2])),
        "isnan" => |x| Ok(scalar::isnan(x[0])),
        "popcount" => |x| Ok(scalar::popcount(x[0])),
        "clz" => |x| Ok(scalar::clz(x[0])),
        "ctz" => |x| Ok(scalar::ctz(x[0])),
        _ => return None,
    })
}

/// The element type of a scalar type.
pub(super) fn elem(scalar: crate::scalar::Scalar) -> Elem {
    use crate::scalar::Scalar as Type;
    match scalar {
        Type::Bool => Elem::Bool,
        Type::I8 => Elem::I8,
        Type::I16 => Elem::I16,
        Type::I32 => Elem::I32,
        Type::I64 => Elem::I64,
        Type::U8 => Elem::U8,
        Type::U16 => Elem::U16,
        Type::U32 => Elem::U32,
        Type::U64 => Elem::U64,
        Type::F32 => Elem::F32,
        Type::F64 => Elem::F64,
    }
}
