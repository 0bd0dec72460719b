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
