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
