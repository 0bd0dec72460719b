//go:build amd64 && !portable

#include "textflag.h"

// Rows of int8s times a vector of int8s, in groups. The whole-number sums of a group stay in the lanes of a register;
// they are multiplied by the group's scales and added to lanes of float32, which meet at the end of the row.

// func int8Rows256(y *float32, w, x *int8, scaleW, scaleX *float32, rows, groups, blocks, stride, scaleStride int)
//
// A group is blocks of 32. int8s become int16s, of which pairs of products are added in int32s. One row at a time:
//
//	DI, SI    y and the row of w;          R8        its scales
//	DX, R9    x and its scales;            R12, R13  the rows behind them, as a table of bytes
//	CX        blocks left of the group;    R10       groups left of the row
TEXT ·int8Rows256(SB), NOSPLIT, $0-80
	MOVQ y+0(FP), DI
	MOVQ w+8(FP), R12
	MOVQ scaleW+24(FP), R13

row:
	MOVQ R12, SI
	MOVQ R13, R8
	MOVQ x+16(FP), DX
	MOVQ scaleX+32(FP), R9
	MOVQ groups+48(FP), R10
	VXORPS Y0, Y0, Y0

group:
	VPXOR Y1, Y1, Y1
	MOVQ blocks+56(FP), CX

next:
	VPMOVSXBW (SI), Y2
	VPMOVSXBW 16(SI), Y3
	VPMOVSXBW (DX), Y4
	VPMOVSXBW 16(DX), Y5
	VPMADDWD Y4, Y2, Y2
	VPMADDWD Y5, Y3, Y3
	VPADDD Y2, Y1, Y1
	VPADDD Y3, Y1, Y1
	ADDQ $32, SI
	ADDQ $32, DX
	DECQ CX
	JNZ next
	VCVTDQ2PS Y1, Y1
	VMOVSS (R8), X6
	VMULSS (R9), X6, X6
	VBROADCASTSS X6, Y6
	VFMADD231PS Y6, Y1, Y0
	ADDQ $4, R8
	ADDQ $4, R9
	DECQ R10
	JNZ group
	VEXTRACTF128 $1, Y0, X1
	VADDPS X1, X0, X0
	VHADDPS X0, X0, X0
	VHADDPS X0, X0, X0
	VMOVSS X0, (DI)
	ADDQ $4, DI
	ADDQ stride+64(FP), R12
	MOVQ scaleStride+72(FP), AX
	LEAQ (R13)(AX*4), R13
	DECQ rows+40(FP)
	JNZ row
	VZEROUPPER
	RET

// DOT adds to the sums S of a row the products of its 64 numbers at AT, plus 128, and those of x, Z9.
#define DOT(AT, S) \
	VPXORD AT, Z31, Z10; \
	VPDPBUSD Z9, Z10, S

// SCALED adds to A the sums S of a group without what 128 added, Z8, times the scales of x and, at AT, of the row.
#define SCALED(AT, S, A) \
	VPSUBD Z8, S, S; \
	VCVTDQ2PS S, S; \
	VMULPS.BCST (R9), S, S; \
	VFMADD231PS.BCST AT, S, A

// TOTAL stores the sum of the lanes of Z at AT.
#define TOTAL(Z, Y, X, AT) \
	VEXTRACTF64X4 $1, Z, Y11; \
	VADDPS Y11, Y, Y; \
	VEXTRACTF128 $1, Y, X11; \
	VADDPS X11, X, X; \
	VHADDPS X, X, X; \
	VHADDPS X, X, X; \
	VMOVSS X, AT

// func int8RowsVNNI(y *float32, w, x *int8, scaleW, scaleX *float32, rows, groups, blocks, stride, scaleStride int)
//
// A group is blocks of 64. VPDPBUSD multiplies unsigned by signed numbers, so w has 128 added, by an exclusive or:
// Σ w·x = Σ (w + 128)·x − Σ 128·x. Four rows at a time, while there are four, share x and the second sum:
//
//	DI, BX, R13   y, the rows of w and their scales
//	SI, AX        row 0 of the four, and row 3;      R8, R14   their scales
//	R12, R15      from a row to the next, in bytes, of w and of the scales
//	DX, R9        x and its scales;                  CX, R10   blocks left of the group, groups left of the rows
//	R11           what will be needed in eight rows, which is fetched
TEXT ·int8RowsVNNI(SB), NOSPLIT, $0-80
	MOVQ y+0(FP), DI
	MOVQ w+8(FP), BX
	MOVQ scaleW+24(FP), R13
	MOVQ stride+64(FP), R12
	MOVQ scaleStride+72(FP), R15
	SHLQ $2, R15
	MOVL $0x80808080, AX
	VPBROADCASTD AX, Z31 // 128, which exclusive-or adds to a signed byte
	CMPQ rows+40(FP), $4
	JLT one

four:
	MOVQ BX, SI
	LEAQ (BX)(R12*8), R11
	LEAQ (BX)(R12*2), AX
	ADDQ R12, AX
	MOVQ R13, R8
	LEAQ (R13)(R15*2), R14
	ADDQ R15, R14
	MOVQ x+16(FP), DX
	MOVQ scaleX+32(FP), R9
	MOVQ groups+48(FP), R10
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3

groupOfFour:
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	MOVQ blocks+56(FP), CX

nextOfFour:
	PREFETCHT0 (R11)
	PREFETCHT0 64(R11)
	PREFETCHT0 128(R11)
	PREFETCHT0 192(R11)
	ADDQ $256, R11
	VMOVDQU64 (DX), Z9
	VPDPBUSD Z9, Z31, Z8
	DOT((SI), Z4)
	DOT((SI)(R12*1), Z5)
	DOT((SI)(R12*2), Z6)
	DOT((AX), Z7)
	ADDQ $64, SI
	ADDQ $64, AX
	ADDQ $64, DX
	DECQ CX
	JNZ nextOfFour
	SCALED((R8), Z4, Z0)
	SCALED((R8)(R15*1), Z5, Z1)
	SCALED((R8)(R15*2), Z6, Z2)
	SCALED((R14), Z7, Z3)
	ADDQ $4, R8
	ADDQ $4, R14
	ADDQ $4, R9
	DECQ R10
	JNZ groupOfFour
	TOTAL(Z0, Y0, X0, 0(DI))
	TOTAL(Z1, Y1, X1, 4(DI))
	TOTAL(Z2, Y2, X2, 8(DI))
	TOTAL(Z3, Y3, X3, 12(DI))
	ADDQ $16, DI
	LEAQ (BX)(R12*4), BX
	LEAQ (R13)(R15*4), R13
	SUBQ $4, rows+40(FP)
	CMPQ rows+40(FP), $4
	JGE four

one:
	CMPQ rows+40(FP), $0
	JEQ done
	MOVQ BX, SI
	MOVQ R13, R8
	MOVQ x+16(FP), DX
	MOVQ scaleX+32(FP), R9
	MOVQ groups+48(FP), R10
	VPXORD Z0, Z0, Z0

groupOfOne:
	VPXORD Z4, Z4, Z4
	VPXORD Z8, Z8, Z8
	MOVQ blocks+56(FP), CX

nextOfOne:
	VMOVDQU64 (DX), Z9
	VPDPBUSD Z9, Z31, Z8
	DOT((SI), Z4)
	ADDQ $64, SI
	ADDQ $64, DX
	DECQ CX
	JNZ nextOfOne
	SCALED((R8), Z4, Z0)
	ADDQ $4, R8
	ADDQ $4, R9
	DECQ R10
	JNZ groupOfOne
	TOTAL(Z0, Y0, X0, 0(DI))
	ADDQ $4, DI
	ADDQ R12, BX
	ADDQ R15, R13
	DECQ rows+40(FP)
	JMP one

done:
	VZEROUPPER
	RET
