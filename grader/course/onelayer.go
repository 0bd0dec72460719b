package course

import (
	"errors"
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// Drawing is a function and what it is asked.
type Drawing struct {
	Function string
	Draw     func(*rand.Rand) wire.Values
}

// OneLayer checks that one layer answers several functions in turn, each asked
// anew, as if every call were its first: what AskedAgain leaves as the first call
// had it may change here, and so may what Forward and Backward are given.
func OneLayer(drawings ...Drawing) func(*Exam) error {
	return func(e *Exam) error {
		number := wire.Int(e.Rng.IntN(1 << 40))
		for range FreshCases {
			for _, d := range drawings {
				if err := e.drawnOf(number, d); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// drawnOf asks a layer for a drawn case.
func (e *Exam) drawnOf(number wire.Value, d Drawing) error {
	tolerance := func(name string) float64 { return e.Tolerance(d.Function, name) }
	in, want, err := e.Drawn(d.Draw, nil, e.Solve(d.Function), tolerance)
	if err != nil {
		return err
	}
	got, err := e.Ask(d.Function, With(in, "instance", number))
	if err == nil {
		err = e.Compare(d.Function, in, got, want, nil, tolerance)
	}
	var f *verdict.Failure
	if !errors.As(err, &f) {
		return err
	}
	told := *f
	told.Diagnosis = verdict.Diagnosis{Kind: verdict.Unexplained} // as for AskedAgain
	told.Asked = lang.T("one layer, asked several times: %s", f.Asked)
	return &told
}
