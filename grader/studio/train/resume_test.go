package train_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// kills is how often a training is killed: go test ./grader/studio/train -run Program/killed -kills 200
var kills = flag.Int("kills", 5, "how often a training is killed")

// killed kills trainings at random moments, time and again, and expects the log
// and the parameters of a training that nobody disturbed.
func killed(t *testing.T, binary string) {
	s := settings()
	s.Recipe.Steps, s.Recipe.SaveEvery = 120, 2
	steps, params := trained(t, binary, newRun(t, s))
	require.Len(t, steps, 121)
	compare := func(dir string) {
		again, paramsAgain := trained(t, binary, dir)
		require.Equal(t, string(params), string(paramsAgain))
		require.Equal(t, steps, again, "the log is whole")
	}
	dir, rng := newRun(t, s), rand.New(rand.NewPCG(1, 2))
	for n := 0; n < *kills; {
		if killedOne(t, binary, dir, rng) {
			n++
		} else { // it was at its end before we were
			compare(dir)
			dir = newRun(t, s)
		}
		if _, err := os.Stat(filepath.Join(dir, run.CheckpointFile)); err == nil {
			parameters(t, binary, dir) // it is intact
		}
	}
	compare(dir)
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

// A text that is not the one that a run was made with is refused by name, and
// the run is as it was.
func otherText(t *testing.T, binary string) {
	s := settings()
	for name, c := range map[string]struct {
		file string
		edit func([]byte) []byte
		want string
	}{
		"cut to an even length": {run.TrainFile, func(b []byte) []byte { return b[:len(b)/4*2] }, "bytes, and had"},
		"cut to nothing":        {run.TrainFile, func(b []byte) []byte { return nil }, "has 0 bytes, and had"},
		"longer":                {run.TrainFile, func(b []byte) []byte { return append(b, 1, 0) }, "bytes, and had"},
		"one token":             {run.TrainFile, func(b []byte) []byte { b[100] ^= 1; return b }, "is not as it was when the run was made"},
		"validation":            {run.ValidationFile, func(b []byte) []byte { return b[:len(b)-2] }, "bytes, and had"},
		"alphabet":              {"alphabet.txt", func(b []byte) []byte { b[len(b)-1], b[len(b)-2] = b[len(b)-2], b[len(b)-1]; return b }, "its SHA-256 is"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newRun(t, s)
			before, params := trained(t, binary, dir)
			path := filepath.Join(dir, c.file)
			whole, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, c.edit(bytes.Clone(whole)), 0o644))
			err = train.Run(t.Context(), binary, []string{"train", dir}, io.Discard, func(run.Event) {})
			var said *train.ProgramError
			require.ErrorAs(t, err, &said)
			require.ErrorContains(t, err, path+" ")
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "put the file back, or begin a new run")
			require.NoError(t, os.WriteFile(path, whole, 0o644))
			after, paramsAfter := trained(t, binary, dir)
			require.Equal(t, before, after)
			require.Equal(t, params, paramsAfter)
		})
	}
}

// A line of the log that somebody has damaged takes no other with it.
func damagedLog(t *testing.T, binary string) {
	s := settings()
	dir := newRun(t, s)
	steps, _ := trained(t, binary, dir)
	path := filepath.Join(dir, run.LogFile)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := bytes.SplitAfter(data, []byte("\n"))
	lines[10] = []byte("{\"step\":10,\"loss\n")
	damaged := bytes.Join(lines, nil)
	require.NoError(t, os.WriteFile(path, damaged, 0o644))
	again, _ := trained(t, binary, dir)
	require.Equal(t, slices.Delete(slices.Clone(steps), 10, 11), again)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(damaged), string(after))
}
