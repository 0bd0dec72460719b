package paged

import (
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

const float32Bytes = 4

// nothingCopied looks at what ops allocate behind a long text.
func nothingCopied() func(*course.Exam) error {
	p := pool{layers: 2, heads: 2, width: 16, pages: 50, size: 16}
	return course.Grows(course.Growth{Function: "pages.script", Size: "T", Sizes: []int{500}, From: 2,
		Draw: func(rng *rand.Rand, tokens int) wire.Values {
			return p.script(rng, op{appends, 0, tokens}, op{attends, 0, 1}, op{forks, 0, 0}, op{appends, 1, 1}, op{appends, 0, 1}, op{forks, 1, 0}, op{attends, 2, 1}, op{cuts, 1, 300})
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 1.0 / 2,
			Of:     func(wire.Values, int) float64 { return float64(2 * p.layers * p.heads * p.width * 500 * float32Bytes) },
			Advice: lang.T("That is half of all keys and values of the text. A fork copies the table, an append one page at most, and attention reads the pages where they are.")}}})
}

// pagesAreThere looks at what an append of one token allocates that takes a page of many.
func pagesAreThere() func(*course.Exam) error {
	p := pool{layers: 2, heads: 2, width: 16, pages: 5, size: 400}
	return course.Grows(course.Growth{Function: "pages.script", Size: "S", Sizes: []int{p.size}, From: 1,
		Draw: func(rng *rand.Rand, size int) wire.Values {
			return p.script(rng, op{appends, 0, 1}, op{forks, 0, 0}, op{appends, 1, 1}, op{cuts, 0, 0}, op{appends, 0, 1})
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 1.0 / 4,
			Of: func(wire.Values, int) float64 {
				return float64(2 * p.layers * p.heads * p.width * p.size * float32Bytes)
			},
			Advice: lang.T("That is a quarter of a page. All memory of keys and values is there when NewPool returns: who takes a page takes its number.")}}})
}

// nothingStays lets a text come and go many times and looks at the memory in use.
func nothingStays() func(*course.Exam) error {
	return course.Grows(course.Growth{Function: "pages.script", Size: "C", Sizes: []int{200}, Look: [2]int{40, 200},
		Draw: func(rng *rand.Rand, calls int) wire.Values {
			ops := slices.Repeat([]op{{appends, 0, 5}, {appends, 0, 4}, {cuts, 0, 6}, {cuts, 0, 0}}, calls/4)
			return pool{layers: 1, heads: 2, width: 24, pages: 9, size: 4}.script(rng, ops...)
		},
		Bounds: []course.Bound{{Cost: course.Kept, Free: 16 << 10,
			Advice: lang.T("All memory of keys and values is there when NewPool returns, and a page that is given back is taken again.")}}})
}

// readWork counts the multiplications of calls in which several texts read.
func readWork() func(*course.Exam) error {
	m := model{vocab: 16, d: 24, f: 32, heads: 3, layers: 2, context: 400, sharp: 1}
	need := func(in wire.Values, call int) float64 {
		rows := in["ids"].Shape[0]
		total, keys := 0, in["prompt"].Shape[0]+in["ids"].Shape[1]
		for _, n := range in["calls"].I64[call*rows:][:rows] {
			total += int(n) * (m.layers*(4*m.d*m.d+3*m.d*m.f+2*keys*m.d) + m.vocab*m.d)
		}
		return float64(total)
	}
	return course.Grows(course.Growth{Function: "paged.forward", Size: "p", Sizes: []int{100},
		Draw: func(rng *rand.Rand, prompt int) wire.Values {
			return texts{model: m, pages: 90, size: 7, prompt: prompt, calls: [][]int{{1, 1, 1}, {1, 0, 2}, {3, 1, 1}, {1, 1, 1}}}.draw(rng)
		},
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.25, Of: need,
			Advice: lang.T("New tokens go through every layer once, and of the old ones, shared or not, their keys and values are there.")}}})
}

// readStays lets texts read many tokens and looks at the memory in use.
func readStays() func(*course.Exam) error {
	return course.Grows(course.Growth{Function: "paged.forward", Size: "C", Sizes: []int{120}, Look: [2]int{20, 120},
		Draw: func(rng *rand.Rand, calls int) wire.Values {
			return texts{model: model{16, 48, 16, 3, 1, 2*calls + 10, 1}, pages: 2 * calls, size: 3, prompt: 4, calls: slices.Repeat([][]int{{1, 2}}, calls)}.draw(rng)
		},
		Bounds: []course.Bound{{Cost: course.Kept, Free: 32 << 10,
			Advice: lang.T("All memory of keys and values is there when New returns. What a call works with is used again by the next, and what nobody reads again is not kept.")}}})
}

// roomIsFree compares calls of pools of few pages and of many: some that read a token each,
// and one for which buffers grow.
func roomIsFree() func(*course.Exam) error {
	compared := func(from int, calls ...[]int) func(*course.Exam) error {
		return course.Grows(course.Growth{Function: "paged.forward", Size: "P", Sizes: []int{30, 5000}, From: from,
			Draw: func(rng *rand.Rand, pages int) wire.Values {
				return texts{model: model{40, 48, 64, 1, 2, 60, 1}, pages: pages, size: 4, prompt: 20, calls: calls}.draw(rng)
			},
			Bounds: []course.Bound{{Cost: course.Allocated, Most: 2, Free: 32 << 10,
				Advice: lang.T("A call costs what is read, and not what there is room for: make no tables, copy nothing and clear nothing for all pages.")}}})
	}
	return course.All(compared(2, slices.Repeat([][]int{{1, 1}}, 7)...), compared(1, []int{1, 1}, []int{30, 0}))
}

// speculationStays continues one text again and again and looks at the memory in use.
func speculationStays() func(*course.Exam) error {
	return course.Grows(course.Growth{Function: "spec.greedy", Size: "C", Sizes: []int{200}, Look: [2]int{20, 200}, Output: "free",
		Draw: func(rng *rand.Rand, _ int) wire.Values {
			return course.With(speculation{model{5, 4, 3, 1, 1, 70, 1}, 60, 1, 2, 1, 1}.draw(rng), "pages", wire.Int(70))
		},
		Bounds: []course.Bound{{Cost: course.Kept, Free: 32 << 10,
			Advice: lang.T("The texts that Speculate reads through are forgotten at its end: a pool knows pages, and no texts.")}}})
}

// speculationWork counts the multiplications of a text whose draft is the model itself.
func speculationWork() func(*course.Exam) error {
	m := model{vocab: 16, d: 24, f: 32, heads: 3, layers: 2, context: 70, sharp: 1.6}
	const prompt, more = 4, 56
	need := func(wire.Values, int) float64 {
		const tokens = prompt + more
		token := m.layers*(4*m.d*m.d+3*m.d*m.f+2*tokens*m.d) + m.vocab*m.d
		return float64(2 * tokens * token) // by both models
	}
	return course.Grows(course.Growth{Function: "spec.greedy", Size: "T", Sizes: []int{more}, Look: [2]int{0, 2}, Output: "free",
		Draw: func(rng *rand.Rand, more int) wire.Values {
			in := speculation{m, prompt, 4, more, m.layers, 8}.draw(rng)
			return course.With(in, "pages", wire.Int(prompt+more))
		},
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.25, Of: need,
			Advice: lang.T("In a round each model reads what it has not read: a few tokens. What was taken is in its cache.")}}})
}
