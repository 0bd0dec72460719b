package paged

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// Stats says what speculation has done for a text.
type Stats struct {
	Rounds   int // how often the large model has read
	Drafted  int // tokens that were proposed to it
	Accepted int // and those of them that Verify took
}

// Residual computes what is left of p where q has taken its part:
//
//	dst[x] = max(0, p[x] − q[x]) / Σ max(0, p − q)      (V)
//
// It is p where nothing is left, p = q. dst may be p or q. It panics with a ShapeError if
// the lengths differ.
func Residual(dst, p, q []float32) {
	if len(q) != len(p) || len(dst) != len(p) {
		panic(tensor.ShapeError{Op: "Residual", Got: []int{len(dst), len(q)}, Want: []int{len(p), len(p)}})
	}
	left, sum := make([]float64, len(p)), 0.0
	for x := range p {
		if p[x] > q[x] {
			left[x] = float64(p[x] - q[x])
		}
		sum += left[x]
	}
	if sum == 0 {
		copy(dst, p)
		return
	}
	for x := range left {
		dst[x] = float32(left[x] / sum)
	}
}

// Verify decides about γ drafted tokens, of which the i-th was drawn from q[i], and returns
// those that stand, and one more: from 1 to γ + 1 tokens. p has a distribution more than q,
// for the token behind the last. Every token that it returns is distributed as p says,
// however bad q is:
//
//	the i-th is kept with the probability min(1, p[i][x]/q[i][x])
//	the first that is not is drawn again from Residual(p[i], q[i]), and ends the result
//	if all are kept, one is drawn from p[γ]
//
// Where p is certain of one token, so is the result.
//
// It panics with a ShapeError unless there are γ of q and γ + 1 of p, all of one length,
// and with an IndexError if a token is none of V.
//
// Source: Leviathan et al., "Fast Inference from Transformers via Speculative Decoding",
// 2023, section 2.3; Chen et al., "Accelerating Large Language Model Decoding with
// Speculative Sampling", 2023, algorithm 2.
func Verify(p, q [][]float32, drafted []int, rng *rand.Rand) []int {
	checkDistributions(p, q, drafted)
	var out []int
	for i := range p {
		if i == len(drafted) {
			return append(out, lm.Draw(p[i], rng))
		}
		// x has the part min(p, q) of its q, wherever both agree: u falls into it or not
		x := drafted[i]
		shared := min(p[i][x], q[i][x])
		if u := rng.Float64() * float64(q[i][x]); u >= float64(shared) {
			left := slices.Clone(p[i])
			Residual(left, left, q[i])
			return append(out, lm.Draw(left, rng))
		}
		out = append(out, x)
	}
	return out
}

// Speculate continues the prompt and returns the new tokens only, as LM.Generate does for
// the large model: s.MaxNew of them, or fewer if s.Stop comes before, which is not among
// them. In every round
//
//	the draft writes γ = min(ahead, what is missing − 1) tokens
//	the large model reads all of them in one call
//	Verify takes a of them, and adds one
//	both forget what was not taken
//
// p and q are the lm.Distribution of the logits, with the temperature and top-p of s: that
// from which the draft was drawn, and that from which the large model would draw. At
// temperature 0 the text is that of the large model alone, and elsewhere one of the same
// distribution. What nobody has read yet is read in the next call: at the beginning the
// prompt, later the token that Verify has added.
//
// It reads through texts of its own, and gives back their pages at the end, with an error,
// too. Errors are: an empty prompt, an id outside the vocabulary, ahead below 1, models with
// different vocabularies, a Sampling out of range (see LM.Generate), len(prompt) + s.MaxNew
// above the ContextLength of one of the models, too few free pages in a pool, and logits that
// are not finite.
func Speculate(large, draft *Reader, prompt []int, ahead int, s lm.Sampling, rng *rand.Rand) ([]int, Stats, error) {
	if err := checkSpeculate(large, draft, prompt, ahead, s); err != nil {
		return nil, Stats{}, err
	}
	w := &writer{sampling: s, rng: rng, text: slices.Clone(prompt),
		large: large.pool.NewText(), draft: draft.pool.NewText()}
	defer w.large.Truncate(0)
	defer w.draft.Truncate(0)
	var stats Stats
	for missing := s.MaxNew; missing > 0; missing = len(prompt) + s.MaxNew - len(w.text) {
		took, err := w.round(large, draft, min(ahead, missing-1), &stats)
		if err != nil {
			return nil, Stats{}, err
		}
		if end := slices.Index(took, s.Stop); end >= 0 {
			w.text = append(w.text, took[:end]...)
			break
		}
		w.text = append(w.text, took...)
		for _, t := range []*Text{w.large, w.draft} { // what was not taken is forgotten
			t.Truncate(min(t.Len(), len(w.text)-1)) // (8)
		}
	}
	return w.text[len(prompt):], stats, nil
}

// checkDistributions panics unless there is a q for every drafted token, and a p more.
func checkDistributions(p, q [][]float32, drafted []int) {
	if len(q) != len(drafted) || len(p) != len(drafted)+1 {
		panic(tensor.ShapeError{Op: "Verify: numbers of p and q for the drafted tokens", Got: []int{len(p), len(q)},
			Want: []int{len(drafted) + 1, len(drafted)}})
	}
	for _, row := range slices.Concat(p, q) {
		if len(row) != len(p[0]) {
			panic(tensor.ShapeError{Op: "Verify: a distribution", Got: []int{len(row)}, Want: []int{len(p[0])}})
		}
	}
	for _, x := range drafted {
		if x < 0 || x >= len(p[0]) {
			panic(tensor.IndexError{Op: "Verify: a drafted token", Got: x, Limit: len(p[0])})
		}
	}
}

// writer is a text that two models write: each has read a beginning of it.
type writer struct {
	sampling     lm.Sampling
	rng          *rand.Rand
	text         []int // the prompt and what was taken
	large, draft *Text
}

// round lets the draft write so many tokens and the large model read them, and returns what
// Verify takes.
func (w *writer) round(large, draft *Reader, ahead int, stats *Stats) ([]int, error) {
	var q [][]float32
	drafted := slices.Clone(w.text)
	for range ahead {
		next, err := w.next(draft, w.draft, drafted, 1)
		if err != nil {
			return nil, err
		}
		q = append(q, next[0])
		drafted = append(drafted, lm.Draw(next[0], w.rng))
	}
	p, err := w.next(large, w.large, drafted, ahead+1)
	if err != nil {
		return nil, err
	}
	took := Verify(p, q, drafted[len(w.text):], w.rng)
	stats.Rounds, stats.Drafted, stats.Accepted = stats.Rounds+1, stats.Drafted+ahead, stats.Accepted+len(took)-1
	return took, nil
}

// next lets a model read what it has not read of a text, and returns the distributions
// behind its last n tokens.
func (w *writer) next(r *Reader, read *Text, text []int, n int) ([][]float32, error) {
	logits, err := r.Forward([]*Text{read}, [][]int{text[read.Len():]})
	if err != nil {
		return nil, err
	}
	var all [][]float32
	for i := logits.Dim(0) - n; i < logits.Dim(0); i++ {
		row := logits.Row(i)
		if slices.ContainsFunc(row, func(x float32) bool { return math.IsNaN(float64(x - x)) }) {
			return nil, errors.New("Speculate: the model's logits are not finite; its parameters may have diverged")
		}
		all = append(all, lm.Distribution(row, w.sampling.Temperature, w.sampling.TopP))
	}
	return all, nil
}

// checkSpeculate returns what is wrong with the arguments of Speculate, but for the pages, of
// which the readers know.
func checkSpeculate(large, draft *Reader, prompt []int, ahead int, s lm.Sampling) error {
	one, other := large.model.Config, draft.model.Config
	switch longest := min(one.ContextLength, other.ContextLength); {
	case len(prompt) == 0:
		return errors.New("Speculate: the prompt is empty; the models need at least one token to begin with")
	case ahead < 1:
		return fmt.Errorf("Speculate: ahead is %d; want 1 or more", ahead)
	case one.VocabSize != other.VocabSize:
		return fmt.Errorf("Speculate: vocabularies of %d and %d tokens; want one for both", one.VocabSize, other.VocabSize)
	case !(s.Temperature >= 0):
		return fmt.Errorf("Speculate: temperature is %g; want 0 or more", s.Temperature)
	case !(s.TopP > 0 && s.TopP <= 1):
		return fmt.Errorf("Speculate: top-p is %g; want more than 0 and at most 1", s.TopP)
	case len(prompt)+s.MaxNew > longest:
		return fmt.Errorf("Speculate: %d tokens and %d new ones are more than the context of %d",
			len(prompt), s.MaxNew, longest)
	}
	for i, id := range prompt {
		if id < 0 || id >= one.VocabSize {
			return tensor.IndexError{Op: fmt.Sprintf("Speculate: prompt[%d]", i), Got: id, Limit: one.VocabSize}
		}
	}
	return nil
}
