//! `map`, `reduce`, `scan`, `zip`, `iota` and `replicate`.

use expect_test::expect;

use super::fixture::check;

#[test]
fn map_goes_along_the_first_dimension() {
    check(
        "kernel k(a: i32[3], b: i32[3], m: i32[2, 3], out: i32[3]):
    out[:] = map(\\x y -> x * 10 + y, a, b)
    let sums = map(\\r -> reduce(+, 0, r), m)
    let nested = map(\\r -> map(\\y -> y + sums[0], r), m)
    m[:] = nested
    m[0, :2] = sums
",
        "a = [1, 2, 3]; b = [4, 5, 6]; m = [[1, 2, 3], [4, 5, 6]]; out = [0, 0, 0]",
        expect![[r#"
            m = [6, 15, 9, 10, 11, 12]
            out = [14, 25, 36]
        "#]],
    );
    check(
        "kernel k(m: i32[2, 3], n: i32[2, 3]):
    let sums = map(+, m, n)
    sums[0, 0] = 100
    n[:] = sums
    let rows = map(\\r -> r, m)
    rows[0, 0] = 200
    m[1] = rows[0]
",
        "m = [[1, 2, 3], [4, 5, 6]]; n = [[10, 20, 30], [40, 50, 60]]",
        expect![[r#"
            m = [1, 2, 3, 200, 2, 3]
            n = [100, 22, 33, 44, 55, 66]
        "#]],
    );
}

#[test]
fn map_makes_arrays_of_structs() {
    check(
        "struct P:
    x: f32
    n: i32

kernel k(p: P[3], c: i32[3]):
    let picked = map(\\i -> p[i], c)
    picked[0].n = 100
    let halves = map(\\q -> q if q.n > 2 else p[0], picked)
    p[:] = halves
",
        "p = [(1, 1), (2, 2), (3, 3)]; c = [2, 1, 0]",
        expect![[r#"
            p = [(3.0, 100), (1.0, 1), (1.0, 1)]
        "#]],
    );
}

#[test]
fn rows_that_a_function_gives_have_one_size() {
    check(
        "kernel k(a: i32[n], n: i32) -> i32:
    let triangle = map(\\i -> a[:i], a)
    return triangle[1, 0]
",
        "a = [1, 2, 3]; n = 3",
        expect![[r#"
            error size-mismatch at `map(\i -> a[:i], a)`: two sizes that have to be the same are 1 and 2
        "#]],
    );
    check(
        "kernel k(a: i32[n], n: i32, most: i32) -> i32:
    let square = map(\\i -> iota(min(i, most)), a)
    return reduce(+, 0, map(\\r -> reduce(+, 0, r), square))
",
        "a = [3, 4, 9]; n = 3; most = 3",
        expect![[r#"
            result 9
        "#]],
    );
}

#[test]
fn a_map_over_nothing_has_the_sizes_that_its_type_knows() {
    check(
        "kernel k(a: i32[n], m: i32[n, w], n: i32, w: i32, i: i32) -> i32:
    let rows = map(\\r -> r + 1, m)
    return reduce(+, 0, rows[:, i]) + 5
",
        "a = []; m = []; n = 0; w = 0; i = 0",
        expect![[r#"
            error index-out-of-range at `rows[:, i]`: the index 0 is out of range: the size there is 0
        "#]],
    );
    check(
        "kernel k(a: i32[n], b: i32[w], n: i32, w: i32, i: i32) -> i32:
    let rows = map(\\x -> b + x, a)
    return reduce(+, 0, rows[:, i]) + 5
",
        "a = []; b = [1, 2]; n = 0; w = 2; i = 1",
        expect![[r#"
            result 5
        "#]],
    );
    check(
        "kernel k(a: i32[n], b: i32[w], n: i32, w: i32, i: i32) -> i32:
    let rows = map(\\x -> iota(x), a)
    return reduce(+, 0, rows[:, i]) + 5
",
        "a = []; b = [1, 2]; n = 0; w = 2; i = 1",
        expect![[r#"
            error index-out-of-range at `rows[:, i]`: the index 1 is out of range: the size there is 0
        "#]],
    );
}

#[test]
fn arrays_that_go_together_have_one_size() {
    check(
        "kernel k(a: i32[n], b: i32[m], n: i32, m: i32):
    a[:] = map(+, a, b)
",
        "a = [1, 2]; b = [1, 2, 3]; n = 2; m = 3",
        expect![[r#"
            error size-mismatch at `map(+, a, b)`: two sizes that have to be the same are 2 and 3
        "#]],
    );
    check(
        "kernel k(a: i32[n], b: i32[m], n: i32, m: i32):
    a[:] = map(+, zip(a, b))
",
        "a = [1, 2]; b = [1, 2, 3]; n = 2; m = 3",
        expect![[r#"
            error size-mismatch at `zip(a, b)`: two sizes that have to be the same are 2 and 3
        "#]],
    );
}

#[test]
fn zipped_arrays_are_spread_over_parameters() {
    check(
        "kernel k(a: i32[3], b: i32[3], out: i32[3]):
    out[:] = map(\\x y z w -> x * 1000 + y * 100 + z * 10 + w, zip(a, b), zip(b, a))
    a[0] = reduce(+, 0, map(*, zip(a, b)))
    b[:] = map(\\x y z -> x + y + z, zip(zip(a, b), out))
",
        "a = [1, 2, 3]; b = [4, 5, 6]; out = [0, 0, 0]",
        expect![[r#"
            a = [32, 2, 3]
            b = [1477, 2559, 3672]
            out = [1441, 2552, 3663]
        "#]],
    );
}

#[test]
fn reduce_is_in_order() {
    check(
        "kernel k(a: i32[4], m: i32[2, 2]) -> i32:
    let down = reduce(-, 100, a)
    let most = reduce(max, 0, a)
    let digits = reduce(\\s x -> s * 10 + x, 0, a)
    m[0] = reduce(\\s r -> s + r, m[1], m)
    return down * 100000 + most * 10000 + digits
",
        "a = [1, 2, 3, 4]; m = [[1, 2], [3, 4]]",
        expect![[r#"
            result 9041234
            m = [7, 10, 3, 4]
        "#]],
    );
    check(
        "kernel k(a: f32[n], n: i32) -> f32:
    return reduce(+, 0.0, a)
",
        "a = [1e8, 1, -1e8, 1]; n = 4",
        expect![[r#"
            result 1.0
        "#]],
    );
    check(
        "kernel k(a: i32[n], n: i32) -> i32:
    return reduce(+, 7, a) * 10 + reduce(\\s x -> s / x, 3, a)
",
        "a = []; n = 0",
        expect![[r#"
            result 73
        "#]],
    );
    check(
        "kernel k(a: i8[3]) -> i8:
    return reduce(+, 100, a)
",
        "a = [20, 7, 1]",
        expect![[r#"
            error overflow at `+`: a signed result does not fit its type
        "#]],
    );
    check(
        "kernel k(a: i32[3]) -> i32:
    return reduce(\\s x -> s / x, 100, a)
",
        "a = [5, 0, 1]",
        expect![[r#"
            error division-by-zero at `s / x`: an integer is divided by zero
        "#]],
    );
}

#[test]
fn reduce_has_the_fixed_order_where_it_may() {
    check(
        "@reassoc
kernel k(a: f32[n], n: i32) -> f32:
    return reduce(+, 0.5, a) + 2 * reduce(min, 5.0, a[1:2])
",
        "a = [1e8, 1, -1e8, 1]; n = 4",
        expect![[r#"
            result 4.5
        "#]],
    );
    check(
        "@reassoc
kernel k(n: i32) -> f32:
    let ones = map(\\i -> 1e8 if i == 0 else -1e8 if i == 64 else 1.0, iota(n))
    return reduce(+, 0.0, ones)
",
        "n = 66",
        expect![[r#"
            result 64.0
        "#]],
    );
    check(
        "fn sum_of(a):
    return reduce(+, 0.0, a)

@reassoc
kernel k(a: f32[n], n: i32) -> f32:
    return sum_of(a) + 10 * reduce(\\s x -> s + x, 0.0, a)
",
        "a = [1e8, 1, -1e8, 1]; n = 4",
        expect![[r#"
            result 12.0
        "#]],
    );
}

#[test]
fn scan_keeps_what_it_comes_to() {
    check(
        "kernel k(a: i32[4], m: i32[3, 2]):
    a[:] = scan(+, 100, a)
    m[:] = scan(\\s r -> s + r, m[0], m)
",
        "a = [1, 2, 3, 4]; m = [[1, 2], [3, 4], [5, 6]]",
        expect![[r#"
            a = [101, 103, 106, 110]
            m = [2, 4, 5, 8, 10, 14]
        "#]],
    );
    check(
        "kernel k(a: i32[n], n: i32) -> i32:
    let sums = scan(max, 0, a[1:1])
    return reduce(+, 3, sums)
",
        "a = [1, 2]; n = 2",
        expect![[r#"
            result 3
        "#]],
    );
    check(
        "kernel k(a: i8[3], out: i8[3]):
    out[:] = scan(+, 100, a)
",
        "a = [20, 7, 1]; out = [0, 0, 0]",
        expect![[r#"
            error overflow at `+`: a signed result does not fit its type
        "#]],
    );
}

#[test]
fn iota_and_replicate() {
    check(
        "kernel k(out: i64[4], m: i32[2, 3], n: i64, x: i32):
    out[:] = iota(n) * iota(n)
    m[:] = replicate(2, iota(3) + x)
    m[0, :2] = replicate(2, x)
",
        "out = [0, 0, 0, 0]; m = [[0, 0, 0], [0, 0, 0]]; n = 4; x = 7",
        expect![[r#"
            out = [0, 1, 4, 9]
            m = [7, 7, 9, 7, 8, 9]
        "#]],
    );
    check(
        "struct P:
    x: f32
    n: i32

kernel k(p: P[3], n: i32):
    let copies = replicate(n, p[1])
    copies[0].x = 9
    p[:] = copies
",
        "p = [(1, 1), (2, 2), (3, 3)]; n = 3",
        expect![[r#"
            p = [(9.0, 2), (2.0, 2), (2.0, 2)]
        "#]],
    );
    check(
        "kernel k(n: i32) -> i32:
    return reduce(+, 5, iota(n))
",
        "n = 0",
        expect![[r#"
            result 5
        "#]],
    );
    check(
        "kernel k(n: i32) -> i32:
    return reduce(+, 0, iota(n))
",
        "n = -1",
        expect![[r#"
            error bad-size at `iota(n)`: an array cannot have -1 elements
        "#]],
    );
    check(
        "kernel k(n: i64, x: f32) -> f32:
    return 1 + reduce(+, 0.0, replicate(n - 5, x))
",
        "n = 2; x = 1",
        expect![[r#"
            error bad-size at `replicate(n - 5, x)`: an array cannot have -3 elements
        "#]],
    );
}

#[test]
fn lanes_map_and_reduce_together() {
    check(
        "kernel k(a: i32[n], m: i32[n, 2], out: i32[n], n: i32):
    @lanes(4)
    foreach i in range(n):
        let own = map(\\x -> x * i, a[:i])
        let sums = scan(+, lane_id, own)
        out[i] = reduce(\\s x -> s + x, 0, sums) + reduce_add(1) * 1000
        m[i] = map(\\x y -> x + y, m[i], iota(2) + i)
",
        "a = [1, 2, 3, 4, 5]; m = [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]; out = [0, 0, 0, 0, 0]; n = 5",
        expect![[r#"
            m = [1, 3, 4, 6, 7, 9, 10, 12, 13, 15]
            out = [4000, 4002, 4012, 4039, 1080]
        "#]],
    );
    check(
        "kernel k(a: i32[n], out: i32[n], n: i32):
    @lanes(4)
    foreach i in range(n):
        let own = map(\\x -> 10 / (x - lane_id), a)
        out[i] = own[0]
",
        "a = [9, 7, 2]; out = [0, 0, 0]; n = 3",
        expect![[r#"
            error division-by-zero at `10 / (x - lane_id)`, i = 2, lane 2: an integer is divided by zero
        "#]],
    );
    check(
        "kernel k(a: i32[n], out: i32[n], n: i32):
    @lanes(4)
    foreach i in range(n):
        out[i] = reduce(+, 0, iota(1 - lane_id))
",
        "a = [9, 7, 2]; out = [0, 0, 0]; n = 3",
        expect![[r#"
            error bad-size at `iota(1 - lane_id)`, i = 2, lane 2: an array cannot have -1 elements
        "#]],
    );
}

#[test]
fn arrays_are_written_down() {
    check(
        "kernel k(a: i32[3], m: i32[2, 3], x: i32):
    a[:] = [x, x + 1, a[0]]
    m[:] = [a, [1, 2, 3] * x]
    let row = [a[:2], a[1:]]
    row[0, 0] = 100
    m[0, 1:] = row[1]
",
        "a = [1, 2, 3]; m = [[0, 0, 0], [0, 0, 0]]; x = 7",
        expect![[r#"
            a = [7, 8, 1]
            m = [7, 8, 1, 7, 14, 21]
        "#]],
    );
    check(
        "kernel k(a: i32[n], n: i32, i: i32) -> i32:
    return [a[:i], a[1:]][1, 0]
",
        "a = [1, 2, 3]; n = 3; i = 1",
        expect![[r#"
            error size-mismatch at `[a[:i], a[1:]]`: two sizes that have to be the same are 1 and 2
        "#]],
    );
}

#[test]
fn a_loop_goes_over_elements_and_rows() {
    check(
        "kernel k(a: i32[4], m: i32[2, 2], out: i32[4]) -> i32:
    let s = 0
    for x in a[::-1]:
        if x == 1:
            continue
        s = s * 10 + x
    for r in m:
        r[0] += s
    for x in a:
        a[3] = 9
        if x == 9:
            break
        out[x] = x
    return s
",
        "a = [0, 1, 2, 3]; m = [[1, 2], [3, 4]]; out = [7, 7, 7, 7]",
        expect![[r#"
            result 320
            a = [0, 1, 2, 9]
            m = [321, 2, 323, 4]
            out = [0, 1, 2, 7]
        "#]],
    );
    check(
        "kernel k(a: i32[3]) -> i32:
    let s = 0
    for x in a:
        s += 6 / x
    return s
",
        "a = [2, 0, 3]",
        expect![[r#"
            error division-by-zero at `6 / x`, x = 1: an integer is divided by zero
        "#]],
    );
    check(
        "@reassoc
kernel k(n: i32) -> f32:
    let ones = map(\\i -> 1e8 if i == 0 else -1e8 if i == 64 else 1.0, iota(n))
    let s = 0.0
    for x in ones:
        s += x
    return s
",
        "n = 66",
        expect![[r#"
            result 64.0
        "#]],
    );
    check(
        "kernel k(a: i32[n], out: i32[n], n: i32):
    @lanes(4)
    foreach i in range(n):
        let s = lane_id
        for x in a[:i]:
            s += x * reduce_add(1)
        out[i] = s
",
        "a = [1, 2, 3, 4, 5]; out = [0, 0, 0, 0, 0]; n = 5",
        expect![[r#"
            out = [0, 4, 9, 13, 10]
        "#]],
    );
}

#[test]
fn length_is_the_size_of_a_dimension() {
    check(
        "kernel k(a: i32[n], m: f64[2, w], n: i32, w: i32) -> i64:
    return length(m, 1) * 1000 + length(a + 1) * 100 + length([1, 2])
",
        "a = [1, 2, 3]; m = [[1, 2, 3, 4], [5, 6, 7, 8]]; n = 3; w = 4",
        expect![[r#"
            result 4302
        "#]],
    );
}

#[test]
fn a_mean_is_a_float_of_the_elements_type() {
    check(
        "kernel k(a: f32[n], b: f64[m], none: f32[0], n: i32, m: i32) -> bool:
    a[0] = mean(a) + mean(a[:2])
    b[:] = mean(b)
    return isnan(mean(none))
",
        "a = [1, 2, 4.5]; b = [0.1, 0.2]; none = []; n = 3; m = 2",
        expect![[r#"
            result true
            a = [4.0, 2.0, 4.5]
            b = [0.15000000000000002, 0.15000000000000002]
        "#]],
    );
}

#[test]
fn numbers_at_equal_distances_end_where_they_shall() {
    check(
        "kernel k(a: f32[4], b: f64[1], c: f32[11], n: i64):
    a[:] = linspace(1, -2, n)
    b[:] = linspace(7, 9, n - 3)
    c[:] = linspace(0, 0.1, 11)
    assert length(linspace(1.0, 2.0, n - 4)) == 0
",
        "a = [0, 0, 0, 0]; b = [0]; c = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]; n = 4",
        expect![[r#"
            a = [1.0, 0.0, -1.0, -2.0]
            b = [7.0]
            c = [0.0, 0.01, 0.02, 0.03, 0.04, 0.049999997, 0.06, 0.07, 0.08, 0.089999996, 0.1]
        "#]],
    );
}

#[test]
fn a_value_takes_the_type_of_another() {
    check(
        "fn half(x, n):
    return x * cast_like(n, x) / cast_like(2, x)

kernel k(a: f32[2], b: u8[2], n: i32) -> f64:
    a[:] = map(\\x -> half(x, n), a)
    b[:] = cast_like(n + 256, b)
    a[1] += cast_like(b[0], a[0])
    return half(1.0, 3) + f64(cast_like(2.9, n))
",
        "a = [1, 2]; b = [0, 0]; n = 3",
        expect![[r#"
            result 3.5
            a = [1.5, 6.0]
            b = [3, 3]
        "#]],
    );
    check(
        "kernel k(a: f32[1], n: i8) -> i8:
    return cast_like(a[0], n)
",
        "a = [128]; n = 3",
        expect![[r#"
            error cast-out-of-range at `cast_like(a[0], n)`: a float does not fit the integer type it is converted to
        "#]],
    );
}

#[test]
fn functions_of_scalars_go_over_arrays() {
    check(
        "kernel k(a: f32[3], b: i32[3], c: bool[3]):
    let d = select(c, a, 0.5)
    a[:] = max(sqrt(a), d) + f32(b) * exp(a - a)
    b[:] = i32(c) + abs(b)
",
        "a = [1, 4, 9]; b = [-1, 2, -3]; c = [true, false, true]",
        expect![[r#"
            a = [0.0, 4.0, 6.0]
            b = [2, 2, 4]
        "#]],
    );
    check(
        "kernel k(a: f32[n], b: f32[m], n: i32, m: i32):
    a[:] = max(a, b)
",
        "a = [1, 2]; b = [1, 2, 3]; n = 2; m = 3",
        expect![[r#"
            error size-mismatch at `b`: two sizes that have to be the same are 2 and 3
        "#]],
    );
    check(
        "kernel k(a: i8[2], out: i8[2]):
    out[:] = abs(a)
",
        "a = [-1, -128]; out = [0, 0]",
        expect![[r#"
            error overflow at `abs(a)`: a signed result does not fit its type
        "#]],
    );
}

#[test]
fn functions_of_the_file_go_over_arrays() {
    check(
        "fn square(x):
    return x * x

fn near(x: f32, y: f32, most: f32) -> bool:
    assert most >= 0
    return abs(x - y) <= most

kernel k(a: f32[3], m: f32[2, 2], b: bool[3]):
    b[:] = near(a, square(a), 2.5)
    a[:] = square(a + square(1.0))
    m[:] = square(m)
",
        "a = [1, 2, -3]; m = [[1, 2], [3, 4]]; b = [false, false, false]",
        expect![[r#"
            a = [4.0, 9.0, 4.0]
            m = [1.0, 4.0, 9.0, 16.0]
            b = [true, true, false]
        "#]],
    );
    check(
        "fn plus(x, y):
    return x + y

kernel k(a: f32[n], b: f32[m], n: i32, m: i32):
    a[:] = plus(a, b)
",
        "a = [1, 2]; b = [1, 2, 3]; n = 2; m = 3",
        expect![[r#"
            error size-mismatch at `b`: two sizes that have to be the same are 2 and 3
        "#]],
    );
}
