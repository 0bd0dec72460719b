// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package paged_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step10_lm"
	. "github.com/stubformer/stubformer/steps/step22_paged"
)

func TestStep22(t *testing.T) { subject.Test(t, "step22", functions) }

var functions = subject.Functions{
	"pages.script": script,
	"pages.bytes": func(in subject.Args) (wire.Values, error) {
		p := NewPool(in.Int("layers"), in.Int("heads"), in.Int("width"), in.Int("pages"), in.Int("size"))
		return wire.Values{"bytes": wire.Int(p.Bytes())}, nil
	},
	"paged.forward": together,
	"spec.residual": func(in subject.Args) (wire.Values, error) {
		p, q := in.Tensor("p"), in.Tensor("q")
		r := tensor.New(p.Shape...)
		for i := range p.Dim(0) {
			Residual(r.Row(i), p.Row(i), q.Row(i))
		}
		for i := range p.Dim(0) { // dst may be p or q
			one, other := p.Clone(), q.Clone()
			Residual(one.Row(i), one.Row(i), q.Row(i))
			Residual(other.Row(i), p.Row(i), other.Row(i))
			if !slices.Equal(one.Row(i), r.Row(i)) || !slices.Equal(other.Row(i), r.Row(i)) {
				return nil, subject.Broken("Residual gives other numbers where dst is p or q")
			}
		}
		return wire.Values{"r": wire.Tensor(r)}, nil
	},
	"spec.verify": func(in subject.Args) (wire.Values, error) {
		p, q := rows(in.Tensor("p")), rows(in.Tensor("q"))
		took := Verify(p, q, in.Ints("drafted"), rand.New(rand.NewPCG(uint64(in.Int("seed")), 22)))
		if len(took) > len(p) {
			return nil, subject.Broken("%d tokens came back of %d that were drafted", len(took), len(q))
		}
		tokens := wire.Ints(slices.Repeat([]int64{-1}, len(p)), len(p))
		for i, x := range took {
			tokens.I64[i] = int64(x)
		}
		return wire.Values{"tokens": tokens}, nil
	},
	"spec.draws": func(in subject.Args) (wire.Values, error) {
		p, q := rows(in.Tensor("p")), rows(in.Tensor("q"))
		luck := rand.NewPCG(uint64(in.Int("seed")), 22)
		rng := rand.New(luck)
		counts := make([]int64, len(p)*len(p[0]))
		for round := range in.Int("n") {
			drafted := make([]int, len(q))
			for i := range drafted {
				drafted[i] = lm.Draw(q[i], rng)
			}
			before := *luck
			took := Verify(p, q, drafted, rng)
			if round < repeated && !slices.Equal(Verify(p, q, drafted, rand.New(&before)), took) {
				return nil, subject.Broken("Verify gives other tokens with an rng that draws the same numbers")
			}
			if err := possible(took, len(p), len(p[0])); err != nil {
				return nil, err
			}
			for i, x := range took {
				counts[i*len(p[0])+x]++
			}
		}
		return wire.Values{"counts": wire.Ints(counts, len(p), len(p[0]))}, nil
	},
	"spec.greedy": func(in subject.Args) (wire.Values, error) {
		large, draft, err := pair(in)
		if err != nil {
			return nil, err
		}
		s := lm.Sampling{MaxNew: in.Int("max_new"), TopP: 1, Stop: in.Int("stop")}
		if in.Has("temperature") {
			s.Temperature = in.Float("temperature")
		}
		if in.Has("top_p") {
			s.TopP = in.Float("top_p")
		}
		prompt, before := in.Ints("prompt"), []int{large.Pool().Free(), draft.Pool().Free()}
		var ids []int
		var stats Stats
		in.Calls(func() {
			rng := rand.New(rand.NewPCG(1, 22))
			ids, stats, err = Speculate(large, draft, prompt, in.Int("ahead"), s, rng)
		})
		free := []int{large.Pool().Free(), draft.Pool().Free()}
		if err != nil {
			if !slices.Equal(before, free) {
				return nil, subject.Broken("%d pages were free, and after an error %d", before, free)
			}
			return nil, err
		}
		return wire.Values{"ids": integers(ids), "rounds": wire.Int(stats.Rounds), "drafted": wire.Int(stats.Drafted),
			"accepted": wire.Int(stats.Accepted), "free": integers(free)}, nil
	},
	"spec.sampled": func(in subject.Args) (wire.Values, error) {
		large, draft, err := pair(in)
		if err != nil {
			return nil, err
		}
		s := lm.Sampling{MaxNew: 2, Temperature: in.Float("temperature"), TopP: in.Float("top_p"), Stop: -1}
		luck, vocab := rand.NewPCG(uint64(in.Int("seed")), 22), in.Tensor("lm_head.weight").Dim(0)
		prompt, rng, counts := in.Ints("prompt"), rand.New(luck), make([]int64, vocab*vocab)
		for round := range in.Int("n") {
			before := *luck
			ids, _, err := Speculate(large, draft, prompt, in.Int("ahead"), s, rng)
			if err != nil {
				return nil, err
			}
			if round < repeated {
				again, _, err := Speculate(large, draft, prompt, in.Int("ahead"), s, rand.New(&before))
				if err != nil || !slices.Equal(again, ids) {
					return nil, subject.Broken("Speculate gives other tokens with an rng that draws the same numbers")
				}
			}
			if len(ids) != 2 {
				return nil, subject.Broken("%d tokens came back; want 2, since there is no stop token", len(ids))
			}
			if err := possible(ids, 2, vocab); err != nil {
				return nil, err
			}
			counts[ids[0]*vocab+ids[1]]++
		}
		return wire.Values{"counts": wire.Ints(counts, vocab, vocab)}, nil
	},
}

// repeated is how many rounds are drawn once more, with the same numbers.
const repeated = 20

// possible returns an error unless there are from 1 to most tokens, all of the vocabulary.
func possible(tokens []int, most, vocab int) error {
	if len(tokens) < 1 || len(tokens) > most {
		return subject.Broken("%d tokens came back; want from 1 to %d", len(tokens), most)
	}
	for _, x := range tokens {
		if x < 0 || x >= vocab {
			return subject.Broken("token %d came back from a vocabulary of %d", x, vocab)
		}
	}
	return nil
}

func rows(t *tensor.Tensor) [][]float32 {
	all := make([][]float32, t.Dim(0))
	for i := range all {
		all[i] = t.Row(i)
	}
	return all
}

func integers(all []int) wire.Value {
	v := wire.Ints(make([]int64, len(all)), len(all))
	for i, n := range all {
		v.I64[i] = int64(n)
	}
	return v
}
