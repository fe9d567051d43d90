//! Chosen sums: where a branch decides if something is joined to a float that a loop carries, the branch chooses what is joined.
//!
//! ```text
//! let s_2 = if (x > 0.0):              let s_2 = (s_1 + select((x > 0.0), x, -0.0))
//!     yield (s_1 + x)           =>
//! else:
//!     yield s_1
//! ```
//!
//! Each iteration then waits for the sum of the one before, and no longer for a choice behind it, too. What is joined otherwise changes no
//! bit: -0.0 in a sum, 0.0 taken away, 1.0 in a product. Only a branch that does nothing else is replaced.

use smallvec::smallvec;

use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel};
use ir::scalar::Scalar;
use ir::types::Type;

use crate::Replacements;

/// Joins what branches choose; says whether there are any such branches.
pub fn chosen_sums(kernel: &mut Kernel) -> bool {
    let mut found = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| {
        found.extend(Sum::of(kernel, region, op).map(|sum| (region, sum)));
    });
    if found.is_empty() {
        return false;
    }
    let joins: Vec<(Value, Value)> = found.into_iter().map(|(region, sum)| sum.write(kernel, region)).collect();
    let mut new: Replacements = EntityVec::filled(kernel.values.len(), None);
    joins.into_iter().for_each(|(old, by)| new[old] = Some(by));
    kernel.replace_uses(&new);
    true
}

/// A branch that joins something to a carried float on one side, and leaves it as it is on the other.
struct Sum {
    branch: Op,
    join: Op,
    /// The number of the operand that is joined.
    joined: usize,
    /// True if the first side joins.
    first: bool,
}

impl Sum {
    fn of(kernel: &Kernel, region: Region, op: Op) -> Option<Sum> {
        let data = &kernel.ops[op];
        if data.code != Code::If || data.results.len() != 1 {
            return None;
        }
        let sides = [data.regions[0], *data.regions.get(1)?].map(|side| &kernel.regions[side]);
        let first = match sides.map(|side| side.ops.len()) {
            [1, 0] => true,
            [0, 1] => false,
            _ => return None,
        };
        let [joins, stays] = if first { sides } else { [sides[1], sides[0]] };
        let (join, carried) = (joins.ops[0], stays.yields[0]);
        let sum = &kernel.ops[join];
        let is_float = kernel.ty(carried).data_elem().is_some_and(|elem| elem.is_float());
        let is_one = matches!(kernel.ty(carried), Type::Data { lanes: None, .. });
        let is_carried = matches!(kernel.values[carried].def, Def::Arg(of, _) if of == region);
        if !is_float || !is_one || !is_carried || joins.yields[0] != *sum.results.first()? {
            return None;
        }
        let joined = match (sum.code, &sum.operands[..]) {
            (Code::Add | Code::Sub | Code::Mul, &[a, b]) if a == carried && b != carried => 1,
            (Code::Add | Code::Mul, &[a, b]) if b == carried && a != carried => 0,
            _ => return None,
        };
        Some(Sum { branch: op, join, joined, first })
    }

    /// Puts the choice and the sum in the place of the branch; gives its result, and what stands for it.
    fn write(&self, kernel: &mut Kernel, region: Region) -> (Value, Value) {
        let branch = kernel.ops[self.branch].clone();
        let sum = kernel.ops[self.join].clone();
        let value = sum.operands[self.joined];
        let ty = kernel.ty(value);
        let elem = ty.data_elem().expect("what is joined is data");
        let nothing = match sum.code {
            Code::Add => Scalar::from_bits(elem, 1 << (elem.bits() - 1)),
            Code::Sub => Scalar::zero(elem),
            _ => Scalar::one(elem),
        };
        let nothing = kernel.constant(nothing);
        let (yes, no) = if self.first { (value, nothing) } else { (nothing, value) };
        let choice =
            kernel.add_op(Code::Select, Attr::None, smallvec![branch.operands[0], yes, no], &[ty], branch.origin);
        kernel.ops[self.join].operands[self.joined] = kernel.ops[choice].results[0];
        let ops = &mut kernel.regions[region].ops;
        let place = ops.iter().position(|&other| other == self.branch).expect("the block lists the branch");
        ops.splice(place..=place, [choice, self.join]);
        (branch.results[0], sum.results[0])
    }
}
