package steps

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/report"
)

// The electives stand by their tracks and are counted beside the core.
func TestElectivesAtAGlance(t *testing.T) {
	step := func(id, name string, track course.Track) *course.Step {
		return &course.Step{ID: id, Name: name, Title: name, Track: track, Checks: []course.Check{{Points: 100}}}
	}
	steps := []*course.Step{step("step01", "one", course.Core), step("step02", "two", course.Core),
		step("step12", "cache", course.Inference), step("step14", "bpe", course.Text), step("step13", "grouped", course.Inference)}
	best := map[string]progress.Attempt{"step01": {Score: 100, Max: 100}, "step14": {Score: 40, Max: 100}}
	for name, c := range map[string]struct {
		steps []*course.Step
		want  string
		best  map[string]progress.Attempt
	}{
		"with electives": {steps, "step01 one 100/100 step02 two –/100 total 100/200 inference step12 cache –/100 step13 grouped –/100 text step14 bpe 40/100 electives 40/300", nil},
		"the core alone": {steps[:2], "step01 one 100/100 step02 two –/100 total 100/200", nil},
		"checks that are left out of the points": {steps[:2], "step01 one 70/70 step02 two –/100 total 70/170",
			map[string]progress.Attempt{"step01": {Score: 70, Max: 70}}},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if c.best == nil {
				c.best = best
			}
			glance(&b, report.Style{}, c.steps, scores{c.best, c.best}, func(string) standing.Step { return standing.Step{} })
			var short []string
			for line := range strings.Lines(b.String()) {
				fields := strings.Fields(line)
				if len(fields) > 3 {
					fields = fields[:3] // without title and state
				}
				short = append(short, fields...)
			}
			require.Equal(t, c.want, strings.Join(short, " "))
		})
	}
}

// A state has the same sign, word and colour as in the dashboard, and a stub that was graded
// and not touched is no work.
func TestState(t *testing.T) {
	full, less := &progress.Attempt{Score: 100, Max: 100}, &progress.Attempt{Score: 24, Max: 100}
	style := report.Style{Colour: true, Signs: true}
	for want, s := range map[string]standing.Step{
		"\x1b[32m✓ passed\x1b[0m":         {State: standing.Passed, Best: full, Last: full},
		"\x1b[31m✗ broken: 24 now\x1b[0m": {State: standing.Broken, Best: full, Last: less},
		"\x1b[33m● in work\x1b[0m":        {State: standing.InWork, Best: less, Last: less},
		"\x1b[31m✗ wrong values\x1b[0m":   {State: standing.Wrong, Best: less, Last: &progress.Attempt{Score: 24, Max: 100, Verdict: "wrong_values"}},
		"\x1b[2m○ untouched\x1b[0m":       {},
		"\x1b[2m◌ after step06\x1b[0m":    {State: standing.Blocked, WaitsFor: "step06", Best: less, Last: less},
	} {
		require.Equal(t, want, mark(style, s.State)(words(style, s)))
	}
}

func TestNextStep(t *testing.T) {
	last := map[string]progress.Attempt{}
	require.Contains(t, nextStep(scores{last: last}).String(), "go run ./cmd/grade step01")
	last["step13"] = progress.Attempt{Score: 3, Max: 100}
	last["step12"] = progress.Attempt{Score: 100, Max: 100}
	require.Contains(t, nextStep(scores{last: last}).String(), "go run ./cmd/grade step13", "who begins with electives goes on with them")
	clear(last)
	for _, s := range registry.Steps() {
		if !s.Elective() {
			last[s.ID] = progress.Attempt{Score: s.Max(), Max: s.Max()}
		}
	}
	require.Contains(t, nextStep(scores{last: last}).String(), "train --config", "a model that is whole learns")
	last["step04"] = progress.Attempt{Score: 3, Max: 100}
	require.Contains(t, nextStep(scores{last: last}).String(), "fill in the stub, then run\n\n  go run ./cmd/grade step04")
	best := map[string]progress.Attempt{"step04": {Score: 100, Max: 100}}
	require.Contains(t, nextStep(scores{best, last}).String(), "step04 had passed, and does not any more")
}
