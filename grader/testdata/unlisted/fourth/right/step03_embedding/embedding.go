//go:build unlisted

package embedding

import (
	"fmt"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// sorted-places-and-float64: Backward sorts the places by id and adds the sum of each group once, in float64
//
// Why: the sum over the places of an id has any order, and Weight.Grad still gets all of it on top of what it held.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	e.ids, e.batch, e.time = slices.Concat(ids...), len(ids), 0
	if e.batch > 0 {
		e.time = len(ids[e.batch-1])
	}
	e.y = tensor.New(e.batch, e.time, e.Weight.Value.Dim(1))
	for n := len(e.ids) - 1; n >= 0; n-- {
		copy(e.y.Row(n), e.Weight.Value.Row(e.ids[n]))
	}
	return e.y, nil
}

func (e *Embedding) Backward(dy *tensor.Tensor) {
	width := e.Weight.Value.Dim(1)
	tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, width)
	places := make([]int, len(e.ids))
	for n := range places {
		places[n] = n
	}
	slices.SortFunc(places, func(a, b int) int { return e.ids[a] - e.ids[b] })
	for len(places) > 0 {
		id, sum := e.ids[places[0]], make([]float64, width)
		for len(places) > 0 && e.ids[places[0]] == id {
			for j, d := range dy.Row(places[0]) {
				sum[j] += float64(d)
			}
			places = places[1:]
		}
		grad := e.Weight.Grad.Row(id)
		for j, s := range sum {
			grad[j] = float32(float64(grad[j]) + s)
		}
	}
}

// workers-own-residues: three workers, each of which adds for the ids of its own residue modulo 3; ids kept row by row
//
// Why: no two workers touch the same row of the table's gradient, and each goes through the places in their order.
type Embedding struct {
	Weight *tensor.Param // (V, D)

	rows [][]int        // (B, T), copies
	like *tensor.Tensor // (B, T, D), the last y
}

func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	V, D := e.Weight.Value.Dim(0), e.Weight.Value.Dim(1)
	seq := 0
	var rows [][]int
	for b, row := range ids {
		if b == 0 {
			seq = len(row)
		}
		if len(row) != seq {
			return nil, tensor.ShapeError{Op: fmt.Sprint("Embedding.Forward: ids[", b, "]"), Got: []int{len(row)}, Want: []int{seq}}
		}
		if t := slices.IndexFunc(row, func(id int) bool { return uint(id) >= uint(V) }); t >= 0 {
			return nil, tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t), Got: row[t], Limit: V}
		}
		rows = append(rows, slices.Clone(row))
	}
	var data []float32
	for _, row := range rows {
		for _, id := range row {
			data = append(data, e.Weight.Value.Row(id)...)
		}
	}
	e.rows, e.like = rows, tensor.From(data, len(rows), seq, D)
	return e.like, nil
}

func (e *Embedding) Backward(dy *tensor.Tensor) {
	if e.like == nil {
		tensor.CheckShape("Embedding.Backward: dy", dy, 0, 0, e.Weight.Value.Dim(1))
		return
	}
	tensor.CheckShape("Embedding.Backward: dy", dy, e.like.Shape...)
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			n := 0
			for _, row := range e.rows {
				for _, id := range row {
					if id%3 == w {
						for j, d := range dy.Row(n) {
							e.Weight.Grad.Row(id)[j] += d
						}
					}
					n++
				}
			}
		}()
	}
	wg.Wait()
}
