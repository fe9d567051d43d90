//! The facts of small kernels, one line each: variables and accesses, with their chains.

use expect_test::{Expect, expect};

use super::*;
use crate::fixture::Fixture;

fn check(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let mut out = String::new();
    for item in explain(&fixture.db, fixture.file) {
        let line = |range: TextRange| 1 + fixture.text[..usize::from(range.start())].matches('\n').count();
        let chain = |because: &[Because]| -> String {
            because
                .iter()
                .map(|it| format!("\n        <- {} ({}): {}", it.place.text, line(it.place.range), it.message))
                .collect()
        };
        let some = |in_some: bool| if in_some { " in some calls" } else { "" };
        out += &format!("{}\n", &fixture.text[item.range]);
        for it in &item.loops {
            let of = it.function.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
            out += &format!("  {}{of}: {}\n", &fixture.text[it.range], it.headline());
        }
        for it in item.values.iter().filter(|it| it.is_definition && it.lane_loop.is_some()) {
            out += &format!(
                "  {} {}: {}{}{}\n",
                line(it.range),
                it.text,
                it.shape,
                some(it.in_some_calls),
                chain(&it.because)
            );
        }
        for it in &item.accesses {
            let kind = if it.stores { "store" } else { "load" };
            out += &format!(
                "  {} {kind} {}: {}{}, {}\n",
                line(it.range),
                it.text,
                it.class,
                some(it.in_some_calls),
                it.reason
            );
            out += chain(&it.because).trim_start_matches('\n');
            out += if it.because.is_empty() { "" } else { "\n" };
            out += &it.lift.iter().map(|lift| format!("        lift: {lift}\n")).collect::<String>();
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn a_gather_and_the_chain_to_the_loop() {
    check(
        "kernel color_by_number(color_number, colors, out, n):\n    for i in range(n):\n        number = color_number[i]\n        out[i] = colors[number]\n",
        expect![[r#"
            kernel color_by_number(color_number, colors, out, n)
              for i in range(n): 8 lanes
              2 i: linear, stride 1
              3 number: arbitrary
                    <- color_number[i] (3): its value, which varies
                    <- i (2): lanes run along `i`
              3 load color_number[i]: contiguous, neighbouring lanes have neighbouring cells
                    <- i (2): lanes run along `i`
              4 store out[i]: contiguous, neighbouring lanes have neighbouring cells
                    <- i (2): lanes run along `i`
              4 load colors[number]: gather, each lane has a cell of its own; the subscript is data, or made of it
                    <- number (4): the subscript, which varies
                    <- color_number[i] (3): its value, which varies
                    <- i (2): lanes run along `i`
                    lift: store the elements in the order in which iterations use them: then they are contiguous
        "#]],
    );
}

#[test]
fn all_kinds_of_reasons() {
    check(
        "\
kernel k(a: f32[n, m], b: i32[n], out: f32[n], n: i32, m: i32):
    foreach i in range(n):
        let x = a[i, 2]
        let y = 0.0
        if x > 0.0:
            y = 1.0
        elif m > 3:
            y = a[2, b[i]]
        let k = 0
        while k < b[i]:
            k += 1
        let u = m * 2
        for j in range(m):
            y += a[i, j]
        out[i] = y + f32(k + u)
        out[k] = a[n - 1 - i, clamp(b[0], 0, m)]
",
        expect![[r#"
            kernel k(a: f32[n, m], b: i32[n], out: f32[n], n: i32, m: i32)
              foreach i in range(n): 8 lanes
              while k < b[i]: inside of lanes, until the last one leaves
              for j in range(m): inside of lanes, which go through it together
              2 i: linear, stride 1
              3 x: arbitrary
                    <- a[i, 2] (3): its value, which varies
                    <- i (2): lanes run along `i`
              4 y: arbitrary
                    <- a[2, b[i]] (8): its value, which varies
                    <- b[i] (8): loaded from where this says, which varies
                    <- i (2): lanes run along `i`
              6 y: uniform
              8 y: arbitrary
                    <- a[2, b[i]] (8): its value, which varies
                    <- b[i] (8): loaded from where this says, which varies
                    <- i (2): lanes run along `i`
              9 k: arbitrary
                    <- k < b[i] (10): lanes leave the loop at different times, as this says
                    <- b[i] (10): computed from this, which varies
                    <- i (2): lanes run along `i`
              12 u: uniform
              13 j: uniform
              3 load a[i, 2]: strided, the cells of neighbouring lanes lie m cells apart
                    <- i (2): lanes run along `i`
                    lift: lanes along the last subscript make this contiguous
              8 load a[2, b[i]]: gather, each lane has a cell of its own; the subscript is data, or made of it
                    <- b[i] (8): the subscript, which varies
                    <- i (2): lanes run along `i`
                    lift: store the elements in the order in which iterations use them: then they are contiguous
              8 load b[i]: contiguous, neighbouring lanes have neighbouring cells
                    <- i (2): lanes run along `i`
              10 load b[i]: contiguous, neighbouring lanes have neighbouring cells
                    <- i (2): lanes run along `i`
              14 load a[i, j]: strided, the cells of neighbouring lanes lie m cells apart
                    <- i (2): lanes run along `i`
                    lift: with lanes along `j` this is contiguous: `@reassoc` above that loop, or above the item, lets its float operations be reordered, so that it can have them
              15 store out[i]: contiguous, neighbouring lanes have neighbouring cells
                    <- i (2): lanes run along `i`
              16 store out[k]: scatter, each lane has a cell of its own; the subscript is from a loop that lanes leave at different times
                    <- k (16): the subscript, which varies
                    <- k < b[i] (10): lanes leave the loop at different times, as this says
                    <- b[i] (10): computed from this, which varies
                    <- i (2): lanes run along `i`
                    lift: compute the subscript from the loop's index
              16 load a[n - 1 - i, clamp(b[0], 0, m)]: strided, the cells of neighbouring lanes lie m cells apart
                    <- n - 1 - i (16): the subscript, which varies
                    <- i (2): lanes run along `i`
                    lift: lanes along the last subscript make this contiguous
              16 load b[0]: broadcast, all lanes load the same cell
        "#]],
    );
}

/// Each chain ends at a cause: what a loop inside of lanes carries varies because of what it starts from, and two values that lanes hand
/// on by turns because they are handed on.
#[test]
fn no_chain_goes_round_in_a_circle() {
    check(
        "\
kernel collatz(a: i32[n], out: i32[n], n: i32):
    for i in range(n):
        let x = a[i]
        let k = 0
        while x > 1:
            x = x / 2 if x % 2 == 0 else x + 7
            k += 1
        out[i] = k

kernel by_turns(a: f32[n], b: f32[n], n: i32):
    let j = -1
    for i in range(n / 2):
        k = j + 1
        a[i] = b[k]
        j = k + 1
        b[k] = a[i]
",
        expect![[r#"
            kernel collatz(a: i32[n], out: i32[n], n: i32)
              for i in range(n): 8 lanes
              while x > 1: inside of lanes, until the last one leaves
              2 i: linear, stride 1
              3 x: arbitrary
                    <- a[i] (3): its value, which varies
                    <- i (2): lanes run along `i`
              4 k: arbitrary
                    <- x > 1 (5): lanes leave the loop at different times, as this says
                    <- x (5): computed from this, which varies
                    <- a[i] (3): its value, which varies
                    <- i (2): lanes run along `i`
              6 x: arbitrary
                    <- x / 2 if x % 2 == 0 else x + 7 (6): its value, which varies
                    <- x % 2 == 0 (6): decided by this condition, which varies
                    <- a[i] (3): its value, which varies
                    <- i (2): lanes run along `i`
              3 load a[i]: contiguous, neighbouring lanes have neighbouring cells
                    <- i (2): lanes run along `i`
              8 store out[i]: contiguous, neighbouring lanes have neighbouring cells
                    <- i (2): lanes run along `i`
            kernel by_turns(a: f32[n], b: f32[n], n: i32)
              for i in range(n / 2): 8 lanes
              12 i: linear, stride 1
              13 k: linear, stride 2
                    <- j (13): each iteration hands it to the next
              15 j: linear, stride 2
                    <- k (15): computed from this, which varies
                    <- j (13): each iteration hands it to the next
              14 store a[i]: contiguous, neighbouring lanes have neighbouring cells
                    <- i (12): lanes run along `i`
              14 load b[k]: strided, the cells of neighbouring lanes lie 2 cells apart
                    <- j (13): each iteration hands it to the next
                    lift: split the array into 2, one for each remainder of the subscript by 2: then this is contiguous
              16 store b[k]: strided, the cells of neighbouring lanes lie 2 cells apart
                    <- j (13): each iteration hands it to the next
                    lift: split the array into 2, one for each remainder of the subscript by 2: then this is contiguous
              16 load a[i]: contiguous, neighbouring lanes have neighbouring cells
                    <- i (12): lanes run along `i`
        "#]],
    );
}

#[test]
fn a_function_joins_its_calls() {
    check(
        "\
fn cell(a: f32[n], at: i32) -> f32:
    let low = max(at, 0)
    return a[low] * 2.0

kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
    foreach i in range(n):
        out[i] = cell(a, 3) + cell(a, b[i])

kernel l(a: f32[n], out: f32[n], n: i32):
    for i in range(n):
        out[i] = cell(a, i)
",
        expect![[r#"
            fn cell(a: f32[n], at: i32) -> f32
              1 at: arbitrary in some calls
                    <- b[i] (7): its value, which varies
                    <- i (6): lanes run along `i`
              2 low: arbitrary in some calls
                    <- at (2): computed from this, which varies
                    <- b[i] (7): its value, which varies
                    <- i (6): lanes run along `i`
              3 load a[low]: gather in some calls, each lane has a cell of its own; the subscript is data, or made of it
                    <- low (3): the subscript, which varies
                    <- at (2): computed from this, which varies
                    <- b[i] (7): its value, which varies
                    <- i (6): lanes run along `i`
                    lift: store the elements in the order in which iterations use them: then they are contiguous
            kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32)
              foreach i in range(n): 8 lanes
              6 i: linear, stride 1
              7 store out[i]: contiguous, neighbouring lanes have neighbouring cells
                    <- i (6): lanes run along `i`
              7 load b[i]: contiguous, neighbouring lanes have neighbouring cells
                    <- i (6): lanes run along `i`
            kernel l(a: f32[n], out: f32[n], n: i32)
              for i in range(n): 8 lanes
              10 i: linear, stride 1
              11 store out[i]: contiguous, neighbouring lanes have neighbouring cells
                    <- i (10): lanes run along `i`
        "#]],
    );
}

/// Checks the reasons of each loop of a text.
fn check_reasons(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let mut out = String::new();
    for it in explain(&fixture.db, fixture.file).iter().flat_map(|item| &item.loops) {
        out += &format!("{}: {}\n", &fixture.text[it.range], it.headline());
        out += &it.verdict.reasons.iter().map(|reason| format!("    {}\n", reason.message)).collect::<String>();
    }
    expected.assert_eq(&out);
}

#[test]
fn iterations_of_a_loop_that_may_be_left_are_named_by_its_index() {
    check_reasons(
        "\
kernel up(a: f32[n], n: i32, q: f32):
    for i in range(1, n):
        a[i] = a[i - 1] * 2.0
        if q > 3:
            break

kernel down(a: f32[n], n: i32, q: f32):
    for j in range(n - 2, -1, -1):
        a[j] = a[j + 1] * 0.5
        if a[j] > q:
            break

kernel nested(m: f32[n, n], n: i32, q: f32):
    for i in range(n):
        for j in range(2, n, 2):
            m[i, j] = m[i, j - 2] * 2.0
            if q > 3:
                break
",
        expect![[r#"
            for i in range(1, n): in order: early-exit, and 1 more
                any iteration may leave the loop
                an iteration reads what an earlier one has written; as a lane it would read too early: iteration 1 writes `a[1]`, iteration 2 reads `a[1]`
            for j in range(n - 2, -1, -1): in order: early-exit, and 1 more
                any iteration may leave the loop
                an iteration reads what an earlier one has written; as a lane it would read too early: iteration 1 writes `a[1]`, iteration 0 reads `a[1]`
            for i in range(n): 8 lanes
            for j in range(2, n, 2): inside of lanes, which go through it together
                any iteration may leave the loop
                an iteration reads what an earlier one has written; as a lane it would read too early: iteration i = 0, j = 2 writes `m[0, 2]`, iteration i = 0, j = 4 reads `m[0, 2]`
        "#]],
    );
}

#[test]
fn a_loop_that_stays_in_order_for_cost_says_how_much_lanes_would_cost() {
    check_reasons(
        "\
kernel csr(val: f32[z], col: i32[z], row: i32[n + 1], x: f32[m], y: f32[n], n: i32, m: i32, z: i32):
    for i in range(n):
        let s = 0.0
        for p in range(row[i], row[i + 1]):
            s += val[p] * x[col[p]]
        y[i] = s
",
        expect![[r#"
            for i in range(n): in order: lanes-cost-more
                lanes along this loop would cost more than its iterations in order: 215 % of what these cost, by the target's table
            for p in range(row[i], row[i + 1]): in order: ordered-float-sum
                a sum of floats keeps the order of its terms: `s`
        "#]],
    );
}

#[test]
fn loops_of_called_functions_are_the_kernel_s_too() {
    let text = "\
fn total(a: f32[n], n: i32) -> f32:
    let sum = 0.0
    for i in range(n):
        sum += a[i]
    return sum

fn scale(a: f32[n], by: f32, n: i32):
    for i in range(n):
        a[i] = a[i] * by

kernel normal(a: f32[n], n: i32):
    scale(a, 1.0 / total(a, n), n)
    for i in range(n):
        a[i] += 1.0
";
    let fixture = Fixture::new(text);
    let items = explain(&fixture.db, fixture.file);
    let loops = |name: &str| -> Vec<String> {
        let item = items.iter().find(|item| item.name == name).expect("the item");
        let of = |it: &Loop| it.function.as_deref().map(|name| format!(" of {name}")).unwrap_or_default();
        item.loops.iter().map(|it| format!("{}{}: {}", &fixture.text[it.range], of(it), it.headline())).collect()
    };
    assert_eq!(loops("total"), ["for i in range(n): in order: ordered-float-sum"]);
    let expected = [
        "for i in range(n): 8 lanes",
        "for i in range(n) of total: in order: ordered-float-sum",
        "for i in range(n) of scale: 8 lanes",
    ];
    assert_eq!(loops("normal"), expected);
}

#[test]
fn reasons_without_number_are_counted() {
    let stores: String = (0..60).map(|k| format!("        a[x[i] + {k}] = 1.0\n")).collect();
    let text = format!("kernel k(a: f32[n], x: i32[n], n: i32):\n    for i in range(n):\n{stores}");
    let fixture = Fixture::new(&text);
    let item = &explain(&fixture.db, fixture.file)[0];
    let verdict = &item.loops[0].verdict;
    let n_more: usize = verdict.more.iter().map(|(_, n)| n).sum();
    assert!(verdict.reasons.len() < 300, "{}", verdict.reasons.len());
    assert!(n_more > 1000, "{n_more}");
    // Each access has its part in a reason that is told.
    let is_told = |access: &Access| item.loops[0].meets_at(access.range).next().is_some();
    assert!(item.accesses.iter().filter(|access| access.stores).all(is_told));
}

#[test]
fn a_loop_of_the_prelude_is_told_at_its_call() {
    check(
        "fn half(a):\n    return sum(a) / 2\n\nkernel k(a: f32[n], x: i32[n], n: i32) -> f32:\n    return sum(a) + f32(sum(x)) + half(a) + sin(a[0])\n",
        expect![[r#"
            fn half(a)
              sum(a): in order: ordered-float-sum
            kernel k(a: f32[n], x: i32[n], n: i32) -> f32
              sum(a): in order: ordered-float-sum
              sum(x): 8 lanes
              sum(a) of half: in order: ordered-float-sum
              5 load a[0]: broadcast, all lanes load the same cell
        "#]],
    );
}

#[test]
fn the_lanes_of_another_loop_are_told_in_words() {
    let text = "\
kernel k(a: f32[n, m], b: f32[n], n: i32, m: i32):
    for i in range(n):
        for j in range(m):
            a[i, j] = a[i, j] * b[i]
";
    let fixture = Fixture::new(text);
    let item = &explain(&fixture.db, fixture.file)[0];
    let headlines: Vec<String> = item.loops.iter().map(Loop::headline).collect();
    assert_eq!(headlines, ["in order: the loop over `j`, inside of this one, has the lanes", "8 lanes"]);
}

/// What faces tell of each loop: its verdict and its reasons, each with its code.
fn check_told(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let mut out = String::new();
    for it in explain(&fixture.db, fixture.file).iter().flat_map(|item| &item.loops) {
        out += &format!("{}: {}\n", &fixture.text[it.range], it.headline());
        for told in it.told() {
            out += &format!("  {}: {}\n", told.reason.code, told.reason.message);
            out += &it.words_for_more(&told).map(|more| format!("  {more}\n")).unwrap_or_default();
        }
    }
    expected.assert_eq(&out);
}

/// TSVC's `s141`: `k` is no data, and it grows by no fixed step.
#[test]
fn a_subscript_that_a_loop_carries_is_no_data() {
    check_told(
        "\
kernel s141(flat: f32[m], bb: f32[n, n], n: i32, m: i32):
    for i in range(n):
        let k = (i + 1) * i / 2 + i
        for j in range(i, n):
            flat[k] += bb[j, i]
            k += j + 1
",
        expect![[r#"
            for i in range(n): in order: non-linear-cell
              non-linear-cell: whether iterations touch one cell stays open, as a subscript is not linear in the loops' indices: perhaps iteration i = 1, j = 1 reads `flat[2]`, iteration i = 2, j = 3 writes `flat[2]`; `k` is not linear in the iterations
              non-linear-cell: 2 more pairs of accesses of `flat`, which `lanescope explain --json` lists
            for j in range(i, n): in order: non-linear-cell
              non-linear-cell: whether iterations touch one cell stays open, as a subscript is not linear in the loops' indices: perhaps iteration i = 0, j = 0 writes `flat[0]`, iteration i = 0, j = 1 reads `flat[0]`; `k` is not linear in the iterations
              prefix-sum: each iteration uses the result so far, such as a running total or minimum: `k`
        "#]],
    );
    // Where data says how far it goes, data says where.
    check_told(
        "\
kernel k(a: f32[m], by: i32[n], n: i32, m: i32):
    let k = 0
    for i in range(n):
        a[k] += 1.0
        k += by[i]
",
        expect![[r#"
            for i in range(n): in order: histogram
              histogram: iterations update cells that data chooses, perhaps one cell several times: perhaps iteration 0 writes `a[0]`, iteration 1 reads `a[0]`; that depends on `k`, which is data
              prefix-sum: each iteration uses the result so far, such as a running total or minimum: `k`
        "#]],
    );
}

/// A condition that compares integers leaves open if two iterations touch a cell, but not which cell that is.
#[test]
fn a_condition_of_integers_is_no_data_in_a_subscript() {
    check_told(
        "\
kernel bubble(a: i32[n], n: i32):
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]

kernel chosen(a: f32[n], at: i32[n], n: i32):
    for i in range(n):
        if at[i] > 0:
            a[at[i]] = a[i] + 1.0
",
        expect![[r#"
            for i in range(n): in order: loop-carried-flow, and 2 more
              loop-carried-flow: an iteration reads what an earlier one has written; as a lane it would read too early: perhaps iteration i = 0, j = 0 writes `a[0]`, iteration i = 1, j = 0 reads `a[0]`; whether they do depends on the condition `a[j] > a[j + 1]`, which data decides
              loop-carried-flow: 5 more pairs of accesses of `a`, which `lanescope explain --json` lists
              loop-carried-anti: an iteration overwrites what an earlier one reads; as a lane it would write too early: perhaps iteration i = 0, j = 1 reads `a[1]`, iteration i = 1, j = 0 writes `a[1]`; whether they do depends on the condition `a[j] > a[j + 1]`, which data decides
              loop-carried-anti: 1 more pair of accesses of `a`, which `lanescope explain --json` lists
              loop-carried-output: an iteration overwrites what an earlier one has written; as lanes the earlier value could remain: perhaps iteration i = 0, j = 1 writes `a[1]`, iteration i = 1, j = 0 writes `a[1]`; whether they do depends on the condition `a[j] > a[j + 1]`, which data decides
            for j in range(n - 1 - i): in order: loop-carried-flow, 1 apart, and 1 more
              loop-carried-flow: an iteration reads what an earlier one has written; as a lane it would read too early: perhaps iteration i = 0, j = 0 writes `a[1]`, iteration i = 0, j = 1 reads `a[1]`; whether they do depends on the condition `a[j] > a[j + 1]`, which data decides
              loop-carried-flow: 1 more pair of accesses of `a`, which `lanescope explain --json` lists
              loop-carried-output: an iteration overwrites what an earlier one has written; as lanes the earlier value could remain: perhaps iteration i = 0, j = 0 writes `a[1]`, iteration i = 0, j = 1 writes `a[1]`; whether they do depends on the condition `a[j] > a[j + 1]`, which data decides
            for i in range(n): in order: data-dependent-cell
              data-dependent-cell: whether iterations touch one cell depends on data: perhaps iteration 0 writes `a[1]`, iteration 1 reads `a[1]`; that depends on `at[i]`, which is data
        "#]],
    );
}

/// TSVC's `s125`: each iteration of the outer loop goes on by as many cells as the inner one has iterations.
#[test]
fn a_count_that_an_inner_loop_carries_leaves_nothing_out() {
    check_told(
        "\
kernel flat(a: f32[n, n], out: f32[m], n: i32, m: i32):
    let k = -1
    for i in range(n):
        for j in range(n):
            k += 1
            out[k] = a[i, j]

kernel packed(a: f32[n, n], out: f32[m], n: i32, m: i32):
    let k = -1
    for i in range(n):
        for j in range(n):
            if a[i, j] > 0.0:
                k += 1
                out[k] = a[i, j]
",
        expect![[r#"
            for i in range(n): in order: prefix-sum, and 1 more
              prefix-sum: each iteration uses the result so far, such as a running total or minimum: `k`
              non-linear-cell: whether iterations touch one cell stays open, as a subscript is not linear in the loops' indices: perhaps iteration i = 0, j = 0 writes `out[0]`, iteration i = 1, j = 0 writes `out[0]`; `k` is not linear in the iterations
            for j in range(n): 8 lanes
              induction: a value is changed by the same amount in each iteration: `k`
            for i in range(n): in order: compress, and 1 more
              compress: some iterations store to the next cell: `k`
              data-dependent-cell: whether iterations touch one cell depends on data: perhaps iteration i = 0, j = 0 writes `out[1]`, iteration i = 1, j = 0 writes `out[1]`; that depends on `k`, which is data; `a[i, j] > 0.0` is not linear in the iterations
            for j in range(n): 8 lanes
              compress: some iterations store to the next cell: `k`
        "#]],
    );
}

#[test]
fn what_is_carried_to_leave_a_loop_does_not_stand_against_lanes() {
    check_told(
        "\
kernel any_step(a: f32[n], n: i32, s: i32, c: f32) -> i32:
    for i in range(0, n, s):
        if a[i] > c:
            return i
    return -1

kernel find_pair(a: i32[n], b: i32[m], n: i32, m: i32) -> i32:
    for i in range(n):
        for j in range(m):
            if a[i] == b[j]:
                return i * m + j
    return -1
",
        expect![[r#"
            for i in range(0, n, s): in order: early-exit
              early-exit: any iteration may leave the loop
              find-first: the first iteration in which a condition holds: `result`
              induction: a value is changed by the same amount in each iteration: `i`
            for i in range(n): in order: early-exit
              early-exit: any iteration may leave the loop
            for j in range(m): 8 lanes
              early-exit: any iteration may leave the loop
              find-first: the first iteration in which a condition holds: `result`
        "#]],
    );
}

#[test]
fn a_last_value_that_iterations_use_is_no_search() {
    check_told(
        "\
kernel k(a: f32[n], o: i32[n], n: i32):
    let j = -1
    for i in range(n):
        if a[i] < 0.0:
            j = i
        o[i] = j
",
        expect![[r#"
            for i in range(n): 8 lanes
              previous-value: an iteration uses a value that an earlier one has computed: `j`
        "#]],
    );
}

#[test]
fn a_while_in_a_nest_has_turns() {
    check_told(
        "\
kernel k(a: f32[n], b: i32[n], n: i32):
    let w = 0
    while b[w] > 0:
        for i in range(1, n):
            a[i] = a[i - 1] + 1.0
        w += b[w]

kernel l(a: f32[n], b: i32[n], n: i32):
    for t in range(4):
        let w = 0
        while b[w] > 0:
            a[w + 1] = a[w] * 0.5
            w += b[w]
",
        expect![[r#"
            while b[w] > 0: in order: unknown-trip-count, and 2 more
              unknown-trip-count: the number of iterations is not known before the loop ends: it goes on while `b[w] > 0`
              recurrence: each iteration computes a value from what it was in the one before: `w`
              data-dependent-cell: whether iterations touch one cell depends on data: perhaps turn 0 of the `while`, iteration i = 2 reads `a[1]`, turn 1 of the `while`, iteration i = 1 writes `a[1]`; that depends on `b[w]`, which is data
            for i in range(1, n): in order: loop-carried-flow, 1 apart
              loop-carried-flow: an iteration reads what an earlier one has written; as a lane it would read too early: iteration 1 writes `a[1]`, iteration 2 reads `a[1]`
            for t in range(4): in order: data-dependent-cell
              data-dependent-cell: whether iterations touch one cell depends on data: perhaps iteration t = 0, turn 0 of the `while` reads `a[0]`, iteration t = 1, turn 1 of the `while` writes `a[0]`; that depends on `w` and `b[w]`, which are data
              data-dependent-cell: 2 more pairs of accesses of `a`, which `lanescope explain --json` lists
            while b[w] > 0: in order: unknown-trip-count, and 2 more
              unknown-trip-count: the number of iterations is not known before the loop ends: it goes on while `b[w] > 0`
              recurrence: each iteration computes a value from what it was in the one before: `w`
              data-dependent-cell: whether iterations touch one cell depends on data: perhaps iteration t = 0, turn 0 of the `while` writes `a[1]`, iteration t = 0, turn 1 of the `while` reads `a[1]`; that depends on `w` and `b[w]`, which are data
        "#]],
    );
}

#[test]
fn many_pairs_of_one_array_are_told_once() {
    let terms: Vec<_> = (1..=40).map(|by| format!("a[i - {by}]")).collect();
    check_told(
        &format!("kernel k(a: f32[n], n: i32):\n    for i in range(40, n):\n        a[i] = {}\n", terms.join(" + ")),
        expect![[r#"
            for i in range(40, n): in order: loop-carried-flow, 1 apart
              loop-carried-flow: an iteration reads what an earlier one has written; as a lane it would read too early: iteration 40 writes `a[40]`, iteration 41 reads `a[40]`
              distance-limits-lanes: iterations that depend on each other are a few apart, which limits the number of lanes: iteration 40 writes `a[40]`, iteration 42 reads `a[40]`; at most 2 lanes
              distance-limits-lanes: 38 more pairs of accesses of `a`, which `lanescope explain --json` lists
        "#]],
    );
}

#[test]
fn costs_that_refuse_a_nest_are_told_with_their_numbers() {
    check_told(
        "\
kernel csr(values: f32[nnz], cols: i32[nnz], starts: i32[rows + 1], x: f32[n], y: f32[rows], nnz: i32, rows: i32, n: i32):
    for r in range(rows):
        let sum = 0.0
        for p in range(starts[r], starts[r + 1]):
            sum += values[p] * x[cols[p]]
        y[r] = sum
",
        expect![[r#"
            for r in range(rows): in order: lanes-cost-more
              lanes-cost-more: lanes along this loop would cost more than its iterations in order: 215 % of what these cost, by the target's table
            for p in range(starts[r], starts[r + 1]): in order: ordered-float-sum
              ordered-float-sum: a sum of floats keeps the order of its terms: `sum`
        "#]],
    );
}
