// Command window is a milestone: the last characters, side by side, through the
// feed-forward network of step 05.
//
// Letters: B batch, T time, C characters in the window, E numbers for each of them,
// F the width of the hidden layer, V vocabulary.
package main

import (
	early "github.com/stubformer/stubformer/grader/programs/milestone"
	"github.com/stubformer/stubformer/reference/tensor"
	initializers "github.com/stubformer/stubformer/steps/step01_init"
	linear "github.com/stubformer/stubformer/steps/step02_linear"
	embedding "github.com/stubformer/stubformer/steps/step03_embedding"
	swiglu "github.com/stubformer/stubformer/steps/step05_swiglu"
)

// C, E and F.
const (
	characters = 3
	numbers    = 16
	hidden     = 128
)

func main() {
	r := early.Recipe{Context: 32, Batch: 32, Steps: 500, Rate: 0.002}
	early.Main(r, func(vocab int) early.Model { return newWindow(vocab) })
}

// window is an early.Model.
type window struct {
	embedding *embedding.Embedding // (V, E)
	network   *swiglu.SwiGLU       // from C·E to F and back
	head      *linear.Linear       // (V, C·E)
}

func newWindow(vocab int) *window {
	const d = characters * numbers
	weight := func(name string, out, in int) *tensor.Param {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(1, name)))
	}
	table := initializers.EmbeddingWeight(vocab, numbers, initializers.Rand(1, "embedding"))
	return &window{
		embedding: embedding.New(tensor.NewParam("embedding", table)),
		network:   swiglu.New(weight("w1", hidden, d), weight("w2", d, hidden), weight("w3", hidden, d)),
		head:      linear.New(weight("head", vocab, d)),
	}
}

// Forward looks up the window that ends at each token, C ids of it, and lays their
// numbers side by side: (B·T, C, E) is (B, T, C·E). What lies before the beginning
// of a text is id 0.
func (m *window) Forward(ids [][]int) (*tensor.Tensor, error) {
	var windows [][]int
	for _, row := range ids {
		padded := append(make([]int, characters-1), row...)
		for t := range row {
			windows = append(windows, padded[t:t+characters])
		}
	}
	x, err := m.embedding.Forward(windows)
	if err != nil {
		return nil, err
	}
	x = tensor.From(x.Data, len(ids), len(ids[0]), characters*numbers)
	return m.head.Forward(m.network.Forward(x)), nil
}

func (m *window) Backward(dlogits *tensor.Tensor) {
	dx := m.network.Backward(m.head.Backward(dlogits))
	m.embedding.Backward(tensor.From(dx.Data, dx.Rows(), characters, numbers))
}

func (m *window) Params() []*tensor.Param {
	return append(append(m.embedding.Params(), m.network.Params()...), m.head.Params()...)
}
