package course

import (
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// Despite checks that calls are answered as if the binding had not done beside them what the
// argument asks of it: put other numbers where the calls' own lie and these back, or ask
// another layer that is made of the same parameter. The story says what that is.
func Despite(argument string, story lang.Text, drawings ...Drawing) func(*Exam) error {
	return func(e *Exam) error {
		return InTurn(len(drawings), func(i int) error {
			d := drawings[i]
			in, want, err := e.Drawn(d)
			if err != nil {
				return err
			}
			in = With(in, argument, wire.Int(1))
			got, err := e.Ask(d.Function, in)
			if err == nil {
				err = e.Compare(d.Function, in, got, want, nil, e.tolerances(d.Function))
			}
			return Told(story, err)
		})
	}
}
