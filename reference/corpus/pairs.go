package corpus

import (
	"math/rand/v2"
	"slices"
)

// The tasks in which a text is read and another is written.
const (
	ReversalName    = "reversal"    // letters, from the last to the first
	TranslationName = "translation" // a sentence of the village, from English to Chinese
)

// TaskNames returns them.
func TaskNames() []string { return []string{ReversalName, TranslationName} }

// Pair is a text that is read and the one text that is right to write.
type Pair struct{ Source, Target string }

// LongestReversal is how many letters a text of the reversal has at most.
const LongestReversal = 20

// Reversals returns n texts of one to twenty small letters, every length and every letter as
// often as any other, each with the same letters from the last to the first. The same seed
// gives the same texts; those to learn from and those that are kept back have none in common.
func Reversals(seed uint64, n int, heldOut HeldOut) []Pair {
	rng := rand.New(rand.NewPCG(seed, 0x72657665727365)) // "reverse"
	pairs := make([]Pair, 0, n)
	for len(pairs) < n {
		source := make([]byte, 1+rng.IntN(LongestReversal))
		for i := range source {
			source[i] = 'a' + byte(rng.IntN(26))
		}
		target := slices.Clone(source)
		slices.Reverse(target)
		if p := (Pair{string(source), string(target)}); keptBack(p.Source) == heldOut {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// keptBack reports whether a text is held out, as one in eight is: whether the sum of its
// characters' code points is a multiple of eight. That depends on every character.
func keptBack(source string) HeldOut {
	sum := 0
	for _, c := range source {
		sum += int(c)
	}
	return sum%8 == 0
}
