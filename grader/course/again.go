package course

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// instance is the argument that says which layer a call is about; the bindings keep
// it for the calls to come.
const instance = "instance"

// Layer is what a student's program keeps between two calls: a training loop asks
// one layer thousands of times.
type Layer struct {
	Forward, Backward string                        // its functions; Backward, if it has one, takes all that Forward takes
	Input             string                        // the argument without which Backward calls no Forward: "x"
	Draw              func(*rand.Rand) wire.Values  // arguments of Backward
	Bad               func(wire.Values) wire.Values // the arguments, with an input that Forward must refuse
	Least             int                           // of every dimension that changes, where fewer leave nothing but rounding of a gradient; 0 for 1
}

// Again is the check, of five points, that one layer can be asked as often as training
// asks it; see AskedAgain. It looks inside a Go program: one whose functions keep
// nothing between two calls has no such layer.
func Again(id string, parts ...func(*Exam) error) Check {
	return Check{ID: id, Title: "one layer, asked again and again with other sizes, weights and neighbours, answers as if it were new", Points: 5, Run: All(parts...)}
}

// AgainHint is the hint to that check.
func AgainHint(id string) Hint {
	return Hint{For: id, Text: "Look at what the layer keeps between two calls. The parameters are read anew, from the Param itself. Every tensor that is used again gets the shape of this call's input (tensor.Reuse) and is written anew, all of it; nothing lies in a variable of the package, which all layers share; and bad input is refused before anything is changed."}
}

// AskedAgain checks that one layer answers as if every call were its first, however
// the calls before it were: of other sizes, with other weights, two layers in turn,
// two forward passes before a backward one, after a call that was refused.
func AskedAgain(l Layer) func(*Exam) error {
	return func(e *Exam) error {
		one, err := l.made(e)
		if err != nil {
			return err
		}
		two, err := l.made(e)
		if err != nil {
			return err
		}
		if l.Backward == "" {
			return All(func(*Exam) error { return l.otherSizes(e, one, two) },
				func(*Exam) error { return l.otherWeights(e, one) })(e)
		}
		return All(
			func(*Exam) error { return l.otherSizes(e, one, two) },
			func(*Exam) error { return l.otherWeights(e, one) },
			func(*Exam) error { return l.inTurn(e, one, two) },
			func(*Exam) error { return l.inTurn(e, one, &made{number: e.Rng.IntN(1 << 40), first: one.first}) }, // of the same sizes
			func(*Exam) error { return l.twiceForward(e, one) },
			func(*Exam) error { return l.afterRefusal(e, one) },
		)(e)
	}
}

// whole is the function that goes through the whole layer.
func (l Layer) whole() string {
	if l.Backward == "" {
		return l.Forward
	}
	return l.Backward
}

// made is a layer that the subject keeps.
type made struct {
	number int
	first  wire.Values // what it was made with
	last   string      // the shape of its last input, for people
	past   []remembered
}

func (l Layer) made(e *Exam) (*made, error) {
	for range redraws {
		in := l.Draw(e.Rng)
		if e.fits(in) {
			return &made{number: e.Rng.IntN(1 << 40), first: in}, nil
		}
	}
	return nil, errors.New(l.Forward + ": no case that was drawn leaves room for other sizes")
}

// otherSizes asks two layers with all sizes, in opposite orders.
func (l Layer) otherSizes(e *Exam, one, two *made) error {
	for i := range sizes {
		for _, c := range []struct {
			m    *made
			size int
		}{{one, i}, {two, len(sizes) - 1 - i}} {
			in, want, err := l.another(e, c.m.first, c.size)
			if err != nil {
				return err
			}
			story := lang.Text{}
			if c.m.last != "" {
				story = lang.T("after a call with %s %s on the same layer", l.Input, c.m.last)
			}
			if err := l.through(e, c.m, in, want, story); err != nil {
				return err
			}
		}
	}
	return nil
}

// otherWeights asks with the same input again after the weights have changed, and
// then with other numbers of the same size.
func (l Layer) otherWeights(e *Exam, m *made) error {
	in, _, err := l.another(e, m.first, 0)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		story lang.Text
		next  func(*rand.Rand, wire.Values) wire.Values
	}{
		{lang.T("the first of three calls of one size"), func(_ *rand.Rand, in wire.Values) wire.Values { return in }},
		{lang.T("the same input once more, with other weights"), func(rng *rand.Rand, in wire.Values) wire.Values {
			return e.redrawn(rng, l.whole(), in, func(letters string) bool { return !changeable(letters) })
		}},
		{lang.T("another input of the same size"), func(rng *rand.Rand, in wire.Values) wire.Values {
			return e.redrawn(rng, l.whole(), in, changeable)
		}},
	} {
		now, want, err := l.drawn(e, func(rng *rand.Rand) wire.Values { return c.next(rng, in) })
		if err != nil {
			return err
		}
		if err := l.through(e, m, now, want, c.story); err != nil {
			return err
		}
	}
	return nil
}

// inTurn calls both layers' Forward, and then both layers' Backward.
func (l Layer) inTurn(e *Exam, one, two *made) error {
	story := lang.T("two layers in turn: Forward of both, then Backward of both")
	type call struct{ in, want wire.Values }
	var calls []call
	for _, m := range []*made{one, two} {
		in, want, err := l.another(e, m.first, 0)
		if err != nil {
			return err
		}
		if err := l.forward(e, m, in, story); err != nil {
			return err
		}
		calls = append(calls, call{in, want})
	}
	for i, m := range []*made{one, two} {
		if err := l.ask(e, m, l.Backward, calls[i].in, calls[i].want, story); err != nil {
			return err
		}
	}
	return nil
}

// twiceForward calls Forward on two inputs and then Backward twice, which is about
// the second.
func (l Layer) twiceForward(e *Exam, m *made) error {
	first, _, err := l.another(e, m.first, 1)
	if err != nil {
		return err
	}
	second, want, err := l.another(e, m.first, 0)
	if err != nil {
		return err
	}
	for _, in := range []wire.Values{first, second} {
		if err := l.forward(e, m, in, lang.T("two calls of Forward")); err != nil {
			return err
		}
	}
	for _, story := range []lang.Text{lang.T("Forward on two inputs, then Backward, which belongs to the second"),
		lang.T("Backward a second time after one Forward")} {
		if err := l.ask(e, m, l.Backward, second, want, story); err != nil {
			return err
		}
	}
	return nil
}

// forward calls Forward and compares.
func (l Layer) forward(e *Exam, m *made, in wire.Values, story lang.Text) error {
	if l.Backward != "" {
		in = e.only(l.Forward, in)
	}
	want, err := e.Solve(l.Forward)(in)
	if err != nil {
		return err
	}
	return l.ask(e, m, l.Forward, in, want, story)
}

// through calls Forward and, if there is one, Backward alone, and compares: want is
// the answer of the function that goes through the whole layer.
func (l Layer) through(e *Exam, m *made, in, want wire.Values, story lang.Text) error {
	if err := l.forward(e, m, in, story); err != nil || l.Backward == "" {
		return err
	}
	return l.ask(e, m, l.Backward, in, want, story)
}

// ask puts a call to a layer and compares. A Backward is asked alone, without the input
// that its Forward had.
func (l Layer) ask(e *Exam, m *made, function string, in, want wire.Values, story lang.Text) error {
	given := in
	if function == l.Backward {
		given = l.alone(in)
	} else if x, ok := in[l.Input]; ok {
		m.last = ShapeOf(x)
	}
	return e.askKept(m.number, remembered{question{function, given, want}, in}, &m.past, story)
}

// alone are the arguments of a Backward without a Forward.
func (l Layer) alone(in wire.Values) wire.Values {
	in = With(in, l.Input, wire.Value{})
	delete(in, l.Input)
	return in
}

// only keeps the arguments that a function takes.
func (e *Exam) only(function string, in wire.Values) wire.Values {
	f := e.Step.Function(function)
	kept := wire.Values{}
	for name, v := range in {
		if f == nil || slices.ContainsFunc(f.In, func(a fixtures.Arg) bool { return a.Name == name }) {
			kept[name] = v
		}
	}
	return kept
}
