package classic

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Sinusoids returns the table (T_max, D) of the positions of 2017:
//
//	P[p, 2i]   = sin(p / 10000^(2i/D))
//	P[p, 2i+1] = cos(p / 10000^(2i/D))
//
// for positions p and pairs i, both from 0. If D is odd the last column is the sine of a
// pair whose cosine has no place. The angles are float64, rounded once when their sines
// and cosines are stored.
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.5.
func Sinusoids(maxLen, d int) *tensor.Tensor {
	table := tensor.New(maxLen, d)
	for p := range maxLen {
		row := table.Row(p)
		for j := range row {
			pair := j / 2 // i
			angle := float64(p) / math.Pow(10000, float64(2*pair)/float64(d))
			if j%2 == 0 {
				row[j] = float32(math.Sin(angle))
			} else {
				row[j] = float32(math.Cos(angle))
			}
		}
	}
	return table
}

// Positions adds to every token the row of a table that belongs to its position. The
// table is learned, as in GPT-2, or holds Sinusoids and is left as it is.
type Positions struct {
	Weight *tensor.Param // (T_max, D)

	first int
	y, dx *tensor.Tensor // (…, T, D), reused
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
// x and y are (…, T, D). x is not needed in Backward. y is valid until the next Forward.
// It panics with a ShapeError if x does not have the width of the table, and with an
// IndexError if a position is not in it: that names the first one which is not.
func (l *Positions) Forward(x *tensor.Tensor, first int) *tensor.Tensor {
	table := l.Weight.Value
	tensor.CheckShape("Positions.Forward: x", x, tensor.Lead, tensor.Any, table.Dim(1))
	if seq := x.Dim(-2); first < 0 || first+seq > table.Dim(0) {
		panic(tensor.IndexError{Op: "Positions.Forward: position", Got: outside(first, table.Dim(0)),
			Limit: table.Dim(0)})
	}
	l.first = first
	l.y = tensor.Reuse(l.y, x.Shape...)
	for n := range x.Rows() {
		kernel.Add(l.y.Row(n), x.Row(n), table.Row(l.position(n)))
	}
	return l.y
}

// outside is the first of the positions from first on that is not among length many.
func outside(first, length int) int {
	if first < 0 {
		return first
	}
	return max(first, length)
}

// position is that of row n of all rows of the last Forward.
func (l *Positions) position(n int) int { return l.first + n%l.y.Dim(-2) }

// Backward takes dy (…, T, D), the gradient of the loss with respect to y. It returns dx
// (…, T, D), which has the numbers of dy, adds to the gradient of the table, and belongs
// to the last Forward. dx is valid until the next Backward. It panics with a ShapeError
// if dy does not have the shape of y or no Forward came before.
func (l *Positions) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// (14) y = x + P:                             dx = dy
	// (15) A row of P is added in every sequence: dP[p] = Σ dy[…, t] over all with first + t = p
	tensor.CheckShape("Positions.Backward: y of Forward", l.y, tensor.Lead, tensor.Any, l.Weight.Value.Dim(1))
	tensor.CheckShape("Positions.Backward: dy", dy, l.y.Shape...)
	l.dx = tensor.Reuse(l.dx, dy.Shape...)
	copy(l.dx.Data, dy.Data) // (14)
	for n := range dy.Rows() {
		kernel.Axpy(1, dy.Row(n), l.Weight.Grad.Row(l.position(n))) // (15)
	}
	return l.dx
}
