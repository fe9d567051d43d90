//! Formulas: what is said about linear forms.

use super::TooHard;
use super::linear::{Linear, Var};

/// A statement about variables, which their values make true or false.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Formula {
    /// The form equals 0.
    Zero(Linear),
    /// The form is 0 or more.
    NotNegative(Linear),
    /// All of the formulas hold.
    All(Vec<Formula>),
    /// At least one of the formulas holds.
    Any(Vec<Formula>),
}

impl Formula {
    /// The formula that always holds.
    pub const TRUE: Formula = Formula::All(Vec::new());
    /// The formula that never holds.
    pub const FALSE: Formula = Formula::Any(Vec::new());

    /// The formula `a = b`.
    pub fn equal(a: &Linear, b: &Linear) -> Result<Formula, TooHard> {
        Ok(Formula::Zero(a.minus(b)?))
    }

    /// The formula `a <= b`.
    pub fn at_most(a: &Linear, b: &Linear) -> Result<Formula, TooHard> {
        Ok(Formula::NotNegative(b.minus(a)?))
    }

    /// The formula `a < b`, which is `a <= b - 1` for integers.
    pub fn less(a: &Linear, b: &Linear) -> Result<Formula, TooHard> {
        Ok(Formula::NotNegative(b.minus(a)?.add(-1)?))
    }

    /// The formula `a != b`, which is a choice: `a < b` or `b < a`.
    pub fn different(a: &Linear, b: &Linear) -> Result<Formula, TooHard> {
        Ok(Formula::Any(vec![Formula::less(a, b)?, Formula::less(b, a)?]))
    }

    /// The formula that holds where both do.
    pub fn and(self, other: Formula) -> Formula {
        Formula::All(vec![self, other])
    }

    /// The formula that holds where one of the two does.
    pub fn or(self, other: Formula) -> Formula {
        Formula::Any(vec![self, other])
    }

    /// The negation of a formula.
    pub fn negated(&self) -> Result<Formula, TooHard> {
        Ok(match self {
            Formula::Zero(form) => Formula::different(form, &Linear::default())?,
            Formula::NotNegative(form) => Formula::less(form, &Linear::default())?,
            Formula::All(parts) => Formula::Any(parts.iter().map(Formula::negated).collect::<Result<_, _>>()?),
            Formula::Any(parts) => Formula::All(parts.iter().map(Formula::negated).collect::<Result<_, _>>()?),
        })
    }

    /// The number of forms that are compared with 0.
    pub fn n_comparisons(&self) -> usize {
        match self {
            Formula::Zero(_) | Formula::NotNegative(_) => 1,
            Formula::All(parts) | Formula::Any(parts) => parts.iter().map(Formula::n_comparisons).sum(),
        }
    }

    /// Says whether it holds where each variable is a number.
    pub fn holds(&self, number: &impl Fn(Var) -> i128) -> Result<bool, TooHard> {
        match self {
            Formula::Zero(form) => Ok(form.evaluate(number)? == 0),
            Formula::NotNegative(form) => Ok(form.evaluate(number)? >= 0),
            Formula::All(parts) => {
                for part in parts {
                    if !part.holds(number)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Formula::Any(parts) => {
                for part in parts {
                    if part.holds(number)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}
