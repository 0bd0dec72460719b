//go:build mistake

package linear

// dx-weight-transposed: dx is computed with the weight the wrong way round
//
// Why: The forward pass multiplies by Wᵀ, its derivative by W: each transpose is undone on the way
// back.
//
// Hint: dx[n,j] = Σ_i dy[n,i]·W[i,j]. The sum runs over the outputs, down a column of W.
func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	} else {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Reshape(W.Dim(1), -1).Matrix().T())
	}
}

// dx-weight-transposed/not-transposed: dx is computed as dy·Wᵀ instead of dy·W
func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	} else {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix().T())
	}
}

// dx-not-cleared: dx is added to what its buffer still holds from the call before
//
// Why: dx is this layer's answer to this dy. Only the gradients of parameters collect over calls,
// because an optimiser reads them later.
//
// Hint: Overwrite dx; add to Weight.Grad.
func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	} else {
		tensor.MulAdd(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	}
}

// dx-averaged: dx is divided by the number of rows
//
// Why: A mean over the batch belongs to the loss. It is in dy already when it arrives here.
//
// Hint: Nothing is divided in this layer: dx = dy·W.
func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	} else {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
		for i := range l.dx.Data {
			l.dx.Data[i] /= float32(dy.Rows())
		}
	}
}
