//! Loads of cells that were loaded before. Under a branch, lanes ask again for what they were asked about above it: `a[i]`
//! in `if a[i] > 0: b[i] = a[i]`. What was loaded for all lanes, or for more of them, still has it, as long as nothing
//! was stored to that array; a choice is all that is left to do.

use ir::ops::EffectRule;
use ir::{Code, Kernel, OpData, Value};

use super::function::{Function, User};
use super::values::Val;

/// Cells that were loaded, one for each lane.
#[derive(Clone)]
pub(super) struct Row {
    view: Value,
    subscripts: Vec<Value>,
    /// The lanes that they were loaded for; nothing if for all.
    mask: Option<Value>,
    loaded: Val,
}

/// How far a mask is followed to those that it was made of, and a value to what is made of it.
const DEPTH: u32 = 4;

impl Function<'_> {
    /// What a load in lanes gives, if it was loaded before.
    pub(super) fn loaded_before(&mut self, data: &OpData) -> Option<Val> {
        let (subscripts, mask) = self.row_of(data)?;
        let ty = self.ty(data.results[0]);
        let row = self.values.rows.iter().find(|row| {
            row.view == data.operands[0]
                && row.subscripts == subscripts
                && row.loaded.ty == ty
                && row.mask.is_none_or(|outer| mask.is_some_and(|mask| self.is_within(mask, outer, DEPTH)))
        })?;
        let (own, loaded) = (row.mask, row.loaded.clone());
        if mask == own {
            return Some(loaded);
        }
        // What the other lanes are is often not asked for.
        if self.asks_only(data.results[0], mask?, &mut Vec::new(), DEPTH) {
            return Some(loaded);
        }
        let mask = self.get(mask?);
        Some(self.named(ty, format!("select {mask}, {loaded}, {ty} zeroinitializer")))
    }

    /// Notes what a load in lanes gave.
    pub(super) fn note_row(&mut self, data: &OpData, loaded: &Val) {
        if let Some((subscripts, mask)) = self.row_of(data) {
            self.values.rows.push(Row { view: data.operands[0], subscripts, mask, loaded: loaded.clone() });
        }
    }

    /// Forgets what a store may have changed.
    pub(super) fn forget_rows(&mut self, data: &OpData) {
        if data.code.row().effect != EffectRule::Writes {
            return;
        }
        let kernel = self.kernel;
        let written = kernel.root(data.operands[0]);
        let may_overlap = |array: Value| kernel.marks.alias.iter().any(|&(a, b)| a == array || b == array);
        self.values.rows.retain(|row| {
            let array = kernel.root(row.view);
            array != written && !(may_overlap(array) && may_overlap(written))
        });
    }

    /// Whether nothing but lanes under a mask is asked of a value. `known` is what holds of the lanes that are asked for:
    /// bools, and what they are there.
    fn asks_only(&self, value: Value, mask: Value, known: &mut Vec<(Value, bool)>, depth: u32) -> bool {
        let kernel = self.kernel;
        if self.is_implied(mask, known, DEPTH) {
            return true;
        }
        let n_known = known.len();
        depth > 0
            && self.users(value).iter().all(|user| {
                let &User::Operand(op, number) = user else { return false };
                let data = &kernel.ops[op];
                let operand = |number: usize| data.operands[number];
                let goes_on = match data.code {
                    Code::MaskedStore if data.operands.len() == number + 2 => {
                        learn(kernel, known, operand(number + 1), true);
                        self.is_implied(mask, known, DEPTH)
                    }
                    Code::Select if number > 0 => {
                        learn(kernel, known, operand(0), number == 1);
                        self.asks_only(data.results[0], mask, known, depth - 1)
                    }
                    Code::And => {
                        learn(kernel, known, operand(1 - number), true);
                        self.asks_only(data.results[0], mask, known, depth - 1)
                    }
                    code => code.is_elementwise() && self.asks_only(data.results[0], mask, known, depth - 1),
                };
                known.truncate(n_known);
                goes_on
            })
    }

    /// Whether a mask is on in every lane of which this is known.
    fn is_implied(&self, mask: Value, known: &[(Value, bool)], depth: u32) -> bool {
        let kernel = self.kernel;
        if known.contains(&(mask, true)) {
            return true;
        }
        let data = kernel.def_op(mask).map(|op| &kernel.ops[op]).filter(|_| depth > 0);
        data.is_some_and(|data| match data.code {
            Code::And => data.operands.iter().all(|&part| self.is_implied(part, known, depth - 1)),
            Code::Not => known.contains(&(data.operands[0], false)),
            _ => false,
        })
    }

    /// The subscripts and the mask of a load of neighbouring cells.
    fn row_of(&self, data: &OpData) -> Option<(Vec<Value>, Option<Value>)> {
        let rank = usize::from(self.kernel.ty(data.operands[0]).rank());
        let (subscripts, rest) = data.operands[1..].split_at(rank);
        match data.code {
            Code::VectorLoad => Some((subscripts.to_vec(), None)),
            Code::MaskedLoad => Some((subscripts.to_vec(), rest.first().copied())),
            _ => None,
        }
    }

    /// Whether every lane that one mask has on is on in the other.
    fn is_within(&self, mask: Value, outer: Value, depth: u32) -> bool {
        let kernel = self.kernel;
        let both = kernel.def_op(mask).map(|op| &kernel.ops[op]).filter(|data| data.code == Code::And && depth > 0);
        mask == outer
            || both.is_some_and(|data| data.operands.iter().any(|&part| self.is_within(part, outer, depth - 1)))
    }
}

/// Adds that a bool is so, and what follows of what it is made of.
fn learn(kernel: &Kernel, known: &mut Vec<(Value, bool)>, value: Value, is: bool) {
    known.push((value, is));
    let Some(data) = kernel.def_op(value).map(|op| &kernel.ops[op]) else { return };
    match data.code {
        Code::And if is => data.operands.iter().for_each(|&part| learn(kernel, known, part, true)),
        Code::Not => learn(kernel, known, data.operands[0], !is),
        _ => {}
    }
}
