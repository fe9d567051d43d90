//! Variables, branches, loops.

use expect_test::expect;

use super::fixture::check;

#[test]
fn variables_are_updated() {
    check(
        "kernel k(a: i32[n], n: i32) -> i32:
    let s = 0
    for i in range(n):
        s += a[i] * 10
        s -= 1
    if s > 5:
        t = s / 2
        s = t
    return s
",
        "a = [1, 2, 3]; n = 3",
        expect![[r#"
            result 28
        "#]],
    );
}

#[test]
fn ranges_count_up_and_down_and_never_leave_their_type() {
    check(
        "kernel k(a: i32[8]) -> i32:
    let at = 0
    for i in range(3, 8, 2):
        a[at] = i
        at += 1
    for i in range(5, 0, -2):
        a[at] = i
        at += 1
    for i in range(3, 3):
        at = 100
    for i in range(0, 5, -1):
        at = 100
    let last: u8 = 0
    let from: u8 = 250
    for i in range(from, 255, 4):
        last = i
        at += 1
    return at * 1000 + i32(last)
",
        "a = [0, 0, 0, 0, 0, 0, 0, 0]",
        expect![[r#"
            result 8254
            a = [3, 5, 7, 5, 3, 1, 0, 0]
        "#]],
    );
    check(
        "kernel k(step: i32):
    for i in range(0, 10, step):
        pass
",
        "step = 0",
        expect![[r#"
            error zero-step at `step`: a step of 0 never gets anywhere
        "#]],
    );
}

#[test]
fn loops_are_left_and_iterations_skipped() {
    check(
        "kernel k(a: i32[n], n: i32) -> i32:
    let s = 0
    for i in range(n):
        if a[i] < 0:
            continue
        elif a[i] == 0:
            break
        else:
            s += a[i]
        for j in range(10):
            if j == 2:
                break
            s += 100
    return s
",
        "a = [1, -5, 2, 0, 7]; n = 5",
        expect![[r#"
            result 403
        "#]],
    );
    check(
        "kernel k(a: i32[n], n: i32) -> i32:
    for i in range(n):
        let j = 0
        while true:
            if a[i] == j:
                return i * 10 + j
            j += 1
            if j > 3:
                break
    return -1
",
        "a = [9, 9, 2]; n = 3",
        expect![[r#"
            result 22
        "#]],
    );
    check(
        "kernel k(n: i32) -> i32:
    let x = n
    let steps = 0
    while x != 1 and steps < 100:
        steps += 1
        if x % 2 == 0:
            x /= 2
            continue
        x = 3 * x + 1
    return steps
",
        "n = 7",
        expect![[r#"
            result 16
        "#]],
    );
}

#[test]
fn coherent_forms_mean_the_same() {
    check(
        "kernel k(a: f32[n], n: i32):
    cfor i in range(n):
        cif a[i] > 1:
            let x = a[i]
            cwhile x > 1:
                x /= 2
            a[i] = x
        else:
            pass
",
        "a = [0.5, 3, 8]; n = 3",
        expect![[r#"
            a = [0.5, 0.75, 1.0]
        "#]],
    );
}

#[test]
fn asserts_and_runs_without_end() {
    check(
        "kernel k(a: i32[n], n: i32):
    for i in range(n):
        assert a[i] != 3
        a[i] = 0
",
        "a = [1, 3, 1]; n = 3",
        expect![[r#"
            a = [0, 3, 1]
            error assert-failed at `a[i] != 3`, i = 1: what is asserted does not hold
        "#]],
    );
    check(
        "kernel k():
    while true:
        pass
",
        "",
        expect![[r#"
            error out-of-fuel at `pass`: the run has used up its fuel
        "#]],
    );
}
