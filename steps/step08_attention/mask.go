package attention

import (
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
//
// N and M are n. n may be 0.
func Causal(n int) *Mask {
	panic(tensor.TODO("step08: Causal"))
}
