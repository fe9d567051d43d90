//! Findings about methods of arrays, numbers and structs, which Lane has as functions: `a.sum()`, `x.sqrt()`, `v.norm()`.

use report::{TextRange, TextSize};

use super::CheckCode;
use super::habits::{Ours, ROUNDED, built_in, of_module, with_edits};
use crate::finding::{Edit, Finding};

/// The form in which Lane writes `a.name(…)` of an array.
pub fn method(name: &str) -> Option<Ours> {
    Some(match name {
        "astype" => Ours::Help("a cast is a call of the type: `f32(a)`"),
        "len" | "length" | "size" => Ours::Function("length"),
        "tolist" | "item" => Ours::Help("an element is `a[i]`"),
        "swap" => Ours::Help("two elements are swapped by an assignment: `a[i], a[j] = a[j], a[i]`"),
        "fold" => Ours::Help("from the first element to the last it is `reduce(f, start, a)`"),
        "fill" => Ours::Help("one value is stored to all elements by `a[:] = x`"),
        "append" | "push" | "push_back" => {
            Ours::Help("an array keeps its size; two, one behind the other, are `concat(a, b)`")
        }
        _ => match of_module(name)? {
            Ours::Value(_) | Ours::Argument | Ours::With(..) => return None,
            ours => ours,
        },
    })
}

/// The form in which Lane writes `x.name(…)` of a number.
fn method_of_number(name: &str) -> Option<Ours> {
    Some(Ours::Function(match name {
        "powf" | "powi" => "pow",
        "ln" => "log",
        "to_radians" => "radians",
        "to_degrees" => "degrees",
        "signum" => "sign",
        "count_ones" => "popcount",
        "leading_zeros" => "clz",
        "trailing_zeros" => "ctz",
        "swap_bytes" => "byte_swap",
        "saturating_add" => "add_sat",
        "saturating_sub" => "sub_sat",
        "bit_count" | "popcount" | "bitcount" => "popcount",
        // Rust's `is_nan` has another name here by the underscore alone.
        _ => built_in(name).or_else(|| built_in(&name.replace('_', "")))?,
    }))
}

/// The operator that a method of Rust's integers stands for.
pub fn operator_of_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "wrapping_add" => "+",
        "wrapping_sub" => "-",
        "wrapping_mul" => "*",
        _ => return None,
    })
}

/// `x.wrapping_add(y)`. `base`: what stands before the point; `call`: the whole call; `plain`: the argument needs no parentheses; `signed`: the
/// types of the numbers, and of those of the same size that wrap, if these are others.
pub fn wrapping_method(
    base: TextRange,
    call: TextRange,
    (name, op): (&str, &str),
    plain: bool,
    signed: Option<(ir::Elem, ir::Elem)>,
) -> Finding {
    let bracket = base.end() + TextSize::of('.') + TextSize::of(name) + TextSize::of('(');
    let at = TextRange::new(base.end() + TextSize::of('.'), bracket - TextSize::of('('));
    let rest = TextRange::new(base.end(), bracket);
    let message = format!("numbers have no methods such as `{name}`");
    let finding = Finding::error(CheckCode::NotAStruct, at, message);
    // The bracket that closes the call closes what is put around the operation.
    match signed {
        Some((own, wraps)) => {
            let finding = finding.with_help(format!(
                "signed numbers that do not fit are an error, and unsigned ones wrap: `{own}({wraps}(x) {op} {wraps}(y))`"
            ));
            let edits = vec![
                Edit::Surround(base, format!("{own}({wraps}("), ")".to_owned()),
                Edit::Replace(rest, format!(" {op} {wraps}(")),
                Edit::Replace(TextRange::empty(call.end()), ")".to_owned()),
            ];
            with_edits(finding, format!("write `{op}` of `{wraps}`"), edits)
        }
        None if plain => {
            let finding = finding.with_help(format!("unsigned numbers wrap: `x {op} y`"));
            let edits =
                vec![Edit::Surround(base, "(".to_owned(), String::new()), Edit::Replace(rest, format!(" {op} "))];
            with_edits(finding, format!("write `{op}`"), edits)
        }
        None => finding.with_help(format!("unsigned numbers wrap: `x {op} y`")),
    }
}

/// A method of an array that gives its elements once more, or a way to go over them.
fn gives_elements(name: &str) -> bool {
    matches!(name, "iter" | "iter_mut" | "into_iter" | "copied" | "cloned" | "collect" | "to_numpy")
}

/// A method of Rust that gives the very value.
fn gives_itself(name: &str) -> bool {
    matches!(name, "unwrap" | "clone" | "to_owned" | "copied" | "cloned")
}

/// A method of an array that gives another array of its elements.
fn copies(name: &str) -> bool {
    matches!(name, "copy" | "clone" | "to_owned" | "to_vec")
}

/// `a.get(i)` and its like: `call` is all of it, and `base` the array.
pub fn element_by_method(base: TextRange, call: TextRange, name: &str) -> Finding {
    let bracket = TextRange::new(base.end(), base.end() + TextSize::of('.') + TextSize::of(name) + TextSize::of('('));
    let at = TextRange::new(base.end() + TextSize::of('.'), bracket.end() - TextSize::of('('));
    let message = format!("arrays have no methods such as `{name}`");
    let closing = TextRange::new(call.end() - TextSize::of(')'), call.end());
    let edits = vec![Edit::Replace(bracket, "[".to_owned()), Edit::Replace(closing, "]".to_owned())];
    let finding = Finding::error(CheckCode::NotAStruct, at, message).with_help("an element is `a[i]`");
    with_edits(finding, "write brackets".to_owned(), edits)
}

/// `a.map(f)`, whose function stands before the array. `base`: the array, which is called `array`; `call`: the whole call.
pub fn function_before_array(base: TextRange, call: TextRange, name: &str, array: &str) -> Finding {
    let bracket = TextRange::new(base.start(), base.end() + TextSize::of('.') + TextSize::of(name) + TextSize::of('('));
    let at = TextRange::new(base.end() + TextSize::of('.'), bracket.end() - TextSize::of('('));
    let message = format!("arrays have no methods such as `{name}`: a function stands before what it is of");
    let behind = TextRange::empty(call.end() - TextSize::of(')'));
    let edits = vec![Edit::Replace(bracket, format!("{name}(")), Edit::Replace(behind, format!(", {array}"))];
    let finding = Finding::error(CheckCode::NotAStruct, at, message).with_help(format!("write `{name}(f, a)`"));
    with_edits(finding, format!("write `{name}(..., {array})`"), edits)
}

/// The function that a method of a vector stands for, by another name.
pub fn method_of_vector(name: &str) -> Option<&'static str> {
    match name {
        "norm" | "magnitude" | "mag" | "len" => Some("length"),
        "normalized" | "unit" => Some("normalize"),
        _ => None,
    }
}

/// A method `name` of the struct `of`, for which the function `ours` is seen. `base` and `call` are as of [`method_of`].
pub fn method_of_struct(base: TextRange, call: TextRange, (name, of, ours): (&str, &str, &str), args: bool) -> Finding {
    let at = TextRange::new(call.end() - TextSize::of(name), call.end());
    let message = format!("`{of}` has no methods: a function such as `{ours}` stands before what it is of");
    before_its_argument(Finding::error(CheckCode::UnknownField, at, message), (base, call), ours, args)
}

/// `a.first()` and `a.last()` of the array that is called `array`. `rest`: from the point on.
pub fn end_of_array(at: TextRange, rest: TextRange, name: &str, array: &str) -> Option<Finding> {
    let ours = match name {
        "first" | "front" => "[0]".to_owned(),
        "last" | "back" => format!("[length({array}) - 1]"),
        _ => return None,
    };
    let message = format!("arrays have no methods such as `{name}`");
    let finding = Finding::error(CheckCode::NotAStruct, at, message).with_help("an element is `a[i]`");
    Some(finding.with_fix(format!("write `{array}{ours}`"), Edit::Replace(rest, ours)))
}

/// `a.swap(i, j)`, of which all parts are names or numbers.
pub fn swap_by_method(at: TextRange, call: TextRange, array: &str, [i, j]: [&str; 2]) -> Finding {
    let message = "arrays have no methods such as `swap`: a function stands before what it is of";
    let finding = Finding::error(CheckCode::NotAStruct, at, message)
        .with_help("two elements are swapped by an assignment: `a[i], a[j] = a[j], a[i]`");
    let ours = format!("{array}[{i}], {array}[{j}] = {array}[{j}], {array}[{i}]");
    finding.with_fix(format!("write `{ours}`"), Edit::Replace(call, ours))
}

/// `a[i].fetch_add(x)`, whose array and index are `cell`. `to`: all up to the bracket of the call and with it.
pub fn atomic_by_method(at: TextRange, to: TextRange, name: &str, (array, index): (&str, &str)) -> Option<Finding> {
    let atomic = super::atomic_of_others(name)?;
    let message = format!("numbers have no methods such as `{name}`: a function stands before what it is of");
    let finding = Finding::error(CheckCode::NotAStruct, at, message)
        .with_help(format!("here that is `{atomic}(a, i, x)`: the array, the index and the value"));
    let ours = format!("{atomic}({array}, {index}, ");
    Some(finding.with_fix(format!("write `{ours}...)`"), Edit::Replace(to, ours)))
}

/// Adds the fix of `x.name(…)`, which is `ours(x, …)` here.
fn before_its_argument(finding: Finding, (base, call): (TextRange, TextRange), ours: &str, args: bool) -> Finding {
    // The bracket that opens the call is the next character of the dense text.
    let rest = TextRange::new(base.end(), call.end() + TextSize::of('('));
    let between = if args { ", " } else { "" };
    let edits = vec![Edit::Surround(base, format!("{ours}("), String::new()), Edit::Replace(rest, between.to_owned())];
    let title = if ours == "round" { ROUNDED.to_owned() } else { format!("write `{ours}(...)`") };
    with_edits(finding, title, edits)
}

/// `a.astype(np.float32)`, whose places are those of the name, the array and all of it.
pub fn cast_by_method(at: TextRange, base: TextRange, whole: TextRange, to: ir::Elem) -> Finding {
    let message = "arrays have no methods such as `astype`: a function stands before what it is of";
    let finding = Finding::error(CheckCode::NotAStruct, at, message)
        .with_help(format!("a cast is a call of the type: `{to}(a)`"));
    let rest = TextRange::new(base.end(), whole.end());
    let edits = vec![Edit::Surround(base, format!("{to}("), String::new()), Edit::Replace(rest, ")".to_owned())];
    with_edits(finding, format!("write `{to}(...)`"), edits)
}

/// A method of an array or a number. `base`: that, with its brackets; `call`: the function that is called, to its end; `args`: the call
/// has arguments.
pub fn method_of(base: TextRange, call: TextRange, name: &str, args: bool, of_number: bool) -> Finding {
    let at = TextRange::new(call.end() - TextSize::of(name), call.end());
    let what = if of_number { "numbers" } else { "arrays" };
    let message = format!("{what} have no methods such as `{name}`: a function stands before what it is of");
    let finding = Finding::error(CheckCode::NotAStruct, at, message);
    if let Some(atomic) = super::atomic_of_others(name) {
        return finding.with_help(format!("here that is `{atomic}(a, i, x)`: the array, the index and the value"));
    }
    if !of_number && !args && copies(name) {
        let rest = TextRange::new(base.end(), call.end() + TextSize::of("()"));
        let edits =
            vec![Edit::Surround(base, "map(\\x -> x, ".to_owned(), String::new()), Edit::Replace(rest, ")".to_owned())];
        let finding =
            finding.with_help("`b[:] = a` copies the elements to `b`; a new array of them is `map(\\x -> x, a)`");
        return with_edits(finding, "write `map(\\x -> x, ...)`".to_owned(), edits);
    }
    if !args && (of_number && gives_itself(name) || name == "unwrap" || !of_number && gives_elements(name)) {
        let rest = TextRange::new(base.end(), call.end() + TextSize::of("()"));
        let help = match of_number {
            true => "a number stands for itself",
            false => "an array stands for its elements by itself: `sum(a)`, `for x in a:`",
        };
        return finding.with_help(help).with_fix(format!("remove `.{name}()`"), Edit::Remove(rest));
    }
    match if of_number { method_of_number(name) } else { method(name) } {
        Some(Ours::Function(ours)) => before_its_argument(finding, (base, call), ours, args),
        Some(Ours::Help(help)) => finding.with_help(help),
        _ if of_number => finding.with_help("functions are called by their names: `sqrt(x)`"),
        _ => finding.with_help("functions of arrays are called by their names: `sum(a)`"),
    }
}
