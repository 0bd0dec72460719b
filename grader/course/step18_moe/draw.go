package moe

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// sizes are those of a layer and of what it reads.
type sizes struct {
	lead               []int
	d, experts, hidden int
	k                  int
	crowded            bool // one expert is wanted by nearly all
}

func (s sizes) draw(rng *rand.Rand) wire.Values {
	d, e, f := s.d, s.experts, s.hidden
	in := wire.Values{"k": wire.Int(s.k), "router": course.Normal(rng, 1.5/math.Sqrt(float64(d)), e, d),
		"w1": course.Normal(rng, 1/math.Sqrt(float64(d)), e*f, d), "w2": course.Normal(rng, 1/math.Sqrt(float64(f)), e*d, f),
		"w3": course.Normal(rng, 1/math.Sqrt(float64(d)), e*f, d)}
	mean := float32(0)
	if s.crowded {
		mean = 0.7
		for i, w := range in["router"].F32[:d] { // the first expert likes what all tokens have in common
			in["router"].F32[i] = max(w, -w)
		}
	}
	in["x"] = course.Normal(rng, 1, append(slices.Clone(s.lead), d)...)
	for row := range slices.Chunk(in["x"].F32, d) {
		for redraw := true; redraw; redraw = !apart(in["router"].F32, row, s.k) {
			for i := range row {
				row[i] = float32(rng.NormFloat64()) + mean
			}
		}
	}
	return in
}

// apart reports whether rounding cannot decide which of the experts are chosen.
func apart(router, x []float32, k int) bool {
	var logits []float64
	for row := range slices.Chunk(router, len(x)) {
		logit := 0.0
		for i, w := range row {
			logit += float64(w) * float64(x[i])
		}
		logits = append(logits, logit)
	}
	slices.Sort(logits)
	slices.Reverse(logits)
	return k == len(logits) || logits[k-1]-logits[k] > 1e-3
}

// drawSizes draws sizes of which no two are equal. k is 2 or 3, and not E − k.
func drawSizes(rng *rand.Rand) sizes {
	n := course.Distinct(rng, 3, 2, 9)
	s := sizes{lead: []int{course.Between(rng, 1, 3), course.Between(rng, 4, 9)}, d: n[0], hidden: n[1] + 9, k: course.Between(rng, 2, 3)}
	for s.experts = 4; s.experts == 2*s.k || s.experts == s.d || s.experts == s.hidden; {
		s.experts = course.Between(rng, 5, 11)
	}
	s.crowded = rng.IntN(3) == 0
	return s
}

func drawForward(rng *rand.Rand) wire.Values { return drawSizes(rng).draw(rng) }

// drawOne draws a layer of which every token takes one expert.
func drawOne(rng *rand.Rand) wire.Values {
	s := drawSizes(rng)
	s.k = 1
	return s.draw(rng)
}

// drawAll draws one of which every token takes all.
func drawAll(rng *rand.Rand) wire.Values {
	s := drawSizes(rng)
	s.k = s.experts
	return s.draw(rng)
}

// withGradient is a call of the backward function.
func withGradient(draw func(*rand.Rand) wire.Values) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		in := draw(rng)
		in["dy"] = course.Normal(rng, 1, in["x"].Shape...)
		for _, w := range weights() {
			in["d"+w+"_before"] = course.Normal(rng, 1, in[w].Shape...)
		}
		return in
	}
}

// trained is a call with the two losses, in which some tokens are padding.
func trained(draw func(*rand.Rand) wire.Values) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		in := withGradient(draw)(rng)
		in["alpha"], in["beta"] = wire.Float(0.5+rng.Float64()), wire.Float(0.1+0.4*rng.Float64())
		shape := in["x"].Shape
		in["real"] = padded(rng, shape[:len(shape)-1]...)
		return in
	}
}

// padded says of tokens whether they are real: about three of four, the first always.
func padded(rng *rand.Rand, shape ...int) wire.Value {
	v := wire.Bools(nil, shape...)
	v.Bool = make([]bool, v.Len())
	for t := range v.Bool {
		v.Bool[t] = t == 0 || rng.IntN(4) > 0
	}
	return v
}

// weights are the parameters of a layer.
func weights() []string { return []string{"router", "w1", "w2", "w3"} }

// drawLosses draws what several layers read. Some of it is padding, or nothing, or all.
func drawLosses(rng *rand.Rand) wire.Values {
	s := drawSizes(rng)
	layers, tokens := course.Between(rng, 1, 3), course.Between(rng, 5, 12)
	in := wire.Values{"k": wire.Int(s.k), "real": padded(rng, tokens), "x": wire.Float32s(nil, layers, tokens, s.d), "router": wire.Float32s(nil, layers, s.experts, s.d)}
	x, router := in["x"], in["router"]
	for range layers {
		own := sizes{lead: []int{tokens}, d: s.d, experts: s.experts, hidden: 1, k: s.k, crowded: s.crowded}.draw(rng)
		x.F32, router.F32 = append(x.F32, own["x"].F32...), append(router.F32, own["router"].F32...)
	}
	in["x"], in["router"] = x, router
	return in
}

// allPadding is a text of nothing but padding.
func allPadding(rng *rand.Rand) wire.Values {
	in := drawLosses(rng)
	none := wire.Bools(nil, in["real"].Shape...)
	none.Bool = make([]bool, none.Len())
	return course.With(in, "real", none)
}

// drawLogits draws logits, of which k are chosen.
func drawLogits(k int) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		tokens, experts := course.Between(rng, 3, 9), course.Between(rng, 6, 13)
		return wire.Values{"logits": course.Normal(rng, 2, tokens, experts), "k": wire.Int(k)}
	}
}

func drawGatesBackward(k int) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		in := drawLogits(k)(rng)
		in["dgates"] = course.Normal(rng, 1, in["logits"].Shape[0], k)
		return in
	}
}

// drawTied draws logits of few different values. Sorting that is not stable still leaves a
// dozen in their order.
func drawTied(fewest, most int) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		tokens, experts := course.Between(rng, 5, 15), course.Between(rng, fewest, most)
		logits := wire.Float32s(make([]float32, tokens*experts), tokens, experts)
		for i := range logits.F32 {
			logits.F32[i] = float32(rng.IntN(4)) - 2
		}
		return wire.Values{"logits": logits, "k": wire.Int(course.Between(rng, 1, experts))}
	}
}

// loud has logits of several hundred, whose exponentials overflow float64. All numbers are
// multiples of ¼ and none is large, so that float32 rounds no product and no sum of them.
func loud(draw func(*rand.Rand) wire.Values) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		in := draw(rng)
		for i, v := range in["x"].F32 {
			in["x"].F32[i] = float32(math.Round(2 * float64(v)))
		}
		for i, w := range in["router"].F32 {
			in["router"].F32[i] = float32(math.Round(1000*float64(w))) / 4
		}
		return in
	}
}

// wide is past the widths and the numbers of experts that people set aside room for.
func wide(rng *rand.Rand) wire.Values {
	return sizes{lead: []int{7}, d: 131, experts: 5, hidden: 67, k: 2}.draw(rng)
}

func many(rng *rand.Rand) wire.Values {
	return sizes{lead: []int{3, 71}, d: 5, experts: 137, hidden: 3, k: 19}.draw(rng)
}

// long has more slots than 16 bits can count.
func long(rng *rand.Rand) wire.Values {
	return sizes{lead: []int{4111}, d: 3, experts: 17, hidden: 2, k: 16}.draw(rng)
}
