//go:build unlisted

package rope

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

// position-max-allowed: the position right after the tables passes the check
//
// Why: The position max panics with a slice error in the look-up and not with an IndexError.
func (r *RoPE) checkPositions(positions [][]int, batch, seq int) {
	if len(positions) != batch && len(positions) != 1 {
		panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{len(positions)}, Want: []int{batch}})
	}
	for b, row := range positions {
		if len(row) != seq {
			panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(row)}, Want: []int{seq}})
		}
		for t, p := range row {
			if limit := r.Cos.Dim(0); p < 0 || p > limit {
				panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
			}
		}
	}
}

// positions-wrap-around: positions are taken modulo the length of the tables
//
// Why: A position beyond the tables starts again at 0 instead of being refused with an IndexError.
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		p := positions[b][t] % r.Cos.Dim(0)
	}
}

func (*RoPE) checkPositions() {
	if right {
		if limit := r.Cos.Dim(0); p < 0 || p >= limit {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
		}
	} else {
		if limit := r.Cos.Dim(0); p < 0 {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
		}
	}
}

// first-row-checked-only: the positions of the first sequence alone are checked
//
// Why: A wrong position or length in a later row panics with a slice error, or a row that is too long passes.
func (*RoPE) turnRows() {
	if right {
		r.checkPositions(positions, batch, seq)
	} else {
		if len(positions) != batch && len(positions) != 1 {
			panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{len(positions)}, Want: []int{batch}})
		}
		r.checkPositions(positions[:1], 1, seq)
	}
}

// longer-row-allowed: a row of positions must be at least T long
//
// Why: A row of positions longer than T is taken without a ShapeError.
func (*RoPE) checkPositions() {
	if right {
		if len(row) != seq {
			panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(row)}, Want: []int{seq}})
		}
	} else {
		if len(row) < seq {
			panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(row)}, Want: []int{seq}})
		}
	}
}

// one-row-refused: positions must have a row for every sequence
//
// Why: One row of positions for a batch of several sequences is refused, although it holds for the whole batch.
func (*RoPE) checkPositions() {
	if right {
		if len(positions) != batch && len(positions) != 1 {
			panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{len(positions)}, Want: []int{batch}})
		}
	} else {
		if len(positions) != batch {
			panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{len(positions)}, Want: []int{batch}})
		}
	}
}

// odd-dk-allowed: dK is only checked to be positive
//
// Why: New makes a RoPE for an odd dK, whose last number has no partner, instead of panicking.
func New() {
	if right {
		if dK <= 0 || dK%2 != 0 {
			panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
		}
	} else {
		if dK <= 0 {
			panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
		}
	}
}

// empty-batch-divides-by-zero: the rows of a sequence are found before looking for an empty batch
//
// Why: An x with B = 0 panics with a division by zero and not gives an empty y.
func (*RoPE) turnRows() {
	if right {
		rowsPerBatch := x.Rows() / max(1, batch)
	} else {
		rowsPerBatch := x.Rows() / batch
	}
}

// two-dimensions-allowed: x may be a matrix (T, K)
//
// Why: A matrix is taken as if T were the batch: there is no ShapeError for fewer than three dimensions.
func (*RoPE) turnRows() {
	if right {
		tensor.CheckShape(op, x, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
	} else {
		tensor.CheckShape(op, x, tensor.Lead, tensor.Any, 2*r.Cos.Dim(1))
	}
}
