package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	answer("moe.topk", moeTopK)
	layer("gates", func(c *call) ([]*autodiff.Tensor, error) {
		logits, k, err := c.tensor("logits"), c.int("k"), c.checkK("E")
		if err != nil {
			return nil, err
		}
		if given, ok := c.in["dgates"]; ok && given.Shape[1] != k {
			return nil, c.refuse("dgates", fmt.Sprintf("%d columns", k))
		}
		return one(picked(Gates(logits, k), topK(logits, k), k))
	})
	layer("moe", func(c *call) ([]*autodiff.Tensor, error) {
		y, _, err := c.mixture()
		return []*autodiff.Tensor{y}, err
	})
	answer("moe.trained", moeTrained)
	answer("moe.losses", moeLosses)
	answer("moe.calls", moeCalls)
}

// checkK refuses a number of experts that there are not.
func (c *call) checkK(experts string) error {
	if k := c.int("k"); k < 1 || k > c.sizes[experts] {
		return c.refuse("k", fmt.Sprintf("1 ≤ k ≤ %d", c.sizes[experts]))
	}
	return nil
}

// topK returns the places of the k largest of every row (T, E), the largest first and of
// equal ones the lower, as one list of T·k.
func topK(logits *autodiff.Tensor, k int) []int {
	experts := logits.Shape[1]
	var all []int
	for row := range slices.Chunk(logits.Data, experts) {
		places := make([]int, experts)
		for i := range places {
			places[i] = i
		}
		slices.SortStableFunc(places, func(a, b int) int {
			switch {
			case row[a] > row[b]:
				return -1
			case row[a] < row[b]:
				return 1
			}
			return 0
		})
		all = append(all, places[:k]...)
	}
	return all
}

// marked returns for every logit (T, E) whether it is one of the chosen.
func marked(chosen []int, k, experts int) []bool {
	mask := make([]bool, len(chosen)/k*experts)
	for slot, e := range chosen {
		mask[slot/k*experts+e] = true
	}
	return mask
}

// picked returns of every row of gates (T, E) those of the chosen, (T, k).
func picked(gates *autodiff.Tensor, chosen []int, k int) *autodiff.Tensor {
	tokens, experts := gates.Shape[0], gates.Shape[1]
	at := make([]int, len(chosen))
	for slot, e := range chosen {
		at[slot] = slot/k*experts + e
	}
	return autodiff.Reshape(autodiff.Rows(autodiff.Reshape(gates, tokens*experts, 1), at), tokens, k)
}

// Gates returns the weights of all experts, 0 for those that were not chosen:
//
//	k ≥ 2: softmax of the logits, in which those that were not chosen are −∞
//	k = 1: softmax of the logits, of which the others are left out afterwards
//
//	logits (T, E), result (T, E)
//
// Source: Jiang et al., "Mixtral of Experts" (arXiv:2401.04088), section 2.1; Fedus et
// al., "Switch Transformers" (arXiv:2101.03961), equation 2.
func Gates(logits *autodiff.Tensor, k int) *autodiff.Tensor {
	mask := marked(topK(logits, k), k, logits.Shape[1])
	if k == 1 {
		return autodiff.Where(mask, softmaxOf(logits, -1).Named("p"), 0).Named("g")
	}
	return softmaxOf(autodiff.Where(mask, logits, math.Inf(-1)), -1).Named("g")
}

// Mixture returns y = Σ g·Expert(x): every expert computes every token, and the gates of
// those that were not chosen are 0. It also returns the router's logits.
//
//	x (T, D), router (E, D), w1 and w3 (E·F, D), w2 (E·D, F); y (T, D), logits (T, E)
func Mixture(x, router, w1, w2, w3 *autodiff.Tensor, k int) (y, logits *autodiff.Tensor) {
	logits = linearOf(x, router).Named("logits")
	gates, experts := Gates(logits, k), router.Shape[0]
	part := func(w *autodiff.Tensor, e int) *autodiff.Tensor {
		rows := w.Shape[0] / experts
		return autodiff.Slice(w, 0, e*rows, (e+1)*rows)
	}
	for e := range experts {
		out := autodiff.Part("Expert", func(in []*autodiff.Tensor) *autodiff.Tensor { return SwiGLU(in[0], in[1], in[2], in[3]) },
			x, part(w1, e), part(w2, e), part(w3, e))
		weighed := autodiff.Mul(autodiff.Slice(gates, 1, e, e+1), out)
		if e == 0 {
			y = weighed
		} else {
			y = autodiff.Add(y, weighed)
		}
	}
	return y, logits
}

// RouterLosses returns E·Σ f·P, the mean of (ln Σ e^logits)², and f, of the tokens that
// are real. f is a constant.
//
//	logits (T, E), results (), (), (E)
//
// Source: Fedus et al., "Switch Transformers", equations 4 to 6, with f a share of k·T
// slots; Zoph et al., "ST-MoE" (arXiv:2202.08906), equation 5.
func RouterLosses(logits *autodiff.Tensor, k int, real []bool) (balance, z *autodiff.Tensor, load []float64) {
	experts := logits.Shape[1]
	var rows []int
	for t, counts := range real {
		if counts {
			rows = append(rows, t)
		}
	}
	load = make([]float64, experts)
	if len(rows) == 0 {
		return autodiff.Zeros(), autodiff.Zeros(), load
	}
	logits = autodiff.Rows(logits, rows)
	for _, e := range topK(logits, k) {
		load[e] += 1 / float64(k*len(rows))
	}
	p := autodiff.Mean(softmaxOf(logits, -1), 0).Named("P") // (1, E)
	f := autodiff.New(load, 1, experts).Named("f")
	balance = autodiff.Scale(autodiff.Reshape(autodiff.Sum(autodiff.Mul(f, p), -1)), float64(experts)).Labelled("E")
	s := autodiff.Reshape(logSumExpOf(logits, -1), len(rows), 1)
	return balance, autodiff.Reshape(autodiff.Mean(autodiff.Mul(s, s), 0)), load
}

// mixture returns the output of the layer that a call describes, in the shape of x, and
// the router's logits (T, E).
func (c *call) mixture() (y, logits *autodiff.Tensor, err error) {
	experts, hidden, width := c.sizes["E"], c.sizes["F"], c.sizes["D"]
	if err := c.checkK("E"); err != nil {
		return nil, nil, err
	}
	if c.sizes["G"] != experts*hidden {
		return nil, nil, c.refuse("w1", fmt.Sprintf("%d rows", experts*hidden))
	}
	if c.sizes["Q"] != experts*width {
		return nil, nil, c.refuse("w2", fmt.Sprintf("%d rows", experts*width))
	}
	x := c.tensor("x")
	flat := autodiff.Reshape(x, len(x.Data)/width, width)
	y, logits = Mixture(flat, c.tensor("router"), c.tensor("w1"), c.tensor("w2"), c.tensor("w3"), c.int("k"))
	return autodiff.Reshape(y, x.Shape...), logits, nil
}

func moeTopK(c *call) (wire.Values, error) {
	if err := c.checkK("E"); err != nil {
		return nil, err
	}
	chosen := wire.Ints(nil, c.sizes["T"], c.int("k"))
	for _, e := range topK(c.tensor("logits"), c.int("k")) {
		chosen.I64 = append(chosen.I64, int64(e))
	}
	return wire.Values{"chosen": chosen}, nil
}

// moeTrained is the gradient of Σ dy⊙y + α·balance + β·z.
func moeTrained(c *call) (wire.Values, error) {
	y, logits, err := c.mixture()
	if err != nil {
		return nil, err
	}
	balance, z, _ := RouterLosses(logits, c.int("k"), c.in["real"].Bool)
	balance, z = autodiff.Scale(balance, c.float("alpha")).Labelled("α"), autodiff.Scale(z, c.float("beta")).Labelled("β")
	n := len(y.Data)
	dy := autodiff.New(widen(c.in["dy"]), n)
	total := autodiff.Reshape(autodiff.Sum(autodiff.Mul(autodiff.Reshape(y, n), dy), 0))
	total = autodiff.Add(total, autodiff.Add(balance, z)).Named("loss")
	c.edited(nil, total)[0].Backward([]float64{1})
	out := wire.Values{"dx": c.gradient("x", "")}
	for _, w := range []string{"router", "w1", "w2", "w3"} {
		out["d"+w] = c.gradient(w, "d"+w+"_before")
	}
	return out, nil
}

func moeLosses(c *call) (wire.Values, error) {
	if err := c.checkK("E"); err != nil {
		return nil, err
	}
	layers, tokens, width, experts := c.sizes["L"], c.sizes["T"], c.sizes["D"], c.sizes["E"]
	balance, z, load := autodiff.Zeros(), autodiff.Zeros(), []float64{}
	for l := range layers {
		x := autodiff.Reshape(autodiff.Slice(c.tensor("x"), 0, l, l+1), tokens, width)
		router := autodiff.Reshape(autodiff.Slice(c.tensor("router"), 0, l, l+1), experts, width)
		b, s, f := RouterLosses(linearOf(x, router).Named("logits"), c.int("k"), c.in["real"].Bool)
		balance, z, load = autodiff.Add(balance, b), autodiff.Add(z, s), append(load, f...)
	}
	both := c.edited(nil, balance.Named("balance"), z.Named("z"))
	return wire.Values{"balance": result(both[0]), "z": result(both[1]), "load": wire.Floats(load, layers, experts)}, nil
}

func moeCalls(c *call) (wire.Values, error) {
	_, logits, err := c.mixture()
	if err != nil {
		return nil, err
	}
	rows := make([]int, c.sizes["E"])
	for _, e := range topK(logits, c.int("k")) {
		rows[e]++
	}
	return wire.Values{"rows": integers(rows)}, nil
}
