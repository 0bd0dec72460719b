package training

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestKilledWhileSaving kills a program that does nothing but save, at random
// moments, and wants an intact checkpoint every time.
func TestKilledWhileSaving(t *testing.T) {
	const variable = "STEP11_SAVE_FOREVER"
	if path := os.Getenv(variable); path != "" {
		s := &State{Params: map[string]*tensor.Tensor{"w": tensor.New(300, 1000)}}
		for {
			s.Step++
			s.Params["w"].Fill(float32(s.Step))
			if err := Save(path, s); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "checkpoint")
	rng := rand.New(rand.NewPCG(11, 6))
	for range 6 {
		child := exec.Command(os.Args[0], "-test.run=^TestKilledWhileSaving$")
		child.Env = append(os.Environ(), variable+"="+path)
		require.NoError(t, child.Start())
		require.Eventually(t, func() bool { _, err := os.Stat(path); return err == nil }, time.Minute, time.Millisecond)
		time.Sleep(time.Duration(rng.IntN(20_000)) * time.Microsecond)
		require.NoError(t, child.Process.Kill())
		child.Wait() // which says that it was killed

		s, err := Load(path)
		require.NoError(t, err)
		want := tensor.New(300, 1000)
		want.Fill(float32(s.Step))
		require.True(t, slices.Equal(want.Data, s.Params["w"].Data), "step %d", s.Step)
	}
}
