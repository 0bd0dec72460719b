package kvcache

import "github.com/stubformer/stubformer/steps/step10_lm"

// FLOPs returns the floating-point operations of the matrix products in one Forward
// of n new tokens behind past others, counted as lm.ForwardFLOPs counts them: 2·m·n·k for
// a product of (m, k) and (k, n). Pairs that the mask hides are counted, too.
//
//	each new token, each layer: projections 2·4·D², feed-forward 2·3·D·F,
//	                            scores 2·(past+n)·D and weighted values 2·(past+n)·D
//	each new token:             head 2·D·V
func FLOPs(c lm.Config, past, n int) int {
	v, d, f := c.VocabSize, c.DModel, c.DFF
	layer := 2*(4*d*d+3*d*f) + 2*2*(past+n)*d
	return n * (c.NumLayers*layer + 2*d*v)
}

// FLOPsWithout returns the operations that the same logits take without a cache:
// those of LM.Forward on all past+n tokens.
func FLOPsWithout(c lm.Config, past, n int) int { return lm.ForwardFLOPs(c, 1, past+n) }
