//go:build arm64 && !portable

#include "go_asm.h"
#include "textflag.h"

// The NEON micro-kernel: a tile of up to 8 rows and 8 columns in V0-V15, two registers to a row.
//
//	R1-R8         the rows of A at the current step, R9 one step of A
//	R10, R11      the current row of B, one step of B
//	R12, R13      the tile of C, one row of C
//	R14           steps, then rows, that are left
//	R15           tiles that are left
//	R19           offset of the panel of B
//	V16, V17      the row of B;  V18  one value of A in all lanes;  V19  ones

// ROW adds a·B to a row of the tile and takes the pointer into A one step on.
#define ROW(a, left, right) VLD1R.P (a)(R9), [V18.S4]; VFMLA V18.S4, V16.S4, left.S4; VFMLA V18.S4, V17.S4, right.S4

// STEPn is one step of k for n rows.
#define STEP1 ROW(R1, V0, V1)
#define STEP2 STEP1; ROW(R2, V2, V3)
#define STEP3 STEP2; ROW(R3, V4, V5)
#define STEP4 STEP3; ROW(R4, V6, V7)
#define STEP5 STEP4; ROW(R5, V8, V9)
#define STEP6 STEP5; ROW(R6, V10, V11)
#define STEP7 STEP6; ROW(R7, V12, V13)
#define STEP8 STEP7; ROW(R8, V14, V15)

#define LOOP(step, label) VLD1.P (R10)(R11), [V16.S4, V17.S4]; step; SUBS $1, R14; BNE label; B store
#define CHOOSE(n, label) CMP $n, R20; BEQ label
#define ZERO(left, right) VEOR left.B16, left.B16, left.B16; VEOR right.B16, right.B16, right.B16

// ADDROW adds C's old values, times one. Both go on to the next row of C, or to the label end after the last.
#define ADDROW(left, right, end) \
	VLD1 (R21), [V16.S4, V17.S4]; \
	VFMLA V19.S4, V16.S4, left.S4; \
	VFMLA V19.S4, V17.S4, right.S4; \
	ADD R13, R21; \
	SUBS $1, R14; \
	BEQ end
#define STOREROW(left, right, end) \
	VST1 [left.S4, right.S4], (R21); \
	ADD R13, R21; \
	SUBS $1, R14; \
	BEQ end

// func stripNeon(s *strip, tiles int)
//
// Computes the first so many tiles of the strip, all of them eight columns wide.
TEXT ·stripNeon(SB), NOSPLIT, $0-16
	MOVD s+0(FP), R0
	MOVD tiles+8(FP), R15
	MOVD strip_stepA(R0), R9
	LSL $2, R9
	MOVD strip_stepB(R0), R11
	LSL $2, R11
	MOVD strip_c(R0), R12
	MOVD strip_rowC(R0), R13
	LSL $2, R13
	MOVD strip_rows(R0), R20
	FMOVS $1.0, F19
	VDUP V19.S[0], V19.S4
	MOVD $0, R19

tile:
	MOVD strip_rowA(R0), R14
	MOVD strip_a(R0), R1
	ADD R14<<2, R1, R2
	ADD R14<<2, R2, R3
	ADD R14<<2, R3, R4
	ADD R14<<2, R4, R5
	ADD R14<<2, R5, R6
	ADD R14<<2, R6, R7
	ADD R14<<2, R7, R8
	ZERO(V0, V1)
	ZERO(V2, V3)
	ZERO(V4, V5)
	ZERO(V6, V7)
	ZERO(V8, V9)
	ZERO(V10, V11)
	ZERO(V12, V13)
	ZERO(V14, V15)
	MOVD strip_b(R0), R10
	ADD R19, R10
	MOVD strip_k(R0), R14
	CHOOSE(8, step8)
	CHOOSE(7, step7)
	CHOOSE(6, step6)
	CHOOSE(5, step5)
	CHOOSE(4, step4)
	CHOOSE(3, step3)
	CHOOSE(2, step2)
step1:
	LOOP(STEP1, step1)
step2:
	LOOP(STEP2, step2)
step3:
	LOOP(STEP3, step3)
step4:
	LOOP(STEP4, step4)
step5:
	LOOP(STEP5, step5)
step6:
	LOOP(STEP6, step6)
step7:
	LOOP(STEP7, step7)
step8:
	LOOP(STEP8, step8)

store:
	MOVD strip_keep(R0), R14
	CBZ R14, overwrite
	MOVD R12, R21
	MOVD R20, R14
	ADDROW(V0, V1, overwrite)
	ADDROW(V2, V3, overwrite)
	ADDROW(V4, V5, overwrite)
	ADDROW(V6, V7, overwrite)
	ADDROW(V8, V9, overwrite)
	ADDROW(V10, V11, overwrite)
	ADDROW(V12, V13, overwrite)
	ADDROW(V14, V15, overwrite)
overwrite:
	MOVD R12, R21
	MOVD R20, R14
	STOREROW(V0, V1, next)
	STOREROW(V2, V3, next)
	STOREROW(V4, V5, next)
	STOREROW(V6, V7, next)
	STOREROW(V8, V9, next)
	STOREROW(V10, V11, next)
	STOREROW(V12, V13, next)
	STOREROW(V14, V15, next)

next:
	ADD $32, R12
	MOVD strip_panelB(R0), R14
	ADD R14<<2, R19
	SUBS $1, R15
	BNE tile
	RET
