//! `f16` and `bf16`: what programs mean by them.

use expect_test::expect;

use super::fixture::{check, table};

#[test]
fn each_operation_is_rounded_to_the_type() {
    table(
        "a: f16, b: f16",
        "
        a = 2048; b = 1 | a + b -> 2048.0
        a = 2048; b = 3 | a + b -> 2052.0
        a = 60000; b = 60000 | a + b -> inf
        a = 1; b = 3 | a / b -> 0.3333
        a = 2; b = 0 | sqrt(a) -> 1.414
        a = 7; b = -2 | a // b -> -4.0
        a = 7; b = 2 | a % b -> 1.0
        a = 1; b = 2 | nextafter(a, b) -> 1.001
        a = 0; b = 1 | nextafter(a, b) -> 6e-8
        a = 1; b = 0 | exp(a) -> 2.719
        a = 2; b = 10 | a ** b -> 1024.0
        a = 1.001; b = 1.001 | fma(a, b, -1.0) -> 0.001953
        a = 1; b = 0 | largest(f16) -> 65500.0
        a = 1e-7; b = 2 | a / b -> 6e-8
        ",
    );
    table(
        "a: bf16, b: bf16",
        "
        a = 256; b = 1 | a + b -> 256.0
        a = 1; b = 3 | a / b -> 0.334
        a = 1; b = 2 | nextafter(a, b) -> 1.01
        a = 3e38; b = 2 | a * b -> inf
        a = 2; b = 3 | max(a, b) - 0.5 -> 2.5
        ",
    );
}

#[test]
fn conversions_round_once() {
    check(
        "kernel k(d: f64[n], l: i64[n], h: f16[n], b: bf16[n], w: f32[n], bits: u16[n], n: i32):
    for i in range(n):
        h[i] = f16(d[i])
        b[i] = bf16(l[i])
        w[i] = f32(h[i]) + f32(b[i])
        bits[i] = to_bits(h[i])
",
        // A little more than the middle between 1 and the next `f16`; an `f32` of it is that middle.
        "d = [1.00048828125000001, 1.0004882812501, 65519.9]; l = [2155872257, 2155872256, -1]; h = [0, 0, 0]; b = [0, 0, 0]; \
         w = [0, 0, 0]; bits = [0, 0, 0]; n = 3",
        expect![[r#"
            h = [1.0, 1.001, 65500.0]
            b = [2160000000.0, 2150000000.0, -1.0]
            w = [2164260900.0, 2147483600.0, 65503.0]
            bits = [15360, 15361, 31743]
        "#]],
    );
}

#[test]
fn numbers_take_the_type_and_mixing_needs_a_cast() {
    check(
        "kernel k(a: f16[n], out: f32[n], n: i32) -> f16:
    let total = 0.0
    for i in range(n):
        a[i] = a[i] * 0.1 + from_bits(0x3c00)
        out[i] = f32(a[i]) / 2
        total = max(total, a[i])
    return total
",
        "a = [1, 2, 4]; out = [0, 0, 0]; n = 3",
        expect![[r#"
            result 1.4
            a = [1.1, 1.2, 1.4]
            out = [0.5498047, 0.60009766, 0.7001953]
        "#]],
    );
}
