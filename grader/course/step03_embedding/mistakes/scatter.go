//go:build mistake

package embedding

// last-gradient-wins: the gradient is assigned (=) where it should be added (+=), so that of a
// repeated id only the last occurrence counts
//
// Why: A row that was read three times has three outputs that depend on it, and its gradient is
// the sum of theirs.
//
// Hint: grad[j] += d, for every occurrence of the id.
func (*Embedding) Backward() {
	if right {
		grad[j] += d
	} else {
		grad[j] = d
	}
}

// last-gradient-wins/then-added: of a repeated id only the last occurrence counts, which is then
// added to the gradient so far
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		dw := tensor.New(e.Weight.Grad.Shape...)
		defer func() {
			for i, g := range dw.Data {
				e.Weight.Grad.Data[i] += g
			}
		}()
		for n, id := range e.ids {
			grad := dw.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] = d
			}
		}
	}
}

// first-gradient-wins: of a repeated id only the first occurrence counts
//
// Why: An id that occurs again is not a duplicate to be dropped: it had a part in another output.
//
// Hint: Walk over all B·T ids and add each one's row of dy.
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		seen := map[int]bool{}
		for n, id := range e.ids {
			if seen[id] {
				continue
			}
			seen[id] = true
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	}
}

// dw-overwritten: the gradient so far is cleared before the new one is added
//
// Why: Gradients collect over calls until the optimiser clears them. A table may also be used
// twice in one model.
//
// Hint: Do not clear Weight.Grad in Backward.
func (*Embedding) Backward() {
	if right {
		tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
	} else {
		tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
		e.Weight.Grad.Zero()
	}
}

// dw-overwritten/used-rows-only: the gradient so far is cleared in the rows of the ids that occur,
// before the new one is added
func (*Embedding) Backward() {
	if right {
		tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
	} else {
		tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
		for _, id := range e.ids {
			clear(e.Weight.Grad.Row(id))
		}
	}
}

// averaged-over-repeats: the gradient of a repeated id is averaged over its occurrences instead of
// summed
//
// Why: The chain rule adds. A token that is frequent in a batch has a larger gradient, and that is
// as it should be.
//
// Hint: dW[v] = Σ dy[b,t] over all places with ids[b][t] = v, without a division.
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		count := map[int]float32{}
		for _, id := range e.ids {
			count[id]++
		}
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d / count[id]
			}
		}
	}
}

// averaged-over-batch: the gradient is divided by the size of the batch
//
// Why: The loss is what averages. The division is in dy already.
//
// Hint: Add dy's rows as they are.
func (*Embedding) Backward() {
	if right {
		grad[j] += d
	} else {
		grad[j] += d / float32(len(e.ids))
	}
}

// averaged-over-batch/over-sequences: the gradient is divided by the number of sequences
func (*Embedding) Backward() {
	if right {
		grad[j] += d
	} else {
		grad[j] += d / float32(e.batch)
	}
}

// gradient-subtracted: the gradient is subtracted instead of added
//
// Why: The minus sign of gradient descent belongs to the optimiser. Backward computes the
// derivative as it is.
//
// Hint: grad[j] += d.
func (*Embedding) Backward() {
	if right {
		grad[j] += d
	} else {
		grad[j] -= d
	}
}

// last-sequence-only: only the last sequence of the batch reaches the gradient
//
// Why: A list of ids that is assigned in the loop over sequences, not appended to, remembers one
// sequence.
//
// Hint: Keep all B·T ids of Forward, and walk over all of them.
func (*Embedding) Backward() {
	if right {
		grad := e.Weight.Grad.Row(id)
	} else {
		if n < len(e.ids)-e.time {
			continue
		}
		grad := e.Weight.Grad.Row(id)
	}
}

// last-token-only: only the last token of each sequence reaches the gradient
//
// Why: Every position predicts its next token, so every position has a gradient, not only the end.
//
// Hint: The loop runs over all T positions of all B sequences.
func (*Embedding) Backward() {
	if right {
		grad := e.Weight.Grad.Row(id)
	} else {
		if n%e.time != e.time-1 {
			continue
		}
		grad := e.Weight.Grad.Row(id)
	}
}

// gradient-to-position: the gradient goes to row t of the table instead of row ids[b][t]
//
// Why: The row to be changed is the one that was read, wherever in the sequence that was.
//
// Hint: Use the id, not the loop's index: Weight.Grad.Row(ids[b][t]).
func (*Embedding) Backward() {
	if right {
		grad := e.Weight.Grad.Row(id)
	} else {
		id = n % e.time
		grad := e.Weight.Grad.Row(id)
	}
}

// gradient-row-before: the gradient goes to the row before the token's own
//
// Why: Forward and Backward must mean the same row by the same id.
//
// Hint: Weight.Grad.Row(id), as in the forward pass.
func (*Embedding) Backward() {
	if right {
		grad := e.Weight.Grad.Row(id)
	} else {
		grad := e.Weight.Grad.Row(id - 1)
	}
}

// one-dy-for-all: the first sequence's dy is used for every sequence
//
// Why: dy has a row for every position of every sequence: row b·T + t.
//
// Hint: The row of dy that belongs to ids[b][t] is b·T + t.
func (*Embedding) Backward() {
	if right {
		for j, d := range dy.Row(n) {
			grad[j] += d
		}
	} else {
		for j, d := range dy.Row(n % e.time) {
			grad[j] += d
		}
	}
}
