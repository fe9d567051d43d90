//! Tests of cells that loops carry as values, as texts.

use expect_test::{Expect, expect};

use crate::promote;

fn check(text: &str, expect: Expect) {
    super::check(promote, text, expect);
}

#[test]
fn a_cell_that_all_iterations_add_to_is_carried() {
    check(
        "\
kernel sum(a: i32[n], o: i32[n], n: i32):
    for i in range(0, n):
        o[0] = (o[0] + a[i])
",
        expect![[r#"
            kernel sum(a: i32[n], o: i32[n], n):
                let _0 = if (0 < n):
                    yield o[0]
                else:
                    yield 0
                let _1 = for i in range(0, n) with o_1 = _0:
                    yield (o_1 + a[i])
                if (0 < n):
                    o[0] = _1
        "#]],
    );
    // Downwards, and with a subscript that is computed in the loop.
    check(
        "\
kernel mixed(a: i32[n], o: i32[n], n: i32):
    for i in range(n, 0, -1):
        let last = (n - 1)
        o[last] = (o[last] ^ a[(i - 1)])
",
        expect![[r#"
            kernel mixed(a: i32[n], o: i32[n], n):
                let _0 = if (n > 0):
                    let last = (n - 1)
                    yield o[last]
                else:
                    yield 0
                let _1 = for i in range(n, 0, -1) with o_1 = _0:
                    let last_1 = (n - 1)
                    yield (o_1 ^ a[(i - 1)])
                if (n > 0):
                    let last_2 = (n - 1)
                    o[last_2] = _1
        "#]],
    );
}

#[test]
fn a_cell_that_is_inside_of_its_array_needs_no_iteration() {
    check(
        "\
kernel count(a: f32[n], o: i32[4], n: i32):
    for i in range(0, n):
        if (a[i] > 0.5):
            o[2] = (o[2] + 1)
",
        expect![[r#"
            kernel count(a: f32[n], o: i32[4], n):
                let _0 = for i in range(0, n) with o_1 = o[2]:
                    let _1 = if (a[i] > 0.5):
                        yield (o_1 + 1)
                    else:
                        yield o_1
                    yield _1
                o[2] = _0
        "#]],
    );
}

#[test]
fn a_store_under_a_condition_keeps_what_the_cell_had() {
    check(
        "\
kernel greatest(a: f32[n], o: f32[n], n: i32):
    for i in range(0, n):
        if (a[i] > o[0]):
            o[0] = a[i]
",
        expect![[r#"
            kernel greatest(a: f32[n], o: f32[n], n):
                let _0 = if (0 < n):
                    yield o[0]
                else:
                    yield 0.0
                let _1 = for i in range(0, n) with o_1 = _0:
                    let _2 = if (a[i] > o_1):
                        yield a[i]
                    else:
                        yield o_1
                    yield _2
                if (0 < n):
                    o[0] = _1
        "#]],
    );
    // No access is sure to be inside of the array if the condition never holds.
    check(
        "\
kernel count(a: f32[n], o: i32[n], n: i32):
    for i in range(0, n):
        if (a[i] > 0.5):
            o[2] = (o[2] + 1)
",
        expect!["unchanged"],
    );
}

#[test]
fn several_cells_of_an_array_are_carried_each() {
    check(
        "\
kernel two(a: i32[n], o: i32[2], n: i32):
    for i in range(0, n):
        o[0] = (o[0] + a[i])
        o[1] = max(o[1], a[i])
",
        expect![[r#"
            kernel two(a: i32[n], o: i32[2], n):
                let _0, _1 = for i in range(0, n) with o_1 = o[0], o_2 = o[1]:
                    yield (o_1 + a[i]), max(o_2, a[i])
                o[1] = _1
                o[0] = _0
        "#]],
    );
}

#[test]
fn a_cell_that_others_may_touch_stays_in_memory() {
    // `o[i]` is the same cell in one of the iterations.
    check(
        "\
kernel own(a: i32[n], o: i32[n], n: i32):
    for i in range(0, n):
        o[0] = (o[0] + o[i])
",
        expect!["unchanged"],
    );
    check(
        "\
@alias(a, o)
kernel over(a: i32[?], o: i32[?], n: i32):
    for i in range(0, n):
        o[0] = (o[0] + a[i])
",
        expect!["unchanged"],
    );
    // The subscript is another one in each iteration.
    check(
        "\
kernel moves(a: i32[n], o: i32[n], n: i32):
    let k = for i in range(0, n) with k = 0:
        o[k] = (o[k] + a[i])
        yield (k + a[i])
",
        expect!["unchanged"],
    );
}
