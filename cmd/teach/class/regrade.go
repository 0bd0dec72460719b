package class

import (
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/grader/report"
)

// Change says in some lines how a submission's result differs from its stored
// one, and why; "" if no score is different.
func Change(e Event, terms Terms) string {
	if e.Before == nil {
		return ""
	}
	var lines []string
	for _, now := range e.Report.Steps {
		before := e.Before.Report.Find(now.ID)
		if before == nil || before.Points() == now.Points() {
			continue
		}
		lines = append(lines, fmt.Sprintf("  %s: %s, before %s", now.ID, now.Points(), before.Points()))
		for _, c := range now.Checks {
			if was := find(before, c.ID); was == nil {
				lines = append(lines, fmt.Sprintf("    %s is new: %s", c.ID, c.Verdict.Words()))
			} else if was.Points != c.Points || was.Verdict != c.Verdict {
				lines = append(lines, fmt.Sprintf("    %s: %s (%d), before %s (%d)", c.ID, c.Verdict.Words(), c.Points, was.Verdict.Words(), was.Points))
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return e.Name + e.reasons(terms) + "\n" + strings.Join(lines, "\n")
}

// reasons says what is different about two gradings of one student.
func (e Event) reasons(now Terms) string {
	before := e.Before.Terms
	var why []string
	if e.Before.Hash != e.Hash {
		why = append(why, "the submission changed")
	}
	if before.Kit != now.Kit {
		why = append(why, "the kit changed ("+before.Kit+" to "+now.Kit+")")
	}
	if before.Seed != now.Seed {
		why = append(why, fmt.Sprintf("the fresh cases changed (seed %d to %d)", before.Seed, now.Seed))
	}
	if before.Sandbox != now.Sandbox {
		why = append(why, "the sandbox changed ("+before.Sandbox+" to "+now.Sandbox+")")
	}
	if len(why) == 0 {
		why = append(why, "submission, kit, seed and sandbox are the same: the result is not steady")
	}
	return ": " + strings.Join(why, ", ")
}

func find(s *report.Step, id string) *report.Check {
	for i := range s.Checks {
		if s.Checks[i].ID == id {
			return &s.Checks[i]
		}
	}
	return nil
}
