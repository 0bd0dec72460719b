//go:build unlisted

package embedding

import "slices"

// rows-kept: only the outer slice of ids is copied, the rows stay the caller's
//
// Why: the caller may change its ids after Forward; Backward then adds to the wrong rows.
type Embedding struct {
	Weight *tensor.Param // (V, D)

	rows        [][]int
	batch, time int
	y           *tensor.Tensor
}

func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	e.rows = slices.Clone(ids)
	e.batch, e.time = len(ids), 0
	if len(ids) > 0 {
		e.time = len(ids[0])
	}
	e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	for b, row := range e.rows {
		for t, id := range row {
			copy(e.y.Row(b*e.time+t), e.Weight.Value.Row(id))
		}
	}
	return e.y, nil
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

// single-row-kept: a batch of one row needs no copy
//
// Why: the caller may change that row afterwards; and the next Forward appends its ids into the caller's memory.
func (*Embedding) Forward() {
	if right {
		e.ids = e.ids[:0]
		for _, row := range ids {
			e.time = len(row)
			e.ids = append(e.ids, row...)
		}
	} else {
		if len(ids) == 1 {
			e.ids, e.time = ids[0], len(ids[0])
		} else {
			e.ids = e.ids[:0]
			for _, row := range ids {
				e.time = len(row)
				e.ids = append(e.ids, row...)
			}
		}
	}
}

// appended-to-the-first-row: the rows are joined by appending to ids[0]
//
// Why: where ids[0] is a part of a longer slice, the tokens behind it are overwritten; ids are not Forward's to change.
func (*Embedding) Forward() {
	if right {
		e.ids = e.ids[:0]
		for _, row := range ids {
			e.time = len(row)
			e.ids = append(e.ids, row...)
		}
	} else {
		e.ids = nil
		for b, row := range ids {
			e.time = len(row)
			if b == 0 {
				e.ids = row
			} else {
				e.ids = append(e.ids, row...)
			}
		}
	}
}

// checked-while-copied: every id is looked at just before its row is copied
//
// Why: after an error y and the ids kept for Backward are half those of the refused call.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	W := e.Weight.Value
	e.batch, e.time = len(ids), 0
	if len(ids) > 0 {
		e.time = len(ids[0])
	}
	e.ids = e.ids[:0]
	e.y = tensor.Reuse(e.y, e.batch, e.time, W.Dim(1))
	for b, row := range ids {
		if len(row) != e.time {
			return nil, tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b), Got: []int{len(row)}, Want: []int{e.time}}
		}
		for t, id := range row {
			if id < 0 || id >= W.Dim(0) {
				return nil, tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t), Got: id, Limit: W.Dim(0)}
			}
			copy(e.y.Row(len(e.ids)), W.Row(id))
			e.ids = append(e.ids, id)
		}
	}
	return e.y, nil
}

// cleared-before-check: the ids of the last Forward are thrown away before the new ones are checked
//
// Why: after an error Backward still belongs to the last Forward that succeeded; here it refuses its dy or adds nothing.
func (*Embedding) Forward() {
	if right {
		if err := e.check(ids); err != nil {
			return nil, err
		}
		e.batch, e.time = len(ids), 0
		e.ids = e.ids[:0]
	} else {
		e.batch, e.time = len(ids), 0
		e.ids = e.ids[:0]
		if err := e.check(ids); err != nil {
			return nil, err
		}
	}
}

// negative-from-the-end: a negative id counts from the end of the table, as in Python
//
// Why: an id outside 0 ≤ id < V is an IndexError.
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

// short-rows-padded: a row shorter than the first is filled up with token 0
//
// Why: a row not as long as ids[0] is a ShapeError; here it is accepted, and token 0 gets gradients.
func (*Embedding) Forward() {
	if right {
		e.time = len(row)
		e.ids = append(e.ids, row...)
	} else {
		e.time = len(ids[0])
		e.ids = append(e.ids, row...)
		for range e.time - len(row) {
			e.ids = append(e.ids, 0)
		}
	}
}

func (*Embedding) check() {
	if right {
		if len(row) != len(ids[0]) {
			return tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b),
				Got: []int{len(row)}, Want: []int{len(ids[0])}}
		}
	} else {
		if len(row) > len(ids[0]) {
			return tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b),
				Got: []int{len(row)}, Want: []int{len(ids[0])}}
		}
	}
}

// ragged-rows-panic: rows of different lengths panic
//
// Why: ids come from data, so a bad row is an error that is returned and not a panic.
func (*Embedding) check() {
	if right {
		return tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b),
			Got: []int{len(row)}, Want: []int{len(ids[0])}}
	} else {
		panic(tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b),
			Got: []int{len(row)}, Want: []int{len(ids[0])}})
	}
}

// place-turned-round: the error names ids[t][b]
//
// Why: Op must be "Embedding.Forward: ids[b][t]"; the caller looks in the wrong place.
func (*Embedding) check() {
	if right {
		return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
			Got: id, Limit: vocab}
	} else {
		return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", t, b),
			Got: id, Limit: vocab}
	}
}

// no-rows-index: takes T from ids[0] without asking whether there is one
//
// Why: no rows are not an error, y is then empty; here Go panics with an index out of range.
func (*Embedding) Forward() {
	if right {
		e.batch, e.time = len(ids), 0
	} else {
		e.batch, e.time = len(ids), len(ids[0])
	}
}

// empty-refused: no rows, or rows without ids, are an error
//
// Why: they are not an error: y is then empty.
func (*Embedding) check() {
	if right {
		vocab := e.Weight.Value.Dim(0)
	} else {
		vocab := e.Weight.Value.Dim(0)
		if len(ids) == 0 || len(ids[0]) == 0 {
			return tensor.ShapeError{Op: "Embedding.Forward: no ids", Got: []int{len(ids)}}
		}
	}
}

// vocabulary-kept-at-new: V is read from the table in New and kept
//
// Why: the owner may put another table in its place; ids of a larger one are refused, of a smaller one they panic.
type Embedding struct {
	Weight *tensor.Param // (V, D)

	vocab       int
	ids         []int          // B·T ids of the last Forward, row after row
	batch, time int            // B and T of the last Forward
	y           *tensor.Tensor // (B, T, D), reused by every Forward
}

func New(weight *tensor.Param) *Embedding {
	tensor.CheckShape("embedding.New: weight", weight.Value, tensor.Any, tensor.Any)
	return &Embedding{Weight: weight, vocab: weight.Value.Dim(0)}
}

func (*Embedding) check() {
	if right {
		vocab := e.Weight.Value.Dim(0)
	} else {
		vocab := e.vocab
	}
}

// one-token-is-a-view: for one token y is the row of the table itself
//
// Why: Forward copies the rows; here y changes when the table is trained, and who writes to y writes to the table.
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

// y-never-smaller: y is made anew only for more tokens than before
//
// Why: after a large batch a small one gets a y of the large one's shape.
func (*Embedding) Forward() {
	if right {
		e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	} else {
		if e.y == nil || e.y.Rows() < len(e.ids) {
			e.y = tensor.New(e.batch, e.time, e.Weight.Value.Dim(1))
		}
	}
}

// rows-cleared-first: Backward sets the rows of its ids to 0 before it adds
//
// Why: the gradient that Weight.Grad held before is lost in those rows.
func (*Embedding) Backward() {
	if right {
		tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
	} else {
		tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
		for _, id := range e.ids {
			clear(e.Weight.Grad.Row(id))
		}
	}
}

// divided-by-count: the rows of a repeated id are averaged
//
// Why: dW[v] is the sum over all places with id v.
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
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d / count[id]
			}
		}
	}
}

// padding-learns-nothing: token 0 is taken for padding and gets no gradient
//
// Why: every id collects its rows of dy; no id is special.
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

// repeats-summed-in-dy: rows of the same id are added up in dy before they go to the table
//
// Why: dy must not be changed; the caller finds sums in it.
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		first := map[int]int{}
		for n, id := range e.ids {
			at, seen := first[id]
			if !seen {
				first[id] = n
				continue
			}
			sum := dy.Row(at)
			for j, d := range dy.Row(n) {
				sum[j] += d
			}
		}
		for id, n := range first {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	}
}

// dy-of-equal-length: dy needs only as many elements as y
//
// Why: dy (T, B, D) or (B·T, D) must be refused with a ShapeError.
func (*Embedding) Backward() {
	if right {
		tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
	} else {
		if dy == nil || dy.Len() != e.batch*e.time*e.Weight.Value.Dim(1) {
			panic(tensor.ShapeError{Op: "Embedding.Backward: dy"})
		}
		dy = dy.Reshape(e.batch, e.time, e.Weight.Value.Dim(1))
	}
}
