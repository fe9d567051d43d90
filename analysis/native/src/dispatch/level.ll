
; What the processor and its system can do: 1 SSE4.2, 2 AVX2 with FMA, 3 AVX-512 (F, BW, CD, DQ, VL).
define internal i32 @lanescope.level() nounwind noinline {
entry:
  %most = call { i32, i32, i32, i32 } @lanescope.cpuid(i32 0, i32 0)
  %most.a = extractvalue { i32, i32, i32, i32 } %most, 0
  %one = call { i32, i32, i32, i32 } @lanescope.cpuid(i32 1, i32 0)
  %one.c = extractvalue { i32, i32, i32, i32 } %one, 2
  ; SSSE3, SSE4.1, SSE4.2, POPCNT: bits 9, 19, 20, 23.
  %sse.bits = and i32 %one.c, 9961984
  %sse = icmp eq i32 %sse.bits, 9961984
  br i1 %sse, label %has.sse, label %none
none:
  ret i32 0
has.sse:
  ; FMA, MOVBE, OSXSAVE, AVX, F16C: bits 12, 22, 27, 28, 29.
  %avx.bits = and i32 %one.c, 943722496
  %avx = icmp eq i32 %avx.bits, 943722496
  %seven.known = icmp uge i32 %most.a, 7
  %asks = and i1 %avx, %seven.known
  br i1 %asks, label %ask, label %only.sse
only.sse:
  ret i32 1
ask:
  ; Which registers the system keeps.
  %kept = call { i32, i32 } asm "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0)
  %kept.a = extractvalue { i32, i32 } %kept, 0
  %ymm.bits = and i32 %kept.a, 6
  %ymm = icmp eq i32 %ymm.bits, 6
  %zmm.bits = and i32 %kept.a, 230
  %zmm = icmp eq i32 %zmm.bits, 230
  %seven = call { i32, i32, i32, i32 } @lanescope.cpuid(i32 7, i32 0)
  %seven.b = extractvalue { i32, i32, i32, i32 } %seven, 1
  %more = call { i32, i32, i32, i32 } @lanescope.cpuid(i32 -2147483647, i32 0)
  %more.c = extractvalue { i32, i32, i32, i32 } %more, 2
  ; BMI1, AVX2, BMI2: bits 3, 5, 8; LZCNT: bit 5.
  %two.bits = and i32 %seven.b, 296
  %two.0 = icmp eq i32 %two.bits, 296
  %lzcnt.bit = and i32 %more.c, 32
  %lzcnt = icmp ne i32 %lzcnt.bit, 0
  %two.1 = and i1 %two.0, %lzcnt
  %two = and i1 %two.1, %ymm
  ; AVX-512 F, DQ, CD, BW, VL: bits 16, 17, 28, 30, 31.
  %three.bits = and i32 %seven.b, -805109760
  %three.0 = icmp eq i32 %three.bits, -805109760
  %three.1 = and i1 %three.0, %zmm
  %three = and i1 %three.1, %two
  %level.two = select i1 %two, i32 2, i32 1
  %level = select i1 %three, i32 3, i32 %level.two
  ret i32 %level
}

define internal { i32, i32, i32, i32 } @lanescope.cpuid(i32 %leaf, i32 %part) nounwind noinline {
  %all = call { i32, i32, i32, i32 } asm sideeffect "xchgq %rbx, ${1:q}\0Acpuid\0Axchgq %rbx, ${1:q}", "={ax},=r,={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}"(i32 %leaf, i32 %part)
  ret { i32, i32, i32, i32 } %all
}
