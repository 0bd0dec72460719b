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
		kernel.Scale(scale(width), a.dScores.Data)
	} else {
	}
}

// backward-without-scale/dq
//
// With: backward-without-scale
func (*Attention) Backward() {
	if right {
		return a.dq, a.dk, a.dv
	} else {
		kernel.Scale(scale(width), a.dk.Data)
		return a.dq, a.dk, a.dv
	}
}

// backward-without-scale/dk
//
// With: backward-without-scale
func (*Attention) Backward() {
	if right {
		return a.dq, a.dk, a.dv
	} else {
		kernel.Scale(scale(width), a.dq.Data)
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
		kernel.Scale(scale(width), a.dq.Data)
		kernel.Scale(scale(width), a.dk.Data)
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
		tensor.Product(true, false, m, c, n, p, m, dyi, c, matrix(a.dv, i), c, false)
	} else {
		tensor.Product(false, false, m, c, n, p, n, dyi, c, matrix(a.dv, i), c, false)
	}
}

// dv-not-transposed/loops
func (*Attention) Backward() {
	if right {
		tensor.Product(true, false, m, c, n, p, m, dyi, c, matrix(a.dv, i), c, false)
	} else {
		for j := range m {
			row := matrix(a.dv, i)[j*c : (j+1)*c]
			clear(row)
			for l := range n {
				kernel.Axpy(p[j*m+l], dyi[l*c:(l+1)*c], row)
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
		tensor.Product(true, false, m, width, n, ds, m, qi, width, matrix(a.dk, i), width, false)
	} else {
		tensor.Product(false, false, m, width, n, ds, n, qi, width, matrix(a.dk, i), width, false)
	}
}

// dk-not-transposed/loops
func (*Attention) Backward() {
	if right {
		tensor.Product(true, false, m, width, n, ds, m, qi, width, matrix(a.dk, i), width, false)
	} else {
		for j := range m {
			row := matrix(a.dk, i)[j*width : (j+1)*width]
			clear(row)
			for l := range n {
				kernel.Axpy(ds[j*m+l], qi[l*width:(l+1)*width], row)
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
		tensor.Product(false, false, n, width, m, ds, m, ki, width, matrix(a.dq, i), width, false)
	} else {
		tensor.Product(true, false, n, width, m, ds, n, ki, width, matrix(a.dq, i), width, false)
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
		tensor.Product(true, false, m, c, n, p, m, dyi, c, matrix(a.dv, i), c, false)
	} else {
		clear(matrix(a.dv, i))
		for j := range m {
			for l := range n {
				kernel.Axpy(1, dyi[l*c:(l+1)*c], matrix(a.dv, i)[j*c:(j+1)*c])
			}
		}
		_ = p
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
		tensor.Product(true, false, m, c, n, p, m, dyi, c, matrix(a.dv, i), c, false)
	} else {
		tensor.Product(true, false, m, c, n, p, m, dyi, c, matrix(a.dv, i), c, true)
	}
	if right {
		tensor.Product(false, false, n, width, m, ds, m, ki, width, matrix(a.dq, i), width, false)
		tensor.Product(true, false, m, width, n, ds, m, qi, width, matrix(a.dk, i), width, false)
	} else {
		tensor.Product(false, false, n, width, m, ds, m, ki, width, matrix(a.dq, i), width, true)
		tensor.Product(true, false, m, width, n, ds, m, qi, width, matrix(a.dk, i), width, true)
	}
}

// gradients-not-cleared/dv
func (*Attention) Backward() {
	if right {
		tensor.Product(true, false, m, c, n, p, m, dyi, c, matrix(a.dv, i), c, false)
	} else {
		tensor.Product(true, false, m, c, n, p, m, dyi, c, matrix(a.dv, i), c, true)
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
		tensor.Product(false, true, n, m, c, dyi, c, vi, c, matrix(a.dScores, i), m, false)
	} else {
		tensor.Product(false, true, n, m, c, dyi, c, vi, c, matrix(a.dScores, i), m, true)
	}
}
