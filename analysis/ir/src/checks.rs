//! Checks at the entry: sizes that native code compares before it does anything else.
//!
//! A kernel marked `@checked` starts with them: each `assert_size` and `assert_some` of its body before the first loop, branch or store.
//! Native code tells its caller if one does not hold, and has written nothing then; any other it takes for granted.

use crate::entities::Op;
use crate::ops::EffectRule;
use crate::program::{Kernel, Values};

impl Kernel {
    /// The checks that native code makes, in order; none in a kernel that is not marked so.
    pub fn checks(&self) -> Vec<Op> {
        if self.marks.checked { self.possible_checks() } else { Vec::new() }
    }

    /// The checks of sizes that stand before anything that has effects.
    pub fn possible_checks(&self) -> Vec<Op> {
        let is_first = |op: &&Op| {
            let code = self.ops[**op].code;
            !code.is_control() && code.row().effect != EffectRule::Writes
        };
        let first = self.regions[self.body].ops.iter().take_while(is_first);
        first.copied().filter(|&op| self.ops[op].code.checks_sizes()).collect()
    }

    /// The kernel up to the last of its checks, and nothing else of it: a run says which sizes differ.
    pub fn only_checks(&self) -> Kernel {
        let mut only = self.clone();
        let last = self.checks().last().copied();
        let ops = &mut only.regions[self.body].ops;
        let n_ops = last.and_then(|last| ops.iter().position(|&op| op == last)).map_or(0, |at| at + 1);
        ops.truncate(n_ops);
        only.regions[self.body].yields = Values::new();
        (only.result, only.marks.scratch) = (None, None);
        only
    }
}
