//! Equality of values that have enums with data in them.
//!
//! Two such values are the same if they are of one variant and the data of that variant are equal. What else stands in a value does not
//! belong to it, and is not looked at: a caller may have left anything there.
//!
//! One definition serves whoever computes, as the functions of vectors are (see [`crate::vectors`]).

use std::sync::Arc;

use ir::Scalar;

use crate::enums::{ShownVariant, TAG, is_data};
use crate::fields::Fields;
use crate::layout;
use crate::ty::Ty;
use crate::vectors::Arithmetic;
use crate::{BinOp, Name};

/// The way in which two values of a type are compared, by the numbers of their leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Equality {
    /// Two scalars are equal.
    Leaf(usize),
    /// All parts are equal.
    All(Vec<Equality>),
    /// The numbers of the variants are equal, and so are the data of the variant.
    Variant {
        /// The leaf that is the number.
        number: usize,
        /// The data of each variant that has some, by its number.
        data: Vec<(Scalar, Equality)>,
    },
}

/// The fields of a struct or an enum, and the variants of an enum.
pub(crate) struct Types<'t> {
    pub(crate) fields_of: &'t dyn Fn(&Name) -> Arc<Fields>,
    pub(crate) variants_of: &'t dyn Fn(&Name) -> Arc<[ShownVariant]>,
}

impl Equality {
    /// The equality of a type; `None` for one that has no enum with data in it, of which all scalars are compared, and for one that is
    /// not whole.
    pub(crate) fn of(types: &Types<'_>, name: &Name) -> Option<Equality> {
        layout::leaves(&|name| Some((types.fields_of)(name)), name)?;
        let mut has_data = false;
        let equality = of_type(types, name, &mut 0, &mut has_data);
        equality.filter(|_| has_data)
    }

    /// Says whether two values are equal, a bool.
    pub fn compute<A: Arithmetic>(&self, a: &[A::Value], b: &[A::Value], with: &mut A) -> Result<A::Value, A::Error> {
        match self {
            Equality::Leaf(n) => with.binary(BinOp::Eq, a[*n], b[*n]),
            Equality::All(parts) => all(parts, a, b, with),
            Equality::Variant { number, data } => {
                let mut same = with.binary(BinOp::Eq, a[*number], b[*number])?;
                for (variant, data) in data {
                    let variant = with.constant(*variant);
                    let is_other = with.binary(BinOp::Ne, a[*number], variant)?;
                    let data = data.compute(a, b, with)?;
                    let fits = with.binary(BinOp::BitOr, is_other, data)?;
                    same = with.binary(BinOp::BitAnd, same, fits)?;
                }
                Ok(same)
            }
        }
    }

    /// The result of `==`, or of `!=`.
    pub fn compare<A: Arithmetic>(
        &self,
        op: BinOp,
        a: &[A::Value],
        b: &[A::Value],
        with: &mut A,
    ) -> Result<A::Value, A::Error> {
        let same = self.compute(a, b, with)?;
        if op == BinOp::Eq {
            return Ok(same);
        }
        let yes = with.constant(Scalar::Bool(true));
        with.binary(BinOp::BitXor, same, yes)
    }
}

fn all<A: Arithmetic>(parts: &[Equality], a: &[A::Value], b: &[A::Value], with: &mut A) -> Result<A::Value, A::Error> {
    let mut joined = None;
    for part in parts {
        let own = part.compute(a, b, with)?;
        joined = Some(match joined {
            Some(before) => with.binary(BinOp::BitAnd, before, own)?,
            None => own,
        });
    }
    Ok(joined.unwrap_or_else(|| with.constant(Scalar::Bool(true))))
}

/// The equality of a type whose leaves begin at `next`, which goes behind them.
fn of_type(types: &Types<'_>, name: &Name, next: &mut usize, has_data: &mut bool) -> Option<Equality> {
    let fields = (types.fields_of)(name);
    let fields: &Fields = &fields;
    let mut parts = Vec::new();
    for (_, ty) in fields.iter() {
        parts.push(match ty {
            Ty::Struct(inner) => of_type(types, inner, next, has_data)?,
            Ty::Array(_, sizes) => {
                let n_cells: usize = sizes.iter().map(|size| size.as_constant().unwrap_or(0) as usize).product();
                let first = std::mem::replace(next, *next + n_cells);
                Equality::All((first..first + n_cells).map(Equality::Leaf).collect())
            }
            _ => {
                *next += 1;
                Equality::Leaf(*next - 1)
            }
        });
    }
    let (Some((tag, Ty::Scalar(elem))), Some(Equality::Leaf(number))) = (fields.first(), parts.first()) else {
        return Some(Equality::All(parts));
    };
    if **tag != *TAG {
        return Some(Equality::All(parts));
    }
    let number = *number;
    let mut data = Vec::new();
    for variant in (types.variants_of)(name).iter() {
        let own = fields.iter().zip(&parts).filter(|((field, _), _)| is_data(field, &variant.name));
        let own: Vec<_> = own.map(|(_, part)| part.clone()).collect();
        if !own.is_empty() {
            *has_data = true;
            data.push((Scalar::wrap(*elem, variant.number), Equality::All(own)));
        }
    }
    Some(Equality::Variant { number, data })
}
