//go:build mistake

package windows

// dk-overwritten: dk of one block takes the place of that of the block before
//
// Why: A key is seen by queries of several blocks, and what they send back is added up.
//
// Hint: tensor.MulAdd, and zeros before the first block.
func (*Window) Backward() {
	if right {
		tensor.MulAdd(a.keys(a.dk, i, part), ds.T(), b.rows(a.q, i))
	} else {
		tensor.Mul(a.keys(a.dk, i, part), ds.T(), b.rows(a.q, i))
	}
}

// dv-overwritten: dv of one block takes the place of that of the block before
//
// Why: A value is used by queries of several blocks, and what they send back is added up.
//
// Hint: tensor.MulAdd, and zeros before the first block.
func (*Window) Backward() {
	if right {
		tensor.MulAdd(a.keys(a.dv, i, part), a.tile(a.p, i, b, part).T(), b.rows(dy, i))
	} else {
		tensor.Mul(a.keys(a.dv, i, part), a.tile(a.p, i, b, part).T(), b.rows(dy, i))
	}
}

// dq-overwritten: dq of the sinks is lost
//
// Why: A query sees sinks and a window, and dq is the sum over both.
//
// Hint: tensor.MulAdd, and zeros before the first block.
func (*Window) Backward() {
	if right {
		tensor.MulAdd(b.rows(a.dq, i), ds, a.keys(a.k, i, part))
	} else {
		tensor.Mul(b.rows(a.dq, i), ds, a.keys(a.k, i, part))
	}
}

// softmax-term-missing: the second term of the softmax's derivative is missing
//
// Why: All weights of a row share one denominator: dS = P ⊙ (dP − Σ dP⊙P).
//
// Hint: softmax.Backward of step 07.
func (*Window) Backward() {
	if right {
		a.dp = softmax.Backward(a.dp, a.p, a.dp, -1)
	} else {
		kernel.Mul(a.dp.Data, a.dp.Data, a.p.Data)
	}
}

// softmax-left-out: dS is taken to be dP
//
// Why: The softmax stands between the scores and the weights.
//
// Hint: dS = P ⊙ (dP − Σ dP⊙P).
func (*Window) Backward() {
	if right {
		a.dp = softmax.Backward(a.dp, a.p, a.dp, -1)
	} else {
	}
}

// gradient-unscaled: the factor 1/√K is missing in dq and dk
//
// Why: S = q·kᵀ/√K: what comes through the product comes through the factor.
//
// Hint: Scale dS by 1/√K.
func (*Window) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dp.Data)
	} else {
	}
}

// gradients-go-on: gradients of the last Backward are added to
//
// Why: dq, dk and dv belong to one call. Parameters add up, what is returned does not.
//
// Hint: Set the sums to zero at the beginning.
func (*Window) Backward() {
	if right {
		for _, sum := range []*tensor.Tensor{a.dp, a.dq, a.dk, a.dv} {
			sum.Zero()
		}
	} else {
		a.dp.Zero()
	}
}

// window-read-again: Backward reads W and Sinks again
//
// Why: They are read by Forward. Whoever owns the layer may change them for the next text.
//
// Hint: Keep what Forward has read.
func (*Window) Backward() {
	if right {
		a.dp = tensor.Reuse(a.dp, a.p.Shape...)
	} else {
		read := newView(a.W, a.Sinks, a.q.Dim(-2), a.k.Dim(-2))
		a.view = view{min(read.w, a.view.w), min(read.sinks, a.view.sinks), a.view.n, a.view.m, a.view.rows}
		a.dp = tensor.Reuse(a.dp, a.p.Shape...)
	}
}
