//! Common accesses: what both sides of a branch load from one cell is loaded before it, and what both store to one cell is stored behind it.
//!
//! ```text
//! if k == 2:                              let old = a[i]
//!     a[i] = a[i] + x                     let new = if k == 2:
//! else:                              =>       yield old + x
//!     a[i] = a[i] + y                     else:
//!                                             yield old + y
//!                                         a[i] = new
//! ```
//!
//! Every way through the branch comes to these accesses, so nothing is loaded or stored that was not before. In lanes they need no masks
//! then, and sides that only compute are a choice. Of `if`, `elif` and `else`, and the cases of a `match`, the last two become one
//! first, which is the other side of the one before.
//!
//! In order a branch is foreseen, where a choice would be waited for. So stores stay in branches whose condition needs what the loop around
//! hands on, and in those that lanes take together.
//!
//! Of each side, a load is moved that has no store to its array before it, and a store that has no access to its array behind it. Iterations of a
//! `foreach` touch nothing that another one stores to, so that their order does not tell.

use rustc_hash::FxHashSet;

use crate::decision::Decision;
use crate::same::is_same;
use crate::{Context, Replacements, replace};
use facts::facts_without_causes;
use ir::codes::ReasonCode;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::forest::is_loop;
use ir::ops::{Code, Effect};
use ir::program::{Def, Kernel, Values};

/// The most accesses of one side that are compared with those of the other.
const MOST_ACCESSES: usize = 32;

/// The most ops that compute an address inside of a branch.
const MOST_OPS: usize = 16;

/// Moves what both sides of branches access out of them; says whether there is any.
pub fn common_accesses(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let mut branches = Vec::new();
    find(kernel, kernel.body, &[], &mut branches);
    if branches.is_empty() {
        return false;
    }
    let (known, choice) = (context.loops(kernel), context.choice(kernel));
    let facts = facts_without_causes(kernel, &choice.loops);
    let parts = |branch: &Branch| {
        let is_in_lanes = known.forest.around(branch.op).any(|op| choice.takes(op));
        !is_in_lanes || !facts.shape(kernel.ops[branch.op].operands[0]).is_uniform()
    };
    let stores_leave: Vec<bool> = branches.iter().map(|branch| !branch.waits(kernel) && parts(branch)).collect();
    let mut changed = false;
    // What leaves a branch is in a side of the one around it, which comes later.
    for (branch, stores_leave) in branches.iter().zip(stores_leave).rev() {
        changed |= branch.load_before(kernel, context);
        changed |= stores_leave && branch.store_behind(kernel, context);
    }
    changed
}

/// A branch with two sides.
struct Branch {
    op: Op,
    /// The block that it stands in.
    home: Region,
    /// What the innermost loop around it hands on.
    carried: Vec<Value>,
}

/// Finds the branches of a block, each before those inside of it.
fn find(kernel: &Kernel, region: Region, carried: &[Value], found: &mut Vec<Branch>) {
    for &op in &kernel.regions[region].ops {
        let data = &kernel.ops[op];
        let accesses = |side: &Region| {
            kernel.regions[*side]
                .ops
                .iter()
                .any(|&op| matches!(kernel.ops[op].code, Code::Load | Code::Store | Code::If))
        };
        if data.code == Code::If && data.regions.iter().all(accesses) {
            found.push(Branch { op, home: region, carried: carried.to_vec() });
        }
        for &inner in &data.regions {
            let args = kernel.regions[inner].args.get(kernel.n_ranges(op)..).unwrap_or_default();
            find(kernel, inner, if is_loop(data.code) { args } else { carried }, found);
        }
    }
}

impl Branch {
    /// Loads before the branch what both sides load from one cell.
    fn load_before(&self, kernel: &mut Kernel, context: &mut Context) -> bool {
        let sides = self.sides(kernel);
        let mut changed = false;
        for load in self.accesses(kernel, sides[0], Code::Load) {
            let others = self.accesses(kernel, sides[1], Code::Load);
            let is_first = |kernel: &Kernel, side: Region, load: Op| {
                // What is checked first may be that there is such a cell.
                let is_check =
                    |op: Op| matches!(kernel.ops[op].code, Code::Assert | Code::AssertSize | Code::AssertSome);
                let before = kernel.regions[side].ops.iter().take_while(|&&op| op != load);
                !before
                    .into_iter()
                    .any(|&op| is_check(op) || touches(kernel, op, array_of(kernel, load), Effect::Writes))
            };
            if !is_first(kernel, sides[0], load) {
                continue;
            }
            let other = others.into_iter().find(|&other| {
                has_cell_of(kernel, load, other)
                    && kernel.ty(kernel.ops[load].results[0]) == kernel.ty(kernel.ops[other].results[0])
                    && is_first(kernel, sides[1], other)
            });
            let Some(other) = other else { continue };
            let [own, others] = [load, other].map(|op| kernel.ops[op].results[0]);
            let uses = kernel.use_counts();
            // What nobody uses goes away where it is.
            if uses[own] == 0 || uses[others] == 0 {
                continue;
            }
            let Some(mut made) = self.outside(kernel, load) else { continue };
            let (data, ty) = (kernel.ops[load].clone(), kernel.ty(own));
            let new = kernel.add_op(Code::Load, data.attr, made.operands, &[ty], data.origin);
            made.ops.push(new);
            context.outcomes.was_reused(kernel, other);
            self.take_out(kernel, [load, other]);
            let place = self.place(kernel);
            kernel.regions[self.home].ops.splice(place..place, made.ops);
            let loaded = kernel.ops[new].results[0];
            let mut replaced: Replacements = EntityVec::filled(kernel.values.len(), None);
            replace(kernel, &mut replaced, own, loaded);
            replace(kernel, &mut replaced, others, loaded);
            kernel.replace_uses(&replaced);
            changed = true;
        }
        changed
    }

    /// Stores behind the branch what both sides store to one cell.
    fn store_behind(&self, kernel: &mut Kernel, context: &mut Context) -> bool {
        let sides = self.sides(kernel);
        let mut changed = false;
        for store in self.accesses(kernel, sides[0], Code::Store).into_iter().rev() {
            let is_last = |kernel: &Kernel, side: Region, store: Op| {
                let behind = kernel.regions[side].ops.iter().rev().take_while(|&&op| op != store);
                !behind.into_iter().any(|&op| touches(kernel, op, array_of(kernel, store), Effect::Reads))
            };
            if !is_last(kernel, sides[0], store) {
                continue;
            }
            let others = self.accesses(kernel, sides[1], Code::Store);
            let other = others.into_iter().find(|&other| {
                let [ty, of_other] = [store, other].map(|op| stored(kernel, op).map(|value| kernel.ty(value)));
                has_cell_of(kernel, store, other) && ty == of_other && is_last(kernel, sides[1], other)
            });
            let Some(other) = other else { continue };
            let Some(mut made) = self.outside(kernel, store) else { continue };
            let [Some(own), Some(others)] = [store, other].map(|op| stored(kernel, op)) else { continue };
            for (side, value) in sides.into_iter().zip([own, others]) {
                kernel.regions[side].yields.push(value);
            }
            let number = kernel.ops[self.op].results.len() as u32;
            let chosen = kernel.add_value(kernel.ty(own), Def::Result(self.op, number), None);
            kernel.ops[self.op].results.push(chosen);
            made.operands.push(chosen);
            let data = kernel.ops[store].clone();
            let new = kernel.add_op(Code::Store, data.attr, made.operands, &[], data.origin);
            made.ops.push(new);
            let why = "both sides of the branch store to the same cell, so it is one store of what was chosen";
            context.decide(Decision::taken(kernel.ops[other].origin, ReasonCode::StoresJoined, vec![why.into()]));
            context.outcomes.stays_in_cache(kernel, other, "it is one with another store to the same cells".to_owned());
            self.take_out(kernel, [store, other]);
            let place = self.place(kernel) + 1;
            kernel.regions[self.home].ops.splice(place..place, made.ops);
            changed = true;
        }
        changed
    }

    /// Says whether the condition is computed from what the loop around hands on.
    fn waits(&self, kernel: &Kernel) -> bool {
        let mut open = vec![kernel.ops[self.op].operands[0]];
        let mut seen = FxHashSet::default();
        while let Some(value) = open.pop() {
            if self.carried.contains(&value) {
                return true;
            }
            if let Some(maker) = kernel.def_op(value).filter(|&maker| seen.insert(maker)) {
                open.extend(kernel.inputs(maker));
            }
        }
        false
    }

    fn sides(&self, kernel: &Kernel) -> [Region; 2] {
        [0, 1].map(|side| kernel.ops[self.op].regions[side])
    }

    fn place(&self, kernel: &Kernel) -> usize {
        let ops = &kernel.regions[self.home].ops;
        ops.iter().position(|&op| op == self.op).expect("a block lists the branch that stands in it")
    }

    fn take_out(&self, kernel: &mut Kernel, pair: [Op; 2]) {
        for side in self.sides(kernel) {
            kernel.regions[side].ops.retain(|op| !pair.contains(op));
        }
    }

    /// The accesses that every way through a side comes to.
    fn accesses(&self, kernel: &Kernel, side: Region, code: Code) -> Vec<Op> {
        let ops = kernel.regions[side].ops.iter().copied();
        ops.filter(|&op| kernel.ops[op].code == code).take(MOST_ACCESSES).collect()
    }

    /// The operands of an access without what it stores, as values from before the branch, with the ops that compute those. `None` if
    /// there are too many, or some do more than that.
    fn outside(&self, kernel: &mut Kernel, access: Op) -> Option<Outside> {
        let mut made = Outside { operands: Values::new(), ops: Vec::new() };
        for operand in cell(kernel, access).to_vec() {
            let operand = self.value_outside(kernel, operand, &mut made.ops)?;
            made.operands.push(operand);
        }
        Some(made)
    }

    fn value_outside(&self, kernel: &mut Kernel, value: Value, ops: &mut Vec<Op>) -> Option<Value> {
        let Def::Result(maker, number) = kernel.values[value].def else { return Some(value) };
        let is_inside = self.sides(kernel).iter().any(|&side| kernel.regions[side].ops.contains(&maker));
        if !is_inside {
            return Some(value);
        }
        let data = kernel.ops[maker].clone();
        if ops.len() >= MOST_OPS || !data.regions.is_empty() || kernel.effect(maker) >= Effect::Reads {
            return None;
        }
        let mut operands = Values::new();
        for operand in data.operands {
            operands.push(self.value_outside(kernel, operand, ops)?);
        }
        let types: Vec<_> = data.results.iter().map(|&result| kernel.ty(result)).collect();
        let copy = kernel.add_op(data.code, data.attr, operands, &types, data.origin);
        ops.push(copy);
        kernel.ops[copy].results.get(number as usize).copied()
    }
}

/// The cell of an access, by values from outside of a branch.
struct Outside {
    operands: Values,
    /// The ops that compute them.
    ops: Vec<Op>,
}

/// The view and the subscripts of an access.
fn cell(kernel: &Kernel, access: Op) -> &[Value] {
    let operands = &kernel.ops[access].operands;
    &operands[..=usize::from(kernel.ty(operands[0]).rank())]
}

/// What a store stores; `None` if that is no single value.
fn stored(kernel: &Kernel, store: Op) -> Option<Value> {
    match kernel.ops[store].operands[cell(kernel, store).len()..] {
        [value] => Some(value),
        _ => None,
    }
}

fn array_of(kernel: &Kernel, access: Op) -> Value {
    kernel.root(kernel.ops[access].operands[0])
}

/// Says whether two accesses are to one cell, in the same way.
fn has_cell_of(kernel: &Kernel, one: Op, other: Op) -> bool {
    let (a, b) = (cell(kernel, one), cell(kernel, other));
    let is_same = |(&a, &b): (&Value, &Value)| kernel.ty(a) == kernel.ty(b) && is_same(kernel, a, b);
    a.len() == b.len() && kernel.ops[one].attr == kernel.ops[other].attr && a.iter().zip(b).all(is_same)
}

/// Says whether an op, or one inside of it, has an effect, or a greater one, on an array, or on one that may overlap it.
fn touches(kernel: &Kernel, op: Op, array: Value, effect: Effect) -> bool {
    let touches_itself = |op: Op| {
        let data = &kernel.ops[op];
        data.regions.is_empty()
            && kernel.effect(op) >= effect
            && data
                .operands
                .iter()
                .any(|&value| kernel.ty(value).is_view() && kernel.may_overlap(kernel.root(value), array))
    };
    let mut touched = touches_itself(op);
    kernel.walk_inside(op, &mut |inner| touched |= touches_itself(inner));
    touched
}
