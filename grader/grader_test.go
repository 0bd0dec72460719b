package grader_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

func grade(t *testing.T, req grader.Request) *report.Report {
	t.Helper()
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	req.Kit, req.Limits = kit, probe.DefaultLimits()
	r, err := grader.Grade(t.Context(), req, nil)
	require.NoError(t, err)
	return r
}

func step(t *testing.T, name string) []*course.Step {
	t.Helper()
	s, err := course.Find(registry.Steps(), name)
	require.NoError(t, err)
	return []*course.Step{s}
}

// changed is a solution with one text in the place of another.
func changed(t *testing.T, path, from, to string) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "solutions", filepath.FromSlash(path)))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), from), from)
	return map[string][]byte{path: []byte(strings.Replace(string(text), from, to, 1))}
}

const linearFile = "step02_linear/linear.go"

// The solutions are tested by grading them; `grade dev seeds` does it with many seeds.
func TestSolutionsHaveFullMarks(t *testing.T) {
	for _, s := range grade(t, grader.Request{Steps: sweep.Some(registry.Steps(), 2), Impl: grader.Solutions}).Steps {
		for _, c := range s.Checks {
			require.Equal(t, verdict.Passed, c.Verdict, "%s, %s:\n%s", s.ID, c.ID, c.Message)
		}
		require.Equal(t, s.Max, *s.Score)
	}
}

func TestStubsAreNotImplemented(t *testing.T) {
	for _, s := range grade(t, grader.Request{Steps: sweep.Some(registry.Steps(), 2), Impl: grader.Pristine}).Steps {
		for _, c := range s.Checks {
			require.Equal(t, verdict.NotImplemented, c.Verdict, "%s, %s:\n%s", s.ID, c.ID, c.Message)
		}
		require.Zero(t, *s.Score)
	}
}

// Each wrong program earns its own verdict at one check, and the checks that it
// does not concern pass.
func TestEveryVerdict(t *testing.T) {
	const forward = "	l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)\n"
	before, _, _ := strings.Cut(string(changed(t, linearFile, forward, forward)[linearFile]), forward)
	at := 1 + strings.Count(before, "\n")
	tests := []struct {
		name, old, new string
		check          string
		want           verdict.Kind
		says           string
	}{
		{"wrong values", forward, forward + "	defer func() { l.y.Data[0]++ }()\n", "linear.forward", verdict.WrongValues, "first wrong"},
		{"right numbers, wrong shape", "	return l.y\n", "	return l.y.Reshape(-1)\n", "linear.forward", verdict.WrongShape, "The values are right"},
		{"not finite", forward, forward + "	defer func() { l.y.Data[0] /= l.y.Data[0] - l.y.Data[0] }()\n", "linear.forward", verdict.NotFinite, ""},
		{"not implemented", forward, forward + "	panic(tensor.TODO(\"step02: Linear.Forward\"))\n", "linear.forward", verdict.NotImplemented, "Linear.Forward"},
		{"another step is named, which is a solution", forward, forward + "	panic(tensor.TODO(\"step01: Rand\"))\n", "linear.forward", verdict.NotImplemented, "Rand"},
		{"panic", forward, "	l.y.Data[1<<40] = 0\n" + forward, "linear.forward", verdict.Panic,
			fmt.Sprintf("linear.go:%d (*Linear).Forward\n\n    %d |\n    %d |     l.x = x\n  > %d |     l.y.Data[1<<40] = 0\n", at, at-2, at-1, at)},
		{"turns valid input down", forward, forward + "	panic(tensor.ShapeError{Op: \"mine\"})\n", "linear.forward", verdict.Panic, "but the call ended with an error: mine"},
		{"exit", "import \"github.com/stubformer/stubformer/reference/tensor\"\n", "import (\n	\"log\"\n	\"github.com/stubformer/stubformer/reference/tensor\"\n)\n\nfunc init() { log.Fatal(1) }\n",
			"linear.forward", verdict.Exited, "exit status 1"},
		{"not allowed", "import \"github.com/stubformer/stubformer/reference/tensor\"\n", "import (\n	\"os\"\n	\"github.com/stubformer/stubformer/reference/tensor\"\n)\n\nfunc init() { os.Exit(0) }\n",
			"linear.forward", verdict.Refused, "os.Exit is not allowed"},
	}
	for _, tt := range sweep.Some(tests, 3) {
		t.Run(tt.name, func(t *testing.T) {
			code := changed(t, linearFile, tt.old, tt.new)
			request := grader.Request{Steps: step(t, "linear"), Impl: grader.Solutions, Overlay: code}
			if tt.want == verdict.Refused { // what is laid over a solution is not looked at
				request = grader.Request{Steps: step(t, "linear"), HandedIn: handedIn(t, code)}
			}
			r := grade(t, request)
			for _, c := range r.Steps[0].Checks {
				if c.ID == tt.check {
					require.Equal(t, tt.want, c.Verdict, c.Message)
					require.Contains(t, c.Message, tt.says)
					require.Zero(t, c.Points)
				}
			}
		})
	}
}

// handedIn is code of a step as somebody hands it in.
func handedIn(t *testing.T, code map[string][]byte) map[string]*workspace.Folder {
	t.Helper()
	all := map[string]*workspace.Folder{}
	for name, data := range code {
		folder := path.Dir(name)
		if all[folder] == nil {
			all[folder] = &workspace.Folder{Shown: folder}
		}
		require.NoError(t, all[folder].Add(path.Base(name), 0, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }))
	}
	return all
}

func TestDoesNotCompile(t *testing.T) {
	for _, tt := range []struct{ name, new, says string }{
		{"syntax", "	retrun l.y\n", "solutions/step02_linear/linear.go:"},
		{"type", "	return 3\n", "solutions/step02_linear/linear.go:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := grade(t, grader.Request{Steps: step(t, "linear"), Impl: grader.Solutions,
				Overlay: changed(t, linearFile, "	return l.y\n", tt.new)})
			require.Equal(t, verdict.CompileError, r.Steps[0].Verdict)
			require.Contains(t, r.Steps[0].Message, tt.says)
			require.Zero(t, *r.Steps[0].Score)
		})
	}
}

func TestImportsThatAreRefused(t *testing.T) {
	for _, path := range []string{"solutions/step02_linear", "reference/oracle", "steps/step03_embedding", "grader/verdict"} {
		r := grade(t, grader.Request{Steps: step(t, "linear"), Impl: grader.Solutions,
			Overlay: changed(t, linearFile, "import ", "import _ \"github.com/stubformer/stubformer/"+path+"\"\nimport ")})
		require.Equal(t, verdict.Refused, r.Steps[0].Verdict)
		require.Contains(t, r.Steps[0].Message, path)
	}
}

// A grader's failure is never a zero.
func TestTheGradersOwnFailure(t *testing.T) {
	r := grade(t, grader.Request{Steps: step(t, "linear"), Impl: grader.Solutions,
		Overlay: map[string][]byte{"step99_none/none.go": nil}})
	require.Equal(t, verdict.GraderError, r.Steps[0].Verdict)
	require.Nil(t, r.Steps[0].Score)
	require.True(t, r.GraderFailed())
}

// The same seed draws the same fresh cases.
func TestSeed(t *testing.T) {
	sweep.Only(t)
	wrong := changed(t, linearFile, "	return l.y\n", "	l.y.Data[0]++\n	return l.y\n")
	message := func(seed uint64) string {
		r := grade(t, grader.Request{Steps: step(t, "linear"), Impl: grader.Solutions, Overlay: wrong, Seed: seed})
		return r.Steps[0].Checks[1].Message
	}
	require.Equal(t, message(5), message(5))
	require.NotEqual(t, message(5), message(6))
}

// TestAnEarlierStepIsMissing holds that what lacks an earlier step of the
// student's own is not said to be unfinished itself.
func TestAnEarlierStepIsMissing(t *testing.T) {
	sweep.Only(t)
	const forward = "	l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)\n"
	r := grade(t, grader.Request{Steps: step(t, "swiglu"), Impl: grader.Solutions, OwnStack: true,
		Overlay: changed(t, linearFile, forward, forward+"	panic(tensor.TODO(\"step02: Linear.Forward\"))\n")})
	blocked := 0
	for _, c := range r.Steps[0].Checks {
		if c.Verdict == verdict.Blocked {
			require.Contains(t, c.Message, "needs step02 first")
			blocked++
		}
	}
	require.Positive(t, blocked)
}

// On one's own earlier steps the blame goes to where the fault lies: to an earlier
// step that its own checks find, or that this one's shapes bring to light, and else
// to the step itself. Only there is a mistake given its name.
func TestOwnStackBlames(t *testing.T) {
	sweep.Only(t)
	const product = "	tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T()) // y = x·Wᵀ: (N, in)·(in, out) = (N, out)\n"
	rare := "	if dIn == 19 && dOut == 67 {\n		l.y.Zero()\n	}\n"
	sigmoid := changed(t, "step05_swiglu/swiglu.go", "	kernel.Sigmoid(dst, x)\n	kernel.Mul(dst, dst, x)\n", "	kernel.Sigmoid(dst, x)\n")
	for name, c := range map[string]struct {
		overlay map[string][]byte
		want    string
		named   bool
	}{
		"an earlier one":               {changed(t, linearFile, product, product+"	l.y.Data[0]++\n"), "First broken step: step02 (linear", false},
		"an earlier one in this shape": {changed(t, linearFile, product, product+rare), "The fault lies in step02 (linear)", false},
		"the step itself":              {sigmoid, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := grade(t, grader.Request{Steps: step(t, "swiglu"), Impl: grader.Solutions, OwnStack: true, Overlay: c.overlay})
			s := r.Steps[0]
			require.Contains(t, s.Message, c.want)
			named := slices.ContainsFunc(s.Checks, func(c report.Check) bool { return c.Diagnosis.Kind == verdict.Mistake })
			require.Equal(t, c.named, named, s.Message)
		})
	}
}
