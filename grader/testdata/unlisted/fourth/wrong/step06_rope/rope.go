//go:build unlisted

package rope

import (
	"math"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// new-turns-on-from-the-row-before: each row of the tables is the row before it, turned by one more step, in float32
//
// Why: the roundings add up: at position 100 nothing is seen, at some thousands cosines and sines are off in the fourth
// digit.
func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK <= 0 || dK%2 != 0 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
	}
	r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	for k := range dK / 2 {
		step := math.Pow(theta, -float64(2*k)/float64(dK))
		cos, sin := float32(math.Cos(step)), float32(math.Sin(step))
		c, s := float32(1), float32(0)
		for p := range maxSeqLen {
			r.Cos.Row(p)[k], r.Sin.Row(p)[k] = c, s
			c, s = c*cos-s*sin, s*cos+c*sin
		}
	}
	return r
}

// new-keeps-tables-by-their-size: the tables of a head size and a length are computed once and shared by all that ask again
//
// Why: the key forgets theta: New(500000, 64, 128) after New(10000, 64, 128) gets the tables of 10000.
func New() {
	if right {
		r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	} else {
		tablesMu.Lock()
		defer tablesMu.Unlock()
		key := [2]int{dK, maxSeqLen}
		if known, ok := tables[key]; ok {
			return known
		}
		r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
		tables[key] = r
	}
}

var tables = map[[2]int]*RoPE{}

var tablesMu sync.Mutex

// dst-keeps-its-own-shape: a dst with as many elements as x is used as it is
//
// Why: y is given the shape of x; a dst (2, 3, 4, 8) left from another layout of x (2, 4, 3, 8) keeps the old one.
func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		if dst == nil || dst.Len() != x.Len() {
			dst = tensor.Reuse(dst, x.Shape...)
		}
	}
	if right {
		turn(dst.Row(row), x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
	} else {
		width := x.Dim(-1)
		turn(dst.Data[row*width:(row+1)*width], x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
	}
}

// position-zero-turns-nothing: if all positions are 0 and there is no dst, x is returned as it is
//
// Why: the numbers are right, but without dst the result is a new tensor: writing into it must not change x, as it does for
// the first token that a model generates.
func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		if dst == nil && !slices.ContainsFunc(slices.Concat(positions...), func(p int) bool { return p != 0 }) {
			return x
		}
		dst = tensor.Reuse(dst, x.Shape...)
	}
}

// x-is-copied-to-a-buffer-of-the-rope: so that dst may be x, the rows are read from a copy that the RoPE keeps for the next call
//
// Why: one RoPE serves any number of goroutines; two that call it at the same time fill and resize the same copy.
type RoPE struct {
	Cos *tensor.Tensor // (max, K/2): cos(p·Θ^(−2k/K)) at [p, k]
	Sin *tensor.Tensor // (max, K/2): sin(p·Θ^(−2k/K)) at [p, k]

	from *tensor.Tensor // (B, …, T, K), what is being turned
}

func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		r.from = tensor.Reuse(r.from, x.Shape...)
		copy(r.from.Data, x.Data)
		dst = tensor.Reuse(dst, x.Shape...)
	}
	if right {
		turn(dst.Row(row), x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
	} else {
		turn(dst.Row(row), r.from.Row(row), r.Cos.Row(p), r.Sin.Row(p))
	}
}

// backward-remembers-the-positions: Backward turns back by the positions of the last Forward, if there was one
//
// Why: a RoPE keeps nothing between calls; after the Forward of a query at 5 and of a key at 9, the Backward of the query is
// turned by 9.
type RoPE struct {
	Cos *tensor.Tensor // (max, K/2): cos(p·Θ^(−2k/K)) at [p, k]
	Sin *tensor.Tensor // (max, K/2): sin(p·Θ^(−2k/K)) at [p, k]

	last [][]int // positions of the last Forward
}

func (*RoPE) Forward() {
	if right {
		return r.turnRows("RoPE.Forward: x", dst, x, positions, rotate)
	} else {
		y := r.turnRows("RoPE.Forward: x", dst, x, positions, rotate)
		r.last = positions
		return y
	}
}

func (*RoPE) Backward() {
	if right {
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotateBack)
	} else {
		if len(r.last) == len(positions) && len(r.last) > 0 && len(r.last[0]) == len(positions[0]) {
			positions = r.last
		}
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotateBack)
	}
}

// new-accepts-a-head-of-nothing: only an odd dK is refused, and what cannot be allocated
//
// Why: dK = 0 is not positive and has to panic with a ShapeError; here it gives tables without columns.
func New() {
	if right {
		if dK <= 0 || dK%2 != 0 {
			panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
		}
	} else {
		if dK < 0 || dK%2 != 0 {
			panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
		}
	}
}

// rows-of-a-batch-element-are-heads-times-time: the batch element is the row divided by Dim(1)·T
//
// Why: right for (B, T, K) and (B, H, T, K); with another dimension before T, as in (B, G, H, T, K), the tokens of the first
// element get the positions of the second.
func (*RoPE) turnRows() {
	if right {
		rowsPerBatch := x.Rows() / max(1, batch)
	} else {
		rowsPerBatch := seq
		if len(x.Shape) > 3 {
			rowsPerBatch = x.Dim(1) * seq
		}
	}
	if right {
		b, t := row/rowsPerBatch, row%seq
	} else {
		b, t := row/rowsPerBatch%batch, row%seq
	}
}

// a-single-token-has-one-position: where T is 1 every element of the batch is turned by positions[0][0]
//
// Why: sequences of different lengths generate their next tokens at different positions: (B, 1) holds B of them.
func (*RoPE) turnRows() {
	if right {
		if len(positions) == 1 {
			b = 0
		}
	} else {
		if len(positions) == 1 || seq == 1 {
			b = 0
		}
	}
}

// two-dimensions-are-enough: x (T, K) is taken for one sequence
//
// Why: Forward has to panic with a ShapeError if x has fewer than three dimensions: with B missing, T is read as B.
func (*RoPE) turnRows() {
	if right {
		tensor.CheckShape(op, x, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
		batch, seq := x.Dim(0), x.Dim(-2)
	} else {
		tensor.CheckShape(op, x, tensor.Lead, tensor.Any, 2*r.Cos.Dim(1))
		batch, seq := x.Dim(0), x.Dim(-2)
		if len(x.Shape) == 2 {
			batch = 1
		}
	}
}
