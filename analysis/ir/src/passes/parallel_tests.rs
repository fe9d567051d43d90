//! Reordering, interchange and splitting, as texts.

use expect_test::{Expect, expect};

use super::{Context, apart, choose, interchange, jam, reorder, split, together};
use crate::entities::Op;
use crate::facts::dependence::Limits;
use crate::facts::loops::loops;
use crate::pipeline::{self, Options};
use crate::program::Kernel;
use crate::{print, read, verify};

fn check(pass: fn(&mut Kernel, &mut Context) -> bool, text: &str, expect: Expect) {
    let mut kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let before = print(&kernel).text;
    let changed = pass(&mut kernel, &mut Context::new(&Options::default()));
    verify(&kernel).unwrap_or_else(|violations| panic!("{violations:?}"));
    let after = print(&crate::compact(&kernel)).text;
    assert_eq!(changed, before != after, "{after}");
    expect.assert_eq(if changed { &after } else { "unchanged" });
}

#[test]
fn the_relaxed_loop_of_the_first_article_gets_its_second_statement_first() {
    check(
        reorder,
        "\
kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):
    for i in range(1, 29):
        a[i] = (b[(i - 1)] + c[i])
        b[i] = (c[i] * 2.0)
",
        expect![[r#"
            kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):
                for i in range(1, 29):
                    b[i] = (c[i] * 2.0)
                    a[i] = (b[(i - 1)] + c[i])
        "#]],
    );
    check(
        reorder,
        "\
kernel chained(a: f32[30], b: f32[30], c: f32[30]):
    for i in range(1, 29):
        a[i] = (b[(i - 1)] + c[i])
        b[i] = (a[i] * 2.0)
",
        expect!["unchanged"],
    );
}

#[test]
fn what_is_in_order_stays_as_it_is() {
    check(
        reorder,
        "\
kernel swap(a: f32[?], b: f32[?], n):
    for i in range(0, n):
        let t = a[i]
        a[i] = b[i]
        b[i] = t
",
        expect!["unchanged"],
    );
}

#[test]
fn loops_are_exchanged_where_the_inner_one_has_no_lanes() {
    check(
        interchange,
        "\
kernel columns(m: f32[n, n], n):
    for i in range(0, n):
        for j in range(1, n):
            m[j, i] = (m[(j - 1), i] + 1.0)
",
        expect![[r#"
            kernel columns(m: f32[n, n], n):
                for j in range(1, n):
                    for i in range(0, n):
                        m[j, i] = (m[(j - 1), i] + 1.0)
        "#]],
    );
    // Iterations that meet would change places.
    check(
        interchange,
        "\
kernel skewed(m: f32[n, n], n):
    for i in range(1, n):
        for j in range(1, (n - 1)):
            m[i, j] = (m[(i - 1), (j + 1)] + m[i, (j - 1)])
",
        expect!["unchanged"],
    );
    // The inner range depends on the outer index.
    check(
        interchange,
        "\
kernel triangle(m: f32[n, n], n):
    for i in range(0, n):
        for j in range(1, i):
            m[j, i] = (m[(j - 1), i] + 1.0)
",
        expect!["unchanged"],
    );
}

#[test]
fn loops_that_only_join_something_are_exchanged_with_what_they_carry() {
    let sum = |header: &str, start: &str, inner: &str| {
        format!(
            "\
kernel total(m: {header}[n, n], n: i32) -> {header}:
    let s = for i in range(0, n) with s_1 = {start}:
        let s_2 = for j in range(0, n) with s_3 = s_1:
            yield {inner}
        yield s_2
    return s
"
        )
    };
    check(
        interchange,
        &sum("i32", "0", "(s_3 + m[j, i])"),
        expect![[r#"
        kernel total(m: i32[n, n], n) -> i32:
            let s = for j in range(0, n) with s_1 = 0:
                let s_2 = for i in range(0, n) with s_3 = s_1:
                    yield (s_3 +% m[j, i])
                yield s_2
            return s
    "#]],
    );
    check(
        interchange,
        &sum("i32", "7", "max(s_3, m[j, i])"),
        expect![[r#"
        kernel total(m: i32[n, n], n) -> i32:
            let s = for j in range(0, n) with s_1 = 7:
                let s_2 = for i in range(0, n) with s_3 = s_1:
                    yield max(s_3, m[j, i])
                yield s_2
            return s
    "#]],
    );
    // It is in the right order already.
    check(interchange, &sum("i32", "0", "(s_3 + m[i, j])"), expect!["unchanged"]);
    // A sum of floats has an order, and so has what is looked at in between.
    check(interchange, &sum("f32", "0.0", "(s_3 + m[j, i])"), expect!["unchanged"]);
    check(interchange, &sum("i32", "0", "((s_3 *% 3) +% m[j, i])"), expect!["unchanged"]);
    check(interchange, &sum("i32", "0", "(s_3 +% (m[j, i] *% s_1))"), expect!["unchanged"]);
}

#[test]
fn loops_are_taken_apart_where_that_is_less_work() {
    check(
        split,
        "\
kernel part(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n):
    for i in range(1, n):
        let x = ((b[i] * b[i]) + (d[i] * 0.5))
        a[i] = (a[(i - 1)] + b[i])
        c[i] = sqrt((x + (d[i] / (x + 1.0))))
",
        expect![[r#"
            kernel part(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n):
                for i in range(1, n):
                    a[i] = (a[(i - 1)] + b[i])
                for i_1 in range(1, n):
                    let x = ((b[i_1] * b[i_1]) + (d[i_1] * 0.5))
                    c[i_1] = sqrt((x + (d[i_1] / (x + 1.0))))
        "#]],
    );
    // What both parts need comes from an array that the loop writes.
    check(
        split,
        "\
kernel shared(a: f32[n], c: f32[n], d: f32[n], n):
    for i in range(1, n):
        let x = a[(i - 1)]
        a[i] = (x + d[i])
        c[i] = sqrt(((x * d[i]) + (d[i] / (x + 1.0))))
",
        expect!["unchanged"],
    );
    // Too little is won.
    check(
        split,
        "\
kernel small(a: f32[n], b: f32[n], c: f32[n], n):
    for i in range(1, n):
        a[i] = (a[(i - 1)] + b[i])
        c[i] = 1.0
",
        expect!["unchanged"],
    );
}

#[test]
fn loops_are_exchanged_where_the_way_through_memory_gets_shorter() {
    check(
        interchange,
        "\
kernel transposed(a: f32[n, n], b: f32[n, n], n):
    for i in range(0, n):
        for j in range(0, n):
            b[j, i] = (a[j, i] * 2.0)
",
        expect![[r#"
            kernel transposed(a: f32[n, n], b: f32[n, n], n):
                for j in range(0, n):
                    for i in range(0, n):
                        b[j, i] = (a[j, i] * 2.0)
        "#]],
    );
    // As it is each row is walked along already.
    check(
        interchange,
        "\
kernel straight(a: f32[n, n], b: f32[n, n], n):
    for i in range(0, n):
        for j in range(0, n):
            b[i, j] = (a[i, j] * 2.0)
",
        expect!["unchanged"],
    );
    // Three loops: what neighbouring lanes touch has to lie side by side, wherever that index stands.
    check(
        interchange,
        "\
kernel cube(a: f32[n, n, n], b: f32[n, n, n], n):
    for i in range(0, n):
        for j in range(0, n):
            for k in range(0, n):
                b[k, j, i] = (a[k, j, i] * 2.0)
",
        expect![[r#"
            kernel cube(a: f32[n, n, n], b: f32[n, n, n], n):
                for j in range(0, n):
                    for k in range(0, n):
                        for i in range(0, n):
                            b[k, j, i] = (a[k, j, i] * 2.0)
        "#]],
    );
}

/// The loops of nests, each with whether it may take the lanes, and those that do.
fn check_choice(text: &str, expect: Expect) {
    let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let choice = choose(&kernel, &loops(&kernel, &Limits::default()));
    let name = |op: Op| {
        let index = kernel.regions[kernel.ops[op].regions[0]].args[0];
        kernel.values[index].name.as_deref().unwrap_or("_").to_owned()
    };
    let mut lines: Vec<String> = choice
        .candidates
        .iter()
        .map(|candidate| {
            let may = match candidate.in_lanes {
                Some(work) if work < candidate.in_order => "may, with less work than what is inside",
                Some(_) => "may",
                None => "may not",
            };
            format!("{}: {may}\n", name(candidate.op))
        })
        .collect();
    let taken: Vec<String> = choice.loops.iter().map(|&op| name(op)).collect();
    lines.push(format!("lanes along {}\n", taken.join(", ")));
    expect.assert_eq(&lines.concat());
}

#[test]
fn of_a_nest_the_loop_with_the_least_work_takes_the_lanes() {
    // The sum keeps its order, and along `i` nothing lies side by side.
    check_choice(
        "\
kernel product(a: f32[n, n], b: f32[n, n], c: f32[n, n], n):
    for i in range(0, n):
        for j in range(0, n):
            let s = for k in range(0, n) with t = 0.0:
                yield (t + (a[i, k] * b[k, j]))
            c[i, j] = s
",
        expect![[r#"
            i: may
            j: may, with less work than what is inside
            k: may not
            lanes along j
        "#]],
    );
    // Three taps, added up in order.
    check_choice(
        "\
kernel blur(a: f32[?], out: f32[?], n):
    for i in range(1, n):
        let s = for k in range(0, 3) with t = 0.0:
            yield (t + a[(i + k)])
        out[i] = s
",
        expect![[r#"
            i: may, with less work than what is inside
            k: may not
            lanes along i
        "#]],
    );
    // Three columns are a group of lanes, if not a full one; from row to row nothing lies side by side.
    check_choice(
        "\
kernel narrow(a: f32[n, 3], out: f32[n, 3], n):
    for i in range(0, n):
        for k in range(0, 3):
            out[i, k] = a[i, k]
",
        expect![[r#"
            i: may
            k: may, with less work than what is inside
            lanes along k
        "#]],
    );
    check_choice(
        "\
kernel rows(a: f32[n, m], out: f32[n, m], n, m):
    for i in range(0, n):
        for j in range(0, m):
            out[i, j] = sqrt(a[i, j])
",
        expect![[r#"
            i: may
            j: may, with less work than what is inside
            lanes along j
        "#]],
    );
    // Columns that are added up: the outer loop walks along the rows.
    check_choice(
        "\
kernel columns(a: f32[n, m], out: f32[m], n, m):
    for j in range(0, m):
        let s = for i in range(0, n) with t = 0.0:
            yield (t + a[i, j])
        out[j] = s
",
        expect![[r#"
            j: may, with less work than what is inside
            i: may not
            lanes along j
        "#]],
    );
    // Each loop of a nest by itself, where they stand side by side; facts are about `k`, too, which has no lanes.
    check_choice(
        "\
kernel both(a: f32[n, m], b: f32[m], n, m):
    for i in range(1, n):
        for j in range(0, m):
            a[i, j] = (a[(i - 1), j] + 1.0)
        for k in range(1, m):
            b[k] = (b[(k - 1)] + 1.0)
",
        expect![[r#"
            i: may not
            j: may, with less work than what is inside
            k: may not
            lanes along j, k
        "#]],
    );
    // The source asks for this one.
    check_choice(
        "\
kernel marked(a: f32[n, m], out: f32[n, m], n, m):
    @simd
    for i in range(0, n):
        for j in range(0, m):
            out[i, j] = sqrt(a[i, j])
",
        expect![[r#"
            i: may
            j: may, with less work than what is inside
            lanes along i
        "#]],
    );
}

#[test]
fn arrays_that_may_overlap_are_tested_before_their_loops() {
    check(
        apart,
        "\
@alias(a, b)
kernel copy(a: f32[n], b: f32[n], n):
    for i in range(0, n):
        a[i] = (b[i] * 2.0)
",
        expect![[r#"
            @alias(a, b)
            kernel copy(a: f32[n], b: f32[n], n):
                if overlap(a, b):
                    for i in range(0, n):
                        a[i] = (b[i] * 2.0)
                else:
                    for i_1 in range(0, n):
                        a[i_1] = (b[i_1] * 2.0)
        "#]],
    );
    // A test would not help: whether they overlap or not, the sum keeps its order.
    check(
        apart,
        "\
@alias(a, b)
kernel chained(a: f32[n], b: f32[n], n):
    for i in range(1, n):
        a[i] = (a[(i - 1)] + b[i])
",
        expect!["unchanged"],
    );
    // Nothing is written.
    check(
        apart,
        "\
@alias(a, b)
kernel apart(a: f32[n], b: f32[n], c: f32[n], n):
    for i in range(0, n):
        c[i] = (a[i] + b[i])
",
        expect!["unchanged"],
    );
}

#[test]
fn loops_that_hand_on_values_are_taken_apart() {
    // The sum keeps its order, and the roots have lanes.
    check(
        split,
        "\
kernel total(a: f32[n], c: f32[n], n) -> f32:
    let s = for i in range(0, n) with t = 0.0:
        let x = a[i]
        c[i] = sqrt(((x * x) + (sqrt(x) / (x + 1.0))))
        yield (t + x)
    return s
",
        expect![[r#"
            kernel total(a: f32[n], c: f32[n], n) -> f32:
                for i in range(0, n):
                    let x = a[i]
                    c[i] = sqrt(((x * x) + (sqrt(x) / (x + 1.0))))
                let s = for i_1 in range(0, n) with t = 0.0:
                    let x_1 = a[i_1]
                    yield (t + x_1)
                return s
        "#]],
    );
    // What is handed on for several parts is handed on by each of them; one of them says what it is in the end.
    check(
        split,
        "\
kernel both(a: f32[n], c: f32[n], n) -> f32:
    let s, k = for i in range(0, n) with t = 0.0, k = 2:
        let x = a[(i + k)]
        c[i] = sqrt(((x * x) + (sqrt(x) / (x + 1.0))))
        yield (t + x), k
    return (s + f32(k))
",
        expect![[r#"
            kernel both(a: f32[n], c: f32[n], n) -> f32:
                let k = for i in range(0, n) with k_1 = 2:
                    let x = a[(i + k_1)]
                    c[i] = sqrt(((x * x) + (sqrt(x) / (x + 1.0))))
                    yield k_1
                let s, _0 = for i_1 in range(0, n) with t = 0.0, k_2 = 2:
                    let x_1 = a[(i_1 + k_2)]
                    yield (t + x_1), k_2
                return (s + f32(k))
        "#]],
    );
    // The running sum is what is stored.
    check(
        split,
        "\
kernel running(a: f32[n], c: f32[n], n):
    let s = for i in range(0, n) with t = 0.0:
        let u = (t + a[i])
        c[i] = sqrt((u * u))
        yield u
    c[0] = s
",
        expect!["unchanged"],
    );
}

#[test]
fn only_arrays_that_are_apart_have_lanes() {
    let text = "\
@alias(a, b)
kernel copy(a: f32[n], b: f32[n], n):
    for i in range(0, n):
        a[i] = (b[i] * 2.0)
";
    let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let stages = pipeline::run(kernel, &Options::default(), true).expect("passes keep what holds");
    let vector = stages.iter().find(|reached| reached.stage == "vector").expect("a stage of the list");
    expect![[r#"
        @alias(a, b)
        kernel copy(a: f32[n], b: f32[n], n):
            if overlap(a, b):
                for i in range(0, n):
                    a[i] = (b[i] * 2.0)
            else:
                vector_for base in range(0, n, LANES):
                    let i_1 = (base + lane_id)
                    let active = (i_1 < n)
                    masked_store(a, i_1, (masked_load(b, i_1, active) * 2.0), active)
    "#]]
    .assert_eq(&print(&vector.kernel).text);
}

#[test]
fn iterations_that_change_the_same_cells_go_together() {
    check(
        jam,
        "\
kernel sums(m: f32[n, n], s: f32[n], n):
    for i in range(0, n):
        for j in range(0, n):
            s[j] = (s[j] + m[i, j])
",
        expect![[r#"
            kernel sums(m: f32[n, n], s: f32[n], n):
                let _0 = (n - (n % 4))
                for i in range(0, _0, 4):
                    let _1 = (i + 1)
                    let _2 = (i + 2)
                    let _3 = (i + 3)
                    for j in range(0, n):
                        s[j] = ((((s[j] + m[i, j]) + m[_1, j]) + m[_2, j]) + m[_3, j])
                for i_1 in range(_0, n):
                    for j_1 in range(0, n):
                        s[j_1] = (s[j_1] + m[i_1, j_1])
        "#]],
    );
    // Cells of each outer iteration's own, a cell of several inner ones, an array that is read beside, and loops that begin
    // elsewhere stay.
    for cell in ["m[i, j] = (m[i, j] + s[j])", "s[(j / 2)] = (s[(j / 2)] + m[i, j])", "s[j] = (s[j] + s[i])"] {
        let text = format!(
            "kernel k(m: f32[n, n], s: f32[n], n):\n    for i in range(0, n):\n        for j in range(0, n):\n            {cell}\n"
        );
        check(jam, &text, expect!["unchanged"]);
    }
    check(
        jam,
        "\
kernel sums(m: f32[n, n], s: f32[n], n):
    for i in range(1, n):
        for j in range(0, n):
            s[j] = (s[j] + m[i, j])
",
        expect!["unchanged"],
    );
}

#[test]
fn what_lanes_do_by_themselves_has_a_form_in_lanes() {
    check(
        together,
        "\
kernel own(m: f32[n, n], out: f32[n], n):
    foreach i in range(0, n) in 16 lanes:
        foreach j in range(0, 3), k in range(0, i):
            m[i, (j + k)] = f32(lane_id)
        let s = for j in range(0, i) reducing + from 1.0:
            yield m[i, j]
        compress_store(row(m, i), 0, s)
        out[i] = s
",
        expect![[r#"
            kernel own(m: f32[n, n], out: f32[n], n):
                foreach i in range(0, n) in 16 lanes:
                    for j in range(0, 3):
                        for k in range(0, i):
                            m[i, (j + k)] = f32(lane_id)
                    let partials = temp(u32(64), type=f32)
                    for place in range(u32(0), u32(64)):
                        partials[place] = -0.0
                    let _0 = for j_1 in range(0, i) with number = u32(0):
                        let _1 = m[i, j_1]
                        let _2 = (number & u32(63))
                        partials[_2] = (partials[_2] + _1)
                        yield (number +% u32(1))
                    for place_1 in range(u32(0), u32(32)):
                        partials[place_1] = (partials[place_1] + partials[(place_1 + u32(32))])
                    for place_2 in range(u32(0), u32(16)):
                        partials[place_2] = (partials[place_2] + partials[(place_2 + u32(16))])
                    for place_3 in range(u32(0), u32(8)):
                        partials[place_3] = (partials[place_3] + partials[(place_3 + u32(8))])
                    for place_4 in range(u32(0), u32(4)):
                        partials[place_4] = (partials[place_4] + partials[(place_4 + u32(4))])
                    for place_5 in range(u32(0), u32(2)):
                        partials[place_5] = (partials[place_5] + partials[(place_5 + u32(2))])
                    for place_6 in range(u32(0), u32(1)):
                        partials[place_6] = (partials[place_6] + partials[(place_6 + u32(1))])
                    let s = (1.0 + partials[u32(0)])
                    row(m, i)[(index(0) + scan_add(1))] = s
                    out[i] = s
        "#]],
    );
    // Lanes that do not run together keep to their loops.
    check(
        together,
        "\
kernel own(m: f32[n, n], out: f32[n], n):
    foreach i in range(0, n):
        foreach j in range(0, 3):
            m[i, j] = 1.0
",
        expect!["unchanged"],
    );
}
