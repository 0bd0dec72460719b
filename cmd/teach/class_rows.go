package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/host/terminal"
)

// shownRows is how many students are named of those who would lose marks.
const shownRows = 10

// keepRows asks before a run that would take marks out of the gradebook: on a
// terminal the user, elsewhere the flag.
func (o classOptions) keepRows(cmd *cobra.Command, store class.Dir, list []class.Source, steps []*course.Step) error {
	lost, err := class.Lost(o.out, store, list, steps)
	if err != nil || len(lost) == 0 || o.drop {
		return command.Failed(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s would lose marks of %d students that this run does not make again:\n", o.out, len(lost))
	for _, line := range lost[:min(len(lost), shownRows)] {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if len(lost) > shownRows {
		fmt.Fprintf(&b, "  and %d more\n", len(lost)-shownRows)
	}
	if in := cmd.InOrStdin(); terminal.Is(in) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%sLose them? Type yes, or anything else to leave all as it is: ", b.String())
		if agrees(in) {
			return nil
		}
		return fmt.Errorf("nothing was changed; grade the same --steps, or choose another --out")
	}
	return fmt.Errorf("%snothing was changed; grade the same --steps, choose another --out, or say --drop to lose them", b.String())
}

// agrees reports whether the line that was typed is yes.
func agrees(r io.Reader) bool {
	line, _ := bufio.NewReader(r).ReadString('\n') // no line is no yes
	return strings.TrimSpace(line) == "yes"
}
