//! What `explain --json` prints of loops.

use std::collections::BTreeMap;

use analysis::ide::explain;
use serde::Serialize;

use super::super::{Range, Related};
use crate::document::Document;

/// A loop.
#[derive(Debug, Serialize)]
pub struct Loop {
    /// Its header.
    pub range: Range,
    /// The index that lanes run along; empty where there is none.
    pub index: String,
    /// It is the loop of its nest that has the lanes or, if there are none, would have them.
    pub is_lane_loop: bool,
    /// `vector` where its iterations run as lanes, else `scalar`.
    pub verdict: &'static str,
    /// It was taken apart, and a part of it runs as lanes.
    pub in_part: bool,
    /// How many lanes; 1 where there are none.
    pub lanes: u16,
    /// The code of what stands against lanes most, or `null`.
    pub code: Option<&'static str>,
    /// All there is to say about the verdict, what stands against lanes first.
    pub reasons: Vec<Reason>,
    /// What would lift the first reason, and what is left then; each was tried.
    pub lifts: Vec<String>,
    /// Pairs of accesses that may touch one cell: those that the loop carries, then those within an iteration.
    pub dependences: Vec<Dependence>,
}

/// Something that speaks about a verdict.
#[derive(Debug, Serialize)]
pub struct Reason {
    /// Its code.
    pub code: &'static str,
    /// It keeps the loop from running as lanes.
    pub blocks: bool,
    /// What it says.
    pub message: String,
    /// The places that it is about.
    pub related: Vec<Related>,
    /// The dependence that it is, by its number in `dependences`, or `null`.
    pub dependence: Option<usize>,
}

/// Two accesses that may touch one cell.
#[derive(Debug, Serialize)]
pub struct Dependence {
    /// `flow`, `anti` or `output`.
    pub kind: &'static str,
    /// The array.
    pub array: String,
    /// The access that runs first.
    pub source: End,
    /// The access that runs later.
    pub sink: End,
    /// The loop hands it from one iteration to another.
    pub carried: bool,
    /// How the sink's iteration of the loop lies to the source's: `<` for a later one.
    pub direction: &'static str,
    /// How many iterations lie between them, or `null` if that is not always the same.
    pub distance: Option<i64>,
    /// The directions of all loops around both, outermost first.
    pub directions: Vec<&'static str>,
    /// Their distances.
    pub distances: Vec<Option<i64>>,
    /// The iteration of the source, then that of the sink, or `null`.
    pub witness: Option<[i64; 2]>,
    /// What else the witness is, or `null`.
    pub at: Option<At>,
    /// How it was decided.
    pub test: &'static str,
    /// It exists for certain, for some values of the parameters.
    pub certain: bool,
    /// Why it is no more than possible.
    pub doubts: Vec<String>,
    /// Two iterations that meet, as a sentence.
    pub message: String,
}

/// One end of a dependence.
#[derive(Debug, Serialize)]
pub struct End {
    /// The access.
    pub range: Range,
    /// What stands there, on one line.
    pub text: String,
}

/// What a witness is besides the two iterations.
#[derive(Debug, Serialize)]
pub struct At {
    /// The values that had to be chosen, by name.
    pub symbols: BTreeMap<String, i64>,
    /// The indices of the loops around, by name.
    pub outer: BTreeMap<String, i64>,
    /// The subscripts of the cell.
    pub cell: Vec<i64>,
    /// The indices of all loops around the source, outermost first.
    pub source: Vec<i64>,
    /// The same for the sink.
    pub sink: Vec<i64>,
}

impl Loop {
    /// What is known about a loop of a document.
    pub fn of(document: &Document, it: &explain::Loop) -> Loop {
        Loop {
            range: Range::of(document, it.range),
            index: it.index.clone(),
            is_lane_loop: it.is_lane_loop,
            verdict: if it.is_vector { "vector" } else { "scalar" },
            in_part: it.in_part,
            lanes: it.lanes.unwrap_or(1),
            code: it.code,
            reasons: it.reasons.iter().map(|reason| Reason::of(document, reason)).collect(),
            lifts: it.lifts.clone(),
            dependences: it.dependences.iter().map(|met| Dependence::of(document, met)).collect(),
        }
    }
}

impl Reason {
    fn of(document: &Document, it: &explain::Reason) -> Reason {
        let related = |place: &explain::Because| Related {
            range: Range::of(document, place.range),
            message: place.message.clone(),
        };
        Reason {
            code: it.code,
            blocks: it.blocks,
            message: it.message.clone(),
            related: it.related.iter().map(related).collect(),
            dependence: it.dependence,
        }
    }
}

impl Dependence {
    fn of(document: &Document, it: &explain::Dependence) -> Dependence {
        let end = |end: &explain::Because| End { range: Range::of(document, end.range), text: end.text.clone() };
        let known = &it.known;
        Dependence {
            kind: known.kind,
            array: known.array.to_string(),
            source: end(&it.source),
            sink: end(&it.sink),
            carried: known.is_carried,
            direction: known.direction,
            distance: known.distance,
            directions: known.directions.clone(),
            distances: known.distances.clone(),
            witness: known.witness.as_ref().map(|witness| witness.iterations),
            at: known.witness.as_ref().map(At::of),
            test: known.test,
            certain: known.doubts.is_empty(),
            doubts: known.doubts.clone(),
            message: known.sentence(),
        }
    }
}

impl At {
    fn of(witness: &explain::Witness) -> At {
        At {
            symbols: witness.symbols.iter().cloned().collect(),
            outer: witness.outer.iter().map(|(name, index)| (name.to_string(), *index)).collect(),
            cell: witness.cell.clone(),
            source: witness.all[0].clone(),
            sink: witness.all[1].clone(),
        }
    }
}
