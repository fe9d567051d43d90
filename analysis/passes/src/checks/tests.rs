//! Tests of checks at the entry.

use expect_test::{Expect, expect};

use crate::pipeline::Options;
use crate::{CHECKS, Context};
use ir::{canonical, print, read, verify};

fn check(text: &str, expect: Expect) {
    let options = Options::default();
    let mut kernel = read(text, Some(8)).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let before = canonical(&kernel);
    let mut context = Context::new(&options);
    let changed = CHECKS.apply(&mut kernel, &mut context);
    assert_eq!(verify(&kernel), Ok(()));
    assert_eq!(changed, canonical(&kernel) != before, "whether anything changed");
    let mut shown = print(&kernel).text;
    let again = read(&shown, Some(8)).unwrap_or_else(|error| panic!("{error}\n{shown}")).remove(0);
    assert_eq!(canonical(&again), canonical(&kernel), "{shown}");
    for decision in context.take_decisions() {
        let because: Vec<String> = decision.because.iter().map(ToString::to_string).collect();
        shown += &format!("left {}: {}\n", decision.code.name(), because.join(", "));
    }
    expect.assert_eq(&shown);
}

#[test]
fn a_check_before_all_else_stays_where_it_is() {
    check(
        "\
kernel k(a: f32[n], b, n: i32):
    assert_size(size(b), n)
    for i in range(0, n):
        assert_size(n, size(b))
        a[i] = b[i]
",
        expect![[r#"
            @checked
            kernel k(a: f32[n], b, n):
                assert_size(size(b), n)
                for i in range(0, n):
                    a[i] = b[i]
        "#]],
    );
}

/// That there is an element is checked as equality is, but for sizes that are known.
#[test]
fn that_there_is_an_element_is_checked_at_the_entry() {
    check(
        "\
kernel k(a: f32[n], b: f32[?], c: f32[4], n: i32, m: i32):
    a[0] = 1.0
    assert_some(size(c))
    for i in range(0, m):
        assert_some(size(b))
        assert_some(size(b))
        a[i] = b[0]
    assert_some(i32(a[0]))
",
        expect![[r#"
            @checked
            kernel k(a: f32[n], b, c: f32[4], n, m):
                assert_some(select((0 < index(m)), size(b), 1))
                a[0] = 1.0
                for i in range(0, m):
                    a[i] = b[0]
                assert_some(i32(a[0]))
        "#]],
    );
}

#[test]
fn what_is_around_a_check_goes_along() {
    check(
        "\
kernel k(a: f32[?, ?], b, c, n: i32, on: bool, x: f32):
    a[0, 0] = 1.0
    if on:
        for i in range(0, n, 2):
            assert_size(size(a, dim=1), size(b))
            a[i, 0] = 2.0
    else:
        assert_size(size(c), size(b))
        a[1, 0] = 3.0
    if ((x > 0.0) & (n != 3)):
        foreach i in range(n, 1, -1), j in range(0, 4):
            assert_size(size(a, dim=1), (n + 1))
            a[i, j] = 2.0
    assert_size(size(b), size(c))
",
        expect![[r#"
            @checked
            kernel k(a: f32[?, ?], b, c, n, on: bool, x):
                let _0 = size(a, dim=1)
                let _1 = size(b)
                let _2 = index(n)
                assert_size(select((on & (0 < _2)), _0, _1), _1)
                let _3 = size(c)
                assert_size(select((~on), _3, _1), _1)
                let _4 = (_2 +% 1)
                let _5 = (x > 0.0)
                assert_size(select(((_5 & (_2 != 3)) & (_2 > 1)), _0, _4), _4)
                assert_size(_1, _3)
                a[0, 0] = 1.0
                if on:
                    for i in range(0, n, 2):
                        a[i, 0] = 2.0
                else:
                    a[1, 0] = 3.0
                if (_5 & (n != 3)):
                    foreach i_1 in range(n, 1, -1), j in range(0, 4):
                        let _6 = (n + 1)
                        a[i_1, j] = 2.0
        "#]],
    );
}

#[test]
fn a_check_on_both_sides_of_any_branch_is_made_whatever_it_decides() {
    check(
        "\
kernel k(a, b, n: i32):
    if overlap(a, b):
        assert_size(size(a), size(b))
        assert_size(size(a), n)
        a[0] = 1.0
    else:
        assert_size(size(b), size(a))
        assert_size(size(b), n)
        a[1] = 1.0
",
        expect![[r#"
            @checked
            kernel k(a, b, n):
                let _0 = size(a)
                let _1 = size(b)
                assert_size(_0, _1)
                if overlap(a, b):
                    assert_size(_0, n)
                    a[0] = 1.0
                else:
                    assert_size(_1, n)
                    a[1] = 1.0
            left size-assumed: this, `n`
            left size-assumed: this, `n`
        "#]],
    );
}

#[test]
fn what_data_decides_is_assumed() {
    check(
        "\
kernel k(a: f32[?], b, c: i32[?], wide: u64):
    a[0] = 1.0
    let n = c[0]
    assert_size(size(b), n)
    if (n > 3):
        assert_size(size(a), size(b))
        a[1] = 2.0
    while (a[0] < 7.0):
        assert_size(size(a), size(c))
        a[0] = (a[0] + 1.0)
    assert_size(size(a), wide)
    for i in range(0, 4):
        assert_size(size(a), i)
",
        expect![[r#"
            kernel k(a, b, c, wide: u64):
                a[0] = 1.0
                let n = c[0]
                assert_size(size(b), n)
                if (n > 3):
                    assert_size(size(a), size(b))
                    a[1] = 2.0
                while (a[0] < 7.0):
                    assert_size(size(a), size(c))
                    a[0] = (a[0] + 1.0)
                assert_size(size(a), wide)
                for i in range(0, 4):
                    assert_size(size(a), i)
            left size-assumed: this, `n`
            left size-assumed: this, this
            left size-assumed: this, this
            left size-assumed: this, `wide`
            left size-assumed: this, `i`
        "#]],
    );
    check(
        "\
kernel k(a, b, c: i32[?]):
    let n = c[0]
    assert_size(size(b), n)
    a[0] = 1.0
",
        expect![[r#"
            @checked
            kernel k(a, b, c):
                let n = c[0]
                assert_size(size(b), n)
                a[0] = 1.0
        "#]],
    );
}

#[test]
fn sizes_that_are_equal_for_all_parameters_need_no_check() {
    check(
        "\
kernel k(a: f32[(w - 2)], b: f32[?], c: f32[(2 * w)], w: i32):
    b[0] = 1.0
    let head = slice(a, i64(0), index((w - 2)), i64(1))
    assert_size(size(head), (1 + (w - 3)))
    assert_size(size(slice(b, i64(1), (size(b) - 1), i64(1))), max(((size(b) - 1) - 1), 0))
    assert_size(size(c), (w + w))
    assert_size((3 * size(a)), (((2 * size(a)) + index(w)) - 2))
    assert_size(size(a), (w - 1))
",
        expect![[r#"
            @checked
            kernel k(a: f32[(w - 2)], b, c: f32[(2 * w)], w):
                let _0 = index(w)
                assert_size((_0 -% 2), (_0 -% 1))
                b[0] = 1.0
                let head = slice(a, i64(0), index((w - 2)), i64(1))
                let _1 = (1 + (w - 3))
                let _2 = (size(b) - 1)
                let _3 = slice(b, i64(1), _2, i64(1))
                let _4 = (_2 - 1)
                let _5 = (w + w)
                let _6 = size(a)
                let _7 = (3 * _6)
                let _8 = (((2 * _6) + _0) - 2)
                let _9 = (w - 1)
        "#]],
    );
}
