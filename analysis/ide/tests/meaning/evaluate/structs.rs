//! Structs and tuples as values.

use expect_test::expect;

use super::fixture::check;

#[test]
fn structs_are_values() {
    check(
        "struct P:
    x: f32
    y: i32

fn moved(p: P, by):
    return P(p.x + by, p.y)

kernel k(p: P[2]) -> f32:
    let a = p[0]
    let b = a
    b.x += 10.0
    b.y = 7
    p[1] = b
    b = moved(b, 0.5)
    p[0] = b if b.x > a.x else a
    return a.x + f32(a.y)
",
        "p = [1, 2, 3, 4]",
        expect![[r#"
            result 3.0
            p = [(11.5, 7), (11.0, 7)]
        "#]],
    );
}

#[test]
fn structs_in_structs_have_cells_of_their_own() {
    check(
        "struct V:
    x: i32
    y: i32

struct L:
    from: V
    n: i8
    to: V

kernel k(l: L[2], a: i32[4]):
    let line = l[0]
    line.to = line.from
    line.from.x = 9
    a[0] = line.to.x
    a[1] = line.from.x
    l[1].from = line.to
    l[1].to.y += 100
    a[2] = l[1].from.y
    a[3] = L(V(1, 2), 3, V(4, 5)).to.y
    foreach i in range(2):
        l[i].n = i8(l[i].to.x)
        l[i].from.y = 0
",
        "l = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]; a = [0, 0, 0, 0]",
        expect![[r#"
            l = [(1, 0, 4, 4, 5), (1, 0, 9, 9, 110)]
            a = [1, 9, 2, 5]
        "#]],
    );
}

#[test]
fn all_values_are_there_before_the_first_is_given() {
    check(
        "fn divide(x, y):
    return x / y, x % y

kernel k(a: i32[4], n: i32) -> i32:
    a[0], a[1] = a[1], a[0]
    let i = 2
    i, a[i] = 3, 9
    let q, r = divide(17, 5)
    (q, r), i = (r, q), q
    let pair = q, r
    let u, v = pair if n > 0 else (0, 0)
    return 1000 * q + 100 * r + 10 * i + u - v
",
        "a = [1, 2, 3, 4]; n = 1",
        expect![[r#"
            result 2329
            a = [2, 1, 3, 9]
        "#]],
    );
    // The targets get their values from left to right: the subscript behind is the new one, as it is in Python.
    check(
        "kernel k(a: i32[4]) -> i32:
    let i = 0
    i, a[i] = 2, 7
    a[1], a[1] = 1, 5
    return i
",
        "a = [0, 0, 0, 0]",
        expect![[r#"
            result 2
            a = [0, 5, 7, 0]
        "#]],
    );
    check(
        "kernel k(a: i32[2], n: i32):
    a[0], a[n] = 10 / n, a[1] / n
",
        "a = [1, 2]; n = 0",
        expect![[r#"
            error division-by-zero at `10 / n`: an integer is divided by zero
        "#]],
    );
}

#[test]
fn functions_of_arrays_take_and_make_structs() {
    check(
        "struct V:
    x: f32
    y: f32

fn plus(a: V, b: V):
    return V(a.x + b.x, a.y + b.y)

fn later(s, x: f32):
    let most, at = s
    return (x, at + 1) if x > most else (most, at)

kernel k(x: f32[3], y: f32[3], v: V[3]) -> f32:
    v[:] = map(V, x, y)
    let total = reduce(plus, V(0, 0), v)
    v[0] = total
    v[1:] = scan(\\s x -> V(x.x + s.y, s.x), V(1, 2), v[1:])
    let most, n = reduce(later, (0.0, 0), x)
    return most + 100.0 * f32(n)
",
        "x = [1, 2, 3]; y = [4, 5, 6]; v = [0, 0, 0, 0, 0, 0]",
        expect![[r#"
            result 303.0
            v = [(6.0, 15.0), (4.0, 1.0), (4.0, 4.0)]
        "#]],
    );
}

#[test]
fn lanes_have_structs_of_their_own() {
    check(
        "struct P:
    x: i32
    n: i32

kernel k(a: i32[4]):
    foreach i in range(4):
        let p = P(a[i], 0)
        while p.x > 1:
            p = P(p.x / 2, p.n + 1) if p.x % 2 == 0 else P(3 * p.x + 1, p.n + 1)
        let x, n = p.x, p.n
        x, n = n, x
        a[i] = x + reduce_add(n)
",
        "a = [1, 2, 3, 6]",
        expect![[r#"
            a = [4, 5, 11, 12]
        "#]],
    );
}

#[test]
fn fields_and_parameters_of_builtins_are_given_by_name() {
    check(
        "struct R:
    from: f32
    t: i32
    hit: bool

fn counted(a: i32[4], x):
    a[0] += 1
    return a[0] * 10 + x

kernel k(a: i32[4], b: f32[3], r: R[2]):
    r[0] = R(t=7, hit=true, from=1.5)
    let one = R(2.5, hit=counted(a, 1) == 11, t=counted(a, 2))
    r[1] = one
    a[1] = clamp(hi=counted(a, 1), lo=counted(a, 2), x=35)
    a[2] = clamp(9, hi=5, lo=1)
    b[0] = lerp(t=0.25, a=1, b=3)
    b[1] = select(b=1.0, a=2.0, c=r[0].hit)
    b[2] = sum(a=[1.0, 2.0]) + f32(popcount(x=a[0]))
",
        "a = [0, 0, 0, 0]; b = [0, 0, 0]; r = [0, 0, false, 0, 0, false]",
        expect![[r#"
            a = [4, 31, 5, 0]
            b = [1.5, 2.0, 4.0]
            r = [(1.5, 7, true), (2.5, 22, true)]
        "#]],
    );
}

#[test]
fn operators_go_field_by_field() {
    check(
        "struct V:
    x: f32
    y: f32
    z: f32

struct I:
    a: i32
    v: W
    b: i32

struct W:
    c: i32
    d: i32

fn moved(v: V, by: V, t) -> V:
    return v + t * by

kernel k(v: V[8], i: I[2], c: bool[6]):
    let a = V(1, 2, 3)
    let b = V(4, 6, 8)
    v[0] = a + b * 2 - a / 2
    v[1] = moved(a, b, 0.5)
    v[2] = -a
    v[3] = 1 - a
    v[4] = a
    v[4] += b
    v[4].x -= 10
    v[4] *= 2
    let d = b
    d /= a
    d -= 1
    v[5] = d
    v[6] = min(a, 1.5) if a == V(1, 2, 3) else a
    v[7] = clamp(mix(a, b, t=0.5), V(0, 0, 5), 5) + sqrt(abs(-a * a)) + select(c[0], a, b)
    i[0] = I(1, W(2, 3), 4) * I(2, W(2, 2), 2) - 1
    i[1] = max(i[0], I(0, W(100, 0), 0))
    c[0] = a == a
    c[1] = a == b
    c[2] = a != V(1, 2, 4)
    c[3] = a != a
    c[4] = i[0] == i[1] or a + nan == a + nan
    c[5] = I(1, W(2, 3), 4) == I(1, W(2, 3), 4)
",
        "v = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]; i = [0, 0, 0, 0, 0, 0, 0, 0]; c = [false, false, false, false, false, false]",
        expect![[r#"
            v = [(8.5, 13.0, 17.5), (3.0, 5.0, 7.0), (-1.0, -2.0, -3.0), (0.0, -1.0, -2.0), (-10.0, 16.0, 22.0), (3.0, 2.0, 1.6666667), (1.0, 1.5, 1.5), (7.5, 12.0, 16.0)]
            i = [(1, 3, 5, 7), (1, 100, 5, 7)]
            c = [true, false, true, false, false, true]
        "#]],
    );
}

#[test]
fn structs_are_vectors() {
    check(
        "struct V:
    x: f32
    y: f32
    z: f32

struct P:
    u: f64
    v: f64

kernel k(v: V[4], x: f32[4], p: P[2]) -> f64:
    let a = V(1, 2, 2)
    let b = V(3, 0, 4)
    x[0] = dot(a, b)
    x[1] = length(a)
    x[2] = distance(a, b) ** 2
    x[3] = length(normalize(b))
    v[0] = cross(a, b)
    v[1] = normalize(b)
    v[2] = reflect(a, V(0, 1, 0))
    v[3] = reflect(n=V(0, 1, 0), v=v[0])
    p[0] = normalize(P(3, 4))
    return dot(P(1, 2), P(3, 4)) + f64(length(x))
",
        "v = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]; x = [0, 0, 0, 0]; p = [0, 0, 0, 0]",
        expect![[r#"
            result 15.0
            v = [(8.0, 2.0, -6.0), (0.6, 0.0, 0.8), (1.0, -2.0, 2.0), (8.0, -2.0, -6.0)]
            x = [11.0, 3.0, 12.0, 1.0]
            p = [(0.6, 0.8), (0.0, 0.0)]
        "#]],
    );
}

#[test]
fn vectors_of_the_prelude() {
    check(
        "struct Ray:
    from: vec3
    to: vec3

fn at(ray: Ray, t) -> vec3:
    return ray.from + t * (ray.to - ray.from)

kernel k(v: vec3[4], r: Ray[1], q: vec2[2], w: vec4[1]):
    let a = vec3(1, 2, 3)
    v[0] = a.zyx
    v[1] = at(r[0], 0.5)
    v[2] = at(Ray(to=a, from=-a), 0.25).xxy
    q[0] = r[0].to.yz
    q[1] = v[0].xy.yx + vec2(x=v[0].zyx.x, y=0)
    w[0] = a.zzxx / 2
",
        "v = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]; r = [0, 1, 2, 3, 4, 5]; q = [0, 0, 0, 0]; w = [0, 0, 0, 0]",
        expect![[r#"
            v = [(3.0, 2.0, 1.0), (1.5, 2.5, 3.5), (-0.5, -0.5, -1.0), (0.0, 0.0, 0.0)]
            q = [(4.0, 5.0), (3.0, 3.0)]
            w = [(1.5, 1.5, 0.5, 0.5)]
        "#]],
    );
}

#[test]
fn a_kernel_takes_a_struct() {
    check(
        "struct Camera:
    at: vec3
    zoom: f32
    on: bool

kernel k(camera: Camera, v: vec3[2]) -> f32:
    let moved = camera
    moved.at.x = 5
    for i in range(2):
        v[i] = (v[i] - camera.at) * camera.zoom + moved.at if camera.on else camera.at
    return moved.at.x + camera.at.x
",
        "camera = [1, 2, 3, 0.5, true]; v = [1, 2, 3, 4, 5, 6]",
        expect![[r#"
            result 6.0
            v = [(5.0, 2.0, 3.0), (6.5, 3.5, 4.5)]
        "#]],
    );
}

#[test]
fn fields_have_default_values() {
    check(
        "struct Grid:
    origin: vec3 = vec3(1, 2, z=-3)
    step: f32 = 1 / 4
    n: u8 = u8(200)
    kind: Kind = Kind.High
    shape: Shape = Shape.Rect(h=2, w=0.5)

enum Kind(u8): Low = 3, High

enum Shape:
    Circle(r: f32)
    Rect(w: f32, h: f32)

kernel k(out: f32[8], grids: Grid[2]) -> bool:
    let a = Grid()
    let b = Grid(n=7, step=2.5)
    let c = Grid(vec3(0, 0, 0), kind=Kind.Low)
    out[:] = [a.origin.z, a.step, f32(a.n), f32(i32(a.kind)), b.step, f32(b.n), c.origin.x, f32(i32(c.kind))]
    grids[0] = Grid(n=a.n - 1)
    grids[1] = grids[1]
    return a.shape == Shape.Rect(0.5, 2) and b.shape == a.shape and a != b
",
        "out = [0, 0, 0, 0, 0, 0, 0, 0]; grids = [0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0]",
        expect![[r#"
            result true
            out = [-3.0, 0.25, 200.0, 4.0, 2.5, 7.0, 0.0, 3.0]
            grids = [(1.0, 2.0, -3.0, 0.25, 199, 4, 1, 0.0, 0.5, 2.0), (0.0, 0.0, 0.0, 0.0, 0, 3, 0, 0.0, 0.0, 0.0)]
        "#]],
    );
}

#[test]
fn operators_work_on_arrays_of_structs() {
    check(
        "kernel k(v: vec2[3], w: vec2[3], by: f32[3], same: bool[3], m: mat2) -> f32:
    let total = reduce(+, vec2(0, 0), v)
    let most = reduce(max, vec2(lowest(f32), lowest(f32)), v)
    let ways = scan(+, vec2(0, 0), v)
    same[:] = v == w
    w[:] = (v - w) * by + vec2(1, 2)
    w[1:] *= 2
    w[:2] += ways[1:]
    v[:] = -(m * v)
    return total.x + 10 * total.y + 100 * most.x + 1000 * most.y
",
        "v = [1, 2, 3, 4, 5, 6]; w = [1, 2, 0, 1, 5, 6]; by = [1, 2, 3]; same = [false, false, false]; m = [1, 2, 0, 1]",
        expect![[r#"
            result 6629.0
            v = [(-5.0, -2.0), (-11.0, -4.0), (-17.0, -6.0)]
            w = [(5.0, 8.0), (23.0, 28.0), (2.0, 4.0)]
            same = [true, false, true]
        "#]],
    );
}

#[test]
fn an_array_in_a_struct_is_a_value_too() {
    check(
        "const N = 2

struct S:
    a: i32[2 * N]
    m: f32[2, 2]
    n: i8

fn changed(s: S, at: i32) -> S:
    s.a[at] += 100
    s.m[at % 2] = [7.0, 8.0]
    return s

kernel k(p: S[2], i: i32) -> i32:
    let s = p[i]
    let a = s.a
    a[0] = 50
    let t = changed(s, i + 2)
    s.a = [1, 2, 3, 4]
    s.m *= 2.0
    p[0] = t
    p[1].a[i] = sum(s.a) + a[0]
    p[1].m = s.m
    p[1].m[i, 0] = t.m[i][1]
    p[1].a[2] = p[0].a[i + 2]
    p[0].m[0] = p[1].m[1]
    let last = S(9, [[1.0, 2.0], [3.0, 4.0]], 5)
    last.a[3] = i32(last.m[i, i])
    return sum(last.a)
",
        "p = [1, 2, 3, 4, 0.5, 1.5, 2.5, 3.5, 6, 11, 12, 13, 14, 10.5, 11.5, 12.5, 13.5, 7]; i = 1",
        expect![[r#"
            result 31
            p = [(11, 12, 13, 114, 8.0, 27.0, 7.0, 8.0, 7), (11, 60, 114, 14, 21.0, 23.0, 8.0, 27.0, 7)]
        "#]],
    );
}

#[test]
fn a_cell_of_an_array_in_a_struct_has_to_be_there() {
    check(
        "struct S:
    x: f32
    a: f32[2, 3]

kernel k(p: S[n], out: f32[n], n: i32):
    for i in range(n):
        let s = p[i]
        out[i] = s.a[1, i]
",
        "p = [1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7]; out = [0, 0, 0, 0]; n = 4",
        expect![[r#"
            out = [5.0, 6.0, 7.0, 0.0]
            error index-out-of-range at `s.a[1, i]`, i = 3: the index 3 is out of range: the size there is 3
        "#]],
    );
}

#[test]
fn iterations_collide_at_cells_of_an_array_in_a_struct() {
    let kernel = |subscript: &str| {
        format!(
            "struct S:
    a: i32[8]

kernel k(p: S[1], n: i32):
    foreach i in range(n):
        p[0].a[{subscript}] += i
"
        )
    };
    check(
        &kernel("i"),
        "p = [0, 0, 0, 0, 0, 0, 0, 0]; n = 4",
        expect![[r#"
        p = [(0, 1, 2, 3, 0, 0, 0, 0)]
    "#]],
    );
    check(
        &kernel("i / 2"),
        "p = [0, 0, 0, 0, 0, 0, 0, 0]; n = 4",
        expect![[r#"
        error iterations-collide at `p[0].a[i / 2]`, i = 1, against i = 0: this iteration reads what the one with i = 0 wrote
    "#]],
    );
}

#[test]
fn values_of_a_tuple_are_read_by_their_names() {
    check(
        "fn halves(x) -> (half: f32, twice: f32):
    return x / 2.0, x * 2.0

kernel k(a: f32[2], x: f32) -> (half: f32, sum: f32):
    let t = halves(x)
    let u: (i32, at: f32) = (1, 0.5)
    a[0] = t.twice + halves(t.half).half
    a[1] = u.at
    let half = t.half
    return half, t.half + t.twice
",
        "a = [0, 0]; x = 3; half = [0]; sum = [0]",
        expect![[r#"
            a = [6.75, 0.5]
            half = [1.5]
            sum = [7.5]
        "#]],
    );
}
