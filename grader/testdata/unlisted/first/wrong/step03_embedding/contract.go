//go:build unlisted

package embedding

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

// id-v-allowed: an id equal to V passes the check
//
// Why: The id V panics in the look-up instead of being returned as an IndexError.
func (e *Embedding) check(ids [][]int) error {
	vocab := e.Weight.Value.Dim(0)
	for b, row := range ids {
		if len(row) != len(ids[0]) {
			return tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b),
				Got: []int{len(row)}, Want: []int{len(ids[0])}}
		}
		for t, id := range row {
			if id < 0 || id > vocab {
				return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
					Got: id, Limit: vocab}
			}
		}
	}
	return nil
}

// negative-counts-from-end: negative ids are counted from the end, as in Python
//
// Why: The id −1 gives the last row of the table instead of an IndexError.
func (e *Embedding) check(ids [][]int) error {
	vocab := e.Weight.Value.Dim(0)
	for b, row := range ids {
		if len(row) != len(ids[0]) {
			return tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b),
				Got: []int{len(row)}, Want: []int{len(ids[0])}}
		}
		for t, id := range row {
			if id < -vocab || id >= vocab {
				return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
					Got: id, Limit: vocab}
			}
		}
	}
	return nil
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

// place-turned-round: the error names the place as [t][b]
//
// Why: The IndexError's Op names ids[t][b] where ids[b][t] was wrong.
func (*Embedding) check() {
	if right {
		return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
			Got: id, Limit: vocab}
	} else {
		return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", t, b),
			Got: id, Limit: vocab}
	}
}

// ragged-rows-unchecked: the lengths of the rows are not compared
//
// Why: Rows of different lengths give a panic or a y of the wrong shape instead of a ShapeError.
func (*Embedding) check() {
	if right {
		if len(row) != len(ids[0]) {
			return tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b),
				Got: []int{len(row)}, Want: []int{len(ids[0])}}
		}
	} else {
		_ = b
	}
}

// only-longer-rows-refused: a row that is shorter than the first passes
//
// Why: A row shorter than ids[0] gives a y of the wrong shape or a panic instead of a ShapeError.
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

// bad-id-panics: a wrong id is a panic
//
// Why: Forward panics with the IndexError instead of returning it.
func (*Embedding) Forward() {
	if right {
		if err := e.check(ids); err != nil {
			return nil, err
		}
	} else {
		if err := e.check(ids); err != nil {
			panic(err)
		}
	}
}

// no-rows-refused: Forward reads the length of the first row without looking whether there is one
//
// Why: Forward of no rows panics; it should return an empty y.
func (*Embedding) Forward() {
	if right {
		e.batch, e.time = len(ids), 0
	} else {
		e.batch, e.time = len(ids), len(ids[0])
	}
}

// dy-last-dimension-only: dy is checked for its last dimension alone
//
// Why: A dy (B·T, D), or one with other leading dimensions, is taken without a ShapeError.
func (*Embedding) Backward() {
	if right {
		tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
	} else {
		tensor.CheckShape("Embedding.Backward: dy", dy, tensor.Lead, e.Weight.Value.Dim(1))
	}
}
