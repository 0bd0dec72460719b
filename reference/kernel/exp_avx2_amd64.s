//go:build amd64 && !portable

#include "textflag.h"

// Exp and Sigmoid for AVX2. The method is the one in vector_avx512_amd64.s and gives the same bits.
DATA exp256<>+0(SB)/4, $0x42b20000  // 89
DATA exp256<>+4(SB)/4, $0xc2d20000  // -105
DATA exp256<>+8(SB)/4, $0x3fb8aa3b  // log2 e
DATA exp256<>+12(SB)/4, $0x3f318000 // ln 2, first part: 355/512
DATA exp256<>+16(SB)/4, $0xb95e8083 // ln 2, second part
DATA exp256<>+20(SB)/4, $0x3ab688be // c6
DATA exp256<>+24(SB)/4, $0x3c0905f1 // c5
DATA exp256<>+28(SB)/4, $0x3d2aaa8c // c4
DATA exp256<>+32(SB)/4, $0x3e2aaa6e // c3
DATA exp256<>+36(SB)/4, $0x3f000000 // c2
DATA exp256<>+40(SB)/4, $0x3f800000 // 1
DATA exp256<>+44(SB)/4, $0x80000000 // the sign bit
GLOBL exp256<>(SB), RODATA|NOPTR, $48

DATA lanes<>+0x00(SB)/8, $-1
DATA lanes<>+0x08(SB)/8, $-1
DATA lanes<>+0x10(SB)/8, $-1
DATA lanes<>+0x18(SB)/8, $-1
GLOBL lanes<>(SB), RODATA|NOPTR, $64 // eight ones and eight zeros, see vector_avx2_amd64.s

#define CONSTANTS \
	VBROADCASTSS exp256<>+8(SB), Y8; \
	VBROADCASTSS exp256<>+12(SB), Y9; \
	VBROADCASTSS exp256<>+16(SB), Y10; \
	VBROADCASTSS exp256<>+24(SB), Y11; \
	VBROADCASTSS exp256<>+28(SB), Y12; \
	VBROADCASTSS exp256<>+32(SB), Y13; \
	VBROADCASTSS exp256<>+40(SB), Y14

// Y0 = e^Y0, by way of n in Y1, r in Y0 and what r lost in Y5. 2^n is applied as two powers of about half the exponent, made from their
// bits, since one alone could not express the smallest results: the first product is exact, the second rounds.
#define EXPY \
	VBROADCASTSS exp256<>+0(SB), Y2; \
	VMINPS Y0, Y2, Y0; \
	VBROADCASTSS exp256<>+4(SB), Y2; \
	VMAXPS Y0, Y2, Y0; \
	VMULPS Y8, Y0, Y1; \
	VROUNDPS $0, Y1, Y1; \
	VFNMADD231PS Y9, Y1, Y0; \
	VMOVAPS Y0, Y5; \
	VFNMADD231PS Y10, Y1, Y0; \
	VSUBPS Y0, Y5, Y5; \
	VFNMADD231PS Y10, Y1, Y5; \
	VBROADCASTSS exp256<>+20(SB), Y2; \
	VFMADD213PS Y11, Y0, Y2; \
	VFMADD213PS Y12, Y0, Y2; \
	VFMADD213PS Y13, Y0, Y2; \
	VBROADCASTSS exp256<>+36(SB), Y3; \
	VFMADD213PS Y3, Y0, Y2; \
	VMULPS Y0, Y0, Y3; \
	VFMADD213PS Y5, Y3, Y2; \
	VADDPS Y2, Y0, Y0; \
	VADDPS Y14, Y0, Y0; \
	VCVTPS2DQ Y1, Y1; \
	VPSRAD $1, Y1, Y2; \
	VPSUBD Y2, Y1, Y1; \
	VPSLLD $23, Y2, Y2; \
	VPADDD Y14, Y2, Y2; \
	VMULPS Y2, Y0, Y0; \
	VPSLLD $23, Y1, Y1; \
	VPADDD Y14, Y1, Y1; \
	VMULPS Y1, Y0, Y0

// Y15 has a sign bit for each of the CX < 8 elements that are left.
#define MASK \
	LEAQ lanes<>+32(SB), AX; \
	SHLQ $2, CX; \
	SUBQ CX, AX; \
	VMOVUPS (AX), Y15

// func exp256(dst, x *float32, n int)
TEXT ·exp256(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	CONSTANTS

full:
	CMPQ CX, $8
	JLT rest
	VMOVUPS (SI), Y0
	EXPY
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JMP full

rest:
	TESTQ CX, CX
	JZ done
	MASK
	VMASKMOVPS (SI), Y15, Y0
	EXPY
	VMASKMOVPS Y0, Y15, (DI)

done:
	VZEROUPPER
	RET

// Y0 = sigmoid of Y0. With e = e^-|x|: 1/(1+e), or e/(1+e) where the sign bit of x is set.
#define SIGMOIDY \
	VMOVAPS Y0, Y4; \
	VBROADCASTSS exp256<>+44(SB), Y2; \
	VORPS Y2, Y0, Y0; \
	EXPY; \
	VBLENDVPS Y4, Y0, Y14, Y4; \
	VADDPS Y14, Y0, Y0; \
	VDIVPS Y0, Y4, Y0

// func sigmoid256(dst, x *float32, n int)
TEXT ·sigmoid256(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	CONSTANTS

full:
	CMPQ CX, $8
	JLT rest
	VMOVUPS (SI), Y0
	SIGMOIDY
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JMP full

rest:
	TESTQ CX, CX
	JZ done
	MASK
	VMASKMOVPS (SI), Y15, Y0
	SIGMOIDY
	VMASKMOVPS Y0, Y15, (DI)

done:
	VZEROUPPER
	RET
