//! Facts of small kernels, written as Lane IR: each value that has a name or is loaded, each access.

use expect_test::{Expect, expect};

use super::*;
use ir::forest::LoopForest;
use ir::read::read;

/// Lists the facts of a kernel: named values of lane loops with their shapes, and accesses with their classes.
fn check(text: &str, expect: Expect) {
    let kernel = read(text, None).expect("the kernel reads").remove(0);
    let loops = lane_loops(&kernel, &LoopForest::of(&kernel), &[], None);
    expect.assert_eq(&listed(&kernel, &facts(&kernel, &loops)));
}

/// Lists the facts of a kernel whose lanes run along its first loop.
fn check_along_first(text: &str, expect: Expect) {
    let kernel = read(text, None).expect("the kernel reads").remove(0);
    let first = kernel.regions[kernel.body].ops[0];
    expect.assert_eq(&listed(&kernel, &facts(&kernel, &[first])));
}

fn listed(kernel: &Kernel, facts: &Facts) -> String {
    let mut lines = String::new();
    for (value, data) in kernel.values.iter() {
        let Some(name) = &data.name else { continue };
        if !data.ty.is_view() && !matches!(data.def, ir::program::Def::Param(_)) {
            lines += &format!("{name}: {}\n", shape(kernel, facts.shape(value)));
        }
    }
    for access in &facts.accesses {
        let name = kernel.values[access.root].name.as_deref().unwrap_or("?");
        let stride = access.stride().map(|stride| format!(" by {}", stride.display(kernel))).unwrap_or_default();
        let member =
            access.group.map(|member| format!(", cell {} of {}", member.cell, member.cells)).unwrap_or_default();
        lines +=
            &format!("{name} {}: {}{stride}{member}\n", if access.stores { "store" } else { "load" }, access.class);
    }
    lines
}

fn shape(kernel: &Kernel, shape: &Shape) -> String {
    match shape {
        Shape::Uniform => "uniform".to_owned(),
        Shape::Linear(stride) => format!("linear by {}", stride.display(kernel)),
        Shape::Repeated(repeat) => match &repeat.step {
            Some(step) => format!("repeated {} times, then {} more", repeat.times, step.display(kernel)),
            None => format!("repeated {} times", repeat.times),
        },
        Shape::Periodic(period) => format!("periodic by {period}"),
        Shape::Prefix => "prefix".to_owned(),
        Shape::Suffix => "suffix".to_owned(),
        Shape::Arbitrary => "arbitrary".to_owned(),
    }
}

#[test]
fn shapes_of_arithmetic() {
    check(
        "\
kernel k(a: f32[(8 * n)], out: f32[(8 * n)], n: i32, m: i32):
    foreach i in range(0, n):
        let twice = (i * 2)
        let by_m = (i * m)
        let half = (i / 2)
        let rest = (i % 4)
        let low = (i & 15)
        let block = (i & -8)
        let whole = ((block / 8) * 8)
        let back = (whole + (i % 8))
        let odd = (i | 1)
        let below = (i < m)
        let above = (i >= m)
        let product = (i * i)
        let reversed = (n - i)
        let narrow = u8(i)
        let negative = ((i - 4) / 2)
        let shifted = ((i - 4) >> 1)
        out[i] = a[((8 * (i / 8)) + (i % 8))]
",
        expect![[r#"
            i: linear by 1
            twice: linear by 2
            by_m: linear by m
            half: repeated 2 times, then 1 more
            rest: periodic by 4
            low: periodic by 16
            block: repeated 8 times, then 8 more
            whole: repeated 8 times, then 8 more
            back: linear by 1
            odd: repeated 2 times, then 2 more
            below: prefix
            above: suffix
            product: arbitrary
            reversed: linear by -1
            narrow: periodic by 256
            negative: arbitrary
            shifted: repeated 2 times, then 1 more
            a load: contiguous by 1
            out store: contiguous by 1
        "#]],
    );
}

#[test]
fn classes_of_accesses() {
    check(
        "\
kernel k(a: f32[n, m], b: f32[(8 * n)], out: f32[n], at: i32[n], n: i32, m: i32):
    foreach i in range(0, n):
        let one = a[i, 3]
        let two = b[0]
        let x = b[(3 * i)]
        let y = b[((3 * i) + 1)]
        let z = b[((3 * i) + 2)]
        let lone = b[(5 * i)]
        let back = b[((n - 1) - i)]
        let half = b[(i / 2)]
        let period = b[(i % 4)]
        let where = at[i]
        let far = b[where]
        let row = row(a, 2)
        let cell = row[i]
        out[where] = far
        out[i] = one
        out[0] = two
",
        expect![[r#"
            i: linear by 1
            one: arbitrary
            two: uniform
            x: arbitrary
            y: arbitrary
            z: arbitrary
            lone: arbitrary
            back: arbitrary
            half: repeated 2 times
            period: periodic by 4
            where: arbitrary
            far: arbitrary
            cell: arbitrary
            a load: strided by m
            b load: broadcast
            b load: interleaved by 3, cell 0 of 3
            b load: interleaved by 3, cell 1 of 3
            b load: interleaved by 3, cell 2 of 3
            b load: strided by 5
            b load: reversed by -1
            b load: repeated by 1
            b load: periodic
            at load: contiguous by 1
            b load: gather
            a load: contiguous by 1
            out store: scatter
            out store: contiguous by 1
            out store: uniform-store
        "#]],
    );
}

#[test]
fn loops_branches_and_what_they_carry() {
    check_along_first(
        "\
kernel k(a: f32[n], out: f32[n], n: i32, m: i32):
    let last, total = for i in range(0, n) with j = 0, s = 0.0:
        let x = a[j]
        let sum = for k in range(0, m) with t = 0.0:
            let inner = a[k]
            yield (t + (inner * x))
        let c = (i < m)
        let choice = if c:
            yield 1
        else:
            yield 2
        let same = if (m < 3):
            let u = (i + 1)
            yield u
        else:
            let v = (i + 5)
            yield v
        let until = for q in range(0, i) with r = 0:
            yield (r + 1)
        let left = while (p < i) with p = 0:
            yield (p + m)
        out[i] = (s + sum)
        yield (j + 2), (s + x)
",
        expect![[r#"
            i: linear by 1
            j: linear by 2
            s: arbitrary
            x: arbitrary
            k: uniform
            t: arbitrary
            inner: uniform
            sum: arbitrary
            c: prefix
            choice: arbitrary
            u: linear by 1
            v: linear by 1
            same: linear by 1
            q: uniform
            r: uniform
            until: arbitrary
            p: uniform
            left: arbitrary
            last: uniform
            total: uniform
            a load: strided by 2
            a load: broadcast
            out store: contiguous by 1
        "#]],
    );
}

#[test]
fn what_is_not_understood_has_no_operands_to_look_at() {
    check(
        "\
kernel k(out: i32[n], n: i32):
    foreach i in range(0, n):
        let x = unknown(type=i32)
        out[x] = i
",
        expect![[r#"
            i: linear by 1
            x: arbitrary
            out store: scatter
        "#]],
    );
}

#[test]
fn several_indices_that_start_over_at_different_times() {
    check_along_first(
        "\
kernel k(out: i32[(n * n), n], n: i32):
    for i in range(0, n):
        foreach r in range(0, n), c in range(i, (i + 4)):
            out[r, i] = c
        foreach s in range(0, n), d in range(i, n):
            out[s, i] = d
        foreach t in range(i, n), e in range(0, n):
            out[t, i] = e
",
        expect![[r#"
            i: linear by 1
            r: uniform
            c: linear by 1
            s: arbitrary
            d: arbitrary
            t: linear by 1
            e: uniform
            out store: contiguous by 1
            out store: scatter
            out store: strided by n + 1
        "#]],
    );
}

#[test]
fn what_stands_around_loops_needs_no_look_inside_of_them() {
    let text = "\
kernel k(a: f32[n], b: i32[n], n: i32, m: i32) -> i32:
    assert((m > 4))
    let half = (n / 2)
    let most, best = for i in range(0, half) with most = m, best = 0:
        yield max(most, b[i]), (best +% i)
    let many = for i_1 in range(0, most) with c = 1:
        yield (c +% i_1)
    if (best > 3):
        for i_2 in range(best, (most - best)):
            for j in range(0, m):
                a[j] = f32((i_2 + j))
    let left = while (at < n) with at = half:
        yield (at +% 2)
    return ((left + best) +% many)
";
    let kernel = read(text, None).expect("the kernel reads").remove(0);
    let forest = LoopForest::of(&kernel);
    let innermost = |op: Op| ir::forest::is_loop(kernel.ops[op].code) && forest.loops_inside(op).is_empty();
    let (all, around) = (facts(&kernel, &[]), facts_around(&kernel, &innermost));
    let mut n_compared = 0;
    for (value, _) in kernel.values.iter() {
        let is_inside = forest.loops().iter().any(|&op| innermost(op) && forest.is_made_inside(&kernel, op, value));
        if !is_inside {
            assert_eq!(
                (&around.values[value], around.ranges[value]),
                (&all.values[value], all.ranges[value]),
                "{value}"
            );
            n_compared += 1;
        }
    }
    assert!(n_compared >= 20, "{n_compared}");
}

#[test]
fn groups_of_one_array_do_not_end_those_of_another() {
    check(
        "\
kernel k(a: f32[n], b: f32[n], n: i32):
    for i in range(0, n):
        let x = a[(2 * i)]
        b[(3 * i)] = x
        let y = a[((2 * i) + 1)]
        b[((3 * i) + 1)] = y
        b[((3 * i) + 2)] = (x + y)
",
        expect![[r#"
            i: linear by 1
            x: arbitrary
            y: arbitrary
            a load: interleaved by 2, cell 0 of 2
            b store: interleaved by 3, cell 0 of 3
            a load: interleaved by 2, cell 1 of 2
            b store: interleaved by 3, cell 1 of 3
            b store: interleaved by 3, cell 2 of 3
        "#]],
    );
    check(
        "\
@alias(a, b)
kernel k(a: f32[n], b: f32[n], n: i32):
    for i in range(0, n):
        let x = a[(2 * i)]
        b[(3 * i)] = x
        let y = a[((2 * i) + 1)]
        b[((3 * i) + 1)] = y
        b[((3 * i) + 2)] = (x + y)
",
        expect![[r#"
            i: linear by 1
            x: arbitrary
            y: arbitrary
            a load: strided by 2
            b store: strided by 3
            a load: strided by 2
            b store: strided by 3
            b store: strided by 3
        "#]],
    );
}
