//! Views and new arrays: which names stand for one array, and which for one of their own.

use expect_test::expect;

use super::fixture::check;

#[test]
fn an_operation_makes_a_new_array_and_a_name_stands_for_the_old_one() {
    check(
        "kernel k(a: i32[3], b: i32[3]):
    let same = a
    let part = a[1:]
    let new = a + 0
    let copy = +a
    same[0] = 10
    part[0] = 20
    new[0] = 30
    copy[1] = 40
    b[:] = new + copy
",
        "a = [1, 2, 3]; b = [0, 0, 0]",
        expect![[r#"
            a = [10, 20, 3]
            b = [31, 42, 6]
        "#]],
    );
}

#[test]
fn an_assignment_to_a_variable_names_another_array() {
    check(
        "kernel k(a: i32[2], b: i32[2]):
    let x = a
    let old = x
    x = b
    x[0] = 7
    old[1] = 8
    x = x + 1
    x[1] = 9
    b[1] = x[0]
",
        "a = [1, 2]; b = [3, 4]",
        expect![[r#"
            a = [1, 8]
            b = [7, 8]
        "#]],
    );
}

#[test]
fn an_updating_assignment_stores_into_the_array() {
    check(
        "kernel k(a: i32[2], b: i32[2]):
    let x = a
    x += b
    x *= 2
    x = b
    x -= 1
",
        "a = [1, 2]; b = [3, 4]",
        expect![[r#"
            a = [8, 12]
            b = [2, 3]
        "#]],
    );
}

#[test]
fn array_variables_are_updated_in_ifs_and_loops() {
    check(
        "kernel k(a: i32[n], n: i32, c: bool) -> i32:
    let x = a
    if c:
        x = a * 10
    else:
        x = a[::-1]
    for i in range(2):
        x = x + i
        if i == 1:
            x = x[::-1]
    while reduce(+, 0, x) < 100:
        x = x * 2
    return reduce(+, 0, x)
",
        "a = [1, 2, 3]; n = 3; c = true",
        expect![[r#"
            result 126
        "#]],
    );
    check(
        "kernel k(a: i32[n], n: i32, c: bool) -> i32:
    let x = a
    if c:
        x = a * 10
    else:
        x = a[::-1]
    x[0] = 5
    return x[2]
",
        "a = [1, 2, 3]; n = 3; c = false",
        expect![[r#"
            result 1
            a = [1, 2, 5]
        "#]],
    );
}

#[test]
fn a_variable_keeps_the_size_that_is_written() {
    check(
        "kernel k(a: i32[n], n: i32, m: i32):
    let x: i32[m] = a[:2]
    x = a[1:]
    x[0] = 7
",
        "a = [1, 2, 3]; n = 3; m = 2",
        expect![[r#"
            a = [1, 7, 3]
        "#]],
    );
    check(
        "kernel k(a: i32[n], n: i32, m: i32):
    let x: i32[m] = a[:2]
    x = a[m:]
    x[0] = 7
",
        "a = [1, 2, 3]; n = 3; m = 2",
        expect![[r#"
            error size-mismatch at `a[m:]`: two sizes that have to be the same are 1 and 2
        "#]],
    );
}

#[test]
fn sizes_that_have_to_be_equal_are_checked() {
    let text = "kernel k(a: i32[n], b: i32[m], n: i32, m: i32):
    let x = a
    x = b
    x[0] = 7
";
    check(
        text,
        "a = [1, 2]; b = [3, 4]; n = 2; m = 2",
        expect![[r#"
        b = [7, 4]
    "#]],
    );
    check(
        text,
        "a = [1, 2]; b = [3]; n = 2; m = 1",
        expect![[r#"
            error size-mismatch at `b`: two sizes that have to be the same are 1 and 2
        "#]],
    );
    let text = "kernel k(a: i32[n], b: i32[m], n: i32, m: i32):
    let f = \\r -> map(\\x -> x * 2, r)
    a[:] = f(a)
    b[:] = f(b)
";
    check(
        text,
        "a = [1, 2]; b = [3, 4]; n = 2; m = 2",
        expect![[r#"
        a = [2, 4]
        b = [6, 8]
    "#]],
    );
    check(
        text,
        "a = [1, 2]; b = [3]; n = 2; m = 1",
        expect![[r#"
            a = [2, 4]
            error size-mismatch at `b`: two sizes that have to be the same are 1 and 2
        "#]],
    );
}

#[test]
fn a_choice_is_one_of_the_two() {
    check(
        "kernel k(a: i32[2], b: i32[2], c: bool):
    let x = a if c else b
    x[0] = 10
",
        "a = [1, 2]; b = [3, 4]; c = false",
        expect![[r#"
            b = [10, 4]
        "#]],
    );
    check(
        "kernel k(a: i32[n], b: i32[n], n: i32):
    @lanes(2)
    foreach i in range(n):
        let x = a if i % 2 == lane_id - lane_id else b
        x[i] += 10
",
        "a = [1, 2, 3]; b = [4, 5, 6]; n = 3",
        expect![[r#"
            a = [11, 2, 13]
            b = [4, 15, 6]
        "#]],
    );
}

#[test]
fn functions_give_arrays_from_several_places() {
    check(
        "fn either(a: i32[len], b: i32[len], c):
    if c:
        return a
    return a + b

kernel k(a: i32[2], b: i32[2]):
    let x = either(a, b, true)
    x[0] = 10
    let y = either(a, b, false)
    y[0] = 20
    b[1] = y[0] + y[1]
",
        "a = [1, 2]; b = [3, 4]",
        expect![[r#"
            a = [10, 2]
            b = [3, 26]
        "#]],
    );
    check(
        "fn rows(m: i32[n, k], wanted: i32[len]) -> i32[len, k]:
    return map(\\i -> m[i], wanted)

kernel k(m: i32[2, 3], w: i32[3]) -> i32:
    let picked = rows(m, w)
    picked[0, 0] = 100
    return picked[2, 2]
",
        "m = [[1, 2, 3], [4, 5, 6]]; w = [0, 1, 1]",
        expect![[r#"
            result 6
        "#]],
    );
    check(
        "fn halved(a: i32[len]) -> i32[len / 2]:
    return a[:len - 1]

kernel k(a: i32[n], n: i32):
    a[0] = halved(a)[0]
",
        "a = [1, 2, 3, 4]; n = 4",
        expect![[r#"
            error size-mismatch at `a[:len - 1]` in halved: two sizes that have to be the same are 2 and 3
        "#]],
    );
}
