package formats

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Group is how many int8s of a weight share a scale where nothing else is asked for.
const Group = 64

// Linear is the layer y = x·Wᵀ of step 02 for a model that generates: W is in int8 or
// int4, x becomes int8 row by row, and the products are sums of integers. It has New,
// Forward and Params of step 02, so that it can stand in its place.
type Linear struct {
	Weight *tensor.Param // (out, in), as it was trained

	bits    int            // of an integer of W: 8 or 4
	group   int            // of x, and of W if that is int8
	product product        // the kit's; nil for loops
	w8      *Int8          // W, from the first Forward on
	x8      *Int8          // (N, in), reused by every Forward
	y       *tensor.Tensor // (…, out), reused by every Forward
}

// product computes y = W·x, for a W of integers and one row x of integers.
type product func(y []float32, W, x kernel.Int8s)

// New returns the layer of a model, with the weight (out, in) in int8, in groups of 64,
// and with kernel.MatVecInt8 in place of loops. It panics with a ShapeError if the weight
// is not a matrix.
func New(weight *tensor.Param) *Linear {
	l := NewInt8(weight, Group)
	l.product = kernel.MatVecInt8
	return l
}

// NewInt8 returns the layer with the weight (out, in) and x in int8, in groups of the
// given size. It panics with a ShapeError if the weight is not a matrix or group is
// not positive.
func NewInt8(weight *tensor.Param, group int) *Linear {
	tensor.CheckShape("formats.NewInt8: weight", weight.Value, tensor.Any, tensor.Any)
	if group < 1 {
		panic(tensor.ShapeError{Op: "formats.NewInt8: the group must be positive", Got: []int{group}})
	}
	return &Linear{Weight: weight, bits: 8, group: group}
}

// NewInt4 returns the layer with the weight (out, in) in int4 and x in int8, both in
// groups of 32. It panics with a ShapeError if the weight is not a matrix.
func NewInt4(weight *tensor.Param) *Linear {
	tensor.CheckShape("formats.NewInt4: weight", weight.Value, tensor.Any, tensor.Any)
	return &Linear{Weight: weight, bits: 4, group: Int4Group}
}

// Forward returns y = x·Wᵀ for every row of x, with W ≈ s_w·q_w and x ≈ s_x·q_x in
// every group g:
//
//	y_ni = Σ_j x_nj·W_ij ≈ Σ_g s_x[n, g]·s_w[i, g] · Σ_{j in g} q_x[n, j]·q_w[i, j]
//
// x is (…, in) and y is (…, out). The weight becomes integers in the first Forward,
// and does not change after it. y is valid until the next Forward, and x is not
// changed. It panics with a ShapeError if the last dimension of x is not in.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	if l.w8 == nil {
		l.quantize(W)
	}
	l.x8 = QuantizeInt8(l.x8, x, l.group)
	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	for n := range l.x8.Rows {
		row := l.y.Row(n)
		if l.product != nil {
			l.product(row, l.w8.rows(0, l.w8.Rows), l.x8.rows(n, n+1))
			continue
		}
		for i := range row {
			row[i] = dotGroups(l.x8, n, l.w8, i)
		}
	}
	return l.y
}

// rows returns the rows from, …, end−1 in the form that the kernel takes.
func (m *Int8) rows(from, end int) kernel.Int8s {
	return kernel.Int8s{Q: m.Q[from*m.Cols : end*m.Cols], Scale: m.Scale[from*m.Groups() : end*m.Groups()],
		Group: m.Group}
}

// quantize makes integers of the weight. Int4s are unpacked, so that they meet those
// of x one by one: q − 8 is an int8 as well.
func (l *Linear) quantize(W *tensor.Tensor) {
	if l.bits == 8 {
		l.w8 = QuantizeInt8(nil, W, l.group)
		return
	}
	m := QuantizeInt4(W)
	l.w8 = &Int8{Rows: m.Rows, Cols: m.Cols, Group: Int4Group, Scale: m.Scale}
	for n := range m.Rows {
		for i := range m.Cols {
			l.w8.Q = append(l.w8.Q, int8(m.at(n, i)-8))
		}
	}
}

// dotGroups returns the dot product of row n of a and row i of b.
func dotGroups(a *Int8, n int, b *Int8, i int) float32 {
	qa, qb := a.Q[n*a.Cols:][:a.Cols], b.Q[i*b.Cols:][:b.Cols]
	sa, sb := a.Scale[n*a.Groups():], b.Scale[i*b.Groups():]
	sum := float32(0)
	for g := range a.Groups() {
		lo, hi := g*a.Group, min((g+1)*a.Group, a.Cols)
		sum += sa[g] * sb[g] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
	}
	return sum
}

// Backward panics: a rounded weight has no derivative worth following. The method is
// there because the layer of step 02 has one.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic("formats.Linear is for generating: it has no Backward")
}

// Params returns the layer's one parameter, the weight.
func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.Weight} }
