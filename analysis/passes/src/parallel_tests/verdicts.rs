//! Tests of the verdicts that loops are marked with.

use expect_test::expect;

use super::check;
use crate::pipeline::{Options, run};
use crate::verdicts;
use ir::{Code, LaneVerdict, print, read};

/// Loops with each kind of verdict.
const LOOPS: &str = "\
kernel k(a: f32[n], b: f32[n], c: f32[n, n], n) -> f32:
    for i in range(1, n):
        a[i] = (a[(i - 1)] + b[i])
    for i in range(0, n):
        for j in range(0, n):
            c[i, j] = (c[i, j] + a[j])
    foreach i in range(0, n):
        for j in range(0, n):
            b[i] = (b[i] + c[j, i])
    @lanes(4)
    for i in range(8, n):
        b[i] = a[i]
    let s = for i in range(0, n) with t = 0.0:
        yield (t + a[i])
    let m = while (b[m0] > 0.0) with m0 = 0:
        yield (m0 + 1)
    for i in range(0, n):
        pass
    return (s + f32(m))
";

#[test]
fn each_loop_says_what_becomes_of_it() {
    check(
        verdicts,
        LOOPS,
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], c: f32[n, n], n) -> f32:
                @in_order(loop-carried-flow)
                for i in range(1, n):
                    a[i] = (a[(i - 1)] + b[i])
                @in_order(lanes-elsewhere)
                for i_1 in range(0, n):
                    @in_lanes(8)
                    for j in range(0, n):
                        c[i_1, j] = (c[i_1, j] + a[j])
                @in_lanes(8)
                foreach i_2 in range(0, n):
                    @inside_lanes
                    for j_1 in range(0, n):
                        b[i_2] = (b[i_2] + c[j_1, i_2])
                @lanes(4)
                @in_lanes(4)
                for i_3 in range(8, n):
                    b[i_3] = a[i_3]
                @in_order(ordered-float-sum)
                let s = for i_4 in range(0, n) with t = 0.0:
                    yield (t + a[i_4])
                @in_order(unknown-trip-count)
                let m = while (b[m0] > 0.0) with m0 = 0:
                    yield (m0 + 1)
                @in_order
                for i_5 in range(0, n):
                    pass
                return (s + f32(m))
        "#]],
    );
}

#[test]
fn a_kernel_without_loops_is_as_it_was() {
    check(verdicts, "kernel k(a: f32[n], n):\n    a[0] = 1.0\n", expect!["unchanged"]);
}

#[test]
fn the_next_stage_does_what_verdicts_say_and_keeps_those_of_loops_in_order() {
    let kernel = read(LOOPS, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let stages = run(kernel, &Options::default(), true).expect("passes keep what holds");
    let at = |stage: &str| &stages.iter().find(|reached| reached.stage == stage).expect("a stage of the list").kernel;
    let (parallel, vector) = (at("parallel"), at("vector"));
    let mut marked = Vec::new();
    parallel.walk(parallel.body, &mut |_, op| {
        if let Some(LaneVerdict::InLanes(lanes)) = parallel.verdict(op) {
            marked.push(Some(lanes));
        }
    });
    let mut made = Vec::new();
    vector.walk(vector.body, &mut |_, op| {
        if vector.ops[op].code == Code::VectorFor {
            made.push(vector.control(op).and_then(|control| control.width));
        }
    });
    assert_eq!(marked, made);
    let marks = |text: String| {
        text.lines().map(str::trim).filter(|line| line.starts_with("@in")).collect::<Vec<_>>().join("\n")
    };
    expect![[r#"
        @in_order(loop-carried-flow)
        @in_order(lanes-elsewhere)
        @in_order(ordered-float-sum)
        @in_order(early-exit)
        @in_order(early-exit)
        @in_order(unknown-trip-count)"#]]
    .assert_eq(&marks(print(vector).text));
    expect![[r#"
        @in_order(loop-carried-flow)
        @in_order(lanes-elsewhere)
        @in_order(ordered-float-sum)
        @in_order(early-exit)
        @in_order(early-exit)
        @in_order(unknown-trip-count)"#]]
    .assert_eq(&marks(print(at("final")).text));
}
