//go:build unlisted

package embedding

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// rows-kept: rows of ids are kept and not copied
//
// Why: a caller who writes the next batch into the same slices before Backward gets the gradient in the wrong rows.
type Embedding struct {
	Weight *tensor.Param // (V, D)

	rows        [][]int
	batch, time int
	y           *tensor.Tensor
}

func (*Embedding) Forward() {
	if right {
		e.ids = e.ids[:0]
		for _, row := range ids {
			e.time = len(row)
			e.ids = append(e.ids, row...)
		}
	} else {
		e.rows = ids
		if len(ids) > 0 {
			e.time = len(ids[0])
		}
	}
	if right {
		for n, id := range e.ids {
			copy(e.y.Row(n), e.Weight.Value.Row(id))
		}
	} else {
		for b, row := range ids {
			for t, id := range row {
				copy(e.y.Row(b*e.time+t), e.Weight.Value.Row(id))
			}
		}
	}
}

func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		for b, row := range e.rows {
			for t, id := range row {
				grad := e.Weight.Grad.Row(id)
				kernel.Add(grad, grad, dy.Row(b*e.time+t))
			}
		}
	}
}

// checked-on-the-way: ids are checked while they are kept
//
// Why: after an error the ids of the last good Forward are gone, and Backward belongs to half a batch.
func (*Embedding) Forward() {
	if right {
		if err := e.check(ids); err != nil {
			return nil, err
		}
		e.batch, e.time = len(ids), 0
		e.ids = e.ids[:0]
		for _, row := range ids {
			e.time = len(row)
			e.ids = append(e.ids, row...)
		}
	} else {
		e.batch, e.time = len(ids), 0
		e.ids = e.ids[:0]
		for _, row := range ids {
			e.time = len(row)
			e.ids = append(e.ids, row...)
		}
		if err := e.check(ids); err != nil {
			return nil, err
		}
	}
}

// negative-from-the-end: negative id counts from the end of the table
//
// Why: an id of −1 gives the last row, as in NumPy, and no error.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	vocab := e.Weight.Value.Dim(0)
	positive := make([][]int, len(ids))
	for b, row := range ids {
		positive[b] = make([]int, len(row))
		for t, id := range row {
			if id < 0 && id >= -vocab {
				id += vocab
			}
			positive[b][t] = id
		}
	}
	if err := e.check(positive); err != nil {
		return nil, err
	}
	e.batch, e.time = len(ids), 0
	e.ids = e.ids[:0]
	for _, row := range positive {
		e.time = len(row)
		e.ids = append(e.ids, row...)
	}
	e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	for n, id := range e.ids {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	}
	return e.y, nil
}

// total-length-only: only the number of all ids is checked and not the rows
//
// Why: rows of 1 and 3 ids beside a first one of 2 make as many ids as a rectangle and are accepted.
func (*Embedding) check() {
	if right {
		if len(row) != len(ids[0]) {
			return tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b),
				Got: []int{len(row)}, Want: []int{len(ids[0])}}
		}
	} else {
		total := 0
		for _, r := range ids {
			total += len(r)
		}
		if total != len(ids)*len(ids[0]) && len(row) != len(ids[0]) {
			return tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b),
				Got: []int{len(row)}, Want: []int{len(ids[0])}}
		}
	}
}

func (*Embedding) Forward() {
	if right {
		for _, row := range ids {
			e.time = len(row)
			e.ids = append(e.ids, row...)
		}
	} else {
		for _, row := range ids {
			e.time = len(ids[0])
			e.ids = append(e.ids, row...)
		}
	}
}

// no-rows-panic: first row is looked at without asking whether there is one
//
// Why: Forward of no rows panics with an index out of range; it should return an empty y.
func (*Embedding) Forward() {
	if right {
		e.batch, e.time = len(ids), 0
	} else {
		e.batch, e.time = len(ids), len(ids[0])
	}
}

// gradient-replaced: gradient is cleared before the rows are added
//
// Why: what Grad held from an earlier Backward is lost, so gradients do not add up over batches.
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		e.Weight.ZeroGrad()
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	}
}

// place-swapped: error names the place of a bad id as [t][b]
//
// Why: whoever looks for the bad id at the place that the IndexError names finds another one.
func (*Embedding) check() {
	if right {
		return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
			Got: id, Limit: vocab}
	} else {
		return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", t, b),
			Got: id, Limit: vocab}
	}
}

// times-root-d: vectors are multiplied by √D in Forward only
//
// Why: y is √D times the row of the table, as in the first Transformer; the gradient does not know of it.
func (*Embedding) Forward() {
	if right {
		return e.y, nil
	} else {
		kernel.Scale(float32(math.Sqrt(float64(e.Weight.Value.Dim(1)))), e.y.Data)
		return e.y, nil
	}
}

// repeated-id-once: id that occurs several times collects only its first row of dy
//
// Why: the gradient of a frequent token lacks all its later places.
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		done := map[int]bool{}
		for n, id := range e.ids {
			if done[id] {
				continue
			}
			done[id] = true
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	}
}

// gradient-by-frequency: gradient of a row is divided by how often its id occurs
//
// Why: dW[v] is the sum over the places of v and not their mean.
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		count := map[int]float32{}
		for _, id := range e.ids {
			count[id]++
		}
		for n, id := range e.ids {
			kernel.Axpy(1/count[id], dy.Row(n), e.Weight.Grad.Row(id))
		}
	}
}

// zero-is-padding: token 0 counts as padding
//
// Why: id 0 gives a vector of zeros and its row of the table gets no gradient.
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
		if id == 0 {
			clear(e.y.Row(n))
		}
	}
}

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
