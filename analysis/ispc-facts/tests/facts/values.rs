//! Values across the lanes.

use expect_test::{Expect, expect};
use ispc::tree::NodeKind;
use ispc_types::source::Source;

use super::{functions, shape};

/// The shapes of the statements of a text that are an expression alone, one a line.
fn check(text: &str, expected: Expect) {
    let mut told = String::new();
    for function in functions(text) {
        for node in 0..function.piece.n_nodes() {
            if function.piece.node(node).kind == NodeKind::Expression {
                let expression = function.piece.children(node)[0];
                let written = function.piece.written(expression);
                match function.facts.value(expression) {
                    Some(value) => {
                        told += &format!("{written}: {}", shape(value.shape));
                        if let Some(number) = value.value {
                            told += &format!(" {number}");
                        }
                        let story = function.story(value.cause);
                        told += &format!("{}{story}\n", if story.is_empty() { "" } else { ", since " });
                    }
                    None => told += &format!("{written}: no lane\n"),
                }
            }
        }
    }
    expected.assert_eq(&told);
}

#[test]
fn sums_of_rows_are_rows() {
    check(
        "void f(uniform int n, int v) {
            int i = programIndex;
            i; i + 1; i * 4; 2 - i; i << 2; i * n; i * v; i - i; i & 3; i / 2; (int64)i; (float)i; -i; i + n * 3; i < n;
        }",
        expect![[r#"
            i: linear by 1, since `programIndex` is another number in each lane
            i + 1: linear by 1, since `programIndex` is another number in each lane
            i * 4: linear by 4, since `programIndex` is another number in each lane
            2 - i: linear by -1, since `programIndex` is another number in each lane
            i << 2: linear by 4, since `programIndex` is another number in each lane
            i * n: linear, since `programIndex` is another number in each lane
            i * v: varying, since `v` is a parameter with a value of its own in each lane
            i - i: uniform
            i & 3: varying, since `i & 3` is no row any more, and `programIndex` is another number in each lane
            i / 2: varying, since `i / 2` is no row any more, and `programIndex` is another number in each lane
            (int64)i: linear by 1, since `programIndex` is another number in each lane
            (float)i: varying, since `(float)i` is no row any more, and `programIndex` is another number in each lane
            -i: linear by -1, since `programIndex` is another number in each lane
            i + n * 3: linear by 1, since `programIndex` is another number in each lane
            i < n: varying, since `programIndex` is another number in each lane
        "#]],
    );
}

#[test]
fn lanes_that_part_differ_where_they_meet() {
    check(
        "void f(uniform int n, int v) {
            int a = 1, b = 1, c = 1, d = 1;
            if (n > 3) a = 2;
            if (v > 3) { b = 2; b; }
            for (int i = 0; i < v; i++) { c = i; i; c; }
            for (uniform int i = 0; i < n; i++) { d += i; }
            a; b; c; d;
        }",
        expect![[r#"
            a = 2: uniform 2
            b = 2: uniform 2
            b: uniform 2
            c = i: uniform
            i: uniform
            c: uniform
            d += i: uniform
            a: uniform
            b: varying, since lanes go different ways at `v > 3`, and `v` is a parameter with a value of its own in each lane
            c: varying, since lanes leave the loop over `i < v` in different rounds, and `v` is a parameter with a value of its own in each lane
            d: uniform
        "#]],
    );
}
