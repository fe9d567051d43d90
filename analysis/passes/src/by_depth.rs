//! Facts relative to each loop that may have lanes: one table for all loops of the same depth, found when somebody asks for one of them.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use facts::Facts;
use ir::entities::Op;
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::Kernel;

/// The facts of one state of a kernel, by the depth of the loop that they are relative to.
#[derive(Debug)]
pub(crate) struct FactsByDepth {
    /// The nesting depth of each loop that may have lanes, counting only such loops; 0 for one in no other.
    depths: FxHashMap<Op, usize>,
    /// The loops of each depth, none of which is inside of another, with their facts.
    tables: Vec<(Vec<Op>, OnceLock<Arc<Facts>>)>,
}

impl FactsByDepth {
    /// The tables of a kernel with these loops, all of them empty still.
    pub(crate) fn new(kernel: &Kernel, forest: &LoopForest) -> FactsByDepth {
        let mut by_depth = FactsByDepth { depths: FxHashMap::default(), tables: Vec::new() };
        let is = |op: Op, code: Code| kernel.ops[op].code == code;
        for &op in forest.loops().iter().filter(|&&op| is(op, Code::For)) {
            // A `foreach` takes the lanes of all that is inside of it.
            if forest.around(op).any(|outer| is(outer, Code::Foreach)) {
                continue;
            }
            let depth = forest.around(op).filter(|&outer| is(outer, Code::For)).count();
            by_depth.depths.insert(op, depth);
            if depth == by_depth.tables.len() {
                by_depth.tables.push((Vec::new(), OnceLock::new()));
            }
            by_depth.tables[depth].0.push(op);
        }
        by_depth
    }

    /// The table of some loops, none of which is inside of another, whose facts are known; of other loops there is nothing.
    pub(crate) fn known(loops: &[Op], facts: Facts) -> FactsByDepth {
        let found = OnceLock::from(Arc::new(facts));
        FactsByDepth { depths: loops.iter().map(|&op| (op, 0)).collect(), tables: vec![(loops.to_vec(), found)] }
    }

    /// The facts relative to a loop, and to others of its depth.
    pub(crate) fn of(&self, kernel: &Kernel, op: Op) -> Option<&Facts> {
        let (loops, found) = &self.tables[*self.depths.get(&op)?];
        Some(found.get_or_init(|| Arc::new(facts::facts_without_causes(kernel, loops))))
    }

    /// The facts relative to some loops, if these are all loops of one depth.
    pub(crate) fn of_all(&self, kernel: &Kernel, loops: &[Op]) -> Option<Arc<Facts>> {
        let first = *loops.first()?;
        let (own, found) = &self.tables[*self.depths.get(&first)?];
        let is_found = own == loops && self.of(kernel, first).is_some();
        found.get().filter(|_| is_found).cloned()
    }
}
