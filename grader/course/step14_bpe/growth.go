package bpe

import (
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/wire"
)

// growth is how much longer than a small task a large one took, in a processor's time.
type growth struct {
	asked        lang.Text
	small, large float64 // seconds
}

func (g growth) ratio() float64 { return g.large / g.small }

// How often a task is timed, and how often it must have grown too much, while the
// control grew as it should, before it is said to.
const (
	attempts = 6
	tooMuch  = 3
)

// below wants a ratio below a limit, once. A machine on which a plain loop does not take
// four times as long for four times as much decides nothing: the check is then left out.
func below(limit float64, advice lang.Text, measure func() (growth, error)) error {
	var best growth
	for slow, attempt := 0, 0; attempt < attempts; attempt++ {
		g, err := measure()
		if err != nil || g.ratio() < limit {
			return err
		}
		if attempt == 0 || g.ratio() < best.ratio() {
			best = g
		}
		if steady() {
			slow++
		}
		if slow == tooMuch {
			return &verdict.Failure{Kind: verdict.TooSlow, Asked: best.asked,
				Message: lang.T("the small task takes %.3g ms and the large one %.3g ms, %.1f times as long; want less than %g times. %s",
					1e3*best.small, 1e3*best.large, best.ratio(), limit, advice)}
		}
	}
	return &course.LeftOut{Why: lang.T("this machine is too busy to time them")}
}

// steady reports whether four times the work takes about four times as long here and now.
func steady() bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x := uint64(1)
	work := func(n int) float64 {
		best := math.Inf(1)
		for range 3 {
			start := cputime.Thread()
			for range n {
				x = x*6364136223846793005 + 1
			}
			best = min(best, (cputime.Thread() - start).Seconds())
		}
		return best
	}
	ratio := work(8<<20) / work(2<<20)
	return x != 0 && 3 < ratio && ratio < 5.5
}

// doublings is how many merges double the length of a run: the last makes 2^doublings.
const doublings = 10

// doubling is a vocabulary of which the tokens beyond the bytes are runs of one letter.
func doubling(letter byte) wire.Values {
	var tokens []string
	for b := range 256 {
		tokens = append(tokens, string([]byte{byte(b)}))
	}
	merges := wire.Ints([]int64{}, doublings, 2)
	last := int64(letter)
	for i := range doublings {
		merges.I64 = append(merges.I64, last, last)
		last = int64(256 + i)
		tokens = append(tokens, strings.Repeat(string([]byte{letter}), 2<<i))
	}
	in := wire.Values{"merges": merges, "special_ids": wire.Ints([]int64{}, 0)}
	in["vocab"], in["vocab_lengths"] = joined(tokens)
	return in
}

// runOf is how a run of n letters is encoded: as many of the longest token as there can
// be, then the binary digits of what is left.
func runOf(letter byte, n int) []int64 {
	ids := slices.Repeat([]int64{255 + doublings}, n>>doublings)
	for i := doublings - 1; i > 0; i-- {
		if n>>i&1 == 1 {
			ids = append(ids, int64(255+i))
		}
	}
	if n&1 == 1 {
		ids = append(ids, int64(letter))
	}
	return ids
}

// encodesLong encodes beginnings of one pre-token, each four times as long as the one
// before, and at last one of a million bytes.
func encodesLong(e *course.Exam) error {
	const limit = 9 // between 4 and 16, of a linear and of a quadratic program
	letter := byte('a' + e.Rng.IntN(26))
	timed := func(turns int, sizes ...int64) (growth, error) {
		n := int(slices.Max(sizes))
		in := doubling(letter)
		in["text"], in["sizes"] = ofBytes(strings.Repeat(string([]byte{letter}), n)), wire.Ints(sizes, len(sizes))
		in["turns"] = wire.Int(turns)
		out, err := e.Ask("bpe.encode.growth", in)
		if err != nil {
			return growth{}, err
		}
		if want := runOf(letter, n); !slices.Equal(out["ids"].I64, want) {
			return growth{}, e.Fails("bpe.encode.growth", in, "a pre-token of %d times the letter %c gives %d tokens; want %d: as many of the longest as there can be, and then the rest", n, letter, out["ids"].Len(), len(want))
		}
		return grown(e, "bpe.encode.growth", in, out)
	}
	for _, size := range []int64{2 << 10, 32 << 10} {
		err := below(limit, lang.T("A pre-token of n bytes has up to n merges: do not go through all of it, or move what is behind, for each of them."),
			func() (growth, error) { return timed(2, size+e.Rng.Int64N(size/16), 4*size+e.Rng.Int64N(size/16)) })
		if err != nil {
			return err
		}
	}
	_, err := timed(1, 1<<20+e.Rng.Int64N(1<<16))
	return err
}

// grown returns the times of the first and of the last size.
func grown(e *course.Exam, function string, in, out wire.Values) (growth, error) {
	seconds := out["seconds"]
	if n := in["sizes"].Len(); seconds.DType != wire.F64 || seconds.Len() != n || !(slices.Min(seconds.F64) > 0) {
		return growth{}, e.Fails(function, in, "seconds is %s; want %d times in seconds", seconds, n)
	}
	return growth{e.Asked(function, in), seconds.F64[0], seconds.F64[len(seconds.F64)-1]}, nil
}

// learnsIncrementally learns few tokens and many from a text of many different words.
func learnsIncrementally(e *course.Exam) error {
	const (
		limit     = 7 // right programs take 2 to 4 times as long, one that counts everything again 12 times
		few, many = 20, 240
	)
	syllables := make([]string, 40)
	for i := range syllables {
		for range course.Between(e.Rng, 2, 3) {
			syllables[i] += string(rune('a' + e.Rng.IntN(26)))
		}
	}
	var text strings.Builder
	for range 1500 {
		for range course.Between(e.Rng, 2, 4) {
			text.WriteString(syllables[e.Rng.IntN(len(syllables))])
		}
		text.WriteByte(' ')
	}
	in := wire.Values{"text": ofBytes(text.String()), "sizes": wire.Ints([]int64{256 + few, 256 + many}, 2), "turns": wire.Int(2)}
	asked := wire.Values{"text": in["text"], "vocab_size": wire.Int(256 + many)}
	asked["special"], asked["special_lengths"] = joined(nil)
	want, err := e.Solve("bpe.train")(asked)
	if err != nil {
		return err
	}
	return below(limit, lang.T("Count everything once; after a merge, change the counts of what stood in the words that hold its pair, and of nothing else."),
		func() (growth, error) {
			out, err := e.Ask("bpe.train.growth", in)
			if err != nil {
				return growth{}, err
			}
			if err := e.Compare("bpe.train.growth", in, out, wire.Values{"merges": want["merges"]}, []string{"merges"}, func(string) float64 { return 0 }); err != nil {
				return growth{}, err
			}
			return grown(e, "bpe.train.growth", in, out)
		})
}
