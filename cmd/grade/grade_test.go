package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// The scripts run the real binary, each on a copy of the kit, so that no test
// writes into the checkout.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY", "GOSUMDB", "PATH"} {
				env.Setenv(name, goEnv(t, name))
			}
			env.Cd = filepath.Join(env.WorkDir, "kit")
			return copyKit(env.Cd)
		},
	})
}

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"grade": main})
}

// copyKit copies what a student's checkout holds.
func copyKit(kit string) error {
	root := filepath.Join("..", "..")
	for _, name := range []string{"steps", "solutions", "reference", "grader", "fixtures", filepath.Join("cmd", "plot")} {
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
