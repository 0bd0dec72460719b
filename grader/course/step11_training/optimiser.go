package training

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// adamForm is one of the published forms of AdamW's update. All are right.
type adamForm struct {
	decayLast    bool // p moves along the means first and is decayed then
	epsUncorrect bool // ε is added to √v, and the rate carries both corrections
}

// adamForms returns the forms: first the one of PyTorch and so of the fixtures,
// Loshchilov and Hutter 2019, Algorithm 2. The other place of ε is in Kingma and
// Ba 2015, end of section 2.
func adamForms() []adamForm {
	return []adamForm{{}, {decayLast: true}, {epsUncorrect: true}, {decayLast: true, epsUncorrect: true}}
}

// adam is AdamW in float64.
type adam struct {
	form                         adamForm
	lr, beta1, beta2, eps, decay float64
	steps                        int
}

func newAdam(form adamForm, in wire.Values) *adam {
	return &adam{form: form, beta1: in["beta1"].F64[0], beta2: in["beta2"].F64[0], eps: in["eps"].F64[0], decay: in["weight_decay"].F64[0]}
}

// update moves p along g. The caller counts the steps, from 1.
func (a *adam) update(p, g, m, v []float64) {
	bias1, bias2 := 1-math.Pow(a.beta1, float64(a.steps)), 1-math.Pow(a.beta2, float64(a.steps))
	for i := range p {
		m[i] = a.beta1*m[i] + (1-a.beta1)*g[i]
		v[i] = a.beta2*v[i] + (1-a.beta2)*g[i]*g[i]
		move := a.lr * (m[i] / bias1) / (math.Sqrt(v[i]/bias2) + a.eps)
		if a.form.epsUncorrect {
			move = a.lr * math.Sqrt(bias2) / bias1 * m[i] / (math.Sqrt(v[i]) + a.eps)
		}
		if a.form.decayLast {
			p[i] -= move
			p[i] -= a.lr * a.decay * p[i]
		} else {
			p[i] -= a.lr * a.decay * p[i]
			p[i] -= move
		}
	}
}

// adamTruth is adamw.run in float64.
func adamTruth(in wire.Values, form adamForm) wire.Values {
	a := newAdam(form, in)
	a.lr = in["lr"].F64[0]
	p, grads, n := wide(in["p"]), wide(in["grads"]), in["p"].Len()
	m, v := make([]float64, n), make([]float64, n)
	params := wire.Floats(nil, in["grads"].Shape...)
	for s := range in["grads"].Shape[0] {
		a.steps++
		a.update(p, grads[s*n:(s+1)*n], m, v)
		params.F64 = append(params.F64, p...)
	}
	return wire.Values{"params": params, "m": wire.Floats(m, n), "v": wire.Floats(v, n)}
}

func wide(v wire.Value) []float64 {
	out := make([]float64, len(v.F32))
	for i, x := range v.F32 {
		out[i] = float64(x)
	}
	return out
}

// inOneForm asks for n answers and checks them against the forms of AdamW: one
// and the same form must explain all of them. compare holds an answer against a
// form. The failure is that of the first form, which is PyTorch's; where the answers
// of the form that the subject's AdamW has are kept back, so is the verdict.
func inOneForm(e *course.Exam, n int, ask func(i int) error, compare func(i int, form adamForm) error) error {
	first := course.InTurn(n, ask)
	if first != nil {
		return first
	}
	for _, form := range adamForms() {
		err := course.InTurn(n, func(i int) error { return compare(i, form) })
		if err == nil || errors.Is(err, course.ErrKeptBack) && hasForm(e, form) {
			return err
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// hasForm reports whether the subject's AdamW has a form, by the fixtures of AdamW alone.
func hasForm(e *course.Exam, form adamForm) bool {
	tolerance := func(name string) float64 { return e.Tolerance("adamw.run", name) }
	for _, c := range e.Fixtures.Cases("adamw.run") {
		got, err := e.Answer(c)
		if err != nil || e.Compare(c.Function, c.In, got, adamTruth(c.In, form), nil, tolerance) != nil {
			return false
		}
	}
	return true
}

// adamwAgrees holds AdamW against PyTorch, and against the other forms.
func adamwAgrees(e *course.Exam) error {
	return fixturesInOneForm(e, "adamw.run", func(in wire.Values, form adamForm) (wire.Values, error) { return adamTruth(in, form), nil })
}

// fixturesInOneForm holds a function against its fixtures, which are PyTorch's,
// and against the same inputs in the other forms, of which truth gives the
// results. Then it asks for one of them once more, altered.
func fixturesInOneForm(e *course.Exam, function string, truth func(in wire.Values, form adamForm) (wire.Values, error)) error {
	cases := e.Fixtures.Cases(function)
	answers := make([]wire.Values, len(cases))
	err := inOneForm(e, len(cases), func(i int) (err error) {
		answers[i], err = e.Answer(cases[i])
		return course.InCase(err, cases[i].Name)
	}, func(i int, form adamForm) (err error) {
		c, want := cases[i], cases[i].Out
		if form != (adamForm{}) {
			if want, err = truth(c.In, form); err != nil {
				return err
			}
		}
		return course.InCase(e.Compare(c.Function, c.In, answers[i], want, nil, func(name string) float64 { return c.Tolerance[name] }), c.Name)
	})
	if err != nil {
		return err
	}
	var forms []course.Solver
	for _, form := range adamForms() {
		forms = append(forms, func(in wire.Values) (wire.Values, error) { return truth(in, form) })
	}
	return e.Altered(function, course.InputsOf(cases), nil, forms...)
}

// adamwFresh draws gradients that change their sign and their size from step to
// step. A step must leave them as they are.
func adamwFresh(e *course.Exam) error {
	inputs, answers := make([]wire.Values, course.FreshCases), make([]wire.Values, course.FreshCases)
	tolerance := func(name string) float64 { return e.Tolerance("adamw.run", name) }
	byPyTorch := func(in wire.Values) (wire.Values, error) { return adamTruth(in, adamForms()[0]), nil }
	return inOneForm(e, course.FreshCases, func(i int) (err error) {
		in, _, err := e.Drawn(course.Drawing{Function: "adamw.run", Draw: drawAdamW, Truth: byPyTorch})
		if err != nil {
			return err
		}
		inputs[i] = in
		if answers[i], err = e.Ask("adamw.run", in); err != nil {
			return err
		}
		after, told := answers[i]["gradients"]
		if told {
			err = e.InputKept("adamw.run", in, "grads", after)
		}
		e.MarkFlag("the gradients stay", err == nil)
		return err
	}, func(i int, form adamForm) error {
		return e.Compare("adamw.run", inputs[i], answers[i], adamTruth(inputs[i], form), nil, tolerance)
	})
}

// drawAdamW draws settings, parameters and gradients of a few steps.
func drawAdamW(rng *rand.Rand) wire.Values {
	n, steps := course.Between(rng, 3, 40), course.Between(rng, 3, 9)
	in := wire.Values{"p": course.Normal(rng, 1, n), "grads": course.Normal(rng, 1, steps, n),
		"lr": wire.Float(0.001 + 0.02*rng.Float64()), "weight_decay": wire.Float(0.5 * rng.Float64()), "eps": wire.Float(1e-4),
		"beta1": wire.Float(0.8 + 0.1*rng.Float64()), "beta2": wire.Float(0.9 + 0.099*rng.Float64())}
	for at := range in["grads"].F32 {
		in["grads"].F32[at] *= float32(1 + at/n)
	}
	return in
}

// scheduleFresh checks the schedule with random boundaries, at and around them: of
// some updates, and of a million.
func scheduleFresh(e *course.Exam) error {
	scales := []int{1, 1, 50, 5000}
	return course.InTurn(len(scales), func(i int) error {
		warmup := scales[i] * course.Between(e.Rng, 1, 50)
		end := warmup + scales[i]*course.Between(e.Rng, 2, 200)
		top := 0.001 + e.Rng.Float64()
		low := top * e.Rng.Float64() / 2
		t := wire.Ints([]int64{0, 1, int64(warmup) - 1, int64(warmup), int64(warmup) + 1, int64(end) - 1, int64(end), int64(end) + 1, int64(3 * end)}, 9)
		for range 8 {
			t.I64 = append(t.I64, e.Rng.Int64N(int64(end)))
		}
		t.Shape = []int{len(t.I64)}
		return ratesAgree(e, t, top, low, warmup, end, "")
	})
}

// scheduleWithoutCosine checks a warm-up that lasts until the floor begins, and longer.
func scheduleWithoutCosine(e *course.Exam) error {
	if err := ratesAgree(e, integers(0, 1, 8, 9, 10, 11, 40), 0.3, 0.02, 10, 10, "no cosine"); err != nil {
		return err
	}
	return ratesAgree(e, integers(0, 9, 10, 11, 14, 15, 16, 40), 0.3, 0.02, 15, 10, "")
}

// ratesAgree asks for the rates of the updates t, and marks them under a name.
func ratesAgree(e *course.Exam, t wire.Value, top, low float64, warmup, end int, name string) error {
	in := wire.Values{"t": t, "lr_max": wire.Float(top), "lr_min": wire.Float(low), "warmup": wire.Int(warmup), "cosine_end": wire.Int(end)}
	want, err := scheduleTruth(in)
	if err != nil {
		return err
	}
	got, err := e.Ask("schedule", in)
	if err != nil {
		return err
	}
	if name != "" {
		e.MarkChosen(e.Check+"/"+name, "schedule", got, want)
	}
	return e.Compare("schedule", in, got, want, nil, func(name string) float64 { return e.Tolerance("schedule", name) })
}

// rate is the cosine schedule with linear warm-up.
func rate(t int, top, low float64, warmup, end int) float64 {
	switch {
	case t < warmup:
		return top * float64(t) / float64(warmup)
	case t >= end:
		return low
	}
	return low + (top-low)*(1+math.Cos(math.Pi*float64(t-warmup)/float64(end-warmup)))/2
}

// clipFresh checks clipping just above and just below the bound, and well off.
func clipFresh(e *course.Exam) error {
	tolerance := func(name string) float64 { return e.Tolerance("clip", name) }
	for _, c := range []struct{ share, size float64 }{{0.1, 1}, {0.98, 1}, {1.02, 1}, {30, 1}, {30, 1e20}} { // the square of 1e20 is beyond float32
		in, want, err := e.Drawn(course.Drawing{Function: "clip", Truth: clipTruth, Draw: func(rng *rand.Rand) wire.Values {
			n := course.Distinct(rng, 5, 2, 40)
			in := wire.Values{"g1": course.Normal(rng, c.size, n[0], n[1]), "g2": course.Normal(rng, 3*c.size, n[2]), "g3": course.Normal(rng, 0.3*c.size, n[3], n[4])}
			in["max_norm"] = wire.Float(norm([][]float64{wide(in["g1"]), wide(in["g2"]), wide(in["g3"])}) / c.share)
			return in
		}})
		if err != nil {
			return err
		}
		got, err := e.Ask("clip", in)
		if err != nil {
			return err
		}
		if err := e.Compare("clip", in, got, want, nil, tolerance); err != nil {
			return err
		}
	}
	return nil
}

func norm(grads [][]float64) float64 {
	squares := 0.0
	for _, x := range slices.Concat(grads...) {
		squares += x * x
	}
	return math.Sqrt(squares)
}

// clip scales the gradients in place and returns their norm before.
func clip(grads [][]float64, bound float64) float64 {
	n := norm(grads)
	if n > bound {
		for _, g := range grads {
			for i := range g {
				g[i] *= bound / (n + 1e-6)
			}
		}
	}
	return n
}
