package formats

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Master holds the float32 originals of weights of which a model computes with float16
// copies. An update is often smaller than half the distance of two float16s: in a copy
// it would be lost every time, in the original it adds up.
//
// Gradients in float16 lose what is smaller than 2⁻²⁵. So the loss, and with it every
// gradient, is multiplied by Scale before the backward pass, and divided after it.
//
// Source: Micikevicius et al., "Mixed Precision Training", 2018, sections 3.1 and 3.2.
type Master struct {
	Value []float32 // the weights
	Scale float32   // of the loss, a power of two
	Every int       // Scale doubles after so many good updates in a row

	good int // updates since Scale changed
}

// Update takes the float16 gradients of Scale·loss and makes one step of gradient
// descent:
//
//	g = grads/Scale                                   in float32
//	g = g·maxNorm/(|g| + 1e-6)  if |g| > maxNorm      |g| is the norm of all gradients
//	Value = Value − lr·g
//	copies = Value, rounded
//
// If a gradient is not finite, Scale was too large: it is halved, nothing else
// changes, and Update reports false. After Every good updates since Scale last
// changed, it doubles for the next one.
//
// It panics with a ShapeError if copies or grads is not as long as Value.
func (m *Master) Update(copies, grads []FP16, lr, maxNorm float64) (taken bool) {
	m.check("copies", copies)
	m.check("grads", grads)

	squares := 0.0
	for _, h := range grads {
		g := float64(h.Float32() / m.Scale)
		squares += g * g
	}
	if math.IsInf(squares, 0) || math.IsNaN(squares) {
		m.Scale, m.good = m.Scale/2, 0
		return false
	}
	factor := 1.0
	if norm := math.Sqrt(squares); norm > maxNorm {
		factor = maxNorm / (norm + 1e-6)
	}
	for i, h := range grads {
		g := float64(h.Float32()/m.Scale) * factor
		m.Value[i] -= float32(lr * g)
		copies[i] = RoundFP16(m.Value[i])
	}
	if m.good++; m.good == m.Every {
		m.Scale, m.good = 2*m.Scale, 0
	}
	return true
}

// check panics unless there is a number for every weight.
func (m *Master) check(name string, h []FP16) {
	if len(h) != len(m.Value) {
		panic(tensor.ShapeError{Op: "Master.Update: " + name, Got: []int{len(h)}, Want: []int{len(m.Value)}})
	}
}
