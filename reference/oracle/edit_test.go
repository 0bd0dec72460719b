package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// An edit sees the formula with its names and sizes, and what it returns is answered.
func TestEvalEdited(t *testing.T) {
	in := wire.Values{"x": wire.Float32s([]float32{3, 4}, 1, 2), "g": wire.Float32s([]float32{2, 0.5}, 2),
		"dy": wire.Float32s([]float32{1, 2}, 1, 2), "dg_before": wire.Float32s([]float32{10, 20}, 2)}
	right, err := oracle.Eval("rmsnorm.backward", in)
	require.NoError(t, err)
	same, err := oracle.EvalEdited("rmsnorm.backward", in, func(g oracle.Graph) []*autodiff.Tensor {
		require.Equal(t, "y", g.Outputs[0].Name)
		require.Equal(t, "h", g.Outputs[0].Recipe.Inputs[0].Name)
		require.Equal(t, 2, g.Sizes["D"])
		require.Len(t, g.Reals, 4)
		return g.Outputs
	}, nil)
	require.NoError(t, err)
	require.Equal(t, right, same)

	other, err := oracle.EvalEdited("rmsnorm.backward", in, func(g oracle.Graph) []*autodiff.Tensor {
		return []*autodiff.Tensor{autodiff.Scale(g.Outputs[0], 2)}
	}, nil)
	require.NoError(t, err)
	require.InDelta(t, 2*right["dx"].F64[0], other["dx"].F64[0], 1e-12)
	require.InDelta(t, 10+2*(right["dg"].F64[0]-10), other["dg"].F64[0], 1e-12)
}

// Every function whose answer is a formula shows it: an edit that doubles the results
// changes the answer.
func TestEveryFormulaIsShown(t *testing.T) {
	set, err := fixtures.Load()
	require.NoError(t, err)
	for _, f := range []string{"linear.forward", "linear.backward", "embedding.forward", "embedding.backward", "rmsnorm.forward",
		"rmsnorm.backward", "silu.forward", "silu.backward", "swiglu.forward", "swiglu.backward", "rope.forward", "rope.backward",
		"softmax.forward", "softmax.backward", "logsumexp", "cross_entropy.forward", "cross_entropy.backward",
		"attention.forward", "attention.backward", "multihead.forward", "multihead.backward", "block.forward", "block.backward"} {
		t.Run(f, func(t *testing.T) {
			in := set.Cases(f)[0].In
			right, err := oracle.Eval(f, in)
			require.NoError(t, err)
			double, err := oracle.EvalEdited(f, in, func(g oracle.Graph) []*autodiff.Tensor {
				for i, t := range g.Outputs {
					g.Outputs[i] = autodiff.Scale(t, 2)
				}
				return g.Outputs
			}, nil)
			require.NoError(t, err)
			require.NotEqual(t, right, double)
		})
	}
}
