//! Verdicts about loops of Lane programs, and what the `parallel` stage makes of them.

use crate::common;

use std::fmt::Write;
use std::sync::Arc;

use expect_test::{Expect, expect};
use facts::dependence::Limits;
use facts::loops::loops;
use ir::ReasonCode;
use passes::pipeline;
use passes::pipeline::Options;
use queries::db;
use queries::db::{Database, File};

/// For each kernel: each loop with its codes, and the kernel at `parallel` if that stage changes it.
fn check(text: &str, expect: Expect) {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let mut out = String::new();
    for &item in db::file_items(&db, file) {
        let lowering = queries::sequential(&db, item);
        let Some(kernel) = lowering.kernel.as_deref() else { continue };
        for known in &loops(kernel, &Limits::default()).list {
            let verdict = if known.verdict.is_vector { "vector" } else { "scalar" };
            let codes: Vec<&str> = known.verdict.reasons.iter().map(|reason| reason.code.name()).collect();
            let line = format!("{}: {verdict} {}", kernel.name, codes.join(" "));
            let _ = writeln!(out, "{}", line.trim_end());
        }
        let stages = pipeline::run(kernel.clone(), &Options::default(), true).expect("passes keep what holds");
        let parallel = stages.iter().find(|reached| reached.stage == "parallel").expect("a stage of the list");
        if parallel.changed() {
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
            kernel add(a: f32[30], b: f32[30], c: f32[30]):
                @in_lanes(8)
                for i in range(0, 30):
                    a[i] = (b[i] + c[i])
            chained: scalar loop-carried-flow
            kernel chained(a: f32[30], b: f32[30], c: f32[30]):
                @in_order(loop-carried-flow)
                for i in range(1, 29):
                    a[i] = (b[(i - 1)] + c[i])
                    b[i] = (a[i] * 2.0)
            relaxed: vector statements-reordered
            kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):
                @in_lanes(8)
                for i in range(1, 29):
                    b[i] = (c[i] * 2.0)
                    a[i] = (b[(i - 1)] + c[i])
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
            kernel total(a: f32[n], n) -> f32:
                @in_order(ordered-float-sum)
                let s = for i in range(0, n) with s_1 = 0.0:
                    let s_2 = (s_1 + a[i])
                    yield s_2
                return s
            largest: vector maximum position-of-maximum
            kernel largest(a: f32[n], n) -> i32:
                let best = a[0]
                @in_lanes(8)
                let best_1, at = for i in range(1, n) with best_2 = best, at_1 = 0:
                    let best_3, at_2 = if (a[i] > best_2):
                        let best_4 = a[i]
                        yield best_4, i
                    else:
                        yield best_2, at_1
                    yield best_3, at_2
                return at
            first: scalar early-exit find-first
            kernel first(a: f32[n], n) -> i32:
                @in_order(early-exit)
                let _0, _1 = while go with i = 0, go = ((0 < n) & (u32((n -% 0)) >= 8)):
                    let _2 = (i + 8)
                    @in_lanes(8)
                    let _3 = for i_1 in range(i, _2) with leaves = false:
                        yield (leaves | (a[i_1] < 0.0))
                    let _4, _5 = if _3:
                        yield i, false
                    else:
                        yield _2, ((_2 < n) & (u32((n -% _2)) >= 8))
                    yield _4, _5
                @counts
                @in_order(early-exit)
                let _6, _7, at = while go_1 with i_2 = _0, go_1 = (_0 < n), at_1 = -1:
                    let at_2, go_2 = if (a[i_2] < 0.0):
                        yield i_2, false
                    else:
                        yield at_1, true
                    let _8 = (i_2 +% 1)
                    yield _8, (go_2 & ((i_2 < _8) & (_8 < n))), at_2
                return at
            keep: vector compress
            kernel keep(a: f32[n], b: f32[n], n) -> i32:
                @in_lanes(8)
                let k = for i in range(0, n) with k_1 = 0:
                    let k_2 = if (a[i] > 0.0):
                        b[k_1] = a[i]
                        let k_3 = (k_1 + 1)
                        yield k_3
                    else:
                        yield k_1
                    yield k_2
                return k
            running: scalar prefix-sum
            kernel running(a: f32[n], b: f32[n], n):
                @in_order(prefix-sum)
                let s = for i in range(0, n) with s_1 = 0.0:
                    let s_2 = (s_1 + a[i])
                    b[i] = s_2
                    yield s_2
            count: scalar histogram
            kernel count(x: i32[n], h: i32[m], n, m):
                @in_order(histogram)
                for i in range(0, n):
                    let _0 = x[i]
                    h[_0] = (h[_0] + 1)
            every: vector all-of
            kernel every(a: f32[n], n) -> bool:
                @in_lanes(8)
                let s = for i in range(0, n) with s_1 = true:
                    let s_2 = if s_1:
                        yield (a[i] > 0.0)
                    else:
                        yield false
                    yield s_2
                return s
            some: vector any-of
            kernel some(a: f32[n], n) -> bool:
                @in_lanes(8)
                let s = for i in range(0, n) with s_1 = false:
                    let s_2 = if s_1:
                        yield true
                    else:
                        yield (a[i] == 0.0)
                    yield s_2
                return s
            some_known: scalar any-of
            kernel some_known(a: f32[m], x: i32[n], n, m) -> bool:
                @in_order(any-of)
                let s = for i in range(0, n) with s_1 = false:
                    let s_2 = if s_1:
                        yield true
                    else:
                        yield (a[x[i]] == 0.0)
                    yield s_2
                return s
            first_known: scalar find-first
            kernel first_known(a: f32[m], x: i32[n], n, m) -> i32:
                @in_order(find-first)
                let at = for i in range(0, n) with at_1 = -1:
                    let _0 = if (at_1 < 0):
                        yield (a[x[i]] < 0.0)
                    else:
                        yield false
                    let at_2 = if _0:
                        yield i
                    else:
                        yield at_1
                    yield at_2
                return at
            several: vector sum minimum sum
            kernel several(x: i32[n], n) -> i32:
                let least = x[0]
                @in_lanes(8)
                let s, least_1, ones = for i in range(0, n) with s_1 = 0, least_2 = least, ones_1 = 0:
                    let s_2 = (s_1 + x[i])
                    let least_3 = min(least_2, x[i])
                    let ones_2 = if (x[i] == 1):
                        let ones_3 = (ones_1 + 1)
                        yield ones_3
                    else:
                        yield ones_1
                    yield s_2, least_3, ones_2
                return ((s + least_1) + ones)
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
            kernel counted(a: f32[n], n) -> i32:
                @in_lanes(8)
                for i in range(0, n):
                    a[i] = (a[i] * 2.0)
                    let i_1 = (i + 1)
                let i_2 = max(0, n)
                return i_2
            counted_down: vector
            kernel counted_down(a: f32[n], n):
                let i = (n - 1)
                @in_lanes(8)
                for i_1 in range(i, -1, -1):
                    let i_2 = (i_1 - 1)
                    let _0 = a[(i_2 + 1)]
                    a[(i_2 + 1)] = (_0 * 2.0)
                let i_3 = min(i, -1)
            halved: scalar unknown-trip-count linear-recurrence
            kernel halved(a: f32[n], n):
                @in_order(unknown-trip-count)
                let i = while (i_1 > 1) with i_1 = n:
                    let i_2 = (i_1 / 2)
                    a[i_2] = 0.0
                    yield i_2
            until_a_bound_that_moves: scalar unknown-trip-count induction induction
            kernel until_a_bound_that_moves(a: f32[n], n):
                @in_order(unknown-trip-count)
                let i, end = while (i_1 < end_1) with i_1 = 0, end_1 = n:
                    a[i_1] = 0.0
                    let i_2 = (i_1 + 1)
                    let end_2 = (end_1 - 1)
                    yield i_2, end_2
            left_early: scalar early-exit
            kernel left_early(a: f32[n], n):
                @counts
                @in_order(early-exit)
                let i, _0 = while go with i_1 = 0, go = (0 < n):
                    let i_2, go_1 = if (a[i_1] < 0.0):
                        yield i_1, false
                    else:
                        a[i_1] = 0.0
                        let i_3 = (i_1 + 1)
                        yield i_3, true
                    let _1 = (i_1 +% 1)
                    yield _1, (go_1 & ((i_1 < _1) & (_1 < n)))
            dot: vector sum-in-fixed-order
            kernel dot(a: f32[n], b: f32[n], n) -> f32:
                @in_lanes(8)
                let s = for i in range(0, n) reducing + from 0.0:
                    let s_1 = (-0.0 + (a[i] * b[i]))
                    yield s_1
                return s
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
            kernel s277(a: f32[n], b: f32[n], c: f32[n], d: f32[n], e: f32[n], n):
                @in_order(loop-carried-flow)
                for i in range(0, (n - 1)):
                    if (a[i] >= 0.0):
                        pass
                    else:
                        if (~(b[i] >= 0.0)):
                            a[i] = (a[i] + (c[i] * d[i]))
                        let _0 = c[i]
                        let _1 = d[i]
                        let _2 = e[i]
                        b[(i + 1)] = (_0 + (_1 * _2))
            by_data: scalar data-dependent-cell
            kernel by_data(a: f32[n], x: i32[n], n):
                @in_order(data-dependent-cell)
                for i in range(0, n):
                    if (a[i] > 0.0):
                        a[x[i]] = 1.0
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
                    let j_2 = if (b[i] > 0.0):
                        let j_3 = (j_1 + 1)
                        a[j_3] = (b[i] + (d[i] * e[i]))
                        yield j_3
                    else:
                        let j_4 = (j_1 + 1)
                        a[j_4] = (c[i] + (d[i] * e[i]))
                        yield j_4
                    yield j_2
            s127: vector induction
            kernel s127(a: f32[(2 * n)], b: f32[n], c: f32[n], d: f32[n], e: f32[n], n):
                @in_lanes(8)
                let j = for i in range(0, n) with j_1 = -1:
                    let j_2 = (j_1 + 1)
                    a[j_2] = (b[i] + (c[i] * d[i]))
                    let j_3 = (j_2 + 1)
                    a[j_3] = (b[i] + (d[i] * e[i]))
                    yield j_3
            s128: vector induction
            kernel s128(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n):
                @in_lanes(8)
                let j = for i in range(0, (n // 2)) with j_1 = -1:
                    let k = (j_1 + 1)
                    a[i] = (b[k] - d[i])
                    let j_2 = (k + 1)
                    b[k] = (a[i] + c[k])
                    yield j_2
            uneven: vector compress
            kernel uneven(a: f32[(2 * n)], b: f32[n], n):
                @in_lanes(8)
                let j = for i in range(0, n) with j_1 = -1:
                    let j_2 = if (b[i] > 0.0):
                        let j_3 = (j_1 + 2)
                        yield j_3
                    else:
                        let j_4 = (j_1 + 1)
                        yield j_4
                    a[j_2] = b[i]
                    yield j_2
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
            kernel ahead(a: f32[n], n, s):
                @in_lanes(8)
                for i in range(0, n):
                    a[i] = (a[(i + s)] * 2.0)
            either: scalar loop-carried-flow
            kernel either(a: f32[n], n, s):
                @in_order(loop-carried-flow)
                for i in range(4, n):
                    a[i] = (a[(i + s)] * 2.0)
            guarded: scalar loop-carried-flow
            kernel guarded(a: f32[n], b: f32[n], n, s):
                @in_order(loop-carried-flow)
                for i in range(0, n):
                    if (b[i] > 0.0):
                        a[i] = (a[(i + s)] * 2.0)
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
                let _1, _2 = while go with i = _0, go = ((_0 > -1) & (u32((_0 -% -1)) >= 8)):
                    let _3 = (i - 8)
                    @simd
                    @in_lanes(8)
                    let _4 = for i_1 in range(i, _3, -1) with leaves = false:
                        yield (leaves | (a[i_1] > c))
                    let _5, _6 = if _4:
                        yield i, false
                    else:
                        yield _3, ((_3 > -1) & (u32((_3 -% -1)) >= 8))
                    yield _5, _6
                @simd
                @counts
                @in_order(early-exit)
                let _7, _8, live, result = while go_1 with i_2 = _1, go_1 = (_1 > -1), live_1 = true, result_1 = 0:
                    let live_2, go_2, result_2 = if (a[i_2] > c):
                        yield false, false, i_2
                    else:
                        yield live_1, true, result_1
                    let _9 = (i_2 +% -1)
                    yield _9, (go_2 & ((i_2 > _9) & (_9 > -1))), live_2, result_2
                let result_3 = if live:
                    yield -1
                else:
                    yield result
                return result_3
            decays: scalar early-exit loop-carried-flow
            kernel decays(a: f32[n], n, q):
                let _0 = (n - 2)
                @counts
                @in_order(early-exit)
                let _1, _2 = while go with j = _0, go = (_0 > -1):
                    a[j] = (a[(j + 1)] * 0.5)
                    let go_1 = if (a[j] > q):
                        yield false
                    else:
                        yield true
                    let _3 = (j +% -1)
                    yield _3, (go_1 & ((j > _3) & (_3 > -1)))
            any_step: scalar early-exit all-of find-first induction
            kernel any_step(a: f32[n], n, s, c) -> i32:
                @in_order
                for _ in range(0, 0, s):
                    pass
                let _0 = (s > 0)
                @counts
                @in_order(early-exit)
                let _1, _2, live, result = while go with i = 0, go = select(_0, (0 < n), (0 > n)), live_1 = true, result_1 = 0:
                    let live_2, go_1, result_2 = if (a[i] > c):
                        yield false, false, i
                    else:
                        yield live_1, true, result_1
                    let _3 = (i +% s)
                    yield _3, (go_1 & (select(_0, (i < _3), (i > _3)) & select(_0, (_3 < n), (_3 > n)))), live_2, result_2
                let result_3 = if live:
                    yield -1
                else:
                    yield result
                return result_3
        "#]],
    );
}

/// The codes that stand against the loops of a kernel, or are noted.
fn codes(kernel: &ir::Kernel, limits: &Limits) -> Vec<&'static str> {
    let found = loops(kernel, limits);
    found.list.iter().flat_map(|known| &known.verdict.reasons).map(|reason| reason.code.name()).collect()
}

fn codes_of(text: &str, limits: &Limits) -> Vec<&'static str> {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let lowering = queries::sequential(&db, db::file_items(&db, file)[0]);
    let kernel = lowering.kernel.as_deref().filter(|_| lowering.findings.is_empty());
    codes(kernel.unwrap_or_else(|| panic!("{text}: {:?}", lowering.findings)), limits)
}

fn codes_of_body(body: &str, limits: &Limits) -> Vec<&'static str> {
    let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
    codes_of(&format!("{HEADER}\n{lines}"), limits)
}

#[test]
fn each_code_has_a_kernel_and_a_near_miss() {
    let limits = Limits::default();
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
    let (no_work, no_pairs) = (Limits { work_each: 1, ..limits }, Limits { pairs: 1, ..limits });
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
        ("temporary-array", "let t = temp(4, type=f32)\n        t[0] = a[i]", "a[i] = 1.0"),
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

/// The kernels of a text at the stage `arrays`, with what became of the elements of arrays.
fn check_arrays(text: &str, expect: Expect) {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let stage = queries::stages::stage("arrays").expect("a stage of the list");
    let mut out = String::new();
    for &item in db::file_items(&db, file) {
        let Some(kernel) = stage.kernel(&db, item, Options::default()) else { continue };
        let shown = stage.of(&db, item, Options::default()).text();
        let again = ir::read(&shown, None).unwrap_or_else(|error| panic!("{error}\n{shown}")).remove(0);
        assert_eq!(ir::canonical(&again), ir::canonical(&kernel), "comments are skipped:\n{shown}");
        out.push_str(&shown);
    }
    expect.assert_eq(&out);
}

#[test]
fn operations_on_arrays_say_whether_their_elements_go_in_lanes() {
    check_arrays(
        "\
kernel ways(a: f32[n], b: f32[n], m: f32[n, k], out: f32[n], rows: f32[n, k], n: i32, k: i32) -> f32:
    let c = a + b * 2.0
    out[:] = map(\\x -> sqrt(x), c)
    let total = reduce(\\s x -> s + x, 0.0, out)
    let count = reduce(\\s x -> s + i32(x), 0, a)
    let before = scan(\\s x -> s + x, 0.0, a)
    rows[:] = map(\\row -> map(\\x -> x * total, row), m)
    return total + f32(count) + before[0]
",
        expect![[r#"
            kernel ways(a: f32[n], b: f32[n], m: f32[n, k], out: f32[n], rows: f32[n, k], n, k) -> f32:
                let _0: f32[n] = (b * 2.0)  # fused, 8 lanes
                let c: f32[n] = (a + _0)  # fused, 8 lanes
                let _1: f32[n] = map x in c:  # fused, 8 lanes
                    yield sqrt(x)
                let _2 = size(out)
                assign(slice(out, i64(0), size(out), i64(1)), _1)  # 8 lanes
                let total = reduce x_1 in out with s = 0.0:  # in order: ordered-float-sum
                    yield (s + x_1)
                let count = reduce x_2 in a with s_1 = 0:  # 8 lanes
                    yield (s_1 + i32(x_2))
                let before: f32[n] = scan x_3 in a with s_2 = 0.0:  # in order: prefix-sum
                    yield (s_2 + x_3)
                let _3: f32[n, k] = map row in m:  # fused, 8 lanes
                    let _4: f32[k] = map x_4 in row:  # fused, 8 lanes
                        yield (x_4 * total)
                    yield _4
                let _5 = size(rows)
                assign(slice(rows, i64(0), size(rows), i64(1)), _3)  # 8 lanes
                return ((total + f32(count)) + before[0])
        "#]],
    );
}

#[test]
fn small_arrays_in_registers_and_operations_inside_of_lanes() {
    check_arrays(
        "\
kernel small(p: f32[n, 3], out: f32[n], n: i32):
    foreach i in range(n):
        let v = p[i] * p[i]
        out[i] = v[0] + v[1] + v[2]
",
        expect![[r#"
            kernel small(p: f32[n, 3], out: f32[n], n):
                foreach i in range(0, n):
                    let v: f32[3] = (row(p, i) * row(p, i))  # fused, 8 lanes
                    out[i] = ((v[0] + v[1]) + v[2])
        "#]],
    );
}
