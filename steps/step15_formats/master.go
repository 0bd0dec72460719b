package formats

import "github.com/stubformer/stubformer/reference/tensor"

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

	// Yours: how many good updates there were since Scale changed.
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
// changed, it doubles for the next one. grads is not changed.
//
// It panics with a ShapeError if copies or grads is not as long as Value:
//
//	panic(tensor.ShapeError{Op: "Master.Update: grads", Got: []int{len(grads)}, Want: []int{len(m.Value)}})
func (m *Master) Update(copies, grads []FP16, lr, maxNorm float64) (taken bool) {
	panic(tensor.TODO("step15: Master.Update"))
}
