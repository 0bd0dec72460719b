package formats

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// layerOf draws a layer of the given sizes, with groups of 32 where group is 0.
func layerOf(rows, in, out, group int) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		v := wire.Values{"x": course.Normal(rng, 1, rows, in), "w": course.Normal(rng, 1, out, in)}
		if group > 0 {
			v["group"] = wire.Int(group)
		}
		return v
	}
}

// onceOnly checks that the first call makes integers of the weight, and keeps them and
// nothing else, and that later ones work with these.
func onceOnly(function string) func(*course.Exam) error {
	const in, out = 330, 500
	group := 64
	if function == "int4.linear" {
		group = 0
	}
	draw := func(rng *rand.Rand, rows int) wire.Values { return layerOf(rows, in, out, group)(rng) }
	weight := func(wire.Values, int) float64 { return in * out }
	advice := lang.T("The weight becomes integers in the first call, and stays so; later calls read these as they are.")
	return course.All(
		course.Grows(course.Growth{Function: function, Size: "N", Sizes: []int{1}, Look: [2]int{0, 2}, Draw: draw,
			Bounds: []course.Bound{{Cost: course.Kept, Most: 2, Of: weight, Advice: lang.T("The layer keeps a byte for each number of the weight, and scales. A copy of the weight in float32 takes four.")}}}),
		course.Grows(course.Growth{Function: function, Size: "N", Sizes: []int{2}, From: 1, Look: [2]int{3, 40}, Draw: draw,
			Bounds: []course.Bound{{Cost: course.Allocated, Most: 1.0 / 4, Of: weight, Advice: advice},
				{Cost: course.Kept, Free: 16 << 10, Advice: lang.T("What a call works with is used again by the next, and what nobody reads again is not kept.")}}}),
		course.Grows(course.Growth{Function: function, Size: "N", Sizes: []int{16, 1}, From: 1, Look: [2]int{1, 4}, Draw: draw, // a sixteenth, if nothing is done for all rows together
			Bounds: []course.Bound{{Cost: course.Seconds, Most: 1.0 / 5, Advice: advice}}}))
}
