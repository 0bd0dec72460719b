package grader

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/verdict"
)

// A store of the known mistakes that cannot be read is the grader's error at
// every check, and no zero.
func TestDamagedStore(t *testing.T) {
	step := &course.Step{ID: "step05", Folder: "step05_swiglu", Checks: []course.Check{{ID: "a", Points: 60}, {ID: "b", Points: 40}}}
	for name, c := range map[string]struct {
		stored func(string) ([]byte, error)
		says   string
	}{
		"damaged": {func(string) ([]byte, error) { return []byte("{"), nil }, "fixtures/step05_swiglu/mistakes.json is damaged"},
		"missing": {func(string) ([]byte, error) { return nil, errors.New("no such file") }, "the store of the known mistakes is missing: no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			g := &run{watch: func(Event) {}, stored: c.stored, trouble: map[string]error{}}
			result := g.step(t.Context(), step)
			require.Equal(t, verdict.GraderError, result.Verdict)
			require.Nil(t, result.Score)
			require.Len(t, result.Checks, 2)
			for _, check := range result.Checks {
				require.Equal(t, verdict.GraderError, check.Verdict)
				require.Contains(t, check.Message, "not your fault")
				require.Contains(t, check.Message, c.says)
			}
		})
	}
}
