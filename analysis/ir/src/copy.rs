//! Copies of ops and regions, with all that is inside of them.
//!
//! There is one way to copy, which a [`Copier`] follows: an op, then the regions inside of it, then its results. A
//! copier gives the replacement of each value, and may turn an op into another one. The source may be part of the
//! kernel that the copy goes to, or of another one.

use rustc_hash::FxHashMap;

use crate::entities::{Op, Origin, Region, Value};
use crate::program::{Def, Kernel, Name, OpData, RegionData, Values};

/// A way to copy ops and regions.
pub trait Copier {
    /// The kernel that is copied from.
    fn source(&self) -> &Kernel;

    /// The kernel that is copied to.
    fn target(&mut self) -> &mut Kernel;

    /// The value that stands for another one, for an op at the end of a region.
    fn value(&mut self, old: Value, into: Region) -> Value;

    /// Notes what stands for a value from now on.
    fn note(&mut self, old: Value, new: Value);

    /// The name that the copy of a value gets.
    fn name(&self, old: Value) -> Option<Name> {
        self.source().values[old].name.clone()
    }

    /// The origin that the copy of an op gets.
    fn origin(&self, old: Op) -> Origin {
        self.source().ops[old].origin
    }

    /// The ops of a region, in the order in which they are copied.
    fn ops(&self, region: Region) -> Vec<Op> {
        self.source().regions[region].ops.clone()
    }

    /// Copies an op to the end of a region.
    fn op(&mut self, old: Op, into: Region) {
        let operands = self.operands(old, into);
        let op = self.copy_op(old, operands);
        self.target().regions[into].ops.push(op);
    }

    /// The values that stand for an op's operands.
    fn operands(&mut self, old: Op, into: Region) -> Values {
        let operands = self.source().ops[old].operands.clone();
        operands.into_iter().map(|value| self.value(value, into)).collect()
    }

    /// A copy of an op with these operands, which no region lists yet.
    fn copy_op(&mut self, old: Op, operands: Values) -> Op {
        let origin = self.origin(old);
        let OpData { code, attr, results, regions, .. } = self.source().ops[old].clone();
        let op = self.target().add_op(code, attr, operands, &[], origin);
        for inner in regions {
            let new = self.target().regions.push(RegionData::default());
            self.target().ops[op].regions.push(new);
            self.copy_region(inner, new);
        }
        for (number, result) in results.into_iter().enumerate() {
            let (ty, name) = (self.source().ty(result), self.name(result));
            let value = self.target().add_value(ty, Def::Result(op, number as u32), name);
            self.target().ops[op].results.push(value);
            self.note(result, value);
        }
        op
    }

    /// Copies the arguments of a region, its ops and what it yields into an empty one.
    fn copy_region(&mut self, old: Region, new: Region) {
        for arg in self.source().regions[old].args.clone() {
            self.copy_arg(arg, new);
        }
        for op in self.ops(old) {
            self.op(op, new);
        }
        let yields = self.source().regions[old].yields.clone();
        let yields = yields.into_iter().map(|value| self.value(value, new)).collect();
        self.target().regions[new].yields = yields;
    }

    /// Copies an argument, as the next one of a region.
    fn copy_arg(&mut self, old: Value, into: Region) {
        let (ty, name) = (self.source().ty(old), self.name(old));
        let value = self.target().add_arg(into, ty, name);
        self.note(old, value);
    }
}

/// The values that stand for others in a copy; a value that is not copied stands for itself.
pub type Copied = FxHashMap<Value, Value>;

/// Copies within one kernel.
struct Within<'k> {
    kernel: &'k mut Kernel,
    copied: &'k mut Copied,
}

impl Copier for Within<'_> {
    fn source(&self) -> &Kernel {
        self.kernel
    }

    fn target(&mut self) -> &mut Kernel {
        self.kernel
    }

    fn value(&mut self, old: Value, _: Region) -> Value {
        self.copied.get(&old).copied().unwrap_or(old)
    }

    fn note(&mut self, old: Value, new: Value) {
        self.copied.insert(old, new);
    }
}

/// Copies an op within a kernel, with operands as they are copied so far; its results are copied, too.
pub fn op(kernel: &mut Kernel, op: Op, copied: &mut Copied) -> Op {
    let mut copier = Within { kernel, copied };
    let into = copier.kernel.body;
    let operands = copier.operands(op, into);
    copier.copy_op(op, operands)
}

/// Copies an argument within a kernel, as the next one of a region.
pub fn arg(kernel: &mut Kernel, old: Value, into: Region, copied: &mut Copied) {
    Within { kernel, copied }.copy_arg(old, into);
}
