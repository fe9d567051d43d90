//! Enums, and the patterns of a `match`.
//!
//! A value of an enum is made of scalars, as a struct's is: its *number*, which tells the variant, then the data of all variants in
//! order. So an enum is laid out like a struct with a field [`TAG`] and a field `Circle.r` for the data `r` of a variant `Circle`; no
//! text can name these fields. The data of all variants but its own are zero in a value that is made by a variant's name.
//!
//! A `match` is lowered to `if` statements by the surface: [`Expr::Is`](crate::Expr::Is) asks for the form of a value, and
//! [`Expr::Data`](crate::Expr::Data) takes a part out of it, which is never an error. What its patterns were is kept beside them, in a
//! [`Match`], to find cases that are missing.

use ir::Elem;
use report::TextRange;

use crate::fields::Fields;
use crate::{Body, ExprId, Field, Literal, Name};

/// The name of the field that holds the number of a variant.
pub const TAG: &str = "tag.";

/// A variant of an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// The name of the variant.
    pub name: Name,
    /// Its number.
    pub number: i128,
    /// Its data.
    pub data: Vec<Field>,
    /// The place of its name.
    pub at: TextRange,
}

/// A variant as other items see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownVariant {
    /// The name of the variant.
    pub name: Name,
    /// Its number.
    pub number: i128,
    /// The names of its data.
    pub data: Vec<Name>,
}

/// The form that a pattern asks for: a variant of an enum, or a struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternForm {
    /// The enum, if it is written.
    pub of: Option<Name>,
    /// The name of the variant or struct.
    pub name: Name,
    /// The place of that name.
    pub at: TextRange,
    /// The number of patterns for its data, if those stand there in order.
    pub n_data: Option<u32>,
}

/// A part of a value that a pattern looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Datum {
    /// By its place in the order.
    Number(u32),
    /// By its name, which stands at the place.
    Named(Name, TextRange),
}

/// A pattern, as far as it matters to which values it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// Takes every value.
    Any,
    /// Takes one value: a number or a bool, negated or not.
    Literal(Literal, bool),
    /// Takes values of which nothing is known here, as those of a constant.
    Some,
    /// Takes a variant or a struct, by the [`Expr::Is`](crate::Expr::Is) that asks for it, with patterns for some of its data.
    Form(ExprId, Vec<(Datum, Pattern)>),
    /// Takes a tuple.
    Tuple(Vec<Pattern>),
    /// Takes what one of several patterns takes.
    Either(Vec<Pattern>),
}

/// A `match` as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The value that is looked at.
    pub subject: ExprId,
    /// From the word to the end of the value.
    pub header: TextRange,
    /// The cases, in order.
    pub cases: Vec<Case>,
    /// A part of it was not understood, so cases may be there.
    pub in_doubt: bool,
}

/// A case of a `match`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The pattern.
    pub pattern: Pattern,
    /// A condition stands behind the pattern.
    pub is_guarded: bool,
    /// The place of the pattern.
    pub at: TextRange,
    /// The place of the whole case.
    pub whole: TextRange,
    /// A name that is new here and takes every value.
    pub name: Option<Name>,
}

/// The variants of an enum as others see them; none for what is no enum.
pub fn variants(body: &Body) -> Vec<ShownVariant> {
    let shown = |variant: &Variant| ShownVariant {
        name: variant.name.clone(),
        number: variant.number,
        data: variant.data.iter().map(|data| data.name.clone()).collect(),
    };
    body.variants.iter().map(shown).collect()
}

/// The type that the numbers of an enum have.
pub fn width(body: &Body) -> Elem {
    let named = body.value_type.as_ref().and_then(|ty| ty.name.as_deref());
    named.and_then(Elem::from_name).filter(|elem| elem.is_integer()).unwrap_or(Elem::I32)
}

/// The names that values of a type are made by or taken apart by, with their places: the fields of a struct, and the variants of an enum
/// with their data (`Circle.r`).
pub fn members(body: &Body) -> Vec<(Name, TextRange)> {
    let fields = body.fields.iter().map(|field| (field.name.clone(), field.at));
    let variants = body.variants.iter().flat_map(|variant| {
        let data = variant.data.iter().map(|data| (field_name(&variant.name, &data.name), data.at));
        std::iter::once((variant.name.clone(), variant.at)).chain(data)
    });
    fields.chain(variants).collect()
}

/// The name of the field of an enum that holds a variant's data of a name.
pub fn field_name(variant: &str, data: &str) -> Name {
    format!("{variant}.{data}").into()
}

/// Says whether a field of an enum holds data of a variant.
pub fn is_data(field: &str, variant: &str) -> bool {
    field.strip_prefix(variant).is_some_and(|rest| rest.len() > 1 && rest.starts_with('.'))
}

/// The names of the fields that a form has, in order, among those of a type: the data of a variant, or the fields of a struct.
pub fn fields_of_form(of: &Name, form: &str, fields: &Fields) -> Vec<Name> {
    let own: Vec<_> = fields.of_variant(form).cloned().collect();
    match own.is_empty() && **of == *form {
        true => fields.iter().map(|(name, _)| name.clone()).filter(|name| !name.contains('.')).collect(),
        false => own,
    }
}

/// The field that a part of a form is, by its name among those of the type.
pub fn field_of_datum(of: &Name, form: &str, datum: &Datum, fields: &Fields) -> Option<Name> {
    let own = fields_of_form(of, form, fields);
    match datum {
        Datum::Number(n) => own.get(*n as usize).cloned(),
        Datum::Named(name, _) => own.into_iter().find(|own| own == name || own.rsplit('.').next() == Some(name)),
    }
}
