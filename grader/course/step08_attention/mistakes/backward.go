//go:build mistake

package attention

// backward-without-scale: dq and dk lack the factor 1/√K
//
// Why: The scores were q·k/√K. A constant factor of the forward pass is a factor of its derivative
// too.
//
// Hint: Divide dS by √K once, before the products that give dq and dk.
func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
	}
}

// backward-without-scale/dq: dq lacks the factor 1/√K
//
// With: backward-without-scale
func (*Attention) Backward() {
	if right {
		return a.dq, a.dk, a.dv
	} else {
		kernel.Scale(scale(a.q.Dim(-1)), a.dk.Data)
		return a.dq, a.dk, a.dv
	}
}

// backward-without-scale/dk: dk lacks the factor 1/√K
//
// With: backward-without-scale
func (*Attention) Backward() {
	if right {
		return a.dq, a.dk, a.dv
	} else {
		kernel.Scale(scale(a.q.Dim(-1)), a.dq.Data)
		return a.dq, a.dk, a.dv
	}
}

// backward-scaled-twice: dq and dk are divided by √K twice
//
// Why: The factor is in dS already, so the products with k and q carry it on.
//
// Hint: Divide dS by √K, or dq and dk, not both.
func (*Attention) Backward() {
	if right {
		return a.dq, a.dk, a.dv
	} else {
		kernel.Scale(scale(a.q.Dim(-1)), a.dq.Data)
		kernel.Scale(scale(a.q.Dim(-1)), a.dk.Data)
		return a.dq, a.dk, a.dv
	}
}

// dv-not-transposed: dv is computed as P·dy, with P not transposed
//
// Why: P and dS are (N, M), a row for every query. What belongs to a key is collected down a
// column: over all queries that looked at it.
//
// Hint: dv[j] = Σ_i P[i,j]·dy[i]: Pᵀ·dy.
func (*Attention) Backward() {
	if right {
		tensor.Mul(dv, p.T(), dy)
	} else {
		tensor.Mul(dv, tensor.From(p.Data, p.Cols, p.Rows).Matrix(), dy)
	}
}

// dv-not-transposed/loops: dv is computed in loops as P·dy, with P not transposed, over what both
// have
func (*Attention) Backward() {
	if right {
		tensor.Mul(dv, p.T(), dy)
	} else {
		for j := range dv.Rows {
			for column := range dv.Cols {
				sum := float32(0)
				for i := range dy.Rows {
					sum += p.At(j, i) * dy.At(i, column)
				}
				dv.Set(sum, j, column)
			}
		}
	}
}

// dk-not-transposed: dk is computed as dS·q, with dS not transposed
//
// Why: P and dS are (N, M), a row for every query. What belongs to a key is collected down a
// column: over all queries that looked at it.
//
// Hint: dk[j] = Σ_i dS[i,j]·q[i]/√K: dSᵀ·q.
func (*Attention) Backward() {
	if right {
		tensor.Mul(dk, ds.T(), q)
	} else {
		tensor.Mul(dk, tensor.From(ds.Data, ds.Cols, ds.Rows).Matrix(), q)
	}
}

// dk-not-transposed/loops: dk is computed in loops as dS·q, with dS not transposed, over what both
// have
func (*Attention) Backward() {
	if right {
		tensor.Mul(dk, ds.T(), q)
	} else {
		for j := range dk.Rows {
			for column := range dk.Cols {
				sum := float32(0)
				for i := range q.Rows {
					sum += ds.At(j, i) * q.At(i, column)
				}
				dk.Set(sum, j, column)
			}
		}
	}
}

// dq-transposed: dq is computed as dSᵀ·k, with dS transposed
//
// Why: P and dS are (N, M), a row for every query. What belongs to a key is collected down a
// column: over all queries that looked at it. What belongs to a query lies in its row.
//
// Hint: dq[i] = Σ_j dS[i,j]·k[j]/√K: dS·k.
func (*Attention) Backward() {
	if right {
		tensor.Mul(dq, ds, k)
	} else {
		tensor.Mul(dq, tensor.From(ds.Data, ds.Cols, ds.Rows).Matrix().T(), k)
	}
}

// dq-and-dk-exchanged: Backward returns dk where dq is expected, and the other way round
//
// Why: Both have the same shape when queries and keys are equally many, and the compiler cannot
// tell them apart.
//
// Hint: return dq, dk, dv.
func (*Attention) Backward() {
	if right {
		return a.dq, a.dk, a.dv
	} else {
		return a.dk, a.dq, a.dv
	}
}

// scores-have-no-gradient: dq and dk are 0: the weights are taken for constants
//
// Why: Then the model learns what to pass on, but never where to look.
//
// Hint: y depends on q and k through the weights: dP = dy·vᵀ, then back through the softmax.
func (*Attention) Backward() {
	if right {
		return a.dq, a.dk, a.dv
	} else {
		a.dq.Zero()
		a.dk.Zero()
		return a.dq, a.dk, a.dv
	}
}

// dv-without-weights: every key's dv is the plain sum of dy, without the weights
//
// Why: y = P·v: a value reaches an output with the factor P[i,j], and its gradient comes back with
// the same one.
//
// Hint: dv[j] = Σ_i P[i,j]·dy[i].
func (*Attention) Backward() {
	if right {
		tensor.Mul(dv, p.T(), dy)
	} else {
		ones := tensor.New(p.Rows, p.Cols)
		ones.Fill(1)
		tensor.Mul(dv, ones.Matrix().T(), dy)
	}
}

// gradients-not-cleared: dq, dk and dv are added to what their buffers still hold from the call
// before
//
// Why: Only the gradients of parameters collect over calls, because an optimiser reads them later.
//
// Hint: Overwrite dq, dk and dv; or set them to zero first.
func (*Attention) Backward() {
	if right {
		tensor.Mul(dv, p.T(), dy)
	} else {
		tensor.MulAdd(dv, p.T(), dy)
	}
	if right {
		tensor.Mul(dq, ds, k)
		tensor.Mul(dk, ds.T(), q)
	} else {
		tensor.MulAdd(dq, ds, k)
		tensor.MulAdd(dk, ds.T(), q)
	}
}

// gradients-not-cleared/dv: dv is added to what its buffer still holds from the call before
func (*Attention) Backward() {
	if right {
		tensor.Mul(dv, p.T(), dy)
	} else {
		tensor.MulAdd(dv, p.T(), dy)
	}
}

// dp-not-cleared: the gradient of the weights is added to what its buffer still holds from the
// call before
//
// Why: A buffer that is used again holds the last result. The first call is right and every later
// one is not.
//
// Hint: Overwrite it: accumulate is for the gradients of parameters.
func (*Attention) Backward() {
	if right {
		tensor.Mul(dp, dy, v.T())
	} else {
		tensor.MulAdd(dp, dy, v.T())
	}
}
