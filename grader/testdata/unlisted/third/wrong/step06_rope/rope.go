//go:build unlisted

package rope

import (
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// positions-remembered: Backward turns by the positions of the last Forward instead of those it is given
//
// Why: the RoPE keeps the positions between calls: after Forward of two tensors with different positions, the Backward of
// the first one turns by the angles of the second.
func (*RoPE) Forward() {
	if right {
		return r.turnRows("RoPE.Forward: x", dst, x, positions, rotate)
	} else {
		y := r.turnRows("RoPE.Forward: x", dst, x, positions, rotate)
		r.last = positions
		return y
	}
}

func (*RoPE) Backward() {
	if right {
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotateBack)
	} else {
		if r.last != nil {
			positions = r.last
		}
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotateBack)
	}
}

type RoPE struct {
	Cos *tensor.Tensor
	Sin *tensor.Tensor

	last [][]int
}

// tables-kept-without-theta: New returns a former RoPE of the same dK and maxSeqLen whatever its theta was
//
// Why: tables are kept by their size only, so a second RoPE of that size has the first one's Θ, and is the same object.
func New() {
	if right {
		r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	} else {
		if old, ok := tables.Load([2]int{dK, maxSeqLen}); ok {
			return old.(*RoPE)
		}
		r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	}
	if right {
		return r
	} else {
		tables.Store([2]int{dK, maxSeqLen}, r)
		return r
	}
}

var tables sync.Map

// dst-cleared-first: dst is set to zeros before x is read
//
// Why: if dst is x, or dy in Backward, the input is lost and the result is all zeros; otherwise nothing is wrong.
func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		dst = tensor.Reuse(dst, x.Shape...)
		dst.Zero()
	}
}

// nil-dst-means-in-place: x is turned in its own memory if dst is nil
//
// Why: with dst nil the result should be a new tensor and x unchanged; here x itself is overwritten and returned, and dy in
// Backward.
func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		if dst == nil {
			dst = x
		}
		dst = tensor.Reuse(dst, x.Shape...)
	}
}

// large-dst-keeps-its-shape: dst keeps its own shape if it has enough elements
//
// Why: a dst from a longer sequence is not given the shape of x; the result has the old shape, and the old numbers after
// the rows of x.
func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		if dst == nil || dst.Len() < x.Len() {
			dst = tensor.New(x.Shape...)
		}
	}
}

// batch-after-heads: batch element of a row is (row/T) mod B
//
// Why: rows are taken to be in the order (…, B, T) instead of (B, …, T): right for x (B, T, K), or one row of positions,
// but with heads and a row of positions for each batch element the heads get those of other elements.
func (*RoPE) turnRows() {
	if right {
		rowsPerBatch := x.Rows() / max(1, batch)
	} else {
	}
	if right {
		b, t := row/rowsPerBatch, row%seq
	} else {
		b, t := row/seq%batch, row%seq
	}
}

// one-token-takes-the-first-position: with T = 1 every batch element gets positions[0][0]
//
// Why: a single token is taken for a single row of positions: with T = 1 and a position for each batch element all but
// the first element are turned by the wrong angle, forward and backward.
func (*RoPE) turnRows() {
	if right {
		if len(positions) == 1 {
			b = 0
		}
	} else {
		if len(positions) == 1 || seq == 1 {
			b = 0
		}
	}
}

// pairs-from-one: pairs are counted from 1 in the exponent
//
// Why: the angle is p·Θ^(−2(k+1)/K): even the first pair turns slower than one radian a token, and every pair turns as the
// next one should. Forward and Backward use the same tables.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, -float64(2*(k+1))/float64(dK))
	}
}

// exponent-without-two: exponent is −k/K instead of −2k/K
//
// Why: the angle is p·Θ^(−k/K), so the slowest pair is only at about 1/√Θ and all pairs but the first turn too fast.
// Forward and Backward use the same tables.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, -float64(k)/float64(dK))
	}
}

// last-pair-not-turned: Forward copies the last pair of every row as it is
//
// Why: the loop ends at K/2 − 1 and y[K−2], y[K−1] are those of x, unturned; with K = 2 nothing turns at all. Backward
// turns all pairs back.
func rotate(y, x, cos, sin []float32) {
	for k := range len(cos) - 1 {
		a, b, c, s := x[2*k], x[2*k+1], cos[k], sin[k]
		y[2*k] = a*c - b*s
		y[2*k+1] = a*s + b*c
	}
	copy(y[len(x)-2:], x[len(x)-2:])
}

// backward-counts-the-tokens: Backward turns token t by the angles of position t
//
// Why: positions are only checked and then replaced by 0, 1, 2, …: right for a sequence that begins at 0 without gaps, and
// wrong where positions start elsewhere, leave gaps or repeat.
func (*RoPE) Backward() {
	if right {
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotateBack)
	} else {
		tensor.CheckShape("RoPE.Backward: dy", dy, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
		r.checkPositions(positions, dy.Dim(0), dy.Dim(-2))
		count := make([]int, dy.Dim(-2))
		for t := range count {
			count[t] = t
		}
		return r.turnRows("RoPE.Backward: dy", dst, dy, [][]int{count}, rotateBack)
	}
}

// second-of-the-pair-not-turned-back: the minus before sin is missing in dx[2k+1]
//
// Why: dx[2k+1] is dy[2k]·sin + dy[2k+1]·cos, as in Forward, while dx[2k] turns back; Backward is no rotation.
func rotateBack() {
	if right {
		dx[2*k+1] = b*c - a*s
	} else {
		dx[2*k+1] = b*c + a*s
	}
}
