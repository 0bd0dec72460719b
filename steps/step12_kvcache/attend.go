package kvcache

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// Mask says which keys n new tokens may attend to when past tokens came before:
//
//	Attend[i·(past+n) + j] = (j ≤ past+i)        (n, past+n)
//
// Query i stands at position past+i. The mask is Causal's, of which the first past
// rows are missing: it is aligned at the bottom right.
func Mask(past, n int) *attention.Mask {
	panic(tensor.TODO("step12: Mask"))
}
