package gqa

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// workDone counts the multiplications of a forward pass. The attention itself takes as
// many as in step 08; who computes keys and values for every head needs 1.6 times as many.
func workDone() func(*course.Exam) error {
	need := func(in wire.Values, _ int) float64 {
		d, t := in["wo"].Shape[0], in["x"].Shape[1]
		return float64(t * (2*d*d + 2*d*in["wk"].Shape[0] + 2*t*d))
	}
	return course.Grows(course.Growth{Function: "gqa.forward", Size: "T", Sizes: []int{3},
		Draw: func(rng *rand.Rand, t int) wire.Values {
			in := drawLayer(rng, 2, 6)
			in["x"], in["positions"] = course.Normal(rng, 1, 1, t, in["wo"].Shape[0]), course.IDs(rng, 40, 1, t)
			return in
		},
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.25, Of: need,
			Advice: lang.T("Keys and values are computed for the H_kv heads, and not for each of the H.")}}})
}

// sizes are those of a layer and of the calls of Extend that it is asked with.
type sizes struct {
	kvHeads, group, width int
	room                  int // T_max, and RoPE's positions
	calls                 []int
}

func (s sizes) draw(rng *rand.Rand) wire.Values {
	d, e := s.kvHeads*s.group*s.width, s.kvHeads*s.width
	in := wire.Values{"num_heads": wire.Int(s.kvHeads * s.group), "theta": wire.Float(500), "max_seq_len": wire.Int(s.room), "max_len": wire.Int(s.room)}
	for i, rows := range []int{d, e, e, d} {
		in[weights()[i]] = course.Normal(rng, 1/math.Sqrt(float64(d)), rows, d)
	}
	calls, tokens := wire.Ints(nil, len(s.calls)), 0
	for _, n := range s.calls {
		calls.I64 = append(calls.I64, int64(n))
		tokens += n
	}
	in["calls"], in["x"] = calls, course.Normal(rng, 1, tokens, d)
	return in
}

// forward is the same layer with a text for Forward.
func (s sizes) forward(rng *rand.Rand) wire.Values {
	in := s.draw(rng)
	x := in["x"]
	delete(in, "calls")
	delete(in, "max_len")
	in["x"], in["positions"] = wire.Float32s(x.F32, 1, x.Shape[0], x.Shape[1]), course.IDs(rng, s.room, 1, x.Shape[0])
	return in
}

// wide has heads wider than the arrays that people set aside for one, many more heads
// than they count on, and long more positions than they make a table for.
func wide() sizes { return sizes{kvHeads: 1, group: 2, width: 134, room: 7, calls: []int{2, 1}} }
func many() sizes { return sizes{kvHeads: 17, group: 4, width: 2, room: 7, calls: []int{2, 1}} }
func long() sizes { return sizes{kvHeads: 1, group: 2, width: 2, room: 1100, calls: []int{1090, 1, 3}} }

// extendsCheaply counts what calls of Extend cost behind a long text: their tokens are
// projected once, and keys and values are read where they lie.
func extendsCheaply() func(*course.Exam) error {
	need := func(in wire.Values, call int) float64 {
		d, e, n, room := in["wo"].Shape[0], in["wk"].Shape[0], int(in["calls"].I64[call]), int(in["max_len"].I64[0])
		return float64(n * (2*d*d + 2*d*e + 2*room*d))
	}
	held := func(in wire.Values, call int) float64 {
		past := 0
		for _, n := range in["calls"].I64[:call] {
			past += int(n)
		}
		const float32Bytes = 4
		return float64(2 * in["wk"].Shape[0] * past * float32Bytes)
	}
	return course.Grows(course.Growth{Function: "gqa.extend", Size: "p", Sizes: []int{300}, From: 2,
		Draw: func(rng *rand.Rand, past int) wire.Values {
			return sizes{kvHeads: 2, group: 3, width: 16, room: past + 9, calls: []int{past, 1, 1, 1, 1}}.draw(rng)
		},
		Bounds: []course.Bound{
			{Cost: course.Multiplications, Most: 1.25, Of: need, Advice: lang.T("Of the tokens that were read, keys and values are there: only the new ones are projected.")},
			{Cost: course.Allocated, Most: 1.0 / 4, Of: held, Advice: lang.T("That is a quarter of the keys and values that were read. A slice of them is what several heads can read; nothing is repeated, and nothing is copied.")}}})
}

// roomIsFree compares calls of Extend with room for few tokens and for many.
func roomIsFree() func(*course.Exam) error {
	advice := lang.T("A call costs what was read, and not what there is room for: copy neither the buffers nor RoPE's tables.")
	return course.Grows(course.Growth{Function: "gqa.extend", Size: "T_max", Sizes: []int{40, 20_000}, From: 2,
		Draw: func(rng *rand.Rand, room int) wire.Values {
			return sizes{kvHeads: 2, group: 2, width: 16, room: room, calls: []int{20, 1, 1, 1, 1, 1, 1, 1}}.draw(rng)
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 2, Free: 32 << 10, Advice: advice}, {Cost: course.Seconds, Most: 3, Advice: advice}}})
}

// weightsStay looks at what a call of Extend allocates beside large weights.
func weightsStay() func(*course.Exam) error {
	return course.Grows(course.Growth{Function: "gqa.extend", Size: "D", Sizes: []int{16}, From: 2,
		Draw: func(rng *rand.Rand, width int) wire.Values {
			return sizes{kvHeads: 2, group: 6, width: width, room: 9, calls: []int{2, 1, 1, 1}}.draw(rng)
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 1.0 / 4, Of: func(in wire.Values, _ int) float64 { return 4 * float64(in["wq"].Len()) },
			Advice: lang.T("That is a quarter of the queries' weight. A call reads the weights where they are, and copies none.")}}})
}

// nothingDoubled reads a long text in small pieces and looks at the memory that the layer
// holds then, beside keys and values: who gathers or repeats them holds them again.
func nothingDoubled() func(*course.Exam) error {
	const calls, piece = 80, 4
	return course.Grows(course.Growth{Function: "gqa.extend", Size: "C", Sizes: []int{calls}, Look: [2]int{0, calls},
		Draw: func(rng *rand.Rand, calls int) wire.Values {
			return sizes{kvHeads: 2, group: 3, width: 16, room: piece * calls, calls: slices.Repeat([]int{piece}, calls)}.draw(rng)
		},
		Bounds: []course.Bound{{Cost: course.Kept, Most: 1.0 / 2, Free: 16 << 10,
			Of: func(in wire.Values, _ int) float64 {
				const float32Bytes = 4
				return float64(2 * in["wk"].Shape[0] * int(in["max_len"].I64[0]) * float32Bytes)
			},
			Advice: lang.T("That is half of all keys and values. They lie in the caller's buffers: a slice of these is what the heads of a group read, and nothing is repeated or gathered.")}}})
}

// nothingStays reads many tokens and looks at the memory in use.
func nothingStays() func(*course.Exam) error {
	const calls, early = 220, 20
	return course.Grows(course.Growth{Function: "gqa.extend", Size: "C", Sizes: []int{calls}, Look: [2]int{early, calls},
		Draw: func(rng *rand.Rand, calls int) wire.Values {
			return sizes{kvHeads: 2, group: 3, width: 16, room: 2*calls + 5, calls: slices.Repeat([]int{2}, calls)}.draw(rng)
		},
		Bounds: []course.Bound{{Cost: course.Kept, Free: 16 << 10,
			Advice: lang.T("Keys and values are the caller's. What a call works with is used again by the next, and what nobody reads again is not kept.")}}})
}
