package lm

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// emptyBatchLM puts a batch of no sequence at all to the model.
func emptyBatchLM(e *course.Exam) error {
	return e.Against("lm.forward", course.With(badLM(1, 4), "ids", wire.Ints([]int64{}, 0, 0)), nil)
}

// notFinite is a valid call of a model of which one token's logit is not finite.
func notFinite(x float64) wire.Values {
	in := drawGenerate(rand.New(rand.NewPCG(10, 3)))
	w := in["lm_head.weight"]
	w.F32 = slices.Clone(w.F32)
	w.F32[0] = float32(x)
	return course.With(course.With(in, "lm_head.weight", w), "max_new", wire.Int(1)) // a later token may have infinity with the other sign
}

// sharpest checks a temperature so small that a logit divided by it is more than
// float32 can hold.
func sharpest(e *course.Exam) error {
	logits := wire.Float32s([]float32{25, 70, -40, 65, 70}, 5)
	return e.Against("sample.probs", wire.Values{"logits": logits, "temperature": wire.Float(1e-37), "top_p": wire.Float(1)}, nil)
}

// nucleusEnds checks that the nucleus ends where the sum reaches top-p exactly.
// The numbers are powers of 2, of which float32 makes no more and no less.
func nucleusEnds(e *course.Exam) error {
	return course.InTurn(3, func(i int) error {
		return e.Against("sample.probs", wire.Values{"logits": wire.Float32s([]float32{1, 1, 1, 1}, 4),
			"temperature": wire.Float(1), "top_p": wire.Float(0.25 * float64(i+1))}, nil)
	})
}

// settingsHeld checks that settings out of range are refused with a panic,
// whatever its message.
func settingsHeld(e *course.Exam) error {
	for _, bad := range []struct{ temperature, topP float64 }{{-1, 0.5}, {math.NaN(), 0.5}, {1, 0}, {1, 1.5}, {1, math.NaN()}} {
		in := wire.Values{"logits": wire.Float32s([]float32{0.5, 2, 1}, 3), "temperature": wire.Float(bad.temperature), "top_p": wire.Float(bad.topP)}
		_, err := e.Call("sample.probs", in)
		var f *verdict.Failure
		switch {
		case err == nil:
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("sample.probs", in),
				Message: lang.T("a temperature below 0 or a top-p that is not above 0 and at most 1 must be refused with a panic; the call returned as if nothing were wrong")}
		case !errors.As(err, &f) || f.Kind != verdict.Panic && !f.Refused:
			return err
		}
	}
	return nil
}

// drawsFromLess draws from probabilities that sum to less than 1, or to more:
// every draw is a token, and none has the probability 0.
func drawsFromLess(e *course.Exam) error {
	for _, probs := range [][]float32{{0, 0.5, 0, 0.46, 0, 0}, {0, 0.5, 0, 0.54, 0}} {
		in := wire.Values{"probs": wire.Float32s(probs, len(probs)), "n": wire.Int(2000), "seed": wire.Int(int(e.Rng.Int32()))}
		out, err := e.Ask("sample.draw", in)
		if err != nil {
			return err
		}
		for _, id := range out["ids"].I64 {
			if id < 0 || int(id) >= len(probs) || probs[id] == 0 {
				return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("sample.draw", in),
					Message: lang.T("token %d was drawn, which has no probability; that the sum is %.2f and not 1 makes no difference", id, sum(probs))}
			}
		}
	}
	return nil
}

// drawsAtTheEdges draws at both ends of the line and close to them, from few
// tokens and from 50,000: the likeliest and the last may have no probability, a sum in
// another order may end below the place that was chosen, and before and behind a token
// that is nearly sure there may be many faint ones.
func drawsAtTheEdges(e *course.Exam) error {
	large := make([]float32, 50_000)
	for i := range large {
		large[i] = float32(e.Rng.Float64()) / 25_000
	}
	large[0], large[len(large)-1] = 0, 0
	faint := slices.Repeat([]float32{3e-8}, 50_001) // each is lost beside the 1, and together they are not
	faint[25_000] = 1
	for _, probs := range [][]float32{{0, 0, 0.25, 0.75, 0}, {0, 1}, {1, 0}, {0.1, 0.2, 0.3, 0.4}, large, faint} {
		line := make([]float64, len(probs)+1) // where each token begins
		for i, p := range probs {
			line[i+1] = line[i] + float64(p)
		}
		for _, bits := range []uint64{0, 1 << 11, 1<<63 - 1, 1 << 63, 1<<53 - 1<<12, 1<<53 - 1} {
			u := float64(bits<<11>>11) / (1 << 53) // what rng.Float64 makes of it
			in := wire.Values{"probs": wire.Float32s(probs, len(probs)), "n": wire.Int(1), "seed": wire.Int(0), "bits": wire.Int(int(bits))}
			out, err := e.Ask("sample.draw", in)
			if err != nil {
				return err
			}
			ids := out["ids"].I64
			if len(ids) != 1 || ids[0] < 0 || int(ids[0]) >= len(probs) {
				return e.Fails("sample.draw", in, "%v was drawn; want one of %d tokens", ids, len(probs))
			}
			id, total := ids[0], line[len(probs)]
			const slack = 1e-6
			on := func(place float64) bool { return place >= line[id]-slack && place <= line[id+1]+slack }
			if probs[id] == 0 || !on(u*total) && !on(total-u*total) { // the line may begin with the last token
				return e.Fails("sample.draw", in, "rng.Float64() is %.17g, and token %d was drawn, which has the probability %.3g "+
					"and lies from %.9g to %.9g on a line of length %.9g", u, id, probs[id], line[id], line[id+1], total)
			}
		}
	}
	return nil
}

func sum(x []float32) (total float64) {
	for _, v := range x {
		total += float64(v)
	}
	return total
}
