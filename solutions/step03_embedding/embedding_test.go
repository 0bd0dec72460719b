package embedding

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWorkedExample holds the numbers of the lesson, steps/step03_embedding/README.md.
func TestWorkedExample(t *testing.T) {
	w := tensor.NewParam("w", tensor.From([]float32{0.1, 0.2, 1, -1, 0.5, 2}, 3, 2))
	e := New(w)

	y, err := e.Forward([][]int{{2, 0}, {2, 1}})
	require.NoError(t, err)
	require.Equal(t, []int{2, 2, 2}, y.Shape)
	require.Equal(t, []float32{0.5, 2, 0.1, 0.2, 0.5, 2, 1, -1}, y.Data)

	e.Backward(tensor.From([]float32{1, 2, 3, 4, 10, 20, -1, 0}, 2, 2, 2))
	require.Equal(t, []float32{3, 4, -1, 0, 11, 22}, w.Grad.Data)

	_, err = e.Forward([][]int{{2, 0}, {3, 1}})
	require.EqualError(t, err, "Embedding.Forward: ids[1][0]: got 3, want 0 ≤ index < 3")
}

// TestOneHot checks that a look-up is a product with rows that hold a single 1.
func TestOneHot(t *testing.T) {
	w := tensor.From([]float32{0.1, 0.2, 1, -1, 0.5, 2}, 3, 2)
	oneHot := tensor.From([]float32{0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0}, 4, 3)
	dy := tensor.From([]float32{1, 2, 3, 4, 10, 20, -1, 0}, 4, 2)

	y, dw := tensor.New(4, 2), tensor.New(3, 2)
	tensor.Mul(y.Matrix(), oneHot.Matrix(), w.Matrix())
	tensor.Mul(dw.Matrix(), oneHot.Matrix().T(), dy.Matrix())
	require.Equal(t, []float32{0.5, 2, 0.1, 0.2, 0.5, 2, 1, -1}, y.Data)
	require.Equal(t, []float32{3, 4, -1, 0, 11, 22}, dw.Data)
}
