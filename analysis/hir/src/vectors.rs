//! Functions of structs whose fields are the coordinates of a vector, floats of one type, and of matrices, whose rows are such.
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
    /// The columns of a matrix as its rows: `transpose(m)`.
    Transpose,
    /// The determinant of a matrix: `determinant(m)`.
    Determinant,
    /// The inverse of a matrix: `inverse(m)`.
    Inverse,
    /// The matrix with a vector on its diagonal: `diagonal(v)`.
    Diagonal,
}

impl Vector {
    /// The number of vectors that it takes.
    pub fn n_args(self) -> usize {
        match self {
            Vector::Dot | Vector::Cross | Vector::Distance | Vector::Reflect => 2,
            _ => 1,
        }
    }

    /// Says whether it is there for vectors of so many fields; a matrix has those of all its rows.
    pub fn takes(self, n_fields: usize) -> bool {
        match self {
            Vector::Cross => n_fields == 3,
            _ if self.of_matrices() => matches!(n_fields, 4 | 9 | 16),
            _ => n_fields > 0,
        }
    }

    /// Says whether it gives a vector like its arguments, and not a number.
    pub fn gives_vector(self) -> bool {
        !matches!(self, Vector::Dot | Vector::Length | Vector::Distance | Vector::Determinant)
    }

    /// Says whether it is a function of matrices.
    pub fn of_matrices(self) -> bool {
        matches!(self, Vector::Transpose | Vector::Determinant | Vector::Inverse)
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
            Vector::Transpose => Ok(transposed(a)),
            Vector::Determinant => Ok(vec![determinant(a, with)?]),
            Vector::Inverse => inverse(a, with),
            Vector::Diagonal => {
                let (n, zero) = (a.len(), with.number(0, a[0]));
                Ok((0..n * n).map(|at| if at / n == at % n { a[at / n] } else { zero }).collect())
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
    /// A value that is known.
    fn constant(&mut self, scalar: ir::Scalar) -> Self::Value;
    /// 0 or 1, as a number of the type of another.
    fn number(&mut self, number: i64, like: Self::Value) -> Self::Value;
}

/// A product in which one side is a matrix. The fields of a matrix are its rows, one behind the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// `m * m`, of matrices of so many rows.
    Matrices(usize),
    /// `m * v`
    ByVector(usize),
    /// `v * m`
    OfVector(usize),
}

impl Product {
    /// The fields of the product: each is a sum that goes from the first field to the last.
    pub fn compute<A: Arithmetic>(
        self,
        a: &[A::Value],
        b: &[A::Value],
        with: &mut A,
    ) -> Result<Vec<A::Value>, A::Error> {
        let (n, rows, columns) = match self {
            Product::Matrices(n) => (n, n, n),
            Product::ByVector(n) => (n, n, 1),
            Product::OfVector(n) => (n, 1, n),
        };
        let mut made = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                let left: Vec<_> = (0..n).map(|k| a[row * n + k]).collect();
                let right: Vec<_> = (0..n).map(|k| b[k * columns + column]).collect();
                made.extend(dot(&left, &right, with)?);
            }
        }
        Ok(made)
    }
}

/// The number of rows of a matrix that has so many fields.
fn n_rows(n_fields: usize) -> usize {
    (1..n_fields).find(|n| n * n >= n_fields).unwrap_or(1)
}

fn transposed<T: Copy>(m: &[T]) -> Vec<T> {
    let n = n_rows(m.len());
    (0..m.len()).map(|at| m[at % n * n + at / n]).collect()
}

/// A matrix without a row and a column.
fn without<T: Copy>(m: &[T], row: usize, column: usize) -> Vec<T> {
    let n = n_rows(m.len());
    (0..m.len()).filter(|at| at / n != row && at % n != column).map(|at| m[at]).collect()
}

/// The determinant, along the first row: what belongs to even columns is added, the rest is taken from that.
fn determinant<A: Arithmetic>(m: &[A::Value], with: &mut A) -> Result<A::Value, A::Error> {
    let n = n_rows(m.len());
    if m.len() < 4 {
        return Ok(m[0]);
    }
    let mut sum = None;
    for column in 0..n {
        let minor = determinant(&without(m, 0, column), with)?;
        let term = with.binary(BinOp::Mul, m[column], minor)?;
        sum = Some(match sum {
            None => term,
            Some(sum) => with.binary(if column % 2 == 0 { BinOp::Add } else { BinOp::Sub }, sum, term)?,
        });
    }
    Ok(sum.unwrap_or(m[0]))
}

/// The inverse: for each place the determinant of what is left without the row and the column that mirror it, with its sign, times
/// the reciprocal of the determinant.
fn inverse<A: Arithmetic>(m: &[A::Value], with: &mut A) -> Result<Vec<A::Value>, A::Error> {
    let n = n_rows(m.len());
    let mut minors = Vec::new();
    for at in 0..m.len() {
        minors.push(determinant(&without(m, at / n, at % n), with)?);
    }
    let whole = determinant(m, with)?;
    let (zero, one) = (with.number(0, whole), with.number(1, whole));
    let by = with.binary(BinOp::Div, one, whole)?;
    let negative = with.binary(BinOp::Sub, zero, by)?;
    let place = |at: usize| (at % n, at / n);
    let mut made = Vec::new();
    for at in 0..m.len() {
        let (row, column) = place(at);
        let sign = if (row + column) % 2 == 0 { by } else { negative };
        made.push(with.binary(BinOp::Mul, minors[row * n + column], sign)?);
    }
    Ok(made)
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
