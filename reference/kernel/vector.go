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

// Sigmoid computes dst[i] = 1/(1 + e^-x[i]), without overflow for any x:
//
//	1/(1+e^-x) for x ≥ 0,  e^x/(1+e^x) for x < 0
//
// NaN gives NaN. The error is below three units in the last place. dst may be x. It panics if the lengths differ.
func Sigmoid(dst, x []float32) {
	checkLengths("Sigmoid", len(dst), len(x))
	sigmoid(best(), dst, x)
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

// Max is the largest element: NaN if there is a NaN, -Inf if there is no element.
func Max(x []float32) float32 { return maximum(best(), x) }

// Axpy computes y[i] += alpha·x[i]. x may be y. It panics if the lengths differ.
func Axpy(alpha float32, x, y []float32) {
	checkLengths("Axpy", len(x), len(y))
	axpy(best(), alpha, x, y)
}

// Axpby computes y[i] = alpha·x[i] + beta·y[i]. x may be y. It panics if the lengths differ.
func Axpby(alpha float32, x []float32, beta float32, y []float32) {
	checkLengths("Axpby", len(x), len(y))
	axpby(best(), alpha, x, beta, y)
}

// Scale computes x[i] *= alpha.
func Scale(alpha float32, x []float32) { scaleTo(best(), x, alpha, x) }

// ScaleTo computes dst[i] = alpha·x[i]. dst may be x. It panics if the lengths differ.
func ScaleTo(dst []float32, alpha float32, x []float32) {
	checkLengths("ScaleTo", len(dst), len(x))
	scaleTo(best(), dst, alpha, x)
}

// AddConst computes dst[i] = x[i] + c. dst may be x. It panics if the lengths differ.
func AddConst(dst []float32, c float32, x []float32) {
	checkLengths("AddConst", len(dst), len(x))
	addConst(best(), dst, c, x)
}

// Sqrt computes dst[i] = √x[i], NaN for x[i] < 0. dst may be x. It panics if the lengths differ.
func Sqrt(dst, x []float32) {
	checkLengths("Sqrt", len(dst), len(x))
	sqrt(best(), dst, x)
}

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

// Div computes dst[i] = x[i]/y[i]. dst may be x or y. It panics if the lengths differ.
func Div(dst, x, y []float32) {
	checkLengths("Div", len(dst), len(x))
	checkLengths("Div", len(dst), len(y))
	div(best(), dst, x, y)
}

// MulAdd computes dst[i] += x[i]·y[i]. dst may be x or y. It panics if the lengths differ.
func MulAdd(dst, x, y []float32) {
	checkLengths("MulAdd", len(dst), len(x))
	checkLengths("MulAdd", len(dst), len(y))
	mulAdd(best(), dst, x, y)
}

func checkLengths(op string, want, got int) {
	if want != got {
		panic(fmt.Sprintf("kernel: %s: slices of different lengths: %d and %d", op, want, got))
	}
}
