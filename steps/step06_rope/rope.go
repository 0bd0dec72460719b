// Package rope tells attention where a token stands: it turns every query and
// key by an angle that grows with the token's position.
// This is step 06; the lesson is in README.md beside this file.
//
// Letters: B batch, T time, H heads, K d_k, the size of one head; "…" stands
// for any further dimensions, usually (H).
package rope

import (
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

// New computes the two tables for heads of size dK and positions
// 0 ≤ p < maxSeqLen:
//
//	angle = p·Θ^(−2k/K)                   theta is Θ, dK is K
//	Cos[p, k] = cos(angle), Sin[p, k] = sin(angle)    0 ≤ k < K/2
//
// Compute the angle, its cosine and its sine in float64 (math.Pow, math.Cos,
// math.Sin) and round once, when they are stored: a float32 angle of 10,000
// radians would already be off by up to 0.0005.
//
// It panics with a ShapeError if dK is not positive and even:
//
//	panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
func New(theta float64, dK, maxSeqLen int) *RoPE {
	panic(tensor.TODO("step06: New"))
}

// Forward turns every row of x by the angles of its position p:
//
//	y[2k]   = x[2k]·Cos[p, k] − x[2k+1]·Sin[p, k]
//	y[2k+1] = x[2k]·Sin[p, k] + x[2k+1]·Cos[p, k]
//
// x is (B, …, T, K) and y the same. y is dst, overwritten and given the shape of
// x; if dst is nil it is a new tensor. tensor.Reuse(dst, x.Shape...) does both.
// dst may be x: read a pair before you write it. Otherwise x is not changed.
//
// A row of x is K numbers long. Row i (x.Row(i)) belongs to token t = i mod T of
// the batch element b = i / (x.Rows()/B); B may be 0, so divide inside the loop.
// Its position p is positions[b][t], or positions[0][t] if positions has only
// one row.
//
// positions is (B, T), or one row (1, T) for the whole batch. The numbers may
// start anywhere, leave gaps and repeat: never use t in place of p.
//
// It panics with a ShapeError if x has fewer than three dimensions, does not
// end in K, or positions has another number of rows than B or 1, or a row that
// is not T long; with an IndexError if a position lies outside 0 ≤ p < max:
//
//	tensor.CheckShape("RoPE.Forward: x", x, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
//	panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{len(positions)}, Want: []int{B}})
//	panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(positions[b])}, Want: []int{T}})
//	panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: max})
func (r *RoPE) Forward(dst, x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	panic(tensor.TODO("step06: RoPE.Forward"))
}

// Backward takes dy (B, …, T, K), the gradient of the loss with respect to y,
// and the positions of the Forward. It returns dx, of the same shape: every row
// of dy turned by the same angles the other way.
//
//	dx[2k]   =  dy[2k]·Cos[p, k] + dy[2k+1]·Sin[p, k]
//	dx[2k+1] = −dy[2k]·Sin[p, k] + dy[2k+1]·Cos[p, k]
//
// dx is dst as in Forward. dst may be dy, which is not changed otherwise. The
// panics are those of Forward.
func (r *RoPE) Backward(dst, dy *tensor.Tensor, positions [][]int) *tensor.Tensor {
	panic(tensor.TODO("step06: RoPE.Backward"))
}
