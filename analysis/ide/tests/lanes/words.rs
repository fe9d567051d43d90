//! The words of notes: each thing is called as the program calls it, and said once.

use crate::common;

use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&common::render(text, &common::diagnostics(text)));
}

#[test]
fn a_field_that_a_loop_carries_is_called_as_a_field() {
    check(
        "\
struct Pair:
    low: f32
    high: vec2

kernel follow(x: f32[n], out: f32[n], n: i32):
    let s = Pair(0, vec2(0, 0))
    for i in range(n):
        s.low = 0.5 * s.low + x[i]
        s.high.y = 0.25 * s.high.y + s.low
        out[i] = s.high.y
",
        expect![[r#"
            note[linear-recurrence]: this loop runs in order: a value is multiplied and added to in each iteration: `s.low`
              7 |    for i in range(n):
                |    ^^^^^^^^^^^^^^^^^
              8 |        s.low = 0.5 * s.low + x[i]
                |                ^^^^^^^^^^^^^^^^^^ here `s.low` gets its next value
              = each iteration waits for the one before; a loop around this one, over independent data, can have the lanes
              fix: write `@reassoc` above the loop
                |    @reassoc
        "#]],
    );
}

#[test]
fn what_takes_too_long_is_said_once() {
    check(
        "\
fn hash(x: u64, seed: u64) -> u64:
    let h = (x ^ seed) * 0x9e3779b97f4a7c15
    h ^= h >> 32
    return h * 0xbf58476d1ce4e5b9

kernel bloom_add(keys: u64[n], bits: u64[64], n: i32):
    for key in keys:
        for s in range(3):
            let h = hash(key, u64(s)) >> 52
            bits[h / 64] |= 1 << h % 64
",
        expect![[r#"
            note[dependence-too-hard]: this loop runs in order: whether iterations touch one cell would take too long to find out
              8 |        for s in range(3):
                |        ^^^^^^^^^^^^^^^^^
             10 |            bits[h / 64] |= 1 << h % 64
                |            ^^^^^^^^^^^^ this writes `bits`
             10 |            bits[h / 64] |= 1 << h % 64
                |            ^^^^^^^^^^^^ this reads `bits`
              fix: write `foreach`, if no iteration touches what another one writes
                |        foreach s in range(3):
        "#]],
    );
}
