//go:build amd64 && !portable

#include "textflag.h"

// A matrix times a vector, in sums of rows of the matrix. keep is a mask over what y held: all ones to add to it, 0 to
// overwrite it.
//
// A matrix that does not fit the caches is read as fast as memory delivers it, if it is asked for in time and in the order
// in which it lies there: R10 walks through the next four rows, one cache line after the other, four for every 16 columns of
// these four. (Where the rows do not follow one another, lda > cols, some of that is fetched in vain.)

DATA part<>+0x00(SB)/8, $-1
DATA part<>+0x08(SB)/8, $-1
DATA part<>+0x10(SB)/8, $-1
DATA part<>+0x18(SB)/8, $-1
GLOBL part<>(SB), RODATA|NOPTR, $64 // eight ones and eight zeros

// func matVec512(y, a *float32, lda int, x *float32, rows, cols, keep int)
//
// Four rows of A at a time, so that each register of x is used four times; Z0-Z3 are their sums, Z4-Z7 those of
// every other register, since one sum after the other would wait for each. rows is a multiple of four.
TEXT ·matVec512(SB), NOSPLIT, $0-56
	MOVQ y+0(FP), DI
	MOVQ a+8(FP), BX
	MOVQ lda+16(FP), R8
	MOVQ x+24(FP), DX
	MOVQ rows+32(FP), R11
	MOVQ cols+40(FP), R12
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9
	MOVQ keep+48(FP), X15
	VPBROADCASTD X15, X15

rows:
	MOVQ BX, AX
	LEAQ (BX)(R8*4), R10
	MOVQ DX, SI
	MOVQ R12, CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7

two:
	CMPQ CX, $32
	JLT one
	PREFETCHT0 (R10)
	PREFETCHT0 64(R10)
	PREFETCHT0 128(R10)
	PREFETCHT0 192(R10)
	PREFETCHT0 256(R10)
	PREFETCHT0 320(R10)
	PREFETCHT0 384(R10)
	PREFETCHT0 448(R10)
	ADDQ $512, R10
	VMOVUPS (SI), Z8
	VMOVUPS 64(SI), Z9
	VFMADD231PS (AX), Z8, Z0
	VFMADD231PS (AX)(R8*1), Z8, Z1
	VFMADD231PS (AX)(R8*2), Z8, Z2
	VFMADD231PS (AX)(R9*1), Z8, Z3
	VFMADD231PS 64(AX), Z9, Z4
	VFMADD231PS 64(AX)(R8*1), Z9, Z5
	VFMADD231PS 64(AX)(R8*2), Z9, Z6
	VFMADD231PS 64(AX)(R9*1), Z9, Z7
	ADDQ $128, AX
	ADDQ $128, SI
	SUBQ $32, CX
	JMP two

one:
	TESTQ CX, CX
	JLE total
	MOVQ $16, R10
	CMPQ CX, R10
	CMOVQLT CX, R10
	MOVQ $-1, R13
	BZHIQ R10, R13, R13
	KMOVW R13, K1
	VMOVUPS.Z (SI), K1, Z8
	VMOVUPS.Z (AX), K1, Z9
	VFMADD231PS Z9, Z8, Z0
	VMOVUPS.Z (AX)(R8*1), K1, Z9
	VFMADD231PS Z9, Z8, Z1
	VMOVUPS.Z (AX)(R8*2), K1, Z9
	VFMADD231PS Z9, Z8, Z2
	VMOVUPS.Z (AX)(R9*1), K1, Z9
	VFMADD231PS Z9, Z8, Z3
	ADDQ $64, AX
	ADDQ $64, SI
	SUBQ $16, CX
	JMP one

total:
	VADDPS Z4, Z0, Z0
	VADDPS Z5, Z1, Z1
	VADDPS Z6, Z2, Z2
	VADDPS Z7, Z3, Z3
	VEXTRACTF64X4 $1, Z0, Y4
	VADDPS Y4, Y0, Y0
	VEXTRACTF64X4 $1, Z1, Y5
	VADDPS Y5, Y1, Y1
	VEXTRACTF64X4 $1, Z2, Y6
	VADDPS Y6, Y2, Y2
	VEXTRACTF64X4 $1, Z3, Y7
	VADDPS Y7, Y3, Y3
	VEXTRACTF128 $1, Y0, X4
	VADDPS X4, X0, X0
	VEXTRACTF128 $1, Y1, X5
	VADDPS X5, X1, X1
	VEXTRACTF128 $1, Y2, X6
	VADDPS X6, X2, X2
	VEXTRACTF128 $1, Y3, X7
	VADDPS X7, X3, X3
	VHADDPS X1, X0, X0
	VHADDPS X3, X2, X2
	VHADDPS X2, X0, X0
	VMOVUPS (DI), X1
	VANDPS X15, X1, X1
	VADDPS X1, X0, X0
	VMOVUPS X0, (DI)
	ADDQ $16, DI
	LEAQ (BX)(R8*4), BX
	SUBQ $4, R11
	JNZ rows
	VZEROUPPER
	RET

// func matVec256(y, a *float32, lda int, x *float32, rows, cols, keep int)
//
// Four rows of A at a time, so that each register of x is used four times; Y0-Y3 are their sums, Y4-Y7 those of
// every other register, since one sum after the other would wait for each. rows is a multiple of four.
TEXT ·matVec256(SB), NOSPLIT, $0-56
	MOVQ y+0(FP), DI
	MOVQ a+8(FP), BX
	MOVQ lda+16(FP), R8
	MOVQ x+24(FP), DX
	MOVQ rows+32(FP), R11
	MOVQ cols+40(FP), R12
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9
	MOVQ keep+48(FP), X15
	VPBROADCASTD X15, X15

rows:
	MOVQ BX, AX
	LEAQ (BX)(R8*4), R10
	MOVQ DX, SI
	MOVQ R12, CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7

two:
	CMPQ CX, $16
	JLT one
	PREFETCHT0 (R10)
	PREFETCHT0 64(R10)
	PREFETCHT0 128(R10)
	PREFETCHT0 192(R10)
	ADDQ $256, R10
	VMOVUPS (SI), Y8
	VMOVUPS 32(SI), Y9
	VFMADD231PS (AX), Y8, Y0
	VFMADD231PS (AX)(R8*1), Y8, Y1
	VFMADD231PS (AX)(R8*2), Y8, Y2
	VFMADD231PS (AX)(R9*1), Y8, Y3
	VFMADD231PS 32(AX), Y9, Y4
	VFMADD231PS 32(AX)(R8*1), Y9, Y5
	VFMADD231PS 32(AX)(R8*2), Y9, Y6
	VFMADD231PS 32(AX)(R9*1), Y9, Y7
	ADDQ $64, AX
	ADDQ $64, SI
	SUBQ $16, CX
	JMP two

one:
	TESTQ CX, CX
	JLE total
	MOVQ $8, R10
	CMPQ CX, R10
	CMOVQLT CX, R10
	LEAQ part<>+32(SB), R13
	SHLQ $2, R10
	SUBQ R10, R13
	VMOVUPS (R13), Y14
	VMASKMOVPS (SI), Y14, Y8
	VMASKMOVPS (AX), Y14, Y9
	VFMADD231PS Y9, Y8, Y0
	VMASKMOVPS (AX)(R8*1), Y14, Y9
	VFMADD231PS Y9, Y8, Y1
	VMASKMOVPS (AX)(R8*2), Y14, Y9
	VFMADD231PS Y9, Y8, Y2
	VMASKMOVPS (AX)(R9*1), Y14, Y9
	VFMADD231PS Y9, Y8, Y3
	ADDQ $32, AX
	ADDQ $32, SI
	SUBQ $8, CX
	JMP one

total:
	VADDPS Y4, Y0, Y0
	VADDPS Y5, Y1, Y1
	VADDPS Y6, Y2, Y2
	VADDPS Y7, Y3, Y3
	VEXTRACTF128 $1, Y0, X4
	VADDPS X4, X0, X0
	VEXTRACTF128 $1, Y1, X5
	VADDPS X5, X1, X1
	VEXTRACTF128 $1, Y2, X6
	VADDPS X6, X2, X2
	VEXTRACTF128 $1, Y3, X7
	VADDPS X7, X3, X3
	VHADDPS X1, X0, X0
	VHADDPS X3, X2, X2
	VHADDPS X2, X0, X0
	VMOVUPS (DI), X1
	VANDPS X15, X1, X1
	VADDPS X1, X0, X0
	VMOVUPS X0, (DI)
	ADDQ $16, DI
	LEAQ (BX)(R8*4), BX
	SUBQ $4, R11
	JNZ rows
	VZEROUPPER
	RET
