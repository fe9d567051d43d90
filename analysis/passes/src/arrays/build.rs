//! Loops that store arrays, and those that go over their elements.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use ir::entities::{Op, Origin, Value};
use ir::ops::Code;
use ir::program::{Attr, Name, Values};
use ir::types::Type;

use super::element::{Array, Bound, Kind, Place};
use super::plan::Fate;
use super::translate::{Made, Scope, Translator};
use super::{Hazard, Refusal, Way};
use crate::decision::{Decision, Said};
use ir::codes::ReasonCode;

impl Translator<'_> {
    /// Stores arrays, which have one size and may be results of one op, in their places; gives the outermost loop.
    pub(super) fn build(&mut self, places: &[Place], arrays: &[Rc<Array>], backwards: bool) -> Made<Op> {
        let count = self.dim(&arrays[0], 0)?;
        let around = self.block;
        let (op, index) = self.open_loop(count, backwards, &[]);
        if let Some(map) = arrays[0].kind.as_map() {
            self.want_rows(&map.clone(), places, index);
        }
        for (place, array) in places.iter().zip(arrays) {
            let element = self.at(array, index)?;
            let mut place = place.clone();
            place.prefix.push(index);
            self.store(&place, element)?;
        }
        self.close_loop(around, Values::new());
        Ok(op)
    }

    /// Stores a scalar or an array in its place.
    fn store(&mut self, place: &Place, element: Bound) -> Made<()> {
        match element {
            Bound::Data(value) => {
                let operands = [&[place.view], &place.prefix[..], &[value]].concat();
                let named = self.target.filter(|(view, _)| *view == place.view).map(|(_, origin)| origin);
                let store_at = named.unwrap_or(self.origin);
                let origin = std::mem::replace(&mut self.origin, store_at);
                self.push(Code::Store, Attr::None, &operands);
                self.origin = origin;
            }
            // It was built there.
            Bound::Array(row) if matches!(&row.kind, Kind::Stored(own) if own == place) => {}
            Bound::Array(row) => {
                self.check_row(place, &row)?;
                self.build(std::slice::from_ref(place), &[row], false)?;
            }
        }
        Ok(())
    }

    /// Checks that a row has the sizes of its place.
    pub(super) fn check_row(&mut self, place: &Place, row: &Array) -> Made<()> {
        for dim in 0..usize::from(row.ty.rank()) {
            let own = self.dim(row, dim)?;
            let whole = Array { ty: row.ty, kind: Kind::Stored(place.clone()), origin: None };
            let wanted = self.dim(&whole, dim)?;
            self.assert_equal(wanted, own);
        }
        Ok(())
    }

    fn assert_equal(&mut self, a: Value, b: Value) {
        if a != b {
            self.push(Code::AssertSize, Attr::None, &[a, b]);
        }
    }

    /// Checks that the arrays that an op works on have the same sizes.
    pub(super) fn same_sizes(&mut self, op: Op) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        let n_arrays = if data.code.is_over_elements() { from.n_arrays(op) } else { data.operands.len() };
        if matches!(data.code, Code::Replicate | Code::Iota | Code::Elements) {
            return Ok(());
        }
        let arrays: Vec<_> = data.operands[..n_arrays].iter().filter(|&&operand| from.ty(operand).is_view()).collect();
        let arrays: Vec<_> = arrays.into_iter().map(|&operand| self.array(operand)).collect();
        let n_dims = if data.code.is_over_elements() { 1 } else { arrays[0].ty.rank().into() };
        for dim in 0..n_dims {
            let first = self.dim(&arrays[0], dim)?;
            for other in &arrays[1..] {
                let size = self.dim(other, dim)?;
                self.assert_equal(first, size);
            }
        }
        Ok(())
    }

    /// Runs a block over elements for one of them, with what is carried; gives what it yields.
    fn run_block(&mut self, op: Op, arrays: &[Rc<Array>], index: Value, carried: &[Bound]) -> Made<Vec<Bound>> {
        let from = self.from;
        let region = from.ops[op].regions[0];
        let outside = self.scope.clone();
        self.scope = Scope::inside(&outside);
        self.done.regions.entry(region).or_insert(self.block);
        let args = &from.regions[region].args;
        for (array, &arg) in arrays.iter().zip(args) {
            let element = self.at(array, index)?;
            if let Bound::Data(value) = element {
                self.name(value, arg);
            }
            self.bind(arg, element);
        }
        for (carried, &arg) in carried.iter().zip(&args[arrays.len()..]) {
            self.bind(arg, carried.clone());
        }
        self.ops(region);
        let yields = from.regions[region].yields.iter().map(|&value| self.bound(value)).collect();
        self.scope = outside;
        Ok(yields)
    }

    /// A `reduce`: a loop that carries the values.
    pub(super) fn reduce(&mut self, op: Op) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        if self.plan.shows_copies(from, op) {
            return Err(Refusal::WrittenChoice);
        }
        self.same_sizes(op)?;
        let n_arrays = from.n_arrays(op);
        let arrays: Vec<_> = data.operands[..n_arrays].iter().map(|&array| self.array(array)).collect();
        let region = data.regions[0];
        let folds = self.control_of(op).reductions;
        let count = self.dim(&arrays[0], 0)?;
        let mut cells = Vec::new();
        let mut inits = Vec::new();
        for (number, &init) in data.operands[n_arrays..].iter().enumerate() {
            let name = from.regions[region].args.get(n_arrays + number).and_then(|&arg| from.values[arg].name.clone());
            let name: Name = name.unwrap_or_else(|| "s".into());
            match self.bound(init) {
                Bound::Data(value) => inits.push((name, value)),
                Bound::Array(array) => cells.push((number, self.kept(op, init, &array)?)),
            }
        }
        let around = self.block;
        let carried_inits = if folds.is_empty() { inits.clone() } else { Vec::new() };
        let (new, index) = self.open_loop(count, false, &carried_inits);
        if !folds.is_empty() {
            let control = ir::program::Control { reductions: folds.clone(), ..Default::default() };
            self.to.ops[new].attr = Attr::Control(Box::new(control));
            for (_, init) in &inits {
                self.to.ops[new].operands.push(*init);
                let (ty, number) = (self.to.ty(*init), self.to.ops[new].results.len() as u32);
                let value = self.to.add_value(ty, ir::program::Def::Result(new, number), None);
                self.to.ops[new].results.push(value);
            }
        }
        let block = self.block;
        let args: Vec<Value> = self.to.regions[block].args[1..].to_vec();
        let mut args = args.into_iter();
        let n_carried = if folds.is_empty() { data.operands.len() - n_arrays } else { 0 };
        let carried: Vec<Bound> = (0..n_carried)
            .map(|number| match cells.iter().find(|(own, _)| *own == number) {
                Some((_, array)) => Bound::Array(array.clone()),
                None => Bound::Data(args.next().expect("it is carried")),
            })
            .collect();
        let yields = self.run_block(op, &arrays, index, &carried)?;
        let scalars = yields.iter().filter_map(|bound| match bound {
            Bound::Data(value) => Some(*value),
            Bound::Array(_) => None,
        });
        let scalars: Values = scalars.collect();
        let updates: Vec<_> = cells
            .iter()
            .filter_map(|(number, cell)| match &yields[*number] {
                Bound::Array(array) => Some((cell.clone(), array.clone())),
                Bound::Data(_) => None,
            })
            .collect();
        self.update_all(op, &updates)?;
        self.close_loop(around, scalars);
        let results: Vec<Value> = self.to.ops[new].results.to_vec();
        let mut results = results.into_iter();
        for (number, &result) in data.results.iter().enumerate() {
            let bound = match cells.iter().find(|(own, _)| *own == number) {
                Some((_, array)) => Bound::Array(array.clone()),
                None => {
                    let value = results.next().expect("it is a result");
                    self.name(value, result);
                    Bound::Data(value)
                }
            };
            self.bind(result, bound);
        }
        Ok(())
    }

    /// A `scan`: a loop that carries the values, and stores each.
    pub(super) fn scan(&mut self, op: Op, places: &[Place]) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        let n_arrays = from.n_arrays(op);
        let arrays: Vec<_> = data.operands[..n_arrays].iter().map(|&array| self.array(array)).collect();
        let region = data.regions[0];
        let count = self.dim(&arrays[0], 0)?;
        let mut inits = Vec::new();
        let mut cells: Vec<Option<Rc<Array>>> = Vec::new();
        for (number, &init) in data.operands[n_arrays..].iter().enumerate() {
            let name = from.values[from.regions[region].args[n_arrays + number]].name.clone();
            match self.bound(init) {
                Bound::Data(value) => {
                    inits.push((name.unwrap_or_else(|| "s".into()), value));
                    cells.push(None);
                }
                Bound::Array(array) => cells.push(Some(self.kept(op, init, &array)?)),
            }
        }
        let around = self.block;
        let (_, index) = self.open_loop(count, false, &inits);
        let args: Vec<Value> = self.to.regions[self.block].args[1..].to_vec();
        let mut args = args.into_iter();
        let carried = cells.iter().map(|cell| match cell {
            Some(array) => Bound::Array(array.clone()),
            None => Bound::Data(args.next().expect("it is carried")),
        });
        let carried: Vec<_> = carried.collect();
        let yields = self.run_block(op, &arrays, index, &carried)?;
        let mut ends = Values::new();
        let mut updates = Vec::new();
        for ((place, yielded), cell) in places.iter().zip(yields).zip(cells) {
            let mut place = place.clone();
            place.prefix.push(index);
            let ty = match &yielded {
                Bound::Data(value) => {
                    ends.push(*value);
                    None
                }
                Bound::Array(row) => Some(row.ty),
            };
            self.store(&place, yielded)?;
            // The next prefix goes on from this one.
            if let (Some(cell), Some(ty)) = (cell, ty) {
                updates.push((cell, Rc::new(Array { ty, kind: Kind::Stored(place), origin: None })));
            }
        }
        self.update_all(op, &updates)?;
        self.close_loop(around, ends);
        Ok(())
    }

    /// An array whose elements are given one by one.
    pub(super) fn elements(&mut self, op: Op, place: &Place) -> Made<()> {
        let from = self.from;
        for (number, &operand) in from.ops[op].operands.iter().enumerate() {
            let element = self.bound(operand);
            let mut place = place.clone();
            place.prefix.push(self.i64(number as i64));
            self.store(&place, element)?;
        }
        Ok(())
    }

    /// An assignment to a whole array, or a part of one.
    pub(super) fn assign(&mut self, op: Op) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        let target = self.array(data.operands[0]);
        let Kind::Stored(place) = &target.kind else { return Err(Refusal::WrittenChoice) };
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
                self.assign_array(op, place, &array)?;
            }
        }
        Ok(())
    }

    /// Stores an array, all of which is as it was before.
    fn assign_array(&mut self, op: Op, place: &Place, array: &Rc<Array>) -> Made<()> {
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
        let outer = self.stores.replace(FxHashSet::default());
        let nest = self.build(std::slice::from_ref(place), std::slice::from_ref(array), way == Way::Backwards)?;
        let stores = std::mem::replace(&mut self.stores, outer).unwrap_or_default();
        if let Some(outer) = &mut self.stores {
            outer.extend(&stores);
        }
        let turns = array.ty.rank() == 1;
        self.hazards.push(Hazard { assign: op, nest, stores, way, turns });
        Ok(())
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
    fn decide_copy(&mut self, because: &'static str) {
        self.decide(Decision::left(self.origin, ReasonCode::ArrayCopied, vec![because.into()]));
    }

    /// A copy of an array, in memory of its own.
    pub(super) fn copied(&mut self, array: &Rc<Array>) -> Made<Rc<Array>> {
        let mut sizes = Vec::new();
        for dim in 0..usize::from(array.ty.rank()) {
            sizes.push(self.dim(array, dim)?);
        }
        let copy = self.new_array(array.ty, &sizes);
        let Kind::Stored(place) = &copy.kind else { unreachable!("a new array is stored") };
        let place = place.clone();
        self.build(&[place], std::slice::from_ref(array), false)?;
        Ok(Rc::new(copy))
    }

    /// An array in memory that a loop may change: the one that it starts with, or a copy of that.
    fn kept(&mut self, op: Op, init: Value, array: &Rc<Array>) -> Made<Rc<Array>> {
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
            true => "the loop changes it, and it is used otherwise, too",
            false => "the loop changes it, and it is not its own",
        });
        self.copied(array)
    }

    /// Says whether a loop starts with an array for more than one of the values that it carries.
    fn is_carried_twice(&self, op: Op, init: Value) -> bool {
        self.from.ops[op].operands.iter().filter(|&&operand| operand == init).count() > 1
    }

    /// Gives arrays that a loop carries their values for the next iteration, all at once.
    fn update_all(&mut self, op: Op, updates: &[(Rc<Array>, Rc<Array>)]) -> Made<()> {
        let mut pending = Vec::new();
        for (cell, array) in updates {
            let Kind::Stored(place) = &cell.kind else { return Err(Refusal::WrittenChoice) };
            let root = self.to.root(place.view);
            let others = updates.iter().filter(|(other, _)| !Rc::ptr_eq(other, cell));
            let is_read = others.clone().any(|(_, other)| self.reads_memory(other, root));
            let reads_others = others.clone().any(|(other, _)| match &other.kind {
                Kind::Stored(place) => self.reads_memory(array, self.to.root(place.view)),
                _ => true,
            });
            let crosses = is_read || reads_others;
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
            return Err(Refusal::WrittenChoice);
        }
        let condition = self.data(data.operands[0]);
        let mut places: Vec<Option<Place>> = Vec::new();
        for (number, &result) in data.results.iter().enumerate() {
            let ty = from.ty(result);
            if !ty.is_view() {
                places.push(None);
                continue;
            }
            if self.is_written(result) {
                return Err(Refusal::WrittenChoice);
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
                let own: Vec<_> = known.iter().filter_map(|&side| self.old_dim(side, dim)).collect();
                sizes.push(match own[..] {
                    // Each side has its own size.
                    [a, b] if a != b => self.pure(Code::Select, Attr::None, &[condition, a, b]),
                    [size, ..] => size,
                    [] if known.is_empty() => self.i64(0),
                    [] => return Err(Refusal::UnknownSize),
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
    fn is_nothing(&self, old: Value) -> bool {
        let from = self.from;
        let Some(op) = from.def_op(old) else { return false };
        let data = &from.ops[op];
        let none = |&size: &Value| from.as_const(size).and_then(ir::scalar::Scalar::wide) == Some(0);
        data.code == Code::Temp && data.operands.iter().all(none)
    }

    /// Says whether cells of an array, or of a part of it, are assigned to.
    fn is_written(&self, old: Value) -> bool {
        use ir::uses::Use;
        let from = self.from;
        self.plan.uses.users(old).iter().any(|user| match *user {
            Use::Operand(op, number) => match from.ops[op].code {
                Code::Store | Code::Assign | Code::CompressStore => number == 0,
                Code::Row | Code::Slice => self.is_written(from.ops[op].results[0]),
                _ => false,
            },
            Use::Yield(_) => false,
        })
    }

    /// A loop that carries arrays: each is in memory of its own, which every iteration changes.
    pub(super) fn carrying(&mut self, op: Op) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        if self.plan.shows_copies(from, op) {
            return Err(Refusal::WrittenChoice);
        }
        let first = 3 * from.n_ranges(op);
        let n_ranges = from.n_ranges(op);
        let inits = &data.operands[first..];
        let mut cells: Vec<Option<Rc<Array>>> = Vec::new();
        for &init in inits {
            cells.push(match self.bound(init) {
                Bound::Data(_) => None,
                Bound::Array(array) => {
                    let copy = self.kept(op, init, &array)?;
                    Some(copy)
                }
            });
        }
        let mut operands: Values = data.operands[..first].iter().map(|&value| self.data(value)).collect();
        for (&init, cell) in inits.iter().zip(&cells) {
            if cell.is_none() {
                operands.push(self.data(init));
            }
        }
        let scalars = data.results.iter().zip(&cells).filter(|(_, cell)| cell.is_none());
        let types: Vec<Type> = scalars.map(|(&result, _)| from.ty(result)).collect();
        let new = self.to.add_op(data.code, data.attr.clone(), operands, &types, self.origin);
        self.to.regions[self.block].ops.push(new);
        let (around, outside) = (self.block, self.scope.clone());
        let last = data.regions.len() - 1;
        self.depth += 1;
        for (position, &region) in data.regions.iter().enumerate() {
            if position == 0 {
                self.scope = Scope::inside(&outside);
            }
            let block = self.open_block(new);
            self.done.regions.entry(region).or_insert(block);
            for (number, &arg) in from.regions[region].args.iter().enumerate() {
                let cell = number.checked_sub(n_ranges).and_then(|number| cells[number].clone());
                let bound = match cell {
                    Some(cell) => Bound::Array(cell),
                    None => Bound::Data(self.to.add_arg(block, from.ty(arg), from.values[arg].name.clone())),
                };
                self.bind(arg, bound);
            }
            self.ops(region);
            let yields = &from.regions[region].yields;
            let mut scalars = Values::new();
            let mut updates = Vec::new();
            for (number, &yielded) in yields.iter().enumerate() {
                match self.bound(yielded) {
                    Bound::Data(value) => scalars.push(value),
                    Bound::Array(array) if position == last => {
                        let cell = cells[number].clone().expect("an array is carried");
                        updates.push((cell, array));
                    }
                    Bound::Array(_) => {}
                }
            }
            self.update_all(op, &updates)?;
            self.close_block(around, scalars);
        }
        self.depth -= 1;
        self.scope = outside;
        let results: Vec<Value> = self.to.ops[new].results.to_vec();
        let mut results = results.into_iter();
        for (number, &result) in data.results.iter().enumerate() {
            let bound = match &cells[number] {
                Some(cell) => Bound::Array(cell.clone()),
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
