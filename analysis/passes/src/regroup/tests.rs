//! Vectors that are seen as elements of another size.

use expect_test::expect;

use super::regroup;

/// A kernel after the pass and without what it leaves unused.
fn regrouped(text: &str) -> String {
    let mut kernel = ir::read(text, Some(8)).expect("a kernel").remove(0);
    regroup(&mut kernel);
    crate::dce(&mut kernel);
    ir::verify(&kernel).expect("a verified kernel");
    ir::print(&kernel).text
}

#[test]
fn bytes_at_even_distances_are_taken_out_of_words() {
    let text = "\
kernel k(a: u8[?], o: u32[?], p: i32[?], q: f32[?], r: u16[?]):
    let x = vector_load(a, 0, lanes=16)
    let y = vector_load(a, 16, lanes=16)
    vector_store(o, 0, u32(permute(x, y, pattern=[0, 4, 8, 12, 16, 20, 24, 28])))
    vector_store(o, 8, u32(permute(x, y, pattern=[3, 7, 11, 15, 19, 23, 27, 31])))
    vector_store(p, 0, i32(permute(x, y, pattern=[1, 5, 9, 13, 17, 21, 25, 29])))
    vector_store(q, 0, f32(permute(x, y, pattern=[2, 6, 10, 14, 18, 22, 26, 30])))
    vector_store(r, 0, u16(permute(x, y, pattern=[1, 5, 9, 13, 17, 21, 25, 29])))
    vector_store(r, 0, u16(permute(x, pattern=[0, 2, 4, 6, 8, 10, 12, 14])))
    vector_store(o, 0, u32(permute(x, pattern=[0, 2, 4, 6, 8, 10, 12, 14])))
    vector_store(o, 0, u32(permute(x, y, pattern=[0, 3, 6, 9, 12, 15, 18, 21])))
    vector_store(o, 0, u32(permute(x, y, pattern=[0, 6, 12, 18, 24, 30, 31, 31])))
";
    expect![[r#"
        kernel k(a: u8[?], o: u32[?], p, q, r: u16[?]):
            let x = vector_load(a, 0, lanes=16)
            let y = vector_load(a, 16, lanes=16)
            let _0 = regroup(x, y, type=u32x8)
            vector_store(o, 0, (_0 & 255))
            vector_store(o, 8, (_0 >> 24))
            vector_store(p, 0, i32(((_0 >> 8) & 255)))
            vector_store(q, 0, f32(i32(((_0 >> 16) & 255))))
            vector_store(r, 0, (permute(regroup(x, y, type=u16x16), pattern=[0, 2, 4, 6, 8, 10, 12, 14]) >> 8))
            let _1 = regroup(x, type=u16x8)
            vector_store(r, 0, (_1 & 255))
            vector_store(o, 0, u32((_1 & 255)))
            vector_store(o, 0, u32(permute(x, y, pattern=[0, 3, 6, 9, 12, 15, 18, 21])))
            vector_store(o, 0, u32(permute(x, y, pattern=[0, 6, 12, 18, 24, 30, 31, 31])))
    "#]]
    .assert_eq(&regrouped(text));
}

#[test]
fn signed_elements_keep_their_sign() {
    let text = "\
kernel k(a: i16[?], p: i32[?], q: f32[?], r: f64[?]):
    let x = vector_load(a, 0, lanes=16)
    vector_store(p, 0, i32(permute(x, pattern=[0, 2, 4, 6, 8, 10, 12, 14])))
    vector_store(q, 0, f32(permute(x, pattern=[1, 3, 5, 7, 9, 11, 13, 15])))
    vector_store(r, 0, f64(permute(x, pattern=[0, 4, 8, 12])))
";
    expect![[r#"
        kernel k(a: i16[?], p, q, r: f64[?]):
            let x = vector_load(a, 0, lanes=16)
            let _0 = regroup(u16(x), type=u32x8)
            vector_store(p, 0, (i32((_0 << 16)) >> 16))
            vector_store(q, 0, f32((i32(_0) >> 16)))
            vector_store(r, 0, f64((i32((permute(_0, pattern=[0, 2, 4, 6]) << 16)) >> 16)))
    "#]]
    .assert_eq(&regrouped(text));
}

#[test]
fn bytes_that_take_turns_are_put_into_words() {
    let text = "\
kernel k(a: i32[?], o: u8[?], b: u8[?], c: u16[?], p: i8[?]):
    let x = vector_load(a, 0, lanes=8)
    let y = vector_load(a, 8, lanes=8)
    vector_store(o, 0, permute(u8(x), u8(max(0, min(y, 255))), pattern=[0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]))
    let z = u8(((x & 63) >> 2))
    vector_store(o, 0, permute(u8((y & 15)), z, u8(y), vector_load(b, 0, lanes=8), pattern=[0, 8, 16, 24, 1, 9, 17, 25]))
    let v = vector_load(c, 0, lanes=8)
    let w = permute(vector_load(b, 0, lanes=16), pattern=[1, 3, 5, 7, 9, 11, 13, 15])
    vector_store(o, 0, permute(u8(v), u8((v >> 8)), u8((v >> 9)), w, pattern=[0, 8, 16, 24, 1, 9, 17, 25]))
    vector_store(p, 0, permute(i8(x), i8(y), pattern=[0, 8, 1, 9, 2, 10, 3, 11]))
    vector_store(o, 0, permute(u8(x), u8(y), pattern=[0, 9, 1, 10, 2, 11, 3, 12]))
";
    expect![[r#"
        kernel k(a, o: u8[?], b: u8[?], c: u16[?], p: i8[?]):
            let x = vector_load(a, 0)
            let y = vector_load(a, 8)
            vector_store(o, 0, regroup(u16(((u32(x) & 255) | (u32(max(0, min(y, 255))) << 8))), type=u8x16))
            vector_store(o, 0, regroup(permute((((u32((y & 15)) | (u32(((x & 63) >> 2)) << 8)) | ((u32(y) & 255) << 16)) | (u32(vector_load(b, 0)) << 24)), pattern=[0, 1]), type=u8x8))
            let v = vector_load(c, 0)
            vector_store(o, 0, regroup(permute(((v & 255) | ((v >> 8) << 8)), ((v >> 9) | ((regroup(vector_load(b, 0, lanes=16), type=u16x8) >> 8) << 8)), pattern=[0, 8, 1, 9]), type=u8x8))
            vector_store(p, 0, i8(regroup(permute(u16(((u32(x) & 255) | (u32(y) << 8))), pattern=[0, 1, 2, 3]), type=u8x8)))
            vector_store(o, 0, permute(u8(x), u8(y), pattern=[0, 9, 1, 10, 2, 11, 3, 12]))
    "#]].assert_eq(&regrouped(text));
}
