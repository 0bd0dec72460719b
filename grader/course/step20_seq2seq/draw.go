package seq2seq

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// withGradient draws the arguments of a layer's Backward: those of its Forward, the gradient
// of what that returns, and what the gradients of the parameters hold before.
func withGradient(layer string, draw func(*rand.Rand) wire.Values) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		in := draw(rng)
		declared, _ := fixtures.Declared(layer + ".backward")
		for _, a := range declared.In {
			of, before := strings.CutSuffix(a.Name, "_before")
			switch {
			case a.Name == "dy":
				in["dy"] = course.Normal(rng, 1, in["x"].Shape...)
			case a.Name == "dlogits":
				b, t := in["target"].Shape[0], in["target"].Shape[1]
				in["dlogits"] = course.Normal(rng, 1, b, t, in["head"].Shape[0])
			case before:
				in[a.Name] = course.Normal(rng, 1, in[of[1:]].Shape...)
			}
		}
		return in
	}
}

// realOf draws what is real of some memories: most of it, in every one at least one token.
func realOf(rng *rand.Rand, batch, m int) wire.Value {
	v := wire.Bools(make([]bool, batch*m), batch, m)
	for i := range v.Bool {
		v.Bool[i] = rng.Float64() < 0.7
	}
	for b := range batch {
		if m > 0 {
			v.Bool[b*m+rng.IntN(m)] = true
		}
	}
	return v
}

// matrices draws n weights (D, D), four for each attention: those of queries and keys are
// large enough for attention that is not even.
func matrices(rng *rand.Rand, d int, lead ...int) wire.Value {
	w := course.Normal(rng, 1/math.Sqrt(float64(d)), append(slices.Clone(lead), d, d)...)
	for i := range w.F32 {
		if i/(d*d)%4 < 2 {
			w.F32[i] *= 1.6
		}
	}
	return w
}

// split draws a number of heads and a d_model that they divide, no square of a head's width.
func split(rng *rand.Rand) (heads, d int) {
	n := course.Distinct(rng, 2, 2, 5)
	return n[0], n[0] * n[1]
}

func drawAttend(rng *rand.Rand) wire.Values {
	heads, d := split(rng)
	n := course.Distinct(rng, 2, 3, 11)
	return attendOf(rng, course.Between(rng, 1, 3), n[0], n[1], d, heads)
}

func attendOf(rng *rand.Rand, batch, n, m, d, heads int) wire.Values {
	in := wire.Values{"num_heads": wire.Int(heads), "x": course.Normal(rng, 1, batch, n, d),
		"memory": course.Normal(rng, 1, batch, m, d), "real": realOf(rng, batch, m)}
	all := matrices(rng, d, 4)
	for i, name := range []string{"wq", "wk", "wv", "wo"} {
		in[name] = wire.Float32s(all.F32[i*d*d:(i+1)*d*d], d, d)
	}
	return in
}

// attends are calls that a single drawing would seldom come upon: one token on either side,
// one head, everything real, nothing real, no tokens at all, self-attention.
func attends(function string) []course.Drawing {
	var all []course.Drawing
	add := func(draw func(*rand.Rand) wire.Values) {
		if function == "attend.backward" {
			draw = withGradient("attend", draw)
		}
		all = append(all, course.Drawing{Function: function, Draw: draw})
	}
	for _, s := range [][5]int{{2, 1, 6, 6, 2}, {2, 6, 1, 6, 3}, {3, 4, 5, 5, 1}, {1, 4, 7, 6, 6}, {2, 0, 4, 6, 2}, {2, 7, 3, 12, 4}} {
		add(func(rng *rand.Rand) wire.Values { return attendOf(rng, s[0], s[1], s[2], s[3], s[4]) })
	}
	with := func(n int, real bool) func(*rand.Rand) wire.Values {
		return func(rng *rand.Rand) wire.Values {
			in := attendOf(rng, 2, n, 4, 6, 2)
			for i := range 4 {
				in["real"].Bool[i] = real
			}
			return in
		}
	}
	add(with(5, false))
	add(with(3, true))
	add(func(rng *rand.Rand) wire.Values {
		in := attendOf(rng, 2, 5, 5, 6, 2)
		return course.With(in, "memory", in["x"])
	})
	return all
}

func wideAttend(rng *rand.Rand) wire.Values { return attendOf(rng, 1, 3, 5, 134, 2) }
func longAttend(rng *rand.Rand) wire.Values { return attendOf(rng, 3, 131, 67, 6, 2) }

// stackOf draws the parameters of a stack.
func stackOf(rng *rand.Rand, prefix string, layers, d, f, attn, norms int) wire.Values {
	n := course.Normal(rng, 0.6, layers, norms, d)
	for i := range n.F32 {
		if i/d%2 == 0 {
			n.F32[i]++
		}
	}
	up, back := 1/math.Sqrt(float64(d)), 1/math.Sqrt(float64(f))
	return wire.Values{
		prefix + "attn": matrices(rng, d, layers, attn), prefix + "norms": n,
		prefix + "w1": course.Normal(rng, up, layers, f, d), prefix + "b1": course.Normal(rng, 0.7, layers, f),
		prefix + "w2": course.Normal(rng, back, layers, d, f), prefix + "b2": course.Normal(rng, 0.7, layers, d),
	}
}

// sizes are those of a stack.
type sizes struct{ batch, n, m, d, heads, f, layers int }

func drawnSizes(rng *rand.Rand) sizes {
	heads, d := split(rng)
	n := course.Distinct(rng, 3, 3, 11)
	return sizes{course.Between(rng, 1, 2), n[0], n[1], d, heads, n[2] + 2, course.Between(rng, 1, 2)}
}

func (s sizes) encoder(rng *rand.Rand) wire.Values {
	in := stackOf(rng, "", s.layers, s.d, s.f, 4, 4)
	in["num_heads"], in["x"], in["real"] = wire.Int(s.heads), course.Normal(rng, 1, s.batch, s.n, s.d), realOf(rng, s.batch, s.n)
	return in
}

func (s sizes) decoder(rng *rand.Rand) wire.Values {
	in := stackOf(rng, "", s.layers, s.d, s.f, 8, 6)
	in["num_heads"], in["x"] = wire.Int(s.heads), course.Normal(rng, 1, s.batch, s.n, s.d)
	in["memory"], in["real"] = course.Normal(rng, 1, s.batch, s.m, s.d), realOf(rng, s.batch, s.m)
	return in
}

func drawEncoder(rng *rand.Rand) wire.Values { return drawnSizes(rng).encoder(rng) }
func drawDecoder(rng *rand.Rand) wire.Values { return drawnSizes(rng).decoder(rng) }

func largeEncoder(rng *rand.Rand) wire.Values { return sizes{3, 67, 0, 10, 2, 5, 2}.encoder(rng) }
func largeDecoder(rng *rand.Rand) wire.Values { return sizes{3, 35, 67, 10, 2, 5, 2}.decoder(rng) }

// modelOf draws a model with vocabularies u and v, and as many encoder as decoder layers as
// enc and dec say.
func modelOf(rng *rand.Rand, u, v, d, heads, f, enc, dec int) wire.Values {
	in := wire.Values{"num_heads": wire.Int(heads), "embed_source": course.Normal(rng, 0.5, u, d),
		"embed_target": course.Normal(rng, 0.5, v, d), "head": course.Normal(rng, 1.5/math.Sqrt(float64(d)), v, d)}
	for _, stack := range []wire.Values{stackOf(rng, "src_", enc, d, f, 4, 4), stackOf(rng, "tgt_", dec, d, f, 8, 6)} {
		for name, w := range stack {
			in[name] = w
		}
	}
	return in
}

// drawModel draws a model and texts, of which the sources end with padding.
func drawModel(rng *rand.Rand) wire.Values {
	heads, d := split(rng)
	n := course.Distinct(rng, 2, 3, 9)
	vocab := course.Distinct(rng, 2, 6, 13)
	in := modelOf(rng, vocab[0], vocab[1], d, heads, course.Between(rng, 4, 12), course.Between(rng, 1, 2), course.Between(rng, 1, 2))
	return texts(rng, in, 2, n[0], n[1])
}

// texts gives a model sources of up to m tokens and targets of t.
func texts(rng *rand.Rand, in wire.Values, batch, m, t int) wire.Values {
	source := course.IDs(rng, in["embed_source"].Shape[0]-3, batch, m)
	for i := range source.I64 {
		source.I64[i] += 3
		if i%m >= m-i/m && m > 1 { // one more token of padding in every row
			source.I64[i] = 0
		}
	}
	in["source"], in["target"] = source, course.IDs(rng, in["embed_target"].Shape[0], batch, t)
	return in
}

func largeModel(rng *rand.Rand) wire.Values {
	return texts(rng, modelOf(rng, 70, 67, 10, 2, 5, 1, 1), 2, 35, 67)
}

// longTexts are longer than any table that people make in advance.
func longTexts(rng *rand.Rand) wire.Values {
	return texts(rng, modelOf(rng, 9, 8, 4, 2, 3, 1, 1), 1, 2, 1030)
}

// drawSmoothing draws labels of which some do not count.
func drawSmoothing(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 3, 2, 15)
	return smoothingOf(rng, n[0], n[1], n[2], 0.25, 0.05+0.3*rng.Float64())
}

func smoothingOf(rng *rand.Rand, batch, seq, vocab int, ignored, eps float64) wire.Values {
	labels := course.IDs(rng, vocab, batch, seq)
	for i := range labels.I64 {
		if rng.Float64() < ignored {
			labels.I64[i] = -1
		}
	}
	return wire.Values{"logits": course.Normal(rng, 1.5, batch, seq, vocab), "labels": labels, "eps": wire.Float(eps)}
}

// smoothings are calls that a single drawing would seldom come upon: nothing counts,
// everything does, no ε, one token, a vocabulary of one, a large one.
func smoothings(function string) []course.Drawing {
	var all []course.Drawing
	for _, s := range []struct {
		batch, seq, vocab int
		ignored, eps      float64
	}{{2, 3, 5, 2, 0.1}, {2, 3, 5, 0, 0.2}, {3, 2, 7, 0.3, 0}, {1, 1, 4, 0, 0.1}, {2, 2, 1, 0, 0.3}, {2, 3, 1031, 0.3, 0.1}, {0, 3, 5, 0, 0.1}, {40, 3, 4, 0.6, 0.15}} {
		all = append(all, course.Drawing{Function: function, Draw: func(rng *rand.Rand) wire.Values {
			return smoothingOf(rng, s.batch, s.seq, s.vocab, s.ignored, s.eps)
		}})
	}
	return all
}

// sure has logits of several hundred.
func sure(rng *rand.Rand) wire.Values {
	in := smoothingOf(rng, 2, 5, 9, 0.2, 0.1)
	for i := range in["logits"].F32 {
		in["logits"].F32[i] *= 200
	}
	return in
}

func drawRate(rng *rand.Rand) wire.Values {
	warmup := course.Between(rng, 2, 60)
	steps := []int64{1, int64(warmup), int64(warmup) + 1}
	for range 5 {
		steps = append(steps, int64(course.Between(rng, 1, 200)))
	}
	return wire.Values{"steps": wire.Ints(steps, len(steps)), "d_model": wire.Int(course.Between(rng, 2, 300)), "warmup": wire.Int(warmup)}
}

func drawTeach(rng *rand.Rand) wire.Values {
	var lengths []int64
	total := 0
	for range course.Between(rng, 1, 5) {
		n := course.Between(rng, 0, 7)
		lengths, total = append(lengths, int64(n)), total+n
	}
	return wire.Values{"tokens": course.IDs(rng, 40, total), "lengths": wire.Ints(lengths, len(lengths))}
}

// drawCorrupt draws texts with padding, and numbers of which many choose.
func drawCorrupt(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 2, 2, 14)
	tokens := course.IDs(rng, 12, n[0], n[1])
	chances := wire.Ints(make([]int64, 3*n[0]*n[1]), 3*n[0]*n[1])
	for i := range chances.I64 {
		u := rng.Float64()
		if i%2 == 0 {
			u /= 3
		}
		chances.I64[i] = int64(u * (1 << 53))
	}
	return wire.Values{"tokens": tokens, "chances": chances, "vocab": wire.Int(course.Between(rng, 3, 40)), "mask": wire.Int(course.Between(rng, 3, 40))}
}

// drawReplaced chooses every token and replaces it, with draws a little below those at which
// another token begins: they are rounded up where they are float32.
func drawReplaced(rng *rand.Rand) wire.Values {
	const n = 24
	vocab := course.Between(rng, 20, 40)
	tokens, chances := course.IDs(rng, 12, 2, n/2), wire.Ints(nil, 3*n)
	for i := range n {
		tokens.I64[i]++
		end := vocab - 3 // of as many tokens as there are from First on
		if i > 0 {
			end = course.Between(rng, 1, vocab-3)
		}
		w := float64(end)/float64(vocab-3) - 1.0/(1<<30)
		for _, u := range []float64{0.1, 0.85, w} {
			chances.I64 = append(chances.I64, int64(u*(1<<53)))
		}
	}
	return wire.Values{"tokens": tokens, "chances": chances, "vocab": wire.Int(vocab), "mask": wire.Int(course.Between(rng, 3, 40))}
}

// drawTranslate draws a model and one source.
func drawTranslate(rng *rand.Rand) wire.Values {
	in := drawModel(rng)
	delete(in, "target")
	in["source"] = course.IDs(rng, in["embed_source"].Shape[0], course.Between(rng, 3, 7))
	in["source"].I64[0] = 3
	in["width"], in["max_len"], in["alpha"] = wire.Int(course.Between(rng, 2, 4)), wire.Int(course.Between(rng, 3, 5)), wire.Float(1.2*rng.Float64())
	return in
}
