//go:build unlisted

package lm

import (
	"fmt"
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// nucleus-before-temperature: the nucleus is cut from the softmax of the logits and the temperature applied to what is left
//
// Why: the distribution is the softmax of logits/temperature, cut to its nucleus;
// with a high temperature too few tokens are left, with a low one too many.
func Distribution() {
	if right {
		for i, x := range logits { // shifted first: no temperature is so small that this overflows upwards
			probs[i] = float32(float64(x-largest) / temperature)
		}
		p := tensor.From(probs, len(probs))
		softmax.Softmax(p, p, 0)
		if topP < 1 {
			keepNucleus(probs, topP)
		}
		return probs
	} else {
		for i, x := range logits {
			probs[i] = x - largest
		}
		p := tensor.From(probs, len(probs))
		softmax.Softmax(p, p, 0)
		if topP < 1 {
			keepNucleus(probs, topP)
		}
		for i := range probs {
			if probs[i] == 0 {
				probs[i] = float32(math.Inf(-1))
			} else {
				probs[i] = float32(float64(logits[i]-largest) / temperature)
			}
		}
		softmax.Softmax(p, p, 0)
		return probs
	}
}

// written-over-the-logits: the probabilities are computed in the memory of the logits
//
// Why: the logits are the caller's; a second call with the same slice sees
// probabilities, and the model's logits are gone.
func Distribution() {
	if right {
		probs := make([]float32, len(logits))
		largest := kernel.Max(logits)
		if temperature == 0 {
			probs[slices.Index(logits, largest)] = 1
			return probs
		}
	} else {
		probs := logits
		largest := kernel.Max(logits)
		if temperature == 0 {
			best := slices.Index(logits, largest)
			clear(probs)
			probs[best] = 1
			return probs
		}
	}
}

// equals-share-at-temperature-0: at temperature 0 all tokens with the largest logit share the mass
//
// Why: all mass is on the first of equals.
func Distribution() {
	if right {
		if temperature == 0 {
			probs[slices.Index(logits, largest)] = 1
			return probs
		}
	} else {
		if temperature == 0 {
			equals := float32(0)
			for _, x := range logits {
				if x == largest {
					equals++
				}
			}
			for i, x := range logits {
				if x == largest {
					probs[i] = 1 / equals
				}
			}
			return probs
		}
	}
}

// nucleus-must-be-exceeded: tokens are kept until their sum is above topP, not until it reaches it
//
// Why: with probabilities 1/2, 1/4, 1/4 and topP 0.75 two tokens are the nucleus;
// here all three are kept.
func keepNucleus() {
	if right {
		if sum >= topP {
			probs[id] = 0
		}
	} else {
		if sum > topP {
			probs[id] = 0
		}
	}
}

// last-of-equals-first: the order is sorted upwards and turned around
//
// Why: of equals the first comes first; turned around, the last does, and the
// nucleus of equal tokens holds the wrong ones.
func keepNucleus() {
	if right {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probs[b], probs[a]) })
	} else {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probs[a], probs[b]) })
		slices.Reverse(order)
	}
}

// dart-between-0-and-1: the place on the line is rng.Float64(), whatever the probabilities sum to, and the last token takes what lies beyond
//
// Why: they need not sum to exactly 1: weights 1, 1, 2 never draw the later ones,
// and small ones draw the last too often, even where its probability is 0.
func Draw() {
	if right {
		u := rng.Float64() * total // 0 ≤ u < total: a place on a line on which token i has the length probs[i]
		sum := 0.0
		for id, p := range probs {
			sum += float64(p)
			if u < sum {
				return id
			}
		}
		panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
	} else {
		if !(total > 0) {
			panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
		}
		u := rng.Float64()
		sum := 0.0
		for id, p := range probs {
			sum += float64(p)
			if u < sum {
				return id
			}
		}
		return len(probs) - 1
	}
}

// last-token-instead-of-a-panic: where no token is found, Draw returns the last
//
// Why: probabilities with a NaN, and such that sum to 0, must panic; a model that
// has diverged would write its last token for ever.
func Draw() {
	if right {
		panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
	} else {
		return len(probs) - 1
	}
}

// text-grows-behind-the-prompt: new tokens are appended to the caller's prompt
//
// Why: a prompt that is part of a longer slice has room behind it: the caller's
// ids there are overwritten.
func (*LM) Generate() {
	if right {
		text := slices.Clone(prompt)
	} else {
		text := prompt
	}
}

// token-0-never-stops: a Stop of 0 is taken for none
//
// Why: −1 stands for none; the text goes on behind token 0, which is even part of it.
func (*LM) Generate() {
	if right {
		if next == s.Stop {
			break
		}
	} else {
		if s.Stop > 0 && next == s.Stop {
			break
		}
	}
}

// infinite-logits-accepted: only NaN counts as not finite
//
// Why: logits that are not finite are an error. With −Inf it writes on, with +Inf
// the softmax is NaN and Draw panics.
func (*LM) Generate() {
	if right {
		if slices.ContainsFunc(last, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
			return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
		}
	} else {
		if slices.ContainsFunc(last, func(x float32) bool { return math.IsNaN(float64(x)) }) {
			return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
		}
	}
}

// max-new-counts-the-prompt: generates until the whole text has MaxNew tokens
//
// Why: MaxNew bounds the new tokens; a prompt of five and MaxNew 6 gives one.
func (*LM) Generate() {
	if right {
		for range s.MaxNew {
			context := text[max(0, len(text)-m.Config.ContextLength):]
			logits, err := m.Forward([][]int{context})
			if err != nil {
				return nil, err
			}
			last := logits.Row(len(context) - 1)
			if slices.ContainsFunc(last, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
				return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
			}
			next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
			if next == s.Stop {
				break
			}
			text = append(text, next)
		}
	} else {
		for len(text) < s.MaxNew {
			context := text[max(0, len(text)-m.Config.ContextLength):]
			logits, err := m.Forward([][]int{context})
			if err != nil {
				return nil, err
			}
			last := logits.Row(len(context) - 1)
			if slices.ContainsFunc(last, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
				return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
			}
			next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
			if next == s.Stop {
				break
			}
			text = append(text, next)
		}
	}
}
