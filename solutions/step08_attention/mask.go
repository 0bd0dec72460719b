package attention

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Mask says which query may attend to which key.
type Mask struct {
	N, M int // number of queries and of keys

	// Attend[i·M + j] is true where query i may attend to key j. It has N·M entries
	// that hold for every leading index, or N·M entries for each leading index.
	Attend []bool
}

// Causal returns the mask of n tokens that are read from left to right: each may
// attend to itself and to those before it.
//
//	Attend[i·n + j] = (j ≤ i)
func Causal(n int) *Mask {
	mask := &Mask{N: n, M: n, Attend: make([]bool, n*n)}
	for i := range n {
		row := mask.Attend[i*n : (i+1)*n]
		for j := range row {
			row[j] = j <= i
		}
	}
	return mask
}

// check panics with a ShapeError unless the mask fits n queries and m keys at
// each of the given number of leading indices. A nil mask fits everything.
func (mask *Mask) check(leading, n, m int) {
	if mask == nil {
		return
	}
	if mask.N != n || mask.M != m {
		panic(tensor.ShapeError{Op: "Attention.Forward: mask", Got: []int{mask.N, mask.M}, Want: []int{n, m}})
	}
	if length := len(mask.Attend); length != n*m && length != leading*n*m {
		panic(tensor.ShapeError{Op: "Attention.Forward: length of mask.Attend", Got: []int{length},
			Want: []int{leading * n * m}})
	}
}

// hide sets the score of every pair that may not attend to −Inf, for which the
// softmax gives 0. scores are (…, N, M), flattened. A nil mask hides nothing.
func (mask *Mask) hide(scores []float32) {
	if mask == nil || len(mask.Attend) == 0 {
		return
	}
	for len(scores) > 0 {
		for i, attend := range mask.Attend {
			if !attend {
				scores[i] = float32(math.Inf(-1))
			}
		}
		scores = scores[len(mask.Attend):] // the next leading index, unless these were all
	}
}
