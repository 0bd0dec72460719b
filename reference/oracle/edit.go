package oracle

import (
	"maps"
	"math/rand/v2"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

// Graph is the formula of a function, with its values for some arguments.
type Graph struct {
	Outputs []*autodiff.Tensor          // each with its name
	Reals   map[string]*autodiff.Tensor // the arguments that hold real numbers, used or not
	Sizes   map[string]int              // by letter: D, V
}

// Edit returns the outputs of a formula with a change in it. They stand on the same
// leaves, whose gradients are asked for.
type Edit func(Graph) []*autodiff.Tensor

// EvalEdited is Eval with another formula: the one that edit makes of the right one.
// With a rng its results are a few roundings off, as those of EvalRough are.
func EvalEdited(function string, in wire.Values, edit Edit, rough *rand.Rand) (wire.Values, error) {
	return eval(function, in, func(c *call) { c.edit, c.rough = edit, rough })
}

// edited returns the outputs of a formula as the edit makes them. The declared ones
// have names.
func (c *call) edited(declared []fixtures.Arg, outputs ...*autodiff.Tensor) []*autodiff.Tensor {
	if c.edit == nil {
		return outputs
	}
	for i, d := range declared {
		if outputs[i].Name == "" {
			outputs[i].Named(d.Name)
		}
	}
	g := Graph{Outputs: outputs, Reals: map[string]*autodiff.Tensor{}, Sizes: maps.Clone(c.sizes.Letters())}
	for name, v := range c.in {
		if len(v.Shape) > 0 && (v.DType == wire.F32 || v.DType == wire.F64) {
			g.Reals[name] = c.tensor(name)
		}
	}
	return c.edit(g)
}

// What follows are pieces as parts of a larger formula.

func linearOf(x, w *autodiff.Tensor) *autodiff.Tensor {
	return autodiff.Part("linear", func(in []*autodiff.Tensor) *autodiff.Tensor { return Linear(in[0], in[1]) }, x, w)
}

func normOf(x, g *autodiff.Tensor) *autodiff.Tensor {
	return autodiff.Part("RMSNorm", func(in []*autodiff.Tensor) *autodiff.Tensor { return RMSNorm(in[0], in[1]) }, x, g)
}

func siluOf(x *autodiff.Tensor) *autodiff.Tensor {
	return autodiff.Part("SiLU", func(in []*autodiff.Tensor) *autodiff.Tensor { return SiLU(in[0]) }, x)
}

func softmaxOf(x *autodiff.Tensor, axis int) *autodiff.Tensor {
	return autodiff.Part("softmax", func(in []*autodiff.Tensor) *autodiff.Tensor { return Softmax(in[0], axis) }, x)
}

func logSumExpOf(x *autodiff.Tensor, axis int) *autodiff.Tensor {
	return autodiff.Part("logsumexp", func(in []*autodiff.Tensor) *autodiff.Tensor { return LogSumExp(in[0], axis) }, x)
}

func ropeOf(x *autodiff.Tensor, positions Indices, theta float64) *autodiff.Tensor {
	return autodiff.Part("RoPE", func(in []*autodiff.Tensor) *autodiff.Tensor { return RoPE(in[0], positions, theta) }, x)
}
