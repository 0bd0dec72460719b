//go:build amd64 && !portable

#include "textflag.h"

// func transpose4(dst *float32, ldd int, src *float32, lds, blocks int)
//
// dst[j·ldd+i] = src[i·lds+j] for 0 ≤ i < 4 and 0 ≤ j < 8·blocks: the strips of fewer than eight rows. The method is that
// of transpose8, the halves of a register being columns j and j+4.
TEXT ·transpose4(SB), NOSPLIT, $0-40
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
	VMOVUPS (SI), Y0
	VMOVUPS (SI)(R9*1), Y1
	VMOVUPS (SI)(R9*2), Y2
	VMOVUPS (SI)(R11*1), Y3

	VUNPCKLPS Y1, Y0, Y4
	VUNPCKHPS Y1, Y0, Y5
	VUNPCKLPS Y3, Y2, Y6
	VUNPCKHPS Y3, Y2, Y7

	VUNPCKLPD Y6, Y4, Y0
	VUNPCKHPD Y6, Y4, Y1
	VUNPCKLPD Y7, Y5, Y2
	VUNPCKHPD Y7, Y5, Y3

	VMOVUPS X0, (DI)
	VMOVUPS X1, (DI)(R8*1)
	VMOVUPS X2, (DI)(R8*2)
	VMOVUPS X3, (DI)(R10*1)
	LEAQ (DI)(R8*4), DI
	VEXTRACTF128 $1, Y0, (DI)
	VEXTRACTF128 $1, Y1, (DI)(R8*1)
	VEXTRACTF128 $1, Y2, (DI)(R8*2)
	VEXTRACTF128 $1, Y3, (DI)(R10*1)
	LEAQ (DI)(R8*4), DI
	ADDQ $32, SI
	DECQ CX
	JNZ block
	VZEROUPPER
	RET
