package oracle

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

// The tokens with a meaning of their own, and the label of what does not count.
const (
	padToken, beginToken, endToken, firstToken = 0, 1, 2, 3

	ignoredLabel = -1
)

func init() {
	layer("attend", func(c *call) ([]*autodiff.Tensor, error) {
		if err := c.checkSplit(); err != nil {
			return nil, err
		}
		x, memory := c.tensor("x"), c.tensor("memory")
		mask := c.overReal(c.in["real"].Bool, c.sizes["N"])
		return one(Attend(x, memory, c.projections(), c.int("num_heads"), mask))
	})
	layer("encoder", func(c *call) ([]*autodiff.Tensor, error) {
		if err := c.checkSplit(); err != nil {
			return nil, err
		}
		return one(c.encoder(c.tensor("x"), "", c.in["real"].Bool))
	})
	layer("decoder", func(c *call) ([]*autodiff.Tensor, error) {
		if err := c.checkSplit(); err != nil {
			return nil, err
		}
		return one(c.decoder(c.tensor("x"), c.tensor("memory"), "", c.in["real"].Bool))
	})
	layer("transformer", func(c *call) ([]*autodiff.Tensor, error) {
		if err := c.checkSplit(); err != nil {
			return nil, err
		}
		memory, real := c.encoded(c.indices("source"))
		return one(c.decoded(c.indices("target"), memory, real))
	})
	answer("smoothing.forward", func(c *call) (wire.Values, error) {
		return wire.Values{"loss": result(c.smoothed())}, nil
	})
	answer("smoothing.backward", func(c *call) (wire.Values, error) {
		c.smoothed().Backward([]float64{1})
		return wire.Values{"dlogits": c.gradient("logits", "")}, nil
	})
	answer("rate", rates)
	answer("teach", teach)
	answer("corrupt", corrupt)
	answer("greedy", func(c *call) (wire.Values, error) {
		return wire.Values{"tokens": integers(greedily(c.behind(), c.int("max_len")))}, nil
	})
	answer("beam", func(c *call) (wire.Values, error) { return c.beam(c.behind()) })
	answer("translate", func(c *call) (wire.Values, error) {
		if err := c.checkSplit(); err != nil {
			return nil, err
		}
		source := c.indices("source")
		if len(source.Data) == 0 {
			return nil, c.refuse("source", "at least one token")
		}
		memory, real := c.encoded(Indices{Shape: []int{1, len(source.Data)}, Data: source.Data})
		return c.beam(func(prefix []int) *autodiff.Tensor {
			logits := c.decoded(Indices{Shape: []int{1, len(prefix)}, Data: prefix}, memory, real)
			n, vocab := len(prefix), logits.Shape[2]
			return autodiff.Reshape(autodiff.Slice(logits, 1, n-1, n), vocab)
		})
	})
}

// checkSplit refuses heads that do not divide D.
func (c *call) checkSplit() error {
	if d := c.sizes["D"]; d%c.int("num_heads") != 0 {
		return c.refuse("num_heads", fmt.Sprintf("a divisor of D = %d", d))
	}
	return nil
}

// overReal is the mask of n queries over keys of which only those that are real are seen,
// the same for every head: real is (B, M), the result (B, H, n, M).
func (c *call) overReal(real []bool, n int) []bool {
	var mask []bool
	for keys := range slices.Chunk(real, max(1, len(real)/max(1, c.batch()))) {
		mask = append(mask, slices.Repeat(keys, c.int("num_heads")*n)...)
	}
	return mask
}

func (c *call) batch() int {
	if b, ok := c.sizes["B"]; ok {
		return b
	}
	return 1 // a single source
}

// Attend is multi-head attention whose queries come from x and whose keys and values come
// from a memory. Head h reads the columns h·K to (h+1)·K of the projections.
//
//	x (B, N, D), memory (B, M, D), result (B, N, D)
//
// mask is that of Attention, for (B, H).
//
// Source: Vaswani et al., "Attention Is All You Need" (arXiv:1706.03762), section 3.2.
func Attend(x, memory *autodiff.Tensor, w Projections, heads int, mask []bool) *autodiff.Tensor {
	split := func(from, weight *autodiff.Tensor) *autodiff.Tensor { // (B, N, D) to (B, H, N, K)
		batch, n, d := from.Shape[0], from.Shape[1], from.Shape[2]
		return autodiff.Permute(autodiff.Reshape(linearOf(from, weight), batch, n, heads, d/heads), 0, 2, 1, 3)
	}
	y, _ := Attention(split(x, w.Q).Named("q"), split(memory, w.K).Named("k"), split(memory, w.V).Named("v"), mask)
	joined := autodiff.Reshape(autodiff.Permute(y.Named("heads"), 0, 2, 1, 3), x.Shape...).Named("joined")
	return linearOf(joined, w.Output)
}

// piece of a stack: the i-th of the entries of layer l of an argument.
func (c *call) stacked(name string, l int, i ...int) *autodiff.Tensor {
	t := c.tensor(name)
	for axis, at := range append([]int{l}, i...) {
		t = autodiff.Slice(t, axis, at, at+1)
	}
	return autodiff.Reshape(t, t.Shape[1+len(i):]...)
}

func (c *call) attendOf(x, memory *autodiff.Tensor, attn string, l, first int, mask []bool) *autodiff.Tensor {
	w := Projections{Q: c.stacked(attn, l, first), K: c.stacked(attn, l, first+1), V: c.stacked(attn, l, first+2),
		Output: c.stacked(attn, l, first+3)}
	heads := c.int("num_heads")
	return autodiff.Part("Attend", func(in []*autodiff.Tensor) *autodiff.Tensor {
		return Attend(in[0], in[1], Projections{in[2], in[3], in[4], in[5]}, heads, mask)
	}, x, memory, w.Q, w.K, w.V, w.Output)
}

// normed is the norm behind a sum, the i-th of layer l.
func (c *call) normed(sum *autodiff.Tensor, norms string, l, i int) *autodiff.Tensor {
	return autodiff.Add(layerNormOf(sum, c.stacked(norms, l, 2*i)), c.stacked(norms, l, 2*i+1))
}

func (c *call) networkOf(x *autodiff.Tensor, prefix string, l int) *autodiff.Tensor {
	return autodiff.Part("FFN", func(in []*autodiff.Tensor) *autodiff.Tensor {
		return FeedForward(in[0], in[1], in[2], in[3], in[4], autodiff.ReLU)
	}, x, c.stacked(prefix+"w1", l), c.stacked(prefix+"b1", l), c.stacked(prefix+"w2", l), c.stacked(prefix+"b2", l))
}

// encoder is a stack of encoder layers, whose arguments have a prefix.
//
// Source: Vaswani et al. (arXiv:1706.03762), section 3.1.
func (c *call) encoder(x *autodiff.Tensor, prefix string, real []bool) *autodiff.Tensor {
	mask := c.overReal(real, x.Shape[1])
	for l := range c.in[prefix+"attn"].Shape[0] {
		y := c.normed(autodiff.Add(x, c.attendOf(x, x, prefix+"attn", l, 0, mask)).Named("r"), prefix+"norms", l, 0).Named("y")
		x = c.normed(autodiff.Add(y, c.networkOf(y, prefix, l)).Named("s"), prefix+"norms", l, 1)
	}
	return autodiff.Scale(x, 1)
}

// decoder is a stack of decoder layers, all of which read one memory.
//
// Source: Vaswani et al. (arXiv:1706.03762), section 3.1.
func (c *call) decoder(x, memory *autodiff.Tensor, prefix string, real []bool) *autodiff.Tensor {
	before, source := Causal(x.Shape[1]), c.overReal(real, x.Shape[1])
	for l := range c.in[prefix+"attn"].Shape[0] {
		y := c.normed(autodiff.Add(x, c.attendOf(x, x, prefix+"attn", l, 0, before)).Named("r"), prefix+"norms", l, 0).Named("y")
		cross := c.attendOf(y, memory, prefix+"attn", l, 4, source)
		u := c.normed(autodiff.Add(y, cross).Named("s"), prefix+"norms", l, 1).Named("u")
		x = c.normed(autodiff.Add(u, c.networkOf(u, prefix, l)).Named("t"), prefix+"norms", l, 2)
	}
	return autodiff.Scale(x, 1)
}

// embedded is √D·E[id] plus the sines and cosines of the place in the text.
func (c *call) embedded(ids Indices, table string) *autodiff.Tensor {
	n, d := ids.Shape[1], c.sizes["D"]
	positions := autodiff.Zeros(n, d)
	for i := range positions.Data {
		positions.Data[i] = Sinusoid(i/d, i%d, d)
	}
	e := autodiff.Scale(Embedding(ids, c.tensor(table)), math.Sqrt(float64(d))).Labelled("√D")
	return autodiff.Add(e, positions.Named("P"))
}

// encoded is what the encoder makes of sources, and where they are real.
func (c *call) encoded(source Indices) (memory *autodiff.Tensor, real []bool) {
	for _, id := range source.Data {
		real = append(real, id != padToken)
	}
	return c.encoder(c.embedded(source, "embed_source"), "src_", real).Named("memory"), real
}

// decoded are the logits behind every token of targets.
func (c *call) decoded(target Indices, memory *autodiff.Tensor, real []bool) *autodiff.Tensor {
	return linearOf(c.decoder(c.embedded(target, "embed_target"), memory, "tgt_", real).Named("z"), c.tensor("head"))
}

// smoothed is the loss of label smoothing.
//
// Source: Szegedy et al., "Rethinking the Inception Architecture" (arXiv:1512.00567),
// section 7.
func (c *call) smoothed() *autodiff.Tensor {
	logits, labels, eps := c.tensor("logits"), c.in["labels"].I64, c.float("eps")
	vocab := logits.Shape[2]
	var rows, at []int
	for r, label := range labels {
		if label != ignoredLabel {
			at = append(at, len(rows)*vocab+int(label))
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return autodiff.Reshape(autodiff.Sum(autodiff.Reshape(autodiff.Scale(logits, 0), len(logits.Data)), 0))
	}
	x := autodiff.Rows(autodiff.Reshape(logits, len(labels), vocab), rows) // (n, V)
	chosen := autodiff.Rows(autodiff.Reshape(x, len(rows)*vocab, 1), at).Named("x[label]")
	sharp := autodiff.Scale(chosen, 1-eps).Labelled("1 − ε")
	even := autodiff.Scale(autodiff.Mean(x, -1).Named("mean(x)"), eps).Labelled("ε") // (n, 1)
	row := autodiff.Sub(autodiff.Reshape(logSumExpOf(x, -1).Named("logsumexp(x)"), len(rows), 1), autodiff.Add(sharp, even))
	return c.edited(nil, autodiff.Reshape(autodiff.Mean(row, 0)).Named("loss"))[0]
}

// rates are those of the schedule of 2017.
//
// Source: Vaswani et al. (arXiv:1706.03762), section 5.3, equation 3.
func rates(c *call) (wire.Values, error) {
	var all []float64
	warmup, d := c.int("warmup"), float64(c.int("d_model"))
	for _, step := range c.in["steps"].I64 {
		if step < 1 || warmup < 1 {
			return nil, c.refuse("steps", "updates and a warm-up of at least 1")
		}
		s := float64(step)
		all = append(all, math.Pow(d, -0.5)*math.Min(math.Pow(s, -0.5), s*math.Pow(float64(warmup), -1.5)))
	}
	return wire.Values{"rates": wire.Floats(all, len(all))}, nil
}

// teach shifts targets right.
func teach(c *call) (wire.Values, error) {
	tokens, lengths := c.in["tokens"].I64, c.in["lengths"].I64
	total, longest := 0, 0
	for _, n := range lengths {
		total, longest = total+int(n), max(longest, int(n))
	}
	if total != len(tokens) || len(lengths) == 0 {
		return nil, c.refuse("lengths", fmt.Sprintf("lengths of together %d", len(tokens)))
	}
	width := longest + 1
	inputs, labels := wire.Ints(nil, len(lengths), width), wire.Ints(nil, len(lengths), width)
	for _, n := range lengths {
		rest := width - int(n) - 1
		inputs.I64 = slices.Concat(inputs.I64, []int64{beginToken}, tokens[:n], slices.Repeat([]int64{padToken}, rest))
		labels.I64 = slices.Concat(labels.I64, tokens[:n], []int64{endToken}, slices.Repeat([]int64{ignoredLabel}, rest))
		tokens = tokens[n:]
	}
	return wire.Values{"inputs": inputs, "labels": labels}, nil
}

// corrupt chooses and hides tokens.
//
// Source: Devlin et al., "BERT" (arXiv:1810.04805), section 3.1.
func corrupt(c *call) (wire.Values, error) {
	ids, draws := c.in["tokens"], c.in["chances"].I64
	if c.int("vocab") < firstToken {
		return nil, c.refuse("vocab", "at least 3")
	}
	inputs, labels := wire.Ints(slices.Clone(ids.I64), ids.Shape...), wire.Ints(slices.Repeat([]int64{ignoredLabel}, len(ids.I64)), ids.Shape...)
	drawn := 0
	draw := func() float64 {
		drawn++
		return math.Ldexp(float64(draws[drawn-1]), -53)
	}
	for i, id := range ids.I64 {
		if len(draws) < drawn+3 {
			return nil, c.refuse("chances", "three for each token")
		}
		if id == padToken || draw() >= 0.15 {
			continue
		}
		labels.I64[i] = id
		if v := draw(); v < 0.8 {
			inputs.I64[i] = int64(c.int("mask"))
		} else if v < 0.8+0.1 {
			inputs.I64[i] = firstToken + int64(math.Floor(draw()*float64(c.int("vocab")-firstToken)))
		}
	}
	return wire.Values{"inputs": inputs, "labels": labels, "drawn": wire.Int(drawn)}, nil
}

// behind returns the logits behind a prefix that the argument table stands for.
func (c *call) behind() func(prefix []int) *autodiff.Tensor {
	table := c.tensor("table")
	return func(prefix []int) *autodiff.Tensor {
		sum := autodiff.Zeros(table.Shape[2])
		for a := range min(len(prefix), table.Shape[0]) {
			sum = autodiff.Add(sum, c.stacked("table", a, prefix[len(prefix)-1-a]))
		}
		return sum
	}
}

func greedily(next func(prefix []int) *autodiff.Tensor, maxLen int) []int {
	prefix := []int{beginToken}
	for range maxLen {
		token := firstLargest(next(prefix).Data)
		if token == endToken {
			break
		}
		prefix = append(prefix, token)
	}
	return prefix[1:]
}

// beam is the search that the step describes.
func (c *call) beam(next func(prefix []int) *autodiff.Tensor) (wire.Values, error) {
	type text struct {
		tokens []int
		sum    float64
	}
	if c.int("width") < 1 {
		return nil, c.refuse("width", "at least 1")
	}
	alive, ended := []text{{tokens: []int{beginToken}}}, []text(nil)
	for range c.int("max_len") {
		var longer []text
		for _, t := range alive {
			logits := next(t.tokens)
			sure := autodiff.Sub(logits, autodiff.Reshape(LogSumExp(logits, 0)))
			for token, p := range sure.Data {
				longer = append(longer, text{append(slices.Clone(t.tokens), token), t.sum + p})
			}
		}
		slices.SortStableFunc(longer, func(a, b text) int { return cmp.Compare(b.sum, a.sum) })
		longer = longer[:min(len(longer), c.int("width")-len(ended))]
		alive = nil
		for _, t := range longer {
			if last := len(t.tokens) - 1; t.tokens[last] == endToken {
				ended = append(ended, text{t.tokens[:last], t.sum})
			} else {
				alive = append(alive, t)
			}
		}
	}
	var best []int
	score := math.Inf(-1)
	for _, t := range append(ended, alive...) {
		penalty := math.Pow((5+float64(len(t.tokens)-1))/6, c.float("alpha"))
		if s := t.sum / penalty; s > score {
			best, score = t.tokens[1:], s
		}
	}
	return wire.Values{"tokens": integers(best), "score": wire.Float(score)}, nil
}
