//! Findings about types, sizes, calls and values.

use ir::Elem;
use report::{ItemKind, TextRange, TextSize};

use super::{CheckCode, count, kind_name};
use crate::finding::{Edit, Finding, Intent, ItemKey, Place};
use crate::{BinOp, Name};

/// The place that gave a value its type, and a sentence that says so.
pub(crate) type Origin = Option<(Place, String)>;

/// A side of a mismatch, with what its message needs.
pub struct Side {
    /// The place of the expression.
    pub(crate) at: TextRange,
    /// The type, as a message shows it.
    pub(crate) shown: String,
    /// The place that gave it that type.
    pub(crate) origin: Origin,
    /// A conversion that makes it fit the other side.
    pub(crate) cast: Option<Cast>,
    /// The operands to convert instead of the result, which has lost something by then.
    pub(crate) lost: Option<Lost>,
    /// The texts of one character in it, with that.
    pub(crate) characters: Vec<(TextRange, u8)>,
}

/// The parts of an expression whose result comes too late for a conversion: the quotient of two integers has no fraction any
/// more, and a product of small integers has wrapped.
pub struct Lost {
    /// The kind of the loss.
    pub(crate) what: Loss,
    /// The operands that are no literals.
    pub(crate) operands: Vec<TextRange>,
}

/// The kinds of loss in the result of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The fraction of a quotient.
    Fraction,
    /// The bits that the type of the operands has no room for.
    HighBits,
}

/// A conversion that would make a value fit.
#[derive(Clone, Copy)]
pub struct Cast {
    /// The type that the value becomes.
    pub(crate) to: Elem,
    /// No value changes by it.
    pub(crate) keeps: bool,
}

/// The edit by which a number becomes a bool.
#[derive(Clone, Copy)]
pub enum ToBool {
    /// The number is compared as it stands: `x != 0`.
    AsItStands,
    /// The number needs parentheses: `(x) != 0`.
    InParentheses,
}

/// The reason why two arrays do not fit each other.
pub enum SizeClash {
    /// The arrays have these numbers of dimensions.
    Ranks(usize, usize),
    /// A dimension has these two sizes.
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

/// Adds the type of one side of a mismatch: at the place where it comes from, or else where it stands.
fn with_side(finding: Finding, side: &Side) -> Finding {
    match &side.origin {
        Some(_) => with_origin(finding, side.origin.clone()),
        None if side.at == finding.at => finding,
        None => finding.with_related(side.at, format!("this is {}", side.shown)),
    }
}

const NO_CONVERSION: &str = "no conversion is implicit; a cast such as `f32(x)` says it";

fn cast_fix(finding: Finding, side: &Side) -> Finding {
    let Some(Cast { to, .. }) = side.cast else { return finding };
    let around = |at: TextRange| Edit::Surround(at, format!("{to}("), ")".to_owned());
    let Some(lost) = &side.lost else {
        return finding.with_fix(format!("convert it to `{to}`"), around(side.at));
    };
    let (help, late) = match lost.what {
        Loss::Fraction => (
            format!(
                "`/` of two integers drops the fraction, and a cast of the result cannot bring it back: convert the operands to `{to}`"
            ),
            format!("divide the integers without the fraction, then convert to `{to}`"),
        ),
        Loss::HighBits => (
            format!("the result wraps before it could be converted: convert the operands to `{to}`"),
            format!("let the result wrap, then convert to `{to}`"),
        ),
    };
    let mut finding = finding.with_help(help);
    let edits = lost.operands.iter().map(|&operand| around(operand)).collect();
    finding.fixes.push(Intent { title: format!("convert the operands to `{to}`"), edits });
    finding.with_fix(late, around(side.at))
}

/// Says that a text of one character is an array, and writes the character.
fn character_fix(finding: Finding, side: &Side) -> Finding {
    if side.characters.is_empty() {
        return finding;
    }
    let written = |byte: u8| match byte {
        b'\'' | b'\\' | b'\n' | b'\r' | b'\t' => format!("'{}'", byte.escape_ascii()),
        b' '..=b'~' => format!("'{}'", char::from(byte)),
        _ => format!("'\\x{byte:02x}'"),
    };
    let title = match side.characters[..] {
        [(_, byte)] => format!("write `{}`", written(byte)),
        _ => "write the characters in single quotes".to_owned(),
    };
    let mut finding =
        finding.with_help("a text in double quotes is an array of bytes; a character in single quotes is a number");
    let edits = side.characters.iter().map(|&(at, byte)| Edit::Replace(at, written(byte))).collect();
    finding.fixes.push(Intent { title, edits });
    finding
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

pub fn mismatch(value: Side, (written, expected): (TextRange, &str), sizes: Option<SizeClash>) -> Finding {
    let finding = match sizes {
        Some(clash) => size_clash(value.at, "the value and its type", &clash),
        None => {
            Finding::error(CheckCode::TypeMismatch, value.at, format!("expected {expected}, found {}", value.shown))
        }
    };
    let finding = finding.with_related(written, "the type is written here");
    character_fix(cast_fix(with_side(finding, &value), &value), &value)
}

/// A variable that is an array is given one value, as if it were a place.
pub fn scalar_to_array(target: Side, value: Side) -> Finding {
    let message = format!("this variable is {}, and its new value is {}", target.shown, value.shown);
    let behind = TextRange::empty(target.at.end());
    let finding = Finding::error(CheckCode::TypeMismatch, value.at, message);
    with_side(with_side(finding, &target), &value)
        .with_help(
            "`=` makes a variable name another array; `[:]` stores a value in all elements of the one that it names",
        )
        .with_fix("write `[:]`", Edit::Replace(behind, "[:]".to_owned()))
}

/// A new value does not fit what it is assigned to.
pub fn assigned(target: Side, value: Side, sizes: Option<SizeClash>) -> Finding {
    let finding = match &sizes {
        Some(clash) => size_clash(value.at, "what is assigned to and its new value", clash),
        None => {
            let message = format!("what is assigned to is {}, and its new value is {}", target.shown, value.shown);
            Finding::error(CheckCode::TypeMismatch, value.at, message)
        }
    };
    let finding = with_side(with_side(finding, &target), &value);
    match value.cast {
        Some(_) => cast_fix(finding.with_help(NO_CONVERSION), &value),
        None => character_fix(finding, &value),
    }
}

fn size_clash(at: TextRange, what: &str, clash: &SizeClash) -> Finding {
    match clash {
        SizeClash::Ranks(a, b) => {
            let dims = |n: &usize| count(*n, "dimension");
            Finding::error(CheckCode::SizeMismatch, at, format!("{what} have {} and {}", dims(a), dims(b)))
        }
        SizeClash::Sizes(a, b) => {
            Finding::error(CheckCode::SizeMismatch, at, format!("{what} have different sizes: `{a}` and `{b}`"))
        }
    }
}

pub fn operands_differ(at: TextRange, what: &str, a: Side, b: Side, sizes: Option<SizeClash>) -> Finding {
    let finding = match &sizes {
        Some(clash) => size_clash(at, what, clash),
        None => Finding::error(
            CheckCode::TypeMismatch,
            at,
            format!("{what} have different types: {} and {}", a.shown, b.shown),
        ),
    };
    let mut finding = with_side(with_side(finding, &a), &b);
    // First what changes no value, then what keeps the fraction.
    let mut casts: Vec<_> = [&b, &a].into_iter().filter_map(|side| Some((side, side.cast?))).collect();
    casts.sort_by_key(|(_, cast)| (!cast.keeps, !cast.to.is_float()));
    if sizes.is_none() && !casts.is_empty() {
        finding = finding.with_help(NO_CONVERSION);
    }
    let finding = casts.into_iter().fold(finding, |finding, (side, _)| cast_fix(finding, side));
    [&a, &b].into_iter().fold(finding, character_fix)
}

pub fn operand_type(
    at: TextRange,
    op: &str,
    expected: &str,
    found: &str,
    to_bool: Option<ToBool>,
    origin: Origin,
) -> Finding {
    let finding = Finding::error(CheckCode::OperandType, at, format!("`{op}` takes {expected}, and this is {found}"));
    compare_fix(with_origin(finding, origin), to_bool)
}

/// `at`: the place of `and` or `or`; `bare`: the operands that bind looser than `&`, without parentheses.
pub fn logical_of_arrays(at: TextRange, op: BinOp, bare: Vec<TextRange>) -> Finding {
    let (word, sign) = if op == BinOp::And { ("and", "&") } else { ("or", "|") };
    let message = format!("`{word}` takes two bools, and an operand here is an array of them");
    let mut edits: Vec<_> =
        bare.into_iter().map(|operand| Edit::Surround(operand, "(".to_owned(), ")".to_owned())).collect();
    edits.push(Edit::Replace(at, sign.to_owned()));
    let mut finding = Finding::error(CheckCode::OperandType, at, message).with_help(format!(
        "`{sign}` works element by element; it binds tighter than a comparison, which needs parentheses: `(a > 0) {sign} (b > 0)`"
    ));
    finding.fixes.push(Intent { title: format!("write `{sign}`"), edits });
    finding
}

pub fn chain_of_arrays(at: TextRange) -> Finding {
    Finding::error(
        CheckCode::OperandType,
        at,
        "comparisons in a chain are joined by `and`, and an operand here is an array",
    )
    .with_help("of arrays, compare two at a time, and join the bools with `&`: `(a < b) & (b < c)`")
}

pub fn condition_not_bool(found: Side, to_bool: Option<ToBool>, array: bool) -> Finding {
    let message = format!("a condition is a bool, and this is {}", found.shown);
    let finding = with_origin(Finding::error(CheckCode::ConditionNotBool, found.at, message), found.origin.clone());
    if !found.characters.is_empty() {
        return character_fix(finding, &found);
    }
    if array {
        return finding.with_help(
            "ask for one element, `c[i]`, or whether all hold, or any: `all(c)`, `any(c)`; `select(c, a, b)` chooses element by element",
        );
    }
    compare_fix(finding, to_bool)
}

/// `counted`: the array whose elements a loop gives to it; what is asked for is likely their numbers.
pub fn not_an_integer(found: Side, what: &str, counted: Option<TextRange>) -> Finding {
    let message = format!("{what} is an integer, and this is {}", found.shown);
    let finding = with_origin(Finding::error(CheckCode::NotAnInteger, found.at, message), found.origin.clone());
    let Some(array) = counted else { return cast_fix(finding, &found) };
    let finding =
        finding.with_help("`for x in a:` gives the elements; their numbers are `for i in range(length(a)):`").with_fix(
            "go over the numbers of the elements",
            Edit::Surround(array, "range(length(".to_owned(), "))".to_owned()),
        );
    cast_fix(finding, &found)
}

pub fn not_an_array(at: TextRange, found: &str, origin: Origin) -> Finding {
    with_origin(
        Finding::error(CheckCode::NotAnArray, at, format!("only an array has elements, and this is {found}")),
        origin,
    )
}

/// Adds how the parts of a tuple of so many are had.
pub fn taken_apart(finding: Finding, n_parts: usize) -> Finding {
    let names: Vec<_> = ["a", "b", "c", "d"].into_iter().take(n_parts).collect();
    let more = if n_parts > names.len() { ", ..." } else { "" };
    finding.with_help(format!("the parts of a tuple get names: `let {}{more} = t`", names.join(", ")))
}

/// Adds the fields of a struct, and the one that an index was meant for: its place with the brackets, and its name.
pub fn field_of_index(finding: Finding, fields: &[Name], meant: Option<(TextRange, &str)>) -> Finding {
    let names: Vec<_> = fields.iter().map(|name| &**name).collect();
    let finding = finding.with_help(format!("its parts are fields: `{}`", names.join("`, `")));
    match meant {
        Some((at, name)) => finding.with_fix(format!("write `.{name}`"), Edit::Replace(at, format!(".{name}"))),
        None => finding,
    }
}

/// Adds how a vector is made of one value, or of a shorter vector; `one`: the value, if it is plain to see.
pub fn vector_of_fewer(finding: Finding, name: &str, n_fields: usize, one: Option<(TextRange, String)>) -> Finding {
    let finding = finding.with_help(format!(
        "each field has a value of its own: `{name}({})`; those of another vector are `v.x`, `v.y` and so on",
        vec!["x"; n_fields].join(", ")
    ));
    match one {
        Some((at, text)) => {
            let all = vec![&*text; n_fields].join(", ");
            finding.with_fix(format!("write `{name}({all})`"), Edit::Replace(at, all))
        }
        None => finding,
    }
}

/// A `for` goes over what is no array; `counts`: an integer, up to which it may be meant to go.
pub fn over_no_array(found: Side, counts: bool) -> Finding {
    let message = format!("a loop goes over a range or the elements of an array, and this is {}", found.shown);
    let finding = with_origin(Finding::error(CheckCode::NotAnArray, found.at, message), found.origin);
    if !counts {
        return finding;
    }
    let at = finding.at;
    finding.with_fix("write `range(...)`", Edit::Surround(at, "range(".to_owned(), ")".to_owned()))
}

pub fn too_many_indices(at: TextRange, rank: usize, found: usize, origin: Origin) -> Finding {
    let finding = Finding::error(
        CheckCode::IndexCount,
        at,
        format!("this array has {}, and is given {}", count(rank, "dimension"), indices(found)),
    );
    with_origin(finding, origin)
}

fn indices(n: usize) -> String {
    if n == 1 { "1 index".to_owned() } else { format!("{n} indices") }
}

/// `n_dimensions`: how many indices it takes to get from an array of structs to one of them.
pub fn no_struct(at: TextRange, found: &str, n_dimensions: usize, origin: Origin) -> Finding {
    let finding = Finding::error(CheckCode::NotAStruct, at, format!("only a struct has fields, and this is {found}"));
    let finding = with_origin(finding, origin);
    match n_dimensions {
        0 => finding,
        1 => finding.with_help("its elements have fields: `p[i].x`"),
        _ => finding.with_help("its elements have fields: `p[i, j].x`"),
    }
}

/// The second argument of `length` is no dimension of its array, which has so many.
pub fn no_dimension(at: TextRange, rank: Option<usize>) -> Finding {
    let of = match rank {
        Some(1) => ": this array has dimension 0 alone".to_owned(),
        Some(rank) => format!(": this array has the dimensions 0 to {}", rank - 1),
        None => String::new(),
    };
    let message = format!("the dimension that `length` is about is a number that is written out{of}");
    Finding::error(CheckCode::IndexCount, at, message)
}

pub fn struct_unknown(at: TextRange, field: &str) -> Finding {
    Finding::error(CheckCode::NotAStruct, at, format!("nothing says which struct this is whose `{field}` is used"))
        .with_help("write its type where it is defined: `p: Particle[n]`")
}

pub fn sizes_differ(a: Side, b: Side, a_size: &str, b_size: &str) -> Finding {
    let message = format!("these arrays have different sizes: `{a_size}` and `{b_size}`");
    with_side(with_side(Finding::error(CheckCode::SizeMismatch, b.at, message), &a), &b)
}

pub fn assumed_sizes_differ(at: TextRange, a: &str, b: &str) -> Finding {
    Finding::error(CheckCode::SizeMismatch, at, format!("two sizes must be equal here, and differ: `{a}` and `{b}`"))
        .with_help("take a slice of the larger one, such as `a[:n]`")
}

pub fn bad_size(at: TextRange) -> Finding {
    Finding::error(CheckCode::BadSize, at, "a size is arithmetic over constants and integers that do not change")
        .with_help("the operators are `+ - * / // %`")
}

pub fn negative_size(at: TextRange) -> Finding {
    Finding::error(CheckCode::BadSize, at, "an array cannot have a negative size")
        .with_help("a size counts elements: it is 0 or more")
}

/// `of_variant`: the field is one of the data of a variant, which holds no arrays.
pub fn field_not_scalar(at: TextRange, field: &str, found: &str, of_variant: bool) -> Finding {
    let (what, help) = match of_variant {
        true => (
            "the data of a variant are scalars, structs or enums",
            "a struct may hold an array of scalars: let the variant hold such a struct",
        ),
        false => (
            "fields are scalars, structs, enums or arrays of scalars",
            "write an array for each field of its elements, or make the array a parameter of its own",
        ),
    };
    Finding::error(CheckCode::FieldNotScalar, at, format!("{what}, and `{field}` is {found}")).with_help(help)
}

pub fn size_in_struct(at: TextRange, field: &str) -> Finding {
    let message =
        format!("the size of `{field}` is not known from the text, and all structs of one type have the same size");
    Finding::error(CheckCode::BadSize, at, message)
        .with_help("write a number, or the name of a constant whose value is written as one: `const N = 8`")
}

pub fn no_cell_in_struct(at: TextRange, field: &str, size: i64) -> Finding {
    Finding::error(
        CheckCode::BadSize,
        at,
        format!("`{field}` would have the size {size}, and an array in a struct has one cell or more"),
    )
    .with_help("write the number of its cells")
}

pub fn slice_of_field(at: TextRange, field: &str) -> Finding {
    Finding::error(CheckCode::AssignToFixed, at, format!("a slice of `{field}` is not stored to: read, it is an array of its own, and the struct keeps what it has"))
        .with_help(format!("store to its cells one by one, or change a copy and store that: `let copy = p.{field}`, then `p.{field} = copy`"))
}

/// `field`: the struct of the field, through which the struct holds itself.
pub fn struct_in_itself(at: TextRange, name: &str, field: &str) -> Finding {
    let way = if name == field { "itself".to_owned() } else { format!("itself through `{field}`") };
    Finding::error(CheckCode::Recursion, at, format!("`{name}` holds {way}, so it would have no end"))
        .with_help("structs refer to each other by their indices in arrays: `next: i32`")
}

pub fn array_of_functions(at: TextRange) -> Finding {
    Finding::error(CheckCode::NotScalar, at, "an array holds numbers, bools or structs, and this one holds functions")
        .with_help("choose the function where it is called: `f(x) if k == 0 else g(x)`, or bind it: `let h = f if k == 0 else g`")
}

pub fn constant_not_scalar(at: TextRange, found: &str) -> Finding {
    Finding::error(
        CheckCode::NotScalar,
        at,
        format!("a constant is a scalar or an array of scalars, and this is {found}"),
    )
    .with_help("define it with `let` in the kernel that uses it")
}

pub fn constant_of_unknown_size(at: TextRange) -> Finding {
    Finding::error(CheckCode::BadSize, at, "the size of a constant is not known before it is computed")
        .with_help("write its type with the size, as in `const TABLE: f32[16] = ...`")
}

/// `inside`: the place of another item where it happens.
pub fn constant_fails(at: TextRange, name: &str, why: &str, inside: Option<(Place, &str)>) -> Finding {
    let finding = Finding::error(CheckCode::ConstantFails, at, format!("`{name}` cannot be computed: {why}"))
        .with_help("a constant is computed before anything runs, so what it is made of must not fail");
    match inside {
        Some((place, what)) => finding.with_related(place, what),
        None => finding,
    }
}

/// A constant array is written to, by way of what stands for it.
pub fn writes_constant(at: TextRange, name: &str) -> Finding {
    Finding::error(CheckCode::AssignToFixed, at, format!("`{name}` is a constant, so its elements are not written to"))
        .with_help(format!("`let copy = {name}` is an array of its own, which can be"))
}

/// A variable that may be a part of a constant array is written to. `part`: where it is given that part.
pub fn writes_part_of_constant(at: TextRange, name: &str, part: TextRange) -> Finding {
    writes_constant(at, name)
        .with_related(part, "a slice or a row is the array's own cells, and no copy")
        .with_fix("make a copy of that part", Edit::Surround(part, "map(\\x -> x, ".to_owned(), ")".to_owned()))
}

/// `several`: the result is a struct or a tuple.
pub fn result_not_scalar(at: TextRange, found: &str, several: bool) -> Finding {
    let help = match several {
        true => {
            let shown = found.trim_matches('`');
            format!("write the type of the result, `-> {shown}`: then it goes out by a parameter of its own")
        }
        false => {
            "arrays go out through parameters: add `out`, with a type such as `f32[n]`, and store to it: `out[:] = ...`"
                .to_owned()
        }
    };
    let message = match several {
        true => format!("the type of this result, {found}, is not written, and it is no scalar"),
        false => format!("a kernel's result is a scalar or a struct, and this is {found}"),
    };
    Finding::error(CheckCode::NotScalar, at, message).with_help(help)
}

pub fn struct_too_large(at: TextRange, field: &str, most: u32) -> Finding {
    Finding::error(
        CheckCode::FieldNotScalar,
        at,
        format!("`{field}` comes to more than {most} scalars, those of structs and arrays in it included"),
    )
    .with_help("values that are many are elements of an array")
}

// Tuples.

/// `found`: the number of values that there are, or the type of what is no tuple.
pub fn tuple_count(at: TextRange, targets: usize, found: Result<usize, String>) -> Finding {
    let takes = count(targets, "value");
    match found {
        Ok(found) => {
            let are = if found == 1 { "is 1" } else { &format!("are {found}") };
            Finding::error(CheckCode::TupleCount, at, format!("{takes} are taken here, and there {are}"))
                .with_help("give each value a name; `_` is one that nothing reads")
        }
        Err(found) => {
            Finding::error(CheckCode::TupleCount, at, format!("{takes} are taken here, and this is one value, {found}"))
                .with_help("several values are written with commas: `a, b`; a function gives them by `return a, b`")
        }
    }
}

pub fn array_of_tuples(at: TextRange) -> Finding {
    Finding::error(CheckCode::TypeMismatch, at, "no array holds tuples")
        .with_help("define a struct with a field for each value; an array holds structs")
}

/// The target of an assignment to several is an array whose cells are stored to.
pub fn stores_arrays_at_once(at: TextRange) -> Finding {
    Finding::error(
        CheckCode::TypeMismatch,
        at,
        "an assignment to several places stores one value in each, and this is an array",
    )
    .with_help("what one store changes the next could still read: write one assignment a line")
}

// Calls.

/// `call`: how a call is written; `takes`: the least and the largest number of arguments.
pub fn argument_count(at: TextRange, call: &str, takes: (usize, usize), found: usize) -> Finding {
    let (least, most) = takes;
    let takes = match (least == most, most) {
        (true, _) => count(least, "argument"),
        (_, usize::MAX) => format!("at least {}", count(least, "argument")),
        _ => format!("{least} to {}", count(most, "argument")),
    };
    Finding::error(CheckCode::ArgumentCount, at, format!("`{call}` takes {takes}, and is given {found}"))
}

/// `name`: the name that the argument is given by; `whole`: that name and its `=`.
pub fn named_argument(at: TextRange, name: &str, whole: TextRange) -> Finding {
    let finding = Finding::error(
        CheckCode::KeywordArgument,
        at,
        "this takes no arguments by name; they are given by their order",
    );
    if name == "axis" {
        return finding.with_help(
            "a function of arrays is about all of an array; `map(sum, m)` is that of each row, `map(sum, transpose(m))` of each column",
        );
    }
    finding.with_fix(format!("remove `{name}=`"), Edit::Remove(whole))
}

/// The things that a named argument may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A parameter of a function.
    Parameter,
    /// A field of a struct.
    Field,
}

impl Named {
    /// The word for one of them.
    fn word(self) -> &'static str {
        match self {
            Named::Parameter => "parameter",
            Named::Field => "field",
        }
    }
}

/// `names`: the names of the function's parameters, or of the struct's fields.
pub fn unknown_parameter(at: TextRange, name: &str, function: &str, what: Named, names: &[&str]) -> Finding {
    let word = what.word();
    let finding = Finding::error(CheckCode::KeywordArgument, at, format!("`{function}` has no {word} `{name}`"));
    match report::spelling::closest(name, names) {
        Some(meant) => super::did_you_mean(finding, Some(meant)),
        None if names.is_empty() => finding,
        None => finding.with_help(format!("its {word}s are `{}`", names.join("`, `"))),
    }
}

/// `first`: the argument that it has already.
pub fn given_twice(at: TextRange, name: &str, what: Named, first: TextRange) -> Finding {
    Finding::error(CheckCode::KeywordArgument, at, format!("the {} `{name}` is given twice", what.word()))
        .with_related(first, format!("this is `{name}` already"))
        .with_help("remove one of the two")
}

/// `named`: the name of the argument before.
pub fn behind_named(at: TextRange, named: &str) -> Finding {
    Finding::error(CheckCode::KeywordArgument, at, "an argument without a name stands behind one with a name")
        .with_help(format!("move it in front of `{named}=`, or give it by its name too"))
}

pub fn missing_argument(at: TextRange, param: &str, function: &str, what: Named) -> Finding {
    let message = format!("the {} `{param}` of `{function}` is given no value", what.word());
    let no_default = if what == Named::Parameter { "it has no default value: " } else { "" };
    Finding::error(CheckCode::ArgumentCount, at, message).with_help(format!("{no_default}write `{param}=...`"))
}

/// `elements`: the parameter is a scalar, and the argument an array.
pub fn argument_type(arg: Side, what: &str, expected: &str, elements: bool) -> Finding {
    let message = format!("{what} is {expected}, and this is {}", arg.shown);
    let finding = with_origin(Finding::error(CheckCode::ArgumentType, arg.at, message), arg.origin.clone());
    let finding = match elements {
        true => finding.with_help("`map` calls it for each element: `map(f, a)`"),
        false => finding,
    };
    cast_fix(finding, &arg)
}

pub fn argument_size(arg: Side, what: &str, clash: &SizeClash) -> Finding {
    let finding = with_origin(size_clash(arg.at, &format!("{what} and this array"), clash), arg.origin);
    match clash {
        SizeClash::Ranks(1, 2) => finding.with_help(
            "all elements of a matrix are `flatten(m)`; `map(f, m)` calls a function for each row, as in `map(sum, m)`",
        ),
        SizeClash::Ranks(2, 1) => finding.with_help(
            "the product of a matrix and a vector is `map(\\row -> dot(row, v), m)`; a matrix of one row is `[v]`",
        ),
        _ => finding,
    }
}

/// Adds the fix of a product of a matrix and a vector. `matrix` and `vector`: their places and names.
pub fn of_vector(finding: Finding, callee: TextRange, matrix: (TextRange, &str), vector: (TextRange, &str)) -> Finding {
    let edits = vec![
        Edit::Replace(callee, "map".to_owned()),
        Edit::Replace(matrix.0, format!("\\row -> dot(row, {})", vector.1)),
        Edit::Replace(vector.0, matrix.1.to_owned()),
    ];
    let mut finding = finding;
    finding.fixes.push(Intent { title: "write a `map` over the rows".to_owned(), edits });
    finding
}

/// Adds where the function that a finding is about is defined.
pub fn defined_here(finding: Finding, name: &str, item: Option<ItemKey>) -> Finding {
    match item {
        Some(item) => finding.with_related(Place::NameOf(item), format!("`{name}` is defined here")),
        None => finding,
    }
}

pub fn builtin_argument(arg: Side, name: &str, expected: &str, array: bool) -> Finding {
    let message = format!("`{name}` takes {expected}, and this is {}", arg.shown);
    let finding = with_origin(Finding::error(CheckCode::ArgumentType, arg.at, message), arg.origin.clone());
    match array {
        true => finding.with_help(format!("apply it to each element, in a loop: `out[i] = {name}(a[i])`")),
        false => cast_fix(finding, &arg),
    }
}

/// A function takes another number of values than what it is applied to.
pub fn applied_to(at: TextRange, takes: usize, found: usize) -> Finding {
    let message = format!("this function takes {}, and is applied to {found}", count(takes, "argument"));
    Finding::error(CheckCode::ArgumentCount, at, message)
}

/// A function does not take the elements of the array that it is applied to.
pub fn element_type(at: TextRange, takes: &str, found: &str, row: bool) -> Finding {
    let message = format!("this function takes {takes}, and is applied to elements that are {found}");
    let finding = Finding::error(CheckCode::ArgumentType, at, message);
    if row {
        return finding.with_help("the elements of a matrix are its rows: `map(\\row -> map(f, row), m)`");
    }
    finding
}

/// The function of a `reduce` or `scan` gives a value of another type than it could go on with.
pub fn joins_to_other_type(at: TextRange, call: &str, expected: &str, found: &str) -> Finding {
    let message =
        format!("`{call}` starts with {expected}, and this function gives {found}, which it would go on with");
    Finding::error(CheckCode::ArgumentType, at, message)
        .with_help("both have one type: convert the value that it starts with, or what the function gives")
}

pub fn cast_arguments(at: TextRange, scalar: Elem, found: usize) -> Finding {
    Finding::error(
        CheckCode::ArgumentCount,
        at,
        format!("the cast `{scalar}(x)` takes 1 argument, and is given {found}"),
    )
}

pub fn cast_of_no_scalar(at: TextRange, found: &str) -> Finding {
    Finding::error(
        CheckCode::ArgumentType,
        at,
        format!("only scalars and arrays of such are converted, and this is {found}"),
    )
    .with_help("of a struct, convert a field: `f32(p.x)`")
}

pub fn not_a_function(at: TextRange, found: &str, array: bool) -> Finding {
    let finding =
        Finding::error(CheckCode::NotAFunction, at, format!("only functions are called, and this is {found}"));
    if array { finding.with_help("an element is written with square brackets: `a[i]`") } else { finding }
}

/// Adds the brackets of an element to a call of an array; `call` is all of it.
pub fn element_of_call(finding: Finding, call: TextRange) -> Finding {
    let (callee, one) = (finding.at, TextSize::new(1));
    let edits = vec![
        Edit::Replace(TextRange::at(callee.end(), one), "[".to_owned()),
        Edit::Replace(TextRange::new(call.end() - one, call.end()), "]".to_owned()),
    ];
    super::with_edits(finding, "write square brackets".to_owned(), edits)
}

/// Adds to a finding about `^` of floats what is a power here.
/// Adds calls of a function of two values inside of each other, for one of more. `first`: where the first argument starts; `middle`: the
/// arguments between that and the last one.
pub fn nested_calls(finding: Finding, name: &str, first: TextSize, middle: Vec<TextRange>) -> Finding {
    let opened = format!("{name}(").repeat(middle.len());
    let mut edits = vec![Edit::Replace(TextRange::empty(first), opened)];
    edits.extend(middle.into_iter().map(|at| Edit::Surround(at, String::new(), ")".to_owned())));
    let mut finding = finding.with_help(format!("of three values it is `{name}({name}(a, b), c)`"));
    finding.fixes.push(Intent { title: format!("write `{name}({name}(...), ...)`"), edits });
    finding
}

/// `at`: the operator, if nothing but that stands between its operands.
pub fn power_meant(finding: Finding, at: Option<TextRange>) -> Finding {
    let finding = finding.with_help("`^` is exclusive or, bit by bit; a power is `x ** y`");
    match at {
        Some(at) => finding.with_fix("write `**`", Edit::Replace(at, "**".to_owned())),
        None => finding,
    }
}

/// Adds to a finding about arithmetic with a bool how that is a number.
pub fn bool_in_arithmetic(finding: Finding) -> Finding {
    finding.with_help("a cast makes a number of it: `f32(c)` and `i32(c)` are 1 where `c` holds, and 0 elsewhere")
}

/// Adds to a finding about `round(x, 2)` how digits are kept.
pub fn round_to_digits(finding: Finding) -> Finding {
    finding.with_help("`round` gives a whole number; two digits are kept by `round(x * 100) / 100`")
}

pub fn lane_value_called(at: TextRange, name: &str) -> Finding {
    Finding::error(CheckCode::NotAFunction, at, format!("`{name}` is a value, not a function"))
        .with_fix(format!("write `{name}`"), Edit::Replace(at, name.to_owned()))
}

pub fn not_callable(at: TextRange, name: &str, kind: ItemKind) -> Finding {
    let finding = Finding::error(
        CheckCode::NotAFunction,
        at,
        format!("`{name}` is {}, and only functions are called", kind_name(kind)),
    );
    match kind {
        ItemKind::Kernel => finding.with_help("kernels are called from outside; what several kernels share is a `fn`"),
        _ => finding,
    }
}

pub fn not_a_value(at: TextRange, name: &str, kind: ItemKind) -> Finding {
    let finding = Finding::error(CheckCode::NotAValue, at, format!("`{name}` is {}, not a value", kind_name(kind)));
    match kind {
        ItemKind::Enum => finding.with_help(format!("a value is one of its variants: `{name}.Low`")),
        ItemKind::Struct => {
            finding.with_help(format!("one is made by a call with the values of its fields: `{name}(...)`"))
        }
        _ => finding,
    }
}

pub fn builtin_needs_call(at: TextRange, name: &str, signature: &str) -> Finding {
    Finding::error(CheckCode::NotAValue, at, format!("`{name}` stands for nothing by itself; call it: `{signature}`"))
}

/// The elements of zipped arrays are no values, so there is no array of them.
pub fn zipped_alone(at: TextRange) -> Finding {
    Finding::error(CheckCode::NotAValue, at, "`zip` stands in the header of a loop, or in a call of `map`, `reduce`, `scan` or `zip`, and is no array by itself")
        .with_help("a loop goes over both arrays, `for x, y in zip(a, b):`, and so does a function: `map(\\x y -> x * y, zip(a, b))`")
}

pub fn function_without_value(at: TextRange) -> Finding {
    Finding::error(CheckCode::NotAValue, at, "this function gives no value")
        .with_help("end it with `return` and a value; a loop calls a function that only stores")
}

/// `callee`: the function that is called.
pub fn no_value(at: TextRange, callee: Option<ItemKey>) -> Finding {
    let finding = Finding::error(CheckCode::NotAValue, at, "this call gives no value");
    match callee {
        Some(callee) => {
            let why = format!("`{}` has no `return` with a value", callee.name);
            finding.with_related(Place::NameOf(callee), why)
        }
        None => finding,
    }
}

/// `way`: the names on the way from `name` back to it, which is the last.
pub fn recursion(at: TextRange, kind: ItemKind, name: &str, way: &[Name]) -> Finding {
    let (_, between) = way.split_last().unzip();
    let between: Vec<_> = between.unwrap_or_default().iter().map(|name| format!("`{name}`")).collect();
    let does = if kind == ItemKind::Const { "is defined by" } else { "calls" };
    let message = match between.is_empty() {
        true => format!("`{name}` {does} itself"),
        false => format!("`{name}` {does} itself, by way of {}", between.join(" and ")),
    };
    let finding = Finding::error(CheckCode::Recursion, at, message);
    if kind == ItemKind::Const {
        return finding;
    }
    finding.with_help("functions are inlined where they are called, so none can lead back to itself; use a loop")
}

/// `what`: the operator or function that goes field by field; `elem`: the type of a field that it does not take.
pub fn field_by_field(at: TextRange, what: &str, expected: &str, name: &str, field: &str, elem: Elem) -> Finding {
    let message =
        format!("{what} goes field by field over a struct, and takes {expected}; `{field}` of `{name}` is `{elem}`");
    Finding::error(CheckCode::OperandType, at, message)
        .with_help("write what each field becomes, in a call of the struct's name")
}

/// A struct whose fields have several types, beside a scalar, which has one.
pub fn fields_of_several_types(at: TextRange, what: &str, name: &str, first: Elem, other: Elem) -> Finding {
    let message =
        format!("{what} needs fields of one type here, and `{name}` has some of `{first}` and some of `{other}`");
    Finding::error(CheckCode::OperandType, at, message)
        .with_help("write what each field becomes, in a call of the struct's name")
}

pub fn cross_of(at: TextRange, name: &str, n_fields: usize) -> Finding {
    let message = format!("a cross product is of three numbers, and `{name}` has {n_fields}");
    Finding::error(CheckCode::ArgumentType, at, message)
}

/// An assignment to several fields at once, `v.xy = e`.
pub fn assigned_in_tuple(at: TextRange) -> Finding {
    Finding::error(CheckCode::AssignToFixed, at, "the values of a tuple are not assigned to one by one")
        .with_help("take it apart, `let a, b = t`, and change these; or make it a struct, whose fields are assigned to")
}

/// A tuple is asked for a value by a name that none of its values has. `labels`: the names that they have, as far as they have some.
pub fn no_label(at: TextRange, label: &str, labels: &[Option<Name>]) -> Finding {
    let named: Vec<_> = labels.iter().flatten().map(|name| format!("`{name}`")).collect();
    let finding = match named.is_empty() {
        true => Finding::error(
            CheckCode::NotAStruct,
            at,
            format!("this is a tuple, and its values have no names, such as `{label}`"),
        ),
        false => Finding::error(
            CheckCode::UnknownField,
            at,
            format!("no value of this tuple is called `{label}`; there is {}", named.join(", ")),
        ),
    };
    finding.with_help(
        "take it apart, `let a, b = t`, or name the values where their types are written: `-> (value: f32, at: i32)`",
    )
}

pub fn assigned_swizzle(at: TextRange) -> Finding {
    Finding::error(
        CheckCode::AssignToFixed,
        at,
        "several fields at once, as in `v.xy`, are a new value, which has no place to assign to",
    )
    .with_help("assign to the fields one by one, `v.x = ...`, or to the struct as a whole")
}
