//! Operators of scalars: the op of each, and its rule in [`ir::scalar`] for constants and for the evaluator.

use ir::scalar::{self, Checked};
use ir::{Code, Scalar};

use crate::{BinOp, UnaryOp};

/// `a op b`; `None` for one that is no function of two values.
pub(crate) fn binary(op: BinOp, a: Scalar, b: Scalar) -> Option<Checked> {
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
        // These two decide which of their sides is evaluated at all; a power takes an exponent that is known.
        BinOp::And | BinOp::Or | BinOp::Pow => return None,
    })
}

/// The op of `a op b`, where both sides are evaluated; `None` for a power, which is several.
pub fn code(op: BinOp) -> Option<Code> {
    Some(match op {
        BinOp::Add => Code::Add,
        BinOp::Sub => Code::Sub,
        BinOp::Mul => Code::Mul,
        BinOp::Div => Code::Div,
        BinOp::FloorDiv => Code::FloorDiv,
        BinOp::Rem => Code::Rem,
        BinOp::BitAnd | BinOp::And => Code::And,
        BinOp::BitOr | BinOp::Or => Code::Or,
        BinOp::BitXor => Code::Xor,
        BinOp::Shl => Code::Shl,
        BinOp::Shr => Code::Shr,
        BinOp::Lt => Code::Lt,
        BinOp::Le => Code::Le,
        BinOp::Gt => Code::Gt,
        BinOp::Ge => Code::Ge,
        BinOp::Eq => Code::Eq,
        BinOp::Ne => Code::Ne,
        BinOp::Pow => return None,
    })
}

/// Says whether an exponent is the 2 of floats, whose powers are products.
pub fn is_square(exponent: Scalar) -> bool {
    exponent == Scalar::F32(2.0) || exponent == Scalar::F64(2.0)
}

/// Computes `op a`.
pub(crate) fn unary(op: UnaryOp, a: Scalar) -> Checked {
    match op {
        UnaryOp::Neg => scalar::neg(a),
        UnaryOp::Plus => Ok(a),
        UnaryOp::BitNot | UnaryOp::Not => Ok(scalar::not(a)),
    }
}
