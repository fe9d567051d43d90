//! Operations on whole arrays: what the stage `arrays` says of their elements.

use std::sync::Arc;

use expect_test::{Expect, expect};
use passes::pipeline::Options;
use queries::db;
use queries::db::{Database, File};

/// The kernels of a text at the stage `arrays`, with what became of the elements of arrays.
fn check_arrays(text: &str, expect: Expect) {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let stage = queries::stages::stage("arrays").expect("a stage of the list");
    let mut out = String::new();
    for &item in db::file_items(&db, file) {
        let Some(kernel) = stage.kernel(&db, item, Options::default()) else { continue };
        let shown = stage.of(&db, item, Options::default()).text();
        let again = ir::read(&shown, None).unwrap_or_else(|error| panic!("{error}\n{shown}")).remove(0);
        assert_eq!(ir::canonical(&again), ir::canonical(&kernel), "comments are skipped:\n{shown}");
        out.push_str(&shown);
    }
    expect.assert_eq(&out);
}

#[test]
fn operations_on_arrays_say_whether_their_elements_go_in_lanes() {
    check_arrays(
        "\
kernel ways(a: f32[n], b: f32[n], m: f32[n, k], out: f32[n], rows: f32[n, k], n: i32, k: i32) -> f32:
    let c = a + b * 2.0
    out[:] = map(\\x -> sqrt(x), c)
    let total = reduce(\\s x -> s + x, 0.0, out)
    let count = reduce(\\s x -> s + i32(x), 0, a)
    let before = scan(\\s x -> s + x, 0.0, a)
    rows[:] = map(\\row -> map(\\x -> x * total, row), m)
    return total + f32(count) + before[0]
",
        expect![[r#"
            kernel ways(a: f32[n], b: f32[n], m: f32[n, k], out: f32[n], rows: f32[n, k], n, k) -> f32:
                let _0: f32[n] = (b * 2.0)  # fused, 8 lanes
                let c: f32[n] = (a + _0)  # fused, 8 lanes
                let _1: f32[n] = map x in c:  # fused, 8 lanes
                    yield sqrt(x)
                let _2 = size(out)
                assign(slice(out, i64(0), size(out), i64(1)), _1)  # 8 lanes
                let total = reduce x_1 in out with s = 0.0:  # in order: ordered-float-sum
                    yield (s + x_1)
                let count = reduce x_2 in a with s_1 = 0:  # 8 lanes
                    yield (s_1 + i32(x_2))
                let before: f32[n] = scan x_3 in a with s_2 = 0.0:  # in order: prefix-sum
                    yield (s_2 + x_3)
                let _3: f32[n, k] = map row in m:  # fused, 8 lanes
                    let _4: f32[k] = map x_4 in row:  # fused, 8 lanes
                        yield (x_4 * total)
                    yield _4
                let _5 = size(rows)
                assign(slice(rows, i64(0), size(rows), i64(1)), _3)  # 8 lanes
                return ((total + f32(count)) + before[0])
        "#]],
    );
}

#[test]
fn small_arrays_in_registers_and_operations_inside_of_lanes() {
    check_arrays(
        "\
kernel small(p: f32[n, 3], out: f32[n], n: i32):
    foreach i in range(n):
        let v = p[i] * p[i]
        out[i] = v[0] + v[1] + v[2]
",
        expect![[r#"
            kernel small(p: f32[n, 3], out: f32[n], n):
                foreach i in range(0, n):
                    let v: f32[3] = (row(p, i) * row(p, i))  # fused, 8 lanes
                    out[i] = ((v[0] + v[1]) + v[2])
        "#]],
    );
}

#[test]
fn indices_and_single_values_are_where_they_are_used() {
    check_arrays(
        "\
kernel k(a: f32[n], b: f32[n], n: i32):
    a[:] = map(\\i -> f32(i) * 2.0, iota(n)) + replicate(n, 1.0)
    b[:] = reverse(a)
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], n):
                let _0: i32[n] = iota(n)  # fused, 8 lanes
                let _1: f32[n] = map i in _0:  # fused, 8 lanes
                    yield (f32(i) * 2.0)
                let _2: f32[n] = replicate(n, 1.0)  # fused, 8 lanes
                let _3: f32[n] = (_1 + _2)  # fused, 8 lanes
                let _4 = size(a)
                assign(slice(a, i64(0), size(a), i64(1)), _3)  # 8 lanes
                let _5: i32[n] = iota(i32(size(a)))  # fused, 8 lanes
                let _6: f32[n] = map i_1 in _5:  # fused, 8 lanes
                    yield a[((i32(size(a)) - 1) - i_1)]
                let _7 = size(b)
                assign(slice(b, i64(0), size(b), i64(1)), _6)  # 8 lanes
        "#]],
    );
}
