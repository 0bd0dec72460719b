//go:build amd64 && !portable

#include "textflag.h"

// e^x in float32. With n = round(x·log2 e) and r = x - n·ln 2, which lies within ±ln 2 / 2:
//
//	e^x = 2^n·e^r,   e^r ≈ 1 + r + r²·(c2 + c3·r + c4·r² + c5·r³ + c6·r⁴)
//
// ln 2 is taken in two parts, of which the first has nine bits, so that n times it is exact. What is lost when the second
// is subtracted is added to the polynomial. The polynomial interpolates
// (e^r-1-r)/r² at the five Chebyshev points of the interval; its relative error is below 2^-26. x is first brought into
// [-105, 89], beyond which the result is 0 or +Inf anyhow.
DATA exp512<>+0(SB)/4, $0x42b20000  // 89
DATA exp512<>+4(SB)/4, $0xc2d20000  // -105
DATA exp512<>+8(SB)/4, $0x3fb8aa3b  // log2 e
DATA exp512<>+12(SB)/4, $0x3f318000 // ln 2, first part: 355/512
DATA exp512<>+16(SB)/4, $0xb95e8083 // ln 2, second part
DATA exp512<>+20(SB)/4, $0x3ab688be // c6
DATA exp512<>+24(SB)/4, $0x3c0905f1 // c5
DATA exp512<>+28(SB)/4, $0x3d2aaa8c // c4
DATA exp512<>+32(SB)/4, $0x3e2aaa6e // c3
DATA exp512<>+36(SB)/4, $0x3f000000 // c2
DATA exp512<>+40(SB)/4, $0x3f800000 // 1
DATA exp512<>+44(SB)/4, $0x80000000 // the sign bit
GLOBL exp512<>(SB), RODATA|NOPTR, $48

#define CONSTANTS \
	VBROADCASTSS exp512<>+0(SB), Z16; \
	VBROADCASTSS exp512<>+4(SB), Z17; \
	VBROADCASTSS exp512<>+8(SB), Z18; \
	VBROADCASTSS exp512<>+12(SB), Z19; \
	VBROADCASTSS exp512<>+16(SB), Z20; \
	VBROADCASTSS exp512<>+20(SB), Z21; \
	VBROADCASTSS exp512<>+24(SB), Z22; \
	VBROADCASTSS exp512<>+28(SB), Z23; \
	VBROADCASTSS exp512<>+32(SB), Z24; \
	VBROADCASTSS exp512<>+36(SB), Z25; \
	VBROADCASTSS exp512<>+40(SB), Z26; \
	VBROADCASTSS exp512<>+44(SB), Z27

// Z0 = e^Z0, by way of n in Z1, r in Z0 and what r lost in Z4. MIN and MAX return their last operand, here the first, if it is NaN.
#define EXPZ \
	VMINPS Z0, Z16, Z0; \
	VMAXPS Z0, Z17, Z0; \
	VMULPS Z18, Z0, Z1; \
	VRNDSCALEPS $0, Z1, Z1; \
	VFNMADD231PS Z19, Z1, Z0; \
	VMOVAPS Z0, Z4; \
	VFNMADD231PS Z20, Z1, Z0; \
	VSUBPS Z0, Z4, Z4; \
	VFNMADD231PS Z20, Z1, Z4; \
	VMOVAPS Z21, Z2; \
	VFMADD213PS Z22, Z0, Z2; \
	VFMADD213PS Z23, Z0, Z2; \
	VFMADD213PS Z24, Z0, Z2; \
	VFMADD213PS Z25, Z0, Z2; \
	VMULPS Z0, Z0, Z3; \
	VFMADD213PS Z4, Z3, Z2; \
	VADDPS Z2, Z0, Z0; \
	VADDPS Z26, Z0, Z0; \
	VSCALEFPS Z1, Z0, Z0

// K1 has a one for each element that is left, sixteen at most.
#define MASK \
	MOVQ $16, AX; \
	CMPQ CX, AX; \
	CMOVQLT CX, AX; \
	BZHIQ AX, R8, AX; \
	KMOVW AX, K1

// func exp512(dst, x *float32, n int)
TEXT ·exp512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ $-1, R8
	CONSTANTS

loop:
	MASK
	VMOVUPS.Z (SI), K1, Z0
	EXPZ
	VMOVUPS Z0, K1, (DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JG loop
	VZEROUPPER
	RET

// func sigmoid512(dst, x *float32, n int)
//
// With e = e^-|x|: 1/(1+e) where x is positive, e/(1+e) where its sign bit is set.
TEXT ·sigmoid512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ $-1, R8
	CONSTANTS
	VPXORQ Z15, Z15, Z15

loop:
	MASK
	VMOVUPS.Z (SI), K1, Z0
	VPCMPD $1, Z15, Z0, K2
	VPORD Z27, Z0, Z0
	EXPZ
	VMOVAPS Z26, Z4
	VMOVAPS Z0, K2, Z4
	VADDPS Z26, Z0, Z0
	VDIVPS Z0, Z4, Z0
	VMOVUPS Z0, K1, (DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JG loop
	VZEROUPPER
	RET

// func dot512(x, y *float32, n int) float32
//
// Sixty-four sums of every sixty-fourth product, four registers; the rest goes through a mask into the first of them.
TEXT ·dot512(SB), NOSPLIT, $0-28
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ $-1, R8
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	SUBQ $64, CX
	JLT rest

loop:
	VMOVUPS (SI), Z4
	VMOVUPS 64(SI), Z5
	VMOVUPS 128(SI), Z6
	VMOVUPS 192(SI), Z7
	VFMADD231PS (DI), Z4, Z0
	VFMADD231PS 64(DI), Z5, Z1
	VFMADD231PS 128(DI), Z6, Z2
	VFMADD231PS 192(DI), Z7, Z3
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $64, CX
	JGE loop

rest:
	ADDQ $64, CX
	JZ total

part:
	MASK
	VMOVUPS.Z (SI), K1, Z4
	VMOVUPS.Z (DI), K1, Z5
	VFMADD231PS Z5, Z4, Z0
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JG part

total:
	VADDPS Z1, Z0, Z0
	VADDPS Z3, Z2, Z2
	VADDPS Z2, Z0, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPS Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS X1, X0, X0
	VHADDPS X0, X0, X0
	VHADDPS X0, X0, X0
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET
