//go:build amd64 && !portable

#include "textflag.h"

// Reductions for AVX2: four registers of partial results; the rest, eight elements at a time and then through a mask, goes
// into the first of them.

DATA ones<>+0x00(SB)/8, $-1
DATA ones<>+0x08(SB)/8, $-1
DATA ones<>+0x10(SB)/8, $-1
DATA ones<>+0x18(SB)/8, $-1
GLOBL ones<>(SB), RODATA|NOPTR, $64 // eight ones and eight zeros, see vector_avx2_amd64.s

// Y15 has a sign bit for each of the CX < 8 elements that are left.
#define MASK \
	LEAQ ones<>+32(SB), AX; \
	SHLQ $2, CX; \
	SUBQ CX, AX; \
	VMOVUPS (AX), Y15

// X0 = the sum of all lanes of Y0-Y3.
#define TOTAL \
	VADDPS Y1, Y0, Y0; \
	VADDPS Y3, Y2, Y2; \
	VADDPS Y2, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS X1, X0, X0; \
	VHADDPS X0, X0, X0; \
	VHADDPS X0, X0, X0

#define ZERO4 \
	VXORPS Y0, Y0, Y0; \
	VXORPS Y1, Y1, Y1; \
	VXORPS Y2, Y2, Y2; \
	VXORPS Y3, Y3, Y3

// func dot256(x, y *float32, n int) float32
TEXT ·dot256(SB), NOSPLIT, $0-28
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ n+16(FP), CX
	ZERO4

four:
	CMPQ CX, $32
	JLT one
	VMOVUPS (SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	VFMADD231PS (DI), Y4, Y0
	VFMADD231PS 32(DI), Y5, Y1
	VFMADD231PS 64(DI), Y6, Y2
	VFMADD231PS 96(DI), Y7, Y3
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $32, CX
	JMP four

one:
	CMPQ CX, $8
	JLT rest
	VMOVUPS (SI), Y4
	VFMADD231PS (DI), Y4, Y0
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JMP one

rest:
	MASK
	VMASKMOVPS (SI), Y15, Y4
	VMASKMOVPS (DI), Y15, Y5
	VFMADD231PS Y5, Y4, Y0
	TOTAL
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func sum256(x *float32, n int) float32
TEXT ·sum256(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	ZERO4

four:
	CMPQ CX, $32
	JLT one
	VADDPS (SI), Y0, Y0
	VADDPS 32(SI), Y1, Y1
	VADDPS 64(SI), Y2, Y2
	VADDPS 96(SI), Y3, Y3
	ADDQ $128, SI
	SUBQ $32, CX
	JMP four

one:
	CMPQ CX, $8
	JLT rest
	VADDPS (SI), Y0, Y0
	ADDQ $32, SI
	SUBQ $8, CX
	JMP one

rest:
	MASK
	VMASKMOVPS (SI), Y15, Y4
	VADDPS Y4, Y0, Y0
	TOTAL
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

// The sum below is in double precision: WIDEN makes eight doubles, in low and high, of the floats in x (X and Y are the
// two names of one register), and TOTAL64 is the sum of all lanes of Y0-Y3.
#define WIDEN(xname, yname, low, high) \
	VEXTRACTF128 $1, yname, X14; \
	VCVTPS2PD xname, low; \
	VCVTPS2PD X14, high

#define TOTAL64 \
	VADDPD Y1, Y0, Y0; \
	VADDPD Y3, Y2, Y2; \
	VADDPD Y2, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD X1, X0, X0; \
	VHADDPD X0, X0, X0

// func sumSquares256(x *float32, n int) float64
TEXT ·sumSquares256(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	ZERO4

two:
	CMPQ CX, $16
	JLT one
	VCVTPS2PD (SI), Y4
	VCVTPS2PD 16(SI), Y5
	VCVTPS2PD 32(SI), Y6
	VCVTPS2PD 48(SI), Y7
	VFMADD231PD Y4, Y4, Y0
	VFMADD231PD Y5, Y5, Y1
	VFMADD231PD Y6, Y6, Y2
	VFMADD231PD Y7, Y7, Y3
	ADDQ $64, SI
	SUBQ $16, CX
	JMP two

one:
	CMPQ CX, $8
	JLT rest
	VCVTPS2PD (SI), Y4
	VCVTPS2PD 16(SI), Y5
	VFMADD231PD Y4, Y4, Y0
	VFMADD231PD Y5, Y5, Y1
	ADDQ $32, SI
	SUBQ $8, CX

rest:
	MASK
	VMASKMOVPS (SI), Y15, Y6
	WIDEN(X6, Y6, Y4, Y5)
	VFMADD231PD Y4, Y4, Y0
	VFMADD231PD Y5, Y5, Y1
	TOTAL64
	VMOVSD X0, ret+16(FP)
	VZEROUPPER
	RET

DATA lowest<>+0(SB)/4, $0xff800000 // -Inf
GLOBL lowest<>(SB), RODATA|NOPTR, $4

// LARGER takes a register of values into the maximum m; Y5 remembers with all ones, which is a NaN, where one was NaN.
#define LARGER(x, m, scratch) \
	VCMPPS $3, x, x, scratch; \
	VORPS scratch, Y5, Y5; \
	VMAXPS x, m, m

// func max256(x *float32, n int) float32
TEXT ·max256(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VBROADCASTSS lowest<>(SB), Y4
	VMOVAPS Y4, Y0
	VMOVAPS Y4, Y1
	VMOVAPS Y4, Y2
	VMOVAPS Y4, Y3
	VXORPS Y5, Y5, Y5

four:
	CMPQ CX, $32
	JLT one
	VMOVUPS (SI), Y6
	LARGER(Y6, Y0, Y7)
	VMOVUPS 32(SI), Y8
	LARGER(Y8, Y1, Y9)
	VMOVUPS 64(SI), Y10
	LARGER(Y10, Y2, Y11)
	VMOVUPS 96(SI), Y12
	LARGER(Y12, Y3, Y13)
	ADDQ $128, SI
	SUBQ $32, CX
	JMP four

one:
	CMPQ CX, $8
	JLT rest
	VMOVUPS (SI), Y6
	LARGER(Y6, Y0, Y7)
	ADDQ $32, SI
	SUBQ $8, CX
	JMP one

rest:
	MASK
	VMASKMOVPS (SI), Y15, Y6
	VBLENDVPS Y15, Y6, Y4, Y6
	LARGER(Y6, Y0, Y7)

	// Over the registers, then over the lanes; the marks of NaN over the lanes likewise.
	VMAXPS Y1, Y0, Y0
	VMAXPS Y3, Y2, Y2
	VMAXPS Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0x4e, X0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0xb1, X0, X1
	VMAXPS X1, X0, X0
	VEXTRACTF128 $1, Y5, X6
	VORPS X6, X5, X5
	VPERMILPS $0x4e, X5, X6
	VORPS X6, X5, X5
	VPERMILPS $0xb1, X5, X6
	VORPS X6, X5, X5
	VORPS X5, X0, X0
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET
