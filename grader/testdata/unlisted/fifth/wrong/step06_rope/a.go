//go:build unlisted

package rope

import (
	"fmt"
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// table-by-recurrence: each row of the tables is the row above, turned once more in float32
//
// Why: the rounding adds up from row to row; each cosine is to be rounded once.
func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK <= 0 || dK%2 != 0 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
	}
	r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	for k := range dK / 2 {
		step := math.Pow(theta, -float64(2*k)/float64(dK))
		c, s := float32(math.Cos(step)), float32(math.Sin(step))
		cos, sin := float32(1), float32(0)
		for p := range maxSeqLen {
			r.Cos.Row(p)[k], r.Sin.Row(p)[k] = cos, sin
			cos, sin = cos*c-sin*s, sin*c+cos*s
		}
	}
	return r
}

// positions-from-one: row p of the tables holds the angles of p + 1
//
// Why: every score is right, as only distances count, but position 0 is turned and the tables differ from cos(p·…).
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p+1) * math.Pow(theta, -float64(2*k)/float64(dK))
	}
}

// tables-cached-without-theta: tables of the same size are computed once and shared, whatever Θ is
//
// Why: a second RoPE with another Θ gets the angles of the first.
type tableSize struct{ dK, maxSeqLen int }

var tables sync.Map

func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK <= 0 || dK%2 != 0 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
	}
	if old, ok := tables.Load(tableSize{dK, maxSeqLen}); ok {
		return old.(*RoPE)
	}
	r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	for p := range maxSeqLen {
		cos, sin := r.Cos.Row(p), r.Sin.Row(p)
		for k := range cos {
			angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
			cos[k] = float32(math.Cos(angle))
			sin[k] = float32(math.Sin(angle))
		}
	}
	tables.Store(tableSize{dK, maxSeqLen}, r)
	return r
}

// batch-inside-the-heads: a row's batch element is found as if the batch came right before the tokens
//
// Why: row i belongs to element i / (rows/B); with two heads and a row of positions for each element the wrong ones are taken.
func (r *RoPE) turnRows(op string, dst, x *tensor.Tensor, positions [][]int,
	turn func(dst, src, cos, sin []float32)) *tensor.Tensor {

	tensor.CheckShape(op, x, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
	batch, seq := x.Dim(0), x.Dim(-2)
	r.checkPositions(positions, batch, seq)

	dst = tensor.Reuse(dst, x.Shape...)
	for row := range x.Rows() {
		b, t := row/seq%batch, row%seq
		if len(positions) == 1 {
			b = 0
		}
		p := positions[b][t]
		turn(dst.Row(row), x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
	}
	return dst
}

// only-the-last-position-checked: of each row only the last position is compared with the table, as if they ascended
//
// Why: positions may come in any order; a bad one before the last is no IndexError.
func (r *RoPE) checkPositions(positions [][]int, batch, seq int) {
	if len(positions) != batch && len(positions) != 1 {
		panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{len(positions)}, Want: []int{batch}})
	}
	for b, row := range positions {
		if len(row) != seq {
			panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(row)}, Want: []int{seq}})
		}
		if seq == 0 {
			continue
		}
		t := seq - 1
		if limit := r.Cos.Dim(0); row[t] < 0 || row[t] >= limit {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: row[t], Limit: limit})
		}
	}
}

// nil-means-in-place: without a dst the rows are turned in x itself
//
// Why: if dst is nil the result is a new tensor and x is not changed.
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

// dst-as-it-is: a dst that is given keeps its own shape
//
// Why: dst is given the shape of x; a dst of another shape comes back wrong or is too short.
func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		if dst == nil {
			dst = tensor.New(x.Shape...)
		}
	}
}

// back-writes-too-early: rotateBack reads dy[2k] again after dx[2k] is written
//
// Why: dst may be dy; then the second number of every pair is wrong.
func rotateBack(dx, dy, cos, sin []float32) {
	for k, c := range cos {
		s := sin[k]
		dx[2*k] = dy[2*k]*c + dy[2*k+1]*s
		dx[2*k+1] = dy[2*k+1]*c - dy[2*k]*s
	}
}

// positions-in-the-struct: the position of every row is written to memory that the RoPE keeps
//
// Why: a RoPE keeps nothing between calls and serves any number of goroutines; two at a time mix up their positions.
type RoPE struct {
	Cos *tensor.Tensor
	Sin *tensor.Tensor

	at []int
}

func (r *RoPE) turnRows(op string, dst, x *tensor.Tensor, positions [][]int,
	turn func(dst, src, cos, sin []float32)) *tensor.Tensor {

	tensor.CheckShape(op, x, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
	batch, seq := x.Dim(0), x.Dim(-2)
	r.checkPositions(positions, batch, seq)

	dst = tensor.Reuse(dst, x.Shape...)
	rowsPerBatch := x.Rows() / max(1, batch)
	r.at = r.at[:0]
	for row := range x.Rows() {
		b := row / rowsPerBatch
		if len(positions) == 1 {
			b = 0
		}
		r.at = append(r.at, positions[b][row%seq])
	}
	for row, p := range r.at {
		turn(dst.Row(row), x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
	}
	return dst
}

// empty-batch-divides: the rows of one element are counted by dividing by B, also when B is 0
//
// Why: B may be 0, says the stub; here it is a division by zero.
func (*RoPE) turnRows() {
	if right {
		rowsPerBatch := x.Rows() / max(1, batch)
	} else {
		rowsPerBatch := x.Rows() / batch
	}
}

// two-dimensions-accepted: x may be (T, K), its first dimension then is T and B at once
//
// Why: x with fewer than three dimensions must panic with a ShapeError.
func (*RoPE) turnRows() {
	if right {
		tensor.CheckShape(op, x, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
	} else {
		tensor.CheckShape(op, x, tensor.Lead, tensor.Any, 2*r.Cos.Dim(1))
	}
}
