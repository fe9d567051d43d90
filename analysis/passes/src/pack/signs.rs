//! Signs of constants: what a multiple by a constant is subtracted from, its multiple by the opposite constant is added to. So sums and
//! differences of multiples become sums, which go together.
//!
//! ```text
//! out[0] = x + 0.5 * y            out[0] = x + 0.5 * y
//! out[1] = x - 0.3 * y            out[1] = x + -0.3 * y
//! ```
//!
//! The bits are the same: rounding knows no sign, and a difference is the sum with the opposite number.

use ir::entities::{EntityVec, Op, Value};
use ir::ops::Code;
use ir::program::Kernel;
use ir::scalar::{self, Scalar};

use super::regions_in_order;

/// Adds opposite multiples in place of what is subtracted; says whether there are any.
pub(super) fn add_opposites(kernel: &mut Kernel) -> bool {
    let uses = kernel.use_counts();
    let mut found: Vec<(Op, Op, usize, Scalar)> = Vec::new();
    for region in regions_in_order(kernel) {
        for &op in &kernel.regions[region].ops {
            let data = &kernel.ops[op];
            let Some((product, place, factor)) =
                (data.code == Code::Sub).then(|| multiple(kernel, &uses, data.operands[1])).flatten()
            else {
                continue;
            };
            found.push((op, product, place, factor));
        }
    }
    for &(op, product, place, factor) in &found {
        let opposite = kernel.constant(scalar::neg(factor).expect("floats have opposites"));
        kernel.ops[product].operands[place] = opposite;
        kernel.ops[op].code = Code::Add;
    }
    !found.is_empty()
}

/// The product that makes a value, if that is a float by a constant which nothing else uses: with the place of the constant.
fn multiple(kernel: &Kernel, uses: &EntityVec<Value, u32>, value: Value) -> Option<(Op, usize, Scalar)> {
    let product = kernel.def_op(value)?;
    let data = &kernel.ops[product];
    let is_float = kernel.ty(value).data_elem().is_some_and(|elem| elem.is_float());
    if data.code != Code::Mul || uses[value] != 1 || !is_float {
        return None;
    }
    let place = data.operands.iter().position(|&operand| kernel.as_const(operand).is_some())?;
    kernel.as_const(data.operands[place]).map(|factor| (product, place, factor))
}
