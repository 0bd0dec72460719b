//go:build mistake

package linear

// dw-averaged: the weight's gradient is averaged over the batch instead of summed
//
// Why: The loss is what averages, once, at the end of the model. A layer that divides again makes
// its gradient too small by the size of the batch.
//
// Hint: dW[i,j] = Σ_n dy[n,i]·x[n,j], a sum without a division.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		sum := tensor.New(dW.Shape...)
		tensor.Mul(sum.Matrix(), dy.Matrix().T(), l.x.Matrix())
		for i, g := range sum.Data {
			dW.Data[i] += g / float32(dy.Rows())
		}
	}
}

// dw-averaged/over-first-dimension-of-dy: the weight's gradient is divided by dy's first dimension
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		sum := tensor.New(dW.Shape...)
		tensor.Mul(sum.Matrix(), dy.Matrix().T(), l.x.Matrix())
		for i, g := range sum.Data {
			dW.Data[i] += g / float32(dy.Dim(0))
		}
	}
}

// dw-averaged/over-first-dimension-of-x: the weight's gradient is divided by x's first dimension
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		sum := tensor.New(dW.Shape...)
		tensor.Mul(sum.Matrix(), dy.Matrix().T(), l.x.Matrix())
		for i, g := range sum.Data {
			dW.Data[i] += g / float32(l.x.Dim(0))
		}
	}
}

// dw-averaged/over-first-dimension-but-the-last: the weight's gradient is divided by the first
// dimension, unless it is the only one
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		sum := tensor.New(dW.Shape...)
		tensor.Mul(sum.Matrix(), dy.Matrix().T(), l.x.Matrix())
		batch := 1
		if len(dy.Shape) > 1 {
			batch = dy.Dim(0)
		}
		for i, g := range sum.Data {
			dW.Data[i] += g / float32(batch)
		}
	}
}

// dw-last-row-only: only the last row of the batch reaches the weight's gradient
//
// Why: Every row of the batch went through the same weight, so every row has a share in its
// gradient.
//
// Hint: Sum over all rows n: dW[i,j] += dy[n,i]·x[n,j]. The += belongs inside the loop over rows.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		last := dy.Rows() - 1
		dyn, xn := dy.Matrix().Block(last, 0, 1, W.Dim(0)), l.x.Matrix().Block(last, 0, 1, W.Dim(1))
		tensor.MulAdd(dW.Matrix(), dyn.T(), xn)
	}
}

// dw-last-row-only/last-entry: only the last entry of the first dimension reaches the weight's
// gradient
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		for n := dy.Rows() - dy.Rows()/dy.Dim(0); n < dy.Rows(); n++ {
			for i, d := range dy.Row(n) {
				for j, v := range l.x.Row(n) {
					dW.Row(i)[j] += d * v
				}
			}
		}
	}
}

// dw-assigned-per-row: the weight's gradient is assigned (=) in the loop over rows, so that only
// the last row's is left
//
// Why: Each pass of the loop throws away what the one before it found, and what was there before
// the call.
//
// Hint: Use += where the gradient is written, and do not clear Grad in Backward.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		for n := range dy.Rows() {
			for i, d := range dy.Row(n) {
				for j, v := range l.x.Row(n) {
					dW.Row(i)[j] = d * v
				}
			}
		}
	}
}

// dw-first-dimension-only: only the first x.Dim(0) rows reach the weight's gradient
//
// Why: All leading dimensions together make the rows; the first one alone counts the sequences,
// not the positions in them.
//
// Hint: The loop runs over x.Rows() rows.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		for n := range dy.Dim(0) {
			for i, d := range dy.Row(n) {
				for j, v := range l.x.Row(n) {
					dW.Row(i)[j] += d * v
				}
			}
		}
	}
}

// dw-overwritten: the weight's gradient is overwritten instead of added to
//
// Why: A weight that is used twice, or a batch that is done in parts, has a gradient that is the
// sum of all contributions.
//
// Hint: Weight.Grad += dyᵀ·x: tensor.MulAdd, not tensor.Mul.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		tensor.Mul(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	}
}

// dw-transposed: the weight's gradient is written as (in, out) instead of (out, in)
//
// Why: A gradient has the shape of what it belongs to: xᵀ·dy is the transpose of dyᵀ·x.
//
// Hint: dW = dyᵀ·x: the first index is the output's, from dy, the second the input's, from x.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		tensor.MulAdd(dW.Reshape(W.Dim(1), -1).Matrix(), l.x.Matrix().T(), dy.Matrix())
	}
}

// dw-before-counted-twice: the gradient so far is added once more
//
// Why: Accumulating into a copy of Grad and then adding the copy to Grad counts what was there
// twice.
//
// Hint: Add the new gradient to Grad in one place only: either the product accumulates, or you add
// its result.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		sum := dW.Clone()
		tensor.MulAdd(sum.Matrix(), dy.Matrix().T(), l.x.Matrix())
		for i, g := range sum.Data {
			dW.Data[i] += g
		}
	}
}

// dw-lost: the weight's gradient is computed and never written to Weight.Grad
//
// Why: The optimiser reads Weight.Grad. A gradient that stays in a local variable trains nothing.
//
// Hint: Give the product Weight.Grad as its destination.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		sum := tensor.New(dW.Shape...)
		tensor.Mul(sum.Matrix(), dy.Matrix().T(), l.x.Matrix())
	}
}

// dw-subtracted: the new gradient is subtracted instead of added
//
// Why: The minus sign of gradient descent belongs to the optimiser. Backward computes the
// derivative as it is.
//
// Hint: Weight.Grad += dyᵀ·x.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		sum := tensor.New(dW.Shape...)
		tensor.Mul(sum.Matrix(), dy.Matrix().T(), l.x.Matrix())
		for i, g := range sum.Data {
			dW.Data[i] -= g
		}
	}
}
