//! A function of the database, explained, and the loops and branches of it that stand around a place.

use queries::db::File;
use queries::ispc::facts::whole::is_own;
use queries::ispc::typing::{OwnBody, own_bodies, own_function};
use queries::ispc::units::FileId;
use queries::ispc::{config, unit};
use report::TextSize;

use super::{ExplainedFunction, ExplainedWay, FunctionFacts, explain_function};
use crate::ispc::facts::known;
use crate::ispc::range_of;

/// The facts about the function that a file has itself around a place, for a target of that name.
pub fn explain_at(
    db: &dyn salsa::Database,
    file: File,
    offset: TextSize,
    target: &'static str,
) -> Option<ExplainedFunction> {
    with_function(db, file, offset, target, explain_function)?
}

/// The loops and branches around a place, innermost first.
pub fn ways_around(db: &dyn salsa::Database, file: File, offset: TextSize, target: &'static str) -> Vec<ExplainedWay> {
    with_function(db, file, offset, target, |function| function.ways_around(offset)).unwrap_or_default()
}

fn with_function<T>(
    db: &dyn salsa::Database,
    file: File,
    offset: TextSize,
    target: &'static str,
    ask: impl FnOnce(&FunctionFacts<'_>) -> T,
) -> Option<T> {
    let unit = unit(db, file);
    let is_around = |body: &OwnBody<'_>| {
        let place = unit.place_of(unit.tree.tokens(body.place.node)).filter(|_| is_own(unit, body.place));
        place.is_some_and(|place| place.file == FileId::MAIN && range_of(place).contains_inclusive(offset))
    };
    let body = own_bodies(db, file).into_iter().find(is_around)?;
    let known = known(db, file, own_function(db, file, &body)?)?;
    Some(ask(&FunctionFacts {
        unit,
        decl: known.function.place.decl,
        first: known.function.first().0,
        types: known.function.types,
        words: known.words,
        lanes: config(db, file).target.width,
        target,
    }))
}

impl FunctionFacts<'_> {
    fn ways_around(&self, offset: TextSize) -> Vec<ExplainedWay> {
        let at = |node: u32| self.range_of_node(node).filter(|range| range.contains_inclusive(offset));
        let loops = self.loop_nodes().filter_map(|(node, kind)| Some((at(node)?, self.loop_way(node, kind)?)));
        let branches = self.branch_controls();
        let branches =
            branches.filter_map(|(control, kind)| Some((at(control.node)?, self.branch_way(control, kind)?)));
        let mut around: Vec<_> = loops.chain(branches).collect();
        around.sort_by_key(|(range, _)| range.len());
        around.into_iter().map(|(_, way)| way).collect()
    }
}
