package bpe

import (
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// drawDense draws a vocabulary of joins of four letters, first most of those of two, then
// of three and of four, so that many pairs of a word can merge and each is in the way of
// others.
func drawDense(e *course.Exam) (wire.Values, error) {
	var tokens []string
	for b := range 256 {
		tokens = append(tokens, string([]byte{byte(b)}))
	}
	letters := e.Rng.Perm(26)[:4]
	there := []int64{}
	for i := range letters {
		letters[i] += 'a'
		there = append(there, int64(letters[i]))
	}
	merges := wire.Ints([]int64{}, 0, 2)
	for _, round := range []struct{ length, most int }{{2, 14}, {3, 40}, {4, 30}} {
		joins := joinsOf(tokens, there, round.length)
		e.Rng.Shuffle(len(joins), func(i, j int) { joins[i], joins[j] = joins[j], joins[i] })
		end := len(tokens) + round.most
		for _, p := range joins {
			if made := tokens[p[0]] + tokens[p[1]]; len(tokens) < end && !slices.Contains(tokens, made) {
				merges.I64, there = append(merges.I64, p[0], p[1]), append(there, int64(len(tokens)))
				tokens = append(tokens, made)
				merges.Shape[0]++
			}
		}
	}
	in := wire.Values{"merges": merges, "special_ids": wire.Ints([]int64{}, 0)}
	in["vocab"], in["vocab_lengths"] = joined(tokens)
	in = shuffled(e.Rng, in)
	var text strings.Builder
	for range 60 {
		for range course.Between(e.Rng, 3, 14) {
			text.WriteByte(byte(letters[e.Rng.IntN(len(letters))]))
		}
		text.WriteByte(' ')
	}
	in["text"] = ofBytes(text.String())
	return in, nil
}

// joinsOf returns all pairs of some tokens that have so many bytes together.
func joinsOf(tokens []string, some []int64, length int) [][2]int64 {
	var all [][2]int64
	for _, left := range some {
		for _, right := range some {
			if len(tokens[left])+len(tokens[right]) == length {
				all = append(all, [2]int64{left, right})
			}
		}
	}
	return all
}

// drawAlike draws a text of long words that differ in one letter: the last, the first or
// the one in the middle.
func drawAlike(e *course.Exam) (wire.Values, error) {
	in, err := drawDense(e)
	if err != nil {
		return nil, err
	}
	letters := in["text"].I64[:4] // of a word
	var text strings.Builder
	for _, n := range []int{12, 20, 40, 70, 140, 270, 600} {
		word := make([]byte, n)
		for i := range word {
			word[i] = byte(letters[e.Rng.IntN(3)])
		}
		for _, at := range []int{n - 1, 0, n / 2} {
			for _, letter := range letters[:3] {
				word[at] = byte(letter)
				text.WriteString(string(word) + " ")
			}
		}
	}
	in["text"] = ofBytes(text.String())
	return in, nil
}
