//! The kernels for parts of one that gives a result, and what blocks of iterations cannot join.

use expect_test::expect;
use facts::dependence::DependenceLimits;
use facts::loops::loops;

use super::{NoParts, NotJoined, iterations, join, loop_of_parts, part};

/// The three kernels of the first one of a text.
fn parts(text: &str) -> String {
    let kernel = ir::read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let divided = loop_of_parts(&kernel, &loops(&kernel, &DependenceLimits::default())).expect("a loop");
    let (join, _) = join(&kernel, &divided).expect("a result");
    let all = [part(&kernel, &divided), iterations(&kernel, &divided).0, join];
    all.iter().for_each(|kernel| assert_eq!(ir::verify(kernel), Ok(()), "{}", ir::print(kernel).text));
    all.map(|kernel| ir::print(&kernel).text).join("\n")
}

/// The reason why a kernel has no parts, by the name of what its loop hands on.
fn refused(text: &str) -> Result<(String, NotJoined), NoParts> {
    let kernel = ir::read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    match loop_of_parts(&kernel, &loops(&kernel, &DependenceLimits::default())) {
        Err(NoParts::NotJoined(op, number, why)) => {
            let arg = kernel.regions[kernel.ops[op].regions[0]].args[kernel.n_head_args(op) + number];
            Ok((kernel.values[arg].name.as_deref().unwrap_or_default().to_owned(), why))
        }
        Err(other) => Err(other),
        Ok(divided) => panic!("it has parts: {divided:?}"),
    }
}

#[test]
fn blocks_store_what_they_have_come_to_and_it_is_joined_in_their_order() {
    let text = "\
kernel k(a: f32[n], out: f32[n], n) -> f32:
    let count, most, s = for i in range(1, n, 2) with c = 7, m = a[0] reducing + from 1.0:
        out[i] = a[i]
        yield (c + 3), max(a[i], m), (-0.0 + a[i])
    return ((s + most) * f32(count))
";
    expect![[r#"
        kernel k_part(begin: i64, end: i64, c, m, s, a: f32[n], out: f32[n], n):
            let _0 = a[0]
            let _1 = index(1)
            let _2 = index(n)
            let _3 = max((((_2 -% _1) +% 1) // 2), 0)
            for block in range(max(begin, 0), min(end, (((_3 -% 1) // 4096) +% 1))):
                let _4 = (block *% 4096)
                let count, most, s_1 = for i in range(max(i32(min((_1 +% (min(max(_4, 0), _3) *% 2)), _2)), 1), min(i32(min((_1 +% (min(max((_4 +% 4096), 0), _3) *% 2)), _2)), n), 2) with c_1 = 0, m_1 = -inf reducing + from -0.0:
                    out[i] = a[i]
                    yield (c_1 +% 3), max(a[i], m_1), (-0.0 + a[i])
                c[block] = count
                m[block] = most
                s[block] = s_1

        kernel k_iterations(a: f32[n], n) -> i64:
            let _0 = a[0]
            return (((max((((index(n) -% index(1)) +% 1) // 2), 0) -% 1) // 4096) +% 1)

        kernel k_join(c, m, s, a: f32[n], n) -> f32:
            let _0 = a[0]
            let c_1, m_1, s_1 = for block in range(0, (((max((((index(n) -% index(1)) +% 1) // 2), 0) -% 1) // 4096) +% 1)) with c_2 = 7, m_2 = _0, s_2 = 1.0:
                let _1 = c[block]
                let _2 = m[block]
                yield (c_2 +% _1), select((_2 > m_2), _2, m_2), (s_2 + s[block])
            return ((s_1 + m_1) * f32(c_1))
    "#]].assert_eq(&parts(text));
}

#[test]
fn rows_of_which_nobody_knows_how_long_they_are_go_by_sixteen() {
    let text = "\
kernel k(a: i32[h, w], h, w) -> i32:
    let s = for y in range(0, h) with t = 0:
        let u = for x in range(0, w) with v = t:
            yield (v + a[y, x])
        yield u
    return s
";
    expect![[r#"
        kernel k_part(begin: i64, end: i64, t, a: i32[h, w], h, w):
            let _0 = index(0)
            let _1 = index(h)
            let _2 = max((_1 -% _0), 0)
            for block in range(max(begin, 0), min(end, (((_2 -% 1) // 16) +% 1))):
                let _3 = (block *% 16)
                let s = for y in range(max(i32(min((_0 +% min(max(_3, 0), _2)), _1)), 0), min(i32(min((_0 +% min(max((_3 +% 16), 0), _2)), _1)), h)) with t_1 = 0:
                    let u = for x in range(0, w) with v = t_1:
                        yield (v +% a[y, x])
                    yield u
                t[block] = s

        kernel k_iterations(h, w: i32) -> i64:
            return (((max((index(h) -% index(0)), 0) -% 1) // 16) +% 1)

        kernel k_join(t, h, w: i32) -> i32:
            let t_1 = for block in range(0, (((max((index(h) -% index(0)), 0) -% 1) // 16) +% 1)) with t_2 = 0:
                yield (t_2 +% t[block])
            return t_1
    "#]].assert_eq(&parts(text));
}

#[test]
fn what_has_an_order_is_not_joined() {
    let loop_of = |start: &str, next: &str| {
        format!(
            "kernel k(a: f32[n], n) -> f32:\n    let r = for i in range(0, n) with x = {start}:\n{next}    return f32(r)\n"
        )
    };
    let is = |start: &str, next: &str, why: NotJoined| {
        assert_eq!(refused(&loop_of(start, next)), Ok(("x".to_owned(), why)), "{next}");
    };
    is("0.0", "        yield (x + a[i])\n", NotJoined::FloatSum);
    is("1.0", "        yield (x * a[i])\n", NotJoined::FloatSum);
    is("0.0", "        yield max(x, a[i])\n", NotJoined::ForgetsAtNan);
    is("0.0", "        yield min(x, a[i])\n", NotJoined::ForgetsAtNan);
    is("0.0", "        yield select((a[i] <= x), x, a[i])\n", NotJoined::ForgetsAtNan);
    is("0.0", "        yield a[i]\n", NotJoined::InOrder);
    is("0", "        yield ((x * 3) + 1)\n", NotJoined::InOrder);
    is("0", "        let y = (x + i)\n        a[i] = f32(y)\n        yield y\n", NotJoined::InOrder);
    is("0", "        yield (i - x)\n", NotJoined::InOrder);
    // The same that is joined otherwise.
    for (start, next) in [
        ("0.0", "        yield max(a[i], x)\n"),
        ("0.0", "        yield select((a[i] < x), a[i], x)\n"),
        ("0", "        yield (x - i)\n"),
        ("0", "        yield x\n"),
    ] {
        assert!(std::panic::catch_unwind(|| refused(&loop_of(start, next))).is_err(), "{next}");
    }
}

#[test]
fn the_place_of_an_extreme_has_an_order() {
    let text = "\
kernel k(a: i32[n], n) -> i32:
    let most, at = for i in range(0, n) with m = 0, x = 0:
        let is_more = (a[i] > m)
        yield select(is_more, a[i], m), select(is_more, i, x)
    return (at + most)
";
    assert_eq!(refused(text), Ok(("x".to_owned(), NotJoined::InOrder)));
}

#[test]
fn a_loop_is_the_only_one_that_finds_something_and_no_new_array_is_filled_for_what_stands_behind() {
    let two = "\
kernel k(a: i32[n], n) -> i32:
    let s = for i in range(0, n) with t = 0:
        yield (t + a[i])
    let p = for i in range(0, n) with q = 1:
        yield (q * a[i])
    return (s + p)
";
    assert!(matches!(refused(two), Err(NoParts::Several(..))));
    let behind = "\
kernel k(a: i32[n], out: i32[n], n) -> i32:
    let new = temp(4, type=i32)
    foreach i in range(0, n):
        new[0] = a[i]
        out[i] = new[0]
    return new[0]
";
    let found = refused(behind);
    assert!(matches!(found, Err(NoParts::ReadBehind(..))), "{found:?}");
}
