package lm

// NumParams returns the number of parameters:
//
//	embedding V·D, head V·D, last gain D
//	each layer: attention 4·D², feed-forward 3·D·F, gains 2·D
func NumParams(c Config) int {
	v, d, f := c.VocabSize, c.DModel, c.DFF
	layer := 4*d*d + 3*d*f + 2*d
	return 2*v*d + c.NumLayers*layer + d
}

// ForwardFLOPs returns the floating-point operations of the matrix products in
// one Forward of batch sequences of seq tokens, 2·m·n·k for a product of (m, k)
// and (k, n). Scores are counted for all T×T pairs, masked or not; everything
// that is not a matrix product is left out.
//
//	each token, each layer: projections 2·4·D², feed-forward 2·3·D·F,
//	                        scores 2·T·D and weighted values 2·T·D (H heads of K = D/H)
//	each token:             head 2·D·V
//
// A backward pass costs twice as much: two products for every one here.
//
// Source: Kaplan et al., "Scaling Laws for Neural Language Models", 2020,
// section 2.1, for another feed-forward network.
func ForwardFLOPs(c Config, batch, seq int) int {
	v, d, f := c.VocabSize, c.DModel, c.DFF
	layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
	return batch * seq * (c.NumLayers*layer + 2*d*v)
}
