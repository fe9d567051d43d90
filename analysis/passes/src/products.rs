//! Sums of products of short integers: x86 multiplies 16-bit integers and adds the products of each two neighbours in
//! one instruction. If only the sum over all lanes is used in the end, it does not matter which lane a product is added
//! to, so each is added to its neighbour's first, in half as many lanes.
//!
//! ```text
//! s +% (i32(a) * i32(b))      s +% permute(even(products) +% odd(products), zeros)
//! ```

use std::collections::HashSet;

use super::Context;
use ir::builder::Builder;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel};
use ir::scalar::Scalar;
use ir::types::Elem;

/// Adds neighbouring products first; says whether there are any.
pub fn products(kernel: &mut Kernel, context: &mut Context) -> bool {
    if !context.options.target.adds_products {
        return false;
    }
    let mut sums = Vec::new();
    kernel.walk(kernel.body, &mut |_, op| {
        // Elsewhere the few rounds there are would not pay for it.
        if kernel.ops[op].code == Code::VectorFor && kernel.control(op).is_some_and(|control| control.marks.rolled) {
            let region = kernel.ops[op].regions[0];
            let n_carried = kernel.regions[region].yields.len();
            sums.extend((0..n_carried).filter_map(|number| Sum::of(kernel, op, region, number)));
        }
    });
    sums.iter().for_each(|sum| sum.write(kernel));
    !sums.is_empty()
}

/// A sum of products that a loop carries.
struct Sum {
    region: Region,
    /// The op that adds them.
    add: Op,
    /// The position of the product among its operands.
    number: usize,
}

impl Sum {
    fn of(kernel: &Kernel, op: Op, region: Region, number: usize) -> Option<Sum> {
        let data = &kernel.regions[region];
        let &arg = data.args.get(1 + number)?;
        let add = kernel.def_op(data.yields[number]).filter(|add| data.ops.contains(add))?;
        let of_add = &kernel.ops[add];
        let at = of_add.operands.iter().position(|&value| value != arg)?;
        if of_add.code != Code::WrappingAdd || of_add.operands[1 - at] != arg {
            return None;
        }
        let product = &kernel.ops[kernel.def_op(of_add.operands[at])?];
        let is_short = |&value: &Value| {
            let cast = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|cast| cast.code == Code::Cast);
            let from = cast.and_then(|cast| kernel.ty(cast.operands[0]).data_elem());
            from.is_some_and(|from| matches!(from, Elem::I8 | Elem::U8 | Elem::I16))
        };
        let ty = kernel.ty(arg);
        let fits = ty.data_elem().is_some_and(|elem| elem.is_integer() && elem.bytes() == 4)
            && ty.lanes().is_some_and(|lanes| lanes % 2 == 0)
            && kernel.ty(of_add.operands[at]).lanes() == ty.lanes()
            && matches!(product.code, Code::Mul | Code::WrappingMul)
            && product.operands.iter().all(is_short)
            && OnlySum::is_all(kernel, [arg, kernel.ops[op].results[number]]);
        fits.then_some(Sum { region, add, number: at })
    }

    fn write(&self, kernel: &mut Kernel) {
        let data = kernel.ops[self.add].clone();
        let products = data.operands[self.number];
        let lanes = kernel.ty(products).lanes().expect("products in lanes");
        let elem = kernel.ty(products).data_elem().expect("products are data");
        let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
        b.set_origin(data.origin);
        let [even, odd] = [0, 1].map(|first| {
            let pattern = (0..lanes / 2).map(|pair| 2 * pair + first).collect();
            b.op_with(Code::Permute, Attr::Pattern(pattern), &[products])
        });
        let pairs = b.op(Code::WrappingAdd, &[even, odd]);
        let zero = b.constant(Scalar::zero(elem));
        let zeros = b.op_with(Code::Splat, Attr::Lanes(lanes / 2), &[zero]);
        let pairs = b.op_with(Code::Permute, Attr::Pattern((0..lanes).collect()), &[pairs, zeros]);
        let (made, block) = b.detach();
        *kernel = made;
        let new = std::mem::take(&mut kernel.regions[block].ops);
        kernel.ops[self.add].operands[self.number] = pairs;
        let ops = &mut kernel.regions[self.region].ops;
        let place = ops.iter().position(|&op| op == self.add).expect("the block lists the addition");
        ops.splice(place..place, new);
    }
}

/// The values that a vector sum becomes part of, of which only the sum over all lanes is used.
struct OnlySum<'k> {
    kernel: &'k Kernel,
    parts: HashSet<Value>,
}

impl OnlySum<'_> {
    /// Says whether only the sum over all lanes of some values is used in the end: each is added to something, carried,
    /// or summed over all its lanes.
    fn is_all(kernel: &Kernel, values: [Value; 2]) -> bool {
        let mut found = OnlySum { kernel, parts: HashSet::from(values) };
        while found.grow() {}
        found.holds()
    }

    /// Adds what values become that are known to be parts; says whether there was anything new.
    fn grow(&mut self) -> bool {
        let before = self.parts.len();
        let kernel = self.kernel;
        kernel.walk(kernel.body, &mut |_, op| {
            let data = &kernel.ops[op];
            match data.code {
                Code::WrappingAdd | Code::Select | Code::Cast
                    if data.operands.iter().any(|value| self.parts.contains(value)) =>
                {
                    self.parts.extend(&data.results);
                }
                Code::If | Code::VectorFor | Code::For => self.hand_on(op),
                _ => {}
            }
        });
        self.parts.len() > before
    }

    /// Adds the values that a control op carries: the arguments of its block, and its results.
    fn hand_on(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let first = 3 * kernel.n_ranges(op);
        for (number, &result) in data.results.iter().enumerate() {
            let start = data.operands.get(first + number).filter(|_| data.code != Code::If);
            let yields = data.regions.iter().map(|&region| &kernel.regions[region].yields[number]);
            if yields.chain(start).any(|value| self.parts.contains(value)) {
                self.parts.insert(result);
                self.parts.extend(kernel.regions[data.regions[0]].args.get(1 + number));
            }
        }
    }

    /// Says whether every use of a part is one by which the sum of all lanes stays the same.
    fn holds(&self) -> bool {
        let kernel = self.kernel;
        let is_part = |value: &Value| self.parts.contains(value);
        let mut holds = !kernel.regions[kernel.body].yields.iter().any(is_part);
        kernel.walk(kernel.body, &mut |_, op| {
            let data = &kernel.ops[op];
            if !data.operands.iter().any(is_part) {
                return;
            }
            holds &= match data.code {
                Code::WrappingAdd | Code::For | Code::VectorFor => true,
                Code::Select => !is_part(&data.operands[0]) && self.is_one_sum(data.operands[1], data.operands[2]),
                Code::Cast => self.keeps_bits(op),
                // Signed lanes would fail where they overflow, and that depends on the order.
                Code::ReduceAdd => {
                    let elem = kernel.ty(data.operands[0]).data_elem();
                    data.operands.len() == 1 && elem.is_some_and(|elem| elem.is_integer() && !elem.is_signed())
                }
                _ => false,
            };
        });
        holds
    }

    /// Says whether two sides of a choice are a sum and what it was before something was added.
    fn is_one_sum(&self, a: Value, b: Value) -> bool {
        let adds_to = |sum: Value, start: Value| {
            let data = self.kernel.def_op(sum).map(|op| &self.kernel.ops[op]);
            let added = data.filter(|data| data.code == Code::WrappingAdd && data.operands.contains(&start));
            added.is_some_and(|data| data.operands.iter().filter(|value| self.parts.contains(value)).count() == 1)
        };
        adds_to(a, b) || adds_to(b, a)
    }

    /// Says whether a conversion keeps the low bits, of which sums are made.
    fn keeps_bits(&self, op: Op) -> bool {
        let data = &self.kernel.ops[op];
        let [from, to] = [data.operands[0], data.results[0]].map(|value| self.kernel.ty(value).data_elem());
        from.zip(to).is_some_and(|(from, to)| from.is_integer() && to.is_integer() && from.bytes() == to.bytes())
    }
}
