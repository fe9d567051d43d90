//! Fixes of enums and matches.

use super::{Row, row};

pub(super) const ROWS: &[Row] = &[
    row(
        "foreign-syntax",
        "write `case` and `:`",
        "enum Shape:\n    Circle(r: i32)\n    Nothing\n\nfn f(s: Shape) -> i32:\n    match s:\n        Shape::Circle(r) => return r,\n        _ => return 0,\n\nkernel k(n: i32) -> i32:\n    return f(Shape.Circle(n)) + f(Shape.Nothing)\n",
        "n = 7",
        "result 7",
    ),
    row(
        "expected-statement",
        "write `case`",
        "kernel k(n: i32) -> i32:\n    match n:\n        7: return 1\n        case _: return 2\n",
        "n = 7",
        "result 1",
    ),
    row(
        "foreign-syntax",
        "write `match`",
        "kernel k(n: i32) -> i32:\n    switch (n):\n        case 7: return 1\n        default: return 2\n",
        "n = 7",
        "result 1",
    ),
    row(
        "foreign-syntax",
        "write `.`",
        "enum Kind: Low, High\n\nkernel k(n: i32) -> i32:\n    return i32(Kind::High) + n\n",
        "n = 7",
        "result 8",
    ),
    row(
        "unknown-type",
        "write `r: f32`",
        "enum Shape:\n    Circle(r)\n\nfn f(s: Shape) -> f32:\n    match s:\n        case Circle(r): return r\n\nkernel k(x: f32) -> f32:\n    return f(Shape.Circle(x))\n",
        "x = 7",
        "result 7.0",
    ),
    row(
        "unknown-variant",
        "write `High`",
        "enum Kind: Low, High\n\nkernel k(n: i32) -> i32:\n    return i32(Kind.Higg) + n\n",
        "n = 7",
        "result 8",
    ),
    row(
        "unknown-name",
        "write `Kind.High`",
        "enum Kind: Low, High\n\nkernel k(n: i32) -> bool:\n    return Kind(n) == High\n",
        "n = 1",
        "result true",
    ),
    row(
        "argument-count",
        "write `Kind.High`",
        "enum Kind: Low, High\n\nkernel k(n: i32) -> i32:\n    return i32(Kind.High()) + n\n",
        "n = 7",
        "result 8",
    ),
    row(
        "argument-type",
        "take it as it is",
        "enum Kind: Low, High\n\nkernel k(n: i32) -> i32:\n    return i32(Kind(Kind(n)))\n",
        "n = 1",
        "result 1",
    ),
    row(
        "missing-case",
        "add the case",
        "enum Kind: Low, High\n\nkernel k(n: i32) -> i32:\n    let x = 5\n    match Kind(n):\n        case Low:\n            x = 1\n    return x\n",
        "n = 1",
        "result 5",
    ),
    row(
        "missing-case",
        "add the cases",
        "enum Kind: Low, High, Top\n\nkernel k(n: i32) -> i32:\n    let x = 5\n    match Kind(n):\n        case Low: x = 1\n    return x\n",
        "n = 2",
        "result 5",
    ),
    row(
        "missing-case",
        "add `case _:` for all others",
        "enum Kind: Low, High\n\nkernel k(n: i32) -> i32:\n    let x = 5\n    match Kind(n):\n        case Low:\n            x = 1\n    return x\n",
        "n = 1",
        "result 5",
    ),
    row(
        "unreachable-case",
        "remove the case",
        "kernel k(n: i32) -> i32:\n    match n:\n        case 7: return 1\n        case 7: return 2\n        case _: return 3\n",
        "n = 7",
        "result 1",
    ),
    row(
        "unknown-type",
        "write `value_0: i32`",
        "enum E:\n    A\n    B(i32, i32)\n\nkernel k(n: i32) -> i32:\n    let s = 0\n    let e = E.B(n, 3) if n > 0 else E.A\n    match e:\n        case E.A: s = 1\n        case E.B(x, y): s = x - y\n    return s\n",
        "n = 5",
        "result 2",
    ),
];
