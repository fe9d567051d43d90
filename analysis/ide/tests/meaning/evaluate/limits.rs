//! What is not run at all.

use std::sync::Arc;

use hir::eval::{ArgValue, Array, Element, EvalLimits, evaluate};
use ir::Elem;
use queries::db::{Database, File};
use queries::run::program;

use super::fixture::run;

#[test]
fn what_breaks_a_rule_of_lanes_is_not_run() {
    let rows = [
        (
            "foreach i in range(n):\n        a[i] = f32(lane_id)\n        foreach j in range(2):\n            a[i] = f32(lane_id)",
            "lanes-in-lanes",
            "foreach j in range(2):",
        ),
        (
            "foreach i in range(n):\n        let sums = map(reduce_add, a)\n        a[i] = sums[i]",
            "lane-operation-value",
            "reduce_add",
        ),
    ];
    for (body, code, place) in rows {
        let found = run(&format!("kernel k(a: f32[n], n: i32):\n    {body}\n"), "a = [1, 2]; n = 2");
        assert!(found.starts_with(&format!("error {code} at `{place}`: ")), "{found}");
    }
}

#[test]
fn a_program_with_errors_has_no_meaning() {
    let db = Database::default();
    let file = File::new(&db, Arc::from("fn f(x):\n    return y\n\nkernel k(n: i32) -> i32:\n    return f(n)\n"));
    let program = program(&db, file, "k").expect("a kernel");
    let outcome = evaluate(&program, vec![ArgValue::Scalar(1i32.into())], EvalLimits::default());
    let error = outcome.error.expect("an error");
    assert_eq!((error.code.name(), &*error.item.name), ("has-errors", "f"));
}

#[test]
fn arguments_have_to_fit() {
    let db = Database::default();
    let file = File::new(&db, Arc::from("kernel k(a: f32[n], n: i32):\n    a[0] = 1\n"));
    let program = program(&db, file, "k").expect("a kernel");
    let code = |args| evaluate(&program, args, EvalLimits::default()).error.map(|error| error.code.name());
    let array = Array { element: Element::Scalar(Elem::F32), sizes: vec![1], cells: vec![0f32.into()] };
    let short = Array { cells: Vec::new(), ..array.clone() };
    let n = ArgValue::Scalar(1i32.into());
    assert_eq!(code(vec![ArgValue::Array(array.clone()), n.clone()]), None);
    assert_eq!(code(vec![ArgValue::Array(array.clone())]), Some("wrong-argument"));
    assert_eq!(code(vec![ArgValue::Array(short), n.clone()]), Some("wrong-argument"));
    assert_eq!(code(vec![n.clone(), n.clone()]), Some("wrong-argument"));
    assert_eq!(code(vec![ArgValue::Array(array.clone()), n.clone(), n]), Some("wrong-argument"));
    assert_eq!(code(vec![ArgValue::Array(array), ArgValue::Scalar(1i64.into())]), Some("wrong-argument"));
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

#[test]
fn functions_that_keep_each_other_too_deep_end_in_an_error() {
    let text = "kernel k(n: i32) -> i32:
    let f = \\x -> x + 1
    for i in range(n):
        f = \\x -> f(x) + 1
    return f(0)
";
    assert_eq!(run(text, "n = 20"), "result 21\n");
    assert!(run(text, "n = 20000").starts_with("error calls-too-deep at `\\x -> f(x) + 1`, i = 200"));
}

#[test]
fn functions_of_elements_that_are_too_deep_end_in_an_error() {
    let mut text = "fn g0(a: i32[1]):\n    return map(\\x -> x + 1, a)\n\n".to_owned();
    for n in 1..600 {
        text += &format!("fn g{n}(a: i32[1]):\n    return map(\\x -> g{}(a - 1)[0] + x, a)\n\n", n - 1);
    }
    let kernel = |call: &str| run(&format!("{text}kernel k(a: i32[1]):\n    a[:] = {call}\n"), "a = [1]");
    assert_eq!(kernel("g3(a)"), "a = [-1]\n");
    assert!(kernel("g599(a)").starts_with("error calls-too-deep at"));
}

#[test]
fn a_function_that_leads_back_to_itself_as_a_value_has_no_meaning() {
    let db = Database::default();
    let text = "fn apply(f, x):\n    return f(x)\n\nfn g(x: i32) -> i32:\n    return apply(g, x)\n\nkernel k(n: i32) -> i32:\n    return g(n)\n";
    let file = File::new(&db, Arc::from(text));
    let program = program(&db, file, "k").expect("a kernel");
    let error = evaluate(&program, vec![ArgValue::Scalar(1i32.into())], EvalLimits::default()).error.expect("an error");
    assert_eq!((error.code.name(), &*error.item.name), ("has-errors", "g"));
}

#[test]
fn elements_of_new_arrays_use_fuel_and_memory() {
    let db = Database::default();
    let of = |text: &str, n: i64, limits: EvalLimits| {
        let file = File::new(&db, Arc::from(text));
        let program = program(&db, file, "k").expect("a kernel");
        let outcome = evaluate(&program, vec![ArgValue::Scalar(n.into())], limits);
        (outcome.error.map(|error| error.code.name()), outcome.fuel_left)
    };
    let limits = EvalLimits { fuel: 10_000, memory: 16_000 };
    let once = "kernel k(n: i64) -> i64:\n    return iota(n)[0]\n";
    assert_eq!(of(once, 1000, limits), (None, 10_000 - 1001));
    assert_eq!(of(once, 1001, limits).0, Some("out-of-memory"));
    assert_eq!(of(once, i64::MAX, EvalLimits::default()).0, Some("out-of-memory"));
    assert_eq!(of(once, 2000, EvalLimits { memory: 1 << 30, fuel: 1500 }), (Some("out-of-fuel"), 0));
    // Memory that nothing refers to any more is free again.
    let often = "kernel k(n: i64) -> i64:
    let a = iota(400)
    for i in range(n):
        a = map(\\x -> x + 1, a)
    return i64(a[0])
";
    assert_eq!(of(often, 6, limits).0, None);
    assert_eq!(of(often, 100, limits).0, Some("out-of-fuel"));
    let rows = "kernel k(n: i64) -> i64:\n    return map(\\x -> iota(n), iota(n))[0, 0]\n";
    assert_eq!(of(rows, 20, limits).0, None);
    assert_eq!(of(rows, 32, limits).0, Some("out-of-memory"));
    let nothing = "kernel k(n: i64) -> i64:\n    return reduce(+, 0, replicate(n, iota(n - n))[0])\n";
    assert_eq!(of(nothing, i64::MAX, limits).0, None);
    let endless = "kernel k(n: i64) -> i64:\n    return map(\\r -> reduce(+, 0, r), replicate(n, iota(n - n)))[0]\n";
    assert_eq!(of(endless, i64::MAX, EvalLimits { fuel: 10_000, ..EvalLimits::default() }).0, Some("out-of-fuel"));
}
