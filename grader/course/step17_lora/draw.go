package lora

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// sizes are those of a layer and of what it reads.
type sizes struct {
	lead          []int
	in, out, rank int
}

func (s sizes) draw(rng *rand.Rand) wire.Values {
	v := s.weights(rng)
	v["x"] = course.Normal(rng, 1, append(slices.Clone(s.lead), s.in)...)
	return v
}

// weights are those of a layer. α is not r, and α/r not 1.
func (s sizes) weights(rng *rand.Rand) wire.Values {
	return wire.Values{"w": course.Normal(rng, 1/math.Sqrt(float64(s.in)), s.out, s.in),
		"a": course.Normal(rng, 1/math.Sqrt(float64(s.in)), s.rank, s.in),
		"b": course.Normal(rng, 0.7, s.out, s.rank), "alpha": alpha(rng, s.rank)}
}

// alpha draws α between half of r and three times r, and not near r.
func alpha(rng *rand.Rand, rank int) wire.Value {
	factor := 1.5 + 1.5*rng.Float64()
	if rng.IntN(2) == 0 {
		factor = 0.5 + 0.3*rng.Float64()
	}
	return wire.Float(factor * float64(rank))
}

// drawSizes draws sizes of which no two are equal.
func drawSizes(rng *rand.Rand) sizes {
	n := course.Distinct(rng, 3, 2, 12)
	return sizes{lead: []int{course.Between(rng, 1, 3), course.Between(rng, 13, 17)}, in: n[0], out: n[1], rank: n[2]}
}

func drawForward(rng *rand.Rand) wire.Values { return drawSizes(rng).draw(rng) }
func drawWeights(rng *rand.Rand) wire.Values { return drawSizes(rng).weights(rng) }

func drawBackward(rng *rand.Rand) wire.Values { return withGradient(drawForward(rng), rng) }

// withGradient is a call of the backward function.
func withGradient(in wire.Values, rng *rand.Rand) wire.Values {
	shape := slices.Clone(in["x"].Shape)
	shape[len(shape)-1] = in["w"].Shape[0]
	in["dy"] = course.Normal(rng, 1, shape...)
	for _, p := range []string{"w", "a", "b"} {
		in["d"+p+"_before"] = course.Normal(rng, 1, in[p].Shape...)
	}
	return in
}

// untrained is a layer before its first update: B is 0.
func untrained(rng *rand.Rand) wire.Values {
	in := drawBackward(rng)
	return course.With(in, "b", zeros(in["b"].Shape...))
}

// drawMerged draws some calls of Merge and Unmerge, in any order.
func drawMerged(rng *rand.Rand) wire.Values {
	in := drawForward(rng)
	in["turns"] = course.IDs(rng, 2, course.Between(rng, 1, 6))
	return in
}

// wide has sides past any array that people set aside, and many has many rows.
func wide(rng *rand.Rand) wire.Values {
	return sizes{lead: []int{5}, in: 131, out: 67, rank: 37}.draw(rng)
}
func many(rng *rand.Rand) wire.Values {
	return sizes{lead: []int{3, 71}, in: 5, out: 4, rank: 2}.draw(rng)
}

// backwards is a call of the backward function with the sizes of another.
func backwards(draw func(*rand.Rand) wire.Values) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values { return withGradient(draw(rng), rng) }
}

// stacked draws the numbers of several layers.
func (s sizes) stacked(rng *rand.Rand, layers int) wire.Values {
	in := wire.Values{"x": course.Normal(rng, 1, s.lead[0], s.in)}
	for name, shape := range map[string][]int{"w": {layers, s.out, s.in}, "a": {layers, s.rank, s.in},
		"b": {layers, s.out, s.rank}} {
		in[name] = wire.Float32s(nil, shape...)
	}
	for range layers {
		own := s.weights(rng)
		for _, name := range []string{"w", "a", "b"} {
			v := in[name]
			v.F32 = append(v.F32, own[name].F32...)
			in[name] = v
		}
	}
	return in
}

func drawOptimizer(rng *rand.Rand) wire.Values {
	s := drawSizes(rng)
	in := s.stacked(rng, course.Between(rng, 2, 3))
	in["alpha"], in["dy"] = alpha(rng, s.rank), course.Normal(rng, 1, s.lead[0], s.out)
	in["steps"], in["lr"] = wire.Int(course.Between(rng, 1, 3)), wire.Float(0.02)
	in["settings"] = wire.Floats([]float64{0.8 + 0.1*rng.Float64(), 0.95 + 0.04*rng.Float64(), 1e-8,
		0.1 + rng.Float64()}, 4)
	return in
}

// drawSaved draws layers each with an α of its own, loaded by others of another rank.
func drawSaved(rng *rand.Rand) wire.Values {
	s := drawSizes(rng)
	layers := course.Between(rng, 2, 4)
	in := s.stacked(rng, layers)
	in["alphas"] = wire.Floats(nil, layers)
	for range layers {
		in["alphas"] = wire.Floats(append(in["alphas"].F64, alpha(rng, s.rank).F64[0]), layers)
	}
	in["rank"] = wire.Int(course.Between(rng, 1, 5))
	return in
}

// vocabulary is how many tokens texts are drawn from.
const vocabulary = 11

func drawOne(rng *rand.Rand) wire.Values {
	return wire.Values{"question": course.IDs(rng, vocabulary, course.Between(rng, 1, 6)),
		"answer": course.IDs(rng, vocabulary, course.Between(rng, 0, 5)),
		"end":    wire.Int(rng.IntN(vocabulary))}
}

// drawTexts draws examples, to be packed or not. The padding is now and then the end.
func drawTexts(packed bool) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		n := course.Between(rng, 2, 4)
		questions, answers := wire.Ints(nil, n), wire.Ints(nil, n)
		asked, answered := 0, 0
		for range n {
			q, a := course.Between(rng, 1, 5), course.Between(rng, 0, 4)
			questions.I64, answers.I64 = append(questions.I64, int64(q)), append(answers.I64, int64(a))
			asked, answered = asked+q, answered+a
		}
		end := rng.IntN(vocabulary)
		in := wire.Values{"questions": course.IDs(rng, vocabulary, asked), "question_lengths": questions,
			"answers":        course.IDs(rng, vocabulary, answered),
			"answer_lengths": answers, "end": wire.Int(end), "pad": wire.Int(end)}
		if rng.IntN(2) == 0 {
			in["pad"] = wire.Int(rng.IntN(vocabulary))
		}
		if packed {
			in["length"] = wire.Int(asked + answered + course.Between(rng, 0, 4))
		}
		return in
	}
}

// drawLoss draws logits of which about half count: of the first row all but one, of the
// last only the last.
func drawLoss(rng *rand.Rand) wire.Values {
	b, t, v := course.Between(rng, 2, 4), course.Between(rng, 3, 7), course.Between(rng, 8, 12)
	counted := wire.Bools(make([]bool, b*t), b, t)
	for at := range counted.Bool {
		switch row := at / t; {
		case row == 0:
			counted.Bool[at] = at > 0
		case row == b-1:
			counted.Bool[at] = at == b*t-1
		default:
			counted.Bool[at] = rng.IntN(2) == 0
		}
	}
	return wire.Values{"logits": course.Normal(rng, 2, b, t, v), "targets": course.IDs(rng, v, b, t),
		"counted": counted}
}

// manyTexts are more rows than one goroutine goes through before another has begun.
func manyTexts(rng *rand.Rand) wire.Values {
	const texts, tokens, vocabulary = 3, 4000, 3
	counted := wire.Bools(make([]bool, texts*tokens), texts, tokens)
	for at := range counted.Bool {
		counted.Bool[at] = at%7 != 3
	}
	return wire.Values{"logits": course.Normal(rng, 1, texts, tokens, vocabulary),
		"targets": course.IDs(rng, vocabulary, texts, tokens), "counted": counted}
}

// uncounted are calls in which a row that does not count holds NaN, or ∞, and one in which nothing counts.
func uncounted() []wire.Values {
	var all []wire.Values
	for n, number := range []float64{math.NaN(), math.Inf(1)} {
		in := drawLoss(rand.New(rand.NewPCG(17, uint64(n))))
		in["logits"].F32[0] = float32(number)
		all = append(all, in)
	}
	in := drawLoss(rand.New(rand.NewPCG(17, 3)))
	none := wire.Bools(make([]bool, in["counted"].Len()), in["counted"].Shape...)
	return append(all, course.With(in, "counted", none))
}

// zeros is an array of nothing but 0.
func zeros(shape ...int) wire.Value {
	v := wire.Float32s(nil, shape...)
	v.F32 = make([]float32, v.Len())
	return v
}
