package run

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSnapshots(t *testing.T) {
	dir := t.TempDir()
	steps, err := Snapshots(dir)
	require.NoError(t, err)
	require.Empty(t, steps)
	for _, step := range []int{1000, 0, 250} {
		file, err := NewSnapshot(dir, step)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	for _, other := range []string{".stubformer-123", "step-7.safetensors", "step-0000007.npz", "step-x.safetensors"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, snapshotFolder, other), nil, 0o600))
	}
	steps, err = Snapshots(dir)
	require.NoError(t, err)
	require.Equal(t, []int{0, 250, 1000}, steps)
}

// kept returns how many snapshots a run keeps, and the last of them.
func kept(r Recipe, params int) (n, last int) {
	for step := 0; step <= r.Steps; step += r.EvalEvery {
		if r.KeepsSnapshot(step, params) {
			n, last = n+1, step
		}
	}
	return n, last
}

func TestKeepsSnapshot(t *testing.T) {
	r := Recipe{Steps: 2000, EvalEvery: 250}
	n, last := kept(r, 1_000_000)
	require.Equal(t, []int{9, 2000}, []int{n, last}, "36 MB: all")
	require.False(t, r.KeepsSnapshot(100, 1_000_000))
	n, _ = kept(r, 20_000_000)
	require.Equal(t, 3, n, "80 MB each: as many as fit")
	n, _ = kept(r, 1_000_000_000)
	require.Equal(t, 1, n, "the first alone")
}
