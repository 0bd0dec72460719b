//go:build mistake

package lm

// layers-not-reversed: the way back goes through the layers from the first to the last
//
// Why: What was computed last is undone first.
//
// Hint: logits ← Head ← Norm ← blocks, from the last to the first ← Embedding.
func (*LM) Backward() {
	if right {
		for l := len(m.Blocks) - 1; l >= 0; l-- {
			dx = m.Blocks[l].Backward(dx)
		}
	} else {
		for _, b := range m.Blocks {
			dx = b.Backward(dx)
		}
	}
}

// final-norm-not-undone: the way back leaves out the last norm
//
// Why: Each step of the forward pass has its counterpart on the way back.
//
// Hint: logits ← Head ← Norm ← blocks, from the last to the first ← Embedding.
func (*LM) Backward() {
	if right {
		dx := m.Norm.Backward(m.Head.Backward(dlogits))
	} else {
		dx := m.Head.Backward(dlogits)
	}
}

// embedding-not-trained: the embedding gets no gradient
//
// Why: The tokens' vectors are parameters like all others.
//
// Hint: logits ← Head ← Norm ← blocks, from the last to the first ← Embedding.
func (*LM) Backward() {
	if right {
		m.Embedding.Backward(dx)
	} else {
		_ = dx
	}
}

// gradients-cleared: Backward clears the gradients before it adds the new ones
//
// Why: Gradients collect over calls until the optimiser clears them: a large batch may be done in
// parts.
//
// Hint: logits ← Head ← Norm ← blocks, from the last to the first ← Embedding.
func (*LM) Backward() {
	if right {
		dx := m.Norm.Backward(m.Head.Backward(dlogits))
	} else {
		for _, p := range m.Params() {
			p.ZeroGrad()
		}
		dx := m.Norm.Backward(m.Head.Backward(dlogits))
	}
}

// gradient-averaged-again: Backward divides by the number of tokens once more
//
// Why: The loss is the mean over all tokens. The division is in dlogits already.
//
// Hint: logits ← Head ← Norm ← blocks, from the last to the first ← Embedding.
func (*LM) Backward() {
	if right {
		dx := m.Norm.Backward(m.Head.Backward(dlogits))
	} else {
		for i := range dlogits.Data {
			dlogits.Data[i] /= float32(dlogits.Rows())
		}
		dx := m.Norm.Backward(m.Head.Backward(dlogits))
	}
}
