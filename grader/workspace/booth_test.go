package workspace

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/reference/newline"
)

// version is the solution of step 1 with a file in the place of its own, or one beside it.
func version(name, text string) Build {
	return inCourse(Build{Step: "step01_one", Sources: map[string]Source{"step01_one": Solutions()},
		Overlay: map[string][]byte{"step01_one/" + name: []byte(text)}})
}

// TestProbesShare builds many probes at once. What is wrong with one costs no other
// anything, and each answers for itself.
func TestProbesShare(t *testing.T) {
	k := newKit(t, files{"steps/step01_one/one.go": ownOne, "steps/step02_two/two.go": ownTwo})
	solutions := map[string]Source{"step01_one": Solutions(), "step02_two": Solutions(), "step03_three": Own()}
	ownTwoOnly := map[string]Source{"step01_one": Solutions(), "step02_two": Own()}
	builds := []Build{
		version("one.go", "package one\n\nfunc Name() string { return \"a\" }\n"),
		version("one.go", "package one\n\nfunc Name() string { return \"b\" }\n"),
		version("one.go", "package one\n\nfunc Name() string {\n\treturn 1\n}\n"), // does not compile
		inCourse(Build{Step: "step01_one", Overlay: map[string][]byte{ // is refused
			"step01_one/one.go": []byte("package one\n\nimport \"os\"\n\nfunc Name() string { return os.Args[0] }\n")}}),
		version("more.go", "package one\n\nfunc init() { panic(\"at the start\") }\n"),
		inCourse(Build{Step: "step02_two", Sources: ownTwoOnly}), // on the solution of step 1, which no other of these has below it
		inCourse(Build{Step: "step02_two"}),                      // on one's own
		inCourse(Build{Step: "step03_three", Sources: solutions}),
		version("one.go", "package one\n\nfunc Name() string {"), // cannot even be read
	}
	before, out := everything(t, k.Root), t.TempDir()
	probes, errs := k.Probes(t.Context(), builds, out)
	require.Equal(t, before, everything(t, k.Root), "the kit is untouched")
	for i, want := range []string{0: "a", 1: "b", 5: "own two on solution one", 6: "own two on own one", 7: "stub three on solution two on solution one, bound with solution one"} {
		if want != "" {
			require.NoError(t, errs[i], i)
			require.Equal(t, want, says(t, probes[i]))
		}
	}
	var compile *CompileError
	require.ErrorAs(t, errs[2], &compile)
	alone, aloneErrs := k.Probes(t.Context(), builds[2:3], t.TempDir())
	require.Empty(t, alone[0].Path)
	require.EqualError(t, errs[2], aloneErrs[0].Error(), "said as if it were alone")
	require.ErrorAs(t, errs[3], new(*RefusedError))
	require.ErrorContains(t, errs[8], "syntax error")

	for _, i := range []int{0, 1, 5} {
		require.Equal(t, probes[0].Path, probes[i].Path, "%d shares the first program", i)
		require.True(t, probes[i].Shared)
	}
	for _, i := range []int{4, 6, 7} {
		require.NotEqual(t, probes[0].Path, probes[i].Path, "%d has one to itself", i)
		require.False(t, probes[i].Shared)
	}
	cmd := exec.Command(probes[4].Path)
	cmd.Env = probes[4].Env
	said, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(said), "at the start")
	left, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Len(t, left, 4, "the programs, and nothing else")
}

// No program holds a step that a student wrote and anybody else's code of that step,
// wherever in the program it is.
func TestNoProgramHoldsTheSolution(t *testing.T) {
	sweep.Only(t)
	k := newKit(t, files{"steps/step01_one/one.go": ownOne, "steps/step02_two/two.go": ownTwo})
	all := func(one, two, three Source) map[string]Source {
		return map[string]Source{"step01_one": one, "step02_two": two, "step03_three": three}
	}
	solution, err := os.ReadFile(filepath.Join(k.Root, "solutions", "step01_one", "one.go"))
	require.NoError(t, err)
	copied := &Folder{Files: map[string][]byte{"one.go": newline.Unix(solution)}}
	other := &Folder{Files: map[string][]byte{"one.go": []byte(strings.Replace(ownOne, "own", "another", 1))}}
	first := func(s Source) Build {
		return inCourse(Build{Step: "step01_one", Sources: all(s, Solutions(), Solutions())})
	}
	second := func(one, two Source) Build {
		return inCourse(Build{Step: "step02_two", Sources: all(one, two, Solutions())})
	}
	for name, c := range map[string]struct {
		a, b   Build
		shared bool
	}{
		"one's own, and the solution below another step":        {first(Own()), second(Solutions(), Own()), false},
		"the same the other way round":                          {second(Solutions(), Own()), first(Own()), false},
		"what was handed in, and the solution below a solution": {first(HandedIn(other)), second(Solutions(), Solutions()), false},
		"one's own, and the solution":                           {first(Own()), first(Solutions()), false},
		"of two students":                                       {first(Own()), first(HandedIn(other)), false},
		"a copy of the solution":                                {first(HandedIn(copied)), second(Solutions(), Own()), true},
		"the solution alone":                                    {first(Solutions()), second(Solutions(), Own()), true},
	} {
		t.Run(name, func(t *testing.T) {
			probes, errs := k.Probes(t.Context(), []Build{c.a, c.b}, t.TempDir())
			require.Equal(t, []error{nil, nil}, errs)
			require.Equal(t, c.shared, probes[0].Path == probes[1].Path)
		})
	}
}

// No step sees another's code but that of the steps it is built on.
func TestBoothsAreClosed(t *testing.T) {
	k := newKit(t, nil)
	spy := version("one.go", "package one\n\nimport other \"github.com/stubformer/stubformer/steps/booth0/step01_one\"\n\nfunc Name() string { return other.Name() }\n")
	_, errs := k.Probes(t.Context(), []Build{version("one.go", ownOne), spy}, t.TempDir())
	require.NoError(t, errs[0])
	require.ErrorAs(t, errs[1], new(*RefusedError))
}

func TestPanicInAProgramOfSeveral(t *testing.T) {
	k := newKit(t, nil)
	probes, errs := k.Probes(t.Context(), []Build{version("one.go", ownOne), version("one.go", "package one\n\nfunc Name() string {\n\tpanic(\"here\")\n}\n")}, t.TempDir())
	require.Equal(t, []error{nil, nil}, errs)
	cmd := exec.Command(probes[1].Path)
	cmd.Env = probes[1].Env
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), filepath.ToSlash(k.Root)+"/steps/booth1/step01_one/one.go:4", "which trace.Student shortens")
}

func TestQuiet(t *testing.T) {
	for text, want := range map[string]bool{
		"var x = 1":                                         true,
		"var x = []float64{1, -2, 3 * 4}":                   true,
		"var x = map[string]int{\"a\": 1}":                  true,
		"var x = &struct{ y int }{1}":                       true,
		"var x sync.Mutex":                                  true,
		"var x = sync.Pool{New: func() any { return f() }}": true,
		"var x = errors.New(\"none\")":                      true,
		"var x = math.Sqrt(2 * math.Pi)":                    true,
		"var x = 1.0 / 3":                                   true,
		"type t struct{}\n\nfunc (t) init() {}":             true,
		"func init() {}":                                    false,
		"var x = f()":                                       false,
		"var _ = f()":                                       false,
		"var x = func() int { return 1 }()":                 false,
		"var x = make([]byte, 1<<40)":                       false,
		"var x = []int{1}[y]":                               false,
		"var x = 1 / y":                                     false,
		"var x = *p":                                        false,
		"var x = p.field":                                   false,
		"var x = <-c":                                       false,
		"var x, y = 1, []int{f()}":                          false,
		"var x = any(y).(int)":                              false,
		"var x = tensor.New(1 << 40)":                       false,
		"type e struct{ New func(string) error }\n\nvar errors e\n\nvar x = errors.New(\"\")": false,
	} {
		imports := "import (\n\t\"errors\"\n\t\"math\"\n\t\"sync\"\n)\n\n"
		if !want {
			imports = "import \"math\"\n\n"
		}
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n\n"+imports+text+"\n", 0)
		require.NoError(t, err, text)
		require.Equal(t, want, quiet([]*ast.File{file}), text)
	}
}
