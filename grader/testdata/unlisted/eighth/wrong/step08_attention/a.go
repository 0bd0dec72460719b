//go:build unlisted

package attention

// large-number-for-masked: a masked score is −1e9 and not −Inf
//
// Why: a query that may attend nowhere must get weights of 0 and y = 0; it gets a mean of all values.
func (*Mask) hide() {
	if right {
		scores[i] = float32(math.Inf(-1))
	} else {
		scores[i] = -1e9
	}
}

// mask-for-the-first-index-only: a mask of N·M entries hides in the first matrix only
//
// Why: it holds for every leading index; all heads but the first look ahead.
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
		for i, attend := range mask.Attend {
			if !attend {
				scores[i] = float32(math.Inf(-1))
			}
		}
	}
}

// first-mask-for-all: of a mask with N·M entries for each leading index only the first N·M count
//
// Why: the other leading indices have masks of their own, which are ignored.
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
		for i := range scores {
			if !mask.Attend[i%(mask.N*mask.M)] {
				scores[i] = float32(math.Inf(-1))
			}
		}
	}
}

// nil-is-causal: a nil mask means causal where there are as many queries as keys
//
// Why: a nil mask allows everything.
func (*Attention) Forward() {
	if right {
		mask.hide(a.weights.Data)
	} else {
		if mask == nil && n == m {
			mask = Causal(n)
		}
		mask.hide(a.weights.Data)
	}
}

// q-scaled-in-place: the scale is put on q before the product
//
// Why: q belongs to the caller and must not change; dk is scaled twice.
func (*Attention) Forward() {
	if right {
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
		for i := range q.Matrices() {
			s, q, k := a.weights.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i)
			tensor.Mul(s, q, k.T())
		}
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
		kernel.Scale(scale(width), q.Data)
		for i := range q.Matrices() {
			s, q, k := a.weights.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i)
			tensor.Mul(s, q, k.T())
		}
	}
}

// scale-left-out-of-backward: the gradient of the scores is not scaled
//
// Why: dq and dk are √K times too large; a finite difference differs.
func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
	}
}

// scale-of-the-value-width: Backward takes the scale from the width of a value
//
// Why: wrong as soon as C is not K.
func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		kernel.Scale(scale(dy.Dim(-1)), a.dScores.Data)
	}
}

// ds-into-weights: the gradient of the scores takes the memory of the weights
//
// Why: Weights is valid until the next Forward and shows gradients; a second Backward is wrong.
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
		a.dScores = softmax.Backward(a.weights, a.weights, a.dScores, -1)
	}
}

// dv-added-up: dv is added to what the buffer holds
//
// Why: from the second Backward on dv contains the old ones; Attention has no parameters and returns gradients afresh.
func (*Attention) Backward() {
	if right {
		tensor.Mul(dv, p.T(), dy)
	} else {
		tensor.MulAdd(dv, p.T(), dy)
	}
}

// mask-of-the-longest: the causal mask is made once for the longest sequence and cut
//
// Why: the first T·T entries of a longer mask are not the mask of T: after a longer sequence a shorter one may look ahead and not look back.
func (*MultiHead) Forward() {
	if right {
		if m.mask == nil || m.mask.N != seq {
			m.mask = Causal(seq)
		}
	} else {
		if m.mask == nil || len(m.mask.Attend) < seq*seq {
			m.mask = Causal(seq)
		}
		m.mask.N, m.mask.M = seq, seq
		m.mask.Attend = m.mask.Attend[:seq*seq]
	}
}

// positions-of-the-first-call: the positions for Backward are kept once
//
// Why: a second Forward at other positions is turned back by the wrong angles.
func (*MultiHead) Forward() {
	if right {
		m.positions = positions
	} else {
		if m.positions == nil || len(m.positions) != len(positions) || len(m.positions[0]) != len(positions[0]) {
			m.positions = positions
		}
	}
}

// keys-not-turned-back: Backward turns only dq back
//
// Why: the gradients of x and of the keys' weights differ from a finite difference.
func (*MultiHead) Backward() {
	if right {
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
	}
}

// joined-by-reshape: the heads (B, H, T, K) are read as (B, T, D)
//
// Why: a reshape does not move numbers; for more than one head and token y mixes tokens.
func (*MultiHead) Forward() {
	if right {
		join(m.joined, heads, 0)
	} else {
		copy(m.joined.Data, heads.Data)
	}
}

// dheads-into-q: the gradient of the heads takes the memory of q, which is used up
//
// Why: Attention keeps q itself for its Backward: dk and with it the keys' gradient are wrong.
func (*MultiHead) Backward() {
	if right {
		m.dHeads = m.split(m.dHeads, dJoined, 0)
	} else {
		m.dHeads = m.split(m.q, dJoined, 0)
	}
}

// params-with-new-gradients: Params makes new gradients for the slices
//
// Why: the gradients of Backward are not in what Params returned, and an optimiser sees zeros.
func (m *MultiHead) Params() []*tensor.Param {
	qkv, d := m.QKV.Weight, m.Output.Weight.Value.Dim(0)
	return []*tensor.Param{
		tensor.NewParam("q_proj.weight", qkv.Value.Slice(0, d)),
		tensor.NewParam("k_proj.weight", qkv.Value.Slice(d, 2*d)),
		tensor.NewParam("v_proj.weight", qkv.Value.Slice(2*d, 3*d)),
		tensor.NewParam("output_proj.weight", m.Output.Weight.Value),
	}
}

// odd-width-passes: the heads need only divide D
//
// Why: D = 6 with two heads of width 3 must panic in NewMultiHead; with the tables of K = 2 it is taken.
func NewMultiHead() {
	if right {
		if numHeads <= 0 || d%(2*numHeads) != 0 {
			panic(tensor.ShapeError{Op: fmt.Sprintf("attention.NewMultiHead: %d heads of an even width do not fill D: output", numHeads),
				Got: []int{d, d}})
		}
	} else {
		if numHeads <= 0 || d%numHeads != 0 {
			panic(tensor.ShapeError{Op: fmt.Sprintf("attention.NewMultiHead: %d heads do not fill D: output", numHeads),
				Got: []int{d, d}})
		}
	}
}
