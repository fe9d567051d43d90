//! Loops that whole arrays become, as a person would write them.

use crate::common;

use std::sync::Arc;

use expect_test::{Expect, expect};
use queries::db::{Database, File, cut_file};
use queries::stages::{Options, stage};
use syntax::{ItemKind, Severity};

/// The kernels of a program at the stage `sequential`.
fn check(text: &str, expected: Expect) {
    let errors = common::diagnostics(text).into_iter().filter(|found| found.severity == Severity::Error);
    assert_eq!(common::render(text, &errors.collect::<Vec<_>>()), "");
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let stage = stage("sequential").expect("it is one of the stages");
    let kernels = cut_file(&db, file).items.iter().filter(|item| item.kind(&db) == ItemKind::Kernel);
    let shown: String = kernels.map(|&item| stage.of(&db, item, Options::default()).text()).collect();
    expected.assert_eq(&shown);
}

#[test]
fn a_row_is_changed_in_place_in_each_iteration() {
    check(
        "kernel k(a: f32[n, m], sums: f32[c, m], at: i32[n], n: i32, m: i32, c: i32):
    for i in range(n):
        sums[at[i]] += a[i]
",
        expect![[r#""#]],
    );
}

#[test]
fn an_array_that_one_loop_uses_twice_is_computed_there() {
    check(
        "kernel k(a: f32[n], out: f32[n], n: i32):
    let x = sqrt(a * 2.0 + 1.0)
    out[:] = x * x + (x - 1.0) * exp(x)
",
        expect![[r#""#]],
    );
    check(
        "kernel k(a: f32[n], out: f32[n], n: i32):
    let b = a * a - 1.0
    let c = b * b - 1.0
    let d = c * c - 1.0
    let e = d * d - 1.0
    out[:] = e * e
",
        expect![[r#""#]],
    );
}
