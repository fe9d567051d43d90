//! Copies: ops made a second time, with all that is inside of them.

use std::collections::HashMap;

use crate::entities::{Op, Region, Value};
use crate::program::{Def, Kernel, OpData, RegionData};

/// What stands for each value in a copy; a value that is not copied stands for itself.
pub(super) type Copied = HashMap<Value, Value>;

/// Copies an op, with operands as they are copied so far; its results are copied, too.
pub(super) fn op(kernel: &mut Kernel, op: Op, copied: &mut Copied) -> Op {
    let data = kernel.ops[op].clone();
    let operands = data.operands.iter().map(|value| copied.get(value).copied().unwrap_or(*value)).collect();
    let new =
        kernel.ops.push(OpData { operands, results: Default::default(), regions: Default::default(), ..data.clone() });
    for &inner in &data.regions {
        let inner = region(kernel, inner, copied);
        kernel.ops[new].regions.push(inner);
    }
    for (number, &old) in data.results.iter().enumerate() {
        let (ty, name) = (kernel.ty(old), kernel.values[old].name.clone());
        let result = kernel.add_value(ty, Def::Result(new, number as u32), name);
        kernel.ops[new].results.push(result);
        copied.insert(old, result);
    }
    new
}

/// Copies a region with all its ops.
fn region(kernel: &mut Kernel, old: Region, copied: &mut Copied) -> Region {
    let new = kernel.regions.push(RegionData::default());
    args(kernel, old, new, copied);
    for inner in kernel.regions[old].ops.clone() {
        let inner = op(kernel, inner, copied);
        kernel.regions[new].ops.push(inner);
    }
    let yields = kernel.regions[old].yields.clone();
    kernel.regions[new].yields = yields.iter().map(|value| copied.get(value).copied().unwrap_or(*value)).collect();
    new
}

/// Copies a region's arguments.
fn args(kernel: &mut Kernel, old: Region, new: Region, copied: &mut Copied) {
    for old in kernel.regions[old].args.clone() {
        arg(kernel, old, new, copied);
    }
}

/// Copies an argument, as the next one of a region.
pub(super) fn arg(kernel: &mut Kernel, old: Value, new: Region, copied: &mut Copied) {
    let (ty, name) = (kernel.ty(old), kernel.values[old].name.clone());
    let value = kernel.add_arg(new, ty, name);
    copied.insert(old, value);
}
