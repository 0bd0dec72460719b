package bpe

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// learnsIncrementally learns many tokens from a text of which they concern a small part:
// few words that come again and again, among many that come once. It is compared with the
// counting of all pairs, which a program that counts again does for every token.
func learnsIncrementally(e *course.Exam) error {
	const (
		tokens = 256
		most   = 60 // counts; right programs take 12 to 30, those that count again 250, and 130 in a table of all pairs
	)
	limit := course.Limit{Ratio: most, Sure: course.Steady, Says: func(p course.Pace) lang.Text {
		return lang.T("%d tokens are learnt in %.3g ms of a processor's time, in which all pairs of the text can be counted %.0f times; want less than %d times. "+
			"Count everything once; after a merge, change the counts of what stood in the words that hold its pair, and of nothing else.",
			tokens, 1e3*p.Own, p.Ratio(), most)
	}}
	return limit.Decide(func() (course.Pace, error) {
		often, once := drawWords(e.Rng)
		asked := wire.Values{"text": ofBytes(often), "vocab_size": wire.Int(256 + tokens)}
		asked["special"], asked["special_lengths"] = joined(nil)
		want, err := e.Solve("bpe.train")(asked)
		if err != nil {
			return course.Pace{}, err
		}
		in := wire.Values{"text": ofBytes(mixed(e.Rng, often, once)), "vocab_size": asked["vocab_size"]}
		out, err := e.Ask("bpe.train.time", in)
		if err != nil {
			return course.Pace{}, err
		}
		exact := func(string) float64 { return 0 }
		if err := e.Compare("bpe.train.time", in, out, wire.Values{"merges": want["merges"]}, []string{"merges"}, exact); err != nil {
			return course.Pace{}, err
		}
		own, counting := out["own"], out["counting"]
		if own.DType != wire.F64 || counting.DType != wire.F64 || own.Len() != 1 || counting.Len() != 1 {
			return course.Pace{}, e.Fails("bpe.train.time", in, "own is %s and counting is %s; want two times in seconds", own, counting)
		}
		return course.Pace{Asked: e.Asked("bpe.train.time", in), Own: own.F64[0], Other: counting.F64[0]}, nil
	})
}

// drawWords draws two texts, with a word in every line. In the one are few words of
// capital letters, each so many times that a pair of theirs counts more than any of the
// other. In the other are many, of small letters, each once: they take long to count, and
// nothing of them is merged.
func drawWords(rng *rand.Rand) (often, once string) {
	const words, capitals = 3000, 60
	seen, counts, most := map[string]bool{}, map[string]int{}, 0
	var b strings.Builder
	for len(seen) < words {
		w := letters(rng, 'a', course.Between(rng, 8, 12))
		if seen[w] {
			continue
		}
		seen[w] = true
		b.WriteString(w + "\n")
		for i := range len(w) - 1 {
			counts[w[i:i+2]]++
			most = max(most, counts[w[i:i+2]])
		}
	}
	once = b.String()
	b.Reset()
	for range capitals {
		b.WriteString(strings.Repeat(letters(rng, 'A', course.Between(rng, 8, 12))+"\n", most+1+rng.IntN(most)))
	}
	return b.String(), once
}

// letters draws a word of n of the 26 letters from first on.
func letters(rng *rand.Rand, first byte, n int) string {
	word := make([]byte, n)
	for i := range word {
		word[i] = first + byte(rng.IntN(26))
	}
	return string(word)
}

// mixed returns the lines of two texts in any order.
func mixed(rng *rand.Rand, texts ...string) string {
	lines := slices.Collect(strings.Lines(strings.Join(texts, "")))
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return strings.Join(lines, "")
}
