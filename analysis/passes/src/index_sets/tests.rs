//! Loops that are divided where their index decides a branch.

use expect_test::expect;

use super::index_sets;
use crate::Context;
use crate::pipeline::Options;
use ir::target;

/// A kernel after the pass, with its decisions.
fn divided(text: &str) -> String {
    let mut kernel = ir::read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let options = Options { target: target::find("avx2").expect("a target"), ..Options::default() };
    let mut context = Context::new(&options);
    let before = ir::canonical(&kernel);
    let changed = index_sets(&mut kernel, &mut context);
    assert_eq!(ir::verify(&kernel), Ok(()));
    assert_eq!(changed, ir::canonical(&kernel) != before, "whether it changed anything");
    let mut shown = ir::print(&kernel).text;
    for decision in context.take_decisions() {
        let because: Vec<String> = decision.because.iter().map(ToString::to_string).collect();
        shown += &format!("# {}: {}\n", decision.code, because.join(" "));
    }
    shown
}

#[test]
fn a_branch_on_the_index_divides_the_loop() {
    let text = "\
kernel k(a: f32[n], b: f32[n], c: f32[n], n):
    for i in range(0, n):
        if ((i + 1) < floor_div(n, 2)):
            a[i] = (b[i] * c[i])
        else:
            a[i] = (b[i] + c[i])
";
    expect![[r#"
        kernel k(a: f32[n], b: f32[n], c: f32[n], n):
            let _0 = i32(max(min(((i64(n) // 2) +% -1), i64(n)), 0))
            for i in range(0, _0):
                let _1 = ((i + 1) < (n // 2))
                a[i] = (b[i] * c[i])
            for i_1 in range(_0, n):
                let _2 = ((i_1 + 1) < (n // 2))
                a[i_1] = (b[i_1] + c[i_1])
        # index-set-split: this goes one way in each of 2 ranges of the index, which are loops of their own now: they cost 28 % of what the loop did
    "#]].assert_eq(&divided(text));
}

#[test]
fn what_is_carried_goes_from_part_to_part() {
    let text = "\
kernel k(a: i32[n], b: i32[n], n, m) -> i32:
    let s = for i in range(0, n) with s = 0:
        let t = if (m > i):
            yield (s +% a[i])
        else:
            yield (s +% b[i])
        yield t
    return s
";
    expect![[r#"
        kernel k(a: i32[n], b: i32[n], n, m) -> i32:
            let _0 = i32(max(min(i64(m), i64(n)), 0))
            let s = for i in range(0, _0) with s_1 = 0:
                let _1 = (m > i)
                yield (s_1 +% a[i])
            let s_2 = for i_1 in range(_0, n) with s_3 = s:
                let _2 = (m > i_1)
                yield (s_3 +% b[i_1])
            return s_2
        # index-set-split: this goes one way in each of 2 ranges of the index, which are loops of their own now: they cost 47 % of what the loop did
    "#]].assert_eq(&divided(text));
}

#[test]
fn one_iteration_is_a_part_of_its_own() {
    let text = "\
kernel k(a: f32[n], b: f32[n], n, k):
    for j in range(0, n):
        if (j == k):
            a[j] = 1.0
        else:
            a[j] = b[j]
";
    expect![[r#"
        kernel k(a: f32[n], b: f32[n], n, k):
            let _0 = i64(k)
            let _1 = i64(n)
            let _2 = i32(max(min(_0, _1), 0))
            let _3 = i32(max(min((_0 +% 1), _1), 0))
            for j in range(0, _2):
                let _4 = (j == k)
                a[j] = b[j]
            for j_1 in range(_2, _3):
                let _5 = (j_1 == k)
                a[j_1] = 1.0
            for j_2 in range(_3, n):
                let _6 = (j_2 == k)
                a[j_2] = b[j_2]
        # index-set-split: this goes one way in each of 3 ranges of the index, which are loops of their own now: they cost 21 % of what the loop did
    "#]]
    .assert_eq(&divided(text));
}

#[test]
fn loops_that_gain_nothing_stay_whole() {
    let text = "\
kernel k(a: f32[n], b: f32[n], n, x):
    for i in range(1, n):
        if (i < 10):
            a[i] = a[(i - 1)]
        else:
            a[i] = (a[(i - 1)] + b[i])
    for i_1 in range(0, n):
        if (f32(i_1) < x):
            b[i_1] = 1.0
    for i_2 in range(0, n, 2):
        if (i_2 < 10):
            b[i_2] = 1.0
";
    expect![[r#"
        kernel k(a: f32[n], b: f32[n], n, x):
            for i in range(1, n):
                if (i < 10):
                    a[i] = a[(i - 1)]
                else:
                    a[i] = (a[(i - 1)] + b[i])
            for i_1 in range(0, n):
                if (f32(i_1) < x):
                    b[i_1] = 1.0
            for i_2 in range(0, n, 2):
                if (i_2 < 10):
                    b[i_2] = 1.0
    "#]]
    .assert_eq(&divided(text));
}

#[test]
fn what_goes_with_the_index_decides_as_well() {
    let text = "\
kernel k(a: f32[n], b: f32[n], n, m) -> i32:
    let k = for i in range(3, n) with k = m:
        if ((k + 2) < n):
            a[k] = (b[i] * 2.0)
        else:
            a[k] = b[i]
        yield (k + 1)
    let d = for i_1 in range(0, n) with d = m:
        if (d > 0):
            a[i_1] = (b[i_1] * 3.0)
        else:
            a[i_1] = b[i_1]
        yield (d - 1)
    return (k + d)
";
    expect![[r#"
        kernel k(a: f32[n], b: f32[n], n, m) -> i32:
            let _0 = i32(max(min(((3 +% (i64(n) -% i64(m))) +% -2), i64(n)), 3))
            let k = for i in range(3, _0) with k_1 = m:
                let _1 = ((k_1 + 2) < n)
                a[k_1] = (b[i] * 2.0)
                yield (k_1 + 1)
            let k_2 = for i_1 in range(_0, n) with k_3 = k:
                let _2 = ((k_3 + 2) < n)
                a[k_3] = b[i_1]
                yield (k_3 + 1)
            let _3 = i32(max(min((0 +% (i64(m) -% 0)), i64(n)), 0))
            let d = for i_1_1 in range(0, _3) with d_1 = m:
                let _4 = (d_1 > 0)
                a[i_1_1] = (b[i_1_1] * 3.0)
                yield (d_1 - 1)
            let d_2 = for i_1_2 in range(_3, n) with d_3 = d:
                let _5 = (d_3 > 0)
                a[i_1_2] = b[i_1_2]
                yield (d_3 - 1)
            return (k_2 + d_2)
        # index-set-split: this goes one way in each of 2 ranges of the index, which are loops of their own now: they cost 21 % of what the loop did
        # index-set-split: this goes one way in each of 2 ranges of the index, which are loops of their own now: they cost 20 % of what the loop did
    "#]].assert_eq(&divided(text));
}

#[test]
fn a_part_that_only_counts_is_a_formula_in_the_type_of_the_index() {
    let text = "\
kernel k(a: f32[n], b: f32[n], n, m, o: i64[1]) -> i32:
    let k, q = for i in range(0, n) with k = m, q = 5:
        if (i < m):
            a[i] = (b[i] * 2.0)
        yield (k + 1), (q - 1)
    let w, d = for j in range(0, n) with w = i64(7), d = 5:
        if (j < m):
            b[j] = (b[j] * 2.0)
        yield (w + 1), (d - 1)
    o[0] = (w + i64(d))
    return (k + q)
";
    expect![[r#"
        kernel k(a: f32[n], b: f32[n], n, m, o: i64[1]) -> i32:
            let _0 = i32(max(min(i64(m), i64(n)), 0))
            let k, q = for i in range(0, _0) with k_1 = m, q_1 = 5:
                let _1 = (i < m)
                a[i] = (b[i] * 2.0)
                yield (k_1 + 1), (q_1 - 1)
            let _2 = (max(_0, n) -% _0)
            let _3 = i32(max(min(i64(m), i64(n)), 0))
            let w, d = for j in range(0, _3) with w_1 = 7, d_1 = 5:
                let _4 = (j < m)
                b[j] = (b[j] * 2.0)
                yield (w_1 + 1), (d_1 - 1)
            let w_2, d_2 = for j_1 in range(_3, n) with w_3 = w, d_3 = d:
                let _5 = (j_1 < m)
                yield (w_3 + 1), (d_3 - 1)
            o[0] = (w_2 + i64(d_2))
            return ((k +% _2) + (q -% _2))
        # index-set-split: this goes one way in each of 2 ranges of the index, which are loops of their own now: they cost 26 % of what the loop did
        # index-set-split: this goes one way in each of 2 ranges of the index, which are loops of their own now: they cost 26 % of what the loop did
    "#]].assert_eq(&divided(text));
}

#[test]
fn what_goes_through_a_nest_is_a_formula_behind_the_inner_loop() {
    let text = "\
kernel k(a: f32[n], b: f32[n, n], n, m) -> i32:
    let k, d = for i in range(0, n) with k = 0, d = m:
        let k_2, d_2 = for j in range(0, n) with k_1 = k, d_1 = d:
            if (k_1 < m):
                a[k_1] = b[i, j]
            yield (k_1 + 1), (d_1 - 1)
        yield k_2, d_2
    for i_1 in range(0, n):
        for j_1 in range(0, n):
            if (j_1 >= i_1):
                a[j_1] = b[i_1, j_1]
    return (k + d)
";
    expect![[r#"
        kernel k(a: f32[n], b: f32[n, n], n, m) -> i32:
            let k, d = for i in range(0, n) with k_1 = 0, d_1 = m:
                let _0 = i32(max(min((0 +% (i64(m) -% i64(k_1))), i64(n)), 0))
                let _1 = max(0, n)
                let _2 = (k_1 +% (_0 -% 0))
                let _3 = (d_1 -% (_0 -% 0))
                if (i64(k_1) < i64(m)):
                    let k_2, d_2 = for j in range(0, _0) with k_1_1 = k_1, d_1_1 = d_1:
                        let _4 = (k_1_1 < m)
                        a[k_1_1] = b[i, j]
                        yield (k_1_1 + 1), (d_1_1 - 1)
                yield (k_1 +% (_1 -% 0)), (d_1 -% (_1 -% 0))
            for i_1 in range(0, n):
                if (i_1 < n):
                    for j_1 in range(i_1, n):
                        let _5 = (j_1 >= i_1)
                        a[j_1] = b[i_1, j_1]
            return (k + d)
        # index-set-split: this goes one way in each of 2 ranges of the index, which are loops of their own now: they cost 25 % of what the loop did
        # index-set-split: this goes one way in each of 2 ranges of the index, which are loops of their own now: they cost 21 % of what the loop did
    "#]].assert_eq(&divided(text));
}

#[test]
fn a_cell_that_all_iterations_read_and_one_writes_divides_the_loop() {
    let text = "\
kernel k(a: f32[n], b: f32[n], n, m):
    for i in range(1, n):
        a[(i + 2)] = (a[m] + b[i])
";
    expect![[r#"
        kernel k(a: f32[n], b: f32[n], n, m):
            let _0 = i32(max(min((i64(m) +% -1), i64(n)), 1))
            for i in range(1, _0):
                a[(i + 2)] = (a[m] + b[i])
            for i_1 in range(_0, n):
                a[(i_1 + 2)] = (a[m] + b[i_1])
        # index-set-split: no iteration of the first part reads in this what this writes there, and all that the second part reads was written before; both are loops of their own now: they cost 22 % of what the loop did
    "#]].assert_eq(&divided(text));
}

#[test]
fn cells_that_meet_in_the_middle_divide_the_loop() {
    let text = "\
kernel k(a: f32[n], b: f32[n], n):
    for i in range(0, n):
        a[i] = (a[((n - i) - 1)] + b[i])
    for j in range(0, n):
        b[((n - 1) - j)] = (b[j] * 2.0)
";
    expect![[r#"
        kernel k(a: f32[n], b: f32[n], n):
            let _0 = i32(max(min((((i64(n) +% -1) // 2) +% 1), i64(n)), 0))
            for i in range(0, _0):
                a[i] = (a[((n - i) - 1)] + b[i])
            for i_1 in range(_0, n):
                a[i_1] = (a[((n - i_1) - 1)] + b[i_1])
            let _1 = i32(max(min((((i64(n) -% 1) // 2) +% 1), i64(n)), 0))
            for j in range(0, _1):
                b[((n - 1) - j)] = (b[j] * 2.0)
            for j_1 in range(_1, n):
                b[((n - 1) - j_1)] = (b[j_1] * 2.0)
        # index-set-split: no iteration of the first part reads in this what this writes there, and all that the second part reads was written before; both are loops of their own now: they cost 27 % of what the loop did
        # index-set-split: no iteration of the first part reads in this what this writes there, and all that the second part reads was written before; both are loops of their own now: they cost 25 % of what the loop did
    "#]].assert_eq(&divided(text));
}

#[test]
fn a_cell_whose_index_is_that_of_a_loop_around_divides_the_loop() {
    let text = "\
kernel k(a: f32[n, n], n):
    for k in range(0, n):
        for i in range(0, n):
            for j in range(0, n):
                a[i, j] = min(a[i, j], (a[i, k] + a[k, j]))
";
    expect![[r#"
        kernel k(a: f32[n, n], n):
            for k in range(0, n):
                for i in range(0, n):
                    let _0 = (k + 1)
                    for j in range(0, _0):
                        a[i, j] = min(a[i, j], (a[i, k] + a[k, j]))
                    for j_1 in range(_0, n):
                        a[i, j_1] = min(a[i, j_1], (a[i, k] + a[k, j_1]))
        # index-set-split: no iteration of the first part reads in this what this writes there, and all that the second part reads was written before; both are loops of their own now: they cost 25 % of what the loop did
    "#]].assert_eq(&divided(text));
}

#[test]
fn loops_that_wait_for_more_than_one_cell_stay_whole() {
    let text = "\
kernel k(a: f32[n], b: f32[n], n, m):
    for i in range(0, n):
        a[i] = (a[(i - 1)] + a[m])
    for j in range(0, n):
        b[j] = (b[(2 * j)] + b[m])
        b[m] = 1.0
";
    expect![[r#"
        kernel k(a: f32[n], b: f32[n], n, m):
            for i in range(0, n):
                a[i] = (a[(i - 1)] + a[m])
            for j in range(0, n):
                b[j] = (b[(2 * j)] + b[m])
                b[m] = 1.0
    "#]]
    .assert_eq(&divided(text));
}
