package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/stubformer/stubformer/grader"
)

// statusLine is the one line below the cursor that says what is going on. It
// shows on a terminal only, and is wiped before the report.
type statusLine struct {
	w io.Writer // nil: silent
}

func newStatusLine(w io.Writer, silent bool) statusLine {
	f, ok := w.(*os.File)
	if silent || !ok || !term.IsTerminal(int(f.Fd())) {
		return statusLine{}
	}
	return statusLine{w}
}

func (l statusLine) show(e grader.Event) {
	switch {
	case l.w == nil || e.Result != nil:
	case e.Check == nil:
		fmt.Fprintf(l.w, "\r\x1b[K%s: building", e.Step.ID)
	default:
		fmt.Fprintf(l.w, "\r\x1b[K%s: check %d of %d, %s", e.Step.ID, e.Number, len(e.Step.Checks), e.Check.ID)
	}
}

func (l statusLine) clear() {
	if l.w != nil {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}
