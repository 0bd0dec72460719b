package classic

import "github.com/stubformer/stubformer/reference/tensor"

// Sinusoids returns the table (T_max, D) of the positions of 2017:
//
//	P[p, 2i]   = sin(p / 10000^(2i/D))
//	P[p, 2i+1] = cos(p / 10000^(2i/D))
//
// for positions p and pairs i, both from 0. If D is odd the last column is the sine of a
// pair whose cosine has no place. Work out the angles in float64, and round once, when
// their sines and cosines are stored.
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.5.
func Sinusoids(maxLen, d int) *tensor.Tensor {
	panic(tensor.TODO("step19: Sinusoids"))
}

// Positions adds to every token the row of a table that belongs to its position. The
// table is learned, as in GPT-2, or holds Sinusoids and is left as it is.
type Positions struct {
	Weight *tensor.Param // (T_max, D)

	// Yours: what Backward needs, and the tensors that are used again in every call.
}

// NewPositions returns the layer with the given table (T_max, D). It keeps the Param and
// looks into it in every call. It panics with a ShapeError if the table is not a matrix.
func NewPositions(weight *tensor.Param) *Positions {
	tensor.CheckShape("classic.NewPositions: weight", weight.Value, tensor.Any, tensor.Any)
	return &Positions{Weight: weight}
}

// Forward adds the table's rows from first on to the tokens of every sequence:
//
//	y[…, t] = x[…, t] + P[first + t]
//
// x and y are (…, T, D), the leading dimensions any or none. y is a tensor of the layer's
// own, not x, and valid until the next Forward. It panics with a ShapeError if x does not
// have the width of the table, and, with nothing changed, with an IndexError if a position
// is not in it, 0 ≤ first and first + T ≤ T_max: its Got is the first position which is
// not, its Limit T_max.
func (l *Positions) Forward(x *tensor.Tensor, first int) *tensor.Tensor {
	panic(tensor.TODO("step19: Positions.Forward"))
}

// Backward takes dy (…, T, D), the gradient of the loss with respect to y. It returns dx
// (…, T, D), which has the numbers of dy but is a tensor of the layer's own, and belongs
// to the last Forward:
//
//	dP[p] += Σ dy[…, t] over all sequences and the t with first + t = p    added to Weight.Grad
//
// dx is valid until the next Backward. It panics with a ShapeError if dy does not have
// the shape of y or no Forward came before.
func (l *Positions) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step19: Positions.Backward"))
}
