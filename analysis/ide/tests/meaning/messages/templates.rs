//! What is decided at compile time: parameters in brackets, instances, `static` statements.

use expect_test::expect;

use crate::messages::check;

#[test]
fn arguments_in_brackets() {
    check(
        r"
fn poly[N: const i32](c: f32[N], x: f32) -> f32:
    return c[N - 1] * x

fn plain(x: f32) -> f32:
    return x

kernel k(c: f32[n], d: f32[4], a: f32[n], n: i32):
    a[0] = poly(c, 1.0)
    a[1] = poly[n](d, 1.0)
    a[2] = poly[f32](d, 1.0)
    a[3] = poly[4, 5](d, 1.0)
    a[4] = plain[4](a[0])
    a[5] = poly[3](d, 1.0)
    a[6] = poly[1.5](d, 1.0)
    a[7] = poly(x=1.0, c=d)
",
        expect![[""]],
    );
}

#[test]
fn instances() {
    check(
        r"
kernel blur[R: const i32, S: const i32 = 1](a: f32[n], out: f32[n], n: i32):
    static assert R > 0 and S > 0
    static if R > 1:
        out[R] = a[S] + 1
    else:
        out[R] = a[S] + true

kernel two = blur[2]
kernel one = blur[1]
kernel none = blur[0]
kernel many = blur[1, 2, 3]
kernel named = blur[T=2]
kernel left_out = blur[S=2]
kernel of_float = blur[2.5]
kernel of_type = blur[f32]
kernel of_plain = two[3]
kernel of_nothing = blurr[3]
kernel alone = blur
",
        expect![[""]],
    );
}

#[test]
fn no_instance() {
    check(
        r"
kernel blur[R: const i32, T](a: T[n], n: i32):
    a[R] = a[0] + true
",
        expect![[""]],
    );
}

#[test]
fn static_statements() {
    check(
        r"
kernel k(a: f32[n], n: i32):
    static for i in range(n):
        a[i] += 1
    static for x in a:
        a[0] += x
    static if a[0] > 1:
        a[0] = 1
    static if 3:
        a[0] = 2
    static assert 2 + 2 == 5
    static for i in range(100000):
        a[0] += f32(i)
    static for i in range(4):
        if a[i] > 1:
            break
    static for i in range(0, 4, 0):
        a[i] = 1
    static while n > 3:
        a[0] = 3
",
        expect![[""]],
    );
}

#[test]
fn spellings_of_others() {
    check(
        r"
kernel blur<R>(a: f32[n], n: i32):
    a[R] = 1.0
",
        expect![[""]],
    );
    check(
        r"
fn poly[const N: i32](c: f32[N]) -> f32:
    return c[0]

fn twice[N: i32](c: f32[N]) -> f32:
    return c[0]
",
        expect![[""]],
    );
    check(
        r"
kernel k(a: f32[n], n: i32):
    if constexpr (n > 3):
        a[0] = 1.0
    a[1] = poly<4>(a)
",
        expect![[""]],
    );
}
