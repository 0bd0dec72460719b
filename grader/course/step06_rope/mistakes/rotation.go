//go:build mistake

package rope

// half-split: element k is paired with k + K/2 instead of 2k with 2k + 1
//
// Why: Both pairings are in use: RoFormer and Llama's own code take neighbours, the code of
// Hugging Face takes halves and permutes the weights to fit. Mixed, a trained model is ruined.
//
// Hint: Pair k is (x[2k], x[2k+1]).
func rotate() {
	if right {
		a, b, s := x[2*k], x[2*k+1], sin[k]
		y[2*k] = a*c - b*s
		y[2*k+1] = a*s + b*c
	} else {
		a, b, s := x[k], x[k+len(cos)], sin[k]
		y[k] = a*c - b*s
		y[k+len(cos)] = a*s + b*c
	}
}

func rotateBack() {
	if right {
		a, b, s := dy[2*k], dy[2*k+1], sin[k]
		dx[2*k] = a*c + b*s
		dx[2*k+1] = b*c - a*s
	} else {
		a, b, s := dy[k], dy[k+len(cos)], sin[k]
		dx[k] = a*c + b*s
		dx[k+len(cos)] = b*c - a*s
	}
}

// half-split/forward-only
func rotate() {
	if right {
		a, b, s := x[2*k], x[2*k+1], sin[k]
		y[2*k] = a*c - b*s
		y[2*k+1] = a*s + b*c
	} else {
		a, b, s := x[k], x[k+len(cos)], sin[k]
		y[k] = a*c - b*s
		y[k+len(cos)] = a*s + b*c
	}
}

// half-split/backward-only
func rotateBack() {
	if right {
		a, b, s := dy[2*k], dy[2*k+1], sin[k]
		dx[2*k] = a*c + b*s
		dx[2*k+1] = b*c - a*s
	} else {
		a, b, s := dy[k], dy[k+len(cos)], sin[k]
		dx[k] = a*c + b*s
		dx[k+len(cos)] = b*c - a*s
	}
}

// opposite-direction: the pairs are turned the other way: the sign of the sine is wrong
//
// Why: Turned the other way, scores still depend on distances only, but on −(m − n). Weights from
// elsewhere do not fit then.
//
// Hint: A rotation by φ takes (a, b) to (a·cos φ − b·sin φ, a·sin φ + b·cos φ).
func rotate() {
	if right {
		y[2*k] = a*c - b*s
		y[2*k+1] = a*s + b*c
	} else {
		y[2*k] = a*c + b*s
		y[2*k+1] = b*c - a*s
	}
}

func rotateBack() {
	if right {
		dx[2*k] = a*c + b*s
		dx[2*k+1] = b*c - a*s
	} else {
		dx[2*k] = a*c - b*s
		dx[2*k+1] = a*s + b*c
	}
}

// opposite-direction/forward-only
func rotate() {
	if right {
		y[2*k] = a*c - b*s
		y[2*k+1] = a*s + b*c
	} else {
		y[2*k] = a*c + b*s
		y[2*k+1] = b*c - a*s
	}
}

// minus-missing: the minus sign is missing: both lines add
//
// Why: Without the minus it is no rotation: lengths change, and scores no longer depend on the
// distance.
//
// Hint: A rotation by φ takes (a, b) to (a·cos φ − b·sin φ, a·sin φ + b·cos φ).
func rotate() {
	if right {
		y[2*k] = a*c - b*s
	} else {
		y[2*k] = a*c + b*s
	}
}

func rotateBack() {
	if right {
		dx[2*k+1] = b*c - a*s
	} else {
		dx[2*k+1] = a*s + b*c
	}
}

// minus-missing/forward-only
func rotate() {
	if right {
		y[2*k] = a*c - b*s
	} else {
		y[2*k] = a*c + b*s
	}
}

// minus-missing/backward-only
func rotateBack() {
	if right {
		dx[2*k+1] = b*c - a*s
	} else {
		dx[2*k+1] = a*s + b*c
	}
}

// minus-twice: there is a minus sign in both lines
//
// Why: With two minus signs it is no rotation: lengths change, and scores no longer depend on the
// distance.
//
// Hint: A rotation by φ takes (a, b) to (a·cos φ − b·sin φ, a·sin φ + b·cos φ).
func rotate() {
	if right {
		y[2*k+1] = a*s + b*c
	} else {
		y[2*k+1] = b*c - a*s
	}
}

func rotateBack() {
	if right {
		dx[2*k] = a*c + b*s
	} else {
		dx[2*k] = a*c - b*s
	}
}

// minus-twice/forward-only
func rotate() {
	if right {
		y[2*k+1] = a*s + b*c
	} else {
		y[2*k+1] = b*c - a*s
	}
}

// minus-twice/backward-only
func rotateBack() {
	if right {
		dx[2*k] = a*c + b*s
	} else {
		dx[2*k] = a*c - b*s
	}
}

// overwritten-early: the first of a pair is overwritten before the second is computed from it, if
// the result goes where the input stands
//
// Why: dst may be x. After the first line x[2k] is no longer what it was, and the second line
// needs the old one.
//
// Hint: Read both of the pair into variables before you write either.
func rotate() {
	if right {
		a, b, s := x[2*k], x[2*k+1], sin[k]
		y[2*k] = a*c - b*s
		y[2*k+1] = a*s + b*c
	} else {
		s := sin[k]
		y[2*k] = x[2*k]*c - x[2*k+1]*s
		y[2*k+1] = x[2*k]*s + x[2*k+1]*c
	}
}

func rotateBack() {
	if right {
		a, b, s := dy[2*k], dy[2*k+1], sin[k]
		dx[2*k] = a*c + b*s
		dx[2*k+1] = b*c - a*s
	} else {
		s := sin[k]
		dx[2*k] = dy[2*k]*c + dy[2*k+1]*s
		dx[2*k+1] = dy[2*k+1]*c - dy[2*k]*s
	}
}

// overwritten-early/forward-only
func rotate() {
	if right {
		a, b, s := x[2*k], x[2*k+1], sin[k]
		y[2*k] = a*c - b*s
		y[2*k+1] = a*s + b*c
	} else {
		s := sin[k]
		y[2*k] = x[2*k]*c - x[2*k+1]*s
		y[2*k+1] = x[2*k]*s + x[2*k+1]*c
	}
}

// overwritten-early/backward-only
func rotateBack() {
	if right {
		a, b, s := dy[2*k], dy[2*k+1], sin[k]
		dx[2*k] = a*c + b*s
		dx[2*k+1] = b*c - a*s
	} else {
		s := sin[k]
		dx[2*k] = dy[2*k]*c + dy[2*k+1]*s
		dx[2*k+1] = dy[2*k+1]*c - dy[2*k]*s
	}
}

// backward-rotates-forward: the backward pass turns the same way as the forward pass
//
// Why: A gradient goes back through the transposed matrix. The transpose of a rotation is the
// rotation by −φ.
//
// Hint: The loop of the forward pass with the sign of the sine changed.
func rotateBack() {
	if right {
		dx[2*k] = a*c + b*s
		dx[2*k+1] = b*c - a*s
	} else {
		dx[2*k] = a*c - b*s
		dx[2*k+1] = a*s + b*c
	}
}

// backward-unchanged: the backward pass returns dy as it is
//
// Why: A layer without parameters has a derivative all the same: its output depends on its input.
//
// Hint: Turn dy by −φ.
func rotateBack() {
	if right {
		a, b, s := dy[2*k], dy[2*k+1], sin[k]
		dx[2*k] = a*c + b*s
		dx[2*k+1] = b*c - a*s
	} else {
		dx[2*k], dx[2*k+1] = dy[2*k], dy[2*k+1]
		_, _ = c, sin
	}
}
