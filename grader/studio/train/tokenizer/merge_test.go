package tokenizer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// search is what merge computes, as run.c does it: it looks through all neighbours for
// every join.
func search(p *Pieces, ids []int) []int {
	for {
		best, at, score := 0, -1, float32(math.Inf(-1))
		for i := range len(ids) - 1 {
			id, ok := p.joined(ids[i], ids[i+1])
			if ok && (at < 0 || p.scores[id] > score) {
				best, at, score = id, i, p.scores[id]
			}
		}
		if at < 0 {
			return ids
		}
		ids[at] = best
		ids = append(ids[:at+1], ids[at+2:]...)
	}
}

// drawn is a tokenizer of random pieces of a and b, with few scores, so that many are
// equal, some infinite, and pieces of bytes that are written as texts.
func drawn(t *testing.T, rng *rand.Rand) *Pieces {
	all := pieces(piece{" ", -9}, piece{"a", -9}, piece{"b", -9}, piece{"<0xC3><0xB6>", -1}, piece{"", -1})
	for range 40 {
		var text strings.Builder
		for range 2 + rng.IntN(6) {
			text.WriteString(string(" ab"[rng.IntN(3)]))
		}
		score := []float32{-1, -2, -3, float32(math.Inf(-1)), float32(math.Inf(1))}[rng.IntN(5)]
		all = append(all, piece{text.String(), score})
	}
	return read(t, all)
}

func TestMergeIsTheSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		p := drawn(t, rng)
		ids := []int{begin}
		for range rng.IntN(60) {
			ids = append(ids, []int{259, 260, 261, FirstByte + 0xC3, FirstByte + 0xB6, 263}[rng.IntN(6)])
		}
		want := search(p, append([]int(nil), ids...))
		require.Equal(t, want, merge(ids, p.scores, p.joined), fmt.Sprint("round ", round))
	}
}

// Eight times the text asks for eight times as many pairs, and not for 64 times.
func TestMergeOfALongText(t *testing.T) {
	p := read(t, small())
	asked := func(n int) (times int) {
		ids := []int{begin}
		for range n {
			ids = append(ids, 260, 261)
		}
		merge(ids, p.scores, func(left, right int) (int, bool) {
			times++
			return p.joined(left, right)
		})
		return times
	}
	require.LessOrEqual(t, asked(8000), 9*asked(1000))
}
