//! Single instructions of each family, with what they are counted as.

use ir::Family;

use super::*;

/// The work, and the registers' worth that are loaded and stored.
fn does(line: &str, family: Family) -> String {
    let decoded = decode(line, family);
    let mut parts: Vec<String> = decoded.work.iter().map(|work| work.name().to_owned()).collect();
    parts.extend((decoded.loads > 0).then(|| format!("{} load", decoded.loads)));
    parts.extend((decoded.stores > 0).then(|| format!("{} store", decoded.stores)));
    parts.join(" + ")
}

fn check(family: Family, cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(does(line, family), *expected, "{line}");
    }
}

#[test]
fn x86_reads_memory_in_arithmetic() {
    check(
        Family::X86,
        &[
            ("vmulps 64(%rdi,%r8,4), %zmm1, %zmm3", "vector + 1 load"),
            ("vaddps (%rdi){1to16}, %zmm1, %zmm3", "vector + 1 load"),
            ("vmulps (%rdi,%rbx,4), %zmm4, %zmm3 {%k1}", "vector + 1 load"),
            ("addss (%rsi,%rax,4), %xmm1", "scalar + 1 load"),
            ("pabsd (%rdi), %xmm1", "vector + 1 load"),
            ("vpmovzxbd (%rdi), %zmm0", "vector + 1 load"),
            ("cmovbq (%rdi), %rcx", "scalar + 1 load"),
            ("pinsrd $1, (%rdi), %xmm1", "shuffle + 1 load"),
            ("vpermps (%rdi), %ymm1, %ymm2", "shuffle + 1 load"),
            ("cmpl -44(%rsp), %r10d", "scalar + 1 load"),
            ("cmpl $0, -24(%rsp)", "scalar + 1 load"),
            ("testb $1, (%rdi)", "scalar + 1 load"),
            ("imulq -64(%rsp), %rdx", "scalar + 1 load"),
            ("idivl (%rdi)", "scalar + 1 load"),
        ],
    );
}

#[test]
fn x86_changes_memory_in_place() {
    check(
        Family::X86,
        &[
            ("incl (%rdi)", "scalar + 1 load + 1 store"),
            ("addl %eax, (%rdi,%rcx,4)", "scalar + 1 load + 1 store"),
            ("shlq $2, 8(%rdi)", "scalar + 1 load + 1 store"),
            ("negl (%rdi)", "scalar + 1 load + 1 store"),
            ("sete (%rdi)", "scalar + 1 store"),
        ],
    );
}

#[test]
fn x86_moves() {
    check(
        Family::X86,
        &[
            ("vmovups (%rdi,%r8,4), %zmm1 {%k1} {z}", "1 load"),
            ("vmovaps %zmm0, (%rdi) {%k1}", "1 store"),
            ("vmaskmovps %ymm0, %ymm1, (%rsi,%r8,4)", "1 store"),
            ("vmaskmovps (%rdi,%r8,4), %ymm1, %ymm2", "1 load"),
            ("movslq (%rdi), %rax", "1 load"),
            ("movss %xmm1, 4(%rsi,%rax,4)", "1 store"),
            ("vpmovdb %zmm0, (%rdi)", "vector + 1 store"),
            ("vextractf128 $1, %ymm0, (%rdi)", "shuffle + 1 store"),
            ("vbroadcastss .LCPI0_0(%rip), %zmm1", "1 load"),
            ("vbroadcastss %xmm0, %zmm1", "broadcast"),
            ("vpbroadcastd %r12d, %zmm10", "broadcast"),
            ("vmovaps %zmm0, %zmm3", "vector"),
            ("vblendvps %ymm0, %ymm1, %ymm11, %ymm3", "vector"),
            ("vpermps %ymm0, %ymm1, %ymm2", "shuffle"),
            ("vgatherdps (%rdi,%ymm0,4), %ymm1 {%k1}", "gather"),
            ("vscatterdps %zmm0, (%rdi,%zmm1,4) {%k1}", "scatter"),
            ("leaq (%rdi,%rax,4), %rcx", "scalar"),
            ("vaddss %xmm0, %xmm1, %xmm2", "scalar"),
            ("vcvttss2si %xmm0, %eax", "scalar"),
            ("vcvtps2pd %xmm0, %ymm1", "vector"),
            ("kandw %k4, %k3, %k3", "vector"),
            ("kmovd %k1, %r11d", "scalar"),
            ("callq fmod@PLT", "call"),
        ],
    );
}

#[test]
fn arm_moves_several_registers() {
    check(
        Family::Arm,
        &[
            ("ldp q1, q2, [x13, #-32]", "2 load"),
            ("stp q3, q4, [x12], #64", "2 store"),
            ("ldr q1, [x12], #16", "1 load"),
            ("ld1 { v2.s }[1], [x11]", "1 load"),
            ("ld1r { v2.4s }, [x11]", "1 load"),
            ("ld1rw { z0.s }, p0/z, [x8]", "1 load"),
            ("ld3 { v0.16b, v1.16b, v2.16b }, [x0], #48", "3 load"),
            ("st2w { z0.s, z1.s }, p0, [x0]", "2 store"),
            ("ld1w { z0.s }, p0/z, [x0, x8, lsl #2]", "1 load"),
            ("ld1w { z0.s }, p0/z, [x0, z1.s, sxtw #2]", "gather"),
            ("st1w { z0.s }, p0, [x0, z1.s, sxtw #2]", "scatter"),
            ("ldr z4, [x25, #1, mul vl]", "1 load"),
        ],
    );
}

#[test]
fn arm_works_on_registers() {
    check(
        Family::Arm,
        &[
            ("fmul v1.4s, v1.4s, v0.s[0]", "vector"),
            ("fadd s0, s0, s1", "scalar"),
            ("addv s20, v20.4s", "vector"),
            ("dup v0.4s, v0.s[0]", "broadcast"),
            ("mov z3.s, w6", "broadcast"),
            ("mov z1.s, s0", "broadcast"),
            ("mov v27.16b, v7.16b", "vector"),
            ("mov s20, v21.s[1]", "shuffle"),
            ("mov v0.s[1], w3", "shuffle"),
            ("zip1 v0.4s, v1.4s, v2.4s", "shuffle"),
            ("sel z3.s, p2, z4.s, z1.s", "vector"),
            ("whilelo p1.s, x8, x9", "vector"),
            ("cmp x10, x8", "scalar"),
            ("fmov w9, s1", "scalar"),
            ("bl fmodf", "call"),
        ],
    );
}

#[test]
fn riscv_loads_stores_and_works() {
    check(
        Family::RiscV,
        &[
            ("vle32.v v8, (a3)", "1 load"),
            ("vse32.v v13, (t2), v0.t", "1 store"),
            ("vlse32.v v8, (a0), zero", "1 load"),
            ("vlseg3e8.v v8, (a0)", "3 load"),
            ("vsseg2e32.v v8, (a0)", "2 store"),
            ("vs2r.v v14, (a3)", "2 store"),
            ("vl1r.v v10, (a5)", "1 load"),
            ("vluxei32.v v8, (a0), v10", "gather"),
            ("vsoxei32.v v8, (a0), v10", "scatter"),
            ("flw fa5, 0(a0)", "1 load"),
            ("sd s0, 8(sp)", "1 store"),
            ("vfadd.vf v8, v8, fa0", "vector"),
            ("vsub.vv v8, v8, v9", "vector"),
            ("vmv.v.x v15, a2", "broadcast"),
            ("vmv.x.s a5, v0", "scalar"),
            ("vrgather.vv v8, v9, v10", "shuffle"),
            ("vsetvli zero, a0, e32", "scalar"),
            ("vmand.mm v0, v0, v19", "vector"),
            ("call fmodf", "call"),
        ],
    );
}

#[test]
fn wasm_brings_values_to_its_stack() {
    check(
        Family::Wasm,
        &[
            ("v128.load 16", "1 load"),
            ("v128.load32_splat 0", "1 load"),
            ("f32.load 0", "1 load"),
            ("v128.load32_lane 0, 1", "shuffle + 1 load"),
            ("v128.store 0", "1 store"),
            ("f32x4.mul", "vector"),
            ("v128.bitselect", "vector"),
            ("f32x4.splat", "broadcast"),
            ("i8x16.swizzle", "shuffle"),
            ("f32x4.extract_lane 0", "shuffle"),
            ("i32.add", "scalar"),
            ("br_if 0", "scalar"),
            ("local.get 3", ""),
            ("i32.const 16", ""),
            ("v128.const 0, 0, 0, 0", ""),
            ("loop", ""),
            ("call memmove", "call"),
        ],
    );
}
