//go:build overlay

package paged

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// These tests stand on steps 06, 07, 08 and 10: go test -tags overlay with the overlay of
// `grade bench overlay`.

// TestWorkedExample holds the numbers of the lesson, steps/step22_paged/README.md.
func TestWorkedExample(t *testing.T) {
	p := NewPool(1, 1, 1, 6, 2)
	one := func(x float64) *tensor.Tensor { return tensor.From([]float32{float32(x)}, 1, 1, 1) }
	next := func(text *Text, weight, value float64) {
		require.NoError(t, text.Append(1))
		text.Write(0, one(math.Log(weight)), one(value))
	}
	y := func(text *Text) string { return fmt.Sprintf("%.3f", text.Attend(0, one(1)).Data[0]) }

	a := p.NewText()
	next(a, 1, 6)
	next(a, 2, 3)
	next(a, 3, 9)
	require.Equal(t, "6.500", y(a))
	require.Equal(t, 4, p.Free())
	b := a.Fork()
	require.Equal(t, []int{2, 2}, p.holders[:2])
	next(b, 4, -2)
	require.Equal(t, "3.100", y(b))
	next(a, 1, 16)
	require.Equal(t, "7.857", y(a))
	require.Equal(t, "3.100", y(b))
	require.Equal(t, []int{2, 1, 1}, p.holders[:3])
	require.Equal(t, 3, p.Free())
	require.NoError(t, a.Append(1))
	require.Equal(t, [][]int{{0, 1, 3}, {0, 2}}, [][]int{a.Pages(), b.Pages()})

	left := make([]float32, 3)
	Residual(left, []float32{0.5, 0.3, 0.2}, []float32{0.2, 0.7, 0.1})
	require.Equal(t, "[0.75 0.00 0.25]", fmt.Sprintf("%.2f", left))
}

// TestSixteenTexts holds the pages of the lesson's table.
func TestSixteenTexts(t *testing.T) {
	p := NewPool(1, 1, 1, 300, 16)
	texts := []*Text{p.NewText()}
	require.NoError(t, texts[0].Append(1000))
	for range 15 {
		texts = append(texts, texts[0].Fork())
	}
	for _, text := range texts {
		require.NoError(t, text.Append(200))
	}
	require.Equal(t, 270, 300-p.Free())
}
