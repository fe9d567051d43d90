//! The new kernel, op by op.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use ir::entities::{Entity, Op, Origin, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Control, DimSize, Kernel, Name, OriginData, Param, RegionData, SizeOperator, Values};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};
use ir::typing;

use super::assign::Pending;
use super::element::{Array, Bound, Kind, Subview};
use super::plan::{Plan, makes_arrays};
use super::{Accesses, ArrayRefusal, Hazard, Refuted, Sequential, Ways};

/// The new forms of old values, in a block and those around it.
pub(super) struct Scope {
    around: Option<Rc<Scope>>,
    bound: RefCell<FxHashMap<Value, Bound>>,
}

impl Scope {
    pub(super) fn inside(around: &Rc<Scope>) -> Rc<Scope> {
        Rc::new(Scope { around: Some(around.clone()), bound: RefCell::default() })
    }

    pub(super) fn find(&self, value: Value) -> Option<Bound> {
        let mut at = Some(self);
        while let Some(scope) = at {
            if let Some(bound) = scope.bound.borrow().get(&value) {
                return Some(bound.clone());
            }
            at = scope.around.as_deref();
        }
        None
    }
}

/// The values that may be used again as long as the block is open that they were emitted in.
#[derive(Default)]
pub(super) struct Known {
    /// The results of ops without effects.
    pure: FxHashMap<(Code, Attr, Values), Value>,
    /// The yields of the blocks of delayed arrays, by the number of the array's op and the index.
    pub(super) yields: FxHashMap<(u32, Value), Vec<Bound>>,
    /// The elements of delayed arrays that ops work on, by the array (which lives as long as its element is known) and the index.
    pub(super) elements: FxHashMap<(*const Array, Value), (Rc<Array>, Bound)>,
    /// Sizes that are the same as others.
    pub(super) same: FxHashMap<Value, Value>,
}

impl Known {
    /// Forgets what was computed from the value with this number on.
    fn forget(&mut self, n_values: usize) {
        self.pure.retain(|_, value| value.index() < n_values);
        self.yields.clear();
        self.elements.clear();
        self.same.retain(|one, other| one.index() < n_values && other.index() < n_values);
    }
}

pub(super) struct Translator<'k> {
    pub(super) from: &'k Kernel,
    pub(super) plan: &'k Plan,
    pub(super) ways: &'k Ways,
    pub(super) to: Kernel,
    /// The block that ops are added to.
    pub(super) block: Region,
    pub(super) origin: Origin,
    pub(super) scope: Rc<Scope>,
    pub(super) known: Vec<Known>,
    /// The places in which arrays are wanted, by the old value.
    pub(super) wanted: FxHashMap<Value, Subview>,
    /// The sizes of temporary arrays.
    pub(super) temps: FxHashMap<Value, Vec<Value>>,
    pub(super) hazards: Vec<Hazard>,
    /// The accesses of the nest that is being built, if that is asked for.
    pub(super) accesses: Option<Accesses>,
    /// The positions in the old block of what stores are done for, and of what reads.
    pub(super) position: usize,
    pub(super) reader: usize,
    /// The old block in which the assignments stand that are done together.
    pub(super) home: Option<Region>,
    /// The assignments that wait for the last one of their group.
    pub(super) pending: Vec<Pending>,
    /// The memories of double-buffered arrays, and those of them that hold already what a loop starts with.
    pub(super) double_buffers: FxHashSet<Value>,
    pub(super) begun: FxHashMap<(Op, usize), Value>,
    /// The view that an assignment stores to, and the place at which the source names it.
    pub(super) target: Option<(Value, Origin)>,
    /// The number of places that the old kernel's origins name, and those of them that loops have.
    n_places: u32,
    places_of_loops: FxHashSet<u32>,
    /// The indices of loops that were opened here, as long as they have no name of the source.
    unnamed_indices: FxHashSet<Value>,
    /// The ops without effects that were added here, in order, and their blocks.
    own: Vec<(Region, Value)>,
    /// The number of delayed ops so far.
    pub(super) n_delayed: u32,
    pub(super) depth: usize,
    pub(super) done: Sequential,
}

/// A part of the kernel that cannot be lowered, or the value that is asked for.
pub(super) type Made<T> = Result<T, ArrayRefusal>;

impl<'k> Translator<'k> {
    pub(super) fn run(from: &'k Kernel, plan: &'k Plan, ways: &'k Ways) -> (Sequential, Vec<Hazard>) {
        let mut to = Kernel::new(&from.name);
        to.structs = from.structs.clone();
        to.origins = from.origins.clone();
        to.lanes = from.lanes;
        to.result = from.result;
        let block = to.body;
        let done = Sequential {
            kernel: Kernel::new(&from.name),
            values: FxHashMap::default(),
            regions: FxHashMap::default(),
            places: Vec::new(),
            decisions: Vec::new(),
            refused: Vec::new(),
            refuted: Refuted::default(),
        };
        let scope = Rc::new(Scope { around: None, bound: RefCell::default() });
        let mut translator = Translator {
            from,
            plan,
            ways,
            origin: to.whole(),
            to,
            block,
            scope,
            known: vec![Known::default()],
            wanted: FxHashMap::default(),
            temps: FxHashMap::default(),
            hazards: Vec::new(),
            accesses: None,
            position: 0,
            reader: 0,
            home: None,
            pending: Vec::new(),
            double_buffers: FxHashSet::default(),
            begun: FxHashMap::default(),
            n_places: from.origins.iter().map(|(_, origin)| origin.place + 1).max().unwrap_or(0),
            places_of_loops: FxHashSet::default(),
            unnamed_indices: FxHashSet::default(),
            target: None,
            own: Vec::new(),
            n_delayed: 0,
            depth: 0,
            done,
        };
        translator.params();
        translator.done.regions.insert(from.body, block);
        translator.ops(from.body);
        let yields: Values = from.regions[from.body].yields.iter().map(|&value| translator.data(value)).collect();
        translator.to.regions[block].yields = yields;
        translator.remove_unused();
        translator.done.kernel = translator.to;
        (translator.done, translator.hazards)
    }

    fn params(&mut self) {
        let from = self.from;
        for (number, param) in from.params.iter().enumerate() {
            let data = &from.values[param.value];
            let value = self.to.add_value(data.ty, ir::program::Def::Param(number as u32), data.name.clone());
            self.to.params.push(Param { value, sizes: Vec::new() });
            let bound = match data.ty.is_view() {
                true => Bound::Array(Rc::new(Array::stored(data.ty, value))),
                false => Bound::Data(value),
            };
            self.bind(param.value, bound);
        }
        let of = |old: Value| self.done.values.get(&old).copied().unwrap_or(old);
        for (number, param) in from.params.iter().enumerate() {
            let sizes = param.sizes.iter().map(|size| size.renamed(&of)).collect();
            self.to.params[number].sizes = sizes;
        }
        self.to.marks = from.marks.clone();
        for (a, b) in &mut self.to.marks.alias {
            (*a, *b) = (of(*a), of(*b));
        }
    }

    // Values.

    /// Says what an old value is from here on.
    pub(super) fn bind(&mut self, old: Value, new: Bound) {
        let value = match &new {
            Bound::Data(value) => Some(*value),
            Bound::Array(array) => array.whole(),
        };
        if let Some(value) = value {
            self.done.values.entry(old).or_insert(value);
        }
        self.scope.bound.borrow_mut().insert(old, new);
    }

    pub(super) fn get(&self, old: Value) -> Option<Bound> {
        self.scope.find(old)
    }

    /// Returns the new form of an old value.
    pub(super) fn bound(&mut self, old: Value) -> Bound {
        if let Some(scalar) = self.from.as_const(old) {
            return Bound::Data(self.to.constant(scalar));
        }
        self.get(old).unwrap_or_else(|| panic!("{old} of `{}` is used before it is made", self.from.name))
    }

    /// The new value of a scalar.
    pub(super) fn data(&mut self, old: Value) -> Value {
        match self.bound(old) {
            Bound::Data(value) => value,
            Bound::Array(_) => panic!("{old} of `{}` is an array", self.from.name),
        }
    }

    pub(super) fn array(&mut self, old: Value) -> Rc<Array> {
        match self.bound(old) {
            Bound::Array(array) => array,
            Bound::Data(_) => panic!("{old} of `{}` is no array", self.from.name),
        }
    }

    // Ops.

    /// Adds an op to the open block.
    pub(super) fn push(&mut self, code: Code, attr: Attr, operands: &[Value]) -> Op {
        let types: SmallVec<[Type; 4]> = operands.iter().map(|&value| self.to.ty(value)).collect();
        let results = typing::results(&self.to.structs, code, &attr, &types)
            .unwrap_or_else(|problem| panic!("in `{}`: {problem}", self.from.name));
        let op = self.to.add_op(code, attr, operands.into(), &results, self.origin);
        self.to.regions[self.block].ops.push(op);
        match (code, &mut self.accesses) {
            (Code::Store, Some(accesses)) => _ = accesses.stores.insert(op, self.position),
            (Code::Load, Some(accesses)) => _ = accesses.loads.insert(op, self.reader),
            _ => {}
        }
        op
    }

    /// Adds an op with one result.
    pub(super) fn make(&mut self, code: Code, attr: Attr, operands: &[Value]) -> Value {
        let op = self.push(code, attr, operands);
        self.to.ops[op].results[0]
    }

    /// The result of an op without effects, which is made once.
    pub(super) fn pure(&mut self, code: Code, attr: Attr, operands: &[Value]) -> Value {
        if let Some(known) = self.fold(code, operands) {
            return known;
        }
        let key = (code, attr.clone(), Values::from(operands));
        if let Some(&known) = self.known.iter().find_map(|known| known.pure.get(&key)) {
            return known;
        }
        let value = self.make(code, attr, operands);
        self.known.last_mut().expect("a block is open").pure.insert(key, value);
        self.own.push((self.block, value));
        value
    }

    /// Removes what was computed here and is not used after all.
    fn remove_unused(&mut self) {
        let mut counts = self.to.use_counts();
        let mut removed: FxHashMap<Region, FxHashSet<Op>> = FxHashMap::default();
        let mut gone: FxHashSet<Value> = FxHashSet::default();
        for (block, value) in std::mem::take(&mut self.own).into_iter().rev() {
            let Some(op) = self.to.def_op(value).filter(|_| counts[value] == 0) else { continue };
            removed.entry(block).or_default().insert(op);
            gone.insert(value);
            self.to.ops[op].operands.iter().for_each(|&operand| counts[operand] -= 1);
        }
        for (block, ops) in removed {
            self.to.regions[block].ops.retain(|op| !ops.contains(op));
        }
        self.done.values.retain(|_, new| !gone.contains(new));
    }

    /// The result of arithmetic on sizes that are numbers.
    fn fold(&mut self, code: Code, operands: &[Value]) -> Option<Value> {
        let wide: Vec<i128> = operands.iter().map(|&value| self.to.as_const(value)?.wide()).collect::<Option<_>>()?;
        let result = match (code, &wide[..]) {
            (Code::Index, [a]) => i64::try_from(*a).ok()?,
            (Code::WrappingAdd, [a, b]) => i64::try_from(a + b).ok()?,
            (Code::WrappingSub, [a, b]) => i64::try_from(a - b).ok()?,
            (Code::WrappingMul, [a, b]) => i64::try_from(a.checked_mul(*b)?).ok()?,
            (Code::Max, [a, b]) => i64::try_from(*a.max(b)).ok()?,
            (Code::Div, [a, b]) if *b > 0 => i64::try_from(a / b).ok()?,
            _ => return None,
        };
        let elem = operands.iter().map(|&value| self.to.ty(value)).all(|ty| ty == Type::scalar(Elem::I64));
        (elem || code == Code::Index).then(|| self.to.constant(Scalar::I64(result)))
    }

    pub(super) fn i64(&mut self, number: i64) -> Value {
        self.to.constant(Scalar::I64(number))
    }

    // Blocks.

    /// Opens a loop over `0 .. count`, or backwards; gives its index.
    pub(super) fn open_loop(&mut self, count: Value, backwards: bool, inits: &[(Name, Value)]) -> (Op, Value) {
        let bound = self.counted(count);
        let elem = self.to.ty(bound).data_elem().unwrap_or(Elem::I64);
        let (zero, one) = (self.to.constant(Scalar::zero(elem)), self.to.constant(Scalar::one(elem)));
        let mut operands: Values = match backwards {
            false => [zero, bound, one].into_iter().collect(),
            true => {
                let last = self.pure(Code::WrappingSub, Attr::None, &[bound, one]);
                let before = self.to.constant(Scalar::wrap(elem, -1));
                [last, before, before].into_iter().collect()
            }
        };
        operands.extend(inits.iter().map(|(_, init)| *init));
        let types: Vec<Type> = inits.iter().map(|(_, init)| self.to.ty(*init)).collect();
        let attr = Attr::Control(Box::default());
        let origin = self.origin_of_loop();
        let op = self.to.add_op(Code::For, attr, operands, &types, origin);
        self.to.regions[self.block].ops.push(op);
        let region = self.open_block(op);
        let name = ["i", "j", "k", "l"].get(self.depth).copied().unwrap_or("m");
        self.depth += 1;
        let index = self.to.add_arg(region, Type::scalar(elem), Some(name.into()));
        self.unnamed_indices.insert(index);
        for ((name, _), ty) in inits.iter().zip(types) {
            self.to.add_arg(region, ty, Some(name.clone()));
        }
        (op, index)
    }

    /// The origin of a loop. What becomes of loops is known by their places, so each has one of its own, for the same source.
    fn origin_of_loop(&mut self) -> Origin {
        let data = self.to.origins[self.origin];
        if self.places_of_loops.insert(data.place) {
            return self.origin;
        }
        let place = self.n_places + self.done.places.len() as u32;
        self.done.places.push(data.place);
        self.to.origins.push(OriginData { place, ..data })
    }

    /// Keeps the place of a loop of the old kernel for it alone, before any loop is made for what it starts with.
    pub(super) fn keep_place(&mut self) {
        let place = self.to.origins[self.origin].place;
        self.places_of_loops.insert(place);
    }

    /// A count in the type that it was given in, so that the index has that type, too.
    fn counted(&mut self, count: Value) -> Value {
        if let Some(small) = self.to.as_const(count).and_then(Scalar::wide).and_then(|count| i32::try_from(count).ok())
        {
            return self.to.constant(Scalar::I32(small));
        }
        match self.to.def_op(count).map(|op| &self.to.ops[op]) {
            Some(data)
                if data.code == Code::Index
                    && self.to.ty(data.operands[0]).data_elem().is_some_and(Elem::is_signed) =>
            {
                data.operands[0]
            }
            _ => count,
        }
    }

    pub(super) fn open_block(&mut self, op: Op) -> Region {
        let region = self.to.regions.push(RegionData::default());
        self.to.ops[op].regions.push(region);
        self.block = region;
        self.known.push(Known::default());
        region
    }

    /// Ends the innermost block; the one around it is open again.
    pub(super) fn close_block(&mut self, around: Region, yields: Values) {
        self.to.regions[self.block].yields = yields;
        self.block = around;
        self.known.pop();
    }

    pub(super) fn close_loop(&mut self, around: Region, yields: Values) {
        self.close_block(around, yields);
        self.depth -= 1;
    }

    /// All ops of an old block.
    pub(super) fn ops(&mut self, region: Region) {
        let from = self.from;
        for &op in &from.regions[region].ops {
            self.origin = from.ops[op].origin;
            let before = (self.block, self.known.len(), self.depth, self.scope.clone());
            let (n_ops, notes_accesses) = (self.to.regions[self.block].ops.len(), self.accesses.is_some());
            let (n_values, n_regions) = (self.to.values.len(), self.to.regions.len());
            if let Err(refusal) = self.op(op) {
                // The ops that were begun are no part of the kernel.
                let n_known = before.1;
                (self.block, _, self.depth, self.scope) = before;
                self.known.truncate(n_known);
                self.known.iter_mut().for_each(|known| known.forget(n_values));
                self.to.regions[self.block].ops.truncate(n_ops);
                self.own.retain(|(_, value)| value.index() < n_values);
                self.done.values.retain(|_, value| value.index() < n_values);
                self.done.regions.retain(|_, region| region.index() < n_regions);
                self.wanted.clear();
                self.accesses = self.accesses.take().filter(|_| notes_accesses);
                self.pending.clear();
                self.refuse(op, refusal);
            }
        }
    }

    /// An op that cannot be lowered: nothing is known about what it makes.
    fn refuse(&mut self, op: Op, refusal: ArrayRefusal) {
        self.origin = self.from.ops[op].origin;
        self.done.refused.push((self.origin, refusal));
        if refusal == ArrayRefusal::WrittenChoice {
            self.done.refuted.names.push(op);
        }
        match self.from.ops[op].code {
            Code::If => self.done.refuted.branches.push(op),
            // A branch behind the loop's yields may hide that the loop only hands on names.
            Code::For | Code::While => {
                let yields = self.from.ops[op].regions.last().map(|&region| self.from.regions[region].yields.to_vec());
                let mut waiting = yields.unwrap_or_default();
                while let Some(value) = waiting.pop() {
                    let branch = self.from.def_op(value).filter(|&op| self.from.ops[op].code == Code::If);
                    let Some(branch) = branch.filter(|_| self.from.ty(value).is_view()) else { continue };
                    if !self.done.refuted.branches.contains(&branch) {
                        self.done.refuted.branches.push(branch);
                        let sides = self.from.ops[branch].regions.iter();
                        waiting.extend(sides.flat_map(|&side| &self.from.regions[side].yields));
                    }
                }
            }
            _ => {}
        }
        self.make(Code::Unknown, Attr::Type(Type::scalar(Elem::F32)), &[]);
        for &result in &self.from.ops[op].results {
            if self.get(result).is_some() {
                continue;
            }
            let ty = self.from.ty(result);
            let bound = match ty {
                Type::View { rank, .. } => {
                    let none = self.i64(0);
                    let sizes = vec![none; usize::from(rank)];
                    Bound::Array(Rc::new(self.new_array(ty, &sizes)))
                }
                ty => Bound::Data(self.make(Code::Unknown, Attr::Type(ty), &[])),
            };
            self.bind(result, bound);
        }
    }

    fn op(&mut self, op: Op) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        let is_view = |&value: &Value| from.ty(value).is_view();
        match data.code {
            _ if makes_arrays(from, op) => return self.array_op(op),
            Code::Reduce => return self.reduce(op),
            Code::Assign => return self.assign(op),
            Code::Row | Code::Slice => {
                let part = self.part(op)?;
                self.bind(data.results[0], Bound::Array(Rc::new(part)));
            }
            Code::Size => {
                let Attr::Number(dim) = data.attr else { panic!("a size says its dimension") };
                let array = self.array(data.operands[0]);
                let size = self.dim(&array, dim as usize)?;
                self.bind(data.results[0], Bound::Data(size));
            }
            Code::AssertSize => {
                let [a, b] = [0, 1].map(|number| self.data(data.operands[number]));
                let (one, other) = (self.index(a), self.index(b));
                if self.same(one) != self.same(other) {
                    self.copy(op)?;
                    self.know_same(one, other);
                }
            }
            // A size that was an integer of this type before it became a size.
            Code::Cast if let Some(before) = self.as_before(op) => {
                self.bind(data.results[0], Bound::Data(before));
            }
            Code::Load => {
                let array = self.array(data.operands[0]);
                let indices: Vec<Value> = data.operands[1..].iter().map(|&index| self.data(index)).collect();
                let value = self.element(&array, &indices)?;
                self.name(value, data.results[0]);
                self.bind(data.results[0], Bound::Data(value));
            }
            Code::Store => {
                let array = self.array(data.operands[0]);
                let Kind::Stored(place) = &array.kind else {
                    unreachable!("the plan stores an array that is stored to")
                };
                let mut operands = vec![place.view];
                operands.extend(&place.prefix);
                operands.extend(data.operands[1..].iter().map(|&value| self.data(value)).collect::<Vec<_>>());
                self.push(Code::Store, Attr::None, &operands);
            }
            Code::If if data.results.iter().any(is_view) => return self.choice(op),
            Code::For | Code::While if data.results.iter().any(is_view) => return self.carrying(op),
            code if code.is_control() => self.control(op),
            _ => self.copy(op)?,
        }
        Ok(())
    }

    /// The integer that a conversion of a size converts back.
    fn as_before(&mut self, op: Op) -> Option<Value> {
        let data = &self.from.ops[op];
        let Attr::Elem(to) = data.attr else { return None };
        let size = self.data(data.operands[0]);
        let index = &self.to.ops[self.to.def_op(size)?];
        let before = *index.operands.first()?;
        (index.code == Code::Index && self.to.ty(before) == Type::scalar(to)).then_some(before)
    }

    /// Gives a new value the name of an old one, if it has none of the source.
    pub(super) fn name(&mut self, new: Value, old: Value) {
        let Some(name) = &self.from.values[old].name else { return };
        let is_unnamed = self.to.values[new].name.is_none() || self.unnamed_indices.remove(&new);
        if is_unnamed && self.to.as_const(new).is_none() {
            self.to.values[new].name = Some(name.clone());
        }
    }

    /// An op that is the same in the new kernel.
    fn copy(&mut self, op: Op) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        let mut operands = Values::new();
        for &operand in &data.operands {
            operands.push(match self.bound(operand) {
                Bound::Data(value) => value,
                Bound::Array(array) => self.view(&array)?,
            });
        }
        let types: Vec<Type> = data.results.iter().map(|&result| from.ty(result)).collect();
        let new = self.to.add_op(data.code, data.attr.clone(), operands.clone(), &types, self.origin);
        self.to.regions[self.block].ops.push(new);
        for (number, &result) in data.results.iter().enumerate() {
            let value = self.to.ops[new].results[number];
            self.to.values[value].name = from.values[result].name.clone();
            let ty = from.ty(result);
            if data.code == Code::Temp {
                let sizes = operands.iter().map(|&size| self.index(size)).collect();
                self.temps.insert(value, sizes);
            }
            let bound = match ty.is_view() {
                true => Bound::Array(Rc::new(Array::stored(ty, value))),
                false => Bound::Data(value),
            };
            self.bind(result, bound);
        }
        Ok(())
    }

    /// A control op that is the same in the new kernel, but for what is inside.
    fn control(&mut self, op: Op) {
        let from = self.from;
        let data = &from.ops[op];
        let operands: Values = data.operands.iter().map(|&value| self.data(value)).collect();
        let types: Vec<Type> = data.results.iter().map(|&result| from.ty(result)).collect();
        let new = self.to.add_op(data.code, data.attr.clone(), operands, &types, self.origin);
        self.to.regions[self.block].ops.push(new);
        let (around, outside) = (self.block, self.scope.clone());
        self.depth += 1;
        for &region in &data.regions {
            // The body of a `while` sees what its test makes.
            if data.code != Code::While || region == data.regions[0] {
                self.scope = Scope::inside(&outside);
            }
            let block = self.open_block(new);
            self.done.regions.entry(region).or_insert(block);
            for &arg in &from.regions[region].args {
                let value = self.to.add_arg(block, from.ty(arg), from.values[arg].name.clone());
                self.bind(arg, Bound::Data(value));
            }
            self.ops(region);
            let yields = from.regions[region].yields.iter().map(|&value| self.data(value)).collect();
            self.close_block(around, yields);
        }
        self.depth -= 1;
        self.scope = outside;
        for (number, &result) in data.results.iter().enumerate() {
            let value = self.to.ops[new].results[number];
            self.to.values[value].name = from.values[result].name.clone();
            self.bind(result, Bound::Data(value));
        }
    }

    /// The size of a parameter's dimension, by its formula.
    pub(super) fn size(&mut self, size: &DimSize) -> Option<Value> {
        Some(match size {
            DimSize::Own => return None,
            DimSize::Constant(number) => self.i64(*number),
            DimSize::Param(value) => self.index(*value),
            DimSize::Arithmetic(operator, a, b) => {
                let (a, b) = (self.size(a)?, self.size(b)?);
                let code = match operator {
                    SizeOperator::Add => Code::WrappingAdd,
                    SizeOperator::Sub => Code::WrappingSub,
                    SizeOperator::Mul => Code::WrappingMul,
                    // They could divide by zero.
                    SizeOperator::Div | SizeOperator::FloorDiv | SizeOperator::Rem => return None,
                };
                self.pure(code, Attr::None, &[a, b])
            }
        })
    }

    pub(super) fn control_of(&self, op: Op) -> Control {
        self.from.control(op).cloned().unwrap_or_default()
    }
}
