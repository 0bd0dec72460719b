package workspace

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
)

// tryBuild builds, and checks that the kit is as it was and that nothing but the
// probe is left behind.
func tryBuild(t *testing.T, k *Kit, b Build) (binary string, err error) {
	t.Helper()
	before, out := everything(t, k.Root), t.TempDir()
	probes, errs := k.Probes(t.Context(), []Build{inCourse(b)}, out)
	binary, err = probes[0].Path, errs[0]
	require.Equal(t, before, everything(t, k.Root), "the kit is untouched")
	left, readErr := os.ReadDir(out)
	require.NoError(t, readErr)
	for _, e := range left {
		require.Equal(t, filepath.Base(binary), e.Name(), "left behind in the output folder")
	}
	return binary, err
}

// answer builds a probe, runs it and returns the line that it prints.
func answer(t *testing.T, k *Kit, b Build) string {
	t.Helper()
	binary, err := tryBuild(t, k, b)
	require.NoError(t, err)
	return says(t, Probe{Path: binary, Env: []string{boothVariable + "=booth0"}})
}

// says runs a probe and returns the line that it prints.
func says(t *testing.T, p Probe) string {
	t.Helper()
	cmd := exec.Command(p.Path)
	cmd.Env = p.Env
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

const (
	ownOne = "package one\n\nfunc Name() string { return \"own one\" }\n"
	ownTwo = `package two

import one "github.com/stubformer/stubformer/steps/step01_one"

type Two struct{ Prefix string }

func New(p string) *Two { return &Two{p} }

func (two *Two) Name() string { return "own two on " + one.Name() }
`
)

// readHandedIn is a step folder that somebody handed in.
func readHandedIn(t *testing.T, dir string) Source {
	t.Helper()
	f, err := ReadFolder(dir, dir)
	require.NoError(t, err)
	return HandedIn(f)
}

// TestWhoseCode runs probes whose answer says whose code stands behind each
// import path.
func TestWhoseCode(t *testing.T) {
	sweep.Only(t)
	handedIn := t.TempDir()
	files{
		"a/step02_two/two.go":       strings.Replace(ownTwo, "own", "their", 1),
		"b/steps/step02_two/two.go": strings.Replace(ownTwo, "own", "nested", 1),
		"b/steps/step01_one/one.go": strings.Replace(ownOne, "own", "nested", 1),
	}.write(t, handedIn)
	read := func(path string) Source { return readHandedIn(t, filepath.Join(handedIn, filepath.FromSlash(path))) }
	theirs, nestedOne, nestedTwo := read("a/step02_two"), read("b/steps/step01_one"), read("b/steps/step02_two")
	const one, two, three = "step01_one", "step02_two", "step03_three"
	mine := files{"steps/step01_one/one.go": ownOne, "steps/step02_two/two.go": ownTwo}
	with := func(more files) files {
		for name, data := range mine {
			if _, ok := more[name]; !ok {
				more[name] = data
			}
		}
		return more
	}
	for name, c := range map[string]struct {
		edits files
		Build
		want string
	}{
		"own":                    {mine, Build{Step: two}, "own two on own one"},
		"own on a solution":      {mine, Build{Step: two, Sources: map[string]Source{one: Solutions()}}, "own two on solution one"},
		"solutions":              {mine, Build{Step: two, Sources: map[string]Source{one: Solutions(), two: Solutions()}}, "solution two on solution one"},
		"solution on own":        {mine, Build{Step: two, Sources: map[string]Source{two: Solutions()}}, "solution two on own one"},
		"through another step":   {mine, Build{Step: three, Sources: map[string]Source{one: Solutions()}}, "stub three on own two on solution one, bound with solution one"},
		"through the binding":    {with(files{"steps/step03_three/three.go": "package three\n\nfunc Name() string { return \"own three\" }\n"}), Build{Step: three, Sources: map[string]Source{one: Solutions()}}, "own three, bound with solution one"},
		"a folder":               {mine, Build{Step: two, Sources: map[string]Source{two: theirs}}, "their two on own one"},
		"a folder with steps":    {mine, Build{Step: two, Sources: map[string]Source{one: nestedOne, two: nestedTwo}}, "nested two on nested one"},
		"stubs":                  {mine, Build{Step: two, Sources: map[string]Source{one: Pristine(), two: Pristine()}}, "stub two on stub one"},
		"a later step is broken": {with(files{"steps/step03_three/three.go": "package x ("}), Build{Step: two}, "own two on own one"},
		"Windows line ends":      {files{"steps/step01_one/one.go": strings.ReplaceAll(ownOne, "\n", "\r\n")}, Build{Step: one}, "own one"},
		"what does not count": {with(files{
			"steps/step02_two/two_test.go":   "package two\n\nfunc init() { panic(1) }\n", // an edited binding
			"steps/step02_two/my_test.go":    "package two\n\nsyntax error\n",
			"steps/step02_two/ext_test.go":   "package two_test\n\nfunc init() { panic(1) }\n",
			"steps/step02_two/x.s":           "x",
			"steps/step01_one/x.c":           "x",
			"steps/step02_two/_old.go":       "x",
			"steps/step02_two/.#two.go":      "x",
			"steps/step02_two/gen.go":        "//go:build ignore\n\npackage main\n\nimport \"C\"\n",
			"steps/step02_two/two_plan9.go":  "package two\n\nfunc New() {}\n",
			"steps/step01_one/experiment.go": "//go:build goexperiment.simd\n\npackage one\n\nfunc Name() {}\n",
		}), Build{Step: two}, "own two on own one"},
		"seen by its build line": {with(files{"steps/step01_one/one.go": "//go:build stubformer_probe && " + runtime.GOOS + "\n\n" + ownOne}), Build{Step: two}, "own two on own one"},
		"code in another file": {
			files{"steps/step01_one/one.go": "package one\n\nfunc Name() string { return mine }\n", "steps/step01_one/more (1).go": "package one\n\nconst mine = \"two files\"\n"},
			Build{Step: one}, "two files",
		},
		"a file that the folder lacks is hidden": {
			with(files{"steps/step02_two/clash.go": "package two\n\nfunc New() {}\n"}),
			Build{Step: two, Sources: map[string]Source{two: theirs}}, "their two on own one",
		},
		"another main package": {
			with(files{"tool/main.go": "package main\n\nimport two \"github.com/stubformer/stubformer/steps/step02_two\"\n\n" +
				"func main() { println(\"tool of\", two.New(\"\").Name()) }\n"}),
			Build{Step: one, Package: "tool", Sources: map[string]Source{one: Solutions()}}, "tool of own two on solution one",
		},
		"files laid over": {
			mine, Build{Step: two, Sources: map[string]Source{two: Solutions()}, Overlay: map[string][]byte{
				"step02_two/two.go": []byte(strings.Replace(ownTwo, "own two", "wrong two", 1)),
				"step01_one/one.go": []byte(strings.Replace(ownOne, "own one", "wrong one", 1))}},
			"wrong two on wrong one",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, answer(t, newKit(t, c.edits), c.Build))
		})
	}
}

func TestOverlayMustFit(t *testing.T) {
	k := newKit(t, nil)
	for name, path := range map[string]string{
		"no such step":     "step09_nine/nine.go",
		"not needed":       "step03_three/three.go",
		"not in a binding": "step02_two/two_test.go",
		"no Go file":       "step02_two/README.md",
	} {
		_, err := tryBuild(t, k, Build{Step: "step02_two", Sources: map[string]Source{"step02_two": Solutions()}, Overlay: map[string][]byte{path: nil}})
		require.ErrorContains(t, err, path+" is no Go file of a step that step02_two is built from", name)
		require.NotErrorAs(t, err, new(*CompileError), name)
		require.NotErrorAs(t, err, new(*RefusedError), name)
	}
}

func TestBuildInALinkedKit(t *testing.T) {
	k := newKit(t, nil)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(k.Root, link); err != nil {
		t.Skip(err)
	}
	require.Equal(t, "solution one", answer(t, findKit(t, link), Build{Step: "step01_one", Sources: map[string]Source{"step01_one": Solutions()}}))
}

func TestPanicNamesTheLine(t *testing.T) {
	k := newKit(t, files{"steps/step01_one/one.go": "package one\n\nfunc Name() string {\n\tpanic(\"here\")\n}\n"})
	binary, err := tryBuild(t, k, Build{Step: "step01_one"})
	require.NoError(t, err)
	cmd := exec.Command(binary)
	cmd.Env = []string{boothVariable + "=booth0"}
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), filepath.ToSlash(k.Root)+"/steps/step01_one/one.go:4")
}

// TestEnvironment builds in an environment that would spoil the build.
func TestEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"GOFLAGS": "-tags=nonsense -mod=mod", "GOWORK": "/nonsense", "GOOS": "plan9", "GOARCH": "nonsense", "CGO_ENABLED": "1", "GOEXPERIMENT": "nonsense", "PWD": "/",
	} {
		t.Setenv(name, value)
	}
	require.Equal(t, "stub one", answer(t, newKit(t, nil), Build{Step: "step01_one"}))
	_, err := tryBuild(t, newKit(t, nil), Build{Step: "step01_one", Env: []string{"GOEXPERIMENT=unheard"}})
	require.ErrorContains(t, err, "unknown GOEXPERIMENT unheard", "Env reaches the go command")
}

func TestNoGoCommand(t *testing.T) {
	k := newKit(t, nil)
	t.Setenv("PATH", t.TempDir())
	_, err := tryBuild(t, k, Build{Step: "step01_one"})
	require.ErrorContains(t, err, "the go command is not on the PATH; install Go")
}

func TestUnknownStep(t *testing.T) {
	_, err := tryBuild(t, newKit(t, nil), Build{Step: "step08_none"})
	require.ErrorContains(t, err, "has no folder steps/step08_none")
}

// TestCancel cancels a build whose go command has started a child, and expects
// both to end.
func TestCancel(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	k, bin, out := newKit(t, nil), t.TempDir(), t.TempDir()
	pipe := filepath.Join(bin, "pipe")
	script := "#!/bin/sh\n[ $1 = list ] && exec sleep 600\nexec 3>" + pipe + "\nsleep 600 &\necho started >&3\nwait\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755))
	require.NoError(t, exec.Command("mkfifo", pipe).Run())
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error)
	go func() {
		_, errs := k.Probes(ctx, []Build{inCourse(Build{Step: "step01_one"})}, out)
		done <- errs[0]
	}()
	r, err := os.Open(pipe) // both sleep and the shell hold the other end
	require.NoError(t, err)
	defer r.Close()
	buf := make([]byte, 100)
	n, err := r.Read(buf)
	require.NoError(t, err)
	require.Equal(t, "started\n", string(buf[:n]))
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.NoError(t, r.SetReadDeadline(time.Now().Add(time.Minute)))
	n, err = r.Read(buf)
	require.Equal(t, 0, n)
	require.EqualError(t, err, "EOF", "the child lives on")
	left, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Empty(t, left)
}
