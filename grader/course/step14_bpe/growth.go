package bpe

import (
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

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

// encodesLong encodes the beginning of a pre-token and one that is sixteen times as long,
// and at last one of a million bytes.
func encodesLong(e *course.Exam) error {
	const (
		small, large = 2 << 10, 32 << 10
		most         = 64 // of a linear program 16 to 25, of a quadratic one 256
	)
	letter := byte('a' + e.Rng.IntN(26))
	timed := func(sizes ...int64) (seconds []float64, asked lang.Text, err error) {
		n := int(slices.Max(sizes))
		in := doubling(letter)
		in["text"], in["sizes"] = ofBytes(strings.Repeat(string([]byte{letter}), n)), wire.Ints(sizes, len(sizes))
		out, err := e.Ask("bpe.encode.growth", in)
		if err != nil {
			return nil, asked, err
		}
		if want := runOf(letter, n); !slices.Equal(out["ids"].I64, want) {
			return nil, asked, e.Fails("bpe.encode.growth", in, "a pre-token of %d times the letter %c gives %d tokens; want %d: as many of the longest as there can be, and then the rest", n, letter, out["ids"].Len(), len(want))
		}
		if v := out["seconds"]; v.DType != wire.F64 || v.Len() != len(sizes) {
			return nil, asked, e.Fails("bpe.encode.growth", in, "seconds is %s; want %d times in seconds", v, len(sizes))
		}
		return out["seconds"].F64, e.Asked("bpe.encode.growth", in), nil
	}
	compared := func(small, large int64) error {
		limit := course.Limit{Ratio: most, Sure: course.Steady, Says: func(p course.Pace) lang.Text {
			return lang.T("a pre-token of %d bytes takes %.3g ms and one of %d bytes %.3g ms, %.1f times as long; want less than %d times. "+
				"A pre-token of n bytes has up to n merges: do not go through all of it, or move what is behind, for each of them.",
				small, 1e3*p.Other, large, 1e3*p.Own, p.Ratio(), most)
		}}
		return limit.Decide(func() (course.Pace, error) {
			seconds, asked, err := timed(small, large)
			if err != nil {
				return course.Pace{}, err
			}
			return course.Pace{Asked: asked, Own: seconds[1], Other: seconds[0]}, nil
		})
	}
	if err := compared(small, large); err != nil {
		return err
	}
	n := 1<<20 + e.Rng.Int64N(1<<16)
	return compared(n/16, n)
}
