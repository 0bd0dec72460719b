package paged

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// follows compares how often tokens stand with their probabilities, six standard errors
// apart at most.
func follows(e *course.Exam, function, mark string, what lang.Text, in wire.Values, counts []int64, want []float64) error {
	n := 0.0
	for _, count := range counts {
		n += float64(count)
	}
	var wrong error
	for token, count := range counts {
		expected := want[token] * n
		off := 6*math.Sqrt(expected) + 1
		e.MarkNumber(fmt.Sprintf("%s/%s, share of token %d", e.Check, mark, token), 1+float64(count)/n, 1+want[token], 0.03)
		if wrong == nil && (want[token] == 0 && count > 0 || math.Abs(float64(count)-expected) > off) {
			wrong = &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked(function, in),
				Message: lang.T("%s: token %d stands %d times of %.0f; want about %.0f", what, token, count, n, expected)}
		}
	}
	return wrong
}

// drawsFollow verifies drafts of another distribution many times.
func drawsFollow(e *course.Exam) error {
	return verified(e, "spec.draws",
		[]float32{0.1, 0.5, 0.05, 0.3, 0.05, 0.3, 0.2, 0, 0.4, 0.1, 0.05, 0.15, 0.6, 0.2, 0},
		[]float32{0.5, 0.1, 0.2, 0.1, 0.1, 0.2, 0.2, 0.4, 0.1, 0.1})
}

// laterFollow verifies drafts that are good at first and bad at the end.
func laterFollow(e *course.Exam) error {
	return verified(e, "spec.draws",
		[]float32{0.4, 0.3, 0.2, 0.1, 0.1, 0.2, 0.3, 0.4, 0.25, 0.25, 0, 0.5},
		[]float32{0.35, 0.35, 0.2, 0.1, 0.7, 0.1, 0.1, 0.1})
}

// againFollow verifies drafts that are bad all along: what has come through one test comes
// through the next no more easily.
func againFollow(e *course.Exam) error {
	return verified(e, "spec.draws",
		[]float32{0.2, 0.3, 0.4, 0.1, 0.2, 0.3, 0.4, 0.1, 0.2, 0.3, 0.4, 0.1, 0.1, 0.2, 0.3, 0.4},
		[]float32{0.7, 0.1, 0.1, 0.1, 0.7, 0.1, 0.1, 0.1, 0.7, 0.1, 0.1, 0.1})
}

func verified(e *course.Exam, function string, p, q []float32) error {
	const n = 20_000
	vocab := len(p) - len(q)
	in := wire.Values{"p": wire.Float32s(p, len(p)/vocab, vocab), "q": wire.Float32s(q, len(q)/vocab, vocab),
		"n": wire.Int(n), "seed": wire.Int(int(e.Rng.Int32()))}
	out, err := e.Ask(function, in)
	if err != nil {
		return err
	}
	counts := out["counts"].I64
	if len(counts) != len(p) {
		return e.Fails(function, in, "%d counts came back; want %d", len(counts), len(p))
	}
	come := rounds(p, q, vocab)
	return course.InTurn(len(p)/vocab, func(i int) error {
		stand := int64(0)
		for _, count := range counts[i*vocab : (i+1)*vocab] {
			stand += count
		}
		if stand == 0 || i == 0 && stand != n {
			return e.Fails(function, in, "place %d of %d: %d tokens stand there after %d rounds; want one for every round that comes so far", i, len(p)/vocab, stand, n)
		}
		want := make([]float64, vocab)
		for x := range want {
			want[x] = float64(p[i*vocab+x])
		}
		err := follows(e, function, fmt.Sprintf("place %d of %d", i, len(p)/vocab), lang.T("place %d of %d", i, len(p)/vocab), in, counts[i*vocab:(i+1)*vocab], want)
		if expected := come[i] * n; err == nil && math.Abs(float64(stand)-expected) > 6*math.Sqrt(expected)+1 {
			err = e.Fails(function, in, "place %d of %d: %d of %d rounds come so far; want about %.0f, since a token is kept with the probability Σ min(p, q)", i, len(p)/vocab, stand, n, expected)
		}
		return err
	})
}

// rounds are the shares of rounds that come to each place: a token of q is kept with the
// probability Σ min(p, q), whatever it is.
func rounds(p, q []float32, vocab int) []float64 {
	come := []float64{1}
	for first := 0; first < len(q); first += vocab {
		kept := 0.0
		for x := first; x < first+vocab; x++ {
			kept += float64(min(p[x], q[x]))
		}
		come = append(come, come[len(come)-1]*kept)
	}
	return come
}

// pairsFollow lets two models write two tokens many times, and compares with what the large
// one's logits say.
func pairsFollow(e *course.Exam) error {
	const calls, n, vocab, temperature, topP = 5, 400, 4, 3, 0.8
	s := speculation{model{vocab, 12, 9, 3, 2, 12, 2.5}, 3, 2, 2, 1, 4} // whose two models are far apart
	in := s.draw(rand.New(rand.NewPCG(22, 23)))
	delete(in, "stop")
	delete(in, "max_new")
	for name, v := range map[string]wire.Value{"temperature": wire.Float(temperature), "top_p": wire.Float(topP), "n": wire.Int(n)} {
		in[name] = v
	}
	next := func(text []int64) ([]float64, error) {
		asked := wire.Values{"ids": wire.Ints(text, 1, len(text))}
		for name, v := range s.model.draw(rand.New(rand.NewPCG(22, 23))) {
			asked[name] = v
		}
		logits, err := e.Truth("lm.forward", asked)
		if err != nil {
			return nil, err
		}
		last := logits["logits"].F64[(len(text)-1)*vocab:]
		probs, err := e.Truth("sample.probs", wire.Values{"logits": wire.Floats(last, vocab), "temperature": wire.Float(temperature), "top_p": wire.Float(topP)})
		return probs["probs"].F64, err
	}
	prompt := in["prompt"].I64
	first, err := next(prompt)
	if err != nil {
		return err
	}
	var want []float64
	for x, p := range first {
		second, err := next(append(prompt[:len(prompt):len(prompt)], int64(x)))
		if err != nil {
			return err
		}
		for _, q := range second {
			want = append(want, p*q)
		}
	}
	counts := make([]int64, len(want))
	for range calls {
		in = course.With(in, "seed", wire.Int(int(e.Rng.Int32())))
		out, err := e.Ask("spec.sampled", in)
		if err != nil {
			return err
		}
		if out["counts"].Len() != len(want) {
			return e.Fails("spec.sampled", in, "%d counts came back; want %d", out["counts"].Len(), len(want))
		}
		for i, n := range out["counts"].I64 {
			counts[i] += n
		}
	}
	sum := int64(0)
	for _, count := range counts {
		sum += count
	}
	if sum != calls*n {
		return e.Fails("spec.sampled", in, "%d pairs of tokens were counted; want %d", sum, calls*n)
	}
	return follows(e, "spec.sampled", "pairs", lang.T("pairs of tokens, 4 times the first and the second"), in, counts, want)
}
