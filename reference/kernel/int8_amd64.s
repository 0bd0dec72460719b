//go:build amd64

#include "textflag.h"

// Dot products of int8s in groups, 32 numbers at a time. The whole-number sums of a group stay in eight lanes; they are
// multiplied by the product of the group's scales and added to eight lanes of float32, which meet at the end of the row.
//
//	SI, DI    the numbers of a and b;    R8, R9   their scales
//	CX        groups that are left;      DX       blocks of 32 that are left of the group, R10 of each

#define ARGUMENTS \
	MOVQ a+0(FP), SI; \
	MOVQ b+8(FP), DI; \
	MOVQ scaleA+16(FP), R8; \
	MOVQ scaleB+24(FP), R9; \
	MOVQ groups+32(FP), CX; \
	MOVQ blocks+40(FP), R10; \
	VXORPS Y0, Y0, Y0

// SCALED adds the whole-number sums Y1 of a group to Y0, and goes on to the next one.
#define SCALED \
	VCVTDQ2PS Y1, Y1; \
	VMOVSS (R8), X6; \
	VMULSS (R9), X6, X6; \
	VBROADCASTSS X6, Y6; \
	VFMADD231PS Y6, Y1, Y0; \
	ADDQ $4, R8; \
	ADDQ $4, R9; \
	DECQ CX

// TOTAL leaves the sum of the eight lanes of Y0 in X0.
#define TOTAL \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS X1, X0, X0; \
	VHADDPS X0, X0, X0; \
	VHADDPS X0, X0, X0

// func dotGroups256(a, b *int8, scaleA, scaleB *float32, groups, blocks int) float32
//
// int8s become int16s, of which pairs of products are added in int32s.
TEXT ·dotGroups256(SB), NOSPLIT, $0-52
	ARGUMENTS

group:
	VPXOR Y1, Y1, Y1
	MOVQ R10, DX

next:
	VPMOVSXBW (SI), Y2
	VPMOVSXBW 16(SI), Y3
	VPMOVSXBW (DI), Y4
	VPMOVSXBW 16(DI), Y5
	VPMADDWD Y4, Y2, Y2
	VPMADDWD Y5, Y3, Y3
	VPADDD Y2, Y1, Y1
	VPADDD Y3, Y1, Y1
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ DX
	JNZ next
	SCALED
	JNZ group
	TOTAL
	VZEROUPPER
	MOVSS X0, ret+48(FP)
	RET

// func dotGroupsVNNI(a, b *int8, scaleA, scaleB *float32, groups, blocks int) float32
//
// VPDPBUSD multiplies unsigned by signed numbers, so b has 128 added: Σ a·b = Σ a·(b + 128) − 128·Σ a.
TEXT ·dotGroupsVNNI(SB), NOSPLIT, $0-52
	ARGUMENTS
	MOVL $0x80808080, AX
	VMOVD AX, X7
	VPBROADCASTD X7, Y7 // 128, which exclusive-or adds to a signed byte
	MOVL $0x01010101, AX
	VMOVD AX, X8
	VPBROADCASTD X8, Y8

group:
	VPXOR Y1, Y1, Y1 // Σ a·(b + 128)
	VPXOR Y2, Y2, Y2 // Σ a
	MOVQ R10, DX

next:
	VMOVDQU (SI), Y3
	VPXOR (DI), Y7, Y4
	VPDPBUSD Y3, Y4, Y1
	VPDPBUSD Y3, Y8, Y2
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ DX
	JNZ next
	VPSLLD $7, Y2, Y2
	VPSUBD Y2, Y1, Y1
	SCALED
	JNZ group
	TOTAL
	VZEROUPPER
	MOVSS X0, ret+48(FP)
	RET
