//! Constants are folded by the arithmetic that runs have.

use std::sync::Arc;

use queries::check;
use queries::db::{Database, File};
use queries::run::{Argument, DataSource, Engine, run};
use queries::stages::{Options, in_order};

use crate::common;

/// The first element that a kernel stores, in the interpreter of Lane IR and in the evaluator.
fn stored(ty: &str, constant: &str) -> [String; 2] {
    let text = format!("const C: {ty} = {constant}\n\nkernel k(a: {ty}[n], n: i32):\n    a[0] = C\n");
    let db = Database::default();
    let file = File::new(&db, Arc::from(&*text));
    let found = check::diagnostics(&db, file);
    assert!(found.is_empty(), "{}", common::render(&text, &found));
    let kernel = queries::named(&db, file, "k".into()).expect("the kernel");
    let given = |name: &str, source| Argument { name: name.to_owned(), source };
    let given = [given("a", DataSource::Zeros(1)), given("n", DataSource::Number("1".to_owned()))];
    [Engine::Interp(in_order(), Options::default()), Engine::Scalar].map(|engine| {
        let ran = run(&db, kernel, engine, &given, 1_000, &mut || false).expect("arguments that fit");
        assert_eq!(ran.failure, None, "{text}");
        ran.arrays[0].elements[0].to_string()
    })
}

#[test]
fn a_constant_is_the_same_in_each_engine() {
    let constants = [
        ("f32", "7.0 // 2.0", "3.0"),
        ("f32", "-7.5 % 2.0", "-1.5"),
        ("f32", "16777216.0 + 1.0", "16777216.0"),
        ("f64", "1.0 / 3.0", "0.3333333333333333"),
        ("i32", "-7 // 2", "-4"),
        ("i32", "-7 % 2", "-1"),
        ("i32", "(-2) ** 31", "-2147483648"),
        ("i32", "1 << 31", "-2147483648"),
        ("u32", "3 ** 25", "1180052131"),
        ("u64", "18446744073709551615 * 18446744073709551615", "1"),
        ("u8", "~1", "254"),
        ("u8", "3 - 10", "249"),
        ("i8", "i8(300)", "44"),
        ("bool", "1.0 < 2.0 and not false", "true"),
    ];
    for (ty, constant, expected) in constants {
        assert_eq!(stored(ty, constant), [expected, expected], "{ty} {constant}");
    }
}

#[test]
fn an_overflow_is_told_with_the_result_if_there_is_one() {
    let told = |constant: &str| -> Vec<String> {
        let found = common::diagnostics(&format!("const C: i32 = {constant}\n"));
        found.into_iter().map(|found| format!("{}: {}", found.code, found.message)).collect()
    };
    assert_eq!(told("2147483647 + 1"), ["constant-overflow: the result, 2147483648, does not fit `i32`"]);
    assert_eq!(told("-2147483648 / -1"), ["constant-overflow: the result, 2147483648, does not fit `i32`"]);
    assert_eq!(told("-(-2147483648)"), ["constant-overflow: the result, 2147483648, does not fit `i32`"]);
    // `%` goes with `/`, and fails where it fails.
    assert_eq!(told("-2147483648 % -1"), ["constant-overflow: the result does not fit `i32`"]);
    assert_eq!(told("2 ** 200"), ["constant-overflow: the result does not fit `i32`"]);
}

/// Constant arguments of every type, right or wrong, and in any number, come to findings or values.
#[test]
fn calls_with_constants_of_any_type() {
    let values = ["true", "1", "1.5", "f64(2)", "u8(3)", "i64(-4)", "inf", "u64(5)"];
    for row in hir::builtins::BUILTINS {
        let mut text = String::new();
        for (n, a) in values.into_iter().enumerate() {
            let b = values[(3 * n + 1) % values.len()];
            for args in [
                a.to_owned(),
                format!("{a}, {a}"),
                format!("{a}, {b}"),
                format!("{a}, {b}, {a}"),
                format!("{a}, {a}, {a}"),
            ] {
                let number = text.len();
                text += &format!("fn f{number}():\n    return {}({args})\n\n", row.name);
            }
        }
        let mut host = queries::host::Host::default();
        let file = host.set_text("constants.lane", &text);
        let found = queries::check::diagnostics(host.snapshot().db(), file);
        assert!(found.iter().all(|finding| !finding.message.is_empty()), "{}", row.name);
    }
}
