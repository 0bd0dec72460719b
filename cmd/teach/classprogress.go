package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/host/terminal"
	"github.com/stubformer/stubformer/grader/lang"
)

// classProgress shows how far a class is graded: a bar on a terminal, lines that
// stay anywhere else.
type classProgress struct {
	w      io.Writer
	bar    bool
	start  time.Time
	graded int // of those that are done; the others were graded before
}

func newClassProgress(w io.Writer, plain bool) *classProgress {
	return &classProgress{w: w, bar: !plain && terminal.Live(w, os.Getenv), start: time.Now()}
}

func (p *classProgress) show(e class.Event) {
	if e.Again {
		p.graded++
	}
	if !p.bar {
		if e.Again {
			score, top := total(e)
			fmt.Fprintf(p.w, "%d/%d  %s  %d/%d\n", e.Done, e.Number, e.Name, score, top)
		}
		return
	}
	const width = 20
	full := width * e.Done / e.Number
	line := fmt.Sprintf("[%s%s] %d/%d%s  %s", strings.Repeat("#", full), strings.Repeat("-", width-full), e.Done, e.Number, p.left(e), e.Name)
	fmt.Fprint(p.w, "\r\x1b[K", lang.Cut(line, cmp.Or(terminal.Columns(p.w), 80)-1))
}

// left says how long the rest takes at the pace so far.
func (p *classProgress) left(e class.Event) string {
	if p.graded < 3 || e.Done == e.Number {
		return ""
	}
	left := time.Since(p.start) / time.Duration(p.graded) * time.Duration(e.Number-e.Done)
	return fmt.Sprintf(", %v left", left.Round(time.Second))
}

func (p *classProgress) clear() {
	if p.bar {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func total(e class.Event) (score, top int) {
	for _, s := range e.Report.Steps {
		top += s.Max
		if s.Score != nil {
			score += *s.Score
		}
	}
	return score, top
}
