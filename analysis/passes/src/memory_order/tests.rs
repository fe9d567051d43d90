//! Members that are computed in the order of their cells.

use expect_test::{Expect, expect};

use super::memory_order;
use crate::{Context, Options};

/// A kernel after the pass and without what it leaves unused.
fn ordered(text: &str) -> (bool, String) {
    let mut kernel = ir::read(text, Some(8)).expect("a kernel").remove(0);
    let options = Options { target: ir::target::find("avx2").expect("a target"), ..Options::default() };
    let changed = memory_order(&mut kernel, &mut Context::new(&options));
    crate::dce(&mut kernel);
    ir::verify(&kernel).expect("a verified kernel");
    (changed, ir::print(&kernel).text)
}

fn check(text: &str, expected: Expect) {
    let (changed, text) = ordered(text);
    assert!(changed);
    expected.assert_eq(&text);
}

#[test]
fn members_that_are_computed_alike_stay_in_their_cells() {
    check(
        "\
kernel k(p: f32[?], q: f32[?], k: f32):
    let a = vector_load(p, 0, lanes=8)
    let b = vector_load(p, 8, lanes=8)
    let c = vector_load(q, 0, lanes=8)
    let d = vector_load(q, 8, lanes=8)
    let x = ((permute(a, b, pattern=[0, 2, 4, 6, 8, 10, 12, 14]) * k) + permute(c, d, pattern=[0, 2, 4, 6, 8, 10, 12, 14]))
    let y = (permute(c, d, pattern=[1, 3, 5, 7, 9, 11, 13, 15]) + (permute(a, b, pattern=[1, 3, 5, 7, 9, 11, 13, 15]) * k))
    vector_store(p, 0, permute(x, y, pattern=[0, 8, 1, 9, 2, 10, 3, 11]))
    vector_store(p, 8, permute(x, y, pattern=[4, 12, 5, 13, 6, 14, 7, 15]))
",
        expect![[r#"
            kernel k(p, q, k):
                let a = vector_load(p, 0)
                let b = vector_load(p, 8)
                let c = vector_load(q, 0)
                let d = vector_load(q, 8)
                vector_store(p, 0, ((a * k) + c))
                vector_store(p, 8, ((b * k) + d))
        "#]],
    );
}

/// Scalars that differ from member to member are a vector, which has to be there before it is used: in front of the loop, or of the
/// first shuffle where there is no loop.
#[test]
fn factors_of_their_own_are_packed_in_front() {
    check(
        "\
kernel k(p: f32[?], n: i32, v: f32, w: f32):
    let a = vector_load(p, 0, lanes=8)
    let b = vector_load(p, 8, lanes=8)
    let g = (v * v)
    let h = (w * w)
    let x = (permute(a, b, pattern=[0, 2, 4, 6, 8, 10, 12, 14]) * g)
    let y = (permute(a, b, pattern=[1, 3, 5, 7, 9, 11, 13, 15]) * h)
    vector_store(p, 0, permute(x, y, pattern=[0, 8, 1, 9, 2, 10, 3, 11]))
    vector_store(p, 8, permute(x, y, pattern=[4, 12, 5, 13, 6, 14, 7, 15]))
",
        expect![[r#"
            kernel k(p, n: i32, v, w):
                let a = vector_load(p, 0)
                let b = vector_load(p, 8)
                let g = (v * v)
                let h = (w * w)
                let _0 = pack(g, h, g, h, g, h, g, h)
                vector_store(p, 0, (a * _0))
                vector_store(p, 8, (b * _0))
        "#]],
    );
}

/// The root is taken once for each pixel, and shuffled to its members: it costs more than a shuffle.
#[test]
fn what_members_share_is_repeated() {
    let of = |shared: &str| {
        format!(
            "\
kernel k(p: f32[?], q: f32[?]):
    let a = vector_load(p, 0, lanes=8)
    let b = vector_load(p, 8, lanes=8)
    let x = permute(a, b, pattern=[0, 2, 4, 6, 8, 10, 12, 14])
    let y = permute(a, b, pattern=[1, 3, 5, 7, 9, 11, 13, 15])
    let s = {shared}
    let v = (x * s)
    let w = (y * s)
    vector_store(p, 0, permute(v, w, pattern=[0, 8, 1, 9, 2, 10, 3, 11]))
    vector_store(p, 8, permute(v, w, pattern=[4, 12, 5, 13, 6, 14, 7, 15]))
"
        )
    };
    check(
        &of("sqrt(vector_load(q, 0, lanes=8))"),
        expect![[r#"
            kernel k(p, q):
                let a = vector_load(p, 0)
                let b = vector_load(p, 8)
                let s = sqrt(vector_load(q, 0))
                vector_store(p, 0, (a * permute(s, pattern=[0, 0, 1, 1, 2, 2, 3, 3])))
                vector_store(p, 8, (b * permute(s, pattern=[4, 4, 5, 5, 6, 6, 7, 7])))
        "#]],
    );
    check(
        &of("(-y)"),
        expect![[r#"
            kernel k(p, q: f32[?]):
                let a = vector_load(p, 0)
                let b = vector_load(p, 8)
                vector_store(p, 0, (a * (-permute(a, pattern=[1, 1, 3, 3, 5, 5, 7, 7]))))
                vector_store(p, 8, (b * (-permute(b, pattern=[1, 1, 3, 3, 5, 5, 7, 7]))))
        "#]],
    );
}

/// Factors that differ from member to member are a vector that is made before the loop, and a member that stays is put in between.
#[test]
fn members_may_have_other_factors_or_stay() {
    check(
        "\
kernel k(p: f32[?], n: i32, k: f32):
    vector_for i in range(0, n, 8):
        let at = (index(i) *% 2)
        let a = vector_load(p, at, lanes=8)
        let b = vector_load(p, (at +% 8), lanes=8)
        let x = (permute(a, b, pattern=[0, 2, 4, 6, 8, 10, 12, 14]) * k)
        let y = (permute(a, b, pattern=[1, 3, 5, 7, 9, 11, 13, 15]) * 0.5)
        vector_store(p, at, permute(x, y, pattern=[0, 8, 1, 9, 2, 10, 3, 11]))
        vector_store(p, (at +% 8), permute(x, y, pattern=[4, 12, 5, 13, 6, 14, 7, 15]))
",
        expect![[r#"
            kernel k(p, n, k):
                let _0 = pack(k, 0.5, k, 0.5, k, 0.5, k, 0.5)
                vector_for i in range(0, n, LANES):
                    let at = (index(i) *% 2)
                    let a = vector_load(p, at)
                    let b = vector_load(p, (at +% 8))
                    vector_store(p, at, (a * _0))
                    vector_store(p, (at +% 8), (b * _0))
        "#]],
    );
    check(
        "\
kernel k(p: f32[?]):
    let a = vector_load(p, 0, lanes=8)
    let b = vector_load(p, 8, lanes=8)
    let x = (permute(a, b, pattern=[0, 2, 4, 6, 8, 10, 12, 14]) * 0.5)
    let y = permute(a, b, pattern=[1, 3, 5, 7, 9, 11, 13, 15])
    vector_store(p, 0, permute(x, y, pattern=[0, 8, 1, 9, 2, 10, 3, 11]))
    vector_store(p, 8, permute(x, y, pattern=[4, 12, 5, 13, 6, 14, 7, 15]))
",
        expect![[r#"
            kernel k(p):
                let a = vector_load(p, 0)
                let b = vector_load(p, 8)
                vector_store(p, 0, permute((a * 0.5), a, pattern=[0, 9, 2, 11, 4, 13, 6, 15]))
                vector_store(p, 8, permute((b * 0.5), b, pattern=[0, 9, 2, 11, 4, 13, 6, 15]))
        "#]],
    );
}

#[test]
fn parts_of_regrouped_vectors_are_regrouped_alone() {
    check(
        "\
kernel k(p: u8[?]):
    let a = vector_load(p, 0, lanes=16)
    let b = vector_load(p, 16, lanes=16)
    let r = regroup(a, b, type=u16x16)
    let x = (permute(r, pattern=[0, 2, 4, 6, 8, 10, 12, 14]) >> 1)
    let y = (permute(r, pattern=[1, 3, 5, 7, 9, 11, 13, 15]) >> 1)
    vector_store(p, 0, regroup(permute(x, y, pattern=[0, 8, 1, 9, 2, 10, 3, 11]), type=u8x16))
    vector_store(p, 16, regroup(permute(x, y, pattern=[4, 12, 5, 13, 6, 14, 7, 15]), type=u8x16))
",
        expect![[r#"
            kernel k(p: u8[?]):
                let a = vector_load(p, 0, lanes=16)
                let b = vector_load(p, 16, lanes=16)
                vector_store(p, 0, regroup((regroup(a, type=u16x8) >> 1), type=u8x16))
                vector_store(p, 16, regroup((regroup(b, type=u16x8) >> 1), type=u8x16))
        "#]],
    );
}

/// Nothing goes where members have nothing in common, or are asked for by themselves as well.
#[test]
fn what_gains_nothing_stays() {
    for (x, y, rest) in [
        ("(a + b)", "(a * b)", ""),
        ("reverse(a)", "reverse(b)", ""),
        ("(a * 2.0)", "(b * 3.0)", "    vector_store(q, 0, x)\n    vector_store(q, 8, y)\n"),
    ] {
        let text = format!(
            "\
kernel k(p: f32[?], q: f32[?]):
    let a = vector_load(p, 0, lanes=8)
    let b = vector_load(p, 8, lanes=8)
    let x = {x}
    let y = {y}
    vector_store(p, 0, permute(x, y, pattern=[0, 8, 1, 9, 2, 10, 3, 11]))
    vector_store(p, 8, permute(x, y, pattern=[4, 12, 5, 13, 6, 14, 7, 15]))
{rest}"
        );
        let (changed, after) = ordered(&text);
        assert!(!changed, "{text}\n{after}");
    }
}
