//! Verdicts about loops of Lane programs, and what the `parallel` stage makes of them.

use crate::common;

use std::fmt::Write;
use std::sync::Arc;

use expect_test::{Expect, expect};
use facts::dependence::DependenceLimits;
use facts::loops::loops;
use ir::ReasonCode;
use passes::pipeline;
use passes::pipeline::Options;
use queries::db;
use queries::db::{Database, File};

/// For each kernel: each loop with its codes, and the kernel at `parallel` if that stage does more than to mark the verdicts.
fn check(text: &str, expect: Expect) {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let mut out = String::new();
    for &item in db::file_items(&db, file) {
        let lowering = queries::sequential(&db, item);
        let Some(kernel) = lowering.kernel.as_deref() else { continue };
        for known in &loops(kernel, &DependenceLimits::default()).list {
            let verdict = if known.verdict.is_vector { "vector" } else { "scalar" };
            let codes: Vec<&str> = known.verdict.reasons.iter().map(|reason| reason.code.name()).collect();
            let line = format!("{}: {verdict} {}", kernel.name, codes.join(" "));
            let _ = writeln!(out, "{}", line.trim_end());
        }
        let stages = pipeline::run(kernel.clone(), &Options::default(), true).expect("passes keep what holds");
        let parallel = stages.iter().find(|reached| reached.stage == "parallel").expect("a stage of the list");
        if parallel.passes.iter().any(|pass| pass.changed && pass.name != "verdicts") {
            out.push_str(&ir::print(&parallel.kernel).text);
        }
    }
    expect.assert_eq(&out);
}

#[test]
fn the_loops_of_the_first_article() {
    check(
        &common::read("examples/pypy.lane"),
        expect![[r#"
            add: vector
            chained: scalar loop-carried-flow
            relaxed: vector statements-reordered
            kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):
                let _0 = if (1 < 29):
                    yield b[(1 - 1)]
                else:
                    yield 0.0
                @in_lanes(8)
                let _1 = for i in range(1, 29) with before = _0:
                    let _2 = (c[i] * 2.0)
                    b[i] = _2
                    let _3 = (i - 1)
                    a[i] = (before + c[i])
                    yield _2
        "#]],
    );
}

/// The verdicts about the loops of kernels whose bodies these are, with arrays of floats and some numbers, under `@reassoc`.
fn under_reassoc(bodies: &[&str], expect: Expect) {
    let db = Database::default();
    let mut out = String::new();
    for body in bodies {
        let head = "@reassoc\nkernel k(a: f32[n], b: f32[n], m: f32[2, n], n: i32, c: f32, d: f32):";
        let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
        let file = File::new(&db, Arc::from(format!("{head}\n{lines}")));
        let item = db::file_items(&db, file)[0];
        let lowering = queries::sequential(&db, item);
        let kernel = lowering.kernel.as_deref().unwrap_or_else(|| panic!("{body}"));
        let list = loops(kernel, &DependenceLimits::default()).list;
        let innermost = list.last().expect("a loop");
        let verdict = if innermost.verdict.is_vector { "lanes" } else { "order" };
        let codes: Vec<&str> = innermost.verdict.reasons.iter().map(|reason| reason.code.name()).collect();
        let _ = writeln!(out, "{verdict} {}", codes.join(" "));
    }
    expect.assert_eq(&out);
}

#[test]
fn variables_run_on_together() {
    under_reassoc(
        &[
            // A second-order filter, as it is mostly written.
            "z = 0.0\nw = 0.0\nfor i in range(n):\n    let y = c * a[i] + z\n    z = d * a[i] - c * y + w\n    w = c * a[i] - d * y\n    b[i] = y",
            // With the last two inputs and outputs; those that are shifted come first, and last.
            "x1 = 0.0\ny1 = 0.0\ny2 = 0.0\nfor i in range(n):\n    let y = a[i] + c * x1 - d * y1 - c * y2\n    x1 = a[i]\n    y2 = y1\n    y1 = y\n    b[i] = y",
            "y1 = 0.0\ny2 = 0.0\nfor i in range(n):\n    b[i] = y1\n    y1, y2 = a[i] - c * y1 - d * y2, y1",
            // A value that is looked at between the two statements, and one that is computed with it.
            "l = 0.0\nh = 0.0\nfor i in range(n):\n    l += c * h\n    b[i] = l\n    h -= d * l",
            // What is added behind the first of the statements is another one there.
            "l = 0.0\nh = 0.0\nfor i in range(n):\n    l += c * h\n    b[i] = l\n    h -= d * l + b[i]",
            "l = 0.0\nh = 0.0\nk = c\nfor i in range(n):\n    l += c * h\n    k = a[i]\n    h -= k * l\n    b[i] = h",
            // Three that depend on each other, and two whose product is added.
            "x = 1.0\ny = 0.0\nz = 0.0\nfor i in range(n):\n    x += c * y\n    y += c * z\n    z -= d * x\n    b[i] = x",
            "x = 1.0\ny = 0.5\nfor i in range(n):\n    x += c * x * y\n    y -= d * x\n    b[i] = y",
            // One that depends on another one, which does not depend on it.
            "x = 1.0\ny = 0.5\nfor i in range(n):\n    x += c * (a[i] - x)\n    y += c * (x - y)\n    b[i] = y",
        ],
        expect![[r#"
            lanes running-in-fixed-order running-in-fixed-order
            lanes running-in-fixed-order running-in-fixed-order previous-value
            lanes running-in-fixed-order running-in-fixed-order
            lanes running-in-fixed-order running-in-fixed-order
            order prefix-sum linear-recurrence
            order prefix-sum linear-recurrence previous-value
            order prefix-sum prefix-sum prefix-sum
            order linear-recurrence linear-recurrence
            lanes running-in-fixed-order running-in-fixed-order
        "#]],
    );
}

#[test]
fn cells_run_on() {
    under_reassoc(
        &[
            "for i in range(1, n):\n    a[i] = c * a[i - 1] + b[i]",
            "for i in range(2, n):\n    a[i] = b[i] - c * a[i - 1] - d * a[i - 2]",
            "for i in range(n - 1):\n    m[1, i + 1] += c * m[1, i]",
            "for i in range(1, n):\n    let old = a[i]\n    a[i] = old - c * (a[i - 1] - b[i])",
            // Another parameter is stored to, before and behind.
            "for i in range(1, n):\n    b[i] = c\n    a[i] = c * a[i - 1] + b[i]\n    m[0, i] = a[i]",
            // The index counts down, or by two; there is another store to what may be the array, another row, or a cell farther back.
            "for i in range(n - 1, 0, -1):\n    a[i] = c * a[i - 1] + b[i]",
            "for i in range(1, n, 2):\n    a[i] = c * a[i - 1] + b[i]",
            "let s = b\nfor i in range(1, n):\n    a[i] = c * a[i - 1] + b[i]\n    s[i] = c",
            "for i in range(1, n):\n    m[1, i] = c * m[1, i - 1] + m[0, i]",
            "for i in range(3, n):\n    a[i] = c * a[i - 1] + a[i - 3]",
        ],
        expect![[r#"
            lanes running-in-fixed-order
            lanes running-in-fixed-order
            lanes running-in-fixed-order
            lanes running-in-fixed-order
            lanes running-in-fixed-order
            lanes 
            lanes 
            order loop-carried-flow
            order loop-carried-flow
            order loop-carried-flow distance-limits-lanes
        "#]],
    );
}

#[test]
fn patterns_as_they_are_written() {
    check(
        "\
kernel total(a: f32[n], n: i32) -> f32:
    let s = 0.0
    for i in range(n):
        s += a[i]
    return s

kernel largest(a: f32[n], n: i32) -> i32:
    let best = a[0]
    let at = 0
    for i in range(1, n):
        if a[i] > best:
            best = a[i]
            at = i
    return at

kernel first(a: f32[n], n: i32) -> i32:
    let at = -1
    for i in range(n):
        if a[i] < 0.0:
            at = i
            break
    return at

kernel keep(a: f32[n], b: f32[n], n: i32) -> i32:
    let k = 0
    for i in range(n):
        if a[i] > 0.0:
            b[k] = a[i]
            k += 1
    return k

kernel running(a: f32[n], b: f32[n], n: i32):
    let s = 0.0
    for i in range(n):
        s += a[i]
        b[i] = s

kernel count(x: i32[n], h: i32[m], n: i32, m: i32):
    for i in range(n):
        h[x[i]] += 1

kernel every(a: f32[n], n: i32) -> bool:
    let s = true
    for i in range(n):
        s = s and a[i] > 0.0
    return s

kernel some(a: f32[n], n: i32) -> bool:
    let s = false
    for i in range(n):
        s = s or a[i] == 0.0
    return s

kernel some_known(a: f32[m], x: i32[n], n: i32, m: i32) -> bool:
    let s = false
    for i in range(n):
        s = s or a[x[i]] == 0.0
    return s

kernel first_known(a: f32[m], x: i32[n], n: i32, m: i32) -> i32:
    let at = -1
    for i in range(n):
        if at < 0 and a[x[i]] < 0.0:
            at = i
    return at

kernel several(x: i32[n], n: i32) -> i32:
    let s = 0
    let least = x[0]
    let ones = 0
    for i in range(n):
        s += x[i]
        least = min(least, x[i])
        if x[i] == 1:
            ones += 1
    return s + least + ones

kernel largest_of_all(m: i32[n, n], n: i32) -> i32:
    let s = m[0, 0]
    for i in range(n):
        for j in range(n):
            s = max(s, m[j, i])
    return s

kernel counted(a: f32[n], n: i32) -> i32:
    let i = 0
    while i < n:
        a[i] = a[i] * 2.0
        i += 1
    return i

kernel counted_down(a: f32[n], n: i32):
    let i = n - 1
    while i > -1:
        i = i - 1
        a[i + 1] = a[i + 1] * 2.0

kernel halved(a: f32[n], n: i32):
    let i = n
    while i > 1:
        i = i / 2
        a[i] = 0.0

kernel until_a_bound_that_moves(a: f32[n], n: i32):
    let i = 0
    let end = n
    while i < end:
        a[i] = 0.0
        i += 1
        end -= 1

kernel left_early(a: f32[n], n: i32):
    let i = 0
    while i < n:
        if a[i] < 0.0:
            break
        a[i] = 0.0
        i += 1

@reassoc
kernel dot(a: f32[n], b: f32[n], n: i32) -> f32:
    let s = 0.0
    for i in range(n):
        s += a[i] * b[i]
    return s
",
        expect![[r#"
            total: scalar ordered-float-sum
            largest: vector maximum position-of-maximum
            first: scalar early-exit find-first
            kernel first(a: f32[n], n) -> i32:
                @in_order(early-exit)
                let _0, _1 = while go with i = 0, go = ((0 < n) & (u32((n -% 0)) >= 32)):
                    let _2 = (i + 32)
                    @in_lanes(8)
                    let _3 = for i_1 in range(i, _2) with leaves = false:
                        yield (leaves | (a[i_1] < 0.0))
                    let _4, _5 = if _3:
                        yield i, false
                    else:
                        yield _2, ((_2 < n) & (u32((n -% _2)) >= 32))
                    yield _4, _5
                @in_order(early-exit)
                let _6, _7 = while go_1 with i_2 = _0, go_1 = ((_0 < n) & (u32((n -% _0)) >= 8)):
                    let _8 = (i_2 + 8)
                    @in_lanes(8)
                    let _9 = for i_3 in range(i_2, _8) with leaves_1 = false:
                        yield (leaves_1 | (a[i_3] < 0.0))
                    let _10, _11 = if _9:
                        yield i_2, false
                    else:
                        yield _8, ((_8 < n) & (u32((n -% _8)) >= 8))
                    yield _10, _11
                @counts
                @in_order(early-exit)
                let _12, _13, at = while go_2 with i_4 = _6, go_2 = (_6 < n), at_1 = -1:
                    let at_2, go_3 = if (a[i_4] < 0.0):
                        yield i_4, false
                    else:
                        yield at_1, true
                    let _14 = (i_4 +% 1)
                    yield _14, (go_3 & ((i_4 < _14) & (_14 < n))), at_2
                return at
            keep: vector compress
            running: scalar prefix-sum
            count: scalar histogram
            every: vector all-of
            some: vector any-of
            some_known: scalar any-of
            first_known: scalar find-first
            several: vector sum minimum sum
            largest_of_all: scalar maximum
            largest_of_all: vector maximum
            kernel largest_of_all(m: i32[n, n], n) -> i32:
                let s = m[0, 0]
                @in_order(maximum)
                let s_1 = for j in range(0, n) with s_2 = s:
                    @in_lanes(8)
                    let s_3 = for i in range(0, n) with s_4 = s_2:
                        let s_5 = max(s_4, m[j, i])
                        yield s_5
                    yield s_3
                return s_1
            counted: vector
            counted_down: vector
            halved: scalar unknown-trip-count linear-recurrence
            until_a_bound_that_moves: scalar unknown-trip-count induction induction
            left_early: scalar early-exit
            kernel left_early(a: f32[n], n):
                @in_order(early-exit)
                let _0, _1 = while go with i = 0, go = ((0 < n) & (u32((n -% 0)) >= 8)):
                    let _2 = (i + 8)
                    @in_lanes(8)
                    let _3 = for i_1 in range(i, _2) with leaves = false:
                        yield (leaves | (a[i_1] < 0.0))
                    let _4, _5 = if _3:
                        yield i, false
                    else:
                        @in_lanes(8)
                        for i_2 in range(i, _2):
                            a[i_2] = 0.0
                        yield _2, ((_2 < n) & (u32((n -% _2)) >= 8))
                    yield _4, _5
                @counts
                @in_order(early-exit)
                let i_3, _6 = while go_1 with i_4 = _0, go_1 = (_0 < n):
                    let i_5, go_2 = if (a[i_4] < 0.0):
                        yield i_4, false
                    else:
                        a[i_4] = 0.0
                        let i_6 = (i_4 + 1)
                        yield i_6, true
                    let _7 = (i_4 +% 1)
                    yield _7, (go_2 & ((i_4 < _7) & (_7 < n)))
            dot: vector sum-in-fixed-order
        "#]],
    );
}

/// A code, the body of a kernel that has it, and that of one that nearly has it and has not.
struct Row(&'static str, &'static str, &'static str);

/// The bodies stand in a kernel over these.
const HEADER: &str =
    "kernel body(a: f32[n], b: f32[n], c: f32[n], x: i32[n], h: i32[n], m: f32[n, n], n: i32, k: i32):";

const ROWS: &[Row] = &[
    Row(
        "loop-carried-flow",
        "for i in range(1, n):\n    a[i] = a[i - 1]",
        "for i in range(1, n):\n    a[i] = b[i - 1]",
    ),
    Row(
        "loop-carried-anti",
        "for i in range(1, n):\n    for j in range(n):\n        a[i * 8 + j] = a[i * 8 + j - 8]",
        "for i in range(1, n):\n    for j in range(8):\n        a[i * 8 + j] = a[i * 8 + j - 8]",
    ),
    Row(
        "loop-carried-output",
        "for i in range(n):\n    for j in range(n):\n        a[i * 8 + j] = b[j]",
        "for i in range(n):\n    for j in range(8):\n        a[i * 8 + j] = b[j]",
    ),
    Row(
        "data-dependent-cell",
        "for i in range(n):\n    a[x[i]] = a[i] + 1.0",
        "for i in range(n):\n    a[x[i]] = b[i] + 1.0",
    ),
    Row("non-linear-cell", "for i in range(n):\n    a[i ^ 1] = a[i]", "for i in range(n):\n    a[i ^ 1] = b[i]"),
    Row("histogram", "for i in range(n):\n    h[x[i]] += 1", "for i in range(n):\n    h[i] += x[i]"),
    Row(
        "distance-limits-lanes",
        "for i in range(4, n):\n    a[i] = a[i - 4]",
        "for i in range(4, n):\n    a[i - 4] = a[i]",
    ),
    Row(
        "statements-reordered",
        "for i in range(1, n):\n    a[i] = b[i - 1]\n    b[i] = c[i]",
        "for i in range(1, n):\n    b[i] = c[i]\n    a[i] = b[i - 1]",
    ),
    Row(
        "iterations-collide",
        "foreach i in range(n):\n    a[i // 2] = 1.0",
        "foreach i in range(n):\n    a[i] = b[i // 2]",
    ),
    Row(
        "iterations-may-collide",
        "foreach i in range(n):\n    a[x[i]] = 1.0",
        "foreach i in range(n):\n    a[i] = b[x[i]]",
    ),
    Row(
        "induction",
        "let j = k\nfor i in range(n):\n    a[j] = 1.0\n    j += 2",
        "for i in range(n):\n    let j = k + 2 * i\n    a[j] = 1.0",
    ),
    Row(
        "ordered-float-sum",
        "let s = 0.0\nfor i in range(n):\n    s += a[i]\na[0] = s",
        "let s = 0.0\n@reassoc\nfor i in range(n):\n    s += a[i]\na[0] = s",
    ),
    Row(
        "ordered-float-product",
        "let s = 1.0\nfor i in range(n):\n    s *= a[i]\na[0] = s",
        "let s = 1.0\n@reassoc\nfor i in range(n):\n    s *= a[i]\na[0] = s",
    ),
    Row(
        "sum",
        "let s = 0\nfor i in range(n):\n    s += x[i]\nx[0] = s",
        "let s = 0\nfor i in range(n):\n    s += x[i]\n    h[i] = s\nx[0] = s",
    ),
    Row(
        "product",
        "let s = 1\nfor i in range(n):\n    s *= x[i]\nx[0] = s",
        "let s = 1\nfor i in range(n):\n    s = x[i]\nx[0] = s",
    ),
    Row(
        "minimum",
        "let s = 0\nfor i in range(n):\n    s = min(s, x[i])\nx[0] = s",
        "let s = 0\nfor i in range(n):\n    s = max(s, x[i])\nx[0] = s",
    ),
    Row(
        "maximum",
        "let s = 0\nfor i in range(n):\n    if x[i] > s:\n        s = x[i]\nx[0] = s",
        "let s = 0\nfor i in range(n):\n    if x[i] > k:\n        s = x[i]\nx[0] = s",
    ),
    Row(
        "bitwise-and",
        "let s = 7\nfor i in range(n):\n    s = s & x[i]\nx[0] = s",
        "let s = 7\nfor i in range(n):\n    s = k & x[i]\nx[0] = s",
    ),
    Row(
        "bitwise-or",
        "let s = 0\nfor i in range(n):\n    s = s | x[i]\nx[0] = s",
        "let s = 0\nfor i in range(n):\n    s = k | x[i]\nx[0] = s",
    ),
    Row(
        "bitwise-xor",
        "let s = 0\nfor i in range(n):\n    s = s ^ x[i]\nx[0] = s",
        "let s = 0\nfor i in range(n):\n    s = k ^ x[i]\nx[0] = s",
    ),
    Row(
        "all-of",
        "let s = true\nfor i in range(n):\n    if a[i] < 0.0:\n        s = false\nif s:\n    x[0] = 1",
        "let s = false\nfor i in range(n):\n    if a[i] < 0.0:\n        s = true\nif s:\n    x[0] = 1",
    ),
    Row(
        "any-of",
        "let s = false\nfor i in range(n):\n    if a[i] < 0.0:\n        s = true\nif s:\n    x[0] = 1",
        "let s = true\nfor i in range(n):\n    if a[i] < 0.0:\n        s = false\nif s:\n    x[0] = 1",
    ),
    Row(
        "all-of",
        "let s = true\nfor i in range(n):\n    s = s and a[i] > 0.0\nif s:\n    x[0] = 1",
        "let s = false\nfor i in range(n):\n    s = s or a[i] > 0.0\nif s:\n    x[0] = 1",
    ),
    Row(
        "any-of",
        "let s = false\nfor i in range(n):\n    s = s or a[i] > 0.0\nif s:\n    x[0] = 1",
        "let s = false\nfor i in range(n):\n    s = not s or a[i] > 0.0\nif s:\n    x[0] = 1",
    ),
    Row(
        "sum-in-fixed-order",
        "let s = 0.0\n@reassoc\nfor i in range(n):\n    s += a[i]\na[0] = s",
        "let s = 0.0\nfor i in range(n):\n    s += a[i]\na[0] = s",
    ),
    Row(
        "product-in-fixed-order",
        "let s = 1.0\n@reassoc\nfor i in range(n):\n    s *= a[i]\na[0] = s",
        "let s = 1\n@reassoc\nfor i in range(n):\n    s *= x[i]\nx[0] = s",
    ),
    Row(
        "running-in-fixed-order",
        "let s = 0.0\n@reassoc\nfor i in range(n):\n    s = s * 0.5 + a[i]\n    b[i] = s",
        "let s = 0.0\n@reassoc\nfor i in range(n):\n    s = s / 2.0 + a[i]\n    b[i] = s",
    ),
    Row(
        "position-of-minimum",
        "let s = a[0]\nlet at = 0\nfor i in range(1, n):\n    if a[i] < s:\n        s = a[i]\n        at = i\nx[0] = at",
        "let s = a[0]\nlet at = 0\nfor i in range(1, n):\n    if a[i] > s:\n        s = a[i]\n        at = i\nx[0] = at",
    ),
    Row(
        "position-of-maximum",
        "let s = a[0]\nlet at = 0\nfor i in range(1, n):\n    if a[i] > s:\n        s = a[i]\n        at = i\nx[0] = at",
        "let s = a[0]\nlet at = 0\nfor i in range(1, n):\n    if a[i] < s:\n        s = a[i]\n        at = i\nx[0] = at",
    ),
    Row(
        "find-first",
        "let at = -1\nfor i in range(n):\n    if a[i] < 0.0:\n        at = i\n        break\nx[0] = at",
        "let at = -1\nfor i in range(n):\n    if a[i] < 0.0:\n        at = i\nx[0] = at",
    ),
    Row(
        "find-last",
        "let at = -1\nfor i in range(n):\n    if a[i] < 0.0:\n        at = i\nx[0] = at",
        "let at = -1\nfor i in range(n):\n    if a[i] < 0.0:\n        at = i\n        break\nx[0] = at",
    ),
    Row(
        "prefix-sum",
        "let s = 0\nfor i in range(n):\n    s += x[i]\n    h[i] = s",
        "let s = 0\nfor i in range(n):\n    s += x[i]\nh[0] = s",
    ),
    Row(
        "compress",
        "let j = 0\nfor i in range(n):\n    if a[i] > 0.0:\n        b[j] = a[i]\n        j += 1",
        "let j = 0\nfor i in range(n):\n    b[j] = a[i]\n    j += 1",
    ),
    Row(
        "expand",
        "let j = 0\nfor i in range(n):\n    if a[i] > 0.0:\n        b[i] = c[j]\n        j += 1",
        "let j = 0\nfor i in range(n):\n    b[i] = c[j]\n    j += 1",
    ),
    Row(
        "previous-value",
        "let p = 0.0\nfor i in range(n):\n    b[i] = p\n    p = a[i]",
        "for i in range(n):\n    let p = a[i]\n    b[i] = p",
    ),
    Row(
        "linear-recurrence",
        "let s = 0.0\nfor i in range(n):\n    s = s * 0.5 + a[i]\na[0] = s",
        "let s = 0.0\nfor i in range(n):\n    s = s + a[i]\na[0] = s",
    ),
    Row(
        "recurrence",
        "let s = 0.0\nfor i in range(n):\n    s = sqrt(s + a[i])\na[0] = s",
        "let s = 0.0\nfor i in range(n):\n    s = s * b[i] + a[i]\na[0] = s",
    ),
    Row(
        "early-exit",
        "for i in range(n):\n    if a[i] < 0.0:\n        break\n    b[i] = 1.0",
        "for i in range(n):\n    if a[i] >= 0.0:\n        b[i] = 1.0",
    ),
    Row(
        "unknown-trip-count",
        "let i = n\nwhile i > 1:\n    i = i / 2\n    a[i] = 1.0",
        "for i in range(n):\n    a[i] = 1.0",
    ),
    Row(
        "nested-foreach",
        "for j in range(2):\n    foreach i in range(n):\n        a[i] = 1.0",
        "for j in range(2):\n    for i in range(n):\n        a[i] = 1.0",
    ),
];

#[test]
fn a_guard_decides_whether_and_not_where() {
    // The cells are linear, so two iterations can meet: no `foreach` is offered.
    check(
        "\
kernel s277(a: f32[n], b: f32[n], c: f32[n], d: f32[n], e: f32[n], n: i32):
    for i in range(n - 1):
        if a[i] >= 0.0:
            continue
        if not (b[i] >= 0.0):
            a[i] = a[i] + c[i] * d[i]
        b[i + 1] = c[i] + d[i] * e[i]

kernel by_data(a: f32[n], x: i32[n], n: i32):
    for i in range(n):
        if a[i] > 0.0:
            a[x[i]] = 1.0
",
        expect![[r#"
            s277: scalar loop-carried-flow
            by_data: scalar data-dependent-cell
        "#]],
    );
}

#[test]
fn an_index_that_each_way_moves_alike_is_linear() {
    check(
        "\
kernel s124(a: f32[n], b: f32[n], c: f32[n], d: f32[n], e: f32[n], n: i32):
    let j = -1
    for i in range(n):
        if b[i] > 0.0:
            j += 1
            a[j] = b[i] + d[i] * e[i]
        else:
            j += 1
            a[j] = c[i] + d[i] * e[i]

kernel s127(a: f32[2 * n], b: f32[n], c: f32[n], d: f32[n], e: f32[n], n: i32):
    let j = -1
    for i in range(n):
        j += 1
        a[j] = b[i] + c[i] * d[i]
        j += 1
        a[j] = b[i] + d[i] * e[i]

kernel s128(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n: i32):
    let j = -1
    for i in range(n // 2):
        let k = j + 1
        a[i] = b[k] - d[i]
        j = k + 1
        b[k] = a[i] + c[k]

kernel uneven(a: f32[2 * n], b: f32[n], n: i32):
    let j = -1
    for i in range(n):
        if b[i] > 0.0:
            j += 2
        else:
            j += 1
        a[j] = b[i]
",
        expect![[r#"
            s124: vector induction
            kernel s124(a: f32[n], b: f32[n], c: f32[n], d: f32[n], e: f32[n], n):
                @in_lanes(8)
                let j = for i in range(0, n) with j_1 = -1:
                    let _0 = b[i]
                    let _1 = d[i]
                    let _2 = e[i]
                    let j_2, _3 = if (_0 > 0.0):
                        let j_3 = (j_1 + 1)
                        yield j_3, (b[i] + (_1 * _2))
                    else:
                        let j_4 = (j_1 + 1)
                        yield j_4, (c[i] + (_1 * _2))
                    a[(j_1 + 1)] = _3
                    yield j_2
            s127: vector induction
            s128: vector induction
            uneven: vector compress
        "#]],
    );
}

#[test]
fn a_program_that_stops_before_has_no_dependence() {
    // With `s` below 0, the first iteration of `ahead` already reads outside of the array.
    check(
        "\
kernel ahead(a: f32[n], n: i32, s: i32):
    for i in range(n):
        a[i] = a[i + s] * 2.0

kernel either(a: f32[n], n: i32, s: i32):
    for i in range(4, n):
        a[i] = a[i + s] * 2.0

kernel guarded(a: f32[n], b: f32[n], n: i32, s: i32):
    for i in range(n):
        if b[i] > 0.0:
            a[i] = a[i + s] * 2.0
",
        expect![[r#"
            ahead: vector
            either: scalar loop-carried-flow
            kernel either(a: f32[n], n, s):
                if (s >= 0):
                    @in_lanes(8)
                    for i in range(4, n):
                        a[i] = (a[(i + s)] * 2.0)
                else:
                    @in_order(loop-carried-flow)
                    for i_1 in range(4, n):
                        a[i_1] = (a[(i_1 + s)] * 2.0)
            guarded: scalar loop-carried-flow
            kernel guarded(a: f32[n], b: f32[n], n, s):
                if (s >= 0):
                    @in_lanes(8)
                    for i in range(0, n):
                        if (b[i] > 0.0):
                            a[i] = (a[(i + s)] * 2.0)
                else:
                    @in_order(loop-carried-flow)
                    for i_1 in range(0, n):
                        if (b[i_1] > 0.0):
                            a[i_1] = (a[(i_1 + s)] * 2.0)
        "#]],
    );
}

#[test]
fn a_loop_left_early_that_counts_in_steps_is_no_empty_one() {
    check(
        "\
kernel last_above(a: f32[n], n: i32, c: f32) -> i32:
    @simd
    for i in range(n - 1, -1, -1):
        if a[i] > c:
            return i
    return -1

kernel decays(a: f32[n], n: i32, q: f32):
    for j in range(n - 2, -1, -1):
        a[j] = a[j + 1] * 0.5
        if a[j] > q:
            break

kernel any_step(a: f32[n], n: i32, s: i32, c: f32) -> i32:
    for i in range(0, n, s):
        if a[i] > c:
            return i
    return -1
",
        expect![[r#"
            last_above: scalar early-exit all-of find-first
            kernel last_above(a: f32[n], n, c) -> i32:
                let _0 = (n - 1)
                @in_order(early-exit)
                let _1, _2 = while go with i = _0, go = ((_0 > -1) & (u32((_0 -% -1)) >= 32)):
                    let _3 = (i - 32)
                    @simd
                    @in_lanes(8)
                    let _4 = for i_1 in range(i, _3, -1) with leaves = false:
                        yield (leaves | (a[i_1] > c))
                    let _5, _6 = if _4:
                        yield i, false
                    else:
                        yield _3, ((_3 > -1) & (u32((_3 -% -1)) >= 32))
                    yield _5, _6
                @in_order(early-exit)
                let _7, _8 = while go_1 with i_2 = _1, go_1 = ((_1 > -1) & (u32((_1 -% -1)) >= 8)):
                    let _9 = (i_2 - 8)
                    @simd
                    @in_lanes(8)
                    let _10 = for i_3 in range(i_2, _9, -1) with leaves_1 = false:
                        yield (leaves_1 | (a[i_3] > c))
                    let _11, _12 = if _10:
                        yield i_2, false
                    else:
                        yield _9, ((_9 > -1) & (u32((_9 -% -1)) >= 8))
                    yield _11, _12
                @simd
                @counts
                @in_order(early-exit)
                let _13, _14, live, result = while go_2 with i_4 = _7, go_2 = (_7 > -1), live_1 = true, result_1 = 0:
                    let live_2, go_3, result_2 = if (a[i_4] > c):
                        yield false, false, i_4
                    else:
                        yield live_1, true, result_1
                    let _15 = (i_4 +% -1)
                    yield _15, (go_3 & ((i_4 > _15) & (_15 > -1))), live_2, result_2
                let result_3 = if live:
                    yield -1
                else:
                    yield result
                return result_3
            decays: scalar early-exit loop-carried-flow
            any_step: scalar early-exit all-of find-first induction
        "#]],
    );
}

/// The codes that stand against the loops of a kernel, or are noted.
fn codes(kernel: &ir::Kernel, limits: &DependenceLimits) -> Vec<&'static str> {
    let found = loops(kernel, limits);
    found.list.iter().flat_map(|known| &known.verdict.reasons).map(|reason| reason.code.name()).collect()
}

fn codes_of(text: &str, limits: &DependenceLimits) -> Vec<&'static str> {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let lowering = queries::sequential(&db, db::file_items(&db, file)[0]);
    let kernel = lowering.kernel.as_deref().filter(|_| lowering.findings.is_empty());
    codes(kernel.unwrap_or_else(|| panic!("{text}: {:?}", lowering.findings)), limits)
}

fn codes_of_body(body: &str, limits: &DependenceLimits) -> Vec<&'static str> {
    let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
    codes_of(&format!("{HEADER}\n{lines}"), limits)
}

#[test]
fn each_code_has_a_kernel_and_a_near_miss() {
    let limits = DependenceLimits::default();
    let mut shown: Vec<&str> = Vec::new();
    for Row(code, has_it, has_not) in ROWS {
        assert!(
            codes_of_body(has_it, &limits).contains(code),
            "{code}:\n{has_it}\n{:?}",
            codes_of_body(has_it, &limits)
        );
        assert!(!codes_of_body(has_not, &limits).contains(code), "{code}:\n{has_not}");
        shown.push(code);
    }
    // Where the search ends depends on how much may be looked at.
    let strided = "for i in range(n):\n    for j in range(n):\n        a[7 * i + 5 * j] = a[3 * i + 2 * j + k]";
    let (no_work, no_pairs) = (DependenceLimits { work_each: 1, ..limits }, DependenceLimits { pairs: 1, ..limits });
    for (code, tight) in [("dependence-too-hard", no_work), ("too-many-accesses", no_pairs)] {
        assert!(codes_of_body(strided, &tight).contains(&code), "{code}");
        assert!(!codes_of_body(strided, &limits).contains(&code), "{code}");
        shown.push(code);
    }
    // Two arrays, which the kernel itself speaks of.
    let copy = "kernel copy(a: f32[n], b: f32[n], n: i32):\n    for i in range(n):\n        a[i] = b[i]\n";
    assert!(codes_of(&format!("@alias(a, b)\n{copy}"), &limits).contains(&"arrays-may-overlap"));
    assert!(!codes_of(copy, &limits).contains(&"arrays-may-overlap"));
    shown.push("arrays-may-overlap");
    // What the language has no words for.
    for (code, has_it, has_not) in [
        ("temporary-array", "let t = temp(n, type=f32)\n        t[0] = a[i]", "a[i] = 1.0"),
        ("not-understood", "a[i] = unknown(type=f32)", "a[i] = 1.0"),
    ] {
        let of = |body: &str| {
            let text = format!("kernel k(a: f32[n], n):\n    for i in range(0, n):\n        {body}\n");
            codes(&ir::read(&text, None).expect("a kernel")[0], &limits)
        };
        assert!(of(has_it).contains(&code) && !of(has_not).contains(&code), "{code}");
        shown.push(code);
    }
    // These are found where lanes are given, and no verdict has them.
    let later =
        [ReasonCode::PackedInRows, ReasonCode::ReductionInLanes, ReasonCode::LanesElsewhere, ReasonCode::LanesCostMore];
    let codes = ReasonCode::of_loops().filter(|code| !later.contains(code)).map(ReasonCode::name);
    let missing: Vec<&str> = codes.filter(|code| !shown.contains(code)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
