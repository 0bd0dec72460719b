package class

import (
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// maxReason is how much of a message a note may quote, in bytes.
const maxReason = 200

// look says what of a submission somebody should look at: what was refused,
// named almost right, found empty, or does not count.
func (r *Result) look() []string {
	if why := r.notGraded(); why != "" {
		return []string{"nothing was graded: " + why}
	}
	return append(r.because(func(s *report.Step) bool {
		name, f := r.handed(s)
		return len(r.Submission.Near[name]) > 0 || f != nil && (f.Refused != nil || len(f.Files) == 0)
	}), r.Submission.Notes...)
}

// Notes say why steps have no points or no score, and what else lies in the
// submission that somebody should look at.
func (r *Result) Notes() []string {
	if why := r.notGraded(); why != "" {
		return r.look()
	}
	return append(r.because(func(s *report.Step) bool { return (s.Score == nil || *s.Score == 0) && s.Max > 0 }), r.Submission.Notes...)
}

// because says of the steps that are chosen why they have no points: a line a reason.
func (r *Result) because(chosen func(*report.Step) bool) (lines []string) {
	var reasons []string // in the order in which they are met
	steps := map[string][]string{}
	for i := range r.Report.Steps {
		s := &r.Report.Steps[i]
		if !chosen(s) {
			continue
		}
		why := r.reason(s)
		if steps[why] == nil {
			reasons = append(reasons, why)
		}
		steps[why] = append(steps[why], s.ID)
	}
	for _, why := range reasons {
		lines = append(lines, fmt.Sprintf("%s: %s", strings.Join(steps[why], ", "), why))
	}
	return lines
}

// handed returns the name of a step's folder, and what was handed in as it; nil if
// nothing was.
func (r *Result) handed(s *report.Step) (name string, f *workspace.Folder) {
	step, err := course.Find(registry.Steps(), s.ID)
	if err != nil {
		return "", nil
	}
	return step.Folder, r.Submission.Folders[step.Folder]
}

// reason says in a line why a step has no points.
func (r *Result) reason(s *report.Step) string {
	switch name, f := r.handed(s); {
	case s.Verdict == verdict.GraderError || name == "":
	case f == nil && len(r.Submission.Near[name]) > 0:
		return r.Submission.Missing(name).String()
	case f == nil:
		return "not handed in"
	case f.Refused != nil && f.Refused.Line == 0:
		return s.Verdict.Words() + ": " + untrusted.Line(f.Refused.Error(), maxReason)
	}
	if s.Message == "" || s.Verdict == verdict.NotImplemented {
		return s.Verdict.Words()
	}
	first, _, _ := strings.Cut(s.Message, "\n")
	return s.Verdict.Words() + ": " + untrusted.Line(first, maxReason)
}
