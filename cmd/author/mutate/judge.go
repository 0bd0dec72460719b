package mutate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// read takes from the report how the mistake fared.
func (r *Result) read(step report.Step) error {
	if r.Invalid = r.mechanical && step.Verdict == verdict.CompileError; r.Invalid {
		return nil
	}
	if step.Verdict == verdict.CompileError || step.Verdict == verdict.GraderError {
		return fmt.Errorf("cannot be graded: %s%s", step.Message, firstMessage(step))
	}
	r.Caught, r.Said, r.Margin, r.slow = nil, "", 0, false
	var named []string
	for _, c := range step.Checks {
		if c.Verdict == verdict.Passed {
			continue
		}
		r.Caught = append(r.Caught, c.ID)
		if r.Small == nil && c.Failure != nil {
			r.Small = c.Failure.Small
		}
		if r.Said == "" {
			r.Said = strings.TrimSpace(string(c.Verdict) + ": " + c.Message)
			if c.Diagnosis.Kind == verdict.Mistake {
				r.Said = "named: " + c.Diagnosis.Text.String()
			}
		}
		r.slow = r.slow || c.Verdict == verdict.Timeout
		if c.Diagnosis.Kind == verdict.Mistake {
			named = append(named, c.Diagnosis.ID)
		}
	}
	slices.Sort(named)
	r.Named = strings.Join(slices.Compact(named), ", ")
	for _, m := range r.Marks {
		r.Margin = max(r.Margin, m.Worst)
	}
	r.Problem = r.judge()
	return nil
}

// examined returns the step without the checks that take long and have nothing to do with
// the files that the mistake is in: those that need a build of their own, for other files,
// and those of a part that is timed, where a later one is wrong.
func (r *Result) examined() *course.Step {
	files := r.files()
	step := *r.Step
	begin := slices.IndexFunc(step.Parts, func(p course.Part) bool {
		return slices.ContainsFunc(files, func(name string) bool { return slices.Contains(p.Files, name) })
	})
	var timed []course.Part
	for _, p := range step.Parts[:max(begin, 0)] {
		if slices.ContainsFunc(step.Checks, func(c course.Check) bool { return c.Timed && p.Owns(c.ID) }) {
			timed = append(timed, p)
		}
	}
	step.Checks = slices.DeleteFunc(slices.Clone(step.Checks), func(c course.Check) bool {
		b := step.BuildFor(c.ID)
		ofOthers := b != nil && !slices.ContainsFunc(files, func(name string) bool { return strings.HasPrefix(name, b.Files) })
		return ofOthers || slices.ContainsFunc(timed, func(p course.Part) bool { return p.Owns(c.ID) })
	})
	switch {
	case r.brief:
		likeliest(step.Checks, files[0])
		untilCaught(step.Checks, func(course.Check) bool { return true })
	case r.Counted:
		isSilent := func(c course.Check) bool { return r.silent[c.ID] }
		first(step.Checks, func(c course.Check) bool { return !isSilent(c) })
		untilCaught(step.Checks, isSilent)
	}
	return &step
}

// files are the names of the files that the mistake is in.
func (r *Result) files() []string {
	var names []string
	for name := range r.Overlay {
		names = append(names, path.Base(name))
	}
	return names
}

func firstMessage(s report.Step) string {
	for _, c := range s.Checks {
		if c.Verdict == verdict.GraderError {
			return " " + c.Message
		}
	}
	return ""
}

// judge says what is wrong with the course if this is how the mistake fares.
func (r *Result) judge() string {
	switch {
	case r.mechanical && len(r.Caught) == 0 && r.Mistake.Invisible == "":
		return "survived"
	case r.mechanical && len(r.Caught) > 0 && r.Mistake.Invisible != "":
		return "said to be equivalent, but caught by " + strings.Join(r.Caught, " ")
	case r.mechanical:
		return ""
	case r.Mistake.Invisible != "" && len(r.Caught) > 0:
		return "said to be invisible, but caught"
	case r.Mistake.Invisible != "":
		return ""
	case len(r.Caught) == 0:
		return "survived"
	case r.unlisted:
		return ""
	case r.Margin > 0 && r.Margin < minMargin:
		return fmt.Sprintf("only %.1f times outside the tolerance", r.Margin)
	case r.Storing:
		return ""
	case r.Named != "" && r.Named != r.Mistake.ID:
		return "named as " + r.Named
	case r.Named == "" && diagnose.Nameable(r.Marks):
		return "not named: its answers are not stored, or not its alone"
	}
	return ""
}

// Row writes a result as a line of a table.
func (r Result) Row() string {
	margin := "–"
	switch {
	case r.Margin >= 1e6:
		margin = fmt.Sprintf("%.0e×", r.Margin)
	case r.Margin > 0:
		margin = fmt.Sprintf("%.0f×", r.Margin)
	}
	named := r.Named
	if named == r.Mistake.ID {
		named = "yes"
	}
	caught := strings.Join(r.Caught, " ")
	if r.Mistake.Invisible != "" {
		caught = "invisible: " + r.Mistake.Invisible
	}
	return fmt.Sprintf("%-7s %-40s %8s  %-4s %s", r.Step.ID, r.Version, margin, named, caught)
}
