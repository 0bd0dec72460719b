package train_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
)

// gpt2 is a model of GPT-2's with random parameters, under their published names.
type gpt2 struct {
	layers, heads, width, inner, vocab, context int
	eps                                         float64
	activation                                  string
	state                                       map[string]*tensor.Tensor
}

// newGPT2 draws the parameters, the gains around 1.
func newGPT2(activation string, heads, width, inner int, eps float64) gpt2 {
	m := gpt2{2, heads, width, inner, 257, 12, eps, activation, map[string]*tensor.Tensor{}}
	rng := rand.New(rand.NewPCG(uint64(width), 1))
	put := func(name string, around float64, shape ...int) {
		t := tensor.New(shape...)
		for i := range t.Data {
			t.Data[i] = float32(around + 0.3*rng.NormFloat64())
		}
		m.state[name] = t
	}
	put("wte.weight", 0.1, m.vocab, width)
	put("wpe.weight", 0.1, m.context, width)
	put("ln_f.weight", 1, width)
	put("ln_f.bias", 0, width)
	for layer := range m.layers {
		h := fmt.Sprintf("h.%d.", layer)
		for _, norm := range []string{"ln_1", "ln_2"} {
			put(h+norm+".weight", 1, width)
			put(h+norm+".bias", 0, width)
		}
		for name, size := range map[string][2]int{"attn.c_attn": {width, 3 * width}, "attn.c_proj": {width, width},
			"mlp.c_fc": {width, inner}, "mlp.c_proj": {inner, width}} {
			put(h+name+".weight", 0, size[0], size[1])
			put(h+name+".bias", 0, size[1])
		}
	}
	return m
}

// folder writes the model as transformers does.
func (m gpt2) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, weights.Write(filepath.Join(dir, "model.safetensors"), m.state))
	vocab := map[string]int{"<|endoftext|>": 256}
	for b, beyond := 0, rune(256); b < 256; b++ {
		char := rune(b)
		if b <= ' ' || b >= 127 && b <= 160 || b == 173 { // as GPT-2 writes bytes that do not print
			char, beyond = beyond, beyond+1
		}
		vocab[string(char)] = b
	}
	for name, v := range map[string]any{"vocab.json": vocab, "config.json": map[string]any{"model_type": "gpt2", "vocab_size": m.vocab,
		"n_positions": m.context, "n_embd": m.width, "n_layer": m.layers, "n_head": m.heads, "n_inner": m.inner,
		"activation_function": m.activation, "layer_norm_epsilon": m.eps}} {
		data, err := json.Marshal(v)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "merges.txt"), []byte("#version: 0.2\n"), 0o600))
	return dir
}

// logits computes GPT-2 as its paper and its first program have it, in float64, one row of
// numbers after another.
func (m gpt2) logits(ids []int) (out []float64) {
	x := make([][]float64, len(ids))
	for t, id := range ids {
		x[t] = plus(m.row("wte.weight", id), m.row("wpe.weight", t))
	}
	for layer := range m.layers {
		h := fmt.Sprintf("h.%d.", layer)
		var q, k, v [][]float64
		for _, row := range x {
			qkv := m.conv1D(h+"attn.c_attn", m.norm(h+"ln_1", row))
			q, k, v = append(q, qkv[:m.width]), append(k, qkv[m.width:2*m.width]), append(v, qkv[2*m.width:])
		}
		for t := range x {
			x[t] = plus(x[t], m.conv1D(h+"attn.c_proj", m.attended(q[t], k[:t+1], v[:t+1])))
			inside := m.conv1D(h+"mlp.c_fc", m.norm(h+"ln_2", x[t]))
			for i, z := range inside {
				inside[i] = m.activate(z)
			}
			x[t] = plus(x[t], m.conv1D(h+"mlp.c_proj", inside))
		}
	}
	for _, row := range x {
		last := m.norm("ln_f", row)
		for id := range m.vocab {
			out = append(out, dot(last, m.row("wte.weight", id)))
		}
	}
	return out
}

// attended is what a query reads of keys and values, head by head.
func (m gpt2) attended(q []float64, k, v [][]float64) []float64 {
	size, out := m.width/m.heads, make([]float64, m.width)
	for first := 0; first < m.width; first += size {
		weights, total := make([]float64, len(k)), 0.0
		for t := range k {
			weights[t] = math.Exp(dot(q[first:first+size], k[t][first:first+size]) / math.Sqrt(float64(size)))
			total += weights[t]
		}
		for t := range k {
			for i := first; i < first+size; i++ {
				out[i] += weights[t] / total * v[t][i]
			}
		}
	}
	return out
}

func (m gpt2) activate(x float64) float64 {
	switch m.activation {
	case "gelu_new":
		return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*math.Pow(x, 3))))
	case "gelu":
		return 0.5 * x * (1 + math.Erf(x/math.Sqrt2))
	}
	return max(0, x)
}

func (m gpt2) norm(name string, x []float64) []float64 {
	mean, variance, n := 0.0, 0.0, float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / n
	}
	out, gain, bias := make([]float64, len(x)), m.row(name+".weight", 0), m.row(name+".bias", 0)
	for i, v := range x {
		out[i] = (v-mean)/math.Sqrt(variance+m.eps)*gain[i] + bias[i]
	}
	return out
}

func (m gpt2) conv1D(name string, x []float64) []float64 {
	out := m.row(name+".bias", 0)
	for i, v := range x {
		for j, w := range m.row(name+".weight", i) {
			out[j] += v * w
		}
	}
	return out
}

// row is a row of a parameter, a copy.
func (m gpt2) row(name string, i int) (out []float64) {
	t := m.state[name]
	for _, v := range tensor.From(t.Data, t.Len()/t.Dim(-1), t.Dim(-1)).Row(i) {
		out = append(out, float64(v))
	}
	return out
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func plus(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] + b[i]
	}
	return out
}

// TestImportGPT2 reads a folder of GPT-2's layout, and holds what the solutions make of it
// to GPT-2 in float64, which reads the parameters by itself: biases, sizes of heads, another
// ε, each activation and no other.
func TestImportGPT2(t *testing.T) {
	sweep.Only(t)
	ids := []int{84, 111, 109, 32, 119, 101, 110, 116, 256, 0, 255}
	for name, m := range map[string]gpt2{
		"as it was published":        newGPT2("gelu_new", 3, 24, 96, 1e-5),
		"odd heads, another epsilon": newGPT2("gelu", 4, 20, 50, 1e-2),
		"ReLU":                       newGPT2("relu", 1, 7, 3, 1e-5),
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "model")
			c, err := train.ImportHF(m.folder(t), dir, nil)
			require.NoError(t, err)
			guests, err := train.Seats(c.Model)
			require.NoError(t, err)
			args := []string{dir}
			for _, id := range ids {
				args = append(args, strconv.Itoa(id))
			}
			cmd := exec.Command(build(t, "grader/studio/train/testdata/forward", guests...), args...)
			cmd.Stderr = os.Stderr
			data, err := cmd.Output()
			require.NoError(t, err)
			var got []float64
			require.NoError(t, json.Unmarshal(data, &got))
			require.InDeltaSlice(t, m.logits(ids), got, 1e-4)
			for _, other := range []string{"gelu_new", "gelu", "relu"} {
				o := m
				if o.activation = other; other != m.activation {
					require.Greater(t, largest(o.logits(ids), got), 5e-4, other)
				}
			}
			if o := m; m.eps > 1e-3 {
				o.eps *= 1.01
				require.Greater(t, largest(o.logits(ids), got), 5e-4, "another epsilon")
			}
		})
	}
	_, err := train.ImportHF(newGPT2("gelu", 4, 20, 50, 1e-5).folder(t), filepath.Join(t.TempDir(), "other"), []string{"post-norm"})
	require.ErrorContains(t, err, "a model with post-norm is none of GPT-2's family")
}
