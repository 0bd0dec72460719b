//go:build amd64 && !portable

#include "textflag.h"

// The assembler does not know VCVTNE2PS2BF16, which rounds the values of two registers to bfloat16 and puts those of the
// second, Z0, below those of the first, Z1.
#define ROUND LONG $0x4877f262; WORD $0xd072 // VCVTNE2PS2BF16 Z0, Z1, Z2

// func pairRow512(dst, x *float32, n int)
TEXT ·pairRow512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	VMOVUPS (SI), Z0
	VMOVUPS 64(SI), Z1
	ROUND
	VMOVUPS Z2, (DI)
	ADDQ $128, SI
	ADDQ $64, DI
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// where in Z2 the words of a pair stand: the i-th, and the i-th of the upper half.
DATA weave<>+0x00(SB)/8, $0x0011000100100000
DATA weave<>+0x08(SB)/8, $0x0013000300120002
DATA weave<>+0x10(SB)/8, $0x0015000500140004
DATA weave<>+0x18(SB)/8, $0x0017000700160006
DATA weave<>+0x20(SB)/8, $0x0019000900180008
DATA weave<>+0x28(SB)/8, $0x001b000b001a000a
DATA weave<>+0x30(SB)/8, $0x001d000d001c000c
DATA weave<>+0x38(SB)/8, $0x001f000f001e000e
GLOBL weave<>(SB), RODATA|NOPTR, $64

// func pairRows512(dst, x, y *float32, n int)
TEXT ·pairRows512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), CX
	VMOVDQU64 weave<>(SB), Z3

loop:
	VMOVUPS (SI), Z0
	VMOVUPS (DX), Z1
	ROUND
	VPERMW Z2, Z3, Z2
	VMOVUPS Z2, (DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET
