//! Sums in the fixed order inside of loops that could have lanes, as they are when loops are ready for lanes.

use expect_test::{Expect, expect};

use crate::shown::at_stage;

fn check(text: &str, expect: Expect) {
    expect.assert_eq(&at_stage("parallel", "avx2", text));
}

#[test]
fn a_sum_of_few_iterations_is_written_out() {
    // Each iteration is a partial result, and these are joined by halves: 0 and 4, 1 and 5, 2 and 6, then neighbours at a distance of 2 and 1.
    let text = |fold: &str| {
        format!(
            "\
kernel k(a: f32[(n + 6)], w: f32[7], out: f32[n], n):
    for i in range(0, n):
        let s = for j in range(0, 7) reducing {fold} from 0.5:
            yield (a[(i + j)] * w[j])
        out[i] = s
"
        )
    };
    check(
        &text("+"),
        expect![[r#"
        kernel k(a: f32[(n + 6)], w: f32[7], out: f32[n], n):
            @in_lanes(8)
            for i in range(0, n):
                let _0 = a[(i + 0)]
                let _1 = w[0]
                let _2 = a[(i + 1)]
                let _3 = w[1]
                let _4 = a[(i + 2)]
                let _5 = w[2]
                let _6 = a[(i + 3)]
                let _7 = w[3]
                let _8 = a[(i + 4)]
                let _9 = w[4]
                let _10 = a[(i + 5)]
                let _11 = w[5]
                let s = (0.5 + ((((_0 * _1) + (_8 * _9)) + ((_4 * _5) + (a[(i + 6)] * w[6]))) + (((_2 * _3) + (_10 * _11)) + (_6 * _7))))
                out[i] = s
        # reduction-in-lanes: each lane has partial results of its own along a loop around this one, which costs 47 % of what lanes along this one cost
    "#]],
    );
    check(
        &text("*"),
        expect![[r#"
        kernel k(a: f32[(n + 6)], w: f32[7], out: f32[n], n):
            @in_lanes(8)
            for i in range(0, n):
                let _0 = a[(i + 0)]
                let _1 = w[0]
                let _2 = a[(i + 1)]
                let _3 = w[1]
                let _4 = a[(i + 2)]
                let _5 = w[2]
                let _6 = a[(i + 3)]
                let _7 = w[3]
                let _8 = a[(i + 4)]
                let _9 = w[4]
                let _10 = a[(i + 5)]
                let _11 = w[5]
                let s = (0.5 * ((((_0 * _1) * (_8 * _9)) * ((_4 * _5) * (a[(i + 6)] * w[6]))) * (((_2 * _3) * (_10 * _11)) * (_6 * _7))))
                out[i] = s
        # reduction-in-lanes: each lane has partial results of its own along a loop around this one, which costs 47 % of what lanes along this one cost
    "#]],
    );
}

#[test]
fn sums_inside_of_a_sum_go_with_it() {
    let text = "\
kernel k(a: f32[h, w], m: f32[3, 3], out: f32[h, w], h, w):
    for y in range(1, (h - 1)):
        for x in range(1, (w - 1)):
            let s = for i in range(0, 3) reducing + from 0.0:
                let t = for j in range(0, 3) reducing + from -0.0:
                    yield (a[((y + i) - 1), ((x + j) - 1)] * m[i, j])
                yield t
            out[y, x] = s
";
    check(
        text,
        expect![[r#"
            kernel k(a: f32[h, w], m: f32[3, 3], out: f32[h, w], h, w):
                @in_order(lanes-elsewhere)
                for y in range(1, (h - 1)):
                    @in_lanes(8)
                    for x in range(1, (w - 1)):
                        let _0 = a[((y + 0) - 1), ((x + 0) - 1)]
                        let _1 = m[0, 0]
                        let _2 = a[((y + 0) - 1), ((x + 1) - 1)]
                        let _3 = m[0, 1]
                        let t = (-0.0 + (((_0 * _1) + (a[((y + 0) - 1), ((x + 2) - 1)] * m[0, 2])) + (_2 * _3)))
                        let _4 = a[((y + 1) - 1), ((x + 0) - 1)]
                        let _5 = m[1, 0]
                        let _6 = a[((y + 1) - 1), ((x + 1) - 1)]
                        let _7 = m[1, 1]
                        let t_1 = (-0.0 + (((_4 * _5) + (a[((y + 1) - 1), ((x + 2) - 1)] * m[1, 2])) + (_6 * _7)))
                        let _8 = a[((y + 2) - 1), ((x + 0) - 1)]
                        let _9 = m[2, 0]
                        let _10 = a[((y + 2) - 1), ((x + 1) - 1)]
                        let _11 = m[2, 1]
                        let t_2 = (-0.0 + (((_8 * _9) + (a[((y + 2) - 1), ((x + 2) - 1)] * m[2, 2])) + (_10 * _11)))
                        let s = (0.0 + ((t + t_2) + t_1))
                        out[y, x] = s
            # reduction-in-lanes: each lane has partial results of its own along a loop around this one, which costs 30 % of what lanes along this one cost
            # left loops-exchanged: with this loop inside there is no less work: 150 % of what there is
        "#]],
    );
}

#[test]
fn a_longer_sum_keeps_its_partial_results_in_each_lane() {
    let text = "\
kernel k(m: f32[h, w], out: f32[w], h, w):
    for j in range(0, w):
        let s = for i in range(0, h) reducing + from 0.0:
            yield m[i, j]
        out[j] = s
";
    check(
        text,
        expect![[r#"
            kernel k(m: f32[h, w], out: f32[w], h, w):
                @in_order(lanes-elsewhere)
                for j in range(0, w):
                    @in_lanes(8)
                    let s = for i in range(0, h) reducing + from 0.0:
                        yield m[i, j]
                    out[j] = s
            # left reduction-in-lanes: each lane has partial results of its own if they run along a loop around this one, which would cost 115 % of what lanes along this one cost
        "#]],
    );
}

#[test]
fn lanes_along_the_sum_stay_where_they_cost_less_or_are_asked_for() {
    let text = |marks: &str, cell: &str| {
        format!(
            "\
kernel k(m: f32[h, w], v: f32[w], out: f32[h], h, w):
    for i in range(0, h):
        {marks}let s = for j in range(0, w) reducing + from 0.0:
            yield ({cell} * v[j])
        out[i] = s
"
        )
    };
    check(
        &text("", "m[i, j]"),
        expect![[r#"
            kernel k(m: f32[h, w], v: f32[w], out: f32[h], h, w):
                @in_order(lanes-elsewhere)
                for i in range(0, h):
                    @in_lanes(8)
                    let s = for j in range(0, w) reducing + from 0.0:
                        yield (m[i, j] * v[j])
                    out[i] = s
            # left reduction-in-lanes: each lane has partial results of its own if they run along a loop around this one, which would cost 379 % of what lanes along this one cost
        "#]],
    );
    check(
        &text("@simd\n        ", "m[j, i]"),
        expect![[r#"
        kernel k(m: f32[h, w], v: f32[w], out: f32[h], h, w):
            @in_order(lanes-elsewhere)
            for i in range(0, h):
                @simd
                @in_lanes(8)
                let s = for j in range(0, w) reducing + from 0.0:
                    yield (m[j, i] * v[j])
                out[i] = s
    "#]],
    );
}
