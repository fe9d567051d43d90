//! Tests of the forms that gathers and scatters take, as text, in whole groups of lanes, which is the form that `memory`
//! works on.

use expect_test::{Expect, expect};

use crate::pipeline::Options;
use crate::{CSE, Context, DCE, DEMANDED_LANES, FOLD, MEMORY, PICKS, Pass, SPECIALISE, VECTOR};
use ir::{Builder, Target, print, read, target, verify};

/// The loop over whole groups, in so many lanes, for a target.
fn made(text: &str, lanes: u16, target: &'static Target) -> String {
    made_by(&[VECTOR, SPECIALISE, MEMORY, FOLD, CSE, DEMANDED_LANES, DCE], text, lanes, target)
}

fn made_by(passes: &[Pass], text: &str, lanes: u16, target: &'static Target) -> String {
    let mut kernel = read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let options = Options { lanes: Some(lanes), target };
    let mut context = Context::new(&options);
    for pass in passes {
        pass.apply(&mut kernel, &mut context);
        verify(&kernel).unwrap_or_else(|found| panic!("{}: {found:?}\n{}", pass.name, print(&kernel).text));
    }
    print(&Builder::on(kernel).finish(None)).text
}

fn check(text: &str, expect: Expect) {
    expect.assert_eq(&made(text, 4, target::find("avx2").expect("a row of the table")));
}

#[test]
fn backwards_is_a_load_and_a_reversal() {
    check(
        "\
kernel f(a: f32[n], out: f32[n], n: i32):
    foreach i in range(0, n):
        out[i] = a[((n - 1) - i)]
",
        expect![[r#"
            kernel f(a: f32[n], out: f32[n], n):
                let whole = (n -% (n % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    let _0 = (n - 1)
                    vector_store(out, i, reverse(vector_load(a, ((index(n) -% index(base)) -% 4))))
                vector_for base_1 in range(whole, n, LANES):
                    let i_1 = (base_1 + lane_id)
                    let active = (i_1 < n)
                    let _1 = (n - 1)
                    masked_store(out, i_1, reverse(masked_load(a, ((index(n) -% index(base_1)) -% 4), reverse(active))), active)
        "#]],
    );
}

#[test]
fn cells_for_two_lanes_are_loaded_once() {
    check(
        "\
kernel f(a: f32[n], out: f32[n], n: i32):
    foreach i in range(0, n):
        out[i] = a[(i / 2)]
",
        expect![[r#"
            kernel f(a: f32[n], out: f32[n], n):
                let whole = (n -% (n % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    vector_store(out, i, permute(vector_load(a, (index(base) >> 1), lanes=2), pattern=[0, 0, 1, 1]))
                vector_for base_1 in range(whole, n, LANES):
                    let i_1 = (base_1 + lane_id)
                    let active = (i_1 < n)
                    masked_store(out, i_1, permute(masked_load(a, (index(base_1) >> 1), (permute(active, pattern=[0, 2]) | permute(active, pattern=[1, 3]))), pattern=[0, 0, 1, 1]), active)
        "#]],
    );
}

#[test]
fn what_lies_between_is_loaded_together() {
    check(
        "\
kernel f(p: f32[(2 * n)], a: f32[n], b: f32[n], n: i32):
    foreach i in range(0, n):
        a[i] = p[(2 * i)]
        b[i] = p[((2 * i) + 1)]
",
        expect![[r#"
            kernel f(p: f32[(2 * n)], a: f32[n], b: f32[n], n):
                let whole = (n -% (n % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    let _0 = (index(base) *% 2)
                    let _1 = vector_load(p, _0)
                    let _2 = vector_load(p, (_0 +% 4))
                    vector_store(a, i, permute(_1, _2, pattern=[0, 2, 4, 6]))
                    vector_store(b, i, permute(_1, _2, pattern=[1, 3, 5, 7]))
                vector_for base_1 in range(whole, n, LANES):
                    let i_1 = (base_1 + lane_id)
                    let active = (i_1 < n)
                    let _3 = (index(base_1) *% 2)
                    let _4 = masked_load(p, _3, permute(active, pattern=[0, 0, 1, 1]))
                    let _5 = masked_load(p, (_3 +% 4), permute(active, pattern=[2, 2, 3, 3]))
                    masked_store(a, i_1, permute(_4, _5, pattern=[0, 2, 4, 6]), active)
                    masked_store(b, i_1, permute(_4, _5, pattern=[1, 3, 5, 7]), active)
        "#]],
    );
}

#[test]
fn cells_in_turn_are_loaded_once() {
    check(
        "\
kernel f(a: f32[16], out: f32[n], n: i32):
    foreach i in range(0, n):
        out[i] = (a[(i % 2)] + a[(i & 15)])
",
        expect![[r#"
            kernel f(a: f32[16], out: f32[n], n):
                let whole = (n -% (n % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    let _0 = index(base)
                    vector_store(out, i, (permute(vector_load(a, 0, lanes=2), pattern=[0, 1, 0, 1]) + vector_load(a, (_0 -% ((_0 >> 4) *% 16)))))
                vector_for base_1 in range(whole, n, LANES):
                    let i_1 = (base_1 + lane_id)
                    let active = (i_1 < n)
                    let _1 = index(base_1)
                    masked_store(out, i_1, (permute(masked_load(a, 0, (permute(active, pattern=[0, 1]) | permute(active, pattern=[2, 3]))), pattern=[0, 1, 0, 1]) + masked_load(a, (_1 -% ((_1 >> 4) *% 16)), active)), active)
        "#]],
    );
}

#[test]
fn a_whole_group_is_stored_at_once() {
    check(
        "\
kernel f(p: f32[(2 * n)], a: f32[n], n: i32):
    foreach i in range(0, n):
        p[(2 * i)] = a[i]
        p[((2 * i) + 1)] = 0.0
",
        expect![[r#"
            kernel f(p: f32[(2 * n)], a: f32[n], n):
                let whole = (n -% (n % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    let _0 = vector_load(a, i)
                    let _1 = splat(0.0)
                    let _2 = (index(base) *% 2)
                    vector_store(p, _2, permute(_0, _1, pattern=[0, 4, 1, 5]))
                    vector_store(p, (_2 +% 4), permute(_0, _1, pattern=[2, 6, 3, 7]))
                vector_for base_1 in range(whole, n, LANES):
                    let i_1 = (base_1 + lane_id)
                    let active = (i_1 < n)
                    let _3 = (2 * i_1)
                    scatter(p, _3, masked_load(a, i_1, active), active)
                    scatter(p, (_3 + 1), 0.0, active)
        "#]],
    );
}

#[test]
fn what_is_changed_in_place_is_loaded_at_once() {
    // No store in between touches a cell that is still to be loaded.
    check(
        "\
kernel f(p: f32[(2 * n)], n: i32):
    foreach i in range(0, n):
        p[(2 * i)] = (p[(2 * i)] * 0.5)
        p[((2 * i) + 1)] = (p[((2 * i) + 1)] * 0.25)
",
        expect![[r#"
            kernel f(p: f32[(2 * n)], n):
                let whole = (n -% (n % 4))
                vector_for base in range(0, whole, LANES):
                    let _0 = (index(base) *% 2)
                    let _1 = vector_load(p, _0)
                    let _2 = (_0 +% 4)
                    let _3 = vector_load(p, _2)
                    let _4 = (permute(_1, _3, pattern=[0, 2, 4, 6]) * 0.5)
                    let _5 = (permute(_1, _3, pattern=[1, 3, 5, 7]) * 0.25)
                    vector_store(p, _0, permute(_4, _5, pattern=[0, 4, 1, 5]))
                    vector_store(p, _2, permute(_4, _5, pattern=[2, 6, 3, 7]))
                vector_for base_1 in range(whole, n, LANES):
                    let i = (base_1 + lane_id)
                    let active = (i < n)
                    let _6 = (2 * i)
                    let _7 = (index(base_1) *% 2)
                    let _8 = masked_load(p, _7, permute(active, pattern=[0, 0, 1, 1]))
                    let _9 = masked_load(p, (_7 +% 4), permute(active, pattern=[2, 2, 3, 3]))
                    scatter(p, _6, (permute(_8, _9, pattern=[0, 2, 4, 6]) * 0.5), active)
                    scatter(p, (_6 + 1), (permute(_8, _9, pattern=[1, 3, 5, 7]) * 0.25), active)
        "#]],
    );
    // The second load is of a cell that was stored to.
    check(
        "\
kernel f(p: f32[(2 * n)], n: i32):
    foreach i in range(0, n):
        p[((2 * i) + 1)] = (p[(2 * i)] * 0.5)
        p[(2 * i)] = (p[((2 * i) + 1)] * 0.25)
",
        expect![[r#"
            kernel f(p: f32[(2 * n)], n):
                let whole = (n -% (n % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    let _0 = (2 * i)
                    let _1 = (index(base) *% 2)
                    scatter(p, (_0 + 1), (permute(vector_load(p, _1), vector_load(p, (_1 +% 3)), pattern=[0, 2, 5, 7]) * 0.5))
                    scatter(p, _0, (permute(vector_load(p, (_1 +% 1)), vector_load(p, (_1 +% 4)), pattern=[0, 2, 5, 7]) * 0.25))
                vector_for base_1 in range(whole, n, LANES):
                    let i_1 = (base_1 + lane_id)
                    let active = (i_1 < n)
                    let _2 = (2 * i_1)
                    let _3 = (index(base_1) *% 2)
                    let _4 = splat(false, lanes=1)
                    let _5 = permute(active, _4, pattern=[0, 4, 1, 4])
                    let _6 = permute(active, _4, pattern=[2, 4, 3, 4])
                    scatter(p, (_2 + 1), (permute(masked_load(p, _3, _5), masked_load(p, (_3 +% 4), _6), pattern=[0, 2, 4, 6]) * 0.5), active)
                    scatter(p, _2, (permute(masked_load(p, (_3 +% 1), _5), masked_load(p, (_3 +% 5), _6), pattern=[0, 2, 4, 6]) * 0.25), active)
        "#]],
    );
}

#[test]
fn a_load_stays_behind_a_store_that_moves_down() {
    let text = "\
struct Pixel:
    r: f32
    g: f32
    b: f32

kernel f(p: Pixel[n], n: i32):
    foreach i in range(0, n):
        p.g[i] = 0.0
        p.b[i] = p.b[i]
        p.g[i] = (p.g[i] + 1.0)
";
    // Under the mask of the tail the store to `g` is done with the one to `b`, behind the load of `b`; so the load of `g` cannot be done
    // with that one.
    expect![[r#"
        struct Pixel:
            r: f32
            g: f32
            b: f32

        kernel f(p: Pixel[n], n):
            let whole = (n -% (n % 8))
            vector_for base in range(0, whole, LANES):
                let i = (base + lane_id)
                let _0 = p.g
                scatter(_0, i, 0.0)
                let _1 = flat(p, type=f32)
                let _2 = (index(base) *% 3)
                scatter(p.b, i, permute(vector_load(_1, (_2 +% 2)), vector_load(_1, (_2 +% 11)), vector_load(_1, (_2 +% 16)), pattern=[0, 3, 6, 8, 11, 14, 20, 23]))
                scatter(_0, i, (permute(vector_load(_1, (_2 +% 1)), vector_load(_1, (_2 +% 10)), vector_load(_1, (_2 +% 15)), pattern=[0, 3, 6, 8, 11, 14, 20, 23]) + 1.0))
            vector_for base_1 in range(whole, n, LANES):
                let i_1 = (base_1 + lane_id)
                let active = (i_1 < n)
                let _3 = flat(p, type=f32)
                let _4 = (index(base_1) *% 3)
                let _5 = splat(false, lanes=1)
                let _6 = permute(active, _5, pattern=[0, 8, 8, 1, 8, 8, 2, 8])
                let _7 = permute(active, _5, pattern=[3, 8, 8, 4, 8, 8, 5, 8])
                let _8 = permute(active, _5, pattern=[6, 8, 8, 7, 8, 8, 8, 8])
                let _9 = permute(masked_load(_3, (_4 +% 2), _6), masked_load(_3, (_4 +% 11), _7), masked_load(_3, (_4 +% 20), _8), pattern=[0, 3, 6, 8, 11, 14, 16, 19])
                let _10 = splat(0.0)
                let _11 = (_4 +% 1)
                masked_store(_3, _11, permute(_10, _9, pattern=[0, 8, 0, 1, 9, 0, 2, 10]), permute(active, _5, pattern=[0, 0, 8, 1, 1, 8, 2, 2]))
                let _12 = (_4 +% 10)
                masked_store(_3, _12, permute(_10, _9, pattern=[3, 11, 3, 4, 12, 3, 5, 13]), permute(active, _5, pattern=[3, 3, 8, 4, 4, 8, 5, 5]))
                let _13 = (_4 +% 19)
                masked_store(_3, _13, permute(_10, _9, pattern=[6, 14, 6, 7, 15, 6, 6, 6]), permute(active, _5, pattern=[6, 6, 8, 7, 7, 8, 8, 8]))
                scatter(p.g, i_1, (permute(masked_load(_3, _11, _6), masked_load(_3, _12, _7), masked_load(_3, _13, _8), pattern=[0, 3, 6, 8, 11, 14, 16, 19]) + 1.0), active)
    "#]].assert_eq(&made(text, 8, target::find("avx2").expect("a row of the table")));
}

#[test]
fn fields_of_structs_are_cells_of_a_flat_array() {
    check(
        "\
struct Pixel:
    r: f32
    g: i32
    b: f32

kernel f(p: Pixel[n], out: f32[n], n: i32):
    foreach i in range(0, n):
        out[i] = (p.r[i] + f32(p.g[i]))
",
        expect![[r#"
            struct Pixel:
                r: f32
                g: i32
                b: f32

            kernel f(p: Pixel[n], out: f32[n], n):
                let whole = (n -% (n % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    let _0 = flat(p, type=f32)
                    let _1 = (index(base) *% 3)
                    let _2 = flat(p, type=i32)
                    vector_store(out, i, (permute(vector_load(_0, _1), vector_load(_0, (_1 +% 6)), pattern=[0, 3, 4, 7]) + f32(permute(vector_load(_2, (_1 +% 1)), vector_load(_2, (_1 +% 7)), pattern=[0, 3, 4, 7]))))
                vector_for base_1 in range(whole, n, LANES):
                    let i_1 = (base_1 + lane_id)
                    let active = (i_1 < n)
                    let _3 = flat(p, type=f32)
                    let _4 = (index(base_1) *% 3)
                    let _5 = splat(false, lanes=1)
                    let _6 = permute(active, _5, pattern=[0, 4, 4, 1])
                    let _7 = permute(active, _5, pattern=[2, 4, 4, 3])
                    let _8 = flat(p, type=i32)
                    masked_store(out, i_1, (permute(masked_load(_3, _4, _6), masked_load(_3, (_4 +% 6), _7), pattern=[0, 3, 4, 7]) + f32(permute(masked_load(_8, (_4 +% 1), _6), masked_load(_8, (_4 +% 7), _7), pattern=[0, 3, 4, 7]))), active)
        "#]],
    );
}

#[test]
fn cells_out_of_a_few_are_looked_up() {
    // Data decides which of them.
    check(
        "\
kernel f(w: f32[4], k: u8[n], out: f32[n], n: i32):
    foreach i in range(0, n):
        out[i] = w[(k[i] & 3)]
",
        expect![[r#"
            kernel f(w: f32[4], k: u8[n], out: f32[n], n):
                let whole = (n -% (n % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    let _0 = vector_load(k, i)
                    vector_store(out, i, lookup(vector_load(w, 0), (_0 & 3)))
                if ((0 < whole) & (whole < n)):
                    let base_1 = (n - 4)
                    let i_1 = (base_1 + lane_id)
                    let _1 = vector_load(k, i_1)
                    vector_store(out, i_1, lookup(vector_load(w, 0), (_1 & 3)))
                else:
                    vector_for base_2 in range(whole, n, LANES):
                        let i_2 = (base_2 + lane_id)
                        let active = (i_2 < n)
                        let _2 = masked_load(k, i_2, active)
                        masked_store(out, i_2, lookup(vector_load(w, 0), (_2 & 3)), active)
        "#]],
    );
    // A period that no number of lanes is a multiple of; what lies behind the array is not touched.
    check(
        "\
kernel f(w: i16[5], k: i16[n], out: i16[n], n: i32):
    foreach i in range(0, n):
        out[i] = (k[i] ^ w[(2 + (i % 3))])
",
        expect![[r#"
            kernel f(w: i16[5], k: i16[n], out: i16[n], n):
                let whole = (n -% (n % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    vector_store(out, i, (vector_load(k, i) ^ lookup(permute(vector_load(w, 2, lanes=3), pattern=[0, 1, 2, 2]), ((2 + (i % 3)) -% 2))))
                if ((0 < whole) & (whole < n)):
                    let base_1 = (n - 4)
                    let i_1 = (base_1 + lane_id)
                    vector_store(out, i_1, (vector_load(k, i_1) ^ lookup(permute(vector_load(w, 0, lanes=5), pattern=[0, 1, 2, 3, 4, 4, 4, 4]), (2 + (i_1 % 3)))))
                else:
                    vector_for base_2 in range(whole, n, LANES):
                        let i_2 = (base_2 + lane_id)
                        let active = (i_2 < n)
                        masked_store(out, i_2, (masked_load(k, i_2, active) ^ lookup(permute(vector_load(w, 2, lanes=3), pattern=[0, 1, 2, 2]), ((2 + (i_2 % 3)) -% 2))), active)
        "#]],
    );
    // Only where a lane is on is it known that there is such a row.
    check(
        "\
kernel f(w: f32[m, 8], k: u8[n], out: f32[n], row: i32, n: i32, m: i32):
    foreach i in range(0, n):
        if (k[i] > 9):
            out[i] = w[row, (k[i] & 7)]
",
        expect![[r#"
            kernel f(w: f32[m, 8], k: u8[n], out: f32[n], row, n, m):
                let whole = (n -% (n % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    let _0 = (vector_load(k, i) > 9)
                    let _1 = any(_0)
                    if _1:
                        let _2 = masked_load(k, i, _0)
                        masked_store(out, i, lookup(masked_load(w, row, 0, splat(_1, lanes=8)), (_2 & 7)), _0)
                vector_for base_1 in range(whole, n, LANES):
                    let i_1 = (base_1 + lane_id)
                    let active = (i_1 < n)
                    let _3 = (active & (masked_load(k, i_1, active) > 9))
                    let _4 = any(_3)
                    if _4:
                        let _5 = masked_load(k, i_1, _3)
                        masked_store(out, i_1, lookup(masked_load(w, row, 0, splat(_4, lanes=8)), (_5 & 7)), _3)
        "#]],
    );
}

#[test]
fn tables_are_read_by_instructions() {
    let mut n_looked_up = 0;
    for target in target::TARGETS.iter().filter(|target| target.has_lanes()) {
        for (elem, lanes) in [("u8", 16), ("bool", 8), ("i16", 8), ("f32", 4), ("f32", 16), ("f64", 4), ("f64", 8)] {
            for cells in [2, 3, 8, 16, 33, 64] {
                let text = format!(
                    "\
kernel f(w: {elem}[{cells}], k: u8[n], out: {elem}[n], n: i32):
    foreach i in range(0, n):
        out[i] = w[(k[i] % {cells})]
"
                );
                let made = made_by(&[VECTOR, SPECIALISE, MEMORY, FOLD, DCE, PICKS], &text, lanes, target);
                n_looked_up += usize::from(made.contains("lookup("));
                assert!(!made.contains("through=memory"), "{}\n{made}", target.name);
            }
        }
    }
    assert!(n_looked_up > 100, "{n_looked_up} tables");
}

#[test]
fn bytes_are_looked_up_in_as_many_as_a_byte_numbers() {
    // RISC-V has a gather for bytes.
    for target in ["sse4", "avx2", "avx512", "neon", "sve256"] {
        let target = target::find(target).expect("a row of the table");
        let text = "\
kernel f(w: u8[256], k: u8[n], out: u8[n], n: i32):
    foreach i in range(0, n):
        out[i] = w[k[i]]
";
        let made = made_by(&[VECTOR, SPECIALISE, MEMORY, FOLD, DCE, PICKS], text, target.lanes_for(1), target);
        assert!(made.contains("lookup(vector_load(w, 0, lanes=256)") && !made.contains("through=memory"), "{made}");
    }
}

#[test]
fn stores_with_gaps_end_with_their_last_cell_where_loads_of_the_next_group_follow() {
    check(
        "\
kernel f(a: f32[n], out: f32[n], n: i32):
    foreach i in range(1, n, 2):
        a[i] = a[(i - 1)]
        out[i] = a[i]
",
        expect![[r#"
            kernel f(a: f32[n], out: f32[n], n):
                let _0 = u32((max(1, n) -% 1))
                let whole = (1 +% i32((_0 -% (_0 % 8))))
                vector_for base in range(1, whole, (LANES * 2)):
                    let i = lane_index(base, 2)
                    let _1 = index(base)
                    let _2 = (_1 -% 1)
                    let _3 = permute(vector_load(a, _2), vector_load(a, (_1 +% 2)), pattern=[0, 2, 5, 7])
                    vector_store(a, _2, permute(_3, _3, pattern=[4, 0, 5, 1]))
                    let _4 = (_1 +% 3)
                    vector_store(a, _4, permute(_3, _3, pattern=[6, 2, 7, 3]))
                    scatter(out, i, permute(vector_load(a, base), vector_load(a, _4), pattern=[0, 2, 5, 7]))
                vector_for base_1 in range(whole, n, (LANES * 2)):
                    let i_1 = lane_index(base_1, 2)
                    let active = (i_1 < n)
                    let _5 = index(base_1)
                    let _6 = splat(false, lanes=1)
                    let _7 = permute(active, _6, pattern=[0, 4, 1, 4])
                    let _8 = permute(active, _6, pattern=[2, 4, 3, 4])
                    scatter(a, i_1, permute(masked_load(a, (_5 -% 1), _7), masked_load(a, (_5 +% 3), _8), pattern=[0, 2, 4, 6]), active)
                    scatter(out, i_1, permute(masked_load(a, base_1, _7), masked_load(a, (_5 +% 4), _8), pattern=[0, 2, 4, 6]), active)
        "#]],
    );
}

#[test]
fn cells_that_may_lie_outside_or_are_many_are_not_looked_up() {
    for (size, number) in [("3", "(k[i] & 3)"), ("m", "(k[i] & 3)"), ("4", "(k[i] - 1)"), ("256", "k[i]")] {
        let text = format!(
            "\
kernel f(w: f32[{size}], k: u8[n], out: f32[n], n: i32, m: i32):
    foreach i in range(0, n):
        out[i] = w[{number}]
"
        );
        let made = made(&text, 4, target::find("avx2").expect("a row of the table"));
        assert!(made.contains("gather(w") && !made.contains("lookup"), "{made}");
    }
}

/// The loops of kernels on `p`, an array of structs of two floats, with this body.
fn on_pairs(body: &str) -> String {
    let text = format!(
        "\
struct Pair:
    x: f32
    y: f32

kernel f(p: Pair[n], a: f32[n], n: i32):
    let x = p.x
    let y = p.y
    foreach i in range(0, n):
{body}"
    );
    made(&text, 4, target::find("avx2").expect("a row of the table"))
}

#[test]
fn a_field_that_was_loaded_is_stored_with_the_others() {
    expect![[r#"
        struct Pair:
            x: f32
            y: f32

        kernel f(p: Pair[n], a: f32[n], n):
            let x = p.x
            let whole = (n -% (n % 4))
            vector_for base in range(0, whole, LANES):
                let _0 = flat(p, type=f32)
                let _1 = (index(base) *% 2)
                let _2 = vector_load(_0, _1)
                let _3 = (_1 +% 4)
                let _4 = vector_load(_0, _3)
                let _5 = permute(_2, _4, pattern=[1, 3, 5, 7])
                let _6 = (permute(_2, _4, pattern=[0, 2, 4, 6]) + _5)
                vector_store(_0, _1, permute(_6, _5, pattern=[0, 4, 1, 5]))
                vector_store(_0, _3, permute(_6, _5, pattern=[2, 6, 3, 7]))
            vector_for base_1 in range(whole, n, LANES):
                let i = (base_1 + lane_id)
                let active = (i < n)
                let _7 = flat(p, type=f32)
                let _8 = (index(base_1) *% 2)
                let _9 = masked_load(_7, _8, permute(active, pattern=[0, 0, 1, 1]))
                let _10 = masked_load(_7, (_8 +% 4), permute(active, pattern=[2, 2, 3, 3]))
                scatter(x, i, (permute(_9, _10, pattern=[0, 2, 4, 6]) + permute(_9, _10, pattern=[1, 3, 5, 7])), active)
    "#]]
    .assert_eq(&on_pairs("        x[i] = (x[i] + y[i])\n"));
}

/// A condition has the bytes of a number, and is stored as itself alone.
#[test]
fn a_condition_is_not_stored_as_a_number() {
    let text = "\
struct Cell:
    n: u8
    on: bool

kernel f(p: Cell[n], n: i32):
    let x = p.n
    let y = p.on
    foreach i in range(0, n):
        x[i] = select(y[i], x[i], 7)
";
    let text = made(text, 16, target::find("avx2").expect("a row of the table"));
    assert!(!text.contains("vector_store"), "{text}");
}

/// A field that nobody loads, or that something writes, is not stored.
#[test]
fn a_field_that_may_have_changed_is_not_stored() {
    for body in [
        "        x[i] = (x[i] + 1.0)\n",
        "        x[i] = (x[i] + a[i])\n        let z = y[i]\n        a[i] = z\n",
        "        x[i] = (x[i] + y[i])\n        y[(i + 1)] = a[i]\n",
        "        y[i32(a[i])] = 1.0\n        x[i] = (x[i] + y[i])\n",
    ] {
        let text = on_pairs(body);
        let stores_whole = text.contains("vector_store(_0");
        assert!(!stores_whole, "{body}\n{text}");
    }
}
