// Package lora: the factor goes into B, the frozen product is added to the adapter's, and
// a merged layer has another tensor as its weight.
package lora

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

// Linear has two layers of step 02 beside the frozen weight.
type Linear struct {
	Weight *tensor.Param
	A      *tensor.Param
	B      *tensor.Param
	Alpha  float64

	down, up *linear.Linear // A, and α/r·B
	frozen   *tensor.Tensor // the weight's own tensor while another is in its place

	x, y, dx *tensor.Tensor
}

// New checks the three shapes by hand.
func New(weight, a, b *tensor.Param, alpha float64) *Linear {
	w, rank := weight.Value, 0
	if len(w.Shape) != 2 {
		panic(tensor.ShapeError{Op: "New: weight", Got: w.Shape})
	}
	if len(a.Value.Shape) == 2 {
		rank = a.Value.Dim(0)
	}
	if rank < 1 || a.Value.Dim(1) != w.Dim(1) {
		panic(tensor.ShapeError{Op: "New: a", Got: a.Value.Shape, Want: []int{max(1, rank), w.Dim(1)}})
	}
	if len(b.Value.Shape) != 2 || b.Value.Dim(0) != w.Dim(0) || b.Value.Dim(1) != rank {
		panic(tensor.ShapeError{Op: "New: b", Got: b.Value.Shape, Want: []int{w.Dim(0), rank}})
	}
	return &Linear{Weight: weight, A: a, B: b, Alpha: alpha}
}

// Params returns A and B.
func (l *Linear) Params() []*tensor.Param {
	params := make([]*tensor.Param, 0, 2)
	params = append(params, l.A)
	return append(params, l.B)
}

// scaled returns α/r times a matrix, as a copy.
func (l *Linear) scaled(m *tensor.Tensor) *tensor.Tensor {
	rank := float64(l.A.Value.Shape[0])
	out := m.Clone()
	for i, v := range out.Data {
		out.Data[i] = float32(float64(v) * l.Alpha / rank)
	}
	return out
}

// Forward adds the frozen product to that of the adapter.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("Forward", x, tensor.Lead, w.Dim(1))
	if l.frozen != nil {
		l.down, l.x = nil, nil
		l.y = linear.New(l.Weight).Forward(x)
		return l.y
	}
	l.x = x
	l.down = linear.New(l.A)
	l.up = linear.New(tensor.NewParam("up", l.scaled(l.B.Value)))
	l.y = l.up.Forward(l.down.Forward(x))
	tensor.MulAdd(l.y.Matrix(), x.Matrix(), w.Matrix().T())
	return l.y
}

// Backward goes back through the two layers, and through the frozen weight.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	if l.down == nil {
		panic(tensor.ShapeError{Op: "Backward without Forward", Got: dy.Shape})
	}
	tensor.CheckShape("Backward", dy, l.y.Shape...)
	dup := l.up.Backward(dy)
	own := l.scaled(l.up.Weight.Grad)
	for i, g := range own.Data {
		l.B.Grad.Data[i] += g
	}
	l.up.Weight.ZeroGrad()
	l.dx = l.down.Backward(dup)
	tensor.MulAdd(l.dx.Matrix(), dy.Matrix(), l.Weight.Value.Matrix())
	return l.dx
}

// Delta multiplies in float64.
func (l *Linear) Delta() *tensor.Tensor {
	a, b := l.A.Value, l.B.Value
	out := tensor.New(b.Dim(0), a.Dim(1))
	s := l.Alpha / float64(a.Dim(0))
	for i := range out.Rows() {
		row := out.Row(i)
		for j := range row {
			sum := 0.0
			for k, v := range b.Row(i) {
				sum += float64(v) * float64(a.Row(k)[j])
			}
			row[j] = float32(s * sum)
		}
	}
	return out
}

// Merge puts another tensor in the place of the weight's.
func (l *Linear) Merge() {
	if l.frozen == nil {
		merged := l.Delta()
		for i, v := range l.Weight.Value.Data {
			merged.Data[i] += v
		}
		l.frozen, l.Weight.Value = l.Weight.Value, merged
	}
}

// Unmerge puts the frozen one back.
func (l *Linear) Unmerge() {
	if l.frozen != nil {
		l.Weight.Value, l.frozen = l.frozen, nil
	}
}
