//! Facts about lanes, as side tables over a scalar, sequential kernel.
//!
//! - [`form`]: what an integer is, as a polynomial in the lane loop's iteration
//! - [`range`]: between which numbers it lies
//! - `bounds`: the same, by what is known to hold where it is computed
//! - [`spread`]: a form, lane by lane, where the number of lanes is known
//! - [`shape`]: how a value differs from lane to lane
//! - `uniformity`: the walk that finds them, and under which control each block stands
//! - [`access`]: how the cells that lanes load or store lie in memory
//! - [`counting`]: loops that count and may be left early
//! - [`dependence`]: which accesses of a loop nest meet in one cell, and in which iterations
//! - [`mod@lane_loops`]: which loops take the lanes
//! - [`mod@loops`]: what each loop hands from iteration to iteration, and whether its iterations can be lanes
//!
//! Facts are relative to one loop, whose consecutive iterations are the lanes: the one that takes the lanes if that is
//! known, else the one that would be looked at first (see [`mod@lane_loops`]). They do not depend on the number of lanes, nor
//! on the target. Of a kernel in lanes they are relative to each `vector_for`, and to one group of its lanes.

pub mod access;
mod bounds;
pub mod counting;
pub mod dependence;
pub mod form;
pub mod integers;
pub mod lane_loops;
pub mod loops;
pub mod range;
pub mod shape;
pub mod spread;
mod uniformity;

use ir::entities::{EntityVec, Op, Region, Value};
use ir::program::Kernel;

pub use access::Access;
pub use form::Form;
pub use lane_loops::lane_loops;
pub use range::Range;
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
    pub ranges: EntityVec<Value, Option<Range>>,
    /// Under which control each block stands.
    pub flows: EntityVec<Region, Flow>,
    /// The lane loop that each block is inside of.
    pub lane_loops: EntityVec<Region, Option<Op>>,
    /// The loads and stores, in order.
    pub accesses: Vec<Access>,
    /// Which of them an op is.
    access_of: EntityVec<Op, Option<u32>>,
}

/// The facts about one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// How it differs from lane to lane.
    pub shape: Shape,
    /// The form of an integer; if it is not exact, the integer may have wrapped, and only its low bits are those of the form.
    pub form: Option<Form>,
    /// True if the form is exact.
    pub exact: bool,
    /// Why it varies; `None` for what does not.
    pub cause: Option<Cause>,
}

impl Fact {
    /// The form, if the integer is exactly that.
    pub fn exact_form(&self) -> Option<&Form> {
        self.form.as_ref().filter(|_| self.exact)
    }
}

/// Why a value varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cause {
    /// How that came about.
    pub reason: Reason,
    /// The value that made it vary, whose own cause goes on from there.
    pub value: Option<Value>,
}

/// How a value came to vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The index of the lane loop.
    Iteration,
    /// The number of the lane.
    LaneNumber,
    /// An operand that varies.
    Operand,
    /// A load with a varying subscript.
    Address,
    /// A load from an array that the iterations write.
    Written,
    /// A varying condition decides which value it is.
    Condition,
    /// Lanes leave the loop it comes from at different times, as this value says.
    Leaves,
    /// Each iteration of the lane loop hands it to the next.
    Carried,
    /// A value of other lanes.
    Lanes,
    /// Something that was not understood.
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
            accesses: Vec::new(),
            access_of: EntityVec::filled(kernel.ops.len(), None),
        }
    }

    /// How a value differs from lane to lane.
    pub fn shape(&self, value: Value) -> &Shape {
        &self.values[value].shape
    }

    /// The access that an op is.
    pub fn access(&self, op: Op) -> Option<&Access> {
        self.access_of[op].map(|n| &self.accesses[n as usize])
    }

    /// The causes of a value that varies, step by step: the value itself with its cause, then the value which that names, and so
    /// on.
    pub fn chain(&self, value: Value) -> Vec<(Value, Cause)> {
        let mut chain: Vec<(Value, Cause)> = Vec::new();
        let mut at = Some(value);
        while let Some(value) = at {
            let Some(cause) = self.values[value].cause else { break };
            // What a loop carries may be its own cause.
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
    let mut facts = uniformity::find(kernel, lane_loops);
    facts.accesses = access::find(kernel, &facts);
    for (n, access) in facts.accesses.iter().enumerate() {
        facts.access_of[access.op] = Some(n as u32);
    }
    facts
}

#[cfg(test)]
mod tests;
