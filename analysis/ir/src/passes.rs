//! Passes: plain functions from kernel to kernel, one in each file, and the table of all.
//!
//! Passes know ops by what the op table says of them: operands, results, regions, effects. A kernel that is
//! verified is still so after a pass; a run without an error gives the same bits. As long as nothing runs in lanes,
//! passes keep errors too: code, iteration and place.

mod common;
mod dce;
mod fold;
mod hoist;
mod vector;

use crate::entities::{EntityVec, Value};
use crate::pipeline::Options;
use crate::program::Kernel;

pub use common::common;
pub use dce::dce;
pub use fold::fold;
pub use hoist::hoist;
pub use vector::{Refusal, refusal, vector};

/// A pass, and what is told about it.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// What options and reports call it.
    pub name: &'static str,
    /// What it does.
    pub description: &'static str,
    /// Does it; says whether anything changed.
    pub run: fn(&mut Kernel, &Options) -> bool,
}

/// All passes.
pub const PASSES: &[Pass] = &[VECTOR, FOLD, COMMON, HOIST, DCE];

/// Gives loops lanes.
pub const VECTOR: Pass = Pass {
    name: "vector",
    description: "runs the iterations of a loop as lanes where that is known to keep its meaning",
    run: vector,
};

/// Computes what is known.
pub const FOLD: Pass = Pass {
    name: "fold",
    description: "computes what is known before the kernel runs, and drops arithmetic and branches that change nothing",
    run: |kernel, _| fold(kernel),
};

/// Shares equal values.
pub const COMMON: Pass = Pass {
    name: "common",
    description: "computes a value once where the same one is computed again",
    run: |kernel, _| common(kernel),
};

/// Moves what does not change out of loops.
pub const HOIST: Pass = Pass {
    name: "hoist",
    description: "computes before a loop what is the same in each of its iterations, if it cannot fail",
    run: |kernel, _| hoist(kernel),
};

/// Drops what nobody uses.
pub const DCE: Pass = Pass {
    name: "dce",
    description: "drops what is not used and does nothing else, and what is carried for nobody",
    run: |kernel, _| dce(kernel),
};

/// Values that are to be replaced by others.
type Replacements = EntityVec<Value, Option<Value>>;

/// What a value is replaced by in the end.
fn replaced(new: &Replacements, mut value: Value) -> Value {
    while let Some(next) = new[value] {
        value = next;
    }
    value
}

/// Replaces a value; its name goes over to a value that has none.
fn replace(kernel: &mut Kernel, new: &mut Replacements, old: Value, by: Value) {
    new[old] = Some(by);
    if kernel.values[by].name.is_none() && kernel.as_const(by).is_none() {
        kernel.values[by].name = kernel.values[old].name.clone();
    }
}

#[cfg(test)]
mod tests;
