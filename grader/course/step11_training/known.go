package training

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// The model of the bindings' training runs.
const (
	runVocab, runContext, runWidth, runInner = 11, 5, 16, 24
	runHeads                                 = 2
	runTheta, runDecay, runMaxNorm           = 10000.0, 0.1, 1.0
)

// began adds to a run the state that it begins with: a model, both means of AdamW,
// and the number of the updates made so far.
func began(rng *rand.Rand, in wire.Values, step int) {
	const v, d, f = runVocab, runWidth, runInner
	spread := math.Sqrt(1.0 / d)
	params := wire.Values{
		"token_embeddings.weight": course.Normal(rng, 1, v, d), "lm_head.weight": course.Normal(rng, spread, v, d), "ln_final.weight": course.Gain(rng, d),
		"layers.0.ln1.weight": course.Gain(rng, d), "layers.0.ln2.weight": course.Gain(rng, d),
		"layers.0.ffn.w1.weight": course.Normal(rng, spread, f, d), "layers.0.ffn.w2.weight": course.Normal(rng, math.Sqrt(1.0/f), d, f),
		"layers.0.ffn.w3.weight": course.Normal(rng, spread, f, d),
	}
	for _, part := range []string{"q", "k", "v", "output"} {
		params["layers.0.attn."+part+"_proj.weight"] = course.Normal(rng, spread, d, d)
	}
	in["step"], in["rope_theta"] = wire.Int(step), wire.Float(runTheta)
	for _, name := range course.SortedNames(params) {
		in["params/"+name] = params[name]
		in["m/"+name], in["v/"+name] = course.Normal(rng, 0, params[name].Shape...), course.Normal(rng, 0, params[name].Shape...)
		if step > 0 {
			in["m/"+name], in["v/"+name] = course.Normal(rng, 0.01, params[name].Shape...), course.Normal(rng, 0.01, params[name].Shape...)
			for i, x := range in["v/"+name].F32 {
				in["v/"+name].F32[i] = x * x
			}
		}
	}
}

// stateful leaves the parameters of a model that begins a run.
func stateful(in wire.Values) wire.Values {
	state := wire.Values{"num_heads": wire.Int(runHeads), "rope_theta": wire.Float(runTheta), "context_length": wire.Int(runContext)}
	for name, v := range in {
		if rest, ok := strings.CutPrefix(name, "params/"); ok {
			state[rest] = v
		}
	}
	return state
}

// knownRuns trains on a text with room for one window, and evaluates on another
// such text, so that every batch is known: losses, norms, rates, evaluations and
// parameters are held against the truth, at the beginning and far out.
func knownRuns(e *course.Exam) error {
	largest := e.LargestTolerance("train.trajectory")
	tolerance := func(string) float64 { return largest }
	byPyTorch := func(in wire.Values) (wire.Values, error) { return runTruth(e.Truth, in, adamForms()[0]) }
	from := []int{0, 150, 1500, 10_000, 1_000_000} // v̂ is 1.29 v at 1,500, and v far out
	inputs, answers := make([]wire.Values, len(from)), make([]wire.Values, len(from))
	err := inOneForm(e, len(from), func(i int) (err error) {
		inputs[i], _, err = e.Drawn(course.Drawing{Truth: byPyTorch, Tolerance: tolerance,
			Draw: func(rng *rand.Rand) wire.Values { return knownRun(e, rng, from[i]) }})
		if err != nil {
			return err
		}
		if answers[i], err = e.Ask("train.run", inputs[i]); err != nil {
			return err
		}
		return keptAtTheEnd(e, inputs[i], answers[i], from[i])
	}, func(i int, form adamForm) error {
		want, err := runTruth(e.Truth, inputs[i], form)
		if err != nil {
			return err
		}
		return e.Compare("train.run", inputs[i], answers[i], want, nil, tolerance)
	})
	var f *verdict.Failure
	if !errors.As(err, &f) {
		return err
	}
	told := *f
	told.Asked = lang.T("%s: %s", lang.T("a text and a validation text with room for one window each, so that every batch is known"), f.Asked)
	return &told
}

const knownSteps = 4

// knownRun draws a run whose batches are known.
func knownRun(e *course.Exam, rng *rand.Rand, from int) wire.Values {
	in := loop(e)
	began(rng, in, from)
	in["tokens"], in["validation"] = course.IDs(rng, runVocab, runContext+1), course.IDs(rng, runVocab, runContext+1)
	in["batch"], in["shards"] = wire.Int(3), wire.Int(2)
	in["steps"], in["warmup"] = wire.Int(from+knownSteps), wire.Int(from+2)
	in["eval_every"], in["save_every"] = wire.Int(1), wire.Int(0)
	in["beta2"], in["eps"] = wire.Float(0.999), wire.Float(1e-3)
	return in
}

// keptAtTheEnd checks when a run without save_every saves.
func keptAtTheEnd(e *course.Exam, in, out wire.Values, from int) error {
	last := int64(from + knownSteps)
	if want := []int64{0, 0, 0, last}; !slices.Equal(out["saved"].I64, want) || !slices.Equal(out["told"].I64, want[3:]) {
		return e.Fails("train.run", in, "save_every is 0, and a checkpoint is due at the end only: after each update the one on the disk is of update %v, want %v; "+
			"the reports of the updates %v say that one was written, want %v", out["saved"].I64, want, out["told"].I64, want[3:])
	}
	return nil
}

// runTruth is such a run in float64.
func runTruth(ask course.Oracle, in wire.Values, form adamForm) (wire.Values, error) {
	from, rows := int(in["step"].I64[0]), int(in["batch"].I64[0])
	call := stateful(in)
	for name, v := range in {
		if strings.HasPrefix(name, "m/") || strings.HasPrefix(name, "v/") {
			call[name] = v
		}
	}
	rates := wire.Floats(nil, knownSteps)
	for t := from + 1; t <= from+knownSteps; t++ {
		rates.F64 = append(rates.F64, rate(t, in["lr_max"].F64[0], in["lr_min"].F64[0], int(in["warmup"].I64[0]), from+knownSteps))
	}
	call["step"], call["lr"], call["max_norm"], call["weight_decay"] = in["step"], rates, wire.Float(runMaxNorm), wire.Float(runDecay)
	call["beta1"], call["beta2"], call["eps"] = wire.Float(0.9), in["beta2"], in["eps"]
	text := in["tokens"].I64
	call["ids"] = wire.Ints(slices.Repeat(text[:runContext], rows*knownSteps), knownSteps, rows, runContext)
	call["targets"] = wire.Ints(slices.Repeat(text[1:], rows*knownSteps), knownSteps, rows, runContext)
	evaluations := wire.Floats(nil, knownSteps)
	for s := range knownSteps {
		call["lr"] = wire.Floats(rates.F64[:s+1], s+1)
		want, err := stepsTruth(ask, call, form)
		if err != nil {
			return nil, err
		}
		loss, err := windowLoss(ask, call, want, in["validation"].I64)
		if err != nil {
			return nil, err
		}
		evaluations.F64 = append(evaluations.F64, loss)
		if s == knownSteps-1 {
			want["lr"], want["evaluations"] = rates, evaluations
			return want, nil
		}
	}
	return nil, fmt.Errorf("no updates")
}

// windowLoss is the loss of one window, with the parameters at the end of a
// trajectory or, if there is none, with those of the call.
func windowLoss(ask course.Oracle, call, trajectory wire.Values, window []int64) (float64, error) {
	in := wire.Values{"ids": wire.Ints(window[:runContext], 1, runContext), "targets": wire.Ints(window[1:], 1, runContext)}
	for name, v := range call {
		if strings.HasSuffix(name, ".weight") && !strings.Contains(name, "/") || slices.Contains([]string{"num_heads", "rope_theta", "context_length"}, name) {
			in[name] = v
		}
	}
	for name, v := range trajectory {
		if rest, ok := strings.CutPrefix(name, "final."); ok {
			in[rest] = v
		}
	}
	out, err := ask("lm.backward", in)
	if err != nil {
		return 0, err
	}
	return out["loss"].F64[0], nil
}
