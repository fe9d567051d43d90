//! Numbers in bytes.

use expect_test::expect;

use super::fixture::check;

#[test]
fn numbers_lie_at_any_byte_lowest_first() {
    check(
        "kernel k(bytes: u8[10], words: u32[3], out: u8[12]) -> i64:
    for i in range(3):
        words[i] = load_u32(bytes, 2 * i + 1)
    store_u16(out, 0, load_u16(bytes, 0))
    store_f32(out, 3, 1.0)
    store_i16(out, 8, -2)
    let x = load_f32(out, 3)
    return load_i64(bytes, 2) + i64(x) + i64(load_i16(out, 8))
",
        "bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 255]; words = [0, 0, 0]; out = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
        expect![[r#"
            result -69515492988746750
            words = [84148994, 117835012, 151521030]
            out = [1, 2, 0, 0, 0, 128, 63, 0, 254, 255, 0, 0]
        "#]],
    );
}

#[test]
fn what_reaches_beyond_the_array_changes_nothing() {
    check(
        "kernel k(out: u8[6], i: i32):
    store_u32(out, i, 0x01020304)
",
        "out = [0, 0, 0, 0, 0, 0]; i = 3",
        expect![[r#"
            error index-out-of-range at `bytes[i + 3]` in store_u32: the index 6 is out of range: the size there is 6
        "#]],
    );
}

#[test]
fn texts_are_the_bytes_that_they_say() {
    check(
        r##"const DIGITS: u8[5] = "\0\\\"ï"

enum Sign(u8):
    Plus = '+'
    Minus = '-'

fn kind(c: u8) -> i32:
    match c:
        case 'a':
            return 1
        case ' ' | '\t':
            return 2
        case _:
            return 3

kernel k(text: u8[n], kinds: i32[n], out: u8[5], n: i32) -> i32:
    for c, i in zip(text, iota(n)):
        kinds[i] = kind(c)
    out[:] = DIGITS
    return i32(Sign.Minus) + sum([i32(c) for c in "#'"])
"##,
        "text = [97, 9, 32, 98]; kinds = [0, 0, 0, 0]; out = [7, 7, 7, 7, 7]; n = 4",
        expect![[r#"
            result 119
            kinds = [1, 2, 2, 3]
            out = [0, 92, 34, 195, 175]
        "#]],
    );
}
