//! Loads of cells that were loaded shortly before, which [`load_reuse`](crate::load_reuse) will drop: they cost nothing.

use rustc_hash::{FxHashMap, FxHashSet};

use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Kernel, Values};

/// Returns the loads in a block, and in what is inside of it, whose cells a load before them in it has loaded.
pub(super) fn of_block(kernel: &Kernel, region: Region) -> FxHashSet<Op> {
    let mut finder =
        Finder { kernel, known: FxHashMap::default(), learned: Vec::new(), repeated: FxHashSet::default() };
    finder.region(region);
    finder.repeated
}

struct Finder<'k> {
    kernel: &'k Kernel,
    /// The cells that are known where the walk is, views and subscripts, by array.
    known: FxHashMap<Value, FxHashSet<Values>>,
    /// Those in the order in which they became known; they are forgotten at the end of the block.
    learned: Vec<(Value, Values)>,
    repeated: FxHashSet<Op>,
}

impl Finder<'_> {
    fn region(&mut self, region: Region) {
        let kernel = self.kernel;
        for &op in &kernel.regions[region].ops {
            let data = &kernel.ops[op];
            match data.code {
                Code::Load => {
                    let root = kernel.root(data.operands[0]);
                    match self.known.entry(root).or_default().insert(data.operands.clone()) {
                        true => self.learned.push((root, data.operands.clone())),
                        false => _ = self.repeated.insert(op),
                    }
                }
                _ if !data.regions.is_empty() => self.inner_regions(op),
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
            let outside = self.learned.len();
            self.region(region);
            for (root, cells) in self.learned.drain(outside..) {
                if let Some(known) = self.known.get_mut(&root) {
                    known.remove(&cells);
                }
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
