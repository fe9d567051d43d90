//! All facts of a function.

use ispc_types::body::BodyTypes;
use ispc_types::layer::Layer;
use ispc_types::source::{Piece, Source};

use crate::access::MemoryAccess;
use crate::flow::{ControlFact, Flow};
use crate::mask::{MaskRegions, WHOLE};
use crate::notes::{self, PerformanceNote};
use crate::shape::LaneValue;
use crate::uniforms::CouldBeUniform;
use crate::why::VaryingStep;

/// The facts of a function. Nodes and tokens are counted from its first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BodyFacts {
    /// The value of each node that is an expression and that lanes come to.
    pub values: Vec<Option<LaneValue>>,
    /// The accesses of memory, by their nodes.
    pub accesses: Vec<MemoryAccess>,
    /// The conditions that decide where lanes go, by the nodes of their statements.
    pub controls: Vec<ControlFact>,
    /// The regions of the mask.
    pub regions: MaskRegions,
    /// The steps of the stories, by their nodes.
    steps: Vec<VaryingStep>,
    /// The region of each statement that lanes come to: its tokens, and the region.
    statements: Vec<(u32, u32, u32)>,
    /// The variables that could be `uniform`, in order.
    pub uniforms: Vec<CouldBeUniform>,
    /// The notes on what costs lanes, in the order of their places.
    pub notes: Vec<PerformanceNote>,
    /// False if the function has labels to jump to, so that nothing is told of its mask.
    pub knows_mask: bool,
}

/// Finds the facts of a function; none if it was not read whole, or cannot be followed. `outside` are the declarations of its unit.
pub fn facts(outside: &Layer, piece: &Piece, types: &BodyTypes) -> Option<BodyFacts> {
    if piece.is_broken() || piece.n_nodes() == 0 {
        return None;
    }
    let mut flow = Flow::new(piece, types, outside);
    flow.run();
    if flow.gave_up {
        return None;
    }
    let uniforms = flow.could_be_uniform();
    let mut accesses: Vec<MemoryAccess> = flow.accesses.into_values().collect();
    accesses.sort_unstable_by_key(|access| access.node);
    let mut controls: Vec<ControlFact> = flow.controls.into_values().collect();
    controls.sort_unstable_by_key(|control| control.node);
    let mut steps: Vec<VaryingStep> = flow.steps.into_values().collect();
    steps.sort_unstable_by_key(|step| step.node);
    let place = |(node, region): (u32, u32)| {
        let data = piece.node(node as usize);
        (data.first, data.end, region)
    };
    let mut statements: Vec<_> = flow.statement_regions.into_iter().map(place).collect();
    statements.sort_unstable();
    let knows_mask = !flow.variables.jumps_about;
    let lanes = flow.layout.lanes;
    let (values, regions) = (flow.values, flow.regions);
    let notes = Vec::new();
    let mut found = BodyFacts { values, accesses, controls, regions, steps, statements, uniforms, notes, knows_mask };
    found.notes = notes::notes(piece, types, &found, lanes);
    Some(found)
}

/// The most steps that a story has.
const LONGEST_STORY: usize = 12;

impl BodyFacts {
    /// The value of a node.
    pub fn value(&self, node: usize) -> Option<&LaneValue> {
        self.values.get(node)?.as_ref()
    }

    /// The access that a node is.
    pub fn access(&self, node: u32) -> Option<&MemoryAccess> {
        let at = self.accesses.binary_search_by_key(&node, |access| access.node).ok()?;
        Some(&self.accesses[at])
    }

    /// The condition of a statement.
    pub fn control(&self, node: u32) -> Option<&ControlFact> {
        let at = self.controls.binary_search_by_key(&node, |control| control.node).ok()?;
        Some(&self.controls[at])
    }

    /// The story that starts at a node: each step follows from the next one.
    pub fn story(&self, cause: Option<u32>) -> Vec<VaryingStep> {
        let mut told: Vec<VaryingStep> = Vec::new();
        let mut next = cause;
        while let Some(node) = next {
            let Ok(at) = self.steps.binary_search_by_key(&node, |step| step.node) else { break };
            let step = self.steps[at];
            if told.contains(&step) || told.len() >= LONGEST_STORY {
                break;
            }
            told.push(step);
            next = step.next;
        }
        told
    }

    /// The region of the statement around a token.
    pub fn region_at(&self, token: u32) -> u32 {
        let around = self.statements.iter().take_while(|(first, ..)| *first <= token);
        let inside = around.filter(|(_, end, _)| token < *end);
        inside.min_by_key(|(first, end, _)| end - first).map_or(WHOLE, |(_, _, region)| *region)
    }
}
