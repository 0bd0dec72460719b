//go:build !portable

package kernel

// The functions below take a vector to the assembly if there is some for the instruction set, and say whether they did.
// Reading and writing once is all that most of them do, so AVX2 is as fast as AVX-512 there; only Exp, Sigmoid and Dot
// have both.

func expFast(s isa, dst, x []float32) bool {
	switch {
	case len(x) == 0 || s < avx2:
		return false
	case s == avx512:
		exp512(&dst[0], &x[0], len(x))
	default:
		exp256(&dst[0], &x[0], len(x))
	}
	return true
}

// matVecFast computes as many rows as the instruction set has code for, a multiple of four, and returns how many.
func matVecFast(s isa, y, a []float32, lda int, x []float32, accumulate bool) int {
	rows := len(y) &^ 3
	if rows == 0 || len(x) == 0 || s < avx2 {
		return 0
	}
	keep := 0
	if accumulate {
		keep = -1
	}
	if s == avx512 {
		matVec512(&y[0], &a[0], lda, &x[0], rows, len(x), keep)
	} else {
		matVec256(&y[0], &a[0], lda, &x[0], rows, len(x), keep)
	}
	return rows
}

func sigmoidFast(s isa, dst, x []float32) bool {
	switch {
	case len(x) == 0 || s < avx2:
		return false
	case s == avx512:
		sigmoid512(&dst[0], &x[0], len(x))
	default:
		sigmoid256(&dst[0], &x[0], len(x))
	}
	return true
}

func dotFast(s isa, x, y []float32) (float32, bool) {
	switch {
	case len(x) == 0 || s < avx2:
		return 0, false
	case s == avx512:
		return dot512(&x[0], &y[0], len(x)), true
	}
	return dot256(&x[0], &y[0], len(x)), true
}

func sumFast(s isa, x []float32) (float32, bool) {
	if len(x) == 0 || s < avx2 {
		return 0, false
	}
	return sum256(&x[0], len(x)), true
}

func sumSquaresFast(s isa, x []float32) (float64, bool) {
	if len(x) == 0 || s < avx2 {
		return 0, false
	}
	return sumSquares256(&x[0], len(x)), true
}

func maxFast(s isa, x []float32) (float32, bool) {
	if len(x) == 0 || s < avx2 {
		return 0, false
	}
	return max256(&x[0], len(x)), true
}

func axpyFast(s isa, alpha float32, x, y []float32) bool {
	if len(x) == 0 || s < avx2 {
		return false
	}
	axpy256(alpha, &x[0], &y[0], len(x))
	return true
}

func axpbyFast(s isa, alpha float32, x []float32, beta float32, y []float32) bool {
	if len(x) == 0 || s < avx2 {
		return false
	}
	axpby256(alpha, &x[0], beta, &y[0], len(x))
	return true
}

func scaleToFast(s isa, dst []float32, alpha float32, x []float32) bool {
	if len(x) == 0 || s < avx2 {
		return false
	}
	scaleTo256(&dst[0], alpha, &x[0], len(x))
	return true
}

func addConstFast(s isa, dst []float32, c float32, x []float32) bool {
	if len(x) == 0 || s < avx2 {
		return false
	}
	addConst256(&dst[0], c, &x[0], len(x))
	return true
}

func sqrtFast(s isa, dst, x []float32) bool {
	if len(x) == 0 || s < avx2 {
		return false
	}
	sqrt256(&dst[0], &x[0], len(x))
	return true
}

func addFast(s isa, dst, x, y []float32) bool {
	if len(x) == 0 || s < avx2 {
		return false
	}
	add256(&dst[0], &x[0], &y[0], len(x))
	return true
}

func mulFast(s isa, dst, x, y []float32) bool {
	if len(x) == 0 || s < avx2 {
		return false
	}
	mul256(&dst[0], &x[0], &y[0], len(x))
	return true
}

func divFast(s isa, dst, x, y []float32) bool {
	if len(x) == 0 || s < avx2 {
		return false
	}
	div256(&dst[0], &x[0], &y[0], len(x))
	return true
}

func mulAddFast(s isa, dst, x, y []float32) bool {
	if len(x) == 0 || s < avx2 {
		return false
	}
	mulAdd256(&dst[0], &x[0], &y[0], len(x))
	return true
}

//go:noescape
func exp512(dst, x *float32, n int)

//go:noescape
func sigmoid512(dst, x *float32, n int)

//go:noescape
func dot512(x, y *float32, n int) float32

//go:noescape
func matVec512(y, a *float32, lda int, x *float32, rows, cols, keep int)

//go:noescape
func matVec256(y, a *float32, lda int, x *float32, rows, cols, keep int)

//go:noescape
func exp256(dst, x *float32, n int)

//go:noescape
func sigmoid256(dst, x *float32, n int)

//go:noescape
func dot256(x, y *float32, n int) float32

//go:noescape
func sum256(x *float32, n int) float32

//go:noescape
func sumSquares256(x *float32, n int) float64

//go:noescape
func max256(x *float32, n int) float32

//go:noescape
func axpy256(alpha float32, x, y *float32, n int)

//go:noescape
func add256(dst, x, y *float32, n int)

//go:noescape
func mul256(dst, x, y *float32, n int)

//go:noescape
func axpby256(alpha float32, x *float32, beta float32, y *float32, n int)

//go:noescape
func scaleTo256(dst *float32, alpha float32, x *float32, n int)

//go:noescape
func addConst256(dst *float32, c float32, x *float32, n int)

//go:noescape
func sqrt256(dst, x *float32, n int)

//go:noescape
func div256(dst, x, y *float32, n int)

//go:noescape
func mulAdd256(dst, x, y *float32, n int)
