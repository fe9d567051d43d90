//! Graphs of small loops.

use expect_test::{Expect, expect};
use queries::db::{Database, File, file_items};

use super::*;

fn check(text: &str, expected: Expect) {
    let db = Database::default();
    let file = File::new(&db, text.into());
    let mut told = String::new();
    for graph in file_items(&db, file).iter().flat_map(|&item| statement_graphs(&db, item)) {
        told += &format!("{}: {}\n", &text[graph.header], graph.headline);
        for statement in &graph.statements {
            let circle = if statement.is_in_circle { "*" } else { " " };
            told += &format!("{circle} {}: {}\n", statement.line + 1, statement.text);
        }
        let line = |n: usize| graph.statements[n].line + 1;
        for edge in &graph.edges {
            let carried = match (edge.is_carried, edge.distance) {
                (false, _) => String::new(),
                (true, None) => ", carried".to_owned(),
                (true, Some(distance)) => format!(", carried {distance}"),
            };
            told += &format!(
                "  {} -> {}: {} {}{carried}\n",
                line(edge.from),
                line(edge.to),
                edge.kind.name(),
                edge.through
            );
        }
    }
    expected.assert_eq(&told);
}

#[test]
fn memory_and_variables() {
    check(
        "\
kernel f(a: f32[n], b: f32[n], c: f32[n], n: i32):
    for i in range(1, n):
        let t = b[i] * 2
        a[i] = t + c[i]
        b[i] = a[i - 1]
",
        expect![[r#"
            for i in range(1, n): 8 lanes
              3: let t = b[i] * 2
              4: a[i] = t + c[i]
              5: b[i] = a[i - 1]
              3 -> 4: flow t
              3 -> 5: anti b
              4 -> 5: flow a, carried 1
        "#]],
    );
}

#[test]
fn what_a_loop_carries() {
    check(
        "\
kernel f(a: f32[n], out: f32[n], n: i32) -> f32:
    let last = 0.0
    let sum = 0.0
    for i in range(n):
        let x = a[i]
        out[i] = x - last
        if x > 0:
            last = x
        sum += x
    return sum
",
        expect![[r#"
            for i in range(n): in order: ordered-float-sum, and 1 more
              5: let x = a[i]
              6: out[i] = x - last
            * 7: if x > 0:
            * 9: sum += x
              5 -> 6: flow x
              5 -> 7: flow x
              5 -> 9: flow x
              7 -> 6: flow last, carried 1
              7 -> 7: flow last, carried 1
              9 -> 9: flow sum, carried 1
        "#]],
    );
}

#[test]
fn loops_in_loops_and_functions() {
    check(
        "\
fn half(x):
    return x * 0.5

kernel f(m: f32[n, n], n: i32):
    for i in range(1, n):
        for j in range(n):
            let y = half(m[i - 1, j])
            m[i, j] = y
",
        expect![[r#"
            for i in range(1, n): in order: loop-carried-flow, 1 apart
              6: for j in range(n):
            * 7: let y = half(m[i - 1, j])
            * 8: m[i, j] = y
              7 -> 8: flow y
              8 -> 7: flow m, carried 1
            for j in range(n): 8 lanes
              7: let y = half(m[i - 1, j])
              8: m[i, j] = y
              7 -> 8: flow y
        "#]],
    );
}

#[test]
fn a_statement_that_overwrites_what_it_has_read_is_in_no_circle() {
    check(
        "\
kernel f(a: f32[n], n: i32):
    for i in range(n - 1):
        a[i] = a[i + 1]
",
        expect![[r#"
            for i in range(n - 1): 8 lanes
              3: a[i] = a[i + 1]
              3 -> 3: anti a, carried 1
        "#]],
    );
}
