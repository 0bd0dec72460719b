package kvcache

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	lm "github.com/stubformer/stubformer/grader/course/step10_lm"
	"github.com/stubformer/stubformer/reference/wire"
)

// drawModel draws a small model whose attention is not even: its queries and keys
// are larger than usual.
func drawModel(rng *rand.Rand) wire.Values {
	in := lm.DrawLM(rng)
	delete(in, "ids")
	d := in["lm_head.weight"].Shape[1]
	for _, name := range course.SortedNames(in) {
		if strings.Contains(name, "q_proj") || strings.Contains(name, "k_proj") {
			in[name] = course.Normal(rng, 1.6/math.Sqrt(float64(d)), d, d)
		}
	}
	in["context_length"] = wire.Int(course.Between(rng, 13, 16))
	return in
}

// drawIDs draws rows of tokens, and T_max, which is more than their length.
func drawIDs(rng *rand.Rand, in wire.Values, rows, time int, ids, maxLen string) {
	in[ids] = course.IDs(rng, in["lm_head.weight"].Shape[0], rows, time)
	in[maxLen] = wire.Int(course.Between(rng, time+1, int(in["context_length"].I64[0])))
}

// drawCalls deals the tokens of each row to calls, of which every one reads something.
func drawCalls(rng *rand.Rand, rows, time, calls int) wire.Value {
	v := wire.Ints(make([]int64, calls*rows), calls, rows)
	for {
		clear(v.I64)
		for row := range rows {
			for range course.Between(rng, (time+1)/2, time) {
				v.I64[rng.IntN(calls)*rows+row]++
			}
		}
		if !silent(v) {
			return v
		}
	}
}

// silent reports whether there is a call that reads nothing.
func silent(calls wire.Value) bool {
	rows := calls.Shape[1]
	for c := range calls.Shape[0] {
		sum := int64(0)
		for _, n := range calls.I64[c*rows : (c+1)*rows] {
			sum += n
		}
		if sum == 0 {
			return true
		}
	}
	return false
}

func drawText(rng *rand.Rand) wire.Values { return drawReading(rng, 1) }

// drawRows draws two or three rows, which need not be of one length.
func drawRows(rng *rand.Rand) wire.Values { return drawReading(rng, course.Between(rng, 2, 3)) }

func drawReading(rng *rand.Rand, rows int) wire.Values {
	in, time := drawModel(rng), course.Between(rng, 6, 11)
	drawIDs(rng, in, rows, time, "ids", "max_len")
	in["calls"] = drawCalls(rng, rows, time, course.Between(rng, 2, 4))
	return in
}

// drawSilent draws rows of which a call in the middle reads nothing.
func drawSilent(rng *rand.Rand) wire.Values {
	in := drawReading(rng, course.Between(rng, 2, 3))
	calls := in["calls"]
	rows := calls.Shape[1]
	calls.I64 = slices.Insert(calls.I64, rows, make([]int64, rows)...)
	calls.Shape = []int{calls.Shape[0] + 1, rows}
	in["calls"] = calls
	return in
}

func drawTruncate(rng *rand.Rand) wire.Values {
	in, rows := drawModel(rng), course.Between(rng, 1, 3)
	drawIDs(rng, in, rows, course.Between(rng, 5, 8), "ids", "max_len")
	keep, longest := wire.Ints(make([]int64, rows), rows), 0
	for row := range keep.I64 {
		n := rng.IntN(in["ids"].Shape[1])
		keep.I64[row], longest = int64(n), max(longest, n)
	}
	more := course.Between(rng, 1, int(in["max_len"].I64[0])-longest)
	in["keep"], in["more"] = keep, course.IDs(rng, in["lm_head.weight"].Shape[0], rows, more)
	return in
}

func drawPair(rng *rand.Rand) wire.Values {
	in, calls := drawModel(rng), course.Between(rng, 2, 4)
	sizes := course.Distinct(rng, 2, 6, 11)
	for i, prefix := range []string{"", "other_"} {
		rows := course.Between(rng, 1, 2)
		drawIDs(rng, in, rows, sizes[i], prefix+"ids", prefix+"max_len")
		in[prefix+"calls"] = drawCalls(rng, rows, sizes[i], calls)
	}
	return in
}

func drawOnce(rng *rand.Rand) wire.Values {
	in := drawRows(rng)
	in["later"] = course.Normal(rng, 1, in["token_embeddings.weight"].Shape...)
	return in
}

func drawMask(rng *rand.Rand) wire.Values {
	return mask(course.Between(rng, 1, 20), course.Between(rng, 2, 12))
}

// drawSize draws the shape of a model.
func drawSize(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 4, 2, 40)
	return wire.Values{"num_heads": wire.Int(2), "d_model": wire.Int(4 * n[0]), "vocab_size": wire.Int(n[1]), "d_ff": wire.Int(n[2]),
		"num_layers": wire.Int(course.Between(rng, 1, 4)), "context_length": wire.Int(40 + n[3])}
}

func drawBytes(rng *rand.Rand) wire.Values {
	in, n := drawSize(rng), course.Distinct(rng, 2, 1, 39)
	in["batch"], in["max_len"] = wire.Int(n[0]), wire.Int(n[1])
	return in
}

func drawFLOPs(rng *rand.Rand) wire.Values {
	in, n := drawSize(rng), course.Distinct(rng, 2, 1, 39)
	in["past"], in["n"] = wire.Int(n[0]), wire.Int(n[1])
	return in
}
