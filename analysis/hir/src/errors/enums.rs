//! Enums and the cases of a `match`.

use ir::Elem;
use report::TextRange;

use super::{CheckCode, Origin, count, did_you_mean};
use crate::finding::{Edit, Finding, Intent};
use crate::{BinOp, Name};

fn listed(names: &[Name]) -> String {
    names.iter().map(|name| &**name).collect::<Vec<_>>().join(", ")
}

pub fn enum_width(at: TextRange) -> Finding {
    Finding::error(CheckCode::NotAnInteger, at, "the numbers of an enum are of a type of integers")
        .with_help("write `enum Kind(u8):`, or nothing for `i32`")
}

pub fn enum_without_variants(at: TextRange, name: &str) -> Finding {
    Finding::error(CheckCode::MissingCase, at, format!("`{name}` has no variants, so it has no value"))
        .with_help(format!("list them behind the colon, `enum {name}: Low, High`, or one a line below it"))
}

pub fn variant_out_of_range(at: TextRange, variant: &str, number: i128, elem: Elem) -> Finding {
    let message = format!("`{variant}` has the number {number}, which is no `{elem}`");
    Finding::error(CheckCode::NumberOutOfRange, at, message)
        .with_help("the type of the numbers stands behind the name: `enum Kind(i64):`")
}

pub fn same_number(at: TextRange, variant: &str, first: &str, number: i128, defined: TextRange) -> Finding {
    let message = format!("`{variant}` has the number {number}, which `{first}` has already");
    Finding::error(CheckCode::DuplicateName, at, message)
        .with_related(defined, format!("`{first}` is defined here"))
        .with_help(
            "a number tells one variant from all others; one without a number has that of the one before it plus 1",
        )
}

pub fn variant_number(at: TextRange) -> Finding {
    Finding::error(CheckCode::NotAnInteger, at, "the number of a variant is an integer that is written out")
        .with_help("write `Low = 3`, or nothing for the number before it plus 1")
}

/// `among`: the place among the data of the variant, if there are several.
pub fn untyped_data(at: TextRange, variant: &str, name: &str, among: Option<usize>) -> Finding {
    let finding = Finding::error(
        CheckCode::UnknownType,
        at,
        format!("`{name}` of `{variant}` has no type, so nothing can hold it"),
    );
    let written = match (Elem::from_name(name), among) {
        (Some(_), Some(place)) => format!("value_{place}: {name}"),
        (Some(_), None) => format!("value: {name}"),
        (None, _) => format!("{name}: f32"),
    };
    finding
        .with_help(format!("data have a name and a type: `{variant}({written})`"))
        .with_fix(format!("write `{written}`"), Edit::Replace(at, written))
}

pub fn unknown_variant(at: TextRange, variant: &str, name: &str, variants: &[&str]) -> Finding {
    let finding = Finding::error(CheckCode::UnknownVariant, at, format!("`{name}` has no variant `{variant}`"));
    match report::spelling::closest(variant, variants) {
        Some(meant) => did_you_mean(finding, Some(meant)),
        None if variants.is_empty() => finding,
        None => finding.with_help(format!("its variants are `{}`", variants.join("`, `"))),
    }
}

pub fn variant_without_data(at: TextRange, name: &str, variant: &str, data: &[Name]) -> Finding {
    let message = format!("`{name}.{variant}` has data, and is a value only with those");
    Finding::error(CheckCode::NotAValue, at, message).with_help(format!("write `{name}.{variant}({})`", listed(data)))
}

pub fn variant_has_no_data(at: TextRange, callee: TextRange, name: &str, variant: &str) -> Finding {
    let finding =
        Finding::error(CheckCode::ArgumentCount, at, format!("`{name}.{variant}` has no data, so it is not called"));
    let rest = TextRange::new(callee.end(), at.end());
    finding.with_fix(format!("write `{name}.{variant}`"), Edit::Replace(rest, String::new()))
}

pub fn enum_with_data_called(at: TextRange, name: &str, variant: &str, data: &[Name]) -> Finding {
    let message = format!("a number says nothing of the data of `{name}`, so none becomes a `{name}`");
    Finding::error(CheckCode::NotAFunction, at, message)
        .with_help(format!("a value is made by the name of its variant: `{name}.{variant}({})`", listed(data)))
}

pub fn to_enum_arguments(at: TextRange, name: &str, found: usize) -> Finding {
    let message = format!("`{name}(n)` takes the number of a variant, and is given {}", count(found, "value"));
    Finding::error(CheckCode::ArgumentCount, at, message)
}

pub fn is_enum_already(at: TextRange, arg: TextRange, name: &str) -> Finding {
    let before = TextRange::new(at.start(), arg.start());
    let behind = TextRange::new(arg.end(), at.end());
    let finding = Finding::error(CheckCode::ArgumentType, at, format!("this is a `{name}` already"));
    let edits = vec![Edit::Replace(before, String::new()), Edit::Replace(behind, String::new())];
    Finding { fixes: vec![Intent { title: "take it as it is".to_owned(), edits }], ..finding }
}

pub fn operator_on_enum(at: TextRange, op: BinOp, name: &str) -> Finding {
    let message =
        format!("`{}` does not work on `{name}`, an enum: its values have no order and are no numbers", op.text());
    Finding::error(CheckCode::OperandType, at, message)
        .with_help("`==` and `!=` compare them, `match` tells them apart, and `i32(x)` is the number of one")
}

pub fn field_of_enum(at: TextRange, field: &str, name: &str) -> Finding {
    Finding::error(CheckCode::UnknownField, at, format!("`{name}` is an enum, which has no field `{field}`"))
        .with_help("what a variant holds is taken out by a `match`: `case Circle(r):`")
}

pub fn pattern_count(at: TextRange, form: &str, wanted: usize, found: usize) -> Finding {
    let own = count(wanted, "value");
    let message = format!("`{form}` holds {own}, and this pattern has {found} for them");
    let help = match wanted {
        0 => format!("write `{form}` alone"),
        _ => format!("write `_` for a value that is not needed, or `{form}` alone where none is"),
    };
    Finding::error(CheckCode::ArgumentCount, at, message).with_help(help)
}

pub fn form_of_unknown(at: TextRange, form: &str) -> Finding {
    Finding::error(CheckCode::UnknownVariant, at, format!("no enum here has the variant `{form}`, or several do"))
        .with_help("write the type of the value that is matched, or the enum before the variant: `Shape.Circle`; a name for any value starts with a small letter")
}

pub fn form_of_other(at: TextRange, form: &str, found: &str, origin: Origin) -> Finding {
    let finding = Finding::error(
        CheckCode::TypeMismatch,
        at,
        format!("`{form}` is no pattern for what is matched, which is {found}"),
    );
    let finding = finding.with_help("a name for any value starts with a small letter");
    match origin {
        Some((place, message)) => finding.with_related(place, message),
        None => finding,
    }
}

pub fn not_a_pattern(at: TextRange) -> Finding {
    Finding::error(CheckCode::NotAPattern, at, "this is no pattern, so no value can be compared with it").with_help(
        "a pattern is a number, a variant (`Circle(r)`), a name, `_`, or several of them (`1 | 2`, `(a, b)`); what is computed stands in a condition: `case x if x > a + b:`",
    )
}

/// A name that only one side of a `|` defines.
pub fn name_in_alternative(at: TextRange, name: &str) -> Finding {
    Finding::error(CheckCode::NotAPattern, at, format!("`{name}` is not defined by each side of this `|`"))
        .with_help("both sides define the same names, or none; write `_` for a value that is not needed")
}

pub fn missing_cases(header: TextRange, missing: &[String], last: TextRange) -> Finding {
    let all = missing.iter().map(|pattern| format!("`case {pattern}:`")).collect::<Vec<_>>();
    let are = if missing.len() == 1 { "is" } else { "are" };
    let message = format!("some values have no case: {} {are} missing", all.join(", "));
    let lines = missing.iter().map(|pattern| Edit::LineBehind(last, format!("case {pattern}:\n    pass")));
    let title = if missing.len() == 1 { "add the case" } else { "add the cases" };
    let mut finding = Finding::error(CheckCode::MissingCase, header, message);
    finding.fixes.push(Intent { title: title.to_owned(), edits: lines.collect() });
    if missing.iter().any(|pattern| pattern != "_") {
        let rest = Edit::LineBehind(last, "case _:\n    pass".to_owned());
        finding.fixes.push(Intent { title: "add `case _:` for all others".to_owned(), edits: vec![rest] });
    }
    finding.with_help("every value has its case; `case _:` takes all others")
}

pub fn unreachable_case(at: TextRange, whole: TextRange, taker: Option<TextRange>) -> Finding {
    let finding = Finding::warning(
        CheckCode::UnreachableCase,
        at,
        "no value comes to this case: those above take all that it takes",
    )
    .with_fix("remove the case", Edit::RemoveLine(whole));
    match taker {
        Some(taker) => finding.with_related(taker, "this takes every value"),
        None => finding,
    }
}

/// A name for any value that is also that of a variant.
pub fn name_like_variant(at: TextRange, name: &str) -> Finding {
    let message = format!("`{name}` is a new name here, which takes every value, and not the variant");
    Finding::error(CheckCode::UnreachableCase, at, message)
        .with_help("a variant whose name starts with a small letter is written behind its enum: `Kind.low`")
}

/// The name of a variant alone, where its enum is needed.
pub fn variant_needs_enum(at: TextRange, variant: &str, name: &str) -> Finding {
    Finding::error(
        CheckCode::UnknownName,
        at,
        format!("nothing here is called `{variant}`; it is a variant of `{name}`"),
    )
    .with_help("outside of a `case`, a variant stands behind its enum")
    .with_fix(format!("write `{name}.{variant}`"), Edit::Replace(at, format!("{name}.{variant}")))
}
