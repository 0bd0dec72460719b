package oracle_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// objective returns the number whose gradient a backward function computes:
// ⟨dy, y⟩, or the loss.
func objective(t *testing.T, name string, in wire.Values) float64 {
	forward := wire.Values{}
	function := name + ".forward"
	if name == "lm" {
		function = "lm.backward" // it returns the loss as well
	}
	for argument, v := range in {
		if !strings.HasPrefix(argument, "d") {
			forward[argument] = v
		}
	}
	out, err := oracle.Eval(function, forward)
	require.NoError(t, err)
	if loss, ok := out["loss"]; ok {
		return loss.F64[0]
	}
	sum := 0.0
	for result, values := range out {
		if gradient, ok := in["d"+result]; ok {
			for i, y := range values.F64 {
				sum += y * gradient.F64[i]
			}
		}
	}
	return sum
}

// Every backward function must return what central differences of its forward
// function give, plus what was in the buffer before. At most a dozen entries of
// each argument are tried.
func TestBackwardAgreesWithCentralDifferences(t *testing.T) {
	const h, tolerance = 1e-5, 1e-7
	rng := rand.New(rand.NewPCG(3, 4))
	for function, in := range cases(t, rng) {
		name, ok := strings.CutSuffix(function, ".backward")
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			out, err := oracle.Eval(function, in)
			require.NoError(t, err)
			if name == "rope" { // rope.backward has no x: any will do
				in = with(in, wire.Values{"x": normal(rng, in["dy"].Shape...)})
			}
			for result, got := range out {
				argument := strings.TrimPrefix(strings.TrimPrefix(result, "grad."), "d")
				if result == "loss" || result == "frozen" { // no gradients of the objective
					continue
				}
				x, before := in[argument], in["d"+argument+"_before"]
				require.Equal(t, x.Shape, got.Shape, result)
				for i := 0; i < x.Len(); i += 1 + x.Len()/12 {
					want := (shifted(t, name, in, argument, i, h) - shifted(t, name, in, argument, i, -h)) / (2 * h)
					if before.DType != "" { // a parameter's
						want += before.F64[i]
					}
					bound := tolerance * (1 + math.Abs(want))
					require.InDeltaf(t, want, got.F64[i], bound, "%s: element %d", result, i)
				}
			}
		})
	}
}

// shifted returns the objective with one element of an argument moved by h.
func shifted(t *testing.T, name string, in wire.Values, argument string, i int, h float64) float64 {
	x := in[argument]
	moved := slices.Clone(x.F64)
	moved[i] += h
	return objective(t, name, with(in, wire.Values{argument: wire.Floats(moved, x.Shape...)}))
}
