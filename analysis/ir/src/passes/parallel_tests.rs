//! Reordering, interchange and splitting, as texts.

use expect_test::{Expect, expect};

use super::{Context, interchange, reorder, split};
use crate::pipeline::Options;
use crate::program::Kernel;
use crate::{print, read, verify};

fn check(pass: fn(&mut Kernel, &mut Context) -> bool, text: &str, expect: Expect) {
    let mut kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let before = print(&kernel).text;
    let changed = pass(&mut kernel, &mut Context::new(&Options::default()));
    verify(&kernel).unwrap_or_else(|violations| panic!("{violations:?}"));
    let after = print(&crate::compact(&kernel)).text;
    assert_eq!(changed, before != after, "{after}");
    expect.assert_eq(if changed { &after } else { "unchanged" });
}

#[test]
fn the_relaxed_loop_of_the_first_article_gets_its_second_statement_first() {
    check(
        reorder,
        "\
kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):
    for i in range(1, 29):
        a[i] = (b[(i - 1)] + c[i])
        b[i] = (c[i] * 2.0)
",
        expect![[r#"
            kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):
                for i in range(1, 29):
                    b[i] = (c[i] * 2.0)
                    a[i] = (b[(i - 1)] + c[i])
        "#]],
    );
    check(
        reorder,
        "\
kernel chained(a: f32[30], b: f32[30], c: f32[30]):
    for i in range(1, 29):
        a[i] = (b[(i - 1)] + c[i])
        b[i] = (a[i] * 2.0)
",
        expect!["unchanged"],
    );
}

#[test]
fn what_is_in_order_stays_as_it_is() {
    check(
        reorder,
        "\
kernel swap(a: f32[?], b: f32[?], n):
    for i in range(0, n):
        let t = a[i]
        a[i] = b[i]
        b[i] = t
",
        expect!["unchanged"],
    );
}

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
fn loops_are_taken_apart_where_that_is_less_work() {
    check(
        split,
        "\
kernel part(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n):
    for i in range(1, n):
        let x = ((b[i] * b[i]) + (d[i] * 0.5))
        a[i] = (a[(i - 1)] + b[i])
        c[i] = sqrt((x + (d[i] / (x + 1.0))))
",
        expect![[r#"
            kernel part(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n):
                for i in range(1, n):
                    a[i] = (a[(i - 1)] + b[i])
                for i_1 in range(1, n):
                    let x = ((b[i_1] * b[i_1]) + (d[i_1] * 0.5))
                    c[i_1] = sqrt((x + (d[i_1] / (x + 1.0))))
        "#]],
    );
    // What both parts need comes from an array that the loop writes.
    check(
        split,
        "\
kernel shared(a: f32[n], c: f32[n], d: f32[n], n):
    for i in range(1, n):
        let x = a[(i - 1)]
        a[i] = (x + d[i])
        c[i] = sqrt(((x * d[i]) + (d[i] / (x + 1.0))))
",
        expect!["unchanged"],
    );
    // Too little is won.
    check(
        split,
        "\
kernel small(a: f32[n], b: f32[n], c: f32[n], n):
    for i in range(1, n):
        a[i] = (a[(i - 1)] + b[i])
        c[i] = 1.0
",
        expect!["unchanged"],
    );
}
