//go:build unlisted

package rope

// halves-not-pairs: number k is turned with number k + K/2
//
// Why: The pairs are (x[k], x[k+K/2]) as in Llama's code and not the neighbours (x[2k], x[2k+1]); Backward fits.
func rotate(y, x, cos, sin []float32) {
	half := len(cos)
	for k, c := range cos {
		a, b, s := x[k], x[half+k], sin[k]
		y[k] = a*c - b*s
		y[half+k] = a*s + b*c
	}
}

func rotateBack(dx, dy, cos, sin []float32) {
	half := len(cos)
	for k, c := range cos {
		a, b, s := dy[k], dy[half+k], sin[k]
		dx[k] = a*c + b*s
		dx[half+k] = b*c - a*s
	}
}

// other-direction: points are turned clockwise
//
// Why: Forward turns by the opposite angle, and Backward by the opposite of that: the signs of the sines are exchanged.
func (*RoPE) Forward() {
	if right {
		return r.turnRows("RoPE.Forward: x", dst, x, positions, rotate)
	} else {
		return r.turnRows("RoPE.Forward: x", dst, x, positions, rotateBack)
	}
}

func (*RoPE) Backward() {
	if right {
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotateBack)
	} else {
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotate)
	}
}

// backward-turns-forward: Backward turns in the same direction as Forward
//
// Why: dx is dy turned by the angle itself and not back.
func (*RoPE) Backward() {
	if right {
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotateBack)
	} else {
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotate)
	}
}

// exponent-without-two: the k-th angle is p·Θ^(−k/K)
//
// Why: The factor 2 in the exponent is missing: the points after the first turn too fast.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, -float64(k)/float64(dK))
	}
}

// frequencies-from-one: k is counted from 1
//
// Why: The first point turns by p·Θ^(−2/K) and not by p: every frequency is that of the next point.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, -float64(2*(k+1))/float64(dK))
	}
}

// positions-from-one: the tables begin with position 1
//
// Why: Position 0 is turned by the angle of position 1, and so on: every row of the tables is one too far.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p+1) * math.Pow(theta, -float64(2*k)/float64(dK))
	}
}

// theta-fixed: Θ is always 10,000
//
// Why: New ignores theta.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(10000, -float64(2*k)/float64(dK))
	}
}

// angle-in-float32: the angle is computed in float32
//
// Why: At large positions the tables are off by far more than a rounding, because the angle was rounded before its cosine was taken.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(float32(p) * float32(math.Pow(theta, -float64(2*k)/float64(dK))))
	}
}

// place-instead-of-position: the angle is that of the token's place in the sequence
//
// Why: positions are ignored: gaps, repetitions and a later start make no difference.
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		_ = b
		p := t
	}
}

// first-sequence-for-all: all sequences use the first row of positions
//
// Why: Positions that differ from sequence to sequence are ignored but for the first row.
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		_ = b
		p := positions[0][t]
	}
}

// heads-after-time: x is read as (B, T, H, K)
//
// Why: With several heads the token of a row is taken to be row/H and not row modulo T, so that tokens get each other's angles.
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		t = row % rowsPerBatch * seq / rowsPerBatch
		p := positions[b][t]
	}
}

// matrix-index-for-batch: the batch element of a row is its matrix
//
// Why: With several heads the number of the matrix (b·H + h) is taken for the batch element: positions (B, T) of another sequence are used, or none is found.
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		_ = b
		p := positions[row/seq%len(positions)][t]
	}
}
