// Package report holds the result of a grading run and writes it: for people
// on a terminal, for programs as JSON.
package report

import (
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Schema names the form of the JSON report. It changes only when a reader of
// the old form would misread the new one.
const Schema = "stubformer/report/v1"

// Report is the result of grading some steps.
type Report struct {
	Schema   string `json:"schema"`
	Kit      string `json:"kit"`               // version of the kit
	Fixtures string `json:"fixtures"`          // short hash of the fixtures
	Impl     string `json:"impl"`              // whose code: mine, solutions, probe
	Seed     uint64 `json:"seed"`              // of the fresh random cases
	Sandbox  string `json:"sandbox,omitempty"` // how the code was fenced in: bubblewrap, landlock or limits
	Steps    []Step `json:"steps"`
}

// Step is the result of one step.
type Step struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Title string `json:"title"`
	// Track is that of an elective, whose points are counted beside those of the
	// core; empty for a step of the core.
	Track string `json:"track,omitempty"`
	// Score is null when the grader itself failed: that is never a zero.
	Score   *int         `json:"score"`
	Max     int          `json:"max"`
	Verdict verdict.Kind `json:"verdict"`
	// Message says what concerns the whole step: a compile error, a refused
	// import, the first broken prerequisite.
	Message string  `json:"message,omitempty"`
	Checks  []Check `json:"checks"`
}

// Check is the result of one check.
type Check struct {
	ID        string            `json:"id"`
	Title     string            `json:"title"`
	Points    int               `json:"points"`
	Max       int               `json:"max"`
	Verdict   verdict.Kind      `json:"verdict"`
	Message   string            `json:"message"`
	Diagnosis verdict.Diagnosis `json:"diagnosis"`
	Seconds   float64           `json:"seconds"`
	// InPart says of a check that passed that this edition can ask a part of it only.
	InPart bool `json:"in_part,omitempty"`

	// Failure is the whole of what is known about a failed check.
	Failure *verdict.Failure `json:"-"`
}

// Words is how the check went, in a few words.
func (c *Check) Words() lang.Text {
	if c.InPart {
		return lang.T("passed*")
	}
	return c.Verdict.Text()
}

// inPart reports whether a check of the step passed in part.
func (s *Step) inPart() bool {
	return slices.ContainsFunc(s.Checks, func(c Check) bool { return c.InPart })
}

// Close works out the step's score and verdict from its checks. The verdict is
// that of the first check that did not pass; what is merely not written yet
// stands back behind what is wrong.
func (s *Step) Close() {
	score := 0
	s.Max, s.Verdict = 0, verdict.Passed
	for _, c := range s.Checks {
		score += c.Points
		s.Max += c.Max
		s.Verdict = worse(s.Verdict, c.Verdict)
	}
	s.Score = &score
	if s.Verdict == verdict.GraderError {
		s.Score = nil
	}
}

// worse keeps the verdict that says more about the step.
func worse(a, b verdict.Kind) verdict.Kind {
	if rank(b) > rank(a) {
		return b
	}
	return a
}

func rank(k verdict.Kind) int {
	switch k {
	case verdict.Passed:
		return 0
	case verdict.NotImplemented:
		return 1
	case verdict.Blocked:
		return 2
	case verdict.GraderError:
		return 4
	}
	return 3
}

// Of begins the result of a step.
func Of(s *course.Step, p lang.Printer) Step {
	r := Step{ID: s.ID, Name: s.Name, Title: lang.Of(s.Title).In(p)}
	if s.Elective() {
		r.Track = string(s.Track)
	}
	return r
}

// Passed reports whether every step of the report has full marks.
func (r *Report) Passed() bool {
	for _, s := range r.Steps {
		if s.Verdict != verdict.Passed {
			return false
		}
	}
	return true
}

// GraderFailed reports whether the grader itself failed anywhere.
func (r *Report) GraderFailed() bool {
	for _, s := range r.Steps {
		if s.Verdict == verdict.GraderError {
			return true
		}
	}
	return false
}

// Find returns the step with the given id, or nil.
func (r *Report) Find(id string) *Step {
	for i := range r.Steps {
		if r.Steps[i].ID == id {
			return &r.Steps[i]
		}
	}
	return nil
}
