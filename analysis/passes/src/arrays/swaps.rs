//! Loops that hand on the names of arrays: `for t in range(steps): …; src, dst = dst, src`, or `if better: best = row`.
//!
//! Such a loop carries no new array: in each iteration its names stand for the arrays that it starts with, or others of outside, in an
//! order that comes again after a few iterations. So the loop carries the number of that order, and its block becomes one for each order, in which
//! every name is one array: nothing is copied, and what is known of the arrays is known of each block's loops. Behind the loop a name
//! is the array that the last number says.

use rustc_hash::{FxHashMap, FxHashSet};

use ir::copy;
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
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

/// Names that a loop carries, and only gives arrays that are there before it.
struct Swap {
    /// The positions of the names among what the loop carries.
    slots: Vec<usize>,
    /// The arrays that they may stand for. A part that the loop takes of one of outside is taken again where it is named.
    arrays: Vec<Value>,
    /// The values that are computed in the blocks of the loop.
    inside: FxHashSet<Value>,
    /// For each order of the arrays, the number in `arrays` of the one that each name stands for.
    orders: Vec<Vec<usize>>,
    /// The names that the next iteration has.
    next: Next,
}

/// An array that a name stands for in the next iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The one that the name with this number stands for in this iteration.
    Name(usize),
    /// The one with this number, of outside.
    Array(usize),
}

/// The arrays of the names in the next iteration.
enum Next {
    /// These.
    Names(Vec<Source>),
    /// The names that one of two blocks of an `if` yields, as the results with these numbers.
    Either(Op, Vec<usize>, Box<[Next; 2]>),
}

impl Next {
    /// The arrays that values of an iteration are, if each is one of `names` or of outside.
    fn of(names: &[Value], values: &[Value], known: &mut Known<'_>) -> Option<Next> {
        let sources = values.iter().map(|&value| known.source(names, value));
        if let Some(step) = sources.collect::<Option<Vec<_>>>() {
            return Some(Next::Names(step));
        }
        let (kernel, counts) = (known.kernel, known.counts);
        let given = |value: &Value| match kernel.values[*value].def {
            Def::Result(op, number) if kernel.ops[op].code == Code::If => Some((op, number as usize)),
            _ => None,
        };
        let open = values.iter().filter(|&&value| known.source(names, value).is_none());
        let (branch, _) = open.collect::<Vec<_>>().into_iter().find_map(given)?;
        let own = |value: &Value| given(value).filter(|(op, _)| *op == branch).map(|(_, number)| number);
        // Each branch is asked in one place, so what another one gives has no place here.
        if values.iter().any(|value| own(value).is_none() && known.source(names, *value).is_none()) {
            return None;
        }
        // Nothing else looks at what the branch gives.
        let results: Vec<usize> = values.iter().filter_map(own).collect();
        if results.iter().any(|&number| counts[kernel.ops[branch].results[number]] != 1) {
            return None;
        }
        let mut side = |number: usize| {
            let yields = &kernel.regions[kernel.ops[branch].regions[number]].yields;
            let values: Vec<Value> =
                values.iter().map(|value| own(value).map_or(*value, |number| yields[number])).collect();
            Next::of(names, &values, known)
        };
        Some(Next::Either(branch, results, Box::new([side(0)?, side(1)?])))
    }

    /// Collects the ways in which names change.
    fn steps<'n>(&'n self, found: &mut Vec<&'n [Source]>) {
        match self {
            Next::Names(step) => found.push(step),
            Next::Either(_, _, sides) => sides.iter().for_each(|side| side.steps(found)),
        }
    }
}

/// The state of the search for the names of a loop.
struct Known<'k> {
    kernel: &'k Kernel,
    counts: &'k ir::EntityVec<Value, u32>,
    /// The values that are computed in the blocks of the loop.
    inside: &'k FxHashSet<Value>,
    /// The arrays of outside that its names may stand for.
    arrays: Vec<Value>,
}

impl Known<'_> {
    /// The array that a value is, if it is one of these names or of outside.
    fn source(&mut self, names: &[Value], value: Value) -> Option<Source> {
        if let Some(name) = names.iter().position(|&name| name == value) {
            return Some(Source::Name(name));
        }
        let is_known = makers(self.kernel, value, self.inside, &mut Vec::new());
        is_known.then(|| Source::Array(self.number(value)))
    }

    fn number(&mut self, array: Value) -> usize {
        self.arrays.iter().position(|&known| known == array).unwrap_or_else(|| {
            self.arrays.push(array);
            self.arrays.len() - 1
        })
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
        if slots.is_empty() {
            return None;
        }
        let counts = kernel.use_counts();
        let mut inside = FxHashSet::default();
        data.regions.iter().for_each(|&region| inside.extend(&kernel.regions[region].args));
        kernel.walk_inside(op, &mut |inner| {
            let data = &kernel.ops[inner];
            inside.extend(&data.results);
            data.regions.iter().for_each(|&region| inside.extend(&kernel.regions[region].args));
        });
        let first = kernel.n_head_operands(op);
        let by = |slots: Vec<usize>| {
            let names: Vec<Value> = slots.iter().map(|&slot| carried[slot]).collect();
            let values: Vec<Value> = slots.iter().map(|&slot| yields[slot]).collect();
            let mut known = Known { kernel, counts: &counts, inside: &inside, arrays: Vec::new() };
            let start: Vec<usize> = slots.iter().map(|&slot| known.number(data.operands[first + slot])).collect();
            Some((Next::of(&names, &values, &mut known)?, slots, known.arrays, start))
        };
        // If not all names are handed on, some may be among themselves.
        let mut own = slots.clone();
        loop {
            let known: Vec<Value> = own.iter().map(|&slot| carried[slot]).collect();
            let n_slots = own.len();
            own.retain(|&slot| known.contains(&yields[slot]) || !inside.contains(&yields[slot]));
            if own.len() == n_slots {
                break;
            }
        }
        let (next, slots, arrays, start) = by(slots).or_else(|| by(own))?;
        let mut steps = Vec::new();
        next.steps(&mut steps);
        let keeps = |step: &&[Source]| step.iter().enumerate().all(|(slot, source)| *source == Source::Name(slot));
        if steps.iter().all(keeps) {
            return None;
        }
        let mut orders: Vec<Vec<usize>> = vec![start];
        let mut n_done = 0;
        while n_done < orders.len() && orders.len() <= MOST_ORDERS {
            for step in &steps {
                let order = after(&orders[n_done], step);
                if !orders.contains(&order) {
                    orders.push(order);
                }
            }
            n_done += 1;
        }
        let mut n_ops = 0;
        kernel.walk_inside(op, &mut |_| n_ops += 1);
        let is_small = orders.len() <= MOST_ORDERS && orders.len() * n_ops <= MOST_OPS;
        is_small.then_some(Swap { slots, arrays, inside, orders, next })
    }

    /// The array with a number, where ops are added for what it takes to name it.
    fn array(&self, kernel: &mut Kernel, number: usize, ops: &mut Vec<Op>) -> Value {
        let array = self.arrays[number];
        let mut own = Vec::new();
        makers(kernel, array, &self.inside, &mut own);
        let mut copied = copy::Copied::default();
        ops.extend(own.into_iter().map(|maker| copy::op(kernel, maker, &mut copied)));
        copied.get(&array).copied().unwrap_or(array)
    }

    /// The number of the next order behind a block for one, in which values stand for those that `next` names.
    fn next_order(&self, kernel: &mut Kernel, next: &Next, number: usize, copied: &copy::Copied) -> Value {
        match next {
            Next::Names(step) => {
                let order = after(&self.orders[number], step);
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
        // The argument that says the order stands for those that are the names.
        let n_head_args = kernel.n_head_args(op);
        let mut args = std::mem::take(&mut kernel.regions[regions[0]].args);
        let names: Vec<Value> = self.slots.iter().map(|&slot| args[n_head_args + slot]).collect();
        args.retain(|arg| !names.contains(arg));
        for (number, &arg) in args.iter().enumerate() {
            kernel.values[arg].def = Def::Arg(regions[0], number as u32);
        }
        kernel.regions[regions[0]].args = args;
        // The order gets the name that the source has for the first of the arrays.
        let called = kernel.values[names[0]].name.clone().unwrap_or_else(|| "order".into());
        let order = kernel.add_arg(regions[0], Type::scalar(Elem::I64), Some(called));
        for &region in &regions {
            self.write_region(kernel, (region, order), &names, (region == last).then_some(n_joined));
        }
        // The loop starts with, and gives, the number of the order instead of the arrays.
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
        self.choose_behind(kernel, around, op, order, &old);
    }

    /// Writes a block of the loop once for each order. The last block, which joins `n_joined` values to what is outside, says the next order.
    fn write_region(
        &self,
        kernel: &mut Kernel,
        (region, order): (Region, Value),
        names: &[Value],
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
                let mut own = Vec::new();
                let order = names.iter().zip(&self.orders[number]);
                let mut copied: copy::Copied =
                    order.map(|(&name, &array)| (name, self.array(kernel, array, &mut own))).collect();
                match number {
                    0 => {
                        rename(kernel, &ops, &copied);
                        own.extend(&ops);
                    }
                    _ => own.extend(ops.iter().map(|&op| copy::op(kernel, op, &mut copied)).collect::<Vec<_>>()),
                }
                let value = |value: &Value| copied.get(value).copied().unwrap_or(*value);
                let mut yields: Values = yields.iter().map(value).collect();
                if let Some(n_joined) = n_joined {
                    let next = self.next_order(kernel, &self.next, number, &copied);
                    yields.insert(yields.len() - n_joined, next);
                }
                RegionData { args: Default::default(), ops: own, yields }
            })
            .collect();
        let origin = ops.first().map_or_else(|| kernel.whole(), |&op| kernel.ops[op].origin);
        let types: Vec<Type> = blocks[0].yields.iter().map(|&value| kernel.ty(value)).collect();
        let results = choose(kernel, region, order, origin, &types, blocks.into_iter().rev().collect());
        kernel.regions[region].yields = results;
    }

    /// Behind the loop each name that is used there is the array that the last order says.
    fn choose_behind(&self, kernel: &mut Kernel, around: Region, op: Op, order: Value, old: &[Value]) {
        let counts = kernel.use_counts();
        let used: Vec<usize> = (0..old.len()).filter(|&slot| counts[old[slot]] > 0).collect();
        if used.is_empty() {
            return;
        }
        let place = kernel.regions[around].ops.iter().position(|&other| other == op).expect("the loop is in its block");
        let behind = kernel.regions[around].ops.split_off(place + 1);
        let types: Vec<Type> = used.iter().map(|&slot| kernel.ty(old[slot])).collect();
        let mut blocks = Vec::new();
        for order in &self.orders {
            let mut block = RegionData::default();
            block.yields = used.iter().map(|&slot| self.array(kernel, order[slot], &mut block.ops)).collect();
            blocks.push(block);
        }
        let results = choose(kernel, around, order, kernel.ops[op].origin, &types, blocks);
        let mut new = ir::EntityVec::filled(kernel.values.len(), None);
        for (&slot, &result) in used.iter().zip(&results) {
            kernel.values[result].name = kernel.values[old[slot]].name.clone();
            new[old[slot]] = Some(result);
        }
        kernel.replace_uses(&new);
        kernel.regions[around].ops.extend(behind);
    }
}

/// Collects the ops by which a loop makes a value from what is outside of it; says whether these are all that it takes, and change
/// nothing where they are done once more.
fn makers(kernel: &Kernel, value: Value, inside: &FxHashSet<Value>, found: &mut Vec<Op>) -> bool {
    if !inside.contains(&value) {
        return true;
    }
    let Some(op) = kernel.def_op(value) else { return false };
    let data = &kernel.ops[op];
    let is_part = matches!(data.code, Code::Row | Code::Slice | Code::Field);
    let is_number = data.regions.is_empty() && !kernel.ty(value).is_view() && kernel.effect(op) <= Effect::Fails;
    if !found.contains(&op) {
        if !(is_part || is_number) || !data.operands.iter().all(|&operand| makers(kernel, operand, inside, found)) {
            return false;
        }
        found.push(op);
    }
    true
}

/// The arrays of the names behind an iteration that has them in some order.
fn after(order: &[usize], step: &[Source]) -> Vec<usize> {
    let array = |source: &Source| match *source {
        Source::Name(name) => order[name],
        Source::Array(array) => array,
    };
    step.iter().map(array).collect()
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
