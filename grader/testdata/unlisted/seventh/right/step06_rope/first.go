//go:build unlisted

package rope

import (
	"math/cmplx"
	"sync"
)

// complex-numbers: a pair is a complex number, and turning is a product
//
// Why: the lesson's fact 1, in complex128; back it is the conjugate.
func rotate(y, x, cos, sin []float32) {
	for k := range cos {
		z := complex(float64(x[2*k]), float64(x[2*k+1])) * complex(float64(cos[k]), float64(sin[k]))
		y[2*k], y[2*k+1] = float32(real(z)), float32(imag(z))
	}
}

func rotateBack(dx, dy, cos, sin []float32) {
	for k := range cos {
		z := complex(float64(dy[2*k]), float64(dy[2*k+1])) * cmplx.Conj(complex(float64(cos[k]), float64(sin[k])))
		dx[2*k], dx[2*k+1] = float32(real(z)), float32(imag(z))
	}
}

// all-checked-then-goroutines: one goroutine for each batch element, after everything was checked
//
// Why: the elements share only what is read; dst may still be x, since a row belongs to one goroutine.
func (*RoPE) turnRows() {
	if right {
		rowsPerBatch := x.Rows() / max(1, batch)
		for row := range x.Rows() {
			b, t := row/rowsPerBatch, row%seq
			if len(positions) == 1 {
				b = 0
			}
			p := positions[b][t]
			turn(dst.Row(row), x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
		}
	} else {
		var group sync.WaitGroup
		for b := range batch {
			own := positions[b%len(positions)]
			group.Go(func() {
				part := x.Rows() / batch
				for row := (b+1)*part - 1; row >= b*part; row-- {
					p := own[row%seq]
					turn(dst.Row(row), x.Row(row), r.Cos.Row(p), r.Sin.Row(p))
				}
			})
		}
		group.Wait()
	}
}

// columns-first: the tables are filled pair by pair, with e^(−2k/K·ln Θ) for the power
//
// Why: math.Exp in float64 differs from math.Pow in the last bits of a float64 only.
func New() {
	if right {
		for p := range maxSeqLen {
			cos, sin := r.Cos.Row(p), r.Sin.Row(p)
			for k := range cos {
				angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
				cos[k] = float32(math.Cos(angle))
				sin[k] = float32(math.Sin(angle))
			}
		}
	} else {
		half := dK / 2
		for k := range half {
			frequency := math.Exp(-math.Log(theta) * float64(k) / float64(half))
			for p := range maxSeqLen {
				s, c := math.Sincos(float64(p) * frequency)
				r.Cos.Data[p*half+k], r.Sin.Data[p*half+k] = float32(c), float32(s)
			}
		}
	}
}
