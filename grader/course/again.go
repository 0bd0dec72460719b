package course

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// Layer is what a student's program keeps between two calls: a training loop asks
// one layer thousands of times.
type Layer struct {
	Forward, Backward string                        // its functions; Backward, if it has one, takes all that Forward takes
	Input             string                        // the argument without which Backward calls no Forward: "x"
	Draw              func(*rand.Rand) wire.Values  // arguments of Backward
	Bad               func(wire.Values) wire.Values // the arguments, with an input that Forward must refuse
}

// sizes are what a layer is asked with, one after another: small, large and small
// again; one size twice in a row; without leading dimensions and with four; as many numbers in another
// shape; one of everything.
var sizes = []struct {
	lead []int
	dims map[string]int
}{
	{[]int{2, 3}, map[string]int{"B": 2, "T": 3, "N": 3, "M": 4}},
	{[]int{3, 2, 4}, map[string]int{"B": 4, "T": 5, "N": 6, "M": 7}},
	{[]int{2, 3}, map[string]int{"B": 2, "T": 3, "N": 3, "M": 4}},
	{[]int{2, 3}, map[string]int{"B": 2, "T": 3, "N": 3, "M": 4}},
	{nil, map[string]int{"B": 1, "T": 1, "N": 1, "M": 1}},
	{[]int{3, 2}, map[string]int{"B": 3, "T": 2, "N": 4, "M": 3}},
	{[]int{1, 2, 1, 3}, map[string]int{"B": 1, "T": 4, "N": 2, "M": 6}},
	{[]int{1, 1}, map[string]int{"B": 6, "T": 1, "N": 5, "M": 1}},
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

// fits reports whether the longest sequence that is asked for fits a drawn case.
func (e *Exam) fits(in wire.Values) bool {
	longest := 0
	for _, s := range sizes {
		longest = max(longest, s.dims["T"])
	}
	for _, name := range []string{"max_seq_len", "context_length"} {
		if v, ok := in[name]; ok && int(v.I64[0]) < longest {
			return false
		}
	}
	return true
}

// otherSizes asks two layers with all sizes, in opposite orders.
func (l Layer) otherSizes(e *Exam, one, two *made) error {
	for i := range sizes {
		for _, c := range []struct {
			m    *made
			size int
		}{{one, i}, {two, len(sizes) - 1 - i}} {
			in, want, err := e.another(l.whole(), c.m.first, c.size)
			if err != nil {
				return err
			}
			story := lang.Text{}
			if c.m.last != "" {
				story = lang.T("after a call with %s %s on the same layer", l.Input, c.m.last)
			}
			if err := l.forward(e, c.m, in, story); err != nil || l.Backward == "" {
				if err != nil {
					return err
				}
				continue
			}
			if err := l.ask(e, c.m, l.Backward, l.alone(in), want, story); err != nil {
				return err
			}
		}
	}
	return nil
}

// otherWeights asks with the same input again after the weights have changed, and
// then with other numbers of the same size.
func (l Layer) otherWeights(e *Exam, m *made) error {
	in, _, err := e.another(l.whole(), m.first, 0)
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
		now, want, err := e.Drawn(func(rng *rand.Rand) wire.Values { return c.next(rng, in) }, nil, e.Solve(l.whole()),
			func(name string) float64 { return e.Tolerance(l.whole(), name) })
		if err != nil {
			return err
		}
		if err := l.forward(e, m, now, c.story); err != nil {
			return err
		}
		if l.Backward == "" {
			continue
		}
		if err := l.ask(e, m, l.Backward, l.alone(now), want, c.story); err != nil {
			return err
		}
	}
	return nil
}

// changeable reports whether an array of the declared shape may have another size in
// the next call: weights may not.
func changeable(letters string) bool {
	return strings.Contains(letters, "…") || slices.ContainsFunc(strings.Fields(letters), func(d string) bool { return sizes[0].dims[d] > 0 })
}

// redrawn gives other numbers to the arrays whose declared shapes are wanted.
func (e *Exam) redrawn(rng *rand.Rand, function string, in wire.Values, wanted func(letters string) bool) wire.Values {
	for _, a := range e.Step.Function(function).In {
		if v, ok := in[a.Name]; ok && len(v.Shape) > 0 && wanted(a.Shape) {
			in = With(in, a.Name, drawnFrom(rng, v, v.Shape))
		}
	}
	return in
}

// inTurn calls both layers' Forward, and then both layers' Backward.
func (l Layer) inTurn(e *Exam, one, two *made) error {
	story := lang.T("two layers in turn: Forward of both, then Backward of both")
	type call struct{ in, want wire.Values }
	var calls []call
	for _, m := range []*made{one, two} {
		in, want, err := e.another(l.Backward, m.first, 0)
		if err != nil {
			return err
		}
		if err := l.forward(e, m, in, story); err != nil {
			return err
		}
		calls = append(calls, call{in, want})
	}
	for i, m := range []*made{one, two} {
		if err := l.ask(e, m, l.Backward, l.alone(calls[i].in), calls[i].want, story); err != nil {
			return err
		}
	}
	return nil
}

// twiceForward calls Forward on two inputs and then Backward twice, which is about
// the second.
func (l Layer) twiceForward(e *Exam, m *made) error {
	for _, size := range []int{1, 0} {
		in, want, err := e.another(l.Backward, m.first, size)
		if err != nil {
			return err
		}
		if err := l.forward(e, m, in, lang.T("two calls of Forward")); err != nil || size != 0 {
			if err != nil {
				return err
			}
			continue
		}
		for _, story := range []lang.Text{lang.T("Forward on two inputs, then Backward, which belongs to the second"),
			lang.T("Backward a second time after one Forward")} {
			if err := l.ask(e, m, l.Backward, l.alone(in), want, story); err != nil {
				return err
			}
		}
	}
	return nil
}

// afterRefusal calls Forward, then Forward on an input that must be refused, and
// then Backward, which belongs to the first.
func (l Layer) afterRefusal(e *Exam, m *made) error {
	if l.Bad == nil {
		return nil
	}
	in, want, err := e.another(l.Backward, m.first, 0)
	if err != nil {
		return err
	}
	story := lang.T("Forward, then a Forward that is refused, then Backward, as if the refused call had never been")
	if err := l.forward(e, m, in, story); err != nil {
		return err
	}
	other, _, err := e.another(l.Backward, m.first, 0) // what it refuses has other numbers
	if err != nil {
		return err
	}
	_, err = e.Call(l.Forward, e.only(l.Forward, l.of(m, l.Bad(other))))
	var f *verdict.Failure
	if !errors.As(err, &f) || !f.Refused {
		return err // another check asks whether it is refused
	}
	return l.ask(e, m, l.Backward, l.alone(in), want, story)
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

// ask puts a call to a layer and compares.
func (l Layer) ask(e *Exam, m *made, function string, in, want wire.Values, story lang.Text) error {
	if x, ok := in[l.Input]; ok {
		m.last = ShapeOf(x)
	}
	got, err := e.Ask(function, l.of(m, in))
	if err == nil {
		err = e.Compare(function, in, got, want, nil, func(name string) float64 { return e.Tolerance(function, name) })
	}
	var f *verdict.Failure
	if errors.As(err, &f) {
		told := *f
		if !story.Empty() {
			told.Asked = lang.T("%s: %s", story, f.Asked)
		}
		told.Diagnosis = verdict.Diagnosis{Kind: verdict.Unexplained} // a structure that one small case shows is no rule
		return &told
	}
	return err
}

// of are the arguments of a call of a layer.
func (l Layer) of(m *made, in wire.Values) wire.Values {
	return With(in, "instance", wire.Int(m.number))
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
		if name == "instance" || f == nil || slices.ContainsFunc(f.In, func(a fixtures.Arg) bool { return a.Name == name }) {
			kept[name] = v
		}
	}
	return kept
}

// another is a well-conditioned call of the layer that was made with first, of
// another size and with other numbers, and the right answer.
func (e *Exam) another(function string, first wire.Values, size int) (in, want wire.Values, err error) {
	tolerance := func(name string) float64 { return e.Tolerance(function, name) }
	return e.Drawn(func(rng *rand.Rand) wire.Values { return e.resized(rng, function, first, size) }, nil, e.Solve(function), tolerance)
}

// resized draws other numbers for all arrays of a call, from those that are there,
// and other sizes for the dimensions that may change from call to call.
func (e *Exam) resized(rng *rand.Rand, function string, first wire.Values, size int) wire.Values {
	in := wire.Values{}
	for _, name := range SortedNames(first) { // what is not declared, such as a state dictionary
		in[name] = first[name]
		if v := first[name]; v.DType == wire.F32 {
			in[name] = drawnFrom(rng, v, v.Shape)
		}
	}
	for _, a := range e.Step.Function(function).In {
		v, ok := first[a.Name]
		if !ok {
			continue
		}
		if len(v.Shape) > 0 {
			v = drawnFrom(rng, v, newShape(v.Shape, a.Shape, size))
		}
		in[a.Name] = v
	}
	return in
}

// newShape gives the dimensions that may change their sizes. The letters are those
// of a contract, of which the first alternative counts: "B T | 1 T".
func newShape(old []int, letters string, size int) []int {
	letters, _, _ = strings.Cut(letters, "|")
	before, behind, leading := strings.Cut(letters, "…")
	var shape []int
	add := func(part string, old []int) {
		for i, letter := range strings.Fields(part) {
			n, ok := sizes[size].dims[letter]
			if !ok {
				n = old[i]
			}
			shape = append(shape, n)
		}
	}
	add(before, old)
	if leading {
		shape = append(shape, sizes[size].lead...)
		add(behind, old[len(old)-len(strings.Fields(behind)):])
	}
	return shape
}

// drawnFrom is an array of a shape whose numbers are those of v, in any order and
// as often as it happens.
func drawnFrom(rng *rand.Rand, v wire.Value, shape []int) wire.Value {
	n := 1
	for _, d := range shape {
		n *= d
	}
	out := wire.Value{DType: v.DType, Shape: shape}
	for range n {
		i := rng.IntN(v.Len())
		switch v.DType {
		case wire.F32:
			out.F32 = append(out.F32, v.F32[i])
		case wire.I64:
			out.I64 = append(out.I64, v.I64[i])
		case wire.Bool:
			out.Bool = append(out.Bool, v.Bool[i])
		}
	}
	return out
}

// Wider makes an input wider by one than the layer takes.
func Wider(name string) func(wire.Values) wire.Values {
	return func(in wire.Values) wire.Values {
		shape := slices.Clone(in[name].Shape)
		shape[len(shape)-1]++
		return With(in, name, drawnFrom(rand.New(rand.NewPCG(1, 1)), in[name], shape))
	}
}

// OutOfRange makes the last id of an input larger than any that there is.
func OutOfRange(name string) func(wire.Values) wire.Values {
	return func(in wire.Values) wire.Values {
		v := in[name]
		v.I64 = slices.Clone(v.I64)
		v.I64[len(v.I64)-1] = 1 << 20
		return With(in, name, v)
	}
}
