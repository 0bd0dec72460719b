package oracle

import "github.com/stubformer/stubformer/reference/autodiff"

// BlockWeights are the parameters of one Transformer block.
type BlockWeights struct {
	LN1, LN2   *autodiff.Tensor // (D)
	Attn       Projections
	W1, W2, W3 *autodiff.Tensor // (F, D), (D, F), (F, D)
}

// Block is one pre-norm Transformer block:
//
//	y = x + MultiHead(RMSNorm(x))
//	z = y + SwiGLU(RMSNorm(y))
//
//	x (B, T, D), result z (B, T, D)
//
// Source: Xiong et al., "On Layer Normalization in the Transformer
// Architecture" (arXiv:2002.04745), figure 1 (b).
func Block(x *autodiff.Tensor, w BlockWeights, h Heads) *autodiff.Tensor {
	y := autodiff.Add(x, MultiHead(RMSNorm(x, w.LN1), w.Attn, h))
	return autodiff.Add(y, SwiGLU(RMSNorm(y, w.LN2), w.W1, w.W2, w.W3))
}
