//go:build unlisted

package attention

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// q-scaled-in-place: q is divided by √K in its own memory
//
// Why: after Forward the caller's q has changed.
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

// scores-gradient-in-weights: dS is written over the weights
//
// Why: after Backward Weights returns gradients, and a second Backward starts from them.
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		dScores := softmax.Backward(a.weights, a.weights, a.dScores, -1)
		kernel.Scale(scale(a.q.Dim(-1)), dScores.Data)
	}
	if right {
		ds, q, k := a.dScores.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
	} else {
		ds, q, k := dScores.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
	}
}

// dv-added-up: dv is added to what the reused tensor holds
//
// Why: the second Backward returns the sum of both dv.
func (*Attention) Backward() {
	if right {
		tensor.Mul(dv, p.T(), dy)
	} else {
		tensor.MulAdd(dv, p.T(), dy)
	}
}

// nil-mask-is-causal: nil mask means the causal one
//
// Why: without a mask queries do not see the keys after them; nil should allow everything.
func (*Attention) Forward() {
	if right {
		mask.check(q.Matrices(), n, m)
	} else {
		if mask == nil && n == m {
			mask = Causal(n)
		}
		mask.check(q.Matrices(), n, m)
	}
}

// divided-by-root-of-keys: scores are divided by √M in place of √K
//
// Why: the softmax is sharper for short sequences than for long ones; forward and backward agree.
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(max(1, m)), a.weights.Data)
	}
}

func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		kernel.Scale(scale(max(1, a.k.Dim(-2))), a.dScores.Data)
	}
}
