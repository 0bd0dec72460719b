package class_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/handin"
	"github.com/stubformer/stubformer/grader/workspace"
)

func put(t *testing.T, dir string, files ...string) {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("package linear // "+f+"\n"), 0o644))
	}
}

// readContent reads a submission that is one file or folder.
func readContent(path string) (*handin.Content, error) {
	return handin.Reader{Folders: []string{folder}}.Read(handin.Part{Path: path})
}

// Who is a student: names, and folders of submissions.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "bob/"+folder+"/a.go", "alice.zip", "carol.tar.gz", ".git/x", "._alice.zip", "__MACOSX/._x", "notes.txt")
	found, err := class.Find([]string{dir}, []string{folder})
	require.NoError(t, err)
	require.Equal(t, []string{"alice", "bob", "carol"}, names(found))
	found, err = class.Find([]string{filepath.Join(dir, "bob")}, []string{folder})
	require.NoError(t, err)
	require.Equal(t, []string{"bob"}, names(found), "a submission itself")
	put(t, dir, "ALICE/"+folder+"/a.go")
	found, err = class.Find([]string{dir}, []string{folder})
	require.NoError(t, err)
	require.Equal(t, []string{"ALICE", "alice (2)", "bob", "carol"}, names(found))
	require.Contains(t, found.Skipped, "notes.txt: it is neither a folder nor an archive")
	require.Contains(t, found.Skipped, "alice: there is another submission of that name; this one is called alice (2). Which one counts?")
	_, err = class.Find([]string{filepath.Join(dir, "notes.txt")}, []string{folder})
	require.ErrorContains(t, err, "notes.txt is not a submission; want a folder or a file that ends in")
	_, err = class.Find([]string{t.TempDir()}, []string{folder})
	require.ErrorContains(t, err, "there is no submission in")
}

// Whatever lies among submissions is one, with what is wrong with it, or is named.
func TestWhateverLiesThere(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "ann.tbz2", "bob.go", "Linear.GO", "dan.rar", "eve.gz", "fay.doc", ".gus/"+folder+"/a.go")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cem.rar"), []byte(zipFiles(files{folder + "/linear.go": clause})), 0o644))
	found, err := class.Find([]string{dir}, []string{folder})
	require.NoError(t, err)
	says := map[string]string{}
	for _, s := range found.Sources {
		content, err := s.Read(s.Name)
		require.NoError(t, err)
		says[s.Name] = content.Refused
	}
	require.Equal(t, map[string]string{
		"ann":    "it is not a .tar file that can be read: bzip2 data invalid: bad magic value",
		"bob":    "there is no step folder in it, such as steps/step01_init; bob.go lies in none: put the Go files of a step into a folder of its name",
		"Linear": "there is no step folder in it, such as steps/step01_init; Linear.GO looks like " + folder + ": rename it so, or hand in a folder of that name with the files in it",
		"cem":    "",
		"dan":    "a .rar file cannot be read here; want a folder, .zip or .tar.gz",
		"eve":    "a .gz file cannot be read here; want a folder, .zip or .tar.gz",
	}, says)
	require.ElementsMatch(t, []string{"fay.doc: it is neither a folder nor an archive", ".gus: its name begins with a dot, so it is not looked at"}, found.Skipped)
}

// The hash is that of the content, wherever it lies.
func TestHash(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	put(t, a, folder+"/a.go")
	put(t, b, folder+"/a.go", "README")
	hash := func(dir string) string {
		c, err := readContent(dir)
		require.NoError(t, err)
		return (&class.Submission{Content: *c}).Hash()
	}
	require.Equal(t, hash(a), hash(b), "what is not graded does not count")
	before := hash(a)
	require.NoError(t, os.WriteFile(filepath.Join(a, folder, "a.go"), []byte("package linear\n"), 0o644))
	require.NotEqual(t, before, hash(a))
}

// The hash of the kit is that of its texts, however their lines end, and of its arrays.
func TestKitHash(t *testing.T) {
	hash := func(text, array string) string {
		root := t.TempDir()
		for name, data := range map[string]string{"go.mod": text, "grader/a.go": text, "fixtures/a.npz": array} {
			put(t, root, name)
			require.NoError(t, os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(data), 0o644))
		}
		for _, dir := range []string{"reference", "solutions"} {
			require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
		}
		require.NoError(t, os.WriteFile(filepath.Join(root, "go.sum"), nil, 0o644))
		sum, err := class.KitHash(&workspace.Kit{Root: root})
		require.NoError(t, err)
		return sum
	}
	require.Equal(t, hash("a\nb\n", "\x00"), hash("a\r\nb\r\n", "\x00"))
	require.NotEqual(t, hash("a\nb\n", "\x00"), hash("a\nc\n", "\x00"))
	require.NotEqual(t, hash("a\n", "\x00\n"), hash("a\n", "\x00\r\n"))
}

// A stored result that is damaged counts as none.
func TestDamagedStore(t *testing.T) {
	store := class.Dir(t.TempDir())
	require.NoError(t, os.WriteFile(filepath.Join(string(store), "alice.json"), []byte(`{"schema":`), 0o644))
	r, err := store.Load("alice")
	require.NoError(t, err)
	require.Nil(t, r)
}

// What cannot be read is the result of that submission, and names stay names of
// files.
func TestWhatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("é", 126) // 252 bytes
	put(t, dir, long+"/"+folder+"/a.go", "eve.7z", "fay.rar", "gus.tar.lzma", "ok/"+folder+"/a.go")
	link := func(name, target string) { require.NoError(t, os.Symlink(target, filepath.Join(dir, name))) }
	link("linked", "ok")
	link("nowhere.zip", "nowhere")
	link("loop", "loop")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "deep", "steps"), 0o755))
	link("deep/steps/"+folder, filepath.Join(dir, "deep", "steps"))
	found, err := class.Find([]string{dir}, []string{folder})
	require.NoError(t, err)
	refused := map[string]string{}
	for _, s := range found.Sources {
		require.Less(t, len(s.Name), 200, s.Name)
		require.True(t, utf8.ValidString(s.Name))
		got, err := s.Read(s.Name)
		require.NoError(t, err, s.Name)
		refused[s.Name] = got.Refused
	}
	require.Len(t, refused, 9)
	require.Empty(t, refused["ok"])
	require.Contains(t, refused["eve"], "a .7z file cannot be read here")
	require.Contains(t, refused["fay"], "a .rar file cannot be read here")
	require.Contains(t, refused["linked"], "it is a link")
	require.Contains(t, refused["nowhere"], "it is a link")
	require.Contains(t, refused["loop"], "it is a link")
	s, err := readContent(filepath.Join(dir, "deep"))
	require.NoError(t, err)
	require.NotNil(t, s.Folders[folder].Refused)

	found, err = class.Find([]string{filepath.Join(dir, "loop"), filepath.Join(dir, "ok")}, []string{folder})
	require.NoError(t, err, "a link that a shell named")
	require.Equal(t, []string{"loop", "ok"}, names(found))

	s, err = readContent(os.DevNull)
	require.NoError(t, err)
	require.Contains(t, s.Refused, "neither a folder nor a plain file")
	if os.Geteuid() != 0 {
		require.NoError(t, os.Chmod(filepath.Join(dir, "ok", folder), 0))
		s, err = readContent(filepath.Join(dir, "ok"))
		require.NoError(t, err)
		require.Contains(t, s.Refused, "permission denied")
	}
}

// Two long names that begin alike are two students.
func TestLongNamesStayApart(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, strings.Repeat("x", 200)+"1/"+folder+"/a.go", strings.Repeat("x", 200)+"2/"+folder+"/a.go")
	found, err := class.Find([]string{dir}, []string{folder})
	require.NoError(t, err)
	require.Empty(t, found.Skipped)
	require.NotEqual(t, found.Sources[0].Name, found.Sources[1].Name)
}
