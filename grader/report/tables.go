package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/verdict"
)

// WriteCSV writes one row a check, below a row of names. Points are empty where
// the grader itself failed.
func (r *Report) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"step", "name", "check", "title", "verdict", "points", "max", "seconds", "diagnosis", "message"})
	for i := range r.Steps {
		s := &r.Steps[i]
		for j, message := range s.told(r.limit()) {
			c := s.Checks[j]
			points := strconv.Itoa(c.Points)
			if c.Verdict == verdict.GraderError {
				points = ""
			}
			out.Write([]string{s.ID, s.Name, c.ID, c.Title, string(c.Verdict), points, strconv.Itoa(c.Max),
				seconds(c.Seconds), untrusted.Cell(c.Diagnosis.ID), untrusted.Cell(message)})
		}
	}
	out.Flush()
	return out.Error()
}

// WriteMarkdown writes the report in GitHub's Markdown: a table of the steps, and of each
// why points are lost, a table of the checks, and what is known about what did not pass.
func (r *Report) WriteMarkdown(w io.Writer) error {
	out := &errWriter{w: w}
	points, top, known := r.total()
	score := fmt.Sprintf("%d/%d", points, top)
	if !known {
		score = fmt.Sprintf("–/%d", top)
	}
	fmt.Fprintf(out, "## Stubformer: %s points\n\n", score)
	if !known {
		fmt.Fprintf(out, "%s\n\n", apology)
	}
	fmt.Fprint(out, "| step | | points | verdict |\n|---|---|---:|---|\n")
	for i := range r.Steps {
		s := &r.Steps[i]
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", s.ID, cell(s.Title), s.Points(), s.Verdict.Words())
	}
	for i := range r.Steps {
		r.Steps[i].writeMarkdown(out, r.limit())
	}
	fmt.Fprintf(out, "\n%s\n", r.origin())
	return out.err
}

func (s *Step) writeMarkdown(w io.Writer, limit int) {
	fmt.Fprintf(w, "\n### %s %s\n", s.ID, s.Title)
	if s.Message != "" {
		fmt.Fprintf(w, "\n%s", fenced(clipped(untrusted.Clean(s.Message), maxMessage)))
	}
	if why := s.Account(lang.Printer{}); why != "" {
		fmt.Fprintf(w, "\n%s", fenced(why))
	}
	fmt.Fprint(w, "\n| points | verdict | check |\n|---:|---|---|\n")
	for _, c := range s.Checks {
		fmt.Fprintf(w, "| %d/%d | %s | %s |\n", c.Points, c.Max, strings.ReplaceAll(c.Words().String(), "*", `\*`), cell(c.Title))
	}
	if s.inPart() {
		fmt.Fprintf(w, "\n\\* %s\n", course.AsFarAsAsked())
	}
	for i, message := range s.told(limit) {
		c := s.Checks[i]
		if message == "" || c.Verdict == verdict.Passed || c.Verdict == verdict.NotImplemented || c.Message == s.Message {
			continue
		}
		fmt.Fprintf(w, "\n<details><summary>%s: %s</summary>\n\n%s\n</details>\n", c.ID, c.Verdict.Words(), fenced(message))
	}
}

// cell makes a text fit into a cell of a table.
func cell(text string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text) }

// fenced puts a text between fences that are longer than any in it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "text\n" + text + "\n" + fence + "\n"
}
