//! `foreach` and its like, and `unmasked`: statements in which other lanes run than those that came to them.

use ispc::tree::NodeKind;
use ispc_types::source::Source;

use crate::flow::{DEEPEST_LOOP, Flow, MOST_WALKS};
use crate::mask::RegionKind;
use crate::shape::LaneValue;
use crate::state::{DefKind, Held, Meeting, State, def};
use crate::why::WhyVarying;

impl Flow<'_> {
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

    pub(crate) fn foreach(&mut self, node: usize, dimensions: &[usize], body: usize) {
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

    pub(crate) fn each(&mut self, node: usize, over: &[usize], body: usize) {
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

    pub(crate) fn unmasked(&mut self, node: usize, body: usize) {
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
}
