package oracle

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	layer("attention", func(c *call) ([]*autodiff.Tensor, error) {
		y, weights := Attention(c.tensor("q"), c.tensor("k"), c.tensor("v"), c.in["mask"].Bool)
		return []*autodiff.Tensor{y, weights}, nil
	})
	layer("multihead", func(c *call) ([]*autodiff.Tensor, error) {
		heads, err := c.heads()
		if err != nil {
			return nil, err
		}
		return one(MultiHead(c.tensor("x"), c.projections(), heads))
	})
	answer("causal_mask", causalMask)
}

// Causal returns the mask of n queries against n keys in which query i attends
// to keys 0, …, i: mask[i*n+j] = (j ≤ i).
func Causal(n int) []bool {
	mask := make([]bool, n*n)
	for i := range n {
		for j := range i + 1 {
			mask[i*n+j] = true
		}
	}
	return mask
}

// Attention is scaled dot-product attention:
//
//	weights = softmax(q kᵀ / √K), over the keys the mask allows
//	y       = weights v
//
//	q (…, N, K), k (…, M, K), v (…, M, Kv), y (…, N, Kv), weights (…, N, M)
//
// mask is true where query n attends to key m. It has N·M entries, repeated
// for every leading index, or one such matrix for each. A query without keys
// has weights of zeros, and so y is zero there.
//
// Source: Vaswani et al. (arXiv:1706.03762), section 3.2.1, equation 1.
func Attention(q, k, v *autodiff.Tensor, mask []bool) (y, weights *autodiff.Tensor) {
	dK := q.Shape[len(q.Shape)-1]
	scores := autodiff.Scale(autodiff.MatMul(q, autodiff.Transpose(k)), 1/math.Sqrt(float64(dK))).Labelled("1/√K").Named("S")
	weights = softmaxOf(autodiff.Where(mask, scores, math.Inf(-1)), -1).Named("P")
	return autodiff.MatMul(weights, v), weights
}

// Projections are the weights of multi-head attention, each (D, D).
type Projections struct{ Q, K, V, Output *autodiff.Tensor }

// Heads says how multi-head attention divides and rotates its vectors.
type Heads struct {
	Count     int     // H, which divides D
	Theta     float64 // Θ of RoPE
	Positions Indices // (B, T), or (1, T) for the whole batch

	// Sees is the mask of n tokens; nil for Causal.
	Sees func(n int) []bool
}

// mask is what n tokens see of each other.
func (h Heads) mask(n int) []bool {
	if h.Sees != nil {
		return h.Sees(n)
	}
	return Causal(n)
}

// MultiHead is causal multi-head self-attention with RoPE on the queries and
// keys, and not on the values. Head h reads the columns h·K to (h+1)·K of the
// projections.
//
//	x (B, T, D), result (B, T, D)
//
// Source: Vaswani et al. (arXiv:1706.03762), section 3.2.2.
func MultiHead(x *autodiff.Tensor, w Projections, h Heads) *autodiff.Tensor {
	batch, time, dModel := x.Shape[0], x.Shape[1], x.Shape[2]
	split := func(weight *autodiff.Tensor) *autodiff.Tensor { // (B, T, D) to (B, H, T, K)
		projected := autodiff.Reshape(linearOf(x, weight), batch, time, h.Count, dModel/h.Count)
		return autodiff.Permute(projected, 0, 2, 1, 3)
	}
	q := ropeOf(split(w.Q).Named("q"), h.Positions, h.Theta).Named("q'")
	k := ropeOf(split(w.K).Named("k"), h.Positions, h.Theta).Named("k'")
	y, _ := Attention(q, k, split(w.V).Named("v"), h.mask(time))
	joined := autodiff.Reshape(autodiff.Permute(y.Named("heads"), 0, 2, 1, 3), batch, time, dModel).Named("joined")
	return linearOf(joined, w.Output)
}

func causalMask(c *call) (wire.Values, error) {
	n := c.int("n")
	if n*n > maxElements {
		return nil, c.refuse("n", fmt.Sprintf("at most %d elements in the mask", maxElements))
	}
	return wire.Values{"mask": wire.Bools(Causal(n), n, n)}, nil
}

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
