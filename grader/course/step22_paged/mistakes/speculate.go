//go:build mistake

package paged

import "github.com/stubformer/stubformer/steps/step10_lm"

// q-not-tempered: q is the draft's distribution before temperature and top-p, from which it did not draw
//
// Why: The rule is exact for the distribution that was drawn from, and for no other.
//
// Hint: lm.Distribution with the temperature and top-p of the sampling, once, for the draw and for Verify.
func (*writer) round() {
	if right {
		q = append(q, next[0])
		drafted = append(drafted, lm.Draw(next[0], w.rng))
	} else {
		drawn := lm.Draw(next[0], w.rng)
		if w.sampling.Temperature > 0 {
			raw := *w
			raw.sampling.Temperature, raw.sampling.TopP = 1, 1
			w.draft.Truncate(len(drafted) - 1)
			if next, err = raw.next(draft, w.draft, drafted, 1); err != nil {
				return nil, err
			}
		}
		q = append(q, next[0])
		drafted = append(drafted, drawn)
	}
}

// p-not-tempered: p is the large model's distribution before temperature and top-p
//
// Why: The text would be that of temperature 1, whatever was asked for.
//
// Hint: lm.Distribution with the temperature and top-p of the sampling, for both models.
func (*writer) round() {
	if right {
		p, err := w.next(large, w.large, drafted, ahead+1)
	} else {
		raw := *w
		if w.sampling.Temperature > 0 {
			raw.sampling.Temperature, raw.sampling.TopP = 1, 1
		}
		p, err := raw.next(large, w.large, drafted, ahead+1)
	}
}

// likeliest-drafted: the draft takes its likeliest token, and q says that it has drawn
//
// Why: What is drafted has to be drawn from q, or the quotient p/q means nothing.
//
// Hint: lm.Draw from the distribution that is kept as q.
func (*writer) round() {
	if right {
		drafted = append(drafted, lm.Draw(next[0], w.rng))
	} else {
		likeliest := 0
		for x := range next[0] {
			if next[0][x] > next[0][likeliest] {
				likeliest = x
			}
		}
		drafted = append(drafted, likeliest)
	}
}

// large-not-cut: the large model keeps the keys of refused tokens
//
// Why: What is read next comes behind them, and attends to tokens that are not in the text.
//
// Hint: Truncate both to len(text) − 1.
func Speculate() {
	if right {
		for _, t := range []*Text{w.large, w.draft} {
			t.Truncate(min(t.Len(), len(w.text)-1))
		}
	} else {
		w.draft.Truncate(min(w.draft.Len(), len(w.text)-1))
	}
}

func (*writer) next() {
	if right {
		logits, err := r.Forward([]*Text{read}, [][]int{text[read.Len():]})
	} else {
		logits, err := r.Forward([]*Text{read}, [][]int{text[min(read.Len(), len(text)-n):]})
	}
}

// draft-not-cut: the draft keeps the keys of refused tokens
//
// Why: It goes on behind another text than the large model, and fewer of its tokens are right.
//
// Hint: Truncate both to len(text) − 1.
func Speculate() {
	if right {
		for _, t := range []*Text{w.large, w.draft} {
			t.Truncate(min(t.Len(), len(w.text)-1))
		}
	} else {
		w.large.Truncate(min(w.large.Len(), len(w.text)-1))
	}
}

func (*writer) next() {
	if right {
		logits, err := r.Forward([]*Text{read}, [][]int{text[read.Len():]})
	} else {
		logits, err := r.Forward([]*Text{read}, [][]int{text[min(read.Len(), len(text)-n):]})
	}
}

// cut-one-short: both models keep the key of the first refused token, where that of the added one belongs
//
// Why: Nobody has read yet what Verify has added.
//
// Hint: Truncate both to len(text) − 1: the last token is read in the next round.
func Speculate() {
	if right {
		t.Truncate(min(t.Len(), len(w.text)-1))
	} else {
		t.Truncate(min(t.Len(), len(w.text)))
	}
}

func (*writer) next() {
	if right {
		logits, err := r.Forward([]*Text{read}, [][]int{text[read.Len():]})
	} else {
		logits, err := r.Forward([]*Text{read}, [][]int{text[min(read.Len(), len(text)-n):]})
	}
}

// draft-lacks-a-key: the draft reads the last token of the text, and not the drafted one before it, whose key it has not
//
// Why: If all are kept, the draft has written its last token and never read it. Two tokens are new to it then.
//
// Hint: text[read.Len():].
func (*writer) next() {
	if right {
		logits, err := r.Forward([]*Text{read}, [][]int{text[read.Len():]})
	} else {
		from := read.Len()
		if n == 1 && from > 0 {
			from = len(text) - 1
		}
		logits, err := r.Forward([]*Text{read}, [][]int{text[from:]})
	}
}

// all-read-again: every round reads the whole text
//
// Why: The text is right, at the price of all of it for a few tokens.
//
// Hint: text[read.Len():]: the keys of what was taken are there.
func (*writer) next() {
	if right {
		logits, err := r.Forward([]*Text{read}, [][]int{text[read.Len():]})
	} else {
		read.Truncate(0)
		logits, err := r.Forward([]*Text{read}, [][]int{text})
	}
}

// rows-one-early: p begins one token too early
//
// Why: The distribution of the first drafted token stands behind the token before it, the last of the text.
//
// Hint: The last γ + 1 rows of the logits.
func (*writer) next() {
	if right {
		for i := logits.Dim(0) - n; i < logits.Dim(0); i++ {
			row := logits.Row(i)
			if slices.ContainsFunc(row, func(x float32) bool { return math.IsNaN(float64(x - x)) }) {
				return nil, errors.New("Speculate: the model's logits are not finite; its parameters may have diverged")
			}
			all = append(all, lm.Distribution(row, w.sampling.Temperature, w.sampling.TopP))
		}
	} else {
		for i := logits.Dim(0) - n; i < logits.Dim(0); i++ {
			row := logits.Row(max(0, i-1))
			if slices.ContainsFunc(row, func(x float32) bool { return math.IsNaN(float64(x - x)) }) {
				return nil, errors.New("Speculate: the model's logits are not finite; its parameters may have diverged")
			}
			all = append(all, lm.Distribution(row, w.sampling.Temperature, w.sampling.TopP))
		}
	}
}

// not-finite-drawn: logits that are no numbers are drawn from
//
// Why: The text would be nonsense without a word of warning.
//
// Hint: An error, as in LM.Generate.
func (*writer) next() {
	if right {
		if slices.ContainsFunc(row, func(x float32) bool { return math.IsNaN(float64(x - x)) }) {
			return nil, errors.New("Speculate: the model's logits are not finite; its parameters may have diverged")
		}
	} else {
		if slices.ContainsFunc(row, func(x float32) bool { return math.IsNaN(float64(x - x)) }) {
			row = make([]float32, len(row))
		}
	}
}

// temperature-forgotten: temperature and top-p are 1 in both models
//
// Why: At temperature 0 the text would not be that of the large model.
//
// Hint: lm.Distribution with what the sampling says.
func (*writer) next() {
	if right {
		all = append(all, lm.Distribution(row, w.sampling.Temperature, w.sampling.TopP))
	} else {
		all = append(all, lm.Distribution(row, 1, 1))
	}
}

// nucleus-forgotten: top-p is 1 in both models
//
// Why: Tokens are written that the large model would not draw.
//
// Hint: lm.Distribution with what the sampling says.
func (*writer) next() {
	if right {
		all = append(all, lm.Distribution(row, w.sampling.Temperature, w.sampling.TopP))
	} else {
		all = append(all, lm.Distribution(row, w.sampling.Temperature, 1))
	}
}

// stop-not-seen: a stop token ends the text only if it is the last of a round
//
// Why: It may be among those that were taken. What comes behind it is not of the text.
//
// Hint: The first s.Stop among all tokens of the round.
func Speculate() {
	if right {
		if end := slices.Index(took, s.Stop); end >= 0 {
			w.text = append(w.text, took[:end]...)
			break
		}
	} else {
		if end := len(took) - 1; took[end] == s.Stop {
			w.text = append(w.text, took[:end]...)
			break
		}
	}
}

// stop-kept: the stop token is a part of the text
//
// Why: It ends the text and is not among the new tokens, as in LM.Generate.
//
// Hint: took[:end].
func Speculate() {
	if right {
		w.text = append(w.text, took[:end]...)
		break
	} else {
		w.text = append(w.text, took[:end+1]...)
		break
	}
}

// stop-drops-round: a round with a stop token is dropped as a whole
//
// Why: The tokens before it are of the text.
//
// Hint: took[:end].
func Speculate() {
	if right {
		w.text = append(w.text, took[:end]...)
		break
	} else {
		break
	}
}

// too-many: the last round writes more tokens than are missing
//
// Why: A round gives up to γ + 1 tokens.
//
// Hint: γ = min(ahead, what is missing − 1).
func Speculate() {
	if right {
		took, err := w.round(large, draft, min(ahead, missing-1), &stats)
	} else {
		took, err := w.round(large, draft, ahead, &stats)
	}
}

// one-too-many: the last round drafts as many tokens as are missing
//
// Why: Verify adds one.
//
// Hint: γ = min(ahead, what is missing − 1).
func Speculate() {
	if right {
		took, err := w.round(large, draft, min(ahead, missing-1), &stats)
	} else {
		took, err := w.round(large, draft, min(ahead, missing), &stats)
	}
}

// pages-not-given-back: the pages of both texts stay taken
//
// Why: After some texts the pools are full.
//
// Hint: defer Truncate(0), for both.
func Speculate() {
	if right {
		defer w.large.Truncate(0)
		defer w.draft.Truncate(0)
	} else {
	}
}

// pages-of-draft-stay: the pages of the draft's text stay taken
//
// Why: After some texts its pool is full.
//
// Hint: defer Truncate(0), for both.
func Speculate() {
	if right {
		defer w.draft.Truncate(0)
	} else {
	}
}

// pages-stay-after-error: with an error the pages stay taken
//
// Why: Pages run out in the middle of a text, and then nobody else can go on either.
//
// Hint: defer Truncate(0), before the first round.
func Speculate() {
	if right {
		defer w.large.Truncate(0)
		defer w.draft.Truncate(0)
	} else {
	}
	if right {
		return w.text[len(prompt):], stats, nil
	} else {
		w.large.Truncate(0)
		w.draft.Truncate(0)
		return w.text[len(prompt):], stats, nil
	}
}

// added-counted: the token that Verify adds is counted as taken from the draft
//
// Why: Accepted says how good the draft is. The added token is the large model's.
//
// Hint: len(took) − 1.
func (*writer) round() {
	if right {
		stats.Rounds, stats.Drafted, stats.Accepted = stats.Rounds+1, stats.Drafted+ahead, stats.Accepted+len(took)-1
	} else {
		stats.Rounds, stats.Drafted, stats.Accepted = stats.Rounds+1, stats.Drafted+ahead, stats.Accepted+len(took)
	}
}

// rounds-of-tokens: every token is counted as a round
//
// Why: Rounds says how often the large model has read, which is what speculation saves.
//
// Hint: One for each call of the large model.
func (*writer) round() {
	if right {
		stats.Rounds, stats.Drafted, stats.Accepted = stats.Rounds+1, stats.Drafted+ahead, stats.Accepted+len(took)-1
	} else {
		stats.Rounds, stats.Drafted, stats.Accepted = stats.Rounds+len(took), stats.Drafted+ahead, stats.Accepted+len(took)-1
	}
}

// nothing-ahead: 0 tokens ahead are accepted
//
// Why: A mistake of the caller is to be said where it is made.
//
// Hint: An error if ahead is below 1.
func checkSpeculate() {
	if right {
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
		case s.MaxNew > longest-len(prompt):
			return fmt.Errorf("Speculate: %d tokens and %d new ones are more than the context of %d",
				len(prompt), s.MaxNew, longest)
		}
	} else {
		switch longest := min(one.ContextLength, other.ContextLength); {
		case len(prompt) == 0:
			return errors.New("Speculate: the prompt is empty; the models need at least one token to begin with")
		case one.VocabSize != other.VocabSize:
			return fmt.Errorf("Speculate: vocabularies of %d and %d tokens; want one for both", one.VocabSize, other.VocabSize)
		case !(s.Temperature >= 0):
			return fmt.Errorf("Speculate: temperature is %g; want 0 or more", s.Temperature)
		case !(s.TopP > 0 && s.TopP <= 1):
			return fmt.Errorf("Speculate: top-p is %g; want more than 0 and at most 1", s.TopP)
		case s.MaxNew > longest-len(prompt):
			return fmt.Errorf("Speculate: %d tokens and %d new ones are more than the context of %d",
				len(prompt), s.MaxNew, longest)
		}
	}
}
