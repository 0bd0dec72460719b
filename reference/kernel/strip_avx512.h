// The body of the micro-kernels for AVX-512, of float32 and of pairs of bfloat16, which differ in what they do with a value
// of A and a row of B. Whoever includes it says so before:
//
//	STRIP                             the TEXT of the function
//	ROW(a, left, right, p0, modrm)    adds a·B to a row of the tile; p0 and modrm are bytes by which an instruction that the
//	                                  assembler does not know names the register left, where it takes Z28 and Z30
//	HALF(a, left, p0, modrm)          adds a·B to its left half alone
//	QUARTER(a, left)                  adds a·B to its left quarter alone, if the instruction set has that
//
// A tile of up to 14 rows and 32 columns in Z0-Z27, two registers to a row.
//
//	AX, BX        row 0 and row 7 of A at the current step; with R8 = one row, R9 = three rows, R10 = five rows they
//	              reach rows 0-6 and 7-13
//	R11           one step of A
//	DI, R12       the current row of B, one step of B
//	DX, R13       the tile of C, one row of C
//	R14, R15      the row of C that is fetched next, and the last one; in tiles of up to 16 columns the line of A that is
//	              fetched next, and the step to the one after it
//	CX            steps that are left
//	K1, K2        the columns that exist, left and right half
//	Z28, Z29      the row of B;  Z30  one value of A in all lanes

// WIDEn is one step of k for n rows.
#define WIDE1 ROW((AX), Z0, Z1, 0x92, 0xc4)
#define WIDE2 WIDE1; ROW((AX)(R8*1), Z2, Z3, 0x92, 0xd4)
#define WIDE3 WIDE2; ROW((AX)(R8*2), Z4, Z5, 0x92, 0xe4)
#define WIDE4 WIDE3; ROW((AX)(R9*1), Z6, Z7, 0x92, 0xf4)
#define WIDE5 WIDE4; ROW((AX)(R8*4), Z8, Z9, 0x12, 0xc4)
#define WIDE6 WIDE5; ROW((AX)(R10*1), Z10, Z11, 0x12, 0xd4)
#define WIDE7 WIDE6; ROW((AX)(R9*2), Z12, Z13, 0x12, 0xe4)
#define WIDE8 WIDE7; ROW((BX), Z14, Z15, 0x12, 0xf4)
#define WIDE9 WIDE8; ROW((BX)(R8*1), Z16, Z17, 0x82, 0xc4)
#define WIDE10 WIDE9; ROW((BX)(R8*2), Z18, Z19, 0x82, 0xd4)
#define WIDE11 WIDE10; ROW((BX)(R9*1), Z20, Z21, 0x82, 0xe4)
#define WIDE12 WIDE11; ROW((BX)(R8*4), Z22, Z23, 0x82, 0xf4)
#define WIDE13 WIDE12; ROW((BX)(R10*1), Z24, Z25, 0x02, 0xc4)
#define WIDE14 WIDE13; ROW((BX)(R9*2), Z26, Z27, 0x02, 0xd4)

// SLIMn is the same for tiles of up to 16 columns.
#define SLIM1 HALF((AX), Z0, 0x92, 0xc4)
#define SLIM2 SLIM1; HALF((AX)(R8*1), Z2, 0x92, 0xd4)
#define SLIM3 SLIM2; HALF((AX)(R8*2), Z4, 0x92, 0xe4)
#define SLIM4 SLIM3; HALF((AX)(R9*1), Z6, 0x92, 0xf4)
#define SLIM5 SLIM4; HALF((AX)(R8*4), Z8, 0x12, 0xc4)
#define SLIM6 SLIM5; HALF((AX)(R10*1), Z10, 0x12, 0xd4)
#define SLIM7 SLIM6; HALF((AX)(R9*2), Z12, 0x12, 0xe4)
#define SLIM8 SLIM7; HALF((BX), Z14, 0x12, 0xf4)
#define SLIM9 SLIM8; HALF((BX)(R8*1), Z16, 0x82, 0xc4)
#define SLIM10 SLIM9; HALF((BX)(R8*2), Z18, 0x82, 0xd4)
#define SLIM11 SLIM10; HALF((BX)(R9*1), Z20, 0x82, 0xe4)
#define SLIM12 SLIM11; HALF((BX)(R8*4), Z22, 0x82, 0xf4)
#define SLIM13 SLIM12; HALF((BX)(R10*1), Z24, 0x02, 0xc4)
#define SLIM14 SLIM13; HALF((BX)(R9*2), Z26, 0x02, 0xd4)

#ifdef QUARTER
// NARROW14 is the same for 14 rows of up to 8 columns, in half registers: the processor takes two of those at a time.
#define NARROW14 \
	QUARTER((AX), Y0); \
	QUARTER((AX)(R8*1), Y2); \
	QUARTER((AX)(R8*2), Y4); \
	QUARTER((AX)(R9*1), Y6); \
	QUARTER((AX)(R8*4), Y8); \
	QUARTER((AX)(R10*1), Y10); \
	QUARTER((AX)(R9*2), Y12); \
	QUARTER((BX), Y14); \
	QUARTER((BX)(R8*1), Y16); \
	QUARTER((BX)(R8*2), Y18); \
	QUARTER((BX)(R9*1), Y20); \
	QUARTER((BX)(R8*4), Y22); \
	QUARTER((BX)(R10*1), Y24); \
	QUARTER((BX)(R9*2), Y26)
#endif

#define NEXT ADDQ R11, AX; ADDQ R11, BX; ADDQ R12, DI; DECQ CX

// FETCH brings a row of C into the first-level cache at each step, and then the last one again and again, which costs
// nothing. All rows at once would keep the loads of A and B waiting.
#define FETCH PREFETCHT0 (R14); PREFETCHT0 64(R14); ADDQ R13, R14; CMPQ R14, R15; CMOVQGT R15, R14

// AHEAD brings the A of the next strip into the second-level cache, a line at each step: in so narrow a tile A is read as
// fast as memory delivers it. There is no need for it in the first level, where it would drive out B.
#define AHEAD PREFETCHT1 (R14); ADDQ R15, R14

#define LOOP(step, label) VMOVUPS.Z (DI), K1, Z28; VMOVUPS.Z 64(DI), K2, Z29; FETCH; step; NEXT; JNZ label; JMP store
#define SLIMLOOP(step, label) VMOVUPS.Z (DI), K1, Z28; AHEAD; step; NEXT; JNZ label; JMP store
#define CHOOSE(n, label) CMPQ strip_rows(SI), n; JEQ label
#define ZERO(left, right) VPXORQ left, left, left; VPXORQ right, right, right

// What happens to a row of C, followed by a step to the next row, or to the label end after the last. C is read only where
// it is added to: a load from memory far away would keep everything behind it waiting, which a store does not.
#define ADDROW(left, right, end) \
	VADDPS (AX), left, K1, left; \
	VADDPS 64(AX), right, K2, right; \
	ADDQ R13, AX; DECQ CX; JZ end
#define STOREROW(left, right, end) \
	VMOVUPS left, K1, (AX); \
	VMOVUPS right, K2, 64(AX); \
	ADDQ R13, AX; DECQ CX; JZ end

STRIP
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
	MOVQ R14, panel-8(SP)    // offset of the panel of B, in bytes
	MOVQ R15, columns-16(SP) // columns that are left, this tile included
	// As many ones as there are columns, 32 at most.
	MOVQ $32, CX
	CMPQ R15, CX
	CMOVQLT R15, CX
	MOVQ $-1, AX
	BZHIQ CX, AX, AX
	KMOVW AX, K1
	SHRQ $16, AX
	KMOVW AX, K2

	ZERO(Z0, Z1)
	ZERO(Z2, Z3)
	ZERO(Z4, Z5)
	ZERO(Z6, Z7)
	ZERO(Z8, Z9)
	ZERO(Z10, Z11)
	ZERO(Z12, Z13)
	ZERO(Z14, Z15)
	ZERO(Z16, Z17)
	ZERO(Z18, Z19)
	ZERO(Z20, Z21)
	ZERO(Z22, Z23)
	ZERO(Z24, Z25)
	ZERO(Z26, Z27)

	MOVQ strip_k(SI), CX
	MOVQ strip_b(SI), DI
	ADDQ R14, DI
	MOVQ DX, R14
	MOVQ strip_a(SI), AX
	LEAQ (AX)(R8*8), BX
	SUBQ R8, BX
	MOVQ strip_rows(SI), R15
	DECQ R15
	IMULQ R13, R15
	ADDQ DX, R15
	CMPQ columns-16(SP), $16
	JLE slim

	CHOOSE($14, wide14)
	CHOOSE($13, wide13)
	CHOOSE($12, wide12)
	CHOOSE($11, wide11)
	CHOOSE($10, wide10)
	CHOOSE($9, wide9)
	CHOOSE($8, wide8)
	CHOOSE($7, wide7)
	CHOOSE($6, wide6)
	CHOOSE($5, wide5)
	CHOOSE($4, wide4)
	CHOOSE($3, wide3)
	CHOOSE($2, wide2)
wide1:
	LOOP(WIDE1, wide1)
wide2:
	LOOP(WIDE2, wide2)
wide3:
	LOOP(WIDE3, wide3)
wide4:
	LOOP(WIDE4, wide4)
wide5:
	LOOP(WIDE5, wide5)
wide6:
	LOOP(WIDE6, wide6)
wide7:
	LOOP(WIDE7, wide7)
wide8:
	LOOP(WIDE8, wide8)
wide9:
	LOOP(WIDE9, wide9)
wide10:
	LOOP(WIDE10, wide10)
wide11:
	LOOP(WIDE11, wide11)
wide12:
	LOOP(WIDE12, wide12)
wide13:
	LOOP(WIDE13, wide13)
wide14:
	LOOP(WIDE14, wide14)

slim:
	MOVQ strip_ahead(SI), R14
	MOVQ $64, R15
	TESTQ R14, R14
	JNZ ahead
	MOVQ DX, R14 // nothing to fetch: a row of C, again and again
	XORQ R15, R15
ahead:
#ifdef QUARTER
	CMPQ columns-16(SP), $8
	JGT broad
	CMPQ strip_rows(SI), $14
	JEQ narrow14
broad:
#endif
	CHOOSE($14, slim14)
	CHOOSE($13, slim13)
	CHOOSE($12, slim12)
	CHOOSE($11, slim11)
	CHOOSE($10, slim10)
	CHOOSE($9, slim9)
	CHOOSE($8, slim8)
	CHOOSE($7, slim7)
	CHOOSE($6, slim6)
	CHOOSE($5, slim5)
	CHOOSE($4, slim4)
	CHOOSE($3, slim3)
	CHOOSE($2, slim2)
slim1:
	SLIMLOOP(SLIM1, slim1)
slim2:
	SLIMLOOP(SLIM2, slim2)
slim3:
	SLIMLOOP(SLIM3, slim3)
slim4:
	SLIMLOOP(SLIM4, slim4)
slim5:
	SLIMLOOP(SLIM5, slim5)
slim6:
	SLIMLOOP(SLIM6, slim6)
slim7:
	SLIMLOOP(SLIM7, slim7)
slim8:
	SLIMLOOP(SLIM8, slim8)
slim9:
	SLIMLOOP(SLIM9, slim9)
slim10:
	SLIMLOOP(SLIM10, slim10)
slim11:
	SLIMLOOP(SLIM11, slim11)
slim12:
	SLIMLOOP(SLIM12, slim12)
slim13:
	SLIMLOOP(SLIM13, slim13)
slim14:
	SLIMLOOP(SLIM14, slim14)
#ifdef QUARTER
narrow14:
	VMOVUPS.Z (DI), K1, Y28
	AHEAD
	NARROW14
	NEXT
	JNZ narrow14
#endif

store:
	CMPQ strip_keep(SI), $0
	JEQ overwrite
	MOVQ DX, AX
	MOVQ strip_rows(SI), CX
	ADDROW(Z0, Z1, overwrite)
	ADDROW(Z2, Z3, overwrite)
	ADDROW(Z4, Z5, overwrite)
	ADDROW(Z6, Z7, overwrite)
	ADDROW(Z8, Z9, overwrite)
	ADDROW(Z10, Z11, overwrite)
	ADDROW(Z12, Z13, overwrite)
	ADDROW(Z14, Z15, overwrite)
	ADDROW(Z16, Z17, overwrite)
	ADDROW(Z18, Z19, overwrite)
	ADDROW(Z20, Z21, overwrite)
	ADDROW(Z22, Z23, overwrite)
	ADDROW(Z24, Z25, overwrite)
	ADDROW(Z26, Z27, overwrite)
overwrite:
	MOVQ DX, AX
	MOVQ strip_rows(SI), CX
	STOREROW(Z0, Z1, next)
	STOREROW(Z2, Z3, next)
	STOREROW(Z4, Z5, next)
	STOREROW(Z6, Z7, next)
	STOREROW(Z8, Z9, next)
	STOREROW(Z10, Z11, next)
	STOREROW(Z12, Z13, next)
	STOREROW(Z14, Z15, next)
	STOREROW(Z16, Z17, next)
	STOREROW(Z18, Z19, next)
	STOREROW(Z20, Z21, next)
	STOREROW(Z22, Z23, next)
	STOREROW(Z24, Z25, next)
	STOREROW(Z26, Z27, next)

next:
	MOVQ panel-8(SP), R14
	MOVQ columns-16(SP), R15
	SUBQ $32, R15
	JLE done
	ADDQ $128, DX
	MOVQ strip_panelB(SI), AX
	LEAQ (R14)(AX*4), R14
	JMP tile

done:
	VZEROUPPER
	RET
