//! What kernels become at `sequential`, and what is said of those that cannot be lowered.

use std::fmt::Write;
use std::sync::Arc;

use expect_test::{Expect, expect};
use queries::db::file_items;
use queries::db::{Database, File};
use queries::sequential;

/// Lowers all kernels of a file; shows them, and then what was found.
fn check(text: &str, expect: Expect) {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let mut shown = String::new();
    for &item in file_items(&db, file) {
        let lowering = sequential(&db, item);
        let Some(kernel) = &lowering.kernel else { continue };
        assert_eq!(ir::verify(kernel), Ok(()));
        shown += &ir::print(kernel).text;
        for finding in &lowering.findings {
            // Writing to a string cannot fail.
            let _ = writeln!(shown, "{}: {}", finding.code, finding.message);
        }
    }
    expect.assert_eq(&shown);
}

#[test]
fn lane_operations_ask_the_lanes_of_their_foreach() {
    check(
        "fn gap(x):
    if x > 4:
        return x - reduce_min(x)
    return x

struct P:
    x: f32
    y: i32

@lanes(4)
kernel k(a: i32[n], p: P[n], n: i32):
    foreach i in range(n):
        a[i] = gap(a[i]) + LANES * lane_id
    @lanes(7)
    foreach i in range(n), j in range(3):
        if any(a[j] > i) and all(a[i] > j):
            count = compress_store(p, 0, p[j])
            p[count] = expand_load(p, count)
    foreach i in range(n):
        a[i] += 1
",
        expect![[r#"
            struct P:
                x: f32
                y: i32

            kernel k(a: i32[n], p: P[n], n):
                @lanes(4)
                foreach i in range(0, n) in 4 lanes:
                    let _0 = a[i]
                    let result = if (_0 > 4):
                        yield (_0 - reduce_min(_0))
                    else:
                        yield _0
                    a[i] = (result + (4 * lane_id))
                @lanes(7)
                foreach i_1 in range(0, n), j in range(0, 3) in 7 lanes:
                    let _1 = if any((a[j] > i_1)):
                        yield all((a[i_1] > j))
                    else:
                        yield false
                    if _1:
                        let _2 = p.x[j]
                        let _3 = p.y[j]
                        compress_store(p.x, 0, _2)
                        compress_store(p.y, 0, _3)
                        let count = count_on(true)
                        let _4 = expand_load(p.x, count)
                        let _5 = expand_load(p.y, count)
                        p.x[count] = _4
                        p.y[count] = _5
                @lanes(4)
                foreach i_2 in range(0, n):
                    a[i_2] = (a[i_2] + 1)
        "#]],
    );
}

#[test]
fn lanes_that_leave_keep_the_order_of_what_the_others_do() {
    let body = "
        if a[i] > 0:
            a[i] = 1
        else:
            a[i] = 2
            continue
        a[i] += ";
    check(
        &format!("kernel in_order(a: i32[n], n: i32):\n    foreach i in range(n):{body}3\n"),
        expect![[r#"
            kernel in_order(a: i32[n], n):
                foreach i in range(0, n):
                    if (a[i] > 0):
                        a[i] = 1
                        a[i] = (a[i] + 3)
                    else:
                        a[i] = 2
        "#]],
    );
    check(
        &format!("kernel in_lanes(a: i32[n], n: i32):\n    foreach i in range(n):{body}lane_id\n"),
        expect![[r#"
            kernel in_lanes(a: i32[n], n):
                foreach i in range(0, n) in 16 lanes:
                    let live = if (a[i] > 0):
                        a[i] = 1
                        yield true
                    else:
                        a[i] = 2
                        yield false
                    if live:
                        a[i] = (a[i] + lane_id)
        "#]],
    );
}

#[test]
fn a_loop_that_is_left_early_still_counts() {
    check(
        "kernel find(a: f32[n], n: i32) -> i32:
    for i in range(n):
        if a[i] < 0:
            return i
    return n
",
        expect![[r#"
            kernel find(a: f32[n], n) -> i32:
                @counts
                let _0, _1, live, result = while go with i = 0, go = (0 < n), live_1 = true, result_1 = 0:
                    let live_2, go_1, result_2 = if (a[i] < 0.0):
                        yield false, false, i
                    else:
                        yield live_1, true, result_1
                    let _2 = (i +% 1)
                    yield _2, (go_1 & ((i < _2) & (_2 < n))), live_2, result_2
                let result_3 = if live:
                    yield n
                else:
                    yield result
                return result_3
        "#]],
    );
}

#[test]
fn a_function_says_how_many_lanes_its_loops_have() {
    check(
        "@lanes(3)
fn each(a: i32[k]):
    foreach i in range(k):
        a[i] = reduce_add(a[i])

@lanes(5)
kernel k(a: i32[n], n: i32):
    each(a)
    foreach i in range(n):
        a[i] = LANES
",
        expect![[r#"
            kernel k(a: i32[n], n):
                @lanes(3)
                foreach i in range(0, i32(size(a))) in 3 lanes:
                    a[i] = reduce_add(a[i])
                @lanes(5)
                foreach i_1 in range(0, n) in 5 lanes:
                    a[i_1] = 5
        "#]],
    );
}

#[test]
fn what_has_no_lanes_says_nothing_more_of_it() {
    check(
        "kernel outside(a: f32[n], n: i32):
    a[0] = reduce_add(a[lane_id])

kernel inside(a: f32[n], n: i32):
    foreach i in range(n):
        a[i] = reduce_add(a[i])
        foreach j in range(n):
            a[j] = reduce_add(a[j])
",
        expect![[r#"
            kernel outside(a: f32[n], n):
                a[0] = unknown(type=f32)
            kernel inside(a: f32[n], n):
                foreach i in range(0, n) in 16 lanes:
                    a[i] = reduce_add(a[i])
                    let _0 = unknown(type=f32)
            lanes-in-lanes: this `foreach` has lane operations, and stands in another one that has such: lanes have one loop
        "#]],
    );
}

#[test]
fn a_call_of_what_nothing_is_called_is_no_function_as_a_value() {
    check(
        "kernel k(a: f32[n]):\n    a[0] = twicex(a[1])\n",
        expect![[r#"
        kernel k(a):
            a[0] = unknown(type=f32)
    "#]],
    );
}

#[test]
fn each_lane_goes_around_a_foreach_without_lane_operations() {
    check(
        "kernel k(a: f32[n, m], n: i32, m: i32):
    foreach i in range(n):
        let here = lane_id
        foreach j in range(m):
            a[i, j] = f32(here)
",
        expect![[r#"
            kernel k(a: f32[n, m], n, m):
                foreach i in range(0, n) in 16 lanes:
                    let here = lane_id
                    foreach j in range(0, m):
                        a[i, j] = f32(here)
        "#]],
    );
}

#[test]
fn a_choice_between_structs_chooses_each_field() {
    check(
        "struct Point:
    x: f32
    y: f32

kernel k(a: Point[n], n: i32):
    for i in range(n):
        let p = a[0] if i > 2 else a[i]
        a[i].x = p.y
",
        expect![[r#"
            struct Point:
                x: f32
                y: f32

            kernel k(a: Point[n], n):
                for i in range(0, n):
                    let _0, _1 = if (i > 2):
                        yield a.x[0], a.y[0]
                    else:
                        yield a.x[i], a.y[i]
                    a.x[i] = _1
        "#]],
    );
}

#[test]
fn what_a_call_hands_over_unread_gives_no_size_of_the_function() {
    check(
        "fn last(_all, a: f32[k]) -> f32:
    return a[k - 1]

kernel k(big: f32[n], small: f32[m], m: i32, n: i32):
    big[0] = last(big, small) + last(big[1:], small)
",
        expect![[r#"
            kernel k(big: f32[n], small: f32[m], m, n):
                let _0 = small[(i32(size(small)) - 1)]
                let _1 = slice(big, 1, size(big), i64(1))
                big[0] = (_0 + small[(i32(size(small)) - 1)])
        "#]],
    );
}

#[test]
fn structs_and_tuples_are_values_of_their_parts() {
    check(
        "\
struct V:
    x: f32
    y: f32

struct Body:
    at: V
    mass: f32

fn moved(v: V, by):
    return V(v.x + by, v.y), by * 2

kernel k(bodies: Body[n], n: i32) -> f32:
    let best = bodies[0]
    for i in range(n):
        let b = bodies[i]
        let v, twice = moved(b.at, b.mass)
        b.at = v
        if b.mass > best.mass:
            best = b
        bodies[i] = Body(best.at, twice)
        bodies[i].at.x, bodies[i].at.y = bodies[i].at.y, bodies[i].at.x
    return best.at.y
",
        expect![[r#"
            struct Body:
                at_x: f32
                at_y: f32
                mass: f32

            kernel k(bodies: Body[n], n) -> f32:
                let _0, _1, _2 = for i in range(0, n) with best_at_x = bodies.at_x[0], best_at_y = bodies.at_y[0], best_mass = bodies.mass[0]:
                    let _3 = bodies.at_x[i]
                    let _4 = bodies.at_y[i]
                    let _5 = bodies.mass[i]
                    let _6 = (_3 + _5)
                    let twice = (_5 * 2.0)
                    let _7, _8, _9 = if (_5 > best_mass):
                        yield _6, _4, _5
                    else:
                        yield best_at_x, best_at_y, best_mass
                    bodies.at_x[i] = _7
                    bodies.at_y[i] = _8
                    bodies.mass[i] = twice
                    let _10 = bodies.at_y[i]
                    let _11 = bodies.at_x[i]
                    bodies.at_x[i] = _10
                    bodies.at_y[i] = _11
                    yield _7, _8, _9
                return _1
        "#]],
    );
}

/// What follows an exit is one level deeper, and all that comes later recurses to that depth.
#[test]
fn more_exits_than_can_be_nested_are_refused() {
    let exits: String = (0..1600).map(|k| format!("        if a[i] > {k}.0:\n            continue\n")).collect();
    let text = format!("kernel k(a: f32[n], n: i32):\n    for i in range(n):\n{exits}        a[i] = 1.0\n");
    let run = move || {
        let db = Database::default();
        let file = File::new(&db, Arc::from(&*text));
        let lowering = sequential(&db, file_items(&db, file)[0]);
        lowering.findings.iter().map(|found| (found.code.name(), found.message.clone())).collect::<Vec<_>>()
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(run).expect("a thread");
    let found = thread.join().expect("no overflow");
    let words = "at most 1500 deep";
    assert!(matches!(&found[..], [("too-many-levels", message)] if message.contains(words)), "{found:?}");
}
