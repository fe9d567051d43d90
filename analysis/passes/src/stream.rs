//! Streaming stores: full vectors that a loop marked `@stream` stores go past the cache, so that what is written once and not read soon
//! leaves the cache to what is.
//!
//! ```text
//! @stream
//! vector_for i in range(0, n, LANES):        vector_for i in range(0, n, LANES):
//!     vector_store(out, i, x)                    vector_store(out, i, x, past=cache)
//! ```
//!
//! Only contiguous cells of an array that the caller gives are stored so: a new array is read soon. The masked stores of a peeled
//! tail stay as they are; no target streams under a mask.

use super::Context;
use crate::decision::{Decision, Told};
use crate::outcome::AccessForm;
use ir::codes::ReasonCode;
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, EffectRule};
use ir::program::{Attr, Def, Kernel};
use ir::target::Target;

/// Has the stores of marked loops go past the cache, where the target can do that; says whether there are any.
pub fn stream(kernel: &mut Kernel, context: &mut Context) -> bool {
    let mut found = Vec::new();
    marked(kernel, kernel.body, false, &mut found);
    let target = context.options.target;
    let mut decisions = Told::default();
    let mut streams = false;
    for op in found {
        if let Some(why) = obstacle(kernel, target, op) {
            context.outcomes.stays_in_cache(kernel, op, why);
            continue;
        }
        let words = "the loop is marked `@stream`, and the lanes store neighbouring cells";
        decisions.push(Decision::taken(kernel.ops[op].origin, ReasonCode::StoredPastCache, vec![words.into()]));
        context.outcomes.was_dropped(kernel, op);
        context.outcomes.took_form(kernel, op, AccessForm::Streamed);
        kernel.ops[op].attr = Attr::PastCache;
        streams = true;
    }
    decisions.into_list().into_iter().for_each(|decision| context.decide(decision));
    streams
}

/// Finds the stores in a region that stand in a marked loop.
fn marked(kernel: &Kernel, region: Region, is_marked: bool, found: &mut Vec<Op>) {
    for &op in &kernel.regions[region].ops {
        let data = &kernel.ops[op];
        let is_marked = is_marked || kernel.control(op).is_some_and(|control| control.marks.stream);
        data.regions.iter().for_each(|&inner| marked(kernel, inner, is_marked, found));
        let stores = data.code.row().effect == EffectRule::Writes && data.results.is_empty();
        if is_marked && stores && data.attr != Attr::PastCache {
            found.push(op);
        }
    }
}

/// The reason why a store does not go past the cache, as the end of a sentence.
fn obstacle(kernel: &Kernel, target: &Target, op: Op) -> Option<String> {
    let data = &kernel.ops[op];
    let why = match data.code {
        _ if target.streams.is_none() => return Some(format!("{} has no such stores", target.name)),
        Code::Store => "only whole vectors are stored past it, and this loop runs in order",
        Code::MaskedStore => "only whole vectors are stored past it, and a mask leaves some of these lanes out",
        Code::VectorStore if !is_dense(kernel, data.operands[0]) => {
            "only neighbouring cells of an array that the caller gives are stored past it, and these are others"
        }
        Code::VectorStore => return None,
        _ => "only neighbouring cells are stored past it, and the cells of these lanes lie apart",
    };
    Some(why.to_owned())
}

/// Says whether neighbouring cells of a view lie side by side in an array that the caller gives.
fn is_dense(kernel: &Kernel, view: Value) -> bool {
    let mut at = view;
    while let Some(op) = kernel.def_op(at) {
        let data = &kernel.ops[op];
        let last = i64::from(kernel.ty(data.operands[0]).rank()) - 1;
        let is_one = |value: Value| kernel.as_const(value).and_then(ir::scalar::Scalar::wide) == Some(1);
        match (data.code, &data.attr) {
            (Code::Row, Attr::Number(dim)) if *dim < last => {}
            (Code::Slice, Attr::Number(dim)) if *dim < last || is_one(data.operands[3]) => {}
            _ => return false,
        }
        at = data.operands[0];
    }
    matches!(kernel.values[at].def, Def::Param(_))
}
