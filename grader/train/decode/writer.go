package decode

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/steps/step10_lm"
)

// Writer continues a text, token by token, as LM.Generate does: with a Decoder
// as long as the text fits the model's context, and after that, when every token
// moves to another position, by reading the last ContextLength tokens anew.
type Writer struct {
	model    *lm.LM
	decoder  *Decoder
	sampling lm.Sampling
	rng      *rand.Rand
	text     []int
	unread   int // tokens at the end of text that the decoder has not read
}

// NewWriter returns a writer that goes on from the prompt, which holds at least
// one token. MaxNew of the sampling is not used.
func NewWriter(m *lm.LM, prompt []int, s lm.Sampling, rng *rand.Rand) *Writer {
	return &Writer{model: m, decoder: New(m), sampling: s, rng: rng, text: slices.Clone(prompt), unread: len(prompt)}
}

// Next draws the next token, which may be the sampling's Stop. Its errors are
// those of LM.Generate.
func (w *Writer) Next() (int, error) {
	logits, err := w.read()
	if err != nil {
		return 0, err
	}
	if slices.ContainsFunc(logits, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
		return 0, errors.New("the model's logits are not finite; its parameters may have diverged")
	}
	next := lm.Draw(lm.Distribution(logits, w.sampling.Temperature, w.sampling.TopP), w.rng)
	w.text, w.unread = append(w.text, next), w.unread+1
	return next, nil
}

// read returns the logits of the token after the text.
func (w *Writer) read() ([]float32, error) {
	if w.unread <= w.decoder.Room() {
		logits, err := w.decoder.Read(w.text[len(w.text)-w.unread:]...)
		w.unread = 0
		return logits, err
	}
	context := w.text[max(0, len(w.text)-w.model.Config.ContextLength):]
	logits, err := w.model.Forward([][]int{context})
	if err != nil {
		return nil, err
	}
	return logits.Row(len(context) - 1), nil
}
