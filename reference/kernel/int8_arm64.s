//go:build arm64 && !portable

#include "textflag.h"

// Go's assembler does not know these instructions on vectors.
#define SMULL(m, n, d) WORD $(0x0E20C000 | m<<16 | n<<5 | d)  // 8 products of the lower int8s, in int16s
#define SMULL2(m, n, d) WORD $(0x4E20C000 | m<<16 | n<<5 | d) // 8 of the upper ones
#define SADALP(n, d) WORD $(0x4E606800 | n<<5 | d)            // adds pairs of int16s to 4 int32s
#define SCVTF(n, d) WORD $(0x4E21D800 | n<<5 | d)             // int32s to float32s
#define FADDP(m, n, d) WORD $(0x6E20D400 | m<<16 | n<<5 | d)  // sums of neighbours

// func dotGroupsNeon(a, b *int8, scaleA, scaleB *float32, groups, blocks int) float32
//
// As in int8_amd64.s, with four lanes: V0 the sum of the row, V1 that of a group.
TEXT ·dotGroupsNeon(SB), NOSPLIT, $0-52
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD scaleA+16(FP), R2
	MOVD scaleB+24(FP), R3
	MOVD groups+32(FP), R4
	MOVD blocks+40(FP), R5
	VEOR V0.B16, V0.B16, V0.B16

group:
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R5, R6

next:
	VLD1.P 32(R0), [V2.B16, V3.B16]
	VLD1.P 32(R1), [V4.B16, V5.B16]
	SMULL(4, 2, 6)
	SMULL2(4, 2, 7)
	SMULL(5, 3, 16)
	SMULL2(5, 3, 17)
	SADALP(6, 1)
	SADALP(7, 1)
	SADALP(16, 1)
	SADALP(17, 1)
	SUBS $1, R6
	BNE next
	SCVTF(1, 1)
	FMOVS.P 4(R2), F2
	FMOVS.P 4(R3), F3
	FMULS F3, F2, F2
	VDUP V2.S[0], V2.S4
	VFMLA V2.S4, V1.S4, V0.S4
	SUBS $1, R4
	BNE group
	FADDP(0, 0, 0)
	FADDP(0, 0, 0)
	FMOVS F0, ret+48(FP)
	RET
