//! Tests of extremes that lanes keep over the rows of a nest.

use expect_test::{Expect, expect};

use crate::pipeline::{self, Options};
use ir::{print, read};

/// A nest of rows of 16, whose numbers are joined only where they have compared.
const GUARDED: &str = "\
kernel k(a: f32[n, 16], n: i32, near: f32) -> f32:
    let s = for y in range(0, n) with s = near:
        let s_1 = for x in range(0, 16) with s_1 = s:
            let z = a[y, x]
            let s_2 = if (near <= z):
                yield max(s_1, z)
            else:
                yield s_1
            yield s_2
        yield s_1
    return s
";

/// A kernel at a stage.
fn at(stage: &str, text: &str) -> String {
    let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let reached = pipeline::run(kernel, &Options { lanes: Some(4), ..Options::default() }, true).expect("stages");
    let stage = reached.iter().find(|reached| reached.stage == stage).expect("a stage");
    print(&stage.kernel).text
}

fn check(text: &str, expect: Expect) {
    expect.assert_eq(&at("parallel", text));
}

/// Says that no nest of a kernel is another one.
fn stays(text: &str) {
    assert!(!at("parallel", text).contains("@any_order"), "{text}");
}

#[test]
fn a_nest_runs_again_where_order_decides() {
    check(
        "\
kernel k(a: f32[n, 16], n: i32) -> f32:
    let s = for y in range(0, n) with s = inf:
        let s_1 = for x in range(0, 16) with s_1 = s:
            yield min(s_1, a[y, x])
        yield s_1
    return s
",
        expect![[r#"
            kernel k(a: f32[n, 16], n) -> f32:
                @any_order
                @in_order(minimum)
                let s, _0, _1 = for y in range(0, n) with s_1 = inf, nan_1 = 0, minus = 0:
                    @any_order
                    @in_lanes(4)
                    let s_1_1, _2, _3 = for x in range(0, 16) with s_1_2 = s_1, nan_2 = nan_1, minus_1 = minus:
                        let _4 = a[y, x]
                        yield min(s_1_2, _4), (nan_2 | select(isnan(_4), -1, 0)), min(minus_1, bitcast(_4, type=i32))
                    yield s_1_1, _2, _3
                let s_2 = if (((_0 != 0) | (s == 0.0)) | isnan(inf)):
                    let _5 = if (((_0 != 0) | ((s == 0.0) & ((_1 == -2147483648) | (bitcast(inf, type=i32) == -2147483648)))) | isnan(inf)):
                        @in_order(minimum)
                        let s_3 = for y_1 in range(0, n) with s_4 = inf:
                            @in_lanes(4)
                            let s_1_3 = for x_1 in range(0, 16) with s_1_4 = s_4:
                                yield min(s_1_4, a[y_1, x_1])
                            yield s_1_3
                        yield s_3
                    else:
                        yield s
                    yield _5
                else:
                    yield s
                return s_2
        "#]],
    );
}

#[test]
fn what_has_compared_is_no_nan() {
    check(
        GUARDED,
        expect![[r#"
            kernel k(a: f32[n, 16], n, near) -> f32:
                @any_order
                @in_order(maximum)
                let s, _0 = for y in range(0, n) with s_1 = near, minus = 0:
                    @any_order
                    @in_lanes(4)
                    let s_1_1, _1 = for x in range(0, 16) with s_1_2 = s_1, minus_1 = minus:
                        let z = a[y, x]
                        let _2 = (near <= z)
                        let s_2 = if _2:
                            yield max(s_1_2, z)
                        else:
                            yield s_1_2
                        yield s_2, select(_2, min(minus_1, bitcast(z, type=i32)), minus_1)
                    yield s_1_1, _1
                let s_3 = if ((s == 0.0) | isnan(near)):
                    let _3 = if (((s == 0.0) & ((_0 == -2147483648) | (bitcast(near, type=i32) == -2147483648))) | isnan(near)):
                        @in_order(maximum)
                        let s_4 = for y_1 in range(0, n) with s_5 = near:
                            @in_lanes(4)
                            let s_1_3 = for x_1 in range(0, 16) with s_1_4 = s_5:
                                let z_1 = a[y_1, x_1]
                                let s_2_1 = if (near <= z_1):
                                    yield max(s_1_4, z_1)
                                else:
                                    yield s_1_4
                                yield s_2_1
                            yield s_1_3
                        yield s_4
                    else:
                        yield s
                    yield _3
                else:
                    yield s
                return s_3
        "#]],
    );
}

#[test]
fn long_rows_are_joined_as_short_ones() {
    // A number that is taken only where it compares as less may be a NaN.
    check(
        "\
kernel k(a: f32[n, m], n: i32, m: i32) -> f32:
    let s = for y in range(0, n) with s = inf:
        let s_1 = for x in range(0, m) with s_1 = s:
            yield min(a[y, x], s_1)
        yield s_1
    return s
",
        expect![[r#"
            kernel k(a: f32[n, m], n, m) -> f32:
                @any_order
                @in_order(minimum)
                let s, _0 = for y in range(0, n) with s_1 = inf, minus = 0:
                    @any_order
                    @in_lanes(4)
                    let s_1_1, _1 = for x in range(0, m) with s_1_2 = s_1, minus_1 = minus:
                        let _2 = a[y, x]
                        yield min(_2, s_1_2), min(minus_1, bitcast(_2, type=i32))
                    yield s_1_1, _1
                let s_2 = if ((s == 0.0) | isnan(inf)):
                    let _3 = if (((s == 0.0) & ((_0 == -2147483648) | (bitcast(inf, type=i32) == -2147483648))) | isnan(inf)):
                        @in_order(minimum)
                        let s_3 = for y_1 in range(0, n) with s_4 = inf:
                            @in_lanes(4)
                            let s_1_3 = for x_1 in range(0, m) with s_1_4 = s_4:
                                yield min(a[y_1, x_1], s_1_4)
                            yield s_1_3
                        yield s_3
                    else:
                        yield s
                    yield _3
                else:
                    yield s
                return s_2
        "#]],
    );
}

#[test]
fn loops_with_places_or_stores_and_long_ones_stay_as_they_are() {
    let with = |body: &str| {
        format!(
            "\
kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
    let s, at = for i in range(0, n) with s = inf, at = 0:
{body}    return (s + f32(at))
"
        )
    };
    stays(&with(
        "        let z = a[i]
        let s_1, at_1 = if (z < s):
            yield z, i
        else:
            yield s, at
        yield s_1, at_1
",
    ));
    stays(&with("        b[i] = a[i]\n        yield min(s, a[i]), at\n"));
    let mut long = "a[i]".to_owned();
    for _ in 0..30 {
        long = format!("({long} + b[i])");
    }
    stays(&with(&format!("        yield min({long}, s), at\n")));
}

#[test]
fn nests_that_store_stay_as_they_are() {
    stays(
        "\
kernel k(a: f32[n, 16], b: f32[n, 16], n: i32) -> f32:
    let s = for y in range(0, n) with s = inf:
        let s_1 = for x in range(0, 16) with s_1 = s:
            b[y, x] = a[y, x]
            yield min(s_1, a[y, x])
        yield s_1
    return s
",
    );
    // What a row comes to decides about more than the next row.
    stays(
        "\
kernel k(a: f32[n, 16], n: i32) -> f32:
    let s, t = for y in range(0, n) with s = inf, t = 0.0:
        let s_1 = for x in range(0, 16) with s_1 = s:
            yield min(s_1, a[y, x])
        yield s_1, (t + s_1)
    return (s + t)
",
    );
}

#[test]
fn rows_of_one_group_are_joined_under_their_mask() {
    let text = at("final", &GUARDED.replace("16", "4"));
    let first: Vec<&str> = text.lines().take_while(|line| !line.contains("if ")).collect();
    expect![[r#"
        kernel k(a: f32[n, 4], n, near) -> f32:
            let s_1 = splat(-inf)
            let x = (0 + lane_id)
            @any_order
            @in_order(maximum)
            let _0, _1 = for y in range(0, n) with s = splat(-inf), minus = splat(2147483647):
                let z = vector_load(a, y, x)
                let _2 = (near <= z)
                let s_1_1 = select(_2, max(s, z), s)
                yield s_1_1, select(_2, min(minus, bitcast(z, type=i32)), minus)
            let _3 = min(0, reduce_min(_1))
            let s_2 = max(near, reduce_max(_0))
            let _4 = (s_2 == 0.0)
            let _5 = isnan(near)"#]]
    .assert_eq(&first.join("\n"));
}
