package training

import (
	"math/rand/v2"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	lm "github.com/stubformer/stubformer/grader/course/step10_lm"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// trajectoryTruth is train.trajectory in float64: the gradients are the
// oracle's.
func trajectoryTruth(ask course.Oracle, in wire.Values, form adamForm) (wire.Values, error) {
	want, err := stepsTruth(ask, in, form)
	delete(want, "norms")
	return want, err
}

// stepsTruth is trajectoryTruth with the norms of the gradients. If in says at which
// step the optimiser is, it goes on from there with the means in it.
func stepsTruth(ask course.Oracle, in wire.Values, form adamForm) (wire.Values, error) {
	a := newAdam(form, in)
	losses, norms := wire.Floats(nil, len(in["lr"].F64)), wire.Floats(nil, len(in["lr"].F64))
	state, m, v := wire.Values{}, map[string][]float64{}, map[string][]float64{}
	at, far := in["step"]
	if far {
		a.steps = int(at.I64[0])
	}
	for _, name := range course.SortedNames(in) {
		value := in[name]
		if value.DType != wire.F32 || strings.Contains(name, "/") {
			continue
		}
		state[name] = wire.Floats(wide(value), value.Shape...)
		m[name], v[name] = make([]float64, value.Len()), make([]float64, value.Len())
		if far {
			m[name], v[name] = wide(in["m/"+name]), wide(in["v/"+name])
		}
	}
	names, shape := course.SortedNames(state), in["ids"].Shape[1:]
	batch := shape[0] * shape[1]
	for s, lr := range in["lr"].F64 {
		call := wire.Values{"num_heads": in["num_heads"], "rope_theta": in["rope_theta"], "context_length": in["context_length"]}
		rows := shape[0]
		if fewer, ok := in["rows"]; ok {
			rows = int(fewer.I64[s])
		}
		for _, name := range []string{"ids", "targets"} {
			call[name] = wire.Ints(in[name].I64[s*batch:s*batch+rows*shape[1]], rows, shape[1])
		}
		for _, name := range names {
			call[name] = state[name]
		}
		out, err := ask("lm.backward", call)
		if err != nil {
			return nil, err
		}
		losses.F64 = append(losses.F64, out["loss"].F64[0])
		grads := make([][]float64, len(names))
		for i, name := range names {
			grads[i] = out["grad."+name].F64
		}
		norms.F64 = append(norms.F64, clip(grads, in["max_norm"].F64[0]))
		a.steps, a.lr = a.steps+1, lr
		for i, name := range names {
			a.update(state[name].F64, grads[i], m[name], v[name])
		}
	}
	want := wire.Values{"losses": losses, "norms": norms}
	for _, name := range names {
		want["final."+name] = state[name]
	}
	return want, nil
}

// trajectoryAgrees holds some updates against PyTorch, and against the other
// forms of AdamW. The losses of a trajectory are marked as its curve.
func trajectoryAgrees(e *course.Exam) error {
	err := fixturesInOneForm(e, "train.trajectory", func(in wire.Values, form adamForm) (wire.Values, error) { return trajectoryTruth(e.Truth, in, form) })
	for name, m := range e.Marks {
		if m.Curve = strings.HasPrefix(name, "train.trajectory/") && strings.HasSuffix(name, "/losses"); m.Curve {
			e.Marks[name] = m
		}
	}
	return err
}

// beginsRight holds the losses before the first update against PyTorch: they are the
// same in all forms of AdamW, of which a student edition has one.
func beginsRight(e *course.Exam) error {
	return course.InTurn(len(e.Fixtures.Cases("train.trajectory")), func(i int) error {
		c := e.Fixtures.Cases("train.trajectory")[i]
		got, err := e.Answer(c)
		if err != nil {
			return course.InCase(err, c.Name)
		}
		losses, want := verdict.Numbers(got["losses"]), wire.Floats(c.Out["losses"].F64[:1], 1)
		first := losses[:min(1, len(losses))]
		if verdict.Compare("losses", wire.Floats(first, len(first)), want, c.Tolerance["losses"]) != nil {
			return course.InCase(e.Fails(c.Function, c.In, "the loss of the first update is %.6g; want %.6g", first, want.F64[0]), c.Name)
		}
		return nil
	})
}

// shardsAgree trains random models whose batches cannot be cut evenly, and are
// not all of the same size.
func shardsAgree(e *course.Exam) error {
	const steps = 3
	largest := e.LargestTolerance("train.trajectory")
	byPyTorch := func(in wire.Values) (wire.Values, error) { return trajectoryTruth(e.Truth, in, adamForms()[0]) }
	cuts := [][2]int{{5, 3}, {7, 4}, {2, 5}, {3, 1}} // sequences at most, shards
	inputs, answers := make([]wire.Values, len(cuts)), make([]wire.Values, len(cuts))
	return inOneForm(e, len(cuts), func(i int) (err error) {
		inputs[i], _, err = e.Drawn(course.Drawing{Truth: byPyTorch, Tolerance: func(string) float64 { return largest }, Draw: func(rng *rand.Rand) wire.Values {
			in := drawTrajectory(rng, steps, cuts[i][0])
			in["shards"] = wire.Int(cuts[i][1])
			in["rows"] = integers(cuts[i][0], course.Between(rng, 1, 2), cuts[i][0])
			return in
		}})
		if err != nil {
			return err
		}
		answers[i], err = e.Ask("train.shards", inputs[i])
		return err
	}, func(i int, form adamForm) error {
		want, err := trajectoryTruth(e.Truth, inputs[i], form)
		if err != nil {
			return err
		}
		return e.Compare("train.shards", inputs[i], answers[i], want, nil, func(string) float64 { return largest })
	})
}

// drawTrajectory draws a small model and batches for it. ε is large, so that a
// gradient that is all rounding error moves no parameter by a whole step.
func drawTrajectory(rng *rand.Rand, steps, batch int) wire.Values {
	in := lm.DrawLM(rng)
	vocab, seq := in["lm_head.weight"].Shape[0], 4
	in["ids"], in["targets"] = course.IDs(rng, vocab, steps, batch, seq), course.IDs(rng, vocab, steps, batch, seq)
	in["lr"] = wire.Floats(make([]float64, steps), steps)
	for s := range in["lr"].F64 {
		in["lr"].F64[s] = 0.002 + 0.005*rng.Float64()
	}
	in["beta1"], in["beta2"], in["eps"] = wire.Float(0.9), wire.Float(0.95), wire.Float(1e-3)
	in["weight_decay"], in["max_norm"] = wire.Float(0.3), wire.Float(0.5)
	return in
}
