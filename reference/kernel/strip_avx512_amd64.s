//go:build amd64 && !portable

#include "go_asm.h"
#include "textflag.h"

// ROW adds a·B to a row of the tile; HALF and QUARTER for a part of it.
#define ROW(a, left, right, p0, modrm) VBROADCASTSS a, Z30; VFMADD231PS Z28, Z30, left; VFMADD231PS Z29, Z30, right
#define HALF(a, left, p0, modrm) VFMADD231PS.BCST a, Z28, left
#define QUARTER(a, left) VFMADD231PS.BCST a, Y28, left

// func strip512(s *strip)
#define STRIP TEXT ·strip512(SB), NOSPLIT, $16-8
#include "strip_avx512.h"
