package train_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/workspace"
)

// TestQuantizeIsTheStudents holds that a model is stored by the student's own formats,
// right or not: with groups of another size it takes other bytes.
func TestQuantizeIsTheStudents(t *testing.T) {
	sweep.Only(t)
	kit := ownKit(t)
	s := settings()
	s.Recipe.Steps = 2
	dir := newRun(t, s)
	binary, err := train.Build(t.Context(), kit, workspace.Own(), s.Model, t.TempDir())
	require.NoError(t, err)
	trained(t, binary, dir)
	q := train.Quantizer{Kit: kit, Source: workspace.Own(), Prints: io.Discard}
	stored := func() (int, error) {
		made, err := q.Quantize(t.Context(), binary, dir, "int8", filepath.Join(t.TempDir(), "out"), t.TempDir())
		return made.Bytes, err
	}
	whole, err := stored()
	require.NoError(t, err)

	edit := func(name, from, to string) {
		path := filepath.Join(kit.Root, "steps", "step15_formats", name)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(text), from)
		require.NoError(t, os.WriteFile(path, bytes.Replace(text, []byte(from), []byte(to), 1), 0o644))
	}
	edit("linear.go", "const Group = 64", "const Group = 4")
	small, err := stored()
	require.NoError(t, err)
	require.Greater(t, small, whole, "a scale for every four numbers instead of 64")

	edit("shrink.go", "store, ok := formats()[format]", "panic(tensor.TODO(\"step15: Shrink\"))\n\tstore, ok := formats()[format]")
	_, err = stored()
	require.ErrorAs(t, err, new(*train.NotImplementedError))
	require.ErrorContains(t, err, "step15: Shrink")
}
