## scalar: 6 vector, 35 scalar
.LBB0_7:
    subss %xmm9, %xmm8                                  ; scalar
    addss %xmm5, %xmm8                                  ; scalar
    addss %xmm7, %xmm7                                  ; scalar
    mulss %xmm7, %xmm6                                  ; scalar
    addss %xmm4, %xmm6                                  ; scalar
    incl %r15d                                          ; scalar
    movb $1, %r13b                                      ; scalar
    movaps %xmm8, %xmm7                                 ; vector
    movl %ebp, %r12d                                    ; scalar
.LBB0_11:
    movaps %xmm7, %xmm8                                 ; vector
    mulss %xmm7, %xmm8                                  ; scalar
    movaps %xmm6, %xmm9                                 ; vector
    mulss %xmm6, %xmm9                                  ; scalar
    addss %xmm8, %xmm9                                  ; scalar
    xorl %r8d, %r8d                                     ; scalar
    ucomiss %xmm9, %xmm3                                ; scalar
    setae %r8b                                          ; scalar
    cmpl %ecx, %ebp                                     ; scalar
    cmovgel %r10d, %r8d                                 ; scalar
    andb %r13b, %r8b                                    ; scalar
    incl %ebp                                           ; scalar
    movl %r8d, %r13d                                    ; scalar
    testb %r8b, %r8b                                    ; scalar
    je .LBB0_12                                         ; scalar
.LBB0_6:
    movaps %xmm7, %xmm8                                 ; vector
    mulss %xmm7, %xmm8                                  ; scalar
    movaps %xmm6, %xmm9                                 ; vector
    mulss %xmm6, %xmm9                                  ; scalar
    testb $1, %r13b                                     ; scalar
    jne .LBB0_7                                         ; scalar
    incl %r15d                                          ; scalar
    testb $1, %r13b                                     ; scalar
    je .LBB0_10                                         ; scalar
    subss %xmm9, %xmm8                                  ; scalar
    addss %xmm5, %xmm8                                  ; scalar
    addss %xmm7, %xmm7                                  ; scalar
    mulss %xmm7, %xmm6                                  ; scalar
    addss %xmm4, %xmm6                                  ; scalar
    movaps %xmm8, %xmm7                                 ; vector
.LBB0_10:
    cmovnel %ebp, %r12d                                 ; scalar
    jmp .LBB0_11                                        ; scalar

## sse4: 35 vector, 12 scalar, 2 shuffle
.LBB0_16:
    pand %xmm0, %xmm12                                  ; vector
    movdqa %xmm12, %xmm0                                ; vector
    pslld $31, %xmm0                                    ; vector
    movmskps %xmm0, %ebx                                ; vector
    incl %r13d                                          ; scalar
    testl %ebx, %ebx                                    ; scalar
    je .LBB0_17                                         ; scalar
.LBB0_11:
    movdqa %xmm12, %xmm0                                ; vector
    pxor %xmm11, %xmm0                                  ; vector
    pslld $31, %xmm0                                    ; vector
    movmskps %xmm0, %ebx                                ; vector
    movaps %xmm3, %xmm9                                 ; vector
    mulps %xmm3, %xmm9                                  ; vector
    movaps %xmm1, %xmm0                                 ; vector
    mulps %xmm1, %xmm0                                  ; vector
    movd %r13d, %xmm8                                   ; scalar
    subps %xmm0, %xmm9                                  ; vector
    addps %xmm7, %xmm9                                  ; vector
    testl %ebx, %ebx                                    ; scalar
    je .LBB0_12                                         ; scalar
    movaps %xmm3, %xmm2                                 ; vector
    addps %xmm3, %xmm2                                  ; vector
    mulps %xmm1, %xmm2                                  ; vector
    addps %xmm14, %xmm2                                 ; vector
    movdqa %xmm12, %xmm0                                ; vector
    pslld $31, %xmm0                                    ; vector
    blendvps %xmm0, %xmm9, %xmm3                        ; vector
    incl %ebp                                           ; scalar
    blendvps %xmm0, %xmm2, %xmm1                        ; vector
    pshufd $0, %xmm8, %xmm2                             ; shuffle
    blendvps %xmm0, %xmm2, %xmm10                       ; vector
    jmp .LBB0_14                                        ; scalar
.LBB0_12:
    addps %xmm3, %xmm3                                  ; vector
    mulps %xmm3, %xmm1                                  ; vector
    addps %xmm14, %xmm1                                 ; vector
    incl %ebp                                           ; scalar
    pshufd $0, %xmm8, %xmm10                            ; shuffle
    movdqa %xmm6, %xmm12                                ; vector
    movaps %xmm9, %xmm3                                 ; vector
.LBB0_14:
    movaps %xmm3, %xmm2                                 ; vector
    mulps %xmm3, %xmm2                                  ; vector
    movaps %xmm1, %xmm0                                 ; vector
    mulps %xmm1, %xmm0                                  ; vector
    addps %xmm2, %xmm0                                  ; vector
    cmpleps %xmm13, %xmm0                               ; vector
    cmpl %ecx, %r13d                                    ; scalar
    jl .LBB0_16                                         ; scalar
    xorps %xmm0, %xmm0                                  ; vector
    jmp .LBB0_16                                        ; scalar

## avx2: 27 vector, 13 scalar, 2 shuffle, 2 broadcast
.LBB0_9:
    vaddps %ymm1, %ymm1, %ymm1                          ; vector
    vaddps %ymm6, %ymm14, %ymm6                         ; vector
    vmulps %ymm1, %ymm15, %ymm1                         ; vector
    vaddps %ymm1, %ymm13, %ymm15                        ; vector
    incl %ebp                                           ; scalar
    vpbroadcastd %xmm4, %ymm12                          ; broadcast
    incl %r15d                                          ; scalar
    vmovdqa %xmm2, %xmm8                                ; vector
    vmovaps %ymm6, %ymm1                                ; vector
.LBB0_5:
    leal -1(%r15), %r12d                                ; scalar
    vpxor %xmm4, %xmm4, %xmm4                           ; vector
    vmulps %ymm1, %ymm1, %ymm6                          ; vector
    vmulps %ymm15, %ymm15, %ymm11                       ; vector
    cmpl %ecx, %r12d                                    ; scalar
    jge .LBB0_7                                         ; scalar
    vaddps %ymm6, %ymm11, %ymm4                         ; vector
    vcmpleps %ymm9, %ymm4, %ymm4                        ; vector
    vextractf128 $1, %ymm4, %xmm7                       ; shuffle
    vpackssdw %xmm7, %xmm4, %xmm4                       ; shuffle
.LBB0_7:
    vpand %xmm4, %xmm8, %xmm8                           ; vector
    vpsllw $15, %xmm8, %xmm4                            ; vector
    vpmovmskb %xmm4, %r12d                              ; vector
    testl $43690, %r12d                                 ; scalar
    je .LBB0_11                                         ; scalar
    vpxor %xmm10, %xmm8, %xmm4                          ; vector
    vpsllw $15, %xmm4, %xmm4                            ; vector
    vpmovmskb %xmm4, %r12d                              ; vector
    vmovd %r15d, %xmm4                                  ; scalar
    vsubps %ymm11, %ymm6, %ymm6                         ; vector
    testl $43690, %r12d                                 ; scalar
    je .LBB0_9                                          ; scalar
    vaddps %ymm6, %ymm14, %ymm6                         ; vector
    vaddps %ymm1, %ymm1, %ymm7                          ; vector
    vmulps %ymm7, %ymm15, %ymm7                         ; vector
    vaddps %ymm7, %ymm13, %ymm7                         ; vector
    incl %ebp                                           ; scalar
    vpmovzxwd %xmm8, %ymm11                             ; vector
    vpslld $31, %ymm11, %ymm11                          ; vector
    vblendvps %ymm11, %ymm6, %ymm1, %ymm1               ; vector
    vblendvps %ymm11, %ymm7, %ymm15, %ymm15             ; vector
    vpbroadcastd %xmm4, %ymm4                           ; broadcast
    vblendvps %ymm11, %ymm4, %ymm12, %ymm12             ; vector
    incl %r15d                                          ; scalar
    jmp .LBB0_5                                         ; scalar

## avx512: 22 vector, 9 scalar, 2 broadcast
.LBB0_14:
    kandw %k4, %k3, %k3                                 ; vector
    incl %r13d                                          ; scalar
    kortestw %k3, %k3                                   ; vector
    je .LBB0_15                                         ; scalar
.LBB0_9:
    kortestw %k3, %k3                                   ; vector
    vmulps %zmm13, %zmm13, %zmm14                       ; vector
    vmulps %zmm12, %zmm12, %zmm15                       ; vector
    jb .LBB0_10                                         ; scalar
    vsubps %zmm15, %zmm14, %zmm14                       ; vector
    vaddps %zmm13, %zmm13, %zmm15                       ; vector
    vmulps %zmm12, %zmm15, %zmm15                       ; vector
    incl %ebp                                           ; scalar
    vaddps %zmm10, %zmm14, %zmm13 {%k3}                 ; vector
    vaddps %zmm9, %zmm15, %zmm12 {%k3}                  ; vector
    vpbroadcastd %r13d, %zmm11 {%k3}                    ; broadcast
    jmp .LBB0_12                                        ; scalar
.LBB0_10:
    vsubps %zmm15, %zmm14, %zmm11                       ; vector
    vaddps %zmm13, %zmm13, %zmm13                       ; vector
    vaddps %zmm10, %zmm11, %zmm14                       ; vector
    vmulps %zmm12, %zmm13, %zmm11                       ; vector
    vaddps %zmm9, %zmm11, %zmm12                        ; vector
    incl %ebp                                           ; scalar
    vpbroadcastd %r13d, %zmm11                          ; broadcast
    kxnorw %k0, %k0, %k3                                ; vector
    vmovaps %zmm14, %zmm13                              ; vector
.LBB0_12:
    vmulps %zmm13, %zmm13, %zmm14                       ; vector
    vmulps %zmm12, %zmm12, %zmm15                       ; vector
    vaddps %zmm15, %zmm14, %zmm14                       ; vector
    vcmpleps %zmm7, %zmm14, %k4                         ; vector
    cmpl %ecx, %r13d                                    ; scalar
    jl .LBB0_14                                         ; scalar
    kxorw %k0, %k0, %k4                                 ; vector
    jmp .LBB0_14                                        ; scalar

## neon: 32 vector, 7 scalar, 2 broadcast
.LBB0_9:
    ushll v30.4s, v23.4h, #0                            ; vector
    shl v30.4s, v30.4s, #31                             ; vector
    cmlt v30.4s, v30.4s, #0                             ; vector
    bif v25.16b, v29.16b, v30.16b                       ; vector
    bif v26.16b, v28.16b, v30.16b                       ; vector
    bif v24.16b, v27.16b, v30.16b                       ; vector
.LBB0_10:
    fmul v27.4s, v25.4s, v25.4s                         ; vector
    fmul v28.4s, v26.4s, v26.4s                         ; vector
    mov v29.16b, v25.16b                                ; vector
    fadd v27.4s, v27.4s, v28.4s                         ; vector
    fmov s28, w18                                       ; scalar
    add w18, w18, #1                                    ; scalar
    cmgt v28.2s, v19.2s, v28.2s                         ; vector
    fcmge v27.4s, v17.4s, v27.4s                        ; vector
    dup v28.2s, v28.s[0]                                ; broadcast
    xtn v27.4h, v27.4s                                  ; vector
    and v23.8b, v23.8b, v28.8b                          ; vector
    mov v28.16b, v26.16b                                ; vector
    and v23.8b, v23.8b, v27.8b                          ; vector
    shl v27.4h, v23.4h, #15                             ; vector
    cmlt v27.4h, v27.4h, #0                             ; vector
    umaxv h27, v27.4h                                   ; vector
    fmov w1, s27                                        ; scalar
    mov v27.16b, v24.16b                                ; vector
    tbz w1, #0, .LBB0_6                                 ; scalar
.LBB0_11:
    mvn v24.8b, v23.8b                                  ; vector
    fmul v25.4s, v29.4s, v29.4s                         ; vector
    fmul v26.4s, v28.4s, v28.4s                         ; vector
    fadd v30.4s, v29.4s, v29.4s                         ; vector
    shl v24.4h, v24.4h, #15                             ; vector
    fsub v25.4s, v25.4s, v26.4s                         ; vector
    fmul v26.4s, v30.4s, v28.4s                         ; vector
    cmlt v24.4h, v24.4h, #0                             ; vector
    fadd v25.4s, v25.4s, v22.4s                         ; vector
    umaxv h30, v24.4h                                   ; vector
    fadd v26.4s, v26.4s, v21.4s                         ; vector
    dup v24.4s, w18                                     ; broadcast
    fmov w1, s30                                        ; scalar
    tbnz w1, #0, .LBB0_9                                ; scalar
    movi v23.4h, #1                                     ; vector
    b .LBB0_10                                          ; scalar

## sve128: 32 vector, 7 scalar, 2 broadcast
.LBB0_11:
    ushll v30.4s, v23.4h, #0                            ; vector
    shl v30.4s, v30.4s, #31                             ; vector
    cmlt v30.4s, v30.4s, #0                             ; vector
    bif v25.16b, v29.16b, v30.16b                       ; vector
    bif v26.16b, v28.16b, v30.16b                       ; vector
    bif v24.16b, v27.16b, v30.16b                       ; vector
.LBB0_12:
    fmul v27.4s, v25.4s, v25.4s                         ; vector
    fmul v28.4s, v26.4s, v26.4s                         ; vector
    mov v29.16b, v25.16b                                ; vector
    fadd v27.4s, v27.4s, v28.4s                         ; vector
    fmov s28, w17                                       ; scalar
    add w17, w17, #1                                    ; scalar
    cmgt v28.2s, v19.2s, v28.2s                         ; vector
    fcmge v27.4s, v17.4s, v27.4s                        ; vector
    dup v28.2s, v28.s[0]                                ; broadcast
    xtn v27.4h, v27.4s                                  ; vector
    and v23.8b, v23.8b, v28.8b                          ; vector
    mov v28.16b, v26.16b                                ; vector
    and v23.8b, v23.8b, v27.8b                          ; vector
    shl v27.4h, v23.4h, #15                             ; vector
    cmlt v27.4h, v27.4h, #0                             ; vector
    umaxv h27, v27.4h                                   ; vector
    fmov w18, s27                                       ; scalar
    mov v27.16b, v24.16b                                ; vector
    tbz w18, #0, .LBB0_8                                ; scalar
.LBB0_13:
    mvn v24.8b, v23.8b                                  ; vector
    fmul v25.4s, v29.4s, v29.4s                         ; vector
    fmul v26.4s, v28.4s, v28.4s                         ; vector
    fadd v30.4s, v29.4s, v29.4s                         ; vector
    shl v24.4h, v24.4h, #15                             ; vector
    fsub v25.4s, v25.4s, v26.4s                         ; vector
    fmul v26.4s, v30.4s, v28.4s                         ; vector
    cmlt v24.4h, v24.4h, #0                             ; vector
    fadd v25.4s, v25.4s, v22.4s                         ; vector
    umaxv h30, v24.4h                                   ; vector
    fadd v26.4s, v26.4s, v21.4s                         ; vector
    dup v24.4s, w17                                     ; broadcast
    fmov w18, s30                                       ; scalar
    tbnz w18, #0, .LBB0_11                              ; scalar
    movi v23.4h, #1                                     ; vector
    b .LBB0_12                                          ; scalar

## sve256: 35 vector, 7 scalar, 2 shuffle, 2 broadcast
.LBB0_10:
    uunpklo z30.h, z24.b                                ; vector
    uunpklo z30.s, z30.h                                ; vector
    lsl z30.s, z30.s, #31                               ; vector
    asr z30.s, z30.s, #31                               ; vector
    and z30.s, z30.s, #0x1                              ; vector
    cmpne p1.s, p0/z, z30.s, #0                         ; vector
    sel z25.s, p1, z25.s, z28.s                         ; vector
    sel z26.s, p1, z26.s, z27.s                         ; vector
    mov z23.s, p1/m, z29.s                              ; vector
.LBB0_11:
    fmul z27.s, z25.s, z25.s                            ; vector
    fmul z28.s, z26.s, z26.s                            ; vector
    fadd z27.s, z27.s, z28.s                            ; vector
    fcmge p1.s, p0/z, z17.s, z27.s                      ; vector
    fmov s27, w17                                       ; scalar
    add w17, w17, #1                                    ; scalar
    cmgt v27.2s, v18.2s, v27.2s                         ; vector
    mov z28.s, p1/z, #-1                                ; vector
    dup v27.2s, v27.s[0]                                ; broadcast
    uzp1 z28.h, z28.h, z28.h                            ; shuffle
    uzp1 z28.b, z28.b, z28.b                            ; shuffle
    and v24.8b, v24.8b, v27.8b                          ; vector
    and v24.8b, v24.8b, v28.8b                          ; vector
    mov z28.d, z25.d                                    ; vector
    shl v27.8b, v24.8b, #7                              ; vector
    cmlt v27.8b, v27.8b, #0                             ; vector
    umaxv b27, v27.8b                                   ; vector
    fmov w18, s27                                       ; scalar
    mov z27.d, z26.d                                    ; vector
    tbz w18, #0, .LBB0_7                                ; scalar
.LBB0_12:
    mvn v25.8b, v24.8b                                  ; vector
    fmul z26.s, z28.s, z28.s                            ; vector
    fmul z29.s, z27.s, z27.s                            ; vector
    fadd z30.s, z28.s, z28.s                            ; vector
    shl v25.8b, v25.8b, #7                              ; vector
    fsub z26.s, z26.s, z29.s                            ; vector
    fmul z29.s, z30.s, z27.s                            ; vector
    cmlt v25.8b, v25.8b, #0                             ; vector
    umaxv b30, v25.8b                                   ; vector
    fadd z25.s, z26.s, z22.s                            ; vector
    fadd z26.s, z29.s, z21.s                            ; vector
    mov z29.s, w17                                      ; broadcast
    fmov w18, s30                                       ; scalar
    tbnz w18, #0, .LBB0_10                              ; scalar
    movi v24.8b, #1                                     ; vector
    mov z23.d, z29.d                                    ; vector
    b .LBB0_11                                          ; scalar

## sve512: 35 vector, 7 scalar, 2 shuffle, 2 broadcast
.LBB0_10:
    uunpklo z30.h, z24.b                                ; vector
    uunpklo z30.s, z30.h                                ; vector
    lsl z30.s, z30.s, #31                               ; vector
    asr z30.s, z30.s, #31                               ; vector
    and z30.s, z30.s, #0x1                              ; vector
    cmpne p1.s, p0/z, z30.s, #0                         ; vector
    sel z25.s, p1, z25.s, z28.s                         ; vector
    sel z26.s, p1, z26.s, z27.s                         ; vector
    mov z23.s, p1/m, z29.s                              ; vector
.LBB0_11:
    fmul z27.s, z25.s, z25.s                            ; vector
    fmul z28.s, z26.s, z26.s                            ; vector
    fadd z27.s, z27.s, z28.s                            ; vector
    fcmge p1.s, p0/z, z17.s, z27.s                      ; vector
    fmov s27, w17                                       ; scalar
    add w17, w17, #1                                    ; scalar
    cmgt v27.4s, v18.4s, v27.4s                         ; vector
    mov z28.s, p1/z, #-1                                ; vector
    dup v27.4s, v27.s[0]                                ; broadcast
    uzp1 z28.h, z28.h, z28.h                            ; shuffle
    and v24.16b, v24.16b, v27.16b                       ; vector
    uzp1 z28.b, z28.b, z28.b                            ; shuffle
    and v24.16b, v24.16b, v28.16b                       ; vector
    mov z28.d, z25.d                                    ; vector
    shl v27.16b, v24.16b, #7                            ; vector
    cmlt v27.16b, v27.16b, #0                           ; vector
    umaxv b27, v27.16b                                  ; vector
    fmov w18, s27                                       ; scalar
    mov z27.d, z26.d                                    ; vector
    tbz w18, #0, .LBB0_7                                ; scalar
.LBB0_12:
    mvn v25.16b, v24.16b                                ; vector
    fmul z26.s, z28.s, z28.s                            ; vector
    fmul z29.s, z27.s, z27.s                            ; vector
    fadd z30.s, z28.s, z28.s                            ; vector
    shl v25.16b, v25.16b, #7                            ; vector
    fsub z26.s, z26.s, z29.s                            ; vector
    fmul z29.s, z30.s, z27.s                            ; vector
    cmlt v25.16b, v25.16b, #0                           ; vector
    umaxv b30, v25.16b                                  ; vector
    fadd z25.s, z26.s, z22.s                            ; vector
    fadd z26.s, z29.s, z21.s                            ; vector
    mov z29.s, w17                                      ; broadcast
    fmov w18, s30                                       ; scalar
    tbnz w18, #0, .LBB0_10                              ; scalar
    movi v24.16b, #1                                    ; vector
    mov z23.d, z29.d                                    ; vector
    b .LBB0_11                                          ; scalar

## rvv128: 21 vector, 17 scalar, 2 broadcast
.LBB0_10:
    vsetvli zero, zero, e32, m1, ta, ma                 ; scalar
    vfsub.vv v15, v17, v18                              ; vector
    vfadd.vv v16, v16, v16                              ; vector
    vfadd.vv v17, v15, v13                              ; vector
    vfmul.vv v14, v16, v14                              ; vector
    vfadd.vf v14, v14, fa4                              ; vector
    vmv.v.x v15, a2                                     ; broadcast
    mv a2, a5                                           ; scalar
    vmv1r.v v0, v10                                     ; vector
    vmv.v.v v16, v17                                    ; vector
.LBB0_11:
    addiw a5, a2, -1                                    ; scalar
    vsetvli zero, zero, e32, m1, ta, ma                 ; scalar
    vfmul.vv v17, v16, v16                              ; vector
    vfmul.vv v18, v14, v14                              ; vector
    slt a5, a5, a3                                      ; scalar
    vfadd.vv v19, v17, v18                              ; vector
    vmfle.vf v19, v19, fa5                              ; vector
    vsetvli zero, zero, e8, mf4, ta, ma                 ; scalar
    vmv.v.x v20, a5                                     ; broadcast
    vmsne.vi v20, v20, 0                                ; vector
    vmand.mm v19, v19, v20                              ; vector
    vmand.mm v0, v0, v19                                ; vector
    vmv.x.s a5, v0                                      ; scalar
    andi a5, a5, 15                                     ; scalar
    beqz a5, .LBB0_8                                    ; scalar
    vmnot.m v19, v0                                     ; vector
    vmv.x.s a5, v19                                     ; scalar
    andi s0, a5, 15                                     ; scalar
    addi a1, a1, 1                                      ; scalar
    addi a5, a2, 1                                      ; scalar
    beqz s0, .LBB0_10                                   ; scalar
    vsetvli zero, zero, e32, m1, ta, mu                 ; scalar
    vfsub.vv v17, v17, v18                              ; vector
    vfadd.vv v18, v16, v16                              ; vector
    vfmul.vv v18, v18, v14                              ; vector
    vfadd.vv v16, v17, v13, v0.t                        ; vector
    vfadd.vf v14, v18, fa4, v0.t                        ; vector
    vmerge.vxm v15, v15, a2, v0                         ; vector
    mv a2, a5                                           ; scalar
    j .LBB0_11                                          ; scalar

## rvv256: 21 vector, 17 scalar, 2 broadcast
.LBB0_10:
    vsetvli zero, zero, e32, m1, ta, ma                 ; scalar
    vfsub.vv v15, v17, v18                              ; vector
    vfadd.vv v16, v16, v16                              ; vector
    vfadd.vv v17, v15, v13                              ; vector
    vfmul.vv v14, v16, v14                              ; vector
    vfadd.vf v14, v14, fa4                              ; vector
    vmv.v.x v15, a2                                     ; broadcast
    mv a2, a5                                           ; scalar
    vmv1r.v v0, v10                                     ; vector
    vmv.v.v v16, v17                                    ; vector
.LBB0_11:
    addiw a5, a2, -1                                    ; scalar
    vsetvli zero, zero, e32, m1, ta, ma                 ; scalar
    vfmul.vv v17, v16, v16                              ; vector
    vfmul.vv v18, v14, v14                              ; vector
    slt a5, a5, a3                                      ; scalar
    vfadd.vv v19, v17, v18                              ; vector
    vmfle.vf v19, v19, fa5                              ; vector
    vsetvli zero, zero, e8, mf4, ta, ma                 ; scalar
    vmv.v.x v20, a5                                     ; broadcast
    vmsne.vi v20, v20, 0                                ; vector
    vmand.mm v19, v19, v20                              ; vector
    vmand.mm v0, v0, v19                                ; vector
    vmv.x.s a5, v0                                      ; scalar
    zext.b a5, a5                                       ; scalar
    beqz a5, .LBB0_8                                    ; scalar
    vmnot.m v19, v0                                     ; vector
    vmv.x.s a5, v19                                     ; scalar
    zext.b s0, a5                                       ; scalar
    addi a1, a1, 1                                      ; scalar
    addi a5, a2, 1                                      ; scalar
    beqz s0, .LBB0_10                                   ; scalar
    vsetvli zero, zero, e32, m1, ta, mu                 ; scalar
    vfsub.vv v17, v17, v18                              ; vector
    vfadd.vv v18, v16, v16                              ; vector
    vfmul.vv v18, v18, v14                              ; vector
    vfadd.vv v16, v17, v13, v0.t                        ; vector
    vfadd.vf v14, v18, fa4, v0.t                        ; vector
    vmerge.vxm v15, v15, a2, v0                         ; vector
    mv a2, a5                                           ; scalar
    j .LBB0_11                                          ; scalar

## rvv512: 21 vector, 18 scalar, 2 broadcast
.LBB0_10:
    vsetvli zero, zero, e32, m1, ta, ma                 ; scalar
    vfsub.vv v15, v17, v18                              ; vector
    vfadd.vv v16, v16, v16                              ; vector
    vfadd.vv v17, v15, v13                              ; vector
    vfmul.vv v14, v16, v14                              ; vector
    vfadd.vf v14, v14, fa4                              ; vector
    vmv.v.x v15, a2                                     ; broadcast
    mv a2, a5                                           ; scalar
    vmv1r.v v0, v10                                     ; vector
    vmv.v.v v16, v17                                    ; vector
.LBB0_11:
    addiw a5, a2, -1                                    ; scalar
    vsetvli zero, zero, e32, m1, ta, ma                 ; scalar
    vfmul.vv v17, v16, v16                              ; vector
    vfmul.vv v18, v14, v14                              ; vector
    slt a5, a5, a3                                      ; scalar
    vfadd.vv v19, v17, v18                              ; vector
    vmfle.vf v19, v19, fa5                              ; vector
    vsetvli zero, zero, e8, mf4, ta, ma                 ; scalar
    vmv.v.x v20, a5                                     ; broadcast
    vmsne.vi v20, v20, 0                                ; vector
    vmand.mm v19, v19, v20                              ; vector
    vmand.mm v0, v0, v19                                ; vector
    vsetvli zero, zero, e16, mf2, ta, ma                ; scalar
    vmv.x.s a5, v0                                      ; scalar
    slli a5, a5, 48                                     ; scalar
    beqz a5, .LBB0_8                                    ; scalar
    vmnot.m v19, v0                                     ; vector
    vmv.x.s a5, v19                                     ; scalar
    slli s0, a5, 48                                     ; scalar
    addi a1, a1, 1                                      ; scalar
    addi a5, a2, 1                                      ; scalar
    beqz s0, .LBB0_10                                   ; scalar
    vsetvli zero, zero, e32, m1, ta, mu                 ; scalar
    vfsub.vv v17, v17, v18                              ; vector
    vfadd.vv v18, v16, v16                              ; vector
    vfmul.vv v18, v18, v14                              ; vector
    vfadd.vv v16, v17, v13, v0.t                        ; vector
    vfadd.vf v14, v18, fa4, v0.t                        ; vector
    vmerge.vxm v15, v15, a2, v0                         ; vector
    mv a2, a5                                           ; scalar
    j .LBB0_11                                          ; scalar
