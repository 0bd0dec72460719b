package answers

import (
	"math/rand/v2"
	"slices"

	writer "github.com/stubformer/stubformer/grader/programs/generate"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// writing is what the model, with all of its parts, has read to go on from.
type writing struct {
	cache writer.Cache // nil where the student has none
	text  []int        // that the cache holds
}

// write draws the tokens that follow. Where they stand decides the draws together
// with the seed, so that it makes no difference how many are asked for at once.
func (a *Answerer) write(q inside.Question) (w inside.Written, err error) {
	w = inside.Written{IDs: []int{}, Surprise: []float64{}}
	if len(q.Off) == 0 {
		return w, a.draw(&w, q, a.next)
	}
	err = a.without(q.Off, func(m *lm.LM) error {
		return a.draw(&w, q, func(text []int) ([]float32, error) { return a.last(m, text) })
	})
	return w, err
}

// draw draws tokens by the logits that next returns for the text so far.
func (a *Answerer) draw(w *inside.Written, q inside.Question, next func(text []int) ([]float32, error)) error {
	text := slices.Clone(q.IDs)
	for range q.Tokens {
		logits, err := next(text)
		if err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(q.Seed, uint64(len(text))))
		id := lm.Draw(lm.Distribution(logits, q.Temperature, q.TopP), rng)
		if id == q.Stop {
			w.Ended = true
			return nil
		}
		text = append(text, id)
		w.IDs, w.Surprise = append(w.IDs, id), append(w.Surprise, Surprise(logits, id))
	}
	return nil
}

// next returns the logits of the token after a text. It reads only what is new since the
// last time, as long as the text fits the model's context and there is a cache.
func (a *Answerer) next(text []int) ([]float32, error) {
	if a.writing == nil {
		a.writing = &writing{cache: writer.Written(a.model)}
	}
	w := a.writing
	if w.cache == nil || len(text) > a.model.Config.ContextLength {
		return a.last(a.model, text)
	}
	same := 0
	for same < min(len(w.text), len(text)-1) && w.text[same] == text[same] {
		same++
	}
	w.text = w.text[:same]
	w.cache.Truncate(0, same)
	logits, err := w.cache.Last([][]int{text[same:]})
	if err != nil {
		return nil, err
	}
	tensor.CheckShape("the logits", logits, 1, a.model.Config.VocabSize)
	w.text = append(w.text, text[same:]...)
	return logits.Row(0), finite(logits)
}

// last returns the same by reading as much of the text's end as the context holds.
func (a *Answerer) last(m *lm.LM, text []int) ([]float32, error) {
	logits, err := Logits(m, text[max(0, len(text)-a.model.Config.ContextLength):])
	if err != nil {
		return nil, err
	}
	return logits.Row(logits.Rows() - 1), nil
}
