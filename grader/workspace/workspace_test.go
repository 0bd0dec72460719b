package workspace

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/stubformer/stubformer/grader/course"
)

// files are what a test writes into a folder: contents by slash-separated path.
type files map[string]string

func (f files) write(t *testing.T, dir string) {
	t.Helper()
	for name, data := range f {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
	}
}

// newKit writes the kit of testdata into a temporary folder, stores its stubs,
// and then lays edits over it, as a student would.
func newKit(t *testing.T, edits files) *Kit {
	t.Helper()
	a, err := txtar.ParseFile("testdata/kit.txtar")
	require.NoError(t, err)
	shipped := files{}
	for _, f := range a.Files {
		shipped[f.Name] = string(f.Data)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	shipped.write(t, root)
	require.NoError(t, WritePristine(root))
	edits.write(t, root)
	return findKit(t, root)
}

// toys is the course of the kit of testdata.
func toys() []*course.Step {
	return []*course.Step{
		{ID: "step01", Folder: "step01_one", Uses: course.Ordinary()},
		{ID: "step02", Folder: "step02_two", Needs: []string{"step01"}, Uses: course.Ordinary()},
		{ID: "step03", Folder: "step03_three", Needs: []string{"step02"}, Uses: course.Ordinary()},
	}
}

// inCourse returns a build in the course of the toys, if it names no other.
func inCourse(b Build) Build {
	if b.Course == nil {
		b.Course = toys()
	}
	return b
}

// findKit finds a kit that has its own stored stubs.
func findKit(t *testing.T, dir string) *Kit {
	t.Helper()
	k, err := Find(dir)
	require.NoError(t, err)
	k.pristine = os.DirFS(filepath.Join(k.Root, "grader", "workspace", "pristine"))
	return k
}

// everything returns the hash of every file below dir.
func everything(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	hashes := map[string][32]byte{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		hashes[path] = sha256.Sum256(data)
		return err
	}))
	return hashes
}

func TestFind(t *testing.T) {
	k := newKit(t, files{"notebooks/go.mod": "module example.com/notebooks\n"})
	for _, dir := range []string{".", "steps/step01_one", "notebooks"} {
		found, err := Find(filepath.Join(k.Root, dir))
		require.NoError(t, err, dir)
		require.Equal(t, k.Root, found.Root, dir)
	}
	outside := t.TempDir()
	_, err := Find(outside)
	require.ErrorContains(t, err, outside+" does not lie in a checkout of Stubformer")
	require.ErrorContains(t, err, "change to the folder that you cloned")
}

func TestFolders(t *testing.T) {
	k := newKit(t, files{"steps/README.md": "", "steps/notes/x.go": "package x", "steps/step9_short/x.go": "package x"})
	folders, err := k.Folders()
	require.NoError(t, err)
	require.Equal(t, []string{"step01_one", "step02_two", "step03_three"}, folders)
	require.True(t, k.HasSolutions("step02_two"))
	require.False(t, k.HasSolutions("step03_three"))
	require.NoError(t, os.RemoveAll(filepath.Join(k.Root, "steps")))
	_, err = k.Folders()
	require.ErrorContains(t, err, "has no folder steps")
}

func TestReset(t *testing.T) {
	edits := files{
		"steps/step01_one/one.go":      "package one\n\nfunc Name() string { return helper() }\n",
		"steps/step01_one/helper.go":   "package one\n\nfunc helper() string { return \"mine\" }\n",
		"steps/step01_one/one_test.go": "package one\n\n// edited\n",
		"steps/step01_one/my_test.go":  "package one\n",
		"steps/step01_one/notes.txt":   "my notes\n",
		"steps/step02_two/two.go":      "package two\n",
	}
	k := newKit(t, edits)
	step, backup := filepath.Join(k.Root, "steps/step01_one"), filepath.Join(k.Root, ".stubformer/backup/1")
	before := everything(t, step)
	require.False(t, k.Untouched("step01_one"))
	require.NoError(t, k.Reset("step01_one", backup))

	require.Equal(t, before, everything(t, backup), "the backup is the folder as it was")
	require.True(t, k.Untouched("step01_one"))
	var left []string
	for name := range everything(t, step) {
		left = append(left, name)
	}
	require.ElementsMatch(t, []string{"README.md", "one.go", "one_test.go", "my_test.go", "notes.txt"}, left)
	require.False(t, k.Untouched("step02_two"), "the other steps are left alone")

	edits.write(t, k.Root)
	require.ErrorContains(t, k.Reset("step01_one", backup), "nothing was changed", "a backup is never overwritten")
	require.Equal(t, before, everything(t, step))
}

// A folder that is gone, or that has become something else, is made anew.
func TestResetWithoutAFolder(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, step string){
		"gone":              func(*testing.T, string) {},
		"a file":            func(t *testing.T, step string) { require.NoError(t, os.WriteFile(step, []byte("mine"), 0o644)) },
		"a link to nowhere": func(t *testing.T, step string) { require.NoError(t, os.Symlink("nowhere", step)) },
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t, nil)
			step, backup := filepath.Join(k.Root, "steps/step01_one"), filepath.Join(k.Root, ".stubformer/backup/1")
			require.NoError(t, os.RemoveAll(step))
			spoil(t, step)
			require.False(t, k.Untouched("step01_one"))
			require.NoError(t, k.Reset("step01_one", backup))
			require.True(t, k.Untouched("step01_one"))
			if name == "a file" {
				kept, err := os.ReadFile(filepath.Join(backup, "step01_one"))
				require.NoError(t, err)
				require.Equal(t, "mine", string(kept))
			}
		})
	}
}

func TestUntouched(t *testing.T) {
	for name, c := range map[string]struct {
		edits files
		want  bool
	}{
		"as shipped":           {nil, true},
		"Windows line ends":    {files{"steps/step01_one/one.go": "package one\r\n\r\n// Name says whose code this is.\r\nfunc Name() string { return \"stub one\" }\r\n"}, true},
		"a test of one's own":  {files{"steps/step01_one/my_test.go": "package one\n"}, true},
		"an edited lesson":     {files{"steps/step01_one/README.md": "mine"}, true},
		"an edited stub":       {files{"steps/step01_one/one.go": "package one\n"}, false},
		"an edited binding":    {files{"steps/step01_one/one_test.go": "package one\n"}, false},
		"a file added":         {files{"steps/step01_one/more.go": "package one\n"}, false},
		"a step without stubs": {files{"grader/workspace/pristine/step01_one.txtar": ""}, false},
	} {
		require.Equal(t, c.want, newKit(t, c.edits).Untouched("step01_one"), name)
	}
	k := newKit(t, nil)
	require.NoError(t, os.Remove(filepath.Join(k.Root, "steps/step01_one/one.go")))
	require.False(t, k.Untouched("step01_one"), "a missing file")
	require.False(t, k.Untouched("step08_none"), "a step that does not exist")
}

func TestStubFiles(t *testing.T) {
	names, err := newKit(t, files{"steps/step01_one/more.go": "package one\n"}).StubFiles("step01_one")
	require.NoError(t, err)
	require.Equal(t, []string{"one.go"}, names)
}

func TestPristine(t *testing.T) {
	k := newKit(t, nil)
	require.NoError(t, CheckPristine(k.Root))
	files{
		"steps/step01_one/one.go":                    "package one\n",
		"steps/step02_two/more.go":                   "package two\n",
		"steps/step04_four/four.go":                  "package four\n",
		"grader/workspace/pristine/step05_old.txtar": "-- old.go --\npackage old\n",
	}.write(t, k.Root)
	require.NoError(t, os.Remove(filepath.Join(k.Root, "steps/step03_three/three.go")))
	err := CheckPristine(k.Root)
	for _, name := range []string{"step01_one/one.go", "step02_two/more.go", "step03_three/three.go", "step04_four/four.go", "step05_old"} {
		require.ErrorContains(t, err, "\n  steps/"+name)
	}
	require.Equal(t, 5, strings.Count(err.Error(), "\n"), "nothing else differs:\n%v", err)
	require.NoError(t, WritePristine(k.Root))
	require.NoError(t, CheckPristine(k.Root))
	require.NoFileExists(t, filepath.Join(k.Root, "grader/workspace/pristine/step05_old.txtar"))

	for name, data := range (files{"no line end at the end": "package one", "a txtar marker": "package one\n/*\n-- x --\n*/\n"}) {
		files{"steps/step01_one/one.go": data}.write(t, k.Root)
		require.ErrorContains(t, WritePristine(k.Root), "steps/step01_one cannot be stored", name)
	}
}

// What is not in the copy, or in another form, is never overwritten or removed.
func TestCopied(t *testing.T) {
	dir, backup := t.TempDir(), t.TempDir()
	files{"same.go": "package x\n", "saved.go": "package x // newer\n", "new.go": "package x\n"}.write(t, dir)
	files{"same.go": "package x\n", "saved.go": "package x\n", "gone.go": "package x\n"}.write(t, backup)
	require.NoError(t, copied(dir, backup, "same.go"))
	require.NoError(t, copied(dir, backup, "gone.go"), "nothing to lose")
	require.ErrorContains(t, copied(dir, backup, "saved.go"), "was saved just now and is as you saved it")
	require.ErrorContains(t, copied(dir, backup, "new.go"), "was saved just now and is as you saved it")
}

// What is changed in steps/ is named, whichever way it differs from what is handed
// out; tests of one's own are not.
func TestChanged(t *testing.T) {
	k := newKit(t, nil)
	changed, err := k.Changed("step01_one", "step02_two")
	require.NoError(t, err)
	require.Empty(t, changed)
	files{"steps/step01_one/one.go": "package one\n", "steps/step02_two/more.go": "package two\n", "steps/step02_two/mine_test.go": "package two\n"}.write(t, k.Root)
	require.NoError(t, os.Remove(filepath.Join(k.Root, "steps", "step02_two", "two.go")))
	changed, err = k.Changed("step01_one", "step02_two")
	require.NoError(t, err)
	require.Equal(t, []string{"steps/step01_one/one.go", "steps/step02_two/more.go", "steps/step02_two/two.go"}, changed)
	require.False(t, k.Untouched("step01_one"))
	_, err = k.Changed("step09_none")
	require.ErrorContains(t, err, "has no stored stub")
}
