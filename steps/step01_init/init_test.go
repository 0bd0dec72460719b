// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.

package initializers_test

import (
	"math"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step01_init"
)

func TestStep01(t *testing.T) { subject.Test(t, "step01", functions) }

var functions = subject.Functions{
	"truncnormal.sample": func(in subject.Args) (wire.Values, error) {
		x := tensor.New(in.Int("n"))
		x.Fill(float32(math.NaN())) // what is not overwritten is seen
		in.Draws(func() {
			TruncatedNormal(x.Data, in.Float("sigma"), in.Float("cut"), Rand(uint64(in.Int("seed")), in.Text("name")))
		})
		return wire.Values{"x": wire.Tensor(x)}, nil
	},
	"linear.weight": func(in subject.Args) (wire.Values, error) {
		var w *tensor.Tensor
		in.Draws(func() {
			w = in.Watch("w", LinearWeight(in.Int("d_out"), in.Int("d_in"),
				Rand(uint64(in.Int("seed")), in.Text("name"))))
		})
		LinearWeight(in.Int("d_out"), in.Int("d_in"), Rand(1, "another")) // which has memory of its own
		return wire.Values{"w": wire.Tensor(w)}, nil
	},
	"embedding.weight": func(in subject.Args) (wire.Values, error) {
		var w *tensor.Tensor
		in.Draws(func() {
			w = in.Watch("w", EmbeddingWeight(in.Int("vocab"), in.Int("d_model"),
				Rand(uint64(in.Int("seed")), in.Text("name"))))
		})
		EmbeddingWeight(in.Int("vocab"), in.Int("d_model"), Rand(1, "another"))
		return wire.Values{"w": wire.Tensor(w)}, nil
	},
	"gain": func(in subject.Args) (wire.Values, error) {
		g := in.Watch("g", Gain(in.Int("d")))
		Gain(in.Int("d")).Fill(0)
		return wire.Values{"g": wire.Tensor(g)}, nil
	},
}
