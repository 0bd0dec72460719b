package handin_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/handin"
)

// put writes files that say where they lie. One whose name goes on behind an
// archive lies in that.
func put(t *testing.T, dir string, files ...string) {
	t.Helper()
	for _, f := range files {
		data := []byte("package linear // " + f + "\n")
		for i := strings.LastIndex(f, ".zip/"); i >= 0; i = strings.LastIndex(f, ".zip/") {
			data, f = zipOf(t, map[string][]byte{f[i+len(".zip/"):]: data}), f[:i+len(".zip")]
		}
		path := filepath.Join(dir, filepath.FromSlash(f))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, data, 0o644))
	}
}

func zipOf(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range files {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write(data)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

// Where step folders may lie, and which of them count.
func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		files   []string
		want    string // the one that counts
		refused string // the submission, or the folder
		noted   string
	}{
		"step folders":           {[]string{folder + "/a.go"}, folder + "/a.go", "", ""},
		"below steps":            {[]string{"steps/" + folder + "/a.go"}, "steps/" + folder + "/a.go", "", ""},
		"a repository":           {[]string{"steps/" + folder + "/a.go", "solutions/" + folder + "/a.go", "grader/course/" + folder + "/a.go", "README"}, "steps/" + folder + "/a.go", "", ""},
		"nested step folders":    {[]string{"x/" + folder + "/a.go"}, "x/" + folder + "/a.go", "", ""},
		"a nested repository":    {[]string{"x/steps/" + folder + "/a.go", "x/solutions/" + folder + "/a.go"}, "x/steps/" + folder + "/a.go", "", ""},
		"steps before the rest":  {[]string{"steps/" + folder + "/a.go", folder + "/a.go"}, "steps/" + folder + "/a.go", "", folder + ": it is not looked at, for steps/" + folder + " counts"},
		"top before nested":      {[]string{folder + "/a.go", "old/" + folder + "/a.go"}, folder + "/a.go", "", "old/" + folder + ": it is not looked at"},
		"any depth":              {[]string{"x/y/z/steps/" + folder + "/a.go"}, "x/y/z/steps/" + folder + "/a.go", "", ""},
		"too deep":               {[]string{strings.Repeat("x/", 20) + folder + "/a.go"}, "", "there is no step folder in it", "is not looked at"},
		"twice unpacked":         {[]string{folder + "/" + folder + "/a.go"}, folder + "/" + folder + "/a.go", "", ""},
		"an archive inside":      {[]string{"x/work.zip/steps/" + folder + "/a.go"}, "x/work.zip/steps/" + folder + "/a.go", "", ""},
		"an archive in another":  {[]string{"a.zip/b.zip/x/" + folder + "/a.go"}, "a.zip/b.zip/x/" + folder + "/a.go", "", ""},
		"an archive of the name": {[]string{folder + ".zip/a.go"}, folder + ".zip/a.go", "", ""},
		"archives without end":   {[]string{strings.Repeat("a.zip/", 6) + folder + "/a.go"}, "", "lies too deep to be opened", "lies too deep to be opened"},
		"solutions do not count": {[]string{"solutions/" + folder + "/a.go", "steps/README.md"}, "", "there is no step folder in it", ""},
		"nor does a kit's rest":  {[]string{"x/grader/course/" + folder + "/a.go", "x/fixtures/README.md"}, "", "there is no step folder in it", ""},
		"one's own solutions":    {[]string{"solutions/" + folder + "/a.go", "README"}, "solutions/" + folder + "/a.go", "", ""},
		"one's own grader":       {[]string{"grader/" + folder + "/a.go"}, "grader/" + folder + "/a.go", "", ""},
		"one's own reference":    {[]string{"x/reference/" + folder + "/a.go"}, "x/reference/" + folder + "/a.go", "", ""},
		"one's own bench":        {[]string{"bench/steps/" + folder + "/a.go"}, "bench/steps/" + folder + "/a.go", "", ""},
		"one's own cmd":          {[]string{"cmd/work.zip/" + folder + "/a.go"}, "cmd/work.zip/" + folder + "/a.go", "", ""},
		"solutions beside steps": {[]string{"step01_init/a.go", "solutions/" + folder + "/a.go"}, "", "", ""},
		"one's own fixtures":     {[]string{"fixtures/" + folder + "/a.go"}, "fixtures/" + folder + "/a.go", "", ""},
		"a kit in one's own":     {[]string{"solutions/steps/" + folder + "/a.go", "solutions/solutions/" + folder + "/a.go"}, "solutions/steps/" + folder + "/a.go", "", ""},
		"a file in one's own":    {[]string{"solutions/linear.go"}, "", "solutions/linear.go looks like " + folder, ""},
		"beside an empty one":    {[]string{folder + "/README", "linear.go"}, "", "it holds no Go files, and linear.go looks like what belongs there: put the Go files of the step into a folder " + folder, ""},
		"within an empty one":    {[]string{folder + "/README", folder + "/src/linear.go"}, "", "it holds no Go files, and " + folder + "/src/linear.go looks like", ""},
		"two places":             {[]string{"x/" + folder + "/a.go", "y/" + folder + "/a.go"}, "", `it is in more than one place: "x" and "y"`, ""},
		"two archives":           {[]string{"x.zip/" + folder + "/a.go", "y.zip/" + folder + "/a.go"}, "", `it is in more than one place: "x.zip" and "y.zip"`, ""},
		"nothing":                {[]string{"README"}, "", "there is no step folder in it", ""},
		"a copy of a tool":       {[]string{".git/" + folder + "/a.go", "__MACOSX/" + folder + "/a.go"}, "", "there is no step folder in it", ""},
		"no Go files":            {[]string{folder + "/linear.txt"}, "", "it holds no Go files", ""},
		"large letters":          {[]string{folder + "/LINEAR.GO"}, "", "it holds no Go files, and LINEAR.GO looks like one: its name must end in .go, in small letters", ""},
		"one ending too many":    {[]string{folder + "/linear.go.txt"}, "", "it holds no Go files, and linear.go.txt looks like one", ""},
		"a test alone":           {[]string{folder + "/linear_test.go"}, "", "it holds no Go files", ""},
		"a copy of Dropbox":      {[]string{folder + "/linear (Jane's conflicted copy 2026-11-20).go"}, "", "it is one of two versions", ""},
		"a copy of Syncthing":    {[]string{folder + "/linear.sync-conflict-20261120-101010-ABCDEFG.go"}, "", "it is one of two versions", ""},
		"a .rar inside":          {[]string{"work.rar"}, "", "there is no step folder in it, such as steps/step01_init; work.rar: a .rar file cannot be read here", "work.rar: a .rar"},
		"a .7z beside":           {[]string{folder + "/a.go", "more.7z"}, folder + "/a.go", "", "more.7z: a .7z file cannot be read here"},
		"the step's number":      {[]string{"step2/a.go"}, "", "step2 looks like " + folder + ": rename it so", ""},
		"the step's name":        {[]string{"x/Linear/a.go"}, "", "x/Linear looks like " + folder, ""},
		"other letters":          {[]string{"Step02_Linear/a.go"}, "", "Step02_Linear looks like " + folder, ""},
		"a copy":                 {[]string{folder + " (1)/a.go"}, "", folder + " (1) looks like " + folder, ""},
		"two that are similar":   {[]string{"step2/a.go", "linear/a.go"}, "", "linear, step2 look like " + folder, ""},
		"an archive like it":     {[]string{"step2.zip/a.go"}, "", "step2.zip looks like " + folder, ""},
		"a file of no step":      {[]string{"single.go"}, "", "such as steps/step01_init; single.go lies in none: put the Go files of a step into a folder of its name", ""},
		"flat files":             {[]string{"linear.go"}, "", "linear.go looks like " + folder + ": rename it so, or hand in a folder of that name with the files in it", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, c.files...)
			s, err := handin.Reader{Folders: []string{"step01_init", folder}}.Read(handin.Part{Path: dir})
			require.NoError(t, err)
			require.Contains(t, strings.Join(s.Notes, "\n"), c.noted)
			f := s.Folders[folder]
			switch {
			case c.want != "":
				require.Empty(t, s.Refused)
				require.Equal(t, "package linear // "+c.want+"\n", string(f.Files["a.go"]))
			case f != nil && f.Refused != nil:
				require.Contains(t, f.Refused.Error(), c.refused)
			default:
				require.True(t, f == nil || len(f.Files) == 0)
				require.Contains(t, s.Refused, c.refused)
			}
		})
	}
}

// What holds for many step folders is said once.
func TestManyAtOnce(t *testing.T) {
	for name, c := range map[string]struct{ files, says string }{
		"beside others": {"/a.go old/%[1]s/a.go", "old/step01_init and 3 more step folders beside it: they are not looked at, for step01_init and those beside it count"},
		"alike":         {"_/a.go", "step01_init_ looks like step01_init; step02_linear_ looks like step02_linear; step03_embedding_ looks like step03_embedding; and so on, for 1 more: rename them so"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			folders := []string{"step01_init", folder, "step03_embedding", "step04_rmsnorm"}
			for _, f := range folders {
				put(t, dir, strings.Fields(fmt.Sprintf("%[1]s"+c.files, f))...)
			}
			s, err := handin.Reader{Folders: folders}.Read(handin.Part{Path: dir})
			require.NoError(t, err)
			require.Contains(t, s.Refused+strings.Join(s.Notes, "\n"), c.says)
		})
	}
}

// One file that two steps have is not said to be both.
func TestOneOfTwo(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "linear.go")
	s, err := handin.Reader{Folders: []string{"step01_init", folder, "step15_formats"}}.Read(handin.Part{Path: dir})
	require.NoError(t, err)
	require.Contains(t, s.Refused, "linear.go may belong to step02_linear or step15_formats: hand in a folder of the step's name with it in it")
}

// The same twice is no question.
func TestTheSameTwice(t *testing.T) {
	dir := t.TempDir()
	for _, at := range []string{"a", "b"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, at, folder), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, at, folder, "a.go"), []byte(clause), 0o644))
	}
	s, err := read(dir)
	require.NoError(t, err)
	require.Empty(t, s.Notes)
	require.Equal(t, clause, string(s.Folders[folder].Files["a.go"]))
}

// Each of several archives may hold some of the steps.
func TestStepsInSeveralArchives(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "one.zip/step01_init/init.go", "two.zip/"+folder+"/linear.go")
	r := handin.Reader{Folders: []string{"step01_init", folder, "step03_embedding"}}
	s, err := r.Read(handin.Part{Path: filepath.Join(dir, "one.zip"), As: "one.zip"}, handin.Part{Path: filepath.Join(dir, "two.zip"), As: "two.zip"})
	require.NoError(t, err)
	require.Empty(t, s.Refused)
	require.Len(t, s.Folders, 2)
	require.Equal(t, "not handed in: there is no folder step03_embedding", s.Missing("step03_embedding").String())
	require.ErrorContains(t, s.Whole(r.Folders)["step03_embedding"].Refused, "not handed in")
}

// What is missing is told with what looks like it, also if other steps are there.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, folder+"/a.go", "swiglu/a.go")
	s, err := handin.Reader{Folders: []string{folder, "step05_swiglu"}}.Read(handin.Part{Path: dir})
	require.NoError(t, err)
	require.Equal(t, "there is no folder step05_swiglu; swiglu looks like it: rename it, or hand in a folder step05_swiglu with the files in it",
		s.Missing("step05_swiglu").String())
}

// An archive inside that cannot be read whole takes its step folders with it, and
// no others.
func TestDamagedInside(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range []string{folder + "/a.go", "step03_embedding/b.go"} {
		text := clause + strings.Repeat("// "+name+"\n", 3000)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o644}))
		_, err := io.WriteString(w, text)
		require.NoError(t, err)
		require.NoError(t, z.Flush())
	}
	require.NoError(t, w.Close())
	dir := t.TempDir()
	put(t, dir, "step01_init/init.go")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "work.tar.gz"), b.Bytes()[:b.Len()-30], 0o644))
	s, err := handin.Reader{Folders: []string{"step01_init", folder, "step03_embedding"}}.Read(handin.Part{Path: dir})
	require.NoError(t, err)
	require.Nil(t, s.Folders["step01_init"].Refused)
	require.ErrorContains(t, s.Folders[folder].Refused, "work.tar.gz could not be read to its end")
	require.Contains(t, s.Notes[0], "work.tar.gz: ")
}

// What would take more than is granted ends the reading, and is named.
func TestBombs(t *testing.T) {
	zeros := func(n int) []byte { return make([]byte, n) }
	tarOf := func(data []byte) []byte {
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		require.NoError(t, err)
		w := tar.NewWriter(z)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: "zeros", Size: int64(len(data)), Mode: 0o644}))
		_, err = w.Write(data)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, z.Close())
		return b.Bytes()
	}
	many := map[string][]byte{folder + "/a.go": []byte(clause)}
	for i := range 51 {
		many[strings.Repeat("x", i+1)+".zip"] = zipOf(t, nil)
	}
	half := tarOf(zeros(130 << 20))
	for want, data := range map[string][]byte{
		"larger than 64 MiB together":               zipOf(t, map[string][]byte{"big.zip": zeros(65 << 20)}),
		"more than 50 archives":                     zipOf(t, many),
		"two.tar.gz in it: it unpacks to more than": zipOf(t, map[string][]byte{"two.tar.gz": tarOf(zeros(260 << 20))}),
		"in it: it unpacks to more than 256 MiB":    zipOf(t, map[string][]byte{"a.tar.gz": half, "b.tar.gz": half}),
	} {
		path := filepath.Join(t.TempDir(), "alice.zip")
		require.NoError(t, os.WriteFile(path, data, 0o644))
		s, err := read(path)
		require.NoError(t, err)
		require.Contains(t, s.Refused, want)
		require.Empty(t, s.Folders)
	}
}
