package kernel

import "fmt"

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

// SiLUGrad computes dst[i] = dy[i]·sigma[i]·(1 + x[i]·(1 - sigma[i])): the gradient of x·σ(x) from that of its result,
// where sigma is Sigmoid's σ(x). dst may be any of the others. It panics if the lengths differ.
func SiLUGrad(dst, x, sigma, dy []float32) {
	checkLengths("SiLUGrad", len(dst), len(x))
	checkLengths("SiLUGrad", len(dst), len(sigma))
	checkLengths("SiLUGrad", len(dst), len(dy))
	siluGrad(best(), dst, x, sigma, dy)
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
	gemm(best(), true, oneRow(y), oneRow(x), Matrix{Rows: len(x), Cols: len(y), Data: a, Down: 1, Right: lda}, accumulate)
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
