//! Order: a loop whose iterations could run as lanes if its statements stood in another order gets that order.
//!
//! Lanes run a statement for all iterations before the next statement. A statement that reads what another one has
//! written in an earlier iteration has to stand behind it for that, wherever it stood:
//!
//! ```text
//! for i in range(1, 29):              for i in range(1, 29):
//!     a[i] = b[i - 1] + c[i]              b[i] = c[i] * 2
//!     b[i] = c[i] * 2                     a[i] = b[i - 1] + c[i]
//! ```
//!
//! Nothing more is done than before, so this never costs anything.

use crate::facts::{self, loops};
use crate::ops::Code;
use crate::passes::Context;
use crate::program::Kernel;

/// Puts the statements of loops in an order that can run as lanes; says whether it changed any.
pub fn reorder(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let found = context.loops(kernel);
    let mut changed = false;
    for op in facts::lane_loops(kernel) {
        let wanted = found.of(op).is_some_and(|known| known.verdict.is_vector && known.verdict.is_reordered);
        if !wanted || kernel.ops[op].code != Code::For {
            continue;
        }
        let ops = loops::order(kernel, &found.dependences, op).ops();
        let body = kernel.ops[op].regions[0];
        changed |= kernel.regions[body].ops != ops;
        kernel.regions[body].ops = ops;
    }
    changed
}
