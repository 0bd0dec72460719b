package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/newline"
	"github.com/stubformer/stubformer/reference/wire"
)

// failing is a check that fails for a reason.
func failing(id string, top int, f *verdict.Failure) Check {
	return Check{ID: id, Title: "the title of " + id, Max: top, Verdict: f.Kind, Message: f.Text(), Diagnosis: f.Diagnosis, Failure: f}
}

func right(id string, top int) Check {
	return Check{ID: id, Title: "the title of " + id, Points: top, Max: top, Verdict: verdict.Passed}
}

// differs is the failure of a check whose result is wrong in two of six values.
func differs(result, asked string) *verdict.Failure {
	want := wire.Value{DType: wire.F32, Shape: []int{2, 3}, F32: []float32{0.25, 0.049006, 0.5, 1, -2, 3}}
	got := want
	got.F32 = []float32{0.25, 0.0097182, 0.5, 1, -2.5, 3}
	return verdict.Wrong(lang.Raw(asked), verdict.Compare(result, got, want, 1e-6), verdict.Given{})
}

func known(f *verdict.Failure, id, title, advice string) *verdict.Failure {
	f.Diagnosis = verdict.Diagnosis{Kind: verdict.Mistake, ID: id, Text: lang.Raw("Your output matches what you get when " + title),
		Known: []verdict.Known{{ID: id, Title: lang.Raw(title), Advice: lang.Raw(advice)}}}
	return f
}

func unscaled() *verdict.Failure {
	return known(differs("weights", `fixture "odd": attention.forward with q (2, 3, 5, 4)`), "no-scale",
		"the scores are not divided by √K", "score = q·k/√K, where K is the length of one query and one key.")
}

// attention is step 08 with a mistake in the scores, and perhaps one in the gradients.
func attention(gradients *verdict.Failure) Step {
	return stepOf("step08", "attention", right("causal_mask", 5), failing("attention.forward", 12, unscaled()),
		failing("attention.forward.fresh", 5, unscaled()), right("attention.forward.bad_input", 5),
		failing("attention.backward", 13, gradients), failing("attention.backward.fresh", 5, gradients),
		failing("multihead.forward", 13, unscaled()), failing("multihead.forward.fresh", 5, unscaled()),
		right("multihead.future", 5), right("multihead.heads", 5), failing("multihead.backward.dx", 5, gradients),
		failing("multihead.backward.dw", 8, gradients), failing("multihead.backward.fresh", 5, gradients),
		failing("attention.backward.again", 5, unscaled()), right("attention.backward.no_forward", 4))
}

const quoted = "  67 | func rotate(y, x, cos, sin []float32) {\n  68 |     for k, c := range cos {\n" +
	"> 69 |         a, b := x[2*k], x[2*k+2]\n  70 |         y[2*k] = a*c - b*sin[k]\n  71 |         y[2*k+1] = a*sin[k] + b*c"

func crashed(index int) *verdict.Failure {
	return &verdict.Failure{Kind: verdict.Panic, Asked: lang.Raw(`fixture "odd": rope.forward with x (2, 5, 6), positions (1, 5)`),
		Message: lang.Raw(fmt.Sprintf("panic: runtime error: index out of range [%d] with length 6", index)),
		Detail:  "rotate(...)\n    rope.go:69\n(*RoPE).Forward(...)\n    rope.go:63", Source: quoted}
}

func rope(f, later *verdict.Failure) Step {
	return stepOf("step06", "rope", right("rope.tables", 20), failing("rope.forward", 20, f), failing("rope.forward.fresh", 10, later),
		failing("rope.forward.bad_input", 5, later), right("rope.backward", 20), right("rope.backward.fresh", 10), failing("rope.inverse", 15, later))
}

func stub(id, name string) Step {
	todo := &verdict.Failure{Kind: verdict.NotImplemented, What: id + ": Attention.Forward"}
	return stepOf(id, name, failing("attention.forward", 60, todo), failing("attention.forward.fresh", 40, todo))
}

func uncompiled() Step {
	const message = "steps/step09_block/block.go:9:2: \"math\" imported and not used\n\n     8 | import (\n  >  9 |     \"math\"\n       |     ^\n    10 |"
	s := stepOf("step09", "block", check("block.forward", verdict.CompileError, 0, 60, message), check("block.backward", verdict.CompileError, 0, 40, message))
	s.Message = message
	return s
}

// situations are what a student meets.
func situations() map[string]*Report {
	hangs := &verdict.Failure{Kind: verdict.Timeout, Function: "rope.forward", Source: quoted, Asked: lang.Raw(`fixture "odd": rope.forward with x (2, 5, 6)`),
		Message: lang.Raw("no answer within 10s during rope.forward; is there a loop that does not end?")}
	spared := &verdict.Failure{Kind: verdict.Timeout, Function: "rope.forward", Message: lang.T("not run: %s ran out of time in a check before", "rope.forward")}
	gradients := differs("dk", `fixture "own-masks": attention.backward with q (3, 2, 4, 5), k (3, 2, 6, 5), v (3, 2, 6, 7), dy (3, 2, 4, 7)`)
	transposed := known(differs("dk", "attention.backward with q (2, 3, 5, 4)"), "dk-not-transposed",
		"dk is computed as dS·q, with dS not transposed", "dk[j] = Σ_i dS[i,j]·q[i]/√K: dSᵀ·q.")
	full := stepOf("step07", "softmax", right("softmax.rows", 60), right("softmax.backward", 40))
	return map[string]*Report{
		"one-mistake": reportOf(attention(unscaled())),
		"compile":     reportOf(uncompiled()),
		"panic":       reportOf(rope(crashed(6), crashed(8))),
		"hang":        reportOf(rope(hangs, spared)),
		"two":         reportOf(attention(transposed)),
		"three":       reportOf(attention(gradients)), // nothing explains the gradients of two functions
		"stub":        reportOf(stub("step08", "attention")),
		"full":        reportOf(full),
		"all": reportOf(stepOf("step05", "swiglu", right("silu.forward", 100)), rope(crashed(6), crashed(8)), full,
			attention(gradients), uncompiled(), stub("step10", "lm")),
	}
}

// screen is what a terminal of that size shows in the end: below the report there are
// three lines more, a proposal and the prompt.
func screen(t *testing.T, r *Report, columns, rows int, style Style) string {
	t.Helper()
	style.Lang = style.Lang.Within(columns)
	var b strings.Builder
	require.NoError(t, r.WriteText(&b, Setting{Style: style, Place: func(step, _, message string) (string, int) {
		if strings.Contains(message, "rope.go:69") {
			return "steps/step06_rope/rope.go", 69
		}
		return "steps/" + step + ".go", 43
	}}))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for _, line := range lines {
		require.LessOrEqual(t, lang.Width(line), columns, line)
	}
	if len(r.Steps) == 1 {
		require.LessOrEqual(t, len(lines), rows-3, "what one needs has scrolled away")
	}
	return strings.Join(lines[max(0, len(lines)-rows+3):], "\n") + "\n"
}

// What stands on the screen in the end is a golden file: testdata/situations/NAME.
func TestSituations(t *testing.T) {
	chinese, err := lang.For("zh")
	require.NoError(t, err)
	for name, r := range situations() {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, at := range []struct {
				columns, rows int
				style         Style
				about         string
			}{{80, 24, Style{Signs: true}, ""}, {100, 30, Style{Signs: true}, ""}, {160, 50, Style{Signs: true}, ""},
				{80, 24, Style{}, " plain"}, {80, 24, Style{Signs: true, Lang: chinese}, " zh"}} {
				fmt.Fprintf(&got, "-- %d×%d%s --\n%s", at.columns, at.rows, at.about, screen(t, r, at.columns, at.rows, at.style))
			}
			file := filepath.Join("testdata", "situations", name)
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, []byte(got.String()), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "run go test ./grader/report -update")
			require.Equal(t, newline.Unix(string(want)), got.String())
		})
	}
}

// The colour of what is wrong is that of the step's verdict and of the line that says why.
func TestCauseHasTheColour(t *testing.T) {
	var red []string
	for line := range strings.Lines(screen(t, situations()["three"], 80, 24, Style{Signs: true, Colour: true})) {
		if _, after, found := strings.Cut(line, "\x1b[31m"); found {
			text, _, _ := strings.Cut(after, "\x1b[0m")
			red = append(red, text)
		}
	}
	require.Equal(t, []string{"✗ wrong values: 3 causes, 76 points", "✗ the scores are not divided by √K",
		"✗ wrong values: the title of attention.backward", "✗ wrong values: the title of multihead.backward.dx"}, red)
}

// A check that two mistakes make fail is one of both, and its points are lost once.
func TestTwoCausesOfACheck(t *testing.T) {
	both := unscaled()
	both.Diagnosis.Known = append(both.Diagnosis.Known, verdict.Known{ID: "strict", Title: lang.Raw("the mask is strict")})
	s := stepOf("step08", "attention", failing("attention.forward", 12, unscaled()), failing("multihead.forward", 13, both))
	s.Close()
	causes := s.Causes()
	require.Len(t, causes, 2)
	require.Equal(t, "the scores are not divided by √K", causes[0].Title.String())
	require.Equal(t, 25, causes[0].Points)
	require.Equal(t, "the mask is strict", causes[1].Title.String())
	require.Equal(t, 13, causes[1].Points)
	require.Equal(t, "✗ wrong values: 2 causes, 25 points", s.went(Style{Signs: true}, causes))
}

// Checks have one cause or several, whatever their order, and those of one that was read
// from its JSON too.
func TestCauses(t *testing.T) {
	unexplained, shaped, turned := differs("y", "f"), differs("y", "f"), differs("y", "f")
	shaped.Explained("sign", lang.Raw("The sign is wrong."))
	turned.Explained("reversed", lang.Raw("It is reversed."))
	unexplained.Diagnosis = verdict.Diagnosis{Kind: verdict.Unexplained}
	both := verdict.Diagnosis{Kind: verdict.Mistake, ID: "no-scale"}
	later := differs("y", "f")
	later.Diagnosis, later.Function = verdict.Diagnosis{Kind: verdict.Unexplained}, "f.forward"
	refusal := &verdict.Failure{Kind: verdict.WrongValues, Message: lang.Raw("a wrong width is not refused")}
	for name, tt := range map[string]struct {
		checks []Check
		want   []string // the checks of each cause
	}{
		"nothing": {[]Check{right("a.b", 1)}, nil},
		"one function, nothing known": {[]Check{failing("f.forward", 1, unexplained), failing("f.forward.fresh", 1, unexplained)},
			[]string{"f.forward f.forward.fresh"}},
		"two functions, nothing known": {[]Check{failing("f.forward", 1, unexplained), failing("f.backward", 1, unexplained)},
			[]string{"f.forward", "f.backward"}},
		"what is not explained joins what is": {[]Check{failing("f.forward", 1, shaped), failing("f.forward.fresh", 1, unexplained)},
			[]string{"f.forward f.forward.fresh"}},
		"two explanations": {[]Check{failing("f.forward", 1, shaped), failing("f.forward.fresh", 1, turned)},
			[]string{"f.forward", "f.forward.fresh"}},
		"values of a function in which a mistake is known": {[]Check{failing("f.forward", 1, unscaled()), failing("f.backward.again", 1, later)},
			[]string{"f.forward f.backward.again"}},
		"what is not refused is a cause of its own": {[]Check{failing("f.forward", 1, unexplained), failing("f.forward.bad", 1, refusal)},
			[]string{"f.forward", "f.forward.bad"}},
		"what is not written comes last": {[]Check{check("a", verdict.Blocked, 0, 1, "after b"), check("b", verdict.NotImplemented, 0, 1, ""), failing("c", 1, refusal)},
			[]string{"c", "b", "a"}},
		"read again": {[]Check{{ID: "f.forward", Verdict: verdict.WrongValues, Diagnosis: both}, {ID: "g.forward", Verdict: verdict.WrongShape, Diagnosis: both}},
			[]string{"f.forward g.forward"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := Step{Checks: tt.checks}
			var got []string
			for _, c := range s.Causes() {
				var ids []string
				for _, check := range c.Checks {
					ids = append(ids, check.ID)
				}
				got = append(got, strings.Join(ids, " "))
			}
			require.Equal(t, tt.want, got)
			require.Equal(t, len(got), len(Wrong(s.Causes()))+len(Waiting(s.Causes())))
		})
	}
}
