package windows

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// lowScores checks that a hidden key stays hidden however low the scores that are seen:
// nothing but −Inf lies below all of them.
func lowScores(e *course.Exam) error {
	for _, magnitude := range []float32{1e4, 1e16} { // the highest score is −1.4 times its square
		q, k := make([]float32, 12), make([]float32, 12)
		for i := range q {
			q[i], k[i] = magnitude, -magnitude*(1+float32(i/2)/8)
		}
		in := sizes{n: 6, m: 6, k: 2, c: 4, window: 3}.draw(e.Rng)
		in["q"], in["k"] = wire.Float32s(q, 6, 2), wire.Float32s(k, 6, 2)
		if err := e.Against("window.forward", in, nil); err != nil {
			return err
		}
	}
	return nil
}

// oneTensor lets a text attend to itself: the bindings hand over one tensor where q, k and
// v are the same numbers.
func oneTensor(function string, draw func(*rand.Rand) wire.Values) func(*course.Exam) error {
	same := func(rng *rand.Rand) wire.Values {
		in := draw(rng)
		in["k"], in["v"] = in["q"], in["q"]
		if dy, ok := in["dy"]; ok {
			in["dy"] = course.Normal(rng, 1, append(dy.Shape[:len(dy.Shape)-1:len(dy.Shape)-1], in["q"].Shape[len(dy.Shape)-1])...)
		}
		return in
	}
	ask := course.AgreesForEach(course.Drawing{Function: function, Draw: same})
	return func(e *course.Exam) error { return course.Told(lang.T("q, k and v are one tensor"), ask(e)) }
}

// otherWindows asks one layer through windows of several sizes, with masks that come and
// go, what is hidden now was not hidden before, and with keys of another width.
func otherWindows(e *course.Exam) error {
	var all []course.Drawing
	for _, s := range []sizes{{[]int{2}, 11, 11, 4, 3, 5, 0, 0}, {[]int{2}, 11, 11, 4, 3, 2, 0, 0}, {[]int{2}, 11, 11, 4, 3, 2, 3, 0.4}, {[]int{2}, 11, 11, 9, 5, 9, 1, 0}} {
		all = append(all, course.Drawing{Function: "window.backward", Draw: withGradient(s.draw)}, course.Drawing{Function: "window.forward", Draw: s.draw})
	}
	return course.OneLayer(all...)(e)
}

// after sets another window or chunk between Forward, which reads it, and Backward.
func after(function string, draw func(*rand.Rand) wire.Values, name string) func(*course.Exam) error {
	return func(e *course.Exam) error {
		in, want, err := e.Drawn(course.Drawing{Function: function, Draw: draw})
		if err != nil {
			return err
		}
		return course.InTurn(2, func(i int) error {
			in := course.With(in, name, wire.Int([]int{1, 100}[i]))
			got, err := e.Ask(function, in)
			if err == nil {
				err = e.Compare(function, in, got, want, nil, func(output string) float64 { return e.Tolerance(function, output) })
			}
			return course.Told(lang.T("the layer's fields are others after Forward, which has read them"), err)
		})
	}
}

// sameInAnyChunks asks for one text in chunks of four sizes: what comes out may not depend
// on them by more than rounding.
func sameInAnyChunks(function string, draw func(*rand.Rand) wire.Values) func(*course.Exam) error {
	chunks := []int{3, 1, 4, 100}
	return func(e *course.Exam) error {
		in, want, err := e.Drawn(course.Drawing{Function: function, Draw: draw})
		if err != nil {
			return err
		}
		var first wire.Values
		return course.InTurn(len(chunks), func(i int) error {
			in := course.With(in, "chunk", wire.Int(chunks[i]))
			got, err := e.Ask(function, in)
			if err != nil {
				return err
			}
			if first == nil {
				first = got
			}
			for _, name := range course.SortedNames(want) {
				d := verdict.Compare(name, got[name], first[name], 2*e.Tolerance(function, name)) // each may be off by one
				if d != nil {
					one, other := d.Numbers()
					return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked(function, in),
						Message: lang.T("%s is %s in chunks of %d tokens, and %s in chunks of %d; want the same in all",
							name+d.At(), one, chunks[i], other, chunks[0])}
				}
			}
			return e.Compare(function, in, got, want, nil, func(output string) float64 { return e.Tolerance(function, output) })
		})
	}
}

// threeForms asks for one head in all three forms.
func threeForms(e *course.Exam) error {
	in, want, err := e.Drawn(course.Drawing{Function: "linattn.quadratic", Draw: drawForm})
	if err != nil {
		return err
	}
	return course.InTurn(3, func(i int) error {
		function := []string{"linattn.quadratic", "linattn.recurrent", "linattn.forward"}[i]
		in := in
		if function == "linattn.forward" {
			in = course.With(in, "chunk", wire.Int(4))
		}
		got, err := e.Ask(function, in)
		if err == nil {
			err = e.Compare(function, in, got, want, []string{"y"}, func(output string) float64 { return e.Tolerance(function, output) })
		}
		return course.Told(lang.T("one text in three forms: quadratic, recurrent, in chunks"), err)
	})
}

// everySplit reads one text in every way to cut it into calls, round a ring of three places
// behind one sink.
func everySplit(e *course.Exam) error {
	const cut, function = 7, "stream.forward"
	s := stream{vocab: 9, d: 12, f: 11, heads: 3, layers: 2, context: 20, maxLen: 9, window: 3, sinks: 1, calls: []int{cut}, sharp: 1.6}
	in, want, err := e.Drawn(course.Drawing{Function: function, Draw: s.draw})
	if err != nil {
		return err
	}
	return course.InTurn(1<<(cut-1), func(places int) error {
		calls := []int64{0}
		for i := range cut {
			calls[len(calls)-1]++
			if places>>i&1 == 1 && i < cut-1 {
				calls = append(calls, 0)
			}
		}
		in := course.With(in, "calls", wire.Ints(calls, len(calls)))
		got, err := e.Ask(function, in)
		if err != nil {
			return err
		}
		return e.Compare(function, in, got, want, nil, func(output string) float64 { return e.Tolerance(function, output) })
	})
}
