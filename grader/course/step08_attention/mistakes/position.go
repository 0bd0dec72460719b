//go:build mistake

package attention

// positions-ignored: the positions are ignored: tokens are numbered 0, 1, 2, …
//
// Why: Positions need not begin at 0 nor be without gaps: a text that is generated token by token,
// or packed with others, has its own.
//
// Hint: Hand the argument positions to RoPE.Forward.
func (*MultiHead) Forward() {
	if right {
		m.positions = positions
	} else {
		positions = [][]int{make([]int, x.Dim(1))}
		for t := range positions[0] {
			positions[0][t] = t
		}
		m.positions = positions
	}
}

// positions-ignored/forward-only
func (*MultiHead) Forward() {
	if right {
		m.positions = positions
	} else {
		m.positions = positions
		positions = [][]int{make([]int, x.Dim(1))}
		for t := range positions[0] {
			positions[0][t] = t
		}
	}
}

// first-positions-for-all: the first sequence's positions are used for the whole batch
//
// Why: positions has one row for all sequences, or one for each.
//
// Hint: RoPE.Forward takes both forms: pass all rows on.
func (*MultiHead) Forward() {
	if right {
		m.positions = positions
	} else {
		positions = positions[:1]
		m.positions = positions
	}
}

// first-positions-for-all/forward-only
func (*MultiHead) Forward() {
	if right {
		m.positions = positions
	} else {
		m.positions = positions
		positions = positions[:1]
	}
}

// rope-not-undone: the gradients of q and k are not turned back
//
// Why: What was turned on the way forward is turned back on the way back. Attention.Backward
// returns the gradients of the turned q and k.
//
// Hint: dq = RoPE.Backward(dq), dk = RoPE.Backward(dk), before they are joined.
func (*MultiHead) Backward() {
	if right {
		dq = m.rope.Backward(dq, dq, m.positions)
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
	}
}

// rope-not-undone/q: the gradient of q is not turned back
func (*MultiHead) Backward() {
	if right {
		dq = m.rope.Backward(dq, dq, m.positions)
	} else {
	}
}

// rope-not-undone/k: the gradient of k is not turned back
func (*MultiHead) Backward() {
	if right {
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
	}
}

// rope-turned-again: the gradients of q and k are turned forward once more instead of back
//
// Why: The derivative of a rotation is the rotation itself, and a gradient meets its transpose:
// the rotation by the opposite angle.
//
// Hint: RoPE.Backward, not RoPE.Forward.
func (*MultiHead) Backward() {
	if right {
		dq = m.rope.Backward(dq, dq, m.positions)
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
		dq = m.rope.Forward(dq, dq, m.positions)
		dk = m.rope.Forward(dk, dk, m.positions)
	}
}

// rope-undone-on-v: the gradient of v is turned back too, though v was never turned
//
// Why: Each line of the backward pass undoes one line of the forward pass, and there is none for
// v.
//
// Hint: Turn back dq and dk only.
func (*MultiHead) Backward() {
	if right {
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
		dk = m.rope.Backward(dk, dk, m.positions)
		dv = m.rope.Backward(dv, dv, m.positions)
	}
}
