//! The values of a loop's body that depend on given ones.

use rustc_hash::FxHashSet;

use ir::entities::{Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::Kernel;
use ir::uses::{Use, Uses};

/// The values inside of a loop that depend on one of its arguments in one iteration: a control op with one of them inside depends on it
/// as a whole, but for a `for`, whose index and other values do not.
pub(super) fn reach(kernel: &Kernel, forest: &LoopForest, uses: &Uses, loop_op: Op, arg: Value) -> FxHashSet<Value> {
    let mut reach = Reach { kernel, reached: FxHashSet::from_iter([arg]), open: vec![arg] };
    while let Some(value) = reach.open.pop() {
        for &user in uses.users(value) {
            match user {
                Use::Operand(op, number) => reach.operand(op, number),
                Use::Yield(region) => match forest.owner(region) {
                    Some(owner) if owner != loop_op => reach.yielded(owner, region, value),
                    _ => {}
                },
            }
        }
    }
    reach.reached
}

/// The values that are reached so far.
struct Reach<'k> {
    kernel: &'k Kernel,
    reached: FxHashSet<Value>,
    /// Those whose users were not looked at yet.
    open: Vec<Value>,
}

impl Reach<'_> {
    fn add(&mut self, value: Value) {
        if self.reached.insert(value) {
            self.open.push(value);
        }
    }

    /// Adds what depends on an op's operand.
    fn operand(&mut self, op: Op, number: usize) {
        match self.is_counted(op) {
            true if number >= 3 => self.carried(op, number - 3),
            _ => self.whole(op),
        }
    }

    /// Adds what depends on a value that a region of an op yields.
    fn yielded(&mut self, op: Op, region: Region, value: Value) {
        if !self.is_counted(op) {
            return self.whole(op);
        }
        let kernel = self.kernel;
        let yields = kernel.regions[region].yields.iter().enumerate();
        yields.filter(|(_, yielded)| **yielded == value).for_each(|(number, _)| self.carried(op, number));
    }

    /// Adds all results of an op, and the arguments of its regions.
    fn whole(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let args = data.regions.iter().flat_map(|&region| &kernel.regions[region].args);
        args.chain(&data.results).for_each(|&value| self.add(value));
    }

    /// Adds a value that a `for` carries. It carries each by itself.
    fn carried(&mut self, op: Op, number: usize) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let arg = kernel.regions[data.regions[0]].args.get(1 + number);
        data.results.get(number).into_iter().chain(arg).for_each(|&value| self.add(value));
    }

    /// Says whether an op is a loop over one range.
    fn is_counted(&self, op: Op) -> bool {
        matches!(self.kernel.ops[op].code, Code::For | Code::Foreach) && self.kernel.n_ranges(op) == 1
    }
}
