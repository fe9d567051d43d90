//! Facts in words.

use ispc::kinds::Kind;
use ispc::tree::NodeKind;
use ispc_types::layer::{Entity, Layer};
use ispc_types::source::{Piece, Source};
use ispc_types::ty::{Lanes, TypeKind};

use crate::access::{AccessKind, CellOrder, MemoryAccess};
use crate::body::BodyFacts;
use crate::flow::ControlFact;
use crate::mask::{MaskRegion, RegionKind};
use crate::shape::{LaneShape, LaneStep, LaneValue};
use crate::why::{VaryingStep, WhyVarying};

/// A sentence has so many steps of a story.
const LONGEST_SENTENCE: usize = 5;

/// A function's facts, and all that is needed to put them into words.
#[derive(Clone, Copy)]
pub struct FactWords<'a> {
    /// The function.
    pub piece: &'a Piece,
    /// Its declarations and types.
    pub layer: &'a Layer,
    /// Its facts.
    pub facts: &'a BodyFacts,
}

impl FactWords<'_> {
    /// A node of the function.
    pub fn piece_node(&self, node: u32) -> ispc::tree::NodeData {
        self.piece.node(node as usize)
    }

    /// A node as it is written, in code marks.
    pub fn code(&self, node: u32) -> String {
        format!("`{}`", self.piece.written(node as usize))
    }

    /// The order of a value's lanes, behind a verb.
    pub fn shape(&self, value: &LaneValue) -> Option<String> {
        Some(match value.shape {
            LaneShape::Uniform => "one value for all lanes that run".to_owned(),
            LaneShape::Linear(LaneStep::By(step)) => {
                format!("a row: each lane has {step} more than the one in front of it")
            }
            LaneShape::Linear(LaneStep::Some) => {
                "a row: from lane to lane it grows by one and the same amount".to_owned()
            }
            LaneShape::Varying => "a value of its own for each lane".to_owned(),
            LaneShape::Unknown => return None,
        })
    }

    /// The tokens that a step of a story is about, and what it says of them.
    pub fn step(&self, step: &VaryingStep) -> (std::ops::Range<u32>, String) {
        let node = step.node;
        let data = self.piece.node(node as usize);
        let all = data.first..data.end;
        let name = |entity| format!("`{}`", self.layer.entity(entity).name);
        match step.why {
            WhyVarying::ProgramIndex => (all, "`programIndex` is another number in each lane".to_owned()),
            WhyVarying::ForeachIndex => (all, format!("the lanes run along `{}`", self.piece.text(data.first))),
            WhyVarying::TiledIndex => {
                (all, format!("the lanes lie in a tile, of which `{}` is one side", self.piece.text(data.first)))
            }
            WhyVarying::Declared(entity) => {
                if self.is_pointer_by_default(entity) {
                    let why = "a pointer of its own in each lane, since no `uniform` stands behind its `*`";
                    return (all, format!("{} is {why}", name(entity)));
                }
                let kind = self.layer.entity(entity).kind.word();
                (all, format!("{} is a {kind} with a value of its own in each lane", name(entity)))
            }
            WhyVarying::NoValue(entity) => (all, format!("{} has no value here yet", name(entity))),
            WhyVarying::Shared(entity) => {
                (all, format!("the address of {} is taken, so it may have any value", name(entity)))
            }
            WhyVarying::OwnCell => (all, format!("{} is stored with a value for each lane", self.code(node))),
            WhyVarying::OtherCells => (all, format!("{} is loaded from another cell in each lane", self.code(node))),
            WhyVarying::CallResult => (all, format!("{} gives one value a lane", self.code(node))),
            WhyVarying::OutOfRow => (all, format!("{} is no row any more", self.code(node))),
            WhyVarying::Assigned(by) => {
                let by = self.piece.node(by as usize);
                (by.first..self.head_end(by.first, by.end), format!("{} has its value from here", self.code(node)))
            }
            WhyVarying::OtherWays => {
                let condition = self.condition_of(node);
                let data = self.piece.node(condition as usize);
                (data.first..data.end, format!("lanes go different ways at {}", self.code(condition)))
            }
            WhyVarying::OtherRounds => {
                (data.first..data.first + 1, "lanes leave this loop in different rounds".to_owned())
            }
            WhyVarying::OtherLanes => {
                (data.first..data.first + 1, "here run lanes that did not run where the value was set".to_owned())
            }
        }
    }

    /// Returns true for a pointer of this function that is varying, though nothing behind its star says so.
    fn is_pointer_by_default(&self, entity: Entity) -> bool {
        let is_varying = matches!(self.layer.kind(self.layer.entity(entity).ty), TypeKind::Pointer(_, Lanes::Varying));
        let declared = self.piece.declarations().find(|(other, ..)| *other == entity).filter(|_| is_varying);
        declared.is_some_and(|(_, _, token)| {
            let in_front = (0..token).rev().map(|token| self.piece.kind(token));
            let mut behind_star = in_front.take_while(|kind| matches!(kind, Kind::Star | Kind::Varying | Kind::Const));
            behind_star.next() == Some(Kind::Star)
        })
    }

    /// The end of a place that is shown: that of a statement with a block is in front of the block.
    fn head_end(&self, first: u32, end: u32) -> u32 {
        (first..end).find(|token| self.piece.kind(*token) == Kind::LBrace).filter(|at| *at > first).unwrap_or(end)
    }

    fn condition_of(&self, node: u32) -> u32 {
        self.facts.control(node).map_or_else(
            || self.piece.children(node as usize).first().map_or(node, |first| *first as u32),
            |control| control.condition,
        )
    }

    /// The story of a value, in one sentence; empty for one that has none.
    pub fn story(&self, cause: Option<u32>) -> String {
        let story = self.facts.story(cause);
        let told: Vec<String> = story.iter().filter_map(|step| self.sentence(step)).take(LONGEST_SENTENCE).collect();
        told.join(", and ")
    }

    /// A step without a place. That a variable was set needs none, as the next step says what to.
    fn sentence(&self, step: &VaryingStep) -> Option<String> {
        match step.why {
            WhyVarying::Assigned(_) => None,
            WhyVarying::OtherRounds => match self.facts.control(step.node) {
                Some(control) => {
                    Some(format!("lanes leave the loop over {} in different rounds", self.code(control.condition)))
                }
                None => Some("lanes leave a loop in different rounds".to_owned()),
            },
            WhyVarying::OtherLanes => {
                let word = self.piece.text(self.piece.node(step.node as usize).first).into_owned();
                Some(format!("`{word}` turns on lanes that did not run where the value was set"))
            }
            _ => Some(self.step(step).1),
        }
    }

    /// The steps of a story that have a place of their own: where a variable was set by what the next step is about needs none.
    pub fn steps(&self, cause: Option<u32>) -> Vec<(std::ops::Range<u32>, String)> {
        let story = self.facts.story(cause);
        let says_more = |step: &&VaryingStep| !matches!(step.why, WhyVarying::Assigned(by) if Some(by) == step.next);
        story.iter().filter(says_more).map(|step| self.step(step)).collect()
    }

    /// The order of an access's cells: a word or two, as a hint shows it.
    pub fn order(&self, access: &MemoryAccess) -> String {
        let is_store = access.kind != AccessKind::Load;
        match access.order {
            CellOrder::Broadcast if is_store => "one cell".to_owned(),
            CellOrder::Broadcast => "broadcast".to_owned(),
            CellOrder::Vector => "contiguous".to_owned(),
            CellOrder::Groups(width) => format!("groups of {width}"),
            CellOrder::Strided(None) => "strided".to_owned(),
            CellOrder::Strided(Some(bytes)) => match self.elements(access, bytes) {
                Some(cells) => format!("strided by {cells}"),
                None => format!("strided by {bytes} bytes"),
            },
            CellOrder::Gather if is_store => "scatter".to_owned(),
            CellOrder::Gather => "gather".to_owned(),
        }
    }

    fn elements(&self, access: &MemoryAccess, bytes: i64) -> Option<i64> {
        let own = i64::try_from(access.bytes?).ok().filter(|own| *own > 0)?;
        (bytes % own == 0).then_some(bytes / own)
    }

    /// The form of an access and the reason for it, in sentences.
    pub fn access(&self, access: &MemoryAccess) -> String {
        let since = match access.is_apart() {
            true => self.since(access.cause),
            false => String::new(),
        };
        format!("{}{since}.", self.cells(access))
    }

    /// The story of a value, behind a comma and `since`; empty for one that has none.
    pub fn since(&self, cause: Option<u32>) -> String {
        let story = self.story(cause);
        if story.is_empty() { String::new() } else { format!(", since {story}") }
    }

    /// The form of an access, in a sentence without its end.
    pub fn cells(&self, access: &MemoryAccess) -> String {
        let written = self.code(access.node);
        let (verb, from) = match access.kind {
            AccessKind::Load => ("load", "from"),
            AccessKind::Store => ("store", "to"),
            AccessKind::Update => ("load and store", "at"),
        };
        match access.order {
            CellOrder::Broadcast => format!("{written} is one cell for all lanes that run"),
            CellOrder::Vector => format!("{written} is one vector {verb}: neighbouring lanes have neighbouring cells"),
            CellOrder::Groups(width) => {
                format!("{written} has neighbouring cells in groups of {width}, as its `soa<{width}>` says")
            }
            CellOrder::Strided(bytes) => {
                let apart = match (bytes, access.record) {
                    (_, Some(record)) => {
                        format!("a struct apart: `{}` has {} bytes", self.layer.entity(record.of).name, record.size)
                    }
                    (Some(bytes), None) => format!("{bytes} bytes apart"),
                    (None, None) => "a fixed distance apart that is not known here".to_owned(),
                };
                format!("{written}: the lanes {verb} {from} cells that lie {apart}")
            }
            CellOrder::Gather => format!("{written}: each lane has to {verb} {from} a cell of its own"),
        }
    }

    /// The way that lanes go at a condition, in a few words, as a hint shows it.
    pub fn ways(&self, control: &ControlFact) -> &'static str {
        use NodeKind::*;
        let is_loop = matches!(self.piece_node(control.node).kind, For | Cfor | While | Cwhile | Do | Cdo);
        match (is_loop, control.parts) {
            (true, true) => "lanes leave one by one",
            (true, false) => "all lanes leave together",
            (false, true) => "lanes may go different ways",
            (false, false) => "all lanes go the same way",
        }
    }

    /// The way that lanes go at a condition, in a sentence.
    pub fn condition(&self, control: &ControlFact) -> &'static str {
        match (control.value.is_uniform(), control.parts) {
            (true, false) => "All lanes that run go the same way here.",
            (true, true) => "All lanes that run go the same way here; some may leave by a jump.",
            _ => "Lanes may go different ways here: each way is run under a mask, by those that go it.",
        }
    }

    /// The reason why lanes leave a loop one by one, and what that costs.
    pub fn leaving(&self, control: &ControlFact) -> String {
        let since = self.since(control.value.cause);
        format!(
            "Each lane leaves the loop in a round of its own{since}: the loop goes on until the last one has left, and those that have wait."
        )
    }

    /// The lanes that run in a region, in words; nothing for a whole function.
    pub fn region(&self, region: &MaskRegion) -> Option<String> {
        let because = region.because.map(|node| self.code(node));
        let of = because.unwrap_or_default();
        Some(match region.kind {
            RegionKind::Function => return None,
            RegionKind::Branch if of.is_empty() => "only lanes that need this operand".to_owned(),
            RegionKind::Branch => format!("only lanes for which {of} holds"),
            RegionKind::Else => format!("only lanes for which {of} does not hold"),
            RegionKind::Switch => "only lanes with a case of this `switch`".to_owned(),
            RegionKind::Loop if of.is_empty() => "only lanes that have not left the loop yet".to_owned(),
            RegionKind::Loop => format!("only lanes that have not left the loop over {of} yet"),
            RegionKind::Left if of.is_empty() => "only lanes that have not left yet".to_owned(),
            RegionKind::Left => format!("only lanes that have not left by {of}"),
            RegionKind::Foreach => "all lanes, and in the last group those that have an element".to_owned(),
            RegionKind::Each => "some lanes at a time".to_owned(),
            RegionKind::Unmasked => "all lanes, whoever came here".to_owned(),
        })
    }
}
