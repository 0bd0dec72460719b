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
		tensor.MatMul(l.dx, dy, l.Weight.Value, tensor.Overwrite)
	} else {
		tensor.MatMulNT(l.dx, dy, l.Weight.Value.Reshape(l.Weight.Value.Dim(1), -1), tensor.Overwrite)
	}
}

// dx-weight-transposed/not-transposed
func (*Linear) Backward() {
	if right {
		tensor.MatMul(l.dx, dy, l.Weight.Value, tensor.Overwrite)
	} else {
		tensor.MatMulNT(l.dx, dy, l.Weight.Value, tensor.Overwrite)
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
		tensor.MatMul(l.dx, dy, l.Weight.Value, tensor.Overwrite)
	} else {
		tensor.MatMul(l.dx, dy, l.Weight.Value, tensor.Accumulate)
	}
}

// dx-averaged: dx is divided by the number of rows
//
// Why: A mean over the batch belongs to the loss. It is in dy already when it arrives here.
//
// Hint: Nothing is divided in this layer: dx = dy·W.
func (*Linear) Backward() {
	if right {
		tensor.MatMul(l.dx, dy, l.Weight.Value, tensor.Overwrite)
	} else {
		tensor.MatMul(l.dx, dy, l.Weight.Value, tensor.Overwrite)
		for i := range l.dx.Data {
			l.dx.Data[i] /= float32(dy.Rows())
		}
	}
}
