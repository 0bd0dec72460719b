// Package attention says how step 08 is checked; what its functions look like says
// fixtures/step08_attention/functions.txt.
package attention

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step08", Name: "attention", Folder: "step08_attention", Track: course.Core,
		Title:     "Attention, causal and multi-headed",
		Needs:     []string{"step02", "step06", "step07"},
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step08_attention"),
		Truths:    truths(),
		Checks: []course.Check{
			{ID: "causal_mask", Title: "the causal mask lets position i see positions 0 to i", Points: 5, Run: course.All(
				course.AgreesOn("causal_mask", wire.Values{"n": wire.Int(5)}, wire.Values{"n": wire.Int(1)}, wire.Values{"n": wire.Int(0)}),
				course.AgreesFresh("causal_mask", course.DrawSize("n", 6, 40)))},
			{ID: "attention.forward", Title: "scaled dot-product attention agrees with PyTorch", Points: 12, Run: course.Agrees("attention.forward")},
			{ID: "attention.forward.fresh", Title: "attention on fresh random cases; its rows sum to 1", Points: 5, Run: course.All(course.AgreesFresh("attention.forward", drawAttention), rowsSumToOne, hiddenAlone, lowScores, course.AgreesForEach(manyMatrices("attention.forward")))},
			{ID: "attention.forward.bad_input", Title: "keys, values and masks that do not fit the queries are refused", Points: 5, Run: course.All(
				course.Refuses("attention.forward", "q with K = 6 and k with K = 5", badAttention("k"), "5", "6"),
				course.Refuses("attention.forward", "4 keys and 5 values", badAttention("v"), "4", "5"),
				course.Refuses("attention.forward", "keys of 5 sequences and queries of 1", badAttention("k's sequences"), "5", "1"),
				course.Refuses("attention.forward", "values of 5 sequences and queries of 1", badAttention("v's sequences"), "5", "1"),
				course.Refuses("attention.forward", "a mask for 2 keys where there are 4", badAttention("mask"), "2", "4"),
				course.Refuses("attention.forward", "a mask for 2 queries where there are 3", badAttention("mask's queries"), "2", "3"),
				course.Refuses("attention.forward", "a mask for 4 queries and 3 keys, which are 3 and 4,", badAttention("turned mask"), "4", "3"),
				course.Refuses("attention.forward", "keys of 1 head and queries of 2", badAttention("k's heads"), "1", "2"),
				course.Refuses("attention.forward", "values of 1 head and queries of 2", badAttention("v's heads"), "1", "2"),
				course.Refuses("attention.forward", "keys and values of 2 sequences with 1 head and queries of 1 sequence with 2", badAttention("turned k and v")),
				course.Refuses("attention.forward", "keys and values of 5 sequences and queries of 1", badAttention("k and v's sequences")),
				course.Refuses("attention.forward", "keys without leading dimensions and queries with two", badAttention("flat k")),
				course.Refuses("attention.forward", "a mask for 8 keys where there are 4, with as many elements as two masks for 4", badAttention("wide mask"), "8", "4"),
				course.Refuses("attention.forward", "5 masks for 2 leading indices", badAttention("masks")),
				course.Refuses("attention.forward", "a q with one dimension", badAttention("q")))},
			{ID: "attention.backward", Title: "the gradients of attention agree with PyTorch", Points: 13, Run: course.All(course.Agrees("attention.backward"),
				course.Refuses("attention.backward", "a dy of 5 queries where y has 3", badAttention("dy"), "5", "3"),
				course.Refuses("attention.backward", "a dy of 1 head where y has 2", badAttention("dy's heads"), "1", "2"),
				course.Refuses("attention.backward", "a dy of width 6 where v has 7", badAttention("dy's width"), "6", "7"))},
			{ID: "attention.backward.fresh", Title: "the gradients of attention on fresh random cases; the weights are left untouched", Points: 5,
				Run: course.All(course.AgreesFresh("attention.backward", drawAttentionBackward), weightsKept,
					course.AgreesForEach(append(course.Zeroed("attention.backward", drawAttentionBackward, "q", "k", "v", "dy"), manyMatrices("attention.backward"))...))},
			{ID: "multihead.forward", Title: "multi-head self-attention agrees with PyTorch", Points: 13, Run: course.All(course.Agrees("multihead.forward"),
				course.Refuses("multihead.forward", "an x of width 10 where D is 12", badMultihead("x"), "10", "12"),
				course.Refuses("multihead.forward", "5 heads in a width of 12", badMultihead("num_heads"), "12"),
				course.Refuses("multihead.forward", "no heads", course.With(badMultihead(""), "num_heads", wire.Int(0))),
				course.Refuses("multihead.forward", "-3 heads", course.With(badMultihead(""), "num_heads", wire.Int(-3))),
				course.Refuses("multihead.forward", "an output projection of shape (24, 12)", badMultihead("tall wo"), "12", "24"),
				course.Refuses("multihead.forward", "an output projection of shape (12, 10)", badMultihead("wo"), "12", "10"),
				course.Refuses("multihead.forward", "an output projection with one dimension", badMultihead("flat wo")),
				course.Refuses("multihead.forward", "query, key and value projections of shape (10, 12)", badMultihead("wq"), "12"),
				course.All(refusedMultihead()...))},
			{ID: "multihead.forward.fresh", Title: "multi-head self-attention on fresh random cases", Points: 5, Run: course.AgreesFresh("multihead.forward", DrawMultihead)},
			{ID: "multihead.future", Title: "no future token changes a past output", Points: 5, Run: noFuture},
			{ID: "multihead.heads", Title: "the order of the heads does not matter", Points: 5, Run: headsPermute},
			{ID: "multihead.backward.dx", Title: "the gradient of the input agrees with PyTorch, and none flows back from the past", Points: 5,
				Run: course.All(course.Agrees("multihead.backward", "dx"), noFutureGradient,
					course.Refuses("multihead.backward", "a dy of width 10 where D is 12", badMultihead("dy"), "10", "12"),
					course.Refuses("multihead.backward", "a dy of 4 tokens where x has 5", badMultihead("dy's tokens"), "4", "5"),
					course.Refuses("multihead.backward", "a dy of 1 sequence where x has 2", badMultihead("dy's sequences"), "1", "2"))},
			{ID: "multihead.backward.dw", Title: "the gradients of the projections agree with PyTorch and are added", Points: 8,
				Run: course.Agrees("multihead.backward", "dwq", "dwk", "dwv", "dwo")},
			{ID: "multihead.backward.fresh", Title: "all gradients on fresh random cases", Points: 5, Run: course.All(course.AgreesFresh("multihead.backward", drawMultiheadBackward),
				course.AgreesForEach(course.Zeroed("multihead.backward", drawMultiheadBackward, "x", "wq", "wk", "wv", "wo", "dy")...))},
			course.Again("attention.backward.again",
				nothingHidden, course.Misfits("attention.backward", "dy", drawAttentionBackward), course.Misfits("multihead.backward", "dy", drawMultiheadBackward),
				course.AskedAgain(course.Layer{Forward: "attention.forward", Backward: "attention.backward", Input: "q", Draw: drawAttentionBackward, Bad: course.Wider("q")}),
				course.OneLayer(course.Drawing{Function: "attention.forward", Draw: drawAttention}, course.Drawing{Function: "attention.backward", Draw: drawAttentionBackward}),
				course.AskedAgain(course.Layer{Forward: "multihead.forward", Backward: "multihead.backward", Input: "x", Draw: drawMultiheadBackward, Bad: course.Wider("x")}),
				course.Refuses("multihead.forward", "a RoPE for heads of width 6 where K is 4", badMultihead("rope")),
				course.AtOnce(manyMatrices("attention.backward"), course.Drawing{Function: "multihead.backward", Draw: drawMultiheadBackward})),
			course.NoForward("attention.backward.no_forward", course.Without("q", "attention.backward", drawAttentionBackward),
				course.Without("x", "multihead.backward", drawMultiheadBackward)),
		},
		Inside: []string{"attention.backward.again", "attention.backward.no_forward"},
		Hints:  attentionHints(),
	}
}

func attentionHints() []course.Hint {
	return []course.Hint{
		course.AgainHint("attention.backward.again"),
		course.NoForwardHint("attention.backward.no_forward"),
		{For: "attention.forward.bad_input", Text: "q is (…, N, K). k then is (…, M, K), v (…, M, C), with the same leading dimensions, and the mask is N by M, for all of them or for each. Check every one with tensor.CheckShape before the first product: two shapes with as many elements are not the same."},
		{For: "causal_mask", Text: "Row i is a query, column j a key. A query may look at itself and at everything before it."},
		{For: "attention.forward", Text: "A score is the dot product of one query with one key, divided by √K, K being the length of both. The division comes before the softmax."},
		{For: "attention.forward", Text: "Where the mask is false the score becomes −Inf, before the softmax. Step 07 knows what to do with a row of nothing but −Inf."},
		{For: "attention.forward", Text: "Every leading index has products of its own: scores (N, M) = q (N, K)·kᵀ, y (N, C) = p (N, M)·v. tensor.Mul multiplies views; t.MatrixAt(i) is the i-th matrix of t."},
		{For: "attention.backward", Text: "Four lines mirror the four of the forward pass: dv = pᵀ·dy, dp = dy·vᵀ, ds = softmax's backward of dp, then dq and dk from ds."},
		{For: "attention.backward", Text: "The scale of the scores comes back once more: dq = ds·k/√K and dk = dsᵀ·q/√K. Masked entries need nothing: their p is 0, so their ds is 0."},
		{For: "multihead", Text: "Project x once to (B, T, 3D): columns 0 to D are q, D to 2D are k, 2D to 3D are v. Head h takes columns h·K to (h+1)·K of each."},
		{For: "multihead", Text: "Splitting is (B, T, H, K) to (B, H, T, K): a transposition of the middle axes, not a reshape. Joining goes the same way back."},
		{For: "multihead", Text: "RoPE turns q and k, after the split, by the position of the token. v is not turned. The same positions serve all heads."},
		{For: "multihead.backward", Text: "Undo the steps in reverse: output projection, split dy into heads, attention, turn dq and dk back with RoPE.Backward, join the three into (B, T, 3D), projection."},
		{For: "multihead.backward", Text: "d := Output.Backward(dy); split it; dq, dk, dv := attn.Backward(d); dq, dk = RoPE.Backward(…); write them side by side into dqkv; return QKV.Backward(dqkv)."},
	}
}

// drawAttention draws n queries against m keys, n ≠ m, with a random mask and
// one query that may attend nowhere.
func drawAttention(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 5, 2, 9)
	b, h, queries, keys, k := n[0]%3+1, n[1]%4+1, n[2], n[3], n[4]
	shape := []int{queries, keys}
	if rng.IntN(2) == 0 { // a mask of its own for every leading index
		shape = []int{b, h, queries, keys}
	}
	mask := wire.Bools(nil, shape...)
	mask.Bool = make([]bool, mask.Len())
	for i := range mask.Bool {
		mask.Bool[i] = rng.IntN(4) > 0 && i/keys%queries != queries-1
	}
	return wire.Values{
		"q": course.Normal(rng, 1, b, h, queries, k), "k": course.Normal(rng, 1, b, h, keys, k),
		"v": course.Normal(rng, 1, b, h, keys, k+3), "mask": mask,
	}
}

func drawAttentionBackward(rng *rand.Rand) wire.Values {
	in := drawAttention(rng)
	q, v := in["q"].Shape, in["v"].Shape
	in["dy"] = course.Normal(rng, 1, q[0], q[1], q[2], v[3])
	return in
}

// hiddenAlone checks the smallest mask that hides something: one query, and its
// only key is hidden.
func hiddenAlone(e *course.Exam) error {
	in := wire.Values{"q": course.Normal(e.Rng, 1, 1, 3), "k": course.Normal(e.Rng, 1, 1, 3), "v": course.Normal(e.Rng, 1, 1, 4), "mask": wire.Bools([]bool{false}, 1, 1)}
	return e.Against("attention.forward", in, nil)
}

// nothingHidden checks a mask that hides nothing, for which the binding gives
// a layer that stays none at all: three queries of five keys, and as many as there
// are keys.
func nothingHidden(e *course.Exam) error {
	return course.InTurn(2, func(i int) error {
		n := 3 + 2*i
		draw := func(rng *rand.Rand) wire.Values {
			return wire.Values{"q": course.Normal(rng, 1, 2, n, 4), "k": course.Normal(rng, 1, 2, 5, 4), "v": course.Normal(rng, 1, 2, 5, 6),
				"mask": wire.Bools(slices.Repeat([]bool{true}, 5*n), n, 5)}
		}
		return course.OneLayer(course.Drawing{Function: "attention.forward", Draw: draw})(e)
	})
}

func DrawMultihead(rng *rand.Rand) wire.Values {
	b, t, heads, pairs := course.Between(rng, 1, 3), course.Between(rng, 4, 9), course.Between(rng, 2, 4), course.Between(rng, 1, 3)
	if t == heads {
		t++
	}
	d, rows := heads*2*pairs, 1
	if rng.IntN(2) == 0 {
		rows = b
	}
	in := wire.Values{"x": course.Normal(rng, 1, b, t, d), "num_heads": wire.Int(heads), "theta": wire.Float(500),
		"max_seq_len": wire.Int(40), "positions": course.IDs(rng, 40, rows, t)}
	for _, w := range []string{"wq", "wk", "wv", "wo"} {
		in[w] = course.Normal(rng, 1.5/math.Sqrt(float64(d)), d, d)
	}
	return in
}

func drawMultiheadBackward(rng *rand.Rand) wire.Values {
	in := DrawMultihead(rng)
	in["dy"] = course.Normal(rng, 1, in["x"].Shape...)
	for _, w := range []string{"wq", "wk", "wv", "wo"} {
		in["d"+w+"_before"] = course.Normal(rng, 1, in[w].Shape...)
	}
	return in
}

// rowsSumToOne checks the attention weights of every query that may attend
// somewhere.
func rowsSumToOne(e *course.Exam) error {
	in := drawAttention(e.Rng)
	in["mask"].Bool[len(in["mask"].Bool)-1] = true // the last query attends to one key
	q, keys, mask := in["q"].Shape, in["k"].Shape[2], in["mask"].Bool
	w, err := e.Array("attention.forward", in, "weights", q[0], q[1], q[2], keys)
	if err != nil {
		return err
	}
	for row := 0; row < len(w)/keys; row++ {
		query, sum, seen := row%(len(mask)/keys), 0.0, false
		for j := range keys {
			sum += float64(w[row*keys+j])
			seen = seen || mask[query*keys+j]
		}
		if seen && !(math.Abs(sum-1) <= 1e-5) {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("attention.forward", in),
				Message: lang.T("the attention weights of query %d sum to %.6f; want 1", query, sum)}
		}
	}
	return nil
}

// noFuture changes the last tokens and looks for a change before them; then it
// changes the first ones, and the last output must change.
func noFuture(e *course.Exam) error {
	in := DrawMultihead(e.Rng)
	shape := in["x"].Shape
	first, err := e.Array("multihead.forward", in, "y", shape...)
	if err != nil {
		return err
	}
	t, d := shape[1], shape[2]
	cut := e.Rng.IntN(t-1) + 1 // tokens from here on change
	changed := course.With(in, "x", wire.Float32s(append([]float32(nil), in["x"].F32...), shape...))
	for i := range changed["x"].F32 {
		if i/d%t >= cut {
			changed["x"].F32[i] += 3
		}
	}
	second, err := e.Array("multihead.forward", changed, "y", shape...)
	if err != nil {
		return err
	}
	for i, y := range first {
		if at := i / d % t; at < cut && !(math.Abs(float64(y-second[i])) <= 1e-5*(1+math.Abs(float64(y)))) {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("multihead.forward", in),
				Message: lang.T("changing the tokens from position %d on changed the output at position %d; a causal model may not look ahead", cut, at)}
		}
	}
	return pastCounts(e, in, first)
}

// pastCounts changes all tokens but the last: its output must change.
func pastCounts(e *course.Exam, in wire.Values, before []float32) error {
	shape := in["x"].Shape
	t, d := shape[1], shape[2]
	changed := course.With(in, "x", wire.Float32s(slices.Clone(in["x"].F32), shape...))
	for i := range changed["x"].F32 {
		if i/d%t < t-1 {
			changed["x"].F32[i] += 3
		}
	}
	after, err := e.Array("multihead.forward", changed, "y", shape...)
	if err != nil {
		return err
	}
	for i, y := range after {
		if i/d%t == t-1 && math.Abs(float64(y-before[i])) > 1e-3 {
			return nil
		}
	}
	return e.Fails("multihead.forward", changed, "changing all tokens before the last left the output at the last position as it was; every token attends to those before it")
}

// noFutureGradient sends a gradient into the first positions only: nothing may
// arrive at later ones.
func noFutureGradient(e *course.Exam) error {
	in := drawMultiheadBackward(e.Rng)
	shape := in["x"].Shape
	t, d := shape[1], shape[2]
	cut := e.Rng.IntN(t-1) + 1
	for i := range in["dy"].F32 {
		if i/d%t >= cut {
			in["dy"].F32[i] = 0
		}
	}
	dx, err := e.Array("multihead.backward", in, "dx", shape...)
	if err != nil {
		return err
	}
	for i, g := range dx {
		if at := i / d % t; at >= cut && !(math.Abs(float64(g)) <= 1e-6) {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("multihead.backward", in),
				Message: lang.T("dy is zero from position %d on, but dx at position %d is %g: an output before it depends on this token", cut, at, g)}
		}
	}
	return nil
}

// headsPermute moves the last head to the front, in all four projections: the
// output must stay the same.
func headsPermute(e *course.Exam) error {
	in := DrawMultihead(e.Rng)
	y, err := e.Array("multihead.forward", in, "y", in["x"].Shape...)
	if err != nil {
		return err
	}
	want := wire.Values{"y": wire.Float32s(y, in["x"].Shape...)}
	d := in["x"].Shape[2]
	k := d / int(in["num_heads"].I64[0])
	moved := in
	for _, w := range []string{"wq", "wk", "wv"} {
		rows := in[w].F32
		moved = course.With(moved, w, wire.Float32s(append(append([]float32(nil), rows[(d-k)*d:]...), rows[:(d-k)*d]...), d, d))
	}
	wo := make([]float32, d*d)
	for i := range wo { // column c of the moved output projection reads what head c/K holds now
		wo[i] = in["wo"].F32[i/d*d+(i%d+d-k)%d]
	}
	got, err := e.Ask("multihead.forward", course.With(moved, "wo", wire.Float32s(wo, d, d)))
	if err != nil {
		return err
	}
	tolerance := 10 * e.Tolerance("multihead.forward", "y") // two float32 results are compared
	err = e.Compare("multihead.forward", in, got, want, []string{"y"}, func(string) float64 { return tolerance })
	if err != nil {
		return err
	}
	if got, err = e.Ask("multihead.forward", moved); err != nil {
		return err
	}
	if verdict.Compare("y", got["y"], want["y"], tolerance) == nil {
		return e.Fails("multihead.forward", moved, "moving the last head to the front in the query, key and value projections alone left the output as it was; "+
			"the output projection reads every head in its own columns, so the output must change")
	}
	return nil
}
