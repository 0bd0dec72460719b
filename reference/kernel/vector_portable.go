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

func expShifted(s isa, dst, x []float32, shift float32) (sum float32) {
	if sum, ok := expShiftedFast(s, dst, x, shift); ok {
		return sum
	}
	for i, v := range x {
		dst[i] = exp32(v - shift)
		sum += dst[i]
	}
	return sum
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

func siluGrad(s isa, dst, x, sigma, dy []float32) {
	if siluGradFast(s, dst, x, sigma, dy) {
		return
	}
	x, sigma, dy = x[:len(dst)], sigma[:len(dst)], dy[:len(dst)]
	for i := range dst {
		dst[i] = dy[i] * sigma[i] * (1 + x[i]*(1-sigma[i]))
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

func dot3(s isa, x, y, z []float32) (sum float64) {
	if sum, ok := dot3Fast(s, x, y, z); ok {
		return sum
	}
	y, z = y[:len(x)], z[:len(x)]
	for i, v := range x {
		sum += float64(v) * float64(y[i]) * float64(z[i])
	}
	return sum
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

func scale(s isa, alpha float32, x []float32) {
	if scaleFast(s, alpha, x) {
		return
	}
	for i := range x {
		x[i] *= alpha
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

func scaledMul(s isa, dst []float32, a float64, x, y []float32) {
	if scaledMulFast(s, dst, a, x, y) {
		return
	}
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = float32(a * (float64(x[i]) * float64(y[i])))
	}
}

func scaledMulAdd(s isa, dst []float32, a float64, x, y []float32, b float64, z []float32) {
	if scaledMulAddFast(s, dst, a, x, y, b, z) {
		return
	}
	x, y, z = x[:len(dst)], y[:len(dst)], z[:len(dst)]
	for i := range dst {
		dst[i] = float32(a*(float64(x[i])*float64(y[i])) + b*float64(z[i]))
	}
}

func adamW(s isa, p, g, m, v []float32, r *adamRates) {
	if adamWFast(s, p, g, m, v, r) {
		return
	}
	g, m, v = g[:len(p)], m[:len(p)], v[:len(p)]
	for i := range p {
		m[i] = r.beta1*m[i] + r.rest1*g[i]
		v[i] = r.beta2*v[i] + r.rest2*g[i]*g[i]
		root := float32(math.Sqrt(float64(v[i] / r.bias2)))
		p[i] -= r.shrink * p[i]
		p[i] -= r.lr * (m[i] / r.bias1) / (root + r.eps)
	}
}
