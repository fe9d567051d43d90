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
//! of a branch. Stores to neighbouring cells are where it starts (`bundles`), and scalars that a loop carries: four sums are a vector of
//! sums. A tree is kept if the block costs less with it by the target's numbers, and if the dependence graph (`block`) leaves an order
//! in which everything can be done (`plan`). The method is the one of Larsen and Amarasinghe, grown from there along the operands.
//! Where neighbours have nothing in common, values that are computed alike (`alike`) are vectors first, and what is stored is picked
//! from these (`search`).
//!
//! Before that the block is tidied: cells that it knows are not loaded again (`forward`), and what is subtracted by a constant is added by
//! the opposite one (`signs`).
//!
//! Lanes compute the very same ops as scalars did, so the bits are the same. Loads are moved, never past a store to one of their
//! cells, and every cell that is loaded or stored was before.

mod alike;
pub(crate) mod block;
mod bundles;
mod forward;
pub(crate) mod operations;
mod plan;
mod search;
mod signs;
mod write;

#[cfg(test)]
mod tests;

use super::{Context, Replacements};
use crate::decision::{Decision, Said, Told};
use crate::{cse, dce, fold, load_reuse};
use block::Block;
use forward::forward;
use ir::builder::Builder;
use ir::codes::ReasonCode;
use ir::effects::Effects;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::{Code, Effect};
use ir::program::{Attr, Def, Kernel};
use ir::target::Target;
use ir::types::{Elem, Type};
use ir::uses::Uses;
use plan::{Plan, Start, Tried};
use signs::add_opposites;
use write::{CarriedVector, Script};

/// The most ops on a side of a branch that are done whether they are needed or not.
const MOST_CHOSEN: usize = 8;

/// Packs straight-line code; says whether there is any that it pays for.
pub fn pack(kernel: &mut Kernel, context: &mut Context) -> bool {
    let target = context.options.target;
    if !target.has_lanes() {
        return false;
    }
    let forest = LoopForest::of(kernel);
    if !regions_in_order(kernel).iter().any(|&region| may_have_packs(kernel, &forest, region, target)) {
        return false;
    }
    // What is computed or loaded twice is done once before it is looked at, and stays so if anything is packed.
    let mut copy = kernel.clone();
    let (outcomes, decided) = (context.outcomes.clone(), context.take_decisions());
    context.forget();
    let tidied = [
        fold(&mut copy, context),
        cse(&mut copy),
        load_reuse(&mut copy, context),
        choose_without_branches(&mut copy),
        forward(&mut copy, context),
        add_opposites(&mut copy),
        cse(&mut copy),
        dce(&mut copy),
    ];
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

/// Computes both sides of branches that do nothing but compute a little, and chooses: then they are part of the block around. Says whether
/// there are any.
fn choose_without_branches(kernel: &mut Kernel) -> bool {
    let mut new = EntityVec::filled(kernel.values.len(), None);
    let mut changed = false;
    // Regions inside come behind those around them, and are done first.
    for region in regions_in_order(kernel).into_iter().rev() {
        let is_choice = |kernel: &Kernel, op: Op| {
            let data = &kernel.ops[op];
            let is_cheap = |&region: &Region| {
                let ops = &kernel.regions[region].ops;
                ops.len() <= MOST_CHOSEN
                    && ops.iter().all(|&op| kernel.ops[op].code.is_elementwise() && kernel.effect(op) == Effect::Pure)
            };
            let is_scalar = |value: &Value| matches!(kernel.ty(*value), Type::Data { lanes: None, .. });
            data.code == Code::If
                && !data.results.is_empty()
                && data.results.iter().all(is_scalar)
                && data.regions.iter().all(is_cheap)
        };
        if !kernel.regions[region].ops.iter().any(|&op| is_choice(kernel, op)) {
            continue;
        }
        changed = true;
        let mut ops = Vec::new();
        for op in std::mem::take(&mut kernel.regions[region].ops) {
            if !is_choice(kernel, op) {
                ops.push(op);
                continue;
            }
            let data = kernel.ops[op].clone();
            for &side in &data.regions {
                ops.extend(std::mem::take(&mut kernel.regions[side].ops));
            }
            for (number, &result) in data.results.iter().enumerate() {
                let sides = data.regions.iter().map(|&side| kernel.regions[side].yields[number]);
                let operands = std::iter::once(data.operands[0]).chain(sides).collect();
                let (ty, name) = (kernel.ty(result), kernel.values[result].name.clone());
                let chosen = kernel.add_op(Code::Select, Attr::None, operands, &[ty], data.origin);
                let value = kernel.ops[chosen].results[0];
                kernel.values[value].name = name;
                new.grow(kernel.values.len(), None);
                new[result] = Some(value);
                ops.push(chosen);
            }
        }
        kernel.regions[region].ops = ops;
    }
    if changed {
        kernel.replace_uses(&new);
    }
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

/// Says whether there may be where packs start: two stores of a block that go to one array, or two scalars of one type that a loop carries.
fn may_have_packs(kernel: &Kernel, forest: &LoopForest, region: Region, target: &Target) -> bool {
    let mut carried = rustc_hash::FxHashSet::default();
    let around = forest.owner(region).map_or_else(Vec::new, |around| block::carried(kernel, around));
    let is_second = |it: &block::Carried| kernel.ty(it.arg).data_elem().is_some_and(|elem| !carried.insert(elem));
    if around.iter().any(is_second) {
        return true;
    }
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
    let forest = LoopForest::of(kernel);
    let mut regions = regions_in_order(kernel);
    regions.retain(|&region| may_have_packs(kernel, &forest, region, target));
    if regions.is_empty() {
        return (false, Vec::new());
    }
    let facts = facts::facts_of_values(kernel, &[]);
    let (effects, uses) = (Effects::of(kernel), Uses::of(kernel));
    let visible = EntityVec::filled(kernel.values.len(), true);
    let mut scripts: Vec<(Region, Vec<Part>)> = Vec::new();
    let mut decisions = Told::default();
    for region in regions {
        let mut parts = Vec::new();
        let mut changes = false;
        for ops in block::windows(kernel, region) {
            let block = Block::new(kernel, &facts, &effects, (region, ops), (&forest, &visible));
            let plan = Plan::of(&block, target, &uses);
            for tried in plan.iter().flat_map(|plan| &plan.tried) {
                decisions.push(decision(&block, tried));
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
    let mut carried = Vec::new();
    for (region, parts) in scripts {
        let mut ops = Vec::new();
        for part in parts {
            match part {
                Part::AsItIs(as_it_is) => ops.extend(as_it_is),
                Part::Script(script) => {
                    let written = script.write(kernel, &facts, &mut new);
                    ops.extend(written.ops);
                    carried.extend(written.carried);
                }
            }
        }
        kernel.regions[region].ops = ops;
    }
    if changed {
        // No loop has lanes, so each vector tells its own.
        kernel.lanes = kernel.lanes.or(Some(1));
        // New arguments of a body are numbered as they were made, and so are what the loop hands on to them.
        carried.sort_by_key(|vector| vector.arg);
        carried.into_iter().for_each(|vector| carry(kernel, &forest, vector, &mut new));
        kernel.replace_uses(&new);
        written.into_iter().for_each(|region| drop_unused(kernel, region));
        dce(kernel);
    }
    (changed, decisions.into_list())
}

/// Has a loop carry a vector in place of scalars: put together before it, and taken apart behind it. Nothing uses the scalars then.
fn carry(kernel: &mut Kernel, forest: &LoopForest, vector: CarriedVector, new: &mut Replacements) {
    let CarriedVector { region, numbers, arg, next } = vector;
    let around = forest.owner(region).expect("a loop carries the vector");
    let inits: Vec<Value> = numbers.iter().map(|number| kernel.ops[around].operands[3 + number]).collect();
    let results: Vec<Value> = numbers.iter().map(|&number| kernel.ops[around].results[number]).collect();
    for (&number, &init) in numbers.iter().zip(&inits) {
        // The loop hands on what it started from where nobody looks.
        kernel.regions[region].yields[number] = init;
    }
    let uses = kernel.use_counts();
    let ty = kernel.ty(arg);
    let result = kernel.add_value(ty, Def::Result(around, kernel.ops[around].results.len() as u32), None);
    kernel.ops[around].results.push(result);
    kernel.regions[region].yields.push(next);

    let origin = kernel.ops[around].origin;
    let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
    b.set_origin(origin);
    let width = inits.len() as u16;
    let start = match inits.iter().all(|init| *init == inits[0]) {
        true => b.op_with(Code::Splat, Attr::Lanes(width), &inits[..1]),
        false => b.op(Code::Pack, &inits),
    };
    let n_before = b.kernel().regions[b.block()].ops.len();
    let mut extracted = Vec::new();
    for (lane, &result_of_lane) in results.iter().enumerate().filter(|(_, result)| uses[**result] > 0) {
        let number = b.constant(ir::scalar::Scalar::I32(lane as i32));
        let scalar = b.op(Code::Extract, &[result, number]);
        if let Some(name) = b.kernel().values[result_of_lane].name.clone() {
            b.name(scalar, &name);
        }
        extracted.push((result_of_lane, scalar));
    }
    let (written, block) = b.detach();
    *kernel = written;
    kernel.ops[around].operands.push(start);
    let mut before = std::mem::take(&mut kernel.regions[block].ops);
    let behind = before.split_off(n_before);
    let ops = &mut kernel.regions[forest.region_of(around)].ops;
    let place = ops.iter().position(|&op| op == around).expect("the block lists the loop");
    ops.splice(place + 1..place + 1, behind);
    ops.splice(place..place, before);
    new.grow(kernel.values.len(), None);
    extracted.into_iter().for_each(|(old, by)| new[old] = Some(by));
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
    let first = tried.seeds.iter().min().expect("a tree has a start");
    let origin = kernel.ops[block.ops[*first]].origin;
    let (before, with) = tried.costs;
    let mut because: Vec<Said> = vec![(tried.seeds.len() as i128).into()];
    let costs = |because: &mut Vec<Said>| {
        because.extend([i128::from(with).into(), Said::from("instead of"), i128::from(before).into()]);
    };
    // Who the vectors are, what a vector operation does for them, or several do, and for what.
    let words = match tried.start {
        Start::Stores => None,
        Start::Alike => Some((
            "values that are computed alike are lanes of one vector, which",
            ["vector operation makes", "vector operations make"],
            "wherever they go: the block costs",
        )),
        Start::Carried => Some((
            "values that the loop carries are lanes of vectors, which",
            ["vector operation hands", "vector operations hand"],
            "on: an iteration costs",
        )),
    };
    if let Some((which, [one, several], costing)) = words.filter(|_| tried.is_kept()) {
        because.extend([
            Said::from(which),
            (tried.n_vectors as i128).into(),
            Said::from(if tried.n_vectors == 1 { one } else { several }),
            Said::from(costing),
        ]);
        costs(&mut because);
        return Decision::taken(origin, ReasonCode::Packed, because);
    }
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
    if tried.start == Start::Carried {
        because.push(Said::from(match tried.is_cyclic {
            _ if tried.waits && with < before => {
                "values that the loop carries are not lanes of vectors: in a loop that runs in order vectors have to halve the cost of \
                 what they stand for, and an iteration would cost"
            }
            true => "values that the loop carries are not lanes of vectors: one of them needs what another one makes in the same iteration",
            false => "values that the loop carries are not lanes of vectors: an iteration would cost",
        }));
        if !tried.is_cyclic {
            costs(&mut because);
        }
        return Decision::left(origin, ReasonCode::NotPacked, because);
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
