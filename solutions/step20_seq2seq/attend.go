// Package seq2seq is the Transformer of 2017: an encoder reads a text, a decoder writes
// another, and looks at what the encoder made of the first.
//
// Letters: B batch, N tokens that ask, M tokens that are asked, T time of the target,
// D d_model, H heads, K d_k = D/H, U and V the vocabularies of source and target. The
// numbers at the lines are those of the lesson's derivations.
package seq2seq

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
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

	heads      int
	q, k, v    *tensor.Tensor // (B, H, N, K), (B, H, M, K), (B, H, M, K)
	joined     *tensor.Tensor // (B, N, D), the heads side by side
	dHeads     *tensor.Tensor // (B, H, N, K)
	dq, dk, dv *tensor.Tensor // (B, N, D), (B, M, D), (B, M, D)
	dMemory    *tensor.Tensor // (B, M, D)
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

	a.q = a.split(a.q, a.Q.Forward(x))
	a.k = a.split(a.k, a.K.Forward(memory))
	a.v = a.split(a.v, a.V.Forward(memory))
	heads := a.Attention.Forward(a.q, a.k, a.v, mask)
	a.joined = join(a.joined, heads)
	return a.Output.Forward(a.joined)
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
	// (1) y is a Linear of joined:                  dJoined = dy W_O
	// (2) joined is heads in another order:         dHeads  = dJoined, split the same way
	// (3) heads = Attention(q, k, v):               dq, dk, dv by (1) to (6) of step 08
	// (4) q, joined, is a Linear of x:              dx      = dq W_Q
	// (5) k and v, joined, are Linears of memory:   dMemory = dk W_K + dv W_V
	tensor.CheckShape("Attend.Backward: joined of Forward", a.joined, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Attend.Backward: dy", dy, a.joined.Shape...)
	a.dHeads = a.split(a.dHeads, a.Output.Backward(dy)) // (1) and (2), and the gradient of W_O
	dq, dk, dv := a.Attention.Backward(a.dHeads)        // (3)
	a.dq, a.dk, a.dv = join(a.dq, dq), join(a.dk, dk), join(a.dv, dv)
	dx = a.Q.Backward(a.dq)                                             // (4), and the gradient of W_Q
	a.dMemory = plus(a.dMemory, a.K.Backward(a.dk), a.V.Backward(a.dv)) // (5), and those of W_K and W_V
	return dx, a.dMemory
}

// split reads src (B, N, D) as (B, N, H, K) and copies it to dst (B, H, N, K): the numbers
// of a token are H groups of K, and each group goes to its own head.
func (a *Attend) split(dst, src *tensor.Tensor) *tensor.Tensor {
	batch, n, width := src.Dim(0), src.Dim(1), src.Dim(2)/a.heads
	dst = tensor.Reuse(dst, batch, a.heads, n, width)
	for b := range batch {
		for h := range a.heads {
			tensor.Copy(dst.MatrixAt(b*a.heads+h), src.MatrixAt(b).Block(0, h*width, n, width))
		}
	}
	return dst
}

// join copies src (B, H, N, K) to dst (B, N, D): the opposite of split.
func join(dst, src *tensor.Tensor) *tensor.Tensor {
	batch, heads, n, width := src.Dim(0), src.Dim(1), src.Dim(2), src.Dim(3)
	dst = tensor.Reuse(dst, batch, n, heads*width)
	for b := range batch {
		for h := range heads {
			tensor.Copy(dst.MatrixAt(b).Block(0, h*width, n, width), src.MatrixAt(b*heads+h))
		}
	}
	return dst
}
