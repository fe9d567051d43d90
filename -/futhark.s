	.file	"kernels"
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI0_0:
	.long	0x40000000
	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	5, 0x0
.LCPI0_1:
	.long	0
	.long	1
	.long	2
	.long	3
	.long	4
	.long	5
	.long	6
	.long	7
	.text
	.globl	add_two
	.p2align	4
	.type	add_two,@function
add_two:
.Lfunc_begin0:
	.cfi_sections .debug_frame
	.cfi_startproc
	.file	1 "examples" "futhark.lane"
	.loc	1 5 13 prologue_end
	leal	7(%rdx), %eax
	testl	%edx, %edx
	cmovnsl	%edx, %eax
	movl	%eax, %r8d
	sarl	$31, %r8d
	andnl	%eax, %r8d, %r8d
	andl	$-8, %eax
	andl	$2147483616, %r8d
	.loc	1 5 13 is_stmt 0 discriminator 2
	je	.LBB0_3
	.loc	1 0 13
	xorl	%r9d, %r9d
	vbroadcastss	.LCPI0_0(%rip), %ymm0
	.p2align	4
.LBB0_2:
	.loc	1 5 23 is_stmt 1 discriminator 2
	vaddps	(%rdi,%r9,4), %ymm0, %ymm1
	vaddps	32(%rdi,%r9,4), %ymm0, %ymm2
	vaddps	64(%rdi,%r9,4), %ymm0, %ymm3
	vaddps	96(%rdi,%r9,4), %ymm0, %ymm4
	.loc	1 5 13 is_stmt 0 discriminator 2
	vmovups	%ymm1, (%rcx,%r9,4)
	vmovups	%ymm2, 32(%rcx,%r9,4)
	vmovups	%ymm3, 64(%rcx,%r9,4)
	vmovups	%ymm4, 96(%rcx,%r9,4)
	addq	$32, %r9
	cmpq	%r8, %r9
	jb	.LBB0_2
.LBB0_3:
	.loc	1 5 13 discriminator 4
	movslq	%eax, %r9
	cmpl	%r9d, %r8d
	jge	.LBB0_6
	.loc	1 0 13
	vbroadcastss	.LCPI0_0(%rip), %ymm0
	movq	%r8, %r10
	.p2align	4
.LBB0_5:
	.loc	1 5 23 is_stmt 1 discriminator 4
	vaddps	(%rdi,%r10,4), %ymm0, %ymm1
	.loc	1 5 13 is_stmt 0 discriminator 4
	vmovups	%ymm1, (%rcx,%r10,4)
	addq	$8, %r10
	cmpq	%r9, %r10
	jl	.LBB0_5
.LBB0_6:
	.loc	1 0 13
	movslq	%edx, %r10
	.loc	1 5 13
	cmpl	%edx, %eax
	jge	.LBB0_8
	.loc	1 0 13
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	.loc	1 5 13
	movq	%r10, %r11
	subq	%r9, %r11
	cmpq	$8, %r11
	movl	$8, %ebx
	cmovbq	%r11, %rbx
	vmovd	%ebx, %xmm0
	vpbroadcastd	%xmm0, %ymm0
	vpcmpgtd	.LCPI0_1(%rip), %ymm0, %ymm0
	vmaskmovps	(%rdi,%r9,4), %ymm0, %ymm1
	.loc	1 5 23
	vbroadcastss	.LCPI0_0(%rip), %ymm2
	vaddps	%ymm2, %ymm1, %ymm1
	.loc	1 5 13
	vmaskmovps	%ymm1, %ymm0, (%rcx,%r9,4)
	popq	%rbx
	.cfi_def_cfa_offset 8
	.cfi_restore %rbx
.LBB0_8:
	.loc	1 5 13 discriminator 2
	testq	%r8, %r8
	.loc	1 6 5 is_stmt 1 discriminator 6
	je	.LBB0_11
	.loc	1 0 5 is_stmt 0
	xorl	%edi, %edi
	.p2align	4
.LBB0_10:
	.loc	1 7 18 is_stmt 1 discriminator 6
	vmovups	(%rcx,%rdi,4), %ymm0
	vmovups	32(%rcx,%rdi,4), %ymm1
	vmovups	64(%rcx,%rdi,4), %ymm2
	vmovups	96(%rcx,%rdi,4), %ymm3
	.loc	1 7 9 is_stmt 0 discriminator 6
	vmovups	%ymm0, (%rsi,%rdi,4)
	vmovups	%ymm1, 32(%rsi,%rdi,4)
	vmovups	%ymm2, 64(%rsi,%rdi,4)
	vmovups	%ymm3, 96(%rsi,%rdi,4)
	.loc	1 6 5 is_stmt 1 discriminator 6
	addq	$32, %rdi
	cmpq	%r8, %rdi
	jb	.LBB0_10
.LBB0_11:
	.loc	1 5 13 discriminator 4
	cmpl	%eax, %r8d
	.loc	1 6 5 discriminator 8
	jge	.LBB0_13
	.loc	1 0 5 is_stmt 0
.Ltmp0:
	.p2align	4
.LBB0_12:
	.loc	1 7 18 is_stmt 1 discriminator 8
	vmovups	(%rcx,%r8,4), %ymm0
	.loc	1 7 9 is_stmt 0 discriminator 8
	vmovups	%ymm0, (%rsi,%r8,4)
	.loc	1 6 5 is_stmt 1 discriminator 8
	addq	$8, %r8
	cmpq	%r9, %r8
	jl	.LBB0_12
.LBB0_13:
	.loc	1 5 13
	cmpl	%edx, %eax
	.loc	1 6 5
	jge	.LBB0_15
	subq	%r9, %r10
	cmpq	$8, %r10
	movl	$8, %eax
	cmovbq	%r10, %rax
	vmovd	%eax, %xmm0
	vpbroadcastd	%xmm0, %ymm0
	vpcmpgtd	.LCPI0_1(%rip), %ymm0, %ymm0
	.loc	1 7 18
	vmaskmovps	(%rcx,%r9,4), %ymm0, %ymm1
	.loc	1 7 9 is_stmt 0
	vmaskmovps	%ymm1, %ymm0, (%rsi,%r9,4)
.LBB0_15:
	.loc	1 6 5 is_stmt 1
	vzeroupper
	retq
.Ltmp1:
.Lfunc_end0:
	.size	add_two, .Lfunc_end0-add_two
	.cfi_endproc

	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI1_0:
	.long	0x40000000
	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	5, 0x0
.LCPI1_1:
	.long	1
	.long	2
	.long	3
	.long	4
	.long	5
	.long	6
	.long	7
	.long	8
	.text
	.globl	add_two_to_all
	.p2align	4
	.type	add_two_to_all,@function
add_two_to_all:
.Lfunc_begin1:
	.cfi_startproc
	.loc	1 11 13 prologue_end discriminator 2
	testl	%edx, %edx
	jle	.LBB1_22
	.loc	1 0 13 is_stmt 0
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movslq	%ecx, %rbx
	leaq	(,%rbx,4), %rax
	leal	7(%rbx), %r10d
	testl	%ebx, %ebx
	movl	%ecx, -12(%rsp)
	cmovnsl	%ecx, %r10d
	movl	%r10d, %r9d
	sarl	$31, %r9d
	andnl	%r10d, %r9d, %r9d
	andl	$-8, %r10d
	andl	$2147483616, %r9d
	movslq	%r10d, %r11
	subq	%r11, %rbx
	cmpq	$8, %rbx
	movl	$8, %r14d
	cmovbq	%rbx, %r14
	movslq	%edx, %rcx
	vmovd	%r14d, %xmm0
	vpbroadcastd	%xmm0, %ymm0
	.loc	1 11 13 discriminator 4
	leaq	(%rdi,%r11,4), %rbx
	movq	%rbx, -8(%rsp)
	leaq	(%r8,%r11,4), %rbx
	leaq	96(%rdi), %r15
	leaq	96(%r8), %r12
	xorl	%r13d, %r13d
	vbroadcastss	.LCPI1_0(%rip), %ymm1
	vpmaxud	.LCPI1_1(%rip), %ymm0, %ymm2
	vpcmpeqd	%ymm2, %ymm0, %ymm0
	movq	%r8, %rbp
	jmp	.LBB1_2
	.loc	1 0 13
.Ltmp2:
	.p2align	4
.LBB1_10:
	.loc	1 11 13 discriminator 2
	incq	%r13
	addq	%rax, %r15
	addq	%rax, %r12
	addq	%rax, %rbp
	addq	%rax, %rdi
	cmpq	%rcx, %r13
	je	.LBB1_11
.LBB1_2:
	.loc	1 0 13
	testq	%r9, %r9
	.loc	1 11 13 discriminator 4
	je	.LBB1_5
	.loc	1 0 13
	xorl	%r14d, %r14d
	.p2align	4
.LBB1_4:
	.loc	1 11 33 is_stmt 1 discriminator 4
	vaddps	-96(%r15,%r14,4), %ymm1, %ymm2
	vaddps	-64(%r15,%r14,4), %ymm1, %ymm3
	vaddps	-32(%r15,%r14,4), %ymm1, %ymm4
	vaddps	(%r15,%r14,4), %ymm1, %ymm5
	.loc	1 11 13 is_stmt 0 discriminator 4
	vmovups	%ymm2, -96(%r12,%r14,4)
	vmovups	%ymm3, -64(%r12,%r14,4)
	vmovups	%ymm4, -32(%r12,%r14,4)
	vmovups	%ymm5, (%r12,%r14,4)
	addq	$32, %r14
	cmpq	%r9, %r14
	jb	.LBB1_4
.LBB1_5:
	.loc	1 0 13
	cmpl	%r10d, %r9d
	.loc	1 11 13 discriminator 6
	jge	.LBB1_8
	.loc	1 0 13
	movq	%r9, %r14
	.p2align	4
.LBB1_7:
	.loc	1 11 33 is_stmt 1 discriminator 6
	vaddps	(%rdi,%r14,4), %ymm1, %ymm2
	.loc	1 11 13 is_stmt 0 discriminator 6
	vmovups	%ymm2, (%rbp,%r14,4)
	addq	$8, %r14
	cmpq	%r11, %r14
	jl	.LBB1_7
.LBB1_8:
	.loc	1 0 13
	cmpl	-12(%rsp), %r10d
	.loc	1 11 13 discriminator 2
	jge	.LBB1_10
	movq	%r13, %r14
	imulq	%rax, %r14
	movq	%rbx, %rdx
	movq	-8(%rsp), %rbx
	vmaskmovps	(%rbx,%r14), %ymm0, %ymm2
	movq	%rdx, %rbx
	.loc	1 11 33 discriminator 2
	vaddps	%ymm1, %ymm2, %ymm2
	.loc	1 11 13 discriminator 2
	vmaskmovps	%ymm2, %ymm0, (%rdx,%r14)
	jmp	.LBB1_10
.LBB1_11:
	.loc	1 13 9 is_stmt 1 discriminator 10
	leaq	(%rsi,%r11,4), %rdi
	leaq	96(%r8), %r14
	leaq	96(%rsi), %r15
	xorl	%r12d, %r12d
	movl	-12(%rsp), %edx
	jmp	.LBB1_12
	.loc	1 0 9 is_stmt 0
.Ltmp3:
	.p2align	4
.LBB1_20:
	.loc	1 12 5 is_stmt 1 discriminator 8
	incq	%r12
	addq	%rax, %r14
	addq	%rax, %r15
	addq	%rax, %rsi
	addq	%rax, %r8
	cmpq	%rcx, %r12
	je	.LBB1_21
.LBB1_12:
	.loc	1 0 5 is_stmt 0
	testq	%r9, %r9
	.loc	1 13 9 is_stmt 1 discriminator 10
	je	.LBB1_15
	.loc	1 0 9 is_stmt 0
	xorl	%r13d, %r13d
	.p2align	4
.LBB1_14:
	.loc	1 14 25 is_stmt 1 discriminator 10
	vmovups	-96(%r14,%r13,4), %ymm1
	vmovdqu	-64(%r14,%r13,4), %ymm2
	vmovups	-32(%r14,%r13,4), %ymm3
	vmovups	(%r14,%r13,4), %ymm4
	.loc	1 14 13 is_stmt 0 discriminator 10
	vmovups	%ymm1, -96(%r15,%r13,4)
	vmovdqu	%ymm2, -64(%r15,%r13,4)
	vmovups	%ymm3, -32(%r15,%r13,4)
	vmovups	%ymm4, (%r15,%r13,4)
	.loc	1 13 9 is_stmt 1 discriminator 10
	addq	$32, %r13
	cmpq	%r9, %r13
	jb	.LBB1_14
.LBB1_15:
	.loc	1 0 9 is_stmt 0
	cmpl	%r10d, %r9d
	.loc	1 13 9 discriminator 12
	jge	.LBB1_18
	.loc	1 0 9
	movq	%r9, %r13
	.p2align	4
.LBB1_17:
	.loc	1 14 25 is_stmt 1 discriminator 12
	vmovups	(%r8,%r13,4), %ymm1
	.loc	1 14 13 is_stmt 0 discriminator 12
	vmovups	%ymm1, (%rsi,%r13,4)
	.loc	1 13 9 is_stmt 1 discriminator 12
	addq	$8, %r13
	cmpq	%r11, %r13
	jl	.LBB1_17
.LBB1_18:
	.loc	1 0 9 is_stmt 0
	cmpl	%edx, %r10d
	.loc	1 13 9 discriminator 8
	jge	.LBB1_20
	.loc	1 14 25 is_stmt 1 discriminator 8
	movq	%r12, %r13
	imulq	%rax, %r13
	vmaskmovps	(%rbx,%r13), %ymm0, %ymm1
	.loc	1 14 13 is_stmt 0 discriminator 8
	vmaskmovps	%ymm1, %ymm0, (%rdi,%r13)
	jmp	.LBB1_20
.LBB1_21:
	.loc	1 0 13
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	.cfi_restore %rbx
	.cfi_restore %r12
	.cfi_restore %r13
	.cfi_restore %r14
	.cfi_restore %r15
	.cfi_restore %rbp
.LBB1_22:
	.loc	1 12 5 is_stmt 1
	vzeroupper
	retq
.Ltmp4:
.Lfunc_end1:
	.size	add_two_to_all, .Lfunc_end1-add_two_to_all
	.cfi_endproc

	.section	.debug_abbrev,"",@progbits
	.byte	1
	.byte	17
	.byte	1
	.byte	37
	.byte	14
	.byte	19
	.byte	5
	.byte	3
	.byte	14
	.byte	16
	.byte	23
	.byte	17
	.byte	1
	.byte	18
	.byte	6
	.byte	0
	.byte	0
	.byte	2
	.byte	46
	.byte	0
	.byte	17
	.byte	1
	.byte	18
	.byte	6
	.byte	3
	.byte	14
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_info,"",@progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0
.Ldebug_info_start0:
	.short	4
	.long	.debug_abbrev
	.byte	8
	.byte	1
	.long	.Linfo_string0
	.short	2
	.long	.Linfo_string1
	.long	.Lline_table_start0
	.quad	.Lfunc_begin0
	.long	.Lfunc_end1-.Lfunc_begin0
	.byte	2
	.quad	.Lfunc_begin0
	.long	.Lfunc_end0-.Lfunc_begin0
	.long	.Linfo_string2
	.byte	1
	.byte	4
	.byte	2
	.quad	.Lfunc_begin1
	.long	.Lfunc_end1-.Lfunc_begin1
	.long	.Linfo_string3
	.byte	1
	.byte	10
	.byte	0
.Ldebug_info_end0:
	.section	.debug_str,"MS",@progbits,1
.Linfo_string0:
	.asciz	"lanescope"
.Linfo_string1:
	.asciz	"examples/futhark.lane"
.Linfo_string2:
	.asciz	"add_two"
.Linfo_string3:
	.asciz	"add_two_to_all"
	.section	".note.GNU-stack","",@progbits
	.section	.debug_line,"",@progbits
.Lline_table_start0:
