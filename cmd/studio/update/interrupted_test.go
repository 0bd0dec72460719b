package update_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/studio/update"
	"github.com/stubformer/stubformer/grader/workspace"
)

// victimVariable holds, in the environment of a process that is to begin an
// update and to be killed, a victim as JSON.
const victimVariable = "STUBFORMER_TEST_UPDATE"

type victim struct {
	Root, From, Copies string
	Files              int // that it changes until it is killed
}

func TestMain(m *testing.M) {
	if text := os.Getenv(victimVariable); text != "" {
		os.Exit(die(text))
	}
	os.Exit(m.Run())
}

// die begins an update in the middle of which this process is killed.
func die(text string) int {
	var v victim
	if json.Unmarshal([]byte(text), &v) != nil {
		return 1
	}
	kit, err := workspace.Find(v.Root)
	if err != nil {
		return 1
	}
	u, err := update.Plan(context.Background(), kit, v.From, v.Copies)
	if err != nil || u.KilledAt(v.Files) != nil {
		return 1
	}
	select {} // the signal is on its way
}

// kill runs a victim and expects that it was killed.
func kill(t *testing.T, v victim) {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimVariable+"="+string(text))
	require.Error(t, cmd.Run())
	require.Negative(t, cmd.ProcessState.ExitCode(), "it was killed")
}

// pair returns an old kit in which a stub was filled in, and a newer one that
// has changed the same lines of it, and much else.
func pair(t *testing.T) (old, next *workspace.Kit) {
	t.Helper()
	stubs := handedOut(t)
	mine := edited(t, stubs["swiglu.go"], todo, silu)
	old = kit(t, map[string]string{
		stub: mine, "steps/" + folder + "/swiglu_test.go": stubs["swiglu_test.go"],
		"steps/" + folder + "/README.md": "the lesson\n", "README.md": "a kit\n", "run.sh": "#!/bin/sh\n",
		"grader/old.go": "package grader // old\n", "grader/same.go": "package grader\n",
	})
	require.NoError(t, update.WriteManifest(old.Root))
	put(t, filepath.Join(old.Root, "grader", "mine.go"), "package grader // mine\n")
	stubs["swiglu.go"] = edited(t, stubs["swiglu.go"], todo, "	panic(tensor.TODO(\"step05: SiLU, renamed\"))\n")
	stubs["swiglu_test.go"] += "\n// newer\n"
	next = newer(t, stubs, map[string]string{
		"steps/" + folder + "/README.md": "the lesson, better\n", "README.md": "a newer kit\n", "run.sh": "#!/bin/sh\necho\n",
		"grader/new.go": "package grader // new\n", "grader/same.go": "package grader\n",
	})
	require.NoError(t, os.Chmod(filepath.Join(next.Root, "run.sh"), 0o755))
	require.NoError(t, update.WriteManifest(next.Root))
	return old, next
}

// content returns every file of a kit that an update may touch, and everything
// that it may leave behind.
func content(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil || name == filepath.Join(".stubformer", "update.lock"):
			return err
		case name == filepath.Join(".stubformer", "backup"):
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		info, err := e.Info()
		require.NoError(t, err)
		data, err := os.ReadFile(path)
		all[name] = info.Mode().String() + " " + string(data)
		return err
	}))
	return all
}

// Whenever an update is killed, to repeat it gives what it would have given, and
// says so.
func TestKilledAndRepeated(t *testing.T) {
	old, next := pair(t)
	mine := read(t, old, stub)
	copies := func(k *workspace.Kit, name string) string {
		return filepath.Join(k.Root, ".stubformer", "backup", name)
	}
	u, err := update.Plan(t.Context(), old, next.Root, copies(old, "only"))
	require.NoError(t, err)
	n, changes := u.Files(), u.Changes
	require.Contains(t, changes, update.Change{File: stub, State: update.Conflict})
	require.NoError(t, u.CarryOut())
	require.NoError(t, u.Close())
	want := content(t, old.Root)
	require.NotContains(t, want, "grader/old.go")
	require.Contains(t, want["run.sh"], "-rwxr-xr-x")
	for name := range want {
		require.False(t, strings.HasPrefix(name, ".stubformer"), "%s is left", name)
	}
	require.Equal(t, 9, n)
	for at := range n + 1 {
		old, _ := pair(t)
		kill(t, victim{old.Root, next.Root, copies(old, "first"), at})
		kill(t, victim{old.Root, next.Root, copies(old, "second"), at / 2})
		u, err := update.Plan(t.Context(), old, next.Root, copies(old, "third"))
		require.NoError(t, err, "killed after %d files", at)
		require.True(t, u.Interrupted)
		require.ElementsMatch(t, changes, u.Changes, "killed after %d files", at)
		require.NoError(t, u.CarryOut())
		require.NoError(t, u.Close())
		require.Equal(t, want, content(t, old.Root), "killed after %d files", at)
		kept, err := os.ReadFile(filepath.Join(copies(old, "third"), filepath.FromSlash(stub)))
		require.NoError(t, err)
		require.Equal(t, mine, string(kept), "what the student wrote is among the copies")
	}
}

// A conflict that was not settled after an interruption is told as what it is.
func TestMarkersAfterAnInterruption(t *testing.T) {
	old, next := pair(t)
	first := filepath.Join(old.Root, ".stubformer", "backup", "first")
	kill(t, victim{old.Root, next.Root, first, 8})
	put(t, filepath.Join(old.Root, filepath.FromSlash(stub)), read(t, old, stub)+"// one more line\n")
	before := content(t, old.Root)
	_, err := bring(t, old, next.Root, filepath.Join(old.Root, ".stubformer", "backup", "second"))
	require.ErrorContains(t, err, "still has the markers of an earlier merge")
	require.ErrorContains(t, err, "This time nothing was changed; the update before it was interrupted")
	require.ErrorContains(t, err, first)
	maps.DeleteFunc(before, func(name, _ string) bool {
		return strings.HasPrefix(name, filepath.Join(".stubformer", "stubformer-scratch"))
	})
	require.Equal(t, before, content(t, old.Root))
}

// A file that is saved while an update runs stays as it was saved, whichever it
// is, and the update can be repeated.
func TestSavedMeanwhile(t *testing.T) {
	stubs := handedOut(t)
	for name, text := range map[string]string{
		stub:                                      edited(t, stubs["swiglu.go"], todo, silu+"	// saved just now\n"),
		"steps/" + folder + "/swiglu_test.go":     stubs["swiglu_test.go"] + "// saved just now\n",
		"steps/" + folder + "/README.md":          "the lesson, with a note\n",
		"README.md":                               "saved just now\n",
		"grader/old.go":                           "package grader // saved just now\n",
		"grader/new.go":                           "package grader // my own\n",
		"grader/workspace/pristine/x.txtar":       "",
		update.ManifestFile:                       "",
		"grader/nobody/has/this/one/untouched.go": "package untouched\n",
	} {
		t.Run(name, func(t *testing.T) {
			old, next := pair(t)
			u, err := update.Plan(t.Context(), old, next.Root, filepath.Join(old.Root, ".stubformer", "backup", "now"))
			require.NoError(t, err)
			put(t, filepath.Join(old.Root, filepath.FromSlash(name)), text)
			err = u.CarryOut()
			require.NoError(t, u.Close())
			require.Equal(t, text, read(t, old, name))
			if strings.HasSuffix(name, "untouched.go") || strings.HasSuffix(name, "x.txtar") { // not of this update
				require.NoError(t, err)
				return
			}
			var saved *update.SavedError
			require.ErrorAs(t, err, &saved)
			require.Equal(t, name, saved.File)
			left, err := filepath.Glob(filepath.Join(old.Root, ".stubformer", "stubformer-scratch-*"))
			require.NoError(t, err)
			require.Empty(t, left)

			again := filepath.Join(old.Root, ".stubformer", "backup", "again")
			_, err = bring(t, old, next.Root, again)
			require.NoError(t, err)
			if now := read(t, old, name); now != text && !strings.Contains(now, "saved just now") {
				kept, err := os.ReadFile(filepath.Join(again, filepath.FromSlash(name)))
				require.NoError(t, err)
				require.Equal(t, text, string(kept))
			}
		})
	}
}

// A file that can be executed stays so, and becomes so.
func TestExecutable(t *testing.T) {
	for name, c := range map[string]struct{ old, newer, want fs.FileMode }{
		"both":                      {0o755, 0o755, 0o755},
		"new in the newer kit":      {0o644, 0o755, 0o755},
		"lost in unpacking the new": {0o755, 0o644, 0o755},
		"neither":                   {0o644, 0o644, 0o644},
	} {
		for _, text := range []string{"#!/bin/sh\n", "#!/bin/sh\necho\n"} { // the same, and another
			t.Run(name, func(t *testing.T) {
				old, next := pair(t)
				put(t, filepath.Join(next.Root, "run.sh"), text)
				require.NoError(t, os.Chmod(filepath.Join(old.Root, "run.sh"), c.old))
				require.NoError(t, os.Chmod(filepath.Join(next.Root, "run.sh"), c.newer))
				require.NoError(t, os.Chmod(filepath.Join(old.Root, filepath.FromSlash(stub)), c.old))
				_, err := bring(t, old, next.Root, filepath.Join(t.TempDir(), "copies"))
				require.NoError(t, err)
				info, err := os.Stat(filepath.Join(old.Root, "run.sh"))
				require.NoError(t, err)
				require.Equal(t, c.want, info.Mode().Perm())
				require.Equal(t, text, read(t, old, "run.sh"))
				info, err = os.Stat(filepath.Join(old.Root, filepath.FromSlash(stub)))
				require.NoError(t, err)
				require.Equal(t, c.old, info.Mode().Perm(), "a file of the student's")
			})
		}
	}
}

// Without a manifest nobody knows whose a file is: all stay, and are named.
func TestWithoutAManifest(t *testing.T) {
	old, next := pair(t)
	require.NoError(t, os.Remove(filepath.Join(old.Root, update.ManifestFile)))
	u, err := update.Plan(t.Context(), old, next.Root, filepath.Join(t.TempDir(), "copies"))
	require.NoError(t, err)
	defer u.Close()
	for _, name := range []string{"grader/old.go", "grader/mine.go"} {
		require.Contains(t, u.Changes, update.Change{File: name, State: update.Stays})
	}
	require.NoError(t, u.CarryOut())
	require.Equal(t, "package grader // old\n", read(t, old, "grader/old.go"))
}

func TestTwoUpdates(t *testing.T) {
	old, next := pair(t)
	u, err := update.Plan(t.Context(), old, next.Root, filepath.Join(t.TempDir(), "copies"))
	require.NoError(t, err)
	_, err = update.Plan(t.Context(), old, next.Root, filepath.Join(t.TempDir(), "copies"))
	require.ErrorContains(t, err, "another update of "+old.Root+" is under way")
	require.NoError(t, u.CarryOut())
	require.NoError(t, u.Close())
}
