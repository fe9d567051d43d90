//! The types that the text leaves out, once all of a kernel is read.

use std::collections::HashMap;

use crate::entities::Value;
use crate::infer::{self, Site};
use crate::program::Kernel;
use crate::scalar::Scalar;
use crate::types::Elem;

/// Gives every value the type that comes out, and every number its value.
pub(super) fn settle_types(
    kernel: &mut Kernel,
    numbers: &HashMap<Value, String>,
    written: &HashMap<Value, Elem>,
) -> Result<(), String> {
    let value_at = |kernel: &Kernel, site: Site| match site {
        Site::Param(value) => value,
        Site::Operand(op, number) => kernel.ops[op].operands[number],
        Site::Yield(region, number) => kernel.regions[region].yields[number],
    };
    let inferred = infer::infer(kernel, &|site| written.get(&value_at(kernel, site)).copied());
    for value in kernel.values.keys() {
        let ty = kernel.ty(value);
        if kernel.as_const(value).is_none() && ty.elem().is_some() {
            // If two written types disagree, both stay, and the verifier reports that.
            let elem = written.get(&value).copied().unwrap_or_else(|| inferred.value(value));
            kernel.values[value].ty = ty.with_elem(elem);
        }
    }
    let settled = |kernel: &mut Kernel, value: Value, site: Site| match numbers.get(&value) {
        Some(text) => {
            let elem = written.get(&value).copied().unwrap_or_else(|| inferred.site(site));
            let scalar = Scalar::parse(elem, text).ok_or_else(|| format!("`{text}` is not of type {elem}"))?;
            Ok::<Value, String>(kernel.constant(scalar))
        }
        None => Ok(value),
    };
    for op in kernel.ops.keys() {
        for number in 0..kernel.ops[op].operands.len() {
            let value = settled(kernel, kernel.ops[op].operands[number], Site::Operand(op, number))?;
            kernel.ops[op].operands[number] = value;
        }
    }
    for region in kernel.regions.keys() {
        for number in 0..kernel.regions[region].yields.len() {
            let value = settled(kernel, kernel.regions[region].yields[number], Site::Yield(region, number))?;
            kernel.regions[region].yields[number] = value;
        }
    }
    Ok(())
}
