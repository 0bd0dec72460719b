//go:build !portable

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
	case avx512BF16:
		strip512BF16(s)
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
func strip512BF16(s *strip)

//go:noescape
func strip256(s *strip)

// hasBF16 reports whether the processor multiplies pairs of bfloat16s.
func hasBF16() bool { return best() == avx512 && cpu.X86.HasAVX512BF16 && cpu.X86.HasAVX512BW }

// pairRowFast writes the first pairs of a row and says how many.
func pairRowFast(dst, x []float32) int {
	n := len(x) / 32
	if n == 0 || !hasBF16() {
		return 0
	}
	pairRow512(&dst[0], &x[0], n)
	return 16 * n
}

// pairRowsFast writes the first pairs of two rows and says how many.
func pairRowsFast(dst, x, y []float32) int {
	n := len(x) / 16
	if n == 0 || !hasBF16() {
		return 0
	}
	pairRows512(&dst[0], &x[0], &y[0], n)
	return 16 * n
}

// pairRow512 writes n times 16 pairs.
//
//go:noescape
func pairRow512(dst, x *float32, n int)

// pairRows512 writes n times 16 pairs.
//
//go:noescape
func pairRows512(dst, x, y *float32, n int)

// transposeFast transposes blocks of eight rows, or of four, and eight columns if the matrix is at least that large, and
// says whether it did. The last blocks overlap those before them, where the same values are written twice.
func transposeFast(s isa, dst []float32, ldd int, src []float32, lds, rows, cols int) bool {
	height := 8
	if rows < height {
		height = 4
	}
	if s < avx2 || rows < height || cols < 8 {
		return false
	}
	for i := 0; i < rows; i += height {
		i := min(i, rows-height)
		transposeBlocks(height, &dst[i], ldd, &src[i*lds], lds, cols/8)
		if j := cols - 8; cols%8 != 0 {
			transposeBlocks(height, &dst[j*ldd+i], ldd, &src[i*lds+j], lds, 1)
		}
	}
	return true
}

// transposeBlocks transposes so many blocks of 8×8 or 4×8 that lie side by side.
func transposeBlocks(height int, dst *float32, ldd int, src *float32, lds, blocks int) {
	if height == 8 {
		transpose8(dst, ldd, src, lds, blocks)
	} else {
		transpose4(dst, ldd, src, lds, blocks)
	}
}

//go:noescape
func transpose8(dst *float32, ldd int, src *float32, lds, blocks int)

//go:noescape
func transpose4(dst *float32, ldd int, src *float32, lds, blocks int)

// copyRowsFast copies rows×cols values if there is code for rows that short, and says whether it did.
func copyRowsFast(s isa, dst []float32, ldd int, src []float32, lds, rows, cols int) bool {
	switch {
	case s < avx2 || cols < 4:
		return false
	case cols <= 8:
		copyRows4(&dst[0], ldd, &src[0], lds, rows, cols)
	case cols <= 16:
		copyRows8(&dst[0], ldd, &src[0], lds, rows, cols)
	case cols <= 32 && s >= avx512:
		copyRows16(&dst[0], ldd, &src[0], lds, rows, cols)
	default:
		return false
	}
	return true
}

//go:noescape
func copyRows4(dst *float32, ldd int, src *float32, lds, rows, cols int)

//go:noescape
func copyRows8(dst *float32, ldd int, src *float32, lds, rows, cols int)

//go:noescape
func copyRows16(dst *float32, ldd int, src *float32, lds, rows, cols int)
