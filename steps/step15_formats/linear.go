package formats

import "github.com/stubformer/stubformer/reference/tensor"

// Group is how many int8s of a weight share a scale where nothing else is asked for.
const Group = 64

// Linear is the layer y = x·Wᵀ of step 02 for a model that generates: W is in int8 or
// int4, x becomes int8 row by row, and the products are sums of integers. It has New,
// Forward and Params of step 02, so that it can stand in its place.
type Linear struct {
	Weight *tensor.Param // (out, in), as it was trained

	// Yours: which format and what group, the integers of the weight, and the memory
	// of x in int8 and of y, so that they can be used again.
}

// New returns the layer of a model, with the weight (out, in) in int8, in groups of 64.
// It panics with a ShapeError if the weight is not a matrix.
//
// It is right as it stands. When the layer is, let the layers that New makes multiply
// with kernel.MatVecInt8, which does what your loops over rows, groups and numbers do,
// with the instructions that a processor has for it: see go doc kernel.MatVecInt8.
func New(weight *tensor.Param) *Linear { return NewInt8(weight, Group) }

// NewInt8 returns the layer with the weight (out, in) and x in int8, in groups of the
// given size. It panics with a ShapeError if the weight is not a matrix or group is
// not positive:
//
//	tensor.CheckShape("formats.NewInt8: weight", weight.Value, tensor.Any, tensor.Any)
//	panic(tensor.ShapeError{Op: "formats.NewInt8: the group must be positive", Got: []int{group}})
func NewInt8(weight *tensor.Param, group int) *Linear {
	panic(tensor.TODO("step15: NewInt8"))
}

// NewInt4 returns the layer with the weight (out, in) in int4 and x in int8, both in
// groups of 32. It panics with a ShapeError if the weight is not a matrix.
func NewInt4(weight *tensor.Param) *Linear {
	panic(tensor.TODO("step15: NewInt4"))
}

// Forward returns y = x·Wᵀ for every row of x, with W ≈ s_w·q_w and x ≈ s_x·q_x in
// every group g:
//
//	y_ni = Σ_j x_nj·W_ij ≈ Σ_g s_x[n, g]·s_w[i, g] · Σ_{j in g} q_x[n, j]·q_w[i, j]
//
// The inner sum is DotInt8, the outer one float32. For int4, q_w is q − 8, which
// fits an int8, and s_w is d.
//
// x is (…, in) and y is (…, out). A model's weights are loaded after it was made, so
// the weight becomes integers in the first Forward; it does not change after it. Take
// the memory of y from tensor.ReuseLead; y is valid until the next Forward, and x is
// not changed. It panics with a ShapeError if the last dimension of x is not in:
//
//	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, in)
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step15: Linear.Forward"))
}

// Backward panics: a rounded weight has no derivative worth following. The method is
// there because the layer of step 02 has one.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic("formats.Linear is for generating: it has no Backward")
}

// Params returns the layer's one parameter, the weight.
func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.Weight} }
