//! What is known about each loop: whether its iterations run as lanes, all that speaks about that, and the accesses that meet.
//!
//! This is the one place that verdicts come from: hovers, hints, notes, `explain` and its JSON only render it.
//!
//! A loop is *vector* if its iterations run as lanes. The passes record which do when they give them lanes, for the target that
//! was asked for, so that nothing is called vector code that is none.

use std::sync::Arc;

use ir::ReasonCode;

use super::Site;

/// The code of a loop whose nest has its lanes elsewhere.
pub const LANES_ELSEWHERE: &str = ReasonCode::LanesElsewhere.name();

/// The codes of all that verdicts say.
pub fn codes() -> Vec<&'static str> {
    ReasonCode::of_loops().map(ReasonCode::name).collect()
}

/// A loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// The name of the index that lanes run along, where it is defined; the whole loop, if it has none.
    pub site: Site,
    /// That name, or nothing.
    pub name: Arc<str>,
    /// The number of its place in the kernel that was lowered.
    pub place: u32,
    /// It is the loop of its nest that has the lanes or, if there are none, would have them: facts of lanes are about it.
    pub is_lane_loop: bool,
    /// How many lanes it has, or the part of it that has the fewest.
    pub lanes: Option<u16>,
    /// Whether its iterations run as lanes, and why.
    pub verdict: Verdict,
    /// The accesses that meet in its iterations and that are reasons, with their numbers among [all that
    /// meet](super::dependences_of).
    pub met: Vec<(u32, Dependence)>,
}

/// Whether a loop's iterations run as lanes, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// All of it does.
    pub is_vector: bool,
    /// It was taken apart, and a part of it does.
    pub in_part: bool,
    /// All there is to say, what stands against lanes first.
    pub reasons: Vec<Reason>,
}

/// Something that speaks about a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// Its code; each has a page in `docs/reasons.md`.
    pub code: &'static str,
    /// It keeps the loop from running as lanes.
    pub blocks: bool,
    /// What it says, as a sentence.
    pub message: String,
    /// The places that it is about, each with what happens there.
    pub related: Vec<(Site, String)>,
    /// The dependence that it is, by its number among all of the loop.
    pub dependence: Option<u32>,
    /// The value in the subscripts that has to be 0 or less, if there is only one, for two iterations to meet.
    pub not_positive: Option<String>,
    /// Changes that may lift it; each has to be tried.
    pub lifts: Vec<Lift>,
}

/// A change that may lift a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lift {
    /// `@reassoc` above the loop.
    Reassoc,
    /// `foreach` in place of `for`.
    Foreach,
    /// Without `@alias`.
    NoAlias,
}

/// Two accesses that may touch one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependence {
    /// `flow`, `anti` or `output`.
    pub kind: &'static str,
    /// The access that runs first.
    pub source: Site,
    /// The access that runs later.
    pub sink: Site,
    /// The array.
    pub array: Arc<str>,
    /// The loop hands it from one iteration to another; else it is within one.
    pub is_carried: bool,
    /// How the sink's iteration of the loop lies to the source's: `<` for a later one.
    pub direction: &'static str,
    /// How many iterations of the loop lie between them, if that is always the same.
    pub distance: Option<i64>,
    /// The directions of all loops around both, outermost first.
    pub directions: Vec<&'static str>,
    /// Their distances.
    pub distances: Vec<Option<i64>>,
    /// Two iterations that meet.
    pub witness: Option<Witness>,
    /// How it was decided.
    pub test: &'static str,
    /// Why it is no more than possible; empty for what is certain.
    pub doubts: Vec<String>,
    /// What happens at the source, at the sink, and both as a sentence.
    pub words: Words,
}

/// Two iterations that meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The loop's iteration, by its index, at the source and at the sink.
    pub iterations: [i64; 2],
    /// The indices of the loops around it, by name.
    pub outer: Vec<(Arc<str>, i64)>,
    /// The indices of all loops around the source and around the sink, outermost first.
    pub all: [Vec<i64>; 2],
    /// What else had to be chosen, by name.
    pub symbols: Vec<(String, i64)>,
    /// The subscripts of the cell.
    pub cell: Vec<i64>,
}

/// A dependence in words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// `iteration 1 writes b[1]`
    pub source: String,
    /// `iteration 2 reads b[1]`
    pub sink: String,
    /// What values in the subscripts have then: `s = -1`; nothing where there are none.
    pub assumed: String,
}

impl Verdict {
    /// Whether some of it runs as lanes.
    pub fn has_lanes(&self) -> bool {
        self.is_vector || self.in_part
    }

    /// The code of what stands against lanes, or of what there is to say about them.
    pub fn code(&self) -> Option<&'static str> {
        self.reasons.first().map(|reason| reason.code).filter(|_| !self.is_vector)
    }
}

impl Loop {
    /// The dependence of a reason.
    pub fn dependence(&self, reason: &Reason) -> Option<&Dependence> {
        let number = reason.dependence?;
        let position = self.met.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(&self.met[position].1)
    }

    /// The verdict in a few words: `8 lanes`, `in order: loop-carried-flow, 1 apart`.
    pub fn headline(&self) -> String {
        let lanes = match self.lanes.filter(|_| self.verdict.has_lanes()) {
            Some(1) => "1 lane".to_owned(),
            Some(lanes) => format!("{lanes} lanes"),
            None => "in lanes".to_owned(),
        };
        let blocking = || self.verdict.reasons.iter().filter(|reason| reason.blocks);
        let Some(first) = blocking().next() else { return lanes };
        let apart = self.apart(first).map(|apart| format!(", {apart}")).unwrap_or_default();
        let codes: std::collections::BTreeSet<_> = blocking().map(|reason| reason.code).collect();
        let more = if codes.len() > 1 { format!(", and {} more", codes.len() - 1) } else { String::new() };
        if first.code == "iterations-collide" {
            return format!("iterations collide{apart}");
        }
        let how = if self.verdict.in_part { format!("{lanes} in part") } else { "in order".to_owned() };
        format!("{how}: {}{apart}{more}", first.code)
    }

    /// How far apart the iterations are that a reason is about, in words.
    pub fn apart(&self, reason: &Reason) -> Option<String> {
        let dependence = self.dependence(reason).filter(|dependence| dependence.is_carried)?;
        dependence.distance.map(|distance| format!("{} apart", distance.unsigned_abs()))
    }
}

impl Dependence {
    /// `carried flow, 1 apart`.
    pub fn describe(&self) -> String {
        let carried = if self.is_carried { "carried " } else { "" };
        let apart = match self.distance.filter(|_| self.is_carried) {
            Some(distance) => format!(", {} apart", distance.unsigned_abs()),
            None => String::new(),
        };
        let within = if self.is_carried { "" } else { " within one iteration" };
        format!("{carried}{}{within}{apart}", self.kind)
    }

    /// What happens at the source.
    pub fn words_at_source(&self) -> String {
        self.words_at(&self.words.source, if self.kind == "anti" { "reads" } else { "writes" })
    }

    /// What happens at the sink.
    pub fn words_at_sink(&self) -> String {
        self.words_at(&self.words.sink, if self.kind == "flow" { "reads" } else { "writes" })
    }

    fn words_at(&self, words: &str, verb: &str) -> String {
        if words.is_empty() { format!("this {verb} `{}`", self.array) } else { words.to_owned() }
    }

    /// Two iterations that meet, as a sentence; or why they may.
    pub fn sentence(&self) -> String {
        let perhaps = if self.doubts.is_empty() || self.words.source.is_empty() { "" } else { "perhaps " };
        let met = match self.words.source.is_empty() {
            true => String::new(),
            false => format!("{perhaps}{}, {}", self.words.source, self.words.sink),
        };
        let met = match self.words.assumed.is_empty() {
            true => met,
            false => format!("{met}, with {}", self.words.assumed),
        };
        [met]
            .into_iter()
            .chain(self.doubts.iter().cloned())
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("; ")
    }
}
