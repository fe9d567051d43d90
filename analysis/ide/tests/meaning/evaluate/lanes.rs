//! `foreach` in lanes.

use expect_test::expect;

use super::fixture::{check, run};

/// Four lanes over six elements: a whole group, and one with two lanes.
fn lanes(body: &str) -> String {
    let text = format!(
        "kernel k(a: i32[6], out: i32[6]):
    @lanes(4)
    foreach i in range(6):
{body}"
    );
    run(&text, "a = [1, 2, 3, 4, 5, 6]; out = [0, 0, 0, 0, 0, 0]")
}

#[test]
fn lanes_see_each_other() {
    let rows = [
        ("lane_id * 10 + LANES", "4, 14, 24, 34, 4, 14"),
        ("reduce_add(a[i])", "10, 10, 10, 10, 11, 11"),
        ("reduce_min(a[i]) * 100 + reduce_max(a[i])", "104, 104, 104, 104, 506, 506"),
        ("scan_add(a[i])", "0, 1, 3, 6, 0, 5"),
        ("broadcast(a[i], 1)", "2, 2, 2, 2, 6, 6"),
        ("shuffle(a[i], 1 - lane_id % 2)", "2, 1, 2, 1, 6, 5"),
        ("1 if any(a[i] == 2) else 0", "1, 1, 1, 1, 0, 0"),
        ("1 if all(a[i] > 4) else 0", "0, 0, 0, 0, 1, 1"),
        ("1 if none(a[i] == 6) else 0", "1, 1, 1, 1, 0, 0"),
        ("a[i] if a[i] % 2 == 0 else reduce_add(a[i])", "4, 2, 4, 4, 5, 6"),
        ("i32(a[i] > 2 and any(a[i] == 4))", "0, 0, 1, 1, 0, 0"),
    ];
    for (expr, expected) in rows {
        assert_eq!(lanes(&format!("        out[i] = {expr}\n")), format!("out = [{expected}]\n"), "{expr}");
    }
}

#[test]
fn a_lane_that_is_not_active_has_no_value() {
    expect![[r#"
        out = [2, 3, 4, 1, 0, 0]
        error lane-not-active at `rotate(a[i], 1)`, i = 5, lane 1: lane 2 is not active here
    "#]]
    .assert_eq(&lanes("        out[i] = rotate(a[i], 1)\n"));
    expect![[r#"
        error lane-not-active at `broadcast(a[i], 0)`, i = 1, lane 1: lane 0 is not active here
    "#]]
    .assert_eq(&lanes("        if i != 0:\n            out[i] = broadcast(a[i], 0)\n"));
    expect![[r#"
        error no-such-lane at `shuffle(a[i], lane_id * 2)`, i = 2, lane 2: there is no lane 4
    "#]]
    .assert_eq(&lanes("        out[i] = shuffle(a[i], lane_id * 2)\n"));
}

/// An operator that is several operations does each in all lanes, as Lane IR does, so that an error is of the lane whose operation is first.
#[test]
fn the_first_operation_that_fails_in_some_lane_is_the_error() {
    // 7 * 7 fits, and 7 * 49 does not; 12 * 12 does not.
    let of_power = lanes("        out[i] = reduce_max(i32(i8(7 + 5 * lane_id % 10) ** 3))\n");
    expect![[r#"
        error overflow at `i8(7 + 5 * lane_id % 10) ** 3`, i = 1, lane 1: a signed result does not fit its type
    "#]]
    .assert_eq(&of_power);
    let of_fields = |op: &str| {
        run(
            &format!(
                "struct Pair:
    first: i8
    second: i8

kernel k(a: Pair[4], out: i32[4]):
    @lanes(4)
    foreach i in range(4):
        let sum = {op}
        out[i] = reduce_max(i32(sum.first) + i32(sum.second))
"
            ),
            "a = [(1, -128), (-128, 1), (2, 2), (3, 3)]; out = [0, 0, 0, 0]",
        )
    };
    expect![[r#"
        error overflow at `a[i] + a[i]`, i = 1, lane 1: a signed result does not fit its type
    "#]]
    .assert_eq(&of_fields("a[i] + a[i]"));
    expect![[r#"
        error overflow at `-a[i]`, i = 1, lane 1: a signed result does not fit its type
    "#]]
    .assert_eq(&of_fields("-a[i]"));
}

#[test]
fn lanes_come_together_behind_the_block_they_left() {
    expect![[r#"
        out = [100, 402, 402, 402, 202, 202]
    "#]]
    .assert_eq(&lanes(
        "        if i == 0:
            out[i] = reduce_add(100)
        else:
            out[i] = reduce_add(100) + 2
        let all_of_them = reduce_add(1)
        if i > 0:
            out[i] += (all_of_them - reduce_add(1)) * 100
        if i > 3:
            continue
        out[i] += 0
",
    ));
    expect![[r#"
        out = [1, 3, 6, 10, 5, 11]
    "#]]
    .assert_eq(&lanes(
        "        let s = 0
        for j in range(lane_id + 1):
            s += broadcast(a[i], lane_id) - a[i]
            if j > lane_id:
                break
        let k = 0
        while k <= lane_id:
            s += a[i - lane_id + k]
            k += 1
        out[i] = s
",
    ));
}

#[test]
fn active_lanes_are_packed() {
    expect![[r#"
        out = [2, 4, 0, 0, 6, 0]
    "#]]
    .assert_eq(&lanes(
        "        if a[i] % 2 == 0:
            compress_store(out, i - lane_id, a[i])
",
    ));
    expect![[r#"
        out = [0, 1, 0, 2, 0, 5]
    "#]]
    .assert_eq(&lanes(
        "        if a[i] % 2 == 0:
            out[i] = expand_load(a, i - lane_id)
",
    ));
    expect![[r#"
        error index-out-of-range at `compress_store(out, i - lane_id + 1, a[i])`, i = 5, lane 1: the index 6 is out of range: the size there is 6
    "#]]
    .assert_eq(&lanes(
        "        if i > 3:
            let count = compress_store(out, i - lane_id + 1, a[i])
            out[i] = count
",
    ));
    expect![[r#"
        error lanes-differ at `compress_store(out, i, a[i])`, i = 1, lane 1: lanes that are active here start at different places
    "#]]
    .assert_eq(&lanes("        compress_store(out, i, a[i])\n"));
}

#[test]
fn functions_run_in_lanes() {
    check(
        "fn gap(x):
    if x > 4:
        return x - reduce_min(x)
    return x

kernel k(a: i32[6], out: i32[6]):
    foreach i in range(6):
        out[i] = gap(a[i]) + LANES
",
        "a = [9, 2, 7, 1, 5, 4]; out = [0, 0, 0, 0, 0, 0]",
        expect![[r#"
            out = [20, 18, 18, 17, 16, 20]
        "#]],
    );
}

#[test]
fn float_lanes_join_in_halves() {
    check(
        "kernel k(a: f32[4], out: f32[4]):
    @lanes(4)
    foreach i in range(4):
        out[i] = reduce_add(a[i])
",
        "a = [1e8, 1, -1e8, 1]; out = [0, 0, 0, 0]",
        expect![[r#"
            out = [2.0, 2.0, 2.0, 2.0]
        "#]],
    );
}

#[test]
fn a_collision_between_lanes_is_found() {
    expect![[r#"
        out = [10, 0, 0, 0, 0, 0]
        error iterations-collide at `out[0]`, i = 1, against i = 0, lane 1: this iteration writes what the one with i = 0 wrote
    "#]]
    .assert_eq(&lanes("        out[0] = reduce_add(a[i])\n"));
}

#[test]
fn a_lane_alone_keeps_what_it_has() {
    check(
        "kernel k(a: f32[3], least: f32[3], greatest: f32[3]):
    foreach i in range(3):
        if i == 0:
            least[i] = reduce_min(a[i])
            greatest[i] = reduce_max(a[i])
        else:
            least[i] = reduce_min(a[i])
            greatest[i] = reduce_max(a[i])
",
        "a = [NaN, 2, 1]; least = [0, 0, 0]; greatest = [0, 0, 0]",
        expect![[r#"
            least = [nan, 1.0, 1.0]
            greatest = [nan, 2.0, 2.0]
        "#]],
    );
}
