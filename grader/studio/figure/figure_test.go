package figure

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

func TestRequests(t *testing.T) {
	for _, c := range []struct {
		figure string
		o      Options
		want   string
	}{
		{"pie", Options{}, `there is no figure "pie"; want one of init, activations, rope, `},
		{"loss", Options{}, "the figure loss shows training runs; name their folders with --run DIR"},
		{"attention", Options{Runs: []string{"a", "b"}}, "the figure attention shows one trained model"},
		{"ladder", Options{}, "the figure ladder shows measurements; name the file that holds them with --data FILE"},
		{"rope", Options{}, "the figure rope runs the code of the steps and needs a checkout of the kit"},
	} {
		_, err := Make(context.Background(), c.figure, c.o)
		var request *RequestError
		require.ErrorAs(t, err, &request, c.figure)
		require.ErrorContains(t, err, c.want)
	}
	_, err := Make(context.Background(), "loss", Options{Runs: []string{"nowhere"}})
	require.EqualError(t, err, "there is no folder nowhere")
}

func TestList(t *testing.T) {
	seen := map[string]bool{}
	for _, i := range List() {
		require.False(t, seen[i.Name], i.Name)
		seen[i.Name] = true
		require.NotEmpty(t, i.Shows.String())
	}
	require.Equal(t, []string{"--run DIR", "--data FILE"}, Needs{Runs: true, File: true}.Options())
}

// The numbers are counted by hand for a model so small that it can be.
func TestCosts(t *testing.T) {
	s := shape{vocab: 3}
	s.NumLayers, s.NumHeads, s.DModel, s.DFF = 1, 1, 2, 4
	// Embedding 3·2, head 3·2, last gain 2; in the layer four 2×2, three 4×2, two gains of 2.
	require.Equal(t, 6.0+6+2+16+24+4, s.params())
	// One token: 2·4 for the norms, 6 for q, k and v, 2 joined, 16 in the feed-forward network, 1 weight; 4 and 3 logits after it.
	require.Equal(t, 8.0+6+2+16+1+4+3, s.activations(1))
	require.Equal(t, 5*(8.0+6+2+16+5+4+3), s.activations(5))
	require.Equal(t, 2.0*7*2, s.cache(7))

	c, err := Make(context.Background(), "flops", Options{})
	require.NoError(t, err)
	all := c.Panels[0].Lines[0]
	require.Equal(t, 256.0, all.X[2])
	// The base model: 2·(4·512² + 3·512·1344) + 4·256·512 in each of 4 layers, and 2·512·10000 for the head.
	require.InDelta(t, (4*(2*(4*512*512+3*512*1344)+4*256*512)+2*512*10000)/1e6, all.Y[2], 1e-9)

	c, err = Make(context.Background(), "memory", Options{Runs: []string{filepath.Join("testdata", "little")}})
	require.NoError(t, err)
	require.Contains(t, c.Subtitle, "1 layer, 2 heads, d_model 16, d_ff 24")
}

func TestMeasured(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data.json")
	draw := func(figure, data string) (*chart.Chart, error) {
		require.NoError(t, os.WriteFile(file, []byte(data), 0o644))
		return Make(context.Background(), figure, Options{File: file})
	}
	c, err := draw("ladder", `{"machine": "a box", "size": 512, "peak_gflops": 100, "rungs": [{"name": "naive", "gflops": 2}, {"name": "blocked", "gflops": 9}]}`)
	require.NoError(t, err)
	require.Equal(t, "512 × 512 matrices, a box", c.Subtitle)
	require.Equal(t, []chart.Bar{{Label: "naive", Value: 2, Text: "2  (×1)"}, {Label: "blocked", Value: 9, Text: "9  (×4.5)"}}, c.Panels[0].Bars)
	require.Equal(t, []chart.Mark{{Label: "peak: 100", At: 100, Vertical: true}}, c.Panels[0].Marks)

	c, err = draw("step", `{"model": "small", "machine": "a box", "tokens": 192, "peak_flops": 100e9, "bandwidth_bytes": 10e9,
		"operations": [{"name": "head: products", "seconds": 0.003, "flops": 150e6}, {"name": "norms", "seconds": 0.001, "bytes": 2e6}]}`)
	require.NoError(t, err)
	require.Equal(t, []chart.Bar{{Label: "head: products", Value: 75, Text: "75.0 %, at 50 % of the limit of arithmetic"},
		{Label: "norms", Value: 25, Text: "25.0 %, at 20 % of the limit of memory"}}, c.Panels[0].Bars)

	c, err = draw("flash", `[{"tokens": 64, "naive": {"seconds": 0.5, "bytes": 3000000}, "flash": {"seconds": 0.25, "bytes": 1000000}}]`)
	require.NoError(t, err)
	require.Equal(t, []float64{0.5}, c.Panels[0].Lines[0].Y)
	require.Equal(t, []float64{1}, c.Panels[1].Lines[1].Y)

	c, err = draw("misconceptions", `[{"step": "step08", "id": "no-scale", "title": "the scores are not scaled", "students": 31, "of": 100}]`)
	require.NoError(t, err)
	require.Equal(t, []chart.Bar{{Label: "step08: the scores are not scaled", Value: 31, Text: "31 of 100"}}, c.Panels[0].Bars)

	for students, want := range map[string]int{"1": 2, "3": 4} { // none at half a student
		c, err := draw("misconceptions", `[{"step": "step08", "id": "a", "title": "b", "students": `+students+`, "of": 100}]`)
		require.NoError(t, err)
		require.Len(t, c.Panels[0].X.Ticks, want)
	}

	many := make([]misconception, mostMistakes+2)
	for i := range many {
		many[i] = misconception{Step: "step01", Title: strings.Repeat("é", 80), Students: i, Of: 50}
	}
	data, err := json.Marshal(many)
	require.NoError(t, err)
	c, err = draw("misconceptions", string(data))
	require.NoError(t, err)
	require.Len(t, c.Panels[0].Bars, mostMistakes)
	require.Equal(t, 16.0, c.Panels[0].Bars[0].Value, "the most frequent is first")
	require.Equal(t, "step01: "+strings.Repeat("é", 49)+"…", c.Panels[0].Bars[0].Label)
	require.Contains(t, c.Subtitle, "the 15 most frequent of 17")

	for _, c := range []struct{ figure, data, want string }{
		{"ladder", `{}`, `holds no "rungs"`},
		{"ladder", `{"rungs": [{"name": "naive"}]}`, `the rung "naive" has 0 gflops; want a name and a number above 0`},
		{"ladder", `[]`, "is not what this figure reads"},
		{"step", `{}`, `holds no "operations"`},
		{"step", `{"operations": [{"name": "norms"}]}`, `the operation "norms" takes 0 seconds`},
		{"flash", `[]`, "is an empty list; want what grade bench attention --out writes"},
		{"flash", `[{"tokens": 64, "naive": {"seconds": 1, "bytes": 2}}]`, "64 tokens with 0 seconds and 0 bytes; want numbers above 0"},
		{"misconceptions", `[]`, "lists no mistakes"},
		{"misconceptions", `[{"step": "step08", "id": "x", "students": 3, "of": 2}]`, `was made by 3 of 2 students, which cannot be`},
	} {
		_, err := draw(c.figure, c.data)
		require.ErrorContains(t, err, c.want)
	}
	_, err = Make(context.Background(), "ladder", Options{File: "nowhere.json"})
	require.EqualError(t, err, "there is no file nowhere.json")
}

// A chart is made in the language asked for, in every part that is read.
func TestInChinese(t *testing.T) {
	p, err := lang.For("zh")
	require.NoError(t, err)
	for _, name := range []string{"memory", "flops", "loss", "schedule", "gradnorm", "speed"} {
		c, err := Make(context.Background(), name, Options{Lang: p, Runs: []string{filepath.Join("testdata", "little")}})
		require.NoError(t, err)
		said := []string{c.Title, c.Subtitle}
		for _, panel := range c.Panels {
			said = append(said, panel.X.Label, panel.Y.Label)
			for _, l := range panel.Lines {
				said = append(said, l.Name)
			}
			for _, m := range panel.Marks {
				said = append(said, m.Label)
			}
		}
		for _, text := range said {
			require.True(t, text == "little" || strings.ContainsFunc(text, lang.Wide), "%s: %q", name, text)
		}
	}
	_, err = Make(context.Background(), "loss", Options{})
	require.Equal(t, "图 loss 显示训练过程；用 --run DIR 指定训练的文件夹（训练一个：go run ./cmd/grade train）", p.Error(err))
}
