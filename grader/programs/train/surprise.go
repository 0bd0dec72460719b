package main

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/programs/answers"
	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// written returns how much each of the tokens ids surprised a model that wrote them
// after a prompt, seeing no more before each than its context holds.
func written(m *lm.LM, prompt, ids []int) ([]float64, error) {
	text, context := slices.Concat(prompt, ids), m.Config.ContextLength
	var nats []float64
	var logits *tensor.Tensor
	for at := len(prompt); at < len(text); at++ {
		first := max(0, at-context) // of what it saw
		if logits == nil || first > 0 {
			var err error
			if logits, err = answers.Logits(m, text[first:min(first+context, len(text))]); err != nil {
				return nil, err
			}
		}
		nats = append(nats, answers.Surprise(logits.Row(at-1-first), text[at]))
	}
	return nats, nil
}

// byCharacter gives each character of a text the surprise of the token with which it
// begins.
func byCharacter(text string, ids []int, nats []float64, decode func([]int) (string, error)) ([]float64, error) {
	var owner []int // of each byte: the token
	for i := range ids {
		sofar, err := decode(ids[:i+1])
		if err != nil {
			return nil, err
		}
		for len(owner) < len(sofar) {
			owner = append(owner, i)
		}
	}
	var all []float64
	for at := range text {
		const places = 100
		all = append(all, math.Round(nats[owner[at]]*places)/places)
	}
	return all, nil
}
