//go:build unlisted

package attention

import (
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// hidden-by-a-finite-number: a hidden pair gets the score −10³⁰ where its row has an allowed one, and −Inf only in a row without any
//
// Why: an allowed score may be lower than that (q and k of a magnitude of 10¹⁶ give −10³²): then the hidden key gets the weight 1.
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
		for len(scores) > 0 {
			for from := 0; from < len(mask.Attend); from += mask.M {
				row, hidden := mask.Attend[from:from+mask.M], float32(math.Inf(-1))
				for _, attend := range row {
					if attend {
						hidden = -1e30
					}
				}
				for j, attend := range row {
					if !attend {
						scores[from+j] = hidden
					}
				}
			}
			scores = scores[len(mask.Attend):]
		}
	}
}

// query-scaled-in-place: the caller's q is multiplied by 1/√K for the product and by √K after it
//
// Why: unless √K is a power of two, q comes back with other last bits. Forward changes none of its inputs, and Backward reads q.
func (*Attention) Forward() {
	if right {
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
	} else {
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
		kernel.Scale(scale(width), q.Data)
	}
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(float32(math.Sqrt(float64(width))), q.Data)
	}
}

// backward-eats-the-weights: Backward scales dS in the memory of the weights
//
// Why: Weights is valid until the next Forward, but after a Backward it shows dS/√K; and a second Backward of the same Forward is wrong.
func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		kernel.ScaleTo(a.weights.Data, scale(a.q.Dim(-1)), a.dScores.Data)
	}
	if right {
		ds, q, k := a.dScores.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
	} else {
		ds, q, k := a.weights.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
	}
}

// scale-by-the-values-width: Backward divides by the root of the width of a value and not of a key
//
// Why: with C other than K, which Forward allows, dq and dk are off by √(K/C).
func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		kernel.Scale(scale(a.v.Dim(-1)), a.dScores.Data)
	}
}

// stale-hidden-weights: the softmax writes the allowed weights only and relies on the others being 0 in the buffer
//
// Why: that holds for fresh memory. After a call with another mask, or of another size, hidden keys have the weights of the earlier call.
func (*Attention) Forward() {
	if right {
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
		for i := range q.Matrices() {
			s, q, k := a.weights.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i)
			tensor.Mul(s, q, k.T())
		}
		kernel.Scale(scale(width), a.weights.Data)
		mask.hide(a.weights.Data)
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	} else {
		a.dScores = tensor.ReuseLead(a.dScores, lead, n, m) // free until Backward
		for i := range q.Matrices() {
			s, q, k := a.dScores.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i)
			tensor.Mul(s, q, k.T())
		}
		kernel.Scale(scale(width), a.dScores.Data)
		mask.hide(a.dScores.Data)
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
		p := softmax.Softmax(nil, a.dScores, -1)
		for i, weight := range p.Data {
			if !math.IsInf(float64(a.dScores.Data[i]), -1) {
				a.weights.Data[i] = weight
			}
		}
	}
}

// mask-by-positions: a token may attend to those whose position is not larger than its own
//
// Why: positions may be any, the order of attention is that of the tokens. With positions 5 4 3, or with equal ones, tokens see later ones.
func (*MultiHead) Forward() {
	if right {
		if m.mask == nil || m.mask.N != seq {
			m.mask = Causal(seq)
		}
	} else {
		m.mask = Causal(seq)
		for i := range seq {
			for j := range seq {
				if len(positions) > 0 && len(positions[0]) == seq {
					m.mask.Attend[i*seq+j] = positions[0][j] <= positions[0][i]
				}
			}
		}
	}
}

// backward-turns-by-the-first-row: Backward turns dq and dk back by the positions of the first sequence
//
// Why: positions may be (B, T) with another row for every sequence. The output is right then, the gradients of the other sequences are not.
func (*MultiHead) Backward() {
	if right {
		dq = m.rope.Backward(dq, dq, m.positions)
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
		dq = m.rope.Backward(dq, dq, m.positions[:1])
		dk = m.rope.Backward(dk, dk, m.positions[:1])
	}
}

// joined-shared-by-all-layers: all layers write the joined heads into one buffer of the package
//
// Why: Output keeps its input until Backward. After the Forward of a second layer the first one's gradient of W_O is made from the second one's heads.
func (*MultiHead) Forward() {
	if right {
		m.joined = tensor.Reuse(m.joined, batch, seq, d)
		join(m.joined, heads, 0)
		return m.Output.Forward(m.joined)
	} else {
		joinedBuffer = tensor.Reuse(joinedBuffer, batch, seq, d)
		join(joinedBuffer, heads, 0)
		return m.Output.Forward(joinedBuffer)
	}
}

var joinedBuffer *tensor.Tensor

// causal-remembered: Causal returns the same mask to everybody who asks for the same n
//
// Why: a caller that hides more pairs in the mask that it was given, such as padding, changes the next Causal(n) and the layers that use it.
func Causal(n int) *Mask {
	causalMasksLock.Lock()
	defer causalMasksLock.Unlock()
	if mask := causalMasks[n]; mask != nil {
		return mask
	}
	mask := &Mask{N: n, M: n, Attend: make([]bool, n*n)}
	for i := range n {
		for j := range i + 1 {
			mask.Attend[i*n+j] = true
		}
	}
	causalMasks[n] = mask
	return mask
}

var (
	causalMasks     = map[int]*Mask{}
	causalMasksLock sync.Mutex
)
