package kernel

import "golang.org/x/sys/cpu"

// best is the fastest instruction set of this machine that there is code for.
func best() isa {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasBMI2:
		return avx512
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return avx2
	}
	return portable
}

// supported lists the instruction sets that this machine can run, best first.
func supported() []isa {
	switch best() {
	case avx512:
		return []isa{avx512, avx2, portable}
	case avx2:
		return []isa{avx2, portable}
	}
	return []isa{portable}
}

// run computes the strip with the given instruction set.
func (s *strip) run(with isa) {
	switch with {
	case avx512:
		strip512(s)
	case avx2:
		strip256(s)
	default:
		s.runPortable()
	}
}

//go:noescape
func strip512(s *strip)

//go:noescape
func strip256(s *strip)

// transposeFast transposes as many blocks of 8×8 as there are and returns how much it did.
func transposeFast(s isa, dst []float32, ldd int, src []float32, lds, rows, cols int) extent {
	if s < avx2 || cols < 8 {
		return extent{}
	}
	for i := 0; i+8 <= rows; i += 8 {
		transpose8(&dst[i], ldd, &src[i*lds], lds, cols/8)
	}
	return extent{rows &^ 7, cols &^ 7}
}

//go:noescape
func transpose8(dst *float32, ldd int, src *float32, lds, blocks int)

// copyRowsFast copies rows×cols values if the instruction set has code for rows that short, and says whether it did.
func copyRowsFast(s isa, dst []float32, ldd int, src []float32, lds, rows, cols int) bool {
	if s != avx512 {
		return false
	}
	copyRows512(&dst[0], ldd, &src[0], lds, rows, cols)
	return true
}

//go:noescape
func copyRows512(dst *float32, ldd int, src *float32, lds, rows, cols int)
