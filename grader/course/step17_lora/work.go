package lora

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// large has few rows: who makes the product of B and A in every call needs three times as
// many multiplications for it as for all the rest.
func large(rows int) sizes { return sizes{lead: []int{rows}, in: 96, out: 80, rank: 7} }

// work counts the multiplications of both passes: x·W₀ᵀ and dy·W₀, and six narrow products.
// The gradient of W₀ would be half as many again.
func work() func(*course.Exam) error {
	needed := func(in wire.Values, _ int) float64 {
		i, o, r := in["w"].Shape[1], in["w"].Shape[0], in["a"].Shape[0]
		return float64(in["x"].Len() / i * (2*i*o + 3*r*(i+o)))
	}
	return course.Grows(course.Growth{Function: "lora.backward", Size: "N", Sizes: []int{5}, Output: "dx",
		Draw: func(rng *rand.Rand, rows int) wire.Values { return withGradient(large(rows).draw(rng), rng) },
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.1, Of: needed,
			Advice: lang.T("Two products with W₀, x·W₀ᵀ and dy·W₀, and six narrow ones: B·A is not made for a call, and W₀ gets no gradient.")}}})
}

// mergedWork counts those of a merged layer: the adapter costs nothing.
func mergedWork() func(*course.Exam) error {
	needed := func(in wire.Values, _ int) float64 { return float64(in["x"].Len() * in["w"].Shape[0]) }
	return course.Grows(course.Growth{Function: "lora.merged", Size: "N", Sizes: []int{5}, Output: "y",
		Draw: func(rng *rand.Rand, rows int) wire.Values {
			return course.With(large(rows).draw(rng), "turns", wire.Ints([]int64{1}, 1))
		},
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.01, Of: needed,
			Advice: lang.T("The adapter is in the weight: Forward of a merged layer is one product.")}}})
}

// stays looks at the memory in use when a layer has been asked many times.
func stays() func(*course.Exam) error {
	return course.Grows(course.Growth{Function: "lora.backward", Size: "N", Sizes: []int{150}, Look: [2]int{3, 23}, Output: "dx",
		Draw: func(rng *rand.Rand, rows int) wire.Values {
			return withGradient(sizes{lead: []int{rows}, in: 40, out: 30, rank: 3}.draw(rng), rng)
		},
		Bounds: []course.Bound{{Cost: course.Kept, Free: 32 << 10,
			Advice: lang.T("A layer keeps what its last Forward was given, and nothing of those before.")}}})
}

// room counts what both passes allocate in a steady step, and keep: nothing that is as
// large as the weight.
func room() func(*course.Exam) error {
	held := func(in wire.Values, _ int) float64 { return 4 * float64(in["w"].Len()) }
	advice := lang.T("That is as much as a quarter of the weight. What a pass works with is as narrow as the adapter or as long as the rows, and is used again by the next.")
	return course.Grows(course.Growth{Function: "lora.backward", Size: "I", Sizes: []int{300}, From: 2,
		Look: [2]int{3, 9}, Output: "dx",
		Draw: func(rng *rand.Rand, in int) wire.Values {
			return withGradient(sizes{lead: []int{3}, in: in, out: 260, rank: 4}.draw(rng), rng)
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 1.0 / 4, Of: held, Advice: advice},
			{Cost: course.Kept, Most: 1.0 / 4, Of: held, Advice: advice}}})
}
