package grader

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
)

func TestEndless(t *testing.T) {
	find := func(id string) *course.Step {
		s, err := course.Find(registry.Steps(), id)
		require.NoError(t, err)
		return s
	}
	linear, gated, rope := find("step02"), find("step05"), find("step06")
	limit := &workspace.BuildLimitError{Folder: linear.Folder, Limit: "20s"}
	var e endless
	e.note(gated.Folder, errors.New("something else"))
	require.Empty(t, e.steps)
	e.note(linear.Folder, limit)

	solid := map[string]workspace.Source{linear.Folder: workspace.Solutions()}
	for _, c := range []struct {
		name string
		step *course.Step
		b    workspace.Build
		want error
	}{
		{"itself, in another build", linear, workspace.Build{}, limit},
		{"a step that imports it", gated, workspace.Build{}, limit},
		{"a step that imports the solution instead", gated, workspace.Build{Sources: solid}, nil},
		{"a step that does not import it", rope, workspace.Build{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, e.known(c.step, c.b)) })
	}
}
