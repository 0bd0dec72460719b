package progress

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Path returns where the kit in the folder root keeps its history.
func Path(root string) string { return filepath.Join(root, ".stubformer", "history.jsonl") }

// Told is how what is found wrong is written down: in a language, and with the lines that
// Place finds, as a report.Setting has it.
type Told struct {
	Lang  lang.Printer
	Place func(step, check, message string) (file string, line int)
}

// Record appends an attempt for every step of a report that was graded at the
// given time. A step at which the grader failed is no attempt.
func (h *History) Record(r *report.Report, at time.Time, told Told) error {
	for _, s := range r.Steps {
		if s.Score == nil {
			continue
		}
		a := Attempt{Time: at, Step: s.ID, Score: *s.Score, Max: s.Max,
			Verdict: string(s.Verdict), Seed: r.Seed, Checks: map[string]string{}, Causes: s.Findings(told.Lang, told.Place)}
		for _, c := range s.Checks {
			a.Checks[c.ID] = string(c.Verdict)
			if c.InPart {
				a.InPart = append(a.InPart, c.ID)
			}
			if c.Diagnosis.Kind == verdict.Mistake {
				a.Named = append(a.Named, c.ID)
			}
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

// Hinting is where a student stands with the hints for the check that failed first.
type Hinting struct {
	Check string
	Hints []course.Hint // in the order in which they are shown
	Seen  int           // how many of them were shown
}

// HintingAt returns the hints for the check of a step that failed first in the last
// attempt: those for the way in which it failed, unless its mistake has been named, and
// those for the check. One that was shown before stays in front, so that it keeps its
// number.
func HintingAt(step *course.Step, attempts []Attempt) Hinting {
	attempts = At(step, attempts)
	check, kind := firstFailed(step, attempts)
	own, how := step.HintsFor(check), course.HintsOn(kind)
	if last := lastAt(step, attempts); last >= 0 && slices.Contains(attempts[last].Named, check) {
		how = nil
	}
	seen, howSeen := min(Hints(attempts, step.ID, check), len(own)), 0
	if len(how) > 0 {
		howSeen = min(Hints(attempts, step.ID, how[0].For), len(how))
	}
	return Hinting{
		Check: check,
		Hints: slices.Concat(how[:howSeen], own[:seen], how[howSeen:], own[seen:]),
		Seen:  howSeen + seen,
	}
}

// RevealHint returns the next unseen hint for the check that failed first in
// the last attempt at a step, the last hint again when all have been seen, and
// remembers that it was shown. A step without hints for that check is an error.
func (h *History) RevealHint(step *course.Step) (Hint, error) {
	attempts, err := h.Attempts()
	if err != nil {
		return Hint{}, err
	}
	attempts = At(step, attempts)
	at := HintingAt(step, attempts)
	if len(at.Hints) == 0 {
		return Hint{}, &NoHintsError{step.ID, at.Check, step.Folder}
	}
	n := min(at.Seen, len(at.Hints)-1)
	next := at.Hints[n]
	if at.Seen < len(at.Hints) {
		key := at.Check
		if !strings.HasPrefix(at.Check, next.For) { // it is for the way in which the check failed
			key = next.For
		}
		err = h.AppendHint(step.ID, key, Hints(attempts, step.ID, key)+1)
	}
	return Hint{Check: at.Check, N: n + 1, Of: len(at.Hints), Text: next.Text}, err
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
	check, _ := firstFailed(step, At(step, attempts))
	return check
}

// firstFailed returns the first check that failed in the last attempt, and how.
// What is not written yet, or waits for another check, comes behind what is wrong, and a
// check that the attempt does not have was left out of the points.
func firstFailed(step *course.Step, attempts []Attempt) (check string, kind verdict.Kind) {
	last := lastAt(step, attempts)
	if last < 0 {
		return step.Checks[0].ID, ""
	}
	for _, c := range step.Checks {
		switch v := verdict.Kind(attempts[last].Checks[c.ID]); {
		case v == "" || v == verdict.Passed:
		case v != verdict.NotImplemented && v != verdict.Blocked:
			return c.ID, v
		case check == "":
			check, kind = c.ID, v
		}
	}
	if check == "" {
		return step.Checks[0].ID, ""
	}
	return check, kind
}

// lastAt returns the place of the last attempt at a step; −1 if there is none.
func lastAt(step *course.Step, attempts []Attempt) int {
	for i := len(attempts) - 1; i >= 0; i-- {
		if attempts[i].Step == step.ID && len(attempts[i].Checks) > 0 {
			return i
		}
	}
	return -1
}
