package course

import (
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// Mark notes an answer to a fixture under a name.
func (e *Exam) Mark(name string, got, want wire.Value, tolerance float64) {
	m := diagnose.Mark{Got: diagnose.SketchOf(got), Want: diagnose.SketchOf(want), Tolerance: tolerance}
	if d := verdict.Compare(name, got, want, tolerance); d != nil {
		m.Worst = d.Worst
	}
	e.Marks[name] = m
}

// MarkChosen notes the answers of a function to an input of a check's own
// choosing.
func (e *Exam) MarkChosen(name, function string, got, want wire.Values) {
	for _, output := range SortedNames(want) {
		e.Marks[name+"/"+output] = diagnose.Mark{Got: diagnose.SketchOf(got[output]), Want: diagnose.SketchOf(want[output]),
			Tolerance: e.Tolerance(function, output), Chosen: len(e.Fixtures.Cases(function)) > 0}
	}
}

// MarkNumber notes a single number under a name, see diagnose.NumberMark.
func (e *Exam) MarkNumber(name string, got, want, tolerance float64) {
	e.Marks[name] = diagnose.NumberMark(got, want, tolerance)
}

// MarkOutcome notes which of a few ends something has come to, as a number. It
// gives no mistake away by itself, see diagnose.Mark.
func (e *Exam) MarkOutcome(name string, got, want, tolerance float64) {
	m := diagnose.NumberMark(got, want, tolerance)
	m.Outcome = true
	e.Marks[name] = m
}

// MarkFlag marks whether something holds that should.
func (e *Exam) MarkFlag(what string, holds bool) {
	e.MarkOutcome(e.Check+"/"+what, map[bool]float64{true: 2, false: 1}[holds], 2, 0.05)
}
