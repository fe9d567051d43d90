//! The matrices of the prelude: products, and what is made of them.

use expect_test::expect;

use super::fixture::check;

#[test]
fn products_go_from_the_first_field_to_the_last() {
    check(
        "kernel k(out: f32[8]):
    let a = mat2(vec2(1, 2), vec2(3, 4))
    let b = mat2(vec2(5, 6), vec2(7, 8))
    let c = a * b
    out[0], out[1], out[2], out[3] = c.x.x, c.x.y, c.y.x, c.y.y
    let v = a * vec2(1, 10)
    let w = vec2(1, 10) * a
    out[4], out[5], out[6], out[7] = v.x, v.y, w.x, w.y
",
        "out = [0, 0, 0, 0, 0, 0, 0, 0]",
        expect![[r#"
            out = [19.0, 22.0, 43.0, 50.0, 21.0, 43.0, 31.0, 42.0]
        "#]],
    );
    check(
        "kernel k(out: f32[6]):
    let a = mat2(vec2(1, 2), vec2(3, 4))
    a *= a
    a -= diagonal(vec2(1, 1))
    out[0], out[1], out[2], out[3] = a.x.x, a.x.y, a.y.x, a.y.y
    let v = (2 * a + a / 2) * vec2(1, 0)
    out[4], out[5] = v.x, v.y
",
        "out = [0, 0, 0, 0, 0, 0]",
        expect![[r#"
            out = [6.0, 10.0, 15.0, 21.0, 15.0, 37.5]
        "#]],
    );
}

#[test]
fn determinants_and_inverses() {
    check(
        "fn row(v: vec3, out, at):
    out[at], out[at + 1], out[at + 2] = v.x, v.y, v.z

kernel k(out: f32[11]):
    let m = mat3(vec3(2, 0, 1), vec3(1, 3, 2), vec3(1, 1, 2))
    out[0] = determinant(m)
    let i = inverse(m) * m
    row(i.x, out, 1)
    row(i.y, out, 4)
    row(i.z, out, 7)
    let v = transpose(m).x
    out[10] = v.x * 100 + v.y * 10 + v.z
",
        "out = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
        expect![[r#"
            out = [6.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 211.0]
        "#]],
    );
    check(
        "kernel k(out: f32[6]):
    let m = mat4(vec4(2, 0, 0, 1), vec4(0, 4, 0, 0), vec4(0, 1, 1, 0), vec4(1, 0, 0, 1))
    out[0], out[1] = determinant(m), determinant(mat2(vec2(1, 2), vec2(3, 4)))
    let v = inverse(m) * vec4(1, 4, 3, 1)
    out[2], out[3], out[4], out[5] = v.x, v.y, v.z, v.w
",
        "out = [0, 0, 0, 0, 0, 0]",
        expect![[r#"
            out = [4.0, -2.0, 0.0, 1.0, 2.0, 1.0]
        "#]],
    );
}
