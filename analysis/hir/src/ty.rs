//! Types, and the signatures that items show each other.

use ir::{Elem, ElemSet, Scalar, scalar};
use report::ItemKey;

use crate::Name;
use crate::size::{Atom, Size};

/// The type of an expression or a local.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Ty {
    /// The type of what had an error, which has its finding; it fits any other type.
    Error,
    /// No value: the result of a function that gives none.
    Nothing,
    /// A scalar of this type.
    Scalar(Elem),
    /// A struct, by its name.
    Struct(Name),
    /// Elements that are no arrays, and the size of each dimension (at least one).
    Array(Box<Ty>, Vec<Size>),
    /// Several values as one, of these types; the elements of zipped arrays at one place.
    Tuple(Vec<Ty>),
    /// A lambda, or a function as a value.
    Fn(Vec<Ty>, Box<Ty>),
    /// A type that inference has yet to find.
    Var(u32),
    /// A type of a function's signature that each call chooses for itself.
    Generic(u32),
}

impl Ty {
    /// An array of `element`, which may be an array itself: then the result has its dimensions too.
    pub fn array(element: Ty, mut sizes: Vec<Size>) -> Ty {
        match element {
            Ty::Array(element, inner) => {
                sizes.extend(inner);
                Ty::Array(element, sizes)
            }
            element => Ty::Array(Box::new(element), sizes),
        }
    }

    /// True for an array with a size that nothing is known about, and for a tuple with such an array.
    pub fn has_unknown_size(&self) -> bool {
        match self {
            Ty::Array(_, sizes) => sizes.iter().any(|size| size.any(&|atom| matches!(atom, Atom::Unknown(_)))),
            Ty::Tuple(parts) => parts.iter().any(Ty::has_unknown_size),
            _ => false,
        }
    }

    /// The type that one index leaves: an element, or a row.
    pub fn indexed(element: &Ty, sizes: &[Size]) -> Ty {
        match sizes {
            [] | [_] => element.clone(),
            [_, rest @ ..] => Ty::Array(Box::new(element.clone()), rest.to_vec()),
        }
    }

    /// The scalar it is, if it is one.
    pub fn scalar(&self) -> Option<Elem> {
        match self {
            Ty::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    /// Returns the type as a person would write it; `name` gives the names of atoms of sizes.
    pub fn display(&self, name: &impl Fn(&Atom) -> String) -> String {
        match self {
            Ty::Error | Ty::Var(_) => "?".to_owned(),
            Ty::Nothing => "no value".to_owned(),
            Ty::Scalar(scalar) => scalar.name().to_owned(),
            Ty::Struct(name) => name.to_string(),
            Ty::Array(element, sizes) => {
                let sizes: Vec<_> = sizes.iter().map(|size| size.display(name)).collect();
                format!("{}[{}]", element.display(name), sizes.join(", "))
            }
            Ty::Tuple(parts) => format!("({})", display_all(parts, name)),
            Ty::Fn(params, result) => format!("\\({}) -> {}", display_all(params, name), result.display(name)),
            Ty::Generic(n) => generic_name(*n),
        }
    }

    /// Tells what each generic type in it stands for, where it is `given` in a call.
    pub fn bind(&self, given: &Ty, found: &mut dyn FnMut(u32, &Ty)) {
        match (self, given) {
            (Ty::Generic(n), given) => found(*n, given),
            // The elements of an array with more dimensions are rows.
            (Ty::Array(general, sizes), Ty::Array(given, own)) => match own.get(sizes.len()..) {
                Some(rows @ [_, ..]) => general.bind(&Ty::Array(given.clone(), rows.to_vec()), found),
                _ => general.bind(given, found),
            },
            (Ty::Tuple(general), Ty::Tuple(given)) => {
                general.iter().zip(given).for_each(|(general, given)| general.bind(given, found));
            }
            (Ty::Fn(general, general_result), Ty::Fn(given, result)) => {
                general.iter().zip(given).for_each(|(general, given)| general.bind(given, found));
                general_result.bind(result, found);
            }
            _ => {}
        }
    }

    /// Rebuilds the type with its parts replaced.
    pub fn replace(&self, ty: &mut impl FnMut(&Ty) -> Option<Ty>, size: &mut impl FnMut(&Size) -> Size) -> Ty {
        if let Some(replaced) = ty(self) {
            return replaced;
        }
        match self {
            Ty::Array(element, sizes) => {
                let sizes = sizes.iter().map(&mut *size).collect();
                Ty::array(element.replace(ty, size), sizes)
            }
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| part.replace(ty, size)).collect()),
            Ty::Fn(params, result) => {
                let params = params.iter().map(|param| param.replace(ty, size)).collect();
                Ty::Fn(params, Box::new(result.replace(ty, size)))
            }
            other => other.clone(),
        }
    }
}

fn display_all(types: &[Ty], name: &impl Fn(&Atom) -> String) -> String {
    types.iter().map(|ty| ty.display(name)).collect::<Vec<_>>().join(", ")
}

/// `T`, `U`, ... for the types that a function leaves open.
fn generic_name(n: u32) -> String {
    const NAMES: [&str; 7] = ["T", "U", "V", "W", "X", "Y", "Z"];
    NAMES.get(n as usize).map_or_else(|| format!("T{n}"), |name| (*name).to_owned())
}

/// The part of an item that its users see. Equal as long as callers need not be inferred again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signature {
    /// The parameters' names and types.
    pub params: Vec<(Name, Ty)>,
    /// The parameters that have a default value, by their numbers.
    pub optional: Vec<usize>,
    /// The type of the result; [`Ty::Nothing`] for none.
    pub result: Option<Ty>,
    /// The names of the values of a result that is a tuple, as far as they have some.
    pub result_labels: Vec<Option<Name>>,
    /// The scalars that each [`Ty::Generic`] may stand for; `None` for any type at all.
    pub generics: Vec<Option<ElemSet>>,
    /// The number of [`Atom::Generic`] sizes.
    pub n_sizes: u32,
    /// True for a function that sees other lanes, itself or by the functions that it calls.
    pub crosses_lanes: bool,
    /// The parameters or fields were not all understood, so uses of the item are not checked.
    pub in_doubt: bool,
    /// The needs of the function's own constants, and of those of the functions that it calls, for each call to fulfil.
    pub needs: Vec<Need>,
}

/// A demand that a constant of a function makes on one of the function's generic types: not each type that the type rules
/// allow can hold it, so it is checked for each call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The number of the [`Ty::Generic`].
    pub generic: u32,
    /// The demand.
    pub what: Needed,
    /// The function with the constant.
    pub item: ItemKey,
    /// The number of its place among those of that function (see [`crate::Inference::need_places`]).
    pub place: u32,
}

/// A demand of a constant on its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needed {
    /// The number is one of the type.
    Number(i128),
    /// The float with these bits is not too large for the type.
    Float(u64),
    /// The result of arithmetic on constants does not overflow; unsigned types wrap.
    Result(i128),
    /// Values have enough bits to be shifted by so many.
    Shift(i128),
    /// The type is not one of integers, which are divided by 0 here.
    DividesByZero,
}

impl Needed {
    /// Finds out whether a type fulfils the need.
    pub fn holds_for(self, elem: Elem) -> bool {
        let range = elem.integer_range();
        let in_range = |value| range.is_none_or(|(min, max)| (min..=max).contains(&value));
        match self {
            Needed::Number(value) => in_range(value),
            Needed::Result(value) => !ElemSet::SIGNED_NUMBERS.contains(elem) || in_range(value),
            Needed::Shift(by) => range.is_none() || (0..i128::from(elem.bits())).contains(&by),
            Needed::DividesByZero => range.is_none(),
            Needed::Float(bits) => {
                let value = f64::from_bits(bits);
                let narrow = scalar::cast(value.into(), elem).ok().filter(|_| elem.is_float());
                let wide = narrow.and_then(|narrow| scalar::cast(narrow, Elem::F64).ok());
                !matches!(wide, Some(Scalar::F64(wide)) if wide.is_infinite() && value.is_finite())
            }
        }
    }
}

/// The name that messages have for a value of one of these types.
pub fn describe(set: ElemSet) -> String {
    // A message about a value that may still be anything can only say that it is no array.
    if set == ElemSet::ANY { "a scalar".to_owned() } else { set.describe() }
}

/// Tells if all that a function takes and gives are scalars, so that it is applied to arrays element by element.
pub fn is_of_scalars(params: &[Ty], result: &Ty) -> bool {
    !params.is_empty() && params.iter().chain([result]).all(|ty| matches!(ty, Ty::Scalar(_)))
}
