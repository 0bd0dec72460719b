// Package standing says where a student stands: for every step its state, its
// best and its last attempt. It is worked out from the history and from what
// has been written so far; nothing is built or graded for it.
package standing

import (
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// State is how far a student is with a step.
type State int

// The states.
const (
	Untouched State = iota // nothing written, nothing tried
	Blocked                // untouched, and an earlier step that it is built on has not passed
	InWork                 // something written, which was not graded, or only as far as it is written
	Wrong                  // the last attempt has found something wrong
	Broken                 // full marks in some attempt, and not in the last
	Passed                 // full marks
)

// Step is one step and the student's standing in it.
type Step struct {
	*course.Step
	State    State
	WaitsFor string            // Blocked: the first earlier step that has not passed, "step02"
	Best     *progress.Attempt // nil: never graded
	Last     *progress.Attempt // nil: never graded
	Files    []string          // that the student fills in
	Report   *report.Step      // of the last grading in this session; nil if there was none
}

// Words returns the state as a person reads it.
func (s Step) Words() lang.Text {
	switch s.State {
	case Passed:
		return lang.T("passed")
	case Broken:
		return lang.T("broken: %d now", s.Last.Score)
	case InWork:
		return lang.T("in work")
	case Wrong:
		return verdict.Kind(s.Last.Verdict).Text()
	case Blocked:
		return lang.T("after %s", s.WaitsFor)
	}
	return lang.T("untouched")
}

// Sign returns the sign of the state, which is one column wide.
func (s State) Sign() string {
	return [...]string{Untouched: "○", Blocked: "◌", InWork: "●", Wrong: "✗", Broken: "✗", Passed: "✓"}[s]
}

// HasPassed reports whether the step had full marks once.
func (s Step) HasPassed() bool { return s.State == Passed || s.State == Broken }

// Pair is a student's file and the solution's of the same name.
type Pair struct{ Name, Mine, Solution string }

// Points are the best score so far.
func (s Step) Points() int {
	if s.Best == nil {
		return 0
	}
	return s.Best.Score
}

// Top is how many points there are: of a step that was graded, some checks may be
// left out of the points.
func (s Step) Top() int {
	if s.Best == nil {
		return s.Max()
	}
	return s.Best.Max
}

// Course is the student's standing in all steps, in order.
type Course struct {
	Steps    []Step
	Attempts []progress.Attempt // all records, oldest first
	Damaged  int                // lines of the history that cannot be read

	Milestones []Milestone // see WithMilestones
}

// New works out the standing. touched and files tell, by the step's folder,
// whether it differs from the stub as it was handed out, and what is to be
// filled in there.
func New(steps []*course.Step, attempts []progress.Attempt, touched map[string]bool, files map[string][]string) Course {
	best, last := progress.Best(attempts), progress.Last(attempts)
	c := Course{Attempts: attempts}
	passed := map[string]bool{}
	for _, s := range steps {
		own := Step{Step: s, Files: files[s.Folder]}
		if a, ok := best[s.ID]; ok {
			own.Best = &a
			passed[s.ID] = a.Score == a.Max
		}
		if a, ok := last[s.ID]; ok {
			own.Last = &a
		}
		own.WaitsFor = firstOpen(s, passed)
		switch {
		case passed[s.ID] && own.Last.Score < own.Last.Max:
			own.State = Broken
		case passed[s.ID]:
			own.State = Passed
		case touched[s.Folder]:
			own.State = written(own.Last)
		case own.WaitsFor != "":
			own.State = Blocked
		}
		c.Steps = append(c.Steps, own)
		if own.State != Passed && own.State != Blocked {
			c.Steps = append(c.Steps, parts(own, attempts)...)
		}
	}
	return c
}

// written is the state of a step in which something is written, after the last attempt.
func written(last *progress.Attempt) State {
	if last == nil {
		return InWork
	}
	switch verdict.Kind(last.Verdict) {
	case "", verdict.NotImplemented, verdict.Blocked, verdict.GraderError, verdict.Passed:
		return InWork
	}
	return Wrong
}

// parts returns the standing in the parts of a step that is not done.
func parts(whole Step, attempts []progress.Attempt) []Step {
	var all []Step
	for _, p := range whole.AsSteps() {
		own := Step{Step: p, Files: p.Part.Files}
		at := progress.At(p, attempts)
		if a, ok := progress.Best(at)[p.ID]; ok {
			last := progress.Last(at)[p.ID]
			own.Best, own.Last, own.State = &a, &last, written(&last)
			switch {
			case last.Score == last.Max:
				own.State = Passed
			case a.Score == a.Max:
				own.State = Broken
			}
		}
		all = append(all, own)
	}
	return all
}

// firstOpen returns the first step that s needs and that has not passed, or "".
func firstOpen(s *course.Step, passed map[string]bool) string {
	for _, id := range s.Needs {
		if !passed[id] {
			return id
		}
	}
	return ""
}

// Find returns the standing in a step, or nil.
func (c Course) Find(id string) *Step {
	for i := range c.Steps {
		if c.Steps[i].ID == id {
			return &c.Steps[i]
		}
	}
	return nil
}

// Next returns the first step without full marks, or the first of its parts, or nil
// at the end.
func (c Course) Next() *Step {
	i := slices.IndexFunc(c.Steps, func(s Step) bool { return s.Of == nil && s.State != Passed })
	if i < 0 {
		return nil
	}
	for k := range c.Steps {
		if c.Steps[k].Whole() == c.Steps[i].Step && c.Steps[k].Of != nil && c.Steps[k].State != Passed {
			return &c.Steps[k]
		}
	}
	return &c.Steps[i]
}

// Electives reports whether there are steps beside the core.
func (c Course) Electives() bool {
	return slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Elective() })
}

// Total returns the points of the best attempts in the core, or in the electives,
// of how many, and how many of the steps have passed.
func (c Course) Total(electives bool) (points, top, passed, steps int) {
	for _, s := range c.Steps {
		if s.Elective() != electives || s.Of != nil {
			continue
		}
		steps++
		points, top = points+s.Points(), top+s.Top()
		if s.HasPassed() {
			passed++
		}
	}
	return points, top, passed, steps
}

// WithReports puts the reports of this session into the steps.
func (c Course) WithReports(reports map[string]*report.Step) Course {
	for i := range c.Steps {
		c.Steps[i].Report = reports[c.Steps[i].ID]
		if c.Steps[i].Report == nil {
			c.Steps[i].Report = reports[c.Steps[i].Whole().ID]
		}
	}
	return c
}
