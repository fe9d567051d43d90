## scalar: 7 scalar, 4 load, 2 store
.LBB0_4:
    movss (%rdi,%rax,4), %xmm1                          ; load
    mulss %xmm0, %xmm1                                  ; scalar
    addss (%rsi,%rax,4), %xmm1                          ; scalar load
    movss %xmm1, (%rsi,%rax,4)                          ; store
    movss 4(%rdi,%rax,4), %xmm1                         ; load
    mulss %xmm0, %xmm1                                  ; scalar
    addss 4(%rsi,%rax,4), %xmm1                         ; scalar load
    movss %xmm1, 4(%rsi,%rax,4)                         ; store
    addq $2, %rax                                       ; scalar
    cmpq %rax, %rcx                                     ; scalar
    jne .LBB0_4                                         ; scalar

## sse4: 8 vector, 3 scalar, 8 load, 4 store
.LBB0_2:
    movups (%rdi,%rax,4), %xmm2                         ; load
    movups 16(%rdi,%rax,4), %xmm3                       ; load
    movups 32(%rdi,%rax,4), %xmm4                       ; load
    movups 48(%rdi,%rax,4), %xmm5                       ; load
    mulps %xmm1, %xmm2                                  ; vector
    mulps %xmm1, %xmm3                                  ; vector
    mulps %xmm1, %xmm4                                  ; vector
    mulps %xmm1, %xmm5                                  ; vector
    movups (%rsi,%rax,4), %xmm6                         ; load
    addps %xmm2, %xmm6                                  ; vector
    movups 16(%rsi,%rax,4), %xmm2                       ; load
    addps %xmm3, %xmm2                                  ; vector
    movups 32(%rsi,%rax,4), %xmm3                       ; load
    addps %xmm4, %xmm3                                  ; vector
    movups 48(%rsi,%rax,4), %xmm4                       ; load
    addps %xmm5, %xmm4                                  ; vector
    movups %xmm6, (%rsi,%rax,4)                         ; store
    movups %xmm2, 16(%rsi,%rax,4)                       ; store
    movups %xmm3, 32(%rsi,%rax,4)                       ; store
    movups %xmm4, 48(%rsi,%rax,4)                       ; store
    addq $16, %rax                                      ; scalar
    cmpq %r8, %rax                                      ; scalar
    jb .LBB0_2                                          ; scalar

## avx2: 8 vector, 3 scalar, 8 load, 4 store
.LBB0_2:
    vmulps (%rdi,%r8,4), %ymm1, %ymm2                   ; vector load
    vmulps 32(%rdi,%r8,4), %ymm1, %ymm3                 ; vector load
    vmulps 64(%rdi,%r8,4), %ymm1, %ymm4                 ; vector load
    vmulps 96(%rdi,%r8,4), %ymm1, %ymm5                 ; vector load
    vaddps (%rsi,%r8,4), %ymm2, %ymm2                   ; vector load
    vaddps 32(%rsi,%r8,4), %ymm3, %ymm3                 ; vector load
    vaddps 64(%rsi,%r8,4), %ymm4, %ymm4                 ; vector load
    vaddps 96(%rsi,%r8,4), %ymm5, %ymm5                 ; vector load
    vmovups %ymm2, (%rsi,%r8,4)                         ; store
    vmovups %ymm3, 32(%rsi,%r8,4)                       ; store
    vmovups %ymm4, 64(%rsi,%r8,4)                       ; store
    vmovups %ymm5, 96(%rsi,%r8,4)                       ; store
    addq $32, %r8                                       ; scalar
    cmpq %rcx, %r8                                      ; scalar
    jb .LBB0_2                                          ; scalar

## avx512: 8 vector, 3 scalar, 8 load, 4 store
.LBB0_2:
    vmulps (%rdi,%r8,4), %zmm1, %zmm2                   ; vector load
    vmulps 64(%rdi,%r8,4), %zmm1, %zmm3                 ; vector load
    vmulps 128(%rdi,%r8,4), %zmm1, %zmm4                ; vector load
    vmulps 192(%rdi,%r8,4), %zmm1, %zmm5                ; vector load
    vaddps (%rsi,%r8,4), %zmm2, %zmm2                   ; vector load
    vaddps 64(%rsi,%r8,4), %zmm3, %zmm3                 ; vector load
    vaddps 128(%rsi,%r8,4), %zmm4, %zmm4                ; vector load
    vaddps 192(%rsi,%r8,4), %zmm5, %zmm5                ; vector load
    vmovups %zmm2, (%rsi,%r8,4)                         ; store
    vmovups %zmm3, 64(%rsi,%r8,4)                       ; store
    vmovups %zmm4, 128(%rsi,%r8,4)                      ; store
    vmovups %zmm5, 192(%rsi,%r8,4)                      ; store
    addq $64, %r8                                       ; scalar
    cmpq %rcx, %r8                                      ; scalar
    jb .LBB0_2                                          ; scalar

## neon: 8 vector, 3 scalar, 8 load, 4 store
.LBB0_2:
    ldp q1, q2, [x13, #-32]                             ; 2 load
    add x8, x8, #16                                     ; scalar
    ldp q3, q4, [x13], #64                              ; 2 load
    ldp q5, q6, [x12, #-32]                             ; 2 load
    cmp x8, x10                                         ; scalar
    fmul v1.4s, v1.4s, v0.s[0]                          ; vector
    fmul v2.4s, v2.4s, v0.s[0]                          ; vector
    fmul v3.4s, v3.4s, v0.s[0]                          ; vector
    fmul v4.4s, v4.4s, v0.s[0]                          ; vector
    fadd v1.4s, v1.4s, v5.4s                            ; vector
    ldp q5, q7, [x12]                                   ; 2 load
    fadd v2.4s, v2.4s, v6.4s                            ; vector
    fadd v3.4s, v3.4s, v5.4s                            ; vector
    fadd v4.4s, v4.4s, v7.4s                            ; vector
    stp q1, q2, [x12, #-32]                             ; 2 store
    stp q3, q4, [x12], #64                              ; 2 store
    b.lo .LBB0_2                                        ; scalar

## sve128: 8 vector, 3 scalar, 8 load, 4 store
.LBB0_2:
    ldp q1, q2, [x13, #-32]                             ; 2 load
    add x11, x11, #16                                   ; scalar
    ldp q3, q4, [x13], #64                              ; 2 load
    ldp q5, q6, [x12, #-32]                             ; 2 load
    cmp x11, x9                                         ; scalar
    fmul v1.4s, v1.4s, v0.s[0]                          ; vector
    fmul v2.4s, v2.4s, v0.s[0]                          ; vector
    fmul v3.4s, v3.4s, v0.s[0]                          ; vector
    fmul v4.4s, v4.4s, v0.s[0]                          ; vector
    fadd v1.4s, v1.4s, v5.4s                            ; vector
    ldp q5, q7, [x12]                                   ; 2 load
    fadd v2.4s, v2.4s, v6.4s                            ; vector
    fadd v3.4s, v3.4s, v5.4s                            ; vector
    fadd v4.4s, v4.4s, v7.4s                            ; vector
    stp q1, q2, [x12, #-32]                             ; 2 store
    stp q3, q4, [x12], #64                              ; 2 store
    b.lo .LBB0_2                                        ; scalar

## sve256: 8 vector, 5 scalar, 8 load, 4 store
.LBB0_2:
    ldr z2, [x13, #-2, mul vl]                          ; load
    ldr z3, [x13, #-1, mul vl]                          ; load
    add x11, x11, #32                                   ; scalar
    ldr z4, [x13]                                       ; load
    ldr z5, [x13, #1, mul vl]                           ; load
    cmp x11, x9                                         ; scalar
    ldr z6, [x12, #-2, mul vl]                          ; load
    ldr z7, [x12, #-1, mul vl]                          ; load
    add x13, x13, #128                                  ; scalar
    fmul z2.s, z1.s, z2.s                               ; vector
    fmul z3.s, z1.s, z3.s                               ; vector
    ldr z16, [x12]                                      ; load
    fmul z4.s, z1.s, z4.s                               ; vector
    fmul z5.s, z1.s, z5.s                               ; vector
    ldr z17, [x12, #1, mul vl]                          ; load
    fadd z2.s, z2.s, z6.s                               ; vector
    fadd z3.s, z3.s, z7.s                               ; vector
    fadd z4.s, z4.s, z16.s                              ; vector
    fadd z5.s, z5.s, z17.s                              ; vector
    str z2, [x12, #-2, mul vl]                          ; store
    str z3, [x12, #-1, mul vl]                          ; store
    str z4, [x12]                                       ; store
    str z5, [x12, #1, mul vl]                           ; store
    add x12, x12, #128                                  ; scalar
    b.lo .LBB0_2                                        ; scalar

## sve512: 8 vector, 5 scalar, 8 load, 4 store
.LBB0_2:
    ldr z2, [x13, #-2, mul vl]                          ; load
    ldr z3, [x13, #-1, mul vl]                          ; load
    add x11, x11, #64                                   ; scalar
    ldr z4, [x13]                                       ; load
    ldr z5, [x13, #1, mul vl]                           ; load
    cmp x11, x9                                         ; scalar
    ldr z6, [x12, #-2, mul vl]                          ; load
    ldr z7, [x12, #-1, mul vl]                          ; load
    add x13, x13, #256                                  ; scalar
    fmul z2.s, z1.s, z2.s                               ; vector
    fmul z3.s, z1.s, z3.s                               ; vector
    ldr z16, [x12]                                      ; load
    fmul z4.s, z1.s, z4.s                               ; vector
    fmul z5.s, z1.s, z5.s                               ; vector
    ldr z17, [x12, #1, mul vl]                          ; load
    fadd z2.s, z2.s, z6.s                               ; vector
    fadd z3.s, z3.s, z7.s                               ; vector
    fadd z4.s, z4.s, z16.s                              ; vector
    fadd z5.s, z5.s, z17.s                              ; vector
    str z2, [x12, #-2, mul vl]                          ; store
    str z3, [x12, #-1, mul vl]                          ; store
    str z4, [x12]                                       ; store
    str z5, [x12, #1, mul vl]                           ; store
    add x12, x12, #256                                  ; scalar
    b.lo .LBB0_2                                        ; scalar

## rvv128: 8 vector, 10 scalar, 8 load, 4 store
.LBB0_2:
    add a3, a0, a5                                      ; scalar
    add a4, a1, a5                                      ; scalar
    addi a5, a5, 64                                     ; scalar
    vle32.v v8, (a3)                                    ; load
    addi t2, a3, 16                                     ; scalar
    addi t3, a3, 32                                     ; scalar
    addi t4, a3, 48                                     ; scalar
    vle32.v v9, (a4)                                    ; load
    vle32.v v10, (t2)                                   ; load
    addi t2, a4, 16                                     ; scalar
    vle32.v v11, (t3)                                   ; load
    addi t3, a4, 32                                     ; scalar
    vle32.v v12, (t4)                                   ; load
    addi a3, a4, 48                                     ; scalar
    vle32.v v13, (t2)                                   ; load
    vle32.v v14, (t3)                                   ; load
    vle32.v v15, (a3)                                   ; load
    vfmul.vf v8, v8, fa0                                ; vector
    vfmul.vf v10, v10, fa0                              ; vector
    vfmul.vf v11, v11, fa0                              ; vector
    vfmul.vf v12, v12, fa0                              ; vector
    vfadd.vv v8, v8, v9                                 ; vector
    vfadd.vv v9, v10, v13                               ; vector
    vfadd.vv v10, v11, v14                              ; vector
    vfadd.vv v11, v12, v15                              ; vector
    vse32.v v8, (a4)                                    ; store
    vse32.v v9, (t2)                                    ; store
    vse32.v v10, (t3)                                   ; store
    vse32.v v11, (a3)                                   ; store
    bne a5, t1, .LBB0_2                                 ; scalar

## rvv256: 8 vector, 10 scalar, 8 load, 4 store
.LBB0_2:
    add a3, a0, a5                                      ; scalar
    add a4, a1, a5                                      ; scalar
    addi a5, a5, 128                                    ; scalar
    vle32.v v8, (a3)                                    ; load
    addi t2, a3, 32                                     ; scalar
    addi t3, a3, 64                                     ; scalar
    addi t4, a3, 96                                     ; scalar
    vle32.v v9, (a4)                                    ; load
    vle32.v v10, (t2)                                   ; load
    addi t2, a4, 32                                     ; scalar
    vle32.v v11, (t3)                                   ; load
    addi t3, a4, 64                                     ; scalar
    vle32.v v12, (t4)                                   ; load
    addi a3, a4, 96                                     ; scalar
    vle32.v v13, (t2)                                   ; load
    vle32.v v14, (t3)                                   ; load
    vle32.v v15, (a3)                                   ; load
    vfmul.vf v8, v8, fa0                                ; vector
    vfmul.vf v10, v10, fa0                              ; vector
    vfmul.vf v11, v11, fa0                              ; vector
    vfmul.vf v12, v12, fa0                              ; vector
    vfadd.vv v8, v8, v9                                 ; vector
    vfadd.vv v9, v10, v13                               ; vector
    vfadd.vv v10, v11, v14                              ; vector
    vfadd.vv v11, v12, v15                              ; vector
    vse32.v v8, (a4)                                    ; store
    vse32.v v9, (t2)                                    ; store
    vse32.v v10, (t3)                                   ; store
    vse32.v v11, (a3)                                   ; store
    bne a5, t1, .LBB0_2                                 ; scalar

## rvv512: 8 vector, 10 scalar, 8 load, 4 store
.LBB0_2:
    add a3, a0, a5                                      ; scalar
    add a4, a1, a5                                      ; scalar
    addi a5, a5, 256                                    ; scalar
    vle32.v v8, (a3)                                    ; load
    addi t2, a3, 64                                     ; scalar
    addi t3, a3, 128                                    ; scalar
    addi t4, a3, 192                                    ; scalar
    vle32.v v9, (a4)                                    ; load
    vle32.v v10, (t2)                                   ; load
    addi t2, a4, 64                                     ; scalar
    vle32.v v11, (t3)                                   ; load
    addi t3, a4, 128                                    ; scalar
    vle32.v v12, (t4)                                   ; load
    addi a3, a4, 192                                    ; scalar
    vle32.v v13, (t2)                                   ; load
    vle32.v v14, (t3)                                   ; load
    vle32.v v15, (a3)                                   ; load
    vfmul.vf v8, v8, fa0                                ; vector
    vfmul.vf v10, v10, fa0                              ; vector
    vfmul.vf v11, v11, fa0                              ; vector
    vfmul.vf v12, v12, fa0                              ; vector
    vfadd.vv v8, v8, v9                                 ; vector
    vfadd.vv v9, v10, v13                               ; vector
    vfadd.vv v10, v11, v14                              ; vector
    vfadd.vv v11, v12, v15                              ; vector
    vse32.v v8, (a4)                                    ; store
    vse32.v v9, (t2)                                    ; store
    vse32.v v10, (t3)                                   ; store
    vse32.v v11, (a3)                                   ; store
    bne a5, t1, .LBB0_2                                 ; scalar

## wasm: 8 vector, 12 scalar, 8 load, 4 store
    loop
    local.get 1
    local.get 4
    i32.add                                             ; scalar
    local.tee 11
    local.get 9
    local.get 0
    local.get 4
    i32.add                                             ; scalar
    local.tee 12
    v128.load 0:p2align=2                               ; load
    f32x4.mul                                           ; vector
    local.get 11
    v128.load 0:p2align=2                               ; load
    f32x4.add                                           ; vector
    v128.store 0:p2align=2                              ; store
    local.get 11
    i32.const 48
    i32.add                                             ; scalar
    local.tee 13
    local.get 9
    local.get 12
    i32.const 48
    i32.add                                             ; scalar
    v128.load 0:p2align=2                               ; load
    f32x4.mul                                           ; vector
    local.get 13
    v128.load 0:p2align=2                               ; load
    f32x4.add                                           ; vector
    v128.store 0:p2align=2                              ; store
    local.get 11
    i32.const 32
    i32.add                                             ; scalar
    local.tee 13
    local.get 9
    local.get 12
    i32.const 32
    i32.add                                             ; scalar
    v128.load 0:p2align=2                               ; load
    f32x4.mul                                           ; vector
    local.get 13
    v128.load 0:p2align=2                               ; load
    f32x4.add                                           ; vector
    v128.store 0:p2align=2                              ; store
    local.get 11
    i32.const 16
    i32.add                                             ; scalar
    local.tee 11
    local.get 9
    local.get 12
    i32.const 16
    i32.add                                             ; scalar
    v128.load 0:p2align=2                               ; load
    f32x4.mul                                           ; vector
    local.get 11
    v128.load 0:p2align=2                               ; load
    f32x4.add                                           ; vector
    v128.store 0:p2align=2                              ; store
    local.get 4
    i32.const 64
    i32.add                                             ; scalar
    local.set 4
    local.get 10
    i64.const 16
    i64.add                                             ; scalar
    local.tee 10
    local.get 8
    i64.lt_u                                            ; scalar
    br_if 0                                             ; scalar
    end_loop
