//! Operators, casts and builtins.

use expect_test::expect;

use super::fixture::{check, table};

#[test]
fn comparisons_chain_and_evaluate_each_operand_once() {
    check(
        "fn count(calls: i32[k], x):
    calls[0] += 1
    return x

kernel k(a: i32[4], out: bool[5], calls: i32[1]):
    foreach i in range(4):
        out[i] = 0 < a[i] <= 3 != a[i] - 1
    out[4] = 1 < count(calls, 5) >= count(calls, 7) < count(calls, 1)
",
        "a = [0, 1, 3, 4]; out = [false, false, false, false, true]; calls = [0]",
        expect![[r#"
            out = [false, true, true, false, false]
            calls = [2]
        "#]],
    );
}

#[test]
fn arithmetic() {
    table(
        "a: i32, b: i32",
        "
        a = 7; b = 2 | a + b -> 9
        a = 7; b = 2 | a - b -> 5
        a = 7; b = 2 | a * b -> 14
        a = -7; b = 2 | a / b -> -3
        a = -7; b = 2 | a // b -> -4
        a = -7; b = 2 | a % b -> -1
        a = 7; b = -2 | a % b -> 1
        a = 7; b = 2 | -a + +b -> -5
        a = 7; b = 2 | ~a ^ b -> -6
        a = 12; b = 10 | (a & b) + (a | b) * 100 -> 1408
        a = 1; b = 31 | a << b -> -2147483648
        a = -8; b = 1 | a >> b -> -4
        a = 2147483647; b = 1 | a + b -> error overflow at `a + b`: a signed result does not fit its type
        a = -2147483648; b = 1 | a - b -> error overflow at `a - b`: a signed result does not fit its type
        a = -2147483648; b = 1 | -a * b -> error overflow at `-a`: a signed result does not fit its type
        a = -2147483648; b = -1 | a / b -> error overflow at `a / b`: a signed result does not fit its type
        a = 1; b = 0 | a / b -> error division-by-zero at `a / b`: an integer is divided by zero
        a = 1; b = 0 | a // b -> error division-by-zero at `a // b`: an integer is divided by zero
        a = 1; b = 0 | a % b -> error division-by-zero at `a % b`: an integer is divided by zero
        a = 1; b = 32 | a << b -> error shift-too-far at `a << b`: a shift goes past the width of its type
        a = 1; b = -1 | a >> b -> error shift-too-far at `a >> b`: a shift goes past the width of its type
        a = 2; b = 3 | 2 ** 10 + a + b -> 1029
        a = 65536; b = 65536 | a * b -> error overflow at `a * b`: a signed result does not fit its type
        ",
    );
    table(
        "a: u8, b: u8",
        "
        a = 250; b = 10 | a + b -> 4
        a = 3; b = 10 | a - b -> 249
        a = 16; b = 16 | a * b -> 0
        a = 255; b = 1 | a << b -> 254
        a = 1; b = 8 | a << b -> error shift-too-far at `a << b`: a shift goes past the width of its type
        a = 1; b = 0 | ~a & 15 | b -> 14
        ",
    );
    table(
        "a: i8",
        "a = 100 | a + -128 -> -28\na = -100 | a + -128 -> error overflow at `a + -128`: a signed result does not fit its type",
    );
}

#[test]
fn floats() {
    table(
        "a: f32, b: f32",
        "
        a = 1; b = 3 | a / b -> 0.33333334
        a = 1; b = 0 | -a / b -> -inf
        a = 0; b = 0 | a / b -> nan
        a = -7.5; b = 2 | a % b -> -1.5
        a = -7.5; b = 2 | a // b -> -4.0
        a = 16777216; b = 1 | a + b -> 16777216.0
        a = nan; b = 1 | min(a, b) -> 1.0
        a = 1; b = nan | min(a, b) -> nan
        a = 0; b = -0 | min(a, b) -> -0.0
        a = 0; b = -0 | max(b, a) -> 0.0
        a = nan; b = 1 | select(a == a, a, b) -> 1.0
        a = 2.5; b = -3.5 | round(a) + round(b) * 100 -> -398.0
        a = -0.5; b = 1 | ceil(a) -> -0.0
        a = -1.5; b = 1.5 | floor(a) + trunc(b) -> -1.0
        a = 4; b = 0.25 | rsqrt(a) + rcp(b) + sqrt(b) -> 5.0
        a = -1; b = 2 | abs(a) + abs(b) -> 3.0
        a = 5; b = 2 | clamp(a, 0.0, b) -> 2.0
        a = 1; b = 0.00000011920929 | fma(a + b, a - b, -a) -> -1.4210855e-14
        a = 1; b = 0 | -0.0 * a + -0 -> -0.0
        a = nan; b = 0 | f32(isnan(a)) + b -> 1.0
        ",
    );
    table("a: f64", "a = 0.1 | a + 0.2 -> 0.30000000000000004\na = 1e308 | a * 10 -> inf");
}

#[test]
fn comparisons_and_logic() {
    table(
        "a: i32, b: i32",
        "
        a = 1; b = 2 | a < b and b > a -> true
        a = 1; b = 2 | a >= b or b <= a -> false
        a = 1; b = 2 | not (a == b) and a != b -> true
        a = 0; b = 2 | a == 0 or b / a > 1 -> true
        a = 0; b = 2 | a != 0 and b / a > 1 -> false
        a = 0; b = 2 | b / a if a != 0 else -1 -> -1
        a = 0; b = 2 | a == 0 and b / a > 1 -> error division-by-zero at `b / a`: an integer is divided by zero
        a = 0; b = 2 | select(a == 0, b, b / a) -> error division-by-zero at `b / a`: an integer is divided by zero
        a = 3; b = 2 | (a > b) ^ (a < b) -> true
        a = 3; b = 2 | (a > b) == true -> true
        ",
    );
    table(
        "x: f32, y: f32",
        "
        x = nan; y = 1 | x < y or x >= y or x == y -> false
        x = nan; y = nan | x != y -> true
        x = 0; y = -0 | x == y -> true
        ",
    );
}

#[test]
fn casts() {
    table(
        "x: f32, i: i32",
        "
        x = 2.9; i = 300 | i32(x) + i32(-x) -> 0
        x = 2.9; i = 300 | u8(i) -> 44
        x = 2.9; i = -1 | u32(i) -> 4294967295
        x = 2.9; i = -1 | i64(u32(i)) -> 4294967295
        x = 300; i = 1 | u8(x) -> error cast-out-of-range at `u8(x)`: a float does not fit the integer type it is converted to
        x = nan; i = 1 | i32(x) -> error cast-out-of-range at `i32(x)`: a float does not fit the integer type it is converted to
        x = 255.9; i = 1 | u8(x) -> 255
        x = 0; i = 16777217 | f32(i) -> 16777216.0
        x = 0; i = 3 | i32(bool(i)) + i32(bool(x)) -> 1
        x = 0.1; i = 3 | f64(x) -> 0.10000000149011612
        x = 0; i = 3 | f32(bool(i)) -> 1.0
        ",
    );
}

#[test]
fn bit_functions_and_integer_builtins() {
    table(
        "a: u16, b: i16",
        "
        a = 0; b = -1 | clz(a) + ctz(a) -> 32
        a = 12; b = -1 | clz(a) * 100 + ctz(a) -> 1202
        a = 65535; b = -1 | popcount(a) -> 16
        a = 0; b = -1 | popcount(b) -> 16
        a = 0; b = -5 | abs(b) -> 5
        a = 0; b = -32768 | abs(b) -> error overflow at `abs(b)`: a signed result does not fit its type
        a = 3; b = 9 | clamp(b, -2, 2) -> 2
        a = 3; b = 9 | min(a, 2) * max(a, 4) -> 8
        ",
    );
}

#[test]
fn numbers_that_have_names() {
    check(
        "fn turn(x):
    return x + tau

kernel k(a: f64[4], b: f32[4], c: i64[8]):
    a[0] = pi
    b[0] = pi
    a[1] = turn(a[2])
    b[1] = turn(b[2])
    a[2] = -inf
    b[2] = largest(f32)
    a[3] = 1 if nan == nan else lowest(f64)
    c[0] = i64(largest(u8)) + i64(largest(i8))
    c[1] = i64(lowest(i16)) + i64(lowest(u16))
    c[2] = largest(i64)
    c[3] = lowest(c[0])
    c[4] = i64(largest(b[0]) == largest(f32))
    let pi = 3
    c[5] = pi
",
        "a = [0, 0, 1, 0]; b = [0, 0, 1, 0]; c = [0, 0, 0, 0, 0, 0, 0, 0]",
        expect![[r#"
            a = [3.141592653589793, 7.283185307179586, -inf, -1.7976931348623157e308]
            b = [3.1415927, 7.2831855, 3.4028235e38, 0.0]
            c = [382, -32768, 9223372036854775807, -9223372036854775808, 1, 3, 0, 0]
        "#]],
    );
}

#[test]
fn bits_go_round_and_sums_saturate() {
    check(
        "kernel k(a: u8[6], b: u32[4], c: i32[1]):
    a[0] = rotate_left(a[0], 3)
    a[1] = rotate_right(a[1], 9)
    a[2] = add_sat(a[2], 100)
    a[3] = sub_sat(a[3], 100)
    a[4] = avg_round(a[4], 254)
    a[5] = abs_diff(a[5], 200)
    b[0] = rotate_left(b[0], 32)
    b[1] = add_sat(b[1], b[1])
    b[2:] = sub_sat(b[2:], b[:2])
    c[0] = abs_diff(c[0], 5)
",
        "a = [129, 1, 200, 30, 255, 10]; b = [2147483649, 2415919104, 7, 4294967295]; c = [-5]",
        expect![[r#"
            a = [12, 128, 255, 0, 255, 190]
            b = [2147483649, 4294967295, 0, 0]
            c = [10]
        "#]],
    );
}

#[test]
fn what_does_not_fit_stops_at_the_ends_of_its_type() {
    table(
        "i: i8",
        "i = 100 | i32(add_sat(i, i)) -> 127
        i = -100 | i32(sub_sat(i, 100)) -> -128
        i = -128 | i32(sub_sat(0, i)) -> 127
        i = 3 | i32(byte_swap(i)) -> 3
        i = 3 | i32(reverse_bits(i)) -> -64",
    );
    table(
        "u: u16",
        "u = 65000 | u32(add_sat(u, 1000)) -> 65535
        u = 3 | u32(sub_sat(u, 4)) -> 0
        u = 4660 | u32(byte_swap(u)) -> 13330
        u = 1 | u32(reverse_bits(u)) -> 32768",
    );
    table(
        "n: i32",
        "n = 1 | byte_swap(n) -> 16777216
        n = 300 | i32(cast_sat(u8, n)) -> 255
        n = -300 | i32(cast_sat(i8, n)) -> -128
        n = -1 | u32(cast_sat(u16, n)) -> 0",
    );
    table(
        "f: f32",
        "f = nan | i32(cast_sat(i8, f)) -> 0
        f = nan | i32(cast_sat(u8, f)) -> 0
        f = 3e9 | cast_sat(i32, f) -> 2147483647
        f = -3e9 | cast_sat(i32, f) -> -2147483648
        f = 2147483520 | cast_sat(i32, f) -> 2147483520
        f = inf | cast_sat(u64, f) -> 18446744073709551615
        f = -0.75 | i32(cast_sat(u8, f)) -> 0
        f = -7.75 | i32(cast_sat(i8, f)) -> -7
        f = 254.9 | i32(cast_sat(u8, f)) -> 254",
    );
}
