package classic

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Activation is a function that works element by element, and what goes with it in a
// backward pass: GELU and GELUBackward, or ReLU and ReLUBackward.
type Activation struct {
	Forward  func(dst, x []float32)
	Backward func(dx, x, dy []float32)
}

// GELU computes the Gaussian error linear unit of every element:
//
//	dst[i] = x[i]·Φ(x[i]),  Φ(x) = ½·erfc(−x/√2)
//
// Φ is the share of a standard normal distribution that lies below x. Written with
// erfc it keeps its digits far to the left, where 1 + erf cancels to 0. dst is
// overwritten and must not overlap x. It panics with a ShapeError if the lengths differ.
//
// Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016, section 2. GPT-2 has
// the approximation by tanh that stands there as well, which is up to 0.0005 off.
func GELU(dst, x []float32) {
	checkLength("GELU: x", x, dst)
	for i, v := range x {
		v := float64(v)
		dst[i] = float32(v * below(v))
	}
}

// GELUBackward computes the gradient of GELU's input from that of its output:
//
//	dx[i] = dy[i]·GELU'(x[i])
//
// dx is overwritten and must overlap neither x nor dy. It panics with a ShapeError if
// the lengths differ.
func GELUBackward(dx, x, dy []float32) {
	// (7) Φ' is the density of the normal distribution, φ(x) = e^(−x²/2)/√(2π).
	// (8) By the product rule GELU'(x) = Φ(x) + x·φ(x).
	checkLength("GELUBackward: x", x, dx)
	checkLength("GELUBackward: dy", dy, dx)
	for i, v := range x {
		v := float64(v)
		density := math.Exp(-v*v/2) / math.Sqrt(2*math.Pi) // (7)
		slope := below(v) + v*density                      // (8)
		dx[i] = float32(float64(dy[i]) * slope)
	}
}

// below is Φ(x), the probability that a standard normal number is below x.
func below(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// ReLU sets dst[i] to x[i], or to 0 where that is negative. dst is overwritten and must
// not overlap x. It panics with a ShapeError if the lengths differ.
//
// Source: Nair and Hinton, "Rectified Linear Units Improve Restricted Boltzmann
// Machines", 2010.
func ReLU(dst, x []float32) {
	checkLength("ReLU: x", x, dst)
	for i, v := range x {
		dst[i] = max(0, v)
	}
}

// ReLUBackward computes the gradient of ReLU's input from that of its output:
//
//	dx[i] = dy[i] where x[i] > 0, else 0
//
// At 0, where there is no derivative, it is 0. dx is overwritten and must overlap
// neither x nor dy. It panics with a ShapeError if the lengths differ.
func ReLUBackward(dx, x, dy []float32) {
	checkLength("ReLUBackward: x", x, dx)
	checkLength("ReLUBackward: dy", dy, dx)
	for i, v := range x {
		dx[i] = 0
		if v > 0 {
			dx[i] = dy[i]
		}
	}
}

func checkLength(op string, x, like []float32) {
	if len(x) != len(like) {
		panic(tensor.ShapeError{Op: op, Got: []int{len(x)}, Want: []int{len(like)}})
	}
}
