//go:build mistake

package embedding

import "math"

// ids-from-one: ids are taken to begin at 1: row id − 1 is read
//
// Why: Token ids are indexes, so the first is 0 and the last V − 1. Row −1 does not exist, and
// every other token gets its neighbour's vector.
//
// Hint: The row of id is Weight.Value.Row(id).
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		copy(e.y.Row(n), e.Weight.Value.Row(id-1))
	}
}

// ids-from-one/in-the-gradient-too
//
// With: ids-from-one
func (*Embedding) Backward() {
	if right {
		grad := e.Weight.Grad.Row(id)
	} else {
		grad := e.Weight.Grad.Row(id - 1)
	}
}

// ids-from-one/wraps: ids are taken to begin at 1: row id − 1 is read, and for id 0 the last row
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		copy(e.y.Row(n), e.Weight.Value.Row((id+e.Weight.Value.Dim(0)-1)%e.Weight.Value.Dim(0)))
	}
}

// next-row: the row after the token's own is read: row id + 1
//
// Why: Some tables keep row 0 for padding. This one does not: it has exactly V rows, and the last
// token has no row after its own.
//
// Hint: The row of id is Weight.Value.Row(id).
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		copy(e.y.Row(n), e.Weight.Value.Row(id+1))
	}
}

// next-row/in-the-gradient-too
//
// With: next-row
func (*Embedding) Backward() {
	if right {
		grad := e.Weight.Grad.Row(id)
	} else {
		grad := e.Weight.Grad.Row(id + 1)
	}
}

// next-row/wraps: the row after the token's own is read: row id + 1, and after the last row the
// first
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		copy(e.y.Row(n), e.Weight.Value.Row((id+1)%e.Weight.Value.Dim(0)))
	}
}

// padding-row: id 0 is taken for padding: its vector is zero
//
// Why: PyTorch's Embedding can be told that one id is padding. Here every id is a token, and 0 as
// good as any.
//
// Hint: Treat id 0 like all others.
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		if id != 0 {
			copy(e.y.Row(n), e.Weight.Value.Row(id))
		} else {
			clear(e.y.Row(n))
		}
	}
}

// padding-row/in-the-gradient-too
//
// With: padding-row
func (*Embedding) Backward() {
	if right {
		grad := e.Weight.Grad.Row(id)
	} else {
		if id == 0 {
			continue
		}
		grad := e.Weight.Grad.Row(id)
	}
}

// table-read-as-d-v: the table is read as (D, V): a column is taken for a row
//
// Why: The table is (V, D), a row for every token. A vector's numbers lie next to each other, not
// V apart.
//
// Hint: Element j of the vector of id is Data[id·D + j].
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		for j := range e.y.Row(n) {
			e.y.Row(n)[j] = e.Weight.Value.Data[j*e.Weight.Value.Dim(0)+id]
		}
	}
}

// table-read-as-d-v/in-the-gradient-too
//
// With: table-read-as-d-v
func (*Embedding) Backward() {
	if right {
		grad := e.Weight.Grad.Row(id)
		for j, d := range dy.Row(n) {
			grad[j] += d
		}
	} else {
		table := e.Weight.Grad.Data
		for j, d := range dy.Row(n) {
			table[j*e.Weight.Value.Dim(0)+id] += d
		}
	}
}

// scaled-by-root-d: the vectors are multiplied by √D
//
// Why: The Transformer of 2017 scaled its embeddings by √d_model. Models with a norm before every
// layer do not: the norm would undo it.
//
// Hint: Copy the row as it is.
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		for j, v := range e.Weight.Value.Row(id) {
			e.y.Row(n)[j] = v * float32(math.Sqrt(float64(e.Weight.Value.Dim(1))))
		}
	}
}

// scaled-by-root-d/in-the-gradient-too
//
// With: scaled-by-root-d
func (*Embedding) Backward() {
	if right {
		grad[j] += d
	} else {
		grad[j] += d * float32(math.Sqrt(float64(len(grad))))
	}
}

// time-major: the ids are read column by column: y[b, t] holds the vector of another position
//
// Why: Tensors are row-major: all positions of the first sequence come first, then those of the
// second.
//
// Hint: Position (b, t) is row b·T + t of y.
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		copy(e.y.Row(n%e.time*e.batch+n/e.time), e.Weight.Value.Row(id))
	}
}

// time-major/in-the-gradient-too
//
// With: time-major
func (*Embedding) Backward() {
	if right {
		for j, d := range dy.Row(n) {
			grad[j] += d
		}
	} else {
		for j, d := range dy.Row(n%e.time*e.batch + n/e.time) {
			grad[j] += d
		}
	}
}

// first-sequence-for-all: the ids of the first sequence are used for every sequence of the batch
//
// Why: With a batch of one the mistake does not show; with more, all sequences but the first are
// somebody else's.
//
// Hint: Look up ids[b][t] with the b of the row you write.
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		id = e.ids[n%e.time]
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	}
}

// first-sequence-for-all/in-the-gradient-too
//
// With: first-sequence-for-all
func (*Embedding) Backward() {
	if right {
		grad := e.Weight.Grad.Row(id)
	} else {
		id = e.ids[n%e.time]
		grad := e.Weight.Grad.Row(id)
	}
}
