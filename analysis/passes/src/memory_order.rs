//! Memory order: what is stored in turns is computed in the order of the cells, where the members are computed alike.
//!
//! Pixels and points are taken apart into a vector for each of their members, and put together again when they are stored. If the
//! members are computed in the same way, the same can be done to the cells as they lie in memory: a shuffle of what an operation gives
//! is that operation on shuffles of what it takes. The shuffles of what was loaded in turns and those of what is stored in turns
//! then do away with each other.
//!
//! ```text
//! let x = permute(a, b, pattern=[0, 2, 4, 6])
//! let y = permute(a, b, pattern=[1, 3, 5, 7])
//! vector_store(p, 0, permute((x * k), (y * k), pattern=[0, 4, 1, 5]))      vector_store(p, 0, (a * k))
//! vector_store(p, 4, permute((x * k), (y * k), pattern=[2, 6, 3, 7]))      vector_store(p, 4, (b * k))
//! ```
//!
//! What all members take is repeated for each of them, by a shuffle or by computing it of what is repeated, whichever costs less. Members
//! that are computed otherwise, as a pixel's alpha that stays, are put in between at the end.
//!
//! - `plan`: the operations on cells that a store's value can be
//! - `write`: their place in the kernel

mod plan;
#[cfg(test)]
mod tests;
mod write;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::pack::operations::vector_cost;
use super::{Context, dce};
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel, Values};
use ir::target::{Family, Target};
use ir::types::Elem;
use ir::uses::{Use, Uses};
use plan::Plan;

/// Computes what is stored in turns in the order of the cells, where that costs less; says whether it does so anywhere.
pub fn memory_order(kernel: &mut Kernel, context: &mut Context) -> bool {
    if groups(kernel).is_empty() {
        return false;
    }
    // What nobody needs would count as a use of what the members are made of.
    let is_tidied = dce(kernel);
    let groups = groups(kernel);
    let target = context.options.target;
    let uses = Uses::of(kernel);
    let mut plans = Vec::new();
    for group in groups {
        // What all members share is either computed for each cell, or once for each lane and then repeated.
        let (repeating, shares) = Plan::of(kernel, target, &group, true);
        let both = [repeating, if shares { Plan::of(kernel, target, &group, false).0 } else { None }];
        let gains = |plan: &Plan| i64::from(saved(kernel, target, &uses, &group, plan)) - i64::from(plan.cost);
        let best = both.into_iter().flatten().map(|plan| (gains(&plan), plan)).max_by_key(|(gain, _)| *gain);
        if let Some((_, plan)) = best.filter(|(gain, _)| *gain > 0) {
            plans.push((group, plan));
        }
    }
    write::write(kernel, &plans);
    is_tidied || !plans.is_empty()
}

/// Shuffles of the same vectors in one block.
struct Group {
    region: Region,
    /// The op that the block belongs to, and the block which that stands in; `None` for the kernel's body.
    around: Option<(Region, Op)>,
    /// The shuffles, in their order.
    shuffles: Vec<Op>,
}

/// The shuffles by which values of several operations become one vector.
fn groups(kernel: &Kernel) -> Vec<Group> {
    let mut around: FxHashMap<Region, (Region, Op)> = FxHashMap::default();
    let mut numbers: FxHashMap<(Region, Values), usize> = FxHashMap::default();
    let mut groups: Vec<Group> = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| {
        let data = &kernel.ops[op];
        around.extend(data.regions.iter().map(|&inner| (inner, (region, op))));
        if data.code != Code::Permute || data.operands.len() < 2 {
            return;
        }
        let is_computed = |&value: &Value| kernel.def_op(value).is_some_and(|op| kernel.ops[op].code.is_elementwise());
        if !data.operands.iter().any(is_computed) {
            return;
        }
        let number = *numbers.entry((region, data.operands.clone())).or_insert(groups.len());
        if number == groups.len() {
            groups.push(Group { region, around: around.get(&region).copied(), shuffles: Vec::new() });
        }
        groups[number].shuffles.push(op);
    });
    groups
}

/// The cost of what nobody needs any more if a plan is carried out.
fn saved(kernel: &Kernel, target: &Target, uses: &Uses, group: &Group, plan: &Plan) -> u32 {
    let mut unused: FxHashSet<Op> = group.shuffles.iter().copied().collect();
    let mut open: Vec<Op> = group.shuffles.clone();
    let mut sum = group.shuffles.iter().map(|&op| cost(kernel, target, op)).sum::<u32>();
    while let Some(op) = open.pop() {
        for &operand in &kernel.ops[op].operands {
            let Some(maker) = kernel.def_op(operand).filter(|maker| is_plain(kernel, *maker)) else { continue };
            let is_unused = |user: &Use| matches!(user, Use::Operand(user, _) if unused.contains(user));
            if !unused.contains(&maker) && !plan.takes.contains(&operand) && uses.users(operand).iter().all(is_unused) {
                unused.insert(maker);
                open.push(maker);
                sum += cost(kernel, target, maker);
            }
        }
    }
    sum
}

/// Says whether an op makes a vector of others, and does nothing else.
fn is_plain(kernel: &Kernel, op: Op) -> bool {
    let data = &kernel.ops[op];
    let moves = matches!(data.code, Code::Permute | Code::Regroup | Code::Splat);
    (moves || data.code.is_elementwise()) && data.results.len() == 1 && kernel.ty(data.results[0]).lanes().is_some()
}

/// The cost of a plain op.
fn cost(kernel: &Kernel, target: &Target, op: Op) -> u32 {
    let data = &kernel.ops[op];
    let result = data.results[0];
    let lanes = usize::from(kernel.ty(result).lanes().unwrap_or(1));
    match (data.code, &data.attr) {
        (Code::Permute, Attr::Pattern(pattern)) => {
            let sources: Vec<u16> = data.operands.iter().filter_map(|&source| kernel.ty(source).lanes()).collect();
            shuffle_cost(target, kernel.ty(result).data_elem().map_or(1, Elem::bytes), &sources, pattern)
        }
        (Code::Regroup | Code::Splat, _) => 0,
        _ => vector_cost(kernel, op, lanes, target),
    }
}

/// The cost of lanes of so many bytes that are picked out of vectors of so many lanes each. What is a register already costs nothing, and
/// what stays at its place in its register is chosen by one instruction. On x86 those of 32-byte registers shuffle within each half, so
/// that one more has to bring lanes across.
fn shuffle_cost(target: &Target, bytes: usize, sources: &[u16], pattern: &[u16]) -> u32 {
    let lanes = (usize::from(target.register_bytes) / bytes).max(1);
    let has_halves = target.family == Family::X86 && target.register_bytes == 32;
    let origin = |&pick: &u16| {
        let (mut source, mut lane) = (0, usize::from(pick));
        while let Some(own) = sources.get(source).map(|own| usize::from(*own)).filter(|own| lane >= *own) {
            (source, lane) = (source + 1, lane - own);
        }
        (source, lane / lanes, lane % lanes)
    };
    let steps = |register: &[u16]| {
        let origins: SmallVec<[_; 64]> = register.iter().map(origin).collect();
        let mut registers: SmallVec<[(usize, usize); 4]> = SmallVec::new();
        for &(source, number, _) in &origins {
            if !registers.contains(&(source, number)) {
                registers.push((source, number));
            }
        }
        let n_registers = registers.len() as u32;
        let stays = |part: usize| origins.iter().enumerate().all(|(to, &(.., from))| from / part == to / part);
        let crosses = has_halves && !stays(16 / bytes);
        match n_registers {
            1 if stays(1) => 0,
            // Lanes of 4 bytes or more go anywhere in one step.
            1 => 1 + u32::from(crosses && bytes < 4),
            n if crosses => 2 * (n - 1),
            n => n - 1,
        }
    };
    pattern.chunks(lanes).map(steps).sum::<u32>() * u32::from(target.costs.shuffle)
}
