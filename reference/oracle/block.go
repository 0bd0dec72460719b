package oracle

import "github.com/stubformer/stubformer/reference/autodiff"

func init() {
	layer("block", func(c *call) ([]*autodiff.Tensor, error) {
		heads, err := c.heads()
		if err != nil {
			return nil, err
		}
		return one(Block(c.tensor("x"), BlockWeights{
			LN1: c.tensor("ln1"), LN2: c.tensor("ln2"), Attn: c.projections(),
			W1: c.tensor("w1"), W2: c.tensor("w2"), W3: c.tensor("w3"),
		}, heads))
	})
}

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
	attn := autodiff.Part("Attn", func(in []*autodiff.Tensor) *autodiff.Tensor {
		return MultiHead(in[0], Projections{in[1], in[2], in[3], in[4]}, h)
	}, normOf(x, w.LN1).Named("Norm1(x)"), w.Attn.Q, w.Attn.K, w.Attn.V, w.Attn.Output).Named("Attn(Norm1(x))")
	y := autodiff.Add(x, attn).Named("y")
	ffn := autodiff.Part("FFN", func(in []*autodiff.Tensor) *autodiff.Tensor {
		return SwiGLU(in[0], in[1], in[2], in[3])
	}, normOf(y, w.LN2).Named("Norm2(y)"), w.W1, w.W2, w.W3).Named("FFN(Norm2(y))")
	return autodiff.Add(y, ffn)
}
