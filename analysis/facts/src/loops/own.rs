//! Arrays that each iteration of a `foreach` makes for itself.

use ir::entities::{Op, Value};
use ir::ops::{Code, Effect};
use ir::program::Kernel;
use rustc_hash::FxHashSet;

/// Says whether an array that a `foreach` makes in each iteration can be made for all lanes at once: they agree on its sizes,
/// and it is only loaded from and stored to.
pub fn is_own_of_lanes(kernel: &Kernel, around: Op, op: Op, is_uniform: impl Fn(Value) -> bool) -> bool {
    let data = &kernel.ops[op];
    let array = data.results[0];
    let mut is_plain = kernel.ops[around].code == Code::Foreach;
    is_plain &= data.operands.iter().all(|&size| is_uniform(size));
    kernel.walk_inside(around, &mut |user| {
        let user = &kernel.ops[user];
        let touches = user.operands.iter().any(|&value| kernel.ty(value).is_view() && kernel.root(value) == array);
        let is_known = matches!(user.code, Code::Load | Code::Store | Code::Row | Code::Slice | Code::Size);
        is_plain &= !touches || is_known;
    });
    is_plain
}

/// The values inside of a loop that are computed from values around it alone, and so are the same in all of its iterations.
pub(super) fn unchanged(kernel: &Kernel, around: Op) -> impl Fn(Value) -> bool {
    let mut changed: FxHashSet<Value> = FxHashSet::default();
    let mut regions = kernel.ops[around].regions.to_vec();
    while let Some(region) = regions.pop() {
        changed.extend(&kernel.regions[region].args);
        regions.extend(kernel.regions[region].ops.iter().flat_map(|&op| &kernel.ops[op].regions));
    }
    kernel.walk_inside(around, &mut |op| {
        let data = &kernel.ops[op];
        let is_computed = data.regions.is_empty() && matches!(kernel.effect(op), Effect::Pure | Effect::Fails);
        if !is_computed || data.code.asks_lanes() || data.operands.iter().any(|value| changed.contains(value)) {
            changed.extend(&data.results);
        }
    });
    move |value| !changed.contains(&value)
}
