// Package rope tells attention where a token stands: it turns every query and
// key by an angle that grows with the token's position.
//
// Letters: B batch, T time, H heads, K d_k, the size of one head; "…" stands
// for any further dimensions, usually (H).
package rope

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// RoPE is a rotary position embedding. The K numbers of a head are read as K/2
// points of the plane, the interleaved pairs (x[2k], x[2k+1]), k from 0, and
// at position p the k-th point is turned by the angle p·Θ^(−2k/K).
//
// It has no parameters and keeps nothing between calls, so one RoPE serves
// every layer, queries and keys alike, and any number of goroutines.
//
// Source: Su et al., "RoFormer: Enhanced Transformer with Rotary Position
// Embedding", 2021, section 3.2.
type RoPE struct {
	Cos *tensor.Tensor // (max, K/2): cos(p·Θ^(−2k/K)) at [p, k]
	Sin *tensor.Tensor // (max, K/2): sin(p·Θ^(−2k/K)) at [p, k]
}

// New computes the tables for heads of size dK and positions 0 ≤ p < maxSeqLen.
// The angles, sines and cosines are float64, rounded once when they are stored:
// a float32 angle of 10,000 radians would already be off by up to 0.0005.
//
// It panics with a ShapeError if dK is not positive and even.
func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK <= 0 || dK%2 != 0 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
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
	return r
}

// Forward turns every row of x by the angles of its position:
//
//	y[2k]   = x[2k]·cos − x[2k+1]·sin
//	y[2k+1] = x[2k]·sin + x[2k+1]·cos
//
// x is (B, …, T, K) and y the same. y is dst, overwritten and given the shape of
// x; if dst is nil it is a new tensor. dst may be x, which is not changed
// otherwise. positions holds the position of every token: (B, T), or one row
// (1, T) for the whole batch. They may start anywhere, leave gaps and repeat.
//
// It panics with a ShapeError if x or positions has the wrong shape, and with
// an IndexError if a position has no row in the tables.
func (r *RoPE) Forward(dst, x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.turnRows("RoPE.Forward: x", dst, x, positions, rotate)
}

// rotate turns one row by the angles of its position. y may be x.
func rotate(y, x, cos, sin []float32) {
	for k, c := range cos {
		a, b, s := x[2*k], x[2*k+1], sin[k]
		y[2*k] = a*c - b*s
		y[2*k+1] = a*s + b*c
	}
}

// Backward takes dy (B, …, T, K), the gradient of the loss with respect to y,
// and the positions of the Forward. It returns dx, of the same shape: every row
// of dy turned by the same angles the other way. dx is dst as in Forward, which
// may be dy. The panics are those of Forward.
func (r *RoPE) Backward(dst, dy *tensor.Tensor, positions [][]int) *tensor.Tensor {
	// (1) x[2k] is in y[2k], times cos, and in y[2k+1], times sin:
	//     dx[2k] = dy[2k]·cos + dy[2k+1]·sin
	// (2) x[2k+1] is in them too, times −sin and times cos:
	//     dx[2k+1] = −dy[2k]·sin + dy[2k+1]·cos
	// (3) This is Forward with −sin for sin: dy turned by the opposite angle.
	return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotateBack)
}

// rotateBack turns one row by the angles of its position, the other way. dx may be dy.
func rotateBack(dx, dy, cos, sin []float32) {
	for k, c := range cos {
		a, b, s := dy[2*k], dy[2*k+1], sin[k]
		dx[2*k] = a*c + b*s   // (1)
		dx[2*k+1] = b*c - a*s // (2)
	}
}

// turnRows calls turn for every row of x (B, …, T, K), with the row of dst that
// takes the result and the two table rows of its position.
func (r *RoPE) turnRows(op string, dst, x *tensor.Tensor, positions [][]int,
	turn func(dst, src, cos, sin []float32)) *tensor.Tensor {

	tensor.CheckShape(op, x, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
	batch, seq := x.Dim(0), x.Dim(-2)
	r.checkPositions(positions, batch, seq)

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
	return dst
}

// checkPositions panics unless there is a valid position for every token.
func (r *RoPE) checkPositions(positions [][]int, batch, seq int) {
	if len(positions) != batch && len(positions) != 1 {
		panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{len(positions)}, Want: []int{batch}})
	}
	for b, row := range positions {
		if len(row) != seq {
			panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(row)}, Want: []int{seq}})
		}
		for t, p := range row {
			if limit := r.Cos.Dim(0); p < 0 || p >= limit {
				panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
			}
		}
	}
}
