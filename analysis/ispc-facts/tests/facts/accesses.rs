//! Memory accesses: the order of their cells.

use expect_test::{Expect, expect};
use ispc_types::source::Source;

use super::{functions, order};

fn check(text: &str, expected: Expect) {
    let mut told = String::new();
    for function in functions(text) {
        for access in &function.facts.accesses {
            let written = function.piece.written(access.node as usize);
            told += &format!("{written}: {:?} {}", access.kind, order(access.order));
            if let Some(record) = access.record {
                told += &format!(", of records of {} bytes", record.size);
            }
            let story = function.story(access.cause);
            told += &format!("{}{story}\n", if story.is_empty() { "" } else { ", since " });
        }
    }
    expected.assert_eq(&told);
}

#[test]
fn a_subscript_decides_which_cells_the_lanes_touch() {
    check(
        "struct Ray { float x, y, z; int id; };
        void f(uniform float a[], uniform Ray rays[], varying Ray * uniform own, uniform int index[], uniform int n, float * uniform p) {
            foreach (i = 0 ... n) {
                a[i] = a[2 * i] + a[n] + rays[i].y + own->x;
                a[index[i]] += p[n];
                float t = *(a + i);
                int k = n;
                t = a[k];
                a[i * n] = t;
            }
        }",
        expect![[r#"
            a[i]: Store vector, since the lanes run along `i`
            a[2 * i]: Load strided by 8 bytes, since the lanes run along `i`
            a[n]: Load broadcast
            rays[i].y: Load strided by 16 bytes, of records of 16 bytes, since the lanes run along `i`
            own->x: Load vector
            index[i]: Load vector, since the lanes run along `i`
            a[index[i]]: Update apart, since `index[i]` is loaded from another cell in each lane, and the lanes run along `i`
            p[n]: Load broadcast
            *(a + i): Load vector, since the lanes run along `i`
            a[k]: Load broadcast
            a[i * n]: Store strided, since the lanes run along `i`
        "#]],
    );
}
