//! Lines of loops, what of them is done together, and that the schedule computes what the line does.

use std::sync::Arc;

use expect_test::expect;

use super::line::{Does, Line, innermost};
use super::superwords::Step;
use super::{TraceOf, packed, traces};
use crate::Context;
use crate::pipeline::Options;
use facts::dependence::DependenceLimits;
use ir::entities::Op;
use ir::interp::{Arg, Inputs, Machine, MachineStatus, Stop};
use ir::ops::Code;
use ir::program::Kernel;
use ir::scalar::{Scalar, cast};
use ir::target;
use ir::target::Target;

/// The traces of a kernel's loops as text.
fn traced(text: &str, target: &str, lanes: Option<u16>) -> String {
    let kernel = ir::read(text, None).expect("a kernel").remove(0);
    let options = Options { target: target::find(target).expect("a target"), lanes };
    let mut shown = String::new();
    for trace in traces(&kernel, &mut Context::new(&options)) {
        shown += &match trace.of {
            TraceOf::Kernel => "kernel\n".to_owned(),
            TraceOf::Groups => "groups\n".to_owned(),
            TraceOf::Iterations(n) => format!("{n} iterations\n"),
        };
        trace.lines.iter().for_each(|line| shown += &format!("{}\n", line.text));
    }
    shown
}

#[test]
fn neighbours_of_two_iterations_are_pairs() {
    let text = "\
kernel add(a: f32[n], b: f32[n], c: f32[n], n):
    for i in range(0, n):
        a[i] = (b[i] + c[i])
";
    expect![[r#"
        2 iterations
            S_1   guard(i < n)
            S_2   v2 = b[i]       # waits for S_7
            S_3   v3 = c[i]       # waits for S_7
            S_4   v4 = v2 + v3    # waits for S_2, S_3
            S_5   a[i] = v4       # waits for S_4
            S_6   i_1 = i + 1
            S_7   guard(i_1 < n)  # waits for S_6
            S_8   v8 = b[i_1]     # waits for S_7
            S_9   v9 = c[i_1]     # waits for S_7
            S_10  v10 = v8 + v9   # waits for S_8, S_9
            S_11  a[i_1] = v10    # waits for S_10

            # pairs that load or store neighbouring cells
            (S_2, S_8)      b[i], b[i_1]
            (S_3, S_9)      c[i], c[i_1]
            (S_5, S_11)     a[i], a[i_1]

            # pairs that follow: what makes the operands of a pair, or uses its results
            (S_4, S_10)     use what S_2 and S_8 make

            # packs: pairs that share a statement, up to the 16 bytes of a register
            (S_2, S_8)
            (S_3, S_9)
            (S_4, S_10)
            (S_5, S_11)

            # guards that a stronger one implies
            S_1 by S_7      guard(i < n) by guard(i_1 < n)

            # whole groups start in range(0, n - 1, 2), which tests that guard

            # schedule: 5 of 11 statements; the line costs 14 instead of 30
            guard(i + 1 < n)
            V2 = vector_load(b, i, lanes=2)
            V3 = vector_load(c, i, lanes=2)
            V4 = V2 + V3
            vector_store(a, i, V4)
    "#]]
    .assert_eq(&traced(text, "sse4", Some(2)));
}

#[test]
fn what_the_next_iteration_needs_is_no_pair() {
    let text = "\
kernel chained(a: f32[n], b: f32[n], c: f32[n], n):
    for i in range(1, n):
        a[i] = (b[(i - 1)] + c[i])
        b[i] = (a[i] * 2.0)
";
    expect![[r#"
        2 iterations
            S_1   guard(i < n)
            S_2   v2 = i - 1
            S_3   v3 = b[v2]       # waits for S_2, S_11
            S_4   v4 = c[i]        # waits for S_11
            S_5   v5 = v3 + v4     # waits for S_3, S_4
            S_6   a[i] = v5        # waits for S_5
            S_7   v7 = a[i]        # waits for S_6
            S_8   v8 = v7 * 2.0    # waits for S_7
            S_9   b[i] = v8        # waits for S_8
            S_10  i_1 = i + 1
            S_11  guard(i_1 < n)   # waits for S_10
            S_12  v12 = i_1 - 1    # waits for S_10
            S_13  v13 = b[v12]     # waits for S_9, S_12
            S_14  v14 = c[i_1]     # waits for S_11
            S_15  v15 = v13 + v14  # waits for S_13, S_14
            S_16  a[i_1] = v15     # waits for S_15
            S_17  v17 = a[i_1]     # waits for S_16
            S_18  v18 = v17 * 2.0  # waits for S_17
            S_19  b[i_1] = v18     # waits for S_18

            # pairs that load or store neighbouring cells
            (S_4, S_14)     c[i], c[i_1]

            # no pairs, though both do the same: the second one waits for the first
            (S_3, S_13)
            (S_5, S_15)
            (S_6, S_16)
            (S_7, S_17)
            (S_9, S_19)

            # packs: pairs that share a statement, up to the 16 bytes of a register
            (S_4, S_14)

            # guards that a stronger one implies
            S_1 by S_11     guard(i < n) by guard(i_1 < n)

            # whole groups start in range(1, n - 1, 2), which tests that guard

            # schedule: 16 of 19 statements; it does not pay: the line would cost 50 instead of 50
            v2 = i - 1
            guard(i + 1 < n)
            v3 = b[v2]
            V4 = vector_load(c, i, lanes=2)
            v5 = v3 + V4[0]
            a[i] = v5
            v7 = a[i]
            v8 = v7 * 2.0
            b[i] = v8
            v12 = (i + 1) - 1
            v13 = b[v12]
            v15 = v13 + V4[1]
            a[i + 1] = v15
            v17 = a[i + 1]
            v18 = v17 * 2.0
            b[i + 1] = v18
    "#]]
    .assert_eq(&traced(text, "sse4", Some(2)));
}

#[test]
fn an_early_exit_is_a_guard_of_all_iterations() {
    let text = "\
kernel clip(a: f32[n], b: f32[n], n):
    @counts
    let _0, _1 = while go with i = 0, go = (0 < n):
        let go_1 = if (a[i] < 0.0):
            yield false
        else:
            b[i] = (a[i] * 2.0)
            yield true
        let _2 = (i +% 1)
        yield _2, (go_1 & ((i < _2) & (_2 < n)))
";
    expect![[r#"
        2 iterations
            S_1   guard(i < n)
            S_2   v2 = a[i]        # waits for S_9
            S_3   v3 = v2 < 0.0    # waits for S_2
            S_4   guard(not v3)    # waits for S_3
            S_5   v5 = a[i]        # waits for S_9
            S_6   v6 = v5 * 2.0    # waits for S_5
            S_7   b[i] = v6        # waits for S_4, S_6, S_12
            S_8   i_1 = i + 1
            S_9   guard(i_1 < n)   # waits for S_8
            S_10  v10 = a[i_1]     # waits for S_9
            S_11  v11 = v10 < 0.0  # waits for S_10
            S_12  guard(not v11)   # waits for S_11
            S_13  v13 = a[i_1]     # waits for S_9
            S_14  v14 = v13 * 2.0  # waits for S_13
            S_15  b[i_1] = v14     # waits for S_4, S_12, S_14

            # pairs that load or store neighbouring cells
            (S_2, S_10)     a[i], a[i_1]
            (S_5, S_13)     a[i], a[i_1]
            (S_7, S_15)     b[i], b[i_1]

            # pairs that follow: what makes the operands of a pair, or uses its results
            (S_3, S_11)     use what S_2 and S_10 make
            (S_6, S_14)     use what S_5 and S_13 make
            (S_4, S_12)     use what S_3 and S_11 make

            # packs: pairs that share a statement, up to the 16 bytes of a register
            (S_2, S_10)
            (S_3, S_11)
            (S_4, S_12)
            (S_5, S_13)
            (S_6, S_14)
            (S_7, S_15)

            # guards that a stronger one implies
            S_1 by S_9      guard(i < n) by guard(i_1 < n)

            # whole groups start in range(0, n - 1, 2), which tests that guard

            # schedule: 7 of 15 statements; the line costs 24 instead of 42
            guard(i + 1 < n)
            V2 = vector_load(a, i, lanes=2)
            V3 = V2 < 0.0
            guard(none(V3))
            V5 = vector_load(a, i, lanes=2)
            V6 = V5 * 2.0
            vector_store(b, i, V6)
    "#]]
    .assert_eq(&traced(text, "sse4", Some(2)));
}

#[test]
fn cells_that_are_not_known_to_exist_are_guarded() {
    let text = "\
kernel length(text: u8[n], n) -> i32:
    let i = while (text[i_1] != 0) with i_1 = 0:
        let i_2 = (i_1 + 1)
        yield i_2
    return i
";
    expect![[r#"
        4 iterations
            S_1   guard(i_1 < size(text))
            S_2   v2 = text[i_1]             # waits for S_16
            S_3   v3 = v2 != 0               # waits for S_2
            S_4   guard(v3)                  # waits for S_3
            S_5   i_2_1 = i_1 + 1
            S_6   guard(i_2_1 < size(text))  # waits for S_5
            S_7   v7 = text[i_2_1]           # waits for S_16
            S_8   v8 = v7 != 0               # waits for S_7
            S_9   guard(v8)                  # waits for S_8
            S_10  i_2_2 = i_2_1 + 1          # waits for S_5
            S_11  guard(i_2_2 < size(text))  # waits for S_10
            S_12  v12 = text[i_2_2]          # waits for S_16
            S_13  v13 = v12 != 0             # waits for S_12
            S_14  guard(v13)                 # waits for S_13
            S_15  i_2_3 = i_2_2 + 1          # waits for S_10
            S_16  guard(i_2_3 < size(text))  # waits for S_15
            S_17  v17 = text[i_2_3]          # waits for S_16
            S_18  v18 = v17 != 0             # waits for S_17
            S_19  guard(v18)                 # waits for S_18

            # pairs that load or store neighbouring cells
            (S_2, S_7)      text[i_1], text[i_2_1]
            (S_7, S_12)     text[i_2_1], text[i_2_2]
            (S_12, S_17)    text[i_2_2], text[i_2_3]

            # pairs that follow: what makes the operands of a pair, or uses its results
            (S_3, S_8)      use what S_2 and S_7 make
            (S_8, S_13)     use what S_7 and S_12 make
            (S_13, S_18)    use what S_12 and S_17 make
            (S_4, S_9)      use what S_3 and S_8 make
            (S_9, S_14)     use what S_8 and S_13 make
            (S_14, S_19)    use what S_13 and S_18 make

            # packs: pairs that share a statement, up to the 16 bytes of a register
            (S_2, S_7, S_12, S_17)
            (S_3, S_8, S_13, S_18)
            (S_4, S_9, S_14, S_19)

            # guards that a stronger one implies
            S_1 by S_16     guard(i_1 < size(text)) by guard(i_2_3 < size(text))
            S_6 by S_16     guard(i_2_1 < size(text)) by guard(i_2_3 < size(text))
            S_11 by S_16    guard(i_2_2 < size(text)) by guard(i_2_3 < size(text))

            # schedule: 4 of 19 statements; the line costs 16 instead of 54
            guard(i_1 + 3 < size(text))
            V2 = vector_load(text, i_1, lanes=4)
            V3 = V2 != 0
            guard(all(V3))
    "#]]
    .assert_eq(&traced(text, "sse4", Some(4)));
}

#[test]
fn sums_have_parts_where_their_order_is_free() {
    let text = "\
kernel total(a: i32[n], n) -> i32:
    let s = for i in range(0, n) with s_1 = 0:
        yield (s_1 + a[i])
    return s
";
    expect![[r#"
        4 iterations
            S_1   guard(i < n)
            S_2   v2 = a[i]          # waits for S_13
            S_3   v3 = s_1 + v2      # waits for S_2
            S_4   i_1 = i + 1
            S_5   guard(i_1 < n)     # waits for S_4
            S_6   v6 = a[i_1]        # waits for S_13
            S_7   v7 = s_1_1 + v6    # waits for S_6
            S_8   i_2 = i_1 + 1      # waits for S_4
            S_9   guard(i_2 < n)     # waits for S_8
            S_10  v10 = a[i_2]       # waits for S_13
            S_11  v11 = s_1_2 + v10  # waits for S_10
            S_12  i_3 = i_2 + 1      # waits for S_8
            S_13  guard(i_3 < n)     # waits for S_12
            S_14  v14 = a[i_3]       # waits for S_13
            S_15  v15 = s_1_3 + v14  # waits for S_14

            # pairs that load or store neighbouring cells
            (S_2, S_6)      a[i], a[i_1]
            (S_6, S_10)     a[i_1], a[i_2]
            (S_10, S_14)    a[i_2], a[i_3]

            # pairs that follow: what makes the operands of a pair, or uses its results
            (S_3, S_7)      use what S_2 and S_6 make
            (S_7, S_11)     use what S_6 and S_10 make
            (S_11, S_15)    use what S_10 and S_14 make

            # packs: pairs that share a statement, up to the 16 bytes of a register
            (S_2, S_6, S_10, S_14)
            (S_3, S_7, S_11, S_15)

            # guards that a stronger one implies
            S_1 by S_13     guard(i < n) by guard(i_3 < n)
            S_5 by S_13     guard(i_1 < n) by guard(i_3 < n)
            S_9 by S_13     guard(i_2 < n) by guard(i_3 < n)

            # whole groups start in range(0, n - 3, 4), which tests that guard

            # schedule: 3 of 15 statements; the line costs 8 instead of 38
            # each iteration has a part of `s_1`, and `+` joins them behind the loop
            guard(i + 3 < n)
            V2 = vector_load(a, i, lanes=4)
            V3 = parts(s_1) + V2
    "#]]
    .assert_eq(&traced(text, "sse4", Some(4)));
    let text = "\
kernel total(a: f32[n], n) -> f32:
    let s = for i in range(0, n) with s_1 = 0.0:
        yield (s_1 + a[i])
    return s
";
    expect![[r#"
        4 iterations
            S_1   guard(i < n)
            S_2   v2 = a[i]        # waits for S_13
            S_3   v3 = s_1 + v2    # waits for S_2
            S_4   i_1 = i + 1
            S_5   guard(i_1 < n)   # waits for S_4
            S_6   v6 = a[i_1]      # waits for S_13
            S_7   v7 = v3 + v6     # waits for S_3, S_6
            S_8   i_2 = i_1 + 1    # waits for S_4
            S_9   guard(i_2 < n)   # waits for S_8
            S_10  v10 = a[i_2]     # waits for S_13
            S_11  v11 = v7 + v10   # waits for S_7, S_10
            S_12  i_3 = i_2 + 1    # waits for S_8
            S_13  guard(i_3 < n)   # waits for S_12
            S_14  v14 = a[i_3]     # waits for S_13
            S_15  v15 = v11 + v14  # waits for S_11, S_14

            # pairs that load or store neighbouring cells
            (S_2, S_6)      a[i], a[i_1]
            (S_6, S_10)     a[i_1], a[i_2]
            (S_10, S_14)    a[i_2], a[i_3]

            # no pairs, though both do the same: the second one waits for the first
            (S_3, S_7)
            (S_7, S_11)
            (S_11, S_15)

            # packs: pairs that share a statement, up to the 16 bytes of a register
            (S_2, S_6, S_10, S_14)

            # guards that a stronger one implies
            S_1 by S_13     guard(i < n) by guard(i_3 < n)
            S_5 by S_13     guard(i_1 < n) by guard(i_3 < n)
            S_9 by S_13     guard(i_2 < n) by guard(i_3 < n)

            # whole groups start in range(0, n - 3, 4), which tests that guard

            # schedule: 6 of 15 statements; the line costs 30 instead of 38
            guard(i + 3 < n)
            V2 = vector_load(a, i, lanes=4)
            v3 = s_1 + V2[0]
            v7 = v3 + V2[1]
            v11 = v7 + V2[2]
            v15 = v11 + V2[3]
    "#]]
    .assert_eq(&traced(text, "sse4", Some(4)));
}

#[test]
fn a_guard_that_needs_a_store_ends_the_group() {
    let text = "\
kernel marks(a: f32[n], n):
    @counts
    let _0, _1 = while go with i = 1, go = (1 < n):
        let go_1 = if (a[(i - 1)] < 0.0):
            yield false
        else:
            a[i] = (a[i] - 1.0)
            yield true
        let _2 = (i +% 1)
        yield _2, (go_1 & ((i < _2) & (_2 < n)))
";
    expect![[r#"
        2 iterations
            S_1   guard(i < n)
            S_2   v2 = i - 1
            S_3   v3 = a[v2]       # waits for S_2, S_10
            S_4   v4 = v3 < 0.0    # waits for S_3
            S_5   guard(not v4)    # waits for S_4
            S_6   v6 = a[i]        # waits for S_10
            S_7   v7 = v6 - 1.0    # waits for S_6
            S_8   a[i] = v7        # waits for S_14
            S_9   i_1 = i + 1
            S_10  guard(i_1 < n)   # waits for S_9
            S_11  v11 = i_1 - 1    # waits for S_9
            S_12  v12 = a[v11]     # waits for S_8
            S_13  v13 = v12 < 0.0  # waits for S_12
            S_14  guard(not v13)   # waits for S_13
            S_15  v15 = a[i_1]     # waits for S_10
            S_16  v16 = v15 - 1.0  # waits for S_15
            S_17  a[i_1] = v16     # waits for S_14, S_16

            # guards that a stronger one implies
            S_1 by S_10     guard(i < n) by guard(i_1 < n)

            # no iterations are done together
            S_14 needs what S_8 stores, so a store is done before it is known whether the next iteration is
    "#]]
    .assert_eq(&traced(text, "sse4", Some(2)));
}

#[test]
fn statements_without_a_loop_are_packed_the_same_way() {
    let text = "\
kernel k(a: f32[4], b: f32[4], out: f32[4], x):
    out[0] = ((a[0] * x) + b[0])
    out[1] = ((a[1] * x) + b[1])
    out[2] = ((a[3] * x) + 1.5)
    out[3] = ((a[2] * x) + 2.5)
";
    expect![[r#"
        kernel
            S_1   v1 = a[0]
            S_2   v2 = v1 * x      # waits for S_1
            S_3   v3 = b[0]
            S_4   v4 = v2 + v3     # waits for S_2, S_3
            S_5   out[0] = v4      # waits for S_4
            S_6   v6 = a[1]
            S_7   v7 = v6 * x      # waits for S_6
            S_8   v8 = b[1]
            S_9   v9 = v7 + v8     # waits for S_7, S_8
            S_10  out[1] = v9      # waits for S_9
            S_11  v11 = a[3]
            S_12  v12 = v11 * x    # waits for S_11
            S_13  v13 = v12 + 1.5  # waits for S_12
            S_14  out[2] = v13     # waits for S_13
            S_15  v15 = a[2]
            S_16  v16 = v15 * x    # waits for S_15
            S_17  v17 = v16 + 2.5  # waits for S_16
            S_18  out[3] = v17     # waits for S_17

            # pairs that load or store neighbouring cells
            (S_1, S_6)      a[0], a[1]
            (S_3, S_8)      b[0], b[1]
            (S_5, S_10)     out[0], out[1]
            (S_6, S_15)     a[1], a[2]
            (S_10, S_14)    out[1], out[2]
            (S_14, S_18)    out[2], out[3]
            (S_15, S_11)    a[2], a[3]

            # pairs that follow: what makes the operands of a pair, or uses its results
            (S_2, S_7)      use what S_1 and S_6 make
            (S_4, S_9)      use what S_3 and S_8 make
            (S_7, S_16)     use what S_6 and S_15 make
            (S_9, S_13)     what S_10 and S_14 need
            (S_13, S_17)    what S_14 and S_18 need
            (S_16, S_12)    use what S_15 and S_11 make

            # packs: pairs that share a statement, up to the 16 bytes of a register
            (S_1, S_6, S_15, S_11)
            (S_2, S_7, S_16, S_12)
            (S_3, S_8)
            (S_4, S_9, S_13, S_17)
            (S_5, S_10, S_14, S_18)

            # schedule: 5 of 18 statements; it does not pay: the line would cost 48 instead of 44
            V1 = vector_load(a, 0, lanes=4)
            V2 = V1 * x
            V3 = vector_load(b, 0, lanes=2)
            V4 = permute(V2, pattern=[0, 1, 3, 2]) + pack(V3[0], V3[1], 1.5, 2.5)
            vector_store(out, 0, V4)
    "#]]
    .assert_eq(&traced(text, "sse4", None));
}

#[test]
fn a_register_decides_how_many_iterations_a_line_has() {
    let text = "\
kernel double(a: f64[n], n):
    for i in range(0, n):
        a[i] = (a[i] * 2.0)
";
    let first = |target: &str| traced(text, target, None).lines().next().unwrap_or_default().to_owned();
    assert_eq!(
        ["scalar", "sse4", "avx2", "avx512"].map(first),
        ["2", "2", "4", "8"].map(|n| format!("{n} iterations"))
    );
}

#[test]
fn one_side_of_a_branch_is_followed() {
    let text = "\
kernel rare(a: f32[n], b: f32[n], n):
    for i in range(0, n):
        if (a[i] > 0.0):
            b[i] = a[i]
        else:
            pass
";
    let text = text.replace("        else:\n            pass\n", "");
    expect![[r#"
        2 iterations
            S_1   guard(i < n)
            S_2   v2 = a[i]       # waits for S_8
            S_3   v3 = v2 > 0.0   # waits for S_2
            S_4   guard(v3)       # waits for S_3
            S_5   v5 = a[i]       # waits for S_8
            S_6   b[i] = v5       # waits for S_4, S_5, S_11
            S_7   i_1 = i + 1
            S_8   guard(i_1 < n)  # waits for S_7
            S_9   v9 = a[i_1]     # waits for S_8
            S_10  v10 = v9 > 0.0  # waits for S_9
            S_11  guard(v10)      # waits for S_10
            S_12  v12 = a[i_1]    # waits for S_8
            S_13  b[i_1] = v12    # waits for S_4, S_11, S_12

            # pairs that load or store neighbouring cells
            (S_2, S_9)      a[i], a[i_1]
            (S_5, S_12)     a[i], a[i_1]
            (S_6, S_13)     b[i], b[i_1]

            # pairs that follow: what makes the operands of a pair, or uses its results
            (S_3, S_10)     use what S_2 and S_9 make
            (S_4, S_11)     use what S_3 and S_10 make

            # packs: pairs that share a statement, up to the 16 bytes of a register
            (S_2, S_9)
            (S_3, S_10)
            (S_4, S_11)
            (S_5, S_12)
            (S_6, S_13)

            # guards that a stronger one implies
            S_1 by S_8      guard(i < n) by guard(i_1 < n)

            # whole groups start in range(0, n - 1, 2), which tests that guard

            # schedule: 6 of 13 statements; the line costs 22 instead of 38
            guard(i + 1 < n)
            V2 = vector_load(a, i, lanes=2)
            V3 = V2 > 0.0
            guard(all(V3))
            V5 = vector_load(a, i, lanes=2)
            vector_store(b, i, V5)
    "#]]
    .assert_eq(&traced(&text, "sse4", Some(2)));
}

// The schedule computes what the line does.

/// A loop of random statements on arrays of 80 cells, and the number of its iterations.
fn random_loop(random: &mut fastrand::Rng) -> (String, u64) {
    let types = ["f32", "i32", "u8"];
    let ty = types[random.usize(..types.len())];
    let rounds = [4, 8, 16][random.usize(..3)];
    let mut text =
        format!("kernel k(a: {ty}[80], b: {ty}[80], c: {ty}[80], x: {ty}):\n    for i in range(8, {}):\n", 8 + rounds);
    let arrays = ["a", "b", "c"];
    let number = |random: &mut fastrand::Rng| match ty {
        "f32" => format!("{}.5", random.u32(..9)),
        _ => random.u32(..9).to_string(),
    };
    let cell = |random: &mut fastrand::Rng| {
        let array = arrays[random.usize(..3)];
        match random.i32(-3..6) {
            ahead @ 1..=3 => format!("{array}[(i + {ahead})]"),
            behind @ -3..=-1 => format!("{array}[(i - {})]", -behind),
            4 => format!("{array}[{}]", random.u32(..80)),
            _ => format!("{array}[i]"),
        }
    };
    for _ in 0..random.u32(1..5) {
        let to = cell(random);
        let leaf = |random: &mut fastrand::Rng| match random.u32(..6) {
            0 => number(random),
            1 => "x".to_owned(),
            _ => cell(random),
        };
        let operators: &[&str] = if ty == "f32" { &["+", "-", "*"] } else { &["+%", "-%", "*%", "&", "^"] };
        let mut value = leaf(random);
        for _ in 0..random.u32(..3) {
            let other = leaf(random);
            let operator = operators[random.usize(..operators.len())];
            value = match random.bool() {
                true => format!("({value} {operator} {other})"),
                false => format!("({other} {operator} {value})"),
            };
        }
        text += &format!("        {to} = {value}\n");
    }
    (text, rounds)
}

/// A kernel in which the body of the loop is its line, in the order of the schedule, and the number of its packs.
fn in_order_of_schedule(kernel: &Kernel, lanes: usize, target: &'static Target) -> (Kernel, usize) {
    let loops = facts::loops::loops(kernel, &DependenceLimits::default());
    let line = Line::of_loop(kernel, &loops, innermost(kernel)[0], lanes).expect("a line");
    let (line, found) = packed(line, target).expect("a line that is not too long");
    let mut order: Vec<Op> = Vec::new();
    // What addresses are made of comes in front of who needs it.
    fn add(kernel: &Kernel, inside: &[Op], op: Op, order: &mut Vec<Op>) {
        for value in kernel.inputs(op) {
            if let Some(maker) = kernel.def_op(value).filter(|maker| inside.contains(maker)) {
                add(kernel, inside, maker, order);
            }
        }
        if !order.contains(&op) {
            order.push(op);
        }
    }
    let mut kernel = line.kernel.clone();
    let inside = kernel.regions[line.region].ops.clone();
    let mut guards_are_done = 0;
    for step in &found.schedule {
        let members = match step {
            Step::One(statement) => std::slice::from_ref(statement),
            Step::Pack(pack) => &found.packs[*pack][..],
        };
        for &member in members {
            match line.statements[member].does {
                Does::Op(op) => add(&kernel, &inside, op, &mut order),
                Does::Guard(_) => {
                    guards_are_done = order.iter().filter(|op| kernel.ops[**op].code == Code::Store).count()
                }
            }
        }
    }
    assert_eq!(guards_are_done, 0, "a store stands before a guard");
    kernel.regions[line.region].ops = order;
    (kernel, found.packs.len())
}

/// The bytes that a kernel leaves in its arrays.
fn left(kernel: &Kernel, memory: &[Vec<u8>], x: Scalar) -> Vec<Vec<u8>> {
    let array = |memory: usize| Arg::Array { memory, start: 0, sizes: vec![80] };
    let args = vec![array(0), array(1), array(2), Arg::Scalar(x)];
    let inputs = Inputs { args, memory: memory.to_vec() };
    let mut machine = Machine::new(Arc::new(kernel.clone()), inputs).expect("inputs that fit");
    assert_eq!(machine.run_for(100_000), Stop::Over);
    assert!(matches!(machine.status(), MachineStatus::Done(_)), "{:?}", machine.status());
    machine.memory()[..3].to_vec()
}

#[test]
fn the_schedule_computes_what_the_line_does() {
    let mut n_packs = 0;
    for seed in 0..600 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (text, rounds) = random_loop(&mut random);
        let kernel = ir::read(&text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
        let elem = kernel.ty(kernel.params[0].value).elem().expect("an array");
        let number = |random: &mut fastrand::Rng| cast(Scalar::I32(random.i32(..50)), elem).expect("a small number");
        let x = number(&mut random);
        let memory: Vec<Vec<u8>> = (0..3)
            .map(|_| (0..80).flat_map(|_| number(&mut random).bits().to_le_bytes()[..elem.bytes()].to_vec()).collect())
            .collect();
        let lanes = [2, 4][random.usize(..2)];
        assert_eq!(rounds % lanes as u64, 0);
        let (scheduled, packs) = in_order_of_schedule(&kernel, lanes, target::find("avx2").expect("a target"));
        n_packs += packs;
        let same = left(&kernel, &memory, x) == left(&scheduled, &memory, x);
        assert!(same, "seed {seed}, {lanes} iterations\n{text}\n{}", ir::print(&scheduled).text);
    }
    assert!(n_packs > 500, "only {n_packs} packs");
}
