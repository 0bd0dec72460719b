package gqa

import (
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// rowsOf returns the rows of a projection head by head, each width rows of d numbers.
func rowsOf(v wire.Value, width int) [][]float32 {
	return slices.Collect(slices.Chunk(v.F32, width*v.Shape[1]))
}

// width returns K.
func width(in wire.Values) int { return in["wo"].Shape[0] / int(in["num_heads"].I64[0]) }

// copiedHeads gives every head of a group a copy of its key and value projections:
// the output must stay the same.
func copiedHeads(e *course.Exam) error {
	in := drawForward(e.Rng)
	y, err := e.Array("gqa.forward", in, "y", in["x"].Shape...)
	if err != nil {
		return err
	}
	each, d := in, in["wo"].Shape[0]
	for _, w := range []string{"wk", "wv"} {
		var rows []float32
		group := d / in[w].Shape[0]
		for _, head := range rowsOf(in[w], width(in)) {
			for range group {
				rows = append(rows, head...)
			}
		}
		each = course.With(each, w, wire.Float32s(rows, d, d))
	}
	got, err := e.Ask("gqa.forward", each)
	if err != nil {
		return err
	}
	want := wire.Values{"y": wire.Float32s(y, in["x"].Shape...)}
	return e.Compare("gqa.forward", each, got, want, []string{"y"}, twoResults(e))
}

// groupsPermute moves the last group to the front, its queries, keys and values and
// its columns of the output projection: the output must stay the same. Where the keys
// and values alone move, it must change.
func groupsPermute(e *course.Exam) error {
	in := drawForward(e.Rng)
	y, err := e.Array("gqa.forward", in, "y", in["x"].Shape...)
	if err != nil {
		return err
	}
	want := wire.Values{"y": wire.Float32s(y, in["x"].Shape...)}
	d, k := in["wo"].Shape[0], width(in)
	own := d / in["wk"].Shape[0] * k // numbers of a group's queries
	only := in
	for _, w := range []string{"wk", "wv"} {
		only = course.With(only, w, rolled(in[w], k))
	}
	moved := course.With(only, "wq", rolled(in["wq"], own))
	wo := make([]float32, d*d)
	for i := range wo { // column c reads what was at c − own
		wo[i] = in["wo"].F32[i/d*d+(i%d+d-own)%d]
	}
	got, err := e.Ask("gqa.forward", course.With(moved, "wo", wire.Float32s(wo, d, d)))
	if err != nil {
		return err
	}
	if err := e.Compare("gqa.forward", in, got, want, []string{"y"}, twoResults(e)); err != nil {
		return err
	}
	if got, err = e.Ask("gqa.forward", only); err != nil {
		return err
	}
	if verdict.Compare("y", got["y"], want["y"], twoResults(e)("y")) == nil {
		return e.Fails("gqa.forward", only, "moving the last key and value head to the front left the output as it was; "+
			"every group reads a head of its own, so the output must change")
	}
	return nil
}

// rolled moves the last rows of a projection to the front.
func rolled(v wire.Value, rows int) wire.Value {
	cut := (v.Shape[0] - rows) * v.Shape[1]
	return wire.Float32s(slices.Concat(v.F32[cut:], v.F32[:cut]), v.Shape...)
}

// twoResults is the tolerance where two results in float32 are compared.
func twoResults(e *course.Exam) func(string) float64 {
	return func(output string) float64 { return 10 * e.Tolerance("gqa.forward", output) }
}

// cut is how long the text is that is cut in every way.
const cut = 6

// everySplit reads one text in every way to cut it into calls: 2⁵ of them. All have
// the outputs of the text at once.
func everySplit(e *course.Exam) error {
	tolerance := func(output string) float64 { return e.Tolerance("gqa.extend", output) }
	in, want, err := e.Drawn(course.Drawing{Function: "gqa.extend", Draw: func(rng *rand.Rand) wire.Values {
		kvHeads, group := heads(rng)
		in := drawLayer(rng, kvHeads, group)
		in["x"], in["calls"] = course.Normal(rng, 1, cut, in["wo"].Shape[0]), wire.Ints([]int64{cut}, 1)
		in["max_len"] = wire.Int(cut + 2)
		return in
	}})
	if err != nil {
		return err
	}
	return course.InTurn(1<<(cut-1), func(places int) error {
		in := course.With(in, "calls", split(places))
		got, err := e.Ask("gqa.extend", in)
		if err != nil {
			return err
		}
		return e.Compare("gqa.extend", in, got, want, nil, tolerance)
	})
}

// split cuts the text behind token i where bit i of places is set.
func split(places int) wire.Value {
	calls := []int64{0}
	for i := range cut {
		calls[len(calls)-1]++
		if places>>i&1 == 1 && i < cut-1 {
			calls = append(calls, 0)
		}
	}
	return wire.Ints(calls, len(calls))
}

// extendsBetween lets one layer read texts in pieces, and in between takes texts through
// Forward and Backward that are as long as the last piece: what one leaves in the layer,
// such as a mask, is not for the other.
func extendsBetween(e *course.Exam) error {
	const length = 4
	kvHeads, group := heads(e.Rng)
	layer := drawLayer(e.Rng, kvHeads, group)
	d := layer["wo"].Shape[0]
	extend := func(rng *rand.Rand) wire.Values {
		in := course.With(layer, "x", course.Normal(rng, 1, 2*length, d))
		in["calls"], in["max_len"] = wire.Ints([]int64{length, length}, 2), wire.Int(2*length)
		return in
	}
	forward := func(rng *rand.Rand) wire.Values {
		in := course.With(layer, "x", course.Normal(rng, 1, 2, length, d))
		in["positions"] = course.IDs(rng, 40, 1, length)
		return in
	}
	return course.OneLayer(
		course.Drawing{Function: "gqa.extend", Draw: extend},
		course.Drawing{Function: "gqa.forward", Draw: forward},
		course.Drawing{Function: "gqa.extend", Draw: extend},
		course.Drawing{Function: "gqa.backward", Draw: func(rng *rand.Rand) wire.Values { return withGradients(rng, forward(rng)) }},
	)(e)
}
