//! The three kernels of one that gives a result: they go by blocks of iterations, each of which stores what it has come to.
//!
//! ```text
//! kernel total(a, n) -> i32:              kernel total_part(begin, end, s: i32[?], a, n):
//!     for i in range(n):                      for block in range(…):              begin to end - 1, as far as there are such
//!         s = s + a[i]                            let s_1 = for i in range(…) with s = 0: …   4096 iterations
//!     return s * 2                                s[block] = s_1
//!
//!                                         kernel total_join(s: i32[?], n) -> i32:
//!                                             let s_1 = for block in range(blocks) with s = 0:
//!                                                 s = s + s[block]
//!                                             return s_1 * 2
//! ```
//!
//! Where blocks begin is up to the text of the kernel alone, and they are joined in their order, so that neither the number of threads nor
//! the target decides about a bit.

use ir::builder::Builder;
use ir::entities::{EntityVec, Op, Value};
use ir::ops::Code;
use ir::program::{Attr, DimSize, Kernel, Name};
use ir::scalar::{Fold, Scalar};
use ir::types::{CellType, Type};

use super::regroup::wrapping;
use super::{IterationBlocks, JOIN, JoinedBy, PART, PartialResult, Range};
use super::{add_bounds, add_params, before, named, only_needed};
use crate::dce::dce;
use crate::legalise::code_of;

/// The kernel that runs the blocks from `begin` to `end - 1`, and stores the partial results of each at its number.
pub(super) fn part(kernel: &Kernel, op: Op, blocks: &IterationBlocks) -> Kernel {
    let mut part = named(kernel, PART);
    let arrays = add_arrays(&mut part, op, blocks);
    let bounds = add_bounds(&mut part);
    for &op in &blocks.wraps {
        let code = &mut part.ops[op].code;
        *code = wrapping(*code).unwrap_or(*code);
    }
    before(&mut part, op, |ranges| {
        let [zero, one, size] = [0, 1, blocks.size].map(|number| ranges.b.constant(Scalar::I64(number)));
        let n_blocks = ranges.blocks(blocks.size);
        let low = ranges.b.op(Code::Max, &[bounds[0], zero]);
        let high = ranges.b.op(Code::Min, &[bounds[1], n_blocks]);
        let block = ranges.b.open_for("block", [low, high, one], &[])[0];
        // The product is less than the number of iterations, and no loop has so many that the sum wraps.
        let first = ranges.b.op(Code::WrappingMul, &[block, size]);
        let behind = ranges.b.op(Code::WrappingAdd, &[first, size]);
        let range = ranges.of_iterations([first, behind]);
        let ir = ranges.b.kernel_mut();
        let n_head = ir.n_head_operands(op);
        ir.ops[op].operands[..2].copy_from_slice(&range);
        for partial in &blocks.partials {
            let identity = ir.constant(partial.identity);
            ir.ops[op].operands[n_head + partial.number] = identity;
        }
        let home = ranges.b.block();
        ranges.b.kernel_mut().regions[home].ops.push(op);
        for (partial, &array) in blocks.partials.iter().zip(&arrays) {
            let result = ranges.b.kernel().ops[op].results[partial.number];
            ranges.b.push(Code::Store, Attr::None, &[array, block, result]);
        }
        ranges.b.close(&[]);
    });
    let body = part.body;
    let behind = part.regions[body].ops.iter().position(|&other| other == op);
    part.regions[body].ops.truncate(behind.unwrap_or_default());
    part.regions[body].yields.clear();
    part.result = None;
    dce(&mut part);
    part
}

/// The kernel that joins the partial results of all blocks in their order, and computes the result from that; and the numbers of the
/// parameters that it has of the whole kernel's, behind the arrays of partial results.
pub(super) fn join(kernel: &Kernel, op: Op, blocks: &IterationBlocks) -> (Kernel, Vec<usize>) {
    let mut join = named(kernel, JOIN);
    let arrays = add_arrays(&mut join, op, blocks);
    let mut new: EntityVec<Value, Option<Value>> = EntityVec::filled(join.values.len(), None);
    let data = join.ops[op].clone();
    let starts = &data.operands[join.n_head_operands(op)..];
    // A value that the loop leaves as it is is what it was before.
    data.results.iter().zip(starts).for_each(|(&result, &start)| new[result] = Some(start));
    before(&mut join, op, |ranges| {
        let [zero, one] = [0, 1].map(|number| ranges.b.constant(Scalar::I64(number)));
        let n_blocks = ranges.blocks(blocks.size);
        let names: Vec<Name> = blocks.partials.iter().map(|partial| name(ranges.b.kernel(), op, partial)).collect();
        let starts = blocks.partials.iter().map(|partial| starts[partial.number]);
        let carried: Vec<(&str, Value)> = names.iter().map(|name| &**name).zip(starts).collect();
        let args = ranges.b.open_for("block", [zero, n_blocks, one], &carried);
        let (block, olds) = (args[0], &args[1..]);
        let mut next = Vec::new();
        for ((partial, &array), &old) in blocks.partials.iter().zip(&arrays).zip(olds) {
            let found = ranges.b.op(Code::Load, &[array, block]);
            next.push(joined(&mut ranges.b, partial.by, old, found));
        }
        let results = ranges.b.close(&next);
        for ((partial, name), &result) in blocks.partials.iter().zip(&names).zip(&results) {
            ranges.b.name(result, name);
            new[data.results[partial.number]] = Some(result);
        }
    });
    let body = join.body;
    join.regions[body].ops.retain(|&other| other != op);
    new.grow(join.values.len(), None);
    join.replace_uses(&new);
    dce(&mut join);
    let mut kept = only_needed(&mut join, &arrays);
    let n_arrays = arrays.len();
    kept.drain(..n_arrays);
    (join, kept.into_iter().map(|number| number - n_arrays).collect())
}

/// What was joined so far and a block's partial result, joined. Integers wrap, since those of a block did.
fn joined(b: &mut Builder, by: JoinedBy, old: Value, found: Value) -> Value {
    match by {
        JoinedBy::Choice(code) => {
            let takes = b.op(code, &[found, old]);
            b.op(Code::Select, &[takes, found, old])
        }
        JoinedBy::Fold(fold) => {
            let is_float = b.kernel().ty(old).data_elem().is_some_and(ir::Elem::is_float);
            let code = match fold {
                Fold::Add | Fold::Mul if !is_float => wrapping(code_of(fold)).unwrap_or(code_of(fold)),
                fold => code_of(fold),
            };
            b.op(code, &[old, found])
        }
    }
}

/// Puts an array for each partial result before all parameters.
fn add_arrays(kernel: &mut Kernel, op: Op, blocks: &IterationBlocks) -> Vec<Value> {
    let array = |partial: &PartialResult| {
        let elem = partial.identity.elem();
        let ty = Type::View { item: CellType::Elem(elem), rank: 1, lanes: None };
        (name(kernel, op, partial), ty, vec![DimSize::Own])
    };
    let arrays: Vec<_> = blocks.partials.iter().map(array).collect();
    add_params(kernel, arrays)
}

/// The name of a value that a loop hands on.
fn name(kernel: &Kernel, op: Op, partial: &PartialResult) -> Name {
    let data = &kernel.ops[op];
    let arg = kernel.regions[data.regions[0]].args.get(kernel.n_head_args(op) + partial.number);
    let named = [arg.copied(), Some(data.results[partial.number])].into_iter().flatten();
    named.filter_map(|value| kernel.values[value].name.clone()).next().unwrap_or_else(|| "partial".into())
}

impl Range {
    /// The number of blocks of so many iterations, the last of which may have fewer.
    fn blocks(&mut self, size: i64) -> Value {
        let [one, size] = [1, size].map(|number| self.b.constant(Scalar::I64(number)));
        // What stands before the last iteration, since more than that may wrap.
        let before = self.b.op(Code::WrappingSub, &[self.count, one]);
        let blocks = self.b.op(Code::FloorDiv, &[before, size]);
        self.b.op(Code::WrappingAdd, &[blocks, one])
    }

    /// The number of blocks, where iterations go by these; else that of the iterations.
    pub(super) fn divided(&mut self, blocks: Option<&IterationBlocks>) -> Value {
        blocks.map_or(self.count, |blocks| self.blocks(blocks.size))
    }
}
