package classic

import "github.com/stubformer/stubformer/reference/tensor"

// Activation is a function that works element by element, and what goes with it in a
// backward pass: GELU and GELUBackward, or ReLU and ReLUBackward.
type Activation struct {
	Forward  func(dst, x []float32)
	Backward func(dx, x, dy []float32)
}

// GELU computes the Gaussian error linear unit of every element:
//
//	dst[i] = x[i]·Φ(x[i]),  Φ(x) = ½·(1 + erf(x/√2)) = ½·erfc(−x/√2)
//
// Φ is the share of a standard normal distribution that lies below x. Of the two forms
// the second keeps its digits far to the left, in float64: GELU(−8) is −5e-15 and not 0.
// dst is overwritten and must not overlap x. If the lengths differ it panics with a
// ShapeError: checkLength does that.
//
// Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016, section 2. GPT-2 has
// the approximation by tanh that stands there as well, which is up to 0.0005 off; here it
// is Φ itself.
func GELU(dst, x []float32) {
	panic(tensor.TODO("step19: GELU"))
}

// GELUBackward computes the gradient of GELU's input from that of its output:
//
//	dx[i] = dy[i]·(Φ(x[i]) + x[i]·φ(x[i])),  φ(x) = e^(−x²/2)/√(2π)
//
// dx is overwritten and must overlap neither x nor dy. It panics with a ShapeError if
// the lengths differ.
func GELUBackward(dx, x, dy []float32) {
	panic(tensor.TODO("step19: GELUBackward"))
}

// ReLU sets dst[i] to x[i], or to 0 where that is negative; a NaN stays one. dst is
// overwritten and must not overlap x. It panics with a ShapeError if the lengths differ.
//
// Source: Nair and Hinton, "Rectified Linear Units Improve Restricted Boltzmann
// Machines", 2010.
func ReLU(dst, x []float32) {
	panic(tensor.TODO("step19: ReLU"))
}

// ReLUBackward computes the gradient of ReLU's input from that of its output:
//
//	dx[i] = dy[i] where x[i] > 0, else 0
//
// At 0, where there is no derivative, it is 0. dx is overwritten and must overlap
// neither x nor dy. It panics with a ShapeError if the lengths differ.
func ReLUBackward(dx, x, dy []float32) {
	panic(tensor.TODO("step19: ReLUBackward"))
}

// checkLength panics with a ShapeError that begins with op unless x has the length of
// like: checkLength("GELU: x", x, dst).
func checkLength(op string, x, like []float32) {
	if len(x) != len(like) {
		panic(tensor.ShapeError{Op: op, Got: []int{len(x)}, Want: []int{len(like)}})
	}
}
