package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/verdict"
)

// writeIndented writes a platform's JSON file.
func writeIndented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// WriteGradescope writes Gradescope's results.json. If the grader itself
// failed there is no score anywhere, which Gradescope shows as a failed
// autograder and never as a zero.
//
// Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/
func (r *Report) WriteGradescope(w io.Writer) error {
	points, _, known := r.total()
	out := gradescope{Output: r.account() + r.origin(), OutputFormat: "text", Visibility: "visible",
		StdoutVisibility: "hidden", Tests: []gradescopeTest{}}
	if known {
		out.Score = &points
	} else {
		out.Output = apology + "\n" + out.Output
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		out.Seconds += s.seconds()
		for j, message := range s.told(r.limit()) {
			c := s.Checks[j]
			test := gradescopeTest{MaxScore: c.Max, Status: "failed", Name: s.ID + " " + c.Title,
				NameFormat: "text", Number: fmt.Sprintf("%d.%d", i+1, j+1),
				Output:       strings.TrimSpace(c.ID + ": " + c.Verdict.Words() + "\n" + message),
				OutputFormat: "text", Tags: []string{s.ID, string(c.Verdict)}, Visibility: "visible"}
			if c.Verdict == verdict.Passed {
				test.Status = "passed"
			}
			if known {
				test.Score = &s.Checks[j].Points
			}
			out.Tests = append(out.Tests, test)
		}
	}
	return writeIndented(w, out)
}

type gradescope struct {
	Score            *int             `json:"score,omitempty"`
	Seconds          float64          `json:"execution_time"`
	Output           string           `json:"output"`
	OutputFormat     string           `json:"output_format"`
	Visibility       string           `json:"visibility"`
	StdoutVisibility string           `json:"stdout_visibility"`
	Tests            []gradescopeTest `json:"tests"`
}

type gradescopeTest struct {
	Score        *int     `json:"score,omitempty"`
	MaxScore     int      `json:"max_score"`
	Status       string   `json:"status"` // passed or failed
	Name         string   `json:"name"`
	NameFormat   string   `json:"name_format"`
	Number       string   `json:"number"`
	Output       string   `json:"output"`
	OutputFormat string   `json:"output_format"`
	Tags         []string `json:"tags"`
	Visibility   string   `json:"visibility"`
}

// WritePrairieLearn writes PrairieLearn's results.json. A submission that does
// not compile is not gradable and costs no attempt; neither does one at which
// the grader itself failed.
//
// Source: https://prairielearn.readthedocs.io/en/latest/externalGrading/
func (r *Report) WritePrairieLearn(w io.Writer) error {
	points, top, known := r.total()
	out := prairielearn{Gradable: true, Message: fmt.Sprintf("%d of %d points", points, top), Output: r.account() + r.origin(), Tests: []prairielearnTest{}}
	var refused []string
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Verdict == verdict.CompileError || s.Verdict == verdict.Refused {
			refused = append(refused, clipped(untrusted.Clean(s.Message), maxMessage))
		}
		for j, message := range s.told(r.limit()) {
			c := s.Checks[j]
			out.Tests = append(out.Tests, prairielearnTest{Name: s.ID + " " + c.ID, Description: c.Title,
				Points: c.Points, MaxPoints: c.Max, Message: c.Verdict.Words(), Output: message})
		}
	}
	switch {
	case !known:
		out.Gradable, out.Message, out.FormatErrors = false, apology, []string{apology}
	case len(refused) > 0 && len(refused) == len(r.Steps):
		out.Gradable, out.Message, out.FormatErrors = false, "The submission cannot be built, so it was not graded.", refused
	case top > 0:
		score := float64(points) / float64(top)
		out.Score = &score
	default:
		out.Score = new(float64)
	}
	return writeIndented(w, out)
}

type prairielearn struct {
	Gradable     bool               `json:"gradable"`
	Score        *float64           `json:"score,omitempty"` // 0 to 1; needed if gradable
	FormatErrors []string           `json:"format_errors,omitempty"`
	Message      string             `json:"message"`
	Output       string             `json:"output"`
	Tests        []prairielearnTest `json:"tests"`
}

type prairielearnTest struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Points      int    `json:"points"`
	MaxPoints   int    `json:"max_points"`
	Message     string `json:"message"`
	Output      string `json:"output"`
}

// WriteClassroom50 writes Classroom 50's result.json. The runner names the
// submission in the environment. A score cannot be left out there, so that a
// report without one is an error: the autograder ends with a status that is not
// 0, and the runner records a failed run instead of a zero.
//
// Source: https://github.com/foundation50/classroom50/wiki/Advanced-Autograding
func (r *Report) WriteClassroom50(w io.Writer, s Setting) error {
	points, top, known := r.total()
	if !known {
		return fmt.Errorf("no Classroom 50 result can be written: %s", apology)
	}
	out := classroom50{Schema: "classroom50/result/v1", Score: points, MaxScore: top, Tests: []classroom50Test{},
		Time: s.Now.UTC().Format(time.RFC3339)}
	for _, field := range []struct {
		to   *string
		from string
	}{{&out.Classroom, "CLASSROOM"}, {&out.Assignment, "ASSIGNMENT"}, {&out.Submission, "SUBMISSION_TAG"},
		{&out.Commit, "COMMIT_URL"}, {&out.Release, "RELEASE_URL"}} {
		if *field.to = s.Env(field.from); *field.to == "" {
			return fmt.Errorf("no Classroom 50 result can be written: %s is not set; the runner sets it when it calls autograder.py", field.from)
		}
	}
	if out.Review = s.Env("REVIEW_URL"); out.Review == "" {
		out.Review = out.Commit
	}
	for i := range r.Steps {
		step := &r.Steps[i]
		for j, message := range step.told(r.limit()) {
			c := step.Checks[j]
			out.Tests = append(out.Tests, classroom50Test{Name: step.ID + " " + c.ID, Passed: c.Verdict == verdict.Passed,
				Score: c.Points, MaxScore: c.Max, Verdict: string(c.Verdict), Output: message})
		}
	}
	return writeIndented(w, out)
}

type classroom50 struct {
	Schema     string            `json:"schema"`
	Classroom  string            `json:"classroom"`
	Assignment string            `json:"assignment"`
	Submission string            `json:"submission"`
	Commit     string            `json:"commit"`
	Release    string            `json:"release"`
	Review     string            `json:"review"`
	Time       string            `json:"datetime"`
	Score      int               `json:"score"`
	MaxScore   int               `json:"max-score"`
	Tests      []classroom50Test `json:"tests"`
}

// classroom50Test has two fields more than the contract asks for; those are
// kept as they are.
type classroom50Test struct {
	Name     string `json:"test-name"`
	Passed   bool   `json:"passed"`
	Score    int    `json:"score"`
	MaxScore int    `json:"max-score"`
	Verdict  string `json:"verdict"`
	Output   string `json:"output,omitempty"`
}
