//! Kernels that work on whole arrays, as text and back.

use expect_test::{Expect, expect};

use crate::{canonical, print, read};

/// Reads a kernel; it is printed as expected, and reads back to an equal one.
fn check(text: &str, expect: Expect) {
    let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let printed = print(&kernel).text;
    expect.assert_eq(&printed);
    let again = read(&printed, None).unwrap_or_else(|error| panic!("{error}\n{printed}")).remove(0);
    assert_eq!(canonical(&kernel), canonical(&again), "{printed}");
    assert_eq!(print(&again).text, printed);
}

#[test]
fn constant_arrays_are_written_down() {
    check(
        "\
kernel k(a: f32[n], out: i64[2], n: i32) -> f32:
    let t = table(2, 3, f32=[0.5, -0.0, inf, nan, -inf, 1e-40])
    let flags = table(1, bool=[true])
    let numbers = table(2, i64=[-9223372036854775808, 7])
    let empty = table(0, u8=[])
    assign(out, numbers)
    let x = t[1, 2]
    return x
",
        expect![[r#"
            kernel k(a: f32[n], out: i64[2], n) -> f32:
                let t = table(2, 3, f32=[0.5, -0.0, inf, nan, -inf, 1e-40])
                let flags = table(1, bool=[true])
                let numbers = table(2, i64=[-9223372036854775808, 7])
                let empty = table(0, u8=[])
                assign(out, numbers)
                let x = t[1, 2]
                return x
        "#]],
    );
}

#[test]
fn whole_arrays_show_their_shapes() {
    check(
        "\
kernel k(a: f32[n], b: f32[n], m: f64[n, (2 * k)], out: f32[n], n, k: i32) -> f32:
    let c = ((a + b) * 2.0)
    let d = select((c > 0.0), c, (-a))
    let r = reduce x in d with s = 0.0:
        yield (s + x)
    let t = reduce x in c reducing + from 1.0:
        yield (x * r)
    let rows = map row in m, w in a:
        let scaled = (row * f64(w))
        yield scaled
    let sums, squares = map row in rows:
        let s = reduce x in row reducing + from f64(0.0):
            yield x
        yield s, (s * s)
    let p = scan s in sums, q in squares with u = f64(0.0):
        yield ((u + s) * q)
    let ends = f32(p)
    assign(out, ends)
    assign(slice(out, 0, k, 1), slice(c, 1, (k + 1), 1))
    assign(out, 0.0)
    return (r + t)
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], m: f64[n, (2 * k)], out: f32[n], n, k) -> f32:
                let _0: f32[n] = (a + b)
                let c: f32[n] = (_0 * 2.0)
                let _1: bool[n] = (c > 0.0)
                let _2: f32[n] = (-a)
                let d: f32[n] = select(_1, c, _2)
                let r = reduce x in d with s = 0.0:
                    yield (s + x)
                let t = reduce x_1 in c reducing + from 1.0:
                    yield (x_1 * r)
                let rows: f64[n, (2 * k)] = map row in m, w in a:
                    let scaled: f64[(2 * k)] = (row * f64(w))
                    yield scaled
                let sums: f64[n], squares: f64[n] = map row_1 in rows:
                    let s_1 = reduce x_2 in row_1 reducing + from 0.0:
                        yield x_2
                    yield s_1, (s_1 * s_1)
                let p: f64[n] = scan s_2 in sums, q in squares with u = 0.0:
                    yield ((u + s_2) * q)
                let ends: f32[n] = f32(p)
                assign(out, ends)
                assign(slice(out, 0, k, 1), slice(c, 1, (k + 1), 1))
                assign(out, 0.0)
                return (r + t)
        "#]],
    );
}

#[test]
fn arrays_are_carried_and_yielded() {
    check(
        "\
struct P:
    x: f32

kernel k(a: f32[n], b: f32[n], p: P[?], q: P[?], n, m: i32):
    let i = iota(n)
    let k1, w = while (k < m) with k = 0, v = a:
        let next = (v + 1.0)
        yield (k + 1), next
    let k2, w2: f32[7] = while (k < m) with k = 0, v = a:
        yield (k + 1), slice(v, 1, n, 1)
    let e = elements(1, m, 3)
    let s = if (m > 3):
        yield a
    else:
        yield b
    let c = if (m > 4):
        yield p
    else:
        yield q
    let z = replicate(m, s)
    c.x[0] = s[e[0]]
    assign(row(z, i[0]), w2)
",
        expect![[r#"
            struct P:
                x: f32

            kernel k(a: f32[n], b: f32[n], p: P[?], q: P[?], n, m):
                let i: i32[n] = iota(n)
                let k1, w: f32[n] = while (k < m) with k = 0, v = a:
                    let next: f32[n] = (v + 1.0)
                    yield (k + 1), next
                let k2, w2: f32[?] = while (k_1 < m) with k_1 = 0, v_1 = a:
                    yield (k_1 + 1), slice(v_1, 1, n, 1)
                let e: i32[3] = elements(1, m, 3)
                let s: f32[n] = if (m > 3):
                    yield a
                else:
                    yield b
                let c: P[?] = if (m > 4):
                    yield p
                else:
                    yield q
                let z: f32[m, n] = replicate(m, s)
                c.x[0] = s[e[0]]
                assign(row(z, i[0]), w2)
        "#]],
    );
}

#[test]
fn shapes_that_are_written_have_to_fit() {
    let problem = |statements: &str| {
        let text = format!("kernel k(a: f32[n], m: f32[n, 3], n):\n{statements}");
        read(&text, None).map_or_else(|error| error.to_string(), |_| "fine".to_owned())
    };
    let problems = [
        problem("    let b: f32[n] = (a + 1.0)\n"),
        problem("    let b: f32[?] = (a + 1.0)\n"),
        problem("    let b: f64[n] = (a + 1.0)\n"),
        problem("    let b: f32[n, 3] = (a + 1.0)\n"),
        problem("    let b: f32 = (a + 1.0)\n"),
        problem("    let b: f32[n] = a[0]\n"),
        problem("    let b: T[n] = (a + 1.0)\n"),
        problem("    let b: i32[n] = map x in m, y in a:\n        yield 1.0\n"),
        problem("    let b = map x in n:\n        yield x\n"),
        problem("    map x in a:\n        pass\n"),
        problem("    let b = map x in a with s = 1.0:\n        yield x\n"),
        problem("    let b = map x in a reducing + from 1.0:\n        yield x\n"),
        problem("    let b = (a + m)\n"),
        problem("    let b = map(a)\n"),
    ];
    expect![[r#"
        fine
        fine
        line 2: this is view1 of f32, not of f64
        line 2: `b` is view1 of f32, not view2 of f32
        line 2: `b` is view1 of f32, not view0 of f32
        line 2: `b` is f32, not view1 of f32
        line 2: `T` is no type
        line 2: this is view1 of f32, not of i32
        line 2: elements: `map` of i32 (op0)
        line 2: elements: it yields nothing, its results are nothing (op0)
        line 2: elements: `map` of view1 of f32, f32 (op0)
        line 2: reductions: `map` reduces (op0)
        line 2: `add` works on arrays of different ranks
        line 2: `(` is no name"#]]
    .assert_eq(&problems.join("\n"));
}

#[test]
fn verdicts_are_marks_of_loops() {
    check(
        "\
kernel k(a: f32[n], b: f32[n], n):
    @lanes(4)
    @in_lanes(4)
    foreach i in range(0, n):
        @inside_lanes
        for j in range(0, 3):
            a[i] = (a[i] + b[j])
    @in_order(loop-carried-flow)
    for i in range(1, n):
        a[i] = a[(i - 1)]
    @in_order
    for i in range(0, n):
        pass
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], n):
                @lanes(4)
                @in_lanes(4)
                foreach i in range(0, n):
                    @inside_lanes
                    for j in range(0, 3):
                        a[i] = (a[i] + b[j])
                @in_order(loop-carried-flow)
                for i_1 in range(1, n):
                    a[i_1] = a[(i_1 - 1)]
                @in_order
                for i_2 in range(0, n):
                    pass
        "#]],
    );
}

#[test]
fn verdicts_stand_where_they_can_be_true() {
    let problem = |statements: &str| {
        let text = format!("kernel k(a: f32[n], n):\n{statements}");
        read(&text, None).map_or_else(|error| error.to_string(), |_| "fine".to_owned())
    };
    let problems = [
        problem("    @in_lanes(8)\n    for i in range(0, n):\n        pass\n"),
        problem("    @in_lanes(loop-carried-flow)\n    for i in range(0, n):\n        pass\n"),
        problem("    @in_order(8)\n    for i in range(0, n):\n        pass\n"),
        problem("    @in_order(for-no-reason)\n    for i in range(0, n):\n        pass\n"),
        problem("    @in_lanes(8)\n    if (n > 0):\n        pass\n"),
        problem("    @inside_lanes\n    for i in range(0, n):\n        pass\n"),
        problem(
            "    @in_lanes(8)\n    for i in range(0, n):\n        @in_order\n        for j in range(0, n):\n            pass\n",
        ),
    ];
    expect![[r#"
        fine
        line 2: `@in_lanes` takes no code
        line 2: `@in_order` says nothing about a loop
        line 2: `for-no-reason` is no code of a reason
        line 3: verdict: `if` has a verdict (op1)
        line 3: verdict: `@inside_lanes` outside of lanes (op0)
        line 5: verdict: `@in_order` inside of lanes (op1)"#]]
    .assert_eq(&problems.join("\n"));
}
