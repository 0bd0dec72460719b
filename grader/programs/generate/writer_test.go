package writer_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	writer "github.com/stubformer/stubformer/grader/programs/generate"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// This test is skipped until the steps are implemented. To run it on the
// solutions:
//
//	go run ./cmd/grade bench overlay overlay.json
//	go test -overlay overlay.json ./grader/programs/generate
//
// With step 12 left out of the overlay the writer recomputes.

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

// TestWriter compares with LM.Generate, far beyond the context.
func TestWriter(t *testing.T) {
	m := newModel(t)
	for _, prompt := range [][]int{{7}, {1, 2, 3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11, 12}} {
		s := lm.Sampling{MaxNew: 30, Temperature: 0.9, TopP: 0.95, Stop: -1}
		want, err := m.Generate(prompt, s, rand.New(rand.NewPCG(1, 2)))
		require.NoError(t, err)
		w := writer.New(m, prompt, s, rand.New(rand.NewPCG(1, 2)))
		for i := range want {
			next, err := w.Next()
			require.NoError(t, err)
			require.Equal(t, want[i], next, "token %d after %v", i, prompt)
		}
		t.Logf("with a cache: %v", w.Cached())
	}
	m.Head.Weight.Value.Data[3] = float32(math.NaN())
	_, err := writer.New(m, []int{1}, lm.Sampling{TopP: 1, Stop: -1}, rand.New(rand.NewPCG(1, 2))).Next()
	require.ErrorContains(t, err, "not finite")
}
