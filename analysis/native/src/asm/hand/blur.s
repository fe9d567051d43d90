## scalar: 13 scalar, 9 load, 1 store
.LBB2_4:
    movss -8(%rdi,%rbx,4), %xmm2                        ; load
    addss %xmm0, %xmm2                                  ; scalar
    addss -4(%rdi,%rbx,4), %xmm2                        ; scalar load
    addss (%rdi,%rbx,4), %xmm2                          ; scalar load
    addss -8(%r10,%rbx,4), %xmm2                        ; scalar load
    addss -4(%r10,%rbx,4), %xmm2                        ; scalar load
    addss (%r10,%rbx,4), %xmm2                          ; scalar load
    addss -8(%r9,%rbx,4), %xmm2                         ; scalar load
    addss -4(%r9,%rbx,4), %xmm2                         ; scalar load
    addss (%r9,%rbx,4), %xmm2                           ; scalar load
    divss %xmm1, %xmm2                                  ; scalar
    movss %xmm2, -4(%rsi,%rbx,4)                        ; store
    incq %rbx                                           ; scalar
    cmpq %rbx, %rax                                     ; scalar
    jne .LBB2_4                                         ; scalar

## sse4: 10 vector, 3 scalar, 9 load, 1 store
.LBB2_4:
    movups -4(%r13,%rbx,4), %xmm3                       ; load
    addps %xmm0, %xmm3                                  ; vector
    movups (%r13,%rbx,4), %xmm4                         ; load
    addps %xmm3, %xmm4                                  ; vector
    movups 4(%r13,%rbx,4), %xmm3                        ; load
    addps %xmm4, %xmm3                                  ; vector
    movups -4(%r14,%rbx,4), %xmm4                       ; load
    addps %xmm3, %xmm4                                  ; vector
    movups (%r14,%rbx,4), %xmm3                         ; load
    addps %xmm4, %xmm3                                  ; vector
    movups 4(%r14,%rbx,4), %xmm4                        ; load
    addps %xmm3, %xmm4                                  ; vector
    movups -4(%r15,%rbx,4), %xmm3                       ; load
    addps %xmm4, %xmm3                                  ; vector
    movups (%r15,%rbx,4), %xmm4                         ; load
    addps %xmm3, %xmm4                                  ; vector
    movups 4(%r15,%rbx,4), %xmm3                        ; load
    addps %xmm4, %xmm3                                  ; vector
    divps %xmm1, %xmm3                                  ; vector
    movups %xmm3, (%rsi,%rbx,4)                         ; store
    addq $4, %rbx                                       ; scalar
    cmpq %r10, %rbx                                     ; scalar
    jb .LBB2_4                                          ; scalar

## avx2: 10 vector, 3 scalar, 9 load, 1 store
.LBB2_4:
    vaddps -4(%r13,%rbp,4), %ymm0, %ymm3                ; vector load
    vaddps (%r13,%rbp,4), %ymm3, %ymm3                  ; vector load
    vaddps 4(%r13,%rbp,4), %ymm3, %ymm3                 ; vector load
    vaddps -4(%r14,%rbp,4), %ymm3, %ymm3                ; vector load
    vaddps (%r14,%rbp,4), %ymm3, %ymm3                  ; vector load
    vaddps 4(%r14,%rbp,4), %ymm3, %ymm3                 ; vector load
    vaddps -4(%r15,%rbp,4), %ymm3, %ymm3                ; vector load
    vaddps (%r15,%rbp,4), %ymm3, %ymm3                  ; vector load
    vaddps 4(%r15,%rbp,4), %ymm3, %ymm3                 ; vector load
    vdivps %ymm1, %ymm3, %ymm3                          ; vector
    vmovups %ymm3, (%rsi,%rbp,4)                        ; store
    addq $8, %rbp                                       ; scalar
    cmpq %r10, %rbp                                     ; scalar
    jb .LBB2_4                                          ; scalar

## avx512: 20 vector, 5 scalar, 18 load, 2 store
.LBB2_4:
    vaddps -72(%r15,%rdx,4), %zmm0, %zmm2               ; vector load
    vaddps -8(%r15,%rdx,4), %zmm0, %zmm3                ; vector load
    vaddps -68(%r15,%rdx,4), %zmm2, %zmm2               ; vector load
    vaddps -4(%r15,%rdx,4), %zmm3, %zmm3                ; vector load
    vaddps -64(%r15,%rdx,4), %zmm2, %zmm2               ; vector load
    vaddps (%r15,%rdx,4), %zmm3, %zmm3                  ; vector load
    vaddps -72(%r12,%rdx,4), %zmm2, %zmm2               ; vector load
    vaddps -8(%r12,%rdx,4), %zmm3, %zmm3                ; vector load
    vaddps -68(%r12,%rdx,4), %zmm2, %zmm2               ; vector load
    vaddps -4(%r12,%rdx,4), %zmm3, %zmm3                ; vector load
    vaddps -64(%r12,%rdx,4), %zmm2, %zmm2               ; vector load
    vaddps (%r12,%rdx,4), %zmm3, %zmm3                  ; vector load
    vaddps -72(%r13,%rdx,4), %zmm2, %zmm2               ; vector load
    vaddps -8(%r13,%rdx,4), %zmm3, %zmm3                ; vector load
    vaddps -68(%r13,%rdx,4), %zmm2, %zmm2               ; vector load
    vaddps -4(%r13,%rdx,4), %zmm3, %zmm3                ; vector load
    vaddps -64(%r13,%rdx,4), %zmm2, %zmm2               ; vector load
    vaddps (%r13,%rdx,4), %zmm3, %zmm3                  ; vector load
    vdivps %zmm1, %zmm2, %zmm2                          ; vector
    vdivps %zmm1, %zmm3, %zmm3                          ; vector
    vmovups %zmm2, -64(%rbp,%rdx,4)                     ; store
    vmovups %zmm3, (%rbp,%rdx,4)                        ; store
    leaq 32(%rdx), %r8                                  ; scalar
    addq $33, %rdx                                      ; scalar
    cmpq %r11, %rdx                                     ; scalar
    movq %r8, %rdx                                      ; scalar
    jb .LBB2_4                                          ; scalar

## neon: 20 vector, 8 scalar, 18 load, 2 store
.LBB2_5:
    add x22, x0, x20                                    ; scalar
    add x23, x4, x20                                    ; scalar
    add x21, x21, #8                                    ; scalar
    ldp q5, q7, [x22]                                   ; 2 load
    ldur q6, [x22, #4]                                  ; load
    ldur q16, [x22, #20]                                ; load
    cmp x21, x15                                        ; scalar
    fadd v5.4s, v5.4s, v1.4s                            ; vector
    fadd v7.4s, v7.4s, v1.4s                            ; vector
    fadd v5.4s, v5.4s, v6.4s                            ; vector
    ldur q6, [x22, #8]                                  ; load
    fadd v7.4s, v7.4s, v16.4s                           ; vector
    ldur q16, [x22, #24]                                ; load
    add x22, x3, x20                                    ; scalar
    fadd v5.4s, v5.4s, v6.4s                            ; vector
    fadd v7.4s, v7.4s, v16.4s                           ; vector
    ldp q6, q16, [x23]                                  ; 2 load
    fadd v5.4s, v5.4s, v6.4s                            ; vector
    ldur q6, [x23, #4]                                  ; load
    fadd v7.4s, v7.4s, v16.4s                           ; vector
    ldur q16, [x23, #20]                                ; load
    fadd v5.4s, v5.4s, v6.4s                            ; vector
    ldur q6, [x23, #8]                                  ; load
    fadd v7.4s, v7.4s, v16.4s                           ; vector
    ldur q16, [x23, #24]                                ; load
    fadd v5.4s, v5.4s, v6.4s                            ; vector
    fadd v7.4s, v7.4s, v16.4s                           ; vector
    ldp q6, q16, [x22]                                  ; 2 load
    fadd v5.4s, v5.4s, v6.4s                            ; vector
    ldur q6, [x22, #4]                                  ; load
    fadd v5.4s, v5.4s, v6.4s                            ; vector
    ldur q6, [x22, #8]                                  ; load
    fadd v5.4s, v5.4s, v6.4s                            ; vector
    fadd v6.4s, v7.4s, v16.4s                           ; vector
    ldur q7, [x22, #20]                                 ; load
    fadd v6.4s, v6.4s, v7.4s                            ; vector
    ldur q7, [x22, #24]                                 ; load
    fdiv v5.4s, v5.4s, v2.4s                            ; vector
    add x22, x2, x20                                    ; scalar
    add x20, x20, #32                                   ; scalar
    fadd v6.4s, v6.4s, v7.4s                            ; vector
    fdiv v6.4s, v6.4s, v2.4s                            ; vector
    stp q5, q6, [x22, #-16]                             ; 2 store
    b.lo .LBB2_5                                        ; scalar

## sve128: 20 vector, 8 scalar, 18 load, 2 store
.LBB4_5:
    add x20, x0, x7                                     ; scalar
    add x21, x3, x7                                     ; scalar
    add x19, x19, #8                                    ; scalar
    ldp q2, q4, [x20]                                   ; 2 load
    ldur q3, [x20, #4]                                  ; load
    ldur q5, [x20, #20]                                 ; load
    cmp x19, x15                                        ; scalar
    fadd v2.4s, v2.4s, v0.4s                            ; vector
    fadd v4.4s, v4.4s, v0.4s                            ; vector
    fadd v2.4s, v2.4s, v3.4s                            ; vector
    ldur q3, [x20, #8]                                  ; load
    fadd v4.4s, v4.4s, v5.4s                            ; vector
    ldur q5, [x20, #24]                                 ; load
    add x20, x2, x7                                     ; scalar
    fadd v2.4s, v2.4s, v3.4s                            ; vector
    fadd v4.4s, v4.4s, v5.4s                            ; vector
    ldp q3, q5, [x21]                                   ; 2 load
    fadd v2.4s, v2.4s, v3.4s                            ; vector
    ldur q3, [x21, #4]                                  ; load
    fadd v4.4s, v4.4s, v5.4s                            ; vector
    ldur q5, [x21, #20]                                 ; load
    fadd v2.4s, v2.4s, v3.4s                            ; vector
    ldur q3, [x21, #8]                                  ; load
    fadd v4.4s, v4.4s, v5.4s                            ; vector
    ldur q5, [x21, #24]                                 ; load
    fadd v2.4s, v2.4s, v3.4s                            ; vector
    fadd v4.4s, v4.4s, v5.4s                            ; vector
    ldp q3, q5, [x20]                                   ; 2 load
    fadd v2.4s, v2.4s, v3.4s                            ; vector
    ldur q3, [x20, #4]                                  ; load
    fadd v2.4s, v2.4s, v3.4s                            ; vector
    ldur q3, [x20, #8]                                  ; load
    fadd v2.4s, v2.4s, v3.4s                            ; vector
    fadd v3.4s, v4.4s, v5.4s                            ; vector
    ldur q4, [x20, #20]                                 ; load
    fadd v3.4s, v3.4s, v4.4s                            ; vector
    ldur q4, [x20, #24]                                 ; load
    fdiv v2.4s, v2.4s, v1.4s                            ; vector
    add x20, x18, x7                                    ; scalar
    add x7, x7, #32                                     ; scalar
    fadd v3.4s, v3.4s, v4.4s                            ; vector
    fdiv v3.4s, v3.4s, v1.4s                            ; vector
    stp q2, q3, [x20, #-16]                             ; 2 store
    b.lo .LBB4_5                                        ; scalar

## sve256: 20 vector, 8 scalar, 18 load, 2 store
.LBB4_5:
    ld1b { z2.b }, p2/z, [x0, x23]                      ; load
    add x25, x0, x23                                    ; scalar
    add x26, x3, x23                                    ; scalar
    ld1w { z3.s }, p0/z, [x25, x19, lsl #2]             ; load
    ldr z4, [x25, #1, mul vl]                           ; load
    ld1w { z5.s }, p0/z, [x25, x21, lsl #2]             ; load
    add x24, x24, #16                                   ; scalar
    fadd z2.s, z2.s, z0.s                               ; vector
    cmp x24, x15                                        ; scalar
    fadd z4.s, z4.s, z0.s                               ; vector
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1w { z3.s }, p0/z, [x25, x20, lsl #2]             ; load
    fadd z4.s, z4.s, z5.s                               ; vector
    ld1w { z5.s }, p0/z, [x25, x22, lsl #2]             ; load
    add x25, x2, x23                                    ; scalar
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1b { z3.b }, p2/z, [x3, x23]                      ; load
    fadd z4.s, z4.s, z5.s                               ; vector
    ldr z5, [x26, #1, mul vl]                           ; load
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1w { z3.s }, p0/z, [x26, x19, lsl #2]             ; load
    fadd z4.s, z4.s, z5.s                               ; vector
    ld1w { z5.s }, p0/z, [x26, x21, lsl #2]             ; load
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1w { z3.s }, p0/z, [x26, x20, lsl #2]             ; load
    fadd z4.s, z4.s, z5.s                               ; vector
    ld1w { z5.s }, p0/z, [x26, x22, lsl #2]             ; load
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1b { z3.b }, p2/z, [x2, x23]                      ; load
    fadd z4.s, z4.s, z5.s                               ; vector
    ldr z5, [x25, #1, mul vl]                           ; load
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1w { z3.s }, p0/z, [x25, x19, lsl #2]             ; load
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1w { z3.s }, p0/z, [x25, x20, lsl #2]             ; load
    fadd z2.s, z2.s, z3.s                               ; vector
    fadd z3.s, z4.s, z5.s                               ; vector
    ld1w { z4.s }, p0/z, [x25, x21, lsl #2]             ; load
    fadd z3.s, z3.s, z4.s                               ; vector
    ld1w { z4.s }, p0/z, [x25, x22, lsl #2]             ; load
    add x25, x18, x23                                   ; scalar
    fdiv z2.s, p0/m, z2.s, z1.s                         ; vector
    fadd z3.s, z3.s, z4.s                               ; vector
    fdiv z3.s, p0/m, z3.s, z1.s                         ; vector
    str z2, [x25, #-1, mul vl]                          ; store
    st1b { z3.b }, p2, [x18, x23]                       ; store
    add x23, x23, #64                                   ; scalar
    b.lo .LBB4_5                                        ; scalar

## sve512: 20 vector, 8 scalar, 18 load, 2 store
.LBB4_5:
    ld1b { z2.b }, p2/z, [x0, x23]                      ; load
    add x25, x0, x23                                    ; scalar
    add x26, x3, x23                                    ; scalar
    ld1w { z3.s }, p0/z, [x25, x19, lsl #2]             ; load
    ldr z4, [x25, #1, mul vl]                           ; load
    ld1w { z5.s }, p0/z, [x25, x21, lsl #2]             ; load
    add x24, x24, #32                                   ; scalar
    fadd z2.s, z2.s, z0.s                               ; vector
    cmp x24, x15                                        ; scalar
    fadd z4.s, z4.s, z0.s                               ; vector
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1w { z3.s }, p0/z, [x25, x20, lsl #2]             ; load
    fadd z4.s, z4.s, z5.s                               ; vector
    ld1w { z5.s }, p0/z, [x25, x22, lsl #2]             ; load
    add x25, x2, x23                                    ; scalar
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1b { z3.b }, p2/z, [x3, x23]                      ; load
    fadd z4.s, z4.s, z5.s                               ; vector
    ldr z5, [x26, #1, mul vl]                           ; load
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1w { z3.s }, p0/z, [x26, x19, lsl #2]             ; load
    fadd z4.s, z4.s, z5.s                               ; vector
    ld1w { z5.s }, p0/z, [x26, x21, lsl #2]             ; load
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1w { z3.s }, p0/z, [x26, x20, lsl #2]             ; load
    fadd z4.s, z4.s, z5.s                               ; vector
    ld1w { z5.s }, p0/z, [x26, x22, lsl #2]             ; load
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1b { z3.b }, p2/z, [x2, x23]                      ; load
    fadd z4.s, z4.s, z5.s                               ; vector
    ldr z5, [x25, #1, mul vl]                           ; load
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1w { z3.s }, p0/z, [x25, x19, lsl #2]             ; load
    fadd z2.s, z2.s, z3.s                               ; vector
    ld1w { z3.s }, p0/z, [x25, x20, lsl #2]             ; load
    fadd z2.s, z2.s, z3.s                               ; vector
    fadd z3.s, z4.s, z5.s                               ; vector
    ld1w { z4.s }, p0/z, [x25, x21, lsl #2]             ; load
    fadd z3.s, z3.s, z4.s                               ; vector
    ld1w { z4.s }, p0/z, [x25, x22, lsl #2]             ; load
    add x25, x18, x23                                   ; scalar
    fdiv z2.s, p0/m, z2.s, z1.s                         ; vector
    fadd z3.s, z3.s, z4.s                               ; vector
    fdiv z3.s, p0/m, z3.s, z1.s                         ; vector
    str z2, [x25, #-1, mul vl]                          ; store
    st1b { z3.b }, p2, [x18, x23]                       ; store
    add x23, x23, #128                                  ; scalar
    b.lo .LBB4_5                                        ; scalar

## rvv128: 20 vector, 24 scalar, 18 load, 2 store
.LBB2_7:
    add a1, a0, a2                                      ; scalar
    vsetvli zero, zero, e32, m1, ta, ma                 ; scalar
    vle32.v v9, (a1)                                    ; load
    addi a3, a1, 16                                     ; scalar
    vle32.v v10, (a3)                                   ; load
    addi a3, a1, 4                                      ; scalar
    vle32.v v11, (a3)                                   ; load
    addi a3, a1, 20                                     ; scalar
    vle32.v v12, (a3)                                   ; load
    addi a3, a1, 8                                      ; scalar
    vle32.v v13, (a3)                                   ; load
    add a3, ra, a2                                      ; scalar
    addi a1, a1, 24                                     ; scalar
    vfadd.vf v9, v9, fa5                                ; vector
    vfadd.vv v9, v9, v11                                ; vector
    vle32.v v11, (a3)                                   ; load
    vfadd.vf v10, v10, fa5                              ; vector
    vfadd.vv v10, v10, v12                              ; vector
    vle32.v v12, (a1)                                   ; load
    addi a1, a3, 16                                     ; scalar
    vfadd.vv v9, v9, v13                                ; vector
    vle32.v v13, (a1)                                   ; load
    addi a1, a3, 4                                      ; scalar
    vfadd.vv v10, v10, v12                              ; vector
    vle32.v v12, (a1)                                   ; load
    addi a1, a3, 20                                     ; scalar
    vfadd.vv v9, v9, v11                                ; vector
    vle32.v v11, (a1)                                   ; load
    addi a1, a3, 8                                      ; scalar
    vfadd.vv v10, v10, v13                              ; vector
    vle32.v v13, (a1)                                   ; load
    add a1, a4, a2                                      ; scalar
    addi a3, a3, 24                                     ; scalar
    vfadd.vv v9, v9, v12                                ; vector
    vle32.v v12, (a1)                                   ; load
    vfadd.vv v10, v10, v11                              ; vector
    vle32.v v11, (a3)                                   ; load
    addi a3, a1, 16                                     ; scalar
    vfadd.vv v9, v9, v13                                ; vector
    vle32.v v13, (a3)                                   ; load
    addi a3, a1, 4                                      ; scalar
    vfadd.vv v10, v10, v11                              ; vector
    vle32.v v11, (a3)                                   ; load
    addi a3, a1, 20                                     ; scalar
    vfadd.vv v9, v9, v12                                ; vector
    vle32.v v12, (a3)                                   ; load
    addi a3, a1, 8                                      ; scalar
    addi a1, a1, 24                                     ; scalar
    vfadd.vv v10, v10, v13                              ; vector
    vle32.v v13, (a3)                                   ; load
    vfadd.vv v9, v9, v11                                ; vector
    vle32.v v11, (a1)                                   ; load
    vfadd.vv v10, v10, v12                              ; vector
    vfadd.vv v9, v9, v13                                ; vector
    vfdiv.vf v9, v9, fa4                                ; vector
    vfadd.vv v10, v10, v11                              ; vector
    vfdiv.vf v10, v10, fa4                              ; vector
    add a1, s11, a2                                     ; scalar
    addi a3, a1, 4                                      ; scalar
    addi a1, a1, 20                                     ; scalar
    vse32.v v9, (a3)                                    ; store
    addi a2, a2, 32                                     ; scalar
    vse32.v v10, (a1)                                   ; store
    bne a2, s1, .LBB2_7                                 ; scalar

## rvv256: 20 vector, 24 scalar, 18 load, 2 store
.LBB2_7:
    add a1, a0, a2                                      ; scalar
    vsetvli zero, zero, e32, m1, ta, ma                 ; scalar
    vle32.v v9, (a1)                                    ; load
    addi a3, a1, 32                                     ; scalar
    vle32.v v10, (a3)                                   ; load
    addi a3, a1, 4                                      ; scalar
    vle32.v v11, (a3)                                   ; load
    addi a3, a1, 36                                     ; scalar
    vle32.v v12, (a3)                                   ; load
    addi a3, a1, 8                                      ; scalar
    vle32.v v13, (a3)                                   ; load
    add a3, ra, a2                                      ; scalar
    addi a1, a1, 40                                     ; scalar
    vfadd.vf v9, v9, fa5                                ; vector
    vfadd.vv v9, v9, v11                                ; vector
    vle32.v v11, (a3)                                   ; load
    vfadd.vf v10, v10, fa5                              ; vector
    vfadd.vv v10, v10, v12                              ; vector
    vle32.v v12, (a1)                                   ; load
    addi a1, a3, 32                                     ; scalar
    vfadd.vv v9, v9, v13                                ; vector
    vle32.v v13, (a1)                                   ; load
    addi a1, a3, 4                                      ; scalar
    vfadd.vv v10, v10, v12                              ; vector
    vle32.v v12, (a1)                                   ; load
    addi a1, a3, 36                                     ; scalar
    vfadd.vv v9, v9, v11                                ; vector
    vle32.v v11, (a1)                                   ; load
    addi a1, a3, 8                                      ; scalar
    vfadd.vv v10, v10, v13                              ; vector
    vle32.v v13, (a1)                                   ; load
    add a1, a4, a2                                      ; scalar
    addi a3, a3, 40                                     ; scalar
    vfadd.vv v9, v9, v12                                ; vector
    vle32.v v12, (a1)                                   ; load
    vfadd.vv v10, v10, v11                              ; vector
    vle32.v v11, (a3)                                   ; load
    addi a3, a1, 32                                     ; scalar
    vfadd.vv v9, v9, v13                                ; vector
    vle32.v v13, (a3)                                   ; load
    addi a3, a1, 4                                      ; scalar
    vfadd.vv v10, v10, v11                              ; vector
    vle32.v v11, (a3)                                   ; load
    addi a3, a1, 36                                     ; scalar
    vfadd.vv v9, v9, v12                                ; vector
    vle32.v v12, (a3)                                   ; load
    addi a3, a1, 8                                      ; scalar
    addi a1, a1, 40                                     ; scalar
    vfadd.vv v10, v10, v13                              ; vector
    vle32.v v13, (a3)                                   ; load
    vfadd.vv v9, v9, v11                                ; vector
    vle32.v v11, (a1)                                   ; load
    vfadd.vv v10, v10, v12                              ; vector
    vfadd.vv v9, v9, v13                                ; vector
    vfdiv.vf v9, v9, fa4                                ; vector
    vfadd.vv v10, v10, v11                              ; vector
    vfdiv.vf v10, v10, fa4                              ; vector
    add a1, s11, a2                                     ; scalar
    addi a3, a1, 4                                      ; scalar
    addi a1, a1, 36                                     ; scalar
    vse32.v v9, (a3)                                    ; store
    addi a2, a2, 64                                     ; scalar
    vse32.v v10, (a1)                                   ; store
    bne a2, s1, .LBB2_7                                 ; scalar

## rvv512: 20 vector, 24 scalar, 18 load, 2 store
.LBB2_7:
    add a1, a0, a2                                      ; scalar
    vsetvli zero, zero, e32, m1, ta, ma                 ; scalar
    vle32.v v9, (a1)                                    ; load
    addi a3, a1, 64                                     ; scalar
    vle32.v v10, (a3)                                   ; load
    addi a3, a1, 4                                      ; scalar
    vle32.v v11, (a3)                                   ; load
    addi a3, a1, 68                                     ; scalar
    vle32.v v12, (a3)                                   ; load
    addi a3, a1, 8                                      ; scalar
    vle32.v v13, (a3)                                   ; load
    add a3, ra, a2                                      ; scalar
    addi a1, a1, 72                                     ; scalar
    vfadd.vf v9, v9, fa5                                ; vector
    vfadd.vv v9, v9, v11                                ; vector
    vle32.v v11, (a3)                                   ; load
    vfadd.vf v10, v10, fa5                              ; vector
    vfadd.vv v10, v10, v12                              ; vector
    vle32.v v12, (a1)                                   ; load
    addi a1, a3, 64                                     ; scalar
    vfadd.vv v9, v9, v13                                ; vector
    vle32.v v13, (a1)                                   ; load
    addi a1, a3, 4                                      ; scalar
    vfadd.vv v10, v10, v12                              ; vector
    vle32.v v12, (a1)                                   ; load
    addi a1, a3, 68                                     ; scalar
    vfadd.vv v9, v9, v11                                ; vector
    vle32.v v11, (a1)                                   ; load
    addi a1, a3, 8                                      ; scalar
    vfadd.vv v10, v10, v13                              ; vector
    vle32.v v13, (a1)                                   ; load
    add a1, a4, a2                                      ; scalar
    addi a3, a3, 72                                     ; scalar
    vfadd.vv v9, v9, v12                                ; vector
    vle32.v v12, (a1)                                   ; load
    vfadd.vv v10, v10, v11                              ; vector
    vle32.v v11, (a3)                                   ; load
    addi a3, a1, 64                                     ; scalar
    vfadd.vv v9, v9, v13                                ; vector
    vle32.v v13, (a3)                                   ; load
    addi a3, a1, 4                                      ; scalar
    vfadd.vv v10, v10, v11                              ; vector
    vle32.v v11, (a3)                                   ; load
    addi a3, a1, 68                                     ; scalar
    vfadd.vv v9, v9, v12                                ; vector
    vle32.v v12, (a3)                                   ; load
    addi a3, a1, 8                                      ; scalar
    addi a1, a1, 72                                     ; scalar
    vfadd.vv v10, v10, v13                              ; vector
    vle32.v v13, (a3)                                   ; load
    vfadd.vv v9, v9, v11                                ; vector
    vle32.v v11, (a1)                                   ; load
    vfadd.vv v10, v10, v12                              ; vector
    vfadd.vv v9, v9, v13                                ; vector
    vfdiv.vf v9, v9, fa4                                ; vector
    vfadd.vv v10, v10, v11                              ; vector
    vfdiv.vf v10, v10, fa4                              ; vector
    add a1, s11, a2                                     ; scalar
    addi a3, a1, 4                                      ; scalar
    addi a1, a1, 68                                     ; scalar
    vse32.v v9, (a3)                                    ; store
    addi a2, a2, 128                                    ; scalar
    vse32.v v10, (a1)                                   ; store
    bne a2, s1, .LBB2_7                                 ; scalar
