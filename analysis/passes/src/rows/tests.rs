//! Rows that lanes go along, with what was decided.

use expect_test::{Expect, expect};

use crate::shown::at_stage;

fn check_for(target: &str, text: &str, expect: Expect) {
    expect.assert_eq(&at_stage("memory", target, text));
}

fn check(text: &str, expect: Expect) {
    check_for("sse4", text, expect);
}

const SUMS: &str = "\
kernel k(m: f32[h, w], x: f32[w], out: f32[h], h, w):
    for i in range(0, h):
        let s = for j in range(0, w) with s = 0.0:
            yield (s + (m[i, j] * x[j]))
        out[i] = s
";

#[test]
fn four_cells_of_each_row_are_loaded_at_once() {
    check(
        SUMS,
        expect![[r#"
            kernel k(m: f32[h, w], x: f32[w], out: f32[h], h, w):
                let whole = (h -% (h % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    let _0 = max(w, 0)
                    let end = (_0 -% (_0 % 4))
                    let _1 = advance(base, 1)
                    let _2 = advance(base, 2)
                    let _3 = advance(base, 3)
                    @rolled
                    let _4 = for j in range(0, end, 4) with s = splat(0.0):
                        let _5 = vector_load(m, base, j)
                        let _6 = vector_load(m, _1, j)
                        let _7 = vector_load(m, _2, j)
                        let _8 = vector_load(m, _3, j)
                        let _9 = permute(_5, _6, pattern=[0, 4, 1, 5])
                        let _10 = permute(_5, _6, pattern=[2, 6, 3, 7])
                        let _11 = permute(_7, _8, pattern=[0, 4, 1, 5])
                        let _12 = permute(_7, _8, pattern=[2, 6, 3, 7])
                        yield ((((s + (permute(_9, _11, pattern=[0, 1, 4, 5]) * x[j])) + (permute(_9, _11, pattern=[2, 3, 6, 7]) * x[advance(j, 1)])) + (permute(_10, _12, pattern=[0, 1, 4, 5]) * x[advance(j, 2)])) + (permute(_10, _12, pattern=[2, 3, 6, 7]) * x[advance(j, 3)]))
                    @rolled
                    let s_1 = for j_1 in range(end, w) with s_2 = _4:
                        yield (s_2 + (gather(m, i, j_1) * x[j_1]))
                    vector_store(out, i, s_1)
                if ((0 < whole) & (whole < h)):
                    vector_for base_1 in range((h - 4), h, LANES):
                        let i_1 = (base_1 + lane_id)
                        let _13 = max(w, 0)
                        let end_1 = (_13 -% (_13 % 4))
                        let _14 = advance(base_1, 1)
                        let _15 = advance(base_1, 2)
                        let _16 = advance(base_1, 3)
                        @rolled
                        let _17 = for j_2 in range(0, end_1, 4) with s_3 = splat(0.0):
                            let _18 = vector_load(m, base_1, j_2)
                            let _19 = vector_load(m, _14, j_2)
                            let _20 = vector_load(m, _15, j_2)
                            let _21 = vector_load(m, _16, j_2)
                            let _22 = permute(_18, _19, pattern=[0, 4, 1, 5])
                            let _23 = permute(_18, _19, pattern=[2, 6, 3, 7])
                            let _24 = permute(_20, _21, pattern=[0, 4, 1, 5])
                            let _25 = permute(_20, _21, pattern=[2, 6, 3, 7])
                            yield ((((s_3 + (permute(_22, _24, pattern=[0, 1, 4, 5]) * x[j_2])) + (permute(_22, _24, pattern=[2, 3, 6, 7]) * x[advance(j_2, 1)])) + (permute(_23, _25, pattern=[0, 1, 4, 5]) * x[advance(j_2, 2)])) + (permute(_23, _25, pattern=[2, 3, 6, 7]) * x[advance(j_2, 3)]))
                        @rolled
                        let s_4 = for j_3 in range(end_1, w) with s_5 = _17:
                            yield (s_5 + (gather(m, i_1, j_3) * x[j_3]))
                        vector_store(out, i_1, s_4)
                else:
                    vector_for base_2 in range(whole, h, LANES):
                        let i_2 = (base_2 + lane_id)
                        let active = (i_2 < h)
                        let _26 = max(w, 0)
                        let end_2 = (_26 -% (_26 % 4))
                        let _27 = ((h -% base_2) -% 1)
                        let _28 = advance(base_2, min(1, _27))
                        let _29 = advance(base_2, min(2, _27))
                        let _30 = advance(base_2, min(3, _27))
                        @rolled
                        let _31 = for j_4 in range(0, end_2, 4) with s_6 = splat(0.0):
                            let _32 = vector_load(m, base_2, j_4)
                            let _33 = vector_load(m, _28, j_4)
                            let _34 = vector_load(m, _29, j_4)
                            let _35 = vector_load(m, _30, j_4)
                            let _36 = permute(_32, _33, pattern=[0, 4, 1, 5])
                            let _37 = permute(_32, _33, pattern=[2, 6, 3, 7])
                            let _38 = permute(_34, _35, pattern=[0, 4, 1, 5])
                            let _39 = permute(_34, _35, pattern=[2, 6, 3, 7])
                            yield ((((s_6 + (select(active, permute(_36, _38, pattern=[0, 1, 4, 5]), 0.0) * x[j_4])) + (select(active, permute(_36, _38, pattern=[2, 3, 6, 7]), 0.0) * x[advance(j_4, 1)])) + (select(active, permute(_37, _39, pattern=[0, 1, 4, 5]), 0.0) * x[advance(j_4, 2)])) + (select(active, permute(_37, _39, pattern=[2, 3, 6, 7]), 0.0) * x[advance(j_4, 3)]))
                        @rolled
                        let s_7 = for j_5 in range(end_2, w) with s_8 = _31:
                            yield (s_8 + (gather(m, i_2, j_5, active) * x[j_5]))
                        masked_store(out, i_2, s_7, active)
            # left unknown-order: the distance between the cells of neighbouring lanes is not a known constant
            # rows-in-parts: each lane goes along a row of its own, so 16 bytes of all rows are loaded at once and exchanged in registers
        "#]],
    );
}

#[test]
fn registers_are_put_together_of_parts_of_rows() {
    check_for(
        "avx2",
        &SUMS.replace("f32", "f64"),
        expect![[r#"
            kernel k(m: f64[h, w], x: f64[w], out: f64[h], h, w):
                let whole = (h -% (h % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    let _0 = max(w, 0)
                    let end = (_0 -% (_0 % 2))
                    let _1 = advance(base, 1)
                    let _2 = advance(base, 2)
                    let _3 = advance(base, 3)
                    @rolled
                    let _4 = for j in range(0, end, 2) with s = splat(0.0):
                        let _5 = vector_load(m, base, j, lanes=2)
                        let _6 = vector_load(m, _1, j, lanes=2)
                        let _7 = permute(_5, vector_load(m, _2, j, lanes=2), pattern=[0, 1, 2, 3])
                        let _8 = permute(_6, vector_load(m, _3, j, lanes=2), pattern=[0, 1, 2, 3])
                        yield ((s + (permute(_7, _8, pattern=[0, 4, 2, 6]) * x[j])) + (permute(_7, _8, pattern=[1, 5, 3, 7]) * x[advance(j, 1)]))
                    @rolled
                    let s_1 = for j_1 in range(end, w) with s_2 = _4:
                        yield (s_2 + (gather(m, i, j_1) * x[j_1]))
                    vector_store(out, i, s_1)
                vector_for base_1 in range(whole, h, LANES):
                    let i_1 = (base_1 + lane_id)
                    let active = (i_1 < h)
                    let _9 = max(w, 0)
                    let end_1 = (_9 -% (_9 % 2))
                    let _10 = ((h -% base_1) -% 1)
                    let _11 = advance(base_1, min(1, _10))
                    let _12 = advance(base_1, min(2, _10))
                    let _13 = advance(base_1, min(3, _10))
                    @rolled
                    let _14 = for j_2 in range(0, end_1, 2) with s_3 = splat(0.0):
                        let _15 = vector_load(m, base_1, j_2, lanes=2)
                        let _16 = vector_load(m, _11, j_2, lanes=2)
                        let _17 = permute(_15, vector_load(m, _12, j_2, lanes=2), pattern=[0, 1, 2, 3])
                        let _18 = permute(_16, vector_load(m, _13, j_2, lanes=2), pattern=[0, 1, 2, 3])
                        yield ((s_3 + (select(active, permute(_17, _18, pattern=[0, 4, 2, 6]), 0.0) * x[j_2])) + (select(active, permute(_17, _18, pattern=[1, 5, 3, 7]), 0.0) * x[advance(j_2, 1)]))
                    @rolled
                    let s_4 = for j_3 in range(end_1, w) with s_5 = _14:
                        yield (s_5 + (gather(m, i_1, j_3, active) * x[j_3]))
                    masked_store(out, i_1, s_4, active)
            # left unknown-order: the distance between the cells of neighbouring lanes is not a known constant
            # rows-in-parts: each lane goes along a row of its own, so 16 bytes of all rows are loaded at once and exchanged in registers
        "#]],
    );
}

#[test]
fn rows_of_one_array_begin_anywhere() {
    check(
        "\
kernel k(m: f32[h], at: i32[h], out: f32[h], h):
    for i in range(0, h):
        let from = at[i]
        let s = for j in range(0, 100) with s = 0.0:
            yield (s + m[(from + j)])
        out[i] = s
",
        expect![[r#"
            kernel k(m: f32[h], at: i32[h], out: f32[h], h):
                let whole = (h -% (h % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    let from_1 = vector_load(at, i)
                    let _0 = extract(from_1, 0)
                    let _1 = extract(from_1, 1)
                    let _2 = extract(from_1, 2)
                    let _3 = extract(from_1, 3)
                    @rolled
                    let _4 = for j in range(0, 100, 4) with s = splat(0.0):
                        let _5 = vector_load(m, advance(_0, j))
                        let _6 = vector_load(m, advance(_1, j))
                        let _7 = vector_load(m, advance(_2, j))
                        let _8 = vector_load(m, advance(_3, j))
                        let _9 = permute(_5, _6, pattern=[0, 4, 1, 5])
                        let _10 = permute(_5, _6, pattern=[2, 6, 3, 7])
                        let _11 = permute(_7, _8, pattern=[0, 4, 1, 5])
                        let _12 = permute(_7, _8, pattern=[2, 6, 3, 7])
                        let _13 = (from_1 + j)
                        let _14 = (from_1 + advance(j, 1))
                        let _15 = (from_1 + advance(j, 2))
                        let _16 = (from_1 + advance(j, 3))
                        yield ((((s + permute(_9, _11, pattern=[0, 1, 4, 5])) + permute(_9, _11, pattern=[2, 3, 6, 7])) + permute(_10, _12, pattern=[0, 1, 4, 5])) + permute(_10, _12, pattern=[2, 3, 6, 7]))
                    vector_store(out, i, _4)
                if ((0 < whole) & (whole < h)):
                    vector_for base_1 in range((h - 4), h, LANES):
                        let i_1 = (base_1 + lane_id)
                        let from_2 = vector_load(at, i_1)
                        let _17 = extract(from_2, 0)
                        let _18 = extract(from_2, 1)
                        let _19 = extract(from_2, 2)
                        let _20 = extract(from_2, 3)
                        @rolled
                        let _21 = for j_1 in range(0, 100, 4) with s_1 = splat(0.0):
                            let _22 = vector_load(m, advance(_17, j_1))
                            let _23 = vector_load(m, advance(_18, j_1))
                            let _24 = vector_load(m, advance(_19, j_1))
                            let _25 = vector_load(m, advance(_20, j_1))
                            let _26 = permute(_22, _23, pattern=[0, 4, 1, 5])
                            let _27 = permute(_22, _23, pattern=[2, 6, 3, 7])
                            let _28 = permute(_24, _25, pattern=[0, 4, 1, 5])
                            let _29 = permute(_24, _25, pattern=[2, 6, 3, 7])
                            let _30 = (from_2 + j_1)
                            let _31 = (from_2 + advance(j_1, 1))
                            let _32 = (from_2 + advance(j_1, 2))
                            let _33 = (from_2 + advance(j_1, 3))
                            yield ((((s_1 + permute(_26, _28, pattern=[0, 1, 4, 5])) + permute(_26, _28, pattern=[2, 3, 6, 7])) + permute(_27, _29, pattern=[0, 1, 4, 5])) + permute(_27, _29, pattern=[2, 3, 6, 7]))
                        vector_store(out, i_1, _21)
                else:
                    vector_for base_2 in range(whole, h, LANES):
                        let i_2 = (base_2 + lane_id)
                        let active = (i_2 < h)
                        let from_3 = masked_load(at, i_2, active)
                        let _34 = ((h -% base_2) -% 1)
                        let _35 = extract(from_3, 0)
                        let _36 = extract(from_3, min(1, _34))
                        let _37 = extract(from_3, min(2, _34))
                        let _38 = extract(from_3, min(3, _34))
                        @rolled
                        let _39 = for j_2 in range(0, 100, 4) with s_2 = splat(0.0):
                            let _40 = vector_load(m, advance(_35, j_2))
                            let _41 = vector_load(m, advance(_36, j_2))
                            let _42 = vector_load(m, advance(_37, j_2))
                            let _43 = vector_load(m, advance(_38, j_2))
                            let _44 = permute(_40, _41, pattern=[0, 4, 1, 5])
                            let _45 = permute(_40, _41, pattern=[2, 6, 3, 7])
                            let _46 = permute(_42, _43, pattern=[0, 4, 1, 5])
                            let _47 = permute(_42, _43, pattern=[2, 6, 3, 7])
                            let _48 = (from_3 + j_2)
                            let _49 = (from_3 + advance(j_2, 1))
                            let _50 = (from_3 + advance(j_2, 2))
                            let _51 = (from_3 + advance(j_2, 3))
                            yield ((((s_2 + select(active, permute(_44, _46, pattern=[0, 1, 4, 5]), 0.0)) + select(active, permute(_44, _46, pattern=[2, 3, 6, 7]), 0.0)) + select(active, permute(_45, _47, pattern=[0, 1, 4, 5]), 0.0)) + select(active, permute(_45, _47, pattern=[2, 3, 6, 7]), 0.0))
                        masked_store(out, i_2, _39, active)
            # left unknown-order: the distance between the cells of neighbouring lanes is not a known constant
            # rows-in-parts: each lane goes along a row of its own, so 16 bytes of all rows are loaded at once and exchanged in registers
        "#]],
    );
}

#[test]
fn what_is_stored_to_is_not_loaded_ahead() {
    check(
        "\
kernel k(m: f32[h, w], out: f32[h], h, w):
    foreach i in range(0, h):
        for j in range(1, w):
            m[i, j] = (m[i, (j - 1)] + m[i, j])
",
        expect![[r#"
            kernel k(m: f32[h, w], out: f32[h], h, w):
                let whole = (h -% (h % 4))
                vector_for base in range(0, whole, LANES):
                    let i = (base + lane_id)
                    for j in range(1, w):
                        scatter(m, i, j, (gather(m, i, (j - 1)) + gather(m, i, j)))
                vector_for base_1 in range(whole, h, LANES):
                    let i_1 = (base_1 + lane_id)
                    let active = (i_1 < h)
                    for j_1 in range(1, w):
                        scatter(m, i_1, j_1, (gather(m, i_1, (j_1 - 1), active) + gather(m, i_1, j_1, active)), active)
            # left unknown-order: the distance between the cells of neighbouring lanes is not a known constant
        "#]],
    );
}

#[test]
fn registers_of_a_length_that_only_the_machine_knows_gather() {
    for target in ["sve256", "rvv256"] {
        let text = at_stage("memory", target, SUMS);
        assert!(text.contains("gather(") && !text.contains("extract("), "{text}");
    }
}
