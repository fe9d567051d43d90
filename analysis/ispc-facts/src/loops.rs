//! Loops that go on as long as a condition holds, and the jumps out of them.

use ispc::tree::NodeKind;
use ispc_types::source::Source;

use crate::flow::{DEEPEST_LOOP, Flow, JumpFrame, MOST_WALKS, TakenJump};
use crate::mask::RegionKind;
use crate::state::{DefKind, Meeting, State, def};
use crate::why::WhyVarying;

impl Flow<'_> {
    pub(crate) fn for_loop(&mut self, node: usize, children: &[usize]) {
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
    pub(crate) fn rounds(&mut self, node: usize, parts: [Option<usize>; 3], body: usize) {
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

    pub(crate) fn push_frame(&mut self, is_loop: bool, entry: State, switch_parts: Option<u32>) {
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
    pub(crate) fn take_continues(&mut self, node: usize) {
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

    pub(crate) fn jump(&mut self, node: usize, children: &[usize]) {
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
}
