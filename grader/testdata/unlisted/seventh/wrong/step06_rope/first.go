//go:build unlisted

package rope

import (
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
)

// exponent-of-whole-numbers: −2k/K is divided as whole numbers
//
// Why: every pair turns by p, since 2k/K is 0 for all k < K/2.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, -float64(2*k/dK))
	}
}

// exponent-from-one: k begins at 1
//
// Why: the first pair turns by exactly p.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, -float64(2*(k+1))/float64(dK))
	}
}

// angle-in-float32: the angle is rounded to float32 before its cosine is taken
//
// Why: at positions around 10,000 cosines are off by hundreds of units in the last place.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(float32(p) * float32(math.Pow(theta, -float64(2*k)/float64(dK))))
	}
}

// table-by-turning: every row of the tables is the one before, turned once more, in float32
//
// Why: the errors add up from row to row; the angle must be taken in float64 and rounded once.
func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK <= 0 || dK%2 != 0 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
	}
	r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	for k := range dK / 2 {
		step := math.Pow(theta, -float64(2*k)/float64(dK))
		c1, s1 := float32(math.Cos(step)), float32(math.Sin(step))
		c, s := float32(1), float32(0)
		for p := range maxSeqLen {
			r.Cos.Set(c, p, k)
			r.Sin.Set(s, p, k)
			c, s = c*c1-s*s1, s*c1+c*s1
		}
	}
	return r
}

// tables-kept-without-theta: tables are kept in the package and found by dK and maxSeqLen alone
//
// Why: a second RoPE with another Θ gets the first one's tables.
func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK <= 0 || dK%2 != 0 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
	}
	tablesMu.Lock()
	defer tablesMu.Unlock()
	if r, ok := tables[[2]int{dK, maxSeqLen}]; ok {
		return r
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
	tables[[2]int{dK, maxSeqLen}] = r
	return r
}

var (
	tablesMu sync.Mutex
	tables   = map[[2]int]*RoPE{}
)

// zero-dk-accepted: refuses an odd dK only
//
// Why: a dK of 0 is not positive and must panic; here there are tables without columns.
func New() {
	if right {
		if dK <= 0 || dK%2 != 0 {
			panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
		}
	} else {
		if dK%2 != 0 {
			panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
		}
	}
}

// pairs-of-halves: x[k] is paired with x[k+K/2]
//
// Why: the pairs are neighbours, (x[2k], x[2k+1]).
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

// pair-overwritten-early: y[2k] is written before x[2k] was read for the last time
//
// Why: dst may be x, and then y[2k+1] comes from the new x[2k].
func rotate() {
	if right {
		a, b, s := x[2*k], x[2*k+1], sin[k]
		y[2*k] = a*c - b*s
		y[2*k+1] = a*s + b*c
	} else {
		y[2*k] = x[2*k]*c - x[2*k+1]*sin[k]
		y[2*k+1] = x[2*k]*sin[k] + x[2*k+1]*c
	}
}

// one-sign-back: only one of the two signs is changed on the way back
//
// Why: dx[2k+1] is −dy[2k]·sin + dy[2k+1]·cos.
func rotateBack() {
	if right {
		dx[2*k+1] = b*c - a*s
	} else {
		dx[2*k+1] = b*c + a*s
	}
}

// sines-negated-for-a-while: Backward negates the table of sines, turns forward, and negates it again
//
// Why: one RoPE serves any number of goroutines; and after a Backward that panics the table stays negated.
func (r *RoPE) Backward(dst, dy *tensor.Tensor, positions [][]int) *tensor.Tensor {
	kernel.Scale(-1, r.Sin.Data)
	dst = r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotate)
	kernel.Scale(-1, r.Sin.Data)
	return dst
}

// index-for-position: the row of the tables is t
//
// Why: positions may start anywhere, leave gaps and repeat.
func (*RoPE) turnRows() {
	if right {
		b, t := row/rowsPerBatch, row%seq
		if len(positions) == 1 {
			b = 0
		}
		p := positions[b][t]
	} else {
		_ = rowsPerBatch
		p := row % seq
	}
}

// first-row-for-all: positions[0] holds for every batch element
//
// Why: with B rows of positions each element has its own.
func (*RoPE) turnRows() {
	if right {
		if len(positions) == 1 {
			b = 0
		}
	} else {
		b = 0
	}
}

// heads-taken-for-batch: the batch element of a row is found as if there were no heads
//
// Why: for x (B, H, T, K) with a row of positions for each element, heads get the positions of other elements.
func (*RoPE) turnRows() {
	if right {
		rowsPerBatch := x.Rows() / max(1, batch)
		for row := range x.Rows() {
			b, t := row/rowsPerBatch, row%seq
			if len(positions) == 1 {
				b = 0
			}
			p := positions[b][t]
			turn(dst.Row(row), x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
		}
	} else {
		for row := range x.Rows() {
			b, t := row/seq%len(positions), row%seq
			p := positions[b][t]
			turn(dst.Row(row), x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
		}
	}
}

// time-is-the-second-dimension: T is taken to be Dim(1)
//
// Why: in (B, H, T, K) the second dimension is H; positions of the length T are refused.
func (*RoPE) turnRows() {
	if right {
		batch, seq := x.Dim(0), x.Dim(-2)
	} else {
		batch, seq := x.Dim(0), x.Dim(1)
	}
}

// empty-batch-divides: divides the number of rows by B before the loop
//
// Why: B may be 0; Go then panics with a division by zero.
func (*RoPE) turnRows() {
	if right {
		rowsPerBatch := x.Rows() / max(1, batch)
	} else {
		rowsPerBatch := x.Rows() / batch
	}
}

// nil-is-x: if dst is nil the result is written over x
//
// Why: if dst is nil it is a new tensor, and x is not changed.
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

// nil-is-the-last-result: if dst is nil the result goes into a tensor that the RoPE keeps
//
// Why: a RoPE keeps nothing between calls; the turned keys overwrite the turned queries.
type RoPE struct {
	Cos *tensor.Tensor // (max, K/2): cos(p·Θ^(−2k/K)) at [p, k]
	Sin *tensor.Tensor // (max, K/2): sin(p·Θ^(−2k/K)) at [p, k]

	out *tensor.Tensor
}

func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		if dst == nil {
			r.out = tensor.Reuse(r.out, x.Shape...)
			dst = r.out
		}
		dst = tensor.Reuse(dst, x.Shape...)
	}
}

// dst-keeps-its-shape: a dst with as many elements as x is taken as it is
//
// Why: y is given the shape of x; a dst (T, B, K) keeps its own.
func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
		rowsPerBatch := x.Rows() / max(1, batch)
		for row := range x.Rows() {
			b, t := row/rowsPerBatch, row%seq
			if len(positions) == 1 {
				b = 0
			}
			p := positions[b][t]
			turn(dst.Row(row), x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
		}
	} else {
		if dst == nil || dst.Len() != x.Len() {
			dst = tensor.New(x.Shape...)
		}
		width, rowsPerBatch := x.Dim(-1), x.Rows()/max(1, batch)
		for row := range x.Rows() {
			b, t := row/rowsPerBatch, row%seq
			if len(positions) == 1 {
				b = 0
			}
			p := positions[b][t]
			turn(dst.Data[row*width:(row+1)*width], x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
		}
	}
}

// turned-and-copied: x is turned in place and copied to dst afterwards
//
// Why: x is changed although dst is another tensor.
func (*RoPE) turnRows() {
	if right {
		turn(dst.Row(row), x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
	} else {
		turn(x.Row(row), x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
		copy(dst.Row(row), x.Row(row))
	}
}

// two-dimensions-accepted: x (T, K) is let through
//
// Why: an x with fewer than three dimensions must be refused with a ShapeError.
func (*RoPE) turnRows() {
	if right {
		tensor.CheckShape(op, x, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
	} else {
		tensor.CheckShape(op, x, tensor.Lead, tensor.Any, 2*r.Cos.Dim(1))
	}
}

// more-rows-of-positions: refuses too few rows of positions only
//
// Why: another number of rows than B or 1 must be refused, more as well.
func (*RoPE) checkPositions() {
	if right {
		if len(positions) != batch && len(positions) != 1 {
			panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{len(positions)}, Want: []int{batch}})
		}
	} else {
		if len(positions) < batch && len(positions) != 1 {
			panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{len(positions)}, Want: []int{batch}})
		}
	}
}

// first-row-checked: only positions[0] is asked for its length
//
// Why: a later row that is too long is accepted, one too short panics without a ShapeError.
func (*RoPE) checkPositions() {
	if right {
		if len(row) != seq {
			panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(row)}, Want: []int{seq}})
		}
	} else {
		if b == 0 && len(row) != seq {
			panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(row)}, Want: []int{seq}})
		}
	}
}

// negative-positions: refuses positions that are too large only
//
// Why: a negative position must panic with an IndexError; here a slice is out of range.
func (*RoPE) checkPositions() {
	if right {
		if limit := r.Cos.Dim(0); p < 0 || p >= limit {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
		}
	} else {
		if limit := r.Cos.Dim(0); p >= limit {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
		}
	}
}

// positions-wrap-round: a position beyond the tables begins again at 0
//
// Why: a position outside 0 ≤ p < max must panic with an IndexError.
func (*RoPE) checkPositions() {
	if right {
		if limit := r.Cos.Dim(0); p < 0 || p >= limit {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
		}
	} else {
		if limit := r.Cos.Dim(0); p < 0 || limit == 0 {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
		}
	}
}

func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		p := positions[b][t] % r.Cos.Dim(0)
	}
}
