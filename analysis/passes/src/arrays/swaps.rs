//! Loops that swap the names of arrays: `for t in range(steps): …; src, dst = dst, src`.
//!
//! Such a loop carries no new array: in each iteration its names stand for the arrays that it starts with, in an order that comes
//! again after a few iterations. So the loop carries the number of that order, and its block becomes one for each order, in which
//! every name is one array: nothing is copied, and what is known of the arrays is known of each block's loops. Behind the loop a name
//! is the array that the last number says.

use rustc_hash::FxHashMap;

use ir::copy;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Control, Def, Kernel, RegionData, Values};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

/// The largest number of orders that a block is written out for.
const MOST_ORDERS: usize = 6;

/// The most ops that what is written out may come to.
pub(super) const MOST_OPS: usize = 4_000;

/// The kernel with each order of swapped arrays written out, if some loop swaps arrays.
pub(super) fn written_out(kernel: &Kernel) -> Option<Kernel> {
    let mut loops = Vec::new();
    // Inner loops come first, so that what is written out for an outer one has them done.
    kernel.walk(kernel.body, &mut |region, op| loops.push((region, op)));
    loops.retain(|&(_, op)| Swap::of(kernel, op).is_some());
    if loops.is_empty() {
        return None;
    }
    let mut kernel = kernel.clone();
    for (region, op) in loops.into_iter().rev() {
        if let Some(swap) = Swap::of(&kernel, op) {
            swap.write_out(&mut kernel, region, op);
        }
    }
    Some(kernel)
}

/// The arrays that a loop carries and only gives each other's names.
struct Swap {
    /// The positions among what the loop carries.
    slots: Vec<usize>,
    /// For each order of the arrays, the number in `slots` of the array that each name stands for.
    orders: Vec<Vec<usize>>,
    /// The names that the next iteration has.
    next: Next,
}

/// The array that each name stands for in the next iteration, by the name that it has in this one.
enum Next {
    /// These names.
    Names(Vec<usize>),
    /// Those of one of two blocks of an `if`, which gives them as the results with these numbers.
    Either(Op, Vec<usize>, Box<[Next; 2]>),
}

impl Next {
    /// The names that values of an iteration have, if each is one of `names`.
    fn of(kernel: &Kernel, names: &[Value], values: &[Value], counts: &ir::EntityVec<Value, u32>) -> Option<Next> {
        let known = values.iter().map(|value| names.iter().position(|name| name == value));
        if let Some(step) = known.collect::<Option<Vec<_>>>() {
            let is_permutation = (0..step.len()).all(|slot| step.contains(&slot));
            return is_permutation.then_some(Next::Names(step));
        }
        let given = |value: &Value| match kernel.values[*value].def {
            Def::Result(op, number) if kernel.ops[op].code == Code::If => Some((op, number as usize)),
            _ => None,
        };
        let (branch, _) = values.iter().filter(|value| !names.contains(value)).find_map(given)?;
        let own = |value: &Value| given(value).filter(|(op, _)| *op == branch).map(|(_, number)| number);
        // Nothing else looks at what the branch gives.
        let results: Vec<usize> = values.iter().filter_map(own).collect();
        if results.iter().any(|&number| counts[kernel.ops[branch].results[number]] != 1) {
            return None;
        }
        let side = |number: usize| {
            let yields = &kernel.regions[kernel.ops[branch].regions[number]].yields;
            let values: Vec<Value> =
                values.iter().map(|value| own(value).map_or(*value, |number| yields[number])).collect();
            Next::of(kernel, names, &values, counts)
        };
        Some(Next::Either(branch, results, Box::new([side(0)?, side(1)?])))
    }

    /// Collects the ways in which names change.
    fn steps<'n>(&'n self, found: &mut Vec<&'n [usize]>) {
        match self {
            Next::Names(step) => found.push(step),
            Next::Either(_, _, sides) => sides.iter().for_each(|side| side.steps(found)),
        }
    }
}

impl Swap {
    fn of(kernel: &Kernel, op: Op) -> Option<Swap> {
        let data = &kernel.ops[op];
        if !matches!(data.code, Code::For | Code::While) {
            return None;
        }
        // A `while` carries what its condition and its block name alike.
        let carried = &kernel.regions[data.regions[0]].args[kernel.n_head_args(op)..];
        let yields = &kernel.regions[*data.regions.last()?].yields;
        let slots: Vec<usize> = (0..carried.len()).filter(|&slot| kernel.ty(carried[slot]).is_view()).collect();
        if slots.len() < 2 {
            return None;
        }
        let counts = kernel.use_counts();
        let by = |slots: Vec<usize>| {
            let names: Vec<Value> = slots.iter().map(|&slot| carried[slot]).collect();
            let values: Vec<Value> = slots.iter().map(|&slot| yields[slot]).collect();
            Some((Next::of(kernel, &names, &values, &counts)?, slots))
        };
        // If not all names are swapped, some may be among themselves.
        let mut own = slots.clone();
        loop {
            let known: Vec<Value> = own.iter().map(|&slot| carried[slot]).collect();
            let n_slots = own.len();
            own.retain(|&slot| known.contains(&yields[slot]));
            if own.len() == n_slots {
                break;
            }
        }
        let (next, slots) = by(slots).or_else(|| by(own))?;
        let mut steps = Vec::new();
        next.steps(&mut steps);
        let mut orders: Vec<Vec<usize>> = vec![(0..slots.len()).collect()];
        if steps.iter().all(|step| *step == orders[0]) {
            return None;
        }
        let mut n_done = 0;
        while n_done < orders.len() && orders.len() <= MOST_ORDERS {
            for step in &steps {
                let order: Vec<usize> = step.iter().map(|&slot| orders[n_done][slot]).collect();
                if !orders.contains(&order) {
                    orders.push(order);
                }
            }
            n_done += 1;
        }
        let mut n_ops = 0;
        kernel.walk_inside(op, &mut |_| n_ops += 1);
        let is_small = orders.len() <= MOST_ORDERS && orders.len() * n_ops <= MOST_OPS;
        is_small.then_some(Swap { slots, orders, next })
    }

    /// The number of the next order behind a block for one, in which values stand for those that `next` names.
    fn next_order(&self, kernel: &mut Kernel, next: &Next, number: usize, copied: &copy::Copied) -> Value {
        match next {
            Next::Names(step) => {
                let order: Vec<usize> = step.iter().map(|&slot| self.orders[number][slot]).collect();
                let next = self.orders.iter().position(|other| *other == order).expect("each order is there");
                kernel.constant(Scalar::I64(next as i64))
            }
            Next::Either(branch, results, sides) => {
                let result = kernel.ops[*branch].results[results[0]];
                let own = kernel.def_op(copied.get(&result).copied().unwrap_or(result)).expect("an `if` gives it");
                let mut results = results.clone();
                results.sort_unstable_by_key(|&number| std::cmp::Reverse(number));
                for (side, block) in sides.iter().zip(kernel.ops[own].regions.clone()) {
                    let next = self.next_order(kernel, side, number, copied);
                    for &number in &results {
                        kernel.regions[block].yields.remove(number);
                    }
                    kernel.regions[block].yields.push(next);
                }
                for number in results {
                    kernel.ops[own].results.remove(number);
                }
                let next = kernel.add_value(Type::scalar(Elem::I64), Def::Result(own, 0), None);
                kernel.ops[own].results.push(next);
                for (number, result) in kernel.ops[own].results.clone().into_iter().enumerate() {
                    kernel.values[result].def = Def::Result(own, number as u32);
                }
                next
            }
        }
    }

    fn write_out(&self, kernel: &mut Kernel, around: Region, op: Op) {
        let first = kernel.n_head_operands(op);
        let n_joined = kernel.control(op).map_or(0, |control| control.reductions.len());
        let regions = kernel.ops[op].regions.clone();
        let last = *regions.last().expect("a loop has a block");
        let arrays: Vec<Value> = self.slots.iter().map(|&slot| kernel.ops[op].operands[first + slot]).collect();
        // The argument that says the order stands for those that are the names.
        let n_head_args = kernel.n_head_args(op);
        let mut args = std::mem::take(&mut kernel.regions[regions[0]].args);
        let names: Vec<Value> = self.slots.iter().map(|&slot| args[n_head_args + slot]).collect();
        args.retain(|arg| !names.contains(arg));
        for (number, &arg) in args.iter().enumerate() {
            kernel.values[arg].def = Def::Arg(regions[0], number as u32);
        }
        kernel.regions[regions[0]].args = args;
        let order = kernel.add_arg(regions[0], Type::scalar(Elem::I64), Some("order".into()));
        for &region in &regions {
            self.write_region(kernel, (region, order), (&names, &arrays), (region == last).then_some(n_joined));
        }
        // What the loop starts with and gives: the number of the order instead of the arrays.
        let start = kernel.constant(Scalar::I64(0));
        let mut operands = kernel.ops[op].operands.clone();
        let mut results = kernel.ops[op].results.clone();
        let old: Vec<Value> = self.slots.iter().map(|&slot| results[slot]).collect();
        for &slot in self.slots.iter().rev() {
            operands.remove(first + slot);
            results.remove(slot);
        }
        let place = results.len() - n_joined;
        operands.insert(first + place, start);
        let order = kernel.add_value(Type::scalar(Elem::I64), Def::Result(op, 0), None);
        results.insert(place, order);
        for (number, &result) in results.iter().enumerate() {
            kernel.values[result].def = Def::Result(op, number as u32);
        }
        kernel.ops[op].operands = operands;
        kernel.ops[op].results = results;
        self.choose_behind(kernel, around, op, order, &arrays, &old);
    }

    /// Writes a block of the loop once for each order. The last block, which joins `n_joined` values to what is outside, says the next order.
    fn write_region(
        &self,
        kernel: &mut Kernel,
        (region, order): (Region, Value),
        (names, arrays): (&[Value], &[Value]),
        n_joined: Option<usize>,
    ) {
        let ops = std::mem::take(&mut kernel.regions[region].ops);
        let mut yields = std::mem::take(&mut kernel.regions[region].yields);
        if n_joined.is_some() {
            for &slot in self.slots.iter().rev() {
                yields.remove(slot);
            }
        }
        // The first order has the block's own ops, so that what is known of these still holds; the others have copies.
        let blocks: Vec<RegionData> = (0..self.orders.len())
            .rev()
            .map(|number| {
                let array = |slot: usize| arrays[self.orders[number][slot]];
                let mut copied: copy::Copied =
                    names.iter().enumerate().map(|(slot, &name)| (name, array(slot))).collect();
                let ops = match number {
                    0 => {
                        rename(kernel, &ops, &copied);
                        ops.clone()
                    }
                    _ => ops.iter().map(|&op| copy::op(kernel, op, &mut copied)).collect(),
                };
                let value = |value: &Value| copied.get(value).copied().unwrap_or(*value);
                let mut yields: Values = yields.iter().map(value).collect();
                if let Some(n_joined) = n_joined {
                    let next = self.next_order(kernel, &self.next, number, &copied);
                    yields.insert(yields.len() - n_joined, next);
                }
                RegionData { args: Default::default(), ops, yields }
            })
            .collect();
        let origin = ops.first().map_or_else(|| kernel.whole(), |&op| kernel.ops[op].origin);
        let types: Vec<Type> = blocks[0].yields.iter().map(|&value| kernel.ty(value)).collect();
        let results = choose(kernel, region, order, origin, &types, blocks.into_iter().rev().collect());
        kernel.regions[region].yields = results;
    }

    /// Behind the loop each name that is used there is the array that the last order says.
    fn choose_behind(
        &self,
        kernel: &mut Kernel,
        around: Region,
        op: Op,
        order: Value,
        arrays: &[Value],
        old: &[Value],
    ) {
        let counts = kernel.use_counts();
        let used: Vec<usize> = (0..old.len()).filter(|&slot| counts[old[slot]] > 0).collect();
        if used.is_empty() {
            return;
        }
        let place = kernel.regions[around].ops.iter().position(|&other| other == op).expect("the loop is in its block");
        let behind = kernel.regions[around].ops.split_off(place + 1);
        let types: Vec<Type> = used.iter().map(|&slot| kernel.ty(old[slot])).collect();
        let blocks = self.orders.iter().map(|order| RegionData {
            yields: used.iter().map(|&slot| arrays[order[slot]]).collect(),
            ..RegionData::default()
        });
        let results = choose(kernel, around, order, kernel.ops[op].origin, &types, blocks.collect());
        let mut new = ir::EntityVec::filled(kernel.values.len(), None);
        for (&slot, &result) in used.iter().zip(&results) {
            kernel.values[result].name = kernel.values[old[slot]].name.clone();
            new[old[slot]] = Some(result);
        }
        kernel.replace_uses(&new);
        kernel.regions[around].ops.extend(behind);
    }
}

/// Gives ops, and those inside of them, other operands.
pub(super) fn rename(kernel: &mut Kernel, ops: &[Op], names: &FxHashMap<Value, Value>) {
    let mut all = ops.to_vec();
    for &op in ops {
        kernel.walk_inside(op, &mut |inner| all.push(inner));
    }
    for op in all {
        for operand in &mut kernel.ops[op].operands {
            *operand = names.get(operand).copied().unwrap_or(*operand);
        }
        for region in kernel.ops[op].regions.clone() {
            for value in &mut kernel.regions[region].yields {
                *value = names.get(value).copied().unwrap_or(*value);
            }
        }
    }
}

/// One of several blocks, by its number, at the end of a region; gives what that yields.
fn choose(
    kernel: &mut Kernel,
    region: Region,
    number: Value,
    origin: ir::Origin,
    types: &[Type],
    mut blocks: Vec<RegionData>,
) -> Values {
    let mut other = blocks.pop().expect("there are several blocks");
    // From the last to the first: each is asked for in front of those behind it.
    while let Some(block) = blocks.pop() {
        let own = kernel.constant(Scalar::I64(blocks.len() as i64));
        let test = kernel.add_op(
            Code::Eq,
            Attr::None,
            [number, own].into_iter().collect(),
            &[Type::scalar(Elem::Bool)],
            origin,
        );
        let condition = [kernel.ops[test].results[0]].into_iter().collect();
        let branch = kernel.add_op(Code::If, Attr::Control(Box::<Control>::default()), condition, types, origin);
        for data in [block, other] {
            let inner = kernel.regions.push(data);
            kernel.ops[branch].regions.push(inner);
        }
        let yields = kernel.ops[branch].results.iter().copied().collect();
        other = RegionData { args: Default::default(), ops: vec![test, branch], yields };
    }
    kernel.regions[region].ops.extend(other.ops);
    other.yields
}
