//! Tests of the sizes that are found.

use expect_test::{Expect, expect};

use super::*;
use crate::entities::Entity;
use crate::read;

/// The shape of each named array that ops of a kernel's body make.
fn check(text: &str, expect: Expect) {
    let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let shapes = of(&kernel);
    let mut found = String::new();
    for &op in &kernel.regions[kernel.body].ops {
        for &result in &kernel.ops[op].results {
            if let (Some(name), true) = (&kernel.values[result].name, kernel.ty(result).is_view()) {
                found += &format!("{name}: {}\n", shapes.text(&kernel, result));
            }
        }
    }
    expect.assert_eq(&found);
}

#[test]
fn parts_of_arrays_have_what_is_left() {
    check(
        "\
kernel k(a: f32[n], m: f32[n, (2 * k)], u: f32[?], c: f32[4096, 64], n, k, i: i32):
    let inner = slice(a, 1, n, 1)
    let both = slice(a, 1, (n - 1), 1)
    let window = slice(a, i, (i + 4), 1)
    let at = u[0]
    let from = i32(at)
    let moving = slice(a, from, (from + 4), 1)
    let unknown = slice(a, from, n, 1)
    let all = slice(a, 0, size(a), 1)
    let turned = slice(a, (n - 1), -1, -1)
    let odd = slice(a, 1, n, 2)
    let few = slice(c, 3, 60, 5, dim=1)
    let column = row(m, i, dim=1)
    let line = row(m, i)
    let own = slice(u, 0, (size(u) - 1), 1)
    let t = temp((n + (k * 2)), (size(c, dim=1) - 4), type=f32)
    let d = slice(t, 0, (size(t) - n), 1)
",
        expect![[r#"
            inner: f32[n - 1]
            both: f32[n - 2]
            window: f32[4]
            moving: f32[4]
            unknown: f32[?]
            all: f32[n]
            turned: f32[n]
            odd: f32[n // 2]
            few: f32[4096, 12]
            column: f32[n]
            line: f32[2 * k]
            own: f32[?]
            t: f32[n + (2 * k), 60]
            d: f32[2 * k, 60]
        "#]],
    );
}

#[test]
fn new_arrays_have_the_sizes_of_their_ops() {
    check(
        "\
kernel k(a: f32[n], m: f32[n, (2 * k)], u: f32[?], c: f32[4096, 64], n, k):
    let sum = (u + a)
    let scaled = (2.0 * u)
    let is = (c > 0.0)
    let numbers = iota((n + 0))
    let copies = replicate((k - 1), m)
    let pair = elements(u, a)
    let rows = map r in m, x in a:
        yield (r * x)
    let lengths = map r in m:
        let s = reduce x in r with s = 0.0:
            yield (s + x)
        yield s
    let ragged = map i in numbers:
        yield iota(i)
    let sums = scan r in c with s = row(c, 0):
        yield (s + r)
",
        expect![[r#"
            sum: f32[n]
            scaled: f32[?]
            is: bool[4096, 64]
            numbers: i32[n]
            copies: f32[k - 1, n, 2 * k]
            pair: f32[2, n]
            rows: f32[n, 2 * k]
            lengths: f32[n]
            ragged: i32[n, ?]
            sums: f32[4096, 64]
        "#]],
    );
}

#[test]
fn what_is_carried_keeps_its_sizes_or_not() {
    check(
        "\
kernel k(a: f32[n], b: f32[n], u: f32[k], n, k):
    let kept = for i in range(0, n) with v = a:
        yield (v + b)
    let shrinks = for i2 in range(0, n) with v2 = a:
        yield slice(v2, 1, n, 1)
    let x, y = for i3 in range(0, n) with x0 = a, y0 = u:
        yield y0, x0
    let p, q, r = for i4 in range(0, n) with p0 = a, q0 = a, r0 = u:
        yield q0, r0, r0
    let same = if (n > k):
        yield (a * 2.0)
    else:
        yield b
    let either = if (n > k):
        yield a
    else:
        yield u
    let none = reduce x2 in a with w = u:
        yield (w * x2)
",
        expect![[r#"
            kept: f32[n]
            shrinks: f32[?]
            x: f32[?]
            y: f32[?]
            p: f32[?]
            q: f32[?]
            r: f32[?]
            same: f32[n]
            either: f32[?]
            none: f32[k]
        "#]],
    );
}

#[test]
fn formulas_are_folded() {
    let n = DimSize::Param(Value::new(0));
    let (one, two) = (DimSize::Constant(1), DimSize::Constant(2));
    let join = |operator, a: &DimSize, b: &DimSize| arithmetic(operator, a.clone(), b.clone());
    use SizeOperator::{Add, Mul, Sub};
    let less = join(Sub, &n, &two);
    assert_eq!(join(Add, &less, &two), n);
    assert_eq!(join(Sub, &n, &less), two);
    assert_eq!(join(Add, &join(Sub, &n, &one), &one), n);
    assert_eq!(join(Mul, &n, &two), join(Mul, &two, &n));
    assert_eq!(join(Add, &DimSize::Constant(i64::MAX), &one), DimSize::Own);
    assert_eq!(join(Sub, &less, &DimSize::Constant(i64::MAX)), DimSize::Own);
    assert_eq!(join(Add, &DimSize::Own, &one), DimSize::Own);
}
