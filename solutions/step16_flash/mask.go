package flash

import (
	"iter"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// Causal returns the mask of n tokens that are read from left to right. It stands in
// for that of step 08 and has no Attend, which would be N² entries.
func Causal(n int) *attention.Mask { return &attention.Mask{N: n, M: n} }

// checkMask panics with a ShapeError unless the mask fits n queries and m keys at each
// of the given number of leading indices. A nil mask fits everything.
func checkMask(mask *attention.Mask, leading, n, m int) {
	if mask == nil {
		return
	}
	if mask.N != n || mask.M != m {
		panic(tensor.ShapeError{Op: "Attention.Forward: mask", Got: []int{mask.N, mask.M}, Want: []int{n, m}})
	}
	if length := len(mask.Attend); length != 0 && length != n*m && length != leading*n*m {
		panic(tensor.ShapeError{Op: "Attention.Forward: length of mask.Attend", Got: []int{length},
			Want: []int{leading * n * m}})
	}
}

// causal reports whether the mask is the one that needs no entries.
func (a *Attention) causal() bool { return a.mask != nil && len(a.mask.Attend) == 0 }

// sees returns how many keys query i may attend to at the most: all M, or, under the
// causal mask, those with j ≤ i + M − N.
func (a *Attention) sees(i int) int {
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	if a.causal() {
		return max(0, i+1+m-n)
	}
	return m
}

// keys goes through the tiles of keys that one of the given queries may see, from each
// tile's first key up to the next tile's. The last query sees the most.
func (a *Attention) keys(first, queries int) iter.Seq2[int, int] {
	seen, tile := a.sees(first+queries-1), a.p.Dim(1)
	return func(yield func(from, to int) bool) {
		for from := 0; from < seen; from += tile {
			if !yield(from, min(from+tile, seen)) {
				return
			}
		}
	}
}

// hide sets the scores s of query i of a matrix, whose first key is from, to −Inf where
// they are hidden.
func (a *Attention) hide(s []float32, matrix, i, from int) {
	hidden := float32(math.Inf(-1))
	switch n, m := a.q.Dim(-2), a.k.Dim(-2); {
	case a.causal():
		for j := max(0, a.sees(i)-from); j < len(s); j++ {
			s[j] = hidden
		}
	case a.mask != nil:
		all := a.mask.Attend[matrix*n*m%len(a.mask.Attend):] // of this leading index, or of all
		for j, attend := range all[i*m+from:][:len(s)] {
			if !attend {
				s[j] = hidden
			}
		}
	}
}
