//! Every finding about names, types and values: one function each, so that its code, words and fixes stand in one
//! place.
//!
//! A message says what is wrong, with what was found; related places say where that comes from; the help says what to
//! write. The codes are stable for good, and each has a page in `docs/reasons.md`. The codes of syntax errors
//! are in [`syntax::errors`].

use syntax::{ItemKind, TextRange};

use crate::builtins::{Above, Attribute, AttributeArgs};
use crate::finding::{Edit, Finding, Intent, ItemKey, Place};
use crate::hir::{Local, LocalKind, Name};
use crate::scalar::Scalar;

macro_rules! codes {
    ($($name:ident $code:literal)*) => {
        $(const $name: &str = $code;)*
        /// The codes of all findings about names, types and values.
        pub const CODES: &[&str] = &[$($code,)*];
    };
}

codes! {
    ARGUMENT_COUNT "argument-count"
    ARGUMENT_TYPE "argument-type"
    ASSIGN_TO_FIXED "assign-to-fixed"
    ATTRIBUTE_ARGUMENTS "attribute-arguments"
    BAD_SIZE "bad-size"
    CONDITION_NOT_BOOL "condition-not-bool"
    CONSTANT_OVERFLOW "constant-overflow"
    DEAD_CODE "dead-code"
    DIVISION_BY_ZERO "division-by-zero"
    DUPLICATE_NAME "duplicate-name"
    FIELD_NOT_SCALAR "field-not-scalar"
    FOREACH_LEAVES "foreach-leaves"
    FOREACH_UPDATE "foreach-update"
    INDEX_COUNT "index-count"
    INDEX_OUT_OF_RANGE "index-out-of-range"
    LANES_OUTSIDE_FOREACH "lanes-outside-foreach"
    MISPLACED_ATTRIBUTE "misplaced-attribute"
    MISSING_RETURN "missing-return"
    NO_EFFECT "no-effect"
    NOT_A_FUNCTION "not-a-function"
    NOT_A_STRUCT "not-a-struct"
    NOT_A_VALUE "not-a-value"
    NOT_AN_ARRAY "not-an-array"
    NOT_AN_INTEGER "not-an-integer"
    NOT_LOWERED_YET "not-lowered-yet"
    NOT_SCALAR "not-scalar"
    NUMBER_OUT_OF_RANGE "number-out-of-range"
    OPERAND_TYPE "operand-type"
    OUTSIDE_LOOP "outside-loop"
    RANGE_ARGUMENTS "range-arguments"
    RECURSION "recursion"
    RETURN_WITHOUT_VALUE "return-without-value"
    SHIFT_OUT_OF_RANGE "shift-out-of-range"
    SIZE_MISMATCH "size-mismatch"
    STATEMENT_IN_STRUCT "statement-in-struct"
    TYPE_MISMATCH "type-mismatch"
    UNKNOWN_ATTRIBUTE "unknown-attribute"
    UNKNOWN_FIELD "unknown-field"
    UNKNOWN_NAME "unknown-name"
    UNKNOWN_TYPE "unknown-type"
    UNUSED_NAME "unused-name"
    USED_AFTER_BLOCK "used-after-block"
    ZERO_STEP "zero-step"
}

/// Where a value got its type, and a sentence that says so.
pub(crate) type Origin = Option<(Place, String)>;

/// One side of a mismatch.
pub(crate) struct Side {
    /// Its place.
    pub(crate) at: TextRange,
    /// Its type.
    pub(crate) shown: String,
    /// Where it got that.
    pub(crate) origin: Origin,
    /// What would make it fit the other side.
    pub(crate) cast: Option<Cast>,
}

/// A conversion that would make a value fit.
#[derive(Clone, Copy)]
pub(crate) struct Cast {
    /// What the value becomes.
    pub(crate) to: Scalar,
    /// No value changes by it.
    pub(crate) keeps: bool,
}

/// How a number becomes a bool.
#[derive(Clone, Copy)]
pub(crate) enum ToBool {
    /// `x != 0`
    AsItStands,
    /// `(x) != 0`
    InParentheses,
}

/// Why two arrays do not fit each other.
pub(crate) enum SizeClash {
    /// Their numbers of dimensions differ.
    Ranks(usize, usize),
    /// Two sizes differ.
    Sizes(String, String),
}

fn with_origin(finding: Finding, origin: Origin) -> Finding {
    match origin {
        Some((place, _)) if place == Place::Here(finding.at) => finding,
        Some(origin) if finding.related.contains(&origin) => finding,
        Some((place, message)) => finding.with_related(place, message),
        None => finding,
    }
}

/// What a side of a mismatch is: said where that comes from, or else where it stands.
fn with_side(finding: Finding, side: &Side) -> Finding {
    match &side.origin {
        Some(_) => with_origin(finding, side.origin.clone()),
        None if side.at == finding.at => finding,
        None => finding.with_related(side.at, format!("this is {}", side.shown)),
    }
}

const NO_CONVERSION: &str = "no conversion is implicit; a cast such as `f32(x)` says it";

fn did_you_mean(finding: Finding, meant: Option<&str>) -> Finding {
    match meant {
        Some(meant) => {
            let at = finding.at;
            finding
                .with_help(format!("did you mean `{meant}`?"))
                .with_fix(format!("write `{meant}`"), Edit::Replace(at, meant.to_owned()))
        }
        None => finding,
    }
}

fn cast_fix(finding: Finding, at: TextRange, cast: Option<Cast>) -> Finding {
    match cast {
        Some(Cast { to, .. }) => {
            let edit = Edit::Surround(at, format!("{to}("), ")".to_owned());
            finding.with_fix(format!("convert it to `{to}`"), edit)
        }
        None => finding,
    }
}

fn compare_fix(finding: Finding, to_bool: Option<ToBool>) -> Finding {
    let at = finding.at;
    let (before, behind) = match to_bool {
        Some(ToBool::AsItStands) => ("", " != 0"),
        Some(ToBool::InParentheses) => ("(", ") != 0"),
        None => return finding,
    };
    finding.with_fix("compare with 0", Edit::Surround(at, before.to_owned(), behind.to_owned()))
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn kind_name(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Kernel => "a kernel",
        ItemKind::Fn => "a function",
        ItemKind::Struct => "a struct",
        ItemKind::Const => "a constant",
        ItemKind::Preamble | ItemKind::Stray => "no item",
    }
}

// Names.

pub(crate) fn unknown_name(at: TextRange, name: &str, meant: Option<&str>) -> Finding {
    let finding = Finding::error(UNKNOWN_NAME, at, format!("nothing here is called `{name}`"));
    let foreign = match name {
        "True" => Some("true"),
        "False" => Some("false"),
        "fmin" | "fminf" => Some("min"),
        "fmax" | "fmaxf" => Some("max"),
        "fabs" | "fabsf" => Some("abs"),
        "programIndex" | "program_index" => Some("lane_id"),
        "programCount" | "program_count" => Some("LANES"),
        "rint" | "nearbyint" => Some("round"),
        _ => None,
    };
    let help = match name {
        "range" => "`range` stands in the header of a loop: `for i in range(n):`",
        "len" | "shape" | "size" => "an array does not know its size; give it a parameter for it: `a: f32[n], n: i32`",
        "print" | "printf" => "kernels do not print; store to an array parameter, and `lanescope run` prints it",
        "None" | "null" | "nullptr" => "there is no such value",
        "sum" => "`reduce(+, 0, a)` is the sum of an array",
        "filter" => "`compress_store` keeps what a condition selects",
        "math" | "np" | "numpy" | "std" => "the built-in functions stand without a module: `sqrt(x)`",
        _ if foreign.or(meant).is_some() => return did_you_mean(finding, foreign.or(meant)),
        _ => "a name must be defined above: as a parameter, with `let`, or by an assignment",
    };
    finding.with_help(help)
}

pub(crate) fn type_as_value(at: TextRange, scalar: Scalar) -> Finding {
    Finding::error(NOT_A_VALUE, at, format!("`{scalar}` is a type, not a value"))
        .with_help(format!("`{scalar}(x)` converts `x`; the type of a variable is written `let x: {scalar} = ...`"))
}

pub(crate) fn index_in_own_range(at: TextRange, name: &str) -> Finding {
    Finding::error(UNKNOWN_NAME, at, format!("`{name}` is an index of this `foreach`, and not known in its ranges"))
        .with_help("where one range depends on another index, nest two loops")
}

/// `last`: where the parameter list ends, for the fix.
pub(crate) fn unknown_size(at: TextRange, name: &str, last: Option<TextRange>) -> Finding {
    let finding = Finding::error(UNKNOWN_NAME, at, format!("nothing here is called `{name}`"))
        .with_help("the sizes of a kernel's arrays are arithmetic over constants and its own integer parameters");
    match last {
        Some(last) => finding.with_fix(
            format!("add the parameter `{name}`"),
            Edit::Replace(TextRange::empty(last.end()), format!(", {name}: i32")),
        ),
        None => finding,
    }
}

pub(crate) fn unknown_type(at: TextRange, name: &str, other: Option<ItemKind>, meant: Option<&str>) -> Finding {
    if let Some(kind) = other {
        return Finding::error(UNKNOWN_TYPE, at, format!("`{name}` is {}, not a type", kind_name(kind)));
    }
    let finding = Finding::error(UNKNOWN_TYPE, at, format!("there is no type `{name}`"));
    let foreign = match name {
        "int" | "int32" | "int32_t" | "long32" => Some("i32"),
        "float" | "float32" | "single" => Some("f32"),
        "double" | "float64" => Some("f64"),
        "unsigned" | "uint" | "uint32" | "uint32_t" => Some("u32"),
        "char" | "int8" | "int8_t" => Some("i8"),
        "byte" | "uchar" | "uint8" | "uint8_t" => Some("u8"),
        "short" | "int16" | "int16_t" => Some("i16"),
        "ushort" | "uint16" | "uint16_t" => Some("u16"),
        "long" | "int64" | "int64_t" | "isize" => Some("i64"),
        "ulong" | "uint64" | "uint64_t" | "size_t" | "usize" => Some("u64"),
        "boolean" | "_Bool" => Some("bool"),
        _ => None,
    };
    match foreign.or(meant) {
        Some(meant) => did_you_mean(finding, Some(meant)),
        None => finding.with_help(
            "the scalars are `bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64`; structs are defined with `struct`",
        ),
    }
}

pub(crate) fn unknown_field(at: TextRange, field: &str, of: &str, fields: &[&str]) -> Finding {
    let finding = Finding::error(UNKNOWN_FIELD, at, format!("`{of}` has no field `{field}`"));
    match syntax::spelling::closest(field, fields) {
        Some(meant) => did_you_mean(finding, Some(meant)),
        None if fields.is_empty() => finding,
        None => finding.with_help(format!("its fields are `{}`", fields.join("`, `"))),
    }
}

pub(crate) fn duplicate_item(at: TextRange, name: &str, first: ItemKey) -> Finding {
    Finding::error(DUPLICATE_NAME, at, format!("this file defines `{name}` already"))
        .with_related(Place::NameOf(first), format!("`{name}` is defined here first"))
        .with_help("give one of the two another name; the first is what the name stands for")
}

pub(crate) fn duplicate_local(at: TextRange, name: &str, what: &str, first: TextRange) -> Finding {
    Finding::error(DUPLICATE_NAME, at, format!("there is a {what} `{name}` already"))
        .with_related(first, format!("`{name}` is defined here first"))
}

pub(crate) fn duplicate_attribute(at: TextRange, name: &str, first: TextRange) -> Finding {
    Finding::error(DUPLICATE_NAME, at, format!("`@{name}` is said twice"))
        .with_related(first, format!("`@{name}` stands here first"))
        .with_fix("remove it", Edit::RemoveLine(at))
}

/// `word`: the place of the `let`.
pub(crate) fn let_again(at: TextRange, name: &str, first: TextRange, word: Option<TextRange>) -> Finding {
    let finding = Finding::error(DUPLICATE_NAME, at, format!("this block defines `{name}` already"))
        .with_related(first, format!("`{name}` is defined here first"))
        .with_help("without `let`, it is given a new value");
    match word {
        Some(word) => finding.with_fix("remove `let`", Edit::Remove(word)),
        None => finding,
    }
}

/// `owner`: the statement whose block the name ended with; `initial`: a first value for it.
pub(crate) fn used_after_block(
    at: TextRange,
    name: &str,
    defined: TextRange,
    owner: Option<TextRange>,
    initial: &str,
) -> Finding {
    let finding = Finding::error(USED_AFTER_BLOCK, at, format!("`{name}` ended with the block that defines it"))
        .with_related(defined, format!("`{name}` is defined here, inside the block"))
        .with_help(format!("define `{name}` before the block; the assignment inside then updates it"));
    match owner {
        Some(owner) => finding.with_fix(
            format!("write `let {name} = {initial}` before the block"),
            Edit::LineBefore(owner, format!("let {name} = {initial}")),
        ),
        None => finding,
    }
}

/// `updates`: where it is given new values.
pub(crate) fn unused(at: TextRange, local: &Local, updates: impl Iterator<Item = TextRange>) -> Finding {
    let name = &local.name;
    let what = local.kind.describe();
    let how = if local.kind == LocalKind::Param { "used" } else { "read" };
    let edits = std::iter::once(at).chain(updates).map(|at| Edit::Replace(at, format!("_{name}")));
    let fix = Intent { title: format!("write `_{name}` to say that this is meant"), edits: edits.collect() };
    let mut finding = Finding::warning(UNUSED_NAME, at, format!("the {what} `{name}` is never {how}"));
    finding.fixes.push(fix);
    finding
}

pub(crate) fn assign_to_fixed(at: TextRange, name: &str, kind: LocalKind, defined: TextRange) -> Finding {
    let what = kind.describe();
    let help = match kind {
        LocalKind::Param => {
            format!("copy it first: `let {name}_ = {name}`; an array's elements can be assigned: `{name}[i] = ...`")
        }
        LocalKind::ForIndex | LocalKind::ForeachIndex => "a `while` loop may step as it likes".to_owned(),
        _ => "give the new value a name of its own".to_owned(),
    };
    Finding::error(ASSIGN_TO_FIXED, at, format!("`{name}` is a {what}; it cannot be given a new value"))
        .with_related(defined, format!("`{name}` is defined here"))
        .with_help(help)
}

pub(crate) fn assign_to_item(at: TextRange, name: &str, kind: ItemKind) -> Finding {
    Finding::error(ASSIGN_TO_FIXED, at, format!("`{name}` is {}; it cannot be given a new value", kind_name(kind)))
}

pub(crate) fn not_a_place(at: TextRange) -> Finding {
    Finding::error(ASSIGN_TO_FIXED, at, "this value has no place that could be assigned to")
        .with_help("assign to a variable, or to an element of an array that has a name")
}

// Statements.

pub(crate) fn statement_in_struct(at: TextRange) -> Finding {
    Finding::error(STATEMENT_IN_STRUCT, at, "a struct holds fields, and this is none").with_help("write `name: type`")
}

pub(crate) fn dead_code(at: TextRange, leaving: TextRange) -> Finding {
    Finding::warning(DEAD_CODE, at, "this is never reached").with_related(leaving, "nothing goes on behind this")
}

pub(crate) fn no_effect(at: TextRange) -> Finding {
    Finding::warning(NO_EFFECT, at, "this value is computed and thrown away")
        .with_help("assign it to something, or remove the line")
}

pub(crate) fn outside_loop(at: TextRange, word: &str) -> Finding {
    Finding::error(OUTSIDE_LOOP, at, format!("there is no loop here that `{word}` could act on"))
}

pub(crate) fn return_without_value(at: TextRange, because: TextRange) -> Finding {
    Finding::error(RETURN_WITHOUT_VALUE, at, "this `return` gives no value")
        .with_related(because, "a value is promised here")
}

pub(crate) fn missing_return(header: TextRange, because: TextRange) -> Finding {
    Finding::error(MISSING_RETURN, header, "not every way through ends in a `return`")
        .with_related(because, "a value is promised here")
        .with_help("end the body with `return` and a value")
}

pub(crate) fn range_arguments(at: TextRange, found: usize) -> Finding {
    Finding::error(RANGE_ARGUMENTS, at, format!("`range` takes 1 to 3 arguments, and has {found}"))
        .with_help("`range(stop)`, `range(start, stop)` or `range(start, stop, step)`")
}

pub(crate) fn zero_step(at: TextRange) -> Finding {
    Finding::error(ZERO_STEP, at, "a range with a step of 0 never ends").with_help("a negative step counts down")
}

// `foreach` and lanes.

fn for_fix(finding: Finding, word: TextRange, single: bool) -> Finding {
    if single {
        return finding.with_fix("use `for`", Edit::Replace(word, "for".to_owned()));
    }
    finding.with_help("nested `for` loops run their iterations in order")
}

pub(crate) fn foreach_leaves(at: TextRange, word: &str, foreach: TextRange, single: bool) -> Finding {
    let finding =
        Finding::error(FOREACH_LEAVES, at, format!("`{word}` cannot leave a `foreach`: its iterations run together"))
            .with_related(foreach, "in this loop");
    for_fix(finding, foreach, single)
}

pub(crate) fn foreach_update(
    at: TextRange,
    name: &str,
    defined: TextRange,
    foreach: TextRange,
    single: bool,
) -> Finding {
    let finding =
        Finding::error(FOREACH_UPDATE, at, format!("the iterations of a `foreach` cannot share the variable `{name}`"))
            .with_related(defined, format!("`{name}` is defined here, outside of the loop"))
            .with_related(foreach, "its iterations are independent");
    for_fix(finding, foreach, single)
}

pub(crate) fn lane_operation_outside(at: TextRange, name: &str) -> Finding {
    Finding::error(
        LANES_OUTSIDE_FOREACH,
        at,
        format!("`{name}` sees other lanes, and there are none outside of a `foreach`"),
    )
}

pub(crate) fn lane_function_outside(at: TextRange, name: &str) -> Finding {
    Finding::error(
        LANES_OUTSIDE_FOREACH,
        at,
        format!("`{name}` uses lane operations, and there are no lanes outside of a `foreach`"),
    )
}

// Attributes.

pub(crate) fn unknown_attribute(at: TextRange, name: &str, meant: Option<&str>) -> Finding {
    did_you_mean(Finding::error(UNKNOWN_ATTRIBUTE, at, format!("there is no attribute `@{name}`")), meant)
}

pub(crate) fn misplaced_attribute(at: TextRange, name: &str, above: Above) -> Finding {
    let place = above.describe();
    Finding::error(MISPLACED_ATTRIBUTE, at, format!("`@{name}` says nothing about this; it stands {place}"))
}

pub(crate) fn attribute_arguments(at: TextRange, attribute: &Attribute) -> Finding {
    let name = attribute.name;
    let takes = match attribute.args {
        AttributeArgs::None => format!("`@{name}` takes nothing in parentheses"),
        AttributeArgs::Count(limit) => format!("`@{name}` takes a whole number from 1 to {limit}: `@{name}(8)`"),
        AttributeArgs::Arrays => format!("`@{name}` takes two array parameters or more: `@{name}(a, b)`"),
    };
    Finding::error(ATTRIBUTE_ARGUMENTS, at, takes)
}

// Types.

pub(crate) fn mismatch(value: Side, (written, expected): (TextRange, &str), sizes: Option<SizeClash>) -> Finding {
    let finding = match sizes {
        Some(clash) => size_clash(value.at, "the value and its type", &clash),
        None => Finding::error(TYPE_MISMATCH, value.at, format!("expected {expected}, found {}", value.shown)),
    };
    let finding = finding.with_related(written, "the type is written here");
    cast_fix(with_side(finding, &value), value.at, value.cast)
}

/// A new value does not fit what it is assigned to.
pub(crate) fn assigned(target: Side, value: Side, sizes: Option<SizeClash>) -> Finding {
    let finding = match &sizes {
        Some(clash) => size_clash(value.at, "what is assigned to and its new value", clash),
        None => {
            let message = format!("what is assigned to is {}, and its new value is {}", target.shown, value.shown);
            Finding::error(TYPE_MISMATCH, value.at, message)
        }
    };
    let finding = with_side(with_side(finding, &target), &value);
    match value.cast {
        Some(_) => cast_fix(finding.with_help(NO_CONVERSION), value.at, value.cast),
        None => finding,
    }
}

fn size_clash(at: TextRange, what: &str, clash: &SizeClash) -> Finding {
    match clash {
        SizeClash::Ranks(a, b) => {
            let dims = |n: &usize| count(*n, "dimension");
            Finding::error(SIZE_MISMATCH, at, format!("{what} have {} and {}", dims(a), dims(b)))
        }
        SizeClash::Sizes(a, b) => {
            Finding::error(SIZE_MISMATCH, at, format!("{what} have different sizes: `{a}` and `{b}`"))
        }
    }
}

pub(crate) fn operands_differ(at: TextRange, what: &str, a: Side, b: Side, sizes: Option<SizeClash>) -> Finding {
    let finding = match &sizes {
        Some(clash) => size_clash(at, what, clash),
        None => Finding::error(TYPE_MISMATCH, at, format!("{what} have different types: {} and {}", a.shown, b.shown)),
    };
    let mut finding = with_side(with_side(finding, &a), &b);
    // First what changes no value, then what keeps the fraction.
    let mut casts: Vec<_> = [&b, &a].into_iter().filter_map(|side| Some((side.at, side.cast?))).collect();
    casts.sort_by_key(|(_, cast)| (!cast.keeps, !cast.to.is_float()));
    if sizes.is_none() && !casts.is_empty() {
        finding = finding.with_help(NO_CONVERSION);
    }
    casts.into_iter().fold(finding, |finding, (at, cast)| cast_fix(finding, at, Some(cast)))
}

pub(crate) fn operand_type(
    at: TextRange,
    op: &str,
    expected: &str,
    found: &str,
    to_bool: Option<ToBool>,
    origin: Origin,
) -> Finding {
    let finding = Finding::error(OPERAND_TYPE, at, format!("`{op}` takes {expected}, and this is {found}"));
    compare_fix(with_origin(finding, origin), to_bool)
}

pub(crate) fn condition_not_bool(at: TextRange, found: &str, to_bool: Option<ToBool>, origin: Origin) -> Finding {
    let finding = Finding::error(CONDITION_NOT_BOOL, at, format!("a condition is a bool, and this is {found}"));
    compare_fix(with_origin(finding, origin), to_bool)
}

pub(crate) fn not_an_integer(at: TextRange, what: &str, found: &str, float: bool, origin: Origin) -> Finding {
    let finding =
        with_origin(Finding::error(NOT_AN_INTEGER, at, format!("{what} is an integer, and this is {found}")), origin);
    if float {
        return finding.with_fix("convert it to `i32`", Edit::Surround(at, "i32(".to_owned(), ")".to_owned()));
    }
    finding
}

pub(crate) fn not_an_array(at: TextRange, found: &str, origin: Origin) -> Finding {
    with_origin(Finding::error(NOT_AN_ARRAY, at, format!("only an array has elements, and this is {found}")), origin)
}

pub(crate) fn too_many_indices(at: TextRange, rank: usize, found: usize, origin: Origin) -> Finding {
    let finding = Finding::error(
        INDEX_COUNT,
        at,
        format!("this array has {}, and is given {}", count(rank, "dimension"), indices(found)),
    );
    with_origin(finding, origin)
}

fn indices(n: usize) -> String {
    if n == 1 { "1 index".to_owned() } else { format!("{n} indices") }
}

/// `n_dimensions`: how many indices it takes to get from an array of structs to one of them.
pub(crate) fn no_struct(at: TextRange, found: &str, n_dimensions: usize, origin: Origin) -> Finding {
    let finding = Finding::error(NOT_A_STRUCT, at, format!("only a struct has fields, and this is {found}"));
    let finding = with_origin(finding, origin);
    match n_dimensions {
        0 => finding,
        1 => finding.with_help("its elements have fields: `p[i].x`"),
        _ => finding.with_help("its elements have fields: `p[i, j].x`"),
    }
}

pub(crate) fn struct_unknown(at: TextRange, field: &str) -> Finding {
    Finding::error(NOT_A_STRUCT, at, format!("nothing says which struct this is whose `{field}` is used"))
        .with_help("write its type where it is defined: `p: Particle[n]`")
}

pub(crate) fn sizes_differ(at: TextRange, (first, first_size): (TextRange, &str), size: &str) -> Finding {
    Finding::error(SIZE_MISMATCH, at, format!("these arrays have different sizes: `{first_size}` and `{size}`"))
        .with_related(first, format!("this has `{first_size}` elements"))
}

pub(crate) fn assumed_sizes_differ(at: TextRange, a: &str, b: &str) -> Finding {
    Finding::error(SIZE_MISMATCH, at, format!("two sizes must be equal here, and differ: `{a}` and `{b}`"))
}

pub(crate) fn bad_size(at: TextRange) -> Finding {
    Finding::error(BAD_SIZE, at, "a size is arithmetic over constants and integers that do not change")
        .with_help("the operators are `+ - * / // %`")
}

pub(crate) fn negative_size(at: TextRange) -> Finding {
    Finding::error(BAD_SIZE, at, "an array cannot have a negative size")
}

pub(crate) fn field_not_scalar(at: TextRange, field: &str, found: &str) -> Finding {
    Finding::error(FIELD_NOT_SCALAR, at, format!("fields are scalars, and `{field}` is {found}"))
}

pub(crate) fn constant_not_scalar(at: TextRange, found: &str) -> Finding {
    Finding::error(NOT_SCALAR, at, format!("a constant is a scalar, and this is {found}"))
}

pub(crate) fn result_not_scalar(at: TextRange, found: &str) -> Finding {
    Finding::error(NOT_SCALAR, at, format!("a kernel's result is a scalar, and this is {found}"))
        .with_help("arrays go out through parameters: store to `out[i]`")
}

// Calls.

/// `call`: how a call is written; `takes`: the least and the largest number of arguments.
pub(crate) fn argument_count(at: TextRange, call: &str, takes: (usize, usize), found: usize) -> Finding {
    let (least, most) = takes;
    let takes = if least == most { count(least, "argument") } else { format!("at least {}", count(least, "argument")) };
    Finding::error(ARGUMENT_COUNT, at, format!("`{call}` takes {takes}, and is given {found}"))
}

/// `elements`: the parameter is a scalar, and the argument an array.
pub(crate) fn argument_type(arg: Side, what: &str, expected: &str, elements: bool) -> Finding {
    let message = format!("{what} is {expected}, and this is {}", arg.shown);
    let finding = with_origin(Finding::error(ARGUMENT_TYPE, arg.at, message), arg.origin);
    let finding = if elements { finding.with_help("`map(f, a)` applies `f` to each element") } else { finding };
    cast_fix(finding, arg.at, arg.cast)
}

pub(crate) fn argument_size(at: TextRange, what: &str, clash: &SizeClash) -> Finding {
    size_clash(at, &format!("{what} and this array"), clash)
}

pub(crate) fn builtin_argument(arg: Side, name: &str, expected: &str, array: bool, to_float: bool) -> Finding {
    let message = format!("`{name}` takes {expected}, and this is {}", arg.shown);
    let finding = with_origin(Finding::error(ARGUMENT_TYPE, arg.at, message), arg.origin);
    match (array, to_float) {
        (true, _) => finding.with_help(format!("`map({name}, a)` applies it to each element")),
        (_, true) => cast_fix(finding, arg.at, Some(Cast { to: Scalar::F32, keeps: false })),
        _ => finding,
    }
}

/// A function takes another number of values than what it is applied to.
pub(crate) fn applied_to(at: TextRange, takes: usize, found: usize) -> Finding {
    let message = format!("this function takes {}, and is applied to {found}", count(takes, "argument"));
    Finding::error(ARGUMENT_COUNT, at, message)
}

/// A function does not take the elements of the array that it is applied to.
pub(crate) fn element_type(at: TextRange, takes: &str, found: &str, row: bool) -> Finding {
    let message = format!("this function takes {takes}, and is applied to elements that are {found}");
    let finding = Finding::error(ARGUMENT_TYPE, at, message);
    if row {
        return finding.with_help("the elements of a matrix are its rows: `map(\\row -> map(f, row), m)`");
    }
    finding
}

pub(crate) fn joins_to_other_type(at: TextRange, expected: &str, found: &str) -> Finding {
    Finding::error(
        ARGUMENT_TYPE,
        at,
        format!("joining two elements must give an element ({expected}), and this gives {found}"),
    )
}

pub(crate) fn cast_arguments(at: TextRange, scalar: Scalar, found: usize) -> Finding {
    Finding::error(ARGUMENT_COUNT, at, format!("the cast `{scalar}(x)` takes 1 argument, and is given {found}"))
}

pub(crate) fn cast_of_no_scalar(at: TextRange, scalar: Scalar, found: &str) -> Finding {
    Finding::error(ARGUMENT_TYPE, at, format!("only scalars are converted, and this is {found}"))
        .with_help(format!("`map(\\x -> {scalar}(x), a)` converts each element"))
}

pub(crate) fn not_a_function(at: TextRange, found: &str, array: bool) -> Finding {
    let finding = Finding::error(NOT_A_FUNCTION, at, format!("only functions are called, and this is {found}"));
    if array { finding.with_help("an element is written with square brackets: `a[i]`") } else { finding }
}

pub(crate) fn lane_value_called(at: TextRange, name: &str) -> Finding {
    Finding::error(NOT_A_FUNCTION, at, format!("`{name}` is a value, not a function"))
        .with_fix(format!("write `{name}`"), Edit::Replace(at, name.to_owned()))
}

pub(crate) fn not_callable(at: TextRange, name: &str, kind: ItemKind) -> Finding {
    let finding = Finding::error(
        NOT_A_FUNCTION,
        at,
        format!("`{name}` is {}, which cannot be called from here", kind_name(kind)),
    );
    match kind {
        ItemKind::Kernel => finding.with_help("kernels are called from outside; what several kernels share is a `fn`"),
        _ => finding,
    }
}

pub(crate) fn not_a_value(at: TextRange, name: &str, kind: ItemKind) -> Finding {
    Finding::error(NOT_A_VALUE, at, format!("`{name}` is {}, not a value", kind_name(kind)))
}

pub(crate) fn builtin_needs_call(at: TextRange, name: &str, signature: &str) -> Finding {
    Finding::error(NOT_A_VALUE, at, format!("`{name}` stands for nothing by itself; call it: `{signature}`"))
}

pub(crate) fn function_without_value(at: TextRange) -> Finding {
    Finding::error(NOT_A_VALUE, at, "this function gives no value")
}

pub(crate) fn no_value(at: TextRange) -> Finding {
    Finding::error(NOT_A_VALUE, at, "this call gives no value").with_help("a function gives one with `return`")
}

/// `way`: the names on the way from `name` back to it, which is the last.
pub(crate) fn recursion(at: TextRange, kind: ItemKind, name: &str, way: &[Name]) -> Finding {
    let (_, between) = way.split_last().unzip();
    let between: Vec<_> = between.unwrap_or_default().iter().map(|name| format!("`{name}`")).collect();
    let does = if kind == ItemKind::Const { "is defined by" } else { "calls" };
    let message = match between.is_empty() {
        true => format!("`{name}` {does} itself"),
        false => format!("`{name}` {does} itself, by way of {}", between.join(" and ")),
    };
    let finding = Finding::error(RECURSION, at, message);
    if kind == ItemKind::Const {
        return finding;
    }
    finding.with_help("functions are inlined where they are called, so none can lead back to itself; use a loop")
}

// Values.

pub(crate) fn number_too_large(at: TextRange, text: &str) -> Finding {
    Finding::error(NUMBER_OUT_OF_RANGE, at, format!("no type holds a number as large as `{text}`"))
}

pub(crate) fn number_out_of_range(at: TextRange, number: &str, scalar: Scalar) -> Finding {
    let finding = Finding::error(NUMBER_OUT_OF_RANGE, at, format!("`{number}` does not fit `{scalar}`"));
    match scalar.integer_range() {
        Some((min, max)) => finding.with_help(format!("`{scalar}` goes from {min} to {max}")),
        None => finding,
    }
}

pub(crate) fn constant_overflow(at: TextRange, value: i128, scalar: Scalar) -> Finding {
    let message = if value == i128::MAX {
        format!("the result does not fit `{scalar}`")
    } else {
        format!("the result, {value}, does not fit `{scalar}`")
    };
    Finding::error(CONSTANT_OVERFLOW, at, message)
}

pub(crate) fn division_by_zero(at: TextRange, divisor: TextRange) -> Finding {
    let finding = Finding::error(DIVISION_BY_ZERO, at, "this divides an integer by zero");
    if at == divisor { finding } else { finding.with_related(divisor, "this is 0") }
}

pub(crate) fn shift_out_of_range(at: TextRange, by: i128, scalar: Scalar) -> Finding {
    Finding::error(
        SHIFT_OUT_OF_RANGE,
        at,
        format!("a shift of `{scalar}` is by 0 to {}, and this is {by}", scalar.bits() - 1),
    )
}

pub(crate) fn index_out_of_range(at: TextRange, index: i128, size: Option<i64>) -> Finding {
    match size {
        Some(size) if index >= 0 => Finding::error(
            INDEX_OUT_OF_RANGE,
            at,
            format!("the index {index} is outside of this dimension, which has {size} elements"),
        ),
        _ => Finding::error(INDEX_OUT_OF_RANGE, at, format!("an index of {index} is before the first element"))
            .with_help("indices do not count from the end; write `n - 1`, with the array's size"),
    }
}

pub(crate) fn slice_out_of_range(at: TextRange, bound: i128, size: Option<i64>) -> Finding {
    match size {
        Some(size) if bound >= 0 => {
            let message = format!("this slice goes to {bound}, and this dimension has {size} elements");
            Finding::error(INDEX_OUT_OF_RANGE, at, message)
        }
        _ => index_out_of_range(at, bound, size),
    }
}

pub(crate) fn slice_backwards(at: TextRange, start: i128, end: i128) -> Finding {
    let message = format!("this slice ends at {end}, before its start at {start}");
    Finding::error(INDEX_OUT_OF_RANGE, at, message)
}

// Lowering.

pub(crate) fn not_lowered_yet(at: TextRange, what: &str) -> Finding {
    Finding::error(NOT_LOWERED_YET, at, format!("{what} cannot be lowered yet"))
        .with_help("it is checked, and the rest of the file works on; running it comes with a later version")
}

#[cfg(test)]
mod tests {
    use super::CODES;

    #[test]
    fn codes_are_sorted_and_not_those_of_syntax_errors() {
        assert!(CODES.is_sorted_by(|a, b| a.replace('-', " ") < b.replace('-', " ")), "{CODES:?}");
        for code in CODES {
            assert!(!syntax::errors::CODES.contains(code), "{code}");
        }
    }
}
