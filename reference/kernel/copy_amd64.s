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

DATA narrow<>+0x00(SB)/8, $-1
DATA narrow<>+0x08(SB)/8, $-1
DATA narrow<>+0x10(SB)/8, $-1
DATA narrow<>+0x18(SB)/8, $-1
DATA narrow<>+0x20(SB)/8, $-1
DATA narrow<>+0x28(SB)/8, $-1
DATA narrow<>+0x30(SB)/8, $-1
DATA narrow<>+0x38(SB)/8, $-1
GLOBL narrow<>(SB), RODATA|NOPTR, $128 // sixteen ones and sixteen zeros

// func copyRows256(dst *float32, ldd int, src *float32, lds, rows, cols int)
//
// The same for cols ≤ 16 with AVX2, the masks in Y2 and Y3.
TEXT ·copyRows256(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R8
	MOVQ src+16(FP), SI
	MOVQ lds+24(FP), R9
	MOVQ rows+32(FP), CX
	MOVQ cols+40(FP), AX
	SHLQ $2, R8
	SHLQ $2, R9
	LEAQ narrow<>+64(SB), BX
	SHLQ $2, AX
	SUBQ AX, BX
	VMOVUPS (BX), Y2
	VMOVUPS 32(BX), Y3
	CMPQ AX, $32
	JLE half

row:
	VMASKMOVPS (SI), Y2, Y0
	VMASKMOVPS 32(SI), Y3, Y1
	VMASKMOVPS Y0, Y2, (DI)
	VMASKMOVPS Y1, Y3, 32(DI)
	ADDQ R9, SI
	ADDQ R8, DI
	DECQ CX
	JNZ row
	VZEROUPPER
	RET

half:
	VMASKMOVPS (SI), Y2, Y0
	VMASKMOVPS Y0, Y2, (DI)
	ADDQ R9, SI
	ADDQ R8, DI
	DECQ CX
	JNZ half
	VZEROUPPER
	RET
