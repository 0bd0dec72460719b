//go:build amd64

#include "go_asm.h"
#include "textflag.h"

// Element-wise functions for AVX2: eight values at a time, and the rest through a mask, so that every element goes
// through the same instructions wherever it stands.

// Eight ones and eight zeros: n elements exist in the eight lanes that begin 8-n lanes from the start.
DATA rest<>+0x00(SB)/8, $-1
DATA rest<>+0x08(SB)/8, $-1
DATA rest<>+0x10(SB)/8, $-1
DATA rest<>+0x18(SB)/8, $-1
GLOBL rest<>(SB), RODATA|NOPTR, $64

// The two ways to read and to write eight lanes; Y15 is the mask.
#define GET(address, y) VMOVUPS address, y
#define PUT(y, address) VMOVUPS y, address
#define GETREST(address, y) VMASKMOVPS address, Y15, y
#define PUTREST(y, address) VMASKMOVPS y, Y15, address

// EACH runs body on all CX elements; next moves the pointers on by eight.
#define EACH(body, next) \
full: \
	CMPQ CX, $8; \
	JLT rest; \
	body(GET, PUT); \
	next; \
	SUBQ $8, CX; \
	JMP full; \
rest: \
	TESTQ CX, CX; \
	JZ done; \
	LEAQ rest<>+32(SB), AX; \
	SHLQ $2, CX; \
	SUBQ CX, AX; \
	VMOVUPS (AX), Y15; \
	body(GETREST, PUTREST); \
done: \
	VZEROUPPER; \
	RET

#define NEXT1 ADDQ $32, DI
#define NEXT2 ADDQ $32, DI; ADDQ $32, SI
#define NEXT3 ADDQ $32, DI; ADDQ $32, SI; ADDQ $32, DX
#define NEXT4 ADDQ $32, DI; ADDQ $32, SI; ADDQ $32, DX; ADDQ $32, BX

// func add256(dst, x, y *float32, n int)
#define ADDBODY(get, put) get((SI), Y0); get((DX), Y1); VADDPS Y1, Y0, Y0; put(Y0, (DI))
TEXT ·add256(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), CX
	EACH(ADDBODY, NEXT3)

// func mul256(dst, x, y *float32, n int)
#define MULBODY(get, put) get((SI), Y0); get((DX), Y1); VMULPS Y1, Y0, Y0; put(Y0, (DI))
TEXT ·mul256(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), CX
	EACH(MULBODY, NEXT3)

DATA one<>+0(SB)/4, $0x3f800000 // 1
GLOBL one<>(SB), RODATA|NOPTR, $4

// func siluGrad256(dst, x, sigma, dy *float32, n int)
#define SILUGRADBODY(get, put) \
	get((DX), Y0); \
	VSUBPS Y0, Y14, Y1; \
	get((SI), Y2); \
	VFMADD213PS Y14, Y2, Y1; \
	get((BX), Y2); \
	VMULPS Y2, Y0, Y0; \
	VMULPS Y1, Y0, Y0; \
	put(Y0, (DI))
TEXT ·siluGrad256(SB), NOSPLIT, $0-40
	VBROADCASTSS one<>(SB), Y14
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ sigma+16(FP), DX
	MOVQ dy+24(FP), BX
	MOVQ n+32(FP), CX
	EACH(SILUGRADBODY, NEXT4)

// func scale256(alpha float32, x *float32, n int)
#define SCALEBODY(get, put) get((DI), Y0); VMULPS Y14, Y0, Y0; put(Y0, (DI))
TEXT ·scale256(SB), NOSPLIT, $0-24
	VBROADCASTSS alpha+0(FP), Y14
	MOVQ x+8(FP), DI
	MOVQ n+16(FP), CX
	EACH(SCALEBODY, NEXT1)

// func axpy256(alpha float32, x, y *float32, n int)
#define AXPYBODY(get, put) get((SI), Y0); get((DI), Y1); VFMADD231PS Y0, Y14, Y1; put(Y1, (DI))
TEXT ·axpy256(SB), NOSPLIT, $0-32
	VBROADCASTSS alpha+0(FP), Y14
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DI
	MOVQ n+24(FP), CX
	EACH(AXPYBODY, NEXT2)

// In double precision: WIDEN makes eight doubles, in low and high, of the floats in x, and NARROW eight floats of those
// (X and Y are the two names of one register). PRODUCT64 is a·x·y, with a in Y14, in Y1 and Y2.
#define WIDEN(xname, yname, low, high) \
	VEXTRACTF128 $1, yname, X13; \
	VCVTPS2PD xname, low; \
	VCVTPS2PD X13, high
#define NARROW(xlow, ylow, xhigh, yhigh) \
	VCVTPD2PSY ylow, xlow; \
	VCVTPD2PSY yhigh, xhigh; \
	VINSERTF128 $1, xhigh, ylow, ylow
#define PRODUCT64(get) \
	get((SI), Y0); \
	WIDEN(X0, Y0, Y1, Y2); \
	get((DX), Y0); \
	WIDEN(X0, Y0, Y3, Y4); \
	VMULPD Y3, Y1, Y1; \
	VMULPD Y4, Y2, Y2; \
	VMULPD Y14, Y1, Y1; \
	VMULPD Y14, Y2, Y2

// func scaledMul256(dst *float32, a float64, x, y *float32, n int)
#define SCALEDMULBODY(get, put) PRODUCT64(get); NARROW(X1, Y1, X2, Y2); put(Y1, (DI))
TEXT ·scaledMul256(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	VBROADCASTSD a+8(FP), Y14
	MOVQ x+16(FP), SI
	MOVQ y+24(FP), DX
	MOVQ n+32(FP), CX
	EACH(SCALEDMULBODY, NEXT3)

// func scaledMulAdd256(dst *float32, a float64, x, y *float32, b float64, z *float32, n int)
#define SCALEDMULADDBODY(get, put) \
	PRODUCT64(get); \
	get((BX), Y0); \
	WIDEN(X0, Y0, Y3, Y4); \
	VFMADD231PD Y12, Y3, Y1; \
	VFMADD231PD Y12, Y4, Y2; \
	NARROW(X1, Y1, X2, Y2); \
	put(Y1, (DI))
TEXT ·scaledMulAdd256(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	VBROADCASTSD a+8(FP), Y14
	MOVQ x+16(FP), SI
	MOVQ y+24(FP), DX
	VBROADCASTSD b+32(FP), Y12
	MOVQ z+40(FP), BX
	MOVQ n+48(FP), CX
	EACH(SCALEDMULADDBODY, NEXT4)

// One step of AdamW: p, g, m, v in Y0-Y3, the rates in Y4-Y12 in the order of the struct. The lines are, in pairs and
// groups: m = β1·m + (1-β1)·g;  v = β2·v + (1-β2)·g²;  p -= lr·decay·p;  lr·(m/bias1) in Y2;  √(v/bias2) + eps in Y3.
#define ADAMBODY(get, put) \
	get((DI), Y0); \
	get((SI), Y1); \
	get((DX), Y2); \
	get((BX), Y3); \
	VMULPS Y4, Y2, Y2; \
	VFMADD231PS Y1, Y5, Y2; \
	put(Y2, (DX)); \
	VMULPS Y1, Y1, Y1; \
	VMULPS Y6, Y3, Y3; \
	VFMADD231PS Y1, Y7, Y3; \
	put(Y3, (BX)); \
	VFNMADD231PS Y0, Y10, Y0; \
	VDIVPS Y11, Y2, Y2; \
	VMULPS Y8, Y2, Y2; \
	VDIVPS Y12, Y3, Y3; \
	VSQRTPS Y3, Y3; \
	VADDPS Y9, Y3, Y3; \
	VDIVPS Y3, Y2, Y2; \
	VSUBPS Y2, Y0, Y0; \
	put(Y0, (DI))

// func adamW256(p, grad, m, v *float32, n int, r *adamRates)
TEXT ·adamW256(SB), NOSPLIT, $0-48
	MOVQ p+0(FP), DI
	MOVQ grad+8(FP), SI
	MOVQ m+16(FP), DX
	MOVQ v+24(FP), BX
	MOVQ n+32(FP), CX
	MOVQ r+40(FP), AX
	VBROADCASTSS adamRates_beta1(AX), Y4
	VBROADCASTSS adamRates_rest1(AX), Y5
	VBROADCASTSS adamRates_beta2(AX), Y6
	VBROADCASTSS adamRates_rest2(AX), Y7
	VBROADCASTSS adamRates_lr(AX), Y8
	VBROADCASTSS adamRates_eps(AX), Y9
	VBROADCASTSS adamRates_shrink(AX), Y10
	VBROADCASTSS adamRates_bias1(AX), Y11
	VBROADCASTSS adamRates_bias2(AX), Y12
	EACH(ADAMBODY, NEXT4)
