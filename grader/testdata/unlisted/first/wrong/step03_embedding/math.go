//go:build unlisted

package embedding

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
)

// last-occurrence-counts: the gradient of an id is assigned and not added
//
// Why: An id that occurs several times gets only the dy of its last place, and what Grad held is lost.
func (*Embedding) Backward() {
	if right {
		grad[j] += d
	} else {
		grad[j] = d
	}
}

// first-occurrence-counts: every id gets its gradient once
//
// Why: An id that occurs several times gets only the dy of its first place.
func (*Embedding) Backward() {
	if right {
		grad := e.Weight.Grad.Row(id)
	} else {
		seen := false
		for _, earlier := range e.ids[:n] {
			seen = seen || earlier == id
		}
		if seen {
			continue
		}
		grad := e.Weight.Grad.Row(id)
	}
}

// mean-over-occurrences: the gradient of an id is the mean over its places
//
// Why: The gradient of an id that occurs k times is divided by k.
func (*Embedding) Backward() {
	if right {
		grad[j] += d
	} else {
		times := 0
		for _, other := range e.ids {
			if other == id {
				times++
			}
		}
		grad[j] += d / float32(times)
	}
}

// id-zero-is-padding: the row of id 0 is taken for padding and gets no gradient
//
// Why: The gradient of id 0 stays as it was, although 0 is a token like all others.
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

// scaled-by-root-d: y is multiplied by √D, as in the first Transformer
//
// Why: y is √D times the rows of the table.
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		kernel.ScaleTo(e.y.Row(n), float32(math.Sqrt(float64(e.Weight.Value.Dim(1)))), e.Weight.Value.Row(id))
	}
}

func (*Embedding) Backward() {
	if right {
		grad[j] += d
	} else {
		grad[j] += d * float32(math.Sqrt(float64(e.Weight.Value.Dim(1))))
	}
}

// time-before-batch: the rows of y are filled in the order (T, B)
//
// Why: With several sequences their vectors are mixed up: the row of y at [b, t] belongs to another token.
func (*Embedding) Forward() {
	if right {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	} else {
		b, t := n/e.time, n%e.time
		copy(e.y.Row(t*e.batch+b), e.Weight.Value.Row(id))
	}
}
