//go:build unlisted

package embedding

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// ids-cloned-one-level: the outer slice of ids is cloned, its rows are still the caller's
//
// Why: the caller may change its ids after Forward; Backward then adds to the wrong rows.
type Embedding struct {
	Weight *tensor.Param

	ids         [][]int
	batch, time int
	y           *tensor.Tensor
}

func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	e.ids = slices.Clone(ids)
	e.batch, e.time = len(ids), 0
	for _, row := range ids {
		e.time = len(row)
	}
	e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	for b, row := range e.ids {
		for t, id := range row {
			copy(e.y.Row(b*e.time+t), e.Weight.Value.Row(id))
		}
	}
	return e.y, nil
}

func (e *Embedding) Backward(dy *tensor.Tensor) {
	tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
	for b, row := range e.ids {
		for t, id := range row {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(b*e.time + t) {
				grad[j] += d
			}
		}
	}
}

// ids-emptied-before-check: the kept ids are emptied before the new ones are looked at
//
// Why: after an error Backward still belongs to the last Forward that succeeded; here it adds nothing.
func (*Embedding) Forward() {
	if right {
		if err := e.check(ids); err != nil {
			return nil, err
		}
	} else {
		e.ids = e.ids[:0]
		if err := e.check(ids); err != nil {
			return nil, err
		}
	}
}

// y-written-before-check: rows are copied into y while the ids are looked at
//
// Why: after an error the y of the last good Forward is overwritten; all ids are to be looked at before anything is written.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	W := e.Weight.Value
	time := 0
	if len(ids) > 0 {
		time = len(ids[0])
	}
	y := tensor.Reuse(e.y, len(ids), time, W.Dim(1))
	flat := make([]int, 0, len(ids)*time)
	for b, row := range ids {
		if len(row) != time {
			return nil, tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b),
				Got: []int{len(row)}, Want: []int{time}}
		}
		for t, id := range row {
			if id < 0 || id >= W.Dim(0) {
				return nil, tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
					Got: id, Limit: W.Dim(0)}
			}
			copy(y.Row(len(flat)), W.Row(id))
			flat = append(flat, id)
		}
	}
	e.y, e.ids, e.batch, e.time = y, flat, len(ids), time
	return y, nil
}

// negative-from-the-end: a negative id counts from the end of the table, as in Python
//
// Why: an id outside 0 ≤ id < V is an IndexError; −1 is accepted as the last token.
func (*Embedding) Forward() {
	if right {
		e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	} else {
		for n, id := range e.ids {
			if id < 0 {
				e.ids[n] = id + e.Weight.Value.Dim(0)
			}
		}
		e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	}
}

func (*Embedding) check() {
	if right {
		if id < 0 || id >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
				Got: id, Limit: vocab}
		}
	} else {
		if id < -vocab || id >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
				Got: id, Limit: vocab}
		}
	}
}

// pointer-to-index-error: the error for a bad id is a *tensor.IndexError
//
// Why: the contract says tensor.IndexError; errors.As with that type does not find it.
func (*Embedding) check() {
	if right {
		if id < 0 || id >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
				Got: id, Limit: vocab}
		}
	} else {
		if id < 0 || id >= vocab {
			return &tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
				Got: id, Limit: vocab}
		}
	}
}

// only-the-total-is-checked: rows of different lengths pass if all of them together have B·T ids
//
// Why: a row not as long as ids[0] is a ShapeError; rows of 2, 1 and 3 ids are accepted.
func (e *Embedding) check(ids [][]int) error {
	vocab, total := e.Weight.Value.Dim(0), 0
	for b, row := range ids {
		total += len(row)
		for t, id := range row {
			if id < 0 || id >= vocab {
				return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
					Got: id, Limit: vocab}
			}
		}
	}
	if len(ids) == 0 || total == len(ids)*len(ids[0]) {
		return nil
	}
	odd := slices.IndexFunc(ids, func(row []int) bool { return len(row) != len(ids[0]) })
	return tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", odd),
		Got: []int{len(ids[odd])}, Want: []int{len(ids[0])}}
}

// row-cleared-at-first-sight: the gradient of a row is cleared when its id is first met
//
// Why: ids that repeat add up, but what Weight.Grad held from an earlier Backward is lost.
func (e *Embedding) Backward(dy *tensor.Tensor) {
	tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
	seen := make(map[int]bool)
	for n, id := range e.ids {
		grad := e.Weight.Grad.Row(id)
		if !seen[id] {
			clear(grad)
			seen[id] = true
		}
		for j, d := range dy.Row(n) {
			grad[j] += d
		}
	}
}

// padding-gets-no-gradient: id 0 is taken for padding and left out of the gradient
//
// Why: dW[v] is the sum for every v; token 0 never learns.
func (*Embedding) Backward() {
	if right {
		grad := e.Weight.Grad.Row(id)
	} else {
		if id == 0 {
			continue
		}
		grad := e.Weight.Grad.Row(id)
	}
}

// single-id-is-a-view: for a single id y is the row of the table itself
//
// Why: rows are copied into y; a caller that changes its y changes the table, and an update changes y.
func (*Embedding) Forward() {
	if right {
		e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	} else {
		if len(e.ids) == 1 {
			return tensor.From(e.Weight.Value.Row(e.ids[0]), 1, 1, e.Weight.Value.Dim(1)), nil
		}
		e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	}
}

// no-rows-panics: T is read from the first row, also when there is none
//
// Why: no rows are not an error, y is then empty; here the index is out of range.
func (*Embedding) Forward() {
	if right {
		e.batch, e.time = len(ids), 0
	} else {
		e.batch, e.time = len(ids), len(ids[0])
	}
}
