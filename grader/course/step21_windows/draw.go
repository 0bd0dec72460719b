package windows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// sizes are those of a call of attention; m is n in linear attention.
type sizes struct {
	lead          []int
	n, m, k, c    int
	window, sinks int
	hidden        float64 // how much of the mask is hidden
}

func (s sizes) operands(rng *rand.Rand) wire.Values {
	shape := func(last ...int) []int { return append(slices.Clone(s.lead), last...) }
	return wire.Values{"q": course.Normal(rng, 1.3, shape(s.n, s.k)...), "k": course.Normal(rng, 1.3, shape(s.m, s.k)...),
		"v": course.Normal(rng, 1, shape(s.m, s.c)...)}
}

// draw draws a call of window.forward: with one mask for all, or one for every leading index.
func (s sizes) draw(rng *rand.Rand) wire.Values {
	in := s.operands(rng)
	shape := []int{s.n, s.m}
	if s.hidden > 0 && rng.IntN(2) == 0 {
		shape = append(slices.Clone(s.lead), shape...)
	}
	mask := wire.Bools(nil, shape...)
	mask.Bool = make([]bool, mask.Len())
	for at := range mask.Bool {
		mask.Bool[at] = rng.Float64() >= s.hidden
	}
	in["mask"], in["window"], in["sinks"] = mask, wire.Int(s.window), wire.Int(s.sinks)
	return in
}

// leading draws leading dimensions.
func leading(rng *rand.Rand) []int {
	lead := []int{course.Between(rng, 1, 3)}
	if rng.IntN(2) == 0 {
		lead = append(lead, course.Between(rng, 2, 3))
	}
	return lead
}

// drawWindow draws a text that attends to itself, of which no two sizes are equal; its mask
// hides nothing, or a third.
func drawWindow(rng *rand.Rand) wire.Values {
	k := course.Distinct(rng, 2, 2, 6)
	n := course.Between(rng, 8, 19)
	return sizes{leading(rng), n, n, k[0], k[1], course.Between(rng, 2, 6), course.Between(rng, 0, 3), float64(rng.IntN(2)) / 3}.draw(rng)
}

// withGradient is a call of the backward function.
func withGradient(draw func(*rand.Rand) wire.Values) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		in := draw(rng)
		shape := slices.Clone(in["q"].Shape)
		shape[len(shape)-1] = in["v"].Shape[len(shape)-1]
		in["dy"] = course.Normal(rng, 1, shape...)
		return in
	}
}

// windows are the calls that a single drawing would seldom come upon: more queries than keys
// and fewer, windows of one key and of more than there are, sinks of all sizes, texts that
// end with a block and texts that do not, one query, one key.
func windows(function string) []course.Drawing {
	lead := []int{2}
	var all []course.Drawing
	for _, s := range []sizes{
		{lead, 6, 17, 4, 3, 5, 2, 0}, {lead, 17, 6, 4, 3, 4, 1, 0}, {lead, 12, 12, 3, 5, 1, 0, 0}, {lead, 13, 13, 3, 5, 1, 4, 0},
		{lead, 9, 9, 4, 3, 9, 0, 0}, {lead, 9, 9, 4, 3, 8, 1, 0}, {lead, 9, 9, 4, 3, 40, 2, 0}, {lead, 9, 9, 4, 3, 3, 40, 0},
		{lead, 1, 11, 4, 3, 4, 2, 0}, {lead, 11, 1, 4, 3, 4, 2, 0}, {lead, 1, 1, 4, 3, 2, 1, 0}, {nil, 12, 12, 4, 3, 4, 3, 0},
		{lead, 14, 14, 4, 3, 3, 5, 0.5}, {lead, 5, 12, 4, 3, 3, 4, 0.3}, {nil, 80, 80, 3, 2, 0, 2, 0}, {nil, 150, 150, 3, 2, 70, 1, 0},
		{lead, 0, 5, 4, 3, 3, 1, 0}, {lead, 5, 0, 4, 3, 3, 1, 0},
	} {
		draw := s.draw
		if function == "window.backward" {
			draw = withGradient(draw)
		}
		all = append(all, course.Drawing{Function: function, Draw: draw})
	}
	return all
}

// wideWindow has rows wider than the arrays that people set aside for one, and largeWindow
// is past the blocks and the leading indices that they count on.
func wideWindow(rng *rand.Rand) wire.Values {
	return sizes{[]int{2}, 11, 11, 134, 131, 4, 1, 0}.draw(rng)
}

func largeWindow(rng *rand.Rand) wire.Values {
	return sizes{[]int{67}, 37, 37, 3, 2, 7, 3, 0}.draw(rng)
}

// manyBlocks is a text of several blocks, whose windows share keys.
func manyBlocks(rng *rand.Rand) wire.Values {
	return sizes{[]int{2}, 330, 330, 16, 16, 90, 6, 0}.draw(rng)
}

// drawSlots draws positions round the ring.
func drawSlots(rng *rand.Rand) wire.Values {
	window, sinks := course.Between(rng, 1, 9), course.Between(rng, 0, 6)
	at := wire.Ints(nil, 20)
	for range 20 {
		at.I64 = append(at.I64, int64(course.Between(rng, 0, 5*(window+sinks))))
	}
	return wire.Values{"at": at, "window": wire.Int(window), "sinks": wire.Int(sinks)}
}

// stream are the sizes of a model and of what a cache of it reads.
type stream struct {
	vocab, d, f, heads, layers int
	context, maxLen            int
	window, sinks              int
	calls                      []int
	sharp                      float64 // how large queries and keys are
}

func (s stream) draw(rng *rand.Rand) wire.Values {
	weight := func(sharp float64, out, in int) wire.Value {
		return course.Normal(rng, sharp/math.Sqrt(float64(in)), out, in)
	}
	in := wire.Values{"num_heads": wire.Int(s.heads), "rope_theta": wire.Float(1000), "context_length": wire.Int(s.context), "max_len": wire.Int(s.maxLen),
		"window": wire.Int(s.window), "sinks": wire.Int(s.sinks),
		"token_embeddings.weight": course.Normal(rng, 1, s.vocab, s.d), "ln_final.weight": course.Gain(rng, s.d), "lm_head.weight": weight(1, s.vocab, s.d)}
	for l := range s.layers {
		layer := fmt.Sprintf("layers.%d.", l)
		in[layer+"ln1.weight"], in[layer+"ln2.weight"] = course.Gain(rng, s.d), course.Gain(rng, s.d)
		for _, p := range []string{"q", "k", "v", "output"} {
			sharp := 1.0
			if p == "q" || p == "k" {
				sharp = s.sharp
			}
			in[layer+"attn."+p+"_proj.weight"] = weight(sharp, s.d, s.d)
		}
		in[layer+"ffn.w1.weight"], in[layer+"ffn.w3.weight"], in[layer+"ffn.w2.weight"] = weight(1, s.f, s.d), weight(1, s.f, s.d), weight(1, s.d, s.f)
	}
	tokens, calls := 0, make([]int64, len(s.calls))
	for c, n := range s.calls {
		calls[c] = int64(n)
		tokens += n
	}
	in["calls"] = wire.Ints(calls, len(calls))
	in["ids"] = course.IDs(rng, s.vocab, tokens)
	return in
}

// drawStream draws a small model and a text that goes round its ring, in a few calls.
func drawStream(rng *rand.Rand) wire.Values {
	s := stream{vocab: course.Between(rng, 7, 13), d: 12, f: course.Between(rng, 8, 17), heads: course.Between(rng, 2, 3), layers: course.Between(rng, 1, 3),
		context: course.Between(rng, 9, 30), window: course.Between(rng, 2, 5), sinks: course.Between(rng, 0, 3), sharp: 1.6}
	tokens := 0
	for range course.Between(rng, 3, 5) {
		n := course.Between(rng, 1, 6)
		s.calls, tokens = append(s.calls, n), tokens+n
	}
	s.maxLen = tokens + course.Between(rng, 0, 9)
	return s.draw(rng)
}

func drawOnce(rng *rand.Rand) wire.Values {
	in := drawStream(rng)
	in["later"] = course.Normal(rng, 1, in["token_embeddings.weight"].Shape...)
	return in
}

// wideStream has a head wider than the arrays that people set aside for one, and longStream
// goes round a ring of many places.
func wideStream(rng *rand.Rand) wire.Values {
	return stream{vocab: 11, d: 2 * 134, f: 9, heads: 2, layers: 1, context: 9, maxLen: 9, window: 3, sinks: 1, calls: []int{4, 1, 3}, sharp: 1}.draw(rng)
}

func longStream(rng *rand.Rand) wire.Values {
	return stream{vocab: 5, d: 4, f: 3, heads: 2, layers: 1, context: 70, maxLen: 400, window: 131, sinks: 67, calls: []int{300, 1, 3}, sharp: 1}.draw(rng)
}

func drawBytes(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 6, 1, 30)
	return wire.Values{"vocab_size": wire.Int(n[0]), "d_model": wire.Int(4 * n[1]), "num_heads": wire.Int(2), "d_ff": wire.Int(n[2]),
		"num_layers": wire.Int(course.Between(rng, 1, 4)), "context_length": wire.Int(n[3]),
		"window": wire.Int(n[4]), "sinks": wire.Int(n[5]), "max_len": wire.Int(course.Between(rng, 1, 90))}
}

// linear are the sizes of a call of linear attention.
type linear struct {
	lead           []int
	n, k, c, chunk int
}

func (l linear) draw(rng *rand.Rand) wire.Values {
	in := sizes{lead: l.lead, n: l.n, m: l.n, k: l.k, c: l.c}.operands(rng)
	in["chunk"] = wire.Int(l.chunk)
	return in
}

// drawLinear draws chunks that do not divide the text.
func drawLinear(rng *rand.Rand) wire.Values {
	k := course.Distinct(rng, 2, 2, 6)
	l := linear{leading(rng), course.Between(rng, 7, 19), k[0], k[1], 0}
	for l.chunk == 0 || l.n%l.chunk == 0 {
		l.chunk = course.Between(rng, 2, 6)
	}
	return l.draw(rng)
}

// linears are chunks of one token, of all, that divide the text, and texts of one token: of
// such a text y is v but for ε, and what q and k get is rounding, which a fixture holds.
func linears(function string) []course.Drawing {
	lead := []int{2}
	texts := []linear{{lead, 7, 4, 3, 1}, {lead, 9, 3, 4, 40}, {lead, 12, 3, 4, 4}, {lead, 12, 4, 3, 12},
		{nil, 13, 4, 5, 3}, {[]int{2, 3}, 11, 4, 5, 10}, {nil, 140, 3, 4, 0}, {lead, 0, 4, 5, 3}}
	if function == "linattn.forward" {
		texts = append(texts, linear{lead, 1, 4, 5, 3})
	}
	var all []course.Drawing
	for _, l := range texts {
		draw := l.draw
		if function == "linattn.backward" {
			draw = withGradient(draw)
		}
		all = append(all, course.Drawing{Function: function, Draw: draw})
	}
	return all
}

func wideLinear(rng *rand.Rand) wire.Values  { return linear{[]int{2}, 7, 134, 131, 3}.draw(rng) }
func largeLinear(rng *rand.Rand) wire.Values { return linear{[]int{67}, 37, 3, 2, 5}.draw(rng) }

// drawForm draws one head for the quadratic and the recurrent form.
func drawForm(rng *rand.Rand) wire.Values {
	k := course.Distinct(rng, 2, 2, 6)
	return form(rng, course.Between(rng, 5, 17), k[0], k[1])
}

func longForm(rng *rand.Rand) wire.Values { return form(rng, 300, 67, 5) }

func wideForm(rng *rand.Rand) wire.Values { return form(rng, 21, 134, 131) }

func form(rng *rand.Rand, n, k, c int) wire.Values {
	return sizes{n: n, m: n, k: k, c: c}.operands(rng)
}

// lengths has a vector of every length that a loop over registers can end badly at.
func lengths(function string) []course.Drawing {
	var all []course.Drawing
	for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 31, 33, 67, 1031} {
		all = append(all, course.Drawing{Function: function, Draw: func(rng *rand.Rand) wire.Values {
			in := wire.Values{"x": course.Normal(rng, 1.7, n)}
			if declared, _ := fixtures.Declared(function); declared.Arg("dy") != nil {
				in["dy"] = course.Normal(rng, 1, n)
			}
			return in
		}})
	}
	return all
}
