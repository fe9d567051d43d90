//! Runs an example, and shows what came out.

use std::fmt::Write;
use std::sync::Arc;

use expect_test::Expect;
use hir::eval::{ArgValue, Array, Element, EvalLimits, EvalOutcome, Program, evaluate};
use hir::ty::Ty;
use ir::{Elem, Scalar};
use queries::db::{Database, File};
use queries::run::program;
use queries::{check, db};

/// Runs the kernel `k` of a text.
pub(crate) fn run(text: &str, args: &str) -> String {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let errors = check::diagnostics(&db, file).into_iter().filter(|found| found.severity == syntax::Severity::Error);
    // What is known to collide is run all the same: the evaluator has to find it, too.
    let errors = errors.filter(|found| found.code != hir::errors::CheckCode::ForeachCollides);
    // What breaks a rule, the evaluator has to refuse.
    let errors = errors.filter(|found| hir::errors::RuleCode::of(found.code).is_none());
    let errors: Vec<_> = errors.map(|found| format!("{}: {}", found.code, found.message)).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    let program = program(&db, file, "k").expect("a kernel named k");
    let given = arguments(&program, args);
    let outcome = evaluate(&program, given.clone(), EvalLimits { fuel: 100_000, ..EvalLimits::default() });
    show(&db, file, &program, &given, &outcome)
}

pub(crate) fn check(text: &str, args: &str, expected: Expect) {
    expected.assert_eq(&run(text, args));
}

/// A kernel of one line, for tables of expressions.
fn value(params: &str, expr: &str, args: &str) -> String {
    let result = run(&format!("kernel k({params}):\n    return {expr}\n"), args);
    result.strip_prefix("result ").unwrap_or(&result).trim_end().to_owned()
}

/// Rows of `expression -> value`, or `name = value; … | expression -> value`.
pub(crate) fn table(params: &str, rows: &str) {
    let mut wrong = String::new();
    for row in rows.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let (args, row) = row.split_once(" | ").unwrap_or(("", row));
        let (expr, expected) = row.split_once(" -> ").expect("a row");
        let found = value(params, expr.trim(), args);
        if found != expected.trim() {
            let _ = writeln!(wrong, "{args} | {expr} -> {found}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

// Arguments.

fn arguments(program: &Program, text: &str) -> Vec<ArgValue> {
    let unit = program.entry();
    let given: Vec<_> = text.split(';').filter_map(|part| part.split_once('=')).collect();
    let params = unit.body.params.iter().map(|&param| {
        let name = &unit.body.locals[param].name;
        let found = given.iter().find(|(own, _)| own.trim() == &**name);
        let value = found.unwrap_or_else(|| panic!("`{name}` is given nothing")).1.trim();
        match &unit.types.locals[param] {
            Ty::Scalar(scalar) => ArgValue::Scalar(scalar_of(Elem::from_name(scalar.name()).expect("a type"), value)),
            Ty::Array(element, sizes) => match value.split_once("[from ") {
                Some((of, from)) => part(&unit.body, of, from, sizes.len()),
                None => ArgValue::Array(array(program, element, sizes.len(), value)),
            },
            Ty::Struct(_) => ArgValue::Array(array(program, &unit.types.locals[param], 1, value)),
            other => panic!("no argument is a {other:?}"),
        }
    });
    params.collect()
}

/// `a[from 3, 5]`: five cells of the array given for `a`.
fn part(body: &hir::Body, of: &str, from: &str, rank: usize) -> ArgValue {
    let of = body.params.iter().position(|&param| *body.locals[param].name == *of).expect("a parameter");
    let numbers: Vec<i64> =
        from.trim_end_matches(']').split(',').map(|number| number.trim().parse().expect("a number")).collect();
    assert_eq!(numbers.len(), 1 + rank);
    ArgValue::Part { of, from: numbers[0] as usize, sizes: numbers[1..].to_vec() }
}

fn scalar_of(elem: Elem, text: &str) -> Scalar {
    Scalar::parse(elem, text).unwrap_or_else(|| panic!("`{text}` is no {elem}"))
}

fn array(program: &Program, element: &Ty, rank: usize, text: &str) -> Array {
    let element = match element {
        Ty::Scalar(scalar) => Element::Scalar(Elem::from_name(scalar.name()).expect("a type")),
        Ty::Struct(name) => {
            let fields_of = program.fields_of();
            let leaves = hir::layout::leaves(&fields_of, name).expect("a struct that is whole");
            Element::Struct(leaves.into_iter().map(|(_, elem)| elem).collect())
        }
        other => panic!("no array of {other:?}"),
    };
    let words = text.split([',', '[', ']', '(', ')', ' ']).filter(|word| !word.is_empty());
    let fields = element.fields();
    let cells: Vec<_> = words.enumerate().map(|(n, word)| scalar_of(fields[n % fields.len()], word)).collect();
    let n_elements = (cells.len() / fields.len()) as i64;
    let rows = text.matches('[').count() as i64 - 1;
    let sizes = match rank {
        1 => vec![n_elements],
        _ => vec![rows, n_elements / rows.max(1)],
    };
    Array { element, sizes, cells }
}

// Outcomes.

fn show(db: &Database, file: File, program: &Program, given: &[ArgValue], outcome: &EvalOutcome) -> String {
    let mut out = String::new();
    if let Some(result) = outcome.result {
        let _ = writeln!(out, "result {result}");
    }
    let unit = program.entry();
    let names = unit.body.params.iter().zip(given).filter(|(_, arg)| !matches!(arg, ArgValue::Scalar(_)));
    for ((&param, arg), array) in names.zip(&outcome.arrays) {
        if !matches!(arg, ArgValue::Array(before) if before == array) {
            let _ = writeln!(out, "{} = {}", unit.body.locals[param].name, cells(array));
        }
    }
    if let Some(error) = &outcome.error {
        let item = queries::item_of(db, file, &error.item).expect("the item");
        let range = db::dense_map(db, item).to_text(error.range);
        let place = item.text(db)[range].split('\n').next().unwrap_or_default();
        let _ = write!(out, "error {} at `{place}`", error.code);
        if error.item != unit.key {
            let _ = write!(out, " in {}", error.item.name);
        }
        let indices = |indices: &[(hir::Name, i128)]| {
            indices.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
        };
        if !error.iteration.is_empty() {
            let _ = write!(out, ", {}", indices(&error.iteration));
        }
        if let Some(other) = &error.other {
            let _ = write!(out, ", against {}", indices(other));
        }
        if let Some(lane) = error.lane {
            let _ = write!(out, ", lane {lane}");
        }
        let _ = writeln!(out, ": {}", error.message);
    }
    out
}

fn cells(array: &Array) -> String {
    let fields = array.element.fields().len();
    let texts = array.cells.chunks(fields.max(1)).map(|cell| match cell {
        [one] => one.to_string(),
        many => format!("({})", many.iter().map(Scalar::to_string).collect::<Vec<_>>().join(", ")),
    });
    format!("[{}]", texts.collect::<Vec<_>>().join(", "))
}
