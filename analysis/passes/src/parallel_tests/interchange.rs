//! Loops that change places.

use expect_test::{Expect, expect};

use super::check;
use crate::decision::Said;
use crate::pipeline::Options;
use crate::{Context, interchange};
use ir::read;

#[test]
fn loops_are_exchanged_where_the_inner_one_has_no_lanes() {
    check(
        interchange,
        "\
kernel columns(m: f32[n, n], n):
    for i in range(0, n):
        for j in range(1, n):
            m[j, i] = (m[(j - 1), i] + 1.0)
",
        expect![[r#"
            kernel columns(m: f32[n, n], n):
                for j in range(1, n):
                    for i in range(0, n):
                        m[j, i] = (m[(j - 1), i] + 1.0)
        "#]],
    );
    // What little there is to gain is no reason to walk down columns.
    check(
        interchange,
        "\
kernel fill(m: f32[n, n], n):
    for i in range(0, n):
        for j in range(0, n):
            m[i, j] = 0.0
",
        expect!["unchanged"],
    );
    check(
        interchange,
        "\
kernel product(a: f32[n, k], b: f32[k, m], out: f32[n, m], n, k, m):
    for i in range(0, n):
        for p in range(0, k):
            for j in range(0, m):
                out[i, j] = (out[i, j] + (a[i, p] * b[p, j]))
",
        expect!["unchanged"],
    );
    // The size of an array is not negative, so its end can be computed before all iterations. Nothing is known of another number.
    let stencil = |size: &str| {
        format!(
            "\
kernel stencil(a: f32[h, w], b: f32[h, w], h, w, k):
    for x in range(1, w):
        for y in range(1, ({size} - 1)):
            b[y, x] = (a[(y - 1), x] + a[(y + 1), x])
"
        )
    };
    check(
        interchange,
        &stencil("h"),
        expect![[r#"
        kernel stencil(a: f32[h, w], b: f32[h, w], h, w, k):
            for y in range(1, (h - 1)):
                for x in range(1, w):
                    b[y, x] = (a[(y - 1), x] + a[(y + 1), x])
    "#]],
    );
    check(interchange, &stencil("k"), expect!["unchanged"]);
    // Iterations that meet would change places.
    check(
        interchange,
        "\
kernel skewed(m: f32[n, n], n):
    for i in range(1, n):
        for j in range(1, (n - 1)):
            m[i, j] = (m[(i - 1), (j + 1)] + m[i, (j - 1)])
",
        expect!["unchanged"],
    );
    // The inner range depends on the outer index.
    check(
        interchange,
        "\
kernel triangle(m: f32[n, n], n):
    for i in range(0, n):
        for j in range(1, i):
            m[j, i] = (m[(j - 1), i] + 1.0)
",
        expect!["unchanged"],
    );
}

#[test]
fn loops_that_only_join_something_are_exchanged_with_what_they_carry() {
    let sum = |header: &str, start: &str, inner: &str| {
        format!(
            "\
kernel total(m: {header}[n, n], n: i32) -> {header}:
    let s = for i in range(0, n) with s_1 = {start}:
        let s_2 = for j in range(0, n) with s_3 = s_1:
            yield {inner}
        yield s_2
    return s
"
        )
    };
    check(
        interchange,
        &sum("i32", "0", "(s_3 + m[j, i])"),
        expect![[r#"
        kernel total(m: i32[n, n], n) -> i32:
            let s = for j in range(0, n) with s_1 = 0:
                let s_2 = for i in range(0, n) with s_3 = s_1:
                    yield (s_3 +% m[j, i])
                yield s_2
            return s
    "#]],
    );
    check(
        interchange,
        &sum("i32", "7", "max(s_3, m[j, i])"),
        expect![[r#"
        kernel total(m: i32[n, n], n) -> i32:
            let s = for j in range(0, n) with s_1 = 7:
                let s_2 = for i in range(0, n) with s_3 = s_1:
                    yield max(s_3, m[j, i])
                yield s_2
            return s
    "#]],
    );
    // The loops are in the best order already.
    check(interchange, &sum("i32", "0", "(s_3 + m[i, j])"), expect!["unchanged"]);
    // A sum of floats has an order, and so has what is looked at in between.
    check(interchange, &sum("f32", "0.0", "(s_3 + m[j, i])"), expect!["unchanged"]);
    check(interchange, &sum("i32", "0", "((s_3 *% 3) +% m[j, i])"), expect!["unchanged"]);
    check(interchange, &sum("i32", "0", "(s_3 +% (m[j, i] *% s_1))"), expect!["unchanged"]);
}

#[test]
fn loops_are_exchanged_where_the_way_through_memory_gets_shorter() {
    check(
        interchange,
        "\
kernel transposed(a: f32[n, n], b: f32[n, n], n):
    for i in range(0, n):
        for j in range(0, n):
            b[j, i] = (a[j, i] * 2.0)
",
        expect![[r#"
            kernel transposed(a: f32[n, n], b: f32[n, n], n):
                for j in range(0, n):
                    for i in range(0, n):
                        b[j, i] = (a[j, i] * 2.0)
        "#]],
    );
    // As it is each row is walked along already.
    check(
        interchange,
        "\
kernel straight(a: f32[n, n], b: f32[n, n], n):
    for i in range(0, n):
        for j in range(0, n):
            b[i, j] = (a[i, j] * 2.0)
",
        expect!["unchanged"],
    );
    // Three loops: what neighbouring lanes touch has to lie side by side, wherever that index stands.
    check(
        interchange,
        "\
kernel cube(a: f32[n, n, n], b: f32[n, n, n], n):
    for i in range(0, n):
        for j in range(0, n):
            for k in range(0, n):
                b[k, j, i] = (a[k, j, i] * 2.0)
",
        expect![[r#"
            kernel cube(a: f32[n, n, n], b: f32[n, n, n], n):
                for j in range(0, n):
                    for k in range(0, n):
                        for i in range(0, n):
                            b[k, j, i] = (a[k, j, i] * 2.0)
        "#]],
    );
}

/// Checks the decisions about the nests of a kernel, with their reasons.
fn check_decisions(text: &str, expect: Expect) {
    let mut kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let options = Options::default();
    let mut context = Context::new(&options);
    interchange(&mut kernel, &mut context);
    let lines = context.take_decisions().into_iter().map(|decision| {
        let because: Vec<String> = decision.because.iter().map(Said::to_string).collect();
        format!("{}{}: {}\n", if decision.taken { "" } else { "not " }, decision.code, because.join(" "))
    });
    expect.assert_eq(&lines.collect::<String>());
}

#[test]
fn why_loops_stay_in_their_order_is_said() {
    let nest = |body: &str| format!("kernel f(a: f32[n, n], b: f32[n, n], c: f32[n, n], n, m):\n{body}");
    // The product of matrices: along `i` there would be gathers, and around the sum stands more than that.
    check_decisions(
        &nest(
            "    for i in range(0, n):
        for j in range(0, n):
            let s = for k in range(0, n) with t = 0.0:
                yield (t + (a[i, k] * b[k, j]))
            c[i, j] = s
",
        ),
        expect![[r#"
            not loops-exchanged: with this loop inside there is no less work: 100 % of what there is
            not loops-exchanged: the loop over `k` cannot go around this one: statements other than that loop stand in this one, this
        "#]],
    );
    check_decisions(
        &nest("    for i in range(0, n):\n        for j in range(0, i):\n            a[j, i] = b[j, i]\n"),
        expect![[r#"
            not loops-exchanged: the loop over `j` cannot go around this one: its range depends on `i`
        "#]],
    );
    check_decisions(
        &nest("    for i in range(0, n, m):\n        for j in range(0, n):\n            a[j, i] = b[j, i]\n"),
        expect![[r#"
            not loops-exchanged: the loop over `j` cannot go around this one: a step that is not known may be 0
        "#]],
    );
    check_decisions(
        "kernel f(a: f32[n, n], n, s: f32) -> f32:
    let r = for i in range(0, n) with t = s:
        let u = for j in range(0, n) with v = t:
            yield (v + a[j, i])
        yield u
    return r
",
        expect![[r#"
            not loops-exchanged: the loop over `j` cannot go around this one: what both hand on depends on their order
        "#]],
    );
    check_decisions(
        &nest(
            "    for i in range(0, (n - 1)):
        for j in range(1, n):
            a[i, j] = (a[(i + 1), (j - 1)] * 2.0)
",
        ),
        expect![[""]],
    );
}
