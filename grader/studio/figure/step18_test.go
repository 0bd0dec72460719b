package figure

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/tensor"
)

// TestExperts looks at a model whose router knows the tokens apart, and at one later in
// the same run whose router knows nothing: there the first two experts take all. k is 2,
// and the second choice is the first of those that are left.
func TestExperts(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	dir := t.TempDir()
	c := run.Config{Schema: run.Schema, VocabSize: 5, Settings: run.Settings{Model: run.Model{ContextLength: 3, DModel: 8, NumLayers: 1,
		NumHeads: 2, DFF: 4, RopeTheta: 10000, With: []string{"moe"}, Experts: run.Experts{NumExperts: 3, ExpertsPerToken: 2}}}}
	require.NoError(t, c.Write(dir))
	require.NoError(t, whole.Write(filepath.Join(dir, tokenizer.AlphabetFile), []byte(" Zabc")))
	var text []byte
	for _, id := range []uint16{1, 2, 3, 0, 4, 2, 4, 3} { // "Zab cacb"
		text = binary.LittleEndian.AppendUint16(text, id)
	}
	require.NoError(t, whole.Write(filepath.Join(dir, run.ValidationFile), text))
	require.NoError(t, weights.Write(filepath.Join(dir, run.WeightsFile), routedState(c, nil)))
	o := Options{Kit: kit, Impl: grader.Solutions, Runs: []string{dir}}
	_, err = Make(context.Background(), "experts", o)
	require.ErrorContains(t, err, "has no snapshots of the training, so there is nothing to draw; train it again")

	for step, takes := range map[int][]int{0: {0, 0, 1, 2, 2}, 10: nil} {
		file, err := run.NewSnapshot(dir, step)
		require.NoError(t, err)
		require.NoError(t, weights.Write(file, routedState(c, takes)))
	}
	drawn, err := Make(context.Background(), "experts", o)
	require.NoError(t, err)
	require.Len(t, drawn.Panels, 3)
	for e, want := range [][]float64{{8. / 16, 8. / 16}, {4. / 16, 8. / 16}, {4. / 16, 0}} {
		require.Equal(t, []float64{0, 10}, drawn.Panels[0].Lines[e].X)
		require.Equal(t, want, drawn.Panels[0].Lines[e].Y, "expert %d", e)
	}
	require.Equal(t, []string{"space", "vowel", "consonant", "capital"}, drawn.Panels[1].Heat.Rows)
	require.Equal(t, [][]float64{{1, 1, 0}, {1, 1, 0}, {1, 0, 1}, {1, 1, 0}}, drawn.Panels[1].Heat.Values)
	require.Equal(t, [][]float64{{1, 1, 0}, {1, 1, 0}, {1, 1, 0}, {1, 1, 0}}, drawn.Panels[2].Heat.Values)
}

// TestExpertsOfADenseModel asks for the figure of a model that has none.
func TestExpertsOfADenseModel(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	little := filepath.Join("testdata", "little")
	_, err = Make(context.Background(), "experts", Options{Kit: kit, Impl: grader.Solutions, Runs: []string{little}})
	require.EqualError(t, err, "the model of "+little+" has no experts; this figure shows runs of go run ./cmd/grade train --with moe")
}

// Each token has one kind.
func TestKinds(t *testing.T) {
	for token, kind := range map[string]int{" ": 0, "\n": 0, "a": 1, "b": 2, "Z": 3, "村": 4, "é": 4, ".": 5, "7": 5, " of": 1, "": 0} {
		require.Equal(t, kind, kindOf(token), "%q", token)
	}
}

// routedState returns the parameters of a model of one layer whose tokens are unit vectors,
// whose attention adds nothing, and whose router sends each token to its expert: to the
// first, if it is nil.
func routedState(c run.Config, takes []int) map[string]*tensor.Tensor {
	d, f, n := c.Model.DModel, c.Model.DFF, c.Model.NumExperts
	state := map[string]*tensor.Tensor{"token_embeddings.weight": tensor.New(c.VocabSize, d), "lm_head.weight": tensor.New(c.VocabSize, d),
		"layers.0.ffn.w1.weight": tensor.New(n+n*f, d), "layers.0.ffn.w2.weight": tensor.New(n*d, f), "layers.0.ffn.w3.weight": tensor.New(n*f, d)}
	for _, name := range []string{"q_proj", "k_proj", "v_proj", "output_proj"} {
		state["layers.0.attn."+name+".weight"] = tensor.New(d, d)
	}
	for _, name := range []string{"layers.0.ln1", "layers.0.ln2", "ln_final"} {
		gain := tensor.New(d)
		for i := range gain.Data {
			gain.Data[i] = 1
		}
		state[name+".weight"] = gain
	}
	for id := range c.VocabSize {
		state["token_embeddings.weight"].Row(id)[id] = 1
		if takes != nil {
			state["layers.0.ffn.w1.weight"].Row(takes[id])[id] = 1
		}
	}
	return state
}
