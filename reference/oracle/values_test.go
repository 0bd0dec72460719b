package oracle_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// eval returns the named result of a call that must succeed.
func eval(t *testing.T, function, result string, in wire.Values) wire.Value {
	t.Helper()
	out, err := oracle.Eval(function, in)
	require.NoError(t, err)
	require.Contains(t, out, result)
	return out[result]
}

// requireClose compares element by element: NaN meets NaN, ±Inf the same Inf,
// and otherwise |got − want| ≤ 1e-12·(1 + |want|).
func requireClose(t *testing.T, want, got []float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		same := got[i] == w || math.IsNaN(got[i]) && math.IsNaN(w)
		require.Truef(t, same || math.Abs(got[i]-w) <= 1e-12*(1+math.Abs(w)), "element %d: got %v, want %v", i, got[i], w)
	}
}

// worked is a call whose result can be worked out by hand.
type worked struct {
	name, function, result string
	in                     wire.Values
	want                   []float64
}

func TestValuesWorkedOutByHand(t *testing.T) {
	for _, c := range append(workedLayers(), workedSoftmax()...) {
		t.Run(c.function+"/"+c.name, func(t *testing.T) {
			requireClose(t, c.want, eval(t, c.function, c.result, c.in).F64)
		})
	}
}

func row(values ...float64) wire.Value { return wire.Floats(values, len(values)) }

// rows returns a matrix with n columns.
func rows(n int, values ...float64) wire.Value { return wire.Floats(values, len(values)/n, n) }

func workedLayers() []worked {
	nan := math.NaN()
	σ1 := 1 / (1 + math.Exp(-1))
	return []worked{
		{"ones", "gain", "g", wire.Values{"d": wire.Int(2)}, []float64{1, 1}},
		{"rows of the weight", "linear.forward", "y",
			wire.Values{"x": row(1, 2), "w": rows(2, 1, 0, 0, 1, 3, 4)}, []float64{1, 2, 11}},
		{"3 4 has mean square 12.5", "rmsnorm.forward", "y",
			wire.Values{"x": row(3, 4), "g": row(1, 2)}, []float64{3 / math.Sqrt(12.50001), 8 / math.Sqrt(12.50001)}},
		{"NaN stays in its row", "rmsnorm.forward", "y",
			wire.Values{"x": rows(1, nan, 0), "g": row(1)}, []float64{nan, 0}},
		{"huge values", "silu.forward", "y",
			wire.Values{"x": row(-1e300, -1000, 0, 1, 1000, 1e300)}, []float64{0, 0, 0, σ1, 1000, 1e300}},
		{"huge values", "silu.backward", "dx",
			wire.Values{"x": row(-1e300, -1000, 0, 1, 1000, 1e300), "dy": row(1, 1, 1, 1, 1, 1)},
			[]float64{0, 0, 0.5, σ1 * (1 + 1 - σ1), 1, 1}},
		{"interleaved pairs", "rope.forward", "y",
			wire.Values{"x": wire.Floats([]float64{1, 0, 0, 1}, 1, 1, 1, 4), "positions": wire.Ints([]int64{3}, 1, 1),
				"theta": wire.Float(100), "max_seq_len": wire.Int(4)},
			[]float64{math.Cos(3), math.Sin(3), -math.Sin(0.3), math.Cos(0.3)}},
		{"positions by frequencies", "rope.tables", "sin",
			wire.Values{"theta": wire.Float(100), "d_k": wire.Int(4), "max_seq_len": wire.Int(3)},
			[]float64{0, 0, math.Sin(1), math.Sin(0.1), math.Sin(2), math.Sin(0.2)}},
	}
}

// workedSoftmax holds what is built on exponentials that may overflow.
func workedSoftmax() []worked {
	inf, nan := math.Inf(1), math.NaN()
	return []worked{
		{"huge values", "softmax.forward", "y",
			wire.Values{"x": rows(2, 1e308, 1e308, -1e308, 1e308, 1e4, 1e4-math.Ln2), "axis": wire.Int(-1)},
			[]float64{0.5, 0.5, 0, 1, 2. / 3, 1. / 3}},
		{"masked row gives zeros, NaN stays in its row", "softmax.forward", "y",
			wire.Values{"x": rows(2, -inf, -inf, 1, nan, -inf, 5), "axis": wire.Int(-1)}, []float64{0, 0, nan, nan, 0, 1}},
		{"masked row has no gradient", "softmax.backward", "dx",
			wire.Values{"x": rows(2, -inf, -inf, 0, 0), "dy": rows(2, 1, 2, 1, 2), "axis": wire.Int(-1)}, []float64{0, 0, -0.25, 0.25}},
		{"first axis", "softmax.forward", "y",
			wire.Values{"x": rows(2, 0, 1, 0, 1, 0, 1, 0, 1), "axis": wire.Int(0)}, []float64{.25, .25, .25, .25, .25, .25, .25, .25}},
		{"infinite rows", "logsumexp", "y",
			wire.Values{"x": rows(2, -inf, -inf, inf, 0, nan, 0, 1e300, 1e300, 0, 0), "axis": wire.Int(-1)},
			[]float64{-inf, inf, nan, 1e300, math.Ln2}},
		{"mean over all tokens", "cross_entropy.forward", "loss",
			wire.Values{"logits": wire.Floats([]float64{0, 0, 0, math.Log(3)}, 1, 2, 2), "targets": wire.Ints([]int64{1, 0}, 1, 2)},
			[]float64{(math.Log(2) + math.Log(4)) / 2}},
		{"NaN stays in its row", "cross_entropy.backward", "dlogits",
			wire.Values{"logits": wire.Floats([]float64{nan, 0, 0, 0}, 1, 2, 2), "targets": wire.Ints([]int64{1, 0}, 1, 2)},
			[]float64{nan, nan, -0.25, 0.25}},
		{"a forbidden logit", "cross_entropy.backward", "dlogits",
			wire.Values{"logits": wire.Floats([]float64{-inf, 0, -inf, 0}, 1, 2, 2), "targets": wire.Ints([]int64{1, 0}, 1, 2)},
			[]float64{0, 0, -0.5, 0.5}},
		{"scaled by 1/√K, masked query gives zeros", "attention.forward", "y",
			wire.Values{"q": rows(4, 1, 1, 1, 1, 9, 9, 9, 9), "k": rows(4, 0, 0, 0, 0, math.Ln2, math.Ln2, 0, 0), "v": rows(1, 3, 6),
				"mask": wire.Bools([]bool{true, true, false, false}, 2, 2)}, []float64{5, 0}},
		{"temperature 0: the first largest", "sample.probs", "probs",
			wire.Values{"logits": row(1, 3, 3), "temperature": wire.Float(0), "top_p": wire.Float(1)}, []float64{0, 1, 0}},
		{"temperature", "sample.probs", "probs",
			wire.Values{"logits": row(0, math.Log(2)), "temperature": wire.Float(0.5), "top_p": wire.Float(1)}, []float64{0.2, 0.8}},
		{"the token that crosses p is kept", "sample.probs", "probs",
			wire.Values{"logits": row(math.Log(0.2), math.Log(0.5), math.Log(0.3)), "temperature": wire.Float(1), "top_p": wire.Float(0.6)},
			[]float64{0, 0.625, 0.375}},
	}
}

func TestDFF(t *testing.T) {
	for dModel, want := range map[int]int64{1: 64, 35: 64, 36: 128, 59: 128, 60: 192, 128: 320, 512: 1344, 4096: 10944} {
		require.Equal(t, want, eval(t, "dff", "d_ff", wire.Values{"d_model": wire.Int(dModel)}).I64[0], "d_model %d", dModel)
	}
}

func TestCausalMask(t *testing.T) {
	require.Equal(t, wire.Bools([]bool{true, false, false, true, true, false, true, true, true}, 3, 3),
		eval(t, "causal_mask", "mask", wire.Values{"n": wire.Int(3)}))
}

// Two samples as one batch with one row of positions, or with a row each.
func TestOneRowOfPositionsServesTheBatch(t *testing.T) {
	in := forwardCases(rand.New(rand.NewPCG(5, 6)))["multihead.forward"]
	shared := with(in, wire.Values{"positions": wire.Ints([]int64{7, 1, 2}, 1, 3)})
	each := with(in, wire.Values{"positions": wire.Ints([]int64{7, 1, 2, 7, 1, 2}, 2, 3)})
	require.Equal(t, eval(t, "multihead.forward", "y", shared), eval(t, "multihead.forward", "y", each))
	require.NotEqual(t, eval(t, "multihead.forward", "y", in), eval(t, "multihead.forward", "y", each))
}

// A mask for the whole batch, or one for each leading index.
func TestOneMaskServesTheBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	in := forwardCases(rng)["attention.forward"]
	one := someMask(rng, 1, 3, 5).Bool
	shared := with(in, wire.Values{"mask": wire.Bools(one, 3, 5)})
	each := with(in, wire.Values{"mask": wire.Bools(append(one, one...), 2, 3, 5)})
	require.Equal(t, eval(t, "attention.forward", "y", shared), eval(t, "attention.forward", "y", each))
}

func TestEmptyBatches(t *testing.T) {
	none := func(shape ...int) wire.Value { return wire.Floats([]float64{}, shape...) }
	rng := rand.New(rand.NewPCG(7, 8))
	all := forwardCases(rng)
	for _, c := range []struct {
		function, result string
		change           wire.Values
		want             []int
	}{
		{"linear.forward", "y", wire.Values{"x": none(0, 4)}, []int{0, 5}},
		{"embedding.forward", "y", wire.Values{"ids": wire.Ints([]int64{}, 0, 5)}, []int{0, 5, 3}},
		{"rmsnorm.forward", "y", wire.Values{"x": none(2, 0, 5)}, []int{2, 0, 5}},
		{"silu.forward", "y", wire.Values{"x": none(0)}, []int{0}},
		{"swiglu.forward", "y", wire.Values{"x": none(0, 4)}, []int{0, 4}},
		{"rope.forward", "y", wire.Values{"x": none(0, 4, 6), "positions": wire.Ints([]int64{}, 0, 4)}, []int{0, 4, 6}},
		{"softmax.forward", "y", wire.Values{"x": none(3, 0, 2)}, []int{3, 0, 2}},
		{"logsumexp", "y", wire.Values{"x": none(3, 4, 0)}, []int{3, 0}},
		{"multihead.forward", "y", wire.Values{"x": none(0, 3, 8), "positions": wire.Ints([]int64{0, 1, 2}, 1, 3)}, []int{0, 3, 8}},
		{"lm.forward", "logits", wire.Values{"ids": wire.Ints([]int64{}, 2, 0)}, []int{2, 0, 11}},
	} {
		t.Run(c.function, func(t *testing.T) {
			require.Equal(t, c.want, eval(t, c.function, c.result, with(all[c.function], c.change)).Shape)
		})
	}
}
