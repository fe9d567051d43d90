//! Inlay hints: accesses whose cells lie apart, variables that have one value for all lanes, and loops that lanes leave at different times.
//!
//! Types tell what varies, and every variable's type is written: so what varies as it says has no hint. Only the functions that a range
//! touches are looked at.

use queries::db::File;
use queries::ispc::facts::access::{CellOrder, MemoryAccess};
use queries::ispc::facts::whole::is_own;
use queries::ispc::tree::NodeKind;
use queries::ispc::typing::{own_bodies, own_function};
use queries::ispc::unit;
use queries::ispc::units::FileId;
use report::{TextRange, TextSize};

use super::facts::{KnownFunction, known};
use super::range_of;
use crate::hints::{Hint, HintKind, HintLink, HintOptions};

/// The hints in a range of a file, in order.
pub fn lane_hints(db: &dyn salsa::Database, file: File, range: TextRange, options: &HintOptions) -> Vec<Hint> {
    let unit = unit(db, file);
    let mut hints = Vec::new();
    for body in own_bodies(db, file) {
        let place = unit.place_of(unit.tree.tokens(body.place.node)).filter(|_| is_own(unit, body.place)).map(range_of);
        if place.is_none_or(|place| range.intersect(place).is_none()) {
            continue;
        }
        db.unwind_if_revision_cancelled();
        let Some(known) = own_function(db, file, &body).and_then(|function| known(db, file, function)) else {
            continue;
        };
        if options.accesses {
            hints.extend(known.facts.accesses.iter().filter_map(|access| of_access(&known, access)));
        }
        if options.varying {
            hints.extend(known.facts.uniforms.iter().filter_map(|variable| {
                let tooltip = known.could_be_uniform(variable.entity)?;
                let tokens = variable.token..variable.token + 1;
                hint(&known, tokens, " could be uniform".to_owned(), HintKind::Varying, tooltip)
            }));
        }
        if options.loops {
            hints.extend(known.facts.controls.iter().filter_map(|control| {
                let kind = known.words.piece_node(control.node).kind;
                let is_loop = matches!(kind, NodeKind::For | NodeKind::While | NodeKind::Do);
                if !is_loop || !control.parts {
                    return None;
                }
                let condition = known.words.piece_node(control.condition);
                let tooltip = known.words.leaving(control);
                let text = format!(" {}", known.words.ways(control));
                hint(&known, condition.first..condition.end, text, HintKind::Loop, tooltip)
            }));
        }
    }
    hints.retain(|hint| range.contains_inclusive(hint.offset));
    hints.sort_by_key(|hint| hint.offset);
    // A macro may bring several to one place.
    hints.dedup_by(|one, other| one.offset == other.offset && one.text == other.text);
    hints
}

fn of_access(known: &KnownFunction<'_>, access: &MemoryAccess) -> Option<Hint> {
    if !access.is_apart() && !matches!(access.order, CellOrder::Groups(_)) {
        return None;
    }
    let node = known.words.piece_node(access.node);
    let text = format!(" {}", known.words.order(access));
    let part = TextRange::new(TextSize::new(1), TextSize::of(&*text));
    let tooltip = known.words.access(access);
    let mut found = hint(known, node.first..node.end, text, HintKind::Access, tooltip)?;
    let cause = known.facts.story(access.cause).first().map(|step| known.words.step(step).0);
    let target = cause.and_then(|tokens| place(known, tokens));
    found.links.extend(target.map(|target| HintLink { part, target }));
    Some(found)
}

fn place(known: &KnownFunction<'_>, tokens: std::ops::Range<u32>) -> Option<TextRange> {
    let first = known.function.first().0;
    let place = known.function.unit.place_of(first + tokens.start..first + tokens.end)?;
    (place.file == FileId::MAIN).then(|| range_of(place))
}

fn hint(
    known: &KnownFunction<'_>,
    tokens: std::ops::Range<u32>,
    text: String,
    kind: HintKind,
    tooltip: String,
) -> Option<Hint> {
    let offset = place(known, tokens)?.end();
    Some(Hint { offset, text, kind, tooltip, edit: None, links: Vec::new() })
}
