//! Cells that keep what is in them: a store of some fields of structs becomes one of whole structs, where the other fields were loaded by
//! the same lanes. Those are stored again as they were loaded.
//!
//! An iteration that reads a cell has it to itself: whoever wrote it at the same time would spoil what is read as well.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::access_group::AccessGroup;
use super::touch::Touch;
use ir::effects::Effects;
use ir::entities::{Op, Value};
use ir::ops::Effect;
use ir::program::Kernel;
use ir::types::Elem;

/// The most cells of a struct.
const MOST_FIELDS: i128 = 16;

/// The most stores to an array in one block among which cells are looked for that none of them changes.
const MOST_STORES: usize = 64;

/// The accesses of a block.
pub(super) struct BlockAccesses<'k> {
    kernel: &'k Kernel,
    /// The number of each op that is listed, in the order of the block.
    numbers: FxHashMap<Op, usize>,
    loads: FxHashMap<Value, Vec<Rc<Touch>>>,
    stores: FxHashMap<Value, Vec<Rc<Touch>>>,
    /// Arrays that something else may write.
    written: FxHashSet<Value>,
}

impl<'k> BlockAccesses<'k> {
    /// The accesses of the ops of a block, as far as groups have them.
    pub(super) fn of(kernel: &'k Kernel, effects: &Effects, ops: &[Op], groups: &[AccessGroup]) -> BlockAccesses<'k> {
        let (mut loads, mut stores) = (FxHashMap::default(), FxHashMap::default());
        let mut members: FxHashSet<Op> = FxHashSet::default();
        for group in groups {
            let of_kind: &mut FxHashMap<Value, Vec<Rc<Touch>>> = if group.stores() { &mut stores } else { &mut loads };
            of_kind.entry(group.members[0].root).or_default().extend(group.members.iter().cloned());
            members.extend(group.members.iter().map(|member| member.op));
        }
        let mut written = FxHashSet::default();
        for &op in ops.iter().filter(|op| !members.contains(op)) {
            match effects.effect(op) {
                _ if kernel.ops[op].code.is_control() => written.extend(effects.written_inside(op)),
                Effect::Writes => _ = written.insert(kernel.root(kernel.ops[op].operands[0])),
                _ => {}
            }
        }
        let numbers = ops.iter().enumerate().map(|(number, &op)| (op, number)).collect();
        BlockAccesses { kernel, numbers, loads, stores, written }
    }

    /// The loads of all cells that a group of stores to fields leaves out, in front of it, if they are still what is in these cells there.
    pub(super) fn kept_by(&self, group: &AccessGroup) -> Vec<Rc<Touch>> {
        let stores = self.stores.get(&group.members[0].root).map_or(0, Vec::len);
        if stores > MOST_STORES {
            return Vec::new();
        }
        self.fields_left_out(group).filter(|kept| self.are_unchanged(kept)).unwrap_or_default()
    }

    fn fields_left_out(&self, group: &AccessGroup) -> Option<Vec<Rc<Touch>>> {
        let first = &group.members[0];
        let bytes = group.bytes();
        let step = first.step.filter(|step| group.stores() && step % bytes == 0)?;
        let n_fields = step / bytes;
        if !(2..=MOST_FIELDS).contains(&n_fields) || group.members.len() as i128 >= n_fields {
            return None;
        }
        let field = |touch: &Touch| {
            let behind = touch.each[0] - first.each[0];
            let goes_along = touch.each.iter().zip(&first.each).all(|(own, other)| own - other == behind);
            (goes_along && behind % bytes == 0).then(|| behind.rem_euclid(step) / bytes)
        };
        let mut known: FxHashSet<i128> = group.members.iter().map(|member| field(member)).collect::<Option<_>>()?;
        let place = self.numbers.get(&group.place())?;
        let mut kept = Vec::new();
        for load in self.loads.get(&first.root)? {
            let kind = |touch: &Touch| (touch.mask, touch.lanes, touch.elem.bytes(), touch.elem == Elem::Bool);
            let is_like = kind(load) == kind(first)
                && load.shared == first.shared
                && self.numbers.get(&load.op).is_some_and(|number| number < place);
            let field = if is_like { field(load) } else { None };
            if field.is_some_and(|field| known.insert(field)) {
                kept.push(load.clone());
            }
        }
        (known.len() as i128 == n_fields).then_some(kept)
    }

    /// Says whether nothing in the block writes the cells of some loads.
    fn are_unchanged(&self, kept: &[Rc<Touch>]) -> bool {
        let Some(root) = kept.first().map(|load| load.root) else { return false };
        let overlaps = |other: Value| other != root && self.kernel.may_overlap(other, root);
        let stores = self.stores.get(&root).map_or(&[][..], |stores| stores);
        !self.written.iter().any(|&other| other == root || overlaps(other))
            && !self.stores.keys().any(|&other| overlaps(other))
            && !kept.iter().any(|load| stores.iter().any(|store| store.meets(self.kernel, load)))
    }
}
