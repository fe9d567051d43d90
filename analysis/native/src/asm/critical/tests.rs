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
    assert_eq!(why(&loop_of(include_str!("../hand/saxpy.s"), "sve256"), Family::Arm), "there are no figures of `ldr`");
    assert_eq!(
        why(&loop_of(include_str!("../hand/saxpy.s"), "rvv128"), Family::RiscV),
        "there are no figures of a processor of this family"
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
        ] {
            let (_, estimate) = estimated(&loop_of(file, target), family);
            let estimate = estimate.unwrap_or_else(|why| panic!("{target}: {why}"));
            assert!(estimate.carried.cycles >= 1.0, "{target}: a loop has a counter");
            assert!(estimate.through.cycles >= estimate.carried.cycles / estimate.carried.turns as f64, "{target}");
        }
    }
}
