//go:build unlisted

package embedding

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// ids-not-emptied: the ids of the new call are appended to those of the last
//
// Why: A second Forward looks up the old ids as well and runs out of y.
func (*Embedding) Forward() {
	if right {
		e.ids = e.ids[:0]
	} else {
	}
}

// y-made-once: y is made by the first Forward and keeps its shape
//
// Why: A later Forward with another number of ids returns the old shape, or panics if there are more.
func (*Embedding) Forward() {
	if right {
		e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	} else {
		if e.y == nil {
			e.y = tensor.New(e.batch, e.time, e.Weight.Value.Dim(1))
		}
	}
}

// y-of-package: all layers return the same y, a variable of the package
//
// Why: The Forward of a second layer overwrites the y that the first one returned.
func (*Embedding) Forward() {
	if right {
		e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	} else {
		sharedY = tensor.Reuse(sharedY, e.batch, e.time, e.Weight.Value.Dim(1))
		e.y = sharedY
	}
}

var sharedY *tensor.Tensor

// first-shape-kept: B and T are those of the first Forward
//
// Why: Backward after a second Forward of another shape wants a dy of the first one's shape.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	time := 0
	e.ids = e.ids[:0]
	for _, row := range ids {
		time = len(row)
		e.ids = append(e.ids, row...)
	}
	if e.batch == 0 {
		e.batch, e.time = len(ids), time
	}
	e.y = tensor.Reuse(e.y, len(ids), time, e.Weight.Value.Dim(1))
	for n, id := range e.ids {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	}
	return e.y, nil
}

// kept-before-checked: the ids are kept first and checked afterwards
//
// Why: After a Forward that returned an error, Backward works with the refused ids and not with those of the last good Forward.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	e.batch, e.time = len(ids), 0
	e.ids = e.ids[:0]
	for _, row := range ids {
		e.time = len(row)
		e.ids = append(e.ids, row...)
	}
	if err := e.check(ids); err != nil {
		return nil, err
	}
	e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	for n, id := range e.ids {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	}
	return e.y, nil
}

// checked-while-copied: every id is checked when its turn comes to be copied
//
// Why: When an id is refused, the rows before it have already been written over the y of the last good Forward.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	time := 0
	for b, row := range ids {
		if time = len(row); time != len(ids[0]) {
			return nil, tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b), Got: []int{time}, Want: []int{len(ids[0])}}
		}
	}
	vocab, dModel := e.Weight.Value.Dim(0), e.Weight.Value.Dim(1)
	flat := slices.Concat(ids...)
	y := tensor.Reuse(e.y, len(ids), time, dModel)
	for n, id := range flat {
		if id < 0 || id >= vocab {
			return nil, tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", n/time, n%time), Got: id, Limit: vocab}
		}
		copy(y.Row(n), e.Weight.Value.Row(id))
	}
	e.y, e.ids, e.batch, e.time = y, flat, len(ids), time
	return e.y, nil
}

// same-ids-same-y: y is not computed again for the ids of the last call
//
// Why: A second Forward with the same ids returns the old y although the table has changed in between.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	flat := slices.Concat(ids...)
	if e.y != nil && e.batch == len(ids) && slices.Equal(flat, e.ids) {
		return e.y, nil
	}
	e.batch, e.time, e.ids = len(ids), 0, flat
	if len(ids) > 0 {
		e.time = len(ids[0])
	}
	e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	for n, id := range e.ids {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	}
	return e.y, nil
}

// gradient-cleared-first: Weight.Grad is cleared before dy is added
//
// Why: What Weight.Grad held before is lost: two Backwards leave the gradient of the second only.
func (*Embedding) Backward() {
	if right {
		tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
	} else {
		tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
		e.Weight.ZeroGrad()
	}
}

// ids-dropped-after-backward: Backward empties the kept ids
//
// Why: A second Backward of the same Forward adds nothing.
func (e *Embedding) Backward(dy *tensor.Tensor) {
	tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
	for n, id := range e.ids {
		grad := e.Weight.Grad.Row(id)
		for j, d := range dy.Row(n) {
			grad[j] += d
		}
	}
	e.ids = e.ids[:0]
}
