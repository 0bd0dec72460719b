package embedding

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

type Embedding struct {
	Weight *tensor.Param
	ids    [][]int
}

func New(weight *tensor.Param) *Embedding { return &Embedding{Weight: weight} }

// Forward returns unit vectors.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	vocab, d := e.Weight.Value.Dim(0), e.Weight.Value.Dim(1)
	y := tensor.New(len(ids), len(ids[0]), d)
	for b, row := range ids {
		for t, id := range row {
			if id < 0 || id >= vocab {
				return nil, tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t), Got: id, Limit: vocab}
			}
			norm := 0.0
			for _, v := range e.Weight.Value.Row(id) {
				norm += float64(v) * float64(v)
			}
			for j, v := range e.Weight.Value.Row(id) {
				y.Set(float32(float64(v)/math.Sqrt(norm)), b, t, j)
			}
		}
	}
	e.ids = ids
	return y, nil
}

func (e *Embedding) Backward(dy *tensor.Tensor) {
	r := 0
	for _, row := range e.ids {
		for _, id := range row {
			for j, g := range dy.Row(r) {
				e.Weight.Grad.Row(id)[j] += g
			}
			r++
		}
	}
}

func (e *Embedding) Params() []*tensor.Param { return []*tensor.Param{e.Weight} }
