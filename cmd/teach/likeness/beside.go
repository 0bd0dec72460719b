package likeness

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

// beside is two functions that have something in common.
type beside struct {
	Title string
	Sides [2]side
}

// side is one of them.
type side struct {
	Whose, Where string
	Lines        []line
}

type line struct {
	Text string
	Both bool // it holds a piece that both have
}

// What is shown of a function is bounded.
const (
	maxShown = 300 // lines
	maxWidth = 300 // bytes of a line
)

// beside returns the functions of a pair that have at least a piece in common.
func (p *Pair) beside(say lang.Printer) (all []beside) {
	for _, f := range p.Functions {
		if f.Common < 1 {
			continue
		}
		title := untrusted.Line(f.A, untrusted.MaxName)
		if f.A != f.B {
			title += " · " + untrusted.Line(f.B, untrusted.MaxName)
		}
		all = append(all, beside{title + ", " + percent(f.Likeness), [2]side{p.side(say, p.A, p.a, f.a), p.side(say, p.B, p.b, f.b)}})
	}
	return all
}

// side returns the lines of a function, with those marked that the pair has in common.
func (p *Pair) side(say lang.Printer, name string, of *program, f *function) side {
	both := map[int]bool{}
	for h := range p.common {
		for _, at := range of.pieces[h] {
			for n := at.from; at.function == f && n <= at.to; n++ {
				both[n] = true
			}
		}
	}
	s := side{Whose: shownName(name), Where: fmt.Sprintf("%s:%d", untrusted.Line(f.file, untrusted.MaxName), f.from)}
	texts := bytes.Split(of.code[f.file], []byte("\n"))
	for n := f.from; n <= f.to && n <= len(texts); n++ {
		if len(s.Lines) == maxShown {
			s.Lines = append(s.Lines, line{Text: say.Say("… %d more lines", f.to-n+1)})
			break
		}
		text := texts[n-1][:min(len(texts[n-1]), maxWidth)]
		s.Lines = append(s.Lines, line{strings.ReplaceAll(untrusted.Clean(string(text)), "\t", "    "), both[n]})
	}
	return s
}

// lines returns how many lines some functions have.
func lines(all []beside) (n int) {
	for _, b := range all {
		n += len(b.Sides[0].Lines) + len(b.Sides[1].Lines)
	}
	return n
}
