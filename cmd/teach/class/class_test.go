package class_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/endure"
	"github.com/stubformer/stubformer/cmd/author/hostile"
	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/workspace"
)

// TestMain lets the test binary be the helper of the sandbox, and a run of a
// class that can be killed.
func TestMain(m *testing.M) {
	helper = sandbox.Main()
	if out := os.Getenv("CLASS_OUT"); out != "" {
		if err := gradeClass(os.Getenv("CLASS_IN"), out); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var helper sandbox.Helper

const folder = "step02_linear"

func linear() []*course.Step { return []*course.Step{registry.Steps()[1]} }

// gradeClass grades step 02 of the submissions in a folder.
func gradeClass(in, out string) error {
	local, err := newLocal(1)
	if err != nil {
		return err
	}
	found, err := class.Find([]string{in}, []string{folder})
	if err != nil {
		return err
	}
	store := class.Dir(filepath.Join(out, "results"))
	graded := 0
	err = class.Run(context.Background(), local, store, found.Sources, 2, false, func(e class.Event) {
		if e.Again {
			graded++
		}
	})
	if err != nil {
		return err
	}
	fmt.Println("graded", graded)
	_, err = class.Book{}.Write(out, store)
	return err
}

func newLocal(seed uint64) (*class.Local, error) {
	kit, err := workspace.Find(".")
	if err != nil {
		return nil, err
	}
	box, _ := sandbox.Best(helper)
	fence, err := kit.Fence(context.Background(), box)
	if err != nil {
		return nil, err
	}
	return class.NewLocal(class.Settings{Kit: kit, Steps: linear(), Fence: fence, Limits: probe.DefaultLimits(), Seed: seed})
}

func names(found class.Found) (names []string) {
	for _, s := range found.Sources {
		names = append(names, s.Name)
	}
	return names
}

// submit writes a class of twelve: solutions, stubs, mistakes, half a file, none.
func submit(t *testing.T) (dir string) {
	dir = t.TempDir()
	solution, err := os.ReadFile(filepath.Join("..", "..", "..", "solutions", folder, "linear.go"))
	require.NoError(t, err)
	right := string(solution)
	mistakes, err := mistake.Load(filepath.Join("..", "..", ".."), folder)
	require.NoError(t, err)
	for i := range 12 {
		text := right
		switch {
		case i >= 2 && i < 9:
			name := folder + "/linear.go"
			changed, err := mistakes[i-2].Versions[0].Apply(map[string][]byte{name: solution})
			require.NoError(t, err)
			text = string(changed[name])
		case i == 9:
			text = right[:len(right)/2]
		case i == 10:
			text = strings.Replace(right, "import ", "import _ \"net\"\n\nimport ", 1)
		}
		path := filepath.Join(dir, fmt.Sprintf("student%02d", i), folder)
		if i == 11 {
			path = filepath.Join(dir, "student11", "README")
		}
		require.NoError(t, os.MkdirAll(path, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(path, "linear.go"), fmt.Appendf(nil, "%s// Student %d.\n", text, i), 0o644))
	}
	return dir
}

// A run that is killed again and again, with its process group, ends with the
// gradebook of one that was not, and grades nothing twice that it had stored.
// `grade dev endure` does the same to a large class with all hostile submissions.
func TestKilledAndResumed(t *testing.T) {
	sweep.Only(t)
	in, whole, pieces := submit(t), t.TempDir(), t.TempDir()
	number := 12 + submitHostile(t, in)
	self, err := os.Executable()
	require.NoError(t, err)
	start := func(out string) *exec.Cmd {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "CLASS_IN="+in, "CLASS_OUT="+out)
		return cmd
	}
	trial := endure.Trial{Command: start, Number: number, Kills: 3, Rand: rand.New(rand.NewPCG(1, 2)), Log: t.Logf}
	problems, err := trial.Run(whole, pieces)
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, read(t, whole, class.GradebookJSONL), read(t, pieces, class.GradebookJSONL))
	for _, page := range list(t, filepath.Join(whole, class.Students)) {
		require.Equal(t, read(t, whole, "students/"+page), read(t, pieces, "students/"+page))
	}
	require.Len(t, list(t, filepath.Join(whole, class.Students)), 2*number, "a page for a browser and one in Markdown")
	out, err := start(pieces).CombinedOutput()
	require.NoError(t, err)
	require.Equal(t, "graded 0\n", string(out))
	checkGradebook(t, whole)
}

// submitHostile adds hostile submissions of which nothing is built.
func submitHostile(t *testing.T, dir string) (n int) {
	cases, err := hostile.Cases()
	require.NoError(t, err)
	for _, c := range cases {
		switch c.Name {
		case "made-zip-climbs-out", "made-link-to-nowhere", "made-seven-zip", "made-linked-folder", "made-name-with-an-escape":
			n++
			require.NoError(t, c.Write(filepath.Join("..", "..", ".."), filepath.Join(dir, c.Name)))
		}
	}
	require.Equal(t, 5, n)
	return n
}

// checkGradebook looks at what the twelve were given.
func checkGradebook(t *testing.T, out string) {
	book := read(t, out, class.GradebookCSV)
	require.True(t, strings.HasPrefix(book, "student,step02,total,max,notes\nmade-link-to-nowhere,0,0,100,nothing was graded: it is a link that leads nowhere\n"), book)
	require.Contains(t, book, "\nstudent00,100,100,100,\nstudent01,100,100,100,\n")
	require.Contains(t, book, "student09,0,0,100,\"step02: does not compile")
	require.Contains(t, book, "student10,0,0,100,\"step02: not allowed: ")
	require.Contains(t, book, "student11,0,0,100,\"nothing was graded: there is no step folder in it")
	require.Contains(t, read(t, out, "students/student09.md"), "does not compile")
	require.Contains(t, read(t, out, "students/student10.md"), `import "net" is not allowed`)
	require.Contains(t, read(t, out, "students/student11.md"), "Nothing was graded: there is no step folder in it")
	var found []class.Misconception
	require.NoError(t, json.Unmarshal([]byte(read(t, out, "misconceptions.json")), &found))
	require.NotEmpty(t, found)
	for _, m := range found {
		require.Equal(t, "step02", m.Step)
		require.Equal(t, 9, m.Of, "those whose code could be run")
		require.NotEmpty(t, m.Title)
	}
	var r struct{ Report report.Report }
	require.NoError(t, json.Unmarshal([]byte(strings.SplitN(read(t, out, class.GradebookJSONL), "\n", 2)[0]), &r))
	require.Equal(t, uint64(1), r.Report.Seed)
	require.NotEmpty(t, r.Report.Sandbox)
}

func read(t *testing.T, dir, name string) string {
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

// list returns the names of the files in a folder that are not hidden.
func list(t *testing.T, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	for _, e := range entries {
		if e.Name()[0] != '.' {
			names = append(names, e.Name())
		}
	}
	return names
}
