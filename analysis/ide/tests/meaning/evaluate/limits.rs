//! What is not run at all.

use std::sync::Arc;

use hir::eval::{Arg, Array, Element, Limits, evaluate};
use ir::Elem;
use queries::db::{Database, File};
use queries::run::program;

use super::fixture::run;

#[test]
fn what_cannot_be_run_yet_says_so() {
    let rows = [
        (
            "foreach i in range(n):\n        a[i] = f32(lane_id)\n        foreach j in range(2):\n            a[i] = f32(lane_id)",
            "a `foreach` with lane operations in another one with such",
            "foreach j in range(2):",
        ),
        (
            "foreach i in range(n):\n        let sums = map(reduce_add, a)\n        a[i] = sums[i]",
            "a function as a value",
            "reduce_add",
        ),
        ("let pairs = zip(a, a)[:1]\n    a[0] = map(+, pairs)[0]", "an element of zipped arrays", "zip(a, a)[:1]"),
    ];
    for (body, what, place) in rows {
        let found = run(&format!("kernel k(a: f32[n], n: i32):\n    {body}\n"), "a = [1, 2]; n = 2");
        assert_eq!(found, format!("error not-lowered-yet at `{place}`: {what} cannot be run yet\n"));
    }
}

#[test]
fn a_program_with_errors_has_no_meaning() {
    let db = Database::default();
    let file = File::new(&db, Arc::from("fn f(x):\n    return y\n\nkernel k(n: i32) -> i32:\n    return f(n)\n"));
    let program = program(&db, file, "k").expect("a kernel");
    let outcome = evaluate(&program, vec![Arg::Scalar(1i32.into())], Limits::default());
    let error = outcome.error.expect("an error");
    assert_eq!((error.code.name(), &*error.item.name), ("has-errors", "f"));
}

#[test]
fn arguments_have_to_fit() {
    let db = Database::default();
    let file = File::new(&db, Arc::from("kernel k(a: f32[n], n: i32):\n    a[0] = 1\n"));
    let program = program(&db, file, "k").expect("a kernel");
    let code = |args| evaluate(&program, args, Limits::default()).error.map(|error| error.code.name());
    let array = Array { element: Element::Scalar(Elem::F32), sizes: vec![1], cells: vec![0f32.into()] };
    let short = Array { cells: Vec::new(), ..array.clone() };
    let n = Arg::Scalar(1i32.into());
    assert_eq!(code(vec![Arg::Array(array.clone()), n.clone()]), None);
    assert_eq!(code(vec![Arg::Array(array.clone())]), Some("wrong-argument"));
    assert_eq!(code(vec![Arg::Array(short), n.clone()]), Some("wrong-argument"));
    assert_eq!(code(vec![n.clone(), n.clone()]), Some("wrong-argument"));
    assert_eq!(code(vec![Arg::Array(array.clone()), n.clone(), n]), Some("wrong-argument"));
    assert_eq!(code(vec![Arg::Array(array), Arg::Scalar(1i64.into())]), Some("wrong-argument"));
}

#[test]
fn calls_that_are_too_deep_end_in_an_error() {
    let chain = "1 + ".repeat(400);
    let mut text = format!("fn g0(x: i32) -> i32:\n    return {chain}x\n\n");
    for n in 1..100 {
        text += &format!("fn g{n}(x: i32) -> i32:\n    return g{}(x) + {chain}0\n\n", n - 1);
    }
    let kernel = |call: &str| run(&format!("{text}kernel k(x: i32) -> i32:\n    return {call}\n"), "x = 3");
    assert_eq!(kernel("g1(x)"), "result 803\n");
    assert!(kernel("g99(x)").starts_with("error calls-too-deep at"));
}

#[test]
fn blocks_that_are_too_deep_end_in_an_error() {
    let loops = |last: &str| {
        let lines = (0..60).map(|depth| format!("{:1$}for i{depth} in range(1):\n", "", 4 * depth + 4));
        format!("{}{:2$}{last}\n", lines.collect::<String>(), "", 4 * 60 + 4)
    };
    let mut text = format!("fn g0(a: i32[1]):\n{}\n", loops("a[0] += 1"));
    for n in 1..30 {
        text += &format!("fn g{n}(a: i32[1]):\n{}\n", loops(&format!("g{}(a)", n - 1)));
    }
    let kernel = |call: &str| run(&format!("{text}kernel k(a: i32[1]):\n    {call}\n"), "a = [1]");
    assert_eq!(kernel("g9(a)"), "a = [2]\n");
    assert!(kernel("g29(a)").starts_with("error calls-too-deep at"));
}
