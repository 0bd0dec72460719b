//go:build overlay

package kvcache

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// These tests stand on steps 08 and 10: go test -tags overlay with the overlay of
// `grade bench overlay`.

// TestWorkedExample holds the numbers of the lesson, steps/step12_kvcache/README.md:
// one head of K = 2, keys and queries after RoPE.
func TestWorkedExample(t *testing.T) {
	r := float32(math.Sqrt2 * math.Log(3))
	q := tensor.From([]float32{r, 0, 0, r, float32(math.Sqrt2 * math.Ln2), 0}, 3, 2)
	keys := tensor.From([]float32{1, 0, 0, 1, 1, 1, 0, 0}, 4, 2) // T_max = 4, and the last place is empty
	values := tensor.From([]float32{2, 0, 0, 4, 6, 1, 0, 0}, 4, 2)
	attend := func(past, n, seen int, mask *attention.Mask) string {
		var a attention.Attention
		return fmt.Sprintf("%.2f", a.Forward(q.Slice(past, past+n), keys.Slice(0, seen), values.Slice(0, seen),
			mask).Data)
	}
	square := &attention.Mask{N: 2, M: 3, Attend: []bool{true, false, false, true, true, false}}
	for name, c := range map[string]struct{ got, want string }{
		"at once":              {attend(0, 3, 3, Mask(0, 3)), "[2.00 0.00 0.50 3.00 3.20 1.20]"},
		"two tokens":           {attend(0, 2, 2, Mask(0, 2)), "[2.00 0.00 0.50 3.00]"},
		"and the third":        {attend(2, 1, 3, nil), "[3.20 1.20]"},
		"one token":            {attend(0, 1, 1, nil), "[2.00 0.00]"},
		"and two":              {attend(1, 2, 3, Mask(1, 2)), "[0.50 3.00 3.20 1.20]"},
		"and two, square mask": {attend(1, 2, 3, square), "[2.00 0.00 1.33 1.33]"},
		"without itself":       {attend(2, 1, 2, nil), "[1.33 1.33]"},
		"with the empty place": {attend(2, 1, 4, nil), "[2.67 1.00]"},
	} {
		require.Equal(t, c.want, c.got, name)
	}
	tiny := lm.Config{VocabSize: 5, ContextLength: 8, DModel: 4, NumLayers: 1, NumHeads: 2, DFF: 8, RopeTheta: 10000}
	for past, want := range map[int][2]int{0: {376, 376}, 3: {424, 1696}, 7: {488, 3904}} {
		require.Equal(t, want, [2]int{FLOPs(tiny, past, 1), FLOPsWithout(tiny, past, 1)}, "the token at position %d",
			past)
	}
	require.Equal(t, lm.ForwardFLOPs(tiny, 1, 3), FLOPs(tiny, 0, 3))
	require.Equal(t, 2*1*1*8*4*4, New(lm.New(tiny, 0), 1, 8).Bytes())
}

// TestWhatItSaves prints the lesson's table: what the next token costs.
func TestWhatItSaves(t *testing.T) {
	for _, m := range []struct {
		name string
		lm.Config
	}{
		{"small", lm.Config{VocabSize: 91, DModel: 128, NumLayers: 4, DFF: 320}},
		{"base", lm.Config{VocabSize: 10_000, DModel: 512, NumLayers: 4, DFF: 1344}},
		{"Llama 7B", lm.Config{VocabSize: 32_000, DModel: 4096, NumLayers: 32, DFF: 11_008}},
	} {
		for _, past := range []int{0, 63, 255, 1023, 4095} {
			with, without := FLOPs(m.Config, past, 1), FLOPsWithout(m.Config, past, 1)
			t.Logf("%-8s  position %-5d with %10.4f GFLOP, without %12.4f GFLOP, %.0f times; keys and values %9.3f MB",
				m.name, past, float64(with)/1e9, float64(without)/1e9, float64(without)/float64(with),
				float64(2*m.NumLayers*(past+1)*m.DModel*4)/1e6)
		}
	}
}

// TestClock prints how many tokens a second a small model reads at some positions,
// one by one: with the cache, and with the whole text again for each. It is the
// experiment of the lesson, and with GOMAXPROCS=1 prints its table.
func TestClock(t *testing.T) {
	if !testing.Verbose() {
		t.Skip("it prints what it measures: go test -v")
	}
	const longest, measured = 1024, 8
	m := lm.New(lm.Config{VocabSize: 91, ContextLength: longest + measured, DModel: 128, NumLayers: 4, NumHeads: 4,
		DFF: 320, RopeTheta: 10000}, 1)
	text, c := make([]int, longest+measured), New(m, 1, longest+measured)
	fastest := func(position int, read func(p int)) float64 {
		best := time.Hour // of processor time, to which other programs on the machine add little
		for p := position; p < position+measured; p++ {
			begin := cputime.Process()
			read(p)
			best = min(best, cputime.Process()-begin)
		}
		return 1 / best.Seconds()
	}
	for _, position := range []int{16, 64, 256, longest} {
		_, err := c.Last([][]int{text[c.Len(0):position]})
		require.NoError(t, err)
		with := fastest(position, func(p int) {
			_, err := c.Last([][]int{text[p : p+1]})
			require.NoError(t, err)
		})
		without := fastest(position, func(p int) {
			_, err := m.Forward([][]int{text[:p+1]})
			require.NoError(t, err)
		})
		t.Logf("position %-5d %6.0f tokens/s with the cache, %6.0f without", position, with, without)
	}
}
