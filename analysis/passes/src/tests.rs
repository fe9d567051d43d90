//! Tests of each pass: the code it changes, and the code it leaves alone.

use expect_test::{Expect, expect};

use super::{CSE, Context, DCE, DEMANDED_LANES, FOLD, HOIST, LOAD_REUSE, MERGE_BRANCHES, Pass};
use crate::pipeline::Options;
use ir::{canonical, print, read, verify};

fn check(pass: Pass, text: &str, expect: Expect) {
    let mut kernel = read(text, Some(8)).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let before = canonical(&kernel);
    let changed = pass.apply(&mut kernel, &mut Context::new(&Options::default()));
    assert_eq!(verify(&kernel), Ok(()));
    assert_eq!(changed, canonical(&kernel) != before, "whether it changed anything");
    expect.assert_eq(&print(&kernel).text);
}

#[test]
fn indices_are_widened_before_there_are_lanes_of_them() {
    check(
        FOLD,
        "\
kernel f(o: i64[?], p: u8[?], q: f64[?], n):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        vector_store(o, base, i64(i))
        vector_store(o, base, i64(lane_index(base, 3)))
        vector_store(p, base, u8(i))
        vector_store(q, base, f64(i))
",
        expect![[r#"
            kernel f(o: i64[?], p: u8[?], q: f64[?], n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    vector_store(o, base, (i64(base) + lane_id))
                    let _0 = lane_index(base, 3)
                    vector_store(o, base, lane_index(i64(base), 3))
                    vector_store(p, base, u8(i))
                    vector_store(q, base, f64(i))
        "#]],
    );
}

#[test]
fn what_is_known_is_computed() {
    check(
        FOLD,
        "\
kernel f(a: f32[12], n, x) -> f32:
    let size = size(a)
    let i = i32((size - 2))
    a[i] = ((x * 1.0) + -0.0)
    a[0] = (x + 0.0)
    a[(n + 0)] = (f32((2 + 3)) * x)
    a[1] = select((1 < 2), x, a[3])
    a[2] = f32(((n * 1) / 1))
    let never = (1 / 0)
    let over = (2147483647 + 1)
    let low = (200 << 40)
    assert(true)
    return x
",
        expect![[r#"
            kernel f(a: f32[12], n, x) -> f32:
                a[10] = x
                a[0] = (x + 0.0)
                a[n] = (5.0 * x)
                let _0 = a[3]
                a[1] = x
                a[2] = f32(n)
                let never = (1 / 0)
                let over = (2147483647 + 1)
                let low = (200 << 40)
                return x
        "#]],
    );
}

#[test]
fn elements_of_constant_arrays_are_known() {
    check(
        FOLD,
        "\
kernel f(a: i32[n], n):
    let t = table(2, 3, i32=[7, 8, 9, 10, 11, 12])
    a[0] = t[1, 2]
    a[1] = i32(size(t, dim=1))
    a[2] = t[n, 0]
    a[3] = t[1, 3]
    a[4] = row(t, 1)[0]
",
        expect![[r#"
            kernel f(a: i32[n], n):
                let t = table(2, 3, i32=[7, 8, 9, 10, 11, 12])
                a[0] = 12
                a[1] = 3
                a[2] = t[n, 0]
                a[3] = t[1, 3]
                a[4] = row(t, 1)[0]
        "#]],
    );
}

#[test]
fn branches_and_loops_that_are_decided_go() {
    check(
        FOLD,
        "\
kernel f(a, n) -> f32:
    let y = if (2 > 1):
        let x = a[0]
        yield (x * 2.0)
    else:
        a[1] = 3.0
        yield 0.0
    let z = for i in range(5, 5) with s = y:
        yield (s + a[i])
    let w = for i_1 in range(0, n, 0) with t = z:
        yield a[i_1]
    if (1 > 2):
        a[3] = 1.0
    return (z + w)
",
        expect![[r#"
            kernel f(a, n) -> f32:
                let x = a[0]
                let y = (x * 2.0)
                let w = for i_1 in range(0, n, 0) with t = y:
                    yield a[i_1]
                return (y + w)
        "#]],
    );
}

#[test]
fn equal_values_are_shared_where_the_first_is_in_scope() {
    check(
        CSE,
        "\
kernel f(a: i32[?], n, k) -> i32:
    if (n > 0):
        a[0] = (n * k)
    let p = (n * k)
    let q = (k * n)
    let d = (n - k)
    let e = (k - n)
    for i in range(0, n):
        a[i] = ((n * k) + (d - e))
        a[(i + 1)] = ((i + 1) + (n * k))
    let x = a[0]
    a[1] = x
    let y = a[0]
    let t = temp(n, type=i32)
    let u = temp(n, type=i32)
    t[0] = u[0]
    return (((p + q) + x) + y)
",
        expect![[r#"
            kernel f(a, n, k) -> i32:
                if (n > 0):
                    a[0] = (n * k)
                let p = (n * k)
                let d = (n - k)
                let e = (k - n)
                for i in range(0, n):
                    a[i] = (p + (d - e))
                    let _0 = (i + 1)
                    a[_0] = (_0 + p)
                let x = a[0]
                a[1] = x
                let y = a[0]
                let t = temp(n, type=i32)
                let u = temp(n, type=i32)
                t[0] = u[0]
                return (((p + p) + x) + y)
        "#]],
    );
}

#[test]
fn invariants_leave_their_loops_unless_they_may_fail() {
    check(
        HOIST,
        "\
kernel f(a, b: i32[?], n, k, x, y):
    for i in range(0, n):
        let scale = (x * y)
        let sum = (n + k)
        for j in range(0, k):
            let both = (scale + sqrt(x))
            let fixed = b[0]
            a[j] = (both + f32((sum / fixed)))
        if (x > y):
            a[i] = (x - y)
    vector_for base in range(0, n, LANES):
        let start = splat((x - y))
        let tens = (splat(10) / splat(k))
        let lane = (base + lane_id)
        vector_store(a, lane, (start + f32((tens + lane))))
    let last = while (s < (x * 2.0)) with s = x:
        let step = (y / x)
        yield (s + step)
    a[0] = last
",
        expect![[r#"
            kernel f(a, b, n, k, x, y):
                let scale = (x * y)
                let both = (scale + sqrt(x))
                let _0 = (x > y)
                for i in range(0, n):
                    let sum = (n + k)
                    for j in range(0, k):
                        let fixed = b[0]
                        a[j] = (both + f32((sum / fixed)))
                    if _0:
                        a[i] = (x - y)
                let start = splat((x - y))
                let tens = (splat(10) / splat(k))
                vector_for base in range(0, n, LANES):
                    let lane = (base + lane_id)
                    vector_store(a, lane, (start + f32((tens + lane))))
                let _1 = (x * 2.0)
                let step = (y / x)
                let last = while (s < _1) with s = x:
                    yield (s + step)
                a[0] = last
        "#]],
    );
}

#[test]
fn what_nobody_uses_goes_unless_it_may_fail() {
    check(
        DCE,
        "\
kernel f(a, b: i32[?], n, x) -> f32:
    let unused = (x * x)
    let chain = sqrt(unused)
    let may_fail = (n + 1)
    let read_only = a[0]
    for i in range(0, n):
        let inner = (x + x)
    for i_1 in range(0, n):
        let over = (i_1 * n)
    let s, t, u = for i_2 in range(0, n) with s0 = 0.0, t0 = x, u0 = x:
        yield (s0 + x), (x * 2.0), (u0 * 2.0)
    let p, q = if (n > 3):
        yield (x * 3.0), x
    else:
        yield x, (x * 4.0)
    let w = while (w0 < 3.0) with w0 = x:
        yield (w0 + 1.0)
    return (s + q)
",
        expect![[r#"
            kernel f(a, b: i32[?], n, x) -> f32:
                let may_fail = (n + 1)
                let read_only = a[0]
                for i_1 in range(0, n):
                    let over = (i_1 * n)
                let s, u = for i_2 in range(0, n) with s0 = 0.0, u0 = x:
                    yield (s0 + x), (u0 * 2.0)
                let q = if (n > 3):
                    yield x
                else:
                    yield (x * 4.0)
                let w = while (w0 < 3.0) with w0 = x:
                    yield (w0 + 1.0)
                return (s + q)
        "#]],
    );
}

#[test]
fn slices_alike_have_one_size() {
    check(
        CSE,
        "\
kernel k(a: f32[n], b: f32[n], c: f32[m], d: f32[n, m], n, m, i, s):
    let x = slice(a, i, (i + 4), s)
    let y = slice(b, i, (i + 4), s)
    let z = slice(c, i, (i + 4), s)
    let r = slice(row(d, i), i, (i + 4), s)
    let w = slice(a, i, (i + 5), s)
    assert_size(size(x), size(y))
    assert_size(size(z), size(r))
    assert_size(size(x), size(z))
    assert_size(size(x), size(w))
    x[0] = y[0]
    z[0] = r[0]
    w[0] = 1.0
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], c: f32[m], d: f32[n, m], n, m, i, s):
                let _0 = (i + 4)
                let x = slice(a, i, _0, s)
                let y = slice(b, i, _0, s)
                let z = slice(c, i, _0, s)
                let r = slice(row(d, i), i, _0, s)
                let w = slice(a, i, (i + 5), s)
                let _1 = size(x)
                assert_size(_1, _1)
                let _2 = size(z)
                assert_size(_2, _2)
                assert_size(_1, _2)
                assert_size(_1, size(w))
                x[0] = y[0]
                z[0] = r[0]
                w[0] = 1.0
        "#]],
    );
    // Fields have dimensions of their own.
    check(
        CSE,
        "\
struct S:
    f: i32[3]
    g: i32[2]

kernel k(a: S[n], b: S[n], o: i64[4], n):
    o[0] = size(a.f)
    o[1] = size(b.g)
    o[2] = size(a.f, dim=1)
    o[3] = size(a.g, dim=1)
",
        expect![[r#"
            struct S:
                f: i32[3]
                g: i32[2]

            kernel k(a: S[n], b: S[n], o: i64[4], n):
                let _0 = a.f
                let _1 = size(_0)
                o[0] = _1
                let _2 = b.g
                o[1] = _1
                o[2] = size(_0, dim=1)
                o[3] = size(a.g, dim=1)
        "#]],
    );
    // A row of each lane has a size in each lane.
    check(
        CSE,
        "\
kernel k(a: f32[n, m], b: i64[2], n, m):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let active = (i < n)
        let x = row(a, i)
        let y = row(a, 0)
        b[0] = reduce_add(size(x))
        b[1] = size(y)
",
        expect![[r#"
            kernel k(a: f32[n, m], b: i64[2], n, m):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = row(a, i)
                    let y = row(a, 0)
                    b[0] = reduce_add(size(x))
                    b[1] = size(y)
        "#]],
    );
}

#[test]
fn what_asks_the_active_lanes_stays_in_its_block() {
    let text = "\
kernel f(a: i32[?], n, c: bool):
    foreach i in range(0, n) in 4 lanes:
        let x = a[i]
        let everywhere = reduce_add(x)
        a[i] = reduce_add(x)
        for j in range(0, x):
            let id = lane_id
            let some = reduce_max(x)
            let wide = (n *% n)
            if (x > 2):
                a[i] = (reduce_add(x) + reduce_max(x))
            a[i] = (((everywhere + some) + id) + wide)
";
    check(
        CSE,
        text,
        expect![[r#"
            kernel f(a, n, c: bool):
                foreach i in range(0, n) in 4 lanes:
                    let x = a[i]
                    let everywhere = reduce_add(x)
                    a[i] = everywhere
                    for j in range(0, x):
                        let id = lane_id
                        let some = reduce_max(x)
                        let wide = (n *% n)
                        if (x > 2):
                            a[i] = (reduce_add(x) + reduce_max(x))
                        a[i] = (((everywhere + some) + id) + wide)
        "#]],
    );
    check(
        HOIST,
        text,
        expect![[r#"
            kernel f(a, n, c: bool):
                let wide = (n *% n)
                foreach i in range(0, n) in 4 lanes:
                    let x = a[i]
                    let everywhere = reduce_add(x)
                    a[i] = reduce_add(x)
                    let id = lane_id
                    let _0 = (x > 2)
                    for j in range(0, x):
                        let some = reduce_max(x)
                        if _0:
                            a[i] = (reduce_add(x) + reduce_max(x))
                        a[i] = (((everywhere + some) + id) + wide)
        "#]],
    );
}

#[test]
fn what_is_known_of_cells_is_not_loaded_again() {
    check(
        LOAD_REUSE,
        "\
kernel f(a: f32[n], b: f32[n], o: f32[n], n: i32, c: bool):
    let x = a[0]
    b[0] = x
    let y = a[0]
    let z = b[0]
    o[0] = (y + z)
    o[1] = a[1]
    if c:
        o[2] = a[1]
    else:
        a[1] = 2.0
        o[3] = a[1]
    o[4] = a[1]
    for i in range(0, n):
        o[i] = (b[0] + a[0])
        a[0] = 1.0
    o[5] = (a[0] + b[0])
",
        expect![[r#"
            kernel f(a: f32[n], b: f32[n], o: f32[n], n, c: bool):
                let x = a[0]
                b[0] = x
                o[0] = (x + x)
                let _0 = a[1]
                o[1] = _0
                if c:
                    o[2] = _0
                else:
                    a[1] = 2.0
                    o[3] = 2.0
                o[4] = a[1]
                for i in range(0, n):
                    o[i] = (x + a[0])
                    a[0] = 1.0
                o[5] = (a[0] + x)
        "#]],
    );
    // Lanes that run together use what was known before.
    check(
        LOAD_REUSE,
        "\
kernel f(a: bool[n], o: i32[n], n: i32):
    let x = a[0]
    if x:
        let y = a[0]
        foreach i in range(0, n) in 4 lanes:
            o[i] = count_on(y)
",
        expect![[r#"
            kernel f(a: bool[n], o: i32[n], n):
                let x = a[0]
                if x:
                    foreach i in range(0, n) in 4 lanes:
                        o[i] = count_on(x)
        "#]],
    );
    // Two sides of a branch load for each other; a lane that takes neither has a zero still.
    check(
        LOAD_REUSE,
        "\
kernel f(a: f32[n], b: f32[n], o: f32[n], n: i32, c: bool):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let active = (i < n)
        let x = (masked_load(a, i, active) > 0.0)
        let y = masked_load(b, i, (active & x))
        let z = masked_load(b, i, (active & (~x)))
        masked_store(o, i, select(x, y, z), active)
        let p = masked_load(o, base, x)
        masked_store(b, i, (p + masked_load(o, base, (~x))), active)
        masked_store(o, i, masked_load(b, i, x), x)
        masked_store(a, i, masked_load(o, i, (~x)), active)
",
        expect![[r#"
            kernel f(a: f32[n], b: f32[n], o: f32[n], n, c: bool):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = (masked_load(a, i, active) > 0.0)
                    let _0 = masked_load(b, i, active)
                    let y = select((active & x), _0, 0.0)
                    let z = select((active & (~x)), _0, 0.0)
                    masked_store(o, i, select(x, y, z), active)
                    let _1 = vector_load(o, base)
                    let p = select(x, _1, 0.0)
                    masked_store(b, i, (p + select((~x), _1, 0.0)), active)
                    masked_store(o, i, masked_load(b, i, x), x)
                    masked_store(a, i, select((~x), _1, 0.0), active)
        "#]],
    );
    // Arrays that may overlap are one.
    check(
        LOAD_REUSE,
        "\
@alias(a, o)
kernel f(a: f32[n], o: f32[n], n: i32):
    let x = a[0]
    o[1] = x
    o[2] = a[0]
",
        expect![[r#"
            @alias(a, o)
            kernel f(a: f32[n], o: f32[n], n):
                let x = a[0]
                o[1] = x
                o[2] = a[0]
        "#]],
    );
    // A load under a mask is known where one under a wider mask was done; the lanes that are off have nothing.
    check(
        LOAD_REUSE,
        "\
kernel f(a: f32[n], o: f32[n], n: i32):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let active = (i < n)
        let x = masked_load(a, i, active)
        let positive = (x > 0.0)
        let some = (active & positive)
        masked_store(o, i, masked_load(a, i, some), some)
        masked_store(o, i, masked_load(a, i, positive), some)
",
        expect![[r#"
            kernel f(a: f32[n], o: f32[n], n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let positive = (x > 0.0)
                    let some = (active & positive)
                    masked_store(o, i, select(some, x, 0.0), some)
                    masked_store(o, i, masked_load(a, i, positive), some)
        "#]],
    );
}

#[test]
fn a_lane_that_did_not_store_loads_nothing() {
    check(
        LOAD_REUSE,
        "\
kernel f(a: f32[n], o: f32[n], n: i32):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let x = vector_load(o, i)
        let m = (x > 0.0)
        masked_store(a, i, x, m)
        vector_store(o, i, masked_load(a, i, m))
",
        expect![[r#"
            kernel f(a: f32[n], o: f32[n], n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let x = vector_load(o, i)
                    let m = (x > 0.0)
                    masked_store(a, i, x, m)
                    vector_store(o, i, select(m, x, 0.0))
        "#]],
    );
}

#[test]
fn what_was_stored_under_a_mask_is_not_loaded_again() {
    // All of `c` is loaded behind, and `b` in the lanes that the first store leaves out.
    check(
        LOAD_REUSE,
        "\
kernel f(a: f32[n], b: f32[n], c: f32[n], n: i32):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let m = (vector_load(a, i) > 0.0)
        let x = masked_load(c, i, m)
        masked_store(c, i, (-x), m)
        let y = masked_load(b, i, m)
        masked_store(b, i, (y + x), m)
        let z = masked_load(b, i, (~m))
        masked_store(b, i, (z * 2.0), (~m))
        vector_store(a, i, (vector_load(b, i) + vector_load(c, i)))
",
        expect![[r#"
            kernel f(a: f32[n], b: f32[n], c: f32[n], n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let m = (vector_load(a, i) > 0.0)
                    let _0 = vector_load(c, i)
                    let x = select(m, _0, 0.0)
                    let _1 = (-x)
                    masked_store(c, i, _1, m)
                    let _2 = vector_load(b, i)
                    let y = select(m, _2, 0.0)
                    let _3 = (y + x)
                    masked_store(b, i, _3, m)
                    let z = select((~m), _2, 0.0)
                    let _4 = (z * 2.0)
                    let _5 = (~m)
                    masked_store(b, i, _4, _5)
                    vector_store(a, i, (select(_5, _4, select(m, _3, _2)) + select(m, _1, _0)))
        "#]],
    );
    // One store after the other, each over what is known.
    check(
        LOAD_REUSE,
        "\
kernel f(a: f32[n], b: f32[n], n: i32):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let x = vector_load(a, i)
        let m = (x > 0.0)
        masked_store(a, i, 1.0, m)
        let k = (x < -1.0)
        masked_store(a, i, masked_load(a, i, k), k)
        vector_store(b, i, vector_load(a, i))
",
        expect![[r#"
            kernel f(a: f32[n], b: f32[n], n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let x = vector_load(a, i)
                    let m = (x > 0.0)
                    masked_store(a, i, 1.0, m)
                    let k = (x < -1.0)
                    let _0 = select(k, select(m, 1.0, x), 0.0)
                    masked_store(a, i, _0, k)
                    vector_store(b, i, select(k, _0, select(m, 1.0, x)))
        "#]],
    );
    // A run may end before the load for all lanes, another array may be the same, and other cells are no such load.
    check(
        LOAD_REUSE,
        "\
@alias(a, b)
kernel f(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n: i32):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let m = (vector_load(d, i) > 0.0)
        masked_store(c, i, (-masked_load(c, i, m)), m)
        assert(any(m))
        let x = vector_load(c, i)
        masked_store(a, i, (-masked_load(a, i, m)), m)
        vector_store(b, i, x)
        vector_store(d, i, vector_load(a, i))
",
        expect![[r#"
            @alias(a, b)
            kernel f(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let m = (vector_load(d, i) > 0.0)
                    masked_store(c, i, (-masked_load(c, i, m)), m)
                    assert(any(m))
                    let x = vector_load(c, i)
                    masked_store(a, i, (-masked_load(a, i, m)), m)
                    vector_store(b, i, x)
                    vector_store(d, i, vector_load(a, i))
        "#]],
    );
}

#[test]
fn a_choice_that_every_lane_which_is_asked_makes_alike_is_none() {
    check(
        DEMANDED_LANES,
        "\
kernel f(a: i32[n], o: i32[n], n: i32) -> i32:
    let sum = vector_for base in range(0, n, LANES) with s = splat(0):
        let i = (base + lane_id)
        let active = (i < n)
        let x = masked_load(a, i, active)
        let low = (x < 3)
        let rest = (active & (~low))
        let y = select(rest, x, 0)
        let high = (y > 7)
        let z = select((rest & (~high)), x, 0)
        masked_store(o, i, select(low, 3, select(high, 7, z)), active)
        let some = select(active, x, 0)
        let most = reduce_max(some, low)
        let t = if (most > 3):
            yield (some + 1)
        else:
            yield s
        yield select(active, t, s)
    return reduce_add(sum)
",
        expect![[r#"
            kernel f(a: i32[n], o: i32[n], n) -> i32:
                let sum = vector_for base in range(0, n, LANES) with s = splat(0):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let low = (x < 3)
                    let rest = (active & (~low))
                    let y = select(rest, x, 0)
                    let high = (x > 7)
                    let z = select((rest & (~high)), x, 0)
                    masked_store(o, i, select(low, 3, select(high, 7, x)), active)
                    let some = select(active, x, 0)
                    let most = reduce_max(some, low)
                    let t = if (most > 3):
                        yield (x + 1)
                    else:
                        yield s
                    yield select(active, t, s)
                return reduce_add(sum)
        "#]],
    );
    // Both sides of `&` count where the other is not known, all lanes where all are stored, and nothing is said of lanes
    // that take another side.
    check(
        DEMANDED_LANES,
        "\
kernel f(a: i32[n], o: i32[n], n: i32):
    vector_for base in range(0, n, LANES):
        let x = vector_load(a, (base + lane_id))
        let low = (x < 3)
        let y = select(low, x, 1)
        let high = select(low, (x > 1), true)
        masked_store(o, base, (y & 6), (high & low))
        masked_store(o, base, (y | 6), (low & high))
        masked_store(o, base, select((~low), y, 4), high)
        vector_store(o, base, y)
        vector_store(o, base, select(low, (y + y), select((x > 7), (y * 2), y)))
",
        expect![[r#"
            kernel f(a: i32[n], o: i32[n], n):
                vector_for base in range(0, n, LANES):
                    let x = vector_load(a, (base + lane_id))
                    let low = (x < 3)
                    let y = select(low, x, 1)
                    let _0 = (x > 1)
                    let high = select(low, _0, true)
                    masked_store(o, base, (x & 6), (high & low))
                    masked_store(o, base, (x | 6), (low & _0))
                    masked_store(o, base, select((~low), y, 4), high)
                    vector_store(o, base, y)
                    vector_store(o, base, select(low, (x + x), select((x > 7), (y * 2), y)))
        "#]],
    );
}

#[test]
fn neighbouring_branches_on_one_condition_are_merged() {
    check(
        MERGE_BRANCHES,
        "\
kernel f(a, n, x):
    let rare = (n > 7)
    let p = if rare:
        let far = (x * 100.0)
        yield far
    else:
        yield x
    let near = (x + 1.0)
    let behind = (p + 2.0)
    let q = if rare:
        yield (near * p)
    else:
        yield near
    a[0] = behind
    if rare:
        a[1] = q
    else:
        a[2] = q
    let needs = (q - p)
    let r = if rare:
        yield needs
    else:
        yield x
    a[3] = r
",
        expect![[r#"
            kernel f(a, n, x):
                let rare = (n > 7)
                let near = (x + 1.0)
                let p, q = if rare:
                    let far = (x * 100.0)
                    yield far, (near * far)
                else:
                    yield x, near
                let behind = (p + 2.0)
                a[0] = behind
                let needs = (q - p)
                let r = if rare:
                    a[1] = q
                    yield needs
                else:
                    a[2] = q
                    yield x
                a[3] = r
        "#]],
    );
}

/// The later branch computes what the earlier one did, behind a store and from another value that is the same.
#[test]
fn equal_branches_are_one() {
    check(
        CSE,
        "\
kernel f(a, n, x):
    let rare = (n > 7)
    let p, twice = if rare:
        let far = (x * 100.0)
        yield far, far
    else:
        yield x, x
    a[0] = p
    let outside = (x * 100.0)
    let q, other = if rare:
        let far_1 = (x * 100.0)
        yield far_1, outside
    else:
        yield x, x
    a[1] = (q + twice)
    a[2] = (other + outside)
    let r = if rare:
        let far_2 = (x * 100.0)
        a[3] = far_2
        yield far_2
    else:
        yield x
    a[4] = r
",
        expect![[r#"
            kernel f(a, n, x):
                let rare = (n > 7)
                let p = if rare:
                    let far = (x * 100.0)
                    yield far
                else:
                    yield x
                a[0] = p
                let outside = (x * 100.0)
                a[1] = (p + p)
                a[2] = (p + outside)
                let r = if rare:
                    a[3] = outside
                    yield outside
                else:
                    yield x
                a[4] = r
        "#]],
    );
}

#[test]
fn loops_that_were_fused_one_after_the_other_share_what_becomes_of_the_last() {
    let mut b = ir::Builder::new("k");
    let n = b.scalar("n", ir::Elem::I32);
    let ops: Vec<ir::Op> = (1..=4)
        .map(|place| {
            let origin = b.origin(place, None);
            b.set_origin(origin);
            b.push(ir::Code::Add, ir::Attr::None, &[n, n])
        })
        .collect();
    let kernel = b.finish(None);
    let mut outcomes = crate::Outcomes::default();
    outcomes.runs_with(&kernel, ops[0], ops[1]);
    outcomes.runs_with(&kernel, ops[2], ops[3]);
    outcomes.runs_with(&kernel, ops[1], ops[3]);
    outcomes.got_lanes(&kernel, ops[3], 8);
    assert_eq!([1, 2, 3, 4, 5].map(|place| outcomes.lanes(place)), [Some(8), Some(8), Some(8), Some(8), None]);
}
