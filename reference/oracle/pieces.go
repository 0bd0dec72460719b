package oracle

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
)

// pieces returns the layers whose forward and backward follow one rule.
func pieces() []piece { return slices.Concat(simplePieces(), attentionPieces(), groupedPieces()) }

// simplePieces are the layers that treat every token, or row, by itself.
func simplePieces() []piece {
	return []piece{
		{
			name: "linear",
			forward: func(c *call) ([]*autodiff.Tensor, error) {
				return one(Linear(c.tensor("x"), c.tensor("w")))
			},
		},
		{
			name: "embedding",
			forward: func(c *call) ([]*autodiff.Tensor, error) {
				return one(Embedding(c.indices("ids"), c.tensor("w")))
			},
		},
		{
			name: "rmsnorm",
			forward: func(c *call) ([]*autodiff.Tensor, error) {
				return one(RMSNorm(c.tensor("x"), c.tensor("g")))
			},
		},
		{
			name:    "silu",
			forward: func(c *call) ([]*autodiff.Tensor, error) { return one(SiLU(c.tensor("x"))) },
		},
		{
			name: "swiglu",
			forward: func(c *call) ([]*autodiff.Tensor, error) {
				return one(SwiGLU(c.tensor("x"), c.tensor("w1"), c.tensor("w2"), c.tensor("w3")))
			},
		},
		{
			name: "softmax",
			forward: func(c *call) ([]*autodiff.Tensor, error) {
				if err := c.checkAxis(); err != nil {
					return nil, err
				}
				return one(Softmax(c.tensor("x"), c.int("axis")))
			},
		},
	}
}

// attentionPieces are the layers in which tokens attend to each other.
func attentionPieces() []piece {
	return []piece{
		{
			name: "attention",
			forward: func(c *call) ([]*autodiff.Tensor, error) {
				y, weights := Attention(c.tensor("q"), c.tensor("k"), c.tensor("v"), c.in["mask"].Bool)
				return []*autodiff.Tensor{y, weights}, nil
			},
		},
		{
			name: "multihead",
			forward: func(c *call) ([]*autodiff.Tensor, error) {
				heads, err := c.heads()
				if err != nil {
					return nil, err
				}
				return one(MultiHead(c.tensor("x"), c.projections(), heads))
			},
		},
		{
			name: "block",
			forward: func(c *call) ([]*autodiff.Tensor, error) {
				heads, err := c.heads()
				if err != nil {
					return nil, err
				}
				return one(Block(c.tensor("x"), BlockWeights{
					LN1: c.tensor("ln1"), LN2: c.tensor("ln2"), Attn: c.projections(),
					W1: c.tensor("w1"), W2: c.tensor("w2"), W3: c.tensor("w3"),
				}, heads))
			},
		},
	}
}

func one(y *autodiff.Tensor) ([]*autodiff.Tensor, error) { return []*autodiff.Tensor{y}, nil }

func (c *call) projections() Projections {
	return Projections{Q: c.tensor("wq"), K: c.tensor("wk"), V: c.tensor("wv"), Output: c.tensor("wo")}
}

func (c *call) heads() (Heads, error) {
	h := Heads{Count: c.int("num_heads"), Theta: c.float("theta"), Positions: c.indices("positions")}
	return h, c.checkHeads("theta")
}

// checkHeads checks that num_heads divides D into vectors of even length, which
// RoPE needs, and the base of RoPE, the argument of the given name.
func (c *call) checkHeads(theta string) error {
	if d := c.sizes["D"]; d%(2*c.int("num_heads")) != 0 {
		return c.refuse("num_heads", fmt.Sprintf("a divisor of D = %d with D / num_heads even", d))
	}
	return c.checkTheta(theta)
}

func (c *call) checkTheta(name string) error {
	if theta := c.float(name); !(theta > 0) {
		return c.refuse(name, "a number above 0")
	}
	return nil
}

func (c *call) checkAxis() error {
	rank := len(c.in["x"].Shape)
	if axis := c.int("axis"); axis < -rank || axis >= rank {
		return c.refuse("axis", fmt.Sprintf("%d ≤ axis < %d", -rank, rank))
	}
	return nil
}
