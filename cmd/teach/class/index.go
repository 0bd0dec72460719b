package class

import (
	_ "embed"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/report/page"
	"github.com/stubformer/stubformer/grader/report/sheet"
	"github.com/stubformer/stubformer/grader/verdict"
)

// IndexHTML is the page of the whole class.
const IndexHTML = "index.html"

//go:embed page/index.html
var indexHTML string

//go:embed page/index.css
var indexCSS string

//go:embed page/index.js
var indexJS string

// mostMistakes is how many of the commonest mistakes the page tells.
const mostMistakes = 25

// index collects what the page of a class shows.
type index struct {
	lang    lang.Printer
	steps   []*course.Step
	rows    []student
	sums    []int              // points by step
	graded  int                // students of whom anything was graded
	links   map[string]bool    // of submissions, of which a group's is one
	checked map[string][]count // by step and mistake: the checks that saw it, in the order in which they did
}

// count is how often a check saw something.
type count struct {
	title string
	times int
}

// student is a row of the heat-map.
type student struct {
	Name, Link, Notes string
	Submission        string // its name, where the student has another
	Cells             []cell
	Points            int
	Total             string
}

// cell is a student's result of a step.
type cell struct {
	Text, Class, Title string
	Points             int
}

func newIndex(steps []*course.Step, p lang.Printer) *index {
	return &index{lang: p, steps: steps, sums: make([]int, len(steps)), links: map[string]bool{}, checked: map[string][]count{}}
}

// add adds the result of a student of that name.
func (x *index) add(r *Result, name, notes string) {
	s := student{Name: shownName(name), Link: Students + "/" + url.PathEscape(r.Name) + ".html", Notes: untrusted.Line(notes, untrusted.MaxArg)}
	if name != r.Name {
		s.Submission = shownName(r.Name)
	}
	for i, step := range x.steps {
		c, points := x.cell(r.Report.Find(step.ID))
		x.sums[i] += points
		if !step.Elective() {
			s.Points += points
		}
		s.Cells = append(s.Cells, c)
	}
	s.Total = fmt.Sprint(s.Points)
	x.rows = append(x.rows, s)
	x.graded++
	x.links[s.Link] = true
	x.mistakes(r.Report)
}

// absent adds somebody of the roster who handed in nothing.
func (x *index) absent(name string) {
	s := student{Name: shownName(name), Notes: x.lang.Say("handed in nothing"), Total: "0"}
	for range x.steps {
		s.Cells = append(s.Cells, cell{Text: "–", Class: "none"})
	}
	x.rows = append(x.rows, s)
}

// cell is the result of a step, coloured by its share of the points.
func (x *index) cell(s *report.Step) (cell, int) {
	switch {
	case s == nil:
		return cell{Text: "–", Class: "none"}, 0
	case s.Score == nil:
		return cell{Text: "?", Class: "none", Title: s.Verdict.Text().In(x.lang)}, 0
	}
	c := cell{Text: fmt.Sprint(*s.Score), Points: *s.Score, Title: fmt.Sprintf("%s, %s", s.Points(), s.Verdict.Text().In(x.lang))}
	switch share := float64(*s.Score) / float64(max(1, s.Max)); {
	case s.Verdict == verdict.NotImplemented && *s.Score == 0:
		c.Class = "none"
	case share >= 1:
		c.Class = "full"
	case share >= 0.75:
		c.Class = "most"
	case share >= 0.4:
		c.Class = "half"
	case share > 0:
		c.Class = "some"
	default:
		c.Class = "bad"
	}
	return c, *s.Score
}

// mistakes counts by which check each known mistake was seen.
func (x *index) mistakes(r *report.Report) {
	for _, s := range r.Steps {
		for _, c := range s.Checks {
			if c.Diagnosis.Kind != verdict.Mistake {
				continue
			}
			for id := range strings.SplitSeq(c.Diagnosis.ID, "+") {
				x.saw(s.ID+"/"+id, c.Title)
			}
		}
	}
}

// saw counts a check that saw a mistake.
func (x *index) saw(mistake, check string) {
	seen := x.checked[mistake]
	i := slices.IndexFunc(seen, func(c count) bool { return c.title == check })
	if i < 0 {
		i, seen = len(seen), append(seen, count{title: check})
	}
	seen[i].times++
	x.checked[mistake] = seen
}

// mistaken is a row of the table of mistakes.
type mistaken struct {
	Step, Title, Why, Check string
	Students                string
	Percent                 int
}

// page returns the page, with the mistakes that were found.
func (x *index) page(found []Misconception) ([]byte, error) {
	p := x.lang
	slices.SortStableFunc(x.rows, func(a, b student) int { return strings.Compare(a.Name, b.Name) })
	var mean []string
	for i := range x.steps {
		mean = append(mean, fmt.Sprintf("%.0f", float64(x.sums[i])/float64(max(1, x.graded))))
	}
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b Misconception) int { return b.Students - a.Students })
	var common []mistaken
	for _, m := range found[:min(len(found), mostMistakes)] {
		common = append(common, mistaken{m.Step, lang.Of(m.Title).In(p), lang.Of(m.Why).In(p), mostFrequent(x.checked[m.Step+"/"+m.ID]),
			p.Say("%d of %d", m.Students, m.Of), m.percent()})
	}
	title := p.Say("The class")
	return page.Page{Lang: p.Name(), Title: title, Style: indexCSS, Script: indexJS}.Fill(indexHTML, map[string]any{
		"Title": title, "Steps": x.steps, "Rows": x.rows, "Mean": mean, "Mistakes": common,
		"About": p.Say("Submissions: %d. Each number is the points of a step; a click on a heading sorts by it.", len(x.links)),
		"Words": map[string]string{"student": p.Say("student"), "core": p.Say("core"), "notes": p.Say("to look at"), "mean": p.Say("mean"),
			"mistakes": p.Say("What went wrong most often"), "none": p.Say("No answer was that of a known mistake."),
			"when": p.Say("Answered as one does when …"), "why": p.Say("what to say tomorrow"), "check": p.Say("seen by the check"), "step": p.Say("step"), "students": p.Say("students"),
			"scale": p.Say("nothing written, no points, some, many, all")},
	})
}

// mostFrequent returns the check that saw something most often, of equals the first.
func mostFrequent(seen []count) string {
	best := count{}
	for _, c := range seen {
		if c.times > best.times {
			best = c
		}
	}
	return best.title
}

func shownName(name string) string { return untrusted.Line(name, untrusted.MaxName) }

// studentPage is the page of one student.
func studentPage(r *Result, name string, p lang.Printer) ([]byte, error) {
	s := sheet.Sheet{Title: shownName(name), Back: "../" + IndexHTML}
	if r.Submission.Refused != "" {
		s.About = p.Say("Nothing was graded: %s.", untrusted.Line(r.Submission.Refused, untrusted.MaxArg))
	}
	return s.Page(r.Report, p)
}
