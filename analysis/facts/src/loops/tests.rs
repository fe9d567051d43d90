//! Verdicts of small kernels: for each code a kernel that has it, beside a near miss that has not.

use std::fmt::Write;

use expect_test::{Expect, expect};

use super::*;
use ir::read;

fn words(kernel: &Kernel, parts: &[MessagePart]) -> String {
    let name = |value: Value| kernel.values[value].name.as_deref().unwrap_or("_").to_owned();
    let mut out = String::new();
    for part in parts {
        let _ = match part {
            MessagePart::Text(text) => write!(out, " {text}"),
            MessagePart::Number(number) => write!(out, " {number}"),
            MessagePart::Value(value) => write!(out, " {}", name(*value)),
            MessagePart::Iteration(at) => write!(out, " iteration {at:?}"),
            MessagePart::Cell(array, at) => write!(out, " {}{at:?}", name(*array)),
        };
    }
    out
}

/// Verdicts of all loops, each with its index or what it carries.
fn show(kernel: &Kernel) -> String {
    let found = loops(kernel, &DependenceLimits::default());
    let mut out = String::new();
    for known in &found.list {
        let first = kernel.regions[kernel.ops[known.op].regions[0]].args.first();
        let name = first.and_then(|&arg| kernel.values[arg].name.as_deref()).unwrap_or("_");
        let verdict = &known.verdict;
        let _ = write!(out, "{name}: {}", if verdict.is_vector { "vector" } else { "scalar" });
        let _ = match verdict.max_lanes {
            Some(lanes) => writeln!(out, ", at most {lanes} lanes"),
            None => writeln!(out),
        };
        for carried in &known.carried {
            let arg = kernel.values[carried.arg].name.as_deref().unwrap_or("_");
            let _ = writeln!(out, "  {arg} is {:?}", carried.role);
        }
        for reason in &verdict.reasons {
            let sign = if reason.blocks { "!" } else { "-" };
            let _ = writeln!(
                out,
                "  {sign} {}:{}",
                reason.code,
                words(kernel, &reason.message(kernel, &found.dependences))
            );
            if let Some(fix) = &reason.fix {
                let _ = writeln!(out, "    fix: {}", format!("{fix:?}").split('(').next().unwrap_or_default());
            }
        }
    }
    out
}

fn check(text: &str, expect: Expect) {
    let kernels = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    expect.assert_eq(&show(&kernels[0]));
}

/// A body over `a`, `b`, `c: f32[?]`, `x: i32[?]`, `h: i32[?]` and `n`, `k`.
fn body(text: &str, expect: Expect) {
    let lines: String = text.lines().map(|line| format!("    {line}\n")).collect();
    check(&format!("kernel body(a: f32[?], b: f32[?], c: f32[?], x: i32[?], h: i32[?], n, k):\n{lines}"), expect);
}

#[test]
fn the_loops_of_the_first_article() {
    check(
        "\
kernel chained(a: f32[30], b: f32[30], c: f32[30]):
    for i in range(1, 29):
        a[i] = (b[(i - 1)] + c[i])
        b[i] = (a[i] * 2.0)
",
        expect![[r#"
            i: scalar
              ! loop-carried-flow: iteration [1] writes b[1] iteration [2] reads b[1]
        "#]],
    );
    check(
        "\
kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):
    for i in range(1, 29):
        a[i] = (b[(i - 1)] + c[i])
        b[i] = (c[i] * 2.0)
",
        expect![[r#"
            i: vector
              - statements-reordered: iteration [1] writes b[1] iteration [2] reads b[1]
        "#]],
    );
}

#[test]
fn carried_flow_and_its_distance() {
    body(
        "for i in range(1, n):\n    a[i] = a[(i - 1)]",
        expect![[r#"
        i: scalar
          ! loop-carried-flow: iteration [1] writes a[1] iteration [2] reads a[1]
    "#]],
    );
    body(
        "for i in range(4, n):\n    a[i] = a[(i - 4)]",
        expect![[r#"
        i: vector, at most 4 lanes
          - distance-limits-lanes: iteration [4] writes a[4] iteration [8] reads a[4] so the lanes are limited to 4
    "#]],
    );
    body(
        "for i in range(0, n):\n    a[i] = a[(i + 1)]",
        expect![[r#"
        i: vector
    "#]],
    );
}

#[test]
fn carried_anti_and_output() {
    body(
        "for i in range(0, n):\n    a[i] = b[i]\n    b[(i + 1)] = a[(i + 1)]",
        expect![[r#"
        i: vector
          - statements-reordered: iteration [0] writes b[1] iteration [1] reads b[1]
          - statements-reordered: iteration [0] reads a[1] iteration [1] writes a[1]
    "#]],
    );
    body(
        "for i in range(0, n):\n    a[(i + 1)] = a[i]\n    a[i] = b[i]",
        expect![[r#"
        i: scalar
          ! loop-carried-flow: iteration [0] writes a[1] iteration [1] reads a[1]
    "#]],
    );
    body(
        "for i in range(0, n):\n    a[(i + 1)] = b[i]\n    a[i] = c[i]",
        expect![[r#"
        i: vector
    "#]],
    );
}

#[test]
fn cells_that_data_chooses() {
    body(
        "for i in range(0, n):\n    a[x[i]] = (a[i] + 1.0)",
        expect![[r#"
        i: scalar
          ! data-dependent-cell: iteration [0] writes a[1] iteration [1] reads a[1] if _ is so
            fix: Foreach
    "#]],
    );
    body(
        "for i in range(0, n):\n    a[x[i]] = 1.0",
        expect![[r#"
        i: vector
    "#]],
    );
    body(
        "for i in range(0, n):\n    h[x[i]] = (h[x[i]] +% 1)",
        expect![[r#"
        i: scalar
          ! histogram: iteration [0] writes h[0] iteration [1] reads h[0] if _ is so if _ is so
    "#]],
    );
    body(
        "for i in range(0, n):\n    a[(i ^ 1)] = a[i]",
        expect![[r#"
        i: scalar
          ! non-linear-cell: iteration [0] writes a[1] iteration [1] reads a[1] if _ is so
            fix: Foreach
    "#]],
    );
}

#[test]
fn outer_loops() {
    body(
        "for i in range(1, n):\n    for j in range(0, n):\n        a[((i * 8) + j)] = a[(((i * 8) + j) - 8)]",
        expect![[r#"
            i: scalar
              ! loop-carried-anti: iteration [1, 16] reads a[16] iteration [2, 0] writes a[16]
              ! loop-carried-flow: iteration [1, 0] writes a[8] iteration [2, 0] reads a[8]
              ! loop-carried-output: iteration [1, 8] writes a[16] iteration [2, 0] writes a[16]
            j: vector, at most 8 lanes
              - distance-limits-lanes: iteration [1, 0] writes a[8] iteration [1, 8] reads a[8] so the lanes are limited to 8
        "#]],
    );
    check(
        "\
kernel stencil(m: f32[n, n], n):
    for i in range(1, n):
        for j in range(0, (n - 1)):
            m[i, j] = m[(i - 1), (j + 1)]
",
        expect![[r#"
            i: scalar
              ! loop-carried-flow: iteration [1, 1] writes m[1, 1] iteration [2, 0] reads m[1, 1]
            j: vector
        "#]],
    );
    check(
        "\
kernel column(m: f32[n, n], n):
    for i in range(0, n):
        for j in range(1, n):
            m[j, i] = (m[(j - 1), i] + 1.0)
",
        expect![[r#"
            i: vector
            j: scalar
              ! loop-carried-flow: iteration [0, 1] writes m[1, 0] iteration [0, 2] reads m[1, 0]
        "#]],
    );
}

#[test]
fn overlapping_arrays() {
    check(
        "\
@alias(a, b)
kernel copy(a: f32[?], b: f32[?], n):
    for i in range(0, n):
        a[i] = b[i]
",
        expect![[r#"
            i: vector
              - arrays-may-overlap:
                fix: NoAlias
        "#]],
    );
}

#[test]
fn reductions() {
    body(
        "let s, p = for i in range(0, n) with s = 0.0, p = 1.0:\n    yield (s + a[i]), (p * a[i])\na[0] = (s + p)",
        expect![[r#"
        i: scalar
          s is Reduction { fold: Add, conditional: false }
          p is Reduction { fold: Mul, conditional: false }
          ! ordered-float-sum: s
            fix: Reassoc
          ! ordered-float-product: p
            fix: Reassoc
    "#]],
    );
    body(
        "let s, p, q = for i in range(0, n) with s = 0, p = 0, q = -1:\n    yield (s +% x[i]), (p ^ x[i]), (q & x[i])\nx[0] = ((s +% p) +% q)",
        expect![[r#"
            i: vector
              s is Reduction { fold: Add, conditional: false }
              p is Reduction { fold: Xor, conditional: false }
              q is Reduction { fold: And, conditional: false }
              - sum: s
              - bitwise-xor: p
              - bitwise-and: q
        "#]],
    );
    body(
        "let s, t = for i in range(0, n) with s = 0.0, t = 0.0:\n    yield max(s, a[i]), min(t, a[i])\na[0] = (s + t)",
        expect![[r#"
            i: vector
              s is Reduction { fold: Max, conditional: false }
              t is Reduction { fold: Min, conditional: false }
              - maximum: s
              - minimum: t
        "#]],
    );
    body(
        "let s = for i in range(0, n) with s = 0.0:\n    let t = if (a[i] > s):\n        yield a[i]\n    else:\n        yield s\n    yield t\na[0] = s",
        expect![[r#"
            i: vector
              s is Reduction { fold: Max, conditional: false }
              - maximum: s
        "#]],
    );
    body(
        "let s = for i in range(0, n) with s = 0.0:\n    let t = if (a[i] > 0.0):\n        yield (s + a[i])\n    else:\n        yield s\n    yield t\na[0] = s",
        expect![[r#"
            i: scalar
              s is Reduction { fold: Add, conditional: true }
              ! ordered-float-sum: s in those where a condition holds
                fix: Reassoc
        "#]],
    );
    body(
        "let f, g = for i in range(0, n) with f = false, g = true:\n    yield (f | (a[i] > 0.0)), (g & (a[i] > 0.0))\nx[0] = (i32(f) +% i32(g))",
        expect![[r#"
            i: vector
              f is Reduction { fold: Or, conditional: false }
              g is Reduction { fold: And, conditional: false }
              - any-of: f
              - all-of: g
        "#]],
    );
}

#[test]
fn positions() {
    body(
        "let m, at = for i in range(0, n) with m = 0.0, at = 0:\n    let best, where = if (a[i] > m):\n        yield a[i], i\n    else:\n        yield m, at\n    yield best, where\na[0] = m\nx[0] = at",
        expect![[r#"
            i: vector
              m is Reduction { fold: Max, conditional: false }
              at is Position { of: 0, fold: Max }
              - maximum: m
              - position-of-maximum: at
        "#]],
    );
    body(
        "let at = for i in range(0, n) with at = -1:\n    let new = if (a[i] > 0.0):\n        yield i\n    else:\n        yield at\n    yield new\nx[0] = at",
        expect![[r#"
            i: vector
              at is Last
              - find-last: at
        "#]],
    );
    body(
        "let at = for i in range(0, n) with at = -1:\n    let new = if ((at < 0) & (a[i] > 0.0)):\n        yield i\n    else:\n        yield at\n    yield new\nx[0] = at",
        expect![[r#"
            i: vector
              at is First
              - find-first: at
        "#]],
    );
    // Under a condition that does not depend on them.
    body(
        "let m, at = for i in range(0, n) with m = 0.0, at = 0:\n    let best, where = if (b[i] > 0.0):\n        let p, q = if (a[i] > m):\n            yield a[i], i\n        else:\n            yield m, at\n        yield p, q\n    else:\n        yield m, at\n    yield best, where\na[0] = m\nx[0] = at",
        expect![[r#"
            i: scalar
              m is Reduction { fold: Max, conditional: true }
              at is Position { of: 0, fold: Max }
              ! maximum: m in those where a condition holds
              ! position-of-maximum: at
        "#]],
    );
    // The position is set in iterations in which the extreme is not.
    body(
        "let m, at = for i in range(0, n) with m = 0.0, at = 0:\n    let c = (a[i] > m)\n    let best = if (b[i] > 0.0):\n        let p = if c:\n            yield a[i]\n        else:\n            yield m\n        yield p\n    else:\n        yield m\n    let where = if c:\n        yield i\n    else:\n        yield at\n    yield best, where\na[0] = m\nx[0] = at",
        expect![[r#"
            i: scalar
              m is Reduction { fold: Max, conditional: true }
              at is Last
              ! maximum: m in those where a condition holds
              ! find-last: at
        "#]],
    );
    body(
        "let at = for i in range(0, n) with at = -1:\n    let new = if (b[i] > 0.0):\n        let p = if (a[i] > 0.0):\n            yield i\n        else:\n            yield at\n        yield p\n    else:\n        yield at\n    yield new\nx[0] = at",
        expect![[r#"
            i: vector
              at is Last
              - find-last: at
        "#]],
    );
    // What is found so far is used by each iteration.
    body(
        "let at = for i in range(0, n) with at = -1:\n    let new = if (a[i] > 0.0):\n        yield i\n    else:\n        yield at\n    x[i] = new\n    yield new\nx[0] = at",
        expect![[r#"
            i: vector
              at is LastSoFar
              - previous-value: at
        "#]],
    );
}

#[test]
fn scans_and_recurrences() {
    body(
        "let s = for i in range(0, n) with s = 0.0:\n    let t = (s + a[i])\n    b[i] = t\n    yield t\na[0] = s",
        expect![[r#"
            i: scalar
              s is Scan(Add)
              ! prefix-sum: s
                fix: Reassoc
        "#]],
    );
    body(
        "let s = for i in range(0, n) with s = 0.0:\n    yield ((s * b[i]) + a[i])\na[0] = s",
        expect![[r#"
            i: scalar
              s is LinearRecurrence
              ! linear-recurrence: s
                fix: Reassoc
        "#]],
    );
    body(
        "let s = for i in range(0, n) with s = 0.0:\n    yield sqrt((s + a[i]))\na[0] = s",
        expect![[r#"
        i: scalar
          s is Recurrence
          ! recurrence: s
    "#]],
    );
    body(
        "let s = for i in range(0, n) with s = 0.0:\n    b[i] = s\n    yield a[i]\na[0] = s",
        expect![[r#"
            i: vector
              s is Previous
              - previous-value: s
        "#]],
    );
    body(
        "let s = for i in range(0, n) with s = 3:\n    a[s] = b[i]\n    yield (s + 2)\nx[0] = s",
        expect![[r#"
            i: vector
              s is Induction
              - induction: s
        "#]],
    );
}

#[test]
fn what_lanes_compute_of_each_other_by_halves() {
    let part = |part: usize| format!("running_sum(k, c, v, t0, t1, t2, part={part})");
    let sums = |stored: &str| {
        format!(
            "let k1, c1, t3, t4, t5 = for i in range(0, n) with k = u32(0), c = 0.0, t0 = 0.0, t1 = 0.0, t2 = 0.0:\n    let v = a[i]\n    \
             b[i] = {stored}\n    yield (k +% u32(1)), {}, {}, {}, {}",
            part(1),
            part(2),
            part(3),
            part(4)
        )
    };
    body(
        &sums(&part(0)),
        expect![[r#"
        i: vector
          k is Induction
          c is Blocks { kind: Sum, leads: true }
          t0 is Blocks { kind: Sum, leads: false }
          t1 is Blocks { kind: Sum, leads: false }
          t2 is Blocks { kind: Sum, leads: false }
          - running-in-fixed-order: _
    "#]],
    );
    // An op that is no part of it looks at what is in front of a block.
    body(
        &sums(&format!("({} + c)", part(0))),
        expect![[r#"
        i: scalar
          k is Induction
          c is Recurrence
          t0 is Blocks { kind: Sum, leads: false }
          t1 is Blocks { kind: Sum, leads: false }
          t2 is Blocks { kind: Sum, leads: false }
          ! recurrence: c
    "#]],
    );
    body(
        "let m = for i in range(0, n) with m = 0.0:\n    let t = max(a[i], m)\n    b[i] = t\n    yield t\nb[0] = m",
        expect![[r#"
            i: vector
              m is Scan(Max)
              - prefix-sum: m
        "#]],
    );
    body(
        "let m = for i in range(0, n) with m = 0.0:\n    let v = a[i]\n    let t = select((v <= m), v, m)\n    b[i] = t\n    yield t\nb[0] = m",
        expect![[r#"
            i: vector
              m is Reduction { fold: Min, conditional: false }
              - minimum: m
        "#]],
    );
    body(
        "let m = for i in range(0, n) with m = 5:\n    let t = ((m * 31) - x[i])\n    h[i] = t\n    yield t\nh[0] = m",
        expect![[r#"
            i: vector
              m is LinearRecurrence
              - linear-recurrence: m
        "#]],
    );
    body(
        "let m = for i in range(0, n) with m = 5:\n    let t = select((a[i] > 0.0), 0, (m + 1))\n    h[i] = t\n    yield t\nh[0] = m",
        expect![[r#"
            i: scalar
              m is Recurrence
              ! recurrence: m
        "#]],
    );
    // A condition that depends on the value, a square, and a number that comes from an array that the loop stores to.
    body(
        "let m = for i in range(0, n) with m = 5:\n    let t = select((m > 9), 0, (m + 1))\n    h[i] = t\n    yield t\nh[0] = m",
        expect![[r#"
            i: scalar
              m is Recurrence
              ! recurrence: m
        "#]],
    );
    body(
        "let m = for i in range(0, n) with m = 5:\n    let t = (m * m)\n    h[i] = t\n    yield t\nh[0] = m",
        expect![[r#"
            i: scalar
              m is Recurrence
              ! recurrence: m
        "#]],
    );
    body(
        "let m = for i in range(0, n) with m = 5:\n    let t = max(m, h[i])\n    h[i] = t\n    yield t\nh[0] = m",
        expect![[r#"
            i: vector
              m is Scan(Max)
              - prefix-sum: m
        "#]],
    );
}

#[test]
fn compress_and_expand() {
    body(
        "let k = for i in range(0, n) with at = 0:\n    let next = if (a[i] > 0.0):\n        b[at] = a[i]\n        yield (at + 1)\n    else:\n        yield at\n    yield next\nx[0] = k",
        expect![[r#"
            i: vector
              at is Compress
              - compress: at
        "#]],
    );
    body(
        "let k = for i in range(0, n) with at = 0:\n    let next = if (a[i] > 0.0):\n        a[i] = b[at]\n        yield (at + 1)\n    else:\n        yield at\n    yield next\nx[0] = k",
        expect![[r#"
            i: vector
              at is Expand
              - expand: at
        "#]],
    );
}

#[test]
fn cells_a_constant_away_from_a_count() {
    // The count is more before the store, and is so by another constant at the load.
    body(
        "let k = for i in range(0, n) with at = -1:\n    let next = if (a[i] > 0.0):\n        let more = (at + 1)\n        b[more] = a[i]\n        yield more\n    else:\n        yield at\n    yield next\nx[0] = k",
        expect![[r#"
            i: vector
              at is Compress
              - compress: at
        "#]],
    );
    body(
        "let k = for i in range(0, n) with at = 0:\n    let next = if (a[i] > 0.0):\n        a[i] = b[(at - 2)]\n        yield (at + 1)\n    else:\n        yield at\n    yield next\nx[0] = k",
        expect![[r#"
            i: vector
              at is Expand
              - expand: at
        "#]],
    );
    // Another iteration may store what one stores to its second cell.
    body(
        "let k = for i in range(0, n) with at = 0:\n    let next = if (a[i] > 0.0):\n        b[at] = a[i]\n        b[(at + 1)] = 0.0\n        yield (at + 2)\n    else:\n        yield at\n    yield next\nx[0] = k",
        expect![[r#"
            i: scalar
              at is Compress
              ! data-dependent-cell: iteration [0] writes b[1] iteration [1] writes b[1] if at is so if _ is so
                fix: Foreach
              - compress: at
        "#]],
    );
}

#[test]
fn loops_that_leave_early() {
    body(
        "let i, go = while go with i = 0, go = (0 < n):\n    let next = (i +% 1)\n    yield next, ((a[i] > 0.0) & ((i < next) & (next < n)))\nx[0] = i",
        expect![[r#"
            i: scalar
              i is Induction
              go is Exit
              ! early-exit: it goes on while go
              - induction: i
        "#]],
    );
    body(
        "let i = while (i < n) with i = 0:\n    a[i] = 1.0\n    yield (i + 1)\nx[0] = i",
        expect![[r#"
            i: scalar
              i is Induction
              ! unknown-trip-count: it goes on while _
              - induction: i
        "#]],
    );
}

#[test]
fn iterations_of_a_foreach() {
    body(
        "foreach i in range(0, n):\n    a[(i // 2)] = 1.0",
        expect![[r#"
        i: scalar
          ! iterations-collide: iteration [0] writes a[0] iteration [1] writes a[0]
    "#]],
    );
    body(
        "foreach i in range(0, n):\n    a[i] = a[(i + k)]",
        expect![[r#"
        i: vector
          - iterations-may-collide: iteration [0] reads a[1] iteration [1] writes a[1]
    "#]],
    );
    body(
        "foreach i in range(0, n):\n    a[i] = (a[i] + 1.0)",
        expect![[r#"
        i: vector
    "#]],
    );
    body(
        "foreach i in range(0, n), j in range(0, n):\n    a[(i + j)] = 1.0",
        expect![[r#"
        i: scalar
          ! iterations-collide: iteration [0, 1] writes a[1] iteration [1, 0] writes a[1]
    "#]],
    );
}

#[test]
fn what_has_no_lanes() {
    // Of small arrays of one size each lane can have one.
    body(
        "for i in range(0, n):\n    let t = temp(1024, type=f32)\n    t[0] = a[i]\n    b[i] = t[0]",
        expect![[r#"
        i: vector
    "#]],
    );
    for size in ["1025", "n"] {
        body(
            &format!("for i in range(0, n):\n    let t = temp({size}, type=f32)\n    t[0] = a[i]\n    b[i] = t[0]"),
            expect![[r#"
            i: scalar
              ! temporary-array: t
        "#]],
        );
    }
    // A `foreach` gives each lane its own, if all are of one size, and arrays can be told apart.
    body(
        "foreach i in range(0, n):\n    let t = temp(4, type=f32)\n    t[0] = a[i]\n    b[i] = t[0]",
        expect![[r#"
        i: vector
    "#]],
    );
    body(
        "foreach i in range(0, n):\n    let t = temp((n + 1), type=f32)\n    t[0] = a[i]\n    b[i] = t[0]",
        expect![[r#"
        i: vector
    "#]],
    );
    body(
        "foreach i in range(0, n):\n    let t = temp((i + 1), type=f32)\n    t[0] = a[i]\n    b[i] = t[0]",
        expect![[r#"
            i: scalar
              ! temporary-array: t
        "#]],
    );
    body(
        "for i in range(0, n):\n    a[i] = unknown(type=f32)",
        expect![[r#"
        i: scalar
          ! not-understood:
    "#]],
    );
}

#[test]
fn many_branches_before_an_increment_are_not_all_followed() {
    let branch = |n: usize| {
        let before = if n == 0 { "j".to_owned() } else { format!("j_{n}") };
        format!(
            "        let j_{} = if (a[i] > 0.0):\n            yield ({before} + 1)\n        else:\n            yield {before}\n",
            n + 1
        )
    };
    let branches: String = (0..40).map(branch).collect();
    let text = format!(
        "kernel k(a: f32[n], n: i32) -> i32:\n    let s = for i in range(0, n) with j = 0:\n{branches}        yield j_40\n    return s\n"
    );
    let kernel = ir::read(&text, None).expect("a kernel").remove(0);
    let found = super::loops(&kernel, &crate::dependence::DependenceLimits::default());
    assert_ne!(found.list[0].carried[0].role, super::CarriedRole::Induction);
}

/// Each branch is looked at once, however deep it stands; twice for each level would take longer than anybody waits.
#[test]
fn what_depends_on_a_value_is_found_through_deep_branches() {
    const DEPTH: usize = 40;
    let open = |depth: usize| {
        let indent = "    ".repeat(depth + 2);
        format!("{indent}let r_{depth} = if (a[i] > {depth}.0):\n")
    };
    let close = |depth: usize, yielded: &str| {
        let indent = "    ".repeat(depth + 2);
        format!("{indent}    yield {yielded}\n{indent}else:\n{indent}    yield t\n")
    };
    let opened: String = (0..DEPTH).map(open).collect();
    let closed = (0..DEPTH).rev().map(|depth| match depth + 1 {
        DEPTH => close(depth, "(t + a[i])"),
        inner => close(depth, &format!("r_{inner}")),
    });
    let text = format!(
        "kernel k(a: f32[n], n: i32) -> f32:\n    let s = for i in range(0, n) with t = 0.0:\n{opened}{}        yield r_0\n    \
         return s\n",
        closed.collect::<String>()
    );
    let kernel = ir::read(&text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let found = super::loops(&kernel, &crate::dependence::DependenceLimits::default());
    assert_eq!(found.list[0].carried[0].role, CarriedRole::Reduction { fold: Fold::Add, conditional: true });
}
