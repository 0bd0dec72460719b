package oracle

import (
	"math"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	layer("layernorm", func(c *call) ([]*autodiff.Tensor, error) {
		return one(autodiff.Add(LayerNorm(c.tensor("x"), c.tensor("g")), c.tensor("b")))
	})
	layer("layernorm_gain", func(c *call) ([]*autodiff.Tensor, error) {
		return one(LayerNorm(c.tensor("x"), c.tensor("g")))
	})
	layer("gelu", func(c *call) ([]*autodiff.Tensor, error) { return one(GELU(c.tensor("x"))) })
	layer("relu", func(c *call) ([]*autodiff.Tensor, error) { return one(autodiff.ReLU(c.tensor("x"))) })
	layer("ffn", func(c *call) ([]*autodiff.Tensor, error) {
		act := geluOf
		if c.int("relu") == 1 {
			act = autodiff.ReLU
		}
		return one(FeedForward(c.tensor("x"), c.tensor("w1"), c.tensor("b1"), c.tensor("w2"), c.tensor("b2"), act))
	})
	layer("positions", positions)
	both := piece{"dropout", dropout}
	answer("dropout.forward", dropoutForward)
	answer("dropout.backward", both.evalBackward)
	layer("postnorm", func(c *call) ([]*autodiff.Tensor, error) {
		x := c.tensor("x")
		sum := autodiff.Add(x, linearOf(x, c.tensor("w")).Named("f(x)")).Named("s")
		return one(autodiff.Add(layerNormOf(sum, c.tensor("g")), c.tensor("b")))
	})
	answer("sinusoids", sinusoids)
}

// LayerNorm returns (x − μ)/√(σ² + ε) ⊙ g, with the mean and the variance, a mean of
// squares, over the last dimension.
//
//	x (…, D), g (D), result (…, D)
//
// Source: Ba, Kiros and Hinton, "Layer Normalization" (arXiv:1607.06450), section 3,
// equation 4; ε inside the root.
func LayerNorm(x, g *autodiff.Tensor) *autodiff.Tensor {
	centred := autodiff.Sub(x, autodiff.Mean(x, -1).Named("μ")).Named("x − μ")
	variance := autodiff.Mean(autodiff.Mul(centred, centred), -1).Named("σ²")
	r := autodiff.Pow(autodiff.Shift(variance, Eps).Labelled("ε"), -0.5).Named("r")
	return autodiff.Mul(autodiff.Mul(centred, r).Named("h"), g)
}

// GELU returns x·Φ(x), element by element.
//
// Source: Hendrycks and Gimpel, "Gaussian Error Linear Units" (arXiv:1606.08415),
// section 2.
func GELU(x *autodiff.Tensor) *autodiff.Tensor { return autodiff.Mul(x, autodiff.Phi(x)) }

// FeedForward returns y = W2 act(W1 x + b1) + b2.
//
//	x (…, D), w1 (F, D), b1 (F), w2 (D, F), b2 (D), result (…, D)
//
// Source: Vaswani et al., "Attention Is All You Need" (arXiv:1706.03762), section 3.3,
// equation 2.
func FeedForward(x, w1, b1, w2, b2 *autodiff.Tensor, act func(*autodiff.Tensor) *autodiff.Tensor) *autodiff.Tensor {
	pre := autodiff.Add(linearOf(x, w1), b1).Named("pre") // (…, F)
	return autodiff.Add(linearOf(act(pre).Named("act"), w2), b2)
}

// Sinusoid returns entry j of the row of a position in a table of width d: of pair ⌊j/2⌋
// the sine where j is even, the cosine where it is odd.
//
// Source: Vaswani et al., "Attention Is All You Need" (arXiv:1706.03762), section 3.5.
func Sinusoid(position, j, d int) float64 {
	sin, cos := math.Sincos(float64(position) * math.Pow(10000, -2*float64(j/2)/float64(d)))
	if j%2 == 0 {
		return sin
	}
	return cos
}

func sinusoids(c *call) (wire.Values, error) {
	length, d := c.int("max_seq_len"), c.int("d")
	if length*d > maxElements {
		return nil, c.refuse("max_seq_len", "a smaller table")
	}
	table := autodiff.Zeros(length, d)
	for i := range table.Data {
		table.Data[i] = Sinusoid(i/d, i%d, d)
	}
	return wire.Values{"table": result(table)}, nil
}

func positions(c *call) ([]*autodiff.Tensor, error) {
	first, seq := c.int("first"), c.sizes["T"]
	if first+seq > c.sizes["S"] {
		return nil, c.refuse("first", "a position from which all tokens have a row in the table")
	}
	return one(autodiff.Add(c.tensor("x"), autodiff.Slice(c.tensor("table"), 0, first, first+seq).Named("P")))
}

// dropout keeps what its generator's numbers say. The second result, which has no
// derivative, is how many of them were needed.
//
// Source: Srivastava et al., "Dropout" (JMLR 15, 2014), sections 4 and 10.
func dropout(c *call) ([]*autodiff.Tensor, error) {
	x, p := c.tensor("x"), c.float("p")
	if !(p >= 0 && p < 1) {
		return nil, c.refuse("p", "a number of at least 0 and below 1")
	}
	if c.int("training") == 0 {
		return []*autodiff.Tensor{autodiff.Scale(x, 1), autodiff.Zeros()}, nil
	}
	kept := make([]bool, len(x.Data))
	for i, bits := range c.in["bits"].I64 {
		kept[i] = math.Ldexp(float64(bits), -53) >= p
	}
	y := autodiff.Scale(autodiff.Where(kept, x, 0), 1/(1-p)).Labelled("1/(1 − p)")
	return []*autodiff.Tensor{y, autodiff.Full(float64(len(kept)))}, nil
}

func dropoutForward(c *call) (wire.Values, error) {
	outputs, err := dropout(c)
	if err != nil {
		return nil, err
	}
	y := c.edited(nil, outputs[0].Named("y"))
	return wire.Values{"y": result(y[0]), "drawn": wire.Int(int(outputs[1].Data[0]))}, nil
}

func geluOf(x *autodiff.Tensor) *autodiff.Tensor {
	return autodiff.Part("GELU", func(in []*autodiff.Tensor) *autodiff.Tensor { return GELU(in[0]) }, x)
}

func layerNormOf(x, g *autodiff.Tensor) *autodiff.Tensor {
	return autodiff.Part("LayerNorm", func(in []*autodiff.Tensor) *autodiff.Tensor { return LayerNorm(in[0], in[1]) }, x, g)
}
