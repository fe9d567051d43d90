//! Versions of nests for distances between iterations.

use expect_test::{Expect, expect};

use super::distance_checks;
use crate::Context;
use crate::pipeline::Options;
use ir::target;

/// A kernel after the pass, with its decisions.
fn check(text: &str, expect: Expect) {
    let mut kernel = ir::read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let options = Options { target: target::find("avx512").expect("a target"), ..Options::default() };
    let mut context = Context::new(&options);
    let before = ir::canonical(&kernel);
    let changed = distance_checks(&mut kernel, &mut context);
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
fn the_length_of_an_echo_is_asked_about() {
    let text = "\
kernel k(x: f32[n], y: f32[n], n, d, g: f32):
    for i in range(d, n):
        y[i] = (x[i] + (y[(i - d)] * g))
";
    check(
        text,
        expect![[r#"
        kernel k(x: f32[n], y: f32[n], n, d, g):
            if (d >= 16):
                for i in range(d, n):
                    y[i] = (x[i] + (y[(i - d)] * g))
            else:
                for i_1 in range(d, n):
                    y[i_1] = (x[i_1] + (y[(i_1 - d)] * g))
        # distance-check: where `d` is 16 or more, which is asked before the loop, a version of it has lanes: that costs 17 % of the loop in order
    "#]],
    );
}

#[test]
fn several_numbers_are_asked_about_together() {
    let text = "\
kernel k(x: f64[n], y: f64[n], n, d, e):
    for i in range((d + e), n):
        y[i] = ((x[i] + y[(i - d)]) + y[((i - e) + 2)])
";
    check(
        text,
        expect![[r#"
        kernel k(x: f64[n], y: f64[n], n, d, e):
            let _0 = (d + e)
            if ((d >= 8) & (e >= 10)):
                for i in range(_0, n):
                    y[i] = ((x[i] + y[(i - d)]) + y[((i - e) + 2)])
            else:
                for i_1 in range(_0, n):
                    y[i_1] = ((x[i_1] + y[(i_1 - d)]) + y[((i_1 - e) + 2)])
        # distance-check: where `d` is 8 or more and `e` is 10 or more, which is asked before the loop, a version of it has lanes: that costs 31 % of the loop in order
    "#]],
    );
}

#[test]
fn backwards_and_from_ahead() {
    let text = "\
kernel k(x: f32[n], y: f32[n], n, d):
    for i in range((n - 1), 0, -1):
        y[(i - 1)] = (x[i] + y[(i + d)])
    for i in range(0, (n - 8)):
        y[(i + 3)] = (x[i] + y[(i + d)])
";
    check(
        text,
        expect![[r#"
        kernel k(x: f32[n], y: f32[n], n, d):
            let _0 = (n - 1)
            if (d >= 15):
                for i in range(_0, 0, -1):
                    y[(i - 1)] = (x[i] + y[(i + d)])
            else:
                for i_1 in range(_0, 0, -1):
                    y[(i_1 - 1)] = (x[i_1] + y[(i_1 + d)])
            let _1 = (n - 8)
            if (d >= 3):
                for i_2 in range(0, _1):
                    y[(i_2 + 3)] = (x[i_2] + y[(i_2 + d)])
            else:
                for i_3 in range(0, _1):
                    y[(i_3 + 3)] = (x[i_3] + y[(i_3 + d)])
        # distance-check: where `d` is 15 or more, which is asked before the loop, a version of it has lanes: that costs 21 % of the loop in order
        # distance-check: where `d` is 3 or more, which is asked before the loop, a version of it has lanes: that costs 17 % of the loop in order
    "#]],
    );
}

#[test]
fn what_another_loop_loads_is_asked_about_inside_of_it() {
    let text = "\
kernel coin(ways: i32[c], coins: i32[n], n, c):
    for k in range(0, n):
        let coin = coins[k]
        for j in range(coin, c):
            ways[j] = (ways[j] + ways[(j - coin)])
";
    check(
        text,
        expect![[r#"
        kernel coin(ways: i32[c], coins: i32[n], n, c):
            for k in range(0, n):
                let coin = coins[k]
                if (coin >= 16):
                    for j in range(coin, c):
                        ways[j] = (ways[j] + ways[(j - coin)])
                else:
                    for j_1 in range(coin, c):
                        ways[j_1] = (ways[j_1] + ways[(j_1 - coin)])
        # distance-check: where `coin` is 16 or more, which is asked before the loop, a version of it has lanes: that costs 19 % of the loop in order
    "#]],
    );
}

#[test]
fn the_width_of_flat_rows_is_asked_about_once() {
    let text = "\
kernel area(a: f32[n], n, w, h, m):
    for y in range(1, h):
        for x in range(1, m):
            a[((y * w) + x)] = (a[((y * w) + x)] + a[(((y * w) - w) + x)])
";
    check(
        text,
        expect![[r#"
            kernel area(a: f32[n], n, w, h, m):
                if (w >= 16):
                    for y in range(1, h):
                        for x in range(1, m):
                            a[((y * w) + x)] = (a[((y * w) + x)] + a[(((y * w) - w) + x)])
                else:
                    for y_1 in range(1, h):
                        for x_1 in range(1, m):
                            a[((y_1 * w) + x_1)] = (a[((y_1 * w) + x_1)] + a[(((y_1 * w) - w) + x_1)])
            # distance-check: where `w` is 16 or more, which is asked before the loop, a version of it has lanes: that costs 13 % of the loop in order
        "#]],
    );
}

#[test]
fn what_no_number_frees_stays_in_order() {
    for text in [
        // The cell of the iteration before is needed all the same, and a product of two numbers is not asked about.
        "\
kernel k(y: f32[n], n, d):
    for i in range((d + 1), n):
        y[i] = (y[(i - d)] + y[(i - 1)])
",
        "\
kernel k(y: f32[n], n, d, e):
    for i in range((d * e), n):
        y[i] = (y[(i - (d * e))] * 0.5)
",
        // The number is another one in each iteration.
        "\
kernel k(y: f32[n], at: i32[n], n):
    for i in range(64, n):
        y[i] = (y[(i - at[i])] * 0.5)
",
        // The sum keeps its order.
        "\
kernel k(y: f32[n], n, d) -> f32:
    let s = for i in range(d, n) with t = 0.0:
        let x = y[(i - d)]
        y[i] = (x * 0.5)
        yield (t + x)
    return s
",
    ] {
        check(text, expect!["unchanged\n"]);
    }
}
