//go:build unlisted

package embedding

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// sizes-before-the-check: B and T are kept before the ids are checked
//
// Why: a Forward that returns an error leaves its B and T behind, and Backward then refuses the dy of the last Forward
// that succeeded.
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

// single-token-shares-the-table: y of a single id is a view of the table's row
//
// Why: with B = T = 1 nothing is copied: who writes into y changes the weight, and y changes with the weight.
func (*Embedding) Forward() {
	if right {
		e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	} else {
		if len(e.ids) == 1 {
			row := e.Weight.Value.Row(e.ids[0])
			return tensor.From(row, 1, 1, len(row)), nil
		}
		e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	}
}

// only-outer-slice-copied: Forward copies the list of rows, but not the ids in them
//
// Why: slices.Clone of a [][]int shares its rows with the caller, who may change the ids before Backward; the gradient
// then goes to other rows of the table.
func (*Embedding) Forward() {
	if right {
		e.ids = e.ids[:0]
		for _, row := range ids {
			e.time = len(row)
			e.ids = append(e.ids, row...)
		}
	} else {
		e.ids = slices.Clone(ids)
		if len(ids) > 0 {
			e.time = len(ids[0])
		}
	}
	if right {
		for n, id := range e.ids {
			copy(e.y.Row(n), e.Weight.Value.Row(id))
		}
	} else {
		for b, row := range e.ids {
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
		for b, row := range e.ids {
			for t, id := range row {
				grad := e.Weight.Grad.Row(id)
				for j, d := range dy.Row(b*e.time + t) {
					grad[j] += d
				}
			}
		}
	}
}

type Embedding struct {
	Weight *tensor.Param

	ids         [][]int
	batch, time int
	y           *tensor.Tensor
}

// named-rows-cleared: Backward clears every row of the gradient that an id names before it adds to it
//
// Why: within one call repeated ids add up, but what Weight.Grad held before in these rows is lost.
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		cleared := map[int]bool{}
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			if !cleared[id] {
				clear(grad)
				cleared[id] = true
			}
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	}
}

// time-of-one-dropped: y of rows with one id each is (B, D)
//
// Why: with T = 1 the middle dimension is left out of y's shape, which should be (B, 1, D).
func (*Embedding) Forward() {
	if right {
		return e.y, nil
	} else {
		if e.time == 1 {
			return e.y.Reshape(e.batch, -1), nil
		}
		return e.y, nil
	}
}

// no-rows-panic: T is the length of ids[0] even if there are no rows
//
// Why: Forward of an empty batch panics with an index out of range instead of returning an empty y.
func (*Embedding) Forward() {
	if right {
		e.batch, e.time = len(ids), 0
	} else {
		e.batch, e.time = len(ids), len(ids[0])
	}
}

// id-zero-is-padding: id 0 is treated as padding
//
// Why: y is zeros wherever the id is 0, and its row of the table never gets a gradient; 0 is an id like any other.
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		if id == 0 {
			clear(e.y.Row(n))
			continue
		}
		copy(e.y.Row(n), e.Weight.Value.Row(id))
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

// table-read-by-columns: table is read as if it were (D, V)
//
// Why: element j of a token's vector is taken from Data[j·V+id] instead of Data[id·D+j], and the gradient goes to the same
// wrong places.
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		for j := range e.y.Row(n) {
			e.y.Row(n)[j] = e.Weight.Value.Data[j*e.Weight.Value.Dim(0)+id]
		}
	}
}

func (*Embedding) Backward() {
	if right {
		grad := e.Weight.Grad.Row(id)
		for j, d := range dy.Row(n) {
			grad[j] += d
		}
	} else {
		for j, d := range dy.Row(n) {
			e.Weight.Grad.Data[j*e.Weight.Grad.Dim(0)+id] += d
		}
	}
}

// y-filled-time-first: Forward writes the vectors in the order (T, B)
//
// Why: W[ids[b][t]] goes to row t·B+b of y instead of b·T+t, while Backward reads dy in the right order. With B = 1 or
// T = 1 nothing is wrong.
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		b, t := n/e.time, n%e.time
		copy(e.y.Row(t*e.batch+b), e.Weight.Value.Row(id))
	}
}

// negative-ids-from-the-end: a negative id counts from the end of the table
//
// Why: −1 is looked up as V − 1, as in Python, where an IndexError should be returned; only ids below −V are refused.
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

func (*Embedding) Forward() {
	if right {
		e.ids = append(e.ids, row...)
	} else {
		for _, id := range row {
			if id < 0 {
				id += e.Weight.Value.Dim(0)
			}
			e.ids = append(e.ids, id)
		}
	}
}

// mean-over-occurrences: a token's gradient is the mean over its occurrences
//
// Why: every row of dy is divided by how often its id occurs in the batch, so an id that occurs three times collects a
// third of the sum.
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		times := map[int]float32{}
		for _, id := range e.ids {
			times[id]++
		}
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d / times[id]
			}
		}
	}
}

// once-a-sequence: only the first occurrence of an id in a sequence counts
//
// Why: dW leaves out the rows of dy where ids[b] repeats an id; an id that occurs in several sequences collects one row
// from each.
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		seen := map[int]bool{}
		for n, id := range e.ids {
			if n%e.time == 0 {
				clear(seen)
			}
			if seen[id] {
				continue
			}
			seen[id] = true
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	}
}
