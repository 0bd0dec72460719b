package gqa

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// weights are the projections of a layer, in the order of its Params.
func weights() []string { return []string{"wq", "wk", "wv", "wo"} }

// heads draws H_kv and the size of a group, of which neither is the other.
func heads(rng *rand.Rand) (kvHeads, group int) {
	n := course.Distinct(rng, 2, 2, 4)
	return n[0], n[1]
}

// drawLayer draws the weights of a layer, whose K is 2, 4 or 6 and K² not D.
func drawLayer(rng *rand.Rand, kvHeads, group int) wire.Values {
	width := 2 * course.Between(rng, 1, 3)
	if width == kvHeads*group {
		width += 2
	}
	d, e := kvHeads*group*width, kvHeads*width
	in := wire.Values{"num_heads": wire.Int(kvHeads * group), "theta": wire.Float(500), "max_seq_len": wire.Int(40)}
	for _, w := range weights() {
		rows := d
		if w == "wk" || w == "wv" {
			rows = e
		}
		in[w] = course.Normal(rng, 1.5/math.Sqrt(float64(d)), rows, d)
	}
	return in
}

// drawText adds what a layer reads: B texts of T tokens.
func drawText(rng *rand.Rand, in wire.Values) wire.Values {
	b, t, rows := course.Between(rng, 1, 3), course.Between(rng, 4, 9), 1
	if rng.IntN(2) == 0 {
		rows = b
	}
	in["x"] = course.Normal(rng, 1, b, t, in["wo"].Shape[0])
	in["positions"] = course.IDs(rng, 40, rows, t)
	return in
}

func drawForward(rng *rand.Rand) wire.Values {
	kvHeads, group := heads(rng)
	return drawText(rng, drawLayer(rng, kvHeads, group))
}

// drawEach draws a layer whose heads share nothing.
func drawEach(rng *rand.Rand) wire.Values {
	return drawText(rng, drawLayer(rng, course.Between(rng, 2, 5), 1))
}

// drawOne draws a layer whose heads share one head of keys and values.
func drawOne(rng *rand.Rand) wire.Values {
	return drawText(rng, drawLayer(rng, 1, course.Between(rng, 2, 5)))
}

func drawBackward(rng *rand.Rand) wire.Values     { return withGradients(rng, drawForward(rng)) }
func drawBackwardOne(rng *rand.Rand) wire.Values  { return withGradients(rng, drawOne(rng)) }
func drawBackwardEach(rng *rand.Rand) wire.Values { return withGradients(rng, drawEach(rng)) }

func withGradients(rng *rand.Rand, in wire.Values) wire.Values {
	in["dy"] = course.Normal(rng, 1, in["x"].Shape...)
	for _, w := range weights() {
		in["d"+w+"_before"] = course.Normal(rng, 1, in[w].Shape...)
	}
	return in
}

func drawRepeat(rng *rand.Rand) wire.Values {
	kvHeads, group := heads(rng)
	n := course.Distinct(rng, 3, 2, 6)
	return wire.Values{"kv": course.Normal(rng, 1, n[0], kvHeads, n[1], n[2]), "num_heads": wire.Int(kvHeads * group)}
}

// single is one head that reads its own keys.
func single() wire.Values {
	return wire.Values{"kv": wire.Float32s([]float32{1, 2, 3, 4, 5, 6}, 1, 1, 3, 2), "num_heads": wire.Int(1)}
}

func drawSum(rng *rand.Rand) wire.Values {
	kvHeads, group := heads(rng)
	n := course.Distinct(rng, 3, 2, 6)
	return wire.Values{"d": course.Normal(rng, 1, n[0], kvHeads*group, n[1], n[2]), "num_kv_heads": wire.Int(kvHeads)}
}

// drawExtend draws a text that is read in two to four calls.
func drawExtend(rng *rand.Rand) wire.Values {
	kvHeads, group := heads(rng)
	in, calls := drawLayer(rng, kvHeads, group), wire.Ints(make([]int64, course.Between(rng, 2, 4)), 0)
	calls.Shape = []int{len(calls.I64)}
	time := 0
	for c := range calls.I64 {
		n := course.Between(rng, 1, 4)
		calls.I64[c] = int64(n)
		time += n
	}
	in["x"], in["calls"] = course.Normal(rng, 1, time, in["wo"].Shape[0]), calls
	in["max_len"], in["max_seq_len"] = wire.Int(time+course.Between(rng, 0, 3)), wire.Int(time+course.Between(rng, 0, 3))
	return in
}
