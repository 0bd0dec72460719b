//go:build unlisted

package embedding

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// sorted-by-id: Backward sorts the places by their id and adds one sum in float64 for each id
//
// Why: the same sums in another order, with what Weight.Grad held before as the first term.
func (e *Embedding) Backward(dy *tensor.Tensor) {
	width := e.Weight.Value.Dim(1)
	tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, width)
	places := make([]int, len(e.ids))
	for n := range places {
		places[n] = n
	}
	slices.SortFunc(places, func(a, b int) int { return e.ids[a] - e.ids[b] })
	for len(places) > 0 {
		id, count := e.ids[places[0]], 1
		for count < len(places) && e.ids[places[count]] == id {
			count++
		}
		for j := range width {
			sum := float64(e.Weight.Grad.At(id, j))
			for _, n := range places[:count] {
				sum += float64(dy.Data[n*width+j])
			}
			e.Weight.Grad.Set(float32(sum), id, j)
		}
		places = places[count:]
	}
}

// deep-copy-column-by-column: ids are kept as rows, and y is filled column after column
//
// Why: every row is cloned, so the caller may change its own; nothing is kept before all ids were looked at.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	kept, seq := make([][]int, len(ids)), 0
	for b := range ids {
		if seq = len(ids[0]); len(ids[b]) != seq {
			return nil, tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b), Got: []int{len(ids[b])}, Want: []int{seq}}
		}
		for t, id := range ids[b] {
			if uint(id) >= uint(e.Weight.Value.Dim(0)) {
				return nil, tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t), Got: id, Limit: e.Weight.Value.Dim(0)}
			}
		}
		kept[b] = slices.Clone(ids[b])
	}
	width := e.Weight.Value.Dim(1)
	e.rows, e.time, e.y = kept, seq, tensor.Reuse(e.y, len(kept), seq, width)
	for j := range width {
		for b, row := range kept {
			for t, id := range row {
				e.y.Data[(b*seq+t)*width+j] = e.Weight.Value.Data[id*width+j]
			}
		}
	}
	return e.y, nil
}

func (e *Embedding) Backward(dy *tensor.Tensor) {
	tensor.CheckShape("Embedding.Backward: dy", dy, len(e.rows), e.time, e.Weight.Value.Dim(1))
	for b := len(e.rows) - 1; b >= 0; b-- {
		for t := e.time - 1; t >= 0; t-- {
			from, to := dy.Row(b*e.time+t), e.Weight.Grad.Row(e.rows[b][t])
			for j := range to {
				to[j] = from[j] + to[j]
			}
		}
	}
}

type Embedding struct {
	Weight *tensor.Param

	rows  [][]int
	ids   []int
	batch int
	time  int
	y     *tensor.Tensor
}
