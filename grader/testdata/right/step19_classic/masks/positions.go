package classic

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Sinusoids fills the table pair by pair.
func Sinusoids(maxLen, d int) *tensor.Tensor {
	table := tensor.New(maxLen, d)
	for i := 0; 2*i < d; i++ {
		rate := math.Exp(-math.Log(10000) * 2 * float64(i) / float64(d))
		for p := range maxLen {
			sin, cos := math.Sincos(rate * float64(p))
			table.Data[p*d+2*i] = float32(sin)
			if 2*i+1 < d {
				table.Data[p*d+2*i+1] = float32(cos)
			}
		}
	}
	return table
}

// Positions adds rows of a table.
type Positions struct {
	Weight *tensor.Param

	first int
	shape []int
}

// NewPositions returns the layer.
func NewPositions(weight *tensor.Param) *Positions {
	tensor.CheckShape("classic.NewPositions: weight", weight.Value, tensor.Any, tensor.Any)
	return &Positions{Weight: weight}
}

// Forward goes through sequences, and through their tokens.
func (l *Positions) Forward(x *tensor.Tensor, first int) *tensor.Tensor {
	tensor.CheckShape("Positions.Forward: x", x, tensor.Lead, tensor.Any, l.Weight.Value.Dim(1))
	rows := l.Weight.Value.Dim(0)
	if first < 0 {
		panic(tensor.IndexError{Op: "Positions.Forward", Got: first, Limit: rows})
	}
	for t := range x.Dim(-2) {
		if first+t >= rows {
			panic(tensor.IndexError{Op: "Positions.Forward", Got: first + t, Limit: rows})
		}
	}
	l.first, l.shape = first, append([]int{}, x.Shape...)
	y := x.Clone()
	for s := range x.Matrices() {
		for t := range x.Dim(-2) {
			for j, p := range l.Weight.Value.Row(first + t) {
				y.Row(s*x.Dim(-2) + t)[j] += p
			}
		}
	}
	return y
}

// Backward sums over the sequences for each token.
func (l *Positions) Backward(dy *tensor.Tensor) *tensor.Tensor {
	if l.shape == nil {
		panic(tensor.ShapeError{Op: "Positions.Backward without a Forward", Got: dy.Shape})
	}
	tensor.CheckShape("Positions.Backward: dy", dy, l.shape...)
	for t := range dy.Dim(-2) {
		for j := range l.Weight.Grad.Row(l.first + t) {
			sum := 0.0
			for s := range dy.Matrices() {
				sum += float64(dy.Row(s*dy.Dim(-2) + t)[j])
			}
			l.Weight.Grad.Row(l.first + t)[j] += float32(sum)
		}
	}
	return dy.Clone()
}
