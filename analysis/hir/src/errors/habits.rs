//! Findings about what NumPy and Python's `math` write in another way: functions of a module, sizes of arrays, and indices.
//!
//! One table says how Lane writes each of them, so that a fix can. What Lane has by the same name needs no row.

use report::{TextRange, TextSize};

use super::CheckCode;
use crate::builtins::BuiltinId;
use crate::finding::{Edit, Finding, Intent};

/// The modules whose functions are built in here.
pub const MODULES: &[&str] = &["np", "numpy", "math", "cmath", "jnp", "torch", "std", "ti", "numba", "nb", "cupy"];

/// The form in which Lane writes a function of a module, or a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ours {
    /// A function, or a type as one, that takes the same arguments.
    Function(&'static str),
    /// A function with one more argument behind those given.
    With(&'static str, &'static str),
    /// The argument by itself.
    Argument,
    /// A number.
    Value(&'static str),
    /// Nothing that a fix could write: what to do instead.
    Help(&'static str),
}

/// The help for NumPy's `roll`, which moves the other way.
pub(super) const ROTATED: &str = "`rotate(a, k)` starts with the element `k`, as `np.roll(a, -k)` does";

/// The help for NumPy's `flip`, which reverses the columns of a matrix, too.
pub(super) const REVERSED: &str = "`reverse(a)` has the elements from the last to the first; of a matrix it is the rows, and `map(reverse, m)` reverses each row";

/// The title of a fix from C's and Rust's `round`, which goes away from zero on ties.
pub(super) const ROUNDED: &str = "write `round`, which goes to the even number on ties";

/// The help for functions that sort.
pub(super) const NO_SORT: &str = "nothing here sorts an array of any length; `use sorting` has networks and medians for few values, `argmin(a)` and \
                                  `argmax(a)` find the outermost elements";

/// The form in which Lane writes `np.name`.
pub fn of_module(name: &str) -> Option<Ours> {
    Some(match name {
        // NumPy's reductions have the names of Python's functions of two values, and the other way round.
        "max" | "amax" | "nanmax" => Ours::Function("maximum"),
        "min" | "amin" | "nanmin" => Ours::Function("minimum"),
        "maximum" | "fmax" => Ours::Function("max"),
        "minimum" | "fmin" => Ours::Function("min"),
        "prod" => Ours::Function("product"),
        "absolute" | "fabs" => Ours::Function("abs"),
        "where" => Ours::Function("select"),
        "arange" => Ours::Function("iota"),
        "clip" => Ours::Function("clamp"),
        "power" | "float_power" => Ours::Function("pow"),
        "flipud" => Ours::Function("reverse"),
        "ravel" => Ours::Function("flatten"),
        "take" => Ours::Function("gather"),
        "put" => Ours::Function("scatter"),
        "inner" | "vdot" => Ours::Function("dot"),
        "count_nonzero" => Ours::Function("count"),
        "isfinite" => Ours::Function("is_finite"),
        "rint" | "around" => Ours::Function("round"),
        "deg2rad" => Ours::Function("radians"),
        "rad2deg" => Ours::Function("degrees"),
        "arcsin" => Ours::Function("asin"),
        "arccos" => Ours::Function("acos"),
        "arctan" => Ours::Function("atan"),
        "arctan2" => Ours::Function("atan2"),
        "arcsinh" => Ours::Function("asinh"),
        "arccosh" => Ours::Function("acosh"),
        "arctanh" => Ours::Function("atanh"),
        "full" => Ours::Function("replicate"),
        "float32" | "single" => Ours::Function("f32"),
        "float64" | "double" => Ours::Function("f64"),
        "float16" | "half" => Ours::Function("f16"),
        "bfloat16" => Ours::Function("bf16"),
        "int8" => Ours::Function("i8"),
        "int16" => Ours::Function("i16"),
        "int32" => Ours::Function("i32"),
        "int64" => Ours::Function("i64"),
        "uint8" => Ours::Function("u8"),
        "uint16" => Ours::Function("u16"),
        "uint32" => Ours::Function("u32"),
        "uint64" => Ours::Function("u64"),
        "zeros" | "empty" => Ours::With("replicate", "0.0"),
        "ones" => Ours::With("replicate", "1.0"),
        "square" => Ours::With("pow", "2.0"),
        "array" | "asarray" => Ours::Argument,
        "e" => Ours::Value("2.718281828459045"),
        "average" => Ours::Function("mean"),
        "sort" | "argsort" | "median" => Ours::Help(NO_SORT),
        "zeros_like" | "empty_like" => Ours::Help("an array of zeros is `replicate(length(a), 0.0)`"),
        "ones_like" => Ours::Help("an array of ones is `replicate(length(a), 1.0)`"),
        "concatenate" => Ours::Help("two arrays, one behind the other, are `concat(a, b)`"),
        "roll" => Ours::Help(ROTATED),
        "flip" => Ours::Help(REVERSED),
        "var" | "std" => Ours::Help("the variance is `mean((a - mean(a)) ** 2)`, and its root the standard deviation"),
        "infty" | "Inf" | "Infinity" => Ours::Function("inf"),
        "NaN" | "NAN" => Ours::Function("nan"),
        _ => Ours::Function(built_in(name)?),
    })
}

/// The name of a builtin function, as long as the program runs.
pub(super) fn built_in(name: &str) -> Option<&'static str> {
    BuiltinId::from_name(name).map(|builtin| builtin.get().name)
}

/// A function or value of a module. `at`: the module's name, the point and the name behind it; `args`: the places of the arguments of a
/// call, from behind its bracket to before the one that closes it.
pub fn name_of_module(at: TextRange, module: &str, name: &str, args: Option<TextRange>) -> Finding {
    let message = format!("nothing here is called `{module}`; what is built in stands without a module");
    let finding = Finding::error(CheckCode::UnknownName, at, message);
    match (of_module(name), args) {
        (Some(Ours::Function(ours)), _) => {
            finding.with_fix(format!("write `{ours}`"), Edit::Replace(at, ours.to_owned()))
        }
        (Some(Ours::With(ours, last)), Some(args)) => {
            let behind = Edit::Replace(TextRange::empty(args.end()), format!(", {last}"));
            with_edits(finding, format!("write `{ours}`"), vec![Edit::Replace(at, ours.to_owned()), behind])
        }
        (Some(Ours::Argument), Some(args)) => {
            let one = TextSize::new(1);
            let edits = vec![
                Edit::Replace(TextRange::new(at.start(), args.start()), String::new()),
                Edit::Replace(TextRange::new(args.end(), args.end() + one), String::new()),
            ];
            with_edits(finding, format!("remove `{module}.{name}`"), edits)
        }
        (Some(Ours::Value(number)), None) => {
            finding.with_fix(format!("write `{number}`"), Edit::Replace(at, number.to_owned()))
        }
        (Some(Ours::Help(help)), _) => finding.with_help(help),
        _ => finding.with_help("the built-in functions stand without a module: `sqrt(x)`"),
    }
}

/// `np.zeros(n, dtype=np.float32)`: `place` is what other arguments, or other sizes, go in the place of.
pub fn array_of_module(at: TextRange, module: &str, place: TextRange, arguments: String) -> Finding {
    let message = format!("nothing here is called `{module}`; what is built in stands without a module");
    let edits = vec![Edit::Replace(at, "replicate".to_owned()), Edit::Replace(place, arguments)];
    let finding = Finding::error(CheckCode::UnknownName, at, message)
        .with_help("an array of one value is `replicate(n, x)`, whose elements have the type of `x`");
    with_edits(finding, "write `replicate`".to_owned(), edits)
}

/// `a.shape`, `a.size`, `a.length` and `a.T` of an array. `whole`: with the subscript that chooses a dimension, which is `dim`; `rank`: the number of
/// its dimensions, if that is known; `by_name`: the name that it has.
pub fn property_of_array(
    whole: TextRange,
    (base, by_name): (TextRange, Option<&str>),
    name: &str,
    dim: Option<u128>,
    rank: Option<usize>,
) -> Option<Finding> {
    if let ("size", None, Some(2)) = (name, dim, rank) {
        let finding = Finding::error(CheckCode::NotAStruct, whole, NO_FIELDS)
            .with_help("the elements of all rows of a matrix are `length(m) * length(m, 1)`");
        let product = by_name.map(|a| format!("(length({a}) * length({a}, 1))"));
        return Some(match product {
            Some(product) => finding.with_fix("write the product of both sizes", Edit::Replace(whole, product)),
            None => finding,
        });
    }
    let (ours, behind, what) = match (name, dim) {
        ("shape", Some(0)) | ("size" | "len" | "length", None) => {
            ("length", ")".to_owned(), "the size of an array is `length(a)`")
        }
        ("shape", Some(dim)) => ("length", format!(", {dim})"), "the size of a dimension is `length(a, 1)`"),
        ("T", None) => ("transpose", ")".to_owned(), "the columns of a matrix as rows are `transpose(m)`"),
        ("shape", None) => {
            let help = "the size of the first dimension is `length(a)`, of the second `length(a, 1)`";
            return Some(Finding::error(CheckCode::NotAStruct, whole, NO_FIELDS).with_help(help));
        }
        _ => return None,
    };
    let finding = Finding::error(CheckCode::NotAStruct, whole, NO_FIELDS).with_help(what);
    let rest = TextRange::new(base.end(), whole.end());
    let edits = vec![Edit::Surround(base, format!("{ours}("), String::new()), Edit::Replace(rest, behind)];
    Some(with_edits(finding, format!("write `{ours}(...)`"), edits))
}

const NO_FIELDS: &str = "an array has no fields";

/// An index that chooses by bools, which is `shown`. `meant`: what does that, as a title and its edits.
pub fn mask_as_index(at: TextRange, shown: &str, meant: Option<(&str, Vec<Edit>)>) -> Finding {
    let message = format!("an index is an integer, and this is {shown}");
    let finding = Finding::error(CheckCode::NotAnInteger, at, message).with_help(
        "`filter` gives the elements for which a function holds: `filter(\\x -> x > 0, a)`; `select(c, x, a)` chooses element by \
         element, and `a[:] = select(c, x, a)` stores where `c` holds",
    );
    match meant {
        Some((title, edits)) => with_edits(finding, title.to_owned(), edits),
        None => finding,
    }
}

/// Adds how an operation is done for each row of a matrix; `by_name`: the matrix, the other operand, and true if the matrix stands on the
/// left. `down`: the other operand has an element for each row.
pub fn for_each_row(finding: Finding, op: &str, down: bool, by_name: Option<(&str, &str, bool)>) -> Finding {
    let map = |m: &str, v: &str, left: bool| {
        let other = if down { "x" } else { v };
        let value = if left { format!("row {op} {other}") } else { format!("{other} {op} row") };
        if down { format!("map(\\row x -> {value}, {m}, {v})") } else { format!("map(\\row -> {value}, {m})") }
    };
    let general = map("m", "v", true);
    let at = finding.at;
    let finding = finding.with_help(format!(
        "no array is stretched to the size of another; for each row of a matrix, write `{general}`"
    ));
    match by_name {
        Some((m, v, left)) => finding.with_fix("write a `map`", Edit::Replace(at, map(m, v, left))),
        None => finding,
    }
}

/// The function of all elements of an array that is like a function of two values.
pub fn of_all(name: &str) -> Option<&'static str> {
    [("max", "maximum"), ("min", "minimum")].into_iter().find(|(of_two, _)| *of_two == name).map(|(_, of_all)| of_all)
}

/// Adds the function of all elements that a call of one of two values was meant for.
pub fn of_all_elements(finding: Finding, callee: TextRange, name: &str) -> Finding {
    let Some(ours) = of_all(name) else { return finding };
    finding
        .with_help(format!("of all elements of an array it is `{ours}(a)`"))
        .with_fix(format!("write `{ours}`"), Edit::Replace(callee, ours.to_owned()))
}

/// Adds a parameter that takes an array that a kernel gives. `edits`: the new parameter, the store, and the result's type.
pub fn through_parameter(finding: Finding, name: &str, edits: Vec<Edit>) -> Finding {
    with_edits(finding, format!("store to a parameter `{name}`"), edits)
}

/// A kernel gives one of its own arrays. `edits`: those that leave the `return` out, where it is the last statement.
pub fn gives_parameter(finding: Finding, name: &str, edits: Vec<Edit>) -> Finding {
    let finding = finding.with_help(format!("`{name}` is a parameter: what is stored to it goes out with it"));
    if edits.is_empty() { finding } else { with_edits(finding, "remove the `return`".to_owned(), edits) }
}

/// A subscript that would give an array a dimension more: `c[:, None]`. `fix`: an operation with a matrix, and what does it.
pub fn new_dimension(at: TextRange, fix: Option<(TextRange, String)>) -> Finding {
    let finding = Finding::error(
        CheckCode::IndexCount,
        at,
        "an array is given no dimension by an index, and none is stretched to the size of another",
    )
    .with_help("go over the rows of the matrix and the elements of the array: `map(\\row x -> row + x, m, c)`");
    match fix {
        Some((whole, text)) => finding.with_fix("write a `map`", Edit::Replace(whole, text)),
        None => finding,
    }
}

pub(super) fn with_edits(mut finding: Finding, title: String, edits: Vec<Edit>) -> Finding {
    finding.fixes.push(Intent { title, edits });
    finding
}
