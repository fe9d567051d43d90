//! Verdicts about loops of Lane programs, and what the `parallel` stage makes of them.

mod common;

use std::fmt::Write;
use std::sync::Arc;

use analysis::{Database, File, db, lower};
use expect_test::{Expect, expect};
use ir::facts::dependence::Limits;
use ir::facts::loops::loops;
use ir::pipeline::{self, Options};

/// For each kernel: each loop with its codes, and the kernel at `parallel` if that stage changes it.
fn check(text: &str, expect: Expect) {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let mut out = String::new();
    for &item in db::file_items(&db, file) {
        let lowering = lower::sequential(&db, item);
        let Some(kernel) = lowering.kernel.as_deref() else { continue };
        for known in &loops(kernel, &Limits::default()).list {
            let verdict = if known.verdict.is_vector { "vector" } else { "scalar" };
            let codes: Vec<&str> = known.verdict.reasons.iter().map(|reason| reason.code).collect();
            let line = format!("{}: {verdict} {}", kernel.name, codes.join(" "));
            let _ = writeln!(out, "{}", line.trim_end());
        }
        let stages = pipeline::run(kernel.clone(), &Options::default(), true).expect("passes keep what holds");
        let parallel = stages.iter().find(|reached| reached.stage == "parallel").expect("a stage of the list");
        if parallel.changed() {
            out.push_str(&ir::print(&parallel.kernel).text);
        }
    }
    expect.assert_eq(&out);
}

#[test]
fn the_loops_of_the_first_article() {
    check(
        &common::read("examples/pypy.lane"),
        expect![[r#"
            add: vector
            chained: scalar loop-carried-flow
            relaxed: vector statements-reordered
            kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):
                for i in range(1, 29):
                    b[i] = (c[i] * 2.0)
                    a[i] = (b[(i - 1)] + c[i])
        "#]],
    );
}

#[test]
fn patterns_as_they_are_written() {
    check(
        "\
kernel total(a: f32[n], n: i32) -> f32:
    let s = 0.0
    for i in range(n):
        s += a[i]
    return s

kernel largest(a: f32[n], n: i32) -> i32:
    let best = a[0]
    let at = 0
    for i in range(1, n):
        if a[i] > best:
            best = a[i]
            at = i
    return at

kernel first(a: f32[n], n: i32) -> i32:
    let at = -1
    for i in range(n):
        if a[i] < 0.0:
            at = i
            break
    return at

kernel keep(a: f32[n], b: f32[n], n: i32) -> i32:
    let k = 0
    for i in range(n):
        if a[i] > 0.0:
            b[k] = a[i]
            k += 1
    return k

kernel running(a: f32[n], b: f32[n], n: i32):
    let s = 0.0
    for i in range(n):
        s += a[i]
        b[i] = s

kernel count(x: i32[n], h: i32[m], n: i32, m: i32):
    for i in range(n):
        h[x[i]] += 1
",
        expect![[r#"
            total: scalar ordered-float-sum
            largest: scalar maximum position-of-maximum
            first: scalar early-exit induction find-first
            keep: scalar compress
            running: scalar prefix-sum
            count: scalar histogram
        "#]],
    );
}
