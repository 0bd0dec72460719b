package lm

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// modelConfig is a model large enough for statistics on its weights.
func modelConfig(seed int) wire.Values {
	return wire.Values{"vocab_size": wire.Int(97), "context_length": wire.Int(16), "d_model": wire.Int(64), "num_layers": wire.Int(2),
		"num_heads": wire.Int(4), "d_ff": wire.Int(192), "rope_theta": wire.Float(10000), "seed": wire.Int(seed)}
}

// modelShapes returns the state dictionary of that model: names and shapes.
func modelShapes() map[string][]int {
	const v, d, f = 97, 64, 192
	shapes := map[string][]int{"token_embeddings.weight": {v, d}, "ln_final.weight": {d}, "lm_head.weight": {v, d}}
	for l := range 2 {
		name := fmt.Sprintf("layers.%d.", l)
		shapes[name+"ln1.weight"], shapes[name+"ln2.weight"] = []int{d}, []int{d}
		for _, p := range []string{"q", "k", "v", "output"} {
			shapes[name+"attn."+p+"_proj.weight"] = []int{d, d}
		}
		shapes[name+"ffn.w1.weight"], shapes[name+"ffn.w2.weight"], shapes[name+"ffn.w3.weight"] = []int{f, d}, []int{d, f}, []int{f, d}
	}
	return shapes
}

// freshModel checks the names, shapes and spreads of a fresh model, and that
// no two of its tensors begin alike.
func freshModel(e *course.Exam) error {
	in := modelConfig(int(e.Rng.Int32()))
	state, err := e.Ask("lm.init", in)
	if err != nil {
		return err
	}
	wrong := func(kind verdict.Kind, format string, args ...any) error {
		return &verdict.Failure{Kind: kind, Asked: e.Asked("lm.init", in), Message: lang.T(format, args...)}
	}
	want := modelShapes()
	for _, name := range course.SortedNames(state) {
		if want[name] == nil {
			return wrong(verdict.WrongShape, "the state dictionary has an entry %q that does not belong to it", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch w, ok := state[name]; {
		case !ok:
			return wrong(verdict.WrongShape, "the state dictionary has no entry %q", name)
		case w.DType != wire.F32 || !slices.Equal(w.Shape, want[name]):
			return wrong(verdict.WrongShape, "%s has shape %s; want %s", name, course.ShapeOf(w), course.ShapeOf(wire.Value{Shape: want[name]}))
		}
	}
	if message := course.First(gainsBegin(e, state), weightsBegin(e, state)); !message.Empty() {
		return wrong(verdict.WrongValues, "%s", message)
	}
	return nil
}

// gainsBegin marks the gains of a fresh model and says what is wrong with them,
// if anything is.
func gainsBegin(e *course.Exam, state wire.Values) (message lang.Text) {
	var sum, squares, n float64
	for _, name := range course.SortedNames(state) {
		w := state[name]
		if len(w.Shape) != 1 {
			continue
		}
		for i, g := range w.F32 {
			if message.Empty() && g != 1 {
				message = lang.T("%s is %g at %d; gains begin at 1", name, g, i)
			}
			sum, squares, n = sum+float64(g), squares+float64(g)*float64(g), n+1
		}
	}
	// Gains drawn from N(0, 1) would have the mean 0 ± 0.06 and the spread 1 ± 0.04.
	mean := sum / n
	e.MarkNumber(e.Check+"/mean of the gains", 1+mean, 2, 0.15)
	e.MarkNumber(e.Check+"/spread of the gains", 1+math.Sqrt(max(0, squares/n-mean*mean)), 1, 0.12)
	return message
}

// weightsBegin marks the matrices of a fresh model and says what is wrong with
// them, if anything is. The standard error of a spread is 0.011 and less.
func weightsBegin(e *course.Exam, state wire.Values) (message lang.Text) {
	var drawn []beginning
	alike := 0.0
	for _, name := range course.SortedNames(state) {
		w := state[name]
		if len(w.Shape) == 1 {
			continue
		}
		sigma := 1.0
		if name != "token_embeddings.weight" {
			sigma = math.Sqrt(2 / float64(w.Shape[0]+w.Shape[1]))
		}
		const off = 0.08
		std := rms(w.F32)
		e.MarkNumber(e.Check+"/spread of "+name, std/(sigma*course.TruncatedStd(3)), 1, off)
		if !(math.Abs(std/(sigma*course.TruncatedStd(3))-1) < off) {
			message = course.First(message, lang.T("the standard deviation of %s is %.4g; want %.4g", name, std, sigma*course.TruncatedStd(3)))
		}
		begins := beginning{name: name}
		for i := range begins.z {
			begins.z[i] = float64(w.F32[i]) / std
		}
		if i := slices.IndexFunc(drawn, begins.like); i >= 0 {
			message = course.First(message, lang.T("%s and %s begin with the same numbers; every tensor needs a stream of its own", drawn[i].name, name))
			alike++
		}
		drawn = append(drawn, begins)
	}
	e.MarkOutcome(e.Check+"/beginnings", 1+alike/float64(len(drawn)), 1, 0.01)
	return message
}

// beginning is how a tensor begins, in units of its standard deviation: what its
// stream of random numbers began with, whatever σ is.
type beginning struct {
	name string
	z    [12]float64
}

// like reports whether two tensors begin alike. The standard deviations of two
// samples differ by some percent.
func (b beginning) like(other beginning) bool {
	for i := range b.z {
		if !(math.Abs(b.z[i]-other.z[i]) <= 0.1*math.Abs(b.z[i])) {
			return false
		}
	}
	return true
}

// seedSettles checks that the same seed gives the same model and another seed
// another one.
func seedSettles(e *course.Exam) error {
	seed := int(e.Rng.Int32())
	const name = "lm_head.weight"
	var drawn [3][]float32
	for i, s := range []int{seed, seed, seed + 1} {
		w, err := e.Array("lm.init", modelConfig(s), name, 97, 64)
		if err != nil {
			return err
		}
		drawn[i] = w
	}
	wrong := func(format string, args ...any) error {
		return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("lm.init", modelConfig(seed)), Message: lang.T(format, args...)}
	}
	e.MarkFlag("the same seed gives the same", slices.Equal(drawn[0], drawn[1]))
	e.MarkFlag("another seed gives another", drawn[0][0] != drawn[2][0])
	switch {
	case !slices.Equal(drawn[0], drawn[1]):
		return wrong("two models of the same seed differ in %s", name)
	case drawn[0][0] == drawn[2][0]:
		return wrong("another seed gave the same %s", name)
	}
	return nil
}

// initialLoss puts random tokens to a fresh model: its loss is that of a guess
// among V tokens, ln V, and a little more because its logits are not all equal. There are
// eight blocks, behind which rows that no norm makes shorter are large.
func initialLoss(e *course.Exam) error {
	config := course.With(modelConfig(int(e.Rng.Int32())), "num_layers", wire.Int(8))
	in, err := e.Ask("lm.init", config)
	if err != nil {
		return err
	}
	const vocab = 97
	in["num_heads"], in["rope_theta"], in["context_length"] = config["num_heads"], config["rope_theta"], config["context_length"]
	in["ids"] = course.IDs(e.Rng, vocab, 16, 16)
	logits, err := e.Array("lm.forward", in, "logits", 16, 16, vocab)
	if err != nil {
		return err
	}
	got := crossEntropy(logits, course.IDs(e.Rng, vocab, 16, 16).I64)
	// A logit is the dot product of a normalised row (length √D) with a row of
	// the head (σ² = 2/(V+D) a number): its variance s² ≈ 2D/(V+D), and the
	// expected loss about ln V + s²/2.
	want := math.Log(vocab) + 64/float64(vocab+64)
	if !(math.Abs(got-want) < 0.3) {
		return &verdict.Failure{Kind: verdict.WrongValues, Asked: lang.T("lm.forward on a fresh model and random tokens"),
			Message: lang.T("the loss is %.3f; want about ln V = ln 97 = %.2f, and up to 0.7 more", got, math.Log(vocab))}
	}
	return nil
}

// crossEntropy is the mean of logΣeˣ − x_target over rows of logits, one row a target.
func crossEntropy(logits []float32, targets []int64) float64 {
	sum, vocab := 0.0, len(logits)/len(targets)
	for i, target := range targets {
		row := logits[i*vocab : (i+1)*vocab]
		top, total := float64(slices.Max(row)), 0.0
		for _, x := range row {
			total += math.Exp(float64(x) - top)
		}
		sum += top + math.Log(total) - float64(row[target])
	}
	return sum / float64(len(targets))
}

// countsAgree holds the formula for the parameters to a count over a real
// state dictionary.
func countsAgree(e *course.Exam) error {
	in := modelConfig(1)
	state, err := e.Ask("lm.init", in)
	if err != nil {
		return err
	}
	count := 0
	for _, w := range state {
		count += w.Len()
	}
	delete(in, "seed")
	delete(in, "rope_theta")
	in["batch"], in["seq"] = wire.Int(1), wire.Int(16)
	out, err := e.Ask("lm.accounting", in)
	if err != nil {
		return err
	}
	if p := out["params"]; p.DType != wire.I64 || p.Len() != 1 || p.I64[0] != int64(count) {
		return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("lm.accounting", in),
			Message: lang.T("the formula says %v parameters; the state dictionary of such a model holds %d", p.I64, count)}
	}
	return nil
}

// rms is the root of the mean square.
func rms(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(len(x)))
}

// gradientsFresh checks the loss and every gradient on random models.
func gradientsFresh(e *course.Exam) error {
	for range course.FreshCases {
		if err := GradientsAgree(e, "lm.backward", DrawLMBackward, false); err != nil {
			return err
		}
	}
	return nil
}

// replicasAgree divides a batch between a model and its replicas: the sum of
// their gradients is the gradient of the whole batch. The first model is always
// the same, and its answer is marked.
func replicasAgree(e *course.Exam) error {
	draw := func(rng *rand.Rand) wire.Values {
		in := DrawLMBackward(rng)
		vocab, t := in["lm_head.weight"].Shape[0], in["ids"].Shape[1]
		in["ids"], in["targets"] = course.IDs(rng, vocab, 5, t), course.IDs(rng, vocab, 5, t)
		return in
	}
	fixed := draw(rand.New(rand.NewPCG(10, 2)))
	return course.InTurn(2, func(i int) error {
		if i == 0 {
			return GradientsAgree(e, "lm.replica", func(*rand.Rand) wire.Values { return fixed }, true)
		}
		return GradientsAgree(e, "lm.replica", draw, false)
	})
}

// gradientsAgree compares the answer of lm.backward, or of a function that
// computes the same, with the oracle's. Which of a small model's gradients suffers most from rounding is a
// matter of luck, so the largest tolerance of any of them holds for all.
func GradientsAgree(e *course.Exam, function string, draw func(*rand.Rand) wire.Values, marked bool) error {
	tolerance := e.LargestTolerance("lm.backward")
	in, want, err := e.Drawn(course.Drawing{Function: "lm.backward", Draw: draw, Tolerance: func(string) float64 { return tolerance }})
	if err != nil {
		return err
	}
	got, err := e.Ask(function, in)
	if err != nil {
		return err
	}
	for _, name := range course.SortedNames(want) {
		if marked {
			e.Mark(e.Check+"/"+name, got[name], want[name], tolerance)
		}
	}
	return e.Compare(function, in, got, want, nil, func(string) float64 { return tolerance })
}
