// SYNTAX TEST "source.lane-asm" "The assembly of three kinds of machines"

pick:
// <---- entity.name.label.lane-asm
    andl $-8, %r8d
//  ^^^^ support.function.instruction.lane-asm
//       ^^^ constant.numeric.lane-asm
//            ^^^^ variable.language.register.lane-asm
    je .LBB0_3
//  ^^ keyword.control.flow.lane-asm
//     ^^^^^^^ entity.name.label.lane-asm
    vgatherdps %ymm4, (%rdi,%ymm3,4), %ymm5
//  ^^^^^^^^^^ support.function.memory.per-lane.lane-asm
//                     ^^^^ variable.language.register.lane-asm
//                                ^ constant.numeric.lane-asm
    and w9, w8, #0xfffffff8
//  ^^^ support.function.instruction.lane-asm
//      ^^ variable.language.register.lane-asm
//              ^^^^^^^^^^^ constant.numeric.lane-asm
    mov z3.s, p2/z, #-1
//      ^^^^ variable.language.register.lane-asm
//            ^^^^ variable.language.register.lane-asm
//                  ^^^ constant.numeric.lane-asm
    ld1w { z2.s }, p2/z, [x0, z2.s, sxtw #2]
//  ^^^^ support.function.memory.per-lane.lane-asm
    st1w { z2.s }, p2, [x11]
//  ^^^^ support.function.instruction.lane-asm
    b.eq .LBB0_4
//  ^^^^ keyword.control.flow.lane-asm
    vsetivli zero, 8, e32, m1, ta, ma
//           ^^^^ variable.language.register.lane-asm
//                 ^ constant.numeric.lane-asm
//                    ^^^ variable.other.detail.lane-asm
    vle32.v v9, (t2), v0.t
//  ^^^^^^^ support.function.instruction.lane-asm
//          ^^ variable.language.register.lane-asm
//               ^^ variable.language.register.lane-asm
    vluxei32.v v9, (t2), v10, v0.t
//  ^^^^^^^^^^ support.function.memory.per-lane.lane-asm
    .p2align 4
//  ^^^^^^^^ keyword.other.directive.lane-asm
