//go:build overlay

package seq2seq

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// These tests stand on earlier steps: go test -tags overlay with the overlay of
// `grade bench overlay`. They hold the numbers of the lesson, steps/step20_seq2seq/README.md.

func identity(d int) *tensor.Param {
	w := tensor.New(d, d)
	for i := range d {
		w.Set(1, i, i)
	}
	return tensor.NewParam("", w)
}

func show(x []float32) string { return fmt.Sprintf("%.3f", x) }

// TestWorkedAttend asks a memory of three tokens, of which the last is padding.
func TestWorkedAttend(t *testing.T) {
	a := NewAttend(identity(2), identity(2), identity(2), identity(2), 1)
	x := tensor.From([]float32{2, 0}, 1, 1, 2)
	memory := tensor.From([]float32{1, 0, 0, 1, 3, 3}, 1, 3, 2)
	y := a.Forward(x, memory, PaddingMask([][]bool{{true, true, false}}, 1))
	require.Equal(t, "[0.804 0.196 0.000]", show(a.Attention.Weights().Data))
	require.Equal(t, "[0.804 0.196]", show(y.Data))
	dx, dMemory := a.Backward(tensor.From([]float32{1, 0}, 1, 1, 2))
	require.Equal(t, "[0.111 -0.111]", show(dx.Data))
	require.Equal(t, "[1.027 0.000 -0.027 0.000 0.000 0.000]", show(dMemory.Data))

	a.Forward(x, memory, nil)
	require.Equal(t, "[0.055 0.013 0.932]", show(a.Attention.Weights().Data))
}

// TestWorkedSmoothing has one row of logits, ln 6, ln 3 and ln 1, and the label 0.
func TestWorkedSmoothing(t *testing.T) {
	logits := tensor.From([]float32{float32(math.Log(6)), float32(math.Log(3)), 0}, 1, 1, 3)
	for _, c := range []struct {
		epsilon        float64
		loss, gradient string
	}{{0, "0.511", "[-0.400 0.300 0.100]"}, {0.3, "0.759", "[-0.200 0.200 0.000]"}} {
		s := Smoothing{Epsilon: c.epsilon}
		loss, err := s.Forward(logits, [][]int{{0}})
		require.NoError(t, err)
		require.Equal(t, c.loss, fmt.Sprintf("%.3f", loss))
		require.Equal(t, c.gradient, show(s.Backward().Data))
	}
}

func TestWorkedTexts(t *testing.T) {
	inputs, labels := Teach([][]int{{7, 5, 9}, {4}})
	require.Equal(t, "[[1 7 5 9] [1 4 0 0]] [[7 5 9 2] [4 2 -1 -1]]", fmt.Sprint(inputs, labels))
	require.Equal(t, "1.747e-07 6.988e-04 3.125e-04", fmt.Sprintf("%.3e %.3e %.3e",
		Rate(1, 512, 4000), Rate(4000, 512, 4000), Rate(20000, 512, 4000)))
}

// TestWorkedBeam has the probabilities of the lesson, of End, a and b.
func TestWorkedBeam(t *testing.T) {
	p := map[string][3]float64{ // of End, a and b
		"": {0.1, 0.5, 0.4}, "a": {0.4, 0.3, 0.3}, "b": {0.9, 0.05, 0.05}, "aa": {0.6, 0.2, 0.2}, "ab": {0.6, 0.2, 0.2},
	}
	next := func(prefix []int) []float32 {
		text := ""
		for _, token := range prefix[1:] {
			text += string("ab"[token-First])
		}
		row := []float32{float32(math.Inf(-1)), float32(math.Inf(-1)), 0, 0, 0}
		for i, x := range p[text] {
			row[End+i] = float32(math.Log(x))
		}
		return row
	}
	require.Equal(t, []int{3}, Greedy(next, 3))
	for _, c := range []struct {
		width  int
		alpha  float64
		tokens []int
		score  string
	}{{1, 0, []int{3}, "-1.609"}, {2, 0, []int{4}, "-1.022"}} {
		tokens, score := Beam(next, c.width, 3, c.alpha)
		require.Equal(t, c.tokens, tokens)
		require.Equal(t, c.score, fmt.Sprintf("%.3f", score))
	}
}
