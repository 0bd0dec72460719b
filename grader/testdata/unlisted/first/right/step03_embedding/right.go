//go:build unlisted

package embedding

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

// places-of-every-id: the layer keeps for every id the list of its places, in a map
//
// Why: Right: Backward goes through the ids and not through the places.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	time := 0
	if len(ids) > 0 {
		time = len(ids[0])
	}
	e.shape = []int{len(ids), time, e.Weight.Value.Dim(1)}
	e.places = map[int][]int{}
	y := tensor.New(e.shape...)
	for b, row := range ids {
		for t, id := range row {
			e.places[id] = append(e.places[id], b*time+t)
			copy(y.Row(b*time+t), e.Weight.Value.Row(id))
		}
	}
	return y, nil
}

type Embedding struct {
	Weight *tensor.Param

	shape  []int
	places map[int][]int
}

func (e *Embedding) Backward(dy *tensor.Tensor) {
	if e.shape == nil {
		e.shape = []int{0, 0, e.Weight.Value.Dim(1)}
	}
	tensor.CheckShape("Embedding.Backward: dy", dy, e.shape...)
	for id, places := range e.places {
		grad := e.Weight.Grad.Row(id)
		for j := range grad {
			sum := 0.0
			for _, n := range places {
				sum += float64(dy.Row(n)[j])
			}
			grad[j] += float32(sum)
		}
	}
}

// checked-by-closure: the check is a recursion over the rows with a closure for one id
//
// Why: Right: the same errors in the same order.
func (e *Embedding) check(ids [][]int) error {
	vocab := e.Weight.Value.Dim(0)
	var row func(b int) error
	row = func(b int) error {
		if b == len(ids) {
			return nil
		}
		if got, want := len(ids[b]), len(ids[0]); got != want {
			return tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b), Got: []int{got}, Want: []int{want}}
		}
		for t, id := range ids[b] {
			if uint(id) >= uint(vocab) {
				return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t), Got: id, Limit: vocab}
			}
		}
		return row(b + 1)
	}
	return row(0)
}
