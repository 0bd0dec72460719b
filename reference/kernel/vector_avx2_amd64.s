//go:build amd64 && !portable

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

// func div256(dst, x, y *float32, n int)
#define DIVBODY(get, put) get((SI), Y0); get((DX), Y1); VDIVPS Y1, Y0, Y0; put(Y0, (DI))
TEXT ·div256(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), CX
	EACH(DIVBODY, NEXT3)

// func mulAdd256(dst, x, y *float32, n int)
#define MULADDBODY(get, put) get((SI), Y0); get((DX), Y1); get((DI), Y2); VFMADD231PS Y1, Y0, Y2; put(Y2, (DI))
TEXT ·mulAdd256(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), CX
	EACH(MULADDBODY, NEXT3)

// func sqrt256(dst, x *float32, n int)
#define SQRTBODY(get, put) get((SI), Y0); VSQRTPS Y0, Y0; put(Y0, (DI))
TEXT ·sqrt256(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	EACH(SQRTBODY, NEXT2)

// func scaleTo256(dst *float32, alpha float32, x *float32, n int)
#define SCALEBODY(get, put) get((SI), Y0); VMULPS Y14, Y0, Y0; put(Y0, (DI))
TEXT ·scaleTo256(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	VBROADCASTSS alpha+8(FP), Y14
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), CX
	EACH(SCALEBODY, NEXT2)

// func addConst256(dst *float32, c float32, x *float32, n int)
#define ADDCONSTBODY(get, put) get((SI), Y0); VADDPS Y14, Y0, Y0; put(Y0, (DI))
TEXT ·addConst256(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	VBROADCASTSS c+8(FP), Y14
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), CX
	EACH(ADDCONSTBODY, NEXT2)

// func axpy256(alpha float32, x, y *float32, n int)
#define AXPYBODY(get, put) get((SI), Y0); get((DI), Y1); VFMADD231PS Y0, Y14, Y1; put(Y1, (DI))
TEXT ·axpy256(SB), NOSPLIT, $0-32
	VBROADCASTSS alpha+0(FP), Y14
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DI
	MOVQ n+24(FP), CX
	EACH(AXPYBODY, NEXT2)

// func axpby256(alpha float32, x *float32, beta float32, y *float32, n int)
#define AXPBYBODY(get, put) get((SI), Y0); get((DI), Y1); VMULPS Y13, Y1, Y1; VFMADD231PS Y0, Y14, Y1; put(Y1, (DI))
TEXT ·axpby256(SB), NOSPLIT, $0-40
	VBROADCASTSS alpha+0(FP), Y14
	MOVQ x+8(FP), SI
	VBROADCASTSS beta+16(FP), Y13
	MOVQ y+24(FP), DI
	MOVQ n+32(FP), CX
	EACH(AXPBYBODY, NEXT2)
