//go:build mistake

package softmax

// diagonal-only: only the diagonal of softmax's derivative is used: dx = dy·y·(1 − y)
//
// Why: ∂y_j/∂x_i = y_j·(δ_ij − y_i): all of a row depends on all of it, through the sum in the
// denominator.
//
// Hint: dx = y ⊙ (dy − Σ dy⊙y), the sum over the row.
func backwardRow() {
	if right {
		dx[i] = p * (dy[i] - dot)
	} else {
		dx[i] = dy[i] * p * (1 - p)
		_ = dot
	}
}

// sum-missing: softmax's derivative is taken to be y alone: dx = dy·y
//
// Why: ∂y_j/∂x_i = y_j·(δ_ij − y_i): all of a row depends on all of it, through the sum in the
// denominator.
//
// Hint: dx = y ⊙ (dy − Σ dy⊙y), the sum over the row.
func backwardRow() {
	if right {
		dx[i] = p * (dy[i] - dot)
	} else {
		dx[i] = p * dy[i]
		_ = dot
	}
}

// diagonal-missing: the diagonal of softmax's derivative is left out: dx = −y·Σ dy·y
//
// Why: ∂y_j/∂x_i = y_j·(δ_ij − y_i): all of a row depends on all of it, through the sum in the
// denominator.
//
// Hint: dx = y ⊙ (dy − Σ dy⊙y), the sum over the row.
func backwardRow() {
	if right {
		dx[i] = p * (dy[i] - dot)
	} else {
		dx[i] = -p * dot
	}
}

// sum-of-dy: the sum in softmax's derivative is that of dy, without y
//
// Why: ∂y_j/∂x_i = y_j·(δ_ij − y_i): all of a row depends on all of it, through the sum in the
// denominator.
//
// Hint: Multiply dy by y before you sum: dx = y ⊙ (dy − Σ dy⊙y), the sum over the row.
func backwardRow() {
	if right {
		dot := kernel.Dot(dy, y)
	} else {
		dot := kernel.Sum(dy)
	}
}

// mean-for-sum: the sum in softmax's derivative is divided by the length of the row
//
// Why: The y of a row sum to 1, so Σ dy·y is a mean already, weighted by y.
//
// Hint: dx = y ⊙ (dy − Σ dy⊙y), the sum over the row.
func backwardRow() {
	if right {
		dot := kernel.Dot(dy, y)
	} else {
		dot := kernel.Dot(dy, y) / float32(len(y))
	}
}

// y-missing: the factor y in front of softmax's derivative is missing: dx = dy − Σ dy·y
//
// Why: ∂y_j/∂x_i = y_j·(δ_ij − y_i): all of a row depends on all of it, through the sum in the
// denominator.
//
// Hint: dx = y ⊙ (dy − Σ dy⊙y), the sum over the row.
func backwardRow() {
	if right {
		dx[i] = p * (dy[i] - dot)
	} else {
		dx[i] = dy[i] - dot
		_ = p
	}
}

// backward-sign: softmax's derivative has the opposite sign
//
// Why: A larger score makes its own probability larger.
//
// Hint: dx = y ⊙ (dy − Σ dy⊙y), the sum over the row.
func backwardRow() {
	if right {
		dx[i] = p * (dy[i] - dot)
	} else {
		dx[i] = p * (dot - dy[i])
	}
}

// sum-added: the sum in softmax's derivative is added instead of subtracted
//
// Why: A larger score makes the other probabilities smaller, hence the minus.
//
// Hint: dx = y ⊙ (dy − Σ dy⊙y), the sum over the row.
func backwardRow() {
	if right {
		dx[i] = p * (dy[i] - dot)
	} else {
		dx[i] = p * (dy[i] + dot)
	}
}

// softmax-again: Backward applies softmax once more to y, which is a softmax already
//
// Why: Backward is given the output of the forward pass, so that it need not compute it again.
//
// Hint: Use y as it comes: dx = y ⊙ (dy − Σ dy⊙y), the sum over the row.
func backwardRow() {
	if right {
		dot := kernel.Dot(dy, y)
	} else {
		y = append([]float32(nil), y...)
		softmaxRow(y, y)
		dot := kernel.Dot(dy, y)
	}
}

// one-dot-for-all: the sum in softmax's derivative runs over the whole tensor instead of one row
//
// Why: Rows know nothing of each other, forward or backward.
//
// Hint: Begin a new sum for every row along the axis.
func Backward() {
	if right {
		if inner == 1 {
			for at := 0; at < len(y.Data); at += n {
				backwardRow(dst.Data[at:at+n], y.Data[at:at+n], dy.Data[at:at+n])
			}
			return dst
		}
	} else {
		all := kernel.Dot(dy.Data, y.Data)
		if inner == 1 {
			for at := 0; at < len(y.Data); at += n {
				backwardRow(dst.Data[at:at+n], y.Data[at:at+n], dy.Data[at:at+n], all)
			}
			return dst
		}
	}
	if right {
		backwardRow(dxRow, yRow, dxRow)
	} else {
		backwardRow(dxRow, yRow, dxRow, all)
	}
}

func backwardRow(dx, y, dy []float32, all float32) {
	dot := all
	for i, p := range y {
		dx[i] = p * (dy[i] - dot)
	}
}

// backward-axis-ignored: softmax's derivative always runs along the last axis
//
// Why: Backward sums along the axis along which the forward pass did.
//
// Hint: Walk along the rows as in Softmax.
func Backward() {
	if right {
		outer, n, inner := split(y.Shape, axisOf("softmax.Backward", y, axis))
	} else {
		outer, n, inner := split(y.Shape, axisOf("softmax.Backward", y, -1))
	}
}
