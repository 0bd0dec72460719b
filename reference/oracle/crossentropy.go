package oracle

import (
	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	answer("cross_entropy.forward", crossEntropyForward)
	answer("cross_entropy.backward", crossEntropyBackward)
}

// CrossEntropy returns the mean over all B·T tokens of −ln softmax(logits) at
// the target, computed as LogSumExp(logits) − logits[target].
//
//	logits (B, T, V), targets (B, T), result ()
//
// Source: Goodfellow, Bengio and Courville, "Deep Learning" (2016), section
// 6.2.2.3, equation 6.30.
func CrossEntropy(logits *autodiff.Tensor, targets Indices) *autodiff.Tensor {
	vocab := logits.Shape[len(logits.Shape)-1]
	tokens := len(targets.Data)
	at := make([]int, tokens) // where each target's logit stands
	for i, target := range targets.Data {
		at[i] = i*vocab + target
	}
	chosen := autodiff.Rows(autodiff.Reshape(logits, tokens*vocab, 1), at).Named("x[target]") // (B·T, 1)
	perToken := autodiff.Reshape(logSumExpOf(logits, -1).Named("logsumexp(x)"), tokens, 1)    // (B·T, 1)
	return autodiff.Reshape(autodiff.Mean(autodiff.Sub(perToken, chosen), 0))                 // ()
}

func crossEntropyForward(c *call) (wire.Values, error) {
	loss := c.edited(nil, CrossEntropy(c.tensor("logits"), c.indices("targets")).Named("loss"))
	return wire.Values{"loss": result(loss[0])}, nil
}

func crossEntropyBackward(c *call) (wire.Values, error) {
	loss := c.edited(nil, CrossEntropy(c.tensor("logits"), c.indices("targets")).Named("loss"))
	loss[0].Backward([]float64{1})
	return wire.Values{"dlogits": c.gradient("logits", "")}, nil
}
