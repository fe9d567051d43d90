//! Places of new arrays: the stack for those that are small and of known size, scratch memory that the caller passes for all others.
//!
//! A kernel allocates nothing. An array in scratch memory has a *slot*: it lies behind the slots of the arrays that live when it is
//! made, each at a multiple of 64 bytes. Arrays that never live at the same time share memory: those of different blocks, and one
//! whose last use was before, if it is as large.
//!
//! ```text
//! kernel k(a: f32[n], n: i32):            @scratch((aligned(array(4, n)) + array(4, n)))
//!     let t = temp(n, unset=f32)          let t = scratch(0, n, unset=f32)
//!     …                                   …
//!     let u = temp(n, unset=f32)          let u = scratch(((4 * n + 63) & -64), n, unset=f32)
//! ```
//!
//! The caller knows the bytes before the call, so a slot is as large as its array can be: of a size that changes in loops, the most
//! that it is (see `bounds`). An array of which that cannot be said keeps its `temp`, for which there is no native code.

use crate::Context;
use crate::bounds::Bounds;
use crate::decision::{Decision, Said};
use crate::formulas;
use ir::codes::ReasonCode;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel};
use ir::scratch::{Formula, Join, most};

/// The bytes of the largest array on the stack.
const MOST_OF_ONE: i64 = 4 << 10;
/// The bytes of all arrays on the stack together.
const MOST_OF_ALL: i64 = 16 << 10;

/// Gives new arrays their places; says whether any of them lies in scratch memory now.
pub fn scratch(kernel: &mut Kernel, context: &mut Context) -> bool {
    let mut planner = Planner {
        kernel,
        bounds: Bounds::of(kernel),
        on_stack: 0,
        slots: Vec::new(),
        placed: Vec::new(),
        left: Vec::new(),
    };
    planner.region(kernel.body, Vec::new(), Vec::new(), false);
    let Planner { slots, placed, left, .. } = planner;
    for op in left {
        context.decide(Decision::left(kernel.ops[op].origin, ReasonCode::BytesNotTold, size_said(kernel, op)));
    }
    if placed.is_empty() {
        return false;
    }
    let offsets: Vec<Formula> = slots.iter().map(|slot| slot.offset(&slots)).collect();
    let mut offset_values = Vec::new();
    formulas::at_entry(kernel, None, |writer| offset_values.extend(offsets.iter().map(|offset| writer.value(offset))));
    let mut arrays = Vec::new();
    for (op, slot) in placed {
        let bytes = slots[slot].bytes.shown(&|atom| kernel.atom_name(atom));
        context.decide(Decision::taken(
            kernel.ops[op].origin,
            ReasonCode::InScratch,
            vec![Said::Text(format!("{bytes} bytes"))],
        ));
        arrays.push((op, bytes));
        kernel.ops[op].code = Code::Scratch;
        kernel.ops[op].operands.insert(0, offset_values[slot]);
    }
    kernel.marks.scratch = Some(total(&slots, &offsets));
    context.outcomes.needs_scratch(kernel, arrays);
    true
}

/// The sizes of an array, as parts of a sentence.
fn size_said(kernel: &Kernel, op: Op) -> Vec<Said> {
    kernel.ops[op].operands.iter().map(|&size| Said::value(kernel, size)).collect()
}

/// A part of scratch memory, in which arrays lie one after the other in time.
struct Slot {
    /// The slots that it lies behind.
    below: Vec<usize>,
    bytes: Formula,
}

impl Slot {
    fn offset(&self, slots: &[Slot]) -> Formula {
        let aligned = self.below.iter().map(|&below| slots[below].bytes.clone().aligned());
        aligned.fold(Formula::Constant(0), |sum, bytes| Formula::join(Join::Add, sum, bytes))
    }

    /// Says whether all of it lies before the end of another slot, whatever the parameters are.
    fn ends_before(&self, other: &Slot, slots: &[Slot]) -> bool {
        // Equal bytes are as good as the same slot.
        let mut rest: Vec<&Formula> = other.below.iter().map(|&slot| &slots[slot].bytes).collect();
        let mut take = |bytes: &Formula| rest.iter().position(|other| *other == bytes).map(|at| rest.swap_remove(at));
        let fits = self.below.iter().all(|&slot| take(&slots[slot].bytes).is_some());
        fits && (take(&self.bytes).is_some() || self.bytes == other.bytes)
    }
}

/// The bytes of all slots: the end of the last, whichever that is.
fn total(slots: &[Slot], offsets: &[Formula]) -> Formula {
    let is_last = |&(number, slot): &(usize, &Slot)| {
        let behind = |(other_number, other): (usize, &Slot)| {
            let same = other.ends_before(slot, slots);
            other_number != number && slot.ends_before(other, slots) && (!same || other_number < number)
        };
        !slots.iter().enumerate().any(behind)
    };
    let ends = slots.iter().enumerate().filter(is_last);
    most(ends.map(|(number, slot)| Formula::join(Join::Add, offsets[number].clone(), slot.bytes.clone())).collect())
}

struct Planner<'k> {
    kernel: &'k Kernel,
    bounds: Bounds<'k>,
    /// The bytes of arrays on the stack.
    on_stack: i64,
    slots: Vec<Slot>,
    /// The arrays that have slots.
    placed: Vec<(Op, usize)>,
    /// The arrays whose bytes cannot be told.
    left: Vec<Op>,
}

impl Planner<'_> {
    /// Places the arrays of a block: `below` are the slots of arrays that live around it, of which `free` are not in use any more.
    /// Gives the slots that are taken at its end.
    fn region(&mut self, region: Region, mut below: Vec<usize>, mut free: Vec<usize>, in_lanes: bool) -> Vec<usize> {
        let kernel = self.kernel;
        // Nobody asks where there is no array, and deep nests have many blocks.
        let has_arrays = kernel.regions[region].ops.iter().any(|&op| kernel.ops[op].code == Code::Temp);
        let last_uses = if has_arrays { last_uses(kernel, region) } else { Vec::new() };
        let mut own: Vec<(usize, usize)> = Vec::new();
        for (number, &op) in kernel.regions[region].ops.iter().enumerate() {
            let data = &kernel.ops[op];
            if data.code == Code::Temp
                && let Some(slot) = self.array(op, &mut below, &mut free, in_lanes)
            {
                own.push((
                    slot,
                    last_uses.iter().rfind(|(_, array)| *array == data.results[0]).map_or(number, |(last, _)| *last),
                ));
            }
            let in_lanes = in_lanes || kernel.lanes_of_foreach(op).is_some();
            let mut around = below.clone();
            for &inner in &data.regions {
                let taken = self.region(inner, around.clone(), free.clone(), in_lanes);
                if data.code == Code::While {
                    // The body uses what the test makes.
                    around = taken;
                }
            }
            free.extend(own.extract_if(.., |(_, last)| *last <= number).map(|(slot, _)| slot));
        }
        below
    }

    /// Finds the place of an array; gives its slot if that is in scratch memory.
    fn array(&mut self, op: Op, below: &mut Vec<usize>, free: &mut Vec<usize>, in_lanes: bool) -> Option<usize> {
        let Some(bytes) = self.bytes(op).filter(|_| !in_lanes) else {
            self.left.push(op);
            return None;
        };
        if let Some(known) = bytes.as_constant()
            && known <= MOST_OF_ONE
            && self.on_stack + known <= MOST_OF_ALL
        {
            self.on_stack += known;
            return None;
        }
        let is_enough = |slot: &Formula| match (slot.as_constant(), bytes.as_constant()) {
            (Some(room), Some(needed)) => room >= needed,
            _ => *slot == bytes,
        };
        let slot = match free.iter().position(|&slot| is_enough(&self.slots[slot].bytes)) {
            Some(at) => free.remove(at),
            None => {
                self.slots.push(Slot { below: below.clone(), bytes });
                below.push(self.slots.len() - 1);
                self.slots.len() - 1
            }
        };
        self.placed.push((op, slot));
        Some(slot)
    }

    /// The most bytes that an array has.
    fn bytes(&mut self, op: Op) -> Option<Formula> {
        let data = &self.kernel.ops[op];
        let (Attr::Elem(elem) | Attr::Unset(elem)) = data.attr else { return None };
        let sizes: Option<Vec<Formula>> = data.operands.iter().map(|&size| self.bounds.most(size)).collect();
        Some(Formula::array(elem, sizes?))
    }
}

/// The last op of a block at which each array is touched, with what is inside of it, in the order of the block.
fn last_uses(kernel: &Kernel, region: Region) -> Vec<(usize, Value)> {
    let mut last = Vec::new();
    for (number, &op) in kernel.regions[region].ops.iter().enumerate() {
        let mut uses = |op: Op| {
            let views = kernel.ops[op].operands.iter().filter(|&&value| kernel.ty(value).is_view());
            last.extend(views.map(|&view| (number, kernel.root(view))));
        };
        uses(op);
        kernel.walk_inside(op, &mut uses);
    }
    last
}

#[cfg(test)]
mod tests;
