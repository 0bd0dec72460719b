package lm

import (
	"github.com/stubformer/stubformer/reference/tensor"
)

// NumParams returns the number of parameters of a model, worked out from its
// configuration: the sum of the sizes of all tensors that New's comment lists.
func NumParams(c Config) int {
	panic(tensor.TODO("step10: NumParams"))
}

// ForwardFLOPs returns the floating-point operations of the matrix products in
// one Forward of batch sequences of seq tokens. A product of (m, k) and (k, n)
// counts 2·m·n·k: a multiplication and an addition for each term. Scores are
// counted for all T×T pairs of a sequence, masked or not, and so are the weighted
// values; everything that is not a matrix product is left out. A look-up in the
// embedding is none.
//
// Source: Kaplan et al., "Scaling Laws for Neural Language Models", 2020,
// section 2.1, for another feed-forward network.
func ForwardFLOPs(c Config, batch, seq int) int {
	panic(tensor.TODO("step10: ForwardFLOPs"))
}
