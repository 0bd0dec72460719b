//go:build unlisted

package lm

import (
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// prompt-returned-too: Generate returns the prompt and the new tokens
//
// Why: only the new tokens are asked for.
func (*LM) Generate() {
	if right {
		return text[len(prompt):], nil
	} else {
		return text, nil
	}
}

// prompt-appended-to: new tokens are appended to the caller's prompt
//
// Why: where the prompt is a part of a longer slice, the tokens that follow it there are overwritten.
func (*LM) Generate() {
	if right {
		text := slices.Clone(prompt)
	} else {
		text := prompt
	}
}

// context-one-short: model reads only the last ContextLength − 1 tokens
//
// Why: once the text is as long as the context, the logits are those of a text that lacks its first token.
func (*LM) Generate() {
	if right {
		context := text[max(0, len(text)-m.Config.ContextLength):]
	} else {
		context := text[max(0, len(text)-max(1, m.Config.ContextLength-1)):]
	}
}

// row-of-the-prompts-end: every token is drawn from the logits after the prompt
//
// Why: the second token is drawn as if the first one had not been said.
func (*LM) Generate() {
	if right {
		last := logits.Row(len(context) - 1)
	} else {
		last := logits.Row(min(len(prompt), len(context)) - 1)
	}
}

// logits-not-looked-at: logits that are not finite are passed on
//
// Why: a model whose parameters have diverged makes Generate panic in Draw, where an error is due.
func (*LM) Generate() {
	if right {
		if slices.ContainsFunc(last, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
			return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
		}
	} else {
	}
}

// settings-clamped: temperature and topP out of range are moved to the nearest that is allowed
//
// Why: Distribution should panic for a temperature below 0 or a topP above 1 or not above 0.
func Distribution() {
	if right {
		if !(temperature >= 0) || !(topP > 0 && topP <= 1) {
			panic(fmt.Sprintf("Distribution: temperature %g and topP %g; want temperature ≥ 0 and 0 < topP ≤ 1", temperature, topP))
		}
	} else {
		temperature = max(temperature, 0)
		topP = min(max(topP, 1e-9), 1)
	}
}

// drawn-from-global-chance: Draw uses the generator of the package rand and not rng
//
// Why: the same rng gives other tokens in every run.
func Draw() {
	if right {
		u := rng.Float64() * total
	} else {
		u := rand.Float64() * total
	}
}

// sum-of-one-assumed: Draw takes the probabilities to sum to 1
//
// Why: with weights that sum to 4 only the first quarter of the line is ever hit; with a small sum the last token takes the rest.
func Draw(probs []float32, rng *rand.Rand) int {
	total := 0.0
	for _, p := range probs {
		total += float64(p)
	}
	if !(total > 0) {
		panic("Draw: the probabilities hold a NaN or sum to 0")
	}
	u, sum, last := rng.Float64(), 0.0, 0
	for id, p := range probs {
		if p == 0 {
			continue
		}
		last = id
		if sum += float64(p); u < sum {
			return id
		}
	}
	return last
}

// share-of-the-largest: tokens are kept whose probability is at least 1 − topP of the largest
//
// Why: this is "min-p"; the nucleus are the likeliest tokens until their sum reaches topP, which are other tokens.
func keepNucleus(probs []float32, topP float64) {
	largest, sum := kernel.Max(probs), float32(0)
	for id, p := range probs {
		if p < float32(1-topP)*largest {
			probs[id] = 0
		}
		sum += probs[id]
	}
	kernel.Scale(1/sum, probs)
}

// temperature-after-softmax: probabilities and not logits are divided by the temperature
//
// Why: the division cancels when the probabilities are made to sum to 1, so the temperature changes nothing.
func Distribution(logits []float32, temperature, topP float64) []float32 {
	if !(temperature >= 0) || !(topP > 0 && topP <= 1) {
		panic("Distribution: want temperature ≥ 0 and 0 < topP ≤ 1")
	}
	probs := make([]float32, len(logits))
	if temperature == 0 {
		probs[slices.Index(logits, kernel.Max(logits))] = 1
		return probs
	}
	copy(probs, logits)
	p := tensor.From(probs, len(probs))
	softmax.Softmax(p, p, 0)
	sum := 0.0
	for i, x := range probs {
		probs[i] = float32(float64(x) / temperature)
		sum += float64(probs[i])
	}
	kernel.Scale(float32(1/sum), probs)
	if topP < 1 {
		keepNucleus(probs, topP)
	}
	return probs
}
