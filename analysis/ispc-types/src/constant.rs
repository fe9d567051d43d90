//! Numbers as they are written, and whole numbers that are known when a file is compiled: lengths of arrays, values of enumerations,
//! arguments of templates.

use ispc::kinds::Kind;
use ispc::tree::NodeKind;

use crate::layer::Layer;
use crate::source::Source;
use crate::ty::Atomic;

/// The deepest that the expression of a constant may be.
const DEEPEST: u32 = 200;

/// The value of an expression, if it is a whole number that can be computed here.
pub fn value(source: &dyn Source, layer: &Layer, node: usize) -> Option<i128> {
    within(source, layer, node, 0)
}

fn within(source: &dyn Source, layer: &Layer, node: usize, depth: u32) -> Option<i128> {
    if depth > DEEPEST {
        return None;
    }
    let of = |node: usize| within(source, layer, node, depth + 1);
    let data = source.node(node);
    let children = source.children(node);
    match data.kind {
        NodeKind::Literal => {
            literal(source.kind(data.first), &source.text(data.first)).and_then(|literal| literal.value)
        }
        NodeKind::NameUse => layer.value(source.target(data.first)?),
        NodeKind::Paren | NodeKind::Cast => of(*children.last()?),
        NodeKind::Prefix => prefix(source.kind(data.first), of(*children.first()?)?),
        NodeKind::Binary => {
            let (left, right) = (*children.first()?, *children.get(1)?);
            binary(source.kind(source.node(left).end), of(left)?, of(right)?)
        }
        NodeKind::Conditional => {
            let condition = of(*children.first()?)?;
            of(*children.get(if condition != 0 { 1 } else { 2 })?)
        }
        _ => None,
    }
}

/// The value of a prefix operator.
pub fn prefix(operator: Kind, value: i128) -> Option<i128> {
    Some(match operator {
        Kind::Plus => value,
        Kind::Minus => -value,
        Kind::Tilde => !value,
        Kind::Bang => i128::from(value == 0),
        _ => return None,
    })
}

/// The value of an operator between two numbers.
pub fn binary(operator: Kind, left: i128, right: i128) -> Option<i128> {
    let shift = || u32::try_from(right).ok().filter(|by| *by < 64);
    Some(match operator {
        Kind::Plus => left.checked_add(right)?,
        Kind::Minus => left.checked_sub(right)?,
        Kind::Star => left.checked_mul(right)?,
        Kind::Slash => left.checked_div(right)?,
        Kind::Percent => left.checked_rem(right)?,
        Kind::LtLt => left.checked_mul(1 << shift()?)?,
        Kind::GtGt => left >> shift()?,
        Kind::Amp => left & right,
        Kind::Pipe => left | right,
        Kind::Caret => left ^ right,
        Kind::AmpAmp => i128::from(left != 0 && right != 0),
        Kind::PipePipe => i128::from(left != 0 || right != 0),
        Kind::EqEq => i128::from(left == right),
        Kind::BangEq => i128::from(left != right),
        Kind::Lt => i128::from(left < right),
        Kind::LtEq => i128::from(left <= right),
        Kind::Gt => i128::from(left > right),
        Kind::GtEq => i128::from(left >= right),
        _ => return None,
    })
}

/// A literal: its type, and its value if it is whole.
pub struct Literal {
    /// The type.
    pub atomic: Atomic,
    /// The value of a whole number.
    pub value: Option<i128>,
}

/// Reads a literal that is a number or a truth value.
pub fn literal(kind: Kind, text: &str) -> Option<Literal> {
    match kind {
        Kind::True | Kind::False => Some(Literal { atomic: Atomic::Bool, value: Some(i128::from(kind == Kind::True)) }),
        Kind::Number => Some(number(text)),
        _ => None,
    }
}

fn number(text: &str) -> Literal {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
        (Some(rest), _) => (rest, 16),
        (_, Some(rest)) => (rest, 2),
        _ => (lower.as_str(), 10),
    };
    let is_real = match radix {
        10 => digits.contains(['.', 'e', 'f', 'd']),
        16 => digits.contains(['.', 'p']),
        _ => false,
    };
    if is_real {
        let atomic = match () {
            _ if digits.ends_with("f16") => Atomic::Float16,
            _ if digits.ends_with('d') || radix == 10 && digits.contains('d') => Atomic::Double,
            _ => Atomic::Float,
        };
        return Literal { atomic, value: None };
    }
    let end = digits.find(|char: char| !char.is_digit(radix)).unwrap_or(digits.len());
    let suffix = &digits[end..];
    let factor = match text.as_bytes().get(text.len() - suffix.len()) {
        Some(b'k') => 1 << 10,
        Some(b'M') => 1 << 20,
        Some(b'G') => 1 << 30,
        _ => 1,
    };
    let value = i128::from_str_radix(&digits[..end], radix).ok().and_then(|value| value.checked_mul(factor));
    let (n_longs, is_unsigned) = (suffix.matches('l').count(), suffix.contains('u'));
    let fits = |most: i128| value.is_some_and(|value| value <= most);
    let atomic = match (n_longs, is_unsigned) {
        (2.., true) => Atomic::Uint64,
        (2.., false) => Atomic::Int64,
        (1, true) => Atomic::Uint32,
        (1, false) => Atomic::Int32,
        (_, true) if fits(u32::MAX.into()) => Atomic::Uint32,
        (_, true) => Atomic::Uint64,
        _ if fits(i32::MAX.into()) => Atomic::Int32,
        _ if fits(u32::MAX.into()) => Atomic::Uint32,
        _ if fits(i64::MAX.into()) => Atomic::Int64,
        _ => Atomic::Uint64,
    };
    Literal { atomic, value }
}
