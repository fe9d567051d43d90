//! What becomes of arrays, and why.

use expect_test::{Expect, expect};

use facts::dependence::DependenceLimits;
use ir::codes::ReasonCode;

use super::sequential;
use crate::decision::Decision;

/// Compares the loops that a kernel becomes, and the decisions about its arrays.
fn check(text: &str, expected: Expect) {
    let kernels = ir::read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let done = sequential(&kernels[0], &DependenceLimits::default());
    ir::verify(&done.kernel).unwrap_or_else(|violations| panic!("{violations:?}"));
    let mut out = ir::print(&done.kernel).text;
    for decision in &done.decisions {
        let because: Vec<String> = decision.because.iter().map(ToString::to_string).collect();
        out.push_str(&format!("{}: {}\n", decision.code.name(), because.join(" ")));
    }
    expected.assert_eq(&out);
}

#[test]
fn one_loop_computes_what_several_assignments_need() {
    check(
        "kernel k(x: f32[n], y: f32[n], n: i32):
    let d: f32[n] = sqrt(x)
    let p: f32[n] = (y + d)
    assign(x, p)
    let q: f32[n] = (y - d)
    assign(y, q)
",
        expect![[r#"
            kernel k(x: f32[n], y: f32[n], n):
                for i in range(0, n):
                    let _0 = y[i]
                    let _1 = sqrt(x[i])
                    let _2 = y[i]
                    x[i] = (_0 + _1)
                    y[i] = (_2 - _1)
            array-fused: its elements are computed where they are used
            array-fused: its elements are computed where they are used
            array-fused: its elements are computed where they are used
            array-fused: one loop stores this and this since both are computed from one array
            array-fused: one loop stores this and this since both are computed from one array
        "#]],
    );
}

#[test]
fn what_is_read_anew_keeps_assignments_apart() {
    check(
        "kernel k(x: f32[n], y: f32[n], n: i32):
    let d: f32[n] = sqrt(y)
    let p: f32[n] = (y + d)
    assign(x, p)
    let q: f32[n] = (x - d)
    assign(y, q)
",
        expect![[r#"
            kernel k(x: f32[n], y: f32[n], n):
                let d = temp(index(n), type=f32)
                for i in range(0, n):
                    d[i] = sqrt(y[i])
                for i_1 in range(0, n):
                    x[i_1] = (y[i_1] + d[i_1])
                for i_2 in range(0, n):
                    y[i_2] = (x[i_2] - d[i_2])
            array-stored: its elements are used more than once, and cost more to compute again than to keep , and it is not built where it is assigned to, because it is computed from the same array, in this , so it takes temporary memory for `f32[n]`
            array-fused: its elements are computed where they are used
            array-fused: its elements are computed where they are used
        "#]],
    );
}

#[test]
fn a_loop_computes_what_it_carries_in_place() {
    check(
        "kernel k(a: f32[n], n: i32, steps: i32):
    let x: f32[n] = (a * 2.0)
    let y = for k in range(0, steps) with x_1 = x:
        let z: f32[n] = (x_1 + 1.0)
        yield z
    assign(a, y)
",
        expect![[r#"
            kernel k(a: f32[n], n, steps):
                let x = temp(index(n), type=f32)
                for i in range(0, n):
                    x[i] = (a[i] * 2.0)
                for k in range(0, steps):
                    for j in range(0, n):
                        x[j] = (x[j] + 1.0)
                for i_1 in range(0, n):
                    a[i_1] = x[i_1]
            array-stored: a branch or loop gives it , so it takes temporary memory for `f32[n]`
            array-fused: its elements are computed where they are used
            array-in-place: it is stored while it is computed: no iteration reads what an earlier one has written
        "#]],
    );
}

#[test]
fn two_halves_change_places() {
    check(
        "kernel k(a: f32[n], n: i32, steps: i32):
    let x: f32[n] = (a * 2.0)
    let y = for k in range(0, steps) with x_1 = x:
        let numbers: i32[n] = iota(n)
        let z: f32[n] = map i in numbers:
            yield (x_1[max((i - 1), 0)] + x_1[i])
        yield z
    assign(a, y)
",
        expect![[r#"
            kernel k(a: f32[n], n, steps):
                let x = temp(i64(2), index(n), type=f32)
                for i in range(0, n):
                    x[i64(0), i] = (a[i] * 2.0)
                let _0 = for k in range(0, steps) with turn = i64(0):
                    let _1 = (i64(1) - turn)
                    for i_1 in range(0, n):
                        x[_1, i_1] = (x[turn, max((i_1 - 1), 0)] + x[turn, i_1])
                    yield _1
                for i_2 in range(0, n):
                    a[i_2] = x[_0, i_2]
            array-stored: a branch or loop gives it , so it takes temporary memory for twice `f32[n]`
            array-fused: its elements are computed where they are used
            array-in-place: it is built in the other half of the memory that the loop carries it in, so nothing is copied
        "#]],
    );
}

#[test]
fn a_reversed_array_is_computed_where_it_is_used() {
    check(
        "kernel k(a: f32[n], b: f32[n], n: i32):
    let roots: f32[n] = sqrt(a)
    let numbers: i32[n] = iota(n)
    let back: f32[n] = map i in numbers:
        yield roots[((n - 1) - i)]
    assign(b, back)
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], n):
                for i in range(0, n):
                    b[i] = sqrt(a[((n - 1) - i)])
            array-fused: its elements are computed where they are used
            array-fused: its elements are computed where they are used
            array-fused: its elements are computed where they are used
        "#]],
    );
}

/// The reason why a running sum is not built in the row that it is assigned to.
fn check_obstacle(rest: &str, expected: Expect) {
    let text = format!(
        "kernel k(y: i32[m, n], k: i32, m: i32, n: i32):
    let numbers: i32[n] = iota(n)
    let r: i32[n] = scan x in numbers with s = 0:
        yield (s + x)
{rest}"
    );
    let kernels = ir::read(&text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let done = sequential(&kernels[0], &DependenceLimits::default());
    let said = |decision: &Decision| decision.because.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let said: Vec<String> =
        done.decisions.iter().filter(|decision| decision.code != ReasonCode::ArrayFused).map(said).collect();
    let said = said.join("; ");
    let because = said.split_once("because ").and_then(|(_, because)| because.split_once(" , so")).map(|parts| parts.0);
    expected.assert_eq(because.unwrap_or(&said));
}

#[test]
fn what_keeps_an_array_from_its_place_is_said() {
    let in_place = "    let row = row(y, k)\n    assign(row, r)\n";
    check_obstacle(in_place, expect!["it is built in `y`"]);
    check_obstacle(
        "    let row = row(y, k)\n    assign(row, r)\n    y[0, 0] = r[1]\n",
        expect!["it is used after that, in this"],
    );
    check_obstacle(
        "    y[0, 0] = 1\n    let row = row(y, k)\n    assign(row, r)\n",
        expect!["what is there is used in between, in this"],
    );
    check_obstacle(
        "    let row = row(y, r[1])\n    assign(row, r)\n",
        expect!["which cells those are is only known once it is made: this"],
    );
    check_obstacle(
        "    let row = row(y, k)\n    assign(row, r)\n    let next = row(y, (k + 1))\n    assign(next, r)\n",
        expect!["it is assigned to a second place, too: this"],
    );
    check_obstacle(
        "    if (k > 0):\n        let row = row(y, k)\n        assign(row, r)\n",
        expect!["that is done in a block that may not be run, or more than once: this"],
    );
    check_obstacle(
        "    let row = row(y, k)\n    let part = slice(r, 0, n, 1)\n    assign(row, part)\n",
        expect!["only a part of it is: this"],
    );
    check_obstacle(
        "    let back: i32[n] = map i in numbers:\n        yield r[((n - 1) - i)]\n    let row = row(y, k)\n    assign(row, back)\n",
        expect!["its elements are taken in another order there: this"],
    );
}
