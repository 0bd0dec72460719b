package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/index"
)

// The scripts run the real binary, each on a copy of the kit, so that no test
// writes into the checkout: with SWEEP=1 all, or else the contract of the command line.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	require.NoError(t, err)
	if !sweep.On() {
		scripts = slices.DeleteFunc(scripts, func(name string) bool { return filepath.Base(name) != "usage.txtar" })
	}
	testscript.Run(t, testscript.Params{
		Files: scripts,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY", "GOSUMDB", "PATH"} {
				env.Setenv(name, goEnv(t, name))
			}
			env.Cd = filepath.Join(env.WorkDir, "kit")
			return copyKit(env.Cd)
		},
	})
}

// programs are those that grade starts.
var programs = []string{index.Learn, index.Handed, "studio", "teach", "author"}

// built is where grade lies for the tests, with all programs beside it, as in a release.
var built string

func TestMain(m *testing.M) {
	code, err := around(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// around builds the programs, and runs the tests with grade on the path.
func around(m *testing.M) (code int, err error) {
	if built, err = os.MkdirTemp("", "grade-"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(built)
	packages := []string{"./cmd/grade", "./cmd/plot"}
	for _, p := range programs {
		packages = append(packages, "./cmd/"+p)
	}
	build := exec.Command("go", append([]string{"build", "-C", filepath.Join("..", ".."), "-ldflags=-s -w", "-o", built + string(filepath.Separator)}, packages...)...)
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, out)
	}
	os.Setenv("PATH", built+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return m.Run(), nil
}

// tree is what a program says of its commands.
func tree(t *testing.T, program string) (root command.Tree) {
	t.Helper()
	out, err := exec.Command(filepath.Join(built, program), "__tree").Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &root))
	return root
}

// visit calls f for a command and all below it.
func visit(cmd command.Tree, f func(command.Tree)) {
	f(cmd)
	for _, c := range cmd.Below {
		visit(c, f)
	}
}

// copyKit copies what a student's checkout holds.
func copyKit(kit string) error {
	root := filepath.Join("..", "..")
	for _, name := range []string{"steps", "solutions", "reference", "grader", "fixtures"} {
		if err := os.CopyFS(filepath.Join(kit, name), os.DirFS(filepath.Join(root, name))); err != nil {
			return err
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "CURRICULUM.md", "CURRICULUM.zh-CN.md"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(kit, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func goEnv(t *testing.T, name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	out, err := exec.CommandContext(context.Background(), "go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
