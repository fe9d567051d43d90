//! Arrays that branches give and that loops carry.

use std::rc::Rc;

use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, Values};
use ir::types::{Elem, Type};
use ir::uses::Use;

use super::ArrayRefusal;
use super::element::{Array, Bound, Kind, Subview};
use super::plan::Fate;
use super::translate::{Made, Scope, Translator};

/// The memory of an array that a loop carries.
#[derive(Clone)]
pub(super) enum Cell {
    /// Each iteration changes it.
    Changed(Rc<Array>),
    /// Two halves of memory: each iteration builds the next array, of this type, in the half that it does not start with.
    DoubleBuffer(Value, Type),
}

impl Cell {
    /// The array, in the half whose number this is.
    pub(super) fn array(&self, turn: Option<Value>) -> Rc<Array> {
        match (self, turn) {
            (Cell::DoubleBuffer(view, ty), Some(turn)) => {
                let place = Subview { view: *view, prefix: vec![turn] };
                Rc::new(Array { ty: *ty, kind: Kind::Stored(place), origin: None })
            }
            (Cell::Changed(array), _) => array.clone(),
            (Cell::DoubleBuffer(..), None) => panic!("halves have numbers"),
        }
    }

    pub(super) fn is_double_buffered(&self) -> bool {
        matches!(self, Cell::DoubleBuffer(..))
    }
}

impl Translator<'_> {
    /// The memory of an array that a loop carries, with what it starts with.
    pub(super) fn cell(&mut self, op: Op, number: usize, init: Value, array: &Rc<Array>) -> Made<Cell> {
        if !self.is_double_buffered(op, number) {
            return self.kept(op, init, array).map(Cell::Changed);
        }
        let view = match self.begun.remove(&(op, number)) {
            Some(view) => view,
            None => {
                self.decide_copy("the loop starts with a copy of it, in memory of its own");
                let mut sizes = Vec::new();
                for dim in 0..usize::from(array.ty.rank()) {
                    sizes.push(self.dim(array, dim)?);
                }
                let view = self.two_halves(array.ty, &sizes);
                let place = Subview { view, prefix: vec![self.i64(0)] };
                self.build(&[place], std::slice::from_ref(array), false)?;
                view
            }
        };
        Ok(Cell::DoubleBuffer(view, array.ty))
    }

    /// A memory for two arrays of one type and of these sizes.
    pub(super) fn two_halves(&mut self, ty: Type, sizes: &[Value]) -> Value {
        let elem = ty.elem().expect("a new array has elements");
        let two = self.i64(2);
        let new = self.new_array(Type::view(elem, ty.rank() + 1), &[&[two], sizes].concat());
        let view = new.whole().expect("a new array is whole");
        self.double_buffers.insert(view);
        view
    }

    /// Says whether a loop double-buffers an array: one that each iteration makes anew, and not in the place of what it
    /// was before.
    fn is_double_buffered(&self, op: Op, number: usize) -> bool {
        let from = self.from;
        let Some(&region) = from.ops[op].regions.last() else { return false };
        let Some(&yielded) = from.regions[region].yields.get(number) else { return false };
        let Some(maker) = from.def_op(yielded).filter(|&maker| self.plan.place(maker).0 == region) else {
            return false;
        };
        from.ty(yielded).is_view()
            && from.ty(yielded).elem().is_some()
            && match self.plan.fates.get(&maker) {
                Some(fate) => *fate != Fate::Delayed,
                None => from.ops[maker].code == Code::If,
            }
    }

    /// The loop that starts with an array which it double-buffers, and its number there, if nothing uses it otherwise from there on.
    pub(super) fn carrier(&self, maker: Op, array: Value) -> Option<(Op, usize)> {
        let from = self.from;
        let mut carriers = self.plan.uses.users(array).iter().filter_map(|user| match *user {
            Use::Operand(op, number) if matches!(from.ops[op].code, Code::For | Code::While | Code::Reduce) => {
                Some((op, number.checked_sub(from.n_head_operands(op))?))
            }
            _ => None,
        });
        let (op, number) = carriers.next()?;
        let is_only = carriers.next().is_none() && self.plan.place(op).0 == self.plan.place(maker).0;
        let is_carried = is_only && self.is_double_buffered(op, number) && self.plan.ends_with(from, array, op);
        is_carried.then_some((op, number))
    }

    /// The number of the half that an iteration builds what it carries in, which is wanted there.
    pub(super) fn other_half(&mut self, op: Op, turn: Value, cells: &[(usize, Cell)]) -> Value {
        let one = self.i64(1);
        let next = self.pure(Code::Sub, Attr::None, &[one, turn]);
        let from = self.from;
        let region = *from.ops[op].regions.last().expect("a loop has a block");
        for (number, cell) in cells {
            if let Cell::DoubleBuffer(view, _) = cell {
                let place = Subview { view: *view, prefix: vec![next] };
                self.wanted.insert(from.regions[region].yields[*number], place);
            }
        }
        next
    }

    /// Gives the cells of a loop their arrays for the next iteration.
    pub(super) fn next_arrays(&mut self, op: Op, next: Option<Value>, updates: Vec<(Cell, Rc<Array>)>) -> Made<()> {
        let mut changed = Vec::new();
        for (cell, array) in updates {
            let own = cell.array(next);
            let Kind::Stored(place) = &own.kind else { unreachable!("what a loop carries is kept in memory") };
            if !cell.is_double_buffered() {
                changed.push((own, array));
            } else if !matches!(&array.kind, Kind::Stored(own) if own == place) {
                self.decide_copy("each iteration's array is copied to where the loop carries it");
                self.check_row(place, &array)?;
                self.build(std::slice::from_ref(place), &[array], false)?;
            }
        }
        self.update_all(op, &changed)
    }

    /// An array in memory that a loop may change: the one that it starts with, or a copy of that.
    pub(super) fn kept(&mut self, op: Op, init: Value, array: &Rc<Array>) -> Made<Rc<Array>> {
        let from = self.from;
        let is_new = from.def_op(init).is_some_and(|maker| match self.plan.fates.get(&maker) {
            Some(fate) => *fate != Fate::Delayed && self.plan.place(maker).0 == self.plan.place(op).0,
            None => false,
        });
        // Its own memory, if nothing else uses that from here on.
        if is_new && !self.is_carried_twice(op, init) && self.plan.ends_with(from, init, op) {
            return Ok(array.clone());
        }
        self.decide_copy(match is_new {
            true => "the loop changes it, and what it was before the loop is used elsewhere, too",
            false => {
                "the loop changes it, and it was not made for the loop: it is the caller's, or a part of another array"
            }
        });
        self.copied(array)
    }

    /// Says whether a loop starts with an array for more than one of the values that it carries.
    fn is_carried_twice(&self, op: Op, init: Value) -> bool {
        self.from.ops[op].operands.iter().filter(|&&operand| operand == init).count() > 1
    }

    /// Gives arrays that a loop carries their values for the next iteration, all at once.
    pub(super) fn update_all(&mut self, op: Op, updates: &[(Rc<Array>, Rc<Array>)]) -> Made<()> {
        let mut pending = Vec::new();
        for (cell, array) in updates {
            let Kind::Stored(place) = &cell.kind else { unreachable!("what a loop carries is kept in memory") };
            let root = self.to.root(place.view);
            let others = updates.iter().filter(|(other, _)| !Rc::ptr_eq(other, cell));
            let is_read = others.clone().any(|(_, other)| self.reads_memory(other, root));
            let reads_others = others.clone().any(|(other, _)| match &other.kind {
                Kind::Stored(place) => self.reads_memory(array, self.to.root(place.view)),
                _ => true,
            });
            let crosses = is_read || reads_others;
            if crosses && !matches!(array.kind, Kind::Stored(_)) && self.from.ops[op].code != Code::Scan {
                self.done.refuted.in_place.insert(op);
            }
            if crosses {
                self.decide_copy("the loop carries several arrays, and one is computed from another");
            } else if matches!(&array.kind, Kind::Stored(own) if own != place) {
                self.decide_copy("each iteration's array is copied to where the loop carries it");
            }
            let array = if crosses { self.copied(array)? } else { array.clone() };
            pending.push((place.clone(), array));
        }
        for (place, array) in pending {
            self.assign_array(op, &place, &array)?;
        }
        Ok(())
    }

    /// A branch that gives arrays: each side builds its own in a place that both have.
    pub(super) fn choice(&mut self, op: Op) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        if self.plan.shows_copies(from, op) {
            return Err(ArrayRefusal::WrittenChoice);
        }
        let condition = self.data(data.operands[0]);
        let mut places: Vec<Option<Subview>> = Vec::new();
        for (number, &result) in data.results.iter().enumerate() {
            let ty = from.ty(result);
            if !ty.is_view() {
                places.push(None);
                continue;
            }
            let wanted = match self.wanted.remove(&result) {
                Some(place) => Some(place),
                None => self.taken_place(op, result),
            };
            if wanted.is_some() {
                places.push(wanted);
                continue;
            }
            // One that stands for an array that is never seen has no cells.
            let sides = data.regions.iter().map(|&region| from.regions[region].yields[number]);
            let sides: Vec<Value> = sides.collect();
            let known = sides.iter().copied().filter(|&side| !self.is_nothing(side)).collect::<Vec<_>>();
            let mut sizes = Vec::new();
            for dim in 0..usize::from(ty.rank()) {
                let own: Option<Vec<_>> = known.iter().map(|&side| self.old_dim(side, dim)).collect();
                sizes.push(match own.ok_or(ArrayRefusal::LateSize)?[..] {
                    // Each side has its own size.
                    [a, b] if a != b => self.pure(Code::Select, Attr::None, &[condition, a, b]),
                    [size, ..] => size,
                    [] => self.i64(0),
                });
            }
            let new = self.new_array(ty, &sizes);
            let Kind::Stored(place) = new.kind else { unreachable!("a new array is stored") };
            self.name(place.view, result);
            places.push(Some(place));
        }
        let scalars: Vec<usize> = (0..places.len()).filter(|&number| places[number].is_none()).collect();
        let types: Vec<Type> = scalars.iter().map(|&number| from.ty(data.results[number])).collect();
        let new = self.to.add_op(Code::If, data.attr.clone(), [condition].into_iter().collect(), &types, self.origin);
        self.to.regions[self.block].ops.push(new);
        let (around, outside) = (self.block, self.scope.clone());
        for &region in &data.regions {
            self.scope = Scope::inside(&outside);
            let block = self.open_block(new);
            self.done.regions.entry(region).or_insert(block);
            for (&yielded, place) in from.regions[region].yields.iter().zip(&places) {
                let is_own = from
                    .def_op(yielded)
                    .is_some_and(|maker| self.plan.fates.contains_key(&maker) && self.plan.place(maker).0 == region);
                if let (true, Some(place)) = (is_own, place) {
                    self.wanted.insert(yielded, place.clone());
                }
            }
            self.ops(region);
            let mut yields = Values::new();
            for (&yielded, place) in from.regions[region].yields.iter().zip(&places) {
                match (self.bound(yielded), place) {
                    (Bound::Data(value), _) => yields.push(value),
                    (Bound::Array(array), Some(place)) if !self.is_nothing(yielded) => {
                        let is_there = matches!(&array.kind, Kind::Stored(own) if own == place);
                        if !is_there {
                            self.check_row(place, &array)?;
                            self.build(std::slice::from_ref(place), &[array], false)?;
                        }
                    }
                    _ => {}
                }
            }
            self.close_block(around, yields);
        }
        self.scope = outside;
        for (number, &result) in data.results.iter().enumerate() {
            let bound = match &places[number] {
                Some(place) => {
                    let ty = from.ty(result);
                    Bound::Array(Rc::new(Array { ty, kind: Kind::Stored(place.clone()), origin: None }))
                }
                None => {
                    let position = scalars.iter().position(|&scalar| scalar == number).expect("it is a scalar");
                    let value = self.to.ops[new].results[position];
                    self.to.values[value].name = from.values[result].name.clone();
                    Bound::Data(value)
                }
            };
            self.bind(result, bound);
        }
        Ok(())
    }

    /// Says whether an old value is an array without cells that stands for one that is never seen.
    pub(super) fn is_nothing(&self, old: Value) -> bool {
        let from = self.from;
        let Def::Result(op, number) = from.values[old].def else { return false };
        let data = &from.ops[op];
        if data.code == Code::If {
            let mut sides = data.regions.iter().map(|&region| from.regions[region].yields[number as usize]);
            return sides.all(|side| self.is_nothing(side));
        }
        let none = |&size: &Value| from.as_const(size).and_then(ir::scalar::Scalar::wide) == Some(0);
        data.code == Code::Temp && data.operands.iter().all(none)
    }

    /// A loop that carries arrays: each is in memory of its own, which every iteration changes, or is double-buffered.
    pub(super) fn carrying(&mut self, op: Op) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        if self.plan.shows_copies(from, op) {
            return Err(ArrayRefusal::WrittenChoice);
        }
        self.keep_place();
        let first = from.n_head_operands(op);
        let n_ranges = from.n_ranges(op);
        let mut cells: Vec<(usize, Cell)> = Vec::new();
        let mut operands: Values = data.operands[..first].iter().map(|&value| self.data(value)).collect();
        let mut types: Vec<Type> = Vec::new();
        for (number, &init) in data.operands[first..].iter().enumerate() {
            match self.bound(init) {
                Bound::Data(value) => {
                    operands.push(value);
                    types.push(from.ty(data.results[number]));
                }
                Bound::Array(array) => cells.push((number, self.cell(op, number, init, &array)?)),
            }
        }
        let is_double_buffered = cells.iter().any(|(_, cell)| cell.is_double_buffered());
        // The operands of the loop's reductions stand behind those of all that it carries.
        let n_joined = from.control(op).map_or(0, |control| control.reductions.len());
        if is_double_buffered {
            let start = self.i64(0);
            operands.insert(operands.len() - n_joined, start);
            types.insert(types.len() - n_joined, Type::scalar(Elem::I64));
        }
        let cell = |number: usize| cells.iter().find(|(own, _)| *own == number).map(|(_, cell)| cell.clone());
        let new = self.to.add_op(data.code, data.attr.clone(), operands, &types, self.origin);
        self.to.regions[self.block].ops.push(new);
        let (around, outside) = (self.block, self.scope.clone());
        let last = data.regions.len() - 1;
        self.depth += 1;
        let mut turn = None;
        for (position, &region) in data.regions.iter().enumerate() {
            if position == 0 {
                self.scope = Scope::inside(&outside);
            }
            let block = self.open_block(new);
            self.done.regions.entry(region).or_insert(block);
            let args = &from.regions[region].args;
            let mut carried = Vec::new();
            for (number, &arg) in args.iter().enumerate() {
                match number.checked_sub(n_ranges).and_then(cell) {
                    Some(cell) => carried.push((arg, cell)),
                    None => {
                        let value = self.to.add_arg(block, from.ty(arg), from.values[arg].name.clone());
                        self.bind(arg, Bound::Data(value));
                    }
                }
            }
            if is_double_buffered && position == 0 {
                turn = Some(self.to.add_arg(block, Type::scalar(Elem::I64), Some("turn".into())));
            }
            for (arg, cell) in carried {
                self.bind(arg, Bound::Array(cell.array(turn)));
            }
            let next = turn.filter(|_| position == last).map(|turn| self.other_half(op, turn, &cells));
            self.ops(region);
            let mut scalars = Values::new();
            let mut updates = Vec::new();
            for (number, &yielded) in from.regions[region].yields.iter().enumerate() {
                match self.bound(yielded) {
                    Bound::Data(value) => scalars.push(value),
                    Bound::Array(array) if position == last => {
                        updates.push((cell(number).expect("an array is carried"), array));
                    }
                    Bound::Array(_) => {}
                }
            }
            self.next_arrays(op, next, updates)?;
            if let Some(next) = next {
                scalars.insert(scalars.len() - n_joined, next);
            }
            self.close_block(around, scalars);
        }
        self.depth -= 1;
        self.scope = outside;
        let mut results: Vec<Value> = self.to.ops[new].results.to_vec();
        let turn = is_double_buffered.then(|| results.remove(results.len() - 1 - n_joined));
        let mut results = results.into_iter();
        for (number, &result) in data.results.iter().enumerate() {
            let bound = match cell(number) {
                Some(cell) => Bound::Array(cell.array(turn)),
                None => {
                    let value = results.next().expect("it is a result");
                    self.to.values[value].name = from.values[result].name.clone();
                    Bound::Data(value)
                }
            };
            self.bind(result, bound);
        }
        Ok(())
    }
}
