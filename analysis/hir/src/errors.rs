//! Every finding about names, types and values: one function each, so that its code, words and fixes stand in one
//! place.
//!
//! A message says what is wrong, with what was found; related places say where that comes from; the help says what to
//! write. The codes are stable for good, and each has a page in `docs/reasons.md`. The codes of syntax errors
//! are those of the surface.
//!
//! - `codes`: the list of codes
//! - here: names, statements, lanes and attributes
//! - `ends`: loops that go past an end
//! - `enums`: enums, and the cases of a `match`
//! - `foreign`: names of other languages, and what they are here
//! - `types`: types, sizes and calls
//! - `uses`: what is wrong with a `use`
//! - `values`: numbers and indices that are known
//! - `generics`: what is decided at compile time
//! - `habits`: what NumPy writes in another way
//! - `lanes`: broken promises about lanes, and what lanes pay for
//! - `methods`: methods of arrays, numbers and structs

#![allow(missing_docs, reason = "a constructor's name is its code, and its message says the rest")]

mod codes;
mod domains;
mod ends;
mod enums;
mod foreign;
mod generics;
mod habits;
mod lanes;
mod methods;
mod types;
mod uses;
mod values;

use ir::Elem;
use report::{ItemKind, TextRange, TextSize};

use crate::builtins::{ATTRIBUTES, Above, Attribute, AttributeArgs};
use crate::finding::{Edit, Finding, Intent, ItemKey, Place};
use crate::rules::BrokenRule;
use crate::{BinOp, Local, LocalKind};

pub use codes::{CheckCode, RuleCode};
pub use domains::*;
pub use ends::*;
pub use enums::*;
pub use foreign::{is_array_type, scalar_of_others};
pub use generics::*;
pub use habits::*;
use habits::{ROUNDED, with_edits};
pub use lanes::*;
pub use methods::*;
pub use types::*;
pub use uses::*;
pub use values::*;

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

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn kind_name(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Kernel => "a kernel",
        ItemKind::Fn => "a function",
        ItemKind::Struct => "a struct",
        ItemKind::Enum => "an enum",
        ItemKind::Const => "a constant",
        ItemKind::Preamble | ItemKind::Stray | ItemKind::Use => "no item",
    }
}

// Names.

const DEFINED_ABOVE: &str = "a name must be defined above: as a parameter, with `let`, or by an assignment";

const NO_SUCH_FUNCTION: &str = "a function is defined with `fn`, anywhere in the file";

/// The use of a name, for what can be done about one that nothing has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UseOfName {
    /// A value; in a kernel with parameters, where the last of them ends.
    Value(Option<TextRange>),
    /// A function that is called with as many arguments, the definition of one that could be called so, and where the arguments end.
    Callee(usize, Option<String>, Option<TextSize>),
}

pub fn unknown_name(at: TextRange, name: &str, meant: Option<&str>, used: UseOfName) -> Finding {
    let finding = name_of_nothing(at, name, meant, &used);
    let is_own = matches!(finding.help.as_deref(), Some(DEFINED_ABOVE | NO_SUCH_FUNCTION)) || meant.is_some();
    match used {
        UseOfName::Value(Some(last)) if is_own => finding.with_fix(
            format!("add the parameter `{name}`"),
            Edit::Replace(TextRange::empty(last.end()), format!(", {name}")),
        ),
        UseOfName::Callee(_, Some(definition), _) if is_own => {
            finding.with_fix(format!("define the function `{name}`"), Edit::ItemAbove(definition))
        }
        _ => finding,
    }
}

/// The atomic operation that CUDA, C, C++ or ISPC calls by a name.
pub(crate) fn atomic_of_others(name: &str) -> Option<&'static str> {
    let name = name.strip_suffix("_global").or(name.strip_suffix("_local")).unwrap_or(name);
    let name = name.strip_suffix("_explicit").unwrap_or(name);
    Some(match name {
        "atomicAdd" | "atomic_add" | "atomic_fetch_add" | "fetch_add" | "InterlockedAdd" => "atomic_add",
        "atomicMin" | "atomic_min" | "atomic_fetch_min" | "fetch_min" | "InterlockedMin" => "atomic_min",
        "atomicMax" | "atomic_max" | "atomic_fetch_max" | "fetch_max" | "InterlockedMax" => "atomic_max",
        "atomicAnd" | "atomic_and" | "atomic_fetch_and" | "fetch_and" | "InterlockedAnd" => "atomic_and",
        "atomicOr" | "atomic_or" | "atomic_fetch_or" | "fetch_or" | "InterlockedOr" => "atomic_or",
        "atomicXor" | "atomic_xor" | "atomic_fetch_xor" | "fetch_xor" | "InterlockedXor" => "atomic_xor",
        "atomicExch" | "atomic_swap" | "atomic_exchange" | "exchange" | "InterlockedExchange" => "atomic_exchange",
        _ => return None,
    })
}

fn name_of_nothing(at: TextRange, name: &str, meant: Option<&str>, used: &UseOfName) -> Finding {
    let finding = Finding::error(CheckCode::UnknownName, at, format!("nothing here is called `{name}`"));
    if let (UseOfName::Callee(1, ..), Some(scalar)) = (used, scalar_of_others(name)) {
        return finding
            .with_help(format!("a cast is a call of the type: `{scalar}(x)`"))
            .with_fix(format!("write `{scalar}`"), Edit::Replace(at, scalar.to_owned()));
    }
    if matches!(name, "isinstance" | "type") {
        return finding.with_help("`match x:` and `case Circle(r):` tell the variants of an enum apart");
    }
    if name == "roundf" {
        return finding.with_help("did you mean `round`?").with_fix(ROUNDED, Edit::Replace(at, "round".to_owned()));
    }
    if let (UseOfName::Callee(1, _, Some(end)), Some((ours, more))) = (used, foreign::with_more(name)) {
        let edits =
            vec![Edit::Replace(at, ours.to_owned()), Edit::Replace(TextRange::empty(*end), format!(", {more}"))];
        let finding = finding.with_help(format!("here that is `{ours}(x, {more})`"));
        return with_edits(finding, format!("write `{ours}`"), edits);
    }
    let foreign = foreign::name(name);
    if let Some(atomic) = atomic_of_others(name) {
        let help = format!("here that is `{atomic}(a, i, x)`: the array, the index and the value");
        return finding.with_help(help).with_fix(format!("write `{atomic}`"), Edit::Replace(at, atomic.to_owned()));
    }
    let help = match foreign::help(name) {
        Some(help) => help,
        None if foreign.or(meant).is_some() => return did_you_mean(finding, foreign.or(meant)),
        None if matches!(used, UseOfName::Callee(..)) => NO_SUCH_FUNCTION,
        None => DEFINED_ABOVE,
    };
    finding.with_help(help)
}

/// `+=` and its kin of a name that nothing here defines, and that a function has that is built in.
pub fn updates_builtin(at: TextRange, name: &str) -> Finding {
    let message = format!("no variable here is called `{name}`; what is built in of that name is a function");
    Finding::error(CheckCode::UnknownName, at, message)
        .with_help(format!("a variable is defined above: `let {name} = 0`"))
}

/// `s += x` where nothing is called `s`. `outermost`: the statement of the function's block that it is in, if it is in one.
pub fn starts_nowhere(at: TextRange, name: &str, op: Option<BinOp>, outermost: Option<TextRange>) -> Finding {
    let start = if op == Some(BinOp::Mul) { 1 } else { 0 };
    let finding = Finding::error(CheckCode::UnknownName, at, format!("nothing here is called `{name}`"))
        .with_help(format!("a variable that is changed starts somewhere: `let {name} = {start}`, before the loop"));
    match (op, outermost) {
        (Some(BinOp::Add | BinOp::Sub | BinOp::Mul), Some(outermost)) => finding.with_fix(
            format!("write `let {name} = {start}` before the loop"),
            Edit::LineBefore(outermost, format!("let {name} = {start}")),
        ),
        _ => finding,
    }
}

pub fn type_as_value(at: TextRange, scalar: Elem) -> Finding {
    Finding::error(CheckCode::NotAValue, at, format!("`{scalar}` is a type, not a value"))
        .with_help(format!("`{scalar}(x)` converts `x`; the type of a variable is written `let x: {scalar} = ...`"))
}

pub fn index_in_own_range(at: TextRange, name: &str) -> Finding {
    Finding::error(
        CheckCode::UnknownName,
        at,
        format!("`{name}` is an index of this `foreach`, and not known in its ranges"),
    )
    .with_help("where one range depends on another index, nest two loops")
}

/// `last`: where the parameter list ends, for the fix.
pub fn unknown_size(at: TextRange, name: &str, last: Option<TextRange>) -> Finding {
    let finding = Finding::error(CheckCode::UnknownName, at, format!("nothing here is called `{name}`"));
    if name == "_" {
        return finding.with_help(
            "where types are shown, `_` stands for a size that has no name: give it one, as in `a: f32[n], n: i32`, or leave the \
             type out",
        );
    }
    let finding = finding
        .with_help("the sizes of a kernel's arrays are arithmetic over constants and its own integer parameters");
    match last {
        Some(last) => finding.with_fix(
            format!("add the parameter `{name}`"),
            Edit::Replace(TextRange::empty(last.end()), format!(", {name}: i32")),
        ),
        None => finding,
    }
}

/// `written`: the type of a parameter, with its colon.
pub fn unknown_type(
    at: TextRange,
    name: &str,
    other: Option<ItemKind>,
    meant: Option<&str>,
    written: Option<TextRange>,
) -> Finding {
    if let Some(kind) = other {
        return Finding::error(CheckCode::UnknownType, at, format!("`{name}` is {}, not a type", kind_name(kind)));
    }
    let finding = Finding::error(CheckCode::UnknownType, at, format!("there is no type `{name}`"));
    if foreign::is_array_type(name) {
        let finding =
            finding.with_help("an array has the type of its elements and its sizes: `a: f32[n]`, `m: f32[h, w]`");
        return match written {
            Some(written) => finding.with_fix("leave the type to be inferred", Edit::Remove(written)),
            None => finding,
        };
    }
    let vector = foreign::name(name).filter(|ours| ours.starts_with("vec"));
    match scalar_of_others(name).or(vector).or(meant) {
        Some(meant) => did_you_mean(finding, Some(meant)),
        None => finding.with_help(
            "the scalars are `bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 f16 bf16`; structs are defined with `struct`",
        ),
    }
}

/// `fields`: the fields that there are; `meant`: the one of them that was meant most likely.
pub fn unknown_field(at: TextRange, field: &str, of: &str, meant: Option<&str>, fields: &[&str]) -> Finding {
    let finding = Finding::error(CheckCode::UnknownField, at, format!("`{of}` has no field `{field}`"));
    if let Some(ours) = letters_of_colour(field, fields) {
        return did_you_mean(finding, Some(&ours));
    }
    match meant {
        Some(meant) => did_you_mean(finding, Some(meant)),
        None if fields.is_empty() => finding,
        None => finding.with_help(format!("its fields are `{}`", fields.join("`, `"))),
    }
}

/// GLSL's letters of colours and textures for the fields of a vector: `rgb` for `xyz`.
fn letters_of_colour(letters: &str, fields: &[&str]) -> Option<String> {
    let own = |letter: char| {
        let number = ["rgba", "stpq"].iter().find_map(|set| set.find(letter))?;
        "xyzw".get(number..=number).filter(|own| fields.contains(own))
    };
    (fields.first() == Some(&"x") && letters.len() <= 4).then(|| letters.chars().map(own).collect())?
}

pub fn duplicate_item(at: TextRange, name: &str, first: ItemKey) -> Finding {
    Finding::error(CheckCode::DuplicateName, at, format!("this file defines `{name}` already"))
        .with_related(Place::NameOf(first), format!("`{name}` is defined here first"))
        .with_help("give one of the two another name; the first is what the name stands for")
}

pub fn scalar_redefined(at: TextRange, name: &str) -> Finding {
    Finding::error(CheckCode::DuplicateName, at, format!("`{name}` is a scalar type already"))
        .with_help(format!("give this another name; `{name}(x)` is a cast to the type"))
}

pub fn duplicate_local(at: TextRange, name: &str, what: &str, first: TextRange) -> Finding {
    Finding::error(CheckCode::DuplicateName, at, format!("there is a {what} `{name}` already"))
        .with_related(first, format!("`{name}` is defined here first"))
        .with_help("give one of the two another name")
}

pub fn duplicate_attribute(at: TextRange, name: &str, first: TextRange) -> Finding {
    Finding::error(CheckCode::DuplicateName, at, format!("`@{name}` is said twice"))
        .with_related(first, format!("`@{name}` stands here first"))
        .with_fix("remove it", Edit::RemoveLine(at))
}

/// `word`: the place of the `let`.
pub fn let_again(at: TextRange, name: &str, first: TextRange, word: Option<TextRange>) -> Finding {
    let finding = Finding::error(CheckCode::DuplicateName, at, format!("this block defines `{name}` already"))
        .with_related(first, format!("`{name}` is defined here first"))
        .with_help("without `let`, it is given a new value");
    match word {
        Some(word) => finding.with_fix("remove `let`", Edit::Remove(word)),
        None => finding,
    }
}

/// The index of a loop is used behind the loop.
pub fn index_after_loop(at: TextRange, name: &str, defined: TextRange) -> Finding {
    Finding::error(CheckCode::UsedAfterBlock, at, format!("`{name}` ended with the loop whose index it is"))
        .with_related(defined, format!("`{name}` is defined here"))
        .with_help("inside the loop, give its value to a variable that is defined before the loop")
}

/// `owner`: the statement whose block the name ended with; `initial`: a first value for it.
pub fn used_after_block(
    at: TextRange,
    name: &str,
    defined: TextRange,
    owner: Option<TextRange>,
    initial: &str,
) -> Finding {
    let finding =
        Finding::error(CheckCode::UsedAfterBlock, at, format!("`{name}` ended with the block that defines it"))
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
pub fn unused(at: TextRange, local: &Local, updates: impl Iterator<Item = TextRange>) -> Finding {
    let name = &local.name;
    let what = local.kind.describe();
    let how = if local.kind == LocalKind::Param { "used" } else { "read" };
    let edits = std::iter::once(at).chain(updates).map(|at| Edit::Replace(at, format!("_{name}")));
    let fix = Intent { title: format!("write `_{name}` to say that this is meant"), edits: edits.collect() };
    let mut finding = Finding::warning(CheckCode::UnusedName, at, format!("the {what} `{name}` is never {how}"));
    finding.fixes.push(fix);
    finding
}

pub fn assign_to_fixed(at: TextRange, name: &str, kind: LocalKind, defined: TextRange) -> Finding {
    let what = kind.describe();
    let help = match kind {
        LocalKind::Param => {
            format!(
                "copy it first: `let {name}_ = {name}`; an array's elements can be assigned: `{name}[:] = ...`, `{name}[i] = ...`"
            )
        }
        LocalKind::ForIndex | LocalKind::ForeachIndex => {
            "a `for` steps by itself; for other steps write a `while` over a variable of its own".to_owned()
        }
        LocalKind::Element => {
            "an element of an array is assigned by its index: `for i in range(length(a)): a[i] = ...`".to_owned()
        }
        _ => "give the new value a name of its own".to_owned(),
    };
    Finding::error(CheckCode::AssignToFixed, at, format!("`{name}` is a {what}; it cannot be given a new value"))
        .with_related(defined, format!("`{name}` is defined here"))
        .with_help(help)
}

/// Adds a copy as the way out of an assignment to a parameter; `before` is the first statement, `uses` what names the parameter.
pub fn with_copy(mut finding: Finding, name: &str, copy: &str, before: TextRange, uses: &[TextRange]) -> Finding {
    let line = Edit::LineBefore(before, format!("let {copy} = {name}"));
    let renamed = uses.iter().map(|&at| Edit::Replace(at, copy.to_owned()));
    let title = format!("copy it to the variable `{copy}` first");
    finding.fixes.push(Intent { title, edits: std::iter::once(line).chain(renamed).collect() });
    finding
}

/// Adds a loop over the numbers of elements as the way out of an assignment to one of them.
pub fn with_index(mut finding: Finding, (index, edits): (&str, Vec<Edit>)) -> Finding {
    finding.fixes.push(Intent { title: format!("go over the numbers of the elements, `{index}`"), edits });
    finding
}

/// Adds a store to its elements as the way out of an assignment to a parameter that is an array.
pub fn with_store(finding: Finding) -> Finding {
    let behind = TextRange::empty(finding.at.end());
    finding.with_fix("assign to its elements", Edit::Replace(behind, "[:]".to_owned()))
}

pub fn assign_to_item(at: TextRange, name: &str, kind: ItemKind) -> Finding {
    Finding::error(
        CheckCode::AssignToFixed,
        at,
        format!("`{name}` is {}; it cannot be given a new value", kind_name(kind)),
    )
    .with_help(match kind {
        ItemKind::Const => format!("a constant keeps its value; a variable that starts with it is `let x = {name}`"),
        _ => "give the variable another name: `let x = ...`".to_owned(),
    })
}

pub fn not_a_place(at: TextRange) -> Finding {
    Finding::error(CheckCode::AssignToFixed, at, "this value has no place in memory that could be assigned to")
        .with_help("assign to a variable, or to an element of an array that has a name")
}

// Statements.

pub fn statement_in_struct(at: TextRange) -> Finding {
    Finding::error(CheckCode::StatementInStruct, at, "a struct holds fields, and this is none")
        .with_help("write `name: type`")
}

pub fn dead_code(at: TextRange, leaving: TextRange) -> Finding {
    Finding::warning(CheckCode::DeadCode, at, "this is never reached")
        .with_related(leaving, "the block ends here")
        .with_help("move it in front of that, or remove it")
}

pub fn no_effect(at: TextRange) -> Finding {
    Finding::warning(CheckCode::NoEffect, at, "this value is computed and thrown away")
        .with_help("assign it to something, or remove the line")
}

/// A `compress_store` that does not grow. `start`: where each group of lanes starts to store.
pub fn starts_again(at: TextRange, start: TextRange, is_thrown_away: bool) -> Finding {
    let message = match is_thrown_away {
        true => {
            "the count of what was stored is thrown away, so each group of lanes overwrites what the group before it has stored"
        }
        false => {
            "each group of lanes starts to store at the same place, and overwrites what the group before it has stored"
        }
    };
    Finding::warning(CheckCode::NoEffect, at, message)
        .with_related(start, "this is the same for each group")
        .with_help("add the count to the place where the next group starts: `count += compress_store(a, count, x)`")
}

/// Adds the fix that lets the next group of lanes start behind what was stored.
pub fn with_growing_start(finding: Finding, at: TextRange, name: &str) -> Finding {
    finding.with_fix(format!("write `{name} += ` before it"), Edit::Surround(at, format!("{name} += "), String::new()))
}

pub fn outside_loop(at: TextRange, word: &str) -> Finding {
    Finding::error(CheckCode::OutsideLoop, at, format!("there is no loop here that `{word}` could act on"))
        .with_help("`return` ends a kernel or a function; a loop's own block is indented below its header")
}

/// `because`: where a value is promised, or given, and which of the two.
pub fn return_without_value(at: TextRange, (because, how): (TextRange, &str)) -> Finding {
    Finding::error(CheckCode::ReturnWithoutValue, at, "this `return` gives no value")
        .with_related(because, format!("a value is {how} here"))
        .with_help("write the value behind `return`")
}

/// `last`: the expression that is the last statement, as Rust gives a value.
pub fn missing_return(header: TextRange, (because, how): (TextRange, &str), last: Option<TextRange>) -> Finding {
    let finding = Finding::error(CheckCode::MissingReturn, header, "not every way through ends in a `return`")
        .with_related(because, format!("a value is {how} here"))
        .with_help("end the body with `return` and a value");
    match last {
        Some(last) => finding.with_fix("write `return`", Edit::Surround(last, "return ".to_owned(), String::new())),
        None => finding,
    }
}

pub fn range_arguments(at: TextRange, found: usize) -> Finding {
    Finding::error(CheckCode::RangeArguments, at, format!("`range` takes 1 to 3 arguments, and has {found}"))
        .with_help("`range(stop)`, `range(start, stop)` or `range(start, stop, step)`")
}

pub fn zero_step(at: TextRange) -> Finding {
    Finding::error(CheckCode::ZeroStep, at, "a range with a step of 0 never ends")
        .with_help("a negative step counts down")
}

// `foreach` and lanes.

fn for_fix(finding: Finding, word: TextRange, single: bool) -> Finding {
    if single {
        return finding.with_fix("use `for`", Edit::Replace(word, "for".to_owned()));
    }
    finding.with_help("nested `for` loops run their iterations in order")
}

pub fn foreach_leaves(at: TextRange, word: &str, foreach: TextRange, single: bool) -> Finding {
    let finding = Finding::error(
        CheckCode::ForeachLeaves,
        at,
        format!("`{word}` cannot leave a `foreach`: its iterations run together"),
    )
    .with_related(foreach, "in this loop");
    for_fix(finding, foreach, single)
}

/// A variable that iterations of a `foreach` update.
pub struct Shared<'a> {
    /// The place of the update.
    pub at: TextRange,
    pub name: &'a str,
    /// The place of its definition.
    pub defined: TextRange,
    /// The word `foreach`.
    pub word: TextRange,
    /// The loop has one index.
    pub single: bool,
}

/// An update that needs what the iteration before made of the variable, or of what is no scalar.
pub fn foreach_update(shared: &Shared<'_>) -> Finding {
    let Shared { at, name, defined, word, single } = *shared;
    let finding = Finding::error(
        CheckCode::ForeachUpdate,
        at,
        format!("the iterations of a `foreach` run in no order, and this update of `{name}` needs one"),
    )
    .with_related(defined, format!("`{name}` is defined here, outside of the loop"))
    .with_related(word, "in this loop");
    let joins = "what iterations may update is a scalar that each joins a value to, as in `s += e`, `m = max(m, e)` or `n += 1`, and that the loop reads nowhere else";
    match single {
        true => for_fix(finding, word, true).with_help(joins),
        false => finding.with_help(format!("{joins}; nested `for` loops run their iterations in order")),
    }
}

/// An update by which the lanes of a group give a variable different values. `value`: what is assigned or added, if `reduce_add` of it
/// may be meant.
pub fn foreach_update_varies(shared: &Shared<'_>, value: Option<TextRange>) -> Finding {
    let Shared { at, name, defined, word, .. } = *shared;
    let finding = Finding::error(
        CheckCode::ForeachUpdate,
        at,
        format!(
            "all lanes of a group share the variable `{name}`, and this gives it a value that varies from lane to lane"
        ),
    )
    .with_related(defined, format!("`{name}` is defined here, outside of the loop"))
    .with_related(word, "this loop uses lane operations, so its iterations run in groups of lanes")
    .with_help("`reduce_add(x)`, `reduce_min(x)`, `any(c)` and their kin make one value of those of all lanes");
    match value {
        Some(value) => finding.with_fix(
            "write `reduce_add(...)` around it",
            Edit::Surround(value, "reduce_add(".to_owned(), ")".to_owned()),
        ),
        None => finding,
    }
}

const LANES_INSIDE: &str =
    "write it in the block of a `foreach`; whole arrays have `sum(a)`, `maximum(a)` and their kin";

/// `sum`: a call that joins what the lanes of a variable hold, and the variable.
pub fn lane_operation_outside(at: TextRange, name: &str, sum: Option<(TextRange, String)>) -> Finding {
    let finding = Finding::error(
        CheckCode::LanesOutsideForeach,
        at,
        format!("`{name}` sees other lanes, and there are none outside of a `foreach`"),
    );
    match sum {
        Some((call, variable)) => finding
            .with_help(format!(
                "`{variable}` has one value behind the loop, in which those of all lanes are joined already"
            ))
            .with_fix(format!("write `{variable}`"), Edit::Replace(call, variable)),
        None => finding.with_help(LANES_INSIDE),
    }
}

pub fn lane_function_outside(at: TextRange, name: &str) -> Finding {
    Finding::error(
        CheckCode::LanesOutsideForeach,
        at,
        format!("`{name}` uses lane operations, and there are no lanes outside of a `foreach`"),
    )
    .with_help(LANES_INSIDE)
}

// Attributes.

pub fn unknown_attribute(at: TextRange, name: &str, meant: Option<&str>) -> Finding {
    let finding = Finding::error(CheckCode::UnknownAttribute, at, format!("there is no attribute `@{name}`"));
    match foreign::attribute_help(name) {
        Some(help) => finding.with_help(help).with_fix("remove it", Edit::RemoveLine(at)),
        None if meant.is_some() => did_you_mean(finding, meant),
        None => finding.with_help(format!("those there are: {}", all_attributes())),
    }
}

fn all_attributes() -> String {
    let names: Vec<_> = ATTRIBUTES.iter().map(|row| format!("`@{}`", row.name)).collect();
    names.join(", ")
}

/// Builds the finding about the word `varying` in the parameters or the result of a kernel; `at` is that word.
pub fn kernel_varying(at: TextRange) -> Finding {
    Finding::error(
        CheckCode::VaryingKernel,
        at,
        "what a kernel takes and gives is one value for all lanes, never `varying`",
    )
    .with_fix("remove `varying`", Edit::Remove(at))
}

pub fn misplaced_attribute(at: TextRange, name: &str, above: Above) -> Finding {
    let place = above.describe();
    Finding::error(CheckCode::MisplacedAttribute, at, format!("`@{name}` has no effect here: it belongs {place}"))
}

pub fn attribute_arguments(at: TextRange, attribute: &Attribute) -> Finding {
    let name = attribute.name;
    let takes = match attribute.args {
        AttributeArgs::None => format!("`@{name}` takes nothing in parentheses"),
        AttributeArgs::Count(limit) => format!("`@{name}` takes a whole number from 1 to {limit}: `@{name}(8)`"),
        AttributeArgs::Cycles => format!("`@{name}` takes a number above 0: `@{name}(2.5)`"),
        AttributeArgs::Arrays => format!("`@{name}` takes two array parameters or more: `@{name}(a, b)`"),
    };
    Finding::error(CheckCode::AttributeArguments, at, takes)
}

// Rules that show once it is known what a kernel comes to.

pub fn broken_rule(at: TextRange, rule: BrokenRule) -> Finding {
    Finding::error(rule.code(), at, rule.message()).with_help(rule.help())
}

#[cfg(test)]
mod tests {
    use super::CheckCode;

    #[test]
    fn codes_are_sorted() {
        let names: Vec<_> = CheckCode::ALL.iter().map(|code| code.name().replace('-', " ")).collect();
        assert!(names.is_sorted(), "{names:?}");
    }
}
