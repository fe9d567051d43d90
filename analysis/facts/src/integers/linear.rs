//! Linear forms: sums of variables, each times a constant, and a constant.

use std::fmt;

use smallvec::SmallVec;

use super::TooHard;

/// A variable of a [`System`](super::System): some whole number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub(super) u32);

impl Var {
    /// Returns the number of the variable: a system numbers its variables from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

/// Variables, each with its coefficient, in the order of their numbers; no coefficient is 0.
pub(super) type Terms = SmallVec<[(Var, i128); 4]>;

/// A linear form: a sum of variables, each times a constant, and a constant.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Linear {
    pub(super) terms: Terms,
    pub(super) constant: i128,
}

impl Linear {
    /// The form that is a number.
    pub fn constant(constant: i128) -> Linear {
        Linear { terms: Terms::new(), constant }
    }

    /// The form that is a variable, `factor` times.
    pub fn of(var: Var, factor: i128) -> Linear {
        let terms = if factor == 0 { Terms::new() } else { Terms::from_slice(&[(var, factor)]) };
        Linear { terms, constant: 0 }
    }

    /// The variables with their coefficients.
    pub fn terms(&self) -> &[(Var, i128)] {
        &self.terms
    }

    /// Returns the constant term.
    pub fn rest(&self) -> i128 {
        self.constant
    }

    /// The number that it is, if it has no variables.
    pub fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The coefficient of a variable.
    pub fn coefficient(&self, var: Var) -> i128 {
        self.terms.binary_search_by_key(&var, |term| term.0).map_or(0, |at| self.terms[at].1)
    }

    /// `self * a + other * b`.
    pub fn combine(&self, a: i128, other: &Linear, b: i128) -> Result<Linear, TooHard> {
        let scaled = |value: i128, by: i128| value.checked_mul(by).ok_or(TooHard);
        let mut terms = Terms::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (var, factor) = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(&&(x, p)), Some(&&(y, q))) if x == y => {
                    left.next();
                    right.next();
                    (x, scaled(p, a)?.checked_add(scaled(q, b)?).ok_or(TooHard)?)
                }
                (Some(&&(x, p)), other) if other.is_none_or(|&&(y, _)| x < y) => {
                    left.next();
                    (x, scaled(p, a)?)
                }
                (_, Some(&&(y, q))) => {
                    right.next();
                    (y, scaled(q, b)?)
                }
                (Some(_), None) => unreachable!("a left term goes first where there is no right one"),
            };
            if factor != 0 {
                terms.push((var, factor));
            }
        }
        let constant = scaled(self.constant, a)?.checked_add(scaled(other.constant, b)?).ok_or(TooHard)?;
        Ok(Linear { terms, constant })
    }

    /// Returns `self + other`.
    pub fn plus(&self, other: &Linear) -> Result<Linear, TooHard> {
        self.combine(1, other, 1)
    }

    /// Returns `self - other`.
    pub fn minus(&self, other: &Linear) -> Result<Linear, TooHard> {
        self.combine(1, other, -1)
    }

    /// Returns `self + number`.
    pub fn add(&self, number: i128) -> Result<Linear, TooHard> {
        Ok(Linear { terms: self.terms.clone(), constant: self.constant.checked_add(number).ok_or(TooHard)? })
    }

    /// Returns `self * factor`.
    pub fn times(&self, factor: i128) -> Result<Linear, TooHard> {
        self.combine(factor, &Linear::default(), 0)
    }

    /// Returns `-self`.
    pub fn negative(&self) -> Result<Linear, TooHard> {
        self.times(-1)
    }

    /// Becomes what it is where `var` is `by`.
    pub(super) fn substitute(&mut self, var: Var, by: &Linear) -> Result<(), TooHard> {
        let factor = self.coefficient(var);
        if factor != 0 {
            self.terms.retain(|term| term.0 != var);
            *self = self.combine(1, by, factor)?;
        }
        Ok(())
    }

    /// The value where each variable is a number.
    pub fn evaluate(&self, number: &impl Fn(Var) -> i128) -> Result<i128, TooHard> {
        self.terms.iter().try_fold(self.constant, |sum, &(var, factor)| {
            let term = number(var).checked_mul(factor).ok_or(TooHard)?;
            sum.checked_add(term).ok_or(TooHard)
        })
    }

    /// The greatest number that divides all coefficients; 0 if there are none.
    pub(super) fn divisor(&self) -> i128 {
        // Most coefficients are 1 or -1, and then the others need no look.
        match self.terms.iter().any(|term| term.1.unsigned_abs() == 1) {
            true => 1,
            false => self.terms.iter().fold(0, |divisor, term| gcd(divisor, term.1)),
        }
    }

    /// Divides all coefficients by a number that divides them, and the constant, rounding down.
    pub(super) fn divide(&mut self, by: i128) {
        if by != 1 {
            self.terms.iter_mut().for_each(|term| term.1 /= by);
            self.constant = quotient(self.constant, by);
        }
    }
}

/// The quotient by a positive number, rounded down. Nearly all numbers are short ones, and dividing those takes a fraction
/// of the time.
pub(super) fn quotient(number: i128, by: i128) -> i128 {
    match (i64::try_from(number), i64::try_from(by)) {
        (_, Ok(1)) => number,
        (Ok(number), Ok(by)) => number.div_euclid(by).into(),
        _ => number.div_euclid(by),
    }
}

impl fmt::Debug for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (var, factor) in &self.terms {
            write!(f, "{factor}*{var:?} + ")?;
        }
        write!(f, "{}", self.constant)
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // Only the magnitude of the least number has no place; halving it keeps a divisor.
    i128::try_from(a).unwrap_or(1)
}
