//! What programs of a few lines have of facts, and what of these holds when random programs run.

#[path = "facts/accesses.rs"]
mod accesses;
#[path = "facts/foreach.rs"]
mod foreach;
#[path = "facts/format.rs"]
mod format;
#[path = "facts/notes.rs"]
mod notes;
#[path = "facts/pages.rs"]
mod pages;
#[path = "facts/program.rs"]
mod program;
#[path = "facts/robust.rs"]
mod robust;
#[path = "facts/run.rs"]
mod run;
#[path = "facts/sound.rs"]
mod sound;
#[path = "facts/values.rs"]
mod values;

use std::sync::Arc;

use ispc::config::Config;
use ispc::file::{FileText, NoFiles};
use ispc::unit::Unit;
use ispc_facts::BodyFacts;
use ispc_facts::access::CellOrder;
use ispc_facts::shape::{LaneShape, LaneStep};
use ispc_facts::words::FactWords;
use ispc_types::body::{BodyTypes, type_body};
use ispc_types::source::Piece;
use ispc_types::unit::{UnitTypes, declarations};

/// A function with its facts.
struct Analysed {
    piece: Piece,
    types: BodyTypes,
    facts: BodyFacts,
}

fn read(text: &str) -> Unit {
    ispc::read(Arc::new(FileText::new("main.ispc", text)), &Config::default(), &NoFiles)
}

fn analysed(unit: &Unit) -> Vec<Analysed> {
    let declared: UnitTypes = declarations(unit, None);
    let of = |body| {
        let piece = Piece::cut(unit, &declared.entities, body, declared.layer.n_entities(), false);
        let types = type_body(&declared.layer, &piece);
        assert!(types.findings.is_empty(), "{:?}", types.findings);
        let facts = ispc_facts::facts(&declared.layer, &piece, &types)?;
        Some(Analysed { piece, types, facts })
    };
    declared.bodies.iter().filter_map(of).collect()
}

/// The functions of a text that has no mistake.
fn functions(text: &str) -> Vec<Analysed> {
    let unit = read(text);
    assert!(unit.problems.is_empty(), "{text}\n{:?}", unit.problems);
    analysed(&unit)
}

fn shape(shape: LaneShape) -> String {
    match shape {
        LaneShape::Uniform => "uniform".to_owned(),
        LaneShape::Linear(LaneStep::By(step)) => format!("linear by {step}"),
        LaneShape::Linear(LaneStep::Some) => "linear".to_owned(),
        LaneShape::Varying => "varying".to_owned(),
        LaneShape::Unknown => "unknown".to_owned(),
    }
}

fn order(order: CellOrder) -> String {
    match order {
        CellOrder::Broadcast => "broadcast".to_owned(),
        CellOrder::Vector => "vector".to_owned(),
        CellOrder::Groups(width) => format!("groups of {width}"),
        CellOrder::Strided(Some(bytes)) => format!("strided by {bytes} bytes"),
        CellOrder::Strided(None) => "strided".to_owned(),
        CellOrder::Gather => "apart".to_owned(),
    }
}

impl Analysed {
    /// The story of a node, one step after another.
    fn story(&self, cause: Option<u32>) -> String {
        let words = FactWords { piece: &self.piece, layer: &self.types.layer, facts: &self.facts };
        words.story(cause)
    }
}
