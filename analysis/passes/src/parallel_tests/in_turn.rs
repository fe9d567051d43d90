//! Tests of loops whose lanes take turns.

use expect_test::{Expect, expect};

use crate::pipeline::{self, Options};
use ir::{print, read};

/// A kernel at the stage `specialised`, behind all that leads there; `-` if its loop stays in order.
fn check(text: &str, expect: Expect) {
    let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let reached = pipeline::run(kernel, &Options { lanes: Some(4), ..Options::default() }, true).expect("stages");
    let stage = |name: &str| reached.iter().find(|stage| stage.stage == name).expect("a stage");
    let is_vector = stage("vector").kernel.lanes.is_some();
    let shown = if is_vector { print(&stage("final").kernel).text } else { "-".to_owned() };
    expect.assert_eq(&shown);
}

#[test]
fn a_strict_sum_of_much_work_is_added_lane_after_lane() {
    check(
        "\
kernel strict(x: f32[n], w: f32[n], n: i32) -> f32:
    let s = for i in range(0, n) with s = 0.0:
        yield (s + ((x[i] * w[i]) / sqrt((1.0 + (x[i] * x[i])))))
    return s
",
        expect![[r#"
            kernel strict(x: f32[n], w: f32[n], n) -> f32:
                let whole = (n -% (n % 4))
                let s = vector_for base in range(0, whole, LANES) with s_1 = 0.0:
                    let i = (base + lane_id)
                    let _0 = vector_load(x, base)
                    let _1 = ((_0 * vector_load(w, i)) / sqrt((1.0 + (_0 * _0))))
                    yield ((((s_1 + extract(_1, 0)) + extract(_1, 1)) + extract(_1, 2)) + extract(_1, 3))
                let s_2 = if (whole < n):
                    let i_1 = (whole + lane_id)
                    let active = active_lanes(whole, n)
                    let _2 = masked_load(x, whole, active)
                    let _3 = ((_2 * masked_load(w, i_1, active)) / sqrt((1.0 + (_2 * _2))))
                    let _4 = if extract(active, 0):
                        yield (s + extract(_3, 0))
                    else:
                        yield s
                    let _5 = if extract(active, 1):
                        yield (_4 + extract(_3, 1))
                    else:
                        yield _4
                    let _6 = if extract(active, 2):
                        yield (_5 + extract(_3, 2))
                    else:
                        yield _5
                    let _7 = if extract(active, 3):
                        yield (_6 + extract(_3, 3))
                    else:
                        yield _6
                    yield _7
                else:
                    yield s
                return s_2
        "#]],
    );
}

#[test]
fn a_sum_of_little_work_stays_in_order() {
    check(
        "\
kernel dot(x: f32[n], w: f32[n], n: i32) -> f32:
    let s = for i in range(0, n) with s = 0.0:
        yield (s + (x[i] * w[i]))
    return s
",
        expect![[r#"-"#]],
    );
}

#[test]
fn what_the_rest_sees_of_the_chain_is_put_together() {
    check(
        "\
kernel filter(x: f32[n], y: f32[n], z: f32[n], k: f32, n: i32) -> f32:
    let s = for i in range(0, n) with s = 0.0:
        let g = (sqrt(x[i]) / (1.0 + (x[i] * x[i])))
        y[i] = (s * (1.0 / sqrt(g)))
        let next = (s + ((g - s) * k))
        z[i] = next
        yield next
    return s
",
        expect![[r#"
            kernel filter(x: f32[n], y: f32[n], z: f32[n], k, n) -> f32:
                let whole = (n -% (n % 4))
                let s = vector_for base in range(0, whole, LANES) with s_1 = 0.0:
                    let i = (base + lane_id)
                    let _0 = vector_load(x, base)
                    let g = (sqrt(_0) / (1.0 + (_0 * _0)))
                    let _1 = (s_1 + ((extract(g, 0) - s_1) * k))
                    let _2 = (_1 + ((extract(g, 1) - _1) * k))
                    let _3 = (_2 + ((extract(g, 2) - _2) * k))
                    let _4 = (_3 + ((extract(g, 3) - _3) * k))
                    let s_2 = pack(s_1, _1, _2, _3)
                    let next = pack(_1, _2, _3, _4)
                    vector_store(y, i, (s_2 * (1.0 / sqrt(g))))
                    vector_store(z, i, next)
                    yield _4
                let s_3 = if (whole < n):
                    let i_1 = (whole + lane_id)
                    let active = active_lanes(whole, n)
                    let _5 = masked_load(x, whole, active)
                    let g_1 = (sqrt(_5) / (1.0 + (_5 * _5)))
                    let _6, _7, _8 = if extract(active, 0):
                        let _9 = (s + ((extract(g_1, 0) - s) * k))
                        yield _9, s, _9
                    else:
                        yield s, 0.0, 0.0
                    let _10, _11, _12 = if extract(active, 1):
                        let _13 = (_6 + ((extract(g_1, 1) - _6) * k))
                        yield _13, _6, _13
                    else:
                        yield _6, 0.0, 0.0
                    let _14, _15, _16 = if extract(active, 2):
                        let _17 = (_10 + ((extract(g_1, 2) - _10) * k))
                        yield _17, _10, _17
                    else:
                        yield _10, 0.0, 0.0
                    let _18, _19, _20 = if extract(active, 3):
                        let _21 = (_14 + ((extract(g_1, 3) - _14) * k))
                        yield _21, _14, _21
                    else:
                        yield _14, 0.0, 0.0
                    let s_4 = pack(_7, _11, _15, _19)
                    let next_1 = pack(_8, _12, _16, _20)
                    masked_store(y, i_1, (s_4 * (1.0 / sqrt(g_1))), active)
                    masked_store(z, i_1, next_1, active)
                    yield _18
                else:
                    yield s
                return s_3
        "#]],
    );
}

#[test]
fn what_the_chain_needs_has_to_come_before_what_needs_the_chain() {
    // The load of `a` may not go before the store.
    check(
        "\
kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
    let s = for i in range(0, n) with s = 0.0:
        a[i] = (s / sqrt(b[i]))
        yield (s + (sqrt((1.0 / a[i])) / b[i]))
    return s
",
        expect![[r#"-"#]],
    );
    // The load of `b` may, since nothing is stored there.
    check(
        "\
kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
    let s = for i in range(0, n) with s = 0.0:
        a[i] = (s / sqrt((b[i] + 1.0)))
        yield (s + (sqrt((1.0 / b[i])) / b[i]))
    return s
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], n) -> f32:
                let whole = (n -% (n % 4))
                let s = vector_for base in range(0, whole, LANES) with s_1 = 0.0:
                    let i = (base + lane_id)
                    let _0 = vector_load(b, base)
                    let _1 = (sqrt((1.0 / _0)) / _0)
                    let _2 = (s_1 + extract(_1, 0))
                    let _3 = (_2 + extract(_1, 1))
                    let _4 = (_3 + extract(_1, 2))
                    let _5 = extract(_1, 3)
                    let s_2 = pack(s_1, _2, _3, _4)
                    vector_store(a, i, (s_2 / sqrt((_0 + 1.0))))
                    yield (_4 + _5)
                let s_3 = if (whole < n):
                    let i_1 = (whole + lane_id)
                    let active = active_lanes(whole, n)
                    let _6 = masked_load(b, whole, active)
                    let _7 = (sqrt((1.0 / _6)) / _6)
                    let _8, _9 = if extract(active, 0):
                        yield (s + extract(_7, 0)), s
                    else:
                        yield s, 0.0
                    let _10, _11 = if extract(active, 1):
                        yield (_8 + extract(_7, 1)), _8
                    else:
                        yield _8, 0.0
                    let _12, _13 = if extract(active, 2):
                        yield (_10 + extract(_7, 2)), _10
                    else:
                        yield _10, 0.0
                    let _14, _15 = if extract(active, 3):
                        yield (_12 + extract(_7, 3)), _12
                    else:
                        yield _12, 0.0
                    let s_4 = pack(_9, _11, _13, _15)
                    masked_store(a, i_1, (s_4 / sqrt((_6 + 1.0))), active)
                    yield _14
                else:
                    yield s
                return s_3
        "#]],
    );
}

#[test]
fn a_branch_of_the_chain_is_one_of_each_lane() {
    check(
        "\
kernel k(a: f32[n], n: i32) -> f32:
    let s = for i in range(0, n) with s = 0.0:
        let x = (sqrt(a[i]) / (a[i] + 1.0))
        let next = if (x > s):
            yield (s * x)
        else:
            yield (s + x)
        yield next
    return s
",
        expect!["-"],
    );
}

#[test]
fn a_cell_of_the_iteration_before_is_handed_on_as_a_value() {
    check(
        "\
kernel chain(a: f32[n], b: f32[n], n: i32):
    for i in range(1, n):
        a[i] = ((a[(i - 1)] * 0.5) + (sqrt(b[i]) / (b[i] + 1.0)))
",
        expect![[r#"
            kernel chain(a: f32[n], b: f32[n], n):
                let _0 = if (1 < n):
                    yield a[0]
                else:
                    yield 0.0
                let _1 = u32((max(1, n) -% 1))
                let whole = (1 +% i32((_1 -% (_1 % 4))))
                let _2 = vector_for base in range(1, whole, LANES) with before = _0:
                    let i = (base + lane_id)
                    let _3 = vector_load(b, base)
                    let _4 = (sqrt(_3) / (_3 + 1.0))
                    let _5 = ((before * 0.5) + extract(_4, 0))
                    let _6 = ((_5 * 0.5) + extract(_4, 1))
                    let _7 = ((_6 * 0.5) + extract(_4, 2))
                    let _8 = ((_7 * 0.5) + extract(_4, 3))
                    vector_store(a, i, pack(_5, _6, _7, _8))
                    yield _8
                if (whole < n):
                    let i_1 = (whole + lane_id)
                    let active = active_lanes(whole, n)
                    let _9 = masked_load(b, whole, active)
                    let _10 = (sqrt(_9) / (_9 + 1.0))
                    let _11, _12 = if extract(active, 0):
                        let _13 = ((_2 * 0.5) + extract(_10, 0))
                        yield _13, _13
                    else:
                        yield _2, 0.0
                    let _14, _15 = if extract(active, 1):
                        let _16 = ((_11 * 0.5) + extract(_10, 1))
                        yield _16, _16
                    else:
                        yield _11, 0.0
                    let _17, _18 = if extract(active, 2):
                        let _19 = ((_14 * 0.5) + extract(_10, 2))
                        yield _19, _19
                    else:
                        yield _14, 0.0
                    let _20 = if extract(active, 3):
                        yield ((_17 * 0.5) + extract(_10, 3))
                    else:
                        yield 0.0
                    masked_store(a, i_1, pack(_12, _15, _18, _20), active)
        "#]],
    );
    // Downwards, and in place.
    check(
        "\
kernel back(a: f32[n], n: i32):
    for i in range((n - 2), -1, -1):
        a[i] = ((a[(i + 1)] * 0.5) + (sqrt(a[i]) / (a[i] + 1.0)))
",
        expect![[r#"
            kernel back(a: f32[n], n):
                let _0 = (n - 2)
                let _1 = if (_0 > -1):
                    yield a[(_0 + 1)]
                else:
                    yield 0.0
                let _2 = u32((max(-1, _0) -% -1))
                let whole = (_0 -% i32((_2 -% (_2 % 4))))
                let _3 = vector_for base in range(_0, whole, (LANES * -1)) with before = _1:
                    let _4 = (index(base) -% 3)
                    let _5 = reverse(vector_load(a, _4))
                    let _6 = (sqrt(_5) / (_5 + 1.0))
                    let _7 = ((before * 0.5) + extract(_6, 0))
                    let _8 = ((_7 * 0.5) + extract(_6, 1))
                    let _9 = ((_8 * 0.5) + extract(_6, 2))
                    let _10 = ((_9 * 0.5) + extract(_6, 3))
                    vector_store(a, _4, reverse(pack(_7, _8, _9, _10)))
                    yield _10
                let _11 = vector_for base_1 in range(whole, -1, (LANES * -1)) with before_1 = _3:
                    let i = lane_index(base_1, -1)
                    let active = (i > -1)
                    let _12 = reverse(masked_load(a, (index(base_1) -% 3), reverse(active)))
                    let _13 = (sqrt(_12) / (_12 + 1.0))
                    let _14, _15 = if extract(active, 0):
                        let _16 = ((before_1 * 0.5) + extract(_13, 0))
                        yield _16, _16
                    else:
                        yield before_1, 0.0
                    let _17, _18 = if extract(active, 1):
                        let _19 = ((_14 * 0.5) + extract(_13, 1))
                        yield _19, _19
                    else:
                        yield _14, 0.0
                    let _20, _21 = if extract(active, 2):
                        let _22 = ((_17 * 0.5) + extract(_13, 2))
                        yield _22, _22
                    else:
                        yield _17, 0.0
                    let _23, _24 = if extract(active, 3):
                        let _25 = ((_20 * 0.5) + extract(_13, 3))
                        yield _25, _25
                    else:
                        yield _20, 0.0
                    scatter(a, i, pack(_15, _18, _21, _24), active)
                    yield _23
        "#]],
    );
    // Another store of the loop may change the cell.
    check(
        "\
kernel two(a: f32[n], b: f32[n], k: i32, n: i32):
    for i in range(1, n):
        a[i] = ((a[(i - 1)] * 0.5) + (sqrt(b[i]) / (b[i] + 1.0)))
        a[k] = b[i]
",
        expect![[r#"-"#]],
    );
    // Not each iteration stores.
    check(
        "\
kernel some(a: f32[n], b: f32[n], n: i32):
    for i in range(1, n):
        if (b[i] > 0.0):
            a[i] = ((a[(i - 1)] * 0.5) + (sqrt(b[i]) / (b[i] + 1.0)))
",
        expect![[r#"-"#]],
    );
}
