//! Dependences of small kernels, as a person would write them down.

use std::fmt::Write;

use expect_test::{Expect, expect};

use super::*;
use ir::program::Kernel;
use ir::read;

pub(super) fn show(kernel: &Kernel) -> String {
    let found = dependences(kernel, &DependenceLimits::default());
    let mut out = String::new();
    for dependence in &found.list {
        let meeting = &dependence.meeting;
        let signs: Vec<&str> = meeting.directions.iter().map(|direction| direction.sign()).collect();
        let distances: Vec<String> =
            meeting.distances.iter().map(|distance| distance.map_or("?".to_owned(), |d| d.to_string())).collect();
        let carried = meeting.carried.map_or("within".to_owned(), |level| format!("carried by {level}"));
        let array = kernel.values[dependence.array].name.as_deref().unwrap_or("temp");
        let _ = write!(
            out,
            "{} {array}, {carried} ({}) ({}) {}",
            dependence.kind.name(),
            signs.join(" "),
            distances.join(" "),
            meeting.test.name()
        );
        if let Some(witness) = &meeting.witness {
            let _ = write!(out, ": {:?} -> {:?} at {:?}", witness.source, witness.sink, witness.cell);
            for (symbol, number) in &witness.symbols {
                let WitnessSymbol::Value(value) = symbol else { continue };
                let _ = write!(out, " {}={number}", kernel.values[*value].name.as_deref().unwrap_or("_"));
            }
            out.push_str(if witness.leaves { " leaves" } else { "" });
        }
        if !meeting.doubts.is_empty() {
            let _ = write!(out, " possible: {:?}", meeting.doubts);
        }
        out.push('\n');
    }
    for (array, _) in &found.unseen {
        let _ = writeln!(out, "unseen {}", kernel.values[*array].name.as_deref().unwrap_or("temp"));
    }
    out
}

fn check(text: &str, expect: Expect) {
    let kernels = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    expect.assert_eq(&show(&kernels[0]));
}

/// A nest over `a: i32[n]`, `b: i32[n]`, `m: f32[n, n]` and scalars `n`, `k`.
fn nest(body: &str, expect: Expect) {
    let header = "kernel nest(a: i32[n], b: i32[n], m: i32[n, n], open: i32[?], n, k, s):\n";
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    check(&format!("{header}{body}"), expect);
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
            flow b, carried by 0 (<) (1) distance: [1] -> [2] at [1]
            flow a, within (=) (0) constant: [1] -> [1] at [1]
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
            flow b, carried by 0 (<) (1) distance: [1] -> [2] at [1]
        "#]],
    );
}

#[test]
fn distances_and_their_bounds() {
    nest(
        "for i in range(3, n):\n    a[i] = a[(i - 3)]",
        expect![[r#"
        flow a, carried by 0 (<) (3) distance: [3] -> [6] at [3] n=7
    "#]],
    );
    nest(
        "for i in range(0, n):\n    a[i] = a[(i + 1)]",
        expect![[r#"
        anti a, carried by 0 (<) (1) distance: [0] -> [1] at [1] n=2
    "#]],
    );
    nest("for i in range(0, 4):\n    a[i] = a[(i + 4)]", expect![[""]]);
    nest(
        "for i in range(0, 5):\n    a[i] = a[(i + 4)]",
        expect![[r#"
        anti a, carried by 0 (<) (4) distance: [0] -> [4] at [4] n=5
    "#]],
    );
    nest(
        "for i in range(20, 0, -3):\n    a[i] = a[(i + 6)]",
        expect![[r#"
        flow a, carried by 0 (<) (2) distance: [20] -> [14] at [20] n=21
    "#]],
    );
    nest("for i in range(0, n):\n    a[(2 * i)] = a[((2 * i) + 1)]", expect![[""]]);
    nest(
        "for i in range(0, n):\n    a[i] = a[((n - 1) - i)]",
        expect![[r#"
        anti a, carried by 0 (<) (?) integers: [0] -> [1] at [1] n=2
        anti a, within (=) (0) distance: [0] -> [0] at [0] n=1
        flow a, carried by 0 (<) (?) integers: [0] -> [1] at [0] n=2
    "#]],
    );
    nest(
        "for i in range(0, n):\n    a[i] = a[0]",
        expect![[r#"
        anti a, within (=) (0) distance: [0] -> [0] at [0] n=1
        flow a, carried by 0 (<) (?) integers: [0] -> [1] at [0] n=2
    "#]],
    );
}

#[test]
fn symbols() {
    nest(
        "for i in range(0, n):\n    open[(i + k)] = open[((i + k) - 2)]",
        expect![[r#"
            flow open, carried by 0 (<) (2) distance: [0] -> [2] at [2] n=3 k=2
        "#]],
    );
    nest(
        "for i in range(0, n):\n    open[(i + k)] = open[i]",
        expect![[r#"
            anti open, within (=) (0) distance: [0] -> [0] at [0] n=1 k=0
            flow open, carried by 0 (<) (?) integers: [0] -> [1] at [1] n=2 k=1
        "#]],
    );
    nest("assert((k >= n))\nfor i in range(0, n):\n    open[(i + k)] = open[i]", expect![[""]]);
    nest("for i in range(0, n, s):\n    a[i] = 1", expect![[""]]);
    nest(
        "for i in range(0, n):\n    open[(s * i)] = 1",
        expect![[r#"
        output open, carried by 0 (<) (?) integers: [0] -> [1] at [0] n=2 s=0
    "#]],
    );
    nest("assert((s != 0))\nfor i in range(0, n):\n    open[(s * i)] = 1", expect![[""]]);
    nest("for i in range(0, k):\n    for j in range(0, n):\n        open[((i * n) + j)] = 1", expect![[""]]);
    nest(
        "for i in range(0, k):\n    for j in range(0, n):\n        open[((i * s) + j)] = 1",
        expect![[r#"
        output open, carried by 0 (< *) (? ?) integers: [0, 0] -> [1, 0] at [0] k=2 n=1 s=0
    "#]],
    );
}

#[test]
fn nests() {
    nest(
        "for i in range(1, n):\n    for j in range(1, n):\n        m[i, j] = (m[(i - 1), j] + m[i, (j - 1)])",
        expect![[r#"
        flow m, carried by 0 (< =) (1 0) distance: [1, 1] -> [2, 1] at [1, 1] n=3
        flow m, carried by 1 (= <) (0 1) distance: [1, 1] -> [1, 2] at [1, 1] n=3
    "#]],
    );
    nest("for i in range(0, n):\n    for j in range(0, i):\n        m[i, j] = m[j, i]", expect![[""]]);
    nest(
        "for i in range(1, n):\n    for j in range(0, (n - 1)):\n        m[i, j] = m[(i - 1), (j + 1)]",
        expect![[r#"
        flow m, carried by 0 (< >) (1 -1) distance: [1, 1] -> [2, 0] at [1, 1] n=3
    "#]],
    );
    nest(
        "for i in range(0, n):\n    let r = row(m, i)\n    for j in range(1, n):\n        r[j] = r[(j - 1)]",
        expect![[r#"
        flow m, carried by 1 (= <) (0 1) distance: [0, 1] -> [0, 2] at [0, 1] n=3
    "#]],
    );
}

#[test]
fn conditions_keep_apart() {
    nest(
        "for i in range(0, (n - 1)):\n    if ((i % 2) == 0):\n        a[i] = 1\n    else:\n        b[i] = a[i]",
        expect![[""]],
    );
    nest(
        "for i in range(0, (n - 1)):\n    if (b[i] > 0):\n        a[i] = 1\n    else:\n        a[i] = 2",
        expect![[""]],
    );
    nest("for i in range(8, (n & -8)):\n    a[i] = a[(i & 7)]", expect![[""]]);
}

#[test]
fn what_is_possible_says_why() {
    nest(
        "for i in range(0, n):\n    a[b[i]] = i",
        expect![[r#"
        output a, carried by 0 (<) (?) undecided: [0] -> [1] at [0] n=2 possible: [Data(v10)]
    "#]],
    );
    nest(
        "for i in range(0, n):\n    a[(i ^ k)] = i",
        expect![[r#"
        output a, carried by 0 (<) (?) undecided: [0] -> [1] at [0] n=2 possible: [NotLinear(v10)]
    "#]],
    );
    nest(
        "for i in range(0, n):\n    for j in range(b[i], b[(i + 1)]):\n        a[i] = (a[i] + j)",
        expect![[r#"
        anti a, carried by 1 (= <) (0 ?) constant: [0, -2] -> [0, -1] at [0] n=1 _=-2 _=0
        anti a, within (= =) (0 0) constant: [0, -1] -> [0, -1] at [0] n=1 _=-1 _=0
        flow a, carried by 1 (= <) (0 ?) constant: [0, -2] -> [0, -1] at [0] n=1 _=-2 _=0
        output a, carried by 1 (= <) (0 ?) constant: [0, -2] -> [0, -1] at [0] n=1 _=-2 _=0
    "#]],
    );
}

#[test]
fn subscripts_alone_decide_where_nothing_may_be_spent() {
    let text = "\
kernel k(a: f32[?], n):
    for i in range(0, n):
        a[(i + 4)] = 1.0
        a[i] = 2.0
        a[((2 * i) + 9)] = 3.0
        a[(2 * i)] = 4.0
";
    let kernel = &read(text, None).expect("a kernel")[0];
    let found = dependences(kernel, &DependenceLimits { work: 0, work_an_access: 0, ..DependenceLimits::default() });
    let stores = &kernel.regions[kernel.ops[*kernel.regions[kernel.body].ops.last().expect("a loop")].regions[0]].ops;
    let number = |op: Op| stores.iter().filter(|&&it| kernel.ops[it].code == ir::Code::Store).position(|&it| it == op);
    let met: Vec<_> =
        found.list.iter().map(|it| (number(it.source), number(it.sink), it.meeting.distances[0])).collect();
    // The first two are four iterations apart, and the last two never meet: one is at odd cells, the other at even ones.
    let between = |a: usize, b: usize| met.iter().filter(move |it| (it.0, it.1) == (Some(a), Some(b)));
    assert_eq!(between(0, 1).map(|it| it.2).collect::<Vec<_>>(), [Some(4)], "{met:?}");
    assert_eq!(between(1, 0).count() + between(2, 3).count() + between(3, 2).count(), 0, "{met:?}");
    assert!(found.list.iter().all(|it| it.meeting.doubts[..] == [Doubt::TooHard]), "nothing was solved");
    // Whatever steps differ needs more than that, and is possible.
    assert!(between(0, 2).count() + between(2, 0).count() > 0, "{met:?}");
}

/// Each `^` has both of its sides twice in its formula, so one of a few dozen would have more parts than memory has room for.
#[test]
fn long_conditions_may_be_true_or_false() {
    for operator in ["^", "!="] {
        let mut body = "let c0 = (b[i] > 0)".to_owned();
        for n in 1..39 {
            let _ = write!(body, "\n    let c{n} = (c{} {operator} (b[i] > {n}))", n - 1);
        }
        let kernel = format!(
            "kernel k(a: i32[n], b: i32[n], n):\n  for i in range(0, n):\n    {body}\n    if c38:\n      a[0] = i\n"
        );
        let kernels = read(&kernel, None).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
        assert!(show(&kernels[0]).starts_with("output a, carried by 0"), "{operator}: {}", show(&kernels[0]));
    }
}

/// The halves of a butterfly, of a size that a parameter says: too hard from block to block, but not within one.
#[test]
fn hard_questions_about_outer_loops_leave_work_for_the_inner_one() {
    check(
        "kernel k(re: f32[n], n, half):
    for start in range(0, n, (2 * half)):
        for i in range(0, half):
            let x = re[((start + half) + i)]
            let u = re[(start + i)]
            re[((start + half) + i)] = (u - x)
            re[(start + i)] = (u + x)
",
        expect![[r#"
            anti re, within (= =) (0 0) constant: [0, 0] -> [0, 0] at [1] half=1 n=2
            anti re, carried by 0 (< *) (? ?) undecided possible: [TooHard]
            anti re, within (= =) (0 0) constant: [0, 0] -> [0, 0] at [0] half=1 n=1
            flow re, carried by 0 (< *) (? ?) undecided possible: [TooHard]
            output re, carried by 0 (< *) (? ?) undecided possible: [TooHard]
        "#]],
    );
}

/// Where a block starts is a product, and the same for all iterations within the block.
#[test]
fn subscripts_that_start_at_a_product_are_compared_without_it() {
    let kernel = "kernel k(a: f32[n], n, size):
    for block in range(0, n, size):
        for i in range(0, size):
            a[((block * 3) + i)] = (a[((block * 3) + i)] + 1.0)
";
    let kernels = read(kernel, None).unwrap_or_else(|error| panic!("{error}"));
    let limits = DependenceLimits { work: 0, work_an_access: 0, ..DependenceLimits::default() };
    let carried: Vec<_> = dependences(&kernels[0], &limits).list.iter().map(|found| found.meeting.carried).collect();
    assert!(!carried.contains(&Some(1)), "{carried:?}");
}

#[test]
fn examples_are_of_runs_that_get_to_their_ends() {
    // A negative `k` is the only one with which an iteration reads what a later one writes, and the last one reads behind the end then.
    nest(
        "for i in range(0, n):\n    a[i] = b[i]\n    if (i >= k):\n        a[i] = (a[i] + a[(i - k)])",
        expect![[r#"
            flow a, within (=) (0) constant: [0] -> [0] at [0] n=1 k=0
            flow a, carried by 0 (<) (?) integers: [0] -> [1] at [0] n=2 k=1
            flow a, within (=) (0) distance: [0] -> [0] at [0] n=1 k=0
            anti a, carried by 0 (<) (?) integers: [0] -> [1] at [1] n=2 k=-1 leaves
            output a, within (=) (0) constant: [0] -> [0] at [0] n=1 k=0
            anti a, within (=) (0) constant: [0] -> [0] at [0] n=1 k=0
            anti a, carried by 0 (<) (?) integers: [0] -> [1] at [1] n=2 k=-1 leaves
            anti a, within (=) (0) distance: [0] -> [0] at [0] n=1 k=0
            flow a, carried by 0 (<) (?) integers: [1] -> [2] at [1] n=3 k=1
        "#]],
    );
    // A longer array has what the last iteration reads.
    nest(
        "for i in range(0, n):\n    open[i] = open[(i + k)]",
        expect![[r#"
        anti open, carried by 0 (<) (?) integers: [0] -> [1] at [1] n=2 k=1
        anti open, within (=) (0) distance: [0] -> [0] at [0] n=1 k=0
    "#]],
    );
    // Two values that meet whatever their signs are not negative.
    nest(
        "for i in range(0, n):\n    a[i] = open[(i + k)]\n    open[(i + s)] = b[i]",
        expect![[r#"
        anti open, carried by 0 (<) (?) integers: [0] -> [1] at [1] n=2 k=1 s=0
        anti open, within (=) (0) distance: [0] -> [0] at [0] n=1 k=0 s=0
        flow open, carried by 0 (<) (?) integers: [0] -> [1] at [1] n=2 s=1 k=0
    "#]],
    );
    // So are those of which one may be negative.
    nest(
        "for i in range(k, (n - s)):\n    a[((2 * i) - k)] = a[(i + s)]",
        expect![[r#"
        anti a, carried by 0 (<) (?) integers: [0] -> [1] at [2] k=0 n=4 s=2
        anti a, within (=) (0) distance: [0] -> [0] at [0] k=0 n=1 s=0
        flow a, carried by 0 (<) (?) integers: [1] -> [2] at [2] k=0 n=3 s=0 leaves
    "#]],
    );
}
