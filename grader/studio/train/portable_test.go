package train_test

import (
	"io"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

// TestPortable trains the same model on this processor and on an emulated arm64, whose
// compiler joins products and sums unless it is told not to: its parameters and losses are
// the same to the last bit. That those of WebAssembly are is for grader/studio/explore/browser.
func TestPortable(t *testing.T) {
	sweep.Only(t)
	emulator, err := exec.LookPath("qemu-aarch64")
	if err != nil || runtime.GOOS != "linux" || runtime.GOARCH == "arm64" {
		t.Skip("qemu-aarch64 is not installed")
	}
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	s := settings()
	s.Model.Portable = true
	binary, err := train.Build(t.Context(), kit, workspace.Solutions(), s.Model, t.TempDir())
	require.NoError(t, err)
	here, there, fast := newRun(t, s), newRun(t, s), newRun(t, settings())
	require.NoError(t, train.Train(t.Context(), binary, here, run.Solutions, io.Discard, func(run.Event) {}))
	c, err := run.Open(here)
	require.NoError(t, err)
	require.Equal(t, "portable", c.Trained[0].Kernel)

	arm, err := kit.Build(t.Context(), workspace.Build{Course: registry.Steps(), Step: "step11_training", Package: "grader/programs/train",
		Sources: sources(t, kit), Env: []string{"GOARCH=arm64"}, Portable: true}, t.TempDir())
	require.NoError(t, err)
	emulated := exec.CommandContext(t.Context(), emulator, arm, "train", there)
	input, err := emulated.StdinPipe() // open, or the program would stop
	require.NoError(t, err)
	defer input.Close()
	out, err := emulated.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, logOf(t, here), logOf(t, there))
	require.Equal(t, parameters(t, binary, here), parameters(t, binary, there))

	quick, err := train.Build(t.Context(), kit, workspace.Solutions(), settings().Model, t.TempDir())
	require.NoError(t, err)
	require.NoError(t, train.Train(t.Context(), quick, fast, run.Solutions, io.Discard, func(run.Event) {}))
	if c, err := run.Open(fast); err == nil && c.Trained[0].Kernel != "portable" {
		require.NotEqual(t, parameters(t, binary, here), parameters(t, quick, fast), "this test would see a difference")
	}
}
