package run

import "github.com/stubformer/stubformer/reference/corpus"

// The texts of the milestones: one to learn from, and one that is kept back to
// measure on, drawn from the same grammar with another seed.
const (
	learnedChars  = 300_000
	measuredChars = 20_000
)

// Village returns the texts of the milestones.
func Village() (learned, measured string) {
	return corpus.Village(1, learnedChars), corpus.Village(2, measuredChars)
}
