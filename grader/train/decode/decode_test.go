package decode_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/train/decode"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// These tests are skipped until the steps are implemented. To run them on the
// solutions:
//
//	go run ./cmd/grade bench overlay overlay.json
//	go test -overlay overlay.json ./grader/train/decode

var config = lm.Config{VocabSize: 13, ContextLength: 9, DModel: 24, NumLayers: 2, NumHeads: 3, DFF: 20, RopeTheta: 100}

func newModel(t *testing.T) (m *lm.LM) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Skip(p)
		}
	}()
	return lm.New(config, 5)
}

// TestRead compares every token's logits with those of the whole text at once,
// however the text is cut.
func TestRead(t *testing.T) {
	m, text := newModel(t), []int{3, 1, 4, 1, 5, 9, 2, 6, 12}
	logits, err := m.Forward([][]int{text})
	require.NoError(t, err)
	want := logits.Clone()
	for _, parts := range [][]int{{1, 1, 1, 1, 1, 1, 1, 1, 1}, {9}, {4, 1, 4}, {1, 8}, {2, 3, 4}} {
		d, at := decode.New(m), 0
		for _, n := range parts {
			got, err := d.Read(text[at : at+n]...)
			require.NoError(t, err)
			at += n
			for i, x := range want.Row(at - 1) {
				require.InDelta(t, x, got[i], 1e-5, "token %d of %v, logit %d", at, parts, i)
			}
		}
		require.Zero(t, d.Room())
		_, err := d.Read(0)
		require.ErrorContains(t, err, "at most 9 in all")
	}
	_, err = decode.New(m).Read(13)
	require.Error(t, err)
	_, err = decode.New(m).Read()
	require.Error(t, err)
}

// TestWriter compares with LM.Generate, far beyond the context.
func TestWriter(t *testing.T) {
	m := newModel(t)
	for _, prompt := range [][]int{{7}, {1, 2, 3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11, 12}} {
		s := lm.Sampling{MaxNew: 30, Temperature: 0.9, TopP: 0.95, Stop: -1}
		want, err := m.Generate(prompt, s, rand.New(rand.NewPCG(1, 2)))
		require.NoError(t, err)
		w := decode.NewWriter(m, prompt, s, rand.New(rand.NewPCG(1, 2)))
		for i := range want {
			next, err := w.Next()
			require.NoError(t, err)
			require.Equal(t, want[i], next, "token %d after %v", i, prompt)
		}
	}
	m.Head.Weight.Value.Data[3] = float32(math.NaN())
	_, err := decode.NewWriter(m, []int{1}, lm.Sampling{TopP: 1, Stop: -1}, rand.New(rand.NewPCG(1, 2))).Next()
	require.ErrorContains(t, err, "not finite")
}
