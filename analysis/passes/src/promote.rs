//! Promotion: a cell that all iterations of a loop work on becomes a value that the loop carries.
//!
//! ```text
//! for i in range(n):                      let first = if 0 < n: out[0] else: 0
//!     out[0] = out[0] + a[i]              let last = for i in range(n) with sum = first:
//!                                             yield sum + a[i]
//!                                         if 0 < n: out[0] = last
//! ```
//!
//! Nothing else in the loop may touch the array, or one that may overlap it. What was a chain through memory is a reduction then, or at
//! least stays in a register. A loop that has lanes, or stands inside of one that has, is left alone: there the cell is no obstacle.
//!
//! A store that only some iterations do becomes one that is always done, with the value that the cell had if none of them did it; so
//! some access of the cell has to be certain to be inside of the array.

use rustc_hash::FxHashMap;

use facts::Facts;
use facts::access::address;
use facts::loops::{Early, Loop};
use ir::builder::Builder;
use ir::codes::ReasonCode;
use ir::copy::Copied;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::Code;
use ir::program::{Def, DimSize, Kernel};
use ir::scalar::Scalar;
use ir::types::Type;

use crate::decision::Decision;
use crate::{Context, Replacements};

/// The number of stores of a loop that are looked at.
const MOST_STORES: usize = 256;

/// Lets loops carry the cells that all their iterations work on; says whether there are any.
pub fn promote(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let mut promoted: Vec<Cell> = Vec::new();
    loop {
        let cells = cells(kernel, context);
        if cells.is_empty() {
            break;
        }
        for cell in &cells {
            let words = "all iterations work on one cell, which is loaded before the loop and stored behind it";
            context.decide(Decision::taken(kernel.ops[cell.op].origin, ReasonCode::CellInRegister, vec![words.into()]));
            cell.promote(kernel);
        }
        context.forget();
        promoted.extend(cells);
    }
    let (found, choice) = (context.loops(kernel), context.choice(kernel));
    for cell in &promoted {
        if choice.takes(cell.op) && found.of(cell.op).is_some_and(|known| known.verdict.is_vector) {
            context.outcomes.were_promoted(kernel, &cell.accesses);
        }
    }
    !promoted.is_empty()
}

/// Of each innermost loop in order the first cell that can be a value.
fn cells(kernel: &Kernel, context: &mut Context) -> Vec<Cell> {
    let (found, choice, by_depth) = (context.loops(kernel), context.choice(kernel), context.by_depth(kernel));
    let forest = &found.forest;
    let has_lanes = |op: Op| choice.takes(op) && found.of(op).is_some_and(|known| known.verdict.is_vector);
    let is_open = |known: &&Loop| {
        !known.verdict.is_vector
            && kernel.ops[known.op].code == Code::For
            && forest.loops_inside(known.op).is_empty()
            && !forest.around(known.op).any(has_lanes)
    };
    let cells = found.list.iter().filter(is_open).filter_map(|known| {
        let facts = by_depth.of(kernel, known.op)?;
        Cell::of(kernel, facts, known.op, forest.region_of(known.op))
    });
    cells.collect()
}

/// A cell that a loop works on.
struct Cell {
    op: Op,
    /// The block that the loop stands in.
    home: Region,
    /// All loads and stores of it.
    accesses: Vec<Op>,
    /// A load and a store that say where they come from.
    load: Op,
    store: Op,
    /// An access with the operands that make the address.
    model: Op,
    /// The ops of the body that compute those operands.
    address: Vec<Op>,
    /// True if the cell is inside of its array even where the loop has no iteration.
    is_certain: bool,
}

impl Cell {
    /// The first cell of a loop that can be a value; `facts` are relative to the loop.
    fn of(kernel: &Kernel, facts: &Facts, op: Op, home: Region) -> Option<Cell> {
        let control = kernel.for_loop(op)?;
        kernel.as_const(kernel.ops[op].operands[2])?;
        if !control.reductions.is_empty() {
            return None;
        }
        let mut stores = Vec::new();
        kernel.walk_inside(op, &mut |inner| stores.extend((kernel.ops[inner].code == Code::Store).then_some(inner)));
        stores.iter().take(MOST_STORES).find_map(|&store| Cell::stored_by(kernel, facts, (op, home), store))
    }

    /// The cell that a store of the loop stores to.
    fn stored_by(kernel: &Kernel, facts: &Facts, (op, home): (Op, Region), store: Op) -> Option<Cell> {
        let root = kernel.root(kernel.ops[store].operands[0]);
        let ty = kernel.ty(*kernel.ops[store].operands.last()?);
        let place = address(kernel, facts, store)?;
        let bytes = i128::try_from(ty.data_elem()?.bytes()).ok()?;
        // The distance to another access of the array, if neither moves from iteration to iteration.
        let distance = |other: Op| {
            let is_fixed = facts.access(other).and_then(|access| access.stride_in_bytes()) == Some(0);
            let is_alike = kernel.root(kernel.ops[other].operands[0]) == root && cell_type(kernel, other) == Some(ty);
            let place_of_other = address(kernel, facts, other).filter(|_| is_fixed && is_alike)?;
            place_of_other.sub(&place)?.as_constant()
        };
        if distance(store) != Some(0) {
            return None;
        }
        let mut accesses = Vec::new();
        let mut is_alone = true;
        kernel.walk_inside(op, &mut |inner| {
            let data = &kernel.ops[inner];
            let touches = |&value: &Value| kernel.ty(value).is_view() && kernel.may_overlap(kernel.root(value), root);
            match data.code {
                // Views and sizes touch no cell, and the accesses through a view are met by themselves.
                Code::Row | Code::Slice | Code::Field | Code::Flat | Code::Size => {}
                _ if !data.operands.iter().any(touches) => {}
                Code::Load | Code::Store => match distance(inner) {
                    Some(0) => accesses.push(inner),
                    apart => is_alone &= apart.is_some_and(|apart| apart.abs() >= bytes),
                },
                _ => is_alone = false,
            }
        });
        if !is_alone {
            return None;
        }
        let load = *accesses.iter().find(|&&access| kernel.ops[access].code == Code::Load)?;
        let body = &kernel.regions[kernel.ops[op].regions[0]];
        let is_inside = |access: Op| is_inside(kernel, access);
        let is_always_done = |access: Op| body.ops.contains(&access);
        let model = *accesses.iter().find(|&&access| is_always_done(access) || is_inside(access))?;
        let rank = usize::from(kernel.ty(kernel.ops[model].operands[0]).rank());
        let early = Early::before_loop(kernel, op, &kernel.ops[model].operands[..=rank])?;
        early.carried.is_empty().then(|| Cell {
            op,
            home,
            load,
            store,
            model,
            address: early.ops,
            is_certain: is_inside(model),
            accesses,
        })
    }

    /// Lets the loop carry the value of the cell.
    fn promote(&self, kernel: &mut Kernel) {
        let op = self.op;
        let loaded = kernel.ops[self.load].results[0];
        let ty = kernel.ty(loaded);
        let name = kernel.values[kernel.root(kernel.ops[self.load].operands[0])].name.clone();
        let (start, before) = self.around(kernel, None);
        let body = kernel.ops[op].regions[0];
        let arg = kernel.add_arg(body, ty, name);
        let mut known: Replacements = EntityVec::filled(kernel.values.len(), None);
        let next = self.thread(kernel, body, arg, &mut known);
        let result = kernel.add_value(ty, Def::Result(op, kernel.ops[op].results.len() as u32), None);
        kernel.regions[body].yields.push(next);
        kernel.ops[op].operands.push(start.expect("the cell is loaded"));
        kernel.ops[op].results.push(result);
        let (_, behind) = self.around(kernel, Some(result));
        let ops = &mut kernel.regions[self.home].ops;
        let place = ops.iter().position(|&other| other == op).expect("the block lists the loop");
        ops.splice(place + 1..place + 1, behind);
        ops.splice(place..place, before);
        kernel.replace_uses(&known);
    }

    /// The ops that load the cell before the loop and give its value, or store a value behind it. Where the cell may be outside of its
    /// array they are done only if there is an iteration.
    fn around(&self, kernel: &mut Kernel, stored: Option<Value>) -> (Option<Value>, Vec<Op>) {
        let data = kernel.ops[self.op].clone();
        let (lo, hi, step) = (data.operands[0], data.operands[1], data.operands[2]);
        let index = kernel.regions[data.regions[0]].args[0];
        let ty = kernel.ty(kernel.ops[self.load].results[0]);
        let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
        b.set_origin(b.kernel().ops[stored.map_or(self.load, |_| self.store)].origin);
        let upwards = b.kernel().as_const(step).and_then(Scalar::wide).is_none_or(|step| step > 0);
        if !self.is_certain {
            let runs = b.op(if upwards { Code::Lt } else { Code::Gt }, &[lo, hi]);
            b.open_if(runs);
        }
        let mut copied: Copied = FxHashMap::from_iter([(index, lo)]);
        for &inner in &self.address {
            b.copy(inner, &mut copied);
        }
        let rank = usize::from(b.kernel().ty(b.kernel().ops[self.model].operands[0]).rank());
        let mut operands: Vec<Value> = b.kernel().ops[self.model].operands[..=rank].to_vec();
        operands.iter_mut().for_each(|value| *value = copied.get(value).copied().unwrap_or(*value));
        let mut loaded = None;
        match stored {
            Some(value) => {
                operands.push(value);
                let attr = b.kernel().ops[self.store].attr.clone();
                b.push(Code::Store, attr, &operands);
            }
            None => {
                let attr = b.kernel().ops[self.load].attr.clone();
                loaded = Some(b.op_with(Code::Load, attr, &operands));
            }
        }
        if !self.is_certain {
            let yields: Vec<Value> = loaded.into_iter().collect();
            b.next_block(&yields);
            let nothing: Vec<Value> = loaded.iter().map(|_| b.constant(zero(ty))).collect();
            loaded = b.close(&nothing).first().copied();
        }
        let (made, ops) = b.detach();
        *kernel = made;
        (loaded, std::mem::take(&mut kernel.regions[ops].ops))
    }

    /// Replaces loads of the cell in a block, and in those of branches inside, by its value there; gives the value at the block's end.
    fn thread(&self, kernel: &mut Kernel, region: Region, mut value: Value, known: &mut Replacements) -> Value {
        let ops = kernel.regions[region].ops.clone();
        for &op in &ops {
            if !self.accesses.contains(&op) {
                if kernel.ops[op].code == Code::If {
                    value = self.thread_branches(kernel, op, value, known);
                }
                continue;
            }
            match kernel.ops[op].code {
                Code::Load => known[kernel.ops[op].results[0]] = Some(value),
                _ => {
                    let stored = *kernel.ops[op].operands.last().expect("a store has a value");
                    value = known.get(stored).copied().flatten().unwrap_or(stored);
                }
            }
        }
        kernel.regions[region].ops.retain(|op| !self.accesses.contains(op));
        value
    }

    /// The value behind a branch: a result of it, if it stores to the cell.
    fn thread_branches(&self, kernel: &mut Kernel, op: Op, value: Value, known: &mut Replacements) -> Value {
        let regions = kernel.ops[op].regions.clone();
        let ends: Vec<Value> = regions.iter().map(|&region| self.thread(kernel, region, value, known)).collect();
        if ends.iter().all(|&end| end == value) {
            return value;
        }
        regions.iter().zip(&ends).for_each(|(&region, &end)| kernel.regions[region].yields.push(end));
        let ty = kernel.ty(value);
        let result = kernel.add_value(ty, Def::Result(op, kernel.ops[op].results.len() as u32), None);
        kernel.ops[op].results.push(result);
        result
    }
}

/// The type of what an access loads or stores.
fn cell_type(kernel: &Kernel, op: Op) -> Option<Type> {
    let data = &kernel.ops[op];
    match data.code {
        Code::Load => data.results.first().map(|&value| kernel.ty(value)),
        _ => data.operands.last().map(|&value| kernel.ty(value)),
    }
}

/// Says whether the subscripts of an access are constants that are inside of an array whose sizes are constants.
fn is_inside(kernel: &Kernel, access: Op) -> bool {
    let data = &kernel.ops[access];
    let constant = |value: Value| kernel.as_const(value).and_then(Scalar::wide);
    let sizes: Option<Vec<i128>> = match kernel.values[data.operands[0]].def {
        Def::Param(number) => {
            let sizes = kernel.params[number as usize].sizes.iter().map(|size| match size {
                DimSize::Constant(size) => Some(i128::from(*size)),
                _ => None,
            });
            sizes.collect()
        }
        Def::Result(maker, _) if kernel.ops[maker].code == Code::Temp => {
            kernel.ops[maker].operands.iter().map(|&size| constant(size)).collect()
        }
        _ => None,
    };
    sizes.filter(|sizes| !sizes.is_empty()).is_some_and(|sizes| {
        let subscripts = data.operands[1..=sizes.len()].iter().map(|&subscript| constant(subscript));
        subscripts.zip(sizes).all(|(at, size)| at.is_some_and(|at| (0..size).contains(&at)))
    })
}

fn zero(ty: Type) -> Scalar {
    Scalar::zero(ty.data_elem().expect("a cell holds a number"))
}
