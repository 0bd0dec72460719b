//go:build unlisted

package embedding

import (
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// everything-afresh: Forward allocates ids and y in every call and fills y from one goroutine a sequence
//
// Why: nothing is shared between calls or goroutines; the values are the same copies.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	batch, time := len(ids), 0
	if batch > 0 {
		time = len(ids[0])
	}
	kept := make([]int, batch*time)
	W := e.Weight.Value
	y := tensor.New(batch, time, W.Dim(1))
	var all sync.WaitGroup
	for b, row := range ids {
		copy(kept[b*time:], row)
		all.Go(func() {
			for t := range time {
				copy(y.Row(b*time+t), W.Row(kept[b*time+t]))
			}
		})
	}
	all.Wait()
	e.ids, e.batch, e.time, e.y = kept, batch, time, y
	return y, nil
}

// sums-by-token: Backward first collects the places of each id, sums them in float64, and adds once
//
// Why: the same sum for each row of the table in another order; rows without an id are not touched.
func (e *Embedding) Backward(dy *tensor.Tensor) {
	width := e.Weight.Value.Dim(1)
	tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, width)
	places := make(map[int][]int)
	for n, id := range e.ids {
		places[id] = append(places[id], n)
	}
	for id, rows := range places {
		grad := e.Weight.Grad.Row(id)
		for j := range grad {
			sum := float64(grad[j])
			for _, n := range rows {
				sum += float64(dy.Data[n*width+j])
			}
			grad[j] = float32(sum)
		}
	}
}
