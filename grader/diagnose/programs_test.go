package diagnose_test

import (
	"io"
	"maps"
	"os"
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

// program is a wrong program below testdata, written on its own and not by a
// substitution in the solution. Files that it does not hold are those in
// testdata/base.
type program struct {
	name, step string
	wrong      []string // the mistakes in it that the catalogue knows
	unknown    string   // what else is wrong with it
	named      []string // what the diagnosis names: some of wrong, or nothing
	rule       string   // what it says of the unknown, by rule
	structure  []string // and what it says about the structure where it names nothing
}

func programs() []program {
	return []program{
		{name: "init-quantile-he", step: "step01", wrong: []string{"linear-he"}, named: []string{"linear-he"}},
		{name: "init-boxmuller-clamped", step: "step01", wrong: []string{"clamped", "same-stream-for-all"}, named: []string{"clamped"}},
		{name: "init-laplace", step: "step01", unknown: "another distribution"},
		{name: "linear-index-and-assign", step: "step02", wrong: []string{"weight-read-as-in-out", "dw-overwritten"}, named: []string{"dw-overwritten", "weight-read-as-in-out"}},
		{name: "linear-batch-mean", step: "step02", wrong: []string{"dw-averaged"}, named: []string{"dw-averaged"}},
		{name: "linear-bfloat16", step: "step02", unknown: "inputs rounded to sixteen bits", structure: []string{"close"}},
		{name: "linear-scaled-and-lost", step: "step02", wrong: []string{"dw-overwritten"}, unknown: "y divided by √in", named: []string{"dw-overwritten"}, rule: "y is divided by √I at the end", structure: []string{"factor"}},
		{name: "embedding-one-hot", step: "step03", wrong: []string{"last-gradient-wins"}, named: []string{"last-gradient-wins"}},
		{name: "embedding-scaled-mean", step: "step03", wrong: []string{"scaled-by-root-d", "averaged-over-repeats"}, named: []string{"averaged-over-repeats", "scaled-by-root-d"}},
		{name: "embedding-normalised", step: "step03", unknown: "rows of length 1", structure: []string{"row-factor"}},
		{name: "rmsnorm-eps-outside", step: "step04", wrong: []string{"eps-outside-root", "squares-in-float32"}, named: []string{"eps-outside-root"}},
		{name: "rmsnorm-layernorm", step: "step04", wrong: []string{"mean-subtracted"}, named: []string{"mean-subtracted"}},
		{name: "rmsnorm-two-mistakes", step: "step04", wrong: []string{"sum-for-mean", "dg-overwritten"}, named: []string{"dg-overwritten", "sum-for-mean"}},
		{name: "rmsnorm-by-maximum", step: "step04", unknown: "rows divided by their largest element", structure: []string{"row-factor"}},
		{name: "swiglu-gelu", step: "step05", wrong: []string{"gelu"}, named: []string{"gelu"}},
		{name: "swiglu-two-mistakes", step: "step05", wrong: []string{"dff-integer-division", "dgate-without-silu"}, named: []string{"dff-integer-division", "dgate-without-silu"}},
		{name: "swiglu-mish", step: "step05", unknown: "Mish for SiLU"},
		{name: "swiglu-overflow", step: "step05", wrong: []string{"silu-overflows"}, named: []string{"silu-overflows"}},
		{name: "rope-complex-halves", step: "step06", wrong: []string{"half-split"}, named: []string{"half-split"}},
		{name: "rope-two-in-one", step: "step06", wrong: []string{"opposite-direction", "theta-fixed"}, named: []string{"theta-fixed"}},
		{name: "rope-counts-itself", step: "step06", wrong: []string{"positions-ignored"}, named: []string{"positions-ignored"}},
		{name: "rope-partial", step: "step06", unknown: "only half of the pairs are turned", structure: []string{"copied"}},
		{name: "softmax-three-mistakes", step: "step07", wrong: []string{"one-shift-for-all", "loss-summed", "gradient-not-averaged"}, named: []string{"gradient-not-averaged", "loss-summed", "one-shift-for-all"}},
		{name: "softmax-jacobian", step: "step07", wrong: []string{"diagonal-only"}, named: []string{"diagonal-only"}},
		{name: "softmax-smoothed", step: "step07", unknown: "label smoothing"},
		{name: "softmax-log-eps", step: "step07", wrong: []string{"log-of-softmax-eps"}, named: []string{"log-of-softmax-eps"}},
	}
}

// TestPrecision grades programs that no entry of the catalogue was made from. A
// mistake that is not in a program must never be named.
func TestPrecision(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	rightly, silent, structure := 0, 0, 0
	all := slices.Concat(programs(), transformerPrograms(), trainingPrograms())
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			step, err := course.Find(registry.Steps(), p.step)
			require.NoError(t, err)
			r, err := grader.Grade(t.Context(), grader.Request{Kit: kit, Steps: []*course.Step{step},
				HandedIn: p.folder(t, step.Folder), Seed: 11, Limits: probe.DefaultLimits()}, nil)
			require.NoError(t, err)
			s := r.Steps[0]
			require.NotContains(t, []verdict.Kind{verdict.Passed, verdict.CompileError, verdict.GraderError}, s.Verdict, s.Message)
			named, structures := diagnoses(s)
			named = slices.DeleteFunc(named, func(id string) bool { return p.rule != "" && strings.HasPrefix(id, "rule-") && says(s, id, p.rule) })
			for _, id := range named {
				require.Contains(t, p.wrong, id, "named wrongly")
			}
			require.Equal(t, p.named, named)
			require.Equal(t, p.structure, structures)
			switch {
			case len(named) > 0:
				rightly++
			case len(structures) > 0:
				structure++
			default:
				silent++
			}
		})
	}
	t.Logf("%d programs: %d named rightly, %d silent, %d described by structure, none named wrongly", len(all), rightly, silent, structure)
}

// folder returns the program's files of a step, laid over those of base.
func (p program) folder(t *testing.T, step string) map[string]*workspace.Folder {
	files := map[string]string{}
	for _, from := range []string{"base", p.name} {
		found, err := filepath.Glob(filepath.Join("testdata", from, step, "*.go"))
		require.NoError(t, err)
		for _, file := range found {
			files[filepath.Base(file)] = file
		}
	}
	f := &workspace.Folder{Shown: step}
	for name, file := range files {
		require.NoError(t, f.Add(name, 0, func() (io.ReadCloser, error) { return os.Open(file) }))
	}
	return map[string]*workspace.Folder{step: f}
}

// says reports whether the checks that are explained by a rule, of which there is one at
// least, say its sentence.
func says(s report.Step, id, sentence string) (said bool) {
	for _, c := range s.Checks {
		if !strings.Contains(c.Diagnosis.ID, id) {
			continue
		}
		if !strings.Contains(strings.Join(strings.Fields(c.Message), " "), sentence) {
			return false
		}
		said = true
	}
	return said
}

// diagnoses returns what a step's checks name, and the structures they speak of
// where nothing is named, each once and sorted.
func diagnoses(s report.Step) (named, structures []string) {
	found := map[string]map[string]bool{verdict.Mistake: {}, verdict.ByStructure: {}}
	for _, c := range s.Checks {
		if ids := found[c.Diagnosis.Kind]; ids != nil {
			for id := range strings.SplitSeq(c.Diagnosis.ID, "+") {
				ids[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found[verdict.Mistake])), slices.Sorted(maps.Keys(found[verdict.ByStructure]))
}
