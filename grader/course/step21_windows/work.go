package windows

import (
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// width is K and C of a long text.
const width = 8

// long draws one text of n tokens.
func long(rng *rand.Rand, n int) wire.Values {
	in := wire.Values{}
	for _, name := range []string{"q", "k", "v", "dy"} {
		in[name] = course.Normal(rng, 1, n, width)
	}
	return in
}

// longWindow is a call of window.long.
func longWindow(window, sinks int) func(*rand.Rand, int) wire.Values {
	return func(rng *rand.Rand, n int) wire.Values {
		in := long(rng, n)
		in["window"], in["sinks"] = wire.Int(window), wire.Int(sinks)
		return in
	}
}

// block is how many queries may be taken together.
const block = 128

// windowMemory counts what both passes of a long text allocate, and what they keep: some
// arrays of N rows, and for every query some times what its block sees. The scores of all
// pairs are many times as much.
func windowMemory(n int) func(*course.Exam) error {
	const float32Bytes, arrays, scores, window, sinks = 4, 12, 3, 50, 3
	room := func(wire.Values, int) float64 {
		return float32Bytes * float64(n) * (arrays*width + scores*(block+window+sinks))
	}
	advice := lang.T("That is room for twelve arrays of (N, K) and, for every query, three times the scores of 128 + W + s keys. Too many are the scores of all queries and all keys, and whatever is allocated anew for every block.")
	return course.Grows(course.Growth{Function: "window.long", Size: "N", Sizes: []int{n}, Look: [2]int{0, 2}, Draw: longWindow(window, sinks),
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 1, Of: room, Advice: advice}, {Cost: course.Kept, Most: 1, Of: room, Advice: advice}}})
}

// windowWork counts the multiplications of both passes: seven products of N queries with
// what a block sees. Who multiplies with all keys and hides most of it needs many times as
// many.
func windowWork(sinks, window int) func(*course.Exam) error {
	need := func(in wire.Values, _ int) float64 {
		return 7 * width * float64(in["q"].Shape[0]) * float64(block+window+sinks)
	}
	return course.Grows(course.Growth{Function: "window.long", Size: "N", Sizes: []int{3000}, Draw: longWindow(window, sinks),
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.2, Of: need,
			Advice: lang.T("A block of queries that stand side by side sees the keys from the beginning of its first window to its last query, and the sinks. All others need no products.")}}})
}

// linearMemory is windowMemory for linear attention: arrays of N rows, states before every
// chunk, and the weights of some chunks.
func linearMemory(n int) func(*course.Exam) error {
	const float32Bytes, arrays, chunk = 4, 24, 50
	room := func(wire.Values, int) float64 {
		return float32Bytes * float64(arrays*n*width+4*(n/chunk+1)*width*(width+1)+10*chunk*chunk)
	}
	advice := lang.T("That is room for 24 arrays of (N, K), four states for every chunk, and the weights of ten chunks. Too many are the weights of all tokens, a state for every token, and whatever is allocated anew for every chunk.")
	return course.Grows(course.Growth{Function: "linattn.long", Size: "N", Sizes: []int{n}, Look: [2]int{0, 2}, Draw: longLinear(chunk),
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 1, Of: room, Advice: advice}, {Cost: course.Kept, Most: 1, Of: room, Advice: advice}}})
}

func longLinear(chunk int) func(*rand.Rand, int) wire.Values {
	return func(rng *rand.Rand, n int) wire.Values {
		in := long(rng, n)
		in["chunk"] = wire.Int(chunk)
		return in
	}
}

// linearWork counts the multiplications of both passes: for every token seven products with
// its chunk, and six with a state.
func linearWork() func(*course.Exam) error {
	const chunk = 50
	need := func(in wire.Values, _ int) float64 {
		return float64(in["q"].Shape[0]) * (7*chunk*(width+1) + 6*width*(width+1))
	}
	return course.Grows(course.Growth{Function: "linattn.long", Size: "N", Sizes: []int{3000}, Draw: longLinear(chunk),
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 2, Of: need,
			Advice: lang.T("A token meets the tokens of its chunk, and one state for all that came before. All other pairs need no products.")}}})
}

// streamWork counts the multiplications of calls behind a long prompt, and of the prompt:
// every token goes through every layer once and meets s + W keys.
func streamWork() func(*course.Exam) error {
	const window, sinks, d, f, vocab, layers = 10, 3, 24, 32, 16, 2
	need := func(in wire.Values, call int) float64 {
		n, keys := float64(in["calls"].I64[call]), float64(window+sinks)
		if n > 1 {
			keys += block + window // a prompt may be read in blocks
		}
		return n * (layers*(4*d*d+3*d*f+2*keys*d) + vocab*d)
	}
	return course.Grows(course.Growth{Function: "stream.forward", Size: "p", Sizes: []int{600},
		Draw: func(rng *rand.Rand, prompt int) wire.Values {
			return stream{vocab: vocab, d: d, f: f, heads: 3, layers: layers, context: 50, maxLen: prompt + 20, window: window, sinks: sinks,
				calls: []int{prompt, 1, 1, 3, 1}, sharp: 1}.draw(rng)
		},
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.25, Of: need,
			Advice: lang.T("A token goes through every layer once and meets s + W keys at the most, however many came before. A long prompt is read in pieces that meet their own window, not in one product of all with all.")}}})
}

// streamStays lets a cache read many tokens and looks at the memory in use.
func streamStays() func(*course.Exam) error {
	const calls, early = 220, 20
	return course.Grows(course.Growth{Function: "stream.forward", Size: "C", Sizes: []int{calls}, Look: [2]int{early, calls},
		Draw: func(rng *rand.Rand, calls int) wire.Values {
			return stream{vocab: 16, d: 48, f: 16, heads: 3, layers: 1, context: 30, maxLen: 2*calls + 10, window: 7, sinks: 2,
				calls: slices.Repeat([]int{2}, calls), sharp: 1}.draw(rng)
		},
		Bounds: []course.Bound{{Cost: course.Kept, Free: 16 << 10,
			Advice: lang.T("All memory of a cache is there when New returns: s + W keys and values for each layer. What a call works with is used again by the next, and what nobody reads again is not kept.")}}})
}

// roomIsFree compares calls of caches for short texts and for long ones.
func roomIsFree() func(*course.Exam) error {
	return course.Grows(course.Growth{Function: "stream.forward", Size: "T_max", Sizes: []int{40, 20_000}, From: 2,
		Draw: func(rng *rand.Rand, maxLen int) wire.Values {
			return stream{vocab: 40, d: 48, f: 64, heads: 1, layers: 2, context: 30, maxLen: maxLen, window: 9, sinks: 2,
				calls: []int{20, 1, 1, 1, 1, 1, 1, 1}, sharp: 1}.draw(rng)
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 2, Free: 32 << 10,
			Advice: lang.T("A call costs what the window shows, and not what there is room for: make no tables, copy nothing and clear nothing for all T_max positions.")}}})
}
