//! Assignments to whole arrays and to parts of them, and those that one loop stores together.

use std::rc::Rc;

use ir::entities::{Op, Origin, Value};
use ir::program::Values;
use ir::types::Type;

use super::element::{Array, Bound, Kind, Subview};
use super::translate::{Made, Translator};
use super::{Accesses, Hazard, Way};
use crate::decision::{Decision, Said};
use ir::codes::ReasonCode;

/// An assignment that waits for the last one of its group.
pub(super) struct Pending {
    op: Op,
    place: Subview,
    array: Rc<Array>,
    /// The place at which the source names what is stored to.
    origin: Option<Origin>,
}

impl Translator<'_> {
    /// An assignment to a whole array, or a part of one.
    pub(super) fn assign(&mut self, op: Op) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        let target = self.array(data.operands[0]);
        let Kind::Stored(place) = &target.kind else { unreachable!("the plan stores an array that is assigned to") };
        self.target = target.origin.map(|origin| (place.view, origin));
        match self.bound(data.operands[1]) {
            Bound::Data(value) => {
                let n = self.dim(&target, 0)?;
                let mut filled = Bound::Data(value);
                for dim in (0..target.ty.rank()).rev() {
                    let size = if dim == 0 { n } else { self.dim(&target, dim.into())? };
                    let ty = Type::view(target.ty.elem().expect("cells are elements"), target.ty.rank() - dim);
                    filled = Bound::Array(Rc::new(Array { ty, kind: Kind::Replicate(size, filled), origin: None }));
                }
                let Bound::Array(filled) = filled else { return Ok(()) };
                self.build(std::slice::from_ref(place), &[filled], false)?;
            }
            Bound::Array(array) => {
                for dim in 0..usize::from(array.ty.rank()) {
                    let (own, other) = (self.dim(&target, dim)?, self.dim(&array, dim)?);
                    self.assert_equal(own, other);
                }
                let leader = self.plan.groups.leader(op);
                if self.plan.groups.members(leader).is_empty() {
                    return self.assign_array(op, place, &array);
                }
                self.pending.push(Pending { op, place: place.clone(), array, origin: target.origin });
                if op == leader {
                    self.together(op)?;
                }
            }
        }
        Ok(())
    }

    /// Stores an array, all of which is as it was before.
    pub(super) fn assign_array(&mut self, op: Op, place: &Subview, array: &Rc<Array>) -> Made<()> {
        if matches!(&array.kind, Kind::Stored(own) if own == place) {
            return Ok(());
        }
        let root = self.to.root(place.view);
        if !self.reads_memory(array, root) {
            self.build(std::slice::from_ref(place), std::slice::from_ref(array), false)?;
            return Ok(());
        }
        let (way, flow) = self.ways.get(&op).copied().unwrap_or((Way::InOrder, None));
        self.decide_way(way, flow);
        if way == Way::ByCopy {
            let copy = self.copied(array)?;
            self.build(std::slice::from_ref(place), &[copy], false)?;
            return Ok(());
        }
        let outer = self.accesses.take();
        self.accesses = Some(Accesses::default());
        let nest = self.build(std::slice::from_ref(place), std::slice::from_ref(array), way == Way::Backwards)?;
        let accesses = self.take_accesses(outer);
        let can_reverse = array.ty.rank() == 1;
        self.hazards.push(Hazard { assign: op, others: Vec::new(), nest, accesses, way, can_reverse });
        Ok(())
    }

    /// The accesses of the nest that was built last; those of one around it go on.
    fn take_accesses(&mut self, outer: Option<Accesses>) -> Accesses {
        let accesses = std::mem::replace(&mut self.accesses, outer).unwrap_or_default();
        if let Some(outer) = &mut self.accesses {
            let (position, reader) = (self.position, self.reader);
            outer.stores.extend(accesses.stores.keys().map(|&store| (store, position)));
            outer.loads.extend(accesses.loads.keys().map(|&load| (load, reader)));
        }
        accesses
    }

    /// Does the assignments of a group, of which this is the last.
    fn together(&mut self, leader: Op) -> Made<()> {
        let plan = self.plan;
        let pending = std::mem::take(&mut self.pending);
        let (members, others) = pending.into_iter().partition(|member| plan.groups.leader(member.op) == leader);
        let (members, others): (Vec<Pending>, Vec<Pending>) = (members, others);
        self.pending = others;
        let is_there = |member: &Pending| matches!(&member.array.kind, Kind::Stored(own) if *own == member.place);
        let (done, members): (Vec<_>, Vec<_>) = members.into_iter().partition(is_there);
        let Some(first) = members.first() else { return Ok(()) };
        let first_array = first.array.clone();
        for member in &members[1..] {
            for dim in 0..usize::from(first_array.ty.rank()) {
                let (one, other) = (self.dim(&first_array, dim)?, self.dim(&member.array, dim)?);
                if self.same(one) != self.same(other) {
                    self.done.refuted.together.extend(done.iter().chain(&members).map(|member| member.op));
                }
            }
        }
        self.say_together(&members);
        let roots: Vec<_> = members.iter().map(|member| self.to.root(member.place.view)).collect();
        let meets = |(position, &root): (usize, &Value)| {
            members.iter().any(|member| self.reads_memory(&member.array, root))
                || roots[..position].iter().any(|&other| self.to.may_overlap(other, root))
        };
        let is_hazard = roots.iter().enumerate().any(meets);
        let outer = self.accesses.take();
        let (position, reader, home) = (self.position, self.reader, self.home);
        self.accesses = Some(Accesses::default());
        let nest = self.build_together(&members)?;
        (self.position, self.reader, self.home) = (position, reader, home);
        let accesses = self.take_accesses(outer);
        if is_hazard {
            // Those that are in their place already count as well: without them one assignment alone would be left, for
            // which nothing else would be tried.
            let others = done.iter().chain(&members[1..]).map(|member| member.op).collect();
            self.hazards.push(Hazard { assign: leader, others, nest, accesses, way: Way::InOrder, can_reverse: false });
        }
        Ok(())
    }

    /// One nest that computes the elements of several arrays, and then stores them.
    fn build_together(&mut self, members: &[Pending]) -> Made<Op> {
        let from = self.from;
        let count = self.dim(&members[0].array, 0)?;
        let around = self.block;
        let (nest, index) = self.open_loop(count, false, &[]);
        let mut elements = Vec::new();
        for member in members {
            self.origin = from.ops[member.op].origin;
            self.home = Some(self.plan.place(member.op).0);
            self.reader = self.plan.place(member.op).1;
            elements.push(self.at(&member.array, index)?);
        }
        let mut rows = Vec::new();
        for (member, element) in members.iter().zip(elements) {
            self.origin = from.ops[member.op].origin;
            self.position = self.plan.place(member.op).1;
            self.target = member.origin.map(|origin| (member.place.view, origin));
            let mut place = member.place.clone();
            place.prefix.push(index);
            match element {
                Bound::Data(_) => self.store(&place, element)?,
                Bound::Array(array) => rows.push(Pending { op: member.op, place, array, origin: member.origin }),
            }
        }
        if !rows.is_empty() {
            self.build_together(&rows)?;
        }
        self.close_loop(around, Values::new());
        Ok(nest)
    }

    /// Records that one loop does several assignments.
    fn say_together(&mut self, members: &[Pending]) {
        let from = self.from;
        let place = |member: &Pending| Said::Place(member.origin.unwrap_or(from.ops[member.op].origin));
        for (number, member) in members.iter().enumerate() {
            let other = &members[if number == 0 { members.len() - 1 } else { 0 }];
            let because =
                vec!["one loop stores this and".into(), place(other), "since both are computed from one array".into()];
            self.decide(Decision::taken(from.ops[member.op].origin, ReasonCode::ArrayFused, because));
        }
    }

    /// Records how an assignment is done whose right side reads the array that it stores to.
    fn decide_way(&mut self, way: Way, flow: Option<(Origin, Origin)>) {
        let cells: Vec<Said> = match flow {
            Some((store, load)) => vec![
                "an iteration would read in".into(),
                Said::Place(load),
                "what an earlier one has written to".into(),
                Said::Place(store),
            ],
            None => vec!["an iteration might read what an earlier one has written".into()],
        };
        let with = |words: &'static str| [vec![Said::from(words)], cells.clone()].concat();
        let decision = match way {
            Way::InOrder => {
                let because = vec![
                    "it is stored while it is computed: no iteration reads what an earlier one has written".into(),
                ];
                Decision::taken(self.origin, ReasonCode::ArrayInPlace, because)
            }
            Way::Backwards => {
                let because = with("it is stored while it is computed, from the last cell to the first: the other way");
                Decision::taken(self.origin, ReasonCode::ArrayInPlace, because)
            }
            Way::ByCopy => {
                Decision::left(self.origin, ReasonCode::ArrayCopied, with("all of it is computed first, since"))
            }
        };
        self.decide(decision);
    }

    /// Records that an array is copied.
    pub(super) fn decide_copy(&mut self, because: &'static str) {
        self.decide(Decision::left(self.origin, ReasonCode::ArrayCopied, vec![because.into()]));
    }
}
