package main

import (
	"fmt"
	"io"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/terminal"
)

// statusLine is the one line below the cursor that says what is going on. It
// shows on a terminal only, and is wiped before the report.
type statusLine struct {
	w io.Writer // nil: silent
	p lang.Printer
}

func newStatusLine(w io.Writer, silent bool, p lang.Printer) statusLine {
	if silent || !terminal.Is(w) {
		return statusLine{}
	}
	return statusLine{w, p}
}

func (l statusLine) show(e grader.Event) {
	switch {
	case l.w == nil || e.Result != nil:
	case e.Check == nil:
		l.write(l.p.Say("%s: building", e.Step.ID))
	default:
		l.write(l.p.Say("%s: check %d of %d, %s", e.Step.ID, e.Number, len(e.Step.Checks), e.Check.ID))
	}
}

// write writes the line anew, in one line of the terminal.
func (l statusLine) write(line string) {
	fmt.Fprint(l.w, "\r\x1b[K", lang.Cut(line, l.p.Room(1)))
}

func (l statusLine) clear() {
	if l.w != nil {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}
