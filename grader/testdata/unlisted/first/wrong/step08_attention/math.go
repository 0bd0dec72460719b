//go:build unlisted

package attention

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// scale-without-root: scores are divided by K
//
// Why: Scores are divided by K and not by √K; the gradients fit that.
func scale(width int) float32 { return 1 / float32(width) }

// scale-by-number-of-keys: scores are divided by √M
//
// Why: The scale is made of the number of keys and not of the width of a query.
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

// scale-missing-in-backward: dq and dk are not divided by √K
//
// Why: dq and dk are too large by √K: Backward leaves out the scale of the scores.
func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
	}
}

// scale-twice-in-backward: the scale is applied before and after the softmax's gradient
//
// Why: dq and dk are divided by K where √K is right.
func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	}
}

// hidden-by-minus-ten-thousand: hidden scores are set to −10,000
//
// Why: A query that may attend nowhere spreads its weight evenly over all keys, where y should be 0.
func (*Mask) hide() {
	if right {
		scores[i] = float32(math.Inf(-1))
	} else {
		scores[i] = -1e4
	}
}

// hidden-after-softmax: hidden weights are set to 0 after the softmax
//
// Why: The weights of a query with hidden keys sum to less than 1.
func (*Attention) Forward() {
	if right {
		mask.hide(a.weights.Data)
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	} else {
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
		if mask != nil {
			for i := range a.weights.Data {
				if !mask.Attend[i%len(mask.Attend)] {
					a.weights.Data[i] = 0
				}
			}
		}
	}
}

// mask-turned-round: pairs are hidden where Attend is true
//
// Why: The mask is read the other way round: allowed pairs are hidden.
func (mask *Mask) hide(scores []float32) {
	if mask == nil || len(mask.Attend) == 0 {
		return
	}
	for i := range scores {
		if mask.Attend[i%len(mask.Attend)] {
			scores[i] = float32(math.Inf(-1))
		}
	}
}

// mask-of-first-head-only: only the first N·M entries of the mask are used
//
// Why: A mask with entries for each leading index is ignored but for the first.
func (mask *Mask) hide(scores []float32) {
	if mask == nil || len(mask.Attend) == 0 {
		return
	}
	for i := range scores {
		if !mask.Attend[i%(mask.N*mask.M)] {
			scores[i] = float32(math.Inf(-1))
		}
	}
}

// mask-for-first-matrix-only: a mask of N·M entries is applied to the first matrix alone
//
// Why: From the second leading index on nothing is hidden by a mask that holds for all of them.
func (mask *Mask) hide(scores []float32) {
	if mask == nil {
		return
	}
	for i, attend := range mask.Attend {
		if !attend {
			scores[i] = float32(math.Inf(-1))
		}
	}
}

// softmax-over-queries: the softmax runs along the queries
//
// Why: The weights of every key sum to 1 over the queries, not those of every query over the keys; Backward fits.
func (*Attention) Forward() {
	if right {
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	} else {
		a.weights = softmax.Softmax(a.weights, a.weights, -2)
	}
}

func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -2)
	}
}

// causal-without-self: a token may attend only to those before it
//
// Why: Causal hides the diagonal: the first token may attend nowhere.
func Causal() {
	if right {
		row[j] = j <= i
	} else {
		row[j] = j < i
	}
}

// causal-upwards: a token may attend to itself and to those after it
//
// Why: Causal lets tokens see the future and hides the past.
func Causal() {
	if right {
		row[j] = j <= i
	} else {
		row[j] = j >= i
	}
}

// causal-one-ahead: a token may also attend to the next
//
// Why: Causal lets every token see one token of the future.
func Causal() {
	if right {
		row[j] = j <= i
	} else {
		row[j] = j <= i+1
	}
}

// dv-without-transpose: dv is P dy
//
// Why: dv is made with P and not with its transpose: wrong for as many queries as keys, a panic otherwise.
func (*Attention) Backward() {
	if right {
		tensor.Mul(dv, p.T(), dy)
	} else {
		tensor.Mul(dv, p, dy)
	}
}

// dk-without-transpose: dk is dS q
//
// Why: dk is made with dS and not with its transpose: wrong for as many queries as keys, a panic otherwise.
func (*Attention) Backward() {
	if right {
		tensor.Mul(dk, ds.T(), q)
	} else {
		tensor.Mul(dk, ds, q)
	}
}
