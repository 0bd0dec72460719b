package class

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// result is that of a student whose only check of step 05 has a verdict.
func result(name string, points int, k verdict.Kind, mistakes ...string) *Result {
	s := report.Step{ID: "step05", Max: 100}
	for _, title := range []string{"forward", "backward"} {
		c := report.Check{Title: title, Points: points / 2, Max: 50, Verdict: k}
		if len(mistakes) > 0 {
			c.Diagnosis = verdict.Diagnosis{Kind: verdict.Mistake, ID: strings.Join(mistakes, "+")}
		}
		s.Checks = append(s.Checks, c)
	}
	s.Close()
	return &Result{Name: name, Submission: &Submission{}, Report: &report.Report{Steps: []report.Step{s}}}
}

// The class's page has a row for everybody, coloured by the points, and the mistakes with
// the check that shows them; what a submission is called is text.
func TestIndex(t *testing.T) {
	step := registry.Steps()[4]
	x := newIndex(registry.Steps()[4:5], lang.Printer{})
	x.add(result("<script>alert(1)</script>", 100, verdict.Passed), "<script>alert(1)</script>", "")
	x.add(result("a/b?c#d", 50, verdict.WrongValues, "act-swapped", "other"), "a/b?c#d", "=HYPERLINK(1)")
	x.add(result("Eve", 0, verdict.CompileError), "Eve Smith", "does not compile")
	x.add(result("Cy", 0, verdict.NotImplemented), "Cy", "")
	x.absent("Dan")
	data, err := x.page([]Misconception{{Step: step.ID, ID: "act-swapped", Title: "the activation is swapped", Why: "The gate alone is bent.", Students: 1, Of: 3}})
	require.NoError(t, err)
	html := string(data)
	for _, want := range []string{"&lt;script&gt;alert", `<bdi>Eve Smith</bdi></a> <bdi class="soft submission">Eve</bdi>`, `href="students/a%2Fb%3Fc%23d.html"`, `class="number full" title="100/100, passed">100<`,
		`class="number half" title="50/100, wrong values">50<`, `class="number bad" title="0/100, does not compile">0<`, `class="number none" title="0/100, not implemented yet">0<`,
		"handed in nothing", "<td>the activation is swapped</td><td>The gate alone is bent.</td><td class=\"soft\">forward</td>", "1 of 3", ">33<", "Submissions: 4.", `<td class="number">38</td>`} {
		require.Contains(t, html, want)
	}
	require.Equal(t, 1, strings.Count(html, "<script"), "the page's own")
	require.Contains(t, html, "script-src &#39;sha256-")
	require.Less(t, strings.Index(html, ">Cy<"), strings.Index(html, ">Dan<"), "by name")
}
