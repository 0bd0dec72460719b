package kept_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/probe/kept"
	"github.com/stubformer/stubformer/reference/wire"
)

func TestACallIsReadAsItWasWritten(t *testing.T) {
	root := t.TempDir()
	none, err := kept.Read(root, "step02")
	require.NoError(t, err)
	require.Nil(t, none)

	call := &kept.Call{Function: "linear.forward", Told: "x = [1]: you gave y = [2], want [3]",
		In:   wire.Values{"x": wire.Float32s([]float32{1}, 1), "w": wire.Float32s([]float32{3}, 1, 1)},
		Want: wire.Values{"y": wire.Floats([]float64{3}, 1)}}
	require.NoError(t, kept.Write(root, "step02", call))
	again, err := kept.Read(root, "step02")
	require.NoError(t, err)
	require.Equal(t, call, again)

	data, err := os.ReadFile(kept.Path(root, "step02"))
	require.NoError(t, err)
	for cut := range len(data) {
		require.NoError(t, os.WriteFile(kept.Path(root, "step02"), data[:cut], 0o644))
		_, err := kept.Read(root, "step02")
		require.ErrorContains(t, err, "Remove it, and grade the step again")
	}

	require.NoError(t, kept.Write(root, "step02", nil))
	require.NoError(t, kept.Write(root, "step02", nil))
	require.NoFileExists(t, kept.Path(root, "step02"))
}
