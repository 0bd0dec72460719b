// Package autodiff is a small float64 engine for reverse-mode automatic
// differentiation over row-major tensors: clear before fast.
//
// The graph is defined by running. Every operation returns a tensor that
// remembers its inputs and how to hand a gradient back to them:
//
//	y := autodiff.MatMul(x, autodiff.Transpose(w)) // forward: values
//	y.Backward(dy)                                 // backward: x.Grad, w.Grad
//
// Each operation states its forward formula and, marked ∂, what it adds to the
// gradients of its inputs; the two stand together in the code. Gradients add:
// a tensor that is used twice receives the sum of both.
//
// A shape that does not fit panics with a tensor.ShapeError, an index outside
// its range with a tensor.IndexError; there are no other panics. Values are
// never checked: NaN and ±Inf follow IEEE 754.
//
// Source: Baydin, Pearlmutter, Radul and Siskind, "Automatic differentiation
// in machine learning: a survey", JMLR 18 (2018), section 3.2.
package autodiff

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Tensor is a float64 array, row-major, and a node of the graph.
type Tensor struct {
	Shape []int
	Data  []float64
	Grad  []float64 // the length of Data; nil until Backward has reached the tensor

	Name   string  // in formulas: "x", "P"; "" for what has none
	Recipe *Recipe // nil for a leaf

	inputs []*Tensor  // empty for a leaf
	rough  *rand.Rand // rounds the results of operations at random; nil for none
	pull   func()     // adds to every input's Grad what follows from this tensor's Grad
}

// New returns a leaf that uses data as its memory. It panics with a ShapeError
// if the length of data is not the product of shape.
func New(data []float64, shape ...int) *Tensor {
	if count(shape) != len(data) {
		panic(tensor.ShapeError{Op: "autodiff.New: number of elements", Got: []int{len(data)}, Want: []int{count(shape)}})
	}
	return &Tensor{Shape: slices.Clone(shape), Data: data}
}

// Zeros returns a leaf of zeros.
func Zeros(shape ...int) *Tensor { return New(make([]float64, count(shape)), shape...) }

// Full returns a leaf that holds v everywhere.
func Full(v float64, shape ...int) *Tensor {
	t := Zeros(shape...)
	for i := range t.Data {
		t.Data[i] = v
	}
	return t
}

// node returns the result of an operation, still without values.
func node(shape []int, inputs ...*Tensor) *Tensor {
	t := Zeros(shape...)
	t.inputs = inputs
	for _, input := range inputs {
		t.rough = cmp.Or(t.rough, input.rough)
	}
	return t
}

// Rough lets every operation on a leaf, and on what is computed from it, forward and
// backward, move its results at random, by up to four half-ulps of a float32. What
// changes much by it, a float32 program cannot compute well: a difference of numbers
// that are nearly equal.
//
// Source: Vignes, "A stochastic arithmetic for reliable scientific computation",
// 1993.
func (t *Tensor) Rough(rng *rand.Rand) { t.rough = rng }

// roughen moves the results of an operation.
func (t *Tensor) roughen(results []float64) {
	if t.rough == nil {
		return
	}
	const unit = 1.0 / (1 << 22)
	for i := range results {
		results[i] *= 1 + unit*(2*t.rough.Float64()-1)
	}
}

// Backward propagates dy, the gradient with respect to t, to every tensor that
// t was computed from. It adds to the Grad of the leaves, so that a second
// Backward accumulates, and overwrites the Grad of everything between.
// It panics with a ShapeError if dy has not the length of t.Data.
func (t *Tensor) Backward(dy []float64) {
	if len(dy) != len(t.Data) {
		panic(tensor.ShapeError{Op: "autodiff.Backward: number of elements of dy", Got: []int{len(dy)}, Want: []int{len(t.Data)}})
	}
	order := t.order()
	for _, n := range order {
		if n.Grad == nil || n.pull != nil {
			n.Grad = make([]float64, len(n.Data))
		}
	}
	for i, g := range dy {
		t.Grad[i] += g
	}
	for _, n := range slices.Backward(order) {
		if n.pull != nil {
			n.roughen(n.Grad)
			n.pull()
		}
	}
}

// order returns the graph under t, every tensor after its inputs.
func (t *Tensor) order() []*Tensor {
	var sorted []*Tensor
	seen := make(map[*Tensor]bool)
	var visit func(*Tensor)
	visit = func(n *Tensor) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, input := range n.inputs {
			visit(input)
		}
		sorted = append(sorted, n)
	}
	visit(t)
	return sorted
}
