//go:build unlisted

package attention

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step06_rope"
)

// mask-of-first-call: MultiHead makes its causal mask once
//
// Why: A second Forward with another T panics, because the mask was made for the first one's.
func (*MultiHead) Forward() {
	if right {
		if m.mask == nil || m.mask.N != seq {
			m.mask = Causal(seq)
		}
	} else {
		if m.mask == nil {
			m.mask = Causal(seq)
		}
	}
}

// mask-only-grows: the causal mask is only made again for a longer T
//
// Why: A Forward with a smaller T than an earlier one panics, because the mask is too large.
func (*MultiHead) Forward() {
	if right {
		if m.mask == nil || m.mask.N != seq {
			m.mask = Causal(seq)
		}
	} else {
		if m.mask == nil || m.mask.N < seq {
			m.mask = Causal(seq)
		}
	}
}

// positions-of-first-call: Backward turns back by the positions of the first Forward of this T
//
// Why: After a second Forward with other positions and the same T, Backward turns back by the angles of the first.
func (*MultiHead) Forward() {
	if right {
		m.positions = positions
	} else {
		if len(m.positions) != len(positions) || len(positions) > 0 && len(m.positions[0]) != len(positions[0]) {
			m.positions = positions
		}
	}
}

// heads-of-package: q, k and v are variables of the package
//
// Why: When a second layer runs Forward in between, the first one's Backward works with the other's q, k and v.
func (*MultiHead) Forward() {
	if right {
		m.q = m.split(m.q, qkv, 0)
		m.k = m.split(m.k, qkv, d)
		m.v = m.split(m.v, qkv, 2*d)
	} else {
		sharedQ = m.split(sharedQ, qkv, 0)
		sharedK = m.split(sharedK, qkv, d)
		sharedV = m.split(sharedV, qkv, 2*d)
		m.q, m.k, m.v = sharedQ, sharedK, sharedV
	}
}

var sharedQ *tensor.Tensor

var sharedK *tensor.Tensor

var sharedV *tensor.Tensor

// weights-of-package: the weights are a variable of the package
//
// Why: When a second Attention runs Forward in between, the first one's Weights and Backward are those of the other.
func (*Attention) Forward() {
	if right {
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
	} else {
		sharedWeights = tensor.ReuseLead(sharedWeights, lead, n, m)
		a.weights = sharedWeights
	}
}

var sharedWeights *tensor.Tensor

// weights-made-once: the weights are made by the first Forward and keep their shape
//
// Why: A second Forward with another number of queries or keys panics or reads scores that are not its own.
func (*Attention) Forward() {
	if right {
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
	} else {
		if a.weights == nil {
			a.weights = tensor.ReuseLead(nil, lead, n, m)
		}
	}
}

// ds-in-memory-of-weights: Backward makes dS in the memory of the weights
//
// Why: After Backward Weights returns dS, and a second Backward of the same Forward is wrong.
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
		softmax.Backward(a.dScores, a.weights, a.dScores, -1)
		copy(a.weights.Data, a.dScores.Data)
		a.dScores = a.weights
	}
}

// dv-added-up: dv is added to what its reused memory held
//
// Why: The dv of a second Backward is the sum of both.
func (*Attention) Backward() {
	if right {
		tensor.Mul(dv, p.T(), dy)
	} else {
		tensor.MulAdd(dv, p.T(), dy)
	}
}

// dheads-in-memory-of-q: Backward splits dy into the memory of q
//
// Why: Attention's Backward finds the gradient of the heads where q was: the keys' part of QKV's gradient and dx are wrong.
func (*MultiHead) Backward() {
	if right {
		m.dHeads = m.split(m.dHeads, dJoined, 0)
	} else {
		m.dHeads = m.split(m.q, dJoined, 0)
	}
}

// dqkv-made-once: dQKV is made by the first Backward and keeps its shape
//
// Why: Backward after a Forward of another shape panics.
func (*MultiHead) Backward() {
	if right {
		m.dQKV = tensor.Reuse(m.dQKV, dy.Dim(0), dy.Dim(1), 3*d)
	} else {
		if m.dQKV == nil {
			m.dQKV = tensor.New(dy.Dim(0), dy.Dim(1), 3*d)
		}
	}
}

// causal-kept: causal masks are kept by size and handed out again
//
// Why: Two calls of Causal(n) return one mask: who changes the one changes the other.
func Causal(n int) *Mask {
	if mask := causal[n]; mask != nil {
		return mask
	}
	mask := &Mask{N: n, M: n, Attend: make([]bool, n*n)}
	for i := range n {
		for j := range i + 1 {
			mask.Attend[i*n+j] = true
		}
	}
	causal[n] = mask
	return mask
}

var causal = map[int]*Mask{}

// output-weight-copied: NewMultiHead copies the output projection
//
// Why: A change of the output weight after construction has no effect, and its gradient goes to the copy.
func NewMultiHead() {
	if right {
		return &MultiHead{QKV: linear.New(qkv), Output: linear.New(output), heads: numHeads, rope: r}
	} else {
		own := tensor.NewParam(output.Name, output.Value.Clone())
		return &MultiHead{QKV: linear.New(qkv), Output: linear.New(own), heads: numHeads, rope: r}
	}
}
