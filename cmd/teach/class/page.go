package class

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// markdown is what a student may be given to read: the scores, and for each check
// that failed what was wrong.
func markdown(r *Result, name string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", plain(shownName(name)))
	if r.Submission.Refused != "" {
		fmt.Fprintf(&b, "Nothing was graded: %s.\n\n", plain(r.Submission.Refused))
	}
	fmt.Fprint(&b, "| step | title | points | verdict |\n|---|---|---:|---|\n")
	for _, s := range r.Report.Steps {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", s.ID, plain(s.Title), s.Points(), s.Verdict.Words())
	}
	if r.Submission.Refused == "" {
		for i := range r.Report.Steps {
			section(&b, &r.Report.Steps[i])
		}
	}
	fmt.Fprintf(&b, "\nKit %s (%s), fixtures %s, seed %d, sandbox: %s, submission %.12s\n",
		r.Report.Kit, r.Terms.Kit, r.Report.Fixtures, r.Report.Seed, r.Report.Sandbox, r.Hash)
	return b.Bytes()
}

// section says what is wrong with one step, if anything is.
func section(b *bytes.Buffer, s *report.Step) {
	if s.Verdict == verdict.Passed {
		return
	}
	fmt.Fprintf(b, "\n## %s, %s: %s, %s\n", s.ID, plain(s.Title), s.Points(), s.Verdict.Words())
	if s.Message != "" {
		quote(b, s.Message)
	}
	if why := s.Account(lang.Printer{}); why != "" {
		quote(b, why)
	}
	told := s.Message // a message that several checks share is told once
	for _, c := range s.Checks {
		if c.Verdict == verdict.Passed || c.Message == s.Message && s.Message != "" {
			continue
		}
		fmt.Fprintf(b, "\n### %s: %s (%d of %d)\n", plain(c.Title), c.Verdict.Words(), c.Points, c.Max)
		if c.Message != "" && c.Message != told {
			quote(b, c.Message)
			told = c.Message
		}
	}
}

// quote writes a text as it is, as a block that no line of it can end.
func quote(b *bytes.Buffer, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n%s\n%s\n%s\n", fence, strings.TrimRight(text, "\n"), fence)
}

// plain keeps a text from being read as Markdown or HTML.
func plain(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "<", "&lt;", "|", `\|`, "\n", " ").Replace(text)
}
