//! Stories of values that are not uniform: what made them so, step by step.

use ispc_types::layer::Entity;

/// The reason why the value of a node is not uniform.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WhyVarying {
    /// It is `programIndex`.
    ProgramIndex,
    /// It is the variable of a `foreach` in the dimension that the lanes run along.
    ForeachIndex,
    /// It is the variable of a `foreach_tiled`, whose lanes lie in a tile.
    TiledIndex,
    /// A variable, parameter or member is declared so, and nothing more is known of its value.
    Declared(Entity),
    /// A variable has no value yet.
    NoValue(Entity),
    /// The address of a variable was taken, so anybody may set it.
    Shared(Entity),
    /// It is loaded, and each lane has a value of its own in memory.
    OwnCell,
    /// It is loaded from a place that each lane has its own of.
    OtherCells,
    /// A function gives one value a lane.
    CallResult,
    /// An operation takes the lanes out of their row.
    OutOfRow,
    /// A variable has the value that this node gave it.
    Assigned(u32),
    /// Lanes went different ways at this node's condition, and each has the value of its way.
    OtherWays,
    /// Lanes leave a loop in different rounds, and each has the value of its last one.
    OtherRounds,
    /// Lanes run here that did not run where the value was set.
    OtherLanes,
}

/// A step of a story.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VaryingStep {
    /// The node that it is about.
    pub node: u32,
    /// The reason.
    pub why: WhyVarying,
    /// The node whose story goes on.
    pub next: Option<u32>,
}
