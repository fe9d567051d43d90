//! Sums of products of short integers: x86 multiplies 16-bit integers and adds the products of each two neighbours in
//! one instruction. If only the sum over all lanes is used in the end, it does not matter which lane a product is added
//! to, so each is added to its neighbour's first, in half as many lanes.
//!
//! ```text
//! s +% (i32(a) * i32(b))      s +% permute(even(products) +% odd(products), zeros)
//! ```

use super::Context;
use super::only_sum::LaneSum;
use ir::entities::Value;
use ir::ops::Code;
use ir::program::{Attr, Kernel};
use ir::types::Elem;

/// Adds neighbouring products first; says whether there are any.
pub fn products(kernel: &mut Kernel, context: &mut Context) -> bool {
    if !context.options.target.adds_products {
        return false;
    }
    let sums = LaneSum::of_kernel(kernel, |added| is_product(kernel, added));
    for sum in &sums {
        let products = sum.added(kernel);
        let lanes = kernel.ty(products).lanes().expect("products in lanes");
        sum.add_instead(kernel, |b| {
            let [even, odd] = [0, 1].map(|first| {
                let pattern = (0..lanes / 2).map(|pair| 2 * pair + first).collect();
                b.op_with(Code::Permute, Attr::Pattern(pattern), &[products])
            });
            b.op(Code::WrappingAdd, &[even, odd])
        });
    }
    !sums.is_empty()
}

/// Says whether a value is products of short integers, an even number of them.
fn is_product(kernel: &Kernel, value: Value) -> bool {
    let ty = kernel.ty(value);
    let is_short = |&value: &Value| {
        let cast = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|cast| cast.code == Code::Cast);
        let from = cast.and_then(|cast| kernel.ty(cast.operands[0]).data_elem());
        from.is_some_and(|from| matches!(from, Elem::I8 | Elem::U8 | Elem::I16))
    };
    let product = kernel.def_op(value).map(|op| &kernel.ops[op]);
    ty.data_elem().is_some_and(|elem| elem.bytes() == 4)
        && ty.lanes().is_some_and(|lanes| lanes % 2 == 0)
        && product.is_some_and(|product| {
            matches!(product.code, Code::Mul | Code::WrappingMul) && product.operands.iter().all(is_short)
        })
}
