//! Versions of nests for steps of 1.

use expect_test::{Expect, expect};

use super::unit_steps;
use crate::Context;
use crate::pipeline::Options;
use ir::target;

/// A kernel after the pass, with its decisions.
fn check(text: &str, expect: Expect) {
    check_for("avx512", text, expect);
}

fn check_for(target: &str, text: &str, expect: Expect) {
    let mut kernel = ir::read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let options = Options { target: target::find(target).expect("a target"), ..Options::default() };
    let mut context = Context::new(&options);
    let before = ir::canonical(&kernel);
    let changed = unit_steps(&mut kernel, &mut context);
    assert_eq!(ir::verify(&kernel), Ok(()));
    assert_eq!(changed, ir::canonical(&kernel) != before, "whether it changed anything");
    let mut shown = if changed { ir::print(&kernel).text } else { "unchanged\n".to_owned() };
    for decision in context.take_decisions() {
        let because: Vec<String> = decision.because.iter().map(ToString::to_string).collect();
        shown += &format!("# {}: {}\n", decision.code, because.join(" "));
    }
    expect.assert_eq(&shown);
}

#[test]
fn the_step_of_a_range_is_asked_about() {
    let text = "\
kernel k(a: f32[n], b: f32[n], n, first, step):
    for i in range((first - 1), n, step):
        a[i] = (a[i] + b[i])
";
    check(
        text,
        expect![[r#"
        kernel k(a: f32[n], b: f32[n], n, first, step):
            let _0 = (first - 1)
            if (step == 1):
                for i in range(_0, n):
                    a[i] = (a[i] + b[i])
            else:
                for i_1 in range(_0, n, step):
                    a[i_1] = (a[i_1] + b[i_1])
        # unit-step: where `step` is 1, which is asked before the loop, a version of it runs: that costs 6 % of the loop for any number
    "#]],
    );
    check_for(
        "scalar",
        text,
        expect![[r#"
        unchanged
    "#]],
    );
}

#[test]
fn a_loop_whose_cells_may_be_one_has_lanes_where_they_are_not() {
    check(
        "\
kernel k(a: f32[n], b: f32[n], n, inc):
    for i in range(0, n):
        a[(i * inc)] = (a[(i * inc)] + b[i])
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], n, inc):
                if (inc == 1):
                    for i in range(0, n):
                        a[i] = (a[i] + b[i])
                else:
                    for i_1 in range(0, n):
                        a[(i_1 * inc)] = (a[(i_1 * inc)] + b[i_1])
            # unit-step: where `inc` is 1, which is asked before the loop, a version of it runs: that costs 7 % of the loop for any number
        "#]],
    );
}

#[test]
fn a_step_in_64_bits_is_one() {
    check(
        "\
kernel k(a: f32[m], b: f32[n], n, inc: i32, m: i64):
    for i in range(0, n):
        b[i] = (a[(i64(i) * i64(inc))] + b[i])
",
        expect![[r#"
            kernel k(a: f32[m], b: f32[n], n, inc, m: i64):
                if (inc == 1):
                    for i in range(0, n):
                        b[i] = (a[i64(i)] + b[i])
                else:
                    for i_1 in range(0, n):
                        b[i_1] = (a[(i64(i_1) * i64(inc))] + b[i_1])
            # unit-step: where `inc` is 1, which is asked before the loop, a version of it runs: that costs 17 % of the loop for any number
        "#]],
    );
}

#[test]
fn all_steps_of_a_nest_are_asked_about_at_once_and_results_go_on() {
    check(
        "\
kernel k(x: f32[?], y: f32[?], n, m, xstep, ystep) -> i32:
    let sum = for j in range(0, m) with s = 0:
        let at, t = for i in range(0, n) with p = 0, q = s:
            y[p] = (y[p] + x[(i * xstep)])
            let r = (q +% i)
            yield (p + ystep), r
        yield (t +% at)
    return sum
",
        expect![[r#"
            kernel k(x, y, n, m, xstep, ystep) -> i32:
                let sum = if ((ystep == 1) & (xstep == 1)):
                    let sum_1 = for j in range(0, m) with s = 0:
                        let at, t = for i in range(0, n) with p = 0, q = s:
                            y[p] = (y[p] + x[i])
                            let r = (q +% i)
                            yield (p + 1), r
                        yield (t +% at)
                    yield sum_1
                else:
                    let _0 = for j_1 in range(0, m) with s_1 = 0:
                        let at_1, t_1 = for i_1 in range(0, n) with p_1 = 0, q_1 = s_1:
                            y[p_1] = (y[p_1] + x[(i_1 * xstep)])
                            let r_1 = (q_1 +% i_1)
                            yield (p_1 + ystep), r_1
                        yield (t_1 +% at_1)
                    yield _0
                return sum
            # unit-step: where `ystep` is 1 and `xstep` is 1, which is asked before the loop, a version of it runs: that costs 6 % of the loop for any number
        "#]],
    );
}

#[test]
fn a_step_that_is_found_in_a_loop_is_asked_about_there() {
    check(
        "\
kernel k(a: f32[?], b: f32[?], steps: i32[m], n, m):
    for j in range(0, m):
        let step = steps[j]
        for i in range(0, n):
            a[i] = (a[i] + b[(i * step)])
",
        expect![[r#"
            kernel k(a, b, steps: i32[m], n, m):
                for j in range(0, m):
                    let step = steps[j]
                    if (step == 1):
                        for i in range(0, n):
                            a[i] = (a[i] + b[i])
                    else:
                        for i_1 in range(0, n):
                            a[i_1] = (a[i_1] + b[(i_1 * step)])
            # unit-step: where `step` is 1, which is asked before the loop, a version of it runs: that costs 17 % of the loop for any number
        "#]],
    );
}

#[test]
fn lengths_and_indices_are_no_steps() {
    // The length of a row, as an array says it and as a range does, and the index of a loop around.
    check(
        "\
kernel k(a: f32[n], m: f32[n, w], n, w):
    for i in range(0, n):
        a[i] = m[i, 0]
",
        expect![[r#"
            unchanged
        "#]],
    );
    check(
        "\
kernel k(a: f32[?], m: f32[?], n, w):
    for i in range(0, n):
        for j in range(0, w):
            a[i] = (a[i] + m[((i * w) + j)])
",
        expect![[r#"
            unchanged
        "#]],
    );
    check(
        "\
kernel k(a: f32[?], m: f32[?], n):
    for step in range(1, n):
        for i in range(0, n):
            a[i] = (a[i] + m[(i * step)])
",
        expect![[r#"
            unchanged
        "#]],
    );
}

#[test]
fn nothing_is_gained_where_an_iteration_waits_for_the_one_before() {
    check(
        "\
kernel k(a: f32[?], n, inc):
    for i in range(0, n):
        a[((i + 1) * inc)] = (a[(i * inc)] + 1.0)
",
        expect![[r#"
            unchanged
        "#]],
    );
    // Nor where lanes do much more than load and store.
    check(
        "\
kernel k(a: f64[?], b: f64[?], n, inc):
    for i in range(0, n):
        let x = b[i]
        let y = sqrt((x / (1.0 + sqrt((x / (2.0 + sqrt((x / (3.0 + sqrt((x / (4.0 + sqrt((x / 5.0))))))))))))))
        b[i] = (sqrt((y / (1.0 + sqrt(y)))) / sqrt((2.0 + (y / (a[(i * inc)] + sqrt((x + 1.0)))))))
",
        expect![[r#"
            unchanged
        "#]],
    );
}
