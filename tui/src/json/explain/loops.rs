//! Loops in the output of `explain --json`.

use std::collections::BTreeMap;

use analysis::ide::explain;
use serde::Serialize;

use super::super::{Range, Related};
use crate::document::Document;

/// A loop, with its verdict and the facts behind it.
#[derive(Debug, Serialize)]
pub struct Loop {
    /// Range of the loop's header.
    pub range: Range,
    /// Index along which lanes run; empty if there is none.
    pub index: String,
    /// True for the loop of its nest that has the lanes or, if there are none, would have them.
    pub is_lane_loop: bool,
    /// Verdict: `vector` if the iterations run as lanes, else `scalar`.
    pub verdict: &'static str,
    /// True if the loop was split, and a part of it runs as lanes.
    pub in_part: bool,
    /// Number of lanes; 1 without lanes.
    pub lanes: u16,
    /// Code of the main obstacle to lanes, or `null`.
    pub code: Option<&'static str>,
    /// All reasons for the verdict, obstacles to lanes first.
    pub reasons: Vec<Reason>,
    /// Changes that would lift the first reason, each of which was tried, with the obstacles that remain.
    pub lifts: Vec<String>,
    /// Pairs of accesses that may touch one cell: loop-carried ones first, then those within an iteration.
    pub dependences: Vec<Dependence>,
}

/// A reason for a verdict.
#[derive(Debug, Serialize)]
pub struct Reason {
    /// Code of the reason.
    pub code: &'static str,
    /// True if the reason keeps the loop from running as lanes.
    pub blocks: bool,
    /// Reason in words.
    pub message: String,
    /// Places that the reason is about.
    pub related: Vec<Related>,
    /// Index of the reason's dependence in `dependences`, or `null`.
    pub dependence: Option<usize>,
}

/// Two accesses that may touch one cell.
#[derive(Debug, Serialize)]
pub struct Dependence {
    /// Kind: `flow`, `anti` or `output`.
    pub kind: &'static str,
    /// Name of the array.
    pub array: String,
    /// Access that runs first.
    pub source: End,
    /// Access that runs later.
    pub sink: End,
    /// True if the dependence connects different iterations of the loop.
    pub carried: bool,
    /// Direction from the source's iteration of the loop to the sink's: `<` for a later one.
    pub direction: &'static str,
    /// Distance in iterations, or `null` if it is not constant.
    pub distance: Option<i64>,
    /// Directions in all loops around both accesses, outermost first.
    pub directions: Vec<&'static str>,
    /// Distances in those loops.
    pub distances: Vec<Option<i64>>,
    /// Witness: an iteration of the source and one of the sink, or `null`.
    pub witness: Option<[i64; 2]>,
    /// Further values of the witness, or `null`.
    pub at: Option<At>,
    /// Test that decided the dependence.
    pub test: &'static str,
    /// True if the dependence is certain for some values of the parameters.
    pub certain: bool,
    /// Reasons why the dependence is only possible.
    pub doubts: Vec<String>,
    /// Two dependent iterations, as a sentence.
    pub message: String,
}

/// One end of a dependence.
#[derive(Debug, Serialize)]
pub struct End {
    /// Range of the access.
    pub range: Range,
    /// Text of the access, on one line.
    pub text: String,
}

/// The values of a witness besides its two iterations.
#[derive(Debug, Serialize)]
pub struct At {
    /// Values of the symbols that had to be chosen, by name.
    pub symbols: BTreeMap<String, i64>,
    /// Indices of the enclosing loops, by name.
    pub outer: BTreeMap<String, i64>,
    /// Subscripts of the cell.
    pub cell: Vec<i64>,
    /// Indices of all loops around the source, outermost first.
    pub source: Vec<i64>,
    /// Indices of all loops around the sink, outermost first.
    pub sink: Vec<i64>,
}

impl Loop {
    /// Converts the facts about a loop of a document.
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
