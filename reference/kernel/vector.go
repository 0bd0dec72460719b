package kernel

import (
	"fmt"
	"math"
)

// Exp computes dst[i] = e^x[i]. dst may be x.
//
// NaN gives NaN, +Inf gives +Inf and -Inf gives 0. Results above the largest float32 are +Inf; results below the
// smallest normal number are denormal and become 0 where the rounded value is 0 (x < -103.98). The error is below one
// unit in the last place. It panics if the lengths differ.
func Exp(dst, x []float32) {
	checkLengths("Exp", len(dst), len(x))
	exp(best(), dst, x)
}

// ExpShifted computes dst[i] = e^(x[i] - shift) and returns the sum of what it wrote: the numerators and the denominator of
// a softmax in one pass. x[i] - shift is rounded, then the error is that of Exp. dst may be x. It panics if the lengths
// differ.
func ExpShifted(dst, x []float32, shift float32) (sum float32) {
	checkLengths("ExpShifted", len(dst), len(x))
	return expShifted(best(), dst, x, shift)
}

// Sigmoid computes dst[i] = 1/(1 + e^-x[i]), without overflow for any x:
//
//	1/(1+e^-x) for x ≥ 0,  e^x/(1+e^x) for x < 0
//
// NaN gives NaN. The error is below three units in the last place. dst may be x. It panics if the lengths differ.
func Sigmoid(dst, x []float32) {
	checkLengths("Sigmoid", len(dst), len(x))
	sigmoid(best(), dst, x)
}

// SiLUGrad computes dst[i] = dy[i]·s[i]·(1 + x[i]·(1 - s[i])): the gradient of x·σ(x) from that of its result, where s is
// Sigmoid's σ(x). dst may be any of the others. It panics if the lengths differ.
func SiLUGrad(dst, x, s, dy []float32) {
	checkLengths("SiLUGrad", len(dst), len(x))
	checkLengths("SiLUGrad", len(dst), len(s))
	checkLengths("SiLUGrad", len(dst), len(dy))
	siluGrad(best(), dst, x, s, dy)
}

// Dot is Σ x[i]·y[i]. It panics if the lengths differ.
func Dot(x, y []float32) float32 {
	checkLengths("Dot", len(x), len(y))
	return dot(best(), x, y)
}

// MatVec is a matrix times a vector, the product of a layer with weights (out, in) for a single token:
//
//	y[i]  = Σ_p a[i·lda+p]·x[p]        0 ≤ i < len(y), 0 ≤ p < len(x)
//	y[i] += …                          if accumulate is set
//
// Large ones are divided among GOMAXPROCS workers as in Gemm. y must not overlap a or x. It panics if lda is smaller than
// len(x) or a is too short.
func MatVec(y, a []float32, lda int, x []float32, accumulate bool) {
	checkStored("MatVec", "A", a, len(y), len(x), lda)
	gemm(best(), true, false, true, 1, len(y), len(x), x, len(x), a, lda, y, len(y), accumulate)
}

// Sum is Σ x[i].
func Sum(x []float32) float32 { return sum(best(), x) }

// SumSquares is Σ x[i]², in float64, which no float32 overflows.
func SumSquares(x []float32) float64 { return sumSquares(best(), x) }

// Dot3 is Σ x[i]·y[i]·z[i], in float64. It panics if the lengths differ.
func Dot3(x, y, z []float32) float64 {
	checkLengths("Dot3", len(x), len(y))
	checkLengths("Dot3", len(x), len(z))
	return dot3(best(), x, y, z)
}

// Max is the largest element: NaN if there is a NaN, -Inf if there is no element.
func Max(x []float32) float32 { return maximum(best(), x) }

// Axpy computes y[i] += alpha·x[i]. It panics if the lengths differ.
func Axpy(alpha float32, x, y []float32) {
	checkLengths("Axpy", len(x), len(y))
	axpy(best(), alpha, x, y)
}

// Scale computes x[i] *= alpha.
func Scale(alpha float32, x []float32) { scale(best(), alpha, x) }

// Add computes dst[i] = x[i] + y[i]. dst may be x or y. It panics if the lengths differ.
func Add(dst, x, y []float32) {
	checkLengths("Add", len(dst), len(x))
	checkLengths("Add", len(dst), len(y))
	add(best(), dst, x, y)
}

// Mul computes dst[i] = x[i]·y[i]. dst may be x or y. It panics if the lengths differ.
func Mul(dst, x, y []float32) {
	checkLengths("Mul", len(dst), len(x))
	checkLengths("Mul", len(dst), len(y))
	mul(best(), dst, x, y)
}

// ScaledMul computes dst[i] = a·x[i]·y[i] in float64 and rounds it once. dst may be x or y. It panics if the lengths
// differ.
func ScaledMul(dst []float32, a float64, x, y []float32) {
	checkLengths("ScaledMul", len(dst), len(x))
	checkLengths("ScaledMul", len(dst), len(y))
	scaledMul(best(), dst, a, x, y)
}

// ScaledMulAdd computes dst[i] = a·x[i]·y[i] + b·z[i] in float64 and rounds it once, so that little is lost where the two
// terms nearly cancel. dst may be x, y or z. It panics if the lengths differ.
func ScaledMulAdd(dst []float32, a float64, x, y []float32, b float64, z []float32) {
	checkLengths("ScaledMulAdd", len(dst), len(x))
	checkLengths("ScaledMulAdd", len(dst), len(y))
	checkLengths("ScaledMulAdd", len(dst), len(z))
	scaledMulAdd(best(), dst, a, x, y, b, z)
}

// AdamW takes one step of Adam with decoupled weight decay (Loshchilov and Hutter, 2019, Algorithm 2) in one pass:
//
//	m = β1·m + (1-β1)·g
//	v = β2·v + (1-β2)·g²
//	p = p - lr·decay·p
//	p = p - lr·(m/bias1) / (√(v/bias2) + eps)
//
// p, m and v are overwritten, g is read. bias1 = 1-β1^t and bias2 = 1-β2^t at step t, counted from 1. The rates are
// float64 so that 1-β2 does not lose its last digits (1-float32(0.999) is off by 1.3e-5); what is done with the elements
// is in float32. It panics if the lengths differ.
func AdamW(p, g, m, v []float32, lr, beta1, beta2, eps, decay, bias1, bias2 float64) {
	checkLengths("AdamW", len(p), len(g))
	checkLengths("AdamW", len(p), len(m))
	checkLengths("AdamW", len(p), len(v))
	adamW(best(), p, g, m, v, &adamRates{beta1: float32(beta1), rest1: float32(1 - beta1), beta2: float32(beta2),
		rest2: float32(1 - beta2), lr: float32(lr), eps: float32(eps), shrink: float32(lr * decay),
		bias1: float32(bias1), bias2: float32(bias2)})
}

// adamRates are the numbers of one optimiser step. The assembly reads them by name.
type adamRates struct {
	beta1, rest1, beta2, rest2, lr, eps, shrink, bias1, bias2 float32
}

func checkLengths(op string, want, got int) {
	if want != got {
		panic(fmt.Sprintf("kernel: %s: slices of different lengths: %d and %d", op, want, got))
	}
}

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

func siluGrad(i isa, dst, x, s, dy []float32) {
	if siluGradFast(i, dst, x, s, dy) {
		return
	}
	x, s, dy = x[:len(dst)], s[:len(dst)], dy[:len(dst)]
	for i := range dst {
		dst[i] = dy[i] * s[i] * (1 + x[i]*(1-s[i]))
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
