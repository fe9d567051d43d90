//! What is decided at compile time means what it means written out.

use expect_test::expect;

use super::fixture::check;

#[test]
fn a_static_for_is_written_out() {
    check(
        "fn poly[N: const i32](c: f32[N], x: f32) -> f32:
    let s = c[N - 1]
    static for k in range(N - 2, -1, -1):
        s = s * x + c[k]
    return s

const THREE = 1 + 2

kernel k(a: f32[4]):
    a[0] = poly([1.0, 2.0, 3.0], 10.0)
    a[1] = poly[2]([1.0, 2.0], 10.0)
    a[2] = poly[THREE]([1.0, 0.0, 1.0], a[0])
    static for i in range(4):
        static if i == 1:
            continue
        static if i == 3:
            break
        a[i] += f32(i)
",
        "a = [0, 0, 0, 9]",
        expect![[r#"
            a = [321.0, 21.0, 103044.0, 9.0]
        "#]],
    );
}

#[test]
fn types_are_those_of_the_instance() {
    check(
        "fn larger[T](x: T, y: T) -> T:
    let z: T = T(0) + y
    return x if x > z else z

fn sum[T, N: const i32 = 2](x: T[N]) -> T:
    let s = T(0)
    static for k in range(N):
        s += x[k]
    return s

kernel body[T, R: const i32](a: T[4], s: T):
    a[0] = larger(a[0], s)
    a[1] = larger[T](a[1], 1) + T(R)
    a[2] = sum(a[0:3])
    a[3] = sum[T, 2](a[0:2]) + largest(T)

kernel k = body[f64, R = 3]
",
        "a = [1, 2, 3, 4]; s = 2.5",
        expect![[r#"
            a = [2.5, 5.0, 10.5, 1.7976931348623157e308]
        "#]],
    );
}

#[test]
fn a_function_may_end_in_a_round() {
    check(
        "fn first[N: const i32](x: i32) -> i32:
    static for k in range(10):
        static if k * k >= N:
            return k + x
    return -1

fn twice(x: i32) -> i32:
    return 2 * x

kernel k(a: i32[3]) -> i32:
    a[0] = first[5](10)
    a[1] = first[1000](10)
    static if twice(3) == 6:
        a[2] = 6
    static assert twice(2) == 4
    return first[0](7)
",
        "a = [0, 0, 0]",
        expect![[r#"
            result 7
            a = [13, -1, 6]
        "#]],
    );
}

#[test]
fn arguments_in_brackets_have_names() {
    check(
        "fn scaled[D: const i32, N: const i32, E: const i32 = 1](c: f32[N], x: f32) -> f32:
    return c[N - 1] * x * f32(D) + f32(E)

kernel k(a: f32[4]):
    a[0] = scaled[D=2](a, 10.0)
    a[1] = scaled[N=4, D=3](a, 10.0)
    a[2] = scaled[3, E=5](a, 10.0)
",
        "a = [0, 0, 0, 9]",
        expect![[r#"
            a = [181.0, 271.0, 275.0, 9.0]
        "#]],
    );
}

#[test]
fn names_of_a_static_branch_are_known_behind_it() {
    check(
        "fn f[K: const i32](x: f32) -> f32:
    static if K == 0:
        let y = x
        let z: i32 = 7
    elif K == 1:
        let y: f32 = 2
        let z = 3.5
    else:
        static if K == 2:
            let y = x * x
        else:
            let y = -x
        z = true
    y += 1
    return y + f32(z)

kernel k(a: f32[4]):
    static for i in range(4):
        static if i == 1:
            let t = a[i] + 1
        else:
            let t = a[i]
        t *= 2
        a[i] = t
    a[0] += f[0](a[0])
    a[1] += f[1](a[1])
    a[2] += f[2](a[2])
    a[3] += f[3](a[3])
",
        "a = [1, 2, 3, 4]",
        expect![[r#"
            a = [12.0, 12.5, 44.0, 2.0]
        "#]],
    );
}

#[test]
fn results_that_are_no_scalars_go_out_by_parameters() {
    check(
        "struct Hit:
    at: i32
    value: f32

fn ends(a: f32[n]):
    return minimum(a), maximum(a)

kernel k(a: f32[3], x: f32, result: Hit[1]) -> Hit:
    let hit = Hit(-1, inf)
    for i in range(3):
        if a[i] == x:
            return Hit(i, a[i])
        if abs(a[i] - x) < abs(hit.value - x):
            hit = Hit(i, a[i])
    return hit
",
        "a = [1, 5, 3]; x = 2.75; result = [9, 9]; result_ = [0, 0]",
        expect![[r#"
            result_ = [(2, 3.0)]
        "#]],
    );
    check(
        "fn ends(a: f32[n]):
    return minimum(a), maximum(a)

kernel k(a: f32[3], x: f32) -> (f32, vec2, f32):
    if x > 9:
        return 1, vec2(2, 3), 4
    let lo, hi = ends(a)
    return lo, vec2(x, x), hi
",
        "a = [1, 5, 3]; x = 2.75; result0 = [0]; result1 = [0, 0]; result2 = [0]",
        expect![[r#"
            result0 = [1.0]
            result1 = [(2.75, 2.75)]
            result2 = [5.0]
        "#]],
    );
    check(
        "fn ends(a: f32[n]):
    return minimum(a), maximum(a)

kernel k(a: f32[3]) -> (f32, f32):
    return ends(a)
",
        "a = [1, 5, 3]; result0 = [0]; result1 = [0]",
        expect![[r#"
            result0 = [1.0]
            result1 = [5.0]
        "#]],
    );
}
