package flash

import (
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// sizes are those of a call.
type sizes struct {
	lead         []int
	n, m, k, c   int
	causal       int
	tileN, tileM int
}

func (s sizes) draw(rng *rand.Rand) wire.Values {
	shape := func(last ...int) []int { return append(slices.Clone(s.lead), last...) }
	return wire.Values{"q": course.Normal(rng, 1.3, shape(s.n, s.k)...), "k": course.Normal(rng, 1.3, shape(s.m, s.k)...),
		"v": course.Normal(rng, 1, shape(s.m, s.c)...), "causal": wire.Int(s.causal), "tile_n": wire.Int(s.tileN), "tile_m": wire.Int(s.tileM)}
}

// drawSizes draws sizes of which no two are equal, and tiles that divide nothing; N is
// smaller than M or larger.
func drawSizes(rng *rand.Rand) sizes {
	n, k := course.Distinct(rng, 2, 7, 19), course.Distinct(rng, 2, 2, 6)
	s := sizes{lead: []int{course.Between(rng, 1, 3)}, n: n[0], m: n[1], k: k[0], c: k[1], causal: rng.IntN(2)}
	s.tileN, s.tileM = rest(rng, s.n), rest(rng, s.m)
	if rng.IntN(2) == 0 {
		s.lead = append(s.lead, course.Between(rng, 2, 3))
	}
	return s
}

// rest draws a size of a tile that does not divide n.
func rest(rng *rand.Rand, n int) int {
	for {
		if tile := course.Between(rng, 2, 5); n%tile != 0 {
			return tile
		}
	}
}

func drawForward(rng *rand.Rand) wire.Values  { return drawSizes(rng).draw(rng) }
func drawBackward(rng *rand.Rand) wire.Values { return withGradient(drawForward)(rng) }

// withGradient is a call of the backward function.
func withGradient(draw func(*rand.Rand) wire.Values) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		in := draw(rng)
		shape := slices.Clone(in["q"].Shape)
		shape[len(shape)-1] = in["v"].Shape[len(shape)-1]
		in["dy"] = course.Normal(rng, 1, shape...)
		return in
	}
}

// kinds are the calls that a single drawing would seldom come upon: more queries than
// keys, more keys than queries, as many, under the causal mask; maxima that rise or fall
// along the keys; one query; tiles of one score; one tile of all.
func kinds(function string) []course.Drawing {
	lead := []int{2}
	var all []course.Drawing
	for _, draw := range []func(*rand.Rand) wire.Values{
		sizes{lead, 17, 6, 4, 3, 1, 4, 4}.draw, sizes{lead, 6, 17, 4, 3, 1, 4, 3}.draw, sizes{lead, 13, 13, 3, 5, 1, 5, 3}.draw,
		sizes{lead, 13, 13, 3, 5, 1, 3, 5}.draw, sizes{lead, 1, 7, 4, 3, 1, 2, 3}.draw, sizes{lead, 5, 6, 4, 3, 1, 1, 1}.draw,
		sizes{nil, 9, 10, 4, 3, 1, 30, 40}.draw, sizes{nil, 270, 300, 3, 2, 1, 0, 0}.draw,
		along(1), along(-1),
	} {
		if function == "flash.backward" {
			draw = withGradient(draw)
		}
		all = append(all, course.Drawing{Function: function, Draw: draw})
	}
	return all
}

// along draws scores that grow along the keys, or fall, from tile to tile.
func along(direction float32) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		in := sizes{[]int{2}, 7, 11, 4, 3, 0, 3, 4}.draw(rng)
		for i, x := range in["q"].F32 {
			in["q"].F32[i] = max(x, -x) + 0.5
		}
		for i, x := range in["k"].F32 {
			in["k"].F32[i] = 0.2*x + direction*(float32(i/4%11)/4-1.25)
		}
		return in
	}
}

// wide has rows wider than the arrays that people set aside for one, and large is past
// the tiles and the leading indices that they count on.
func wide(rng *rand.Rand) wire.Values {
	return sizes{[]int{2}, 9, 11, 134, 131, 1, 4, 5}.draw(rng)
}

func large(rng *rand.Rand) wire.Values {
	return sizes{[]int{67}, 21, 37, 3, 2, 1, 17, 19}.draw(rng)
}

// drawMasked draws a random mask, one for all or one for every leading index, with a
// query that may attend nowhere and one that may attend to the last key alone.
func drawMasked(rng *rand.Rand) wire.Values { return drawSizes(rng).drawMasked(rng) }

// oneQuery is a call with a mask for one query, which is the first, the last, and all.
func oneQuery(rng *rand.Rand) wire.Values {
	in := sizes{[]int{2}, 1, 7, 4, 3, 0, 2, 3}.drawMasked(rng)
	for at := range in["mask"].Bool {
		in["mask"].Bool[at] = at%7 > 1 && at%7 != 4
	}
	return in
}

func (s sizes) drawMasked(rng *rand.Rand) wire.Values {
	in := s.draw(rng)
	delete(in, "causal")
	shape := []int{s.n, s.m}
	if rng.IntN(2) == 0 {
		shape = append(slices.Clone(s.lead), shape...)
	}
	mask := wire.Bools(nil, shape...)
	mask.Bool = make([]bool, mask.Len())
	for at := range mask.Bool {
		switch i, j := at/s.m%s.n, at%s.m; i {
		case s.n - 1:
		case 1:
			mask.Bool[at] = j == s.m-1
		default:
			mask.Bool[at] = rng.IntN(4) > 0
		}
	}
	in["mask"] = mask
	return in
}
