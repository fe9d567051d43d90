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
const DEEPEST_LOOP: u32 = 5;
/// The deepest that expressions and statements are walked.
pub(crate) const DEEPEST: u32 = 180;
/// After so many walks through a loop, whatever it sets is varying.
const MOST_WALKS: u32 = 8;

/// A statement that jumps lead out of, or to the next round of.
pub(crate) struct JumpFrame {
    /// It has rounds: `continue` leads to the next one.
    pub(crate) is_loop: bool,
    /// The region of its body.
    pub(crate) region: u32,
    pub(crate) breaks: Vec<State>,
    pub(crate) continues: Vec<State>,
    /// The node that tells why lanes part, if some jump and others do not.
    pub(crate) break_parts: Option<u32>,
    pub(crate) continue_parts: Option<u32>,
    /// The state in front, for the cases of a `switch`.
    entry: State,
    /// The node of a `switch` over what differs.
    switch_parts: Option<u32>,
    n_spilled: usize,
}

/// A jump that lanes have taken: where it is, the region that it was taken in, and the frame that it leads out of.
#[derive(Clone, Copy)]
struct TakenJump {
    node: u32,
    region: u32,
    frame: Option<usize>,
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
    frames: Vec<JumpFrame>,
    jumps: Vec<TakenJump>,
    /// The variables that were set for lanes which did not come there: by `foreach` and `unmasked`.
    spilled: Vec<(usize, u32)>,
    loop_depth: u32,
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
    fn forget_inside(&mut self, node: usize) {
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
    fn narrow(&mut self, node: usize, n_jumps: usize, outer: u32) {
        let n_frames = self.frames.len();
        let leaves = |jump: &&TakenJump| jump.frame.is_none_or(|frame| frame < n_frames) && jump.region != outer;
        let left = self.jumps[n_jumps..].iter().rfind(leaves).copied();
        self.region = outer;
        if let Some(jump) = left {
            self.region = self.regions.enter(RegionKind::Left, node as u32, Some(jump.node), outer);
        }
    }

    /// The node that tells the story of lanes that part at a condition, if they do.
    fn parting(&mut self, node: usize, value: &LaneValue, why: WhyVarying) -> Option<u32> {
        (!value.is_uniform()).then(|| self.tell(node, why, value.cause))
    }

    /// Notes which variables all lanes have set, those that did not come here among them.
    fn spill(&mut self, node: usize, entry: &State) {
        let Some(state) = &self.state else { return };
        let pairs = state.held.iter().zip(&entry.held).enumerate();
        self.spilled
            .extend(pairs.filter(|(_, (now, then))| now.def != then.def).map(|(index, _)| (index, node as u32)));
    }

    /// Forgets what others have set in the meantime for the lanes that wait.
    fn take_spilled(&self, state: &mut State, since: usize) {
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
    fn part(&mut self, node: usize) {
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

    fn control(&mut self, node: usize, condition: usize, value: LaneValue, parts: bool) {
        let fact = ControlFact { node: node as u32, condition: condition as u32, value, parts };
        self.controls.insert(node as u32, fact);
    }

    fn for_loop(&mut self, node: usize, children: &[usize]) {
        let mut rest = children.iter().copied().peekable();
        let mut token = self.piece.node(node).first + 2;
        let mut part = |flow: &Self, token: &mut u32, ends: ispc::kinds::Kind| {
            let child =
                rest.next_if(|child| flow.piece.node(*child).first == *token && flow.piece.kind(*token) != ends);
            if let Some(child) = child {
                *token = flow.piece.node(child).end;
            }
            if flow.piece.kind(*token) == ends {
                *token += 1;
            }
            child
        };
        let init = part(self, &mut token, ispc::kinds::Kind::Semicolon);
        let condition = part(self, &mut token, ispc::kinds::Kind::Semicolon);
        let step = part(self, &mut token, ispc::kinds::Kind::RParen);
        let Some(body) = children.last().copied() else { return };
        if let Some(init) = init {
            self.part(init);
        }
        if self.state.is_some() {
            self.rounds(node, [step, condition, None], body);
        }
    }

    /// A loop: a step behind each round, a condition in front of a round, or one behind it.
    fn rounds(&mut self, node: usize, parts: [Option<usize>; 3], body: usize) {
        let [step, before, behind] = parts;
        let Some(entry) = self.state.clone() else { return };
        let (outer, n_jumps) = (self.region, self.jumps.len());
        let (mut parting, mut narrowed): (Option<u32>, Option<u32>) = (None, None);
        let mut head = entry.clone();
        self.loop_depth += 1;
        let mut n_walks = 0;
        let exits = loop {
            n_walks += 1;
            let is_last = self.loop_depth > DEEPEST_LOOP || n_walks > MOST_WALKS;
            self.jumps.truncate(n_jumps);
            self.state = Some(head.clone());
            if is_last {
                self.forget_inside(node);
                parting = Some(self.tell(node, WhyVarying::OtherRounds, None));
            }
            self.region = match (parting, narrowed) {
                (None, None) => outer,
                (None, Some(jump)) => self.regions.enter(RegionKind::Left, node as u32, Some(jump), outer),
                _ => {
                    let condition = before.or(behind).map(|condition| condition as u32);
                    self.regions.enter(RegionKind::Loop, node as u32, condition, outer)
                }
            };
            self.push_frame(true, entry.clone(), None);
            let mut exits = Vec::new();
            let mut found = None;
            if let Some(condition) = before {
                let value = self.expression(condition);
                found = Some((condition, value));
                exits.extend(self.state.clone());
            }
            self.statement(body);
            self.take_continues(node);
            self.region = self.frames.last().map_or(outer, |frame| frame.region);
            if let Some(step) = step.filter(|_| self.state.is_some()) {
                self.expression(step);
            }
            if let Some(condition) = behind.filter(|_| self.state.is_some()) {
                let value = self.expression(condition);
                found = Some((condition, value));
                exits.extend(self.state.clone());
            }
            let back = self.state.take();
            let frame = self.frames.pop().expect("the loop's own");
            self.region = outer;
            let parts_here = found.filter(|(_, value)| !value.is_uniform()).map(|(_, value)| value.cause);
            let now_parts = match parts_here.or(frame.break_parts.map(Some)) {
                Some(next) => Some(self.tell(node, WhyVarying::OtherRounds, next)),
                None => parting,
            };
            let n_frames = self.frames.len();
            let leaves = |jump: &&TakenJump| jump.frame.is_none_or(|frame| frame < n_frames) && jump.region != outer;
            let now_narrowed = self.jumps[n_jumps..].iter().rfind(leaves).map(|jump| jump.node).or(narrowed);
            let in_front = def(node, DefKind::InFront);
            let next = match &back {
                Some(back) => head.meet(&entry.meet(back, Meeting::Together, in_front), Meeting::Together, in_front),
                None => head.clone(),
            };
            if let Some((condition, value)) = found {
                self.control(node, condition, value, now_parts.is_some());
            }
            let is_done = next.is_like(&head) && now_parts.is_some() == parting.is_some();
            if is_last || (is_done && now_narrowed.is_some() == narrowed.is_some()) {
                exits.extend(frame.breaks);
                break exits;
            }
            (head, parting, narrowed) = (next, now_parts, now_narrowed);
        };
        self.loop_depth -= 1;
        let mut exits = exits.into_iter();
        self.state = exits.next().map(|first| {
            exits.fold(first, |one, other| one.meet(&other, Meeting::Together, def(node, DefKind::Behind)))
        });
        if let (Some(cause), Some(state)) = (parting, &mut self.state) {
            state.leave(&entry, cause);
        }
        self.narrow(node, n_jumps, outer);
    }

    fn push_frame(&mut self, is_loop: bool, entry: State, switch_parts: Option<u32>) {
        self.frames.push(JumpFrame {
            is_loop,
            region: self.region,
            breaks: Vec::new(),
            continues: Vec::new(),
            break_parts: None,
            continue_parts: None,
            entry,
            switch_parts,
            n_spilled: self.spilled.len(),
        });
    }

    /// The lanes that have gone on to the next round come back at the end of this one.
    fn take_continues(&mut self, node: usize) {
        let Some(frame) = self.frames.last_mut() else { return };
        let (continues, parts) = (std::mem::take(&mut frame.continues), frame.continue_parts);
        let meeting = parts.map_or(Meeting::Together, Meeting::Apart);
        let def = def(node, DefKind::Continued);
        for state in continues {
            self.state = Some(match self.state.take() {
                Some(own) => own.meet(&state, meeting, def),
                None => state,
            });
        }
    }

    fn jump(&mut self, node: usize, children: &[usize]) {
        children.iter().for_each(|child| self.part(*child));
        let kind = self.piece.node(node).kind;
        let of_loops = kind == NodeKind::Continue;
        let frame = match kind {
            NodeKind::Return => None,
            _ => self.frames.iter().rposition(|frame| frame.is_loop || !of_loops),
        };
        self.jumps.push(TakenJump { node: node as u32, region: self.region, frame });
        if self.variables.jumps_about {
            return;
        }
        let Some(state) = self.state.take() else { return };
        let Some(index) = frame else { return };
        // Some lanes jump and others stay if a region is between: its own story tells why.
        let is_apart = self.region != self.frames[index].region;
        let because = self.regions.get(self.region).node;
        let frame = &mut self.frames[index];
        let (states, parts) = match of_loops {
            true => (&mut frame.continues, &mut frame.continue_parts),
            false => (&mut frame.breaks, &mut frame.break_parts),
        };
        states.push(state);
        if is_apart {
            *parts = Some(because);
        }
    }

    fn switch(&mut self, node: usize, condition: usize, body: usize) {
        let value = self.expression(condition);
        let parts = self.parting(node, &value, WhyVarying::OtherWays);
        self.control(node, condition, value, parts.is_some());
        let Some(entry) = self.state.clone() else { return };
        let (outer, n_jumps) = (self.region, self.jumps.len());
        if parts.is_some() {
            self.region = self.regions.enter(RegionKind::Switch, node as u32, Some(condition as u32), outer);
        }
        self.push_frame(false, entry.clone(), parts);
        // Nobody comes to the statements in front of the first case.
        self.state = None;
        self.cases(body);
        let last = self.state.take();
        let frame = self.frames.pop().expect("the switch's own");
        self.region = outer;
        let parts = parts.or(frame.break_parts);
        let has_default = self.piece.children(body).iter().any(|child| self.has_default(*child));
        let mut all: Vec<State> = frame.breaks.into_iter().chain(last).collect();
        if !has_default || all.is_empty() {
            all.push(entry.clone());
        }
        let behind = def(node, DefKind::Behind);
        let mut all = all.into_iter();
        self.state = all.next().map(|first| all.fold(first, |one, other| one.meet(&other, Meeting::Together, behind)));
        if let (Some(cause), Some(state)) = (parts, &mut self.state) {
            let cause = if self.steps.contains_key(&cause) { cause } else { node as u32 };
            state.leave(&entry, cause);
        }
        self.narrow(node, n_jumps, outer);
    }

    fn has_default(&self, mut node: usize) -> bool {
        loop {
            let kind = self.piece.node(node).kind;
            match kind {
                NodeKind::Default => return true,
                NodeKind::Case => match self.piece.children(node).last() {
                    Some(last) => node = *last,
                    None => return false,
                },
                _ => return false,
            }
        }
    }

    fn cases(&mut self, body: usize) {
        let kind = self.piece.node(body).kind;
        if kind != NodeKind::Block {
            return self.case_part(body);
        }
        for child in self.piece.children(body) {
            self.case_part(child);
        }
    }

    fn case_part(&mut self, node: usize) {
        if matches!(self.piece.node(node).kind, NodeKind::Case | NodeKind::Default) {
            self.statement_regions.insert(node as u32, self.region);
            self.case(node, &self.piece.children(node));
        } else {
            self.statement(node);
        }
    }

    fn case(&mut self, node: usize, children: &[usize]) {
        let Some(frame) = self.frames.iter().rfind(|frame| !frame.is_loop) else { return };
        let meeting = frame.switch_parts.map_or(Meeting::Together, Meeting::Apart);
        let (mut entry, region, has_breaks) = (frame.entry.clone(), frame.region, frame.break_parts.is_some());
        self.take_spilled(&mut entry, frame.n_spilled);
        self.region = region;
        if frame.switch_parts.is_some() {
            // Each case is run by other lanes.
            self.region = self.regions.enter(RegionKind::Switch, node as u32, None, region);
        } else if has_breaks && self.state.is_some() {
            self.region = self.regions.enter(RegionKind::Left, node as u32, None, region);
        }
        self.state = Some(match self.state.take() {
            Some(own) => own.meet(&entry, meeting, def(node, DefKind::InFront)),
            None => entry,
        });
        let is_case = self.piece.node(node).kind == NodeKind::Case;
        for child in children.iter().skip(usize::from(is_case)) {
            self.case_part(*child);
        }
    }

    /// The variables whose values may not be known for lanes that come to run here.
    fn with_other_lanes(&mut self, node: usize) -> Option<State> {
        let cause = self.tell(node, WhyVarying::OtherLanes, None);
        let before = self.state.clone()?;
        let mut inside = before.clone();
        for held in inside.held.iter_mut().filter(|held| !held.value.everywhere) {
            *held = Held {
                def: def(node, DefKind::OtherLanes),
                value: LaneValue { everywhere: false, ..LaneValue::varying(cause) },
            };
        }
        self.state = Some(inside);
        Some(before)
    }

    fn foreach(&mut self, node: usize, dimensions: &[usize], body: usize) {
        let mut indices = Vec::new();
        for dimension in dimensions {
            let ends = self.piece.children(*dimension);
            let values: Vec<LaneValue> = ends.iter().map(|end| self.expression(*end)).collect();
            let entity = self.piece.declared(self.piece.node(*dimension).first);
            let is_nonneg = values.first().is_some_and(|start| start.is_nonneg);
            indices.extend(entity.map(|entity| (entity, *dimension, is_nonneg)));
        }
        let is_tiled = self.piece.node(node).kind == NodeKind::ForeachTiled && dimensions.len() > 1;
        let last = indices.len().saturating_sub(1);
        for (nth, (entity, dimension, is_nonneg)) in indices.into_iter().enumerate() {
            let value = match () {
                _ if is_tiled => {
                    let cause = self.tell(dimension, WhyVarying::TiledIndex, None);
                    LaneValue { is_nonneg, ..LaneValue::varying(cause) }
                }
                _ if nth == last => {
                    let cause = self.tell(dimension, WhyVarying::ForeachIndex, None);
                    LaneValue::linear(1, is_nonneg, cause)
                }
                _ => LaneValue { is_nonneg, ..LaneValue::UNIFORM },
            };
            self.bound.insert(entity, LaneValue { everywhere: false, ..value });
        }
        self.each_round(node, RegionKind::Foreach, body);
    }

    fn each(&mut self, node: usize, over: &[usize], body: usize) {
        for over in over {
            let value = self.expression(*over);
            self.control(node, *over, value, true);
        }
        self.each_round(node, RegionKind::Each, body);
    }

    /// The rounds of a `foreach`, each of which may have other lanes.
    fn each_round(&mut self, node: usize, kind: RegionKind, body: usize) {
        let is_foreach = kind == RegionKind::Foreach;
        let Some(entry) = self.state.clone() else { return };
        let (outer, n_jumps) = (self.region, self.jumps.len());
        let cause = match is_foreach {
            true => self.tell(node, WhyVarying::OtherLanes, None),
            false => self.tell(node, WhyVarying::OtherRounds, None),
        };
        let region = self.regions.enter(kind, node as u32, None, outer);
        if is_foreach {
            self.with_other_lanes(node);
        }
        let mut head = self.state.clone().unwrap_or_else(|| entry.clone());
        let first = head.clone();
        self.loop_depth += 1;
        let mut n_walks = 0;
        let in_front = def(node, DefKind::InFront);
        loop {
            n_walks += 1;
            let is_last = self.loop_depth > DEEPEST_LOOP || n_walks > MOST_WALKS;
            self.jumps.truncate(n_jumps);
            self.state = Some(head.clone());
            if is_last {
                self.forget_inside(node);
                self.tell(node, WhyVarying::OtherLanes, None);
            }
            self.region = region;
            self.push_frame(true, entry.clone(), None);
            self.statement(body);
            self.take_continues(node);
            let frame = self.frames.pop().expect("the loop's own");
            self.region = outer;
            let mut ends: Vec<State> = self.state.take().into_iter().chain(frame.breaks).collect();
            // From group to group other lanes run, so what one has set may differ in the next.
            ends.iter_mut().for_each(|end| end.leave(&first, cause));
            let next = ends.iter().fold(head.clone(), |one, other| one.meet(other, Meeting::Together, in_front));
            if is_last || next.is_like(&head) {
                break;
            }
            head = next;
        }
        self.loop_depth -= 1;
        // What has not been set inside is what it was in front.
        let mut behind = head;
        for (held, (first, entry)) in behind.held.iter_mut().zip(first.held.iter().zip(&entry.held)) {
            if held.def == first.def {
                *held = *entry;
            } else {
                *held = Held { def: def(node, DefKind::Behind), value: LaneValue::varying(cause) };
                held.value.everywhere = false;
            }
        }
        self.state = Some(behind);
        if is_foreach {
            self.spill(node, &entry);
        }
        self.narrow(node, n_jumps, outer);
    }

    fn unmasked(&mut self, node: usize, body: usize) {
        let (outer, n_jumps) = (self.region, self.jumps.len());
        let Some(before) = self.with_other_lanes(node) else { return };
        let inside = self.state.clone().unwrap_or_else(|| before.clone());
        let region = self.regions.enter(RegionKind::Unmasked, node as u32, None, outer);
        self.state = self.way(Some(region), |flow| flow.statement(body));
        if let Some(state) = &mut self.state {
            for (held, (inside, before)) in state.held.iter_mut().zip(inside.held.iter().zip(&before.held)) {
                if held.def == inside.def {
                    *held = *before;
                }
            }
        }
        self.spill(node, &before);
        self.narrow(node, n_jumps, outer);
    }

    /// The variability of a type at its outermost level.
    pub(crate) fn is_uniform_type(&self, ty: Ty) -> bool {
        matches!(self.layer.lanes(ty), Some(Lanes::Uniform)) || matches!(self.layer.kind(ty), TypeKind::Function(..))
    }
}
