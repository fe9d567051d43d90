//! Tests of arithmetic that is done in fewer bits, as texts.

use expect_test::{Expect, expect};

use crate::narrow;

fn check(text: &str, expect: Expect) {
    super::check(narrow, text, expect);
}

#[test]
fn what_fits_is_computed_in_16_bits() {
    check(
        "\
kernel blur(a: u8[n], o: u8[n], n: i32):
    for i in range(1, (n - 1)):
        o[i] = u8((((i32(a[(i - 1)]) + (2 * i32(a[i]))) + i32(a[(i + 1)])) >> 2))
",
        expect![[r#"
            kernel blur(a: u8[n], o: u8[n], n):
                for i in range(1, (n - 1)):
                    o[i] = u8((((i16(a[(i - 1)]) + (2 * i16(a[i]))) + i16(a[(i + 1)])) >> 2))
        "#]],
    );
    // Of two sides one is chosen, by a comparison in the same bits; 40,000 fits unsigned numbers alone.
    check(
        "\
kernel chosen(a: u8[n], o: u16[n], n: i32):
    for i in range(0, n):
        let x = (i32(a[i]) * 150)
        o[i] = u16(select((x < 30000), x, 40000))
",
        expect![[r#"
            kernel chosen(a: u8[n], o: u16[n], n):
                for i in range(0, n):
                    let x = (u16(a[i]) * 150)
                    o[i] = select((x < 30000), x, 40000)
        "#]],
    );
    // A comparison has the type of what it compares, if only narrow values are chosen by it.
    let choice = |o: &str, yes: &str, no: &str| {
        format!(
            "\
kernel threshold(a: u8[n], o: {o}[n], n: i32):
    for i in range(0, n):
        o[i] = select(((i32(a[i]) * 9) > (i32(a[i]) + 27)), {yes}, {no})
"
        )
    };
    check(
        &choice("u8", "u8(255)", "u8(0)"),
        expect![[r#"
        kernel threshold(a: u8[n], o: u8[n], n):
            for i in range(0, n):
                o[i] = select(((i16(a[i]) * 9) > (i16(a[i]) + 27)), 255, 0)
    "#]],
    );
    check(&choice("i32", "255", "0"), expect!["unchanged"]);
    // A result of 16 bits needs no conversion.
    check(
        "\
kernel far(a: i16[n], o: i16[n], n: i32):
    for i in range(0, n):
        o[i] = i16(((i32(a[i]) // 4) - (i32(a[i]) >> 3)))
",
        expect![[r#"
            kernel far(a: i16[n], o: i16[n], n):
                for i in range(0, n):
                    o[i] = ((i16(a[i]) // 4) - (i16(a[i]) >> 3))
        "#]],
    );
}

/// `x * w + y * (255 - w)` is at most 255 times the greater of `x` and `y`, which fits 16 bits as their sum would not.
#[test]
fn weights_that_add_up_to_a_constant_are_those_of_a_mean() {
    let blend = |weights: [&str; 2]| {
        let [one, other] = weights;
        format!(
            "\
kernel blend(a: u8[n], b: u8[n], w: u8, v: u8, o: u8[n], n: i32):
    for i in range(0, n):
        o[i] = u8(((((i32(a[i]) * {one}) + ({other} * i32(b[i]))) + 128) / 256))
"
        )
    };
    check(
        &blend(["i32(w)", "(255 - i32(w))"]),
        expect![[r#"
            kernel blend(a: u8[n], b: u8[n], w: u8, v: u8, o: u8[n], n):
                for i in range(0, n):
                    o[i] = u8(((((u16(a[i]) * u16(w)) + ((255 - u16(w)) * u16(b[i]))) + 128) / 256))
        "#]],
    );
    check(&blend(["i32(w)", "(255 - i32(v))"]), expect!["unchanged"]);
    // One of these may be negative.
    check(&blend(["(i32(w) - 10)", "(265 - i32(w))"]), expect!["unchanged"]);
}

/// Nothing tells in which type two constants are compared.
#[test]
fn a_comparison_of_constants_stays_as_it_is() {
    let choice = |value: &str| {
        format!("kernel k(a: u8[n], o: u8[n], n: i32):\n    for i in range(0, n):\n        o[i] = {value}\n")
    };
    check(&choice("select((3 < 4), u8(1), u8(2))"), expect!["unchanged"]);
    check(
        &choice("u8(select((3 != 4), (i32(a[i]) + 1), 7))"),
        expect![[r#"
        kernel k(a: u8[n], o: u8[n], n):
            for i in range(0, n):
                o[i] = u8(select((3 != 4), (i16(a[i]) + 1), 7))
    "#]],
    );
}

#[test]
fn what_does_not_fit_or_is_used_elsewhere_stays_wide() {
    check(
        "\
kernel blend(a: u8[n], b: u8[n], o: u8[n], n: i32):
    for i in range(0, n):
        o[i] = u8((((i32(a[i]) * i32(b[i])) * 3) >> 8))
",
        expect!["unchanged"],
    );
    check(
        "\
kernel both(a: u8[n], o: u8[n], w: i32[n], n: i32):
    for i in range(0, n):
        let x = (i32(a[i]) + 1)
        w[i] = x
        o[i] = u8((x >> 1))
",
        expect!["unchanged"],
    );
    // Nothing is computed between the conversions.
    check(
        "\
kernel plain(a: u8[n], o: i16[n], n: i32):
    for i in range(0, n):
        o[i] = i16(i32(a[i]))
",
        expect!["unchanged"],
    );
}
