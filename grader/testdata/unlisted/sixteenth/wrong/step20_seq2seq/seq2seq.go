//go:build unlisted

package seq2seq

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step19_classic"
	"math"
	"math/rand/v2"
	"slices"
)

// all-padding-sees-all: all padding sees all
//
// Why: Where a source is nothing but padding, PaddingMask allows all of its keys, the usual trick against a
// softmax of nothing but −Inf. Sources with at least one token are right; for one without, encoder and decoder
// read the padding.
// Wrong by the contract: "of which only those that are real are seen, by every query: Attend[(b·n + i)·M + j] =
// real[b][j]", and the lesson's table: "a source without tokens | the cross-attention adds 0". An edge case:
// everything masked.
func PaddingMask(real [][]bool, n int) *attention.Mask {
	mask := &attention.Mask{N: n}
	for b, keys := range real {
		if b == 0 {
			mask.M = len(keys)
		}
		if len(keys) != mask.M {
			panic(tensor.ShapeError{Op: fmt.Sprintf("seq2seq.PaddingMask: real[%d]", b), Got: []int{len(keys)},
				Want: []int{mask.M}})
		}
		if !slices.Contains(keys, true) {
			keys = slices.Repeat([]bool{true}, len(keys)) // a softmax needs a key
		}
		for range n {
			mask.Attend = append(mask.Attend, keys...)
		}
	}
	return mask
}

// attend-tape-grows: attend tape grows
//
// Why: Every Attend.Forward pushes its q, k, v and joined, all new tensors, on a list that only Backward cuts back
// to the last entry. All numbers are right, but whoever only calls Forward (Translate, a validation loss) keeps
// the memory of every call ever made, and nothing is used again.
// Wrong by the stub: "Yours: what Backward needs of Forward, and the tensors that are used again in every call"
// and "Backward … belongs to the last Forward": what belongs to earlier ones is not to be kept. Kind (a): memory
// kept over calls.
type Attend struct {
	Q, K, V, Output *linear.Linear      // each (D, D)
	Attention       attention.Attention // of all heads; its Weights are (B, H, N, M)

	heads      int
	tape       []record
	dHeads     *tensor.Tensor // (B, H, N, K)
	dq, dk, dv *tensor.Tensor // (B, N, D), (B, M, D), (B, M, D)
	dMemory    *tensor.Tensor // (B, M, D)
}

type record struct {
	q, k, v *tensor.Tensor // (B, H, N, K), (B, H, M, K), (B, H, M, K)
	joined  *tensor.Tensor // (B, N, D), the heads side by side
}

func (a *Attend) Forward(x, memory *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	d := a.Output.Weight.Value.Dim(0)
	tensor.CheckShape("Attend.Forward: x", x, tensor.Any, tensor.Any, d)
	batch, n := x.Dim(0), x.Dim(1)
	tensor.CheckShape("Attend.Forward: memory", memory, batch, tensor.Any, d)
	mask = a.forHeads(mask, batch, n, memory.Dim(1))

	var r record
	r.q = a.split(nil, a.Q.Forward(x))
	r.k = a.split(nil, a.K.Forward(memory))
	r.v = a.split(nil, a.V.Forward(memory))
	r.joined = join(nil, a.Attention.Forward(r.q, r.k, r.v, mask))
	a.tape = append(a.tape, r)
	return a.Output.Forward(r.joined)
}

func (a *Attend) Backward(dy *tensor.Tensor) (dx, dMemory *tensor.Tensor) {
	// (1) y is a Linear of joined:                  dJoined = dy W_O
	// (2) joined is heads in another order:         dHeads  = dJoined, split the same way
	// (3) heads = Attention(q, k, v):               dq, dk, dv by (1) to (6) of step 08
	// (4) q, joined, is a Linear of x:              dx      = dq W_Q
	// (5) k and v, joined, are Linears of memory:   dMemory = dk W_K + dv W_V
	var last record
	if n := len(a.tape); n > 0 {
		last = a.tape[n-1]
		a.tape = []record{last}
	}
	tensor.CheckShape("Attend.Backward: joined of Forward", last.joined, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Attend.Backward: dy", dy, last.joined.Shape...)
	a.dHeads = a.split(a.dHeads, a.Output.Backward(dy)) // (1) and (2), and the gradient of W_O
	dq, dk, dv := a.Attention.Backward(a.dHeads)        // (3)
	a.dq, a.dk, a.dv = join(a.dq, dq), join(a.dk, dk), join(a.dv, dv)
	dx = a.Q.Backward(a.dq)                                             // (4), and the gradient of W_Q
	a.dMemory = plus(a.dMemory, a.K.Backward(a.dk), a.V.Backward(a.dv)) // (5), and those of W_K and W_V
	return dx, a.dMemory
}

// beam-log-of-softmax: beam log of softmax
//
// Why: Beam takes the logarithm of step 07's softmax, in float32. A token whose logit is more than about 103 below
// the largest has the probability 0 and ln 0 = −Inf: all such hypotheses are equal, ties are decided by the token,
// and a result among them has the score −Inf and no tokens at all; and a probability near 1 loses its digits (ln p
// of 1 − 10^−9 is 0).
// Wrong by the contract: "the sum of ln p of its tokens and of End", which is −120, not −Inf, for a logit 120
// below. Numerical trouble: log of 0.
func logSoftmax(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, p := range softmax.Softmax(nil, tensor.From(x, len(x)), -1).Data {
		y[i] = math.Log(float64(p))
	}
	return y
}

// beam-rescores-prefix: beam rescores prefix
//
// Why: A hypothesis holds its tokens alone; in every round Beam works out its Σ ln p anew, by asking next about
// every beginning of it from Begin on. Tokens and score are right to the last bit, but a hypothesis of t tokens
// costs t+1 calls of the model in place of one, so that a translation takes O(maxLen²) calls.
// Wrong by the contract: "then maxLen times continues every live one with every token", which is one look behind
// each live hypothesis a round, and the lesson: "A hypothesis is the beginning of a translation, with its Σ ln p."
// Kind (a): right numbers, work that grows with the wrong size.
func continued(live []hypothesis, next Next) []hypothesis {
	var all []hypothesis
	for _, h := range live {
		prefix := append([]int{Begin}, h.tokens...)
		var sum float64
		for t, token := range h.tokens {
			sum += logSoftmax(next(prefix[:t+1]))[token]
		}
		for token, p := range logSoftmax(next(prefix)) {
			longer := hypothesis{tokens: h.tokens, sum: sum + p, ended: token == End}
			if !longer.ended {
				longer.tokens = append(slices.Clone(h.tokens), token)
			}
			all = append(all, longer)
		}
	}
	return all
}

// beam-shared-scratch: beam shared scratch
//
// Why: logSoftmax writes its row into a variable of the package, to save an allocation for each hypothesis. One
// search at a time is right; two goroutines that search at the same time, even with models of their own, write
// into the same row: a data race, and wrong sums.
// Wrong by the stub: "Several goroutines may call the functions at the same time, and each layers of its own: keep
// nothing in variables of the package." Kind (d).
var row []float64

func logSoftmax(x []float32) []float64 {
	m := float64(kernel.Max(x))
	var sum float64
	for _, v := range x {
		sum += math.Exp(float64(v) - m)
	}
	row = slices.Grow(row[:0], len(x))[:len(x)]
	shift := m + math.Log(sum)
	for i, v := range x {
		row[i] = float64(v) - shift
	}
	return row
}

// beam-stops-early: beam stops early
//
// Why: Beam stops as soon as the best score of those that have ended is not below the best score that a live one
// has now: "it can only become worse". That holds for α = 0, where every token makes the sum smaller; with α > 0
// the penalty makes up for it, and a live one may still come out ahead.
// Wrong by the contract: "maxLen times continues every live one with every token … It is over when none is live."
// Kind (c): right for α = 0, for a width of 1, and for most searches with a small α.
func Beam(next Next, width, maxLen int, alpha float64) (tokens []int, score float64) {
	if width < 1 {
		panic(tensor.ShapeError{Op: "seq2seq.Beam: width, which is at least 1", Got: []int{width}})
	}
	live, ended := []hypothesis{{}}, []hypothesis(nil)
	for range maxLen {
		if len(live) == 0 {
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
		if _, done := bestScore(ended, alpha); len(ended) > 0 {
			if _, open := bestScore(live, alpha); done >= open {
				break
			}
		}
	}
	tokens, score = bestScore(append(ended, live...), alpha)
	return append([]int{}, tokens...), score
}

func bestScore(all []hypothesis, alpha float64) (tokens []int, score float64) {
	score = math.Inf(-1)
	for _, h := range all {
		if s := h.sum / math.Pow((5+float64(len(h.tokens)))/6, alpha); s > score {
			tokens, score = h.tokens, s
		}
	}
	return tokens, score
}

// beam-unstable-sort: beam unstable sort
//
// Why: Beam sorts the continuations with slices.SortFunc, which does not keep the order of equal ones. Up to
// twelve elements it is an insertion sort and happens to be stable; with more, of several equal sums any may be
// kept, and a later hypothesis or a higher token may win.
// Wrong by the contract: "of equal ones, that of the earlier hypothesis, and of the lower token". Kind (c): right
// where V times the live hypotheses is small, or where no two sums are equal.
func best(all []hypothesis, n int) []hypothesis {
	slices.SortFunc(all, func(a, b hypothesis) int {
		switch {
		case a.sum > b.sum:
			return -1
		case a.sum < b.sum:
			return 1
		}
		return 0
	})
	return all[:min(n, len(all))]
}

// corrupt-float32-draw: corrupt float32 draw
//
// Why: The replacing token is ⌊w·(vocab − First)⌋ worked out in float32, from the same draw w. A w within 2^−25 of
// 1 becomes 1, and the input the id vocab, which is outside of the vocabulary; near other boundaries a token is
// taken for its neighbour. It takes some thirty million draws, or chosen ones, to see it.
// Wrong by the contract: "the input is First + ⌊w·(vocab − First)⌋, with a third draw w" of rng.Float64(). Random
// drawing that is subtly wrong.
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
				input[t] = First + int(float32(rng.Float64())*float32(vocab-First))
			}
		}
		inputs, labels = append(inputs, input), append(labels, label)
	}
	return inputs, labels
}

// heads-zero-padded: heads zero padded
//
// Why: Attend does not cut q, k and v into heads of K numbers: each head gets tensors of the full width D in which
// all other heads' numbers are 0 (and q is multiplied by √H, to undo 1/√D in place of 1/√K). The numbers are
// right, but attention takes H times the work and H times the memory.
// Wrong by the contract: "q = x W_Qᵀ, split into heads (B, H, N, K)", "k, v … likewise (B, H, M, K)", "heads =
// Attention(q, k, v), of step 08 (B, H, N, K)". Kind (a): work that grows with the wrong size.
func (a *Attend) Forward(x, memory *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	d := a.Output.Weight.Value.Dim(0)
	tensor.CheckShape("Attend.Forward: x", x, tensor.Any, tensor.Any, d)
	batch, n := x.Dim(0), x.Dim(1)
	tensor.CheckShape("Attend.Forward: memory", memory, batch, tensor.Any, d)
	mask = a.forHeads(mask, batch, n, memory.Dim(1))

	a.q = a.split(a.q, a.Q.Forward(x))
	a.k = a.split(a.k, a.K.Forward(memory))
	a.v = a.split(a.v, a.V.Forward(memory))
	kernel.Scale(a.scale(), a.q.Data)
	heads := a.Attention.Forward(a.q, a.k, a.v, mask)
	a.joined = join(a.joined, heads)
	return a.Output.Forward(a.joined)
}

func (a *Attend) Backward(dy *tensor.Tensor) (dx, dMemory *tensor.Tensor) {
	// (1) y is a Linear of joined:                  dJoined = dy W_O
	// (2) joined is heads in another order:         dHeads  = dJoined, split the same way
	// (3) heads = Attention(q, k, v):               dq, dk, dv by (1) to (6) of step 08
	// (4) q, joined, is a Linear of x:              dx      = dq W_Q
	// (5) k and v, joined, are Linears of memory:   dMemory = dk W_K + dv W_V
	tensor.CheckShape("Attend.Backward: joined of Forward", a.joined, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Attend.Backward: dy", dy, a.joined.Shape...)
	a.dHeads = a.split(a.dHeads, a.Output.Backward(dy)) // (1) and (2), and the gradient of W_O
	dq, dk, dv := a.Attention.Backward(a.dHeads)        // (3)
	a.dq, a.dk, a.dv = join(a.dq, dq), join(a.dk, dk), join(a.dv, dv)
	kernel.Scale(a.scale(), a.dq.Data)
	dx = a.Q.Backward(a.dq)                                             // (4), and the gradient of W_Q
	a.dMemory = plus(a.dMemory, a.K.Backward(a.dk), a.V.Backward(a.dv)) // (5), and those of W_K and W_V
	return dx, a.dMemory
}

func (a *Attend) scale() float32 { return float32(math.Sqrt(float64(a.heads))) }

func (a *Attend) split(dst, src *tensor.Tensor) *tensor.Tensor {
	batch, n, d := src.Dim(0), src.Dim(1), src.Dim(2)
	width := d / a.heads
	dst = tensor.Reuse(dst, batch, a.heads, n, d)
	dst.Zero()
	for b := range batch {
		for h := range a.heads {
			tensor.Copy(dst.MatrixAt(b*a.heads+h).Block(0, h*width, n, width), src.MatrixAt(b).Block(0, h*width, n, width))
		}
	}
	return dst
}

func join(dst, src *tensor.Tensor) *tensor.Tensor {
	batch, heads, n, d := src.Dim(0), src.Dim(1), src.Dim(2), src.Dim(3)
	width := d / heads
	dst = tensor.Reuse(dst, batch, n, d)
	for b := range batch {
		for h := range heads {
			tensor.Copy(dst.MatrixAt(b).Block(0, h*width, n, width), src.MatrixAt(b*heads+h).Block(0, h*width, n, width))
		}
	}
	return dst
}

// memory-gradient-zeroed-in-forward: memory gradient zeroed in forward
//
// Why: Decoder.Forward makes dMemory ready and sets it to 0, and Backward only adds to it. With one Backward to a
// Forward that is right; a second Backward behind the same Forward returns the sum of both memory gradients (and
// passes it on to the encoder).
// Wrong by the contract: Backward "returns that of x (B, N, D) and that of the memory (B, M, D)", of the dy that
// it was given; only the parameters' gradients are added to. The lesson names "The memory's gradient … not set to
// zero from one Backward to the next". Kind (b).
func (d *Decoder) Forward(x, memory *tensor.Tensor, real [][]bool) *tensor.Tensor {
	checkReal("Decoder.Forward: memory", memory, real)
	tensor.CheckShape("Decoder.Forward: x", x, memory.Dim(0), tensor.Any, memory.Dim(2))
	d.dMemory = tensor.Reuse(d.dMemory, memory.Shape...)
	d.dMemory.Zero()
	before, source := attention.Causal(x.Dim(1)), PaddingMask(real, x.Dim(1))
	for _, layer := range d.Layers {
		x = layer.Forward(x, memory, before, source)
	}
	return x
}

func (d *Decoder) Backward(dy *tensor.Tensor) (dx, dMemory *tensor.Tensor) {
	// (11) Every layer reads the same memory:   dMemory = Σ_l dMemory_l
	for l := len(d.Layers) - 1; l >= 0; l-- {
		var part *tensor.Tensor
		dy, part = d.Layers[l].Backward(dy)
		kernel.Add(d.dMemory.Data, d.dMemory.Data, part.Data) // (11)
	}
	return dy, d.dMemory
}

// padding-mask-kept: padding mask kept
//
// Why: The Decoder keeps its two masks from call to call and makes them anew only when B, N or M differ. The
// causal mask is a function of N, but the padding mask is one of the sources: a second batch of the same shape
// with its padding elsewhere is read with the first batch's mask.
// Wrong by the contract: "which look at the memory (B, M, D) where real (B, M) says that there is a token", of
// every call. Kind (b): the first call is right, and so is every call with the same padding.
type Decoder struct {
	Layers []*DecoderLayer

	before, source *attention.Mask // causal (N, N), and padding (N, M) for each sequence
	batch          int             // for which source was made
	dMemory        *tensor.Tensor  // (B, M, D), reused by every Backward
}

func (d *Decoder) Forward(x, memory *tensor.Tensor, real [][]bool) *tensor.Tensor {
	checkReal("Decoder.Forward: memory", memory, real)
	tensor.CheckShape("Decoder.Forward: x", x, memory.Dim(0), tensor.Any, memory.Dim(2))
	batch, n, m := x.Dim(0), x.Dim(1), memory.Dim(1)
	if d.before == nil || d.before.N != n {
		d.before = attention.Causal(n)
	}
	if d.source == nil || d.batch != batch || d.source.N != n || d.source.M != m {
		d.batch, d.source = batch, PaddingMask(real, n)
	}
	for _, layer := range d.Layers {
		x = layer.Forward(x, memory, d.before, d.source)
	}
	return x
}

// positions-512: positions 512
//
// Why: The table of sines and cosines is made once, with 512 rows, "long enough for every text", in place of
// growing with the longest text so far. A source or target of more than 512 tokens, or a Translate that writes so
// many, ends in a slice that is out of range.
// Wrong by the contract: "P is the table of sines and cosines, of step 19, and a row of it is added to every
// token"; there is no longest text. Kind (c): right for the usual sizes.
const maxTokens = 512

func (m *Transformer) embed(dst *tensor.Tensor, table *embedding.Embedding, ids [][]int) *tensor.Tensor {
	e, err := table.Forward(ids)
	if err != nil {
		panic(err) // the ids are in order
	}
	n, d := e.Dim(1), e.Dim(2)
	if m.positions == nil {
		m.positions = classic.Sinusoids(maxTokens, d)
	}
	dst = tensor.Reuse(dst, e.Shape...)
	for r := range dst.Rows() {
		copy(dst.Row(r), m.positions.Row(r%n))
		kernel.Axpy(factor(d), e.Row(r), dst.Row(r))
	}
	return dst
}

// real-of-one-row: real of one row
//
// Why: Decoder.Forward leaves the check of real to Attend, which sees the finished mask alone. With one row of
// real for a batch of several sequences the mask has N·M entries, which Attend takes for a mask of all sequences:
// it computes with the first one's padding, where it should refuse. Every other wrong number of rows, and every
// wrong length, is still refused.
// Wrong by the contract: "real (B, M)" and "It panics with a ShapeError if the shapes do not fit together." A
// refusal that is missing.
func (d *Decoder) Forward(x, memory *tensor.Tensor, real [][]bool) *tensor.Tensor {
	tensor.CheckShape("Decoder.Forward: memory", memory, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Decoder.Forward: x", x, memory.Dim(0), tensor.Any, memory.Dim(2))
	before, source := attention.Causal(x.Dim(1)), PaddingMask(real, x.Dim(1))
	for _, layer := range d.Layers {
		x = layer.Forward(x, memory, before, source)
	}
	return x
}

// refused-overwrites-labels: refused overwrites labels
//
// Why: Smoothing.Forward checks the labels row by row while it copies them into the memory of the kept ones. When
// a later row or label is refused, c.labels still has its old length, but its first entries are those of the
// refused call; the next Backward answers for labels that were never accepted. An error in the first row alone
// leaves everything in place.
// Wrong by the contract: "It returns an IndexError for a label that is neither Ignored nor in the vocabulary, and
// a ShapeError if there is not one label for every token. After an error nothing has changed." Kind (b).
func (c *Smoothing) Forward(logits *tensor.Tensor, labels [][]int) (float64, error) {
	tensor.CheckShape("Smoothing.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	all, err := flatten(c.labels[:0], logits, labels)
	if err != nil {
		return 0, err
	}
	c.logits, c.labels, c.counted, c.epsilon = logits, all, 0, c.Epsilon
	var loss float64
	for r, label := range c.labels {
		if label == Ignored {
			continue
		}
		c.counted++
		loss += c.row(logits.Row(r), label)
	}
	return loss / float64(max(1, c.counted)), nil
}

func flatten(all []int, logits *tensor.Tensor, labels [][]int) ([]int, error) {
	batch, seq, vocab := logits.Dim(0), logits.Dim(1), logits.Dim(2)
	if len(labels) != batch {
		return nil, tensor.ShapeError{Op: "Smoothing.Forward: rows of labels", Got: []int{len(labels)}, Want: []int{batch}}
	}
	for b, row := range labels {
		if len(row) != seq {
			return nil, tensor.ShapeError{Op: fmt.Sprintf("Smoothing.Forward: labels[%d]", b), Got: []int{len(row)},
				Want: []int{seq}}
		}
		for t, label := range row {
			if label != Ignored && (label < 0 || label >= vocab) {
				return nil, tensor.IndexError{Op: fmt.Sprintf("Smoothing.Forward: labels[%d][%d]", b, t), Got: label,
					Limit: vocab}
			}
		}
		all = append(all, row...)
	}
	return all, nil
}

func checkLabels(logits *tensor.Tensor, labels [][]int) error { panic("nobody calls this") }

// self-sum-inside: self sum inside
//
// Why: Attend notices when the memory is x itself, and Backward then returns the sum of both gradients as dx, and
// dMemory beside it; the layers of encoder and decoder add dr and dx alone. The stacks and the whole model are
// right, but whoever uses Attend for self-attention and adds both, as is written, counts dMemory twice.
// Wrong by the contract: "It returns dx (B, N, D) and dMemory (B, M, D) … Where the memory was x, the gradient of
// x is the sum of both", and the lesson: "Self.Backward returns two gradients, and the sum has a third."
type Attend struct {
	Q, K, V, Output *linear.Linear      // each (D, D)
	Attention       attention.Attention // of all heads; its Weights are (B, H, N, M)

	heads      int
	q, k, v    *tensor.Tensor // (B, H, N, K), (B, H, M, K), (B, H, M, K)
	joined     *tensor.Tensor // (B, N, D), the heads side by side
	dHeads     *tensor.Tensor // (B, H, N, K)
	dq, dk, dv *tensor.Tensor // (B, N, D), (B, M, D), (B, M, D)
	dMemory    *tensor.Tensor // (B, M, D)
	self       bool           // whether the memory was x
	dx         *tensor.Tensor // (B, N, D), where it was
}

func (a *Attend) Forward(x, memory *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	d := a.Output.Weight.Value.Dim(0)
	tensor.CheckShape("Attend.Forward: x", x, tensor.Any, tensor.Any, d)
	batch, n := x.Dim(0), x.Dim(1)
	tensor.CheckShape("Attend.Forward: memory", memory, batch, tensor.Any, d)
	mask = a.forHeads(mask, batch, n, memory.Dim(1))

	a.self = x == memory
	a.q = a.split(a.q, a.Q.Forward(x))
	a.k = a.split(a.k, a.K.Forward(memory))
	a.v = a.split(a.v, a.V.Forward(memory))
	heads := a.Attention.Forward(a.q, a.k, a.v, mask)
	a.joined = join(a.joined, heads)
	return a.Output.Forward(a.joined)
}

func (a *Attend) Backward(dy *tensor.Tensor) (dx, dMemory *tensor.Tensor) {
	// (1) y is a Linear of joined:                  dJoined = dy W_O
	// (2) joined is heads in another order:         dHeads  = dJoined, split the same way
	// (3) heads = Attention(q, k, v):               dq, dk, dv by (1) to (6) of step 08
	// (4) q, joined, is a Linear of x:              dx      = dq W_Q
	// (5) k and v, joined, are Linears of memory:   dMemory = dk W_K + dv W_V
	tensor.CheckShape("Attend.Backward: joined of Forward", a.joined, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Attend.Backward: dy", dy, a.joined.Shape...)
	a.dHeads = a.split(a.dHeads, a.Output.Backward(dy)) // (1) and (2), and the gradient of W_O
	dq, dk, dv := a.Attention.Backward(a.dHeads)        // (3)
	a.dq, a.dk, a.dv = join(a.dq, dq), join(a.dk, dk), join(a.dv, dv)
	dx = a.Q.Backward(a.dq)                                             // (4), and the gradient of W_Q
	a.dMemory = plus(a.dMemory, a.K.Backward(a.dk), a.V.Backward(a.dv)) // (5), and those of W_K and W_V
	if a.self {
		a.dx = plus(a.dx, dx, a.dMemory)
		dx = a.dx
	}
	return dx, a.dMemory
}

func (l *DecoderLayer) Backward(dz *tensor.Tensor) (dx, dMemory *tensor.Tensor) {
	// (8)  z = Norm3(t), t = u + FFN(u):       dt = Norm3.Backward(dz), du = dt + FFN.Backward(dt)
	// (9)  u = Norm2(s), s = y + Cross(y, m):  ds = Norm2.Backward(du), dy = ds + dx_Cross;
	//      the memory is in s once:            dMemory_Cross of this layer
	// (10) y = Norm1(r), r = x + Self(x, x):   dx as in (7)
	dt := l.Norm3.Backward(dz)
	l.du = plus(l.du, dt, l.FFN.Backward(dt)) // (8)
	ds := l.Norm2.Backward(l.du)
	asking, dMemory := l.Cross.Backward(ds)
	l.dy = plus(l.dy, ds, asking) // (9)
	dr := l.Norm1.Backward(l.dy)
	both, _ := l.Self.Backward(dr)
	l.dx = plus(l.dx, dr, both) // (10)
	return l.dx, dMemory
}

func (l *EncoderLayer) Backward(dz *tensor.Tensor) *tensor.Tensor {
	// (6) z = Norm2(s), s = y + FFN(y):     ds = Norm2.Backward(dz), dy = ds + FFN.Backward(ds)
	// (7) y = Norm1(r), r = x + Self(x, x): dr = Norm1.Backward(dy). x is in r three times: by
	//     itself, as what asks and as what is asked: dx = dr + dx_Self + dMemory_Self
	ds := l.Norm2.Backward(dz)
	l.dy = plus(l.dy, ds, l.FFN.Backward(ds)) // (6)
	dr := l.Norm1.Backward(l.dy)
	both, _ := l.Self.Backward(dr)
	l.dx = plus(l.dx, dr, both) // (7)
	return l.dx
}

// smoothing-gradient-in-forward: smoothing gradient in forward
//
// Why: Smoothing.Forward, which has the softmax at hand, writes the gradient right away, and Backward returns it.
// All numbers are right, but the tensor that a Backward has returned is overwritten by the next Forward.
// Wrong by the contract: "dlogits (B, T, V) is valid until the next Backward", not until the next Forward:
// Forward, Backward, Forward of another batch, and the first gradient is gone. Kind (b): results that share memory
// with later calls.
type Smoothing struct {
	Epsilon float64

	labels  []int          // B·T
	counted int            // how many of the labels are not Ignored
	dlogits *tensor.Tensor // (B, T, V)
}

func (c *Smoothing) Forward(logits *tensor.Tensor, labels [][]int) (float64, error) {
	tensor.CheckShape("Smoothing.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	if err := checkLabels(logits, labels); err != nil {
		return 0, err
	}
	c.labels, c.counted = c.labels[:0], 0
	for _, row := range labels {
		c.labels = append(c.labels, row...)
	}
	var loss float64
	for r, label := range c.labels {
		if label == Ignored {
			continue
		}
		c.counted++
		loss += c.row(logits.Row(r), label)
	}
	c.gradient(logits)
	return loss / float64(max(1, c.counted)), nil
}

func (c *Smoothing) row(x []float32, label int) float64 {
	m := float64(kernel.Max(x))
	var sum, shifted float64
	for _, v := range x {
		sum += math.Exp(float64(v) - m)
		shifted += float64(v) - m
	}
	return math.Log(sum) - (1-c.Epsilon)*(float64(x[label])-m) - c.Epsilon/float64(len(x))*shifted
}

func (c *Smoothing) gradient(logits *tensor.Tensor) {
	// (15) Σ q = 1, so the loss of a row is     ℓ = ln Σ_v e^(x_v) − Σ_v q_v·x_v
	// (16) the first term's derivative is the softmax:  ∂ℓ/∂x_v = softmax(x)_v − q_v
	// (17) the mean over the n tokens that count:       dx = (softmax(x) − q)/n, else 0
	c.dlogits = softmax.Softmax(c.dlogits, logits, -1)
	spread := float32(c.Epsilon / float64(logits.Dim(-1)))
	for r, label := range c.labels {
		dx := c.dlogits.Row(r)
		if label == Ignored {
			clear(dx) // (17)
			continue
		}
		kernel.AddConst(dx, -spread, dx)
		dx[label] -= float32(1 - c.Epsilon)
		kernel.Scale(1/float32(c.counted), dx) // (17)
	}
}

func (c *Smoothing) Backward() *tensor.Tensor {
	tensor.CheckShape("Smoothing.Backward: dlogits of the last Forward", c.dlogits, tensor.Any, tensor.Any, tensor.Any)
	return c.dlogits
}

// smoothing-stale-ignored: smoothing stale ignored
//
// Why: Smoothing.Backward writes the rows of the tokens that count and passes over the others: a new tensor has
// zeros there, but one that is used again has what the last Backward wrote. With the same labels again all is
// right; when a token counted in one call and is Ignored in the next, its old gradient comes back.
// Wrong by the contract: "dlogits = 0 for the others". Kind (b).
func (c *Smoothing) Backward() *tensor.Tensor {
	// (15) Σ q = 1, so the loss of a row is     ℓ = ln Σ_v e^(x_v) − Σ_v q_v·x_v
	// (16) the first term's derivative is the softmax:  ∂ℓ/∂x_v = softmax(x)_v − q_v
	// (17) the mean over the n tokens that count:       dx = (softmax(x) − q)/n, else 0
	tensor.CheckShape("Smoothing.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	vocab := c.logits.Dim(-1)
	c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	spread := float32(c.epsilon / float64(vocab))
	for r, label := range c.labels {
		if label == Ignored {
			continue
		}
		dx := c.dlogits.Row(r)
		softmax.Softmax(tensor.From(dx, vocab), tensor.From(c.logits.Row(r), vocab), -1)
		kernel.AddConst(dx, -spread, dx)
		dx[label] -= float32(1 - c.epsilon)
		kernel.Scale(1/float32(c.counted), dx) // (17)
	}
	return c.dlogits
}

// source-embedded-first: source embedded first
//
// Why: Transformer.Forward leaves the checks to the two embeddings and asks them one after the other: when the
// target is refused, the source is embedded already. The kept ids of the source's table and m.x, which the
// encoder's first layer still holds for its Backward, are those of the refused call.
// Wrong by the contract: "An id outside of its vocabulary is an IndexError, rows of different lengths, or of
// another number, are a ShapeError. Both are returned, and then nothing has changed." Refused sources and refused
// numbers of rows change nothing, only a refused target does. Kind (b).
func (m *Transformer) Forward(source, target [][]int) (*tensor.Tensor, error) {
	if len(source) != len(target) {
		return nil, tensor.ShapeError{Op: "Transformer.Forward: rows of target", Got: []int{len(target)},
			Want: []int{len(source)}}
	}
	x, err := m.embed(m.x, m.Source, source)
	if err != nil {
		return nil, err
	}
	m.x = x
	y, err := m.embed(m.y, m.Target, target)
	if err != nil {
		return nil, err
	}
	m.y = y
	there := real(source)
	return m.Head.Forward(m.Decoder.Forward(m.y, m.Encoder.Forward(m.x, there), there)), nil
}

func real(source [][]int) (all [][]bool) {
	for _, row := range source {
		there := make([]bool, len(row))
		for j, id := range row {
			there[j] = id != Pad
		}
		all = append(all, there)
	}
	return all
}

func (m *Transformer) embed(dst *tensor.Tensor, table *embedding.Embedding, ids [][]int) (*tensor.Tensor, error) {
	e, err := table.Forward(ids)
	if err != nil {
		return nil, err
	}
	n, d := e.Dim(1), e.Dim(2)
	if m.positions == nil || m.positions.Dim(0) < n {
		m.positions = classic.Sinusoids(n, d)
	}
	dst = tensor.Reuse(dst, e.Shape...)
	for r := range dst.Rows() {
		copy(dst.Row(r), m.positions.Row(r%n))
		kernel.Axpy(factor(d), e.Row(r), dst.Row(r))
	}
	return dst, nil
}

func (m *Transformer) Translate(source []int, width, maxLen int, alpha float64) (tokens []int,
	score float64, err error) {

	if len(source) == 0 {
		return nil, 0, tensor.ShapeError{Op: "Transformer.Translate: source without tokens", Got: []int{0}}
	}
	x, err := m.embed(m.x, m.Source, [][]int{source})
	if err != nil {
		return nil, 0, err
	}
	m.x = x
	there := real([][]int{source})
	memory := m.Encoder.Forward(m.x, there)
	next := func(prefix []int) []float32 {
		y, err := m.embed(m.y, m.Target, [][]int{prefix})
		if err != nil {
			panic(err) // the ids are in order
		}
		m.y = y
		logits := m.Head.Forward(m.Decoder.Forward(m.y, memory, there))
		return logits.Row(logits.Rows() - 1)
	}
	tokens, score = Beam(next, width, maxLen, alpha)
	return tokens, score, nil
}

func (m *Transformer) encode(source [][]int) (memory *tensor.Tensor, real [][]bool) {
	panic("nobody calls this")
}

func (m *Transformer) decode(target [][]int, memory *tensor.Tensor, real [][]bool) *tensor.Tensor {
	panic("nobody calls this")
}

// teach-rows-overlap: teach rows overlap
//
// Why: Teach writes Begin, y_1 … y_n, End once for every target of the greatest length, and returns two views of
// it that are shifted by one: inputs[b][t+1] and labels[b][t] are the same number in memory. Shorter targets get
// rows of their own, and everything that is returned is right.
// Wrong by the contract: "inputs and labels belong to the caller": whoever drops words from the inputs, or sets a
// label to Ignored, changes the other one as well. Kind (b): results that share memory.
func Teach(targets [][]int) (inputs, labels [][]int) {
	longest := 0
	for _, target := range targets {
		longest = max(longest, len(target))
	}
	for _, target := range targets {
		if len(target) == longest {
			text := make([]int, 0, longest+2)
			text = append(append(append(text, Begin), target...), End)
			inputs, labels = append(inputs, text[:longest+1]), append(labels, text[1:])
			continue
		}
		input, label := make([]int, longest+1), make([]int, longest+1)
		for t := range label {
			input[t], label[t] = Pad, Ignored
		}
		input[0] = Begin
		copy(input[1:], target)
		copy(label, target)
		label[len(target)] = End
		inputs, labels = append(inputs, input), append(labels, label)
	}
	return inputs, labels
}

// translate-tokens-reused: translate tokens reused
//
// Why: Translate copies what Beam has found into memory that the Transformer keeps, and returns that: the next
// Translate of the same model overwrites the tokens that the first one has returned. One call, or two calls with
// the same source, or looking at the tokens at once, show nothing.
// Wrong by the contract: "Translate returns the tokens that Beam finds behind one source", without "valid until
// the next …", as it stands at Forward and Backward: they are the caller's. Kind (b).
type Transformer struct {
	Source  *embedding.Embedding // (U, D)
	Target  *embedding.Embedding // (V, D)
	Encoder *Encoder
	Decoder *Decoder
	Head    *linear.Linear // (V, D)

	positions *tensor.Tensor // (T_max, D), sines and cosines, for the longest text so far
	x, y      *tensor.Tensor // (B, M, D), (B, T, D), source and target, embedded
	dx, dy    *tensor.Tensor // their gradients, times √D
	found     []int          // by the last Translate
}

func (m *Transformer) Translate(source []int, width, maxLen int, alpha float64) (tokens []int,
	score float64, err error) {

	if err := checkIDs("Transformer.Translate: source", [][]int{source}, m.Source.Weight.Value.Dim(0)); err != nil {
		return nil, 0, err
	}
	if len(source) == 0 {
		return nil, 0, tensor.ShapeError{Op: "Transformer.Translate: source without tokens", Got: []int{0}}
	}
	memory, real := m.encode([][]int{source})
	next := func(prefix []int) []float32 {
		logits := m.decode([][]int{prefix}, memory, real)
		return logits.Row(logits.Rows() - 1)
	}
	tokens, score = Beam(next, width, maxLen, alpha)
	m.found = append(m.found[:0], tokens...)
	return m.found, score, nil
}
