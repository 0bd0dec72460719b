//go:build mistake

package attention

// softmax-not-undone: the way back leaves the softmax out: the gradient of the weights is taken
// for that of the scores
//
// Why: Every score changes all weights of its row, because they sum to 1: more for one key is less
// for the others.
//
// Hint: dS = P ⊙ (dP − Σ dP⊙P), row by row: softmax.Backward along axis −1.
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
	}
}

// softmax-not-undone/masked: the way back leaves the softmax out and only hides what the mask
// hides
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
		for i, p := range a.weights.Data {
			if p == 0 {
				a.dScores.Data[i] = 0
			}
		}
	}
}

// softmax-sum-missing: the softmax's derivative is P ⊙ dP alone: the sum over the row is missing
//
// Why: Every score changes all weights of its row, because they sum to 1: more for one key is less
// for the others.
//
// Hint: dS = P ⊙ (dP − Σ dP⊙P), row by row: softmax.Backward along axis −1.
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
		for i, p := range a.weights.Data {
			a.dScores.Data[i] *= p
		}
	}
}

// softmax-diagonal-only: the softmax's derivative is P·(1 − P): only the diagonal of its Jacobian
//
// Why: Every score changes all weights of its row, because they sum to 1: more for one key is less
// for the others.
//
// Hint: dS = P ⊙ (dP − Σ dP⊙P), row by row: softmax.Backward along axis −1.
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
		for i, p := range a.weights.Data {
			a.dScores.Data[i] *= p * (1 - p)
		}
	}
}

// softmax-backward-over-queries: the softmax's derivative sums over the queries instead of the
// keys
//
// Why: Every score changes all weights of its row, because they sum to 1: more for one key is less
// for the others.
//
// Hint: dS = P ⊙ (dP − Σ dP⊙P), row by row: softmax.Backward along axis −1.
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -2)
	}
}

// causal-forward-only: the backward pass computes the weights again and forgets the mask:
// gradients reach the future
//
// Why: The forward pass is causal, so nothing looks wrong. But a gradient that flows from the past
// to the future trains a model that does not exist.
//
// Hint: Keep the weights of Forward. Where they are 0, dS is 0.
func (*Attention) Backward() {
	if right {
		a.dv = tensor.Reuse(a.dv, a.v.Shape...)
	} else {
		a.dv = tensor.Reuse(a.dv, a.v.Shape...)
		for i := range dy.Matrices() {
			tensor.Mul(a.weights.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i).T())
		}
		kernel.Scale(scale(a.q.Dim(-1)), a.weights.Data)
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	}
}

// weights-overwritten: Backward writes the gradient of the scores into the memory of the weights
//
// Why: The gradients are right, but whoever looks at the weights after a training step sees a
// gradient in their place.
//
// Hint: Weights is valid until the next Forward: give dS a buffer of its own.
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		dScores := softmax.Backward(a.weights, a.weights, a.dScores, -1)
		kernel.Scale(scale(a.q.Dim(-1)), dScores.Data)
	}
	if right {
		ds, q, k := a.dScores.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
	} else {
		ds, q, k := dScores.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
	}
}

// no-forward-unchecked: Backward does not look whether a Forward came before
//
// Why: A nil pointer is all that the layer then says. An error that names the layer and what it
// lacks is found in a minute.
//
// Hint: Begin Backward with tensor.CheckShape of what Forward kept.
func (*Attention) Backward() {
	if right {
		tensor.CheckShape("Attention.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	} else {
	}
}
