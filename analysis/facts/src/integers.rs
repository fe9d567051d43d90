//! Integers: decides if linear equations and inequalities have a solution in whole numbers, and finds one.
//!
//! A [`Linear`] form is a sum of variables, each times a constant, and a constant. A [`Formula`] says that forms are
//! zero or not negative, joined by "all" and "any". A [`System`] is a formula that grows, over variables of its own;
//! [`System::solve`] gives a [`Model`] (a number for each variable), or the certainty that there is none.
//!
//! ```
//! use facts::integers::{Budget, Formula, Linear, System};
//!
//! // Is there an even number that is one more than another even number?
//! let mut system = System::new();
//! let (a, b) = (system.var(), system.var());
//! let difference = Linear::of(a, 2).minus(&Linear::of(b, 2)).unwrap();
//! system.require(Formula::equal(&difference, &Linear::constant(1)).unwrap());
//! assert_eq!(system.solve(&mut Budget::new(1000)), Ok(None));
//! ```
//!
//! The answer is exact. Conjunctions are decided by elimination, as in the Omega test (see [`solve`]); alternatives are
//! tried one by one, and only where the model of the rest does not happen to satisfy one. The cost has no useful bound,
//! so every question has a [`Budget`], and [`TooHard`] is an answer.

mod answers;
mod formula;
mod linear;
mod solve;
mod system;

pub use answers::Answers;
pub use formula::Formula;
pub use linear::{Linear, Var};
pub use system::{Model, System};

/// The question could not be answered within its budget, or needs numbers that are too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TooHard;

/// The cost that a question may still cause. One unit is a visit to one constraint.
#[derive(Debug, Clone)]
pub struct Budget<'a> {
    left: u64,
    /// Answers that were found before, where they are kept.
    answers: Option<&'a Answers>,
}

impl<'a> Budget<'a> {
    /// A budget of some units.
    pub fn new(units: u64) -> Budget<'a> {
        Budget { left: units, answers: None }
    }

    /// The budget with a table in which answers are looked up and kept.
    pub fn with_answers(self, answers: Option<&'a Answers>) -> Budget<'a> {
        Budget { answers, ..self }
    }

    /// Returns the units that are left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Takes some of this budget for one question, so that it cannot use up all.
    pub fn at_most(&mut self, units: u64) -> Budget<'a> {
        Budget { left: self.left.min(units), ..*self }
    }

    /// Spends some units.
    pub fn spend(&mut self, units: usize) -> Result<(), TooHard> {
        match self.left.checked_sub(units as u64) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(TooHard)
            }
        }
    }
}

#[cfg(test)]
mod tests;
