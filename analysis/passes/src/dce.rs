//! Dead code: what is not used and does nothing else goes.
//!
//! Regions are walked from their ends, so that an op is met when all its users are known to stay or gone.

use ir::effects::Effects;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Attr, Def, Kernel};

/// Eliminates dead code: removes ops without effects whose results have no uses.
pub fn dce(kernel: &mut Kernel) -> bool {
    let uses = kernel.use_counts();
    let effects = Effects::of(kernel);
    let mut dropper = Dropper { kernel, uses, effects, changed: false };
    dropper.region(dropper.kernel.body);
    dropper.changed
}

struct Dropper<'k> {
    kernel: &'k mut Kernel,
    /// The number of uses of each value by ops that stay.
    uses: EntityVec<Value, u32>,
    effects: Effects,
    changed: bool,
}

impl Dropper<'_> {
    fn region(&mut self, region: Region) {
        let ops = std::mem::take(&mut self.kernel.regions[region].ops);
        let mut kept = Vec::with_capacity(ops.len());
        for op in ops.into_iter().rev() {
            let unused = self.kernel.ops[op].results.iter().all(|&result| self.uses[result] == 0);
            if unused && self.effects.effect(op) == Effect::Pure {
                self.changed = true;
                self.forget(op);
                continue;
            }
            self.drop_carried(op);
            // The body of a `while` uses what its test makes, so the last region goes first.
            for inner in self.kernel.ops[op].regions.clone().into_iter().rev() {
                self.region(inner);
            }
            kept.push(op);
        }
        kept.reverse();
        self.kernel.regions[region].ops = kept;
    }

    /// Takes back the uses of an op that goes, and of all inside of it.
    fn forget(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        data.operands.iter().for_each(|&value| self.uses[value] -= 1);
        for region in data.regions.clone() {
            self.kernel.regions[region].yields.iter().for_each(|&value| self.uses[value] -= 1);
            for inner in self.kernel.regions[region].ops.clone() {
                self.forget(inner);
            }
        }
    }

    /// Drops results without uses, with the values that are carried and yielded for them.
    fn drop_carried(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let Attr::Control(control) = &data.attr else { return };
        let n_carried = data.results.len() - control.reductions.len();
        for number in (0..n_carried).rev() {
            let data = &self.kernel.ops[op];
            let unused = self.uses[data.results[number]] == 0;
            let n_ranges = self.kernel.n_ranges(op);
            let (arg, yielding) = match data.code {
                Code::If => (None, &data.regions[..]),
                _ => (Some(n_ranges + number), &data.regions[data.regions.len() - 1..]),
            };
            let first = data.regions[0];
            let arg_unused = arg.is_none_or(|arg| self.uses[self.kernel.regions[first].args[arg]] == 0);
            if unused && arg_unused {
                let yielding = yielding.to_vec();
                self.drop_result(op, number, arg, &yielding);
            }
        }
    }

    fn drop_result(&mut self, op: Op, number: usize, arg: Option<usize>, yielding: &[Region]) {
        self.changed = true;
        let n_ranges = self.kernel.n_ranges(op);
        for &region in yielding {
            let value = self.kernel.regions[region].yields.remove(number);
            self.uses[value] -= 1;
        }
        self.kernel.ops[op].results.remove(number);
        self.renumber(op);
        if let Some(arg) = arg {
            let init = self.kernel.ops[op].operands.remove(3 * n_ranges + number);
            self.uses[init] -= 1;
            let region = self.kernel.ops[op].regions[0];
            self.kernel.regions[region].args.remove(arg);
            for (number, value) in self.kernel.regions[region].args.clone().into_iter().enumerate() {
                self.kernel.values[value].def = Def::Arg(region, number as u32);
            }
        }
    }

    /// Tells the results of an op their numbers.
    fn renumber(&mut self, op: Op) {
        for (number, value) in self.kernel.ops[op].results.clone().into_iter().enumerate() {
            self.kernel.values[value].def = Def::Result(op, number as u32);
        }
    }
}
