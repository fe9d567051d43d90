//! Values for arguments.

use fastrand::Rng;
use hir::eval::{ArgValue, Array, Element};
use ir::{Elem, Scalar};

use super::tree::Param;

/// How wild the values are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Mood {
    /// Small numbers.
    Calm,
    /// Among them the greatest and least, infinities, NaN, negative zero, subnormals.
    Wild,
}

pub(super) fn elem(ty: &str) -> Elem {
    Elem::from_name(ty).expect("the name of a scalar type")
}

/// A value of a type.
pub(super) fn scalar(rng: &mut Rng, ty: &str, mood: Mood) -> Scalar {
    let elem = elem(ty);
    let wild = mood == Mood::Wild && rng.u32(..4) == 0;
    match elem {
        Elem::Bool => Scalar::Bool(rng.bool()),
        Elem::F32 if wild => Scalar::F32(*pick(rng, &WILD_F32)),
        Elem::F64 if wild => Scalar::F64(*pick(rng, &WILD_F64)),
        Elem::F32 => Scalar::F32(calm(rng) as f32),
        Elem::F64 => Scalar::F64(calm(rng)),
        Elem::F16 | Elem::Bf16 if wild => Scalar::from_bits(elem, rng.u16(..).into()),
        Elem::F16 | Elem::Bf16 => ir::scalar::cast(calm(rng).into(), elem).expect("a float"),
        _ => {
            let (least, greatest) = elem.integer_range().expect("an integer type");
            let extremes = [least, least + 1, greatest - 1, greatest];
            let small = if elem.is_signed() { rng.i128(-5..=5) } else { rng.i128(0..=9) };
            Scalar::wrap(elem, if wild { *pick(rng, &extremes) } else { small })
        }
    }
}

const WILD_F32: [f32; 12] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    -0.0,
    0.0,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    1e-45,
    -1e-40,
    16_777_217.0,
    0.1,
];

const WILD_F64: [f64; 12] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    -0.0,
    0.0,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    -1e-310,
    9_007_199_254_740_993.0,
    0.1,
];

/// A float that sums and products of stay readable with.
fn calm(rng: &mut Rng) -> f64 {
    f64::from(rng.i32(-40..=40)) / *pick(rng, &[1.0, 2.0, 4.0, 8.0, 10.0])
}

/// An array of a size.
pub(super) fn array(rng: &mut Rng, fields: &[&str], is_struct: bool, sizes: &[i64], mood: Mood) -> Array {
    let n_elements = sizes.iter().product::<i64>();
    let cells = (0..n_elements).flat_map(|_| fields).map(|ty| scalar(rng, ty, mood)).collect();
    let elems: Vec<_> = fields.iter().map(|ty| elem(ty)).collect();
    let element = if is_struct { Element::Struct(elems) } else { Element::Scalar(elems[0]) };
    Array { element, sizes: sizes.to_vec(), cells }
}

/// A parameter that is an array of scalars.
pub(super) fn cells(rng: &mut Rng, name: &str, ty: &str, sizes: &[i64], mood: Mood) -> Param {
    let cells = array(rng, &[ty], false, sizes, mood);
    let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
    Param::given(name, format!("{ty}[{}]", sizes.join(", ")), ArgValue::Array(cells))
}

/// A parameter that is a scalar.
pub(super) fn number(name: &str, value: Scalar) -> Param {
    Param::given(name, value.elem().name().to_owned(), ArgValue::Scalar(value))
}

/// An array of subscripts for another one; once in a while one of them is none.
pub(super) fn subscripts(rng: &mut Rng, ty: &str, len: i64, below: i64) -> Array {
    let elem = elem(ty);
    let mut cells: Vec<_> = (0..len).map(|_| Scalar::wrap(elem, rng.i64(0..below.max(1)).into())).collect();
    if len > 0 && rng.u32(..20) == 0 {
        let at = rng.usize(..cells.len());
        cells[at] = Scalar::wrap(elem, below.into());
    }
    Array { element: Element::Scalar(elem), sizes: vec![len], cells }
}

/// One of several.
pub(super) fn pick<'a, T>(rng: &mut Rng, from: &'a [T]) -> &'a T {
    &from[rng.usize(..from.len())]
}
