//go:build unlisted

package rope

import (
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// nil-is-in-place: dst nil means in place
//
// Why: Forward(nil, x, …) changes x, and returns x where a new tensor is due.
func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		if dst == nil {
			dst = x
		}
		dst = tensor.Reuse(dst, x.Shape...)
	}
}

// positions-of-last-forward: Backward takes the positions of the last Forward
//
// Why: one RoPE serves all layers, so the last Forward may have had other positions than those that Backward is given.
type RoPE struct {
	Cos *tensor.Tensor // (max, K/2)
	Sin *tensor.Tensor // (max, K/2)

	last [][]int
}

func (*RoPE) Forward() {
	if right {
		return r.turnRows("RoPE.Forward: x", dst, x, positions, rotate)
	} else {
		r.last = positions
		return r.turnRows("RoPE.Forward: x", dst, x, positions, rotate)
	}
}

func (*RoPE) Backward() {
	if right {
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotateBack)
	} else {
		if r.last != nil {
			positions = r.last
		}
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotateBack)
	}
}

// written-before-read: first number of a pair is written before the second is computed
//
// Why: when dst is x, y[2k+1] is computed from y[2k] in place of x[2k].
func rotate(y, x, cos, sin []float32) {
	for k, c := range cos {
		y[2*k] = x[2*k]*c - x[2*k+1]*sin[k]
		y[2*k+1] = x[2*k]*sin[k] + x[2*k+1]*c
	}
}

// position-wraps: position beyond the tables is taken modulo their length
//
// Why: a position without a row in the tables gives the angles of another one and no IndexError.
func (r *RoPE) checkPositions(positions [][]int, batch, seq int) {
	if len(positions) != batch && len(positions) != 1 {
		panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{len(positions)}, Want: []int{batch}})
	}
	for _, row := range positions {
		if len(row) != seq {
			panic(tensor.ShapeError{Op: "RoPE: positions", Got: []int{len(row)}, Want: []int{seq}})
		}
	}
}

func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		limit := r.Cos.Dim(0)
		p := (positions[b][t]%limit + limit) % limit
	}
}

// dst-keeps-its-shape: dst is not given the shape of x
//
// Why: a dst of another shape, even one with as many numbers, comes back with the shape it had.
func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
		rowsPerBatch := x.Rows() / max(1, batch)
	} else {
		if dst == nil {
			dst = tensor.New(x.Shape...)
		}
		rowsPerBatch := x.Rows() / max(1, batch)
	}
	if right {
		turn(dst.Row(row), x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
	} else {
		width := x.Dim(-1)
		turn(dst.Data[row*width:(row+1)*width], x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
	}
}

// tables-by-size: tables are remembered by size without theta
//
// Why: the second RoPE of the same size has the angles of the first one's theta.
func New() {
	if right {
		r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	} else {
		if old, ok := tables.Load([2]int{dK, maxSeqLen}); ok {
			return old.(*RoPE)
		}
		r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
		tables.Store([2]int{dK, maxSeqLen}, r)
	}
}

var tables sync.Map

// empty-batch-divides: rows are divided by B before the loop
//
// Why: for an x of no sequences, B = 0, Forward panics with a division by zero.
func (*RoPE) turnRows() {
	if right {
		rowsPerBatch := x.Rows() / max(1, batch)
	} else {
		rowsPerBatch := x.Rows() / batch
	}
}

// halves-are-pairs: pairs are (x[k], x[k + K/2])
//
// Why: this is the layout of other implementations; the pairs here are neighbours.
func rotate(y, x, cos, sin []float32) {
	half := len(cos)
	for k, c := range cos {
		a, b, s := x[k], x[k+half], sin[k]
		y[k] = a*c - b*s
		y[k+half] = a*s + b*c
	}
}

func rotateBack(dx, dy, cos, sin []float32) {
	half := len(cos)
	for k, c := range cos {
		a, b, s := dy[k], dy[k+half], sin[k]
		dx[k] = a*c + b*s
		dx[k+half] = b*c - a*s
	}
}

// exponent-k-over-dk: exponent is −k/K in place of −2k/K
//
// Why: the frequencies fall only to the root of the smallest one; every pair but the first turns too fast.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, -float64(k)/float64(dK))
	}
}

// heads-after-time: rows are taken to be (B, T, H, K)
//
// Why: with several heads (B, H, T, K) the rows get the positions of other tokens; with one head all is right.
func (*RoPE) turnRows() {
	if right {
		b, t := row/rowsPerBatch, row%seq
	} else {
		b, t := row/rowsPerBatch, row%rowsPerBatch/(rowsPerBatch/seq)
	}
}

// turned-twice: Backward turns in the same direction as Forward
//
// Why: dx is dy turned by the angle and not by the opposite angle.
func (*RoPE) Backward() {
	if right {
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotateBack)
	} else {
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotate)
	}
}
