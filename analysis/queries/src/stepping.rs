//! Kernels of a file that are stepped through, and the places in the file that their ops came from.

use std::collections::BTreeSet;
use std::sync::Arc;

use report::{ItemKey, TextRange};

use super::db::Item;
use super::failures::Subjects;
use super::lowering::sequential;
use super::names::id_of;
use super::run::{Argument, NotRun, place, prepare};
use super::stages::{Options, Stage};

pub use execution::stepping::activity::{ActiveCount, Activity};
pub use execution::stepping::group::{LanesHere, LoopPosition};
pub use execution::stepping::{Cell, CellTouch, Halt, Peek, Reg, Stepping, Variable, View};
pub use execution::tracing;
pub use ir::ops::Code;
pub use ir::scalar;
pub use ir::{CellType, Elem, Kernel, Op, Origin, Printed, Type, Value, print};

/// A place in the file that an op came from, and the item that it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallPlace {
    /// The name of the kernel or function.
    pub item: String,
    /// The range in the file.
    pub range: TextRange,
    /// The call that was inlined there; `None` in the kernel.
    pub call: Option<Origin>,
}

/// Starts a run of a kernel at a stage, before its first op.
pub fn start(
    db: &dyn salsa::Database,
    item: Item<'_>,
    stage: &Stage,
    options: Options,
    arguments: &[Argument],
) -> Result<Stepping, NotRun> {
    let (_, inputs) = prepare(db, item, arguments)?;
    let unfit = || NotRun::Unfit(format!("the stage `{}` cannot be run", stage.name));
    let kernel = stage.kernel(db, item, options).ok_or_else(unfit)?;
    let mut subjects = Subjects::new(db, item);
    let named = kernel.ops.iter().filter_map(|(_, data)| {
        let is_access = data.operands.first().is_some_and(|&first| kernel.ty(first).is_view());
        let may_name = is_access || matches!(data.code, Code::Assert | Code::AssertSome);
        Some((data.origin, subjects.of_origin(&kernel, may_name.then_some(data.origin)?).subject?))
    });
    let named = named.collect();
    Stepping::new(kernel, inputs, named)
}

/// The names that values have in the source of a kernel; passes give others.
pub fn source_names(db: &dyn salsa::Database, item: Item<'_>) -> BTreeSet<Arc<str>> {
    let kernel = sequential(db, item).kernel.iter();
    kernel.flat_map(|kernel| kernel.values.iter()).filter_map(|(_, value)| value.name.clone()).collect()
}

/// The place that an op came from, and the calls that led there, innermost first. What stands in the prelude or in a file that is used is left out: there it is
/// the call that is in the file.
pub fn calls(db: &dyn salsa::Database, item: Item<'_>, kernel: &Kernel, origin: Origin) -> Vec<CallPlace> {
    let places = &sequential(db, item).places;
    let mut calls = Vec::new();
    let mut next = Some(origin);
    while let Some(origin) = next {
        let data = kernel.origins[origin];
        if let Some((key, range)) = places.get(data.place as usize) {
            calls.extend(call_place(db, item, key, *range, data.call));
        }
        next = data.call;
    }
    calls
}

fn call_place(
    db: &dyn salsa::Database,
    item: Item<'_>,
    key: &ItemKey,
    range: TextRange,
    call: Option<Origin>,
) -> Option<CallPlace> {
    if key.file != id_of(db, item.file(db)) {
        return None;
    }
    Some(CallPlace { item: key.name.to_string(), range: place(db, item, key, range)?, call })
}
