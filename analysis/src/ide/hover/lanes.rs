//! What a hover says about lanes: of a value whether it varies and why, of an access its class and why.

use ir::facts::Class;
use syntax::TextRange;

use crate::ide::Located;
use crate::ide::explain::{Access, Because, accesses_at, value_at};
use crate::ide::wording::line_link;

/// What is known of the value at a place of the item's dense text, where there are lanes.
pub(super) fn of_value(db: &dyn salsa::Database, located: &Located<'_>, at: TextRange) -> Option<String> {
    let value = value_at(db, located.item, at)?;
    if value.lane_loop.is_none() && !value.varies {
        return None;
    }
    if !value.varies {
        return Some("**Uniform**: the same in all lanes.".to_owned());
    }
    let shape = match value.shape.as_str() {
        "arbitrary" => "any value in each lane",
        shape => shape,
    };
    let calls = if value.in_some_calls { ", in some calls" } else { "" };
    Some(format!("**Varying**{calls}: {shape}.{}", chain(db, located, &value.because)))
}

/// What is known of the accesses at a place of the item's dense text: a load, a store, or both.
pub(super) fn of_accesses(db: &dyn salsa::Database, located: &Located<'_>, at: TextRange) -> Vec<String> {
    let mut accesses = accesses_at(db, located.item, at);
    accesses.retain(|access| access.lane_loop.is_some());
    match accesses.as_slice() {
        // What is loaded and stored again lies where it lies.
        [load, store] if load.class == store.class => vec![of_access(db, located, load, "load and store")],
        _ => {
            let kind = |access: &Access| if access.stores { "store" } else { "load" };
            accesses.iter().map(|access| of_access(db, located, access, kind(access))).collect()
        }
    }
}

fn of_access(db: &dyn salsa::Database, located: &Located<'_>, access: &Access, kind: &str) -> String {
    // The words for what moves lanes say themselves whether they load or store.
    let what = match access.class {
        Class::Gather | Class::Scatter | Class::Broadcast | Class::UniformStore => format!("**{}**", access.class),
        class => format!("**{class}** {kind}"),
    };
    let calls = if access.in_some_calls { ", in some calls" } else { "" };
    let lift = access.lift.as_ref().map(|lift| format!("\n\nTo lift it: {lift}.")).unwrap_or_default();
    format!("{what}{calls}: {}.{}{lift}", access.reason, chain(db, located, &access.because))
}

/// A chain of reasons as a list.
fn chain(db: &dyn salsa::Database, located: &Located<'_>, because: &[Because]) -> String {
    let line = |it: &Because| line_link(db, located.item.file(db), it.range.start());
    because.iter().map(|it| format!("\n- `{}` in {}: {}", it.text, line(it), it.message)).collect()
}
