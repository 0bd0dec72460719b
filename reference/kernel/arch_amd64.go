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

// transposeFast transposes blocks of 8×8 if the matrix is at least that large, and says whether it did. The last blocks
// overlap those before them, where the same values are written twice.
func transposeFast(s isa, dst []float32, ldd int, src []float32, lds, rows, cols int) bool {
	const n = 8
	if s < avx2 || rows < n || cols < n {
		return false
	}
	for i := 0; i < rows; i += n {
		i := min(i, rows-n)
		transpose8(&dst[i], ldd, &src[i*lds], lds, cols/n)
		if j := cols - n; cols%n != 0 {
			transpose8(&dst[j*ldd+i], ldd, &src[i*lds+j], lds, 1)
		}
	}
	return true
}

//go:noescape
func transpose8(dst *float32, ldd int, src *float32, lds, blocks int)

// copyRowsFast copies rows×cols values if the instruction set has code for rows that short, and says whether it did.
func copyRowsFast(s isa, dst []float32, ldd int, src []float32, lds, rows, cols int) bool {
	switch {
	case s == avx512 && cols <= 32:
		copyRows512(&dst[0], ldd, &src[0], lds, rows, cols)
	case s == avx2 && cols <= 16:
		copyRows256(&dst[0], ldd, &src[0], lds, rows, cols)
	default:
		return false
	}
	return true
}

//go:noescape
func copyRows256(dst *float32, ldd int, src *float32, lds, rows, cols int)

//go:noescape
func copyRows512(dst *float32, ldd int, src *float32, lds, rows, cols int)
