//! The ops that have a vector form worth packing, and what their scalar and vector forms cost.

use ir::entities::Op;
use ir::ops::Code;
use ir::program::{Attr, Kernel};
use ir::target::Target;
use ir::types::{Elem, Type};

/// The bytes of what the widest dividers do at once.
const DIVIDER: usize = 32;

/// The code of which some lanes may be where the others are of the given one.
pub(super) fn other_of_pair(code: Code) -> Option<Code> {
    Some(match code {
        Code::Add => Code::Sub,
        Code::Sub => Code::Add,
        Code::WrappingAdd => Code::WrappingSub,
        Code::WrappingSub => Code::WrappingAdd,
        Code::Min => Code::Max,
        Code::Max => Code::Min,
        _ => return None,
    })
}

/// Says whether an op can be a lane of a vector op.
pub(crate) fn is_packable(kernel: &Kernel, op: Op, target: &Target) -> bool {
    let data = &kernel.ops[op];
    let is_scalar = |value: &ir::entities::Value| matches!(kernel.ty(*value), Type::Data { lanes: None, .. });
    data.code.is_elementwise()
        && data.results.len() == 1
        && data.operands.iter().chain(&data.results).all(is_scalar)
        && vector_steps(kernel, op, target).is_some()
}

/// Returns the number of plain vector ops that an op in lanes takes for a register, divisions aside; `None` where lanes are done one by one.
fn vector_steps(kernel: &Kernel, op: Op, target: &Target) -> Option<u32> {
    let data = &kernel.ops[op];
    let elem = kernel.ty(*data.operands.first()?).data_elem()?;
    let result = kernel.ty(*data.results.first()?).data_elem()?;
    if elem.is_half() || result.is_half() {
        return None;
    }
    let is_wide_register = target.register_bytes >= 64;
    match data.code {
        Code::Add | Code::Sub | Code::Neg | Code::WrappingAdd | Code::WrappingSub => Some(1),
        Code::Mul | Code::WrappingMul if elem.is_float() => Some(1),
        Code::Mul | Code::WrappingMul => Some(match elem.bytes() {
            8 if !is_wide_register => 6,
            1 => 4,
            _ => 1,
        }),
        Code::Div | Code::Sqrt | Code::Rsqrt | Code::Rcp if elem.is_float() => Some(1),
        Code::Min | Code::Max | Code::Abs => Some(if elem.bytes() == 8 && elem.is_integer() { 3 } else { 1 }),
        Code::Fma | Code::MulAdd if target.fma => Some(1),
        Code::MulAdd => Some(2),
        Code::And | Code::Or | Code::Xor | Code::Not => Some(1),
        // By one constant all lanes are shifted by one instruction; 1-byte integers have none.
        Code::Shl | Code::Shr if elem.bytes() >= 2 && kernel.as_const(data.operands[1]).is_some() => Some(1),
        // Vectors of 1-byte and, mostly, of 2-byte integers have no shifts by lane.
        Code::Shl | Code::Shr if elem.bytes() >= 4 => Some(if target.register_bytes >= 32 { 1 } else { 4 }),
        Code::Lt | Code::Le | Code::Gt | Code::Ge | Code::Eq | Code::Ne => Some(1),
        Code::Isnan | Code::Select | Code::Bitcast => Some(1),
        Code::Cast => converts_in_lanes(elem, result, &data.attr).then_some(2),
        // Rounding to whole numbers, and whatever else makes a float of one.
        _ if data.operands.len() == 1 && elem.is_float() && result == elem => Some(1),
        _ => None,
    }
}

/// Says whether a vector instruction converts one type to another, as all targets have it.
fn converts_in_lanes(from: Elem, to: Elem, attr: &Attr) -> bool {
    let is_bool = from == Elem::Bool || to == Elem::Bool;
    let is_wide = |elem: Elem| elem.is_integer() && elem.bytes() == 8;
    let mixed = from.is_float() != to.is_float();
    // Between floats and integers of 8 bytes, or unsigned ones of 4, lanes are often done one by one.
    let is_odd = |elem: Elem| is_wide(elem) || elem == Elem::U32;
    matches!(attr, Attr::Elem(_)) && !is_bool && !(mixed && (is_odd(from) || is_odd(to)))
}

/// The cost of an op as a scalar one, in the target's units; nothing for what is a part of addresses.
pub(crate) fn scalar_cost(kernel: &Kernel, op: Op, target: &Target) -> u32 {
    let costs = &target.costs;
    let data = &kernel.ops[op];
    u32::from(match data.code {
        Code::Load => costs.load,
        Code::Store => costs.store,
        Code::Div | Code::Sqrt | Code::Rsqrt | Code::Rcp => costs.divide,
        code if code.is_elementwise() && code != Code::Index => costs.arithmetic,
        _ => 0,
    })
}

/// The cost of some ops like this one as a vector op of so many lanes.
pub(crate) fn vector_cost(kernel: &Kernel, op: Op, width: usize, target: &Target) -> u32 {
    let costs = &target.costs;
    let data = &kernel.ops[op];
    let types = data.operands.iter().chain(&data.results).filter_map(|&value| kernel.ty(value).data_elem());
    let bytes = types.filter(|elem| *elem != Elem::Bool).map(Elem::bytes).max().unwrap_or(1);
    let each = match data.code {
        // No divider is wider than 32 bytes. A target without vectors divides one by one.
        Code::Div | Code::Sqrt | Code::Rsqrt | Code::Rcp => {
            let divider = DIVIDER.min(target.register_bytes.into()).max(bytes);
            return (width * bytes).div_ceil(divider) as u32 * u32::from(costs.divide);
        }
        _ => vector_steps(kernel, op, target).unwrap_or(u32::from(u16::MAX)) * u32::from(costs.arithmetic),
    };
    registers(target, width, bytes) * each
}

/// Returns the number of registers that a vector fills.
pub(crate) fn registers(target: &Target, width: usize, bytes: usize) -> u32 {
    (width * bytes).div_ceil(usize::from(target.register_bytes).max(bytes)).max(1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_divides() {
        let text = "\
kernel k(a: f32, b: f32) -> f32:
    return (a / b)
";
        let kernel = ir::read(text, None).expect("a kernel").remove(0);
        let op = kernel.regions[kernel.body].ops[0];
        // One without vectors divides one by one.
        let costs = ir::target::TARGETS.iter().map(|target| vector_cost(&kernel, op, 4, target));
        assert!(costs.clone().all(|cost| cost > 0), "{:?}", costs.collect::<Vec<_>>());
    }
}
