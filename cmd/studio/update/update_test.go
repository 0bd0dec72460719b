package update_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/stubformer/stubformer/cmd/studio/update"
	"github.com/stubformer/stubformer/grader/workspace"
)

const (
	folder = "step05_swiglu"
	stub   = "steps/step05_swiglu/swiglu.go"
	todo   = "	panic(tensor.TODO(\"step05: SiLU\"))\n"
	silu   = "	for i, v := range x {\n		dst[i] = mine(v)\n	}\n"
)

// handedOut is the stub that this program knows as the one a student began with.
func handedOut(t *testing.T) map[string]string {
	t.Helper()
	here, err := workspace.Find(".")
	require.NoError(t, err)
	files, err := here.Stub(folder)
	require.NoError(t, err)
	texts := map[string]string{}
	for name, data := range files {
		texts[name] = string(data)
	}
	return texts
}

// kit writes a kit of one step: files by path from its root.
func kit(t *testing.T, files map[string]string) *workspace.Kit {
	t.Helper()
	root := t.TempDir()
	files["go.mod"] = "module github.com/stubformer/stubformer\n"
	for name, text := range files {
		put(t, filepath.Join(root, filepath.FromSlash(name)), text)
	}
	k, err := workspace.Find(root)
	require.NoError(t, err)
	return k
}

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// bring updates a kit.
func bring(t *testing.T, k *workspace.Kit, from, copies string) ([]update.Change, error) {
	t.Helper()
	u, err := update.Plan(t.Context(), k, from, copies)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	return u.Changes, u.CarryOut()
}

// newer writes a newer kit with these Go files in its step.
func newer(t *testing.T, stubs, files map[string]string) *workspace.Kit {
	t.Helper()
	var a txtar.Archive
	for name, text := range stubs {
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
		files["steps/"+folder+"/"+name] = text
	}
	files["grader/workspace/pristine/"+folder+".txtar"] = string(txtar.Format(&a))
	return kit(t, files)
}

func read(t *testing.T, k *workspace.Kit, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(k.Root, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(data)
}

// edited returns the stub with one change.
func edited(t *testing.T, text, old, new string) string {
	t.Helper()
	require.Equal(t, 1, strings.Count(text, old), "%q", old)
	return strings.Replace(text, old, new, 1)
}

func TestUpdate(t *testing.T) {
	base := handedOut(t)["swiglu.go"]
	mine := edited(t, base, todo, silu)
	better := edited(t, base, "// Package swiglu is", "// Package swiglu, newly explained, is")
	rival := edited(t, base, todo, "	panic(tensor.TODO(\"step05: SiLU, renamed\"))\n")
	tests := []struct {
		name        string
		mine, newer string
		want        []string // in the file afterwards
		state       []update.State
	}{
		{"not begun yet", base, better, []string{"newly explained", todo}, []update.State{update.Renewed}},
		{"begun, and the stub is the same", mine, base, []string{silu}, nil},
		{"different places", mine, better, []string{"newly explained", silu}, []update.State{update.Merged}},
		{"the same lines", mine, rival, []string{"<<<<<<< yours\n" + silu + "||||||| the stub you began with\n" + todo + "=======\n", "SiLU, renamed", ">>>>>>> the new stub"},
			[]update.State{update.Conflict}},
		{"from Windows", strings.ReplaceAll(mine, "\n", "\r\n"), better, []string{"newly explained", silu}, []update.State{update.Merged}},
		{"the update was made before", better, better, []string{"newly explained", todo}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			old := kit(t, map[string]string{stub: tt.mine, "steps/" + folder + "/swiglu_test.go": handedOut(t)["swiglu_test.go"]})
			next := handedOut(t)
			next["swiglu.go"] = tt.newer
			copies := filepath.Join(t.TempDir(), "copies")
			changes, err := bring(t, old, newer(t, next, map[string]string{}).Root, copies)
			require.NoError(t, err)
			var states []update.State
			for _, c := range changes {
				require.Equal(t, stub, c.File)
				states = append(states, c.State)
			}
			require.Equal(t, tt.state, states)
			got := read(t, old, stub)
			for _, want := range tt.want {
				require.Contains(t, got, want)
			}
			if got != tt.mine { // no line of theirs is lost: the file they had is kept as it was
				kept, err := os.ReadFile(filepath.Join(copies, filepath.FromSlash(stub)))
				require.NoError(t, err)
				require.Equal(t, tt.mine, string(kept))
			}
		})
	}
}

func TestTheRestOfTheKit(t *testing.T) {
	old := kit(t, map[string]string{
		stub: handedOut(t)["swiglu.go"], "steps/" + folder + "/swiglu_test.go": "package swiglu // edited\n",
		"steps/" + folder + "/README.md": "the lesson\n", "steps/" + folder + "/my_test.go": "package swiglu\n",
		"grader/edited.go": "package grader\n", "grader/old.go": "package grader\n", "grader/same.go": "package grader\n",
		"runs/tiny/loss.csv": "1\n", "notes.md": "mine\n", ".stubformer/history.jsonl": "{}\n",
	})
	require.NoError(t, update.WriteManifest(old.Root))
	put(t, filepath.Join(old.Root, "steps", folder, "README.md"), "the lesson, with my notes\n")
	put(t, filepath.Join(old.Root, "grader", "mine.go"), "package grader // mine\n")
	put(t, filepath.Join(old.Root, "grader", "edited.go"), "package grader // edited\n")
	next := newer(t, handedOut(t), map[string]string{
		"steps/" + folder + "/README.md": "the lesson, better\n", "grader/same.go": "package grader\n", "grader/new.go": "package grader // new\n",
		"steps/step12_extra/extra.go": "package extra\n", "grader/workspace/pristine/step12_extra.txtar": "-- extra.go --\npackage extra\n",
		".stubformer/history.jsonl": "the instructor's own\n",
	})
	copies := filepath.Join(old.Root, ".stubformer", "backup", "now")
	changes, err := bring(t, old, next.Root, copies)
	require.NoError(t, err)
	require.Contains(t, changes, update.Change{File: "steps/step12_extra/extra.go", State: update.Renewed})
	require.Contains(t, changes, update.Change{File: "steps/" + folder + "/README.md", State: update.Replaced})
	require.Contains(t, changes, update.Change{File: "grader/mine.go", State: update.Stays})
	require.Contains(t, changes, update.Change{File: "grader/edited.go", State: update.Stays})

	require.Equal(t, "the lesson, better\n", read(t, old, "steps/"+folder+"/README.md"))
	require.Equal(t, handedOut(t)["swiglu_test.go"], read(t, old, "steps/"+folder+"/swiglu_test.go"), "a binding is the kit's")
	require.Equal(t, "package grader // new\n", read(t, old, "grader/new.go"))
	require.Equal(t, "package extra\n", read(t, old, "steps/step12_extra/extra.go"))
	require.NoFileExists(t, filepath.Join(old.Root, "grader", "old.go"))
	for name, text := range map[string]string{"steps/" + folder + "/my_test.go": "package swiglu\n", "runs/tiny/loss.csv": "1\n",
		"grader/mine.go": "package grader // mine\n", "grader/edited.go": "package grader // edited\n",
		"notes.md": "mine\n", ".stubformer/history.jsonl": "{}\n"} {
		require.Equal(t, text, read(t, old, name), "%s is not the kit's", name)
	}
	for name, text := range map[string]string{"steps/" + folder + "/README.md": "the lesson, with my notes\n",
		"steps/" + folder + "/swiglu_test.go": "package swiglu // edited\n", "grader/old.go": "package grader\n"} {
		require.Equal(t, text, read(t, old, ".stubformer/backup/now/"+name), "a copy was kept")
	}
	require.NoFileExists(t, filepath.Join(copies, "grader", "same.go"), "what does not change is not copied")
	require.NoFileExists(t, filepath.Join(old.Root, update.ManifestFile), "the newer kit has none")
}

// A kit whose checkout ends every line in CRLF, as Git for Windows does unasked, counts as
// it was handed out: nothing is told as changed, what only its line ends tell from the newer
// kit stays, and what that has no more goes.
func TestLineEnds(t *testing.T) {
	old := kit(t, map[string]string{stub: handedOut(t)["swiglu.go"], "steps/" + folder + "/swiglu_test.go": handedOut(t)["swiglu_test.go"],
		"docs/a.md": "one\ntwo\n", "docs/b.md": "one\ntwo\n", "docs/old.md": "one\ntwo\n", "docs/mine.md": "one\ntwo\n"})
	require.NoError(t, update.WriteManifest(old.Root))
	put(t, filepath.Join(old.Root, "docs", "mine.md"), "one\nmine\n")
	require.NoError(t, filepath.WalkDir(old.Root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), 0o644)
	}))
	next := newer(t, handedOut(t), map[string]string{"docs/a.md": "one\ntwo\n", "docs/b.md": "one\nthree\n"})
	changes, err := bring(t, old, next.Root, filepath.Join(t.TempDir(), "copies"))
	require.NoError(t, err)
	require.Equal(t, []update.Change{{File: "docs/mine.md", State: update.Stays}}, changes)
	require.Equal(t, "one\r\ntwo\r\n", read(t, old, "docs/a.md"))
	require.Equal(t, "one\nthree\n", read(t, old, "docs/b.md"))
	require.NoFileExists(t, filepath.Join(old.Root, "docs", "old.md"))
	require.Equal(t, "one\r\nmine\r\n", read(t, old, "docs/mine.md"))
}

func TestWhatIsRefused(t *testing.T) {
	base := handedOut(t)["swiglu.go"]
	old := kit(t, map[string]string{stub: edited(t, base, todo, "<<<<<<< yours\n"+todo)})
	next := handedOut(t)
	next["swiglu.go"] = edited(t, base, "// Package swiglu is", "// Package swiglu, newly explained, is")
	for _, tt := range []struct{ name, from, says string }{
		{"itself", old.Root, "is this kit itself"},
		{"no kit", os.TempDir(), "does not lie in a checkout"},
		{"no stored stubs", kit(t, map[string]string{stub: base}).Root, "is not a whole kit"},
		{"markers of an earlier merge", newer(t, next, map[string]string{}).Root, "still has the markers of an earlier merge"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := read(t, old, stub)
			_, err := bring(t, old, tt.from, filepath.Join(t.TempDir(), "copies"))
			require.ErrorContains(t, err, tt.says)
			require.Equal(t, before, read(t, old, stub))
		})
	}
}

// Without git the student's file stays as it is, and the new stub lies beside it.
func TestWithoutGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	base := handedOut(t)["swiglu.go"]
	mine := edited(t, base, todo, silu)
	old := kit(t, map[string]string{stub: mine})
	next := handedOut(t)
	next["swiglu.go"] = edited(t, base, "// Package swiglu is", "// Package swiglu, newly explained, is")
	changes, err := bring(t, old, newer(t, next, map[string]string{}).Root, filepath.Join(t.TempDir(), "copies"))
	require.NoError(t, err)
	require.Contains(t, changes, update.Change{File: stub, State: update.Beside})
	require.Equal(t, mine, read(t, old, stub))
	require.Equal(t, next["swiglu.go"], read(t, old, stub+".new"))
}

// A kit may have its steps on another disk, to which no file can be renamed.
func TestStepsOnAnotherDisk(t *testing.T) {
	disk, err := os.MkdirTemp("/dev/shm", "stubformer-test-")
	if err != nil {
		t.Skip("there is no /dev/shm here")
	}
	t.Cleanup(func() { os.RemoveAll(disk) })
	old, next := pair(t)
	steps := filepath.Join(old.Root, "steps")
	require.NoError(t, os.CopyFS(filepath.Join(disk, "steps"), os.DirFS(steps)))
	require.NoError(t, os.RemoveAll(steps))
	require.NoError(t, os.Symlink(filepath.Join(disk, "steps"), steps))
	require.NoError(t, os.WriteFile(filepath.Join(disk, "run.sh"), []byte("#!/bin/sh\n"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(old.Root, "run.sh")))
	require.NoError(t, os.Symlink(filepath.Join(disk, "run.sh"), filepath.Join(old.Root, "run.sh")))
	want, _ := pair(t)
	changes, err := bring(t, want, next.Root, filepath.Join(t.TempDir(), "copies"))
	require.NoError(t, err)

	got, err := bring(t, old, next.Root, filepath.Join(t.TempDir(), "copies"))
	require.NoError(t, err)
	require.ElementsMatch(t, changes, got)
	inside := func(k *workspace.Kit) map[string]string { return content(t, filepath.Join(k.Root, "steps")+"/.") }
	require.Equal(t, inside(want), inside(old))
	require.NotEmpty(t, inside(old))
}
