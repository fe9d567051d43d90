//! Packing: statements in a row that do the same to neighbouring cells become vector ops (superwords).
//!
//! ```text
//! out[0] = ((a[0] * k) + b[0])
//! out[1] = ((a[1] * k) + b[1])          vector_store(out, 0, ((vector_load(a, 0, lanes=4) * k) + vector_load(b, 0, lanes=4)))
//! out[2] = ((a[2] * k) + b[2])
//! out[3] = ((a[3] * k) + b[3])
//! ```
//!
//! Each block of straight-line code is looked at that runs in order: of a kernel without loops, of a loop that stays in order,
//! of a branch. Stores to neighbouring cells are where it starts (`bundles`); a tree is kept if the block costs less with it by
//! the target's numbers, and if the dependence graph (`block`) leaves an order in which everything can be done (`plan`).
//! The method is the one of Larsen and Amarasinghe, grown from stores along the operands.
//!
//! Lanes compute the very same ops as scalars did, so the bits are the same. Loads are moved, never past a store to one of their
//! cells, and every cell that is loaded or stored was before.

mod block;
mod bundles;
mod operations;
mod plan;
mod write;

#[cfg(test)]
mod tests;

use super::Context;
use crate::decision::{Decision, Said};
use crate::{cse, dce, fold, load_reuse};
use block::Block;
use ir::codes::ReasonCode;
use ir::effects::Effects;
use ir::entities::{EntityVec, Op, Region};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::Kernel;
use ir::target::Target;
use ir::types::Elem;
use ir::uses::Uses;
use plan::{Plan, Tried};
use write::Script;

/// Packs straight-line code; says whether there is any that it pays for.
pub fn pack(kernel: &mut Kernel, context: &mut Context) -> bool {
    let target = context.options.target;
    if !target.has_lanes() || !regions_in_order(kernel).iter().any(|&region| may_have_packs(kernel, region, target)) {
        return false;
    }
    // What is computed or loaded twice is done once before it is looked at, and stays so if anything is packed.
    let mut copy = kernel.clone();
    let (outcomes, decided) = (context.outcomes.clone(), context.take_decisions());
    context.forget();
    let tidied = [fold(&mut copy, context), cse(&mut copy), load_reuse(&mut copy, context), dce(&mut copy)];
    let of_tidying = context.take_decisions();
    decided.into_iter().for_each(|decision| context.decide(decision));
    if tidied.contains(&true) {
        copy = ir::compact(copy);
    }
    context.forget();
    let (changed, decisions) = pack_blocks(&mut copy, target);
    if changed {
        *kernel = copy;
        of_tidying.into_iter().for_each(|decision| context.decide(decision));
    } else {
        context.outcomes = outcomes;
    }
    context.forget();
    decisions.into_iter().for_each(|decision| context.decide(decision));
    changed
}

/// The regions that run in order: those outside of lanes.
fn regions_in_order(kernel: &Kernel) -> Vec<Region> {
    fn add(kernel: &Kernel, region: Region, found: &mut Vec<Region>) {
        found.push(region);
        for &op in &kernel.regions[region].ops {
            let data = &kernel.ops[op];
            if data.code != Code::VectorFor && data.code != Code::Foreach {
                data.regions.iter().for_each(|&inner| add(kernel, inner, found));
            }
        }
    }
    let mut found = Vec::new();
    add(kernel, kernel.body, &mut found);
    found
}

/// Says whether two stores of a block go to one array, which is where packs start.
fn may_have_packs(kernel: &Kernel, region: Region, target: &Target) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    kernel.regions[region].ops.iter().any(|&op| {
        let data = &kernel.ops[op];
        let Some(elem) = data.operands.first().and_then(|&view| kernel.ty(view).elem()) else { return false };
        let is_store = data.code == Code::Store && elem != Elem::Bool && target.lanes_for(elem.bytes()) > 1;
        is_store && !seen.insert(kernel.root(data.operands[0]))
    })
}

/// Packs what pays in all blocks; gives the decisions.
fn pack_blocks(kernel: &mut Kernel, target: &'static Target) -> (bool, Vec<Decision>) {
    let facts = facts::facts(kernel, &[]);
    let (effects, uses, forest) = (Effects::of(kernel), Uses::of(kernel), LoopForest::of(kernel));
    let mut scripts: Vec<(Region, Vec<Part>)> = Vec::new();
    let mut decisions: Vec<Decision> = Vec::new();
    for region in regions_in_order(kernel) {
        if !may_have_packs(kernel, region, target) {
            continue;
        }
        let in_loop = forest.depth_of_region(region) > 0;
        let mut parts = Vec::new();
        let mut changes = false;
        for ops in block::windows(kernel, region) {
            let block = Block::new(kernel, &facts, &effects, ops, in_loop);
            let plan = Plan::of(&block, target, &uses);
            for tried in plan.iter().flat_map(|plan| &plan.tried) {
                let decision = decision(&block, tried);
                if !decisions.contains(&decision) {
                    decisions.push(decision);
                }
            }
            match plan.filter(Plan::packs) {
                Some(plan) => {
                    changes = true;
                    parts.push(Part::Script(Script::of(&plan)));
                }
                None => parts.push(Part::AsItIs(ops.to_vec())),
            }
        }
        if changes {
            scripts.push((region, parts));
        }
    }
    let changed = !scripts.is_empty();
    let mut new = EntityVec::filled(kernel.values.len(), None);
    let written: Vec<Region> = scripts.iter().map(|(region, _)| *region).collect();
    for (region, parts) in scripts {
        let mut ops = Vec::new();
        for part in parts {
            match part {
                Part::AsItIs(as_it_is) => ops.extend(as_it_is),
                Part::Script(script) => ops.extend(script.write(kernel, &facts, &mut new)),
            }
        }
        kernel.regions[region].ops = ops;
    }
    if changed {
        // No loop has lanes, so each vector tells its own.
        kernel.lanes = kernel.lanes.or(Some(1));
        kernel.replace_uses(&new);
        written.into_iter().for_each(|region| drop_unused(kernel, region));
        dce(kernel);
    }
    (changed, decisions)
}

/// Drops the arithmetic of a block that nothing uses: subscripts of scalars that are loaded and stored at once now. An error of
/// theirs goes with them; a vector access still fails where one of its cells does not exist.
fn drop_unused(kernel: &mut Kernel, region: Region) {
    let mut uses = kernel.use_counts();
    let ops = std::mem::take(&mut kernel.regions[region].ops);
    let mut kept = Vec::with_capacity(ops.len());
    for op in ops.into_iter().rev() {
        let data = &kernel.ops[op];
        if data.code.is_elementwise() && data.results.iter().all(|&result| uses[result] == 0) {
            data.operands.iter().for_each(|&operand| uses[operand] -= 1);
        } else {
            kept.push(op);
        }
    }
    kept.reverse();
    kernel.regions[region].ops = kept;
}

/// A part of a region.
enum Part {
    AsItIs(Vec<Op>),
    Script(Script),
}

/// The decision about a tree of packs, at the first of its stores.
fn decision(block: &Block, tried: &Tried) -> Decision {
    let kernel = block.kernel;
    let first = tried.stores.iter().min().expect("a tree has stores");
    let origin = kernel.ops[block.ops[*first]].origin;
    let (before, with) = tried.costs;
    let mut because: Vec<Said> = vec![(tried.stores.len() as i128).into()];
    let costs = |because: &mut Vec<Said>| {
        because.extend([i128::from(with).into(), Said::from("instead of"), i128::from(before).into()]);
    };
    if tried.is_kept() {
        match tried.n_vectors {
            0 => because.push(Said::from("statements that store to neighbouring cells are one vector store: the block costs")),
            1 => because.push(Said::from(
                "statements that store to neighbouring cells are one vector store behind one vector operation: the block costs",
            )),
            n => because.extend([
                Said::from("statements that store to neighbouring cells are one vector store behind"),
                (n as i128).into(),
                Said::from("vector operations: the block costs"),
            ]),
        }
        costs(&mut because);
        return Decision::taken(origin, ReasonCode::Packed, because);
    }
    because.push(Said::from(match tried.is_cyclic {
        _ if tried.waits && with < before => {
            "statements that store to neighbouring cells are not one vector store: in a loop that runs in order vectors have to halve the \
             cost of what they stand for, and the block would cost"
        }
        true => "statements that store to neighbouring cells are not one vector store: one of them reads what another one stores",
        false => "statements that store to neighbouring cells are not one vector store: the block would cost",
    }));
    if !tried.is_cyclic {
        costs(&mut because);
    }
    Decision::left(origin, ReasonCode::NotPacked, because)
}
