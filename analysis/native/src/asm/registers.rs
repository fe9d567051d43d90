//! The registers that an instruction takes and gives, by which one waits for another.
//!
//! A register is one whatever part of it is named: `%eax` and `%rax`, `%xmm1` and `%ymm1`. The comparison flags are one, and so is a
//! slot of the stack frame, since what is spilled there is waited for as in a register. Other memory is none: that a store and a
//! load meet is not known from their operands.

mod arm;
mod x86;

use ir::Family;

use super::decode::{self, split};

/// A place by which one instruction hands a value to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Register {
    /// A register of integers.
    Integer(u8),
    /// A register of vectors and floats.
    Vector(u8),
    /// A register of masks.
    Mask(u8),
    /// The outcome of a comparison.
    Flags,
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

/// The registers of the instruction of a line; `None` for families whose instructions have none.
pub(super) fn touched(line: &str, family: Family) -> Option<TouchedRegisters> {
    let line = line.trim();
    let (name, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let operands = split(operands);
    let mut touched = match family {
        Family::X86 => x86::touched(name, &operands),
        Family::Arm => arm::touched(name, &operands),
        Family::RiscV | Family::Wasm => return None,
    };
    let decoded = decode::decode(line, family);
    let stack_pointer = decode::frame(family).stack_pointer;
    if let Some(slot) = decoded.slot.filter(|slot| slot.base == stack_pointer) {
        let slot = Register::Slot(slot.offset);
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
    fn check(line: &str, family: Family, expected: &str) {
        let touched = touched(line, family).expect("a family with registers");
        let shown = |registers: &[Register]| {
            let one = |register: &Register| match register {
                Register::Integer(n) => format!("i{n}"),
                Register::Vector(n) => format!("v{n}"),
                Register::Mask(n) => format!("k{n}"),
                Register::Flags => "flags".to_owned(),
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
            check(line, Family::X86, expected);
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
        ] {
            check(line, Family::Arm, expected);
        }
    }
}
