//go:build unlisted

package attention

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// mask-of-first-index: a mask with entries for every leading index is read as if its first N·M were for all
//
// Why: every head and sequence is masked like the first one.
func (*Mask) hide() {
	if right {
		for len(scores) > 0 {
			for i, attend := range mask.Attend {
				if !attend {
					scores[i] = float32(math.Inf(-1))
				}
			}
			scores = scores[len(mask.Attend):]
		}
	} else {
		size := mask.N * mask.M
		for i := range scores {
			if !mask.Attend[i%size] {
				scores[i] = float32(math.Inf(-1))
			}
		}
	}
}

// positions-kept-for-shape: MultiHead keeps new positions only when their shape differs from that of the kept ones
//
// Why: after a second Forward with other positions of the same shape, Backward turns dq and dk back by the angles of the first.
func (*MultiHead) Forward() {
	if right {
		m.positions = positions
	} else {
		if len(m.positions) != len(positions) || len(positions) > 0 && len(m.positions[0]) != len(positions[0]) {
			m.positions = positions
		}
	}
}

// positions-of-first-sequence: MultiHead uses the first row of positions for the whole batch
//
// Why: with positions (B, T) the other sequences are turned by the angles of the first; a wrong number of rows is not refused either.
func (*MultiHead) Forward() {
	if right {
		m.positions = positions
	} else {
		positions = positions[:1]
		m.positions = positions
	}
}

// weights-overwritten-by-backward: Attention.Backward writes dS into the memory of the weights
//
// Why: Weights should be valid until the next Forward; after Backward they are gradients, and a second Backward is wrong.
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		a.weights = softmax.Backward(a.weights, a.weights, a.dScores, -1)
		kernel.Scale(scale(a.q.Dim(-1)), a.weights.Data)
	}
	if right {
		ds, q, k := a.dScores.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
	} else {
		ds, q, k := a.weights.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
	}
}

// dv-in-memory-of-y: Attention.Backward writes dv into the memory of y
//
// Why: y should be valid until the next Forward; Backward overwrites it, and where M is not N it changes its shape too.
func (*Attention) Backward() {
	if right {
		a.dv = tensor.Reuse(a.dv, a.v.Shape...)
	} else {
		a.dv = tensor.Reuse(a.y, a.v.Shape...)
	}
}

// dy-scaled-in-place: Attention.Backward multiplies the caller's dy by 1/√K
//
// Why: dq, dk and dv are right, but dy is not the caller's any more: it has become dy/√K.
func (*Attention) Backward() {
	if right {
		tensor.Mul(dv, p.T(), dy)
		tensor.Mul(dp, dy, v.T())
	} else {
		tensor.Mul(dv, p.T(), dy)
		kernel.Scale(scale(a.q.Dim(-1)), dy.Data)
		tensor.Mul(dp, dy, v.T())
	}
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
	}
}

// one-key-always-seen: with a single key (M = 1) all weights are set to 1 without a look at the mask
//
// Why: a query that may not attend to the only key gets y = v and weight 1; both should be 0.
func (*Attention) Forward() {
	if right {
		for i := range q.Matrices() {
			s, q, k := a.weights.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i)
			tensor.Mul(s, q, k.T())
		}
		kernel.Scale(scale(width), a.weights.Data)
		mask.hide(a.weights.Data)
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	} else {
		if m == 1 {
			a.weights.Fill(1)
		} else {
			for i := range q.Matrices() {
				s, q, k := a.weights.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i)
				tensor.Mul(s, q, k.T())
			}
			kernel.Scale(scale(width), a.weights.Data)
			mask.hide(a.weights.Data)
			a.weights = softmax.Softmax(a.weights, a.weights, -1)
		}
	}
}

// values-as-wide-as-keys: Attention.Forward demands that values have the width K of the keys
//
// Why: values may have a width C of their own; with C ≠ K Forward panics.
func (*Attention) Forward() {
	if right {
		tensor.CheckLead("Attention.Forward: v", v, lead, m, tensor.Any)
	} else {
		tensor.CheckLead("Attention.Forward: v", v, lead, m, width)
	}
}

// params-are-copies: MultiHead.Params returns copies of the projections and of their gradients
//
// Why: an update of what Params returns does not reach the layer, and its gradients do not reach Params.
func (*MultiHead) Params() {
	if right {
		return []*tensor.Param{
			qkv.Slice("q_proj.weight", 0, d),
			qkv.Slice("k_proj.weight", d, 2*d),
			qkv.Slice("v_proj.weight", 2*d, 3*d),
			output.Slice("output_proj.weight", 0, d),
		}
	} else {
		part := func(p *tensor.Param, name string, lo, hi int) *tensor.Param {
			return &tensor.Param{Name: name, Value: p.Value.Slice(lo, hi).Clone(), Grad: p.Grad.Slice(lo, hi).Clone()}
		}
		return []*tensor.Param{
			part(qkv, "q_proj.weight", 0, d),
			part(qkv, "k_proj.weight", d, 2*d),
			part(qkv, "v_proj.weight", 2*d, 3*d),
			part(output, "output_proj.weight", 0, d),
		}
	}
}

// scale-by-number-of-keys: scores are divided by √M, the root of the number of keys, in Forward and Backward
//
// Why: the scale is 1/√K, of the width of a query; here the same tokens get other weights in a longer text.
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(m), a.weights.Data)
	}
}

func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		kernel.Scale(scale(a.k.Dim(-2)), a.dScores.Data)
	}
}

// not-itself: causal mask allows j < i only: no token may attend to itself
//
// Why: the diagonal is missing; the first token attends nowhere and gets 0.
func Causal() {
	if right {
		row[j] = j <= i
	} else {
		row[j] = j < i
	}
}

// only-queries-turned: RoPE turns the queries and not the keys, in both directions
//
// Why: without the keys' turn a score depends on the query's absolute position and not on the distance.
func (*MultiHead) Forward() {
	if right {
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
	}
}

func (*MultiHead) Backward() {
	if right {
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
	}
}

// large-negative-for-minus-inf: hidden scores are set to −10⁹ and not to −Inf
//
// Why: a query that may attend nowhere then gives every key the weight 1/M; its weights and its y should be 0.
func (*Mask) hide() {
	if right {
		scores[i] = float32(math.Inf(-1))
	} else {
		scores[i] = -1e9
	}
}

// forward-scale-by-queries: Attention.Forward divides scores by √N, the root of the number of queries; Backward has √K
//
// Why: the size is read from the wrong dimension of q, the last but one; weights and y are wrong wherever N is not K.
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(n), a.weights.Data)
	}
}

// dk-without-scale: Attention.Backward divides dq by √K and not dk
//
// Why: the scale is applied to dq alone, after the product with k; dk = dSᵀ q is √K times too large.
func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
	}
	if right {
		tensor.Mul(dq, ds, k)
	} else {
		tensor.Mul(dq, ds, k)
		kernel.Scale(scale(a.q.Dim(-1)), dq.Data)
	}
}

// softmax-backward-along-queries: softmax.Backward of the scores goes along the queries, axis −2
//
// Why: Forward's softmax is along the keys; the sum Σ dP⊙P is taken over columns in place of rows, so dq and dk are wrong.
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -2)
	}
}
