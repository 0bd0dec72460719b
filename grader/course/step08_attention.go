package course

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

func attentionStep() *Step {
	return &Step{
		ID: "step08", Name: "attention", Folder: "step08_attention",
		Title: "Attention, causal and multi-headed",
		Needs: []string{"step02", "step06", "step07"},
		Functions: []Function{
			{"attention.forward", "y = softmax(q kᵀ/√K, masked) v; a row that may attend nowhere gives zeros",
				attentionArgs(), []Arg{{"y", wire.F32, "… N C", "the output"}, {"weights", wire.F32, "… N M", "the softmax"}}},
			{"attention.backward", "the gradients of attention.forward",
				append(attentionArgs(), Arg{"dy", wire.F32, "… N C", "gradient of y"}),
				[]Arg{{"dq", wire.F32, "… N K", ""}, {"dk", wire.F32, "… M K", ""}, {"dv", wire.F32, "… M C", ""}, {"weights", wire.F32, "… N M", "the softmax after the call: unchanged"}}},
			{"causal_mask", "mask[i,j] is true where j ≤ i", []Arg{{"n", wire.I64, "", ""}}, []Arg{{"mask", wire.Bool, "N N", ""}}},
			{"multihead.forward", "causal self-attention: project to q, k, v; split into H heads of D/H; turn q and k by RoPE; attend; join the heads; project",
				multiheadArgs(), []Arg{{"y", wire.F32, "B T D", "the output"}}},
			{"multihead.backward", "the gradients of multihead.forward; those of the weights are added to …_before",
				append(multiheadArgs(), Arg{"dy", wire.F32, "B T D", "gradient of y"}, before("wq", "D D"), before("wk", "D D"), before("wv", "D D"), before("wo", "D D")),
				[]Arg{{"dx", wire.F32, "B T D", ""}, {"dwq", wire.F32, "D D", ""}, {"dwk", wire.F32, "D D", ""}, {"dwv", wire.F32, "D D", ""}, {"dwo", wire.F32, "D D", ""}}},
		},
		Checks: []Check{
			{"causal_mask", "the causal mask lets position i see positions 0 to i", 5, all(
				agreesOn("causal_mask", wire.Values{"n": wire.Int(5)}, wire.Values{"n": wire.Int(1)}, wire.Values{"n": wire.Int(0)}),
				agreesFresh("causal_mask", drawSize("n", 6, 40)))},
			{"attention.forward", "scaled dot-product attention agrees with PyTorch", 15, agrees("attention.forward")},
			{"attention.forward.fresh", "attention on fresh random cases; its rows sum to 1", 5, all(agreesFresh("attention.forward", drawAttention), rowsSumToOne, hiddenAlone)},
			{"attention.forward.bad_input", "keys, values and masks that do not fit the queries are refused", 5, all(
				refuses("attention.forward", "q with K = 6 and k with K = 5", badAttention("k"), "5", "6"),
				refuses("attention.forward", "4 keys and 5 values", badAttention("v"), "4", "5"),
				refuses("attention.forward", "keys of 5 sequences and queries of 1", badAttention("k's sequences"), "5", "1"),
				refuses("attention.forward", "values of 5 sequences and queries of 1", badAttention("v's sequences"), "5", "1"),
				refuses("attention.forward", "a mask for 2 keys where there are 4", badAttention("mask"), "2", "4"),
				refuses("attention.forward", "a mask for 8 keys where there are 4, with as many elements as two masks for 4", badAttention("wide mask"), "8", "4"),
				refuses("attention.forward", "5 masks for 2 leading indices", badAttention("masks")),
				refuses("attention.forward", "a q with one dimension", badAttention("q")))},
			{"attention.backward", "the gradients of attention agree with PyTorch", 13, all(agrees("attention.backward"),
				refuses("attention.backward", "a dy of 5 queries where y has 3", badAttention("dy"), "5", "3"),
				refuses("attention.backward", "a dy of 1 head where y has 2", badAttention("dy's heads"), "1", "2"))},
			{"attention.backward.fresh", "the gradients of attention on fresh random cases; the weights are left untouched", 5,
				all(agreesFresh("attention.backward", drawAttentionBackward), weightsKept)},
			{"multihead.forward", "multi-head self-attention agrees with PyTorch", 15, all(agrees("multihead.forward"),
				refuses("multihead.forward", "an x of width 10 where D is 12", badMultihead("x"), "10", "12"),
				refuses("multihead.forward", "5 heads in a width of 12", badMultihead("num_heads"), "12"),
				refuses("multihead.forward", "an output projection of shape (12, 10)", badMultihead("wo"), "12", "10"),
				refuses("multihead.forward", "an output projection with one dimension", badMultihead("flat wo")),
				refuses("multihead.forward", "query, key and value projections of shape (10, 12)", badMultihead("wq"), "12"))},
			{"multihead.forward.fresh", "multi-head self-attention on fresh random cases", 5, agreesFresh("multihead.forward", drawMultihead)},
			{"multihead.future", "no future token changes a past output", 5, noFuture},
			{"multihead.heads", "the order of the heads does not matter", 5, headsPermute},
			{"multihead.backward.dx", "the gradient of the input agrees with PyTorch, and none flows back from the past", 5,
				all(agrees("multihead.backward", "dx"), noFutureGradient)},
			{"multihead.backward.dw", "the gradients of the projections agree with PyTorch and are added", 8,
				agrees("multihead.backward", "dwq", "dwk", "dwv", "dwo")},
			{"multihead.backward.fresh", "all gradients on fresh random cases", 5, agreesFresh("multihead.backward", drawMultiheadBackward)},
			noForward("attention.backward.no_forward", without("q", "attention.backward", drawAttentionBackward),
				without("x", "multihead.backward", drawMultiheadBackward)),
		},
		Inside: []string{"attention.backward.no_forward"},
		Hints:  attentionHints(),
	}
}

func attentionArgs() []Arg {
	return []Arg{
		{"q", wire.F32, "… N K", "queries"}, {"k", wire.F32, "… M K", "keys"}, {"v", wire.F32, "… M C", "values"},
		{"mask", wire.Bool, "… N M", "true = attend; (N, M) for all, or with q's leading dimensions"},
	}
}

func multiheadArgs() []Arg {
	return []Arg{
		{"x", wire.F32, "B T D", "the input"},
		{"wq", wire.F32, "D D", "query projection, (out, in); head h owns rows h·K to (h+1)·K"},
		{"wk", wire.F32, "D D", "key projection"}, {"wv", wire.F32, "D D", "value projection"}, {"wo", wire.F32, "D D", "output projection"},
		{"num_heads", wire.I64, "", "H; K = D/H"}, {"theta", wire.F64, "", "RoPE's Θ"}, {"max_seq_len", wire.I64, "", "size of RoPE's table"},
		{"positions", wire.I64, "P T", "the position of every token; P is B, or 1 for the whole batch"},
	}
}

func attentionHints() []Hint {
	return []Hint{
		noForwardHint("attention.backward.no_forward"),
		{"causal_mask", "Row i is a query, column j a key. A query may look at itself and at everything before it."},
		{"attention.forward", "A score is the dot product of one query with one key, divided by √K, K being the length of both. The division comes before the softmax."},
		{"attention.forward", "Where the mask is false the score becomes −Inf, before the softmax. Step 07 knows what to do with a row of nothing but −Inf."},
		{"attention.forward", "Every leading index has products of its own: scores (N, M) = q (N, K)·kᵀ, y (N, C) = p (N, M)·v. tensor.Mul multiplies views; t.MatrixAt(i) is the i-th matrix of t."},
		{"attention.backward", "Four lines mirror the four of the forward pass: dv = pᵀ·dy, dp = dy·vᵀ, ds = softmax's backward of dp, then dq and dk from ds."},
		{"attention.backward", "The scale of the scores comes back once more: dq = ds·k/√K and dk = dsᵀ·q/√K. Masked entries need nothing: their p is 0, so their ds is 0."},
		{"multihead", "Project x once to (B, T, 3D): columns 0 to D are q, D to 2D are k, 2D to 3D are v. Head h takes columns h·K to (h+1)·K of each."},
		{"multihead", "Splitting is (B, T, H, K) to (B, H, T, K): a transposition of the middle axes, not a reshape. Joining goes the same way back."},
		{"multihead", "RoPE turns q and k, after the split, by the position of the token. v is not turned. The same positions serve all heads."},
		{"multihead.backward", "Undo the steps in reverse: output projection, split dy into heads, attention, turn dq and dk back with RoPE.Backward, join the three into (B, T, 3D), projection."},
		{"multihead.backward", "d := Output.Backward(dy); split it; dq, dk, dv := attn.Backward(d); dq, dk = RoPE.Backward(…); write them side by side into dqkv; return QKV.Backward(dqkv)."},
	}
}

// drawAttention draws n queries against m keys, n ≠ m, with a random mask and
// one query that may attend nowhere.
func drawAttention(rng *rand.Rand) wire.Values {
	n := distinct(rng, 5, 2, 9)
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
		"q": normal(rng, 1, b, h, queries, k), "k": normal(rng, 1, b, h, keys, k),
		"v": normal(rng, 1, b, h, keys, k+3), "mask": mask,
	}
}

func drawAttentionBackward(rng *rand.Rand) wire.Values {
	in := drawAttention(rng)
	q, v := in["q"].Shape, in["v"].Shape
	in["dy"] = normal(rng, 1, q[0], q[1], q[2], v[3])
	return in
}

// hiddenAlone checks the smallest mask that hides something: one query, and its
// only key is hidden.
func hiddenAlone(e *Exam) error {
	in := wire.Values{"q": normal(e.rng, 1, 1, 3), "k": normal(e.rng, 1, 1, 3), "v": normal(e.rng, 1, 1, 4), "mask": wire.Bools([]bool{false}, 1, 1)}
	return e.against("attention.forward", in, nil)
}

func drawMultihead(rng *rand.Rand) wire.Values {
	b, t, heads, pairs := between(rng, 1, 3), between(rng, 4, 9), between(rng, 2, 4), between(rng, 1, 3)
	if t == heads {
		t++
	}
	d, rows := heads*2*pairs, 1
	if rng.IntN(2) == 0 {
		rows = b
	}
	in := wire.Values{"x": normal(rng, 1, b, t, d), "num_heads": wire.Int(heads), "theta": wire.Float(500),
		"max_seq_len": wire.Int(40), "positions": ids(rng, 40, rows, t)}
	for _, w := range []string{"wq", "wk", "wv", "wo"} {
		in[w] = normal(rng, 1.5/math.Sqrt(float64(d)), d, d)
	}
	return in
}

func drawMultiheadBackward(rng *rand.Rand) wire.Values {
	in := drawMultihead(rng)
	in["dy"] = normal(rng, 1, in["x"].Shape...)
	for _, w := range []string{"wq", "wk", "wv", "wo"} {
		in["d"+w+"_before"] = normal(rng, 1, in[w].Shape...)
	}
	return in
}

// rowsSumToOne checks the attention weights of every query that may attend
// somewhere.
func rowsSumToOne(e *Exam) error {
	in := drawAttention(e.rng)
	in["mask"].Bool[len(in["mask"].Bool)-1] = true // the last query attends to one key
	q, keys, mask := in["q"].Shape, in["k"].Shape[2], in["mask"].Bool
	w, err := e.array("attention.forward", in, "weights", q[0], q[1], q[2], keys)
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
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.asked("attention.forward", in),
				Message: lang.T("the attention weights of query %d sum to %.6f; want 1", query, sum)}
		}
	}
	return nil
}

// noFuture changes the last tokens and looks for a change before them; then it
// changes the first ones, and the last output must change.
func noFuture(e *Exam) error {
	in := drawMultihead(e.rng)
	shape := in["x"].Shape
	first, err := e.array("multihead.forward", in, "y", shape...)
	if err != nil {
		return err
	}
	t, d := shape[1], shape[2]
	cut := e.rng.IntN(t-1) + 1 // tokens from here on change
	changed := with(in, "x", wire.Float32s(append([]float32(nil), in["x"].F32...), shape...))
	for i := range changed["x"].F32 {
		if i/d%t >= cut {
			changed["x"].F32[i] += 3
		}
	}
	second, err := e.array("multihead.forward", changed, "y", shape...)
	if err != nil {
		return err
	}
	for i, y := range first {
		if at := i / d % t; at < cut && !(math.Abs(float64(y-second[i])) <= 1e-5*(1+math.Abs(float64(y)))) {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.asked("multihead.forward", in),
				Message: lang.T("changing the tokens from position %d on changed the output at position %d; a causal model may not look ahead", cut, at)}
		}
	}
	return e.pastCounts(in, first)
}

// pastCounts changes all tokens but the last: its output must change.
func (e *Exam) pastCounts(in wire.Values, before []float32) error {
	shape := in["x"].Shape
	t, d := shape[1], shape[2]
	changed := with(in, "x", wire.Float32s(slices.Clone(in["x"].F32), shape...))
	for i := range changed["x"].F32 {
		if i/d%t < t-1 {
			changed["x"].F32[i] += 3
		}
	}
	after, err := e.array("multihead.forward", changed, "y", shape...)
	if err != nil {
		return err
	}
	for i, y := range after {
		if i/d%t == t-1 && math.Abs(float64(y-before[i])) > 1e-3 {
			return nil
		}
	}
	return e.fails("multihead.forward", changed, "changing all tokens before the last left the output at the last position as it was; every token attends to those before it")
}

// noFutureGradient sends a gradient into the first positions only: nothing may
// arrive at later ones.
func noFutureGradient(e *Exam) error {
	in := drawMultiheadBackward(e.rng)
	shape := in["x"].Shape
	t, d := shape[1], shape[2]
	cut := e.rng.IntN(t-1) + 1
	for i := range in["dy"].F32 {
		if i/d%t >= cut {
			in["dy"].F32[i] = 0
		}
	}
	dx, err := e.array("multihead.backward", in, "dx", shape...)
	if err != nil {
		return err
	}
	for i, g := range dx {
		if at := i / d % t; at >= cut && !(math.Abs(float64(g)) <= 1e-6) {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.asked("multihead.backward", in),
				Message: lang.T("dy is zero from position %d on, but dx at position %d is %g: an output before it depends on this token", cut, at, g)}
		}
	}
	return nil
}

// headsPermute moves the last head to the front, in all four projections: the
// output must stay the same.
func headsPermute(e *Exam) error {
	in := drawMultihead(e.rng)
	y, err := e.array("multihead.forward", in, "y", in["x"].Shape...)
	if err != nil {
		return err
	}
	want := wire.Values{"y": wire.Float32s(y, in["x"].Shape...)}
	d := in["x"].Shape[2]
	k := d / int(in["num_heads"].I64[0])
	moved := in
	for _, w := range []string{"wq", "wk", "wv"} {
		rows := in[w].F32
		moved = with(moved, w, wire.Float32s(append(append([]float32(nil), rows[(d-k)*d:]...), rows[:(d-k)*d]...), d, d))
	}
	wo := make([]float32, d*d)
	for i := range wo { // column c of the moved output projection reads what head c/K holds now
		wo[i] = in["wo"].F32[i/d*d+(i%d+d-k)%d]
	}
	got, err := e.ask("multihead.forward", with(moved, "wo", wire.Float32s(wo, d, d)))
	if err != nil {
		return err
	}
	tolerance := 10 * e.tolerance("multihead.forward", "y") // two float32 results are compared
	err = e.compare("multihead.forward", in, got, want, []string{"y"}, func(string) float64 { return tolerance })
	if err != nil {
		return err
	}
	if got, err = e.ask("multihead.forward", moved); err != nil {
		return err
	}
	if verdict.Compare("y", got["y"], want["y"], tolerance) == nil {
		return e.fails("multihead.forward", moved, "moving the last head to the front in the query, key and value projections alone left the output as it was; "+
			"the output projection reads every head in its own columns, so the output must change")
	}
	return nil
}
