//! Statements in a row, and the vectors that they become at the stage `packed`, with what was decided.

use expect_test::expect;

use crate::shown::at_stage;

/// A kernel as it is at the stage `packed`, with the decisions that were made there.
fn packed(text: &str, target: &str) -> String {
    at_stage("packed", target, text)
}

#[test]
fn statements_on_neighbours_are_one() {
    let text = "\
kernel k(a: f32[n], b: f32[n], out: f32[n], n, x):
    out[0] = ((a[0] * x) + b[0])
    out[1] = ((a[1] * x) + b[1])
    out[2] = ((x * a[2]) + b[2])
    out[3] = (b[3] + (x * a[3]))
";
    expect![[r#"
        kernel k(a: f32[n], b: f32[n], out: f32[n], n, x):
            let _0 = vector_load(b, 0, lanes=4)
            vector_store(out, 0, ((vector_load(a, 0, lanes=4) * x) + _0))
        # packed: 4 statements that store to neighbouring cells are one vector store behind 2 vector operations: the block costs 16 instead of 48
    "#]].assert_eq(&packed(text, "sse4"));
}

#[test]
fn complex_numbers_are_multiplied_by_pairs() {
    let text = "\
kernel k(a: f32[n], b: f32[n], out: f32[n], n):
    out[0] = ((a[0] * b[0]) - (a[1] * b[1]))
    out[1] = ((a[0] * b[1]) + (a[1] * b[0]))
    out[2] = ((a[2] * b[2]) - (a[3] * b[3]))
    out[3] = ((a[2] * b[3]) + (a[3] * b[2]))
";
    expect![[r#"
        kernel k(a: f32[n], b: f32[n], out: f32[n], n):
            let _0 = vector_load(a, 0, lanes=4)
            let _1 = vector_load(b, 0, lanes=4)
            let _2 = (permute(_0, pattern=[0, 0, 2, 2]) * _1)
            let _3 = (permute(_0, pattern=[1, 1, 3, 3]) * permute(_1, pattern=[1, 0, 3, 2]))
            vector_store(out, 0, permute((_2 - _3), (_2 + _3), pattern=[0, 5, 2, 7]))
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # packed: 4 statements that store to neighbouring cells are one vector store behind 3 vector operations: the block costs 26 instead of 56
    "#]].assert_eq(&packed(text, "sse4"));
}

#[test]
fn what_reads_between_forbids_it() {
    let text = "\
kernel k(a: f32[n], n):
    a[0] = (a[4] * 2.0)
    a[1] = (a[0] * 2.0)
    a[2] = (a[1] * 2.0)
    a[3] = (a[2] * 2.0)
";
    expect![[r#"
        kernel k(a: f32[n], n):
            a[0] = (a[4] * 2.0)
            a[1] = (a[0] * 2.0)
            a[2] = (a[1] * 2.0)
            a[3] = (a[2] * 2.0)
        # left not-packed: 4 statements that store to neighbouring cells are not one vector store: the block would cost 26 instead of 26
    "#]].assert_eq(&packed(text, "sse4"));
}

#[test]
fn loads_do_not_pass_stores_to_their_cells() {
    let text = "\
kernel k(a: f32[n], b: f32[n], n):
    b[0] = (a[0] + a[1])
    b[1] = (a[1] + a[2])
    a[2] = 0.0
    b[2] = (a[2] + a[3])
    b[3] = (a[3] + a[4])
";
    expect![[r#"
        kernel k(a: f32[n], b: f32[n], n):
            vector_store(b, 0, (vector_load(a, 0, lanes=2) + vector_load(a, 1, lanes=2)))
            a[2] = 0.0
            let _0 = a[3]
            b[2] = (0.0 + _0)
            b[3] = (_0 + a[4])
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # packed: 2 statements that store to neighbouring cells are one vector store behind one vector operation: the block costs 30 instead of 38
        # left not-packed: 2 statements that store to neighbouring cells are not one vector store: the block would cost 30 instead of 30
    "#]].assert_eq(&packed(text, "sse4"));
}

#[test]
fn fields_of_a_struct_are_neighbours() {
    let text = "\
struct V:
    x: f32
    y: f32
    z: f32
    w: f32

kernel k(a: V[n], out: V[n], n, i, s):
    out.x[i] = (a.x[i] * s)
    out.y[i] = (a.y[i] * s)
    out.z[i] = (a.z[i] * s)
    out.w[i] = (a.w[i] * s)
";
    expect![[r#"
        struct V:
            x: f32
            y: f32
            z: f32
            w: f32

        kernel k(a: V[n], out: V[n], n, i, s):
            vector_store(flat(out, type=f32), (index(i) *% 4), (vector_load(flat(a, type=f32), (index(i) *% 4), lanes=4) * s))
        # packed: 4 statements that store to neighbouring cells are one vector store behind one vector operation: the block costs 12 instead of 32
    "#]].assert_eq(&packed(text, "sse4"));
}

#[test]
fn scalars_are_taken_out_for_others() {
    let text = "\
kernel k(a: f32[n], out: f32[n], n, x) -> f32:
    let p = ((a[0] * x) + 1.0)
    out[0] = p
    out[1] = ((a[1] * x) + 1.0)
    out[2] = ((a[2] * x) + 1.0)
    out[3] = ((a[3] * x) + 1.0)
    return (p + 3.0)
";
    expect![[r#"
        kernel k(a: f32[n], out: f32[n], n, x) -> f32:
            let _0 = ((vector_load(a, 0, lanes=4) * x) + 1.0)
            let p = extract(_0, 0)
            vector_store(out, 0, _0)
            return (p + 3.0)
        # packed: 4 statements that store to neighbouring cells are one vector store behind 2 vector operations: the block costs 18 instead of 42
    "#]].assert_eq(&packed(text, "sse4"));
}

#[test]
fn rows_are_transposed_on_the_way() {
    let text = "\
kernel k(m: f32[4, 4], v: f32[4], out: f32[4]):
    out[0] = ((((m[0, 0] * v[0]) + (m[0, 1] * v[1])) + (m[0, 2] * v[2])) + (m[0, 3] * v[3]))
    out[1] = ((((m[1, 0] * v[0]) + (m[1, 1] * v[1])) + (m[1, 2] * v[2])) + (m[1, 3] * v[3]))
    out[2] = ((((m[2, 0] * v[0]) + (m[2, 1] * v[1])) + (m[2, 2] * v[2])) + (m[2, 3] * v[3]))
    out[3] = ((((m[3, 0] * v[0]) + (m[3, 1] * v[1])) + (m[3, 2] * v[2])) + (m[3, 3] * v[3]))
";
    expect![[r#"
        kernel k(m: f32[4, 4], v: f32[4], out: f32[4]):
            let _0 = v[0]
            let _1 = v[1]
            let _2 = v[2]
            let _3 = vector_load(m, 0, 0, lanes=4)
            let _4 = v[3]
            let _5 = vector_load(m, 1, 0, lanes=4)
            let _6 = vector_load(m, 2, 0, lanes=4)
            let _7 = vector_load(m, 3, 0, lanes=4)
            vector_store(out, 0, ((((permute(_3, _5, _6, _7, pattern=[0, 4, 8, 12]) * _0) + (permute(_3, _5, _6, _7, pattern=[1, 5, 9, 13]) * _1)) + (permute(_3, _5, _6, _7, pattern=[2, 6, 10, 14]) * _2)) + (permute(_3, _5, _6, _7, pattern=[3, 7, 11, 15]) * _4)))
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # packed: 4 statements that store to neighbouring cells are one vector store behind 7 vector operations: the block costs 74 instead of 112
    "#]].assert_eq(&packed(text, "sse4"));
}

#[test]
fn vectors_in_a_loop_in_order_have_to_pay_twice() {
    let text = "\
kernel k(x: f32[n], y: f32[n], q: f32[n], n, k):
    for i in range(0, n):
        y[((4 * i) + 4)] = (y[(4 * i)] + (k * x[(4 * i)]))
        y[((4 * i) + 5)] = (y[((4 * i) + 1)] + (k * x[((4 * i) + 1)]))
        y[((4 * i) + 6)] = (y[((4 * i) + 2)] + (k * x[((4 * i) + 2)]))
        y[((4 * i) + 7)] = (y[((4 * i) + 3)] + (k * x[((4 * i) + 3)]))
    for i in range(0, n):
        q[((2 * i) + 2)] = (q[(2 * i)] + (x[i] * y[i]))
        q[((2 * i) + 3)] = (q[((2 * i) + 1)] - (x[(i + 1)] * x[(i + 2)]))
";
    expect![[r#"
        kernel k(x: f32[n], y: f32[n], q: f32[n], n, k):
            @in_order(loop-carried-flow)
            for i in range(0, n):
                let _0 = (4 * i)
                vector_store(y, (_0 + 4), (vector_load(y, _0, lanes=4) + (k * vector_load(x, _0, lanes=4))))
            @in_order(loop-carried-flow)
            for i_1 in range(0, n):
                let _1 = (2 * i_1)
                q[(_1 + 2)] = (q[_1] + (x[i_1] * y[i_1]))
                q[(_1 + 3)] = (q[(_1 + 1)] - (x[(i_1 + 1)] * x[(i_1 + 2)]))
        # packed: 4 statements that store to neighbouring cells are one vector store behind 2 vector operations: the block costs 28 instead of 64
        # left not-packed: 2 statements that store to neighbouring cells are not one vector store: in a loop that runs in order vectors have to halve the cost of what they stand for, and the block would cost 36 instead of 40
    "#]].assert_eq(&packed(text, "sse4"));
}

#[test]
fn an_address_is_made_of_scalars_that_are_still_there() {
    let text = "\
struct V:
    x: f32
    y: f32
    z: f32
    w: f32

kernel k(a: i32[n], b: i32[n], out: V[n], n, s):
    let j = (a[0] + 1)
    b[0] = j
    b[1] = (a[1] + 1)
    b[2] = (a[2] + 1)
    b[3] = (a[3] + 1)
    out.x[j] = (s * 2.0)
    out.y[j] = (s * 3.0)
    out.z[j] = (s * 4.0)
    out.w[j] = (s * 5.0)
";
    expect![[r#"
        struct V:
            x: f32
            y: f32
            z: f32
            w: f32

        kernel k(a: i32[n], b: i32[n], out: V[n], n, s):
            let _0 = a[0]
            vector_store(b, 0, (vector_load(a, 0, lanes=4) + 1))
            vector_store(flat(out, type=f32), ((index(_0) *% 4) +% 4), (s * pack(2.0, 3.0, 4.0, 5.0)))
        # packed: 4 statements that store to neighbouring cells are one vector store behind one vector operation: the block costs 40 instead of 56
        # packed: 4 statements that store to neighbouring cells are one vector store behind one vector operation: the block costs 24 instead of 40
    "#]].assert_eq(&packed(text, "sse4"));
}

#[test]
fn scalars_that_a_loop_carries_are_a_vector() {
    let sums = "\
kernel k(a: f32[n], out: f32[4], n):
    let r, g, b, w = for i in range(0, (n / 4)) with r_1 = 0.0, g_1 = 0.0, b_1 = 0.0, w_1 = 0.0:
        let r_2 = (r_1 + a[(4 * i)])
        let g_2 = (g_1 + a[((4 * i) + 1)])
        let b_2 = (b_1 + a[((4 * i) + 2)])
        let w_2 = (w_1 + a[((4 * i) + 3)])
        yield r_2, g_2, b_2, w_2
    out[0] = r
    out[1] = g
    out[2] = b
    out[3] = w
";
    expect![[r#"
        kernel k(a: f32[n], out: f32[4], n):
            @in_order(ordered-float-sum)
            let _0 = for i in range(0, (n / 4)) with _1 = splat(0.0, lanes=4):
                yield (_1 + vector_load(a, (4 * i), lanes=4))
            let r = extract(_0, 0)
            let g = extract(_0, 1)
            let b = extract(_0, 2)
            let w = extract(_0, 3)
            out[0] = r
            out[1] = g
            out[2] = b
            out[3] = w
        # left not-packed: 4 statements that store to neighbouring cells are not one vector store: the block would cost 28 instead of 28
        # packed: 4 values that the loop carries are lanes of vectors, which 1 vector operation hands on: an iteration costs 12 instead of 24
    "#]].assert_eq(&packed(sums, "sse4"));
    // Four generators, with what each iteration stores of them.
    let generators = "\
kernel k(out: u32[n], n, seed: u32):
    let b = (seed + 1)
    let c = (seed + 2)
    let d = (seed + 3)
    let a_1, b_1, c_1, d_1 = for i in range(0, (n / 4)) with a_2 = seed, b_2 = b, c_2 = c, d_2 = d:
        let a_3 = (a_2 ^ (a_2 << 13))
        let b_3 = (b_2 ^ (b_2 << 13))
        let c_3 = (c_2 ^ (c_2 << 13))
        let d_3 = (d_2 ^ (d_2 << 13))
        out[(4 * i)] = a_3
        out[((4 * i) + 1)] = b_3
        out[((4 * i) + 2)] = c_3
        out[((4 * i) + 3)] = d_3
        yield a_3, b_3, c_3, d_3
";
    expect![[r#"
        kernel k(out: u32[n], n, seed: u32):
            let b = (seed + 1)
            let c = (seed + 2)
            let d = (seed + 3)
            @in_order(recurrence)
            let _0 = for i in range(0, (n / 4)) with _1 = pack(seed, b, c, d):
                let _2 = (_1 ^ (_1 << 13))
                vector_store(out, (4 * i), _2)
                yield _2
        # packed: 4 values that the loop carries are lanes of vectors, which 2 vector operations hand on: an iteration costs 16 instead of 40
        # packed: 4 statements that store to neighbouring cells are one vector store: the block costs 16 instead of 40
    "#]].assert_eq(&packed(generators, "avx2"));
    // A scalar that is needed alone is taken out, and two vectors may use each other.
    let points = "\
kernel k(out: f32[n], n, h):
    let x, y, z, w, vx, vy, vz, vw = for i in range(0, n) with x_1 = 1.0, y_1 = 0.0, z_1 = 0.0, w_1 = 0.5, vx_1 = 0.0, vy_1 = 1.0, vz_1 = 0.0, vw_1 = 0.0:
        let vx_2 = (vx_1 - (x_1 * h))
        let vy_2 = (vy_1 - (y_1 * h))
        let vz_2 = (vz_1 - (z_1 * h))
        let vw_2 = (vw_1 - (w_1 * h))
        let x_2 = (x_1 + (vx_2 * h))
        let y_2 = (y_1 + (vy_2 * h))
        let z_2 = (z_1 + (vz_2 * h))
        let w_2 = (w_1 + (vw_2 * h))
        out[i] = z_1
        yield x_2, y_2, z_2, w_2, vx_2, vy_2, vz_2, vw_2
    out[0] = x
";
    expect![[r#"
        kernel k(out: f32[n], n, h):
            @in_order(linear-recurrence)
            let _0, _1 = for i in range(0, n) with _2 = pack(1.0, 0.0, 0.0, 0.5), _3 = pack(0.0, 1.0, 0.0, 0.0):
                let z_1 = extract(_2, 2)
                let _4 = (_3 - (_2 * h))
                out[i] = z_1
                yield (_2 + (_4 * h)), _4
            let x = extract(_0, 0)
            out[0] = x
        # packed: 8 values that the loop carries are lanes of vectors, which 4 vector operations hand on: an iteration costs 16 instead of 36
    "#]].assert_eq(&packed(points, "sse4"));
}

#[test]
fn stores_that_need_the_same_values_are_packed_together() {
    // Of either half alone, the sums and differences would be there for the other one as scalars, too.
    let line = |k: i32| {
        format!(
            "    let a_{k} = (x[{k}] + x[{}])\n    let b_{k} = (x[{k}] - x[{}])\n    out[{k}] = (a_{k} + b_{k})\n    out[{}] = (a_{k} - b_{k})\n",
            k + 4,
            k + 4,
            k + 4
        )
    };
    let text = format!("kernel k(x: i32[8], out: i32[8]):\n{}", (0..4).map(line).collect::<String>());
    expect![[r#"
        kernel k(x: i32[8], out: i32[8]):
            let _0 = vector_load(x, 0, lanes=4)
            let _1 = vector_load(x, 4, lanes=4)
            let _2 = (_0 + _1)
            let _3 = (_0 - _1)
            vector_store(out, 0, (_2 + _3))
            vector_store(out, 4, (_2 - _3))
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # packed: 4 statements that store to neighbouring cells are one vector store behind 3 vector operations: the block costs 20 instead of 80
        # packed: 4 statements that store to neighbouring cells are one vector store behind one vector operation: the block costs 20 instead of 80
    "#]].assert_eq(&packed(&text, "avx2"));
}

#[test]
fn values_that_are_computed_alike_are_lanes_wherever_they_are_stored() {
    let pixel = |k: i32| {
        format!(
            "    rgb[{}] = (y[{k}] + (1.5 * v[{k}]))\n    rgb[{}] = ((y[{k}] - (0.5 * u[{k}])) - (0.25 * v[{k}]))\n    rgb[{}] = (y[{k}] + (2.0 * u[{k}]))\n",
            3 * k,
            3 * k + 1,
            3 * k + 2
        )
    };
    let text =
        format!("kernel k(y: f32[4], u: f32[4], v: f32[4], rgb: f32[12]):\n{}", (0..4).map(pixel).collect::<String>());
    expect![[r#"
        kernel k(y: f32[4], u: f32[4], v: f32[4], rgb: f32[12]):
            let _0 = vector_load(y, 0, lanes=4)
            let _1 = vector_load(v, 0, lanes=4)
            let _2 = (_0 + (1.5 * _1))
            let _3 = vector_load(u, 0, lanes=4)
            let _4 = ((_0 + (-0.5 * _3)) + (-0.25 * _1))
            let _5 = (_0 + (2.0 * _3))
            vector_store(rgb, 0, permute(_2, _4, _5, pattern=[0, 4, 8, 1, 5, 9, 2, 6]))
            vector_store(rgb, 8, permute(_2, _4, _5, pattern=[10, 3, 7, 11]))
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # packed: 4 values that are computed alike are lanes of one vector, which 2 vector operations make wherever they go: the block costs 54 instead of 136
        # packed: 4 values that are computed alike are lanes of one vector, which 4 vector operations make wherever they go: the block costs 54 instead of 136
        # packed: 4 values that are computed alike are lanes of one vector, which 2 vector operations make wherever they go: the block costs 54 instead of 136
        # packed: 8 statements that store to neighbouring cells are one vector store: the block costs 54 instead of 136
        # packed: 4 statements that store to neighbouring cells are one vector store: the block costs 54 instead of 136
    "#]].assert_eq(&packed(&text, "avx2"));
}

#[test]
fn what_several_statements_share_is_computed_in_lanes() {
    let point = |k: i32| {
        let [x, y, z] = [3 * k, 3 * k + 1, 3 * k + 2];
        format!(
            "    let s_{k} = (1.0 / sqrt((((v[{x}] * v[{x}]) + (v[{y}] * v[{y}])) + (v[{z}] * v[{z}]))))\n    out[{x}] = (v[{x}] * s_{k})\n    out[{y}] = (v[{y}] * s_{k})\n    out[{z}] = (v[{z}] * s_{k})\n"
        )
    };
    let text = format!("kernel k(v: f32[12], out: f32[12]):\n{}", (0..4).map(point).collect::<String>());
    expect![[r#"
        kernel k(v: f32[12], out: f32[12]):
            let _0 = vector_load(v, 0, lanes=4)
            let _1 = vector_load(v, 4, lanes=4)
            let _2 = vector_load(v, 0, lanes=8)
            let _3 = vector_load(v, 8, lanes=4)
            let _4 = permute(_0, _1, _3, pattern=[0, 3, 6, 9])
            let _5 = permute(_0, _1, _3, pattern=[1, 4, 7, 10])
            let _6 = permute(_0, _1, _3, pattern=[2, 5, 8, 11])
            let _7 = (1.0 / sqrt((((_4 * _4) + (_5 * _5)) + (_6 * _6))))
            vector_store(out, 0, (_2 * permute(_7, pattern=[0, 0, 0, 1, 1, 1, 2, 2])))
            vector_store(out, 8, (_3 * permute(_7, pattern=[2, 3, 3, 3])))
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # packed: 4 values that are computed alike are lanes of one vector, which 7 vector operations make wherever they go: the block costs 88 instead of 232
        # packed: 8 statements that store to neighbouring cells are one vector store behind one vector operation: the block costs 88 instead of 232
        # packed: 4 statements that store to neighbouring cells are one vector store behind one vector operation: the block costs 88 instead of 232
    "#]].assert_eq(&packed(&text, "avx2"));
}

#[test]
fn what_an_array_hands_on_stays_in_vectors() {
    let column = |k: i32| {
        format!(
            "    let a_{k} = x[{k}]\n    let b_{k} = x[{}]\n    x[{k}] = (a_{k} + b_{k})\n    x[{}] = (a_{k} - b_{k})\n",
            k + 4,
            k + 4
        )
    };
    let row = |k: i32| {
        format!(
            "    let c_{k} = x[{}]\n    let d_{k} = x[{}]\n    x[{}] = (c_{k} * d_{k})\n    x[{}] = (c_{k} + d_{k})\n",
            2 * k,
            2 * k + 1,
            2 * k,
            2 * k + 1
        )
    };
    let statements: String = (0..4).map(column).chain((0..4).map(row)).collect();
    expect![[r#"
        kernel k(x: f32[8]):
            let _0 = vector_load(x, 0, lanes=2)
            let _1 = vector_load(x, 4, lanes=2)
            let _2 = vector_load(x, 2, lanes=2)
            let _3 = permute(_0, _2, pattern=[0, 2])
            let _4 = permute(_0, _2, pattern=[1, 3])
            let _5 = vector_load(x, 6, lanes=2)
            let _6 = permute(_1, _5, pattern=[0, 2])
            let _7 = (_3 + _6)
            let _8 = permute(_1, _5, pattern=[1, 3])
            let _9 = (_3 - _6)
            let _10 = (_4 + _8)
            let _11 = (_4 - _8)
            vector_store(x, 0, permute((_7 * _10), (_7 + _10), (_9 * _11), (_9 + _11), pattern=[0, 2, 1, 3, 4, 6, 5, 7]))
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # stored-again: its cell is stored to again, and nothing loads it in between
        # stored-again: its cell is stored to again, and nothing loads it in between
        # stored-again: its cell is stored to again, and nothing loads it in between
        # stored-again: its cell is stored to again, and nothing loads it in between
        # stored-again: its cell is stored to again, and nothing loads it in between
        # stored-again: its cell is stored to again, and nothing loads it in between
        # stored-again: its cell is stored to again, and nothing loads it in between
        # stored-again: its cell is stored to again, and nothing loads it in between
        # packed: 2 values that are computed alike are lanes of one vector, which 3 vector operations make wherever they go: the block costs 56 instead of 80
        # packed: 2 values that are computed alike are lanes of one vector, which 1 vector operation makes wherever they go: the block costs 56 instead of 80
        # packed: 2 values that are computed alike are lanes of one vector, which 3 vector operations make wherever they go: the block costs 56 instead of 80
        # packed: 2 values that are computed alike are lanes of one vector, which 1 vector operation makes wherever they go: the block costs 56 instead of 80
        # packed: 8 statements that store to neighbouring cells are one vector store: the block costs 56 instead of 80
    "#]].assert_eq(&packed(&format!("kernel k(x: f32[8]):\n{statements}"), "avx2"));
    // A store is done where its cell is loaded by an unknown subscript before it is stored to again.
    let text = "\
kernel k(x: f32[4], out: f32[n], i, n):
    x[0] = (out[0] * 2.0)
    x[1] = (out[1] * 2.0)
    out[i] = x[i]
    x[0] = (out[2] * 3.0)
    x[1] = (out[3] * 3.0)
";
    expect![[r#"
        kernel k(x: f32[4], out: f32[n], i, n):
            x[0] = (out[0] * 2.0)
            x[1] = (out[1] * 2.0)
            out[i] = x[i]
            vector_store(x, 0, (vector_load(out, 2, lanes=2) * 3.0))
        # packed: 2 statements that store to neighbouring cells are one vector store behind one vector operation: the block costs 32 instead of 38
    "#]].assert_eq(&packed(text, "avx2"));
}

#[test]
fn what_is_subtracted_by_a_constant_is_added_by_the_opposite_one() {
    let text = "\
kernel k(a: f32[4], b: f32[4], out: f32[4]):
    out[0] = (a[0] + (0.5 * b[0]))
    out[1] = (a[1] - (0.25 * b[1]))
    out[2] = (a[2] - (0.75 * b[2]))
    out[3] = (a[3] + (1.5 * b[3]))
";
    expect![[r#"
        kernel k(a: f32[4], b: f32[4], out: f32[4]):
            vector_store(out, 0, (vector_load(a, 0, lanes=4) + (pack(0.5, -0.25, -0.75, 1.5) * vector_load(b, 0, lanes=4))))
        # packed: 4 statements that store to neighbouring cells are one vector store behind 2 vector operations: the block costs 14 instead of 48
    "#]].assert_eq(&packed(text, "avx2"));
}

#[test]
fn what_a_loop_carries_is_grouped_by_how_it_is_computed() {
    let text = "\
kernel k(s: f32[n], out: f32[n], n, b, a, c):
    let l1, l2, r1, r2 = for i in range(0, (n / 2)) with l1_1 = 0.0, l2_1 = 0.0, r1_1 = 0.0, r2_1 = 0.0:
        let l = ((b * s[(2 * i)]) + l1_1)
        let r = ((b * s[((2 * i) + 1)]) + r1_1)
        let l1_2 = (((c * s[(2 * i)]) - (a * l)) + l2_1)
        let r1_2 = (((c * s[((2 * i) + 1)]) - (a * r)) + r2_1)
        let l2_2 = ((b * s[(2 * i)]) - (c * l))
        let r2_2 = ((b * s[((2 * i) + 1)]) - (c * r))
        out[(2 * i)] = l
        out[((2 * i) + 1)] = r
        yield l1_2, l2_2, r1_2, r2_2
    out[0] = l1
";
    expect![[r#"
        kernel k(s: f32[n], out: f32[n], n, b, a, c):
            @in_order(linear-recurrence)
            let _0, _1 = for i in range(0, (n / 2)) with _2 = splat(0.0, lanes=2), _3 = splat(0.0, lanes=2):
                let _4 = (2 * i)
                let _5 = vector_load(s, _4, lanes=2)
                let _6 = (b * _5)
                let _7 = (_6 + _2)
                vector_store(out, _4, _7)
                yield (((c * _5) - (a * _7)) + _3), (_6 - (c * _7))
            let l1 = extract(_0, 0)
            out[0] = l1
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # loaded-before: its cells were loaded or stored shortly before
        # packed: 4 values that the loop carries are lanes of vectors, which 8 vector operations hand on: an iteration costs 26 instead of 48
        # packed: 2 statements that store to neighbouring cells are one vector store: the block costs 26 instead of 48
    "#]].assert_eq(&packed(text, "sse4"));
}
