package moe

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// work counts the multiplications of both passes: three products for each of an expert's
// weights and of the router's. They grow with k and not with E: who lets every expert
// compute every token needs twelve times as many here, who fills the experts' tokens up to
// one number several times as many, since nearly all tokens want one expert.
func work(k int) func(*course.Exam) error {
	return course.Grows(course.Growth{Function: "moe.backward", Size: "T", Sizes: []int{90}, Output: "dx",
		Draw: func(rng *rand.Rand, tokens int) wire.Values {
			return withGradient(sizes{lead: []int{tokens}, d: 16, experts: 24, hidden: 33, k: k, crowded: true}.draw)(rng)
		},
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.1, Of: multiplications,
			Advice: lang.T("Three products of the chosen experts' tokens and no others, and the router's: the work grows with k, and not with the number of experts. Nothing is filled up with zeros.")}}})
}

func multiplications(in wire.Values, _ int) float64 {
	d, experts, f := in["router"].Shape[1], in["router"].Shape[0], in["w2"].Shape[1]
	tokens, k := in["x"].Len()/d, int(in["k"].I64[0])
	return float64(3 * (tokens*k*3*d*f + tokens*experts*d))
}

// room counts what both passes allocate in a steady step, and keep: nothing that is as
// large as the weights of the experts.
func room() func(*course.Exam) error {
	held := func(in wire.Values, _ int) float64 { return 4 * float64(in["w1"].Len()) }
	advice := lang.T("That is as much as a quarter of the experts' gates. The weights are read where they are, and what a pass works with is used again by the next.")
	return course.Grows(course.Growth{Function: "moe.backward", Size: "E", Sizes: []int{40}, From: 2, Look: [2]int{3, 9}, Output: "dx",
		Draw: func(rng *rand.Rand, experts int) wire.Values {
			return withGradient(sizes{lead: []int{12}, d: 32, experts: experts, hidden: 64, k: 2}.draw)(rng)
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 1.0 / 4, Of: held, Advice: advice}, {Cost: course.Kept, Most: 1.0 / 4, Of: held, Advice: advice}}})
}

// footprint counts what a layer of many experts holds after its first calls: room for the
// slots, a dozen times, and not for every token at every expert.
func footprint() func(*course.Exam) error {
	const k = 2
	held := func(in wire.Values, _ int) float64 {
		experts, width := in["router"].Shape[0], in["w2"].Shape[1]
		tokens, d := in["x"].Shape[0], in["x"].Shape[1]
		return 4 * float64(12*tokens*k*(d+width)+10*tokens*experts)
	}
	return course.Grows(course.Growth{Function: "moe.backward", Size: "E", Sizes: []int{48}, Look: [2]int{0, 3}, Output: "dx",
		Draw: func(rng *rand.Rand, experts int) wire.Values {
			return withGradient(sizes{lead: []int{64}, d: 96, experts: experts, hidden: 8, k: k}.draw)(rng)
		},
		Bounds: []course.Bound{{Cost: course.Kept, Most: 1, Of: held,
			Advice: lang.T("That is room for twelve arrays of the k·T slots, and for ten of the logits. Not every expert gets every token: put the slots one behind the other, those of one expert after those of another.")}}})
}
