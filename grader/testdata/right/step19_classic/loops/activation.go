package classic

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Activation is a function and its derivative.
type Activation struct {
	Forward  func(dst, x []float32)
	Backward func(dx, x, dy []float32)
}

// GELU takes erf on the right, and erfc on the left, of 0.
func GELU(dst, x []float32) {
	same("GELU", dst, x)
	for i := range x {
		dst[i] = float32(float64(x[i]) * phi(float64(x[i])))
	}
}

func phi(x float64) float64 {
	if x > 0 {
		return 0.5 + 0.5*math.Erf(x*math.Sqrt(0.5))
	}
	return 0.5 * math.Erfc(math.Abs(x)*math.Sqrt(0.5))
}

// GELUBackward multiplies by the slope.
func GELUBackward(dx, x, dy []float32) {
	same("GELUBackward", dx, x, dy)
	const root = 0.398942280401432677939946059934381868 // 1/√(2π)
	for i, v := range x {
		slope := phi(float64(v)) + root*float64(v)*math.Exp(-0.5*float64(v)*float64(v))
		dx[i] = float32(slope * float64(dy[i]))
	}
}

// ReLU leaves what is not below 0.
func ReLU(dst, x []float32) {
	same("ReLU", dst, x)
	copy(dst, x)
	for i, v := range dst {
		if v < 0 {
			dst[i] = 0
		}
	}
}

// ReLUBackward leaves what is above 0.
func ReLUBackward(dx, x, dy []float32) {
	same("ReLUBackward", dx, x, dy)
	copy(dx, dy)
	for i, v := range x {
		if !(v > 0) {
			dx[i] = 0
		}
	}
}

func same(op string, all ...[]float32) {
	for _, x := range all {
		checkLength(op, x, all[0])
	}
}

func checkLength(op string, x, like []float32) {
	if len(x) != len(like) {
		panic(tensor.ShapeError{Op: op, Got: []int{len(x)}, Want: []int{len(like)}})
	}
}
