package trial

import (
	"math"

	"github.com/stubformer/stubformer/grader/course/milestone"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/corpus"
)

// Floor is the loss that no such model can stay below on the text that it is
// measured on. Of a table it is exact: the conditional entropy of the pairs of
// characters in that very text. Of the others it is the entropy of the grammar.
func Floor(m milestone.Milestone) float64 {
	if !m.Table {
		return corpus.VillageEntropy()
	}
	_, text := run.Village()
	pairs, firsts := map[[2]rune]float64{}, map[rune]float64{}
	runes := []rune(text)
	for i, next := range runes[1:] {
		pairs[[2]rune{runes[i], next}]++
		firsts[runes[i]]++
	}
	sum := 0.0
	for pair, n := range pairs {
		sum -= n * math.Log(n/firsts[pair[0]])
	}
	return sum / float64(len(runes)-1)
}
