	.text
	.file	"a.lane"
	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	5, 0x0
.LCPI0_0:
	.long	0
	.long	1
	.long	2
	.long	3
	.long	4
	.long	5
	.long	6
	.long	7
	.text
	.globl	scale
	.type	scale,@function
scale:
.Lfunc_begin0:
	.loc	1 3 5
	leal	7(%rdx), %ecx
	testl	%edx, %edx
	cmovnsl	%edx, %ecx
	andl	$-8, %ecx
	jle	.LBB0_3
	vbroadcastss	%xmm0, %ymm1
	xorl	%eax, %eax
.LBB0_2:
.Ltmp0:
	.loc	1 4 29 discriminator 4
	vmulps	(%rdi,%rax,4), %ymm1, %ymm2
	.loc	1 4 16 discriminator 4
	vmovups	%ymm2, (%rsi,%rax,4)
	.loc	1 3 5 discriminator 4
	addq	$8, %rax
	cmpq	%rcx, %rax
	jl	.LBB0_2
.LBB0_3:
	cmpl	%edx, %ecx
	jge	.LBB0_5
	vmovd	%edx, %xmm2
	vpbroadcastd	%xmm2, %ymm2
	vpcmpgtd	.LCPI0_0(%rip), %ymm2, %ymm2
	.loc	1 4 18
	vmaskmovps	(%rdi,%rcx,4), %ymm2, %ymm3
	.loc	1 4 29
	vmulps	%ymm1, %ymm3, %ymm3
	.loc	1 4 16
	vmaskmovps	%ymm3, %ymm2, (%rsi,%rcx,4)
.LBB0_5:
	.loc	1 2 1
	vzeroupper
	retq
.Lfunc_end0:
	.size	scale, .Lfunc_end0-scale
