//! Findings about what is decided at compile time: constant and type parameters, instances, and `static` statements.

use report::{ItemKey, TextRange};

use super::CheckCode;
use crate::finding::{Edit, Finding, Intent, Place};

pub fn generic_not_scalar(at: TextRange) -> Finding {
    Finding::error(CheckCode::GenericArguments, at, "a constant parameter is a scalar")
        .with_help("a table of constants is a `const`; a type parameter has a name alone: `T`")
}

/// `constant`: a value is asked for, and there is a type; or the other way round.
pub fn generic_kind(at: TextRange, constant: bool) -> Finding {
    let message = match constant {
        true => "this is a type, and a constant is asked for",
        false => "this is no type, and a type is asked for",
    };
    Finding::error(CheckCode::GenericArguments, at, message)
        .with_help("arguments in brackets stand in the order of the parameters in brackets: `name[4, f32]`")
}

pub fn type_param_as_value(at: TextRange, name: &str) -> Finding {
    Finding::error(CheckCode::NotAValue, at, format!("`{name}` is a type, and a value is asked for"))
        .with_help(format!("`{name}(0)` is a value of it; a constant has a type of its own: `{name}: const i32`"))
}

pub fn no_generics(at: TextRange, name: &str, item: Option<ItemKey>) -> Finding {
    let finding = Finding::error(
        CheckCode::GenericArguments,
        at,
        format!("`{name}` has no parameters in brackets, so it takes no arguments there"),
    )
    .with_help(format!("call it as it is, `{name}(...)`, or give it some: `fn {name}[N: const i32](...)`"));
    super::defined_here(finding, name, item)
}

/// `params`: all of them, as they are written.
pub fn generic_count(at: TextRange, name: &str, params: &str, n_given: usize, item: Option<ItemKey>) -> Finding {
    let s = if n_given == 1 { "" } else { "s" };
    let finding = Finding::error(
        CheckCode::GenericArguments,
        at,
        format!("`{name}[{params}]` is given {n_given} argument{s} in brackets"),
    );
    super::defined_here(finding, name, item)
}

/// `has_size`: an array of that size is among the parameters.
pub fn generic_unknown(at: TextRange, param: &str, name: &str, has_size: bool, item: Option<ItemKey>) -> Finding {
    let why = match has_size {
        true => "the array that has it as its size is of a size that is known at run time alone",
        false => "no argument has it as its size",
    };
    let finding = Finding::error(
        CheckCode::GenericArguments,
        at,
        format!("`{param}` of `{name}` is not known in this call: {why}"),
    )
    .with_help(format!("write it in brackets: `{name}[4](...)`"));
    super::defined_here(finding, name, item)
}

/// Adds which argument an error is about.
pub fn of_generic(mut finding: Finding, param: &str, name: &str) -> Finding {
    if finding.help.is_none() {
        finding.help = Some(format!("this is `{param}` of `{name}`"));
    }
    finding
}

/// `known`: the names of the parameters in brackets.
pub fn unknown_generic(at: TextRange, given: &str, name: &str, known: &[&str], item: Option<ItemKey>) -> Finding {
    let finding = Finding::error(
        CheckCode::GenericArguments,
        at,
        format!("`{name}` has no parameter `{given}` in brackets; it has `{}`", known.join("`, `")),
    );
    super::defined_here(finding, name, item)
}

pub fn generic_twice(at: TextRange, param: &str, name: &str) -> Finding {
    let message = format!("`{param}` of `{name}` is given twice in brackets");
    Finding::error(CheckCode::GenericArguments, at, message).with_help("remove one of the two")
}

pub fn generic_missing(at: TextRange, param: &str, name: &str, item: Option<ItemKey>) -> Finding {
    let finding = Finding::error(
        CheckCode::GenericArguments,
        at,
        format!("`{param}` of `{name}` has no argument and no default"),
    );
    super::defined_here(finding, name, item)
}

/// `name`: what a kernel is to be an instance of.
pub fn instance_of_none(at: TextRange, name: &str, item: Option<ItemKey>) -> Finding {
    let finding = Finding::error(
        CheckCode::GenericArguments,
        at,
        format!("`{name}` is no kernel with parameters in brackets, so nothing is an instance of it"),
    )
    .with_help("`kernel blur3 = blur[3]` names an instance of `kernel blur[R: const i32](...)`");
    super::defined_here(finding, name, item)
}

/// `missing`: the parameters without a default value; `argument`: one for each, as an example.
pub fn no_instance(at: TextRange, name: &str, missing: &[&str], example: &str) -> Finding {
    Finding::warning(
        CheckCode::NoInstance,
        at,
        format!(
            "no instance of `{name}` is named, so there is nothing to build, and its types are not checked: `{}` {} no value",
            missing.join("`, `"),
            if missing.len() == 1 { "has" } else { "have" }
        ),
    )
    .with_help(format!("name one below it, `kernel {name}_1 = {name}[{example}]`, or give each a default value"))
    .with_fix("name an instance", Edit::ItemAbove(format!("kernel {name}_1 = {name}[{example}]")))
}

/// `what`: what has to be known, as the start of a sentence.
pub fn static_not_constant(at: TextRange, what: &str) -> Finding {
    Finding::error(
        CheckCode::StaticNotConstant,
        at,
        format!("{what} has to be known when the program is built, and this is not"),
    )
    .with_help(
        "known are literals, `const` items, constant parameters, the index of a `static for`, and arithmetic over these; \
         without `static` it is decided at run time",
    )
}

/// `poly<4>(x)`; `open` and `close` are the places of the angles.
pub fn arguments_in_angles(at: TextRange, name: &str, open: TextRange, close: TextRange) -> Finding {
    let mut finding = Finding::error(
        CheckCode::NotAValue,
        at,
        format!("the constants and types that `{name}` is for stand in brackets; `<` and `>` compare"),
    );
    let edits = vec![Edit::Replace(open, "[".to_owned()), Edit::Replace(close, "]".to_owned())];
    finding.fixes.push(Intent { title: format!("write `{name}[...]`"), edits });
    finding
}

pub fn default_not_known(at: TextRange, field: &str) -> Finding {
    Finding::error(
        CheckCode::StaticNotConstant,
        at,
        format!("the default value of the field `{field}` has to be known from its own text, and this is not"),
    )
    .with_help(
        "known are numbers, arithmetic over them, variants of enums, structs that are given all their values, and lists of such for arrays",
    )
}

/// `values`: what the condition names, with its values.
pub fn static_assert_fails(at: TextRange, values: &[String]) -> Finding {
    let with = if values.is_empty() { String::new() } else { format!(": here {}", values.join(", ")) };
    Finding::error(CheckCode::StaticAssertFails, at, format!("this does not hold{with}"))
        .with_help("a `static assert` says which arguments are meant; give others")
}

pub fn static_too_long(at: TextRange, limit: usize) -> Finding {
    Finding::error(CheckCode::StaticTooLong, at, format!("written out, this item has more than {limit} statements"))
        .with_help("a `for` without `static` is a loop")
}

pub fn static_leaves(at: TextRange, word: &str) -> Finding {
    Finding::error(
        CheckCode::StaticLeaves,
        at,
        format!("`{word}` in a `static for` is decided when the program is built, and this one at run time"),
    )
    .with_help("put it under a `static if`, or leave out the `static` of the loop")
}

/// `defined`: where another branch defines the name.
pub fn of_other_branch(at: TextRange, name: &str, defined: TextRange) -> Finding {
    Finding::error(
        CheckCode::UnknownName,
        at,
        format!("the branch of the `static if` that is taken does not define `{name}`"),
    )
    .with_related(defined, format!("another branch defines `{name}` here"))
    .with_help("define it in each branch, or use it where this branch is taken")
}

/// An error of an instance, told where the instance is asked for. `shown`: the instance, `blur[3]`.
pub fn in_instance(at: TextRange, shown: &str, of: &ItemKey, inner: &Finding) -> Finding {
    let finding = Finding { at, fixes: Vec::new(), related: Vec::new(), ..inner.clone() };
    Finding { message: format!("in `{shown}`: {}", inner.message), ..finding }
        .with_related(Place::In(of.clone(), inner.at), "it is here")
}
