//! The kinds of what instructions do, and counts of them.

use std::ops::AddAssign;

/// The kinds of what instructions do that are counted separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Arithmetic on vectors and masks, and moves between their registers.
    Vector,
    /// Arithmetic on single elements, addresses, counters, jumps.
    Scalar,
    /// A load of a register's worth, contiguous, scalar, or of one cell for all lanes.
    Load,
    /// A store of a register's worth, contiguous or scalar.
    Store,
    /// A gather: a load of scattered cells.
    Gather,
    /// A scatter: a store to scattered cells.
    Scatter,
    /// A move of elements between lanes.
    Shuffle,
    /// A scalar in a register put in all lanes.
    Broadcast,
    /// A store of a register to the stack frame for lack of registers, or the load that brings it back.
    Spill,
    /// A caller's register, saved when the function begins or restored when it ends.
    Save,
    /// A call of another function.
    Call,
}

impl Kind {
    /// All kinds, in the order they are listed.
    pub const ALL: [Kind; 11] = [
        Kind::Vector,
        Kind::Scalar,
        Kind::Load,
        Kind::Store,
        Kind::Gather,
        Kind::Scatter,
        Kind::Shuffle,
        Kind::Broadcast,
        Kind::Spill,
        Kind::Save,
        Kind::Call,
    ];

    /// The name of the kind in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Vector => "vector",
            Kind::Scalar => "scalar",
            Kind::Load => "load",
            Kind::Store => "store",
            Kind::Gather => "gather",
            Kind::Scatter => "scatter",
            Kind::Shuffle => "shuffle",
            Kind::Broadcast => "broadcast",
            Kind::Spill => "spill",
            Kind::Save => "save",
            Kind::Call => "call",
        }
    }
}

/// A number for each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([u32; Kind::ALL.len()]);

impl Counts {
    /// The number of a kind.
    pub fn of(&self, kind: Kind) -> usize {
        self.0[kind as usize] as usize
    }

    /// Adds to the number of a kind.
    pub fn add(&mut self, kind: Kind, number: u32) {
        self.0[kind as usize] += number;
    }

    /// The kinds whose number is not 0, in the order they are listed.
    pub fn counted(&self) -> impl Iterator<Item = (Kind, usize)> + '_ {
        Kind::ALL.into_iter().map(|kind| (kind, self.of(kind))).filter(|&(_, number)| number > 0)
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own += other);
    }
}
