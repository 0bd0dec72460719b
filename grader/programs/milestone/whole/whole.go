// Package whole is the Transformer of step 10 as the milestones train it.
package whole

import (
	"math/rand/v2"

	early "github.com/stubformer/stubformer/grader/programs/milestone"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// Recipe is how it is trained; whoever does it with an optimiser of their own sets
// that.
func Recipe() early.Recipe { return early.Recipe{Context: 32, Batch: 16, Steps: 700, Rate: 0.003} }

// New returns the model for a vocabulary.
func New(vocab int) early.Model {
	return model{lm.New(lm.Config{VocabSize: vocab, ContextLength: Recipe().Context, DModel: 48, NumLayers: 2, NumHeads: 4,
		DFF: 128, RopeTheta: 10_000}, 1)}
}

// model is an early.Model that writes by itself.
type model struct{ *lm.LM }

// Write is Generate.
func (m model) Write(prompt []int, tokens int, temperature float64, rng *rand.Rand) ([]int, error) {
	return m.Generate(prompt, lm.Sampling{MaxNew: tokens, Temperature: temperature, TopP: 1, Stop: -1}, rng)
}
