package seq2seq

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// tableOf draws the logits that a search meets, with more or less of a wish to end.
func tableOf(rng *rand.Rand, ages, vocab int, end float32) wire.Value {
	t := course.Normal(rng, 1/math.Sqrt(float64(ages)), ages, vocab, vocab)
	for i := range t.F32 {
		if i%vocab == 2 {
			t.F32[i] += end / float32(ages)
		}
	}
	return t
}

func drawGreedy(rng *rand.Rand) wire.Values {
	return wire.Values{"table": tableOf(rng, course.Between(rng, 1, 3), course.Between(rng, 4, 9), float32(rng.IntN(3))), "max_len": wire.Int(course.Between(rng, 3, 12))}
}

func drawBeam(rng *rand.Rand) wire.Values {
	in := drawGreedy(rng)
	in["width"], in["alpha"] = wire.Int(course.Between(rng, 2, 6)), wire.Float(1.5*rng.Float64())
	return in
}

// beams are searches of all kinds: a width of 1, of more than there is, no tokens, one, and
// ends that come at once and never.
func beams() []course.Drawing {
	var all []course.Drawing
	for _, s := range []struct {
		ages, vocab, width, most int
		end                      float32
		alpha                    float64
	}{{2, 6, 1, 8, 1, 0.6}, {2, 4, 300, 4, 0, 1}, {2, 5, 3, 0, 0, 0.6}, {2, 5, 3, 1, 1, 0.6}, {1, 6, 4, 7, 2, 0.7}, {2, 6, 4, 7, -4, 0.7}, {3, 7, 5, 12, 2, 0}, {3, 7, 5, 12, 2, 2.5}} {
		all = append(all, course.Drawing{Function: "beam", Draw: func(rng *rand.Rand) wire.Values {
			return wire.Values{"table": tableOf(rng, s.ages, s.vocab, s.end), "width": wire.Int(s.width), "max_len": wire.Int(s.most), "alpha": wire.Float(s.alpha)}
		}})
	}
	for range 2 {
		all = append(all, course.Drawing{Function: "beam", Draw: lateBest})
	}
	return all
}

// ties are searches in which all tokens but End are equal behind every prefix, and there are
// more of them than a sort leaves in their order by chance.
func ties(rng *rand.Rand) wire.Values {
	vocab := course.Between(rng, 15, 30)
	table := wire.Float32s(make([]float32, vocab*vocab), 1, vocab, vocab)
	for i := range table.F32 {
		if i%vocab == 2 {
			table.F32[i] = -1
		}
	}
	return wire.Values{"table": table, "width": wire.Int(course.Between(rng, 4, 7)), "max_len": wire.Int(course.Between(rng, 3, 6)), "alpha": wire.Float(rng.Float64())}
}

// lateBest are searches in which End has the largest sum at first, and a long text the largest
// score: once begun, it goes on with almost certain tokens.
func lateBest(rng *rand.Rand) wire.Values {
	const vocab, begin, end = 6, 1, 2
	table := course.Normal(rng, 0.2, 1, vocab, vocab)
	table.F32[begin*vocab+end]++
	for token := end + 1; token < vocab; token++ {
		table.F32[token*vocab+token] += 6
	}
	return wire.Values{"table": table, "width": wire.Int(4), "max_len": wire.Int(12), "alpha": wire.Float(1)}
}

// sureSearch has tokens whose probability is 1 but for the last digits of a float32.
func sureSearch(rng *rand.Rand) wire.Values {
	const vocab = 7
	table := course.Normal(rng, 0.3, 1, vocab, vocab)
	for token := range vocab {
		next := 3 + rng.IntN(vocab-3)
		table.F32[token*vocab+next] += 18
	}
	return wire.Values{"table": table, "width": wire.Int(2), "max_len": wire.Int(6), "alpha": wire.Float(0.6)}
}

// exactly asks for searches as they are drawn: no table that is a few roundings off has an
// answer that is as right, and yet each has one answer.
func exactly(e *course.Exam) error {
	return course.InTurn(6, func(i int) error {
		if i == 0 {
			return e.Against("beam", sureSearch(e.Rng), nil)
		}
		return e.Against("beam", ties(e.Rng), nil)
	})
}

// manyTokens is a search that takes long enough for another to come in between.
func manyTokens(rng *rand.Rand) wire.Values {
	return wire.Values{"table": tableOf(rng, 1, 60, -2), "width": wire.Int(6), "max_len": wire.Int(10), "alpha": wire.Float(0.6)}
}
