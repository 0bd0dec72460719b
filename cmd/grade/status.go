package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/lang"
)

// statusLine is the one line below the cursor that says what is going on. It
// shows on a terminal only, and is wiped before the report.
type statusLine struct {
	w io.Writer // nil: silent
	p lang.Printer
}

func newStatusLine(w io.Writer, silent bool, p lang.Printer) statusLine {
	f, ok := w.(*os.File)
	if silent || !ok || !term.IsTerminal(int(f.Fd())) {
		return statusLine{}
	}
	return statusLine{w, p}
}

func (l statusLine) show(e grader.Event) {
	switch {
	case l.w == nil || e.Result != nil:
	case e.Check == nil:
		fmt.Fprint(l.w, "\r\x1b[K", l.p.Say("%s: building", e.Step.ID))
	default:
		fmt.Fprint(l.w, "\r\x1b[K", l.p.Say("%s: check %d of %d, %s", e.Step.ID, e.Number, len(e.Step.Checks), e.Check.ID))
	}
}

func (l statusLine) clear() {
	if l.w != nil {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}
