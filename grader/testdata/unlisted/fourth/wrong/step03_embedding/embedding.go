//go:build unlisted

package embedding

import (
	"fmt"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// forward-counts-before-it-checks: B and T are set before the ids are looked at
//
// Why: after a refused Forward of another size, Backward refuses the dy of the last good Forward.
func (*Embedding) Forward() {
	if right {
		if err := e.check(ids); err != nil {
			return nil, err
		}
		e.batch, e.time = len(ids), 0
	} else {
		e.batch, e.time = len(ids), 0
		if len(ids) > 0 {
			e.time = len(ids[0])
		}
		if err := e.check(ids); err != nil {
			return nil, err
		}
	}
}

// forward-copies-while-it-checks: each id is looked up as soon as it is found good; only the ids of Backward wait for the end
//
// Why: nothing has changed after an error, so the y of the last good Forward must hold what it held; here the rows before
// the bad id are those of the refused batch.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	W, seq := e.Weight.Value, 0
	if len(ids) > 0 {
		seq = len(ids[0])
	}
	for b, row := range ids {
		if len(row) != seq {
			return nil, tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b), Got: []int{len(row)}, Want: []int{seq}}
		}
	}
	y := e.y
	if y == nil || len(y.Data) != len(ids)*seq*W.Dim(1) {
		y = tensor.New(len(ids), seq, W.Dim(1))
	}
	for b, row := range ids {
		for t, id := range row {
			if id < 0 || id >= W.Dim(0) {
				return nil, tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t), Got: id, Limit: W.Dim(0)}
			}
			copy(y.Row(b*seq+t), W.Row(id))
		}
	}
	e.ids, e.batch, e.time = slices.Concat(ids...), len(ids), seq
	e.y = tensor.Reuse(y, len(ids), seq, W.Dim(1))
	return e.y, nil
}

// one-hot-product: the look-up is computed as the product of one-hot rows and the table
//
// Why: 0·NaN and 0·Inf are NaN, so one NaN in a row of the table that no id names spoils every y.
func (*Embedding) Forward() {
	if right {
		for n, id := range e.ids {
			copy(e.y.Row(n), e.Weight.Value.Row(id))
		}
	} else {
		oneHot := tensor.New(len(e.ids), e.Weight.Value.Dim(0))
		for n, id := range e.ids {
			oneHot.Set(1, n, id)
		}
		tensor.Mul(e.y.Matrix(), oneHot.Matrix(), e.Weight.Value.Matrix())
	}
}

// backward-takes-two-at-a-time: two rows of the gradient are read, then two are written
//
// Why: where the ids at the places 2n and 2n+1 are the same, the second write forgets the first row of dy.
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		n := 0
		for ; n+1 < len(e.ids); n += 2 {
			g0, g1 := e.Weight.Grad.Row(e.ids[n]), e.Weight.Grad.Row(e.ids[n+1])
			d0, d1 := dy.Row(n), dy.Row(n+1)
			for j := range d0 {
				s0, s1 := g0[j]+d0[j], g1[j]+d1[j]
				g0[j], g1[j] = s0, s1
			}
		}
		if n < len(e.ids) {
			grad := e.Weight.Grad.Row(e.ids[n])
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	}
}

// workers-start-from-a-copy-of-the-gradient: two workers add their halves of the batch to clones of Weight.Grad, whose sum is stored
//
// Why: with a gradient of zeros the result is right; what Weight.Grad held before is in both clones and so counts twice.
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		var wg sync.WaitGroup
		halves := [2]*tensor.Tensor{e.Weight.Grad.Clone(), e.Weight.Grad.Clone()}
		for w, own := range halves {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for n := w * len(e.ids) / 2; n < (w+1)*len(e.ids)/2; n++ {
					grad := own.Row(e.ids[n])
					for j, d := range dy.Row(n) {
						grad[j] += d
					}
				}
			}()
		}
		wg.Wait()
		for i, g := range halves[0].Data {
			e.Weight.Grad.Data[i] = g + halves[1].Data[i]
		}
	}
}

// one-token-is-a-view-of-the-table: for a single id y is the row of the table itself
//
// Why: y is a copy, valid until the next Forward; here a caller who scales y scales the table, and an update of the table
// changes y.
func (*Embedding) Forward() {
	if right {
		for n, id := range e.ids {
			copy(e.y.Row(n), e.Weight.Value.Row(id))
		}
	} else {
		if len(e.ids) == 1 {
			return tensor.From(e.Weight.Value.Row(e.ids[0]), 1, 1, e.Weight.Value.Dim(1)), nil
		}
		for n, id := range e.ids {
			copy(e.y.Row(n), e.Weight.Value.Row(id))
		}
	}
}

// the-same-ids-again-are-not-looked-up: if the ids are those of the last Forward, y is returned as it is
//
// Why: training on one batch changes the table between two Forwards with the same ids, and the second still returns the old
// rows.
func (*Embedding) Forward() {
	if right {
		e.batch, e.time = len(ids), 0
	} else {
		if flat := slices.Concat(ids...); e.y != nil && len(ids) == e.batch && slices.Equal(flat, e.ids) {
			return e.y, nil
		}
		e.batch, e.time = len(ids), 0
	}
}

// rows-without-ids-are-no-rows: B is worked out from the number of ids and T
//
// Why: for two rows without ids y is (2, 0, D); here it is (0, 0, D), and Backward refuses a dy of the right shape.
func (*Embedding) Forward() {
	if right {
		e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	} else {
		e.batch = len(e.ids) / max(1, e.time)
		e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	}
}

// the-ids-are-cloned-only-at-the-top: slices.Clone copies the rows' headers, not the ids in them
//
// Why: a loader that fills the same rows with the next batch changes where Backward adds.
type Embedding struct {
	Weight *tensor.Param // (V, D)

	ids         [][]int        // (B, T)
	batch, time int            // B and T of the last Forward
	y           *tensor.Tensor // (B, T, D), reused by every Forward
}

func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	e.ids = slices.Clone(ids)
	e.batch, e.time = len(ids), 0
	if len(ids) > 0 {
		e.time = len(ids[0])
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

// ids-are-kept-in-sixteen-bits: the copy for Backward is a []uint16
//
// Why: up to 65,536 tokens all is well; in a larger vocabulary the gradient of id 65,536 goes to row 0.
type Embedding struct {
	Weight *tensor.Param // (V, D)

	ids         []uint16       // B·T ids of the last Forward, row after row
	batch, time int            // B and T of the last Forward
	y           *tensor.Tensor // (B, T, D), reused by every Forward
}

func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	e.batch, e.time = len(ids), 0
	if len(ids) > 0 {
		e.time = len(ids[0])
	}
	e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	e.ids = e.ids[:0]
	for _, row := range ids {
		for _, id := range row {
			copy(e.y.Row(len(e.ids)), e.Weight.Value.Row(id))
			e.ids = append(e.ids, uint16(id))
		}
	}
	return e.y, nil
}

func (*Embedding) Backward() {
	if right {
		grad := e.Weight.Grad.Row(id)
	} else {
		grad := e.Weight.Grad.Row(int(id))
	}
}
