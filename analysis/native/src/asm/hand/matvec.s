## scalar: 12 scalar, 6 load, 2 store
.LBB1_7:
    movss -4(%r11,%r14), %xmm1                          ; load
    mulss -4(%rsi,%r14), %xmm1                          ; scalar load
    leal -4(%r14), %r15d                                ; scalar
    andl $248, %r15d                                    ; scalar
    addss 64(%rsp,%r15), %xmm1                          ; scalar load
    movss %xmm1, 64(%rsp,%r15)                          ; store
    movss (%r11,%r14), %xmm1                            ; load
    mulss (%rsi,%r14), %xmm1                            ; scalar load
    movl %r14d, %r15d                                   ; scalar
    andl $252, %r15d                                    ; scalar
    addss 64(%rsp,%r15), %xmm1                          ; scalar load
    movss %xmm1, 64(%rsp,%r15)                          ; store
    addq $2, %rbx                                       ; scalar
    addq $8, %r14                                       ; scalar
    cmpq %rbx, %r9                                      ; scalar
    jne .LBB1_7                                         ; scalar

## sse4: 34 vector, 3 scalar, 32 load, 6 spill
.LBB1_4:
    movaps %xmm0, 64(%rsp)                              ; spill
    movups -240(%r14,%r12,4), %xmm0                     ; load
    movups (%rsi,%r12,4), %xmm7                         ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -224(%r14,%r12,4), %xmm0                     ; load
    movaps %xmm14, %xmm2                                ; vector
    movaps 96(%rsp), %xmm14                             ; spill
    addps %xmm7, %xmm14                                 ; vector
    movaps %xmm14, 96(%rsp)                             ; spill
    movaps %xmm2, %xmm14                                ; vector
    movups 16(%rsi,%r12,4), %xmm7                       ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -208(%r14,%r12,4), %xmm0                     ; load
    movaps 80(%rsp), %xmm2                              ; spill
    addps %xmm7, %xmm2                                  ; vector
    movaps %xmm2, 80(%rsp)                              ; spill
    movups 32(%rsi,%r12,4), %xmm7                       ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -192(%r14,%r12,4), %xmm0                     ; load
    addps %xmm7, %xmm14                                 ; vector
    movups 48(%rsi,%r12,4), %xmm7                       ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -176(%r14,%r12,4), %xmm0                     ; load
    addps %xmm7, %xmm5                                  ; vector
    movups 64(%rsi,%r12,4), %xmm7                       ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -160(%r14,%r12,4), %xmm0                     ; load
    addps %xmm7, %xmm11                                 ; vector
    movups 80(%rsi,%r12,4), %xmm7                       ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -144(%r14,%r12,4), %xmm0                     ; load
    addps %xmm7, %xmm4                                  ; vector
    movups 96(%rsi,%r12,4), %xmm7                       ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -128(%r14,%r12,4), %xmm0                     ; load
    addps %xmm7, %xmm8                                  ; vector
    movups 112(%rsi,%r12,4), %xmm7                      ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -112(%r14,%r12,4), %xmm0                     ; load
    addps %xmm7, %xmm1                                  ; vector
    movups 128(%rsi,%r12,4), %xmm7                      ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -96(%r14,%r12,4), %xmm0                      ; load
    addps %xmm7, %xmm6                                  ; vector
    movups 144(%rsi,%r12,4), %xmm7                      ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -80(%r14,%r12,4), %xmm0                      ; load
    addps %xmm7, %xmm3                                  ; vector
    movups 160(%rsi,%r12,4), %xmm7                      ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -64(%r14,%r12,4), %xmm0                      ; load
    addps %xmm7, %xmm12                                 ; vector
    movups 176(%rsi,%r12,4), %xmm7                      ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -48(%r14,%r12,4), %xmm0                      ; load
    addps %xmm7, %xmm9                                  ; vector
    movups 192(%rsi,%r12,4), %xmm7                      ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -32(%r14,%r12,4), %xmm0                      ; load
    addps %xmm7, %xmm15                                 ; vector
    movups 208(%rsi,%r12,4), %xmm7                      ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups -16(%r14,%r12,4), %xmm0                      ; load
    addps %xmm7, %xmm13                                 ; vector
    movups 224(%rsi,%r12,4), %xmm7                      ; load
    mulps %xmm0, %xmm7                                  ; vector
    movups (%r14,%r12,4), %xmm0                         ; load
    addps %xmm7, %xmm10                                 ; vector
    movups 240(%rsi,%r12,4), %xmm7                      ; load
    mulps %xmm0, %xmm7                                  ; vector
    movaps 64(%rsp), %xmm0                              ; spill
    addps %xmm7, %xmm0                                  ; vector
    addq $64, %r12                                      ; scalar
    cmpq %r15, %r12                                     ; scalar
    jb .LBB1_4                                          ; scalar

## avx2: 16 vector, 3 scalar, 16 load
.LBB1_4:
    vmovups -224(%r14,%r12,4), %ymm11                   ; load
    vmovups -192(%r14,%r12,4), %ymm12                   ; load
    vmovups -160(%r14,%r12,4), %ymm13                   ; load
    vmovups -128(%r14,%r12,4), %ymm14                   ; load
    vmovups -96(%r14,%r12,4), %ymm15                    ; load
    vmovups -64(%r14,%r12,4), %ymm2                     ; load
    vmovups -32(%r14,%r12,4), %ymm1                     ; load
    vmovups (%r14,%r12,4), %ymm0                        ; load
    vmulps (%rsi,%r12,4), %ymm11, %ymm11                ; vector load
    vaddps %ymm3, %ymm11, %ymm3                         ; vector
    vmulps 32(%rsi,%r12,4), %ymm12, %ymm11              ; vector load
    vaddps %ymm4, %ymm11, %ymm4                         ; vector
    vmulps 64(%rsi,%r12,4), %ymm13, %ymm11              ; vector load
    vmulps 96(%rsi,%r12,4), %ymm14, %ymm12              ; vector load
    vaddps %ymm6, %ymm11, %ymm6                         ; vector
    vaddps %ymm7, %ymm12, %ymm7                         ; vector
    vmulps 128(%rsi,%r12,4), %ymm15, %ymm11             ; vector load
    vaddps %ymm11, %ymm8, %ymm8                         ; vector
    vmulps 160(%rsi,%r12,4), %ymm2, %ymm2               ; vector load
    vaddps %ymm2, %ymm5, %ymm5                          ; vector
    vmulps 192(%rsi,%r12,4), %ymm1, %ymm1               ; vector load
    vmulps 224(%rsi,%r12,4), %ymm0, %ymm0               ; vector load
    vaddps %ymm1, %ymm10, %ymm10                        ; vector
    vaddps %ymm0, %ymm9, %ymm9                          ; vector
    addq $64, %r12                                      ; scalar
    cmpq %r15, %r12                                     ; scalar
    jb .LBB1_4                                          ; scalar

## avx512: 8 vector, 3 scalar, 8 load
.LBB1_4:
    vmovups -192(%r14,%rbx,4), %zmm7                    ; load
    vmovups -128(%r14,%rbx,4), %zmm8                    ; load
    vmovups -64(%r14,%rbx,4), %zmm9                     ; load
    vmovups (%r14,%rbx,4), %zmm10                       ; load
    vmulps (%rsi,%rbx,4), %zmm7, %zmm7                  ; vector load
    vaddps %zmm7, %zmm3, %zmm3                          ; vector
    vmulps 64(%rsi,%rbx,4), %zmm8, %zmm7                ; vector load
    vaddps %zmm7, %zmm4, %zmm4                          ; vector
    vmulps 128(%rsi,%rbx,4), %zmm9, %zmm7               ; vector load
    vaddps %zmm7, %zmm5, %zmm5                          ; vector
    vmulps 192(%rsi,%rbx,4), %zmm10, %zmm7              ; vector load
    vaddps %zmm7, %zmm6, %zmm6                          ; vector
    addq $64, %rbx                                      ; scalar
    cmpq %r15, %rbx                                     ; scalar
    jb .LBB1_4                                          ; scalar

## neon: 43 vector, 5 scalar, 32 load, 12 spill
.LBB1_6:
    ldp q26, q29, [x7, #-128]                           ; 2 load
    add x5, x5, #64                                     ; scalar
    ldp q27, q28, [x6, #-128]                           ; 2 load
    cmp x5, x13                                         ; scalar
    ldp q8, q9, [x7, #-64]                              ; 2 load
    ldp q10, q11, [x7, #-32]                            ; 2 load
    fmul v1.4s, v27.4s, v26.4s                          ; vector
    fmul v0.4s, v28.4s, v29.4s                          ; vector
    mov v27.16b, v7.16b                                 ; vector
    ldp q30, q28, [x6, #-96]                            ; 2 load
    mov v26.16b, v4.16b                                 ; vector
    ldp q31, q29, [x7, #-96]                            ; 2 load
    mov v7.16b, v23.16b                                 ; vector
    ldp q12, q13, [x7]                                  ; 2 load
    mov v23.16b, v17.16b                                ; vector
    stp q0, q1, [sp, #64]                               ; 2 spill
    ldp q14, q15, [x7, #32]                             ; 2 load
    fmul v1.4s, v30.4s, v31.4s                          ; vector
    fmul v0.4s, v28.4s, v29.4s                          ; vector
    mov v17.16b, v5.16b                                 ; vector
    ldp q31, q29, [x6, #-64]                            ; 2 load
    mov v28.16b, v18.16b                                ; vector
    ldp q3, q4, [x6, #96]                               ; 2 load
    fmul v31.4s, v31.4s, v8.4s                          ; vector
    fmul v30.4s, v29.4s, v9.4s                          ; vector
    mov v29.16b, v6.16b                                 ; vector
    ldp q8, q9, [x6, #-32]                              ; 2 load
    stp q0, q1, [sp, #32]                               ; 2 spill
    ldp q5, q6, [x7, #96]                               ; 2 load
    ldp q0, q1, [x7, #64]                               ; 2 load
    add x7, x7, #256                                    ; scalar
    fmul v8.4s, v8.4s, v10.4s                           ; vector
    fmul v9.4s, v9.4s, v11.4s                           ; vector
    ldp q10, q11, [x6]                                  ; 2 load
    fmul v10.4s, v10.4s, v12.4s                         ; vector
    fmul v11.4s, v11.4s, v13.4s                         ; vector
    fadd v22.4s, v22.4s, v8.4s                          ; vector
    ldp q12, q13, [x6, #32]                             ; 2 load
    fmul v12.4s, v12.4s, v14.4s                         ; vector
    ldp q14, q16, [x6, #64]                             ; 2 load
    fmul v13.4s, v13.4s, v15.4s                         ; vector
    fmul v15.4s, v3.4s, v5.4s                           ; vector
    mov v5.16b, v17.16b                                 ; vector
    fmul v3.4s, v4.4s, v6.4s                            ; vector
    mov v4.16b, v26.16b                                 ; vector
    mov v17.16b, v23.16b                                ; vector
    ldp q26, q6, [sp, #64]                              ; 2 spill
    fmul v0.4s, v14.4s, v0.4s                           ; vector
    fmul v14.4s, v16.4s, v1.4s                          ; vector
    mov v23.16b, v7.16b                                 ; vector
    fadd v7.4s, v27.4s, v31.4s                          ; vector
    ldp q16, q1, [sp, #96]                              ; 2 spill
    fadd v17.4s, v17.4s, v30.4s                         ; vector
    fadd v4.4s, v4.4s, v6.4s                            ; vector
    fadd v5.4s, v5.4s, v26.4s                           ; vector
    fadd v25.4s, v25.4s, v10.4s                         ; vector
    ldp q26, q6, [sp, #32]                              ; 2 spill
    fadd v20.4s, v20.4s, v11.4s                         ; vector
    fadd v16.4s, v16.4s, v9.4s                          ; vector
    fadd v21.4s, v21.4s, v12.4s                         ; vector
    fadd v19.4s, v19.4s, v13.4s                         ; vector
    fadd v24.4s, v24.4s, v14.4s                         ; vector
    fadd v2.4s, v2.4s, v15.4s                           ; vector
    fadd v23.4s, v23.4s, v3.4s                          ; vector
    fadd v18.4s, v28.4s, v6.4s                          ; vector
    fadd v1.4s, v1.4s, v26.4s                           ; vector
    fadd v6.4s, v29.4s, v0.4s                           ; vector
    add x6, x6, #256                                    ; scalar
    stp q16, q1, [sp, #96]                              ; 2 spill
    b.lo .LBB1_6                                        ; scalar

## sve128: 54 vector, 5 scalar, 32 load, 10 spill
.LBB2_6:
    ldp q27, q30, [x5, #-128]                           ; 2 load
    add x1, x1, #64                                     ; scalar
    ldp q28, q29, [x3, #-128]                           ; 2 load
    cmp x1, x13                                         ; scalar
    ldp q9, q10, [x5, #-64]                             ; 2 load
    ldp q11, q12, [x5, #-32]                            ; 2 load
    fmul v4.4s, v28.4s, v27.4s                          ; vector
    fmul v3.4s, v29.4s, v30.4s                          ; vector
    mov v28.16b, v2.16b                                 ; vector
    ldp q31, q29, [x3, #-96]                            ; 2 load
    mov v2.16b, v0.16b                                  ; vector
    ldp q8, q30, [x5, #-96]                             ; 2 load
    mov v0.16b, v24.16b                                 ; vector
    ldp q13, q14, [x5]                                  ; 2 load
    mov v24.16b, v18.16b                                ; vector
    stp q3, q4, [sp, #96]                               ; 2 spill
    ldp q15, q27, [x5, #32]                             ; 2 load
    fmul v4.4s, v31.4s, v8.4s                           ; vector
    fmul v3.4s, v29.4s, v30.4s                          ; vector
    mov v31.16b, v1.16b                                 ; vector
    ldp q8, q30, [x3, #-64]                             ; 2 load
    mov v29.16b, v26.16b                                ; vector
    mov v26.16b, v23.16b                                ; vector
    mov v23.16b, v17.16b                                ; vector
    mov v17.16b, v6.16b                                 ; vector
    mov v18.16b, v7.16b                                 ; vector
    ldp q6, q7, [x5, #96]                               ; 2 load
    stp q3, q4, [sp, #64]                               ; 2 spill
    fmul v3.4s, v8.4s, v9.4s                            ; vector
    fmul v8.4s, v30.4s, v10.4s                          ; vector
    ldp q9, q10, [x3, #-32]                             ; 2 load
    mov v30.16b, v25.16b                                ; vector
    mov v25.16b, v19.16b                                ; vector
    mov v19.16b, v16.16b                                ; vector
    mov v16.16b, v5.16b                                 ; vector
    ldp q4, q5, [x3, #96]                               ; 2 load
    fmul v9.4s, v9.4s, v11.4s                           ; vector
    fmul v10.4s, v10.4s, v12.4s                         ; vector
    str q3, [sp, #48]                                   ; spill
    ldp q11, q12, [x3]                                  ; 2 load
    ldp q1, q3, [x5, #64]                               ; 2 load
    add x5, x5, #256                                    ; scalar
    fmul v11.4s, v11.4s, v13.4s                         ; vector
    fmul v12.4s, v12.4s, v14.4s                         ; vector
    ldp q13, q14, [x3, #32]                             ; 2 load
    fmul v13.4s, v13.4s, v15.4s                         ; vector
    ldp q15, q22, [x3, #64]                             ; 2 load
    fmul v27.4s, v14.4s, v27.4s                         ; vector
    fadd v21.4s, v21.4s, v12.4s                         ; vector
    add x3, x3, #256                                    ; scalar
    fmul v14.4s, v15.4s, v1.4s                          ; vector
    fmul v1.4s, v22.4s, v3.4s                           ; vector
    fmul v3.4s, v4.4s, v6.4s                            ; vector
    fmul v4.4s, v5.4s, v7.4s                            ; vector
    mov v5.16b, v16.16b                                 ; vector
    mov v7.16b, v18.16b                                 ; vector
    mov v18.16b, v24.16b                                ; vector
    mov v24.16b, v0.16b                                 ; vector
    mov v0.16b, v2.16b                                  ; vector
    ldr q2, [sp, #112]                                  ; spill
    mov v6.16b, v17.16b                                 ; vector
    mov v16.16b, v19.16b                                ; vector
    mov v17.16b, v23.16b                                ; vector
    fadd v23.4s, v26.4s, v9.4s                          ; vector
    fadd v20.4s, v20.4s, v27.4s                         ; vector
    fadd v5.4s, v5.4s, v2.4s                            ; vector
    ldr q2, [sp, #96]                                   ; spill
    fadd v18.4s, v18.4s, v8.4s                          ; vector
    fadd v0.4s, v0.4s, v13.4s                           ; vector
    fadd v26.4s, v29.4s, v14.4s                         ; vector
    fadd v24.4s, v24.4s, v4.4s                          ; vector
    fadd v7.4s, v7.4s, v2.4s                            ; vector
    ldp q2, q4, [sp, #64]                               ; 2 spill
    fadd v17.4s, v17.4s, v10.4s                         ; vector
    fadd v19.4s, v25.4s, v4.4s                          ; vector
    fadd v25.4s, v30.4s, v1.4s                          ; vector
    fadd v1.4s, v31.4s, v3.4s                           ; vector
    fadd v6.4s, v6.4s, v2.4s                            ; vector
    ldr q2, [sp, #48]                                   ; spill
    fadd v16.4s, v16.4s, v2.4s                          ; vector
    fadd v2.4s, v28.4s, v11.4s                          ; vector
    b.lo .LBB2_6                                        ; scalar

## sve256: 16 vector, 5 scalar, 16 load
.LBB2_6:
    ldr z19, [x3, #-4, mul vl]                          ; load
    ldr z20, [x5, #-4, mul vl]                          ; load
    add x1, x1, #64                                     ; scalar
    ldr z21, [x3, #-3, mul vl]                          ; load
    ldr z22, [x5, #-3, mul vl]                          ; load
    cmp x1, x15                                         ; scalar
    ldr z23, [x3, #-2, mul vl]                          ; load
    ldr z24, [x3, #-1, mul vl]                          ; load
    ldr z25, [x3]                                       ; load
    ldr z26, [x3, #1, mul vl]                           ; load
    fmul z19.s, z19.s, z20.s                            ; vector
    ldr z27, [x3, #2, mul vl]                           ; load
    fmul z20.s, z21.s, z22.s                            ; vector
    ldr z21, [x5, #-2, mul vl]                          ; load
    ldr z22, [x5, #-1, mul vl]                          ; load
    ldr z28, [x5]                                       ; load
    ldr z29, [x5, #1, mul vl]                           ; load
    ldr z30, [x3, #3, mul vl]                           ; load
    add x3, x3, #256                                    ; scalar
    ldr z31, [x5, #2, mul vl]                           ; load
    ldr z8, [x5, #3, mul vl]                            ; load
    fmul z21.s, z23.s, z21.s                            ; vector
    fmul z22.s, z24.s, z22.s                            ; vector
    fadd z3.s, z3.s, z19.s                              ; vector
    fmul z23.s, z25.s, z28.s                            ; vector
    fmul z24.s, z26.s, z29.s                            ; vector
    fadd z16.s, z16.s, z20.s                            ; vector
    fmul z25.s, z27.s, z31.s                            ; vector
    fmul z26.s, z30.s, z8.s                             ; vector
    add x5, x5, #256                                    ; scalar
    fadd z4.s, z4.s, z21.s                              ; vector
    fadd z5.s, z5.s, z22.s                              ; vector
    fadd z6.s, z6.s, z23.s                              ; vector
    fadd z17.s, z17.s, z24.s                            ; vector
    fadd z7.s, z7.s, z25.s                              ; vector
    fadd z18.s, z18.s, z26.s                            ; vector
    b.lo .LBB2_6                                        ; scalar

## sve512: 8 vector, 5 scalar, 8 load
.LBB2_6:
    ldr z7, [x3, #-2, mul vl]                           ; load
    ldr z16, [x3, #-1, mul vl]                          ; load
    add x1, x1, #64                                     ; scalar
    ldr z17, [x3]                                       ; load
    ldr z18, [x5, #-2, mul vl]                          ; load
    cmp x1, x13                                         ; scalar
    ldr z19, [x5, #-1, mul vl]                          ; load
    ldr z20, [x3, #1, mul vl]                           ; load
    add x3, x3, #256                                    ; scalar
    ldr z21, [x5]                                       ; load
    ldr z22, [x5, #1, mul vl]                           ; load
    add x5, x5, #256                                    ; scalar
    fmul z7.s, z7.s, z18.s                              ; vector
    fmul z16.s, z16.s, z19.s                            ; vector
    fmul z17.s, z17.s, z21.s                            ; vector
    fmul z18.s, z20.s, z22.s                            ; vector
    fadd z3.s, z3.s, z7.s                               ; vector
    fadd z4.s, z4.s, z16.s                              ; vector
    fadd z5.s, z5.s, z17.s                              ; vector
    fadd z6.s, z6.s, z18.s                              ; vector
    b.lo .LBB2_6                                        ; scalar

## rvv128: 32 vector, 87 scalar, 32 load, 16 spill
.LBB1_6:
    add a5, a0, a4                                      ; scalar
    addi a3, a5, 16                                     ; scalar
    vsetivli zero, 4, e32, m1, ta, ma                   ; scalar
    vle32.v v3, (a3)                                    ; load
    addi a3, a5, 32                                     ; scalar
    vle32.v v5, (a3)                                    ; load
    addi a3, a5, 48                                     ; scalar
    vle32.v v31, (a3)                                   ; load
    addi a3, a5, 64                                     ; scalar
    vle32.v v29, (a3)                                   ; load
    addi a3, a5, 80                                     ; scalar
    vle32.v v27, (a3)                                   ; load
    addi a3, a5, 96                                     ; scalar
    vle32.v v25, (a3)                                   ; load
    addi a3, a5, 112                                    ; scalar
    vle32.v v23, (a3)                                   ; load
    addi a3, a5, 128                                    ; scalar
    vle32.v v21, (a3)                                   ; load
    addi a3, a5, 144                                    ; scalar
    vle32.v v17, (a3)                                   ; load
    addi a3, a5, 160                                    ; scalar
    vle32.v v10, (a3)                                   ; load
    addi a3, a5, 176                                    ; scalar
    vle32.v v9, (a3)                                    ; load
    csrr a3, vlenb                                      ; scalar
    slli a3, a3, 2                                      ; scalar
    add a3, a3, sp                                      ; scalar
    addi a3, a3, 368                                    ; scalar
    vs1r.v v9, (a3)                                     ; spill
    addi a3, a5, 192                                    ; scalar
    vle32.v v9, (a3)                                    ; load
    csrr a3, vlenb                                      ; scalar
    slli s7, a3, 1                                      ; scalar
    add a3, a3, s7                                      ; scalar
    add a3, a3, sp                                      ; scalar
    addi a3, a3, 368                                    ; scalar
    vs1r.v v9, (a3)                                     ; spill
    addi a3, a5, 208                                    ; scalar
    vle32.v v9, (a3)                                    ; load
    csrr a3, vlenb                                      ; scalar
    slli a3, a3, 1                                      ; scalar
    add a3, a3, sp                                      ; scalar
    addi a3, a3, 368                                    ; scalar
    vs1r.v v9, (a3)                                     ; spill
    addi a3, a5, 224                                    ; scalar
    vle32.v v9, (a3)                                    ; load
    csrr a3, vlenb                                      ; scalar
    add a3, a3, sp                                      ; scalar
    addi a3, a3, 368                                    ; scalar
    vs1r.v v9, (a3)                                     ; spill
    add a3, a1, a4                                      ; scalar
    vle32.v v1, (a5)                                    ; load
    addi a5, a5, 240                                    ; scalar
    vle32.v v9, (a3)                                    ; load
    vle32.v v7, (a5)                                    ; load
    addi a5, a3, 16                                     ; scalar
    vle32.v v11, (a5)                                   ; load
    addi a5, a3, 32                                     ; scalar
    vle32.v v13, (a5)                                   ; load
    addi a5, a3, 48                                     ; scalar
    vle32.v v15, (a5)                                   ; load
    addi a5, a3, 64                                     ; scalar
    vfmul.vv v14, v1, v9                                ; vector
    vle32.v v1, (a5)                                    ; load
    addi a5, a3, 80                                     ; scalar
    vfmul.vv v11, v3, v11                               ; vector
    vle32.v v3, (a5)                                    ; load
    addi a5, a3, 96                                     ; scalar
    vfmul.vv v13, v5, v13                               ; vector
    vle32.v v5, (a5)                                    ; load
    addi a5, a3, 112                                    ; scalar
    vfmul.vv v19, v31, v15                              ; vector
    vle32.v v31, (a5)                                   ; load
    addi a5, a3, 128                                    ; scalar
    vfmul.vv v29, v29, v1                               ; vector
    vle32.v v1, (a5)                                    ; load
    addi a5, a3, 144                                    ; scalar
    vfmul.vv v27, v27, v3                               ; vector
    vle32.v v3, (a5)                                    ; load
    addi a5, a3, 160                                    ; scalar
    vfmul.vv v25, v25, v5                               ; vector
    vle32.v v5, (a5)                                    ; load
    addi a5, a3, 176                                    ; scalar
    vfmul.vv v23, v23, v31                              ; vector
    vle32.v v31, (a5)                                   ; load
    addi a5, a3, 192                                    ; scalar
    vfmul.vv v21, v21, v1                               ; vector
    vle32.v v1, (a5)                                    ; load
    addi a5, a3, 208                                    ; scalar
    vfmul.vv v17, v17, v3                               ; vector
    vle32.v v3, (a5)                                    ; load
    addi a5, a3, 224                                    ; scalar
    addi a3, a3, 240                                    ; scalar
    vfmul.vv v5, v10, v5                                ; vector
    vle32.v v9, (a5)                                    ; load
    csrr a5, vlenb                                      ; scalar
    slli a5, a5, 2                                      ; scalar
    add a5, a5, sp                                      ; scalar
    addi a5, a5, 368                                    ; scalar
    vl1r.v v10, (a5)                                    ; spill
    vfmul.vv v31, v10, v31                              ; vector
    vle32.v v10, (a3)                                   ; load
    csrr a3, vlenb                                      ; scalar
    slli a5, a3, 1                                      ; scalar
    add a3, a3, a5                                      ; scalar
    add a3, a3, sp                                      ; scalar
    addi a3, a3, 368                                    ; scalar
    vl1r.v v15, (a3)                                    ; spill
    vfmul.vv v1, v15, v1                                ; vector
    csrr a3, vlenb                                      ; scalar
    slli a3, a3, 1                                      ; scalar
    add a3, a3, sp                                      ; scalar
    addi a3, a3, 368                                    ; scalar
    vl1r.v v15, (a3)                                    ; spill
    vfmul.vv v3, v15, v3                                ; vector
    csrr a3, vlenb                                      ; scalar
    add a3, a3, sp                                      ; scalar
    addi a3, a3, 368                                    ; scalar
    vl1r.v v15, (a3)                                    ; spill
    vfmul.vv v9, v15, v9                                ; vector
    vfmul.vv v10, v7, v10                               ; vector
    vfadd.vv v8, v8, v14                                ; vector
    csrr a3, vlenb                                      ; scalar
    slli a5, a3, 2                                      ; scalar
    add a3, a3, a5                                      ; scalar
    add a3, a3, sp                                      ; scalar
    addi a3, a3, 368                                    ; scalar
    vl2r.v v14, (a3)                                    ; 2 spill
    vfadd.vv v14, v14, v11                              ; vector
    csrr a3, vlenb                                      ; scalar
    slli a5, a3, 2                                      ; scalar
    add a3, a3, a5                                      ; scalar
    add a3, a3, sp                                      ; scalar
    addi a3, a3, 368                                    ; scalar
    vs2r.v v14, (a3)                                    ; 2 spill
    vfadd.vv v12, v12, v13                              ; vector
    vfadd.vv v18, v18, v19                              ; vector
    vfadd.vv v24, v24, v29                              ; vector
    vfadd.vv v26, v26, v27                              ; vector
    vfadd.vv v28, v28, v25                              ; vector
    vfadd.vv v30, v30, v23                              ; vector
    vfadd.vv v16, v16, v21                              ; vector
    csrr a3, vlenb                                      ; scalar
    slli a5, a3, 3                                      ; scalar
    sub a3, a5, a3                                      ; scalar
    add a3, a3, sp                                      ; scalar
    addi a3, a3, 368                                    ; scalar
    vl2r.v v14, (a3)                                    ; 2 spill
    vfadd.vv v14, v14, v17                              ; vector
    csrr a3, vlenb                                      ; scalar
    slli a5, a3, 3                                      ; scalar
    sub a3, a5, a3                                      ; scalar
    add a3, a3, sp                                      ; scalar
    addi a3, a3, 368                                    ; scalar
    vs2r.v v14, (a3)                                    ; 2 spill
    vfadd.vv v20, v20, v5                               ; vector
    vfadd.vv v22, v22, v31                              ; vector
    vfadd.vv v0, v0, v1                                 ; vector
    vfadd.vv v2, v2, v3                                 ; vector
    vfadd.vv v4, v4, v9                                 ; vector
    addi a4, a4, 256                                    ; scalar
    vfadd.vv v6, v6, v10                                ; vector
    bne a4, s6, .LBB1_6                                 ; scalar

## rvv256: 16 vector, 19 scalar, 16 load
.LBB1_6:
    add a3, a0, a4                                      ; scalar
    addi a5, a3, 32                                     ; scalar
    vsetivli zero, 8, e32, m1, ta, ma                   ; scalar
    vle32.v v9, (a5)                                    ; load
    addi a5, a3, 64                                     ; scalar
    vle32.v v11, (a5)                                   ; load
    addi a5, a3, 96                                     ; scalar
    vle32.v v13, (a5)                                   ; load
    addi a5, a3, 128                                    ; scalar
    vle32.v v15, (a5)                                   ; load
    addi a5, a3, 160                                    ; scalar
    vle32.v v17, (a5)                                   ; load
    addi a5, a3, 192                                    ; scalar
    vle32.v v19, (a5)                                   ; load
    add a5, a1, a4                                      ; scalar
    vle32.v v21, (a3)                                   ; load
    addi a3, a3, 224                                    ; scalar
    vle32.v v23, (a5)                                   ; load
    vle32.v v27, (a3)                                   ; load
    addi a3, a5, 32                                     ; scalar
    vle32.v v28, (a3)                                   ; load
    addi a3, a5, 64                                     ; scalar
    vle32.v v29, (a3)                                   ; load
    addi a3, a5, 96                                     ; scalar
    vle32.v v30, (a3)                                   ; load
    addi a3, a5, 128                                    ; scalar
    vfmul.vv v21, v21, v23                              ; vector
    vle32.v v23, (a3)                                   ; load
    addi a3, a5, 160                                    ; scalar
    vfmul.vv v9, v9, v28                                ; vector
    vle32.v v28, (a3)                                   ; load
    addi a3, a5, 192                                    ; scalar
    addi a5, a5, 224                                    ; scalar
    vfmul.vv v11, v11, v29                              ; vector
    vle32.v v29, (a3)                                   ; load
    vfmul.vv v13, v13, v30                              ; vector
    vle32.v v30, (a5)                                   ; load
    vfmul.vv v15, v15, v23                              ; vector
    vfmul.vv v17, v17, v28                              ; vector
    vfmul.vv v19, v19, v29                              ; vector
    vfmul.vv v23, v27, v30                              ; vector
    vfadd.vv v8, v8, v21                                ; vector
    vfadd.vv v10, v10, v9                               ; vector
    vfadd.vv v12, v12, v11                              ; vector
    vfadd.vv v14, v14, v13                              ; vector
    vfadd.vv v16, v16, v15                              ; vector
    vfadd.vv v18, v18, v17                              ; vector
    vfadd.vv v20, v20, v19                              ; vector
    addi a4, a4, 256                                    ; scalar
    vfadd.vv v22, v22, v23                              ; vector
    bne a4, s6, .LBB1_6                                 ; scalar

## rvv512: 8 vector, 11 scalar, 8 load
.LBB1_6:
    add a4, a0, a3                                      ; scalar
    addi a5, a4, 64                                     ; scalar
    vsetivli zero, 16, e32, m1, ta, ma                  ; scalar
    vle32.v v9, (a5)                                    ; load
    addi a5, a4, 128                                    ; scalar
    vle32.v v11, (a5)                                   ; load
    add a5, a1, a3                                      ; scalar
    addi a3, a3, 256                                    ; scalar
    vle32.v v13, (a4)                                   ; load
    addi a4, a4, 192                                    ; scalar
    vle32.v v15, (a5)                                   ; load
    vle32.v v19, (a4)                                   ; load
    addi a4, a5, 64                                     ; scalar
    vle32.v v20, (a4)                                   ; load
    addi a4, a5, 128                                    ; scalar
    addi a5, a5, 192                                    ; scalar
    vle32.v v21, (a4)                                   ; load
    vle32.v v22, (a5)                                   ; load
    vfmul.vv v13, v13, v15                              ; vector
    vfmul.vv v9, v9, v20                                ; vector
    vfmul.vv v11, v11, v21                              ; vector
    vfmul.vv v15, v19, v22                              ; vector
    vfadd.vv v8, v8, v13                                ; vector
    vfadd.vv v10, v10, v9                               ; vector
    vfadd.vv v12, v12, v11                              ; vector
    vfadd.vv v14, v14, v15                              ; vector
    bne a3, s6, .LBB1_6                                 ; scalar
