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

// AtOnce checks that a call is answered as it is alone where goroutines that it starts
// itself compute their products at the same time, and while other goroutines make calls of
// the same function with other numbers, each on a layer of its own.
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
			ask := func(call wire.Values) error {
				got, err := e.Ask(d.Function, call)
				if err == nil {
					err = e.Compare(d.Function, call, got, want, nil, e.tolerances(d.Function))
				}
				return err
			}
			if err := ask(in); err != nil {
				return err
			}
			if err := ask(With(in, atOnce, wire.Int(0))); err != nil {
				return overlapped(err)
			}
			return Disturbed(ask(With(in, atOnce, wire.Int(Meetings))))
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
	return shared(err, lang.T("several goroutines at the same time"),
		lang.T("Alone the call is right. Two goroutines must not share what a call writes on its way: no buffer in a variable of the package, or in a value that serves them all."))
}

// overlapped says of a wrong answer that the call is right while its products do not meet.
func overlapped(err error) error {
	return shared(err, lang.T("products of matrices that take their time"),
		lang.T("The call was right before. Two of its goroutines write to the same place at the same time, and what one of them adds is lost. Give each a place of its own, and add these up when all have ended."))
}

// shared is the failure of a call that is right unless goroutines meet.
func shared(err error, story, message lang.Text) error {
	var f *verdict.Failure
	if !errors.As(err, &f) {
		return err
	}
	told := *f
	told.Kind = verdict.Shared
	told.Message = message
	if !f.Message.Empty() {
		told.Message = lang.Lines(message, f.Message)
	}
	return Told(story, &told)
}
