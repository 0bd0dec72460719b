package gpt2

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/grader/studio/train/hf"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
)

// eps is the number inside LayerNorm's root: classic.Eps of step 19.
const eps = 1e-5

// model carries GPT-2's parameters into a model whose attention has no biases. Its stream is
// wider, by some numbers for each head:
//
//	x' = (a·(x − mean(x)), 0, …, 0)    (D')
//
// GPT-2 reads its stream through LayerNorm alone, so that nobody misses the mean; it is
// taken from every row that is added to the stream. The mean of x' is 0 and its variance
// a²·D/D'·σ². With a² = D'/D·ε'/ε, where ε is GPT-2's and ε' the course's, LayerNorm's
// output is √(D'/D) times that of x, which its gain takes back, and 0 in the numbers that
// are new. There the bias of a layer's first norm sets the first, number D, to 1. So the
// column D of W_Q', W_K' and W_V' is a bias. One more row of W_V' passes the 1 on to the
// first head, where it stays 1, for the weights of attention sum to 1: its column of W_O' is
// the bias behind W_O. All that is exact but for rounding.
type model struct {
	hf.GPT2
	size     int // K
	wideHead int // K', even
	wide     int // D' = H·K'
	inner    int // F
	hidden   int // d_ff of the course's model, whose network is 3/2 times as wide
	stream   float64
	gain     float64
}

// carried returns the model for a configuration.
func carried(c hf.GPT2) model {
	m := model{GPT2: c, size: c.Width / c.Heads, inner: 4 * c.Width}
	m.wideHead = m.size + 2 - m.size%2
	m.wide = c.Heads * m.wideHead
	if c.Inner != nil {
		m.inner = *c.Inner
	}
	m.hidden = m.inner / 3 * 2
	for m.innerWide() < m.inner {
		m.hidden++
	}
	wider := float64(m.wide) / float64(c.Width)
	m.stream, m.gain = math.Sqrt(wider*eps/c.NormEps), 1/math.Sqrt(wider)
	return m
}

// innerWide is F', what the course's network has inside: F, or one more, which stays 0.
func (m model) innerWide() int { return m.hidden + m.hidden/2 }

// parameters returns the parameters under the course's names.
func (m model) parameters(r *reader, tied bool) map[string]*tensor.Tensor {
	words, places := r.take(table, m.Vocab, m.Width), r.take(positions, m.Context, m.Width)
	gain, bias := r.take("ln_f.weight", m.Width), r.take("ln_f.bias", m.Width)
	out := r.head(words, tied)
	if r.err != nil {
		return nil
	}
	both := tensor.New(m.Vocab+m.Context, m.wide) // the positions below the tokens
	logits := tensor.New(m.Vocab, m.wide)
	for id := range m.Vocab {
		m.add(both.Row(id), words.Row(id))
		copy(logits.Row(id), out.Row(id))
	}
	for t := range m.Context {
		m.add(both.Row(m.Vocab+t), places.Row(t))
	}
	state := map[string]*tensor.Tensor{"token_embeddings.weight": both, "lm_head.weight": logits,
		weights.LastNorm: m.norm(gain, bias, 0)}
	for layer := 0; layer < m.Layers && r.err == nil; layer++ {
		m.layer(r, layer, state)
	}
	return state
}

// layer adds the parameters of a layer to those of the model.
func (m model) layer(r *reader, layer int, state map[string]*tensor.Tensor) {
	vector := func(name string, n int) *tensor.Tensor { return r.take(inLayer(layer, name), n) }
	conv := func(name string, in, out int) *tensor.Tensor { return r.take(inLayer(layer, name+".weight"), in, out) }
	d, f := m.Width, m.inner
	gain1, bias1 := vector("ln_1.weight", d), vector("ln_1.bias", d)
	qkv, qkvBias := conv("attn.c_attn", d, 3*d), vector("attn.c_attn.bias", 3*d)
	output, outputBias := conv("attn.c_proj", d, d), vector("attn.c_proj.bias", d)
	gain2, bias2 := vector("ln_2.weight", d), vector("ln_2.bias", d)
	up, upBias := conv("mlp.c_fc", d, f), vector("mlp.c_fc.bias", f)
	down, downBias := conv("mlp.c_proj", f, d), vector("mlp.c_proj.bias", d)
	if r.err != nil {
		return
	}
	put := func(name string, t *tensor.Tensor) { state[fmt.Sprintf("layers.%d.%s.weight", layer, name)] = t }
	put("ln1", m.norm(gain1, bias1, 1))
	for i, name := range []string{"q", "k", "v"} {
		put("attn."+name+"_proj", m.projection(qkv, qkvBias, i))
	}
	put("attn.output_proj", m.output(output, outputBias))
	put("ln2", m.norm(gain2, bias2, 0))
	w1, w2, w3 := m.network(up, upBias, down, downBias)
	put("ffn.w1", w1)
	put("ffn.w2", w2)
	put("ffn.w3", w3)
}

// add sets dst (D') to what is added to the stream where GPT-2 adds x (D).
func (m model) add(dst, x []float32) {
	mean := 0.0
	for _, v := range x {
		mean += float64(v)
	}
	mean /= float64(len(x))
	for i, v := range x {
		dst[i] = float32(m.stream * (float64(v) - mean))
	}
}

// norm returns a norm's gain, and below it the bias (2, D'), whose first new number is as
// given.
func (m model) norm(gain, bias *tensor.Tensor, constant float32) *tensor.Tensor {
	both := tensor.New(2, m.wide)
	for i, g := range gain.Data {
		both.Set(float32(m.gain*float64(g)), 0, i)
	}
	copy(both.Row(1), bias.Data)
	both.Set(constant, 1, m.Width)
	return both
}

// projection returns the matrix (D', D') of the queries, keys or values: part 0, 1 or 2 of
// the columns of c_attn (D, 3·D). Scores are divided by √K' where GPT-2 has √K, which the
// queries make up for.
func (m model) projection(w, bias *tensor.Tensor, part int) *tensor.Tensor {
	out := tensor.New(m.wide, m.wide)
	scale := 1.0
	if part == 0 {
		scale = math.Sqrt(float64(m.wideHead) / float64(m.size))
	}
	for i := range m.Width {
		row, column := out.Row(m.place(i)), part*m.Width+i
		for j := range m.Width {
			row[j] = float32(scale * float64(w.At(j, column)))
		}
		row[m.Width] = float32(scale * float64(bias.Data[column]))
	}
	if part == 2 {
		out.Set(1, m.size, m.Width)
	}
	return out
}

// place is where number i of all heads stands in those of the course's model.
func (m model) place(i int) int { return i/m.size*m.wideHead + i%m.size }

// output returns the matrix (D', D') behind the heads for c_proj (D, D) and its bias.
func (m model) output(w, bias *tensor.Tensor) *tensor.Tensor {
	columns := tensor.New(m.wide, m.wide) // (in, out), as GPT-2 has it
	for i := range m.Width {
		m.add(columns.Row(m.place(i)), w.Row(i))
	}
	m.add(columns.Row(m.size), bias.Data)
	return transposed(columns)
}

// network returns the parameters of a feed-forward network: w1 (F', D'), w2 (D', F') and
// the biases of both (1, F'+D').
func (m model) network(up, upBias, down, downBias *tensor.Tensor) (w1, w2, biases *tensor.Tensor) {
	f := m.innerWide()
	columns, rows := tensor.New(m.wide, f), tensor.New(f, m.wide) // both (in, out)
	for j := range m.Width {
		copy(columns.Row(j), up.Row(j))
	}
	for i := range m.inner {
		m.add(rows.Row(i), down.Row(i))
	}
	biases = tensor.New(1, f+m.wide)
	copy(biases.Data, upBias.Data)
	m.add(biases.Data[f:], downBias.Data)
	return transposed(columns), transposed(rows), biases
}

// transposed returns wᵀ: a Conv1D of GPT-2 has its weight as (in, out), the course as (out, in).
func transposed(w *tensor.Tensor) *tensor.Tensor {
	out := tensor.New(w.Dim(1), w.Dim(0))
	for i := range w.Dim(0) {
		for j, v := range w.Row(i) {
			out.Set(v, j, i)
		}
	}
	return out
}
