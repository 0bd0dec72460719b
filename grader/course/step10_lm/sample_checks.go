package lm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// drawsFollow draws many tokens and compares their frequencies with the
// probabilities, six standard errors apart at most.
func drawsFollow(e *course.Exam) error {
	probs := []float32{0.05, 0, 0.4, 0.25, 0, 0.3, 0}
	const n = 20_000
	in := wire.Values{"probs": wire.Float32s(probs, len(probs)), "n": wire.Int(n), "seed": wire.Int(int(e.Rng.Int32()))}
	var first []int64
	for range 2 {
		out, err := e.Ask("sample.draw", in)
		if err != nil {
			return err
		}
		got := out["ids"].I64
		if len(got) != n {
			return &verdict.Failure{Kind: verdict.WrongShape, Asked: e.Asked("sample.draw", in), Message: lang.T("%d draws came back; want %d", len(got), n)}
		}
		if e.MarkFlag("the same seed gives the same", first == nil || slices.Equal(first, got)); first != nil && !slices.Equal(first, got) {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("sample.draw", in), Message: lang.T("the same seed gave other draws the second time")}
		}
		first = got
	}
	counts := make([]float64, len(probs)+1) // the last one is for tokens that do not exist
	for _, id := range first {
		if id < 0 || int(id) >= len(probs) {
			id = int64(len(probs))
		}
		counts[id]++
	}
	var wrong error
	for id, count := range counts {
		p := 0.0
		if id < len(probs) {
			p = float64(probs[id])
		}
		want := p * n
		off := 6*math.Sqrt(want) + 1
		e.MarkNumber(fmt.Sprintf("%s/share of token %d", e.Check, id), 1+count/n, 1+p, 0.02)
		if wrong == nil && (p == 0 && count > 0 || math.Abs(count-want) > off) {
			wrong = &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("sample.draw", in),
				Message: lang.T("token %d was drawn %.0f times; want about %.0f", id, count, want)}
		}
	}
	return wrong
}

// textRepeats generates random text: the same seed must give the same tokens,
// and twenty seeds must not all give the same.
func textRepeats(e *course.Exam) error {
	in := drawGenerate(rand.New(rand.NewPCG(10, 3)))
	in["temperature"], in["top_p"], in["stop"] = wire.Float(1), wire.Float(0.95), wire.Int(-1)
	vocab := int64(in["lm_head.weight"].Shape[0])
	wrong := func(format string, args ...any) error {
		return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("lm.generate", in), Message: lang.T(format, args...)}
	}
	var first []int64
	differ, cold := false, true
	greedy, err := e.Ask("lm.generate", course.With(in, "temperature", wire.Float(0)))
	if err != nil {
		return err
	}
	for seed := range 20 {
		in["seed"] = wire.Int(seed)
		out, err := e.Ask("lm.generate", in)
		if err != nil {
			return err
		}
		again, err := e.Ask("lm.generate", in)
		if err != nil {
			return err
		}
		text := out["ids"].I64
		e.MarkFlag("the same seed gives the same text", slices.Equal(text, again["ids"].I64))
		switch {
		case len(text) != 9:
			return wrong("%d tokens came back; want max_new = 9, since there is no stop token", len(text))
		case slices.ContainsFunc(text, func(id int64) bool { return id < 0 || id >= vocab }):
			return wrong("the tokens %d are not all in the vocabulary of %d", text, vocab)
		case !slices.Equal(text, again["ids"].I64):
			return wrong("the same seed gave other tokens the second time")
		}
		if first == nil {
			first = text
		}
		differ = differ || !slices.Equal(first, text)
		cold = cold && slices.Equal(text, greedy["ids"].I64)
	}
	e.MarkFlag("seeds give different texts", differ)
	e.MarkFlag("temperature 1 is not greedy", !cold)
	if !differ {
		return wrong("twenty seeds gave the same text at temperature 1; draw from the distribution with the generator that is passed in")
	}
	return nil
}

// drawnAnew lets a model write that finds all tokens as likely: one in so many as
// there are is the one before it.
func drawnAnew(e *course.Exam) error {
	const n = 60
	in := drawGenerate(e.Rng)
	head := in["lm_head.weight"].Shape
	in["lm_head.weight"] = wire.Float32s(make([]float32, head[0]*head[1]), head...)
	in["temperature"], in["top_p"], in["stop"], in["max_new"] = wire.Float(1), wire.Float(1), wire.Int(-1), wire.Int(n)
	out, err := e.Ask("lm.generate", in)
	if err != nil {
		return err
	}
	text, same := out["ids"].I64, 0
	for i := 1; i < len(text); i++ {
		if text[i] == text[i-1] {
			same++
		}
	}
	if same > 3*n/4 { // of nine tokens or more, a ninth by chance
		return e.Fails("lm.generate", in, "of %d tokens that are all as likely, %d are the one before; every token is drawn anew", n, same)
	}
	return nil
}

// coldIsGreedy checks that generation heeds both settings: a temperature next to
// 0 and a nucleus of one token both choose what temperature 0 chooses.
func coldIsGreedy(e *course.Exam) error {
	in := drawGenerate(rand.New(rand.NewPCG(10, 3)))
	in["stop"] = wire.Int(-1)
	greedy, err := e.Ask("lm.generate", in)
	if err != nil {
		return err
	}
	for _, setting := range []struct{ temperature, topP float64 }{{1e-9, 1}, {1, 1e-9}} {
		in["temperature"], in["top_p"] = wire.Float(setting.temperature), wire.Float(setting.topP)
		out, err := e.Ask("lm.generate", in)
		if err != nil {
			return err
		}
		want := greedy["ids"].I64
		e.MarkFlag(fmt.Sprintf("temperature %g with top-p %g is greedy", setting.temperature, setting.topP), slices.Equal(out["ids"].I64, want))
		if !slices.Equal(out["ids"].I64, want) {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("lm.generate", in),
				Message: lang.T("the tokens are %d; temperature %g with top-p %g leaves only the likeliest token each time, which at temperature 0 gave %d",
					out["ids"].I64, setting.temperature, setting.topP, want)}
		}
	}
	return nil
}

// stopEnds generates random text with and without a stop token: the same seed
// must give the same text, up to the token.
func stopEnds(e *course.Exam) error {
	in := drawGenerate(rand.New(rand.NewPCG(10, 3)))
	in["temperature"], in["stop"] = wire.Float(1), wire.Int(-1)
	free, err := e.Ask("lm.generate", in)
	if err != nil {
		return err
	}
	text := free["ids"].I64
	if len(text) == 0 {
		return nil // another part has said so
	}
	stop := text[len(text)/2]
	in["stop"] = wire.Int(int(stop))
	out, err := e.Ask("lm.generate", in)
	if err != nil {
		return err
	}
	got, want := out["ids"].I64, text[:slices.Index(text, stop)]
	e.MarkFlag("the stop token ends a random text", slices.Equal(got, want))
	if !slices.Equal(got, want) {
		return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("lm.generate", in),
			Message: lang.T("the tokens are %d; without a stop token the same seed gave %d, so token %d should end it at %d", got, text, stop, want)}
	}
	return nil
}
