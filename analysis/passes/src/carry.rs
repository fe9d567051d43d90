//! Carry: a cell by which each iteration hands something on to the next becomes a value that the loop carries, where lanes can have that.
//!
//! ```text
//! for i in range(1, n):                    let first = if 1 < n: a[0] else: 0
//!     a[i] = a[i - 1] + b[i]               for i in range(1, n) with before = first:
//!                                              let next = before + b[i]
//!                                              a[i] = next
//!                                              yield next
//! ```
//!
//! A running sum of integers has lanes then: what is between the iterations is arithmetic, and no order of loads and stores. Sums of
//! floats keep their order, so nothing is tried for these.
//!
//! A loop that has lanes already carries such a cell of any kind. Its groups would load what lies across a vector that the group before
//! has stored and one of its own, and a processor lets such a load wait until both are in memory:
//!
//! ```text
//! for i in range(n - 1):                   for i in range(n - 1) with before = …:
//!     a[i + 1] = b[i] * c[i]                   let next = b[i] * c[i]
//!     d[i] = a[i] + b[i]                       a[i + 1] = next
//!                                              d[i] = before + b[i]
//!                                              yield next
//! ```

use super::Context;
use super::trial::{Change, Trial, keep_better};
use crate::decision::Decision;
use crate::handed_on::{Cell, InOrderBy, cells_handed_on, open_loops};
use facts::loops::Loop;
use ir::codes::ReasonCode;
use ir::entities::{Op, Region};
use ir::program::Kernel;
use ir::types::Elem;

/// Lets loops carry what they hand on by a cell, where that gives them lanes; says whether there are any.
pub fn carry(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() || !context.options.target.has_lanes() {
        return false;
    }
    let changes = changes(kernel, context);
    let kept = keep_better(kernel, &changes, context, |trial, change, _| change.pays(trial));
    for change in changes.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(change, _)| change) {
        let words = if change.has_lanes {
            "each iteration loads what the one before has stored: that is handed on as a value, since a load would wait for two stores"
        } else {
            "each iteration loads what the one before has stored: that is handed on as a value, which lanes can share"
        };
        context.decide(Decision::taken(kernel.ops[change.op].origin, ReasonCode::CellInRegister, vec![words.into()]));
        context.outcomes.was_dropped(kernel, change.cell.load);
    }
    kept.contains(&true)
}

/// The innermost loops that one cell of integers keeps in order, and the cells that those with lanes hand on.
fn changes(kernel: &Kernel, context: &mut Context) -> Vec<Carried> {
    let (found, choice, by_depth) = (context.loops(kernel), context.choice(kernel), context.by_depth(kernel));
    let forest = &found.forest;
    let carried = |known: &Loop, cell: Cell, has_lanes: bool| Carried {
        op: known.op,
        nest: forest.around(known.op).last().unwrap_or(known.op),
        home: forest.region_of(known.op),
        cell,
        has_lanes,
    };
    let in_order = open_loops(kernel, &found, &choice).filter_map(|known| {
        let InOrderBy::Cell(cell) = InOrderBy::of(kernel, &found, known, by_depth.of(kernel, known.op)) else {
            return None;
        };
        let elem = kernel.ty(kernel.ops[cell.load].results[0]).data_elem();
        elem.is_some_and(Elem::is_integer).then(|| carried(known, cell, false))
    });
    let has_lanes = |known: &&Loop| known.verdict.is_vector && choice.takes(known.op);
    let in_lanes = found.list.iter().filter(has_lanes).flat_map(|known| {
        let cells = cells_handed_on(kernel, &found, known, by_depth.of(kernel, known.op));
        cells.into_iter().map(|cell| carried(known, cell, true))
    });
    in_order.chain(in_lanes).collect()
}

/// A loop that carries the value of a cell.
struct Carried {
    op: Op,
    nest: Op,
    /// The block that the loop stands in.
    home: Region,
    cell: Cell,
    /// True if the loop has lanes as it is.
    has_lanes: bool,
}

impl Change for Carried {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        self.cell.apply(kernel, self.op, self.home);
        vec![self.op]
    }
}

impl Carried {
    fn pays(&self, trial: &Trial<'_>) -> bool {
        // Nothing asks any more whether arrays overlap.
        let has_lanes =
            trial.after.loops().of(self.op).is_some_and(|known| known.verdict.is_vector && !known.verdict.is_tested);
        let pays = || self.has_lanes || trial.share(self.nest, &[self.nest]) < 100;
        has_lanes && trial.after.choice().takes(self.op) && pays()
    }
}
