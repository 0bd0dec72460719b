package train_test

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/train"
	"github.com/stubformer/stubformer/grader/train/run"
)

// killed kills a training at random moments, time and again, and expects the
// losses and parameters of a training that nobody disturbed.
func killed(t *testing.T, binary string) {
	s := settings()
	s.Recipe.Steps, s.Recipe.SaveEvery = 120, 2
	steps, params := trained(t, binary, newRun(t, s))
	require.Len(t, steps, 121)
	compare := func(dir string, kills int) {
		again, paramsAgain := trained(t, binary, dir)
		require.Equal(t, string(params), string(paramsAgain))
		// A kill between a checkpoint and its line in the log loses that line alone.
		require.GreaterOrEqual(t, len(again), len(steps)-kills)
		require.Equal(t, 120, again[len(again)-1].Step)
		for i, s := range again {
			require.Equal(t, steps[s.Step], s)
			require.True(t, i == 0 || s.Step > again[i-1].Step, "step %d stands in the log twice", s.Step)
		}
	}
	dir, kills, rng := newRun(t, s), 0, rand.New(rand.NewPCG(1, 2))
	for kills < 12 {
		if killedOne(t, binary, dir, rng) {
			kills++
		} else { // it was at its end before we were
			compare(dir, kills)
			dir = newRun(t, s)
		}
		if _, err := os.Stat(filepath.Join(dir, run.CheckpointFile)); err == nil {
			parameters(t, binary, dir) // it is intact
		}
	}
	compare(dir, kills)
}

// killedOne goes on with a training and kills it at some moment of its next few
// steps. It returns false if it came too late.
func killedOne(t *testing.T, binary, dir string, rng *rand.Rand) bool {
	cmd := exec.Command(binary, "train", dir)
	input, err := cmd.StdinPipe() // stays open: it is not asked to stop
	require.NoError(t, err)
	defer input.Close()
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	events := bufio.NewReader(output)
	for range rng.IntN(20) {
		events.ReadString('\n')
	}
	time.Sleep(time.Duration(rng.IntN(4000)) * time.Microsecond) // somewhere in a step, or in a checkpoint
	cmd.Process.Kill()
	return cmd.Wait() != nil
}

// stopped asks a training to stop, goes on with it and stops it again, and
// compares it with one that was stopped later.
func stopped(t *testing.T, binary string) {
	s := settings()
	s.Recipe.Steps = 1_000_000 // nobody waits for the end
	until := func(dir string, last int) []run.Step {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var saved int
		require.NoError(t, train.Run(ctx, binary, []string{"train", dir}, io.Discard, func(e run.Event) {
			switch {
			case e.Step != nil && e.Step.Step >= last:
				cancel()
			case e.Saved != nil:
				saved = e.Saved.Step
			}
		}))
		steps := logOf(t, dir)
		require.Equal(t, saved, steps[len(steps)-1].Step, "the last step is saved")
		require.Len(t, steps, saved+1)
		return steps
	}
	unbroken, dir := until(newRun(t, s), 60), newRun(t, s)
	until(dir, 7)
	broken := until(dir, 50)
	both := min(len(unbroken), len(broken))
	require.Equal(t, unbroken[:both], broken[:both])
}
