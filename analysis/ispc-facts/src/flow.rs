//! The walk through a function, as its lanes run it.
//!
//! Loops are walked until nothing changes any more; what is recorded of a node is what the last walk found. A variable that a loop with
//! rounds of different lanes has set differs behind it, even if all lanes had one value in each round.

use ispc::names::DeclKind;
use ispc::tree::NodeKind;
use ispc_types::body::BodyTypes;
use ispc_types::layer::{Entity, Layer};
use ispc_types::source::{Piece, Source};
use ispc_types::ty::{Lanes, Ty, TypeKind};
use rustc_hash::FxHashMap;

use crate::access::MemoryAccess;
use crate::layout::Layout;
use crate::mask::{MaskRegions, RegionKind, WHOLE};
use crate::shape::LaneValue;
use crate::state::{AT_CALL, DefKind, Held, Meeting, NO_DEF, State, def};
use crate::variables::{Variables, declared_in};
use crate::why::{VaryingStep, WhyVarying};

/// Loops that are nested deeper are walked once, and whatever they set is varying.
pub(crate) const DEEPEST_LOOP: u32 = 5;
/// The deepest that expressions and statements are walked.
pub(crate) const DEEPEST: u32 = 180;
/// After so many walks through a loop, whatever it sets is varying.
pub(crate) const MOST_WALKS: u32 = 8;

/// A statement that jumps lead out of, or to the next round of.
pub(crate) struct JumpFrame {
    /// True for a loop: `continue` leads to its next round.
    pub(crate) is_loop: bool,
    /// The region of its body.
    pub(crate) region: u32,
    pub(crate) breaks: Vec<State>,
    pub(crate) continues: Vec<State>,
    /// The node that tells why lanes part, if some jump and others do not.
    pub(crate) break_parts: Option<u32>,
    pub(crate) continue_parts: Option<u32>,
    /// The state in front, for the cases of a `switch`.
    pub(crate) entry: State,
    /// The node of a `switch` over what differs.
    pub(crate) switch_parts: Option<u32>,
    pub(crate) n_spilled: usize,
}

/// A jump that lanes have taken: where it is, the region that it was taken in, and the frame that it leads out of.
#[derive(Clone, Copy)]
pub(crate) struct TakenJump {
    pub(crate) node: u32,
    pub(crate) region: u32,
    pub(crate) frame: Option<usize>,
}

/// A condition that decides where lanes go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ControlFact {
    /// The statement, or the operator.
    pub node: u32,
    /// The condition.
    pub condition: u32,
    /// Its value.
    pub value: LaneValue,
    /// True if lanes leave the loop at different times, by the condition or by a jump.
    pub parts: bool,
}

/// An assignment to a variable, with the lanes that make it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Definition {
    pub(crate) variable: usize,
    /// The node of the value; none for a declaration without one.
    pub(crate) value: Option<u32>,
    /// The assignment itself.
    pub(crate) node: u32,
    pub(crate) region: u32,
    pub(crate) is_uniform: bool,
}

pub(crate) struct Flow<'a> {
    pub(crate) piece: &'a Piece,
    pub(crate) types: &'a BodyTypes,
    pub(crate) layer: &'a Layer,
    pub(crate) layout: Layout<'a>,
    pub(crate) variables: Variables,
    pub(crate) state: Option<State>,
    pub(crate) region: u32,
    pub(crate) regions: MaskRegions,
    pub(crate) frames: Vec<JumpFrame>,
    pub(crate) jumps: Vec<TakenJump>,
    /// The variables that were set for lanes which did not come there: by `foreach` and `unmasked`.
    pub(crate) spilled: Vec<(usize, u32)>,
    pub(crate) loop_depth: u32,
    pub(crate) depth: u32,
    /// True if it is nested too deep to be followed.
    pub(crate) gave_up: bool,
    /// The values of variables that statements bring, and of uniform ones that are set once.
    pub(crate) bound: FxHashMap<Entity, LaneValue>,
    pub(crate) values: Vec<Option<LaneValue>>,
    pub(crate) steps: FxHashMap<u32, VaryingStep>,
    pub(crate) accesses: FxHashMap<u32, MemoryAccess>,
    pub(crate) controls: FxHashMap<u32, ControlFact>,
    pub(crate) definitions: FxHashMap<u32, Definition>,
    /// The uses of each variable: the node, and its region.
    pub(crate) uses: FxHashMap<u32, (usize, u32)>,
    pub(crate) statement_regions: FxHashMap<u32, u32>,
}

impl<'a> Flow<'a> {
    pub(crate) fn new(piece: &'a Piece, types: &'a BodyTypes, outside: &Layer) -> Flow<'a> {
        let n_nodes = piece.n_nodes();
        let mut parents = vec![n_nodes as u32 - 1; n_nodes];
        for node in 0..n_nodes {
            for child in piece.children(node) {
                parents[child] = node as u32;
            }
        }
        let variables = Variables::of(piece, types, &parents);
        Flow {
            piece,
            types,
            layer: &types.layer,
            layout: Layout::new(&types.layer, outside),
            variables,
            state: None,
            region: WHOLE,
            regions: MaskRegions::new(n_nodes as u32 - 1),
            frames: Vec::new(),
            jumps: Vec::new(),
            spilled: Vec::new(),
            loop_depth: 0,
            depth: 0,
            gave_up: false,
            bound: FxHashMap::default(),
            values: vec![None; n_nodes],
            steps: FxHashMap::default(),
            accesses: FxHashMap::default(),
            controls: FxHashMap::default(),
            definitions: FxHashMap::default(),
            uses: FxHashMap::default(),
            statement_regions: FxHashMap::default(),
        }
    }

    pub(crate) fn run(&mut self) {
        let held = self.variables.all.iter().map(|variable| {
            let def = if variable.kind == DeclKind::Param { AT_CALL } else { NO_DEF };
            Held { def, value: LaneValue { everywhere: false, ..LaneValue::varying(u32::MAX) } }
        });
        self.state = Some(State { held: held.collect() });
        let root = self.piece.n_nodes() - 1;
        if let Some(body) = self.piece.child(root, NodeKind::Block) {
            self.statement(body);
        }
    }

    // What statements share.

    /// Notes the reason why a node's value, or what it brings together, is not uniform.
    pub(crate) fn tell(&mut self, node: usize, why: WhyVarying, next: Option<u32>) -> u32 {
        let node = node as u32;
        self.steps.insert(node, VaryingStep { node, why, next: next.filter(|next| *next != node) });
        node
    }

    pub(crate) fn ty(&self, node: usize) -> Ty {
        self.layer.target(self.types.types[node])
    }

    /// Sets a variable whose values are followed.
    pub(crate) fn set(&mut self, variable: usize, node: usize, value_node: Option<usize>, value: LaneValue) {
        let Some(state) = &mut self.state else { return };
        state.held[variable] = Held { def: def(node, DefKind::Assigned), value };
        let definition = Definition {
            variable,
            value: value_node.map(|node| node as u32),
            node: node as u32,
            region: self.region,
            is_uniform: value.is_uniform(),
        };
        self.definitions.insert(node as u32, definition);
    }

    /// Makes everything that may be set inside of a node varying.
    pub(crate) fn forget_inside(&mut self, node: usize) {
        let first = self.piece.node(node).descendants as usize;
        let cause = self.tell(node, WhyVarying::OtherRounds, None);
        for at in first..=node {
            let target = match self.piece.node(at).kind {
                NodeKind::Assign | NodeKind::Postfix | NodeKind::Prefix => self.piece.children(at).first().copied(),
                _ => None,
            };
            let entity = target.and_then(|target| crate::variables::base_variable(self.piece, self.types, target));
            let variable = entity.and_then(|entity| self.variables.followed(entity));
            if let (Some(variable), Some(state)) = (variable, &mut self.state) {
                let value = LaneValue { everywhere: false, ..LaneValue::varying(cause) };
                state.held[variable] = Held { def: def(node, DefKind::InFront), value };
            }
        }
    }

    /// Walks one way of two, in a region of its own if the lanes part.
    pub(crate) fn way(&mut self, region: Option<u32>, walk: impl FnOnce(&mut Self)) -> Option<State> {
        let outer = self.region;
        self.region = region.unwrap_or(outer);
        walk(self);
        self.region = outer;
        self.state.take()
    }

    /// Joins two ways behind a node.
    pub(crate) fn join(&mut self, node: usize, ways: [Option<State>; 2], parts: Option<u32>) {
        let meeting = parts.map_or(Meeting::Together, Meeting::Apart);
        self.state = match ways {
            [Some(one), Some(other)] => Some(one.meet(&other, meeting, def(node, DefKind::Behind))),
            [one, other] => one.or(other),
        };
    }

    /// Goes on in a smaller region if lanes have left a statement for good.
    pub(crate) fn narrow(&mut self, node: usize, n_jumps: usize, outer: u32) {
        let n_frames = self.frames.len();
        let leaves = |jump: &&TakenJump| jump.frame.is_none_or(|frame| frame < n_frames) && jump.region != outer;
        let left = self.jumps[n_jumps..].iter().rfind(leaves).copied();
        self.region = outer;
        if let Some(jump) = left {
            self.region = self.regions.enter(RegionKind::Left, node as u32, Some(jump.node), outer);
        }
    }

    /// The node that tells the story of lanes that part at a condition, if they do.
    pub(crate) fn parting(&mut self, node: usize, value: &LaneValue, why: WhyVarying) -> Option<u32> {
        (!value.is_uniform()).then(|| self.tell(node, why, value.cause))
    }

    /// Notes which variables all lanes have set, those that did not come here among them.
    pub(crate) fn spill(&mut self, node: usize, entry: &State) {
        let Some(state) = &self.state else { return };
        let pairs = state.held.iter().zip(&entry.held).enumerate();
        self.spilled
            .extend(pairs.filter(|(_, (now, then))| now.def != then.def).map(|(index, _)| (index, node as u32)));
    }

    /// Forgets what others have set in the meantime for the lanes that wait.
    pub(crate) fn take_spilled(&self, state: &mut State, since: usize) {
        for (variable, node) in &self.spilled[since..] {
            let value = LaneValue { everywhere: false, ..LaneValue::varying(*node) };
            state.held[*variable] = Held { def: def(*node as usize, DefKind::Behind), value };
        }
    }

    // The statements.

    pub(crate) fn statement(&mut self, node: usize) {
        self.depth += 1;
        self.gave_up |= self.depth > DEEPEST;
        if self.state.is_some() && !self.gave_up {
            self.statement_regions.insert(node as u32, self.region);
            self.statement_here(node);
        }
        self.depth -= 1;
    }

    fn statement_here(&mut self, node: usize) {
        use NodeKind::*;
        let children = self.piece.children(node);
        match (self.piece.node(node).kind, &children[..]) {
            (If | Cif, [condition, rest @ ..]) => self.branch(node, *condition, rest),
            (While | Cwhile, [condition, body]) => self.rounds(node, [None, Some(*condition), None], *body),
            (Do | Cdo, [body, condition]) => self.rounds(node, [None, None, Some(*condition)], *body),
            (For | Cfor, _) => self.for_loop(node, &children),
            (Foreach | ForeachTiled, [dimensions @ .., body]) => self.foreach(node, dimensions, *body),
            (ForeachActive | ForeachUnique, [over @ .., body]) => self.each(node, over, *body),
            (Switch, [condition, body]) => self.switch(node, *condition, *body),
            (Case | Default, _) => self.case(node, &children),
            (Break | Continue | Return, _) => self.jump(node, &children),
            (Unmasked, [body]) => self.unmasked(node, *body),
            (Declaration, _) => children.iter().for_each(|child| self.declared(*child)),
            _ => children.iter().for_each(|child| self.part(*child)),
        }
    }

    /// A child of a statement: another statement, or an expression.
    pub(crate) fn part(&mut self, node: usize) {
        if self.types.types[node] == Ty::NONE && self.piece.node(node).kind != NodeKind::Args {
            self.statement(node);
        } else if self.state.is_some() {
            self.expression(node);
        }
    }

    fn declared(&mut self, node: usize) {
        let Some(entity) = declared_in(self.piece, node) else { return };
        let value_node = self.piece.children(node).get(1).copied();
        let is_init = self.piece.node(node).kind == NodeKind::InitDeclarator;
        let ty = self.layer.entity(entity).ty;
        let value = value_node.filter(|_| is_init).map(|value| match self.layer.kind(ty) {
            TypeKind::Reference(_) => self.address_only(value),
            _ => {
                let found = self.expression(value);
                self.converted(value, found, self.ty(value), ty)
            }
        });
        let Some(variable) = self.variables.index(entity) else { return };
        if self.variables.followed(entity).is_some() {
            match value {
                Some(value) => self.set(variable, node, value_node, value),
                None => {
                    if let Some(state) = &mut self.state {
                        state.held[variable].def = NO_DEF;
                        state.held[variable].value = LaneValue { everywhere: false, ..LaneValue::varying(u32::MAX) };
                    }
                    let region = self.region;
                    let definition = Definition { variable, value: None, node: node as u32, region, is_uniform: true };
                    self.definitions.insert(node as u32, definition);
                }
            }
        } else if let (Some(value), true) = (value, self.variables.all[variable].n_assigned == 0)
            && self.layer.is_uniform(ty)
        {
            self.bound.insert(entity, LaneValue { shape: LaneValue::UNIFORM.shape, everywhere: true, ..value });
        }
    }

    fn branch(&mut self, node: usize, condition: usize, rest: &[usize]) {
        let value = self.expression(condition);
        let parts = self.parting(node, &value, WhyVarying::OtherWays);
        self.control(node, condition, value, parts.is_some());
        let (outer, n_jumps) = (self.region, self.jumps.len());
        let before = self.state.clone();
        let (mut ways, n_spilled) = ([None, None], self.spilled.len());
        for (nth, kind) in [RegionKind::Branch, RegionKind::Else].into_iter().enumerate() {
            self.state = before.clone();
            if let Some(mut state) = self.state.take() {
                if parts.is_some() {
                    self.take_spilled(&mut state, n_spilled);
                }
                self.state = Some(state);
            }
            let because = Some(condition as u32);
            let region = parts.map(|_| self.regions.enter(kind, node as u32, because, outer));
            ways[nth] = match rest.get(nth) {
                Some(body) => self.way(region, |flow| flow.statement(*body)),
                None => self.state.take(),
            };
        }
        self.join(node, ways, parts);
        self.narrow(node, n_jumps, outer);
    }

    pub(crate) fn control(&mut self, node: usize, condition: usize, value: LaneValue, parts: bool) {
        let fact = ControlFact { node: node as u32, condition: condition as u32, value, parts };
        self.controls.insert(node as u32, fact);
    }

    /// The variability of a type at its outermost level.
    pub(crate) fn is_uniform_type(&self, ty: Ty) -> bool {
        matches!(self.layer.lanes(ty), Some(Lanes::Uniform)) || matches!(self.layer.kind(ty), TypeKind::Function(..))
    }
}
