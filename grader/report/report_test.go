package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

func sample() *Report {
	failure := &verdict.Failure{Kind: verdict.WrongValues, Asked: lang.Raw("silu.forward with x (7)"), Message: lang.Raw("all wrong")}
	todo := &verdict.Failure{Kind: verdict.NotImplemented, What: "step05: SwiGLU.Backward"}
	s := Step{ID: "step05", Name: "swiglu", Title: "SwiGLU", Checks: []Check{
		{ID: "silu.forward", Title: "SiLU agrees", Max: 40, Verdict: verdict.WrongValues, Message: failure.Text(), Failure: failure},
		{ID: "dff", Title: "d_ff", Points: 50, Max: 50, Verdict: verdict.Passed},
		{ID: "swiglu.backward", Title: "the gradients", Max: 10, Verdict: verdict.NotImplemented, Failure: todo},
	}}
	s.Close()
	return &Report{Schema: Schema, Kit: "0", Fixtures: "abc", Impl: "mine", Seed: 3, Steps: []Step{s}}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, sample().WriteText(&b, Setting{Style: Style{}}))
	require.Equal(t, `step05  SwiGLU   50/100   wrong values: 1 cause, 40 points

- all wrong
    silu.forward with x (7)
    costs  1 check, 40 points: silu.forward 40

- Not implemented yet: SwiGLU.Backward. 1 check, 10 points.
- 1 check passed (-v shows it): dff

50/100   kit 0, fixtures abc, code: mine, seed 3
`, b.String())
}

// A check that this edition can ask in part only is not said to have passed without a
// word about the rest.
func TestPassedInPart(t *testing.T) {
	r := sample()
	c := &r.Steps[0].Checks[1]
	c.InPart, c.Message = true, course.AsFarAsAsked().String()
	var text, page, data bytes.Buffer
	require.NoError(t, r.WriteText(&text, Setting{Style: Style{}}))
	require.Contains(t, text.String(), "- 1 check passed (-v shows it): dff*\n")
	require.Equal(t, 1, strings.Count(text.String(), "  * Passed as far as this edition can ask; "), "once a step")
	require.NoError(t, r.WriteMarkdown(&page))
	require.Contains(t, page.String(), `| 50/50 | passed\* | d_ff |`)
	require.Contains(t, page.String(), `\* Passed as far as this edition can ask; `)
	require.NoError(t, r.WriteJSON(&data))
	require.Contains(t, data.String(), `"in_part": true`)
}

func TestColourIsOnlyAnExtra(t *testing.T) {
	var plain, colour bytes.Buffer
	require.NoError(t, sample().WriteText(&plain, Setting{Style: Style{}}))
	require.NoError(t, sample().WriteText(&colour, Setting{Style: Style{Colour: true}}))
	require.NotContains(t, plain.String(), "\x1b")
	require.Contains(t, colour.String(), "\x1b[31m")
	stripped := colour.String()
	for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m"} {
		stripped = string(bytes.ReplaceAll([]byte(stripped), []byte(code), nil))
	}
	require.Equal(t, plain.String(), stripped)
}

// The field names of the JSON report are a contract.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, sample().WriteJSON(&b))
	var r struct {
		Schema, Kit, Fixtures, Impl string
		Seed                        int
		Steps                       []struct {
			ID, Name, Verdict string
			Score, Max        int
			Checks            []struct {
				ID, Title, Verdict, Message string
				Points, Max                 int
				Diagnosis                   struct{ Kind, ID, Text string }
				Seconds                     float64
			}
		}
	}
	decoder := json.NewDecoder(&b)
	require.NoError(t, decoder.Decode(&r))
	require.Equal(t, "stubformer/report/v1", r.Schema)
	require.Equal(t, 50, r.Steps[0].Score)
	require.Equal(t, "wrong_values", r.Steps[0].Verdict)
	require.Equal(t, "silu.forward", r.Steps[0].Checks[0].ID)
	require.Equal(t, 40, r.Steps[0].Checks[0].Max)
}

func TestVerdictOfAStep(t *testing.T) {
	for _, tt := range []struct {
		name   string
		checks []verdict.Kind
		want   verdict.Kind
	}{
		{"all passed", []verdict.Kind{verdict.Passed, verdict.Passed}, verdict.Passed},
		{"something left to write", []verdict.Kind{verdict.Passed, verdict.NotImplemented}, verdict.NotImplemented},
		{"what is wrong speaks before what is missing", []verdict.Kind{verdict.NotImplemented, verdict.Timeout, verdict.Panic}, verdict.Timeout},
		{"the grader's own failure speaks first", []verdict.Kind{verdict.WrongValues, verdict.GraderError}, verdict.GraderError},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s Step
			for _, k := range tt.checks {
				s.Checks = append(s.Checks, Check{Verdict: k, Max: 1})
			}
			s.Close()
			require.Equal(t, tt.want, s.Verdict)
			require.Equal(t, tt.want == verdict.GraderError, s.Score == nil)
		})
	}
}

// What the grader could not find out costs nobody anything.
func TestGraderErrorCostsNothing(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, reports()["grader-error"].WriteText(&b, Setting{}))
	require.Equal(t, `step02  The step of linear   –/100   grader error

- no space left on device
    linear.backward

- 1 check passed (-v shows it): linear.forward

–/100   kit 0.1.0, fixtures 0123456789ab, code: mine, seed 7
`, b.String())
}

func TestAFailingWriterIsReported(t *testing.T) {
	require.ErrorContains(t, sample().WriteText(broken{}, Setting{Style: Style{}}), "disk full")
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// A cause is told once a step, the first whole; --verbose tells all at every check.
func TestTextGivesAReasonOnce(t *testing.T) {
	wrong := func() *verdict.Failure {
		return &verdict.Failure{Kind: verdict.WrongValues, Message: lang.Raw("f with x (7), all wrong"),
			Diagnosis: verdict.Diagnosis{Kind: verdict.Mistake, ID: "unscaled", Text: lang.Raw("as without √K"),
				Known: []verdict.Known{{ID: "unscaled", Title: lang.Raw("√K is forgotten"), Advice: lang.Raw("Divide.")}}}}
	}
	panicked := func(asked, why, source string) *verdict.Failure {
		return &verdict.Failure{Kind: verdict.Panic, Asked: lang.Raw(asked), Message: lang.Raw("panic: " + why), Detail: "rope.go:4 Forward", Source: source}
	}
	s := Step{ID: "step08", Title: "Attention"}
	for _, c := range []struct {
		title   string
		failure *verdict.Failure
	}{
		{"first", wrong()}, {"second", wrong()},
		{"third", panicked("g with x (1)", "index out of range", "")}, {"fourth", panicked("g with x (2)", "index out of range", "")},
		{"fifth", panicked("g with x (1)", "index 7 out of range", "> 4 | x[i]")}, {"sixth", panicked("g with x (2)", "index 9 out of range", "> 4 | x[i]")},
		{"seventh", panicked("g with x (2)", "index 9 out of range", "> 5 | y[i]")},
	} {
		s.Checks = append(s.Checks, Check{ID: c.title, Title: c.title, Max: 25, Verdict: c.failure.Kind, Message: c.failure.Text(), Failure: c.failure})
	}
	s.Close()
	r := &Report{Steps: []Step{s}}

	var short, long bytes.Buffer
	require.NoError(t, r.WriteText(&short, Setting{}))
	require.Equal(t, `step08  Attention   0/175   wrong values: 4 causes, 175 points

- √K is forgotten
    fix    Divide.
    f with x (7), all wrong
    costs  2 checks, 50 points: first 25, second 25

- panic: index out of range
    2 checks, 50 points: third 25, fourth 25
- panic: index 7 out of range
    2 checks, 50 points: fifth 25, sixth 25
- panic: index 9 out of range
    1 check, 25 points: seventh 25

0/175   kit , fixtures , code: , seed 0
`, short.String())
	require.NoError(t, r.WriteText(&long, Setting{Style: Style{Verbose: true}}))
	require.Equal(t, 2, strings.Count(long.String(), "as without √K"))
	require.Equal(t, 5, strings.Count(long.String(), "rope.go:4 Forward"))
	require.Contains(t, long.String(), `
  panicked       0/25  seventh
      g with x (2)
      panic: index 9 out of range

        rope.go:4 Forward

        > 5 | y[i]
`)
}

// What is told of a check takes the width that is there.
func TestDetailsTakeTheWidth(t *testing.T) {
	r := reportOf(rope(crashed(6), crashed(8)))
	r.Steps[0].Checks[1].Failure.Asked = lang.Raw(strings.Repeat("shape ", 25))
	for columns, lines := range map[int]int{80: 3, 120: 2, 170: 1} {
		var b bytes.Buffer
		require.NoError(t, r.WriteText(&b, Setting{Style: Style{Verbose: true, Lang: lang.Printer{}.Within(columns)}}))
		shapes := 0
		for line := range strings.Lines(b.String()) {
			if strings.Contains(line, "shape") {
				shapes++
			}
		}
		require.Equal(t, lines, shapes, b.String())
	}
}

// A report fits into every width, with signs and colours as without.
func TestTextFits(t *testing.T) {
	for columns := 60; columns <= 200; columns += 20 {
		for _, style := range []Style{{}, {Colour: true, Signs: true}} {
			style.Lang = lang.Printer{}.Within(columns)
			r := sample()
			r.Steps[0].Title = strings.Repeat("title ", 8)
			r.Steps[0].Checks[0].Title = strings.Repeat("a check of something ", 9)
			r.Steps[0].Checks[0].Failure.Diagnosis.Text = lang.Raw(strings.Repeat("why it is wrong ", 30))
			var b bytes.Buffer
			require.NoError(t, r.WriteText(&b, Setting{Style: style}))
			for line := range strings.Lines(b.String()) {
				require.LessOrEqual(t, lang.Width(strings.TrimRight(line, "\n")), columns, line)
			}
			require.Equal(t, style.Signs, strings.Contains(b.String(), "✗ wrong values"))
		}
	}
}
