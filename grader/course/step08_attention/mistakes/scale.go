//go:build mistake

package attention

import "math"

// no-scale: the scores are not divided by √K
//
// Why: A dot product of K numbers of size 1 has the size √K. Divided by that, scores are of size 1
// for every width of a head: the softmax neither saturates nor evens everything out.
//
// Hint: score = q·k/√K, where K is the length of one query and one key.
func scale() {
	if right {
		return float32(1 / math.Sqrt(float64(width)))
	} else {
		return 1
	}
}

// no-scale/forward-only
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
	}
}

// scale-by-k: the scores are divided by K instead of √K
//
// Why: A dot product of K numbers of size 1 has the size √K. Divided by that, scores are of size 1
// for every width of a head: the softmax neither saturates nor evens everything out.
//
// Hint: score = q·k/√K, where K is the length of one query and one key.
func scale() {
	if right {
		return float32(1 / math.Sqrt(float64(width)))
	} else {
		return 1 / float32(width)
	}
}

// scale-by-k/forward-only
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(1/float32(width), a.weights.Data)
	}
}

// scale-by-root-2k: the scores are divided by √(2K) instead of √K
//
// Why: A dot product of K numbers of size 1 has the size √K. Divided by that, scores are of size 1
// for every width of a head: the softmax neither saturates nor evens everything out.
//
// Hint: score = q·k/√K, where K is the length of one query and one key.
func scale() {
	if right {
		return float32(1 / math.Sqrt(float64(width)))
	} else {
		return float32(1 / math.Sqrt(2*float64(width)))
	}
}

// scale-by-root-2k/forward-only
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(2*width), a.weights.Data)
	}
}

// scale-multiplied: the scores are multiplied by √K instead of divided
//
// Why: A dot product of K numbers of size 1 has the size √K. Divided by that, scores are of size 1
// for every width of a head: the softmax neither saturates nor evens everything out.
//
// Hint: score = q·k/√K, where K is the length of one query and one key.
func scale() {
	if right {
		return float32(1 / math.Sqrt(float64(width)))
	} else {
		return float32(math.Sqrt(float64(width)))
	}
}

// scale-multiplied/forward-only
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(1/scale(width), a.weights.Data)
	}
}

// scale-by-keys: the scores are divided by √M, the root of the number of keys, instead of √K
//
// Why: A dot product of K numbers of size 1 has the size √K. Divided by that, scores are of size 1
// for every width of a head: the softmax neither saturates nor evens everything out.
//
// Hint: score = q·k/√K, where K is the length of one query and one key.
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(m), a.weights.Data)
	}
}

func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(width), a.dScores.Data)
	} else {
		kernel.Scale(scale(m), a.dScores.Data)
	}
}

// scale-by-keys/forward-only
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(m), a.weights.Data)
	}
}

// scale-by-value-width: the scores are divided by the root of a value's length C instead of a
// key's length K
//
// Why: A dot product of K numbers of size 1 has the size √K. Divided by that, scores are of size 1
// for every width of a head: the softmax neither saturates nor evens everything out.
//
// Hint: score = q·k/√K, where K is the length of one query and one key.
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(c), a.weights.Data)
	}
}

func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(width), a.dScores.Data)
	} else {
		kernel.Scale(scale(c), a.dScores.Data)
	}
}

// scale-by-value-width/forward-only
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(c), a.weights.Data)
	}
}

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
		a.y = tensor.Reuse(a.y, a.with(lead, n, c)...)
	} else {
		kernel.Scale(scale(width), a.weights.Data)

		a.y = tensor.Reuse(a.y, a.with(lead, n, c)...)
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
		kernel.Scale(1/scale(width), p.Data)
		a.dScores = softmax.Backward(a.dScores, p, a.dScores, -1)
	}
}

// scale-after-softmax/output
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
		kernel.Scale(scale(width), a.dScores.Data)
	} else {
	}
	if right {
		return a.dq, a.dk, a.dv
	} else {
		kernel.Scale(scale(width), a.dq.Data)
		return a.dq, a.dk, a.dv
	}
}

// mask-before-scale: the mask is applied before the scores are divided by √K
//
// Why: The order of these two does not matter.
//
// Hint: Nothing to repair.
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
