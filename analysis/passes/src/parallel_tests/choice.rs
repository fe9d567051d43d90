//! Tests of the choice of the loop that takes the lanes.

use expect_test::{Expect, expect};

use crate::choose;
use facts::dependence::DependenceLimits;
use facts::loops::loops;
use ir::entities::Op;
use ir::target::Target;
use ir::{read, target};

fn check_choice(text: &str, expect: Expect) {
    check_choice_for(target::reference(), text, expect);
}

/// The loops of nests, each with whether it may take the lanes, and those that do.
fn check_choice_for(target: &'static Target, text: &str, expect: Expect) {
    let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let choice = choose(&kernel, &loops(&kernel, &DependenceLimits::default()), target);
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
    lines.push(match taken.as_slice() {
        [] => "no lanes\n".to_owned(),
        taken => format!("lanes along {}\n", taken.join(", ")),
    });
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

/// A search in each row: the lanes of a group wait for the longest search, so gathers of a cell for each are worth it on no target,
/// but much arithmetic is.
#[test]
fn lanes_that_leave_a_search_apart_wait_for_the_last_one() {
    let search = |test: &str| {
        format!(
            "\
kernel search(a: f32[n, m], out: f32[n], n: i32, m: i32):
    for i in range(0, n):
        @counts
        let _0, _1, s = while go with j = 0, go = (0 < m), s_1 = 0.0:
            let s_2, go_1 = if ({test} > 0.9):
                yield s_1, false
            else:
                yield (s_1 + {test}), true
            let _2 = (j +% 1)
            yield _2, (go_1 & ((j < _2) & (_2 < m))), s_2
        out[i] = s
"
        )
    };
    for name in ["sse4", "avx2", "avx512", "neon"] {
        let target = target::find(name).expect("a target");
        check_choice_for(
            target,
            &search("a[i, j]"),
            expect![["
                i: may
                no lanes
            "]],
        );
    }
    check_choice(
        &search("sqrt((s_1 / (1.0 + (s_1 * s_1))))"),
        expect![["
            i: may, with less work than what is inside
            lanes along i
        "]],
    );
}

#[test]
fn lines_are_near_that_the_loop_around_comes_back_to() {
    // A column of `a` is walked along `j`, and the column beside it in the next iteration of `i`.
    let avx512 = target::find("avx512").expect("a row of the table");
    check_choice_for(
        avx512,
        "\
kernel lower(a: f32[n, n], b: f32[n, n], n):
    for i in range(0, n):
        for j in range(0, i):
            a[i, j] = (a[j, i] + b[i, j])
",
        expect![[r#"
            i: may
            j: may, with less work than what is inside
            lanes along j
        "#]],
    );
    // Neighbouring lanes have neighbouring cells here, whatever loop is around.
    check_choice_for(
        avx512,
        "\
kernel columns(a: f32[n, n], n):
    for i in range(0, n):
        for j in range(1, n):
            a[j, i] = (a[(j - 1), i] * 0.5)
",
        expect![[r#"
            i: may, with less work than what is inside
            j: may not
            lanes along i
        "#]],
    );
}

#[test]
fn lanes_with_ranges_that_are_data_wait_for_the_longest() {
    check_choice_for(
        target::find("avx512").expect("a row of the table"),
        "\
kernel sparse(rows: i32[?], columns: i32[?], a: f32[?], x: f32[?], out: f32[n], n):
    for i in range(0, n):
        let s = for k in range(rows[i], rows[(i + 1)]) with s = 0.0:
            yield (s + (a[k] * x[columns[k]]))
        out[i] = s
",
        expect![[r#"
            i: may
            k: may not
            lanes along k
        "#]],
    );
}

#[test]
fn loops_stay_in_order_where_lanes_would_take_longer() {
    let text = "\
kernel moves(a: f32[n, n], b: f32[n], at: i32[n], small: f32[16], rows: f32[n, 8], n: i32):
    for diagonal in range(0, n):
        a[diagonal, diagonal] = (a[diagonal, diagonal] * b[diagonal])
    for scattered in range(0, n):
        b[at[scattered]] = 1.0
    @simd
    for marked in range(0, n):
        b[at[marked]] = 1.0
    for table in range(0, n):
        b[table] = small[(at[table] & 15)]
    for near in range(0, n):
        b[near] = (rows[near, 0] + rows[near, 1])
    let s = for total in range(0, n) with t = 0:
        yield (t +% at[at[total]])
    for dear in range(0, n):
        b[dear] = sqrt((1.0 / b[at[dear]]))
    at[0] = s
";
    let left = |name: &str| {
        let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
        let target = target::find(name).expect("a row");
        let choice = choose(&kernel, &loops(&kernel, &DependenceLimits::default()), target);
        let told = choice.left.iter().map(|&(op, percent)| {
            let index = kernel.regions[kernel.ops[op].regions[0]].args[0];
            format!("{}: {percent} %\n", kernel.values[index].name.as_deref().unwrap_or("_"))
        });
        told.collect::<String>()
    };
    expect![[r#"
        diagonal: 220 %
        scattered: 131 %
    "#]]
    .assert_eq(&left("zen4"));
    // Nobody has measured what all processors of an instruction set take.
    assert_eq!(left("avx512"), "");
}
