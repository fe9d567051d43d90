//! Functions of structs whose fields are the coordinates of a vector: floats of one type.
//!
//! Each is defined once, for whoever computes: the evaluator with scalars, lowering with values of Lane IR. Sums go from the first field
//! to the last, one rounding for each operation.

use crate::BinOp;

/// A function of vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vector {
    /// The sum of the products of the fields: `dot(a, b)`.
    Dot,
    /// The vector that is perpendicular to two of three fields: `cross(a, b)`.
    Cross,
    /// The root of the sum of the squares: `length(v)`.
    Length,
    /// The vector of length 1 in the same direction: `normalize(v)`.
    Normalize,
    /// The length of the difference: `distance(a, b)`.
    Distance,
    /// The vector behind a mirror whose normal is given: `reflect(v, n)`.
    Reflect,
}

impl Vector {
    /// The number of vectors that it takes.
    pub fn n_args(self) -> usize {
        match self {
            Vector::Length | Vector::Normalize => 1,
            _ => 2,
        }
    }

    /// Says whether it gives a vector like its arguments, and not a number.
    pub fn gives_vector(self) -> bool {
        matches!(self, Vector::Cross | Vector::Normalize | Vector::Reflect)
    }

    /// The fields of the result for those of the arguments; a number is one field.
    pub fn compute<A: Arithmetic>(self, args: &[Vec<A::Value>], with: &mut A) -> Result<Vec<A::Value>, A::Error> {
        let none = Vec::new();
        let (a, b) = (&args[0], args.get(1).unwrap_or(&none));
        match self {
            Vector::Dot => dot(a, b, with),
            Vector::Cross => {
                let mut minor = |i: usize, j: usize| {
                    let (ab, ba) = (with.binary(BinOp::Mul, a[i], b[j])?, with.binary(BinOp::Mul, a[j], b[i])?);
                    with.binary(BinOp::Sub, ab, ba)
                };
                Ok(vec![minor(1, 2)?, minor(2, 0)?, minor(0, 1)?])
            }
            Vector::Length => length(a, with),
            Vector::Normalize => {
                let length = length(a, with)?;
                a.iter().map(|&a| with.binary(BinOp::Div, a, length[0])).collect()
            }
            Vector::Distance => {
                let between: Result<Vec<_>, _> =
                    a.iter().zip(b).map(|(&a, &b)| with.binary(BinOp::Sub, a, b)).collect();
                length(&between?, with)
            }
            Vector::Reflect => {
                let along = dot(a, b, with)?[0];
                let twice = with.binary(BinOp::Add, along, along)?;
                let reflected = a.iter().zip(b).map(|(&a, &b)| {
                    let part = with.binary(BinOp::Mul, twice, b)?;
                    with.binary(BinOp::Sub, a, part)
                });
                reflected.collect()
            }
        }
    }
}

/// The operations that functions of vectors are made of.
pub trait Arithmetic {
    /// A number.
    type Value: Copy;
    /// The reason why there is no result.
    type Error;
    /// `a op b`
    fn binary(&mut self, op: BinOp, a: Self::Value, b: Self::Value) -> Result<Self::Value, Self::Error>;
    /// The square root.
    fn sqrt(&mut self, a: Self::Value) -> Result<Self::Value, Self::Error>;
}

fn dot<A: Arithmetic>(a: &[A::Value], b: &[A::Value], with: &mut A) -> Result<Vec<A::Value>, A::Error> {
    let mut sum = None;
    for (&a, &b) in a.iter().zip(b) {
        let product = with.binary(BinOp::Mul, a, b)?;
        sum = Some(match sum {
            Some(sum) => with.binary(BinOp::Add, sum, product)?,
            None => product,
        });
    }
    Ok(sum.into_iter().collect())
}

fn length<A: Arithmetic>(a: &[A::Value], with: &mut A) -> Result<Vec<A::Value>, A::Error> {
    let square = dot(a, a, with)?;
    Ok(vec![with.sqrt(square[0])?])
}
