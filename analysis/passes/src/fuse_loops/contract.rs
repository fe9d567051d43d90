//! New arrays whose elements live within one iteration of a loop: each of them becomes a value.
//!
//! Nothing but that loop's block touches such an array, with the same subscripts everywhere, and stores before it loads.

use ir::codes::ReasonCode;
use ir::entities::{Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::Kernel;
use ir::uses::{Use, Uses};

use crate::Context;
use crate::decision::Decision;
use crate::registers::promote;
use crate::same::is_same;

/// Makes values of arrays where that is possible.
pub(super) fn contract(kernel: &mut Kernel, context: &mut Context) {
    // A contraction of one array moves no op, and changes the users of no other one.
    let (uses, forest) = (Uses::of(kernel), LoopForest::of(kernel));
    for op in new_arrays(kernel) {
        let Some((block, subscripts)) = block_of(kernel, &uses, &forest, op) else { continue };
        let is_the_cell = |kernel: &Kernel, access: Op| {
            let own = &kernel.ops[access].operands[1..=subscripts.len()];
            own.iter().zip(&subscripts).all(|(&own, &other)| is_same(kernel, own, other)).then_some(0)
        };
        let origin = kernel.ops[op].origin;
        if promote(kernel, block, op, None, &is_the_cell) {
            let words = "each of its elements is a value, since the loops that make and use it run as one";
            context.decide(Decision::taken(origin, ReasonCode::ArrayInRegisters, vec![words.into()]));
            context.outcomes.went_to_registers(kernel, op);
        }
    }
    // If a place stands for several arrays, some may be left.
    new_arrays(kernel).into_iter().for_each(|op| context.outcomes.stays_in_memory(kernel, op));
}

fn new_arrays(kernel: &Kernel) -> Vec<Op> {
    let mut arrays = Vec::new();
    kernel.walk(kernel.body, &mut |_, op| arrays.extend(Some(op).filter(|&op| kernel.ops[op].code == Code::Temp)));
    arrays
}

/// The block of a loop that an array is stored to in, if all its accesses are there or further inside, and the subscripts of the store.
fn block_of(kernel: &Kernel, uses: &Uses, forest: &LoopForest, op: Op) -> Option<(Region, Vec<Value>)> {
    let mut users = Vec::new();
    for user in uses.users(kernel.ops[op].results[0]) {
        let Use::Operand(user, 0) = *user else { return None };
        users.push(user);
    }
    let store = users.iter().copied().find(|&user| kernel.ops[user].code == Code::Store)?;
    let block = forest.region_of(store);
    let data = &kernel.ops[store];
    let rank = kernel.ops[op].operands.len();
    let is_access = |user: &Op| matches!(kernel.ops[*user].code, Code::Load | Code::Store);
    let is_inside = |user: &Op| forest.ancestor_in(block, *user).is_some();
    let fits = forest.owner(block).is_some_and(|owner| kernel.ops[owner].code == Code::For)
        && users.iter().all(|user| is_access(user) && is_inside(user));
    fits.then(|| (block, data.operands[1..=rank].to_vec()))
}
