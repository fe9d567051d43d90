//! Listings: their lines, the kinds of those, spills and loops.

use expect_test::{Expect, expect};

use super::*;

fn check(text: &str, family: Family, expect: Expect) {
    let listing = listing(text, family);
    let mut shown = String::new();
    for line in listing.functions.iter().flat_map(|function| &function.lines).chain(&listing.constants) {
        let source = line.source_line.map_or("-".to_owned(), |line| line.to_string());
        let kinds: Vec<_> = line
            .counts
            .counted()
            .map(|(kind, n)| if n == 1 { kind.name().to_owned() } else { format!("{n} {}", kind.name()) })
            .collect();
        let kind = kinds.join(" ");
        let mark = if line.in_inner_loop { "|" } else { "" };
        shown += format!("{source:1} {mark:1} {kind:12} {}", line.text.replace('\t', "    ")).trim_end();
        shown.push('\n');
    }
    expect.assert_eq(&shown);
}

#[test]
fn what_is_for_the_assembler_is_left_out() {
    check(
        "\t.file\t\"a.lane\"\n\t.section\t.rodata.cst4,\"aM\",@progbits,4\n\t.p2align\t2, 0x0\n.LCPI0_0:\n\t.long\t0x3f800000\n\
         .LCPI0_1:\n\t.long\t1\n\t.text\n\t.globl\tk\n\t.type\tk,@function\nk:\n.Lfunc_begin0:\n\t.loc\t1 2 5\n\
         \ttestl\t%edi, %edi\n\tjle\t.LBB0_3\n.LBB0_1:\n\tvbroadcastss\t.LCPI0_0(%rip), %ymm0\n.LBB0_2:\n.Ltmp1:\n\t.loc\t1 3 9\n\
         \tvaddps\t(%rsi,%rax,4), %ymm0, %ymm1\n\tvmovups\t%ymm1, (%rsi,%rax,4)\n\taddq\t$8, %rax\n\t.loc\t1 2 5\n\
         \tcmpq\t%rdi, %rax\n\tjl\t.LBB0_2\n.LBB0_3:\n\tvzeroupper\n\tretq\n.Lfunc_end0:\n\t.size\tk, .Lfunc_end0-k\n\
         \t.section\t.debug_info,\"\",@progbits\n\t.long\t1\n",
        Family::X86,
        expect![[r#"
            -                k:
            2   scalar           testl %edi, %edi
            2   scalar           jle .LBB0_3
            2   load             vbroadcastss .LCPI0_0(%rip), %ymm0
            - |              .LBB0_2:
            3 | vector load      vaddps (%rsi,%rax,4), %ymm0, %ymm1
            3 | store            vmovups %ymm1, (%rsi,%rax,4)
            3 | scalar           addq $8, %rax
            2 | scalar           cmpq %rdi, %rax
            2 | scalar           jl .LBB0_2
            -                .LBB0_3:
            2   scalar           vzeroupper
            2   scalar           retq
            -                .LCPI0_0:
            -                    .long 0x3f800000
        "#]],
    );
}

#[test]
fn what_a_caller_keeps_in_registers_is_saved_and_not_spilled() {
    check(
        "k:\n\tstp\td9, d8, [sp, #-48]!\n\tsub\tx9, sp, #128\n\tstp\tx29, x30, [sp, #16]\n\tadd\tx29, sp, #16\n\tstr\tx19, [sp, #32]\n\
         \tand\tsp, x9, #0xffffffffffffffc0\n\tldr\tx8, [x29, #32]\n\tstp\tq1, q2, [sp, #64]\n\tadd\tx18, sp, #32\n\tldr\tq0, [x18, x19]\n\
         \tstr\tx19, [sp, #8]\n.LBB0_1:\n\tldr\tq1, [sp, #64]\n\tldr\tx19, [sp, #8]\n\tb.lo\t.LBB0_1\n\tsub\tsp, x29, #16\n\
         \tldr\tx19, [sp, #32]\n\tldp\tx29, x30, [sp, #16]\n\tldp\td9, d8, [sp], #48\n\tret\n",
        Family::Arm,
        expect![[r#"
            -                k:
            -   2 save           stp d9, d8, [sp, #-48]!
            -   scalar           sub x9, sp, #128
            -   2 save           stp x29, x30, [sp, #16]
            -   scalar           add x29, sp, #16
            -   save             str x19, [sp, #32]
            -   scalar           and sp, x9, #0xffffffffffffffc0
            -   load             ldr x8, [x29, #32]
            -   2 spill          stp q1, q2, [sp, #64]
            -   scalar           add x18, sp, #32
            -   load             ldr q0, [x18, x19]
            -   spill            str x19, [sp, #8]
            - |              .LBB0_1:
            - | spill            ldr q1, [sp, #64]
            - | spill            ldr x19, [sp, #8]
            - | scalar           b.lo .LBB0_1
            -   scalar           sub sp, x29, #16
            -   save             ldr x19, [sp, #32]
            -   2 save           ldp x29, x30, [sp, #16]
            -   2 save           ldp d9, d8, [sp], #48
            -   scalar           ret
        "#]],
    );
    check(
        "k:\n\taddi\tsp, sp, -64\n\tsd\tra, 56(sp)\n\tsd\ts0, 48(sp)\n\tsd\ts0, 16(sp)\n\tsd\ta5, 8(sp)\n\tld\ta0, 64(sp)\n\
         \tld\ta3, 16(sp)\n\tld\tra, 56(sp)\n\tld\ts0, 48(sp)\n\taddi\tsp, sp, 64\n\tret\n",
        Family::RiscV,
        expect![[r#"
            -                k:
            -   scalar           addi sp, sp, -64
            -   save             sd ra, 56(sp)
            -   save             sd s0, 48(sp)
            -   spill            sd s0, 16(sp)
            -   spill            sd a5, 8(sp)
            -   load             ld a0, 64(sp)
            -   spill            ld a3, 16(sp)
            -   save             ld ra, 56(sp)
            -   save             ld s0, 48(sp)
            -   scalar           addi sp, sp, 64
            -   scalar           ret
        "#]],
    );
}

#[test]
fn only_a_frame_pointer_is_one() {
    check(
        "k:\n\tpushq\t%rbp\n\tpushq\t%rbx\n\tsubq\t$32, %rsp\n\tvmovups\t%ymm0, -64(%rbp)\n\tvmovups\t%ymm1, (%rsp)\n\tmovq\t56(%rsp), %rax\n\
         \taddl\t$1, 8(%rsp)\n\tvaddps\t(%rsp), %ymm0, %ymm0\n\tvaddps\t64(%rsp,%r9), %ymm3, %ymm3\n\tpopq\t%rbx\n\tpopq\t%rbp\n\tretq\n",
        Family::X86,
        expect![[r#"
            -                k:
            -   save             pushq %rbp
            -   save             pushq %rbx
            -   scalar           subq $32, %rsp
            -   store            vmovups %ymm0, -64(%rbp)
            -   spill            vmovups %ymm1, (%rsp)
            -   load             movq 56(%rsp), %rax
            -   scalar 2 spill     addl $1, 8(%rsp)
            -   vector spill     vaddps (%rsp), %ymm0, %ymm0
            -   vector load      vaddps 64(%rsp,%r9), %ymm3, %ymm3
            -   save             popq %rbx
            -   save             popq %rbp
            -   scalar           retq
        "#]],
    );
    check(
        "k:\n\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n\tvmovups\t%ymm0, -64(%rbp)\n\tmovq\t16(%rbp), %rax\n\tpopq\t%rbp\n\tretq\n",
        Family::X86,
        expect![[r#"
            -                k:
            -   save             pushq %rbp
            -   scalar           movq %rsp, %rbp
            -   spill            vmovups %ymm0, -64(%rbp)
            -   load             movq 16(%rbp), %rax
            -   save             popq %rbp
            -   scalar           retq
        "#]],
    );
}

#[test]
fn loops_are_found_by_where_code_leads() {
    // The loop of `.LBB0_2` begins with its end, and what is jumped over lies between; `.LBB0_5` is reached from below, and
    // is no loop.
    check(
        "k:\n.LBB0_1:\n\tincq\t%rbx\n\tjmp\t.LBB0_3\n.LBB0_2:\n\tincq\t%rax\n\tje\t.LBB0_5\n.LBB0_3:\n\tdecq\t%rcx\n\tjne\t.LBB0_2\n\
         \tjmp\t.LBB0_4\n.LBB0_5:\n\tretq\n.LBB0_4:\n\tdecq\t%rdx\n\tje\t.LBB0_5\n\tjmp\t.LBB0_1\n",
        Family::X86,
        expect![[r#"
            -                k:
            -                .LBB0_1:
            -   scalar           incq %rbx
            -   scalar           jmp .LBB0_3
            - |              .LBB0_2:
            - | scalar           incq %rax
            - | scalar           je .LBB0_5
            - |              .LBB0_3:
            - | scalar           decq %rcx
            - | scalar           jne .LBB0_2
            -   scalar           jmp .LBB0_4
            -                .LBB0_5:
            -   scalar           retq
            -                .LBB0_4:
            -   scalar           decq %rdx
            -   scalar           je .LBB0_5
            -   scalar           jmp .LBB0_1
        "#]],
    );
}
