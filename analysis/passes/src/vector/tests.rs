//! Tests of vectorised loops, as text.

use expect_test::{Expect, expect};

use super::vector;
use crate::Context;
use crate::pipeline::Options;
use ir::print::print;
use ir::read::read;
use ir::verify::verify;

fn check(text: &str, expect: Expect) {
    check_with(text, &Options::default(), expect);
}

fn check_lanes(text: &str, lanes: u16, expect: Expect) {
    check_with(text, &Options { lanes: Some(lanes), ..Options::default() }, expect);
}

fn check_with(text: &str, options: &Options, expect: Expect) {
    let mut kernel = read(text, None).expect("the kernel reads").remove(0);
    vector(&mut kernel, &mut Context::new(options));
    verify(&kernel).unwrap_or_else(|found| panic!("{found:?}\n{}", print(&kernel).text));
    expect.assert_eq(&print(&kernel).text);
}

#[test]
fn the_first_programs_are_word_for_word() {
    check(
        "\
kernel scale_audio(samples, out, n, volume):
    for i in range(0, n):
        out[i] = (samples[i] * volume)
",
        expect![[r#"
            kernel scale_audio(samples, out, n, volume):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    masked_store(out, i, (masked_load(samples, i, active) * volume), active)
        "#]],
    );
    check(
        "\
kernel color_by_number(color_number: i32[n], colors, out, n):
    for i in range(0, n):
        let number = color_number[i]
        out[i] = colors[number]
",
        expect![[r#"
            kernel color_by_number(color_number: i32[n], colors, out, n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let number = masked_load(color_number, i, active)
                    masked_store(out, i, gather(colors, number, active), active)
        "#]],
    );
}

#[test]
fn branches_become_masks() {
    check(
        "\
kernel clip(a: f32[n], out: f32[n], n: i32, k: i32):
    for i in range(0, n):
        let x = a[i]
        let y = if (x < 0.0):
            out[i] = (x + 1.0)
            yield (x * 2.0)
        else:
            yield f32((k / (k + 1)))
        out[i] = y
",
        expect![[r#"
            kernel clip(a: f32[n], out: f32[n], n, k):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let _0 = (x < 0.0)
                    masked_store(out, i, (x + 1.0), (active & _0))
                    let _1 = if any((active & (~_0))):
                        yield f32((k / (k + 1)))
                    else:
                        yield 0.0
                    let y = select(_0, (x * 2.0), _1)
                    masked_store(out, i, y, active)
        "#]],
    );
}

#[test]
fn what_is_known_around_a_branch_is_not_taken_through_it() {
    check(
        "\
kernel keep(a: f32[n], out: f32[n], n: i32, k: i32):
    for i in range(0, n):
        let x = a[i]
        let y, same = if (x < 0.0):
            yield x, true
        else:
            yield f32((k / (k + 1))), false
        out[i] = select(same, y, (y * 2.0))
",
        expect![[r#"
            kernel keep(a: f32[n], out: f32[n], n, k):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let _0 = (x < 0.0)
                    let _1 = if any((active & (~_0))):
                        yield f32((k / (k + 1)))
                    else:
                        yield 0.0
                    let y = select(_0, x, _1)
                    let same = select(_0, true, false)
                    masked_store(out, i, select(same, y, (y * 2.0)), active)
        "#]],
    );
}

#[test]
fn lanes_leave_loops_one_by_one() {
    check(
        "\
kernel trips(a: f32[n], out: f32[n], n: i32, m: i32):
    foreach i in range(0, n), j in range(0, m):
        let s, c = for k in range(0, j) with s = 0.0, c = 0:
            yield (s + a[k]), (c + 1)
        let z, t = while (z < s) with z = 0.0, t = 0:
            yield (z + 1.0), (t + 1)
        let u = for k in range(0, m) with u = z:
            yield (u * a[k])
        out[j] = (u + f32((c + t)))
",
        expect![[r#"
            kernel trips(a: f32[n], out: f32[n], n, m):
                for i in range(0, n):
                    vector_for base in range(0, m, LANES):
                        let j = (base + lane_id)
                        let active = (j < m)
                        let _0, _1, _2, _3, s, c = while any(there) with there = (active & (0 < j)), k = 0, s_1 = 0.0, c_1 = 0, s_kept = splat(0.0), c_kept = splat(0):
                            let _4 = (s_1 + a[k])
                            let _5 = (c_1 + 1)
                            yield (there & (u32((j -% k)) > 1)), (k +% 1), _4, _5, select(there, _4, s_kept), select(there, _5, c_kept)
                        let _6, _7, _8, z, t = while with there_1 = active, z_1 = 0.0, t_1 = 0, z_kept = splat(0.0), t_kept = splat(0):
                            let stays = (there_1 & (z_1 < s))
                        do any(stays):
                            let _9 = (z_1 + 1.0)
                            let _10 = (t_1 + 1)
                            yield stays, _9, _10, select(stays, _9, z_kept), select(stays, _10, t_kept)
                        let u = for k_1 in range(0, m) with u_1 = z:
                            yield (u_1 * a[k_1])
                        masked_store(out, j, (u + f32((c + t))), active)
        "#]],
    );
}

#[test]
fn what_asked_the_active_lanes_asks_those_of_the_mask() {
    check(
        "\
kernel f(a: i32[?], n):
    foreach i in range(0, n) in 4 lanes:
        let x = a[i]
        if (x > reduce_min(x)):
            a[i] = (shuffle(x, lane_id) + scan_add(x))
            compress_store(a, (i - lane_id), x)
            let count = count_on(true)
            a[count] = expand_load(a, (count + i))
",
        expect![[r#"
            kernel f(a: i32[?], n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let _0 = (active & (x > reduce_min(x, active)))
                    masked_store(a, i, (shuffle(x, lane_id, _0) + scan_add(x, _0)), _0)
                    compress_store(a, extract(select(_0, (i - lane_id), 0), min(first_on(_0), 3)), x, _0)
                    let count = count_on(splat(true), _0)
                    scatter(a, count, expand_load(a, extract(select(_0, (count + i), 0), min(first_on(_0), 3)), _0), _0)
        "#]],
    );
}

/// The stages behind, too, for what only they make plain.
fn check_specialised(text: &str, expect: Expect) {
    let kernel = read(text, None).expect("the kernel reads").remove(0);
    let reached = crate::pipeline::run(kernel, &Options::default(), true).expect("passes keep what holds");
    let of = |stage: &str| reached.iter().find(|reached| reached.stage == stage).expect("a stage");
    expect.assert_eq(&print(&of("specialised").kernel).text);
}

#[test]
fn sums_have_a_part_in_each_lane() {
    check(
        "\
kernel f(a: i32[n], b: i32[n], n: i32, k: i32, found: bool) -> i32:
    let s, low, t, x, any, every = for i in range(0, n) with s0 = 5, low0 = b[0], t0 = k, x0 = 0, any0 = found, every0 = true:
        let x = a[i]
        let s1 = (s0 + x)
        let t1 = if (x > 3):
            yield (t0 + b[x0])
        else:
            yield t0
        let any1 = if (x == k):
            yield true
        else:
            yield any0
        yield s1, min(low0, x), t1, (x0 + 2), any1, (every0 & (x < 100))
    let r = select((any & every), s, low)
    return ((r + t) + x)
",
        expect![[r#"
            kernel f(a: i32[n], b: i32[n], n, k, found: bool) -> i32:
                let _0 = b[0]
                let _1, _2, _3, x, _4, _5 = vector_for base in range(0, n, LANES) with s0 = splat(0), low0 = splat(2147483647), t0 = splat(0), x0 = 0, any0 = splat(false), every0 = splat(true):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x0_1 = lane_index(x0, 2)
                    let x_1 = masked_load(a, i, active)
                    let s1 = (s0 +% x_1)
                    let _6 = (x_1 > 3)
                    let t1 = select(_6, (t0 +% gather(b, x0_1, (active & _6))), t0)
                    let any1 = select((x_1 == k), true, any0)
                    yield select(active, s1, s0), select(active, min(low0, x_1), low0), select(active, t1, t0), (x0 + (count_on(active) *% 2)), select(active, any1, any0), select(active, (every0 & (x_1 < 100)), every0)
                let s = (5 +% i32(reduce_add(u32(_1))))
                let low = min(_0, reduce_min(_2))
                let t = (k +% i32(reduce_add(u32(_3))))
                let any = (found | reduce_or(_4))
                let every = reduce_and(_5)
                let r = select((any & every), s, low)
                return ((r + t) + x)
        "#]],
    );
}

#[test]
fn loops_of_every_step_have_whole_groups() {
    check_specialised(
        "\
kernel thirds(a: f32[n], b: f32[n], n: i32, lo: i32):
    for i in range(0, n, 3):
        b[i] = (a[i] + 1.0)
    for i in range((n - 1), lo, -2):
        b[i] = (a[i] * 2.0)
",
        expect![[r#"
            kernel thirds(a: f32[n], b: f32[n], n, lo):
                let whole = (n -% (n % 24))
                vector_for base in range(0, whole, (LANES * 3)):
                    let i = lane_index(base, 3)
                    scatter(b, i, (gather(a, i) + 1.0))
                vector_for base_1 in range(whole, n, (LANES * 3)):
                    let i_1 = lane_index(base_1, 3)
                    let active = (i_1 < n)
                    scatter(b, i_1, (gather(a, i_1, active) + 1.0), active)
                let _0 = (n - 1)
                let _1 = u32((max(lo, _0) -% lo))
                let whole_1 = (_0 -% i32((_1 -% (_1 % 16))))
                vector_for base_2 in range(_0, whole_1, (LANES * -2)):
                    let i_2 = lane_index(base_2, -2)
                    scatter(b, i_2, (gather(a, i_2) * 2.0))
                vector_for base_3 in range(whole_1, lo, (LANES * -2)):
                    let i_3 = lane_index(base_3, -2)
                    let active_1 = (i_3 > lo)
                    scatter(b, i_3, (gather(a, i_3, active_1) * 2.0), active_1)
        "#]],
    );
    // The distance to the next group does not fit the index.
    check_specialised(
        "\
kernel far(a: f32[n], n: i32, end: i8):
    for i in range(i8(0), end, i8(17)):
        a[i] = 1.0
",
        expect![[r#"
            kernel far(a: f32[n], n, end: i8):
                vector_for base in range(0, end, (LANES * 17)):
                    let i = lane_index(base, 17)
                    let active = (i < end)
                    scatter(a, i, 1.0, active)
        "#]],
    );
}

#[test]
fn what_is_joined_in_the_fixed_order_is_joined_group_by_group() {
    check_specialised(
        "\
kernel dot(a: f32[n], b: f32[n], n: i32) -> f32:
    let s = for i in range(0, n) reducing + from 0.0:
        yield (-0.0 + (a[i] * b[i]))
    return s
",
        expect![[r#"
            kernel dot(a: f32[n], b: f32[n], n) -> f32:
                let whole = (n -% (n % 8))
                let s = vector_for base in range(0, n, LANES) reducing + from 0.0:
                    let _0 = if (base < whole):
                        let i = (base + lane_id)
                        yield (-0.0 + (vector_load(a, i) * vector_load(b, i)))
                    else:
                        let i_1 = (base + lane_id)
                        let active = (i_1 < n)
                        yield select(active, (-0.0 + (masked_load(a, i_1, active) * masked_load(b, i_1, active))), -0.0)
                    yield _0
                return s
        "#]],
    );
}

#[test]
fn what_changes_rarely_is_done_lane_by_lane_where_it_changes() {
    check_specialised(
        "\
kernel argmin(a: f32[n], n: i32) -> i32:
    let least, at = for i in range(0, n) with least0 = a[0], at0 = 0:
        let less = (a[i] < least0)
        let least1, at1 = if less:
            yield a[i], i
        else:
            yield least0, at0
        yield least1, at1
    return at
",
        expect![[r#"
            kernel argmin(a: f32[n], n) -> i32:
                let _0 = a[0]
                let whole = (n -% (n % 8))
                let least, at = vector_for base in range(0, whole, LANES) with least0 = _0, at0 = 0:
                    let i = (base + lane_id)
                    let _1 = vector_load(a, i)
                    let less = (_1 < least0)
                    let _2, _3 = if any(less):
                        let _4, _5 = for lane in range(first_on(less), 8) with least0_1 = least0, at0_1 = at0:
                            let _6, _7 = if true:
                                let _8 = (base +% lane)
                                let _9, _10 = if (extract(_1, lane) < least0_1):
                                    yield a[_8], _8
                                else:
                                    yield least0_1, at0_1
                                yield _9, _10
                            else:
                                yield least0_1, at0_1
                            yield _6, _7
                        yield _4, _5
                    else:
                        yield least0, at0
                    yield _2, _3
                let least_1, at_1 = vector_for base_1 in range(whole, n, LANES) with least0_2 = least, at0_2 = at:
                    let i_1 = (base_1 + lane_id)
                    let active = (i_1 < n)
                    let _11 = masked_load(a, i_1, active)
                    let less_1 = (_11 < least0_2)
                    let changes = (active & less_1)
                    let _12, _13 = if any(changes):
                        let _14, _15 = for lane_1 in range(first_on(changes), 8) with least0_3 = least0_2, at0_3 = at0_2:
                            let _16, _17 = if extract(active, lane_1):
                                let _18 = (base_1 +% lane_1)
                                let _19, _20 = if (extract(_11, lane_1) < least0_3):
                                    yield a[_18], _18
                                else:
                                    yield least0_3, at0_3
                                yield _19, _20
                            else:
                                yield least0_3, at0_3
                            yield _16, _17
                        yield _14, _15
                    else:
                        yield least0_2, at0_2
                    yield _12, _13
                return at_1
        "#]],
    );
    check(
        "\
kernel most(a: f32[n], n: i32) -> f32:
    let most = for i in range(0, n) with most0 = a[0]:
        yield max(most0, a[i])
    return most
",
        expect![[r#"
            kernel most(a: f32[n], n) -> f32:
                let most = vector_for base in range(0, n, LANES) with most0 = a[0]:
                    let i = (base + lane_id)
                    let active = (i < n)
                    let _0 = masked_load(a, i, active)
                    let changes = (active & (bitcast(max(most0, _0), type=u32) != bitcast(most0, type=u32)))
                    let _1 = if any(changes):
                        let _2 = if (any(isnan(_0), active) | isnan(most0)):
                            let _3 = for lane in range(first_on(changes), 8) with most0_1 = most0:
                                let _4 = if extract(active, lane):
                                    yield max(most0_1, extract(_0, lane))
                                else:
                                    yield most0_1
                                yield _4
                            yield _3
                        else:
                            let _5 = splat(-inf)
                            let _6 = select(active, _0, _5)
                            let _7 = max(_6, permute(_6, _5, pattern=[1, 2, 3, 4, 5, 6, 7, 15]))
                            let _8 = max(_7, permute(_7, _5, pattern=[2, 3, 4, 5, 6, 7, 14, 15]))
                            yield max(most0, extract(max(_8, permute(_8, _5, pattern=[4, 5, 6, 7, 12, 13, 14, 15])), 0))
                        yield _2
                    else:
                        yield most0
                    yield _1
                return most
        "#]],
    );
}

#[test]
fn of_the_lanes_that_change_a_value_the_last_one_wins() {
    check_specialised(
        "\
kernel last(a: f32[n], n: i32) -> i32:
    let at, any, x = for i in range(0, n) with at_1 = -1, any_1 = false, x_1 = 0.0:
        let y = a[i]
        let at_2, any_2, x_2 = if (y < 0.0):
            yield i, true, x_1
        else:
            yield at_1, any_1, y
        yield at_2, any_2, x_2
    return select((any & (x > 1.0)), at, 0)
",
        expect![[r#"
            kernel last(a: f32[n], n) -> i32:
                let whole = (n -% (n % 8))
                let at, _0, x = vector_for base in range(0, whole, LANES) with at_1 = -1, any_1 = splat(false), x_1 = 0.0:
                    let i = (base + lane_id)
                    let y = vector_load(a, i)
                    let _1 = (y < 0.0)
                    let at_2 = select(_1, i, at_1)
                    let any_2 = select(_1, true, any_1)
                    let x_2 = select(_1, x_1, y)
                    let _2 = if any(_1):
                        yield (base +% last_on(_1))
                    else:
                        yield at_1
                    let _3 = (~_1)
                    let _4 = if any(_3):
                        yield extract(y, last_on(_3))
                    else:
                        yield x_1
                    yield _2, any_2, _4
                let at_3, _5, x_3 = vector_for base_1 in range(whole, n, LANES) with at_1_1 = at, any_1_1 = _0, x_1_1 = x:
                    let i_1 = (base_1 + lane_id)
                    let active = (i_1 < n)
                    let y_1 = masked_load(a, i_1, active)
                    let _6 = (y_1 < 0.0)
                    let at_2_1 = select(_6, i_1, at_1_1)
                    let any_2_1 = select(_6, true, any_1_1)
                    let x_2_1 = select(_6, x_1_1, y_1)
                    let changes = (active & _6)
                    let _7 = if any(changes):
                        yield (base_1 +% last_on(changes))
                    else:
                        yield at_1_1
                    let changes_1 = (active & (~_6))
                    let _8 = if any(changes_1):
                        yield extract(y_1, last_on(changes_1))
                    else:
                        yield x_1_1
                    yield _7, select(active, any_2_1, any_1_1), _8
                let any = reduce_or(_5)
                return select((any & (x_3 > 1.0)), at_3, 0)
        "#]],
    );
}

#[test]
fn lanes_have_from_those_before_them_what_can_be_known_first() {
    check_specialised(
        "\
kernel differences(a: f32[n], out: f32[n], n: i32):
    let x1, x2 = for i in range(0, n) with x1_0 = 0.0, x2_0 = 0.0:
        let x = a[i]
        out[i] = ((x - x1_0) - x2_0)
        yield x, x1_0
",
        expect![[r#"
            kernel differences(a: f32[n], out: f32[n], n):
                let whole = (n -% (n % 8))
                let x1, x2 = vector_for base in range(0, whole, LANES) with x1_0 = 0.0, x2_0 = 0.0:
                    let i = (base + lane_id)
                    let x = vector_load(a, i)
                    let x1_0_1 = permute(splat(x1_0), x, pattern=[0, 8, 9, 10, 11, 12, 13, 14])
                    let x2_0_1 = permute(splat(x2_0), x1_0_1, pattern=[0, 8, 9, 10, 11, 12, 13, 14])
                    vector_store(out, i, ((x - x1_0_1) - x2_0_1))
                    yield extract(x, (8 -% 1)), extract(x1_0_1, (8 -% 1))
                let x1_1, x2_1 = vector_for base_1 in range(whole, n, LANES) with x1_0_2 = x1, x2_0_2 = x2:
                    let i_1 = (base_1 + lane_id)
                    let active = (i_1 < n)
                    let x_1 = masked_load(a, i_1, active)
                    let x1_0_3 = permute(splat(x1_0_2), x_1, pattern=[0, 8, 9, 10, 11, 12, 13, 14])
                    let x2_0_3 = permute(splat(x2_0_2), x1_0_3, pattern=[0, 8, 9, 10, 11, 12, 13, 14])
                    masked_store(out, i_1, ((x_1 - x1_0_3) - x2_0_3), active)
                    yield extract(x_1, (count_on(active) -% 1)), extract(x1_0_3, (count_on(active) -% 1))
        "#]],
    );
    check(
        "\
kernel keep(a: f32[n], out: f32[n], sums: i32[n], n: i32) -> i32:
    let k, s = for i in range(0, n) with k0 = 0, s0 = 0:
        let x = a[i]
        let k1 = if (x > 0.0):
            out[k0] = x
            yield (k0 + 1)
        else:
            yield k0
        let s1 = (s0 + sums[i])
        yield k1, s1
    return k
",
        expect![[r#"
            kernel keep(a: f32[n], out: f32[n], sums: i32[n], n) -> i32:
                let k, _0 = vector_for base in range(0, n, LANES) with k0 = 0, s0 = splat(0):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let _1 = (x > 0.0)
                    let k0_1 = (k0 +% i32(scan_add(u32(select(_1, 1, 0)), active)))
                    compress_store(out, k0, x, (active & _1))
                    let k1 = select(_1, (k0_1 + 1), k0_1)
                    let s1 = (s0 +% masked_load(sums, i, active))
                    yield (k0 +% count_on(_1, active)), select(active, s1, s0)
                let s = i32(reduce_add(u32(_0)))
                return k
        "#]],
    );
    check(
        "\
kernel behind(a: f32[n], b: f32[n], out: f32[n], n: i32) -> i32:
    let k = for i in range(0, n) with k0 = -1:
        let x = a[i]
        let k1 = if (x > 0.0):
            let k2 = (k0 + 1)
            out[k2] = (x + b[(k2 + 3)])
            yield k2
        else:
            yield k0
        yield k1
    return k
",
        expect![[r#"
            kernel behind(a: f32[n], b: f32[n], out: f32[n], n) -> i32:
                let k = vector_for base in range(0, n, LANES) with k0 = -1:
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let _0 = (x > 0.0)
                    let k0_1 = (k0 +% i32(scan_add(u32(select(_0, 1, 0)), active)))
                    let _1 = (active & _0)
                    let _2 = if any(_1):
                        let k2 = (k0_1 + 1)
                        let _3 = (k2 + 3)
                        compress_store(out, (k0 +% 1), (x + expand_load(b, (k0 +% 4), _1)), _1)
                        yield k2
                    else:
                        yield splat(0)
                    let k1 = select(_0, _2, k0_1)
                    yield (k0 +% count_on(_0, active))
                return k
        "#]],
    );
    check(
        "\
kernel running(a: i32[n], out: i32[n], n: i32) -> i32:
    let s = for i in range(0, n) with s0 = 3:
        let s1 = (s0 + a[i])
        out[i] = s1
        yield s1
    return s
",
        expect![[r#"
            kernel running(a: i32[n], out: i32[n], n) -> i32:
                let s = vector_for base in range(0, n, LANES) with s0 = 3:
                    let i = (base + lane_id)
                    let active = (i < n)
                    let _0 = masked_load(a, i, active)
                    let s0_1 = (s0 +% i32(scan_add(u32(_0), active)))
                    let s1 = (s0_1 + _0)
                    masked_store(out, i, s1, active)
                    yield extract(s1, (count_on(active) -% 1))
                return s
        "#]],
    );
}

#[test]
fn what_runs_on_is_joined_by_halves_of_blocks() {
    let sums = "\
kernel sums(a: f32[n], out: f32[n], n: i32):
    let k1, c1, t3, t4, t5 = for i in range(0, n) with k = u32(0), c = 0.5, t0 = 0.0, t1 = 0.0, t2 = 0.0:
        let b = a[i]
        let c_1 = running_sum(k, c, b, t0, t1, t2, part=1)
        let s = running_sum(k, c, b, t0, t1, t2, part=0)
        out[i] = s
        yield (k +% u32(1)), c_1, running_sum(k, c, b, t0, t1, t2, part=2), running_sum(k, c, b, t0, t1, t2, part=3), running_sum(k, c, b, t0, t1, t2, part=4)
";
    check(
        sums,
        expect![[r#"
        kernel sums(a: f32[n], out: f32[n], n):
            let k1, _0, t3, t4, t5 = vector_for base in range(0, n, LANES) with k = 0, c = splat(0.5), t0 = 0.0, t1 = 0.0, t2 = 0.0:
                let i = (base + lane_id)
                let active = (i < n)
                let k_1 = (k +% u32(lane_id))
                let b = masked_load(a, i, active)
                let _1 = select(active, b, 0.0)
                let _2 = (permute(_1, splat(-0.0), pattern=[8, 0, 10, 2, 12, 4, 14, 6]) + _1)
                let _3 = (permute(_2, splat(-0.0), pattern=[8, 9, 1, 1, 12, 13, 5, 5]) + _2)
                let _4 = (permute(_3, splat(-0.0), pattern=[8, 9, 10, 11, 3, 3, 3, 3]) + _3)
                let c_1 = (c + permute(_4, pattern=[7, 7, 7, 7, 7, 7, 7, 7]))
                let s = (c + _4)
                masked_store(out, i, s, active)
                yield (k +% u32(count_on(active))), c_1, t0, t1, t2
            let c1 = extract(_0, 0)
    "#]],
    );
    // A group that is less than a block, and one that is several.
    check_lanes(
        sums,
        2,
        expect![[r#"
        kernel sums(a: f32[n], out: f32[n], n):
            let k1, _0, t3, t4, t5 = vector_for base in range(0, n, LANES) with k = 0, c = splat(0.5), t0 = 0.0, t1 = 0.0, t2 = 0.0:
                let i = (base + lane_id)
                let active = (i < n)
                let k_1 = (k +% u32(lane_id))
                let b = masked_load(a, i, active)
                let _1 = select(active, b, 0.0)
                let _2 = (permute(_1, splat(-0.0), pattern=[2, 0]) + _1)
                let _3 = extract(_2, 1)
                let _4 = select(((extract(k_1, 0) & 2) == 2), (t1 + _2), _2)
                let _5 = extract(_4, 1)
                let _6 = extract(k_1, 0)
                let _7 = select(((extract(k_1, 0) & 4) == 4), (t2 + _4), _4)
                let s = (c + _7)
                let c_1 = select(((extract(k_1, 0) & 6) == 6), (c + permute(_7, pattern=[1, 1])), c)
                masked_store(out, i, s, active)
                yield (k +% u32(count_on(active))), c_1, t0, _3, select(((_6 & 2) == 2), _5, t2)
            let c1 = extract(_0, 0)
    "#]],
    );
    check_lanes(
        sums,
        16,
        expect![[r#"
        kernel sums(a: f32[n], out: f32[n], n):
            let k1, _0, t3, t4, t5 = vector_for base in range(0, n, LANES) with k = 0, c = splat(0.5), t0 = 0.0, t1 = 0.0, t2 = 0.0:
                let i = (base + lane_id)
                let active = (i < n)
                let k_1 = (k +% u32(lane_id))
                let b = masked_load(a, i, active)
                let _1 = select(active, b, 0.0)
                let _2 = (permute(_1, splat(-0.0), pattern=[16, 0, 18, 2, 20, 4, 22, 6, 24, 8, 26, 10, 28, 12, 30, 14]) + _1)
                let _3 = (permute(_2, splat(-0.0), pattern=[16, 17, 1, 1, 20, 21, 5, 5, 24, 25, 9, 9, 28, 29, 13, 13]) + _2)
                let _4 = (permute(_3, splat(-0.0), pattern=[16, 17, 18, 19, 3, 3, 3, 3, 24, 25, 26, 27, 11, 11, 11, 11]) + _3)
                let _5 = (c + permute(_4, pattern=[7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]))
                let c_1 = (_5 + permute(_4, pattern=[15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15]))
                let s = (permute(c, _5, pattern=[0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31]) + _4)
                masked_store(out, i, s, active)
                yield (k +% u32(count_on(active))), c_1, t0, t1, t2
            let c1 = extract(_0, 0)
    "#]],
    );
    let linear = "\
kernel linear(a: f32[n], out: f32[n], n: i32, f: f32):
    let k1, c1, t3, t4, t5, f3, f4, f5 = for i in range(0, n) with k = u32(0), c = 0.5, t0 = 0.0, t1 = 0.0, t2 = 0.0, f0 = 1.0, f1 = 1.0, f2 = 1.0:
        let b = a[i]
        out[i] = running_linear(k, c, b, t0, t1, t2, f, f0, f1, f2, part=0)
        yield (k +% u32(1)), running_linear(k, c, b, t0, t1, t2, f, f0, f1, f2, part=1), running_linear(k, c, b, t0, t1, t2, f, f0, f1, f2, part=2), running_linear(k, c, b, t0, t1, t2, f, f0, f1, f2, part=3), running_linear(k, c, b, t0, t1, t2, f, f0, f1, f2, part=4), running_linear(k, c, b, t0, t1, t2, f, f0, f1, f2, part=5), running_linear(k, c, b, t0, t1, t2, f, f0, f1, f2, part=6), running_linear(k, c, b, t0, t1, t2, f, f0, f1, f2, part=7)
";
    check(
        linear,
        expect![[r#"
        kernel linear(a: f32[n], out: f32[n], n, f):
            let k1, _0, t3, t4, t5, f3, f4, f5 = vector_for base in range(0, n, LANES) with k = 0, c = splat(0.5), t0 = 0.0, t1 = 0.0, t2 = 0.0, f0 = 1.0, f1 = 1.0, f2 = 1.0:
                let i = (base + lane_id)
                let active = (i < n)
                let k_1 = (k +% u32(lane_id))
                let b = masked_load(a, i, active)
                let _1 = select(active, b, 0.0)
                let _2 = splat(f)
                let _3 = ((select(((lane_id & 1) == 1), _2, 1.0) * permute(_1, splat(-0.0), pattern=[8, 0, 10, 2, 12, 4, 14, 6])) + _1)
                let _4 = (_2 * permute(_2, splat(1.0), pattern=[8, 0, 10, 2, 12, 4, 14, 6]))
                let _5 = ((select(((lane_id & 2) == 2), _4, 1.0) * permute(_3, splat(-0.0), pattern=[8, 9, 1, 1, 12, 13, 5, 5])) + _3)
                let _6 = (_4 * permute(_4, splat(1.0), pattern=[8, 9, 1, 1, 12, 13, 5, 5]))
                let _7 = ((select(((lane_id & 4) == 4), _6, 1.0) * permute(_5, splat(-0.0), pattern=[8, 9, 10, 11, 3, 3, 3, 3])) + _5)
                let _8 = (_6 * permute(_6, splat(1.0), pattern=[8, 9, 10, 11, 3, 3, 3, 3]))
                masked_store(out, i, ((_8 * c) + _7), active)
                yield (k +% u32(count_on(active))), ((permute(_8, pattern=[7, 7, 7, 7, 7, 7, 7, 7]) * c) + permute(_7, pattern=[7, 7, 7, 7, 7, 7, 7, 7])), t0, t1, t2, f0, f1, f2
            let c1 = extract(_0, 0)
    "#]],
    );
}

#[test]
fn extremes_and_recurrences_of_integers_are_joined_by_halves() {
    check(
        "\
kernel greatest(a: i32[n], out: i32[n], n: i32) -> i32:
    let m = for i in range(0, n) with m0 = 3:
        let m1 = max(m0, a[i])
        out[i] = m1
        yield m1
    return m
",
        expect![[r#"
            kernel greatest(a: i32[n], out: i32[n], n) -> i32:
                let m = vector_for base in range(0, n, LANES) with m0 = 3:
                    let i = (base + lane_id)
                    let active = (i < n)
                    let _0 = masked_load(a, i, active)
                    let _1 = select(active, _0, 0)
                    let _2 = select(((lane_id & 1) == 1), max(permute(_1, pattern=[0, 0, 2, 2, 4, 4, 6, 6]), _1), _1)
                    let _3 = select(((lane_id & 2) == 2), max(permute(_2, pattern=[0, 1, 1, 1, 4, 5, 5, 5]), _2), _2)
                    let _4 = select(((lane_id & 4) == 4), max(permute(_3, pattern=[0, 1, 2, 3, 3, 3, 3, 3]), _3), _3)
                    let _5 = extract(_4, (count_on(active) -% 1))
                    let m0_1 = permute(splat(m0), max(m0, _4), pattern=[0, 8, 9, 10, 11, 12, 13, 14])
                    let m1 = max(m0_1, _0)
                    masked_store(out, i, m1, active)
                    yield max(m0, _5)
                return m
        "#]],
    );
    check(
        "\
kernel least(a: f32[n], out: f32[n], n: i32):
    let m = for i in range(0, n) with m0 = 3.0:
        let x = a[i]
        let m1 = select((x < m0), x, m0)
        out[i] = m0
        yield m1
",
        expect![[r#"
            kernel least(a: f32[n], out: f32[n], n):
                let m = vector_for base in range(0, n, LANES) with m0 = 3.0:
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let _0 = select(active, x, 0.0)
                    let _1, _2 = if (any(isnan(_0), active) | isnan(m0)):
                        let _3 = extract(_0, 0)
                        let _4 = select((_3 < m0), _3, m0)
                        let _5 = extract(_0, 1)
                        let _6 = select((_5 < _4), _5, _4)
                        let _7 = extract(_0, 2)
                        let _8 = select((_7 < _6), _7, _6)
                        let _9 = extract(_0, 3)
                        let _10 = select((_9 < _8), _9, _8)
                        let _11 = extract(_0, 4)
                        let _12 = select((_11 < _10), _11, _10)
                        let _13 = extract(_0, 5)
                        let _14 = select((_13 < _12), _13, _12)
                        let _15 = extract(_0, 6)
                        let _16 = select((_15 < _14), _15, _14)
                        let _17 = extract(_0, 7)
                        let _18 = pack(_4, _6, _8, _10, _12, _14, _16, select((_17 < _16), _17, _16))
                        yield _18, extract(_18, (count_on(active) -% 1))
                    else:
                        let _19 = permute(_0, pattern=[0, 0, 2, 2, 4, 4, 6, 6])
                        let _20 = select(((lane_id & 1) == 1), select((_0 < _19), _0, _19), _0)
                        let _21 = permute(_20, pattern=[0, 1, 1, 1, 4, 5, 5, 5])
                        let _22 = select(((lane_id & 2) == 2), select((_20 < _21), _20, _21), _20)
                        let _23 = permute(_22, pattern=[0, 1, 2, 3, 3, 3, 3, 3])
                        let _24 = select(((lane_id & 4) == 4), select((_22 < _23), _22, _23), _22)
                        let _25 = extract(_24, (count_on(active) -% 1))
                        yield select((_24 < m0), _24, m0), select((_25 < m0), _25, m0)
                    let m0_1 = permute(splat(m0), _1, pattern=[0, 8, 9, 10, 11, 12, 13, 14])
                    let m1 = select((x < m0_1), x, m0_1)
                    masked_store(out, i, m0_1, active)
                    yield _2
        "#]],
    );
    check(
        "\
kernel hashes(a: u32[n], out: u32[n], n: i32):
    let h = for i in range(0, n) with h0 = u32(7):
        let h1 = ((h0 * u32(31)) + a[i])
        out[i] = h1
        yield h1
",
        expect![[r#"
            kernel hashes(a: u32[n], out: u32[n], n):
                let h = vector_for base in range(0, n, LANES) with h0 = 7:
                    let i = (base + lane_id)
                    let active = (i < n)
                    let _0 = masked_load(a, i, active)
                    let _1 = select(active, _0, 0)
                    let _2 = splat(31)
                    let _3 = ((lane_id & 1) == 1)
                    let _4 = select(_3, ((_2 *% permute(_1, pattern=[0, 0, 2, 2, 4, 4, 6, 6])) +% _1), _1)
                    let _5 = select(_3, (_2 *% permute(_2, pattern=[0, 0, 2, 2, 4, 4, 6, 6])), _2)
                    let _6 = ((lane_id & 2) == 2)
                    let _7 = select(_6, ((_5 *% permute(_4, pattern=[0, 1, 1, 1, 4, 5, 5, 5])) +% _4), _4)
                    let _8 = select(_6, (_5 *% permute(_5, pattern=[0, 1, 1, 1, 4, 5, 5, 5])), _5)
                    let _9 = ((lane_id & 4) == 4)
                    let _10 = select(_9, ((_8 *% permute(_7, pattern=[0, 1, 2, 3, 3, 3, 3, 3])) +% _7), _7)
                    let _11 = select(_9, (_8 *% permute(_8, pattern=[0, 1, 2, 3, 3, 3, 3, 3])), _8)
                    let _12 = extract(_10, (count_on(active) -% 1))
                    let _13 = extract(_11, (count_on(active) -% 1))
                    let h0_1 = permute(splat(h0), ((_11 *% h0) +% _10), pattern=[0, 8, 9, 10, 11, 12, 13, 14])
                    let h1 = ((h0_1 * 31) + _0)
                    masked_store(out, i, h1, active)
                    yield ((_13 *% h0) +% _12)
        "#]],
    );
}

#[test]
fn what_is_said_to_be_coherent_is_tested() {
    check(
        "\
kernel f(a: f32[n], out: f32[n], n: i32):
    for i in range(0, n):
        let x = a[i]
        let y = cif (x < 0.0):
            yield (x * 2.0)
        else:
            yield sqrt(x)
        out[i] = y
",
        expect![[r#"
            kernel f(a: f32[n], out: f32[n], n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let _0 = (x < 0.0)
                    let _1 = if any((active & _0)):
                        yield (x * 2.0)
                    else:
                        yield splat(0.0)
                    let _2 = if any((active & (~_0))):
                        yield sqrt(x)
                    else:
                        yield splat(0.0)
                    let y = select(_0, _1, _2)
                    masked_store(out, i, y, active)
        "#]],
    );
    check_specialised(
        "\
kernel f(a: i32[n], out: i32[n], n: i32):
    foreach i in range(0, 64):
        let x = a[i]
        let y = cwhile (y0 < x) with y0 = 1:
            yield (y0 * 2)
        out[i] = y
",
        expect![[r#"
            kernel f(a: i32[n], out: i32[n], n):
                vector_for base in range(0, 64, LANES):
                    let i = (base + lane_id)
                    let x = vector_load(a, i)
                    let _0, _1, y = cwhile with there = splat(true), y0 = 1, y0_kept = splat(1):
                        let stays = (there & (y0 < x))
                    do any(stays):
                        let _2, _3, _4 = if none((~stays)):
                            let _5 = (y0 * 2)
                            yield splat(true), _5, splat(_5)
                        else:
                            let _6 = (y0 * 2)
                            yield stays, _6, select(stays, _6, y0_kept)
                        yield _2, _3, _4
                    vector_store(out, i, y)
        "#]],
    );
}

#[test]
fn what_masks_do_not_make_dearer_has_no_copy_without_them() {
    check(
        "\
kernel f(a: f32[n], b: f32[m], n: i32, m: i32):
    for i in range(0, n):
        let x = a[i]
        let y = cif (x > b[0]):
            let z = cif (x > b[1]):
                let w = cif (x > b[2]):
                    yield (x / b[3])
                else:
                    yield b[4]
                yield w
            else:
                yield x
            yield z
        else:
            yield 0.0
        a[i] = y
",
        expect![[r#"
            kernel f(a: f32[n], b: f32[m], n, m):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let _0 = (x > b[0])
                    let _1 = (active & _0)
                    let _2 = if any(_1):
                        let _3 = (x > b[1])
                        let _4 = (_1 & _3)
                        let _5 = if any(_4):
                            let _6 = (x > b[2])
                            let _7 = if any((_4 & _6)):
                                yield (x / b[3])
                            else:
                                yield splat(0.0)
                            let _8 = if any((_4 & (~_6))):
                                yield b[4]
                            else:
                                yield 0.0
                            let w = select(_6, _7, _8)
                            yield w
                        else:
                            yield splat(0.0)
                        let z = select(_3, _5, x)
                        yield z
                    else:
                        yield splat(0.0)
                    let y = select(_0, _2, 0.0)
                    masked_store(a, i, y, active)
        "#]],
    );
}

#[test]
fn cells_are_packed_in_a_row() {
    check(
        "\
kernel f(a: f32[n], out: f32[r, n], t: i32, n: i32, r: i32) -> i32:
    let count = for i in range(0, n) with k = 0:
        let x = a[i]
        let next = if (x > 0.0):
            out[t, k] = x
            yield (k + 1)
        else:
            yield k
        yield next
    return count
",
        expect![[r#"
            kernel f(a: f32[n], out: f32[r, n], t, n, r) -> i32:
                let count = vector_for base in range(0, n, LANES) with k = 0:
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let _0 = (x > 0.0)
                    let k_1 = (k +% i32(scan_add(u32(select(_0, 1, 0)), active)))
                    compress_store(out, t, k, x, (active & _0))
                    let next = select(_0, (k_1 + 1), k_1)
                    yield (k +% count_on(_0, active))
                return count
        "#]],
    );
}

#[test]
fn an_array_that_is_the_same_in_all_lanes_is_one() {
    // What is stored in `same` is uniform, at uniform places, by all lanes; in the others a value, a place or who stores is not.
    check(
        "\
kernel f(a: i32[n], b: i32[m], n: i32, m: i32):
    foreach i in range(0, n):
        let same = temp(4, type=i32)
        let other = temp(4, type=i32)
        let there = temp(4, type=i32)
        let some = temp(4, type=i32)
        for k in range(0, 4):
            same[k] = (b[k] + same[0])
        other[1] = a[i]
        there[(i & 3)] = 1
        if (a[i] > 0):
            some[2] = same[1]
        let at = same[b[0]]
        a[i] = (((same[(i & 3)] + other[at]) + there[at]) + some[at])
",
        expect![[r#"
            kernel f(a: i32[n], b: i32[m], n, m):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let same = temp(4, type=i32)
                    let other = temp(4, 8, type=i32)
                    let there = temp(4, 8, type=i32)
                    let some = temp(4, 8, type=i32)
                    for k in range(0, 4):
                        same[k] = (b[k] + same[0])
                    masked_store(other, 1, lane_id, masked_load(a, i, active), active)
                    scatter(there, (i & 3), lane_id, 1, active)
                    let _0 = (active & (masked_load(a, i, active) > 0))
                    if any(_0):
                        masked_store(some, 2, lane_id, same[1], _0)
                    let at = same[b[0]]
                    masked_store(a, i, (((gather(same, (i & 3), active) + masked_load(other, at, lane_id, active)) + masked_load(there, at, lane_id, active)) + masked_load(some, at, lane_id, active)), active)
        "#]],
    );
}

#[test]
fn extremes_under_a_condition_are_joined_by_halves() {
    check(
        "\
kernel f(a: f32[n], n: i32, from: f32) -> f32:
    let least, most = for i in range(0, n) with l = a[0], m = a[1]:
        let x = a[i]
        let l1, m1 = if (x > from):
            yield min(l, x), max(m, x)
        else:
            yield l, m
        yield l1, m1
    return (least + most)
",
        expect![[r#"
            kernel f(a: f32[n], n, from_1) -> f32:
                let least, most = vector_for base in range(0, n, LANES) with l = a[0], m = a[1]:
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let _0 = (x > from_1)
                    let _1 = (active & _0)
                    let l1 = select(_0, min(l, x), l)
                    let m1 = select(_0, max(m, x), m)
                    let changes = (active & ((bitcast(l1, type=u32) != bitcast(l, type=u32)) | (bitcast(m1, type=u32) != bitcast(m, type=u32))))
                    let _2, _3 = if any(changes):
                        let _4, _5 = if ((any(isnan(x), (active & _0)) | isnan(l)) | (any(isnan(x), (active & _0)) | isnan(m))):
                            let _6, _7 = for lane in range(first_on(changes), 8) with l_1 = l, m_1 = m:
                                let _8, _9 = if extract(active, lane):
                                    let _10 = extract(_0, lane)
                                    let _11 = extract(x, lane)
                                    let _12, _13 = if _10:
                                        yield min(l_1, _11), max(m_1, _11)
                                    else:
                                        yield l_1, m_1
                                    yield _12, _13
                                else:
                                    yield l_1, m_1
                                yield _8, _9
                            yield _6, _7
                        else:
                            let _14 = splat(inf)
                            let _15 = select((active & _0), x, _14)
                            let _16 = min(_15, permute(_15, _14, pattern=[1, 2, 3, 4, 5, 6, 7, 15]))
                            let _17 = min(_16, permute(_16, _14, pattern=[2, 3, 4, 5, 6, 7, 14, 15]))
                            let _18 = splat(-inf)
                            let _19 = select((active & _0), x, _18)
                            let _20 = max(_19, permute(_19, _18, pattern=[1, 2, 3, 4, 5, 6, 7, 15]))
                            let _21 = max(_20, permute(_20, _18, pattern=[2, 3, 4, 5, 6, 7, 14, 15]))
                            yield min(l, extract(min(_17, permute(_17, _14, pattern=[4, 5, 6, 7, 12, 13, 14, 15])), 0)), max(m, extract(max(_21, permute(_21, _18, pattern=[4, 5, 6, 7, 12, 13, 14, 15])), 0))
                        yield _4, _5
                    else:
                        yield l, m
                    yield _2, _3
                return (least + most)
        "#]],
    );
}

#[test]
fn a_sum_that_nothing_is_added_to_stays_what_it_was() {
    check(
        "\
kernel same(out: i32[n], n: i32, c: bool):
    let v = for i in range(0, n) with v = 4:
        let w = if c:
            yield (v + 0)
        else:
            yield v
        out[i] = w
        yield w
    out[0] = v
",
        expect![[r#"
            kernel same(out: i32[n], n, c: bool):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let w = if c:
                        let _0 = (4 + 0)
                        yield 4
                    else:
                        yield 4
                    masked_store(out, i, w, active)
                out[0] = 4
        "#]],
    );
}

#[test]
fn constants_that_unrolling_leaves_need_no_lane() {
    check(
        "\
kernel k(a, out: i32[n], n):
    for i in range(0, n):
        let bits = if (a[i] > 0.0):
            yield (1 << 3)
        else:
            yield 0
        out[i] = bits
",
        expect![[r#"
            kernel k(a, out: i32[n], n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let _0 = (masked_load(a, i, active) > 0.0)
                    let _1 = (active & _0)
                    let bits = select(_0, (1 << 3), 0)
                    masked_store(out, i, bits, active)
        "#]],
    );
}

#[test]
fn lanes_hold_what_the_last_one_before_them_chose() {
    check(
        "\
kernel held(a: f32[n], b: f32[n], c: i64[n], n) -> f32:
    let s, t = for i in range(0, n) with s = 0.5, t = i64(3):
        let s_1 = if (b[i] > 0.0):
            yield b[i]
        else:
            yield s
        a[i] = s_1
        let t_1 = select((c[i] < 0), t, c[i])
        c[i] = (t_1 +% 1)
        yield s_1, t_1
    c[0] = t
    return s
",
        expect![[r#"
            kernel held(a: f32[n], b: f32[n], c: i64[n], n) -> f32:
                let _0, _1 = vector_for base in range(0, n, LANES) with s = splat(0.5), t = splat(3):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let _2 = (masked_load(b, i, active) > 0.0)
                    let _3 = masked_load(b, i, (active & _2))
                    let s_1 = select(_2, _3, s)
                    let _4 = select((active & _2), lane_id, -1)
                    let _5 = max(_4, permute(_4, pattern=[0, 0, 1, 2]))
                    let from_1 = max(_5, permute(_5, pattern=[0, 0, 0, 1]))
                    let _6 = lookup(_3, from_1)
                    let s_1_1 = select((from_1 >= 0), _6, s)
                    masked_store(a, i, s_1_1, active)
                    let _7 = (masked_load(c, i, active) < 0)
                    let _8 = masked_load(c, i, active)
                    let t_1 = select(_7, t, _8)
                    let _9 = select((active & (~_7)), lane_id, -1)
                    let _10 = max(_9, permute(_9, pattern=[0, 0, 1, 2]))
                    let from_2 = max(_10, permute(_10, pattern=[0, 0, 0, 1]))
                    let _11 = lookup(_8, from_2)
                    let t_1_1 = select((from_2 >= 0), _11, t)
                    masked_store(c, i, (t_1_1 +% 1), active)
                    yield select((permute(from_1, pattern=[3, 3, 3, 3]) >= 0), permute(_6, pattern=[3, 3, 3, 3]), s), select((permute(from_2, pattern=[3, 3, 3, 3]) >= 0), permute(_11, pattern=[3, 3, 3, 3]), t)
                let s_2 = extract(_0, 0)
                let t_2 = extract(_1, 0)
                c[0] = t_2
                return s_2
        "#]],
    );
    // What an iteration does with the value from before it needs the lanes in order.
    check(
        "\
kernel used_before(a: f32[n], b: f32[n], n):
    let s = for i in range(0, n) with s = 0.5:
        a[i] = s
        let s_1 = if (b[i] > 0.0):
            yield b[i]
        else:
            yield s
        yield s_1
",
        expect![[r#"
            kernel used_before(a: f32[n], b: f32[n], n):
                let s = for i in range(0, n) with s_1 = 0.5:
                    a[i] = s_1
                    let s_1_1 = if (b[i] > 0.0):
                        yield b[i]
                    else:
                        yield s_1
                    yield s_1_1
        "#]],
    );
}
