//! Facts about lanes, as side tables over a scalar, sequential kernel.
//!
//! - [`form`]: an integer as a polynomial in the lane loop's iteration
//! - [`ir::range`]: the bounds of an integer
//! - `bounds`: tighter bounds, from facts that hold where the integer is computed
//! - [`spread`]: a form, lane by lane, where the number of lanes is known
//! - [`shape`]: the pattern in which a value differs from lane to lane
//! - `uniformity`: the walk that finds these facts, and the control that each block stands under
//! - [`access`]: the layout in memory of the cells that lanes load or store
//! - [`counting`]: counting loops with early exits
//! - [`dependence`]: the accesses of a loop nest that touch the same cell, and the iterations in which they do
//! - [`mod@lane_loops`]: the loops that take the lanes
//! - [`mod@loops`]: the values that each loop carries, and the verdict on running its iterations as lanes
//!
//! Facts are relative to one loop, whose consecutive iterations are the lanes: the one that takes the lanes if that is
//! known, else the one that would be looked at first (see [`mod@lane_loops`]). They do not depend on the number of lanes, nor
//! on the target. In a vectorised kernel they are relative to each `vector_for`, and to one group of its lanes.

pub mod access;
mod bounds;
pub mod counting;
pub mod dependence;
pub mod form;
pub mod integers;
pub mod lane_loops;
pub mod loops;
pub mod shape;
pub mod spread;
mod uniformity;

use rustc_hash::FxHashSet;

use ir::entities::{EntityVec, Op, Region, Value};
use ir::forest::LoopForest;
use ir::program::Kernel;

pub use access::Access;
pub use form::Form;
pub use ir::range::{self, ValueRange};
pub use lane_loops::lane_loops;
pub use report::lanes::{Class, Flow};
pub use shape::{Repeat, Shape};
pub use spread::Spread;

/// The facts about the lanes of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The loops whose iterations are lanes, in order; none is inside of another.
    pub loops: Vec<Op>,
    /// The fact of each value.
    pub values: EntityVec<Value, Fact>,
    /// The range of each integer.
    pub ranges: EntityVec<Value, Option<ValueRange>>,
    /// The control that each block stands under.
    pub flows: EntityVec<Region, Flow>,
    /// The lane loop that each block is inside of.
    pub lane_loops: EntityVec<Region, Option<Op>>,
    /// The arrays that each lane makes for itself, and of which all lanes' hold the same: what is stored there is uniform, at uniform places.
    pub alike: FxHashSet<Value>,
    /// The loads and stores, in order.
    pub accesses: Vec<Access>,
    /// The position in `accesses` of each op that is one.
    access_of: EntityVec<Op, Option<u32>>,
    /// The bytes from one cell to the next along each dimension, of the parameters that are arrays.
    strides: Vec<Option<Vec<Form>>>,
}

/// The facts about one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The shape of the value from lane to lane.
    pub shape: Shape,
    /// The form of an integer; if it is not exact, the integer may have wrapped, and only its low bits are those of the form.
    pub form: Option<Form>,
    /// True if the form is exact.
    pub exact: bool,
    /// The cause of the variation; `None` for a uniform value.
    pub cause: Option<Cause>,
}

impl Fact {
    /// The form, if the integer is exactly that.
    pub fn exact_form(&self) -> Option<&Form> {
        self.form.as_ref().filter(|_| self.exact)
    }
}

/// The cause of a value's variation: one link of the chain that reports follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cause {
    /// The way in which the value came to vary.
    pub reason: VaryingReason,
    /// The value that made it vary, whose own cause goes on from there.
    pub value: Option<Value>,
}

/// The ways in which a value comes to vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VaryingReason {
    /// The index of the lane loop.
    Iteration,
    /// The number of the lane.
    LaneNumber,
    /// One of the operands varies.
    Operand,
    /// A load with a varying subscript.
    Address,
    /// A load from an array that the iterations write.
    Written,
    /// A varying condition decides which value it is.
    Condition,
    /// Lanes leave the loop it comes from at different times, as this value says.
    Leaves,
    /// The lane loop carries it.
    Carried,
    /// A value of other lanes.
    Lanes,
    /// An op that the analysis does not know.
    Unknown,
}

impl Facts {
    fn unknown(kernel: &Kernel, loops: &[Op]) -> Facts {
        let fact = Fact { shape: Shape::Arbitrary, form: None, exact: true, cause: None };
        Facts {
            loops: loops.to_vec(),
            values: EntityVec::filled(kernel.values.len(), fact),
            ranges: EntityVec::filled(kernel.values.len(), None),
            flows: EntityVec::filled(kernel.regions.len(), Flow::AllOn),
            lane_loops: EntityVec::filled(kernel.regions.len(), None),
            alike: FxHashSet::default(),
            accesses: Vec::new(),
            access_of: EntityVec::filled(kernel.ops.len(), None),
            strides: kernel.params.iter().map(|param| access::declared_strides(kernel, param.value)).collect(),
        }
    }

    /// Finds the loads and stores.
    fn classify(&mut self, kernel: &Kernel) {
        self.accesses = access::find(kernel, self);
        for (n, access) in self.accesses.iter().enumerate() {
            self.access_of[access.op] = Some(n as u32);
        }
    }

    /// Returns the shape of a value from lane to lane.
    pub fn shape(&self, value: Value) -> &Shape {
        &self.values[value].shape
    }

    /// The access that an op is.
    pub fn access(&self, op: Op) -> Option<&Access> {
        self.access_of[op].map(|n| &self.accesses[n as usize])
    }

    /// The number of accesses that go from lane to lane as one does, in the same array: a load among loads, a store among stores.
    pub fn alike(&self, access: &Access) -> u64 {
        let key = |it: &Access| (it.root, it.stores, it.lane_loop);
        let is_alike = |it: &&Access| key(it) == key(access) && it.shape == access.shape;
        self.accesses.iter().filter(is_alike).count() as u64
    }

    /// The bytes of the widest cells that the lanes of a loop touch.
    pub fn widest_cells(&self, kernel: &Kernel, lane_loop: Op) -> Option<i128> {
        let mut widest = None;
        kernel.walk_inside(lane_loop, &mut |inner| {
            let own = self.access(inner).filter(|access| access.lane_loop == Some(lane_loop));
            widest = widest.max(own.map(|access| access.bytes));
        });
        widest
    }

    /// The causes of a value that varies, step by step: the value itself with its cause, then the value which that names, and so
    /// on.
    pub fn chain(&self, value: Value) -> Vec<(Value, Cause)> {
        let mut chain: Vec<(Value, Cause)> = Vec::new();
        let mut at = Some(value);
        while let Some(value) = at {
            let Some(cause) = self.values[value].cause else { break };
            // A carried value may be its own cause.
            if chain.iter().any(|(seen, _)| *seen == value) {
                break;
            }
            chain.push((value, cause));
            at = cause.value;
        }
        chain
    }
}

/// The facts of a kernel whose lanes run along these loops.
pub fn facts(kernel: &Kernel, lane_loops: &[Op]) -> Facts {
    let mut facts = facts_of_values(kernel, lane_loops);
    uniformity::shorten_causes(kernel, &mut facts);
    facts.classify(kernel);
    facts
}

/// The facts about values, blocks and accesses: a cause may be further away than the nearest.
pub fn facts_without_causes(kernel: &Kernel, lane_loops: &[Op]) -> Facts {
    let mut facts = facts_of_values(kernel, lane_loops);
    facts.classify(kernel);
    facts
}

/// The facts about values and blocks alone: no access is classified, and a cause may be further away than the nearest.
pub fn facts_of_values(kernel: &Kernel, lane_loops: &[Op]) -> Facts {
    uniformity::find(kernel, lane_loops, &|_| false)
}

/// The facts about the values of a scalar part of a kernel that the bodies of some loops are not: no loop has lanes, and nothing is known of
/// what is inside of the loops for which `is_passed` holds.
pub fn facts_around(kernel: &Kernel, is_passed: &dyn Fn(Op) -> bool) -> Facts {
    uniformity::find(kernel, &[], is_passed)
}

/// The facts about the values, blocks and accesses of some loops that are lanes, without causes; nothing is known of what is inside of
/// other ops beside them.
pub fn facts_among(kernel: &Kernel, forest: &LoopForest, lane_loops: &[Op]) -> Facts {
    let is_near = |op: Op, asked: Op| asked == op || forest.encloses(op, asked) || forest.encloses(asked, op);
    let is_passed = |op: Op| !lane_loops.iter().any(|&asked| is_near(op, asked));
    let mut facts = uniformity::find(kernel, lane_loops, &is_passed);
    facts.classify(kernel);
    facts
}

#[cfg(test)]
mod tests;
