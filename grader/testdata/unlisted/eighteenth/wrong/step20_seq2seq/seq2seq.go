//go:build unlisted

package seq2seq

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step19_classic"
	"math"
	"math/rand/v2"
	"slices"
)

// beam-float32-logs: beam float32 logs
//
// Why: ln p is computed by the kit's float32 functions (exponentials, their sum, and the difference) and only
// then widened. Scores look right to six or seven digits, but tokens whose logits differ by little become equal
// behind the shift, so that "the lower token" or "the earlier hypothesis" wins a tie that is none, and long
// sums drift. Contract: "ln p = x - ln sum e^x, of the logits x, in float64".
func logSoftmax(x []float32) []float64 {
	m, e := kernel.Max(x), make([]float32, len(x))
	kernel.AddConst(e, -m, x)
	kernel.Exp(e, e)
	y, shift := make([]float64, len(x)), m+float32(math.Log(float64(kernel.Sum(e))))
	for i, v := range x {
		y[i] = float64(v - shift)
	}
	return y
}

// beam-shared-scratch: beam shared scratch
//
// Why: The logs of a row are written to a slice in a variable of the package, which every call uses again.
// Alone all results are right; two goroutines in Beam (or Translate with a model each) overwrite each other's
// rows: a data race and wrong translations. Package comment of the stub: "Several goroutines may call the
// functions at the same time, and each layers of its own: keep nothing in variables of the package."
var logs []float64

func logSoftmax(x []float32) []float64 {
	m := float64(kernel.Max(x))
	var sum float64
	for _, v := range x {
		sum += math.Exp(float64(v) - m)
	}
	logs = slices.Grow(logs[:0], len(x))
	y, shift := logs[:len(x)], m+math.Log(sum)
	for i, v := range x {
		y[i] = float64(v) - shift
	}
	return y
}

// beam-stops-early: beam stops early
//
// Why: The search ends as soon as one that has ended has at least the score of every live hypothesis, "since a
// sum only falls". That holds for alpha = 0; with a length penalty a live hypothesis may still overtake, as its
// divisor grows. Contract: "maxLen times continues every live one with every token ... It is over when none is
// live. The result is the best of those that have ended and of those that are still live at the end".
func Beam(next Next, width, maxLen int, alpha float64) (tokens []int, score float64) {
	if width < 1 {
		panic(tensor.ShapeError{Op: "seq2seq.Beam: width, which is at least 1", Got: []int{width}})
	}
	live, ended := []hypothesis{{}}, []hypothesis(nil)
	for range maxLen {
		if len(live) == 0 || highest(ended, alpha) >= highest(live, alpha) {
			break
		}
		kept := best(continued(live, next), width-len(ended))
		live = live[:0]
		for _, h := range kept {
			if h.ended {
				ended = append(ended, h)
			} else {
				live = append(live, h)
			}
		}
	}
	score = math.Inf(-1)
	for _, h := range append(ended, live...) {
		if s := h.score(alpha); s > score {
			tokens, score = h.tokens, s
		}
	}
	return append([]int{}, tokens...), score
}

func (h hypothesis) score(alpha float64) float64 {
	return h.sum / math.Pow((5+float64(len(h.tokens)))/6, alpha)
}

func highest(all []hypothesis, alpha float64) float64 {
	score := math.Inf(-1)
	for _, h := range all {
		score = max(score, h.score(alpha))
	}
	return score
}

// causal-mask-of-the-longest: causal mask of the longest
//
// Why: The Decoder keeps the causal mask of the longest target so far and gives a shorter one its first N*N
// entries. The rows of the kept mask are longer than N, so that every row but the first is shifted: tokens see
// what is behind them, or not themselves. Right as long as targets are of one length or grow, as in Translate;
// wrong for a target that is shorter than one before. Contract: "y = Norm1(x + Self(x, x)), over the tokens
// before", for every call.
type Decoder struct {
	Layers []*DecoderLayer

	before  *attention.Mask // causal, for the longest text so far
	dMemory *tensor.Tensor  // (B, M, D), reused by every Backward
}

func (d *Decoder) Forward(x, memory *tensor.Tensor, real [][]bool) *tensor.Tensor {
	checkReal("Decoder.Forward: memory", memory, real)
	tensor.CheckShape("Decoder.Forward: x", x, memory.Dim(0), tensor.Any, memory.Dim(2))
	n := x.Dim(1)
	if d.before == nil || d.before.N < n {
		d.before = attention.Causal(n)
	}
	before := &attention.Mask{N: n, M: n, Attend: d.before.Attend[:n*n]}
	source := PaddingMask(real, n)
	for _, layer := range d.Layers {
		x = layer.Forward(x, memory, before, source)
	}
	return x
}

// corrupt-reuses-v: corrupt reuses v
//
// Why: The token that replaces a chosen one is made of what is left of v, (v - Masked)/Replaced, which is even
// in [0, 1), too, so that no third number is drawn. The shares and distributions are right, but the generator
// stands elsewhere behind it, and all tokens after it are others. Contract: "the input is First +
// floor(w*(vocab - First)), with a third draw w".
func Corrupt(ids [][]int, vocab, mask int, rng *rand.Rand) (inputs, labels [][]int) {
	for _, row := range ids {
		input, label := make([]int, len(row)), make([]int, len(row))
		for t, id := range row {
			input[t], label[t] = id, Ignored
			if id == Pad || rng.Float64() >= Chosen {
				continue
			}
			label[t] = id
			switch v := rng.Float64(); {
			case v < Masked:
				input[t] = mask
			case v < Masked+Replaced:
				w := (v - Masked) / Replaced
				input[t] = First + min(int(w*float64(vocab-First)), vocab-First-1)
			}
		}
		inputs, labels = append(inputs, input), append(labels, label)
	}
	return inputs, labels
}

// embedding-grad-through-copy: embedding grad through copy
//
// Why: To put the factor sqrt(D) on the embeddings' gradients, Backward copies the whole gradient of each
// table, clears it, lets the Embedding add, scales the whole table and adds the copy again. The numbers are
// right, but each Backward allocates and walks over U*D and V*D numbers, where B*M and B*T rows have a
// gradient: with a vocabulary of 50,000 that is most of the time. Lesson (13): "dE[id] += sqrt(D)*dy for every
// token"; stub: "the tensors that are used again in every call".
type Transformer struct {
	Source  *embedding.Embedding // (U, D)
	Target  *embedding.Embedding // (V, D)
	Encoder *Encoder
	Decoder *Decoder
	Head    *linear.Linear // (V, D)

	positions *tensor.Tensor // (T_max, D), sines and cosines, for the longest text so far
	x, y      *tensor.Tensor // (B, M, D), (B, T, D), source and target, embedded
}

func (m *Transformer) Backward(dlogits *tensor.Tensor) {
	// (12) The logits are a Linear:                      dz = dlogits W_head
	// (13) y = √D·E[id] + P, and P is constant:          dE[id] += √D·dy, for every token
	// (14) the memory's gradient goes on to the encoder: dx = Encoder.Backward(dMemory),
	//      and from there to the source's embeddings as in (13)
	tensor.CheckShape("Transformer.Backward: target of Forward", m.y, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Transformer.Backward: dlogits", dlogits, m.y.Dim(0), m.y.Dim(1), m.Head.Weight.Value.Dim(0))
	dy, dMemory := m.Decoder.Backward(m.Head.Backward(dlogits)) // (12), and the decoder's own
	dx := m.Encoder.Backward(dMemory)                           // (14)
	scatter(m.Target, dy)                                       // (13)
	scatter(m.Source, dx)
}

func scatter(table *embedding.Embedding, dy *tensor.Tensor) {
	grad := table.Weight.Grad
	before := grad.Clone()
	grad.Zero()
	table.Backward(dy)
	kernel.Axpby(1, before.Data, factor(dy.Dim(2)), grad.Data)
}

// encoder-mask-by-address: encoder mask by address
//
// Why: The Encoder keeps the padding mask as long as it is handed the same slice of rows, of the same size; it
// compares addresses, not entries. A caller that uses its own real again and changes entries in it gets the
// mask of the call before. Contract: "real says for every token of x whether it is one"; only x is kept
// ("Forward keeps x for Backward: the caller leaves it unchanged until then"), so real may change between
// calls.
type Encoder struct {
	Layers []*EncoderLayer

	real *[]bool // of the last Forward
	mask *attention.Mask
}

func (e *Encoder) Forward(x *tensor.Tensor, real [][]bool) *tensor.Tensor {
	checkReal("Encoder.Forward", x, real)
	mask := e.padding(real, x.Dim(1))
	for _, layer := range e.Layers {
		x = layer.Forward(x, mask)
	}
	return x
}

func (e *Encoder) padding(real [][]bool, n int) *attention.Mask {
	if len(real) == 0 {
		return PaddingMask(real, n)
	}
	if e.mask == nil || e.real != &real[0] || e.mask.N != n || len(e.mask.Attend) != len(real)*n*n {
		e.real, e.mask = &real[0], PaddingMask(real, n)
	}
	return e.mask
}

// positions-by-length: positions by length
//
// Why: The table of sines and cosines is kept, but only for the length of the last text: whenever the next text
// has another length it is computed and allocated anew. As source and target take turns, a Forward with M != T
// makes two tables of sines, cosines and powers in every call, for ever. All numbers are right. Stub,
// Transformer: "the tensors that are used again in every call"; the table is a constant ("P is constant",
// lesson (13)), and the solution keeps that of the longest text.
func (m *Transformer) embed(dst *tensor.Tensor, table *embedding.Embedding, ids [][]int) *tensor.Tensor {
	e, err := table.Forward(ids)
	if err != nil {
		panic(err) // the ids are in order
	}
	n, d := e.Dim(1), e.Dim(2)
	if m.positions == nil || m.positions.Dim(0) != n {
		m.positions = classic.Sinusoids(n, d)
	}
	dst = tensor.Reuse(dst, e.Shape...)
	for r := range dst.Rows() {
		copy(dst.Row(r), m.positions.Row(r%n))
		kernel.Axpy(factor(d), e.Row(r), dst.Row(r))
	}
	return dst
}

// rows-compared-after-encoding: rows compared after encoding
//
// Why: Ids and the shape of each text are checked first, but that source and target have equally many rows is
// only found when the source has been embedded and encoded. After this refusal the Encoder, the source
// embedding and m.x belong to the refused call: a Backward behind the last good Forward panics or, worse, adds
// to other rows. Contract: "rows of different lengths, or of another number, are a ShapeError. Both are
// returned, and then nothing has changed."
func (m *Transformer) Forward(source, target [][]int) (*tensor.Tensor, error) {
	if err := checkIDs("Transformer.Forward: source", source, m.Source.Weight.Value.Dim(0)); err != nil {
		return nil, err
	}
	if err := checkIDs("Transformer.Forward: target", target, m.Target.Weight.Value.Dim(0)); err != nil {
		return nil, err
	}
	memory, real := m.encode(source)
	if len(target) != memory.Dim(0) {
		return nil, tensor.ShapeError{Op: "Transformer.Forward: rows of target", Got: []int{len(target)},
			Want: []int{memory.Dim(0)}}
	}
	return m.decode(target, memory, real), nil
}

// translate-source-all-real: translate source all real
//
// Why: Translate has a single source, which needs no padding beside others, so everything in it is taken as
// real, for the encoder and for the decoder. A source that holds Pad (a row cut out of a batch) then attends to
// its padding and gives another translation and score than Forward teaches. Contract of Forward, of which
// Translate "is a Forward too": "where the source is Pad, nobody looks".
func (m *Transformer) Forward(source, target [][]int) (*tensor.Tensor, error) {
	if err := checkIDs("Transformer.Forward: source", source, m.Source.Weight.Value.Dim(0)); err != nil {
		return nil, err
	}
	if err := checkIDs("Transformer.Forward: target", target, m.Target.Weight.Value.Dim(0)); err != nil {
		return nil, err
	}
	if len(source) != len(target) {
		return nil, tensor.ShapeError{Op: "Transformer.Forward: rows of target", Got: []int{len(target)},
			Want: []int{len(source)}}
	}
	real := make([][]bool, len(source))
	for b, row := range source {
		for _, id := range row {
			real[b] = append(real[b], id != Pad)
		}
	}
	memory := m.encode(source, real)
	return m.decode(target, memory, real), nil
}

func (m *Transformer) encode(source [][]int, real [][]bool) *tensor.Tensor {
	m.x = m.embed(m.x, m.Source, source)
	return m.Encoder.Forward(m.x, real)
}

func (m *Transformer) Translate(source []int, width, maxLen int, alpha float64) (tokens []int,
	score float64, err error) {

	if err := checkIDs("Transformer.Translate: source", [][]int{source}, m.Source.Weight.Value.Dim(0)); err != nil {
		return nil, 0, err
	}
	if len(source) == 0 {
		return nil, 0, tensor.ShapeError{Op: "Transformer.Translate: source without tokens", Got: []int{0}}
	}
	real := [][]bool{slices.Repeat([]bool{true}, len(source))} // one source: nothing is padded
	memory := m.encode([][]int{source}, real)
	next := func(prefix []int) []float32 {
		logits := m.decode([][]int{prefix}, memory, real)
		return logits.Row(logits.Rows() - 1)
	}
	tokens, score = Beam(next, width, maxLen, alpha)
	return tokens, score, nil
}
