//! Chains of loops, followed by hand.

use std::fmt::Write;

use expect_test::{Expect, expect};
use ir::Family;

use super::super::hand::loop_of;
use super::super::listing;
use super::*;

/// The only loop of a text.
fn estimated(text: &str, family: Family) -> (Vec<Line>, Result<LoopEstimate, String>) {
    let listing = listing(&format!("k:\n{text}"), family);
    let function = &listing.functions[0];
    let inner = function.inner_loops.first().expect("a loop");
    let estimate = estimate(&function.lines, &inner.lines, family);
    (function.lines.clone(), estimate)
}

/// The instructions of the only loop of a text with the marks of their chains, and the sums below.
fn check(text: &str, family: Family, expected: Expect) {
    let (lines, estimate) = estimated(text, family);
    let estimate = estimate.expect("figures of all instructions");
    let mut shown = String::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.kind.is_some()) {
        let mark = estimate.mark(at).map_or(' ', ChainMark::sign);
        let cycles =
            |chain: &LatencyChain| chain.steps.iter().filter(|(step, _)| *step == at).map(|(_, n)| *n).sum::<u32>();
        let (carried, through) = (cycles(&estimate.carried), cycles(&estimate.through));
        let columns = [carried, through].map(|n| if n == 0 { "-".to_owned() } else { n.to_string() });
        writeln!(shown, "{mark} {:44} {:>2} {:>2}", line.text.trim(), columns[0], columns[1]).expect("a line");
    }
    let (units, names) = &estimate.units;
    let LoopEstimate { carried, through, front, .. } = &estimate;
    let turns = carried.turns;
    writeln!(
        shown,
        "carried {} in {turns}, through {}, {names} {units}, front {front}",
        carried.cycles, through.cycles
    )
    .expect("a line");
    writeln!(shown, "{} by {}", estimate.cycles(), estimate.bound().name()).expect("a line");
    expected.assert_eq(&shown);
}

/// Four groups of eight lanes: each of the multipliers, the loads and the store's port is busy for 4 cycles, and only the counter is handed on.
#[test]
fn saxpy_is_bound_by_units() {
    check(
        &loop_of(include_str!("../hand/saxpy.s"), "avx2"),
        Family::X86,
        expect![[r#"
        o vmulps (%rdi,%r8,4), %ymm1, %ymm2             - 10
          vmulps 32(%rdi,%r8,4), %ymm1, %ymm3           -  -
          vmulps 64(%rdi,%r8,4), %ymm1, %ymm4           -  -
          vmulps 96(%rdi,%r8,4), %ymm1, %ymm5           -  -
        o vaddps (%rsi,%r8,4), %ymm2, %ymm2             -  4
          vaddps 32(%rsi,%r8,4), %ymm3, %ymm3           -  -
          vaddps 64(%rsi,%r8,4), %ymm4, %ymm4           -  -
          vaddps 96(%rsi,%r8,4), %ymm5, %ymm5           -  -
          vmovups %ymm2, (%rsi,%r8,4)                   -  -
          vmovups %ymm3, 32(%rsi,%r8,4)                 -  -
          vmovups %ymm4, 64(%rsi,%r8,4)                 -  -
          vmovups %ymm5, 96(%rsi,%r8,4)                 -  -
        * addq $32, %r8                                 1  -
          cmpq %rcx, %r8                                -  -
          jb .LBB0_2                                    -  -
        carried 1 in 1, through 14, p4 4, front 3.5
        4 by units
    "#]],
    );
    check(
        &loop_of(include_str!("../hand/saxpy.s"), "neon"),
        Family::Arm,
        expect![[r#"
        o ldp q1, q2, [x13, #-32]                       -  5
        * add x8, x8, #16                               1  -
          ldp q3, q4, [x13], #64                        -  -
          ldp q5, q6, [x12, #-32]                       -  -
          cmp x8, x10                                   -  -
        o fmul v1.4s, v1.4s, v0.s[0]                    -  3
          fmul v2.4s, v2.4s, v0.s[0]                    -  -
          fmul v3.4s, v3.4s, v0.s[0]                    -  -
          fmul v4.4s, v4.4s, v0.s[0]                    -  -
        o fadd v1.4s, v1.4s, v5.4s                      -  2
          ldp q5, q7, [x12]                             -  -
          fadd v2.4s, v2.4s, v6.4s                      -  -
          fadd v3.4s, v3.4s, v5.4s                      -  -
          fadd v4.4s, v4.4s, v7.4s                      -  -
          stp q1, q2, [x12, #-32]                       -  -
          stp q3, q4, [x12], #64                        -  -
          b.lo .LBB0_2                                  -  -
        carried 1 in 1, through 10, L0 L1 6, front 4.25
        6 by units
    "#]],
    );
}

#[test]
fn saxpy_in_scalable_vectors_is_bound_by_their_units() {
    check(
        &loop_of(include_str!("../hand/saxpy.s"), "sve256"),
        Family::Arm,
        expect![[r#"
        o ldr z2, [x13, #-2, mul vl]                    -  6
          ldr z3, [x13, #-1, mul vl]                    -  -
        * add x11, x11, #32                             1  -
          ldr z4, [x13]                                 -  -
          ldr z5, [x13, #1, mul vl]                     -  -
          cmp x11, x9                                   -  -
          ldr z6, [x12, #-2, mul vl]                    -  -
          ldr z7, [x12, #-1, mul vl]                    -  -
          add x13, x13, #128                            -  -
        o fmul z2.s, z1.s, z2.s                         -  3
          fmul z3.s, z1.s, z3.s                         -  -
          ldr z16, [x12]                                -  -
          fmul z4.s, z1.s, z4.s                         -  -
          fmul z5.s, z1.s, z5.s                         -  -
          ldr z17, [x12, #1, mul vl]                    -  -
        o fadd z2.s, z2.s, z6.s                         -  2
          fadd z3.s, z3.s, z7.s                         -  -
          fadd z4.s, z4.s, z16.s                        -  -
          fadd z5.s, z5.s, z17.s                        -  -
          str z2, [x12, #-2, mul vl]                    -  -
          str z3, [x12, #-1, mul vl]                    -  -
          str z4, [x12]                                 -  -
          str z5, [x12, #1, mul vl]                     -  -
          add x12, x12, #128                            -  -
          b.lo .LBB0_2                                  -  -
        carried 1 in 1, through 11, L0 L1 6, front 3.625
        6 by units
    "#]],
    );
    check(
        &loop_of(include_str!("../hand/saxpy.s"), "rvv128"),
        Family::RiscV,
        expect![[r#"
        o add a3, a0, a5                                -  1
          add a4, a1, a5                                -  -
        * addi a5, a5, 64                               1  -
          vle32.v v8, (a3)                              -  -
        o addi t2, a3, 16                               -  1
          addi t3, a3, 32                               -  -
          addi t4, a3, 48                               -  -
          vle32.v v9, (a4)                              -  -
        o vle32.v v10, (t2)                             -  8
          addi t2, a4, 16                               -  -
          vle32.v v11, (t3)                             -  -
          addi t3, a4, 32                               -  -
          vle32.v v12, (t4)                             -  -
          addi a3, a4, 48                               -  -
          vle32.v v13, (t2)                             -  -
          vle32.v v14, (t3)                             -  -
          vle32.v v15, (a3)                             -  -
          vfmul.vf v8, v8, fa0                          -  -
        o vfmul.vf v10, v10, fa0                        -  6
          vfmul.vf v11, v11, fa0                        -  -
          vfmul.vf v12, v12, fa0                        -  -
          vfadd.vv v8, v8, v9                           -  -
        o vfadd.vv v9, v10, v13                         -  6
          vfadd.vv v10, v11, v14                        -  -
          vfadd.vv v11, v12, v15                        -  -
          vse32.v v8, (a4)                              -  -
          vse32.v v9, (t2)                              -  -
          vse32.v v10, (t3)                             -  -
          vse32.v v11, (a3)                             -  -
          bne a5, t1, .LBB0_2                           -  -
        carried 1 in 1, through 22, VLD 8, front 7.5
        8 by units
    "#]],
    );
}

/// The lanes of a vector are added in order, so that a turn waits for all of them.
#[test]
fn a_sum_of_lanes_in_order_is_bound_by_it() {
    check(
        ".L:\n\tld1w\t{ z1.s }, p0/z, [x0, x8, lsl #2]\n\tfadda\ts0, p0, s0, z1.s\n\tincw\tx8\n\tcmp\tx8, x9\n\tb.lo\t.L\n",
        Family::Arm,
        expect![[r#"
            o ld1w { z1.s }, p0/z, [x0, x8, lsl #2]         -  6
            * fadda s0, p0, s0, z1.s                       11 11
              incw x8                                       -  -
              cmp x8, x9                                    -  -
              b.lo .L                                       -  -
            carried 11 in 1, through 17, V0 10, front 1.75
            11 by latency
        "#]],
    );
    check(
        ".L:\n\tvsetvli\ta4, a2, e32, m2, ta, ma\n\tvle32.v\tv10, (a0)\n\tvfredosum.vs\tv8, v10, v8\n\tslli\ta5, a4, 2\n\tsub\ta2, a2, a4\n\tadd\ta0, a0, a5\n\tbnez\ta2, .L\n",
        Family::RiscV,
        expect![[r#"
            o vsetvli a4, a2, e32, m2, ta, ma               -  1
            o vle32.v v10, (a0)                             -  8
            * vfredosum.vs v8, v10, v8                     20 20
              slli a5, a4, 2                                -  -
              sub a2, a2, a4                                -  -
              add a0, a0, a5                                -  -
              bnez a2, .L                                   -  -
            carried 20 in 1, through 29, VEXQ1 20, front 1.75
            20 by units
        "#]],
    );
}

/// A product is added to another one two cycles after that one began, and to what a move has given only when that is there.
#[test]
fn products_are_added_sooner_to_one_another() {
    let sum = |in_front: &str| {
        format!(
            ".L:\n\tld1w\t{{ z1.s }}, p0/z, [x0, x8, lsl #2]\n{in_front}\tfmla\tz0.s, p0/m, z1.s, z1.s\n\tincw\tx8\n\tcmp\tx8, x9\n\tb.lo\t.L\n"
        )
    };
    check(
        &sum(""),
        Family::Arm,
        expect![[r#"
        o ld1w { z1.s }, p0/z, [x0, x8, lsl #2]         -  6
        o fmla z0.s, p0/m, z1.s, z1.s                   -  4
        * incw x8                                       2  -
          cmp x8, x9                                    -  -
          b.lo .L                                       -  -
        carried 2 in 1, through 10, M0 1, front 0.625
        2 by latency
    "#]],
    );
    check(
        &sum("\tfmla\tz0.s, p0/m, z1.s, z1.s\n"),
        Family::Arm,
        expect![[r#"
        o ld1w { z1.s }, p0/z, [x0, x8, lsl #2]         -  6
        * fmla z0.s, p0/m, z1.s, z1.s                   2  4
        * fmla z0.s, p0/m, z1.s, z1.s                   2  2
          incw x8                                       -  -
          cmp x8, x9                                    -  -
          b.lo .L                                       -  -
        carried 4 in 1, through 12, M0 1, front 0.75
        4 by latency
    "#]],
    );
    check(
        &sum("\tmovprfx\tz0, z2\n").replace("\tincw", "\tfadd\tz2.s, z0.s, z1.s\n\tincw"),
        Family::Arm,
        expect![[r#"
            o ld1w { z1.s }, p0/z, [x0, x8, lsl #2]         -  6
            * movprfx z0, z2                                2  -
            * fmla z0.s, p0/m, z1.s, z1.s                   4  4
            * fadd z2.s, z0.s, z1.s                         2  2
              incw x8                                       -  -
              cmp x8, x9                                    -  -
              b.lo .L                                       -  -
            carried 8 in 1, through 12, V0 V1 1.5, front 0.875
            8 by latency
        "#]],
    );
}

/// The lanes of a predicate are made anew each turn: the next one waits for the counter and not for the predicate, but to branch.
#[test]
fn a_loop_under_a_predicate_waits_for_what_makes_it() {
    check(
        ".L:\n\tld1w\t{ z0.s }, p0/z, [x0, x8, lsl #2]\n\tfcmgt\tp1.s, p0/z, z0.s, #0.0\n\tfsqrt\tz0.s, p1/m, z0.s\n\tst1w\t{ z0.s }, p0, [x1, x8, lsl #2]\n\tincw\tx8\n\twhilelo\tp0.s, x8, x9\n\tb.first\t.L\n",
        Family::Arm,
        expect![[r#"
            o ld1w { z0.s }, p0/z, [x0, x8, lsl #2]         -  6
            o fcmgt p1.s, p0/z, z0.s, #0.0                  -  2
            o fsqrt z0.s, p1/m, z0.s                        - 10
              st1w { z0.s }, p0, [x1, x8, lsl #2]           -  -
            * incw x8                                       2  -
              whilelo p0.s, x8, x9                          -  -
              b.first .L                                    -  -
            carried 2 in 1, through 18, V0 8, front 1.125
            8 by units
        "#]],
    );
}

/// Groups of four registers keep the units busy four times as long, and the mask one of them.
#[test]
fn groups_of_registers_are_followed_through_a_loop() {
    check(
        "\tvsetvli\ta4, a2, e32, m4, ta, mu\n.L:\n\tvle32.v\tv8, (a0)\n\tvmfgt.vf\tv0, v8, fa0\n\tvfmul.vv\tv8, v8, v8, v0.t\n\tvfadd.vv\tv16, v16, v8\n\tadd\ta0, a0, a3\n\taddi\ta2, a2, -1\n\tbnez\ta2, .L\n",
        Family::RiscV,
        expect![[r#"
              vsetvli a4, a2, e32, m4, ta, mu               -  -
            o vle32.v v8, (a0)                              -  8
            o vmfgt.vf v0, v8, fa0                          -  2
            o vfmul.vv v8, v8, v8, v0.t                     -  6
            * vfadd.vv v16, v16, v8                         6  6
              add a0, a0, a3                                -  -
              addi a2, a2, -1                               -  -
              bnez a2, .L                                   -  -
            carried 6 in 1, through 22, VEXQ0 VEXQ1 6, front 1.75
            6 by units
        "#]],
    );
}

/// A sum in order waits 4 cycles for each of its additions, one behind the other.
#[test]
fn a_sum_in_order_is_bound_by_its_additions() {
    check(
        ".L:\n\tvaddss (%rdi,%rax,4), %xmm0, %xmm0\n\tvaddss 4(%rdi,%rax,4), %xmm0, %xmm0\n\taddq $2, %rax\n\tcmpq %rax, %rcx\n\tjne .L\n",
        Family::X86,
        expect![[r#"
            * vaddss (%rdi,%rax,4), %xmm0, %xmm0            4 10
            * vaddss 4(%rdi,%rax,4), %xmm0, %xmm0           4  4
              addq $2, %rax                                 -  -
              cmpq %rax, %rcx                               -  -
              jne .L                                        -  -
            carried 8 in 1, through 14, p2 p3 1, front 1
            8 by latency
        "#]],
    );
}

/// Two sums beside each other wait 4 cycles for themselves, where the loads take 2. With four the loads take 4 as well: more sums gain nothing.
#[test]
fn a_dot_product_wants_as_many_sums_as_keep_the_units_busy() {
    check(
        ".L:\n\tvmovups (%rdi,%rax,4), %ymm4\n\tvmovups 32(%rdi,%rax,4), %ymm5\n\tvfmadd231ps (%rsi,%rax,4), %ymm4, %ymm0\n\
         \tvfmadd231ps 32(%rsi,%rax,4), %ymm5, %ymm1\n\taddq $16, %rax\n\tcmpq %rax, %rcx\n\tjne .L\n",
        Family::X86,
        expect![[r#"
            o vmovups (%rdi,%rax,4), %ymm4                  -  6
              vmovups 32(%rdi,%rax,4), %ymm5                -  -
            * vfmadd231ps (%rsi,%rax,4), %ymm4, %ymm0       4  4
              vfmadd231ps 32(%rsi,%rax,4), %ymm5, %ymm1     -  -
              addq $16, %rax                                -  -
              cmpq %rax, %rcx                               -  -
              jne .L                                        -  -
            carried 4 in 1, through 10, p2 p3 2, front 1.5
            4 by latency
        "#]],
    );
    let sum = |n: usize| {
        let (load, at) = (n + 4, 32 * n);
        format!("\tvmovups {at}(%rdi,%rax,4), %ymm{load}\n\tvfmadd231ps {at}(%rsi,%rax,4), %ymm{load}, %ymm{n}\n")
    };
    let sums: String = (0..4).map(sum).collect();
    let (_, four) = estimated(&format!(".L:\n{sums}\taddq $32, %rax\n\tcmpq %rax, %rcx\n\tjne .L\n"), Family::X86);
    let four = four.expect("figures of all instructions");
    assert_eq!(
        (four.carried.cycles, four.units.clone(), four.bound()),
        (4.0, (4.0, "p2 p3".to_owned()), LoopBound::Units)
    );
}

/// Of a running sum the last lane is carried: put in all lanes, and added to the next group.
#[test]
fn a_running_sum_waits_for_its_last_lane() {
    check(
        ".L:\n\tvmovdqu (%rdi,%rax,4), %ymm1\n\tvpslldq $4, %ymm1, %ymm2\n\tvpaddd %ymm2, %ymm1, %ymm1\n\tvpslldq $8, %ymm1, %ymm2\n\
         \tvpaddd %ymm2, %ymm1, %ymm1\n\tvpaddd %ymm0, %ymm1, %ymm0\n\tvmovdqu %ymm0, (%rsi,%rax,4)\n\
         \tvpermq $255, %ymm0, %ymm0\n\tvpshufd $255, %ymm0, %ymm0\n\taddq $8, %rax\n\tcmpq %rcx, %rax\n\tjb .L\n",
        Family::X86,
        expect![[r#"
            o vmovdqu (%rdi,%rax,4), %ymm1                  -  6
            o vpslldq $4, %ymm1, %ymm2                      -  1
            o vpaddd %ymm2, %ymm1, %ymm1                    -  1
            o vpslldq $8, %ymm1, %ymm2                      -  1
            o vpaddd %ymm2, %ymm1, %ymm1                    -  1
            * vpaddd %ymm0, %ymm1, %ymm0                    1  1
              vmovdqu %ymm0, (%rsi,%rax,4)                  -  -
            * vpermq $255, %ymm0, %ymm0                     3  3
            * vpshufd $255, %ymm0, %ymm0                    1  1
              addq $8, %rax                                 -  -
              cmpq %rcx, %rax                               -  -
              jb .L                                         -  -
            carried 5 in 1, through 15, p5 4, front 2.75
            5 by latency
        "#]],
    );
}

/// Two numbers that change places each turn, of which one is multiplied: a circle of two turns, half of 4 cycles each.
#[test]
fn a_chain_may_close_after_two_turns() {
    check(
        ".L:\n\tmovaps %xmm0, %xmm2\n\tvmulss %xmm1, %xmm3, %xmm0\n\tmovaps %xmm2, %xmm1\n\tdecq %rax\n\tjne .L\n",
        Family::X86,
        expect![[r#"
              movaps %xmm0, %xmm2                           -  -
            * vmulss %xmm1, %xmm3, %xmm0                    4  4
              movaps %xmm2, %xmm1                           -  -
              decq %rax                                     -  -
              jne .L                                        -  -
            carried 2 in 2, through 4, p0 p1 p6 0.6666666666666666, front 1
            2 by latency
        "#]],
    );
}

/// A spilled value is carried as in a register, and loading it takes longer.
#[test]
fn a_spilled_sum_waits_for_the_stack() {
    check(
        ".L:\n\tvmovups 32(%rsp), %ymm0\n\tvaddps (%rdi,%rax,4), %ymm0, %ymm0\n\tvmovups %ymm0, 32(%rsp)\n\taddq $8, %rax\n\tcmpq %rax, %rcx\n\tjne .L\n",
        Family::X86,
        expect![[r#"
            * vmovups 32(%rsp), %ymm0                       6  6
            * vaddps (%rdi,%rax,4), %ymm0, %ymm0            4  4
              vmovups %ymm0, 32(%rsp)                       -  -
              addq $8, %rax                                 -  -
              cmpq %rax, %rcx                               -  -
              jne .L                                        -  -
            carried 10 in 1, through 10, p4 1, front 1.25
            10 by latency
        "#]],
    );
}

#[test]
fn what_has_no_figures_has_a_reason() {
    let why = |text: &str, family| estimated(text, family).1.expect_err("no estimate");
    assert_eq!(why(".L:\n\tcallq sinf@PLT\n\tdecq %rax\n\tjne .L\n", Family::X86), "it calls functions");
    assert_eq!(
        why(".L:\n\txgetweird %rax\n\tdecq %rax\n\tjne .L\n", Family::X86),
        "there are no figures of `xgetweird`"
    );
    assert_eq!(
        why(".L:\n\tfadd\tz0.s, z0.s, z1.s\n\tldxr\tw8, [x0]\n\tcbnz\tx8, .L\n", Family::Arm),
        "there are no figures of `ldxr`"
    );
    assert_eq!(why(".L:\n\tvaesem.vv\tv8, v9\n\tbnez\ta0, .L\n", Family::RiscV), "there are no figures of `vaesem.vv`");
    assert_eq!(
        why(&loop_of(include_str!("../hand/saxpy.s"), "wasm"), Family::Wasm),
        "what runs WebAssembly compiles it once more, for a processor that is not known here"
    );
}

/// All instructions of the loops that are counted by hand have figures, and no loop is faster than its units or its chain.
#[test]
fn loops_counted_by_hand_have_estimates() {
    let files = [
        include_str!("../hand/saxpy.s"),
        include_str!("../hand/matvec.s"),
        include_str!("../hand/blur.s"),
        include_str!("../hand/mandelbrot.s"),
    ];
    for file in files {
        for (target, family) in [
            ("scalar", Family::X86),
            ("sse4", Family::X86),
            ("avx2", Family::X86),
            ("avx512", Family::X86),
            ("neon", Family::Arm),
            ("sve128", Family::Arm),
            ("sve256", Family::Arm),
            ("sve512", Family::Arm),
            ("rvv128", Family::RiscV),
            ("rvv256", Family::RiscV),
            ("rvv512", Family::RiscV),
        ] {
            let (_, estimate) = estimated(&loop_of(file, target), family);
            let estimate = estimate.unwrap_or_else(|why| panic!("{target}: {why}"));
            assert!(estimate.carried.cycles >= 1.0, "{target}: a loop has a counter");
            assert!(estimate.through.cycles >= estimate.carried.cycles / estimate.carried.turns as f64, "{target}");
        }
    }
}
