package progress

import (
	"path/filepath"
	"time"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Path returns where the kit in the folder root keeps its history.
func Path(root string) string { return filepath.Join(root, ".stubformer", "history.jsonl") }

// Record appends an attempt for every step of a report that was graded at the
// given time. A step at which the grader failed is no attempt.
func (h *History) Record(r *report.Report, at time.Time) error {
	for _, s := range r.Steps {
		if s.Score == nil {
			continue
		}
		a := Attempt{Time: at, Step: s.ID, Score: *s.Score, Max: s.Max,
			Verdict: string(s.Verdict), Seed: r.Seed, Checks: map[string]string{}}
		for _, c := range s.Checks {
			a.Checks[c.ID] = string(c.Verdict)
		}
		if err := h.Append(a); err != nil {
			return err
		}
	}
	return nil
}

// Hint is a hint that is shown: number N of the Of hints for a check.
type Hint struct {
	Check string
	N, Of int
	Text  string
}

// RevealHint returns the next unseen hint for the check that failed first in
// the last attempt at a step, the last hint again when all have been seen, and
// remembers that it was shown. A step without hints for that check is an error.
func (h *History) RevealHint(step *course.Step) (Hint, error) {
	attempts, err := h.Attempts()
	if err != nil {
		return Hint{}, err
	}
	check := FirstFailed(step, attempts)
	hints := step.HintsFor(check)
	seen := Hints(attempts, step.ID, check)
	if len(hints) == 0 {
		return Hint{}, &NoHintsError{step.ID, check, step.Folder}
	}
	n := min(seen, len(hints)-1)
	shown := Hint{Check: check, N: n + 1, Of: len(hints), Text: hints[n].Text}
	if seen < len(hints) {
		err = h.AppendHint(step.ID, check, seen+1)
	}
	return shown, err
}

// NoHintsError says that the course has no hints for a check.
type NoHintsError struct{ Step, Check, Folder string }

func (e *NoHintsError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *NoHintsError) In(p lang.Printer) string {
	return p.Say("%s has no hints for %s; its lesson is steps/%s/README.md", e.Step, e.Check, e.Folder)
}

// FirstFailed returns the first check of the step that did not pass in the
// last attempt: the very first one if there was no attempt, or if all passed.
func FirstFailed(step *course.Step, attempts []Attempt) string {
	for i := len(attempts) - 1; i >= 0; i-- {
		if attempts[i].Step != step.ID || len(attempts[i].Checks) == 0 {
			continue
		}
		for _, c := range step.Checks {
			if attempts[i].Checks[c.ID] != string(verdict.Passed) {
				return c.ID
			}
		}
		break
	}
	return step.Checks[0].ID
}
