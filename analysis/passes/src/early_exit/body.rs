//! The ops of an iteration that tell whether it is the last one, and those that are done where it is not.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::vector::wrapping;
use facts::access::declared_size;
use facts::counting::Counting;
use facts::dependence::{Dependence, Kind};
use facts::form::FormAtom;
use facts::loops::{Loops, Stores};
use facts::{Facts, Form};
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Def, DimSize, Kernel};

/// Ops of a loop's body that something needs, with the values of them that it uses.
#[derive(Default)]
pub(super) struct Needed {
    pub(super) ops: FxHashSet<Op>,
    pub(super) values: FxHashSet<Value>,
    /// The carried values that are needed, by number.
    pub(super) carried: BTreeSet<usize>,
}

/// The side of a branch that is taken where some conditions are known.
pub(super) fn side(kernel: &Kernel, op: Op, known: &FxHashMap<Value, bool>) -> Option<Region> {
    let data = &kernel.ops[op];
    let condition = data.operands.first().filter(|_| data.code == Code::If)?;
    known.get(condition).map(|&holds| data.regions[usize::from(!holds)])
}

/// Says whether a size, or a part of it, is not known.
fn has_own(size: &DimSize) -> bool {
    match size {
        DimSize::Own => true,
        DimSize::Constant(_) | DimSize::Param(_) => false,
        DimSize::Arithmetic(_, a, b) => has_own(a) || has_own(b),
    }
}

/// Says whether an op can be done of anything: it does not fail, or it does not as an op that wraps.
fn never_fails(kernel: &Kernel, op: Op) -> bool {
    let data = &kernel.ops[op];
    let by = data.operands.get(1).and_then(|&by| kernel.as_const(by)?.wide());
    data.code.is_elementwise()
        && match data.code {
            Code::Div | Code::FloorDiv | Code::Rem => by.is_some_and(|by| by != 0 && by != -1),
            Code::Shl | Code::Shr => {
                let bits = kernel.ty(data.operands[0]).data_elem().map_or(0, |elem| 8 * elem.bytes() as i128);
                by.is_some_and(|by| (0..bits).contains(&by))
            }
            code => kernel.effect(op) == Effect::Pure || wrapping(code).is_some(),
        }
}

/// The value that a load finds in a cell that the loop stores to, of iterations of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// The one from before the block: no earlier iteration stores it, nor does its own before the load.
    Before,
    /// The one that its own iteration has stored.
    Stored(Value),
    /// It may be one that another iteration has stored.
    Unknown,
}

/// The body of a loop that is looked at.
pub(super) struct Body<'k> {
    kernel: &'k Kernel,
    op: Op,
    loops: &'k Loops,
    facts: &'k Facts,
    stores: Stores,
    pub(super) known: FxHashMap<Value, bool>,
}

impl<'k> Body<'k> {
    pub(super) fn of(kernel: &'k Kernel, facts: &'k Facts, loops: &'k Loops, op: Op, range: &Counting) -> Body<'k> {
        Body { kernel, op, loops, facts, stores: Stores::of(kernel, op), known: range.known(kernel, op) }
    }

    /// The value that a load finds, where the loop stores to its array or to one that may overlap it.
    fn found(&self, load: Op) -> Found {
        let (kernel, dependences) = (self.kernel, &self.loops.dependences);
        let root = kernel.root(kernel.ops[load].operands[0]);
        let is_left_out = |(array, around): &(Value, Op)| {
            let encloses = *around == self.op || self.loops.forest.encloses(*around, self.op);
            encloses && (*array == root || self.stores.may_touch(kernel, *array))
        };
        if dependences.unseen.iter().chain(&dependences.chained).any(is_left_out) {
            return Found::Unknown;
        }
        let into = dependences.inside(self.op).map(|(_, it)| it);
        let into: Vec<&Dependence> = into.filter(|it| it.sink == load && it.kind == Kind::Flow).collect();
        match &into[..] {
            [] => Found::Before,
            own if own.iter().all(|it| it.carrier().is_none()) => {
                self.stored_before(load).map_or(Found::Unknown, Found::Stored)
            }
            _ => Found::Unknown,
        }
    }

    /// The value of the last store of the iteration before a load, if that store is certain and to the very cell.
    fn stored_before(&self, load: Op) -> Option<Value> {
        let kernel = self.kernel;
        let body = kernel.ops[self.op].regions[1];
        let mut place = load;
        loop {
            let region = self.loops.forest.region_of(place);
            let ops = &kernel.regions[region].ops;
            let number = ops.iter().position(|op| *op == place)?;
            for &op in ops[..number].iter().rev() {
                if let Some(stored) = self.stores_cell_of(op, load) {
                    return Some(stored);
                }
                let mut stores = kernel.effect(op) == Effect::Writes;
                kernel.walk_inside(op, &mut |inner| stores |= kernel.effect(inner) == Effect::Writes);
                if stores {
                    return None;
                }
            }
            if region == body {
                return None;
            }
            place = self.loops.forest.owner(region)?;
        }
    }

    /// The value that an op stores, if it stores it to the cell that a load reads.
    fn stores_cell_of(&self, op: Op, load: Op) -> Option<Value> {
        let kernel = self.kernel;
        let (store, load) = (&kernel.ops[op], &kernel.ops[load]);
        let (&stored, place) = store.operands.split_last().filter(|_| store.code == Code::Store)?;
        let form = |value: Value| self.facts.values[value].exact_form();
        let is_same = |a: Value, b: Value| a == b || form(a).is_some() && form(a) == form(b);
        let same = place.len() == load.operands.len()
            && place[0] == load.operands[0]
            && place[1..].iter().zip(&load.operands[1..]).all(|(&a, &b)| is_same(a, b));
        (same && kernel.ty(stored) == kernel.ty(load.results[0])).then_some(stored)
    }

    /// The values that a load of the test stands for: those that its own iteration stores.
    pub(super) fn forwarded(&self, ops: impl Iterator<Item = Op>) -> FxHashMap<Op, Value> {
        let loads = ops.filter(|&op| self.is_load_of_stored(op));
        let found = loads.filter_map(|op| match self.found(op) {
            Found::Stored(stored) => Some((op, stored)),
            Found::Before | Found::Unknown => None,
        });
        found.collect()
    }

    fn is_load_of_stored(&self, op: Op) -> bool {
        let data = &self.kernel.ops[op];
        data.code == Code::Load && self.stores.may_touch(self.kernel, self.kernel.root(data.operands[0]))
    }

    /// Returns the number of a carried value, other than the index and the flag that is tested.
    fn number(&self, value: Value) -> Option<usize> {
        let test = self.kernel.ops[self.op].regions[0];
        self.kernel.regions[test].args.iter().position(|&arg| arg == value).filter(|&number| number >= 2)
    }

    /// Returns the next value of a carried one.
    pub(super) fn yielded(&self, number: usize) -> Value {
        self.kernel.regions[self.kernel.ops[self.op].regions[1]].yields[number]
    }

    /// Returns the next value of a carried one if no iteration leaves, found by following the branches that then go one
    /// way.
    fn next(&self, number: usize) -> Value {
        let mut value = self.yielded(number);
        while let Def::Result(op, number) = self.kernel.values[value].def
            && self.kernel.ops[op].code == Code::If
            && let Some(side) = side(self.kernel, op, &self.known)
        {
            value = self.kernel.regions[side].yields[number as usize];
        }
        value
    }

    pub(super) fn changes(&self, number: usize) -> bool {
        let test = self.kernel.ops[self.op].regions[0];
        self.next(number) != self.kernel.regions[test].args[number]
    }

    /// The operands of a value that the loop makes, if they have not been noted.
    fn parts(&self, value: Value, known: &FxHashMap<Value, bool>, needed: &mut Needed) -> Option<(Op, Vec<Value>)> {
        needed.carried.extend(self.number(value));
        let Def::Result(op, number) = self.kernel.values[value].def else { return None };
        if !self.loops.forest.encloses(self.op, op) || !needed.values.insert(value) {
            return None;
        }
        needed.ops.insert(op);
        let data = &self.kernel.ops[op];
        let yielded = |side: Region| self.kernel.regions[side].yields[number as usize];
        let parts = match (data.code, side(self.kernel, op, known)) {
            (Code::If, Some(side)) => vec![yielded(side)],
            (Code::If, None) => data.regions.iter().map(|&side| yielded(side)).chain([data.operands[0]]).collect(),
            _ => self.kernel.inputs(op),
        };
        Some((op, parts))
    }

    /// Notes what a value needs; `None` if that cannot be had of iterations that the program does not come to.
    pub(super) fn test(&self, value: Value, known: &FxHashMap<Value, bool>, needed: &mut Needed) -> Option<()> {
        let kernel = self.kernel;
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let Some((op, parts)) = self.parts(value, known, needed) else { continue };
            if self.is_load_of_stored(op) {
                match self.found(op) {
                    Found::Before => open.extend(parts),
                    Found::Stored(stored) => open.push(stored),
                    Found::Unknown => return None,
                }
                continue;
            }
            match kernel.ops[op].code {
                Code::If | Code::Field | Code::Size | Code::Load => {}
                _ if never_fails(kernel, op) => {}
                _ => return None,
            }
            open.extend(parts);
        }
        Some(())
    }

    /// Notes what values need where no iteration leaves.
    pub(super) fn need(&self, mut values: Vec<Value>, needed: &mut Needed) {
        while let Some(value) = values.pop() {
            values.extend(self.parts(value, &self.known, needed).map(|(_, parts)| parts).unwrap_or_default());
        }
    }

    /// Collects the ops needed for all that a block does where no iteration leaves. An op that the test has done (`asked`) did
    /// not fail, so it is done again only where its result is used.
    pub(super) fn done(&self, region: Region, asked: &FxHashMap<Op, Vec<usize>>, needed: &mut Needed) {
        let kernel = self.kernel;
        for &op in &kernel.regions[region].ops {
            let data = &kernel.ops[op];
            if data.code == Code::If {
                let before = needed.ops.len();
                let taken = side(kernel, op, &self.known);
                match taken {
                    Some(side) => self.done(side, asked, needed),
                    None => data.regions.iter().for_each(|&side| self.done(side, asked, needed)),
                }
                if needed.ops.len() > before {
                    needed.ops.insert(op);
                    self.need(if taken.is_none() { vec![data.operands[0]] } else { Vec::new() }, needed);
                }
            } else if kernel.effect(op) != Effect::Pure && !data.code.is_elementwise() && !asked.contains_key(&op) {
                needed.ops.insert(op);
                needed.values.extend(&data.results);
                self.need(kernel.inputs(op), needed);
            }
        }
    }

    /// The dimensions in which a load's cell has to be tested, so that it lies in its array for all of the loop's range;
    /// `None` if its size is not known.
    pub(super) fn to_be_tested(&self, facts: &Facts, range: &Counting, load: Op) -> Option<Vec<usize>> {
        let kernel = self.kernel;
        let data = &kernel.ops[load];
        let (view, root) = (data.operands[0], kernel.root(data.operands[0]));
        let is_field = |op| kernel.ops[op].code == Code::Field && kernel.sizes_of_field(op).is_empty();
        let is_whole = view == root || kernel.def_op(view).is_some_and(is_field);
        let param = kernel.params.iter().find(|param| param.value == root);
        let is_sized = param.is_none_or(|param| !param.sizes.iter().any(has_own));
        let mut dims = Vec::new();
        for (dim, &subscript) in data.operands[1..].iter().enumerate() {
            if !(is_whole && self.lies_inside(facts, range, root, dim, subscript).is_some()) {
                dims.push(dim);
            }
        }
        (is_sized || dims.is_empty()).then_some(dims)
    }

    /// Returns `Some` if a subscript, which moves along with the index, is in range at both ends of the loop.
    fn lies_inside(&self, facts: &Facts, range: &Counting, root: Value, dim: usize, subscript: Value) -> Option<()> {
        let kernel = self.kernel;
        let index = kernel.regions[kernel.ops[self.op].regions[0]].args[0];
        let form = |value: Value| facts.values[value].exact_form();
        let own = form(subscript)?;
        let times = own.terms().find(|(atoms, _)| *atoms == [FormAtom::Value(index)]).map_or(0, |(_, times)| times);
        let rest = own.sub(&Form::value(index).scale(times)?)?;
        if rest.values().contains(&index) {
            return None;
        }
        let one = Form::constant(if range.upwards { 1 } else { -1 });
        let at = |end: &Form| rest.add(&end.scale(times)?);
        let ends = [at(form(kernel.ops[self.op].operands[0])?)?, at(&form(range.hi)?.sub(&one)?)?];
        let [low, high] = if (times >= 0) == range.upwards { [0, 1] } else { [1, 0] };
        let below = declared_size(kernel, root, dim)?.sub(&ends[high])?.sub(&Form::constant(1))?;
        let is_natural = |form: &Form| form.as_constant().is_some_and(|constant| constant >= 0);
        (is_natural(&ends[low]) && is_natural(&below)).then_some(())
    }
}
