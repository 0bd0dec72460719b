package course

import (
	"errors"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// question is a call and the right answer.
type question struct {
	function string
	in, want wire.Values
}

// askKept asks a layer that the subject keeps, and compares; what is right joins the
// past of the layer. A failure begins with the story of what came before, and says what
// the layer has kept, if that shows.
func (e *Exam) askKept(number int, c remembered, past *[]remembered, story lang.Text) error {
	got, err := e.Ask(c.function, With(c.in, instance, wire.Int(number)))
	if err == nil {
		err = e.Compare(c.function, c.in, got, c.want, nil, e.tolerances(c.function))
	}
	var told *verdict.Failure
	if !errors.As(Told(story, err), &told) {
		*past = append(*past, c)
		return err
	}
	if left := e.leftOver(c, got, *past); got != nil && !left.Empty() {
		told.Explained("kept", left)
	}
	return told
}

// OneLayer checks that one layer answers several functions in turn, each asked
// anew, as if every call were its first: what AskedAgain leaves as the first call
// had it may change here, and so may what Forward and Backward are given.
func OneLayer(drawings ...Drawing) func(*Exam) error {
	return func(e *Exam) error {
		number, past := e.Rng.IntN(1<<40), []remembered{}
		for range FreshCases {
			for _, d := range drawings {
				in, want, err := e.Drawn(d)
				if err != nil {
					return err
				}
				if err := e.askKept(number, remembered{question{d.Function, in, want}, in}, &past, lang.T("one layer, asked several times")); err != nil {
					return err
				}
			}
		}
		return nil
	}
}
