//! Loops that may be left early: which of them go in blocks of lanes, what they become, and that nothing is loaded behind the end
//! that may lie outside.

use std::sync::Arc;

use expect_test::{Expect, expect};
use passes::pipeline;
use passes::pipeline::{Options, Reached};
use queries::db::file_items;
use queries::db::{Database, File};
use queries::sequential;

/// The stages of a text's last kernel, in groups of four.
fn stages(text: &str) -> Vec<Reached> {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let item = *file_items(&db, file).last().expect("a kernel");
    let lowering = sequential(&db, item);
    assert!(lowering.findings.is_empty(), "{text}\n{:?}", lowering.findings);
    let kernel = lowering.kernel.as_deref().expect("a kernel").clone();
    let options = Options { lanes: Some(4), ..Options::default() };
    pipeline::run(kernel, &options, true).unwrap_or_else(|broken| panic!("{text}\n{broken:?}"))
}

/// Checks what the last kernel of a text is at a stage.
fn check(stage: &str, text: &str, expect: Expect) {
    let reached = stages(text);
    let reached = reached.iter().find(|reached| reached.stage == stage).expect("a stage");
    expect.assert_eq(&ir::print(&reached.kernel).text);
}

/// Checks what is decided about each loop that may be left early.
fn check_decisions(text: &str, expect: Expect) {
    let reached = stages(text);
    let passes = reached.iter().flat_map(|reached| &reached.passes).filter(|pass| pass.name == "early-exit");
    let said = passes.flat_map(|pass| &pass.decisions).map(|decision| {
        let because: Vec<String> = decision.because.iter().map(ToString::to_string).collect();
        format!("{}: {}\n", if decision.taken { "taken" } else { "left" }, because.join(" "))
    });
    expect.assert_eq(&said.collect::<String>());
}

const FIND: &str = "\
kernel find(a: i32[n], n: i32, x: i32) -> i32:
    for i in range(n):
        if a[i] == x:
            return i
    return -1
";

#[test]
fn a_search_asks_of_a_block_before_it_looks_closer() {
    check(
        "parallel",
        FIND,
        expect![[r#"
            kernel find(a: i32[n], n, x: i32) -> i32:
                @in_order(early-exit)
                let _0, _1 = while go with i = 0, go = ((0 < n) & (u32((n -% 0)) >= 16)):
                    let _2 = (i + 16)
                    @in_lanes(4)
                    let _3 = for i_1 in range(i, _2) with leaves = false:
                        yield (leaves | (a[i_1] == x))
                    let _4, _5 = if _3:
                        yield i, false
                    else:
                        yield _2, ((_2 < n) & (u32((n -% _2)) >= 16))
                    yield _4, _5
                @in_order(early-exit)
                let _6, _7 = while go_1 with i_2 = _0, go_1 = ((_0 < n) & (u32((n -% _0)) >= 4)):
                    let _8 = (i_2 + 4)
                    @in_lanes(4)
                    let _9 = for i_3 in range(i_2, _8) with leaves_1 = false:
                        yield (leaves_1 | (a[i_3] == x))
                    let _10, _11 = if _9:
                        yield i_2, false
                    else:
                        yield _8, ((_8 < n) & (u32((n -% _8)) >= 4))
                    yield _10, _11
                @counts
                @in_order(early-exit)
                let _12, _13, live, result = while go_2 with i_4 = _6, go_2 = (_6 < n), live_1 = true, result_1 = 0:
                    let live_2, go_3, result_2 = if (a[i_4] == x):
                        yield false, false, i_4
                    else:
                        yield live_1, true, result_1
                    let _14 = (i_4 +% 1)
                    yield _14, (go_3 & ((i_4 < _14) & (_14 < n))), live_2, result_2
                let result_3 = if live:
                    yield -1
                else:
                    yield result
                return result_3
        "#]],
    );
}

#[test]
fn in_the_end_a_search_is_one_load_one_comparison_and_one_branch_for_each_group() {
    check(
        "final",
        FIND,
        expect![[r#"
            kernel find(a: i32[n], n, x: i32) -> i32:
                let leaves = splat(false)
                @in_order(early-exit)
                let _0, _1 = while go with i = 0, go = ((0 < n) & (u32(n) >= 16)):
                    let _2 = (i + 16)
                    let _3 = splat(false)
                    let i_1 = (i + lane_id)
                    let i_2 = (advance(i, 4) + lane_id)
                    let i_3 = (advance(i, 8) + lane_id)
                    let i_4 = (advance(i, 12) + lane_id)
                    let _4, _5 = if reduce_or(((((leaves | (vector_load(a, i_1) == x)) | (_3 | (vector_load(a, i_2) == x))) | (_3 | (vector_load(a, i_3) == x))) | (_3 | (vector_load(a, i_4) == x)))):
                        yield i, false
                    else:
                        yield _2, ((_2 < n) & (u32((n -% _2)) >= 16))
                    yield _4, _5
                @in_order(early-exit)
                let _6, _7 = while go_1 with i_5 = _0, go_1 = ((_0 < n) & (u32((n -% _0)) >= 4)):
                    let _8 = (i_5 + 4)
                    let i_6 = (i_5 + lane_id)
                    let _9, _10 = if reduce_or((vector_load(a, i_6) == x)):
                        yield i_5, false
                    else:
                        yield _8, ((_8 < n) & (u32((n -% _8)) >= 4))
                    yield _9, _10
                @counts
                @in_order(early-exit)
                let _11, _12, live, result = while go_2 with i_7 = _6, go_2 = (_6 < n), live_1 = true, result_1 = 0:
                    let live_2, go_3, result_2 = if (a[i_7] == x):
                        yield false, false, i_7
                    else:
                        yield live_1, true, result_1
                    let _13 = (i_7 +% 1)
                    yield _13, (go_3 & ((i_7 < _13) & (_13 < n))), live_2, result_2
                let result_3 = if live:
                    yield -1
                else:
                    yield result
                return result_3
        "#]],
    );
}

#[test]
fn what_is_done_until_the_end_is_done_in_lanes() {
    let text = "\
kernel copy_until(a: i32[n], b: i32[n], n: i32) -> i32:
    let k = 0
    for i in range(n):
        if a[i] == 0:
            break
        b[i] = a[i]
        k += a[i]
    return k
";
    check(
        "parallel",
        text,
        expect![[r#"
            kernel copy_until(a: i32[n], b: i32[n], n) -> i32:
                @in_order(early-exit)
                let _0, _1, _2 = while go with i = 0, go = ((0 < n) & (u32((n -% 0)) >= 4)), k = 0:
                    let _3 = (i + 4)
                    @in_lanes(4)
                    let _4 = for i_1 in range(i, _3) with leaves = false:
                        yield (leaves | (a[i_1] == 0))
                    let _5, _6, _7 = if _4:
                        yield i, false, k
                    else:
                        @in_lanes(4)
                        let _8 = for i_2 in range(i, _3) with k_1 = k:
                            b[i_2] = a[i_2]
                            let k_2 = (k_1 + a[i_2])
                            yield k_2
                        yield _3, ((_3 < n) & (u32((n -% _3)) >= 4)), _8
                    yield _5, _6, _7
                @counts
                @in_order(early-exit)
                let _9, _10, k_3 = while go_1 with i_3 = _0, go_1 = (_0 < n), k_4 = _2:
                    let k_5, go_2 = if (a[i_3] == 0):
                        yield k_4, false
                    else:
                        b[i_3] = a[i_3]
                        let k_6 = (k_4 + a[i_3])
                        yield k_6, true
                    let _11 = (i_3 +% 1)
                    yield _11, (go_2 & ((i_3 < _11) & (_11 < n))), k_5
                return k_3
        "#]],
    );
    check(
        "final",
        text,
        expect![[r#"
            kernel copy_until(a: i32[n], b: i32[n], n) -> i32:
                @in_order(early-exit)
                let _0, _1, _2 = while go with i = 0, go = ((0 < n) & (u32(n) >= 4)), k = 0:
                    let _3 = (i + 4)
                    let i_1 = (i + lane_id)
                    let k_1 = vector_load(a, i_1)
                    let _4, _5, _6 = if reduce_or((k_1 == 0)):
                        yield i, false, k
                    else:
                        vector_store(b, i_1, k_1)
                        yield _3, ((_3 < n) & (u32((n -% _3)) >= 4)), (k +% i32(reduce_add(u32(k_1))))
                    yield _4, _5, _6
                @counts
                @in_order(early-exit)
                let _7, _8, k_2 = while go_1 with i_2 = _0, go_1 = (_0 < n), k_3 = _2:
                    let _9 = a[i_2]
                    let k_4, go_2 = if (_9 == 0):
                        yield k_3, false
                    else:
                        b[i_2] = _9
                        let k_5 = (k_3 + _9)
                        yield k_5, true
                    let _10 = (i_2 +% 1)
                    yield _10, (go_2 & ((i_2 < _10) & (_10 < n))), k_4
                return k_2
        "#]],
    );
}

#[test]
fn a_cell_that_may_lie_outside_is_tested_first() {
    let text = "\
kernel look_up(a: i32[n], b: i32[m], n: i32, m: i32) -> i32:
    for i in range(n):
        if b[a[i]] < 0:
            return i
    return n
";
    check(
        "parallel",
        text,
        expect![[r#"
            kernel look_up(a: i32[n], b: i32[m], n, m) -> i32:
                @in_order(early-exit)
                let _0, _1 = while go with i = 0, go = ((0 < n) & (u32((n -% 0)) >= 16)):
                    let _2 = (i + 16)
                    @in_lanes(4)
                    let _3 = for i_1 in range(i, _2) with leaves = false:
                        let _4 = a[i_1]
                        let _5 = index(_4)
                        let _6, _7 = if ((_5 >= 0) & (_5 < size(b))):
                            yield b[_4], false
                        else:
                            yield 0, true
                        yield (leaves | (_7 | (_6 < 0)))
                    let _8, _9 = if _3:
                        yield i, false
                    else:
                        yield _2, ((_2 < n) & (u32((n -% _2)) >= 16))
                    yield _8, _9
                @in_order(early-exit)
                let _10, _11 = while go_1 with i_2 = _0, go_1 = ((_0 < n) & (u32((n -% _0)) >= 4)):
                    let _12 = (i_2 + 4)
                    @in_lanes(4)
                    let _13 = for i_3 in range(i_2, _12) with leaves_1 = false:
                        let _14 = a[i_3]
                        let _15 = index(_14)
                        let _16, _17 = if ((_15 >= 0) & (_15 < size(b))):
                            yield b[_14], false
                        else:
                            yield 0, true
                        yield (leaves_1 | (_17 | (_16 < 0)))
                    let _18, _19 = if _13:
                        yield i_2, false
                    else:
                        yield _12, ((_12 < n) & (u32((n -% _12)) >= 4))
                    yield _18, _19
                @counts
                @in_order(early-exit)
                let _20, _21, live, result = while go_2 with i_4 = _10, go_2 = (_10 < n), live_1 = true, result_1 = 0:
                    let live_2, go_3, result_2 = if (b[a[i_4]] < 0):
                        yield false, false, i_4
                    else:
                        yield live_1, true, result_1
                    let _22 = (i_4 +% 1)
                    yield _22, (go_3 & ((i_4 < _22) & (_22 < n))), live_2, result_2
                let result_3 = if live:
                    yield n
                else:
                    yield result
                return result_3
        "#]],
    );
}

#[test]
fn what_stands_against_blocks_is_said() {
    let with = |header: &str, body: &str| {
        format!("kernel k({header}, n: i32) -> i32:\n    let s = 0\n    for i in range(n):\n{body}    return s\n")
    };
    check_decisions(
        &with("a: i32[n]", "        if a[i] == 0:\n            break\n"),
        expect![[r#"
            taken: whether one of 16 iterations is the last one is asked before they are done
        "#]],
    );
    // Nobody knows how far it may be looked ahead.
    check_decisions(
        &with("a", "        if a[i] == 0.0:\n            break\n"),
        expect![[r#"
        left: iterations behind the last one might load outside of `a` whose size is not known
    "#]],
    );
    // The next iteration's question depends on what this one stores, or on what was found so far.
    check_decisions(
        &with("a: i32[n]", "        if a[i] == 0:\n            break\n        a[n - 1 - i] = 0\n"),
        expect![[r#"
            left: whether it goes on cannot be known before an iteration is done
        "#]],
    );
    check_decisions(
        &with("a: i32[n]", "        s = s * s + a[i]\n        if s > 100:\n            break\n"),
        expect![[r#"
            left: a block of iterations could not run as lanes
        "#]],
    );
    // A division by what is loaded might fail behind the end.
    check_decisions(
        &with("a: i32[n]", "        if 100 / a[i] == 3:\n            break\n"),
        expect![[r#"
        left: whether it goes on cannot be known before an iteration is done
    "#]],
    );
    check_decisions(
        &with("a: i32[n]", "        if a[i] / 7 == 3:\n            break\n"),
        expect![[r#"
            taken: whether one of 16 iterations is the last one is asked before they are done
        "#]],
    );
    // The work itself hands something on.
    check_decisions(
        &with("a: i32[n]", "        if a[i] == 0:\n            break\n        s = s * 3 + a[i]\n"),
        expect![[r#"
            taken: whether one of 4 iterations is the last one is asked before they are done
        "#]],
    );
}

/// What a `while` asks beside its count is a way out at the start of its body.
#[test]
fn a_while_that_counts_and_asks_is_a_search() {
    let text = "\
kernel length(a: u8[n], n: i32) -> i32:
    let i = 0
    while i < n and a[i] != 0 and a[i] != 10:
        i += 1
    return i
";
    check_decisions(
        text,
        expect![[r#"
            taken: whether one of 16 iterations is the last one is asked before they are done
        "#]],
    );
    check(
        "sequential",
        text,
        expect![[r#"
        kernel length(a: u8[n], n) -> i32:
            @counts
            let _0, _1, _2 = while go with i = 0, go = (0 < n), stays = true:
                let _3 = if (a[i] != 0):
                    yield (a[i] != 10)
                else:
                    yield false
                let i_1, go_1 = if _3:
                    let i_2 = (i + 1)
                    yield i_2, stays
                else:
                    yield i, false
                let _4 = (i +% 1)
                yield _4, (go_1 & ((i < _4) & (_4 < n))), go_1
            let i_3 = select(_2, _0, (_0 +% -1))
            return i_3
    "#]],
    );
}

#[test]
fn blocks_go_in_the_steps_of_the_loop_and_either_way() {
    check(
        "parallel",
        "\
kernel last(a: i32[n], n: i32, x: i32) -> i32:
    for i in range(n - 1, -1, -1):
        if a[i] == x:
            return i
    return -1
",
        expect![[r#"
            kernel last(a: i32[n], n, x: i32) -> i32:
                let _0 = (n - 1)
                @in_order(early-exit)
                let _1, _2 = while go with i = _0, go = ((_0 > -1) & (u32((_0 -% -1)) >= 16)):
                    let _3 = (i - 16)
                    @in_lanes(4)
                    let _4 = for i_1 in range(i, _3, -1) with leaves = false:
                        yield (leaves | (a[i_1] == x))
                    let _5, _6 = if _4:
                        yield i, false
                    else:
                        yield _3, ((_3 > -1) & (u32((_3 -% -1)) >= 16))
                    yield _5, _6
                @in_order(early-exit)
                let _7, _8 = while go_1 with i_2 = _1, go_1 = ((_1 > -1) & (u32((_1 -% -1)) >= 4)):
                    let _9 = (i_2 - 4)
                    @in_lanes(4)
                    let _10 = for i_3 in range(i_2, _9, -1) with leaves_1 = false:
                        yield (leaves_1 | (a[i_3] == x))
                    let _11, _12 = if _10:
                        yield i_2, false
                    else:
                        yield _9, ((_9 > -1) & (u32((_9 -% -1)) >= 4))
                    yield _11, _12
                @counts
                @in_order(early-exit)
                let _13, _14, live, result = while go_2 with i_4 = _7, go_2 = (_7 > -1), live_1 = true, result_1 = 0:
                    let live_2, go_3, result_2 = if (a[i_4] == x):
                        yield false, false, i_4
                    else:
                        yield live_1, true, result_1
                    let _15 = (i_4 +% -1)
                    yield _15, (go_3 & ((i_4 > _15) & (_15 > -1))), live_2, result_2
                let result_3 = if live:
                    yield -1
                else:
                    yield result
                return result_3
        "#]],
    );
    check(
        "parallel",
        "\
kernel every_third(a: i32[n], n: i32, x: i32) -> i32:
    for i in range(0, n, 3):
        if a[i] == x:
            return i
    return -1
",
        expect![[r#"
            kernel every_third(a: i32[n], n, x: i32) -> i32:
                @in_order(early-exit)
                let _0, _1 = while go with i = 0, go = ((0 < n) & (u32((n -% 0)) >= 48)):
                    let _2 = (i + 48)
                    @in_lanes(4)
                    let _3 = for i_1 in range(i, _2, 3) with leaves = false:
                        yield (leaves | (a[i_1] == x))
                    let _4, _5 = if _3:
                        yield i, false
                    else:
                        yield _2, ((_2 < n) & (u32((n -% _2)) >= 48))
                    yield _4, _5
                @in_order(early-exit)
                let _6, _7 = while go_1 with i_2 = _0, go_1 = ((_0 < n) & (u32((n -% _0)) >= 12)):
                    let _8 = (i_2 + 12)
                    @in_lanes(4)
                    let _9 = for i_3 in range(i_2, _8, 3) with leaves_1 = false:
                        yield (leaves_1 | (a[i_3] == x))
                    let _10, _11 = if _9:
                        yield i_2, false
                    else:
                        yield _8, ((_8 < n) & (u32((n -% _8)) >= 12))
                    yield _10, _11
                @counts
                @in_order(early-exit)
                let _12, _13, live, result = while go_2 with i_4 = _6, go_2 = (_6 < n), live_1 = true, result_1 = 0:
                    let live_2, go_3, result_2 = if (a[i_4] == x):
                        yield false, false, i_4
                    else:
                        yield live_1, true, result_1
                    let _14 = (i_4 +% 3)
                    yield _14, (go_3 & ((i_4 < _14) & (_14 < n))), live_2, result_2
                let result_3 = if live:
                    yield -1
                else:
                    yield result
                return result_3
        "#]],
    );
    check_decisions(
        "\
kernel any_step(a: i32[n], n: i32, s: i32, x: i32) -> i32:
    for i in range(0, n, s):
        if a[i] == x:
            return i
    return -1
",
        expect![[r#"
            left: its step is not a constant
        "#]],
    );
}

#[test]
fn a_while_without_a_bound_goes_in_blocks_as_far_as_its_array_reaches() {
    let strlen = "\
kernel strlen(text: u8[n], n: i32) -> i32:
    i = 0
    while text[i] != 0:
        i += 1
    return i
";
    check(
        "parallel",
        strlen,
        expect![[r#"
            kernel strlen(text: u8[n], n) -> i32:
                @in_order(early-exit)
                let _0, _1 = while go with i = 0, go = ((0 < n) & (u32((n -% 0)) >= 16)):
                    let _2 = (i + 16)
                    @in_lanes(4)
                    let _3 = for i_1 in range(i, _2) with leaves = false:
                        yield (leaves | (~(text[i_1] != 0)))
                    let _4, _5 = if _3:
                        yield i, false
                    else:
                        yield _2, ((_2 < n) & (u32((n -% _2)) >= 16))
                    yield _4, _5
                @in_order(early-exit)
                let _6, _7 = while go_1 with i_2 = _0, go_1 = ((_0 < n) & (u32((n -% _0)) >= 4)):
                    let _8 = (i_2 + 4)
                    @in_lanes(4)
                    let _9 = for i_3 in range(i_2, _8) with leaves_1 = false:
                        yield (leaves_1 | (~(text[i_3] != 0)))
                    let _10, _11 = if _9:
                        yield i_2, false
                    else:
                        yield _8, ((_8 < n) & (u32((n -% _8)) >= 4))
                    yield _10, _11
                @in_order(unknown-trip-count)
                let i_4 = while (text[i_5] != 0) with i_5 = _6:
                    let i_6 = (i_5 + 1)
                    yield i_6
                return i_4
        "#]],
    );
    check_decisions(
        strlen,
        expect![[r#"
            taken: whether one of 16 iterations is the last one is asked before they are done
        "#]],
    );
    // The size of another array is no bound that is known, and a `break` is a condition to go on like that of the `while`.
    let until = "\
kernel until(a: i32[_], b: i32[n], n: i32, from: i64) -> i32:
    let i = from
    let s = 0
    while true:
        if b[i] == 0:
            break
        s += b[i]
        i += 1
    return s
";
    check(
        "parallel",
        until,
        expect![[r#"
        kernel until(a: i32[?], b: i32[n], n, from_1: i64) -> i32:
            @in_order(early-exit)
            let _0, _1, _2 = while go with i = from_1, go = ((from_1 < 9223372036854775807) & (u64((9223372036854775807 -% from_1)) >= 4)), s = 0:
                let _3 = (i + 4)
                @in_lanes(4)
                let _4 = for i_1 in range(i, _3) with leaves = false:
                    let _5 = index(i_1)
                    let _6, _7 = if ((_5 >= 0) & (_5 < size(b))):
                        yield b[i_1], false
                    else:
                        yield 0, true
                    yield (leaves | (_7 | (_6 == 0)))
                let _8, _9, _10 = if _4:
                    yield i, false, s
                else:
                    @in_lanes(4)
                    let _11 = for i_2 in range(i, _3) with s_1 = s:
                        let s_2 = (s_1 + b[i_2])
                        yield s_2
                    yield _3, ((_3 < 9223372036854775807) & (u64((9223372036854775807 -% _3)) >= 4)), _11
                yield _8, _9, _10
            @in_order(unknown-trip-count)
            let _12, i_3, s_3 = while with go_1 = true, i_4 = _0, s_4 = _2:
                let _13 = if go_1:
                    yield true
                else:
                    yield false
            do _13:
                let i_5, s_5, go_2 = if (b[i_4] == 0):
                    yield i_4, s_4, false
                else:
                    let s_6 = (s_4 + b[i_4])
                    let i_6 = (i_4 + 1)
                    yield i_6, s_6, true
                yield go_2, i_5, s_5
            return s_3
    "#]],
    );
}

#[test]
fn a_while_whose_index_may_stay_or_whose_array_has_no_known_size_stays_in_order() {
    for text in [
        "kernel k(a: i32[n], n: i32) -> i32:\n    i = 0\n    s = 0\n    while a[i] != 0:\n        if a[i] > 3:\n            i += 1\n        s += 1\n    return s\n",
        "kernel k(a: i32[_]) -> i32:\n    i = 0\n    while a[i] != 0:\n        i += 1\n    return i\n",
        "kernel k(a: i32[n], n: i32) -> i32:\n    i = 0\n    while a[i] != 0:\n        i = a[i]\n    return i\n",
    ] {
        check_decisions(text, expect![""]);
    }
}

#[test]
fn a_test_may_read_cells_that_no_earlier_iteration_stores() {
    let in_place = "\
kernel in_place(a: f32[n], n: i32, limit: f32):
    for i in range(n):
        if a[i] > limit:
            break
        a[i] = a[i] * 2.0 + 1.0
";
    check(
        "parallel",
        in_place,
        expect![[r#"
        kernel in_place(a: f32[n], n, limit):
            @in_order(early-exit)
            let _0, _1 = while go with i = 0, go = ((0 < n) & (u32((n -% 0)) >= 4)):
                let _2 = (i + 4)
                @in_lanes(4)
                let _3 = for i_1 in range(i, _2) with leaves = false:
                    yield (leaves | (a[i_1] > limit))
                let _4, _5 = if _3:
                    yield i, false
                else:
                    @in_lanes(4)
                    for i_2 in range(i, _2):
                        a[i_2] = ((a[i_2] * 2.0) + 1.0)
                    yield _2, ((_2 < n) & (u32((n -% _2)) >= 4))
                yield _4, _5
            @counts
            @in_order(early-exit)
            let _6, _7 = while go_1 with i_3 = _0, go_1 = (_0 < n):
                let go_2 = if (a[i_3] > limit):
                    yield false
                else:
                    a[i_3] = ((a[i_3] * 2.0) + 1.0)
                    yield true
                let _8 = (i_3 +% 1)
                yield _8, (go_2 & ((i_3 < _8) & (_8 < n)))
    "#]],
    );
    // What the iteration has just stored is taken from there.
    let just_stored = "\
kernel just_stored(a: f32[n], b: f32[n], n: i32) -> i32:
    for i in range(n):
        b[i] = a[i] * 2.0
        if b[i] > 100.0:
            return i
    return n
";
    check(
        "parallel",
        just_stored,
        expect![[r#"
        kernel just_stored(a: f32[n], b: f32[n], n) -> i32:
            @in_order(early-exit)
            let _0, _1 = while go with i = 0, go = ((0 < n) & (u32((n -% 0)) >= 4)):
                let _2 = (i + 4)
                @in_lanes(4)
                let _3 = for i_1 in range(i, _2) with leaves = false:
                    yield (leaves | ((a[i_1] * 2.0) > 100.0))
                let _4, _5 = if _3:
                    yield i, false
                else:
                    @in_lanes(4)
                    for i_2 in range(i, _2):
                        b[i_2] = (a[i_2] * 2.0)
                        let _6 = b[i_2]
                    yield _2, ((_2 < n) & (u32((n -% _2)) >= 4))
                yield _4, _5
            @counts
            @in_order(early-exit)
            let _7, _8, live, result = while go_1 with i_3 = _0, go_1 = (_0 < n), live_1 = true, result_1 = 0:
                b[i_3] = (a[i_3] * 2.0)
                let live_2, go_2, result_2 = if (b[i_3] > 100.0):
                    yield false, false, i_3
                else:
                    yield live_1, true, result_1
                let _9 = (i_3 +% 1)
                yield _9, (go_2 & ((i_3 < _9) & (_9 < n))), live_2, result_2
            let result_3 = if live:
                yield n
            else:
                yield result
            return result_3
    "#]],
    );
    // Here the iteration before may store what is tested, or a branch what is read behind it.
    check_decisions(
        "kernel k(a: f32[n], n: i32):\n    for i in range(1, n - 1):\n        if a[i] > 9.0:\n            break\n        a[i + 1] = a[i + 1] * 2.0\n",
        expect![[r#"
            left: whether it goes on cannot be known before an iteration is done
        "#]],
    );
    check_decisions(
        "kernel k(a: f32[n], b: f32[n], n: i32):\n    for i in range(n):\n        if b[i] < 0.0:\n            a[i] = 10.0\n        if a[i] > 9.0:\n            break\n",
        expect![[r#"
            left: whether it goes on cannot be known before an iteration is done
        "#]],
    );
}
