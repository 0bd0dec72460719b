//go:build mistake

package attention

import "math"

// scale-after-softmax: the softmax's result is divided by √K instead of the scores
//
// Why: The scale is there to keep the softmax away from its flat ends. After it, the weights of a
// row no longer sum to 1, and nothing is less saturated.
//
// Hint: Scale, mask, softmax, in this order. Each row of the weights sums to 1.
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
	}
	if right {
		a.y = tensor.ReuseLead(a.y, lead, n, c)
	} else {
		kernel.Scale(scale(width), a.weights.Data)

		a.y = tensor.ReuseLead(a.y, lead, n, c)
	}
}

// scale-after-softmax/derivative-too
//
// With: scale-after-softmax
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
		p := a.weights.Clone()
		kernel.Scale(1/scale(a.q.Dim(-1)), p.Data)
		a.dScores = softmax.Backward(a.dScores, p, a.dScores, -1)
	}
}

// scale-after-softmax/output: the output is divided by √K instead of the scores
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
	}
	if right {
		return a.y
	} else {
		kernel.Scale(scale(width), a.y.Data)
		return a.y
	}
}

// q-scaled-in-place: q itself is divided by √K, in the caller's memory
//
// Why: q belongs to the caller, who may use it again: the second call finds it smaller than the
// first.
//
// Hint: Scale the scores, or a copy of q.
func (*Attention) Forward() {
	if right {
		a.q, a.k, a.v = q, k, v
	} else {
		kernel.Scale(scale(width), q.Data)
		a.q, a.k, a.v = q, k, v
	}
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
	}
}

// q-scaled-in-place/derivative-too
//
// With: q-scaled-in-place
func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
	}
	if right {
		return a.dq, a.dk, a.dv
	} else {
		kernel.Scale(scale(a.q.Dim(-1)), a.dq.Data)
		return a.dq, a.dk, a.dv
	}
}

// mask-before-scale: the mask is applied before the scores are divided by √K
//
// Why: The order of these two does not matter.
//
// Hint: Leave it as it is.
//
// Invisible: −Inf divided by √K is −Inf, and no other score is touched by the mask.
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
	}
	if right {
		mask.hide(a.weights.Data)
	} else {
		mask.hide(a.weights.Data)
		kernel.Scale(scale(width), a.weights.Data)
	}
}

// scale-by-d-model: multi-head attention divides the scores by √D, the root of d_model, instead of
// √K
//
// Why: The sum in a score runs over the K = D/H numbers of one head, so its size is √K, however
// many heads there are.
//
// Hint: K = D/H is the width of one head: 1/√K, not 1/√D.
func (*MultiHead) Forward() {
	if right {
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
		m.k = m.rope.Forward(m.k, m.k, positions)
		for i := range m.q.Data {
			m.q.Data[i] /= float32(math.Sqrt(float64(m.heads)))
		}
	}
}

func (*MultiHead) Backward() {
	if right {
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
		for i := range dq.Data {
			dq.Data[i] /= float32(math.Sqrt(float64(m.heads)))
		}
		dk = m.rope.Backward(dk, dk, m.positions)
	}
}

// scale-by-d-model/forward-only
func (*MultiHead) Forward() {
	if right {
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
		m.k = m.rope.Forward(m.k, m.k, positions)
		for i := range m.q.Data {
			m.q.Data[i] /= float32(math.Sqrt(float64(m.heads)))
		}
	}
}

// scale-twice: multi-head attention divides the queries by √K, and the scores are divided by √K
// once more
//
// Why: Attention scales its scores. Whoever calls it need not do it again.
//
// Hint: Scale in one place only: in Attention.Forward.
func (*MultiHead) Forward() {
	if right {
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
		m.k = m.rope.Forward(m.k, m.k, positions)
		for i := range m.q.Data {
			m.q.Data[i] /= float32(math.Sqrt(float64(2 * m.rope.Cos.Dim(1))))
		}
	}
}

func (*MultiHead) Backward() {
	if right {
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
		for i := range dq.Data {
			dq.Data[i] /= float32(math.Sqrt(float64(2 * m.rope.Cos.Dim(1))))
		}
		dk = m.rope.Backward(dk, dk, m.positions)
	}
}

// scale-twice/forward-only
func (*MultiHead) Forward() {
	if right {
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
		m.k = m.rope.Forward(m.k, m.k, positions)
		for i := range m.q.Data {
			m.q.Data[i] /= float32(math.Sqrt(float64(2 * m.rope.Cos.Dim(1))))
		}
	}
}
