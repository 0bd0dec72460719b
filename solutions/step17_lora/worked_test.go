package lora

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWorkedExample holds the numbers of the lesson, steps/step17_lora/README.md.
func TestWorkedExample(t *testing.T) {
	t.Run("layer", func(t *testing.T) {
		w := tensor.NewParam("w", tensor.From([]float32{1, 0.5, -2, 3}, 2, 2))
		a := tensor.NewParam("a", tensor.From([]float32{1, -1}, 1, 2))
		b := tensor.NewParam("b", tensor.From([]float32{0.5, -1}, 2, 1))
		x := tensor.From([]float32{3, 1}, 1, 2)
		l := New(w, a, b, 2)
		require.Equal(t, []float32{5.5, -7}, l.Forward(x).Data)
		require.Equal(t, []float32{4}, l.u.Data)
		dx := l.Backward(tensor.From([]float32{1, 2}, 1, 2))
		require.Equal(t, []float32{-6, 9.5}, dx.Data)
		require.Equal(t, []float32{-3}, l.du.Data)
		require.Equal(t, []float32{4, 8}, b.Grad.Data)
		require.Equal(t, []float32{-9, -3}, a.Grad.Data)
		require.Equal(t, []float32{0, 0, 0, 0}, w.Grad.Data)

		require.Equal(t, []float32{1, -1, -2, 2}, l.Delta().Data)
		l.Merge()
		require.Equal(t, []float32{2, -0.5, -4, 5}, w.Value.Data)
		require.Equal(t, []float32{5.5, -7}, l.Forward(x).Data)
	})
	t.Run("example", func(t *testing.T) {
		e := NewExample([]int{5, 7}, []int{2, 9}, 1)
		require.Equal(t, Example{IDs: []int{5, 7, 2, 9}, Targets: []int{7, 2, 9, 1},
			Counted: []bool{false, true, true, true}}, e)
	})
	t.Run("loss", func(t *testing.T) {
		logits := tensor.New(2, 2, 2) // of the target, which is 0, and of the other token
		for row, odds := range []float64{1, 3, 7, 1} {
			logits.Row(row)[1] = float32(math.Log(odds))
		}
		var l AnswerLoss
		loss, err := l.Forward(logits, [][]int{{0, 0}, {0, 0}}, [][]bool{{true, true}, {true, false}})
		require.NoError(t, err)
		require.Equal(t, "1.386", fmt.Sprintf("%.3f", loss))
	})
}
