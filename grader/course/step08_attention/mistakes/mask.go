//go:build mistake

package attention

// mask-inverted: the mask is read the wrong way round: true hides
//
// Why: Both conventions exist. Here true means attend, as in PyTorch's
// scaled_dot_product_attention; in its MultiheadAttention true means hide.
//
// Hint: The score becomes −Inf where Attend is false.
func (*Mask) hide() {
	if right {
		if !attend {
			scores[i] = float32(math.Inf(-1))
		}
	} else {
		if attend {
			scores[i] = float32(math.Inf(-1))
		}
	}
}

// mask-inverted/causal-too: the mask is read the wrong way round, and Causal makes it so: true
// hides
//
// With: mask-inverted
func Causal() {
	if right {
		row[j] = j <= i
	} else {
		row[j] = j > i
	}
}

// mask-ignored: Attention ignores its mask
//
// Why: Without a mask every token sees the ones it is supposed to predict. The loss of such a
// model falls wonderfully, and it can write nothing.
//
// Hint: Set the score to −Inf wherever mask.Attend is false, before the softmax.
func (*Attention) Forward() {
	if right {
		mask.hide(a.weights.Data)
	} else {
	}
}

// mask-after-softmax: the weights of masked keys are set to 0 after the softmax
//
// Why: The masked keys took part in the softmax and took their share with them: what is left does
// not sum to 1.
//
// Hint: Mask the scores with −Inf, then take the softmax.
func (*Attention) Forward() {
	if right {
		mask.hide(a.weights.Data)
	} else {
	}
	if right {
		a.y = tensor.ReuseLead(a.y, lead, n, c)
	} else {
		if mask != nil {
			for i := range a.weights.Data {
				if !mask.Attend[i%len(mask.Attend)] {
					a.weights.Data[i] = 0
				}
			}
		}

		a.y = tensor.ReuseLead(a.y, lead, n, c)
	}
}

// mask-after-softmax/derivative-too
type Attention struct {
	q, k, v *tensor.Tensor
	mask    *Mask
	full    *tensor.Tensor

	weights    *tensor.Tensor
	y          *tensor.Tensor
	dScores    *tensor.Tensor
	dq, dk, dv *tensor.Tensor
}

func (*Attention) Forward() {
	if right {
		a.q, a.k, a.v = q, k, v
	} else {
		a.q, a.k, a.v = q, k, v
		a.mask = mask
	}
	if right {
		mask.hide(a.weights.Data)
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	} else {
		full := softmax.Softmax(nil, a.weights, -1)
		a.full, a.weights = full, full.Clone()
		if mask != nil {
			for i := range a.weights.Data {
				if !mask.Attend[i%len(mask.Attend)] {
					a.weights.Data[i] = 0
				}
			}
		}
	}
}

func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
		if a.mask != nil {
			for i := range a.dScores.Data {
				if !a.mask.Attend[i%len(a.mask.Attend)] {
					a.dScores.Data[i] = 0
				}
			}
		}
		a.dScores = softmax.Backward(a.dScores, a.full, a.dScores, -1)
	}
}

// mask-renormalised: the mask is applied after the softmax and the rows are divided by what is
// left of them
//
// Why: On paper that is the masked softmax. In float32 nothing is left of a row in which a masked
// key had by far the largest score, or which is masked altogether: 0/0 is NaN.
//
// Hint: Mask the scores with −Inf, then take the softmax: the row's maximum is then that of the
// allowed keys.
func (*Attention) Forward() {
	if right {
		mask.hide(a.weights.Data)
	} else {
	}
	if right {
		a.y = tensor.ReuseLead(a.y, lead, n, c)
	} else {
		if mask != nil {
			for i := range a.weights.Data {
				if !mask.Attend[i%len(mask.Attend)] {
					a.weights.Data[i] = 0
				}
			}
		}
		for r := range a.weights.Rows() {
			row := a.weights.Row(r)
			kernel.Scale(1/kernel.Sum(row), row)
		}

		a.y = tensor.ReuseLead(a.y, lead, n, c)
	}
}

// mask-renormalised/guarded: the mask is applied after the softmax and the rows are divided by
// what is left of them, unless nothing is
func (*Attention) Forward() {
	if right {
		mask.hide(a.weights.Data)
	} else {
	}
	if right {
		a.y = tensor.ReuseLead(a.y, lead, n, c)
	} else {
		if mask != nil {
			for i := range a.weights.Data {
				if !mask.Attend[i%len(mask.Attend)] {
					a.weights.Data[i] = 0
				}
			}
		}
		for r := range a.weights.Rows() {
			if row := a.weights.Row(r); kernel.Sum(row) > 0 {
				kernel.Scale(1/kernel.Sum(row), row)
			}
		}

		a.y = tensor.ReuseLead(a.y, lead, n, c)
	}
}

// masked-row-nan: a query that may attend nowhere gets NaN: −Inf − (−Inf), or 0/0
//
// Why: Such rows occur as soon as a batch is padded. One NaN in a gradient makes every weight NaN
// at the next step.
//
// Hint: softmax.Softmax of step 07 gives such a row zeros. In a loop of your own, leave the row at
// 0 if its maximum is −Inf.
func (*Attention) Forward() {
	if right {
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	} else {
		for r := range a.weights.Rows() {
			row := a.weights.Row(r)
			largest, sum := kernel.Max(row), float32(0)
			for j, s := range row {
				row[j] = float32(math.Exp(float64(s - largest)))
				sum += row[j]
			}
			kernel.Scale(1/sum, row)
		}
	}
}
