//! Choices by the mask of a branch are made in the branch.
//!
//! ```text
//! let slow = if any(rare):                let y = if any(rare):
//!     let far = …                             let far = …
//!     yield far                    =>         yield select(rare, far, near)
//! else:                                   else:
//!     yield 0.0                               yield near
//! let y = select(rare, slow, near)
//! ```
//!
//! On the left groups without a rare lane choose, too. What a choice falls back on has to be there before the branch, and its mask has to
//! be among those that the branch asks for: then the choice is between equals where no lane is on.

use rustc_hash::FxHashMap;
use smallvec::smallvec;

use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel};
use ir::uses::{Use, Uses};

use crate::{Replacements, replace};

/// Moves choices into branches; says whether any was.
pub fn branch_choices(kernel: &mut Kernel) -> bool {
    let uses = Uses::of(kernel);
    let mut found = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| MaskedChoice::find(kernel, &uses, (region, op), &mut found));
    let mut new: Replacements = EntityVec::filled(kernel.values.len(), None);
    found.iter().for_each(|choice| choice.make_inside(kernel, &mut new));
    kernel.replace_uses(&new);
    !found.is_empty()
}

/// A choice between a branch's result and a value from before.
struct MaskedChoice {
    branch: Op,
    /// The number of the result among those of the branch.
    number: usize,
    home: Region,
    choice: Op,
}

impl MaskedChoice {
    /// Finds the choices behind a branch by what it asks for.
    fn find(kernel: &Kernel, uses: &Uses, (home, branch): (Region, Op), found: &mut Vec<MaskedChoice>) {
        let data = &kernel.ops[branch];
        if data.code != Code::If || data.regions.len() != 2 || data.results.is_empty() {
            return;
        }
        let asked = kernel.def_op(data.operands[0]).map(|op| &kernel.ops[op]).filter(|op| op.code == Code::Any);
        // Where only some lanes are asked, one that is not may have its condition true without the branch being taken.
        let Some(&[mask]) = asked.map(|asked| &asked.operands[..]) else { return };
        let ops = &kernel.regions[home].ops;
        let places: FxHashMap<Op, usize> = ops.iter().enumerate().map(|(place, &op)| (op, place)).collect();
        // What is made behind the branch in its own block is not there yet; all else that the choice sees is.
        let is_there =
            |value: Value| kernel.def_op(value).and_then(|op| places.get(&op)).is_none_or(|&at| at < places[&branch]);
        for (number, &result) in data.results.iter().enumerate() {
            let Some(Use::Operand(choice, 1)) = uses.only_user(result) else { continue };
            let chosen = &kernel.ops[choice];
            if chosen.code != Code::Select || !places.contains_key(&choice) {
                continue;
            }
            let (condition, before) = (chosen.operands[0], chosen.operands[2]);
            let in_lanes = kernel.ty(result) == kernel.ty(chosen.results[0]);
            if in_lanes && asks_for(kernel, mask, condition) && is_there(before) {
                found.push(MaskedChoice { branch, number, home, choice });
            }
        }
    }

    /// Makes the choice on the side of the branch that has some lane on. Its old result is that of the branch.
    fn make_inside(&self, kernel: &mut Kernel, new: &mut Replacements) {
        let result = kernel.ops[self.branch].results[self.number];
        let [some, none] = kernel.ops[self.branch].regions[..] else { return };
        let (origin, chosen) = (kernel.ops[self.choice].origin, kernel.ops[self.choice].results[0]);
        let &[condition, _, before] = &kernel.ops[self.choice].operands[..] else { return };
        let inside = kernel.regions[some].yields[self.number];
        let ty = kernel.ty(result);
        let choice = kernel.add_op(Code::Select, Attr::None, smallvec![condition, inside, before], &[ty], origin);
        kernel.regions[some].ops.push(choice);
        kernel.regions[some].yields[self.number] = kernel.ops[choice].results[0];
        let before = match ty.lanes() {
            Some(lanes) if kernel.ty(before).lanes().is_none() => {
                let splat = kernel.add_op(Code::Splat, Attr::Lanes(lanes), smallvec![before], &[ty], origin);
                kernel.regions[none].ops.push(splat);
                kernel.ops[splat].results[0]
            }
            _ => before,
        };
        kernel.regions[none].yields[self.number] = before;
        kernel.regions[self.home].ops.retain(|&op| op != self.choice);
        new.grow(kernel.values.len(), None);
        replace(kernel, new, chosen, result);
    }
}

/// True if no lane of a condition is on where none of a mask is: the mask is the condition, or it and others.
fn asks_for(kernel: &Kernel, mask: Value, condition: Value) -> bool {
    if mask == condition {
        return true;
    }
    let Def::Result(op, _) = kernel.values[mask].def else { return false };
    let data = &kernel.ops[op];
    data.code == Code::Or && data.operands.iter().any(|&part| asks_for(kernel, part, condition))
}
