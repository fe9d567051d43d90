//! A block of straight-line code: its ops in order, the cells that its loads and stores touch, and what each op has to wait
//! for.
//!
//! The dependence graph is acyclic, since an op waits for earlier ones alone: for those that make its operands, and for those
//! with an effect that must not change places with its own. Two loads or stores may change places where no cell is one of
//! both: their arrays cannot overlap, or the distance of their cells is a constant that keeps them apart.

use rustc_hash::FxHashMap;

use crate::memory::number;
use crate::memory::touch::lies_side_by_side;
use facts::{Facts, Form, access};
use ir::effects::Effects;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::{Code, Effect};
use ir::program::{Def, Kernel, Values};
use ir::types::Elem;

/// The most ops of a block that are looked at together; what follows them is a block of its own.
pub(crate) const MOST_OPS: usize = 2_048;

/// A load or store of one cell, the place of which is known but for something that several of them share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) elem: Elem,
    pub(crate) stores: bool,
    /// The number of the array and the varying part of the address: cells of one number lie at constant distances.
    pub(super) base: usize,
    /// The byte behind that.
    pub(super) at: i128,
}

impl Cell {
    /// The distance of another cell of the same base and the same type, in cells.
    pub(crate) fn distance(&self, other: &Cell) -> Option<i128> {
        let apart = other.at - self.at;
        let bytes = self.elem.bytes() as i128;
        (self.base == other.base && self.elem == other.elem && apart % bytes == 0).then_some(apart / bytes)
    }

    /// Says whether no byte is one of both.
    fn is_apart_from(&self, other: &Cell) -> bool {
        self.at + self.elem.bytes() as i128 <= other.at || other.at + other.elem.bytes() as i128 <= self.at
    }
}

/// The address of a vector load or store.
#[derive(Debug, Clone)]
pub(super) enum Address {
    /// A view and subscripts, those of the first cell.
    Of(Values),
    /// The first of the cells of an array, when these are counted from its start.
    InArray(Value, Elem, Form),
}

/// A scalar that a loop carries: its value in an iteration, and the one that it hands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Carried {
    /// The number among what the loop carries.
    pub(super) number: usize,
    pub(super) arg: Value,
    pub(super) next: Value,
}

/// A set of ops of a block, by number.
#[derive(Debug, Clone, Default)]
struct OpSet(Vec<u64>);

impl OpSet {
    fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word & (1 << (number % 64)) != 0)
    }

    /// Adds an op, and those of another set, which are earlier ones.
    fn add(&mut self, number: usize, others: &OpSet) {
        let n_words = (number / 64 + 1).max(others.0.len());
        if self.0.len() < n_words {
            self.0.resize(n_words, 0);
        }
        self.0[number / 64] |= 1 << (number % 64);
        self.0.iter_mut().zip(&others.0).for_each(|(own, other)| *own |= other);
    }
}

/// Some neighbouring ops of a region.
pub(crate) struct Block<'k> {
    pub(crate) kernel: &'k Kernel,
    pub(crate) facts: &'k Facts,
    pub(crate) region: Region,
    pub(crate) ops: Vec<Op>,
    /// The scalars that the loop carries whose whole body the block is.
    pub(super) carried: Vec<Carried>,
    /// True in a loop: its iterations may wait for each other.
    pub(super) in_loop: bool,
    /// The number of each op in the block.
    pub(crate) numbers: FxHashMap<Op, usize>,
    /// The cell that each op loads or stores, if it does that and the place is known.
    pub(crate) cells: Vec<Option<Cell>>,
    /// The ops that each op directly waits for, by number: those that make its operands, and those with a place that it may not change
    /// with its own, but for what these wait for by their own places.
    pub(crate) waits: Vec<Vec<usize>>,
    /// All ops that each op waits for.
    reached: Vec<OpSet>,
    /// All values: whatever an address is made of is there before the first access.
    visible: &'k EntityVec<Value, bool>,
    /// The addresses but for their constants, each with the array.
    bases: Vec<(Value, Form)>,
}

impl<'k> Block<'k> {
    /// The block of some neighbouring ops of a region.
    pub(crate) fn new(
        kernel: &'k Kernel,
        facts: &'k Facts,
        effects: &Effects,
        (region, ops): (Region, &[Op]),
        (forest, visible): (&LoopForest, &'k EntityVec<Value, bool>),
    ) -> Block<'k> {
        let numbers = ops.iter().enumerate().map(|(number, &op)| (op, number)).collect();
        let is_whole = ops.len() == kernel.regions[region].ops.len();
        let around = forest.owner(region).filter(|_| is_whole);
        let carried = around.map_or_else(Vec::new, |around| carried(kernel, around));
        let mut block = Block {
            kernel,
            facts,
            region,
            ops: ops.to_vec(),
            carried,
            in_loop: forest.depth_of_region(region) > 0,
            numbers,
            cells: Vec::new(),
            waits: Vec::new(),
            reached: Vec::new(),
            visible,
            bases: Vec::new(),
        };
        let mut known: FxHashMap<(Value, Form), usize> = FxHashMap::default();
        block.cells = ops.iter().map(|&op| block.cell(op, &mut known)).collect();
        let mut bases: Vec<((Value, Form), usize)> = known.into_iter().collect();
        bases.sort_by_key(|(_, number)| *number);
        block.bases = bases.into_iter().map(|(base, _)| base).collect();
        block.find_waits(effects);
        block.find_reached();
        block
    }

    fn cell(&self, op: Op, known: &mut FxHashMap<(Value, Form), usize>) -> Option<Cell> {
        let data = &self.kernel.ops[op];
        let stores = match data.code {
            Code::Load => false,
            Code::Store => true,
            _ => return None,
        };
        let view = *data.operands.first()?;
        let elem = self.kernel.ty(view).elem()?;
        let (varying, at) = access::address(self.kernel, self.facts, op)?.split_constant();
        let next = known.len();
        let base = *known.entry((self.kernel.root(view), varying)).or_insert(next);
        Some(Cell { elem, stores, base, at })
    }

    fn find_waits(&mut self, effects: &Effects) {
        let kernel = self.kernel;
        // Of the ops so far: those that touch memory or may end the program, in order.
        let mut with_effects: Vec<usize> = Vec::new();
        let touched: Vec<_> = self.ops.iter().map(|&op| effects.touched(kernel, op)).collect();
        // What each of those comes behind. Makers do not count: what is packed with a load may be made without it.
        let mut behind: Vec<OpSet> = Vec::new();
        for (number, &op) in self.ops.iter().enumerate() {
            let makers = kernel.inputs(op).into_iter().filter_map(|value| self.maker(value));
            let mut waits: Vec<usize> = makers.collect();
            let mut own = OpSet::default();
            if self.has_place(effects, op) {
                for &earlier in with_effects.iter().rev() {
                    if !own.contains(earlier) && self.keep_order(effects, &touched, earlier, number) {
                        waits.push(earlier);
                        own.add(earlier, &behind[earlier]);
                    }
                }
                with_effects.push(number);
            }
            behind.push(own);
            waits.sort_unstable();
            waits.dedup();
            self.waits.push(waits);
        }
    }

    /// Says whether an op may have to keep its place among others: all but those that only compute.
    fn has_place(&self, effects: &Effects, op: Op) -> bool {
        let code = self.kernel.ops[op].code;
        match effects.effect(op) {
            Effect::Pure => false,
            // Arithmetic that fails ends a run whichever op comes first; a check stands before what it guards.
            Effect::Fails => !code.is_elementwise(),
            Effect::Reads | Effect::Writes => true,
        }
    }

    /// Says whether two ops with a place may not change places, of which the first is the earlier one.
    fn keep_order(&self, effects: &Effects, touched: &[ir::effects::Touched], a: usize, b: usize) -> bool {
        let kernel = self.kernel;
        let [first, second] = [a, b].map(|number| self.ops[number]);
        let is_cell = [a, b].map(|number| matches!(kernel.ops[self.ops[number]].code, Code::Load | Code::Store));
        // Checks, branches and loops keep their places among all others: an access behind a check may need it.
        if is_cell != [true; 2] {
            let only_reads = |op: Op| effects.effect(op) == Effect::Reads && !kernel.ops[op].code.is_control();
            return !(only_reads(first) && only_reads(second));
        }
        if let (Some(own), Some(other)) = (&self.cells[a], &self.cells[b])
            && own.base == other.base
        {
            return (own.stores || other.stores) && !own.is_apart_from(other);
        }
        touched[a].iter().any(|&(array, writes)| {
            touched[b].iter().any(|&(other, also)| (writes || also) && kernel.may_overlap(array, other))
        })
    }

    fn find_reached(&mut self) {
        for waits in &self.waits {
            let mut reached = OpSet::default();
            waits.iter().for_each(|&earlier| reached.add(earlier, &self.reached[earlier]));
            self.reached.push(reached);
        }
    }

    /// The number of the op of the block that makes a value.
    pub(super) fn maker(&self, value: Value) -> Option<usize> {
        self.kernel.def_op(value).and_then(|op| self.numbers.get(&op).copied())
    }

    /// The cell that a value was loaded from in this block.
    pub(super) fn loaded(&self, value: Value) -> Option<&Cell> {
        let cell = self.cells[self.maker(value)?].as_ref()?;
        (!cell.stores).then_some(cell)
    }

    /// Says whether a value is there before the region: no op of it makes it, and no loop around hands it on.
    pub(super) fn is_from_outside(&self, value: Value) -> bool {
        match self.kernel.values[value].def {
            Def::Arg(region, _) => region != self.region,
            Def::Result(op, _) => {
                !self.numbers.contains_key(&op) && !self.kernel.regions[self.region].ops.contains(&op)
            }
            _ => true,
        }
    }

    /// The value that a store of one cell stores.
    pub(super) fn stored(&self, number: usize) -> Option<Value> {
        self.kernel.ops[self.ops[number]].operands.last().copied()
    }

    /// Says whether one of two ops waits for the other, or for one that does.
    fn depend(&self, a: usize, b: usize) -> bool {
        let (early, late) = (a.min(b), a.max(b));
        self.reached[late].contains(early)
    }

    /// Says whether some ops can be done at the same time.
    pub(super) fn are_independent(&self, ops: &[usize]) -> bool {
        ops.iter().enumerate().all(|(number, &a)| ops[..number].iter().all(|&b| a != b && !self.depend(a, b)))
    }

    /// The first result of an op.
    pub(super) fn result(&self, number: usize) -> Value {
        self.kernel.ops[self.ops[number]].results[0]
    }

    /// The address of some loads or stores of neighbouring cells as one access, given in the order of their cells.
    pub(super) fn address(&self, ops: &[usize]) -> Option<Address> {
        let kernel = self.kernel;
        let first = &kernel.ops[self.ops[ops[0]]];
        let n_address = 1 + usize::from(kernel.ty(first.operands[0]).rank());
        let row = |number: usize| &kernel.ops[self.ops[number]].operands[..n_address - 1];
        if lies_side_by_side(kernel, first.operands[0]) && ops.iter().all(|&number| row(number) == row(ops[0])) {
            return Some(Address::Of(first.operands[..n_address].into()));
        }
        let cell = self.cells[ops[0]]?;
        let (root, varying) = &self.bases[cell.base];
        let bytes = cell.elem.bytes() as i128;
        let start = varying.add(&Form::constant(cell.at))?.divide_exactly(bytes)?;
        let whole_cells = kernel.item_bytes(kernel.ty(*root).item()?).is_multiple_of(cell.elem.bytes());
        let can_be_made = whole_cells && number::can_be_made(kernel, self.facts, self.visible, &start);
        can_be_made.then_some(Address::InArray(*root, cell.elem, start))
    }

    /// Says whether some loads or stores of neighbouring cells can be one access.
    pub(super) fn can_be_one(&self, ops: &[usize]) -> bool {
        self.address(ops).is_some()
    }
}

/// The scalars that a loop carries; none for one that does not count.
pub(super) fn carried(kernel: &Kernel, op: Op) -> Vec<Carried> {
    let data = &kernel.ops[op];
    let Some(&region) = data.regions.first().filter(|_| data.code == Code::For) else { return Vec::new() };
    let data = &kernel.regions[region];
    let args = data.args.iter().skip(1).zip(&data.yields).enumerate();
    let is_scalar = |value: Value| kernel.ty(value).data_elem().is_some() && kernel.ty(value).lanes().is_none();
    args.filter(|(_, (arg, _))| is_scalar(**arg)).map(|(number, (&arg, &next))| Carried { number, arg, next }).collect()
}

/// The blocks of a region, each of at most so many ops that all pairs of them can be compared.
pub(crate) fn windows(kernel: &Kernel, region: Region) -> impl Iterator<Item = &[Op]> {
    kernel.regions[region].ops.chunks(MOST_OPS)
}
