//! Atomic operations, stores past the cache and prefetches in lanes.

use std::sync::Arc;

use expect_test::{Expect, expect};
use queries::db::{Database, File, file_items};
use queries::sequential;
use queries::stages::Options;

use crate::common;

/// Checks the loops of the only kernel of a text, at the last stage for a target.
fn check(text: &str, target: &str, expected: Expect) {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let kernel = *file_items(&db, file).last().expect("a kernel");
    let kernel = sequential(&db, kernel).kernel.as_deref().expect("a kernel").clone();
    let target = ir::target::find(target).expect("a row of the table");
    let kernel = common::with_single_groups(kernel, &Options { lanes: Some(8), target });
    expected.assert_eq(&ir::print(&kernel).text);
}

/// Checks the notes of a text about stores that stay in the cache, for a target.
fn check_kept(text: &str, expected: Expect) {
    let found = common::diagnostics(text);
    let kept = found.iter().filter(|found| found.code.name() == "not-streamed");
    let messages: Vec<_> = kept.map(|found| format!("{}\n", found.message)).collect();
    expected.assert_eq(&messages.concat());
}

#[test]
fn atomic_operations_are_done_lane_by_lane() {
    check(
        "kernel k(bins: i32[16], at: i32[n], n: i32):
    foreach i in range(n):
        atomic_add(bins, at[i], 1)
",
        "avx2",
        expect![[r#"
            kernel k(bins: i32[16], at: i32[n], n):
                let whole = (n -% (n % 8))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    let _0 = atomic_add(bins, vector_load(at, i), 1, order=free)
                vector_for base_1 in range(whole, n, LANES):
                    let i_1 = (base_1 + lane_id)
                    let active = active_lanes(base_1, n)
                    let _1 = atomic_add(bins, masked_load(at, i_1, active), 1, active, order=free)
        "#]],
    );
    check(
        "kernel k(head: i32[16], at: i32[n], next: i32[n], n: i32):
    for i in range(n):
        if at[i] > 3:
            next[i] = atomic_exchange(head, at[i], i)
",
        "avx2",
        expect![[r#"
            kernel k(head: i32[16], at: i32[n], next: i32[n], n):
                let whole = (n -% (n % 8))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    let _0 = vector_load(at, i)
                    let _1 = (_0 > 3)
                    if any(_1):
                        masked_store(next, i, atomic_exchange(head, select(_1, _0, 0), i, _1), _1)
                vector_for base_1 in range(whole, n, LANES):
                    let i_1 = (base_1 + lane_id)
                    let active = active_lanes(base_1, n)
                    let _2 = masked_load(at, i_1, active)
                    let _3 = (active & (_2 > 3))
                    if any(_3):
                        masked_store(next, i_1, atomic_exchange(head, select(_3, _2, 0), i_1, _3), _3)
        "#]],
    );
}

#[test]
fn a_kept_order_keeps_loops_in_order() {
    // What one operation gives depends on what the other one did in the iteration before.
    check(
        "kernel k(a: f32[16], at: i32[n], n: i32):
    for i in range(n):
        atomic_add(a, at[i], 1.5)
        atomic_add(a, at[i] + 1, 2.5)
",
        "avx2",
        expect![[r#"
            kernel k(a: f32[16], at: i32[n], n):
                @in_order(data-dependent-cell)
                for i in range(0, n):
                    let _0 = at[i]
                    let _1 = atomic_add(a, _0, 1.5)
                    let _2 = atomic_add(a, (_0 + 1), 2.5)
        "#]],
    );
}

const SCALED: &str = "kernel k(a: f32[n], out: f32[n], n: i32):
    @stream
    foreach i in range(n):
        prefetch(a, i + 64)
        out[i] = a[i] * 2
";

#[test]
fn whole_vectors_go_past_the_cache() {
    check(
        SCALED,
        "avx2",
        expect![[r#"
        kernel k(a: f32[n], out: f32[n], n):
            let whole = (n -% (n % 8))
            @stream
            vector_for base in range(0, whole, LANES):
                let i = (base + lane_id)
                prefetch_row(a, (i + 64))
                vector_store(out, i, (vector_load(a, i) * 2.0), past=cache)
            @stream
            vector_for base_1 in range(whole, n, LANES):
                let i_1 = (base_1 + lane_id)
                let active = active_lanes(base_1, n)
                prefetch_row(a, (i_1 + 64))
                masked_store(out, i_1, (masked_load(a, i_1, active) * 2.0), active)
    "#]],
    );
    check(
        SCALED,
        "rvv",
        expect![[r#"
        kernel k(a: f32[n], out: f32[n], n):
            let whole = (n -% (n % 8))
            @stream
            vector_for base in range(0, whole, LANES):
                let i = (base + lane_id)
                prefetch_row(a, (i + 64))
                vector_store(out, i, (vector_load(a, i) * 2.0))
            @stream
            vector_for base_1 in range(whole, n, LANES):
                let i_1 = (base_1 + lane_id)
                let active = active_lanes(base_1, n)
                prefetch_row(a, (i_1 + 64))
                masked_store(out, i_1, (masked_load(a, i_1, active) * 2.0), active)
    "#]],
    );
}

#[test]
fn stores_that_stay_in_the_cache_are_told() {
    check_kept(SCALED, expect![[""]]);
    check_kept(
        "@stream
kernel k(a: f32[n], at: i32[n], m: f32[n, n], out: f32[n], n: i32):
    for i in range(n):
        out[at[i]] = a[i]
    for i in range(1, n):
        out[i] = out[i - 1] + a[i]
    for i in range(n):
        m[i, 0] = a[i]
    for i in range(n):
        if a[i] > 0:
            out[i] = a[i]
    for i in range(n):
        out[i] = a[i]
",
        expect![[r#"
            `@stream` asks for stores past the cache, and this store to `out` takes its place in the cache: only neighbouring cells are stored past it, and the cells of these lanes lie apart
            `@stream` asks for stores past the cache, and this store to `out` takes its place in the cache: only whole vectors are stored past it, and this loop runs in order
            `@stream` asks for stores past the cache, and this store to `m` takes its place in the cache: only neighbouring cells are stored past it, and the cells of these lanes lie apart
            `@stream` asks for stores past the cache, and this store to `out` takes its place in the cache: it is one with another store to the same cells
        "#]],
    );
}
