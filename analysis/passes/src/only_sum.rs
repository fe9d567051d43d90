//! Vectors of which only the sum over all lanes is used: it does not matter to which lane something is added.

use std::collections::HashSet;

use ir::builder::Builder;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel};
use ir::scalar::Scalar;

/// A sum in lanes that a loop carries, and of which only the sum over all lanes is used.
pub(crate) struct LaneSum {
    region: Region,
    /// The op that adds to it.
    add: Op,
    /// The position of what is added among its operands.
    number: usize,
}

impl LaneSum {
    /// The sums in lanes of all loops to which something is added that fits.
    pub(crate) fn of_kernel(kernel: &Kernel, fits: impl Fn(Value) -> bool) -> Vec<LaneSum> {
        let mut sums = Vec::new();
        kernel.walk(kernel.body, &mut |_, op| {
            if matches!(kernel.ops[op].code, Code::VectorFor | Code::For) {
                let region = kernel.ops[op].regions[0];
                let n_carried = kernel.regions[region].yields.len();
                sums.extend((0..n_carried).filter_map(|number| LaneSum::of(kernel, op, region, number, &fits)));
            }
        });
        sums
    }

    fn of(kernel: &Kernel, op: Op, region: Region, carried: usize, fits: impl Fn(Value) -> bool) -> Option<LaneSum> {
        let data = &kernel.regions[region];
        let &arg = data.args.get(1 + carried)?;
        let add = kernel.def_op(data.yields[carried]).filter(|add| data.ops.contains(add))?;
        let of_add = &kernel.ops[add];
        let number = of_add.operands.iter().position(|&value| value != arg)?;
        let ty = kernel.ty(arg);
        let is_sum = of_add.code == Code::WrappingAdd
            && of_add.operands[1 - number] == arg
            && ty.data_elem().is_some_and(|elem| elem.is_integer())
            && ty.lanes().is_some()
            && kernel.ty(of_add.operands[number]).lanes() == ty.lanes()
            && fits(of_add.operands[number])
            && OnlySum::is_all(kernel, [arg, kernel.ops[op].results[carried]]);
        is_sum.then_some(LaneSum { region, add, number })
    }

    /// What is added in each round.
    pub(crate) fn added(&self, kernel: &Kernel) -> Value {
        kernel.ops[self.add].operands[self.number]
    }

    /// Adds another vector with the same sum: it may have fewer lanes, and the others get nothing.
    pub(crate) fn add_instead(&self, kernel: &mut Kernel, make: impl FnOnce(&mut Builder) -> Value) {
        let added = kernel.ty(self.added(kernel));
        let (lanes, elem) = added.lanes().zip(added.data_elem()).expect("numbers in lanes");
        let origin = kernel.ops[self.add].origin;
        let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
        b.set_origin(origin);
        let mut sums = make(&mut b);
        let rest = lanes - b.kernel().ty(sums).lanes().expect("sums in lanes");
        if rest > 0 {
            let zero = b.constant(Scalar::zero(elem));
            let zeros = b.op_with(Code::Splat, Attr::Lanes(rest), &[zero]);
            sums = b.op_with(Code::Permute, Attr::Pattern((0..lanes).collect()), &[sums, zeros]);
        }
        let (made, block) = b.detach();
        *kernel = made;
        let new = std::mem::take(&mut kernel.regions[block].ops);
        kernel.ops[self.add].operands[self.number] = sums;
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
