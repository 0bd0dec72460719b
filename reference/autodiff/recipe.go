package autodiff

import "github.com/stubformer/stubformer/reference/tensor"

// Recipe says how a tensor was computed, so that a formula can be read, and computed
// again with a change in it.
type Recipe struct {
	Op     string    // "mul", "mean", or the name of a Part
	Inputs []*Tensor // in their order
	Number float64   // of Scale, Shift and Pow, what Where puts in, where a Slice begins
	Label  string    // of the number, in formulas: "1/√K"
	Axis   int       // of Sum, Mean, Slice and Concat
	Mask   []bool    // of Where
	At     []int     // of Rows

	again func(in []*Tensor) *Tensor
}

// Again does the same with other inputs.
func (r *Recipe) Again(in ...*Tensor) *Tensor { return r.again(in) }

// by notes how the tensor was computed from its inputs.
func (t *Tensor) by(r Recipe, again func(in []*Tensor) *Tensor) *Tensor {
	if r.again = again; r.Inputs == nil {
		r.Inputs = t.inputs
	}
	t.Recipe = &r
	return t
}

// Named gives the tensor a name in formulas.
func (t *Tensor) Named(name string) *Tensor {
	t.Name = name
	return t
}

// Labelled says what the number of the operation is called in formulas.
func (t *Tensor) Labelled(number string) *Tensor {
	t.Recipe.Label = number
	return t
}

// Part computes f(in…) as one operation of a formula: what is inside is another
// formula's affair.
func Part(name string, f func(in []*Tensor) *Tensor, in ...*Tensor) *Tensor {
	t := f(in)
	t.Recipe = &Recipe{Op: name, Inputs: in, again: func(in []*Tensor) *Tensor { return Part(name, f, in...) }}
	return t
}

// Detach returns a leaf with the values of t: no gradient flows through it.
func Detach(t *Tensor) *Tensor {
	leaf := New(t.Data, t.Shape...)
	leaf.rough = t.rough
	return leaf
}

// Derived returns the values of t with a derivative of one's own: back turns the
// gradient of the result into those of the inputs. It panics with a ShapeError if
// one of them has not the length of its input.
func Derived(t *Tensor, inputs []*Tensor, back func(g []float64) [][]float64) *Tensor {
	out := node(t.Shape, inputs...)
	copy(out.Data, t.Data)
	out.pull = func() {
		for i, d := range back(out.Grad) {
			if len(d) != len(inputs[i].Data) {
				panic(tensor.ShapeError{Op: "autodiff.Derived: gradient", Got: []int{len(d)}, Want: []int{len(inputs[i].Data)}})
			}
			for j, v := range d {
				inputs[i].Grad[j] += v
			}
		}
	}
	return out
}
