package kvcache

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// workDone counts the multiplications of every call. Whoever feeds the text again needs
// more than tenfold, whoever runs the head for the whole prompt twofold.
func workDone() func(*course.Exam) error {
	return course.Grows(course.Growth{Function: "kvcache.last", Size: "p", Sizes: []int{40},
		Draw: func(rng *rand.Rand, prompt int) wire.Values { return drawLarge(rng, 960, prompt) }, // a head that weighs as much as a layer
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.25, Of: multiplications,
			Advice: lang.T("New tokens go through every layer once, and of the old ones their keys and values are there. The head works for the last token of a row.")}}})
}

// multiplications is what a call of Last needs if each token looks at all T_max places,
// which is more than there are tokens.
func multiplications(in wire.Values, call int) float64 {
	vocab, d := in["lm_head.weight"].Shape[0], in["lm_head.weight"].Shape[1]
	f, layers, keys, n := in["layers.0.ffn.w1.weight"].Shape[0], 2, int(in["max_len"].I64[0]), int(in["calls"].I64[call])
	return float64(n*layers*(4*d*d+3*d*f+2*keys*d) + vocab*d)
}

// nothingCopied looks at the memory that a call of one token allocates behind a long
// prompt: a part of what the cache holds at most. Whoever appends by copying
// allocates all of it for every token, whoever makes RoPE's tables anew for a single head
// a third.
func nothingCopied() func(*course.Exam) error {
	const prompt = 300
	return course.Grows(course.Growth{Function: "kvcache.last", Size: "p", Sizes: []int{prompt}, From: 2, // the first such call may find buffers too large or too small
		Draw: func(rng *rand.Rand, prompt int) wire.Values {
			return sizes{vocab: 64, d: 48, f: 64, heads: 1, layers: 2, context: prompt + 20, maxLen: prompt + 10, rows: 1, calls: []int{prompt, 1, 1, 1, 3, 1}}.draw(rng)
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 1.0 / 8, Of: held,
			Advice: lang.T("That is an eighth of all the keys and values that were read. They seem to be copied for every token, or something is made anew for each of them.")}}})
}

// held is how many bytes all keys and values have that were read before a call of one token.
func held(in wire.Values, call int) float64 {
	if in["calls"].I64[call] != 1 {
		return math.Inf(1)
	}
	past, d, layers := 0, in["lm_head.weight"].Shape[1], 2
	for _, n := range in["calls"].I64[:call] {
		past += int(n)
	}
	const float32Bytes = 4
	return float64(2 * layers * past * d * float32Bytes)
}

// roomIsFree compares calls of caches that have read the same and have room for few tokens
// and for many.
func roomIsFree() func(*course.Exam) error {
	advice := lang.T("A call costs what was read, and not what there is room for: make no tables, copy nothing and clear nothing for all T_max places.")
	return course.Grows(course.Growth{Function: "kvcache.last", Size: "T_max", Sizes: []int{40, 20_000}, From: 2,
		Draw: func(rng *rand.Rand, maxLen int) wire.Values {
			return sizes{vocab: 40, d: 48, f: 64, heads: 1, layers: 2, context: 20_001, maxLen: maxLen, rows: 1, calls: []int{20, 1, 1, 1, 1, 1, 1, 1}}.draw(rng)
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 2, Free: 32 << 10, Advice: advice}, {Cost: course.Seconds, Most: 3, Advice: advice}}})
}

// weightsStay looks at what a call allocates beside large weights.
func weightsStay() func(*course.Exam) error {
	return course.Grows(course.Growth{Function: "kvcache.last", Size: "V", Sizes: []int{3000}, From: 2,
		Draw: func(rng *rand.Rand, vocab int) wire.Values {
			return sizes{vocab: vocab, d: 48, f: 64, heads: 3, layers: 2, context: 12, maxLen: 10, rows: 1, calls: []int{4, 1, 1, 1}}.draw(rng)
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 1.0 / 4, Of: func(in wire.Values, _ int) float64 { return 4 * float64(in["lm_head.weight"].Len()) },
			Advice: lang.T("That is a quarter of the table of embeddings. A call reads the weights where they are, and copies none.")}}})
}

// nothingStays lets a cache read many tokens and looks at the memory in use.
func nothingStays() func(*course.Exam) error {
	const calls, early = 220, 20
	return course.Grows(course.Growth{Function: "kvcache.last", Size: "C", Sizes: []int{calls}, Look: [2]int{early, calls},
		Draw: func(rng *rand.Rand, calls int) wire.Values {
			return sizes{vocab: 16, d: 48, f: 16, heads: 3, layers: 1, context: 2*calls + 20, maxLen: 2*calls + 10, rows: 1, calls: slices.Repeat([]int{2}, calls)}.draw(rng)
		},
		Bounds: []course.Bound{{Cost: course.Kept, Free: 16 << 10,
			Advice: lang.T("All memory of a cache is there when New returns. What a call works with is used again by the next, and what nobody reads again is not kept.")}}})
}
