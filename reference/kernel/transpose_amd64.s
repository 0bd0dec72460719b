//go:build amd64 && !portable

#include "textflag.h"

// func transpose8(dst *float32, ldd int, src *float32, lds, blocks int)
//
// dst[j·ldd+i] = src[i·lds+j] for 0 ≤ i < 8 and 0 ≤ j < 8·blocks. Blocks of 8×8 are transposed in registers. Row i and row
// i+4 share a register, one in each half, so that two rounds of shuffles within the halves are enough.
TEXT ·transpose8(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R8
	MOVQ src+16(FP), SI
	MOVQ lds+24(FP), R9
	MOVQ blocks+32(FP), CX
	SHLQ $2, R8
	SHLQ $2, R9
	LEAQ (R8)(R8*2), R10 // three rows of dst
	LEAQ (R9)(R9*2), R11 // three rows of src

block:
	LEAQ (SI)(R9*4), BX  // row 4 of src

	// Y0-Y3 hold columns 0-3 of rows 0-3, and of rows 4-7 in the upper half; Y4-Y7 the same for columns 4-7.
	VMOVUPS (SI), X0
	VINSERTF128 $1, (BX), Y0, Y0
	VMOVUPS (SI)(R9*1), X1
	VINSERTF128 $1, (BX)(R9*1), Y1, Y1
	VMOVUPS (SI)(R9*2), X2
	VINSERTF128 $1, (BX)(R9*2), Y2, Y2
	VMOVUPS (SI)(R11*1), X3
	VINSERTF128 $1, (BX)(R11*1), Y3, Y3
	VMOVUPS 16(SI), X4
	VINSERTF128 $1, 16(BX), Y4, Y4
	VMOVUPS 16(SI)(R9*1), X5
	VINSERTF128 $1, 16(BX)(R9*1), Y5, Y5
	VMOVUPS 16(SI)(R9*2), X6
	VINSERTF128 $1, 16(BX)(R9*2), Y6, Y6
	VMOVUPS 16(SI)(R11*1), X7
	VINSERTF128 $1, 16(BX)(R11*1), Y7, Y7

	// Rows 0 and 1 interleaved, and rows 2 and 3: 00 10 01 11, then 02 12 03 13.
	VUNPCKLPS Y1, Y0, Y8
	VUNPCKHPS Y1, Y0, Y9
	VUNPCKLPS Y3, Y2, Y10
	VUNPCKHPS Y3, Y2, Y11
	VUNPCKLPS Y5, Y4, Y12
	VUNPCKHPS Y5, Y4, Y13
	VUNPCKLPS Y7, Y6, Y14
	VUNPCKHPS Y7, Y6, Y15

	// Pairs interleaved: each register is now a column of src, a row of dst.
	VUNPCKLPD Y10, Y8, Y0
	VUNPCKHPD Y10, Y8, Y1
	VUNPCKLPD Y11, Y9, Y2
	VUNPCKHPD Y11, Y9, Y3
	VUNPCKLPD Y14, Y12, Y4
	VUNPCKHPD Y14, Y12, Y5
	VUNPCKLPD Y15, Y13, Y6
	VUNPCKHPD Y15, Y13, Y7

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, (DI)(R8*1)
	VMOVUPS Y2, (DI)(R8*2)
	VMOVUPS Y3, (DI)(R10*1)
	LEAQ (DI)(R8*4), DI
	VMOVUPS Y4, (DI)
	VMOVUPS Y5, (DI)(R8*1)
	VMOVUPS Y6, (DI)(R8*2)
	VMOVUPS Y7, (DI)(R10*1)
	LEAQ (DI)(R8*4), DI
	ADDQ $32, SI
	DECQ CX
	JNZ block
	VZEROUPPER
	RET
