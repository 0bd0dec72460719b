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
#define NEXT4 ADDQ $32, DI; ADDQ $32, SI; ADDQ $32, DX; ADDQ $32, BX

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
