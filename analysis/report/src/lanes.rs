//! Reports about lanes: each loop, access, branch and value of a kernel, as every face tells it.
//!
//! - this file: the vocabulary (classes, flows, forms) and places
//! - [`loops`]: verdicts about loops, their reasons, and the accesses that meet
//! - [`explained`]: values, accesses, branches and decisions, and all that is reported of an item
//! - [`costs`]: estimates of what loops cost on a target
//! - `json`: the form that `explain --json` prints
//!
//! Whoever analyses fills these in, and faces render them: hovers, hints, notes, text and JSON tell what is in here and decide
//! nothing. So a new fact of an access is defined here, filled in by the analysis, and shown by the faces that want to.
//!
//! # Places
//!
//! A report is generic over `P`, a place. The analysis keeps [`Site`]s, which stay equal while other items are edited; who is
//! asked about a file makes ranges of them, and JSON lines and columns. Where a place is shown with the source that stands
//! there, it is a [`Quoted`].

pub mod costs;
pub mod explained;
mod json;
pub mod loops;

use std::fmt;

use text_size::TextRange;

pub use costs::{CostPart, LoopCost, OpCounts, Resource};
pub use explained::{Access, Branch, Decision, Explained, Value};
pub use loops::{Dependence, DependenceKind, InLanes, Lift, Loop, Reason, Verdict, Witness, Words};

/// A place in terms of an analysis: an item, and a range of its dense text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Site {
    /// The item, by its number among those that the analysis is about.
    pub item: u32,
    /// The range.
    pub at: TextRange,
}

/// A place, and the source that stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted<P> {
    /// The place.
    pub range: P,
    /// The source, on one line.
    pub text: String,
}

impl<P> Quoted<P> {
    /// Names the place in other terms.
    pub fn map<R>(&self, place: impl Fn(&P) -> R) -> Quoted<R> {
        Quoted { range: place(&self.range), text: self.text.clone() }
    }
}

/// A place that explains another one: a step of a chain of reasons, or one of those that a reason is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Because<Q> {
    /// The place.
    pub place: Q,
    /// The part it has in what is explained.
    pub message: String,
}

impl<P> Because<Quoted<P>> {
    /// Names the place in other terms.
    pub fn map<R>(&self, place: impl Fn(&P) -> R) -> Because<Quoted<R>> {
        Because { place: self.place.map(place), message: self.message.clone() }
    }
}

/// The order in which the cells of an access lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// A load of one cell for all lanes.
    Broadcast,
    /// A store of all lanes to one cell.
    UniformStore,
    /// Each lane's cell lies behind that of the lane before.
    Contiguous,
    /// Each lane's cell lies before that of the lane before.
    Reversed,
    /// Cells lie a fixed number of cells apart.
    Strided,
    /// Neighbouring lanes share a cell.
    Repeated,
    /// Lanes that lie a period apart share a cell.
    Periodic,
    /// Strided, together with accesses to the cells between.
    Interleaved,
    /// A load of each lane's own cell.
    Gather,
    /// A store of each lane's own cell.
    Scatter,
}

impl Class {
    /// The name that all outputs use.
    pub fn name(self) -> &'static str {
        match self {
            Class::Broadcast => "broadcast",
            Class::UniformStore => "uniform-store",
            Class::Contiguous => "contiguous",
            Class::Reversed => "reversed",
            Class::Strided => "strided",
            Class::Repeated => "repeated",
            Class::Periodic => "periodic",
            Class::Interleaved => "interleaved",
            Class::Gather => "gather",
            Class::Scatter => "scatter",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The control that a block stands under, as its lane loop's lanes see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flow {
    /// All lanes are there; of a loop that may be left early, all while no iteration leaves it.
    AllOn,
    /// All lanes are there, or none.
    Uniform,
    /// Some may be there and others not.
    Divergent,
}

impl Flow {
    /// The name that all outputs use.
    pub fn name(self) -> &'static str {
        match self {
            Flow::AllOn => "all-on",
            Flow::Uniform => "uniform",
            Flow::Divergent => "divergent",
        }
    }
}

/// The way in which a load or store in lanes is done; one that costs more comes later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessForm {
    /// One cell for all lanes, by a scalar load or store.
    OneCell,
    /// Neighbouring cells, by one load or store of the whole vector.
    Neighbours,
    /// Neighbouring cells, by stores of the whole vector that go past the cache.
    Streamed,
    /// With other accesses whose cells lie between its own: vectors and shuffles, and no cell is touched for nothing.
    Grouped,
    /// By vectors of neighbouring cells and shuffles; some of the cells are not its own.
    Shuffled,
    /// Out of a few cells that are loaded at once, of which each lane picks its own.
    LookedUp,
    /// The active lanes have neighbouring cells: a compressing store or an expanding load.
    Packed,
    /// One cell after the other, by a gather or a scatter.
    Scattered,
}

impl AccessForm {
    /// The name for outputs.
    pub fn name(self) -> &'static str {
        match self {
            AccessForm::OneCell => "one-cell",
            AccessForm::Neighbours => "neighbours",
            AccessForm::Streamed => "streamed",
            AccessForm::Grouped => "grouped",
            AccessForm::Shuffled => "shuffled",
            AccessForm::LookedUp => "looked-up",
            AccessForm::Packed => "packed",
            AccessForm::Scattered => "scattered",
        }
    }
}

/// The distance from one lane's cell to the next, in cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stride {
    /// A known number.
    Cells(i64),
    /// A formula over names.
    Formula(String),
    /// Equal between all lanes, and without a formula over names.
    Unnamed,
}

impl Stride {
    /// The words for a stride that no formula over names tells.
    pub const UNNAMED: &str = "the same for all lanes";

    /// The formula, in words where there is none; `None` for a number of cells.
    pub fn formula(&self) -> Option<&str> {
        match self {
            Stride::Cells(_) => None,
            Stride::Formula(formula) => Some(formula),
            Stride::Unnamed => Some(Stride::UNNAMED),
        }
    }
}
