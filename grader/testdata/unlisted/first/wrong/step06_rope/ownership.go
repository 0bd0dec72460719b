//go:build unlisted

package rope

import "github.com/stubformer/stubformer/reference/tensor"

// nil-dst-is-x: without a dst x is turned in place
//
// Why: With a nil dst the caller's x is changed and y is no new tensor.
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

// dst-ignored: the result is always a new tensor
//
// Why: dst is not overwritten: y is another tensor, and who looks at dst finds its old contents.
func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		dst = tensor.New(x.Shape...)
	}
}

// dst-shape-kept: a dst that is given keeps its own shape
//
// Why: A dst of another shape is not given that of x: y has the wrong shape or the rows run over its end.
func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		if dst == nil {
			dst = tensor.New(x.Shape...)
		}
	}
}

// pair-written-before-read: the first number of a pair is overwritten before the second is computed
//
// Why: With dst = x the second number of every pair is made of the new first one; with another dst all is right.
func rotate(y, x, cos, sin []float32) {
	for k, c := range cos {
		s := sin[k]
		y[2*k] = x[2*k]*c - x[2*k+1]*s
		y[2*k+1] = x[2*k]*s + x[2*k+1]*c
	}
}

// pair-written-before-read-back: Backward overwrites the first number of a pair before the second is computed
//
// Why: With dst = dy the second number of every pair of dx is made of the new first one; with another dst all is right.
func rotateBack(dx, dy, cos, sin []float32) {
	for k, c := range cos {
		s := sin[k]
		dx[2*k] = dy[2*k]*c + dy[2*k+1]*s
		dx[2*k+1] = dy[2*k+1]*c - dy[2*k]*s
	}
}

// positions-filled-up: a single row of positions is copied for every sequence into the caller's slice
//
// Why: Forward appends to positions: if the caller's slice has spare capacity, the rows behind it are overwritten.
func (*RoPE) turnRows() {
	if right {
		if len(positions) == 1 {
			b = 0
		}
	} else {
		for len(positions) <= b {
			positions = append(positions, positions[0])
		}
	}
}
