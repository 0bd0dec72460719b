package workspace

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRefused gives step 02 a file that is refused before anything is built.
func TestRefused(t *testing.T) {
	const m = "github.com/stubformer/stubformer/"
	k := newKit(t, nil)
	for name, c := range map[string]struct{ file, want string }{
		"a solution":           {"package two\n\nimport _ \"" + m + "solutions/step02_two\"\n", `x.go:3: import "` + m + `solutions/step02_two" is not allowed: the solutions are there to be read`},
		"the oracle":           {"package two\n\nimport _ \"" + m + "reference/oracle\"\n", "reference/oracle\" is not allowed: it computes the expected values"},
		"autodiff":             {"package two\n\nimport _ \"" + m + "reference/autodiff\"\n", "reference/autodiff\" is not allowed: it computes the expected values"},
		"the grader":           {"package two\n\nimport _ \"" + m + "grader/course\"\n", "grader/course\" is not allowed: a step uses reference/tensor"},
		"the fixtures":         {"package two\n\nimport _ \"" + m + "fixtures\"\n", "fixtures\" is not allowed: a step uses reference/tensor"},
		"below tensor":         {"package two\n\nimport _ \"" + m + "reference/tensor/x\"\n", "reference/tensor/x\" is not allowed"},
		"another module":       {"package two\n\nimport _ \"gonum.org/v1/gonum/mat\"\n", "gonum.org/v1/gonum/mat\" is not allowed: a step uses the standard library"},
		"a module like ours":   {"package two\n\nimport _ \"github.com/stubformer/stubformer2/reference/tensor\"\n", "and no other module"},
		"the kit's root":       {"package two\n\nimport _ \"github.com/stubformer/stubformer\"\n", "and no other module"},
		"a relative path":      {"package two\n\nimport _ \"../../solutions/step02_two\"\n", "and no other module"},
		"a later step":         {"package two\n\nimport _ \"" + m + "steps/step03_three\"\n", "steps/step03_three\" is not allowed: step02 is built on step01, and on no other step"},
		"itself":               {"package two\n\nimport _ \"" + m + "steps/step02_two\"\n", "is not allowed: a step is one package"},
		"a folder inside":      {"package two\n\nimport _ \"" + m + "steps/step02_two/sub\"\n", "is not allowed: a step is one package"},
		"inside another step":  {"package two\n\nimport _ \"" + m + "steps/step01_one/sub\"\n", "is not allowed: there is no such step"},
		"no such step":         {"package two\n\nimport _ \"" + m + "steps/step01_none\"\n", "is not allowed: there is no such step"},
		"cgo":                  {"package two\n\nimport (\n\t\"C\"\n)\n", "x.go:4: import \"C\" is not allowed: a step is written in Go alone"},
		"a raw string":         {"package two\n\nimport _ `" + m + "solutions/step02_two`\n", "solutions/step02_two\" is not allowed"},
		"embed":                {"package two\n\n//go:embed two.go\nvar s string\n", "x.go:3: the directive //go:embed is not allowed"},
		"linkname":             {"package two\n\n//go:linkname f runtime.f\nfunc f()\n", "x.go:3: the directive //go:linkname is not allowed"},
		"line":                 {"package two\n\n//line /etc/passwd:1\nvar x = y\n", "x.go:3: the directive //line is not allowed"},
		"line in a comment":    {"package two\n\nvar x = /*line /etc/passwd:1*/ y\n", "x.go:3: the directive /*line is not allowed"},
		"unsafe":               {"package two\n\nimport \"unsafe\"\n", "x.go:3: import \"unsafe\" is not allowed: it goes around Go's types"},
		"reflect":              {"package two\n\nimport \"reflect\"\n", "x.go:3: import \"reflect\" is not allowed: it goes around Go's types"},
		"the network":          {"package two\n\nimport \"net/http\"\n", "x.go:3: import \"net/http\" is not allowed: a step computes"},
		"another program":      {"package two\n\nimport \"os/exec\"\n", "x.go:3: import \"os/exec\" is not allowed: a step computes"},
		"calls by name":        {"package two\n\nimport \"text/template\"\n", "is not allowed: it goes around Go's types"},
		"a reader of files":    {"package two\n\nimport \"go/parser\"\n", "x.go:3: import \"go/parser\" is not allowed: it reads files"},
		"its own program":      {"package two\n\nimport \"runtime/debug\"\n", "x.go:3: import \"runtime/debug\" is not allowed: it looks at the program that a step is built into"},
		"the system's numbers": {"package two\n\nimport \"crypto/rand\"\n", "x.go:3: import \"crypto/rand\" is not allowed: it takes random numbers or keys from the system"},
		"Go does not have it":  {"package two\n\nimport \"maths\"\n", "x.go:3: import \"maths\" is not allowed: of the standard library a step may use what only computes"},
		"a file of the system": {"package two\n\nimport \"os\"\n\nvar f, _ = os.Open(\"x\")\n",
			"x.go:5: os.Open is not allowed: of os this step may use Stdout, Stderr"},
		"a list of files":      {"package two\n\nimport \"path/filepath\"\n\nvar f, _ = filepath.Glob(\"*\")\n", "x.go:5: filepath.Glob is not allowed"},
		"where the kit is":     {"package two\n\nimport \"runtime\"\n\nvar _, f, _, _ = runtime.Caller(0)\n", "x.go:5: runtime.Caller is not allowed"},
		"assembly":             {"package two\n\nfunc f()\n", "x.go:3: the function f has no body"},
		"a compiler directive": {"package two\n\n//go:nosplit\nfunc f() {}\n", "x.go:3: the directive //go:nosplit is not allowed"},
		"another package":      {"package main\n", "x.go:1: it says package main; the files of step02_two say package two"},
		"too large":            {"package two\n/*" + strings.Repeat("x", maxFileSize) + "*/", "x.go: it is larger than 1024 KiB"},
	} {
		files{"steps/step02_two/x.go": c.file}.write(t, k.Root)
		_, err := tryBuild(t, k, Build{Step: "step02_two"})
		require.ErrorAs(t, err, new(*RefusedError), name)
		require.ErrorContains(t, err, c.want, name)
		require.Contains(t, filepath.ToSlash(err.Error()), "steps/step02_two/x.go", name)
	}
}

// TestRefusedFolder makes the folder of step 02 one that is not read.
func TestRefusedFolder(t *testing.T) {
	symlink := func(t *testing.T, target, link string) {
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err)
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		want  string
	}{
		"a linked file": {func(t *testing.T, dir string) { symlink(t, "/etc/passwd", filepath.Join(dir, "x.go")) },
			"steps/step02_two/x.go: it is a symbolic link; only plain files are read"},
		"a missing folder": {func(t *testing.T, dir string) { require.NoError(t, os.RemoveAll(dir)) },
			"steps/step02_two: there is no such folder; go run ./cmd/grade reset step02 makes it anew, with the stub"},
		"a file": {func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(dir))
			require.NoError(t, os.WriteFile(dir, []byte("package two\n"), 0o644))
		}, "steps/step02_two: there is no such folder; go run ./cmd/grade reset step02"},
		"a link to nowhere": {func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(dir))
			symlink(t, filepath.Join(filepath.Dir(dir), "nowhere"), dir)
		}, "steps/step02_two: there is no such folder; go run ./cmd/grade reset step02"},
		"for Windows alone": {func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "two.go"), filepath.Join(dir, "two_plan9.go")))
		}, "steps/step02_two/two_plan9.go: no Go file of the step is compiled here: the name two_plan9.go says on which systems the file is meant to be"},
		"left out by a line": {func(t *testing.T, dir string) {
			files{"two.go": "//go:build ignore\n\npackage two\n"}.write(t, dir)
		}, "steps/step02_two/two.go: no Go file of the step is compiled here: a line of two.go that begins with //go:build keeps it out; remove that line"},
		"large letters": {func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "two.go"), filepath.Join(dir, "TWO.GO")))
		}, "steps/step02_two: it holds no Go files, and TWO.GO looks like one: its name must end in .go, in small letters"},
		"a conflicted copy": {func(t *testing.T, dir string) {
			files{"two (Jane's conflicted copy 2026-11-20).go": "package two\n"}.write(t, dir)
		}, "it is one of two versions, for which a program that keeps folders alike made a copy; keep one of them"},
		"a folder called .go": {func(t *testing.T, dir string) { require.NoError(t, os.Mkdir(filepath.Join(dir, "x.go"), 0o755)) },
			"steps/step02_two/x.go: it is a folder; only plain files are read"},
		"no files": {func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "two.go"))) },
			"steps/step02_two: it holds no Go files"},
		"many files": {func(t *testing.T, dir string) {
			for i := range 100 {
				files{"x" + strconv.Itoa(i) + ".go": "package two\n"}.write(t, dir)
			}
		}, "steps/step02_two: it holds more than 100 Go files"},
		"a strange name": {func(t *testing.T, dir string) { files{"-x;y.go": "package two\n"}.write(t, dir) },
			`a file cannot be called "-x;y.go"`},
		"names that some systems mix up": {func(t *testing.T, dir string) {
			files{"Two.go": "package two\n"}.write(t, dir)
			if data, err := os.ReadFile(filepath.Join(dir, "two.go")); err != nil || string(data) == "package two\n" {
				t.Skip("this system mixes them up")
			}
		}, "steps/step02_two/two.go: Two.go is there too"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t, nil)
			c.spoil(t, filepath.Join(k.Root, "steps", "step02_two"))
			_, err := tryBuild(t, k, Build{Step: "step02_two"})
			require.ErrorContains(t, err, c.want)
			require.ErrorAs(t, err, new(*RefusedError))
		})
	}
}

// TestRefusedSubmission hands in a folder that is not one, or not complete.
func TestRefusedSubmission(t *testing.T) {
	k, dir := newKit(t, nil), t.TempDir()
	files{"file/step02_two": "a file"}.write(t, dir)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "linked"), 0o755))
	linked := os.Symlink(filepath.Join(k.Root, "solutions", "step02_two"), filepath.Join(dir, "linked", "step02_two"))
	cases := map[string]Source{
		"there is no such folder in what was handed in":          HandedIn(nil),
		"file/step02_two: it is not a plain file; want a folder": readHandedIn(t, filepath.Join(dir, "file", "step02_two")),
	}
	if linked == nil {
		cases["linked/step02_two: it is a symbolic link; want a folder"] = readHandedIn(t, filepath.Join(dir, "linked", "step02_two"))
	}
	for want, source := range cases {
		_, err := tryBuild(t, k, Build{Step: "step02_two", Sources: map[string]Source{"step02_two": source}})
		require.ErrorAs(t, err, new(*RefusedError), want)
		require.ErrorContains(t, err, want)
	}
}
