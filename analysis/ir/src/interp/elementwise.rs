//! Ops that work element by element.

use std::sync::Arc;

use smallvec::SmallVec;

use super::data::{Cell, Reg};
use super::machine::Machine;
use super::{ErrorKind, Run};
use crate::entities::Op;
use crate::ops::Code;
use crate::program::Attr;
use crate::running;
use crate::scalar::{self, Checked, Scalar};
use crate::types::Elem;

/// The operands of an op, of which few have more than three.
type Scalars = SmallVec<[Scalar; 4]>;

/// The result of an elementwise op for these elements; `None` for any other op.
///
/// `select` is one of them, here with all three sides known.
pub fn evaluate(code: Code, attr: &Attr, x: &[Scalar]) -> Option<Checked> {
    let bool = |value: bool| Ok(Scalar::Bool(value));
    Some(match code {
        Code::Add => scalar::add(x[0], x[1]),
        Code::Sub => scalar::sub(x[0], x[1]),
        Code::Mul => scalar::mul(x[0], x[1]),
        Code::Div => scalar::div(x[0], x[1]),
        Code::FloorDiv => scalar::floor_div(x[0], x[1]),
        Code::Rem => scalar::rem(x[0], x[1]),
        Code::WrappingAdd => Ok(scalar::wrapping_add(x[0], x[1])),
        Code::WrappingSub => Ok(scalar::wrapping_sub(x[0], x[1])),
        Code::WrappingMul => Ok(scalar::wrapping_mul(x[0], x[1])),
        Code::Advance => scalar::advance(x[0], x[1]),
        Code::Neg => scalar::neg(x[0]),
        Code::Abs => scalar::abs(x[0]),
        Code::Min => Ok(scalar::min(x[0], x[1])),
        Code::Max => Ok(scalar::max(x[0], x[1])),
        Code::Sqrt => Ok(scalar::sqrt(x[0])),
        Code::Rsqrt => Ok(scalar::rsqrt(x[0])),
        Code::Rcp => Ok(scalar::rcp(x[0])),
        Code::Floor => Ok(scalar::floor(x[0])),
        Code::Ceil => Ok(scalar::ceil(x[0])),
        Code::Round => Ok(scalar::round(x[0])),
        Code::Trunc => Ok(scalar::trunc(x[0])),
        Code::Fma => Ok(scalar::fma(x[0], x[1], x[2])),
        Code::MulAdd => Ok(scalar::mul_add(x[0], x[1], x[2])),
        Code::And => Ok(scalar::and(x[0], x[1])),
        Code::Or => Ok(scalar::or(x[0], x[1])),
        Code::Xor => Ok(scalar::xor(x[0], x[1])),
        Code::Not => Ok(scalar::not(x[0])),
        Code::Shl => scalar::shl(x[0], x[1]),
        Code::Shr => scalar::shr(x[0], x[1]),
        Code::MulHigh => Ok(scalar::mul_high(x[0], x[1])),
        Code::Popcount => Ok(scalar::popcount(x[0])),
        Code::Clz => Ok(scalar::clz(x[0])),
        Code::Ctz => Ok(scalar::ctz(x[0])),
        Code::ByteSwap => Ok(scalar::byte_swap(x[0])),
        Code::ReverseBits => Ok(scalar::reverse_bits(x[0])),
        Code::AddSat => Ok(scalar::add_sat(x[0], x[1])),
        Code::SubSat => Ok(scalar::sub_sat(x[0], x[1])),
        Code::Lt => bool(scalar::lt(x[0], x[1])),
        Code::Le => bool(scalar::le(x[0], x[1])),
        Code::Gt => bool(scalar::lt(x[1], x[0])),
        Code::Ge => bool(scalar::le(x[1], x[0])),
        Code::Eq => bool(scalar::eq(x[0], x[1])),
        Code::Ne => bool(!scalar::eq(x[0], x[1])),
        Code::Isnan => Ok(scalar::isnan(x[0])),
        Code::Select => Ok(if x[0].is_true() { x[1] } else { x[2] }),
        Code::Cast => scalar::cast(x[0], elem_of(attr)?),
        Code::Bitcast => Ok(scalar::bitcast(x[0], elem_of(attr)?)),
        Code::Index => Ok(Scalar::saturate(Elem::I64, x[0].wide()?)),
        _ => return running::evaluate(code, attr, x).map(Ok),
    })
}

fn elem_of(attr: &Attr) -> Option<Elem> {
    match attr {
        Attr::Elem(elem) => Some(*elem),
        _ => None,
    }
}

impl Machine {
    /// Runs an elementwise op.
    pub(super) fn elementwise(&mut self, op: Op) -> Run<()> {
        let result = self.kernel().ops[op].results[0];
        if self.kernel().ty(result).is_view() {
            return self.make_arrays(op);
        }
        let Some(lanes) = self.kernel().ty(result).lanes() else {
            return self.make_each(result, |machine, lane| machine.elementwise_scalar(op, lane));
        };
        let cells: Option<Box<[Cell]>> = (0..lanes).map(|lane| self.elementwise_lane(op, lane)).collect();
        self.set(result, Reg::Lanes(cells.expect("a verified elementwise op")));
        Ok(())
    }

    fn elementwise_scalar(&self, op: Op, lane: Option<u16>) -> Run<Cell> {
        let data = &self.kernel().ops[op];
        let scalars: Scalars = data.operands.iter().map(|&operand| self.scalar(operand, lane)).collect();
        let checked = evaluate(data.code, &data.attr, &scalars);
        let checked = checked.expect("a verified elementwise op");
        checked.map(Cell::Data).map_err(|fault| self.error(op, lane, ErrorKind::Arithmetic(fault)))
    }

    fn elementwise_lane(&self, op: Op, lane: u16) -> Option<Cell> {
        let data = &self.kernel().ops[op];
        let cell = |number: usize| self.reg(data.operands[number]).lane(lane.into());
        if let Some(settled) = settled_early(data.code, &cell) {
            return Some(settled);
        }
        let mut scalars = Scalars::new();
        for number in 0..data.operands.len() {
            match cell(number)? {
                Cell::Data(scalar) => scalars.push(*scalar),
                Cell::Failed(error) => return Some(Cell::Failed(Arc::clone(error))),
                Cell::View(_) | Cell::Off => return None,
            }
        }
        Some(match evaluate(data.code, &data.attr, &scalars)? {
            Ok(scalar) => Cell::Data(scalar),
            Err(fault) => Cell::Failed(self.error(op, Some(lane), ErrorKind::Arithmetic(fault))),
        })
    }
}

/// The result of a lane although an operand that does not matter failed.
fn settled_early<'c>(code: Code, cell: &impl Fn(usize) -> Option<&'c Cell>) -> Option<Cell> {
    let is = |number: usize, wanted: bool| matches!(cell(number), Some(Cell::Data(Scalar::Bool(is))) if *is == wanted);
    match code {
        Code::And if is(0, false) || is(1, false) => Some(Cell::Data(Scalar::Bool(false))),
        Code::Or if is(0, true) || is(1, true) => Some(Cell::Data(Scalar::Bool(true))),
        Code::Select if is(0, true) => cell(1).cloned(),
        Code::Select if is(0, false) => cell(2).cloned(),
        _ => None,
    }
}
