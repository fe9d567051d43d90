//! Loads of cells that were loaded shortly before, which [`load_reuse`](crate::load_reuse) will drop: they cost nothing.

use rustc_hash::{FxHashMap, FxHashSet};

use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Kernel, Values};

/// Returns the loads in a block, and in what is inside of it, whose cells a load before them in it has loaded.
pub(super) fn of_block(kernel: &Kernel, region: Region) -> FxHashSet<Op> {
    let mut finder = Finder::new(kernel, None);
    finder.ops(&kernel.regions[region].ops);
    finder.repeated
}

/// Returns such loads in each of some parts of a loop, as they are if each part is a loop of its own, one behind the other.
pub(super) fn of_parts(kernel: &Kernel, op: Op, parts: &[&[Op]]) -> Vec<FxHashSet<Op>> {
    let mut finder = Finder::new(kernel, Some((op, parts)));
    finder.ops(&kernel.regions[kernel.body].ops);
    finder.of_parts
}

struct Finder<'k> {
    kernel: &'k Kernel,
    /// A loop that counts as one for each of some of its ops.
    divided: Option<(Op, &'k [&'k [Op]])>,
    of_parts: Vec<FxHashSet<Op>>,
    /// The cells that are known where the walk is, views and subscripts, by array.
    known: FxHashMap<Value, FxHashSet<Values>>,
    /// Those in the order in which they became known; they are forgotten at the end of the block.
    learned: Vec<(Value, Values)>,
    repeated: FxHashSet<Op>,
}

impl<'k> Finder<'k> {
    fn new(kernel: &'k Kernel, divided: Option<(Op, &'k [&'k [Op]])>) -> Finder<'k> {
        Finder {
            kernel,
            divided,
            of_parts: Vec::new(),
            known: FxHashMap::default(),
            learned: Vec::new(),
            repeated: FxHashSet::default(),
        }
    }

    fn ops(&mut self, ops: &[Op]) {
        let kernel = self.kernel;
        for &op in ops {
            let data = &kernel.ops[op];
            match data.code {
                Code::Load => {
                    let root = kernel.root(data.operands[0]);
                    match self.known.entry(root).or_default().insert(data.operands.clone()) {
                        true => self.learned.push((root, data.operands.clone())),
                        false => _ = self.repeated.insert(op),
                    }
                }
                _ if !data.regions.is_empty() => match self.divided.filter(|(divided, _)| *divided == op) {
                    Some((_, parts)) => parts.iter().for_each(|part| self.part(part)),
                    None => self.inner_regions(op),
                },
                _ => self.forget_what_changes(op),
            }
        }
    }

    /// What a loop changes may have changed before each of its iterations.
    fn inner_regions(&mut self, op: Op) {
        let kernel = self.kernel;
        if kernel.ops[op].code != Code::If {
            kernel.walk_inside(op, &mut |inner| self.forget_what_changes(inner));
        }
        for &region in &kernel.ops[op].regions {
            self.block(&kernel.regions[region].ops);
        }
    }

    /// A part of a loop, as a loop of its own.
    fn part(&mut self, ops: &[Op]) {
        for &op in ops {
            self.forget_what_changes(op);
            self.kernel.walk_inside(op, &mut |inner| self.forget_what_changes(inner));
        }
        let outside = std::mem::take(&mut self.repeated);
        self.block(ops);
        self.of_parts.push(std::mem::replace(&mut self.repeated, outside));
    }

    fn block(&mut self, ops: &[Op]) {
        let outside = self.learned.len();
        self.ops(ops);
        for (root, cells) in self.learned.drain(outside..) {
            if let Some(known) = self.known.get_mut(&root) {
                known.remove(&cells);
            }
        }
    }

    /// Forgets what is known of an array that an op writes, and of those that may overlap it.
    fn forget_what_changes(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        if !data.regions.is_empty() || kernel.effect(op) != Effect::Writes {
            return;
        }
        let root = kernel.root(data.operands[0]);
        self.known.remove(&root);
        for &(a, b) in kernel.marks.alias.iter().filter(|pair| pair.0 == root || pair.1 == root) {
            self.known.remove(&a);
            self.known.remove(&b);
        }
    }
}
