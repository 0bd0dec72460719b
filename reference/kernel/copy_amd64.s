//go:build amd64 && !portable

#include "textflag.h"

// The rows of a panel, too short for a call each:
//
//	dst[i·ldd+j] = src[i·lds+j]        0 ≤ i < rows, 0 ≤ j < cols
//
// A row is copied as two vectors, of which the second ends where the row ends and overlaps the first. A mask would do with
// one, but to write through a mask takes AMD's processors several times as long.

#define ROWS(first, second, lanes) \
	MOVQ dst+0(FP), DI; \
	MOVQ ldd+8(FP), R8; \
	MOVQ src+16(FP), SI; \
	MOVQ lds+24(FP), R9; \
	MOVQ rows+32(FP), CX; \
	MOVQ cols+40(FP), AX; \
	SHLQ $2, R8; \
	SHLQ $2, R9; \
	SUBQ lanes, AX; \
	SHLQ $2, AX; \
row: \
	VMOVUPS (SI), first; \
	VMOVUPS (SI)(AX*1), second; \
	VMOVUPS first, (DI); \
	VMOVUPS second, (DI)(AX*1); \
	ADDQ R9, SI; \
	ADDQ R8, DI; \
	DECQ CX; \
	JNZ row; \
	VZEROUPPER; \
	RET

// func copyRows4(dst *float32, ldd int, src *float32, lds, rows, cols int)
//
// 4 ≤ cols ≤ 8
TEXT ·copyRows4(SB), NOSPLIT, $0-48
	ROWS(X0, X1, $4)

// func copyRows8(dst *float32, ldd int, src *float32, lds, rows, cols int)
//
// 8 ≤ cols ≤ 16
TEXT ·copyRows8(SB), NOSPLIT, $0-48
	ROWS(Y0, Y1, $8)

// func copyRows16(dst *float32, ldd int, src *float32, lds, rows, cols int)
//
// 16 ≤ cols ≤ 32
TEXT ·copyRows16(SB), NOSPLIT, $0-48
	ROWS(Z0, Z1, $16)
