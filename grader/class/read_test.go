package class_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/class"
)

func put(t *testing.T, dir string, files ...string) {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("package linear // "+f+"\n"), 0o644))
	}
}

// Where step folders may lie, and which of them count.
func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		files   []string
		want    string // the one that counts
		refused string
	}{
		"step folders":           {[]string{folder + "/a.go"}, folder + "/a.go", ""},
		"below steps":            {[]string{"steps/" + folder + "/a.go"}, "steps/" + folder + "/a.go", ""},
		"a repository":           {[]string{"steps/" + folder + "/a.go", "solutions/" + folder + "/a.go", "README"}, "steps/" + folder + "/a.go", ""},
		"nested step folders":    {[]string{"x/" + folder + "/a.go"}, "x/" + folder + "/a.go", ""},
		"a nested repository":    {[]string{"x/steps/" + folder + "/a.go", "x/solutions/" + folder + "/a.go"}, "x/steps/" + folder + "/a.go", ""},
		"steps before the rest":  {[]string{"steps/" + folder + "/a.go", folder + "/a.go"}, "steps/" + folder + "/a.go", ""},
		"top before nested":      {[]string{folder + "/a.go", "old/" + folder + "/a.go"}, folder + "/a.go", ""},
		"too deep":               {[]string{"x/y/steps/" + folder + "/a.go"}, "", "there is no step folder in it"},
		"solutions do not count": {[]string{"solutions/" + folder + "/a.go"}, "", "there is no step folder in it"},
		"two places":             {[]string{"x/" + folder + "/a.go", "y/" + folder + "/a.go"}, "", `in more than one place in it: "x" and "y"`},
		"nothing":                {[]string{"README"}, "", "there is no step folder in it"},
	} {
		dir := t.TempDir()
		put(t, dir, c.files...)
		s, err := class.Read("alice", dir, []string{folder})
		require.NoError(t, err, name)
		require.Contains(t, s.Refused, c.refused, name)
		if c.want != "" {
			require.Empty(t, s.Refused, name)
			require.Equal(t, "package linear // "+c.want+"\n", string(s.Folders[folder].Files["a.go"]), name)
		}
	}
}

// Who is a student: names, and folders of submissions.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "bob/"+folder+"/a.go", "alice.zip", "carol.tar.gz", ".git/x", "notes.txt")
	found, err := class.Find([]string{dir}, []string{folder})
	require.NoError(t, err)
	require.Equal(t, []string{"alice", "bob", "carol"}, names(found))
	found, err = class.Find([]string{filepath.Join(dir, "bob")}, []string{folder})
	require.NoError(t, err)
	require.Equal(t, []string{"bob"}, names(found), "a submission itself")
	put(t, dir, "ALICE/"+folder+"/a.go")
	_, err = class.Find([]string{dir}, []string{folder})
	require.ErrorContains(t, err, "there are two submissions of")
	_, err = class.Find([]string{filepath.Join(dir, "notes.txt")}, []string{folder})
	require.ErrorContains(t, err, "notes.txt is not a submission; want a folder or a file that ends in")
	_, err = class.Find([]string{t.TempDir()}, []string{folder})
	require.ErrorContains(t, err, "there is no submission in")
}

// The hash is that of the content, wherever it lies.
func TestHash(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	put(t, a, folder+"/a.go")
	put(t, b, folder+"/a.go", "README")
	hash := func(dir string) string {
		s, err := class.Read("x", dir, []string{folder})
		require.NoError(t, err)
		return s.Hash()
	}
	require.Equal(t, hash(a), hash(b), "what is not graded does not count")
	before := hash(a)
	require.NoError(t, os.WriteFile(filepath.Join(a, folder, "a.go"), []byte("package linear\n"), 0o644))
	require.NotEqual(t, before, hash(a))
}

// A stored result that is damaged counts as none.
func TestDamagedStore(t *testing.T) {
	store := class.Dir(t.TempDir())
	require.NoError(t, os.WriteFile(filepath.Join(string(store), "alice.json"), []byte(`{"schema":`), 0o644))
	r, err := store.Load("alice")
	require.NoError(t, err)
	require.Nil(t, r)
}
