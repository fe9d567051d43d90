//! Writing a plan down: the blocks' loads or stores, and the permutations between them and the lanes.

use std::rc::Rc;

use super::access_group::AccessGroup;
use super::number::Forms;
use super::plan::{Block, Plan};
use super::touch::Touch;
use facts::Form;
use ir::builder::Builder;
use ir::entities::Value;
use ir::ops::Code;
use ir::program::{Attr, Values};
use ir::scalar::Scalar;
use ir::types::{CellType, Elem, Type};

/// Writes the loads or stores of one group.
pub(super) struct Writer<'a> {
    pub(super) b: &'a mut Builder,
    pub(super) forms: &'a Forms<'a>,
    pub(super) group: &'a AccessGroup,
    pub(super) plan: &'a Plan,
}

/// The place of a group's cells: the subscripts of a view, to the last of which the number of a cell is added.
struct Ground {
    view: Value,
    leading: Values,
    start: Form,
}

impl Writer<'_> {
    /// Adds the ops; gives what stands for the results of the members.
    pub(super) fn write(&mut self) -> Vec<(Value, Value)> {
        let place = self.b.kernel().ops[self.group.place()].origin;
        self.b.set_origin(place);
        let ground = self.ground();
        let blocks = self.plan.blocks.clone();
        if self.group.stores() {
            blocks.iter().for_each(|block| self.store(&ground, block));
            return Vec::new();
        }
        let loaded: Vec<Value> = blocks.iter().map(|block| self.load(&ground, block)).collect();
        (0..self.group.members.len()).map(|member| self.result(member, &loaded)).collect()
    }

    /// The view that the members have in common if they lie along its last dimension, and else the cells of the whole
    /// array one after the other.
    fn ground(&mut self) -> Ground {
        let first = &self.group.members[0];
        let behind = self.group.least() / self.group.bytes();
        let same = |other: &Rc<Touch>| match (&first.along, &other.along) {
            (Some(own), Some(others)) => own == others && first.elem == other.elem,
            _ => false,
        };
        if let Some(along) = first.along.clone().filter(|_| self.group.all().all(same)) {
            let start = along.start.add(&Form::constant(behind)).expect("a form that can be made");
            return Ground { view: along.view, leading: along.leading, start };
        }
        let cells = first.shared.divide_exactly(self.group.bytes()).expect("whole cells");
        let start = cells.add(&Form::constant(behind)).expect("a form that can be made");
        // A float does not keep the bits of a whole number that stands in its place: those of a NaN may change.
        let alike = self.group.all().all(|member| member.elem == first.elem);
        let elem = if alike { first.elem } else { first.elem.bits_of_same_size() };
        Ground { view: self.flat(first.root, elem), leading: Values::new(), start }
    }

    /// The cells of an array, one after the other.
    fn flat(&mut self, root: Value, elem: Elem) -> Value {
        match self.b.kernel().ty(root) {
            Type::View { item: CellType::Elem(own), rank: 1, .. } if own == elem => root,
            _ => self.b.op_with(Code::Flat, Attr::Elem(elem), &[root]),
        }
    }

    /// A view and the subscripts at which a block starts.
    fn at(&mut self, ground: &Ground, block: &Block) -> Values {
        let start = ground.start.add(&Form::constant(block.start as i128)).expect("a form that can be made");
        let start = self.forms.make(self.b, &start);
        std::iter::once(ground.view).chain(ground.leading.iter().copied()).chain([start]).collect()
    }

    fn load(&mut self, ground: &Ground, block: &Block) -> Value {
        let mut operands = self.at(ground, block);
        match self.mask(block) {
            Some(mask) => {
                operands.push(mask);
                self.b.op(Code::MaskedLoad, &operands)
            }
            None => self.b.op_with(Code::VectorLoad, Attr::Lanes(block.len as u16), &operands),
        }
    }

    /// Returns the mask of the cells of a block that may be touched, unless all of them may.
    fn mask(&mut self, block: &Block) -> Option<Value> {
        let full = self.plan.is_full(block);
        let Some(mask) = self.group.members[0].mask else {
            return (self.group.stores() && !full).then(|| self.constant_mask(block));
        };
        let nobody = usize::from(self.group.members[0].lanes);
        let of_cells: Vec<&[usize]> = self.plan.lanes_in(block).collect();
        // A cell that several lanes use is touched if one of them is active.
        let mut joined = None;
        for turn in 0..self.plan.lanes_at_once(block) {
            let lane_of = |lanes: &&[usize]| lanes.get(turn).or(lanes.first()).copied().unwrap_or(nobody);
            let picks: Vec<usize> = of_cells.iter().map(lane_of).collect();
            let mut sources = vec![mask];
            if !full {
                sources.push(self.all_lanes(Scalar::Bool(false), 1));
            }
            let picked = self.permute(&sources, &picks);
            joined = Some(match joined {
                None => picked,
                Some(joined) => self.b.op(Code::Or, &[joined, picked]),
            });
        }
        joined
    }

    fn constant_mask(&mut self, block: &Block) -> Value {
        let is_used: Vec<bool> = self.plan.users_in(block).map(|users| !users.is_empty()).collect();
        let bools: Vec<Value> = is_used.into_iter().map(|used| self.b.constant(Scalar::Bool(used))).collect();
        self.b.op(Code::Pack, &bools)
    }

    fn all_lanes(&mut self, scalar: Scalar, lanes: u16) -> Value {
        let scalar = self.b.constant(scalar);
        self.b.op_with(Code::Splat, Attr::Lanes(lanes), &[scalar])
    }

    /// The replacement of a member's result.
    fn result(&mut self, member: usize, loaded: &[Value]) -> (Value, Value) {
        let touch = &self.group.members[member];
        let data = &self.b.kernel().ops[touch.op];
        let (result, origin) = (data.results[0], data.origin);
        let outer = self.b.set_origin(origin);
        let cells = self.group.cells(touch);
        let len = self.plan.blocks[0].len;
        let picks: Vec<usize> =
            self.plan.places(&cells).into_iter().map(|(block, place)| block * len + place).collect();
        let mut value = self.permute(loaded, &picks);
        if self.b.kernel().ty(value).data_elem() != Some(touch.elem) {
            value = self.b.op_with(Code::Bitcast, Attr::Elem(touch.elem), &[value]);
        }
        // A lane that is off gets nothing, also where another one has its cell.
        if let Some(mask) = touch.mask.filter(|_| self.plan.is_shared(&cells)) {
            let nothing = self.b.constant(Scalar::zero(touch.elem));
            value = self.b.op(Code::Select, &[mask, value, nothing]);
        }
        self.b.set_origin(outer);
        (result, value)
    }

    fn store(&mut self, ground: &Ground, block: &Block) {
        let lanes = usize::from(self.group.members[0].lanes);
        let elem = self.b.kernel().ty(ground.view).elem().expect("a view of elements");
        let ops = &self.b.kernel().ops;
        let sources: Vec<Value> =
            self.group.all().map(|touch| touch.stored.unwrap_or_else(|| ops[touch.op].results[0])).collect();
        let users: Vec<Vec<(usize, usize)>> = self.plan.users_in(block).map(<[_]>::to_vec).collect();
        let mut members: Vec<usize> = users.iter().flatten().map(|(member, _)| *member).collect();
        members.sort_unstable();
        members.dedup();
        // If several lanes have one cell, the last one stores; a lane of the vector that is stored nowhere may hold anything.
        let last = users.iter().map(|users| users.iter().copied().max());
        let anything = last.clone().flatten().next().unwrap_or((0, 0));
        let place = |member: usize| members.iter().position(|known| *known == member).unwrap_or(0);
        let picks: Vec<usize> =
            last.map(|user| user.unwrap_or(anything)).map(|(member, lane)| place(member) * lanes + lane).collect();
        let sources: Vec<Value> = members.iter().map(|&member| self.as_stored(sources[member], elem)).collect();
        let value = self.permute(&sources, &picks);
        let mut operands = self.at(ground, block);
        operands.push(value);
        let mask = self.mask(block);
        operands.extend(mask);
        let code = if mask.is_some() { Code::MaskedStore } else { Code::VectorStore };
        self.b.push(code, Attr::None, &operands);
    }

    /// Returns the stored value as a vector of the type of the cells.
    fn as_stored(&mut self, value: Value, elem: Elem) -> Value {
        let ty = self.b.kernel().ty(value);
        let value = match ty.data_elem() == Some(elem) {
            true => value,
            false => self.b.op_with(Code::Bitcast, Attr::Elem(elem), &[value]),
        };
        match ty.lanes() {
            Some(_) => value,
            None => self.b.op_with(Code::Splat, Attr::Lanes(self.group.members[0].lanes), &[value]),
        }
    }

    /// Lanes picked by number out of those of some values side by side, of which those that give none are left out.
    fn permute(&mut self, sources: &[Value], picks: &[usize]) -> Value {
        let mut kept = Vec::new();
        let mut new_place = Vec::new();
        let (mut old_start, mut new_start) = (0, 0);
        for &source in sources {
            let lanes = usize::from(self.b.kernel().ty(source).lanes().unwrap_or(1));
            let is_used = picks.iter().any(|pick| (old_start..old_start + lanes).contains(pick));
            new_place.extend((0..lanes).map(|lane| new_start + lane));
            old_start += lanes;
            if is_used {
                kept.push(source);
                new_start += lanes;
            }
        }
        let picks: Vec<usize> = picks.iter().map(|&pick| new_place[pick]).collect();
        let same_lanes = kept.len() == 1 && new_start == picks.len();
        if same_lanes && picks.iter().enumerate().all(|(lane, pick)| *pick == lane) {
            return kept[0];
        }
        if same_lanes && picks.iter().rev().enumerate().all(|(lane, pick)| *pick == lane) {
            return self.b.op(Code::Reverse, &kept);
        }
        let pattern = picks.into_iter().map(|pick| pick as u16).collect();
        self.b.op_with(Code::Permute, Attr::Pattern(pattern), &kept)
    }
}
