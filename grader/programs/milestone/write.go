package early

import (
	"math"
	"math/rand/v2"
)

// Writer is a Model that continues a text by itself.
type Writer interface {
	Write(prompt []int, tokens int, temperature float64, rng *rand.Rand) ([]int, error)
}

// What a model writes of: so much, from the beginning of a story on.
const (
	written     = 160
	temperature = 0.8
)

// write returns what the model writes by now.
func (t *training) write() (string, error) {
	prompt, err := t.tokens.Encode("\n")
	if err != nil {
		return "", err
	}
	ids, err := t.continued(prompt, rand.New(rand.NewPCG(3, 0)))
	if err != nil {
		return "", err
	}
	return t.tokens.Decode(ids)
}

// continued returns the tokens that follow a prompt. A model that does not write by
// itself is asked for one token after the other; each is the largest of the logits
// after noise whose distribution is Gumbel's was added, which draws from their
// softmax.
func (t *training) continued(prompt []int, rng *rand.Rand) ([]int, error) {
	if w, ok := t.model.(Writer); ok {
		return w.Write(prompt, written, temperature, rng)
	}
	text := prompt
	for range written {
		context := text[max(0, len(text)-t.Context):]
		logits, err := t.model.Forward([][]int{context})
		if err != nil {
			return nil, err
		}
		next, largest := 0, math.Inf(-1)
		for id, x := range logits.Row(len(context) - 1) {
			if noisy := float64(x)/temperature - math.Log(rng.ExpFloat64()); noisy > largest {
				next, largest = id, noisy
			}
		}
		text = append(text, next)
	}
	return text[len(prompt):], nil
}
