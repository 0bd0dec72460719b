//go:build unlisted

package rope

// exponent-without-the-two: the angle is p·Θ^(−k/K)
//
// Why: all pairs but the first turn too fast; the tables differ from the formula for K > 2.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, -float64(k)/float64(dK))
	}
}

// angles-in-float32: frequency and angle are rounded to float32 before the cosine
//
// Why: at positions of some thousands the tables are off by 1e-4 and more; the stub asks for float64.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(float32(p) * float32(math.Pow(theta, -float64(2*k)/float64(dK))))
	}
}

// table-by-recurrence: each row of the tables is the row before, turned on, in float32
//
// Why: the roundings add up; after thousands of positions the tables are off by far more than one rounding.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
		cos[k] = float32(math.Cos(angle))
		sin[k] = float32(math.Sin(angle))
	} else {
		if p == 0 {
			cos[k] = 1
			continue
		}
		angle := math.Pow(theta, -float64(2*k)/float64(dK))
		c, s := float32(math.Cos(angle)), float32(math.Sin(angle))
		a, b := r.Cos.Row(p - 1)[k], r.Sin.Row(p - 1)[k]
		cos[k] = a*c - b*s
		sin[k] = a*s + b*c
	}
}

// positions-from-the-first: a position counts from the first position of its row
//
// Why: a row that starts at 5 is turned as if it started at 0; keys of an earlier call no longer fit.
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		p := max(0, positions[b][t]-positions[b][0])
	}
}

// batch-from-rows-of-t: the batch element of a row is row/T, without the heads
//
// Why: with several heads rows take the positions of other batch elements.
func (*RoPE) turnRows() {
	if right {
		b, t := row/rowsPerBatch, row%seq
	} else {
		b, t := row/seq%max(1, batch), row%seq
		_ = rowsPerBatch
	}
}

// pair-overwritten: y[2k] is written before x[2k] is read again
//
// Why: where dst is x the second number of a pair is wrong; dst may be x.
func rotate(y, x, cos, sin []float32) {
	for k, c := range cos {
		s := sin[k]
		y[2*k] = x[2*k]*c - x[2*k+1]*s
		y[2*k+1] = x[2*k]*s + x[2*k+1]*c
	}
}

// negative-position: a position below 0 is not refused by name
//
// Why: an IndexError is promised, and a slice error comes.
func (*RoPE) checkPositions() {
	if right {
		if limit := r.Cos.Dim(0); p < 0 || p >= limit {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
		}
	} else {
		if limit := r.Cos.Dim(0); p >= limit {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
		}
	}
}

// longer-positions-pass: a row of positions may be longer than T
//
// Why: a row that is not T long must panic with a ShapeError.
func (*RoPE) checkPositions() {
	if right {
		if len(row) != seq {
			panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(row)}, Want: []int{seq}})
		}
	} else {
		if len(row) < seq {
			panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(row)}, Want: []int{seq}})
		}
	}
}

// empty-batch-divides-by-zero: the rows per batch element without a guard
//
// Why: B may be 0, says the stub; here that panics.
func (*RoPE) turnRows() {
	if right {
		rowsPerBatch := x.Rows() / max(1, batch)
	} else {
		rowsPerBatch := x.Rows() / batch
	}
}

// own-buffer-for-nil: without a dst the result is a tensor of the RoPE
//
// Why: a new tensor is promised; the key's turn overwrites the query's, and goroutines share it.
type RoPE struct {
	Cos *tensor.Tensor // (max, K/2)
	Sin *tensor.Tensor // (max, K/2)

	buffer *tensor.Tensor
}

func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		if dst == nil {
			r.buffer = tensor.Reuse(r.buffer, x.Shape...)
			dst = r.buffer
		}
		dst = tensor.Reuse(dst, x.Shape...)
	}
}
