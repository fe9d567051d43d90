//! The nest of a kernel: the loops around each block, the order of the ops, and the accesses to each array.
//!
//! A *level* is one index of a loop: a `for` or `while` has one, a `foreach` as many as it has indices. The iterations
//! of a level are numbered from 0; a `while`, too, has such a number, even where no variable counts.

use std::sync::Arc;

use ir::entities::{EntityVec, Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::{Attr, Kernel};

/// A level: one index of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Level {
    /// The op of the loop.
    pub op: Op,
    /// The position among the loop's indices.
    pub index: usize,
}

/// A load or a store, seen from the array that it goes to.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub(crate) op: Op,
    pub(crate) is_store: bool,
    /// The array: a parameter, or the result of `temp`.
    pub(crate) root: Value,
    /// The field of each struct, for an array of structs.
    pub(crate) field: Option<u16>,
    /// The view that is subscripted: the array, or a part of it.
    pub(crate) view: Value,
    /// The subscripts of the view.
    pub(crate) subscripts: Vec<Value>,
    /// True if it goes to one of the cells from the last subscript on, as many of which as lanes participate are touched together.
    pub(crate) packs: bool,
}

/// The places of loops, ops and accesses in a kernel.
#[derive(Debug)]
pub(crate) struct Nest<'k> {
    pub(crate) kernel: &'k Kernel,
    /// The loops, and the places of ops and regions in them.
    pub(crate) forest: Arc<LoopForest>,
    /// The levels around each region, outermost first.
    pub(crate) levels: EntityVec<Region, Arc<[Level]>>,
    /// The `assert`s in each region.
    pub(crate) asserts: EntityVec<Region, Vec<Op>>,
    /// All accesses, in program order.
    pub(crate) accesses: Vec<Access>,
    /// A value that is taken to be positive, as if an `assert` in front of all loops said so.
    pub(crate) positive: Option<Value>,
}

impl<'k> Nest<'k> {
    pub(crate) fn new(kernel: &'k Kernel, forest: Arc<LoopForest>) -> Nest<'k> {
        let n_regions = kernel.regions.len();
        let mut nest = Nest {
            kernel,
            forest,
            levels: EntityVec::filled(n_regions, Arc::new([])),
            asserts: EntityVec::filled(n_regions, Vec::new()),
            accesses: Vec::new(),
            positive: None,
        };
        nest.region(kernel.body);
        nest
    }

    fn region(&mut self, region: Region) {
        for &op in &self.kernel.regions[region].ops {
            let data = &self.kernel.ops[op];
            match data.code {
                Code::Assert => self.asserts[region].push(op),
                Code::Load | Code::Store | Code::ExpandLoad | Code::CompressStore => self.access(op),
                code if code.as_atomic().is_some() => self.access(op),
                _ => {}
            }
            if data.regions.is_empty() {
                continue;
            }
            let n_levels = self.n_levels(op);
            let around = self.levels[region].iter().copied();
            let inside: Arc<[Level]> = around.chain((0..n_levels).map(|index| Level { op, index })).collect();
            for &inner in &data.regions {
                self.levels[inner] = inside.clone();
                self.region(inner);
            }
        }
    }

    /// Returns the number of levels that an op adds.
    fn n_levels(&self, op: Op) -> usize {
        match self.kernel.ops[op].code {
            Code::For | Code::Foreach | Code::VectorFor => self.kernel.n_ranges(op),
            Code::While => 1,
            _ => 0,
        }
    }

    fn access(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let view = data.operands[0];
        let rank = usize::from(kernel.ty(view).rank());
        let mut field = None;
        let mut at = view;
        while let Some(made) = kernel.def_op(at) {
            let part = &kernel.ops[made];
            match (part.code, &part.attr) {
                (Code::Field, Attr::Field(number)) => field = Some(*number),
                (Code::Row | Code::Slice, _) => {}
                _ => break,
            }
            at = part.operands[0];
        }
        self.accesses.push(Access {
            op,
            is_store: matches!(data.code, Code::Store | Code::CompressStore) || data.code.as_atomic().is_some(),
            root: at,
            field,
            view,
            subscripts: data.operands[1..=rank].to_vec(),
            packs: matches!(data.code, Code::ExpandLoad | Code::CompressStore),
        });
    }

    /// Returns the number of levels around the place where a value is defined.
    pub(crate) fn depth_of(&self, value: Value) -> usize {
        self.levels[self.forest.region_of_value(self.kernel, value)].len()
    }

    /// The levels around an op.
    pub(crate) fn levels_of(&self, op: Op) -> &Arc<[Level]> {
        &self.levels[self.forest.region_of(op)]
    }

    /// Returns the number of levels, from the outermost one on, that are around both ops.
    pub(crate) fn n_common(&self, a: Op, b: Op) -> usize {
        let pairs = self.levels_of(a).iter().zip(self.levels_of(b).iter());
        pairs.take_while(|(a, b)| a == b).count()
    }

    /// Tells if an op runs only where a runtime alias check has found two arrays disjoint.
    pub(crate) fn tested_disjoint(&self, op: Op, a: Value, b: Value) -> bool {
        self.forest.regions_around(op).any(|region| {
            let Some(owner) = self.forest.owner(region) else { return false };
            let data = &self.kernel.ops[owner];
            let is_other_side = data.code == Code::If && data.regions.last() == Some(&region);
            let are_disjoint = |pair: &(Value, Value)| *pair == (a, b) || *pair == (b, a);
            is_other_side && self.kernel.tested_disjoint(owner).iter().any(are_disjoint)
        })
    }
}
