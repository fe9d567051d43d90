//! The passes at the end of the pipeline, in what they do and what they leave alone: stores that are merged, distances, tails, interleaved groups,
//! sums of products, masks of groups, lanes picked through memory, reductions behind loops, choices in branches.

use expect_test::{Expect, expect};

use super::{
    ACTIVE_LANES, BRANCH_CHOICES, BYTE_SUMS, CHOSEN_SUMS, Context, DISTANCES, INTERLEAVE, MERGE_STORES, PICKS,
    PRODUCTS, Pass, REDUCE_LATE, REGROUP, TAIL,
};
use crate::pipeline::Options;
use ir::{canonical, print, read, target, verify};

fn check_for(name: &str, passes: &[Pass], text: &str, expect: Expect) {
    let options = Options { target: target::find(name).expect("a row of the table"), ..Options::default() };
    let mut kernel = read(text, Some(8)).unwrap_or_else(|error| panic!("{error}")).remove(0);
    for pass in passes {
        let before = canonical(&kernel);
        let changed = pass.apply(&mut kernel, &mut Context::new(&options));
        assert_eq!(verify(&kernel), Ok(()));
        assert_eq!(changed, canonical(&kernel) != before, "whether `{}` changed anything", pass.name);
    }
    let shown = print(&kernel).text;
    let again = read(&shown, Some(8)).unwrap_or_else(|error| panic!("{error}\n{shown}")).remove(0);
    assert_eq!(canonical(&again), canonical(&kernel), "{shown}");
    expect.assert_eq(&shown);
}

fn check(pass: Pass, text: &str, expect: Expect) {
    check_for("avx2", &[pass], text, expect);
}

#[test]
fn choices_by_the_mask_of_a_branch_are_made_in_it() {
    check(
        BRANCH_CHOICES,
        "\
kernel k(a, b, n):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let x = vector_load(a, i)
        let near = (x * 2.0)
        let rare = (x > 1.0)
        let odd = (x < -1.0)
        let far, least = if any((rare | odd)):
            yield sqrt(x), (x + 1.0)
        else:
            yield splat(0.0), splat(0.0)
        vector_store(a, i, select(rare, far, near))
        vector_store(b, i, select(odd, least, 4.0))
        let again = if any(rare):
            yield sqrt(near)
        else:
            yield splat(0.0)
        let later = (near + 1.0)
        vector_store(a, i, select(rare, again, later))
        let other = if any(rare):
            yield sqrt(later)
        else:
            yield splat(0.0)
        vector_store(b, i, select(odd, other, near))
        let some = if any(rare, odd):
            yield sqrt(later)
        else:
            yield splat(0.0)
        vector_store(a, i, select(rare, some, near))
        let twice = if any(rare):
            yield (later * later)
        else:
            yield splat(0.0)
        vector_store(a, i, (select(rare, twice, near) + twice))
",
        expect![[r#"
            kernel k(a, b, n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let x = vector_load(a, i)
                    let near = (x * 2.0)
                    let rare = (x > 1.0)
                    let odd = (x < -1.0)
                    let far, least = if any((rare | odd)):
                        yield select(rare, sqrt(x), near), select(odd, (x + 1.0), 4.0)
                    else:
                        let _0 = splat(0.0)
                        let _1 = splat(0.0)
                        yield near, splat(4.0)
                    vector_store(a, i, far)
                    vector_store(b, i, least)
                    let again = if any(rare):
                        yield sqrt(near)
                    else:
                        yield splat(0.0)
                    let later = (near + 1.0)
                    vector_store(a, i, select(rare, again, later))
                    let other = if any(rare):
                        yield sqrt(later)
                    else:
                        yield splat(0.0)
                    vector_store(b, i, select(odd, other, near))
                    let some = if any(rare, odd):
                        yield sqrt(later)
                    else:
                        yield splat(0.0)
                    vector_store(a, i, select(rare, some, near))
                    let twice = if any(rare):
                        yield (later * later)
                    else:
                        yield splat(0.0)
                    vector_store(a, i, (select(rare, twice, near) + twice))
        "#]],
    );
}

#[test]
fn what_rows_reduce_is_reduced_behind_them() {
    check(
        REDUCE_LATE,
        "\
kernel k(a: i32[?, 8], f: f32[?, 8], out: i32[4], least: f32[1], m, n):
    let x = (0 + lane_id)
    let s = for p in range(0, m) with s_1 = 3:
        let s_2, t_2, u_2, f_2 = for y in range(0, n) with s_3 = s_1, t_3 = 0, u_3 = 1, f_3 = 0.0:
            let row = vector_load(a, y, x)
            let s_4 = (s_3 +% i32(reduce_add(u32(row))))
            let t_4 = min(reduce_min(row), t_3)
            let u_4 = max(u_3, reduce_max(row))
            out[3] = u_4
            let f_4 = (f_3 + reduce_add(vector_load(f, y, x)))
            yield s_4, t_4, u_4, f_4
        out[1] = t_2
        out[2] = u_2
        least[0] = f_2
        yield s_2
    out[0] = s
",
        expect![[r#"
            kernel k(a: i32[?, 8], f: f32[?, 8], out: i32[4], least: f32[1], m, n):
                let x = (0 + lane_id)
                let _0 = for p in range(0, m) with s_1 = splat(0):
                    let _1, _2, u_2, f_2 = for y in range(0, n) with s_3 = splat(0), t_3 = splat(2147483647), u_3 = 1, f_3 = 0.0:
                        let row = vector_load(a, y, x)
                        let s_4 = (s_3 +% row)
                        let t_4 = min(row, t_3)
                        let u_4 = max(u_3, reduce_max(row))
                        out[3] = u_4
                        let f_4 = (f_3 + reduce_add(vector_load(f, y, x)))
                        yield s_4, t_4, u_4, f_4
                    let t_2 = min(reduce_min(_2), 0)
                    let s_2 = (s_1 +% _1)
                    out[1] = t_2
                    out[2] = u_2
                    least[0] = f_2
                    yield s_2
                let s = (3 +% i32(reduce_add(u32(_0))))
                out[0] = s
        "#]],
    );
}

#[test]
fn opposite_stores_are_one_unless_something_could_tell() {
    check(
        MERGE_STORES,
        "\
kernel k(a, b, n):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let x = vector_load(a, i)
        let c = (x > 0.0)
        masked_store(b, i, x, c)
        masked_store(b, i, (x * 2.0), (~c))
        let active = (i < n)
        masked_store(a, i, x, (active & c))
        masked_store(a, i, (x + 1.0), (active & (~c)))
        masked_store(b, i, x, c)
        let y = vector_load(b, i)
        masked_store(b, i, y, (~c))
",
        expect![[r#"
            kernel k(a, b, n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let x = vector_load(a, i)
                    let c = (x > 0.0)
                    let active = (i < n)
                    let _0 = (active & (~c))
                    vector_store(a, i, select(active, select((active & c), x, (x + 1.0)), vector_load(a, i)))
                    vector_store(b, i, select((~c), (x * 2.0), x))
                    let y = vector_load(b, i)
                    vector_store(b, i, select((~c), y, vector_load(b, i)))
        "#]],
    );
}

#[test]
fn stores_of_several_sides_are_one() {
    let text = "\
kernel k(a, b, c, n):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let x = vector_load(a, i)
        let less = (x < 0.0)
        masked_store(b, i, x, less)
        let others = (~less)
        let y = (x * x)
        if any(others):
            let small = (x < 0.5)
            masked_store(b, i, y, (others & small))
            masked_store(b, i, (y / x), (others & (~small)))
        masked_store(c, i, x, less)
        let z = vector_load(c, i)
        masked_store(c, i, z, (x > 2.0))
        masked_store(c, i, y, (x > 3.0))
        let j = (i + n)
        masked_store(c, j, x, less)
        masked_store(c, j, y, (x > 2.0))
";
    check(
        MERGE_STORES,
        text,
        expect![[r#"
        kernel k(a, b, c, n):
            vector_for base in range(0, n, LANES):
                let i = (base + lane_id)
                let x = vector_load(a, i)
                let less = (x < 0.0)
                let others = (~less)
                let y = (x * x)
                let _0 = if any(others):
                    let small = (x < 0.5)
                    let _1 = (others & (~small))
                    yield select((others & small), y, (y / x))
                else:
                    yield splat(0.0)
                vector_store(b, i, select(less, x, _0))
                masked_store(c, i, x, less)
                let z = vector_load(c, i)
                let _2 = (x > 3.0)
                vector_store(c, i, select(((x > 2.0) | _2), select(_2, y, z), vector_load(c, i)))
                let j = (i + n)
                let _3 = (x > 2.0)
                masked_store(c, j, select(_3, y, x), (less | _3))
    "#]],
    );
    // Where masks cost nothing, only sides of one branch are joined.
    check_for(
        "avx512",
        &[MERGE_STORES],
        text,
        expect![[r#"
        kernel k(a, b, c, n):
            vector_for base in range(0, n, LANES):
                let i = (base + lane_id)
                let x = vector_load(a, i)
                let less = (x < 0.0)
                let others = (~less)
                let y = (x * x)
                let _0 = if any(others):
                    let small = (x < 0.5)
                    let _1 = (others & (~small))
                    yield select((others & small), y, (y / x))
                else:
                    yield splat(0.0)
                vector_store(b, i, select(less, x, _0))
                masked_store(c, i, x, less)
                let z = vector_load(c, i)
                masked_store(c, i, z, (x > 2.0))
                masked_store(c, i, y, (x > 3.0))
                let j = (i + n)
                masked_store(c, j, x, less)
                masked_store(c, j, y, (x > 2.0))
    "#]],
    );
}

#[test]
fn what_is_there_is_stored_by_lanes_that_have_touched_it_alone() {
    check(
        MERGE_STORES,
        "\
kernel k(a, b, c, d, n):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let active = (i < n)
        let x = masked_load(a, i, active)
        let c_1 = (x > 0.0)
        masked_store(a, i, (x * 2.0), (active & c_1))
        masked_store(b, i, x, c_1)
        vector_store(d, i, x)
        if any(c_1):
            masked_store(d, i, 1.0, c_1)
        let cells = vector_load(c, base)
        masked_store(c, base, cells, c_1)
",
        expect![[r#"
            kernel k(a, b, c, d, n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let c_1 = (x > 0.0)
                    masked_store(a, i, (x * 2.0), (active & c_1))
                    masked_store(b, i, x, c_1)
                    vector_store(d, i, x)
                    if any(c_1):
                        masked_store(d, i, 1.0, c_1)
                    let cells = vector_load(c, base)
                    masked_store(c, base, cells, c_1)
        "#]],
    );
}

#[test]
fn distances_are_magnitudes_where_no_instruction_is_for_them() {
    let text = "\
kernel k(a: i32[?], b: i32[?], n):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let x = vector_load(a, i)
        let y = vector_load(b, i)
        vector_store(a, i, select((x > y), (x - y), (y - x)))
        vector_store(b, i, select((x > y), (y - x), (x - y)))
";
    check(
        DISTANCES,
        text,
        expect![[r#"
        kernel k(a: i32[?], b: i32[?], n):
            vector_for base in range(0, n, LANES):
                let i = (base + lane_id)
                let x = vector_load(a, i)
                let y = vector_load(b, i)
                let _0 = (x > y)
                let _1 = (y - x)
                vector_store(a, i, abs((x - y)))
                vector_store(b, i, select((x > y), (y - x), (x - y)))
    "#]],
    );
    check_for(
        "neon",
        &[DISTANCES],
        text,
        expect![[r#"
        kernel k(a: i32[?], b: i32[?], n):
            vector_for base in range(0, n, LANES):
                let i = (base + lane_id)
                let x = vector_load(a, i)
                let y = vector_load(b, i)
                vector_store(a, i, select((x > y), (x - y), (y - x)))
                vector_store(b, i, select((x > y), (y - x), (x - y)))
    "#]],
    );
}

#[test]
fn what_whole_groups_leave_is_a_branch() {
    check(
        TAIL,
        "\
kernel k(a: i32[?], n) -> i32:
    let whole = (n -% (n % 8))
    let s = vector_for base in range(whole, n, LANES) with s = splat(0):
        let i = (base + lane_id)
        yield (s +% masked_load(a, i, (i < n)))
    let t = vector_for base in range(whole, (n + 1), LANES) with t = s:
        yield (t +% 1)
    return (reduce_max(t))
",
        expect![[r#"
            kernel k(a, n) -> i32:
                let whole = (n -% (n % 8))
                let _0 = splat(0)
                let s = if (whole < n):
                    let i = (whole + lane_id)
                    yield (_0 +% masked_load(a, i, (i < n)))
                else:
                    yield _0
                let t = vector_for base in range(whole, (n + 1), LANES) with t_1 = s:
                    yield (t_1 +% 1)
                return reduce_max(t)
        "#]],
    );
}

#[test]
fn lanes_that_are_left_are_counted_by_their_bounds() {
    check(
        TAIL,
        "\
kernel k(a: i32[?], n) -> i32:
    let whole = (n -% (n % 8))
    let s = vector_for base in range(whole, n, LANES) with s = 0:
        let i = (base + lane_id)
        let active = (i < n)
        let found = (active & (masked_load(a, i, active) > 0))
        yield ((s + count_on(active)) +% count_on(found))
    return s
",
        expect![[r#"
            kernel k(a, n) -> i32:
                let whole = (n -% (n % 8))
                let s = if (whole < n):
                    let i = (whole + lane_id)
                    let active = (i < n)
                    let found = (active & (masked_load(a, i, active) > 0))
                    yield ((0 + (n -% whole)) +% count_on(found))
                else:
                    yield 0
                return s
        "#]],
    );
}

#[test]
fn groups_that_never_meet_go_op_by_op() {
    check(
        INTERLEAVE,
        "\
kernel k(a, b, n):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        vector_store(b, i, (vector_load(a, i) * 2.0))
",
        expect![[r#"
            kernel k(a, b, n):
                let _0 = max(n, 0)
                let end = (_0 -% (_0 % 32))
                @rolled
                vector_for base in range(0, end, (LANES * 4)):
                    let i = (base + lane_id)
                    let i_1 = (advance(base, 8) + lane_id)
                    let i_2 = (advance(base, 16) + lane_id)
                    let i_3 = (advance(base, 24) + lane_id)
                    let _1 = vector_load(a, i)
                    let _2 = vector_load(a, i_1)
                    let _3 = vector_load(a, i_2)
                    let _4 = vector_load(a, i_3)
                    vector_store(b, i, (_1 * 2.0))
                    vector_store(b, i_1, (_2 * 2.0))
                    vector_store(b, i_2, (_3 * 2.0))
                    vector_store(b, i_3, (_4 * 2.0))
                @rolled
                vector_for base_1 in range(end, n, LANES):
                    let i_4 = (base_1 + lane_id)
                    vector_store(b, i_4, (vector_load(a, i_4) * 2.0))
        "#]],
    );
}

#[test]
fn a_range_of_whole_rounds_leaves_no_rest() {
    let text = |rounds: &str| {
        format!(
            "\
kernel k(a, out, n, i):
    let end = (i + {rounds})
    let found = vector_for base in range(i, end, LANES) with leaves = splat(false):
        let at = (base + lane_id)
        yield (leaves | (vector_load(a, at) > 0.5))
    out[0] = f32(any(found))
"
        )
    };
    check(
        INTERLEAVE,
        &text("32"),
        expect![[r#"
        kernel k(a, out, n, i):
            let end = (i + 32)
            let _0 = splat(false)
            let at = (i + lane_id)
            let at_1 = (advance(i, 8) + lane_id)
            let at_2 = (advance(i, 16) + lane_id)
            let at_3 = (advance(i, 24) + lane_id)
            out[0] = f32(any(((((splat(false) | (vector_load(a, at) > 0.5)) | (_0 | (vector_load(a, at_1) > 0.5))) | (_0 | (vector_load(a, at_2) > 0.5))) | (_0 | (vector_load(a, at_3) > 0.5)))))
    "#]],
    );
    check(
        INTERLEAVE,
        &text("64"),
        expect![[r#"
        kernel k(a, out, n, i):
            let end = (i + 64)
            let _0 = splat(false)
            @rolled
            let _1, _2, _3, _4 = vector_for base in range(i, end, (LANES * 4)) with leaves = splat(false), leaves_1 = _0, leaves_2 = _0, leaves_3 = _0:
                let at = (base + lane_id)
                let at_1 = (advance(base, 8) + lane_id)
                let at_2 = (advance(base, 16) + lane_id)
                let at_3 = (advance(base, 24) + lane_id)
                yield (leaves | (vector_load(a, at) > 0.5)), (leaves_1 | (vector_load(a, at_1) > 0.5)), (leaves_2 | (vector_load(a, at_2) > 0.5)), (leaves_3 | (vector_load(a, at_3) > 0.5))
            out[0] = f32(any((((_1 | _2) | _3) | _4)))
    "#]],
    );
    check(
        INTERLEAVE,
        &text("40"),
        expect![[r#"
        kernel k(a, out, n, i):
            let end = (i + 40)
            let _0 = u32((max(i, end) -% i))
            let end_1 = (i +% i32((_0 -% (_0 % 32))))
            let _1 = splat(false)
            @rolled
            let _2, _3, _4, _5 = vector_for base in range(i, end_1, (LANES * 4)) with leaves = splat(false), leaves_1 = _1, leaves_2 = _1, leaves_3 = _1:
                let at = (base + lane_id)
                let at_1 = (advance(base, 8) + lane_id)
                let at_2 = (advance(base, 16) + lane_id)
                let at_3 = (advance(base, 24) + lane_id)
                yield (leaves | (vector_load(a, at) > 0.5)), (leaves_1 | (vector_load(a, at_1) > 0.5)), (leaves_2 | (vector_load(a, at_2) > 0.5)), (leaves_3 | (vector_load(a, at_3) > 0.5))
            @rolled
            let found = vector_for base_1 in range(end_1, end, LANES) with leaves_4 = (((_2 | _3) | _4) | _5):
                let at_4 = (base_1 + lane_id)
                yield (leaves_4 | (vector_load(a, at_4) > 0.5))
            out[0] = f32(any(found))
    "#]],
    );
}

#[test]
fn inductions_are_known_in_each_group() {
    check(
        INTERLEAVE,
        "\
kernel k(a, b, n) -> i32:
    let k = vector_for base in range(0, n, LANES) with k = n:
        let i = (base + lane_id)
        vector_store(b, i, (vector_load(b, i) + vector_load(a, (k - 7))))
        yield (k - 8)
    return k
",
        expect![[r#"
            kernel k(a, b, n) -> i32:
                let _0 = max(n, 0)
                let end = (_0 -% (_0 % 32))
                @rolled
                let _1 = vector_for base in range(0, end, (LANES * 4)) with k = n:
                    let _2 = advance(base, 8)
                    let _3 = (k - 8)
                    let _4 = advance(base, 16)
                    let _5 = (k - 16)
                    let _6 = advance(base, 24)
                    let _7 = (k - 24)
                    let i = (base + lane_id)
                    let i_1 = (_2 + lane_id)
                    let i_2 = (_4 + lane_id)
                    let i_3 = (_6 + lane_id)
                    let _8 = vector_load(b, i)
                    let _9 = vector_load(b, i_1)
                    let _10 = vector_load(b, i_2)
                    let _11 = vector_load(b, i_3)
                    let _12 = (k - 7)
                    let _13 = (_3 - 7)
                    let _14 = (_5 - 7)
                    let _15 = (_7 - 7)
                    let _16 = vector_load(a, _12)
                    let _17 = vector_load(a, _13)
                    let _18 = vector_load(a, _14)
                    let _19 = vector_load(a, _15)
                    vector_store(b, i, (_8 + _16))
                    vector_store(b, i_1, (_9 + _17))
                    vector_store(b, i_2, (_10 + _18))
                    vector_store(b, i_3, (_11 + _19))
                    let _20 = (k - 8)
                    let _21 = (_3 - 8)
                    let _22 = (_5 - 8)
                    yield (_7 - 8)
                @rolled
                let k_1 = vector_for base_1 in range(end, n, LANES) with k_2 = _1:
                    let i_4 = (base_1 + lane_id)
                    vector_store(b, i_4, (vector_load(b, i_4) + vector_load(a, (k_2 - 7))))
                    yield (k_2 - 8)
                return k_1
        "#]],
    );
}

#[test]
fn groups_that_may_meet_are_left_alone() {
    for body in [
        // The next group reads what this one writes.
        "vector_store(a, i, vector_load(a, (base + 1)))",
        // A scatter to the cells of another array's loads.
        "scatter(a, vector_load(at, i), vector_load(a, i))",
    ] {
        let text = format!(
            "kernel k(a, at: i32[?], n):\n    vector_for base in range(0, n, LANES):\n        \
             let i = (base + lane_id)\n        {body}\n"
        );
        let mut kernel = read(&text, Some(8)).unwrap_or_else(|error| panic!("{error}")).remove(0);
        assert!(!INTERLEAVE.apply(&mut kernel, &mut Context::new(&Options::default())), "{body}");
    }
}

#[test]
fn sums_have_partial_results_in_registers() {
    check(
        INTERLEAVE,
        "\
kernel k(a, n) -> f32:
    let whole = (n -% (n % 8))
    let s = vector_for base in range(0, n, LANES) reducing + from 1.0:
        let i = (base + lane_id)
        let x = if (base < whole):
            yield vector_load(a, i)
        else:
            let active = (i < n)
            yield select(active, masked_load(a, i, active), -0.0)
        yield x
    return s
",
        expect![[r#"
            kernel k(a, n) -> f32:
                let whole = (n -% (n % 8))
                let _0 = max(n, 0)
                let end = (_0 -% (_0 % 64))
                let _1 = splat(-0.0)
                @rolled
                let _2, _3, _4, _5, _6, _7, _8, _9 = vector_for base in range(0, end, (LANES * 8)) with s = _1, s_1 = _1, s_2 = _1, s_3 = _1, s_4 = _1, s_5 = _1, s_6 = _1, s_7 = _1:
                    let _10 = advance(base, 8)
                    let _11 = advance(base, 16)
                    let _12 = advance(base, 24)
                    let _13 = advance(base, 32)
                    let _14 = advance(base, 40)
                    let _15 = advance(base, 48)
                    let _16 = advance(base, 56)
                    let i = (base + lane_id)
                    let i_1 = (_10 + lane_id)
                    let i_2 = (_11 + lane_id)
                    let i_3 = (_12 + lane_id)
                    let i_4 = (_13 + lane_id)
                    let i_5 = (_14 + lane_id)
                    let i_6 = (_15 + lane_id)
                    let i_7 = (_16 + lane_id)
                    let _17 = (base < whole)
                    let _18 = (_10 < whole)
                    let _19 = (_11 < whole)
                    let _20 = (_12 < whole)
                    let _21 = (_13 < whole)
                    let _22 = (_14 < whole)
                    let _23 = (_15 < whole)
                    let _24 = (_16 < whole)
                    yield (s + vector_load(a, i)), (s_1 + vector_load(a, i_1)), (s_2 + vector_load(a, i_2)), (s_3 + vector_load(a, i_3)), (s_4 + vector_load(a, i_4)), (s_5 + vector_load(a, i_5)), (s_6 + vector_load(a, i_6)), (s_7 + vector_load(a, i_7))
                @rolled
                let _25 = vector_for base_1 in range(end, n, LANES) reducing + from permute(_2, _3, _4, _5, _6, _7, _8, _9, pattern=[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]):
                    let i_8 = (base_1 + lane_id)
                    let x = if (base_1 < whole):
                        yield vector_load(a, i_8)
                    else:
                        let active = (i_8 < n)
                        yield select(active, masked_load(a, i_8, active), -0.0)
                    yield x
                let s_8 = (1.0 + reduce_add(_25))
                return s_8
        "#]],
    );
}

#[test]
fn products_are_added_to_their_neighbours_where_only_the_sum_counts() {
    let text = "\
kernel k(a: i16[?], n) -> i32:
    let whole = (n -% (n % 32))
    @rolled
    let s = vector_for base in range(0, whole, LANES) with s = splat(0):
        let x = vector_load(a, (base + lane_id))
        yield (s +% (i32(x) * i32(x)))
    let t = i32(reduce_add(u32(s)))
    return t
";
    check(
        PRODUCTS,
        text,
        expect![[r#"
        kernel k(a: i16[?], n) -> i32:
            let whole = (n -% (n % 32))
            @rolled
            let s = vector_for base in range(0, whole, LANES) with s_1 = splat(0):
                let x = vector_load(a, (base + lane_id))
                let _0 = (i32(x) * i32(x))
                yield (s_1 +% permute((permute(_0, pattern=[0, 2, 4, 6]) +% permute(_0, pattern=[1, 3, 5, 7])), splat(0, lanes=4), pattern=[0, 1, 2, 3, 4, 5, 6, 7]))
            let t = i32(reduce_add(u32(s)))
            return t
    "#]],
    );
    let asked = text.replace("i32(reduce_add(u32(s)))", "extract(s, 0)");
    let mut kernel = read(&asked, Some(8)).unwrap_or_else(|error| panic!("{error}")).remove(0);
    assert!(!PRODUCTS.apply(&mut kernel, &mut Context::new(&Options::default())), "a lane is asked for");
}

#[test]
fn bytes_are_added_to_their_neighbours_where_only_the_sum_counts() {
    let text = "\
kernel k(a: u8[?], b: u8[?], n) -> i64:
    let whole = (n -% (n % 32))
    @rolled
    let s, t = vector_for base in range(0, whole, LANES) with s = splat(0), t = splat(i64(0)):
        let x = vector_load(a, (base + lane_id))
        let y = vector_load(b, (base + lane_id))
        yield (s +% abs((i32(x) - i32(y)))), (t +% i64(y))
    @rolled
    let p, q = vector_for base in range(0, whole, LANES) with p = splat(0), q = splat(0):
        let x = vector_load(a, (base + lane_id))
        let y = vector_load(b, (base + lane_id))
        yield (p +% i32(abs((u16(x) -% u16(y))))), (q +% i32(i8(abs((i16(x) - i16(y))))))
    let u = i64((reduce_add(u32(s)) +% (reduce_add(u32(p)) +% reduce_add(u32(q)))))
    return (u +% i64(reduce_add(u64(t))))
";
    check(
        BYTE_SUMS,
        text,
        expect![[r#"
            kernel k(a: u8[?], b: u8[?], n) -> i64:
                let whole = (n -% (n % 32))
                @rolled
                let s, t = vector_for base in range(0, whole, LANES) with s_1 = splat(0), t_1 = splat(0):
                    let x = vector_load(a, (base + lane_id))
                    let y = vector_load(b, (base + lane_id))
                    let _0 = abs((i32(x) - i32(y)))
                    let _1 = i64(y)
                    yield (s_1 +% permute(i32(regroup(sad(x, y, type=u64x1), type=u32x2)), splat(0, lanes=6), pattern=[0, 1, 2, 3, 4, 5, 6, 7])), (t_1 +% permute(i64(sad(y, splat(0), type=u64x1)), splat(0, lanes=7), pattern=[0, 1, 2, 3, 4, 5, 6, 7]))
                @rolled
                let p, q = vector_for base_1 in range(0, whole, LANES) with p_1 = splat(0), q_1 = splat(0):
                    let x_1 = vector_load(a, (base_1 + lane_id))
                    let y_1 = vector_load(b, (base_1 + lane_id))
                    yield (p_1 +% i32(abs((u16(x_1) -% u16(y_1))))), (q_1 +% i32(i8(abs((i16(x_1) - i16(y_1))))))
                let u = i64((reduce_add(u32(s)) +% (reduce_add(u32(p)) +% reduce_add(u32(q)))))
                return (u +% i64(reduce_add(u64(t))))
        "#]],
    );
    // A loop of a group a round is as long.
    let alone = text.replace("    @rolled\n", "");
    let mut kernel = read(&alone, Some(8)).unwrap_or_else(|error| panic!("{error}")).remove(0);
    assert!(BYTE_SUMS.apply(&mut kernel, &mut Context::new(&Options::default())), "groups that are not interleaved");
    let mut kernel = read(text, Some(8)).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let options = Options { target: target::find("neon").expect("a target"), ..Options::default() };
    assert!(!BYTE_SUMS.apply(&mut kernel, &mut Context::new(&options)), "no instruction");
}

/// A mask of floats is no wider for it, and what is chosen has to be the count before or the next one.
#[test]
fn bytes_are_counted_as_bytes() {
    let text = "\
kernel k(a: u8[?], f, n) -> i32:
    let s, t, u = vector_for base in range(0, n, LANES) with s = splat(0), t = splat(0), u = splat(0):
        let x = vector_load(a, (base + lane_id))
        let y = vector_load(f, (base + lane_id))
        let none = ((x == 0) != (x > 128))
        yield select(none, (s +% 1), s), select((x < 10), t, (t +% 1)), select(((y > 0.5) != (y < 0.1)), (u +% 1), u)
    return i32((reduce_add(u32(s)) +% (reduce_add(u32(t)) +% reduce_add(u32(u)))))
";
    check(
        BYTE_SUMS,
        text,
        expect![[r#"
        kernel k(a: u8[?], f, n) -> i32:
            let s, t, u = vector_for base in range(0, n, LANES) with s_1 = splat(0), t_1 = splat(0), u_1 = splat(0):
                let x = vector_load(a, (base + lane_id))
                let y = vector_load(f, (base + lane_id))
                let none = ((x == 0) != (x > 128))
                let _0 = (s_1 +% 1)
                let _1 = i32(none)
                let _2 = (t_1 +% 1)
                let _3 = (~(x < 10))
                let _4 = i32(_3)
                yield (s_1 +% permute(i32(regroup(sad(u8(none), splat(0), type=u64x1), type=u32x2)), splat(0, lanes=6), pattern=[0, 1, 2, 3, 4, 5, 6, 7])), (t_1 +% permute(i32(regroup(sad(u8(_3), splat(0), type=u64x1), type=u32x2)), splat(0, lanes=6), pattern=[0, 1, 2, 3, 4, 5, 6, 7])), select(((y > 0.5) != (y < 0.1)), (u_1 +% 1), u_1)
            return i32((reduce_add(u32(s)) +% (reduce_add(u32(t)) +% reduce_add(u32(u)))))
    "#]],
    );
}

#[test]
fn masks_of_groups_are_computed_from_the_indices_that_are_left() {
    check(
        ACTIVE_LANES,
        "\
kernel k(a, b: f32[n], small: u8, m, n):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        masked_store(a, i, 1.0, (i < n))
        masked_store(a, i, 2.0, (m > i))
        masked_store(a, i, 3.0, (i <= n))
        masked_store(a, i, 4.0, (lane_index(base, 2) < n))
        masked_store(a, i, 5.0, (i < i32(vector_load(b, i))))
        masked_store(a, i, 6.0, ((small + lane_id) < small))
",
        expect![[r#"
            kernel k(a, b: f32[n], small: u8, m, n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    masked_store(a, i, 1.0, active_lanes(base, n))
                    masked_store(a, i, 2.0, active_lanes(base, m))
                    masked_store(a, i, 3.0, (i <= n))
                    masked_store(a, i, 4.0, (lane_index(base, 2) < n))
                    masked_store(a, i, 5.0, (i < i32(vector_load(b, i))))
                    masked_store(a, i, 6.0, ((small + lane_id) < small))
        "#]],
    );
}

#[test]
fn lanes_are_picked_through_memory_where_instructions_cost_more() {
    let text = "\
kernel k(a: f64[?], b: f32[?], m: bool[?], at: i32[?], by):
    let x = vector_load(a, 0)
    let y = vector_load(b, 0, lanes=64)
    let k = vector_load(at, 0, lanes=64)
    vector_store(a, 0, shuffle(x, vector_load(at, 0)))
    vector_store(a, 8, rotate(x, by))
    vector_store(a, 16, rotate(x, 3))
    vector_store(b, 0, shuffle(y, k))
    vector_store(b, 64, lookup(vector_load(b, 0, lanes=4), k))
    vector_store(m, 0, shuffle(vector_load(m, 0, lanes=64), k))
    vector_store(b, 128, lookup(y, k, through=memory))
";
    let mut shown = String::new();
    for target in target::TARGETS {
        let options = Options { lanes: None, target };
        let mut kernel = read(text, Some(8)).unwrap_or_else(|error| panic!("{error}")).remove(0);
        let mut context = Context::new(&options);
        PICKS.apply(&mut kernel, &mut context);
        assert_eq!(verify(&kernel), Ok(()));
        let printed = print(&kernel).text;
        let again = read(&printed, Some(8)).unwrap_or_else(|error| panic!("{error}\n{printed}")).remove(0);
        assert_eq!(canonical(&again), canonical(&kernel), "{printed}");
        let in_memory: Vec<&str> =
            printed.lines().filter(|line| line.contains("through=memory")).map(|line| line.trim_start()).collect();
        // The last one says so from the start.
        assert_eq!(context.take_decisions().len(), in_memory.len() - 1);
        shown += &format!("{}:\n{}\n", target.name, in_memory[..in_memory.len() - 1].join("\n"));
    }
    expect![[r#"
        sse4:
        vector_store(a, 0, shuffle(x, vector_load(at, 0), through=memory))
        vector_store(a, 8, rotate(x, by, through=memory))
        vector_store(b, 0, shuffle(y, k, through=memory))
        avx2:
        vector_store(b, 0, shuffle(y, k, through=memory))
        avx512:

        neon:
        vector_store(b, 0, shuffle(y, k, through=memory))
        sve128:
        vector_store(a, 0, shuffle(x, vector_load(at, 0), through=memory))
        vector_store(a, 8, rotate(x, by, through=memory))
        vector_store(b, 0, shuffle(y, k, through=memory))
        sve256:
        vector_store(b, 0, shuffle(y, k, through=memory))
        sve512:

        rvv128:
        vector_store(a, 0, shuffle(x, vector_load(at, 0), through=memory))
        vector_store(a, 8, rotate(x, by, through=memory))
        vector_store(b, 0, shuffle(y, k, through=memory))
        rvv256:
        vector_store(b, 0, shuffle(y, k, through=memory))
        rvv512:

        wasm:
        vector_store(a, 0, shuffle(x, vector_load(at, 0), through=memory))
        vector_store(a, 8, rotate(x, by, through=memory))
        vector_store(b, 0, shuffle(y, k, through=memory))
        scalar:
        vector_store(a, 0, shuffle(x, vector_load(at, 0), through=memory))
        vector_store(a, 8, rotate(x, by, through=memory))
        vector_store(b, 0, shuffle(y, k, through=memory))
        vector_store(b, 64, lookup(vector_load(b, 0, lanes=4), k, through=memory))
        vector_store(m, 0, shuffle(vector_load(m, 0, lanes=64), k, through=memory))
    "#]]
    .assert_eq(&shown);
}

#[test]
fn bytes_that_are_joined_or_cut_side_by_side_are_elements_of_another_size() {
    check(
        REGROUP,
        "\
kernel k(a: u8[?], x: u32[?], out: u32[?], words: u64[?], b: u8[?], n):
    vector_for base in range(0, n, LANES):
        let p = vector_load(a, (base * 2))
        let q = vector_load(a, ((base * 2) + 8))
        let low = u16(permute(p, q, pattern=[0, 2, 4, 6, 8, 10, 12, 14]))
        let high = u16(permute(p, q, pattern=[1, 3, 5, 7, 9, 11, 13, 15]))
        vector_store(out, base, u32(((high << 8) | low)))
        let apart = u16(permute(p, q, pattern=[1, 2, 5, 7, 9, 11, 13, 15]))
        vector_store(out, base, u32(((apart << 8) | low)))
        let y = vector_load(x, base)
        vector_store(b, base, permute(u8(y), u8((y >> 8)), u8((y >> 16)), u8((y >> 24)), pattern=[0, 8, 16, 24, 1, 9, 17, 25]))
        vector_store(b, base, permute(u8(y), u8((y >> 9)), pattern=[0, 8, 1, 9, 2, 10, 3, 11]))
",
        expect![[r#"
            kernel k(a: u8[?], x: u32[?], out: u32[?], words: u64[?], b: u8[?], n):
                vector_for base in range(0, n, LANES):
                    let p = vector_load(a, (base * 2))
                    let q = vector_load(a, ((base * 2) + 8))
                    let _0 = permute(p, q, pattern=[0, 2, 4, 6, 8, 10, 12, 14])
                    let _1 = regroup(p, q, type=u16x8)
                    let low = (_1 & 255)
                    let _2 = permute(p, q, pattern=[1, 3, 5, 7, 9, 11, 13, 15])
                    let high = (_1 >> 8)
                    let _3 = (high << 8)
                    vector_store(out, base, u32(regroup(p, q, type=u16x8)))
                    let apart = u16(permute(p, q, pattern=[1, 2, 5, 7, 9, 11, 13, 15]))
                    vector_store(out, base, u32(((apart << 8) | low)))
                    let y = vector_load(x, base)
                    let _4 = u8(y)
                    let _5 = u8((y >> 8))
                    let _6 = u8((y >> 16))
                    let _7 = u8((y >> 24))
                    vector_store(b, base, permute(regroup(y, type=u8x32), pattern=[0, 1, 2, 3, 4, 5, 6, 7]))
                    let _8 = u8(y)
                    let _9 = (y >> 9)
                    let _10 = u8(_9)
                    vector_store(b, base, regroup(permute(u16(((y & 255) | (_9 << 8))), pattern=[0, 1, 2, 3]), type=u8x8))
        "#]],
    );
}

#[test]
fn what_branches_choose_is_joined() {
    check(
        CHOSEN_SUMS,
        "\
kernel k(a, b: f64[n], n) -> f32:
    let s, p, d, u = for i in range(0, n) with s = 0.0, p = f64(1.0), d = 0.0, u = 0.0:
        let x = a[i]
        let c = (x > 0.0)
        let s_1 = if c:
            yield (x + s)
        else:
            yield s
        let p_1 = if c:
            yield p
        else:
            yield (p * b[0])
        let y = b[i]
        let p_2 = if c:
            yield p_1
        else:
            yield (p * y)
        let p_3 = if c:
            yield p
        else:
            yield (p * y)
        let d_1 = if c:
            yield (d - x)
        else:
            yield d
        let u_1 = if c:
            yield (x - u)
        else:
            yield u
        yield s_1, select((p_1 < p_2), p_1, p_3), d_1, u_1
    return (s + ((d * u) + f32(p)))
",
        expect![[r#"
            kernel k(a, b: f64[n], n) -> f32:
                let s, p, d, u = for i in range(0, n) with s_1 = 0.0, p_1 = 1.0, d_1 = 0.0, u_1 = 0.0:
                    let x = a[i]
                    let c = (x > 0.0)
                    let p_1_1 = if c:
                        yield p_1
                    else:
                        yield (p_1 * b[0])
                    let y = b[i]
                    let p_2 = if c:
                        yield p_1_1
                    else:
                        yield (p_1 * y)
                    let u_1_1 = if c:
                        yield (x - u_1)
                    else:
                        yield u_1
                    yield (select(c, x, -0.0) + s_1), select((p_1_1 < p_2), p_1_1, (p_1 * select(c, 1.0, y))), (d_1 - select(c, x, 0.0)), u_1_1
                return (s + ((d * u) + f32(p)))
        "#]],
    );
}
