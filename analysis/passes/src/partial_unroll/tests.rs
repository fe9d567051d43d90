//! Loops that are unrolled in part, with what was decided, and groups of lanes that are asked for.

use expect_test::{Expect, expect};

use crate::shown::at_stage;

fn check_at(stage: &str, text: &str, expect: Expect) {
    expect.assert_eq(&at_stage(stage, "avx2", text));
}

fn check(text: &str, expect: Expect) {
    check_at("packed", text, expect);
}

/// A recurrence, which stays in order.
fn recurrence(times: u16, range: &str) -> String {
    format!(
        "\
kernel k(a: f32[n], out: f32[n], n, m) -> f32:
    @unroll({times})
    let s = for i in range({range}) with s = 0.0:
        let t = ((s * 0.5) + a[i])
        out[i] = t
        yield t
    return s
"
    )
}

#[test]
fn a_round_has_as_many_iterations_as_are_asked_for() {
    check(
        &recurrence(2, "0, n"),
        expect![[r#"
        kernel k(a: f32[n], out: f32[n], n, m) -> f32:
            let _0 = max(n, 0)
            let end = (_0 -% (_0 % 2))
            @rolled
            @in_order(linear-recurrence)
            let _1 = for i in range(0, end, 2) with s = 0.0:
                let t = ((s * 0.5) + a[i])
                out[i] = t
                let _2 = advance(i, 1)
                let t_1 = ((t * 0.5) + a[_2])
                out[_2] = t_1
                yield t_1
            @rolled
            @in_order(linear-recurrence)
            let s_1 = for i_1 in range(end, n) with s_2 = _1:
                let t_2 = ((s_2 * 0.5) + a[i_1])
                out[i_1] = t_2
                yield t_2
            return s_1
        # unrolled-in-part: 2 iterations are done in each round, as `@unroll` asks for
        # left not-packed: 2 statements that store to neighbouring cells are not one vector store: the block would cost 22 instead of 22
    "#]],
    );
}

#[test]
fn a_range_may_start_anywhere_and_go_downwards() {
    check(
        &recurrence(2, "m, n, 3"),
        expect![[r#"
        kernel k(a: f32[n], out: f32[n], n, m) -> f32:
            let _0 = u32((max(m, n) -% m))
            let end = (m +% i32((_0 -% (_0 % 6))))
            @rolled
            @in_order(linear-recurrence)
            let _1 = for i in range(m, end, 6) with s = 0.0:
                let t = ((s * 0.5) + a[i])
                out[i] = t
                let _2 = advance(i, 3)
                let t_1 = ((t * 0.5) + a[_2])
                out[_2] = t_1
                yield t_1
            @rolled
            @in_order(linear-recurrence)
            let s_1 = for i_1 in range(end, n, 3) with s_2 = _1:
                let t_2 = ((s_2 * 0.5) + a[i_1])
                out[i_1] = t_2
                yield t_2
            return s_1
        # unrolled-in-part: 2 iterations are done in each round, as `@unroll` asks for
    "#]],
    );
    check(
        &recurrence(2, "n, m, -1"),
        expect![[r#"
        kernel k(a: f32[n], out: f32[n], n, m) -> f32:
            let _0 = u32((n -% min(n, m)))
            let end = (n -% i32((_0 -% (_0 % 2))))
            @rolled
            @in_order(linear-recurrence)
            let _1 = for i in range(n, end, -2) with s = 0.0:
                let t = ((s * 0.5) + a[i])
                out[i] = t
                let _2 = advance(i, -1)
                let t_1 = ((t * 0.5) + a[_2])
                out[_2] = t_1
                yield t_1
            @rolled
            @in_order(linear-recurrence)
            let s_1 = for i_1 in range(end, m, -1) with s_2 = _1:
                let t_2 = ((s_2 * 0.5) + a[i_1])
                out[i_1] = t_2
                yield t_2
            return s_1
        # unrolled-in-part: 2 iterations are done in each round, as `@unroll` asks for
        # left not-packed: 2 statements that store to neighbouring cells are not one vector store: the block would cost 22 instead of 22
    "#]],
    );
}

#[test]
fn known_ranges_have_known_rounds() {
    check(
        &recurrence(2, "0, 7"),
        expect![[r#"
        kernel k(a: f32[n], out: f32[n], n, m) -> f32:
            @rolled
            @in_order(linear-recurrence)
            let _0 = for i in range(0, 6, 2) with s = 0.0:
                let t = ((s * 0.5) + a[i])
                out[i] = t
                let _1 = advance(i, 1)
                let t_1 = ((t * 0.5) + a[_1])
                out[_1] = t_1
                yield t_1
            @rolled
            @in_order(linear-recurrence)
            let s_1 = for i_1 in range(6, 7) with s_2 = _0:
                let t_2 = ((s_2 * 0.5) + a[i_1])
                out[i_1] = t_2
                yield t_2
            return s_1
        # unrolled-in-part: 2 iterations are done in each round, as `@unroll` asks for
        # left not-packed: 2 statements that store to neighbouring cells are not one vector store: the block would cost 22 instead of 22
    "#]],
    );
    // No more than are asked for: the loop goes away.
    check(
        &recurrence(4, "0, 3"),
        expect![[r#"
            kernel k(a: f32[n], out: f32[n], n, m) -> f32:
                let t = ((0.0 * 0.5) + a[0])
                out[0] = t
                let t_1 = ((t * 0.5) + a[1])
                out[1] = t_1
                let t_2 = ((t_1 * 0.5) + a[2])
                out[2] = t_2
                return t_2
            # rounds-written-out: iterations that stand one after the other now: 3
            # left not-packed: 3 statements that store to neighbouring cells are not one vector store: the block would cost 36 instead of 28
        "#]],
    );
}

#[test]
fn one_iteration_is_one_in_machine_code() {
    check(
        &recurrence(1, "0, n"),
        expect![[r#"
        kernel k(a: f32[n], out: f32[n], n, m) -> f32:
            @rolled
            @in_order(linear-recurrence)
            let s = for i in range(0, n) with s_1 = 0.0:
                let t = ((s_1 * 0.5) + a[i])
                out[i] = t
                yield t
            return s
    "#]],
    );
}

#[test]
fn what_cannot_be_unrolled_says_why() {
    check(
        &recurrence(2, "0, n, m"),
        expect![[r#"
        kernel k(a: f32[n], out: f32[n], n, m) -> f32:
            @unroll(2)
            @in_order(linear-recurrence)
            let s = for i in range(0, n, m) with s_1 = 0.0:
                let t = ((s_1 * 0.5) + a[i])
                out[i] = t
                yield t
            return s
        # left unrolled-in-part: its step is not known before the program runs
    "#]],
    );
    let joined = "\
kernel k(a: f32[n], b: i32[n], out: f32[n], n) -> f32:
    @unroll(2)
    let s = for i in range(0, n) reducing + from 0.0:
        let j = b[i]
        out[j] = (out[j] + 1.0)
        yield a[i]
    return s
";
    check(
        joined,
        expect![[r#"
        kernel k(a: f32[n], b: i32[n], out: f32[n], n) -> f32:
            @unroll(2)
            @in_order(histogram)
            let s = for i in range(0, n) reducing + from 0.0:
                let j = b[i]
                out[j] = (out[j] + 1.0)
                yield a[i]
            return s
        # left unrolled-in-part: its sum has a fixed order, which takes iterations one by one
    "#]],
    );
}

#[test]
fn statements_of_neighbouring_iterations_are_packed() {
    let text = "\
kernel k(a: f32[n], b: f32[n], c: f32[n], out: f32[n], n) -> f32:
    @unroll(8)
    let s = for i in range(0, n) with s = 0.0:
        let t = ((s * 0.5) + a[i])
        out[i] = (((t * t) * b[i]) + ((t + c[i]) * (b[i] - c[i])))
        yield t
    return s
";
    check(
        text,
        expect![[r#"
        kernel k(a: f32[n], b: f32[n], c: f32[n], out: f32[n], n) -> f32:
            let _0 = max(n, 0)
            let end = (_0 -% (_0 % 8))
            @rolled
            @in_order(linear-recurrence)
            let _1 = for i in range(0, end, 8) with s = 0.0:
                let t = ((s * 0.5) + a[i])
                let t_1 = ((t * 0.5) + a[advance(i, 1)])
                let t_2 = ((t_1 * 0.5) + a[advance(i, 2)])
                let t_3 = ((t_2 * 0.5) + a[advance(i, 3)])
                let t_4 = ((t_3 * 0.5) + a[advance(i, 4)])
                let t_5 = ((t_4 * 0.5) + a[advance(i, 5)])
                let t_6 = ((t_5 * 0.5) + a[advance(i, 6)])
                let t_7 = ((t_6 * 0.5) + a[advance(i, 7)])
                let _2 = pack(t, t_1, t_2, t_3, t_4, t_5, t_6, t_7)
                let _3 = vector_load(b, i, lanes=8)
                let _4 = vector_load(c, i, lanes=8)
                vector_store(out, i, (((_2 * _2) * _3) + ((_2 + _4) * (_3 - _4))))
                yield t_7
            @rolled
            @in_order(linear-recurrence)
            let s_1 = for i_1 in range(end, n) with s_2 = _1:
                let t_8 = ((s_2 * 0.5) + a[i_1])
                let _5 = b[i_1]
                let _6 = c[i_1]
                out[i_1] = (((t_8 * t_8) * _5) + ((t_8 + _6) * (_5 - _6)))
                yield t_8
            return s_1
        # unrolled-in-part: 8 iterations are done in each round, as `@unroll` asks for
        # loaded-before: its cells were loaded or stored shortly before
        # packed: 8 statements that store to neighbouring cells are one vector store behind 6 vector operations: the block costs 110 instead of 222
    "#]],
    );
}

#[test]
fn loops_in_lanes_have_as_many_groups_in_a_round() {
    let text = |marks: &str| {
        format!(
            "\
kernel k(a: f32[n], out: f32[n], n):
    {marks}
    for i in range(0, n):
        out[i] = (a[i] * 2.0)
"
        )
    };
    check_at(
        "final",
        &text("@unroll(2)"),
        expect![[r#"
        kernel k(a: f32[n], out: f32[n], n):
            let whole = (n -% (n % 8))
            let _0 = max(whole, 0)
            let end = (_0 -% (_0 % 16))
            @unroll(2)
            @rolled
            vector_for base in range(0, end, (LANES * 2)):
                let i = (base + lane_id)
                let i_1 = (advance(base, 8) + lane_id)
                let _1 = vector_load(a, i)
                let _2 = vector_load(a, i_1)
                vector_store(out, i, (_1 * 2.0))
                vector_store(out, i_1, (_2 * 2.0))
            @unroll(2)
            @rolled
            vector_for base_1 in range(end, whole, LANES):
                let i_2 = (base_1 + lane_id)
                vector_store(out, i_2, (vector_load(a, i_2) * 2.0))
            @unroll(2)
            if (whole < n):
                let i_3 = (whole + lane_id)
                let active = active_lanes(whole, n)
                masked_store(out, i_3, (masked_load(a, i_3, active) * 2.0), active)
        # groups-interleaved: 2 groups of lanes are done in each round, as `@unroll` asks for, each operation for all of them before the next, since no group touches a cell that another one writes
    "#]],
    );
    check_at(
        "final",
        &text("@lanes(1)\n    @unroll(2)"),
        expect![[r#"
        kernel k(a: f32[n], out: f32[n], n):
            let _0 = max(n, 0)
            let end = (_0 -% (_0 % 2))
            @lanes(1)
            @unroll(2)
            @rolled
            vector_for base in range(0, end, (LANES * 2)):
                let i = (base + lane_id)
                let i_1 = (advance(base, 1) + lane_id)
                let _1 = vector_load(a, i)
                let _2 = vector_load(a, i_1)
                vector_store(out, i, (_1 * 2.0))
                vector_store(out, i_1, (_2 * 2.0))
            @lanes(1)
            @unroll(2)
            @rolled
            vector_for base_1 in range(end, n, LANES):
                let i_2 = (base_1 + lane_id)
                vector_store(out, i_2, (vector_load(a, i_2) * 2.0))
        # groups-interleaved: 2 groups of lanes are done in each round, as `@unroll` asks for, each operation for all of them before the next, since no group touches a cell that another one writes
    "#]],
    );
    check_at(
        "final",
        &text("@unroll(1)"),
        expect![[r#"
        kernel k(a: f32[n], out: f32[n], n):
            let whole = (n -% (n % 8))
            @unroll(1)
            @rolled
            vector_for base in range(0, whole, LANES):
                let i = (base + lane_id)
                vector_store(out, i, (vector_load(a, i) * 2.0))
            @unroll(1)
            if (whole < n):
                let i_1 = (whole + lane_id)
                let active = active_lanes(whole, n)
                masked_store(out, i_1, (masked_load(a, i_1, active) * 2.0), active)
    "#]],
    );
}

#[test]
fn groups_that_wait_for_each_other_stand_one_after_the_other() {
    let text = "\
kernel k(a: f32[(n + 8)], n):
    @unroll(2)
    for i in range(0, n):
        a[(i + 8)] = (a[i] * 2.0)
";
    check_at(
        "final",
        text,
        expect![[r#"
        kernel k(a: f32[(n + 8)], n):
            let whole = (n -% (n % 8))
            let _0 = max(whole, 0)
            let end = (_0 -% (_0 % 16))
            @unroll(2)
            @rolled
            vector_for base in range(0, end, (LANES * 2)):
                let _1 = advance(base, 8)
                let i = (base + lane_id)
                vector_store(a, (i + 8), (vector_load(a, i) * 2.0))
                let i_1 = (_1 + lane_id)
                vector_store(a, (i_1 + 8), (vector_load(a, i_1) * 2.0))
            @unroll(2)
            @rolled
            vector_for base_1 in range(end, whole, LANES):
                let i_2 = (base_1 + lane_id)
                vector_store(a, (i_2 + 8), (vector_load(a, i_2) * 2.0))
            @unroll(2)
            if (whole < n):
                let i_3 = (whole + lane_id)
                let active = active_lanes(whole, n)
                masked_store(a, (i_3 + 8), (masked_load(a, i_3, active) * 2.0), active)
        # groups-interleaved: 2 groups of lanes are done in each round, as `@unroll` asks for, one after the other
    "#]],
    );
}
