//! Atomic operations, and requests to bring cells into the cache.

use expect_test::expect;

use super::fixture::check;

#[test]
fn the_old_content_is_given_in_the_order_of_the_iterations() {
    check(
        "kernel k(a: i32[2], at: i32[4], old: i32[4], f: f32[1]) -> f32:
    for i in range(4):
        old[i] = atomic_add(a, at[i], i + 1)
        atomic_add(f, 0, 0.5)
    old[3] = atomic_exchange(a, 1, 7)
    return atomic_exchange(f, 0, -1.0)
",
        "a = [10, 20]; at = [0, 1, 0, 1]; old = [0, 0, 0, 0]; f = [1.0]",
        expect![[r#"
            result 3.0
            a = [14, 7]
            old = [10, 20, 11, 26]
            f = [-1.0]
        "#]],
    );
}

#[test]
fn integers_wrap() {
    check(
        "kernel k(a: u8[6]) -> u8:
    atomic_add(a, 0, 200)
    atomic_min(a, 1, 3)
    atomic_max(a, 2, 250)
    atomic_and(a, 3, 12)
    atomic_or(a, 4, 12)
    return atomic_xor(a, 5, 255)
",
        "a = [100, 100, 100, 100, 100, 100]",
        expect![[r#"
            result 100
            a = [44, 3, 250, 4, 108, 155]
        "#]],
    );
}

#[test]
fn iterations_of_a_foreach_share_cells_by_one_kind_of_operation() {
    check(
        "kernel k(bins: i32[3], at: i32[5]):
    foreach i in range(5):
        atomic_add(bins, at[i], 1)
        prefetch(at, i + 1000)
",
        "bins = [0, 0, 0]; at = [2, 0, 2, 2, 1]",
        expect![[r#"
            bins = [1, 1, 3]
        "#]],
    );
    for (statement, elem) in [
        ("atomic_add(bins, at[i], 1.0)", "f32"),
        ("atomic_exchange(bins, at[i], i)", "i32"),
        ("let old = atomic_add(bins, at[i], 1)", "i32"),
        ("atomic_add(bins, at[i], 1)\n        atomic_max(bins, at[i], 1)", "i32"),
        ("atomic_add(bins, at[i], 1)\n        bins[at[i]] = 3", "i32"),
    ] {
        let text = format!("kernel k(bins: {elem}[3], at: i32[5]):\n    foreach i in range(5):\n        {statement}\n");
        let ran = super::fixture::run(&text, "bins = [0, 0, 0]; at = [2, 0, 2, 2, 1]");
        assert!(ran.contains("iterations-collide"), "{statement}: {ran}");
    }
}

#[test]
fn an_index_outside_is_an_error() {
    check(
        "kernel k(a: i32[2], i: i32):
    atomic_add(a, i, 1)
",
        "a = [1, 2]; i = 2",
        expect![[r#"
            error index-out-of-range at `atomic_add(a, i, 1)`: the index 2 is out of range: the size there is 2
        "#]],
    );
}
