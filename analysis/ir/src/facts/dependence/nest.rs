//! Where everything stands: the loops around each block, the order of the ops, and the accesses to each array.
//!
//! A *level* is one index of a loop: a `for` or `while` has one, a `foreach` as many as it has indices. The iterations
//! of a level are numbered from 0; a `while`, too, has such a number, even where no variable counts.

use std::sync::Arc;

use crate::entities::{EntityVec, Op, Region, Value};
use crate::ops::Code;
use crate::program::{Attr, Def, Kernel};

/// One index of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Level {
    /// The loop.
    pub op: Op,
    /// Which of its indices.
    pub index: usize,
}

/// A load or a store, seen from the array that it goes to.
#[derive(Debug, Clone)]
pub(in crate::facts) struct Access {
    pub(in crate::facts) op: Op,
    pub(in crate::facts) is_store: bool,
    /// The array: a parameter, or the result of `temp`.
    pub(in crate::facts) root: Value,
    /// The field of each struct, for an array of structs.
    pub(in crate::facts) field: Option<u16>,
    /// What is subscripted: the array, or a part of it.
    pub(in crate::facts) view: Value,
    /// The subscripts of that.
    pub(in crate::facts) subscripts: Vec<Value>,
}

/// Where everything stands in a kernel.
#[derive(Debug)]
pub(in crate::facts) struct Nest<'k> {
    pub(in crate::facts) kernel: &'k Kernel,
    /// The op that each region is a part of; `None` for the body.
    pub(in crate::facts) owners: EntityVec<Region, Option<Op>>,
    /// The levels around each region, outermost first.
    pub(in crate::facts) levels: EntityVec<Region, Arc<[Level]>>,
    /// The region that each op stands in.
    pub(in crate::facts) homes: EntityVec<Op, Option<Region>>,
    /// The ops' order: an op comes before what is inside of it.
    pub(in crate::facts) order: EntityVec<Op, u32>,
    /// The `assert`s in each region.
    pub(in crate::facts) asserts: EntityVec<Region, Vec<Op>>,
    /// All loops, outer ones before inner ones.
    pub(in crate::facts) loops: Vec<Op>,
    /// All accesses, in order.
    pub(in crate::facts) accesses: Vec<Access>,
}

impl<'k> Nest<'k> {
    pub(in crate::facts) fn new(kernel: &'k Kernel) -> Nest<'k> {
        let n_regions = kernel.regions.len();
        let mut nest = Nest {
            kernel,
            owners: EntityVec::filled(n_regions, None),
            levels: EntityVec::filled(n_regions, Arc::new([])),
            homes: EntityVec::filled(kernel.ops.len(), None),
            order: EntityVec::filled(kernel.ops.len(), 0),
            asserts: EntityVec::filled(n_regions, Vec::new()),
            loops: Vec::new(),
            accesses: Vec::new(),
        };
        nest.region(kernel.body, &mut 0);
        nest
    }

    fn region(&mut self, region: Region, next: &mut u32) {
        for &op in &self.kernel.regions[region].ops {
            self.homes[op] = Some(region);
            self.order[op] = *next;
            *next += 1;
            let data = &self.kernel.ops[op];
            match data.code {
                Code::Assert => self.asserts[region].push(op),
                Code::Load | Code::Store => self.access(op),
                _ => {}
            }
            let n_levels = self.n_levels(op);
            if n_levels > 0 {
                self.loops.push(op);
            }
            let around = self.levels[region].iter().copied();
            let inside: Arc<[Level]> = around.chain((0..n_levels).map(|index| Level { op, index })).collect();
            for &inner in &data.regions {
                self.owners[inner] = Some(op);
                self.levels[inner] = inside.clone();
                self.region(inner, next);
            }
        }
    }

    /// How many levels an op adds.
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
            is_store: data.code == Code::Store,
            root: at,
            field,
            view,
            subscripts: data.operands[1..=rank].to_vec(),
        });
    }

    /// The region that an op stands in.
    pub(in crate::facts) fn home(&self, op: Op) -> Region {
        self.homes[op].unwrap_or(self.kernel.body)
    }

    /// The region that a value is made in.
    pub(in crate::facts) fn home_of(&self, value: Value) -> Region {
        match self.kernel.values[value].def {
            Def::Param(_) | Def::Const(_) => self.kernel.body,
            Def::Result(op, _) => self.home(op),
            Def::Arg(region, _) => region,
        }
    }

    /// How many levels there are around the place where a value is made.
    pub(in crate::facts) fn depth_of(&self, value: Value) -> usize {
        self.levels[self.home_of(value)].len()
    }

    /// The levels around an op.
    pub(in crate::facts) fn levels_of(&self, op: Op) -> &Arc<[Level]> {
        &self.levels[self.home(op)]
    }

    /// How many levels, from the outermost one on, are around both ops.
    pub(in crate::facts) fn n_common(&self, a: Op, b: Op) -> usize {
        let pairs = self.levels_of(a).iter().zip(self.levels_of(b).iter());
        pairs.take_while(|(a, b)| a == b).count()
    }

    /// Whether an op is run only where a test has said that two arrays are apart.
    pub(in crate::facts) fn tested_apart(&self, op: Op, a: Value, b: Value) -> bool {
        self.regions_of(op).any(|region| {
            let Some(owner) = self.owners[region] else { return false };
            let data = &self.kernel.ops[owner];
            let is_other_side = data.code == Code::If && data.regions.last() == Some(&region);
            let are_apart = |pair: &(Value, Value)| *pair == (a, b) || *pair == (b, a);
            is_other_side && self.kernel.tested_apart(owner).iter().any(are_apart)
        })
    }

    /// The regions around an op, innermost first.
    pub(in crate::facts) fn regions_of(&self, op: Op) -> impl Iterator<Item = Region> {
        let outer = |region: &Region| self.owners[*region].map(|owner| self.home(owner));
        std::iter::successors(Some(self.home(op)), outer)
    }
}
