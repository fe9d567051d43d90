//! Formulas: what is said about linear forms.

use super::TooHard;
use super::linear::{Linear, Var};

/// Something that holds or does not, by what the variables are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    /// The form is 0.
    Zero(Linear),
    /// The form is 0 or more.
    NotNegative(Linear),
    /// All of them hold.
    All(Vec<Formula>),
    /// Any of them holds.
    Any(Vec<Formula>),
}

impl Formula {
    /// The formula that always holds.
    pub const TRUE: Formula = Formula::All(Vec::new());
    /// The formula that never holds.
    pub const FALSE: Formula = Formula::Any(Vec::new());

    /// `a = b`.
    pub fn equal(a: &Linear, b: &Linear) -> Result<Formula, TooHard> {
        Ok(Formula::Zero(a.minus(b)?))
    }

    /// `a <= b`.
    pub fn at_most(a: &Linear, b: &Linear) -> Result<Formula, TooHard> {
        Ok(Formula::NotNegative(b.minus(a)?))
    }

    /// `a < b`.
    pub fn less(a: &Linear, b: &Linear) -> Result<Formula, TooHard> {
        Ok(Formula::NotNegative(b.minus(a)?.add(-1)?))
    }

    /// `a != b`.
    pub fn different(a: &Linear, b: &Linear) -> Result<Formula, TooHard> {
        Ok(Formula::Any(vec![Formula::less(a, b)?, Formula::less(b, a)?]))
    }

    /// Both hold.
    pub fn and(self, other: Formula) -> Formula {
        Formula::All(vec![self, other])
    }

    /// One of them holds.
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
