//go:build unix

package workspace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
)

// What a build within a fence needs of the build cache, to which it may not write, is put
// there before: also what only a student imports, and once more where the go command says
// that it lacks something all the same, since another grader has just begun to fill it.
func TestColdCache(t *testing.T) {
	sweep.Only(t)
	goCommand, err := exec.LookPath("go")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		lacking, calls int // how often the go command finds the cache lacking, and how often it is called
	}{
		"a cache that has all":    {0, 1},
		"one that lacked it":      {1, 2},
		"one that cannot have it": {9, 2},
	} {
		t.Run(name, func(t *testing.T) {
			k, dir := newKit(t, nil), t.TempDir()
			calls := filepath.Join(dir, "calls")
			script := fmt.Sprintf("#!/bin/sh\necho >>%s\nif [ $(wc -l <%s) -le %d ]; then\n"+
				"\techo failed to initialize build cache at /cache: mkdir /cache: permission denied\n\texit 1\nfi\nexec %s \"$@\"\n",
				calls, calls, c.lacking, goCommand)
			files{"bin/go": script}.write(t, dir)
			require.NoError(t, os.Chmod(filepath.Join(dir, "bin", "go"), 0o755))
			fence, err := k.Fence(t.Context(), nil)
			require.NoError(t, err)
			goroot := fence.goroot
			fence.goroot = dir
			handedIn := &Folder{Files: map[string][]byte{"one.go": []byte("package one\n\nimport \"container/ring\"\n\nfunc Name() string { return \"\" }\n\nvar _ ring.Ring\n")}}
			b := inCourse(Build{Step: "step01_one", Fence: fence, Env: []string{"GOROOT=" + goroot}, Sources: map[string]Source{"step01_one": HandedIn(handedIn)}})
			_, errs := k.Probes(t.Context(), []Build{b}, t.TempDir())
			if c.lacking > 1 {
				require.ErrorAs(t, errs[0], new(*cacheError))
				require.True(t, OfMachine(errs[0]))
			} else {
				require.Equal(t, []error{nil}, errs)
			}
			called, err := os.ReadFile(calls)
			require.NoError(t, err)
			require.Equal(t, c.calls, strings.Count(string(called), "\n"))
			key, err := k.exportsKey(b.Env)
			require.NoError(t, err)
			for _, path := range []string{"container/ring", "internal/runtime/atomic", module + "/grader/probe/subject"} {
				require.FileExists(t, k.exports.files[key][path])
			}
		})
	}
}
