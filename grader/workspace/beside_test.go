package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Where the scratch folder lies has no part in whose error it is: the go command
// shortens paths as if they were mere text.
func TestCompileErrorWhereverTheScratchFolderIs(t *testing.T) {
	const one, two = "step01_one", "step02_two"
	for name, scratch := range map[string]string{
		"elsewhere":                       "elsewhere",
		"the kit's name is its beginning": "stubformer-123",
		"an ancestor's name is":           "above-it/deep",
		"in the kit":                      "stubformer/tmp",
		"in a folder like steps":          "stubformer/steps-tmp",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, tmp := newKit(t, files{
				"steps/step01_one/one.go":  ownOne,
				"steps/step01_one/more.go": "package one\n\nfunc Name() string { return x }\n",
			}), t.TempDir()
			root := filepath.Join(tmp, "above", "stubformer")
			if strings.HasPrefix(scratch, "above") {
				scratch = filepath.Join(tmp, scratch)
			} else {
				scratch = filepath.Join(tmp, "above", scratch)
			}
			require.NoError(t, os.MkdirAll(filepath.Dir(root), 0o755))
			require.NoError(t, os.Rename(k.Root, root))
			require.NoError(t, os.MkdirAll(scratch, 0o755))
			k = findKit(t, root)
			for _, step := range []string{one, two} {
				_, errs := k.Probes(t.Context(), []Build{{Course: toys(), Step: step}}, scratch)
				var e *CompileError
				require.ErrorAs(t, errs[0], &e)
				require.Equal(t, one, e.Folder)
				require.Equal(t, filepath.Join("steps", one, "one.go"), e.Lines[0].File)
				require.Contains(t, e.Lines[0].Message, filepath.Join("steps", one, "more.go")+":3:")
				require.Equal(t, filepath.Join("steps", one, "more.go"), e.Lines[1].File)
			}
		})
	}
}

// What a student writes into the code is never taken for the go command's word
// on its cache or its limits.
func TestOwnWords(t *testing.T) {
	const cache = "/home/ada/.cache/go-build"
	f := &Fence{Memory: 1 << 30, Time: time.Minute, cache: cache}
	for name, c := range map[string]struct {
		output string
		want   string
	}{
		"the cache":                           {"open " + cache + "/12/34-d: read-only file system\n", "the build cache lacks"},
		"the cache, where an import is named": {"steps/a/a.go:6:2: open " + cache + "/12/34-d: permission denied\n", "the build cache lacks"},
		"the cache, which is not there":       {"failed to initialize build cache at " + cache + ": mkdir " + cache + ": permission denied\n", "the build cache lacks"},
		"killed by the system":                {"github.com/x/y: /go/compile: signal: killed\n", "the system killed the compiler"},
		"a crash":                             {"# x\nfatal error: runtime: out of memory\n\ngoroutine 1:\n\tcompile.go:3\n", "more memory than"},
		"in code": {"# x\nsteps/a/a.go:3:9: cannot use \"open " + cache + "/1 read-only file system; out of memory\" as int\n" +
			"\tsteps/a/b.go:3:9: signal: killed\n", ""},
		"a neighbour of the cache": {"open " + cache + "-mine/12: read-only file system\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := f.exceeded("step01_one", c.output, time.Second)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

// A build is held to the time that it computes. Whatever else it printed, on the
// clock it may take longer: then the machine was busy.
func TestTimeOfComputing(t *testing.T) {
	f := &Fence{Memory: 1 << 30, Time: time.Minute, cache: "/cache"}
	for name, c := range map[string]struct {
		output   string
		computed time.Duration
		want     string
	}{
		"killed for its time":        {"x: signal: killed\n", time.Minute, "takes more than 1m0s of computing"},
		"killed before its time":     {"x: signal: killed\n", time.Minute - 1, "the system killed the compiler"},
		"an error after a long time": {"steps/a/a.go:3:9: undefined: x\n", time.Hour, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := f.exceeded("step01_one", c.output, c.computed)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}
