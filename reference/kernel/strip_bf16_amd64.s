//go:build amd64 && !portable

#include "go_asm.h"
#include "textflag.h"

// Every value of 32 bits of A and B is a pair of bfloat16s, of two steps of k that follow each other. VDPBF16PS adds the two
// products of pairs to a float32 sum. The assembler does not know it: 62 p0 0e 40 52 modrm is VDPBF16PS Z28, Z30, left, and
// with the next register, and Z29, what lies nine further.
#define ROW(a, left, right, p0, modrm) \
	VBROADCASTSS a, Z30; \
	LONG $(0x400e0062+(p0<<8)); WORD $(0x0052+(modrm<<8)); \
	LONG $(0x400e0062+(p0<<8)); WORD $(0x0952+(modrm<<8))
#define HALF(a, left, p0, modrm) \
	VBROADCASTSS a, Z30; \
	LONG $(0x400e0062+(p0<<8)); WORD $(0x0052+(modrm<<8))

// func strip512BF16(s *strip)
#define STRIP TEXT ·strip512BF16(SB), NOSPLIT, $16-8
#include "strip_avx512.h"
