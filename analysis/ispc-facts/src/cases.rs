//! `switch`.

use ispc::tree::NodeKind;
use ispc_types::source::Source;

use crate::flow::Flow;
use crate::mask::RegionKind;
use crate::state::{DefKind, Meeting, State, def};
use crate::why::WhyVarying;

impl Flow<'_> {
    pub(crate) fn switch(&mut self, node: usize, condition: usize, body: usize) {
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

    pub(crate) fn case(&mut self, node: usize, children: &[usize]) {
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
}
