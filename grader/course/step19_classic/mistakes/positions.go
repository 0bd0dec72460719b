//go:build mistake

package classic

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"math"
)

// sinusoids-halves: the sines fill the first half of a row and the cosines the second
//
// Why: Many programs do so, and a model that learns its weights anew does not mind. The paper,
// and this course, interleave.
//
// Hint: Column 2i is the sine, column 2i+1 the cosine of pair i.
func Sinusoids() {
	if right {
		pair := j / 2
	} else {
		half := (d + 1) / 2
		pair := j % half
	}
	if right {
		if j%2 == 0 {
			row[j] = float32(math.Sin(angle))
		} else {
			row[j] = float32(math.Cos(angle))
		}
	} else {
		if j < half {
			row[j] = float32(math.Sin(angle))
		} else {
			row[j] = float32(math.Cos(angle))
		}
	}
}

// sinusoids-cosine-first: the cosine comes first
//
// Why: The paper begins with the sine.
//
// Hint: Even columns are sines.
func Sinusoids() {
	if right {
		if j%2 == 0 {
			row[j] = float32(math.Sin(angle))
		} else {
			row[j] = float32(math.Cos(angle))
		}
	} else {
		if j%2 == 1 {
			row[j] = float32(math.Sin(angle))
		} else {
			row[j] = float32(math.Cos(angle))
		}
	}
}

// sinusoids-exponent-column: the exponent is j/D with the column j, also for the cosine
//
// Why: Sine and cosine of a pair have one angle: 2i is the even column of both.
//
// Hint: 2·(j/2) in integers.
func Sinusoids() {
	if right {
		angle := float64(p) / math.Pow(10000, float64(2*pair)/float64(d))
	} else {
		angle := float64(p) / math.Pow(10000, float64(j)/float64(d))
		_ = pair
	}
}

// sinusoids-exponent-doubled: the exponent is 4i/D: 2·column where 2·pair belongs
//
// Why: i counts pairs. The wavelengths reach 10000 at the last pair, not in the middle.
//
// Hint: 2i/D.
func Sinusoids() {
	if right {
		angle := float64(p) / math.Pow(10000, float64(2*pair)/float64(d))
	} else {
		angle := float64(p) / math.Pow(10000, float64(4*pair)/float64(d))
	}
}

// sinusoids-exponent-half: the exponent is i/D
//
// Why: i counts pairs, of which there are D/2.
//
// Hint: 2i/D.
func Sinusoids() {
	if right {
		angle := float64(p) / math.Pow(10000, float64(2*pair)/float64(d))
	} else {
		angle := float64(p) / math.Pow(10000, float64(pair)/float64(d))
	}
}

// sinusoids-last-wavelength: the exponent is 2i/(D − 2), so that the last pair has a wavelength
// of 2π·10000
//
// Why: The first program of the paper's authors did so. The formula of the paper does not.
//
// Hint: 2i/D.
func Sinusoids() {
	if right {
		angle := float64(p) / math.Pow(10000, float64(2*pair)/float64(d))
	} else {
		angle := float64(p) / math.Pow(10000, float64(2*pair)/max(1, float64(d-2)))
	}
}

// sinusoids-base: 1,000 stands in place of 10,000
//
// Why: The longest wavelength is 2π·10,000.
//
// Hint: 10000^(2i/D).
func Sinusoids() {
	if right {
		angle := float64(p) / math.Pow(10000, float64(2*pair)/float64(d))
	} else {
		angle := float64(p) / math.Pow(1000, float64(2*pair)/float64(d))
	}
}

// sinusoids-multiplied: the position is multiplied by 10000^(2i/D)
//
// Why: Wavelengths grow along the row.
//
// Hint: p/10000^(2i/D).
func Sinusoids() {
	if right {
		angle := float64(p) / math.Pow(10000, float64(2*pair)/float64(d))
	} else {
		angle := float64(p) * math.Pow(10000, float64(2*pair)/float64(d))
	}
}

// sinusoids-from-one: positions are counted from 1
//
// Why: The first row is 0, 1, 0, 1, …
//
// Hint: p from 0.
func Sinusoids() {
	if right {
		angle := float64(p) / math.Pow(10000, float64(2*pair)/float64(d))
	} else {
		angle := float64(p+1) / math.Pow(10000, float64(2*pair)/float64(d))
	}
}

// sinusoids-float32: the angles are float32
//
// Why: An angle of 700 radians is off by 0.00003.
//
// Hint: float64 until the sine is stored.
func Sinusoids() {
	if right {
		angle := float64(p) / math.Pow(10000, float64(2*pair)/float64(d))
	} else {
		angle := float64(float32(p) / float32(math.Pow(10000, float64(2*pair)/float64(d))))
	}
}

// sinusoids-odd-width: for an odd D the last column stays empty
//
// Why: Its sine has a place, only the cosine has none.
//
// Hint: Go through columns, not through pairs.
func Sinusoids() {
	if right {
		row[j] = float32(math.Sin(angle))
	} else {
		if j+1 < d {
			row[j] = float32(math.Sin(angle))
		}
	}
}

// sinusoids-sines-alone: all columns are sines
//
// Why: Sine and cosine together are a point on a circle, and a step along the text turns it.
//
// Hint: The cosine in the odd columns.
func Sinusoids() {
	if right {
		if j%2 == 0 {
			row[j] = float32(math.Sin(angle))
		} else {
			row[j] = float32(math.Cos(angle))
		}
	} else {
		row[j] = float32(math.Sin(angle))
	}
}

// positions-from-zero: the first position is taken for 0
//
// Why: A text that is read in pieces would begin again with every piece.
//
// Hint: P[first + t].
func (*Positions) Forward() {
	if right {
		l.first = first
	} else {
		l.first = 0
	}
}

// positions-doubled: the positions are added twice
//
// Why: y = x + P.
//
// Hint: Once.
func (*Positions) Forward() {
	if right {
		kernel.Add(l.y.Row(n), x.Row(n), table.Row(l.position(n)))
	} else {
		kernel.Add(l.y.Row(n), x.Row(n), table.Row(l.position(n)))
		kernel.Axpy(1, table.Row(l.position(n)), l.y.Row(n))
	}
}

// positions-run-on: positions run on from one sequence to the next
//
// Why: Every sequence begins at the first position.
//
// Hint: t = n % T.
func (*Positions) position() {
	if right {
		return l.first + n%l.y.Dim(-2)
	} else {
		return min(l.first+n, l.Weight.Value.Dim(0)-1)
	}
}

// positions-limit: the last row of the table is never used
//
// Why: first + T may be T_max: the last position is T_max − 1.
//
// Hint: Refuse first + T > T_max, and nothing below.
func (*Positions) Forward() {
	if right {
		if seq := x.Dim(-2); first < 0 || first+seq > table.Dim(0) {
			panic(tensor.IndexError{Op: "Positions.Forward: position", Got: outside(first, table.Dim(0)), Limit: table.Dim(0)})
		}
	} else {
		if seq := x.Dim(-2); first < 0 || first+seq >= table.Dim(0) {
			panic(tensor.IndexError{Op: "Positions.Forward: position", Got: outside(first, table.Dim(0)), Limit: table.Dim(0)})
		}
	}
}

// positions-unchecked: positions outside of the table are not refused
//
// Why: A slice that is out of its range says nothing about positions.
//
// Hint: tensor.IndexError with the first position that is not there.
func (*Positions) Forward() {
	if right {
		if seq := x.Dim(-2); first < 0 || first+seq > table.Dim(0) {
			panic(tensor.IndexError{Op: "Positions.Forward: position", Got: outside(first, table.Dim(0)), Limit: table.Dim(0)})
		}
	} else {
		_ = outside
	}
}

// dtable-from-zero: the table's gradient begins at row 0
//
// Why: The rows that were added are those from first on.
//
// Hint: dP[first + t].
func (*Positions) Backward() {
	if right {
		kernel.Axpy(1, dy.Row(n), l.Weight.Grad.Row(l.position(n)))
	} else {
		kernel.Axpy(1, dy.Row(n), l.Weight.Grad.Row(n%l.y.Dim(-2)))
	}
}

// dtable-last-sequence: only the last sequence reaches the table's gradient
//
// Why: A row was added in every sequence.
//
// Hint: +=, not =.
func (*Positions) Backward() {
	if right {
		kernel.Axpy(1, dy.Row(n), l.Weight.Grad.Row(l.position(n)))
	} else {
		copy(l.Weight.Grad.Row(l.position(n)), dy.Row(n))
	}
}

// dtable-averaged: the table's gradient is the mean over the sequences
//
// Why: The loss is what averages, once. The chain rule adds.
//
// Hint: Sum, without a division.
func (*Positions) Backward() {
	if right {
		kernel.Axpy(1, dy.Row(n), l.Weight.Grad.Row(l.position(n)))
	} else {
		kernel.Axpy(float32(dy.Dim(-2))/float32(dy.Rows()), dy.Row(n), l.Weight.Grad.Row(l.position(n)))
	}
}

// dtable-overwritten: the table's gradient is overwritten instead of added to
//
// Why: Gradients collect over calls until the optimiser clears them.
//
// Hint: Grad += …
func (*Positions) Backward() {
	if right {
		copy(l.dx.Data, dy.Data)
	} else {
		copy(l.dx.Data, dy.Data)
		l.Weight.Grad.Zero()
	}
}

// dtable-lost: nothing is added to the table's gradient
//
// Why: GPT-2 learns its positions.
//
// Hint: dP[first + t] += dy.
func (*Positions) Backward() {
	if right {
		kernel.Axpy(1, dy.Row(n), l.Weight.Grad.Row(l.position(n)))
	} else {
		_ = n
	}
}
