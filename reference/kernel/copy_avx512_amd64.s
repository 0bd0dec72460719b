//go:build amd64

#include "textflag.h"

// func copyRows512(dst *float32, ldd int, src *float32, lds, rows, cols int)
//
// dst[i·ldd+j] = src[i·lds+j] for 0 ≤ i < rows and 0 ≤ j < cols ≤ 32: the rows of a panel, too short for a call each.
TEXT ·copyRows512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R8
	MOVQ src+16(FP), SI
	MOVQ lds+24(FP), R9
	MOVQ rows+32(FP), CX
	MOVQ cols+40(FP), AX
	SHLQ $2, R8
	SHLQ $2, R9
	MOVQ $-1, DX
	BZHIQ AX, DX, DX
	KMOVW DX, K1
	SHRQ $16, DX
	KMOVW DX, K2

row:
	VMOVUPS.Z (SI), K1, Z0
	VMOVUPS.Z 64(SI), K2, Z1
	VMOVUPS Z0, K1, (DI)
	VMOVUPS Z1, K2, 64(DI)
	ADDQ R9, SI
	ADDQ R8, DI
	DECQ CX
	JNZ row
	VZEROUPPER
	RET
