package kernel

import "math"

// The functions below are those of vector.go for an instruction set. They take a vector to the assembly if there is some;
// the loops in Go are for all other processors.

func exp(s isa, dst, x []float32) {
	if expFast(s, dst, x) {
		return
	}
	for i, v := range x {
		dst[i] = exp32(v)
	}
}

// matVec computes the rows that make no group of four as dot products.
func matVec(s isa, y, a []float32, lda int, x []float32, accumulate bool) {
	for i := matVecFast(s, y, a, lda, x, accumulate); i < len(y); i++ {
		sum := dot(s, x, a[i*lda:i*lda+len(x)])
		if accumulate {
			sum += y[i]
		}
		y[i] = sum
	}
}

func sigmoid(s isa, dst, x []float32) {
	if sigmoidFast(s, dst, x) {
		return
	}
	for i, v := range x {
		e := exp32(-float32(math.Abs(float64(v))))
		if v >= 0 {
			dst[i] = 1 / (1 + e)
		} else {
			dst[i] = e / (1 + e)
		}
	}
}

// exp32 computes in float64, so that only the last rounding counts:
//
//	x = n·ln 2 + r with |r| ≤ ln 2 / 2, e^x = 2^n·e^r, and e^r by its Taylor series up to r⁷/7!
func exp32(x float32) float32 {
	switch {
	case x != x:
		return x
	case x > 89:
		return float32(math.Inf(1))
	case x < -104:
		return 0
	}
	n := math.Floor(float64(x)*math.Log2E + 0.5)
	r := float64(x) - n*math.Ln2
	e := 1 + r*(1+r*(1./2+r*(1./6+r*(1./24+r*(1./120+r*(1./720+r*(1./5040)))))))
	return float32(e * math.Float64frombits(uint64(1023+int64(n))<<52))
}

func dot(s isa, x, y []float32) float32 {
	if sum, ok := dotFast(s, x, y); ok {
		return sum
	}
	var s0, s1, s2, s3 float32
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += v * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func sum(s isa, x []float32) float32 {
	if sum, ok := sumFast(s, x); ok {
		return sum
	}
	var s0, s1, s2, s3 float32
	for len(x) >= 4 {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
		x = x[4:]
	}
	for _, v := range x {
		s0 += v
	}
	return (s0 + s1) + (s2 + s3)
}

func sumSquares(s isa, x []float32) float64 {
	if sum, ok := sumSquaresFast(s, x); ok {
		return sum
	}
	var s0, s1 float64
	for len(x) >= 2 {
		s0 += float64(x[0]) * float64(x[0])
		s1 += float64(x[1]) * float64(x[1])
		x = x[2:]
	}
	for _, v := range x {
		s0 += float64(v) * float64(v)
	}
	return s0 + s1
}

func maximum(s isa, x []float32) float32 {
	if m, ok := maxFast(s, x); ok {
		return m
	}
	m := float32(math.Inf(-1))
	for _, v := range x {
		if v != v {
			return v
		}
		if v > m {
			m = v
		}
	}
	return m
}

func axpy(s isa, alpha float32, x, y []float32) {
	if axpyFast(s, alpha, x, y) {
		return
	}
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}

func axpby(s isa, alpha float32, x []float32, beta float32, y []float32) {
	if axpbyFast(s, alpha, x, beta, y) {
		return
	}
	y = y[:len(x)]
	for i, v := range x {
		y[i] = alpha*v + beta*y[i]
	}
}

func scaleTo(s isa, dst []float32, alpha float32, x []float32) {
	if scaleToFast(s, dst, alpha, x) {
		return
	}
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = alpha * v
	}
}

func addConst(s isa, dst []float32, c float32, x []float32) {
	if addConstFast(s, dst, c, x) {
		return
	}
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v + c
	}
}

func sqrt(s isa, dst, x []float32) {
	if sqrtFast(s, dst, x) {
		return
	}
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = float32(math.Sqrt(float64(v)))
	}
}

func add(s isa, dst, x, y []float32) {
	if addFast(s, dst, x, y) {
		return
	}
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func mul(s isa, dst, x, y []float32) {
	if mulFast(s, dst, x, y) {
		return
	}
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func div(s isa, dst, x, y []float32) {
	if divFast(s, dst, x, y) {
		return
	}
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

func mulAdd(s isa, dst, x, y []float32) {
	if mulAddFast(s, dst, x, y) {
		return
	}
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] += x[i] * y[i]
	}
}
