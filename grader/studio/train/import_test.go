package train_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/grader/workspace"
)

// llama2c writes a llama2.c checkpoint of random numbers and its tokenizer: the
// 259 tokens that every one has, and five pieces. It has three heads of four numbers,
// or six with fewer of keys and values.
func llama2c(t *testing.T, vocab, kvHeads int32) (checkpoint, tokens string) {
	t.Helper()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(uint64(vocab), 0))
	const width, hidden, layers, seq = 4, 20, 2, 16
	heads := int32(3)
	if kvHeads < heads {
		heads = 6
	}
	dim := int(heads) * width
	n := 0
	for _, part := range []int{264 * dim, layers * (2*dim + 2*dim*dim + 2*dim*int(kvHeads)*width + 3*dim*hidden), dim, seq * width} {
		n += part
	}
	if vocab < 0 {
		n += 264 * dim
	}
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, []int32{int32(dim), hidden, layers, heads, kvHeads, vocab, seq})
	for range n {
		binary.Write(&b, binary.LittleEndian, float32(0.4*rng.NormFloat64()))
	}
	checkpoint = filepath.Join(dir, "model.bin")
	require.NoError(t, os.WriteFile(checkpoint, b.Bytes(), 0o600))

	b.Reset()
	binary.Write(&b, binary.LittleEndian, int32(8))
	pieces := []string{" ", "a", "b", "ab", " a"}
	for id := range 259 + len(pieces) {
		piece := fmt.Sprintf("<0x%02X>", max(0, id-3))
		if id >= 259 {
			piece = pieces[id-259]
		}
		binary.Write(&b, binary.LittleEndian, float32(-id))
		binary.Write(&b, binary.LittleEndian, int32(len(piece)))
		b.WriteString(piece)
	}
	tokens = filepath.Join(dir, "tokenizer.bin")
	require.NoError(t, os.WriteFile(tokens, b.Bytes(), 0o600))
	return checkpoint, tokens
}

// build builds a main package of the kit on the solutions, and those that stand in.
func build(t *testing.T, pkg string, with ...workspace.StandIn) string {
	t.Helper()
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	binary, err := kit.Build(t.Context(), workspace.Build{Course: registry.Steps(), Step: "step10_lm", Package: pkg, Sources: sources(t, kit), With: with}, t.TempDir())
	require.NoError(t, err)
	return binary
}

// TestImportedModelAgreesWithPyTorch compares the logits of an imported model
// with those of a PyTorch program that reads the same file by itself.
func TestImportedModelAgreesWithPyTorch(t *testing.T) {
	sweep.Only(t)
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import importlib.util as u; exit(not (u.find_spec('torch') and u.find_spec('numpy')))").Run(); err != nil {
		t.Skipf("%s has no PyTorch (%v); on Debian: apt-get install python3-torch", python, err)
	}
	own := build(t, "grader/studio/train/testdata/forward")
	two := build(t, "grader/studio/train/testdata/forward", grouped("Grouped(2)"))
	ids := []string{"1", "263", "7", "100", "263", "1", "0", "258", "12", "13", "14", "15"}
	for name, c := range map[string]struct {
		vocab, kvHeads int32
		forward        string
	}{
		"shared head": {264, 3, own}, "untied head": {-264, 3, own}, "grouped": {264, 2, two}, "grouped, untied head": {-264, 2, two},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkpoint, tokens := llama2c(t, c.vocab, c.kvHeads)
			dir := filepath.Join(t.TempDir(), "model")
			_, err := train.ImportLlama2c(checkpoint, tokens, dir, nil)
			require.NoError(t, err)
			logits := func(name string, args ...string) []float64 {
				cmd := exec.Command(name, append(args, ids...)...)
				cmd.Stderr = os.Stderr
				data, err := cmd.Output()
				require.NoError(t, err)
				var out []float64
				require.NoError(t, json.Unmarshal(data, &out))
				require.Len(t, out, len(ids)*264)
				return out
			}
			got, want := logits(c.forward, dir), logits(python, "testdata/llama2c.py", checkpoint)
			rms := 0.0
			for _, x := range want {
				rms += x * x / float64(len(want))
			}
			rms = math.Sqrt(rms)
			for i := range want {
				const tolerance = 1e-5
				if diff := math.Abs(got[i] - want[i]); diff > tolerance*(math.Abs(want[i])+rms) {
					t.Fatalf("logit %d of token %d: got %g, want %g: |got − want| = %g > %g·(|want| + rms)",
						i%264, i/264, got[i], want[i], diff, tolerance)
				}
			}
		})
	}
}

// TestImport imports models, lets them write, and takes them out and in again.
func TestImport(t *testing.T) {
	sweep.Only(t)
	for name, c := range map[string]struct {
		kvHeads int32
		want    run.Model
	}{
		"a head of keys for each": {3, run.Model{ContextLength: 16, DModel: 12, NumLayers: 2, NumHeads: 3, DFF: 20, RopeTheta: 10000}},
		"grouped":                 {2, run.Model{ContextLength: 16, DModel: 24, NumLayers: 2, NumHeads: 6, NumKVHeads: 2, DFF: 20, RopeTheta: 10000, With: []string{"gqa"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkpoint, tokens := llama2c(t, -264, c.kvHeads)
			dir := filepath.Join(t.TempDir(), "model")
			made, err := train.ImportLlama2c(checkpoint, tokens, dir, nil)
			require.NoError(t, err)
			opened, err := run.Open(dir)
			require.NoError(t, err)
			require.Equal(t, made, opened)
			require.Equal(t, c.want, made.Model)
			kit, err := workspace.Find(".")
			require.NoError(t, err)
			binary, err := train.Build(t.Context(), kit, workspace.Solutions(), made.Model, t.TempDir())
			require.NoError(t, err)
			inAndOut(t, binary, dir)
		})
	}
}

// inAndOut lets the model of a folder write, and takes it out and in again.
func inAndOut(t *testing.T, binary, dir string) {
	write := func(dir string) string {
		g, err := train.OpenGenerator(dir, train.Sampling{Prompt: "ab a", Tokens: 30, Temperature: 1, TopP: 1, Seed: 4}, nil)
		require.NoError(t, err)
		var out strings.Builder
		require.NoError(t, g.Run(t.Context(), binary, &out, io.Discard))
		return out.String()
	}
	text := write(dir)
	require.True(t, strings.HasPrefix(text, "ab a"), strconv.Quote(text))
	require.Greater(t, len(text), 10, "longer than the context, or the stop token came")

	for _, file := range []string{"model.safetensors", "model.npz"} {
		file = filepath.Join(t.TempDir(), file)
		require.NoError(t, train.Export(t.Context(), binary, dir, file, io.Discard))
		again := filepath.Join(t.TempDir(), "again")
		_, err := train.ImportState(file, dir, again)
		require.NoError(t, err)
		require.Equal(t, text, write(again))
	}
}

func TestImportRefuses(t *testing.T) {
	checkpoint, tokens := llama2c(t, -264, 3)
	dir := filepath.Join(t.TempDir(), "model")
	state := filepath.Join(t.TempDir(), "state.npz")
	for name, c := range map[string]struct {
		checkpoint, tokens string
		want               string
	}{
		"no checkpoint": {"nowhere.bin", tokens, "there is no file nowhere.bin"},
		"no tokenizer":  {checkpoint, "nowhere.bin", "there is no file nowhere.bin"},
		"swapped":       {tokens, checkpoint, "not a llama2.c checkpoint"},
		"of another":    {checkpoint, checkpoint, "damaged, or not a llama2.c tokenizer"},
		"cut short":     {edited(t, checkpoint, func(b []byte) []byte { return b[:len(b)-1] }), tokens, "truncated"},
		"too long":      {edited(t, checkpoint, func(b []byte) []byte { return append(b, 0, 0, 0, 0) }), tokens, "damaged, or not version 0"},
		"of 300 tokens": {edited(t, checkpoint, func(b []byte) []byte { return append(b[:20:20], append(to32(-300), b[24:]...)...) }), tokens, "truncated"},
		"no groups":     {edited(t, checkpoint, func(b []byte) []byte { return append(b[:16:16], append(to32(2), b[20:]...)...) }), tokens, "3 heads and 2 key and value heads"},
		"half a piece":  {checkpoint, edited(t, tokens, func(b []byte) []byte { return b[:len(b)-1] }), "token 263 of 264: the file ends inside it"},
		"a piece less":  {checkpoint, edited(t, tokens, func(b []byte) []byte { return b[:len(b)-10] }), "token 263 of 264: the file ends before it"},
		"a piece more":  {checkpoint, edited(t, tokens, func(b []byte) []byte { return append(b, b[len(b)-10:]...) }), "goes on after 264 tokens, which is what the model has"},
	} {
		_, err := train.ImportLlama2c(c.checkpoint, c.tokens, dir, nil)
		require.ErrorContains(t, err, c.want, name)
		require.NoDirExists(t, dir, name)
	}
	_, err := train.ImportLlama2c(checkpoint, tokens, dir, nil)
	require.NoError(t, err)
	_, err = train.ImportLlama2c(checkpoint, tokens, dir, nil)
	require.ErrorContains(t, err, "holds a run already")

	good, err := weights.Read(filepath.Join(dir, run.WeightsFile))
	require.NoError(t, err)
	delete(good, "ln_final.weight")
	good["extra"] = good["lm_head.weight"]
	good["layers.0.ln1.weight"] = good["lm_head.weight"]
	require.NoError(t, weights.Write(state, good))
	_, err = train.ImportState(state, dir, filepath.Join(t.TempDir(), "again"))
	require.ErrorContains(t, err, "extra does not belong to this model")
	require.ErrorContains(t, err, "layers.0.ln1.weight has shape (264, 12), want (12)")
	require.ErrorContains(t, err, "ln_final.weight is missing")
}

// edited returns the path of a file like another, with other bytes.
func edited(t *testing.T, path string, edit func([]byte) []byte) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), filepath.Base(path))
	require.NoError(t, os.WriteFile(path, edit(data), 0o600))
	return path
}

func to32(n int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }
