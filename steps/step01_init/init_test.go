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
		TruncatedNormal(x.Data, in.Float("sigma"), in.Float("cut"), Rand(uint64(in.Int("seed")), in.Text("name")))
		return wire.Values{"x": wire.Tensor(x)}, nil
	},
	"linear.weight": func(in subject.Args) (wire.Values, error) {
		w := LinearWeight(in.Int("d_out"), in.Int("d_in"), Rand(uint64(in.Int("seed")), in.Text("name")))
		return wire.Values{"w": wire.Tensor(w)}, nil
	},
	"embedding.weight": func(in subject.Args) (wire.Values, error) {
		w := EmbeddingWeight(in.Int("vocab"), in.Int("d_model"), Rand(uint64(in.Int("seed")), in.Text("name")))
		return wire.Values{"w": wire.Tensor(w)}, nil
	},
	"gain": func(in subject.Args) (wire.Values, error) {
		return wire.Values{"g": wire.Tensor(Gain(in.Int("d")))}, nil
	},
}
