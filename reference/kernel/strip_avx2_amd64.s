//go:build amd64 && !portable

#include "go_asm.h"
#include "textflag.h"

// The AVX2 micro-kernel: a tile of up to 6 rows and 16 columns in Y0-Y11, two registers to a row.
//
//	AX            row 0 of A at the current step; with R8 = one row, R9 = three rows, R10 = five rows it reaches all six
//	R11           one step of A
//	DI, R12       the current row of B, one step of B
//	DX, R13       the tile of C, one row of C
//	R14           offset of the panel of B
//	R15           columns that are left, this tile included
//	BX            masks of the columns that exist: left half at (BX), right half at 32(BX)
//	CX            steps that are left
//	Y12, Y13      the row of B;  Y14  one value of A in all lanes

// ROW adds a·B to a row of the tile.
#define ROW(a, left, right) VBROADCASTSS a, Y14; VFMADD231PS Y12, Y14, left; VFMADD231PS Y13, Y14, right

// STEPn is one step of k for n rows.
#define STEP1 ROW((AX), Y0, Y1)
#define STEP2 STEP1; ROW((AX)(R8*1), Y2, Y3)
#define STEP3 STEP2; ROW((AX)(R8*2), Y4, Y5)
#define STEP4 STEP3; ROW((AX)(R9*1), Y6, Y7)
#define STEP5 STEP4; ROW((AX)(R8*4), Y8, Y9)
#define STEP6 STEP5; ROW((AX)(R10*1), Y10, Y11)

#define NEXT ADDQ R11, AX; ADDQ R12, DI; DECQ CX
#define LOOP(step, label) VMOVUPS (DI), Y12; VMOVUPS 32(DI), Y13; step; NEXT; JNZ label; JMP store
#define EDGELOOP(step, label) \
	VMOVUPS (BX), Y14; \
	VMASKMOVPS (DI), Y14, Y12; \
	VMOVUPS 32(BX), Y14; \
	VMASKMOVPS 32(DI), Y14, Y13; \
	step; NEXT; JNZ label; JMP edgestore
#define CHOOSE(n, label) CMPQ strip_rows(SI), n; JEQ label
#define ZERO(left, right) VXORPS left, left, left; VXORPS right, right, right

// What happens to a row of C, followed by a step to the next row, or to the label end after the last.
#define ADDROW(left, right, end) \
	VADDPS (AX), left, left; \
	VADDPS 32(AX), right, right; \
	ADDQ R13, AX; DECQ CX; JZ end
#define STOREROW(left, right, end) \
	VMOVUPS left, (AX); \
	VMOVUPS right, 32(AX); \
	ADDQ R13, AX; DECQ CX; JZ end
#define ADDEDGE(left, right, end) \
	VMASKMOVPS (AX), Y14, Y12; \
	VADDPS Y12, left, left; \
	VMASKMOVPS 32(AX), Y15, Y13; \
	VADDPS Y13, right, right; \
	ADDQ R13, AX; DECQ CX; JZ end
#define STOREEDGE(left, right, end) \
	VMASKMOVPS left, Y14, (AX); \
	VMASKMOVPS right, Y15, 32(AX); \
	ADDQ R13, AX; DECQ CX; JZ end

// Sixteen ones and sixteen zeros: n columns exist in the sixteen lanes that begin 16-n lanes from the start.
DATA edge<>+0x00(SB)/8, $-1
DATA edge<>+0x08(SB)/8, $-1
DATA edge<>+0x10(SB)/8, $-1
DATA edge<>+0x18(SB)/8, $-1
DATA edge<>+0x20(SB)/8, $-1
DATA edge<>+0x28(SB)/8, $-1
DATA edge<>+0x30(SB)/8, $-1
DATA edge<>+0x38(SB)/8, $-1
GLOBL edge<>(SB), RODATA|NOPTR, $128

// func strip256(s *strip)
TEXT ·strip256(SB), NOSPLIT, $0-8
	MOVQ s+0(FP), SI
	MOVQ strip_rowA(SI), R8
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9
	LEAQ (R8)(R8*4), R10
	MOVQ strip_stepA(SI), R11
	SHLQ $2, R11
	MOVQ strip_stepB(SI), R12
	SHLQ $2, R12
	MOVQ strip_rowC(SI), R13
	SHLQ $2, R13
	MOVQ strip_c(SI), DX
	MOVQ strip_cols(SI), R15
	XORQ R14, R14

tile:
	ZERO(Y0, Y1)
	ZERO(Y2, Y3)
	ZERO(Y4, Y5)
	ZERO(Y6, Y7)
	ZERO(Y8, Y9)
	ZERO(Y10, Y11)
	// The tile of C is fetched while the product is computed.
	MOVQ DX, AX
	MOVQ strip_rows(SI), CX

fetch:
	PREFETCHT0 (AX)
	PREFETCHT0 60(AX)
	ADDQ R13, AX
	DECQ CX
	JNZ fetch
	MOVQ strip_a(SI), AX
	MOVQ strip_b(SI), DI
	ADDQ R14, DI
	MOVQ strip_k(SI), CX
	CMPQ R15, $16
	JLT edge
	CHOOSE($6, step6)
	CHOOSE($5, step5)
	CHOOSE($4, step4)
	CHOOSE($3, step3)
	CHOOSE($2, step2)
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

store:
	CMPQ strip_keep(SI), $0
	JEQ overwrite
	MOVQ DX, AX
	MOVQ strip_rows(SI), CX
	ADDROW(Y0, Y1, overwrite)
	ADDROW(Y2, Y3, overwrite)
	ADDROW(Y4, Y5, overwrite)
	ADDROW(Y6, Y7, overwrite)
	ADDROW(Y8, Y9, overwrite)
	ADDROW(Y10, Y11, overwrite)
overwrite:
	MOVQ DX, AX
	MOVQ strip_rows(SI), CX
	STOREROW(Y0, Y1, next)
	STOREROW(Y2, Y3, next)
	STOREROW(Y4, Y5, next)
	STOREROW(Y6, Y7, next)
	STOREROW(Y8, Y9, next)
	STOREROW(Y10, Y11, next)

next:
	SUBQ $16, R15
	JLE done
	ADDQ $64, DX
	MOVQ strip_panelB(SI), AX
	LEAQ (R14)(AX*4), R14
	JMP tile

edge:
	LEAQ edge<>+64(SB), BX
	SHLQ $2, R15
	SUBQ R15, BX
	SHRQ $2, R15
	CHOOSE($6, edge6)
	CHOOSE($5, edge5)
	CHOOSE($4, edge4)
	CHOOSE($3, edge3)
	CHOOSE($2, edge2)
edge1:
	EDGELOOP(STEP1, edge1)
edge2:
	EDGELOOP(STEP2, edge2)
edge3:
	EDGELOOP(STEP3, edge3)
edge4:
	EDGELOOP(STEP4, edge4)
edge5:
	EDGELOOP(STEP5, edge5)
edge6:
	EDGELOOP(STEP6, edge6)

edgestore:
	VMOVUPS (BX), Y14
	VMOVUPS 32(BX), Y15
	CMPQ strip_keep(SI), $0
	JEQ edgeoverwrite
	MOVQ DX, AX
	MOVQ strip_rows(SI), CX
	ADDEDGE(Y0, Y1, edgeoverwrite)
	ADDEDGE(Y2, Y3, edgeoverwrite)
	ADDEDGE(Y4, Y5, edgeoverwrite)
	ADDEDGE(Y6, Y7, edgeoverwrite)
	ADDEDGE(Y8, Y9, edgeoverwrite)
	ADDEDGE(Y10, Y11, edgeoverwrite)
edgeoverwrite:
	MOVQ DX, AX
	MOVQ strip_rows(SI), CX
	STOREEDGE(Y0, Y1, done)
	STOREEDGE(Y2, Y3, done)
	STOREEDGE(Y4, Y5, done)
	STOREEDGE(Y6, Y7, done)
	STOREEDGE(Y8, Y9, done)
	STOREEDGE(Y10, Y11, done)

done:
	VZEROUPPER
	RET
