//go:build unlisted

package embedding

import "github.com/stubformer/stubformer/reference/tensor"

// single-row-by-reference: a batch of one row is kept without copying it
//
// Why: When the caller changes its ids after Forward and B is 1, Backward adds to the rows of the new ids.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	e.batch, e.time = len(ids), 0
	if len(ids) == 1 {
		e.ids, e.time = ids[0], len(ids[0])
	} else {
		e.ids = nil
		for _, row := range ids {
			e.time = len(row)
			e.ids = append(e.ids, row...)
		}
	}
	e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	for n, id := range e.ids {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	}
	return e.y, nil
}

// ids-by-reference: the caller's slice of rows is kept for Backward
//
// Why: Backward reads the ids as the caller has changed them since, and not those of Forward.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	e.rows, e.batch, e.time = ids, len(ids), 0
	if len(ids) > 0 {
		e.time = len(ids[0])
	}
	e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	for b, row := range ids {
		for t, id := range row {
			copy(e.y.Row(b*e.time+t), e.Weight.Value.Row(id))
		}
	}
	return e.y, nil
}

type Embedding struct {
	Weight *tensor.Param // (V, D)

	rows        [][]int
	batch, time int
	y           *tensor.Tensor
}

func (e *Embedding) Backward(dy *tensor.Tensor) {
	tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
	for b, row := range e.rows {
		for t, id := range row {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(b*e.time + t) {
				grad[j] += d
			}
		}
	}
}

// appended-to-first-row: the other rows are appended to the caller's first
//
// Why: If ids[0] has spare capacity, Forward writes the ids of the other rows into the caller's memory behind it.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	var all []int
	e.batch, e.time = len(ids), 0
	for b, row := range ids {
		if b == 0 {
			all, e.time = row, len(row)
		} else {
			all = append(all, row...)
		}
	}
	e.ids = append([]int{}, all...)
	e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	for n, id := range e.ids {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	}
	return e.y, nil
}

// one-token-is-a-view: for a single token y is the row of the table itself
//
// Why: With B·T = 1 y lies in the table's memory: changing y changes the weight, and a change of the weight changes y.
func (*Embedding) Forward() {
	if right {
		return e.y, nil
	} else {
		if len(e.ids) == 1 {
			return tensor.From(e.Weight.Value.Row(e.ids[0]), 1, 1, e.Weight.Value.Dim(1)), nil
		}
		return e.y, nil
	}
}
