//go:build mistake

package rope

// position-from-head: the position is taken from the head axis instead of the time axis
//
// Why: Then every token of a head is turned alike, and attention learns nothing about order. x is
// (B, …, T, K): time is the last axis but one, whatever stands between it and the batch.
//
// Hint: t is the row's index modulo T.
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		p := positions[b][row%rowsPerBatch/seq]
		_ = t
	}
}

// time-before-heads: x is read as (B, T, …, K), with the time axis before the heads
//
// Why: A split into heads gives (B, T, H, K) first and (B, H, T, K) after the transposition. x is
// (B, …, T, K): time is the last axis but one, whatever stands between it and the batch.
//
// Hint: t is the row's index modulo T, not its quotient by the number of heads.
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		p := positions[b][row%rowsPerBatch/(rowsPerBatch/seq)]
		_ = t
	}
}

// batch-from-head: the heads are counted as batch entries: a head gets the positions of another
// sequence
//
// Why: All heads of a sequence stand at the same positions. x is (B, …, T, K): time is the last
// axis but one, whatever stands between it and the batch.
//
// Hint: b is the row's index divided by the number of rows of one batch entry, heads included.
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		p := positions[row/seq%len(positions)][t]
		_ = b
	}
}

// empty-batch: an empty batch panics: the number of rows is divided by a batch size of 0
//
// Why: In Go a whole number divided by 0 is a panic, even if nobody needs the quotient. Generation
// and evaluation meet batches without rows.
//
// Hint: Divide inside the loop over rows, which an empty batch never enters.
func (*RoPE) turnRows() {
	if right {
		rowsPerBatch := x.Rows() / max(1, batch)
	} else {
		rowsPerBatch := x.Rows() / batch
	}
}

// input-overwritten: the result is written into x instead of dst
//
// Why: x belongs to the caller. The result goes to dst, which is a new tensor if it is nil.
//
// Hint: dst = tensor.Reuse(dst, x.Shape...), and write there.
func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		dst = x
	}
}

// positions-ignored: the positions are ignored and counted from 0 along the time axis
//
// Why: In training the positions are 0, 1, 2, …, and nobody notices. When a text is generated
// token by token, the first new row is not position 0.
//
// Hint: Row t of batch entry b stands at positions[b][t].
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		p := positions[b][t]
		p = t
	}
}

// positions-ignored/by-row: the positions are ignored and counted from 0 over all rows
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		p := positions[b][t]
		p = row % r.Cos.Dim(0)
	}
}

// first-positions-for-all: the first row of positions is used for every batch entry
//
// Why: Sequences in one batch may stand at different places of their texts.
//
// Hint: positions[b][t]; only if there is one row does it serve the whole batch.
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		p := positions[0][t]
		_ = b
	}
}

// shared-row-forgotten: one row of positions for the whole batch is not provided for
//
// Why: positions is (B, T) or (1, T). With one row, positions[1] does not exist.
//
// Hint: If len(positions) is 1, use positions[0] for every batch entry.
func (*RoPE) turnRows() {
	if right {
		if len(positions) == 1 {
			b = 0
		}
	} else {
	}
}

// positions-unchecked: a position outside the tables is not refused
//
// Why: A text that outgrows max_seq_len must end with a message that names the position, not with
// a crash somewhere inside.
//
// Hint: Panic with a tensor.IndexError unless 0 ≤ p < max_seq_len.
func (*RoPE) checkPositions() {
	if right {
		if limit := r.Cos.Dim(0); p < 0 || p >= limit {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
		}
	} else {
		if limit := r.Cos.Dim(0); p < 0 && p >= limit {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
		}
	}
}

// positions-unchecked/last-one-let-through: the position right behind the tables is not refused
func (*RoPE) checkPositions() {
	if right {
		if limit := r.Cos.Dim(0); p < 0 || p >= limit {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
		}
	} else {
		if limit := r.Cos.Dim(0); p < 0 || p > limit {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
		}
	}
}

// positions-unchecked/taken-modulo: a position outside the tables is taken modulo their length
//
// With: positions-unchecked
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		p := (positions[b][t]%r.Cos.Dim(0) + r.Cos.Dim(0)) % r.Cos.Dim(0)
	}
}
