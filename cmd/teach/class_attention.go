package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/verdict"
)

// attention collects what an instructor should look at after a run.
type attention struct {
	lines  []string
	failed int // submissions that the grader could not grade
}

// at notes a submission of which nothing was graded, or not all, and what else of
// it does not count.
func (a *attention) at(e class.Event) {
	for _, line := range e.Look {
		a.lines = append(a.lines, e.Name+": "+line)
	}
	if !e.Report.GraderFailed() {
		return
	}
	a.failed++
	for _, s := range e.Report.Steps {
		if s.Verdict != verdict.GraderError {
			continue
		}
		line := fmt.Sprintf("%s: %s: %s", e.Name, s.ID, s.Message)
		if e.Kept {
			line += " (the marks from before are kept)"
		}
		a.lines = append(a.lines, line)
		return // the others rarely say more
	}
}

// tell writes the list, in the order of the names. Its error is that the grader
// failed somewhere.
func (a *attention) tell(w io.Writer) error {
	if len(a.lines) > 0 {
		fmt.Fprintf(w, "\nLook at these %d:\n", len(a.lines))
		slices.Sort(a.lines)
		for _, line := range a.lines {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	if a.failed > 0 {
		return command.Failed(fmt.Errorf("%d submissions could not be graded; run the same command again to try them again", a.failed))
	}
	return nil
}
