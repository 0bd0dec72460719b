package command

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/host/terminal"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
)

// StatusLine is the one line below the cursor that says what is going on, and for
// how long. It shows on a terminal only, and is wiped before the report.
type StatusLine struct {
	w io.Writer // nil: silent
	p lang.Printer

	mu    sync.Mutex
	said  string
	most  time.Duration // that a call of it may take; 0: not known
	since time.Time
	stop  chan struct{}
}

// NewStatusLine returns a line at the end of w, which is empty where none can be written anew.
func NewStatusLine(w io.Writer, silent bool, p lang.Printer) *StatusLine {
	if silent || !terminal.Live(w, os.Getenv) {
		return &StatusLine{}
	}
	l := &StatusLine{w: w, p: p, since: time.Now(), stop: make(chan struct{})}
	go l.tick()
	return l
}

// tick writes the line anew every second, until it is wiped.
func (l *StatusLine) tick() {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-second.C:
			l.mu.Lock()
			l.write()
			l.mu.Unlock()
		}
	}
}

// Show says what is being done.
func (l *StatusLine) Show(e grader.Event) {
	if l.w == nil || e.Result != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.since, l.said, l.most = time.Now(), l.p.Say("%s: building", e.Step.ID), 0
	if e.Check != nil {
		l.said, l.most = l.p.Say("%s: check %d of %d, %s", e.Step.ID, e.Number, len(e.Step.Checks), e.Check.ID), probe.DefaultLimits().Call
	}
	l.write()
}

// write writes the line anew, in one line of the terminal.
func (l *StatusLine) write() {
	line := l.said
	if line == "" {
		return
	}
	switch passed := time.Since(l.since).Seconds(); {
	case passed < 1:
	case l.most == 0:
		line += l.p.Say(", %.0f s", passed)
	default:
		line += l.p.Say(", %.0f/%.0f s", passed, l.most.Seconds())
	}
	fmt.Fprint(l.w, "\r\x1b[K", lang.Cut(line, l.p.Room(1)))
}

// Clear wipes the line, for good.
func (l *StatusLine) Clear() {
	if l.w == nil {
		return
	}
	close(l.stop)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = "" // a tick may still come
	fmt.Fprint(l.w, "\r\x1b[K")
}
