package class

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/untrusted"
	"github.com/stubformer/stubformer/grader/verdict"
)

// maxReason is how much of a message a note may quote, in bytes.
const maxReason = 200

// look says what of a submission somebody should look at: what was refused,
// named almost right, found empty, or does not count.
func (r *Result) look() []string {
	if why := r.notGraded(); why != "" {
		return []string{"nothing was graded: " + why}
	}
	var lines []string
	for i := range r.Report.Steps {
		s := &r.Report.Steps[i]
		if step, err := course.Find(registry.Steps(), s.ID); err == nil && len(r.Submission.Near[step.Folder]) > 0 {
			lines = append(lines, s.ID+": "+r.Submission.Missing(step.Folder).String())
		}
	}
	return append(lines, r.Submission.Notes...)
}

// Notes say why steps have no points or no score, and what else lies in the
// submission that somebody should look at.
func (r *Result) Notes() []string {
	if why := r.notGraded(); why != "" {
		return r.look()
	}
	var notes []string
	var reasons []string // in the order in which they are met
	steps := map[string][]string{}
	for i := range r.Report.Steps {
		s := &r.Report.Steps[i]
		if s.Score != nil && *s.Score > 0 || s.Max == 0 {
			continue
		}
		why := r.reason(s)
		if steps[why] == nil {
			reasons = append(reasons, why)
		}
		steps[why] = append(steps[why], s.ID)
	}
	for _, why := range reasons {
		notes = append(notes, fmt.Sprintf("%s: %s", strings.Join(steps[why], ", "), why))
	}
	return slices.Concat(notes, r.Submission.Notes)
}

// reason says in a line why a step has no points.
func (r *Result) reason(s *report.Step) string {
	if step, err := course.Find(registry.Steps(), s.ID); s.Verdict != verdict.GraderError && err == nil && r.Submission.Folders[step.Folder] == nil {
		if len(r.Submission.Near[step.Folder]) > 0 {
			return r.Submission.Missing(step.Folder).String()
		}
		return "not handed in"
	}
	if s.Message == "" || s.Verdict == verdict.NotImplemented {
		return s.Verdict.Words()
	}
	first, _, _ := strings.Cut(s.Message, "\n")
	return s.Verdict.Words() + ": " + untrusted.Line(first, maxReason)
}
