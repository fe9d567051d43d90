//! The functions of a file that views show, and what is said above them.

use queries::db::File;
use queries::ispc::config;
use queries::ispc::facts::access::AccessCounts;
use queries::ispc::facts::whole::is_own;
use queries::ispc::kinds::Kind;
use queries::ispc::typing::naming::telling_name;
use queries::ispc::typing::{own_bodies, own_function, types};
use queries::ispc::unit;
use queries::ispc::units::FileId;
use report::TextRange;

use super::diagnostics::diagnostics;
use super::facts::known;
use super::range_of;

/// A function with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewedFunction {
    /// Its name, with the types that it takes where overloads share that.
    pub name: String,
    /// The whole of it.
    pub range: TextRange,
    /// The name alone.
    pub focus: TextRange,
    /// True if other programs call it.
    pub is_exported: bool,
    /// The lanes, and the accesses that cost them: `8 lanes, 2 gathers`.
    pub summary: String,
}

/// The functions that a file has itself, but for templates.
pub fn viewed_functions(db: &dyn salsa::Database, file: File) -> Vec<ViewedFunction> {
    let unit = unit(db, file);
    let lanes = config(db, file).target.width;
    let own = own_bodies(db, file).into_iter().filter(|body| is_own(unit, body.place));
    let viewed = own.filter_map(|own| {
        let body = own.place;
        let decl = &unit.names.decls[body.decl as usize];
        let place = unit.place_of(unit.tree.tokens(body.node))?;
        let focus = unit.place(&unit.tokens[decl.token as usize]);
        if focus.file != FileId::MAIN {
            return None;
        }
        let head = unit.tokens.from(decl.head.0 as usize).take((decl.token - decl.head.0) as usize);
        let is_exported = head.into_iter().any(|token| matches!(token.kind, Kind::Export | Kind::Extern));
        let facts = is_exported.then(|| own_function(db, file, &own).and_then(|it| known(db, file, it))).flatten();
        let counts = facts.map(|known| AccessCounts::of(known.facts.accesses.iter())).unwrap_or_default();
        Some(ViewedFunction {
            name: telling_name(&types(db, file).layer, body.entity),
            range: range_of(place),
            focus: range_of(focus),
            is_exported,
            summary: summary(lanes, &counts),
        })
    });
    viewed.collect()
}

fn summary(lanes: u32, counts: &AccessCounts) -> String {
    let counted = |n: usize, one: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {one}s")),
    };
    let lanes = counted(lanes as usize, "lane");
    let costs = [(counts.gathers, "gather"), (counts.scatters, "scatter"), (counts.strided, "stride")];
    let costs = costs.iter().filter_map(|(n, one)| counted(*n, one));
    lanes.into_iter().chain(costs).collect::<Vec<_>>().join(", ")
}

/// The number of errors in a file and what it includes: with any of them nothing becomes of its functions.
pub fn n_errors(db: &dyn salsa::Database, file: File) -> usize {
    diagnostics(db, file).iter().filter(|found| !found.is_warning).count()
}
