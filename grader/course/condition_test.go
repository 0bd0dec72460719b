package course

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/reference/wire"
)

// A case of which rounding decides the answer is not well-conditioned.
func TestWellConditioned(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	ordinary := wire.Values{"x": Normal(rng, 1, 3, 5), "w": Normal(rng, 1, 7, 5)}
	row := func(x ...float32) wire.Value { return wire.Float32s(x, 1, len(x)) }
	logits := func(x ...float32) wire.Values {
		return wire.Values{"logits": wire.Float32s(x, len(x)), "temperature": wire.Float(1), "top_p": wire.Float(0.5)}
	}
	scores := func(a, b float32) wire.Values {
		return wire.Values{"q": row(100), "k": wire.Float32s([]float32{a, b}, 2, 1), "v": wire.Float32s([]float32{1, 2}, 2, 1), "mask": wire.Bools([]bool{true, true}, 1, 2)}
	}
	tests := map[string]struct {
		function string
		in       wire.Values
		want     bool
	}{
		"a layer":                           {"linear.forward", ordinary, true},
		"a sum that cancels":                {"linear.forward", wire.Values{"x": row(1, 1, 1), "w": row(1000, 1e-3, -1000)}, false},
		"scores far apart":                  {"attention.forward", scores(-300, -310), true},
		"scores near -30,000, next door":    {"attention.forward", scores(-300, -300.001), false},
		"a nucleus with room":               {"sample.probs", logits(3, 1, 0, 0), true},
		"a nucleus that ends at a rounding": {"sample.probs", logits(1, 1, 1, 1), false},
	}
	set, err := fixtures.Load()
	require.NoError(t, err)
	e := &Exam{Step: &Step{}, Fixtures: set}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			want, err := Truth(tt.function, tt.in)
			require.NoError(t, err)
			well, err := e.settled(Drawing{Function: tt.function}).wellConditioned(tt.in, want, nil)
			require.NoError(t, err)
			require.Equal(t, tt.want, well)
		})
	}
}

// A seed settles every case that is drawn, those that are drawn again too.
func TestDrawnRepeats(t *testing.T) {
	softmax := func(rng *rand.Rand) wire.Values {
		return wire.Values{"x": Normal(rng, 1, 3, 5), "axis": wire.Int(-1)}
	}
	draw := func() wire.Values {
		set, err := fixtures.Load()
		require.NoError(t, err)
		e := &Exam{Step: &Step{}, Fixtures: set, Rng: rand.New(rand.NewPCG(3, 4))}
		in, _, err := e.Drawn(Drawing{Function: "softmax.forward", Draw: softmax})
		require.NoError(t, err)
		return in
	}
	require.Equal(t, draw(), draw())
}

// What Forward returns may cancel where the gradients do not: L of one key is its score, and
// the gradients of q and k are 0 whatever it is.
func TestForwardIsWellConditioned(t *testing.T) {
	set, err := fixtures.Load()
	require.NoError(t, err)
	e := &Exam{Step: &Step{ID: "step16", Functions: fixtures.Contract("step16_flash")}, Fixtures: set, Rng: rand.New(rand.NewPCG(1, 2))}
	keys := []float32{-0.9999, 2} // for a query (1, 1) and a key (1, …)
	draw := func(*rand.Rand) wire.Values {
		key := keys[0]
		keys = keys[1:]
		return wire.Values{"q": wire.Float32s([]float32{1, 1}, 1, 2), "k": wire.Float32s([]float32{1, key}, 1, 2),
			"v": wire.Float32s([]float32{3}, 1, 1), "dy": wire.Float32s([]float32{1}, 1, 1),
			"causal": wire.Int(0), "tile_n": wire.Int(2), "tile_m": wire.Int(2)}
	}
	in, _, err := Layer{Forward: "flash.forward", Backward: "flash.backward", Input: "q"}.drawn(e, draw)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2}, in["k"].F32)
}
