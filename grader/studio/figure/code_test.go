package figure

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// ofCode makes a figure of the solutions' code.
func ofCode(t *testing.T, name string, runs ...string) *chart.Chart {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	c, err := Make(context.Background(), name, Options{Kit: kit, Impl: grader.Solutions, Runs: runs})
	require.NoError(t, err)
	return c
}

// area is the integral of a histogram.
func area(h chart.Histogram) float64 {
	sum := 0.0
	for i, height := range h.Heights {
		sum += height * (h.Edges[i+1] - h.Edges[i])
	}
	return sum
}

func TestInitialisation(t *testing.T) {
	sweep.Only(t)
	drawn := ofCode(t, "init")
	for i, c := range []struct{ sigma, cut float64 }{{math.Sqrt(2.0 / 768), 3}, {1, 1.5}} {
		p := drawn.Panels[i]
		h, cut := p.Histograms[0], c.cut*c.sigma
		require.InDelta(t, 1, area(h), 1e-9, "all draws lie in the histogram")
		for b, height := range h.Heights {
			middle := (h.Edges[b] + h.Edges[b+1]) / 2
			require.Equal(t, math.Abs(middle) > cut, height == 0, "nothing lies outside the cut, and something in every bin inside: %g", middle)
		}
		theory, sum := p.Lines[0], 0.0
		for k := 1; k < len(theory.X); k++ {
			sum += (theory.Y[k] + theory.Y[k-1]) / 2 * (theory.X[k] - theory.X[k-1])
		}
		require.InDelta(t, 1, sum, 0.003, "the density integrates to 1")
		phi := func(x float64) float64 { return math.Erfc(-x/(c.sigma*math.Sqrt2)) / 2 } // the normal distribution function
		for b, height := range h.Heights {
			if low, high := h.Edges[b], h.Edges[b+1]; high <= cut*(1+1e-9) && low >= -cut*(1+1e-9) {
				share := (phi(high) - phi(low)) / (phi(cut) - phi(-cut))
				const draws, deviations = 131072, 4.5
				require.InDelta(t, share, height*(high-low), deviations*math.Sqrt(share/draws), "bin at %g", low)
			}
		}
	}
}

func TestActivations(t *testing.T) {
	sweep.Only(t)
	c := ofCode(t, "activations")
	values, slopes := c.Panels[0].Lines, c.Panels[1].Lines
	for i, x := range values[0].X {
		sigmoid := 1 / (1 + math.Exp(-x))
		require.InDelta(t, x*sigmoid, values[0].Y[i], 1e-6)
		require.InDelta(t, sigmoid+x*sigmoid*(1-sigmoid), slopes[0].Y[i], 1e-6)
		if i > 0 && i+1 < len(values[1].X) { // GELU's slope is the slope of GELU
			dx := values[1].X[i+1] - values[1].X[i-1]
			require.InDelta(t, (values[1].Y[i+1]-values[1].Y[i-1])/dx, slopes[1].Y[i], 1e-3)
		}
	}
	require.InDelta(t, 0.8413447, gelu(1), 1e-6) // Φ(1), from a table
	require.Equal(t, []float64{0, 2}, each([]float64{-1, 2}, func(x float64) float64 { return max(0, x) }))
	require.Equal(t, 0.0, reluSlope(-1))
	require.Equal(t, 1.0, reluSlope(1))
}

func TestMatmul(t *testing.T) {
	sweep.Only(t)
	c := ofCode(t, "matmul")
	own, plain := c.Panels[0].Lines[0], c.Panels[0].Lines[1]
	last := len(own.Y) - 1
	require.Equal(t, 512.0, own.X[last])
	require.Greater(t, own.Y[last], plain.Y[last])
}

func TestRope(t *testing.T) {
	sweep.Only(t)
	c := ofCode(t, "rope")
	angles, speeds, scores := c.Panels[0].Heat, c.Panels[1].Lines[0], c.Panels[2].Lines
	for k, row := range angles.Values {
		frequency := math.Pow(10000, -float64(2*k)/64)
		for p, cos := range row {
			require.InDelta(t, math.Cos(float64(p)*frequency), cos, 1e-6, "position %d, pair %d", p, k)
		}
		require.InEpsilon(t, 2*math.Pi/frequency, speeds.Y[k], 1e-5)
	}
	for _, l := range scores {
		for i, distance := range l.X {
			want := 0.0 // each pair of ones adds 2·cos(distance·frequency)
			for k := range 32 {
				want += 2 * math.Cos(distance*math.Pow(10000, -float64(2*k)/64))
			}
			require.InDelta(t, want/8, l.Y[i], 1e-4, "%s, distance %g", l.Name, distance)
		}
	}
}

// What is not written yet, or does not compile, is said in a sentence.
func TestUnfinishedCode(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	_, err = Make(context.Background(), "init", Options{Kit: kit, Impl: "theirs"})
	require.EqualError(t, err, `--impl is "theirs"; want mine or solutions`)

	c := code{step: &course.Step{ID: "step06"}}
	_, err = c.floats(wire.Values{"cos": wire.Float32s(make([]float32, 6), 6)}, "cos", 8)
	require.EqualError(t, err, "step06 has cos of 6 elements, want 8; to see what is wrong: go run ./cmd/grade step06")
	require.ErrorContains(t, c.failure("rope.tables", &verdict.Failure{Kind: verdict.NotImplemented, What: "step06: New"}),
		"step06: New is not implemented yet, so there is nothing to draw. Next: go run ./cmd/grade step06")
	require.ErrorContains(t, c.failure("rope.tables", &verdict.Failure{Kind: verdict.Timeout}), "rope.tables did not return its results: timed out")
	require.ErrorContains(t, broken(c.step, &workspace.CompileError{Lines: []workspace.CompileLine{{File: "rope.go", Line: 3, Message: "undefined: x"}}}),
		"step06 does not compile:\nrope.go:3: undefined: x")
}

// TestAttention looks into a model in which two heads, the first of layer 1 and the
// second of layer 2, have queries and keys of 0: these two attend alike to all that
// they may see, and the others do not.
func TestAttention(t *testing.T) {
	sweep.Only(t)
	const d, f, vocab, heads = 8, 12, 5, 2
	dir := t.TempDir()
	c := run.Config{Schema: run.Schema, VocabSize: vocab, Settings: run.Settings{Model: run.Model{
		ContextLength: 6, DModel: d, NumLayers: 2, NumHeads: heads, DFF: f, RopeTheta: 10000}}}
	require.NoError(t, c.Write(dir))
	require.NoError(t, whole.Write(filepath.Join(dir, tokenizer.AlphabetFile), []byte(" abcd")))
	require.NoError(t, weights.Write(filepath.Join(dir, run.WeightsFile), randomState(c)))
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	o := Options{Kit: kit, Impl: grader.Solutions, Runs: []string{dir}, Prompt: "ab ca"}
	drawn, err := Make(context.Background(), "attention", o)
	require.NoError(t, err)
	require.Len(t, drawn.Panels, 4)
	require.Equal(t, heads, drawn.Columns)
	for _, p := range drawn.Panels {
		require.Equal(t, []string{"a", "b", "·", "c", "a"}, p.Heat.Rows)
		alike := true
		for q, row := range p.Heat.Values {
			sum := 0.0
			for k, w := range row {
				require.Equal(t, k > q, math.IsNaN(w), "query %d sees the keys up to itself", q)
				if k <= q {
					sum += w
					alike = alike && math.Abs(w-1/float64(q+1)) < 1e-6
				}
			}
			require.InDelta(t, 1, sum, 1e-6)
		}
		require.Equal(t, p.Title == "layer 1, head 1" || p.Title == "layer 2, head 2", alike, p.Title)
	}
	drawn, err = Make(context.Background(), "pace", o)
	require.NoError(t, err)
	require.Len(t, drawn.Panels[0].Lines, 2)
	for _, l := range drawn.Panels[0].Lines {
		require.Equal(t, []float64{1, 2, 4, 5}, l.X, l.Name)
		require.Positive(t, slices.Min(l.Y))
	}
	o.Prompt = "abcdabc"
	_, err = Make(context.Background(), "attention", o)
	require.EqualError(t, err, "the text has 7 tokens, but the model's context is 6; choose a shorter one")
	o.Prompt = "xyz"
	_, err = Make(context.Background(), "attention", o)
	require.ErrorContains(t, err, `the text: the model has never seen 'x', 'y', 'z'`)
}

// randomState returns the parameters of a model with as many layers as heads,
// with queries and keys of 0 for one head a layer: the first of the first, the
// second of the second.
func randomState(c run.Config) map[string]*tensor.Tensor {
	rng := rand.New(rand.NewPCG(8, 8))
	d, f := c.Model.DModel, c.Model.DFF
	random := func(shape ...int) *tensor.Tensor {
		t := tensor.New(shape...)
		for i := range t.Data {
			t.Data[i] = float32(rng.NormFloat64())
		}
		return t
	}
	state := map[string]*tensor.Tensor{"token_embeddings.weight": random(c.VocabSize, d), "ln_final.weight": random(d), "lm_head.weight": random(c.VocabSize, d)}
	for layer := range c.Model.NumLayers {
		for name, t := range map[string]*tensor.Tensor{"ln1": random(d), "ln2": random(d), "ffn.w1": random(f, d), "ffn.w2": random(d, f), "ffn.w3": random(f, d),
			"attn.q_proj": random(d, d), "attn.k_proj": random(d, d), "attn.v_proj": random(d, d), "attn.output_proj": random(d, d)} {
			if name == "attn.q_proj" || name == "attn.k_proj" {
				rows := d / c.Model.NumHeads
				clear(t.Data[layer*rows*d : (layer+1)*rows*d])
			}
			state[fmt.Sprintf("layers.%d.%s.weight", layer, name)] = t
		}
	}
	return state
}
