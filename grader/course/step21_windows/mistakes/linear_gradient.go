//go:build mistake

package windows

// denominator-constant: the denominator is treated as a constant
//
// Why: It depends on q and on all keys so far: dden = −(dy·y)/(den + ε).
//
// Hint: Take the derivative of the denominator too: that of a quotient has two terms.
func (*Linear) Backward() {
	if right {
		g[c] = -kernel.Dot(dy.Row(t), l.y.Row(t)) / den
	} else {
		g[c] = 0
	}
}

// denominator-sign: the gradient of the denominator has the wrong sign
//
// Why: A larger denominator makes y smaller.
//
// Hint: −(dy·y)/(den + ε).
func (*Linear) Backward() {
	if right {
		g[c] = -kernel.Dot(dy.Row(t), l.y.Row(t)) / den
	} else {
		g[c] = kernel.Dot(dy.Row(t), l.y.Row(t)) / den
	}
}

// gradient-not-divided: dnum is dy, not divided by the denominator
//
// Why: y = num/(den + ε).
//
// Hint: dnum = dy/(den + ε).
func (*Linear) Backward() {
	if right {
		kernel.ScaleTo(g[:c], 1/den, dy.Row(t))
	} else {
		copy(g[:c], dy.Row(t))
	}
}

// gradient-not-causal: dA is not zero above the diagonal
//
// Why: Where A was set to zero nothing flows back.
//
// Hint: dA is 0 where A is.
func (*Linear) Backward() {
	if right {
		upperZero(dw)
	} else {
	}
}

// dq-without-past: dq lacks what comes by way of S
//
// Why: φ(q) meets S of the chunks before, and A inside its own.
//
// Hint: da = g·S₁ᵀ + dA·b.
func (*Linear) Backward() {
	if right {
		tensor.Mul(o.of(l.dq), g, s1.T())
		tensor.MulAdd(o.of(l.dq), dw, b)
	} else {
		_ = s1
		tensor.Mul(o.of(l.dq), dw, b)
	}
}

// dk-without-future: dk lacks what later chunks send back
//
// Why: A key is in S for all chunks behind its own.
//
// Hint: db = dAᵀ·a + v₁·Rᵀ.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(o.of(l.dk), v1, r.T())
	} else {
		_ = v1
	}
}

// dv-without-future: dv lacks what later chunks send back
//
// Why: A value is in S for all chunks behind its own.
//
// Hint: dv₁ = Aᵀ·g + b·R.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dv1, b, r)
	} else {
	}
}

// chunk-sends-to-itself: a chunk's own share is in R before its keys read it
//
// Why: R is what the chunks behind send back. What the chunk's own queries send to its keys comes by way of dA.
//
// Hint: First use R, then add φ(q)ᵀ·g to it.
func (*Linear) Backward() {
	if right {
		tensor.Mul(dw, g, v1.T())
	} else {
		tensor.Mul(dw, g, v1.T())
		tensor.MulAdd(r, a.T(), g)
	}
	if right {
		tensor.Copy(o.of(l.dv), dv1.Block(0, 0, o.n, c))
		tensor.MulAdd(r, a.T(), g)
	} else {
		tensor.Copy(o.of(l.dv), dv1.Block(0, 0, o.n, c))
	}
}

// r-never-reset: R goes on from one leading index to the one before
//
// Why: Nobody reads what the last chunk of a text would add to S.
//
// Hint: R = 0 at the end of every text.
func (*Linear) Backward() {
	if right {
		if o.last {
			l.dstate.Zero()
		}
	} else {
		if o.last && at == l.states.Matrices()-1 {
			l.dstate.Zero()
		}
	}
}

// r-of-the-next: R holds the chunk behind alone
//
// Why: S goes on through all chunks, and so does its gradient.
//
// Hint: R += φ(q)ᵀ·g.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(r, a.T(), g)
	} else {
		tensor.Mul(r, a.T(), g)
	}
}

// chunks-forward: Backward goes through the chunks from the first to the last
//
// Why: What a key gets back comes from the chunks behind it: the sum runs the other way.
//
// Hint: From the last chunk to the first.
func (*Linear) eachBack() {
	if right {
		for at := l.states.Matrices() - 1; at >= 0; at-- {
			do(at, l.piece(at))
		}
	} else {
		l.dstate.Zero()
		for at := range l.states.Matrices() {
			do(at, l.piece(at))
		}
	}
}

// slope-missing-q: dq lacks the derivative of φ
//
// Why: a = φ(q), so dq = da ⊙ φ'(q).
//
// Hint: PhiBackward for q and for k.
func (*Linear) Backward() {
	if right {
		PhiBackward(l.dq.Data, l.q.Data, l.dq.Data)
	} else {
	}
}

// slope-missing-k: dk lacks the derivative of φ
//
// Why: b = φ(k), so dk = db ⊙ φ'(k).
//
// Hint: PhiBackward for q and for k.
func (*Linear) Backward() {
	if right {
		PhiBackward(l.dk.Data, l.k.Data, l.dk.Data)
	} else {
	}
}

// chunk-read-again: Backward reads Chunk again
//
// Why: It is read by Forward, whose states are those before its chunks.
//
// Hint: Keep what Forward has read.
func (*Linear) piece() {
	if right {
		n, chunk, chunks := l.q.Dim(-2), l.w.Dim(0), l.states.Dim(1)
	} else {
		n, chunks := l.q.Dim(-2), l.states.Dim(1)
		chunk := min(l.w.Dim(0), chunkOf(l.Chunk, n))
	}
}
