// Package embedding sorts the places of a batch by their ids and adds one sum,
// taken in float64, to each row of the gradient.
package embedding

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

type Embedding struct {
	Weight *tensor.Param

	places []place
	b, t   int
}

// place is where an id stands: in row n of y.
type place struct{ id, n int }

func New(weight *tensor.Param) *Embedding {
	tensor.CheckShape("embedding.New: weight", weight.Value, tensor.Any, tensor.Any)
	return &Embedding{Weight: weight}
}

func (e *Embedding) Params() []*tensor.Param { return []*tensor.Param{e.Weight} }

func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	w := e.Weight.Value
	t := 0
	var places []place
	for b, row := range ids {
		if b == 0 {
			t = len(row)
		}
		if len(row) != t {
			return nil, tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b), Got: []int{len(row)}, Want: []int{t}}
		}
		for i, id := range row {
			if id < 0 || id >= w.Dim(0) {
				return nil, tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, i), Got: id, Limit: w.Dim(0)}
			}
			places = append(places, place{id, len(places)})
		}
	}
	y := tensor.New(len(ids), t, w.Dim(1))
	for _, p := range places {
		copy(y.Row(p.n), w.Row(p.id))
	}
	e.places, e.b, e.t = places, len(ids), t
	return y, nil
}

func (e *Embedding) Backward(dy *tensor.Tensor) {
	d := e.Weight.Value.Dim(1)
	tensor.CheckShape("Embedding.Backward: dy", dy, e.b, e.t, d)
	sorted := slices.SortedFunc(slices.Values(e.places), func(a, b place) int { return cmp.Compare(b.id, a.id) })
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n].id == sorted[0].id {
			n++
		}
		sum := make([]float64, d)
		for _, p := range sorted[:n] {
			for j, v := range dy.Row(p.n) {
				sum[j] += float64(v)
			}
		}
		for j, v := range sum {
			e.Weight.Grad.Row(sorted[0].id)[j] += float32(v)
		}
		sorted = sorted[n:]
	}
}
