package sheet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

func graded() *report.Report {
	s := report.Step{ID: "step05", Title: "SwiGLU", Checks: []report.Check{
		{ID: "a", Title: "SiLU", Points: 7, Max: 7, Verdict: verdict.Passed},
		{ID: "b", Title: "forward", Max: 20, Verdict: verdict.WrongValues, Message: "y is <script>alert(1)</script> \x1b[31mwrong"},
		{ID: "c", Title: "backward", Max: 20, Verdict: verdict.WrongValues, Message: "y is <script>alert(1)</script> \x1b[31mwrong"},
	}}
	s.Close()
	elective := report.Step{ID: "step14", Title: "BPE", Track: "text", Checks: []report.Check{{ID: "d", Title: "train", Max: 10, Verdict: verdict.NotImplemented, Message: "step14: Train"}}}
	elective.Close()
	return &report.Report{Kit: "0.1.0", Steps: []report.Step{s, elective}}
}

// The page shows every check, what is known about those that failed once, and nothing of
// it is read as HTML.
func TestPage(t *testing.T) {
	s := Sheet{Title: "Ada <i>", Back: "../index.html", Card: &Card{[]byte("<svg>light</svg>"), []byte("<svg>dark</svg>")},
		Went:  []Went{{Step: "step05", Attempts: 3, Minutes: 40, First: "2026-03-01", Passed: "2026-03-02"}},
		Wrote: []Wrote{{Run: "tiny", Trainer: lang.T("the solutions"), Step: 100, Loss: 1.25, Text: "The <cat> sat.\nIt slept."}}}
	data, err := s.Page(graded(), lang.Printer{})
	require.NoError(t, err)
	html := string(data)
	for _, want := range []string{"Core: 7 of 47 points", "Ada &lt;i&gt;", "y is &lt;script&gt;", "7/7", "2026-03-02", "The &lt;cat&gt; sat.", "tiny, after 100 updates: loss 1.250, trained by the solutions",
		`href="../index.html"`, "wrong values: ", "    costs  1 check, 20 points: b 20", "<details>", "img-src data:", "3 checks"} {
		require.Contains(t, html, want)
	}
	require.Equal(t, 2, strings.Count(html, "data:image/svg&#43;xml;base64,"), "the card, light and dark")
	require.Equal(t, 1, strings.Count(html, "y is"), "what two checks share is told once")
	for _, not := range []string{"<script", "\x1b", "<cat>", "<i>", "http:", "https:", "step14: Train"} {
		require.NotContains(t, html, not)
	}
	data, err = Sheet{}.Page(&report.Report{}, lang.Printer{})
	require.NoError(t, err)
	require.NotContains(t, string(data), "<figure>")
	require.NotContains(t, string(data), "<img")
}
