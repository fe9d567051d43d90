//! Values of a block that are computed alike: by the same ops, on cells of the same arrays and the same constants. They are lanes of one
//! vector wherever they are needed.
//!
//! ```text
//! rgb[0] = y[0] + 1.14 * v[0]        Two expressions, each of them twice, which are stored in turn: neighbouring cells have nothing in
//! rgb[1] = y[0] + 2.03 * u[0]        common, and every second one has all.
//! rgb[2] = y[1] + 1.14 * v[1]
//! rgb[3] = y[1] + 2.03 * u[1]
//! ```

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::block::Block;
use super::operations::is_packable;
use crate::cse::commutes;
use ir::entities::Value;
use ir::target::Target;

/// How many ops behind values are compared to find those that are alike from the cells on.
pub(super) const WHOLE: u32 = 16;

/// How many are compared where only the last ones have to be alike: what a stretch of statements computes alike may be made of what another
/// stretch computed in different ways.
pub(super) const DEPTHS: [u32; 3] = [3, 2, 1];

/// Numbers for what values of a block are made of: equal ones for those that are computed alike.
pub(super) struct Likeness<'b, 'k> {
    block: &'b Block<'k>,
    target: &'static Target,
    depth: u32,
    /// By the value and the depth.
    known: FxHashMap<(Value, u32), u64>,
}

impl<'b, 'k> Likeness<'b, 'k> {
    pub(super) fn new(block: &'b Block<'k>, target: &'static Target, depth: u32) -> Likeness<'b, 'k> {
        Likeness { block, target, depth, known: FxHashMap::default() }
    }

    /// Those of some values that the block computes, in groups of at least two that are computed alike, in the order of the first cells that
    /// they are made of.
    pub(super) fn groups_by_cells(&mut self, values: &[Value]) -> Vec<Vec<Value>> {
        let mut groups = self.groups(values);
        for group in &mut groups {
            group.sort_by_cached_key(|&value| self.first_cell(value, WHOLE));
        }
        groups
    }

    /// The place of the first cell that a value is made of, going so many ops back.
    fn first_cell(&self, value: Value, depth: u32) -> Option<(usize, i128)> {
        let block = self.block;
        if let Some(cell) = block.loaded(value) {
            return Some((cell.base, cell.at));
        }
        let data = &block.kernel.ops[block.ops[block.maker(value).filter(|_| depth > 0)?]];
        data.operands.iter().find_map(|&operand| self.first_cell(operand, depth - 1))
    }

    /// Those of some values that the block computes, in groups of at least two that are computed alike, each in the given order.
    pub(super) fn groups(&mut self, values: &[Value]) -> Vec<Vec<Value>> {
        let mut seen = FxHashSet::default();
        let mut groups: Vec<(u64, Vec<Value>)> = Vec::new();
        for &value in values.iter().filter(|value| seen.insert(**value)) {
            let op = self.block.maker(value).map(|number| self.block.ops[number]);
            if !op.is_some_and(|op| is_packable(self.block.kernel, op, self.target)) {
                continue;
            }
            let number = self.of(value, self.depth);
            match groups.iter_mut().find(|(other, _)| *other == number) {
                Some((_, group)) => group.push(value),
                None => groups.push((number, vec![value])),
            }
        }
        groups.into_iter().map(|(_, group)| group).filter(|group| group.len() > 1).collect()
    }

    /// The number of what a value is made of, down to so many ops behind it.
    fn of(&mut self, value: Value, depth: u32) -> u64 {
        if let Some(&known) = self.known.get(&(value, depth)) {
            return known;
        }
        let (block, kernel) = (self.block, self.block.kernel);
        let mut hasher = FxHasher::default();
        if let Some(constant) = kernel.as_const(value) {
            (0, constant.elem(), constant.bits()).hash(&mut hasher);
        } else if let Some(cell) = block.loaded(value) {
            (1, cell.base, cell.elem).hash(&mut hasher);
        } else if let Some(number) = block.maker(value) {
            let data = &kernel.ops[block.ops[number]];
            let operands = if depth > 0 { &data.operands[..] } else { &[] };
            let mut operands: Vec<u64> = operands.iter().map(|&operand| self.of(operand, depth - 1)).collect();
            if commutes(data.code) {
                operands.sort_unstable();
            }
            (2, data.code, &data.attr, operands).hash(&mut hasher);
        } else if block.is_from_outside(value) {
            (3, value).hash(&mut hasher);
        } else {
            (4, kernel.ty(value)).hash(&mut hasher);
        }
        let number = hasher.finish();
        self.known.insert((value, depth), number);
        number
    }
}
