//! Findings about values that are known: numbers, arithmetic on constants, and indices.

use ir::Elem;
use report::TextRange;

use super::{CheckCode, Side};
use crate::finding::{Edit, Finding, Intent, Place};
use crate::ty::{Need, Needed};
use crate::{BinOp, Name};

pub fn number_too_large(at: TextRange, text: &str) -> Finding {
    Finding::error(CheckCode::NumberOutOfRange, at, format!("no type holds a number as large as `{text}`"))
        .with_help("integers go up to 18446744073709551615; as a float it is written with a point: `1e30`")
}

/// `because`: the place that gives the number its type.
pub fn number_out_of_range(at: TextRange, number: &str, scalar: Elem, because: Option<TextRange>) -> Finding {
    let finding = Finding::error(CheckCode::NumberOutOfRange, at, format!("`{number}` does not fit `{scalar}`"));
    let finding = match because {
        Some(because) => finding.with_related(because, format!("the number is `{scalar}` because of this")),
        None => finding,
    };
    match (scalar.integer_range(), because) {
        (Some((0, max)), _) if number == "-1" => finding
            .with_help(format!("`{scalar}` goes from 0 to {max}; all bits set is its largest value"))
            .with_fix(format!("write `largest({scalar})`"), Edit::Replace(at, format!("largest({scalar})"))),
        (Some((min, max)), None) => finding.with_help(format!("`{scalar}` goes from {min} to {max}")),
        (Some((min, max)), Some(_)) => finding.with_help(format!(
            "`{scalar}` goes from {min} to {max}; for a wider number write its type, as in `let x: u32 = {number}`, and convert \
             what it meets there: `u32(...)`"
        )),
        (None, _) => finding,
    }
}

/// `value`: the result, if it is not too large to be shown.
pub fn constant_overflow(at: TextRange, value: Option<i128>, scalar: Elem) -> Finding {
    let message = match value {
        Some(value) => format!("the result, {value}, does not fit `{scalar}`"),
        None => format!("the result does not fit `{scalar}`"),
    };
    Finding::error(CheckCode::ConstantOverflow, at, message)
        .with_help("a run would end here: compute in a wider type, or in an unsigned one, which wraps")
}

pub fn division_by_zero(at: TextRange, divisor: TextRange) -> Finding {
    let finding = Finding::error(CheckCode::DivisionByZero, at, "this divides an integer by zero")
        .with_help("a run would end here; of floats the result is infinite");
    if at == divisor { finding } else { finding.with_related(divisor, "this is 0") }
}

/// `untyped`: the array without a type whose elements are integers by this division alone; `operands`: what has to be converted.
pub fn average_of_integers(at: TextRange, untyped: Option<&str>, counts: bool, operands: &[TextRange]) -> Finding {
    let result = if counts { "a share" } else { "an average" };
    let because =
        untyped.map(|array| format!("; `{array}` has no type, so its elements are taken to be integers, too"));
    let message = format!("this divides integers, so {result} loses its fraction{}", because.unwrap_or_default());
    let edits = operands.iter().map(|&operand| Edit::Surround(operand, "f32(".to_owned(), ")".to_owned())).collect();
    let title = match operands {
        [_] => "convert the divisor to `f32`",
        _ => "convert the operands to `f32`",
    };
    let mut finding = Finding::warning(CheckCode::IntegerAverage, at, message)
        .with_help("to keep the fraction, convert before dividing; write `//` if a whole number is meant");
    finding.fixes.push(Intent { title: title.to_owned(), edits });
    finding
}

/// `operands`: what has to be converted for the arithmetic to be done in a wider type; `named`: the arithmetic, where only its name
/// stands under the cast.
pub fn cast_too_late(at: TextRange, from: Elem, to: Elem, operands: &[TextRange], named: Option<TextRange>) -> Finding {
    let what = if from.is_signed() { "overflows, and a run would end here," } else { "wraps" };
    let wide = if to.is_float() || to.bits() >= 32 { to } else { Elem::I32 };
    let message =
        format!("this arithmetic is done in `{from}`, so a result that does not fit it {what} before it is converted");
    let mut finding = Finding::warning(CheckCode::CastTooLate, at, message).with_help(format!(
        "operators keep the type of their operands: convert these to `{wide}`; where the low {} bits are meant, write `& {:#x}` before \
         the cast",
        from.bits(),
        (1u32 << from.bits()) - 1
    ));
    let edits = operands.iter().map(|&operand| Edit::Surround(operand, format!("{wide}("), ")".to_owned())).collect();
    finding.fixes.push(Intent { title: format!("convert the operands to `{wide}`"), edits });
    match named {
        Some(named) => finding.with_related(named, "the arithmetic"),
        None => finding,
    }
}

/// `value`: the side that is not NaN.
pub fn compared_with_nan(at: TextRange, op: BinOp, value: TextRange) -> Finding {
    let always = if op == BinOp::Ne { "always true" } else { "never true" };
    let message = format!("a comparison with NaN is {always}: NaN equals nothing, itself included, and has no order");
    let finding =
        Finding::warning(CheckCode::ComparedWithNan, at, message).with_help("`isnan(x)` asks whether `x` is NaN");
    let before = match op {
        BinOp::Eq => "isnan(",
        BinOp::Ne => "not isnan(",
        _ => return finding,
    };
    let around = |behind: &str| Edit::Surround(value, before.to_owned(), behind.to_owned());
    let edits = match (value.start() == at.start(), value.end() == at.end()) {
        (true, false) => {
            vec![around(""), Edit::ReplaceWithSpace(TextRange::new(value.end(), at.end()), ")".to_owned())]
        }
        (false, true) => vec![Edit::Remove(TextRange::new(at.start(), value.start())), around(")")],
        _ => return finding,
    };
    super::with_edits(finding, format!("write `{before}...)`"), edits)
}

/// The operand that is shifted.
pub struct Shifted {
    /// Where it stands.
    pub(crate) at: TextRange,
    /// The operands that it is computed from, if its own type may have had no room for it.
    pub(crate) operands: Vec<TextRange>,
    /// The whole shift, if it is stored where its type is asked for.
    pub(crate) stored: Option<TextRange>,
}

pub fn shift_out_of_range(at: TextRange, by: i128, scalar: Elem, value: Option<Shifted>) -> Finding {
    let finding = Finding::error(
        CheckCode::ShiftOutOfRange,
        at,
        format!("a shift of `{scalar}` is by 0 to {}, and this is {by}", scalar.bits() - 1),
    );
    let wider = [Elem::I32, Elem::U32, Elem::I64, Elem::U64].into_iter().find(|elem| {
        elem.is_signed() == scalar.is_signed()
            && elem.bits() > scalar.bits()
            && (0..i128::from(elem.bits())).contains(&by)
    });
    match (wider, value) {
        (Some(wider), Some(Shifted { at, operands, stored })) => {
            let (is_computed, bits) = (!operands.is_empty(), scalar.bits());
            let (help, title) = match is_computed {
                true => (
                    format!(
                        "`{scalar}` has {bits} bits, and what is shifted is computed in them: convert its operands"
                    ),
                    format!("convert the operands to `{wider}`"),
                ),
                false => (
                    format!("`{scalar}` has {bits} bits; convert the value before it is shifted"),
                    format!("convert it to `{wider}`"),
                ),
            };
            let around = |at: TextRange, to: Elem| Edit::Surround(at, format!("{to}("), ")".to_owned());
            let widened = if is_computed { operands } else { vec![at] };
            let back = stored.map(|whole| around(whole, scalar));
            let edits = back.into_iter().chain(widened.into_iter().map(|at| around(at, wider))).collect();
            super::with_edits(finding.with_help(help), title, edits)
        }
        _ => finding,
    }
}

/// `from_end`: what the index was meant for, if it counts from the end.
pub fn index_out_of_range(at: TextRange, index: i128, size: Option<i64>, from_end: Option<String>) -> Finding {
    let finding = match size {
        Some(size) if index >= 0 => Finding::error(
            CheckCode::IndexOutOfRange,
            at,
            format!("the index {index} is outside of this dimension, which has {size} elements"),
        ),
        _ => Finding::error(CheckCode::IndexOutOfRange, at, format!("an index of {index} is before the first element"))
            .with_help("indices do not count from the end; write `length(a) - 1`, or `n - 1`, with the array's size"),
    };
    match from_end {
        Some(meant) => finding.with_fix(format!("write `{meant}`"), Edit::Replace(at, meant)),
        None => finding,
    }
}

pub fn slice_out_of_range(at: TextRange, bound: i128, size: Option<i64>, from_end: Option<String>) -> Finding {
    match size {
        Some(size) if bound >= 0 => {
            let message = format!("this slice goes to {bound}, and this dimension has {size} elements");
            Finding::error(CheckCode::IndexOutOfRange, at, message)
        }
        _ => index_out_of_range(at, bound, size, from_end),
    }
}

/// `by`: the step, which says which way the slice goes.
pub fn slice_backwards(at: TextRange, start: i128, end: i128, by: i128) -> Finding {
    if by < 0 {
        let message = format!("this slice goes down, and ends at {end}, above its start at {start}: it has no cell");
        return Finding::error(CheckCode::IndexOutOfRange, at, message)
            .with_help(format!("a slice that goes down starts at the higher index: `a[{end}:{start}:{by}]`"));
    }
    let message = format!("this slice ends at {end}, before its start at {start}: it has no cell");
    let finding = Finding::error(CheckCode::IndexOutOfRange, at, message);
    if end < 0 {
        let before = end.unsigned_abs();
        return finding.with_help(format!(
            "indices do not count from the end; write `a[{start}:n - {before}]`, with the array's size"
        ));
    }
    finding.with_help(format!("a slice that goes down has a negative step: `a[{start}:{end}:-1]`"))
}

pub fn zero_slice_step(at: TextRange) -> Finding {
    Finding::error(CheckCode::ZeroStep, at, "a slice with a step of 0 never gets to its end")
        .with_help("a negative step goes down")
}

/// A constant of a function does not fit the type that a call gives it; `elem` is that type.
pub fn need_of_call(at: TextRange, need: &Need, elem: Elem) -> Finding {
    let name = &need.item.name;
    let with = format!("this call runs `{name}` with `{elem}`");
    let (code, message, place) = match need.what {
        Needed::Number(value) => (
            CheckCode::NumberOutOfRange,
            format!("{with}, and its `{value}` does not fit `{elem}`"),
            format!("this is a number of `{elem}` for that call"),
        ),
        Needed::Float(bits) => (
            CheckCode::NumberOutOfRange,
            format!("{with}, and its `{:?}` does not fit `{elem}`", f64::from_bits(bits)),
            format!("this is a number of `{elem}` for that call"),
        ),
        Needed::Result(value) => (
            CheckCode::ConstantOverflow,
            format!("{with}, and there the result {value} does not fit `{elem}`"),
            format!("this is computed in `{elem}` for that call"),
        ),
        Needed::Shift(by) => (
            CheckCode::ShiftOutOfRange,
            format!("{with}, and a shift of `{elem}` is by 0 to {}, not by {by}", elem.bits() - 1),
            format!("this shifts a value of `{elem}` for that call"),
        ),
        Needed::DividesByZero => (
            CheckCode::DivisionByZero,
            format!("{with}, and there it divides an integer by zero"),
            "this is 0".to_owned(),
        ),
    };
    let finding = Finding::error(code, at, message).with_related(Place::Need(need.item.clone(), need.place), place);
    match (need.what, elem.integer_range()) {
        (Needed::DividesByZero, _) => finding,
        (Needed::Number(_) | Needed::Result(_), Some((min, max))) => finding.with_help(format!(
            "`{elem}` goes from {min} to {max}; convert the argument to a type that holds the number, as in `i32(x)`"
        )),
        _ => {
            let wider = match elem {
                half if half.is_half() => Elem::F32,
                float if float.is_float() => Elem::F64,
                _ => Elem::I64,
            };
            finding.with_help(format!("convert the argument to a wider type, as in `{wider}(x)`"))
        }
    }
}

/// A division by a matrix.
pub fn divides_by_matrix(at: TextRange) -> Finding {
    Finding::error(CheckCode::OperandType, at, "nothing is divided by a matrix")
        .with_help("to undo a product with `m`, multiply by its inverse: `inverse(m) * v`")
}

/// A product of a matrix and something that does not fit.
pub fn no_product(at: TextRange, a: Side, b: Side) -> Finding {
    let message = format!("there is no product of {} and {}", a.shown, b.shown);
    Finding::error(CheckCode::TypeMismatch, at, message)
        .with_help("a matrix is multiplied by one of as many rows, by a vector of as many fields (`m * v`, `v * m`), or by a number")
}

/// A function of matrices that is given another struct.
pub fn no_matrix(at: TextRange, what: &str, name: &Name) -> Finding {
    Finding::error(CheckCode::TypeMismatch, at, format!("{what} takes `mat2`, `mat3` or `mat4`, and this is `{name}`"))
}

/// A function that is given a struct other than a vector of the prelude.
pub fn no_vector(at: TextRange, what: &str, name: &Name) -> Finding {
    Finding::error(CheckCode::TypeMismatch, at, format!("{what} takes `vec2`, `vec3` or `vec4`, and this is `{name}`"))
}
