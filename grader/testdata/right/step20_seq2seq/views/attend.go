// Package seq2seq is the Transformer of 2017: an encoder reads a text, a decoder writes
// another, and looks at what the encoder made of the first.
//
// Letters: B batch, N tokens that ask, M tokens that are asked, T time of the target,
// D d_model, H heads, K d_k = D/H, U and V the vocabularies of source and target.
package seq2seq

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// Attend is multi-head attention of one text over another: queries come from x, keys and
// values from a memory. Nothing is turned by positions. With the memory x itself it is
// self-attention.
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, sections 3.2.2 and 3.2.3.
type Attend struct {
	Q, K, V, Output *linear.Linear      // each (D, D)
	Attention       attention.Attention // of all heads; its Weights are (B, H, N, M)

	heads int

	asking, memory          *tensor.Tensor // what Forward was given
	q, k, v                 *tensor.Tensor // (B, N, D), (B, M, D), (B, M, D), not cut
	weights, dWeights       *tensor.Tensor // (B, H, N, M)
	joined                  *tensor.Tensor // (B, N, D)
	dq, dk, dv, dx, dMemory *tensor.Tensor
}

// NewAttend returns the layer with numHeads heads of K = D/numHeads numbers; of the D rows
// of q, k and v, each (D, D), head h owns rows h·K to (h+1)·K. It keeps the Params and
// looks into them in every call. It panics with a ShapeError if these do not fit together.
func NewAttend(q, k, v, output *tensor.Param, numHeads int) *Attend {
	tensor.CheckShape("seq2seq.NewAttend: output", output.Value, tensor.Any, tensor.Any)
	d := output.Value.Dim(1)
	tensor.CheckShape("seq2seq.NewAttend: q", q.Value, d, d)
	tensor.CheckShape("seq2seq.NewAttend: k", k.Value, d, d)
	tensor.CheckShape("seq2seq.NewAttend: v", v.Value, d, d)
	tensor.CheckShape("seq2seq.NewAttend: output", output.Value, d, d)
	if numHeads <= 0 || d%numHeads != 0 {
		panic(tensor.ShapeError{Op: fmt.Sprintf("seq2seq.NewAttend: %d heads do not fill D: output", numHeads),
			Got: []int{d, d}})
	}
	return &Attend{Q: linear.New(q), K: linear.New(k), V: linear.New(v), Output: linear.New(output), heads: numHeads}
}

// Params returns the four projections, q, k, v and output.
func (a *Attend) Params() []*tensor.Param {
	return []*tensor.Param{a.Q.Weight, a.K.Weight, a.V.Weight, a.Output.Weight}
}

// Forward lets every token of x attend to the tokens of the memory:
//
//	q       = x W_Qᵀ, split into heads                  (B, H, N, K)
//	k, v    = memory W_Kᵀ and memory W_Vᵀ, likewise     (B, H, M, K)
//	heads   = Attention(q, k, v), of step 08            (B, H, N, K)
//	y       = (heads, joined to (B, N, D)) W_Oᵀ         (B, N, D)
//
// x and y are (B, N, D), the memory is (B, M, D) and may be x. The mask has N·M entries for
// all sequences, or N·M entries for each of the B, which hold for all heads; nil allows
// everything. Forward keeps x and memory for Backward: the caller leaves them unchanged
// until then. y is valid until the next Forward. It panics with a ShapeError if the shapes
// do not fit together.
func (a *Attend) Forward(x, memory *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	d := a.Output.Weight.Value.Dim(0)
	tensor.CheckShape("Attend.Forward: x", x, tensor.Any, tensor.Any, d)
	batch, n := x.Dim(0), x.Dim(1)
	tensor.CheckShape("Attend.Forward: memory", memory, batch, tensor.Any, d)
	mask = a.forHeads(mask, batch, n, memory.Dim(1))

	a.asking, a.memory = x, memory
	a.q, a.k, a.v = a.Q.Forward(x), a.K.Forward(memory), a.V.Forward(memory)
	a.weights = tensor.Reuse(a.weights, batch, a.heads, n, memory.Dim(1))
	a.joined = tensor.Reuse(a.joined, batch, n, d)
	a.each(func(at, b, h int) {
		s := a.weights.MatrixAt(at)
		tensor.Mul(s, a.head(a.q, b, h), a.head(a.k, b, h).T())
	})
	kernel.Scale(float32(1/math.Sqrt(float64(d/a.heads))), a.weights.Data)
	hide(a.weights.Data, mask)
	a.weights = softmax.Softmax(a.weights, a.weights, -1)
	a.each(func(at, b, h int) { tensor.Mul(a.head(a.joined, b, h), a.weights.MatrixAt(at), a.head(a.v, b, h)) })
	return a.Output.Forward(a.joined)
}

// each calls do for every head of every sequence, with its place among all of them.
func (a *Attend) each(do func(at, b, h int)) {
	for at := range a.weights.Dim(0) * a.heads {
		do(at, at/a.heads, at%a.heads)
	}
}

// head is the columns of a head in sequence b of x (B, N, D).
func (a *Attend) head(x *tensor.Tensor, b, h int) tensor.Matrix {
	width := x.Dim(2) / a.heads
	return x.MatrixAt(b).Block(0, h*width, x.Dim(1), width)
}

// hide sets scores to −Inf where the mask, of any number of matrices, is false.
func hide(scores []float32, mask *attention.Mask) {
	if mask == nil || len(mask.Attend) == 0 {
		return
	}
	for i := range scores {
		if !mask.Attend[i%len(mask.Attend)] {
			scores[i] = float32(math.Inf(-1))
		}
	}
}

// forHeads returns the mask with entries for each of the B·H leading indices, if it has them
// for each of the B sequences.
func (a *Attend) forHeads(mask *attention.Mask, batch, n, m int) *attention.Mask {
	if mask == nil || len(mask.Attend) == mask.N*mask.M && mask.N == n && mask.M == m {
		return mask
	}
	if mask.N != n || mask.M != m || len(mask.Attend) != batch*n*m {
		panic(tensor.ShapeError{Op: "Attend.Forward: mask", Got: []int{len(mask.Attend), mask.N, mask.M},
			Want: []int{batch * n * m, n, m}})
	}
	all := &attention.Mask{N: n, M: m}
	for b := range batch {
		for range a.heads {
			all.Attend = append(all.Attend, mask.Attend[b*n*m:(b+1)*n*m]...)
		}
	}
	return all
}

// Backward takes dy (B, N, D), the gradient of the loss with respect to y. It returns dx
// (B, N, D) and dMemory (B, M, D), adds to the gradients of the four projections, and
// belongs to the last Forward. Where the memory was x, the gradient of x is the sum of both.
// They are valid until the next Backward. It panics with a ShapeError if dy does not have
// the shape of y or no Forward came before.
func (a *Attend) Backward(dy *tensor.Tensor) (dx, dMemory *tensor.Tensor) {
	tensor.CheckShape("Attend.Backward: joined of Forward", a.joined, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Attend.Backward: dy", dy, a.joined.Shape...)
	dJoined := a.Output.Backward(dy)
	a.dWeights = tensor.Reuse(a.dWeights, a.weights.Shape...)
	a.dq, a.dk, a.dv = tensor.Reuse(a.dq, a.asking.Shape...), tensor.Reuse(a.dk, a.memory.Shape...), tensor.Reuse(a.dv, a.memory.Shape...)
	a.each(func(at, b, h int) {
		tensor.Mul(a.head(a.dv, b, h), a.weights.MatrixAt(at).T(), a.head(dJoined, b, h))
		tensor.Mul(a.dWeights.MatrixAt(at), a.head(dJoined, b, h), a.head(a.v, b, h).T())
	})
	a.dWeights = softmax.Backward(a.dWeights, a.weights, a.dWeights, -1)
	kernel.Scale(float32(1/math.Sqrt(float64(a.asking.Dim(2)/a.heads))), a.dWeights.Data)
	a.each(func(at, b, h int) {
		tensor.Mul(a.head(a.dq, b, h), a.dWeights.MatrixAt(at), a.head(a.k, b, h))
		tensor.Mul(a.head(a.dk, b, h), a.dWeights.MatrixAt(at).T(), a.head(a.q, b, h))
	})
	dx = a.Q.Backward(a.dq)
	a.dMemory = tensor.Reuse(a.dMemory, a.memory.Shape...)
	copy(a.dMemory.Data, a.K.Backward(a.dk).Data)
	kernel.Axpy(1, a.V.Backward(a.dv).Data, a.dMemory.Data)
	return dx, a.dMemory
}
