//! Branches that give one of several arrays, which is then stored to: `let v = a if c else b`, `v[0] = 3`.
//!
//! Such a store is to be seen under the old name, so the branch cannot give a copy. And where the array's sizes are only known once it is
//! computed, there is no place that both sides could build theirs in. So what follows the branch, in its block, is written at the end
//! of each side, where the name is one array: nothing is copied, and the sizes are that array's own.

use ir::copy;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Def, Kernel, Values};

use super::swaps::{MOST_OPS, rename};

/// The kernel with what follows a branch written in both sides of it, if that is possible.
pub(super) fn written_out(kernel: &Kernel, branch: Op) -> Option<Kernel> {
    let mut ops = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| ops.push((region, op)));
    let (home, rest) = behind(kernel, &ops, branch)?;
    let mut n_copied = rest.len();
    rest.iter().for_each(|&op| kernel.walk_inside(op, &mut |_| n_copied += 1));
    if ops.len() + n_copied > MOST_OPS {
        return None;
    }
    let mut kernel = kernel.clone();
    let branch = kernel.regions[home].ops[kernel.regions[home].ops.len() - rest.len() - 1];
    write_out(&mut kernel, home, branch);
    Some(kernel)
}

/// The block of a branch with the ops that follow it there. Where none does, the branch is the end of another one's side, and what
/// follows that one is wanted.
fn behind(kernel: &Kernel, ops: &[(Region, Op)], branch: Op) -> Option<(Region, Vec<Op>)> {
    let mut branch = branch;
    loop {
        let &(home, _) = ops.iter().find(|(_, op)| *op == branch)?;
        let around = ops.iter().find(|(_, op)| kernel.ops[*op].regions.contains(&home)).map(|&(_, op)| op);
        // Lanes that run together meet again behind a branch.
        let mut outer = around;
        while let Some(op) = outer {
            if kernel.lanes_of_foreach(op).is_some() {
                return None;
            }
            let &(region, _) = ops.iter().find(|(_, other)| *other == op)?;
            outer = ops.iter().find(|(_, op)| kernel.ops[*op].regions.contains(&region)).map(|&(_, op)| op);
        }
        let place = kernel.regions[home].ops.iter().position(|&op| op == branch)?;
        let rest = kernel.regions[home].ops[place + 1..].to_vec();
        if !rest.is_empty() {
            return Some((home, rest));
        }
        branch = around.filter(|&op| kernel.ops[op].code == Code::If)?;
    }
}

/// Moves what follows a branch into its first side, and a copy of that into the other one.
fn write_out(kernel: &mut Kernel, home: Region, branch: Op) {
    let place = kernel.regions[home].ops.iter().position(|&op| op == branch).expect("the branch is in its block");
    let rest = kernel.regions[home].ops.split_off(place + 1);
    let yields = std::mem::take(&mut kernel.regions[home].yields);
    let results = std::mem::take(&mut kernel.ops[branch].results);
    // The copy comes first: the names of the first side are then put into the ops themselves.
    for (number, side) in kernel.ops[branch].regions.clone().into_iter().enumerate().rev() {
        let given = std::mem::take(&mut kernel.regions[side].yields);
        let mut copied: copy::Copied = results.iter().copied().zip(given).collect();
        let ops = match number {
            0 => {
                rename(kernel, &rest, &copied);
                rest.clone()
            }
            _ => rest.iter().map(|&op| copy::op(kernel, op, &mut copied)).collect(),
        };
        kernel.regions[side].ops.extend(ops);
        let value = |value: &Value| copied.get(value).copied().unwrap_or(*value);
        kernel.regions[side].yields = yields.iter().map(value).collect();
    }
    let mut own = Values::new();
    for (number, &yielded) in yields.iter().enumerate() {
        let (ty, name) = (kernel.ty(yielded), kernel.values[yielded].name.clone());
        own.push(kernel.add_value(ty, Def::Result(branch, number as u32), name));
    }
    kernel.ops[branch].results = own.iter().copied().collect();
    kernel.regions[home].yields = own;
}
