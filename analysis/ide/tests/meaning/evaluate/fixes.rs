//! Fixes make the program that was meant: its results are those that the author had in mind.

use syntax::Severity;

use super::fixture::run;
use crate::common;

/// The program after the first fix of each error, one after the other.
fn fixed(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..8 {
        let found = common::diagnostics(&text);
        let Some(error) = found.iter().find(|found| found.severity == Severity::Error) else { return text };
        text = common::fixed(&text, error).unwrap_or_else(|| panic!("no fix: {}\n{text}", error.message));
    }
    panic!("the errors do not end:\n{text}");
}

#[test]
fn the_first_fix_makes_what_was_meant() {
    let rows = [
        ("kernel k(px: i32, w: i32) -> f32:\n    return px / w * 3.5\n", "px = 1; w = 2", "result 1.75\n"),
        ("kernel k(hits: i32, n: i32) -> f32:\n    return 4 * hits / n\n", "hits = 1; n = 8", "result 0.5\n"),
        ("kernel k(x: i32, y: i32) -> f32:\n    return sqrt(x / y)\n", "x = 1; y = 4", "result 0.5\n"),
        (
            "kernel k(x: i32, y: i32) -> f64:\n    let r: f64 = -(x / y) + 1\n    return r\n",
            "x = 1; y = 4",
            "result 0.75\n",
        ),
        ("kernel k(a: u8[2], out: u32[1]):\n    out[0] = a[0] << 16\n", "a = [3, 4]; out = [0]", "out = [196608]\n"),
        (
            "kernel k(a: u8[2], out: u32[1]):\n    out[0] += a[0] * a[1]\n",
            "a = [200, 100]; out = [1]",
            "out = [20001]\n",
        ),
        ("kernel k(a: u8[2], out: i32[1]):\n    out[0] = a[0] + a[1]\n", "a = [200, 100]; out = [1]", "out = [300]\n"),
        ("kernel k(x: f32) -> i32:\n    return int(x)\n", "x = 3.75", "result 3\n"),
        (
            "fn gcd(a: i32, b: i32) -> i32:\n    while b != 0:\n        let t = b\n        b = a % b\n        a = t\n    return a\n\nkernel k(x: i32, y: i32) -> i32:\n    return gcd(x, y)\n",
            "x = 12; y = 18",
            "result 6\n",
        ),
        ("def k(a: i32[1]):\n    a[0] += 1\n", "a = [1]", "a = [2]\n"),
        ("export kernel k(a: i32[1]):\n    a[0] += 1\n", "a = [1]", "a = [2]\n"),
        ("kernel k(a: i32[n], n: i32):\n    for i in n:\n        a[i] = i\n", "a = [7, 7]; n = 2", "a = [0, 1]\n"),
    ];
    for (text, args, wanted) in rows {
        let text = fixed(text);
        assert_eq!(run(&text, args), wanted, "{text}");
    }
}

#[test]
fn a_slice_that_goes_down_has_its_cells() {
    let text = "kernel k(a: i32[8], out: i32[3]):\n    let v = a[6:0:-2]\n    out[0] = v[0]\n    out[1] = v[1]\n    out[2] = v[2]\n";
    assert_eq!(run(text, "a = [0, 1, 2, 3, 4, 5, 6, 7]; out = [0, 0, 0]"), "out = [6, 4, 2]\n");
}
