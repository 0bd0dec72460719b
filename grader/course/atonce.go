package course

import (
	"errors"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// atOnce is the argument that puts a call to several goroutines at the same time; the
// bindings make it until so many calls have met another.
const atOnce = "at_once"

// Meetings is how many: of those of two goroutines that share a buffer, every second or
// third is answered wrong.
const Meetings = 60

// AtOnce checks that a call is answered as it is alone while other goroutines make
// calls of the same function with other numbers, each on a layer of its own.
func AtOnce(drawings ...Drawing) func(*Exam) error { return atSameTime(false, drawings) }

// SharedAtOnce is AtOnce with one layer for all goroutines, for what keeps nothing.
func SharedAtOnce(drawings ...Drawing) func(*Exam) error { return atSameTime(true, drawings) }

func atSameTime(shared bool, drawings []Drawing) func(*Exam) error {
	return func(e *Exam) error {
		return InTurn(len(drawings), func(i int) error {
			d := drawings[i]
			in, want, err := e.Drawn(d)
			if err != nil {
				return err
			}
			if shared {
				in = With(in, instance, wire.Int(e.Rng.IntN(1<<40)))
			}
			for _, call := range []wire.Values{in, With(in, atOnce, wire.Int(Meetings))} {
				got, err := e.Ask(d.Function, call)
				if err == nil {
					err = e.Compare(d.Function, call, got, want, nil, e.tolerances(d.Function))
				}
				if _, several := call[atOnce]; several {
					err = Disturbed(err)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// Told lets a failure begin with the story of what came before.
func Told(story lang.Text, err error) error {
	var f *verdict.Failure
	if !errors.As(err, &f) {
		return err
	}
	told := *f
	if !story.Empty() {
		told.Asked = lang.T("%s: %s", story, f.Asked)
	}
	told.Diagnosis = verdict.Diagnosis{Kind: verdict.Unexplained} // a structure that one small case shows is no rule
	return &told
}

// Disturbed says of a wrong answer that the call is right alone.
func Disturbed(err error) error {
	var f *verdict.Failure
	if !errors.As(err, &f) {
		return err
	}
	told := *f
	told.Message = lang.T("Alone the call is right. Two goroutines must not share what a call writes on its way: no buffer in a variable of the package, or in a value that serves them all.")
	if !f.Message.Empty() {
		told.Message = lang.Lines(told.Message, f.Message)
	}
	return Told(lang.T("several goroutines at the same time"), &told)
}
