package embedding

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Embedding multiplies a one-hot vector by the table.
type Embedding struct {
	Weight *tensor.Param
	hot    [][]float32
	ids    [][]int
}

func New(weight *tensor.Param) *Embedding { return &Embedding{Weight: weight} }

func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	vocab, d := e.Weight.Value.Dim(0), e.Weight.Value.Dim(1)
	for b := range ids {
		if len(ids[b]) != len(ids[0]) {
			return nil, tensor.ShapeError{Op: "Embedding.Forward: ids", Got: []int{len(ids[b])}, Want: []int{len(ids[0])}}
		}
		for t, id := range ids[b] {
			if id < 0 || id > vocab-1 {
				return nil, tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t), Got: id, Limit: vocab}
			}
		}
	}
	e.ids, e.hot = ids, nil
	y := tensor.New(len(ids), len(ids[0]), d)
	for b, row := range ids {
		for t, id := range row {
			v := make([]float32, vocab)
			v[id] = 1
			e.hot = append(e.hot, v)
			for j := range d {
				for k, h := range v {
					y.Data[(b*len(row)+t)*d+j] += h * e.Weight.Value.Data[k*d+j]
				}
			}
		}
	}
	return y, nil
}

func (e *Embedding) Backward(dy *tensor.Tensor) {
	tensor.CheckShape("Embedding.Backward: dy", dy, len(e.ids), tensor.Any, e.Weight.Value.Dim(1))
	dw := tensor.New(e.Weight.Value.Shape...)
	for r, hot := range e.hot {
		for k, h := range hot {
			if h != 0 {
				copy(dw.Row(k), dy.Row(r)) // the row of this token
			}
		}
	}
	for i := range dw.Data {
		e.Weight.Grad.Data[i] += dw.Data[i]
	}
}

func (e *Embedding) Params() []*tensor.Param { return []*tensor.Param{e.Weight} }
