//! Tests of the places of new arrays, and of those that start unset.

use expect_test::{Expect, expect};

use crate::pipeline::Options;
use crate::{Context, Pass, SCRATCH, UNSET};
use ir::{canonical, print, read, verify};

fn check(pass: Pass, text: &str, expect: Expect) {
    let options = Options::default();
    let mut kernel = read(text, Some(8)).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let before = canonical(&kernel);
    let mut context = Context::new(&options);
    let changed = pass.apply(&mut kernel, &mut context);
    assert_eq!(verify(&kernel), Ok(()));
    assert_eq!(changed, canonical(&kernel) != before, "whether `{}` changed anything", pass.name);
    let mut shown = print(&kernel).text;
    let again = read(&shown, Some(8)).unwrap_or_else(|error| panic!("{error}\n{shown}")).remove(0);
    assert_eq!(canonical(&again), canonical(&kernel), "{shown}");
    if let Some(bytes) = kernel.scratch_text() {
        shown += &format!("{bytes} bytes\n");
    }
    for decision in context.take_decisions().iter().filter(|decision| !decision.taken) {
        let because: Vec<String> = decision.because.iter().map(ToString::to_string).collect();
        shown += &format!("left {}: {}\n", decision.code.name(), because.join(", "));
    }
    expect.assert_eq(&shown);
}

#[test]
fn arrays_lie_behind_those_that_live_and_share_the_room_of_others() {
    // `u` lies behind `t`, which lives on; `v` and `w` are of branches, and `x` is as large as `t`, which is dead.
    check(
        SCRATCH,
        "\
kernel k(a: f32[n], n: i32, c: bool):
    let small = temp(16, type=f32)
    let t = temp(n, type=f32)
    let u = temp(n, 4, type=u8)
    if c:
        let v = temp(n, type=f64)
        a[0] = (f32(v[0]) + small[0])
    else:
        let w = temp(n, type=f64)
        a[1] = f32(w[0])
    a[2] = (t[0] + f32(u[0, 0]))
    let x = temp(n, unset=f32)
    x[0] = 1.0
    a[3] = x[0]
",
        expect![[r#"
            @scratch(((aligned(array(4, n)) + aligned(array(1, n, 4))) + array(8, n)))
            kernel k(a: f32[n], n, c: bool):
                let _0 = index(n)
                let _1 = (((4 *% max(_0, 0)) +% 63) & -64)
                let _2 = (_1 +% (((4 *% max(_0, 0)) +% 63) & -64))
                let small = temp(16, type=f32)
                let t = scratch(i64(0), n, type=f32)
                let u = scratch(_1, n, 4, type=u8)
                if c:
                    let v = scratch(_2, n, type=f64)
                    a[0] = (f32(v[0]) + small[0])
                else:
                    let w = scratch(_2, n, type=f64)
                    a[1] = f32(w[0])
                a[2] = (t[0] + f32(u[0, 0]))
                let x = scratch(i64(0), n, unset=f32)
                x[0] = 1.0
                a[3] = x[0]
            aligned(4 * n) + aligned(n * 4) + 8 * n bytes
        "#]],
    );
}

#[test]
fn sizes_that_change_count_with_the_most_that_they_are() {
    check(
        SCRATCH,
        "\
kernel k(a: f32[n], b: f32[?, m], n: i32, m: u32):
    let rows = temp(size(b), (m - u32(1)), type=f32)
    for i in range(0, n):
        let t = temp((i + 1), type=f32)
        a[i] = t[0]
        let u = temp(min(i32(a[0]), 100000), type=f32)
        a[i] = u[0]
        for j in range((n - 1), 0, -2):
            let v = temp(((n - j) // 2), type=f32)
            a[j] = v[0]
    a[0] = rows[0, u32(0)]
",
        expect![[r#"
            @scratch((((aligned(array(4, size(b, 0), wrapped((m - 1), u32))) + aligned(array(4, n))) + 400000) + array(4, ((n - 1) // 2))))
            kernel k(a: f32[n], b: f32[?, m], n, m: u32):
                let _0 = ((((4 *% max(size(b), 0)) *% max(index(u32((index(m) -% 1))), 0)) +% 63) & -64)
                let _1 = (_0 +% (((4 *% max(index(n), 0)) +% 63) & -64))
                let _2 = (_1 +% 400000)
                let rows = scratch(i64(0), size(b), (m - 1), type=f32)
                for i in range(0, n):
                    let t = scratch(_0, (i + 1), type=f32)
                    a[i] = t[0]
                    let u = scratch(_1, min(i32(a[0]), 100000), type=f32)
                    a[i] = u[0]
                    for j in range((n - 1), 0, -2):
                        let v = scratch(_2, ((n - j) // 2), type=f32)
                        a[j] = v[0]
                a[0] = rows[0, u32(0)]
            aligned(4 * length(b) * wrapped(m - 1, u32)) + aligned(4 * n) + 400000 + 4 * ((n - 1) // 2) bytes
        "#]],
    );
}

/// The steps and the ends are told by data.
#[test]
fn a_slice_has_no_more_cells_than_what_it_is_of() {
    check(
        SCRATCH,
        "\
kernel k(a: f32[n], at: i64[n], n: i32):
    let every = slice(a, i64(0), index(n), at[0])
    let t = temp(size(every), type=f32)
    a[0] = t[0]
    let part = slice(a, at[1], at[2], i64(1))
    let u = temp(size(part), type=f32)
    a[0] = u[0]
",
        expect![[r#"
            @scratch(array(4, n))
            kernel k(a: f32[n], at: i64[n], n):
                let every = slice(a, i64(0), index(n), at[0])
                let t = scratch(i64(0), size(every), type=f32)
                a[0] = t[0]
                let part = slice(a, at[1], at[2], i64(1))
                let u = scratch(i64(0), size(part), type=f32)
                a[0] = u[0]
            4 * n bytes
        "#]],
    );
}

#[test]
fn arrays_whose_bytes_nobody_can_tell_are_left() {
    check(
        SCRATCH,
        "\
kernel k(a: i32[n], n: i32):
    let count = for i in range(0, n) with s = 0:
        yield (s + a[i])
    let t = temp(count, type=f32)
    a[0] = i32(t[0])
    let u = temp(a[1], type=f32)
    a[0] = i32(u[0])
",
        expect![[r#"
            kernel k(a: i32[n], n):
                let count = for i in range(0, n) with s = 0:
                    yield (s + a[i])
                let t = temp(count, type=f32)
                a[0] = i32(t[0])
                let u = temp(a[1], type=f32)
                a[0] = i32(u[0])
            left bytes-not-told: `count`
            left bytes-not-told: this
        "#]],
    );
}

#[test]
fn known_sizes_take_the_stack_as_long_as_they_are_small() {
    check(
        SCRATCH,
        "\
kernel k(a: f32[?]):
    let t = temp(1024, type=f32)
    let u = temp(1025, type=f32)
    a[0] = (t[0] + u[0])
",
        expect![[r#"
            @scratch(4100)
            kernel k(a):
                let t = temp(1024, type=f32)
                let u = scratch(i64(0), 1025, type=f32)
                a[0] = (t[0] + u[0])
            4100 bytes
        "#]],
    );
}

#[test]
fn an_array_that_is_written_first_starts_unset() {
    check(
        UNSET,
        "\
kernel k(a: f32[n], n: i32, m: i32, c: bool):
    let t = temp(n, type=f32)
    for i in range(0, n):
        if c:
            t[i] = a[i]
        else:
            t[i] = 1.0
        a[i] = (t[i] + 1.0)
    let u = temp(n, m, type=f32)
    for i in range(0, n):
        let r = row(u, i)
        for j in range(0, m):
            r[j] = t[i]
    let v = temp(size(a), type=f32)
    foreach i in range(i64(0), size(v)):
        v[i] = 2.0
    let w = temp(4, n, type=f32)
    foreach i in range(u32(0), u32(4)), j in range(u32(0), u32(n)):
        w[i, j] = v[j]
    a[0] = (u[0, 0] + w[0, 0])
",
        expect![[r#"
            kernel k(a: f32[n], n, m, c: bool):
                let t = temp(n, unset=f32)
                for i in range(0, n):
                    if c:
                        t[i] = a[i]
                    else:
                        t[i] = 1.0
                    a[i] = (t[i] + 1.0)
                let u = temp(n, m, unset=f32)
                for i_1 in range(0, n):
                    let r = row(u, i_1)
                    for j in range(0, m):
                        r[j] = t[i_1]
                let v = temp(size(a), unset=f32)
                foreach i_2 in range(0, size(v)):
                    v[i_2] = 2.0
                let w = temp(4, n, type=f32)
                foreach i_3 in range(u32(0), u32(4)), j_1 in range(0, u32(n)):
                    w[i_3, j_1] = v[j_1]
                a[0] = (u[0, 0] + w[0, 0])
        "#]],
    );
}

#[test]
fn an_array_of_which_a_zero_may_be_read_starts_as_zeros() {
    check(
        UNSET,
        "\
kernel k(a: f32[n], n: i32, m: i32, c: bool):
    let partly = temp(n, type=f32)
    for i in range(1, n):
        partly[i] = a[i]
    let sometimes = temp(n, type=f32)
    for i in range(0, n):
        if c:
            sometimes[i] = a[i]
    let before = temp(n, type=f32)
    for i in range(0, n):
        before[i] = a[i]
        a[i] = before[(n - 1)]
    let perhaps = temp(n, type=f32)
    for i in range(0, n):
        for j in range(0, m):
            perhaps[i] = a[j]
    let summed = temp(n, type=f32)
    for i in range(0, n):
        summed[i] = (summed[i] + a[i])
    let across = temp(n, n, type=f32)
    for i in range(0, n):
        for j in range(0, n):
            across[j, i] = a[j]
    a[0] = (((partly[0] + sometimes[0]) + (before[0] + perhaps[0])) + (summed[0] + across[0, 0]))
",
        expect![[r#"
            kernel k(a: f32[n], n, m, c: bool):
                let partly = temp(n, type=f32)
                for i in range(1, n):
                    partly[i] = a[i]
                let sometimes = temp(n, type=f32)
                for i_1 in range(0, n):
                    if c:
                        sometimes[i_1] = a[i_1]
                let before = temp(n, type=f32)
                for i_2 in range(0, n):
                    before[i_2] = a[i_2]
                    a[i_2] = before[(n - 1)]
                let perhaps = temp(n, type=f32)
                for i_3 in range(0, n):
                    for j in range(0, m):
                        perhaps[i_3] = a[j]
                let summed = temp(n, type=f32)
                for i_4 in range(0, n):
                    summed[i_4] = (summed[i_4] + a[i_4])
                let across = temp(n, n, type=f32)
                for i_5 in range(0, n):
                    for j_1 in range(0, n):
                        across[j_1, i_5] = a[j_1]
                a[0] = (((partly[0] + sometimes[0]) + (before[0] + perhaps[0])) + (summed[0] + across[0, 0]))
        "#]],
    );
}
