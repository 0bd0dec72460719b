//go:build mistake

package flash

// d-missing: D is not subtracted
//
// Why: A weight grows at the cost of the others of its row: dS = P ⊙ (dP − D).
//
// Hint: D = Σ dy ⊙ y, one number for each query, subtracted from its row of dP.
func (*Attention) sendBack() {
	if right {
		kernel.AddConst(ds, -d[r], ds)
	} else {
	}
}

// d-of-the-values: D is the sum of dy ⊙ v instead of dy ⊙ y
//
// Why: Σⱼ Pⱼ·(dy·vⱼ) is dy times the weighted mean of the values, and that is y.
//
// Hint: y, which Forward has returned.
func (*Attention) sendBack() {
	if right {
		d[r] = kernel.Dot(row(dy, r), row(y, r))
	} else {
		_ = y
		d[r] = kernel.Dot(row(dy, r), row(a.v.MatrixAt(i), min(first+r, a.v.Dim(-2)-1)))
	}
}

// d-added: D is added instead of subtracted
//
// Why: dS = P ⊙ (dP − D).
//
// Hint: A minus.
func (*Attention) sendBack() {
	if right {
		kernel.AddConst(ds, -d[r], ds)
	} else {
		kernel.AddConst(ds, d[r], ds)
	}
}

// d-of-the-first-query: the D of the tile's first query serves for all
//
// Why: D is a number for each query.
//
// Hint: d[r] for row r.
func (*Attention) sendBack() {
	if right {
		kernel.AddConst(ds, -d[r], ds)
	} else {
		kernel.AddConst(ds, -d[0], ds)
	}
}

// d-of-the-tile: the sum Σ P·dP runs over the tile and not over the row
//
// Why: The softmax is one over the whole row; a tile has a part of it. dy·y is the sum of all.
//
// Hint: D = Σ dy ⊙ y, before the loop over the keys.
func (*Attention) sendBack() {
	if right {
		kernel.AddConst(ds, -d[r], ds)
	} else {
		kernel.AddConst(ds, -kernel.Dot(ds, p), ds)
	}
}

// weights-missing: dS is not multiplied by the weights
//
// Why: dS = P ⊙ (dP − D).
//
// Hint: Element by element with P of the tile.
func (*Attention) sendBack() {
	if right {
		kernel.Mul(ds, ds, p)
	} else {
		_ = p
	}
}

// backward-scale-missing: 1/√K is missing in dq and dk
//
// Why: S is q·kᵀ/√K; the factor comes back in both.
//
// Hint: dS = P ⊙ (dP − D)/√K.
func (*Attention) sendBack() {
	if right {
		kernel.Scale(scale(width), ds)
	} else {
	}
}

// dq-scale-missing: 1/√K is missing in dq
//
// Why: S is q·kᵀ/√K; the factor comes back in dq and in dk.
//
// Hint: Put it into dS, once for both.
func (*Attention) sendBack() {
	if right {
		kernel.Scale(scale(width), ds)
	} else {
	}
	if right {
		tensor.MulAdd(dk, dp.T(), q)
	} else {
		for r := range queries {
			kernel.Scale(scale(width), row(dp, r))
		}
		tensor.MulAdd(dk, dp.T(), q)
	}
}

// dk-scale-missing: 1/√K is missing in dk
//
// Why: S is q·kᵀ/√K; the factor comes back in dq and in dk.
//
// Hint: Put it into dS, once for both.
func (*Attention) sendBack() {
	if right {
		kernel.Scale(scale(width), ds)
	} else {
	}
	if right {
		tensor.MulAdd(dq, dp, k)
		tensor.MulAdd(dk, dp.T(), q)
	} else {
		tensor.MulAdd(dk, dp.T(), q)
		for r := range queries {
			kernel.Scale(scale(width), row(dp, r))
		}
		tensor.MulAdd(dq, dp, k)
	}
}

// dq-overwritten: dq is written and not added
//
// Why: A query meets several tiles of keys; the last one alone would count.
//
// Hint: tensor.MulAdd, to zeros.
func (*Attention) sendBack() {
	if right {
		tensor.MulAdd(dq, dp, k)
	} else {
		tensor.Mul(dq, dp, k)
	}
}

// dk-overwritten: dk is written and not added
//
// Why: A key meets several tiles of queries; the last one alone would count.
//
// Hint: tensor.MulAdd, to zeros.
func (*Attention) sendBack() {
	if right {
		tensor.MulAdd(dk, dp.T(), q)
	} else {
		tensor.Mul(dk, dp.T(), q)
	}
}

// dv-overwritten: dv is written and not added
//
// Why: A value meets several tiles of queries; the last one alone would count.
//
// Hint: tensor.MulAdd, to zeros.
func (*Attention) sendBack() {
	if right {
		tensor.MulAdd(dv, p.T(), dy)
	} else {
		tensor.Mul(dv, p.T(), dy)
	}
}

// gradients-not-cleared: dq, dk and dv are added to those of the last call
//
// Why: They are the gradients of this call, and of no parameter.
//
// Hint: Zero them before the loops.
func (*Attention) Backward() {
	if right {
		sum.Zero()
	} else {
		_ = sum
	}
}

// mask-forgotten-backward: where P is computed again, the mask is forgotten
//
// Why: A hidden pair then has a weight e^(S − L) that is not 0; in a row without keys it is not even finite.
//
// Hint: The same function makes S, with the mask, in both passes.
func (*Attention) again() {
	if right {
		p := a.scores(i, first, queries, from, to)
	} else {
		mask := a.mask
		a.mask = nil
		p := a.scores(i, first, queries, from, to)
		a.mask = mask
	}
}

// mask-forgotten-backward/entries: where P is computed again, the entries of a mask are forgotten
func (*Attention) again() {
	if right {
		p := a.scores(i, first, queries, from, to)
	} else {
		mask := a.mask
		if !a.causal() {
			a.mask = nil
		}
		p := a.scores(i, first, queries, from, to)
		a.mask = mask
	}
}

// lse-of-the-first-tile: P is computed again with the L of the first queries
//
// Why: Query r of a tile that begins at first is query first + r.
//
// Hint: L is indexed by the query of the text.
func (*Attention) again() {
	if right {
		logs := a.logs.Data[i*a.q.Dim(-2)+first:][:queries]
	} else {
		logs := a.logs.Data[i*a.q.Dim(-2):][:queries]
	}
}

// scores-not-shifted: P is computed again as e^S, without L
//
// Why: The weights are e^S divided by their sum, and e^L is that sum.
//
// Hint: e^(S − L).
func (*Attention) again() {
	if right {
		exponentials(row(p, r), row(p, r), finite(l))
	} else {
		_ = l
		exponentials(row(p, r), row(p, r), 0)
	}
}

// weights-not-cleared: the weights of pairs that no tile computes are those of an earlier call
//
// Why: Weights is asked again and again; where a mask hides a tile, P is 0.
//
// Hint: Zero the whole buffer first.
func (*Attention) Weights() {
	if right {
		a.weights.Zero()
	} else {
	}
}
