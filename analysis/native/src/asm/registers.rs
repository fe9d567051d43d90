//! The registers that an instruction takes and gives, by which one waits for another.
//!
//! A register is one whatever part of it is named: `%eax` and `%rax`, `%xmm1` and `%ymm1`. The comparison flags are one, and so is a
//! slot of the stack frame, since what is spilled there is waited for as in a register. Other memory is none: that a store and a
//! load meet is not known from their operands.

mod arm;
pub(super) mod riscv;
mod x86;

use ir::Family;

use super::decode::{self, split};
use super::groups::VectorType;

/// A place by which one instruction hands a value to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Register {
    /// A register of integers.
    Integer(u8),
    /// A register of vectors and floats.
    Vector(u8),
    /// A register of one float, where that is none of vectors.
    Float(u8),
    /// A register of masks.
    Mask(u8),
    /// The outcome of a comparison.
    Flags,
    /// The number of elements that vector instructions work on, and their type.
    Length,
    /// A slot of the stack frame, by its distance from the stack pointer.
    Slot(i64),
}

/// The registers that an instruction takes and gives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TouchedRegisters {
    /// Those that its work takes.
    pub(super) reads: Vec<Register>,
    /// Those that its load takes: of the address, and the slot; `None` where it loads nothing.
    pub(super) loads_by: Option<Vec<Register>>,
    /// Those that the address of its store takes.
    pub(super) stores_by: Vec<Register>,
    /// Those that it gives.
    pub(super) writes: Vec<Register>,
    /// Those of an address that it moves on.
    pub(super) moves_on: Vec<Register>,
}

/// The registers of the instruction of a line that works on such vectors; `None` for families whose instructions have none.
pub(super) fn touched(line: &str, family: Family, vectors: VectorType) -> Option<TouchedRegisters> {
    let line = line.trim();
    let (name, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let operands = split(operands);
    let mut touched = match family {
        Family::X86 => x86::touched(name, &operands),
        Family::Arm => arm::touched(name, &operands),
        Family::RiscV => riscv::touched(name, &operands, vectors),
        Family::Wasm => return None,
    };
    let decoded = decode::decode(line, family);
    let stack_pointer = decode::frame(family).stack_pointer;
    // Where whole registers of RISC-V go to is computed, and not known from the operand.
    let is_known = family != Family::RiscV || riscv::whole(name).is_none();
    if let Some(slot) = decoded.slot.filter(|slot| is_known && slot.base == stack_pointer) {
        // Distances in registers are none in bytes, and those of vectors and predicates differ.
        let unit = match line.contains("mul vl") {
            false => 0,
            true if operands.first().is_some_and(|first| first.starts_with('p')) => 2,
            true => 1,
        };
        let slot = Register::Slot(slot.offset + (unit << 32));
        if let Some(load) = touched.loads_by.as_mut() {
            load.push(slot);
        }
        if decoded.stores > 0 {
            touched.writes.push(slot);
        }
    }
    Some(touched)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The registers in short: what is taken, what a load and a store take in brackets, and what is given.
    fn check(line: &str, family: Family, vectors: VectorType, expected: &str) {
        let touched = touched(line, family, vectors).expect("a family with registers");
        let shown = |registers: &[Register]| {
            let one = |register: &Register| match register {
                Register::Integer(n) => format!("i{n}"),
                Register::Vector(n) => format!("v{n}"),
                Register::Float(n) => format!("f{n}"),
                Register::Mask(n) => format!("k{n}"),
                Register::Flags => "flags".to_owned(),
                Register::Length => "length".to_owned(),
                Register::Slot(at) => format!("slot{at}"),
            };
            registers.iter().map(one).collect::<Vec<_>>().join(" ")
        };
        let load = touched.loads_by.as_ref().map_or_else(String::new, |by| format!(" load[{}]", shown(by)));
        let store = match touched.stores_by.is_empty() {
            true => String::new(),
            false => format!(" store[{}]", shown(&touched.stores_by)),
        };
        let moves = touched.moves_on.iter().map(|it| format!(" moves {}", shown(&[*it]))).collect::<String>();
        let told = format!("{}{load}{store} -> {}{moves}", shown(&touched.reads), shown(&touched.writes));
        assert_eq!(told.trim(), expected, "{line}");
    }

    #[test]
    fn instructions_of_x86_take_and_give() {
        for (line, expected) in [
            ("vaddps (%rsi,%rax,4), %ymm0, %ymm1", "v0 load[i6 i0] -> v1"),
            ("addps %xmm2, %xmm6", "v2 v6 -> v6"),
            ("movups 16(%rdi,%rax,4), %xmm2", "load[i7 i0] -> v2"),
            ("movups %xmm2, 16(%rdi,%rax,4)", "v2 store[i7 i0] ->"),
            ("vfmadd231ps %ymm0, %ymm1, %ymm2", "v0 v1 v2 -> v2"),
            ("vaddps %zmm0, %zmm1, %zmm2 {%k1}", "v0 v1 v2 k1 -> v2"),
            ("vaddps %zmm0, %zmm1, %zmm2 {%k1} {z}", "v0 v1 k1 -> v2"),
            ("vxorps %xmm1, %xmm1, %xmm1", "-> v1"),
            ("xorl %eax, %eax", "-> i0 flags"),
            ("addq $8, %rax", "i0 -> i0 flags"),
            ("addl $1, (%rdi)", "load[i7] store[i7] -> flags"),
            ("cmpq %rax, %rcx", "i0 i1 -> flags"),
            ("cmpl $4, (%rdi)", "load[i7] -> flags"),
            ("jne .LBB0_2", "flags ->"),
            ("cmovgl %ecx, %eax", "i1 i0 flags -> i0"),
            ("leaq (%rax,%rcx), %rdx", "i0 i1 -> i2"),
            ("imulq $12, %rcx, %rax", "i1 -> i0 flags"),
            ("imulq %rcx, %rax", "i1 i0 -> i0 flags"),
            ("shlxq %rcx, %rax, %rdx", "i1 i0 -> i2"),
            ("vmovups %ymm1, 32(%rsp)", "v1 store[i4] -> slot32"),
            ("vaddps 32(%rsp), %ymm0, %ymm1", "v0 load[i4 slot32] -> v1"),
            ("vgatherdps %ymm5, (%rsi,%ymm0,4), %ymm4", "v5 v4 load[i6 v0] -> v4 v5"),
            ("vgatherdps (%rsi,%zmm0,4), %zmm4 {%k1}", "v4 k1 load[i6 v0] -> v4 k1"),
            ("cltd", "i0 -> i2"),
            ("idivl %r8d", "i8 i0 i2 -> i0 i2 flags"),
            ("vcmpltps %zmm1, %zmm2, %k1", "v1 v2 -> k1"),
            ("cvtdq2ps %xmm1, %xmm2", "v1 -> v2"),
            ("cvtsi2ss %eax, %xmm2", "i0 v2 -> v2"),
            ("movss %xmm1, %xmm2", "v1 v2 -> v2"),
            ("vucomiss %xmm1, %xmm2", "v1 v2 -> flags"),
            ("vzeroupper", "->"),
        ] {
            check(line, Family::X86, VectorType::default(), expected);
        }
    }

    #[test]
    fn instructions_of_arm_take_and_give() {
        for (line, expected) in [
            ("ldp q1, q2, [x0, #16]", "load[i0] -> v1 v2"),
            ("ldr q1, [x0], #16", "load[i0] -> v1 moves i0"),
            ("str q1, [x0, #16]!", "v1 store[i0] ->  moves i0"),
            ("ldr s0, [x1, x2, lsl #2]", "load[i1 i2] -> v0"),
            ("fmla v0.4s, v1.4s, v2.4s", "v1 v2 v0 -> v0"),
            ("fadd v0.4s, v1.4s, v2.4s", "v1 v2 -> v0"),
            ("subs x8, x8, #4", "i8 -> i8 flags"),
            ("cmp w8, w9", "i8 i9 -> flags"),
            ("b.ne .LBB0_2", "flags ->"),
            ("cbnz x8, .LBB0_2", "i8 ->"),
            ("csel w0, w1, w2, lt", "i1 i2 flags -> i0"),
            ("st2 { v0.4s, v1.4s }, [x0], #32", "v0 v1 store[i0] ->  moves i0"),
            ("mov v0.s[1], w8", "i8 v0 -> v0"),
            ("add x8, x9, xzr", "i9 -> i8"),
            ("stp q1, q2, [sp, #64]", "v1 v2 store[i31] -> slot64"),
            ("fadd z0.s, p1/m, z0.s, z2.s", "k1 v0 v2 -> v0"),
            ("fcvtzs z0.s, p1/m, z2.s", "k1 v2 v0 -> v0"),
            ("fmad z0.s, p1/m, z2.s, z3.s", "k1 v2 v3 v0 -> v0"),
            ("movprfx z0, z1", "v1 -> v0"),
            ("movprfx z0.s, p1/z, z2.s", "k1 v2 -> v0"),
            ("mov z0.s, p1/m, w8", "k1 i8 v0 -> v0"),
            ("sel z0.s, p1, z2.s, z3.s", "k1 v2 v3 -> v0"),
            ("cmpne p2.s, p1/z, z0.s, #0", "k1 v0 -> k2 flags"),
            ("fcmgt p2.s, p1/z, z0.s, z3.s", "k1 v0 v3 -> k2"),
            ("and p0.b, p1/z, p2.b, p3.b", "k1 k2 k3 -> k0"),
            ("ands p0.b, p1/z, p2.b, p3.b", "k1 k2 k3 -> k0 flags"),
            ("ptrue p0.s, vl8", "-> k0"),
            ("ptest p0, p1.b", "k0 k1 -> flags"),
            ("whilelo p1.s, x8, x9", "i8 i9 -> k1 flags"),
            ("ld1w { z0.s }, p1/z, [x0, x8, lsl #2]", "load[i0 i8 k1] -> v0"),
            ("ld1w { z0.s }, p1/z, [x0, z2.s, sxtw #2]", "load[i0 v2 k1] -> v0"),
            ("ld2w { z0.s, z1.s }, p1/z, [x0]", "load[i0 k1] -> v0 v1"),
            ("ldr z0, [x0, #1, mul vl]", "load[i0] -> v0"),
            ("ldr p4, [x0, #7, mul vl]", "load[i0] -> k4"),
            ("str z4, [sp, #1, mul vl]", "v4 store[i31] -> slot4294967297"),
            ("ldr p4, [sp, #1, mul vl]", "load[i31 slot8589934593] -> k4"),
            ("st1w { z0.s }, p1, [x0]", "v0 k1 store[i0] ->"),
            ("incw x8", "i8 -> i8"),
            ("cntw x8", "-> i8"),
            ("index z0.s, w8, #1", "i8 -> v0"),
            ("insr z0.s, s1", "v1 v0 -> v0"),
            ("fadda s0, p1, s0, z2.s", "k1 v0 v2 -> v0"),
            ("lastb w0, p1, z2.s", "k1 v2 -> i0"),
            ("b.first .LBB0_2", "flags ->"),
        ] {
            check(line, Family::Arm, VectorType::default(), expected);
        }
    }

    #[test]
    fn instructions_of_riscv_take_and_give() {
        for (line, expected) in [
            ("addi a3, a0, 16", "i10 -> i13"),
            ("add a3, a0, zero", "i10 -> i13"),
            ("li a4, 5", "-> i14"),
            ("lw t3, 8(sp)", "load[i2 slot8] -> i28"),
            ("sd s0, 8(sp)", "i8 store[i2] -> slot8"),
            ("flw fa5, 0(a0)", "load[i10] -> f15"),
            ("fsw fs1, 4(a0)", "f9 store[i10] ->"),
            ("fmadd.s fa0, fa1, fa2, ft8", "f11 f12 f28 -> f10"),
            ("fcvt.w.s a0, fa0, rtz", "f10 -> i10"),
            ("amoadd.w a0, a1, (a2)", "i11 load[i12] -> i10"),
            ("bltu a0, a1, .LBB0_2", "i10 i11 ->"),
            ("bnez a0, .LBB0_2", "i10 ->"),
            ("j .LBB0_2", "->"),
            ("vsetvli a1, a0, e32, m1, ta, ma", "i10 -> i11 length"),
            ("vsetvli zero, zero, e64, m2, ta, ma", "length -> length"),
            ("vsetivli zero, 4, e32, m1, ta, ma", "-> length"),
            ("vle32.v v8, (a3)", "load[i13 length] -> v8"),
            ("vle32.v v8, (a3), v0.t", "load[i13 v0 length] -> v8"),
            ("vlse32.v v8, (a0), a1", "load[i10 i11 length] -> v8"),
            ("vluxei32.v v8, (a0), v10", "load[i10 v10 length] -> v8"),
            ("vse32.v v13, (t2), v0.t", "v13 length store[i7 v0] ->"),
            ("vfadd.vf v8, v9, fa0", "v9 f10 length -> v8"),
            ("vfmacc.vv v8, v9, v10", "v9 v10 v8 length -> v8"),
            ("vmerge.vvm v8, v9, v10, v0", "v9 v10 v0 length -> v8"),
            ("vmv.x.s a5, v8", "v8 length -> i15"),
            ("vmv1r.v v8, v9", "v9 -> v8"),
            ("vs1r.v v8, (a0)", "v8 store[i10] ->"),
        ] {
            check(line, Family::RiscV, VectorType::default(), expected);
        }
    }

    #[test]
    fn vectors_of_riscv_are_groups() {
        let twos = VectorType { bits: 32, eighths: 16, ..VectorType::default() };
        for (line, expected) in [
            ("vfadd.vv v8, v10, v12", "v10 v11 v12 v13 length -> v8 v9"),
            ("vadd.vv v8, v8, v10, v0.t", "v8 v9 v10 v11 v0 length -> v8 v9"),
            ("vle32.v v8, (a0)", "load[i10 length] -> v8 v9"),
            ("vle16.v v8, (a0)", "load[i10 length] -> v8"),
            ("vle64.v v8, (a0)", "load[i10 length] -> v8 v9 v10 v11"),
            ("vluxei64.v v8, (a0), v12", "load[i10 v12 v13 v14 v15 length] -> v8 v9"),
            ("vlseg2e32.v v8, (a0)", "load[i10 length] -> v8 v9 v10 v11"),
            ("vmflt.vf v0, v8, fa0", "v8 v9 f10 length -> v0"),
            ("vmand.mm v0, v1, v2", "v1 v2 length -> v0"),
            ("vmerge.vxm v8, v10, a0, v0", "v10 v11 i10 v0 length -> v8 v9"),
            ("vfwcvt.f.f.v v8, v12", "v12 v13 length -> v8 v9 v10 v11"),
            ("vfncvt.f.f.w v8, v12", "v12 v13 v14 v15 length -> v8 v9"),
            ("vnsrl.wi v8, v12, 16", "v12 v13 v14 v15 length -> v8 v9"),
            ("vzext.vf2 v8, v12", "v12 length -> v8 v9"),
            ("vredsum.vs v8, v10, v12", "v10 v11 v12 length -> v8"),
            ("vrgatherei16.vv v8, v10, v12", "v10 v11 v12 length -> v8 v9"),
            ("vmv4r.v v8, v12", "v12 v13 v14 v15 -> v8 v9 v10 v11"),
        ] {
            check(line, Family::RiscV, twos, expected);
        }
        let kept = VectorType { keeps_tail: true, ..VectorType::default() };
        check("vfadd.vv v8, v9, v10", Family::RiscV, kept, "v9 v10 v8 length -> v8");
        let masked = VectorType { keeps_masked: true, ..VectorType::default() };
        check("vfadd.vv v8, v9, v10", Family::RiscV, masked, "v9 v10 length -> v8");
        check("vfadd.vv v8, v9, v10, v0.t", Family::RiscV, masked, "v9 v10 v0 v8 length -> v8");
    }
}
