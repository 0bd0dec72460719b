// Package sheet makes a page of a report, to be read in a browser, kept and handed on: the
// steps, each check with what is known about it, and, of one's own work, how it went, the
// card and what the model wrote.
package sheet

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/report/page"
	"github.com/stubformer/stubformer/grader/verdict"
)

//go:embed sheet.html
var content string

//go:embed sheet.css
var style string

// Sheet is what stands on a page beside the report. What is empty is left out.
type Sheet struct {
	Title string
	Back  string // the address of the class's page
	About string
	Card  *Card
	Went  []Went
	Wrote []Wrote
}

// Card is a picture for light and for dark pages, as SVG.
type Card struct{ Light, Dark []byte }

// Went is how the work at a step went.
type Went struct {
	Step     string
	Attempts int
	Minutes  int
	First    string // day of the first attempt, "2026-03-01"
	Passed   string // day on which it first passed, or ""
}

// Wrote is what a model wrote.
type Wrote struct {
	Run     string
	Trainer lang.Text // whose code has trained it; empty: not known
	Step    int
	Loss    float64 // on text that was kept back
	Text    string
}

// Caption says which model wrote it, when, and how good it was.
func (w Wrote) Caption(p lang.Printer) string {
	said := p.Say("%s, after %d updates: loss %.3f", w.Run, w.Step, w.Loss)
	if !w.Trainer.Empty() {
		said = p.Say("%s, trained by %s", said, w.Trainer)
	}
	return said
}

// filling is what the page's template sees.
type filling struct {
	Sheet
	Total, Origin, BackTo  string
	Speaker                lang.Printer
	Light                  template.URL
	Dark                   template.Srcset
	Steps                  []step
	Columns, WentColumns   []string
	WentTitle, WroteTitle  string
	CardTitle, CardAltText string
}

type step struct {
	ID, Title, Points, Verdict, Class string
	Message, Account                  string
	Checks                            []check
	Summary                           string
	Open                              bool
}

type check struct {
	Title, Points, Verdict, Class, Message string
}

// Page returns the page. Texts that come from a submission are cleaned, cut and escaped.
func (s Sheet) Page(r *report.Report, p lang.Printer) ([]byte, error) {
	f := filling{Sheet: s, Speaker: p,
		Columns:     []string{p.Say("check"), p.Say("points"), p.Say("verdict")},
		WentColumns: []string{p.Say("step"), p.Say("attempts"), p.Say("minutes"), p.Say("begun"), p.Say("passed")},
		WentTitle:   p.Say("How it went"), WroteTitle: p.Say("What the model wrote"),
		CardTitle: p.Say("What you have built"), CardAltText: p.Say("The steps, how the loss fell, and a sentence that the model wrote"),
		BackTo: p.Say("The class"), Origin: p.Say("kit %s, fixtures %s, code: %s, seed %d", r.Kit, r.Fixtures, r.Impl, r.Seed)}
	f.Title = untrusted.Line(s.Title, untrusted.MaxName)
	if s.Card != nil {
		f.Light, f.Dark = template.URL(picture(s.Card.Light)), template.Srcset(picture(s.Card.Dark))
	}
	points, top := 0, 0
	for i := range r.Steps {
		one := &r.Steps[i]
		f.Steps = append(f.Steps, ofStep(one, p))
		if one.Score != nil && one.Track == "" {
			points += *one.Score
		}
		if one.Track == "" {
			top += one.Max
		}
	}
	f.Total = p.Say("Core: %d of %d points", points, top)
	return page.Page{Lang: p.Name(), Title: f.Title, Style: style}.Fill(content, f)
}

// picture is a picture as an address that holds it.
func picture(svg []byte) string {
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)
}

func ofStep(s *report.Step, p lang.Printer) step {
	one := step{ID: s.ID, Title: s.Title, Points: s.Points(), Verdict: s.Verdict.Text().In(p), Class: Class(s.Verdict), Message: shown(s.Message), Account: s.Account(p)}
	told := s.Message // what several checks share is told once
	for i := range s.Checks {
		c := &s.Checks[i]
		row := check{Title: c.Title, Points: fmt.Sprintf("%d/%d", c.Points, c.Max), Verdict: c.Words().In(p), Class: Class(c.Verdict)}
		if c.Verdict != verdict.Passed && c.Verdict != verdict.NotImplemented && c.Message != told {
			row.Message, told, one.Open = shown(c.Message), c.Message, one.Account == ""
		}
		one.Checks = append(one.Checks, row)
	}
	one.Summary = p.Say("%d checks", len(one.Checks))
	return one
}

// shown is a message as it may stand on a page.
func shown(message string) string {
	return strings.TrimRight(untrusted.Text(message, untrusted.MaxMessage), "\n")
}

// Class is the style of a verdict: passed, open (nothing is written yet), or failed.
func Class(k verdict.Kind) string {
	switch k {
	case verdict.Passed:
		return "passed"
	case verdict.NotImplemented, verdict.Blocked:
		return "open"
	}
	return "failed"
}
