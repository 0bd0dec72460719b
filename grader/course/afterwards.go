package course

import (
	"errors"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// AfterRefusal checks that a Forward that was refused is as if it had never been:
// what Forward returned before stays as it is, and Backward belongs to it. AskedAgain
// asks this with the layer's own bad input, and a step can ask it with another.
func AfterRefusal(l Layer) func(*Exam) error {
	return func(e *Exam) error {
		m, err := l.made(e)
		if err != nil {
			return err
		}
		return l.afterRefusal(e, m)
	}
}

// afterRefusal calls Forward, then Forward on an input that must be refused, and then
// Backward, which belongs to the first: with an input of another size, and with one of
// the same size and other ids, for which all memory is there already.
func (l Layer) afterRefusal(e *Exam, m *made) error {
	if l.Bad == nil {
		return nil
	}
	other, _, err := l.another(e, m.first, 1)
	if err != nil {
		return err
	}
	story := lang.T("Forward, then a Forward that is refused, then Backward, as if the refused call had never been")
	for _, refused := range []func(in wire.Values) wire.Values{func(wire.Values) wire.Values { return other }, e.otherIDs} {
		in, want, err := l.another(e, m.first, 0)
		if err != nil {
			return err
		}
		if err := l.forward(e, m, in, story); err != nil {
			return err
		}
		_, err = e.Call(l.Forward, With(l.Bad(e.only(l.Forward, refused(in))), instance, wire.Int(m.number)))
		var f *verdict.Failure
		if !errors.As(err, &f) || !f.Refused {
			return Told(story, err) // another check asks whether it is refused
		}
		if err := l.ask(e, m, l.Backward, in, want, story); err != nil {
			return err
		}
	}
	return nil
}

// otherIDs are the same arguments with other integers in their arrays.
func (e *Exam) otherIDs(in wire.Values) wire.Values {
	for _, name := range SortedNames(in) {
		if v := in[name]; v.DType == wire.I64 && len(v.Shape) > 0 {
			in = With(in, name, drawnFrom(e.Rng, v, v.Shape))
		}
	}
	return in
}
