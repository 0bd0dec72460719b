package class

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Check says what is wrong with a report that came from elsewhere, if it is not
// one that grading under these terms can give.
func (t Terms) Check(r *report.Report) error {
	switch {
	case r == nil || r.Schema != report.Schema:
		return fmt.Errorf("it is no report of the form %s", report.Schema)
	case r.Kit != course.Version:
		return fmt.Errorf("it is of kit %q; want %s", r.Kit, course.Version)
	case r.Seed != t.Seed || r.Sandbox != t.Sandbox:
		return fmt.Errorf("it is of seed %d in sandbox %q; want %d in %s", r.Seed, r.Sandbox, t.Seed, t.Sandbox)
	}
	var ids []string
	for i := range r.Steps {
		ids = append(ids, r.Steps[i].ID)
	}
	if !slices.Equal(ids, t.Steps) {
		return fmt.Errorf("it is of the steps %.200q; want %q", ids, t.Steps)
	}
	for i := range r.Steps {
		if err := checkStep(&r.Steps[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkStep holds the points of a step against the course.
func checkStep(s *report.Step) error {
	step, err := course.Find(registry.Steps(), s.ID)
	if err != nil {
		return err
	}
	score, top, seen := 0, 0, map[string]bool{}
	for _, c := range s.Checks {
		i := slices.IndexFunc(step.Checks, func(known course.Check) bool { return known.ID == c.ID })
		switch {
		case i < 0 || seen[c.ID]:
			return fmt.Errorf("%s has the check %.100q, which the course has not, or twice", s.ID, c.ID)
		case c.Max != step.Checks[i].Points || c.Points < 0 || c.Points > c.Max || c.Points > 0 && c.Verdict != verdict.Passed:
			return fmt.Errorf("%s has %d of %d points for %s (%.50s); the course gives %d", s.ID, c.Points, c.Max, c.ID, c.Verdict, step.Checks[i].Points)
		}
		score, top, seen[c.ID] = score+c.Points, top+c.Max, true
	}
	switch {
	case (s.Score == nil) != (s.Verdict == verdict.GraderError):
		return fmt.Errorf("%s has the verdict %.50q and the score %s", s.ID, s.Verdict, s.Points())
	case s.Score != nil && (*s.Score != score || s.Max != top), s.Max > step.Max(), s.Max < 0:
		return fmt.Errorf("%s has %s points; its checks have %d/%d", s.ID, s.Points(), score, top)
	}
	return nil
}
