package flash

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// The width and the tiles of a long text.
const (
	width        = 8
	tileN, tileM = 120, 250
)

// long draws one text of n tokens.
func long(rng *rand.Rand, n int) wire.Values {
	in := wire.Values{"tile_n": wire.Int(tileN), "tile_m": wire.Int(tileM)}
	for _, name := range []string{"q", "k", "v", "dy"} {
		in[name] = course.Normal(rng, 1, n, width)
	}
	return in
}

// memory counts what both passes of a long text allocate, and what they keep: some
// arrays of N rows, and some tiles. A row of scores for every query is hundreds of times
// as much, and a row of a tile for every query more than both.
func memory(n int) func(*course.Exam) error {
	const float32Bytes, arrays, tiles = 4, 12, 8
	room := func(wire.Values, int) float64 {
		return float32Bytes * float64(arrays*n*width+tiles*tileN*tileM)
	}
	advice := lang.T("That is room for twelve arrays of (N, K) and eight tiles. Too many are the scores of all queries, N times N; those of all queries with a tile of keys, or of a tile of queries with all keys; and whatever is allocated anew in every tile. Keep one tile, L, and what is returned.")
	return course.Grows(course.Growth{Function: "flash.long", Size: "N", Sizes: []int{n}, Look: [2]int{0, 2}, Draw: long,
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 1, Of: room, Advice: advice}, {Cost: course.Kept, Most: 1, Of: room, Advice: advice}}})
}

// work counts the multiplications of both passes: seven products of N·N/2·K, in each of
// which the half that the mask hides is left out. Whoever leaves out nothing needs twice
// as many; who takes the scores once more for dk and dv, nine instead of seven.
func work() func(*course.Exam) error {
	need := func(in wire.Values, _ int) float64 {
		n := float64(in["q"].Shape[0])
		return 7 * width * n * (n + tileM) / 2
	}
	return course.Grows(course.Growth{Function: "flash.long", Size: "N", Sizes: []int{3000}, Draw: long,
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.5, Of: need, Advice: leftOut()}}})
}

// workBetween is work for n queries and m keys, of which the mask leaves the last m queries,
// or all, those up to their own.
func workBetween(n, m int) func(*course.Exam) error {
	const tile = 30
	draw := func(rng *rand.Rand, _ int) wire.Values {
		return withGradient(sizes{nil, n, m, width, width, 1, tile, tile}.draw)(rng)
	}
	need := func(wire.Values, int) float64 {
		seeing := min(n, m) // queries; the first of them sees one key, or m − n + 1
		return 7 * width * float64(seeing) * (float64(m) - float64(seeing)/2 + tile)
	}
	return course.Grows(course.Growth{Function: "flash.backward", Size: "N", Sizes: []int{n}, Draw: draw,
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.4, Of: need, Advice: leftOut()}}})
}

func leftOut() lang.Text {
	return lang.T("Under the causal mask half of the scores are hidden. A tile of keys that all queries of a tile may not attend to needs no products, in Forward and in Backward.")
}
