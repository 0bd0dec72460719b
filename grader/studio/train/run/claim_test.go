package run

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
)

// A process that is started to claim a folder finds here what to do: "new DIR",
// "numbered NAME" or, to give up after it has begun, "undo DIR".
const claimVariable = "STUBFORMER_TEST_CLAIM"

func TestMain(m *testing.M) {
	if what := os.Getenv(claimVariable); what != "" {
		os.Exit(claimant(what))
	}
	os.Exit(m.Run())
}

// claimant does what `grade train` does in a folder. It prints the folder's name
// and returns 0 if it has trained in it.
func claimant(what string) int {
	verb, dir, _ := strings.Cut(what, " ")
	make := New
	if verb == "numbered" {
		make = NewNumbered
	}
	claim, err := make(dir)
	if err == nil {
		err = claim.Fill(Text{Corpus: "my.txt", Text: strings.Repeat("ab\n", 334)}, 7, tiny())
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if verb == "undo" {
		if err := claim.Undo(); err != nil {
			fmt.Println(err)
			return 3
		}
		return 1
	}
	unlock, err := Lock(claim.Dir)
	if err != nil {
		fmt.Println(err)
		return 2
	}
	defer unlock()
	if err := os.WriteFile(filepath.Join(claim.Dir, CheckpointFile), nil, 0o600); err != nil {
		return 2
	}
	fmt.Print(claim.Dir)
	return 0
}

// claimants runs processes at the same time and returns what they printed and
// their exit statuses.
func claimants(t *testing.T, what ...string) (said []string, statuses []int) {
	t.Helper()
	type process struct {
		cmd *exec.Cmd
		out *strings.Builder
	}
	var all []process
	for _, w := range what {
		p := process{exec.Command(os.Args[0]), new(strings.Builder)}
		p.cmd.Env, p.cmd.Stdout = append(os.Environ(), claimVariable+"="+w), p.out
		require.NoError(t, p.cmd.Start())
		all = append(all, p)
	}
	for _, p := range all {
		err := p.cmd.Wait()
		require.True(t, err == nil || errors.As(err, new(*exec.ExitError)), "%v", err)
		said, statuses = append(said, p.out.String()), append(statuses, p.cmd.ProcessState.ExitCode())
	}
	return said, statuses
}

// requireWhole expects a run that has begun.
func requireWhole(t *testing.T, dir string) {
	t.Helper()
	_, err := Open(dir)
	require.NoError(t, err)
	for _, name := range []string{TrainFile, ValidationFile, CheckpointFile, tokenizer.AlphabetFile} {
		require.FileExists(t, filepath.Join(dir, name))
	}
}

// Pairs of processes start a run in the same folder at the same time.
func TestPairs(t *testing.T) {
	pairs := 40
	if testing.Short() {
		pairs = 8
	}
	t.Run("one gets the folder, and keeps it", func(t *testing.T) {
		for range pairs {
			dir := filepath.Join(t.TempDir(), "runs", "same")
			said, statuses := claimants(t, "new "+dir, "new "+dir)
			require.ElementsMatch(t, []int{0, 1}, statuses, "%q", said)
			requireWhole(t, dir)
			loser := said[0]
			if statuses[0] == 0 {
				loser = said[1]
			}
			require.Regexp(t, "holds a run already|is there already", loser)
		}
	})
	t.Run("without a name they get two", func(t *testing.T) {
		for range pairs {
			name := filepath.Join(t.TempDir(), "runs", "tiny")
			said, statuses := claimants(t, "numbered "+name, "numbered "+name)
			require.Equal(t, []int{0, 0}, statuses, "%q", said)
			require.ElementsMatch(t, []string{name, name + "-2"}, said)
			requireWhole(t, name)
			requireWhole(t, name+"-2")
		}
	})
	t.Run("who gives up removes no run but its own", func(t *testing.T) {
		for range pairs {
			dir := filepath.Join(t.TempDir(), "runs", "same")
			said, statuses := claimants(t, "undo "+dir, "new "+dir)
			require.Equal(t, 1, statuses[0], "%q", said)
			if statuses[1] == 0 { // it came first, or after the other was gone
				requireWhole(t, dir)
				continue
			}
			require.Equal(t, 1, statuses[1], "%q", said)
			require.NoDirExists(t, dir)
		}
	})
}

func TestUndo(t *testing.T) {
	begin := func(t *testing.T) (*Claim, string) {
		dir := filepath.Join(t.TempDir(), "runs", "mine")
		c, err := New(dir)
		require.NoError(t, err)
		require.NoError(t, c.Fill(Text{Corpus: "my.txt", Text: strings.Repeat("ab\n", 334)}, 7, tiny()))
		return c, dir
	}
	t.Run("nothing is left", func(t *testing.T) {
		c, dir := begin(t)
		first, err := NewSnapshot(dir, 0)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(first, nil, 0o600))
		require.NoError(t, c.Undo())
		require.NoDirExists(t, filepath.Dir(dir))
	})
	t.Run("a neighbour stays", func(t *testing.T) {
		c, dir := begin(t)
		require.NoError(t, os.Mkdir(dir+"-2", 0o755))
		require.NoError(t, c.Undo())
		require.NoDirExists(t, dir)
		require.DirExists(t, dir+"-2")
	})
	t.Run("a file of one's own stays", func(t *testing.T) {
		c, dir := begin(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.md"), nil, 0o600))
		require.NoError(t, c.Undo())
		require.FileExists(t, filepath.Join(dir, "notes.md"))
	})
	t.Run("a run that has begun stays", func(t *testing.T) {
		c, dir := begin(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, CheckpointFile), nil, 0o600))
		require.NoError(t, c.Undo())
		requireWhole(t, dir)
	})
	t.Run("somebody trains in it", func(t *testing.T) {
		c, dir := begin(t)
		unlock, err := Lock(dir)
		require.NoError(t, err)
		require.NoError(t, c.Undo())
		require.FileExists(t, filepath.Join(dir, ConfigFile))
		require.NoError(t, unlock())
	})
}
