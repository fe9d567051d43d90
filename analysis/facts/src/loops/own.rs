//! Arrays that each iteration of a loop makes for itself.

use ir::entities::{Op, Value};
use ir::ops::{Code, Effect};
use ir::program::Kernel;
use rustc_hash::FxHashSet;

/// The most bytes of an array that each iteration of a `for` makes for itself in lanes.
const MOST_OWN_BYTES: i128 = 4096;

/// Says whether an array that each iteration of a loop makes can be made for all lanes at once: they agree on its sizes,
/// and it is only loaded from and stored to. Nobody has said of a `for` that it takes lanes, so its arrays have to be small: as many of
/// them are there at a time as there are lanes.
pub fn is_own_of_lanes(kernel: &Kernel, around: Op, op: Op, is_uniform: impl Fn(Value) -> bool) -> bool {
    let data = &kernel.ops[op];
    let array = data.results[0];
    let mut is_plain = match kernel.ops[around].code {
        Code::Foreach => true,
        Code::For => bytes(kernel, op).is_some_and(|bytes| bytes <= MOST_OWN_BYTES),
        _ => false,
    };
    is_plain &= data.operands.iter().all(|&size| is_uniform(size));
    kernel.walk_inside(around, &mut |user| {
        let user = &kernel.ops[user];
        let touches = user.operands.iter().any(|&value| kernel.ty(value).is_view() && kernel.root(value) == array);
        let is_known = matches!(user.code, Code::Load | Code::Store | Code::Row | Code::Slice | Code::Size);
        is_plain &= !touches || is_known;
    });
    is_plain
}

/// The bytes of a new array of scalars whose sizes are constants.
fn bytes(kernel: &Kernel, op: Op) -> Option<i128> {
    let data = &kernel.ops[op];
    let elem = kernel.ty(data.results[0]).elem()?;
    let sizes = data.operands.iter().map(|&size| kernel.as_const(size)?.wide());
    sizes.chain([i128::try_from(elem.bytes()).ok()]).try_fold(1_i128, |all, size| all.checked_mul(size?))
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
